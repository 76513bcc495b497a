"""How long a student's code may take."""

from dataclasses import dataclass

CELL_S = 10.0
SUBMISSION_S = 60.0


@dataclass(frozen=True)
class Limits:
    """Wall-clock bounds in seconds: for one cell of the student's or one check, and for a whole submission.

    `draw` is added to the seed of each check: a verdict that changes with it hangs on luck.
    """

    cell_s: float = CELL_S
    submission_s: float = SUBMISSION_S
    draw: int = 0
