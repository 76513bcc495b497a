"""Grades a class on many machines: dask.distributed hands submissions to workers, each with a session of its own.

The client sends the bytes of a submission and gets back the JSON of its result; no disk is shared. What dask pickles
on the way comes only from us: the name of a function, strings and bytes. No object that a student made ever exists
outside a sandbox, so none can travel.

The client reads the submissions, stores the results and writes the files. Each worker is an ordinary `dask worker` with
one thread, which has this package installed, and a plugin of ours starts the session process there. Losing a worker
costs nothing: dask gives its waiting submissions to another worker, and those that were under way are tried once more.
Where a second worker dies on one of them, the report says so.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
import uuid
from asyncio import CancelledError
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from distributed import Client, Future, KilledWorker, Scheduler, Worker, WorkerPlugin, get_worker, wait
from distributed.comm.core import CommClosedError

from nbproctor.run.job import Job
from nbproctor.run.session_process import Course, SessionProcess
from nbproctor.run.store import grader_fingerprint, installed_packages
from nbproctor.run.zygote_process import GraderError
from nbproctor.values.result import Result
from nbproctor.values.submission import File, HandedIn
from nbproctor.values.text import Clean, line

CONNECT_S = 15.0
WORKERS_S = 60.0  # how long we wait for a worker, both at the start and when none is left
POLL_S = 5.0
COUNTED_S = 1.0
AHEAD = 2  # portions sent ahead for each worker: one being graded, the next one waiting beside it
PORTION_MOST = 4  # submissions that are sent together: dask takes no longer for these than for one
PORTIONS_LEAST = 4  # portions that are to be left for each worker; they shrink, so that all workers end together

Sent = tuple[Clean, str, tuple[bytes, ...], tuple[tuple[str, ...], tuple[Clean, ...]]]
"""A submission on its way: whose, the unit, the bytes of the notebook and of each file, the names of those files and of
what was left out."""


class Unfit(Exception):
    """A worker that must not grade: its address, why, and what to do."""

    def __init__(self, worker: str, why: str) -> None:
        super().__init__(worker, why)
        self.worker, self.why = worker, why

    def __str__(self) -> str:
        return f"worker {self.worker}: {self.why}"


class Grading(WorkerPlugin):
    """The plugin on each worker, later ones included: it holds the session process, or why there is none (`trouble`).

    course: a `session_process.Course`, as bytes. grader: the fingerprint that the worker's grader must have.
    """

    def __init__(self, course: bytes, grader: str) -> None:
        self.course, self.grader = course, grader
        self.name = f"nbproctor-{hashlib.sha256(course).hexdigest()[:16]}"
        self.session: SessionProcess | None = None
        self.trouble = ""

    def setup(self, worker: Worker) -> None:
        if grader_fingerprint() != self.grader:
            self.trouble = (
                "its grader, Python, torch or numpy has another version than the client's; install "
                "the same versions there"
            )
        elif worker.state.nthreads != 1:
            self.trouble = f"it has {worker.state.nthreads} threads; start it with --nthreads 1"
        else:
            try:
                self.session = SessionProcess(self.course)
            except OSError as error:
                self.trouble = f"no process can be started there ({error.strerror})"

    def teardown(self, worker: Worker) -> None:
        if self.session is not None:
            self.session.end()


def _plugin(worker: Worker, name: str) -> tuple[Grading, SessionProcess]:
    """Return a worker's plugin and the session process in it. Raises Unfit where it has none."""
    plugin = worker.plugins.get(name)
    if not isinstance(plugin, Grading) or plugin.session is None:
        raise Unfit(worker.address, getattr(plugin, "trouble", "") or "it has no session")
    return plugin, plugin.session


def _layers(name: str, dask_worker: Worker) -> tuple[str, ...] | str:
    """Return the layers of a worker's sandbox, or as a sentence why it cannot grade. Runs on the worker."""
    try:
        return _plugin(dask_worker, name)[1].layers()
    except Unfit as error:
        return str(error)
    except GraderError as error:
        return str(Unfit(dask_worker.address, str(error)))


def _graded(name: str, portion: Sequence[Sent]) -> list[str]:
    """Grade a few submissions and return their results as JSON. Runs on the worker.

    Raises Unfit where the worker must not grade.
    """
    _, session = _plugin(get_worker(), name)
    try:
        session.ready()
    except GraderError as error:  # this worker joined later, so that its layers were not checked at the start
        raise Unfit(get_worker().address, str(error)) from error
    found = []
    for student, unit, (notebook, *contents), (names, left_out) in portion:
        files = tuple(File(file, content) for file, content in zip(names, contents, strict=True))
        result = session.grade(student, unit, HandedIn(notebook, files, left_out))
        found.append(json.dumps(result.to_json()))
    return found


def run(job: Job, scheduler: str, on_result: Callable[[Result], None]) -> list[Result]:
    """Grade every submission, hand each result to `on_result` as it comes, and return them in submission order.

    scheduler: its address, such as tcp://host:8786.

    Raises GraderError where the scheduler cannot be reached or goes away, where no worker comes, or where a worker's
    grader or sandbox differs. Results that were there by then are kept.
    """
    results: dict[int, Result] = {}

    def done(task: int, result: Result) -> None:
        results[task] = result
        on_result(result)

    course = Course(job.units, job.limits, job.sandboxed, installed_packages())
    plugin = Grading(course.to_bytes(), grader_fingerprint())
    with _connected(scheduler) as client, _prepared(client, scheduler, plugin) as layers:
        job.check()
        waiting = job.to_grade(layers, done)
        crew = _Crew(client, scheduler, plugin.name, job, done)
        suspects = crew.grade(waiting, AHEAD)  # what failed with its worker, which one of these may have killed
        for task in crew.grade(suspects, 1):  # this time each is sent by itself
            done(task, job.lost(task, "two workers ended while they graded it"))
    return [results[task] for task in range(len(job.submissions))]


@contextmanager
def _connected(scheduler: str) -> Iterator[Client]:
    # Of what distributed logs, we say what matters ourselves, in one line.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        client = Client(scheduler, timeout=CONNECT_S)
    except (OSError, ValueError) as error:
        told = f"no scheduler answers at {scheduler} ({line(str(error), 150)}); start one: dask scheduler"
        raise GraderError(told) from error
    try:
        yield client
    finally:
        client.close(timeout=CONNECT_S)


@contextmanager
def _prepared(client: Client, address: str, plugin: Grading) -> Iterator[tuple[str, ...]]:
    """Start a session on every worker, and end them with the block. Yields the layers of their sandboxes.

    Raises GraderError where no worker comes, where one cannot grade, or where their sandboxes differ.
    """
    try:
        client.wait_for_workers(1, timeout=WORKERS_S)
    except TimeoutError as error:
        raise GraderError(f"no worker is at {address}; start one: dask worker {address} --nthreads 1") from error
    failures = client.run_on_scheduler(_allowed_failures, 0)  # a task whose worker dies fails, and we decide about it
    try:
        client.register_plugin(plugin, name=plugin.name)
        found: dict[str, tuple[str, ...] | str] = client.run(_layers, plugin.name)
        troubles = [said for said in found.values() if isinstance(said, str)]
        if troubles:
            raise GraderError(f"{troubles[0]} ({len(troubles)} of {len(found)} workers cannot grade)")
        if len(kinds := set(found.values())) > 1:
            raise GraderError(
                f"workers with different sandboxes: {'; '.join(sorted(map(str, kinds)))}; make them alike"
            )
        yield tuple(next(iter(found.values())))
    finally:
        client.run_on_scheduler(_allowed_failures, failures)
        with suppress(ValueError):  # this run was stopped before it had registered the plugin
            client.unregister_worker_plugin(plugin.name)


def _allowed_failures(number: int, dask_scheduler: Scheduler) -> int:
    """Set how many workers may die on a task before it is given up; return the old number. Runs on the scheduler."""
    before, dask_scheduler.allowed_failures = dask_scheduler.allowed_failures, number
    return before


class _Crew:
    """The workers, which may come and go, and the portions of tasks that have been sent to them."""

    def __init__(
        self, client: Client, scheduler: str, plugin: str, job: Job, done: Callable[[int, Result], None]
    ) -> None:
        self.client, self.scheduler, self.plugin, self.job, self.done = client, scheduler, plugin, job, done
        self.running: dict[Future[list[str]], list[int]] = {}
        self.seen = time.monotonic()  # when there was a worker last
        self.count, self.counted = 0, -COUNTED_S  # how many workers there were, and when they were counted

    def grade(self, tasks: list[int], ahead: int) -> list[int]:
        """Have the tasks graded. Returns those that have to be tried once more, each by itself.

        These are the portions whose worker died, and those for which no process could be started.

        ahead: how many portions are sent ahead for each worker; where that is 1, each portion is a single submission.
        """
        todo, suspects = deque(tasks), list[int]()
        try:
            while todo or self.running:
                self._hand_out(todo, ahead)
                for future in self._finished():
                    portion = self.running.pop(future)
                    try:
                        results = self._results(portion, future)
                    except KilledWorker:
                        suspects += portion
                    except Unfit as error:  # the worker joined later, and must not grade: dask sends it away
                        logging.getLogger(__name__).warning("%s; it gets nothing to grade", error)
                        self.client.retire_workers([error.worker])
                        todo += portion
                    else:
                        suspects += portion if results is None else []
                        for task, result in zip(portion, results or [], strict=False):
                            self.done(task, result)
        except (CancelledError, CommClosedError, TimeoutError) as error:
            kept = "what was graded is kept, and the same command goes on from there"
            raise GraderError(f"the scheduler at {self.scheduler} answers no longer; {kept}") from error
        finally:
            self.client.cancel(list(self.running))
            self.running.clear()
        return suspects

    def _results(self, portion: list[int], future: Future[list[str]]) -> list[Result] | None:
        """Return the results of a portion; None where it has to be graded again, one submission at a time.

        Raises KilledWorker, Unfit and the errors of a scheduler that has gone, all of which `grade` handles.
        """
        try:
            said = future.result()
        except (CommClosedError, TimeoutError):  # the scheduler failed here, and not the worker
            raise
        except OSError as error:
            reason = f"no process could be started for it ({line(str(error), 150)})"
            return [self.job.lost(portion[0], reason)] if len(portion) == 1 else None
        found = zip(portion, said, strict=True)
        return [self.job.finished(task, Result.from_json(json.loads(result))) for task, result in found]

    def _hand_out(self, todo: deque[int], ahead: int) -> None:
        """Send as many portions as the present workers can use. The scheduler decides which worker gets which."""
        # Where suspects are graded one by one, each must get a worker that is there at this moment.
        workers = self._workers(may_be_old=ahead > 1)
        while todo and len(self.running) < ahead * workers:
            size = min(PORTION_MOST, len(todo) // (PORTIONS_LEAST * workers)) if ahead > 1 else 1
            portion = [todo.popleft() for _ in range(max(1, size))]
            key = f"{self.plugin}-{uuid.uuid4().hex}"
            sent = [self._sent(task) for task in portion]
            self.running[self.client.submit(_graded, self.plugin, sent, key=key, pure=False)] = portion

    def _sent(self, task: int) -> Sent:
        one, handed = self.job.submissions[task], self.job.handed_in(task)
        contents = (handed.notebook, *(file.content for file in handed.files))
        return one.student, one.unit, contents, (tuple(file.name for file in handed.files), handed.left_out)

    def _workers(self, may_be_old: bool) -> int:
        """Return how many workers there are. Raises GraderError where there has been none for WORKERS_S seconds.

        may_be_old: whether a number from up to COUNTED_S seconds ago is good enough; asking takes some milliseconds.
        """
        now = time.monotonic()
        if not may_be_old or now - self.counted > COUNTED_S:
            self.count, self.counted = len(self.client.nthreads()), now
        if self.count:
            self.seen = now
        elif now - self.seen > WORKERS_S:
            told = "what was graded is kept; start workers, and the same command goes on from there"
            raise GraderError(f"no worker is left at {self.scheduler}; {told}")
        return self.count

    def _finished(self) -> list[Future[list[str]]]:
        """Return the portions that are done; an empty list where none is within a few seconds."""
        if not self.running:
            time.sleep(1.0)
            return []
        try:
            return list(wait(list(self.running), timeout=POLL_S, return_when="FIRST_COMPLETED").done)
        except TimeoutError:
            return []
