"""Puts `nbgrader autograde` and formgrader's Autograde button into the sandbox.

nbgrader_config.py names `ExecuteInSandbox` instead of `Execute` (`nbproctor install` writes it). nbgrader does all
else, one submission after the other. A warm process imports what an assignment's locked cells import, at its first
notebook, and lives as long as nbgrader's.
"""

import ast
import atexit
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from nbgrader import utils
from nbgrader.preprocessors import NbGraderPreprocessor

from nbproctor.anycourse import kernels
from nbproctor.anycourse.kernels import Kernel
from nbproctor.anycourse.running import label, run_cells, too_slow
from nbproctor.anycourse.settings import LEFT_OUT, Course, leads_out, refuse_link
from nbproctor.anycourse.warm import Files, Libraries, Warm
from nbproctor.border import frames

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
        (kernel,) = kernels.find(course, {about["notebook"]: nb.metadata.get("kernelspec")}).values()
        self._remove_links(course, about, folder)
        files = _files(folder)
        warm = _warm_process(course, about["assignment"], kernel, tuple(_imports(nb)))
        deadline = time.monotonic() + course.proctor.submission_s
        ran = run_cells(course, warm, folder / f"{about['notebook']}.ipynb", nb, files, deadline, draw=True)
        _remove(folder, set(ran.gone) & files.keys())
        frames.write_files(folder, ((name, mode, data) for name, (mode, data) in ran.written.items()))
        for number, why in ran.lost.items():
            self.log.warning("%s was lost: %s", label(nb, ran.cells[number]), why)
        for text in too_slow(course, nb, ran):
            self.log.warning("%s", text)
        return nb, resources

    def _remove_links(self, course: Course, about: dict[str, str], folder: Path) -> None:
        """Remove from the folder what nbgrader has copied from where a link in the submission leads.

        Raises CourseError where the notebook itself is such a link.
        """
        submitted = course.submitted(about["student"], about["assignment"])
        refuse_link(submitted / f"{about['notebook']}.ipynb", submitted)
        kept = course.converter.exclude_overwriting.get(about["assignment"], [])
        given = course.files(course.source(about["assignment"])).keys() - {*kept}
        for name, path in course.files(submitted).items():
            if name not in given and leads_out(path, submitted):
                (folder / name).unlink(missing_ok=True)
                self.log.warning(LEFT_OUT.format(name))


def _files(folder: Path) -> Files:
    """All files in a folder, and its empty folders, as `frames.write_files` takes them."""
    found: Files = {}
    for path in folder.rglob("*"):
        if path.is_file():
            found[str(path.relative_to(folder))] = (path.stat().st_mode & 0o777, path.read_bytes())
        elif path.is_dir() and not any(path.iterdir()):
            found[f"{path.relative_to(folder)}/"] = (0o755, b"")
    return found


def _remove(folder: Path, names: Iterable[str]) -> None:
    """Remove these files and empty folders, and the folders that have become empty."""
    for name in names:
        path = folder / name
        if name.endswith("/"):
            path.rmdir()
        else:
            path.unlink()
        while (path := path.parent) != folder and not any(path.iterdir()):
            path.rmdir()


def _course(root: str) -> Course:
    if root not in _courses:
        _courses[root] = Course(Path(root))
    return _courses[root]


def _warm_process(course: Course, assignment: str, kernel: Kernel, modules: tuple[str, ...]) -> Warm:
    key = (str(course.root), assignment, kernel, modules)
    if key not in _warm:
        names = modules if course.proctor.preload else ()
        _warm[key] = Warm(replace(Libraries.of(course, assignment, kernel), modules=names), 1, _stack)
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
