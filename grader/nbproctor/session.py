"""What a worker holds while it grades: the warm zygote, a desk for each unit, and the way a submission takes.

A `Session` turns bytes into results, wherever it runs. Who gets which submission is decided elsewhere (`batch`).
"""

from __future__ import annotations

import gc
import os
import resource
import signal
import socket
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from nbproctor import sandbox, uncompiled
from nbproctor.collector import resting
from nbproctor.control import ZygoteGone, ask, tell_setup
from nbproctor.course import Unit
from nbproctor.limits import Limits
from nbproctor.result import Result, ungradable
from nbproctor.store import key_of
from nbproctor.submission import HandedIn
from nbproctor.text import Clean, line
from nbproctor.zygote_process import zygote_started

if TYPE_CHECKING:
    from nbproctor.conversation import Log
    from nbproctor.examiner import Desk
    from nbproctor.match import Read

GRACE_S = 30.0  # beyond a submission's own limits, before its examiner is given up
MANY = 30  # submissions, from which on large pages save more time than it takes to make them
ATTEMPTS = 2  # at a submission, where chance had a part in the first
PHASES = 2  # of an attempt: each has all the time of a submission
EXAMINER_MB = 4096  # of address space beyond what it starts with: a check may compute with what a student sends

_went_on: list[float] = []  # when this process went on after it had been stopped, as by Ctrl-Z and `fg`


class SetupStopped(Exception):
    """The instructor's setup cells do not run here; the message is what stopped them."""


@dataclass
class Session:
    """One worker's: `control` leads to the zygote. Desks are furnished when their unit comes first.

    packages: what counts as installed, for the key of a result; what is installed here unless a client says else.
    logs: for each unit where the workers of a class tell one another what checks have heard; or nothing.
    """

    units: Mapping[str, Unit]
    control: socket.socket
    limits: Limits
    layers: tuple[str, ...]
    packages: str = ""
    logs: Mapping[str, Log] = field(default_factory=dict)
    desks: dict[str, Desk] = field(default_factory=dict)
    _reads: Read | None = None

    def clear(self) -> None:
        """End what a worker before us left behind: it would go on on our core."""
        ask(self.control, {"op": "orphans"})

    def grade(self, student: Clean, unit: str, handed: HandedIn) -> Result:
        """The result of one submission, whatever happens on the way. Raises ZygoteGone where that is over.

        Where the clock went on while this process was stopped, or somebody else ended a process of the student's, it is
        graded once more. What happens again is told, and has no key: the next run tries it again.
        """
        from nbproctor import sit  # here, since it imports torch: `get_ready` has done so

        result = lost(self.units[unit], student, "the grader was stopped on it")
        for _ in range(ATTEMPTS):
            stops = len(_went_on)
            found = self._attempt(student, unit, handed)
            if len(_went_on) > stops:
                continue
            result = found
            if sit.KILLED not in found.notes:
                break
        return result

    def _attempt(self, student: Clean, unit: str, handed: HandedIn) -> Result:
        """The result of one submission, with a key where the next run may believe it. Raises ZygoteGone."""
        from nbproctor import match, sit
        from nbproctor.bounded import CutShort
        from nbproctor.failures import StudentGone

        of = self.units[unit]
        try:
            if unit not in self.desks:
                self._reads = self._reads or match.reader(self.units)
                desk = _prepared(of, self._reads, self.logs.get(unit))
                desk.setup_known_as = tell_setup(self.control, of.setup)  # before the first student is forked
                self.desks[unit] = desk
            result = sit.sit(of, self.desks[unit], self.control, student, handed, self.limits)
        except ZygoteGone:
            raise
        except CutShort as error:
            return lost(of, student, f"its source cannot be read: {error}")
        except StudentGone as error:  # none that a cell or a check of theirs ended: those are findings
            return lost(of, student, f"its process could not be made ready ({line(str(error), 150)})")
        except SetupStopped as error:
            todo = f"mend what is tagged setup in solutions/{unit}, or install here what it imports"
            return lost(of, student, f"the unit's own setup stopped ({error}): {todo}")
        except Exception as error:  # noqa: BLE001 a fault of ours costs this submission, and is told as what it is
            return lost(of, student, f"the grader stopped on it ({type(error).__name__}: {line(str(error), 150)})")
        if sit.KILLED in result.notes:
            return replace(result, layers=self.layers)
        key = key_of(student, handed, of, self.limits, self.layers, self.packages)
        return replace(result, key=key, layers=self.layers)


def _prepared(unit: Unit, reads: Read, log: Log | None) -> Desk:
    """A desk for the unit. Raises SetupStopped where what the instructor's setup cells do goes wrong here."""
    from nbproctor import examiner

    try:
        return examiner.prepare(unit, reads, log)
    except Exception as error:
        raise SetupStopped(f"{type(error).__name__}: {line(str(error), 150)}") from error


def patience_s(limits: Limits) -> float:
    """How long an examiner may be at a submission, whatever happens on the way, before it is given up."""
    return ATTEMPTS * PHASES * limits.submission_s + GRACE_S


def lost(unit: Unit, student: Clean, reason: str) -> Result:
    """The result of a submission whose grading failed through no fault of the student's. It is never stored."""
    return ungradable(student, unit.name, unit.max_points, line(f"{reason}; grade it again, or by hand"))


def get_ready(units: Iterable[Unit]) -> None:
    """Import torch, while the zygote does the same, and what setup cells import; read what of the course is the same
    for every submission."""
    with resting():
        uncompiled.install_without_drawing()

        from nbproctor import examiner, match, sit  # noqa: F401

        for unit in units:
            match.read_course(unit)
            examiner.read_checks(unit)


def settle(cores: set[int]) -> None:
    """Make this process an examiner: bounded in memory, on these cores, its imports out of the collector's way, and
    aware of having been stopped.

    A check may make torch warn, of an empty tensor for example. Nobody is there to read that, and a program that asked
    for JSON would.
    """
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGCONT, lambda *_: _went_on.append(time.monotonic()))
    sandbox.limit(resource.RLIMIT_AS, (sandbox.memory_mapped_mb() + EXAMINER_MB) << 20)
    os.sched_setaffinity(0, cores)  # its students get the same: they take turns
    gc.freeze()


@contextmanager
def session_running(units: Mapping[str, Unit], limits: Limits, sandboxed: bool) -> Iterator[Session]:
    """A session with a zygote of its own, in a process that does nothing else. Raises as `zygote_started` does, and as
    `Zygote.wait_until_ready` does."""
    with zygote_started(1, sandboxed, many=True) as zygote, free_core() as core:
        get_ready(units.values())
        zygote.wait_until_ready()
        settle(core)
        yield Session(units, zygote.controls[0], limits, zygote.layers)


@contextmanager
def free_core() -> Iterator[set[int]]:
    """A core that no other session of this machine has, as long as there is one; else all that we may use.

    The kernel gives a socket's abstract name to one process, and takes it back when that ends, however it does.
    """
    ours = os.sched_getaffinity(0)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as claim:
        for core in sorted(ours):
            with suppress(OSError):
                claim.bind(f"\0nbproctor core {core}")
                ours = {core}
                break
        yield ours
