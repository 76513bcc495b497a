"""What files of scores for learning systems have in common; `systems` holds what is each system's own.

A file is made from the gradebook's grades alone, so it contains the scores given by hand. The class list that the
system exports says who is who there; without one, a student's id is used as their login.

No spreadsheet can run a cell of text as a formula, and only comments span several lines. A login that begins with one
of = + - @ therefore gets a quote in front of it, and that student has to be matched by hand.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from nbproctor.intake.roster import IDS, RosterError, columns_of, id_key, read_table
from nbproctor.intake.system import System
from nbproctor.values.grades import Grades, Student, maxima, rounded
from nbproctor.values.text import line, many


@dataclass(frozen=True)
class ClassList:
    """A learning system's own list of the class. kinds: the English title that each column stands for, or ""."""

    columns: tuple[str, ...] = ()
    rows: tuple[Mapping[str, str], ...] = ()
    delimiter: str = ","
    kinds: Mapping[str, str] = field(default_factory=dict)

    def row(self, student: Student) -> Mapping[str, str] | None:
        """Return the only row that has the student's id or address in a column of ids; None if there is none."""
        known = {id_key(one) for one in (student.id, student.email, student.lms_user_id)} - {""}
        found = [row for row in self.rows if any(id_key(row[name]) in known for name in row if self.kinds[name] in IDS)]
        return found[0] if len(found) == 1 else None


NO_LIST = ClassList()


@dataclass(frozen=True)
class Assignment:
    """An assignment in a class list. number: the system's, or "". points: the most it gives, or None if not said."""

    column: str
    title: str
    number: str = ""
    points: float | None = None


@dataclass(frozen=True)
class ScoresFile:
    """The text of a file for a system, the ids of students whom the list lacks, and what to do before the import."""

    text: str
    left_out: tuple[str, ...] = ()
    todo: tuple[str, ...] = ()


def read_class_list(path: Path) -> ClassList:
    """Read the list that a system exported. Raises RosterError if that fails or no column identifies people."""
    found, delimiter = read_table(path)
    columns, *table = found or [[]]
    kinds = columns_of(columns, table)
    if not {*kinds} & {*IDS}:
        raise RosterError(
            f"{path}: no column says who is who. Found: {line(', '.join(columns), 200) or 'nothing'}. Expected the "
            "list that the system itself exports; grader/docs/class.md lists the titles that are understood"
        )
    rows = tuple(dict(zip(columns, row, strict=False)) for row in table)
    return ClassList(tuple(columns), rows, delimiter, dict(zip(columns, kinds, strict=True)))


def scores_file(
    system: System, grades: Grades, students: Mapping[str, Student], class_list: ClassList, chosen: Sequence[str] = ()
) -> ScoresFile:
    """Make the file that a system imports.

    chosen: `UNIT=TITLE` or `UNIT=NUMBER`. Raises RosterError if no or several assignments fit, or nobody is in the
    list.
    """
    if system.write_scores is None:
        raise RosterError(f"{system.title} imports no scores from a file")
    if chosen and not system.assignments:
        raise RosterError(f"{system.title} asks for the assignment of each unit during the import; leave out --column")
    units = maxima(grades)
    there = system.assignments(class_list) if system.assignments else []
    titles = _chosen_titles(chosen, units)
    found = {unit: _assignment(unit, titles.get(unit, unit), there) for unit in units}
    for unit, title in titles.items():
        if found[unit] is None:
            raise RosterError(f"--column: the roster has no assignment {title!r}. {_listed(there)}")
    assignments = {unit: one for unit, one in found.items() if one}
    made = system.write_scores(grades, students, class_list, assignments)
    return replace(made, todo=(*made.todo, *_todo(system.title, units, assignments, there)))


def _chosen_titles(chosen: Sequence[str], units: Iterable[str]) -> dict[str, str]:
    """Return the title or number chosen for each unit. Raises RosterError if a choice names no unit with scores."""
    titles = {}
    for one in chosen:
        unit, _, title = (part.strip() for part in one.partition("="))
        if unit not in units or not title:
            expected = "UNIT=COLUMN, such as '03_self_attention=Homework 3', with a unit that has scores"
            raise RosterError(f"--column {one!r}: expected {expected}: {', '.join(units)}")
        titles[unit] = title
    return titles


def _assignment(unit: str, title: str, there: Sequence[Assignment]) -> Assignment | None:
    """Return the assignment with this title or number. Raises RosterError if there are several."""
    found = [one for one in there if title.casefold() in (one.column.casefold(), one.title.casefold(), one.number)]
    if len(found) > 1:
        raise RosterError(
            f"the roster has {many(len(found), 'assignment')} called {title!r}: "
            f"{line(', '.join(one.column for one in found), 200)}; choose one by its number: "
            f"--column {unit}={min(one.number for one in found)}"
        )
    return found[0] if found else None


def _listed(there: Sequence[Assignment]) -> str:
    return f"Assignments there: {line(', '.join(one.column for one in there), 350)}"


def _todo(
    system: str, units: Mapping[str, float], assignments: Mapping[str, Assignment], there: Sequence[Assignment]
) -> Iterable[str]:
    """Say what to do about units that have no assignment in the system, or one with other points."""
    without = [unit for unit in units if unit not in assignments]
    if without and there:
        yield (
            f"the roster has no assignment called {line(', '.join(without), 150)}, so {system} will offer to create "
            f"one. If it exists under another title, name it and export again: --column '{without[0]}=TITLE'"
        )
        yield _listed(there)
    for unit, one in assignments.items():
        if one.points is not None and one.points != rounded(units[unit]):
            yield (
                f"{one.column} has {many(one.points, 'point')} in {system}, {unit} has {units[unit]:g}: the scores are "
                f"written as they are, so give the assignment {many(units[unit], 'point')} there"
            )


def points_in(text: str) -> float | None:
    """Return the number that a list gives for an assignment's points, with a point or a comma; None if it is none."""
    plain = text.replace(",", ".")
    return float(plain) if re.fullmatch(r"\d+(\.\d+)?", plain) else None


def with_rows(
    students: Mapping[str, Student], class_list: ClassList
) -> tuple[list[tuple[Student, Mapping[str, str]]], tuple[str, ...]]:
    """Return each student with their row of the class list, in order of ids, and the ids of those without a row.

    A row that fits two students is neither's. Raises RosterError if no student has a row.
    """
    ordered = [students[student] for student in sorted(students)]
    if not class_list.columns:
        return [(student, {}) for student in ordered], ()
    rows = {student.id: class_list.row(student) for student in ordered}
    owners = Counter(id(row) for row in rows.values() if row is not None)
    rows = {student: row if owners[id(row)] == 1 else None for student, row in rows.items()}
    found = [(student, row) for student in ordered if (row := rows[student.id]) is not None]
    if ordered and not found:
        raise RosterError(
            f"the roster has a row for none of the {many(len(ordered), 'student')} in the gradebook "
            f"({ordered[0].id}, …), so nothing is written. It may be another class's, or they were collected without "
            "it and have other ids"
        )
    return found, tuple(student for student, row in rows.items() if row is None)


def scores_of(grades: Grades, student: Student, units: Iterable[str]) -> list[float | None]:
    """Return the student's score in each unit; None if there is none."""
    found = (grades.get((student.id, unit)) for unit in units)
    return [None if grade is None or grade.score is None else rounded(grade.score) for grade in found]
