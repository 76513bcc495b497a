"""Puts `nbgrader autograde` and formgrader's Autograde button into the sandbox.

nbgrader_config.py names `ExecuteInSandbox` in place of `Execute` (`nbproctor install` writes it). nbgrader does all
else, one submission after the other. A warm process imports what an assignment's locked cells import, at its first
notebook, and lives as long as nbgrader's.
"""

from __future__ import annotations

import ast
import atexit
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from nbgrader import utils
from nbgrader.preprocessors import NbGraderPreprocessor

from nbproctor.anycourse import kernels
from nbproctor.anycourse.examiner import examiner_of
from nbproctor.anycourse.kernels import Kernel
from nbproctor.anycourse.running import run_cells
from nbproctor.anycourse.settings import Course
from nbproctor.anycourse.warm import Libraries, Warm

_courses: dict[str, Course] = {}
_warm: dict[tuple[str, str, Kernel, tuple[str, ...]], Warm] = {}
_stack = ExitStack()
atexit.register(_stack.close)


class ExecuteInSandbox(NbGraderPreprocessor):  # type: ignore[misc]
    """Runs a notebook's cells in the sandbox."""

    def preprocess(self, nb: Any, resources: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Run the cells. Raises CourseError, or LayerMissing, where they cannot be run here."""
        about, folder = resources["nbgrader"], Path(resources["metadata"]["path"])
        course = _course(str(self.parent.parent.coursedir.root))
        asked = kernels.find(course, {about["notebook"]: nb.metadata.get("kernelspec")})
        files = {
            str(path.relative_to(folder)): (path.stat().st_mode & 0o777, path.read_bytes())
            for path in folder.rglob("*")
            if path.is_file()
        }
        warm = _warm_process(course, about["assignment"], asked, tuple(_imports(nb)))
        deadline = time.monotonic() + course.proctor.submission_s
        ran = run_cells(course, warm, about["notebook"], nb, files, deadline, draw=True)
        for name, (mode, data) in ran.written.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            path.write_bytes(data)
            path.chmod(mode)
        for name in set(ran.gone) & files.keys():
            (folder / name).unlink(missing_ok=True)
        for number, why in ran.lost.items():
            self.log.warning("Cell %s was lost: %s", nb.cells.index(ran.cells[number]) + 1, why)
        return nb, resources


def _course(root: str) -> Course:
    if root not in _courses:
        _courses[root] = Course(Path(root))
    return _courses[root]


def _warm_process(course: Course, assignment: str, asked: Mapping[str, Kernel], modules: tuple[str, ...]) -> Warm:
    """The warm process of a notebook. asked: that notebook, with its kernel."""
    (kernel,) = asked.values()
    key = (str(course.root), assignment, kernel, modules)
    if key not in _warm:
        names = modules if course.proctor.preload else ()
        examiner = examiner_of(course, assignment, asked, 1, _stack)
        _warm[key] = Warm(replace(Libraries.of(course, assignment, kernel), modules=names), 1, _stack, examiner)
    return _warm[key]


def _imports(nb: Any) -> Iterator[str]:
    """The modules that the instructor's own cells import, as far as their text shows; not those of checks."""
    for cell in nb.cells:
        if cell.cell_type != "code" or not utils.is_locked(cell) or utils.is_grade(cell):
            continue
        try:
            tree = ast.parse("\n".join(line for line in cell.source.splitlines() if not line.startswith(("%", "!"))))
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                yield node.module
