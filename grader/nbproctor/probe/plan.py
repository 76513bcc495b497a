"""What there is to probe in an assignment: its notebooks, their exercises, and each exercise's tests and changes."""

import ast
import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
from nbgrader import utils
from nbgrader.preprocessors import ClearHiddenTests, ClearSolutions

from nbproctor.anycourse.settings import Course
from nbproctor.anycourse.steps import outcome
from nbproctor.anycourse.warm import Files
from nbproctor.probe.changes import Change, Unreadable, changes


@dataclass(frozen=True)
class Exercise:
    """A solution cell that tests grade. at: its place among the notebook's cells. own: the places of its own tests.

    Those are the tests up to the next solution. names: the variables that the cell leaves. chosen: the changes to try.
    """

    notebook: str
    name: str
    at: int
    own: tuple[int, ...]
    points: float
    names: tuple[str, ...]
    changes: tuple[Change, ...]
    chosen: list[Change] = field(default_factory=list)


@dataclass
class Book:
    """A source notebook. cells: those that run. files: what lies beside it when it starts. least: for each test cell,
    the fewest points that the reference got. left_out: what is not probed, and why."""

    name: str
    path: Path
    nb: Any
    cells: list[Any]
    exercises: list[Exercise] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    files: Files = field(default_factory=dict)
    least: dict[int, float] = field(default_factory=dict)

    @property
    def tests(self) -> list[int]:
        return [number for number, cell in enumerate(self.cells) if is_test(cell)]

    def points(self, number: int, outputs: list[Any]) -> float:
        """The points that a test cell gives with these outputs."""
        cell = copy.copy(self.cells[number])
        cell["outputs"] = [nbformat.from_dict(one) for one in outputs]
        ((_, points, _),) = outcome(SimpleNamespace(cells=[cell]))
        return points or 0.0

    def id_of(self, number: int) -> str:
        return str(self.cells[number].metadata.nbgrader["grade_id"])


def is_test(cell: Any) -> bool:
    return bool(utils.is_grade(cell) and not utils.is_solution(cell) and cell.cell_type == "code")


def is_answer(cell: Any) -> bool:
    """Whether tests, and no person, grade what a student writes into this cell."""
    return bool(utils.is_solution(cell) and not utils.is_grade(cell) and cell.cell_type == "code")


def read(course: Course, path: Path, wild: Mapping[str, Sequence[Change]] | None = None) -> Book:
    """Read a source notebook, and find its exercises and their changes.

    wild: the answers to try instead, for each exercise (`wild.answers`).
    """
    nb = nbformat.read(path, as_version=4)
    skipped = getattr(course.execute, "skip_cells_with_tag", "")
    code = [cell for cell in nb.cells if cell.cell_type == "code" and cell.source.strip()]
    book = Book(path.stem, path, nb, [cell for cell in code if skipped not in cell.metadata.get("tags", [])])
    by_hand = [cell for cell in nb.cells if utils.is_task(cell) or (utils.is_grade(cell) and utils.is_solution(cell))]
    if by_hand:
        names = ", ".join(cell.metadata.nbgrader["grade_id"] for cell in by_hand)
        book.left_out.append(f"{book.name}: a person grades {names}")
    for number, cell in enumerate(book.cells):
        if is_answer(cell):
            _add_exercise(course, book, number, wild)
    return book


def _add_exercise(course: Course, book: Book, at: int, wild: Mapping[str, Sequence[Change]] | None) -> None:
    cell, name, step = book.cells[at], book.id_of(at), ClearSolutions(parent=course.app)
    marks = step.begin_solution_delimeter, step.end_solution_delimeter
    own = tuple(_own_tests(book, at))
    if not own:
        book.left_out.append(f"{book.name}, {name}: no test comes after it")
        return
    try:
        found = [*wild.get(name, ())] if wild is not None else changes(f"{book.name}/{name}", cell.source, marks)
    except Unreadable as error:
        book.left_out.append(f"{book.name}, {name}: {error}")
        return
    points = sum(float(book.cells[one].metadata.nbgrader["points"]) for one in own)
    book.exercises.append(Exercise(book.name, name, at, own, points, _variables(cell.source), tuple(found)))


def _own_tests(book: Book, at: int) -> Iterator[int]:
    has_test = False
    for number in range(at + 1, len(book.cells)):
        if is_test(book.cells[number]):
            has_test = True
            yield number
        elif has_test and is_answer(book.cells[number]):
            return


def _variables(source: str) -> tuple[str, ...]:
    """The names that a cell assigns outside of functions and loops' heads; none where it is not plain Python."""
    found = dict[str, None]()
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError):
        return ()
    for statement in body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
            continue
        nodes = [*ast.walk(statement)]
        heads = {
            part for node in nodes if isinstance(node, (ast.For, ast.comprehension)) for part in ast.walk(node.target)
        }
        for node in nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node not in heads:
                found[node.id] = None
    return tuple(found)


def mentions(source: str, name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", source) is not None


def untouched(course: Course, book: Book) -> Any:
    """The notebook as students get it, with the tests that students do not get."""
    nb, _ = ClearSolutions(parent=course.app)(copy.deepcopy(book.nb), {"nbgrader": {}})
    return nb


def visible(course: Course, cell: Any) -> str:
    """The source of a test cell without its hidden tests; "" where nothing is left."""
    step = ClearHiddenTests(parent=course.app, enforce_metadata=False)
    made, _ = step.preprocess_cell(copy.deepcopy(cell), {}, 0)
    rows = [row for row in made.source.splitlines() if row.strip() and not row.lstrip().startswith("#")]
    return made.source if rows else ""
