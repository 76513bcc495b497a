"""Runs a session in a process of its own, for a worker that must not be forked: a dask worker, which has threads.

Run as `python -m nbproctor.run.session_process FD`. The worker sends JSON and the bytes of submissions over the socket:
first the course, then one submission after the other. The process answers with the sandbox's layers, or with what keeps
it from starting, and then with one result after the other.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from typing import Any

from nbproctor.border.control import ZygoteGone
from nbproctor.border.sandbox import LayerMissing, libc
from nbproctor.course.units import Unit
from nbproctor.run.session import lost, patience_s, session_running
from nbproctor.run.zygote_process import GraderError, import_path
from nbproctor.values.limits import Limits
from nbproctor.values.result import Result
from nbproctor.values.submission import File, HandedIn
from nbproctor.values.text import Clean, clean

DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
START_S = 300.0  # for Python, torch and the zygote, on a machine that is busy


@dataclass(frozen=True)
class Course:
    """What a session grades, and how, as plain data that can be sent to another machine.

    packages: what is installed on the machine that keeps the results. It is a part of each result's key, so that the
    result is found there, whatever else the worker's machine has installed.
    """

    units: Mapping[str, Unit]
    limits: Limits
    sandboxed: bool
    packages: str = ""

    def to_bytes(self) -> bytes:
        units = [unit.to_json() for unit in self.units.values()]
        data = {"units": units, "limits": asdict(self.limits), "sandboxed": self.sandboxed, "packages": self.packages}
        return json.dumps(data, sort_keys=True).encode()

    @classmethod
    def from_bytes(cls, raw: bytes) -> Course:
        data = json.loads(raw)
        units = [Unit.from_json(unit) for unit in data["units"]]
        by_name = {unit.name: unit for unit in units}
        return cls(by_name, Limits(**data["limits"]), data["sandboxed"], data["packages"])


class SessionProcess:
    """A running session process. Where it dies, hangs or loses its zygote, a new one takes its place.

    Only one thread may have submissions graded; another may call `end` meanwhile.
    """

    def __init__(self, course: bytes) -> None:
        self._raw, self._course, self._over = course, Course.from_bytes(course), False
        self._turn = threading.Lock()
        self._pipe, self._process = self._start()
        self._layers: tuple[str, ...] | None = None

    def _start(self) -> tuple[Connection, subprocess.Popen[bytes]]:
        ours, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(  # noqa: S603 our own command
                [sys.executable, "-m", "nbproctor.run.session_process", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": import_path()},
            )
        pipe = Connection(ours.detach())
        with suppress(OSError):  # the process has died already; `layers` will report it
            pipe.send_bytes(self._raw)
        return pipe, process

    def layers(self) -> tuple[str, ...]:
        """The sandbox's layers, once the session is ready. Raises GraderError where it cannot start, and says why."""
        if self._layers is None:
            try:
                said = json.loads(self._pipe.recv_bytes()) if self._pipe.poll(START_S) else {"trouble": "it hangs"}
            except (EOFError, OSError):
                said = {"trouble": "it died"}
            if "trouble" in said:
                raise GraderError(said["trouble"])
            self._layers = tuple(said["layers"])
        return self._layers

    def ready(self) -> None:
        """Wait until the session can grade. If the first process fails, try a second. Raises what `layers` raises."""
        try:
            self.layers()
        except GraderError:  # the process may have been killed by chance
            self._replace()
            self.layers()

    def grade(self, student: Clean, unit: str, handed: HandedIn) -> Result:
        """The result of one submission, whatever happens to the process that grades it."""
        for _ in range(2):
            try:
                self.layers()
                _send(self._pipe, student, unit, handed)
                if not self._pipe.poll(patience_s(self._course.limits)):
                    return self._lost(student, unit, "the process that graded it did not end in time")
                answer = json.loads(self._pipe.recv_bytes())
            except (EOFError, OSError):
                return self._lost(student, unit, "the process that graded it ended before it was done")
            except GraderError as error:
                return self._lost(student, unit, f"the sandbox did not start ({error})")
            if answer is not None:
                return Result.from_json(answer)
            self._replace()  # the session's zygote has died: a new session tries the submission once more
        return self._lost(student, unit, "the sandbox ended twice while this was graded")

    def _lost(self, student: Clean, unit: str, reason: str) -> Result:
        self._replace()
        return lost(self._course.units[unit], student, reason)

    def _replace(self) -> None:
        with self._turn:
            self._kill()
            self._pipe.close()
            self._layers = None
            if not self._over:  # else a worker that was grading when the run was stopped would leave a process behind
                self._pipe, self._process = self._start()

    def end(self) -> None:
        """End the process for good, and with it its zygote and whatever it was grading.

        The pipe is not closed here, since another thread may be reading from it, and the handle's number could be given
        to another file meanwhile. That thread finds the pipe's end, and closes it.
        """
        with self._turn:
            self._over = True
            self._kill()

    def _kill(self) -> None:
        self._process.kill()
        self._process.wait()


def _send(pipe: Connection, student: Clean, unit: str, handed: HandedIn) -> None:
    head = {"student": student, "unit": unit, "files": [f.name for f in handed.files], "left_out": handed.left_out}
    pipe.send_bytes(json.dumps(head).encode())
    for content in (handed.notebook, *(file.content for file in handed.files)):
        pipe.send_bytes(content)


def _received(pipe: Connection) -> tuple[Clean, str, HandedIn]:
    head: dict[str, Any] = json.loads(pipe.recv_bytes())
    notebook = pipe.recv_bytes()
    files = tuple(File(name, pipe.recv_bytes()) for name in head["files"])
    return clean(head["student"]), head["unit"], HandedIn(notebook, files, tuple(map(clean, head["left_out"])))


def main() -> None:
    """Grade the submissions that come through the socket, until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the client handles Ctrl-C
    libc.prctl(DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)  # even while it grades: nobody would read the result
    pipe = Connection(int(sys.argv[1]))
    course = Course.from_bytes(pipe.recv_bytes())
    try:
        with session_running(course.units, course.limits, course.sandboxed) as session:
            session.packages = course.packages
            pipe.send_bytes(json.dumps({"layers": session.layers}).encode())
            while True:
                student, unit, handed = _received(pipe)
                try:
                    answer = session.grade(student, unit, handed).to_json()
                except ZygoteGone:
                    answer = None
                pipe.send_bytes(json.dumps(answer).encode())
    except (EOFError, ConnectionError):
        pass  # the worker has gone, so this process ends, too
    except (LayerMissing, GraderError) as error:
        pipe.send_bytes(json.dumps({"trouble": str(error)}).encode())


if __name__ == "__main__":
    main()
