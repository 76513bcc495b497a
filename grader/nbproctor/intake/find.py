"""Finds the notebooks to grade, and says in one line about every other file why it is not graded.

`find` reads `submitted/`, where a notebook's place says which student and which unit it belongs to. `collect` fills
that folder from a learning system's download. Nothing is guessed if a guess could cost a student points. Of several
notebooks the one with answers counts; of several with answers the one in the unit's folder, and there the one called
UNIT.ipynb. Every notebook that does not count is kept and gets a remark.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from nbproctor.course.units import unit_names
from nbproctor.errors import UserError
from nbproctor.intake.archive import LEFTOVERS, is_archive, problem_of
from nbproctor.intake.claim import unit_named
from nbproctor.intake.fit import Fit, OnProgress, fits, unit_features
from nbproctor.intake.roster import composed
from nbproctor.values.grades import COUNTS_FROM
from nbproctor.values.result import Result, is_empty
from nbproctor.values.submission import DEEPEST, TOO_DEEP, Remark, Submission, is_file, is_folder, is_notebook_name
from nbproctor.values.text import EMPTY, Clean, clean, line, many, name_below, name_of

OLDER = "older"  # the folder beside a notebook for those that do not count any more
TIMESTAMP = "timestamp.txt"  # in this file nbgrader notes when a notebook was handed in
RECEIVED = ".received.json"  # in this file `collect` notes what else a learning system said about a notebook


class IntakeError(UserError):
    """Nothing can be graded; the message says why, and what to do."""


@dataclass(frozen=True)
class FoundSubmissions:
    """The submissions to grade, remarks on other files, and how many notebooks each unit has that was not asked for."""

    submissions: tuple[Submission, ...]
    remarks: tuple[Remark, ...] = ()
    others: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class _NotebookFile:
    """A notebook below `submitted/`.

    unit: the unit that it belongs to, or "" while that is not known. is_placed: whether it lies in that unit's folder.
    home: that folder, or else the student's folder. fit: what it holds, once it was read.
    """

    student: Clean
    unit: str
    path: Path
    home: Path
    is_placed: bool
    fit: Fit = Fit()

    @property
    def where(self) -> Clean:
        inside = name_below(self.home, self.path)
        return clean(f"{self.student}/{self.unit}/{inside}" if self.is_placed else f"{self.student}/{inside}", 600)


@dataclass
class _Walk:
    """What a walk through `submitted/` has found so far.

    empty: a submission without a notebook for each unit folder that has none. remarks: remarks on files and folders.
    """

    notebooks: list[_NotebookFile] = field(default_factory=list)
    empty: list[Submission] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)

    def add_remark(self, where: str, text: str, needs_look: bool = True) -> None:
        self.remarks.append(Remark(clean(where, 600), line(text, 600), needs_look))


def find(
    folder: Path, units: Sequence[str] | None, on_progress: OnProgress = lambda done, total: None, student: str = ""
) -> FoundSubmissions:
    """Find all submissions below `folder/submitted` to these units. Raises UserError if copies find no room.

    units: None for all that seem to be set (`is_set`); a notebook of another one gets a remark. on_progress: called
    with the number of notebooks read so far and of all. student: if given, nobody else's folder is opened.

    A notebook belongs in STUDENT/UNIT/. UNIT/STUDENT/ is read too, and so is a notebook elsewhere in a student's
    folder if its cells, or else its name, say which unit it belongs to. Links are not followed. Several folders
    whose names stand for the same student's id are this student's.
    """
    known = unit_names()
    wanted = units or known
    walk = _Walk()
    for path in _entries(folder / "submitted", "", walk, student, known):
        if not is_folder(path):
            walk.add_remark(name_of(path), _loose(path))
        elif path.name not in known:
            _walk_student(composed(name_of(path)), path, known, walk)
        else:
            for inner in _entries(path, f"{path.name}/", walk, student):
                if is_folder(inner):
                    _walk_unit(composed(name_of(inner)), path.name, inner, walk)
                else:
                    walk.add_remark(f"{path.name}/{name_of(inner)}", _loose(inner))
    candidates = _read([one for one in walk.notebooks if not one.unit or one.unit in wanted], on_progress)
    candidates = [replaced for one in candidates if (replaced := _with_unit(one, known, walk)) is not None]
    grouped: dict[tuple[str, str], list[_NotebookFile]] = defaultdict(list)
    for one in candidates:
        grouped[one.student, one.unit].append(one)
    submissions = [_chosen(group, walk) for (_, unit), group in grouped.items() if unit in wanted]
    submissions += [one for one in walk.empty if one.unit in wanted and (one.student, one.unit) not in grouped]
    others = Counter(one.unit for one in (*walk.notebooks, *candidates) if one.unit and one.unit not in wanted)
    submissions.sort(key=lambda one: (one.student, one.unit))
    if not units:
        submissions = _of_set_units(submissions, folder, walk)
    return FoundSubmissions(tuple(submissions), tuple(walk.remarks), tuple(sorted(others.items())))


def is_set(unit: str, handed_in: int, students: int, folder: Path) -> bool:
    """Whether a unit seems to be set: a fifth of the class has handed it in, or it was graded before."""
    return handed_in >= COUNTS_FROM * students or is_folder(folder / "results" / unit)


def _of_set_units(submissions: list[Submission], folder: Path, walk: _Walk) -> list[Submission]:
    """Return the submissions to units that seem to be set, or all of them if none does; the others get a remark.

    Otherwise a single notebook of another unit, handed in by mistake, would add a column of its own.
    """
    handed_in = Counter(one.unit for one in submissions)
    students = len({one.student for one in submissions})
    are_set = {unit for unit, number in handed_in.items() if is_set(unit, number, students, folder)} or {*handed_in}
    for one in submissions:
        if one.unit not in are_set:
            text = f"not graded: only {handed_in[one.unit]} of {many(students, 'student')} handed in {one.unit}, so it"
            todo = f"If this is the wrong notebook, ask for the right one; if {one.unit} is set, grade it by its name"
            walk.add_remark(
                f"{one.student}/{one.unit}", f"{text} does not seem to be set. {todo}: make grade ARGS={one.unit}"
            )
    return [one for one in submissions if one.unit in are_set]


def in_folder(student: Clean, unit: str, place: Path) -> tuple[Submission, tuple[Remark, ...]]:
    """Return the submission that counts in the folder of one student's unit, and remarks on the other notebooks."""
    walk = _Walk()
    _walk_unit(student, unit, place, walk)
    if not walk.notebooks:
        return walk.empty[0], tuple(walk.remarks)
    return _chosen(_read(walk.notebooks), walk), tuple(walk.remarks)


def _read(
    notebooks: Sequence[_NotebookFile], on_progress: OnProgress = lambda done, total: None
) -> list[_NotebookFile]:
    held = fits([one.path for one in notebooks], unit_features() if notebooks else [], on_progress)
    return [replace(one, fit=fit) for one, fit in zip(notebooks, held, strict=True)]


def _entries(folder: Path, inside: str, walk: _Walk, student: str = "", others: Sequence[str] = ()) -> list[Path]:
    """List a folder in order, without hidden files and systems' leftovers; links and the like get a remark.

    student: if given, only their folder is listed, and those named in `others`.
    """
    found = []
    try:
        paths = sorted(folder.iterdir())
    except OSError as error:
        if not isinstance(error, FileNotFoundError):
            walk.add_remark(inside or name_of(folder), f"this folder cannot be read ({error.strerror})")
        return []
    for path in paths:
        if path.name.startswith(".") or path.name in LEFTOVERS:
            continue
        if student and path.name not in others and composed(name_of(path)) != student:
            continue
        if problem := problem_of(path):
            walk.add_remark(f"{inside}{name_of(path)}", problem)
        else:
            found.append(path)
    return found


def _loose(path: Path) -> str:
    """Say why a file outside every student's folder is not graded, and what to do."""
    return (
        "not graded: it lies outside every student's folder; put what is a student's into STUDENT/UNIT/, and collect a "
        f"learning system's download with `make grade FROM={path}`"
    )


def _walk_student(student: Clean, home: Path, known: Sequence[str], walk: _Walk) -> None:
    """Walk through a student's folder. A notebook outside the units' folders may still belong to a unit."""
    before = len(walk.remarks)
    here = _entries(home, f"{student}/", walk)
    if not here and len(walk.remarks) == before:
        walk.add_remark(student, "this student's folder is empty, so there is nothing to grade")
    for path in here:
        inside = f"{student}/{name_of(path)}"
        if path.name in known and is_folder(path):
            _walk_unit(student, path.name, path, walk)
            continue
        found = [path] if is_notebook_name(path.name) else []
        if is_folder(path):
            found = _notebooks(path, f"{inside}/", walk, lambda inner, has_one: inner.name != OLDER or not has_one)
        walk.notebooks += [_NotebookFile(student, "", one, home, is_placed=False) for one in found]
        if is_archive(path.name) and not is_folder(path):
            walk.add_remark(inside, _archived(path))
        elif not found:
            why = "not graded: it is not named after a unit of the course, and there is no notebook in it"
            walk.add_remark(inside, why, is_folder(path))


def _walk_unit(student: Clean, unit: str, place: Path, walk: _Walk) -> None:
    """Walk through STUDENT/UNIT/, and if it has no notebook, through the folders below it."""
    found = _notebooks(place, f"{student}/{unit}/", walk, lambda inner, has_one: inner.name != OLDER and not has_one)
    walk.notebooks += [_NotebookFile(student, unit, path, place, is_placed=True) for path in found]
    if not found:
        there = ", ".join(name_of(path) for path in _entries(place, "", _Walk()))
        refused = line(f"{unit}.ipynb is missing; only {there} lies there") if there else EMPTY
        walk.empty.append(Submission(student, unit, place / f"{unit}.ipynb", refused=refused))


def _notebooks(folder: Path, inside: str, walk: _Walk, goes_into: Callable[[Path, bool], bool]) -> list[Path]:
    """Return the notebooks in a folder and below; archives get a remark.

    goes_into: whether to look through a folder, given it and whether there is a notebook beside it.
    """
    found: list[Path] = []
    waiting = [(folder, inside, 0)]
    while waiting:
        place, known, depth = waiting.pop(0)
        if depth > DEEPEST:
            walk.add_remark(known.rstrip("/"), TOO_DEEP)
            continue
        here = _entries(place, known, walk)
        notebooks = [path for path in here if is_notebook_name(path.name)]
        for path in here:
            if path in notebooks:
                found.append(path)
            elif is_folder(path) and goes_into(path, bool(notebooks)):
                waiting.append((path, f"{known}{name_of(path)}/", depth + 1))
            elif is_archive(path.name) and not is_folder(path):
                walk.add_remark(f"{known}{name_of(path)}", _archived(path))
    return found


def _archived(path: Path) -> str:
    """Say what to do with an archive in a student's folder: unpack it there, since only the folder says whose it is."""
    return (
        f"this is an archive, which is not opened here; unpack it where it lies, in {name_of(path.parent)}/, "
        "and grade again"
    )


def _with_unit(one: _NotebookFile, known: Sequence[str], walk: _Walk) -> _NotebookFile | None:
    """Return the notebook with the unit of its folder, cells or name; None, with a remark, if none of them says."""
    unit = one.unit or one.fit.unit or unit_named(one.path.name, known)
    if unit:
        return replace(one, unit=unit)
    why = one.fit.problem or "none of its cells belongs to a unit of this course"
    walk.add_remark(one.where, f"not graded: it lies outside every unit's folder, and {why}")
    return None


def _chosen(group: Sequence[_NotebookFile], walk: _Walk) -> Submission:
    """Choose the notebook that counts among those of one student for one unit; the others get a remark."""
    student, unit = group[0].student, group[0].unit
    strangers = [one for one in group if one.fit.is_elsewhere(unit)]
    own = [one for one in group if one not in strangers] or strangers[:1]
    for one in strangers:
        if one not in own:
            walk.add_remark(one.where, f"not graded: its cells belong to {one.fit.unit}")
    alike = _foremost(own, unit)
    one, seen = alike[0], alike[0].fit
    refused: Clean = EMPTY
    if len(alike) > 1:
        names = ", ".join(two.where for two in alike)
        refused = line(f"there are {many(len(alike), 'notebook')}, and nothing says which of them counts: {names}")
        one, seen = replace(one, path=one.home / f"{unit}.ipynb"), Fit()
    elif one in strangers:
        todo = f"if that is what was handed in, move it to {student}/{seen.unit}/, unless a notebook lies there already"
        refused = line(f"its cells belong to {seen.unit}, not to {unit}; {todo}")
    elif seen.copy is None:
        refused = line(seen.problem)
    rest = [two for two in own if two.path != one.path and two.fit.copy != seen.copy]
    if rest and not refused:
        look = any(two.fit.of(unit).answered for two in rest)
        why = ", where there are answers, too" if look else ""
        names = line(", ".join(two.where for two in rest), 400)
        walk.add_remark(one.where, f"this notebook counts, and not {names}{why}", look)
    if not refused and (late := received(one.path.parent).late):
        walk.add_remark(f"{student}/{unit}", line(late, 100), needs_look=False)
    has_files = one.is_placed or one.path.parent != one.home  # the student's folder may hold another unit's files
    when = moment(one.path.parent / TIMESTAMP)
    return Submission(student, unit, one.path, when, refused, has_files, seen.cells_of, seen.copy)


def _foremost(group: Sequence[_NotebookFile], unit: str) -> list[_NotebookFile]:
    """Return the notebook that counts, or several if nothing says which of them does. Copies of one count as one."""
    rules: tuple[Callable[[_NotebookFile], bool], ...] = (
        lambda one: bool(one.fit.of(unit).answered),
        lambda one: one.is_placed,
        lambda one: one.path.name == f"{unit}.ipynb",
    )
    for rule in rules:
        group = [one for one in group if rule(one)] or group
    different: dict[object, _NotebookFile] = {}
    for one in group:
        different.setdefault(one.fit.copy or one.path, one)
    return list(different.values())


class Received(msgspec.Struct, frozen=True):
    """What a learning system said about a collected notebook; `collect` stores it in RECEIVED.

    late: that it was late, in the system's words, or "". name: its path in the download. number: the student's number
    in the system. turn: greater for the later of two notebooks of a student.
    """

    system: str = ""
    number: str = ""
    turn: tuple[int, ...] = ()
    name: str = ""
    late: str = ""


def received(place: Path) -> Received:
    """Return what is noted about the notebook in this folder; nothing if there is no note that can be read."""
    path = place / RECEIVED
    with suppress(OSError, msgspec.MsgspecError, RecursionError):
        if is_file(path) and path.stat().st_size <= 10_000:  # reading a pipe could wait for ever
            return msgspec.json.decode(path.read_bytes(), type=Received)
    return Received()


def moment(path: Path) -> str:
    """Return the time in a file of nbgrader's as ISO 8601; "" if there is no such file, or no time in it."""
    try:
        if not is_file(path) or path.stat().st_size > 100:
            return ""
        from nbgrader.utils import parse_utc  # nbgrader takes half a second to import

        when = parse_utc(path.read_text(encoding="utf-8").strip())
        return str(when.isoformat())
    except (ValueError, OverflowError, OSError, AttributeError):
        return ""


def absent_exercises(results: Iterable[Result]) -> list[Remark]:
    """Return a remark for each exercise that no notebook of the class has: it may have been renamed."""
    whole: dict[str, list[Result]] = defaultdict(list)
    for result in results:
        if result.status == "graded" and any(exercise.status != "missing" for exercise in result.exercises):
            whole[result.unit].append(result)
    found = []
    for unit, those in whole.items():
        has = {exercise.name for result in those for exercise in result.exercises if exercise.status != "missing"}
        for exercise in those[0].exercises if len(those) > 1 else ():
            if exercise.name not in has:
                text = f"none of the {many(len(those), 'notebook')} has {exercise.name}. If you renamed it after"
                todo = "the notebook was given out, give its cells their old grade ids back"
                found.append(Remark(clean(unit), line(f"{text} {todo}")))
    return found


def unanswered(results: Iterable[Result]) -> list[Remark]:
    """Return a remark for each graded notebook without an answer in any exercise."""
    return [
        Remark(clean(f"{one.student}/{one.unit}"), line("no answer in any exercise"))
        for one in results
        if is_empty(one)
    ]


def foreign_cells(results: Iterable[Result], submissions: Iterable[Submission]) -> list[Remark]:
    """Return a remark for each graded notebook without points and without a cell of its unit: whose cells it has."""
    of = {(one.student, one.unit): one.fits for one in submissions}
    found = []
    for one in results:
        fits = of[one.student, one.unit]
        if one.status == "graded" and not one.score and fits != one.unit:
            text = f"its cells belong to {fits}" if fits else "none of its cells belongs to this course"
            found.append(Remark(clean(f"{one.student}/{one.unit}"), line(text)))
    return found
