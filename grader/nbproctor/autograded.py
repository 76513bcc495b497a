"""Write `autograded/STUDENT/UNIT/UNIT.ipynb`, which formgrader shows: the instructor's notebook with a student's code.

Text, order and metadata are the instructor's; of the student's there is only code and printed text, so nothing that
they wrote is ever rendered as HTML. The folder is the instructor's: check cells are whole, hidden tests included.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .course import Unit, grade_id_of, source_of

OWN_CELLS = 50  # of a student's added cells, at most so many are shown
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def write_autograded(
    result: Mapping[str, Any], submission: Mapping[str, Any] | None, course_unit: Unit, folder: Path
) -> Path:
    """Write the notebook of one result below folder (the one that holds `autograded/`) and return its path.

    submission: the notebook as handed in, for the cells that the student added and for answers without a verdict;
    None where it could not be read. Raises ValueError for a student whose id cannot be a folder's name.
    """
    answers = {exercise["name"]: exercise for exercise in result["exercises"]}
    checks = {check["grade_id"]: check for exercise in result["exercises"] for check in exercise["checks"]}
    found, own = _submitted(submission, course_unit, answers)
    released = {
        name: cell["metadata"]["nbgrader"] for cell in course_unit.notebook["cells"] if (name := grade_id_of(cell))
    }
    cells: list[Any] = []
    for cell in course_unit.instructor["cells"]:
        name = grade_id_of(cell)
        if cell["cell_type"] != "code":
            cells.append(cell)
        elif name and name in released and cell["metadata"]["nbgrader"].get("solution"):
            cells += own.get(name, [])
            answer = answers.get(name, {"source": found.get(name, ""), "printed": ""})
            metadata = {**cell["metadata"], "nbgrader": released[name]}  # with the stub's checksum
            cells.append(_code(cell["id"], answer["source"], metadata, _stream(answer["printed"])))
        else:
            outputs = _outcome(checks[name]) if name in checks else []
            cells.append(_code(cell["id"], source_of(cell), cell["metadata"], outputs))
    cells += own.get(None, [])
    notebook = {"cells": cells, "metadata": course_unit.instructor["metadata"], "nbformat": 4, "nbformat_minor": 5}
    path = (
        student_folder(Path(folder) / "autograded", result["student"], course_unit.name) / f"{course_unit.name}.ipynb"
    )
    write_whole(path, json.dumps(notebook, ensure_ascii=False))
    return path


def student_folder(folder: Path, student: str, unit: str) -> Path:
    """folder/STUDENT/UNIT, made where it is missing. Raises ValueError where STUDENT would lead elsewhere."""
    if (
        student in ("", ".", "..")
        or re.search(r"[/\\\x00-\x1f]", student)
        or len(student.encode(errors="replace")) > 255
    ):
        raise ValueError(f"{student[:40]!r}: not usable as a folder's name; `collect` gives such students another")
    path = folder / student / unit
    path.mkdir(parents=True, exist_ok=True)
    return path


def write_whole(path: Path, text: str) -> None:
    """Write UTF-8 text so that the file is there whole or not at all, whenever the run is stopped."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


def printable(text: str) -> str:
    """Text that any file and terminal can hold: control characters (but newline, tab) and lone surrogates as U+FFFD."""
    return _UNPRINTABLE.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))


def _code(cell_id: str, source: str, metadata: Mapping[str, Any], outputs: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": cell_id,
        "metadata": metadata,
        "outputs": outputs,
        "source": printable(source),
    }


def _stream(text: str) -> list[dict[str, Any]]:
    """Printed text; as stdout, whatever it was, since nbgrader would take stderr for a failure."""
    return [{"output_type": "stream", "name": "stdout", "text": printable(text)}] if text else []


def _outcome(check: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What nbgrader's rule for points reads from a check cell: nothing where it passed, else an error."""
    if check["status"] == "passed":
        return []
    name = {"failed": "AssertionError", "not implemented": "NotImplementedError", "timeout": "TimeoutError"}.get(
        check["status"], check["status"].capitalize()
    )
    message = printable(check["message"])
    return [{"output_type": "error", "ename": name, "evalue": message, "traceback": f"{name}: {message}".split("\n")}]


def _submitted(
    submission: Mapping[str, Any] | None, course_unit: Unit, answers: Mapping[str, Any]
) -> tuple[dict[str, str], dict[str | None, list[dict[str, Any]]]]:
    """Exercise -> what its cell held, and exercise -> the cells that the student added before it (None: at the end)."""
    found: dict[str, str] = {}
    own: dict[str | None, list[dict[str, Any]]] = {}
    exercises = {exercise.name for exercise in course_unit.exercises}
    ours = {source_of(cell).strip() for cell in (*course_unit.notebook["cells"], *course_unit.instructor["cells"])}
    by_source = {answer["source"].strip(): name for name, answer in answers.items()}
    waiting: list[dict[str, Any]] = []
    raw_cells = submission.get("cells", []) if submission else []
    for raw in raw_cells if isinstance(raw_cells, list) else []:
        if not isinstance(raw, dict) or raw.get("cell_type") != "code":
            continue
        source, name = _text(raw), _name(raw)
        name = name if name in exercises else by_source.get(source.strip())
        if name is not None:
            found[name] = source
            own.setdefault(name, []).extend(waiting)
            waiting = []
        elif source.strip() and source.strip() not in ours and _name(raw) is None:
            number = sum(map(len, own.values())) + len(waiting) + 1
            if number <= OWN_CELLS:
                waiting.append(_code(f"own-{number}", source, {"tags": ["student"]}, []))
    own.setdefault(None, []).extend(waiting)
    return found, own


def _text(cell: Mapping[str, Any]) -> str:
    source = cell.get("source", "")
    return source if isinstance(source, str) else "".join(line for line in source if isinstance(line, str))


def _name(cell: Mapping[str, Any]) -> str | None:
    metadata = cell.get("metadata")
    nbgrader = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    name = nbgrader.get("grade_id") if isinstance(nbgrader, dict) else None
    return name if isinstance(name, str) else None
