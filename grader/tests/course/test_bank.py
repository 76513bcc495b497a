"""The whole answer bank: right answers are accepted, wrong ones refused in the promised words, no fake believed."""

import os
import re
from collections import Counter
from pathlib import Path
from zlib import crc32

import pytest
from weekly import DRAWS, WEEKLY, weekly_but

from nbproctor.authoring import trial
from nbproctor.course import answers as answer_bank
from nbproctor.course.units import CourseError, Exercise, Unit, load_unit, unit_names

UNITS = unit_names()
WORKERS = os.cpu_count() or 1
NAMED_SHARE = 0.95
OF_WRONG = 20  # for a change the grader gets one of so many wrong answers
per_unit = pytest.mark.parametrize("unit", UNITS)


@pytest.fixture(scope="module")
def units() -> dict[str, Unit]:
    return {name: load_unit(name) for name in UNITS}


@per_unit
def test_the_answer_bank_is_as_large_as_the_course_asks_for(unit: str) -> None:
    of = load_unit(unit)
    kinds = Counter((answer.exercise, answer.kind) for answer in answer_bank.bank(of))
    for exercise in of.exercises:
        right, wrong = (2, 4) if exercise.name.startswith("predicted") else (3, 8)
        assert kinds[exercise.name, "right"] >= right + 1, exercise.name  # the reference solution does not count
        assert kinds[exercise.name, "wrong"] >= wrong, exercise.name


@per_unit
def test_nearly_every_wrong_answer_is_named_by_the_check_that_a_student_sees(unit: str) -> None:
    """Only the hidden check says whether a prediction holds."""
    wrong = [answer for answer in answer_bank.bank(load_unit(unit)) if answer.kind == "wrong"]
    by_hidden = [f"{answer.exercise}: {answer.label}" for answer in wrong if answer.by_hidden]
    assert len(by_hidden) <= (1 - NAMED_SHARE) * len(wrong), by_hidden


@per_unit
def test_every_answer_gets_what_it_deserves_whatever_the_draw(unit: str, units: dict[str, Unit]) -> None:
    """Right answers pass, wrong ones fail in the promised words, stubs say so, and shortcuts are refused.

    The answers run natively, as in a student's notebook, under random draws. No check lets an answer through under one
    draw and not under another, and what the visible check refuses the hidden one refuses alone, too.
    """
    tried = trial.natively(units, answer_bank.bank(units[unit]), DRAWS, 1)
    assert trial.troubles(tried) == []


@pytest.mark.parametrize("unit", weekly_but(UNITS, "01_embeddings"))
def test_every_answer_gets_the_same_in_the_grader(unit: str, units: dict[str, Unit], tmp_path: Path) -> None:
    """The grader, too, accepts the right answers, refuses the wrong ones in the promised words, and knows the stubs.

    For a change it gets the answers of one unit; of its wrong answers that the visible check refuses, one in twenty.
    """
    bank = answer_bank.bank(units[unit])
    bank = bank if WEEKLY else for_the_grader(bank)
    assert {answer.kind for answer in bank} >= {"right", "wrong", "stub"}
    assert trial.examine(units, bank, tmp_path, 1, sandboxed=True) == []


def for_the_grader(bank: list[answer_bank.Answer]) -> list[answer_bank.Answer]:
    """The answers that the grader gets for a change. Which these are hardly depends on what else is in the bank."""
    found, seen = [], Counter[str]()
    for answer in sorted(bank, key=lambda answer: crc32(answer.label.encode())):
        if answer.kind == "wrong" and not answer.by_hidden:
            seen[answer.exercise] += 1
            if seen[answer.exercise] % OF_WRONG != 1:
                continue
        found.append(answer)
    return found


def test_natively_too_no_answer_suffers_from_its_company(units: dict[str, Unit]) -> None:
    unit = units["03_self_attention"]
    first = next(e for e in unit.exercises if e.name == "attend_one")
    spoils = "import torch\ntorch.Tensor.softmax = torch.softmax = torch.nn.functional.softmax = None\n"
    bank = [
        answer_bank.Answer(unit.name, first.name, "right", "the reference", first.solution),
        answer_bank.Answer(unit.name, first.name, "wrong", "no softmax for anybody", spoils, "not defined"),
        answer_bank.Answer(unit.name, first.name, "right", "after that", first.solution),
        answer_bank.Answer(unit.name, first.name, "wrong", "an end", "import os\nos._exit(3)", "the process died"),
        answer_bank.Answer(unit.name, first.name, "right", "none", f"{first.name} = None\n"),
    ]
    (trouble,) = trial.troubles(trial.natively({unit.name: unit}, bank, 2, 1))
    assert f"{first.name}, right: none: refused" in trouble
    found = trial.verdicts({unit.name: unit}, [bank[3], bank[0]], 2, 1)
    assert [[visible.status for visible, _ in pairs] for pairs in found] == [["died"], ["passed", "passed"]]


def test_points_that_hang_on_the_draw_are_told() -> None:
    """One that it always refuses, or never, is not."""
    answer = answer_bank.Answer("03_self_attention", "attend_one", "wrong", "a label", "", "words")
    failed, passed = trial.Verdict("failed", "words"), trial.Verdict("passed", "")
    assert trial.chance(answer, [(failed, failed), (failed, failed)]) == []
    assert trial.chance(answer, [(failed, passed), (failed, passed)]) == []
    (told,) = trial.chance(answer, [(failed, failed), (failed, passed), (failed, passed)])
    assert "hidden check by chance, under draw 2, 3 of 3" in told


def test_a_refused_answer_that_keeps_its_hidden_points_is_told_unless_it_is_marked(tmp_path: Path) -> None:
    refused, passed = trial.Verdict("failed", "the words"), trial.Verdict("passed", "")
    unit = load_unit("03_self_attention")
    path = tmp_path / "grader" / "answers" / unit.name / "attend_one.py"
    path.parent.mkdir(parents=True)
    path.write_text(
        '# %% wrong: one -> "words"\nattend_one = 1\n# %% wrong: two -> visible: "words"\n# a reason\nattend_one = 2\n'
    )
    one, two = (answer for answer in answer_bank.bank(unit, tmp_path) if answer.kind == "wrong")
    assert "refused, but the hidden check passes it" in trial.judge(one, refused, passed)
    assert (trial.judge(two, refused, passed), two.source) == ("", "attend_one = 2\n")
    assert trial.judge(one, refused, refused) == trial.judge(two, refused, refused) == ""
    path.write_text('# %% wrong: two -> visible: "words"\nattend_one = 2\n')
    with pytest.raises(CourseError, match="a comment that says why the hidden check passes it"):
        answer_bank.bank(unit, tmp_path)


# Exercises whose results carry no gradient: numbers, words, masks, indices, verdicts, tables made from sizes alone.
NO_GRADIENT = {
    "nearest_other", "encode", "learn_merges", "sinusoidal_positions", "score_spread", "is_permutation_equivariant",
    "previous_word_head", "from_torch", "align", "causal_mask", "padding_mask", "packed_mask", "to_keep_mask",
    "looks_ahead", "is_relative", "count_parameters", "next_token_pairs",
    "next_distribution", "train", "generate", "shift_right", "greedy_decode", "reads", "crosses_sentences", "pattern",
    "divisor", "mask_meaning", "columns_of_heads",
}  # fmt: skip


WRAPPERS = """
import torch


def _each(value, change):
    if isinstance(value, (list, tuple)):
        return type(value)(_each(part, change) for part in value)
    if isinstance(value, dict):
        return {key: _each(part, change) for key, part in value.items()}
    if isinstance(value, torch.nn.Module):
        value.forward = lambda *args, _f=value.forward, **kwargs: _each(_f(*args, **kwargs), change)
        return value
    return change(value)


def _cut(one):
    return one.detach() if isinstance(one, torch.Tensor) else one


def _nan(one):
    is_number = isinstance(one, (bool, int, float, torch.Tensor))
    return one * float("nan") if is_number else "" if isinstance(one, str) else one
"""


ALTERED = {  # how -> the arguments that an answer takes, and what it returns; HONEST is the reference
    "without a gradient": ("*args, **kwargs", "_each(HONEST(*args, **kwargs), _cut)"),
    "called by position": ("*args", "HONEST(*args)"),
    "made by position": ("*args", "HONEST(*args)"),
}
LIARS = {
    "returns nothing": ("*args, **kwargs", "None"),
    "returns its first argument": ("*args, **kwargs", "args[0] if args else next(iter(kwargs.values()), None)"),
    "returns not-a-numbers of the right shape": ("*args, **kwargs", "_each(HONEST(*args, **kwargs), _nan)"),
}


def altered(unit: Unit, exercise: Exercise, how: str) -> answer_bank.Answer:
    """The reference behind a wrapper: a function, or for a class a subclass."""
    name, source = exercise.name, f"{exercise.solution}\n{WRAPPERS}\n"
    arguments, returned = (ALTERED | LIARS)[how]
    if name.startswith("predicted_"):
        source = f"{name} = " + ("float('nan')" if "_nan" in returned else "None") + "\n"
    elif re.search(rf"^class {name}\b", exercise.solution, re.M):
        method = "__init__" if how == "made by position" else "forward"
        returned = returned.replace("HONEST", f"super().{method}")
        source += f"class {name}({name}):\n    def {method}(self, {arguments}):\n        return {returned}\n"
    else:
        source += f"_honest = {name}\ndef {name}({arguments}):\n    return {returned.replace('HONEST', '_honest')}\n"
    return answer_bank.Answer(unit.name, name, "wrong", how, source)


def is_for(how: str, exercise: Exercise) -> bool:
    if "(torch.autograd.Function)" in exercise.solution:  # its apply takes no names, and nobody makes one
        return how == "without a gradient"
    if how == "made by position":
        return re.search(rf"^class {exercise.name}\b", exercise.solution, re.M) is not None
    return how == "called by position" or exercise.name not in NO_GRADIENT


def test_every_visible_check_tries_a_gradient_and_calls_by_name(units: dict[str, Unit]) -> None:
    """The names of arguments are part of every contract: an answer that takes them by position alone is refused."""
    answers = [
        altered(unit, e, how)
        for unit in units.values()
        for e in unit.exercises
        for how in ALTERED
        if not e.name.startswith("predicted_") and is_for(how, e)
    ]
    assert {answer.label for answer in answers} == set(ALTERED)
    found = trial.verdicts(units, answers, 1, WORKERS)
    accepted = [
        f"{answer.exercise}, {answer.label}"
        for answer, ((visible, _), *_) in zip(answers, found, strict=True)
        if visible.status == "passed"
    ]
    assert accepted == []


def test_a_change_is_made_where_its_lines_stand_and_refused_where_they_do_not() -> None:
    reference = (
        "def f(x):\n    ### BEGIN SOLUTION\n    y = x + 1  # (n,)\n    y = 2 * y\n    return y\n    ### END SOLUTION"
    )
    changed = answer_bank.applied(
        "- y = x + 1\n+ y = x - 1\n+ y = y.abs()\n\n  y = 2 * y\n- return y\n+ return -y\n", reference
    )
    assert changed == "def f(x):\n    y = x - 1\n    y = y.abs()\n    y = 2 * y\n    return -y"
    assert not answer_bank.is_change("def f(x):\n    return x\n")
    for change, told in (("- y = x + 2\n+ y = 1\n", "has this 0 times"), ("+ y = 1\n", "to say where it is")):
        with pytest.raises(ValueError, match=told):
            answer_bank.applied(change, reference)
    with pytest.raises(ValueError, match="has this 2 times"):
        answer_bank.applied("- y = x\n+ y = 1\n", "y = x\ny = x\n")


def test_natively_no_check_believes_what_only_looks_like_an_answer(units: dict[str, Unit]) -> None:
    """Nothing, the argument itself, and NaN of the right shape are refused by visible and hidden check alike."""
    answers = [altered(unit, e, how) for unit in units.values() for e in unit.exercises for how in LIARS]
    believed = [
        f"{answer.exercise}: {answer.label}"
        for answer, pairs in zip(answers, trial.verdicts(units, answers, 1, WORKERS), strict=True)
        if "passed" in {verdict.status for pair in pairs for verdict in pair}
    ]
    assert believed == []
