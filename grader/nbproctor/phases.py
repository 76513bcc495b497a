"""The two phases of a sitting, each in a fresh process that runs the notebook in its order.

In the first the visible checks are reached, in the second the hidden ones. All that a student is ever shown is made in
the first.
"""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import dataclass, field, replace

from nbproctor import examiner
from nbproctor.agenda import Agenda, Cell, mended, postponed
from nbproctor.course import Check, Exercise
from nbproctor.result import CheckResult
from nbproctor.sitting import Room, Sitting, finding
from nbproctor.text import clean, line

TRIES = 4  # how often a notebook is run again with cells in another order, where a name was missing


@dataclass
class Phase:
    """What was found of the visible checks, or of the hidden ones.

    settled: exercises whose other check would find the same. ran: exercise -> the cells as they ran when it was found.
    """

    findings: dict[str, CheckResult] = field(default_factory=dict)
    settled: set[str] = field(default_factory=set)
    printed: dict[str, str] = field(default_factory=dict)
    ran: dict[str, Agenda] = field(default_factory=dict)

    def settle(self, name: str, found: CheckResult) -> None:
        self.findings[name] = found
        self.settled.add(name)

    @property
    def missed(self) -> dict[str, str]:
        """Exercise -> the name whose absence stopped its answer."""
        return {name: f.unknown_name for name, f in self.findings.items() if f.status != "passed" and f.unknown_name}

    def learn(self, later: Phase) -> None:
        """Take from another run what this one could not judge. A verdict stays: there is one attempt."""
        for name, found in later.findings.items():
            if name in self.findings and not _is_unjudged(self.findings[name]):
                continue
            self.findings[name], self.ran[name] = found, later.ran[name]
            self.printed[name] = later.printed.get(name, "")
            self.settled.discard(name)
            self.settled |= later.settled & {name}


def _is_unjudged(found: CheckResult) -> bool:
    """Whether an answer was stopped, or not there, before anything could be said about what it answers."""
    return found.status in ("error", "missing", "not implemented") or bool(found.unknown_name)


def visible_phase(room: Room, agenda: Agenda, refused: dict[str, str]) -> tuple[Phase, Agenda]:
    """The first phase. Returns what was found, and the agenda as it was in the end.

    refused: exercise -> the forbidden name that its source uses; it is not run.
    Where an answer failed for want of a name that a cell further down binds, or a cell of the course that nobody seemed
    to need, the notebook is run again with that cell before it: cells that changed places cost nothing. What was passed
    or failed in an earlier run stays so, whatever a later one would make of it.
    """
    found = Phase()
    for _ in range(TRIES):
        phase, agenda = _run_through(room, agenda, refused)
        found.learn(phase)
        again = None if time.monotonic() > room.end else mended(agenda, found.missed)
        if again is None:
            break
        agenda = again
    return found, agenda


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
    phase.ran = dict.fromkeys(phase.findings, past)
    return phase, past


def hidden_phase(room: Room, visible: Phase) -> Phase:
    """The second phase, for the exercises that the first has not settled. Nothing of it is shown to the student.

    Each hidden check meets the cells in the order in which its visible one was found, or else what the first phase
    found of one answer could decide how another is to be tried.
    """
    phase = Phase()
    for name in visible.settled:
        check = room.exercise(name).hidden
        phase.findings[name] = replace(
            visible.findings[name], grade_id=check.grade_id, hidden=True, max_points=check.points
        )
    waiting = {name: ran for name, ran in visible.ran.items() if name not in visible.settled}
    while waiting:
        agenda = next(iter(waiting.values()))
        names = {name for name, ran in waiting.items() if ran is agenda}
        phase.findings |= _hidden_run(room, agenda, names)
        waiting = {name: ran for name, ran in waiting.items() if name not in names}
    return phase


def _hidden_run(room: Room, agenda: Agenda, names: set[str]) -> dict[str, CheckResult]:
    """What the hidden checks of these exercises find, in a fresh process that runs these cells."""
    found: dict[str, CheckResult] = {}
    agenda = [replace(item) if isinstance(item, Cell) else item for item in agenda]
    with closing(Sitting(room)) as sitting:
        for position, item in enumerate(agenda):
            if isinstance(item, Cell):
                sitting.run(item)
            elif item.hidden and item.exercise in names:
                exercise = room.exercise(item.exercise)
                found[exercise.name] = _reached(sitting, exercise, exercise.hidden, agenda[:position]).finding
    return found


@dataclass(frozen=True)
class _Reached:
    """What a check found at its place.

    is_open: there is no answer yet, and one further down would count. settles: the other check would find the same.
    """

    finding: CheckResult
    is_open: bool = False
    settles: bool = False


def _explained(found: CheckResult, before: Agenda) -> CheckResult:
    """A finding that a name was missing, with what had stopped the cell above that would have bound it, if any did."""
    cells = [cell for cell in before if isinstance(cell, Cell) and found.unknown_name in cell.step.binds]
    trouble = next((cell.trouble for cell in reversed(cells) if cell.trouble), None)
    if trouble is None:
        return found
    words = f"{found.message}\nThe cell above that gives {found.unknown_name} a value had stopped: {trouble.message}"
    return replace(found, message=clean(words, examiner.MESSAGE_MOST))


def _reached(sitting: Sitting, exercise: Exercise, check: Check, before: Agenda) -> _Reached:
    """What a check finds at its place, after the cells `before`."""
    mine = [cell for cell in before if isinstance(cell, Cell) and exercise.name in (cell.step.of, *cell.step.completes)]
    trouble = next((cell.trouble for cell in reversed(mine) if cell.trouble), None)
    if sitting.is_over:
        used = f"the {sitting.room.limits.submission_s:g} s for the whole submission were used up before it"
        found = finding(check, trouble.status, trouble.message) if trouble else finding(check, "timeout", line(used))
        return _Reached(found, settles=True)
    found = sitting.check(exercise, check)
    found = _explained(found, before) if found.unknown_name else found
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
