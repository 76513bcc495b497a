"""Answers that students have handed in, of another year or section, to be tried against the present tests."""

import hashlib
from pathlib import Path

import nbformat

from nbproctor.anycourse.settings import Course, CourseError, leads_out
from nbproctor.probe.changes import Change
from nbproctor.values.text import line, many

WILD = "by-"  # what the key of an answer begins with
Wild = dict[str, dict[str, list[Change]]]  # notebook -> exercise -> its answers


def answers(course: Course, assignment: str, folder: Path) -> Wild:
    """The answers in FOLDER/STUDENT/ASSIGNMENT/NOTEBOOK.ipynb, by the ids of their cells, each text once.

    Raises CourseError where there is none.
    """
    found: dict[str, dict[str, dict[str, list[str]]]] = {}
    for path in sorted(folder.glob(f"*/{assignment}/*.ipynb")):
        if leads_out(path, folder):
            continue
        try:
            nb = nbformat.read(path, as_version=4)
        except Exception:  # noqa: BLE001, S112 whatever somebody has handed in
            continue
        for cell in nb.cells:
            about = cell.metadata.get("nbgrader", {})
            if cell.cell_type == "code" and about.get("solution") and not about.get("grade"):
                texts = found.setdefault(path.stem, {}).setdefault(str(about.get("grade_id")), {})
                texts.setdefault(cell.source, []).append(path.parent.parent.name)
    if not found:
        raise CourseError(f"{folder}: no answers there; expected STUDENT/{assignment}/NOTEBOOK.ipynb")
    return {
        book: {
            name: [_change(f"{book}/{name}", text, who) for text, who in texts.items()] for name, texts in of.items()
        }
        for book, of in found.items()
    }


def _change(name: str, text: str, students: list[str]) -> Change:
    key = WILD + hashlib.sha256(f"{name}\0{text}".encode(errors="replace")).hexdigest()[:8]
    more = f" and {many(len(students) - 1, 'other')}" if len(students) > 1 else ""
    return Change(key, f"the answer of {line(students[0])}{more}", 1, "", text, text, is_wild=True)
