"""Decides which cells of a submission run, in which order, and where each check is reached.

The submission runs as a notebook would: the student's cells in their order, and each check where its cell stands. The
answer that counts is the value of the exercise's name at that place, whichever cell has bound it. The checks are the
instructor's, and so is the setup cell, which runs first. An unchanged cell of the course runs only if the
student's code needs a name that it binds.

A cell is recognised as one of the course's by nbgrader's id, by its own id (or Colab's `metadata.id`), or by its text.
A check whose cell is missing is reached where nbgrader would put that cell back: after the cell that stands before it
in the instructor's notebook.

`plan` parses students' text, so it has to be called in a bounded process, as `planned` and `read_together` do.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import msgspec

from nbproctor.border.bounded import READING_MB, OutOfBounds, bounded
from nbproctor.border.sandbox import memory_mapped_mb
from nbproctor.course.units import Exercise, Unit
from nbproctor.source.reading import Reading, acts_beyond, cells_needed, completes, cut_after, read, read_each
from nbproctor.values.notebook import LEFT_OUT, Ungradable, grade_id_of, id_of, normalized, parsed, source_of, tags_of
from nbproctor.values.result import OWN_CELLS, OWN_CHARACTERS, Note, OwnCell
from nbproctor.values.submission import HandedIn
from nbproctor.values.text import clean, line

TOGETHER_S = 1.0  # of processor time, for submissions that are read together; the kernel lets them have 2
LEFT_MB = 256  # what submissions may leave in memory when others are read after them
DRAWING = frozenset({"plt", "matplotlib"})  # libraries whose settings change no answer


class Step(msgspec.Struct, frozen=True, tag=True):
    """One cell to run.

    own: whether the student wrote or changed it. needed: whether it runs from the start; a cell of the course may be
    left out until something needs it. binds: the names that it gives a value. completes: the exercises whose answer it
    may hold. of: the exercise whose answer cell it is, or "". cut: the cell up to the last answer in it, if more code
    follows, else "".
    """

    source: str
    own: bool = True
    needed: bool = True
    binds: tuple[str, ...] = ()
    completes: tuple[str, ...] = ()
    of: str = ""
    cut: str = ""


class Place(msgspec.Struct, frozen=True, tag=True):
    """The place in an agenda where an exercise's visible or hidden check is reached."""

    exercise: str
    hidden: bool


class Plan(msgspec.Struct, frozen=True, tag=True):
    """The agenda of a submission, and what its source tells before any of it runs."""

    agenda: tuple[Step | Place, ...] = ()
    notes: tuple[Note, ...] = ()
    own_cells: tuple[OwnCell, ...] = ()


class Unplanned(msgspec.Struct, frozen=True, tag=True):
    """Why there is no plan for a submission."""

    reason: str


@dataclass(frozen=True)
class _SubmittedCell:
    """A cell as it was handed in.

    role: "setup" (the unchanged setup cell below a cell of the student's, which runs once more), "check" (only its
    place counts), "answer" (the answer cell of an exercise), "text" (another cell of the course, unchanged), "edited"
    (such a cell, changed by the student or by a later edition of the course) or "own" (the student's). name: the grade
    id of a check, or the exercise of an answer.
    """

    source: str
    role: str
    name: str = ""


def read_course(unit: Unit) -> None:
    """Parse the course's own cells once, so that processes forked for submissions find them in the cache."""
    for cell in unit.notebook["cells"]:
        if cell["cell_type"] == "code":
            read(source_of(cell))
        normalized(source_of(cell))
    for exercise in unit.exercises:
        read(exercise.solution)


def plan_json(unit: Unit, handed: bytes) -> str:
    """Return the `Plan` for a submission's bytes, or an `Unplanned`, as JSON."""
    try:
        found: Plan | Unplanned = plan(unit, parsed(handed))
    except Ungradable as error:
        found = Unplanned(str(error))
    return msgspec.json.encode(found).decode()


def read_together(several: Iterable[tuple[Unit, bytes]]) -> list[str] | None:
    """Return `plan_json` of several submissions, read in one bounded process; None if that takes too much."""
    try:
        return list(bounded(lambda: _plans(several), seconds=TOGETHER_S, memory_mb=READING_MB + LEFT_MB))
    except (OutOfBounds, OSError):
        return None


def _plans(several: Iterable[tuple[Unit, bytes]]) -> list[str]:
    """Read one after the other. Raises MemoryError where the last ones have not left the next one all that it may use:
    a source that needs more memory than there is counts as one that cannot be parsed."""
    start_mb, plans = memory_mapped_mb(), list[str]()
    for unit, handed in several:
        if memory_mapped_mb() > start_mb + LEFT_MB:
            raise MemoryError
        plans.append(plan_json(unit, handed))
    return plans


def planned(unit: Unit, handed: HandedIn) -> Plan:
    """Return the plan for a submission, read in a bounded process. Raises Ungradable and OutOfBounds."""
    text = handed.plan_json or bounded(lambda: plan_json(unit, handed.notebook))
    found: Plan | Unplanned = msgspec.json.decode(text, type=Plan | Unplanned)
    if isinstance(found, Unplanned):
        raise Ungradable(found.reason)
    return found


def plan(unit: Unit, notebook: dict[str, Any]) -> Plan:
    """Decide which cells of a notebook run, and where its checks are reached. Notes what is missing or edited."""
    notes = [
        Note("accident", line(f"A cell with {size >> 10} kB of code was left out: there is too much code."))
        for size in notebook.get(LEFT_OUT, ())
    ]
    cells = _recognised(unit, notebook["cells"], notes)
    exercises = {exercise.name: exercise for exercise in unit.exercises}
    readings = read_each(cell.source for cell in cells)
    done = [_completed(cell, reading, exercises) for cell, reading in zip(cells, readings, strict=True)]
    answered = {name for names in done for name in names}
    runs = [_runs(cell, exercises, answered) for cell in cells]
    waits = _waiting(unit, cells, readings)
    anyhow = [ran and not waiting for ran, waiting in zip(runs, waits, strict=True)]
    needed = cells_needed([(anyhow[n], readings[n] if runs[n] else Reading(None)) for n in range(len(cells))])
    places = _places(unit, cells, done, notes)
    agenda: list[Step | Place] = []
    for number in range(len(cells) + 1):
        agenda += places.get(number, [])
        if number < len(cells) and runs[number]:
            cell, reading = cells[number], readings[number]
            is_text = cell.role in ("setup", "text")
            agenda.append(
                Step(
                    cell.source, not is_text, not waits[number] or number in needed, reading.binds, done[number],
                    cell.name if cell.role == "answer" else "", cut_after(cell.source, reading.tree, done[number]),
                )
            )  # fmt: skip
    return Plan(tuple(agenda), tuple(dict.fromkeys(notes)), _first(_own_cells(cells, done, runs)))


def _recognised(unit: Unit, theirs: list[dict[str, Any]], notes: list[Note]) -> list[_SubmittedCell]:
    """Return the student's relevant cells in order, each with its role. Adds notes on edited checks and setup cells."""
    by_grade_id = {name: cell for cell in unit.notebook["cells"] if (name := grade_id_of(cell))}
    by_id = {cell.get("id"): cell for cell in unit.notebook["cells"]}
    by_text = {normalized(source_of(cell)): cell for cell in unit.notebook["cells"] if cell["cell_type"] == "code"}
    checks = {check.grade_id for e in unit.exercises for check in (e.check, e.hidden)}
    exercises = {e.name for e in unit.exercises}
    found = []
    for cell in theirs:
        source = source_of(cell)
        original = by_grade_id.get(grade_id_of(cell) or "") or by_id.get(id_of(cell)) or by_text.get(normalized(source))
        name = (grade_id_of(original) if original else None) or ""
        if original is not None and name in checks:
            if normalized(source) != normalized(source_of(original)):
                notes.append(Note("accident", line(f"The check {name} was edited; the original was used.")))
            found.append(_SubmittedCell(source, "check", name))
        elif original is not None and name in exercises:
            found.append(_SubmittedCell(source, "answer", name))
        elif cell.get("cell_type") != "code" or not source.strip():
            continue
        elif original is not None and "setup" in tags_of(original):
            found += _setup(source, source_of(original), found, notes)
        elif original is not None and normalized(source) == normalized(source_of(original)):
            found.append(_SubmittedCell(source, "text"))
        else:
            found.append(_SubmittedCell(source, "edited" if original else "own"))
    return found


def _setup(source: str, original: str, before: list[_SubmittedCell], notes: list[Note]) -> list[_SubmittedCell]:
    """Return the cells that run where a setup cell stands, below those `before`; the original has run first of all."""
    if normalized(source) != normalized(original):
        notes.append(Note("accident", line("The setup cell was edited; the original ran first.")))
        return [_SubmittedCell(source, "own")]
    may_be_rebound = any(one.role in ("answer", "edited", "own") for one in before)
    return [_SubmittedCell(original, "setup")] if may_be_rebound else []


def _completed(cell: _SubmittedCell, reading: Reading, exercises: dict[str, Exercise]) -> tuple[str, ...]:
    """Return the exercises whose answer a cell may hold."""
    if cell.role not in ("answer", "edited", "own"):
        return ()
    stub = exercises[cell.name].stub if cell.role == "answer" else ""
    if stub and normalized(cell.source) == normalized(stub):
        return ()
    found = [name for name, e in exercises.items() if name in reading.binds]
    return tuple(name for name in found if completes(reading.tree, name, exercises[name].is_called))


def _runs(cell: _SubmittedCell, exercises: dict[str, Exercise], answered: set[str]) -> bool:
    """Whether a cell becomes a step. An untouched stub does not, if another cell holds the answer."""
    if cell.role == "answer" and cell.name in answered:
        return normalized(cell.source) != normalized(exercises[cell.name].stub)
    return cell.role in ("answer", "edited", "own", "setup", "text") and bool(cell.source.strip())


def _waiting(unit: Unit, cells: list[_SubmittedCell], readings: list[Reading]) -> list[bool]:
    """Say for each cell whether it waits, that is, runs only if another cell needs one of its names.

    The course's unchanged cells wait. An edited one waits too, unless it binds or changes an exercise's name, or may
    change a library. So an edited demonstration, or one of an earlier edition, takes no time.
    """
    exercises = {exercise.name for exercise in unit.exercises}
    libraries = frozenset().union(read(unit.setup).imports, *(reading.imports for reading in readings)) - DRAWING
    return [
        cell.role == "text"
        or (
            cell.role == "edited"
            and not exercises & {*reading.binds, *reading.touches}
            and not acts_beyond(reading, libraries)
        )
        for cell, reading in zip(cells, readings, strict=True)
    ]


def _places(
    unit: Unit, cells: list[_SubmittedCell], done: list[tuple[str, ...]], notes: list[Note]
) -> dict[int, list[Place]]:
    """Return the checks that are reached before each cell, by its number; the number of cells stands for the end.

    A hidden check that was moved above every answer is reached with the visible one. Missing checks are noted.
    """
    # Of a check that was copied, the last copy counts.
    at = {cell.name: number for number, cell in enumerate(cells) if cell.role == "check"}
    answers = {cell.name: number for number, cell in enumerate(cells) if cell.role == "answer"}
    lost = []
    found: dict[int, list[Place]] = {}
    for exercise in unit.exercises:
        last = max((n for n, names in enumerate(done) if exercise.name in names), default=len(cells) - 1)
        number = answers.get(exercise.name, last) + 1
        for check in (exercise.check, exercise.hidden):
            before = number
            if check.grade_id in at:
                number = at[check.grade_id]
                if check.hidden and not any(exercise.name in names for names in done[:number]):
                    number = max(number, before)
            else:
                lost.append(check.grade_id)
            found.setdefault(number, []).append(Place(exercise.name, check.hidden))
    if lost:
        text = f"These checks are not in the notebook, so the originals were used: {', '.join(sorted(lost))}"
        notes.append(Note("accident", line(text)))
    return found


def _own_cells(cells: list[_SubmittedCell], done: list[tuple[str, ...]], runs: list[bool]) -> list[OwnCell]:
    """Return the added and edited cells that are no answers, each with the exercise whose answer comes next."""
    found: list[OwnCell] = []
    waiting: list[str] = []
    for cell, names, ran in zip(cells, done, runs, strict=True):
        if cell.role == "answer" or names:
            found += [OwnCell(cell.name or names[0], clean(text)) for text in waiting]
            waiting = []
        elif cell.role in ("edited", "own") and ran:
            waiting.append(cell.source)
    return found + [OwnCell("", clean(text)) for text in waiting]


def _first(cells: Iterable[OwnCell]) -> tuple[OwnCell, ...]:
    """Return as many of a student's own cells as a result keeps; a notebook may hold megabytes of them."""
    kept: list[OwnCell] = []
    characters_left = OWN_CHARACTERS
    for cell in cells:
        characters_left -= len(cell.source)
        if len(kept) == OWN_CELLS or characters_left < 0:
            break
        kept.append(cell)
    return tuple(kept)
