"""Which course a command means, and what its settings say."""

import os
from pathlib import Path

import pytest
from small_course import answer, check, notebook, write_course
from typer.testing import CliRunner

from nbproctor.anycourse.settings import Course, CourseError, leads_out, view_for
from nbproctor.border.sandbox import Bounds
from nbproctor.cli.anycourse import course_folder
from nbproctor.cli.app import app
from nbproctor.errors import UserError
from nbproctor.paths import ROOT

ONE = {"one": notebook(answer("a", "a = 1"), check("check_a", "assert a == 1"))}


def test_one_rule_says_which_course_is_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """nbgrader_config.py or source/ make a folder an nbgrader course; our repository and its grader/ are ours."""
    for folder in (ROOT, ROOT / "grader"):
        assert course_folder(folder) is None
    with pytest.raises(UserError, match="neither nbgrader_config.py nor source/ is there"):
        course_folder(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert course_folder(None) is None  # as ever: our own course, from any folder
    (tmp_path / "source").mkdir()
    assert course_folder(None) == tmp_path.resolve() == course_folder(tmp_path)
    monkeypatch.setattr("nbproctor.cli.anycourse.ROOT", tmp_path / "installed by pip")
    (tmp_path / "source").rmdir()
    with pytest.raises(UserError):
        course_folder(None)


def test_without_a_course_one_line_says_so(tmp_path: Path) -> None:
    for command in (["grade"], ["doctor"], ["feedback"]):
        done = CliRunner().invoke(app, [*command, "--course", str(tmp_path)])
        assert (done.exit_code, done.stdout) == (2, "")
        assert done.stderr.startswith(f"nbproctor: {tmp_path}: no course") and done.stderr.count("\n") == 1


@pytest.mark.parametrize("option", [("--db", "sqlite:///x"), ("--cell-s", "9"), ("--submission-s", "9")])
def test_options_of_our_own_course_are_refused(tmp_path: Path, option: tuple[str, str]) -> None:
    write_course(tmp_path, ONE)
    done = CliRunner().invoke(app, ["grade", "--course", str(tmp_path), *option])
    assert done.exit_code == 2
    assert done.stderr == f"nbproctor: {option[0]} is for the course Attention from Scratch alone\n"


def test_settings_are_nbgraders_and_ours(tmp_path: Path) -> None:
    config = "c.Execute.timeout = 7\nc.Proctor.memory_mb = 512\nc.Proctor.network = ['hw']\nc.Proctor.scratch_mb = 9\n"
    before = Path.cwd()
    course = Course(write_course(tmp_path, ONE, config))
    assert Path.cwd() == before
    assert (course.execute.timeout, course.root, course.assignments()) == (7, tmp_path, ["hw"])
    assert course.bounds("hw") == Bounds(512, 64, 9, 9, 1 << 16, network=True)
    assert not course.bounds("other").network


@pytest.mark.parametrize(
    ("line", "told"), [("c.Proctor.memory_mb = 'much'", "memory_mb"), ("c.A.b = nowhere", "nowhere")]
)
def test_a_config_with_a_mistake_is_told_in_one_line(tmp_path: Path, line: str, told: str) -> None:
    with pytest.raises(CourseError, match=told):
        Course(write_course(tmp_path, ONE, f"{line}\n"))


def test_a_course_needs_no_configuration(tmp_path: Path) -> None:
    root = write_course(tmp_path, ONE)
    (root / "nbgrader_config.py").unlink()
    assert Course(root).assignments() == ["hw"]


def test_students_see_no_course_home_or_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, library = write_course(tmp_path / "course", ONE), tmp_path / "library"
    library.mkdir()
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, [root, tmp_path, Path.home(), ROOT / "grader", library])))
    view = view_for(root, ())
    assert str(library) in view.readable and view.hidden == root
    assert not {str(root), str(tmp_path), str(Path.home()), str(ROOT / "grader")} & set(view.readable)
    folder = root / "submitted" / "ana" / "hw"
    folder.mkdir(parents=True)
    (folder / "mine.txt").write_text("mine")
    (folder / "theirs.txt").symlink_to(root / "nbgrader_config.py")
    found = {name: leads_out(path, folder) for name, path in Course(root).files(folder).items()}
    assert found == {"mine.txt": False, "theirs.txt": True}
