"""The command line: `nbproctor grade`, `nbproctor release`, `nbproctor answers`."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from nbproctor import answers as answer_bank
from nbproctor import batch, classroom, sample, sandbox
from nbproctor.course import ROOT, CourseError, Unit, load_unit, unit_names
from nbproctor.limits import CELL_S, SUBMISSION_S, Limits

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
        print(f"nbproctor: {error}", file=sys.stderr)
        raise typer.Exit(2) from error
    except KeyboardInterrupt as error:
        print("nbproctor: stopped; nothing was recorded", file=sys.stderr)
        raise typer.Exit(130) from error


@app.command()
def grade(
    units: Names = None,
    folder: Annotated[
        Path, typer.Option("--classroom", help="Where submitted/STUDENT/UNIT/UNIT.ipynb lie, and the results go.")
    ] = ROOT / "classroom",
    workers: Workers = CORES,
    cell_s: Annotated[float, typer.Option(help="Seconds for one cell of a student, or one check of it.")] = CELL_S,
    submission_s: Annotated[float, typer.Option(help="Seconds for one whole submission.")] = SUBMISSION_S,
    unsafe: Unsafe = False,
) -> None:
    """Grade a class: the one in classroom/submitted, or a sample class of 24 if that is empty.

    Each submission runs in a sandboxed process; its verdict is computed in another that never runs a line of it. Ours
    are the checks, points and setup; theirs are only the answers. What loops, crashes or cheats costs its own exercise.

    Written into the classroom: gradebook.db and autograded/ (nbgrader's own, for formgrader and export), feedback/ (a
    page per student), report/index.html (scores, misconceptions, what needs a look), report/scores.csv, results.json.

    Exit code: 0 all graded, 2 could not start (one line says why), 3 graded, and something in it needs a look.
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
        results = _with_progress(loaded, submissions, workers, Limits(cell_s, submission_s), not unsafe, folder)
        classroom.record(results, loaded, folder)
        for name, unit in loaded.items():
            console.print(_table(unit, [result for result in results if result["unit"] == name]))
        _summary(results, strays, folder, time.monotonic() - start)
    if not is_sample and (strays or any(classroom.needs_a_look(result) for result in results)):
        raise typer.Exit(NEEDS_A_LOOK)


def _with_progress(
    loaded: dict[str, Unit],
    submissions: list[batch.Submission],
    workers: int,
    limits: Limits,
    sandboxed: bool,
    folder: Path,
) -> list[dict[str, Any]]:
    columns = (
        TextColumn("grading"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[now]}"),
    )
    with Progress(*columns, console=console) as progress:
        bar = progress.add_task("", total=len(submissions), now="")

        def show(result: dict[str, Any]) -> None:
            progress.update(bar, advance=1, now=escape(f"{result['student']} {result['unit']}"))

        def write(result: dict[str, Any], one: batch.Submission) -> None:
            classroom.write_files(result, one, loaded[one.unit], folder)

        return batch.grade(loaded, submissions, workers, limits, sandboxed, show, write)


def _table(unit: Unit, results: list[dict[str, Any]]) -> Table:
    table = Table(title=unit.name, title_justify="left", header_style="bold")
    table.add_column("student", no_wrap=True)
    for exercise in unit.exercises:
        table.add_column(exercise.name, justify="right", overflow="fold")
    table.add_column("score", justify="right", style="bold")
    table.add_column("s", justify="right", style="dim")
    for result in results:
        marks = [_mark(report) for report in result["exercises"]] or [""] * len(unit.exercises)
        name = escape("".join(c if c.isprintable() else "?" for c in result["student"])[:40])
        table.add_row(name, *marks, f"{result['score']:g}/{result['max_score']:g}", f"{result['seconds']:.2f}")
    return table


def _mark(report: dict[str, Any]) -> str:
    points = sum(check["points"] for check in report["checks"])
    colour = {"passed": "green", "failed": "yellow", "not implemented": "dim"}.get(report["status"], "red")
    word = {"passed": f"{points:g}", "failed": f"{points:g}", "not implemented": "·"}.get(
        report["status"], report["status"]
    )
    return f"[{colour}]{word}[/]"


def _summary(results: list[dict[str, Any]], strays: list[str], folder: Path, seconds: float) -> None:
    for stray in strays:
        console.print(f"not graded: {escape(stray)}", style="red")
    for result in results:
        if told := classroom.reasons(result):
            where = f"look at {result['student']}, {result['unit']}: {'; '.join(told)[:300]}"
            console.print(escape(where), style="yellow", soft_wrap=True)
    layers = results[0]["layers"] if results else []
    sandboxed = f"Sandbox: {', '.join(layers) or '[red]none[/]'}."
    console.print(f"{len(results)} submissions in {seconds:.1f} s. {sandboxed}", soft_wrap=True)
    console.print(f"Report: {folder / 'report' / 'index.html'}", soft_wrap=True)


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
