"""Writes `autograded/STUDENT/UNIT/UNIT.ipynb`, which formgrader shows: the instructor's notebook with a student's code.

The text, the order and the metadata are the instructor's. Only code and printed text come from the student, so nothing
that a student wrote is ever rendered as HTML. Only the instructor sees this folder: the check cells in it are complete,
hidden tests included.
"""

import json
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nbproctor.course.units import Unit
from nbproctor.values.notebook import grade_id_of, source_of
from nbproctor.values.result import OWN_CELLS, CheckResult, Result
from nbproctor.values.text import EMPTY, Clean, clean, student_folder, write_whole

NAMES = {"failed": "AssertionError", "not implemented": "NotImplementedError", "timeout": "TimeoutError"}


def write_autograded(result: Result, unit: Unit, folder: Path) -> Path:
    """Write the notebook of one result below folder/autograded/, and return its path."""
    answers = {exercise.name: exercise for exercise in result.exercises}
    checks = {check.grade_id: check for exercise in result.exercises for check in exercise.checks}
    own = _own_cells(result)
    released = {name: cell["metadata"]["nbgrader"] for cell in unit.notebook["cells"] if (name := grade_id_of(cell))}
    cells: list[Any] = []
    for cell in unit.instructor["cells"]:
        name = grade_id_of(cell)
        if cell["cell_type"] != "code":
            cells.append(cell)
        elif name and name in released and cell["metadata"]["nbgrader"].get("solution"):
            cells += own[name]
            answer = answers.get(name)
            metadata = {**cell["metadata"], "nbgrader": released[name]}  # with the stub's checksum
            source, printed = (answer.source, answer.printed) if answer else (EMPTY, EMPTY)
            # Printed text is always stdout, since nbgrader would take stderr for a failure.
            outputs = [{"output_type": "stream", "name": "stdout", "text": printed}] if printed else []
            cells.append(_code(cell["id"], source, metadata, outputs))
        else:
            outputs = _outcome(checks[name]) if name in checks else []
            cells.append(_code(cell["id"], clean(source_of(cell)), cell["metadata"], outputs))
    cells += own[""]
    notebook = {"cells": cells, "metadata": unit.instructor["metadata"], "nbformat": 4, "nbformat_minor": 5}
    path = student_folder(folder / "autograded", result.student, unit.name) / f"{unit.name}.ipynb"
    write_whole(path, json.dumps(notebook, ensure_ascii=False))
    return path


def _own_cells(result: Result) -> dict[str, list[dict[str, Any]]]:
    """Return exercise -> the cells that the student added before it; "" stands for the end of the notebook."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for number, cell in enumerate(result.own_cells[:OWN_CELLS], 1):
        found[cell.before].append(_code(f"own-{number}", cell.source, {"tags": ["student"]}, []))
    return found


def _code(cell_id: str, source: Clean, metadata: Mapping[str, Any], outputs: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": cell_id,
        "metadata": metadata,
        "outputs": outputs,
        "source": source,
    }


def _outcome(check: CheckResult) -> list[dict[str, Any]]:
    """Return the outputs of a check cell, from which nbgrader takes the points: none if it passed, else an error."""
    if check.status == "passed":
        return []
    name = NAMES.get(check.status, check.status.capitalize())
    return [
        {
            "output_type": "error",
            "ename": name,
            "evalue": check.message,
            "traceback": f"{name}: {check.message}".split("\n"),
        }
    ]
