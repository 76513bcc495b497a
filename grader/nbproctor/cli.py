"""The command line: `nbproctor grade`, `nbproctor release`, `nbproctor answers`."""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from nbproctor import answers as answer_bank
from nbproctor import batch, classroom, sample, sandbox
from nbproctor.course import ROOT, CourseError, Unit, load_unit, unit_names
from nbproctor.limits import CELL_S, SUBMISSION_S, Limits
from nbproctor.result import ExerciseResult, Result
from nbproctor.store import Store
from nbproctor.submission import Submission
from nbproctor.text import line, shown

NEEDS_A_LOOK = 3
CORES = os.cpu_count() or 1
app = typer.Typer(no_args_is_help=True, add_completion=False, help="Grade a class of nbgrader notebooks honestly.")
console = Console()

Draws = Annotated[
    int, typer.Option(help="Try natively instead, without the grader, every check under this many random draws.")
]
Unsafe = Annotated[bool, typer.Option("--unsafe", help="Go on without the sandbox where a layer of it is missing.")]
Workers = Annotated[
    int, typer.Option(min=1, help="Submissions graded at once. By default, as many as there are cores.")
]
Names = Annotated[list[str] | None, typer.Argument(help="Units, such as 03_self_attention. By default, all.")]


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Turn what we can name into one line on stderr and exit code 2; anything else is a bug and shows its traceback."""
    try:
        yield
    except (CourseError, batch.GraderError, classroom.ClassroomError, sandbox.LayerMissing) as error:
        print(f"nbproctor: {line(str(error), 600)}", file=sys.stderr)
        raise typer.Exit(2) from error


@app.command()
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
        is_sample = not submissions and not strays
        if is_sample:
            folder = folder / "sample"
            console.print("No submissions in classroom/submitted: grading a sample class of 24 instead.")
            classroom.prepare(folder)
            shutil.rmtree(folder / "submitted", ignore_errors=True)
            sample.write_sample({name: load_unit(name) for name in units or unit_names()}, folder / "submitted")
            submissions, strays = classroom.find(folder, units)
        classroom.prepare(folder)
        loaded = {name: load_unit(name) for name in sorted({one.unit for one in submissions})}
        _check_gradebook(folder)
        job = _Job(loaded, submissions, Limits(cell_s, submission_s), not unsafe, folder, regrade)
        results = _with_progress(job, workers)
        recorded = _record(results, loaded, folder)
        _summary(results, strays, folder, time.monotonic() - start)
    if not is_sample and (strays or not recorded or any(result.reasons for result in results)):
        raise typer.Exit(NEEDS_A_LOOK)


@dataclass(frozen=True)
class _Job:
    """What `grade` is asked to do."""

    units: dict[str, Unit]
    submissions: list[Submission]
    limits: Limits
    sandboxed: bool
    folder: Path
    regrade: bool


def _check_gradebook(folder: Path) -> None:
    """Before the first student is graded. Ends the command where the gradebook cannot be written."""
    from nbproctor.gradebook import GradebookError  # nbgrader takes a second to import

    try:
        classroom.check_gradebook(folder)
    except GradebookError as error:
        print(f"nbproctor: {error}", file=sys.stderr)
        raise typer.Exit(2) from error


def _record(results: list[Result], units: dict[str, Unit], folder: Path) -> bool:
    """Write the class's files. False where the gradebook did not take the scores; one line says so."""
    from nbproctor.gradebook import GradebookError

    try:
        for note in classroom.record(results, units, folder):
            _say(f"gradebook: {note}", "yellow")
    except GradebookError as error:
        _say(f"the gradebook has not got these scores: {error}. All else is written.", "red")
        return False
    return True


def _with_progress(job: _Job, workers: int) -> list[Result]:
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
        progress.update(bar, advance=1, now=escape(f"{shown(result.student)} {result.unit}"))

    def write(result: Result, one: Submission) -> None:
        classroom.write_files(result, one, job.units[one.unit], job.folder)

    store = Store(job.folder / "results", fresh=job.regrade)
    try:
        with Progress(*columns, console=console) as progress:
            bar = progress.add_task("", total=len(job.submissions), now="")
            return batch.grade(job.units, job.submissions, workers, job.limits, job.sandboxed, show, write, store)
    except KeyboardInterrupt as error:
        told = f"stopped; {kept} of {len(job.submissions)} results are kept, and the same command goes on from there"
        print(f"nbproctor: {told}", file=sys.stderr)
        raise typer.Exit(130) from error


def _say(text: str, style: str = "") -> None:
    """One line on the console; text of students' is harmless in it."""
    console.print(escape(line(shown(text), 400)), style=style, soft_wrap=True)


def _summary(results: list[Result], strays: list[str], folder: Path, seconds: float) -> None:
    units = sorted({result.unit for result in results})
    console.print(_unit_table(results, units) if len(units) > 1 else _class_table(results))
    for stray in strays:
        _say(f"not graded: {stray}", "red")
    for result in results:
        if result.reasons:
            _say(f"look at {result.student}, {result.unit}: {'; '.join(result.reasons)}", "yellow")
    sat = [result for result in results if result.status == "graded"]
    layers = next((result.layers for result in sat), None)
    sandboxed = "" if layers is None else f" Sandbox: {', '.join(layers) or '[red]none[/]'}."
    console.print(f"{len(results)} submissions in {seconds:.1f} s.{sandboxed}", soft_wrap=True)
    console.print(f"Report: {folder / 'report' / 'index.html'}", soft_wrap=True)


def _unit_table(results: list[Result], units: list[str]) -> Table:
    """A line for each unit: how many, how they did, how long it took."""
    table = Table(header_style="bold")
    for title in ("unit", "graded", "not", "median", "all points", "s each"):
        table.add_column(title, justify="left" if title == "unit" else "right", no_wrap=True)
    for unit in units:
        mine = [result for result in results if result.unit == unit]
        shares = [r.score / r.max_score if r.max_score else 0.0 for r in mine if r.status == "graded"]
        median = f"{100 * statistics.median(shares):.0f} %" if shares else "–"
        each = f"{statistics.fmean(result.seconds for result in mine):.2f}"
        full = str(sum(share >= 1 for share in shares))
        table.add_row(unit, str(len(shares)), str(len(mine) - len(shares)), median, full, each)
    return table


def _class_table(results: list[Result]) -> Table:
    """A line for each student of one unit: points for each exercise by its number, which the caption explains."""
    names = next(([e.name for e in r.exercises] for r in results if r.exercises), [])
    key = ", ".join(f"{number} {name}" for number, name in enumerate(names, 1))
    table = Table(title=results[0].unit if results else "", title_justify="left", header_style="bold")
    table.caption, table.caption_justify = key, "left"
    table.add_column("student", overflow="ellipsis", no_wrap=True, ratio=1)
    for number in range(1, len(names) + 1):
        table.add_column(str(number), justify="right", no_wrap=True)
    table.add_column("score", justify="right", style="bold", no_wrap=True)
    table.add_column("s", justify="right", style="dim", no_wrap=True)
    for result in results:
        marks = [_mark(report) for report in result.exercises] or [""] * len(names)
        score = f"{result.score:g}/{result.max_score:g}" if result.status == "graded" else "–"
        table.add_row(escape(shown(result.student)[:40]), *marks, score, f"{result.seconds:.2f}")
    return table


MARKS = {"passed": ("green", ""), "failed": ("yellow", ""), "not implemented": ("dim", "·"), "missing": ("dim", "?"),
         "error": ("red", "!"), "refused": ("red", "✗"), "timeout": ("red", "⏱"), "died": ("red", "†")}  # fmt: skip


def _mark(report: ExerciseResult) -> str:
    colour, sign = MARKS[report.status]
    return f"[{colour}]{f'{report.points:g}' if report.points or not sign else sign}[/]"


@app.command("release")
def release_command() -> None:
    """Make course/ from solutions/: nbgrader's own preprocessors, badges in, solutions and hidden tests out."""
    from nbproctor.release import release  # nbgrader takes a second to import

    with one_line_errors():
        changed = release()
        console.print(f"course/: {', '.join(changed) if changed else 'nothing to change'}")


@app.command()
def answers(units: Names = None, workers: Workers = CORES, unsafe: Unsafe = False, draws: Draws = 0) -> None:
    """Grade every right and wrong answer of the bank, and say which did not get what it should. Exit code 1 if any."""
    from nbproctor import trial  # torch takes seconds to import

    with one_line_errors(), tempfile.TemporaryDirectory() as scratch:
        loaded = {name: load_unit(name) for name in units or unit_names()}
        all_answers = [answer for unit in loaded.values() for answer in answer_bank.bank(unit)]
        start = time.monotonic()
        if draws:
            troubles = trial.natively(loaded, all_answers, draws, workers)
        else:
            troubles = trial.examine(loaded, all_answers, Path(scratch), workers, not unsafe)
        for line in troubles + [line for unit in loaded.values() for line in answer_bank.thin(unit)]:
            console.print(escape(line), soft_wrap=True)
        console.print(f"{len(all_answers)} answers, {len(troubles)} troubles, {time.monotonic() - start:.1f} s")
    if troubles:
        raise typer.Exit(1)
