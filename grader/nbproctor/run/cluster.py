"""Grades a class on many machines: dask.distributed hands submissions to workers, each with a session of its own.

The client sends the bytes of a submission and gets back the JSON of its result; no disk is shared. What dask pickles
on the way comes only from us: the names of functions, the course, strings and bytes. No object that a student made ever
exists outside a sandbox, so none can travel.

The client reads the submissions, stores the results and writes the files. Each worker is an ordinary `dask worker` with
one thread, which has this package installed, and a plugin of ours has the session there. Losing a worker costs nothing:
dask gives what it had to others. Where several workers have died on a submission, dask gives it up, and with it what
only waited beside it. So each of those is sent once more, by itself, and lost only if that happens again.
"""

from __future__ import annotations

import asyncio
import json
import uuid
from collections import deque
from collections.abc import Callable

from distributed import Client, Future, KilledWorker, Worker, WorkerPlugin, get_worker, wait

from nbproctor.run.dask_workers import Unfit, connected, count_workers, prepared, scheduler_there
from nbproctor.run.job import Job
from nbproctor.run.session_process import Course, SessionProcess
from nbproctor.run.store import grader_fingerprint
from nbproctor.run.zygote_process import GraderError
from nbproctor.values.result import Result
from nbproctor.values.submission import HandedIn
from nbproctor.values.text import Clean, many

POLL_S = 5.0
AHEAD = 2  # submissions for each worker: one being graded, the next one waiting beside it


class Grading(WorkerPlugin):
    """The plugin on each worker, later ones included, from the start of a run to its end: it holds the session.

    grader: the fingerprint that the worker's grader must have.
    """

    def __init__(self, course: Course, grader: str) -> None:
        self.course, self.grader = course, grader
        self.name = f"nbproctor-{uuid.uuid4().hex}"
        self.session: SessionProcess | None = None

    async def setup(self, worker: Worker) -> None:
        """Start the session, and wait until it can grade. Raises Unfit where it cannot."""
        if grader_fingerprint() != self.grader:
            told = "its grader, Python, torch or numpy has another version than the client's"
            raise Unfit(worker.address, f"{told}; install the same versions there")
        if worker.state.nthreads != 1:
            raise Unfit(worker.address, f"it has {many(worker.state.nthreads, 'thread')}; start it with --nthreads 1")
        self.session = SessionProcess(self.course)
        try:
            await asyncio.to_thread(self.session.ready)
        except GraderError as error:
            self.teardown(worker)
            raise Unfit(worker.address, str(error)) from error

    def teardown(self, worker: Worker) -> None:
        if self.session is not None:
            self.session.end()
            self.session = None


def _graded(plugin: str, student: Clean, unit: str, handed: HandedIn, key: str) -> str:
    """Grade a submission and return its result as JSON. Runs on the worker. Raises Unfit where that must not grade."""
    worker = get_worker()
    held = worker.plugins.get(plugin)
    if not isinstance(held, Grading) or held.session is None:
        raise Unfit(worker.address, "it has no session")
    try:
        return json.dumps(held.session.grade(student, unit, handed, key).to_json())
    except GraderError as error:  # its sandbox is no longer what it was
        raise Unfit(worker.address, str(error)) from error


def run(job: Job, scheduler: str, on_result: Callable[[Result], None]) -> list[Result]:
    """Grade every submission, hand each result to `on_result` as it comes, and return them in submission order.

    scheduler: its address, such as tcp://host:8786.

    Raises GraderError where the scheduler cannot be reached or goes away, where no worker comes, or where a worker
    may not grade. Results that were there by then are kept.
    """
    results: dict[int, Result] = {}

    def done(task: int, result: Result) -> None:
        results[task] = result
        on_result(result)

    plugin = Grading(Course(job.units, job.limits, job.sandboxed), grader_fingerprint())
    with connected(scheduler) as client:
        count_workers(client, scheduler)
        with prepared(client, plugin, plugin.name):
            job.check()
            todo = deque(job.to_grade(done))
            with scheduler_there(scheduler):
                for task in _grade(todo, job, done, client, scheduler, plugin.name):
                    if _grade(deque([task]), job, done, client, scheduler, plugin.name):
                        done(task, job.lost(task, "several workers ended while they graded it"))
    return [results[task] for task in range(len(job.submissions))]


def _grade(  # noqa: PLR0913 the tasks, and all that is needed to grade them
    todo: deque[int], job: Job, done: Callable[[int, Result], None], client: Client, scheduler: str, plugin: str
) -> list[int]:
    """Have these tasks graded by whatever workers there are, who may come and go. Returns those that dask gave up.

    Only a few submissions are on their way at any time, so that a large class fills nobody's memory. Raises what tells
    that dask has gone.
    """
    running: dict[Future[str], int] = {}
    given_up = []
    try:
        while todo or running:
            for _ in range(min(len(todo), AHEAD * count_workers(client, scheduler) - len(running))):
                task = todo.popleft()
                one = job.submissions[task]
                what = one.student, one.unit, job.handed_in(task), job.keys[task]
                sent = client.submit(_graded, plugin, *what, pure=False)
                running[sent] = task
            for future in _finished([*running]):
                task = running.pop(future)
                try:
                    done(task, job.finished(task, Result.from_json(json.loads(future.result()))))
                except KilledWorker:
                    given_up.append(task)
                except Unfit as error:  # the worker joined later, or has lost its sandbox: dask sends it away
                    client.retire_workers([error.worker])
                    todo.append(task)
    finally:
        client.cancel([*running])
    return given_up


def _finished(running: list[Future[str]]) -> list[Future[str]]:
    """Return those that are done; an empty list where none is within a few seconds."""
    try:
        return list(wait(running, timeout=POLL_S, return_when="FIRST_COMPLETED").done)
    except TimeoutError:
        return []
