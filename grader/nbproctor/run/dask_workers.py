"""The client of a dask scheduler: each worker holds what a run needs there, and does what it is asked.

What dask pickles on the way comes only from us: names of functions, settings, texts and bytes. No object that a student
made ever exists outside a sandbox, so none can travel. Each worker is an ordinary `dask worker` with one thread, which
has this package installed.

Losing a worker costs nothing: dask gives what it had to others. If several workers have died on a request, dask gives
it up, and so the requests that were queued beside it. Each of them is sent once more, by itself.
"""

import asyncio
import logging
import threading
import uuid
from asyncio import CancelledError
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol

from distributed import Client, Future, KilledWorker, Worker, WorkerPlugin, get_worker
from distributed.comm.core import CommClosedError

from nbproctor.runner.zygote import GraderError, WorkersGone
from nbproctor.values.text import line, many

CONNECT_S = 15.0
WORKERS_S = 60.0  # how long we wait for a worker, both at the start and when none is left
POLL_S = 5.0
AHEAD = 2  # requests for each worker: one that it works on, the next one waiting beside it
RESUME_HINT = "what was graded is kept, and the same command continues"


class Unfit(GraderError):
    """A worker that must not grade: its address, why, and what to do."""

    def __init__(self, worker: str, why: str) -> None:
        super().__init__(worker, why)
        self.worker, self.why = worker, why

    def __str__(self) -> str:
        return f"worker {self.worker}: {self.why}"


Work = Callable[..., Any]  # answers a request; raises GraderError where this worker must not go on


class Needs(Protocol):
    """What a run needs on a worker, as plain data that is sent there."""

    def mismatch(self) -> str:
        """Say how this machine differs from the client's, as a sentence; "" where it has everything."""

    def start(self, folder: Path, stack: ExitStack) -> Work:
        """Get ready to answer requests, until the stack is closed. folder: the worker's own. Raises GraderError."""


class RunPlugin(WorkerPlugin):
    """The plugin on each worker, later ones included, from the start of a run to its end."""

    def __init__(self, needs: Needs) -> None:
        self.needs = needs
        self.name = f"nbproctor-{uuid.uuid4().hex}"
        self.work: Work | None = None

    async def setup(self, worker: Worker) -> None:
        """Get ready. Raises Unfit where this worker cannot be used."""
        self.stack, self.is_over = ExitStack(), False
        if why := self.needs.mismatch():
            raise Unfit(worker.address, why)
        if worker.state.nthreads != 1:
            raise Unfit(worker.address, f"it has {many(worker.state.nthreads, 'thread')}; start it with --nthreads 1")
        try:
            self.work = await asyncio.to_thread(self.needs.start, Path(worker.local_directory), self.stack)
        except GraderError as error:
            self.stack.close()
            raise Unfit(worker.address, str(error)) from error
        if self.is_over:  # the run has ended meanwhile
            self.stack.close()

    def teardown(self, worker: Worker) -> None:
        self.work, self.is_over = None, True
        self.stack.close()


def answer(plugin: str, *request: Any) -> Any:
    """Answer a request. Runs on the worker, in the thread of the task. Raises Unfit where that must not answer."""
    worker = get_worker()
    holder = worker.plugins.get(plugin)
    if not isinstance(holder, RunPlugin) or holder.work is None:
        raise Unfit(worker.address, "it is not ready")
    try:
        return holder.work(*request)
    except GraderError as error:  # its sandbox is no longer what it was
        raise Unfit(worker.address, str(error)) from error


class Workers:
    """The workers of a scheduler. Several threads may ask at once."""

    def __init__(self, client: Client, scheduler: str, plugin: str) -> None:
        self._client, self._scheduler, self._plugin = client, scheduler, plugin
        self._sent = set[Future[Any]]()
        self._change = threading.Condition()
        self._running, self._is_alone, self._is_ended = 0, False, False

    def capacity(self) -> int:
        """How many requests may be on their way: so few that a large class fills nobody's memory."""
        with scheduler_there(self._scheduler):
            return AHEAD * count_workers(self._client, self._scheduler)

    def ask(self, request: Callable[[], tuple[Any, ...]]) -> Any:
        """Have a request answered by any worker. request: builds it, each time that it is sent.

        Raises KilledWorker if it kills workers even when it is sent alone, and WorkersGone if none is left.
        """
        try:
            with self._turn(is_alone=False):
                return self._answer(request)
        except KilledWorker:
            with self._turn(is_alone=True):
                return self._answer(request)

    def end(self) -> None:
        """Give up what is on its way."""
        self._is_ended = True
        if self._client.status == "running":  # else the scheduler has gone
            self._client.cancel([*self._sent])

    @contextmanager
    def _turn(self, is_alone: bool) -> Iterator[None]:
        """Wait until a request may be sent: few at a time, or one by itself."""
        with self._change:
            while self._is_alone or not is_alone and self._running >= self.capacity():
                self._change.wait(POLL_S)
            self._is_alone = is_alone
            self._change.wait_for(lambda: not is_alone or not self._running)
            self._running += 1
        try:
            yield
        finally:
            with self._change:
                self._running -= 1
                self._is_alone = self._is_alone and not is_alone
                self._change.notify_all()

    def _answer(self, request: Callable[[], tuple[Any, ...]]) -> Any:
        while not self._is_ended:
            with scheduler_there(self._scheduler):
                sent = self._client.submit(answer, self._plugin, *request(), pure=False)
                self._sent.add(sent)
                try:
                    return self._result(sent)
                except Unfit as error:  # the worker joined later, or has lost its sandbox: dask sends it away
                    self._client.retire_workers([error.worker])
                finally:
                    self._sent.discard(sent)
        raise WorkersGone("the run has ended")

    def _result(self, sent: Future[Any]) -> Any:
        while True:
            try:
                return sent.result(timeout=POLL_S)
            except TimeoutError:
                count_workers(self._client, self._scheduler)


@contextmanager
def connected(scheduler: str) -> Iterator[Client]:
    """A client of this scheduler. Raises GraderError where none answers at the address."""
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


def count_workers(client: Client, scheduler: str) -> int:
    """Return how many workers there are. Raises WorkersGone where there is none, and none comes in time."""
    if not (count := len(client.nthreads())):
        try:
            client.wait_for_workers(1, timeout=WORKERS_S)
        except TimeoutError as error:
            told = f"no worker is at {scheduler}; start one: dask worker {scheduler} --nthreads 1"
            raise WorkersGone(f"{told} ({RESUME_HINT})") from error
    return max(1, count)


@contextmanager
def prepared(client: Client, scheduler: str, needs: Needs) -> Iterator[Workers]:
    """Have every worker, later ones too, hold what a run needs, until the end of the block.

    Raises Unfit where one cannot.
    """
    holder = RunPlugin(needs)
    try:
        client.register_plugin(holder, name=holder.name)
        yield Workers(client, scheduler, holder.name)
    finally:
        if client.status == "running":  # else the scheduler has gone
            client.unregister_worker_plugin(holder.name)


@contextmanager
def scheduler_there(scheduler: str) -> Iterator[None]:
    """Turn dask's errors about a lost scheduler into WorkersGone."""
    try:
        yield
    except (CancelledError, CommClosedError, TimeoutError) as error:
        raise WorkersGone(f"the scheduler at {scheduler} no longer answers; {RESUME_HINT}") from error
