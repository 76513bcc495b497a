"""Sorts a learning system's download into `submitted/STUDENT/UNIT/UNIT.ipynb`. Nothing is lost or overwritten.

Where a student has handed in several notebooks for one unit, the one with answers counts. Of several with answers the
latest counts (by the time that the system gives, then by Canvas's number of the file, then by the number in its name).
Where nothing says which is the latest, the one called UNIT.ipynb counts. The others are kept in the folder `older/`
beside it, and so is a different notebook or file that was in its place before. A notebook without answers never takes
the place of one that has some.
"""

from __future__ import annotations

import fcntl
import itertools
import os
import shlex
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

import msgspec

from nbproctor.course.units import unit_names
from nbproctor.intake.archive import Item, Unreadable, items_in
from nbproctor.intake.claim import Claim, again, is_notebook, unit_named
from nbproctor.intake.find import OLDER, RECEIVED, TIMESTAMP, IntakeError, Received, moment, received, timestamp
from nbproctor.intake.fit import Fit, Shelf, fits, shelves
from nbproctor.intake.roster import Person, Roster, composed, student_id
from nbproctor.intake.systems import claims
from nbproctor.values.copies import Copy
from nbproctor.values.grades import COUNTS_FROM
from nbproctor.values.submission import FILES_MOST, Remark, is_file, is_folder
from nbproctor.values.text import Clean, clean, line, name_of

_SCRATCH = ".collecting-"
STRANGERS = 3  # where at least this many people hand in, and the roster has none of them, it is another class's


@dataclass
class Taken:
    """The result of a collection.

    new: how many notebooks were written to their place. known: how many were there already. named: the remarks about
    single files, students and units.
    """

    new: int = 0
    known: int = 0
    named: list[Remark] = field(default_factory=list)

    def told(self, where: str, text: str, look: bool = True) -> None:
        self.named.append(Remark(clean(where, 600), line(text, 600), look))


def collect(source: Path, folder: Path, roster: Roster | None, asked: Sequence[str] = ()) -> Taken:
    """Copy the notebooks and files in an archive or a folder to `folder/submitted`.

    asked: the units that were asked for. Where it is a single one, a notebook that does not show its unit is taken to
    be of that one.

    Raises IntakeError where the source cannot be read at all, where it holds the classroom itself, or where the roster
    is another class's. Raises copies.NoRoom.
    """
    taken = Taken()
    # The classroom also holds notebooks that we wrote, as in autograded/, and these are nobody's submissions.
    if folder.resolve().is_relative_to(source.resolve()):
        raise IntakeError(
            f"{source}: the classroom lies inside it; expected the learning system's download, in a place of its own"
        )
    folder.mkdir(parents=True, exist_ok=True)
    with _scratch(folder) as scratch:
        try:
            items = items_in(source, scratch)
            claimed, nobodys = claims([item for item in items if item.path], unit_names())
        except Unreadable as error:
            raise IntakeError(str(error)) from error
        claimed, nobodys = _by_the_roster(claimed, nobodys, roster)
        _tell_of_the_rest([item for item in items if item.path is None], nobodys, taken)
        claimed = _timed(claimed)
        known = shelves()
        notebooks, fit = _read([one for one in claimed if is_notebook(one.item)], known, taken)
        placed = [(one, unit) for one in notebooks if (unit := _unit(one, fit, asked, taken))]
        units: dict[Person, set[str]] = {one.person: set() for one in claimed}
        _check_roster(roster, list(units))
        for one, unit in placed:
            units[one.person].add(unit)
        students = _students(units, roster, folder / "submitted", taken)
        _tell_of_earlier_names(students, units, roster, folder / "submitted", taken)
        groups: dict[tuple[str, str], list[Claim]] = defaultdict(list)
        for one, unit in placed:
            groups[students[one.person], unit].append(one)
        _refuse_a_crowd(groups, fit, roster)
        _tell_of_other_units(groups, asked, taken)
        files = _files(claimed, students, groups, taken)
        for (student, unit), group in sorted(groups.items()):
            try:
                _place(student, unit, group, files[student, unit], _Bench(folder, fit, known, taken))
            except OSError as error:
                taken.told(
                    f"{student}/{unit}", f"not collected: its place in submitted/ cannot be used ({error.strerror})"
                )
        if roster:
            _tell_who_is_missing(roster, sorted({unit for _, unit in groups}), folder / "submitted", taken)
    return taken


def _by_the_roster(
    claimed: Sequence[Claim], nobodys: Sequence[Item], roster: Roster | None
) -> tuple[list[Claim], list[Item]]:
    """Find in the whole path of a file whose it is, where its place says nothing, or a name that the roster lacks.

    Names of a learning system that says more are left as they are.
    """
    if roster is None:
        return list(claimed), list(nobodys)
    found, left = [], []
    for one in claimed:
        says_more = one.person.system or roster.student(one.person) is not None
        student = None if says_more else roster.on_the_way(one.item.parts)
        found.append(one if student is None else _of(student, one.item))
    for item in nobodys:
        student = None if not is_notebook(item) else roster.on_the_way(item.parts)
        if student is None:
            left.append(item)
        else:
            found.append(_of(student, item))
    return found, left


def _of(student: Clean, item: Item) -> Claim:
    *folders, name = item.parts
    return Claim(item, Person(student, (student,), student), name, tuple(folders), turn=(0, again(name)))


def _refuse_a_crowd(
    groups: Mapping[tuple[str, str], Sequence[Claim]], fit: Mapping[Path, Fit], roster: Roster | None
) -> None:
    """Check that no several people's notebooks would become one student's, of whom all but one would get nothing.

    Raises IntakeError where different notebooks with answers would end under a name that the roster lacks, and nothing
    orders them. Without a roster, there have to be three of them, and half of all that was handed in has to lie so.
    """
    crowds: dict[tuple[str, str], int] = {}
    for (student, unit), group in groups.items():
        known = [one for one in group if one.person.system or (roster and roster.student(one.person))]
        apart: dict[tuple[object, ...], set[str]] = defaultdict(set)
        for one in group if not known else ():
            if _answers(one, unit, fit):
                apart[_turn(one)].add(_copy(one, fit).digest)
        most = max(map(len, apart.values()), default=0)
        if most > (1 if roster else 2):
            crowds[student, unit] = most
    if crowds and (roster or 2 * sum(crowds.values()) >= sum(map(len, groups.values()))):
        student, unit = next(iter(crowds))
        group = groups[student, unit]
        names = line(", ".join(one.name for one in group), 200)
        raise IntakeError(
            f"{student} holds {len(group)} notebooks of {unit} that seem to be several people's ({names}), so "
            "nothing is collected. Expected a folder for each student, or the roster's ids, addresses or names in "
            "the path; give ROSTER=, or sort them into STUDENT/ first"
        )


def _tell_of_the_rest(unread: Iterable[Item], nobodys: Iterable[Item], taken: Taken) -> None:
    for item in unread:
        taken.told(item.name, f"not collected: {item.problem}")
    for item in nobodys:
        text = "not collected: neither its name nor its folder tells whose it is"
        todo = "; put it into a folder named after the student's id, and collect again" if is_notebook(item) else ""
        taken.told(item.name, text + todo, look=is_notebook(item))


@contextmanager
def _scratch(folder: Path) -> Iterator[Path]:
    """Yield a temporary folder to unpack into. It is removed when the block ends.

    Folders that killed runs have left behind are removed first.
    """
    for left in folder.glob(f"{_SCRATCH}*"):
        with suppress(OSError), _locked(left):  # a run that is still at work holds the lock on its folder
            shutil.rmtree(left)
    with tempfile.TemporaryDirectory(prefix=_SCRATCH, dir=folder) as made, ExitStack() as held:
        with suppress(OSError):  # on a disk without locks no other run can lock this folder to remove it, either
            held.enter_context(_locked(Path(made)))
        yield Path(made)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the lock on a folder during the block. Raises OSError where another process holds it."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


@dataclass(frozen=True)
class _Bench:
    """What `_place` needs for every student.

    folder: the classroom. fit: what each notebook holds. shelves: how the notebook of each unit is recognised.
    taken: where remarks are added.
    """

    folder: Path
    fit: Mapping[Path, Fit]
    shelves: Sequence[Shelf]
    taken: Taken


def _timed(claimed: Sequence[Claim]) -> list[Claim]:
    """Give the files the time in the `timestamp.txt` that lies beside them, which is where nbgrader notes it.

    Such a `timestamp.txt` is left out of the result. One that a student may have written says nothing about the time,
    and is treated like any other file.
    """
    homes = {one.item.parts[:-1] for one in claimed if is_notebook(one.item)}
    clocks = {
        one.item.parts[:-1]: when
        for one in claimed
        if one.arranged and one.name == TIMESTAMP and one.item.parts[:-1] in homes and one.item.path
        if (when := moment(one.item.path))
    }
    return [
        replace(one, submitted=one.submitted or clocks.get(one.item.parts[:-1], ""))
        for one in claimed
        if one.name != TIMESTAMP or one.item.parts[:-1] not in clocks
    ]


def _read(claimed: Sequence[Claim], known: Sequence[Shelf], taken: Taken) -> tuple[list[Claim], Mapping[Path, Fit]]:
    """Return the notebooks that could be read, and what each file holds. Raises copies.NoRoom."""
    paths = list(dict.fromkeys(one.item.path for one in claimed if one.item.path))
    fit = dict(zip(paths, fits(paths, known), strict=True))
    found = []
    for one in claimed:
        assert one.item.path is not None  # noqa: S101 for mypy
        if fit[one.item.path].copy is None:
            taken.told(one.item.name, f"not collected: {fit[one.item.path].problem}")
        else:
            found.append(one)
    return found, fit


_Units = Mapping[Person, set[str]]  # everybody who hands something in, with the units of their notebooks


def _students(units: _Units, roster: Roster | None, submitted: Path, taken: Taken) -> dict[Person, Clean]:
    """Return the student id of each person: the one in the roster, or else the name that the file bears.

    Two people whose numbers tell them apart never become one student, whatever the roster says, so that nobody's
    notebook takes the place of another's. If the roster has the number of exactly one of them under that student's id,
    this person keeps the id. The others get ids of their own.
    """
    settled = {person: known for person in units if roster and (known := roster.student(person))}
    taken_as = {person: settled.get(person, student_id(person.own)) for person in units}
    names = {person: student if person in settled else student.casefold() for person, student in taken_as.items()}
    alike: dict[str, list[Person]] = defaultdict(list)
    for person, name in names.items():
        alike[name].append(person)
    doubled = {
        name
        for name, people in alike.items()
        if any(_are_two(*pair, units) for pair in itertools.combinations(people, 2))
    }
    found = dict(taken_as)
    unsettled: dict[Clean, str] = {}  # the remark by the id that a person gets: said once where two get the same
    for person, student in taken_as.items():
        others = [one for one in alike[names[person]] if one != person]
        sure = [one for one in (person, *others) if roster and roster.has_number(student, one)]
        is_two = names[person] in doubled or (
            person not in sure and _was_apart(person, student, units[person], submitted)
        )
        if is_two and sure != [person]:
            found[person] = _numbered(person)
            taken.told(found[person], _kept_apart(person, student, others, person in settled))
        if roster and person not in settled:
            why = (
                "the roster does not make clear who this is"
                if roster.knows(person)
                else "this person is not in the roster"
            )
            unsettled[found[person]] = f"{why}; what they handed in is kept under the name on the file"
    for name, text in unsettled.items():
        taken.told(name, text)
    return found


def _check_roster(roster: Roster | None, people: Sequence[Person]) -> None:
    """Check that the roster is not another class's.

    Raises IntakeError where STRANGERS people or more hand in, and the roster has none of them. They would otherwise
    become students under the wrong names, and remain so.
    """
    if roster is None or len(people) < STRANGERS or any(roster.knows(one) for one in people):
        return
    them = line(", ".join(one.own for one in people[:STRANGERS]), 200)
    raise IntakeError(
        f"the roster has none of the {len(people)} people who handed these files in ({them}, …), so nothing is "
        "collected. Expected the list of this class, with the numbers or names that are on the files. Without a "
        "roster everybody is kept under the name on their files"
    )


def _tell_who_is_missing(roster: Roster, units: Iterable[str], submitted: Path, taken: Taken) -> None:
    """Add a remark for each unit that names the students in the roster who have no notebook of it in `submitted`.

    A notebook from an earlier download counts, too.
    """
    for unit in units:
        places = {student: (submitted / student / unit, submitted / unit / student) for student in roster.words}
        missing = [student for student, there in sorted(places.items()) if not any(map(is_folder, there))]
        if missing:
            # One notebook of another unit is no reason to name the whole class.
            is_few = len(places) - len(missing) < COUNTS_FROM * len(places)
            them = "" if is_few else f": {line(', '.join(missing), 300)}"
            taken.told(unit, f"no notebook of {len(missing)} of the {len(places)} in the roster{them}", False)


def _are_two(one: Person, other: Person, units: _Units) -> bool:
    """Whether the numbers that the learning system gives show that these are two people.

    A number in Canvas always belongs to the same person, and so do Gradescope's ids. Moodle gives a person a new number
    in each assignment. Two numbers in one unit are therefore two people, but in two units they may well be one person.
    """
    return _have_other_numbers(one, other) and (one.system != "moodle" or bool(units[one] & units[other]))


def _have_other_numbers(one: Person, other: Person) -> bool:
    """Whether a system whose numbers tell people apart has given these two different numbers."""
    if one.system not in _APART or one.system != other.system:
        return False
    mine, theirs = {*one.ids} - {""}, {*other.ids} - {""}
    return bool(mine and theirs) and not mine & theirs


def _was_apart(person: Person, student: Clean, units: Iterable[str], submitted: Path) -> bool:
    """Whether an earlier download has shown that this person is not the student.

    In this download nobody else may be there to compare them with.
    """
    if person.system == "moodle":
        return _numbered(person) != student and is_folder(submitted / _numbered(person))
    notes = (received(submitted / student / unit) for unit in units)
    return person.system == "canvas" and any(
        note.system == "canvas" and note.number not in ("", person.ids[0]) for note in notes
    )


def _numbered(person: Person) -> Clean:
    """Return the name that the file bears. For Moodle the number is added, since names there do not contain it."""
    return student_id(f"{person.own} {person.ids[0]}" if person.system == "moodle" else person.own)


def _kept_apart(person: Person, student: Clean, others: Sequence[Person], has_row: bool) -> str:
    """Return the remark on a person whom the roster, or their name, takes for somebody else, and what to do about it.

    has_row: whether it is the roster that takes the person for `student`. others: the people who would be the same
    student; empty where that other person came in an earlier download.
    """
    them = ", ".join(_numbered(one) for one in others) or "somebody who was collected before"
    kept = f"this one is kept as {_numbered(person)}"
    why = f"the roster has {student} for two people" if has_row else "two people have this name"
    if person.system == "moodle":
        way_on = "This assignment's grading worksheet as ROSTER tells who is who: its Identifier has that number"
    else:
        way_on = "Give each a row in the roster, with an id or an address of their own, and collect again"
    return f"{why}, this one and {them}; {kept}, so that neither gets the other's points. {way_on}"


def _tell_of_earlier_names(
    students: Mapping[Person, Clean], units: _Units, roster: Roster | None, submitted: Path, taken: Taken
) -> None:
    """Add a remark for each person who was collected under another name before.

    That happens where there was no roster, or a different one. The person then has two folders, as if they were two
    students.
    """
    before = _collected_before(submitted)
    for person, student in students.items():
        numbers = [_number_of(person.system, *person.ids[:1], unit) for unit in sorted(units[person])]
        names = [student_id(person.own), _numbered(person), *(name for one in numbers for name in before.get(one, ()))]
        for own in dict.fromkeys(names):
            if own != student and own not in students.values() and is_folder(submitted / own):
                todo = _united(own, student, is_sure=roster is None or roster.student(person) == student)
                text = f"this seems to be {student} under an earlier name; if the two are one person, {todo}"
                taken.told(own, text)


def _united(old: str, new: str, is_sure: bool) -> str:
    """Return what to do to make one student of two.

    is_sure: whether the new id is the one to keep. It is not where there is a roster that does not give it to them.
    """
    if not is_sure:
        return f"collect with a roster that has {old}, and remove submitted/{new}"
    remove = f"`../.venv/bin/nbgrader db student remove {shlex.quote(old)} --force`, as grader/README.md says"
    lost = f"points and comments given to {old} by hand are deleted with it"
    return f"move to submitted/{new} what only submitted/{old} has, delete submitted/{old}, and run {remove}; {lost}"


def _collected_before(submitted: Path) -> dict[tuple[str, ...], list[Clean]]:
    """Return the students in `submitted` who have a notebook with a learning system's number, by that number."""
    found: dict[tuple[str, ...], list[Clean]] = defaultdict(list)
    for path in sorted(submitted.glob(f"*/*/{RECEIVED}")):
        # A symbolic link is no folder here.
        note = received(path.parent) if is_folder(path.parent) and is_folder(path.parent.parent) else Received()
        if note.number:
            found[_number_of(note.system, note.number, path.parent.name)].append(name_of(path.parent.parent))
    return found


def _number_of(system: str, *number_and_unit: str) -> tuple[str, ...]:
    """Return a key that is the same for all notebooks of one person.

    Moodle's numbers hold for one assignment only, so for Moodle the unit is part of the key.
    """
    return (system, *(number_and_unit if system == "moodle" else number_and_unit[:1]))


def _unit(one: Claim, fit: Mapping[Path, Fit], asked: Sequence[str], taken: Taken) -> str:
    """Return the unit of a notebook, or "" with a remark where it cannot be told.

    It is the unit that the cells belong to, or else the one in its name or a folder's, or else the one some of whose
    names it defines, or else the only one asked for.
    """
    units = unit_names()
    assert one.item.path is not None  # noqa: S101 for mypy
    named = next((unit for part in (one.name, *reversed(one.folders)) if (unit := unit_named(part, units))), "")
    cells = fit[one.item.path].cells_of or ("" if named else fit[one.item.path].unit)
    if cells and named and cells != named:
        taken.told(one.item.name, f"its name says {named}, but its cells belong to {cells}; it is taken as {cells}")
    unit = cells or named or (asked[0] if len(asked) == 1 else "")
    if not unit:
        why = fit[one.item.path].problem or "none of its cells belongs to a unit of this course"
        taken.told(
            one.item.name,
            f"not collected: its name tells no unit, and {why}; say with ARGS=UNIT which one it belongs to",
        )
    return unit


def _tell_of_other_units(groups: Mapping[tuple[str, str], Sequence[Claim]], asked: Sequence[str], taken: Taken) -> None:
    """Add a remark for each notebook of a unit that was not asked for.

    It asks somebody to look where the student has handed in none of the units that were asked for.
    """
    for (student, unit), group in sorted(groups.items()):
        if asked and unit not in asked:
            nothing = not any((student, other) in groups for other in asked)
            for one in group:
                text = f"{one.item.name} belongs to {unit}, not to {', '.join(asked)}; it is kept, and not graded now"
                taken.told(f"{student}/{unit}", text, nothing)


def _files(
    claimed: Sequence[Claim],
    students: Mapping[Person, Clean],
    groups: Mapping[tuple[str, str], Sequence[Claim]],
    taken: Taken,
) -> dict[tuple[str, str], list[Claim]]:
    """Return the files that go with each student's notebook of a unit, and name the other files in remarks.

    Where two namesakes with different numbers are taken as one student, the files of each go only with their own
    notebook.
    """
    homes: dict[str, dict[str, set[tuple[Person, tuple[str, ...]]]]] = defaultdict(dict)
    for (student, unit), group in groups.items():
        homes[student][unit] = {(one.person, one.item.parts[:-1]) for one in group}
    found: dict[tuple[str, str], list[Claim]] = defaultdict(list)
    left: dict[Person, list[Claim]] = defaultdict(list)
    for one in claimed:
        if is_notebook(one.item):
            continue
        student = students[one.person]
        own = {
            unit: mine
            for unit, places in homes[student].items()
            if (mine := {place for person, place in places if not _have_other_numbers(person, one.person)})
        }
        units = _units_beside(one, own)
        for unit in units:
            found[student, unit].append(one)
        if not units:
            left[one.person].append(one)
    writers: dict[str, set[Person]] = defaultdict(set)
    for one in claimed:
        if is_notebook(one.item):
            writers[students[one.person]].add(one.person)
    for person, files in sorted(left.items(), key=lambda both: students[both[0]]):
        names, others = line(", ".join(one.name for one in files), 200), writers[students[person]]
        if any(not _have_other_numbers(person, other) for other in others):
            text = (
                f"some files are not collected, since none of this student's notebooks tells where they belong: {names}"
            )
            taken.told(students[person], text, False)
        else:
            text = f"this student handed in no notebook, only {names}; expected a file whose name ends in .ipynb"
            taken.told(_numbered(person) if others else students[person], text)
    return found


def _units_beside(file: Claim, homes: Mapping[str, Iterable[tuple[str, ...]]]) -> list[str]:
    """Return the units whose notebooks a file goes with.

    That is the unit that one of the file's folders is named after, or else those whose notebooks lie in the nearest
    folder around the file. A file that no notebook's folder contains goes with the student's only unit, if there is
    just one.

    homes: for each unit of this student the folders that its notebooks lie in.
    """
    folder = file.item.parts[:-1]
    near = {
        unit: max((len(place) for place in places if folder[: len(place)] == place), default=-1)
        for unit, places in homes.items()
    }
    nearest = max(near.values(), default=-1)
    within = folder[nearest:] if nearest >= 0 else file.folders
    named = [part for part in within if part in homes]
    if named:
        return named[-1:]
    if nearest >= 0:
        return [unit for unit, depth in near.items() if depth == nearest]
    return list(homes) if len(homes) == 1 and not any(part in unit_names() for part in file.folders) else []


def _place(student: str, unit: str, group: list[Claim], files: Sequence[Claim], bench: _Bench) -> None:
    """Write the notebook that counts to its place, with the files that go with it, and the others to `older/`."""
    home = bench.folder / "submitted" / student
    place = home / unit
    if _has_other_case(home):
        why = (
            "this disk does not tell small letters from capitals, and this student's folder would be another student's"
        )
        bench.taken.told(f"{student}/{unit}", f"not collected: {why}; keep the classroom on a disk that does")
        return
    if any(path.is_symlink() for path in (home.parent, home, place, place / f"{unit}.ipynb", place / OLDER)):
        bench.taken.told(
            f"{student}/{unit}", "not collected: its place in submitted/ is a link, and links are not followed"
        )
        return
    counts, *rest = sorted(group, key=lambda one: _rank(one, unit, bench.fit), reverse=True)
    (place / OLDER).mkdir(parents=True, exist_ok=True)
    people = dict.fromkeys(one.person for one in group)
    if len(people) > 1:
        them = ", ".join(one.own for one in people)
        bench.taken.told(f"{student}/{unit}", f"notebooks of several people were taken as this student's: {them}")
    rest = [one for one in rest if _copy(one, bench.fit) != _copy(counts, bench.fit)]
    if rest:
        names = ", ".join(one.item.name for one in rest)
        why, look = _why(counts, rest[0], unit, bench.fit)
        text = f"{counts.item.name} counts, since {why}; the rest is kept in {OLDER}/: {line(names, 300)}"
        bench.taken.told(f"{student}/{unit}", text, look)
    for one in rest:
        _keep(_copy(one, bench.fit).content(), place, f"{unit}.ipynb")
    if _put(counts, student, place, bench):
        _put_files(counts, files, student, place, bench.taken)
    elif files:
        names = ", ".join(one.name for one in files)
        bench.taken.told(
            counts.item.name,
            f"this notebook does not count, so the files beside it are not collected: {line(names, 200)}",
        )
    if not any((place / OLDER).iterdir()):
        (place / OLDER).rmdir()


def _has_other_case(home: Path) -> bool:
    """Whether the disk has this folder under a name with other capitals.

    Some disks take `Ana` and `ana` for the same folder, so that one student would get the other's work.
    """
    turned = home.with_name(home.name.swapcase())
    if not home.exists() or not turned.exists() or not home.samefile(turned):  # the disk tells them apart
        return False
    return not any(composed(name) == composed(home.name) for name in os.listdir(home.parent))


def _rank(one: Claim, unit: str, fit: Mapping[Path, Fit]) -> tuple[bool, tuple[str, tuple[int, int]], bool]:
    return _answers(one, unit, fit), _turn(one), one.name == f"{unit}.ipynb"


def _why(one: Claim, other: Claim, unit: str, fit: Mapping[Path, Fit]) -> tuple[str, bool]:
    """Return why `one` counts and not `other`, and whether somebody should look at it."""
    mine, theirs = _rank(one, unit, fit), _rank(other, unit, fit)
    if mine[0] != theirs[0]:
        return "it holds answers", False
    if mine[1] != theirs[1]:
        return "it is the latest", False
    why = f"it is called {unit}.ipynb" if mine[2] != theirs[2] else "it comes first"
    return f"{why}, and nothing says which one is later", True


def _answers(one: Claim, unit: str, fit: Mapping[Path, Fit]) -> bool:
    return bool(one.item.path and fit[one.item.path].of(unit).answered)


def _copy(one: Claim, fit: Mapping[Path, Fit]) -> Copy:
    """Return the copy of a notebook that could be read."""
    copy = fit[one.item.path].copy if one.item.path else None
    assert copy is not None  # noqa: S101 for mypy
    return copy


def _put(one: Claim, student: str, place: Path, bench: _Bench) -> bool:
    """Write the notebook to its place. Returns False where the one that is there already counts instead, and stays."""
    path = place / f"{place.name}.ipynb"
    new, taken = _copy(one, bench.fit).content(), bench.taken
    if is_file(path):
        old = path.read_bytes()
        if old == new:
            taken.known += 1
            _note(one, place, is_new=False)
            return True
        if why := _stays(path, one, bench):
            kept = _keep(new, place, path.name)
            text = f"the notebook there {why}; {one.item.name} is kept as {kept}"
            taken.told(f"{student}/{place.name}", text, why != _LATER)
            return False
        kept, doubt = _keep(old, place, path.name), _doubt(one, place)
        text = f"it was replaced by {one.item.name}; the notebook that lay there is kept as {kept}{doubt}"
        taken.told(f"{student}/{place.name}", text, bool(doubt))
    _write(path, new)
    taken.new += 1
    _note(one, place, is_new=True)
    return True


def _doubt(new: Claim, place: Path) -> str:
    """Return why the notebook in this place and the new one may belong to two people; "" where nothing says so."""
    noted, person = received(place), new.person
    if person.system != "moodle" or noted.system != "moodle" or noted.number == person.ids[0]:
        return ""
    return (
        f". The new one's number in Moodle is {person.ids[0]}, the old one's {noted.number}. If "
        "both belong to one assignment, these are two people of the same name: collect again with its grading "
        "worksheet as ROSTER, whose Identifier is this number"
    )


_LATER = "is later"
_NUMBERING = ("canvas", "moodle", "blackboard")  # the systems whose numbers, or user names, are noted
_TURNING = ("canvas", "blackboard")  # the systems that show the order of two notebooks, the same in every download
_APART = (*_NUMBERING, "gradescope")  # the systems whose numbers or addresses tell people apart


def _stays(path: Path, new: Claim, bench: _Bench) -> str:
    """Return why the notebook that is in the place counts, and not the new one; "" where the new one counts."""
    unit, there = path.parent.name, timestamp(path.parent)
    noted, answers = received(path.parent), _answers(new, unit, bench.fit)
    is_counted = (noted.system, noted.number) == (new.person.system, *new.person.ids[:1]) and noted.system in _TURNING
    later = bool(there and new.submitted and there > new.submitted) or (is_counted and noted.turn > new.turn)
    if answers and not later:
        return ""
    (lying,) = fits([path], bench.shelves)
    has_answers = bool(lying.of(unit).answered)
    if has_answers and not answers:
        return "holds answers, and the new one does not"
    return _LATER if later and has_answers == answers else ""


def _keep(content: bytes, place: Path, name: str) -> str:
    """Keep a notebook or file in `older/`, with a number in its name, and return that name.

    Where the same content is there already under such a name, it is not written again.
    """
    older, called = place / OLDER, PurePosixPath(name)
    number = 1
    while (path := older / f"{called.stem}.{number}{called.suffix}").exists():
        if path.read_bytes() == content:
            return f"{OLDER}/{path.name}"
        number += 1
    _write(path, content)
    return f"{OLDER}/{path.name}"


def _note(one: Claim, place: Path, is_new: bool) -> None:
    """Note when the notebook was submitted, as nbgrader does, and what else the learning system said of it.

    is_new: whether the notebook has just been written. Where the system gives no time, a time noted earlier is removed
    with the notebook that it belonged to, but stays with a notebook that was there already.
    """
    if one.submitted:
        _write(place / TIMESTAMP, f"{one.submitted}\n".encode())
    elif is_new:
        (place / TIMESTAMP).unlink(missing_ok=True)
    if one.person.system in _NUMBERING:
        told = Received(one.person.system, one.person.ids[0], one.turn, one.item.name, one.late)
        _write(place / RECEIVED, msgspec.json.encode(told))
    else:
        (place / RECEIVED).unlink(missing_ok=True)


_UNPLACED = "not collected: it cannot be written to its place ({})"


def _put_files(notebook: Claim, files: Sequence[Claim], student: str, place: Path, taken: Taken) -> None:
    """Write the files that were handed in with the notebook, in the same folders relative to it.

    A different file in the place of one of them goes to `older/`.
    """
    places: dict[Path, list[Claim]] = defaultdict(list)
    for one in files:
        folders = (
            one.folders[len(notebook.folders) :] if one.folders[: len(notebook.folders)] == notebook.folders else ()
        )
        path = place.joinpath(*folders, one.name)
        try:
            is_link = any(part.is_symlink() for part in (path, *path.parents) if place in part.parents)
        except OSError as error:  # a name that the disk cannot hold: only this file is left out
            taken.told(one.item.name, _UNPLACED.format(error.strerror))
            continue
        if any(part.startswith(".") for part in (*folders, one.name)) or one.name == TIMESTAMP:
            taken.told(
                one.item.name, "not collected: it is a hidden file, or has a name that the grader itself uses", False
            )
        elif is_link:
            taken.told(one.item.name, "not collected: its place is a link, and links are not followed")
        else:
            places[path].append(one)
    for number, (path, group) in enumerate(places.items()):
        if number == FILES_MOST:
            taken.told(
                student,
                f"more than {FILES_MOST} files came with the notebook; {line(path.name, 100)} and the rest "
                "are left out",
            )
            return
        try:
            _put_file(group, path, place, taken)
        except OSError as error:  # only these files are left out
            for one in group:
                taken.told(one.item.name, _UNPLACED.format(error.strerror))


def _put_file(group: Sequence[Claim], path: Path, place: Path, taken: Taken) -> None:
    """Write the latest of the files that belong in one place. The others are kept in `older/`.

    Where nothing says which of two is the later, the second is not collected, and a remark says so.
    """
    counts, *rest = sorted(group, key=_turn, reverse=True)
    if path.exists() and not is_file(path):
        where = f"{place.parent.name}/{place.name}"
        taken.told(counts.item.name, f"not collected: {where} already holds a folder called {name_of(path)}")
        return
    new = _content(counts, taken)
    if new is None:
        return
    old = path.read_bytes() if path.exists() else new
    if old != new:
        kept = _keep_file(old, place, path.name)
        taken.told(counts.item.name, f"it takes the place of another {name_of(path)}, which is kept as {kept}", False)
    if not counts.item.name.endswith(counts.name):
        text = f"collected as {counts.name}, since Canvas adds a number to the name of a file that is handed in again"
        taken.told(counts.item.name, text, False)
    if old != new or not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, new)
    for one in rest:
        content = _content(one, taken)
        if content is None or content == new:
            continue
        if _turn(one) == _turn(counts):
            taken.told(
                one.item.name,
                f"not collected: {counts.item.name} has taken its place, and nothing says which one is later",
            )
        else:
            kept = _keep_file(content, place, path.name)
            taken.told(
                one.item.name, f"{counts.item.name} is later and has taken its place; this one is kept as {kept}", False
            )


def _turn(one: Claim) -> tuple[str, tuple[int, int]]:
    return one.submitted, one.turn


def _content(one: Claim, taken: Taken) -> bytes | None:
    """Return the bytes of a file; None, with a remark, where it cannot be read."""
    assert one.item.path is not None  # noqa: S101 for mypy
    try:
        return one.item.path.read_bytes()
    except OSError as error:
        taken.told(one.item.name, f"not collected: it cannot be read ({error.strerror})")
        return None


def _keep_file(content: bytes, place: Path, name: str) -> str:
    """Keep a file that is no notebook in `older/`, and return its name there.

    Its name begins with a dot, since every file below the notebook's folder that is not hidden counts as handed in.
    """
    return _keep(content, place, f".{name}")


def _write(path: Path, content: bytes) -> None:
    """Write a file so that it appears either complete or not at all. Raises OSError, as where a folder has its name."""
    # The temporary name is a short one: the file's own name with a suffix might be too long for the disk.
    partial = path.with_name(f".{os.getpid()}.partial")
    try:
        partial.write_bytes(content)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
