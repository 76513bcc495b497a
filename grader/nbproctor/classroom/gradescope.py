"""The grader as a Gradescope autograder: reads Gradescope's metadata, and writes the `results.json` that it expects.

Gradescope unpacks a submission into `/autograder/submission`, says in `/autograder/submission_metadata.json` whose it
is, runs `/autograder/run_autograder`, and reads `/autograder/results/results.json`. This is documented in
https://gradescope-autograders.readthedocs.io/en/latest/specs/ (files and output format) and
https://gradescope-autograders.readthedocs.io/en/latest/submission_metadata/

A student sees on Gradescope what they see on our own page: the visible check's message, and whether the hidden check
passed. The latter is shown only after the due date, so that nobody can find out its cases by handing in again and
again. The time that grading took is not shown either: an answer could make it depend on the hidden checks' inputs.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from nbproctor.values.result import WORDS, CheckResult, ExerciseResult, Note, Result
from nbproctor.values.text import Clean, clean, displayable, line

OUTPUT_LONGEST = 20_000  # characters of one check's output


def who_and_when(metadata: Path) -> tuple[Clean, str]:
    """Return the (first) student's email address and the time of submission; "student" and "" if unknown."""
    try:
        known = json.loads(metadata.read_bytes())
        email, moment = known["users"][0]["email"], known["created_at"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return clean("student"), ""
    return line(str(email or "student"), 128), line(str(moment or ""), 40)


def results_json(result: Result) -> str:
    """Return the text of `results.json`. If nothing could be graded it has no tests, no points, and the reason."""
    is_graded = result.status == "graded"
    notes = [note.text for note in _for_student(result.notes)]
    if not is_graded:
        notes.insert(0, line(f"This notebook could not be graded, so it has no points yet: {result.reason}", 600))
    tests = [_test(exercise, check) for exercise in result.exercises for check in exercise.checks if is_graded]
    text: dict[str, Any] = {
        "output": "\n".join(displayable(note) for note in notes),
        "output_format": "text",
        "stdout_visibility": "hidden",
        "tests": tests,
    }
    return json.dumps(text if tests else text | {"score": 0.0}, indent=1)


def _test(exercise: ExerciseResult, check: CheckResult) -> dict[str, Any]:
    passed = check.status == "passed"
    lines = [check.message or WORDS[check.status], *(note.text for note in _for_student(exercise.notes))]
    output = displayable("\n".join(lines), OUTPUT_LONGEST)
    scored = {"score": check.points, "max_score": check.max_points, "status": "passed" if passed else "failed"}
    return {
        "name": f"{exercise.name}{': hidden check' if check.hidden else ''}",
        **({} if check.points is None else scored),  # no score, which is not a score of zero
        "output": ("passed" if passed else "not passed") if check.hidden else output,
        "output_format": "text",
        "visibility": "after_due_date" if check.hidden else "visible",
    }


def _for_student(notes: Iterable[Note]) -> list[Note]:
    return [note for note in notes if note.kind == "accident"]
