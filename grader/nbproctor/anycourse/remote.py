"""Runs notebooks on the workers of a dask scheduler (`run.dask_workers`) instead of in a warm process of this machine.

Only the cells run there, in a warm process of each worker's own. Submissions are read, points are given and the
gradebook is written here, as ever. What a student's process has left comes back as JSON.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.metadata import packages_distributions, version
from pathlib import Path
from typing import TypeVar

import msgspec
from distributed import KilledWorker

from nbproctor.anycourse.kernels import Kernel
from nbproctor.anycourse.settings import view_for
from nbproctor.anycourse.warm import Libraries, Notebook, Ran, Warm
from nbproctor.border.sandbox import Bounds
from nbproctor.run.dask_workers import Work, Workers, connected, count_workers, prepared
from nbproctor.run.store import fingerprint_of
from nbproctor.runner.zygote import GraderError

Kind = TypeVar("Kind", Notebook, Ran)
RUNNING = ("anycourse", "border", "inside", "runner")  # what runs a notebook on a worker


@dataclass(frozen=True)
class Needs:
    """What a worker has to have, and the warm process that it starts. environment: the kernel's variables.

    grader: a digest of the programs. versions: those of the packages that the warm process imports.
    """

    grader: str
    versions: tuple[tuple[str, str], ...]
    modules: tuple[str, ...]
    bounds: Bounds
    readable: tuple[str, ...]
    environment: tuple[tuple[str, str], ...]
    sandboxed: bool

    @classmethod
    def of(cls, libraries: Libraries, modules: tuple[str, ...], readable: tuple[str, ...]) -> Needs:
        """What this machine has for a warm process with these modules. readable: the folders of the configuration."""
        distributions, tops = packages_distributions(), {name.partition(".")[0] for name in modules}
        names = sorted({one for top in tops for one in distributions.get(top, ())} | {"ipykernel", "ipython"})
        versions = tuple((name, version(name)) for name in names)
        environment = libraries.kernel.environment
        return cls(
            fingerprint_of(RUNNING), versions, modules, libraries.bounds, readable, environment, libraries.sandboxed
        )

    def mismatch(self) -> str:
        """Say how this machine differs from the client's, as a sentence; "" where it has everything."""
        if fingerprint_of(RUNNING) != self.grader:
            return "its grader or its Python has another version than the client's; install the same there"
        for name, wanted in self.versions:
            try:
                found = version(name)
            except ModuleNotFoundError:
                found = "none"
            if found != wanted:
                return f"it has {name} {found}, and the client has {wanted}; install the same there"
        return ""

    def start(self, folder: Path, stack: ExitStack) -> Work:
        """Start the warm process here. folder: the worker's own, which no student's process sees."""
        kernel = Kernel("python3", "a warm process of a worker's Python", environment=self.environment)
        view = view_for(folder, self.readable, self.environment)
        warm = Warm(Libraries(kernel, self.bounds, view, self.sandboxed, self.modules), 1, stack)
        stack.callback(warm.end)
        return lambda seconds, given: _packed(warm.run(_unpacked(given, Notebook), time.monotonic() + seconds))


class OnWorkers:
    """The workers of a scheduler, each with a warm process. `run`, `end`, `layers` and `width` are as in `Warm`."""

    def __init__(self, workers: Workers, layers: tuple[str, ...]) -> None:
        self._workers, self.layers, self.width = workers, layers, workers.capacity()

    def run(self, notebook: Notebook, deadline: float) -> Ran:
        """Run a notebook's cells in order, on any worker.

        Raises GraderError where it ends several workers, and WorkersGone where there are none left.
        """
        given = _packed(notebook)
        try:
            return _unpacked(self._workers.ask(lambda: (max(1.0, deadline - time.monotonic()), given)), Ran)
        except KilledWorker:
            raise GraderError("several workers ended while they ran it; grade it again, or by hand") from None

    def end(self) -> None:
        self._workers.end()


Start = Callable[[Libraries, tuple[str, ...], tuple[str, ...]], OnWorkers]  # with modules, and with what layers


def starting(scheduler: str, readable: tuple[str, ...], stack: ExitStack) -> Start:
    """What starts a warm process on each worker of this scheduler, until the stack is left."""
    client = stack.enter_context(connected(scheduler))
    count_workers(client, scheduler)

    def start(libraries: Libraries, modules: tuple[str, ...], layers: tuple[str, ...]) -> OnWorkers:
        needs = Needs.of(libraries, modules, readable)
        return OnWorkers(stack.enter_context(prepared(client, scheduler, needs)), layers)

    return start


def _packed(value: Notebook | Ran) -> str:
    return json.dumps(msgspec.to_builtins(value, str_keys=True))


def _unpacked(text: str, kind: type[Kind]) -> Kind:
    return msgspec.convert(json.loads(text), kind, str_keys=True)
