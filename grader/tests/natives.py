"""Helpers of the proxies' tests: they make a definition in this process too, and check a student's answer."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from nbproctor.course.units import Check, Exercise
from nbproctor.exam import examiner
from nbproctor.exam.conversation import Kept
from nbproctor.exam.proxies import Student
from nbproctor.values.result import CheckResult


def native(name: str, source: str) -> Any:
    """Run this definition in the examiner's process, to compare with the student's. Returns what it defines."""
    names: dict[str, Any] = {"torch": torch, "nn": nn}
    exec(source, names)  # noqa: S102 our own text
    return names[name]


class _Desk(examiner.Desk):
    """A desk whose checks see these names, too."""

    more: dict[str, Any]

    def lay_out(self, student: Student) -> dict[str, Any]:
        return super().lay_out(student) | self.more


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
    desk.furnish()
    desk.more = names or {}
    desk.conversations = {} if conversations is None else conversations
    return examiner.run_check(desk, exercise, made, student)
