"""Keeps a second run out of a classroom, or of another course, while one is working in it."""

from __future__ import annotations

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from nbproctor.classroom.records import prepare
from nbproctor.errors import UserError
from nbproctor.values.text import line

WORKING = Path("results", ".working")  # locked while a run works in the classroom; says which run it is


@contextmanager
def alone(folder: Path, what: str) -> Iterator[None]:
    """Prepare the classroom, and keep other runs out of it (`locked`)."""
    prepare(folder)
    with locked(folder / WORKING, folder, what):
        yield


@contextmanager
def locked(path: Path, folder: Path, what: str) -> Iterator[None]:
    """Keep other runs out of a folder until the context ends, or the process, however it ends.

    path: the file to lock. what: what this run grades, for the message to another one. Raises UserError where another
    run is working there, and where the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise UserError(f"{path}: cannot write there ({error.strerror}); allow writing") from error
    try:
        _lock(handle, folder)
        with suppress(PermissionError):  # it is somebody else's
            os.fchmod(handle, 0o666)  # so that a second instructor can lock it, too
        told = f"since {datetime.now():%H:%M}, process {os.getpid()} on {socket.gethostname()}: {what}\n"
        os.ftruncate(handle, 0)
        os.pwrite(handle, told.encode(errors="replace"), 0)
        yield
    finally:
        os.close(handle)


def _lock(handle: int, folder: Path) -> None:
    """Lock the file for this process alone: unlike flock's lock, no worker that it forks holds it, too.

    Raises UserError where another run has locked it, or where it cannot be locked.
    """
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError) as error:
        other = line(os.pread(handle, 500, 0).decode(errors="replace"), 200) or "it has only just begun"
        raise UserError(
            f"{folder}: another run is working there ({other}). Nothing was changed; wait until it has "
            "ended, and give this command again"
        ) from error
    except OSError as error:
        raise UserError(f"{folder}: its disk cannot lock a file ({error.strerror}); use a folder on another") from error
