"""The instructor's folder: prepares it, records results in the gradebook, and writes notebooks, pages and report."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from nbproctor.classroom.pages.class_report import write_class_report
from nbproctor.classroom.pages.feedback import write_feedback
from nbproctor.course.units import CourseError, Unit, load_unit, unit_names
from nbproctor.errors import UserError
from nbproctor.run.store import Store
from nbproctor.values.grades import Grades, Student, all_grades, label
from nbproctor.values.result import Result
from nbproctor.values.submission import Remark
from nbproctor.values.text import clean, line

OUTPUTS = ("autograded", "feedback", "report", "results")
CHANGES = 10  # a remark on changed scores names at most this many


def prepare(folder: Path) -> None:
    """Make the folders that results go to. Raises UserError if they cannot be written."""
    try:
        for name in OUTPUTS:
            (folder / name).mkdir(parents=True, exist_ok=True)
            probe = folder / name / ".writable"
            probe.touch()
            probe.unlink()
    except OSError as error:
        raise UserError(
            f"{error.filename or folder}: cannot write there ({error.strerror}); allow writing, or "
            "name another folder with --classroom"
        ) from error


def check_gradebook(folder: Path, db_url: str = "") -> None:
    """Check that the class's gradebook, at `db_url` or in the folder, can be written. Raises GradebookError."""
    from nbproctor.classroom.gradebook import check_writable, sqlite_url  # nbgrader takes half a second to import

    check_writable(db_url or sqlite_url(folder / "gradebook.db"))


def record(  # noqa: PLR0913 what is recorded, and where
    results: Sequence[Result],
    units: Mapping[str, Unit],
    folder: Path,
    db_url: str = "",
    remarks: Sequence[Remark] = (),
    people: Sequence[Student] = (),
    student: str = "",
) -> tuple[Grades, tuple[Remark, ...]]:
    """Record results in the class's gradebook; then write all pages and the report. Return the grades and remarks.

    people: students as a roster has them, for names that the gradebook lacks. student: the only one whose results these
    are; then only their pages are written. Raises gradebook.GradebookError; a later error becomes a remark, and only
    the page that it concerns is missing.
    """
    from nbproctor.classroom import gradebook

    url = db_url or gradebook.sqlite_url(folder / "gradebook.db")
    found = _store_new(results, Store(folder / "results"))
    before = gradebook.read(url, student)
    words: list[str] = []
    for name, unit in units.items():
        words += gradebook.record([result for result in results if result.unit == name], unit, url, people)
    after = gradebook.read(url, student)
    found += [Remark(clean("gradebook"), line(word)) for word in dict.fromkeys(words)]
    grades = all_grades(results, after)
    if student:
        found += _write_pages(results, grades, units, folder)
    else:
        found += publish(results, after, units, folder, [*remarks, *found])
    return grades, (*found, *_changed(before, after))


def _changed(before: Grades, after: Grades) -> list[Remark]:
    """Return a remark for each unit in which this run has changed a score, as when a check was fixed."""
    found = defaultdict[str, list[str]](list)
    for (student, unit), grade in sorted(after.items()):
        old = before.get((student, unit))
        if old and old.score is not None and old.score != grade.score:
            now = "none" if grade.score is None else f"{grade.score:g}"
            found[unit].append(f"{label(student, grade.name)} {old.score:g} → {now}")
    remarks = []
    for unit, them in found.items():
        more = f" and {len(them) - CHANGES} more" if len(them) > CHANGES else ""
        text = line(f"scores that have changed in this run: {', '.join(them[:CHANGES])}{more}")
        remarks.append(Remark(clean(unit), text, needs_look=False))
    return remarks


def _store_new(results: Sequence[Result], store: Store) -> list[Remark]:
    """Store results without a key, which are not in the store yet; return a remark for each that cannot be stored."""
    found = []
    for result in results:
        if not result.key:
            try:
                store.put(result)
            except Exception as error:  # noqa: BLE001 the result is in this run's report all the same
                found.append(_trouble(f"{result.student}/{result.unit}", "its result could not be kept", error))
    return found


def _trouble(where: str, what: str, error: Exception) -> Remark:
    return Remark(clean(where), line(f"{what} ({type(error).__name__}: {line(str(error), 200)})"))


def publish(
    results: Sequence[Result], grades: Grades, units: Mapping[str, Unit], folder: Path, remarks: Sequence[Remark] = ()
) -> list[Remark]:
    """Write every student's page, then the report and the CSV files. Returns remarks on what was not possible.

    results: those of this run; of earlier runs, those whose students the gradebook has. remarks: on files.
    """
    stored = Store(folder / "results").all_but(results)
    earlier = [result for result in stored if (result.student, result.unit) in grades]
    known, failed = _with_their_units(earlier, units)
    counting = [*results, *(result for result in earlier if result.unit in known)]
    current = sorted(counting, key=lambda result: (result.unit, result.student))
    both = all_grades(current, grades)
    known = {name: unit for name, unit in known.items() if any(result.unit == name for result in current)}
    failed += _write_pages(current, both, known, folder)
    try:
        write_class_report(current, both, [known[name] for name in sorted(known)], folder, [*remarks, *failed])
    except Exception as error:  # noqa: BLE001 a full disk, or a fault of ours: the pages are there all the same
        failed.append(_trouble("report", "the class's report could not be written", error))
    return failed


def _with_their_units(earlier: Iterable[Result], units: Mapping[str, Unit]) -> tuple[dict[str, Unit], list[Remark]]:
    """Return these units and those of earlier results by name, and a remark for each that cannot be read."""
    known, unread = dict(units), []
    for name in sorted({result.unit for result in earlier} & set(unit_names()) - set(units)):
        try:
            known[name] = load_unit(name)
        except CourseError as error:
            unread.append(Remark(clean(name), line(f"earlier results are not in the report: {error}", 400)))
    return known, unread


def _write_pages(results: Iterable[Result], grades: Grades, units: Mapping[str, Unit], folder: Path) -> list[Remark]:
    """Write the students' pages. Returns a remark for each that could not be written."""
    found = []
    for result in results:
        try:
            write_feedback(result, grades[result.student, result.unit], units[result.unit], folder)
        except Exception as error:  # noqa: BLE001 only this page is lost
            found.append(_trouble(f"{result.student}/{result.unit}", "the page could not be written", error))
    return found
