"""Starts and ends the zygote's process, and waits until it is ready.

The zygote takes seconds to import torch, and needs to know nothing about a class for that. So it can be started before
it is known who has handed in what, and be waited for afterwards.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from nbproctor.border import sandbox
from nbproctor.errors import UserError
from nbproctor.paths import IMPORTED_FROM

READY_S = 60.0
END_S = 5.0  # for a zygote without the sandbox, to end its children


class GraderError(UserError):
    """Grading cannot start or go on; the message says what to do."""


class WorkersGone(GraderError):
    """A scheduler of workers answers no longer, or has none left."""


@dataclass(frozen=True)
class Kind:
    """Which program a zygote is, with its words, and the sandbox for it. By default, that of our own course."""

    program: str = "nbproctor.inside.zygote"
    words: tuple[str, ...] = ()
    bounds: sandbox.Bounds = sandbox.Bounds()
    view: sandbox.View = sandbox.View()


@dataclass(frozen=True)
class Zygote:
    """A zygote that was started. controls: a socket to it for each worker. layers: the sandbox's active layers."""

    controls: tuple[socket.socket, ...]
    layers: tuple[str, ...]
    process: subprocess.Popen[bytes]

    def wait_until_ready(self) -> None:
        """Wait until the zygote can fork. Raises sandbox.LayerMissing where a layer is missing, GraderError where the
        zygote does not start."""
        for control in self.controls:
            control.settimeout(READY_S)
            words = b""
            with suppress(OSError):  # it ends without a word, or says nothing in time
                words = control.recv(4000)
            if not words:
                self.process.kill()
                said = (self.process.communicate()[1] or b"").decode(errors="replace").strip().splitlines()
                raise _start_failure(said[-1] if said else "it said nothing")
            if missing := json.loads(words)["missing"]:
                raise sandbox.LayerMissing(missing)

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
    inner = [os.path.abspath(sys.executable), "-m", kind.program, *kind.words, program]
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
        yield Zygote(tuple(ours for ours, _ in pairs), layers, process)
    finally:
        for ours, _ in pairs:
            ours.close()
        if not sandboxed:  # no namespace ends with the zygote: it sees the closed sockets, and ends its children itself
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=END_S)
        process.kill()
        process.wait()
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
