"""Keeps copies of submitted files on disk, not in memory, until they are graded.

A submitted file is read once, and all later steps use this copy. The copies are in one file without a name, which
disappears with the process, however it ends. Forks of the process read from it, too.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import weakref
from dataclasses import dataclass, field

from nbproctor.errors import UserError
from nbproctor.values.text import many

FOLDER = "/var/tmp"  # noqa: S108 the names there are random; /tmp is in memory on many machines


def temporary_folder() -> str | None:
    """Return the folder for large temporary files; None for the default of `tempfile`."""
    return None if "TMPDIR" in os.environ or not os.access(FOLDER, os.W_OK) else FOLDER


def digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@dataclass(frozen=True)
class Copy:
    """The copy of some bytes that were read. digest: their SHA-256, 64 hexadecimal digits."""

    place: Copies = field(repr=False, compare=False)
    start: int = field(repr=False, compare=False)
    size: int
    digest: str

    def content(self) -> bytes:
        found = os.pread(self.place.number, self.size, self.start)
        if len(found) < self.size:
            raise EOFError(f"a copy of {many(self.size, 'byte')} ends after {len(found)}")
        return found


class Copies:
    """One nameless file of copies, which exists as long as any copy does. number: its handle; -1 before the first."""

    def __init__(self) -> None:
        self.number = -1
        self._end = 0

    def keep(self, content: bytes, digest: str = "") -> Copy:
        """Keep a copy of these bytes. digest: theirs, where it is known. Raises UserError if they cannot be written."""
        try:
            if self.number < 0:
                with tempfile.TemporaryFile(dir=temporary_folder()) as file:
                    self.number = os.dup(file.fileno())
                weakref.finalize(self, os.close, self.number)
            start = done = self._end
            while done < start + len(content):
                done += os.pwrite(self.number, memoryview(content)[done - start :], done)
        except OSError as error:
            folder = os.environ.get("TMPDIR", FOLDER)
            why = f"submitted files cannot be copied there for grading ({error.strerror})"
            raise UserError(f"{folder}: {why}; make room, or set TMPDIR to another folder") from error
        self._end = done
        return Copy(self, start, len(content), digest or digest_of(content))
