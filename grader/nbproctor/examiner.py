"""The examiner's side: runs check cells on proxies of what the student defined. No student's line runs here."""

from __future__ import annotations

import ast
import builtins
import time
import zlib
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import torch

from nbproctor import wire
from nbproctor.conversation import Conversations, Keeper, Log, Unrepeatable
from nbproctor.course import Check, Exercise, Unit
from nbproctor.failures import (
    ArgumentChanged,
    NotDefined,
    ShortcutFound,
    StudentError,
    met_limit,
    met_two_widths,
    unknown_name,
)
from nbproctor.match import Read
from nbproctor.notebook import defined_names
from nbproctor.proxies import Student
from nbproctor.result import CheckResult, Matrix, Picture, Status
from nbproctor.sound import compiled
from nbproctor.text import Clean, clean

PICTURE_MOST = 32
MESSAGE_MOST = 2000
CHANGED = (
    "`{}` changed one of its arguments in place. Is there a `+=` or a method ending in `_` on it? "
    "Make a tensor of your own."
)
CLOCKS = ("time", "timeit", "datetime", "resource")  # modules that tell how long an answer took
NOT_IMPLEMENTED = "not implemented yet"  # what every stub of the course raises


@dataclass
class Desk:
    """An examiner's names: the setup cell's, once run; how the source of a submission is read; a place where a failing
    comparison leaves its picture; and what checks have asked and heard so far.

    setup_known_as: the name by which students' processes know the setup cell; "" until it is told to them.
    """

    names: dict[str, Any]
    read: Read
    pictures: list[Picture] = field(default_factory=list)
    conversations: Conversations = field(default_factory=Conversations)
    setup: str = ""
    setup_known_as: str = ""

    def furnish(self) -> None:
        """Run the setup cell: after each check that ran, too. What it did to a list or an object of the cell's, or had
        a student do, who called a function of it, is gone for the next one. The course's take less than 1 ms."""
        self.names = {"__name__": "__main__", "__builtins__": builtins}
        exec(compiled(self.setup), self.names)  # noqa: S102 the instructor's cell
        self.names["draw_difference"] = lambda yours, expected: self.pictures.append(
            Picture(_matrix(expected), _matrix(yours))
        )
        self.names["print"] = lambda *_, **__: None


def prepare(unit: Unit, read: Read, log: Log | None = None) -> Desk:
    """Run the instructor's setup cell. Failing comparisons are kept for the report instead of being drawn, and the line
    that a check prints for a reader when it passes goes nowhere.

    log: where other workers tell what this unit's checks have asked and heard.
    """
    torch.set_num_threads(1)
    desk = Desk({}, read, conversations=Conversations(log), setup=unit.setup)
    desk.furnish()
    return desk


def read_checks(unit: Unit) -> None:
    """Compile the unit's setup and checks, so that the processes that are forked for submissions need not."""
    compiled(unit.setup)
    for exercise in unit.exercises:
        for check in (exercise.check, exercise.hidden):
            compiled(check.source)
            exercise_names(exercise, check)


def run_check(desk: Desk, exercise: Exercise, check: Check, student: Student, draw: int) -> CheckResult:
    """Run one check cell on the student's objects and say what it found. Raises StudentGone where they are gone.

    Where they answer as another student did, the same is found, and the cell does not run (`conversation`).
    A cell that reads a clock always runs: what it finds does not follow from the answers alone.
    Raises Unrepeatable where a cell says something else than before, since it draws numbers of its own. None of its
    conversations is kept any more, and another process of theirs can be asked.
    """
    began = time.monotonic()
    start = None if _reads_a_clock(check.source, desk.setup) else desk.conversations.start(check.grade_id)
    found = student.line.follow(start) if start else None
    if found is None:
        keeper = Keeper(desk.conversations, start) if start else None
        try:
            with student.line.kept_by(keeper):
                found = _run(desk, exercise, check, student, draw)
            if keeper:
                keeper.finds(found)
        except Unrepeatable:
            desk.conversations.drop(check.grade_id)
            raise
    return replace(found, seconds=round(time.monotonic() - began, 4))


def _run(desk: Desk, exercise: Exercise, check: Check, student: Student, draw: int) -> CheckResult:
    """Run the cell. Where it meets float64 in place of float32, and the student's cells have made that the default, it
    runs once more with the student's default, as in their notebook: there their tensors fit those of the check.

    Nobody has two guesses by that. What an answer says in the first run counts, right or wrong, unless it comes to
    nothing because two widths do not go together; and a check that calls nothing over there is not run again. A
    RuntimeError alone can say so, which no check asks for: a ValueError is an answer, whatever it says.
    """
    found = _run_once(desk, exercise, check, student, draw)
    if student.is_wide and next(student.calls) > 0 and student.met_two_widths:
        again = _run_once(desk, exercise, check, student, draw, wide=True)
        found = again if again.status == "passed" else found
    return found


def _run_once(  # noqa: PLR0913 what a check is run with
    desk: Desk, exercise: Exercise, check: Check, student: Student, draw: int, *, wide: bool = False
) -> CheckResult:
    """Run the cell; wide: with float64 as the default dtype, on both sides.

    The check draws its own random numbers. The student's begin alike for every check of a draw, and a check that calls
    `torch.manual_seed` seeds its own alone, or else the seed would tell which check is running.
    """
    desk.pictures.clear()
    torch.default_generator.manual_seed(zlib.crc32(check.grade_id.encode()) + draw)
    # torch's own formats a traceback for CUDA each time, and keeps it.
    original, torch.manual_seed = torch.manual_seed, torch.default_generator.manual_seed
    try:
        student.begin(draw, wide)
        torch.set_default_dtype(torch.float64 if wide else torch.float32)
        student.not_with = exercise.not_with
        names = dict(desk.names)
        for name in exercise_names(exercise, check):
            names[name] = student.lookup(name)
        exec(compiled(check.source), names)  # noqa: S102 the instructor's cell
        if student.changed_list:
            raise ArgumentChanged
        return CheckResult(check.grade_id, check.hidden, check.points, "passed")
    except NotDefined as error:
        status: Status = "missing" if error.name == exercise.name else "error"
        return CheckResult(check.grade_id, check.hidden, check.points, status, _told(f"NameError: {error}"))
    except ShortcutFound as error:
        return CheckResult(check.grade_id, check.hidden, check.points, "refused", _told(str(error)))
    except ArgumentChanged:
        return CheckResult(check.grade_id, check.hidden, check.points, "failed", _told(CHANGED.format(exercise.name)))
    except Exception as error:  # noqa: BLE001 the student's exception, or the check's on their odd data, is the finding
        student.met_two_widths = met_two_widths(error)
        return _stopped(check, error, desk)
    finally:
        torch.manual_seed = original
        torch.set_default_dtype(torch.float32)
        torch.set_grad_enabled(True)
        student.not_with = ()
        student.forget()
        if desk.setup:
            desk.furnish()


def _told(message: str) -> Clean:
    return clean(message, MESSAGE_MOST)


def _stopped(check: Check, error: Exception, desk: Desk) -> CheckResult:
    """The finding of a check that an exception ended."""
    found = CheckResult(check.grade_id, check.hidden, check.points, "error", unknown_name=clean(unknown_name(error)))
    if isinstance(error, AssertionError):
        message = _told(str(error) or "the check failed without a message")
        return replace(found, status="failed", message=message, picture=next(iter(desk.pictures), None))
    if is_stub(error):
        return replace(found, status="not implemented", message=_told(NOT_IMPLEMENTED))
    if isinstance(error, wire.WireError):
        return replace(found, message=_told(f"what came back cannot be read: {error}"), met_limit=True)
    return replace(found, message=_told(told_with_place(error)), met_limit=met_limit(error))


def is_stub(error: Exception) -> bool:
    """Whether the exception is that of a stub, and not one of a library's."""
    return isinstance(error, NotImplementedError) and str(error) in ("", NOT_IMPLEMENTED)


def told(error: Exception) -> str:
    """An exception's type and message, in one line if it has no message of more."""
    if isinstance(error, StudentError):
        return str(error)
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def told_with_place(error: Exception) -> str:
    return told(error) + "".join(f" ({note})" for note in getattr(error, "__notes__", ()))


def exercise_names(exercise: Exercise, check: Check) -> list[str]:
    """The names that the check uses and the reference solution defines: those are looked up at the student's."""
    return _names(exercise.solution, check.source)


@lru_cache(maxsize=512)
def _reads_a_clock(source: str, setup: str) -> bool:
    return bool(_mentioned(ast.parse(source)) & _clocks_of(setup))


@lru_cache(maxsize=64)
def _clocks_of(setup: str) -> frozenset[str]:
    """The names by which a check may read a clock: the modules, and what the setup cell makes of them."""
    clocks, count = set(CLOCKS), 0
    while len(clocks) > count:  # a helper may use a helper
        count = len(clocks)
        for one in ast.walk(ast.parse(setup)):
            if isinstance(one, ast.Import):
                clocks |= {alias.asname or alias.name for alias in one.names if alias.name in clocks}
            elif isinstance(one, ast.ImportFrom) and one.module in clocks:
                clocks |= {alias.asname or alias.name for alias in one.names}
            elif isinstance(one, (ast.FunctionDef, ast.ClassDef)) and _mentioned(one) & clocks:
                clocks.add(one.name)
            elif isinstance(one, ast.Assign) and _mentioned(one.value) & clocks:
                clocks |= {n.id for target in one.targets for n in ast.walk(target) if isinstance(n, ast.Name)}
    return frozenset(clocks)


def _mentioned(tree: ast.AST) -> set[str]:
    fields = ("id", "module", "name")
    return {str(found) for node in ast.walk(tree) for f in fields if (found := getattr(node, f, None))}


@lru_cache(maxsize=512)
def _names(solution: str, check: str) -> list[str]:
    used = {node.id for node in ast.walk(ast.parse(check)) if isinstance(node, ast.Name)}
    return [name for name in defined_names(solution) if name in used]


def _matrix(tensor: torch.Tensor) -> Matrix:
    """The first matrix of a tensor, at most 32 × 32, None for what is not finite."""
    matrix = tensor.detach().double()
    if matrix.ndim < 2:
        matrix = matrix.reshape(1, -1)
    while matrix.ndim > 2:
        matrix = matrix[0]
    rows: list[list[float]] = matrix[:PICTURE_MOST, :PICTURE_MOST].tolist()
    return tuple(tuple(round(v, 6) if abs(v) < 1e300 else None for v in row) for row in rows)
