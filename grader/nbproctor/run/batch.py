"""Grades a class on all cores: hands each submission to a worker, and replaces workers that die or hang."""

from __future__ import annotations

import json
import multiprocessing
import signal
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import cache
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING

from nbproctor.border import sandbox
from nbproctor.border.control import ZygoteGone
from nbproctor.course.units import Unit
from nbproctor.run.collector import resting
from nbproctor.run.job import Job
from nbproctor.run.session import Session, free_core, get_ready, patience_s, settle
from nbproctor.run.zygote_process import GraderError, Zygote, zygote_started
from nbproctor.values.limits import Limits
from nbproctor.values.result import Result
from nbproctor.values.submission import Submission

if TYPE_CHECKING:
    from nbproctor.exam.conversation import Log

__all__ = ["GraderError", "Submission", "grade"]

# The workers are looked at about once a second. A gap longer than this means that this process was stopped meanwhile.
STOPPED_S = 10.0


def grade(
    units: Mapping[str, Unit],
    submissions: Sequence[Submission],
    workers: int,
    limits: Limits,
    sandboxed: bool,
    on_result: Callable[[Result], None],
) -> list[Result]:
    """Grade a class without storing anything: `run`, for callers that need the job for nothing else."""
    return run(Job(units, submissions, limits, sandboxed), workers, on_result)


def run(job: Job, workers: int, on_result: Callable[[Result], None]) -> list[Result]:
    """Grade every submission, hand each result to `on_result` as it comes, and return them in submission order.

    A student's files are written by the worker that graded the submission, while other workers go on grading.

    A worker that dies or hangs is replaced, and its submission is reported as lost, unless its result was stored
    already. If the zygote dies, a new one first grades the submissions that were under way, one by one, and then the
    rest. Ctrl-C ends all processes. Raises copies.NoRoom.
    """
    results: dict[int, Result] = {}

    def done(task: int, result: Result) -> None:
        results[task] = result
        on_result(result)

    layers = tuple(sandbox.check_layers()) if job.sandboxed else ()
    waiting = job.to_grade(layers, done)
    check = cache(job.check)  # so that it runs once, however many zygotes there will be

    def meanwhile() -> None:
        with resting():  # the check imports nbgrader, and nothing has done so before
            check()
        get_ready(job.units.values())

    if not waiting:
        check()
    groups, tried_alone = [waiting] if waiting else [], set[int]()
    while groups:
        left, suspects = _with_one_zygote(groups.pop(), job, workers, done, meanwhile)
        groups += [left] if left else []
        for task in suspects:
            if task in tried_alone:
                done(task, job.given_up(task, "the sandbox ended twice while this was graded"))
            else:  # it is graded alone, so that if it kills the zygote again, no other submission suffers
                tried_alone.add(task)
                groups.append([task])
    return [results[task] for task in range(len(job.submissions))]


def _graded(session: Session, job: Job, task: int) -> Result:
    """Grade one submission in a worker, store its result and write its files."""
    one = job.submissions[task]
    return job.finished(task, session.grade(one.student, one.unit, job.handed_in(task)))


def _with_one_zygote(  # noqa: PLR0913 the group, and all that is needed to grade it
    group: list[int],
    job: Job,
    workers: int,
    done: Callable[[int, Result], None],
    meanwhile: Callable[[], None],
) -> tuple[list[int], list[int]]:
    """Grade a group of tasks with one zygote.

    Returns two lists of tasks, both empty unless the zygote died: those not begun yet, and those that were under way.
    """
    workers = max(1, min(workers, len(group)))
    with ExitStack() as stack:
        zygote = stack.enter_context(zygote_started(workers, job.sandboxed))
        meanwhile()  # while it starts
        zygote.wait_until_ready()
        logs = stack.enter_context(_logs(job.units))

        def hire(number: int) -> _Worker:
            return _Worker(lambda pipe: _work(job, zygote, number, logs, pipe), job.limits)

        # Grading the longest notebooks first would balance the load better across units. But a class hands in one unit,
        # whose notebooks all take about as long.
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
                            done(
                                worker.task, job.given_up(worker.task, "the process that graded it did not end in time")
                            )
                        worker.end()
                        running[number] = hire(number)
                for connection in wait([w.pipe for w in running.values() if w.task is not None], timeout=1.0):
                    number, worker = next((n, w) for n, w in running.items() if w.pipe is connection)
                    if not worker.hand_over(done):
                        if zygote.is_gone():
                            return list(todo), sorted(w.task for w in running.values() if w.task is not None)
                        assert worker.task is not None  # noqa: S101 for mypy
                        done(
                            worker.task,
                            job.given_up(worker.task, "the process that graded it ended before it was done"),
                        )
                        worker.end()
                        running[number] = hire(number)
        finally:
            for worker in running.values():
                worker.end()
    return [], []


def _looked_again(workers: Iterable[_Worker], before: float) -> float:
    """Return the time now, and allow the workers more time where all of us were stopped.

    Where the last look is longer ago than STOPPED_S, this process was stopped, as by Ctrl-Z, and so were all workers.
    That time must not count against the submissions, so it is added to each worker's deadline.
    """
    now = time.monotonic()
    for worker in workers:
        worker.until += now - before if now - before > STOPPED_S else 0.0
    return now


def _keep_busy(worker: _Worker, todo: deque[int]) -> bool:
    """Give an idle worker its next task. Returns False where the worker has to be replaced: it died idle, or hangs."""
    if worker.task is None and todo:
        try:
            worker.give(todo[0])
        except OSError:
            return False
        todo.popleft()
    return worker.task is None or time.monotonic() <= worker.until


class _Worker:
    """An examiner's process, the pipe to it, its current task, and the time until which it may work on that task."""

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
        """Receive the worker's result and pass it to `done`. Returns False where the worker has died instead."""
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
    """Yield for each unit the log in which the workers share what its checks have heard."""
    from nbproctor.exam.conversation import (
        Log,  # not at the top, since it imports torch; `get_ready` has done so by now
    )

    with ExitStack() as stack:
        yield {unit: stack.enter_context(closing(Log())) for unit in units}


def _work(job: Job, zygote: Zygote, number: int, logs: Mapping[str, Log], pipe: Connection) -> None:
    """Be an examiner: grade the tasks that come through the pipe, and send each result back. Runs in the worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    for i, control in enumerate(zygote.controls):
        if i != number:
            control.close()
    with free_core() as cores, suppress(EOFError, ZygoteGone):  # the parent notices that this worker ended, and why
        settle(cores)
        session = Session(job.units, zygote.controls[number], job.limits, zygote.layers, logs=logs)
        session.clear()
        while True:
            task = json.loads(pipe.recv_bytes())
            pipe.send_bytes(json.dumps(_graded(session, job, task).to_json()).encode())
