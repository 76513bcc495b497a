"""The instructor's page about a class: scores, items, misconceptions, and what needs a look."""

from __future__ import annotations

import re
import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from nbproctor import export
from nbproctor.course import Unit
from nbproctor.grades import Grade, Grades, points_of
from nbproctor.pages import WORDS, template, unit_title
from nbproctor.result import Kind, Result
from nbproctor.text import shown, write_whole

MESSAGE_LENGTH = 160  # characters of a message in the class's table
LINES_MOST = 20  # of one kind about one student: a flood tells no more than the first of it
_NUMBER = re.compile(r"(?<![A-Za-z_\d.])[-−+]?(?:\d+(?:\.\d+|\.(?=[,\])]))?|\.\d+)(?:[eE][-+]?\d+)?")


def write_class_report(results: Sequence[Result], grades: Grades, units: Iterable[Unit], folder: Path) -> Path:
    """Write index.html, scores.csv, grades.csv and results.json into folder/report/; return the path of index.html.

    Points are those of `grades`, which has one for each result (see `grades.beside`); all else is told by the results.
    Raises ValueError for a result of a unit that is not among `units`.
    """
    known = {unit.name: unit for unit in units}
    by_unit: dict[str, list[Result]] = defaultdict(list)
    for result in sorted(results, key=lambda result: result.student.casefold()):
        if result.unit not in known:
            raise ValueError(f"{result.student}: a result of {result.unit}, expected one of {', '.join(known)}")
        by_unit[result.unit].append(result)
    report = folder / "report"
    report.mkdir(parents=True, exist_ok=True)
    write_whole(report / "results.json", export.results_json(results))
    write_whole(report / "scores.csv", export.scores_csv(results, grades, known))
    sections = [_section(unit, by_unit[name], grades) for name, unit in known.items() if name in by_unit]
    layers = sorted({", ".join(result.layers) for result in results if result.status == "graded"})
    write_whole(report / "index.html", template("class.html").render(sections=sections, layers=layers))
    return report / "index.html"


def misconception(message: str) -> str:
    """What a check's message says, whatever the numbers: its first line, each number as `#`, names left whole."""
    first = shown(message).strip().partition("\n")[0]
    return _NUMBER.sub("#", first)[:MESSAGE_LENGTH]


def _section(unit: Unit, results: Sequence[Result], grades: Grades) -> dict[str, Any]:
    """All that the class report says of one unit."""
    graded = [result for result in results if result.status == "graded"]
    mine = {result.student: grades[result.student, result.unit] for result in results}
    names = [exercise.name for exercise in unit.exercises]
    shares = [_share(grade.score, grade.max_score) for grade in mine.values() if grade.score is not None]
    bins = [sum(min(int(share * 10), 9) == b for share in shares) for b in range(10)]
    seconds = [result.seconds for result in results]
    return {
        "name": unit.name,
        "title": unit_title(unit.name),
        "exercises": names,
        "max_points": {exercise.name: exercise.max_points for exercise in unit.exercises},
        "max_score": unit.max_points,
        "rows": [_row(result, mine[result.student], names) for result in results],
        "graded": len(graded),
        "median": statistics.median(shares) if shares else None,
        "mean": statistics.fmean(shares) if shares else None,
        "bins": bins,
        "highest_bin": max(bins),
        "items": _items(unit, [mine[result.student] for result in graded]),
        "misconceptions": _misconceptions(graded),
        "incidents": [line for result in results for line in _incidents(result)],
        "accidents": [line for result in results for line in _lines(result, _notes(result, "accident", "info"))],
        "seconds": {"total": sum(seconds), "median": statistics.median(seconds), "most": max(seconds)},
    }


def _share(points: float | None, most: float) -> float:
    return points / most if points and most else 0.0


def _row(result: Result, grade: Grade, names: Sequence[str]) -> dict[str, Any]:
    exercises = {exercise.name: exercise for exercise in result.exercises}
    cells: list[dict[str, Any] | None] = []
    for name in names:
        exercise = exercises.get(name)
        checks = grade.of(check.grade_id for check in exercise.checks) if exercise else ()
        points = points_of(checks)
        cells.append(
            {
                "points": points or 0.0,
                "share": _share(points, exercise.max_points),
                "status": exercise.status,
                "by_hand": any(check.by_hand for check in checks),
                "comment": shown(grade.comment_on(name)),
            }
            if exercise
            else None
        )
    student, unit = result.student, result.unit
    return {
        "student": shown(student),
        "href": f"../feedback/{quote(student, safe='', errors='replace')}/{quote(unit)}/{quote(unit)}.html",
        "score": grade.score,
        "share": _share(grade.score, grade.max_score),
        "cells": cells,
        "seconds": result.seconds,
        "incident": bool(_incidents(result)),
    }


def _items(unit: Unit, graded: Sequence[Grade]) -> list[dict[str, Any]]:
    """Per exercise: difficulty (mean share of its points) and discrimination (correlation with the rest score).

    Discrimination is None for fewer than three results, or where all have the same score.
    """
    checks = {exercise.name: (exercise.check.grade_id, exercise.hidden.grade_id) for exercise in unit.exercises}
    points = [{name: points_of(grade.of(ids)) or 0.0 for name, ids in checks.items()} for grade in graded]
    items = []
    for exercise in unit.exercises:
        own = [scores.get(exercise.name, 0.0) for scores in points]
        rest = [sum(scores.values()) - mine for scores, mine in zip(points, own, strict=True)]
        varied = len(own) >= 3 and len(set(own)) > 1 and len(set(rest)) > 1
        items.append(
            {
                "name": exercise.name,
                "difficulty": statistics.fmean(own) / exercise.max_points if own and exercise.max_points else None,
                "discrimination": statistics.correlation(own, rest) if varied else None,
                "full": sum(mine >= exercise.max_points for mine in own),
                "part": sum(0 < mine < exercise.max_points for mine in own),
                "none": sum(mine <= 0 for mine in own),
            }
        )
    return items


def _misconceptions(graded: Sequence[Result]) -> list[dict[str, Any]]:
    """Visible messages of failed checks, alike but for their numbers, most frequent first."""
    students: dict[tuple[str, str], list[str]] = defaultdict(list)
    for result in graded:
        for exercise in result.exercises:
            for check in exercise.checks:
                if not check.hidden and check.status in ("failed", "error"):
                    key = exercise.name, misconception(check.message) or WORDS[check.status]
                    students[key].append(shown(result.student))
    found = [
        {"exercise": exercise, "line": line, "students": who, "count": len(who)}
        for (exercise, line), who in students.items()
    ]
    return sorted(found, key=lambda row: (-len(row["students"]), row["exercise"], row["line"]))


def _lines(result: Result, told: Iterable[tuple[str, str, str]]) -> list[dict[str, Any]]:
    """(kind, exercise or "", text) as lines about a student; what is told of several exercises is told once."""
    where: dict[tuple[str, str], list[str]] = defaultdict(list)
    for kind, exercise, text in told:
        where[kind, shown(text).partition("\n")[0][:MESSAGE_LENGTH]] += [exercise] if exercise else []
    student = shown(result.student)
    return [{"student": student, "kind": kind, "where": names, "text": text} for (kind, text), names in where.items()]


def _notes(result: Result, *kinds: Kind) -> list[tuple[str, str, str]]:
    """The notes of these kinds, of the submission and of its exercises."""
    places = [("", result.notes), *((exercise.name, exercise.notes) for exercise in result.exercises)]
    return [(note.kind, where, note.text) for where, notes in places for note in notes if note.kind in kinds]


def _incidents(result: Result) -> list[dict[str, Any]]:
    """What an instructor should look at: ungradable, attacks, answers that ran away, answers not accepted."""
    told: list[tuple[str, str, str]] = _notes(result, "attack", "trouble")
    if result.status != "graded":
        told.append(("ungradable", "", result.reason))
    for exercise in result.exercises:
        if exercise.status == "refused" or exercise.ran_away:
            told.append((exercise.status, exercise.name, exercise.message))
    return _lines(result, told)
