"""Grades a class on all cores: hands each submission to a worker, and replaces workers that die or hang."""

from __future__ import annotations

import json
import multiprocessing
import signal
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import accumulate, islice, repeat
from multiprocessing.connection import Connection, wait

from nbproctor.border import sandbox
from nbproctor.run.job import Job
from nbproctor.run.session import Session, become_examiner, free_core, get_ready, patience_s
from nbproctor.runner.log import ending, say
from nbproctor.runner.zygote import Zygote, ZygoteGone, zygote_started
from nbproctor.values.limits import Limits
from nbproctor.values.result import Result

AT_ONCE, AT_ONCE_BYTES = 32, 64 << 20  # submissions that are read together, and their notebooks' bytes


def run(job: Job, workers: int, on_result: Callable[[Result], None]) -> list[Result]:
    """Grade every submission, hand each result to `on_result` as it comes, and return them in submission order.

    A student's files are written by the worker that graded the submission, while other workers go on grading.

    A worker that dies or hangs is replaced, and its submission is reported as lost. If the zygote dies, a new one first
    grades the submissions that were under way, one by one, and then the rest. Ctrl-C ends all processes. Raises
    UserError if there is no room for copies of the notebooks.
    """
    results: dict[int, Result] = {}

    def done(task: int, result: Result) -> None:
        results[task] = result
        on_result(result)

    if job.sandboxed:
        sandbox.check_layers()
    waiting = job.to_grade(done)
    if not waiting:
        job.check()
    groups, tried_alone = [waiting] if waiting else [], set[int]()
    while groups:
        left, suspects = _with_one_zygote(groups.pop(), job, workers, done)
        groups += [left] if left else []
        for task in suspects:
            if task in tried_alone:
                done(task, job.lost(task, "the sandbox ended twice while this was graded"))
            else:  # it is graded alone, so that if it kills the zygote again, no other submission suffers
                tried_alone.add(task)
                groups.append([task])
    return [results[task] for task in range(len(job.submissions))]


def _with_one_zygote(
    group: list[int], job: Job, workers: int, done: Callable[[int, Result], None]
) -> tuple[list[int], list[int]]:
    """Grade a group of tasks with one zygote.

    Returns two lists of tasks, both empty unless the zygote died: those not begun yet, and those that were under way.
    """
    workers = max(1, min(workers, len(group)))
    with zygote_started(workers, job.sandboxed) as zygote:
        job.check()  # while it starts: what writes a gradebook takes a second to import
        get_ready(job.units.values())
        todo = deque(group)
        plans = _read_ahead(job, todo)
        zygote.wait_until_ready()
        crew = [_Worker(partial(_work, job, zygote, number), job.limits) for number in range(workers)]
        try:
            while todo or any(worker.task is not None for worker in crew):
                for worker in crew:
                    if todo and todo[0] not in plans:
                        plans = _read_ahead(job, todo)
                    if not _keep_busy(worker, todo, plans):
                        _lose(worker, job, done, "the process that graded it did not end in time")
                busy = {worker.pipe: worker for worker in crew if worker.task is not None}
                for pipe in wait(list(busy), timeout=1.0):
                    worker = busy[pipe]  # type: ignore[index]  # `wait` gives what it was given
                    if not worker.hand_over(done):
                        if zygote.is_gone():
                            return list(todo), sorted(one.task for one in crew if one.task is not None)
                        _lose(worker, job, done, "the process that graded it ended before it was done")
        finally:
            for worker in crew:
                worker.end()
    return [], []


def _read_ahead(job: Job, todo: deque[int]) -> dict[int, str]:
    """Read the next submissions together. What takes more than two seconds is left to the workers, one by one."""
    from nbproctor.source.match import read_together  # here, since it imports much: `get_ready` has done so

    sizes = accumulate(job.notebook(task).size for task in islice(todo, AT_ONCE))
    tasks = [*islice(todo, max(1, sum(size <= AT_ONCE_BYTES for size in sizes)))]
    plans = read_together((job.units[job.submissions[task].unit], job.notebook(task).content()) for task in tasks)
    return dict(zip(tasks, plans or repeat(""), strict=False))


def _keep_busy(worker: _Worker, todo: deque[int], plans: dict[int, str]) -> bool:
    """Give an idle worker its next task. Returns False where the worker has to be replaced: it died idle, or hangs."""
    if worker.task is None and todo:
        try:
            worker.give(todo[0], plans[todo[0]])
        except OSError:
            return False
        todo.popleft()
    return worker.task is None or time.monotonic() <= worker.until


def _lose(worker: _Worker, job: Job, done: Callable[[int, Result], None], reason: str) -> None:
    """Report what a worker was grading as lost, and let another process take its place."""
    if worker.task is not None:
        one = job.submissions[worker.task]
        say("%s %s: lost, since %s", one.student, one.unit, reason)
        done(worker.task, job.lost(worker.task, reason))
    worker.end()
    worker.start()


class _Worker:
    """An examiner's process, the pipe to it, its current task, and the time until which it may work on that task."""

    def __init__(self, work: Callable[[Connection], None], limits: Limits) -> None:
        self.work, self.limits = work, limits
        self.start()

    def start(self) -> None:
        context = multiprocessing.get_context("fork")
        self.pipe, theirs = context.Pipe()

        def run() -> None:
            self.pipe.close()
            self.work(theirs)

        self.process = context.Process(target=run, daemon=True)
        self.process.start()
        say("worker %d starts", self.process.pid)
        theirs.close()
        self.task: int | None = None
        self.until = 0.0

    def give(self, task: int, plan_json: str) -> None:
        self.pipe.send_bytes(json.dumps([task, plan_json]).encode())
        self.task, self.until = task, time.monotonic() + patience_s(self.limits)

    def hand_over(self, done: Callable[[int, Result], None]) -> bool:
        """Receive the worker's result and pass it to `done`. Returns False where the worker has died instead."""
        try:
            result = Result.decoded(self.pipe.recv_bytes())
        except (EOFError, OSError):
            return False
        assert self.task is not None  # noqa: S101 for mypy
        task, self.task = self.task, None
        done(task, result)
        return True

    def end(self) -> None:
        status = self.process.exitcode
        self.process.kill()
        self.process.join()
        say("worker %d %s", self.process.pid, ending(status))
        self.pipe.close()


def _work(job: Job, zygote: Zygote, number: int, pipe: Connection) -> None:
    """Be an examiner: grade the tasks that come through the pipe, and send each result back. Runs in the worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    for i, control in enumerate(zygote.controls):
        if i != number:
            control.close()
    with free_core() as cores, suppress(EOFError, ZygoteGone):  # the parent notices that this worker ended, and why
        become_examiner(cores)
        session = Session(job.units, zygote.controls[number], job.limits, zygote.layers)
        session.zygote.end_orphans()  # what the worker before this one left behind would run on its core
        while True:
            task, plan_json = json.loads(pipe.recv_bytes())
            one, handed = job.submissions[task], replace(job.handed_in(task), plan_json=plan_json)
            result = job.finished(task, session.grade(one.student, one.unit, handed, job.keys[task]))
            pipe.send_bytes(result.encoded())
