"""What is known about one file of a download: who handed it in, under which name, and when."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nbproctor.intake.archive import Item
from nbproctor.intake.roster import Person
from nbproctor.values.submission import is_notebook_name, notebook_stem

Folders = tuple[str, ...]
_AGAIN = re.compile(r"(?:[ _]*\((?P<a>\d+)\)|-(?P<b>\d+))$")  # UNIT (1), UNIT-1


@dataclass(frozen=True)
class Claim:
    """A file, and the person who handed it in. `name` is what the student called it; it lay in `folders`.

    is_arranged: whether a program made its folder, so that a `timestamp.txt` in it is not the student's. late: the
    system's words that it was late, or "". submitted: when it was handed in, ISO 8601, or "". turn: greater for the
    later of two files of one student.
    """

    item: Item
    person: Person
    name: str
    folders: Folders = ()
    is_arranged: bool = False
    late: str = ""
    submitted: str = ""
    turn: tuple[int, int] = (0, 0)

    @property
    def when(self) -> tuple[str, tuple[int, int]]:
        """The key by which the files of one student are ordered."""
        return self.submitted, self.turn


def claim_below(item: Item, depth: int, person: Person, rest: str = "", number: int = 0) -> Claim:
    """Claim a file for the person whose name is at `depth` in its path, as a folder, an archive or the file itself.

    rest: what the student called such a file. number: greater for the later of two files of the person.
    """
    *folders, name = item.parts[depth + 1 :] or (rest or item.parts[depth],)
    return Claim(item, person, name, tuple(folders), turn=(number, copy_number(name)))


ClaimsAndRest = tuple[list[Claim], list[Item]]  # the claims of a download, and the files that nobody claims


def with_rest(items: Iterable[Item], claimed: Sequence[Claim]) -> ClaimsAndRest:
    """Return the claims, and the files that nobody claims."""
    known = {one.item for one in claimed}
    return list(claimed), [item for item in items if item not in known]


def is_notebook(item: Item) -> bool:
    return is_notebook_name(item.name)


def notebooks_of(items: Iterable[Item]) -> list[Folders]:
    """Return the paths of the notebooks among the files."""
    return [item.parts for item in items if is_notebook(item)]


def common_folders(folders: Iterable[Folders]) -> Folders:
    """Return the folders around everything: the longest common beginning."""
    every = list(folders)
    shared = every[0] if every else ()
    while any(folder[: len(shared)] != shared for folder in every):
        shared = shared[:-1]
    return shared


def unit_named(name: str, units: Iterable[str]) -> str:
    """Return the unit that a name such as `Copy of UNIT (1)` contains; if one unit is in another, the longer one."""
    text = name.casefold()
    inside = [unit for unit in units if re.search(rf"(?<![a-z0-9]){re.escape(unit.casefold())}(?![a-z0-9])", text)]
    longest = max(inside, key=len, default="")
    return longest if all(unit in longest for unit in inside) else ""


def copy_number(name: str) -> int:
    """Return the number of a copy or a resubmission: 2 for `UNIT-2.ipynb` and `UNIT (2).ipynb`, else 0."""
    found = _AGAIN.search(notebook_stem(name))
    return int((found["a"] or found["b"])[:9]) if found else 0
