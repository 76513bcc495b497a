"""Copies with other names are told to the instructor, without a penalty; honest answers that came out alike are not."""

import dataclasses
import re
from pathlib import Path

import fake_class
import pytest
from small_class import Task, answered, grade, unit_of

from nbproctor.classroom.pages.similar import GROUP_MOST, Alike, find_alike, form_of
from nbproctor.course.units import Unit
from nbproctor.values.result import Result

WORDS = "the same except for the names in them"

MEAN = """def {0}(x):
    \"""The mean, with a detour.\"""
    total = 0
    count = 0
    for item in x:
        total = total + item * 1.0
        count = count + 1
    if count == 0:
        return 0
    scaled = total / count
    if scaled != scaled:
        scaled = 0 * count
    return scaled + 0 * count - 0 * total
"""
WIDTH = """def {0}(x):
    low, high = x[0], x[0]
    for item in x[1:]:
        if item < low:
            low = item
        if item > high:
            high = item
        if item != item:
            low, high = 0, 0
    # the distance between the two
    span = high - low
    return span if span > 0 or span < 0 else 0 * span
"""
RENAMED = {
    "total": "gesamt", "count": "anzahl", "item": "wert", "scaled": "ergebnis", "low": "unten", "high": "oben",
    "span": "breite", "x": "liste", '"The mean, with a detour."': '"Mein Mittelwert."', "# the": "# so, the",
}  # fmt: skip


def renamed(source: str) -> str:
    for old, new in RENAMED.items():
        source = re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", new, source)
    return source


@pytest.fixture(scope="module")
def unit() -> Unit:
    return unit_of(
        mean=Task("def mean(x):\n    return sum(x) / len(x)", "assert mean([1, 3]) == 2", "assert mean([2]) == 2"),
        width=Task("def width(x):\n    return max(x) - min(x)", "assert width([1, 3]) == 2", "assert width([2]) == 0"),
    )


def test_a_copy_with_other_names_is_told(unit: Unit, tmp_path: Path) -> None:
    """Row 41: both students of a copy keep all their points and are told of in one line, which accuses nobody."""
    mine = {"mean": MEAN.format("mean"), "width": WIDTH.format("width")}
    notebooks = {
        "ana": answered(unit, **mine),
        "bo": answered(unit, **{name: renamed(source) for name, source in mine.items()}),
        "cy": answered(unit, **mine | {"mean": MEAN.format("mean").replace("* 1.0", "* 1"), "width": "width = None"}),
        "di": answered(unit, mean="def mean(x):\n    return sum(x) / len(x)"),
    }
    graded = [Result.from_json(one) for one in grade(unit, tmp_path, **notebooks).values()]
    found = find_alike(graded, {unit.name: unit})
    assert found == [Alike("small", ("ana", "bo"), f"mean, width: {WORDS}")]
    told = {one.student: one for one in graded}
    assert [told[name].score for name in ("ana", "bo")] == [6.0, 6.0]
    assert [told[name].reasons for name in ("ana", "bo")] == [[], []]


def handed_in(*answers: tuple[str, str], digests: str = "", status: str = "passed") -> list[Result]:
    """Results of students who each hand in two answers; digests: a letter for the bytes of each file."""
    of, found = fake_class.unit(), []
    for number, sources in enumerate(answers):
        one = fake_class.result("abcdefgh"[number], of, (status, status))
        one["digest"] = digests[number] if digests else f"{number}"
        for exercise, source in zip(one["exercises"], sources, strict=True):
            exercise["source"] = source
        found.append(fake_class.typed(one))
    return found


def told(results: list[Result]) -> list[tuple[tuple[str, ...], str]]:
    of = fake_class.unit()
    return [(one.students, one.text) for one in find_alike(results, {of.name: of})]


LONG = MEAN.format("attention_weights"), WIDTH.format("attention_output")
SHORT = "def mean(x):\n    return sum(x) / len(x)", "def width(x):\n    return max(x) - min(x)"
BOTH = f"attention_weights, attention_output: {WORDS}"


def test_the_same_file_is_told_once() -> None:
    """Students who handed in the same bytes are in one line, and no second one says that their answers are alike."""
    assert told(handed_in(LONG, LONG, digests="xx")) == [(("a", "b"), "handed in the same file, byte for byte")]
    assert told(handed_in(LONG, LONG, digests="xy")) == [(("a", "b"), BOTH)]
    assert told(handed_in(LONG, LONG, digests="xx", status="missing")) == []


def test_honest_answers_that_came_out_alike_are_not_told() -> None:
    assert told(handed_in(LONG, LONG, LONG, LONG)) == [(("a", "b", "c", "d"), BOTH)]
    assert told(handed_in(*[LONG] * (GROUP_MOST + 1))) == []
    assert told(handed_in(LONG, (LONG[0], "width = None"))) == []
    assert told(handed_in(SHORT, SHORT)) == []
    assert told(handed_in(LONG, LONG, status="not implemented")) == []
    of = fake_class.unit()
    first, second = of.exercises
    taught = dataclasses.replace(of, exercises=(dataclasses.replace(first, solution=renamed(LONG[0])), second))
    assert find_alike(handed_in(LONG, LONG), {of.name: taught}) == []


def test_who_shares_more_than_a_group_is_named_with_both() -> None:
    of = fake_class.unit("one", "two", "three")
    sources = [
        f"def {name}():\n    return [{', '.join(map(str, range(60)))}, '{name}']" for name in ("one", "two", "three")
    ]
    results = []
    for student in "abc":
        one = fake_class.result(student, of) | {"digest": student}
        for exercise, source in zip(one["exercises"], sources, strict=True):
            exercise["source"] = f"own = '{student}'" if (student, exercise["name"]) == ("b", "three") else source
        results.append(fake_class.typed(one))
    found = find_alike(results, {of.name: of})
    assert [(one.students, one.text) for one in found] == [
        (("a", "b", "c"), f"one, two: {WORDS}"),
        (("a", "c"), f"one, two, three: {WORDS}"),
    ]


def test_a_form_keeps_what_an_answer_does() -> None:
    text = MEAN.format("mean")
    assert form_of(text) == form_of(renamed(text)) != ""
    for old, new in (("1.0", "2.0"), ("total / count", "total * count"), ("item * 1.0", "item.real * 1.0")):
        assert form_of(text) != form_of(text.replace(old, new))
