"""Which misconceptions a class has: the cause in the check's words, who has it, a line of code, and what to teach."""

import copy
import time
from pathlib import Path
from typing import Any

import pytest
from fake_class import everyone, result, typed, unit
from test_report import SCRIPT, Page, write_class_report

from nbproctor.border.protocol import NO_INPUT
from nbproctor.classroom.pages.misconceptions import (
    Misconception,
    example_lines,
    find,
    gather,
    masked,
    question,
    statement,
)
from nbproctor.course.units import Unit


def found(results: list[dict[str, Any]], *units: Unit) -> list[Misconception]:
    return find(gather([typed(one) for one in results], units), {of.name: of for of in units})


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        ("Rows sum to 0.83 along the keys, expected 1.\nSoftmax over the last axis?", "Softmax over the last axis?"),
        ("Is it cut? torch.no_grad cuts it.\nAt [0, 1] we expected 0.5000 and got nan.", "Is it cut?"),
        ("Are the layers `nn.Linear(d_in, d_out, bias=…)`\nof their own, set on self?",
         "Are the layers `nn.Linear(d_in, d_out, bias=…)` of their own, set on self?"),
        ("f(x) stopped with ValueError: why? because\nIs there a `return`?", "Is there a `return`?"),
        ("The activation is gelu, expected relu.", ""),
    ],
)  # fmt: skip
def test_the_cause_is_the_question_that_the_message_asks(message: str, cause: str) -> None:
    assert question(message) == cause


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("The output is wrong.\nThe scores are not scaled.\nAt [0] we expected 1.0 and got 2.0.",
         "The scores are not scaled."),
        ("Expected (11,). There is none.", "Expected (11,). There is none."),
        ("f(x) stopped with TypeError: bad\nIt happened in the line `x + 1`.\n", "f(x) stopped with TypeError: bad"),
    ],
)  # fmt: skip
def test_a_message_that_asks_nothing_is_told_by_what_it_comes_to(message: str, told: str) -> None:
    assert question(message) == "" and statement(message) == told


def test_what_differs_only_in_its_numbers_is_one_thing() -> None:
    assert masked("linear1 has 3") == masked("linear1 has -1.2e-05") != masked("linear2 has 3")


def test_who_has_it_is_counted_whatever_the_numbers_and_one_real_message_stands_below() -> None:
    first, second = found(everyone(unit()), unit())
    assert first.cause == "Softmax over the last axis?"
    assert [holder.student for holder in first.holders] == ["bo", "cem"]
    assert [(place.exercise, place.students) for place in first.places] == [
        ("attention_weights", 2),
        ("attention_output", 1),
    ]
    assert first.message == "Rows sum to 0.83 along the keys, expected 1.\nSoftmax over the last axis?"
    assert second.cause == "TypeError: expected 2 arguments, got 3" and len(second.holders) == 1


def test_who_asks_for_input_has_no_misconception() -> None:
    one = unit()
    told = f"f(x) stopped with EOFError: {NO_INPUT}\nIs there a `return`?"
    assert found([result("ana", one, ("error", "failed"), message=told)], one) == []


def test_one_cause_in_two_units_is_one_misconception_with_two_places() -> None:
    """The same cause in two units is listed once, with a count for each; a student who has it in both counts once."""
    units = [unit(name=name) for name in ("03_self_attention", "06_masking")]
    wrong = [
        result(student, of, ("failed", "failed"), ("passed", "passed")) for of in units for student in ("bo", "cem")
    ]
    wrong.append(result("dee", units[1], ("failed", "failed"), ("passed", "passed")))
    (one,) = found(wrong, *units)
    assert [(place.unit, place.students) for place in one.places] == [("06_masking", 3), ("03_self_attention", 2)]
    assert [(holder.student, holder.unit) for holder in one.holders] == [
        ("bo", "06_masking"), ("cem", "06_masking"), ("dee", "06_masking"),
    ]  # fmt: skip


REFERENCE = "def f(q, k):\n    scores = q @ k.mT\n    weights = scores.softmax(-1)\n    return weights"


@pytest.mark.parametrize(
    ("changed", "message", "shown"),
    [
        (REFERENCE.replace("softmax(-1)", "softmax(-2)"), "Is the softmax over the queries?",
         "weights = scores.softmax(-2)"),
        (REFERENCE.replace("q @ k.mT", "q @ k").replace("(-1)", "(-2)"), "Is the softmax over the queries?",
         "scores = q @ k\nweights = scores.softmax(-2)"),
        (REFERENCE.replace("    weights = scores.softmax(-1)\n", ""), "Is there a softmax?", "return weights"),
        (REFERENCE.replace("(-1)", "(-2)") + "  # done", "f(x) stopped with RuntimeError: no\n"
         "It happened in the line `scores = q @ k.mT`.\n", "scores = q @ k.mT"),
        ('def f(q, k):\n    """softmax(-2)\n    softmax\n    """\n    # softmax\n    return q', "Is there a softmax?",
         "return q"),
        ("", "Is there a softmax?", ""),
    ],
)  # fmt: skip
def test_the_example_is_the_line_that_shows_the_mistake(changed: str, message: str, shown: str) -> None:
    one = result("bo", unit("f"), ("failed", "failed"), message=message, source=changed)
    of = unit("f")
    known = typed(result("ana", of, source=REFERENCE))
    (finding,) = gather([typed(one), known], [of]).failed
    assert example_lines(finding, gather([known], [of]).right[of.name, "f"]) == shown


def test_the_example_is_of_the_student_whose_answer_differs_least() -> None:
    """The example comes from bo, who made only this mistake, and not from ana, who changed much besides."""
    of = unit("f")
    bo = REFERENCE.replace("(-1)", "(-2)")
    wrong = [
        result("ana", of, ("failed", "failed"), source=bo.replace("scores", "s").replace("q @", "1.0 * q @")),
        result("bo", of, ("failed", "failed"), source=bo),
        result("cem", of, source=REFERENCE),
    ]
    (one,) = found(wrong, of)
    assert (one.author.student, one.lines) == ("bo", "weights = scores.softmax(-2)")


def test_the_section_to_teach_again_is_the_heading_above_the_exercise(tmp_path: Path) -> None:
    of = unit("f")
    cells = copy.deepcopy(of.instructor["cells"])
    cells[2:2] = [{"cell_type": "markdown", "metadata": {}, "source": "## The *order* of `words`\nText.\n"}]
    taught = Unit(of.name, of.notebook, {**of.instructor, "cells": cells}, of.setup, of.exercises)
    (one,) = found([result("bo", taught, ("failed", "failed"))], taught)
    assert [place.section for place in one.places] == ["The order of words"]
    text = Page(write_class_report([result("bo", taught, ("failed", "failed"))], [taught], tmp_path)).text
    assert "Teach again: The order of words" in text


def test_the_report_leads_with_the_cause_and_links_everyone_to_their_answer(tmp_path: Path) -> None:
    message, source = f"{SCRIPT}\nIs it {SCRIPT}?", f"x = 1 # {SCRIPT}\n"
    wrong = [result(name, unit(), ("failed", "failed"), message=message, source=source) for name in ("bo", "cem")]
    page = Page(write_class_report(wrong, [unit()], tmp_path))
    page.assert_harmless()
    cards = page.text.split("Misconceptions", 2)[2]
    assert cards.index("2") < cards.index("Is it <script>alert('x')</script>") < cards.index("wrote")
    ways = [str(a["href"]) for tag, a in page.tags if tag == "a"]
    for name in ("bo", "cem"):
        assert f"../feedback/{name}/03_self_attention/03_self_attention.html#attention_output" in ways


def test_a_megabyte_of_text_is_searched_at_its_beginning(tmp_path: Path) -> None:
    endless = "It happened in the line `x " * 40_000
    start = time.process_time()
    findings = gather([typed(result("mal", unit(), ("failed", "failed"), message=endless))], [unit()])
    assert {one.student for one in findings.failed} == {"mal"}
    assert time.process_time() - start < 2
