"""The whole answer bank: right answers are accepted, wrong ones refused in the promised words, no fake believed."""

import ast
import json
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
from nbproctor.exam.sit import Limits
from nbproctor.run.batch import run
from nbproctor.run.job import Job
from nbproctor.values.submission import Submission

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
    """The bank holds at least 8 wrong and 3 right answers for each function or class, 4 and 2 for each prediction."""
    of = load_unit(unit)
    kinds = Counter((answer.exercise, answer.kind) for answer in answer_bank.bank(of))
    for exercise in of.exercises:
        right, wrong = (2, 4) if exercise.name.startswith("predicted") else (3, 8)
        assert kinds[exercise.name, "right"] >= right + 1, exercise.name  # the reference solution does not count
        assert kinds[exercise.name, "wrong"] >= wrong, exercise.name


@per_unit
def test_nearly_every_wrong_answer_is_named_by_the_check_that_a_student_sees(unit: str) -> None:
    """Of a hundred wrong answers at most five are left to the hidden check, so that a student learns of the others.

    Only the hidden check says whether a prediction holds.
    """
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


def test_an_answer_that_its_company_spoils_is_graded_again_alone(units: dict[str, Unit], tmp_path: Path) -> None:
    """An answer may break what those after it use; these are graded again alone, and told as they are by themselves."""
    unit = units["03_self_attention"]
    first, last = (next(e for e in unit.exercises if e.name == name) for name in ("attend_one", "SelfAttentionHead"))
    spoils = "import torch\ntorch.Tensor.softmax = torch.softmax = torch.nn.functional.softmax = None\n"
    bank = [
        answer_bank.Answer(unit.name, first.name, "wrong", "no softmax for anybody", spoils, "not defined"),
        answer_bank.Answer(unit.name, last.name, "right", "the reference", last.solution),
        answer_bank.Answer(unit.name, last.name, "right", "none", f"{last.name} = None\n"),
    ]
    (trouble,) = trial.examine({unit.name: unit}, bank, tmp_path, 1, sandboxed=True)
    assert f"{last.name}, right: none: refused" in trouble


def test_natively_too_no_answer_suffers_from_its_company(units: dict[str, Unit]) -> None:
    """Natively, answers share a process; what one of them breaks, or ends, is whole again for those after it."""
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
    """A wrong answer that the hidden check lets through only now and then is reported.

    One that it always refuses, or never, is not.
    """
    answer = answer_bank.Answer("03_self_attention", "attend_one", "wrong", "a label", "", "words")
    failed, passed = trial.Verdict("failed", "words"), trial.Verdict("passed", "")
    assert trial.chance(answer, [(failed, failed), (failed, failed)]) == []
    assert trial.chance(answer, [(failed, passed), (failed, passed)]) == []
    (told,) = trial.chance(answer, [(failed, failed), (failed, passed), (failed, passed)])
    assert "hidden check by chance, under draw 2, 3 of 3" in told


def test_a_refused_answer_that_keeps_its_hidden_points_is_told_unless_it_is_marked(tmp_path: Path) -> None:
    """A wrong answer that the hidden check passes alone is reported, unless the bank marks it and says why."""
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


def altered(exercise: Exercise, call: str, method: str) -> str:
    """The reference behind a wrapper: the function `call`, or for a class a subclass with another `method`."""
    name, source = exercise.name, exercise.solution
    node = next((n for n in ast.parse(source).body if getattr(n, "name", "") == name), None)
    if isinstance(node, ast.ClassDef):
        return f"{source}\n\nclass {name}({name}):\n    {method}\n"
    return f"{source}\n\n_honest = {name}\n\n{call}\n"


CUT = """
def _cut(value):
    if isinstance(value, torch.Tensor):
        return value.detach()
    if isinstance(value, (list, tuple)):
        return type(value)(_cut(part) for part in value)
    if isinstance(value, nn.Module):
        value.forward = lambda *args, _f=value.forward, **kwargs: _cut(_f(*args, **kwargs))
    return value


"""
ALTERED = {  # how -> what stands above, the function, and for a class its method
    "without a gradient": (
        CUT,
        "def NAME(*args, **kwargs):\n    return _cut(_honest(*args, **kwargs))",
        "def forward(self, *args, **kwargs):\n        return _cut(super().forward(*args, **kwargs))",
    ),
    "called by position": (
        "",
        "def NAME(*args):\n    return _honest(*args)",
        "def forward(self, *args):\n        return super().forward(*args)",
    ),
    "made by position": ("", "", "def __init__(self, *args):\n        super().__init__(*args)"),
}


def is_for(how: str, exercise: Exercise) -> bool:
    if "(torch.autograd.Function)" in exercise.solution:  # its apply takes no names, and nobody makes one
        return how == "without a gradient"
    if how == "made by position":
        return re.search(rf"^class {exercise.name}\b", exercise.solution, re.M) is not None
    return how == "called by position" or exercise.name not in NO_GRADIENT


def test_every_visible_check_tries_a_gradient_and_calls_by_name(units: dict[str, Unit]) -> None:
    """An answer with the right numbers but no gradient is refused at once, and does not pass first and crash later.

    The names of arguments are part of every contract: an answer that takes them by position alone is refused.
    """
    answers = [
        answer_bank.Answer(
            unit.name, e.name, "wrong", how, above + altered(e, function.replace("NAME", e.name), method)
        )
        for unit in units.values()
        for e in unit.exercises
        for how, (above, function, method) in ALTERED.items()
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
    """Indentation and comments do not matter for the place of a change; a missing or repeated place is an error."""
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


LIARS = {
    "returns nothing": "None",
    "returns its first argument": "args[0] if args else next(iter(kwargs.values()), None)",
    "returns not-a-numbers of the right shape": "_nan(_honest(*args, **kwargs))",
}
NAN = """
def _nan(value):
    import torch
    if isinstance(value, torch.Tensor):
        return value * float("nan")
    if isinstance(value, torch.nn.Module):
        value.forward = lambda *args, _f=value.forward, **kwargs: _nan(_f(*args, **kwargs))
        return value
    if isinstance(value, dict):
        return {key: _nan(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_nan(inner) for inner in value)
    if isinstance(value, str):
        return ""
    return float("nan") if isinstance(value, (bool, int, float)) else value
"""


def liar(exercise: Exercise, body: str) -> str:
    """An answer with the reference's signature and errors, whose every result is replaced."""
    name, source = exercise.name, exercise.solution
    node = next((n for n in ast.parse(source).body if getattr(n, "name", "") == name), None)
    if isinstance(node, ast.FunctionDef):
        return f"{source}\n{NAN}\n_honest = {name}\n\ndef {name}(*args, **kwargs):\n    return {body}\n"
    if isinstance(node, ast.ClassDef):
        inner = body.replace("_honest(", "super().forward(")
        forward = f"    def forward(self, *args, **kwargs):\n        return {inner}\n"
        return f"{source}\n{NAN}\n\nclass {name}({name}):\n{forward}"
    return f"{name} = " + ("float('nan')" if "_nan" in body else "None") + "\n"


def test_natively_no_check_believes_what_only_looks_like_an_answer(units: dict[str, Unit]) -> None:
    """Nothing, the argument itself, and NaN of the right shape are refused by visible and hidden check alike."""
    answers = [
        answer_bank.Answer(unit.name, exercise.name, "wrong", label, liar(exercise, body))
        for unit in units.values()
        for exercise in unit.exercises
        for label, body in LIARS.items()
    ]
    believed = [
        f"{answer.exercise}: {answer.label}"
        for answer, pairs in zip(answers, trial.verdicts(units, answers, 1, WORKERS), strict=True)
        if "passed" in {verdict.status for pair in pairs for verdict in pair}
    ]
    assert believed == []


@pytest.mark.parametrize("name", weekly_but(UNITS, "03_self_attention"))
def test_an_answer_that_only_looks_like_one_gets_no_point(name: str, units: dict[str, Unit], tmp_path: Path) -> None:
    """In the grader, too: nothing, the argument itself, and NaN of the right shape are refused by both checks."""
    submissions, unit = [], units[name]
    for label, body in LIARS.items():
        sources = {exercise.name: liar(exercise, body) for exercise in unit.exercises}
        for source in sources.values():
            compile(source, unit.name, "exec")
        path = tmp_path / f"{label} {unit.name}.ipynb"
        path.write_text(json.dumps(answer_bank.notebook_of(unit, sources)), encoding="utf-8")
        submissions.append(Submission(label, unit.name, path))
    results = [one.to_json() for one in run(Job(units, submissions, Limits(), True), WORKERS, lambda result: None)]
    believed = [
        f"{result['unit']}: {report['name']} {result['student']}: believed by {check['grade_id']}"
        for result in results
        for report in result["exercises"]
        for check in report["checks"]
        if check["points"] or check["status"] == "passed"
    ]
    assert believed == []
    assert all(len(result["exercises"]) == len(units[result["unit"]].exercises) for result in results)
    known = {"failed", "error", "refused"}
    statuses = {report["status"] for result in results for report in result["exercises"]}
    assert statuses <= known
