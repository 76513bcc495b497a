"""The border for text that came from outside: names of students and files, messages, printed output, sources.

`clean` makes of anything a text that every file, database, page and terminal can hold; `shown` also spells out what
would turn the reading direction; `formula_safe` is for spreadsheets. Whole files are written by `write_whole`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

LONGEST = 1_000_000  # characters of one text; what a notebook's cell may hold at most
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_TURNING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")  # turn the order in which text is read
_FORMULA = tuple("=+-@\t\r＝＋－＠")  # noqa: RUF001 - a spreadsheet reads the wide ones alike


def printable(text: str) -> str:
    """Text that any file and terminal can hold: control characters (but newline, tab) and lone surrogates as U+FFFD."""
    return _UNPRINTABLE.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))


def clean(text: str, most: int = LONGEST) -> str:
    """`printable`, and no longer than `most` characters."""
    return printable(text[:most])


def line(text: str, most: int = 300) -> str:
    """`clean`, in one line."""
    return " ".join(clean(text, most).split())


def name_of(path: Path) -> str:
    """A file's or folder's name as text, also one whose bytes are not UTF-8, or that holds a newline."""
    decoded = os.fsencode(path.name).decode("utf-8", "replace")
    return printable(decoded).replace("\n", "\ufffd").replace("\t", "\ufffd")[:255]


def shown(text: str) -> str:
    """Text from a student as a page may hold it: characters that turn the reading direction are spelled out."""
    return _TURNING.sub(lambda found: f"⟦U+{ord(found[0]):04X}⟧", printable(text))


def formula_safe(text: str) -> str:
    """A CSV cell that no spreadsheet runs: a quote in front of what would begin a formula."""
    text = printable(text)
    return f"'{text}" if text.lstrip(" \n").startswith(_FORMULA) else text


def student_folder(folder: Path, student: str, unit: str) -> Path:
    """folder/STUDENT/UNIT, made where it is missing. Raises ValueError where STUDENT would lead elsewhere."""
    if (
        student in ("", ".", "..")
        or re.search(r"[/\\\x00-\x1f]", student)
        or len(student.encode(errors="replace")) > 255
    ):
        raise ValueError(f"{student[:40]!r} cannot be the name of a folder; rename the one in submitted/")
    path = folder / student / unit
    path.mkdir(parents=True, exist_ok=True)
    return path


def write_whole(path: Path, text: str) -> None:
    """Write UTF-8 text so that the file is there whole or not at all, whenever the run is stopped."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
