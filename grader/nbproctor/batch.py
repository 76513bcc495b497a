"""A class, graded on all cores: one zygote, one examiner for each worker, each submission a result."""

from __future__ import annotations

import gc
import importlib
import json
import multiprocessing
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from nbproctor import sandbox
from nbproctor.course import Unit
from nbproctor.limits import Limits

GRACE_S = 30.0  # beyond a submission's own limit, before its examiner is given up
EXAMINER_MB = 4096  # of address space beyond what it starts with: a check may compute with what a student sends
READY_S = 60.0
HEAVY = ("nbproctor.sit", "nbproctor.gradebook")  # torch and nbgrader: imported while the zygote does the same


@dataclass(frozen=True)
class Submission:
    """One notebook handed in; `path` need not hold what it should."""

    student: str
    unit: str
    path: Path


class GraderError(Exception):
    """Grading cannot start or go on; the message says what to do."""


@contextmanager
def zygote(workers: int, sandboxed: bool) -> Iterator[tuple[list[socket.socket], list[str], Callable[[], bool]]]:
    """Start the zygote. Yields a control socket for each worker, the names of the active layers, and how to ask if it
    is gone.

    Raises sandbox.LayerMissing where a layer is not to be had, GraderError where the zygote does not start.
    """
    layers = sandbox.check_layers() if sandboxed else []
    pairs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(workers)]
    fds = [theirs.fileno() for _, theirs in pairs]
    inner = [
        os.path.abspath(sys.executable),
        "-m",
        "nbproctor.zygote",
        sandbox.seccomp_program().hex() if sandboxed else "open",
        *map(str, fds),
    ]
    command = sandbox.bwrap_command(inner, _font_list()) if sandboxed else inner
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    process = subprocess.Popen(  # noqa: S603 our own command
        command,
        pass_fds=fds,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=environment,
    )
    try:
        # jsonschema, which nbgrader imports, would build a grammar of web addresses: that takes a second.
        sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
        for name in HEAVY:
            importlib.import_module(name)
        for _, theirs in pairs:
            theirs.close()
        for ours, _ in pairs:
            ours.settimeout(READY_S)
            if not _is_ready(ours):
                process.kill()
                said = (process.communicate()[1] or b"").decode(errors="replace").strip().splitlines()
                raise _start_failure(said[-1] if said else "it said nothing")
        yield [ours for ours, _ in pairs], layers, lambda: _ends(process)
    finally:
        for ours, _ in pairs:
            ours.close()
        process.kill()
        process.wait()
        if process.stderr:
            process.stderr.close()


def _ends(process: subprocess.Popen[bytes]) -> bool:
    """Whether it has ended, or is about to: its death is noticed a moment after that of what it served."""
    try:
        process.wait(timeout=1.0)
    except subprocess.TimeoutExpired:
        return False
    return True


def _is_ready(control: socket.socket) -> bool:
    try:
        return bool(control.recv(1000))
    except OSError:
        return False


def _start_failure(said: str) -> Exception:
    if "LayerMissing: " in said:
        return sandbox.LayerMissing(said.split("LayerMissing: ", 1)[1])
    if said.startswith("bwrap:"):
        return sandbox.LayerMissing(
            f"bubblewrap cannot build the sandbox here ({said}); in a container it needs user namespaces "
            "(Docker: --security-opt seccomp=unconfined --security-opt apparmor=unconfined), or --unsafe"
        )
    return GraderError(f"the zygote did not start: {said}")


def _font_list() -> Path | None:
    """matplotlib's list of fonts, which takes seconds to make anew."""
    import matplotlib

    found = sorted(Path(matplotlib.get_cachedir()).glob("fontlist-*.json"))
    return found[-1] if found else None


def grade(
    units: dict[str, Unit],
    submissions: Sequence[Submission],
    workers: int,
    limits: Limits,
    sandboxed: bool,
    on_result: Callable[[dict[str, Any]], None],
    write: Callable[[dict[str, Any], Submission], None] | None = None,
) -> list[dict[str, Any]]:
    """Grade every submission and hand each result to `on_result` as it comes. Results are in submission order.

    `write` is called in the worker, so that a student's files are written while others are being graded.

    A worker that dies or hangs costs the submission it had, and is replaced. Should the zygote die, another one grades
    what was under way, one by one, then the rest. Ctrl-C ends all processes.
    """
    results: dict[int, dict[str, Any]] = {}

    def done(task: int, result: dict[str, Any]) -> None:
        results[task] = result
        on_result(result)

    groups, again = [list(range(len(submissions)))] if submissions else [], set[int]()
    while groups:
        group = groups.pop()
        with zygote(max(1, min(workers, len(group))), sandboxed) as (controls, layers, gone):

            def hire(number: int, controls: list[socket.socket] = controls, layers: list[str] = layers) -> _Worker:
                return _Worker(lambda pipe: _work(units, controls, number, limits, layers, write, pipe), limits)

            left, suspects = _round(group, submissions, units, hire, len(controls), gone, done)
        groups += [left] if left else []
        for task in suspects:
            if task in again:
                done(task, _lost(units, submissions[task], "the sandbox died on it twice"))
            else:  # by itself: whichever it was costs no one else anything
                again.add(task)
                groups.append([task])
    return [results[i] for i in range(len(submissions))]


def _round(
    group: list[int], submissions: Sequence[Submission], units: dict[str, Unit], hire: Callable[[int], _Worker],
    workers: int, gone: Callable[[], bool], done: Callable[[int, dict[str, Any]], None],
) -> tuple[list[int], list[int]]:  # fmt: skip
    """Grade a group with one zygote. Should that die: what it had not begun, and what it was at."""
    # Units with the longest notebooks first would balance better; one class is one unit, and all are alike.
    todo, running = group[::-1], {}
    try:
        running = {number: hire(number) for number in range(workers)}
        while todo or any(worker.task is not None for worker in running.values()):
            for number, worker in list(running.items()):
                if worker.task is None and todo:
                    try:
                        worker.give(todo[-1], submissions)
                        todo.pop()
                    except OSError:  # it died while it had nothing to do
                        worker.end()
                        running[number] = hire(number)
                elif worker.task is not None and time.monotonic() > worker.until:
                    done(worker.task, _lost(units, submissions[worker.task], "the examiner hung on it"))
                    worker.end()
                    running[number] = hire(number)
            for connection in wait([w.pipe for w in running.values() if w.task is not None], timeout=1.0):
                number, worker = next((n, w) for n, w in running.items() if w.pipe is connection)
                task = worker.task
                assert task is not None  # noqa: S101 for mypy
                try:
                    result = json.loads(worker.pipe.recv_bytes())
                    worker.task = None
                except (EOFError, OSError):
                    if gone():
                        return todo[::-1], sorted(w.task for w in running.values() if w.task is not None)
                    result = _lost(units, submissions[task], "the examiner died on it")
                    worker.end()
                    running[number] = hire(number)
                done(task, result)
    finally:
        for worker in running.values():
            worker.end()
    return [], []


class _Worker:
    """An examiner's process, with a pipe to it and the task it has."""

    def __init__(self, work: Callable[[Connection], None], limits: Limits) -> None:
        context = multiprocessing.get_context("fork")
        self.pipe, theirs = context.Pipe()

        def run() -> None:
            self.pipe.close()
            work(theirs)

        self.process = context.Process(target=run, daemon=True)
        self.process.start()
        theirs.close()
        self.task: int | None = None
        self.until = 0.0
        self.limits = limits

    def give(self, task: int, submissions: Sequence[Submission]) -> None:
        one = submissions[task]
        self.pipe.send_bytes(json.dumps([one.student, one.unit, str(one.path)]).encode())
        self.task, self.until = task, time.monotonic() + self.limits.submission_s + GRACE_S

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _work(
    units: dict[str, Unit], controls: list[socket.socket], number: int, limits: Limits, layers: list[str],
    write: Callable[[dict[str, Any], Submission], None] | None, pipe: Connection,
) -> None:  # fmt: skip
    """An examiner: prepare a desk for each unit, then grade what comes through the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    sandbox.limit(resource.RLIMIT_AS, (sandbox.memory_mapped_mb() + EXAMINER_MB) << 20)
    for i, control in enumerate(controls):
        if i != number:
            control.close()
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[number % len(cores)]})
    gc.freeze()
    examiner, sit = (importlib.import_module(f"nbproctor.{name}") for name in ("examiner", "sit"))
    desks: dict[str, Any] = {}
    while True:
        try:
            student, name, path = json.loads(pipe.recv_bytes())
        except EOFError:
            return
        if name not in desks:
            desks[name] = examiner.prepare(units[name])
        result = sit.sit(units[name], desks[name], controls[number], student, Path(path), limits)
        result["layers"] = layers
        if write is not None:
            write(result, Submission(student, name, Path(path)))
        pipe.send_bytes(json.dumps(result).encode())


def _lost(units: dict[str, Unit], one: Submission, reason: str) -> dict[str, Any]:
    unit = units[one.unit]
    return {
        "student": one.student, "unit": unit.name, "status": "ungradable",
        "reason": f"{reason}; grade it again, or by hand",
        "submission_sha256": "", "checks_sha256": unit.checks_sha256, "grader_version": "", "layers": [], "notes": [],
        "score": 0.0, "max_score": unit.max_points, "submitted": None, "exercises": [], "seconds": 0.0,
    }  # fmt: skip
