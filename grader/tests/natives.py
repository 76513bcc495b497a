"""What the proxies' tests share: a definition on this side as well, and a check of an answer."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from nbproctor import examiner
from nbproctor.course import Check, Exercise
from nbproctor.proxies import Student
from nbproctor.result import CheckResult


def native(name: str, source: str) -> Any:
    """The same definition on this side."""
    names: dict[str, Any] = {"torch": torch, "nn": nn}
    exec(source, names)  # noqa: S102 our own text
    return names[name]


def graded(student: Student, solution: str, check: str, not_with: tuple[str, ...] = ()) -> CheckResult:
    """What the examiner finds when it runs `check` on what the student has defined."""
    made = Check("check_it", 1.0, check, hidden=False)
    exercise = Exercise("it", "", solution, made, made, not_with)
    return examiner.run_check(examiner.Desk({"torch": torch, "nn": nn}), exercise, made, student, 7)
