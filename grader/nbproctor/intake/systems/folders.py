"""The one general rule: a file is the student's in whose folder it lies.

That is STUDENT/UNIT/…, UNIT/STUDENT/…, or STUDENT/…, with or without further folders around it. Which it is, is found
from all notebooks of the download together, since a single one would leave it open. (nbgrader's zip_collect has to be
told such a layout by a pattern: https://github.com/jupyter/nbgrader, plugins/zipcollect.py.) Where the folder is no
student of the roster, `collect` looks for the roster's ids and names in the whole path.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from nbproctor.intake.archive import Item, is_archive
from nbproctor.intake.claim import Claim, Folders, Read, again, notebooks_of, shared_by, with_rest
from nbproctor.intake.roster import Person
from nbproctor.intake.systems.gradescope import DOUBTFUL, METADATA

_ARCHIVE = re.compile(r"\.(?:zip|tar|tgz|tar\.gz)$", re.I)


def read(items: Sequence[Item], units: Sequence[str]) -> Read:
    folders = [path[:-1] for path in notebooks_of(items)]
    turned = _turned(folders, units, shared_by(folders))
    column = _column(folders, units, turned)
    files = [replace(item, problem=DOUBTFUL) if item.parts[-1] == METADATA else item for item in items]
    placed = [one for item in files if not item.problem and (one := _placed(item, turned, column, units))]
    return with_rest(files, placed)


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
        top = len(shared_by(folders))
        depths: dict[str, int] = {}
        for folder in (one for one in (*above, *plain) if len(one) > top):
            depths[folder[top]] = min(depths.get(folder[top], len(folder)), len(folder))
        most = sorted(depths.values())[len(depths) // 2] if depths else max(map(len, above))
        names = [{folder[n] for folder in _unpadded(above, most) if len(folder) > n} for n in range(most)]
        return max(range(most), key=lambda n: (len(names[n]), n))
    shared = shared_by(plain)
    several = len({folder[len(shared)] for folder in plain if len(folder) > len(shared)}) > 1
    return len(shared) if several else max(len(shared) - 1, 0)


def _unpadded(folders: Sequence[Folders], depth: int) -> Sequence[Folders]:
    """Return the first `depth` parts of each folder, without the folders of the few students who have several."""
    top = len(shared_by(folders)) + 1
    inside: dict[Folders, set[Folders]] = defaultdict(set)
    for folder in folders:
        inside[folder[:top]].add(folder[:depth])
    alone = [folder for them in inside.values() if len(them) == 1 for folder in them]
    return alone if 2 * len(alone) > len(inside) else [folder for them in inside.values() for folder in them]


def _placed(item: Item, turned: frozenset[int], column: int, units: Sequence[str]) -> Claim | None:
    """Claim a file by its place; None where it lies in no student's folder.

    turned: how many folders lie above a UNIT folder that holds a folder for each student. column: how many folders lie
    above a student's folder, where it is in no UNIT folder.
    """
    *folders, name = item.parts
    at = _unit_at(folders, units)
    if at is not None and at in turned:
        student = next((n for n in range(at, len(folders)) if _folder_name(folders[n]) not in units), len(folders))
        inner = [folders[at], *folders[student + 1 :]]
    elif at:
        student, inner = min(column, at - 1), folders[at:]
    else:
        student, inner = column, folders[column + 1 :]
    if student >= len(folders):
        return None
    arranged = not any(is_archive(part) for part in folders[student:])
    own = _folder_name(folders[student])
    return Claim(item, Person(own, (own,), own), name, tuple(inner), arranged, turn=(0, again(name)))


def _folder_name(part: str) -> str:
    """Return the name of a folder or archive, without an archive's ending; each umlaut is encoded in one way."""
    return unicodedata.normalize("NFC", _ARCHIVE.sub("", part))
