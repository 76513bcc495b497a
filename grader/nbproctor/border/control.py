"""A worker's end of its control socket: sends requests to the zygote, and notices when the zygote is gone.

The zygote's end is in `inside.zygote`, which also says what requests there are.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
from typing import Any


class ZygoteGone(Exception):
    """The zygote no longer answers, so no student can be graded with it."""


class SetupStopped(Exception):
    """The instructor's setup cell does not run on this machine; the message says what stopped it."""


def tell_setup(control: socket.socket, source: str) -> None:
    """Have the zygote run a unit's setup cell, which students' processes then know by its `cell_name`.

    Raises ZygoteGone, and SetupStopped where the cell does not come to its end.
    """
    with os.fdopen(os.memfd_create("setup"), "wb") as file:
        file.write(source.encode())
        file.flush()
        file.seek(0)
        answer, _ = ask(control, {"op": "setup"}, file.fileno())
    if "stopped" in answer:
        raise SetupStopped(answer["stopped"])


def ask(control: socket.socket, request: dict[str, Any], *handles: int) -> tuple[dict[str, Any], list[int]]:
    """Send the zygote a request with open file descriptors, and return its answer and the descriptors in it.

    Answers to an earlier worker that died before it could read them are thrown away. Raises ZygoteGone where the zygote
    does not answer.
    """
    nonce = secrets.token_hex(8)
    try:
        socket.send_fds(control, [json.dumps({**request, "nonce": nonce}).encode()], handles)
    except OSError as error:
        raise ZygoteGone(str(error)) from error
    while True:
        try:
            words, found, _, _ = socket.recv_fds(control, 4000, 1)
        except OSError as error:
            raise ZygoteGone(str(error)) from error
        if not words:
            raise ZygoteGone("it has closed its socket")
        answer: dict[str, Any] = json.loads(words)
        if answer.get("nonce") == nonce:
            return answer, found
        for handle in found:
            os.close(handle)
