"""The class's results for other programs: scores as CSV, everything as JSON."""

import json
from collections.abc import Iterable, Mapping

from nbproctor.course.units import Unit
from nbproctor.values.grades import Grade, Grades, counting_units, maxima, points_of, rounded
from nbproctor.values.result import Result
from nbproctor.values.text import CsvCell, csv_text

SCORES = (
    "student", "unit", "status", "score", "max_score", "by_hand", "extra_credit", "late_penalty",
    "needs_manual_grade", "comments", "submitted", "seconds", "reason",
)  # fmt: skip


def results_json(results: Iterable[Result]) -> str:
    """Return all results as a JSON list, each of whose items `Result.from_json` can read."""
    return json.dumps([result.to_json() for result in results])


def scores_csv(results: Iterable[Result], grades: Grades, units: Mapping[str, Unit]) -> str:
    """Return scores.csv: a row per student and unit, a column per exercise; a cell is empty without a verdict."""
    names = list(dict.fromkeys(exercise.name for unit in units.values() for exercise in unit.exercises))
    rows = sorted(results, key=lambda result: (result.unit, result.student))
    return csv_text(
        [[*SCORES, *names], *(_scores_of(result, grades[result.student, result.unit], names) for result in rows)]
    )


def _scores_of(result: Result, grade: Grade, names: Iterable[str]) -> list[CsvCell]:
    points = {e.name: points_of(grade.of(check.grade_id for check in e.checks)) for e in result.exercises}
    return [
        result.student,
        result.unit,
        result.status,
        grade.score,
        grade.max_score or result.max_score,
        "yes" if grade.by_hand else "",
        sum(check.extra for check in grade.checks),
        grade.late_penalty,
        "yes" if grade.needs_manual_grade else "",
        grade.all_comments,
        result.submitted,
        round(result.seconds, 3),
        result.reason,
        *(points.get(name) for name in names),
    ]


def grades_csv(grades: Grades) -> str:
    """Return grades.csv: a row per student with name, scores, their sum and comments. No score is an empty cell."""
    units, counting = maxima(grades), counting_units(grades)
    table: list[list[CsvCell]] = [["student", "name", *units, "total", "max_total", "comments"]]
    for student in sorted({student for student, _ in grades}):
        mine = [grades.get((student, unit)) for unit in units]
        scores = [grade.score if grade else None for grade in mine]
        given = [score for score, unit in zip(scores, units, strict=True) if score is not None and unit in counting]
        total, most = sum(given) if given else None, sum(counting.values())
        points = [None if score is None else rounded(score) for score in (*scores, total, most)]
        comments = [f"{grade.unit}: {grade.all_comments}" for grade in mine if grade and grade.comments]
        name = next((grade.name for grade in mine if grade and grade.name), "")
        table.append([student, name, *points, "\n".join(comments)])
    return csv_text(table)
