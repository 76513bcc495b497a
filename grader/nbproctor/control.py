"""A worker's end of its control socket: what it asks of the zygote, and how it learns that there is none any more.

The other end, and what may be asked, is in `inside.zygote`.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
from typing import Any


class ZygoteGone(Exception):
    """The zygote does not answer any more: no student can be graded with it."""


def tell_setup(control: socket.socket, source: str) -> str:
    """Have the zygote read a unit's setup cell. Returns the name by which students know it. Raises ZygoteGone."""
    with os.fdopen(os.memfd_create("setup"), "wb") as file:
        file.write(source.encode())
        file.flush()
        file.seek(0)
        name: str = ask(control, {"op": "setup"}, file.fileno())[0]["name"]
    return name


def ask(control: socket.socket, request: dict[str, Any], *handles: int) -> tuple[dict[str, Any], list[int]]:
    """Ask the zygote, as a worker. Its answers to a worker that died before it read them are thrown away.

    Raises ZygoteGone where it does not answer.
    """
    nonce = secrets.token_hex(8)
    try:
        socket.send_fds(control, [json.dumps({**request, "nonce": nonce}).encode()], handles)
    except OSError as error:
        raise ZygoteGone(str(error)) from error
    while True:
        try:
            words, found, _, _ = socket.recv_fds(control, 1000, 1)
        except OSError as error:
            raise ZygoteGone(str(error)) from error
        if not words:
            raise ZygoteGone("it has closed its socket")
        answer: dict[str, Any] = json.loads(words)
        if answer.get("nonce") == nonce:
            return answer, found
        for handle in found:
            os.close(handle)
