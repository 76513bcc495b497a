"""Other instructors' courses, graded as nbgrader would, in the sandbox."""

import json
import os
import signal
import subprocess
import sys
import time
from copy import deepcopy
from pathlib import Path

import pytest
import small_course as small
from nbgrader.nbgraderformat import ValidationError
from small_course import (
    answer,
    cell,
    check,
    command,
    copied,
    essay,
    grade,
    hand_in,
    notebook,
    say,
    scores,
    write_course,
)

from nbproctor.anycourse.grading import Graded, Outcome
from nbproctor.anycourse.settings import CourseError
from nbproctor.anycourse.steps import CheckCellMetadataOnce

COMMAND = [sys.executable, "-c", "from nbproctor.cli.app import app; app()", "grade"]
ONE = (
    cell("import os, json\nfrom helper import DOUBLE", "setup", locked=True),
    answer("square", "def square(x):\n    return x * x"),
    check(
        "check_square", "assert square(3) == 9\n### BEGIN HIDDEN TESTS\nassert square(7) == 49\n### END HIDDEN TESTS", 3
    ),
    check("in_part", "0.5 if square(2) == 4 else 0", 2),
    answer("write", "json.dump(DOUBLE * 2, open('kept.json', 'w'))"),
    check("on_stderr", "import sys\nsquare(1) == 1 or print('wrong', file=sys.stderr);"),
    essay("words"),
)
TWO = (answer("read", "value = json.load(open('kept.json'))"), check("check_read", "assert value == 4"))
ALL = {"check_square": 3.0, "in_part": 0.5, "on_stderr": 1.0, "words": None, "check_read": 1.0}
LOST = ALL | {"check_square": 0.0, "in_part": 0.0, "on_stderr": 0.0}
HOSTILE = {  # `world/test_any_course.py` has more
    "ends its process": "import os\nos._exit(0)",
    "catches the interrupt": "import time\nwhile 1:\n    try: time.sleep(.1)\n    except BaseException: pass",
}


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Graded]:
    """A class of honest and hostile students, graded."""
    root = tmp_path_factory.mktemp("course")
    two = notebook(cell("import json", "again", locked=True), *TWO)
    write_course(root, {"one": notebook(*ONE), "two": two}, "c.Execute.timeout = 3\n")
    (root / "source" / "hw" / "helper.py").write_text("DOUBLE = 2\n")
    folder = hand_in(root, "right")
    (folder / "helper.py").write_text("DOUBLE = 99\n")  # the instructor's file counts
    (folder / "notes.txt").write_text("mine")
    hand_in(root, "wrong", say("square", "import os; os.makedirs('new/empty')\ndef square(x):\n    return x"))
    hand_in(root, "locked", say("check_square", "assert True"))
    hand_in(root, "leaves", say("square", "exit()"))
    hand_in(root, "copies", lambda nb: copied("square")(nb) if len(nb.cells) > 3 else nb)
    for name, source in HOSTILE.items():
        hand_in(root, name, say("square", source))
    (root / "submitted" / "wrong" / "hw" / "two.ipynb").unlink()
    (root / "submitted" / "stranger" / "hw").mkdir(parents=True)
    small.save(notebook(*ONE), root / "submitted" / "stranger" / "hw" / "my own name.ipynb")
    return root, grade(root)


def outcome(graded: tuple[Path, Graded], student: str) -> Outcome:
    return next(one for one in graded[1].outcomes if one.student == student)


def test_a_right_submission_gets_the_points_of_the_source(graded: tuple[Path, Graded]) -> None:
    """Hidden tests, partial credit, files from one notebook to the next, and cells for a person are nbgrader's."""
    assert scores(graded[0])["right"] == ALL
    assert outcome(graded, "right") == Outcome("hw", "right", 5.5, 11.0, 1, (), (), "", outcome(graded, "right").cpu_s)
    assert scores(graded[0])["locked"] == ALL  # the instructor's check counts


def test_the_source_itself_is_graded_first(graded: tuple[Path, Graded]) -> None:
    (ran,) = graded[1].references
    assert (ran.points, ran.most, ran.by_hand, ran.missing) == (5.5, 7.0, 1, ())
    assert ran.short == ("one, in_part: 0.5 of 2, its last line has that value",)


def test_a_wrong_submission_loses_its_cells_and_what_is_missing(graded: tuple[Path, Graded]) -> None:
    found = scores(graded[0])["wrong"]
    assert found == ALL | {"check_square": 0.0, "in_part": 0.0, "check_read": 0.0}


def test_the_folder_in_autograded_is_nbgraders(graded: tuple[Path, Graded]) -> None:
    """Notebooks with outputs, the student's files, the instructor's in place of theirs, and what was written."""
    assert (graded[0] / "autograded" / "wrong" / "hw" / "new" / "empty").is_dir()
    folder = graded[0] / "autograded" / "right" / "hw"
    assert sorted(path.name for path in folder.iterdir()) == [
        "helper.py",
        "kept.json",
        "notes.txt",
        "one.ipynb",
        "two.ipynb",
    ]
    assert (folder / "helper.py").read_text() == "DOUBLE = 2\n"
    assert {oct(path.stat().st_mode & 0o777) for path in folder.iterdir()} == {"0o444"}
    cells = json.loads((folder / "one.ipynb").read_text())["cells"]
    assert cells[3]["outputs"][0]["data"] == {"text/plain": ["0.5"]} and cells[3]["execution_count"] == 4


@pytest.mark.parametrize("student", HOSTILE)
def test_a_hostile_cell_costs_itself_alone(graded: tuple[Path, Graded], student: str) -> None:
    """Whatever a cell does, it costs what depends on it. The other points are given."""
    assert scores(graded[0])[student] == LOST
    assert not outcome(graded, student).failed


@pytest.mark.parametrize(
    ("student", "words"),
    [
        ("ends its process", "one, cell square: it ended its process; only this cell is lost."),
        ("catches the interrupt", "one, cell square: it did not end, and could not be interrupted;"),
        ("copies", "one, cell square: copied; the last one counts."),
        ("leaves", "one, cell square: exit() does nothing."),
    ],
)  # fmt: skip
def test_where_we_go_on_and_nbgrader_would_not_is_said(graded: tuple[Path, Graded], student: str, words: str) -> None:
    (said,) = outcome(graded, student).differences
    assert said.startswith(words) and "nbgrader" in said.removeprefix(words)


def test_a_submission_that_nbgrader_cannot_grade_fails_here_too(graded: tuple[Path, Graded]) -> None:
    """It has rows without points, no folder in autograded/, and the reason is told. The next run tries it again."""
    assert set(scores(graded[0])["stranger"].values()) == {None}
    assert outcome(graded, "stranger").failed == "CourseError: none of its notebooks has the name of one in source/"
    assert not (graded[0] / "autograded" / "stranger" / "hw").exists()


def test_metadata_is_checked_once_and_what_differs_is_checked_anew(caplog: pytest.LogCaptureFixture) -> None:
    """A notebook whose marks passed before passes; any other is checked, and refused or warned about each time."""
    step, resources = CheckCellMetadataOnce(), dict[str, object]()
    step.preprocess(notebook(*ONE), resources)
    step.preprocess(notebook(*ONE), resources)
    bare, doubled, turned = (deepcopy(notebook(*ONE)) for _ in range(3))
    del bare.cells[2].metadata.nbgrader["points"]
    doubled.cells[2].metadata.nbgrader["grade_id"] = doubled.cells[1].metadata.nbgrader["grade_id"]
    for broken in (bare, doubled):
        for _ in range(2):
            with pytest.raises(ValidationError):
                step.preprocess(broken, resources)
    turned.cells[0].metadata.nbgrader["cell_type"] = "markdown"
    caplog.clear()
    for _ in range(2):
        step.preprocess(turned, resources)
    assert [record.getMessage().startswith("Cell type has changed") for record in caplog.records] == [True, True]


@pytest.mark.parametrize("how", [pytest.param(signal.SIGINT, marks=pytest.mark.weekly), signal.SIGKILL])
def test_a_run_that_is_stopped_goes_on(tmp_path: Path, how: signal.Signals) -> None:
    """After Ctrl-C or `kill -9`, what was graded is kept whole, and the same command grades the rest.

    While it works, a second run says so and ends. When it has ended, nothing of the sandbox runs on.
    """
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
        second = command(root, "grade")
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
    """A grader without torch grades a course."""
    root = write_course(tmp_path, {"one": notebook(answer("a", "a = 1"), check("check_a", "assert a == 1"))})
    hand_in(root, "ana")
    blocked = tmp_path / "blocked"
    (blocked / "torch").mkdir(parents=True)
    (blocked / "torch" / "__init__.py").write_text("raise ImportError('no torch here')\n")
    path = os.pathsep.join([str(blocked), *sys.path])
    done = subprocess.run(  # noqa: S603
        COMMAND, cwd=root, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert scores(root) == {"ana": {"check_a": 1.0}}


def test_feedback_shows_no_hidden_line(tmp_path: Path) -> None:
    """A hidden test is neither on the page nor in an output, whether it passed, failed, or a student printed it."""
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
    done = command(root, "feedback")
    assert (done.returncode, done.stderr) == (0, "")
    pages = {path.parts[-3]: path.read_text() for path in root.glob("feedback/*/hw/one.html")}
    assert sorted(pages) == ["empty", "right", "thief", "wrong"]
    assert [name for name, text in pages.items() if "12345" in text] == []
    assert "All of them passed" in pages["right"] and "Not all of them passed" in pages["wrong"]
    assert "AssertionError: three squared" in pages["empty"]
    hand_in(root, "later")
    grade(root)
    for options, new, left in (([], 1, 4), (["--force"], 5, 0)):
        said = " ".join(command(root, "feedback", *options).stdout.split())
        assert f"new pages: {new}, with pages left as they were: {left}." in said
        assert ("--force writes those anew" in said) == (left > 0)


def test_the_report_says_how_checks_were_graded_and_what_differs(graded: tuple[Path, Graded]) -> None:
    page = (graded[0] / "report" / "index.html").read_text()
    assert "beside the student" in page and "does <strong>not</strong> keep a student from" in page
    assert page.count("Other than nbgrader:") == sum(len(one.differences) for one in graded[1].outcomes) >= 4
    assert "exit() does nothing" in page
    assert "none of its notebooks has the name of one in source/" in page
    kept = json.loads((graded[0] / "report" / "notes" / "hw" / "leaves.json").read_text())
    assert list(kept["differences"]) == list(outcome(graded, "leaves").differences)


def test_the_doctor_says_what_is_missing(tmp_path: Path) -> None:
    """A module that is not here, a solution that does not get its points, and a kernel that is not installed."""
    well = notebook(answer("a", "a = 1"), check("check_a", "assert a == 1"))
    lacks = notebook(answer("a", "import nosuchmodule\na = 1"), check("check_a", "assert a == 1", 2))
    root = write_course(tmp_path, {"one": lacks})
    done = command(root, "doctor")
    assert done.returncode == 3 and "its own solutions get 0 of 2 points" in done.stdout
    assert "module nosuchmodule is not installed" in done.stdout
    lacks.metadata["kernelspec"]["name"] = "klingon"
    write_course(root, {"one": lacks})
    done = command(root, "doctor")
    assert done.returncode == 3 and "kernel klingon is not installed here" in done.stdout
    done = command(write_course(tmp_path / "well", {"one": well}), "doctor")
    assert done.returncode == 0 and "its own solutions get 1 of 1 point" in done.stdout
