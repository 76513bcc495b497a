"""Tells a person or a script about a graded class: the scores, what needs a look, and where the report is."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from nbproctor.cli.terminal import console, say
from nbproctor.values.grades import Grades, counted, lacking, points_of
from nbproctor.values.result import Result
from nbproctor.values.submission import Remark
from nbproctor.values.text import Clean, clean, line, shown

NEEDS_A_LOOK = 3
ROWS_MOST = 60  # students whose scores are shown; more are in the report
LINES_MOST = 12  # of what needs a look; the rest is in the report
NAMES_MOST = 3  # in one line about several students
NARROWEST = 8  # columns for a student's name


@dataclass(frozen=True)
class Graded:
    """A class that was graded, and all that is said about it.

    grades: the grades in the gradebook, manual scores included.
    """

    results: tuple[Result, ...]
    remarks: tuple[Remark, ...]
    grades: Grades
    folder: Path
    seconds: float
    is_sample: bool

    @property
    def layers(self) -> tuple[str, ...] | None:
        """The sandbox's layers; None where no student's code ran."""
        return next((result.layers for result in self.results if result.status == "graded"), None)

    @property
    def to_look_at(self) -> list[tuple[Clean, Clean]]:
        """(what, where) for each thing that somebody should look at."""
        found = [(reason, _place(one)) for one in self.results for reason in one.reasons]
        return found + [(remark.text, remark.where) for remark in self.remarks if remark.look]

    @property
    def lacking(self) -> list[tuple[Clean, Clean]]:
        """(what this machine lacks, where it is needed), with the same text for all who need the same."""
        found = lacking(self.results, self.grades)
        return [
            (lack, where) for lack, them in found.items() for where in dict.fromkeys(_place(one) for one, _ in them)
        ]

    @property
    def exit_code(self) -> int:
        """The command's exit code. A sample class always holds submissions that need a look, so these do not count."""
        look = self.to_look_at or self.lacking
        return NEEDS_A_LOOK if look and not self.is_sample else 0

    @property
    def report(self) -> Path:
        return self.folder / "report" / "index.html"


def _place(result: Result) -> Clean:
    return clean(f"{result.student}/{result.unit}")


def json_line(graded: Graded) -> str:
    """The class as one JSON object; grader/docs/class.md says what is in it."""
    return json.dumps(
        {
            "exit_code": graded.exit_code,
            "sample": graded.is_sample,
            "seconds": round(graded.seconds, 2),
            "sandbox": None if graded.layers is None else list(graded.layers),
            "report": str(graded.report),
            "results": [_json_result(graded, result) for result in graded.results],
            "remarks": [{"where": one.where, "text": one.text, "look": one.look} for one in graded.remarks],
        }
    )


def _json_result(graded: Graded, result: Result) -> dict[str, Any]:
    grade = graded.grades[result.student, result.unit]
    return {
        "student": result.student,
        "unit": result.unit,
        "status": result.status,
        "score": grade.score,
        "max_score": result.max_score,
        "submitted": result.submitted,
        "reasons": [*result.reasons, *result.lacks],
        "exercises": {
            one.name: points_of(grade.of(check.grade_id for check in one.checks)) for one in result.exercises
        },
    }


def summary(graded: Graded) -> None:
    """Print for a person: the scores, what a rule has settled, what needs a look, and a last line that sums it up."""
    units = sorted({result.unit for result in graded.results})
    students = sorted({result.student for result in graded.results})
    if len(students) <= ROWS_MOST:
        for text in _scores(graded, students, units):
            console.print(text, soft_wrap=True)
    else:
        say(f"The scores of {len(students)} students are in the report.")
    for one_line in _grouped((one.text, one.where) for one in graded.remarks if not one.look):
        say(one_line, "dim")
    reasons: dict[Clean, list[Clean]] = defaultdict(list)
    for reason, where in graded.to_look_at:
        reasons[where].append(reason)
    joined = [(line("; ".join(all_of_it), 1000), where) for where, all_of_it in reasons.items()]
    for one_line in _grouped([*graded.lacking, *joined]):
        say(f"look at {one_line}", "yellow")
    _end(graded)


def _end(graded: Graded) -> None:
    done = sum(result.status == "graded" for result in graded.results)
    look = len({where for _, where in (*graded.to_look_at, *graded.lacking)})
    parts = [f"{done} graded"]
    parts += [f"{len(graded.results) - done} not gradable"] if done < len(graded.results) else []
    parts += [f"{look} need a look" if look > 1 else "1 needs a look"] if look else []
    sandbox = "" if graded.layers is None else f" Sandbox: {', '.join(graded.layers) or 'none'}."
    say(f"{', '.join(parts)}, in {graded.seconds:.1f} s.{sandbox}", "red" if graded.layers == () else "")
    if not any(one.where == "report" for one in graded.remarks):  # such a remark says why it is missing or old
        console.print(Text(f"Report: {graded.report}"), soft_wrap=True)


def _grouped(told: Iterable[tuple[str, str]]) -> list[str]:
    """One line for each text, with the places that it is about. Of many lines, the first ones and how many more."""
    places: dict[str, list[str]] = defaultdict(list)
    for text, where in told:
        places[line(text, 600)].append(where)
    lines = []
    for text, them in places.items():
        named = "; ".join(them[:NAMES_MOST])
        lines.append(f"{named}{f' and {len(them) - NAMES_MOST} more' if len(them) > NAMES_MOST else ''}: {text}")
    if len(lines) > LINES_MOST:
        lines = [*lines[:LINES_MOST], f"{len(lines) - LINES_MOST} more things, which the report names"]
    return lines


def _scores(graded: Graded, students: Sequence[Clean], units: Sequence[str]) -> list[Text]:
    """The scores of students × units."""
    most = {result.unit: f"{result.max_score:g}" for result in graded.results}
    scores = {(one.student, one.unit): graded.grades[one.student, one.unit].score for one in graded.results}
    cells = {place: "!" if score is None else f"{score:g}" for place, score in scores.items()}
    titles = [(unit.partition("_")[0] if len(units) > 1 else unit, f"/{most[unit]}") for unit in units]
    columns = [
        [title, of, *(cells.get((student, unit), "–") for student in students)]
        for (title, of), unit in zip(titles, units, strict=True)
    ]
    if len(units) > 1:
        counting = [unit for unit in units if unit in counted(graded.grades)]
        totals = [_total([scores.get((student, unit)) for unit in counting]) for student in students]
        columns.append(["total", f"/{sum(float(most[unit]) for unit in counting):g}", *totals])
    lines = _table(["student", "", *(shown(student) for student in students)], columns)
    return [*lines, Text("! not gradable", style="dim")] if "!" in cells.values() else lines


def _total(scores: Sequence[float | None]) -> str:
    """Return the sum of the scores; "!" where there is none, which is not a score of zero."""
    given = [score for score in scores if score is not None]
    return f"{sum(given):g}" if given else "!"


def _table(names: Sequence[str], columns: Sequence[Sequence[str]]) -> list[Text]:
    """The lines of a table whose first column has names, which may be cut; the columns of numbers are never cut."""
    widths = [max(cell_len(cell) for cell in column) + 2 for column in columns]  # in cells: some characters take two
    first = min(max(cell_len(name) for name in names), max(NARROWEST, console.width - sum(widths)))
    lines = []
    for row, name in enumerate(names):
        cut = set_cell_size(name, first) if cell_len(name) <= first else f"{set_cell_size(name, first - 1)}…"
        text = Text(cut, style="bold" if row == 0 else "")
        for width, column in zip(widths, columns, strict=True):
            text.append(
                " " * (width - cell_len(column[row])) + column[row],
                style="bold" if row == 0 else "dim" if row == 1 else "",
            )
        lines.append(text)
    return lines
