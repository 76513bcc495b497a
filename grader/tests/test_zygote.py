"""The warm process: a student whom nobody ends does not live for ever."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import sys
from pathlib import Path

from nbproctor.control import ask
from nbproctor.inside import zygote

# It forgets its children after half a second instead of five minutes, and warms up nothing: nobody calls torch.
PROGRAM = """
import socket, sys
from nbproctor.inside import zygote
zygote.LIFETIME_S = zygote.LOOK_S = 0.5
zygote.warm_up = lambda: None
zygote.serve([socket.socket(fileno=int(sys.argv[1]))], None)
"""


def test_a_student_whom_nobody_ends_is_killed_after_a_while(tmp_path: Path) -> None:
    """A worker that hangs, or was stopped, leaves its student; five minutes are more than a submission may take."""
    assert 60 < zygote.LIFETIME_S <= 600
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [sys.executable, "-c", PROGRAM, str(theirs.fileno())]
    process = subprocess.Popen(command, pass_fds=[theirs.fileno()], cwd=tmp_path)  # noqa: S603 it leaves a folder there
    channel, students = socket.socketpair()
    try:
        theirs.close()
        assert ours.recv(1000)  # it is ready
        answer, (pidfd,) = ask(ours, {"op": "fork", "cores": list(os.sched_getaffinity(0))}, students.fileno())
        students.close()
        assert select.select([pidfd], [], [], 120)[0], f"student {answer['pid']} is still there"
        os.close(pidfd)
        assert ask(ours, {"op": "reap", "pid": answer["pid"]})[0]["status"] == -9
    finally:
        process.kill()
        process.wait()
        ours.close()
        channel.close()
