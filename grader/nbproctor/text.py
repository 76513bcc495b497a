"""The border for text that came from outside: names of students and files, messages, printed output, sources.

Two types say how far a text has come. `Clean` is one that every file and database can hold: no control characters, no
half characters, no more than it may have. `Shown` is one that a page or a terminal may show as well: what would turn
the reading direction is spelled out. Only the functions of this module make them (a test holds that), and whatever is
stored or shown asks for them, so mypy finds the raw string that would slip past. Text of our own that quotes theirs is
made by the same functions: `line(f"{name} is a link")`. Whole files are written by `write_whole`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NewType

Clean = NewType("Clean", str)
Shown = NewType("Shown", Clean)
EMPTY = Shown(Clean(""))

LONGEST = 1_000_000  # characters of one text; what a notebook's cell may hold at most
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_TURNING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")  # turn the order in which text is read
_FORMULA = tuple("=+-@\t\r＝＋－＠")  # noqa: RUF001 - a spreadsheet reads the wide ones alike
_CELL = re.compile(r"""([;\t])(?=[\s"]*[=+\-@＝＋－＠])""")  # noqa: RUF001 - where one that splits there begins a formula


def clean(text: str, most: int = LONGEST) -> Clean:
    """The first `most` characters, control characters (but newline, tab) and lone surrogates as U+FFFD."""
    return Clean(_UNPRINTABLE.sub("\ufffd", text[:most].replace("\r\n", "\n").replace("\r", "\n")))


def line(text: str, most: int = 300) -> Clean:
    """`clean`, in one line."""
    return Clean(" ".join(clean(text, most).split()))


def name_of(path: Path) -> Clean:
    """A file's or folder's name as text, also one whose bytes are not UTF-8, or that holds a newline.

    Such bytes are read as an older Windows or a network drive wrote them: two names stay two, and are those of people.
    """
    raw = os.fsencode(path.name)
    try:
        decoded = raw.decode("utf-8")
    except UnicodeDecodeError:
        decoded = raw.decode("cp1252", "replace")
    return Clean(clean(decoded, 255).replace("\n", "\ufffd").replace("\t", "\ufffd"))


def shown(text: str, most: int = LONGEST) -> Shown:
    """`clean`, with the characters that turn the reading direction spelled out."""
    return Shown(Clean(_TURNING.sub(lambda found: f"⟦U+{ord(found[0]):04X}⟧", clean(text, most))))


def formula_safe(text: str) -> Clean:
    """A CSV cell that no spreadsheet runs: `clean`, with a quote in front of what would begin a formula.

    Excel splits a row at semicolons where the comma is the decimal sign, whatever stands in quotes; some split at tabs.
    """
    cleaned = Clean(_CELL.sub(r"\1'", clean(text)))
    return Clean(f"'{cleaned}") if cleaned.lstrip(" \n").startswith(_FORMULA) else cleaned


def student_folder(folder: Path, student: Clean, unit: str) -> Path:
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
