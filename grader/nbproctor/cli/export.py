"""`nbproctor export`: the scores of the gradebook as a file for Canvas, Moodle or Brightspace."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from nbproctor.classroom import lms_files
from nbproctor.cli.terminal import one_line_errors, say, writable
from nbproctor.intake import find as intake
from nbproctor.intake.roster import RosterError
from nbproctor.paths import ROOT
from nbproctor.values.grades import maxima
from nbproctor.values.text import many, write_whole

System = Literal["canvas", "moodle", "brightspace"]


def export(  # noqa: PLR0913 the options of the command line
    system: Annotated[System, typer.Option("--to", help="The system that is to read the file.")],
    file: Annotated[
        Path | None, typer.Argument(help="The file to write. By default, report/SYSTEM.csv in the classroom.")
    ] = None,
    roster: Annotated[
        Path | None,
        typer.Option(
            help="The list of students that the system itself exports: Canvas's gradebook, Moodle's participants or "
            "grades, Brightspace's grades. Without it, a student's id is taken for their login."
        ),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            help="The assignment in Canvas or Brightspace that a unit belongs to, where its title is not the unit's "
            "name: UNIT=TITLE, such as '00_tensors=Lab 1', or UNIT=NUMBER. Give it once for each unit."
        ),
    ] = None,
    pages: Annotated[
        str,
        typer.Option(
            help="Instead of scores, pack the students' pages of this unit into a zip, for Moodle's \"Upload multiple "
            'feedback files in a zip".'
        ),
    ] = "",
    folder: Annotated[Path, typer.Option("--classroom", help="The folder that holds gradebook.db.")] = ROOT
    / "classroom",
    db_url: Annotated[
        str, typer.Option("--db", help="The gradebook's address, if it is not the one in the classroom.")
    ] = "",
) -> None:
    """Write the scores as a file for Canvas, Moodle or Brightspace.

    The scores are the gradebook's, with those that you gave by hand. Where
    a unit was not handed in or not graded, the cell is empty: nobody is
    given a zero.

    \b
    Canvas       in the gradebook: Import
    Moodle       in the grades: Import, CSV file; choose the column that
                 says who a person is, and a grade item for each unit
    Brightspace  in the grades: Enter Grades, Import

    Exit code: 0 if the file is written, 2 if it is not (one line says why),
    3 if it is written and a line says what to do about a student whom the
    roster does not have, a page that cannot be given back, or an assignment
    that has another title or other points there.
    """
    from nbproctor.classroom import gradebook  # nbgrader takes half a second to import

    url = db_url or gradebook.sqlite_url(folder / "gradebook.db")
    with one_line_errors():
        grades, students = gradebook.read_all(url)
        if not grades:
            raise RosterError(f"{gradebook.shown_url(url)}: no grades in it yet; run `make grade` first")
        if pages:
            _pages(system, pages, [student for student, unit in grades if unit == pages], folder, file)
            return
        known = lms_files.read_class_list(roster) if roster else lms_files.NO_LIST
        if column:
            if not roster or system == "moodle":
                raise RosterError("--column names a column of what Canvas or Brightspace exports; give --roster, too")
            known = lms_files.with_columns(known, column, maxima(grades))
        made = lms_files.SYSTEMS[system](grades, students, known)
        path = file or folder / "report" / f"{system}.csv"
        with writable(path, "name another file"):
            write_whole(path, made.text)
    say(f"{path}: {many(len({student for student, _ in grades} - set(made.left_out)), 'student')}")
    for student in made.left_out:
        say(f"{student} is not in the file: no row of {roster} is theirs alone", "yellow")
    if made.left_out:
        say(f"Collected with `make grade FROM=… ROSTER={roster}`, they have the ids of that list.", "yellow")
    for todo in made.todo:
        say(todo, "yellow")
    if made.left_out or made.todo:
        raise typer.Exit(3)


def _pages(system: System, unit: str, students: Sequence[str], folder: Path, file: Path | None) -> None:
    """Write the zip with the pages of these students, and say whose pages are not in it. Raises RosterError."""
    if system != "moodle":
        raise RosterError(
            "--pages is for Moodle alone: Canvas would give each page the name of the notebook that was handed in"
        )
    told = {one: intake.received(folder / "submitted" / one / unit) for one in students}
    found = {
        one: (told[one].name if told[one].system == "moodle" else "", page)
        for one in students
        if (page := folder / "feedback" / one / unit / f"{unit}.html").is_file()
    }
    packed, left_out = lms_files.moodle_pages(found, unit)
    if len(found) == len(left_out):
        raise RosterError(f"no page of {unit} in {folder} is of a notebook that was collected from Moodle's download")
    path = file or folder / "report" / f"moodle_pages_{unit}.zip"
    with writable(path, "name another file"):
        write_whole(path, packed)
    say(f"{path}: the pages of {many(len(found) - len(left_out), 'student')}")
    for one in left_out:
        say(f"{one} is not in the file: no number of Moodle's is theirs alone; give them their page yourself", "yellow")
    if left_out:
        raise typer.Exit(3)
