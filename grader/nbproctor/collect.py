"""From what a learning system gives to `submitted/STUDENT/UNIT/UNIT.ipynb`, with nothing lost and nothing overwritten.

Of several notebooks of a student in one unit the one with answers counts; of several with answers the latest (by the
time that the system gives, then the number of the resubmission, then that of the file). The others, and a different
notebook that lay in the place before, are kept in the folder `older/` beside it.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from nbproctor.archive import LEFTOVERS, LINK, Item, Unreadable, items_in
from nbproctor.copies import Copy
from nbproctor.course import unit_names
from nbproctor.fit import Fit, fits, shelves
from nbproctor.intake import OLDER, RECEIVED, IntakeError, passed_over, timestamp
from nbproctor.lms import Claim, claims, unit_named
from nbproctor.roster import Person, Roster, student_id
from nbproctor.submission import FILES_MOST, Remark, is_file
from nbproctor.text import Clean, clean, line, name_of


@dataclass
class Taken:
    """What came of a collection: how many notebooks are new in their place, how many lay there already, and lines."""

    new: int = 0
    known: int = 0
    named: list[Remark] = field(default_factory=list)

    def told(self, where: str, text: str, look: bool = True) -> None:
        self.named.append(Remark(clean(where, 600), line(text, 600), look))


def collect(source: Path, folder: Path, roster: Roster | None, asked: Sequence[str] = ()) -> Taken:
    """Copy what is in an archive or a folder to `folder/submitted`. Raises IntakeError where it cannot be read at all,
    copies.NoRoom.

    asked: the units that were asked for. Where that is one, a notebook that does not tell its unit is taken as that.
    """
    taken = Taken()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".collecting-", dir=folder) as scratch:
        try:
            items = items_in(source, Path(scratch))
            claimed, nobodys = claims([item for item in items if item.path], unit_names())
        except Unreadable as error:
            raise IntakeError(str(error)) from error
        _tell_of_unread(items, taken)
        for item in nobodys:
            notebook = _is_notebook(item)
            why = "whose it is cannot be told from its name or folder" if notebook else "no notebook, and nobody's"
            taken.told(item.name, f"not collected: {why}", notebook)
        students = _students(claimed, roster, taken)
        notebooks, fit = _read([one for one in claimed if _is_notebook(one.item)], taken)
        groups: dict[tuple[str, str], list[Claim]] = defaultdict(list)
        for one in notebooks:
            if unit := _unit(one, fit, asked, taken):
                groups[students[one.person], unit].append(one)
        others: dict[str, list[Claim]] = defaultdict(list)
        for one in claimed:
            if not _is_notebook(one.item):
                others[students[one.person]].append(one)
        for (student, unit), group in sorted(groups.items()):
            alone = sum(who == student for who, _ in groups) == 1
            try:
                _place(student, unit, group, others.pop(student, []) if alone else [], _Bench(folder, fit, taken))
            except OSError as error:
                taken.told(
                    f"{student}/{unit}", f"not collected: its place in submitted/ cannot be used ({error.strerror})"
                )
        for student, files in sorted(others.items()):
            names = ", ".join(one.name for one in files)
            taken.told(
                student, f"not collected: no notebook of theirs tells where it belongs: {line(names, 200)}", False
            )
    return taken


@dataclass(frozen=True)
class _Bench:
    """Where notebooks are put, what is known of each, and where it is told."""

    folder: Path
    fit: Mapping[Path, Fit]
    taken: Taken


def _is_notebook(item: Item) -> bool:
    return item.name.lower().endswith(".ipynb")


def _tell_of_unread(items: Iterable[Item], taken: Taken) -> None:
    left: Counter[str] = Counter()
    for item in items:
        kind = next((part for part in item.parts if part in LEFTOVERS), "")
        if kind:
            left[kind] += 1
        elif item.path is None:
            taken.told(item.name, f"not collected: {item.problem}")
    taken.named += passed_over(left)


def _read(claimed: Sequence[Claim], taken: Taken) -> tuple[list[Claim], Mapping[Path, Fit]]:
    """The notebooks that could be read, and what is in each. Raises copies.NoRoom."""
    paths = list(dict.fromkeys(one.item.path for one in claimed if one.item.path))
    fit = dict(zip(paths, fits(paths, shelves() if paths else []), strict=True))
    found = []
    for one in claimed:
        assert one.item.path is not None  # noqa: S101 for mypy
        if fit[one.item.path].copy is None:
            taken.told(one.item.name, f"not collected: {fit[one.item.path].problem}")
        else:
            found.append(one)
    return found, fit


def _students(claimed: Iterable[Claim], roster: Roster | None, taken: Taken) -> dict[Person, Clean]:
    """The id of each person. Two whom their system tells apart by a number only are kept apart by it."""
    people = list(dict.fromkeys(one.person for one in claimed))
    namesakes = Counter(student_id(person.own).casefold() for person in people)
    found: dict[Person, Clean] = {}
    for person in people:
        known = roster.student(person) if roster else None
        own = student_id(person.own)
        if not known and namesakes[own.casefold()] > 1 and person.ids:
            taken.told(own, f"two students have this name; one is kept as {own} {person.ids[0]}")
            own = student_id(f"{own} {person.ids[0]}")
        if roster and not known:
            taken.told(own, "not in the roster; kept under the name that the file bears")
        found[person] = known or own
    return found


def _unit(one: Claim, fit: Mapping[Path, Fit], asked: Sequence[str], taken: Taken) -> str:
    """The unit of a notebook: that of its cells, or that its name or a folder says, or the only one asked for."""
    units = unit_names()
    assert one.item.path is not None  # noqa: S101 for mypy
    cells = fit[one.item.path].unit
    named = next((unit for part in (one.name, *reversed(one.folders)) if (unit := unit_named(part, units))), "")
    if cells and named and cells != named:
        taken.told(one.item.name, f"its name says {named}, its cells are those of {cells}; taken as {cells}")
    unit = cells or named or (asked[0] if len(asked) == 1 else "")
    if not unit:
        why = fit[one.item.path].problem or "none of its cells is of a unit of this course"
        taken.told(one.item.name, f"not collected: its name says no unit, and {why}; ARGS=UNIT says which it is of")
    return unit


def _place(student: str, unit: str, group: list[Claim], files: Sequence[Claim], bench: _Bench) -> None:
    """Put the notebook that counts in its place, and what was handed in with it; keep the others beside it."""
    home = bench.folder / "submitted" / student
    place = home / unit
    if any(path.is_symlink() for path in (home.parent, home, place, place / f"{unit}.ipynb", place / OLDER)):
        bench.taken.told(f"{student}/{unit}", f"not collected: its place in submitted/ is {LINK}")
        return
    counts, *rest = sorted(group, key=lambda one: _rank(one, unit, bench.fit), reverse=True)
    (place / OLDER).mkdir(parents=True, exist_ok=True)
    rest = [one for one in rest if _copy(one, bench.fit) != _copy(counts, bench.fit)]
    if rest:
        names = ", ".join(one.item.name for one in rest)
        why = "it holds answers" if not _answers(rest[0], unit, bench.fit) else "it is the latest"
        bench.taken.told(
            counts.item.name,
            f"it counts for {student}/{unit}, since {why}; kept in {OLDER}/: {line(names, 300)}",
            False,
        )
    for one in rest:
        _keep(_copy(one, bench.fit).content(), place, unit)
    if _put(counts, student, place, bench):
        _note(counts, place)
        _put_files(counts, files, student, place, bench.taken)
    if not any((place / OLDER).iterdir()):
        (place / OLDER).rmdir()


def _rank(one: Claim, unit: str, fit: Mapping[Path, Fit]) -> tuple[bool, str, tuple[int, int]]:
    return _answers(one, unit, fit), one.submitted, one.turn


def _answers(one: Claim, unit: str, fit: Mapping[Path, Fit]) -> bool:
    return bool(one.item.path and fit[one.item.path].of(unit).answered)


def _copy(one: Claim, fit: Mapping[Path, Fit]) -> Copy:
    """What was read of a notebook."""
    copy = fit[one.item.path].copy if one.item.path else None
    assert copy is not None  # noqa: S101 for mypy
    return copy


def _put(one: Claim, student: str, place: Path, bench: _Bench) -> bool:
    """Write the notebook to its place. False where a later one lies there, which then stays."""
    path = place / f"{place.name}.ipynb"
    new, taken = _copy(one, bench.fit).content(), bench.taken
    if is_file(path):
        old = path.read_bytes()
        if old == new:
            taken.known += 1
            return True
        there = timestamp(place)
        if there and one.submitted and there > one.submitted:
            kept = _keep(new, place, place.name)
            taken.told(
                one.item.name, f"the notebook in {student}/{place.name} is later; this one is kept as {kept}", False
            )
            return False
        kept = _keep(old, place, place.name)
        taken.told(f"{student}/{place.name}", f"replaced by {one.item.name}; what lay there is kept as {kept}", False)
    taken.new += 1
    _write(path, new)
    return True


def _keep(content: bytes, place: Path, unit: str) -> str:
    """Keep a notebook in `older/`, once; its name there."""
    older = place / OLDER
    number = 1
    while (path := older / f"{unit}.{number}.ipynb").exists():
        if path.read_bytes() == content:
            return f"{OLDER}/{path.name}"
        number += 1
    _write(path, content)
    return f"{OLDER}/{path.name}"


def _note(one: Claim, place: Path) -> None:
    """Note the time as nbgrader does, and what else the system said."""
    if one.submitted:
        _write(place / "timestamp.txt", f"{one.submitted}\n".encode())
    else:
        (place / "timestamp.txt").unlink(missing_ok=True)
    if one.late:
        _write(place / RECEIVED, json.dumps({"late": one.late, "name": one.item.name}).encode())
    else:
        (place / RECEIVED).unlink(missing_ok=True)


def _put_files(notebook: Claim, files: Sequence[Claim], student: str, place: Path, taken: Taken) -> None:
    """What was handed in with the notebook, in the same folders from there. What is there already stays."""
    for number, one in enumerate(files):
        folders = (
            one.folders[len(notebook.folders) :] if one.folders[: len(notebook.folders)] == notebook.folders else ()
        )
        path = place.joinpath(*folders, one.name)
        if number == FILES_MOST:
            taken.told(
                student, f"more than {FILES_MOST} files with the notebook; {line(one.name, 100)} and the rest stay out"
            )
            return
        if any(part.startswith(".") for part in (*folders, one.name)) or one.name == "timestamp.txt":
            taken.told(one.item.name, "not collected: a hidden file, or one with a name that we use", False)
        elif path.is_symlink() or any(part.is_symlink() for part in path.parents if place in part.parents):
            taken.told(one.item.name, f"not collected: its place is {LINK}")
        else:
            _put_file(one, path, f"{student}/{place.name}", taken)


def _put_file(one: Claim, path: Path, where: str, taken: Taken) -> None:
    assert one.item.path is not None  # noqa: S101 for mypy
    try:
        new = one.item.path.read_bytes()
    except OSError as error:
        taken.told(one.item.name, f"not collected: it cannot be read ({error.strerror})")
        return
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, new)
    elif not is_file(path) or path.read_bytes() != new:
        taken.told(one.item.name, f"not collected: {where} holds another {name_of(path)}")


def _write(path: Path, content: bytes) -> None:
    """Write so that the file is there whole or not at all."""
    partial = path.with_name(f".{PurePosixPath(path.name).name[:200]}.partial")
    partial.write_bytes(content)
    shutil.move(partial, path)
