"""The instructor's folder: prepares it, records results in the gradebook, and writes notebooks, pages and report."""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from nbproctor.classroom.autograded import write_autograded
from nbproctor.classroom.pages.class_report import write_class_report
from nbproctor.classroom.pages.feedback import write_feedback
from nbproctor.course.units import CourseError, Unit, load_unit, unit_names
from nbproctor.errors import UserError
from nbproctor.run.store import Store
from nbproctor.values.grades import Grades, Student, beside, taken_in
from nbproctor.values.result import Result
from nbproctor.values.submission import Remark, Submission, is_folder
from nbproctor.values.text import EMPTY, Clean, clean, line, write_whole

OUTPUTS = ("autograded", "feedback", "report", "results")
TO_TELL = "to_tell.json"
COLLECTED = "collected.json"
CHANGES = 10  # a remark on changed scores names at most this many
COLLECTIONS = 4  # this many downloads are remembered: for two sections, the main download and one of late work
UNREAD = "it cannot be read, so this report lacks the points and comments that you gave by hand"


class ClassroomError(UserError):
    """A classroom that cannot be graded; the message says where and what to do."""


def prepare(folder: Path) -> None:
    """Make the folders that results go to. Raises ClassroomError where they cannot be written."""
    try:
        for name in OUTPUTS:
            (folder / name).mkdir(parents=True, exist_ok=True)
            probe = folder / name / ".writable"
            probe.touch()
            probe.unlink()
    except OSError as error:
        raise ClassroomError(
            f"{error.filename or folder}: cannot write there ({error.strerror}); allow writing, or "
            "name another folder with --classroom"
        ) from error


def check_gradebook(folder: Path, db_url: str = "") -> None:
    """Check that the class's gradebook, at `db_url` or in the folder, can be written.

    Raises gradebook.GradebookError where it cannot.
    """
    from nbproctor.classroom.gradebook import check_writable, sqlite_url  # nbgrader takes half a second to import

    check_writable(db_url or sqlite_url(folder / "gradebook.db"))


def write_files(result: Result, one: Submission, unit: Unit, folder: Path) -> None:
    """Write the autograded notebook, which formgrader shows. Students' pages are written later, from the gradebook."""
    write_autograded(result, unit, folder)


@dataclass(frozen=True)
class Recorded:
    """How a class's results were recorded.

    grades: what is in the gradebook now; where it refused these results, what would be in it. remarks: what somebody
    should look at. refused: why the gradebook does not have these scores, or "".
    """

    grades: Grades
    remarks: tuple[Remark, ...] = ()
    refused: Clean = EMPTY


def record(
    results: Sequence[Result],
    units: Mapping[str, Unit],
    folder: Path,
    db_url: str = "",
    remarks: Sequence[Remark] = (),
    people: Sequence[Student] = (),
) -> Recorded:
    """Record results in the class's gradebook, at `db_url` or in the folder; then write all pages and the report.

    people: students as a roster has them, for the names that the gradebook lacks.

    An error on the way is reported in a remark, and only what it concerns is missing; everything else is written (see
    `publish`).
    """
    from nbproctor.classroom import gradebook

    url = db_url or gradebook.sqlite_url(folder / "gradebook.db")
    found = _kept(results, Store(folder / "results"))
    grades: Grades | None = None
    changes: list[Remark] = []
    refused: Clean = EMPTY
    words = list(_untold(folder))
    try:
        grades = gradebook.read(url)  # if the gradebook fails after this, points given by hand are known from here
        for name, unit in units.items():
            mine = [result for result in results if result.unit == name]
            notes = gradebook.record(mine, unit, url, lambda removed: _to_tell(folder, [*words, *removed]), people)
            words.extend(notes)
        before, grades = grades, gradebook.read(url)
        changes = [*_changed(before, grades), *_of_no_unit(grades)]
    except Exception as error:  # noqa: BLE001 whatever it is, the report is still written, and says so
        grades = None if grades is None else taken_in(results, grades)
        refused = line(str(gradebook.told(url, error)), 600)
        found.append(Remark(clean("gradebook"), line(f"it does not have these scores: {refused}", 600)))
    found += [Remark(clean("gradebook"), line(word)) for word in dict.fromkeys(words)]
    found += publish(results, grades, units, folder, [*remarks, *found])
    return Recorded(beside(results, grades or {}), (*found, *changes), refused)


def _changed(before: Grades, after: Grades) -> list[Remark]:
    """Return a remark for each unit in which a score has changed with this run, as when a check was mended."""
    found = defaultdict[str, list[str]](list)
    for (student, unit), grade in sorted(after.items()):
        old = before.get((student, unit))
        if old and old.score is not None and old.score != grade.score:
            now = "none" if grade.score is None else f"{grade.score:g}"
            found[unit].append(f"{student} {old.score:g} → {now}")
    return [Remark(clean(unit), _changes(them), look=False) for unit, them in found.items()]


def _changes(them: Sequence[str]) -> Clean:
    more = f" and {len(them) - CHANGES} more" if len(them) > CHANGES else ""
    scores = "1 score has" if len(them) == 1 else f"{len(them)} scores have"
    return line(f"{scores} changed in this run: {', '.join(them[:CHANGES])}{more}")


def _of_no_unit(grades: Grades) -> list[Remark]:
    """Return a remark where the gradebook has scores for something that is no unit of the course.

    Such scores are in every export, and count in every sum.
    """
    others = sorted({unit for _, unit in grades} - set(unit_names()))
    if not others:
        return []
    text = (
        f"it also has scores of {', '.join(others)}, which the course does not have. They count in grades.csv and in "
        f"every export; `../.venv/bin/nbgrader db assignment remove {others[0]} --force`, run in grader/ as its README "
        "says, removes them"
    )
    return [Remark(clean("gradebook"), line(text, 400), look=False)]


def _to_tell(folder: Path, words: Sequence[str]) -> None:
    """Keep on disk what the report has to say about the gradebook, in case this run is killed before it can.

    It is written before the gradebook's change is final; an empty `words`, once the report is written, removes it.
    """
    if words:
        write_whole(folder / "results" / TO_TELL, json.dumps(words))
    else:
        (folder / "results" / TO_TELL).unlink(missing_ok=True)


def _untold(folder: Path) -> list[str]:
    """Return what an earlier run, which was killed, had to say about the gradebook and may not have said."""
    try:
        found = json.loads((folder / "results" / TO_TELL).read_bytes())
    except (OSError, ValueError):
        return []
    return [word for word in found if isinstance(word, str)] if isinstance(found, list) else []


def remember_collection(folder: Path, source: Path, remarks: Sequence[Remark]) -> None:
    """Keep the remarks on a download for the reports of later runs.

    Nothing else in the classroom tells of a student who handed in no notebook. Earlier remarks on the same download are
    replaced.
    """
    said = [[one.where, one.text, one.look] for one in remarks]
    new = {"source": str(source.resolve()), "day": f"{datetime.now():%Y-%m-%d}", "said": said}
    others = [one for one in _collections(folder) if one.get("source") != new["source"]]
    write_whole(folder / "results" / COLLECTED, json.dumps([new, *others][:COLLECTIONS]))


def said_before(folder: Path, now: Path | None = None) -> list[Remark]:
    """Return the remarks on the last downloads, except for the one that is being collected now.

    Of the older ones only the remarks that need a look are returned, since a student who was missing at that time may
    have handed in something since.
    """
    found = []
    for number, one in enumerate(_collections(folder)):
        source, day, said = one.get("source"), one.get("day"), one.get("said")
        if not isinstance(source, str) or not isinstance(said, list) or (now and source == str(now.resolve())):
            continue
        when = f"(said when {Path(source).name} was collected, {day})"
        for words in said:
            if isinstance(words, list) and list(map(type, words)) == [str, str, bool] and (words[2] or number == 0):
                found.append(Remark(clean(words[0], 600), line(f"{words[1]} {when}", 800), words[2]))
    return found


def _collections(folder: Path) -> list[dict[str, object]]:
    """Return what `remember_collection` has kept; an empty list where the file is missing or damaged."""
    try:
        found = json.loads((folder / "results" / COLLECTED).read_bytes())
    except (OSError, ValueError, RecursionError):
        return []
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _kept(results: Sequence[Result], store: Store) -> list[Remark]:
    """Store the results that have no key, and return a remark for each that cannot be stored.

    They are not in the store yet. The report shows them until the next run tries to grade these submissions again.
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
    results: Sequence[Result],
    grades: Grades | None,
    units: Mapping[str, Unit],
    folder: Path,
    remarks: Sequence[Remark] = (),
) -> list[Remark]:
    """Write every student's page, then the report and the CSV files.

    They show the last result of each submission, with what the gradebook has. Returns a remark for each page that could
    not be written and each unit that cannot be read, and one where the report could not be written.

    results: those of this run. The results of earlier runs come from the store, and count where the gradebook has them.
    grades: what is in the gradebook; None where it cannot be read. Then every stored result counts, and the pages of
    earlier runs stay as they are, because they may show points that were given by hand.
    remarks: on files that were not simply graded.
    """
    mine = {(result.student, result.unit): result for result in results}
    stored = Store(folder / "results").all()
    gone = [] if grades is None else [one for one in stored if _is_gone(one, grades, folder)]
    remarks = [*remarks, *_forgotten(gone, folder)]
    earlier = [
        result
        for result in stored
        if (place := (result.student, result.unit)) not in mine and (grades is None or place in grades)
    ]
    known, failed = _with_their_units(earlier, units)
    counting = [*mine.values(), *(result for result in earlier if result.unit in known)]
    current = sorted(counting, key=lambda result: (result.unit, result.student))
    both = beside(current, grades or {})
    known = {name: unit for name, unit in known.items() if any(result.unit == name for result in current)}
    pages = current if grades is not None else list(mine.values())
    failed += [told for result in pages if (told := _write_page(result, both, known, folder)) is not None]
    unread = [Remark(clean("gradebook"), line(UNREAD))] if grades is None else []
    try:
        write_class_report(current, both, [known[name] for name in sorted(known)], folder, [*remarks, *unread, *failed])
        _to_tell(folder, ())
    except Exception as error:  # noqa: BLE001 a full disk, or a fault of ours: the pages are there all the same
        failed.append(_trouble("report", "the class's report could not be written", error))
    return failed


def _is_gone(result: Result, grades: Grades, folder: Path) -> bool:
    """Whether neither the gradebook nor `submitted/` has this student any more."""
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
    return [Remark(student, line(why), look=False) for student in found]


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
