"""The warm process from which students' processes are forked: it has imported torch and knows no check or submission.

Run as `python -m nbproctor.inside.zygote BOUNDS GIVEN FILTER CONTROL_FD …`. BOUNDS is what a student's process may use,
and GIVEN what else the program needs to know, both in JSON. FILTER is the seccomp filter in hexadecimal, or `open` for
no sandbox. Each CONTROL_FD is a control socket (SOCK_SEQPACKET) to one worker, whose requests are in
`border.messages`. The zygote also kills every child whose lifetime is over, whatever it is doing. The cells of a
notebook go from the worker directly to the child.
"""

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

import msgspec

from nbproctor.border import messages, sandbox
from nbproctor.inside import walls

LOOK_S = 5.0  # how often the zygote looks for children whose lifetime is over
REQUEST_BYTES = 1 << 16  # a request may name all cores of a large machine
WORDS = 500  # of what stopped a setup cell


Serve = Callable[[socket.socket], None]  # what a student's process does with its end of the channel


def warm_up(_: None) -> Serve:
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


class _Children:
    """The students' processes that the zygote has forked.

    program: the filter of system calls; None for no sandbox. base_mb: of address space, before any student.
    """

    def __init__(self, program: bytes | None, serve_student: Serve, bounds: sandbox.Bounds) -> None:
        self.program, self.serve_student, self.bounds = program, serve_student, bounds
        self.base_mb = sandbox.memory_mapped_mb()
        self.namespace = -1  # a handle on the zygote's pid namespace, if there is a sandbox
        self.started: dict[int, tuple[float, socket.socket]] = {}  # pid -> when its lifetime is over, and whose it is
        self.status: dict[int, int] = {}

    def enter(self) -> str:
        """Sandbox the zygote, and try out the sandbox of a student's process. Returns what is missing, or ""."""
        try:
            if self.program is not None:
                self.namespace = walls.enter(self.bounds.memory_mb)
                walls.try_out(self.namespace, self.program, self.base_mb, self.bounds)
        except sandbox.LayerMissing as error:
            return str(error)
        return ""

    def answer(self, request: messages.ZygoteRequest, control: socket.socket, handles: list[int]) -> msgspec.Struct:
        """Do what was asked, and return the answer."""
        match request:
            case messages.Fork():
                return self._fork(request, control, handles[0])
            case messages.ReadSetup():
                return _read_setup(handles[0])
            case messages.EndOrphans():
                self._end_orphans(control)
                return messages.Done()
            case messages.Reap():
                self.collect()
                return messages.Reaped(self.status.pop(request.pid, None))

    def _fork(self, request: messages.Fork, control: socket.socket, channel: int) -> messages.Forked:
        pid = os.fork() if self.program is None else walls.fork_in_namespaces(self.namespace)
        if pid == 0:
            os.sched_setaffinity(0, request.cores)  # the same as the examiner's: they take turns
            cpu_s = math.ceil(request.lifetime_s) * len(request.cores)  # threads use time on each core
            self._become_student(channel, cpu_s)
        os.close(channel)
        self.started[pid] = time.monotonic() + request.lifetime_s, control
        return messages.Forked(pid)

    def _end_orphans(self, control: socket.socket) -> None:
        """Kill all that was started for this control socket, and wait until every process has ended."""
        orphans = [pid for pid, (_, owner) in self.started.items() if owner is control]
        _end(orphans)
        for pid in orphans:
            os.waitpid(pid, 0)
            del self.started[pid]

    def end_overdue(self) -> None:
        _end([pid for pid, (until, _) in self.started.items() if time.monotonic() > until])

    def collect(self) -> None:
        """Note the exit status of every child that has died: its exit code, or minus the signal."""
        while self.started:
            found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if found is None:
                return
            if found.si_pid in self.started:
                _end([found.si_pid])  # for what it started; its pid is not another process's before the wait below
            pid, raw = os.waitpid(found.si_pid, 0)
            if self.started.pop(pid, None) is not None:
                self.status[pid] = os.waitstatus_to_exitcode(raw)

    def _become_student(self, channel: int, cpu_s: int) -> None:
        """In the forked child: keep only the channel and /dev/null, put up the sandbox, and serve. Never returns."""
        code = 0
        try:
            sandbox.die_with_parent()
            os.setsid()  # a process group of its own: `kill(0, 9)` reaches no other process
            os.dup2(channel, 3)
            null = os.open("/dev/null", os.O_RDWR)
            for handle in (0, 1, 2):
                os.dup2(null, handle)
            os.closerange(4, 1 << 16)
            if self.program is None:
                os.mkdir(str(os.getpid()))  # in the session's own temporary folder
                os.chdir(str(os.getpid()))
                walls.limit_resources(self.base_mb, cpu_s, self.bounds)
            else:
                walls.shut_in(self.program, self.base_mb, cpu_s, self.bounds)
            with socket.socket(fileno=3) as end:
                self.serve_student(end)
        except BaseException:  # noqa: BLE001 the parent sees the exit code, and could be told no more (`walls.try_out`)
            code = 70
        finally:
            os._exit(code)


def serve(controls: list[socket.socket], program: bytes | None, serve_student: Serve, bounds: sandbox.Bounds) -> None:
    """Answer requests until every control socket is closed. All has been imported by then.

    bounds: what a student's process may use.
    """
    _gather_memory()
    children = _Children(program, serve_student, bounds)
    missing = children.enter()
    for end in controls:
        end.send(msgspec.json.encode(messages.Ready(missing)))
    if missing:
        return
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
            header = json.loads(words)
            answer = children.answer(msgspec.convert(header, messages.ZygoteRequest), control, handles)
            pidfds = [os.pidfd_open(answer.pid)] if isinstance(answer, messages.Forked) else []
            socket.send_fds(control, [json.dumps(messages.header_of(answer, header["nonce"])).encode()], pidfds)
            for pidfd in pidfds:
                os.close(pidfd)
        children.collect()
        children.end_overdue()
    _end([*children.started])


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


def _read_setup(handle: int) -> messages.SetupRead:
    """Run the setup cell that the file holds."""
    from nbproctor.inside import student  # here, since it imports torch: `warm_up` has done so

    with os.fdopen(handle, "rb") as file:
        source = file.read().decode()
    try:
        student.read_setup(source)
    except BaseException as error:  # noqa: BLE001 whatever stops the cell is the answer
        return messages.SetupRead(f"{type(error).__name__}: {error}"[:WORDS])
    gc.freeze()  # as in `warm_up`
    return messages.SetupRead()


def _end(pids: list[int]) -> None:
    """Kill students' processes and all that they started, whatever their code has put in the place of `os._exit`.

    Each is the first process of its pid namespace, and the kernel ends the namespace with it. Without the sandbox there
    is no such namespace, and its process group is killed instead; a process that has left the group goes on then.
    """
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
        with suppress(ProcessLookupError):  # it was killed before it had a group of its own
            os.killpg(pid, signal.SIGKILL)


def run(warm_up: Callable[[Any], Serve]) -> None:
    """Be a warm process, as the command line says. warm_up: gets ready, given GIVEN, and returns what a fork does."""
    bounds, given, program, *controls = sys.argv[1:]
    ends = [socket.socket(fileno=int(fd)) for fd in controls]  # before a shell changes `sys.argv`
    serve_student = warm_up(json.loads(given))
    filter_ = None if program == "open" else bytes.fromhex(program)
    serve(ends, filter_, serve_student, sandbox.Bounds(**json.loads(bounds)))


if __name__ == "__main__":
    run(warm_up)
