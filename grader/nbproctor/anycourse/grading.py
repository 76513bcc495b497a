"""Grades a class: one assignment after the other, each submission in the sandbox, as many at once as are wanted."""

from __future__ import annotations

import os
import re
import threading
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, chdir
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
from nbgrader.api import Gradebook
from nbgrader.converters.base import NbGraderException
from sqlalchemy.exc import SAWarning, SQLAlchemyError

from nbproctor.anycourse import kernels, reference, report, sources, store
from nbproctor.anycourse.kernels import Kernel, KernelMissing
from nbproctor.anycourse.reference import Reference
from nbproctor.anycourse.running import label, read_files, run_cells, too_slow
from nbproctor.anycourse.settings import LEFT_OUT, Course, CourseError, leads_out, refuse_link
from nbproctor.anycourse.sources import Sources
from nbproctor.anycourse.steps import Context, Steps, outcome
from nbproctor.anycourse.store import Submission
from nbproctor.anycourse.warm import Executor, Ran
from nbproctor.runner import pool
from nbproctor.runner.log import grading
from nbproctor.runner.zygote import WorkersGone

if TYPE_CHECKING:
    from nbproctor.anycourse.remote import Start

Todo = dict[str, tuple[str, list[str]]]  # student -> the folder and its notebooks

# Where we go on, and nbgrader would not; each is in the student's favour.
LOST = "{}; only this cell is lost. (nbgrader would lose the cells after it, or the whole submission.)"
EXITS = "{}: exit() does nothing. (In nbgrader it ends the kernel, and nothing of the submission is graded.)"


@dataclass(frozen=True)
class Wanted:
    """What to grade, and how. assignments: all that was handed in, where it is empty; student: all, where it is "".

    scheduler: the address of the one whose workers run the notebooks; here, where it is "".
    """

    assignments: Sequence[str] = ()
    student: str = ""
    workers: int = 1
    force: bool = False
    sandboxed: bool = True
    scheduler: str = ""


@dataclass(frozen=True)
class Outcome:
    """One submission: its points, the number of cells that wait for a person, and what an instructor should know."""

    assignment: str
    student: str
    points: float
    most: float
    by_hand: int
    differences: tuple[str, ...]
    notes: tuple[str, ...]
    failed: str
    cpu_s: float

    @classmethod
    def of(cls, one: Submission) -> Outcome:
        rows = [row for nb in one.graded.values() for row in outcome(nb)]
        return cls(
            one.assignment, one.student, sum(points or 0 for _, points, _ in rows), sum(most for _, _, most in rows),
            0 if one.failed else one.by_hand, tuple(one.differences), tuple(one.notes), one.failed, one.cpu_s,
        )  # fmt: skip


@dataclass
class Graded:
    """What came of a class. skipped: how many submissions were graded before. refused: assignments, with the reason."""

    outcomes: list[Outcome] = field(default_factory=list)
    skipped: int = 0
    references: list[Reference] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    layers: tuple[str, ...] = ()
    report: str = ""


@dataclass(frozen=True)
class ProgressCallbacks:
    """Progress callbacks. begin: gets an assignment and the number of submissions to grade."""

    begin: Callable[[str, int], None]
    reference: Callable[[Reference], None]
    done: Callable[[Outcome], None]


def grade(course: Course, wanted: Wanted, hear: ProgressCallbacks) -> Graded:
    """Grade what was handed in. Raises CourseError where there is nothing to grade."""
    graded = Graded()
    with chdir(course.root):  # as nbgrader does it; hooks may count on it
        _grade(course, wanted, hear, graded)
        graded.report = str(report.write(course))
    return graded


def _grade(course: Course, wanted: Wanted, hear: ProgressCallbacks, graded: Graded) -> None:
    Steps(course)  # refuses a configuration that would run cells outside of the sandbox
    os.environ["NBGRADER_EXECUTION"] = "autograde"
    warnings.filterwarnings("ignore", category=SAWarning)  # of nbgrader's own way to make a submission's rows
    for assignment in _assignments(course, wanted):
        with Gradebook(course.directory.db_url, course.directory.course_id) as book:
            known = sources.known_sources(course, book, assignment)
        if not known:
            try:
                sources.enter(course, assignment)
            except CourseError as error:
                graded.refused[assignment] = str(error)
                continue
            graded.said.append(f"{assignment} was not in the gradebook; it was entered from source/{assignment}")
        with Gradebook(course.directory.db_url, course.directory.course_id) as book:
            known = sources.known_sources(course, book, assignment)
            try:
                kernel_of = kernels.find(course, {name: one.kernelspec for name, one in known.items()})
                found = _submissions(course, wanted, assignment)
                todo = {who: what for who, what in found.items() if wanted.force or _is_new(course, who, assignment)}
                graded.skipped += len(found) - len(todo)
                if todo:
                    _Class(course, wanted, assignment, known).grade(book, todo, kernel_of, graded, hear)
            except KernelMissing as error:
                graded.refused[assignment] = str(error)


def _assignments(course: Course, wanted: Wanted) -> list[str]:
    """The assignments to grade. Raises CourseError where nothing was handed in."""
    with Gradebook(course.directory.db_url, course.directory.course_id) as book:
        there = sorted({*course.assignments(), *(one.name for one in book.assignments)})
    handed_in = {name for name in there if _submissions(course, wanted, name)}
    if unknown := [name for name in wanted.assignments if name not in there]:
        raise CourseError(
            f"no assignment {unknown[0]!r} in {course.source_folder}; there is {', '.join(there) or 'none'}"
        )
    if not handed_in.intersection(wanted.assignments or there):
        who = f"student {wanted.student!r}" if wanted.student else "anybody"
        what = ", ".join(wanted.assignments) or "any assignment"
        raise CourseError(f"{course.submitted('*', '*')}: nothing of {what} by {who} was handed in")
    return [name for name in there if name in handed_in and (not wanted.assignments or name in wanted.assignments)]


def _submissions(course: Course, wanted: Wanted, assignment: str) -> Todo:
    """Who handed in this assignment: the folder and its notebooks, found as nbgrader finds them."""
    converter, directory = course.converter, course.directory
    directory.assignment_id, directory.student_id = assignment, wanted.student or "*"
    try:
        converter.init_notebooks()
    except NbGraderException:
        return {}
    pattern = converter._format_source("(?P<assignment_id>.*)", "(?P<student_id>.*)", escape=True)
    excluded = directory.student_id_exclude.split(",")
    found = {}
    for folder, notebooks in sorted(converter.assignments.items()):
        match = re.match(pattern, folder)
        if match and (student := match["student_id"]) not in excluded:
            found[student] = (folder, sorted(notebooks))
    return found


def _is_new(course: Course, student: str, assignment: str) -> bool:
    """Whether a submission has to be graded, by nbgrader's rule."""
    folder = course.autograded(student, assignment)
    if not folder.exists():
        return True
    new, old = (
        course.directory.get_existing_timestamp(str(one)) for one in (course.submitted(student, assignment), folder)
    )
    return new is not None and old is not None and new > old


class _Class:
    """One assignment's submissions."""

    def __init__(self, course: Course, wanted: Wanted, assignment: str, known: dict[str, Sources]) -> None:
        self._course, self._wanted, self._assignment, self._known = course, wanted, assignment, known
        self._source_files = read_files(course.files(course.source(assignment)))
        self._draw = course.proctor.figures or sources.look_at_figures(known, course.files(course.source(assignment)))
        self._steps = threading.local()
        self._is_stopped = False

    def grade(
        self, book: Gradebook, todo: Todo, kernel_of: Mapping[str, Kernel], graded: Graded, hear: ProgressCallbacks
    ) -> None:
        """Grade them, and write each the moment it is graded. kernel_of: the kernel of each notebook."""
        with ExitStack() as stack:
            hear.begin(self._assignment, len(todo))
            how = reference.RunOptions(self._wanted.sandboxed, self._wanted.workers, self._elsewhere(stack))
            warm, ran = reference.warm_processes(self._course, self._assignment, kernel_of, how, stack)
            graded.layers = next(one.layers for one in warm.values())
            graded.references.append(ran)
            report.keep_reference(self._course, ran, graded.layers)
            hear.reference(ran)
            self._draw = self._draw or ran.has_figures
            saving = Steps(self._course).saving

            def write(one: Submission) -> None:
                self._write(book, one, saving)
                graded.outcomes.append(Outcome.of(one))
                hear.done(graded.outcomes[-1])

            def stop() -> None:
                self._is_stopped = True
                for process in warm.values():
                    process.end()

            ones = (self._submission(student, Path(folder), names) for student, (folder, names) in todo.items())
            width = max(one.width for one in warm.values())
            pool.run(partial(self._run, warm), ones, write, threads=width, width=lambda: 2 * width, stop=stop)

    def _elsewhere(self, stack: ExitStack) -> Start | None:
        if not self._wanted.scheduler:
            return None
        try:
            from nbproctor.anycourse.remote import starting
        except ModuleNotFoundError as error:
            raise CourseError(f"--scheduler needs dask ({error}); pip install distributed") from error
        return starting(self._wanted.scheduler, tuple(self._course.proctor.readable), stack)

    def _submission(self, student: str, folder: Path, notebooks: list[str]) -> Submission:
        course = self._course
        course.converter.notebooks = notebooks
        with course.log.kept():
            course.converter.run_pre_convert_hook()
        names = {Path(path).stem: Path(path) for path in notebooks}
        return Submission(
            student, self._assignment, folder, {name: names[name] for name in sorted(names) if name in self._known},
            sorted(names.keys() - self._known.keys()),
        )  # fmt: skip

    def _write(self, book: Gradebook, one: Submission, saving: Sequence[Any]) -> None:
        course = self._course
        with course.log.kept() as said:
            try:
                store.write(course, book, one, saving)
                if not one.failed:
                    course.converter.notebooks = list(map(str, one.notebooks.values()))
                    course.converter.run_post_convert_hook()
            except SQLAlchemyError as error:
                raise CourseError(f"{course.directory.db_url}: {str(error).splitlines()[0]}") from error
            except Exception as error:  # noqa: BLE001 as in nbgrader: this submission fails, and the others go on
                one.failed = f"{type(error).__name__}: {error}"
            one.notes += [" ".join(text.split()) for text in dict.fromkeys(said)]
        if one.failed:
            store.remove(course, one)
        report.keep(course, one)

    def _run(self, warm: Mapping[str, Executor], one: Submission) -> Submission:
        """In a worker's thread: all of a submission but the writing. Whatever happens costs this submission alone."""
        with self._course.log.kept() as said, grading(f"{one.student} {one.assignment}"):
            try:
                self._run_notebooks(warm, one)
            except WorkersGone:  # which no submission is to blame for
                raise
            except Exception as error:  # noqa: BLE001 as in nbgrader: this submission fails, and the others go on
                one.failed = f"{type(error).__name__}: {error}"
            one.notes += [" ".join(text.split()) for text in dict.fromkeys(said)]
        return one

    def _run_notebooks(self, warm: Mapping[str, Executor], one: Submission) -> None:
        course = self._course
        one.notes += [f"{name}.ipynb: not graded, since source/ has no notebook of this name" for name in one.unknown]
        if not one.notebooks:
            raise CourseError("none of its notebooks has the name of one in source/")
        kept = course.converter.exclude_overwriting.get(one.assignment, [])
        given = {name: what for name, what in self._source_files.items() if name not in kept}
        for path in one.notebooks.values():
            refuse_link(path, one.folder)
        theirs = {name: path for name, path in course.files(one.folder).items() if name not in given}
        away = {name for name, path in theirs.items() if leads_out(path, one.folder)}
        one.notes += [LEFT_OUT.format(name) for name in sorted(away)]
        one.files = read_files({name: path for name, path in theirs.items() if name not in away}) | given
        size = sum(len(data) for _, data in one.files.values())
        if size > course.proctor.scratch_mb << 20:
            raise CourseError(f"its files take {size >> 20} MB; c.Proctor.scratch_mb is {course.proctor.scratch_mb}")
        if not hasattr(self._steps, "own"):
            self._steps.own = Steps(course)
        deadline = time.monotonic() + course.proctor.submission_s
        for name, path in one.notebooks.items():
            self._run_notebook(warm[name], one, name, path, deadline)

    def _run_notebook(self, warm: Executor, one: Submission, name: str, path: Path, deadline: float) -> None:
        course = self._course

        def run(nb: Any, text: str) -> None:
            before = {f"{known}.ipynb": (0o644, nbformat.writes(done).encode()) for known, done in one.graded.items()}
            beside = one.files | before | {f"{name}.ipynb": (0o644, text.encode())}
            place = course.autograded(one.student, one.assignment) / f"{name}.ipynb"
            ran = run_cells(course, warm, place, nb, beside, deadline, self._draw)
            if self._is_stopped:
                raise KeyboardInterrupt
            one.notes += [f"{name}, {text}" for text in too_slow(course, nb, ran)]
            _take(one, name, nb, ran)

        context = Context(self._known[name], run)
        resources = store.resources(course, one, name)
        try:
            one.graded[name] = self._steps.own.graded(str(path), resources, context)
        finally:
            one.differences += [f"{name}, {note}" for note in context.notes]


def _take(one: Submission, name: str, nb: Any, ran: Ran) -> None:
    """Note what a notebook's run has left: files, and where it had to be helped on."""
    one.cpu_s += ran.cpu_s
    one.files = {key: what for key, what in one.files.items() if key not in ran.gone}
    books = {f"{book}.ipynb" for book in one.notebooks}
    one.files |= {key: what for key, what in ran.written.items() if key not in books}
    for number, cell in enumerate(ran.cells):
        about = f"{name}, {label(nb, cell)}"
        if number in ran.lost:
            one.differences.append(LOST.format(f"{about}: {ran.lost[number]}"))
        if number in ran.exits:
            one.differences.append(EXITS.format(about))
    if ran.is_late:
        one.differences.append(
            f"{name}: the submission's time was over (c.Proctor.submission_s), and the cells that were left did not "
            "run. In nbgrader they would."
        )
    if ran.left:
        one.notes.append(f"{name}: files that it wrote were left out, since they are too large: {', '.join(ran.left)}")
