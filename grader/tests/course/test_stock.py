"""Stock `nbgrader autograde` and nbproctor give the same honest submissions the same points for every check."""

from pathlib import Path

import pytest
from nbgrader.preprocessors import Execute
from stock import Answers, points_of, right_answers, stock, students_with, wrong_answers
from weekly import WEEKLY, weekly_but

from nbproctor.authoring.trial import references_called_by
from nbproctor.course.units import Unit, load_unit, unit_names
from nbproctor.run.session import Session
from nbproctor.runner.zygote import Control
from nbproctor.values.limits import Limits
from nbproctor.values.submission import Submission, handed_in
from nbproctor.values.text import clean


def class_of(unit: Unit, folder: Path) -> list[Submission]:
    """Two submissions in which every other exercise is answered wrongly, and for some units one with right answers.

    What the first answers wrongly, the second answers rightly. Only where a right answer calls one that is wrong there
    is it right in neither, so that the unit needs a third; weekly each unit has it, with other right answers.
    """
    halves = wrong_answers(unit)
    thirds = [right_answers(unit)] * (WEEKLY or any(calls_a_wrong_one(unit, half) for half in halves))
    return students_with(unit, halves + thirds, folder, ("training",) if WEEKLY else ("training", "demo"))


def calls_a_wrong_one(unit: Unit, answers: Answers) -> bool:
    wrong = {name for name, answer in answers.items() if answer.kind == "wrong"}
    right = {name: answer.source for name, answer in answers.items() if name not in wrong}
    return any(wrong & references_called_by(unit, name, source).keys() for name, source in right.items())


@pytest.mark.parametrize("name", weekly_but(unit_names(), "06_masking"))
def test_stock_nbgrader_and_ours_give_the_same_points(
    name: str, control: Control, warm_kernels: Path, tmp_path: Path
) -> None:
    """Right and wrong answers to each exercise get the same points, check by check.

    This test takes a few answers of the bank for each exercise.
    """
    unit = load_unit(name)
    students = class_of(unit, tmp_path / "handed in")
    session = Session({name: unit}, control, Limits(), ())
    results = [session.grade(clean(one.student), name, handed_in(one), "key") for one in students]
    ours = {key: points for result in results for key, points in points_of(result).items()}
    theirs = stock(unit, students, tmp_path, warm_kernels)
    assert [result.reason for result in results if result.reason] == []
    assert ours == theirs
    met = {(exercise.name, exercise.status == "passed") for result in results for exercise in result.exercises}
    assert met == {(exercise.name, right) for exercise in unit.exercises for right in (True, False)}


def test_a_cell_may_take_as_long_as_in_nbgrader() -> None:
    """A cell may run as long as in nbgrader, so that a student who trains for 20 s gets the same points here."""
    assert Limits().cell_s >= Execute().timeout
    assert Limits().submission_s > 5 * Limits().cell_s
