"""`course/` is what `make release` makes of `solutions/`, and holds nothing that a student should not see."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import forked
import nbformat
import pytest
from nbconvert import HTMLExporter
from nbgrader.apps.nbgraderapp import main as nbgrader
from weekly import weekly_but

from nbproctor.authoring import one_file
from nbproctor.authoring.readme import book_page
from nbproctor.authoring.release import released, repository, synced
from nbproctor.classroom.assignment import make_database
from nbproctor.course.units import load_unit, unit_names
from nbproctor.paths import ROOT
from nbproctor.values.notebook import grade_id_of, source_of, tags_of

UNITS = unit_names()
TELLING = 16  # shorter lines, such as `return out`, say nothing
per_unit = pytest.mark.parametrize("unit", UNITS)


def course_text(unit: str) -> str:
    return (ROOT / "course" / unit / f"{unit}.ipynb").read_text(encoding="utf-8")


def secret_and_open(unit: str) -> tuple[set[str], str]:
    """The instructor's notebook in two: the set of its lines between the markers, and all the rest of its text."""
    secret: set[str] = set()
    shown: list[str] = []
    for cell in load_unit(unit).instructor["cells"]:
        inside = False
        for line in map(str.strip, source_of(cell).splitlines()):
            if line.startswith("### "):
                inside = line.startswith("### BEGIN") or (inside and not line.startswith("### END"))
            elif inside and len(line) >= TELLING:
                secret.add(line)
            elif not inside:
                shown.append(line)
    return secret, "\n".join(shown)


def strings_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from strings_in(inner)


@per_unit
def test_the_course_is_byte_for_byte_what_the_solutions_make(unit: str) -> None:
    assert course_text(unit) == released(unit), "run `make release`"


def test_the_course_holds_one_notebook_for_each_unit_and_nothing_else() -> None:
    found = {str(path.relative_to(ROOT / "course")) for path in (ROOT / "course").rglob("*") if path.is_file()}
    found = {path for path in found if ".ipynb_checkpoints" not in path}
    beside = {f"12_bring_your_own/examine.{kind}" for kind in ("py", "ipynb")}
    assert found == {f"{unit}/{unit}.ipynb" for unit in UNITS} | beside


def test_what_examines_a_layer_without_the_unit_is_released_too() -> None:
    folder = ROOT / "course" / "12_bring_your_own"
    page = book_page(repository(), "examinations")
    assert (folder / "examine.py").read_text(encoding="utf-8") == one_file.joined(), "run `make release`"
    text = (folder / "examine.ipynb").read_text(encoding="utf-8")
    assert text == one_file.notebook(repository(), page), "run `make release`"
    cells = json.loads(text)["cells"]
    assert [cell["cell_type"] for cell in cells] == ["markdown", "code", "code", "code", "markdown"]
    program = "\n\n".join(source_of(cell) for cell in cells if cell["cell_type"] == "code")
    program = program.replace("examine(yours)", "print(examine(yours))")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)  # noqa: S603 ours
    assert "divided by √d_model" in done.stdout, done.stderr


@per_unit
def test_no_line_of_a_solution_or_a_hidden_test_is_in_the_students_notebook(unit: str) -> None:
    """A line that the notebook's own text teaches is no secret."""
    secret, shown = secret_and_open(unit)
    assert len(secret) >= 2 * len(load_unit(unit).exercises)
    text = "\n".join(strings_in(json.loads(course_text(unit))))
    assert [line for line in secret if line in text and line not in shown] == []


def arguments_of(source: str) -> dict[str, list[str]]:
    """Name -> the names of its arguments, for each function at the top level of a cell; a class has none."""
    found = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = [argument.arg for argument in node.args.args]
        elif isinstance(node, ast.ClassDef):
            found[node.name] = []
    return found


def test_a_later_unit_shows_an_answer_only_where_the_reader_may_paste_their_own() -> None:
    """A function or class of an earlier exercise stands in a cell tagged `own-part`. No earlier unit has it.
    A function of the same name with other arguments is another function: many a demonstration
       has its own `train`.
    """
    exercises = {exercise.name: (unit, exercise) for unit in UNITS for exercise in load_unit(unit).exercises}
    found = []
    for unit in UNITS:
        for cell in load_unit(unit).instructor["cells"]:
            if cell["cell_type"] != "code" or grade_id_of(cell) is not None or "setup" in tags_of(cell):
                continue
            for name, arguments in arguments_of(source_of(cell)).items():
                home, exercise = exercises.get(name, (unit, None))
                if exercise is None or home == unit or arguments_of(exercise.solution)[name] != arguments:
                    continue
                if "own-part" not in tags_of(cell) or home > unit:
                    found.append((unit, name))
    assert found == []


@per_unit
def test_the_instructors_notebook_is_what_release_would_write(unit: str) -> None:
    text = (ROOT / "solutions" / unit / f"{unit}.ipynb").read_text(encoding="utf-8")
    assert text == synced(unit), "run `make release`"


@per_unit
def test_a_released_notebook_keeps_the_pictures_that_give_no_answer_away(unit: str) -> None:
    """Printed output, and pictures that reveal a prediction, are left out."""
    kept = 0
    for cell in json.loads(course_text(unit))["cells"]:
        if cell["cell_type"] != "code":
            continue
        assert cell["execution_count"] is None
        for output in cell["outputs"]:
            assert "demo" in tags_of(cell) and "reveal" not in tags_of(cell), cell["id"]
            assert {"image/png", "text/html"} & set(output["data"]), cell["id"]
            kept += 1
    assert kept > 0


@pytest.mark.parametrize("unit", weekly_but(UNITS, "03_self_attention"))
def test_a_picture_of_an_exported_page_has_its_text(unit: str) -> None:
    page, _ = HTMLExporter(template_name="lab").from_notebook_node(nbformat.reads(course_text(unit), as_version=4))
    images = re.findall(r"<img[^>]*>", page)
    assert len(images) > 1
    silent = [image for image in images if not re.search(r"""alt=("[^"]{20,}"|'[^']{20,}')""", image)]
    assert [image[:80] for image in silent if "badge" not in image] == []


@per_unit
def test_the_badges_stand_first_and_open_this_notebook_of_the_named_repository(unit: str) -> None:
    """The line below them leads to the unit's page in that repository's book."""
    first = json.loads(course_text(unit))["cells"][0]
    path, (owner, name) = f"course/{unit}/{unit}.ipynb", repository().split("/")
    assert (ROOT / path).is_file()
    assert first["cell_type"] == "markdown"
    assert source_of(first) == (
        "[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]"
        f"(https://colab.research.google.com/github/{repository()}/blob/main/{path}) "
        "[![Open in Binder](https://mybinder.org/badge_logo.svg)]"
        f"(https://mybinder.org/v2/gh/{repository()}/main?urlpath=lab/tree/{path})\n\n"
        "To read this unit on a phone, or without running anything: [its page in the book]"
        f"(https://{owner}.github.io/{name}/{unit}.html)."
    )


def test_nbgraders_own_command_makes_the_same_notebook(tmp_path: Path) -> None:
    """`nbgrader generate_assignment` in a copy of the tree gives every cell as `make release` does, checksums too."""
    unit = "03_self_attention"
    (tmp_path / "grader").mkdir()
    shutil.copy(ROOT / "grader" / "nbgrader_config.py", tmp_path / "grader")
    for folder in (unit, "checking"):
        shutil.copytree(ROOT / "solutions" / folder, tmp_path / "solutions" / folder)
    (tmp_path / "classroom").mkdir()
    make_database(f"sqlite:///{tmp_path}/classroom/gradebook.db")  # nbgrader itself would start `alembic`
    done = forked.call(nbgrader, ["nbgrader", "generate_assignment", unit], tmp_path / "grader", os.environ)
    assert done.returncode == 0, done.stderr
    theirs = nbformat.read(tmp_path / "course" / unit / f"{unit}.ipynb", as_version=4)
    ours = nbformat.reads(released(unit), as_version=4)
    assert len(theirs.cells) == len(ours.cells)
    for mine, stock in zip(ours.cells, theirs.cells, strict=True):
        assert stock == mine
