"""What the gradebook knows about an assignment's notebooks, read once for a class.

nbgrader's steps ask the gradebook for each cell of each submission. Here they get the same answers from memory.
"""

import json
import re
import tempfile
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import GenerateAssignment
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import ClearHiddenTests, ClearMarkScheme

from nbproctor.anycourse.settings import Course, CourseError

_COLUMNS = ("name", "cell_type", "locked", "source", "checksum", "max_score")  # of all kinds of cells
_FIGURES = re.compile(r"\b(plt|ax|axes|axs|fig|gca|gcf|figure|matplotlib|plot\w*)\b")


class Sources:
    """The cells of one notebook as the gradebook has them, behind the names by which nbgrader's steps ask for them."""

    def __init__(self, course: Course, notebook: Any) -> None:
        self.name: str = notebook.name
        self.kernelspec: Any = json.loads(notebook.kernelspec) if notebook.kernelspec else None
        rows = _copied(notebook.source_cells)
        kinds = {kind: _copied(getattr(notebook, kind)) for kind in ("grade_cells", "task_cells", "solution_cells")}
        self._cells = {cell.name: cell for cell in rows}
        self.released = _released(course, rows)
        self._graded = {cell.name: cell for cell in (*kinds["grade_cells"], *kinds["task_cells"])}
        self._notebook = SimpleNamespace(source_cells=rows, **kinds)
        by_hand = {cell.name for cell in kinds["solution_cells"]} | {
            cell.name for cell in kinds["grade_cells"] if cell.cell_type != "code"
        }
        graded = {cell.name for cell in kinds["grade_cells"]}
        self.has_manual = bool(kinds["task_cells"] or by_hand & graded)
        self.checks = [cell.source for cell in rows if cell.name in graded - by_hand]

    def find_source_cell(self, name: str, *_: str) -> Any:
        if name not in self._cells:
            raise MissingEntry(name)
        return self._cells[name]

    def find_graded_cell(self, name: str, *_: str) -> Any:
        if name not in self._graded:
            raise MissingEntry(name)
        return self._graded[name]

    def find_notebook(self, *_: str) -> Any:
        return self._notebook


def _copied(cells: Iterable[Any]) -> list[SimpleNamespace]:
    """The columns of these rows of the gradebook, which outlive its session."""
    return [SimpleNamespace(**{column: getattr(cell, column, None) for column in _COLUMNS}) for cell in cells]


def _released(course: Course, cells: list[Any]) -> dict[str, str]:
    """The text of each source cell as students get it: without hidden tests and marking schemes."""
    nb = new_notebook(cells=[new_code_cell(cell.source) for cell in cells])
    for step in (ClearHiddenTests, ClearMarkScheme):
        try:
            nb, _ = step(parent=course.app, enforce_metadata=False)(nb, {})
        except RuntimeError:  # a region without its end, over which nbgrader releases nothing
            pass
    return {cell.name: made.source for cell, made in zip(cells, nb.cells, strict=True)}


def look_at_figures(known: dict[str, Sources], others: dict[str, Any]) -> bool:
    """Whether somebody, or some check, looks at the figures that a notebook of this assignment draws.

    others: the files beside the notebooks, in which a check's own functions may be.
    """
    texts = [text for one in known.values() for text in one.checks]
    texts += [path.read_text(errors="replace") for name, path in others.items() if name.endswith(".py")]
    return any(one.has_manual for one in known.values()) or any(_FIGURES.search(text) for text in texts)


def known_sources(course: Course, book: Gradebook, assignment: str) -> dict[str, Sources]:
    """The notebooks of an assignment in the gradebook; {} where it has none of that name."""
    try:
        return {one.name: Sources(course, one) for one in book.find_assignment(assignment).notebooks}
    except MissingEntry:
        return {}


def enter(course: Course, assignment: str) -> None:
    """Enter an assignment into the gradebook, as `nbgrader generate_assignment` does, without writing into release/.

    Raises CourseError with what nbgrader says where it cannot.
    """
    with tempfile.TemporaryDirectory(prefix="nbproctor-") as folder:
        directory = CourseDirectory(parent=course.app)
        directory.release_directory, directory.assignment_id = folder, assignment
        converter = GenerateAssignment(coursedir=directory, parent=course.app)
        with course.log.kept() as said:
            try:
                converter.start()
            except (NbGraderException, SystemExit) as error:
                why = said[-1] if said else str(error)
                raise CourseError(
                    f"{course.source(assignment)}: not a source that nbgrader can release ({why})"
                ) from None
