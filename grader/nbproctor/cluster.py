"""A class, graded on many machines: dask.distributed hands submissions to workers, each with a session of its own.

Bytes go out, a result's JSON comes back; no disk is shared. What dask pickles on the way is ours alone: a name of a
function, strings and bytes. No object that a student made ever exists outside a sandbox, so none can travel.

The client reads, stores and writes. Each worker is an ordinary `dask worker` with one thread, which has this package
installed; a plugin of ours starts the session process there. A worker that is lost costs nothing: dask gives what it
had to another. What is under way while a worker dies is tried once more, and then told.
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

from nbproctor.job import Job
from nbproctor.result import Result
from nbproctor.session_process import Course, SessionProcess
from nbproctor.shared_log import sweep
from nbproctor.store import grader_fingerprint, installed_packages
from nbproctor.submission import File, HandedIn
from nbproctor.text import Clean, line
from nbproctor.zygote_process import GraderError

CONNECT_S = 15.0
WORKERS_S = 60.0  # how long we wait for a worker, at the start and where none is left
POLL_S = 5.0
COUNTED_S = 1.0
AHEAD = 2  # portions on their way for each worker: one at work, the other near
PORTION_MOST = 4  # submissions that are sent together: dask takes no longer for them than for one
PORTIONS_LEAST = 4  # that are left for each worker; towards the end they get smaller, so that all end together

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
    """On each worker, those that come later, too: the session process, or why there is none."""

    def __init__(self, course: bytes, grader: str) -> None:
        self.course, self.grader = course, grader
        self.name = f"nbproctor-{hashlib.sha256(course).hexdigest()[:16]}"
        self.session: SessionProcess | None = None
        self.trouble = ""

    def setup(self, worker: Worker) -> None:
        if grader_fingerprint() != self.grader:
            self.trouble = "its grader, Python, torch or numpy is not the client's; install the same there"
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
            sweep()  # what it told the other sessions of this machine, if it was the last of them


def _plugin(worker: Worker, name: str) -> tuple[Grading, SessionProcess]:
    """The plugin of that name and its session. Raises Unfit where there is none."""
    plugin = worker.plugins.get(name)
    if not isinstance(plugin, Grading) or plugin.session is None:
        raise Unfit(worker.address, getattr(plugin, "trouble", "") or "it has no session")
    return plugin, plugin.session


def _layers(name: str, dask_worker: Worker) -> tuple[str, ...] | str:
    """On a worker: its sandbox's layers, or what is in the way."""
    try:
        return _plugin(dask_worker, name)[1].layers()
    except Unfit as error:
        return str(error)
    except GraderError as error:
        return str(Unfit(dask_worker.address, str(error)))


def _graded(name: str, portion: Sequence[Sent]) -> list[str]:
    """On a worker: the results of a few submissions, each as JSON."""
    _, session = _plugin(get_worker(), name)
    try:
        session.ready()
    except GraderError as error:  # it came after the others were asked for their layers
        raise Unfit(get_worker().address, str(error)) from error
    found = []
    for student, unit, (notebook, *contents), (names, left_out) in portion:
        files = tuple(File(file, content) for file, content in zip(names, contents, strict=True))
        result = session.grade(student, unit, HandedIn(notebook, files, left_out))
        found.append(json.dumps(result.to_json()))
    return found


def run(job: Job, scheduler: str, on_result: Callable[[Result], None]) -> list[Result]:
    """Grade every submission and hand each result to `on_result` as it comes. Results are in submission order.

    scheduler: its address, such as tcp://host:8786. Raises GraderError where it cannot be reached, where no worker
    comes, where a worker's grader or sandbox is another one, or where the scheduler goes; what was graded is kept.
    """
    results: dict[int, Result] = {}

    def done(task: int, result: Result) -> None:
        results[task] = result
        on_result(result)

    course = Course(job.units, job.limits, job.sandboxed, installed_packages(), run=uuid.uuid4().hex)
    plugin = Grading(course.to_bytes(), grader_fingerprint())
    with _connected(scheduler) as client, _prepared(client, scheduler, plugin) as layers:
        job.check()
        waiting = job.to_grade(layers, done)
        crew = _Crew(client, scheduler, plugin.name, job, done)
        suspects = crew.grade(waiting, AHEAD)  # their worker died, perhaps because of one of them
        for task in crew.grade(suspects, 1):  # now each has a worker for itself
            done(task, job.lost(task, "two workers died on it"))
    return [results[task] for task in range(len(job.submissions))]


@contextmanager
def _connected(scheduler: str) -> Iterator[Client]:
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters of it is told by us, in one line
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
    """Workers with a session, which is ended at the end. Yields the layers of their sandboxes, the same for all."""
    try:
        client.wait_for_workers(1, timeout=WORKERS_S)
    except TimeoutError as error:
        raise GraderError(f"no worker is at {address}; start one: dask worker {address} --nthreads 1") from error
    failures = client.run_on_scheduler(_allowed_failures, 0)  # a task whose worker dies comes back to us
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
        with suppress(ValueError):  # it was stopped before there was such a plugin
            client.unregister_worker_plugin(plugin.name)


def _allowed_failures(number: int, dask_scheduler: Scheduler) -> int:
    """On the scheduler: set how many workers a task may lose before it is given up. Returns what it was."""
    before, dask_scheduler.allowed_failures = dask_scheduler.allowed_failures, number
    return before


class _Crew:
    """The workers, as they come and go, and what each has been given."""

    def __init__(
        self, client: Client, scheduler: str, plugin: str, job: Job, done: Callable[[int, Result], None]
    ) -> None:
        self.client, self.scheduler, self.plugin, self.job, self.done = client, scheduler, plugin, job, done
        self.running: dict[Future[list[str]], list[int]] = {}
        self.seen = time.monotonic()  # when there was a worker
        self.count, self.counted = 0, -COUNTED_S  # how many there were, and when

    def grade(self, tasks: list[int], ahead: int) -> list[int]:
        """Have the tasks graded. Returns those that want to be tried once more, each by itself: their worker died, or
        some of a portion could not be graded.

        ahead: how many portions are on their way for each worker; where it is one, each is of one submission.
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
                    except Unfit as error:  # it came late; dask sends it away
                        logging.getLogger(__name__).warning("%s; it is sent away", error)
                        self.client.retire_workers([error.worker])
                        todo += portion
                    else:
                        suspects += portion if results is None else []
                        for task, result in zip(portion, results or [], strict=False):
                            self.done(task, result)
        except (CancelledError, CommClosedError, TimeoutError) as error:
            kept = "what was graded is kept, and the same command goes on from there"
            raise GraderError(f"the scheduler at {self.scheduler} has gone; {kept}") from error
        finally:
            self.client.cancel(list(self.running))
            self.running.clear()
        return suspects

    def _results(self, portion: list[int], future: Future[list[str]]) -> list[Result] | None:
        """What came of a portion; None where that is not known of each. Raises what `grade` knows what to do about."""
        try:
            said = future.result()
        except (CommClosedError, TimeoutError):  # of the scheduler's, not of the worker's
            raise
        except OSError as error:
            reason = f"no process could be started for it ({line(str(error), 150)})"
            return [self.job.lost(portion[0], reason)] if len(portion) == 1 else None
        found = zip(portion, said, strict=True)
        return [self.job.finished(task, Result.from_json(json.loads(result))) for task, result in found]

    def _hand_out(self, todo: deque[int], ahead: int) -> None:
        """Send as many as the workers that there are now can do with: their bytes, wherever they come to lie."""
        workers = self._workers(may_be_old=ahead > 1)  # each suspect is to have a worker that there is
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
        """How many there are. Raises GraderError where there has been none for a while.

        may_be_old: whether it will do to know how many there were a moment ago. To ask takes some milliseconds.
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
        """Those that are done; none after a few seconds without."""
        if not self.running:
            time.sleep(1.0)
            return []
        try:
            return list(wait(list(self.running), timeout=POLL_S, return_when="FIRST_COMPLETED").done)
        except TimeoutError:
            return []
