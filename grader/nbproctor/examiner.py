"""Runs the check cells on proxies of what the student defined. None of the student's code runs in this process."""

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
    """What an examiner needs in order to run the checks of one unit.

    names: what the setup cell has defined. read: reads the source of a submission in a bounded process.
    pictures: where a failing comparison leaves its picture. conversations: what the checks have asked and heard so far.
    setup: the source of the setup cell. setup_known_as: the name by which the students' processes know that cell, ""
    until they have been told of it.
    """

    names: dict[str, Any]
    read: Read
    pictures: list[Picture] = field(default_factory=list)
    conversations: Conversations = field(default_factory=Conversations)
    setup: str = ""
    setup_known_as: str = ""

    def furnish(self) -> None:
        """Run the setup cell and keep the names that it defines.

        This is repeated after every check that ran: the check, or a student's call of one of its functions, may have
        changed a list or an object of the setup cell, and the next check must not see that. The setup cells of the
        course take less than 1 ms.
        """
        self.names = {"__name__": "__main__", "__builtins__": builtins}
        exec(compiled(self.setup), self.names)  # noqa: S102 the instructor's cell
        self.names["draw_difference"] = lambda yours, expected: self.pictures.append(
            Picture(_matrix(expected), _matrix(yours))
        )
        self.names["print"] = lambda *_, **__: None


def prepare(unit: Unit, read: Read, log: Log | None = None) -> Desk:
    """Return a desk on which the instructor's setup cell has run.

    Failing comparisons are kept for the report instead of being drawn. The line that a check prints for a reader when
    it passes is discarded.

    log: where the workers of a class share what this unit's checks have asked and heard.
    """
    torch.set_num_threads(1)
    desk = Desk({}, read, conversations=Conversations(log), setup=unit.setup)
    desk.furnish()
    return desk


def read_checks(unit: Unit) -> None:
    """Compile the unit's setup and check cells once, so that the workers, which are forked later, need not."""
    compiled(unit.setup)
    for exercise in unit.exercises:
        for check in (exercise.check, exercise.hidden):
            compiled(check.source)
            exercise_names(exercise, check)


def run_check(desk: Desk, exercise: Exercise, check: Check, student: Student, draw: int) -> CheckResult:
    """Run one check cell on the student's objects and return what it found.

    Where the student's process answers as another student's did, the finding is the same, and the cell does not run
    (`conversation`). A cell that reads a clock always runs, since its finding does not follow from the answers alone.

    Raises StudentGone where the student's process has died or no longer answers. Raises Unrepeatable where the cell
    has heard the same answers as before, but asks or finds something else, because it draws unseeded random numbers.
    From then on none of its conversations is kept, so the caller can run it again on a fresh process of the student.
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
    """Run the cell, and once more in float64 where the first run failed only because float32 met float64.

    A student may have made float64 the default dtype. In their own notebook their tensors then fit those of the check;
    here the check uses float32, and torch refuses to combine the two. The second run uses the student's default.

    Nobody gets a second guess this way. The first run counts, right or wrong, unless torch refused to combine the two
    dtypes, and a check that has called nothing of the student's is not run again. Only a RuntimeError counts as such a
    refusal, because no check asks for one; a ValueError may be the answer that a check expects, whatever it says.
    """
    found = _run_once(desk, exercise, check, student, draw)
    if student.is_wide and next(student.calls) > 0 and student.met_two_widths:
        again = _run_once(desk, exercise, check, student, draw, wide=True)
        found = again if again.status == "passed" else found
    return found


def _run_once(  # noqa: PLR0913 all of these decide how the check runs
    desk: Desk, exercise: Exercise, check: Check, student: Student, draw: int, *, wide: bool = False
) -> CheckResult:
    """Run the cell once and return what it found.

    wide: whether float64 is the default dtype, both here and in the student's process.

    The check has its own random generator. The student's generator starts from the same seed for every check of a draw,
    and `torch.manual_seed` in a check seeds only the check's own: otherwise the seed would reveal to the student's code
    which check is running.
    """
    desk.pictures.clear()
    torch.default_generator.manual_seed(zlib.crc32(check.grade_id.encode()) + draw)
    # torch.manual_seed itself formats a traceback for CUDA on every call, and keeps it.
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
    except Exception as error:  # noqa: BLE001 an exception of the student's, or of the check on odd data, is a finding
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
    """Return the finding of a check that was ended by an exception."""
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
    """Whether the exception comes from a stub of the course, and not from a library."""
    return isinstance(error, NotImplementedError) and str(error) in ("", NOT_IMPLEMENTED)


def told(error: Exception) -> str:
    """Return an exception's type and message, on one line unless the message itself has more."""
    if isinstance(error, StudentError):
        return str(error)
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def told_with_place(error: Exception) -> str:
    return told(error) + "".join(f" ({note})" for note in getattr(error, "__notes__", ()))


def exercise_names(exercise: Exercise, check: Check) -> list[str]:
    """Return the names that the check uses and the reference solution defines: these are fetched from the student."""
    return _names(exercise.solution, check.source)


@lru_cache(maxsize=512)
def _reads_a_clock(source: str, setup: str) -> bool:
    return bool(_mentioned(ast.parse(source)) & _clocks_of(setup))


@lru_cache(maxsize=64)
def _clocks_of(setup: str) -> frozenset[str]:
    """Return the names by which a check may read a clock: modules, and what the setup cell builds on them."""
    clocks, count = set(CLOCKS), 0
    while len(clocks) > count:  # a helper may use another helper
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
    """Return the first matrix of a tensor, cut to at most 32 × 32; None stands for a number that is not finite."""
    matrix = tensor.detach().double()
    if matrix.ndim < 2:
        matrix = matrix.reshape(1, -1)
    while matrix.ndim > 2:
        matrix = matrix[0]
    rows: list[list[float]] = matrix[:PICTURE_MOST, :PICTURE_MOST].tolist()
    return tuple(tuple(round(v, 6) if abs(v) < 1e300 else None for v in row) for row in rows)
