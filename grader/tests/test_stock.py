"""Stock `nbgrader autograde` and ours, on the same honest submissions: the same points for every check."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

from nbproctor import sample
from nbproctor.answers import Answer, bank, notebook_of
from nbproctor.batch import Submission, grade
from nbproctor.course import ROOT, Unit, load_unit, unit_names
from nbproctor.sit import Limits

WHOLE_CLASS = "03_self_attention"
HONEST = [name for name in sample.NAMES if name not in sample.DISHONEST]
Points = dict[tuple[str, str], float]  # (student, grade_id) -> points


def handed_in(unit: Unit) -> dict[str, dict[str, str]]:
    """What each honest member of the sample class answers."""
    answers = bank(unit)
    return {
        student: sample.answers_of(student, number, unit, answers)
        for number, student in enumerate(sample.NAMES)
        if student in HONEST
    }


def few(unit: Unit, answers: list[Answer], sources: dict[str, dict[str, str]]) -> list[str]:
    """A few of them who together answer every exercise right and wrong, found greedily."""
    kinds = {(answer.exercise, answer.source): answer.kind for answer in answers}
    shows = {
        student: {(name, kinds[name, source]) for name, source in mine.items()} for student, mine in sources.items()
    }
    wanted = {(exercise.name, kind) for exercise in unit.exercises for kind in ("right", "wrong")}
    chosen: list[str] = []
    while wanted:
        best = max(shows, key=lambda student: len(shows[student] & wanted))
        if not shows[best] & wanted:
            break
        chosen.append(best)
        wanted -= shows[best]
    assert wanted == set(), "nobody in the sample class has these"
    return chosen


def stock(unit: Unit, submissions: list[Submission], root: Path) -> Points:
    """What `nbgrader generate_assignment` and `nbgrader autograde` make of them, in a course of their own."""
    (root / "grader").mkdir()
    shutil.copy(ROOT / "grader" / "nbgrader_config.py", root / "grader")
    shutil.copytree(ROOT / "solutions" / unit.name, root / "solutions" / unit.name)
    for one in submissions:
        place = root / "classroom" / "submitted" / one.student / unit.name
        place.mkdir(parents=True)
        shutil.copy(one.path, place / f"{unit.name}.ipynb")
    scripts = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "OMP_NUM_THREADS": "1"}
    for command in (
        ["generate_assignment", unit.name],
        ["autograde", unit.name, "--Execute.shutdown_kernel=immediate", "--Execute.timeout=120"],
    ):
        done = subprocess.run(  # noqa: S603 nbgrader's
            [scripts / "nbgrader", *command],
            cwd=root / "grader", env=environment, capture_output=True, text=True, timeout=1200,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-3000:]
    with Gradebook(f"sqlite:///{root}/classroom/gradebook.db") as gradebook:
        return {
            (one.student, grade.name): grade.auto_score or 0.0
            for one in submissions
            for notebook in gradebook.find_submission(unit.name, one.student).notebooks
            for grade in notebook.grades
        }


@pytest.mark.parametrize("name", sorted(unit_names(), key=lambda name: name != WHOLE_CLASS))
def test_stock_nbgrader_and_ours_give_the_same_points(name: str, tmp_path: Path) -> None:
    """Check by check: the whole honest class for one unit; for the others, members who get all right and all wrong."""
    unit = load_unit(name)
    sources = handed_in(unit)
    students = HONEST if name == WHOLE_CLASS else few(unit, bank(unit), sources)
    submissions = []
    for student in students:
        path = tmp_path / f"{student}.ipynb"
        path.write_text(json.dumps(notebook_of(unit, sources[student])), encoding="utf-8")
        submissions.append(Submission(student, name, path))
    theirs = stock(unit, submissions, tmp_path)
    results = grade({name: unit}, submissions, 1, Limits(), True, lambda result: None)
    ours = {
        (result["student"], check["grade_id"]): check["points"]
        for result in results
        for report in result["exercises"]
        for check in report["checks"]
    }
    assert len(ours) == len(students) * len(unit.exercises) * 2
    assert {key: (ours[key], theirs.get(key)) for key in ours if ours[key] != theirs.get(key)} == {}
    given = {points > 0 for points in ours.values()}
    assert given == {True, False}, "a class in which nobody fails, or nobody passes, shows nothing"
