"""Reads from the names in a learning system's download whose each file is, when it came, and whether it was late.

* Canvas, "Download Submissions": one flat zip of files `NAME_USER_FILE_ORIGINAL`; a late one has `_LATE` after NAME.
  NAME is the sortable name in lower case, reduced to its letters; USER and FILE are numbers. The names of anonymous
  submissions begin with `anon_`, text entries end in `_text.html`, links in `_link.html`. A file that is handed in
  again under the same name has `-1`, `-2` … at the end of ORIGINAL.
  https://github.com/instructure/canvas-lms/blob/master/lib/content_zipper.rb (get_filename, add_upload_submission)
* Moodle, "Download all submissions": a folder `NAME_NUMBER_assignsubmission_file` with the student's files. Where
  "Download submissions in folders" is off, each file has this name, followed by `_ORIGINAL`. Older versions of Moodle
  end the folder's name with one more `_`. NUMBER is the participant's number in this assignment, which the grading
  worksheet has in its column Identifier.
  https://github.com/moodle/moodle/blob/main/mod/assign/classes/downloader.php (get_student_prefix)
* Brightspace, "Download" of an assignment's submissions: a folder `NUMBER-NUMBER - NAME - Nov 20, 2026 1011 AM` with
  the files of one submission, or files with this name, followed by ` - ORIGINAL`; beside them lies an `index.html`.
  D2L has no page about these names; they are taken from programs that read them. Whether the first number identifies a
  person is not known, so two submissions with the same name may be two people's.
* Blackboard, "Assignment File Download": one flat zip, `gradebook_….zip`, with each file as
  `ASSIGNMENT_USERNAME_attempt_2026-11-20-10-11-12_ORIGINAL`. Each attempt also has a receipt, whose name has `.txt`
  directly after the time, and whose first line is `Name: Jane Doe (jdoe)`. ASSIGNMENT and USERNAME may each contain a
  `_`, so only the receipt says where ASSIGNMENT ends.
  https://github.com/kwurst/bb-file-cleanup, https://github.com/timdrysdale/gradex-cli (README.md, what a receipt says)
* Gradescope's export: a folder for each submission, and `submission_metadata.yml`, which says for each folder who
  submitted it (`:submitters:` with `:name:`, `:sid:`, `:email:`) and when (`:created_at:`). Gradescope has no page
  about this file; the keys are taken from programs that read it. The same facts are documented for autograders:
  https://gradescope-autograders.readthedocs.io/en/latest/submission_metadata/
* Google Classroom keeps a folder for each assignment in Drive, which can be downloaded as a zip. A copy that was made
  for a student is called `NAME - ORIGINAL`. https://support.google.com/edu/assignments/answer/9433485
* nbgrader's exchange: a folder `STUDENT+UNIT+TIME` or `STUDENT+UNIT+TIME+RANDOM` for each submission, with a
  `timestamp.txt`. https://github.com/jupyter/nbgrader (exchange/default/submit.py)
* Anything else: STUDENT/UNIT/…, UNIT/STUDENT/…, or STUDENT/…, with or without further folders around it. (nbgrader's
  zip_collect has to be told such a layout by a pattern: https://github.com/jupyter/nbgrader, plugins/zipcollect.py.)

Students give their own files names such as `ex_1_2_loss.ipynb` and `draft - final.ipynb`, which look like names of
Canvas and Google. So these count only at the top of a download, and in a folder where they tell several people apart.

A name like those of any system may be a student's own work: a student may pack a folder that is named after somebody
else. So where some notebooks lie outside the folder that has such names, that folder may be a student's, and no name in
it is believed (`_doubt`).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import yaml

from nbproctor.border.bounded import OutOfBounds, bounded
from nbproctor.intake.archive import Item, Unreadable, is_archive
from nbproctor.intake.roster import Person
from nbproctor.values.submission import is_notebook_name, notebook_stem
from nbproctor.values.text import clean, line

METADATA = "submission_metadata.yml"
METADATA_S = 300.0
DOUBTFUL = (
    "this file is not relied on, since there are notebooks outside its folder, and a student may have written it; if "
    "it is Gradescope's, collect that export by itself"
)
_DOUBTFUL_NAME = (
    "its name looks like one that a learning system gives, but is not relied on, since there are notebooks outside its "
    "folder, and a student may have named it; if it is a system's, collect that download by itself"
)
_NO_RECEIPT = (
    "Blackboard's receipts (…_attempt_….txt) do not say whose file this is, and two people might have its name; "
    "collect the download as it came"
)
_CANVAS = re.compile(  # attention_2026_11_15.ipynb has a date, and not Canvas's numbers, which never begin with 0
    r"(?P<name>\w*?)(?<!_(?:19|20)\d\d)_(?:(?P<late>LATE)_)?(?!(?:19|20)\d\d_\d\d?_\d\d?(?!\d))"
    r"(?P<user>[1-9]\d*)_(?:(?P<file>[1-9]\d*)_(?P<rest>.+)|(?P<page>(?:text|link)\.html))"
)
_CANVAS_ANON = re.compile(
    r"(?:(?P<late>LATE)_)?(?P<name>anon)_(?P<user>[^\W_]+)_(?:(?P<file>\d+)_(?P<rest>.+)|(?P<page>(?:text|link)\.html))"
)
_MOODLE = re.compile(r"(?P<name>.+?)_(?P<user>\d+)_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<rest>.*))?")
_BRIGHTSPACE = re.compile(
    r"(?P<number>\d+)-\d+ - (?P<name>.+?) ?- (?P<when>[A-Z][a-z]{2} \d\d?, \d{4} \d{3,4} [AP]M)(?: - (?P<rest>.+))?"
)
_BLACKBOARD = re.compile(
    r"(?P<stem>.+?_(?P<user>[^_]+))_attempt_(?P<when>\d{4}(?:-\d\d){5})(?:_(?P<rest>.+)|(?P<receipt>\.txt))"
)
_RECEIPT = re.compile(r"Name:\s*(?P<name>.*?)\s*\((?P<user>[^()]+)\)\s*")
_RECEIPT_BYTES = 2000  # from the beginning; the name is among them
_EXCHANGE = re.compile(r"(?P<student>[^+*]+)\+[^+]+\+\d{4}-\d\d-\d\d [^+]+(?:\+[^+]+)?")
_GOOGLE = re.compile(r"(?P<name>[^-].*?) - (?P<rest>.+)")
_ARCHIVE = re.compile(r"\.(?:zip|tar|tgz|tar\.gz)$", re.I)
_AGAIN = re.compile(r"(?:[ _]*\((?P<a>\d+)\)|-(?P<b>\d+))$")  # UNIT (1), UNIT-1
_RESUBMITTED = re.compile(r"-\d+(?=\.\w+$)")  # helper-1.py
_COPY = re.compile(r"(?:copy of |kopie van |kopie von |copie de |copia de )", re.I)


@dataclass(frozen=True)
class Claim:
    """A file, and the person who handed it in. `name` is what the student called it; it lay in `folders`.

    arranged: whether the instructor made its folder, so that a `timestamp.txt` in it is not the student's. late: the
    system's words that it was late, or "". submitted: when it was handed in, ISO 8601, or "". turn: of two files of one
    student the later one has the greater turn.
    """

    item: Item
    person: Person
    name: str
    folders: tuple[str, ...] = ()
    arranged: bool = False
    late: str = ""
    submitted: str = ""
    turn: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Handing:
    """One submission folder of Gradescope's export: who handed it in, and when."""

    people: tuple[Person, ...]
    submitted: str


def claims(items: Sequence[Item], units: Sequence[str]) -> tuple[list[Claim], list[Item]]:
    """Return who handed in each file, and the files of which this cannot be told.

    A file that a group handed in is claimed once for each member. Raises Unreadable for a `submission_metadata.yml`
    that cannot be read.
    """
    exports, doubtful = _exports(items)
    handings = {_folder(item): gradescope_metadata(item.path) for item in exports if item.path is not None}
    found: list[Claim] = []
    nobodys = [replace(item, problem=DOUBTFUL) for item in doubtful]
    blackboards = _blackboard(items)
    found += [one for theirs in blackboards.values() for one in theirs or ()]
    nobodys += [replace(item, problem=_NO_RECEIPT) for item, theirs in blackboards.items() if theirs is None]
    known = {*exports, *doubtful, *blackboards}
    notebooks = [item.parts for item in items if item.path is not None and is_notebook(item)]
    crowded = {folder for folder, people in _bearing(notebooks, _canvas_person).items() if len(people) > 1}
    others = [item for item in items if item not in known and _gradescope(item, handings) is None]
    doubt = _doubt(_named_homes(others, crowded), others, units)
    rest: list[Item] = []
    for item in items:
        if item in known:
            continue
        theirs = _gradescope(item, handings)
        if theirs is None:
            theirs = _named_on_the_way(item, crowded, doubt.all)
            rest += [] if theirs else [item]
        elif not theirs:
            nobodys.append(item)
        found += theirs
    layout = _layout(rest, units)
    theirs_perhaps = doubt.several | layout.doubtful
    nobodys += [replace(item, problem=_DOUBTFUL_NAME) for item in rest if _lies_in(item.parts, theirs_perhaps)]
    rest = [item for item in rest if not _lies_in(item.parts, theirs_perhaps)]
    canvas = {item: theirs for item in rest if (theirs := _canvas(item, layout))}
    found += _first_names([one for theirs in canvas.values() for one in theirs])
    for item in rest:
        if item not in canvas:
            theirs = _placed(item, layout, units)
            found += theirs
            nobodys += [] if theirs else [item]
    return found, nobodys


def is_notebook(item: Item) -> bool:
    return is_notebook_name(item.name)


def unit_named(name: str, units: Iterable[str]) -> str:
    """Return the unit that a name contains, as in UNIT, `Copy of UNIT (1)` or with other words around it; else ""."""
    stem = plain_name(name).casefold()
    exact = [unit for unit in units if unit.casefold() == stem]
    inside = [unit for unit in units if re.search(rf"(?<![a-z0-9]){re.escape(unit.casefold())}(?![a-z0-9])", stem)]
    return exact[0] if exact else inside[0] if len(inside) == 1 else ""


def plain_name(name: str) -> str:
    """Return a notebook's name without its ending, and without what systems add to the name of a copy."""
    stem = _COPY.sub("", notebook_stem(name), count=1)
    while found := _AGAIN.search(stem):
        stem = stem[: found.start()]
    return stem


def again(name: str) -> int:
    """Return the number of a copy or a resubmission: 2 for `UNIT-2.ipynb` and `UNIT (2).ipynb`, else 0."""
    found = _AGAIN.search(notebook_stem(name))
    return int((found["a"] or found["b"])[:9]) if found else 0


def _claim(item: Item, person: Person, name: str, folders: Sequence[str] = (), **more: Any) -> Claim:
    turn = (more.pop("file", 0), again(name))
    return Claim(item, person, name, tuple(folders), turn=turn, **more)


def _canvas(item: Item, layout: _Layout) -> list[Claim]:
    for depth, part in _files_of(item.parts):
        found = _canvas_name(part) if item.parts[:depth] in layout.canvas else None
        if found:
            inside = item.parts[depth + 1 :]
            user, name = found["user"], found["name"]
            person = Person(f"{name}_{user}".strip("_"), (user,), name if name != "anon" else "", "canvas")
            told = found.groupdict()  # a text entry has no FILE number
            late, file = "late, says Canvas" if told["late"] else "", int((told["file"] or "0")[:18])
            own = inside[-1] if inside else told["rest"] or told["page"]
            return [_claim(item, person, own, inside[:-1], late=late, file=file)]
    return []


def _canvas_name(part: str) -> re.Match[str] | None:
    return _CANVAS_ANON.fullmatch(part) or _CANVAS.fullmatch(part)


def _first_names(canvas: Sequence[Claim]) -> list[Claim]:
    """Give resubmitted files the names under which they were first handed in, without Canvas's `-1`.

    A student may call a file of their own `data-1.csv`. So the `-1` is taken for Canvas's only where a notebook of that
    student has such a number, too, and where the name without it is free. Notebooks keep their names: the number says
    which is later, and each gets its final name from its place. A file in an archive has the name that the student gave
    it.
    """
    bare = [bool(_canvas_name(one.item.parts[-1])) for one in canvas]
    resubmitted = {
        one.person
        for one, is_bare in zip(canvas, bare, strict=True)
        if is_bare and is_notebook(one.item) and _RESUBMITTED.search(one.name)
    }
    first = [
        _RESUBMITTED.sub("", one.name) if is_bare and one.person in resubmitted else one.name
        for one, is_bare in zip(canvas, bare, strict=True)
    ]
    often = Counter((one.person, one.folders, name) for one, name in zip(canvas, first, strict=True))
    return [
        replace(one, name=name) if often[one.person, one.folders, name] == 1 and not is_notebook(one.item) else one
        for one, name in zip(canvas, first, strict=True)
    ]


@dataclass(frozen=True)
class _Doubt:
    """all: the folders in which a student may have written people's names. several: those that name several people."""

    all: frozenset[Folders]
    several: frozenset[Folders]


def _doubt(homes: Mapping[Folders, Set[str]], items: Sequence[Item], units: Sequence[str]) -> _Doubt:
    """Find the folders in which the names of people are not to be believed.

    A student may name files and folders of their own after other people. So where somebody's notebook lies outside such
    folders, only a folder that lies around everything is believed. In another folder a single name is ignored, and
    where it names several people, its files are nobody's.
    homes: each folder in which files have the names of people -> these names.
    """
    paths = [item.parts for item in items if item.path is not None and is_notebook(item)]
    shared, homes = _shared([path[:-1] for path in paths]), {home: them for home, them in homes.items() if them}
    is_whole = all(
        _lies_in(path, homes) or not (len(path) > 1 or _canvas_person(path[0]) or _google_person(path[0], units))
        for path in paths
    )
    doubted = {} if is_whole else {home: them for home, them in homes.items() if home != shared[: len(home)]}
    return _Doubt(frozenset(doubted), frozenset(home for home, people in doubted.items() if len(people) > 1))


def _lies_in(path: Folders, homes: Collection[Folders]) -> bool:
    return any(path[:depth] in homes for depth in range(len(path) + 1))


def _named_homes(items: Sequence[Item], crowded: Set[Folders]) -> dict[Folders, set[str]]:
    """Return each folder that holds names of Moodle's or Brightspace's -> the people that these name.

    Of a path only the outermost such name counts. crowded: the folders in which Canvas names several people; what lies
    in the archive of such a person belongs to that person, so it is passed over here.
    """
    found: dict[Folders, set[str]] = defaultdict(set)
    for item in items:
        for depth, part in enumerate(item.parts):
            if item.parts[:depth] in crowded and _canvas_name(part):
                break
            if name := _MOODLE.fullmatch(part) or _BRIGHTSPACE.fullmatch(part):
                found[item.parts[:depth]].add(name["name"])
                break
    return found


def _named_on_the_way(item: Item, crowded: Set[Folders], doubted: Set[Folders]) -> list[Claim]:
    """Claim a file by the outermost name of Moodle's or Brightspace's on its path; [] where there is none.

    crowded: the folders in which Canvas names several people. What lies in the archive of such a person belongs to that
    person, whatever names it has. doubted: the folders in which a student may have written such a name.
    """
    for depth, part in enumerate(item.parts):
        if item.parts[:depth] in doubted or (item.parts[:depth] in crowded and _canvas_name(part)):
            return []
        if found := _MOODLE.fullmatch(part):
            return [_moodle(item, depth, found)]
        if found := _BRIGHTSPACE.fullmatch(part):
            return [_brightspace(item, depth, found)]
    return []


def _moodle(item: Item, depth: int, found: re.Match[str]) -> Claim:
    inside = item.parts[depth + 1 :]
    name = inside[-1] if inside else found["rest"] or item.parts[depth]
    ids = () if found["name"] == "Participant" else (found["user"],)
    own = found["name"] if ids else f"Participant {found['user']}"
    return _claim(item, Person(own, (found["user"],), found["name"] if ids else "", "moodle"), name, inside[:-1])


def _brightspace(item: Item, depth: int, found: re.Match[str]) -> Claim:
    inside = item.parts[depth + 1 :]
    name = inside[-1] if inside else found["rest"] or item.parts[depth]
    person = Person(found["name"], (found["number"],), found["name"], "brightspace")
    return _claim(item, person, name, inside[:-1], file=_minute(found))


def _minute(found: re.Match[str]) -> int:
    """Return the time of a Brightspace submission as a number that grows with it. Its time zone is not known."""
    try:
        return int(datetime.strptime(found["when"], "%b %d, %Y %I%M %p").strftime("%Y%m%d%H%M"))
    except ValueError:
        return 0


def _blackboard(items: Sequence[Item]) -> dict[Item, list[Claim] | None]:
    """Return each file that has a name of Blackboard's -> its claim, or None where nothing tells whose it is.

    A receipt is claimed by nobody (an empty list), unless that student has handed in nothing else.
    """
    shared = _shared([item.parts[:-1] for item in items if item.path is not None and is_notebook(item)])
    attempts = {item: at for item in items if (at := _attempt(item.parts, shared))}
    receipts = {
        item: found["stem"]
        for item, (depth, found) in attempts.items()
        if found["receipt"] and depth == len(item.parts) - 1
    }
    people = _attempters({found["stem"]: found["user"] for _, found in attempts.values()}, receipts)
    found: dict[Item, list[Claim] | None] = {}
    for item, (depth, told) in attempts.items():
        person, inside = people.get(told["stem"]), item.parts[depth + 1 :]
        name = inside[-1] if inside else told["rest"] or item.parts[depth]
        when = int(told["when"].replace("-", ""))
        found[item] = [_claim(item, person, name, inside[:-1], file=when)] if person else None
    writers = {one.person for item, theirs in found.items() if item not in receipts for one in theirs or ()}
    for item in receipts:
        found[item] = [one for one in found[item] or () if one.person not in writers]
    return found


def _attempt(parts: Folders, shared: Folders) -> tuple[int, re.Match[str]] | None:
    """Return how many folders lie above a name of Blackboard's on this path, and the name; None where there is none.

    The name counts only in folders that belong to the download itself: a student's own folder may hold any name.
    """
    for depth, part in enumerate(parts):
        above, is_download = parts[:depth], depth > 0 and parts[depth - 1].startswith("gradebook_")
        if above != shared[:depth] and not (is_download and above[:-1] == shared[: depth - 1]):
            return None
        if found := _BLACKBOARD.fullmatch(part):
            return depth, found
    return None


def _attempters(stems: Mapping[str, str], receipts: Mapping[Item, str]) -> dict[str, Person]:
    """Return each stem `ASSIGNMENT_USERNAME` -> the person it means, without the stems that may be two people's.

    That is the person whom its receipt names, or else the one called by what stands after the last `_`.
    stems: stem -> what stands after its last `_`. receipts: receipt -> its stem.
    """
    people: dict[str, Person] = {}
    for item, stem in receipts.items():
        if (told := _receipt(item.path)) and stem.endswith(f"_{told['user']}"):
            people[stem] = Person(told["user"], (told["user"],), clean(told["name"], 300), "blackboard")
    often = Counter(user for stem, user in stems.items() if stem not in people)
    settled = {person.own for person in people.values()}
    alone = {stem: user for stem, user in stems.items() if stem not in people and often[user] == 1}
    return people | {
        stem: Person(user, (user,), "", "blackboard") for stem, user in alone.items() if user not in settled
    }


def _receipt(path: Path | None) -> re.Match[str] | None:
    """Return the match of the first line in a Blackboard receipt, which says who handed in; None where it does not."""
    if path is None:
        return None
    with path.open("rb") as file:
        start = file.read(_RECEIPT_BYTES).decode("utf-8-sig", "replace")
    return _RECEIPT.fullmatch(start.partition("\n")[0])


def _exports(items: Sequence[Item]) -> tuple[list[Item], list[Item]]:
    """Return the metadata files that Gradescope wrote, and those that a student may have written.

    Such a file names people, so with one of their own a student could hand in notebooks for others. Gradescope's own
    file lies above everything that was handed in: where a notebook lies outside, no such file is believed. A file that
    lies below another is a student's.
    """
    found = [item for item in items if item.parts[-1] == METADATA and item.path is not None]
    outermost = [one for one in found if not any(_is_below(one, other) for other in found if other is not one)]
    notebooks = (item for item in items if item.path is not None and is_notebook(item))
    is_whole = all(any(_is_below(item, one) for one in outermost) for item in notebooks)
    return (outermost, []) if is_whole else ([], outermost)


def _folder(item: Item) -> str:
    return item.name.rpartition("/")[0]


def _is_below(item: Item, metadata: Item) -> bool:
    """Whether an item lies in the folder of a metadata file, or in a folder below it."""
    return item.name.startswith(f"{folder}/") if (folder := _folder(metadata)) else True


def _gradescope(item: Item, handings: dict[str, dict[str, Handing]]) -> list[Claim] | None:
    """Return the claims of a file by Gradescope's metadata; None where it lies in no folder that a metadata file knows.

    The list is empty where the metadata names nobody who submitted the folder.
    """
    for root, folders in handings.items():
        below = item.name.removeprefix(f"{root}/") if root else item.name
        folder, _, inside = below.partition("/")
        if (root and below == item.name) or not inside or folder not in folders:
            continue
        parts = inside.split("/")
        handing = folders[folder]
        return [_claim(item, one, parts[-1], parts[:-1], submitted=handing.submitted) for one in handing.people]
    return None


def gradescope_metadata(path: Path) -> dict[str, Handing]:
    """Return folder -> who handed it in, by `submission_metadata.yml`. Raises Unreadable where that cannot be read."""
    try:
        told = bounded(lambda: _metadata(path), METADATA_S)
    except OutOfBounds as error:
        raise Unreadable(
            f"{METADATA} cannot be read ({line(str(error), 200)}); export the submissions again"
        ) from error
    return {
        folder: Handing(
            tuple(Person(sid or mail or name, (sid, mail), name, "gradescope") for name, sid, mail in people), submitted
        )
        for folder, people, submitted in told
    }


class _Tolerant(yaml.SafeLoader):  # type: ignore[misc]  # a class without types
    """A YAML loader that reads Ruby's objects as the mappings, lists and texts they are written as, and builds none."""


def _plain(loader: yaml.SafeLoader, _: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return loader.construct_scalar(node)


_Tolerant.add_multi_constructor("!", _plain)


def _metadata(path: Path) -> list[tuple[str, list[tuple[str, str, str]], str]]:
    """In the bounded process: return (folder, (name, sid, email) of each submitter, time) for each submission."""
    whole = yaml.load(path.read_bytes().decode("utf-8", "replace"), Loader=_Tolerant)  # noqa: S506 a safe loader
    if not isinstance(whole, dict):
        raise TypeError("expected one entry for each submission")
    found = []
    for folder, entry in whole.items():
        entry = entry if isinstance(entry, dict) else {}
        people = entry.get(":submitters")
        told = [
            (_text(one, ":name"), _text(one, ":sid"), _text(one, ":email"))
            for one in (people if isinstance(people, list) else [])
            if isinstance(one, dict) and any(_text(one, key) for key in (":name", ":sid", ":email"))
        ]
        found.append((str(folder), told, _moment(entry.get(":created_at"))))
    return found


def _text(entry: dict[Any, Any], key: str) -> str:
    value = entry.get(key)
    return clean(str(value), 300) if isinstance(value, (str, int)) else ""


def _moment(value: Any) -> str:
    """Return a time as ISO 8601, in whichever way Ruby wrote it; "" where it is no time."""
    if isinstance(value, dict):
        value = value.get("utc", value.get("time"))
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip().replace(" UTC", "+00:00"))
        except ValueError:
            return ""
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
    return value.isoformat() if isinstance(value, date) else ""


Folders = tuple[str, ...]


@dataclass(frozen=True)
class _Layout:
    """Says where in a download the students' names are.

    canvas, google: the folders in which each file's name says whose it is. doubtful: the folders in which a student may
    have written these names, and which name several people. turned: how many folders lie above a UNIT folder that holds
    a folder for each student. column: how many folders lie above a student's folder, where it is in no UNIT folder.
    """

    canvas: frozenset[Folders]
    google: frozenset[Folders]
    doubtful: frozenset[Folders]
    turned: frozenset[int]
    column: int


def _layout(items: Sequence[Item], units: Sequence[str]) -> _Layout:
    """Work out the layout of a download from all its notebooks together, since a single one would leave it open."""
    paths = [item.parts for item in items if item.path is not None and is_notebook(item)]
    named = _bearing(paths, _canvas_person)
    doubt = _doubt(named, items, units)
    canvas = frozenset(named) - doubt.all
    paths = [path for path in paths if not _is_named(path, canvas, _canvas_person)]
    shared = _shared([path[:-1] for path in paths])
    named = {
        folder: people
        for folder, people in _bearing(paths, lambda part: _google_person(part, units)).items()
        # In STUDENT/UNIT/ the folder names the student, unless STUDENT is around everything and UNIT holds several.
        if not (at := _unit_at(folder, units)) or (folder[:at] == shared[:at] and len(people) > 1)
    }
    more = _doubt(named, items, units)
    google = frozenset(named) - more.all
    folders = [path[:-1] for path in paths if not _is_named(path, google, lambda part: _google_person(part, units))]
    turned = _turned(folders, units, shared)
    return _Layout(canvas, google, doubt.several | more.several, turned, _column(folders, units, turned))


def _is_named(path: Folders, homes: Set[Folders], person: Callable[[str], str]) -> bool:
    """Whether a file, or an archive that it lies in, has somebody's name in a folder where names say whose it is."""
    return any(path[:depth] in homes and person(part) for depth, part in _files_of(path))


def _bearing(paths: Sequence[Folders], person: Callable[[str], str]) -> dict[Folders, set[str]]:
    """Return each folder in which files have the names of people -> these names.

    The top folder is always among them, since no other folder says anything there. Any other folder has to name several
    people. One name is enough where each file in it has that name, and where the folder lies around everything or is as
    deep as a folder that names several people.
    """
    named: dict[Folders, list[str]] = defaultdict(list, {(): []})
    for path in paths:
        for depth, part in _files_of(path):
            named[path[:depth]].append(person(part))
    several = {folder for folder, names in named.items() if len({*names} - {""}) > 1}
    depths, shared = {len(folder) for folder in several}, _shared([path[:-1] for path in paths])
    alone = {
        folder
        for folder, names in named.items()
        if all(names) and (len(folder) in depths or folder == shared[: len(folder)])
    }
    return {folder: {*named[folder]} - {""} for folder in several | alone | {()}}


def _files_of(path: Folders) -> list[tuple[int, str]]:
    """Return the file of a path and the archives that it lies in, each with the number of folders above it."""
    return [(depth, part) for depth, part in enumerate(path) if depth == len(path) - 1 or is_archive(part)]


def _shared(folders: Sequence[Folders]) -> Folders:
    """Return the folders that lie around everything: the longest common beginning."""
    shared = folders[0] if folders else ()
    while any(folder[: len(shared)] != shared for folder in folders):
        shared = shared[:-1]
    return shared


def _canvas_person(part: str) -> str:
    found = _canvas_name(part)
    return "" if not found else found["user"] if found["name"] == "anon" else found["name"] or found["user"]


def _google_person(part: str, units: Sequence[str]) -> str:
    """Return the person named at the beginning of a file's name, or "". `UNIT - Copy.ipynb` names nobody."""
    found = _GOOGLE.fullmatch(part)
    return found["name"] if found and not unit_named(found["name"], units) else ""


def _unit_at(folders: Sequence[str], units: Sequence[str]) -> int | None:
    """Return how many folders lie above the first UNIT folder; None where there is no such folder."""
    return next((n for n, part in enumerate(folders) if _folder_name(part) in units), None)


def _turned(folders: Sequence[Folders], units: Sequence[str], shared: Folders) -> frozenset[int]:
    """Return the depths at which UNIT folders hold the students' folders: how many folders lie above them.

    At the top every UNIT folder does. Further down a UNIT folder has to hold several folders, and the folders above it
    must not name students. They do not where they lie around everything; nor where there are several such UNIT folders,
    no notebook lies in them directly, and no two folders in them have the same name, as `part1` and `part2` of several
    students would.
    """
    below: dict[int, dict[Folders, set[str]]] = defaultdict(lambda: defaultdict(set))
    for folder in folders:
        at = _unit_at(folder, units)
        if at:
            inner = _folder_name(folder[at + 1]) if len(folder) > at + 1 else ""
            below[at][folder[:at]].add("" if inner in units else inner)
    found = {0}
    for at, homes in below.items():
        names = [name for inside in homes.values() for name in inside]
        classes = len(homes) > 1 and min(map(len, homes.values())) > 1 and "" not in names
        if (classes and len(set(names)) == len(names)) or len(homes.get(shared[:at], set()) - {""}) > 1:
            found.add(at)
    return frozenset(found)


def _column(folders: Sequence[Folders], units: Sequence[str], turned: frozenset[int]) -> int:
    """Return how many folders lie above the students' folders.

    Above UNIT folders, the students' folders are at the depth with the most different names: the first in
    `ada/course/UNIT` and `bo/course/UNIT`, the second in `monday/ada/UNIT`, `monday/bo/UNIT` and `friday/cy/UNIT`. Only
    depths that the folders of most students reach are considered, and where a few students have packed many folders,
    these are not counted. So nothing that one student hands in changes whose the other students' files are. Where no
    UNIT folder lies below, the students' folders are those directly below what lies around everything.
    """
    at = {folder: _unit_at(folder, units) for folder in folders}
    plain = [folder for folder in folders if at[folder] is None]
    above = [folder[:n] for folder, n in at.items() if n and n not in turned]
    if above:
        top = len(_shared(folders))
        depths: dict[str, int] = {}
        for folder in (one for one in (*above, *plain) if len(one) > top):
            depths[folder[top]] = min(depths.get(folder[top], len(folder)), len(folder))
        most = sorted(depths.values())[len(depths) // 2] if depths else max(map(len, above))
        names = [{folder[n] for folder in _unpadded(above, most) if len(folder) > n} for n in range(most)]
        return max(range(most), key=lambda n: (len(names[n]), n))
    shared = _shared(plain)
    several = len({folder[len(shared)] for folder in plain if len(folder) > len(shared)}) > 1
    return len(shared) if several else max(len(shared) - 1, 0)


def _unpadded(folders: Sequence[Folders], depth: int) -> Sequence[Folders]:
    """Return the first `depth` parts of each folder, without the folders of the few students who have several."""
    top = len(_shared(folders)) + 1
    inside: dict[Folders, set[Folders]] = defaultdict(set)
    for folder in folders:
        inside[folder[:top]].add(folder[:depth])
    alone = [folder for them in inside.values() if len(them) == 1 for folder in them]
    return alone if 2 * len(alone) > len(inside) else [folder for them in inside.values() for folder in them]


def _placed(item: Item, layout: _Layout, units: Sequence[str]) -> list[Claim]:
    """Claim a file by its place: `NAME - FILE`, UNIT/STUDENT/…, STUDENT/UNIT/…, or STUDENT/…; [] where none fits."""
    *folders, name = item.parts
    here = tuple(folders)
    for depth, part in _files_of(item.parts):
        if item.parts[:depth] in layout.google and (person := _google_person(part, units)):
            own = name if part != name else name.removeprefix(f"{person} - ")
            return [_claim(item, Person(person, (), person, "google"), own, folders)]
    if here in layout.google or here in layout.canvas:  # beside files that have names of people
        return []
    at = _unit_at(folders, units)
    if at is not None and at in layout.turned:
        student = next((n for n in range(at, len(folders)) if _folder_name(folders[n]) not in units), len(folders))
        inner = [folders[at], *folders[student + 1 :]]
    elif at:
        student, inner = min(layout.column, at - 1), folders[at:]
    else:
        student, inner = layout.column, folders[layout.column + 1 :]
    if student >= len(folders):
        return []
    arranged = not any(is_archive(part) for part in folders[student:])
    return [_claim(item, _folder_person(folders[student]), name, inner, arranged=arranged)]


def _folder_name(part: str) -> str:
    """Return the name of a folder or archive, without an archive's ending; each umlaut is encoded in one way."""
    return unicodedata.normalize("NFC", _ARCHIVE.sub("", part))


def _folder_person(part: str) -> Person:
    """Return the person that a folder is named after, by an id, an address or a name."""
    name = _folder_name(part)
    name = found["student"] if (found := _EXCHANGE.fullmatch(name)) else name
    return Person(name, (name,), name)
