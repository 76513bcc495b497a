"""Keeps a second run out of a classroom while one is working in it."""

from __future__ import annotations

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from nbproctor.classroom.records import prepare
from nbproctor.errors import UserError
from nbproctor.values.text import line

WORKING = Path("results", ".working")  # locked while a run works in the classroom; says which run it is


@contextmanager
def alone(folder: Path, what: str) -> Iterator[None]:
    """Prepare the classroom, and keep other runs out of it until the context ends, or the process, however it ends.

    what: the units and students of this run, for the message to another one. Raises UserError where another run is
    working there, and where the folders cannot be written.
    """
    prepare(folder)
    handle = os.open(folder / WORKING, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        try:
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)  # unlike flock's, no forked worker holds it, too
        except (BlockingIOError, PermissionError) as error:
            other = line(os.pread(handle, 500, 0).decode(errors="replace"), 200) or "it has only just begun"
            raise UserError(
                f"{folder}: another run is working in this classroom ({other}). Nothing was changed; wait until it "
                "has ended, and give this command again"
            ) from error
        told = f"since {datetime.now():%H:%M}, process {os.getpid()} on {socket.gethostname()}: {what}\n"
        os.ftruncate(handle, 0)
        os.pwrite(handle, told.encode(errors="replace"), 0)
        yield
    finally:
        os.close(handle)
