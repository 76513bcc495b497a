"""Keeps a second run out of a classroom, or of another course, while one is working in it."""

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
def exclusive(folder: Path, what: str) -> Iterator[None]:
    """Prepare the classroom, and keep other runs out of it (`locked`)."""
    prepare(folder)
    with locked(folder / WORKING, folder, what):
        yield


@contextmanager
def locked(path: Path, folder: Path, what: str) -> Iterator[None]:
    """Keep other runs out of a folder until the context or the process ends, by locking the file `path`.

    what: what this run grades, which another run's message names. Raises UserError if another run is working there, or
    if the file cannot be written.
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
        text = f"since {datetime.now():%H:%M}, process {os.getpid()} on {socket.gethostname()}: {what}\n"
        os.ftruncate(handle, 0)
        os.pwrite(handle, text.encode(errors="replace"), 0)
        yield
    finally:
        os.close(handle)


def _lock(handle: int, folder: Path) -> None:
    """Lock the file for this process alone: unlike with flock, a forked worker does not hold the lock, too.

    Raises UserError if another run has locked it, or if it cannot be locked.
    """
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError) as error:
        other = line(os.pread(handle, 500, 0).decode(errors="replace"), 200) or "it has just begun"
        raise UserError(
            f"{folder}: another run is working there ({other}). Nothing was changed; wait until it has "
            "ended, and run this command again"
        ) from error
    except OSError as error:
        raise UserError(
            f"{folder}: its disk cannot lock a file ({error.strerror}); use a folder on another disk"
        ) from error
