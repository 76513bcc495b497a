"""Runs the check cells on proxies of what the student defined. None of the student's code runs in this process."""

from __future__ import annotations

import ast
import builtins
import inspect
import re
import sys
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import torch
from msgspec.structs import replace

from nbproctor.border import wire
from nbproctor.course.sound import compiled
from nbproctor.course.units import Check, Exercise, Unit
from nbproctor.exam.conversation import Conversations, Keeper, Kept
from nbproctor.exam.failures import ArgumentChanged, NotDefined, StudentError, met_limit, met_two_widths, unknown_name
from nbproctor.exam.lacks import UNSCORED, lack
from nbproctor.exam.proxies import Student
from nbproctor.values.notebook import defined_names
from nbproctor.values.result import CheckResult, Matrix, Picture, Status
from nbproctor.values.text import clean

PICTURE_MOST = 32
MESSAGE_MOST = 2000
CHANGED = (
    "`{}` changed one of its arguments in place. Is there a `+=` or a method ending in `_` on it? "
    "Make a tensor of your own."
)
# Matches a use of the modules that tell how long an answer took.
CLOCKS = re.compile(r"\b(?:time|timeit|datetime|resource)\.\w|\b(?:from|import) +(?:time|timeit|datetime|resource)\b")
NOT_IMPLEMENTED = "not implemented yet"  # what every stub of the course raises


@dataclass
class Desk:
    """What an examiner needs in order to run the checks of one unit.

    setup: the source of the setup cell. base: what it has defined. is_ours: whether that includes `check`, which runs
    the checks of the course (`checking`). pictures: where a failing comparison leaves its picture. conversations: what
    the checks have asked and heard so far.
    """

    setup: str
    pictures: list[Picture] = field(default_factory=list)
    conversations: Kept = field(default_factory=dict)
    base: dict[str, Any] = field(default_factory=dict)
    is_ours: bool = False

    def run_setup(self) -> None:
        """Run the setup cell, and give the checks that it brings a picture board that is the grader's."""
        self.base = {"__name__": "__main__", "__builtins__": builtins}
        exec(compiled(self.setup), self.base)  # noqa: S102 the instructor's cell
        brought = sys.modules.get("checking.notebook")
        self.is_ours = bool(brought) and isinstance(self.base.get("check"), vars(brought)["Notebook"])
        if self.is_ours:
            vars(sys.modules["checking.pictures"])["draw_difference"] = self.draw

    def check_namespace(self, student: Student) -> dict[str, Any]:
        """The names that a check sees, without those of the student."""
        names = self.base | {"print": lambda *_, **__: None}
        if self.is_ours:
            names["check"] = check = type(names["check"])(names["check"].module)
            check.say, check.watch = names["print"], lambda forbidden, *_: RemoteWatch(student, forbidden)
        return names

    def draw(self, yours: torch.Tensor, expected: torch.Tensor) -> None:
        self.pictures.append(Picture(_matrix(expected), _matrix(yours)))


class RemoteWatch:
    """What a check takes for its watch (`checking.watch`): the watch itself is in the student's process."""

    def __init__(self, student: Student, names: Iterable[str]) -> None:
        self.student, self.names = student, tuple(names)

    def __enter__(self) -> RemoteWatch:
        self.student.without, self.student.used = self.names, []
        return self

    def __exit__(self, *error: object) -> None:
        self.student.without = ()

    @property
    def used(self) -> list[str]:
        return self.student.used

    def answer(self, it: Any) -> Any:
        return it


def prepare(unit: Unit) -> Desk:
    """Return a desk on which the instructor's setup cell has run.

    Failing comparisons are kept for the report instead of being drawn. The line that a check prints for a reader when
    it passes is discarded.
    """
    torch.set_num_threads(1)
    desk = Desk(unit.setup)
    desk.run_setup()
    return desk


def run_check(desk: Desk, exercise: Exercise, check: Check, student: Student) -> CheckResult:
    """Run one check cell on the student's objects and return what it found.

    Where the student's process answers as another student's did, the finding is the same, and the cell does not run
    (`conversation`). A cell that reads a clock always runs, since its finding does not follow from the answers alone.

    Raises StudentGone where the student's process has died or no longer answers.
    """
    if CLOCKS.search(_text_of(desk, exercise, check)):
        with student.line.kept_by(None):
            return _run(desk, exercise, check, student)
    known = desk.conversations.setdefault(check.grade_id, Conversations())
    if found := student.line.follow(known.start):
        return found
    keeper = Keeper(known)
    with student.line.kept_by(keeper):
        found = _run(desk, exercise, check, student)
    keeper.finds(found)
    return found


def _run(desk: Desk, exercise: Exercise, check: Check, student: Student) -> CheckResult:
    """Run the cell, and once more in float64 where the first run failed only because float32 met float64.

    A student may have made float64 the default dtype. In their own notebook their tensors then fit those of the check;
    here the check uses float32, and torch refuses to combine the two. The second run uses the student's default.

    Nobody gets a second guess this way. The first run counts, right or wrong, unless torch refused to combine the two
    dtypes, and a check that has called nothing of the student's is not run again. Only a RuntimeError counts as such a
    refusal, because no check asks for one; a ValueError may be the answer that a check expects, whatever it says.
    """
    found = _run_once(desk, exercise, check, student)
    if student.is_wide and next(student.calls) > 0 and student.met_two_widths:
        again = _run_once(desk, exercise, check, student, wide=True)
        found = again if again.status == "passed" else found
    return found


def _run_once(  # noqa: PLR0913 all of these decide how the check runs
    desk: Desk, exercise: Exercise, check: Check, student: Student, *, wide: bool = False
) -> CheckResult:
    """Run the cell once and return what it found.

    wide: whether float64 is the default dtype, both here and in the student's process.

    The check has its own random generator. The student's generator starts from the same seed for every check,
    and `torch.manual_seed` in a check seeds only the check's own: otherwise the seed would reveal to the student's code
    which check is running.
    """
    desk.pictures.clear()
    torch.default_generator.manual_seed(zlib.crc32(check.grade_id.encode()))
    # torch.manual_seed itself formats a traceback for CUDA on every call, and keeps it.
    original, torch.manual_seed = torch.manual_seed, torch.default_generator.manual_seed
    try:
        student.begin(wide)
        student.used = []
        torch.set_default_dtype(torch.float64 if wide else torch.float32)
        names = desk.check_namespace(student)
        for name in _names(exercise.solution, check.source):
            names[name] = student.lookup(name)
        exec(compiled(check.source), names)  # noqa: S102 the instructor's cell
        if student.changed_list:
            raise ArgumentChanged
        return finding(check, "passed")
    except NotDefined as error:
        return finding(check, "missing" if error.name == exercise.name else "error", f"NameError: {error}")
    except ArgumentChanged:
        return finding(check, "failed", CHANGED.format(exercise.name))
    except Exception as error:  # noqa: BLE001 an exception of the student's, or of the check on odd data, is a finding
        student.met_two_widths = met_two_widths(error)
        found = _stopped(check, error, desk)
        return replace(found, status="refused", picture=None) if student.used else found
    finally:
        torch.manual_seed = original
        torch.set_default_dtype(torch.float32)
        torch.set_grad_enabled(True)
        student.forget()


def finding(check: Check, status: Status, message: str = "") -> CheckResult:
    return CheckResult(check.grade_id, check.hidden, check.points, status, clean(message, MESSAGE_MOST))


def _stopped(check: Check, error: Exception, desk: Desk) -> CheckResult:
    """Return the finding of a check that was ended by an exception."""
    if missing := lack(error):
        found = replace(finding(check, "unavailable", f"{missing.message} {UNSCORED}"), lacks=missing.todo)
    elif isinstance(error, AssertionError):
        found = finding(check, "failed", str(error) or "the check failed without a message")
        found = replace(found, picture=next(iter(desk.pictures), None))
    elif is_stub(error):
        found = finding(check, "not implemented", NOT_IMPLEMENTED)
    elif isinstance(error, wire.WireError):
        found = replace(finding(check, "error", f"what came back cannot be read: {error}"), met_limit=True)
    else:
        found = replace(finding(check, "error", error_text(error)), met_limit=met_limit(error))
    return replace(found, unknown_name=clean(unknown_name(error)))


def is_stub(error: Exception) -> bool:
    """Whether the exception comes from a stub of the course, and not from a library."""
    return isinstance(error, NotImplementedError) and str(error) in ("", NOT_IMPLEMENTED)


def error_text(error: Exception) -> str:
    """Return an exception's type, message and place, on one line unless the message itself has more."""
    text = str(error)
    if not isinstance(error, StudentError):  # whose message begins with its type
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return text + "".join(f" ({note})" for note in getattr(error, "__notes__", ()))


def _text_of(desk: Desk, exercise: Exercise, check: Check) -> str:
    """The source of a check: a visible one's stands in the unit's module."""
    if check.hidden or not desk.is_ours:
        return check.source
    return _source_of(desk.base["check"].exercises[exercise.name].__wrapped__)


_source_of = lru_cache(maxsize=512)(inspect.getsource)  # which reads the whole module's tokens up to the function's end


@lru_cache(maxsize=512)
def _names(solution: str, check: str) -> list[str]:
    """Return the names that the check uses and the reference solution defines: these are fetched from the student."""
    nodes = [*ast.walk(ast.parse(check))]
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    used |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}  # check.NAME()
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
