"""Finds notebooks that are alike, for a line to the instructor; it is never a penalty.

Besides identical files, it compares answers that differ only in names, comments and spaces. Such an answer counts only
if it is long, is not the reference, and only two to `GROUP_MOST` of the class have it. Students are listed only if they
share at least `SHARED_LEAST` such answers of one unit. One similar answer means little, and so does one that many have:
the course has taught them all how to write it.
"""

import builtins
import keyword
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from nbproctor.course.units import Unit
from nbproctor.values.result import UNWRITTEN, Result, is_empty

SHARED_LEAST = 2
GROUP_MOST = 4  # students with one form; a larger group has more likely been taught it than copied it
READ_MOST = 10_000  # characters of an answer
TOKENS_LEAST = 65  # a shorter answer leaves little choice of how to write it
_UNREAD = re.compile(r'"""(?s:.*?)"""|#[^\n]*')  # docstrings and comments
_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")  # not after a dot: an attribute keeps its name
_TOKEN = re.compile(r"\w+|[^\w\s]")
_KEPT = {*keyword.kwlist, *dir(builtins)}


@dataclass(frozen=True)
class Alike:
    """Students of one unit whose notebooks are alike, and a sentence on how."""

    unit: str
    students: tuple[str, ...]
    text: str


def find_alike(results: Sequence[Result], units: Mapping[str, Unit]) -> list[Alike]:
    """Return the students with the same file, or with answers that are alike except for their names."""
    found: list[Alike] = []
    for name, unit in units.items():
        mine = [result for result in results if result.unit == name and not is_empty(result)]
        files: dict[str, list[str]] = defaultdict(list)
        for result in mine:
            files[result.digest].append(result.student)
        same = [them for digest, them in files.items() if digest and len(them) > 1]
        found += [Alike(name, tuple(them), "handed in the same file, byte for byte") for them in same]
        for exercises, group in _sharing(mine, unit).items():
            if not any(group <= {*them} for them in same):
                words = f"{', '.join(exercise for exercise, _ in exercises)}: the same except for the names in them"
                found.append(Alike(name, tuple(sorted(group)), words))
    return found


def _sharing(results: Sequence[Result], unit: Unit) -> dict[tuple[tuple[str, str], ...], set[str]]:
    """Return the (exercise, form) of the answers that students share -> these students."""
    references = {exercise.name: form_of(exercise.solution) for exercise in unit.exercises}
    owners: dict[tuple[str, str], list[str]] = defaultdict(list)
    for result in results:
        for exercise in result.exercises:
            form = "" if exercise.status in UNWRITTEN else form_of(exercise.source)
            if form and form != references.get(exercise.name):
                owners[exercise.name, form].append(result.student)
    shared: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for answer, students in owners.items():
        for pair in combinations(students, 2) if len(students) <= GROUP_MOST else ():
            shared[pair].append(answer)
    groups: dict[tuple[tuple[str, str], ...], set[str]] = defaultdict(set)
    for pair, answers in shared.items():
        if len(answers) >= SHARED_LEAST:
            groups[tuple(answers)].update(pair)
    return groups


def form_of(source: str) -> str:
    """Return an answer without comments and spaces, with a number for each name of its own; "" if it is short."""
    numbers: dict[str, str] = {}

    def number(found: re.Match[str]) -> str:
        name = found[0]
        return name if name in _KEPT else numbers.setdefault(name, f"_{len(numbers)}")

    tokens = _TOKEN.findall(_NAME.sub(number, _UNREAD.sub("", source[:READ_MOST])))
    return " ".join(tokens) if len(tokens) >= TOKENS_LEAST else ""
