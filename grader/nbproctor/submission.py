"""What was handed in: where it lies, whose it is, and its bytes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nbproctor.notebook import NOTEBOOK_MOST_BYTES, Ungradable
from nbproctor.text import name_of


@dataclass(frozen=True)
class Submission:
    """One notebook handed in; `path` need not hold what it should.

    student: their id as text, which may differ from the folder's name where that is no text.
    submitted: when, ISO 8601, or "". refused: why it is not graded, or "".
    """

    student: str
    unit: str
    path: Path
    submitted: str = ""
    refused: str = ""


def notebook_bytes(one: Submission) -> bytes:
    """The bytes of the notebook. Raises Ungradable where it is no file that we may read, with the reason."""
    name = name_of(one.path)
    if one.refused:
        raise Ungradable(one.refused)
    if one.path.is_symlink():
        raise Ungradable(f"{name} is a link; links are not followed")
    if not one.path.is_file():
        raise Ungradable(f"{name} is not a file" if one.path.exists() else f"{name} is missing")
    size = one.path.stat().st_size
    if size > NOTEBOOK_MOST_BYTES:
        raise Ungradable(f"{name} has {size >> 20} MB, more than {NOTEBOOK_MOST_BYTES >> 20}")
    try:
        return one.path.read_bytes()
    except OSError as error:
        raise Ungradable(f"{name} cannot be read ({error.strerror})") from error
