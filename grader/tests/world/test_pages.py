"""The report and feedback pages in a real browser: nothing is cut off on a phone or on paper, sorting and searching
work, and text can be read in light and in dark."""

import dataclasses
from pathlib import Path

import pytest
from fake_class import everyone, result, typed, unit
from msgspec.structs import replace
from playwright.sync_api import Browser, Page, expect

from nbproctor.classroom.pages.class_report import write_class_report
from nbproctor.classroom.pages.feedback import write_feedback
from nbproctor.course.units import Unit
from nbproctor.values.grades import Grade, all_grades, of_result
from nbproctor.values.result import Result
from nbproctor.values.text import clean

NAMES = (
    "scaled_dot_product_attention", "a_name_as_long_as_any_exercise_of_the_course_has", "TransformerEncoderBlock",
    "align", "attention_without_parameters", "is_permutation_equivariant", "MultiHeadAttention", "previous_word_head",
)  # fmt: skip
LONG = "Nightingale-Featherstonehaugh, Radia"
PHONE, PAPER = 390, 718  # px: a telephone; A4 less its margins
CUT_OFF = """scrolls => [...document.querySelectorAll('body *')].filter(e => {
    const box = e.parentElement.closest('.scroll, pre'), place = e.getBoundingClientRect();
    const inside = scrolls && box && getComputedStyle(box).overflowX === 'auto';
    return !inside && place.width && place.right > innerWidth + 1;
}).map(e => e.outerHTML.slice(0, 100))"""


def classroom(folder: Path) -> tuple[Path, Path]:
    """Write the report of a class of twelve in ten units, with all kinds of results, and bo's page. Returns both."""
    units = [unit(*NAMES, name=f"{number:02}_unit_number_{number}") for number in range(10)]
    results = [typed(one) for of in units for one in [*everyone(of), result(LONG, of), result("Zoë", of)]]
    grades = all_grades(results, {})
    bo = next(one for one in results if one.student == "bo")
    return write_class_report(results, grades, units, folder), _feedback(bo, units[0], folder)


def _feedback(bo: Result, of: Unit, folder: Path) -> Path:
    answer = bo.exercises[0]
    bo = replace(bo, exercises=(replace(answer, source=answer.source + f"# {'x' * 200}\n"), *bo.exercises[1:]))
    grade: Grade = dataclasses.replace(
        of_result(bo), comments={NAMES[0]: clean(f"See {'https://example.org/' + 'x' * 100}")}
    )
    return write_feedback(bo, grade, of, folder)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return classroom(tmp_path_factory.mktemp("classroom"))


@pytest.mark.parametrize("which", [0, 1], ids=["report", "student"])
@pytest.mark.parametrize(("width", "media"), [(PHONE, "screen"), (1280, "screen"), (PAPER, "print")])
def test_nothing_is_cut_off(page: Page, files: tuple[Path, Path], which: int, width: int, media: str) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(media=media)  # type: ignore[arg-type]
    page.goto(files[which].as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(CUT_OFF, media == "screen") == []


def test_nothing_is_folded_away_on_paper(page: Page, files: tuple[Path, Path]) -> None:
    page.emulate_media(media="print")
    for path, text in zip(files, ("wrote", "shape torch.Size([2, 5, 7])"), strict=True):
        page.goto(path.as_uri())
        folded = page.locator("details", has_text=text)
        assert folded.count()
        for one in folded.all():
            expect(one.locator("> :not(summary)").first).to_be_visible()
            assert one.bounding_box()["height"] > 2 * one.locator("summary").bounding_box()["height"]  # type: ignore[index]
    page.emulate_media(media="screen")
    assert page.locator("details", has_text="shape torch").bounding_box()["height"] < 60  # type: ignore[index]


def displayable(page: Page) -> list[str]:
    return [name for name in page.locator("#class .students tbody th bdi").all_inner_texts() if name]


def test_the_class_can_be_sorted_and_searched(page: Page, files: tuple[Path, Path]) -> None:
    page.goto(files[0].as_uri())
    everybody = displayable(page)
    assert everybody == sorted(everybody, key=str.casefold) and len(everybody) == 12
    heads = page.locator("#class th button")
    heads.nth(1).click()
    assert page.locator("#class [aria-sort=descending]").count() == 1
    totals = page.locator("#class .students tbody .total-cell").all_inner_texts()
    assert [float(one) for one in totals[:-1]] == sorted((float(one) for one in totals[:-1]), reverse=True)
    assert totals[-1] == "–" and sorted(displayable(page)) == sorted(everybody)
    heads.nth(0).click()
    assert displayable(page) == everybody
    page.locator("input[type=search]").fill("ZOE")
    visible = page.locator("#class .students tbody tr:visible")
    assert visible.count() == 1 and "Zoë" in visible.inner_text()
    expect(page.locator("[role=status]")).to_have_text("1 of 12")


def test_the_page_is_whole_without_its_script_and_no_other_runs(browser: Browser, files: tuple[Path, Path]) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(files[0].as_uri())
    assert len(displayable(page)) == 12 and page.locator("input[type=search]").is_hidden()
    context.close()
    page = browser.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.goto(files[0].as_uri())
    assert said == []
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {text: 'window.ran = 1'}))")
    assert page.evaluate("window.ran") is None and any("Content Security Policy" in text for text in said)
    page.close()


@pytest.mark.parametrize("which", [0, 1], ids=["report", "student"])
def test_a_dark_page_has_light_text_everywhere(page: Page, files: tuple[Path, Path], which: int) -> None:
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.goto(files[which].as_uri())
        assert page.evaluate(CONTRAST) == [], scheme


CONTRAST = """() => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
  const rgb = colours => {  // painted over one another, as the eye sees them
    canvas.clearRect(0, 0, 1, 1);
    for (const colour of colours) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
    return canvas.getImageData(0, 0, 1, 1).data;
  };
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
    .map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const behind = e => e ? [...behind(e.parentElement), getComputedStyle(e).backgroundColor] : ['Canvas'];
  const bad = new Set();
  for (const e of document.querySelectorAll('body *')) {
    if (e.closest('svg, script') || ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
    const [one, two] = [light(rgb([getComputedStyle(e).color])), light(rgb(behind(e)))].sort((a, b) => b - a);
    const ratio = (one + .05) / (two + .05);
    if (ratio < 4.5) bad.add(`${e.tagName}.${e.className} ${ratio.toFixed(2)}`);
  }
  return [...bad];
}"""
