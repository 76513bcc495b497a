"""The notebooks that formgrader shows, read back by nbformat and nbgrader."""

from pathlib import Path

import nbformat
import pytest
from fake_class import everyone, result, typed, unit
from nbgrader.nbgraderformat import MetadataValidator
from nbgrader.utils import determine_grade

from nbproctor.classroom.autograded import write_autograded
from nbproctor.values.result import OWN_CELLS
from nbproctor.values.text import student_folder

UNIT = "03_self_attention"


def test_the_autograded_notebook_gives_the_same_points_by_nbgraders_own_rule(tmp_path: Path) -> None:
    course_unit = unit()
    for one in everyone(course_unit):
        notebook = nbformat.read(write_autograded(typed(one), course_unit, tmp_path), as_version=4)
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
    course_unit = unit("attention_weights")
    one = result("ana", course_unit)
    one["exercises"][0]["source"] += "# \ud800"
    one["exercises"][0]["printed"] = "<img src=x>\x1b[31mred\ud800"
    own = [("attention_weights", "def helper(): ..."), *(("", f"helper({n})") for n in range(2 * OWN_CELLS))]
    one["own_cells"] = [{"before": before, "source": source} for before, source in own]
    text = write_autograded(typed(one), course_unit, tmp_path).read_text()
    assert "query @ key.mT\\n    ### END" not in text
    notebook = nbformat.reads(text, as_version=4)
    nbformat.validate(notebook)
    sources = [c.source for c in notebook.cells]
    assert sources.index("def helper(): ...") + 1 == sources.index(
        one["exercises"][0]["source"].replace("\ud800", "\ufffd")
    )
    assert sum(source.startswith("helper(") for source in sources) == OWN_CELLS - 1
    printed = next(c.outputs[0] for c in notebook.cells if c.metadata.get("nbgrader", {}).get("solution"))
    assert (printed.name, printed.text) == ("stdout", "<img src=x>\ufffd[31mred\ufffd")


@pytest.mark.parametrize("student", ["", ".", "..", "../../etc", "a/b", "a\\b", "a\0b", "x" * 300, "🎓" * 80])
def test_a_student_whose_name_is_no_folder_is_refused(tmp_path: Path, student: str) -> None:
    with pytest.raises(ValueError, match="cannot be the name of a folder; rename the one in submitted/$"):
        student_folder(tmp_path / "autograded", student, UNIT)
    assert list(tmp_path.rglob("*")) == []
