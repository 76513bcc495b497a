"""What a student's machine has and the grader's has not is the grader's affair: it costs no points, and is told."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kept_zygote import one_zygote
from small_class import PATIENT, Task, answered, grade, stub, unit_of

from nbproctor.course.units import Unit
from nbproctor.run import batch
from nbproctor.run.job import Job
from nbproctor.values.result import Result
from nbproctor.values.submission import Submission

NEWER, NEW_SYNTAX = ("3.12", "x = f'{'a'}'") if sys.version_info < (3, 12) else ("3.15", "lazy import json")
MISTAKE = "x = 1 if else 2"
RIGHT = "def double(x):\n    return 2 * x"
ABSENT = "no_such_package_anywhere"
TASKS = {
    "double": Task(RIGHT, "assert double(torch.ones(2)).sum() == 4", "assert double(torch.ones(1)).sum() == 2"),
    "triple": Task(
        "def triple(x):\n    return 3 * x",
        "try:\n    y = triple(torch.ones(2))\nexcept (AssertionError, RuntimeError) as error:\n"
        "    raise AssertionError(f'It stopped with {error}. Is it x times 3?') from None\nassert y.sum() == 6",
        "assert triple(torch.ones(1)).tolist() == [3]",
    ),
}  # fmt: skip
TRIPLE = TASKS["triple"].solution
STUB = stub("double")
LACKING = {  # student: a cell of theirs, or "", and the two answers
    "package": ("", f"import {ABSENT}.part\n{RIGHT}", TRIPLE),
    "package_in_a_cell_above": (f"from {ABSENT} import twice", "def double(x):\n    return twice(x)", TRIPLE),
    "newer_python": ("", f"{RIGHT}\n{NEW_SYNTAX}", TRIPLE),
    "newer_python_above": (f"Batch = 1\n{NEW_SYNTAX}", "def double(x: Batch):\n    return 2 * x", TRIPLE),
    "newer_python_in_another_cell": (f"{RIGHT}\n{NEW_SYNTAX}", STUB, TRIPLE),
    "newer_python_elsewhere": (f"double(2)\n{NEW_SYNTAX}", STUB, TRIPLE),
    "gpu": ("", "def double(x):\n    return 2 * x.cuda()", TRIPLE),
    "gpu_that_a_check_reports": ("", RIGHT, "def triple(x):\n    return 3 * x.to('mps')"),
    "gpu_as_default": ("torch.set_default_device('cuda')", RIGHT, TRIPLE),
    "mistake": ("", f"{RIGHT}\n{MISTAKE}", TRIPLE),
    "mistake_beside_newer_python": ("", f"{RIGHT}\n{NEW_SYNTAX}\n{MISTAKE}", TRIPLE),
    "own_part": ("", f"from torch.nn.fuctional import relu\n{RIGHT}", TRIPLE),
    "unneeded": (f"import {ABSENT}", RIGHT, TRIPLE),
}
Results = dict[str, Result]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Results]:
    unit = unit_of(**TASKS)
    notebooks = {name: _notebook(unit, *told) for name, told in LACKING.items()}
    graded = grade(unit, tmp_path_factory.mktemp("lacks"), **notebooks)
    yield {name: Result.from_json(found) for name, found in graded.items()}


def _notebook(unit: Unit, above: str, double: str, triple: str) -> dict[str, Any]:
    notebook = answered(unit, double=double, triple=triple)
    if above:
        own = {"cell_type": "code", "id": "own", "metadata": {}, "source": above}
        notebook["cells"].insert(2, own)
    return notebook


def statuses(result: Result) -> list[str]:
    return [exercise.status for exercise in result.exercises]


@pytest.mark.parametrize("student", ["package", "package_in_a_cell_above"])
def test_a_package_that_is_not_here_costs_no_points(results: Results, student: str) -> None:
    found = results[student]
    assert statuses(found) == ["unavailable", "passed"]
    assert found.points == {"check_triple": 1.0, "hidden_triple": 2.0}
    message = found.exercises[0].message
    assert message.startswith(f"could not be tried here: it imports {ABSENT}, which is neither installed")
    assert message.endswith("which is not a score of zero, and your instructor has been told.")
    assert found.reasons == [] and found.lacks == [
        f"{ABSENT} is imported and is not here. If it is a package that you know, install it (`.venv/bin/pip install "
        f"{ABSENT}`), and the same command grades again; if it is a file of the student's own, it was not handed in"
    ]  # fmt: skip


@pytest.mark.parametrize("student", [name for name in LACKING if name.startswith("newer_python")])
def test_a_cell_of_a_newer_python_costs_no_points(results: Results, student: str) -> None:
    """A cell in a newer Python's syntax, and what needs it, has no score. No notebook here says its Python."""
    found = results[student]
    if student == "newer_python_elsewhere":  # and where nothing needs it, all is as it would be without it
        assert statuses(found) == ["not implemented", "passed"]
        return
    assert statuses(found) == ["unavailable", "passed"]
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    told = f"it is written in the syntax of Python {NEWER}, and was graded with Python {here}. This is not your fault."
    assert told in found.exercises[0].message
    (todo,) = found.lacks
    assert f"the grader has {here} here" in todo and f"`make setup PYTHON=python{NEWER}`" in todo


def test_a_file_of_a_newer_python_beside_the_notebook_costs_no_points(tmp_path: Path) -> None:
    """A module that was handed in counts as the cell that imports it."""
    unit = unit_of(**TASKS)
    (tmp_path / "helper.py").write_text(f"{NEW_SYNTAX}\n")
    (tmp_path / "ana.ipynb").write_text(json.dumps(answered(unit, double=f"import helper\n{RIGHT}", triple=TRIPLE)))
    handed = Submission("ana", unit.name, tmp_path / "ana.ipynb", has_files=True)
    with one_zygote():
        (found,) = batch.run(Job({unit.name: unit}, [handed], PATIENT, True), 1, lambda result: None)
    assert statuses(found) == ["unavailable", "passed"]


@pytest.mark.parametrize(("student", "expected"), [("gpu", 0), ("gpu_that_a_check_reports", 1)])
def test_a_gpu_that_is_asked_for_costs_no_points(results: Results, student: str, expected: int) -> None:
    """The answer has no score, also where the check tells PyTorch's refusal in words of its own."""
    found = results[student]
    assert statuses(found)[expected] == "unavailable" and statuses(found)[1 - expected] == "passed"
    assert found.exercises[expected].message.startswith("could not be tried here: it asks for a GPU, and there is none")
    assert found.lacks[0].startswith("a GPU is asked for, which no unit needs")


def test_a_default_device_that_is_not_here_is_none_of_a_check_s_business(results: Results) -> None:
    """A check begins with PyTorch's own settings."""
    assert statuses(results["gpu_as_default"]) == ["passed", "passed"]


@pytest.mark.parametrize("student", ["mistake", "mistake_beside_newer_python", "own_part"])
def test_a_mistake_is_not_taken_for_something_that_is_missing_here(results: Results, student: str) -> None:
    assert statuses(results[student]) == ["error", "passed"] and results[student].lacks == []


def test_what_no_answer_needs_is_nobody_s_affair(results: Results) -> None:
    assert statuses(results["unneeded"]) == ["passed", "passed"] and results["unneeded"].lacks == []
    (note,) = results["unneeded"].notes
    assert note.text.startswith(f"A cell that was added could not be tried here: it imports {ABSENT}, which")
    assert "score" not in note.text
