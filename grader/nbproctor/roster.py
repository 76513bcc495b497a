"""Who is who: a class list as a learning system writes it, and how the name that a file bears finds its student.

Four kinds of CSV are known by their columns. In each, the first of these columns that has something in it is the id:

* Canvas's gradebook: SIS Login ID, SIS User ID, ID. `Student` is "Doe, Jane"; the row "Points Possible" is no student.
  https://nemogb-dev.github.io/nemogb-r/articles/detailed-canvas-export-info.html
* Moodle's participants, and its grading worksheet: Username, ID number, Email address. The worksheet's `Identifier` is
  "Participant 12345", the number that is in the names of the files.
  https://github.com/moodle/moodle/blob/main/mod/assign/gradingtable.php (col_recordid)
* Gradescope's roster: SID, Email.
  https://guides.gradescope.com/hc/en-us/articles/21926598776333-Adding-Students-and-Staff
* nbgrader's, and one made by hand: id, with first_name, last_name, email and lms_user_id, as `nbgrader db student
  import` reads them.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nbproctor.text import Clean, clean, line

ID_LONGEST = 128  # characters that nbgrader's gradebook takes
ROSTER_MOST_BYTES = 64 << 20
_IDS = ("sis login id", "sis user id", "username", "id number", "sid", "id", "email address", "email")
_MORE_IDS = ("lms user id", "identifier", "student id")
_NAMES = ("student", "full name", "name", "student name")
_FIRST, _LAST = ("first name", "firstname", "given name"), ("last name", "surname", "lastname", "family name")
_NO_STUDENT = ("points possible", "student, test")


class RosterError(Exception):
    """A roster that cannot be used; the message says why, and what was expected."""


@dataclass(frozen=True)
class Person:
    """Whose a file is, as its system says.

    ids: what may identify them, best first (a number, an address). name: as the file bears it. own: the id they get
    where no roster says otherwise.
    """

    own: str
    ids: tuple[str, ...] = ()
    name: str = ""


@dataclass(frozen=True)
class Roster:
    """Student ids by what identifies them; a name that two students share identifies nobody."""

    by_id: Mapping[str, Clean] = field(default_factory=dict)
    by_name: Mapping[str, Clean] = field(default_factory=dict)

    def student(self, person: Person) -> Clean | None:
        """The id of a person; None where they are not in the roster."""
        for one in person.ids:
            if found := self.by_id.get(one.casefold().strip()):
                return found
        return self.by_name.get(name_key(person.name))


def student_id(text: str) -> Clean:
    """Text from outside as an id that can be the name of a folder."""
    tidy = re.sub(r"[/\\\n\t]", "_", clean(text)).strip().lstrip(".")[:ID_LONGEST].strip()
    return clean(tidy or "unknown")


def name_key(name: str) -> str:
    """A name however it is written: "Doe, Jane", "Jane Doe" and Canvas's "doejane" are one."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    if "," in plain:
        last, _, first = plain.partition(",")
        plain = f"{first} {last}"
    return " ".join(re.findall(r"\w+", "".join(c for c in plain if not unicodedata.combining(c))))


def read_table(path: Path) -> list[list[str]]:
    """The rows of a learning system's CSV, its titles first, without blanks around a cell. Raises RosterError."""
    try:
        if path.stat().st_size > ROSTER_MOST_BYTES:
            raise RosterError(f"{path}: larger than {ROSTER_MOST_BYTES >> 20} MB; expected a CSV of the class")
        text = clean(path.read_bytes().decode("utf-8-sig", "replace"))
        return [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(text)) if row]
    except OSError as error:
        raise RosterError(f"{path}: cannot be read ({error.strerror}); expected a CSV of the class") from error
    except csv.Error as error:
        raise RosterError(f"{path}: not a CSV ({error})") from error


def read_roster(path: Path) -> Roster:
    """The roster in a CSV file. Raises RosterError."""
    columns, *rows = read_table(path) or [[]]
    by_id: dict[str, Clean] = {}
    names: dict[str, set[Clean]] = {}
    for row in rows:
        cells = {_column(title): cell for title, cell in zip(columns, row, strict=False)}
        student = next((cells[column] for column in _IDS if cells.get(column)), "")
        full = next((cells[column] for column in _NAMES if cells.get(column)), "")
        if not student or full.casefold() in _NO_STUDENT:
            continue
        student = student_id(student)
        for column in (*_IDS, *_MORE_IDS):
            if cells.get(column):
                by_id.setdefault(cells[column].removeprefix("Participant ").casefold(), student)
        for name in _names(cells, full):
            names.setdefault(name, set()).add(student)
    if not by_id:
        found = line(", ".join(columns), 200) or "nothing"
        raise RosterError(
            f"{path}: no column of it names a student's id. Found: {found}. Expected the gradebook of Canvas, "
            "the participants or the grading worksheet of Moodle, the roster of Gradescope, or columns id, first_name, "
            "last_name, email"
        )
    return Roster(by_id, {name: next(iter(who)) for name, who in names.items() if len(who) == 1})


def _column(title: str) -> str:
    return title.strip().strip("\ufeff").casefold().replace("_", " ")


def _names(cells: Mapping[str, str], full: str) -> set[str]:
    """The keys of a row's name: as it stands, and as Canvas runs "Doe, Jane" together."""
    first = next((cells[column] for column in _FIRST if cells.get(column)), "")
    last = next((cells[column] for column in _LAST if cells.get(column)), "")
    found = {name_key(full), name_key(f"{first} {last}")}
    sortable = full if "," in full else f"{last}, {first}" if last or first else ""
    found.add(re.sub(r"\W", "", sortable).casefold())
    return found - {""}
