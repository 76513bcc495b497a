"""What a worker holds while it grades: the warm zygote, a desk for each unit, and the way a submission takes.

A `Session` turns bytes into results, wherever it runs. Who gets which submission is decided elsewhere (`batch`).
"""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from nbproctor import sandbox, uncompiled
from nbproctor.control import ZygoteGone, ask
from nbproctor.course import Unit
from nbproctor.limits import Limits
from nbproctor.protocol import Started
from nbproctor.result import Result, ungradable
from nbproctor.store import key_of
from nbproctor.submission import HandedIn
from nbproctor.text import Clean, line

if TYPE_CHECKING:
    from nbproctor.conversation import Log
    from nbproctor.examiner import Desk
    from nbproctor.match import Read

READY_S = 60.0
END_S = 5.0  # for a zygote without the sandbox, to end what is left
GRACE_S = 30.0  # beyond a submission's own limits, before its examiner is given up
MANY = 30  # submissions, from which on large pages save more time than it takes to make them
ATTEMPTS = 2  # at a submission, where chance had a part in the first
PHASES = 2  # of an attempt: each has all the time of a submission
EXAMINER_MB = 4096  # of address space beyond what it starts with: a check may compute with what a student sends

_went_on: list[float] = []  # when this process went on after it had been stopped, as by Ctrl-Z and `fg`


class GraderError(Exception):
    """Grading cannot start or go on; the message says what to do."""


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
        from nbproctor import examiner, match, sit
        from nbproctor.bounded import CutShort
        from nbproctor.failures import StudentGone

        of = self.units[unit]
        try:
            if unit not in self.desks:
                self._reads = self._reads or match.reader(self.units)
                self.desks[unit] = examiner.prepare(of, self._reads, self.logs.get(unit))
            result = sit.sit(of, self.desks[unit], self.control, student, handed, self.limits)
        except ZygoteGone:
            raise
        except CutShort as error:
            return lost(of, student, f"its source cannot be read: {error}")
        except StudentGone as error:  # none that a cell or a check of theirs ended: those are findings
            return lost(of, student, f"its process could not be made ready ({line(str(error), 150)})")
        except Exception as error:  # noqa: BLE001 a fault of ours costs this submission, and is told as what it is
            return lost(of, student, f"the grader stopped on it ({type(error).__name__}: {line(str(error), 150)})")
        if sit.KILLED in result.notes:
            return replace(result, layers=self.layers)
        key = key_of(student, handed, of, self.limits, self.layers, self.packages)
        return replace(result, key=key, layers=self.layers)


def patience_s(limits: Limits) -> float:
    """How long an examiner may be at a submission, whatever happens on the way, before it is given up."""
    return ATTEMPTS * PHASES * limits.submission_s + GRACE_S


def lost(unit: Unit, student: Clean, reason: str) -> Result:
    """The result of a submission whose grading failed through no fault of the student's. It is never stored."""
    return ungradable(student, unit.name, unit.max_points, line(f"{reason}; grade it again, or by hand"))


def get_ready(units: Iterable[Unit]) -> None:
    """Import torch, while the zygote does the same, and what setup cells import; read what of the course is the same
    for every submission."""
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
    """A session with a zygote of its own, in a process that does nothing else. Raises as `zygote_running` does."""
    meanwhile = partial(get_ready, units.values())
    with zygote_running(1, sandboxed, meanwhile, many=True) as (controls, layers, _), free_core() as core:
        settle(core)
        yield Session(units, controls[0], limits, layers)


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


@contextmanager
def zygote_running(
    workers: int, sandboxed: bool, meanwhile: Callable[[], None], many: bool
) -> Iterator[tuple[list[socket.socket], tuple[str, ...], Callable[[], bool]]]:
    """Start the zygote. Yields a control socket for each worker, the names of the active layers, and how to ask if it
    is gone.

    meanwhile: what is to be done here while it imports torch, which takes seconds. many: whether so many students are
    to be forked that large pages are worth the second that they take to make.
    Raises sandbox.LayerMissing where a layer is not to be had, GraderError where the zygote does not start.
    """
    sandbox.need_linux()
    layers = tuple(sandbox.check_layers()) if sandboxed else ()
    pairs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(workers)]
    fds = [theirs.fileno() for _, theirs in pairs]
    program = sandbox.seccomp_program().hex() if sandboxed else "open"
    inner = [os.path.abspath(sys.executable), "-m", "nbproctor.inside.zygote", program]
    inner += ["large" if many else "small", *map(str, fds)]
    scratch = None if sandboxed else tempfile.TemporaryDirectory(prefix="nbproctor-", ignore_cleanup_errors=True)
    process = subprocess.Popen(  # noqa: S603 our own command
        sandbox.bwrap_command(inner, _font_list()) if sandboxed else inner,
        pass_fds=fds,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd=scratch.name if scratch else None,
        start_new_session=True,  # Ctrl-C is ours to handle: it would end a zygote before it has ended its students
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0", "PYTHONPATH": import_path()},
    )
    try:
        meanwhile()
        for _, theirs in pairs:
            theirs.close()
        for ours, _ in pairs:
            ours.settimeout(READY_S)
            started = _started(ours)
            if started is None:
                process.kill()
                said = (process.communicate()[1] or b"").decode(errors="replace").strip().splitlines()
                raise _start_failure(said[-1] if said else "it said nothing")
            if started.missing:
                raise sandbox.LayerMissing(started.missing)
        yield [ours for ours, _ in pairs], layers, lambda: _ends(process)
    finally:
        for ours, _ in pairs:
            ours.close()
        if not sandboxed:  # no namespace goes along: it sees that nobody asks any more, and ends what is left itself
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=END_S)
        process.kill()
        process.wait()
        if process.stderr:
            process.stderr.close()
        if scratch:
            scratch.cleanup()


def import_path() -> str:
    """Where Python finds this package from another folder, too."""
    return os.pathsep.join([str(Path(__file__).resolve().parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])])


def _ends(process: subprocess.Popen[bytes]) -> bool:
    """Whether it has ended, or is about to: its death is noticed a moment after that of what it served."""
    try:
        process.wait(timeout=1.0)
    except subprocess.TimeoutExpired:
        return False
    return True


def _started(control: socket.socket) -> Started | None:
    """The zygote's first words; None where it ended, or was silent, before it said any."""
    try:
        words = control.recv(4000)
    except OSError:
        return None
    return Started.from_json(json.loads(words)) if words else None


def _start_failure(said: str) -> Exception:
    """Why there is no zygote, by the last line on its standard error. bubblewrap has no other way to tell."""
    if said.startswith("bwrap:"):
        if said.removeprefix("bwrap: ").startswith(sandbox.REFUSED_NAMESPACE):
            return sandbox.no_namespaces(said)
        return sandbox.LayerMissing(f"bubblewrap cannot build the sandbox ({said})")
    return GraderError(f"the zygote did not start: {said}")


def _font_list() -> Path | None:
    """matplotlib's list of fonts, which takes seconds to make anew."""
    import matplotlib

    found = sorted(Path(matplotlib.get_cachedir()).glob("fontlist-*.json"))
    return found[-1] if found else None
