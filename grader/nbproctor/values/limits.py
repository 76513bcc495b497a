"""The limits on how long a student's code may run."""

from dataclasses import dataclass

CELL_S = 30.0  # nbgrader's default
SUBMISSION_S = 180.0


@dataclass(frozen=True)
class Limits:
    """Wall-clock limits in seconds: for one cell of the student's or one check, and for a whole submission.

    The hidden checks of a submission have as long again, in their own run of its cells.
    """

    cell_s: float = CELL_S
    submission_s: float = SUBMISSION_S
