"""Finds faults that keep a unit's notebook from being graded as its author intends, and says in which cell.

It runs before the first student is graded and before a release: a cell of the course that is not valid Python would
stop the grader, and the points of a check that belongs to no exercise would never be given.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from types import CodeType
from typing import Any

from nbproctor.values.notebook import grade_id_of, id_of, source_of, tags_of
from nbproctor.values.text import line

Cell = Mapping[str, Any]
_PLAIN = "Setup cells, answers and checks are plain Python, in which no line begins with % or !: fix it"


def fault(cells: Sequence[Cell]) -> str:
    """Return the first fault in the instructor's cells and what to do; "" if none."""
    return next(filter(None, _faults(cells)), "")


def _faults(cells: Sequence[Cell]) -> Iterator[str]:
    if not any("setup" in tags_of(cell) for cell in cells):
        yield "expected a cell tagged `setup`, found none; tag it in JupyterLab's property inspector"
    for name, count in Counter(map(grade_id_of, cells)).items():
        if name and count > 1:
            yield f"two cells have the grade id {name}; give each its own, in nbgrader's Create Assignment"
    graded = {name: cell for cell in cells if (name := _graded_id(cell))}
    exercises = [name for name, cell in graded.items() if _meta(cell).get("solution")]
    own = {f"{kind}_{name}" for name in exercises for kind in ("check", "hidden")}
    for name, cell in graded.items():
        if _meta(cell).get("task") or (_meta(cell).get("solution") and _is_check(cell)):
            yield (
                f"the cell {name} is one that a person grades, and its points would never be given: this grader scores "
                "checks only. Make it an ordinary cell, and give points by hand on a check, in formgrader"
            )
        if _is_check(cell) and name not in own:
            yield (
                f"the check {name} belongs to no exercise, and its points would never be given: expected a grade id "
                "check_NAME or hidden_NAME, where NAME is that of an answer "
                f"({', '.join(exercises) or 'there is none'})"
            )
        yield no_points(cell) if _is_check(cell) else ""
    for number, cell in enumerate(cells, 1):
        is_ours = cell.get("cell_type") == "code" and ("setup" in tags_of(cell) or _graded_id(cell))
        if is_ours and (why := _trouble(source_of(cell))):
            yield f"{_name(cell, number)} cannot be read, {why}. {_PLAIN}"


def _meta(cell: Cell) -> Mapping[str, Any]:
    found: Mapping[str, Any] = cell.get("metadata", {}).get("nbgrader", {})
    return found


def _graded_id(cell: Cell) -> str:
    """The grade id of an answer, a check or a task; "" for other cells."""
    is_any = any(_meta(cell).get(kind) for kind in ("grade", "solution", "task"))
    return (grade_id_of(cell) or "") if is_any else ""


def _is_check(cell: Cell) -> bool:
    return bool(_meta(cell).get("grade"))


def no_points(check: Cell) -> str:
    """What is wrong with the points of a check; "" if they are a number, 0 or more."""
    points = _meta(check).get("points")
    try:
        if 0 <= float(points or 0) < math.inf and points is not None:
            return ""
    except (TypeError, ValueError):
        pass
    what = f"the check {_meta(check).get('grade_id')} has the points {points!r}"
    return f"{what}; expected a number, 0 or more: set it in nbgrader's Create Assignment"


def _name(cell: Cell, number: int) -> str:
    named = grade_id_of(cell) or id_of(cell)
    return f"the cell {named} (cell {number} of the notebook)" if named else f"cell {number} of the notebook"


@lru_cache(maxsize=512)  # the examiner runs the same cells; most setup cells are the same in every unit
def compiled(source: str) -> CodeType:
    """Compile a cell of the course. All get the same file name, since functions handed to students reveal it."""
    return compile(source, "<check>", "exec", dont_inherit=True)


def _trouble(source: str) -> str:
    """Where and why a source cannot be compiled; "" if it can."""
    try:
        compiled(source)
    except SyntaxError as error:
        written = f": `{line(error.text, 80)}`" if error.text else ""
        return f"line {error.lineno}: {line(error.msg, 100)}{written}"
    except (ValueError, RecursionError, MemoryError) as error:
        return line(f"{type(error).__name__}: {error}", 100)
    return ""
