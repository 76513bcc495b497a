"""How the notebooks teach: the first screen, the use of answers, the form of a check, and numbers that are computed."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nbproctor.authoring.release import OPENING
from nbproctor.course.units import load_unit, unit_names
from nbproctor.paths import ROOT
from nbproctor.values.notebook import grade_id_of, source_of, tags_of

UNITS = unit_names()
COLUMNS = 100
PRINTED_COLUMNS = 95
OPEN_DRAWING_LINES = 6
CELLS_UNTIL_USED = 3
LINES_MOST = 30  # of a code cell
NEAR = 4  # cells: how far a number may stand from the live picture that shows it
per_unit = pytest.mark.parametrize("unit", UNITS)


def cells_of(unit: str) -> list[dict[str, Any]]:
    cells: list[dict[str, Any]] = load_unit(unit).instructor["cells"]
    return cells


def text_outputs(cell: dict[str, Any]) -> str:
    """The text in a cell's stored outputs."""
    found = []
    for output in cell.get("outputs", []):
        found.append("".join(output.get("text", [])))
        found.append("".join(output.get("data", {}).get("text/plain", [])))
    return "\n".join(found)


def html_outputs(cell: dict[str, Any]) -> str:
    return "\n".join("".join(output.get("data", {}).get("text/html", [])) for output in cell.get("outputs", []))


def is_drawn(cell: dict[str, Any]) -> bool:
    return any("image/png" in output.get("data", {}) for output in cell.get("outputs", []))


@per_unit
def test_the_first_screen_is_prose_and_a_picture(unit: str) -> None:
    first, second = cells_of(unit)[:2]
    assert first["cell_type"] == "markdown" and second["id"] == "setup"
    assert len(source_of(first).split()) >= 100
    alt = re.search(rf"!\[([^\]]+)\]\(attachment:{re.escape(OPENING)}\)", source_of(first))
    assert alt is not None and len(alt[1].split()) >= 8, "an opening picture with a text for who cannot see it"
    assert first["attachments"][OPENING]["image/png"], "run `make release`"


@per_unit
def test_the_minutes_of_the_exercises_add_up(unit: str) -> None:
    text = "\n".join(source_of(cell) for cell in cells_of(unit) if cell["cell_type"] == "markdown")
    told = re.search(r"\*About \d+ minutes of reading and (\d+) of exercises\.", text)
    assert told and int(told[1]) == sum(map(int, re.findall(r"### Exercise: `\w+` +· +(\d+) minutes", text)))


@per_unit
def test_code_and_what_it_prints_fit_on_the_page(unit: str) -> None:
    """No line of code has more than 100 columns, no printed line more than 95: nothing scrolls sideways."""
    wide = []
    for cell in cells_of(unit):
        if cell["cell_type"] == "code":
            lines = (line for line in source_of(cell).splitlines() if not line.lower().startswith("packed = "))
            wide += [(cell["id"], line) for line in lines if len(line) > COLUMNS]
            printed = "".join("".join(output.get("text", [])) for output in cell["outputs"])
            wide += [(cell["id"], line) for line in printed.splitlines() if len(line) > PRINTED_COLUMNS]
    assert wide == []


@per_unit
def test_cells_that_only_draw_are_folded(unit: str) -> None:
    open_cells = []
    for cell in cells_of(unit):
        lines = sum(bool(line.strip()) for line in source_of(cell).splitlines())
        if cell["cell_type"] == "code" and is_drawn(cell) and lines > OPEN_DRAWING_LINES and "demo" in tags_of(cell):
            folded = cell["metadata"].get("jupyter", {}).get("source_hidden") and cell["metadata"].get("cellView")
            if not folded or not source_of(cell).startswith("# @title "):
                open_cells.append(cell["id"])
    assert open_cells == []


@per_unit
def test_what_a_reader_builds_is_used_right_after(unit: str) -> None:
    cells = cells_of(unit)
    unused = []
    for exercise in load_unit(unit).exercises:
        end = next(i for i, cell in enumerate(cells) if grade_id_of(cell) == exercise.hidden.grade_id)
        near = [cell for cell in cells[end + 1 : end + 1 + CELLS_UNTIL_USED] if cell["cell_type"] == "code"]
        shown = [cell for cell in near if grade_id_of(cell) is None]
        if not any(re.search(rf"\b{exercise.name}\b", source_of(cell)) for cell in shown):
            unused.append(exercise.name)
    assert unused == []


@per_unit
def test_cells_that_use_an_answer_are_demos(unit: str) -> None:
    """Demos are needed by no check, and a release leaves out the output of a cell that reveals a prediction."""
    names = {exercise.name for exercise in load_unit(unit).exercises}
    odd = []
    for cell in cells_of(unit):
        if cell["cell_type"] != "code" or grade_id_of(cell):
            continue
        used = {node.id for node in ast.walk(ast.parse(source_of(cell))) if isinstance(node, ast.Name)} & names
        if used and "demo" not in tags_of(cell):
            odd.append((cell["id"], "demo", used))
        if any(name.startswith("predicted_") for name in used) and "reveal" not in tags_of(cell):
            odd.append((cell["id"], "reveal", used))
    assert odd == []


@per_unit
def test_a_check_is_one_line_and_a_hidden_one_a_function_of_its_answer(unit: str) -> None:
    """A visible check's cell names its exercise once, and says what to run first; a hidden one sees its answer alone.

    So a check needs no name of the notebook but its answer's, and leaves none behind.
    """
    for exercise in load_unit(unit).exercises:
        assert exercise.check.source == f'check.{exercise.name}()  # unknown? Run the first cell of code, "Setup"'
        (body,) = ast.parse(exercise.hidden.source).body
        assert isinstance(body, ast.FunctionDef), exercise.name
        assert [argument.arg for argument in body.args.args] == [exercise.name]
        assert [ast.unparse(one) for one in body.decorator_list] == [f"check.{exercise.name}.hidden"]


@per_unit
def test_a_visible_check_reads_as_stages(unit: str) -> None:
    text = (ROOT / "solutions" / unit / "checks.py").read_text(encoding="utf-8")
    found = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    checks = [node for node in found if node.name.startswith("check_")]
    assert {node.name for node in checks} == {exercise.check.grade_id for exercise in load_unit(unit).exercises}
    for node in checks:
        source = ast.get_source_segment(text, node) or ""
        assert re.search(r"^ +# ", source, re.M), f"{node.name}: stages have a comment"


def lines_of(source: str) -> int:
    return sum(bool(line.strip()) for line in source.splitlines())


@per_unit
def test_the_page_is_about_attention(unit: str) -> None:
    """GitHub folds nothing: what a reader sees there is text and code of few lines, and hardly any machinery."""
    code = [cell for cell in load_unit(unit).notebook["cells"] if cell["cell_type"] == "code"]
    long = {cell["id"]: lines_of(source_of(cell)) for cell in code if lines_of(source_of(cell)) > LINES_MOST}
    assert long == {}
    machinery = sum(
        lines_of(source_of(c)) for c in code if "setup" in tags_of(c) or c["metadata"].get("nbgrader", {}).get("grade")
    )
    assert machinery * 7 < sum(lines_of(source_of(cell)) for cell in code)


@per_unit
def test_a_unit_ends_with_how_to_hand_in_the_next_unit_and_where_you_stand(unit: str) -> None:
    *_, text, stand = cells_of(unit)
    assert text["cell_type"] == "markdown" and "hand" in source_of(text).lower() and "own name" in source_of(text)
    following = UNITS[UNITS.index(unit) + 1 :][:1]
    assert all(f"](../{name}/{name}.ipynb)" in source_of(text) for name in following)
    assert stand["id"] == "where-you-stand"
    all_pass = f"{len(load_unit(unit).exercises)} of {len(load_unit(unit).exercises)} checks pass.\n"
    assert text_outputs(stand).startswith(all_pass)


NUMBER = r"(?<![\w.,])[-−]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"


def value_of(text: str) -> float:
    return float(text.replace(",", "").replace("−", "-"))


def values_in(text: str) -> list[float]:
    found = re.findall(r"(?<![\w.])[-−]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?", text)
    return [value_of(number.rstrip(",")) for number in found]


def claims_in(text: str) -> Iterator[tuple[str, float, float]]:
    """The decimals and percentages of a text, which look measured, each as (written, value, rounding)."""
    text = re.sub(r"\]\([^)]*\)|```.*?```|\$\$.*?\$\$", " ", text, flags=re.S)
    for match in re.finditer(rf"({NUMBER})(\s?%)?", text):
        number, percent = match.groups()
        digits = len(number.partition(".")[2])
        if digits or percent:
            scale = 0.01 if percent else 1.0
            yield match.group().strip(), value_of(number) * scale, 0.5001 * 10.0**-digits * scale


@per_unit
def test_every_number_of_the_text_is_in_an_output_or_has_its_source(unit: str) -> None:
    """The weights of a live picture count only for the text near it, because among so many weights one always fits."""
    assert unsaid(cells_of(unit)) == []


@pytest.mark.parametrize("path", sorted(ROOT.glob("solutions/book/pages/*.ipynb")), ids=lambda path: path.stem)
def test_every_number_of_a_page_of_the_book_is_in_an_output_or_has_its_source(path: Path) -> None:
    assert unsaid(json.loads(path.read_text(encoding="utf-8"))["cells"]) == []


def unsaid(cells: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """The numbers of a notebook's text that no output has and that name no source: (cell, number)."""
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    code = [cell for cell in code if "setup" not in tags_of(cell)]  # what is packed there says nothing to a reader
    said = [value for cell in code for value in values_in(text_outputs(cell) + "\n" + source_of(cell))]
    lost = []
    for place, cell in enumerate(cells):
        if cell["cell_type"] != "markdown":
            continue
        near = cells[max(0, place - NEAR) : place + NEAR + 1]
        shown = said + [value for other in near for value in values_in(html_outputs(other))]
        named = cell["metadata"].get("numbers", {})
        for written, value, rounding in claims_in(source_of(cell)):
            sizes = (size for v in shown for size in (abs(v), abs(v) / 100))  # 49 may have been printed for 49 %
            if written not in named and not any(abs(abs(value) - size) <= rounding for size in sizes):
                lost.append((cell["id"], written))
    return lost
