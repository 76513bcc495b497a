"""Runs a session in a process of its own, for a worker that must not be forked: a dask worker, which has threads.

Run as `python -m nbproctor.run.session_process FD`. Over the socket the worker sends the course, and then one
submission after the other. The process answers with what keeps it from starting, or with nothing, and then with one
result after the other, all as JSON.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection

from nbproctor.border.sandbox import LayerMissing, die_with_parent
from nbproctor.course.units import Unit
from nbproctor.run.session import Session, become_examiner, free_core, get_ready, lost, patience_s
from nbproctor.runner.zygote import GraderError, ZygoteGone, import_path, zygote_started
from nbproctor.values.limits import Limits
from nbproctor.values.result import Result
from nbproctor.values.submission import HandedIn
from nbproctor.values.text import Clean

START_S = 300.0  # for Python, torch and the zygote, on a machine that is busy


@dataclass(frozen=True)
class Course:
    """What a session grades, and how, as plain data that can be sent to another machine."""

    units: Mapping[str, Unit]
    limits: Limits
    sandboxed: bool


class SessionProcess:
    """A session process. Where it dies, hangs or loses its zygote, a new one takes its place.

    Only one thread may have submissions graded; another may call `end` meanwhile.
    """

    def __init__(self, course: Course) -> None:
        self._course, self._over = course, False
        self._turn = threading.Lock()
        self._running: tuple[Connection, subprocess.Popen[bytes]] | None = None

    def grade(self, student: Clean, unit: str, handed: HandedIn, key: str) -> Result:
        """The result of one submission, whatever happens to the process that grades it. Raises what `ready` raises."""
        for _ in range(2):
            pipe = self.ready()
            try:
                pipe.send((student, unit, handed, key))
                in_time = pipe.poll(patience_s(self._course.limits))
                if in_time:
                    return Result.decoded(pipe.recv_bytes())
            except (EOFError, OSError):  # it has died, or its zygote has: a new one tries the submission once more
                in_time = True
            self._stop()
            if not in_time:
                return lost(self._course.units[unit], student, "the process that graded it did not end in time")
        return lost(self._course.units[unit], student, "the process that graded it ended twice before it was done")

    def end(self) -> None:
        """End the process for good, and with it its zygote and whatever it was grading.

        The pipe is not closed here, since another thread may be reading from it, and the handle's number could be given
        to another file meanwhile. That thread finds the pipe's end, and closes it.
        """
        with self._turn:
            self._over = True
            if self._running:
                _kill(self._running[1])

    def ready(self) -> Connection:
        """Return the connection to a process that can grade; where there is none, start it and wait.

        Raises GraderError where it cannot start, and says why.
        """
        with self._turn:
            if self._running:
                return self._running[0]
            if self._over:  # else a worker that was grading when the run was stopped would leave a process behind
                raise GraderError("the run has ended")
            try:
                self._running = pipe, _ = _started()
            except OSError as error:
                raise GraderError(f"no process can be started there ({error.strerror})") from error
        try:
            pipe.send(self._course)
            trouble = json.loads(pipe.recv_bytes()) if pipe.poll(START_S) else "it hangs"
        except (EOFError, OSError):
            trouble = "it died"
        if trouble:
            self._stop()
            raise GraderError(trouble)
        return pipe

    def _stop(self) -> None:
        with self._turn:
            if self._running:
                _kill(self._running[1])
                self._running[0].close()
            self._running = None


def _started() -> tuple[Connection, subprocess.Popen[bytes]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        process = subprocess.Popen(  # noqa: S603 our own command
            [sys.executable, "-m", "nbproctor.run.session_process", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": import_path()},
        )
        return Connection(ours.detach()), process


def _kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def main() -> None:
    """Grade the submissions that come through the socket, until it is closed or the zygote ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the client handles Ctrl-C
    die_with_parent()  # even while it grades: nobody would read the result
    pipe = Connection(int(sys.argv[1]))
    course: Course = pipe.recv()
    try:
        with zygote_started(1, course.sandboxed) as zygote, free_core() as core:
            get_ready(course.units.values())
            zygote.wait_until_ready()
            become_examiner(core)
            session = Session(course.units, zygote.controls[0], course.limits, zygote.layers)
            pipe.send_bytes(json.dumps("").encode())
            while True:
                result = session.grade(*pipe.recv())
                pipe.send_bytes(result.encoded())
    except (LayerMissing, GraderError) as error:
        pipe.send_bytes(json.dumps(str(error)).encode())


if __name__ == "__main__":
    with suppress(EOFError, ConnectionError, ZygoteGone):  # the worker has gone, or starts another process
        main()
