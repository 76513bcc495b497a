"""The limits on how long a student's code may run."""

from dataclasses import dataclass

CELL_S = 30.0  # nbgrader's default
SUBMISSION_S = 180.0


@dataclass(frozen=True)
class Limits:
    """Seconds for one cell or check, and for a submission, which has as long again for its hidden checks."""

    cell_s: float = CELL_S
    submission_s: float = SUBMISSION_S
