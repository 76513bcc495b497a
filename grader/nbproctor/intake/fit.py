"""Finds out from a notebook's cells which unit it belongs to, and which exercises it answers.

Notebooks are students' text, so they are parsed in a bounded process, which returns plain data. Each file is read once,
here; all later steps use a copy.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from nbproctor.border.bounded import OutOfBounds, bounded
from nbproctor.course.units import CourseError, load_unit, unit_names
from nbproctor.values.copies import Copies, Copy
from nbproctor.values.notebook import Ungradable, defined_names, grade_id_of, id_of, normalized, parsed, source_of
from nbproctor.values.submission import file_bytes

OnProgress = Callable[[int, int], None]  # called with the number of files read so far and of all
AT_ONCE = 40  # notebooks that one process parses; if it fails, each is parsed again by itself
AT_ONCE_BYTES = 64 << 20  # no further notebook is read into memory once those to be parsed together exceed this


@dataclass(frozen=True)
class UnitFeatures:
    """The features by which notebooks of one unit are recognised.

    ids: those that only cells of this unit have. exercises: their names. given: the text of every released cell, stubs
    included; a cell with such a text answers nothing. own: those of these texts that no other unit has.
    """

    unit: str
    ids: frozenset[str]
    exercises: tuple[str, ...]
    given: frozenset[str]
    own: frozenset[str]


@dataclass(frozen=True)
class UnitShare:
    """What a notebook has of one unit: how many of its cells, and which answered exercises."""

    unit: str
    cells: int
    answered: tuple[str, ...]


@dataclass(frozen=True)
class Fit:
    """What a notebook has of the course.

    held: its units, the one with the most cells first. copy: the bytes of the file; None if it could not be read.
    problem: why it could not be read or parsed, or "".
    """

    held: tuple[UnitShare, ...] = ()
    problem: str = ""
    copy: Copy | None = None

    @property
    def unit(self) -> str:
        """The unit that most of the notebook's cells belong to, or ""."""
        return self.held[0].unit if self.held else ""

    @property
    def cells_of(self) -> str:
        """The unit that most of its cells belong to; "" if none of them is a cell of the course."""
        return self.unit if self.unit and self.held[0].cells else ""

    def of(self, unit: str) -> UnitShare:
        return next((one for one in self.held if one.unit == unit), UnitShare(unit, 0, ()))

    def is_elsewhere(self, unit: str) -> bool:
        """Whether the notebook clearly belongs to another unit: it has cells of that one, and nothing of this."""
        mine = self.of(unit)
        return bool(self.cells_of and self.cells_of != unit and not mine.cells and not mine.answered)


def unit_features() -> list[UnitFeatures]:
    """Return the features of every unit that can be read. Another unit is reported later, when it is to be graded."""
    found = []
    for name in unit_names():
        try:
            unit = load_unit(name)
        except CourseError:
            continue
        cells = [cell for cell in unit.notebook["cells"] if "setup" not in cell["metadata"].get("tags", ())]
        ids = {one for cell in cells for one in (id_of(cell), grade_id_of(cell)) if one}
        given = frozenset({normalized(source_of(cell)) for cell in unit.notebook["cells"]} - {""})
        found.append(UnitFeatures(name, frozenset(ids), tuple(e.name for e in unit.exercises), given, given))
    often = Counter(key for one in found for key in one.ids | one.own)
    return [
        replace(
            one, ids=frozenset(i for i in one.ids if often[i] == 1), own=frozenset(t for t in one.own if often[t] == 1)
        )
        for one in found
    ]


def fits(
    paths: Sequence[Path], known: Sequence[UnitFeatures], on_progress: OnProgress = lambda done, total: None
) -> list[Fit]:
    """Return what each file holds; one that cannot be read has a `problem`. Raises UserError if copies find no room."""
    copies = Copies()
    found: list[Fit] = []
    some: list[bytes | Fit] = []  # to be parsed together
    for number, path in enumerate(paths, 1):
        try:
            some.append(file_bytes(path))
        except Ungradable as error:
            some.append(Fit(problem=str(error)))
        raws = [raw for raw in some if isinstance(raw, bytes)]
        if number < len(paths) and len(some) < AT_ONCE and sum(map(len, raws)) <= AT_ONCE_BYTES:
            continue
        seen = iter(_seen(raws, known))
        found += [replace(next(seen), copy=copies.keep(raw)) if isinstance(raw, bytes) else raw for raw in some]
        on_progress(len(found), len(paths))
        some = []
    return found


def _seen(raws: Sequence[bytes], known: Sequence[UnitFeatures]) -> list[Fit]:
    """Parse notebooks together, or each by itself if they break their reader."""
    try:
        answers = bounded(lambda: [_facts(raw, known) for raw in raws]) if raws else []
    except OutOfBounds as error:
        return [Fit(problem=str(error))] if len(raws) == 1 else [fit for raw in raws for fit in _seen([raw], known)]
    return [Fit(tuple(UnitShare(u, n, tuple(names)) for u, n, names in held), problem) for held, problem in answers]


def _facts(raw: bytes, known: Sequence[UnitFeatures]) -> tuple[list[tuple[str, int, list[str]]], str]:
    """Parse one notebook and return its `held` and `problem` as plain data. Runs in the bounded process."""
    try:
        cells = parsed(raw)["cells"]
    except Ungradable as error:
        return [], str(error)
    named = [({id_of(cell), grade_id_of(cell)}, normalized(source_of(cell))) for cell in cells]
    code = [cell for cell in cells if cell.get("cell_type") == "code"]
    names: set[str] = set()  # the exercises whose own cells were written, and what such a cell defines
    for cell, source in ((cell, normalized(source_of(cell))) for cell in code):
        if source and not any(source in one.given for one in known):
            names |= {grade_id_of(cell) or (id_of(cell) or "").replace("-", "_"), *defined_names(source)}
    held = [
        (
            one.unit,
            sum(bool(ids & one.ids) or text in one.own for ids, text in named),
            [name for name in one.exercises if name in names],
        )
        for one in known
    ]
    held = [one for one in held if one[1] or one[2]]
    return sorted(held, key=lambda one: (-one[1], -len(one[2]), one[0])), ""
