"""Canvas, "Download Submissions": one flat zip of files `NAME_USER_FILE_ORIGINAL`; a late one has `_LATE` after NAME.

NAME is the sortable name in lower case, reduced to its letters; USER and FILE are numbers. The names of anonymous
submissions begin with `anon_`, text entries end in `_text.html`, links in `_link.html`. A file that is handed in again
under the same name has `-1`, `-2` … at the end of ORIGINAL.
https://github.com/instructure/canvas-lms/blob/master/lib/content_zipper.rb (get_filename, add_upload_submission)
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from nbproctor.intake.archive import Item
from nbproctor.intake.claim import Claim, ClaimsAndRest, claim_below, is_notebook, with_rest
from nbproctor.intake.names import depth_of_names, names_at
from nbproctor.intake.roster import Person
from nbproctor.intake.scores import Assignment, ClassList, ScoresFile, points_in, scores_of, with_rows
from nbproctor.intake.system import System
from nbproctor.values.grades import Grades, Student, maxima, rounded
from nbproctor.values.text import CsvCell, csv_text, line

_NAME = re.compile(  # attention_2026_11_15.ipynb has a date, and not Canvas's numbers, which never begin with 0
    r"(?P<name>\w*?)(?<!_(?:19|20)\d\d)_(?:(?P<late>LATE)_)?(?!(?:19|20)\d\d_\d\d?_\d\d?(?!\d))"
    r"(?P<user>[1-9]\d*)_(?:(?P<file>[1-9]\d*)_(?P<rest>.+)|(?P<page>(?:text|link)\.html))"
)
_ANONYMOUS = re.compile(
    r"(?:(?P<late>LATE)_)?anon_(?P<user>[^\W_]+)_(?:(?P<file>\d+)_(?P<rest>.+)|(?P<page>(?:text|link)\.html))"
)
_COLUMNS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
_POINTS = "Points Possible"
_ASSIGNMENT = re.compile(r"(?P<title>.*?)\s*\((?P<number>\d+)\)\s*")  # Homework 3 (123456)
_AGAIN = re.compile(r"-\d+(?=\.\w+$)")  # helper-1.py


def _read(items: Sequence[Item], depth: int) -> ClaimsAndRest:
    found = [_claim(item, depth, name) for item, name in names_at(items, depth, _match)]
    return with_rest(items, _first_names(found, depth))


def _match(part: str) -> re.Match[str] | None:
    return _ANONYMOUS.fullmatch(part) or _NAME.fullmatch(part)


_detect = partial(depth_of_names, match=_match, of_files=True)


def _claim(item: Item, depth: int, found: re.Match[str]) -> Claim:
    parts = found.groupdict()
    name, user = parts.get("name", "anon"), parts["user"]
    person = Person(f"{name}_{user}".strip("_"), (user,), parts.get("name", ""), SYSTEM)
    number = int((parts["file"] or "0")[:18])  # a text entry has no FILE
    one = claim_below(item, depth, person, parts["rest"] or parts["page"], number)
    return replace(one, late="marked late by Canvas" if parts["late"] else "")


def _first_names(found: Sequence[Claim], depth: int) -> list[Claim]:
    """Give resubmitted files the names under which they were first handed in, without Canvas's `-1`.

    A student may call a file of their own `data-1.csv`. So the `-1` is taken for Canvas's only if a notebook of that
    student has such a number, too, and if the name without it is free.
    """
    bare = {one.item for one in found if len(one.item.parts) - 1 == depth}
    again = {one.person for one in found if one.item in bare and is_notebook(one.item) and _AGAIN.search(one.name)}
    first = [_AGAIN.sub("", one.name) if one.item in bare and one.person in again else one.name for one in found]
    often = Counter((one.person, one.folders, name) for one, name in zip(found, first, strict=True))
    return [
        replace(one, name=name) if often[one.person, one.folders, name] == 1 and not is_notebook(one.item) else one
        for one, name in zip(found, first, strict=True)
    ]


def _assignments(class_list: ClassList) -> list[Assignment]:
    first = class_list.columns[0] if class_list.columns else ""
    points = next((row for row in class_list.rows if row.get(first, "").casefold() == _POINTS.casefold()), {})
    found = ((column, _ASSIGNMENT.fullmatch(column)) for column in class_list.columns)
    return [
        Assignment(column, it["title"], it["number"], points_in(points.get(column, ""))) for column, it in found if it
    ]


def _write_scores(
    grades: Grades, students: Mapping[str, Student], class_list: ClassList, assignments: Mapping[str, Assignment]
) -> ScoresFile:
    """Make the file that "Import" in Canvas's gradebook reads; the class list is the one that its "Export" wrote.

    Five columns identify the person; then comes one column for each unit, called as its assignment or else as the unit.
    The row "Points Possible" comes first. Canvas finds a person by ID, then by SIS User ID, SIS Login ID and name, and
    an assignment by its number; it offers to create an assignment that it does not have. An empty cell means no score.
    https://teaching.resources.osu.edu/toolsets/carmencanvas/guides/calculating-final-grades/import-csv-file-carmen-grades
    https://github.com/instructure/canvas-lms/blob/master/lib/gradebook_importer.rb (header?, parse_assignments,
    process_pp, process_student)
    """
    units = maxima(grades)
    titles = [assignments[unit].column if unit in assignments else unit for unit in units]
    table: list[list[CsvCell]] = [[*_COLUMNS, *titles]]
    table.append([f"    {_POINTS}", "", "", "", "", *map(rounded, units.values())])
    rows, left_out = with_rows(students, class_list)
    for student, row in rows:
        own = {"Student": student.name or student.id, "SIS Login ID": student.id}
        name, *ids = (line(row.get(column, own.get(column, ""))) for column in _COLUMNS)
        # A row with these words in its first cell would set the points of the assignments.
        table.append([name.replace(_POINTS, "Points-Possible"), *ids, *scores_of(grades, student, units)])
    return ScoresFile(csv_text(table, class_list.delimiter), left_out)


SYSTEM = System(
    "canvas",
    "Canvas",
    _detect,
    _read,
    number_columns=("id", "lms user id"),
    looks_like_others=True,
    write_scores=_write_scores,
    import_at="in the gradebook: Import",
    assignments=_assignments,
)
