"""Other instructors' courses, graded as nbgrader would, in the sandbox."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import small_course as small
from small_course import answer, cell, check, essay, grade, hand_in, notebook, say, scores, write_course

from nbproctor.anycourse.grading import Graded, Outcome
from nbproctor.anycourse.settings import CourseError

COMMAND = [sys.executable, "-c", "from nbproctor.cli.app import app; app()", "grade"]
ONE = (
    cell("import os, json\nfrom helper import DOUBLE", "setup", locked=True),
    answer("square", "def square(x):\n    return x * x"),
    check(
        "check_square", "assert square(3) == 9\n### BEGIN HIDDEN TESTS\nassert square(7) == 49\n### END HIDDEN TESTS", 3
    ),
    check("in_part", "0.5 if square(2) == 4 else 0", 2),
    answer("write", "json.dump(DOUBLE * 2, open('kept.json', 'w'))\nos.makedirs('empty', exist_ok=True)"),
    check("on_stderr", "import sys\nsquare(1) == 1 or print('wrong', file=sys.stderr);"),
    essay("words"),
)
TWO = (
    answer("read", "import os\nvalue = json.load(open('kept.json')) * os.path.isdir('empty')"),
    check("check_read", "assert value == 4"),
)
ALL = {"check_square": 3.0, "in_part": 0.5, "on_stderr": 1.0, "words": None, "check_read": 1.0}


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Graded]:
    root = tmp_path_factory.mktemp("course")
    two = notebook(cell("import json", "again", locked=True), *TWO)
    write_course(root, {"one": notebook(*ONE), "two": two}, "c.Execute.timeout = 3\n")
    (root / "source" / "hw" / "helper.py").write_text("DOUBLE = 2\n")
    folder = hand_in(root, "right")
    (folder / "helper.py").write_text("DOUBLE = 99\n")  # the instructor's file counts
    (folder / "notes.txt").write_text("mine")
    hand_in(root, "wrong", say("square", "import os; os.makedirs('new/empty')\ndef square(x):\n    return x"))
    hand_in(root, "locked", say("check_square", "assert True"))
    hand_in(root, "ends", say("square", "import os\nos._exit(0)"))  # `world/test_any_course.py` has more
    (root / "submitted" / "wrong" / "hw" / "two.ipynb").unlink()
    (root / "submitted" / "stranger" / "hw").mkdir(parents=True)
    small.save(notebook(*ONE), root / "submitted" / "stranger" / "hw" / "my own name.ipynb")
    return root, grade(root)


def outcome(graded: tuple[Path, Graded], student: str) -> Outcome:
    return next(one for one in graded[1].outcomes if one.student == student)


@pytest.mark.parametrize(
    ("student", "found"),
    [
        ("right", ALL),
        ("locked", ALL),  # the instructor's check counts
        ("wrong", ALL | {"check_square": 0.0, "in_part": 0.0, "check_read": 0.0}),  # its second notebook is missing
        ("ends", ALL | {"check_square": 0.0, "in_part": 0.0, "on_stderr": 0.0}),
    ],
)
def test_a_cell_costs_what_depends_on_it(
    graded: tuple[Path, Graded], student: str, found: dict[str, float | None]
) -> None:
    assert scores(graded[0])[student] == found
    assert not outcome(graded, student).failed


def test_the_source_itself_is_graded_first(graded: tuple[Path, Graded]) -> None:
    (ran,) = graded[1].references
    assert (ran.points, ran.most, ran.by_hand, ran.missing) == (5.5, 7.0, 1, ())
    assert ran.short == ("one, in_part: 0.5 of 2, its last line has that value",)


def test_the_folder_in_autograded_is_nbgraders(graded: tuple[Path, Graded]) -> None:
    assert (graded[0] / "autograded" / "wrong" / "hw" / "new" / "empty").is_dir()
    folder = graded[0] / "autograded" / "right" / "hw"
    files = {path.name: oct(path.stat().st_mode & 0o777) for path in folder.iterdir() if path.is_file()}
    assert files == dict.fromkeys(["helper.py", "kept.json", "notes.txt", "one.ipynb", "two.ipynb"], "0o444")
    assert (folder / "helper.py").read_text() == "DOUBLE = 2\n"
    cells = json.loads((folder / "one.ipynb").read_text())["cells"]
    assert cells[3]["outputs"][0]["data"] == {"text/plain": ["0.5"]} and cells[3]["execution_count"] == 4


def test_a_submission_that_nbgrader_cannot_grade_fails_here_too(graded: tuple[Path, Graded]) -> None:
    """It has rows without points, no folder in autograded/, and the reason is told. The next run tries it again."""
    assert set(scores(graded[0])["stranger"].values()) == {None}
    assert outcome(graded, "stranger").failed == "CourseError: none of its notebooks has the name of one in source/"
    assert not (graded[0] / "autograded" / "stranger" / "hw").exists()


@pytest.mark.parametrize("how", [pytest.param(signal.SIGINT, marks=pytest.mark.weekly), signal.SIGKILL])
def test_a_run_that_is_stopped_goes_on(tmp_path: Path, how: signal.Signals) -> None:
    """While it works, a second run says so and ends. When it has ended, nothing of the sandbox runs on."""
    slow = answer("a", "import subprocess\nsubprocess.run(['sleep', '1.0625'])\na = 1")
    root = write_course(tmp_path, {"one": notebook(slow, check("check_a", "assert a == 1"))})
    for number in range(12):
        hand_in(root, f"student{number}")
    hear = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"  # a shell's `&` ignores the signal
    program = [*COMMAND[:2], f"{hear}; {COMMAND[2]}", *COMMAND[3:], "--workers", "2"]
    with subprocess.Popen(program, cwd=root, start_new_session=True) as run:  # noqa: S603
        until = time.monotonic() + 60
        while len(kept := list(root.glob("autograded/*/hw"))) < 2 and time.monotonic() < until:
            time.sleep(0.05)
        second = small.command(root, "grade")
        assert (second.returncode, "another run is working there (since" in second.stderr) == (2, True), second
        run.send_signal(how)
        assert run.wait(timeout=30) == (130 if how is signal.SIGINT else -signal.SIGKILL)
    assert 2 <= len(kept)
    time.sleep(0.5)
    assert not any(b"1.0625" in path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists())
    before = {path: path.stat().st_mtime_ns for path in root.glob("autograded/*/hw/one.ipynb")}
    graded = grade(root)
    assert len(graded.outcomes) + graded.skipped == 12 and graded.skipped == len(before)
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert scores(root) == {f"student{number}": {"check_a": 1.0} for number in range(12)}


def test_a_step_that_would_run_cells_outside_of_the_sandbox_is_refused(tmp_path: Path) -> None:
    config = "c.Autograde.autograde_preprocessors = ['nbconvert.preprocessors.ExecutePreprocessor']\n"
    root = write_course(tmp_path, {"one": notebook(answer("a", "a = 1"), check("check_a", "assert a == 1"))}, config)
    hand_in(root, "ana")
    with pytest.raises(CourseError, match="ExecutePreprocessor in place of nbgrader's Execute"):
        grade(root)


def test_torch_is_not_needed(tmp_path: Path) -> None:
    root = write_course(tmp_path, {"one": notebook(answer("a", "a = 1"), check("check_a", "assert a == 1"))})
    hand_in(root, "ana")
    blocked = tmp_path / "blocked"
    (blocked / "torch").mkdir(parents=True)
    (blocked / "torch" / "__init__.py").write_text("raise ImportError('no torch here')\n")
    path = os.pathsep.join([str(blocked), *sys.path])
    done = subprocess.run(COMMAND, cwd=root, env={**os.environ, "PYTHONPATH": path}, stderr=subprocess.PIPE, text=True)  # noqa: S603, PLW1510
    assert (done.returncode, done.stderr) == (0, "")
    assert scores(root) == {"ana": {"check_a": 1.0}}


def test_feedback_shows_no_hidden_line(tmp_path: Path) -> None:
    hidden = "### BEGIN HIDDEN TESTS\nassert square(12345) == 152399025\n### END HIDDEN TESTS"
    cells = (
        answer("square", "def square(x):\n    return x * x"),
        check("check", f"assert square(3) == 9, 'three squared'\n{hidden}"),
        check("look", "assert True"),
        answer("steal", "pass"),
    )
    root = write_course(tmp_path, {"one": notebook(*cells)})
    hand_in(root, "right")
    hand_in(root, "wrong", say("square", "def square(x):\n    return 9"))
    hand_in(root, "empty", say("square", "def square(x):\n    return x"))
    hand_in(root, "thief", say("steal", "print(In)\nraise ValueError(In[2])"))
    grade(root)
    done = small.command(root, "feedback")
    assert (done.returncode, done.stderr) == (0, "")
    pages = {path.parts[-3]: path.read_text() for path in root.glob("feedback/*/hw/one.html")}
    assert sorted(pages) == ["empty", "right", "thief", "wrong"]
    assert [name for name, text in pages.items() if "12345" in text] == []
    assert "All of them passed" in pages["right"] and "Not all of them passed" in pages["wrong"]
    assert "AssertionError: three squared" in pages["empty"]
    hand_in(root, "later")
    grade(root)
    for options, new, left in (([], 1, 4), (["--force"], 5, 0)):
        said = " ".join(small.command(root, "feedback", *options).stdout.split())
        assert f"new pages: {new}, with pages left as they were: {left}." in said
        assert ("--force writes those anew" in said) == (left > 0)


def test_the_report_says_how_checks_were_graded_and_what_differs(graded: tuple[Path, Graded]) -> None:
    page = (graded[0] / "report" / "index.html").read_text()
    assert "beside the student" in page and "does <strong>not</strong> keep a student from" in page
    assert page.count("Other than nbgrader:") == 1
    assert "one, cell square: it ended its process; only this cell is lost." in page
    assert "none of its notebooks has the name of one in source/" in page
    kept = json.loads((graded[0] / "report" / "notes" / "hw" / "ends.json").read_text())
    assert list(kept["differences"]) == list(outcome(graded, "ends").differences)


def test_the_doctor_says_what_is_missing(tmp_path: Path) -> None:
    well = notebook(answer("a", "a = 1"), check("check_a", "assert a == 1"))
    lacks = notebook(answer("a", "import nosuchmodule\na = 1"), check("check_a", "assert a == 1", 2))
    root = write_course(tmp_path, {"one": lacks})
    done = small.command(root, "doctor")
    assert done.returncode == 3 and "its own solutions get 0 of 2 points" in done.stdout
    assert "module nosuchmodule is not installed" in done.stdout
    lacks.metadata["kernelspec"]["name"] = "klingon"
    write_course(root, {"one": lacks})
    done = small.command(root, "doctor")
    assert done.returncode == 3 and "kernel klingon is not installed here" in done.stdout
    done = small.command(write_course(tmp_path / "well", {"one": well}), "doctor")
    assert done.returncode == 0 and "its own solutions get 1 of 1 point" in done.stdout
