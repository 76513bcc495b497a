"""Starts the examiner of an assignment's strict checks (`nbproctor.exam.apart`), and asks it for verdicts.

It is another process: it imports torch, which this room does without, and it is ended where a check does not end.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from queue import Queue
from typing import Any

from nbproctor.anycourse import strict
from nbproctor.anycourse.kernels import Kernel
from nbproctor.anycourse.running import read_files
from nbproctor.anycourse.settings import Course
from nbproctor.anycourse.strict import CannotBeStrict, Marked
from nbproctor.anycourse.warm import Judge, Outputs
from nbproctor.border import frames
from nbproctor.errors import UserError
from nbproctor.run.zygote_process import import_path

START_S = 120.0  # for torch, and for the setup cells
END_S = 5.0
PATIENCE_S = 30.0  # beyond the time of a check, after which it ends by itself
NO_TORCH = (
    "strict checks need PyTorch, which carries their values from process to process: `pip install "
    "'PATH/grader[strict]'`, or take the tag `strict` away from {}"
)


class ExaminerGone(UserError):
    """The examiner's process has ended."""


class Examiner:
    """The examiner of one assignment. notebooks: those that have strict checks."""

    def __init__(self, notebooks: Mapping[str, Marked], ends: list[socket.socket]) -> None:
        self.notebooks = notebooks
        self._free: Queue[socket.socket] = Queue()
        for end in ends:
            self._free.put(end)

    def checks(self) -> tuple[str, ...]:
        """The strict checks, each with its notebook."""
        return tuple(f"{name}, {check}" for name, of in self.notebooks.items() for check in of.checks)

    def judge(self, notebook: str, cell: Any) -> Judge | None:
        """What computes the verdict on a cell, which gets the text of source/; None where it is no strict check.

        Whatever a configuration leaves of a student's own text, no line of it may come to the examiner.
        """
        of, name = self.notebooks.get(notebook), cell.metadata.get("nbgrader", {}).get("grade_id")
        if of is None or name not in of.checks:
            return None
        cell.source = of.checks[name]
        return partial(self._judge, {"notebook": notebook, "source": cell.source, "names": of.asks_for(cell.source)})

    def _judge(
        self, asked: Mapping[str, Any], channel: socket.socket, pidfd: int, seconds: float, count: int | None
    ) -> tuple[Outputs, bool]:
        end = self._free.get()
        try:
            socket.send_fds(end, [b"!"], [channel.fileno(), pidfd])
            frames.send(end, {**asked, "seconds": seconds, "count": count})
            answer, _ = frames.receive(end, time.monotonic() + seconds + PATIENCE_S)
        except (OSError, EOFError, frames.FrameError) as error:
            end.close()  # an answer that comes later would be taken for another check's
            words = f"the process that computes strict verdicts ended ({error or 'without a word'}); grade again"
            raise ExaminerGone(words) from error
        finally:
            self._free.put(end)
        return answer["outputs"], answer["gone"]


def examiner_of(
    course: Course, assignment: str, asked: Mapping[str, Kernel], workers: int, stack: ExitStack
) -> Examiner | None:
    """Start the examiner of an assignment; None where it has no strict check. asked: the kernel of each notebook.

    Raises CannotBeStrict.
    """
    notebooks = strict.marked(course, assignment)
    if not notebooks:
        return None
    for name, of in notebooks.items():
        if name in asked and not asked[name].is_own:
            raise CannotBeStrict(
                f"{of.place}: it asks for the kernel {asked[name].name}, and a strict check is for notebooks in the "
                "Python that nbproctor is installed in; name that kernel, or take the tag `strict` from its checks"
            )
    if find_spec("torch") is None:
        raise CannotBeStrict(NO_TORCH.format(f"the checks of {assignment}"))
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="nbproctor-")))
    for name, (mode, data) in read_files(course.files(course.source(assignment))).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
        (folder / name).chmod(mode)
    ends = _started(folder, workers, stack)
    said = _first_words(ends[0], {name: of.setup for name, of in notebooks.items()})
    for name, of in notebooks.items():
        if why := said["stopped"].get(name):
            raise CannotBeStrict(
                f"{of.place}: its cells tagged `setup` stop in the examiner ({why[:200]}); such a cell needs "
                "nothing of others: mend it, install here what it imports, or take the tag `strict` from the checks"
            )
        of.refuse(said["names"][name])
    return Examiner(notebooks, ends)


def _started(folder: Path, workers: int, stack: ExitStack) -> list[socket.socket]:
    pairs = [socket.socketpair() for _ in range(workers)]
    process = subprocess.Popen(  # noqa: S603 our own command
        [sys.executable, "-P", "-m", "nbproctor.exam.apart", *(str(theirs.fileno()) for _, theirs in pairs)],
        pass_fds=[theirs.fileno() for _, theirs in pairs],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is for us; this process ends when its sockets are closed
        env={
            **os.environ,
            "OMP_NUM_THREADS": "1",
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": import_path(),
            "MPLBACKEND": "agg",
        },
    )
    stack.callback(_end, process)
    for ours, theirs in pairs:
        theirs.close()
        stack.callback(ours.close)
    return [ours for ours, _ in pairs]


def _end(process: subprocess.Popen[bytes]) -> None:
    """Wait for the end of a process whose sockets are closed; kill it, and its forks, where it is held up."""
    try:
        process.wait(END_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _first_words(end: socket.socket, setups: Mapping[str, str]) -> dict[str, Any]:
    try:
        frames.send(end, {"setups": setups})
        return frames.receive(end, time.monotonic() + START_S)[0]
    except (OSError, EOFError, frames.FrameError) as error:
        raise ExaminerGone(f"the examiner did not start ({error or 'see above'})") from error
