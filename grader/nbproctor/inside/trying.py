"""Tries cells in a fork of the student's process, which stays where it is: the probe's changes of a solution.

The fork is in the same sandbox. When it has ended, or its time is over, all that it has started is killed, and the
notebook's folder is put back as it was.
"""

from __future__ import annotations

import asyncio
import gc
import os
import random
import select
import shutil
import signal
import socket
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from nbproctor.border.messages import CellRun, Tried, Try
from nbproctor.inside.watch import Watch

if TYPE_CHECKING:
    from nbproctor.inside.serving import Runner

LOOK_S = 0.05  # how often to look whether the fork has died without a word
ANSWER_MOST = 64 << 20  # bytes


class Trial:
    """Forks of one student's process. folder: what is put back after each."""

    def __init__(self, end: socket.socket, runner: Runner, folder: Path) -> None:
        self._end, self._runner, self._folder = end, runner, folder
        self._copy = folder.with_name("work as it was")
        self._known: dict[str, tuple[int, ...]] = {}

    def attempt(self, request: Try) -> Tried:
        """Run the cells in a fork, and return what came of them."""
        self._keep_folder()
        with tempfile.TemporaryFile(dir=self._folder.parent) as file:
            reading, writing = os.pipe()
            random_state = random.getstate()
            pid = os.fork()
            if pid == 0:
                self._become_fork(request, file.fileno(), (reading, writing), random_state)
            os.close(writing)
            try:
                seconds = _wait(pid, reading, [cell.seconds for cell in request.cells])
            finally:
                os.close(reading)
                _kill(pid)
            size = min(os.fstat(file.fileno()).st_size, ANSWER_MOST)
            found = _read(os.pread(file.fileno(), size, 0))
        self._put_back()
        return msgspec.structs.replace(found, seconds=seconds)

    def _become_fork(self, request: Try, file: int, pipe: tuple[int, int], random_state: Any) -> None:
        """In the fork: run the cells, write to the file what came of each, and a byte to the pipe. Never returns."""
        reading, writing = pipe
        try:
            self._end.close()
            os.close(reading)
            os.setsid()
            random.setstate(random_state)  # a fork seeds it anew
            asyncio._set_running_loop(None)
            loop = asyncio.new_event_loop()
            asyncio.set_event_loop(loop)
            loop.run_until_complete(_run(self._runner, request, file, writing))
        finally:
            os._exit(0)

    def _keep_folder(self) -> None:
        """Copy the folder, if it has changed since the last copy."""
        if (now := state(self._folder)) != self._known or not self._copy.exists():
            shutil.rmtree(self._copy, ignore_errors=True)
            shutil.copytree(self._folder, self._copy, symlinks=True)
            self._known = now
            gc.collect()
            gc.freeze()  # else a collection in a fork would copy every page

    def _put_back(self) -> None:
        """Make the folder what it was."""
        now = state(self._folder)
        if now == self._known:
            return
        for name in sorted(now.keys() - self._known.keys(), reverse=True):
            path = self._folder / name
            with suppress(OSError):
                path.rmdir() if name.endswith("/") else path.unlink()
        for name in sorted(self._known):
            if now.get(name) != self._known[name]:
                path = self._folder / name
                if name.endswith("/"):
                    path.mkdir(parents=True, exist_ok=True)
                else:
                    path.unlink(missing_ok=True)
                    shutil.copy2(self._copy / name, path, follow_symlinks=False)
        self._known = state(self._folder)


async def _run(runner: Runner, request: Try, file: int, pipe: int) -> None:
    own, watch = os.getpid(), Watch(runner.fork(request.cells[0].source))
    failed = False
    with os.fdopen(os.dup(file), "wb") as answers:
        for number, cell in enumerate(request.cells):
            if number == request.own and failed:
                break
            if request.watch and number:
                watch.begin()
            ran = await runner.run(cell.source, cell.draw)
            watch.end()
            if os.getpid() != own:  # the student's code has forked, and this is the copy
                os._exit(0)
            if request.watch and not number:
                _note(watch, request.names)
            failed = failed or any(one.get("output_type") == "error" for one in ran.outputs)
            answers.write(msgspec.json.encode(ran, enc_hook=repr) + b"\n")
            answers.flush()
            os.write(pipe, b".")
        answers.write(msgspec.json.encode([watch.values, sorted(watch.lines)], enc_hook=repr) + b"\n")
    os.write(pipe, b"!")


def _note(watch: Watch, names: list[str]) -> None:
    """Note the variables that the changed cell has left."""
    from IPython.core.getipython import get_ipython

    found = get_ipython().user_ns
    for name in names:
        if name in found and not (callable(found[name]) or type(found[name]).__name__ == "module"):
            watch.note(name, found[name])


def _wait(pid: int, pipe: int, limits: list[float]) -> list[float]:
    """Wait until the fork has ended, or one of its cells has been too slow. Returns how long each cell took."""
    seconds, start = list[float](), time.monotonic()
    for limit in (*limits, 1.0):  # the last is for the fork's end
        while not select.select([pipe], [], [], LOOK_S)[0]:
            is_over = time.monotonic() - start > limit
            if is_over or os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                return seconds
        if os.read(pipe, 1) != b".":
            break
        now = time.monotonic()
        seconds.append(now - start)
        start = now
    return seconds


def _kill(pid: int) -> None:
    """Kill the fork and all that it has started: in the sandbox that is all but this process, the first of its own."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    if os.getpid() == 1:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(-1, signal.SIGKILL)
    os.waitpid(pid, 0)
    with suppress(ChildProcessError):
        while os.getpid() == 1 and os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _read(answers: bytes) -> Tried:
    """What a fork has written, as far as it is whole."""
    runs, values, lines = list[CellRun](), list[tuple[str, str, str]](), list[int]()
    for row in answers.splitlines():
        with suppress(msgspec.DecodeError):  # the fork was killed while it wrote, or its code has written there
            if row.startswith(b"["):
                values, lines = msgspec.json.decode(row, type=tuple[list[tuple[str, str, str]], list[int]])
            else:
                runs.append(msgspec.json.decode(row, type=CellRun))
    return Tried(runs, values=values, lines=lines)


def state(folder: Path) -> dict[str, tuple[int, ...]]:
    """What tells whether something in the folder has changed: of each file and link its inode, size, time and mode.

    A folder's name ends with a slash. Pipes and sockets are left out.
    """
    return dict(_states(folder))


def _states(folder: Path) -> Iterator[tuple[str, tuple[int, ...]]]:
    for place, folders, names in os.walk(folder):
        for name in (*folders, *names):
            path = os.path.join(place, name)
            about, shown = os.lstat(path), os.path.relpath(path, folder)
            if stat.S_ISDIR(about.st_mode):
                yield f"{shown}/", ()
            elif stat.S_ISREG(about.st_mode) or stat.S_ISLNK(about.st_mode):
                yield shown, (about.st_ino, about.st_size, about.st_mtime_ns, about.st_mode)
