"""Makes small units for a test, whose exercises have checks of a line or two, and submissions to them."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fake_class import cell, nbgrader
from kept_zygote import one_zygote

from nbproctor.authoring.pack import setup_packed
from nbproctor.course.units import Check, Exercise, Unit
from nbproctor.paths import ROOT
from nbproctor.run import batch
from nbproctor.run.job import Job
from nbproctor.values.limits import Limits
from nbproctor.values.submission import Submission

PATIENT = Limits(cell_s=30.0, submission_s=240.0)
SETUP = "import torch"
CHECKS_BEGIN = """import torch
import torch.nn.functional as F
from torch import nn

from checking.notebook import without
from checking.words import check, compare

"""


@dataclass(frozen=True)
class Task:
    """An exercise: its reference solution, its checks, and a teaching cell that stands before it."""

    solution: str
    check: str
    hidden: str
    teaching: str = ""


DOUBLE = Task(
    "def double(x):\n    return 2 * x",
    "assert double(3) == 6, f'Expected 6, got {double(3)}.'",
    "assert double(4) == 8",
)


def stub(name: str) -> str:
    return f"def {name}(x):\n    # YOUR CODE HERE\n    raise NotImplementedError('not implemented yet')"


def setup_of(checks: str, folder: Path) -> str:
    """A setup cell that brings these visible checks, as `make release` packs those of a unit."""
    unit = folder / "solutions" / "small"
    unit.mkdir(parents=True, exist_ok=True)
    (unit / "checks.py").write_text(CHECKS_BEGIN + checks, encoding="utf-8")
    if not (folder / "solutions" / "checking").exists():
        (folder / "solutions" / "checking").symlink_to(ROOT / "solutions" / "checking")
    return setup_packed("small", "nowhere", [], folder)


def unit_of(setup: str = SETUP, **tasks: Task) -> Unit:
    """A unit with these exercises, each worth 3 points: 1 for its visible check, 2 for its hidden one."""
    released = [cell("markdown", "# Small", "title"), cell("code", setup, "setup", tags=["setup"])]
    exercises = []
    for name, task in tasks.items():
        if task.teaching:
            released.append(cell("code", task.teaching, f"text-{name}"))
        check, hidden = Check(f"check_{name}", 1.0, task.check, False), Check(f"hidden_{name}", 2.0, task.hidden, True)
        released.append(cell("code", stub(name), name.replace("_", "-"), **nbgrader(name)))
        for one, text in ((check, check.source), (hidden, "# tried after you submit")):
            released.append(cell("code", text, one.grade_id.replace("_", "-"), **nbgrader(one.grade_id, one.points)))
        released.append(cell("code", f"print('demo of {name}')", f"demo-{name}", tags=["demo"]))
        exercises.append(Exercise(name, stub(name), task.solution, check, hidden))
    notebook = {"cells": released, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return Unit("small", notebook, notebook, setup, tuple(exercises))


def answered(unit: Unit, **answers: str) -> dict[str, Any]:
    """The released notebook with these sources in the solution cells."""
    cells = []
    for one in unit.notebook["cells"]:
        name = one["metadata"].get("nbgrader", {}).get("grade_id")
        cells.append({**one, "source": answers[name]} if name in answers else one)
    return {**unit.notebook, "cells": cells}


def submitted(unit: Unit, folder: Path, **notebooks: dict[str, Any]) -> list[Submission]:
    made = []
    for student, notebook in notebooks.items():
        path = folder / f"{student}.ipynb"
        path.write_text(json.dumps(notebook), encoding="utf-8")
        made.append(Submission(student, unit.name, path))
    return made


def grade(
    unit: Unit, folder: Path, limits: Limits = PATIENT, workers: int = 2, **notebooks: dict[str, Any]
) -> dict[str, dict[str, Any]]:
    """Grade these notebooks in the sandbox. Returns the result of each student, by name.

    The zygote is that of the batch before: how one starts and ends is tried by tests that call `batch.run` themselves.
    """
    submissions = submitted(unit, folder, **notebooks)
    with one_zygote():
        results = batch.run(Job({unit.name: unit}, submissions, limits, True), workers, lambda result: None)
    return {result.student: result.to_json() for result in results}


def statuses(result: dict[str, Any]) -> dict[str, str]:
    return {report["name"]: report["status"] for report in result["exercises"]}


def messages(result: dict[str, Any], name: str) -> list[str]:
    report = next(report for report in result["exercises"] if report["name"] == name)
    return [check["message"] for check in report["checks"]]


def timeless(result: dict[str, Any]) -> dict[str, Any]:
    """A result without what differs from run to run, and without whose it is."""
    return result | {"student": "", "seconds": 0, "key": ""}
