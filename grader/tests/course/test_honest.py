"""Honest notebooks of all shapes get the points that stock nbgrader gives them, and no note of an attack.

For a change each shape and each style comes once, and nbgrader grades those of the first unit whose points are not
simply all of them.
Weekly each shape comes in three units, nbgrader grades every one, and each style has notebooks of its own.
"""

from pathlib import Path

import pytest
from honest import BOTH, OURS, Shape, hand_in
from stock import stock
from watched import foreign_to, on_guard, texts_of, told
from weekly import WEEKLY
from wraps import in_each_style_once, in_every_style, styled

from nbproctor.course.units import Unit, load_unit, unit_names
from nbproctor.run.batch import run
from nbproctor.run.job import Job
from nbproctor.values.limits import Limits
from nbproctor.values.notebook import parsed
from nbproctor.values.result import Result
from nbproctor.values.submission import Submission

UNITS = unit_names()[::3][:3]  # three units, whichever they are by now
WRAPPED = "03_self_attention"  # it asks for functions, a class and values
WRONG = ("untouched", "one_wrong", "between_the_checks")
FOR_BOTH = {*WRONG, "right", "warns_when_called"}  # what decides their points may change
LIMITS = Limits(cell_s=10.0, submission_s=240.0)


def handed_in(unit: Unit, shapes: dict[str, Shape], folder: Path) -> list[Submission]:
    found = []
    for name, shape in shapes.items():
        path = hand_in(unit, shape, folder / name / unit.name)
        found.append(Submission(name, unit.name, path, has_files=True))
    return found


def ours(unit: Unit, submissions: list[Submission], log: Path) -> dict[str, Result]:
    """Our results, by student; asserts that nothing of a submission is compiled or run outside the sandbox."""
    notebooks = [parsed(one.path.read_bytes()) for one in submissions]
    with on_guard(log, texts_of(unit), foreign_to(unit, notebooks)):
        results = run(Job({unit.name: unit}, submissions, LIMITS, True), 2, lambda result: None)
    assert told(log) == []
    return {result.student: result for result in results}


def accused(results: dict[str, Result]) -> dict[str, list[str]]:
    return {name: result.reasons for name, result in results.items() if result.reasons}


def test_there_are_many_of_them() -> None:
    """Three units share the shapes that nbgrader can grade, too, and the styles of an answer."""
    assert len(UNITS) == 3
    assert sum(len(part) for part in parts(BOTH)) >= 50
    styles = in_each_style_once(load_unit(WRAPPED)).values()
    assert {style for one in styles for style in one.values()} == set(in_every_style(load_unit(WRAPPED)))
    assert sum(map(len, styles)) > 25


def parts(shapes: dict[str, Shape]) -> list[dict[str, Shape]]:
    """The shapes in three parts, one for each unit, so that every one comes once."""
    names = list(shapes)
    return [{name: shapes[name] for name in part} for part in (names[::3], names[1::3], names[2::3])]


@pytest.mark.parametrize("number", range(3))
def test_an_honest_notebook_gets_its_points(number: int, warm_kernels: Path, tmp_path: Path) -> None:
    """By `nbgrader generate_assignment` and `autograde`, of the same files, the points are the same, check by check."""
    unit, part = load_unit(UNITS[number]), parts(BOTH)[number]
    beside = part if WEEKLY else {name: BOTH[name] for name in FOR_BOTH if number == 0}
    shapes = OURS | BOTH if WEEKLY else parts(OURS)[number] | part | beside
    submissions = handed_in(unit, shapes, tmp_path / "handed in")  # first the one that waits for ten seconds
    results = ours(unit, submissions, tmp_path / "audit")
    assert accused(results) == {}
    right = {shape: result for shape, result in results.items() if shape not in WRONG}
    assert len(right) == len(shapes.keys() - set(WRONG))
    assert {shape: (r.score, r.reason) for shape, r in right.items() if r.score != unit.max_points} == {}
    compared = [one for one in submissions if one.student in beside]
    theirs = stock(unit, compared, tmp_path, warm_kernels) if compared else {}
    found = {(one.student, check): points for one in compared for check, points in results[one.student].points.items()}
    assert {key: (found[key], theirs.get(key)) for key in found if found[key] != theirs.get(key)} == {}
    assert set(found) >= set(theirs) and bool(theirs) == bool(beside)


def test_a_right_answer_is_right_in_whatever_style_it_is_written(tmp_path: Path) -> None:
    """All answers as objects, generators, subclasses, text that runs itself …: full points, and no remark."""
    unit = load_unit(WRAPPED)
    mixed = in_each_style_once(unit)
    shapes = {name: styled(styles) for name, styles in mixed.items()} | (in_every_style(unit) if WEEKLY else {})
    results = ours(unit, handed_in(unit, shapes, tmp_path), tmp_path / "audit")
    assert len(results) == len(shapes) and accused(results) == {}
    lost = {name: result.score for name, result in results.items() if result.score != unit.max_points}
    assert {name: (score, mixed.get(name)) for name, score in lost.items()} == {}
