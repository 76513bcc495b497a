"""Tells a person or a script about a graded class: the scores, what needs a look, and where the report is."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from nbproctor.cli.terminal import console, say
from nbproctor.values.grades import Grades, called, counted, lacking, names, points_of
from nbproctor.values.result import Result, is_empty
from nbproctor.values.submission import Remark
from nbproctor.values.text import Clean, clean, joined, line, many, shown

NEEDS_A_LOOK = 3
ROWS_MOST = 60  # students whose scores are shown; more are in the report
LINES_MOST = 12  # of what needs a look; the rest is in the report
NAMES_MOST = 3  # in one line about several students
UNGRADED, UNWRITTEN, ABSENT = "?", "·", "–"
SIGNS = {"0": "wrong", UNWRITTEN: "nothing written", UNGRADED: "not graded", ABSENT: "not handed in"}
NARROWEST = 8  # columns for a student's name


@dataclass(frozen=True)
class Graded:
    """A class that was graded, and all that is said about it.

    grades: the grades in the gradebook, manual scores included. new: how many submissions had to be graded in this
    run. is_alone: whether one student was graded, and the
    report was left as it was.
    """

    results: tuple[Result, ...]
    remarks: tuple[Remark, ...]
    grades: Grades
    folder: Path
    seconds: float
    is_sample: bool
    new: int
    is_alone: bool = False

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
        say(f"The scores of {many(len(students), 'student')} are in the report.")
    who = names(graded.grades)
    for one_line in _grouped(((one.text, one.where) for one in graded.remarks if not one.look), who):
        say(one_line, "dim")
    reasons: dict[Clean, list[Clean]] = defaultdict(list)
    for reason, where in graded.to_look_at:
        reasons[where].append(reason)
    told = [(line(joined(all_of_it), 1000), where) for where, all_of_it in reasons.items()]
    for one_line in _grouped([*graded.lacking, *told], who):
        say(f"look at {one_line}", "yellow")
    _end(graded)


def _end(graded: Graded) -> None:
    done = sum(result.status == "graded" for result in graded.results)
    new = min(graded.new, done)
    look = len({where for _, where in (*graded.to_look_at, *graded.lacking)})
    parts = [f"{new} graded" if new else "nothing new to grade"]
    parts += [f"{done - new} graded before"] if done > new else []
    parts += [f"{len(graded.results) - done} not gradable"] if done < len(graded.results) else []
    parts += [f"{look} need a look" if look > 1 else "1 needs a look"] if look else []
    sandbox = "" if graded.layers is None else f" Sandbox: {', '.join(graded.layers) or 'none'}."
    told = ", ".join(parts)
    say(f"{told[0].upper()}{told[1:]}, in {graded.seconds:.1f} s.{sandbox}", "red" if graded.layers == () else "")
    if graded.is_alone:
        say("The class's report is as the last run of the whole class left it.")
    elif not any(one.where == "report" for one in graded.remarks):  # such a remark says why it is missing or old
        console.print(Text(f"Report: {graded.report}"), soft_wrap=True)


def _grouped(told: Iterable[tuple[str, str]], who: Mapping[str, str]) -> list[str]:
    """One line for each text, with the places that it is about. Of many lines, the first ones and how many more.

    who: the names of students, which stand behind their ids.
    """
    places: dict[str, list[str]] = defaultdict(list)
    for text, where in told:
        student, slash, rest = where.partition("/")
        places[line(text, 600)].append(f"{called(student, who.get(student, ''))}{slash}{rest}")
    lines = []
    for text, them in places.items():
        named = "; ".join(them[:NAMES_MOST])
        lines.append(f"{named}{f' and {len(them) - NAMES_MOST} more' if len(them) > NAMES_MOST else ''}: {text}")
    if len(lines) > LINES_MOST:
        more = many(len(lines) - LINES_MOST, "more thing")
        lines = [*lines[:LINES_MOST], f"{more} to look at, which the report names"]
    return lines


def _scores(graded: Graded, students: Sequence[Clean], units: Sequence[str]) -> list[Text]:
    """The scores of students × units, and below them what the signs mean."""
    most = {result.unit: f"{result.max_score:g}" for result in graded.results}
    cells: dict[tuple[str, str], str] = {(one.student, one.unit): _cell(one, graded.grades) for one in graded.results}
    titles = [(unit.partition("_")[0] if len(units) > 1 else unit, f"/{most[unit]}") for unit in units]
    columns = [
        [title, of, *(cells.get((student, unit), ABSENT) for student in students)]
        for (title, of), unit in zip(titles, units, strict=True)
    ]
    if len(units) > 1:
        counting = [unit for unit in units if unit in counted(graded.grades)]
        totals = [_total(student, counting, cells, graded.grades) for student in students]
        columns.append(["total", f"/{sum(float(most[unit]) for unit in counting):g}", *totals])
    who = names(graded.grades)
    labels = [shown(f"{student}  {who[student]}" if student in who else student) for student in students]
    there = {cell for column in columns for cell in column[2:]}
    told = [f"{sign} {meant}" for sign, meant in SIGNS.items() if sign in there]
    return [*_table(["student", "", *labels], columns), *([Text("   ".join(told), style="dim")] if told else [])]


def _cell(result: Result, grades: Grades) -> str:
    """Return what the table says of a submission, with the signs of the report's."""
    score = grades[result.student, result.unit].score
    return UNGRADED if score is None else UNWRITTEN if not score and is_empty(result) else f"{score:g}"


def _total(student: str, units: Iterable[str], cells: Mapping[tuple[str, str], str], grades: Grades) -> str:
    """Return the sum of the scores; where there is none, which is not a score of zero, the sign that says why."""
    mine = {unit: cells[student, unit] for unit in units if (student, unit) in cells}
    given = [score for unit in mine if (score := grades[student, unit].score) is not None]
    return f"{sum(given):g}" if given else UNGRADED if mine else ABSENT


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
