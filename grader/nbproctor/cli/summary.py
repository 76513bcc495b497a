"""Reports a graded class to a person or a script: the scores, what needs a look, and where the report is."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from nbproctor.cli.terminal import console, say
from nbproctor.values.grades import Grades, counting_units, label, lacking, names, points_of
from nbproctor.values.result import Result, is_empty
from nbproctor.values.submission import Remark
from nbproctor.values.text import Clean, clean, displayable, joined, line, many

NEEDS_A_LOOK = 3
ROWS_MOST = 60  # students whose scores are shown; more are in the report
LINES_MOST = 12  # of what needs a look; the rest is in the report
NAMES_MOST = 3  # in one line about several students
UNGRADED, UNWRITTEN, ABSENT = "?", "·", "–"
SIGNS = {"0": "wrong", UNWRITTEN: "nothing written", UNGRADED: "not graded", ABSENT: "not handed in"}
NARROWEST = 8  # columns for a student's name


@dataclass(frozen=True)
class GradedClass:
    """A graded class. new: how many submissions this run graded. is_alone: only one student, and no new report."""

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
        """The sandbox's layers; None if no student's code ran."""
        return next((result.layers for result in self.results if result.status == "graded"), None)

    @property
    def to_look_at(self) -> list[tuple[Clean, Clean]]:
        """(reason, student/unit or file) for each thing that somebody should look at."""
        found = [(reason, _place(one)) for one in self.results for reason in one.reasons]
        return found + [(remark.text, remark.where) for remark in self.remarks if remark.needs_look]

    @property
    def lacking(self) -> list[tuple[Clean, Clean]]:
        """(what this machine lacks, where it is needed), with the same text for all who need the same."""
        found = lacking(self.results, self.grades)
        return [
            (lack, where) for lack, them in found.items() for where in dict.fromkeys(_place(one) for one, _ in them)
        ]

    @property
    def exit_code(self) -> int:
        """The command's exit code. A sample class always has submissions that need a look, so these do not count."""
        look = self.to_look_at or self.lacking
        return NEEDS_A_LOOK if look and not self.is_sample else 0

    @property
    def report(self) -> Path:
        return self.folder / "report" / "index.html"


def _place(result: Result) -> Clean:
    return clean(f"{result.student}/{result.unit}")


def json_line(graded: GradedClass) -> str:
    """Return the class as one JSON object, documented in grader/docs/class.md."""
    return json.dumps(
        {
            "exit_code": graded.exit_code,
            "sample": graded.is_sample,
            "seconds": round(graded.seconds, 2),
            "sandbox": None if graded.layers is None else list(graded.layers),
            "report": str(graded.report),
            "results": [_json_result(graded, result) for result in graded.results],
            "remarks": [{"where": one.where, "text": one.text, "look": one.needs_look} for one in graded.remarks],
        }
    )


def _json_result(graded: GradedClass, result: Result) -> dict[str, Any]:
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


def summary(graded: GradedClass) -> None:
    """Print the scores, what a rule has settled, what needs a look, and a last line that sums it up."""
    units = sorted({result.unit for result in graded.results})
    students = sorted({result.student for result in graded.results})
    if len(students) <= ROWS_MOST:
        for text in _scores(graded, students, units):
            console.print(text, soft_wrap=True)
    else:
        say(f"The scores of {many(len(students), 'student')} are in the report.")
    who = names(graded.grades)
    for one_line in _grouped(((one.text, one.where) for one in graded.remarks if not one.needs_look), who):
        say(one_line, "dim")
    reasons: dict[Clean, list[Clean]] = defaultdict(list)
    for reason, where in graded.to_look_at:
        reasons[where].append(reason)
    of_submissions = [(line(joined(texts), 1000), where) for where, texts in reasons.items()]
    for one_line in _grouped([*graded.lacking, *of_submissions], who):
        say(f"look at {one_line}", "yellow")
    _end(graded)


def _end(graded: GradedClass) -> None:
    done = sum(result.status == "graded" for result in graded.results)
    new = min(graded.new, done)
    look = len({where for _, where in (*graded.to_look_at, *graded.lacking)})
    parts = [f"{new} graded" if new else "nothing new to grade"]
    parts += [f"{done - new} graded before"] if done > new else []
    parts += [f"{len(graded.results) - done} not gradable"] if done < len(graded.results) else []
    parts += [f"{look} need a look" if look > 1 else "1 needs a look"] if look else []
    sandbox = "" if graded.layers is None else f" Sandbox: {', '.join(graded.layers) or 'none'}."
    text = ", ".join(parts)
    say(f"{text[0].upper()}{text[1:]}, in {graded.seconds:.1f} s.{sandbox}", "red" if graded.layers == () else "")
    if graded.is_alone:
        say("The class's report is as the last run of the whole class left it.")
    elif not any(one.where == "report" for one in graded.remarks):  # such a remark says why it is missing or old
        console.print(Text(f"Report: {graded.report}"), soft_wrap=True)


def _grouped(remarks: Iterable[tuple[str, str]], who: Mapping[str, str]) -> list[str]:
    """Return one line per text, with its places and their students' names (`who`); of many lines, the first ones."""
    places: dict[str, list[str]] = defaultdict(list)
    for text, where in remarks:
        student, slash, rest = where.partition("/")
        places[line(text, 600)].append(f"{label(student, who.get(student, ''))}{slash}{rest}")
    lines = []
    for text, them in places.items():
        named = "; ".join(them[:NAMES_MOST])
        lines.append(f"{named}{f' and {len(them) - NAMES_MOST} more' if len(them) > NAMES_MOST else ''}: {text}")
    if len(lines) > LINES_MOST:
        more = many(len(lines) - LINES_MOST, "more thing")
        lines = [*lines[:LINES_MOST], f"{more} to look at, which the report names"]
    return lines


def _scores(graded: GradedClass, students: Sequence[Clean], units: Sequence[str]) -> list[Text]:
    """Return the table of students × units, and below it the meaning of its signs."""
    most = {result.unit: f"{result.max_score:g}" for result in graded.results}
    cells: dict[tuple[str, str], str] = {(one.student, one.unit): _cell(one, graded.grades) for one in graded.results}
    titles = [(unit.partition("_")[0] if len(units) > 1 else unit, f"/{most[unit]}") for unit in units]
    columns = [
        [title, of, *(cells.get((student, unit), ABSENT) for student in students)]
        for (title, of), unit in zip(titles, units, strict=True)
    ]
    if len(units) > 1:
        counting = [unit for unit in units if unit in counting_units(graded.grades)]
        totals = [_total(student, counting, cells, graded.grades) for student in students]
        columns.append(["total", f"/{sum(float(most[unit]) for unit in counting):g}", *totals])
    who = names(graded.grades)
    labels = [displayable(f"{student}  {who[student]}" if student in who else student) for student in students]
    there = {cell for column in columns for cell in column[2:]}
    legend = "   ".join(f"{sign} {meaning}" for sign, meaning in SIGNS.items() if sign in there)
    return [*_table(["student", "", *labels], columns), *([Text(legend, style="dim")] if legend else [])]


def _cell(result: Result, grades: Grades) -> str:
    """Return the cell of a submission, with the same signs as in the report."""
    score = grades[result.student, result.unit].score
    return UNGRADED if score is None else UNWRITTEN if not score and is_empty(result) else f"{score:g}"


def _total(student: str, units: Iterable[str], cells: Mapping[tuple[str, str], str], grades: Grades) -> str:
    """Return the sum of the scores; if there is none, which is not zero, the sign that says why."""
    mine = {unit: cells[student, unit] for unit in units if (student, unit) in cells}
    given = [score for unit in mine if (score := grades[student, unit].score) is not None]
    return f"{sum(given):g}" if given else UNGRADED if mine else ABSENT


def _table(names: Sequence[str], columns: Sequence[Sequence[str]]) -> list[Text]:
    """Return the lines of a table. Its first column has names, which may be cut; numbers are never cut."""
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
