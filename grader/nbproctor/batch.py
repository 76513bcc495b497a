"""A class, graded on all cores: who gets which submission, and what happens where a worker is lost."""

from __future__ import annotations

import gc
import json
import multiprocessing
import os
import resource
import signal
import socket
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait

from nbproctor import sandbox
from nbproctor.course import Unit
from nbproctor.limits import Limits
from nbproctor.notebook import Ungradable
from nbproctor.result import Result, ungradable
from nbproctor.session import GraderError, Session, lost, zygote_running
from nbproctor.store import Store, key_of
from nbproctor.submission import Submission, handed_in
from nbproctor.text import line

__all__ = ["GraderError", "Submission", "grade"]
GRACE_S = 30.0  # beyond a submission's own limit, before its examiner is given up
EXAMINER_MB = 4096  # of address space beyond what it starts with: a check may compute with what a student sends

Write = Callable[[Result, Submission], None]


@dataclass(frozen=True)
class _Class:
    """What is to be graded, and how."""

    units: Mapping[str, Unit]
    submissions: Sequence[Submission]
    limits: Limits
    sandboxed: bool
    store: Store | None
    write: Write | None

    def lost(self, task: int, reason: str) -> Result:
        one = self.submissions[task]
        return lost(self.units[one.unit], one.student, reason)


def grade(  # noqa: PLR0913 what a class is, how it is graded, and three places where results go
    units: Mapping[str, Unit],
    submissions: Sequence[Submission],
    workers: int,
    limits: Limits,
    sandboxed: bool,
    on_result: Callable[[Result], None],
    write: Write | None = None,
    store: Store | None = None,
) -> list[Result]:
    """Grade every submission and hand each result to `on_result` as it comes. Results are in submission order.

    `store` keeps each result as soon as there is one; what it holds already is not graded again. `write` is then
    called in the worker, so that a student's files are written while others are being graded; what goes wrong in it is
    a note of that result.

    A worker that dies or hangs costs the submission it had, and is replaced. Should the zygote die, another one grades
    what was under way, one by one, then the rest. Ctrl-C ends all processes.
    """
    klass = _Class(units, submissions, limits, sandboxed, store, write)
    results: dict[int, Result] = {}

    def done(task: int, result: Result) -> None:
        results[task] = result
        on_result(result)

    layers = tuple(sandbox.check_layers()) if sandboxed else ()
    waiting: list[int] = []
    for task in range(len(submissions)):
        known = _known(klass, task, layers)
        if known is None:
            waiting.append(task)
        else:
            done(task, _written(klass, task, known))
    groups, tried_alone = [waiting] if waiting else [], set[int]()
    while groups:
        left, suspects = _with_one_zygote(groups.pop(), klass, workers, done)
        groups += [left] if left else []
        for task in suspects:
            if task in tried_alone:
                done(task, klass.lost(task, "the sandbox died on it twice"))
            else:  # by itself: whichever it was costs no one else anything
                tried_alone.add(task)
                groups.append([task])
    return [results[task] for task in range(len(submissions))]


def _known(klass: _Class, task: int, layers: tuple[str, ...]) -> Result | None:
    """The result that need not be computed: the stored one, or that there is no file to grade."""
    one = klass.submissions[task]
    unit = klass.units[one.unit]
    try:
        handed = handed_in(one)
    except Ungradable as error:
        return ungradable(one.student, one.unit, unit.max_points, line(str(error)))
    key = key_of(one.student, handed, unit, klass.limits, layers)
    found = klass.store.get(one.student, one.unit, key) if klass.store else None
    if klass.store and found and found.submitted != one.submitted:  # the same notebook, handed in at another time
        return _kept(klass.store, replace(found, submitted=one.submitted))
    return found


def _kept(store: Store, result: Result) -> Result:
    """The result, put into the store; where that fails, with a note that says so."""
    try:
        store.put(result)
    except OSError as error:
        return result.with_note("trouble", line(f"its result could not be kept ({error.strerror}); grade it again"))
    return result


def _written(klass: _Class, task: int, result: Result) -> Result:
    """The result, its pages written; where that fails, with a note that says so."""
    one = klass.submissions[task]
    result = replace(result, submitted=one.submitted)
    if klass.write is not None:
        try:
            klass.write(result, one)
        except Exception as error:  # noqa: BLE001 whatever it is, it costs these pages alone, and is told
            where = line(f"its pages could not be written ({type(error).__name__}: {line(str(error), 200)})")
            result = result.with_note("trouble", where)
    return result


def _graded(session: Session, klass: _Class, task: int) -> Result:
    """In a worker: read, grade, keep, write."""
    one = klass.submissions[task]
    try:
        result = replace(session.grade(one.student, one.unit, handed_in(one)), submitted=one.submitted)
    except Ungradable as error:
        unit = klass.units[one.unit]
        return _written(klass, task, ungradable(one.student, one.unit, unit.max_points, line(str(error))))
    if klass.store is not None and result.key:
        result = _kept(klass.store, result)
    return _written(klass, task, result)


def _with_one_zygote(
    group: list[int], klass: _Class, workers: int, done: Callable[[int, Result], None]
) -> tuple[list[int], list[int]]:
    """Grade a group with one zygote. Should that die: what it had not begun, and what it was at."""
    with zygote_running(max(1, min(workers, len(group))), klass.sandboxed) as (controls, layers, gone):

        def hire(number: int) -> _Worker:
            return _Worker(lambda pipe: _work(klass, controls, number, layers, pipe), klass.limits)

        # Units with the longest notebooks first would balance better; one class is one unit, and all are alike.
        todo = deque(group)
        running: dict[int, _Worker] = {}
        try:
            running |= {number: hire(number) for number in range(len(controls))}
            while todo or any(worker.task is not None for worker in running.values()):
                for number, worker in list(running.items()):
                    if not _keep_busy(worker, todo, klass, done):
                        worker.end()
                        running[number] = hire(number)
                for connection in wait([w.pipe for w in running.values() if w.task is not None], timeout=1.0):
                    number, worker = next((n, w) for n, w in running.items() if w.pipe is connection)
                    if not worker.hand_over(done):
                        if gone():
                            return list(todo), sorted(w.task for w in running.values() if w.task is not None)
                        assert worker.task is not None  # noqa: S101 for mypy
                        done(worker.task, klass.lost(worker.task, "the examiner died on it"))
                        worker.end()
                        running[number] = hire(number)
        finally:
            for worker in running.values():
                worker.end()
    return [], []


def _keep_busy(worker: _Worker, todo: deque[int], klass: _Class, done: Callable[[int, Result], None]) -> bool:
    """Give an idle worker its next task. False where the worker is of no use any more: it died idle, or it hangs."""
    if worker.task is None and todo:
        try:
            worker.give(todo[0])
        except OSError:
            return False
        todo.popleft()
    elif worker.task is not None and time.monotonic() > worker.until:
        done(worker.task, klass.lost(worker.task, "the examiner hung on it"))
        return False
    return True


class _Worker:
    """An examiner's process, with a pipe to it and the task it has."""

    def __init__(self, work: Callable[[Connection], None], limits: Limits) -> None:
        context = multiprocessing.get_context("fork")
        self.pipe, theirs = context.Pipe()

        def run() -> None:
            self.pipe.close()
            work(theirs)

        self.process = context.Process(target=run, daemon=True)
        self.process.start()
        theirs.close()
        self.task: int | None = None
        self.until = 0.0
        self.limits = limits

    def give(self, task: int) -> None:
        self.pipe.send_bytes(json.dumps(task).encode())
        self.task, self.until = task, time.monotonic() + self.limits.submission_s + GRACE_S

    def hand_over(self, done: Callable[[int, Result], None]) -> bool:
        """Take the result that has come and hand it on. False where the worker has died instead."""
        try:
            result = Result.from_json(json.loads(self.pipe.recv_bytes()))
        except (EOFError, OSError):
            return False
        assert self.task is not None  # noqa: S101 for mypy
        task, self.task = self.task, None
        done(task, result)
        return True

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _work(klass: _Class, controls: list[socket.socket], number: int, layers: tuple[str, ...], pipe: Connection) -> None:
    """An examiner: grade what comes through the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    sandbox.limit(resource.RLIMIT_AS, (sandbox.memory_mapped_mb() + EXAMINER_MB) << 20)
    for i, control in enumerate(controls):
        if i != number:
            control.close()
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[number % len(cores)]})
    gc.freeze()
    session = Session(klass.units, controls[number], klass.limits, layers)
    session.clear()
    while True:
        try:
            task = json.loads(pipe.recv_bytes())
        except EOFError:
            return
        pipe.send_bytes(json.dumps(_graded(session, klass, task).to_json()).encode())
