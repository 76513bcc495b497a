"""The instructor's folder: what was handed in, and where the results go."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from nbproctor.autograded import write_autograded
from nbproctor.class_report import write_class_report
from nbproctor.course import Unit, load_unit, unit_names
from nbproctor.feedback import write_feedback
from nbproctor.grades import Grades, beside
from nbproctor.result import Result
from nbproctor.store import Store
from nbproctor.submission import Submission
from nbproctor.text import Clean, line, name_of

OUTPUTS = ("autograded", "feedback", "report", "results")


class ClassroomError(Exception):
    """A classroom that cannot be graded; the message says where and what to do."""


def find(folder: Path, units: Iterable[str] | None) -> tuple[list[Submission], list[Clean]]:
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
    strays: list[Clean] = []
    owner: dict[str, Path] = {}
    for student in _folders(folder / "submitted", strays):
        student_id = name_of(student)
        if owner.setdefault(student_id, student) != student:
            strays.append(line(f"{student_id}: two folders have names that come to this; the first one was graded"))
            continue
        for place in _folders(student, strays, f"{student_id}/"):
            unit = name_of(place)
            if unit not in known:
                strays.append(line(f"{student_id}/{unit} is no unit of this course"))
            elif unit in wanted:
                submissions.append(_submission(student_id, unit, place))
    return submissions, strays


def _folders(parent: Path, strays: list[Clean], inside: str = "") -> list[Path]:
    """The folders in `parent`, in order; hidden ones are passed over, links are named."""
    found = []
    for path in sorted(parent.glob("*")):
        if path.name.startswith("."):
            continue
        if path.is_symlink():
            strays.append(line(f"{inside}{name_of(path)} is a link; links are not followed"))
        elif path.is_dir():
            found.append(path)
    return found


def _submission(student: Clean, unit: str, place: Path) -> Submission:
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


def check_gradebook(folder: Path, db_url: str = "") -> None:
    """Raises gradebook.GradebookError where the class's gradebook cannot be written: `db_url`, or the folder's own."""
    from nbproctor.gradebook import check_writable, sqlite_url  # nbgrader takes a second to import

    check_writable(db_url or sqlite_url(folder / "gradebook.db"))


def write_files(result: Result, one: Submission, unit: Unit, folder: Path) -> None:
    """What formgrader shows of one submission: the autograded notebook. Pages come later, from the gradebook."""
    write_autograded(result, unit, folder)


def record(results: Sequence[Result], units: Mapping[str, Unit], folder: Path, db_url: str = "") -> list[str]:
    """Bring the class's gradebook (at `db_url`, or in the folder) up to date, then what is made from it: see `publish`.

    Returns a line for each thing that the instructor should know. Raises gradebook.GradebookError where the gradebook
    cannot be written; all else is written by then, from the results alone.
    """
    from sqlalchemy.exc import SQLAlchemyError

    from nbproctor import gradebook

    store = Store(folder / "results")
    for result in results:
        if not result.key:  # it could not be graded, so that it is not kept yet
            store.put(result)
    url = db_url or gradebook.sqlite_url(folder / "gradebook.db")
    notes: list[str] = []
    try:
        for name, unit in units.items():
            notes += gradebook.record([result for result in results if result.unit == name], unit, url)
        notes += publish(results, gradebook.read(url), units, folder)
    except SQLAlchemyError as error:
        publish(results, {}, units, folder)
        raise gradebook.told(url, error) from error
    return notes


def publish(results: Sequence[Result], grades: Grades, units: Mapping[str, Unit], folder: Path) -> list[str]:
    """Write report, CSV files and every student's page, from the last result of each submission and the gradebook.

    results: those of this run; the results of earlier runs are in the store, and count where the gradebook knows them.
    Returns a line for each page that could not be written.
    """
    mine = {(result.student, result.unit): result for result in results}
    known = {name: load_unit(name) for name in unit_names() if name not in units} | dict(units)
    earlier = [
        result
        for result in Store(folder / "results").all()
        if (place := (result.student, result.unit)) not in mine and place in grades and result.unit in known
    ]
    current = sorted([*mine.values(), *earlier], key=lambda result: (result.unit, result.student))
    both = beside(current, grades)
    known = {name: unit for name, unit in known.items() if any(result.unit == name for result in current)}
    write_class_report(current, both, [known[name] for name in sorted(known)], folder)
    return [line for result in current for line in _write_page(result, both, known, folder)]


def _write_page(result: Result, grades: Grades, units: Mapping[str, Unit], folder: Path) -> list[str]:
    try:
        write_feedback(result, grades[result.student, result.unit], units[result.unit], folder)
    except (ValueError, OSError) as error:
        return [line(f"{result.student}, {result.unit}: the page could not be written ({error})")]
    return []
