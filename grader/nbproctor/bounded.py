"""A piece of work on text of students', in a process that may take so long and so much, and no more.

What comes back is JSON, so nothing that happens over there reaches the process that computes verdicts.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import time
from collections.abc import Callable
from typing import Any

from nbproctor import sandbox

READING_S = 10.0  # of processor time
PATIENCE = 6  # times as long on the clock: on a busy machine an honest notebook waits for its turn
READING_MB = 1024
TOO_LONG = "reading it takes too long"
_ANSWER_MOST = 64 << 20
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG


class OutOfBounds(Exception):
    """The work took too long, too much memory, or died; the message says which."""


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
        raise OutOfBounds(TOO_LONG if late else "the process that read it died")
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
            raise OutOfBounds("there is too much to say about it")
    raise OutOfBounds(TOO_LONG)


def _child(work: Callable[[], Any], writing: int, seconds: float, memory_mb: int) -> None:
    """In the fork: do the work, say what came of it. Never returns."""
    try:
        sandbox.libc.prctl(_DIE_WITH_PARENT, 9, 0, 0, 0)
        sandbox.limit(resource.RLIMIT_CPU, int(seconds) + 1)
        sandbox.limit(resource.RLIMIT_AS, (sandbox.memory_mapped_mb() + memory_mb) << 20)
        try:
            answer = ["done", work()]
        except (MemoryError, RecursionError) as error:
            answer = ["broke", f"reading it takes too much ({type(error).__name__})"]
        except Exception as error:  # noqa: BLE001 a fault of ours, told to the parent, who raises it
            answer = ["broke", f"reading it failed ({type(error).__name__}: {str(error)[:200]})"]
        data = json.dumps(answer).encode()
        while data:
            data = data[os.write(writing, data) :]
    finally:
        os._exit(0)
