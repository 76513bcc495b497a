"""A class, graded on all cores: who gets which submission, and what happens where a worker is lost."""

from __future__ import annotations

import json
import multiprocessing
import signal
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from functools import cache, partial
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING

from nbproctor import sandbox
from nbproctor.collector import resting
from nbproctor.control import ZygoteGone
from nbproctor.course import Unit
from nbproctor.job import Job
from nbproctor.limits import Limits
from nbproctor.result import Result
from nbproctor.session import MANY, Session, free_core, get_ready, patience_s, settle
from nbproctor.submission import Submission
from nbproctor.zygote_process import GraderError, Zygote, zygote_started

if TYPE_CHECKING:
    from nbproctor.conversation import Log

__all__ = ["GraderError", "Submission", "grade"]

STOPPED_S = 10.0  # between two looks at the workers, a second apart while this process runs


def grade(
    units: Mapping[str, Unit],
    submissions: Sequence[Submission],
    workers: int,
    limits: Limits,
    sandboxed: bool,
    on_result: Callable[[Result], None],
) -> list[Result]:
    """Grade a class here, and keep nothing: `run` for callers that make the job only to have it graded."""
    return run(Job(units, submissions, limits, sandboxed), workers, on_result)


@contextmanager
def begun_early(about: int, workers: int, sandboxed: bool) -> Iterator[Zygote | None]:
    """A zygote that `run` may take, started before the class has been looked through. It ends with the block.

    about: how many submissions there may be; 0 where there is no telling. None where it cannot be started: `run` tries
    again then, and says why.
    """
    with ExitStack() as stack:
        try:
            zygote = stack.enter_context(zygote_started(workers, sandboxed, many=not 0 < about < MANY))
        except (OSError, sandbox.LayerMissing):
            zygote = None
        yield zygote


def run(job: Job, workers: int, on_result: Callable[[Result], None], early: Zygote | None = None) -> list[Result]:
    """Grade every submission and hand each result to `on_result` as it comes. Results are in submission order.

    A student's files are written in the worker, while others are being graded.

    early: a zygote that is on its way already, for so many workers and with the sandbox that the job asks for.

    A worker that dies or hangs costs the submission it had, unless its result was kept, and is replaced. Should the
    zygote die, another one grades what was under way, one by one, then the rest. Ctrl-C ends all processes. Raises
    copies.NoRoom.
    """
    results: dict[int, Result] = {}

    def done(task: int, result: Result) -> None:
        results[task] = result
        on_result(result)

    layers = tuple(sandbox.check_layers()) if job.sandboxed else ()
    waiting = job.to_grade(layers, done)
    check = cache(job.check)  # once, whatever becomes of the zygote

    def meanwhile() -> None:
        with resting():  # the check is the first to import nbgrader
            check()
        get_ready(job.units.values())

    if not waiting:
        check()
    groups, tried_alone = [waiting] if waiting else [], set[int]()
    while groups:
        left, suspects = _with_one_zygote(groups.pop(), job, workers, done, meanwhile, early)
        early = None
        groups += [left] if left else []
        for task in suspects:
            if task in tried_alone:
                done(task, job.given_up(task, "the sandbox died on it twice"))
            else:  # by itself: whichever it was costs no one else anything
                tried_alone.add(task)
                groups.append([task])
    return [results[task] for task in range(len(job.submissions))]


def _graded(session: Session, job: Job, task: int) -> Result:
    """In a worker: grade, keep, write."""
    one = job.submissions[task]
    return job.finished(task, session.grade(one.student, one.unit, job.handed_in(task)))


def _with_one_zygote(  # noqa: PLR0913 a group with what there is for it
    group: list[int],
    job: Job,
    workers: int,
    done: Callable[[int, Result], None],
    meanwhile: Callable[[], None],
    early: Zygote | None,
) -> tuple[list[int], list[int]]:
    """Grade a group with one zygote. Should that die: what it had not begun, and what it was at."""
    workers = max(1, min(workers, len(group)))
    with ExitStack() as stack:
        start = partial(zygote_started, workers, job.sandboxed, many=len(group) >= MANY)
        zygote = stack.enter_context(_ready(start, meanwhile, early))
        logs = stack.enter_context(_logs(job.units))

        def hire(number: int) -> _Worker:
            return _Worker(lambda pipe: _work(job, zygote, number, logs, pipe), job.limits)

        # Units with the longest notebooks first would balance better; one class is one unit, and all are alike.
        todo = deque(group)
        running: dict[int, _Worker] = {}
        looked = time.monotonic()
        try:
            running |= {number: hire(number) for number in range(min(workers, len(zygote.controls)))}
            while todo or any(worker.task is not None for worker in running.values()):
                looked = _looked_again(running.values(), looked)
                for number, worker in list(running.items()):
                    if not _keep_busy(worker, todo):
                        if worker.task is not None:
                            done(worker.task, job.given_up(worker.task, "the examiner hung on it"))
                        worker.end()
                        running[number] = hire(number)
                for connection in wait([w.pipe for w in running.values() if w.task is not None], timeout=1.0):
                    number, worker = next((n, w) for n, w in running.items() if w.pipe is connection)
                    if not worker.hand_over(done):
                        if zygote.is_gone():
                            return list(todo), sorted(w.task for w in running.values() if w.task is not None)
                        assert worker.task is not None  # noqa: S101 for mypy
                        done(worker.task, job.given_up(worker.task, "the examiner died on it"))
                        worker.end()
                        running[number] = hire(number)
        finally:
            for worker in running.values():
                worker.end()
    return [], []


@contextmanager
def _ready(
    start: Callable[[], AbstractContextManager[Zygote]], meanwhile: Callable[[], None], early: Zygote | None
) -> Iterator[Zygote]:
    """A zygote that can be asked: the early one, or else one that is started here."""
    with ExitStack() as stack:
        zygote = early or stack.enter_context(start())
        meanwhile()
        try:
            zygote.wait_until_ready()
        except GraderError:
            if zygote is not early:
                raise
            zygote = stack.enter_context(start())
            zygote.wait_until_ready()
        yield zygote


def _looked_again(workers: Iterable[_Worker], before: float) -> float:
    """The time now. Where we have not looked for long, we were stopped, as by Ctrl-Z, and so were all workers: that
    time is not theirs."""
    now = time.monotonic()
    for worker in workers:
        worker.until += now - before if now - before > STOPPED_S else 0.0
    return now


def _keep_busy(worker: _Worker, todo: deque[int]) -> bool:
    """Give an idle worker its next task. False where the worker is of no use any more: it died idle, or it hangs."""
    if worker.task is None and todo:
        try:
            worker.give(todo[0])
        except OSError:
            return False
        todo.popleft()
    return worker.task is None or time.monotonic() <= worker.until


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
        self.task, self.until = task, time.monotonic() + patience_s(self.limits)

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


@contextmanager
def _logs(units: Iterable[str]) -> Iterator[dict[str, Log]]:
    """For each unit a place where workers tell one another what its checks have heard."""
    from nbproctor.conversation import Log  # here, since it imports torch: `get_ready` has done so

    with ExitStack() as stack:
        yield {unit: stack.enter_context(closing(Log())) for unit in units}


def _work(job: Job, zygote: Zygote, number: int, logs: Mapping[str, Log], pipe: Connection) -> None:
    """An examiner: grade what comes through the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    for i, control in enumerate(zygote.controls):
        if i != number:
            control.close()
    with free_core() as cores, suppress(EOFError, ZygoteGone):  # our parent sees that we end, and why
        settle(cores)
        session = Session(job.units, zygote.controls[number], job.limits, zygote.layers, logs=logs)
        session.clear()
        while True:
            task = json.loads(pipe.recv_bytes())
            pipe.send_bytes(json.dumps(_graded(session, job, task).to_json()).encode())
