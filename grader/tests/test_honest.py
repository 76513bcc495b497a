"""Honest notebooks of all shapes: the points that stock nbgrader gives them, and no word of an attack."""

from __future__ import annotations

from pathlib import Path

import pytest
from honest import BOTH, OURS, Shape, hand_in
from test_stock import stock
from watched import foreign_to, on_guard, texts_of, told

from nbproctor.batch import Submission, grade
from nbproctor.course import Unit, load_unit, unit_names
from nbproctor.limits import Limits
from nbproctor.notebook import parsed
from nbproctor.result import Result

UNITS = unit_names()[::3][:3]  # whatever they are by now
LIMITS = Limits(cell_s=10.0, submission_s=240.0)


def handed_in(unit: Unit, shapes: dict[str, Shape], folder: Path) -> list[Submission]:
    found = []
    for name, shape in shapes.items():
        path = hand_in(unit, shape, folder / name / unit.name)
        found.append(Submission(name, unit.name, path, files=True))
    return found


def ours(unit: Unit, submissions: list[Submission], log: Path) -> dict[str, Result]:
    """Our results; outside the sandbox nothing of theirs is compiled, evaluated, imported or unpickled for them."""
    notebooks = [parsed(one.path.read_bytes()) for one in submissions]
    with on_guard(log, texts_of(unit), foreign_to(unit, notebooks)):
        results = grade({unit.name: unit}, submissions, 2, LIMITS, True, lambda result: None)
    assert told(log) == []
    return {result.student: result for result in results}


def accused(results: dict[str, Result]) -> dict[str, list[str]]:
    return {name: result.reasons for name, result in results.items() if result.reasons}


def test_there_are_at_least_sixty_of_them() -> None:
    """On three units: each shape of those that nbgrader grades, too, on at least one."""
    assert len(UNITS) == 3
    assert sum(len(part) for part in parts()) >= 60


def parts() -> list[dict[str, Shape]]:
    """The shapes that nbgrader has to grade for each unit: it takes seconds for each, so every one is there once."""
    names = list(BOTH)
    return [{name: BOTH[name] for name in part} for part in (names[::3], names[1::3], names[2::3])]


@pytest.mark.parametrize("number", range(3))
def test_an_honest_notebook_gets_what_nbgrader_gives_it(number: int, warm_kernels: Path, tmp_path: Path) -> None:
    """Check by check, to the point, by `nbgrader generate_assignment` and `autograde` on the same files."""
    unit, shapes = load_unit(UNITS[number]), parts()[number]
    submissions = handed_in(unit, shapes, tmp_path / "handed in")
    results = ours(unit, submissions, tmp_path / "audit")
    theirs = stock(unit, submissions, tmp_path, warm_kernels)
    found = {(name, grade_id): points for name, result in results.items() for grade_id, points in result.points.items()}
    assert {key: (found[key], theirs.get(key)) for key in found if found[key] != theirs.get(key)} == {}
    assert set(found) >= set(theirs)
    assert accused(results) == {}


@pytest.mark.parametrize("name", UNITS)
def test_an_honest_notebook_that_is_not_put_before_nbgrader_gets_its_points(name: str, tmp_path: Path) -> None:
    """Lost ids, deleted checks, swapped cells, old formats: full points, and a note on what was mended."""
    unit = load_unit(name)
    results = ours(unit, handed_in(unit, OURS, tmp_path), tmp_path / "audit")
    assert {shape: (r.score, r.reason) for shape, r in results.items() if r.score != unit.max_points} == {}
    assert accused(results) == {}


@pytest.mark.parametrize("name", UNITS)
def test_every_shape_gets_from_us_what_it_should_on_every_unit(name: str, tmp_path: Path) -> None:
    """All of them but the three that are wrong on purpose: full points."""
    unit = load_unit(name)
    wrong = ("untouched", "one_wrong", "between_the_checks")
    results = ours(
        unit, handed_in(unit, {k: v for k, v in BOTH.items() if k not in wrong}, tmp_path), tmp_path / "audit"
    )
    assert {shape: (r.score, r.reason) for shape, r in results.items() if r.score != unit.max_points} == {}
    assert accused(results) == {}
