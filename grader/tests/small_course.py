"""Small nbgrader courses of another instructor's, made up for a test: source notebooks, a config, and a class."""

import os
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import forked
import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader.apps.nbgraderapp import main as nbgrader

from nbproctor.anycourse import doctor, feedback, grading  # noqa: F401 the commands need them: before the forks
from nbproctor.anycourse.settings import Course
from nbproctor.cli.app import app

KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}
Edit = Callable[[Any], Any]


def cell(source: str, grade_id: str, kind: str = "code", **about: Any) -> Any:
    """A cell with nbgrader's metadata."""
    made = new_code_cell(source) if kind == "code" else new_markdown_cell(source)
    flags = {"grade": False, "solution": False, "locked": False, "task": False}
    made.metadata["nbgrader"] = {**flags, "schema_version": 3, "grade_id": grade_id, "cell_type": kind, **about}
    return made


def answer(grade_id: str, source: str) -> Any:
    return cell(f"### BEGIN SOLUTION\n{source}\n### END SOLUTION", grade_id, solution=True)


def check(grade_id: str, source: str, points: int = 1) -> Any:
    return cell(source, grade_id, grade=True, locked=True, points=points)


def essay(grade_id: str, points: int = 4) -> Any:
    return cell("Your words", grade_id, "markdown", grade=True, solution=True, points=points)


def notebook(*cells: Any) -> Any:
    return new_notebook(cells=list(cells), metadata={"kernelspec": KERNEL})


def write_course(root: Path, notebooks: dict[str, Any], config: str = "") -> Path:
    """Write a course with one assignment, `hw`."""
    for name, nb in notebooks.items():
        save(nb, root / "source" / "hw" / f"{name}.ipynb")
    (root / "nbgrader_config.py").write_text(f"c = get_config()\nc.CourseDirectory.course_id = 'small'\n{config}")
    return root


def save(nb: Any, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(nb, path)


def hand_in(root: Path, student: str, edit: Edit = lambda nb: nb, timestamp: str = "") -> Path:
    """Hand in the course's own solutions, each notebook edited. Returns the folder."""
    folder = root / "submitted" / student / "hw"
    for path in (root / "source" / "hw").glob("*.ipynb"):
        save(edit(nbformat.read(path, as_version=4)), folder / path.name)
    if timestamp:
        (folder / "timestamp.txt").write_text(timestamp)
    return folder


def say(grade_id: str, source: str) -> Edit:
    """An edit that puts this source into a cell."""

    def edit(nb: Any) -> Any:
        for one in nb.cells:
            if one.metadata.get("nbgrader", {}).get("grade_id") == grade_id:
                one.source = source
        return nb

    return edit


def grade(root: Path, **how: Any) -> grading.Graded:
    """Grade the class, without words on the terminal."""
    hear = grading.ProgressCallbacks(lambda *_: None, lambda *_: None, how.pop("done", lambda *_: None))
    return grading.grade(Course(root), grading.Wanted(workers=2, **how), hear)


def command(root: Path, *words: str) -> CompletedProcess[str]:
    """Run an `nbproctor` command in the course's folder, as an instructor does."""
    return forked.call(app, ["nbproctor", *words], root, os.environ)


def nbgraders(root: Path, *words: str) -> CompletedProcess[str]:
    """Run a command of nbgrader's own there."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # it calls `alembic`
    return forked.call(nbgrader, ["nbgrader", *words], root, {**os.environ, "PATH": path})


def scores(root: Path) -> dict[str, dict[str, float | None]]:
    """The automatic points in the gradebook: student -> cell -> points."""
    found: dict[str, dict[str, float | None]] = {}
    query = """select submitted_assignment.student_id, base_cell.name, grade.auto_score from grade
        join submitted_notebook on grade.notebook_id = submitted_notebook.id
        join submitted_assignment on submitted_notebook.assignment_id = submitted_assignment.id
        join base_cell on grade.cell_id = base_cell.id"""
    with sqlite3.connect(root / "gradebook.db") as book:
        for student, name, points in book.execute(query):
            found.setdefault(student, {})[name] = points
    return found
