"""The instructor's folder: what was handed in, and where the results go."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from nbproctor.autograded import write_autograded
from nbproctor.batch import Submission
from nbproctor.course import Unit, unit_names
from nbproctor.limits import ran_away
from nbproctor.match import Ungradable, read_notebook
from nbproctor.report import write_class_report, write_feedback

OUTPUTS = ("autograded", "feedback", "report")


class ClassroomError(Exception):
    """A classroom that cannot be graded; the message says where and what to do."""


def find(folder: Path, units: Iterable[str] | None) -> tuple[list[Submission], list[str]]:
    """The submissions under `folder/submitted`, in order, and one line for each folder that belongs to no unit.

    In a unit's folder UNIT.ipynb counts, or else the only notebook there is. Raises ClassroomError for an unknown unit.
    """
    known = unit_names()
    wanted = list(units) if units else known
    for name in wanted:
        if name not in known:
            raise ClassroomError(f"unknown unit {name!r}: expected one of {', '.join(known) or 'none'}")
    submissions, strays = [], []
    submitted = folder / "submitted"
    for student in sorted(path for path in submitted.glob("*") if path.is_dir() and not path.name.startswith(".")):
        for place in sorted(path for path in student.glob("*") if path.is_dir() and not path.name.startswith(".")):
            if place.name not in known:
                strays.append(f"{student.name}/{place.name} is no unit of this course")
            elif place.name in wanted:
                path = place / f"{place.name}.ipynb"
                others = list(place.glob("*.ipynb"))
                submissions.append(Submission(student.name, place.name, others[0] if len(others) == 1 else path))
    return submissions, strays


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


def write_files(result: dict[str, Any], one: Submission, unit: Unit, folder: Path) -> None:
    """One student's files: the autograded notebook and the feedback page."""
    try:
        notebook: dict[str, Any] | None = read_notebook(one.path)
    except Ungradable:
        notebook = None
    write_autograded(result, notebook, unit, folder)
    write_feedback(result, unit, folder)


def record(results: list[dict[str, Any]], units: dict[str, Unit], folder: Path) -> None:
    """The class's files: nbgrader's gradebook, and the report."""
    from sqlalchemy.exc import SQLAlchemyError

    from nbproctor.gradebook import record as write_gradebook  # nbgrader takes a second to import

    for name, unit in units.items():
        mine = [result for result in results if result["unit"] == name]
        try:
            write_gradebook(mine, unit, f"sqlite:///{folder / 'gradebook.db'}")
        except SQLAlchemyError as error:
            told = str(error).splitlines()[0][:200]
            raise ClassroomError(f"{folder / 'gradebook.db'}: {told}; move it away, and grade again") from error
    write_class_report(results, list(units.values()), folder)


def reasons(result: dict[str, Any]) -> list[str]:
    """One line for each thing in a result that the instructor should look at."""
    found = [result["reason"]] if result["status"] != "graded" else []
    for report in result["exercises"]:
        if ran_away(report):
            found.append(f"{report['name']}: {report['checks'][0]['message'] or report['checks'][1]['message']}")
        found += [note["text"] for note in report["notes"] if note["kind"] == "attack"]
    return found + [note["text"] for note in result["notes"] if note["kind"] == "attack"]


def needs_a_look(result: dict[str, Any]) -> bool:
    return bool(reasons(result))
