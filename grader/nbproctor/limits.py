"""How long a student's code may take, and what it says that met a limit."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

CELL_S = 10.0
SUBMISSION_S = 60.0
# What an answer stops with that met a limit of the sandbox, of Python, or of what may come back.
MET = re.compile(
    r"MemoryError|RecursionError|SystemExit|BlockingIOError|can't (start new thread|allocate memory)|cannot be read"
)


@dataclass(frozen=True)
class Limits:
    """Wall-clock bounds in seconds: for one cell of the student's or one check, and for a whole submission.

    `draw` numbers the random draw that the checks make their inputs with; no verdict may depend on it.
    """

    cell_s: float = CELL_S
    submission_s: float = SUBMISSION_S
    draw: int = 0


def ran_away(report: Mapping[str, Any]) -> bool:
    """Whether an exercise of a result was ended by a limit, whichever; an instructor should look at it."""
    told = [check["message"] for check in report["checks"] if check["status"] == "error"]
    return report["status"] in ("timeout", "died") or any(MET.search(message) for message in told)
