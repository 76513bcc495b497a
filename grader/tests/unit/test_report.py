"""What the feedback pages, the class report and its CSV say, and what can never be on them."""

import base64
import csv
import hashlib
import html
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from fake_class import SECRET, everyone, result, typed, ungradable, unit

from nbproctor.classroom.pages import class_report, feedback
from nbproctor.classroom.pages.page import TEMPLATES
from nbproctor.values.grades import CheckGrade, Grade, Grades, all_grades, of_result
from nbproctor.values.text import clean, formula_safe

SCRIPT = "<script>alert('x')</script><img src=https://evil.example/x onerror=alert(1)>\"'"


def write_feedback(one: dict[str, Any], of: Any, folder: Path, grade: Grade | None = None) -> Path:
    return feedback.write_feedback(typed(one), grade or of_result(typed(one)), of, folder)


def write_class_report(
    results: list[dict[str, Any]], units: list[Any], folder: Path, grades: Grades | None = None
) -> Path:
    all_typed = [typed(one) for one in results]
    return class_report.write_class_report(all_typed, all_grades(all_typed, grades or {}), units, folder)


class Page(HTMLParser):
    """A page as a browser sees it: its tags with their attributes, and the text between them."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.parts: list[str] = []
        self.scripts: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] == "script" and not self.scripts[-1]:
            self.scripts[-1] = data
        else:
            self.parts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.parts).split())

    def assert_harmless(self) -> None:
        """Check that the page runs only the class report's own script, loads nothing, and forbids everything else."""
        forbidden = {"iframe", "object", "embed", "img", "link", "base", "form"}
        assert not {tag for tag, _ in self.tags} & forbidden
        assert self.scripts == ([(TEMPLATES / "class.js").read_text()] if "Class report" in self.text else [])
        for _, attributes in self.tags:
            assert not [name for name in attributes if name.startswith("on") or name in ("src", "srcset", "xlink:href")]
            href = attributes.get("href") or "#"
            assert href.startswith(("#", "../feedback/")) or href in ("grades.csv", "scores.csv", "results.json")
        digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in self.scripts]
        ours = "".join(f"script-src 'sha256-{digest}'; " for digest in digests)
        policies = [a["content"] for tag, a in self.tags if tag == "meta" and a.get("http-equiv")]
        start = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
        assert policies == [f"{start}{ours}base-uri 'none'; form-action 'none'"]


def rows(table: str) -> list[dict[str, str]]:
    return list(csv.DictReader(table.splitlines()))


def nasty(of: Any) -> dict[str, Any]:
    """A result in which every text that a student can influence carries a script."""
    one = result("eve", of, ("failed", "failed"), message=SCRIPT, source=f"# {SCRIPT}")
    one["notes"] = [{"kind": "trouble", "text": SCRIPT}, {"kind": "look", "text": SCRIPT}]
    for exercise in one["exercises"]:
        exercise |= {"printed": SCRIPT, "notes": [{"kind": "accident", "text": SCRIPT}], "status": "died"}
    return one


def test_a_feedback_page_shows_score_code_message_and_picture(tmp_path: Path) -> None:
    bo = everyone(unit())[1]
    path = write_feedback(bo, unit(), tmp_path)
    assert path == tmp_path / "feedback" / "bo" / "03_self_attention" / "03_self_attention.html"
    page = Page(path)
    page.assert_harmless()
    assert "3 · Self attention" in page.text and "3 of 6 points" in page.text
    assert "Rows sum to 0.83 along the keys, expected 1." in page.text
    assert "def attention_weights(query, key):" in page.text and "torch.Size([2, 5, 7])" in page.text
    assert "The cell had lost its id" in page.text
    told = ("expected 5 × 7, 0.05 to 0.87", "yours 5 × 7, 0.05 to 0.87", "yours − expected 5 × 7, −0.57 to 0.65")
    assert all(caption in page.text for caption in told)
    assert "Largest difference 0.65 at row 4, column 6, counted from 0." in page.text


def test_what_is_not_written_is_told_apart_from_what_is_wrong(tmp_path: Path) -> None:
    stub = result("eli", unit(), ("not implemented", "not implemented"), message="not implemented yet")
    text = Page(write_feedback(stub, unit(), tmp_path)).text
    assert "○ not written yet" in text and "its cell still says “not implemented yet”" in text
    assert "✗" not in text and "The hidden check:" not in text
    misspelled = result("ida", unit(), ("missing", "missing"), message="`attention_weights` is not defined.")
    assert " attention_weights is not defined." in Page(write_feedback(misspelled, unit(), tmp_path)).text
    nothing = result("jan", unit(), ("missing", "missing"), source="")
    assert "No code of yours was found" in Page(write_feedback(nothing, unit(), tmp_path)).text


@pytest.mark.parametrize("number", range(10))
def test_hidden_checks_are_only_ever_passed_or_not_passed(tmp_path: Path, number: int) -> None:
    course_unit = unit()
    one = everyone(course_unit)[number]
    for exercise in one["exercises"]:
        exercise["checks"][1]["picture"] = {"expected": [[4711.0]], "yours": [[4712.0]]}
    text = write_feedback(one, course_unit, tmp_path).read_text()
    assert SECRET not in html.unescape(text) and "471" not in text and "hidden_" not in text
    written = [exercise for exercise in one["exercises"] if exercise["status"] not in ("not implemented", "missing")]
    hidden = [check["status"] == "passed" for exercise in written for check in exercise["checks"] if check["hidden"]]
    assert re.findall(r"The hidden check: ([a-z ]+)<", text) == [
        "passed" if passed else "not passed" for passed in hidden
    ]


def test_notes_about_attacks_are_for_the_instructor_only(tmp_path: Path) -> None:
    ida = everyone(unit())[8]
    ida["exercises"][0]["notes"] = [{"kind": "look", "text": "searched the frames"}]
    feedback = write_feedback(ida, unit(), tmp_path).read_text()
    report = Page(write_class_report([ida], [unit()], tmp_path)).text.casefold()
    for text in ("tried to open /etc/shadow", "searched the frames"):
        assert text not in feedback.casefold() and text in report
    assert "/etc/shadow" in (tmp_path / "report" / "results.json").read_text()


def test_an_ungradable_submission_gets_a_reason_and_no_zero(tmp_path: Path) -> None:
    page = Page(write_feedback(ungradable("jo", unit()), unit(), tmp_path))
    assert "could not be graded: the file is cut off in the middle (not valid JSON)" in page.text
    assert "hand in your notebook again" in page.text and "points" not in page.text


def test_everything_from_a_student_is_escaped(tmp_path: Path) -> None:
    course_unit = unit()
    eve, jo = nasty(course_unit), ungradable("<script>", course_unit, SCRIPT)
    for path in (
        write_feedback(eve, course_unit, tmp_path),
        write_feedback(ungradable("jo", course_unit, SCRIPT), course_unit, tmp_path),
        write_class_report([eve, jo, result(SCRIPT, course_unit)], [course_unit], tmp_path),
    ):
        page = Page(path)
        page.assert_harmless()
        assert "<script>alert('x')</script><img" in page.text


@pytest.mark.parametrize("student", ['O\'Neil, "Zoë"', "🎓 نور", "=1+1", "a&b;c?d#e", "javascript:alert(1)"])
def test_a_link_to_a_feedback_page_leads_there_whatever_the_name(tmp_path: Path, student: str) -> None:
    """The class report links to a student's page whatever the name, since the path in the link is percent-encoded."""
    course_unit = unit()
    path = write_feedback(result(student, course_unit), course_unit, tmp_path)
    page = Page(write_class_report([result(student, course_unit)], [course_unit], tmp_path))
    hrefs = {a["href"] for tag, a in page.tags if tag == "a" and str(a["href"]).startswith("../feedback")}
    assert {(tmp_path / "report" / unquote(urlsplit(str(href)).path)).resolve() for href in hrefs} == {path.resolve()}
    assert student in page.text


def test_the_csv_leaves_the_score_of_an_ungradable_submission_empty(tmp_path: Path) -> None:
    write_class_report([ungradable("jo", unit(), "=cmd|' /C calc'!A0")], [unit()], tmp_path)
    (row,) = rows((tmp_path / "report" / "scores.csv").read_text())
    assert (row["score"], row["status"], row["reason"]) == ("", "ungradable", "'=cmd|' /C calc'!A0")
    assert formula_safe("ana") == "ana"


def test_results_json_is_what_came_in(tmp_path: Path) -> None:
    """results.json holds all results, unrounded; only half a character, which no file can hold, is replaced."""
    results = everyone(unit())
    write_class_report([*results, result("\ud800", unit())], [unit()], tmp_path)
    written = json.loads((tmp_path / "report" / "results.json").read_text())
    assert written == [*results, result("\ufffd", unit())]


def test_graders_with_different_sandboxes_are_told_apart(tmp_path: Path) -> None:
    unsafe = result("bo", unit()) | {"layers": [], "grader_version": "9.9.9"}
    text = Page(write_class_report([result("ana", unit()), unsafe], [unit()], tmp_path)).text
    assert "none (unsafe) ; bubblewrap, seccomp" in text and "Not all submissions were graded behind the same" in text
    assert "Graded by nbproctor 0.1.0, 9.9.9." in text


def by_hand(one: dict[str, Any]) -> Grade:
    """The grade of a result after a person gave 0.5 for the first check, 0.25 more, and wrote something."""
    first, *rest = of_result(typed(one)).checks
    touched = CheckGrade(first.grade_id, first.max_points, first.auto, 0.5, 0.25)
    words = {"attention_weights": clean(f"Nice try.\n{SCRIPT}")}
    return Grade(one["student"], one["unit"], (touched, *rest), words, late_penalty=1.0)


def test_points_and_words_by_hand_are_on_the_students_page(tmp_path: Path) -> None:
    """A student's page shows points given by hand, the deduction for lateness, and a comment at its exercise.

    Here that is 0.75 for the first exercise and 3 for the second, less 1 for lateness.
    """
    bo = everyone(unit())[1]
    text = write_feedback(bo, unit(), tmp_path, by_hand(bo)).read_text()
    page = Page(tmp_path / "feedback" / "bo" / "03_self_attention" / "03_self_attention.html")
    page.assert_harmless()
    assert "2.75 of 6 points" in page.text and "0.75 / 3" in page.text and "points given by hand" in page.text
    assert "1 point is taken off because it was handed in late." in page.text
    before, after = text.split("Nice try.")
    assert 'id="attention_weights"' in before and 'id="attention_output"' in after
    assert html.unescape(after).startswith(f"\n{SCRIPT}")


def test_points_and_words_by_hand_on_an_ungradable_submission_are_shown(tmp_path: Path) -> None:
    jo = ungradable("jo", unit())
    grade = Grade("jo", jo["unit"], (CheckGrade("check_x", 6.0, None, 4.0),), {"x": clean("Read by eye.")})
    page = Page(write_feedback(jo, unit(), tmp_path, grade))
    assert "4 of 6 points" in page.text and "could not be graded" in page.text and "on x Read by eye." in page.text
    assert "hand in your notebook again" not in page.text
