"""The warm process: no student's process lives for ever, nor does any process that a student has started."""

import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from nbproctor.border.messages import Reap, Reaped
from nbproctor.runner.zygote import Control, Process

# A zygote that checks its students often, and warms up nothing, since no test calls torch. Each of its students starts
# another process, and waits.
PROGRAM = """
import os, socket, sys, time
from nbproctor.border.sandbox import Bounds
from nbproctor.inside import zygote
def serve(end):
    child = os.fork()
    if child:
        end.send(str(child).encode())
    while True:
        time.sleep(60)
zygote.LOOK_S = 0.2
zygote.serve([socket.socket(fileno=int(sys.argv[1]))], None, serve, Bounds())
"""


Warm = tuple[Control, subprocess.Popen[bytes]]


@pytest.fixture
def warm(tmp_path: Path) -> Iterator[Warm]:
    """A zygote without the sandbox, in a process of its own, and the socket to it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [sys.executable, "-c", PROGRAM, str(theirs.fileno())]
    process = subprocess.Popen(command, pass_fds=[theirs.fileno()], cwd=tmp_path)  # noqa: S603 `cwd`, as it leaves a folder there
    theirs.close()
    control = Control(ours)
    assert control.ready() == ""
    yield control, process
    control.close()
    process.wait(timeout=60)


@pytest.fixture
def control(warm: Warm) -> Control:
    return warm[0]


def hired(control: Control, lifetime_s: float) -> tuple[int, int, int]:
    """Start a student. Returns its pid, a pidfd of it, and the pid of the process that it has started."""
    process = Process(control, lifetime_s)
    with process.channel as channel:
        return process.pid, process.pidfd, int(channel.recv(100))


def status(control: Control, pid: int) -> int | None:
    return control.ask(Reap(pid), Reaped)[0].status


def ended(pidfd: int, within_s: float) -> bool:
    return bool(select.select([pidfd], [], [], within_s)[0])


def test_a_student_whom_nobody_ends_is_killed_when_its_time_is_up(control: Control) -> None:
    patient, still, _ = hired(control, 1_000.0)
    pid, pidfd, _ = hired(control, 0.5)
    assert ended(pidfd, 120), f"student {pid} is still there"
    assert status(control, pid) == -9
    time.sleep(1.0)  # in which the zygote checks its students a few times
    assert not ended(still, 0) and status(control, patient) is None
    os.close(pidfd)
    os.close(still)


# A class without the sandbox, in which a student's code has started a process. The program prints its pid, and waits.
UNSAFE = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's `&` makes it deaf
from nbproctor.run import session
from nbproctor.exam.proxies import Student
from nbproctor.border.messages import CellRun, Run
from nbproctor.runner.zygote import zygote_started
with zygote_started(1, False) as zygote:
    session.get_ready([])
    zygote.wait_until_ready()
    student = Student(zygote.controls[0].fork(300.0))
    student.line.deadline = time.monotonic() + 120.0
    student.ask(Run("import subprocess\\nprint(subprocess.Popen(['sleep', '1000']).pid)"), CellRun)
    print("".join(student.line.printed), flush=True)
    time.sleep(1000)
"""


@pytest.mark.parametrize("end", ["Ctrl-C", "SIGKILL"])
def test_what_students_started_ends_with_a_class_that_is_stopped_without_the_sandbox_too(end: str) -> None:
    """Ctrl-C goes to all processes of the terminal's group; the zygote is not in it, and can end the others."""
    command = [sys.executable, "-c", UNSAFE]
    quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, **quiet, start_new_session=True) as grader:  # noqa: S603 our own command
        assert grader.stdout
        pidfd = os.pidfd_open(int(grader.stdout.readline()))
        if end == "Ctrl-C":
            os.killpg(grader.pid, signal.SIGINT)
        else:
            grader.kill()
        over = ended(pidfd, 60)
        if not over:
            signal.pidfd_send_signal(pidfd, signal.SIGKILL)
    os.close(pidfd)
    assert over, "what the student had started is still there"
