"""A submission is read once and matched once, and what was read is graded, whatever becomes of the file afterwards."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from kept_zygote import one_zygote
from small_class import PATIENT, answered, submitted

from nbproctor.course.units import Unit
from nbproctor.paths import ROOT
from nbproctor.run import batch
from nbproctor.run.job import Job
from nbproctor.values.result import Result

UNIT = "00_tensors"
COUNTED = """
import os, sys
log, folder = sys.argv.pop(1), sys.argv.pop(1)

def note(text):
    with open(log, "a") as file:  # anew each time: a process that reads closes what it did not open
        file.write(text + "\\n")

def hook(event, args):
    if event == "open" and isinstance(args[0], (str, os.PathLike)) and os.fspath(args[0]).startswith(folder):
        note(f"open {os.path.relpath(args[0], folder)}")

sys.addaudithook(hook)  # forks have it, too
from nbproctor.source import match

plan = match.plan

def counted(unit, notebook):
    note(f"plan {notebook['cells'][-1]['source']}")
    return plan(unit, notebook)

match.plan = counted
from nbproctor.run import batch

batch.AT_ONCE = 2
from nbproctor.cli.app import app

app()
"""


def notebook(note: str, answer: bool = False) -> str:
    """The released notebook, with `note` in a last cell that tells it from others. answer: whether it holds one."""
    made: dict[str, Any] = json.loads((ROOT / "course" / UNIT / f"{UNIT}.ipynb").read_text(encoding="utf-8"))
    more = [{"cell_type": "code", "metadata": {}, "source": "predicted_shapes = []"}] if answer else []
    last = {"cell_type": "code", "metadata": {}, "source": f"# {note}"}
    return json.dumps({**made, "cells": [*made["cells"], *more, last]})


def counted(folder: Path, log: Path) -> Counter[str]:
    """Count the files that `nbproctor grade` and its forks open below `submitted/`, and the notebooks they match."""
    program = [sys.executable, "-c", COUNTED, str(log), str(folder / "submitted"), "grade", "--classroom", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "grader")}
    done = subprocess.run(program, env=environment, capture_output=True, text=True, timeout=300)  # noqa: S603, PLW1510
    assert done.returncode == 3, done.stderr
    return Counter(log.read_text().splitlines())


@pytest.mark.weekly
def test_every_file_is_opened_once_and_every_submission_matched_once(tmp_path: Path) -> None:
    """In ordinary places, with files beside them, in a folder of no unit, and where they are not JSON."""
    files = {
        f"ana/{UNIT}/{UNIT}.ipynb": notebook("ana"),
        f"ana/{UNIT}/data/table.csv": "1,2",
        f"bo/{UNIT}/{UNIT}.ipynb": notebook("bo, untouched"),
        f"bo/{UNIT}/answers.ipynb": notebook("bo", answer=True),
        f"cy/{UNIT}/{UNIT}.ipynb": notebook("cy"),
        f"cy/{UNIT}/copy.ipynb": notebook("cy"),
        "di/anything.ipynb": notebook("di"),
        f"eve/{UNIT}/{UNIT}.ipynb": "{",
    }
    for name, text in files.items():
        (tmp_path / "submitted" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "submitted" / name).write_text(text, encoding="utf-8")
    opened = {f"open {name}" for name in files}
    assert counted(tmp_path, tmp_path / "first") == dict.fromkeys(
        opened | {"plan # ana", "plan # bo", "plan # cy", "plan # di"}, 1
    )
    # eve's file is no notebook; that is found out again, without a plan.
    assert counted(tmp_path, tmp_path / "again") == dict.fromkeys(opened, 1)


def test_what_was_read_is_graded_though_the_file_has_changed(unit: Unit, tmp_path: Path) -> None:
    """Here bo's file gets a wrong answer while it waits for the worker."""
    right, wrong = (answered(unit, double=f"def double(x):\n    return {n} * x") for n in (2, 3))
    submissions = submitted(unit, tmp_path, ana=right, bo=right)

    def change(result: Result) -> None:
        submissions[1].path.write_text(json.dumps(wrong))

    with one_zygote():
        results = batch.run(Job({unit.name: unit}, submissions, PATIENT, True), 1, change)
    assert [result.score for result in results] == [3.0, 3.0]
