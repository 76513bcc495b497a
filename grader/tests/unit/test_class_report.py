"""The class report tells who did what, what needs a look and how the exercises went; words describe its bars."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_class import SECRET, everyone, result, typed, ungradable, unit
from test_report import Page, write_class_report

from nbproctor.classroom.pages import class_report, items
from nbproctor.classroom.pages.look import needs_a_look
from nbproctor.classroom.pages.page import tenths
from nbproctor.values.grades import all_grades, of_result
from nbproctor.values.submission import Remark
from nbproctor.values.text import clean, line

UNITS = ("03_self_attention", "06_masking")
NOTHING = ("not implemented", "not implemented")


def cells(path: Path, student: str, table: int) -> list[tuple[str, str]]:
    """For each cell of a student's row in a table of scores: (what its colour says, what stands in it)."""
    html = path.read_text(encoding="utf-8").split('<table class="students">')[1 + table]
    row = next(row for row in html.split("<tr>") if f"<bdi>{student}</bdi>" in row)
    found = re.findall(r'<td class="cell (\w+)"[^>]*>(?:<a [^>]*>)?([^<]*)', row)
    return [(str(kind), str(text)) for kind, text in found]


def test_a_table_tells_right_wrong_not_written_not_handed_in_and_not_graded_apart(tmp_path: Path) -> None:
    first, second = (unit(name=name) for name in UNITS)
    results = [
        result("ana", first),
        result("ana", second, ("passed", "failed")),
        result("bo", first, ("failed", "failed")),
        result("cem", first, NOTHING, message="not implemented yet"),
        result("cem", second, NOTHING, ("passed", "passed"), message="not implemented yet"),
        ungradable("dee", second),
    ]
    path = write_class_report(results, [first, second], tmp_path)
    assert cells(path, "ana", 0) == [("full", "6"), ("part", "2")]
    assert cells(path, "bo", 0) == [("none", "0"), ("absent", "")]
    assert cells(path, "cem", 0) == [("unwritten", "·"), ("part", "3")]
    assert cells(path, "dee", 0) == [("absent", ""), ("ungraded", "?")]
    assert cells(path, "bo", 1) == [("none", "0"), ("none", "0")]
    assert cells(path, "cem", 2) == [("unwritten", "·"), ("full", "3")]
    assert cells(path, "dee", 2) == [("ungraded", "?"), ("ungraded", "?")]
    text = Page(path).text
    assert "ana 8 6 2" in text and "cem ▲ 3 · ▲ 3" in text and "dee ▲ – ? ▲" in text


def test_names_stand_wherever_a_student_is_named(tmp_path: Path) -> None:
    wrong = [result(f"s{n}", unit(), ("failed", "failed")) | {"digest": "d"} for n in range(2)]
    results = [*wrong, ungradable("s2", unit(), "the file is empty"), result("s3", unit(), ("unavailable", "passed"))]
    grades = {
        (one.student, one.unit): replace(of_result(one), name=clean(f"Doe, {one.student.upper()}"))
        for one in map(typed, results)
    }
    remarks = [Remark(clean("s1/notes.txt"), clean("an `x` stands there"))]
    page = Page(class_report.write_class_report([*map(typed, results)], grades, [unit()], tmp_path, remarks))
    parts = re.split("Misconceptions |Scores Student|Needs a look Student|Alike No proof", page.text)
    causes, looks, alike = parts[-4], parts[-2], parts[-1]
    assert "s0 Doe, S0" in causes and "s1 Doe, S1" in causes
    assert "s2 Doe, S2" in looks and "s1 Doe, S1" in looks and "s3 (Doe, S3)" in looks
    assert "s0 Doe, S0" in alike and "s1 Doe, S1" in alike
    assert "<code>x</code>" in (tmp_path / "report" / "index.html").read_text() and "`x`" not in page.text


def test_the_page_tells_the_class_in_the_order_in_which_people_ask(tmp_path: Path) -> None:
    units = [unit(name=name) for name in UNITS]
    page = Page(write_class_report([one for of in units for one in everyone(of)], units, tmp_path))
    page.assert_harmless()
    ids = [str(a["id"]) for _, a in page.tags if "id" in a]
    assert [name for name in ids if not name.startswith("look-")] == ["class", "misconceptions", *UNITS, "look"]
    ways = {str(a["href"])[1:] for tag, a in page.tags if tag == "a" and str(a["href"]).startswith("#")}
    assert ways - set(ids) == set() and len(ids) == len(set(ids))
    assert SECRET not in page.text


@pytest.mark.parametrize(("students", "open_names"), [(30, 30), (31, 20), (200, 20)])
def test_a_crowd_that_shares_a_misconception_is_folded_and_nobody_is_left_out(
    students: int, open_names: int, tmp_path: Path
) -> None:
    """Up to 30 names are open; of more, only the first 20 are, so that the next cause stays in sight."""
    of = unit("attention_weights")
    path = write_class_report([result(f"s{n:03}", of, ("failed", "failed")) for n in range(students)], [of], tmp_path)
    html = path.read_text(encoding="utf-8")
    card = html[html.index('<article class="cause">') : html.index("</article>")]
    shown, folded = (re.search(tag, card) for tag in ('<p class="who">.*?</p>', '<details class="who">.*?</details>'))
    names = [re.findall(r"<bdi>(s\d+)</bdi>", part[0]) if part else [] for part in (shown, folded)]
    assert len(names[0]) == open_names
    assert sorted(names[0] + names[1]) == [f"s{n:03}" for n in range(students)]
    assert (f"<summary>and {students - open_names} more</summary>" in card) == (students > open_names)


@pytest.mark.parametrize(
    ("number", "wanted"),
    [
        (5, [("took too long", "attention_weights, attention_output: No answer after 10 s.")]),
        (6, [("the process ended", "attention_output: The process ended (killed: more than 2 GB).")]),
        (7, [("not accepted", "attention_weights, attention_output: The exercise asks to do without softmax.")]),
        (4, [("empty", "no answer in any exercise")]),
        (8, [("", "tried to open /etc/shadow")]),
        (9, [("not graded", "the file is cut off in the middle (not valid JSON)")]),
        (0, []),
    ],
)
def test_what_needs_a_look_is_one_short_line_for_each_kind(number: int, wanted: list[tuple[str, str]]) -> None:
    one = typed(everyone(unit())[number])
    lines = needs_a_look(one, all_grades([one], {})[one.student, one.unit])
    assert [(line.kind, line.text) for line in lines] == wanted


def test_what_is_said_of_files_is_counted_and_marked_like_what_is_said_of_answers(tmp_path: Path) -> None:
    of, second = (unit(name=name) for name in UNITS)
    remarks = [
        Remark(clean(where), line(text), look)
        for where, text, look in (
            (f"ana/{of.name}/draft.ipynb", "the first words", True),
            ("bo/work.zip", "the second words", True),
            (f"bo/{second.name}", "the third words", True),
            ("gradebook", "the fourth words", True),
            ("nobody/x.pdf", "the fifth words", True),
            ("cem", "words that a rule has settled", False),
        )
    ]
    results = [typed(result(name, of)) for name in ("ana", "bo", "cem")]
    path = class_report.write_class_report(results, all_grades(results, {}), [of, second], tmp_path, remarks)
    page = Page(path)
    page.assert_harmless()
    assert "lines that need a look 5" in page.text and "Needs a look (5)" in page.text and "Files (1)" in page.text
    assert "ana ▲ 6 6 ▲" in page.text and "bo ▲ 6 6 cem 6 6" in page.text
    table = page.text.partition("Student Unit What ")[2]
    assert table.startswith(
        "ana 3 draft.ipynb: the first words bo work.zip: the second words bo 06_masking: the third words "
        "gradebook The fourth words nobody/x.pdf The fifth words Notes on files"
    )
    assert table.partition("Where What")[2].startswith(" cem Words that a rule has settled")
    lines = {str(a["id"]) for tag, a in page.tags if tag == "tr" and "id" in a}
    marks = {str(a["href"])[1:] for tag, a in page.tags if a.get("class") == "mark-look" and tag == "a"}
    assert marks == {"look-0", "look-1"} < lines


def test_a_report_says_that_nothing_needs_a_look_only_where_that_is_so(tmp_path: Path) -> None:
    empty = result("ana", unit(), NOTHING, message="not implemented yet")
    for one, remarks, nothing in (
        (result("ana", unit()), (), True),
        (empty, (), False),
        (result("ana", unit()), (Remark(clean("x.pdf"), line("it lies in no student's folder")),), False),
    ):
        results = [typed(one)]
        path = class_report.write_class_report(results, all_grades(results, {}), [unit()], tmp_path, remarks)
        text = Page(path).text
        assert ("Nothing: every submission was graded" in text) == nothing
        assert ("lines that need a look 0" in text) == nothing


def analysed(*verdicts: tuple[tuple[str, str], ...]) -> list[items.Item]:
    of = unit("first", "second", "third")
    results = [typed(result(f"s{number}", of, *verdict)) for number, verdict in enumerate(verdicts)]
    return items.analyse(
        of, [(one, grade) for one, grade in zip(results, all_grades(results, {}).values(), strict=True)]
    )


def test_difficulty_and_discrimination_are_those_of_the_textbook() -> None:
    """The points of `first` are 3, 3, 0, 0, and those of the others 6, 6, 6, 3: r = 4.5 / √(9 · 6.75) = 0.577."""
    good, bad = ("passed", "passed"), ("failed", "failed")
    first, second, third = analysed((good, good, good), (good, good, good), (bad, good, good), (bad, bad, good))
    assert (first.difficulty, second.difficulty, third.difficulty) == (0.5, 0.75, 1.0)
    assert first.discrimination == pytest.approx(4.5 / (9 * 6.75) ** 0.5)
    assert second.discrimination == pytest.approx(4.5 / (6.75 * 9) ** 0.5) and third.discrimination is None


def test_an_item_counts_what_is_not_written_apart_from_what_is_wrong() -> None:
    verdicts = [("passed", "passed"), ("passed", "failed"), ("failed", "failed"), NOTHING]
    item = analysed(*((verdict,) for verdict in verdicts))[0]
    assert (item.full, item.part, item.none, item.unwritten) == (1, 1, 1, 1)


def test_a_student_alone_in_class_and_an_empty_class_have_a_report(tmp_path: Path) -> None:
    alone = Page(write_class_report([result("ana", unit())], [unit()], tmp_path))
    assert "No visible check failed." in alone.text and labels(alone) == [] and "Totals" not in alone.text
    assert "mean –" in Page(write_class_report([ungradable("jo", unit())], [unit()], tmp_path)).text
    assert "no results" in Page(write_class_report([], [unit()], tmp_path)).text


def labels(page: Page) -> list[str]:
    return [str(a["aria-label"]) for _, a in page.tags if a.get("class") == "tenths"]


def test_the_bars_say_in_words_what_they_show(tmp_path: Path) -> None:
    """The spread of the totals and of each unit is told in numbers to a reader who cannot see it."""
    good, bad = ("passed", "passed"), ("failed", "failed")
    verdicts: list[tuple[Any, ...]] = [(good, bad), (good, bad), (bad, good), (bad, bad)]
    units = [unit(name=name) for name in UNITS]
    results = [result(f"s{n}", of, *verdict) for of in units for n, verdict in enumerate(verdicts)]
    page = Page(write_class_report(results, units, tmp_path))
    totals, *each = labels(page)
    assert totals.endswith("in tenths from 0 to 100 %: 1, 0, 0, 0, 0, 3, 0, 0, 0, 0") and each == [totals, totals]
    spreads = [str(a["title"]) for _, a in page.tags if a.get("class") == "spread"]
    assert spreads == ["median 50 %, half of 4 students between 38 % and 50 %"] * 2
    assert "25 % −0.58" in page.text  # an exercise's difficulty and discrimination, in its unit's table
    assert tenths([-0.1, 0.0, 0.3, 0.7, 1.0, 1.2]) == [2, 0, 0, 1, 0, 0, 0, 1, 0, 2]
