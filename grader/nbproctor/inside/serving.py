"""A student's process of any course: its notebook's folder, and the answers to the worker (`border.messages`).

What runs the cells is a `Runner`: `notebook` has the one of a warm Python, `kernel` that of all other kernels.
"""

import asyncio
import os
import socket
import stat
from pathlib import Path
from typing import Protocol

from nbproctor.border import frames, messages
from nbproctor.border.messages import Begin, Begun, CellRun, Ended, Run, Try
from nbproctor.inside.trying import Trial, state

WRITTEN_MOST = 64 << 20  # bytes of files that one notebook hands on
FILES_MOST = 2000
_NOT_THEIRS = {"__pycache__", ".ipython", ".cache"}


class Runner(Protocol):
    """Runs the cells of one notebook, in the folder that is the current one."""

    async def begin(self, scratch: Path) -> Begun:
        """Get ready. scratch: the process's own folder, with the notebook's below it."""

    async def run(self, source: str, draw: bool) -> CellRun:
        """Run one cell."""

    def fork(self, source: str) -> str:
        """In a fork of the process: go on as it did. Returns the name of the file by which Python knows this cell."""

    async def end(self) -> float | None:
        """No further cell comes: finish what is still being written. Returns the processor time, if it is known."""


def serve(end: socket.socket, runner: Runner) -> None:
    """Run one notebook for the worker at the other end."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    task = loop.create_task(_converse(end, runner, loop))
    while not task.done():  # the student's code may have stopped the loop, or left an interrupt behind
        try:
            loop.run_until_complete(task)
        except (RuntimeError, KeyboardInterrupt):
            continue


async def _converse(end: socket.socket, runner: Runner, loop: asyncio.AbstractEventLoop) -> None:
    request, nonce, parts = messages.receive_request(end)
    assert isinstance(request, Begin)  # noqa: S101 for mypy
    scratch = Path.cwd()
    folder = scratch / "work" / request.folder  # `work` keeps it apart from what else lies here, such as IPython's
    folder.mkdir(parents=True)
    files = ((name, mode, data) for (name, mode), data in zip(request.files, parts, strict=True))
    frames.write_files(folder, files)
    os.chdir(folder)
    known = _state(folder)
    os.environ["NBGRADER_EXECUTION"] = "autograde"
    messages.send(end, await runner.begin(scratch), nonce)
    own, trial = os.getpid(), Trial(end, runner, scratch / "work")
    while True:
        await _readable(end, loop)
        request, nonce, _ = messages.receive_request(end)
        if isinstance(request, Try):
            messages.send(end, trial.attempt(request), nonce)
            continue
        if not isinstance(request, Run):
            ended, contents = _ended(folder, known, await runner.end())
            messages.send(end, ended, nonce, contents)
            return
        answer = await runner.run(request.source, request.draw)
        if os.getpid() != own:  # the student's code has forked, and this is the copy
            os._exit(0)
        messages.send(end, answer, nonce)


async def _readable(end: socket.socket, loop: asyncio.AbstractEventLoop) -> None:
    """Wait for the next request, while what the student's code has left in the event loop goes on."""
    there = asyncio.Event()
    loop.add_reader(end, there.set)
    try:
        await there.wait()
    finally:
        loop.remove_reader(end)


def _state(folder: Path) -> dict[str, tuple[int, ...]]:
    """The `state` of the files and empty folders that are handed on: neither links nor pipes."""
    found = {name: about for name, about in state(folder).items() if _NOT_THEIRS.isdisjoint(name.split("/"))}
    full = {name.rstrip("/").rpartition("/")[0] + "/" for name in found}
    return {name: about for name, about in found.items() if name not in full and not (about and stat.S_ISLNK(about[3]))}


def _ended(folder: Path, known: dict[str, tuple[int, ...]], cpu_s: float | None) -> tuple[Ended, list[bytes]]:
    """What the cells have left in the folder, and the contents of the files. known: its state before."""
    now, room = _state(folder), WRITTEN_MOST
    names, parts, left = list[tuple[str, int]](), list[bytes](), list[str]()
    for name in sorted(name for name in now if now[name] != known.get(name)):
        is_folder = name.endswith("/")
        if len(names) >= FILES_MOST or (not is_folder and now[name][1] > room):
            left.append(name)
            continue
        parts.append(b"" if is_folder else (folder / name).read_bytes())
        names.append((name, (folder / name).stat().st_mode & 0o777))
        room -= len(parts[-1])
    return Ended(names, sorted(known.keys() - now.keys()), left[:20], cpu_s), parts
