"""The book that `make book` builds, in a real browser: each page, its links, the live views, the search.

And what must not be in it: hidden checks, and talk about grading.
"""

import html
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from weekly import WEEKLY, weekly_but

from nbproctor.course.units import unit_names
from nbproctor.paths import ROOT
from nbproctor.values.notebook import grade_id_of

pytestmark = pytest.mark.skipif(shutil.which("chromium") is None, reason="chromium is missing: grader/setup.sh --test")


def _program() -> ModuleType:
    """solutions/book/make.py, which needs nothing but Python to make the pages."""
    spec = importlib.util.spec_from_file_location("book_make", ROOT / "solutions" / "book" / "make.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make = _program()
UNITS = unit_names()
FREE = sorted(path.stem for path in make.HERE.glob("pages/*.ipynb"))  # pages of notebooks that belong to no unit
PAGES = [*UNITS, *FREE, *make.DOCUMENTS.values(), *sorted(path.stem for path in make.HERE.glob("*.md")), "search"]
CELLS = {unit: make.notebook(unit) for unit in UNITS}
VIEWS = ".attention[data-view], .positions-clock, .bank, .plane"


CONTRASTS = [(1280, "light"), (390, "dark")] + ([(390, "light"), (1280, "dark")] if WEEKLY else [])
ON_BOTH = ("index", "names", UNITS[0])  # what axe finds beside colours is looked for on both widths there, else on one
TO_TEXT = """() => {  // a formula's and a code's many parts cost axe much time, and all look the same
  for (const part of document.querySelectorAll(".highlight pre, mjx-container")) part.textContent = part.textContent
}"""
ONE_OF_EACH = """() => {  // colours follow from kinds of elements, so one block and one word of each kind will do
  const style = e => (e.getAttribute("style") ?? "").replace(/0\\.\\d+/g, share => (+share).toFixed(1))
  const name = e => e ? e.tagName + e.className + style(e) : "", seen = new Set(), told = new Set()
  const kind = e => [e, e.parentElement, e.parentElement?.parentElement].map(name).join()
  for (const block of document.querySelectorAll("article section > :not(section)")) {
    const kinds = [block, ...block.querySelectorAll("*")].map(kind)
    if (kinds.every(one => seen.has(one))) block.remove()
    else kinds.forEach(one => seen.add(one))
  }
  for (const word of document.querySelectorAll("body *:not(:has(*), script, style)"))
    if (told.has(kind(word))) word.textContent = ""
    else told.add(kind(word))
}"""
AXE = "rules => axe.run(document, rules).then(found => found.violations.map(v => [v.id, v.nodes.map(n => n.html)]))"


@pytest.fixture(scope="module")
def site() -> Path:
    """The website, built anew without any warning."""
    command = [sys.executable, str(ROOT / "solutions" / "book" / "make.py")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / ".book")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)  # noqa: S603 ours
    assert done.returncode == 0, done.stderr
    return Path(make.SITE)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing of each request."""


@pytest.fixture(scope="module")
def served(site: Path) -> Iterator[str]:
    """The address at which a server on this machine has the book."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def shared(browser: Browser) -> Iterator[BrowserContext]:
    """A context for all pages, as a reader has it: scripts and fonts that they share are loaded and compiled once."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    yield context
    context.close()


def texts(site: Path) -> dict[str, str]:
    """What stands in each built file that is text: of pages without markup, so that a line of code is whole."""
    found = {}
    for path in sorted(site.rglob("*")):
        if path.suffix in (".html", ".js", ".json", ".txt", ".css", ".md") and "mathjax" not in path.parts:
            text = path.read_text(encoding="utf-8")
            is_page = path.suffix == ".html"
            found[str(path.relative_to(site))] = html.unescape(re.sub(r"<[^>]+>", "", text)) if is_page else text
    return found


def test_there_is_a_page_for_each_unit_and_each_document(site: Path) -> None:
    assert sorted(path.stem for path in site.glob("*.html")) == sorted(PAGES)


@pytest.mark.parametrize("name", weekly_but(PAGES, *ON_BOTH, "03_self_attention", "search", FREE[0]))
def test_a_page_is_sound_in_light_and_dark_on_a_desk_and_on_a_phone(
    shared: BrowserContext, served: str, name: str
) -> None:
    """No error, no request to another host, nothing wider than the screen, nothing that axe finds.

    And all formulas are drawn, all views live, all pictures have an alternative text.
    """
    page, said, elsewhere = shared.new_page(), [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("requestfailed", lambda request: said.append(request.url))
    page.on("response", lambda response: response.ok or said.append(f"{response.status} {response.url}"))
    page.on("request", lambda r: r.url.startswith((served, "data:")) or elsewhere.append(r.url))
    page.goto(f"{served}/{name}.html")
    page.wait_for_load_state("networkidle")
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        for mode in ("light", "dark"):
            page.emulate_media(color_scheme=mode)  # type: ignore[arg-type]
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (width, mode)
    assert page.locator(".math").count() == page.locator("mjx-container").count()
    assert page.locator("mjx-merror, [data-mjx-error]").count() == 0
    assert page.locator(f":is({VIEWS}):not(.live)").count() == 0
    assert page.locator("img:not([alt]), img[alt='']").count() == 0
    page.add_script_tag(path=ROOT / ".book" / "axe_playwright_python" / "axe.min.js")
    page.evaluate(TO_TEXT)
    found = []
    for width in (390, 1280) if WEEKLY or name in ON_BOTH else (1280,):
        page.set_viewport_size({"width": width, "height": 900})
        found.append(page.evaluate(AXE, {"rules": {"color-contrast": {"enabled": False}}}))
    page.evaluate(ONE_OF_EACH)
    for width, mode in CONTRASTS:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=mode)  # type: ignore[arg-type]
        found.append(page.evaluate(AXE, {"runOnly": ["color-contrast"]}))
    page.close()
    assert (said, elsewhere, [one for one in found if one]) == ([], [], [])


@pytest.mark.weekly
def test_on_a_phone_a_wide_picture_scrolls_and_short_code_stays_on_a_line(browser: Browser, served: str) -> None:
    """Shrunk to 360 of its 1,000 pixels, a picture's labels would be 5 pixels high. The keyboard can scroll it, too."""
    context = browser.new_context(viewport={"width": 390, "height": 900})
    page = context.new_page()
    for unit in UNITS:
        page.goto(f"{served}/{unit}.html")
        shown = page.locator("article img[width]").evaluate_all(
            "all => all.map(one => one.clientWidth / one.getAttribute('width'))"
        )
        assert shown and min(shown) > 0.6, unit
        assert page.locator(".wide:not([tabindex])").count() == 0, unit
        lines = page.locator("code.whole:not(td *)").evaluate_all("all => all.map(one => one.getClientRects().length)")
        assert lines and max(lines) == 1, unit
    context.close()


@pytest.mark.weekly
def test_formulas_and_tables_of_two_columns_fit_a_phone(browser: Browser, served: str) -> None:
    """What is cut off there without a word is taken for the whole: the formula would end at its comma."""
    context = browser.new_context(viewport={"width": 390, "height": 900})
    page, too_wide = context.new_page(), {}
    for name in (*UNITS, "examinations", "beyond"):
        page.goto(f"{served}/{name}.html")
        page.wait_for_load_state("networkidle")
        too_wide[name] = page.locator(
            'article :is(mjx-container[display="true"], .table-wrapper:not(:has(td:nth-child(3), mjx-container)))'
        ).evaluate_all("all => all.filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.textContent)")
    context.close()
    assert {name: found for name, found in too_wide.items() if found} == {}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (r"$$a, \qquad b$$", '<div class="formulas">\n\n$$a,$$\n\n$$b$$\n\n</div>'),
        ("of size $x$, as", "of size $x$\u2060, as"),
        ("`echo $x$, $y$.`", "`echo $x$, $y$.`"),
        ("### Exercise: `f`  ·  6 minutes", "### Exercise: `f` ·\u00a06\u00a0minutes"),
        ('<pre class="output">all right: True</pre>', '<pre class="output words">all right: True</pre>'),
        ('<pre class="output">one    1\ntwo    2</pre>', '<pre class="output">one    1\ntwo    2</pre>'),
        ('<pre class="output">tensor([1., 2.])</pre>', '<pre class="output">tensor([1., 2.])</pre>'),
    ],
)
def test_a_page_breaks_well_on_a_phone(before: str, after: str) -> None:
    assert make.fitting(before) == after


def test_what_a_cell_printed_in_several_parts_is_one_block() -> None:
    cell = {"metadata": {}, "outputs": [{"text": ["one\n"]}, {"text": ["two\n"]}, {"data": {"text/plain": "3"}}]}
    assert list(make.outputs(cell)) == ['<pre class="output">one\ntwo</pre>', '<pre class="output">3</pre>']


def test_cells_that_answer_one_question_share_a_fold_with_their_runs(site: Path) -> None:
    """Unit 09 asks twice. Behind the second fold are three cells, and the runs of the first of them."""
    text = (make.PAGES / "09_encoders_and_translation.md").read_text(encoding="utf-8")
    assert text.count("Decided? Show what happens") == 2
    answer = text.rpartition("Decided? Show what happens")[2]
    told = ("All 8 runs", "copied = greedy_decode", "its loss is below 0.05: ", "</details>\n\nA loss near zero")
    assert [answer.index(text) for text in told] == sorted(answer.index(text) for text in told)


def test_no_fold_asks_to_run_a_cell(site: Path) -> None:
    pages = [path.read_text(encoding="utf-8") for path in site.glob("*.html")]
    titles = [title for text in pages for title in re.findall("<summary>(.*?)</summary>", text)]
    assert "Code: The dates" in titles
    assert [title for title in titles if "run this cell" in title] == []


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_code_has_contrast(browser: Browser, served: str, mode: Any) -> None:
    context = browser.new_context(color_scheme=mode)
    page = context.new_page()
    page.goto(f"{served}/05_cross_attention.html")
    page.add_script_tag(path=ROOT / ".book" / "axe_playwright_python" / "axe.min.js")
    page.evaluate("() => document.querySelector('article').replaceChildren(...document.querySelectorAll('.highlight'))")
    page.evaluate(ONE_OF_EACH)
    assert page.locator(".highlight span").count() > 1000
    assert page.evaluate(AXE, {"runOnly": ["color-contrast"]}) == []
    context.close()


def test_no_link_is_dead(site: Path) -> None:
    pages = {path.name: path.read_text(encoding="utf-8") for path in site.glob("*.html")}
    anchors = {name: {"", *re.findall(r'\bid="([^"]+)"', text)} for name, text in pages.items()}
    links = [
        (name, html.unescape(link))
        for name, text in pages.items()
        for link in re.findall(r'(?:href|src)="([^"]*)"', text)
    ]
    assert len(links) > 1000
    for name, link in links:
        parts = urlsplit(link)
        if not parts.scheme:
            target = unquote(parts.path) or name
            assert (site / target).exists(), f"{name}: {link}"
            assert not target.endswith(".html") or unquote(parts.fragment) in anchors[target], f"{name}: {link}"
        elif in_repository := re.fullmatch(rf".*/{make.SETTINGS['repository']}/(?:blob|tree)/main/([^#]+).*", link):
            assert (ROOT / in_repository[1]).exists(), f"{name}: {link}"


def test_the_first_page_shows_what_attention_does_to_bank(page: Page, served: str) -> None:
    """The first page's view answers the pointer, Tab and the arrow keys, with the numbers of unit 00."""
    page.goto(f"{served}/index.html")
    river, money = page.locator(".bank .line").all()
    told = page.locator(".bank p")
    expect(told.first).to_have_text(re.compile(r"bank takes 0\.38 of itself and 0\.29\s+of\s+river"))
    stored = "".join(next(cell for cell in CELLS[UNITS[0]] if cell["id"] == "bank-attention")["outputs"][0]["text"])
    shown = [button.inner_text().split() for button in river.locator("button").all()]
    assert " ".join(f"{word} {share} " for word, share in shown) in stored
    river.get_by_text("river").hover()
    expect(told.first).to_contain_text("river takes")
    money.locator("button").last.focus()
    page.keyboard.press("ArrowLeft")
    expect(told.last).to_contain_text("the takes")
    page.keyboard.press("Shift+Tab")  # one stop for each line
    expect(river.locator("button:focus")).to_contain_text("river")


def test_the_views_of_a_unit_answer_without_a_kernel(page: Page, served: str) -> None:
    page.goto(f"{served}/03_self_attention.html")
    view = page.locator(".attention", has_text="your head learns to look")
    view.locator("tbody th").nth(3).hover()
    expect(view.locator("th.lit")).to_have_text("bat")
    view.locator("th.lit").focus()
    page.keyboard.press("ArrowDown")
    expect(view.locator("th.lit")).to_have_text("cave")
    view.get_by_role("slider").fill("10")
    expect(view.locator("output")).to_have_text("step 150")
    page.goto(f"{served}/00_tensors.html")
    page.locator(".plane .word").first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".plane .told").first).to_contain_text("bank (1.30, 1.20) becomes")
    page.goto(f"{served}/01_embeddings.html")
    clock = page.locator(".positions-clock")
    before = clock.inner_text()
    clock.get_by_role("slider").fill("9")
    assert clock.inner_text() != before
    page.goto(f"{served}/06_masking.html")
    board = page.locator(".attention.board")
    cell = board.locator("tbody td, tbody button").first
    before = board.inner_text()
    cell.click()
    assert board.inner_text() != before


def test_the_page_of_all_heads_answers_to_mouse_and_keys_and_is_small(page: Page, site: Path) -> None:
    """The map of 270 heads works from a folder; head 16.0 looks one back, 17.5 at what came next last time."""
    page.goto(f"{site.as_uri()}/heads.html")
    heads, told = page.get_by_role("gridcell"), page.locator(".heads .told")
    expect(heads).to_have_count(270)
    expect(told).to_contain_text("Head 16.0 gives 0.7")
    page.get_by_label("what came next last time").check()
    page.locator('[data-l="17"][data-h="5"]').click()
    expect(told).to_contain_text(re.compile(r"Head 17\.5 gives 0\.\d\d of its weight to what came next last time"))
    page.keyboard.press("ArrowLeft")
    expect(told).to_contain_text("Head 16.5")
    page.keyboard.press("ArrowDown")
    expect(page.locator('[aria-selected="true"]')).to_be_focused()
    expect(told).to_contain_text("Head 16.6")
    chips = page.locator(".chips button")
    before = chips.all_inner_texts()
    page.locator('.chips [aria-pressed="true"]').focus()
    page.keyboard.press("ArrowLeft")
    assert chips.all_inner_texts() != before
    page.locator(".heads fieldset").first.get_by_role("radio").nth(1).check()
    page.get_by_label("one back").check()
    expect(told).to_contain_text("gives")
    own = [site / "heads.html", *(site / "_static" / name for name in ("heads-data.js", "heads.js", "heads.png"))]
    assert sum(path.stat().st_size for path in own) < 1_500_000


@pytest.mark.parametrize("way", ["by http", "from a folder"])
def test_the_search_finds_a_causal_mask(page: Page, served: str, site: Path, way: str) -> None:
    page.goto(f"{served if way == 'by http' else site.as_uri()}/index.html")
    page.get_by_role("textbox", name="Search").fill("causal mask")
    page.keyboard.press("Enter")
    first = page.locator("ul.search li a").first
    expect(first).to_be_visible(timeout=20_000)
    found = [str(link.get_attribute("href")) for link in page.locator("ul.search li a").all()]
    assert any("06_masking.html" in link for link in found), found


def test_nothing_of_a_hidden_check_is_in_the_book(site: Path) -> None:
    files = texts(site)
    both = [cell for cells in CELLS.values() for cell in cells]
    hidden = [cell for cell in both if (grade_id_of(cell) or "").startswith("hidden_")]
    elsewhere = {line.strip() for cell in both if cell not in hidden for line in make.text_of(cell).splitlines()}
    own = {line.strip() for cell in hidden for line in make.text_of(cell).splitlines() if len(line.strip()) > 24}
    own -= elsewhere
    assert len(hidden) > 60 and len(own) > 1000
    for name, text in files.items():
        lines = {line.strip() for line in text.splitlines()}
        assert not lines & own, f"{name}: {sorted(lines & own)[:3]}"
    words = r"HIDDEN TESTS|hidden_|check\.\w+\(|packed = \"|where_you_stand|not implemented yet|(?:BEGIN|END) SOLUTION"
    found = [(unit, one[0]) for unit in UNITS if (one := re.search(words, files[f"{unit}.html"]))]
    assert found == []


def test_a_page_does_not_speak_of_handing_in(site: Path) -> None:
    """A paragraph about submitting, points or what a check looks at would be about something one does not see."""
    files = texts(site)
    words = r"[Hh]and(?:ed)? (?:it |this notebook )?in\b(?! [a-z])|[Ss]ubmit|house rules|looks (?:only )?at the form"
    body = {unit: files[f"{unit}.html"].partition("Open in Colab")[2] for unit in UNITS}
    assert [(unit, found[0]) for unit, text in body.items() if (found := re.search(words, text))] == []


def test_solutions_are_folded_and_a_setting_leaves_them_out(monkeypatch: pytest.MonkeyPatch) -> None:
    exercise = next(cell for cell in CELLS[UNITS[0]] if cell["id"] == "weighted-average")
    assert "return weights @ values" in make.shown(exercise).partition("<details")[2]
    assert "return weights @ values" not in make.shown(exercise).partition("<details")[0]
    monkeypatch.setitem(make.SETTINGS, "solutions_linked", False)
    assert "return weights @ values" not in make.shown(exercise)
    assert "# YOUR CODE HERE" in make.shown(exercise)


def test_each_paper_that_a_unit_names_is_among_the_thanks(site: Path) -> None:
    said = "\n".join(make.text_of(cell) for cells in CELLS.values() for cell in cells)
    papers = set(re.findall(r"https://arxiv\.org/abs/[\d.]+", said))
    assert len(papers) > 20
    thanks = (site / "thanks.html").read_text(encoding="utf-8")
    assert sorted(link for link in papers if f'href="{link}"' not in thanks) == []
    assert re.findall(r"\d{4}: unit (?!<a)", thanks) == []
