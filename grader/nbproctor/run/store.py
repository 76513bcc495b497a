"""Keeps results on disk. Each is written the moment it exists, whole or not at all, so that no accident loses it.

`results/UNIT/STUDENT.json` holds the last result of one submission, whichever run it comes from; the report and the
pages are made from all of them. A result's key is a hash of all that the result depends on: the student, the bytes of
the notebook and of the files beside it, the unit's two notebooks, the grader's code, the installed packages, the limits
and whether there was a sandbox. So a run that was killed goes on from where it was, a repeated run grades nothing
twice, and a submission is graded again when any of these has changed.
"""

import hashlib
import json
import os
import platform
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from urllib.parse import quote

from nbproctor.course.units import Unit
from nbproctor.paths import PACKAGE
from nbproctor.values.limits import Limits
from nbproctor.values.result import Result
from nbproctor.values.submission import HandedIn
from nbproctor.values.text import write_whole

DECIDING = ("border", "course", "exam", "inside", "runner", "source", "values")  # what decides a verdict
NAME_BYTES = 200  # of a student's id in a file's name; a longer one is cut


@dataclass(frozen=True)
class Store:
    """The results below `folder`. fresh: whether to ignore those that are stored, so that all is graded again."""

    folder: Path
    fresh: bool = False

    def get(self, student: str, unit: str, key: str) -> Result | None:
        """The stored result of this submission; None where there is none with this key, or where `fresh` is set."""
        if self.fresh:
            return None
        result = _read(self.path(student, unit))
        return result if result and (result.student, result.unit, result.key) == (student, unit, key) else None

    def put(self, result: Result) -> None:
        """Store a result instead of the submission's last one. Raises OSError where it cannot be written."""
        write_whole(self.path(result.student, result.unit), result.encoded())

    def all_but(self, known: Iterable[Result]) -> list[Result]:
        """The last results of all submissions but these, sorted by unit and file.

        Damaged and misplaced files are left out.
        """
        paths = {*self.folder.glob("*/*.json")} - {self.path(result.student, result.unit) for result in known}
        found = ((path, _read(path)) for path in sorted(paths))
        return [result for path, result in found if result and path == self.path(result.student, result.unit)]

    def path(self, student: str, unit: str) -> Path:
        """The file `UNIT/STUDENT.json`. What file names may not contain is percent-encoded, and long names are cut."""
        name = "".join(c if c.isprintable() and c not in "%/" else quote(c, "", errors="replace") for c in student)
        if len(name.encode()) > NAME_BYTES:
            name = name.encode()[:NAME_BYTES].decode(errors="ignore") + hashlib.sha256(name.encode()).hexdigest()[:16]
        return self.folder / unit / f"{name}.json"


def _read(path: Path) -> Result | None:
    try:
        return Result.from_json(json.loads(path.read_bytes()))
    except (OSError, ValueError, RecursionError):
        return None


def key_of(student: str, handed: HandedIn, unit: Unit, limits: Limits, sandboxed: bool) -> str:
    """A hash of all that a result depends on, in 64 hexadecimal digits.

    What is installed counts on this machine alone, so that a result from a worker of dask is found here again.
    """
    files = repr([(file.name, file.digest) for file in handed.files] + [handed.left_out])
    how = repr((limits, sandboxed))
    texts = (student, handed.digest, files, unit.fingerprint, grader_fingerprint(), how, installed_packages())
    parts = (hashlib.sha256(text.encode(errors="replace")).digest() for text in texts)
    return hashlib.sha256(b"".join(parts)).hexdigest()


@cache
def installed_packages() -> str:
    """A hash that changes when a package is installed, removed or replaced by another version: an answer may import it.

    It is made of the names of the packages' metadata folders, which contain the versions. Reading the metadata itself
    takes a hundred times as long, a third of a second.
    """
    found = set[str]()
    for folder in sys.path:
        if os.path.basename(folder) in ("site-packages", "dist-packages"):  # not the current folder
            with suppress(OSError):
                found.update(name for name in os.listdir(folder) if name.endswith((".dist-info", ".egg-info")))
    return hashlib.sha256(repr(sorted(found)).encode()).hexdigest()


@cache
def grader_fingerprint() -> str:
    """A hash that changes when the code changes that decides verdicts, or a library that computes them.

    A typo fixed in the command line, or on a page, grades nobody again.
    """
    return fingerprint_of(DECIDING, f"torch {version('torch')} numpy {version('numpy')}")


def fingerprint_of(packages: Iterable[str], more: str = "") -> str:
    """A hash of this Python's version, of the code of these packages of ours, and of `more`."""
    digest = hashlib.sha256(f"{platform.python_version()} {more}".encode())
    for path in sorted(path for package in packages for path in PACKAGE.glob(f"{package}/*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
