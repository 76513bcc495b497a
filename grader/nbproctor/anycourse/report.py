"""The report of an nbgrader course: `report/index.html`, made of the gradebook and of what grading had to say.

What it said about a submission is kept in report/notes/ASSIGNMENT/STUDENT.json, from one run to the next.
"""

from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec.structs import asdict
from nbgrader.api import Gradebook

from nbproctor.anycourse.reference import Reference
from nbproctor.anycourse.settings import Course
from nbproctor.anycourse.store import Submission
from nbproctor.classroom.pages.page import template
from nbproctor.values.text import line, many, write_whole

Kind = TypeVar("Kind", "Remarks", "SourceScores")


class Remarks(msgspec.Struct):
    """What grading had to say about a submission."""

    differences: list[str] = []
    notes: list[str] = []
    failed: str = ""


class SourceScores(msgspec.Struct):
    """What the source notebooks of an assignment scored, in words, and the checks that they did not pass."""

    reference: str = ""
    short: tuple[str, ...] = ()
    layers: str = ""


def cells_wait(number: int) -> str:
    """The words for so many cells that a person has to grade."""
    return f"{many(number, 'cell waits', 'cells wait')} for a person"


def keep(course: Course, one: Submission) -> None:
    """Keep what was said about a submission."""
    said = Remarks([line(text) for text in one.differences], [line(text) for text in one.notes], line(one.failed))
    write_whole(_notes(course, one.assignment) / f"{one.student}.json", msgspec.json.encode(said))


def keep_reference(course: Course, ran: Reference, layers: tuple[str, ...]) -> None:
    """Keep what an assignment's source notebooks scored, and the sandbox's layers."""
    of_source = SourceScores(f"{ran.points:g} of {ran.most:g}", tuple(map(line, ran.short)), ", ".join(layers))
    write_whole(_notes(course, ran.assignment).with_suffix(".json"), msgspec.json.encode(of_source))


def write(course: Course) -> Path:
    """Write the report's page. Returns its path."""
    with Gradebook(course.directory.db_url, course.directory.course_id) as book:
        found = [_section(course, book, one.name) for one in book.assignments if one.submissions]
    path = course.root / "report" / "index.html"
    layers = next((one["layers"] for one in found if one["layers"]), "")
    name = course.directory.course_id or course.root.name
    write_whole(path, template("any_course.html").render(course=name, layers=layers, assignments=found))
    return path


def _section(course: Course, book: Gradebook, assignment: str) -> dict[str, Any]:
    folder = _notes(course, assignment)
    of_source = _read(folder.with_suffix(".json"), SourceScores)
    rows = []
    for one in sorted(book.assignment_submissions(assignment), key=lambda one: str(one.student_id)):
        said = _read(folder / f"{one.student_id}.json", Remarks)
        score = max(0.0, one.score - (one.late_submission_penalty or 0.0))
        waits = bool(one.needs_manual_grade) and not said.failed
        rows.append({"student": one.student_id, "score": score, "most": one.max_score, "waits": waits, **asdict(said)})
    return {
        "name": assignment,
        "network": assignment in course.proctor.network,
        "reference": of_source.reference,
        "short": of_source.short,
        "layers": of_source.layers,
        "waiting": sum(row["waits"] for row in rows),
        "rows": rows,
    }


def _notes(course: Course, assignment: str) -> Path:
    return course.root / "report" / "notes" / assignment


def _read(path: Path, kind: type[Kind]) -> Kind:
    """What was kept in a file; nothing was said, where there is none, or somebody has changed it."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.DecodeError):
        return kind()
