"""Finds faults that keep a unit's notebook from being graded as its author intends, and says in which cell.

It runs before the first student is graded and before a release. A cell of the course that is not valid Python would
stop the grader, and a check that reads a name which it cannot see would cost every student its points.
"""

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
    """Return the first fault in the instructor's cells and what to do; "" if none. checks: the text of `checks.py`."""
    return next(filter(None, _faults(cells, checks)), "")


def _faults(cells: Sequence[Cell], checks: str) -> Iterator[str]:
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
    yield _unseen(cells, graded, checks)


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


def _unseen(cells: Sequence[Cell], graded: Mapping[str, Cell], checks: str) -> str:
    """Return the fault of a check that reads a name which no setup cell and not its answer defines; "" if none."""
    setup = [source_of(cell) for cell in cells if "setup" in tags_of(cell)]
    if any("import *" in source for source in setup):
        return ""
    known = _KNOWN.union(*(compiled(source).co_names for source in setup), _global_names(checks)[0])
    for name, cell in graded.items():
        source = source_of(cell)
        if not _is_check(cell) or cell.get("cell_type") != "code" or "import *" in source:
            continue
        answer = defined_names(source_of(graded[name.partition("_")[2]]))
        if unseen := sorted(free_names(source) - known - {*answer}):
            at = next(n.lineno for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Name) and n.id == unseen[0])
            return (
                f"the check {name} reads `{unseen[0]}` in line {at}, and no student would pass: a check sees what "
                "setup cells and the answer of its own exercise define, and no other cell. Define it in the check"
            )
    return ""


def leftover(cells: Sequence[Cell]) -> str:
    """Return a remainder of an exercise that was taken out, which stops a release, as a sentence; "" if none."""
    return _headless(cells) or _orphaned(cells)


def _headless(cells: Sequence[Cell]) -> str:
    open_heading = ""
    for cell in [*cells, {"cell_type": "markdown", "source": "# Exercise"}]:
        headings = _EXERCISE.findall(source_of(cell)) if cell.get("cell_type") == "markdown" else []
        if headings and (open_heading or len(headings) > 1):
            name = line(open_heading or headings[0], 100)
            return f"the heading {name!r} has no answer below it; delete it, or put its answer there"
        open_heading = "" if _meta(cell).get("solution") else headings[0] if headings else open_heading
    return ""


def _orphaned(cells: Sequence[Cell]) -> str:
    code = [(number, cell) for number, cell in enumerate(cells, 1) if cell.get("cell_type") == "code"]
    try:
        used = {number: _global_names(without_magics(source_of(cell))) for number, cell in code}
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
