"""The results of grading a submission: the values that the other modules take and return.

A `Result` belongs to one notebook of one student, an `ExerciseResult` to one exercise in it, a `CheckResult` to one of
its two checks. They are frozen, hold plain data only, and go to disk and over sockets as JSON (`to_json`, `from_json`).
Points, scores and statuses are computed from the checks, in one place each. The JSON contains them for programs in
other languages; `from_json` ignores them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, cast, get_args

from nbproctor.text import EMPTY, Clean, clean

Status = Literal["passed", "failed", "error", "not implemented", "refused", "timeout", "died", "missing"]
Kind = Literal["accident", "attack", "info", "trouble"]
OWN_CELLS = 50  # at most so many of the cells that a student added are kept
OWN_CHARACTERS = 200_000  # in all of these cells together
Matrix = tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True)
class Note:
    """One line about a submission.

    kind: "accident" (mended, and told to the student and the instructor), "attack" (an instructor should look), "info"
    (for the instructor, who need not do anything), "trouble" (of the grader: something could not be written, say).
    """

    kind: Kind
    text: Clean


@dataclass(frozen=True)
class Picture:
    """The two matrices that a failing comparison compared, at most 32 × 32 each. None stands for NaN or infinity."""

    expected: Matrix
    yours: Matrix


@dataclass(frozen=True)
class CheckResult:
    """What one check found. Its points are given whole or not at all.

    met_limit: whether the answer stopped at a limit: of the sandbox, of Python, or of the size of what it returns.
    unknown_name: the missing name that stopped the answer, where that is why it stopped.
    """

    grade_id: str
    hidden: bool
    max_points: float
    status: Status
    message: Clean = EMPTY
    seconds: float = 0.0
    picture: Picture | None = None
    met_limit: bool = False
    unknown_name: Clean = EMPTY

    @property
    def points(self) -> float:
        return self.max_points if self.status == "passed" else 0.0

    def to_json(self) -> dict[str, Any]:
        """All fields as plain data, and the points."""
        return cast(dict[str, Any], _plain(self))

    @classmethod
    def from_json(cls, data: Any) -> CheckResult:
        """The check result that `to_json` described. Raises ValueError, TypeError or KeyError where `data` is none."""
        return cls(**_scalars(cls, data), picture=_picture(data["picture"]))


@dataclass(frozen=True)
class ExerciseResult:
    """One exercise: the source that was graded, what it printed, and its checks, the visible one first.

    form: the source without its names (see `form`); "" where the source is short or missing.
    """

    name: str
    source: Clean
    printed: Clean
    notes: tuple[Note, ...]
    checks: tuple[CheckResult, ...]
    form: str = ""

    @property
    def points(self) -> float:
        return sum(check.points for check in self.checks)

    @property
    def max_points(self) -> float:
        return sum(check.max_points for check in self.checks)

    @property
    def status(self) -> Status:
        """The status of the first check that did not pass; "passed" where both did."""
        return next((check.status for check in self.checks if check.status != "passed"), "passed")

    @property
    def message(self) -> Clean:
        """The first message of a check, if one has any."""
        return next((check.message for check in self.checks if check.message), EMPTY)

    @property
    def ran_away(self) -> bool:
        """Whether a limit of any kind ended the answer, so that an instructor should look at it."""
        return self.status in ("timeout", "died") or any(check.met_limit for check in self.checks)


@dataclass(frozen=True)
class OwnCell:
    """A cell that the student added or changed. before: the exercise that follows it, "" at the end of the notebook."""

    before: str
    source: Clean


@dataclass(frozen=True)
class Result:
    """One submission, graded or ungradable.

    submitted: when it was handed in, ISO 8601, where the folder says so (nbgrader's `timestamp.txt`), else "".
    layers: the sandbox's layers; none for an unsafe run, and where no code of the submission ran.
    key: the hash of all that the result depends on, see `store`. seconds: how long the grading took.
    """

    student: Clean
    unit: str
    status: Literal["graded", "ungradable"]
    max_score: float
    reason: Clean = EMPTY
    exercises: tuple[ExerciseResult, ...] = ()
    notes: tuple[Note, ...] = ()
    own_cells: tuple[OwnCell, ...] = ()
    layers: tuple[str, ...] = ()
    submitted: str = ""
    grader_version: str = ""
    key: str = ""
    seconds: float = 0.0

    @property
    def score(self) -> float:
        return sum(exercise.points for exercise in self.exercises)

    @property
    def points(self) -> dict[str, float]:
        """Grade id -> points. Empty for an ungradable submission, which has no score, as opposed to a score of zero."""
        return {c.grade_id: c.points for e in self.exercises for c in e.checks} if self.status == "graded" else {}

    @property
    def reasons(self) -> list[Clean]:
        """The things that the instructor should look at, one line each."""
        found = [self.reason] if self.status != "graded" else []
        for exercise in self.exercises:
            found += [clean(f"{exercise.name}: {exercise.message}")] if exercise.ran_away else []
            found += [note.text for note in exercise.notes if note.kind == "attack"]
        return found + [note.text for note in self.notes if note.kind in ("attack", "trouble")]

    def with_note(self, kind: Kind, text: Clean) -> Result:
        return replace(self, notes=(*self.notes, Note(kind, text)))

    def to_json(self) -> dict[str, Any]:
        """All fields as plain data, and the statuses, points and score that follow from them."""
        return {**_plain(self), "score": self.score}

    @classmethod
    def from_json(cls, data: Any) -> Result:
        """The result that `to_json` described. Raises ValueError where `data` is no result, whatever else it is."""
        try:
            return cls(
                **_scalars(cls, data),
                exercises=tuple(_exercise(one) for one in _list(data["exercises"])),
                notes=tuple(_note(one) for one in _list(data["notes"])),
                own_cells=tuple(OwnCell(**_scalars(OwnCell, one)) for one in _list(data["own_cells"])),
                layers=tuple(_text(one) for one in _list(data["layers"])),
            )
        except (KeyError, TypeError, RecursionError) as error:
            raise ValueError(f"not a result ({type(error).__name__}: {str(error)[:80]})") from error


def ungradable(student: Clean, unit: str, max_score: float, reason: Clean) -> Result:
    """The result of a submission that has no scores, with the reason in one line."""
    return Result(student, unit, "ungradable", max_score, reason)


def _plain(value: Any) -> Any:
    """A result as plain data, for JSON. `dataclasses.asdict` makes deep copies, which takes ten times as long."""
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if not hasattr(value, "__dataclass_fields__"):
        return value
    plain = {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, ExerciseResult):
        plain |= {"status": value.status}
    if isinstance(value, CheckResult):
        plain |= {"points": value.points}
    return plain


def _scalars(cls: Any, data: Any) -> dict[str, Any]:
    """The fields of `cls` that are text, numbers or booleans. Raises ValueError where one is of another type."""
    kinds = {"str": (str,), "Clean": (str,), "float": (float, int), "bool": (bool,)}
    found = {}
    for field in fields(cls):
        declared = str(field.type)
        if declared in kinds:
            value = data[field.name]
            if type(value) not in kinds[declared] or (declared == "float" and not _is_finite(value)):
                raise ValueError(f"not a result: {field.name} is {str(value)[:40]!r}")
            found[field.name] = clean(value) if declared == "Clean" else value
        elif declared in ("Status", "Kind") or declared.startswith("Literal"):
            known = get_args({"Status": Status, "Kind": Kind}.get(declared, Literal["graded", "ungradable"]))
            if data[field.name] not in known:
                raise ValueError(f"not a result: {field.name} is {str(data[field.name])[:40]!r}")
            found[field.name] = data[field.name]
    return found


def _exercise(data: Any) -> ExerciseResult:
    return ExerciseResult(
        **_scalars(ExerciseResult, data),
        notes=tuple(_note(one) for one in _list(data["notes"])),
        checks=tuple(map(CheckResult.from_json, _list(data["checks"]))),
    )


def _note(data: Any) -> Note:
    return Note(**_scalars(Note, data))


def _picture(data: Any) -> Picture | None:
    return None if data is None else Picture(_matrix(data["expected"]), _matrix(data["yours"]))


def _matrix(data: Any) -> Matrix:
    rows = tuple(tuple(_list(row)) for row in _list(data))
    if len({len(row) for row in rows}) > 1 or not all(
        value is None or _is_finite(value) for row in rows for value in row
    ):
        raise ValueError("not a result: a picture of something else than a matrix of numbers")
    return cast(Matrix, rows)


def _is_finite(value: Any) -> bool:
    """Whether the value is a number that one can compute with: not `NaN`, not `Infinity`, not an int of 400 digits."""
    try:
        return type(value) in (float, int) and math.isfinite(value)
    except OverflowError:
        return False


def _list(data: Any) -> list[Any]:
    if not isinstance(data, list):
        raise TypeError(f"expected a list, got {type(data).__name__}")
    return data


def _text(data: Any) -> str:
    if not isinstance(data, str):
        raise TypeError(f"expected text, got {type(data).__name__}")
    return data
