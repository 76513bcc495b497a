"""The instructor's folder: what was handed in, and where the results go."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from nbproctor.autograded import write_autograded
from nbproctor.class_report import write_class_report
from nbproctor.course import Unit, unit_names
from nbproctor.feedback import write_feedback
from nbproctor.result import Result
from nbproctor.submission import Submission
from nbproctor.text import line, name_of

OUTPUTS = ("autograded", "feedback", "report", "results")


class ClassroomError(Exception):
    """A classroom that cannot be graded; the message says where and what to do."""


def find(folder: Path, units: Iterable[str] | None) -> tuple[list[Submission], list[str]]:
    """The submissions under `folder/submitted`, in order, and one line for each folder that is not graded, with why.

    In a unit's folder UNIT.ipynb counts, or else the only notebook there is; files beside it are handed in with it.
    Links are not followed. Of two folders whose names come to the same student's id, the first by name counts. Raises
    ClassroomError for an unknown unit.
    """
    known = unit_names()
    wanted = list(units) if units else known
    for name in wanted:
        if name not in known:
            raise ClassroomError(f"unknown unit {name!r}: expected one of {', '.join(known) or 'none'}")
    submissions: list[Submission] = []
    strays: list[str] = []
    owner: dict[str, Path] = {}
    for student in _folders(folder / "submitted", strays):
        student_id = name_of(student)
        if owner.setdefault(student_id, student) != student:
            strays.append(f"{student_id}: two folders have names that come to this; the first one was graded")
            continue
        for place in _folders(student, strays, f"{student_id}/"):
            unit = name_of(place)
            if unit not in known:
                strays.append(f"{student_id}/{unit} is no unit of this course")
            elif unit in wanted:
                submissions.append(_submission(student_id, unit, place))
    return submissions, strays


def _folders(parent: Path, strays: list[str], inside: str = "") -> list[Path]:
    """The folders in `parent`, in order; hidden ones are passed over, links are named."""
    found = []
    for path in sorted(parent.glob("*")):
        if path.name.startswith("."):
            continue
        if path.is_symlink():
            strays.append(f"{inside}{name_of(path)} is a link; links are not followed")
        elif path.is_dir():
            found.append(path)
    return found


def _submission(student: str, unit: str, place: Path) -> Submission:
    path = place / f"{unit}.ipynb"
    others = list(place.glob("*.ipynb"))
    if not path.is_symlink() and not path.exists() and len(others) > 1:
        names = ", ".join(sorted(name_of(other) for other in others))
        refused = line(f"{len(others)} notebooks, and none is called {unit}.ipynb: {names}", 200)
        return Submission(student, unit, path, _timestamp(place), refused)
    return Submission(student, unit, others[0] if len(others) == 1 else path, _timestamp(place), files=True)


def _timestamp(place: Path) -> str:
    """When it was handed in, as nbgrader's collector notes it; "" where it did not, or wrote something else."""
    path = place / "timestamp.txt"
    if path.is_symlink() or not path.is_file() or path.stat().st_size > 100:
        return ""
    from nbgrader.utils import parse_utc  # nbgrader takes a second to import

    try:
        moment = parse_utc(path.read_text(encoding="utf-8").strip())
        return str(moment.isoformat())
    except (ValueError, OverflowError, OSError, AttributeError):
        return ""


def prepare(folder: Path) -> None:
    """Make the folders that results go to. Raises ClassroomError where we may not write."""
    try:
        for name in OUTPUTS:
            (folder / name).mkdir(parents=True, exist_ok=True)
            probe = folder / name / ".writable"
            probe.touch()
            probe.unlink()
    except OSError as error:
        raise ClassroomError(
            f"{error.filename or folder}: cannot write there ({error.strerror}); allow it, or --classroom DIR"
        ) from error


def check_gradebook(folder: Path) -> None:
    """Raises gradebook.GradebookError where the class's gradebook cannot be written."""
    from nbproctor.gradebook import check_writable, sqlite_url  # nbgrader takes a second to import

    check_writable(sqlite_url(folder / "gradebook.db"))


def write_files(result: Result, one: Submission, unit: Unit, folder: Path) -> None:
    """One student's files: the autograded notebook and the feedback page."""
    write_autograded(result, unit, folder)
    write_feedback(result, unit, folder)


def record(results: Sequence[Result], units: dict[str, Unit], folder: Path) -> list[str]:
    """The class's files: the report, then nbgrader's gradebook.

    Returns a line for each thing that the instructor should know. Raises gradebook.GradebookError where the gradebook
    cannot be written; the report is written by then.
    """
    from sqlalchemy.exc import SQLAlchemyError

    from nbproctor import gradebook

    write_class_report(results, list(units.values()), folder)
    url = gradebook.sqlite_url(folder / "gradebook.db")
    notes: list[str] = []
    for name, unit in units.items():
        try:
            notes += gradebook.record([result for result in results if result.unit == name], unit, url)
        except SQLAlchemyError as error:
            raise gradebook.told(url, error) from error
    return notes
