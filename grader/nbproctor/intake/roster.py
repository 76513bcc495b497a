"""Reads the class list that a learning system exports, and finds the student to whom a file belongs.

`titles.toml` says which column a title stands for, in English and in other languages. A list without enough known
titles is refused, and the message lists its titles. The first of these columns that is not empty gives the id:

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
* A university's own: the number of the student, with names and an address.

Spreadsheets write these with commas, semicolons or tabs, in UTF-8, UTF-16 or Windows' own encoding. All are read.

A number in a file's name is looked up only in the column of the system that gave the number. If the number belongs to
one student and the name in the file to another, the name wins. If neither settles it, the file is given to no student.
"""

import codecs
import csv
import io
import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from nbproctor.errors import UserError
from nbproctor.intake.system import NO_SYSTEM, System
from nbproctor.paths import PACKAGE
from nbproctor.values.grades import Student
from nbproctor.values.text import Clean, clean, line

ID_LONGEST = 128  # characters: what nbgrader's gradebook takes
ROSTER_MOST_BYTES = 64 << 20
IDS = (
    "sis login id", "sis user id", "username", "id number", "orgdefinedid", "sid", "student id", "id", "email address"
)  # fmt: skip
_MORE_IDS = ("lms user id", "identifier")
_COLUMNS = tuple(column for column in (*IDS, *_MORE_IDS) if column != "identifier")
_DELIMITERS = ",;\t"
_PARTICIPANT = re.compile(r"[^\W\d_][^\W\d_/ -]{3}[^\d@]*(?=\d+$)")  # stands before Moodle's number of a participant
# A column without a known title is recognised by its cells, each of which looks like this.
_IDENTIFIER, _ADDRESS = re.compile(_PARTICIPANT.pattern + r"\d+"), re.compile(r"\S+@\S+")
_NAME = re.compile(r"[^\W\d_][^\d@]*")
_NO_STUDENT = ("points possible", "student, test")
# Accents of Latin, Greek and Cyrillic letters, and the vowel points that Hebrew and Arabic mostly leave out.
_ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]")
_HAND = "id, first_name, last_name, email; grader/docs/class.md lists the titles that are understood"
_SPREADSHEETS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # the first bytes of .xlsx and .ods, and of .xls


class RosterError(UserError):
    """The roster cannot be used; the message says why, and what was expected."""


@dataclass(frozen=True)
class Person:
    """The person to whom a file belongs, as far as its name says.

    own: their id unless a roster says otherwise. ids: numbers and addresses that may identify them. name: theirs, in
    the file's name. system: the one that gave the number, the first of the ids; NO_SYSTEM for a folder's name.
    """

    own: str
    ids: tuple[str, ...] = ()
    name: str = ""
    system: System = NO_SYSTEM

    @property
    def number(self) -> str:
        return self.ids[0] if self.ids else ""


Students = frozenset[Clean]
NOBODY: Students = frozenset()


@dataclass(frozen=True)
class Roster:
    """The students of a class. Several students may share one name or cell.

    by_id: student ids by (column, cell); the column "" holds the ids themselves. by_name: student ids by name.
    words: the words of each student's names. people: each student with their name and address, for the gradebook.
    """

    by_id: Mapping[tuple[str, str], Students] = field(default_factory=dict)
    by_name: Mapping[str, Students] = field(default_factory=dict)
    words: Mapping[Clean, frozenset[str]] = field(default_factory=dict)
    people: Mapping[Clean, Student] = field(default_factory=dict)

    def student(self, person: Person) -> Clean | None:
        """Return the id of the person; None if the roster does not have them, or does not settle who they are."""
        owners = self._owners(person)
        named = self.by_name.get(name_key(person.name), NOBODY)
        alike = frozenset(one for one in owners if not self._unlike(one, person)) if len(owners) == 1 else NOBODY
        return next(filter(None, map(_only, (*self._sure(person), owners & named, named, alike))), None)

    def knows(self, person: Person) -> bool:
        """Whether anything in the roster fits this person, though it may fit others, too."""
        return bool(self._owners(person)) or name_key(person.name) in self.by_name

    def named_in_path(self, parts: Sequence[str]) -> Clean | None:
        """Return the only student whose id or address, or else whose whole name, is in a path; else None."""
        words = [frozenset(_words(re.sub(r"[.()\[\]]", " ", part))) for part in parts]
        text = "/".join(composed(part).casefold() for part in parts)
        by_id = {
            owner
            for (column, key), owners in self.by_id.items()
            if column != "identifier" and (owner := _only(owners)) and _stands_in(key, text)
        }
        named = {student for student, name in self.words.items() if len(name) > 1 and any(name <= one for one in words)}
        found = _only(by_id or named)
        return found if not named or found in named else None

    def has_number(self, student: Clean, person: Person) -> bool:
        """Whether the roster gives the person's number, in the column of its system, to this student."""
        return student in self._owners(person)

    def _sure(self, person: Person) -> list[Students]:
        """Return the students found by a folder named after their id, or by an address: both count more than a name."""
        folders = [self._with(one, ("",)) for one in person.ids if one == person.name]
        return folders + [self._with(one, _COLUMNS) for one in person.ids if "@" in one]

    def _owners(self, person: Person) -> Students:
        columns = person.system.number_columns
        return NOBODY.union(*(self._with(one, _COLUMNS if columns is None else columns) for one in person.ids))

    def _with(self, one: str, columns: Iterable[str]) -> Students:
        return NOBODY.union(*(self.by_id.get((column, id_key(one)), NOBODY) for column in columns))

    def _unlike(self, student: Clean, person: Person) -> bool:
        """Whether the student has names, and none of their words is in the name that the file has."""
        key, words = name_key(person.name), self.words.get(student, frozenset())
        return bool(key and words) and person.name not in person.ids and not any(word in key for word in words)


def _only(students: Set[Clean]) -> Clean | None:
    return next(iter(students)) if len(students) == 1 else None


def _stands_in(key: str, text: str) -> bool:
    """Whether an id stands in a text as a word of its own, and is too long to stand there by chance."""
    if key not in text or len(key) < (5 if key.isdigit() else 3):
        return False
    return re.search(rf"(?<![^\W_]){re.escape(key)}(?![^\W_])", text) is not None


def student_id(text: str) -> Clean:
    """Return text from outside as an id that can be the name of a folder."""
    tidy = re.sub(r"[/\\\n\t]", "_", composed(text)).strip().lstrip(".")[:ID_LONGEST].strip()
    return clean(tidy or "unknown")


def composed(text: str) -> Clean:
    """`clean`, with each letter and its accents as one character. macOS writes them as several, for the same name."""
    return clean(unicodedata.normalize("NFC", text))


def id_key(text: str) -> str:
    """Return a key for an id, without its case, Brightspace's `#`, and characters that no folder's name can have."""
    return student_id(text.removeprefix("#")).casefold() if text.strip("# ") else ""


def name_key(name: str) -> str:
    """Return a key for a name, the same however it is written: "Müller, Zoë", "zoe muller" or "Zoë Müller".

    It keeps only letters and digits, without accents: Moodle leaves out ' and &, Canvas leaves out the blanks.
    """
    last, _, first = name.partition(",")
    return "".join(_words(f"{first} {last}"))


def _words(name: str) -> list[str]:
    """Return the words of a name in lower case without accents. Signs within a word are left out: O'Neil is oneil.

    The marks of Devanagari, Thai or kana are kept, since they are vowels and tell names apart.
    """
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", name).casefold()).replace("ı", "i")  # IŞIK is Işık
    kept = (
        "".join(sign for sign in word if sign.isalnum() or unicodedata.category(sign).startswith("M"))
        for word in re.split(r"[\s,_-]+", plain)
    )
    return [word for word in kept if word]


def read_table(path: Path) -> tuple[list[list[str]], str]:
    """Return the rows of a CSV, titles first and without blanks around cells, and its delimiter. Raises RosterError."""
    try:
        if path.stat().st_size > ROSTER_MOST_BYTES:
            raise RosterError(f"{path}: larger than {ROSTER_MOST_BYTES >> 20} MB; expected a CSV of the class")
        raw = path.read_bytes()
        if raw.startswith(_SPREADSHEETS):
            raise RosterError(f"{path}: a spreadsheet, and no CSV; open it, save it as CSV, and give that")
        decoded = _decoded(raw)
        text = clean(decoded, len(decoded))
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
    """Return the text of a file: UTF-16 if its first bytes say so, else UTF-8, else Windows-1252."""
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return raw.decode("utf-16")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("cp1252")


def _titles_known(text: str, delimiter: str) -> tuple[int, int]:
    """Return how many titles are known, and how many there are, if this delimiter separates them."""
    titles = next((row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if row), [])
    return sum(" ".join(_words(title)) in known_titles() for title in titles), len(titles)


@cache
def known_titles() -> Mapping[str, str]:
    """Return each title that is understood, as `columns_of` compares it -> the English title that it stands for."""
    table = tomllib.loads((PACKAGE / "intake" / "titles.toml").read_text(encoding="utf-8"))
    return {" ".join(_words(title)): meant for meant, others in table.items() for title in (meant, *others)}


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
        cells = _by_title(titles, row)
        raw = next((cells[column] for column in (*IDS, "identifier") if cells.get(column)), "")
        full = cells.get("full name", "")
        if not raw or full.casefold() in _NO_STUDENT:
            continue
        student = student_id(raw)
        ids = {column: cells[column] for column in (*IDS, *_MORE_IDS) if cells.get(column)}
        for column, cell in {"": student, **ids}.items():
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
        raise RosterError(
            f"{path}: no column holds a student's id. Found: {_listed(columns)}. Expected the gradebook of "
            f"Canvas, the participants or the grading worksheet of Moodle, the roster of Gradescope, or columns {_HAND}"
        )
    _refuse_unknown_names(path, columns, titles, rows)
    return Roster(by_id, by_name, words, people)


def _refuse_unknown_names(
    path: Path, columns: Sequence[str], titles: Sequence[str], rows: Sequence[Sequence[str]]
) -> None:
    """Raise RosterError if names stand under unknown titles: which is the first name must not be guessed.

    A column of names has mostly different cells without digits. A blind worksheet of Moodle's needs no names.
    """
    if {"first name", "last name"} <= {*titles} or {"full name", "identifier"} & {*titles}:
        return
    unknown = []
    for number, (column, title) in enumerate(zip(columns, titles, strict=True)):
        cells = [row[number] for row in rows if len(row) > number and row[number]]
        if not title and 2 * len({*cells}) > len(cells) and all(map(_NAME.fullmatch, cells)):
            unknown.append(column)
    if unknown:
        raise RosterError(
            f"{path}: the names stand under titles that are not known: {_listed(unknown)}. Expected columns "
            f"{_HAND}. Found: {_listed(columns)}"
        )


def _listed(columns: Iterable[str]) -> str:
    return line(", ".join(columns), 200) or "nothing"


def _by_title(titles: Sequence[str], row: Sequence[str]) -> dict[str, str]:
    """Return a row's cells by title. Two columns of last names are one name; of other equal titles the first counts."""
    found: dict[str, str] = {}
    for title, cell in zip(titles, row, strict=False):
        text = cell.removeprefix("#")
        if title == "last name" and found.get(title):
            found[title] = f"{found[title]} {text}".strip()
        elif title and not found.get(title):
            found[title] = text
    return found


def _person(student: Clean, cells: Mapping[str, str], full: str) -> Student:
    """Return a row's student with their names. Of "Doe, Jane" the last name comes first; other names stay whole."""
    first, last, email = (cells.get(column, "") for column in ("first name", "last name", "email address"))
    if full and not first and not last:
        last, _, first = full.partition(",")
    return Student(student, *(line(text, ID_LONGEST) for text in (first, last, email)))


def columns_of(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the English title of each column; "" if it is not known.

    Two kinds of columns are recognised by their cells, whatever their title: "Teilnehmer/in 123" in all of them is
    Moodle's number of a participant, and "@" an address, if a single column has it. Names never are.
    """
    found = [known_titles().get(" ".join(_words(title)), "") for title in titles]
    cells = [[row[n] for row in rows if len(row) > n and row[n]] for n in range(len(found))]

    def all_are(pattern: re.Pattern[str], n: int) -> bool:
        return bool(cells[n]) and all(map(pattern.fullmatch, cells[n]))

    # Moodle's worksheet may call this column "ID", too; a login in a column of that name has no blank.
    numbers = [
        n for n, title in enumerate(found)
        if all_are(_IDENTIFIER, n) and (not title or (title == "id" and all(" " in cell for cell in cells[n])))
    ]  # fmt: skip
    addresses = [n for n, title in enumerate(found) if not title and all_are(_ADDRESS, n)]
    if numbers and "identifier" not in found:
        found[numbers[0]] = "identifier"
    if len(addresses) == 1 and "email address" not in found:
        found[addresses[0]] = "email address"
    is_first, is_last = "first name" in found, "last name" in found
    name = "last name" if is_first and not is_last else "first name" if is_last and not is_first else "full name"
    return [name if title == "name" else title for title in found]
