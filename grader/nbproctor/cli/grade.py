"""`nbproctor grade`: a class, from what was handed in to the report."""

import shutil
import time
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from nbproctor.classroom import records as classroom
from nbproctor.classroom.alone import exclusive
from nbproctor.classroom.autograded import write_autograded
from nbproctor.cli import sample
from nbproctor.cli.anycourse import course_folder, grade_course, refuse
from nbproctor.cli.progress import progress_bar, reading_bar
from nbproctor.cli.summary import GradedClass, json_line, summary
from nbproctor.cli.terminal import CORES, Names, Unsafe, Workers, console, how, one_line_errors, say
from nbproctor.course.units import load_gradable_unit, unit_names, units_called
from nbproctor.intake import find as intake
from nbproctor.intake.collect import collect
from nbproctor.intake.roster import Roster, read_roster
from nbproctor.intake.systems import all_systems
from nbproctor.paths import ROOT
from nbproctor.run import batch
from nbproctor.run.job import Job
from nbproctor.run.store import Store
from nbproctor.runner import log
from nbproctor.runner.zygote import GraderError
from nbproctor.values.limits import CELL_S, SUBMISSION_S, Limits
from nbproctor.values.result import Result
from nbproctor.values.submission import Remark
from nbproctor.values.text import displayable, line, many

STOPPED = "stopped; what is collected and graded is kept, and the same command continues"
CLASSROOM = ROOT / "classroom"
SYSTEMS = " or ".join(", ".join(sorted(one.title for one in all_systems().values())).rsplit(", ", 1))
DAY_S = 86_400
what = partial(typer.Option, rich_help_panel="What to grade")
shows = partial(typer.Option, rich_help_panel="What to show")


def grade(  # noqa: PLR0913 the options of the command line
    units: Names = None,
    folder: Annotated[
        Path, what("--classroom", help="The folder that holds submitted/STUDENT/UNIT/UNIT.ipynb, and gets the results.")
    ] = CLASSROOM,
    source: Annotated[
        Path | None,
        what(
            "--from",
            help="First copy the notebooks in this archive or folder to submitted/. It is a download from "
            f"{SYSTEMS}, as it came, or has a folder per student, or, with --roster, their ids or names in its paths.",
        ),
    ] = None,
    roster: Annotated[
        Path | None,
        what(
            help="A CSV of the class, which gives each student an id: Canvas's gradebook, Moodle's participants or "
            "grading worksheet, Gradescope's roster, or a file with the columns id, first_name, last_name, email."
        ),
    ] = None,
    course: Annotated[Path | None, what(help="The folder of an nbgrader course. By default, the current one.")] = None,
    workers: Workers = CORES,
    cell_s: Annotated[
        float, how(min=1, max=DAY_S, help="Seconds that one cell, or one check of an answer, may take.")
    ] = CELL_S,
    submission_s: Annotated[
        float,
        how(min=1, max=DAY_S, help="Seconds that one submission may take, and as many again for its hidden checks."),
    ] = SUBMISSION_S,
    unsafe: Unsafe = False,
    regrade: Annotated[
        bool, how("--regrade", "--force", help="Grade everything again, also what has not changed.")
    ] = False,
    scheduler: Annotated[
        str, how(help="Grade on the workers of this dask scheduler instead of here, such as tcp://host:8786.")
    ] = "",
    db_url: Annotated[
        str,
        how(
            "--db",
            help="The gradebook's address, such as postgresql://host/name. By default, the one in the classroom.",
        ),
    ] = "",
    student: Annotated[
        str,
        what(
            help="Grade only this student, and write only their page. The class's report stays as the last run left it."
        ),
    ] = "",
    as_json: Annotated[bool, shows("--json", help="Write one JSON object to stdout, and nothing else.")] = False,
    verbose: Annotated[
        bool, shows("--verbose", help="Log to stderr which process grades which submission, how long, and how it ends.")
    ] = False,
) -> None:
    """Grade a class: that of the nbgrader course in the current folder, or our own course's.

    In a folder with nbgrader_config.py or source/, UNITS are the course's
    assignments. What lies in submitted/ is graded as `nbgrader autograde`
    grades it, into the same gradebook and autograded/, in a sandbox and on
    all cores. What follows is about our own course: the notebooks in
    classroom/submitted, or a sample class.

    Each submission runs in a sandboxed process. Its verdict is computed in
    another process, which never runs a line of the student's code. The
    checks, the points and the setup are yours, and only the answers are
    the student's. An answer that loops, crashes or cheats costs its own
    exercise and nothing else. A submission that has been graded already,
    and has not changed, is not graded again.

    \b
    Examples:
      nbproctor grade                      everything that was handed in
      nbproctor grade 03_self_attention    one unit
      nbproctor grade --from submissions.zip --roster class.csv
      nbproctor grade --json               for a script

    \b
    Written into the classroom:
      report/index.html        scores, misconceptions, what needs a look
      report/*.csv, *.json     the same for other programs
      feedback/                a page for each student
      gradebook.db, autograded/   the files that nbgrader works with
      results/                 each result, written as soon as it exists

    Exit code: 0 if everything is graded, 2 if grading could not start (one
    line says why), 3 if the class is graded and something needs a look, 130
    if you pressed Ctrl-C (what was graded is kept). `make grade` treats 3
    as a success.
    """
    console.quiet = as_json
    if verbose:
        log.write_to_stderr()
    with one_line_errors(STOPPED):
        other = course_folder(course)
    if other is not None:
        own = {"--from": source, "--roster": roster, "--db": db_url, "--classroom": folder != CLASSROOM}
        refuse({**own, "--cell-s": cell_s != CELL_S, "--submission-s": submission_s != SUBMISSION_S})
        return grade_course(other, units or (), (student, workers, regrade, not unsafe, scheduler), as_json)
    with one_line_errors(STOPPED), ExitStack() as locks:
        start = time.monotonic()
        known = read_roster(roster) if roster is not None else None
        units = units_called(units or ())
        what_for = f"{', '.join(units) or 'all units'}{f' of {student}' if student else ''}"
        if source is not None:
            locks.enter_context(exclusive(folder, what_for))
        remarks = _collected(source, known, folder, units)
        with reading_bar() as on_progress:
            found = intake.find(folder, units, on_progress, student)
        is_empty = not (found.submissions or found.remarks or found.others)
        is_sample = is_empty and source is None and not student and folder.resolve() == CLASSROOM.resolve()
        if student and not found.submissions:
            raise intake.IntakeError(_no_such_student(student, folder))
        found = replace(found, remarks=(*remarks, *found.remarks))
        if is_sample:
            folder, db_url = folder / "sample", ""
            found = _sample(folder, units, locks)
        _refuse_nothing_to_grade(found, units, folder)
        loaded = {name: load_gradable_unit(name) for name in sorted({one.unit for one in found.submissions})}
        if source is None and not is_sample:
            locks.enter_context(exclusive(folder, what_for))
        store = Store(folder / "results", fresh=regrade)
        check = partial(classroom.check_gradebook, folder, db_url)
        job = Job(loaded, list(found.submissions), Limits(cell_s, submission_s), not unsafe, store, check=check,
                  write=lambda result, one: write_autograded(result, loaded[one.unit], folder))  # fmt: skip
        results = _with_progress(job, workers, scheduler)
        more = (*intake.foreign_cells(results, found.submissions), *intake.absent_exercises(results))
        people = tuple(known.people.values()) if known and not student else ()
        grades, of_record = classroom.record(results, loaded, folder, db_url, (*found.remarks, *more), people, student)
        remarks = (*found.remarks, *intake.unanswered(results), *more, *of_record)
        seconds = time.monotonic() - start
        graded = GradedClass(tuple(results), remarks, grades, folder, seconds, is_sample, job.new, bool(student))
        summary(graded)
    if as_json:
        print(json_line(graded))
    if graded.exit_code:
        raise typer.Exit(graded.exit_code)


def _no_such_student(student: str, folder: Path) -> str:
    there = ", ".join(sorted(path.name for path in (folder / "submitted").glob("*/")))
    return f"{folder / 'submitted'}: nothing of student {student!r}; there is {line(there, 300) or 'nobody'}"


def _collected(source: Path | None, roster: Roster | None, folder: Path, units: list[str]) -> tuple[Remark, ...]:
    """Collect the download that `--from` names, if any, and say how many notebooks it had."""
    if source is None:
        if roster is not None:
            raise intake.IntakeError("--roster says who is who in what --from collects; give both")
        return ()
    result = collect(source, folder, roster, units)
    again = f", {result.known} lay there before" if result.known else ""
    say(f"{source}: {many(result.new, 'notebook')} collected into {folder / 'submitted'}{again}.")
    return tuple(result.remarks)


def _sample(folder: Path, units: list[str], locks: ExitStack) -> intake.FoundSubmissions:
    """Write the sample class anew, and keep other runs out of it. Returns its submissions."""
    say(f"No submissions in {CLASSROOM / 'submitted'}: grading a sample class of 24 instead.")
    loaded = {name: load_gradable_unit(name) for name in units or unit_names()}
    locks.enter_context(exclusive(folder, "the sample class"))
    shutil.rmtree(folder / "submitted", ignore_errors=True)
    sample.write_sample(loaded, folder / "submitted")
    return intake.find(folder, units)


def _refuse_nothing_to_grade(found: intake.FoundSubmissions, units: list[str], folder: Path) -> None:
    """Raise IntakeError if there is nothing to grade, and say what was handed in instead."""
    if found.submissions:
        return
    for remark in found.remarks:
        say(f"{remark}", "yellow")
    if found.others:
        there = ", ".join(f"{count} of {unit}" for unit, count in found.others)
        raise intake.IntakeError(f"nobody has handed in {', '.join(units or unit_names())}. Handed in: {there}")
    why = "; ".join(str(remark) for remark in found.remarks[:3]) or "expected STUDENT/UNIT/UNIT.ipynb there"
    todo = "put what was handed in there, collect it with --from, or give another --classroom"
    raise intake.IntakeError(f"{folder / 'submitted'}: nothing to grade: {why}; {todo}")


def _with_progress(job: Job, workers: int, scheduler: str) -> list[Result]:
    """Grade the class with a progress bar. Raises GraderError if dask.distributed is needed and not installed."""
    with progress_bar(len(job.submissions)) as advance:

        def show(result: Result) -> None:
            advance(displayable(f"{result.student} {result.unit}"))

        if not scheduler:
            return batch.run(job, workers, show)
        try:
            from nbproctor.run import cluster
        except ModuleNotFoundError as error:
            text = f"--scheduler needs the package {error.name}, which is not installed; run `make setup`"
            raise GraderError(text) from error
        return cluster.run(job, scheduler, show)
