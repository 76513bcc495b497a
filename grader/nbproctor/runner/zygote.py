"""A warm process, the zygote, and the processes that it forks: starts them, asks them, and ends them.

The zygote takes seconds to import torch, and needs to know nothing about a class for that. So it can be started before
it is known who has handed in what, and be waited for afterwards. What it does is in `inside.zygote`.
"""

from __future__ import annotations

import json
import os
import secrets
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec

from nbproctor.border import messages, sandbox
from nbproctor.errors import UserError
from nbproctor.paths import IMPORTED_FROM
from nbproctor.runner.log import ending, is_on, pid_of, say
from nbproctor.values.text import many

READY_S = 60.0
END_S = 5.0  # for a zygote without the sandbox, to end its children


class GraderError(UserError):
    """Grading cannot start or go on; the message says what to do."""


class WorkersGone(GraderError):
    """A scheduler of workers answers no longer, or has none left."""


class ZygoteGone(Exception):
    """The zygote no longer answers, so no student can be graded with it."""


class SetupStopped(Exception):
    """The instructor's setup cell does not run on this machine; the message says what stopped it."""


class Process:
    """A student's process: the channel to it, and a handle on it. The zygote kills it when its lifetime is over.

    Raises ZygoteGone where the zygote does not answer.
    """

    def __init__(self, control: Control, lifetime_s: float, cores: list[int] | None = None) -> None:
        self._control, self._start = control, time.monotonic()
        self.channel, theirs = socket.socketpair()
        request = messages.Fork(cores or sorted(os.sched_getaffinity(0)), lifetime_s)
        try:
            with theirs:
                forked, (self.pidfd,) = control.ask(request, messages.Forked, theirs.fileno())
        except BaseException:
            self.channel.close()
            raise
        self.pid = forked.pid  # as the zygote knows it
        self._name = f"process {pid_of(self.pidfd)}" if is_on() else ""
        say("%s begins", self._name)

    def interrupt(self) -> None:
        signal.pidfd_send_signal(self.pidfd, signal.SIGINT)

    def close(self) -> int | None:
        """Kill the process and all its children.

        Returns its exit code, or minus the signal that ended it, where it had ended by itself; else None. Only the
        first call does anything; a later one returns None, so that it cannot hide an exception that the first raised.
        """
        if self.channel.fileno() < 0:
            return None
        has_ended = bool(select.select([self.pidfd], [], [], 0)[0])
        with suppress(ProcessLookupError):  # the process may have ended and been reaped
            signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)
        self.channel.close()
        select.select([self.pidfd], [], [], 10)
        os.close(self.pidfd)
        reaped, _ = self._control.ask(messages.Reap(self.pid), messages.Reaped)
        status = reaped.status if has_ended else None
        say("%s %s after %.2f s", self._name, ending(status), time.monotonic() - self._start)
        return status


def await_end(pidfd: int) -> None:
    """Wait, for half a second at most, until a process has ended whose channel has closed: that is seen first."""
    select.select([pidfd], [], [], 0.5)


class Control:
    """A socket to the zygote. Several threads may use it."""

    def __init__(self, end: socket.socket) -> None:
        self._end, self._turn = end, threading.Lock()

    def ready(self) -> str | None:
        """Wait until the zygote is. Returns which layer is missing, or "", or None where the zygote does not start."""
        self._end.settimeout(READY_S)
        with suppress(OSError):
            if words := self._end.recv(4000):
                return msgspec.json.decode(words, type=messages.Ready).missing
        return None

    def fork(self, lifetime_s: float) -> Process:
        return Process(self, lifetime_s)

    def read_setup(self, source: str) -> None:
        """Have the zygote run a unit's setup cell, which students' processes then know by its `cell_name`.

        Raises ZygoteGone, and SetupStopped where the cell does not come to its end.
        """
        with os.fdopen(os.memfd_create("setup"), "wb") as file:
            file.write(source.encode())
            file.flush()
            file.seek(0)
            answer, _ = self.ask(messages.ReadSetup(), messages.SetupRead, file.fileno())
        if answer.stopped:
            raise SetupStopped(answer.stopped)

    def end_orphans(self) -> None:
        """Kill what a worker has left that had this socket before."""
        self.ask(messages.EndOrphans(), messages.Done)

    def ask(
        self, request: messages.ZygoteRequest, kind: type[messages.Answer], *handles: int
    ) -> tuple[messages.Answer, list[int]]:
        """Send a request with open file descriptors. Returns the answer, and the descriptors that came with it.

        Answers to an earlier worker that died before it could read them are thrown away. Raises ZygoteGone where the
        zygote does not answer.
        """
        nonce = secrets.token_hex(8)
        with self._turn:
            try:
                socket.send_fds(self._end, [json.dumps(messages.header_of(request, nonce)).encode()], handles)
                while True:
                    words, found, _, _ = socket.recv_fds(self._end, 4000, 1)
                    if not words:
                        raise ZygoteGone("it has closed its socket")
                    header = json.loads(words)
                    if header["nonce"] == nonce:
                        return msgspec.convert(header["answer"], kind), found
                    for handle in found:
                        os.close(handle)
            except OSError as error:
                raise ZygoteGone(str(error)) from error

    def close(self) -> None:
        self._end.close()


@dataclass(frozen=True)
class Kind:
    """Which program a zygote is, what it is given, as JSON, and the sandbox for it. By default, our own course's."""

    program: str = "zygote"
    given: str = "null"
    bounds: sandbox.Bounds = sandbox.Bounds()
    view: sandbox.View = sandbox.View()


@dataclass(frozen=True)
class Zygote:
    """A zygote that was started. controls: a socket to it for each worker. layers: the sandbox's active layers."""

    controls: tuple[Control, ...]
    layers: tuple[str, ...]
    process: subprocess.Popen[bytes]

    def wait_until_ready(self) -> None:
        """Wait until the zygote can fork. Raises sandbox.LayerMissing where a layer is missing, GraderError where the
        zygote does not start."""
        start = time.monotonic()
        for control in self.controls:
            missing = control.ready()
            if missing is None:
                self.process.kill()
                said = (self.process.communicate()[1] or b"").decode(errors="replace").strip().splitlines()
                raise _start_failure(said[-1] if said else "it said nothing")
            if missing:
                raise sandbox.LayerMissing(missing)
        say("zygote %d is ready after %.2f s more", self.process.pid, time.monotonic() - start)

    def is_gone(self) -> bool:
        """Whether the zygote has ended, or does within a second: its workers may be seen to end first."""
        try:
            self.process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            return False
        return True


@contextmanager
def zygote_started(workers: int, sandboxed: bool, kind: Kind | None = None) -> Iterator[Zygote]:
    """Start a zygote for this number of workers, and kill it in the end. `Zygote.wait_until_ready` waits for it.

    Raises sandbox.LayerMissing where a layer is missing.
    """
    sandbox.need_linux()
    kind = kind or Kind()
    layers = tuple(sandbox.check_layers()) if sandboxed else ()
    pairs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(workers)]
    fds = [theirs.fileno() for _, theirs in pairs]
    program = sandbox.seccomp_program(kind.bounds.network).hex() if sandboxed else "open"
    bounds = json.dumps(asdict(kind.bounds))
    inner = [os.path.abspath(sys.executable), "-m", f"nbproctor.inside.{kind.program}", bounds, kind.given, program]
    inner += map(str, fds)
    scratch = None if sandboxed else tempfile.TemporaryDirectory(prefix="nbproctor-", ignore_cleanup_errors=True)
    process = subprocess.Popen(  # noqa: S603 our own command
        sandbox.bwrap_command(inner, font_list(), kind.bounds, kind.view) if sandboxed else inner,
        pass_fds=fds,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd=scratch.name if scratch else None,
        start_new_session=True,  # Ctrl-C must not reach the zygote: it would end before it has ended its students
        env={
            **os.environ,
            "OMP_NUM_THREADS": "1",
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": import_path(),
            **dict(kind.view.environment),
        },  # fmt: skip
    )
    try:
        for _, theirs in pairs:
            theirs.close()
        say("zygote %d (inside.%s) starts, for %s", process.pid, kind.program, many(workers, "worker"))
        yield Zygote(tuple(Control(ours) for ours, _ in pairs), layers, process)
    finally:
        for ours, _ in pairs:
            ours.close()
        if not sandboxed:  # no namespace ends with the zygote: it sees the closed sockets, and ends its children itself
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=END_S)
        process.kill()
        say("zygote %d %s", process.pid, ending(process.wait()))
        if process.stderr:
            process.stderr.close()
        if scratch:
            scratch.cleanup()


def import_path() -> str:
    """The PYTHONPATH with which Python finds this package from any folder."""
    return os.pathsep.join([str(IMPORTED_FROM), *filter(None, [os.environ.get("PYTHONPATH")])])


def _start_failure(said: str) -> Exception:
    """The error for a zygote that did not start, by the last line on its standard error.

    bubblewrap reports a failure only there.
    """
    if said.startswith("bwrap:"):
        if said.removeprefix("bwrap: ").startswith(sandbox.REFUSED_NAMESPACE):
            return sandbox.no_namespaces(said)
        return sandbox.LayerMissing(f"bubblewrap cannot build the sandbox ({said})")
    return GraderError(f"the zygote did not start: {said}")


def font_list() -> Path | None:
    """The file with matplotlib's list of fonts, if there is one; making the list anew takes seconds.

    The file lies in the folder that `matplotlib.get_cachedir` returns. Importing matplotlib only to ask that would
    delay the zygote's start by a quarter of a second.
    """
    own, shared = os.environ.get("MPLCONFIGDIR"), os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    found = sorted((Path(own) if own else Path(shared, "matplotlib")).glob("fontlist-*.json"))
    return found[-1] if found else None
