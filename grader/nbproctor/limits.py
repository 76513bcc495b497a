"""How long a student's code may take."""

from dataclasses import dataclass

CELL_S = 30.0  # as nbgrader allows, unless it is told something else
SUBMISSION_S = 180.0


@dataclass(frozen=True)
class Limits:
    """Wall-clock bounds in seconds: for one cell of the student's or one check, and for a whole submission, which has
    as long again for its hidden checks.

    `draw` numbers the random draw that the checks make their inputs with; no verdict may depend on it.
    """

    cell_s: float = CELL_S
    submission_s: float = SUBMISSION_S
    draw: int = 0
