"""Students' processes for a test: what a test runs in them, and how it asks for what they define."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nbproctor.border.messages import CellRun, Run
from nbproctor.exam.proxies import Student

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
