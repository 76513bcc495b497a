"""A fault in a unit is told in one line, before anybody is graded and before anything is released."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_class import Task, grade, unit_of
from test_intake import TENSORS

from nbproctor.authoring.release import released
from nbproctor.course.sound import leftover
from nbproctor.course.units import CourseError, load_gradable_unit, load_unit, raise_on_faults, unit_names
from nbproctor.paths import ROOT
from nbproctor.values.notebook import grade_id_of, source_of

NAME = load_unit(TENSORS).exercises[0].name
Cells = list[dict[str, Any]]
Change = Callable[[Cells], None]


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course of one unit."""
    for part in ("solutions", "course"):
        shutil.copytree(ROOT / part / TENSORS, tmp_path / part / TENSORS)
    return tmp_path


def changed(course: Path, change: Change) -> None:
    path = course / "solutions" / TENSORS / f"{TENSORS}.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    change(notebook["cells"])
    path.write_text(json.dumps(notebook), encoding="utf-8")


def of(cells: Cells, name: str) -> dict[str, Any]:
    return next(cell for cell in cells if grade_id_of(cell) == name)


def source(name: str, old: str, new: str) -> Change:
    """A change that replaces `old` by `new` in the cell `name`; where `old` is "", it adds `new` at the end."""

    def change(cells: Cells) -> None:
        cell = of(cells, name)
        text = source_of(cell)
        cell["source"] = text.replace(old, new) if old else text + new
        assert cell["source"] != text

    return change


def untagged(cells: Cells) -> None:
    for cell in cells:
        cell["metadata"].pop("tags", None)


def meta(name: str, **values: Any) -> Change:
    return lambda cells: of(cells, name)["metadata"]["nbgrader"].update(values)


def added(text: str, at: int = 3, kind: str = "code", tags: tuple[str, ...] = (), **nbgrader: Any) -> Change:
    given = {"schema_version": 3, "grade": False, "locked": False, "solution": False, "task": False, **nbgrader}
    metadata: dict[str, Any] = {"tags": list(tags), **({"nbgrader": given} if nbgrader else {})}
    code = {"outputs": [], "execution_count": None} if kind == "code" else {}
    cell = {"cell_type": kind, "id": "own-cell", "metadata": metadata, "source": text, **code}
    return lambda cells: cells.insert(at, cell)


PLAIN = "Setup cells, answers and checks are plain Python"
BY_HAND = "the cell essay is one that a person grades, and its points would never be given"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (added("import math\ndef f(:", tags=("setup",)),
         r"the cell own-cell \(cell 4 of the notebook\) cannot be read, line 2: invalid syntax: `def f\(:`. " + PLAIN),
        (added("%matplotlib inline", tags=("setup",)), "line 1: invalid syntax: `%matplotlib inline`. " + PLAIN),
        (source(f"check_{NAME}", "", "\nx = = 1"), rf"the cell check_{NAME} .*invalid syntax: `x = = 1`. " + PLAIN),
        (source(f"hidden_{NAME}", "### END", "return\n### END"), rf"hidden_{NAME} .*'return' outside function"),
        (source(NAME, "### END", "x = = 1\n    ### END"), rf"the cell {NAME} .*cannot be read, line 5"),
        (source(f"check_{NAME}", "", "\nhelper_of_another_cell(1)"),
         rf"the check check_{NAME} reads `helper_of_another_cell` in line \d+, and no student would pass"),
        (untagged, "expected a cell tagged `setup`, found none; tag it in JupyterLab's property inspector"),
        (meta(f"check_{NAME}", points="two"), rf"the check check_{NAME} has the points 'two'; expected a number"),
        (meta(f"check_{NAME}", points=None), rf"the check check_{NAME} has the points None; expected a number"),
        (meta(f"hidden_{NAME}", points=-1), rf"the check hidden_{NAME} has the points -1; expected a number, 0 or"),
        (added("assert 1", grade=True, locked=True, points=3, grade_id="extra"),
         "the check extra belongs to no exercise, .* check_NAME or hidden_NAME, where NAME is that of an answer"),
        (added("Why?", 3, "markdown", grade=True, solution=True, points=3, grade_id="essay"), BY_HAND),
        (added("Do it", 3, "markdown", task=True, locked=True, points=3, grade_id="essay"), BY_HAND),
        (added("1", grade=True, points=1, grade_id=f"check_{NAME}"), f"two cells have the grade id check_{NAME}"),
    ],
)  # fmt: skip
def test_a_fault_of_the_courses_own_is_told_with_its_cell(course: Path, change: Change, told: str) -> None:
    changed(course, change)
    for command in (load_gradable_unit, released):
        with pytest.raises(CourseError, match=rf"solutions/{TENSORS}: .*{told}.*; then run `make release`$"):
            command(TENSORS, course)


@pytest.mark.parametrize("marker", ["BEGIN", "END"])
def test_a_hidden_check_without_its_markers_is_not_released(course: Path, marker: str) -> None:
    changed(course, source(f"hidden_{NAME}", f"### {marker} HIDDEN TESTS", f"### {marker} HIDEN TESTS"))
    told = "all of hidden_.* would be released; expected a line `### BEGIN" if marker == "BEGIN" else "No end hidden"
    with pytest.raises(CourseError, match=f"solutions/{TENSORS}: .*{told}"):
        released(TENSORS, course)


@pytest.mark.parametrize("unit", unit_names())
def test_nothing_is_wrong_with_the_course(unit: str) -> None:
    raise_on_faults(unit, load_unit(unit).instructor["cells"])


@pytest.mark.parametrize(
    "text",
    [
        "for k in range(2):\n    def f(a, *b, c=1, **d):\n        y = [x for x in b if x]\n        return k, y",
        "import os.path as p, sys\nclass A:\n    y = 1\n    z = y\nprint(p, sys, A, __name__)",
        "def g():\n    global made\n    made = 1\ng()\nprint(made)",
        "match {'a': 1}:\n    case {'a': v, **rest}:\n        print(v, rest)",
        "from math import *\nprint(pi)",
    ],
)
def test_a_check_may_read_whatever_it_can_see(course: Path, text: str) -> None:
    changed(course, source(f"check_{NAME}", "", f"\n{text}\n"))
    assert load_gradable_unit(TENSORS, course).exercises[0].name == NAME


def test_a_fault_does_not_keep_notebooks_from_being_recognised(course: Path) -> None:
    """A unit with a fault still loads, so that submissions are collected and the report keeps earlier results."""
    changed(course, source(f"check_{NAME}", "", "\n    x = = 1"))
    assert load_unit(TENSORS, course).exercises[0].name == NAME


def test_a_setup_that_stops_is_told_as_what_it_is(tmp_path: Path) -> None:
    unit = unit_of("import nosuchmodule", right=Task("def right(x):\n    return x", "right(1)", "right(2)"))
    (result,) = grade(unit, tmp_path, ana=unit.notebook).values()
    assert result["status"] == "ungradable" and result["reason"] == (
        "the unit's own setup stopped (ModuleNotFoundError: No module named 'nosuchmodule'): fix what is tagged setup "
        "in solutions/small, or install here what it imports; grade it again, or by hand"
    )


def without(cells: Cells, name: str) -> Cells:
    """The cells without an exercise's answer and its two checks."""
    return [cell for cell in cells if (grade_id_of(cell) or "").removeprefix("check_").removeprefix("hidden_") != name]


def test_what_a_removed_exercise_leaves_behind_is_told_and_not_released(course: Path) -> None:
    for name in unit_names():
        assert leftover(load_unit(name).instructor["cells"]) == "", name
    cells = without(load_unit(TENSORS).instructor["cells"], NAME)
    told = f"the heading 'Exercise: `{NAME}` · 5 minutes' has no answer below it; delete it, or put its answer there"
    assert leftover(cells) == told
    cells = [cell for cell in cells if f"Exercise: `{NAME}`" not in source_of(cell)]
    assert f"reads `{NAME}`, which no cell of the notebook defines. Was it the answer of an exercise" in leftover(cells)
    magic = {"cell_type": "code", "id": "m", "metadata": {}, "source": f"%time {NAME} = max\n!ls\ndisplay(_)"}
    assert leftover([*cells, magic]) == ""
    changed(course, lambda cells: cells.__setitem__(slice(None), without(cells, NAME)))
    with pytest.raises(CourseError, match="has no answer below it"):
        released(TENSORS, course)
