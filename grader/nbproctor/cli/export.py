"""`nbproctor export`: the scores of the gradebook as a file that a learning system imports."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from nbproctor.cli.terminal import one_line_errors, say, writable
from nbproctor.intake import find as intake
from nbproctor.intake import scores
from nbproctor.intake.roster import RosterError
from nbproctor.intake.system import System
from nbproctor.intake.systems import all_systems
from nbproctor.paths import ROOT
from nbproctor.values.text import many, write_whole

SYSTEMS = {name: one for name, one in all_systems().items() if one.write_scores}


def _system(name: str) -> System:
    if name not in SYSTEMS:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(SYSTEMS)}")
    return SYSTEMS[name]


def export(  # noqa: PLR0913 the options of the command line
    system: Annotated[
        System, typer.Option("--to", parser=_system, metavar=f"[{'|'.join(SYSTEMS)}]", help="The system to write for.")
    ],
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
            help="The assignment in Canvas or Brightspace that a unit belongs to, if its title is not the unit's "
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
    """Write the scores as a file for a learning system.

    The scores are the gradebook's, with those that you gave by hand. If a
    unit was not handed in or not graded, the cell is empty: nobody is given
    a zero.

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
        if column and not roster:
            raise RosterError("--column names a column of the list that the system exports; give --roster, too")
        class_list = scores.read_class_list(roster) if roster else scores.NO_LIST
        made = scores.scores_file(system, grades, students, class_list, column or ())
        path = file or folder / "report" / f"{system.name}.csv"
        with writable(path, "name another file"):
            write_whole(path, made.text)
    say(f"{path}: {many(len({student for student, _ in grades} - set(made.left_out)), 'student')}")
    for student in made.left_out:
        say(f"{student} is not in the file: no row of {roster} is theirs alone", "yellow")
    if made.left_out:
        say(f"Collected with `make grade FROM=… ROSTER={roster}`, they have the ids of that list.", "yellow")
    for todo in made.todo:
        say(todo, "yellow")
    say(f"Import it in {system.title}, {system.import_at}.")
    if made.left_out or made.todo:
        raise typer.Exit(3)


def _pages(system: System, unit: str, students: Sequence[str], folder: Path, file: Path | None) -> None:
    """Write the zip with the pages of these students, and say whose pages are not in it. Raises RosterError."""
    if system.pack_pages is None:
        able = ", ".join(one.title for one in SYSTEMS.values() if one.pack_pages)
        raise RosterError(f"{system.title} takes no feedback pages in a zip; --pages is for {able}")
    notes = {one: intake.received(folder / "submitted" / one / unit) for one in students}
    found = {
        one: (notes[one].name if notes[one].system == system.name else "", page)
        for one in students
        if (page := folder / "feedback" / one / unit / f"{unit}.html").is_file()
    }
    packed, left_out = system.pack_pages(found, unit)
    if len(found) == len(left_out):
        raise RosterError(
            f"no page of {unit} in {folder} is of a notebook that was collected from {system.title}'s download"
        )
    path = file or folder / "report" / f"{system.name}_pages_{unit}.zip"
    with writable(path, "name another file"):
        write_whole(path, packed)
    say(f"{path}: the pages of {many(len(found) - len(left_out), 'student')}")
    for one in left_out:
        text = f"{one} is not in the file: no number of {system.title}'s is theirs alone; give them their page yourself"
        say(text, "yellow")
    if left_out:
        raise typer.Exit(3)
