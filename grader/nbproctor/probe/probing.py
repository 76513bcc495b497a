"""Probes an assignment of an nbgrader course: its reference, the untouched release, and the changes."""

import random
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, chdir, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbproctor.anycourse import kernels
from nbproctor.anycourse.reference import RunOptions, warm_processes
from nbproctor.anycourse.running import read_files, run_cells
from nbproctor.anycourse.settings import Course, CourseError
from nbproctor.anycourse.warm import Executor, Warm
from nbproctor.probe import marks, wild
from nbproctor.probe.findings import Found
from nbproctor.probe.plan import Book, is_test, read, untouched
from nbproctor.probe.walk import Tally, Walk
from nbproctor.values.text import many

RUNS = 3  # of the reference
LEAST = 2  # changes after which a test that none of them fails is a finding, if there are no more
ENOUGH = 10  # … and if there are more


@dataclass(frozen=True)
class Wanted:
    """RunOptions to probe. most: how many changes of an assignment; None: as many as `seconds` have room for.

    submitted: a folder of submissions, whose answers are tried instead.
    """

    most: int | None = None
    seed: int = 0
    workers: int = 1
    sandboxed: bool = True
    seconds: float = 60.0
    submitted: Path | None = None


def assignments(course: Course, wanted: Iterable[str]) -> list[str]:
    """The assignments of a course, or those wanted. Raises CourseError for one that it does not have."""
    there, names = course.assignments(), [*wanted]
    if unknown := [name for name in names if name not in there]:
        told = ", ".join(there) or "none"
        raise CourseError(f"no assignment {unknown[0]!r} in {course.source_folder}; there is {told}")
    return names or there


def probe(
    course: Course, assignment: str, wanted: Wanted, begin: Callable[[int], None], done: Callable[[str], None]
) -> Found:
    """Probe one assignment. begin: gets the number of changes to try. done: gets the exercise of each that was tried.

    Raises CourseError.
    """
    start, found = time.monotonic(), Found(assignment, is_wild=wanted.submitted is not None)
    with chdir(course.root), ExitStack() as stack:
        answers = wild.answers(course, assignment, wanted.submitted) if wanted.submitted else None
        books, asked = list[Book](), dict[str, kernels.Kernel]()
        for path in sorted(course.source(assignment).glob("*.ipynb")):
            book = read(course, path, None if answers is None else answers.get(path.stem, {}))
            with suppress(kernels.KernelMissing):
                asked |= kernels.find(course, {book.name: book.nb.metadata.get("kernelspec")})
            if book.name in asked and not asked[book.name].spec:
                books.append(book)
            else:
                asked.pop(book.name, None)
                found.left_out.append(f"{book.name}: it runs in another kernel, and is not changed")
        _choose(books, wanted)
        warm, _ = warm_processes(course, assignment, asked, RunOptions(wanted.sandboxed, wanted.workers), stack)
        _run_reference(course, books, warm, found)
        _run_untouched(course, books, warm, found)
        begin(sum(len(one.chosen) for book in books for one in book.exercises))
        tallies = _try_changes(course, books, warm, wanted, (found, done))
    _sum_up(course, books, tallies, found)
    found.seconds = time.monotonic() - start
    return found


def _run(course: Course, book: Book, warm: Executor, nb: Any) -> tuple[dict[int, float], Any]:
    """Run a notebook. Returns the points of each test cell, by its place, and what came of the run."""
    deadline = time.monotonic() + course.proctor.submission_s
    ran = run_cells(course, warm, book.path, nb, book.files, deadline, draw=False)
    tests = [number for number, cell in enumerate(ran.cells) if is_test(cell)]
    return {number: book.points(number, ran.cells[number].outputs) for number in tests}, ran


def _run_reference(course: Course, books: list[Book], warm: Mapping[str, Executor], found: Found) -> None:
    """Run the reference several times. No change is judged by a test that it does not pass each time."""
    files = read_files(course.files(course.source(found.assignment)))
    for book in books:
        book.files = files | {book.path.name: (0o644, book.path.read_bytes())}
        runs = []
        for _ in range(RUNS):
            points, ran = _run(course, book, warm[book.name], read(course, book.path).nb)
            runs.append(points)
        kept = {name: what for name, what in book.files.items() if name not in ran.gone}
        files = kept | ran.written
        for number in book.tests:
            got, most = [points[number] for points in runs], float(book.cells[number].metadata.nbgrader["points"])
            where = f"{book.name}, {book.id_of(number)}"
            if max(got) < most:
                found.findings.append(f"{where}: the reference gets {max(got):g} of {most:g}")
            elif min(got) < most:
                times = sum(one < most for one in got)
                found.findings.append(f"{where}: the reference fails sometimes ({times} of {RUNS} runs)")
            if most and min(got) == most:
                book.least[number] = most
        for one in [*book.exercises]:
            if not book.least.keys() & {*one.own}:
                book.exercises.remove(one)
                why = "none of its tests always passes for the reference" if one.points else "its tests give no points"
                book.left_out.append(f"{book.name}, {one.name}: {why}")


def _run_untouched(course: Course, books: list[Book], warm: Mapping[str, Executor], found: Found) -> None:
    """Run the release as it is handed out. Finds tests that give it points."""
    for book in books:
        try:
            nb = untouched(course, book)
        except (RuntimeError, ValueError) as error:
            found.left_out.append(f"{book.name}: nbgrader cannot release it ({error})")
            continue
        points, ran = _run(course, book, warm[book.name], nb)
        for number, got in points.items():
            cell = ran.cells[number]
            if got > 0:
                name, most = cell.metadata.nbgrader["grade_id"], float(cell.metadata.nbgrader["points"])
                found.findings.append(f"{book.name}, {name}: the untouched release gets {got:g} of {most:g}")


def _try_changes(
    course: Course,
    books: list[Book],
    warm: Mapping[str, Executor],
    wanted: Wanted,
    hear: tuple[Found, Callable[[str], None]],
) -> dict[tuple[str, int], Tally]:
    found, done = hear
    tallies = {(book.name, one.at): Tally() for book in books for one in book.exercises}
    left, end = len(tallies), time.monotonic() + wanted.seconds
    for book in books:
        if not book.exercises:
            continue
        place = warm[book.name]
        assert isinstance(place, Warm)  # noqa: S101 for mypy: there is no scheduler here
        now = time.monotonic()
        until = None if wanted.most is not None else now + (end - now) * len(book.exercises) / left
        left -= len(book.exercises)
        mine = {one.at: tallies[book.name, one.at] for one in book.exercises}
        parts = [
            {one.at: deque(one.chosen[part :: wanted.workers]) for one in book.exercises}
            for part in range(wanted.workers)
        ]
        walks = [Walk(course, book, place, part, mine, until, done) for part in parts if any(part.values())]
        with ThreadPoolExecutor(wanted.workers) as pool:
            for one in [pool.submit(walk.go) for walk in walks]:
                one.result()
        found.left_out += dict.fromkeys(walk.trouble for walk in walks if walk.trouble)
        for number in sorted({number for walk in walks for number in walk.flaky}):
            found.findings.append(
                f"{book.name}, {book.id_of(number)}: the reference fails sometimes (it failed after {RUNS} good runs)"
            )
    return tallies


def _choose(books: list[Book], wanted: Wanted) -> None:
    """Choose the changes to try, in a random order: before the reference runs, whatever comes of that."""
    every = [(one, change) for book in books for one in book.exercises for change in one.changes]
    random.Random(wanted.seed).shuffle(every)  # noqa: S311
    for one, change in every[: wanted.most]:
        one.chosen.append(change)


def _sum_up(course: Course, books: list[Book], tallies: dict[tuple[str, int], Tally], found: Found) -> None:
    """Put together what was found."""
    file, every = marks.path(course, found.assignment), set[str]()
    known = marks.read(file)
    for book in books:
        found.left_out += book.left_out
        failing, ran = set[int](), set[int]()
        for one in book.exercises:
            tally = tallies[book.name, one.at]
            found.possible += len(one.changes)
            found.tried += tally.tried
            every |= {change.key for change in one.changes}
            found.survivors += [passed for passed in tally.passed if passed.key not in known]
            found.marked += sum(passed.key in known for passed in tally.passed)
            failing |= {number for _, failed in tally.failed for number in failed}
            if found.is_wild or tally.tried < max(LEAST, min(len(one.changes), ENOUGH)):
                continue
            ran |= tally.ran & {*one.own}
            if tally.adds is False and len(tally.failed) >= LEAST:
                found.remarks.append(
                    f"{book.name}, {one.name}: its hidden tests refuse no change that the visible ones let through"
                )
        for number in sorted(ran - failing):
            found.findings.append(f"{book.name}, {book.id_of(number)}: no change of the solution fails this test")
    found.survivors.sort(key=lambda one: (one.rank, one.notebook, one.exercise, one.line, one.key))
    stale = [key for key in known.keys() - every if not key.startswith(wild.WILD)]
    if stale and not found.is_wild:
        lapsed = many(len(stale), "mark is", "marks are")
        found.remarks.append(f"{file}: {lapsed} for solutions that have changed")
