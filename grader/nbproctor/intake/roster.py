"""Reads the class list that a learning system exports, and finds the student to whom a file belongs.

Five kinds of CSV are recognised by their columns. In each, the first of these columns that is not empty gives the id:

* Canvas's gradebook: SIS Login ID, SIS User ID, ID. `Student` is "Doe, Jane"; the row "Points Possible" is no student.
  https://nemogb-dev.github.io/nemogb-r/articles/detailed-canvas-export-info.html
* Moodle's participants, and its grading worksheet: Username, ID number, Email address. The worksheet's `Identifier` is
  "Participant 12345", the number that is in the names of the files.
  https://github.com/moodle/moodle/blob/main/mod/assign/gradingtable.php (col_recordid)
* Brightspace's "Export" of grades: Username, OrgDefinedId, both with a `#` in front.
* Gradescope's roster: SID, Email.
  https://guides.gradescope.com/hc/en-us/articles/21926598776333-Adding-Students-and-Staff
* nbgrader's, and one made by hand: id, with first_name, last_name, email and lms_user_id, as `nbgrader db student
  import` reads them.

Spreadsheets write these with commas, semicolons or tabs, in UTF-8, UTF-16 or Windows' own encoding. All are read.

A number in a file's name is looked up only in the column of the system that gave the number. Where the number belongs
to one student and the name in the file to another, the name is believed. Where neither settles it, the file is given to
no student.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nbproctor.errors import UserError
from nbproctor.values.grades import Student
from nbproctor.values.text import Clean, clean, line

ID_LONGEST = 128  # characters: what nbgrader's gradebook takes
ROSTER_MOST_BYTES = 64 << 20
_IDS = ("sis login id", "sis user id", "username", "id number", "orgdefinedid", "sid", "id", "email address", "email")
_MORE_IDS = ("lms user id", "identifier", "student id")
# The columns with the numbers that are in the names of files: Canvas's number of a user, Moodle's of a participant.
_OWN_COLUMNS: dict[str, tuple[str, ...]] = {
    "canvas": ("id", "lms user id"), "moodle": ("identifier",), "brightspace": (),
}  # fmt: skip
_COLUMNS = tuple(column for column in (*_IDS, *_MORE_IDS) if column != "identifier")
_NAMES = ("student", "full name", "name", "student name")
_FIRST, _LAST = ("first name", "firstname", "given name"), ("last name", "surname", "lastname", "family name")
_TITLES = {*_IDS, *_MORE_IDS, *_NAMES, *_FIRST, *_LAST}
_DELIMITERS = ",;\t"
_PARTICIPANT = re.compile(r"[^\W\d_][^\W\d_/ -]{3}[^\d@]*(?=\d+$)")  # stands before Moodle's number of a participant
# What each cell of a column looks like, where Moodle's titles are in another language.
_IDENTIFIER, _ADDRESS = re.compile(_PARTICIPANT.pattern + r"\d+"), re.compile(r"\S+@\S+")
_NAME, _ID_NUMBER = re.compile(r"[^\W\d_][^\d@]*"), re.compile(r"[^\s@]*\d[^\s@]*")
_NO_STUDENT = ("points possible", "student, test")
# Accents of Latin, Greek and Cyrillic letters, and the vowel points without which Hebrew and Arabic are mostly written.
_ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]")
_SPREADSHEETS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # the first bytes of .xlsx and .ods, and of .xls


class RosterError(UserError):
    """The roster cannot be used; the message says why, and what was expected."""


@dataclass(frozen=True)
class Person:
    """The person to whom a file belongs, as the learning system tells it.

    own: the id that they get where no roster says otherwise.
    ids: what may identify them (a number, an address).
    name: their name as it stands in the file's name.
    system: the system that gave the number among the ids, where only its own columns of a roster hold such numbers: a
    key of _OWN_COLUMNS.
    """

    own: str
    ids: tuple[str, ...] = ()
    name: str = ""
    system: str = ""


Students = frozenset[Clean]
NOBODY: Students = frozenset()


@dataclass(frozen=True)
class Roster:
    """The students of a class, by what identifies them. Several students may share one name or cell.

    by_id: student ids by (column, cell); the column "" holds the ids themselves. by_name: student ids by name.
    words: the words of each student's names. people: each student with their name and address, for the gradebook.
    """

    by_id: Mapping[tuple[str, str], Students] = field(default_factory=dict)
    by_name: Mapping[str, Students] = field(default_factory=dict)
    words: Mapping[Clean, frozenset[str]] = field(default_factory=dict)
    people: Mapping[Clean, Student] = field(default_factory=dict)

    def student(self, person: Person) -> Clean | None:
        """The id of the person; None where the roster does not have them, or does not settle who they are."""
        owners = self._owners(person)
        named = self.by_name.get(name_key(person.name), NOBODY)
        alike = frozenset(one for one in owners if not self._unlike(one, person)) if len(owners) == 1 else NOBODY
        for found in (*self._sure(person), owners & named, named, alike):
            if len(found) == 1:
                return next(iter(found))
        return None

    def knows(self, person: Person) -> bool:
        """Whether something in the roster fits this person, though it may fit others, too."""
        return bool(self._owners(person)) or name_key(person.name) in self.by_name

    def on_the_way(self, parts: Sequence[str]) -> Clean | None:
        """The one student whose id or address, or else whose whole name, is in a path; None for none, or for several.

        An id counts where it is too long to stand there by chance.
        """
        words = [frozenset(_words(re.sub(r"[.()\[\]]", " ", part))) for part in parts]
        text = "/".join(composed(part).casefold() for part in parts)
        by_id = {
            next(iter(owners))
            for (column, told), owners in self.by_id.items()
            if column != "identifier" and len(owners) == 1 and _stands_in(told, text)
        }
        named = {student for student, name in self.words.items() if len(name) > 1 and any(name <= one for one in words)}
        found = by_id or named
        return next(iter(found)) if len(found) == 1 and (not named or found <= named) else None

    def has_number(self, student: Clean, person: Person) -> bool:
        """Whether the roster gives the person's number, in the column of its system, to this student."""
        return student in self._owners(person)

    def _sure(self, person: Person) -> list[Students]:
        """The students found by what counts more than a name: a folder called like a student's id, or an address."""
        folders = [self._with(one, ("",)) for one in person.ids if one == person.name]
        return folders + [self._with(one, _COLUMNS) for one in person.ids if "@" in one]

    def _owners(self, person: Person) -> Students:
        columns = _OWN_COLUMNS.get(person.system, _COLUMNS)
        return NOBODY.union(*(self._with(one, columns) for one in person.ids))

    def _with(self, one: str, columns: Iterable[str]) -> Students:
        return NOBODY.union(*(self.by_id.get((column, id_key(one)), NOBODY) for column in columns))

    def _unlike(self, student: Clean, person: Person) -> bool:
        """Whether the student has names, and none of their words is in the name that the file has."""
        key, words = name_key(person.name), self.words.get(student, frozenset())
        return bool(key and words) and person.name not in person.ids and not any(word in key for word in words)


def _stands_in(told: str, text: str) -> bool:
    """Whether an id stands in a text as a word of its own, and is too long to stand there by chance."""
    if told not in text or len(told) < (5 if told.isdigit() else 3):
        return False
    return re.search(rf"(?<![^\W_]){re.escape(told)}(?![^\W_])", text) is not None


def student_id(text: str) -> Clean:
    """Makes text from outside an id that can be the name of a folder."""
    tidy = re.sub(r"[/\\\n\t]", "_", composed(text)).strip().lstrip(".")[:ID_LONGEST].strip()
    return clean(tidy or "unknown")


def composed(text: str) -> Clean:
    """`clean`, with each letter and its accents as one character. macOS writes them as several, for the same name."""
    return clean(unicodedata.normalize("NFC", text))


def id_key(text: str) -> str:
    """A key that is equal for two ids that differ only in case, or in characters that no folder's name can have.

    A `#` in front, which Brightspace writes before each id, is no part of it.
    """
    return student_id(text.removeprefix("#")).casefold() if text.strip("# ") else ""


def name_key(name: str) -> str:
    """A key for a name, the same however it is written: "Müller, Zoë", "zoe muller" or "Zoë Müller".

    It keeps only letters and digits, without accents: Moodle leaves out ' and &, Canvas leaves out the blanks.
    """
    last, _, first = name.partition(",")
    return "".join(_words(f"{first} {last}"))


def _words(name: str) -> list[str]:
    """The words of a name, in small letters without accents. Other signs within a word are left out: O'Neil is oneil.

    The marks of Devanagari, Thai or kana are kept. They are not accents but vowels and the like, without which
    different names would be equal.
    """
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", name).casefold()).replace("ı", "i")  # IŞIK is Işık
    kept = (
        "".join(sign for sign in word if sign.isalnum() or unicodedata.category(sign).startswith("M"))
        for word in re.split(r"[\s,_-]+", plain)
    )
    return [word for word in kept if word]


def read_table(path: Path) -> tuple[list[list[str]], str]:
    """The rows of a learning system's CSV and its delimiter. Raises RosterError.

    The titles are the first row; blanks around cells are removed.
    """
    try:
        if path.stat().st_size > ROSTER_MOST_BYTES:
            raise RosterError(f"{path}: larger than {ROSTER_MOST_BYTES >> 20} MB; expected a CSV of the class")
        raw = path.read_bytes()
        if raw.startswith(_SPREADSHEETS):
            raise RosterError(f"{path}: a spreadsheet, and no CSV; open it, save it as CSV, and give that")
        text = clean(_decoded(raw))
        delimiter = max(_DELIMITERS, key=lambda one: _titles_known(text, one))  # the first among equals
        rows = csv.reader(io.StringIO(text), delimiter=delimiter)
        return [[cell.strip() for cell in row] for row in rows if row], delimiter
    except OSError as error:
        raise RosterError(f"{path}: cannot be read ({error.strerror}); expected a CSV of the class") from error
    except UnicodeDecodeError as error:
        raise RosterError(
            f"{path}: neither UTF-8 nor UTF-16 nor Windows' letters (byte {error.start}: {error.reason}); expected a "
            "CSV in UTF-8; save the list as that"
        ) from error
    except csv.Error as error:
        raise RosterError(f"{path}: not a CSV ({error})") from error


def _decoded(raw: bytes) -> str:
    """The text of a file: UTF-16 where its first bytes say so, else UTF-8, else what a Western Windows writes."""
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return raw.decode("utf-16")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("cp1252")


def _titles_known(text: str, delimiter: str) -> tuple[int, int]:
    """How many titles are known ones, and how many there are, if this delimiter separates them."""
    titles = next((row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if row), [])
    return sum(_column(title) in _TITLES for title in titles), len(titles)


def read_roster(path: Path) -> Roster:
    """Read the roster in a CSV file. Raises RosterError."""
    table, _ = read_table(path)
    columns, *rows = table or [[]]
    titles = columns_of(columns, rows)
    by_id: dict[tuple[str, str], Students] = {}
    by_name: dict[str, Students] = {}
    words: dict[Clean, frozenset[str]] = {}
    people: dict[Clean, Student] = {}
    for row in rows:
        cells = {title: cell.removeprefix("#") for title, cell in zip(titles, row, strict=False)}
        raw, full = _first_of((*_IDS, "identifier"), cells), _first_of(_NAMES, cells)
        if not raw or full.casefold() in _NO_STUDENT:
            continue
        student = student_id(raw)
        told = {column: cells[column] for column in (*_IDS, *_MORE_IDS) if cells.get(column)}
        for column, cell in {"": student, **told}.items():
            key = column, id_key(_PARTICIPANT.sub("", cell) if column == "identifier" else cell)
            by_id[key] = by_id.get(key, NOBODY) | {student}
        person = _person(student, cells, full)
        # As it is written, and with the last name first, as Canvas has it.
        first, last = person.first_name, person.last_name
        for name in (full, f"{first} {last}", f"{last} {first}", full.replace(",", " ")):
            if plain := name_key(name):
                by_name[plain] = by_name.get(plain, NOBODY) | {student}
            words[student] = words.get(student, frozenset()) | {word for word in _words(name) if len(word) > 1}
        people.setdefault(student, person)
    if not by_id:
        found = line(", ".join(columns), 200) or "nothing"
        raise RosterError(
            f"{path}: no column of it names a student's id. Found: {found}. Expected the gradebook of Canvas, "
            "the participants or the grading worksheet of Moodle, the roster of Gradescope, or columns id, first_name, "
            "last_name, email; titles in another language have to be put into English, in the first line"
        )
    return Roster(by_id, by_name, words, people)


def _person(student: Clean, cells: Mapping[str, str], full: str) -> Student:
    """Return a row's student with their names. Of "Doe, Jane" the last name comes first; other names stay whole."""
    first, last, email = (_first_of(columns, cells) for columns in (_FIRST, _LAST, ("email address", "email")))
    if full and not first and not last:
        last, _, first = full.partition(",")
    return Student(student, *(line(text, ID_LONGEST) for text in (first, last, email)))


def _first_of(columns: Iterable[str], cells: Mapping[str, str]) -> str:
    return next((cells[column] for column in columns if cells.get(column)), "")


def columns_of(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The title of each column as it is compared, with English ones for those of Moodle in another language.

    Such a column is known by its cells. "Teilnehmer/in 123" in all of them is Moodle's number of a participant, an "@"
    an address. To the left of the addresses stand the names, in one column or in the last two that have no digits, and
    a column without blanks that is different for everybody holds ids. Nothing is guessed where there is neither.
    """
    found = [_column(title) for title in titles]
    cells = [[row[n] for row in rows if len(row) > n and row[n]] for n in range(len(found))]

    def told(pattern: re.Pattern[str], end: int) -> list[int]:
        # Moodle's worksheet may call this column "ID", too; a login in a column of that name has no blank.
        is_number = [
            title == "id" and all(" " in cell for cell in column) for title, column in zip(found, cells, strict=True)
        ]
        unknown = (n for n in range(end) if found[n] not in _TITLES or (is_number[n] and pattern is _IDENTIFIER))
        return [n for n in unknown if cells[n] and all(map(pattern.fullmatch, cells[n]))]

    numbers, addresses = told(_IDENTIFIER, len(found))[:1], told(_ADDRESS, len(found))
    end = addresses[0] if len(addresses) == 1 else 0
    names = told(_NAME, end)
    new = dict.fromkeys(numbers, "identifier") | dict.fromkeys(addresses if end else [], "email address")
    if len(names) > 1:
        new |= {names[-2]: "first name", names[-1]: "last name"}
    elif names and any(" " in cell for cell in cells[names[0]]):
        new[names[0]] = "full name"
    ids = [n for n in (*names[:-2], *told(_ID_NUMBER, end)) if n not in new and len({*cells[n]}) == len(rows)]
    new |= {n: "username" for n in ids if not any(" " in cell for cell in cells[n])}
    if {"identifier", "full name", "last name"} & {*new.values()} and not {*new.values()} & {*found}:
        found = [new.get(n, title) for n, title in enumerate(found)]
    return found


def _column(title: str) -> str:
    return title.strip().strip("\ufeff").casefold().replace("_", " ")
