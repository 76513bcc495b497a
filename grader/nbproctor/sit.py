"""One submission, graded: the pure function `sit(submission) -> result`, from a warm zygote and an examiner's desk."""

from __future__ import annotations

import signal
import socket
import time
import zlib
from contextlib import suppress
from dataclasses import dataclass, field, replace

from nbproctor import __version__, examiner
from nbproctor.course import Exercise, Unit
from nbproctor.examiner import Desk
from nbproctor.limits import Limits
from nbproctor.match import Matched, Step, match
from nbproctor.notebook import Ungradable, bound_names, parsed
from nbproctor.proxies import Student, StudentGone, met_limit, unknown_name
from nbproctor.result import CheckResult, ExerciseResult, Note, Result, Status, ungradable
from nbproctor.suspicion import shortcut_in, tampering_in

SETUP_S = 30.0


class Sitting:
    """A submission being graded: its student process, and what has run in it, so that it can be run again."""

    def __init__(self, unit: Unit, control: socket.socket, limits: Limits) -> None:
        self.unit, self.control, self.limits = unit, control, limits
        self.end = time.monotonic() + limits.submission_s
        self.done: list[str] = []
        self.student = self._fresh()

    def _fresh(self) -> Student:
        """A new process in which the setup cell has run, and every earlier cell that did not kill the last one."""
        fresh = Student(self.control)
        self.student = fresh
        fresh.limit_s, fresh.deadline = SETUP_S, time.monotonic() + SETUP_S
        fresh.ask({"op": "begin", "seed": 0})
        fresh.ask({"op": "run", "source": self.unit.setup})
        for source in self.done:
            if time.monotonic() < self.end:
                with suppress(Exception):  # reported when it ran first
                    self.run(source)
        fresh.printed.clear()
        return fresh

    def _bound(self) -> None:
        now = time.monotonic()
        self.student.limit_s = self.limits.cell_s
        self.student.deadline = min(now + self.limits.cell_s, max(self.end, now + 0.05))

    def run(self, source: str) -> None:
        """Run one cell. Raises what it raises, or StudentGone."""
        self._bound()
        self.student.ask({"op": "run", "source": source})

    def check(self, desk: Desk, exercise: Exercise, hidden: bool) -> CheckResult:
        self._bound()
        check = exercise.hidden if hidden else exercise.check
        seed = zlib.crc32(check.grade_id.encode()) + self.limits.draw
        return examiner.run_check(desk, exercise, check, self.student, seed)

    def recover(self, replay: bool = True) -> int | None:
        """Kill what is left, start again. Returns how the process had ended, if it had."""
        ended = self.student.close()
        if not replay:
            self.done.clear()
        try:
            self._fresh()
        except StudentGone:  # a cell that ran before kills now: go on without any of theirs
            self.student.close()
            self.done.clear()
            self._fresh()
        return ended


def sit(unit: Unit, desk: Desk, control: socket.socket, student: str, notebook: bytes, limits: Limits) -> Result:
    """Grade one submission, the bytes of its notebook. Raises zygote.ZygoteGone where the zygote is."""
    start = time.monotonic()
    try:
        matched = match(unit, parsed(notebook))
    except Ungradable as error:
        return ungradable(student, unit.name, unit.max_points, str(error))
    for step in matched.steps:
        for told in () if step.spare else tampering_in(step.source):
            matched.notes.append(Note("attack", f"{step.exercise or 'a cell of their own'} {told}"))
    sitting = Sitting(unit, control, limits)
    try:
        sheets = _passes(unit, desk, sitting, matched, matched.steps, {e.name for e in unit.exercises})
        failed = {name for name, sheet in sheets.items() if sheet.points < sheet.max_points}
        clean = [step for step in matched.steps if step.spare or not tampering_in(step.source)]
        if failed and len(clean) < len(matched.steps):  # what tampered may have spoilt the others: once more without it
            sitting.recover(replay=False)
            again = _passes(unit, desk, sitting, matched, clean, failed)
            sheets |= {name: sheet for name, sheet in again.items() if sheet.points > sheets[name].points}
    finally:
        sitting.student.close()
    return Result(
        student, unit.name, "graded", unit.max_points, grader_version=__version__, notes=tuple(matched.notes),
        exercises=tuple(_report(e, matched, sheets.get(e.name)) for e in unit.exercises),
        own_cells=tuple(matched.own_cells), seconds=round(time.monotonic() - start, 4),
    )  # fmt: skip


@dataclass
class Sheet:
    """What is known of one exercise: the visible check's finding, then the hidden one's."""

    findings: list[CheckResult] = field(default_factory=list)
    printed: str = ""

    @property
    def points(self) -> float:
        return sum(finding.points for finding in self.findings)

    @property
    def max_points(self) -> float:
        return sum(finding.max_points for finding in self.findings)


def _passes(
    unit: Unit, desk: Desk, sitting: Sitting, matched: Matched, steps: list[Step], wanted: set[str]
) -> dict[str, Sheet]:
    """Run the cells and the visible checks; then, when all that a student is shown is said, the hidden ones.

    So what the hidden checks hand over can come out in nothing of that.
    """
    exercises = {e.name: e for e in unit.exercises if e.name in wanted}
    sheets = {step.exercise: Sheet() for step in steps if step.exercise in exercises}
    _steps(desk, sitting, matched, steps, exercises, sheets, hidden=False)
    if any(len(sheet.findings) == 1 for sheet in sheets.values()):
        sitting.done.clear()
        _steps(desk, sitting, matched, steps, exercises, sheets, hidden=True)
    return sheets


def _steps(  # noqa: C901, PLR0913
    desk: Desk, sitting: Sitting, matched: Matched, steps: list[Step], exercises: dict[str, Exercise],
    sheets: dict[str, Sheet], hidden: bool,
) -> None:  # fmt: skip
    """Run the cells in their order, without those that killed the process before; after each answer, its check."""
    spare: list[str] = []
    for place, step in enumerate(steps):
        if step.spare:
            spare.append(step.source)
            continue
        if step.deadly:
            continue
        exercise, sheet = exercises.get(step.exercise or ""), sheets.get(step.exercise or "")
        if sheet is not None and len(sheet.findings) == 2:
            _run(sitting, step)
            continue
        if time.monotonic() > sitting.end:
            if exercise is not None and sheet is not None:
                reason = f"the {sitting.limits.submission_s:g} s for the whole submission were used up before it"
                sheet.findings += _both(exercise, "timeout", reason)[len(sheet.findings) :]
            continue
        kept = len(sitting.done)
        told, unknown, findings = _attempt(desk, sitting, exercise, step, hidden)
        tried: set[str] = set()
        while unknown and unknown not in tried:
            tried.add(unknown)
            # A name of the text: run the text up to here, as a notebook would. One of a cell below, as in cells that
            # changed places: run that cell first.
            text = spare if any(unknown in bound_names(source) for source in spare) else []
            below = [s for s in steps[place + 1 :] if not s.spare and not s.deadly and unknown in bound_names(s.source)]
            if not text and not below:
                break
            del sitting.done[kept:]
            for helper in [*map(Step, text), *below]:
                _run(sitting, helper)
            text.clear()
            kept = len(sitting.done)
            told, unknown, findings = _attempt(desk, sitting, exercise, step, hidden)
        if sheet is not None:
            sheet.findings += findings[-1:] if hidden else findings
            sheet.printed += "" if hidden else "".join(sitting.student.printed)
        elif told and not hidden and not step.exercise:
            note = Note("accident", f"a cell of their own: {told[:300]}")
            matched.notes += [] if note in matched.notes else [note]
        sitting.student.printed.clear()


def _attempt(
    desk: Desk, sitting: Sitting, exercise: Exercise | None, step: Step, hidden: bool
) -> tuple[str, str, list[CheckResult]]:
    """Run a cell and, where it answers an exercise, a check of it. Returns what went wrong, the name that was missing
    if that is why, and what was found.

    Two findings settle the exercise; one leaves the hidden check to be run.
    """
    trouble = _run(sitting, step)
    if exercise is None:
        quiet = trouble is None or trouble.status == "not implemented"
        return "" if quiet else trouble.message, trouble.unknown_name if trouble else "", []  # type: ignore[union-attr]
    if trouble:
        both = [replace(f, met_limit=trouble.met_limit) for f in _both(exercise, trouble.status, trouble.message)]
        return trouble.message, trouble.unknown_name, both
    found = shortcut_in(step.source, exercise.not_with)
    if found:
        return "", "", _both(exercise, "refused", f"the cell uses {found}, which this exercise asks you to build")
    try:
        finding = sitting.check(desk, exercise, hidden)
    except StudentGone as error:
        status, message = error.status, _gone(error, sitting.recover())
        return message, "", _both(exercise, status, message)
    if finding.status == "refused":
        return "", "", _both(exercise, "refused", finding.message)
    return finding.message, finding.unknown_name, [finding]


@dataclass(frozen=True)
class Trouble:
    """What stopped a cell."""

    status: Status
    message: str
    unknown_name: str = ""
    met_limit: bool = False


def _run(sitting: Sitting, step: Step) -> Trouble | None:
    """Run a cell. Returns what stopped it."""
    try:
        sitting.run(step.source)
    except StudentGone as error:
        step.deadly = True
        return Trouble(error.status, _gone(error, sitting.recover()))
    except NotImplementedError:
        sitting.done.append(step.source)
        return Trouble("not implemented", "not implemented yet")
    except Exception as error:  # noqa: BLE001 the student's exception, by type and message
        sitting.done.append(step.source)
        message = f"the cell stopped with {examiner.told_with_place(error)}"
        return Trouble("error", message, unknown_name(error), met_limit(error))
    sitting.done.append(step.source)
    return None


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


def _finding(exercise: Exercise, hidden: bool, status: Status, message: str) -> CheckResult:
    check = exercise.hidden if hidden else exercise.check
    return CheckResult(check.grade_id, hidden, check.points, status, message)


def _both(exercise: Exercise, status: Status, message: str) -> list[CheckResult]:
    return [_finding(exercise, hidden, status, message) for hidden in (False, True)]


def _report(exercise: Exercise, matched: Matched, sheet: Sheet | None) -> ExerciseResult:
    """One exercise of the result."""
    findings = sheet.findings if sheet else _both(exercise, "missing", "no cell answers it")
    notes = list(matched.about.get(exercise.name, []))
    refused = next((f for f in findings if f.status == "refused"), None)
    if refused:
        findings = _both(exercise, "refused", refused.message)
        notes.append(Note("attack", f"{exercise.name}: {refused.message}"))
    printed = sheet.printed[:10_000] if sheet else ""
    return ExerciseResult(exercise.name, matched.answers.get(exercise.name, ""), printed, tuple(notes), tuple(findings))
