"""Finds the notebooks to grade, and accounts for every other file with one line that says why it is not graded.

`find` reads `submitted/`, where a notebook's place says which student and which unit it belongs to. `collect` fills
that folder from a learning system's download. Nothing is guessed where a guess could cost a student points. Of two
notebooks the one with answers counts; of two with answers the later one counts, or, where nothing says which is later,
the one called UNIT.ipynb. Every notebook that does not count is named and kept.
"""

from __future__ import annotations

import json
import stat
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nbproctor.course.units import unit_names
from nbproctor.errors import UserError
from nbproctor.intake.archive import LEFTOVERS, LINK, ODD, is_archive
from nbproctor.intake.claim import unit_named
from nbproctor.intake.fit import Fit, Told, fits, shelves
from nbproctor.intake.roster import composed
from nbproctor.values.result import Result
from nbproctor.values.submission import DEEPEST, TOO_DEEP, Remark, Submission, is_file, is_folder, is_notebook_name
from nbproctor.values.text import EMPTY, Clean, clean, line, name_of

OLDER = "older"  # the folder beside a notebook for those that do not count any more
TIMESTAMP = "timestamp.txt"  # in this file nbgrader notes when a notebook was handed in
RECEIVED = ".received.json"  # in this file `collect` notes what else a learning system said about a notebook


class IntakeError(UserError):
    """Raised where nothing can be graded; the message says why, and what to do."""


@dataclass(frozen=True)
class Collected:
    """The submissions to grade, and a remark on everything that is not simply graded.

    others: (unit, count) for each unit that was not asked for and has notebooks there.
    """

    submissions: tuple[Submission, ...]
    named: tuple[Remark, ...] = ()
    others: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class _Found:
    """A notebook below `submitted/`.

    unit: the unit that it belongs to, or "" while that is not known. placed: whether it lies in that unit's folder.
    home: that folder, or else the student's folder. refused: why there is nothing to grade, where something else lies
    there.
    """

    student: Clean
    unit: str
    path: Path
    home: Path
    placed: bool = True
    refused: Clean = EMPTY

    @property
    def where(self) -> Clean:
        inside = "/".join(name_of(Path(part)) for part in self.path.relative_to(self.home).parts)
        return clean(f"{self.student}/{self.unit}/{inside}" if self.placed else f"{self.student}/{inside}", 600)


@dataclass
class _Walk:
    """What a walk through `submitted/` has found so far.

    empty: the unit folders without a notebook. named: remarks on files and folders. left: kind of file that a system
    leaves behind -> how many there were.
    """

    notebooks: list[_Found]
    empty: list[_Found]
    named: list[Remark]
    left: Counter[str]

    def told(self, where: str, text: str, look: bool = True) -> None:
        self.named.append(Remark(clean(where, 600), line(text, 600), look))


def wanted_units(units: Iterable[str] | None) -> list[str]:
    """Return the units to grade; where none is named, all. Raises IntakeError for one that the course does not have."""
    known = unit_names()
    wanted = list(units) if units else known
    for name in wanted:
        if name not in known:
            raise IntakeError(f"unknown unit {name!r}: expected one of {', '.join(known)}")
    return wanted


def find(folder: Path, units: Iterable[str] | None, told: Told = lambda done, total: None) -> Collected:
    """Find all submissions below `folder/submitted`. Raises IntakeError for an unknown unit, copies.NoRoom.

    told: is called with how many of how many notebooks are read.

    A notebook belongs in STUDENT/UNIT/. UNIT/STUDENT/ is read too, and so is a notebook elsewhere in a student's
    folder where its cells, or else its name, say which unit it belongs to. Links are not followed. Of two folders whose
    names stand for the same student's id, the first by name counts.
    """
    known = unit_names()
    wanted = wanted_units(units)
    walk = _Walk([], [], [], Counter())
    for student, unit, home in _homes(folder / "submitted", known, walk):
        _walk_home(student, unit, home, known, walk)
    asked = [one for one in walk.notebooks if not one.unit or one.unit in wanted]
    paths = [one.path for one in asked]
    fit = dict(zip(paths, fits(paths, shelves() if paths else [], told), strict=True))
    asked = [replaced for one in asked if (replaced := _with_unit(one, fit, known, walk)) is not None]
    grouped: dict[tuple[str, str], list[_Found]] = defaultdict(list)
    for one in asked:
        grouped[one.student, one.unit].append(one)
    submissions = [_chosen(group, fit, walk.named) for (_, unit), group in sorted(grouped.items()) if unit in wanted]
    submissions += [
        Submission(one.student, one.unit, one.path, refused=one.refused) for one in walk.empty
        if one.unit in wanted and (one.student, one.unit) not in grouped
    ]  # fmt: skip
    others = Counter(one.unit for one in (*walk.notebooks, *asked) if one.unit and one.unit not in wanted)
    walk.named += passed_over(walk.left)
    submissions.sort(key=lambda one: (one.student, one.unit))
    return Collected(tuple(submissions), tuple(walk.named), tuple(sorted(others.items())))


def in_folder(student: Clean, unit: str, place: Path) -> tuple[Submission, tuple[Remark, ...]]:
    """Return the submission that counts in the folder of one student's unit, and remarks on the other notebooks."""
    walk = _Walk([], [], [], Counter())
    _walk_unit(student, unit, place, walk)
    if not walk.notebooks:
        refused = line(f"expected {unit}.ipynb, found no notebook")
        return Submission(student, unit, place / f"{unit}.ipynb", refused=refused), tuple(walk.named)
    paths = [one.path for one in walk.notebooks]
    fit = dict(zip(paths, fits(paths, shelves()), strict=True))
    return _chosen(walk.notebooks, fit, walk.named), tuple(walk.named)


def passed_over(left: Mapping[str, int]) -> list[Remark]:
    if not left:
        return []
    kinds = ", ".join(f"{name} ({count})" if count > 1 else name for name, count in sorted(left.items()))
    return [Remark(clean("passed over"), line(f"files that systems leave behind: {kinds}"), look=False)]


def _entries(folder: Path, inside: str, walk: _Walk) -> list[Path]:
    """List a folder in order, without what systems leave behind. What cannot be read is named in a remark."""
    found = []
    try:
        paths = sorted(folder.iterdir())
    except OSError as error:
        if not isinstance(error, FileNotFoundError):
            walk.told(inside or name_of(folder), f"this folder cannot be read ({error.strerror})")
        return []
    for path in paths:
        if path.name.startswith(".") or path.name in LEFTOVERS:
            walk.left.update(
                () if path.name == RECEIVED else (name_of(path) if path.name in LEFTOVERS else "hidden files",)
            )
        elif problem := _problem(path):
            walk.told(f"{inside}{name_of(path)}", problem)
        else:
            found.append(path)
    return found


def _problem(path: Path) -> str:
    """Say why a path is not even looked at, or return "".

    A notebook that is a link gets "" here; it is refused with its reason when it would be graded.
    """
    try:
        mode = path.lstat().st_mode
    except OSError as error:
        return f"it cannot be read ({error.strerror})"
    if stat.S_ISLNK(mode):
        return "" if is_notebook_name(path.name) else LINK
    return "" if stat.S_ISDIR(mode) or stat.S_ISREG(mode) else ODD


def _homes(submitted: Path, known: Sequence[str], walk: _Walk) -> list[tuple[Clean, str, Path]]:
    """Return (student, unit or "", folder) for each folder of a student's."""
    found: list[tuple[Clean, str, Path]] = []
    for path in _entries(submitted, "", walk):
        if path.is_symlink():
            walk.told(name_of(path), LINK)
        elif not is_folder(path):
            walk.told(name_of(path), _loose(path))
        elif path.name in known:  # UNIT/STUDENT/
            for inner in _entries(path, f"{path.name}/", walk):
                if is_folder(inner):
                    found.append((_student(inner), path.name, inner))
                else:
                    walk.told(f"{path.name}/{name_of(inner)}", _loose(inner))
        else:
            found.append((_student(path), "", path))
    return _one_each(found, walk)


def _student(folder: Path) -> Clean:
    """Return the student that a folder is named after, whichever way the system that made it encodes an umlaut."""
    return composed(name_of(folder))


def _archived(path: Path) -> str:
    """Say what to do with an archive in a student's folder: unpack it there, since only the folder says whose it is."""
    return (
        f"this is an archive, which is not opened here; unpack it where it lies, in {name_of(path.parent)}/, "
        "and grade again"
    )


def _loose(path: Path) -> str:
    """Say why a file outside every student's folder is not graded."""
    if is_archive(path.name):
        return f"this is an archive, which is not opened here; collect what is in it with `make grade FROM={path}`"
    if not is_notebook_name(path.name):
        return "not graded: it is not a notebook, and lies outside every student's folder"
    return (
        "not graded: nothing tells whose notebook it is; put it into STUDENT/UNIT/, or collect a learning "
        "system's download with FROM="
    )


def _one_each(homes: list[tuple[Clean, str, Path]], walk: _Walk) -> list[tuple[Clean, str, Path]]:
    """Keep one folder for each student and unit, the first. Students whose ids differ only by case are named."""
    owner: dict[tuple[str, str], Path] = {}
    cases: dict[str, Clean] = {}
    kept = []
    for student, unit, home in homes:
        if owner.setdefault((student, unit), home) != home:
            walk.told(student, "two folders have names that stand for this student, and only the first one was graded")
            continue
        other = cases.setdefault(student.casefold(), student)
        if other != student:
            walk.told(
                student,
                f"this name differs from {other} only in small and capital letters; they are graded as two students",
            )
        kept.append((student, unit, home))
    return kept


def _walk_home(student: Clean, unit: str, home: Path, known: Sequence[str], walk: _Walk) -> None:
    """Walk through the folder of a student, or through that of a student's unit."""
    if unit:
        _walk_unit(student, unit, home, walk)
        return
    before = len(walk.named)
    here = _entries(home, f"{student}/", walk)
    if not here and len(walk.named) == before:
        walk.told(student, "this student's folder is empty, so there is nothing to grade")
    for path in here:
        if is_folder(path):
            if path.name in known:
                _walk_unit(student, path.name, path, walk)
            else:
                _walk_stray(student, path, home, walk)
        elif is_notebook_name(path.name):
            walk.notebooks.append(_Found(student, "", path, home, placed=False))
        else:
            walk.told(f"{student}/{name_of(path)}", _in_no_unit(path), is_archive(path.name))


def _walk_unit(student: Clean, unit: str, place: Path, walk: _Walk) -> None:
    """Walk through STUDENT/UNIT/ for its notebooks, or, where it has none, for those in the folders below it.

    Its other files are handed in with the notebook, so only archives are named.
    """
    inside = f"{student}/{unit}/"
    here = _entries(place, inside, walk)
    notebooks = [path for path in here if is_notebook_name(path.name)]
    folders = [path for path in here if is_folder(path) and path.name != OLDER]
    depth = 0
    while not notebooks and folders:
        depth += 1
        if depth > DEEPEST:
            walk.told(f"{inside}…/{name_of(folders[0])}", TOO_DEEP)
            break
        deeper = [path for folder in folders for path in _entries(folder, f"{inside}{name_of(folder)}/", walk)]
        notebooks = [path for path in deeper if is_notebook_name(path.name)]
        folders = [path for path in deeper if is_folder(path)]
    for path in here:
        if is_archive(path.name) and not is_folder(path):
            walk.told(f"{inside}{name_of(path)}", _archived(path))
    walk.notebooks += [_Found(student, unit, path, place) for path in notebooks]
    if not notebooks:
        there = ", ".join(name_of(path) for path in here)
        refused = line(f"{unit}.ipynb is missing; only {there} lies there") if there else EMPTY
        walk.empty.append(_Found(student, unit, place / f"{unit}.ipynb", place, refused=refused))


def _walk_stray(student: Clean, folder: Path, home: Path, walk: _Walk) -> None:
    """Walk through a folder that is not named after a unit; the notebooks in it may belong to one all the same."""
    inside = "/".join((student, *(name_of(Path(part)) for part in folder.relative_to(home).parts)))
    if len(folder.relative_to(home).parts) > DEEPEST:
        walk.told(inside, TOO_DEEP)
        return
    before = len(walk.notebooks)
    here = _entries(folder, f"{inside}/", walk)
    has_notebook = any(is_notebook_name(path.name) for path in here)
    for path in here:
        if is_folder(path):
            if path.name != OLDER or not has_notebook:  # beside a notebook it is for those that do not count
                _walk_stray(student, path, home, walk)
        elif is_notebook_name(path.name):
            walk.notebooks.append(_Found(student, "", path, home, placed=False))
        elif is_archive(path.name):
            walk.told(f"{inside}/{name_of(path)}", _in_no_unit(path))
    if len(walk.notebooks) == before and folder.parent == home:
        walk.told(inside, "this folder is not named after a unit of the course, and there is no notebook in it")


def _in_no_unit(path: Path) -> str:
    if is_archive(path.name):
        return _archived(path)
    return "not graded: it is not a notebook, and lies outside every unit's folder"


def _with_unit(one: _Found, fit: Mapping[Path, Fit], known: Sequence[str], walk: _Walk) -> _Found | None:
    """Return a notebook with its unit: for one outside a unit's folder, the unit that its cells or its name tell.

    Returns None where neither tells a unit, or where a notebook that lies in that unit's folder counts instead.
    """
    if one.unit:
        return one
    unit = fit[one.path].unit or unit_named(one.path.name, known)
    if not unit:
        why = fit[one.path].problem or "none of its cells belongs to a unit of this course"
        walk.told(one.where, f"not graded: it lies outside every unit's folder, and {why}")
        return None
    there = [other for other in walk.notebooks if (other.student, other.unit) == (one.student, unit)]
    if any(not stranger(fit.get(other.path, Fit()), unit) for other in there):
        walk.told(one.where, f"not graded: {one.student}/{unit}/ holds a notebook, which counts instead")
        return None
    how = "its cells say so" if fit[one.path].unit else "its name says so"
    walk.told(one.where, f"taken as {unit}, since {how}", look=False)
    return replace(one, unit=unit)


def _chosen(group: Sequence[_Found], fit: Mapping[Path, Fit], named: list[Remark]) -> Submission:
    """Choose the notebook that counts among those of one student for one unit; the others are named."""
    student, unit = group[0].student, group[0].unit
    strangers = [one for one in group if stranger(fit[one.path], unit)]
    own = [one for one in group if one not in strangers] or strangers[:1]
    for one in strangers:
        if one not in own:
            named.append(Remark(one.where, line(f"not graded: its cells belong to {fit[one.path].unit}")))
    one, refused = _which(own, fit, named)
    seen = fit.get(one.path, Fit())
    if one in strangers:
        other = fit[one.path].unit
        refused = line(f"its cells belong to {other}, not to {unit}; if {other} is what was handed in, move it there")
    elif late := _late(one.path.parent):
        named.append(Remark(clean(f"{student}/{unit}"), late, look=False))
    if seen.problem and seen.copy is None:
        refused = line(seen.problem)
    files = one.placed or one.path.parent != one.home  # the student's folder may hold another unit's files
    return Submission(student, unit, one.path, timestamp(one.path.parent), refused, files, seen.cells_of, seen.copy)


def stranger(fit: Fit, unit: str) -> bool:
    """Whether a notebook clearly belongs to another unit: it has cells of that, and no cell or answer of this one."""
    mine = fit.of(unit)
    return bool(fit.cells_of and fit.cells_of != unit and not mine.cells and not mine.answered)


def _which(group: Sequence[_Found], fit: Mapping[Path, Fit], named: list[Remark]) -> tuple[_Found, Clean]:
    """Return the notebook that counts, and the reason why it is refused, or ""."""
    unit = group[0].unit
    called = [one for one in group if one.path.name == f"{unit}.ipynb"]
    group = _different([*called, *(one for one in group if one not in called)], fit, named)
    answered = [one for one in group if fit[one.path].of(unit).answered]
    if len(group) == 1:
        return group[0], EMPTY
    if len(answered) == 1:
        others = ", ".join(name_of(one.path) for one in group if one not in answered)
        named.append(
            Remark(
                answered[0].where,
                line(f"this notebook counts; there is no answer in {line(others, 200)} beside it"),
                look=False,
            )
        )
        return answered[0], EMPTY
    if not called:
        names = ", ".join(sorted(name_of(one.path) for one in group))
        refused = line(f"there are {len(group)} notebooks, and none of them is called {unit}.ipynb: {names}", 200)
        return replace(group[0], path=group[0].home / f"{unit}.ipynb"), refused
    if answered and called[0] in answered:
        others = ", ".join(name_of(one.path) for one in answered if one != called[0])
        named.append(
            Remark(
                called[0].where,
                line(f"this notebook counts, but beside it there are answers, too, in {line(others, 200)}"),
            )
        )
        return called[0], EMPTY
    if answered:  # several with answers, and UNIT.ipynb has none
        names = ", ".join(sorted(name_of(one.path) for one in answered))
        return called[0], line(f"{unit}.ipynb holds no answer, but several notebooks beside it do: {names}", 200)
    return called[0], EMPTY


def _different(group: Sequence[_Found], fit: Mapping[Path, Fit], named: list[Remark]) -> list[_Found]:
    """Keep one of the notebooks that have the same bytes, the first; the copies are named."""
    kept: list[_Found] = []
    for one in group:
        mine = fit[one.path].copy
        same = next((other for other in kept if mine is not None and fit[other.path].copy == mine), None)
        if same is None:
            kept.append(one)
        else:
            named.append(Remark(one.where, line(f"it is the same as {name_of(same.path)}, which counts"), look=False))
    return kept


def _late(place: Path) -> Clean:
    """Return what a learning system said about a late notebook in this folder; "" where it said nothing."""
    late = received(place).get("late")
    return line(late, 100) if isinstance(late, str) else EMPTY


def received(place: Path) -> dict[str, Any]:
    """Return what `collect` noted about the notebook in this folder; {} where there is no note that can be read."""
    path = place / RECEIVED
    try:
        if not is_file(path) or path.stat().st_size > 10_000:  # reading a pipe could wait for ever
            return {}
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def timestamp(place: Path) -> str:
    """Return when the notebook in this folder was handed in, as nbgrader's collector notes it, or ""."""
    return moment(place / TIMESTAMP)


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
                text = (
                    f"none of the {len(those)} notebooks has {exercise.name}. If you renamed it after the notebook was"
                )
                found.append(Remark(clean(unit), line(f"{text} given out, give its cells their old grade ids back")))
    return found


def unanswered(results: Iterable[Result]) -> list[Remark]:
    """Return a remark for each graded notebook without an answer in any exercise."""
    return [
        Remark(clean(f"{one.student}/{one.unit}"), line("no answer in any exercise"))
        for one in results
        if one.status == "graded"
        and one.exercises
        and all(exercise.status in ("not implemented", "missing") for exercise in one.exercises)
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
