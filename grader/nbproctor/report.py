"""Pages that people read: one of feedback for each student, one about the class, and the scores as CSV and JSON.

A page is one file: no scripts, nothing from elsewhere, a Content-Security-Policy that forbids both, everything that a
student wrote escaped. The templates get no raw result but what is picked here, so that a student's page cannot hold
what is not theirs to see: of hidden checks it has passed or not passed, of notes those that are not about attacks.
"""

from __future__ import annotations

import csv
import io
import json
import re
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from .autograded import printable, student_folder, write_whole
from .course import Unit
from .limits import ran_away
from .picture import draw

MESSAGE_LENGTH = 160  # characters of a message in the class's table
WORDS = {  # of a status, as a student reads it
    "passed": "passed",
    "failed": "not right yet",
    "error": "stopped with an error",
    "not implemented": "not written yet",
    "timeout": "took too long",
    "died": "the process ended",
    "missing": "no answer found",
    "refused": "not accepted",
}
_NUMBER = re.compile(r"(?<![A-Za-z_\d.])[-−+]?(?:\d+(?:\.\d+|\.(?=[,\])]))?|\.\d+)(?:[eE][-+]?\d+)?")
_TURNING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")  # turn the order in which text is read
_FORMULA = tuple("=+-@\t\r＝＋－＠")  # noqa: RUF001 - a spreadsheet reads the wide ones alike


def write_feedback(result: Mapping[str, Any], course_unit: Unit, folder: Path) -> Path:
    """Write folder/feedback/STUDENT/UNIT/UNIT.html for one result and return its path.

    Raises ValueError for a student whose id cannot be a folder's name.
    """
    score, most = result["score"], result["max_score"] or course_unit.max_points
    page = _template("feedback.html").render(
        student=shown(result["student"]),
        unit=course_unit.name,
        title=unit_title(course_unit.name),
        graded=result["status"] == "graded",
        reason=shown(result["reason"]),
        score=score,
        max_score=most,
        percent=100 * score / most if most else 0,
        submitted=result["submitted"],
        version=result["grader_version"],
        notes=_notes_for_student(result["notes"]),
        exercises=[_exercise(exercise) for exercise in result["exercises"]],
    )
    path = student_folder(Path(folder) / "feedback", result["student"], course_unit.name) / f"{course_unit.name}.html"
    write_whole(path, page)
    return path


def write_class_report(results: Sequence[Mapping[str, Any]], course_units: Iterable[Unit], folder: Path) -> Path:
    """Write index.html, scores.csv and results.json into folder/report/ and return the path of index.html.

    Raises ValueError for a result of a unit that is not among course_units.
    """
    units = {unit.name: unit for unit in course_units}
    by_unit: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for result in sorted(results, key=lambda result: result["student"].casefold()):
        if result["unit"] not in units:
            raise ValueError(f"{result['student']}: a result of {result['unit']}, expected one of {', '.join(units)}")
        by_unit[result["unit"]].append(result)
    sections = [_section(unit, by_unit[name]) for name, unit in units.items() if name in by_unit]
    layers = sorted({", ".join(result["layers"]) for result in results})
    report = Path(folder) / "report"
    report.mkdir(parents=True, exist_ok=True)
    write_whole(report / "index.html", _template("class.html").render(sections=sections, layers=layers))
    write_whole(report / "scores.csv", _scores_csv(results, units))
    write_whole(report / "results.json", json.dumps(list(results)))
    return report / "index.html"


@cache
def _template(name: str) -> Template:
    loader = FileSystemLoader(Path(__file__).with_name("templates"))
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["points"] = lambda value: f"{value:.4g}"
    return environment.get_template(name)


def unit_title(name: str) -> str:
    """`03_self_attention` -> `3 · Self attention`."""
    number, _, words = name.partition("_")
    return f"{int(number)} · {words.replace('_', ' ').capitalize()}" if number.isdigit() and words else name


def shown(text: str) -> str:
    """Text from a student as a page may hold it: characters that turn the reading direction are spelled out."""
    return _TURNING.sub(lambda found: f"⟦U+{ord(found[0]):04X}⟧", printable(text))


def misconception(message: str) -> str:
    """What a check's message says, whatever the numbers: its first line, each number as `#`, names left whole."""
    first = shown(message).strip().partition("\n")[0]
    return _NUMBER.sub("#", first)[:MESSAGE_LENGTH]


def formula_safe(text: str) -> str:
    """A CSV cell that no spreadsheet runs: a quote in front of what would begin a formula."""
    text = printable(text)
    return f"'{text}" if text.lstrip(" \n").startswith(_FORMULA) else text


def _notes_for_student(notes: Iterable[Mapping[str, str]]) -> list[str]:
    return [shown(note["text"]) for note in notes if note["kind"] in ("accident", "info")]


def _exercise(exercise: Mapping[str, Any]) -> dict[str, Any]:
    """What a student may see of one exercise."""
    checks = exercise["checks"]
    points, most = sum(check["points"] for check in checks), sum(check["max_points"] for check in checks)
    visible = [check for check in checks if not check["hidden"]]
    return {
        "name": exercise["name"],
        "grade": "full" if points >= most else "part" if points > 0 else "none",
        "word": "right in part" if 0 < points < most else WORDS.get(exercise["status"], exercise["status"]),
        "points": points,
        "max_points": most,
        "source": shown(exercise["source"]).rstrip(),
        "printed": shown(exercise["printed"]).rstrip(),
        "notes": _notes_for_student(exercise["notes"]),
        "visible": [
            {
                "passed": check["status"] == "passed",
                "word": WORDS.get(check["status"], check["status"]),
                "message": shown(check["message"]).strip(),
                "picture": draw(check["picture"]) if check["picture"] else "",
            }
            for check in visible
        ],
        "hidden": [check["status"] == "passed" for check in checks if check["hidden"]],
    }


def _section(unit: Unit, results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """All that the class report says of one unit."""
    graded = [result for result in results if result["status"] == "graded"]
    names = [exercise.name for exercise in unit.exercises]
    shares = [result["score"] / result["max_score"] if result["max_score"] else 0.0 for result in graded]
    bins = [sum(min(int(share * 10), 9) == b for share in shares) for b in range(10)]
    seconds = [result["seconds"] for result in results]
    return {
        "name": unit.name,
        "title": unit_title(unit.name),
        "exercises": names,
        "max_points": {exercise.name: exercise.max_points for exercise in unit.exercises},
        "max_score": unit.max_points,
        "rows": [_row(result, names) for result in results],
        "graded": len(graded),
        "median": statistics.median(shares) if shares else None,
        "mean": statistics.fmean(shares) if shares else None,
        "bins": bins,
        "highest_bin": max(bins),
        "items": _items(unit, graded),
        "misconceptions": _misconceptions(graded),
        "incidents": [line for result in results for line in _incidents(result)],
        "accidents": [line for result in results for line in _lines(result, _notes(result, "accident"))],
        "seconds": {"total": sum(seconds), "median": statistics.median(seconds), "most": max(seconds)},
    }


def _points(result: Mapping[str, Any]) -> dict[str, float]:
    return {exercise["name"]: sum(c["points"] for c in exercise["checks"]) for exercise in result["exercises"]}


def _row(result: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    points = _points(result)
    exercises = {exercise["name"]: exercise for exercise in result["exercises"]}
    cells: list[dict[str, Any] | None] = []
    for name in names:
        exercise = exercises.get(name)
        most = sum(check["max_points"] for check in exercise["checks"]) if exercise else 0
        cells.append(
            {"points": points[name], "share": points[name] / most if most else 0, "status": exercise["status"]}
            if exercise
            else None
        )
    student, unit = result["student"], result["unit"]
    return {
        "student": shown(student),
        "href": f"../feedback/{quote(student, safe='', errors='replace')}/{quote(unit)}/{quote(unit)}.html",
        "graded": result["status"] == "graded",
        "score": result["score"],
        "share": result["score"] / result["max_score"] if result["max_score"] else 0,
        "cells": cells,
        "seconds": result["seconds"],
        "incident": bool(_incidents(result)),
    }


def _items(unit: Unit, graded: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Per exercise: difficulty (mean share of its points) and discrimination (correlation with the rest score).

    Discrimination is None for fewer than three results, or where all have the same score.
    """
    points = [_points(result) for result in graded]
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


def _misconceptions(graded: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Visible messages of failed checks, alike but for their numbers, most frequent first."""
    students: dict[tuple[str, str], list[str]] = defaultdict(list)
    for result in graded:
        for exercise in result["exercises"]:
            for check in exercise["checks"]:
                if not check["hidden"] and check["status"] in ("failed", "error"):
                    key = exercise["name"], misconception(check["message"]) or WORDS[check["status"]]
                    students[key].append(shown(result["student"]))
    found = [
        {"exercise": exercise, "line": line, "students": who, "count": len(who)}
        for (exercise, line), who in students.items()
    ]
    return sorted(found, key=lambda row: (-len(row["students"]), row["exercise"], row["line"]))


def _lines(result: Mapping[str, Any], told: Iterable[tuple[str, str, str]]) -> list[dict[str, Any]]:
    """(kind, exercise or "", text) as lines about a student; what is told of several exercises is told once."""
    where: dict[tuple[str, str], list[str]] = defaultdict(list)
    for kind, exercise, text in told:
        where[kind, shown(text).partition("\n")[0][:MESSAGE_LENGTH]] += [exercise] if exercise else []
    student = shown(result["student"])
    return [{"student": student, "kind": kind, "where": names, "text": text} for (kind, text), names in where.items()]


def _notes(result: Mapping[str, Any], kind: str) -> list[tuple[str, str, str]]:
    """The notes of one kind, of the submission and of its exercises."""
    places = [("", result["notes"]), *((exercise["name"], exercise["notes"]) for exercise in result["exercises"])]
    return [(kind, where, note["text"]) for where, notes in places for note in notes if note["kind"] == kind]


def _incidents(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What an instructor should look at: ungradable, attacks, answers that ran away, answers not accepted."""
    told = _notes(result, "attack")
    if result["status"] != "graded":
        told.append(("ungradable", "", result["reason"]))
    for exercise in result["exercises"]:
        if exercise["status"] == "refused" or ran_away(exercise):
            notes = [note["text"] for note in exercise["notes"] if note["kind"] == "info"]
            messages = [check["message"] for check in exercise["checks"] if check["message"]]
            told.append((exercise["status"], exercise["name"], next(iter(messages + notes), "")))
    return _lines(result, told)


def _scores_csv(results: Iterable[Mapping[str, Any]], units: Mapping[str, Unit]) -> str:
    """A row per student and unit, a column per exercise (empty where the unit has no such exercise, or no verdict)."""
    names = list(dict.fromkeys(exercise.name for unit in units.values() for exercise in unit.exercises))
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["student", "unit", "status", "score", "max_score", "submitted", "seconds", "reason", *names])
    for result in sorted(results, key=lambda result: (result["unit"], result["student"])):
        graded, points = result["status"] == "graded", _points(result)
        score = result["score"] if graded else ""
        words = [formula_safe(result[key]) for key in ("student", "unit", "status")]
        numbers = [score, result["max_score"], formula_safe(result["submitted"] or ""), result["seconds"]]
        writer.writerow([*words, *numbers, formula_safe(result["reason"]), *(points.get(name, "") for name in names)])
    return text.getvalue()
