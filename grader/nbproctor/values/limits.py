"""The limits on how long a student's code may run."""

from dataclasses import dataclass

CELL_S = 30.0  # nbgrader's default
SUBMISSION_S = 180.0


@dataclass(frozen=True)
class Limits:
    """Seconds for one cell or check, and for a submission, which has as long again for its hidden checks."""

    cell_s: float = CELL_S
    submission_s: float = SUBMISSION_S


def too_slow(limit_s: float) -> str:
    """Say that a cell, or a function of the student's that a check has called, took too long."""
    return f"the code did not end within {limit_s:g} s. Does a loop ever end?"


def used_up(limit_s: float) -> str:
    """Say that there was no time left for a cell or a check, since others had used it up."""
    return f"the {limit_s:g} s for the whole submission were used up. Which cell takes the most of them?"
