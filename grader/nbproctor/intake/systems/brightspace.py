"""Brightspace, "Download" of an assignment's submissions: a folder for each submission, or files with its name.

The name is `NUMBER-NUMBER - NAME - Nov 20, 2026 1011 AM`; that of a file is followed by ` - ORIGINAL`. Beside them lies
an `index.html`. D2L has no page about these names; they are taken from programs that read them. Whether the first
number identifies a person is not known, so two submissions with the same name may be two people's.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial

from nbproctor.intake.archive import Item
from nbproctor.intake.claim import ClaimsAndRest, claim_below, with_rest
from nbproctor.intake.names import depth_of_names, names_at
from nbproctor.intake.roster import Person, RosterError
from nbproctor.intake.scores import Assignment, ClassList, ScoresFile, points_in, scores_of, with_rows
from nbproctor.intake.system import NumberOf, System
from nbproctor.values.grades import Grades, Student, maxima
from nbproctor.values.text import CsvCell, csv_text, line

_match = re.compile(
    r"(?P<user>\d+)-\d+ - (?P<name>.+?) ?- (?P<when>[A-Z][a-z]{2} \d\d?, \d{4} \d{3,4} [AP]M)(?: - (?P<rest>.+))?"
).fullmatch
_detect = partial(depth_of_names, match=_match)
_ITEM = re.compile(  # a grade item: Homework 3 Points Grade <Numeric MaxPoints:10 Weight:5>
    r"(?P<title>.+) Points Grade(?: <.*?\bMaxPoints:(?P<points>[\d.]+).*>| <.*>)?"
)
_ID_COLUMNS = ("orgdefinedid", "username")
_END = "End-of-Line Indicator"


def _read(items: Sequence[Item], depth: int) -> ClaimsAndRest:
    claimed = [
        claim_below(item, depth, Person(it["name"], (it["user"],), it["name"], SYSTEM), it["rest"], _at(it))
        for item, it in names_at(items, depth, _match)
    ]
    return with_rest(items, claimed)


def _at(found: re.Match[str]) -> int:
    """Return the time of a submission as a number that grows with it. Its time zone is not known."""
    try:
        return int(datetime.strptime(found["when"], "%b %d, %Y %I%M %p").strftime("%Y%m%d%H%M"))
    except ValueError:
        return 0


def _assignments(class_list: ClassList) -> list[Assignment]:
    found = ((column, _ITEM.fullmatch(column)) for column in class_list.columns)
    return [Assignment(column, it["title"], points=points_in(it["points"] or "")) for column, it in found if it]


def _write_scores(
    grades: Grades, students: Mapping[str, Student], class_list: ClassList, assignments: Mapping[str, Assignment]
) -> ScoresFile:
    """Make the file that "Import" in Brightspace's grades reads; the class list is the one that its "Export" wrote.

    One or two columns identify the person, then comes `ITEM Points Grade` for each unit, and the `#` that ends a line.
    The `#` in front of an id is Brightspace's own, which keeps spreadsheets from taking it for a number.
    https://community.d2l.com/brightspace/kb/articles/3538-importing-grades
    """
    units = maxima(grades)
    items = [assignments[unit].title if unit in assignments else unit for unit in units]
    ids = [name for name in class_list.columns if class_list.kinds[name] in _ID_COLUMNS]
    if class_list.columns and not ids:
        raise RosterError(
            "the roster has no column OrgDefinedId or Username, by which Brightspace finds a person; take the grades "
            "as it exports them"
        )
    table: list[list[CsvCell]] = [[*(ids or ["Username"]), *(f"{item} Points Grade" for item in items), _END]]
    rows, left_out = with_rows(students, class_list)
    for student, row in rows:
        own: list[CsvCell] = [line(row.get(column, "")) for column in ids] or [f"#{student.id}"]
        table.append([*own, *scores_of(grades, student, units), "#"])
    return ScoresFile(csv_text(table, class_list.delimiter), left_out)


SYSTEM = System(
    "brightspace",
    "Brightspace",
    _detect,
    _read,
    number_of=NumberOf.UNKNOWN,
    number_columns=(),
    write_scores=_write_scores,
    import_at="in the grades: Enter Grades, Import",
    assignments=_assignments,
)
