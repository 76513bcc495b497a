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
from nbformat import read
from small_course import (
    answer,
    cell,
    check,
    command,
    essay,
    grade,
    hand_in,
    nbgraders,
    notebook,
    say,
    scores,
    write_course,
)

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

    A check with hidden tests differs from source/ in every honest notebook, of which nothing is said. A check that a
    student has changed is named.
    """
    task = cell("Draw it.", "draw", "markdown", task=True, locked=True, points=2)
    cells = [answer("a", "a = 1"), check("check_a", HIDDEN), essay("words"), task, answer("where", FOLDERS)]
    check_folder = check(
        "check_where", "assert folders[0] == 'hw', folders\nassert folders[1:3] == ['ana', 'autograded']"
    )
    root = write_course(tmp_path / "course", {"one": notebook(*cells, check_folder)})
    assert nbgraders(root, "generate_assignment", "hw").returncode == 0
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
    assert "7 cells wait for a person." in command(mine, "grade", "--force").stdout
    assert "In 3 of 3 submissions cells wait for a person" in (mine / "report" / "index.html").read_text()


def test_the_doctor_names_a_kernel_once_and_counts_tasks(tmp_path: Path) -> None:
    task = cell("Draw it.", "draw", "markdown", task=True, locked=True, points=2)
    nb = notebook(answer("a", "a = 1"), check("check_a", HIDDEN), essay("words"), task)
    nb.metadata["kernelspec"]["name"] = "python"  # which Jupyter takes for python3
    told = command(write_course(tmp_path, {"one": nb}), "doctor").stdout
    assert "\nhw: 1 notebook\nhw: kernel python3: a warm process of this Python\n" in told
    assert told.endswith("hw: its own solutions get 1 of 1 point; 2 cells wait for a person\n")


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
    done = command(root, "doctor")
    assert done.returncode == 3 and f"hw: {late}" in done.stdout


FIRST = """import os
for folder in ("stays", "goes", "turns"): os.makedirs(folder)
os.makedirs("inner/goes")
open("file", "w").close()"""
SECOND = """import os
os.makedirs("stays", exist_ok=True)
os.rmdir("goes"), os.rmdir("inner/goes"), os.rmdir("inner"), os.rmdir("turns"), os.remove("file")
os.makedirs("file")
open("turns", "w").close()"""
THIRD = 'import os\nfound = {name: os.path.isdir(name) for name in os.listdir() if not name.endswith(".ipynb")}'


def test_an_empty_folder_is_a_folder(tmp_path: Path) -> None:
    """From one notebook to the next, where it goes, and where it becomes a file."""
    expected = {"stays": True, "turns": False, "file": True}
    parts = (
        ("a", FIRST, "os.path.isdir('goes')"),
        ("b", SECOND, "not os.path.exists('goes')"),
        ("c", THIRD, f"found == {expected}, found"),
    )
    books = {
        name: notebook(answer("do", source), check(f"check_{name}", f"assert {test}")) for name, source, test in parts
    }
    root = write_course(tmp_path, books)
    hand_in(root, "ana")
    grade(root)
    assert scores(root) == {"ana": {"check_a": 1.0, "check_b": 1.0, "check_c": 1.0}}
    left = {path.name: path.is_dir() for path in (root / "autograded" / "ana" / "hw").iterdir()}
    assert {name: is_folder for name, is_folder in left.items() if not name.endswith(".ipynb")} == expected


def test_links_do_not_lead_out_of_a_submission(tmp_path: Path) -> None:
    """Neither a student's code nor autograded/ gets what a link leads to, nor is another student's notebook graded.

    A link inside the submission is followed, and the course's own links are.
    """
    looks = (
        "import os\nfound = sorted(n for n in os.listdir() if not n.endswith('.ipynb'))\nown = open('inside').read()"
    )
    books = notebook(
        answer("looks", looks), check("sees", "assert own == 'own' and found == ['data', 'inside', 'own'], found")
    )
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
    "as it is": LINE,
    "no-break spaces": LINE.replace(" ", "\u00a0"),
    "no blanks": LINE.replace(" ", ""),
    "zero-width": "\u200b".join(LINE),
    "wide": "".join(chr(ord(one) + 0xFEE0) if one.isalnum() else one for one in LINE),
    "lines": LINE.replace(" ", "\n"),
    "repr": repr(LINE.replace(" ", "\u00a0")),
    "repr of repr": repr(repr(LINE)),
    "entities": LINE.replace(" ", "&nbsp;").replace("<", "&lt;").replace("'", "&#x27;"),
    "a list": repr(["x", LINE]),
}


@pytest.mark.parametrize("form", OTHER_FORMS)
@pytest.mark.parametrize("kind", ["text", "data", "traceback"])
def test_blanks_of_any_kind_hide_no_hidden_line(form: str, kind: str) -> None:
    text = OTHER_FORMS[form]
    output = {
        "text": {"output_type": "stream", "text": f"x {text} y"},
        "data": {"output_type": "display_data", "data": {"text/html": f"<b>{text}</b>"}},
        "traceback": {"output_type": "error", "traceback": ["Error", *f"--> {text}".split("\n")]},
    }[kind]
    assert _shows(output, {_squeezed(LINE)})
    assert not _shows(output, {_squeezed("assert square(8) == 64")})


def test_no_break_spaces_hide_nothing_on_a_page(tmp_path: Path) -> None:
    """A student who prints what the checks above have run, with other blanks, sees no hidden line."""
    nb = notebook(answer("a", "a = 1"), check("check_a", HIDDEN), answer("b", "b = 1"))
    root = write_course(tmp_path, {"one": nb})
    hand_in(root, "ana", say("b", "print(In[2].replace(' ', '\\u00a0'))"))
    grade(root)
    printed = read(root / "autograded" / "ana" / "hw" / "one.ipynb", as_version=4).cells[2].outputs[0].text
    assert "12345" in printed
    assert command(root, "feedback").returncode == 0
    assert "12345" not in (root / "feedback" / "ana" / "hw" / "one.html").read_text()


def test_a_foreign_schema_costs_its_own_submission_alone(tmp_path: Path) -> None:
    """nbgrader's run ends there, so that who comes later in the alphabet is not graded."""
    root = write_course(tmp_path, {"one": notebook(answer("a", "a = 1"), check("check_a", VISIBLE))})
    assert nbgraders(root, "generate_assignment", "hw").returncode == 0

    def foreign(nb: Any) -> Any:
        nb.cells[0].metadata.nbgrader["schema_version"] = 99
        return nb

    hand_in(root, "ana", foreign)
    hand_in(root, "ben")
    assert nbgraders(root, "autograde", "hw").returncode != 0
    assert not (root / "autograded" / "ben").exists()
    ana, ben = grade(root).outcomes
    assert "SchemaTooNew" in ana.failed and (ben.points, ben.failed) == (1.0, "")


SURROGATES = {
    "prints": "print('\\ud800')",
    "shows": "from IPython.display import display\ndisplay({'text/plain': '\\ud800', '\\udfff': 1}, raw=True)",
    "raises": "raise ValueError('\\ud800')",
    "writes": "open('\\udcff', 'w').close()",
    "ends with it": "'\\ud800'",
}


def test_text_that_no_file_can_hold_costs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lone surrogate in an output or a file's name; the points are those of stock nbgrader."""
    root = write_course(tmp_path / "course", {"one": notebook(answer("a", "a = 1"), check("check_a", VISIBLE))})
    assert nbgraders(root, "generate_assignment", "hw").returncode == 0
    for student, source in SURROGATES.items():
        hand_in(root, student, say("a", f"a = 1\n{source}"))
    with kernels.plain_kernels() as path:
        monkeypatch.setattr(judge, "kernels_of_stock", path)
        theirs, mine = judge.both(root, ["hw"])
    assert scores(mine) == dict.fromkeys(SURROGATES, {"check_a": 1.0}), (mine / "said.txt").read_text()
    assert scores(theirs) == scores(mine)
