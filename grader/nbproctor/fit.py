"""Which unit of the course a notebook is of, told by its cells, and which exercises are answered in it.

Notebooks are students' text, so they are parsed in a bounded process; what comes back is plain data. Each file is read
here for the first and last time: what was read goes on as a copy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from nbproctor.bounded import OutOfBounds, bounded
from nbproctor.copies import Copies, Copy
from nbproctor.course import CourseError, load_unit, unit_names
from nbproctor.notebook import Ungradable, defined_names, even, grade_id_of, id_of, parsed, source_of
from nbproctor.submission import file_bytes

AT_ONCE = 40  # notebooks that one process parses; where it breaks down, each is parsed again by itself
AT_ONCE_BYTES = 64 << 20  # of these, that are in memory together


@dataclass(frozen=True)
class Shelf:
    """What one unit's notebook is recognised by: the ids that only its cells have, and its exercises.

    given: the text of every cell as it is given out, stubs included; who has written nothing else has answered nothing.
    """

    unit: str
    ids: frozenset[str]
    exercises: tuple[str, ...]
    given: frozenset[str]


@dataclass(frozen=True)
class Held:
    """What a notebook holds of one unit: how many of its cells, and the exercises that are not the stub any more."""

    unit: str
    cells: int
    answered: tuple[str, ...]


@dataclass(frozen=True)
class Fit:
    """What a notebook holds of the course: the units with the most first. `problem` says why it cannot be told.

    copy: the bytes of its file; None where that could not be read, and `problem` says why.
    """

    held: tuple[Held, ...] = ()
    problem: str = ""
    copy: Copy | None = None

    @property
    def unit(self) -> str:
        """The unit that its cells are of, or ""."""
        return self.held[0].unit if self.held else ""

    def of(self, unit: str) -> Held:
        return next((one for one in self.held if one.unit == unit), Held(unit, 0, ()))


def shelves() -> list[Shelf]:
    """Every unit that can be read. One that cannot is told of when it is to be graded, and recognises nothing."""
    found = []
    for name in unit_names():
        try:
            unit = load_unit(name)
        except CourseError:
            continue
        cells = [cell for cell in unit.notebook["cells"] if "setup" not in cell["metadata"].get("tags", ())]
        ids = {one for cell in cells for one in (id_of(cell), grade_id_of(cell)) if one}
        given = {even(source_of(cell)) for cell in unit.notebook["cells"]}
        found.append(Shelf(name, frozenset(ids), tuple(e.name for e in unit.exercises), frozenset(given)))
    often = Counter(one for shelf in found for one in shelf.ids)
    return [replace(one, ids=frozenset(i for i in one.ids if often[i] == 1)) for one in found]


def fits(paths: Sequence[Path], known: Sequence[Shelf]) -> list[Fit]:
    """What each of these files holds, in their order. One that cannot be read, or takes too much, says so.

    Raises copies.NoRoom.
    """
    copies = Copies()
    found: list[Fit] = []
    for some in _some_at_once(paths):
        raws = [raw for raw in some if isinstance(raw, bytes)]
        seen = iter(_seen(raws, known))
        found += [replace(next(seen), copy=copies.keep(raw)) if isinstance(raw, bytes) else raw for raw in some]
    return found


def _some_at_once(paths: Iterable[Path]) -> Iterator[list[bytes | Fit]]:
    """The bytes of the files, so many together that they are no burden; what cannot be read as what is said of it."""
    some: list[bytes | Fit] = []
    size = 0
    for path in paths:
        try:
            raw = file_bytes(path)
        except Ungradable as error:
            some.append(Fit(problem=str(error)))
        else:
            some.append(raw)
            size += len(raw)
        if len(some) == AT_ONCE or size > AT_ONCE_BYTES:
            yield some
            some, size = [], 0
    yield some


def _seen(raws: Sequence[bytes], known: Sequence[Shelf]) -> list[Fit]:
    try:
        return _parsed(raws, known)
    except OutOfBounds:
        return [_alone(raw, known) for raw in raws]


def _alone(raw: bytes, known: Sequence[Shelf]) -> Fit:
    try:
        return _parsed([raw], known)[0]
    except OutOfBounds as error:
        return Fit(problem=str(error))


def _parsed(raws: Sequence[bytes], known: Sequence[Shelf]) -> list[Fit]:
    answers = bounded(lambda: [_facts(raw, known) for raw in raws]) if raws else []
    return [Fit(tuple(Held(u, n, tuple(names)) for u, n, names in held), problem) for held, problem in answers]


def _facts(raw: bytes, known: Sequence[Shelf]) -> tuple[list[tuple[str, int, list[str]]], str]:
    """In the bounded process."""
    try:
        cells = parsed(raw)["cells"]
    except Ungradable as error:
        return [], str(error)
    ids = {one for cell in cells for one in (id_of(cell), grade_id_of(cell)) if one}
    code = [cell for cell in cells if cell.get("cell_type") == "code"]
    sources = ((cell, even(source_of(cell))) for cell in code)
    written = [(cell, s) for cell, s in sources if s and not any(s in shelf.given for shelf in known)]
    names = _written_names(written)
    held = [(one.unit, len(ids & one.ids), [name for name in one.exercises if name in names]) for one in known]
    held = [one for one in held if one[1] or one[2]]
    return sorted(held, key=lambda one: (-one[1], -len(one[2]), one[0])), ""


def _written_names(written: Iterable[tuple[dict[str, Any], str]]) -> set[str]:
    """The exercises whose own cell is no stub any more, and every name that a cell defines."""
    found: set[str] = set()
    for cell, source in written:
        own = grade_id_of(cell) or (id_of(cell) or "").replace("-", "_")
        found |= {own, *_defined_names(source)}
    return found


@lru_cache(maxsize=256)
def _defined_names(source: str) -> tuple[str, ...]:
    """Much of what a class hands in is alike, as are the course's own cells where everybody has an older edition."""
    return tuple(defined_names(source))
