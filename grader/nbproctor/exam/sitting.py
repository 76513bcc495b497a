"""Runs a submission in a student's process. Where a cell or a check ends the process, another one takes its place."""

import json
import signal
import time
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256

from nbproctor.border import messages
from nbproctor.border.protocol import cell_name
from nbproctor.course.units import Check, Exercise, Unit
from nbproctor.exam import examiner
from nbproctor.exam.agenda import Cell, Trouble
from nbproctor.exam.examiner import Desk
from nbproctor.exam.failures import KILLED, StudentGone, met_limit, unknown_name
from nbproctor.exam.lacks import lack
from nbproctor.exam.proxies import Student
from nbproctor.runner.log import ending
from nbproctor.runner.zygote import Control
from nbproctor.values.limits import Limits, too_slow, used_up
from nbproctor.values.result import CheckResult, Note
from nbproctor.values.submission import File
from nbproctor.values.text import Clean, clean, line

SETUP_S = 30.0
LATE_ANSWER = Note("look", line("its code sent a second answer to a question of a check, which no honest code does"))
GRACE_S = 60.0  # beyond all limits, before the zygote ends a process


@dataclass
class SittingContext:
    """What all runs of a submission have in common.

    end: when the submission's time is used up (`time.monotonic()`). notes: what was noticed beside the findings.
    """

    unit: Unit
    desk: Desk
    zygote: Control
    limits: Limits
    end: float
    files: tuple[File, ...] = ()
    notes: list[Note] = field(default_factory=list)

    def exercise(self, name: str) -> Exercise:
        return next(exercise for exercise in self.unit.exercises if exercise.name == name)


class Sitting:
    """A student's process, and the cells that have run in it, so that another can replace it. Close it in the end."""

    def __init__(self, context: SittingContext) -> None:
        self.context = context
        self.done: list[str] = []
        self._has_forgiven = False
        self._fresh()

    @property
    def _lifetime_s(self) -> float:
        """How long the zygote lets a process of this sitting live: longer than any examiner that is alive needs it."""
        return self.context.limits.submission_s + SETUP_S + GRACE_S

    def _fresh(self) -> None:
        """Start a new student process and run in it what had run in the last one. Raises the same errors as `_prepare`.

        Where an earlier cell ends the process this time, as a cell that takes almost all of its time may do, it is left
        out from then on; the answers in the other cells are not affected.
        """
        while True:
            self.student = Student(self.context.zygote.fork(self._lifetime_s))
            try:
                self._prepare()
                killed = self._runs_again()
            except BaseException:
                self.close()
                raise
            if killed is None:
                return
            del self.done[killed]
            self._ended()

    def _prepare(self) -> None:
        """Give the new process the files handed in, and run the setup cell in it. Raises StudentGone, or what the setup
        cell raises."""
        fresh, self.born = self.student, time.monotonic()
        fresh.line.too_late, fresh.line.deadline = too_slow(SETUP_S), time.monotonic() + SETUP_S
        fresh.begin()
        if self.context.files:
            names = [file.name for file in self.context.files]
            fresh.ask(messages.PutFiles(names), messages.Done, [file.content for file in self.context.files])
        fresh.ask(messages.RunSetup(cell_name(self.context.desk.setup)), messages.Done)

    def _runs_again(self) -> int | None:
        """Run all earlier cells in the new process. Returns the number of the cell that ended it, if one did."""
        for number, source in enumerate(self.done):
            if time.monotonic() < self.context.end:
                try:
                    with suppress(Exception):  # the error was reported when the cell first ran
                        self._run(source)
                except StudentGone:
                    return number
        self.student.line.printed.clear()
        return None

    def close(self) -> None:
        self.student.close()

    @property
    def is_over(self) -> bool:
        return time.monotonic() > self.context.end

    def _bound(self) -> None:
        limits, channel, now = self.context.limits, self.student.line, time.monotonic()
        left_s = max(self.context.end - now, 0.05)
        channel.deadline = now + min(limits.cell_s, left_s)
        channel.too_late = too_slow(limits.cell_s) if limits.cell_s <= left_s else used_up(limits.submission_s)

    def _run(self, source: str) -> None:
        """Run some of the student's code. Raises what the code raises, or StudentGone where it ends the process."""
        self._bound()
        self.student.ask(messages.Run(source), messages.CellRun)

    def run(self, cell: Cell) -> None:
        """Run a cell, and note in it what it printed and what stopped it.

        A cell that ends the process is never run whole again. Where something follows its last answer, the cell is run
        once more up to that answer, since the fault may lie below it.
        """
        if not cell.runs or not cell.source or self.is_over:
            return
        self.printed()
        if cell.source == cell.step.source:
            cell.trouble = None
        try:
            self._run(cell.source)
        except StudentGone as error:
            ended = self._recover()
            if self._is_forgiven(error):
                self.run(cell)
                return
            cell.source = cell.step.cut if cell.source == cell.step.source else ""
            cell.trouble = Trouble(error.status, _gone(error, ended))
            if cell.source:
                first = cell.trouble
                self.run(cell)
                cell.trouble = first
            return
        except Exception as error:  # noqa: BLE001 it is the student's exception, and is told by type and message
            beside = [file for file in self.context.files if file.name.endswith(".py")]  # which a cell may import
            cell.trouble = _stopped(error, [cell.source, *(one.content.decode(errors="replace") for one in beside)])
        self.done.append(cell.source)
        cell.printed = self.printed()

    def check(self, exercise: Exercise, check: Check) -> CheckResult:
        """The result of a check. A process that dies or hangs in the check gives a result, too, and is replaced."""
        try:
            return self._checked(exercise, check)
        except StudentGone as error:
            ended = self._recover()
            if not self._is_forgiven(error):
                return examiner.finding(check, error.status, _gone(error, ended))
        return self.check(exercise, check)

    def _is_forgiven(self, error: StudentGone) -> bool:
        """Whether what is asked now is asked again: once, where a late answer to an earlier check has spoilt it.

        Another exercise has sent that answer, from a thread perhaps. It has gained nothing, and this one does not pay.
        """
        if not error.is_stale or self._has_forgiven:
            return False
        self._has_forgiven = True
        self.context.notes.append(LATE_ANSWER)
        return True

    def _checked(self, exercise: Exercise, check: Check) -> CheckResult:
        """Run a check, and ask once more whether the student's process is there.

        Its reply has to be the next frame: a second answer to one of the check's questions costs this check, in every
        run, whenever the frame arrives.
        """
        self._bound()
        found = examiner.run_check(self.context.desk, exercise, check, self.student)
        self._bound()
        try:
            with suppress(Exception):  # an error is a reply, too, as from a process whose memory is full
                self.student.ask(messages.PutFiles(), messages.Done)
        except StudentGone as error:
            error.is_stale = False
            raise
        return found

    def value_of(self, name: str) -> str:
        """Return a hash of the value that a name has in the student's process; "" where that cannot be told."""
        self._bound()
        try:
            channel = self.student.line
            header, raw = channel.exchange(messages.fields_of(messages.LookUp(name)), [], channel.next_number())
            return sha256(b"".join([json.dumps(header.get("answer")).encode(), *raw])).hexdigest()
        except StudentGone:
            self._recover()
        except Exception:  # noqa: BLE001 a value that does not cross has no hash; its check has said so
            return ""
        return ""

    def printed(self) -> str:
        """Take what the student's code has printed since the last call."""
        text = "".join(self.student.line.printed)
        self.student.line.printed.clear()
        return text

    def _recover(self) -> int | None:
        """Kill what is left of the process and start a new one. Returns how the old one had ended, if it had."""
        ended = self._ended()
        self._fresh()
        return ended

    def _ended(self) -> int | None:
        """Kill what is left of the process. Returns how it had ended, if it had: its exit code, or minus the signal.

        A process that was killed from outside is noted. SIGKILL is a sign of that: the first process of a pid namespace
        cannot send it to itself, nor can its children (`sandbox`), so it came from the kernel, where memory ran out, or
        from somebody on this machine. It did not come from the limit of processor time: the student's code cannot lower
        that, and it is enough for the process's whole life on all the cores that it has.
        """
        ended = self.student.close()
        if ended == -signal.SIGKILL and time.monotonic() - self.born < self._lifetime_s:
            self.context.notes.append(KILLED)
        return ended


STOPPED = "the cell stopped with "  # how the message on a cell that raised an error begins


def _stopped(error: Exception, sources: list[str]) -> Trouble:
    if examiner.is_stub(error):
        return Trouble("not implemented", line(examiner.NOT_IMPLEMENTED))
    if missing := lack(error, sources):
        return Trouble("unavailable", missing.message, lacks=missing.todo)
    message = clean(f"{STOPPED}{examiner.error_text(error)}", examiner.MESSAGE_MOST)
    return Trouble("error", message, clean(unknown_name(error)), met_limit(error))


def _gone(error: StudentGone, ended: int | None) -> Clean:
    """Says why a process is gone. ended: its exit code, or minus the signal that ended it; None where it was alive."""
    if error.status == "timeout" or ended is None:
        return line(str(error))
    if -ended == signal.SIGSYS:
        return line("the process killed itself")
    if ended >= 0:
        return line(f"the process ended itself with exit code {ended}. Does the code call exit?")
    return line(f"the process {ending(ended)}")
