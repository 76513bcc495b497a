"""The results of grading a submission: the values that the other modules take and return.

A `Result` belongs to one notebook of one student, an `ExerciseResult` to one exercise in it, a `CheckResult` to one of
its two checks. They are frozen, hold plain data only, and go to disk and over sockets as JSON (`to_json`, `from_json`).
Points, scores and statuses are computed from the checks, in one place each. `to_json` adds them for programs in
other languages; `from_json` ignores them.
"""

from __future__ import annotations

import math
from itertools import chain
from typing import Annotated, Any, Literal

import msgspec
from msgspec.structs import replace

from nbproctor.values.text import EMPTY, Clean, clean

Status = Literal["passed", "failed", "error", "not implemented", "refused", "timeout", "died", "missing", "unavailable"]
WORDS: dict[Status, str] = {  # status -> the words that a student reads
    "passed": "passed",
    "failed": "not right yet",
    "error": "stopped with an error",
    "not implemented": "not written yet",
    "timeout": "took too long",
    "died": "the process ended",
    "missing": "no answer found",
    "refused": "not accepted",
    "unavailable": "could not be tried here",
}
UNWRITTEN = ("not implemented", "missing")
Kind = Literal["accident", "look", "trouble"]
OWN_CELLS = 50  # at most so many of the cells that a student added are kept
OWN_CHARACTERS = 200_000  # in all of these cells together
Amount = Annotated[float, msgspec.Meta(ge=0, le=1e300)]  # a number that one can compute with: no NaN, no infinity
Matrix = tuple[tuple[float | None, ...], ...]


class Note(msgspec.Struct, frozen=True):
    """A line: an "accident" that was fixed, something to "look" at, or "trouble" that the grader itself had."""

    kind: Kind
    text: Clean


class Picture(msgspec.Struct, frozen=True):
    """The two matrices that a failing comparison compared, at most 32 × 32 each. None stands for NaN or infinity."""

    expected: Matrix
    yours: Matrix

    def __post_init__(self) -> None:
        for matrix in (self.expected, self.yours):
            if len({len(row) for row in matrix}) > 1 or not all(map(math.isfinite, filter(None, chain(*matrix)))):
                raise ValueError("a picture of something else than a matrix of numbers")


class CheckResult(msgspec.Struct, frozen=True):
    """What one check found. Its points are given whole or not at all.

    status: "unavailable" if the answer needs a package or a newer Python that the grader's machine lacks. That is not
    the student's fault, so there is no score, which is not a score of zero, and `lacks` tells the instructor what is
    missing and what to do.
    met_limit: whether the answer stopped at a limit: of the sandbox, of Python, or of the size of what it returns.
    unknown_name: the undefined name that stopped the answer, or "".
    """

    grade_id: str
    hidden: bool
    max_points: Amount
    status: Status
    message: Clean = EMPTY
    picture: Picture | None = None
    met_limit: bool = False
    unknown_name: Clean = EMPTY
    lacks: Clean = EMPTY

    @property
    def points(self) -> float | None:
        """The points; None, which is not zero, if the answer could not be tried on this machine."""
        if self.status == "unavailable":
            return None
        return self.max_points if self.status == "passed" else 0.0


class ExerciseResult(msgspec.Struct, frozen=True):
    """One exercise: the source that was graded, what it printed, and its checks, the visible one first."""

    name: str
    source: Clean
    printed: Clean
    notes: tuple[Note, ...]
    checks: tuple[CheckResult, ...]

    @property
    def points(self) -> float:
        return sum(check.points or 0.0 for check in self.checks)

    @property
    def max_points(self) -> float:
        return sum(check.max_points for check in self.checks)

    @property
    def status(self) -> Status:
        """The status of the first check that did not pass; "passed" if both did."""
        return next((check.status for check in self.checks if check.status != "passed"), "passed")

    @property
    def message(self) -> Clean:
        """The first message of a check, or ""."""
        return next((check.message for check in self.checks if check.message), EMPTY)

    @property
    def hit_limit(self) -> bool:
        """Whether a limit of any kind ended the answer, so an instructor should look at it."""
        return self.status in ("timeout", "died") or any(check.met_limit for check in self.checks)


class OwnCell(msgspec.Struct, frozen=True):
    """A cell that the student added or changed. before: the exercise that follows it, "" at the end of the notebook."""

    before: str
    source: Clean


class Result(msgspec.Struct, frozen=True):
    """One submission, graded or ungradable.

    submitted: when it was handed in, ISO 8601, if the folder says so (nbgrader's `timestamp.txt`), else "".
    layers: the sandbox's layers; none for an unsafe run, and if no code of the submission ran.
    key: the hash of all that the result depends on, see `store`. digest: the SHA-256 of the notebook's bytes, if it
    was graded. seconds: how long the grading took.
    """

    student: Clean
    unit: str
    status: Literal["graded", "ungradable"]
    max_score: Amount
    reason: Clean = EMPTY
    exercises: tuple[ExerciseResult, ...] = ()
    notes: tuple[Note, ...] = ()
    own_cells: tuple[OwnCell, ...] = ()
    layers: tuple[str, ...] = ()
    submitted: str = ""
    grader_version: str = ""
    key: str = ""
    digest: str = ""
    seconds: Amount = 0.0

    @property
    def score(self) -> float:
        return sum(exercise.points for exercise in self.exercises)

    @property
    def points(self) -> dict[str, float]:
        """Grade id -> points; empty for an ungradable submission, and without checks that have no score."""
        checks = [check for exercise in self.exercises for check in exercise.checks if self.status == "graded"]
        return {check.grade_id: check.points for check in checks if check.points is not None}

    @property
    def reasons(self) -> list[Clean]:
        """Reasons for the instructor to look at this submission, one line each, without those in `lacks`."""
        found = [self.reason] if self.status != "graded" else []
        for exercise in self.exercises:
            found += [clean(f"{exercise.name}: {exercise.message}")] if exercise.hit_limit else []
            found += [note.text for note in exercise.notes if note.kind == "look"]
        return found + [note.text for note in self.notes if note.kind in ("look", "trouble")]

    @property
    def lacks(self) -> list[Clean]:
        """What this machine lacks for some of the answers, one line each, worded the same for all students."""
        return list(dict.fromkeys(c.lacks for e in self.exercises for c in e.checks if c.status == "unavailable"))

    def with_note(self, kind: Kind, text: Clean) -> Result:
        return replace(self, notes=(*self.notes, Note(kind, text)))

    def encoded(self) -> bytes:
        """All fields as JSON, for our own processes and files. `decoded` and `from_json` read it."""
        return msgspec.json.encode(self)

    @classmethod
    def decoded(cls, data: bytes) -> Result:
        """The result that another process of ours has encoded."""
        return msgspec.json.decode(data, type=cls)

    def to_json(self) -> dict[str, Any]:
        """All fields as plain data, and the statuses, points and score that follow from them."""
        data: dict[str, Any] = {**msgspec.json.decode(self.encoded()), "score": self.score}
        for exercise, as_json in zip(self.exercises, data["exercises"], strict=True):
            as_json["status"] = exercise.status
            for check, of_check in zip(exercise.checks, as_json["checks"], strict=True):
                of_check["points"] = check.points
        return data

    @classmethod
    def from_json(cls, data: Any) -> Result:
        """Return the result that `to_json` described. Raises ValueError for any other data."""
        try:
            return msgspec.convert(_cleaned(data), cls)
        except (msgspec.ValidationError, RecursionError, OverflowError) as error:
            raise ValueError(f"not a result ({str(error)[:120]})") from error


def is_empty(result: Result) -> bool:
    """Whether a graded notebook holds no answer in any exercise."""
    nothing = all(exercise.status in UNWRITTEN for exercise in result.exercises)
    return result.status == "graded" and bool(result.exercises) and nothing


def _cleaned(data: Any) -> Any:
    """Return the same plain data with every text cleaned: the file may have been changed since we wrote it."""
    if isinstance(data, str):
        return clean(data)
    if isinstance(data, list):
        return [_cleaned(one) for one in data]
    return {key: _cleaned(one) for key, one in data.items()} if isinstance(data, dict) else data


def ungradable(student: Clean, unit: str, max_score: float, reason: Clean) -> Result:
    """Return the result of a submission without scores, with the reason in one line."""
    return Result(student, unit, "ungradable", max_score, reason)
