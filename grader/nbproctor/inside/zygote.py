"""The warm process from which students' processes are forked: it has imported torch and knows no check or submission.

Run as `python -m nbproctor.inside.zygote FILTER CONTROL_FD …`. FILTER is the seccomp filter in hexadecimal, or
`open` for no sandbox. Each CONTROL_FD is a control socket (SOCK_SEQPACKET) to one worker, which sends requests by
`control`:

setup   brings a handle on a file with a unit's setup cell. The zygote runs it, and students' processes have what it
        left. The worker gets back what stopped it, if anything did.
fork    brings one end of a channel, and a lifetime. The worker gets the child's pid (in the zygote's pid namespace) and
        a pidfd.
reap    names a pid. The worker gets the exit status.
orphans comes from a worker that has taken the place of a dead one. The zygote kills what the dead one had started.

The zygote also kills every child whose lifetime is over, whatever it is doing. The cells of a notebook go from the
worker directly to the child.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import math
import os
import selectors
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from nbproctor.border import sandbox
from nbproctor.inside import walls

LOOK_S = 5.0  # how often the zygote looks for children whose lifetime is over
REQUEST_BYTES = 1 << 16  # a request may name all cores of a large machine
WORDS = 500  # of what stopped a setup cell


Serve = Callable[[socket.socket], None]  # what a student's process does with its end of the channel


def warm_up() -> Serve:
    """Import what students import, and build the shell. Starts no thread, since a fork would not copy it."""
    gc.disable()  # imports leave little garbage, and the collector would scan all that they create again and again
    import matplotlib

    from nbproctor.inside import habits, student

    matplotlib.use("agg")
    for name in ("bdb", "matplotlib.pyplot", "matplotlib.backends.backend_agg", "numpy.random", "PIL.features",
                 "torch._subclasses.schema_check_mode", "torch.utils._device"):  # fmt: skip
        importlib.import_module(name)

    torch = importlib.import_module("torch")
    torch.set_num_threads(1)
    torch.ones(2, dtype=torch.float16).float()  # makes torch read /proc/cpuinfo, which says less in children
    _first_uses(torch)
    shell = habits.make_shell()
    habits.install()
    gc.enable()
    gc.collect()
    gc.freeze()  # a garbage collection in a child would write to all objects, and so copy their pages
    return partial(student.serve, shell=shell)


def _first_uses(torch: Any) -> None:
    """Do once what is slow at its first use, so that no student waits for it.

    The first optimizer alone imports torch's compiler, which takes most of a second, and writes a file, as the zygote
    later cannot.
    """
    torch.manual_seed(0)
    torch.optim.AdamW([torch.nn.Parameter(torch.zeros(1))])
    layer = torch.nn.TransformerEncoderLayer(2, 1, 2, batch_first=True)
    layer(torch.zeros(1, 2, 2), src_key_padding_mask=torch.tensor([[False, True]]))


def _enter(controls: list[socket.socket], program: bytes | None, base_mb: int, bounds: sandbox.Bounds) -> int | None:
    """Sandbox the zygote, try out the sandbox of a student's process, and tell all workers whether a layer is missing.

    Returns a handle on the zygote's pid namespace, -1 where there is no sandbox, and None where a layer is missing.
    """
    try:
        namespace, missing = -1, ""
        if program is not None:
            namespace = walls.enter(bounds.memory_mb)
            walls.try_out(namespace, program, base_mb, bounds)
    except sandbox.LayerMissing as error:
        namespace, missing = None, str(error)
    for end in controls:
        end.send(json.dumps({"missing": missing}).encode())
    return namespace


def serve(controls: list[socket.socket], program: bytes | None, serve_student: Serve, bounds: sandbox.Bounds) -> None:
    """Fork and reap on request until every control socket is closed. All has been imported by then.

    bounds: what a student's process may use.
    """
    _gather_memory()
    base_mb = sandbox.memory_mapped_mb()
    namespace = _enter(controls, program, base_mb, bounds)
    if namespace is None:
        return
    started: dict[int, tuple[float, socket.socket]] = {}
    status: dict[int, int] = {}
    selector = selectors.DefaultSelector()
    for end in controls:
        selector.register(end, selectors.EVENT_READ, end)
    while selector.get_map():
        for key, _ in selector.select(timeout=LOOK_S):
            control: socket.socket = key.data
            words, handles, _, _ = socket.recv_fds(control, REQUEST_BYTES, 1)
            if not words:
                selector.unregister(control)
                continue
            request = json.loads(words)
            if request["op"] == "fork":
                pid = os.fork() if program is None else walls.fork_in_namespaces(namespace)
                if pid == 0:
                    os.sched_setaffinity(0, request["cores"])  # the same as the examiner's: they take turns
                    cpu_s = math.ceil(request["lifetime_s"]) * len(request["cores"])  # threads use time on each core
                    _become_student(handles[0], serve_student, bounds, (program, base_mb, cpu_s))
                os.close(handles[0])
                started[pid] = time.monotonic() + request["lifetime_s"], control
                _tell_of(pid, control, request["nonce"])
                continue
            answer = _answer(request, control, handles, started, status)
            control.send(json.dumps({**answer, "nonce": request["nonce"]}).encode())
        _collect(started, status)
        _end([pid for pid, (until, _) in started.items() if time.monotonic() > until])
    _end([*started])


def _gather_memory() -> None:
    """Have the kernel put this process's memory into pages of 2 MB, so that a fork and its end take less time.

    A fork copies the table of pages, which takes as long as many a check where 250 MB lie in pages of 4 KB. A kernel
    before Linux 6.1 cannot gather them, and refuses.
    """
    for found in Path("/proc/self/maps").read_bytes().splitlines():
        span, access, _, _, inode, *_ = found.split()
        if (access, inode) == (b"rw-p", b"0"):  # memory that is of no file
            start, end = (int(address, 16) for address in span.split(b"-"))
            sandbox.libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), 25)  # MADV_COLLAPSE


def _answer(
    request: Any,
    control: socket.socket,
    handles: list[int],
    started: dict[int, tuple[float, socket.socket]],
    status: dict[int, int],
) -> dict[str, Any]:
    """The answer to any request but `fork`."""
    if request["op"] == "setup":
        return _read_setup(handles[0])
    if request["op"] == "orphans":
        _end_orphans(control, started)
        return {}
    _collect(started, status)
    return {"status": status.pop(request["pid"], None)}


def _read_setup(handle: int) -> dict[str, str]:
    """Run the setup cell that the file holds. Answers what stopped it, if anything did."""
    from nbproctor.inside import student  # here, since it imports torch: `warm_up` has done so

    with os.fdopen(handle, "rb") as file:
        source = file.read().decode()
    try:
        student.read_setup(source)
    except BaseException as error:  # noqa: BLE001 whatever stops the cell is the answer
        return {"stopped": f"{type(error).__name__}: {error}"[:WORDS]}
    gc.freeze()  # as in `warm_up`
    return {}


def _tell_of(pid: int, control: socket.socket, nonce: str) -> None:
    """Send the worker the pid of its student's process, and a pidfd for it."""
    pidfd = os.pidfd_open(pid)
    socket.send_fds(control, [json.dumps({"pid": pid, "nonce": nonce}).encode()], [pidfd])
    os.close(pidfd)


def _end_orphans(control: socket.socket, started: dict[int, tuple[float, socket.socket]]) -> None:
    """Kill all that was started for this control socket, and wait until every process has ended."""
    orphans = [pid for pid, (_, owner) in started.items() if owner is control]
    _end(orphans)
    for pid in orphans:
        os.waitpid(pid, 0)
        del started[pid]


def _end(pids: list[int]) -> None:
    """Kill students' processes and all that they started, whatever their code has put in the place of `os._exit`.

    Each is the first process of its pid namespace, and the kernel ends the namespace with it. Without the sandbox there
    is no such namespace, and its process group is killed instead; a process that has left the group goes on then.
    """
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
        with suppress(ProcessLookupError):  # it was killed before it had a group of its own
            os.killpg(pid, signal.SIGKILL)


def _collect(started: dict[int, tuple[float, socket.socket]], status: dict[int, int]) -> None:
    """Note the exit status of every child that has died: its exit code, or minus the signal."""
    while started:
        found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if found is None:
            return
        if found.si_pid in started:
            _end([found.si_pid])  # for what it started; its pid is not given to another process before the wait below
        pid, raw = os.waitpid(found.si_pid, 0)
        if started.pop(pid, None) is not None:
            status[pid] = os.waitstatus_to_exitcode(raw)


def _become_student(
    channel: int, serve_student: Serve, bounds: sandbox.Bounds, limits: tuple[bytes | None, int, int]
) -> None:
    """In the forked child: keep only the channel and /dev/null, put up the sandbox, and serve. Never returns."""
    program, base_mb, cpu_s = limits
    code = 0
    try:
        walls.die_with_parent()
        os.setsid()  # a process group of its own: `kill(0, 9)` reaches no other process
        os.dup2(channel, 3)
        null = os.open("/dev/null", os.O_RDWR)
        for handle in (0, 1, 2):
            os.dup2(null, handle)
        os.closerange(4, 1 << 16)
        if program is None:
            os.mkdir(str(os.getpid()))  # in the session's own temporary folder
            os.chdir(str(os.getpid()))
            walls.limit_resources(base_mb, cpu_s, bounds)
        else:
            walls.shut_in(program, base_mb, cpu_s, bounds)
        with socket.socket(fileno=3) as end:
            serve_student(end)
    except BaseException:  # noqa: BLE001 the parent sees the exit code, and could be told no more (`walls.try_out`)
        code = 70
    finally:
        os._exit(code)


if __name__ == "__main__":
    filter_ = None if sys.argv[1] == "open" else bytes.fromhex(sys.argv[1])
    serve([socket.socket(fileno=int(fd)) for fd in sys.argv[2:]], filter_, warm_up(), sandbox.Bounds())
