"""No command overwrites what a student or an author wrote: `work/` is a copy, and a release looks before it writes."""

import shutil
import subprocess
from pathlib import Path

import pytest

from nbproctor.authoring.release import release
from nbproctor.authoring.workcopy import give_out
from nbproctor.course.units import CourseError
from nbproctor.paths import ROOT

UNIT = "00_tensors"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A course of one unit in a git work tree of its own, committed."""
    for name in ("solutions", "course"):
        shutil.copytree(ROOT / name / UNIT, tmp_path / name / UNIT, ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
    shutil.copytree(ROOT / "solutions" / "checking", tmp_path / "solutions" / "checking")
    (tmp_path / "grader").mkdir()
    shutil.copy(ROOT / "grader" / "pyproject.toml", tmp_path / "grader")
    git(tmp_path, "init", "--quiet")
    commit(tmp_path)
    return tmp_path


def git(root: Path, *words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *words], cwd=root, check=True, capture_output=True)  # noqa: S603, S607


def commit(root: Path) -> None:
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "x")


def in_work(root: Path) -> set[str]:
    return {path.name for path in (root / "work" / UNIT).iterdir()}


def test_a_copy_of_each_unit_is_given_out_once(root: Path) -> None:
    assert give_out(root) == []
    mine = root / "work" / UNIT / f"{UNIT}.ipynb"
    assert mine.read_bytes() == (root / "course" / UNIT / f"{UNIT}.ipynb").read_bytes()
    mine.write_text("my answers")
    assert give_out(root) == []
    assert (mine.read_text(), in_work(root)) == ("my answers", {mine.name})


def test_a_newer_edition_comes_beside_the_answered_one_and_is_told_once(root: Path) -> None:
    give_out(root)
    mine, course = (root / name / UNIT / f"{UNIT}.ipynb" for name in ("work", "course"))
    mine.write_text("my answers")
    for number in (2, 3):
        course.write_text(f"edition {number}")
        (told,) = give_out(root)
        assert f"work/{UNIT}/{UNIT} (edition {number}).ipynb" in told and UNIT in told
        assert give_out(root) == []
    assert mine.read_text() == "my answers"
    assert in_work(root) == {mine.name, f"{UNIT} (edition 2).ipynb", f"{UNIT} (edition 3).ipynb"}


def test_a_notebook_that_was_never_used_becomes_the_newer_edition(root: Path) -> None:
    give_out(root)
    mine, course = (root / name / UNIT / f"{UNIT}.ipynb" for name in ("work", "course"))
    for number in (2, 3):
        course.write_text(f"edition {number}")
        assert give_out(root) == []
        assert (mine.read_text(), in_work(root)) == (f"edition {number}", {mine.name})


def test_a_notebook_that_was_moved_away_is_given_out_again(root: Path) -> None:
    give_out(root)
    mine = root / "work" / UNIT / f"{UNIT}.ipynb"
    mine.rename(mine.with_name("old.ipynb"))
    assert give_out(root) == []
    assert in_work(root) == {mine.name, "old.ipynb"}


def test_a_file_in_the_way_is_one_line(root: Path) -> None:
    (root / "work").write_text("in the way")
    with pytest.raises(CourseError, match="work.*nothing was overwritten"):
        give_out(root)
    assert (root / "work").read_text() == "in the way"


def test_a_release_refuses_to_overwrite_what_no_commit_holds(root: Path) -> None:
    """With --overwrite, or once the file is committed, the release goes on."""
    path = root / "course" / UNIT / f"{UNIT}.ipynb"
    path.write_text("my answers")
    shared = root / "solutions" / UNIT / f"{UNIT}.ipynb"
    before = shared.read_bytes()
    for name in ("changed", "staged"):
        with pytest.raises(CourseError, match=rf"course/{UNIT}/{UNIT}\.ipynb.*no commit.*--overwrite"):
            release(root)
        assert (path.read_text(), shared.read_bytes()) == ("my answers", before), name
        git(root, "add", "--all")
    assert release(root, overwrite=True) == [UNIT]
    path.write_text("my answers")
    commit(root)
    assert release(root) == [UNIT]


def test_a_release_may_follow_a_release_without_a_commit_between(root: Path) -> None:
    source = root / "solutions" / UNIT / f"{UNIT}.ipynb"
    for word in ("one", "two"):
        source.write_text(source.read_text().replace("Tensors", f"Tensors {word}"))
        assert release(root) == [UNIT]
    (root / "course" / UNIT / f"{UNIT}.ipynb").write_text("my answers")
    with pytest.raises(CourseError, match="no commit"):
        release(root)


def test_a_folder_that_git_does_not_know_is_released_as_ever(root: Path) -> None:
    shutil.rmtree(root / ".git")
    (root / "course" / UNIT / f"{UNIT}.ipynb").unlink()
    assert release(root) == [UNIT]
