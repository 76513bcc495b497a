"""The grader as a Gradescope autograder: reads Gradescope's metadata, and writes the `results.json` that it expects.

Gradescope unpacks a submission into `/autograder/submission`, says in `/autograder/submission_metadata.json` whose it
is, runs `/autograder/run_autograder`, and reads `/autograder/results/results.json`. This is documented in
https://gradescope-autograders.readthedocs.io/en/latest/specs/ (files and output format) and
https://gradescope-autograders.readthedocs.io/en/latest/submission_metadata/

A student sees on Gradescope what they see on our own page: the visible check's message, and whether the hidden check
passed. The latter is shown only after the due date, so that nobody can find out its cases by handing in again and
again. The time that grading took is not shown either: an answer could make it depend on the hidden checks' inputs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from nbproctor.values.result import WORDS, CheckResult, ExerciseResult, Note, Result
from nbproctor.values.text import Clean, clean, line, shown

OUTPUT_LONGEST = 20_000  # characters of one check's output


def who_and_when(metadata: Path) -> tuple[Clean, str]:
    """Return the (first) student's email address and the time of submission; "student" and "" where unknown."""
    try:
        told = json.loads(metadata.read_bytes())
        email, moment = told["users"][0]["email"], told["created_at"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return clean("student"), ""
    return line(str(email or "student"), 128), line(str(moment or ""), 40)


def results_json(result: Result) -> str:
    """Return the text of `results.json`. Where nothing could be graded it has no tests, no points, and the reason."""
    notes = [note.text for note in _for_student(result.notes)]
    if result.status != "graded":
        notes.insert(0, line(f"This notebook could not be graded, so that it has no points yet: {result.reason}", 600))
    told: dict[str, Any] = {
        "output": "\n".join(shown(note) for note in notes),
        "output_format": "text",
        "stdout_visibility": "hidden",
        "tests": [_test(exercise, check) for exercise in result.exercises for check in exercise.checks],
    }
    if not told["tests"] or result.status != "graded":
        told |= {"score": 0.0, "tests": []}
    return json.dumps(told, indent=1)


def _test(exercise: ExerciseResult, check: CheckResult) -> dict[str, Any]:
    passed = check.status == "passed"  # what could not be tried here has no score, which is not a score of zero
    told = [check.message or WORDS[check.status], *(note.text for note in _for_student(exercise.notes))]
    scored = {"score": check.points, "max_score": check.max_points, "status": "passed" if passed else "failed"}
    return {
        "name": f"{exercise.name}{': hidden check' if check.hidden else ''}",
        **({} if check.points is None else scored),
        "output": ("passed" if passed else "not passed") if check.hidden else shown("\n".join(told), OUTPUT_LONGEST),
        "output_format": "text",
        "visibility": "after_due_date" if check.hidden else "visible",
    }


def _for_student(notes: Iterable[Note]) -> list[Note]:
    return [note for note in notes if note.kind == "accident"]
