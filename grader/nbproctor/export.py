"""The class's results for other programs: scores as CSV, everything as JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping

from nbproctor.course import Unit
from nbproctor.result import Result
from nbproctor.text import formula_safe


def results_json(results: Iterable[Result]) -> str:
    """All results, a list that `Result.from_json` reads item by item."""
    return json.dumps([result.to_json() for result in results])


def scores_csv(results: Iterable[Result], units: Mapping[str, Unit]) -> str:
    """A row per student and unit, a column per exercise (empty where the unit has no such exercise, or no verdict)."""
    names = list(dict.fromkeys(exercise.name for unit in units.values() for exercise in unit.exercises))
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["student", "unit", "status", "score", "max_score", "submitted", "seconds", "reason", *names])
    for result in sorted(results, key=lambda result: (result.unit, result.student)):
        points = {exercise.name: exercise.points for exercise in result.exercises}
        words = [formula_safe(word) for word in (result.student, result.unit, result.status)]
        score = result.score if result.status == "graded" else ""
        numbers = [score, result.max_score, formula_safe(result.submitted), result.seconds]
        writer.writerow([*words, *numbers, formula_safe(result.reason), *(points.get(name, "") for name in names)])
    return text.getvalue()
