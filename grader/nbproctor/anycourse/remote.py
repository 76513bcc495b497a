"""Runs notebooks on the workers of a dask scheduler, in the place of a warm process on this machine.

Only the cells run there. Submissions are read, points are given and the gradebook is written here, as ever. What dask
pickles on the way comes only from us: settings, names, texts and bytes. What a student's process has left comes back as
JSON and bytes. Each worker is an ordinary `dask worker` with one thread, and has a warm process of its own.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import platform
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.metadata import packages_distributions, version
from pathlib import Path
from typing import Any

from distributed import Client, Future, KilledWorker, Worker, WorkerPlugin, get_worker

from nbproctor.anycourse.kernels import Kernel
from nbproctor.anycourse.settings import view_for
from nbproctor.anycourse.warm import Cell, Files, Libraries, Notebook, Ran, Warm
from nbproctor.border.sandbox import Bounds
from nbproctor.paths import PACKAGE
from nbproctor.run.dask_workers import Unfit, connected, count_workers, prepared, scheduler_there
from nbproctor.run.zygote_process import GraderError

POLL_S = 5.0
AHEAD = 2  # notebooks for each worker: one that runs, the next one waiting beside it
Message = tuple[str, list[bytes]]  # JSON, and the contents of files


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
        return cls(_grader(), versions, modules, libraries.bounds, readable, environment, libraries.sandboxed)

    def lacking(self) -> str:
        """What this machine has otherwise, in words; "" where it has everything."""
        if _grader() != self.grader:
            return "its grader or its Python has another version than the client's; install the same there"
        for name, wanted in self.versions:
            try:
                found = version(name)
            except ModuleNotFoundError:
                found = "none"
            if found != wanted:
                return f"it has {name} {found}, and the client has {wanted}; install the same there"
        return ""

    def libraries(self, folder: Path) -> Libraries:
        """The warm process here. folder: the worker's own, which no student's process sees."""
        kernel = Kernel("python3", "a warm process of a worker's Python", environment=self.environment)
        view = view_for(folder, self.readable, self.environment)
        return Libraries(kernel, self.bounds, view, self.sandboxed, self.modules)


def _grader() -> str:
    digest = hashlib.sha256(platform.python_version().encode())
    for path in sorted(path for room in ("anycourse", "border", "inside") for path in PACKAGE.glob(f"{room}/*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


class Running(WorkerPlugin):
    """The plugin on each worker, from the start of an assignment to its end: it holds the warm process."""

    def __init__(self, needs: Needs) -> None:
        self.needs = needs
        self.name = f"nbproctor-{uuid.uuid4().hex}"
        self.warm: Warm | None = None

    async def setup(self, worker: Worker) -> None:
        """Start the warm process, and wait until it is ready. Raises Unfit where that cannot be."""
        self._stack = ExitStack()
        if told := self.needs.lacking():
            raise Unfit(worker.address, told)
        if worker.state.nthreads != 1:
            raise Unfit(worker.address, f"it has {worker.state.nthreads} threads; start it with --nthreads 1")
        try:
            self.warm = await asyncio.to_thread(self._start, Path(worker.local_directory))
        except GraderError as error:
            self.teardown(worker)
            raise Unfit(worker.address, str(error)) from error

    def _start(self, folder: Path) -> Warm:
        return Warm(self.needs.libraries(folder), 1, self._stack)

    def teardown(self, worker: Worker) -> None:
        if self.warm is not None:
            self.warm.end()
            self.warm = None
        self._stack.close()


def _run(plugin: str, seconds: float, given: Message) -> Message:
    """Run a notebook. Runs on the worker, in the thread of the task. Raises Unfit where that must not run any."""
    worker = get_worker()
    held = worker.plugins.get(plugin)
    if not isinstance(held, Running) or held.warm is None:
        raise Unfit(worker.address, "it has no warm process")
    try:
        return _packed(held.warm.run(_notebook(given), time.monotonic() + seconds))
    except GraderError as error:  # its sandbox is no longer what it was
        raise Unfit(worker.address, str(error)) from error


class OnWorkers:
    """The workers of a scheduler, each with a warm process. `run`, `end`, `layers` and `width` are as in `Warm`."""

    def __init__(self, client: Client, scheduler: str, plugin: str, layers: tuple[str, ...]) -> None:
        self._client, self._scheduler, self._plugin, self.layers = client, scheduler, plugin, layers
        self.width = AHEAD * count_workers(client, scheduler)
        self._slots, self._alone = threading.Semaphore(self.width), threading.Lock()
        self._sent = set[Future[Message]]()

    def run(self, notebook: Notebook, deadline: float) -> Ran:
        """Run a notebook's cells in order, on any worker.

        Where several workers die on it, it may only have waited beside the one that ended them. So it is sent once
        more, by itself. Raises GraderError where that, too, ends them, and WorkersGone where there are none any more.
        """
        try:
            with self._slots:
                return self._sent_out(notebook, deadline)
        except KilledWorker:
            pass
        with self._alone:
            for _ in range(self.width):
                self._slots.acquire()
            try:
                return self._sent_out(notebook, deadline)
            except KilledWorker:
                raise GraderError("several workers ended while they ran it; grade it again, or by hand") from None
            finally:
                self._slots.release(self.width)

    def end(self) -> None:
        self._client.cancel([*self._sent])

    def _sent_out(self, notebook: Notebook, deadline: float) -> Ran:
        given = _given(notebook)
        while True:
            with scheduler_there(self._scheduler):
                seconds = max(1.0, deadline - time.monotonic())
                sent = self._client.submit(_run, self._plugin, seconds, given, pure=False)
                self._sent.add(sent)
                try:
                    return _ran(self._waited_for(sent))
                except Unfit as error:  # the worker joined later, or has lost its sandbox: dask sends it away
                    self._client.retire_workers([error.worker])
                finally:
                    self._sent.discard(sent)

    def _waited_for(self, sent: Future[Message]) -> Message:
        while True:
            try:
                return sent.result(timeout=POLL_S)
            except TimeoutError:
                count_workers(self._client, self._scheduler)


Start = Callable[[Libraries, tuple[str, ...], tuple[str, ...]], OnWorkers]  # with modules, and with what layers


def starting(scheduler: str, readable: tuple[str, ...], stack: ExitStack) -> Start:
    """What starts a warm process on each worker of this scheduler, until the stack is left."""
    client = stack.enter_context(connected(scheduler))
    count_workers(client, scheduler)

    def start(libraries: Libraries, modules: tuple[str, ...], layers: tuple[str, ...]) -> OnWorkers:
        plugin = Running(Needs.of(libraries, modules, readable))
        stack.enter_context(prepared(client, plugin, plugin.name))
        return OnWorkers(client, scheduler, plugin.name, layers)

    return start


# What crosses


def _given(notebook: Notebook) -> Message:
    cells = [(cell.source, cell.seconds, cell.draw) for cell in notebook.cells]
    names, parts = _of_files(notebook.files)
    return json.dumps({"cells": cells, "folder": notebook.folder, "late": notebook.late, "files": names}), parts


def _notebook(given: Message) -> Notebook:
    words = json.loads(given[0])
    cells = [Cell(*cell) for cell in words["cells"]]
    return Notebook(cells, words["folder"], _files(words["files"], given[1]), words["late"])


def _packed(ran: Ran) -> Message:
    names, parts = _of_files(ran.written)
    words: dict[str, Any] = {
        "outputs": ran.outputs, "counts": ran.counts, "modules": ran.modules, "lost": [*ran.lost.items()],
        "slow": [*ran.slow], "exits": [*ran.exits], "files": names, "gone": ran.gone, "left": ran.left,
        "is_late": ran.is_late, "language": ran.language, "cpu_s": ran.cpu_s,
    }  # fmt: skip
    return json.dumps(words), parts


def _ran(back: Message) -> Ran:
    words = json.loads(back[0])
    return Ran(
        words["outputs"], words["counts"], words["modules"], dict(words["lost"]), set(words["slow"]),
        set(words["exits"]), _files(words["files"], back[1]), words["gone"],
        left=words["left"], is_late=words["is_late"], language=words["language"], cpu_s=words["cpu_s"],
    )  # fmt: skip


def _of_files(files: Files) -> tuple[list[tuple[str, int]], list[bytes]]:
    return [(name, mode) for name, (mode, _) in files.items()], [data for _, data in files.values()]


def _files(names: list[tuple[str, int]], parts: list[bytes]) -> Files:
    return {name: (mode, data) for (name, mode), data in zip(names, parts, strict=True)}
