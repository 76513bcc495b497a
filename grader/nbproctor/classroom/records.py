"""The instructor's folder: prepares it, records results in the gradebook, and writes notebooks, pages and report."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import msgspec

from nbproctor.classroom.pages.class_report import write_class_report
from nbproctor.classroom.pages.feedback import write_feedback
from nbproctor.course.units import CourseError, Unit, load_unit, unit_names
from nbproctor.errors import UserError
from nbproctor.run.store import Store
from nbproctor.values.grades import Grades, Student, all_grades, label
from nbproctor.values.result import Result
from nbproctor.values.submission import Remark, is_folder
from nbproctor.values.text import Clean, clean, line, write_whole

OUTPUTS = ("autograded", "feedback", "report", "results")
COLLECTED = "collected.json"
CHANGES = 10  # a remark on changed scores names at most this many
COLLECTIONS = 4  # this many downloads are remembered: for two sections, the main download and one of late work


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
    """Check that the class's gradebook, at `db_url` or in the folder, can be written.

    Raises gradebook.GradebookError if it cannot.
    """
    from nbproctor.classroom.gradebook import check_writable, sqlite_url  # nbgrader takes half a second to import

    check_writable(db_url or sqlite_url(folder / "gradebook.db"))


def students(folder: Path, db_url: str = "") -> tuple[Student, ...]:
    """Return the students whom the class's gradebook has. Raises gradebook.GradebookError if it cannot be read."""
    from nbproctor.classroom import gradebook

    return tuple(gradebook.read_all(db_url or gradebook.sqlite_url(folder / "gradebook.db"))[1].values())


def record(
    results: Sequence[Result],
    units: Mapping[str, Unit],
    folder: Path,
    db_url: str = "",
    remarks: Sequence[Remark] = (),
    people: Sequence[Student] = (),
) -> tuple[Grades, tuple[Remark, ...]]:
    """Record results in the class's gradebook, at `db_url` or in the folder; then write all pages and the report.

    people: students as a roster has them, for the names that the gradebook lacks. Returns the grades that are in the
    gradebook now, and remarks.

    Raises gradebook.GradebookError if the gradebook cannot be read or written. The results are kept, so the same
    command continues from there. A later error becomes a remark, and only the page that it concerns is missing.
    """
    grades, found, changed = _in_gradebook(results, units, folder, db_url, people)
    found += publish(results, grades, units, folder, [*remarks, *found])
    return all_grades(results, grades), (*found, *changed)


def record_alone(
    student: str, results: Sequence[Result], units: Mapping[str, Unit], folder: Path, db_url: str = ""
) -> tuple[Grades, tuple[Remark, ...]]:
    """Do as `record` does for one student's results, and write only their pages: the report stays as it was."""
    grades, found, changed = _in_gradebook(results, units, folder, db_url, (), student)
    both = all_grades(results, grades)
    found += [remark for result in results if (remark := _write_page(result, both, units, folder)) is not None]
    return both, (*found, *changed)


def _in_gradebook(  # noqa: PLR0913 what is recorded, and where
    results: Sequence[Result],
    units: Mapping[str, Unit],
    folder: Path,
    db_url: str,
    people: Sequence[Student],
    student: str = "",
) -> tuple[Grades, list[Remark], list[Remark]]:
    """Record results; return the grades of the class, or of one student, and remarks: on trouble, on changed scores."""
    from nbproctor.classroom import gradebook

    url = db_url or gradebook.sqlite_url(folder / "gradebook.db")
    found = _store_new(results, Store(folder / "results"))
    before = gradebook.read(url, student)
    words: list[str] = []
    for name, unit in units.items():
        words += gradebook.record([result for result in results if result.unit == name], unit, url, people)
    grades = gradebook.read(url, student)
    found += [Remark(clean("gradebook"), line(word)) for word in dict.fromkeys(words)]
    return grades, found, _changed(before, grades)


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


class _PastCollection(msgspec.Struct):
    """The remarks on an earlier download, each as (where, text, whether it needs a look)."""

    source: str
    day: str
    said: tuple[tuple[str, str, bool], ...]


def remember_collection(folder: Path, source: Path, remarks: Sequence[Remark]) -> None:
    """Keep the remarks on a download for the reports of later runs.

    Nothing else in the classroom mentions a student who handed in no notebook. Earlier remarks on the same download are
    replaced.
    """
    said = tuple((one.where, one.text, one.needs_look) for one in remarks)
    new = _PastCollection(str(source.resolve()), f"{datetime.now():%Y-%m-%d}", said)
    others = [one for one in _collections(folder) if one.source != new.source]
    write_whole(folder / "results" / COLLECTED, msgspec.json.encode([new, *others][:COLLECTIONS]))


def earlier_remarks(folder: Path, now: Path | None = None) -> list[Remark]:
    """Return the remarks on the last downloads, except for the one that is being collected now.

    For the older ones these are only remarks that need a look: a student who was missing then may have handed in since.
    """
    found = []
    for number, one in enumerate(_collections(folder)):
        if now is None or one.source != str(now.resolve()):
            when = f"(said when {Path(one.source).name} was collected, {one.day})"
            for where, text, look in one.said:
                if look or number == 0:
                    found.append(Remark(clean(where, 600), line(f"{text} {when}", 800), look))
    return found


def _collections(folder: Path) -> list[_PastCollection]:
    """Return what `remember_collection` has kept; an empty list if the file is missing or damaged."""
    try:
        return msgspec.json.decode((folder / "results" / COLLECTED).read_bytes(), type=list[_PastCollection])
    except (OSError, msgspec.MsgspecError, RecursionError):
        return []


def _store_new(results: Sequence[Result], store: Store) -> list[Remark]:
    """Store the results without a key, which are not in the store yet; return a remark for each that cannot be stored.

    The report shows them until the next run grades these submissions again.
    """
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
    """Write every student's page, then the report and the CSV files.

    They show the last result of each submission with its grades. Returns a remark for each student who was removed, for
    each page that could not be written and each unit that cannot be read, and one if the report could not be written.

    results: those of this run. Results of earlier runs come from the store, and count if the gradebook has their
    students. remarks: on files.
    """
    stored = Store(folder / "results").all_but(results)
    forgotten = _forgotten([one for one in stored if _is_gone(one, grades, folder)], folder)
    remarks = [*remarks, *forgotten]
    earlier = [result for result in stored if (result.student, result.unit) in grades]
    known, failed = _with_their_units(earlier, units)
    counting = [*results, *(result for result in earlier if result.unit in known)]
    current = sorted(counting, key=lambda result: (result.unit, result.student))
    both = all_grades(current, grades)
    known = {name: unit for name, unit in known.items() if any(result.unit == name for result in current)}
    failed += [remark for result in current if (remark := _write_page(result, both, known, folder)) is not None]
    try:
        write_class_report(current, both, [known[name] for name in sorted(known)], folder, [*remarks, *failed])
    except Exception as error:  # noqa: BLE001 a full disk, or a fault of ours: the pages are there all the same
        failed.append(_trouble("report", "the class's report could not be written", error))
    return [*forgotten, *failed]


def _is_gone(result: Result, grades: Grades, folder: Path) -> bool:
    """Whether this student is no longer in the gradebook or in `submitted/`."""
    submitted = folder / "submitted"
    places = (submitted / result.student, submitted / result.unit / result.student)
    return not any(student == result.student for student, _ in grades) and not any(map(is_folder, places))


def _forgotten(gone: Iterable[Result], folder: Path) -> list[Remark]:
    """Remove the pages, notebooks and results of students who were removed. Returns a remark for each student."""
    found: dict[Clean, None] = {}
    for one in gone:
        places = [folder / name / one.student / one.unit for name in ("feedback", "autograded")]
        for place in places:
            shutil.rmtree(place, ignore_errors=True)
            with suppress(OSError):  # there is another unit of theirs, or something that is not ours
                place.parent.rmdir()
        Store(folder / "results").path(one.student, one.unit).unlink(missing_ok=True)
        found[one.student] = None
    why = (
        "neither the gradebook nor submitted/ has this student any more, so their pages, notebooks and results are gone"
    )
    return [Remark(student, line(why), needs_look=False) for student in found]


def _with_their_units(earlier: Iterable[Result], units: Mapping[str, Unit]) -> tuple[dict[str, Unit], list[Remark]]:
    """Return these units and those of earlier results that the course still has, by name.

    Also returns a remark for each unit that cannot be read.
    """
    known, unread = dict(units), []
    for name in sorted({result.unit for result in earlier} & set(unit_names()) - set(units)):
        try:
            known[name] = load_unit(name)
        except CourseError as error:
            unread.append(Remark(clean(name), line(f"earlier results are not in the report: {error}", 400)))
    return known, unread


def _write_page(result: Result, grades: Grades, units: Mapping[str, Unit], folder: Path) -> Remark | None:
    try:
        write_feedback(result, grades[result.student, result.unit], units[result.unit], folder)
    except Exception as error:  # noqa: BLE001 only this page is lost
        return _trouble(f"{result.student}/{result.unit}", "the page could not be written", error)
    return None
