"""The two phases in which a submission is graded; each runs the notebook's cells in order, in a fresh process.

The first phase runs the visible checks, the second the hidden ones. Everything that a student is ever shown comes from
the first.
"""

from __future__ import annotations

import re
import time
from contextlib import closing
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from itertools import takewhile

from msgspec.structs import replace

from nbproctor.course.units import Check, Exercise
from nbproctor.exam import examiner
from nbproctor.exam.agenda import Agenda, Cell, Trouble, postponed, reordered
from nbproctor.exam.lacks import UNSCORED
from nbproctor.exam.sitting import Sitting, SittingContext
from nbproctor.values.limits import used_up
from nbproctor.values.result import CheckResult
from nbproctor.values.text import clean, line

SETTLED = ("refused", "timeout", "died", "unavailable")  # what one check finds so, the other would find, too
MARK, STUB = "YOUR CODE HERE", 'raise NotImplementedError("not implemented yet")'  # the two lines of a stub
UNJUDGED = ("error", "missing", "not implemented", "unavailable")  # it could not be said whether the answer is right
TRIES = 4  # runs of a notebook at most: where a name was missing, it is run again with cells moved or added


@dataclass
class Phase:
    """What the visible checks found, or what the hidden ones found.

    settled: exercises whose hidden check would find the same, so that it need not run. printed: exercise -> what the
    student's code printed while the check ran. ran: exercise -> the agenda as it ran when the exercise was checked.
    values: exercise that asks for a value -> a hash of the value that was checked.
    """

    findings: dict[str, CheckResult] = field(default_factory=dict)
    settled: set[str] = field(default_factory=set)
    printed: dict[str, str] = field(default_factory=dict)
    ran: dict[str, Agenda] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)

    @property
    def missed(self) -> dict[str, str]:
        """Each exercise whose answer stopped because a name was missing -> that name."""
        return {name: f.unknown_name for name, f in self.findings.items() if f.status != "passed" and f.unknown_name}

    def learn(self, later: Phase) -> None:
        """Take from a later run the findings on exercises that this one could not judge.

        Where this run has come to a verdict, that verdict stays: a student has one attempt.
        """
        for name, found in later.findings.items():
            known = self.findings.get(name)
            if known and known.status not in UNJUDGED and not known.unknown_name:
                continue
            self.findings[name], self.ran[name] = found, later.ran[name]
            self.printed[name] = later.printed.get(name, "")
            self.values |= {one: value for one, value in later.values.items() if one == name}
            self.settled.discard(name)
            self.settled |= later.settled & {name}


def visible_phase(context: SittingContext, agenda: Agenda) -> tuple[Phase, Agenda]:
    """Run the first phase. Returns what was found, and the agenda of the last run.

    An answer may fail because a name is missing that a cell further down binds, or a cell of the course that seemed
    unneeded and did not run. Then the notebook is run again with that cell above the answer, so that cells in another
    order cost no points. What passed or failed in an earlier run stays so, whatever a later run would find.
    """
    found = Phase()
    for _ in range(TRIES):
        phase, agenda = _run_through(context, agenda)
        found.learn(phase)
        again = None if time.monotonic() > context.end else reordered(agenda, found.missed)
        if again is None:
            break
        agenda = again
    return found, agenda


def _run_through(context: SittingContext, agenda: Agenda) -> tuple[Phase, Agenda]:
    """Run the cells in a fresh process, and each visible check at its place. Returns the findings, and the agenda."""
    phase = Phase()
    past: Agenda = []
    left = list(agenda)
    with closing(Sitting(context)) as sitting:
        while left:
            item, *left = left
            past.append(item)
            if isinstance(item, Cell):
                sitting.run(item)
                continue
            if item.hidden:
                continue
            exercise = context.exercise(item.exercise)
            found = _reached(sitting, exercise, exercise.check, past)
            if found.is_open and not sitting.is_over and (later := postponed(past, left, exercise.name)):
                past, left = later
                continue
            phase.findings[exercise.name] = found.finding
            phase.printed[exercise.name] = sitting.printed()
            if not exercise.is_called and not found.settles:
                phase.values[exercise.name] = sitting.value_of(exercise.name)
            if found.settles:
                phase.settled.add(exercise.name)
    phase.ran = dict.fromkeys(phase.findings, past)
    return phase, past


def hidden_phase(context: SittingContext, visible: Phase) -> Phase:
    """Run the second phase, for the exercises that the first has not settled. None of it is shown to the student.

    For each hidden check the cells run in the order in which they ran when its visible check was judged. Otherwise what
    the first phase found about one answer could decide how another answer is tried.
    """
    phase = Phase()
    for name in visible.settled:
        check = context.exercise(name).hidden
        phase.findings[name] = replace(
            visible.findings[name], grade_id=check.grade_id, hidden=True, max_points=check.points
        )
    waiting = {name: ran for name, ran in visible.ran.items() if name not in visible.settled}
    while waiting:
        agenda = next(iter(waiting.values()))
        names = {name for name, ran in waiting.items() if ran is agenda}
        _hidden_run(context, agenda, names, phase)
        waiting = {name: ran for name, ran in waiting.items() if name not in names}
    return phase


def _hidden_run(context: SittingContext, agenda: Agenda, names: set[str], phase: Phase) -> None:
    """Run the agenda's cells in a fresh process, and add what the hidden checks of these exercises find there."""
    agenda = [copy(item) if isinstance(item, Cell) else item for item in agenda]
    with closing(Sitting(context)) as sitting:
        for position, item in enumerate(agenda):
            if isinstance(item, Cell):
                sitting.run(item)
            elif item.hidden and item.exercise in names:
                exercise = context.exercise(item.exercise)
                phase.findings[exercise.name] = _reached(sitting, exercise, exercise.hidden, agenda[:position]).finding
                if not exercise.is_called:
                    phase.values[exercise.name] = sitting.value_of(exercise.name)


@dataclass(frozen=True)
class _Reached:
    """What a check found at its place.

    is_open: there is no answer yet, and one in a cell further down would count. settles: the exercise's other check
    would find the same.
    """

    finding: CheckResult
    is_open: bool = False
    settles: bool = False


def _unread(before: Agenda) -> Trouble | None:
    """Return what stopped the last cell that binds nothing that can be read, where this machine lacks what it needs."""
    cells = [cell for cell in before if isinstance(cell, Cell) and not cell.step.binds]
    return next((cell.trouble for cell in reversed(cells) if cell.trouble and cell.trouble.lacks), None)


def _unread_answer(exercise: str, before: Agenda) -> Trouble | None:
    """Return what stopped a cell that cannot be read here and seems to hold this exercise's answer."""
    answers = re.compile(
        rf"^[ \t]*(?:(?:def|class)[ \t]+{re.escape(exercise)}\b|{re.escape(exercise)}[ \t]*[:=])", re.M
    )
    cells = [cell for cell in before if isinstance(cell, Cell) and answers.search(cell.step.source)]
    return _unread([*cells])


def _explained(found: CheckResult, before: Agenda) -> CheckResult:
    """Add to a finding that a name was missing what stopped the cell above that would have bound the name.

    Returns the finding as it is where no such cell was stopped. A cell that cannot be read here may bind any name.
    """
    cells = [cell for cell in before if isinstance(cell, Cell) and found.unknown_name in cell.step.binds]
    trouble = next((cell.trouble for cell in reversed(cells) if cell.trouble), None if cells else _unread(before))
    if trouble is None:
        return found
    if trouble.lacks:
        return replace(_stopped_by(found, trouble), unknown_name=found.unknown_name)
    words = f"{found.message}\nThe cell above that gives {found.unknown_name} a value had stopped: {trouble.message}"
    return replace(found, message=clean(words, examiner.MESSAGE_MOST))


def _stopped_by(found: CheckResult, trouble: Trouble) -> CheckResult:
    """Return a finding that says what stopped the answer's cell."""
    found = replace(found, **vars(trouble))
    return replace(found, message=clean(f"{found.message} {UNSCORED}")) if trouble.lacks else found


def _beside_stub(source: str) -> str:
    """What to do about a stub's `raise` beside which an answer stands; "" where there is none. As in `checking`."""
    lines = source.splitlines()
    for number, text in enumerate(lines):
        if text.strip() != STUB:
            continue
        margin = text[: len(text) - len(text.lstrip())]
        above = [*takewhile(lambda one: MARK not in one, reversed(lines[:number]))]
        below = takewhile(partial(_is_inside, margin), lines[number + 1 :])
        if any(map(_is_code, below)):
            return f"The line `{STUB}` stands above your code, which never runs. Delete that line."
        if len(above) < number and any(map(_is_code, above)):
            return f"The line `{STUB}` still stands below your code. Delete it, and return your result."
    return ""


def _is_inside(margin: str, text: str) -> bool:
    return not text.strip() or text.startswith(margin)


def _is_code(text: str) -> bool:
    return text.strip() != "" and not text.strip().startswith("#")


def _reached(sitting: Sitting, exercise: Exercise, check: Check, before: Agenda) -> _Reached:
    """Run a check at its place, after the cells in `before`, and return what it found."""
    mine = [cell for cell in before if isinstance(cell, Cell) and exercise.name in (cell.step.of, *cell.step.completes)]
    trouble = next((cell.trouble for cell in reversed(mine) if cell.trouble), None if mine else _unread(before))
    if sitting.is_over:
        found = examiner.finding(check, "timeout", used_up(sitting.context.limits.submission_s))
        return _Reached(_stopped_by(found, trouble) if trouble else found, settles=True)
    found = sitting.check(exercise, check)
    is_missing = found.status == "missing"
    if is_missing and trouble is not None:
        found = _stopped_by(found, trouble)
    elif is_missing:
        found = replace(found, status="error") if mine else replace(found, message=line("no cell answers it"))
    elif found.status == "not implemented" and (elsewhere := _unread_answer(exercise.name, before)):
        found = _stopped_by(found, elsewhere)
    if found.unknown_name:
        found = _explained(found, [item for item in before if not is_missing or item not in mine])
    is_open = is_missing or found.status == "not implemented"
    beside = [told for cell in mine if found.status == "not implemented" and (told := _beside_stub(cell.source))]
    if beside:
        found = replace(found, message=clean(beside[-1]))
    return _Reached(found, is_open, is_missing or found.status in SETTLED)
