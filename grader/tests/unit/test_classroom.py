"""Gradebook, report, CSV and pages say the same, whatever is graded or changed by hand, and whenever."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from fake_class import result, typed, ungradable, unit
from nbgrader.api import Gradebook
from sqlalchemy.exc import OperationalError

from nbproctor.classroom import gradebook
from nbproctor.classroom import records as classroom
from nbproctor.course.units import CourseError, Unit
from nbproctor.run.store import Store
from nbproctor.values.grades import Student
from nbproctor.values.result import Result

FIRST, SECOND = "00_tensors", "03_self_attention"
UNITS = {name: unit(name=name) for name in (FIRST, SECOND)}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A classroom of a course that has these two units."""
    monkeypatch.setattr(classroom, "load_unit", UNITS.__getitem__)
    monkeypatch.setattr(classroom, "unit_names", lambda: [FIRST, SECOND])
    return tmp_path


def record(folder: Path, *results: dict[str, Any], people: Sequence[Student] = ()) -> Any:
    """Record a run that graded these results, with each of them kept as the run would have kept it."""
    of: dict[str, Unit] = {one["unit"]: UNITS[one["unit"]] for one in results}
    store, all_typed = Store(folder / "results"), [typed(one) for one in results]
    for one in all_typed:
        if one.key:
            store.put(one)
    return classroom.record(all_typed, of, folder, people=people)


def report_of(folder: Path) -> str:
    return (folder / "report" / "index.html").read_text(encoding="utf-8")


def page_of(folder: Path, student: str, unit: str) -> str:
    return (folder / "feedback" / student / unit / f"{unit}.html").read_text(encoding="utf-8")


def rows_of(folder: Path) -> dict[tuple[str, str], dict[str, str]]:
    with (folder / "report" / "scores.csv").open(newline="", encoding="utf-8") as lines:
        return {(row["student"], row["unit"]): row for row in csv.DictReader(lines)}


def results_of(folder: Path) -> list[Result]:
    return [Result.from_json(one) for one in json.loads((folder / "report" / "results.json").read_text())]


def give(folder: Path, student: str, unit: str) -> None:
    """Do what a person does in formgrader: give half a point by hand, a quarter of extra credit, and a comment."""
    with Gradebook(gradebook.sqlite_url(folder / "gradebook.db")) as book:
        grade = book.find_grade("check_attention_weights", unit, unit, student)
        grade.manual_score, grade.extra_credit, grade.needs_manual_grade = 0.5, 0.25, False
        book.find_comment("attention_weights", unit, unit, student).manual_comment = "A nice start."
        book.db.commit()


def test_grading_one_unit_leaves_the_others_as_they_were(folder: Path) -> None:
    failed = ("failed", "failed")
    record(
        folder,
        result("ana", UNITS[FIRST], failed),
        result("ana", UNITS[SECOND], failed),
        ungradable("bo", UNITS[FIRST]),
    )
    rows, page = rows_of(folder), page_of(folder, "ana", FIRST)
    record(folder, result("ana", UNITS[SECOND]))
    again = rows_of(folder)
    assert again.keys() == rows.keys() == {("ana", FIRST), ("bo", FIRST), ("ana", SECOND)}
    assert [again[key] for key in rows if key[1] == FIRST] == [rows[key] for key in rows if key[1] == FIRST]
    assert (rows["ana", SECOND]["score"], again["ana", SECOND]["score"]) == ("0.0", "6.0")
    assert page_of(folder, "ana", FIRST) == page
    assert [one.student for one in results_of(folder)] == ["ana", "bo", "ana"]
    assert "0 · Tensors" in report_of(folder) and "3 · Self attention" in report_of(folder)


def alike(student: str) -> dict[str, Any]:
    """A result whose answers have the same form as those of every other result that this makes."""
    one = result(student, UNITS[FIRST])
    for number, exercise in enumerate(one["exercises"]):
        exercise["source"] = f"answer = [{number}{', 1' * 100}]"
    return one


def test_what_the_report_says_of_a_class_stays_when_one_student_or_another_unit_is_graded(folder: Path) -> None:
    nothing = result("cy", UNITS[FIRST], ("not implemented", "not implemented"), message="not implemented yet")
    record(folder, alike("ana"), alike("bo"), nothing, result("di", UNITS[SECOND]))
    before = report_of(folder)
    assert before.count("attention_weights, attention_output: the same except for the names in them") == 1
    assert before.count("no answer in any exercise") == 1
    for again in (alike("ana"), result("di", UNITS[SECOND])):
        record(folder, again)
        assert report_of(folder) == before


def test_names_of_a_roster_are_everywhere_and_what_the_gradebook_has_stays(folder: Path) -> None:
    """Who has no name in the gradebook gets the roster's; the report, the page and grades.csv have it from then on."""
    url = gradebook.sqlite_url(folder / "gradebook.db")
    gradebook.add_assignment(UNITS[FIRST], url)
    with Gradebook(url) as book:
        book.add_student("bo", first_name="Bo", last_name="Derek")
    ana, bo = Student("ana", "Ana", "Ilić", "ana@x.org"), Student("bo", "Robert", "D.", "bo@x.org")
    both = [result(name, UNITS[FIRST]) for name in ("ana", "bo")]
    record(folder, *both, people=(ana, bo, Student("cy", "Cy", "Twombly")))
    record(folder, *both)
    known = gradebook.read_all(url)[1]
    assert known == {"ana": ana, "bo": Student("bo", "Bo", "Derek", "bo@x.org")}
    assert report_of(folder).count("Ilić, Ana") == 2 and "Derek, Bo" in report_of(folder)
    assert "<bdi>Ilić, Ana</bdi> · <bdi>ana</bdi>" in page_of(folder, "ana", FIRST)
    assert '\nana,"Ilić, Ana",' in (folder / "report" / "grades.csv").read_text(encoding="utf-8")


def test_a_unit_that_hardly_anybody_handed_in_is_not_in_the_sums(folder: Path) -> None:
    """From a fifth of the class on, a unit counts."""
    of_second = [result(f"s{n}", UNITS[SECOND]) for n in range(9)]
    record(folder, result("odd", UNITS[FIRST]), *of_second)
    assert "<dt>median of all points</dt><dd>100 %</dd>" in report_of(folder) and "<small>of 6</small>" in report_of(
        folder
    )
    assert "0 · Tensors is not in the totals: 1 of 10 handed it in, and a unit counts from a fifth" in report_of(folder)
    (row, *_) = csv.DictReader((folder / "report" / "grades.csv").read_text().splitlines())
    assert (row["student"], row[FIRST], row[SECOND], row["total"], row["max_total"]) == ("odd", "6.0", "", "", "6.0")
    record(folder, result("s0", UNITS[FIRST]))
    assert "is not in the totals" not in report_of(folder) and "<small>of 12</small>" in report_of(folder)


def test_a_student_who_was_removed_is_in_no_report(folder: Path) -> None:
    """The next run leaves out who is no longer in the gradebook, whatever of theirs still lies in the folder."""
    for name in ("ana", "bo"):
        record(folder, result(name, UNITS[FIRST]))
    with Gradebook(gradebook.sqlite_url(folder / "gradebook.db")) as book:
        book.remove_student("ana")
    record(folder, result("di", UNITS[FIRST]))
    assert rows_of(folder).keys() == {("bo", FIRST), ("di", FIRST)}


@pytest.mark.parametrize("regraded", [FIRST, SECOND])
def test_work_by_hand_is_everywhere_after_any_number_of_regrades(folder: Path, regraded: str) -> None:
    everyone = [result("ana", UNITS[name], ("failed", "failed"), ("passed", "passed")) for name in (FIRST, SECOND)]
    record(folder, *everyone)
    give(folder, "ana", FIRST)
    for _ in range(3):
        record(folder, *(one for one in everyone if one["unit"] == regraded))
        row = rows_of(folder)["ana", FIRST]
        assert (row["score"], row["attention_weights"], row["extra_credit"]) == ("3.75", "0.75", "0.25")
        assert row["comments"] == "attention_weights: A nice start."
        page = page_of(folder, "ana", FIRST)
        assert "3.75 <small>of 6 points" in page and "A nice start." in page
        report = report_of(folder)
        assert '0.75<small class="hand">✎' in report and "A nice start." in report
        assert rows_of(folder)["ana", SECOND]["score"] == "3.0"


def test_scores_that_are_others_than_before_are_told(folder: Path) -> None:
    """Each changed score is reported, so that an instructor knows whom a fixed check concerns; a first one is not."""
    names = [f"s{number:02}" for number in range(13)]
    first = record(folder, *(result(name, UNITS[FIRST], ("failed", "failed")) for name in names))
    assert first[1] == ()
    again = record(folder, result("s00", UNITS[FIRST], ("failed", "failed")), result("s01", UNITS[FIRST]))
    assert [str(one) for one in again[1]] == [f"{FIRST}: scores that have changed in this run: s01 0 → 6"]
    assert not again[1][0].needs_look
    fixed = record(folder, ungradable("s01", UNITS[FIRST]), *(result(name, UNITS[FIRST]) for name in names[2:]))
    (told,) = map(str, fixed[1])
    assert told.startswith(f"{FIRST}: scores that have changed in this run: s01 6 → none, s02 0 → 6, s03 0 → 6")
    assert told.endswith("s10 0 → 6 and 2 more")
    assert record(folder, result("s01", UNITS[FIRST]))[1] == ()


def test_a_unit_that_cannot_be_read_is_told_where_it_costs_a_line_of_the_report(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    def unreadable(name: str) -> Unit:
        raise CourseError(f"{name}: no stub")

    monkeypatch.setattr(classroom, "load_unit", unreadable)
    assert not record(folder, result("ana", UNITS[SECOND]))[1]
    record(folder, result("ana", UNITS[FIRST]))
    told = [one.text for one in record(folder, result("ben", UNITS[SECOND]))[1]]
    assert told == [f"earlier results are not in the report: {FIRST}: no stub"]


def test_a_page_that_cannot_be_written_is_told_and_costs_only_itself(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = classroom.write_feedback

    def stumbling(one: Result, *more: Any) -> Path:
        if one.student == "cy":
            raise TypeError("a fault of ours")
        return real(one, *more)

    monkeypatch.setattr(classroom, "write_feedback", stumbling)
    (folder / "feedback").mkdir()
    (folder / "feedback" / "bo").write_text("in the way")
    bo, cy = record(folder, *(result(name, UNITS[FIRST]) for name in ("ana", "bo", "cy", "di")))[1]
    assert bo.needs_look and bo.where == f"bo/{FIRST}" and "could not be written (NotADirectoryError: " in bo.text
    assert str(cy) == f"cy/{FIRST}: the page could not be written (TypeError: a fault of ours)"
    assert page_of(folder, "ana", FIRST) and page_of(folder, "di", FIRST)
    assert {student for student, _ in rows_of(folder)} == {"ana", "bo", "cy", "di"}
    assert "could not be written (TypeError: a fault of ours)" in report_of(folder)


def test_a_disk_that_is_full_at_the_end_is_told_line_by_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Store, "put", full)
    monkeypatch.setattr(classroom, "write_class_report", full)
    no_key = {**result("bo", UNITS[FIRST]), "key": ""}
    grades, told = classroom.record([typed(result("ana", UNITS[FIRST])), typed(no_key)], {FIRST: UNITS[FIRST]}, folder)
    assert [str(one) for one in told] == [
        f"bo/{FIRST}: its result could not be kept (OSError: [Errno 28] No space left on device)",
        "report: the class's report could not be written (OSError: [Errno 28] No space left on device)",
    ]
    assert all(one.needs_look for one in told)
    assert {student for student, _ in grades} == {"ana", "bo"}
    assert page_of(folder, "ana", FIRST)


def test_a_gradebook_that_breaks_late_takes_nothing_from_those_who_were_in_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(folder, result("ana", UNITS[FIRST], ("failed", "failed")))
    give(folder, "ana", FIRST)
    record(folder, result("ana", UNITS[FIRST], ("failed", "failed")))
    page, report = page_of(folder, "ana", FIRST), report_of(folder)

    def broken(*_: Any) -> Any:
        raise OperationalError("INSERT", {}, Exception("database or disk is full"))

    with monkeypatch.context() as patch:
        patch.setattr(gradebook, "_write_rows", broken)
        with pytest.raises(gradebook.GradebookError, match="is full; make room on the disk and grade again"):
            record(folder, result("ana", UNITS[FIRST]), result("cy", UNITS[FIRST]))
    assert (page_of(folder, "ana", FIRST), report_of(folder)) == (page, report)
    found = record(folder, result("ana", UNITS[FIRST]), result("cy", UNITS[FIRST]))[0]
    assert found["ana", FIRST].score == 5.75  # 6, less ½, more ¼
    assert "A nice start." in page_of(folder, "ana", FIRST) and page_of(folder, "cy", FIRST)


def went_with_its_cell(folder: Path) -> list[str]:
    """What the report tells of work by hand that is gone with its cell."""
    words = ("manual_score 0.5", "extra_credit 0.25", "manual_comment &#39;A nice start.&#39;")
    return [word for word in words if f"ana: {word} went with cell" in report_of(folder)]


def test_work_by_hand_that_goes_with_a_cell_is_told_once(folder: Path) -> None:
    record(folder, result("ana", UNITS[FIRST]))
    give(folder, "ana", FIRST)
    after = unit("attention_output", name=FIRST)
    classroom.record([typed(result("ana", after))], {FIRST: after}, folder)
    assert len(went_with_its_cell(folder)) == 3
    classroom.record([typed(result("ana", after))], {FIRST: after}, folder)
    assert went_with_its_cell(folder) == []


def test_formgraders_button_takes_no_work_away_untold(folder: Path) -> None:
    record(folder, result("ana", UNITS[FIRST]))
    give(folder, "ana", FIRST)
    url = gradebook.sqlite_url(folder / "gradebook.db")
    before = gradebook.read(url)
    gradebook.add_assignment(unit("attention_output", name=FIRST), url)
    assert gradebook.read(url) == before
    gradebook.add_assignment(UNITS[SECOND], url)
    with Gradebook(url) as book:
        assert {one.name for one in book.assignments} == {FIRST, SECOND}
