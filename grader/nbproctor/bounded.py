"""A piece of work on text of students', in a process that may take so long and so much, and no more.

What comes back is JSON, so nothing that happens over there reaches the process that computes verdicts.
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

from nbproctor import sandbox

READING_S = 10.0  # of processor time
PATIENCE = 6  # times as long on the clock: on a busy machine an honest notebook waits for its turn
READING_MB = 1024
TOO_LONG = "reading it takes too long"
TIMES_MOST = 25  # that a kept process does its work, so that what it keeps in memory stays small
_ANSWER_MOST = 64 << 20
_DIED = "the process that read it died"
_TOO_MUCH = "there is too much to say about it"
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG


class OutOfBounds(Exception):
    """The work took too long, too much memory, or died; the message says which."""


class CutShort(OutOfBounds):
    """The same, where the work itself may have had no part in it: a signal ended it, as the kernel's does where memory
    runs out, or it waited for its turn until its time on the clock was over. Done again, it may come to its end."""


def bounded(work: Callable[[], Any], seconds: float = READING_S, memory_mb: int = READING_MB) -> Any:
    """What `work` returns, as JSON, from a fork of this process that may use `seconds` of processor time.

    Raises OutOfBounds.
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
    if not answer:  # the kernel ends whoever has used up their processor time
        late = used.ru_utime + used.ru_stime >= seconds
        raise OutOfBounds(TOO_LONG if late else _DIED)
    return _value(answer)


class BoundedProcess:
    """`bounded` for work that is done again and again, each time on other bytes: one process does it TIMES_MOST times.

    To fork a process with torch in it takes as long as to read a notebook. A piece of work that breaks down in a
    process which had done others before is done once more in a fresh one: nobody pays for what came before.
    """

    def __init__(self, work: Callable[[Sequence[bytes]], Any], seconds: float = READING_S) -> None:
        self._work, self._seconds = work, seconds
        self._process: tuple[int, Connection] | None = None
        self._times = 0

    def __call__(self, *parts: bytes) -> Any:
        """What the work makes of these bytes, as JSON. Raises OutOfBounds, which is a CutShort where chance did it."""
        deadline = time.monotonic() + PATIENCE * self._seconds  # of both attempts, if there are two
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
        """End the process, if there is one. Returns the signal that had ended it before, or 0."""
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
                raise CutShort(TOO_LONG)  # on the clock: had it used up its processor time, the kernel had ended it
            answer = pipe.recv_bytes(_ANSWER_MOST)
        except (EOFError, OSError) as error:
            ended = self.close()
            if ended == signal.SIGXCPU:
                raise OutOfBounds(TOO_LONG) from error
            raise (CutShort if ended else OutOfBounds)(_DIED) from error
        return _value(answer)

    def _started(self) -> Connection:
        """The way to the process, which is started where there is none."""
        if self._process is None:
            ours, theirs = socket.socketpair()
            pid = os.fork()
            if pid == 0:
                _serve(self._work, theirs, self._seconds)
            theirs.close()
            self._process = pid, Connection(ours.detach())
        return self._process[1]


def _value(answer: bytes) -> Any:
    """What a process says came of its work. Raises OutOfBounds."""
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
    """In the fork: do the work, say what came of it. Never returns."""
    try:
        _bound(memory_mb)
        sandbox.limit(resource.RLIMIT_CPU, int(seconds) + 1)
        data = _said(work)
        while data:
            data = data[os.write(writing, data) :]
    finally:
        os._exit(0)


def _serve(work: Callable[[Sequence[bytes]], Any], end: socket.socket, seconds: float) -> None:
    """In the fork: do the work on what comes, until nothing comes any more. Never returns."""
    try:
        os.dup2(end.fileno(), 3)
        os.closerange(4, 1 << 16)  # nobody waits for an end of theirs that is open here
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
    """In a fork: no more memory than that beyond what it begins with, and no life without its parent.

    What the parent had thrown away stays the parent's to clear up: its finalizers would run here a second time. If one
    of them parses something while `ast.parse` is at work, as printing a traceback may, Python 3.11.7 gives up with a
    SystemError, and an honest notebook would count as unreadable.
    """
    gc.freeze()
    sandbox.libc.prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
    sandbox.limit(resource.RLIMIT_AS, (sandbox.memory_mapped_mb() + memory_mb) << 20)


def _said(work: Callable[[], Any]) -> bytes:
    """What comes of the work, for `_value`."""
    try:
        answer = ["done", work()]
    except (MemoryError, RecursionError) as error:
        answer = ["broke", f"reading it takes too much ({type(error).__name__})"]
    except Exception as error:  # noqa: BLE001 a fault of ours, told to the parent, who raises it
        answer = ["broke", f"reading it failed ({type(error).__name__}: {str(error)[:200]})"]
    data = json.dumps(answer).encode()
    return data if len(data) <= _ANSWER_MOST else json.dumps(["broke", _TOO_MUCH]).encode()
