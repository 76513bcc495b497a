"""The attention view in a real browser: pointing, keys, slider and masks, and what is left of it where no script runs.

The tests at the end are about the mask board of unit 06, which is made with it, and about the plane of unit 00.
"""

import html
import re
import shutil
from typing import Any

import matplotlib.pyplot as plt
import pytest
import torch
from matplotlib.figure import Figure
from playwright.sync_api import Browser, Locator, Page, expect

from nbproctor.course.units import load_unit

WORDS = ["Life", "is", "short", "eat"]
WEIGHTS = torch.tensor([[0.1, 0.2, 0.3, 0.4], [0.7, 0.1, 0.1, 0.1], [0.25, 0.25, 0.5, 0.0], [0.05, 0.05, 0.1, 0.8]])
pytestmark = pytest.mark.skipif(shutil.which("chromium") is None, reason="chromium is missing: grader/setup.sh --test")


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """What a setup cell defines, the attention view included."""
    found: dict[str, Any] = {"__name__": "__main__"}
    exec(load_unit("03_self_attention").setup, found)  # noqa: S102 the course's cell
    return found


def view(names: dict[str, Any], *args: Any, **kwargs: Any) -> str:
    bundle = names["attention_view"](*args, **kwargs)._repr_mimebundle_()
    assert set(bundle) == {"text/html", "image/png", "text/plain"}
    return str(bundle["text/html"])


def row(table: Locator, number: int) -> Locator:
    return table.locator("tbody tr").nth(number)


def lit(table: Locator) -> list[str]:
    """The words that are highlighted, among queries and keys."""
    return [text.strip() for text in table.locator("th.lit").all_inner_texts()]


def bars(table: Locator) -> list[str]:
    """The numbers above the keys, which are drawn as bars."""
    return [str(cell.get_attribute("data-n")) for cell in table.locator("thead th").all()]


def test_pointing_at_a_query_shows_its_row_as_bars_on_the_keys(page: Page, names: dict[str, Any]) -> None:
    """Pointing at a key shows its column, and the sum of each column."""
    page.set_content(view(names, WEIGHTS, WORDS))
    table = page.locator(".attention table")
    row(table, 1).locator("th").hover()
    assert (lit(table), bars(table)) == (["is"], ["0.70", "0.10", "0.10", "0.10"])
    row(table, 3).locator("td").nth(1).hover()
    assert (lit(table), bars(table)) == (["eat"], ["0.05", "0.05", "0.10", "0.80"])
    table.locator("thead th").nth(3).hover()
    assert lit(table) == ["eat"]
    assert [row(table, r).locator("td").last.get_attribute("data-n") for r in range(4)] == ["0.40", "0.10", "0", "0.80"]
    expect(table.locator("tfoot")).to_be_visible()
    assert table.locator("tfoot td").all_inner_texts()[1:-1] == ["1.10", "0.60", "1.00", "1.30"]


def test_heads_move_together(page: Page, names: dict[str, Any]) -> None:
    one = view(names, torch.stack([WEIGHTS, WEIGHTS.flip(1)]), WORDS, heads=["left", "right"])
    page.set_content(one + one)
    first, second = page.locator(".attention").all()
    before = lit(second)
    row(first.locator("table").nth(0), 0).locator("th").hover()
    assert lit(first) == ["Life", "Life"]
    assert bars(first.locator("table").nth(1)) == ["0.40", "0.30", "0.20", "0.10"]
    assert lit(second) == before


def test_a_row_that_does_not_sum_to_1_says_so(page: Page, names: dict[str, Any]) -> None:
    scores = torch.tensor([[1.0, 2.0, 0.0], [0.0, 1.0, 3.0], [2.0, 2.0, 1.0]])
    page.set_content(view(names, scores.softmax(0), WORDS[:3]))
    table = page.locator(".attention table")
    assert all("≠ 1" in row(table, r).inner_text() for r in range(3))
    table.locator("thead th").nth(0).hover()
    assert table.locator("tfoot td").all_inner_texts()[1:-1] == ["1.00"] * 3


def test_a_mask_shows_who_may_attend_and_hatches_what_is_hidden(page: Page, names: dict[str, Any]) -> None:
    """A mask has no sums."""
    page.set_content(view(names, torch.ones(3, 3).tril().bool(), WORDS[:3], title="Causal"))
    table = page.locator(".attention table")
    assert [text.strip() for text in row(table, 1).locator("td").all_inner_texts()] == ["✓", "✓", "", ""]
    expect(page.locator(".attention p")).to_contain_text("✓ may attend, hatched: hidden")
    assert "sum" not in table.inner_text()
    hatched = "element => getComputedStyle(element).backgroundImage"
    assert "gradient" in row(table, 0).locator("td").nth(1).evaluate(hatched)
    page.set_content(view(names, WEIGHTS, WORDS))
    cell = row(page.locator(".attention table"), 2).locator("td").nth(3)
    assert cell.inner_text() == "0" and "gradient" in cell.evaluate(hatched)


def test_it_works_in_a_frame_without_an_origin(page: Page, names: dict[str, Any]) -> None:
    """Colab shows outputs in such a frame."""
    inner = html.escape(view(names, WEIGHTS, WORDS))
    page.set_content(f'<iframe sandbox="allow-scripts" width=700 height=400 srcdoc="{inner}"></iframe>')
    table = page.frame_locator("iframe").locator(".attention.live table")
    row(table, 1).locator("th").hover()
    assert bars(table) == ["0.70", "0.10", "0.10", "0.10"]


def test_without_scripts_each_view_is_a_table_with_its_numbers(browser: Browser, names: dict[str, Any]) -> None:
    """Where styles are removed, too, as on GitHub, a mask marks hidden words with ╱."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    frames = torch.stack([WEIGHTS, WEIGHTS.flip(0), WEIGHTS.flip(1)])
    page.set_content(view(names, frames, WORDS, frames=["before", "on the way", "after"]))
    assert page.locator("caption").all_inner_texts() == ["before", "on the way", "after"]
    assert page.locator("tbody tr").nth(1).locator("td").all_inner_texts() == ["0.70", "0.10", "0.10", "0.10", "1.00"]
    assert "rgba(30,110,200" in str(page.locator("tbody td").nth(0).get_attribute("style"))
    shown = view(names, torch.ones(3, 3).tril().bool(), WORDS[:3], title="Causal")
    page.set_content(re.sub(r"<style>.*?</style>|<script>.*?</script>", "", shown, flags=re.DOTALL))
    first = row(page.locator(".attention table"), 0)
    assert [text.strip() for text in first.locator("td").all_inner_texts()] == ["✓", "╱", "╱", ""]
    board, moved, start = mask_board(), plane(), (1.2, 1.2)
    page.set_content(board["text/html"] + moved["text/html"])
    assert row(page.locator(".board table"), 1).locator("td").all_inner_texts() == [
        "0.78", "0.22", "0", "1.00", "0.90 ≠ 1",
    ]  # fmt: skip
    lines = of_bank((0.0, 0.0), start, (0.1, 2.0), bank=start), of_bank((2.0, 0.1), start, bank=start)
    assert plane_numbers(page) == [*lines]
    assert min(len(bundle["image/png"]) for bundle in (board, moved)) > 2_000
    context.close()


def test_with_every_style_and_attribute_taken_away_the_numbers_are_left(names: dict[str, Any]) -> None:
    """Where no HTML is shown at all, a reader sees a still picture or a line of text."""
    text = re.sub(r"<(style|script)>.*?</\1>", "", view(names, WEIGHTS, WORDS, title="Who attends"), flags=re.S)
    text = re.sub(r"<(\w+)[^>]*>", r"<\1>", text)
    assert re.sub(r"<[^>]+>", " ", text).split()[:2] == ["Who", "attends"]
    assert re.search(r"<tr><th>is<td>0\.70<td>0\.10<td>0\.10<td>0\.10<td>1\.00", text)
    bundle = names["attention_view"](WEIGHTS, WORDS)._repr_mimebundle_()
    assert len(bundle["image/png"]) > 2_000
    assert bundle["text/plain"] == "attention: 4 queries, 4 keys"


def test_the_still_picture_holds_every_frame_and_every_number(
    names: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On GitHub's pages and in print, each frame stands with its weights, and with the sums of its rows and columns."""
    figures: list[Figure] = []
    monkeypatch.setattr(plt, "close", figures.append)
    frames = torch.stack([WEIGHTS.T, WEIGHTS.clone().index_fill_(0, torch.tensor(0), torch.nan), WEIGHTS])
    names["attention_view"](frames, WORDS, frames=["before", "on the way", "after"])
    drawn = {ax.get_title().strip(): [text.get_text() for text in ax.texts] for ax in figures[0].axes if ax.texts}
    assert list(drawn) == ["before", "on the way", "after"]
    weights = [f"{weight:.2f}" for weight in WEIGHTS.flatten() if weight]
    sums = [f"{total:.2f}" for total in WEIGHTS.sum(0)]
    assert drawn["after"] == weights + sums + ["1.00"] * 4
    assert drawn["before"][-4:] == ["1.10 ≠ 1", "0.60 ≠ 1", "1.00", "1.30 ≠ 1"]
    assert drawn["on the way"][:4] == ["NaN"] * 4 and drawn["on the way"][-4] == "NaN ≠ 1"


def test_words_are_words_and_never_markup(page: Page, names: dict[str, Any]) -> None:
    page.set_content(view(names, torch.eye(2), ["<s>", '"a"'], title="<b>"))
    assert page.locator("tbody th").all_inner_texts() == ["<s>", '"a"']
    expect(page.locator(".attention p b")).to_have_text("<b>")


def test_names_that_do_not_fit_the_weights_are_refused(names: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"ask for \(1, 1, 3, 3\), the weights are \(1, 1, 4, 4\)"):
        names["attention_view"](WEIGHTS, WORDS[:3])


def mask_board() -> dict[str, str]:
    """The outputs, by MIME type, of the mask board of unit 06 for three words under the causal mask."""
    exec(load_unit("06_masking").setup, names := {"__name__": "__main__"})  # noqa: S102 the course's cell
    exec("from checking.board import mask_board", names)  # noqa: S102 which the cell has unpacked
    scores = torch.tensor([[0.5, 0.25, 0.25], [0.7, 0.2, 0.1], [0.25, 0.25, 0.5]]).log()
    mask = torch.ones(3, 3).tril().bool()

    def masked_softmax(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)

    board: Any = names["mask_board"]
    bundle: dict[str, str] = board(scores, mask, WORDS[:3], masked_softmax)._repr_mimebundle_()
    return bundle


def test_a_click_on_the_mask_board_shares_a_rows_weights_anew(page: Page) -> None:
    """A row that is masked before the softmax sums to 1 again, and one that is masked after it (way 1) does not.

    A row in which every word is hidden is all 0.
    """
    shown = mask_board()["text/html"]
    page.set_content(shown + shown)  # two boards, of which only the first is clicked
    first, second = page.locator(".board table").all()

    def numbers(table: Locator, number: int) -> list[str]:
        return row(table, number).locator("td").all_inner_texts()

    row(first, 1).get_by_role("button").nth(2).click()
    assert numbers(first, 1) == ["0.70", "0.20", "0.10", "1.00", "1.00"]
    hidden = row(first, 1).get_by_role("button").nth(0)
    hidden.click()
    assert numbers(first, 1) == ["0", "0.67", "0.33", "1.00", "0.30 ≠ 1"]
    assert hidden.get_attribute("aria-pressed") == "false"
    for key in ("Tab", "Enter", "Tab", "Space"):
        page.keyboard.press(key)
    assert numbers(first, 1) == ["0", "0", "0", "0.00 ≠ 1", "0.00 ≠ 1"]
    assert numbers(second, 1) == ["0.78", "0.22", "0", "1.00", "0.90 ≠ 1"]


def plane() -> dict[str, str]:
    """The outputs, by MIME type, of the plane of unit 00 for two short lines."""
    exec(load_unit("00_tensors").setup, names := {"__name__": "__main__"})  # noqa: S102 the course's cell
    exec("from checking.plane import plane_view", names)  # noqa: S102 which the cell has unpacked
    table = {"bank": [1.2, 1.2], "river": [0.1, 2.0], "money": [2.0, 0.1], "the": [0.0, 0.0]}
    plane_view: Any = names["plane_view"]
    view = plane_view(table, [["the", "bank", "river"], ["money", "bank"]], "bank", ["river"])
    bundle: dict[str, str] = view._repr_mimebundle_()
    return bundle


def plane_numbers(page: Page) -> list[list[str]]:
    return [table.locator("td").all_inner_texts() for table in page.locator(".plane table").all()]


def of_bank(*line: tuple[float, float], bank: tuple[float, float]) -> list[str]:
    """The weights that bank gives the words of its line, from torch."""
    x = torch.tensor(line)
    return [f"{weight:.2f}" for weight in (x @ torch.tensor(bank) / 2**0.5).softmax(-1).tolist()]


def test_a_word_dragged_in_the_plane_changes_its_weights_in_every_line(page: Page) -> None:
    page.set_content(plane()["text/html"] * 2)  # two planes, of which only the first is touched
    first, second = page.locator(".plane").all()
    before = second.inner_text()
    handle = first.locator(".word").first
    box = handle.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 + 72, box["y"] + box["height"] / 2 + 90, steps=4)
    page.mouse.up()
    expect(first.locator(".told").first).to_have_text(re.compile(r"bank \((2\.\d\d|1\.9\d), (0\.\d\d)\) becomes"))
    said = re.search(r"\((.*?), (.*?)\)", first.locator(".told").first.inner_text())
    assert said is not None
    bank = float(said[1]), float(said[2])
    river, money = plane_numbers(page)[:2]
    assert money == of_bank((2.0, 0.1), bank, bank=bank)
    assert river == of_bank((0.0, 0.0), bank, (0.1, 2.0), bank=bank)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowLeft")
    moved = bank[0] - 0.1, bank[1] + 0.1
    expect(first.locator(".told").last).to_contain_text(f"bank ({moved[0]:.2f}, {moved[1]:.2f})")
    expect(handle).to_have_attribute("aria-valuetext", f"money {moved[0]:.2f}, water {moved[1]:.2f}")
    first.get_by_role("button").click()
    expect(first.locator(".told").first).to_contain_text("bank (1.20, 1.20)")
    assert second.inner_text() == before
