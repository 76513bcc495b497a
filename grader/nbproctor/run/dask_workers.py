"""The workers of a dask scheduler: reaching them, and having a plugin of ours on each while a class is graded."""

from __future__ import annotations

import logging
from asyncio import CancelledError
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from distributed import Client, WorkerPlugin
from distributed.comm.core import CommClosedError

from nbproctor.run.zygote_process import GraderError, WorkersGone
from nbproctor.values.text import line

CONNECT_S = 15.0
WORKERS_S = 60.0  # how long we wait for a worker, both at the start and when none is left
GO_ON = "what was graded is kept, and the same command goes on from there"


class Unfit(GraderError):
    """A worker that must not grade: its address, why, and what to do."""

    def __init__(self, worker: str, why: str) -> None:
        super().__init__(worker, why)
        self.worker, self.why = worker, why

    def __str__(self) -> str:
        return f"worker {self.worker}: {self.why}"


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
            raise WorkersGone(f"{told} ({GO_ON})") from error
    return max(1, count)


@contextmanager
def prepared(client: Client, plugin: WorkerPlugin, name: str) -> Iterator[None]:
    """Have the plugin of this name on every worker, later ones too, until the end of the block.

    Raises Unfit where one cannot grade.
    """
    try:
        client.register_plugin(plugin, name=name)
        yield
    finally:
        if client.status == "running":  # else the scheduler has gone
            with suppress(ValueError):  # this run was stopped before it had registered the plugin
                client.unregister_worker_plugin(name)


@contextmanager
def scheduler_there(scheduler: str) -> Iterator[None]:
    """Raise WorkersGone in the place of what dask raises when its scheduler has gone."""
    try:
        yield
    except (CancelledError, CommClosedError, TimeoutError) as error:
        raise WorkersGone(f"the scheduler at {scheduler} no longer answers; {GO_ON}") from error
