"""What the proxies' tests share: a definition on this side as well, and a check of an answer."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from nbproctor import examiner
from nbproctor.conversation import Conversations
from nbproctor.course import Check, Exercise
from nbproctor.match import reader
from nbproctor.proxies import Student
from nbproctor.result import CheckResult


def native(name: str, source: str) -> Any:
    """The same definition on this side."""
    names: dict[str, Any] = {"torch": torch, "nn": nn}
    exec(source, names)  # noqa: S102 our own text
    return names[name]


def graded(  # noqa: PLR0913 a check, and what it may be made of
    student: Student, solution: str, check: str, not_with: tuple[str, ...] = (), *,
    names: dict[str, Any] | None = None, grade_id: str = "check_it", conversations: Conversations | None = None,
) -> CheckResult:  # fmt: skip
    """What the examiner finds when it runs `check`, in which `names` are known, on what the student has defined.

    conversations: those that were kept before, if any.
    """
    made = Check(grade_id, 1.0, check, hidden=False)
    exercise = Exercise("it", "", solution, made, made, not_with)
    desk = examiner.Desk({"torch": torch, "nn": nn, "__name__": "__main__", **(names or {})}, reader({}))
    desk.conversations = conversations or desk.conversations
    return examiner.run_check(desk, exercise, made, student, 7)
