"""Lets the sessions on one machine tell one another what checks have heard, where they are no forks of one process.

They share a file in memory for each run and unit, in a folder that only this user can open; a student's process sees
another folder in its place. Each session holds a lock on the files that it uses. So a session that starts, or a worker
that ends, can tell which files are left over, and remove them.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nbproctor.exam.conversation import Log

IN_MEMORY = Path("/dev/shm")  # noqa: S108 `_folder` checks the folder in it before it is used


@contextmanager
def logs_of_run(run: str, units: Iterable[str]) -> Iterator[dict[str, Log]]:
    """For each unit, the log that all sessions of this run on this machine share; none where no folder is private.

    run: a name that no other run has.
    """
    from nbproctor.exam.conversation import Log  # here, since it imports torch, which a dask worker can do without

    sweep()
    with ExitStack() as stack:
        logs = {}
        with suppress(OSError):  # without a log, each session asks for itself, which only costs time
            for unit in units:
                name = hashlib.sha256(f"{run} {unit}".encode()).hexdigest()
                logs[unit] = stack.enter_context(closing(Log(_opened(_folder() / name))))
        yield logs


def _opened(path: Path) -> int:
    """Open the file and lock it as in use. Returns the handle, which holds the lock. Raises OSError."""
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        fcntl.flock(handle, fcntl.LOCK_SH)
        if os.fstat(handle).st_nlink:
            return handle
        os.close(handle)  # another session removed the file before it was locked


def sweep() -> None:
    """Remove the files that no session uses any more, such as those of a run that has ended or was killed."""
    with suppress(OSError):
        for path in _folder().iterdir():
            with suppress(OSError), path.open("rb") as file:  # a session uses the file, or removes it
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink()


def _folder() -> Path:
    """The folder of this user's logs. Raises OSError where others may open it, or have made it."""
    above = IN_MEMORY if IN_MEMORY.is_dir() else Path(tempfile.gettempdir())
    folder = above / f"nbproctor-{os.geteuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
        raise PermissionError(f"{folder} is not a folder of this user's alone")
    return folder
