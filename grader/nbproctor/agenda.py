"""The order in which a submission's cells run and its checks are reached, and how it changes while it is being run.

An agenda is a list of cells and of the places of checks. Nothing runs here: what a run has found comes in, and the
agenda of the next run goes out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from nbproctor.match import Place, Plan, Step
from nbproctor.result import Status
from nbproctor.text import EMPTY, Clean


@dataclass(frozen=True)
class Trouble:
    """What stopped a cell. `unknown_name` and `met_limit` as in `CheckResult`."""

    status: Status
    message: Clean
    unknown_name: Clean = EMPTY
    met_limit: bool = False


@dataclass
class Cell:
    """A step of the plan while it is being run: what runs of it, what it printed, what stopped it."""

    step: Step
    source: str
    runs: bool
    printed: str = ""
    trouble: Trouble | None = None


Agenda = list[Cell | Place]


def agenda_of(plan: Plan) -> Agenda:
    """The agenda that the first run begins with."""
    return [item if isinstance(item, Place) else Cell(item, item.source, item.needed) for item in plan.agenda]


def postponed(past: Agenda, left: Agenda, exercise: str) -> tuple[Agenda, Agenda] | None:
    """What has been run and what is left, both checks of the exercise moved behind the last cell that may answer it.

    None where no cell further down may.
    """
    below = [n for n, item in enumerate(left) if isinstance(item, Cell) and exercise in item.step.completes]
    if not below:
        return None
    places: Agenda = [item for item in (*past, *left) if isinstance(item, Place) and item.exercise == exercise]
    until, rest = left[: below[-1] + 1], left[below[-1] + 1 :]
    return _without(past, places), [*_without(until, places), *places, *_without(rest, places)]


def _without(agenda: Agenda, places: Agenda) -> Agenda:
    return [item for item in agenda if item not in places]


def mended(agenda: Agenda, missed: dict[str, str]) -> Agenda | None:
    """The agenda with the cells brought forward, or woken, whose names were missed; None where there are none.

    missed: exercise -> the name whose absence stopped its answer.
    """
    if not missed:
        return None
    wanted: list[tuple[int, str]] = []
    for position, item in enumerate(agenda):
        if isinstance(item, Place) and item.exercise in missed:
            wanted.append((position, missed[item.exercise]))
        elif isinstance(item, Cell) and item.trouble and item.trouble.unknown_name:
            wanted.append((position, item.trouble.unknown_name))
    moves: dict[int, int] = {}  # where a cell stands -> where it is to stand
    for position, name in wanted:
        below = [
            n for n, item in enumerate(agenda) if n > position and isinstance(item, Cell) and name in item.step.binds
        ]
        if below:
            moves[below[0]] = min(position, moves.get(below[0], position))
    names = {name for _, name in wanted}
    asleep = any(isinstance(item, Cell) and not item.runs and names & set(item.step.binds) for item in agenda)
    return _rearranged(agenda, moves, asleep) if moves or asleep else None


def _rearranged(agenda: Agenda, moves: dict[int, int], awake: bool) -> Agenda:
    """The agenda with some cells elsewhere, ready to be run again; `awake` lets the course's cells run, too."""
    made: Agenda = []
    for position, item in enumerate(agenda):
        made += [agenda[source] for source, to in moves.items() if to == position]
        made += [] if position in moves else [item]
    return [
        replace(item, trouble=None, printed="", runs=item.runs or awake) if isinstance(item, Cell) else item
        for item in made
    ]


def answer_cell(exercise: str, agenda: Sequence[Cell | Place]) -> Cell | None:
    """The cell that bound the answer last before its visible check, or else the exercise's own."""
    place = next(n for n, item in enumerate(agenda) if item == Place(exercise, False))
    before = [item for item in agenda[:place] if isinstance(item, Cell)]
    bound = [
        cell for cell in before if exercise in cell.step.completes or (exercise in cell.step.binds and cell.step.own)
    ]
    own = [item for item in agenda if isinstance(item, Cell) and item.step.of == exercise]
    return next(reversed(bound), None) or next(reversed(own), None)
