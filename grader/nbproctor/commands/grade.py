"""`nbproctor grade`: a class, from what was handed in to the report."""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from nbproctor import batch, classroom, sample
from nbproctor.commands.summary import summary
from nbproctor.commands.terminal import CORES, Names, Unsafe, Workers, console, on_terminal, one_line_errors, say
from nbproctor.course import ROOT, Unit, load_unit, unit_names
from nbproctor.job import Job
from nbproctor.limits import CELL_S, SUBMISSION_S, Limits
from nbproctor.result import Result
from nbproctor.similar import with_likeness
from nbproctor.store import Store
from nbproctor.submission import Submission
from nbproctor.text import shown

NEEDS_A_LOOK = 3


def grade(  # noqa: PLR0913 the options of the command line
    units: Names = None,
    folder: Annotated[
        Path, typer.Option("--classroom", help="Where submitted/STUDENT/UNIT/UNIT.ipynb lie, and the results go.")
    ] = ROOT / "classroom",
    workers: Workers = CORES,
    cell_s: Annotated[float, typer.Option(help="Seconds for one cell of a student, or one check of it.")] = CELL_S,
    submission_s: Annotated[float, typer.Option(help="Seconds for one whole submission.")] = SUBMISSION_S,
    unsafe: Unsafe = False,
    regrade: Annotated[bool, typer.Option("--regrade", help="Grade again also what is graded already.")] = False,
    scheduler: Annotated[
        str, typer.Option(help="Grade on the workers of this dask scheduler, such as tcp://host:8786, not here.")
    ] = "",
    db_url: Annotated[
        str, typer.Option("--db", help="The gradebook, such as postgresql://user@host/name. By default, classroom's.")
    ] = "",
    student: Annotated[str, typer.Option(help="Grade this student alone; report and pages of the others stay.")] = "",
) -> None:
    """Grade a class: the one in classroom/submitted, or a sample class of 24 if that is empty.

    Each submission runs in a sandboxed process; its verdict is computed in another that never runs a line of it. Ours
    are the checks, points and setup; theirs are only the answers. What loops, crashes or cheats costs its own exercise.

    Written into the classroom: results/ (each result as soon as there is one; what is there and has not changed is not
    graded again), gradebook.db and autograded/ (nbgrader's own, for formgrader and export), feedback/ (a page per
    student), report/index.html (scores, misconceptions, what needs a look), report/scores.csv, results.json.

    Exit code: 0 all graded, 2 could not start (one line says why), 3 graded, and something in it needs a look, 130
    stopped by Ctrl-C (what was graded is kept).
    """
    with one_line_errors():
        start = time.monotonic()
        submissions, strays = classroom.find(folder, units)
        if student:
            submissions, strays = _of(student, submissions, folder), []
        is_sample = not submissions and not strays
        if is_sample:
            folder, db_url = folder / "sample", ""
            console.print("No submissions in classroom/submitted: grading a sample class of 24 instead.")
            classroom.prepare(folder)
            shutil.rmtree(folder / "submitted", ignore_errors=True)
            sample.write_sample({name: load_unit(name) for name in units or unit_names()}, folder / "submitted")
            submissions, strays = classroom.find(folder, units)
        classroom.prepare(folder)
        loaded = {name: load_unit(name) for name in sorted({one.unit for one in submissions})}
        _check_gradebook(folder, db_url)
        store = Store(folder / "results", fresh=regrade)

        def write(result: Result, one: Submission) -> None:
            classroom.write_files(result, one, loaded[one.unit], folder)

        job = Job(loaded, submissions, Limits(cell_s, submission_s), not unsafe, store, write)
        results = with_likeness(_with_progress(job, workers, scheduler), loaded)
        recorded = _record(results, loaded, folder, db_url)
        summary(results, strays, folder, time.monotonic() - start)
    if not is_sample and (strays or not recorded or any(result.reasons for result in results)):
        raise typer.Exit(NEEDS_A_LOOK)


def _of(student: str, submissions: list[Submission], folder: Path) -> list[Submission]:
    """The submissions of one student. Raises ClassroomError where there are none."""
    theirs = [one for one in submissions if one.student == student]
    if not theirs:
        known = ", ".join(sorted({one.student for one in submissions})) or "nobody"
        raise classroom.ClassroomError(f"{folder / 'submitted'}: nothing of student {student!r}; there is {known}")
    return theirs


def _check_gradebook(folder: Path, db_url: str) -> None:
    """Before the first student is graded. Ends the command where the gradebook cannot be written."""
    from nbproctor.gradebook import GradebookError  # nbgrader takes a second to import

    try:
        classroom.check_gradebook(folder, db_url)
    except GradebookError as error:
        print(f"nbproctor: {error}", file=sys.stderr)
        raise typer.Exit(2) from error


def _record(results: list[Result], units: dict[str, Unit], folder: Path, db_url: str) -> bool:
    """Write the class's files. False where the gradebook did not take the scores; one line says so."""
    from nbproctor.gradebook import GradebookError

    try:
        for note in classroom.record(results, units, folder, db_url):
            say(f"gradebook: {note}", "yellow")
    except GradebookError as error:
        say(f"the gradebook has not got these scores: {error}. All else is written.", "red")
        return False
    return True


def _with_progress(job: Job, workers: int, scheduler: str) -> list[Result]:
    """Grade the class with a bar that moves. On Ctrl-C says what is kept, and ends with exit code 130."""
    columns = (
        TextColumn("grading"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[now]}"),
    )
    kept = 0

    def show(result: Result) -> None:
        nonlocal kept
        kept += bool(result.key)
        progress.update(bar, advance=1, now=on_terminal(shown(f"{result.student} {result.unit}")))

    try:
        with Progress(*columns, console=console) as progress:
            bar = progress.add_task("", total=len(job.submissions), now="")
            return _cluster().run(job, scheduler, show) if scheduler else batch.run(job, workers, show)
    except KeyboardInterrupt as error:
        told = f"stopped; {kept} of {len(job.submissions)} results are kept, and the same command goes on from there"
        print(f"nbproctor: {told}", file=sys.stderr)
        raise typer.Exit(130) from error


def _cluster() -> ModuleType:
    """The room of many machines. Raises GraderError where dask.distributed, an optional package, is not installed."""
    try:
        from nbproctor import cluster
    except ModuleNotFoundError as error:
        told = (
            f"--scheduler needs the package {error.name}, which is not installed; run `make setup`, which installs it"
        )
        raise batch.GraderError(told) from error
    return cluster
