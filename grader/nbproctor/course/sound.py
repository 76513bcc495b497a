"""Finds faults that keep a unit's notebook from being graded as its author intends, and says in which cell.

It runs before the first student is graded and before a release. A cell of the course that is not valid Python would
stop the grader, and a check that reads a name which it cannot see would cost every student its points.
"""

from __future__ import annotations

import ast
import builtins
import math
import re
import symtable
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from types import CodeType
from typing import Any

from nbproctor.values.notebook import defined_names, grade_id_of, id_of, source_of, tags_of
from nbproctor.values.text import line

Cell = Mapping[str, Any]
_KNOWN = frozenset({*dir(builtins), "__name__", "__builtins__"})
_OF_NOTEBOOKS = frozenset({"display", "get_ipython", "In", "Out", "_", "exit", "quit"})
_EXERCISE = re.compile(r"^#{1,6} +(Exercise\b.*?)\s*$", re.M)
_TIMED = re.compile(r"^\s*%time(it)?\s(?=\s*\w)")
_PLAIN = "Setup cells, answers and checks are plain Python, in which no line begins with % or !: fix it"


def fault(cells: Sequence[Cell], checks: str = "") -> str:
    """Return the first fault in the instructor's cells and what to do about it, as a sentence; "" if there is none.

    checks: the text of the unit's `checks.py`, whose names a hidden check sees.
    """
    graded = {name: cell for cell in cells if (name := _graded_id(cell))}
    pointless = next((text for cell in graded.values() if _is_check(cell) and (text := no_points(cell))), "")
    for found in (_no_setup(cells), _twice(cells), _for_hands(graded), _astray(graded), pointless, _no_python(cells)):
        if found:
            return found
    return _unseen(cells, graded, checks)


def _meta(cell: Cell) -> Mapping[str, Any]:
    found: Mapping[str, Any] = cell.get("metadata", {}).get("nbgrader", {})
    return found


def _graded_id(cell: Cell) -> str:
    """The grade id of an answer, a check or a task; "" for other cells."""
    is_any = any(_meta(cell).get(kind) for kind in ("grade", "solution", "task"))
    return (grade_id_of(dict(cell)) or "") if is_any else ""


def _is_check(cell: Cell) -> bool:
    return bool(_meta(cell).get("grade"))


def _no_setup(cells: Sequence[Cell]) -> str:
    if any("setup" in tags_of(dict(cell)) for cell in cells):
        return ""
    return "expected a cell tagged `setup`, found none; tag it in JupyterLab's property inspector"


def _twice(cells: Sequence[Cell]) -> str:
    often = Counter(name for cell in cells if (name := grade_id_of(dict(cell))))
    twice = next((name for name, count in often.items() if count > 1), "")
    return twice and f"two cells have the grade id {twice}; give each its own, in nbgrader's Create Assignment"


def _for_hands(graded: Mapping[str, Cell]) -> str:
    for name, cell in graded.items():
        if _meta(cell).get("task") or (_meta(cell).get("solution") and _is_check(cell)):
            return (
                f"the cell {name} is one that a person grades, and its points would never be given: this grader scores "
                "checks only. Make it an ordinary cell, and give points by hand on a check, in formgrader"
            )
    return ""


def _astray(graded: Mapping[str, Cell]) -> str:
    exercises = [name for name, cell in graded.items() if _meta(cell).get("solution")]
    own = {f"{kind}_{name}" for name in exercises for kind in ("check", "hidden")}
    astray = next((name for name, cell in graded.items() if _is_check(cell) and name not in own), "")
    return astray and (
        f"the check {astray} belongs to no exercise, and its points would never be given: expected a grade id "
        f"check_NAME or hidden_NAME, where NAME is that of an answer ({', '.join(exercises) or 'there is none'})"
    )


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


def _no_python(cells: Sequence[Cell]) -> str:
    for number, cell in enumerate(cells, 1):
        is_ours = cell.get("cell_type") == "code" and ("setup" in tags_of(dict(cell)) or _graded_id(cell))
        if is_ours and (why := _trouble(source_of(dict(cell)))):
            return f"{_name(cell, number)} cannot be read, {why}. {_PLAIN}"
    return ""


def _name(cell: Cell, number: int) -> str:
    named = grade_id_of(dict(cell)) or id_of(dict(cell))
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


def _unseen(cells: Sequence[Cell], graded: Mapping[str, Cell], checks: str) -> str:
    """Return the fault of a check that reads a name which no setup cell and not its answer defines; "" if none."""
    setup = [source_of(dict(cell)) for cell in cells if "setup" in tags_of(dict(cell))]
    if any("import *" in source for source in setup):
        return ""
    known = _KNOWN.union(*(compiled(source).co_names for source in setup), _global_names(checks)[0])
    for name, cell in graded.items():
        source = source_of(dict(cell))
        if not _is_check(cell) or cell.get("cell_type") != "code" or "import *" in source:
            continue
        answer = defined_names(source_of(dict(graded[name.partition("_")[2]])))
        if unseen := sorted(free_names(source) - known - {*answer}):
            at = next(n.lineno for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Name) and n.id == unseen[0])
            return (
                f"the check {name} reads `{unseen[0]}` in line {at}, and no student would pass: a check sees what "
                "setup cells and the answer of its own exercise define, and no other cell. Define it in the check"
            )
    return ""


def leftover(cells: Sequence[Cell]) -> str:
    """Return a remainder of an exercise that was taken out, as a sentence; "" if there is none.

    That is a heading without an answer, or a cell that still uses the answer and would stop with a NameError for
    everybody. It stops a release, but not grading.
    """
    return _headless(cells) or _orphaned(cells)


def _headless(cells: Sequence[Cell]) -> str:
    open_heading = ""
    for cell in [*cells, {"cell_type": "markdown", "source": "# Exercise"}]:
        headings = _EXERCISE.findall(source_of(dict(cell))) if cell.get("cell_type") == "markdown" else []
        if headings and (open_heading or len(headings) > 1):
            name = line(open_heading or headings[0], 100)
            return f"the heading {name!r} has no answer below it; delete it, or put its answer there"
        open_heading = "" if _meta(cell).get("solution") else headings[0] if headings else open_heading
    return ""


def _orphaned(cells: Sequence[Cell]) -> str:
    code = [(number, cell) for number, cell in enumerate(cells, 1) if cell.get("cell_type") == "code"]
    try:
        used = {number: _global_names(without_magics(source_of(dict(cell)))) for number, cell in code}
    except (SyntaxError, ValueError, RecursionError):  # such a cell may define any name
        return ""
    known = (_KNOWN | _OF_NOTEBOOKS).union(*(bound for bound, _ in used.values()))
    for number, cell in code:
        unknown = sorted(used[number][1] - known)
        if unknown and not _is_check(cell):
            return (
                f"{_name(cell, number)} reads `{unknown[0]}`, which no cell of the notebook defines. Was it the answer "
                "of an exercise that was taken out? Let the cell use PyTorch's own function, or delete it"
            )
    return ""


def without_magics(source: str) -> str:
    """The Python of a cell: without magics, except for the statement behind one that times it."""
    rows = (_TIMED.sub("", row) for row in source.splitlines())
    return "\n".join("" if row.lstrip().startswith(("%", "!")) else row for row in rows)


def free_names(source: str) -> frozenset[str]:
    """The global names that a source reads and does not bind itself."""
    bound, read = _global_names(source)
    return read - bound


def _global_names(source: str) -> tuple[frozenset[str], frozenset[str]]:
    """The global names that a source binds, and those that it reads."""
    top = symtable.symtable(source, "<cell>", "exec")
    bound, read = set[str](), set[str]()
    for table in _tables(top):
        for one in table.get_symbols():
            if table is top or one.is_global():
                if one.is_assigned() or one.is_imported() or one.is_namespace():
                    bound.add(one.get_name())
                if one.is_referenced():
                    read.add(one.get_name())
    return frozenset(bound), frozenset(read)


def _tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for inner in table.get_children():
        yield from _tables(inner)
