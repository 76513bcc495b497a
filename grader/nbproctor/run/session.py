"""A worker's session: it holds a socket to the warm zygote and a desk for each unit, and grades submissions with them.

A `Session` turns the bytes of a submission into a result, wherever it runs. Which worker gets which submission is
decided elsewhere (`batch`).
"""

from __future__ import annotations

import gc
import os
import resource
import signal
import socket
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msgspec.structs import replace

from nbproctor.border import sandbox
from nbproctor.course.units import Unit
from nbproctor.runner.log import grading, say
from nbproctor.runner.zygote import Control, SetupStopped, ZygoteGone
from nbproctor.values.limits import Limits
from nbproctor.values.result import Result, ungradable
from nbproctor.values.submission import HandedIn
from nbproctor.values.text import Clean, line

if TYPE_CHECKING:
    from nbproctor.exam.examiner import Desk

GRACE_S = 30.0  # beyond a submission's own limits, before its examiner is given up
ATTEMPTS = 2  # at a submission, where a process of the first was killed from outside
PHASES = 2  # of an attempt: each may take all the time that a submission has
EXAMINER_MB = 4096  # of address space beyond what it starts with: a check may compute with what a student sends


@dataclass
class Session:
    """What one worker grades with. A unit's desk is prepared when the first submission to that unit comes.

    zygote: the socket to it.
    """

    units: Mapping[str, Unit]
    zygote: Control
    limits: Limits
    layers: tuple[str, ...]
    desks: dict[str, Desk] = field(default_factory=dict)

    def grade(self, student: Clean, unit: str, handed: HandedIn, key: str) -> Result:
        """The result of one submission, whatever happens while it is graded. Raises ZygoteGone where the zygote ended.

        key: what the result is kept under (`store.key_of`).

        The submission is graded once more where a process of the student's was killed from outside. If this happens
        again, the result says so and has no key, so that the next run grades the submission again.
        """
        from nbproctor.exam.failures import KILLED  # here, since it imports torch: `get_ready` has done so

        with grading(f"{student} {unit}"):
            result = self._attempt(student, unit, handed, key)
            result = self._attempt(student, unit, handed, key) if KILLED in result.notes else result
            say("%s, %g of %g points", result.status, result.score, result.max_score)
            return result

    def _attempt(self, student: Clean, unit: str, handed: HandedIn, key: str) -> Result:
        """The result of one submission, with its key where the next run may reuse it. Raises ZygoteGone."""
        from nbproctor.border.bounded import CutShort
        from nbproctor.exam import examiner, sit
        from nbproctor.exam.failures import KILLED, StudentGone

        of = self.units[unit]
        try:
            if unit not in self.desks:
                self.zygote.read_setup(of.setup)  # before the first student is forked
                self.desks[unit] = examiner.prepare(of)
            result = sit.sit(of, self.desks[unit], self.zygote, student, handed, self.limits)
        except ZygoteGone:
            raise
        except CutShort as error:
            why = f"its source cannot be read: {error}"
        except StudentGone as error:  # outside of cells and checks, where it would be a finding
            why = f"the process for the student's code could not be prepared ({line(str(error), 150)})"
        except SetupStopped as error:
            todo = f"fix what is tagged setup in solutions/{unit}, or install here what it imports"
            why = f"the unit's own setup stopped ({line(str(error), 150)}): {todo}"
        except Exception as error:  # noqa: BLE001 a fault of ours costs only this submission, whose result says so
            why = f"the grader met an error of its own ({type(error).__name__}: {line(str(error), 150)})"
        else:
            if KILLED in result.notes:
                return replace(result, layers=self.layers)
            return replace(result, key=key, digest=handed.digest, layers=self.layers)
        return lost(of, student, why)


def patience_s(limits: Limits) -> float:
    """How long an examiner may take for a submission, whatever happens on the way, before it is given up."""
    return ATTEMPTS * PHASES * limits.submission_s + GRACE_S


def lost(unit: Unit, student: Clean, reason: str) -> Result:
    """The result of a submission whose grading failed through no fault of the student's. It has no key, so the next run
    grades the submission again."""
    return ungradable(student, unit.name, unit.max_points, line(f"{reason}; grade it again, or by hand"))


def get_ready(units: Iterable[Unit]) -> None:
    """Do what is the same for every submission, while the zygote starts.

    It imports torch and what setup cells import, and reads the units' cells.
    """
    from nbproctor.exam import examiner  # noqa: F401 the workers, which are forked later, find it there
    from nbproctor.source import match

    for unit in units:
        match.read_course(unit)


def become_examiner(cores: set[int]) -> None:
    """Make this process an examiner: limit its memory, keep it on these cores, take its imports out of the garbage
    collector's way, and have it end what it grades after Ctrl-Z, since the student's time goes on.

    Warnings are switched off. A check may make torch warn, of an empty tensor for example: nobody is there to read
    that, and it would disturb a program that asked for JSON.
    """
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGTSTP, signal.SIG_IGN)
    sandbox.limit(resource.RLIMIT_AS, (sandbox.memory_mapped_mb() + EXAMINER_MB) << 20)
    os.sched_setaffinity(0, cores)  # its students' processes get the same cores: they take turns
    gc.freeze()


@contextmanager
def free_core() -> Iterator[set[int]]:
    """A core that no other session on this machine uses, where one is left; else all cores that this process may use.

    A core is claimed by binding a socket to an abstract name: the kernel gives the name to one process only, and frees
    it when that process ends, however it ends.
    """
    ours = os.sched_getaffinity(0)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as claim:
        for core in sorted(ours):
            with suppress(OSError):
                claim.bind(f"\0nbproctor core {core}")
                ours = {core}
                break
        yield ours
