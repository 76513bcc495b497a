"""Runs work on students' text in a separate process, whose time and memory are limited.

The process returns its result as JSON, so nothing else of what happens in it reaches the process that computes
verdicts.
"""

import faulthandler
import gc
import json
import os
import resource
import select
import signal
import time
from collections.abc import Callable
from typing import Any

from nbproctor.border import sandbox

READING_S = 10.0  # of processor time
PATIENCE = 6  # wall-clock seconds per second of processor time: on a busy machine an honest notebook has to wait
READING_MB = 1024
TOO_LONG = "reading it takes too long"
_ANSWER_MOST = 64 << 20
_DIED = "the process that read it died"
_TOO_MUCH = "the result is too large"


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
    the fork starts with. Raises OutOfBounds; in the form of CutShort where the work itself may not be to blame.
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
        _, status, used = os.wait4(pid, 0)
    try:
        kind, value = json.loads(answer)
    except ValueError:  # the child died; where it had used up its processor time, the kernel has ended it
        if used.ru_utime + used.ru_stime >= seconds:
            raise OutOfBounds(TOO_LONG) from None
        raise (CutShort if os.WIFSIGNALED(status) else OutOfBounds)(_DIED) from None
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
    raise CutShort(TOO_LONG)


def _child(work: Callable[[], Any], writing: int, seconds: float, memory_mb: int) -> None:
    """In the forked child: do the work within its limits, and write its result to the pipe. Never returns.

    The collector leaves alone what the parent had thrown away but not yet cleared up. Otherwise its finalizers would
    run here a second time. If one of them parses something while `ast.parse` is at work, as printing a traceback may,
    Python 3.11.7 gives up with a SystemError, and an honest notebook would count as unreadable.
    """
    try:
        gc.freeze()
        faulthandler.disable()  # a library may die of what it reads; the parent tells that in a line
        sandbox.limit(resource.RLIMIT_CORE, 0)
        sandbox.die_with_parent()
        sandbox.limit(resource.RLIMIT_AS, (sandbox.memory_mapped_mb() + memory_mb) << 20)
        sandbox.limit(resource.RLIMIT_CPU, int(seconds) + 1)
        data = _said(work)
        while data:
            data = data[os.write(writing, data) :]
    finally:
        os._exit(0)


def _said(work: Callable[[], Any]) -> bytes:
    """Do the work and return its result, or why it failed, as the answer that `bounded` reads."""
    try:
        answer = ["done", work()]
    except (MemoryError, RecursionError) as error:
        answer = ["broke", f"reading it takes more memory or depth than is allowed ({type(error).__name__})"]
    except Exception as error:  # noqa: BLE001 a fault of ours: the parent is told, and raises it
        answer = ["broke", f"reading it failed ({type(error).__name__}: {str(error)[:200]})"]
    data = json.dumps(answer).encode()
    return data if len(data) <= _ANSWER_MOST else json.dumps(["broke", _TOO_MUCH]).encode()
