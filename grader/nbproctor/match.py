"""Decides which cells of a submission run, in which order, and where each check is reached.

The submission is run as a notebook would be: the student's cells in their order, and each check where its cell stands.
The answer that counts is whatever the exercise's name is bound to at that place, whichever cell has bound it. The
checks are the instructor's, and so is the setup cell that runs before everything. A cell of the course that the student
has not changed runs only where the student's code needs a name that it binds.

A cell is recognised as one of the course's by nbgrader's id, by its own id (or Colab's `metadata.id`), or by its text.
A check whose cell is missing is reached where nbgrader would put that cell back: after the cell that stands before it
in the instructor's notebook.

`plan` parses students' text, so it has to be called in a bounded process, such as the one that a `reader` keeps. Such a
process returns plain JSON, and `Plan.from_json` makes a plan of it.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from nbproctor.bounded import BoundedProcess
from nbproctor.course import Exercise, Unit
from nbproctor.form import form_of
from nbproctor.notebook import Ungradable, even, grade_id_of, id_of, parsed, source_of, tags_of
from nbproctor.reading import (
    Reading,
    acts_beyond,
    bound_by,
    completes,
    cut_after,
    dumped,
    in_modules,
    module_name,
    module_written,
    needed_text,
    nodes_of,
    reached,
    read,
    unfolded,
)
from nbproctor.result import OWN_CELLS, OWN_CHARACTERS, Kind, Note, OwnCell
from nbproctor.submission import File, HandedIn
from nbproctor.suspicion import (
    as_before,
    detours_in,
    findings_in,
    library_asked,
    made_elsewhere,
    shortcut_in,
    unsearched,
    unseen_nodes,
    unseen_words,
    writes_files,
)
from nbproctor.text import clean, line

NOTES_MOST = 20  # notes of one kind; the rest of a flood would tell no more than the first ones
DRAWING = frozenset({"plt", "matplotlib"})  # libraries whose settings change no answer
LOOKS_UP = (
    "a part of the course's code that looks names up was edited, as in an older edition; its lookups are the same"
)
SETUP_SHARE = 0.5  # a cell is the setup cell, whatever its id, if more than this share of its lines are setup lines


@dataclass(frozen=True)
class Step:
    """One cell to run.

    own: whether the student wrote or changed it. needed: whether it runs from the start; a cell of the course, edited
    or not, may be left out until something needs it. binds: the names that it gives a value. completes: the exercises
    whose answer it may hold. of: the exercise whose answer cell it is, or "". cut: the cell up to the last answer in
    it, where more code follows, else "". forms: exercise -> a hash of the answer that the cell may hold, the same for
    copies with other names (`form`).
    """

    source: str
    own: bool = True
    needed: bool = True
    binds: tuple[str, ...] = ()
    completes: tuple[str, ...] = ()
    of: str = ""
    cut: str = ""
    forms: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Place:
    """The place in an agenda where an exercise's visible or hidden check is reached."""

    exercise: str
    hidden: bool


@dataclass(frozen=True)
class Plan:
    """The agenda of a submission, and everything that its source tells before any of it runs.

    refused: exercise -> the forbidden name that its answer reaches in the source. notes: about the whole submission.
    about: exercise -> notes about its answer. own_cells: what the student added, to be shown to the instructor.
    """

    agenda: tuple[Step | Place, ...] = ()
    refused: dict[str, str] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    about: dict[str, tuple[Note, ...]] = field(default_factory=dict)
    own_cells: tuple[OwnCell, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "agenda": [
                [item.exercise, item.hidden]
                if isinstance(item, Place)
                else [item.source, item.own, item.needed, item.binds, item.completes, item.of, item.cut, item.forms]
                for item in self.agenda
            ],
            "refused": self.refused,
            "notes": [[note.kind, note.text] for note in self.notes],
            "about": {name: [[note.kind, note.text] for note in notes] for name, notes in self.about.items()},
            "own_cells": [[cell.before, cell.source] for cell in self.own_cells],
        }

    @classmethod
    def from_json(cls, data: Any) -> Plan:
        agenda: list[Step | Place] = []
        for item in data["agenda"]:
            if len(item) == 2:
                agenda.append(Place(*item))
            else:
                source, own, needed, binds, done, of, cut, forms = item
                agenda.append(Step(source, own, needed, tuple(binds), tuple(done), of, cut, forms))
        return cls(
            tuple(agenda),
            data["refused"],
            _notes(data["notes"]),
            {name: _notes(notes) for name, notes in data["about"].items()},
            tuple(OwnCell(before, clean(source)) for before, source in data["own_cells"]),
        )


def _notes(data: Any) -> tuple[Note, ...]:
    return tuple(Note(kind, clean(text)) for kind, text in data)


@dataclass(frozen=True)
class _Cell:
    """A cell as it was handed in, and the released cell that it is a version of, if any.

    role: "setup" (the unchanged setup cell, below a cell of the student's, so that it runs once more), "check" (only
    its place counts), "answer" (the answer cell of an exercise), "text" (another cell of the course's, unchanged),
    "edited" (such a cell, changed by the student or by a later edition of the course) or "own" (the student's). name:
    the grade id of a check, or the exercise of an answer. original: the source of the released cell, or "".
    """

    source: str
    role: str
    name: str = ""
    original: str = ""


def read_course(unit: Unit) -> None:
    """Parse the course's own cells once, so that processes forked for submissions find them in the cache."""
    for cell in unit.notebook["cells"]:
        if cell["cell_type"] == "code":
            tree = read(source_of(cell)).tree
            reached([tree], "")  # for its cache: it looks at each statement
            _taught(source_of(cell))
        even(source_of(cell))
    for exercise in unit.exercises:
        read(exercise.solution)


def plan_json(unit: Unit, handed: HandedIn) -> dict[str, Any]:
    """Return the plan for a submission's bytes as JSON: {"plan": …}, or {"ungradable": the reason}."""
    try:
        return {"plan": plan(unit, parsed(handed.notebook), handed.files).to_json()}
    except Ungradable as error:
        return {"ungradable": str(error)}


Read = Callable[[Unit, HandedIn], dict[str, Any]]  # `plan_json` in a bounded process; raises bounded.OutOfBounds


def reader(units: Mapping[str, Unit]) -> Read:
    """Return a function that does what `plan_json` does, in one bounded process that is kept for many submissions."""

    def work(parts: Sequence[bytes]) -> dict[str, Any]:
        head, notebook, *contents = parts
        name, names = json.loads(head)
        return plan_json(units[name], HandedIn(notebook, tuple(map(File, names, contents))))

    process = BoundedProcess(work)

    def read(unit: Unit, handed: HandedIn) -> dict[str, Any]:
        head = json.dumps([unit.name, [file.name for file in handed.files]]).encode()
        return process(head, handed.notebook, *(file.content for file in handed.files))  # type: ignore[no-any-return]

    return read


def plan(unit: Unit, notebook: dict[str, Any], files: Iterable[File] = ()) -> Plan:
    """Decide which cells of a notebook run, and where its checks are reached. What is missing or edited is noted."""
    notes: list[Note] = []
    cells = _recognised(unit, notebook["cells"], notes)
    exercises = {exercise.name: exercise for exercise in unit.exercises}
    readings = [read(cell.source) for cell in cells]
    done = [_completed(cell, reading, exercises) for cell, reading in zip(cells, readings, strict=True)]
    answered = {name for names in done for name in names}
    runs = [_runs(cell, exercises, answered) for cell in cells]
    waits = _waiting(unit, cells, readings)
    anyhow = [ran and not waiting for ran, waiting in zip(runs, waits, strict=True)]
    needed = needed_text([(anyhow[n], readings[n] if runs[n] else Reading(None)) for n in range(len(cells))])
    places = _places(unit, cells, done, notes)
    agenda: list[Step | Place] = []
    ran: list[_Ran] = []
    reached_at: dict[str, list[int]] = {name: [] for name in exercises}  # for each check: how many cells ran before it
    for number in range(len(cells) + 1):
        for place in places.get(number, []):
            agenda.append(place)
            reached_at[place.exercise].append(len(ran))
        if number < len(cells) and runs[number]:
            cell, reading = cells[number], readings[number]
            is_text = cell.role in ("setup", "text")
            agenda.append(
                Step(
                    cell.source, not is_text, not waits[number] or number in needed, reading.binds, done[number],
                    cell.name if cell.role == "answer" else "", cut_after(cell.source, reading.tree, done[number]),
                    {name: _form_of(cell.source, name) for name in done[number]},
                )
            )  # fmt: skip
            ran.append(_Ran(reading, not is_text, cell.original))
    source = _source_of(ran, _modules(cells, files), files, tuple(exercise.solution for exercise in unit.exercises))
    about: dict[str, list[Note]] = {name: [] for name in exercises}
    refused: dict[str, str] = {}
    for name, exercise in exercises.items():
        if exercise.not_with:
            found, told = _shortcuts(exercise, source, reached_at[name])
            refused |= {name: found} if found else {}
            about[name] += [Note(kind, line(f"{name}: {words}")) for kind, words in told]
    notes += _suspicions(cells, readings, runs)
    of_theirs = _own_cells(cells, done, runs)
    kept = _first(of_theirs)
    if len(kept) < len(of_theirs):
        notes.append(
            Note(
                "info",
                line(
                    f"{len(of_theirs) - len(kept)} more of the added cells are not kept, and the report does "
                    "not show them"
                ),
            )
        )
    return Plan(
        tuple(agenda), refused, tuple(_capped(notes)), {name: tuple(_capped(a)) for name, a in about.items()}, kept
    )


@dataclass(frozen=True)
class _Ran:
    """A cell that runs. own: whether the student wrote or changed it. original: source of the released cell, or ""."""

    reading: Reading
    own: bool
    original: str


def _parts_of(body: Iterable[ast.stmt], place: str = "") -> Iterator[tuple[str, ast.stmt]]:
    """Yield the statements of a cell, each with its place, such as `Layer.forward`.

    A class is taken apart: first comes its head, without the body, then each statement of its body.
    """
    for one in body:
        inside = f"{place}{getattr(one, 'name', '')}"
        if isinstance(one, ast.ClassDef):
            yield inside, ast.ClassDef(one.name, one.bases, one.keywords, [], one.decorator_list)
            yield from _parts_of(one.body, f"{inside}.")
        else:
            yield inside, one


@lru_cache(maxsize=256)
def _taught(source: str) -> Mapping[str, Mapping[str, ast.stmt]]:
    """Return the parts of a cell of the course's: place -> dumped text -> statement."""
    found: dict[str, dict[str, ast.stmt]] = {}
    tree = read(source).tree
    for place, part in _parts_of(tree.body if tree else []):
        found.setdefault(place, {})[dumped(part)] = part
    return found


def _form_of(source: str, name: str) -> str:
    """Return the form of an answer; "" also where it is nested too deep for Python's recursion, as 500 summands are."""
    try:
        return form_of(source, name)
    except RecursionError:
        return ""


@dataclass(frozen=True)
class _Added:
    """A part of a student's cell that the released cell does not hold.

    unseen: nodes in it that may give a name a value without a statement that shows it, such as `globals()["x"] = 1`.
    instead_of: what the released cell has in its place.
    """

    part: ast.stmt
    unseen: tuple[ast.AST, ...]
    instead_of: tuple[ast.stmt, ...] = ()


@dataclass(frozen=True)
class _Source:
    """The source of a submission, as far as it runs, for the search for forbidden names.

    ran: the cells that run, in order. trees: their syntax trees, where each module that the student wrote stands in the
    place of the line that runs it or imports all its names; None where a cell does not parse. added: the parts of the
    student's cells that the course's cells do not hold. known: the ids of the nodes that are as the course gives them,
    or as its solutions have them. modules: the modules that the student wrote. unread: a line for each cell or module
    that could not be searched. files: a line for each file that the code loads and that cannot be searched.
    writes_files: whether a cell writes files.
    """

    ran: list[_Ran]
    trees: list[ast.Module | None]
    added: list[_Added]
    known: Set[int]
    modules: dict[str, ast.Module]
    unread: list[str]
    files: list[str]
    writes_files: bool


def _source_of(
    ran: list[_Ran], written: Mapping[str, Reading], files: Iterable[File], solutions: tuple[str, ...] = ()
) -> _Source:
    """Gather the source of a submission for the search for forbidden names.

    written: the modules that the student wrote. solutions: where one of these asks a library for a computed name, as in
    `getattr(F, activation)`, a student may ask for the same.
    """
    modules = {name: reading.tree for name, reading in written.items() if reading.tree is not None}
    trees = [unfolded(one.reading.tree, modules) if one.reading.tree else None for one in ran]
    added: list[_Added] = []
    known: set[int] = set()
    for cell, tree in zip(ran, trees, strict=True):
        if not (cell.own and tree):
            continue
        taught = _taught(cell.original)
        for place, part in _parts_of(tree.body) if taught else (("", one) for one in tree.body):
            released = taught.get(place, {})
            if dumped(part) in released:
                known |= {id(node) for node in nodes_of(part)}
            else:
                added.append(_Added(part, tuple(unseen_nodes([part])), tuple(released.values())))
    asked = _asked_in(solutions)
    known |= {id(node) for one in added for node in nodes_of(one.part) if library_asked(node) in asked}
    unread = [f"a cell is {cell.reading.unread}" for cell in ran if cell.own and cell.reading.unread]
    unread += [f"the file {name}.py is {one.unread}" for name, one in written.items() if one.unread]
    theirs = [*(one.part for one in added), *modules.values()]
    own = [tree for cell, tree in zip(ran, trees, strict=True) if cell.own and tree]
    return _Source(ran, trees, added, known, modules, unread, unsearched(theirs, files), writes_files(own))


@lru_cache(maxsize=64)
def _asked_in(solutions: tuple[str, ...]) -> Set[str]:
    """Return what these solutions ask for a computed name, as text: `F`, for `getattr(F, activation)`."""
    trees = [tree for solution in solutions if (tree := read(solution).tree)]
    return {library for tree in trees for node in nodes_of(tree) if (library := library_asked(node))}


def _shortcuts(exercise: Exercise, source: _Source, places: list[int]) -> tuple[str | None, list[tuple[Kind, str]]]:
    """Return the forbidden name that the answer to an exercise reaches, if any, and notes for the instructor.

    The notes say why an instructor should read the answer: a forbidden name could be used there without being seen.
    places: for each check of the exercise, how many cells have run when it is reached.
    """
    ran, trees, modules = source.ran, source.trees, source.modules
    own = {id(one): one for cell, tree in zip(ran, trees, strict=True) if cell.own and tree for one in tree.body}
    found: dict[int, ast.stmt] = {}
    for place in places:
        before = [tree for cell, tree in zip(ran[:place], trees, strict=False) if cell.own and tree]
        is_there = any(exercise.name in bound_by(tree) for tree in before)
        # An answer above the check is the one that counts. One that is only below it may be brought forward.
        order = [*trees[place:], *trees[:place]] if is_there else trees
        found |= {id(one): one for one in reached(order, exercise.name) if id(one) in own}
    # Where no statement binds the name, only running shows how it is bound: then look at all statements.
    statements = list(found.values()) or list(own.values())
    inner = in_modules(statements, modules)
    as_it_was = _changed_beside(exercise, source)
    known = source.known if found else source.known | as_it_was
    told = detours_in([*statements, *inner], known)
    told += unseen_words([node for one in source.added for node in one.unseen] + unseen_nodes(inner), as_it_was)
    if source.writes_files:
        told += made_elsewhere([*statements, *inner], {part for name in modules for part in name.split(".")})
    told += [f"{words}; it ran, and was not searched" for words in source.unread]
    notes: list[tuple[Kind, str]] = [("attack", words) for words in dict.fromkeys(told)]
    notes += [("info", words) for words in [*source.files, *([LOOKS_UP] if as_it_was else [])]]
    return shortcut_in([*found.values(), *inner], exercise.not_with, modules.keys()), notes


def _changed_beside(exercise: Exercise, source: _Source) -> Set[int]:
    """Return the ids of nodes that look names up in parts of the course's cells that were changed elsewhere only."""
    watched = frozenset({exercise.name, *exercise.not_with})
    pieces = [one for one in source.added if one.unseen and one.instead_of]
    return {id(node) for one in pieces if as_before(one.part, one.instead_of, watched) for node in one.unseen}


def _modules(cells: Iterable[_Cell], files: Iterable[File]) -> dict[str, Reading]:
    """Read the modules that the student wrote in a cell (`%%writefile`) or handed in beside the notebook."""
    texts = {module_name(file.name): _text_of(file) for file in files if file.name.endswith(".py")}
    for name, text, further in filter(None, (module_written(cell.source) for cell in cells)):
        texts[name] = f"{texts.get(name, '')}\n{text}" if further else text
    return {name: read(text) for name, text in texts.items()}


def _text_of(file: File) -> str:
    return file.content.decode("utf-8", "replace")


def _recognised(unit: Unit, theirs: list[dict[str, Any]], notes: list[Note]) -> list[_Cell]:
    """Return the student's cells that matter, in order, each with its role. Edited checks and setup cells are noted."""
    by_grade_id = {name: cell for cell in unit.notebook["cells"] if (name := grade_id_of(cell))}
    by_id = {cell.get("id"): cell for cell in unit.notebook["cells"]}
    by_text = {even(source_of(cell)): cell for cell in unit.notebook["cells"] if cell["cell_type"] == "code"}
    setup_lines = {text.strip() for text in unit.setup.splitlines() if text.strip()}
    checks = {check.grade_id for e in unit.exercises for check in (e.check, e.hidden)}
    exercises = {e.name for e in unit.exercises}
    found = []
    for cell in theirs:
        source = source_of(cell)
        original = by_grade_id.get(grade_id_of(cell) or "") or by_id.get(id_of(cell)) or by_text.get(even(source))
        name = (grade_id_of(original) if original else None) or ""
        if original is not None and name in checks:
            if even(source) != even(source_of(original)):
                notes.append(Note("accident", line(f"The check {name} was edited; the original was used.")))
            found.append(_Cell(source, "check", name))
        elif original is not None and name in exercises:
            found.append(_Cell(source, "answer", name, source_of(original)))
        elif cell.get("cell_type") != "code" or not source.strip():
            continue
        elif original is not None and "setup" in tags_of(original):
            found += _setup(source, source_of(original), found, notes)
        elif original is not None and even(source) == even(source_of(original)):
            found.append(_Cell(source, "text"))
        elif original is None and _share(source, setup_lines) > SETUP_SHARE:
            notes.append(Note("accident", line("The setup cell was edited; the original ran first.")))
            found.append(_Cell(source, "own", original=unit.setup))
        else:
            found.append(_Cell(source, "edited", original=source_of(original)) if original else _Cell(source, "own"))
    return found


def _setup(source: str, original: str, before: list[_Cell], notes: list[Note]) -> list[_Cell]:
    """Return what runs in the place of a setup cell, besides the original, which has run before everything.

    before: the cells above it.
    """
    if even(source) != even(original):
        notes.append(Note("accident", line("The setup cell was edited; the original ran first.")))
        return [_Cell(source, "own", original=original)]
    may_be_rebound = any(one.role in ("answer", "edited", "own") for one in before)
    return [_Cell(original, "setup")] if may_be_rebound else []


def _share(source: str, known: set[str]) -> float:
    lines = [line.strip() for line in source.splitlines() if line.strip()]
    return sum(line in known for line in lines) / len(lines) if lines else 0.0


def _completed(cell: _Cell, reading: Reading, exercises: dict[str, Exercise]) -> tuple[str, ...]:
    """Return the exercises whose answer a cell may hold."""
    if cell.role not in ("answer", "edited", "own"):
        return ()
    stub = exercises[cell.name].stub if cell.role == "answer" else ""
    if stub and even(cell.source) == even(stub):
        return ()
    found = [name for name, e in exercises.items() if name in reading.binds]
    return tuple(name for name in found if completes(reading.tree, name, _is_callable(exercises[name])))


def _is_callable(exercise: Exercise) -> bool:
    """Whether the exercise asks for a function or a class."""
    tree = read(exercise.solution).tree
    return tree is not None and any(getattr(statement, "name", "") == exercise.name for statement in tree.body)


def _runs(cell: _Cell, exercises: dict[str, Exercise], answered: set[str]) -> bool:
    """Whether a cell becomes a step. An untouched stub does not where another cell holds the answer."""
    if cell.role == "answer" and cell.name in answered:
        return even(cell.source) != even(exercises[cell.name].stub)
    return cell.role in ("answer", "edited", "own", "setup", "text") and bool(cell.source.strip())


def _waiting(unit: Unit, cells: list[_Cell], readings: list[Reading]) -> list[bool]:
    """Say for each cell whether it waits, that is, runs only if another cell needs one of its names.

    The course's unchanged cells wait. An edited one waits too, unless it binds or changes an exercise's name, or may
    change a library. So a student who plays with a demonstration, or whose notebook is of an earlier edition, spends no
    time on cells whose output nobody sees here.
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


def _places(unit: Unit, cells: list[_Cell], done: list[tuple[str, ...]], notes: list[Note]) -> dict[int, list[Place]]:
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
        notes.append(Note("accident", line(f"{', '.join(sorted(lost))}: not in the notebook; the original was used.")))
    return found


def _suspicions(cells: list[_Cell], readings: list[Reading], runs: list[bool]) -> list[Note]:
    """Return notes on what the student's code does beyond answering, without what the released cells do themselves."""
    found = []
    for cell, reading, ran in zip(cells, readings, runs, strict=True):
        if not ran or cell.role in ("setup", "text"):
            continue
        known = {text for _, text in findings_in(read(cell.original).tree)} if cell.original else set()
        where = cell.name if cell.role == "answer" else "a cell of their own"
        found += [Note(kind, line(f"{where} {text}")) for kind, text in findings_in(reading.tree) if text not in known]
    return list(dict.fromkeys(found))


def _own_cells(cells: list[_Cell], done: list[tuple[str, ...]], runs: list[bool]) -> list[OwnCell]:
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
    """Return the first of a student's own cells, as many as a result keeps; a notebook may hold megabytes of them."""
    kept: list[OwnCell] = []
    room = OWN_CHARACTERS
    for cell in cells:
        room -= len(cell.source)
        if len(kept) == OWN_CELLS or room < 0:
            break
        kept.append(cell)
    return tuple(kept)


def _capped(notes: Iterable[Note]) -> list[Note]:
    """Return at most NOTES_MOST notes of each kind, and for a kind with more a last note that says how many more."""
    found: list[Note] = []
    for kind in ("accident", "attack", "info"):
        mine = [note for note in notes if note.kind == kind]
        found += mine[:NOTES_MOST]
        if len(mine) > NOTES_MOST:
            found.append(Note(kind, line(f"and {len(mine) - NOTES_MOST} more of this kind")))
    return found
