"""Item analysis: how hard each exercise of a unit was, and how well it separates strong students from weak ones."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from nbproctor.course.units import Unit
from nbproctor.values.grades import Grade, points_of
from nbproctor.values.result import UNWRITTEN, Result


@dataclass(frozen=True)
class Item:
    """One exercise of one unit.

    difficulty: mean share of its points; None if nobody was graded. discrimination: correlation with the points in the
    unit's other exercises, if it can be computed. full, part, none, unwritten: how many students have all, some or no
    points, or wrote nothing.
    """

    name: str
    difficulty: float | None
    discrimination: float | None
    full: int
    part: int
    none: int
    unwritten: int


def analyse(unit: Unit, graded: Sequence[tuple[Result, Grade]]) -> list[Item]:
    """Compute the items of a unit from the submissions that have a score."""
    ids = {exercise.name: (exercise.check.grade_id, exercise.hidden.grade_id) for exercise in unit.exercises}
    points = [{name: points_of(grade.of(pair)) for name, pair in ids.items()} for _, grade in graded]
    statuses = [{exercise.name: exercise.status for exercise in result.exercises} for result, _ in graded]
    found = []
    for exercise in unit.exercises:
        name, most = exercise.name, exercise.max_points
        scored = [(one, status) for one, status in zip(points, statuses, strict=True)
                  if one[name] is not None or status.get(name) != "unavailable"]  # fmt: skip
        own = [one[name] or 0.0 for one, _ in scored]
        rest = [sum(score or 0.0 for score in one.values()) - mine for (one, _), mine in zip(scored, own, strict=True)]
        varied = len(own) >= 3 and len(set(own)) > 1 and len(set(rest)) > 1
        nothing = [mine <= 0 for mine in own]
        unwritten = [zero and status.get(name) in UNWRITTEN for zero, (_, status) in zip(nothing, scored, strict=True)]
        found.append(
            Item(
                name,
                statistics.fmean(own) / most if own and most else None,
                statistics.correlation(own, rest) if varied else None,
                sum(mine >= most for mine in own),
                sum(0 < mine < most for mine in own),
                sum(nothing) - sum(unwritten),
                sum(unwritten),
            )
        )
    return found
