"""Results on disk, each written whole the moment it exists, so that no accident costs what was graded.

`results/KEY.json` holds one result. The key is made of all that the result rests on: whose it is, the bytes of the
notebook and of the files beside it, the unit's two notebooks, the grader's code, the limits and the sandbox's layers.
So a run that was killed goes on where it was, a repeated run grades nothing twice, and what changes is graded again.
"""

from __future__ import annotations

import hashlib
import json
import platform
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

from nbproctor.course import Unit
from nbproctor.limits import Limits
from nbproctor.result import Result
from nbproctor.submission import HandedIn
from nbproctor.text import write_whole


@dataclass(frozen=True)
class Store:
    """The results below `folder`. `fresh` says that nothing stored is believed: all is graded again, and kept."""

    folder: Path
    fresh: bool = False

    def get(self, key: str) -> Result | None:
        """The result under `key`; None where there is none, or where its file is damaged."""
        if self.fresh:
            return None
        try:
            result = Result.from_json(json.loads((self.folder / f"{key}.json").read_bytes()))
        except (OSError, ValueError, RecursionError):
            return None
        return result if result.key == key else None

    def put(self, result: Result) -> None:
        """Keep a result under its key. Raises OSError where it cannot be written."""
        self.folder.mkdir(parents=True, exist_ok=True)
        write_whole(self.folder / f"{result.key}.json", json.dumps(result.to_json()))


def key_of(student: str, handed: HandedIn, unit: Unit, limits: Limits, layers: tuple[str, ...]) -> str:
    """The name for all that a result rests on, 64 hexadecimal digits."""
    files = repr([(file.name, hashlib.sha256(file.content).hexdigest()) for file in handed.files] + [handed.left_out])
    texts = (student, files, unit.fingerprint, _grader(), repr(limits), repr(layers))
    parts = (handed.notebook, *(text.encode(errors="replace") for text in texts))
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


@cache
def _grader() -> str:
    """Changes when a line of the grader changes, or a library that computes verdicts."""
    digest = hashlib.sha256(f"{platform.python_version()} torch {version('torch')} numpy {version('numpy')}".encode())
    for path in sorted(Path(__file__).parent.glob("**/*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
