"""Runs notebooks in processes that are forked from a warm one, in the sandbox.

A warm process has imported the libraries of a course in Python. For other kernels it only holds ready what starts them.

A cell that does not end is interrupted, as nbgrader does it, and killed after some seconds if that does not help. After
a killed or dead process, a fresh one runs the other cells again.
"""

from __future__ import annotations

import json
import secrets
import select
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, Protocol

from nbproctor.anycourse import kernels
from nbproctor.anycourse.kernels import Kernel, KernelMissing
from nbproctor.anycourse.settings import Course
from nbproctor.border import frames, messages
from nbproctor.border.messages import Answer, Begin, Begun, CellRun, End, Ended, Names, Request, Run
from nbproctor.border.sandbox import Bounds, View
from nbproctor.runner.log import say
from nbproctor.runner.zygote import Kind, Process, Zygote, ZygoteGone, await_end, zygote_started

GRACE_S = 3.0  # between the interrupt and the kill
STARTS_MOST = 5  # processes for one notebook
REPLY_MOST = frames.Most(96 << 20, 0, 0)  # a cell's outputs are cut below that
FILES_MOST = frames.Most(96 << 20, 80 << 20, 4_000)
ENDS_S = 60.0  # to hand over the files, at either end
DIED = "DeadKernelError"
Files = dict[str, tuple[int, bytes]]  # name -> permissions and content


@dataclass(frozen=True)
class CellToRun:
    """A cell, how many seconds it may run (None: without a limit), and whether its figures are drawn."""

    source: str
    seconds: float | None
    draw: bool


@dataclass(frozen=True)
class Notebook:
    """A notebook to run. folder: the path of its folder, below the scratch folder. files: those beside the notebook.

    late: what nbgrader's settings say about a cell that was too slow.
    """

    cells: Sequence[CellToRun]
    folder: str
    files: Files
    late: dict[str, Any]


@dataclass
class Ran:
    """What came of it. outputs, counts, modules: for each cell. lost: the cells that had to be left out, and why."""

    outputs: list[list[dict[str, Any]]]
    counts: list[int | None]
    modules: list[list[str]]
    lost: dict[int, str] = field(default_factory=dict)
    slow: set[int] = field(default_factory=set)  # cells that did not end within their own time
    exits: set[int] = field(default_factory=set)  # cells that called `exit()`, which does nothing here
    written: Files = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)
    cells: list[Any] = field(default_factory=list)  # those of the notebook, for the caller
    left: list[str] = field(default_factory=list)  # files too large to be handed on
    is_late: bool = False  # the time of the whole submission was over
    language: dict[str, Any] = field(default_factory=dict)  # what Jupyter calls `language_info`
    cpu_s: float = 0.0


class _Lost(EOFError):
    """The process died, or had to be killed, in a cell."""


@dataclass(frozen=True)
class Libraries:
    """What a warm process is: its kernel, the modules that it imports, and the sandbox for what it forks."""

    kernel: Kernel
    bounds: Bounds
    view: View
    sandboxed: bool = True
    modules: tuple[str, ...] = ()

    @classmethod
    def of(cls, course: Course, assignment: str, kernel: Kernel, sandboxed: bool = True) -> Libraries:
        """Those of an assignment, without modules."""
        return cls(kernel, course.bounds(assignment), kernels.view(course, kernel), sandboxed)


class Executor(Protocol):
    """Where notebooks are run: a warm process here, or workers of a scheduler. Several threads may run some at once.

    width: how many have work then.
    """

    @property
    def width(self) -> int: ...

    @property
    def layers(self) -> tuple[str, ...]: ...

    def run(self, notebook: Notebook, deadline: float) -> Ran: ...

    def end(self) -> None: ...


class Warm:
    """The warm process. Several threads may run notebooks at once; another process takes the place of one that died."""

    def __init__(self, libraries: Libraries, workers: int, stack: ExitStack) -> None:
        self._libraries, self.width, self._stack = libraries, workers, stack
        self._lock = threading.Lock()
        self.starts, self.is_ended = 0, False
        self._start()

    @property
    def layers(self) -> tuple[str, ...]:
        return self._zygote.layers

    def _start(self) -> None:
        given, kernel = self._libraries, self._libraries.kernel
        program, words = ("kernel", kernel.spec) if kernel.spec else ("notebook", json.dumps(given.modules))
        kind = Kind(program, words, given.bounds, given.view)
        self._zygote: Zygote = self._stack.enter_context(zygote_started(1, given.sandboxed, kind))
        self._zygote.wait_until_ready()
        self.starts += 1

    def end(self) -> None:
        """Kill the warm process, and with it all that it has forked."""
        self.is_ended = True
        self._zygote.process.kill()

    def run(self, notebook: Notebook, deadline: float) -> Ran:
        """Run a notebook's cells in order.

        Raises ZygoteGone where the warm process ends again and again, KernelMissing where a kernel does not start.
        """
        for _ in range(3):
            starts = self.starts
            try:
                return self._run(notebook, deadline)
            except ZygoteGone:
                with self._lock:
                    if self.is_ended:
                        raise
                    if starts == self.starts:
                        self._start()
        raise ZygoteGone("the warm process ended three times")

    def _run(self, notebook: Notebook, deadline: float) -> Ran:
        blank: list[list[dict[str, Any]]] = [[] for _ in notebook.cells]
        ran = Ran(blank, [None] * len(blank), [[] for _ in blank])
        for _ in range(STARTS_MOST):
            with closing(self.fork(deadline)) as process:
                if Attempt(notebook, process, deadline).through(ran):
                    return ran
            if time.monotonic() >= deadline:
                break
        if not ran.lost:
            raise KernelMissing("the process for a notebook ended before the first cell, several times")
        for number in range(max(ran.lost) + 1, len(blank)):
            ran.outputs[number] = [error(DIED, "this cell was not reached: cells before it ended every process")]
        return ran

    def fork(self, deadline: float) -> Process:
        """A fresh student's process, which has until then, and time to hand over its files."""
        (control,) = self._zygote.controls
        return control.fork(max(1.0, deadline - time.monotonic()) + ENDS_S)


class Attempt:
    """One process's run of a notebook, without the cells that killed an earlier one."""

    def __init__(self, notebook: Notebook, process: Process, deadline: float) -> None:
        self._notebook, self._process, self._deadline = notebook, process, deadline

    def through(self, ran: Ran) -> bool:
        """Run the cells, and fetch what they wrote. False where a cell ended the process; `ran.lost` then names it."""
        given, number = self._notebook, 0
        try:
            self._begin(ran)
        except (OSError, EOFError, frames.WireError):
            return False
        try:
            for number, cell in enumerate(given.cells):
                if time.monotonic() >= self._deadline:
                    ran.outputs[number], ran.is_late = [{"output_type": "error", **given.late}], True
                elif number not in ran.lost:
                    self._cell(number, cell, ran)
            number = len(given.cells)
            ended, parts = self._ask(End(), Ended, time.monotonic() + ENDS_S, FILES_MOST)
            ran.written = dict(_written(ended.files, parts))
            ran.gone, ran.left, ran.cpu_s = ended.gone, ended.left, ended.cpu_s or ran.cpu_s
        except _Lost as lost:
            return self._lose(number, str(lost), ran)
        except frames.WireError:
            return self._lose(number, "it wrote into the grader's channel", ran)
        except (OSError, EOFError):
            await_end(self._process.pidfd)
            return self._lose(number, "it ended its process", ran)
        return True

    def _begin(self, ran: Ran) -> None:
        files = self._notebook.files
        request = Begin(self._notebook.folder, [(name, mode) for name, (mode, _) in files.items()])
        until = max(self._deadline, time.monotonic() + ENDS_S)  # where it is over, each cell says so
        begun, _ = self._ask(request, Begun, until, parts=[data for _, data in files.values()])
        if begun.failed:
            raise KernelMissing(
                f"the kernel does not start in the sandbox: {begun.failed}. Where it lacks files, c.Proctor.readable "
                "names folders that it may read"
            )
        ran.language = begun.language

    def _cell(self, number: int, cell: CellToRun, ran: Ran) -> None:
        given, until = self._notebook, self._deadline
        if cell.seconds is not None:
            until = min(until, time.monotonic() + cell.seconds)
        is_late = False
        try:
            answer, _ = self._ask(Run(cell.source, cell.draw), CellRun, until)
        except TimeoutError:
            is_late = True
            say("cell %d did not end in time, and is interrupted", number + 1)
            if until < self._deadline:
                ran.slow.add(number)
            else:
                ran.is_late = True
            self._process.interrupt()
            try:
                answer, _ = self._heard(CellRun, time.monotonic() + GRACE_S)
            except TimeoutError:
                ran.outputs[number] = [{"output_type": "error", **given.late}]
                raise _Lost("it did not end, and could not be interrupted") from None
        ran.outputs[number] = [made for one in answer.outputs if (made := _output(one))]
        ran.counts[number], ran.modules[number] = answer.count, answer.modules
        ran.cpu_s = answer.cpu_s or ran.cpu_s
        if answer.exits:
            ran.exits.add(number)
        if is_late:
            ran.outputs[number].append({"output_type": "error", **given.late})

    def _lose(self, number: int, why: str, ran: Ran) -> bool:
        if number == len(self._notebook.cells):  # only the files are missing
            ran.left = ["(all)"]
            return True
        ran.lost[number] = why
        say("cell %d is lost: %s", number + 1, why)
        if not any(one["output_type"] == "error" for one in ran.outputs[number]):
            ran.outputs[number] = [error(DIED, f"Kernel died: {why}")]
        return False

    def _ask(
        self,
        request: Request,
        kind: type[Answer],
        until: float,
        most: frames.Most = REPLY_MOST,
        parts: Sequence[bytes] = (),
    ) -> tuple[Answer, list[bytearray]]:
        """The answer to a request. kind: what it has to be, as `messages` has it."""
        self._nonce = secrets.token_hex(8)
        self._process.channel.settimeout(ENDS_S if parts else GRACE_S)
        messages.send(self._process.channel, request, self._nonce, parts)
        return self._heard(kind, until, most)

    def _heard(
        self, kind: type[Answer], until: float, most: frames.Most = REPLY_MOST
    ) -> tuple[Answer, list[bytearray]]:
        """The answer to the last request. A message without its nonce is a copy's, or forged."""
        channel = self._process.channel
        if not select.select([channel], [], [], max(0.0, until - time.monotonic()))[0]:
            raise TimeoutError
        header, parts = frames.receive(channel, time.monotonic() + ENDS_S, most)
        if not isinstance(header, dict) or header.get("nonce") != self._nonce:
            raise frames.WireError("an answer that was not asked for")
        return messages.answer_of(messages.reply_of(header), kind), parts


def error(name: str, words: str) -> dict[str, Any]:
    return {"output_type": "error", "ename": name, "evalue": words, "traceback": [f"{name}: {words}"]}


def _output(said: Any) -> dict[str, Any] | None:
    """An output as nbformat has it, made of what the student's process said; None for anything else."""
    kind = said.get("output_type") if isinstance(said, dict) else None
    if kind == "stream" and said.get("name") in ("stdout", "stderr"):
        return {"output_type": kind, "name": said["name"], "text": str(said.get("text", ""))}
    if kind == "error":
        lines = list(map(str, traceback)) if isinstance(traceback := said.get("traceback"), list) else []
        return {
            "output_type": kind, "ename": str(said.get("ename")), "evalue": str(said.get("evalue")), "traceback": lines
        }  # fmt: skip
    if kind in ("execute_result", "display_data"):
        data, metadata = said.get("data"), said.get("metadata")
        made = {
            "output_type": kind,
            "data": {str(key): value for key, value in data.items()} if isinstance(data, dict) else {},
            "metadata": metadata if isinstance(metadata, dict) else {},
        }
        count = said.get("execution_count")
        return made if kind == "display_data" else {**made, "execution_count": count if type(count) is int else None}
    return None


def _written(names: Names, parts: Sequence[bytearray]) -> Iterator[tuple[str, tuple[int, bytes]]]:
    """The files that came, with names that stay in their folder."""
    for (name, mode), data in zip(names, parts, strict=False):
        path = PurePosixPath(name)
        if path.parts and not path.is_absolute() and ".." not in path.parts and "\0" not in name:
            yield f"{path}/" if name.endswith("/") else str(path), (mode & 0o777, bytes(data))
