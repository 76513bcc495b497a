"""Stock `nbgrader autograde` and ours, on the same honest submissions: the same points for every check."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import forked
import nbformat
import pytest
from nbgrader.api import Gradebook
from nbgrader.apps.nbgraderapp import main as nbgrader

from nbproctor import sample
from nbproctor.batch import Submission, grade
from nbproctor.course import ROOT, Unit, load_unit, unit_names
from nbproctor.notebook import tags_of
from nbproctor.result import Result
from nbproctor.sit import Limits

WHOLE_CLASS = "00_tensors"  # whose notebook runs in a second
HONEST = [name for name in sample.NAMES if name not in sample.DISHONEST]
Points = dict[tuple[str, str], float]  # (student, grade_id) -> points


def class_of(unit: Unit, folder: Path) -> list[Submission]:
    """What the honest members of the sample class hand in."""
    sample.write_sample({unit.name: unit}, folder)
    return [Submission(name, unit.name, folder / name / unit.name / f"{unit.name}.ipynb") for name in HONEST]


def leave_out_training(unit: Unit, submissions: list[Submission]) -> None:
    """Empty the text's training cells, as a student in a hurry would: they take a minute each and decide no point."""
    training = {cell["id"] for cell in unit.instructor["cells"] if "training" in tags_of(cell)}
    for one in submissions:
        notebook = nbformat.read(one.path, as_version=4)
        for cell in notebook.cells:
            if cell.id in training:
                cell.source = ""
        nbformat.write(notebook, one.path)


def points_of(result: Result) -> Points:
    return {(result.student, grade_id): points for grade_id, points in result.points.items()}


def few(unit: Unit, results: list[Result]) -> list[Result]:
    """Some of them who together have every exercise right and wrong, found greedily."""
    shows = [{(e.name, e.status == "passed") for e in r.exercises if e.source} for r in results]
    wanted = {(exercise.name, right) for exercise in unit.exercises for right in (True, False)}
    chosen = []
    while wanted:
        best = max(range(len(results)), key=lambda i: len(shows[i] & wanted))
        assert shows[best] & wanted, f"nobody in the sample class has {wanted}"
        chosen.append(results[best])
        wanted -= shows[best]
    return chosen


def stock(unit: Unit, submissions: list[Submission], root: Path, kernels: Path) -> Points:
    """What `nbgrader generate_assignment` and `nbgrader autograde` make of them, in a course of their own.

    kernels: a JUPYTER_PATH whose python3 starts quickly; it is the same ipykernel.
    """
    (root / "grader").mkdir()
    config = (ROOT / "grader" / "nbgrader_config.py").read_text(encoding="utf-8")
    stock_again = "\ndel c.Autograde  # ours would grade both sides\n"
    (root / "grader" / "nbgrader_config.py").write_text(config + stock_again, encoding="utf-8")
    shutil.copytree(ROOT / "solutions" / unit.name, root / "solutions" / unit.name)
    for one in submissions:
        place = root / "classroom" / "submitted" / one.student / unit.name
        if one.files:
            shutil.copytree(one.path.parent, place)
        else:
            place.mkdir(parents=True)
            shutil.copy(one.path, place / f"{unit.name}.ipynb")
    scripts = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "OMP_NUM_THREADS": "1"}
    environment["JUPYTER_PATH"] = str(kernels)
    environment["TORCHDYNAMO_DISABLE"] = "1"  # torch.compile asks for a C++ compiler, which not every machine has
    for command in (
        ["generate_assignment", unit.name],
        ["autograde", unit.name, "--Execute.shutdown_kernel=immediate"],
    ):
        done = forked.call(nbgrader, ["nbgrader", *command], root / "grader", environment)
        assert done.returncode == 0, done.stderr[-3000:]
        assert "nbproctor" not in done.stderr, "nbgrader's own Autograde should be at work here"
    with Gradebook(f"sqlite:///{root}/classroom/gradebook.db") as gradebook:
        return {
            (one.student, grade.name): grade.auto_score or 0.0
            for one in submissions
            for notebook in gradebook.find_submission(unit.name, one.student).notebooks
            for grade in notebook.grades
        }


@pytest.mark.parametrize("name", sorted(unit_names(), key=lambda name: name != WHOLE_CLASS))
def test_stock_nbgrader_and_ours_give_the_same_points(name: str, warm_kernels: Path, tmp_path: Path) -> None:
    """Check by check: the whole honest class for one unit; for the others, members who get all right and all wrong."""
    unit = load_unit(name)
    submissions = class_of(unit, tmp_path / "handed in")
    leave_out_training(unit, submissions)
    results = grade({name: unit}, submissions, 1, Limits(), True, lambda result: None)
    chosen = results if name == WHOLE_CLASS else few(unit, results)
    students = {result.student for result in chosen}
    ours = {key: points for result in chosen for key, points in points_of(result).items()}
    theirs = stock(unit, [one for one in submissions if one.student in students], tmp_path, warm_kernels)
    assert len(ours) == len(students) * len(unit.exercises) * 2
    assert {key: (ours[key], theirs.get(key)) for key in ours if ours[key] != theirs.get(key)} == {}
    assert {points > 0 for points in ours.values()} == {True, False}, "where all pass or all fail, nothing is compared"
