"""One submission, graded: `sit(submission) -> result`, from a warm zygote and an examiner's desk.

Two phases, each in a fresh process that runs the notebook in its order: in the first the visible checks are reached, in
the second the hidden ones. All that a student is ever shown is made in the first.
"""

from __future__ import annotations

import signal
import socket
import time
import zlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace

from nbproctor import __version__, examiner
from nbproctor.bounded import OutOfBounds, bounded
from nbproctor.course import Check, Exercise, Unit
from nbproctor.examiner import Desk
from nbproctor.limits import Limits
from nbproctor.match import Place, Plan, Step, plan_json
from nbproctor.proxies import Student, StudentGone, met_limit, unknown_name
from nbproctor.result import CheckResult, ExerciseResult, Note, Result, Status, ungradable
from nbproctor.submission import File, HandedIn

SETUP_S = 30.0
PRINTED_MOST = 10_000
TRIES = 4  # how often a notebook is run again with cells in another order, where a name was missing


@dataclass(frozen=True)
class Trouble:
    """What stopped a cell."""

    status: Status
    message: str
    unknown_name: str = ""
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


class Sitting:
    """A submission being graded: its student process, and what has run in it, so that it can be run again."""

    def __init__(self, room: _Room) -> None:
        self.unit, self.control, self.limits, self.end = room.unit, room.control, room.limits, room.end
        self.files = room.files
        self.done: list[str] = []
        self.student = self._fresh()

    def _fresh(self) -> Student:
        """A new process with the files handed in, in which the setup cell has run, and every earlier cell that did not
        kill the last one."""
        fresh = Student(self.control)
        self.student = fresh
        fresh.limit_s, fresh.deadline = SETUP_S, time.monotonic() + SETUP_S
        fresh.ask({"op": "begin", "seed": 0})
        if self.files:
            names = [file.name for file in self.files]
            fresh.ask({"op": "files", "names": names}, [file.content for file in self.files])
        fresh.ask({"op": "run", "source": self.unit.setup})
        for source in self.done:
            if time.monotonic() < self.end:
                with suppress(Exception):  # reported when it ran first
                    self.run(source)
        fresh.printed.clear()
        return fresh

    @property
    def is_over(self) -> bool:
        return time.monotonic() > self.end

    def _bound(self) -> None:
        now = time.monotonic()
        self.student.limit_s = self.limits.cell_s
        self.student.deadline = min(now + self.limits.cell_s, max(self.end, now + 0.05))

    def run(self, source: str) -> None:
        """Run one cell. Raises what it raises, or StudentGone."""
        self._bound()
        self.student.ask({"op": "run", "source": source})

    def check(self, desk: Desk, exercise: Exercise, check: Check) -> CheckResult:
        """What a check finds. A process that dies or hangs on it is a finding; another takes its place."""
        self._bound()
        seed = zlib.crc32(check.grade_id.encode()) + self.limits.draw
        try:
            return examiner.run_check(desk, exercise, check, self.student, seed)
        except StudentGone as error:
            return _finding(check, error.status, _gone(error, self.recover()))

    def printed(self) -> str:
        text = "".join(self.student.printed)
        self.student.printed.clear()
        return text

    def recover(self) -> int | None:
        """Kill what is left, start again. Returns how the process had ended, if it had."""
        ended = self.student.close()
        try:
            self._fresh()
        except StudentGone:  # a cell that ran before kills now: go on without any of theirs
            self.student.close()
            self.done.clear()
            self._fresh()
        return ended


@dataclass
class Phase:
    """What one run through the notebook found: the visible checks, or the hidden ones.

    settled: exercises whose other check would find the same.
    """

    findings: dict[str, CheckResult] = field(default_factory=dict)
    settled: set[str] = field(default_factory=set)
    printed: dict[str, str] = field(default_factory=dict)

    def settle(self, name: str, finding: CheckResult) -> None:
        self.findings[name] = finding
        self.settled.add(name)


def sit(unit: Unit, desk: Desk, control: socket.socket, student: str, handed: HandedIn, limits: Limits) -> Result:
    """Grade one submission. Raises ZygoteGone where the zygote is."""
    start = time.monotonic()
    try:
        read = bounded(lambda: plan_json(unit, handed.notebook))
    except OutOfBounds as error:
        return ungradable(student, unit.name, unit.max_points, f"its source cannot be read: {error}")
    if "ungradable" in read:
        return ungradable(student, unit.name, unit.max_points, read["ungradable"])
    plan = Plan.from_json(read["plan"])
    agenda: Agenda = [item if isinstance(item, Place) else Cell(item, item.source, item.needed) for item in plan.agenda]
    room = _Room(unit, desk, control, limits, start + limits.submission_s, handed.files)
    visible, agenda = _visible(room, plan, agenda)
    hidden = _hidden(room, visible, agenda)
    return Result(
        student, unit.name, "graded", unit.max_points, grader_version=__version__,
        notes=(*plan.notes, *_left_out(handed), *_cell_notes(agenda)), own_cells=plan.own_cells,
        exercises=tuple(_report(exercise, plan, agenda, visible, hidden) for exercise in unit.exercises),
        seconds=round(time.monotonic() - start, 4),
    )  # fmt: skip


@dataclass(frozen=True)
class _Room:
    """What both phases of a sitting have in common; `end` is when its time is used up."""

    unit: Unit
    desk: Desk
    control: socket.socket
    limits: Limits
    end: float
    files: tuple[File, ...] = ()

    def exercise(self, name: str) -> Exercise:
        return next(exercise for exercise in self.unit.exercises if exercise.name == name)


def _visible(room: _Room, plan: Plan, agenda: Agenda) -> tuple[Phase, Agenda]:
    """The first phase. Returns what was found, and the agenda as it was in the end.

    Where an answer failed for want of a name that a cell further down binds, or a cell of the course that nobody seemed
    to need, the notebook is run again with that cell before it: cells that changed places cost nothing.
    """
    refused = {
        name: f"the cell uses {found}, which this exercise asks you to build" for name, found in plan.refused.items()
    }
    for _ in range(TRIES):
        phase, agenda = _run_through(room, agenda, refused)
        again = None if time.monotonic() > room.end else _mended(agenda, phase)
        if again is None:
            break
        agenda = again
    return phase, agenda


def _run_through(room: _Room, agenda: Agenda, refused: dict[str, str]) -> tuple[Phase, Agenda]:
    """Run the cells in a fresh process, and each visible check where it is reached."""
    phase, agenda = Phase(), list(agenda)
    sitting = Sitting(room)
    try:
        position = 0
        while position < len(agenda):
            item = agenda[position]
            position += 1
            if isinstance(item, Cell):
                _run(sitting, item)
            elif not item.hidden:
                exercise = room.exercise(item.exercise)
                if exercise.name in refused:
                    phase.settle(exercise.name, _finding(exercise.check, "refused", refused[exercise.name]))
                    continue
                found = _reached(sitting, room.desk, exercise, exercise.check, agenda[: position - 1])
                later = _last_answer(agenda[position:], exercise.name)
                if found.is_open and later is not None and not sitting.is_over:
                    gone = sum(isinstance(i, Place) and i.exercise == exercise.name for i in agenda[:position])
                    agenda = _postponed(agenda, exercise.name, position + later)
                    position -= gone
                    continue
                phase.findings[exercise.name] = found.finding
                phase.printed[exercise.name] = sitting.printed()
                if found.settles:
                    phase.settled.add(exercise.name)
    finally:
        sitting.student.close()
    return phase, agenda


@dataclass(frozen=True)
class _Reached:
    """What a check found at its place.

    is_open: there is no answer yet, and one further down would count. settles: the other check would find the same.
    """

    finding: CheckResult
    is_open: bool = False
    settles: bool = False


def _reached(sitting: Sitting, desk: Desk, exercise: Exercise, check: Check, before: Agenda) -> _Reached:
    """What a check finds at its place, after the cells `before`."""
    mine = [cell for cell in before if isinstance(cell, Cell) and exercise.name in (cell.step.of, *cell.step.completes)]
    trouble = next((cell.trouble for cell in reversed(mine) if cell.trouble), None)
    if sitting.is_over:
        used = f"the {sitting.limits.submission_s:g} s for the whole submission were used up before it"
        found = _finding(check, trouble.status, trouble.message) if trouble else _finding(check, "timeout", used)
        return _Reached(found, settles=True)
    found = sitting.check(desk, exercise, check)
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
        found = replace(found, message="no cell answers it")
    return _Reached(found, is_open=True, settles=True)


def _last_answer(rest: Agenda, exercise: str) -> int | None:
    """How many items further down the last cell stands that may hold the answer."""
    return max(
        (n for n, item in enumerate(rest) if isinstance(item, Cell) and exercise in item.step.completes), default=None
    )


def _postponed(agenda: Agenda, exercise: str, after: int) -> Agenda:
    """The agenda with both checks of the exercise behind the item number `after`."""
    places = [item for item in agenda if isinstance(item, Place) and item.exercise == exercise]
    head = [item for item in agenda[: after + 1] if item not in places]
    return [*head, *places, *(item for item in agenda[after + 1 :] if item not in places)]


def _mended(agenda: Agenda, phase: Phase) -> Agenda | None:
    """The agenda with the cells brought forward, or woken, whose names answers missed; None where there are none."""
    failed = {name: f.unknown_name for name, f in phase.findings.items() if f.status != "passed" and f.unknown_name}
    if not failed:
        return None
    wanted: list[tuple[int, str]] = []
    for position, item in enumerate(agenda):
        if isinstance(item, Place) and item.exercise in failed:
            wanted.append((position, failed[item.exercise]))
        elif isinstance(item, Cell) and item.trouble and item.trouble.unknown_name:
            wanted.append((position, item.trouble.unknown_name))
    moves: dict[int, int] = {}  # where a cell stands -> where it is to stand
    for position, name in wanted:
        below = [n for n, item in enumerate(agenda) if n > position and _binds(item, name)]
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
    for item in made:
        if isinstance(item, Cell):
            item.trouble, item.printed = None, ""
            item.runs = item.runs or awake
    return made


def _binds(item: Cell | Place, name: str) -> bool:
    return isinstance(item, Cell) and name in item.step.binds


def _hidden(room: _Room, visible: Phase, agenda: Agenda) -> Phase:
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
    sitting = Sitting(room)
    try:
        for position, item in enumerate(agenda):
            if isinstance(item, Cell):
                _run(sitting, item)
            elif item.hidden and item.exercise not in visible.settled:
                exercise = room.exercise(item.exercise)
                found = _reached(sitting, room.desk, exercise, exercise.hidden, agenda[:position])
                phase.findings[exercise.name] = found.finding
    finally:
        sitting.student.close()
    return phase


def _run(sitting: Sitting, cell: Cell) -> None:
    """Run a cell, and note what stopped it. One that kills the process is run again up to its last answer, if that is
    not its end, and never again whole."""
    if not cell.runs or not cell.source or sitting.is_over:
        return
    sitting.printed()
    if cell.source == cell.step.source:
        cell.trouble = None
    try:
        sitting.run(cell.source)
    except StudentGone as error:
        cell.source = cell.step.cut if cell.source == cell.step.source else ""
        cell.trouble = Trouble(error.status, _gone(error, sitting.recover()))
        if cell.source:
            first = cell.trouble
            _run(sitting, cell)
            cell.trouble = first
        return
    except Exception as error:  # noqa: BLE001 the student's exception, by type and message
        cell.trouble = _stopped(error)
    sitting.done.append(cell.source)
    cell.printed = sitting.printed()


def _stopped(error: Exception) -> Trouble:
    if examiner.is_stub(error):
        return Trouble("not implemented", examiner.NOT_IMPLEMENTED)
    message = f"the cell stopped with {examiner.told_with_place(error)}"
    return Trouble("error", message, unknown_name(error), met_limit(error))


def _gone(error: StudentGone, ended: int | None) -> str:
    if error.status == "timeout" or ended is None:
        return str(error)
    if -ended == signal.SIGSYS:
        return "the process killed itself"
    if ended >= 0:
        return f"the process ended itself with exit code {ended}. Does the code call exit?"
    try:
        return f"the process was ended by {signal.Signals(-ended).name}"
    except ValueError:
        return f"the process was ended by signal {-ended}"


def _finding(check: Check, status: Status, message: str) -> CheckResult:
    return CheckResult(check.grade_id, check.hidden, check.points, status, message)


def _left_out(handed: HandedIn) -> list[Note]:
    """What lay beside the notebook and was not there when it ran."""
    return [Note("accident", f"not used, beside the notebook: {told}") for told in handed.left_out[:20]]


def _cell_notes(agenda: Iterable[Cell | Place]) -> list[Note]:
    """What stopped cells that are nobody's answer."""
    own = [item for item in agenda if isinstance(item, Cell) and item.step.own and not item.step.of]
    told = [cell.trouble.message for cell in own if cell.trouble and cell.trouble.status != "not implemented"]
    return [Note("accident", f"a cell of their own: {message[:300]}") for message in dict.fromkeys(told)][:20]


def _report(exercise: Exercise, plan: Plan, agenda: Agenda, visible: Phase, hidden: Phase) -> ExerciseResult:
    """One exercise of the result."""
    name = exercise.name
    findings = (visible.findings[name], hidden.findings[name])
    notes = list(plan.about.get(name, ()))
    refused = next((finding for finding in findings if finding.status == "refused"), None)
    if refused:
        findings = tuple(_finding(c, "refused", refused.message) for c in (exercise.check, exercise.hidden))  # type: ignore[assignment]
        notes.append(Note("attack", f"{name}: {refused.message}"))
    cell = _answer_cell(name, agenda)
    if cell is not None:
        if cell.step.of != name:
            notes.append(Note("accident", f"{name}: found in another cell, by the name that it defines"))
        if cell.trouble and findings[0].message != cell.trouble.message and findings[0].status != "missing":
            told = f"{name}: its cell did not run to its end ({cell.trouble.message[:300]}); the answer was graded"
            notes.append(Note("accident", told))
    printed = (cell.printed if cell else "") + visible.printed.get(name, "")
    return ExerciseResult(name, cell.step.source if cell else "", printed[:PRINTED_MOST], tuple(notes), findings)


def _answer_cell(name: str, agenda: Agenda) -> Cell | None:
    """The cell that bound the answer last before its visible check, or else the exercise's own."""
    place = next(n for n, item in enumerate(agenda) if item == Place(name, False))
    before = [item for item in agenda[:place] if isinstance(item, Cell)]
    bound = [cell for cell in before if name in cell.step.completes or (name in cell.step.binds and cell.step.own)]
    own = [item for item in agenda if isinstance(item, Cell) and item.step.of == name]
    return next(reversed(bound), None) or next(reversed(own), None)
