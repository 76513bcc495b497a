"""What the terminal says of a graded class: a table, what needs a look, and where the report is."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from nbproctor.commands.terminal import console, on_terminal, say
from nbproctor.result import ExerciseResult, Result
from nbproctor.text import Clean, shown


def summary(results: list[Result], strays: Sequence[Clean], folder: Path, seconds: float) -> None:
    units = sorted({result.unit for result in results})
    console.print(_unit_table(results, units) if len(units) > 1 else _class_table(results))
    for stray in strays:
        say(f"not graded: {stray}", "red")
    for result in results:
        if result.reasons:
            say(f"look at {result.student}, {result.unit}: {'; '.join(result.reasons)}", "yellow")
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
        table.add_row(on_terminal(shown(result.student, 40)), *marks, score, f"{result.seconds:.2f}")
    return table


MARKS = {"passed": ("green", ""), "failed": ("yellow", ""), "not implemented": ("dim", "·"), "missing": ("dim", "?"),
         "error": ("red", "!"), "refused": ("red", "✗"), "timeout": ("red", "⏱"), "died": ("red", "†")}  # fmt: skip


def _mark(report: ExerciseResult) -> str:
    colour, sign = MARKS[report.status]
    return f"[{colour}]{f'{report.points:g}' if report.points or not sign else sign}[/]"
