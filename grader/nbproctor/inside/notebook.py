"""The warm process of any nbgrader course: it has imported the course's libraries, and runs a notebook in each fork.

Run as `python -m nbproctor.inside.notebook BOUNDS MODULES FILTER CONTROL_FD …`: BOUNDS and MODULES in JSON, the rest as
in `zygote`. It has seen no notebook, only names of modules. Checks run in the student's process, as in nbgrader.

A worker sends a student's process (`border.frames`):

begin  files for the notebook's folder
run    one cell, and whether its figures are drawn. The answer has its outputs, and the modules that it loaded
apart  brings a channel on which the examiner of a strict check asks for what the cells have defined, until it is closed
end    the answer has the files that were written, and the names of those that are gone
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import json
import os
import signal
import socket
import sys
from pathlib import Path
from typing import Any

from IPython.core import pylabtools

from nbproctor.border import frames, sandbox
from nbproctor.inside import cells, zygote

WRITTEN_MOST = 64 << 20  # bytes of files that one notebook hands on
FILES_MOST = 2000
_fonts: dict[Path, bytes] = {}  # matplotlib's list of fonts, which takes seconds to make anew
_print_figure = pylabtools.print_figure
_NOT_THEIRS = {"__pycache__", ".ipython", ".cache"}


def warm_up(names: list[str]) -> Any:
    """Build the shell and import these modules, as far as they can be imported."""
    gc.disable()
    for path in Path(os.environ.get("MPLCONFIGDIR", "/nowhere")).glob("fontlist-*.json"):
        _fonts[path] = path.read_bytes()
    shell = cells.make_shell()
    for name in names:
        try:
            importlib.import_module(name)
        except BaseException:  # noqa: BLE001, S110 a module may do anything; who needs it meets the error in a cell
            pass
    gc.enable()
    gc.collect()
    gc.freeze()  # a garbage collection in a child would write to all objects, and so copy their pages
    return shell


def serve_student(end: socket.socket, shell: Any) -> None:
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    task = loop.create_task(_converse(end, shell, loop))
    while not task.done():  # the student's code may have stopped the loop, or left an interrupt behind
        try:
            loop.run_until_complete(task)
        except (RuntimeError, KeyboardInterrupt):
            continue


async def _converse(end: socket.socket, shell: Any, loop: asyncio.AbstractEventLoop) -> None:
    header, parts = frames.receive(end, parts_most=1 << 40)
    folder = Path("work").absolute()  # beside what else lies in the scratch folder, such as IPython's own
    folder.mkdir()
    os.chdir(folder)
    for (name, mode), data in zip(header["files"], parts, strict=True):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(mode)
    for path, data in _fonts.items() if "matplotlib.font_manager" not in sys.modules else ():
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    known = _state(folder)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed()  # else every student would draw the same numbers
    sys.path.insert(0, "")
    os.environ["NBGRADER_EXECUTION"] = "autograde"
    cells.begin()
    loaded, own = set(sys.modules), os.getpid()
    while True:
        await _readable(end, loop)
        request, _ = frames.receive(end)
        if request["op"] == "end":
            header, parts = _written(folder, known)
            frames.send(end, {**header, "nonce": request["nonce"]}, parts)
            return
        if request["op"] == "apart":
            _answer_examiner(shell, socket.recv_fds(end, 1, 1)[1][0])
            frames.send(end, {"nonce": request["nonce"]})
            continue
        _draw(request["draw"])
        found = await cells.run(shell, request["source"])
        if os.getpid() != own:  # the student's code has forked, and this is the copy
            os._exit(0)
        new, loaded = [name for name in [*sys.modules] if name not in loaded], set(sys.modules)
        count, used = shell.execution_count - 1, sum(os.times()[:4])
        answer = {"outputs": found, "count": count, "modules": new, "cpu_s": used, "exits": cells.take_exit()}
        frames.send(end, {**answer, "nonce": request["nonce"]})


def _answer_examiner(shell: Any, handle: int) -> None:
    """Answer what a strict check asks, on the channel of this handle, until the examiner closes it."""
    from nbproctor.inside import student  # here, since it imports torch, which only strict checks need

    streams, path = (sys.stdout, sys.stderr), [*sys.path]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with socket.socket(fileno=handle) as channel:
            student.serve(channel, shell)
    except (OSError, KeyboardInterrupt):  # the examiner has given up what did not end
        pass
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout, sys.stderr = streams
    sys.path[:] = path
    student.put_back()
    cells.take_handles()  # what the answer wrote there is not the next cell's


async def _readable(end: socket.socket, loop: asyncio.AbstractEventLoop) -> None:
    """Wait for the next request, while what the student's code has left in the event loop goes on."""
    future = loop.create_future()
    loop.add_reader(end, _wake, future)
    try:
        await future
    finally:
        loop.remove_reader(end)


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def _draw(is_wanted: bool) -> None:
    """Have figures drawn, or shown as text. Where nobody looks at them, drawing takes longer than all else."""
    pylabtools.print_figure = _print_figure if is_wanted else lambda *_, **__: None


def _state(folder: Path) -> dict[str, tuple[int, int, int]]:
    """What tells whether a file was written: its inode, size and time of change, by name."""
    found = {}
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink() and not _NOT_THEIRS.intersection(path.parts):
            about = path.stat()
            found[str(path.relative_to(folder))] = (about.st_ino, about.st_size, about.st_mtime_ns)
    return found


def _written(folder: Path, known: dict[str, tuple[int, int, int]]) -> tuple[dict[str, Any], list[bytes]]:
    now, room = _state(folder), WRITTEN_MOST
    names, parts, left = list[tuple[str, int]](), list[bytes](), list[str]()
    for name in sorted(name for name in now if now[name] != known.get(name)):
        if now[name][1] > room or len(names) >= FILES_MOST:
            left.append(name)
            continue
        parts.append((folder / name).read_bytes())
        names.append((name, (folder / name).stat().st_mode & 0o777))
        room -= len(parts[-1])
    return {"files": names, "gone": sorted(known.keys() - now.keys()), "left": left[:20]}, parts


if __name__ == "__main__":
    bounds = sandbox.Bounds(**json.loads(sys.argv[1]))
    modules: list[str] = json.loads(sys.argv[2])
    program = None if sys.argv[3] == "open" else bytes.fromhex(sys.argv[3])
    way = zygote.Way(lambda: warm_up(modules), serve_student, bounds)
    zygote.serve([socket.socket(fileno=int(fd)) for fd in sys.argv[4:]], program, way)
