"""Makes the two tables of scores in the class report: students × units, and for each unit students × exercises.

A cell distinguishes five cases that a bare number would not: right, wrong (0), not written (·), not handed in (blank),
and handed in but not graded (?).
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from nbproctor.course.units import Unit
from nbproctor.values.grades import Grade, Grades, points_of
from nbproctor.values.result import UNWRITTEN, WORDS, ExerciseResult, Result, is_empty
from nbproctor.values.text import displayable

Kind = Literal["full", "part", "none", "unwritten", "ungraded", "absent"]


@dataclass(frozen=True)
class ScoreCell:
    """One cell of a table of scores. Its kind and its share of the points decide its colour."""

    kind: Kind
    text: str = ""
    tooltip: str = ""
    by_hand: bool = False
    share: float = 0.0


@dataclass(frozen=True)
class Row:
    """One student's row. looks: for each column, or for the whole row of a unit's table, whether to look at it."""

    student: str
    score: float | None
    share: float
    cells: tuple[ScoreCell, ...]
    looks: tuple[bool, ...]
    seconds: float = 0.0
    name: str = ""


def by_unit(
    results: Mapping[tuple[str, str], Result],
    grades: Grades,
    units: Sequence[Unit],
    looks: set[tuple[str, str]],
    counting: Container[str],
) -> list[Row]:
    """Return the rows of students × units. looks: places that need a look. counting: the units in the sums."""
    most = sum(unit.max_points for unit in units if unit.name in counting)
    rows = []
    for student in sorted({student for student, _ in results}, key=lambda name: (name.casefold(), name)):
        places = [(student, unit.name) for unit in units]
        scores = [grades[place].score for place in places if place in results and place[1] in counting]
        given = [score for score in scores if score is not None]
        cells = tuple(
            _unit_cell(results[place], grades[place], unit) if place in results else ScoreCell("absent")
            for place, unit in zip(places, units, strict=True)
        )
        total = sum(given) if given else None
        marked = tuple(place in looks for place in places)
        name = next((grades[place].name for place in places if place in results and grades[place].name), "")
        rows.append(Row(student, total, (total or 0.0) / most if most else 0.0, cells, marked, name=name))
    return rows


def _unit_cell(result: Result, grade: Grade, unit: Unit) -> ScoreCell:
    if grade.score is None:
        return ScoreCell("ungraded", "?", displayable(result.reason) or "it waits for a grade by hand")
    if not grade.score and is_empty(result):
        return ScoreCell("unwritten", "·", "nothing is written yet", grade.by_hand)
    return _scored(grade.score, unit.max_points, "", grade.by_hand)


def by_exercise(unit: Unit, mine: Sequence[tuple[Result, Grade]], looks: set[tuple[str, str]]) -> list[Row]:
    """Return the rows of students × exercises of a unit, for the students who handed it in."""
    rows = []
    for result, grade in mine:
        answers = {exercise.name: exercise for exercise in result.exercises}
        cells = tuple(
            _exercise_cell(answers[exercise.name], grade)
            if exercise.name in answers
            else ScoreCell("ungraded", "?", "not graded")
            for exercise in unit.exercises
        )
        share = (grade.score or 0.0) / unit.max_points if unit.max_points else 0.0
        marked = ((result.student, unit.name) in looks,)
        rows.append(Row(result.student, grade.score, share, cells, marked, result.seconds, grade.name))
    return rows


def _exercise_cell(exercise: ExerciseResult, grade: Grade) -> ScoreCell:
    checks = grade.of(check.grade_id for check in exercise.checks)
    points, comment = points_of(checks), displayable(grade.comments.get(exercise.name, ""))
    by_hand = bool(comment) or any(check.by_hand for check in checks)
    tooltip = ("" if exercise.status == "passed" else WORDS[exercise.status]) + (
        f" Comment: {comment}" if comment else ""
    )
    if points is None:
        return ScoreCell("ungraded", "?", tooltip, by_hand)
    if not points and exercise.status in UNWRITTEN:
        return ScoreCell("unwritten", "·", tooltip, by_hand)
    return _scored(points, exercise.max_points, tooltip, by_hand)


def _scored(points: float, most: float, tooltip: str, by_hand: bool) -> ScoreCell:
    kind: Kind = "full" if points >= most else "part" if points > 0 else "none"
    return ScoreCell(kind, f"{points:.4g}", tooltip, by_hand, min(1.0, points / most) if most else 0.0)
