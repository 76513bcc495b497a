"""The notebooks that formgrader shows, read back by nbformat and nbgrader."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest
from fake_class import SECRET, cell, everyone, result, ungradable, unit
from nbgrader.nbgraderformat import MetadataValidator
from nbgrader.utils import determine_grade

from nbproctor.autograded import OWN_CELLS, student_folder, write_autograded

UNIT = "03_self_attention"


def test_the_autograded_notebook_gives_the_same_points_by_nbgraders_own_rule(tmp_path: Path) -> None:
    """It is valid nbformat 4.5 with valid nbgrader metadata, and its outputs decide as the grader did."""
    course_unit = unit()
    for one in everyone(course_unit):
        notebook = nbformat.read(write_autograded(one, None, course_unit, tmp_path), as_version=4)
        nbformat.validate(notebook)
        MetadataValidator().validate_nb(notebook)
        assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
        cells = {c.metadata.nbgrader.grade_id: c for c in notebook.cells if "nbgrader" in c.metadata}
        for exercise in one["exercises"]:
            assert cells[exercise["name"]].source == exercise["source"]
            for check in exercise["checks"]:
                assert determine_grade(cells[check["grade_id"]])[0] == check["points"]
                if check["status"] == "failed":
                    output = cells[check["grade_id"]].outputs[0]
                    assert (output.ename, output.evalue) == ("AssertionError", check["message"])


def test_the_autograded_notebook_shows_no_solution_and_none_of_the_students_markdown(tmp_path: Path) -> None:
    """Of a student there is code and printed text only; the reference solution is in no cell."""
    course_unit = unit("attention_weights")
    one = result("ana", course_unit)
    one["exercises"][0]["source"] += "# \ud800"
    one["exercises"][0]["printed"] = "<img src=x>\x1b[31mred\ud800"
    submission = json.loads(json.dumps(course_unit.notebook))
    submission["cells"][2:2] = [
        cell("markdown", "<script>alert(1)</script>", "m"),
        cell("code", "def helper(): ...", "h"),
    ]
    submission["cells"] += [cell("code", f"helper({n})", f"n{n}") for n in range(2 * OWN_CELLS)] + ["nonsense", {}]
    text = write_autograded(one, submission, course_unit, tmp_path).read_text()
    assert "alert(1)" not in text and "query @ key.mT\\n    ### END" not in text
    notebook = nbformat.reads(text, as_version=4)
    nbformat.validate(notebook)
    sources = [c.source for c in notebook.cells]
    assert sources.index("def helper(): ...") + 1 == sources.index(
        one["exercises"][0]["source"].replace("\ud800", "\ufffd")
    )
    assert sum(source.startswith("helper(") for source in sources) == OWN_CELLS - 1
    printed = next(c.outputs[0] for c in notebook.cells if c.metadata.get("nbgrader", {}).get("solution"))
    assert (printed.name, printed.text) == ("stdout", "<img src=x>\ufffd[31mred\ufffd")


def test_an_answer_without_a_verdict_is_shown_as_it_was_handed_in(tmp_path: Path) -> None:
    """For an ungradable submission formgrader still has the student's cells."""
    course_unit = unit("attention_weights")
    submission = json.loads(json.dumps(course_unit.notebook))
    answer = next(c for c in submission["cells"] if c["metadata"].get("nbgrader", {}).get("solution"))
    answer["source"] = ["def attention_weights(query, key):\n", "    return 7\n", 13]
    text = write_autograded(ungradable("jo", course_unit), submission, course_unit, tmp_path).read_text()
    assert "return 7" in text and SECRET in text  # the instructor's folder: check cells are whole


@pytest.mark.parametrize("student", ["", ".", "..", "../../etc", "a/b", "a\\b", "a\0b", "x" * 300, "🎓" * 80])
def test_a_student_whose_name_is_no_folder_is_refused(tmp_path: Path, student: str) -> None:
    """Nothing is written outside, or anywhere."""
    with pytest.raises(ValueError, match="not usable as a folder's name; `collect` gives such students another$"):
        student_folder(tmp_path / "autograded", student, UNIT)
    assert list(tmp_path.rglob("*")) == []
