"""Copies with other names are told to the instructor, without a penalty; honest answers that came out alike are not."""

from __future__ import annotations

import re
from pathlib import Path

import fake_class
import pytest
from msgspec.structs import replace
from small_class import Task, answered, grade, unit_of

from nbproctor.classroom.pages.similar import GROUP_MOST, Alike, Likeness, alike, find_alike
from nbproctor.course.units import Unit
from nbproctor.source.form import form_of
from nbproctor.values.result import Result

BOTH = ("mean", "width")

MEAN = """def {0}(x):
    "The mean, with a detour."
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
    # the distance between the two
    span = high - low
    return span if span > 0 else 0
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
    """Row 41: both students of a copy keep all their points and are told of in one line, which accuses nobody.

    Students who wrote their own answers are not in it.
    """
    mine = {"mean": MEAN.format("mean"), "width": WIDTH.format("width")}
    notebooks = {
        "ana": answered(unit, **mine),
        "bo": answered(unit, **{name: renamed(source) for name, source in mine.items()}),
        "cy": answered(unit, **mine | {"mean": MEAN.format("mean").replace("* 1.0", "* 1"), "width": "width = None"}),
        "di": answered(unit, mean="def mean(x):\n    return sum(x) / len(x)"),
    }
    graded = [Result.from_json(one) for one in grade(unit, tmp_path, **notebooks).values()]
    found = find_alike(graded, {unit.name: unit})
    assert found == [Alike("small", ("ana", "bo"), "mean, width: the same except for the names in them")]
    told = {one.student: one for one in graded}
    assert [told[name].score for name in ("ana", "bo")] == [6.0, 6.0]
    assert [told[name].reasons for name in ("ana", "bo")] == [[], []]


def test_the_same_file_is_told_once() -> None:
    """Students who handed in the same bytes are in one line, and no second one says that their answers are alike.

    The notebook as it was given out says nothing, however many hand it in.
    """
    of = fake_class.unit()
    graded = []
    for student, digest, status in (
        ("ana", "a", "passed"),
        ("bo", "a", "passed"),
        ("di", "b", "missing"),
        ("eve", "b", "missing"),
    ):
        one = fake_class.result(student, of, (status, status)) | {"digest": digest}
        for exercise in one["exercises"]:
            exercise["form"] = exercise["name"] * 3
        graded.append(fake_class.typed(one))
    assert find_alike(graded, {of.name: of}) == [
        Alike(of.name, ("ana", "bo"), "handed in the same file, byte for byte")
    ]
    other = replace(graded[1], digest="c")
    words = "attention_weights, attention_output: the same except for the names in them"
    assert find_alike([graded[0], other], {of.name: of}) == [Alike(of.name, ("ana", "bo"), words)]


def answers(*sources: tuple[str, str]) -> list[tuple[int, str, str]]:
    """(number of the student, exercise, form) for students who each hand in `mean` and `width`."""
    return [
        (n, name, form_of(text, name))
        for n, pair in enumerate(sources)
        for name, text in zip(("mean", "width"), pair, strict=True)
    ]


def test_honest_answers_that_came_out_alike_are_not_told() -> None:
    """Answers that came out alike are not told where that may well happen honestly.

    That is so for short answers, for the form of the reference, for an answer that more than GROUP_MOST students share,
    and where only one answer of a unit is alike.
    """
    none = {"mean": "", "width": ""}
    long = MEAN.format("mean"), WIDTH.format("width")
    assert alike(answers(long, long), none) == [Likeness(0, (1,), BOTH), Likeness(1, (0,), BOTH)]
    assert alike(answers(*[long] * (GROUP_MOST + 1)), none) == []
    assert alike(answers(long, (long[0], "width = None")), none) == []
    assert alike(answers(long, long), {"mean": form_of(renamed(long[0]), "mean"), "width": ""}) == []
    short = "def mean(x):\n    return sum(x) / len(x)", "def width(x):\n    return max(x) - min(x)"
    assert alike(answers(short, short), none) == []


def test_a_group_that_copied_is_told_of_as_one() -> None:
    """In a group of two to GROUP_MOST students who share their answers, each one's note names all the others.

    A student who shares only one of the answers is named apart.
    """
    none = {"mean": "", "width": ""}
    long = MEAN.format("mean"), WIDTH.format("width")
    for size in range(2, GROUP_MOST + 1):
        found = alike(answers(*[long] * size), none)
        assert found == [Likeness(n, tuple(set(range(size)) - {n}), BOTH) for n in range(size)]
    found = alike(answers(long, long, (long[0], "width = None")), none)
    assert found == [Likeness(0, (1,), BOTH, (2,)), Likeness(1, (0,), BOTH, (2,))]


def test_who_shares_more_than_a_group_is_one_of_it() -> None:
    """Two share three answers, and one has two of these: all three are alike in these two, and nobody only in part."""
    forms = [(who, name, name * 9) for who, names in ((0, "abc"), (1, "ab"), (2, "abc")) for name in names]
    assert alike(forms, {"a": "", "b": "", "c": ""}) == [
        Likeness(0, (1, 2), ("a", "b")), Likeness(0, (2,), ("a", "b", "c"), (1,)),
        Likeness(1, (0, 2), ("a", "b")),
        Likeness(2, (0, 1), ("a", "b")), Likeness(2, (0,), ("a", "b", "c"), (1,)),
    ]  # fmt: skip


CLASS = """class Scaled:
    "A scaled sum."
    def __init__(self, size, scale=1.0):
        "Keep them."
        self.size = size
        self.scale = scale * size ** 0.5 + 0.0
    def weighted(self, x, offset=0.0):
        total = offset
        for item in x:
            total = total + item / self.scale
        return total
    def twice(self, x):
        return self.weighted(x, offset=self.weighted(x, offset=float(self.size)))
made = Scaled(size=4, scale=0.5)
"""


def test_a_copied_class_keeps_its_form() -> None:
    """A copied class keeps its form whatever its own names and docstrings are.

    Names and keywords of a library, such as torch's, are part of the form.
    """
    form = form_of(CLASS, "made")
    assert form
    other = CLASS
    for old, new in {"A scaled sum.": "Eine Summe.", "Scaled": "Summe", "size": "n", "scale": "faktor",
                     "weighted": "gewichtet", "offset": "start", "twice": "zweimal"}.items():  # fmt: skip
        other = re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", new, other)
        assert form_of(other, "made") == form, old
    assert form_of(other.replace('    "Eine Summe."\n', ""), "made") == form
    for old, new in (("self.scale\n", "self.size\n"), ("x, offset=self", "x, self"), ("0.5 +", "0.5 -")):
        assert form_of(CLASS.replace(old, new), "made") not in ("", form), old
    theirs = CLASS.replace("return total", "return torch.sum(total, dim=-1)")
    assert form_of(theirs, "made") != form_of(theirs.replace("dim", "axis"), "made") != ""


def test_a_form_keeps_what_an_answer_does() -> None:
    """A form differs where an answer has another number, operator, attribute or global.

    It is the same where only names, comments or docstrings differ.
    """
    text = MEAN.format("mean")
    assert form_of(text, "mean") == form_of(renamed(text), "mean") != ""
    for old, new in (("1.0", "2.0"), ("total / count", "total * count"), ("item * 1.0", "item.real * 1.0")):
        assert form_of(text, "mean") != form_of(text.replace(old, new), "mean")
    assert form_of("def mean(x:", "mean") == ""
