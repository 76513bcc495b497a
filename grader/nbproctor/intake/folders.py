"""The one general rule: a file is the student's in whose folder it lies.

That is STUDENT/UNIT/…, UNIT/STUDENT/…, or STUDENT/…, also where further folders lie around all of it. Folders that are
named after a unit are no student's, so without them the students' folders are those directly below what lies around
everything. (nbgrader's zip_collect has to be told such a layout by a pattern: https://github.com/jupyter/nbgrader,
plugins/zipcollect.py.) Where the folder is no student of the roster, `collect` looks for the roster's ids and names in
the whole path.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from nbproctor.intake.archive import Item, is_archive
from nbproctor.intake.claim import Claim, ClaimsAndRest, Folders, again, notebooks_of, shared_by, with_rest
from nbproctor.intake.roster import Person

_ARCHIVE = re.compile(r"\.(?:zip|tar|tgz|tar\.gz)$", re.I)


def read(items: Sequence[Item], units: Sequence[str]) -> ClaimsAndRest:
    above = _above_students([path[:-1] for path in notebooks_of(items)], units)
    return with_rest(items, [one for item in items if (one := _placed(item, above, units))])


def _above_students(folders: Sequence[Folders], units: Sequence[str]) -> int:
    """Return how many folders that no unit is named after lie above the students' folders.

    Where there is one student only, their folder is the one above the UNIT folders, or below where there is none above,
    or, without UNIT folders, the innermost one that lies around everything.
    """
    plain = [tuple(part for part in folder if _name(part) not in units) for folder in folders]
    shared = len(shared_by(plain))
    if len({folder[shared] for folder in plain if len(folder) > shared}) > 1:
        return shared
    at = min((n for folder in folders for n, part in enumerate(folder) if _name(part) in units), default=shared)
    return max(at - 1, 0)


def _placed(item: Item, above: int, units: Sequence[str]) -> Claim | None:
    """Claim a file by its place; None where it lies in no student's folder.

    above: how many folders that no unit is named after lie above the students' folders.
    """
    *folders, name = item.parts
    at = [n for n, part in enumerate(folders) if _name(part) not in units][above : above + 1]
    if not at:
        return None
    student = at[0]
    units_above = [part for part in folders[:student] if _name(part) in units]
    arranged = not any(is_archive(part) for part in folders[student:])
    own = _name(folders[student])
    inner = (*units_above, *folders[student + 1 :])
    return Claim(item, Person(own, (own,), own), name, inner, arranged, turn=(0, again(name)))


def _name(part: str) -> str:
    """Return the name of a folder or archive, without an archive's ending; each umlaut is encoded in one way."""
    return unicodedata.normalize("NFC", _ARCHIVE.sub("", part))
