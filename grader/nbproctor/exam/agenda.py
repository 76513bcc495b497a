"""The order in which a submission's cells run and its checks are reached, and how it changes from run to run.

An agenda is a list of cells and of the places of checks. Nothing runs in this module: its functions take what a run has
found, and return the agenda of the next run.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from nbproctor.source.match import Place, Plan, Step
from nbproctor.values.result import Status
from nbproctor.values.text import EMPTY, Clean


@dataclass(frozen=True)
class Trouble:
    """What stopped a cell. `unknown_name`, `met_limit` and `lacks` mean the same as in `CheckResult`."""

    status: Status
    message: Clean
    unknown_name: Clean = EMPTY
    met_limit: bool = False
    lacks: Clean = EMPTY


@dataclass
class Cell:
    """A step of the plan while it is being run.

    source: the code. runs: whether it is run at all. printed: what it has printed. trouble: what stopped it, if
    anything did.
    """

    step: Step
    source: str
    runs: bool
    printed: str = ""
    trouble: Trouble | None = None


Agenda = list[Cell | Place]


def agenda_of(plan: Plan) -> Agenda:
    """Return the agenda that the first run begins with."""
    return [item if isinstance(item, Place) else Cell(item, item.source, item.needed) for item in plan.agenda]


def postponed(past: Agenda, left: Agenda, exercise: str) -> tuple[Agenda, Agenda] | None:
    """Move both checks of an exercise behind the last cell that may answer it.

    Returns what has been run and what is left, as two agendas; None where no cell that is left may answer the exercise.
    """
    below = [n for n, item in enumerate(left) if isinstance(item, Cell) and exercise in item.step.completes]
    if not below:
        return None
    places: Agenda = [item for item in (*past, *left) if isinstance(item, Place) and item.exercise == exercise]
    until, rest = left[: below[-1] + 1], left[below[-1] + 1 :]
    return _without(past, places), [*_without(until, places), *places, *_without(rest, places)]


def _without(agenda: Agenda, places: Agenda) -> Agenda:
    return [item for item in agenda if item not in places]


def reordered(agenda: Agenda, missed: dict[str, str]) -> Agenda | None:
    """Return the agenda with the cells that define missing names brought forward; None where that changes nothing.

    Where such a name is defined in a cell of the course that did not run, all cells of the agenda run next time.

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
    """Return the agenda with some cells moved, ready to be run again.

    moves: where a cell stands -> where it is to stand. awake: whether the course's cells run, too.
    """
    made: Agenda = []
    for position, item in enumerate(agenda):
        made += [agenda[source] for source, to in moves.items() if to == position]
        made += [] if position in moves else [item]
    return [
        replace(item, trouble=None, printed="", runs=item.runs or awake) if isinstance(item, Cell) else item
        for item in made
    ]


def answer_cell(exercise: str, agenda: Sequence[Cell | Place]) -> Cell | None:
    """Return the last cell before the visible check that bound the exercise's name, or else the exercise's own cell."""
    place = next(n for n, item in enumerate(agenda) if item == Place(exercise, False))
    before = [item for item in agenda[:place] if isinstance(item, Cell)]
    bound = [
        cell for cell in before if exercise in cell.step.completes or (exercise in cell.step.binds and cell.step.own)
    ]
    own = [item for item in agenda if isinstance(item, Cell) and item.step.of == exercise]
    return next(reversed(bound), None) or next(reversed(own), None)
