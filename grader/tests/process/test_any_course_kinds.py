"""Cells that are late, tasks, links, folders, and checks that students change, in other instructors' courses.

Where nbgrader gives a value, stock `nbgrader autograde` grades a copy of the same course.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import any_course_judge as judge
import kernels
import pytest
import small_course as small
from nbformat import read
from small_course import answer, cell, check, essay, grade, hand_in, notebook, say, scores, write_course

from nbproctor.anycourse.feedback import _shows, _squeezed

VISIBLE = "assert a == 1"
HIDDEN = f"{VISIBLE}\n### BEGIN HIDDEN TESTS\nassert a * 12345 == 12345\n### END HIDDEN TESTS"
FOLDERS = "from pathlib import Path\nfolders = [one.name for one in (Path.cwd(), *Path.cwd().parents)]"


def released(nb: Any) -> Any:
    """A notebook as students get it, with the right answers."""
    return say("check_a", VISIBLE)(nb)


def without(*grade_ids: str) -> Callable[[Any], Any]:
    def edit(nb: Any) -> Any:
        nb.cells = [one for one in nb.cells if one.metadata.nbgrader.grade_id not in grade_ids]
        return released(nb)

    return edit


def test_what_waits_for_a_person_is_what_waits_in_the_gradebook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tasks, and cells that a student has deleted, wait as well. The folder has nbgrader's name. All rows are stock's.

    A check with hidden tests differs from source/ in every honest notebook; only one that a student changed is named.
    """
    task = cell("Draw it.", "draw", "markdown", task=True, locked=True, points=2)
    cells = [answer("a", "a = 1"), check("check_a", HIDDEN), essay("words"), task, answer("where", FOLDERS)]
    check_folder = check("check_where", "assert folders[:3] == ['hw', 'ana', 'autograded']")
    root = write_course(tmp_path / "course", {"one": notebook(*cells, check_folder)})
    assert small.nbgraders(root, "generate_assignment", "hw").returncode == 0
    hand_in(root, "ana", released)
    hand_in(root, "ben", lambda nb: say("check_a", "pass")(nb))
    hand_in(root, "cem", without("words", "check_a"))
    with kernels.plain_kernels() as path:
        monkeypatch.setattr(judge, "kernels_of_stock", path)
        theirs, mine = judge.both(root, ["hw"])
    assert judge.differences(theirs, mine) == []
    assert {student: found["check_where"] for student, found in scores(mine).items()} == {"ana": 1, "ben": 0, "cem": 0}
    waiting = {
        student: sum(row["needs_manual"] for key, row in judge.rows_of(theirs, student).items() if key[0] == "grade")
        for student in ("ana", "ben", "cem")
    }
    graded = grade(mine, force=True)
    assert {one.student: one.by_hand for one in graded.outcomes} == waiting == {"ana": 2, "ben": 2, "cem": 3}
    changed = "cell check_a: the student changed this locked cell; the course's own text was used"
    assert {one.student: one.notes for one in graded.outcomes} == {"ana": (), "ben": (changed,), "cem": ()}
    assert "7 cells wait for a person." in small.command(mine, "grade", "--force").stdout
    assert "In 3 of 3 submissions cells wait for a person" in (mine / "report" / "index.html").read_text()


def test_a_cell_that_runs_out_of_time_is_named_as_that(tmp_path: Path) -> None:
    """The course's own before the first student, and in doctor; and a student's."""
    late = "one, cell 1 did not end within 1 s (c.Execute.timeout)"
    nb = notebook(cell("import time\ntime.sleep(30)\nx = 1", "late"), answer("a", "a = x"), check("check_a", VISIBLE))
    del nb.cells[0].metadata["nbgrader"]
    root = write_course(tmp_path, {"one": nb}, "c.Execute.timeout = 1")
    hand_in(root, "ana", lambda nb: say("a", "while True: pass")(nb))
    graded = grade(root)
    assert graded.references[0].short[0] == late
    assert graded.outcomes[0].notes == (late, late.replace("cell 1", "cell a"))
    done = small.command(root, "doctor")
    assert done.returncode == 3 and f"hw: {late}" in done.stdout


def test_links_do_not_lead_out_of_a_submission(tmp_path: Path) -> None:
    """Neither a student's code nor autograded/ gets what a link leads to, nor is another student's notebook graded."""
    lists = "import os\nfound = sorted(n for n in os.listdir() if not n.endswith('.ipynb'))"
    sees = check("sees", "assert own == 'own' and found == ['data', 'inside', 'own'], found")
    books = notebook(answer("looks", f"{lists}\nown = open('inside').read()"), sees)
    root = write_course(tmp_path / "course", {"one": books})
    (tmp_path / "data").write_text("shared")
    (root / "source" / "hw" / "data").symlink_to(tmp_path / "data")
    folder = hand_in(root, "ana")
    (folder / "own").write_text("own")
    (folder / "inside").symlink_to("own")
    (folder / "data").symlink_to(root / "gradebook.db")
    (folder / "out").symlink_to(root / "nbgrader_config.py")
    (folder / "folder").symlink_to(tmp_path)
    other = hand_in(root, "ben")
    os.remove(other / "one.ipynb")
    (other / "one.ipynb").symlink_to(folder / "one.ipynb")
    grade(root)
    assert scores(root) == {"ana": {"sees": 1.0}, "ben": {"sees": None}}
    assert sorted(os.listdir(root / "autograded" / "ana" / "hw")) == ["data", "inside", "one.ipynb", "own"]
    assert not (root / "autograded" / "ben" / "hw").exists()
    page = (root / "report" / "index.html").read_text()
    assert "out is a link that leads out of the submission; it was left out" in page
    assert "one.ipynb is a link that leads out of the submission" in page


LINE = "assert square(7) == 'it\\'s <49>'"
OTHER_FORMS = {
    "no-break spaces": LINE.replace(" ", "\u00a0"),
    "zero-width": "\u200b".join(LINE),
    "wide": "".join(chr(ord(one) + 0xFEE0) if one.isalnum() else one for one in LINE),
    "repr of repr": repr(repr(LINE)),
    "entities": LINE.replace(" ", "&nbsp;").replace("<", "&lt;").replace("'", "&#x27;"),
}


@pytest.mark.parametrize("form", OTHER_FORMS)
def test_blanks_of_any_kind_hide_no_hidden_line(form: str) -> None:
    text = OTHER_FORMS[form]
    for output in (
        {"output_type": "stream", "text": f"x {text} y"},
        {"output_type": "display_data", "data": {"text/html": f"<b>{text}</b>"}},
        {"output_type": "error", "traceback": ["Error", *f"--> {text}".split("\n")]},
    ):
        assert _shows(output, {_squeezed(LINE)})
        assert not _shows(output, {_squeezed("assert square(8) == 64")})


def test_a_foreign_schema_costs_its_own_submission_alone(tmp_path: Path) -> None:
    """nbgrader's run ends there, so that who comes later in the alphabet is not graded."""
    root = write_course(tmp_path, {"one": notebook(answer("a", "a = 1"), check("check_a", VISIBLE))})
    nb = read(hand_in(root, "ana") / "one.ipynb", as_version=4)
    nb.cells[0].metadata.nbgrader["schema_version"] = 99
    small.save(nb, root / "submitted" / "ana" / "hw" / "one.ipynb")
    hand_in(root, "ben")
    ana, ben = grade(root).outcomes
    assert "SchemaTooNew" in ana.failed and (ben.points, ben.failed) == (1.0, "")


SURROGATES = {
    "shows": "from IPython.display import display\ndisplay({'text/plain': '\\ud800', '\\udfff': 1}, raw=True)",
    "raises": "raise ValueError('\\ud800')",
    "writes": "open('\\udcff', 'w').close()",
}


def test_text_that_no_file_can_hold_costs_nothing(tmp_path: Path) -> None:
    """A lone surrogate in an output or a file's name."""
    root = write_course(tmp_path, {"one": notebook(answer("a", "a = 1"), check("check_a", VISIBLE))})
    for student, source in SURROGATES.items():
        hand_in(root, student, say("a", f"a = 1\n{source}"))
    grade(root)
    assert scores(root) == dict.fromkeys(SURROGATES, {"check_a": 1.0})
