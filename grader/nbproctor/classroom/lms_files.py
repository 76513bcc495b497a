"""Writes scores for learning systems: CSV files as Canvas, Moodle and Brightspace import them.

Each file is made from the gradebook alone (`grades.Grades`), so it contains what was given by hand. A class list, as
the system exports it, says who is who in that system; without one a student's id is used as their login.

No spreadsheet can run a cell of text as a formula, and only comments span several lines. A login that begins with one
of = + - @ therefore gets a quote in front of it, and that student has to be matched by hand.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from nbproctor.classroom.export import Cell, csv_text, rounded
from nbproctor.intake.roster import RosterError, columns_of, id_key, read_table
from nbproctor.values.grades import Grades, Student, maxima
from nbproctor.values.text import line, many

CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
MOODLE = ("Username", "Email address", "First name", "Last name")
_MOODLE_IDS = {"username", "id number", "email address"}  # columns by which Moodle can find a person
_MOODLE_KNOWN = _MOODLE_IDS | {"first name", "last name"}
BRIGHTSPACE = ("orgdefinedid", "username")
_IDS = {"id", "sis user id", "sis login id", "username", "id number", "orgdefinedid", "email address", "sid",
        "student id"}  # fmt: skip
_MOODLE_FOLDER = re.compile(r"(?:^|/)(?P<folder>[^/_]+_(?P<number>\d+)_assignsubmission_file)(?=[_/]|$)")
_CANVAS_COLUMN = re.compile(r"(?P<title>.*?)\s*\((?P<number>\d+)\)\s*")  # an assignment: Homework 3 (123456)
_BRIGHTSPACE_COLUMN = re.compile(  # a grade item: Homework 3 Points Grade <Numeric MaxPoints:10 Weight:5>
    r"(?P<title>.+) Points Grade(?: <.*?\bMaxPoints:(?P<most>[\d.]+).*>| <.*>)?"
)


@dataclass(frozen=True)
class ClassList:
    """A learning system's own list of the class: its columns, and one row for each person.

    delimiter: the character between its cells; the file that is made from the list uses the same one.
    kinds: what each column is, by its title in English or by what it holds. most: column of an assignment -> the points
    that it has in the system. called: unit -> the title of its column, for units where the instructor has named one.
    """

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, str], ...]
    delimiter: str = ","
    kinds: Mapping[str, str] = field(default_factory=dict)
    most: Mapping[str, str] = field(default_factory=dict)
    called: Mapping[str, str] = field(default_factory=dict)

    def row(self, student: Student) -> Mapping[str, str] | None:
        """Return the row of this student; None where no column that identifies people has their id or address.

        An id that occurs in two rows identifies nobody.
        """
        known = {id_key(one) for one in (student.id, student.email, student.lms_user_id) if one}
        found = [
            row for row in self.rows if any(id_key(row[name]) in known for name in row if self.kinds[name] in _IDS)
        ]
        return found[0] if len(found) == 1 else None


NO_LIST = ClassList((), ())  # where the instructor has given none


def read_class_list(path: Path) -> ClassList:
    """Read a class list from a CSV file, as the learning system exported it.

    Raises RosterError where it cannot be read, or where no column identifies people.
    """
    found, delimiter = read_table(path)
    columns, *table = found or [[]]
    told = columns_of(columns, table)
    kinds = dict(zip(columns, told, strict=True))
    if not {*told} & _IDS:
        raise RosterError(
            f"{path}: no column says who is who. Found: {line(', '.join(columns), 200) or 'nothing'}. Expected the "
            "gradebook of Canvas, the participants of Moodle, or the grades that Brightspace exports; "
            "grader/docs/class.md lists the titles that are understood"
        )
    rows = [dict(zip(columns, row, strict=False)) for row in table]
    people = tuple(row for row in rows if any(row[name] for name in row if kinds[name] in _IDS))
    most = next((row for row in rows if row[columns[0]].casefold() == "points possible"), {})
    most |= {column: it["most"] for column in columns if (it := _BRIGHTSPACE_COLUMN.fullmatch(column)) and it["most"]}
    return ClassList(tuple(columns), people, delimiter, kinds, most)


@dataclass(frozen=True)
class LmsFile:
    """The text of a file for a learning system.

    left_out: the ids of students who are not in the file, since the class list does not have them. todo: one sentence
    for each thing that has to be done before the system reads the file as it is meant.
    """

    text: str
    left_out: tuple[str, ...] = ()
    todo: tuple[str, ...] = ()


def canvas(grades: Grades, students: Mapping[str, Student], known: ClassList) -> LmsFile:
    """Make the file that "Import" in Canvas's gradebook reads; `known` is the list that its "Export" wrote.

    Five columns identify the person; then comes one column for each unit. Its title is the unit's name, or, with
    `known`, the title and number of the assignment of that name, or of the one that the instructor has named. The row
    "Points Possible" comes first. Canvas finds a person by ID, then by SIS User ID, SIS Login ID and name, and an
    assignment by its number; it offers to create an assignment that it does not have. An empty cell means no score.
    Raises RosterError where two assignments have a unit's title.
    https://teaching.resources.osu.edu/toolsets/carmencanvas/guides/calculating-final-grades/import-csv-file-carmen-grades
    https://github.com/instructure/canvas-lms/blob/master/lib/gradebook_importer.rb (header?, parse_assignments,
    process_pp, process_student)
    """
    units = maxima(grades)
    titles = {unit: _column_of(unit, known) for unit in units}
    table: list[list[Cell]] = [[*CANVAS, *(titles[unit] or unit for unit in units)]]
    table.append(["    Points Possible", "", "", "", "", *map(rounded, units.values())])
    who, left_out = _people(students, known)
    for student, row in who:
        own = {"Student": student.name or student.id, "SIS Login ID": student.id}
        name, *ids = (line(row.get(column, own.get(column, ""))) for column in CANVAS)
        # A row with these words in its first cell would set the points of the assignments.
        table.append([name.replace("Points Possible", "Points-Possible"), *ids, *_scores(grades, student, units)])
    return LmsFile(csv_text(table, known.delimiter), left_out, tuple(_todo("Canvas", units, titles, known)))


def with_columns(known: ClassList, said: Sequence[str], units: Iterable[str]) -> ClassList:
    """Return the list with the columns that the instructor has named, each as `UNIT=TITLE` or `UNIT=NUMBER`.

    units: the units that have scores. Raises RosterError where there is no such unit, or not exactly one such column.
    """
    called = dict[str, str]()
    for one in said:
        unit, _, title = (part.strip() for part in one.partition("="))
        if unit not in units or not title:
            expected = "UNIT=COLUMN, such as '03_self_attention=Homework 3', with a unit that has scores"
            raise RosterError(f"--column {one!r}: expected {expected}: {', '.join(units)}")
        called[unit] = title
    named = replace(known, called=called)
    for unit, title in called.items():
        if not _column_of(unit, named):
            raise RosterError(f"--column: the roster has no assignment {title!r}. {_there(known)}")
    return named


def _column_of(unit: str, known: ClassList) -> str:
    """Return the column of the unit's assignment in the system's own list; "" where it has none.

    Raises RosterError where it has several.
    """
    title = known.called.get(unit, unit)
    found = {
        column: number
        for column, name, number in _assignments(known)
        if title.casefold() in (column.casefold(), name.casefold(), number)
    }
    if len(found) > 1:
        raise RosterError(
            f"the roster has {many(len(found), 'assignment')} called {title!r}: {line(', '.join(found), 200)}; say by "
            f"its number which is meant: --column {unit}={min(found.values())}"
        )
    return next(iter(found), "")


def _assignments(known: ClassList) -> list[tuple[str, str, str]]:
    """Return (column, title, number or "") of each assignment in a list of Canvas's or Brightspace's."""
    found = (_CANVAS_COLUMN.fullmatch(one) or _BRIGHTSPACE_COLUMN.fullmatch(one) for one in known.columns)
    return [(it[0], it["title"], it.groupdict().get("number") or "") for it in found if it]


def _there(known: ClassList) -> str:
    return f"Assignments there: {line(', '.join(column for column, _, _ in _assignments(known)), 350)}"


def _todo(system: str, units: Mapping[str, float], titles: Mapping[str, str], known: ClassList) -> Iterable[str]:
    """Say what to do about units that the system has under another name, or with other points."""
    without = [unit for unit in units if not titles[unit]]
    if without and _assignments(known):
        yield (
            f"the roster has no assignment called {line(', '.join(without), 150)}, so {system} will offer to make one. "
            f"Where it is there under another title, name that, and export again: --column '{without[0]}=TITLE'"
        )
        yield _there(known)
    for unit, column in titles.items():
        most = known.most.get(column, "").replace(",", ".")
        if re.fullmatch(r"\d+(\.\d+)?", most) and float(most) != rounded(units[unit]):
            yield (
                f"{column} has {many(float(most), 'point')} in {system}, {unit} has {units[unit]:g}: the scores are "
                f"written as they are, so give the assignment {many(units[unit], 'point')} there"
            )


def brightspace(grades: Grades, students: Mapping[str, Student], known: ClassList) -> LmsFile:
    """Make the file that "Import" in Brightspace's grades reads; `known` is the list that its "Export" wrote.

    One or two columns identify the person, then comes `ITEM Points Grade` for each unit, and the `#` that ends a line.
    ITEM is the unit's name, or the grade item that the instructor has named. The `#` in front of an id is Brightspace's
    own, which keeps spreadsheets from taking it for a number. Raises RosterError where two items have a unit's title.
    https://community.d2l.com/brightspace/kb/articles/3538-importing-grades
    """
    units = maxima(grades)
    titles = {unit: _column_of(unit, known) for unit in units}
    items = [it["title"] if (it := _BRIGHTSPACE_COLUMN.fullmatch(titles[unit])) else unit for unit in units]
    ids = [name for name in known.columns if known.kinds[name] in BRIGHTSPACE] if known.columns else ["Username"]
    if not ids:
        raise RosterError(
            "the roster has no column OrgDefinedId or Username, by which Brightspace finds a person; take the grades "
            "as it exports them"
        )
    table: list[list[Cell]] = [[*ids, *(f"{item} Points Grade" for item in items), "End-of-Line Indicator"]]
    who, left_out = _people(students, known)
    for student, row in who:
        own = [line(row.get(column, "")) if known.columns else f"#{student.id}" for column in ids]
        table.append([*own, *_scores(grades, student, units), "#"])
    return LmsFile(csv_text(table, known.delimiter), left_out, tuple(_todo("Brightspace", units, titles, known)))


def moodle(grades: Grades, students: Mapping[str, Student], known: ClassList) -> LmsFile:
    """Make the file that Moodle's "Import: CSV file" reads; `known` is its exported list of participants or grades.

    The first columns identify the person: choose one of them at "Map from", and the same one at "Map to". Then comes a
    column for each unit, to be mapped to a grade item (or to "New grade item"), and, where a person wrote comments, one
    to be mapped to its feedback. Moodle refuses the whole file for one unknown person. So students without an entry in
    `known` by which Moodle finds people are left out. Raises RosterError where nobody is left.
    https://docs.moodle.org/en/Grade_import
    https://github.com/moodle/moodle/blob/main/grade/import/csv/classes/load_data.php (map_user_data_with_value)
    """
    units = maxima(grades)
    told = [unit for unit in units if any(grade.comments for (_, name), grade in grades.items() if name == unit)]
    columns = _moodle_columns(known) if known.columns else list(MOODLE)
    known_there = (row for row in known.rows if any(row[name] for name in row if known.kinds[name] in _MOODLE_IDS))
    who, left_out = _people(students, replace(known, rows=tuple(known_there)))  # whom Moodle finds by their rows
    titles = [title for unit in units for title in ([unit, f"{unit} (feedback)"] if unit in told else [unit])]
    table: list[list[Cell]] = [[*columns, *titles]]
    for student, row in who:
        own = {"Username": student.id, "Email address": student.email, "First name": student.first_name,
               "Last name": student.last_name}  # fmt: skip
        cells: list[Cell] = [line(row.get(column, "") if known.columns else own[column]) for column in columns]
        for unit, score in zip(units, _scores(grades, student, units), strict=True):
            grade = grades.get((student.id, unit))
            cells += [score, grade.all_comments if grade else ""] if unit in told else [score]
        table.append(cells)
    return LmsFile(csv_text(table, known.delimiter), left_out)


def _moodle_columns(known: ClassList) -> list[str]:
    """Return the list's columns that identify people. Raises RosterError where Moodle finds nobody by them."""
    if not {*known.kinds.values()} & _MOODLE_IDS:
        raise RosterError(
            "the roster has no column by which Moodle finds a person. Found: "
            f"{line(', '.join(known.columns), 200)}. Expected Username, ID number or Email address: take the list of "
            "participants as Moodle exports it, or add a column email to yours"
        )
    return [column for column in known.columns if known.kinds[column] in _MOODLE_KNOWN]


def moodle_pages(pages: Mapping[str, tuple[str, Path]], unit: str) -> tuple[bytes, tuple[str, ...]]:
    """Make a zip for Moodle's "Upload multiple feedback files in a zip"; also return the students who are not in it.

    pages: student -> the name that their notebook had in Moodle's download, and the path of their page. Moodle finds a
    person by the number in `NAME_NUMBER_assignsubmission_file`; where two students have one number, neither gets a
    page.
    https://github.com/moodle/moodle/blob/main/mod/assign/feedback/file/importziplib.php (is_valid_filename_for_import)
    """
    found = {student: told for student, (name, _) in pages.items() if (told := _MOODLE_FOLDER.search(name))}
    often = Counter(told["number"] for told in found.values())
    alone = {student: told["folder"] for student, told in found.items() if often[told["number"]] == 1}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as made:
        for student, folder in sorted(alone.items()):
            made.writestr(f"{folder}/{unit}.html", pages[student][1].read_bytes())
    return packed.getvalue(), tuple(sorted(pages.keys() - alone.keys()))


SYSTEMS = {"canvas": canvas, "moodle": moodle, "brightspace": brightspace}


def _people(
    students: Mapping[str, Student], known: ClassList
) -> tuple[list[tuple[Student, Mapping[str, str]]], tuple[str, ...]]:
    """Return each student with their row of the class list, in order of ids, and the ids of those without a row.

    Raises RosterError where no student has a row.
    """
    ordered = [students[student] for student in sorted(students)]
    if not known.columns:
        return [(student, {}) for student in ordered], ()
    rows = {student.id: known.row(student) for student in ordered}
    owners = Counter(id(row) for row in rows.values() if row is not None)
    # A row that fits two students is neither's.
    rows = {student: row if owners[id(row)] == 1 else None for student, row in rows.items()}
    found = [(student, row) for student in ordered if (row := rows[student.id]) is not None]
    if ordered and not found:
        raise RosterError(
            f"the roster has a row for none of the {many(len(ordered), 'student')} of the gradebook "
            f"({ordered[0].id}, …), so nothing is written. It may be another class's; "
            "or they were collected without it, and have other ids"
        )
    return found, tuple(student for student, row in rows.items() if row is None)


def _scores(grades: Grades, student: Student, units: Iterable[str]) -> Sequence[float | None]:
    found = (grades.get((student.id, unit)) for unit in units)
    return [None if grade is None or grade.score is None else rounded(grade.score) for grade in found]
