"""Sorts a learning system's download into `submitted/STUDENT/UNIT/UNIT.ipynb`. Nothing is lost or overwritten.

If a student has handed in several notebooks for one unit, the one with answers counts. Of several with answers the
latest counts (by the time that the system gives, then by its number of the file, then by the number in the file's
name). If nothing says which is the latest, the one called UNIT.ipynb counts. The others are kept in the folder `older/`
beside it, and so is a different notebook or file that was there before. A notebook without answers never replaces one
with answers.
"""

import itertools
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

import msgspec

from nbproctor.course.units import unit_names
from nbproctor.intake.archive import Item, items_in
from nbproctor.intake.claim import Claim, ClaimsAndRest, copy_number, is_notebook, unit_named
from nbproctor.intake.find import OLDER, RECEIVED, TIMESTAMP, IntakeError, Received, is_set, moment, received
from nbproctor.intake.fit import Fit, UnitFeatures, fits, unit_features
from nbproctor.intake.roster import Person, Roster, composed, student_id
from nbproctor.intake.system import NO_SYSTEM, NumberOf
from nbproctor.intake.systems import claims
from nbproctor.values.copies import Copy, temporary_folder
from nbproctor.values.grades import label
from nbproctor.values.submission import Remark, is_file, is_folder
from nbproctor.values.text import Clean, clean, line, many, name_of, write_whole

STRANGERS = 3  # if at least this many people hand in, and the roster has none of them, it is another class's


@dataclass
class Collected:
    """The result of a collection: how many notebooks are new, and how many were there; remarks on all that is odd."""

    new: int = 0
    known: int = 0
    remarks: list[Remark] = field(default_factory=list)

    def add_remark(self, where: str, text: str, needs_look: bool = True) -> None:
        self.remarks.append(Remark(clean(where, 600), line(text, 600), needs_look))


def collect(source: Path, folder: Path, roster: Roster | None, requested: Sequence[str] = ()) -> Collected:
    """Copy the notebooks and files in an archive or a folder to `folder/submitted`.

    requested: the units to grade; a notebook that does not show its unit is taken to be of the only one. Raises
    Unreadable, IntakeError if nothing may be collected, and UserError if copies find no room.
    """
    result = Collected()
    submitted = folder / "submitted"
    # The classroom also holds notebooks that we wrote, as in autograded/, and these are nobody's submissions.
    if folder.resolve().is_relative_to(source.resolve()):
        raise IntakeError(
            f"{source}: the classroom lies inside it; expected the learning system's download, in a folder of its own"
        )
    with tempfile.TemporaryDirectory(dir=temporary_folder()) as scratch:
        items = items_in(source, Path(scratch))
        claimed, unclaimed = claims([one for one in items if not one.problem], unit_names())
        if roster:
            claimed, unclaimed = _by_the_roster(claimed, unclaimed, roster)
        _remark_on_the_rest([*(one for one in items if one.problem), *unclaimed], result)
        claimed = _timed(claimed)
        known = unit_features()
        notebooks = _read([one for one in claimed if is_notebook(one.item)], known, requested, result)
        units: dict[Person, set[str]] = {one.person: set() for one in claimed}
        if roster:
            _check_roster(roster, list(units))
        for one in notebooks:
            units[one.claim.person].add(one.unit)
        students = _students(units, roster, submitted, result)
        groups: dict[tuple[str, str], list[_Notebook]] = defaultdict(list)
        for one in notebooks:
            groups[students[one.claim.person], one.unit].append(one)
        _refuse_mixed_up(groups, roster)
        files = _files([one for one in claimed if not is_notebook(one.item)], notebooks, students, result)
        for (student, unit), group in sorted(groups.items()):
            if requested and unit not in requested:
                text = f"this is not {', '.join(requested)}, so it is kept, and not graded now"
                result.add_remark(f"{student}/{unit}", text, not any((student, other) in groups for other in requested))
            try:
                _place(submitted / student / unit, group, files[student, unit], known, result)
            except OSError as error:
                text = f"not collected: its place in submitted/ cannot be used ({error.strerror})"
                result.add_remark(f"{student}/{unit}", text)
        if roster:
            _remark_on_the_missing(roster, sorted({unit for _, unit in groups}), requested, folder, result)
            _remark_on_strangers(roster, students.values(), submitted, result)
    return result


@dataclass(frozen=True)
class _Notebook:
    """A notebook that was read. copy: its bytes. has_answers: whether it answers any exercise of its unit."""

    claim: Claim
    unit: str
    copy: Copy
    has_answers: bool

    @property
    def rank(self) -> tuple[object, ...]:
        """Of a student's notebooks of a unit the one with the highest rank counts."""
        return self.has_answers, self.claim.when, self.claim.name == f"{self.unit}.ipynb"


_Groups = Mapping[tuple[str, str], Sequence[_Notebook]]  # by student and unit


def _by_the_roster(claimed: Iterable[Claim], unclaimed: Iterable[Item], roster: Roster) -> ClaimsAndRest:
    """Look for a student of the roster in a file's whole path, if neither a system nor its folder names one."""
    folders = {one.item: one for one in claimed if one.person.system is NO_SYSTEM and not roster.student(one.person)}
    found = [one for one in claimed if one.item not in folders]
    candidates = [*folders, *filter(is_notebook, unclaimed)]
    theirs = {item: student for item in candidates if (student := roster.named_in_path(item.parts))}
    for item, student in theirs.items():
        *inner, name = item.parts
        person = Person(student, (student,), student)
        found.append(Claim(item, person, name, tuple(inner), turn=(0, copy_number(name))))
    shared = {folders[item].person.own for item in theirs if item in folders}
    for item, one in folders.items():  # a folder with the files of somebody else is no student's
        if item not in theirs and (one.person.own not in shared or roster.knows(one.person)):
            found.append(one)
    known = {one.item for one in found}
    return found, [item for item in (*unclaimed, *folders) if item not in known]


def _remark_on_the_rest(rest: Iterable[Item], result: Collected) -> None:
    for item in rest:
        text = item.problem or "neither its name nor its folder tells whose it is"
        nameless = is_notebook(item) and not item.problem
        todo = "; put it into a folder named after the student's id, and collect again" if nameless else ""
        result.add_remark(item.name, f"not collected: {text}{todo}", needs_look=nameless or bool(item.problem))


def _timed(claimed: Sequence[Claim]) -> list[Claim]:
    """Give the files the time in the `timestamp.txt` beside them, unless a student may have written that."""
    clocks = {
        one.item.parts[:-1]: when
        for one in claimed
        if one.is_arranged and one.name == TIMESTAMP and (when := moment(one.item.path))
    }
    return [
        replace(one, submitted=one.submitted or clocks.get(one.item.parts[:-1], ""))
        for one in claimed
        if one.name != TIMESTAMP or one.item.parts[:-1] not in clocks
    ]


def _read(
    claimed: Sequence[Claim], known: Sequence[UnitFeatures], requested: Sequence[str], result: Collected
) -> list[_Notebook]:
    """Return the notebooks that can be read and whose unit is known. Raises UserError if copies find no room."""
    paths = list(dict.fromkeys(one.item.path for one in claimed))
    fit = dict(zip(paths, fits(paths, known), strict=True))
    found = []
    for one in claimed:
        holds = fit[one.item.path]
        if holds.copy is None:
            result.add_remark(one.item.name, f"not collected: {holds.problem}")
        elif unit := _unit(one, holds, requested, result):
            found.append(_Notebook(one, unit, holds.copy, bool(holds.of(unit).answered)))
    return found


def _unit(one: Claim, holds: Fit, requested: Sequence[str], result: Collected) -> str:
    """Return the unit that a notebook's cells, name or folder say, or the only one requested; "" with a remark."""
    units = unit_names()
    named = next((unit for part in (one.name, *reversed(one.folders)) if (unit := unit_named(part, units))), "")
    cells = holds.cells_of or ("" if named else holds.unit)
    if cells and named and cells != named:
        result.add_remark(
            one.item.name, f"its name says {named}, but its cells belong to {cells}; it is taken as {cells}"
        )
    unit = cells or named or (requested[0] if len(requested) == 1 else "")
    if not unit:
        why = holds.problem or "none of its cells belongs to a unit of this course"
        todo = "say with ARGS=UNIT which one it belongs to"
        result.add_remark(one.item.name, f"not collected: its name does not contain a unit, and {why}; {todo}")
    return unit


def _check_roster(roster: Roster, people: Sequence[Person]) -> None:
    """Raise IntakeError if the roster is another class's: all would become students under the wrong names."""
    if len(people) < STRANGERS or any(map(roster.knows, people)):
        return
    them = line(", ".join(one.own for one in people[:STRANGERS]), 200)
    raise IntakeError(
        f"the roster has none of the {many(len(people), 'person', 'people')} who handed these files in ({them}, …), so "
        "nothing is collected. Expected the list of this class, with the numbers or names that are on the files. "
        "Without a roster everybody is kept under the name on their files"
    )


_Units = Mapping[Person, set[str]]  # everybody who hands something in, with the units of their notebooks


def _students(units: _Units, roster: Roster | None, submitted: Path, result: Collected) -> dict[Person, Clean]:
    """Return the student id of each person: the one in the roster, or else the name on the file.

    Two people with different numbers never become one student, whatever the roster says. The one whose number the
    roster has keeps the id.
    """
    settled = {person: known for person in units if roster and (known := roster.student(person))}
    found = {person: settled.get(person, student_id(person.own)) for person in units}
    alike: dict[Clean, list[Person]] = defaultdict(list)
    for person, student in found.items():
        alike[student].append(person)
    for student, people in alike.items():
        sure = [one for one in people if roster and roster.has_number(student, one)]
        doubled = any(_are_two(*pair, units) for pair in itertools.combinations(people, 2))
        for person in people:
            if sure != [person] and (doubled or _was_another_person(person, student, units[person], submitted)):
                found[person] = _numbered(person)
                them = ", ".join(_numbered(one) for one in people if one != person) or "somebody collected before"
                todo = f"; {person.system.number_list} is such a roster" if person.system.number_list else ""
                result.add_remark(
                    found[person],
                    f"{student} would be two people, this one and {them}; this one is kept as {found[person]}, so that "
                    "neither gets the other's points. Give each a row in the roster, with an id or an address of their "
                    f"own, and collect again{todo}",
                )
    if roster:
        # Said once if two people get the same id.
        unsettled = {found[person]: roster.knows(person) for person in units if person not in settled}
        for student, is_known in unsettled.items():
            why = "the roster does not make clear who this is" if is_known else "this person is not in the roster"
            result.add_remark(student, f"{why}; what they handed in is kept under the name on the file")
    return found


def _are_two(one: Person, other: Person, units: _Units) -> bool:
    """Whether their numbers show that these are two people. A participant has another number in another unit."""
    number_of, mine, theirs = one.system.number_of, {*one.ids} - {""}, {*other.ids} - {""}
    if one.system is not other.system or number_of is NumberOf.UNKNOWN or not mine or not theirs or mine & theirs:
        return False
    return number_of is NumberOf.PERSON or bool(units[one] & units[other])


def _was_another_person(person: Person, student: Clean, units: Iterable[str], submitted: Path) -> bool:
    """Whether an earlier download has shown that this person is not the student."""
    system = person.system
    if system.number_of is NumberOf.PARTICIPANT:
        return _numbered(person) != student and is_folder(submitted / _numbered(person))
    notes = (received(submitted / student / unit) for unit in units if system.number_of is NumberOf.PERSON)
    return any(note.system == system.name and note.number not in ("", person.number) for note in notes)


def _numbered(person: Person) -> Clean:
    """Return the name on the file, with the person's number if that is only a participant's."""
    is_participant = person.system.number_of is NumberOf.PARTICIPANT
    return student_id(f"{person.own} {person.number}" if is_participant else person.own)


def _remark_on_strangers(roster: Roster, collected: Iterable[Clean], submitted: Path, result: Collected) -> None:
    """Name the other students in `submitted` whom the roster lacks: one who has a new id would be graded as two."""
    known = {*roster.words, *collected, *unit_names()}
    for path in sorted(submitted.glob("*")):
        own = composed(name_of(path))
        if is_folder(path) and own not in known and not own.startswith("."):
            result.add_remark(
                own,
                "the roster has nobody of this id. If it is somebody's earlier one, first move the units that lie only "
                f"in submitted/{own}/ to the folder of the new id, and give in formgrader what you have given {own} by "
                f"hand. After that, or if they have left the class, remove {own}, as grader/docs/class.md says",
            )


def _refuse_mixed_up(groups: _Groups, roster: Roster | None) -> None:
    """Refuse if different people's notebooks would be filed under one student.

    Raises IntakeError if different notebooks with answers have one name that the roster lacks, and nothing says which
    is the latest. Without a roster, there have to be three of them, and half of all notebooks.
    """
    crowds: dict[tuple[str, str], int] = {}
    for (student, unit), group in groups.items():
        people = {one.claim.person for one in group}
        is_known = any(one.system is not NO_SYSTEM or (roster and roster.student(one)) for one in people)
        apart: dict[tuple[object, ...], set[str]] = defaultdict(set)
        for one in group:
            if one.has_answers and not is_known:
                apart[one.claim.when].add(one.copy.digest)
        most = max(map(len, apart.values()), default=0)
        if most > (1 if roster else 2):
            crowds[student, unit] = most
    if crowds and (roster or 2 * sum(crowds.values()) >= sum(map(len, groups.values()))):
        student, unit = next(iter(crowds))
        group = groups[student, unit]
        names = line(", ".join(one.claim.name for one in group), 200)
        raise IntakeError(
            f"{student} holds {many(len(group), 'notebook')} of {unit} that seem to be several people's ({names}), so "
            "nothing is collected. Expected a folder for each student, or the roster's ids, addresses or names in "
            "the path; give ROSTER=, or sort them into STUDENT/ first"
        )


def _remark_on_the_missing(
    roster: Roster, units: Iterable[str], requested: Sequence[str], folder: Path, result: Collected
) -> None:
    """Name the students of the roster who have no notebook, of any download, in a unit that is asked for or set."""
    submitted = folder / "submitted"
    students = [student for student in roster.words if is_folder(submitted / student)]
    for unit in units:
        places = {student: (submitted / student / unit, submitted / unit / student) for student in roster.words}
        missing = [student for student, there in sorted(places.items()) if not any(map(is_folder, there))]
        if missing and (unit in requested or is_set(unit, len(places) - len(missing), len(students), folder)):
            them = line(", ".join(label(student, roster.people[student].name) for student in missing), 600)
            result.add_remark(unit, f"no notebook of {len(missing)} of the {len(places)} in the roster: {them}", False)


def _files(
    beside: Iterable[Claim], notebooks: Iterable[_Notebook], students: Mapping[Person, Clean], result: Collected
) -> dict[tuple[str, str], list[Claim]]:
    """Return the files that go with each student's notebook of a unit; name people without a notebook."""
    homes: dict[Person, dict[str, list[tuple[str, ...]]]] = defaultdict(lambda: defaultdict(list))
    for notebook in notebooks:
        homes[notebook.claim.person][notebook.unit].append(notebook.claim.item.parts[:-1])
    writers = {students[person] for person in homes}
    found: dict[tuple[str, str], list[Claim]] = defaultdict(list)
    left: dict[Person, list[str]] = defaultdict(list)
    for one in beside:
        for unit in _units_beside(one, homes[one.person]):
            found[students[one.person], unit].append(one)
        if not homes[one.person]:
            left[one.person].append(one.name)
    for person, names in sorted(left.items(), key=lambda both: students[both[0]]):
        who = _numbered(person) if students[person] in writers else students[person]
        text = f"this student handed in no notebook, only {line(', '.join(names), 200)}"
        result.add_remark(who, f"{text}; expected a file whose name ends in .ipynb")
    return found


def _units_beside(file: Claim, homes: Mapping[str, Sequence[tuple[str, ...]]]) -> list[str]:
    """Return the units that a file goes with: those of the nearest notebooks around it, or else all of them.

    homes: the folders that this student's notebooks of each unit lie in.
    """
    folder = file.item.parts[:-1]
    near = {
        unit: max((len(place) for place in places if folder[: len(place)] == place), default=-1)
        for unit, places in homes.items()
    }
    nearest = max(near.values(), default=-1)
    within = folder[nearest:] if nearest >= 0 else file.folders
    named = [part for part in within if part in homes]
    return named[-1:] or [unit for unit, depth in near.items() if depth == nearest]


def _place(
    place: Path, group: Sequence[_Notebook], files: Sequence[Claim], known: Sequence[UnitFeatures], result: Collected
) -> None:
    """Write the notebook that counts to STUDENT/UNIT, with its files, and the others to `older/` in it."""
    where = f"{place.parent.name}/{place.name}"
    if any(path.is_symlink() for path in (*place.parents[:2], place, place / f"{place.name}.ipynb", place / OLDER)):
        result.add_remark(where, "not collected: its place in submitted/ is a link, and links are not followed")
        return
    counts, *rest = sorted(group, key=lambda one: one.rank, reverse=True)
    people = dict.fromkeys(one.claim.person for one in group)
    if len(people) > 1:
        them = ", ".join(one.own for one in people)
        result.add_remark(where, f"notebooks of several people were taken as this student's: {them}")
    name, rest = counts.claim.item.name, [one for one in rest if one.copy != counts.copy]
    if rest:
        names = line(", ".join(one.claim.item.name for one in rest), 300)
        why, look = _why(counts, rest[0])
        result.add_remark(where, f"{name} counts, {why}; the rest is kept in {OLDER}/: {names}", look)
    for one in rest:
        _keep(one.copy.content(), place, f"{place.name}.ipynb")
    if _put(counts, where, place, known, result):
        _put_files(counts.claim, files, place, result)
    elif files:
        names = line(", ".join(one.name for one in files), 200)
        result.add_remark(name, f"this notebook does not count, so the files beside it are not collected: {names}")


def _why(one: _Notebook, other: _Notebook) -> tuple[str, bool]:
    """Return why `one` counts and not `other`, and whether somebody should look at it."""
    if one.has_answers != other.has_answers:
        return "since it holds answers", False
    if one.claim.when != other.claim.when:
        return "since it is the latest", False
    return "though nothing says which one is later", True


def _put(one: _Notebook, where: str, place: Path, known: Sequence[UnitFeatures], result: Collected) -> bool:
    """Write the notebook to `place`. Returns False if the one that is there already counts instead, and stays."""
    path, new, claim = place / f"{one.unit}.ipynb", one.copy.content(), one.claim
    if is_file(path):
        old = path.read_bytes()
        if old == new:
            result.known += 1
            _note(claim, place, is_new=False)
            return True
        if why := _stays(path, one, known):
            kept = _keep(new, place, path.name)
            result.add_remark(where, f"the notebook there {why}; {claim.item.name} is kept as {kept}", why != _LATER)
            return False
        noted, kept = received(place), _keep(old, place, path.name)
        text = f"it was replaced by {claim.item.name}; the notebook that lay there is kept as {kept}"
        doubt = _doubt(noted, claim.person)
        result.add_remark(where, text + doubt, doubt != "")
    write_whole(path, new)
    result.new += 1
    _note(claim, place, is_new=True)
    return True


def _doubt(noted: Received, person: Person) -> str:
    """Return a warning if the notebooks of two namesakes may have come to one place; else ""."""
    system, is_same = person.system, (noted.system, noted.number) == (person.system.name, person.number)
    if system.number_of is not NumberOf.PARTICIPANT or noted.system != system.name or is_same:
        return ""
    return (
        f". {system.title}'s number was {noted.number} and now is {person.number}: if both are of one assignment, "
        f"these are two people; give {system.number_list} as ROSTER to tell them apart"
    )


_LATER = "is later"


def _stays(path: Path, new: _Notebook, known: Sequence[UnitFeatures]) -> str:
    """Return why the notebook that is there counts, and not the new one; "" if the new one counts."""
    there, noted, claim = moment(path.parent / TIMESTAMP), received(path.parent), new.claim
    is_numbered = (noted.system, noted.number) == (claim.person.system.name, claim.person.number)
    # The first number of a turn is the system's, and grows from download to download if it has one.
    is_later = is_numbered and noted.turn[:1] > claim.turn[:1]
    is_later = is_later or bool(there and claim.submitted and there > claim.submitted)
    if new.has_answers and not is_later:
        return ""
    (lying,) = fits([path], known)
    has_answers = bool(lying.of(new.unit).answered)
    if has_answers and not new.has_answers:
        return "holds answers, and the new one does not"
    return _LATER if is_later and has_answers == new.has_answers else ""


def _note(one: Claim, place: Path, is_new: bool) -> None:
    """Note when the notebook was submitted, as nbgrader does, and what else the system said. is_new: just written."""
    if one.submitted:
        write_whole(place / TIMESTAMP, f"{one.submitted}\n")
    elif is_new:
        (place / TIMESTAMP).unlink(missing_ok=True)
    if one.person.system is not NO_SYSTEM:
        note = Received(one.person.system.name, one.person.number, one.turn, one.item.name, one.late)
        write_whole(place / RECEIVED, msgspec.json.encode(note))
    else:
        (place / RECEIVED).unlink(missing_ok=True)


def _put_files(notebook: Claim, files: Sequence[Claim], place: Path, result: Collected) -> None:
    """Write the files that were handed in with the notebook, in the same folders relative to it."""
    around = notebook.folders
    places: dict[Path, list[Claim]] = defaultdict(list)
    for one in files:
        folders = one.folders[len(around) :] if one.folders[: len(around)] == around else ()
        # Hidden files do not count as handed in; the grader itself writes such files.
        if not any(part.startswith(".") for part in (*folders, one.name)) and one.name != TIMESTAMP:
            places[place.joinpath(*folders, one.name)].append(one)
    for path, group in places.items():
        try:
            _put_file(group, path, place, result)
        except OSError as error:  # only these files are left out
            result.add_remark(group[0].item.name, f"not collected: it cannot be copied to its place ({error.strerror})")


def _put_file(group: Sequence[Claim], path: Path, place: Path, result: Collected) -> None:
    """Write the latest of the files that belong at `path`; keep the others in `older/`. Raises OSError."""
    counts, *rest = sorted(group, key=lambda one: one.when, reverse=True)
    if any(part.is_symlink() for part in (path, *path.parents) if place in part.parents):
        result.add_remark(counts.item.name, "not collected: its place is a link, and links are not followed")
        return
    contents = {one: one.item.path.read_bytes() for one in (counts, *rest)}
    new, lying = contents[counts], path.read_bytes() if path.exists() else None
    others = dict.fromkeys(content for content in (*contents.values(), lying) if content not in (None, new))
    # Its name begins with a dot, since every file below the notebook's folder that is not hidden counts as handed in.
    kept = [_keep(content, place, f".{path.name}") for content in others if content is not None]
    if kept:
        tied = any(contents[one] != new and one.when == counts.when for one in rest)
        why = "; nothing says which one is later" if tied else ""
        text = f"it takes the place of another {name_of(path)}, kept as {', '.join(kept)}{why}"
        result.add_remark(counts.item.name, text, tied)
    if lying != new:
        write_whole(path, new)


def _keep(content: bytes, place: Path, name: str) -> str:
    """Keep a notebook or file in `older/`, once, with a number in its name, and return that name."""
    older, called = place / OLDER, PurePosixPath(name)
    number = 1
    while (path := older / f"{called.stem}.{number}{called.suffix}").exists():
        if path.read_bytes() == content:
            return f"{OLDER}/{path.name}"
        number += 1
    write_whole(path, content)
    return f"{OLDER}/{path.name}"
