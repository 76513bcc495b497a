"""Runs a notebook's cells in a process forked from the warm one, with nbgrader's settings for `Execute`."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
from nbgrader import utils

from nbproctor.anycourse.settings import Course
from nbproctor.anycourse.warm import CellToRun, Executor, Files, Notebook, Ran


def read_files(files: Mapping[str, Path]) -> Files:
    """Permissions and content of these files, by name."""
    return {name: (path.stat().st_mode & 0o777, path.read_bytes()) for name, path in files.items()}


def run_cells(  # noqa: PLR0913 what a notebook is, and how it is run
    course: Course, warm: Executor, path: Path, nb: Any, files: Files, deadline: float, draw: bool
) -> Ran:
    """Run the cells that nbgrader would run, and put the outputs into the notebook.

    path: where nbgrader would run it; its folder has the same name here, and the same place in a course's folder.
    draw: whether somebody looks at its figures. Those in a check are drawn anyway: a warning at drawing costs points.
    """
    execute = course.execute
    skipped = getattr(execute, "skip_cells_with_tag", "")
    code = [cell for cell in nb.cells if cell.cell_type == "code" and cell.source.strip()]
    # A student can tag a cell so that it is skipped, and nbgrader then gives a test its points.
    cells = [cell for cell in code if skipped not in cell.metadata.get("tags", [])]
    given = [CellToRun(cell.source, _seconds(execute, cell), draw or utils.is_grade(cell)) for cell in cells]
    folder = os.path.relpath(path.parent, course.root)
    folder = path.parent.name if folder.startswith("..") else folder
    ran = warm.run(Notebook(given, folder, files, dict(execute.error_on_timeout or {})), deadline)
    for cell, outputs, count in zip(cells, ran.outputs, ran.counts, strict=True):
        cell.outputs, cell.execution_count = [nbformat.from_dict(output) for output in outputs], count
    nb.metadata["language_info"] = nbformat.from_dict(ran.language)
    ran.cells = cells
    return ran


def label(nb: Any, cell: Any) -> str:
    """How messages call a cell: by its grade id, or by its number in the notebook."""
    return f"cell {cell.metadata.get('nbgrader', {}).get('grade_id') or nb.cells.index(cell) + 1}"


def too_slow(course: Course, nb: Any, ran: Ran) -> list[str]:
    """A sentence for each cell that did not end within its time."""
    setting = "timeout" if course.execute.timeout_func is None else "timeout_func"
    return [
        f"{label(nb, ran.cells[number])} did not end within {_seconds(course.execute, ran.cells[number]):g} s "
        f"(c.Execute.{setting})"
        for number in sorted(ran.slow)
    ]


def _seconds(execute: Any, cell: Any) -> float | None:
    """How long a cell may run: nbgrader's `timeout`, or what its `timeout_func` says. None: without a limit."""
    seconds = execute.timeout_func(cell) if execute.timeout_func is not None else execute.timeout
    return None if not seconds or seconds < 0 else float(seconds)
