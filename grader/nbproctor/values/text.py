"""Cleans text from outside: names of students and files, messages, printed output, sources.

Two types say how far a text is cleaned. A `Clean` text can be stored in every file and database: it has no control
characters, no half characters, and a limited length. A `Displayable` text can also be shown on a page or in a terminal:
characters that change the reading direction are spelled out. Only the functions of this module make these types (a test
checks that), and all code that stores or shows text requires them, so mypy finds a raw string. Our own text that quotes
a student's is made by the same functions: `line(f"{name} is a link")`. Whole files are written by `write_whole`.
"""

import csv
import hashlib
import io
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NewType

Clean = NewType("Clean", str)
Displayable = NewType("Displayable", Clean)
EMPTY = Displayable(Clean(""))
CsvCell = str | float | None  # None is an empty cell

LONGEST = 1_000_000  # characters of one text; a notebook's cell may have no more
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_TURNING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")  # these turn the reading direction
_FORMULA = tuple("=+-@\t\r＝＋－＠")  # noqa: RUF001 - a spreadsheet reads the wide ones like the others
_CELL = re.compile(r"""([;\t])(?=[\s"]*[=+\-@＝＋－＠])""")  # noqa: RUF001 - a separator before a formula


def clean(text: str, most: int = LONGEST) -> Clean:
    """Return the first `most` characters, with U+FFFD for lone surrogates and control characters (not newline, tab)."""
    return Clean(_UNPRINTABLE.sub("\ufffd", text[:most].replace("\r\n", "\n").replace("\r", "\n")))


def line(text: str, most: int = 300) -> Clean:
    """Return the text cleaned and on one line. If it is too long, it is cut between two words and ends in "…"."""
    one_line = " ".join(clean(text, min(LONGEST, 4 * most + 1)).split())
    if len(one_line) <= most:
        return Clean(one_line)
    cut = one_line[: most - 1]
    words = cut.rpartition(" ")[0] if one_line[most - 1] != " " else cut
    return Clean(f"{words if len(words) > most // 2 else cut}…")


def many(number: float, one: str, more: str = "") -> str:
    """Return a number with its noun: "1 notebook", "2.5 points". more: the plural if it is not `one` with an s."""
    digits = number if isinstance(number, int) else f"{number:g}"
    return f"{digits} {one if number == 1 else more or f'{one}s'}"


def joined(sentences: Iterable[str]) -> str:
    """Return sentences as one line, joined by semicolons instead of full stops."""
    *most, last = [*sentences] or [""]
    return "; ".join([*(one.rstrip().removesuffix(".") for one in most), last])


def name_of(path: Path) -> Clean:
    """Return a file's or folder's name as text, even if its bytes are not UTF-8; then they are Windows-1252."""
    raw = os.fsencode(path.name)
    try:
        decoded = raw.decode("utf-8")
    except UnicodeDecodeError:
        decoded = raw.decode("cp1252", "replace")
    return Clean(clean(decoded, 255).replace("\n", "\ufffd").replace("\t", "\ufffd"))


def name_below(folder: Path, path: Path) -> Clean:
    """Return a path below a folder as text, with `/` between its parts."""
    return Clean("/".join(name_of(Path(part)) for part in path.relative_to(folder).parts))


def displayable(text: str, most: int = LONGEST) -> Displayable:
    """Return the text cleaned, with characters that change the reading direction spelled out: ⟦U+202E⟧."""
    return Displayable(Clean(_TURNING.sub(lambda found: f"⟦U+{ord(found[0]):04X}⟧", clean(text, most))))


def formula_safe(text: str) -> Clean:
    """Return a cleaned CSV cell that no spreadsheet runs as a formula: a quote stands before the start of one.

    If the comma is the decimal sign, Excel splits a row at semicolons, even inside quotes; other programs at tabs.
    """
    cleaned = Clean(_CELL.sub(r"\1'", clean(text)))
    return Clean(f"'{cleaned}") if cleaned.lstrip(" \n").startswith(_FORMULA) else cleaned


def csv_text(table: Iterable[Iterable[CsvCell]], delimiter: str = ",") -> str:
    """Return a table as CSV (RFC 4180), with no cell that a spreadsheet would run as a formula."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter)
    for row in table:
        writer.writerow([formula_safe(value) if isinstance(value, str) else value for value in row])
    return text.getvalue()


def student_folder(folder: Path, student: Clean, unit: str) -> Path:
    """Make folder/STUDENT/UNIT if it is missing, and return it. Raises ValueError if STUDENT is no plain name."""
    if (
        student in ("", ".", "..")
        or re.search(r"[/\\\x00-\x1f]", student)
        or len(student.encode(errors="replace")) > 255
    ):
        raise ValueError(f"{student[:40]!r} cannot be the name of a folder; rename the one in submitted/")
    path = folder / student / unit
    path.mkdir(parents=True, exist_ok=True)
    return path


def digest_of(content: bytes) -> str:
    """Return the SHA-256 of some bytes, in 64 hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file atomically, in folders made for it: it is complete or unchanged whenever the run is stopped."""
    # The temporary name is a short one: the file's own name with a suffix might be too long for the disk.
    partial = path.with_name(f".{os.getpid()}.partial")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        partial.write_bytes(content if isinstance(content, bytes) else content.encode())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
