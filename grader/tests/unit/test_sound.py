"""A fault in a unit is told in one line, before anybody is graded and before anything is released."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_intake import TENSORS

from nbproctor.authoring.release import released
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


def test_a_fault_does_not_keep_notebooks_from_being_recognised(course: Path) -> None:
    """A unit with a fault still loads, so that submissions are collected and the report keeps earlier results."""
    changed(course, source(f"check_{NAME}", "", "\n    x = = 1"))
    assert load_unit(TENSORS, course).exercises[0].name == NAME
