"""What this machine lacks costs no points and is no misconception: the student reads so, the instructor what to do."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_class import LACKS, result, typed, unit
from test_report import Page

from nbproctor.classroom import export
from nbproctor.classroom.gradebook import read, record, sqlite_url
from nbproctor.classroom.gradescope import results_json
from nbproctor.classroom.pages import items
from nbproctor.classroom.pages.class_report import write_class_report
from nbproctor.classroom.pages.feedback import write_feedback
from nbproctor.cli.summary import GradedClass, summary
from nbproctor.values.grades import Grade, all_grades
from nbproctor.values.result import Result

WAITS = ("unavailable", "unavailable")
RIGHT = ("passed", "passed")
TOLD = "could not be tried here: it imports einops. This is not your fault."
UNIT = unit()


def lacking(student: str, *verdicts: tuple[str, str]) -> Result:
    return typed(result(student, UNIT, *verdicts, message=TOLD))


CLASS = [
    lacking("ana", WAITS, RIGHT),
    lacking("bo", WAITS, RIGHT),
    lacking("cy", WAITS),
    lacking("di", ("passed", "unavailable"), RIGHT),
    lacking("eve", RIGHT),
]


def test_the_gradebook_waits_for_a_grade_by_hand(tmp_path: Path) -> None:
    """The exercise's row has no score and waits; the rest is scored, and the comment says why, for nbgrader's pages."""
    url = sqlite_url(tmp_path / "gradebook.db")
    record(CLASS, UNIT, url)
    grade = read(url)["ana", UNIT.name]
    assert grade == replace(all_grades(CLASS, {})["ana", UNIT.name], submitted=grade.submitted, checks=grade.checks)
    waiting = {one.grade_id: (one.auto, one.needs_manual_grade) for one in grade.checks}
    assert waiting == {
        "check_attention_output": (1.0, False), "check_attention_weights": (None, True),
        "hidden_attention_output": (2.0, False), "hidden_attention_weights": (None, True),
    }  # fmt: skip
    assert grade.score == 3.0 and read(url)["cy", UNIT.name].score is None


def report(folder: Path, grades: dict[tuple[str, str], Grade] | None = None) -> str:
    return Page(write_class_report(CLASS, all_grades(CLASS, grades or {}), [UNIT], folder)).text


def test_the_report_says_it_once_for_the_class(tmp_path: Path) -> None:
    """There is one line with all who need it, each of them is marked, and it is not among the misconceptions."""
    text = report(tmp_path)
    assert text.count(LACKS) == 1
    assert f"ana, bo, cy, di could not be tried here : attention_weights, attention_output: {LACKS}" in text
    assert text.count(TOLD) == 0
    assert "eve 6" in text and all(f"{student} ▲" in text for student in ("ana", "bo", "cy", "di"))
    rows = text[text.index("Scores Student") :]
    assert "ana ▲ 3 ? 3" in rows and "cy ▲ – ? ?" in rows and "di ▲ 4 1 3" in rows


def test_points_by_hand_settle_it(tmp_path: Path) -> None:
    """Who has got points by hand for the exercise waits no longer, and is not in the line."""
    mine = all_grades(CLASS, {})["ana", UNIT.name]
    given = tuple(replace(one, manual=1.0) if one.points is None else one for one in mine.checks)
    text = report(tmp_path, {("ana", UNIT.name): replace(mine, checks=given)})
    assert f"bo, cy, di could not be tried here : attention_weights, attention_output: {LACKS}" in text
    assert "ana ▲" not in text


def test_the_terminal_says_it_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graded = GradedClass(tuple(CLASS), (), all_grades(CLASS, {}), tmp_path, 1.0, False, len(CLASS))
    assert graded.exit_code == 3
    summary(graded)
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith("look at")]
    assert told == [f"look at {'; '.join(f'{s}/{UNIT.name}' for s in ('ana', 'bo', 'cy'))} and 1 more: {LACKS}"]


def test_the_students_page_shows_no_zero(tmp_path: Path) -> None:
    """The page says that the exercise could not be tried, and has no score where a zero would look earned."""
    grades = all_grades(CLASS, {})
    text = Page(write_feedback(CLASS[0], grades["ana", UNIT.name], UNIT, tmp_path)).text
    assert "attention_ weights ? could not be tried here – / 3" in text and "? no score yet" in text
    assert TOLD in text and "0 / 3" not in text and LACKS not in text
    text = Page(write_feedback(CLASS[3], grades["di", UNIT.name], UNIT, tmp_path)).text
    assert "? The hidden check: could not be tried here" in text and "1 / 3" in text


def test_an_exercise_that_could_not_be_tried_makes_no_exercise_hard() -> None:
    grades = all_grades(CLASS, {})
    first = items.analyse(UNIT, [(one, grades[one.student, UNIT.name]) for one in CLASS])[0]
    assert (first.full, first.part, first.none, first.unwritten) == (1, 1, 0, 0)
    assert first.difficulty == pytest.approx(4 / 6)


def test_files_for_other_programs_have_no_score_there() -> None:
    grades = all_grades(CLASS, {})
    (row, *_) = csv.DictReader(io.StringIO(export.scores_csv(CLASS, grades, {UNIT.name: UNIT})))
    assert (row["attention_weights"], row["attention_output"], row["needs_manual_grade"]) == ("", "3.0", "yes")
    told: list[dict[str, Any]] = json.loads(export.results_json(CLASS))
    assert [check["points"] for check in told[0]["exercises"][0]["checks"]] == [None, None]
    tests = json.loads(results_json(CLASS[0]))["tests"]
    assert ["score" in one for one in tests] == [False, False, True, True]
    assert tests[0]["output"] == TOLD
