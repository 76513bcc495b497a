"""The answer bank, whole: each right answer is accepted, each wrong one refused in its own words, no liar believed."""

from __future__ import annotations

import ast
import json
import os
from pathlib import Path

import pytest

from nbproctor import answers as answer_bank
from nbproctor.batch import Submission, grade
from nbproctor.course import Exercise, Unit, load_unit, unit_names
from nbproctor.sit import Limits

UNITS = unit_names()
WORKERS = os.cpu_count() or 1
NAMED_SHARE = 0.95
per_unit = pytest.mark.parametrize("unit", UNITS)


@pytest.fixture(scope="module")
def units() -> dict[str, Unit]:
    return {name: load_unit(name) for name in UNITS}


@per_unit
def test_the_answer_bank_is_as_large_as_the_course_asks_for(unit: str) -> None:
    """At least 8 wrong and 3 right answers for each function or class, 4 and 2 for a prediction."""
    assert answer_bank.thin(load_unit(unit)) == []


@per_unit
def test_nearly_every_wrong_answer_is_named_by_the_check_that_a_student_sees(unit: str) -> None:
    """Of a hundred wrong answers at most five are left to the hidden check, which alone says if a prediction holds."""
    wrong = [answer for answer in answer_bank.bank(load_unit(unit)) if answer.kind == "wrong"]
    by_hidden = [f"{answer.exercise}: {answer.label}" for answer in wrong if answer.by_hidden]
    assert len(by_hidden) <= (1 - NAMED_SHARE) * len(wrong), by_hidden


def test_every_answer_of_the_bank_gets_what_it_deserves(units: dict[str, Unit], tmp_path: Path) -> None:
    """Right ones pass, wrong ones fail with the words they are promised, stubs say so, shortcuts are refused."""
    bank = [answer for unit in units.values() for answer in answer_bank.bank(unit)]
    troubles = answer_bank.examine(units, bank, tmp_path, WORKERS, sandboxed=True)
    assert troubles == []


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


def test_an_answer_that_only_looks_like_one_gets_no_point(units: dict[str, Unit], tmp_path: Path) -> None:
    """Nothing, the argument itself, and NaN of the right shape are refused by visible and hidden check alike."""
    submissions = []
    for label, body in LIARS.items():
        for unit in units.values():
            sources = {exercise.name: liar(exercise, body) for exercise in unit.exercises}
            for source in sources.values():
                compile(source, unit.name, "exec")
            path = tmp_path / f"{label} {unit.name}.ipynb"
            path.write_text(json.dumps(answer_bank.notebook_of(unit, sources)), encoding="utf-8")
            submissions.append(Submission(label, unit.name, path))
    results = [one.to_json() for one in grade(units, submissions, WORKERS, Limits(), True, lambda result: None)]
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
