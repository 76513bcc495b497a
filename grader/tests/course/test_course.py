"""The form that all notebooks of the course share."""

import ast
import re
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from checks_of import forbidden
from torch import nn
from torch.nn.attention import flex_attention

from nbproctor.course.units import load_unit, unit_names
from nbproctor.exam.examiner import defined_names
from nbproctor.values.notebook import grade_id_of, source_of, tags_of

UNITS = unit_names()
LEFTOVERS = re.compile(
    r"\bseeds? 0\d\d\b|\bsyllabus\b|\bTODO\b|\bFIXME\b|\bXXX\b|/(?:root|home|work|tmp|Users)/|\bagents?\b", re.I
)
METADATA = {"nbgrader", "tags", "alt", "lines_to_next_cell", "jupyter", "cellView", "numbers", "deletable"}
per_unit = pytest.mark.parametrize("unit", UNITS)


def cells_of(unit: str) -> list[dict[str, Any]]:
    cells: list[dict[str, Any]] = load_unit(unit).instructor["cells"]
    return cells


def code_of(unit: str) -> list[dict[str, Any]]:
    return [cell for cell in cells_of(unit) if cell["cell_type"] == "code"]


def outputs_of(unit: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    return ((cell, output) for cell in code_of(unit) for output in cell["outputs"])


def strings_in(value: Any) -> Iterator[str]:
    """Every text in a notebook, with its keys and metadata; pictures are not text."""
    if isinstance(value, str):
        yield re.sub(r"^packed = .*$", "", value, flags=re.M | re.I)  # what is packed is no text
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            if key != "image/png":
                yield from strings_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings_in(inner)


@per_unit
def test_every_exercise_is_three_cells_in_order_with_points_1_and_2(unit: str) -> None:
    cells = cells_of(unit)
    found = [(position, name) for position, cell in enumerate(cells) if (name := grade_id_of(cell))]
    triples = [found[i : i + 3] for i in range(0, len(found), 3)]
    for (place, name), *checks in triples:
        assert [(p - place, n) for p, n in checks] == [(1, f"check_{name}"), (2, f"hidden_{name}")], name
        assert name in defined_names(source_of(cells[place]))
        for offset, points in enumerate([None, 1, 2]):
            meta = cells[place + offset]["metadata"]["nbgrader"]
            graded = points is not None
            assert (meta["grade"], meta["locked"], meta["solution"]) == (graded, graded, not graded), name
            assert meta.get("points") == points, name
        hidden = source_of(cells[place + 2]).strip().splitlines()
        assert hidden[0].startswith("# ") and hidden[1] == "### BEGIN HIDDEN TESTS", name
        assert hidden[-1] == "### END HIDDEN TESTS", name
        assert "HIDDEN TESTS" not in source_of(cells[place + 1])
        assert "### BEGIN SOLUTION" in source_of(cells[place])


@per_unit
def test_ids_are_unique_and_those_of_graded_cells_come_from_their_grade_id(unit: str) -> None:
    cells = cells_of(unit)
    assert len({cell["id"] for cell in cells}) == len(cells)
    for cell in cells:
        grade_id = grade_id_of(cell)
        assert grade_id is None or cell["id"] == grade_id.replace("_", "-")


@per_unit
def test_every_figure_has_a_text_for_a_reader_who_cannot_see_it(unit: str) -> None:
    drawing = [cell for cell, output in outputs_of(unit) if "image/png" in output.get("data", {})]
    assert drawing, "a unit without a figure"
    short = [cell["id"] for cell in drawing if len(cell["metadata"].get("alt", "").split()) < 8]
    assert short == []
    silent = [cell["id"] for cell in code_of(unit) if "alt" in cell["metadata"] and cell not in drawing]
    assert silent == [], "an alt text without a figure"


@per_unit
def test_what_is_stored_was_run_from_top_to_bottom_without_an_error_or_a_warning(unit: str) -> None:
    """Execution counts go 1, 2, 3 …, so the outputs belong to these sources in this order."""
    counts = [cell["execution_count"] for cell in code_of(unit)]
    assert counts == list(range(1, len(counts) + 1))
    for cell, output in outputs_of(unit):
        assert output["output_type"] != "error" and output.get("name") != "stderr", cell["id"]
        assert set(output.get("data", {})) <= {"text/plain", "image/png", "text/html"}, cell["id"]


@per_unit
def test_metadata_hold_no_timings_and_no_traces_of_a_tool(unit: str) -> None:
    notebook = load_unit(unit).instructor
    assert set(notebook["metadata"]) <= {"kernelspec", "language_info"}
    for cell in notebook["cells"]:
        assert set(cell["metadata"]) <= METADATA, cell["id"]
        assert cell["metadata"].get("jupyter", {"source_hidden": True}) == {"source_hidden": True}, cell["id"]
        assert cell["metadata"].get("cellView", "form") == "form", cell["id"]  # Colab's word for the same
        unknown = set(tags_of(cell)) - {"setup", "demo", "reveal", "opening", "training", "nbval-ignore-output"}
        unknown -= {"own-part", "real-model"}
        assert unknown == set(), f"{cell['id']}: as a tag, nbval's marker has small letters and hyphens"


@per_unit
def test_the_functions_that_an_exercise_forbids_exist(unit: str) -> None:
    """A name that torch does not have would forbid nothing; `getitem:ARG` names an argument of the exercise."""
    homes = (torch, torch.Tensor, nn, nn.functional, flex_attention, torch.special)
    homes += (torch.autograd, torch.autograd.functional, torch.func)
    for exercise in load_unit(unit).exercises:
        arguments = {node.arg for node in ast.walk(ast.parse(exercise.solution)) if isinstance(node, ast.arg)}
        for name in forbidden(unit).get(exercise.name, ()):
            if name.startswith(("argument:", "holds:")):
                continue  # an argument that a function of PyTorch's has, or a number of bytes
            if name.startswith("getitem:"):
                assert name.removeprefix("getitem:") in arguments, exercise.name
            else:
                spelled = (name, f"_{name}")  # the watch leaves underscores away
                assert any(hasattr(home, one) for home in homes for one in spelled), f"{exercise.name}: {name}"


@per_unit
def test_the_text_speaks_of_the_course_only(unit: str) -> None:
    found = [
        (match.group(), text[max(0, match.start() - 40) : match.end() + 40])
        for text in strings_in(load_unit(unit).instructor)
        for match in LEFTOVERS.finditer(text)
    ]
    assert found == []


@per_unit
def test_every_exercise_has_a_hint_and_help_by_symptom(unit: str) -> None:
    lacking = []
    text = ""
    for cell in cells_of(unit):
        name = grade_id_of(cell)
        if cell["cell_type"] == "markdown":
            text += source_of(cell) + "\n"
        elif name and cell["metadata"]["nbgrader"]["solution"]:
            own = text[max(0, text.rfind("\n### Exercise:")) :]
            assert re.search(rf"### Exercise: `{name}` +· +\d+ minutes", own), name
            for fold in ("<details><summary>Hint</summary>", "<details><summary>If you see "):
                if fold not in own:
                    lacking.append(f"{name}: {fold}")
            assert own.count("<details>") == own.count("</details>"), name
            text = ""
    assert lacking == []


@per_unit
def test_nothing_is_loaded_from_the_net(unit: str) -> None:
    text = "\n".join(source_of(cell) for cell in cells_of(unit))
    assert re.search(r"!\[[^]]*\]\(http|<img|urlopen|urllib|requests\.|!pip|%pip|!wget", text) is None
