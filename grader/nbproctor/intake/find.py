"""Finds the notebooks to grade, and accounts for every other file with one line that says why it is not graded.

`find` reads `submitted/`, where a notebook's place says which student and which unit it belongs to. `collect` fills
that folder from a learning system's download. Nothing is guessed where a guess could cost a student points. Of several
notebooks the one with answers counts; of several with answers the one in the unit's folder, and there the one called
UNIT.ipynb. Every notebook that does not count is named and kept.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from nbproctor.course.units import unit_names
from nbproctor.errors import UserError
from nbproctor.intake.archive import LEFTOVERS, is_archive, problem_of
from nbproctor.intake.claim import unit_named
from nbproctor.intake.fit import Fit, Told, fits, shelves
from nbproctor.intake.roster import composed
from nbproctor.values.grades import COUNTS_FROM
from nbproctor.values.result import Result, is_empty
from nbproctor.values.submission import DEEPEST, TOO_DEEP, Remark, Submission, is_file, is_folder, is_notebook_name
from nbproctor.values.text import EMPTY, Clean, clean, line, many, name_of

OLDER = "older"  # the folder beside a notebook for those that do not count any more
TIMESTAMP = "timestamp.txt"  # in this file nbgrader notes when a notebook was handed in
RECEIVED = ".received.json"  # in this file `collect` notes what else a learning system said about a notebook


class IntakeError(UserError):
    """Raised where nothing can be graded; the message says why, and what to do."""


@dataclass(frozen=True)
class Collected:
    """The submissions to grade, and the notes on all other files.

    others: (unit, count) for each unit that was not asked for and has notebooks there.
    """

    submissions: tuple[Submission, ...]
    named: tuple[Remark, ...] = ()
    others: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class _Found:
    """A notebook below `submitted/`.

    unit: the unit that it belongs to, or "" while that is not known. placed: whether it lies in that unit's folder.
    home: that folder, or else the student's folder.
    """

    student: Clean
    unit: str
    path: Path
    home: Path
    placed: bool

    @property
    def where(self) -> Clean:
        inside = "/".join(name_of(Path(part)) for part in self.path.relative_to(self.home).parts)
        return clean(f"{self.student}/{self.unit}/{inside}" if self.placed else f"{self.student}/{inside}", 600)


@dataclass
class _Walk:
    """What a walk through `submitted/` has found so far.

    empty: a submission without a notebook for each unit folder that has none. named: remarks on files and folders.
    """

    notebooks: list[_Found] = field(default_factory=list)
    empty: list[Submission] = field(default_factory=list)
    named: list[Remark] = field(default_factory=list)

    def told(self, where: str, text: str, look: bool = True) -> None:
        self.named.append(Remark(clean(where, 600), line(text, 600), look))


def find(
    folder: Path, units: Sequence[str] | None, told: Told = lambda done, total: None, student: str = ""
) -> Collected:
    """Find all submissions below `folder/submitted` to these units. Raises copies.NoRoom.

    units: where none is named, all that seem to be set (`is_set`); a notebook of another one is named. told: is called
    with how many of how many notebooks are read. student: where one is named, nobody else's folder is opened.

    A notebook belongs in STUDENT/UNIT/. UNIT/STUDENT/ is read too, and so is a notebook elsewhere in a student's
    folder where its cells, or else its name, say which unit it belongs to. Links are not followed. Several folders
    whose names stand for the same student's id are this student's.
    """
    known = unit_names()
    wanted = units or known
    walk = _Walk()
    for path in _entries(folder / "submitted", "", walk, student, known):
        if not is_folder(path):
            walk.told(name_of(path), _loose(path))
        elif path.name not in known:
            _walk_student(composed(name_of(path)), path, known, walk)
        else:
            for inner in _entries(path, f"{path.name}/", walk, student):
                if is_folder(inner):
                    _walk_unit(composed(name_of(inner)), path.name, inner, walk)
                else:
                    walk.told(f"{path.name}/{name_of(inner)}", _loose(inner))
    asked = [one for one in walk.notebooks if not one.unit or one.unit in wanted]
    paths = [one.path for one in asked]
    fit = dict(zip(paths, fits(paths, shelves() if paths else [], told), strict=True))
    asked = [replaced for one in asked if (replaced := _with_unit(one, fit, known, walk)) is not None]
    grouped: dict[tuple[str, str], list[_Found]] = defaultdict(list)
    for one in asked:
        grouped[one.student, one.unit].append(one)
    submissions = [_chosen(group, fit, walk) for (_, unit), group in grouped.items() if unit in wanted]
    submissions += [one for one in walk.empty if one.unit in wanted and (one.student, one.unit) not in grouped]
    others = Counter(one.unit for one in (*walk.notebooks, *asked) if one.unit and one.unit not in wanted)
    submissions.sort(key=lambda one: (one.student, one.unit))
    if not units:
        submissions = _of_set_units(submissions, folder, walk)
    return Collected(tuple(submissions), tuple(walk.named), tuple(sorted(others.items())))


def is_set(unit: str, handed_in: int, students: int, folder: Path) -> bool:
    """Whether a unit seems to be set: a fifth of the class has handed it in, or it was graded before."""
    return handed_in >= COUNTS_FROM * students or is_folder(folder / "results" / unit)


def _of_set_units(submissions: list[Submission], folder: Path, walk: _Walk) -> list[Submission]:
    """Return the submissions to units that seem to be set, or all of them where none does; the others are named.

    One notebook of another unit, handed in by mistake, would else be a column of its own.
    """
    handed_in = Counter(one.unit for one in submissions)
    students = len({one.student for one in submissions})
    are_set = {unit for unit, number in handed_in.items() if is_set(unit, number, students, folder)} or {*handed_in}
    for one in submissions:
        if one.unit not in are_set:
            text = f"not graded: only {handed_in[one.unit]} of {many(students, 'student')} handed in {one.unit}, so it"
            todo = f"If this is the wrong notebook, ask for the right one; if {one.unit} is set, grade it by its name"
            walk.told(
                f"{one.student}/{one.unit}", f"{text} does not seem to be set. {todo}: make grade ARGS={one.unit}"
            )
    return [one for one in submissions if one.unit in are_set]


def in_folder(student: Clean, unit: str, place: Path) -> tuple[Submission, tuple[Remark, ...]]:
    """Return the submission that counts in the folder of one student's unit, and remarks on the other notebooks."""
    walk = _Walk()
    _walk_unit(student, unit, place, walk)
    if not walk.notebooks:
        return walk.empty[0], tuple(walk.named)
    paths = [one.path for one in walk.notebooks]
    fit = dict(zip(paths, fits(paths, shelves()), strict=True))
    return _chosen(walk.notebooks, fit, walk), tuple(walk.named)


def _entries(folder: Path, inside: str, walk: _Walk, student: str = "", others: Sequence[str] = ()) -> list[Path]:
    """List a folder in order, without hidden files and what systems leave behind.

    A link, a device, and what cannot be read are named in a remark. student: where one is named, only their folder is
    listed, and those called like one of the others.
    """
    found = []
    try:
        paths = sorted(folder.iterdir())
    except OSError as error:
        if not isinstance(error, FileNotFoundError):
            walk.told(inside or name_of(folder), f"this folder cannot be read ({error.strerror})")
        return []
    for path in paths:
        if path.name.startswith(".") or path.name in LEFTOVERS:
            continue
        if student and path.name not in others and composed(name_of(path)) != student:
            continue
        if problem := problem_of(path):
            walk.told(f"{inside}{name_of(path)}", problem)
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
    """Walk through a student's folder. A notebook outside the units' folders may belong to one all the same."""
    before = len(walk.named)
    here = _entries(home, f"{student}/", walk)
    if not here and len(walk.named) == before:
        walk.told(student, "this student's folder is empty, so there is nothing to grade")
    for path in here:
        inside = f"{student}/{name_of(path)}"
        if path.name in known and is_folder(path):
            _walk_unit(student, path.name, path, walk)
            continue
        found = [path] if is_notebook_name(path.name) else []
        if is_folder(path):
            found = _notebooks(path, f"{inside}/", walk, lambda inner, has_one: inner.name != OLDER or not has_one)
        walk.notebooks += [_Found(student, "", one, home, placed=False) for one in found]
        if is_archive(path.name) and not is_folder(path):
            walk.told(inside, _archived(path))
        elif not found:
            why = "not graded: it is not named after a unit of the course, and there is no notebook in it"
            walk.told(inside, why, is_folder(path))


def _walk_unit(student: Clean, unit: str, place: Path, walk: _Walk) -> None:
    """Walk through STUDENT/UNIT/ for its notebooks, or, where it has none, for those in the folders below it.

    Its other files are handed in with the notebook, so only archives are named.
    """
    found = _notebooks(place, f"{student}/{unit}/", walk, lambda inner, has_one: inner.name != OLDER and not has_one)
    walk.notebooks += [_Found(student, unit, path, place, placed=True) for path in found]
    if not found:
        there = ", ".join(name_of(path) for path in _entries(place, "", _Walk()))
        refused = line(f"{unit}.ipynb is missing; only {there} lies there") if there else EMPTY
        walk.empty.append(Submission(student, unit, place / f"{unit}.ipynb", refused=refused))


def _notebooks(folder: Path, inside: str, walk: _Walk, goes_into: Callable[[Path, bool], bool]) -> list[Path]:
    """Return the notebooks in a folder and in those below it; archives are named.

    goes_into: whether to look through a folder, where there is a notebook beside it, or none.
    """
    found: list[Path] = []
    waiting = [(folder, inside, 0)]
    while waiting:
        place, known, depth = waiting.pop(0)
        if depth > DEEPEST:
            walk.told(known.rstrip("/"), TOO_DEEP)
            continue
        here = _entries(place, known, walk)
        notebooks = [path for path in here if is_notebook_name(path.name)]
        for path in here:
            if path in notebooks:
                found.append(path)
            elif is_folder(path) and goes_into(path, bool(notebooks)):
                waiting.append((path, f"{known}{name_of(path)}/", depth + 1))
            elif is_archive(path.name) and not is_folder(path):
                walk.told(f"{known}{name_of(path)}", _archived(path))
    return found


def _archived(path: Path) -> str:
    """Say what to do with an archive in a student's folder: unpack it there, since only the folder says whose it is."""
    return (
        f"this is an archive, which is not opened here; unpack it where it lies, in {name_of(path.parent)}/, "
        "and grade again"
    )


def _with_unit(one: _Found, fit: Mapping[Path, Fit], known: Sequence[str], walk: _Walk) -> _Found | None:
    """Return a notebook with its unit: for one outside a unit's folder, the unit that its cells or its name tell.

    Returns None, with a remark, where neither tells a unit.
    """
    unit = one.unit or fit[one.path].unit or unit_named(one.path.name, known)
    if unit:
        return replace(one, unit=unit)
    why = fit[one.path].problem or "none of its cells belongs to a unit of this course"
    walk.told(one.where, f"not graded: it lies outside every unit's folder, and {why}")
    return None


def _chosen(group: Sequence[_Found], fit: Mapping[Path, Fit], walk: _Walk) -> Submission:
    """Choose the notebook that counts among those of one student for one unit; the others are named."""
    student, unit = group[0].student, group[0].unit
    strangers = [one for one in group if stranger(fit[one.path], unit)]
    own = [one for one in group if one not in strangers] or strangers[:1]
    for one in strangers:
        if one not in own:
            walk.told(one.where, f"not graded: its cells belong to {fit[one.path].unit}")
    alike = _foremost(own, unit, fit)
    one, seen = alike[0], fit[alike[0].path]
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
    rest = [two for two in own if two.path != one.path and fit[two.path].copy != seen.copy]
    if rest and not refused:
        look = any(fit[two.path].of(unit).answered for two in rest)
        why = ", where there are answers, too" if look else ""
        names = line(", ".join(two.where for two in rest), 400)
        walk.told(one.where, f"this notebook counts, and not {names}{why}", look)
    if not refused and (late := received(one.path.parent).late):
        walk.told(f"{student}/{unit}", line(late, 100), look=False)
    files = one.placed or one.path.parent != one.home  # the student's folder may hold another unit's files
    when = moment(one.path.parent / TIMESTAMP)
    return Submission(student, unit, one.path, when, refused, files, seen.cells_of, seen.copy)


def _foremost(group: Sequence[_Found], unit: str, fit: Mapping[Path, Fit]) -> list[_Found]:
    """Return the notebook that counts, or several where nothing says which of them does. Copies are one."""
    rules: tuple[Callable[[_Found], bool], ...] = (
        lambda one: bool(fit[one.path].of(unit).answered),
        lambda one: one.placed,
        lambda one: one.path.name == f"{unit}.ipynb",
    )
    for rule in rules:
        group = [one for one in group if rule(one)] or group
    different: dict[object, _Found] = {}
    for one in group:
        different.setdefault(fit[one.path].copy or one.path, one)
    return list(different.values())


def stranger(fit: Fit, unit: str) -> bool:
    """Whether a notebook clearly belongs to another unit: it has cells of that, and no cell or answer of this one."""
    mine = fit.of(unit)
    return bool(fit.cells_of and fit.cells_of != unit and not mine.cells and not mine.answered)


class Received(msgspec.Struct, frozen=True):
    """What a learning system said of the notebook in a place, as `collect` noted it in RECEIVED.

    late: that it was late, in the system's words, or "". name: the name of its file in the download. number: the
    student's number in the system. turn: the later of two notebooks of a student has the greater turn.
    """

    system: str = ""
    number: str = ""
    turn: tuple[int, ...] = ()
    name: str = ""
    late: str = ""


def received(place: Path) -> Received:
    """Return what is noted about the notebook in this folder; nothing where there is no note that can be read."""
    path = place / RECEIVED
    try:
        if is_file(path) and path.stat().st_size <= 10_000:  # reading a pipe could wait for ever
            return msgspec.json.decode(path.read_bytes(), type=Received)
    except (OSError, msgspec.MsgspecError, RecursionError):
        return Received()
    return Received()


def moment(path: Path) -> str:
    """Return the time in a file of nbgrader's as ISO 8601; "" where there is no such file, or no time in it."""
    try:
        if not is_file(path) or path.stat().st_size > 100:
            return ""
        from nbgrader.utils import parse_utc  # nbgrader takes half a second to import

        when = parse_utc(path.read_text(encoding="utf-8").strip())
        return str(when.isoformat())
    except (ValueError, OverflowError, OSError, AttributeError):
        return ""


def nowhere(results: Iterable[Result]) -> list[Remark]:
    """Return a remark for each exercise that no notebook of a class has, though they have others of its unit.

    That happens where the exercise was renamed after its notebook was given out; no student should lose points by it.
    """
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


def foreign(results: Iterable[Result], submissions: Iterable[Submission]) -> list[Remark]:
    """Return a remark for each graded notebook that earned nothing and has no cell of its unit: whose cells it has."""
    of = {(one.student, one.unit): one.fits for one in submissions}
    found = []
    for one in results:
        fits = of[one.student, one.unit]
        if one.status == "graded" and not one.score and fits != one.unit:
            text = f"its cells belong to {fits}" if fits else "none of its cells belongs to this course"
            found.append(Remark(clean(f"{one.student}/{one.unit}"), line(text)))
    return found
