"""The instructor's folder: what was handed in, and where the results go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from nbproctor.autograded import write_autograded
from nbproctor.class_report import write_class_report
from nbproctor.course import Unit, load_unit, unit_names
from nbproctor.feedback import write_feedback
from nbproctor.grades import Grades, beside
from nbproctor.result import Result
from nbproctor.store import Store
from nbproctor.submission import Remark, Submission
from nbproctor.text import line

OUTPUTS = ("autograded", "feedback", "report", "results")


class ClassroomError(Exception):
    """A classroom that cannot be graded; the message says where and what to do."""


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


def record(
    results: Sequence[Result],
    units: Mapping[str, Unit],
    folder: Path,
    db_url: str = "",
    remarks: Sequence[Remark] = (),
) -> list[str]:
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
        notes += publish(results, gradebook.read(url), units, folder, remarks)
    except SQLAlchemyError as error:
        publish(results, {}, units, folder, remarks)
        raise gradebook.told(url, error) from error
    return notes


def final(results: Sequence[Result], folder: Path, db_url: str = "") -> Grades:
    """The grades that stand in the class's gradebook now, manual ones included, or those of the results."""
    from sqlalchemy.exc import SQLAlchemyError

    from nbproctor import gradebook

    try:
        return beside(results, gradebook.read(db_url or gradebook.sqlite_url(folder / "gradebook.db")))
    except SQLAlchemyError:  # it has been told already, when the scores were recorded
        return beside(results, {})


def publish(
    results: Sequence[Result],
    grades: Grades,
    units: Mapping[str, Unit],
    folder: Path,
    remarks: Sequence[Remark] = (),
) -> list[str]:
    """Write report, CSV files and every student's page, from the last result of each submission and the gradebook.

    results: those of this run; the results of earlier runs are in the store, and count where the gradebook knows them.
    remarks: what there is to say of files that were not simply graded.
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
    write_class_report(current, both, [known[name] for name in sorted(known)], folder, remarks)
    return [line for result in current for line in _write_page(result, both, known, folder)]


def _write_page(result: Result, grades: Grades, units: Mapping[str, Unit], folder: Path) -> list[str]:
    try:
        write_feedback(result, grades[result.student, result.unit], units[result.unit], folder)
    except (ValueError, OSError) as error:
        return [line(f"{result.student}, {result.unit}: the page could not be written ({error})")]
    return []
