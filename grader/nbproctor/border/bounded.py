"""Runs work on students' text in a separate process, whose time and memory are limited.

The process returns its result as JSON, so nothing else of what happens in it reaches the process that computes
verdicts.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import select
import signal
import socket
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any

from nbproctor.border import sandbox

READING_S = 10.0  # of processor time
PATIENCE = 6  # wall-clock seconds per second of processor time: on a busy machine an honest notebook has to wait
READING_MB = 1024
TOO_LONG = "reading it takes too long"
TIMES_MOST = 25  # a kept process is replaced after this many pieces of work, so that its memory stays small
_ANSWER_MOST = 64 << 20
_DIED = "the process that read it died"
_TOO_MUCH = "there is too much to say about it"
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG


class OutOfBounds(Exception):
    """The work took too long or too much memory, or its process died; the message says which."""


class CutShort(OutOfBounds):
    """An OutOfBounds that may not be the fault of the work itself: the same work may succeed when it is done again.

    Either a signal ended the process, as the kernel sends one where the machine's memory runs out, or its wall-clock
    time was over before it had used up its processor time, as on a busy machine.
    """


def bounded(work: Callable[[], Any], seconds: float = READING_S, memory_mb: int = READING_MB) -> Any:
    """Run `work` in a fork of this process and return its result, which has to be plain JSON data.

    seconds: of processor time; PATIENCE times as much may pass on the clock. memory_mb: of address space, beyond what
    the fork starts with. Raises OutOfBounds.
    """
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        _child(work, writing, seconds, memory_mb)
    os.close(writing)
    try:
        answer = _all_of(reading, time.monotonic() + PATIENCE * seconds)
    finally:
        os.close(reading)
        os.kill(pid, signal.SIGKILL)
        _, _, used = os.wait4(pid, 0)
    if not answer:  # the child died; where it had used up its processor time, the kernel has ended it
        late = used.ru_utime + used.ru_stime >= seconds
        raise OutOfBounds(TOO_LONG if late else _DIED)
    return _value(answer)


class BoundedProcess:
    """Like `bounded`, for work that is repeated on different bytes: one process does it up to TIMES_MOST times.

    The process is kept because to fork a process with torch in it takes as long as to read a notebook. Where the work
    fails in a process that has done other work before, it is done once more in a fresh process, so that no student
    suffers from what another one's text has left behind.
    """

    def __init__(self, work: Callable[[Sequence[bytes]], Any], seconds: float = READING_S) -> None:
        self._work, self._seconds = work, seconds
        self._process: tuple[int, Connection] | None = None
        self._times = 0

    def __call__(self, *parts: bytes) -> Any:
        """Run the work on these bytes and return its result, which is plain JSON data.

        Raises OutOfBounds; in the form of CutShort where the work itself may not be to blame.
        """
        deadline = time.monotonic() + PATIENCE * self._seconds  # for both attempts, if there are two
        if self._times == TIMES_MOST:
            self.close()
        if self._times:
            try:
                return self._once(parts, deadline)
            except OutOfBounds:
                self.close()
        try:
            return self._once(parts, deadline)
        except OutOfBounds:
            self.close()
            raise

    def close(self) -> int:
        """End the process, if there is one. Returns the signal that ended it, or 0 where none did.

        That is SIGKILL where the process was still alive, 0 where it had exited by itself.
        """
        if self._process is None:
            return 0
        pid, pipe = self._process
        self._process, self._times = None, 0
        pipe.close()
        os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0

    def _once(self, parts: Sequence[bytes], deadline: float) -> Any:
        pipe = self._started()
        self._times += 1
        try:
            pipe.send_bytes(json.dumps(len(parts)).encode())
            for part in parts:
                pipe.send_bytes(part)
            if not pipe.poll(max(0.0, deadline - time.monotonic())):
                # The clock ran out and not the processor time: in that case the kernel would have ended the process.
                raise CutShort(TOO_LONG)
            answer = pipe.recv_bytes(_ANSWER_MOST)
        except (EOFError, OSError) as error:
            ended = self.close()
            if ended == signal.SIGXCPU:
                raise OutOfBounds(TOO_LONG) from error
            raise (CutShort if ended else OutOfBounds)(_DIED) from error
        return _value(answer)

    def _started(self) -> Connection:
        """Return the connection to the process, which is started first where there is none."""
        if self._process is None:
            ours, theirs = socket.socketpair()
            pid = os.fork()
            if pid == 0:
                _serve(self._work, theirs, self._seconds)
            theirs.close()
            self._process = pid, Connection(ours.detach())
        return self._process[1]


def _value(answer: bytes) -> Any:
    """Return the result in a process's answer. Raises OutOfBounds where the answer says that the work failed."""
    kind, value = json.loads(answer)
    if kind != "done":
        raise OutOfBounds(value)
    return value


def _all_of(reading: int, deadline: float) -> bytes:
    parts: list[bytes] = []
    size = 0
    while select.select([reading], [], [], max(0.0, deadline - time.monotonic()))[0]:
        part = os.read(reading, 1 << 16)
        if not part:
            return b"".join(parts)
        parts.append(part)
        size += len(part)
        if size > _ANSWER_MOST:
            raise OutOfBounds(_TOO_MUCH)
    raise OutOfBounds(TOO_LONG)


def _child(work: Callable[[], Any], writing: int, seconds: float, memory_mb: int) -> None:
    """In the forked child: do the work and write its result to the pipe. Never returns."""
    try:
        _bound(memory_mb)
        sandbox.limit(resource.RLIMIT_CPU, int(seconds) + 1)
        data = _said(work)
        while data:
            data = data[os.write(writing, data) :]
    finally:
        os._exit(0)


def _serve(work: Callable[[Sequence[bytes]], Any], end: socket.socket, seconds: float) -> None:
    """In the forked child: do the work on each set of bytes that arrives, until the socket closes. Never returns."""
    try:
        os.dup2(end.fileno(), 3)
        # A copy of an inherited socket that stayed open here would hide from the other end that its owner has gone.
        os.closerange(4, 1 << 16)
        _bound(READING_MB)
        pipe = Connection(3)
        while True:
            parts = [pipe.recv_bytes() for _ in range(json.loads(pipe.recv_bytes()))]
            _, most = resource.getrlimit(resource.RLIMIT_CPU)
            resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time() + seconds) + 1, most))
            pipe.send_bytes(_said(lambda parts=parts: work(parts)))  # type: ignore[misc]
    finally:
        os._exit(0)


def _bound(memory_mb: int) -> None:
    """In the forked child: limit its memory to `memory_mb` beyond what it starts with, and let it die with its parent.

    The collector also leaves alone what the parent had thrown away but not yet cleared up. Otherwise its finalizers
    would run here a second time. If one of them parses something while `ast.parse` is at work, as printing a traceback
    may, Python 3.11.7 gives up with a SystemError, and an honest notebook would count as unreadable.
    """
    gc.freeze()
    sandbox.libc.prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
    sandbox.limit(resource.RLIMIT_AS, (sandbox.memory_mapped_mb() + memory_mb) << 20)


def _said(work: Callable[[], Any]) -> bytes:
    """Do the work and return its result, or why it failed, as the answer that `_value` reads."""
    try:
        answer = ["done", work()]
    except (MemoryError, RecursionError) as error:
        answer = ["broke", f"reading it takes more memory or depth than is allowed ({type(error).__name__})"]
    except Exception as error:  # noqa: BLE001 a fault of ours: the parent is told, and raises it
        answer = ["broke", f"reading it failed ({type(error).__name__}: {str(error)[:200]})"]
    data = json.dumps(answer).encode()
    return data if len(data) <= _ANSWER_MOST else json.dumps(["broke", _TOO_MUCH]).encode()
