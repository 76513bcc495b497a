"""Results on disk, each written whole the moment it exists, so that no accident costs what was graded.

`results/UNIT/STUDENT.json` holds the last result of one submission, whichever run it comes from: report and pages are
made from all of them. Its key is made of all that it rests on: whose it is, the bytes of the notebook and of the files
beside it, the unit's two notebooks, the grader's code, what is installed with it, the limits and the sandbox's
layers. So a run that was killed goes on where it was, a repeated run grades nothing twice, and what changes is graded
again.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from urllib.parse import quote

from nbproctor.course import Unit
from nbproctor.limits import Limits
from nbproctor.result import Result
from nbproctor.submission import HandedIn
from nbproctor.text import write_whole

NAME_BYTES = 200  # of a file's name that stands for a student


@dataclass(frozen=True)
class Store:
    """The results below `folder`. `fresh` says that nothing stored is believed: all is graded again, and kept."""

    folder: Path
    fresh: bool = False

    def get(self, student: str, unit: str, key: str) -> Result | None:
        """The result of this submission, where it rests on what `key` stands for; None where there is no such."""
        if self.fresh:
            return None
        result = _read(self.path(student, unit))
        return result if result and (result.student, result.unit, result.key) == (student, unit, key) else None

    def put(self, result: Result) -> None:
        """Keep a result; it takes the place of the submission's last one. Raises OSError where it cannot be written."""
        path = self.path(result.student, result.unit)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps(result.to_json()))

    def all(self) -> list[Result]:
        """The last result of every submission, by unit and file; a damaged file, or another's, is passed over."""
        found = ((path, _read(path)) for path in sorted(self.folder.glob("*/*.json")))
        return [result for path, result in found if result and path == self.path(result.student, result.unit)]

    def path(self, student: str, unit: str) -> Path:
        """`UNIT/STUDENT.json`; what no file's name may hold is percent-encoded, and a name too long is cut."""
        name = "".join(c if c.isprintable() and c not in "%/" else quote(c, "", errors="replace") for c in student)
        if len(name.encode()) > NAME_BYTES:
            name = name.encode()[:NAME_BYTES].decode(errors="ignore") + hashlib.sha256(name.encode()).hexdigest()[:16]
        return self.folder / unit / f"{name}.json"


def _read(path: Path) -> Result | None:
    try:
        return Result.from_json(json.loads(path.read_bytes()))
    except (OSError, ValueError, RecursionError):
        return None


def key_of(
    student: str, handed: HandedIn, unit: Unit, limits: Limits, layers: tuple[str, ...], packages: str = ""
) -> str:
    """The name for all that a result rests on, 64 hexadecimal digits; `packages` are this machine's unless told."""
    files = repr([(file.name, hashlib.sha256(file.content).hexdigest()) for file in handed.files] + [handed.left_out])
    packages = packages or installed_packages()
    texts = (student, files, unit.fingerprint, grader_fingerprint(), repr(limits), repr(layers), packages)
    parts = (handed.notebook, *(text.encode(errors="replace") for text in texts))
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


@cache
def installed_packages() -> str:
    """Changes when a package is installed, removed or exchanged for another version: an answer may import it.

    By the names of the folders that tell of them, versions included: to read what is in them takes a hundred times as
    long, a third of a second.
    """
    found = set[str]()
    for folder in sys.path:
        if os.path.basename(folder) in ("site-packages", "dist-packages"):  # not where somebody happens to stand
            with suppress(OSError):
                found.update(name for name in os.listdir(folder) if name.endswith((".dist-info", ".egg-info")))
    return hashlib.sha256(repr(sorted(found)).encode()).hexdigest()


@cache
def grader_fingerprint() -> str:
    """Changes when a line of the grader changes, or a library that computes verdicts."""
    digest = hashlib.sha256(f"{platform.python_version()} torch {version('torch')} numpy {version('numpy')}".encode())
    for path in sorted(Path(__file__).parent.glob("**/*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
