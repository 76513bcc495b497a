"""Grades a class on many machines: the workers of a dask scheduler have a session each (`dask_workers`).

The client sends the bytes of a submission and gets back the JSON of its result; no disk is shared. It reads the
submissions, stores the results and writes the files.
"""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from distributed import KilledWorker

from nbproctor.run.dask_workers import Work, Workers, connected, count_workers, prepared
from nbproctor.run.job import Job
from nbproctor.run.session_process import Course, SessionProcess
from nbproctor.run.store import grader_fingerprint
from nbproctor.runner import pool
from nbproctor.runner.log import grading
from nbproctor.values.result import Result

THREADS_MOST = 1_000  # each waits for one request


@dataclass(frozen=True)
class Sessions:
    """What each worker has to have. grader: the fingerprint of the client's grader."""

    course: Course
    grader: str

    def mismatch(self) -> str:
        if grader_fingerprint() == self.grader:
            return ""
        difference = "its grader, Python, torch or numpy has another version than the client's"
        return f"{difference}; install the same versions there"

    def start(self, folder: Path, stack: ExitStack) -> Work:
        """Start a session, which grades a submission and returns the result as JSON."""
        session = SessionProcess(self.course)
        stack.callback(session.end)
        session.ready()
        return lambda *request: session.grade(*request).encoded()


def _graded(job: Job, workers: Workers, task: int) -> tuple[int, Result]:
    """Have a submission graded. Returns its task, too."""
    one, handed = job.submissions[task], job.handed_in(task)
    if isinstance(handed, Result):
        return task, handed
    try:
        with grading(f"{one.student} {one.unit}"):
            answer = workers.ask(lambda: (one.student, one.unit, handed, job.keys[task]))
    except KilledWorker:
        return task, job.lost(task, "several workers ended while they graded it")
    return task, Result.decoded(answer)


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

    def new(graded: tuple[int, Result]) -> None:
        task, result = graded
        done(task, job.finished(task, result) if result.key else result)

    needs = Sessions(Course(job.units, job.limits, job.sandboxed), grader_fingerprint())
    with connected(scheduler) as client:
        count_workers(client, scheduler)
        with prepared(client, scheduler, needs) as workers:
            job.check()
            pool.run(
                partial(_graded, job, workers), job.to_grade(done), new,
                threads=THREADS_MOST, width=workers.capacity, stop=workers.end,
            )  # fmt: skip
    return [results[task] for task in range(len(job.submissions))]
