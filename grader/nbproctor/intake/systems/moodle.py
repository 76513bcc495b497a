"""Moodle, "Download all submissions": a folder `NAME_NUMBER_assignsubmission_file` with the student's files.

Where "Download submissions in folders" is off, each file has this name, followed by `_ORIGINAL`. Older versions of
Moodle end the folder's name with one more `_`. NUMBER is the participant's number in this assignment, which the grading
worksheet has in its column Identifier. In blind marking NAME is the word for a participant in the teacher's language.
https://github.com/moodle/moodle/blob/main/mod/assign/classes/downloader.php (get_student_prefix)
"""

import io
import re
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from nbproctor.intake.archive import Item
from nbproctor.intake.claim import ClaimsAndRest, claim_below, with_rest
from nbproctor.intake.names import depth_of_names, names_at
from nbproctor.intake.roster import Person, RosterError
from nbproctor.intake.scores import Assignment, ClassList, ScoresFile, scores_of, with_rows
from nbproctor.intake.system import NumberOf, System
from nbproctor.values.grades import Grades, Student, maxima
from nbproctor.values.text import CsvCell, csv_text, line

_match = re.compile(r"(?P<name>.+?)_(?P<user>\d+)_assignsubmission_[a-z]+(?:_(?P<rest>.*))?").fullmatch
_detect = partial(depth_of_names, match=_match)
_ID_COLUMNS = {"username", "id number", "email address"}  # by which Moodle can find a person
_OWN_COLUMNS = ("Username", "Email address", "First name", "Last name")
_FOLDER = re.compile(r"(?:^|/)(?P<folder>[^/_]+_(?P<number>\d+)_assignsubmission_file)(?=[_/]|$)")


def _read(items: Sequence[Item], depth: int) -> ClaimsAndRest:
    found = list(names_at(items, depth, _match))
    names, numbers = {name["name"] for _, name in found}, {name["user"] for _, name in found}
    is_blind = names == {"Participant"} or (len(names) == 1 and len(numbers) > 1 and " " not in min(names))
    claimed = []
    for item, match in found:
        name, number, rest = match["name"], match["user"], match["rest"]
        person = Person(f"{name} {number}" if is_blind else name, (number,), "" if is_blind else name, SYSTEM)
        claimed.append(claim_below(item, depth, person, rest))
    return with_rest(items, claimed)


def _write_scores(
    grades: Grades, students: Mapping[str, Student], class_list: ClassList, _: Mapping[str, Assignment]
) -> ScoresFile:
    """Make the file that Moodle's "Import: CSV file" reads; the class list is that of the participants or grades.

    The first columns identify the person: choose one of them at "Map from", and the same one at "Map to". Then comes a
    column for each unit, to be mapped to a grade item (or to "New grade item"), and, if a person wrote comments, one
    to be mapped to its feedback. Moodle refuses the whole file for one unknown person, so students without a row by
    which it finds people are left out.
    https://docs.moodle.org/en/Grade_import
    https://github.com/moodle/moodle/blob/main/grade/import/csv/classes/load_data.php (map_user_data_with_value)
    """
    units = maxima(grades)
    commented = [unit for unit in units if any(grade.comments for (_, name), grade in grades.items() if name == unit)]
    kinds = class_list.kinds
    columns = _columns(class_list) if class_list.columns else list(_OWN_COLUMNS)
    findable = (row for row in class_list.rows if any(row[name] for name in row if kinds[name] in _ID_COLUMNS))
    rows, left_out = with_rows(students, replace(class_list, rows=tuple(findable)))
    titles = [title for unit in units for title in ([unit, f"{unit} (feedback)"] if unit in commented else [unit])]
    table: list[list[CsvCell]] = [[*columns, *titles]]
    for student, row in rows:
        own = dict(zip(_OWN_COLUMNS, (student.id, student.email, student.first_name, student.last_name), strict=True))
        cells: list[CsvCell] = [line(row.get(column, "") if kinds else own[column]) for column in columns]
        for unit, score in zip(units, scores_of(grades, student, units), strict=True):
            grade = grades.get((student.id, unit))
            cells += [score, grade.all_comments if grade else ""] if unit in commented else [score]
        table.append(cells)
    return ScoresFile(csv_text(table, class_list.delimiter), left_out)


def _columns(class_list: ClassList) -> list[str]:
    """Return the list's columns that identify people. Raises RosterError if Moodle finds nobody by them."""
    if not {*class_list.kinds.values()} & _ID_COLUMNS:
        raise RosterError(
            "the roster has no column by which Moodle finds a person. Found: "
            f"{line(', '.join(class_list.columns), 200)}. Expected Username, ID number or Email address: take the list "
            "of participants as Moodle exports it, or add a column email to yours"
        )
    known = _ID_COLUMNS | {"first name", "last name"}
    return [column for column in class_list.columns if class_list.kinds[column] in known]


def _pack_pages(pages: Mapping[str, tuple[str, Path]], unit: str) -> tuple[bytes, tuple[str, ...]]:
    """Make a zip for Moodle's "Upload multiple feedback files in a zip"; also return the students who are not in it.

    Moodle finds a person by the number in `NAME_NUMBER_assignsubmission_file`; if two students have one number, neither
    gets a page.
    https://github.com/moodle/moodle/blob/main/mod/assign/feedback/file/importziplib.php (is_valid_filename_for_import)
    """
    found = {student: it for student, (name, _) in pages.items() if (it := _FOLDER.search(name))}
    often = Counter(it["number"] for it in found.values())
    folders = {student: it["folder"] for student, it in found.items() if often[it["number"]] == 1}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for student, folder in sorted(folders.items()):
            archive.writestr(f"{folder}/{unit}.html", pages[student][1].read_bytes())
    return packed.getvalue(), tuple(sorted(pages.keys() - folders.keys()))


SYSTEM = System(
    "moodle",
    "Moodle",
    _detect,
    _read,
    number_of=NumberOf.PARTICIPANT,
    number_columns=("identifier",),
    number_list="Moodle's grading worksheet of this assignment",
    write_scores=_write_scores,
    import_at="in the grades: Import, CSV file; choose the column that says who a person is, and an item for each unit",
    pack_pages=_pack_pages,
)
