"""The examiner's side: runs check cells on proxies of what the student defined. No student's line runs here."""

from __future__ import annotations

import ast
import builtins
import time
from dataclasses import dataclass, field
from functools import lru_cache
from types import CodeType
from typing import Any

import torch

from nbproctor import wire
from nbproctor.course import Check, Exercise, Unit, defined_names
from nbproctor.proxies import ShortcutFound, Student, StudentError, StudentGone

PICTURE_MOST = 32
MESSAGE_MOST = 2000


@dataclass
class Finding:
    """What one check found. `status` is passed, failed, error, not implemented, refused, timeout or died."""

    grade_id: str
    hidden: bool
    max_points: float
    status: str
    message: str = ""
    seconds: float = 0.0
    picture: dict[str, Any] | None = None

    @property
    def points(self) -> float:
        return self.max_points if self.status == "passed" else 0.0


@dataclass
class Desk:
    """An examiner's names: the setup cell's, once run, and a place where a failing comparison leaves its picture."""

    names: dict[str, Any]
    pictures: list[dict[str, Any]] = field(default_factory=list)


def prepare(unit: Unit) -> Desk:
    """Run the instructor's setup cell. Failing comparisons are kept for the report instead of being drawn, and the line
    that a check prints for a reader when it passes goes nowhere."""
    torch.set_num_threads(1)
    desk = Desk(names={"__name__": "__main__", "__builtins__": builtins})
    exec(_compiled(unit.setup, "setup"), desk.names)  # noqa: S102 the instructor's cell
    desk.names["draw_difference"] = lambda yours, expected: desk.pictures.append(
        {"expected": _matrix(expected), "yours": _matrix(yours)}
    )
    desk.names["print"] = lambda *_, **__: None
    return desk


def run_check(desk: Desk, exercise: Exercise, check: Check, student: Student, seed: int) -> Finding:
    """Run one check cell on the student's objects and say what it found. Raises StudentGone where they are gone."""
    start = time.monotonic()
    finding = Finding(check.grade_id, check.hidden, check.points, "passed")
    desk.pictures.clear()
    torch.default_generator.manual_seed(seed)
    original, torch.manual_seed = torch.manual_seed, _crossing_seed(student)
    try:
        student.ask({"op": "begin", "seed": seed})
        student.not_with = exercise.not_with
        names = dict(desk.names)
        for name in exercise_names(exercise, check):
            names[name] = student.lookup(name)
        exec(_compiled(check.source, check.grade_id), names)  # noqa: S102 the instructor's cell
    except StudentGone:
        raise
    except AssertionError as error:
        finding.status, finding.message = "failed", str(error) or "the check failed without a message"
        finding.picture = desk.pictures[0] if desk.pictures else None
    except NotImplementedError:
        finding.status, finding.message = "not implemented", "not implemented yet"
    except ShortcutFound as error:
        finding.status, finding.message = "refused", str(error)
    except wire.WireError as error:
        finding.status, finding.message = "error", f"what came back cannot be read: {error}"
    except Exception as error:  # noqa: BLE001 the student's exception, or the check's on their odd data, is the finding
        where = "".join(f" ({note})" for note in getattr(error, "__notes__", ()))
        finding.status, finding.message = "error", f"{told(error)}{where}"
    finally:
        torch.manual_seed = original
        torch.set_grad_enabled(True)
        student.not_with = ()
    finding.message = finding.message[:MESSAGE_MOST]
    finding.seconds = time.monotonic() - start
    return finding


def told(error: Exception) -> str:
    """An exception's type and message, in one line if it has no message of more."""
    if isinstance(error, StudentError):
        return str(error)
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _crossing_seed(student: Student) -> Any:
    """`torch.manual_seed` as a check calls it: it seeds this side now, and the student's before its next call."""

    def manual_seed(seed: int) -> torch.Generator:
        student.seed = int(seed)
        return torch.default_generator.manual_seed(student.seed)

    return manual_seed


@lru_cache(maxsize=512)
def _compiled(source: str, name: str) -> CodeType:
    return compile(source, f"<{name}>", "exec", dont_inherit=True)


def exercise_names(exercise: Exercise, check: Check) -> list[str]:
    """The names that the check uses and the reference solution defines: those are looked up at the student's."""
    return _names(exercise.solution, check.source)


@lru_cache(maxsize=512)
def _names(solution: str, check: str) -> list[str]:
    used = {node.id for node in ast.walk(ast.parse(check)) if isinstance(node, ast.Name)}
    return [name for name in defined_names(solution) if name in used]


def _matrix(tensor: torch.Tensor) -> list[list[float | None]]:
    """The first matrix of a tensor, at most 32 × 32, None for what is not finite."""
    flat = tensor.detach().double()
    flat = flat.reshape(-1, flat.shape[-2] if flat.ndim > 1 else 1, flat.shape[-1] if flat.ndim else 1)[0]
    rows: list[list[float]] = flat[:PICTURE_MOST, :PICTURE_MOST].tolist()
    return [[round(v, 6) if abs(v) < 1e300 else None for v in row] for row in rows]
