"""Honest notebooks of all shapes get the points that stock nbgrader gives them, and no note of an attack."""

from __future__ import annotations

from pathlib import Path

import pytest
from honest import BOTH, OURS, Shape, hand_in
from stock import stock
from watched import foreign_to, on_guard, texts_of, told
from wraps import WRAPS

from nbproctor.course.units import Unit, load_unit, unit_names
from nbproctor.run.batch import Submission, grade
from nbproctor.values.limits import Limits
from nbproctor.values.notebook import parsed
from nbproctor.values.result import Result

UNITS = unit_names()[::3][:3]  # three units, whichever they are by now
WRAPPED = "03_self_attention"  # it asks for functions, a class and values
WRONG = ("untouched", "one_wrong", "between_the_checks")
LIMITS = Limits(cell_s=10.0, submission_s=240.0)


def handed_in(unit: Unit, shapes: dict[str, Shape], folder: Path) -> list[Submission]:
    found = []
    for name, shape in shapes.items():
        path = hand_in(unit, shape, folder / name / unit.name)
        found.append(Submission(name, unit.name, path, files=True))
    return found


def ours(unit: Unit, submissions: list[Submission], log: Path) -> dict[str, Result]:
    """Our results, by student; asserts that nothing of a submission is compiled or run outside the sandbox."""
    notebooks = [parsed(one.path.read_bytes()) for one in submissions]
    with on_guard(log, texts_of(unit), foreign_to(unit, notebooks)):
        results = grade({unit.name: unit}, submissions, 2, LIMITS, True, lambda result: None)
    assert told(log) == []
    return {result.student: result for result in results}


def accused(results: dict[str, Result]) -> dict[str, list[str]]:
    return {name: result.reasons for name, result in results.items() if result.reasons}


def test_there_are_at_least_sixty_of_them() -> None:
    """Three units share at least sixty shapes that nbgrader can grade, too."""
    assert len(UNITS) == 3
    assert sum(len(part) for part in parts()) >= 60


def parts() -> list[dict[str, Shape]]:
    """The shapes that nbgrader has to grade for each unit: it takes seconds for each, so that every one comes once."""
    names = list(BOTH)
    return [{name: BOTH[name] for name in part} for part in (names[::3], names[1::3], names[2::3])]


@pytest.mark.parametrize("number", range(3))
def test_an_honest_notebook_gets_its_points(number: int, warm_kernels: Path, tmp_path: Path) -> None:
    """On each of the units we grade every shape, and nbgrader grades a part of them, from the same files.

    We give full points whatever was lost, deleted or swapped, but for the three shapes that are wrong on purpose. By
    `nbgrader generate_assignment` and `autograde` the points are the same, check by check.
    """
    unit, part = load_unit(UNITS[number]), parts()[number]
    submissions = handed_in(unit, OURS | BOTH, tmp_path / "handed in")  # first the one that waits for ten seconds
    results = ours(unit, submissions, tmp_path / "audit")
    assert accused(results) == {}
    right = {shape: result for shape, result in results.items() if shape not in WRONG}
    assert len(right) == len(BOTH) + len(OURS) - len(WRONG)
    assert {shape: (r.score, r.reason) for shape, r in right.items() if r.score != unit.max_points} == {}
    theirs = stock(unit, [one for one in submissions if one.student in part], tmp_path, warm_kernels)
    found = {(shape, check): points for shape in part for check, points in results[shape].points.items()}
    assert {key: (found[key], theirs.get(key)) for key in found if found[key] != theirs.get(key)} == {}
    assert set(found) >= set(theirs)


def test_a_right_answer_is_right_in_whatever_style_it_is_written(tmp_path: Path) -> None:
    """All answers as lambdas, methods, generators, subclasses, text that runs itself …: full points, and no remark.

    `before_both.py styles` puts them before nbgrader, too.
    """
    unit = load_unit(WRAPPED)
    results = ours(unit, handed_in(unit, WRAPS, tmp_path), tmp_path / "audit")
    assert len(results) > 60 and accused(results) == {}
    assert {style: result.score for style, result in results.items() if result.score != unit.max_points} == {}
