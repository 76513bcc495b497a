"""Survivors that somebody has marked as right all the same: `source/ASSIGNMENT.same`, one line for each.

A line begins with the change's key, which is made of the exercise's name, its solution and the change: so a mark stays
as long as the solution does. What follows the key is for people.
"""

from pathlib import Path

from nbproctor.anycourse.settings import Course
from nbproctor.probe.findings import Survivor
from nbproctor.values.text import line, write_whole

HEAD = "# Changes of the solutions that are right all the same, as `nbproctor probe --same KEY` marks them\n"


def path(course: Course, assignment: str) -> Path:
    """The file of an assignment: beside its folder, since all that is in it is handed out."""
    return course.source(assignment).with_name(f"{assignment}.same")


def read(file: Path) -> dict[str, str]:
    """The marks in a file: key -> the words beside it."""
    if not file.exists():
        return {}
    rows = [row.split(maxsplit=1) for row in file.read_text(encoding="utf-8").splitlines() if row.strip()]
    return {row[0]: " ".join(row[1:]) for row in rows if row[0] != "#"}


def mark(file: Path, survivors: list[Survivor]) -> None:
    """Add these to a file of marks."""
    known = read(file)
    known |= {one.key: line(f"{one.notebook} {one.exercise}: {one.words}", 200) for one in survivors}
    write_whole(file, HEAD + "".join(f"{key} {words}\n" for key, words in known.items()))
