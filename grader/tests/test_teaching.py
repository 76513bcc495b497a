"""How the notebooks teach: the first screen, the use of answers, the form of a check, and numbers that are computed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

import pytest

from nbproctor.course import ROOT, load_unit, unit_names
from nbproctor.notebook import grade_id_of, source_of, tags_of
from nbproctor.release import LAYER_WORDS, OPENING, SHARED

UNITS = unit_names()
COLUMNS = 100
PRINTED_COLUMNS = 95
SETUP_LINES = 12
OPEN_DRAWING_LINES = 6
CELLS_UNTIL_USED = 3
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
def test_shared_cells_are_those_of_the_shared_files(unit: str) -> None:
    """The setup and the words of the checks are the same in every unit, so that a reader learns them only once."""
    found = {cell["id"]: source_of(cell) for cell in cells_of(unit) if cell["id"] in SHARED}
    assert {"setup", "check-words", "where-you-stand"} <= set(found)
    names = "".join(f'\n    "{exercise.name}",' for exercise in load_unit(unit).exercises)
    for cell_id, source in found.items():
        text = (ROOT / "solutions" / "shared" / SHARED[cell_id]).read_text(encoding="utf-8")
        text = text.replace('"EXERCISES"', names + "\n").rstrip("\n")
        if cell_id == "check-words":
            source = source[: len(text)]  # the next test is about what may follow
        assert source == text, f"{cell_id}: run `make release`"
    tagged = [cell["id"] for cell in cells_of(unit) if "setup" in tags_of(cell)]
    assert tagged == ["setup", "check-words"]


@per_unit
def test_a_notebook_has_the_words_about_layers_that_its_checks_use(unit: str) -> None:
    """A notebook has exactly the words about layers that its checks use, as they stand in the shared file.

    So readers need not scroll past words that no check uses.
    """
    shared = ROOT / "solutions" / "shared"
    cells = cells_of(unit)
    basic = (shared / SHARED["check-words"]).read_text(encoding="utf-8").rstrip("\n")
    more = next(source_of(cell) for cell in cells if cell["id"] == "check-words").removeprefix(basic)
    checks = "\n".join(source_of(cell) for cell in cells if "# @title Check:" in source_of(cell))
    there = {node.name for node in ast.walk(ast.parse(more)) if isinstance(node, ast.FunctionDef)}
    known = set(re.findall(r"^    def (\w+)", basic, re.M)) | {"__class__"}
    for name in re.findall(r"\bcheck\.(\w+)", checks) + re.findall(r"\bself\.(\w+)", more):
        assert name in known | there, f"{name} is used, and is not in the notebook; run `make release`"
    for name in re.findall(r"^    def (\w+)", more, re.M):
        assert re.search(rf"\b(check|self)\.{name}\b", checks + more), f"nothing in this notebook uses {name}"
    written = iter((shared / LAYER_WORDS).read_text(encoding="utf-8").splitlines())
    assert all(line in written for line in more.strip("\n").splitlines()), "lines of the shared file, in its order"


def test_the_setup_is_short() -> None:
    """The setup is short, as it is the first code that a reader sees on GitHub, where nothing can be folded."""
    lines = (ROOT / "solutions" / "shared" / SHARED["setup"]).read_text(encoding="utf-8").splitlines()
    assert sum(bool(line.strip()) for line in lines) <= SETUP_LINES


@per_unit
def test_the_first_screen_is_prose_and_a_picture(unit: str) -> None:
    """A notebook opens with what it is about, in prose and a picture with an alt text, and the setup comes next.

    The words of the checks stand right before the first exercise.
    """
    first, second = cells_of(unit)[:2]
    assert first["cell_type"] == "markdown" and second["id"] == "setup"
    assert len(source_of(first).split()) >= 100
    alt = re.search(rf"!\[([^\]]+)\]\(attachment:{re.escape(OPENING)}\)", source_of(first))
    assert alt is not None and len(alt[1].split()) >= 8, "an opening picture with a text for who cannot see it"
    assert first["attachments"][OPENING]["image/png"], "run `make release`"
    ids = [cell["id"] for cell in cells_of(unit)]
    heading = next(i for i, cell in enumerate(cells_of(unit)) if "### Exercise:" in source_of(cell))
    assert ids.index("check-words") == heading - 1


@per_unit
def test_code_and_what_it_prints_fit_on_the_page(unit: str) -> None:
    """No line of code has more than 100 columns, no printed line more than 95: nothing scrolls sideways."""
    wide = []
    for cell in cells_of(unit):
        if cell["cell_type"] == "code":
            lines = (line for line in source_of(cell).splitlines() if not line.startswith("PACKED = "))  # a packed book
            wide += [(cell["id"], line) for line in lines if len(line) > COLUMNS]
            printed = "".join("".join(output.get("text", [])) for output in cell["outputs"])
            wide += [(cell["id"], line) for line in printed.splitlines() if len(line) > PRINTED_COLUMNS]
    assert wide == []


@per_unit
def test_cells_that_only_draw_are_folded(unit: str) -> None:
    """A demo that draws in more than a few lines shows only its title, as plotting is no part of the lesson."""
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
    """Soon after an exercise's checks, a cell uses the reader's answer, so that what they built is seen at work."""
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
    """A cell that uses an answer is tagged `demo`, and one that shows a predicted value `reveal`.

    Demos are needed by no check, and a release leaves out the output of a cell that reveals a prediction.
    """
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
def test_a_check_is_one_block_that_gives_its_names_back(unit: str) -> None:
    """A check is one block, `with check:`, which restores every name and the random state.

    So a check changes nothing for the cells below it.
    """
    for exercise in load_unit(unit).exercises:
        for check in (exercise.check, exercise.hidden):
            body = ast.parse(check.source).body
            assert len(body) == 1 and isinstance(body[0], ast.With), check.grade_id
            assert ast.unparse(body[0].items[0]) == "check", check.grade_id
        first, *_ = exercise.check.source.splitlines()
        assert first == f"# @title Check: {exercise.name}"
        assert len(re.findall(r"^ +# ", exercise.check.source, re.M)) >= 1, f"{exercise.name}: stages have a comment"


@per_unit
def test_a_check_that_runs_too_early_says_what_to_run_first(unit: str) -> None:
    """The line at which a check stops where the setup has not run says which cells to run first.

    Python shows that line with its own error, since no code of the course has run yet.
    """
    for exercise in load_unit(unit).exercises:
        (line,) = [line for line in exercise.check.source.splitlines() if line.startswith("with check:")]
        assert "Setup" in line and "The words of the checks" in line, exercise.name


@per_unit
def test_a_unit_ends_with_how_to_hand_in_the_next_unit_and_where_you_stand(unit: str) -> None:
    """A unit's last text says how to hand in and links to the next unit; its last cell counts the checks that pass."""
    *_, text, stand = cells_of(unit)
    assert text["cell_type"] == "markdown" and "hand" in source_of(text).lower() and "own name" in source_of(text)
    following = UNITS[UNITS.index(unit) + 1 :][:1]
    assert all(f"](../{name}/{name}.ipynb)" in source_of(text) for name in following)
    assert stand["id"] == "where-you-stand" and stand["metadata"]["jupyter"]["source_hidden"]
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
    """Each decimal or percentage in the text is what some cell prints or contains, rounded, or it names its source.

    The weights of a live picture count only for the text near it, because among so many weights one always fits.
    """
    cells = cells_of(unit)
    code = [cell for cell in cells if cell["cell_type"] == "code"]
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
    assert lost == []


def test_a_wrong_number_in_a_text_is_found() -> None:
    """The comparison above can fail: 0.19 where 0.23 was printed, and 40 % where it was 49 %."""
    said = values_in("loss 0.2291, share 0.487, 7,087,872 numbers")

    def lost(text: str) -> list[str]:
        return [w for w, value, rounding in claims_in(text) if not any(abs(value - v) <= rounding for v in said)]

    assert lost("The loss is 0.23, the share 49 %, or 48.7 %.") == []
    assert lost("The loss is 0.19, the share 40 %.") == ["0.19", "40 %"]


def test_unit_09_takes_the_readers_block_of_unit_07(capsys: pytest.CaptureFixture[str]) -> None:
    """Unit 09 uses the reader's block of unit 07, pre-norm, where it is pasted above, and otherwise PyTorch's.

    The output says which of them it is.
    """
    block, encoders = cells_of("07_transformer_block"), cells_of("09_encoders_and_translation")
    reader = [cell for cell in block if re.search("^class (Attention|TransformerBlock)", source_of(cell), re.M)]
    assert len(reader) == 2
    setup = next(cell for cell in encoders if cell["id"] == "setup")
    last = next(cell for cell in encoders if cell["id"] == "own-block")
    for pasted, told, kind in (
        (reader, "your own blocks", "TransformerBlock"),
        ([], "PyTorch's blocks", "Transformer"),
    ):
        names: dict[str, Any] = {}
        for cell in (setup, *pasted, last):
            exec(source_of(cell), names)  # noqa: S102 the course's own
        assert told in capsys.readouterr().out
        made = names["one_block"](32, 4)
        assert type(made).__name__.startswith(kind)
        x = names["torch"].ones(2, 8, 32)
        assert made.norm_first and made(x).shape == x.shape
