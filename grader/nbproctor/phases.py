"""The two phases of a sitting, each in a fresh process that runs the notebook in its order.

In the first the visible checks are reached, in the second the hidden ones. All that a student is ever shown is made in
the first.
"""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import dataclass, field, replace

from nbproctor.agenda import Agenda, Cell, mended, postponed
from nbproctor.course import Check, Exercise
from nbproctor.result import CheckResult
from nbproctor.sitting import Room, Sitting, finding
from nbproctor.text import line

TRIES = 4  # how often a notebook is run again with cells in another order, where a name was missing


@dataclass
class Phase:
    """What one run through the notebook found: the visible checks, or the hidden ones.

    settled: exercises whose other check would find the same.
    """

    findings: dict[str, CheckResult] = field(default_factory=dict)
    settled: set[str] = field(default_factory=set)
    printed: dict[str, str] = field(default_factory=dict)

    def settle(self, name: str, found: CheckResult) -> None:
        self.findings[name] = found
        self.settled.add(name)

    @property
    def missed(self) -> dict[str, str]:
        """Exercise -> the name whose absence stopped its answer."""
        return {name: f.unknown_name for name, f in self.findings.items() if f.status != "passed" and f.unknown_name}


def visible_phase(room: Room, agenda: Agenda, refused: dict[str, str]) -> tuple[Phase, Agenda]:
    """The first phase. Returns what was found, and the agenda as it was in the end.

    refused: exercise -> the forbidden name that its source uses; it is not run.
    Where an answer failed for want of a name that a cell further down binds, or a cell of the course that nobody seemed
    to need, the notebook is run again with that cell before it: cells that changed places cost nothing.
    """
    for _ in range(TRIES):
        phase, agenda = _run_through(room, agenda, refused)
        again = None if time.monotonic() > room.end else mended(agenda, phase.missed)
        if again is None:
            break
        agenda = again
    return phase, agenda


def _run_through(room: Room, agenda: Agenda, refused: dict[str, str]) -> tuple[Phase, Agenda]:
    """Run the cells in a fresh process, and each visible check where it is reached."""
    phase = Phase()
    past: Agenda = []
    left = list(agenda)
    with closing(Sitting(room)) as sitting:
        while left:
            item, *left = left
            past.append(item)
            if isinstance(item, Cell):
                sitting.run(item)
                continue
            if item.hidden:
                continue
            exercise = room.exercise(item.exercise)
            if exercise.name in refused:
                used = f"the cell uses {refused[exercise.name]}, which this exercise asks you to build"
                phase.settle(exercise.name, finding(exercise.check, "refused", line(used)))
                continue
            found = _reached(sitting, exercise, exercise.check, past)
            if found.is_open and not sitting.is_over and (later := postponed(past, left, exercise.name)):
                past, left = later
                continue
            phase.findings[exercise.name] = found.finding
            phase.printed[exercise.name] = sitting.printed()
            if found.settles:
                phase.settled.add(exercise.name)
    return phase, past


def hidden_phase(room: Room, visible: Phase, agenda: Agenda) -> Phase:
    """The second phase, for the exercises that the first has not settled. Nothing of it is shown to the student."""
    phase = Phase()
    for name in visible.settled:
        check = room.exercise(name).hidden
        phase.findings[name] = replace(
            visible.findings[name], grade_id=check.grade_id, hidden=True, max_points=check.points
        )
    if len(phase.findings) == len(visible.findings):
        return phase
    agenda = [replace(item) if isinstance(item, Cell) else item for item in agenda]
    with closing(Sitting(room)) as sitting:
        for position, item in enumerate(agenda):
            if isinstance(item, Cell):
                sitting.run(item)
            elif item.hidden and item.exercise not in visible.settled:
                exercise = room.exercise(item.exercise)
                found = _reached(sitting, exercise, exercise.hidden, agenda[:position])
                phase.findings[exercise.name] = found.finding
    return phase


@dataclass(frozen=True)
class _Reached:
    """What a check found at its place.

    is_open: there is no answer yet, and one further down would count. settles: the other check would find the same.
    """

    finding: CheckResult
    is_open: bool = False
    settles: bool = False


def _reached(sitting: Sitting, exercise: Exercise, check: Check, before: Agenda) -> _Reached:
    """What a check finds at its place, after the cells `before`."""
    mine = [cell for cell in before if isinstance(cell, Cell) and exercise.name in (cell.step.of, *cell.step.completes)]
    trouble = next((cell.trouble for cell in reversed(mine) if cell.trouble), None)
    if sitting.is_over:
        used = f"the {sitting.room.limits.submission_s:g} s for the whole submission were used up before it"
        found = finding(check, trouble.status, trouble.message) if trouble else finding(check, "timeout", line(used))
        return _Reached(found, settles=True)
    found = sitting.check(exercise, check)
    if found.status != "missing":
        return _Reached(found, found.status == "not implemented", found.status in ("refused", "timeout", "died"))
    if trouble is not None:
        found = replace(
            found, status=trouble.status, message=trouble.message, met_limit=trouble.met_limit,
            unknown_name=trouble.unknown_name,
        )  # fmt: skip
    elif mine:
        found = replace(found, status="error")
    else:
        found = replace(found, message=line("no cell answers it"))
    return _Reached(found, is_open=True, settles=True)
