"""Where the sessions of one machine that are no forks of one process tell one another what checks have heard.

That is a file in memory for each run and unit, in a folder that nobody but this user can look into; a student's process
has another such folder of its own. Each session holds a lock on the files that it uses, so whoever comes next, or a
worker that goes, can tell which are left over.
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
    from nbproctor.conversation import Log

IN_MEMORY = Path("/dev/shm")  # noqa: S108 the folder in it is looked at before it is used


@contextmanager
def logs_of_run(run: str, units: Iterable[str]) -> Iterator[dict[str, Log]]:
    """For each unit the log that all sessions of this run share on this machine; none where no folder is private.

    run: a name that no other run has.
    """
    from nbproctor.conversation import Log  # here, since it imports torch, which a dask worker can do without

    sweep()
    with ExitStack() as stack:
        logs = {}
        with suppress(OSError):  # each hears for itself, then: that costs time, and nothing else
            for unit in units:
                name = hashlib.sha256(f"{run} {unit}".encode()).hexdigest()
                logs[unit] = stack.enter_context(closing(Log(_opened(_folder() / name))))
        yield logs


def _opened(path: Path) -> int:
    """A handle on the file, which is in use as long as somebody has one. Raises OSError."""
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        fcntl.flock(handle, fcntl.LOCK_SH)
        if os.fstat(handle).st_nlink:
            return handle
        os.close(handle)  # somebody swept it away before it was locked


def sweep() -> None:
    """Remove the files that no session uses any more, as after a run, or after somebody has killed its workers."""
    with suppress(OSError):
        for path in _folder().iterdir():
            with suppress(OSError), path.open("rb") as file:  # another sweeps, or a session uses it
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink()


def _folder() -> Path:
    """The folder of this user's logs. Raises OSError where it is not theirs alone."""
    above = IN_MEMORY if IN_MEMORY.is_dir() else Path(tempfile.gettempdir())
    folder = above / f"nbproctor-{os.geteuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
        raise PermissionError(f"{folder} is not a folder of this user's alone")
    return folder
