"""Students' processes for a test: runs cells in them, asks for what they define, and has a check run on it."""

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from nbproctor.border.messages import CellRun, Run
from nbproctor.course.units import Check, Exercise
from nbproctor.exam import examiner
from nbproctor.exam.conversation import Kept
from nbproctor.exam.proxies import Student
from nbproctor.values.result import CheckResult

PATIENCE_S = 120.0  # generous, for a machine on which other work runs as well
LIFETIME_S = 300.0
Hire = Callable[[], Student]


def run(student: Student, source: str) -> str:
    """Run a cell in the student's process and return what it printed; an error in the cell is raised here."""
    student.line.printed.clear()
    student.ask(Run(source), CellRun)
    return "".join(student.line.printed)


def defined(student: Student, name: str, source: str) -> Any:
    """Run a cell and return what `name` is bound to afterwards, as the examiner sees it."""
    run(student, source)
    return student.lookup(name)


def native(name: str, source: str) -> Any:
    """Run this definition in the examiner's process, to compare with the student's. Returns what it defines."""
    names: dict[str, Any] = {"torch": torch, "nn": nn, "__name__": "__main__"}
    exec(source, names)  # noqa: S102 our own text
    return names[name]


class _Desk(examiner.Desk):
    """A desk whose checks see these names, too."""

    more: dict[str, Any]

    def check_namespace(self, student: Student) -> dict[str, Any]:
        return super().check_namespace(student) | self.more


def graded(  # noqa: PLR0913 a check, and what it may be made of
    student: Student, solution: str, check: str, *,
    names: dict[str, Any] | None = None, grade_id: str = "check_it", conversations: Kept | None = None,
) -> CheckResult:  # fmt: skip
    """Run `check`, in which `names` are known, on what the student has defined. Returns what the examiner finds.

    conversations: those that earlier checks have kept, if any.
    """
    made = Check(grade_id, 1.0, check, hidden=False)
    exercise = Exercise("it", "", solution, made, made)
    desk = _Desk("import torch\nfrom torch import nn")
    desk.run_setup()
    desk.more = names or {}
    desk.conversations = {} if conversations is None else conversations
    return examiner.run_check(desk, exercise, made, student)
