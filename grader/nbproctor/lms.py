"""How Canvas, Moodle, Gradescope and Google name what was handed in: whose a file is, when it came, and if it is late.

* Canvas, "Download Submissions": one flat zip of `NAME_USER_FILE_ORIGINAL`, with `_LATE` after the name of a late one.
  NAME is the sortable name in lower case without anything but letters, USER and FILE are numbers. Anonymous ones begin
  with `anon_`. Text entries end in `_text.html`, links in `_link.html`. A file that is handed in again under the same
  name has `-1`, `-2` … at the end of ORIGINAL.
  https://github.com/instructure/canvas-lms/blob/master/lib/content_zipper.rb (get_filename, add_upload_submission)
* Moodle, "Download all submissions": `NAME_NUMBER_assignsubmission_file` is a folder with the student's files, or,
  where "Download submissions in folders" is off, is followed by `_ORIGINAL`. Older ones end the folder in one more `_`.
  NUMBER is the participant's in this assignment, the one in the grading worksheet's column Identifier.
  https://github.com/moodle/moodle/blob/main/mod/assign/classes/downloader.php (get_student_prefix)
* Gradescope's export: a folder for each submission, and `submission_metadata.yml`, which says for each folder who
  submitted it (`:submitters:` with `:name:`, `:sid:`, `:email:`) and when (`:created_at:`). Gradescope has no page
  about this file; the names are those that programs read from it. The same facts for autograders are documented:
  https://gradescope-autograders.readthedocs.io/en/latest/submission_metadata/
* Google Classroom keeps a folder for each assignment in Drive, which Drive gives as a zip. A copy that was made for a
  student is called `NAME - ORIGINAL`. https://support.google.com/edu/assignments/answer/9433485
* Anything else: STUDENT/UNIT/…, UNIT/STUDENT/…, or STUDENT/…, in folders around it or not, like what nbgrader's
  zip_collect is told with a pattern: https://github.com/jupyter/nbgrader (plugins/zipcollect.py)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import yaml

from nbproctor.archive import Item, Unreadable, is_archive
from nbproctor.bounded import OutOfBounds, bounded
from nbproctor.roster import Person
from nbproctor.text import clean, line

METADATA = "submission_metadata.yml"
METADATA_S = 300.0
_CANVAS = re.compile(r"(?P<name>\w*?)_(?:(?P<late>LATE)_)?(?P<user>\d+)_(?P<file>\d+)_(?P<rest>.+)")
_CANVAS_ANON = re.compile(r"(?:(?P<late>LATE)_)?(?P<name>anon)_(?P<user>[^\W_]+)_(?P<file>\d+)_(?P<rest>.+)")
_MOODLE = re.compile(r"(?P<name>.+)_(?P<user>\d+)_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<rest>.*))?")
_GOOGLE = re.compile(r"(?P<name>[^-].*?) - (?P<rest>.+)")
_AGAIN = re.compile(r"(?:[ _]*\((?P<a>\d+)\)|-(?P<b>\d+))$")  # UNIT (1), UNIT-1
_COPY = re.compile(r"(?:copy of |kopie van |kopie von |copie de |copia de )", re.I)


@dataclass(frozen=True)
class Claim:
    """A file, and whose it is. `name` is what the student called it, `folders` those that it lay in.

    late: whether the system says so. submitted: when, ISO 8601, or "". turn: the later of two files has the greater.
    """

    item: Item
    person: Person
    name: str
    folders: tuple[str, ...] = ()
    late: str = ""
    submitted: str = ""
    turn: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Handing:
    """One folder of Gradescope's: who handed it in, and when."""

    people: tuple[Person, ...]
    submitted: str


def claims(items: Sequence[Item], units: Sequence[str]) -> tuple[list[Claim], list[Item]]:
    """Whose each file is; a group's file is claimed by each of its members. And the files that nobody claims.

    Raises Unreadable for a `submission_metadata.yml` that is none.
    """
    handings = {
        item.name.rpartition("/")[0]: gradescope_metadata(item.path)
        for item in items
        if item.parts[-1] == METADATA and item.path is not None
    }
    found: list[Claim] = []
    nobodys: list[Item] = []
    rest: list[Item] = []
    for item in items:
        if item.parts[-1] == METADATA and item.path is not None:
            continue
        theirs = _gradescope(item, handings)
        if theirs is None:
            theirs = _moodle(item) or _canvas(item)
            rest += [] if theirs else [item]
        elif not theirs:
            nobodys.append(item)
        found += theirs
    wrapping = _wrapping(rest)
    named = {item.parts[:-1] for item in rest if item.name.endswith(".ipynb") and _GOOGLE.fullmatch(item.parts[-1])}
    for item in rest:
        loose = item.parts[:-1] in named and not _GOOGLE.fullmatch(item.parts[-1])  # beside files that bear names
        theirs = [] if loose else _placed(item, wrapping, units)
        found += theirs
        nobodys += [] if theirs else [item]
    return found, nobodys


def unit_named(name: str, units: Iterable[str]) -> str:
    """The unit that a file's or folder's name speaks of: UNIT, `Copy of UNIT (1)`, or with words around it. Or ""."""
    stem = plain_name(name).casefold()
    exact = [unit for unit in units if unit.casefold() == stem]
    inside = [unit for unit in units if re.search(rf"(?<![a-z0-9]){re.escape(unit.casefold())}(?![a-z0-9])", stem)]
    return exact[0] if exact else inside[0] if len(inside) == 1 else ""


def plain_name(name: str) -> str:
    """A notebook's name without its ending, and without what a second copy is given by systems."""
    stem = _COPY.sub("", name.removesuffix(".ipynb"), count=1)
    while found := _AGAIN.search(stem):
        stem = stem[: found.start()]
    return stem


def again(name: str) -> int:
    """The number of a copy or a resubmission: 2 for `UNIT-2.ipynb` and `UNIT (2).ipynb`, else 0."""
    found = _AGAIN.search(name.removesuffix(".ipynb"))
    return int((found["a"] or found["b"])[:9]) if found else 0


def _claim(item: Item, person: Person, name: str, folders: Sequence[str] = (), **more: Any) -> Claim:
    turn = (again(name), more.pop("file", 0))
    return Claim(item, person, name, tuple(folders), turn=turn, **more)


def _canvas(item: Item) -> list[Claim]:
    for depth, part in enumerate(item.parts):
        found = _CANVAS_ANON.fullmatch(part) or _CANVAS.fullmatch(part)
        if found and (depth == len(item.parts) - 1 or is_archive(part)):
            inside = item.parts[depth + 1 :]
            user, name = found["user"], found["name"]
            person = Person(f"{name}_{user}".strip("_"), (user,), name if name != "anon" else "")
            late, file = "late, says Canvas" if found["late"] else "", int(found["file"][:18])
            own = inside[-1] if inside else found["rest"]
            return [_claim(item, person, own, inside[:-1], late=late, file=file)]
    return []


def _moodle(item: Item) -> list[Claim]:
    for depth, part in enumerate(item.parts):
        found = _MOODLE.fullmatch(part)
        if found:
            inside = item.parts[depth + 1 :]
            name = inside[-1] if inside else found["rest"] or part
            ids = () if found["name"] == "Participant" else (found["user"],)
            own = found["name"] if ids else f"Participant {found['user']}"
            person = Person(own, (found["user"],), found["name"] if ids else "")
            return [_claim(item, person, name, inside[:-1])]
    return []


def _gradescope(item: Item, handings: dict[str, dict[str, Handing]]) -> list[Claim] | None:
    """None where the item lies in no folder that a metadata file knows; nobody may have handed one in."""
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
    """What `submission_metadata.yml` says of each folder. Raises Unreadable where it is none."""
    try:
        told = bounded(lambda: _metadata(path), METADATA_S)
    except OutOfBounds as error:
        raise Unreadable(
            f"{METADATA} cannot be read ({line(str(error), 200)}); export the submissions again"
        ) from error
    return {
        folder: Handing(tuple(Person(sid or mail or name, (sid, mail), name) for name, sid, mail in people), submitted)
        for folder, people, submitted in told
    }


class _Tolerant(yaml.SafeLoader):  # type: ignore[misc]  # a class without types
    """Reads Ruby's own kinds of value as the mappings, lists and texts that they are written as; it makes no object."""


def _plain(loader: yaml.SafeLoader, _: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return loader.construct_scalar(node)


_Tolerant.add_multi_constructor("!", _plain)


def _metadata(path: Path) -> list[tuple[str, list[tuple[str, str, str]], str]]:
    """In the bounded process: (folder, (name, sid, email) of each submitter, when)."""
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
            if isinstance(one, dict)
        ]
        found.append((str(folder), told, _moment(entry.get(":created_at"))))
    return found


def _text(entry: dict[Any, Any], key: str) -> str:
    value = entry.get(key)
    return clean(str(value), 300) if isinstance(value, (str, int)) else ""


def _moment(value: Any) -> str:
    """A time as ISO 8601, however Ruby has written it; "" where it is none."""
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


def _wrapping(items: Sequence[Item]) -> int:
    """How many folders lie around all of it and say nothing: those of a zip that was made from a folder."""
    paths = [item.parts for item in items if item.path is not None and item.name.endswith(".ipynb")]
    depth = 0
    while paths and all(len(path) > depth + 1 and path[depth] == paths[0][depth] for path in paths):
        if all(len(path) > depth + 2 or _GOOGLE.fullmatch(path[-1]) for path in paths):
            depth += 1
        else:
            break
    return depth


def _placed(item: Item, wrapping: int, units: Sequence[str]) -> list[Claim]:
    """STUDENT/UNIT/…, UNIT/STUDENT/…, `NAME - FILE`, or STUDENT/…; none where nothing says whose it is."""
    *folders, name = item.parts
    at = next((n for n, part in enumerate(folders) if part in units), None)
    if at is not None and at > 0:
        return [_claim(item, _folder_person(folders[at - 1]), name, folders[at:])]
    if at == 0 and len(folders) > 1:
        return [_claim(item, _folder_person(folders[1]), name, [folders[0], *folders[2:]])]
    if found := _GOOGLE.fullmatch(name):
        return [_claim(item, Person(found["name"], (), found["name"]), found["rest"], folders)]
    inner = folders[wrapping:]
    return [_claim(item, _folder_person(inner[0]), name, inner[1:])] if inner else []


def _folder_person(name: str) -> Person:
    """Who a folder is named after: an id, an address or a name. An archive's own name loses its ending."""
    for ending in (".zip", ".tar.gz", ".tgz", ".tar"):
        name = name.removesuffix(ending)
    return Person(name, (name,), name)
