"""The general rule: a file belongs to the student whose folder it lies in.

That is STUDENT/UNIT/…, UNIT/STUDENT/…, or STUDENT/…, with or without further folders around all of it. Folders named
after a unit are no student's, so the students' folders are the next ones below the folders around everything.
(nbgrader's zip_collect needs a pattern for such a layout: https://github.com/jupyter/nbgrader, plugins/zipcollect.py.)
If the roster has no such student, `collect` looks for its ids and names in the whole path.
"""

import re
import unicodedata
from collections.abc import Sequence

from nbproctor.intake.archive import Item, is_archive
from nbproctor.intake.claim import Claim, ClaimsAndRest, Folders, common_folders, copy_number, notebooks_of, with_rest
from nbproctor.intake.roster import Person

_ARCHIVE = re.compile(r"\.(?:zip|tar|tgz|tar\.gz)$", re.I)


def read(items: Sequence[Item], units: Sequence[str]) -> ClaimsAndRest:
    above = _above_students([path[:-1] for path in notebooks_of(items)], units)
    return with_rest(items, [one for item in items if (one := _placed(item, above, units))])


def _above_students(folders: Sequence[Folders], units: Sequence[str]) -> int:
    """Return how many folders lie above the students' folders, without those named after a unit.

    A single student's folder is the one above the UNIT folders, or below them if there is none above, or the innermost.
    """
    plain = [tuple(part for part in folder if _name(part) not in units) for folder in folders]
    shared = len(common_folders(plain))
    if len({folder[shared] for folder in plain if len(folder) > shared}) > 1:
        return shared
    at = min((n for folder in folders for n, part in enumerate(folder) if _name(part) in units), default=shared)
    return max(at - 1, 0)


def _placed(item: Item, above: int, units: Sequence[str]) -> Claim | None:
    """Claim a file by its folder; None if no student's folder is around it. above: see `_above_students`."""
    *folders, name = item.parts
    at = [n for n, part in enumerate(folders) if _name(part) not in units][above : above + 1]
    if not at:
        return None
    student = at[0]
    units_above = [part for part in folders[:student] if _name(part) in units]
    arranged = not any(is_archive(part) for part in folders[student:])
    own = _name(folders[student])
    inner = (*units_above, *folders[student + 1 :])
    return Claim(item, Person(own, (own,), own), name, inner, arranged, turn=(0, copy_number(name)))


def _name(part: str) -> str:
    """Return the name of a folder, or of an archive without its ending, with each umlaut encoded in one way."""
    return unicodedata.normalize("NFC", _ARCHIVE.sub("", part))
