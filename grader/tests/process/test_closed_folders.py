"""Where a folder may not be read, each command says so in one line, and does the rest of its work."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_nothing_lost import UNIT, deep, folder_of, without_powers

from nbproctor.intake.archive import Unreadable, items_in
from nbproctor.paths import ROOT

RELEASED = (ROOT / "course" / UNIT / f"{UNIT}.ipynb").read_bytes()
DENIED = "(Permission denied)"


@pytest.fixture
def closed(tmp_path: Path) -> Iterator[Path]:
    """A folder without any rights, with a notebook in it."""
    place = tmp_path / "closed"
    (place / "inner").mkdir(parents=True)
    (place / f"{UNIT}.ipynb").write_bytes(RELEASED)
    place.chmod(0)
    yield place
    place.chmod(0o700)


@pytest.mark.parametrize("below", ["inner", f"{UNIT}.ipynb", "download.zip"])
def test_what_cannot_be_collected_at_all_is_one_line(closed: Path, tmp_path: Path, below: str) -> None:
    """A download that lies in a closed folder is refused. (One that is closed itself is refused as an argument.)"""
    source = closed / below
    done = without_powers("grade", UNIT, "--from", str(source), "--classroom", str(tmp_path / "class"))
    assert (done.returncode, done.stderr) == (2, f"nbproctor: {source}: it cannot be read {DENIED}\n")


def test_what_is_closed_in_a_download_or_in_its_place_costs_itself_alone(tmp_path: Path) -> None:
    """A closed folder, notebook or other file costs itself alone, and so does a closed place in `submitted/`.

    One of the folders can be listed, but the files in it may not be looked at.
    """
    source, folder = tmp_path / "download", tmp_path / "class"
    for name in ("ana", "bo", "cy", "di", "eve"):
        (source / name).mkdir(parents=True)
        (source / name / f"{UNIT}.ipynb").write_bytes(RELEASED)
    (source / "ana" / "data.csv").write_text("1,2")
    place = folder_of(folder, b"eve")
    closed = {source / "bo": 0, source / "cy": 0o444, source / "di" / f"{UNIT}.ipynb": 0, place: 0}
    closed[source / "ana" / "data.csv"] = 0
    for path, mode in closed.items():
        path.chmod(mode)
    done = without_powers("grade", UNIT, "--from", str(source), "--classroom", str(folder), "--json")
    for path in closed:
        path.chmod(0o700)
    assert (done.returncode, done.stderr) == (3, "")
    said = {one["where"]: one["text"] for one in json.loads(done.stdout)["remarks"]}
    assert said["bo"] == f"not collected: this folder cannot be read {DENIED}"
    assert said[f"cy/{UNIT}.ipynb"] == f"not collected: it cannot be read {DENIED}"
    assert said[f"di/{UNIT}.ipynb"] == f"not collected: {UNIT}.ipynb cannot be read {DENIED}"
    assert said["ana/data.csv"] == f"not collected: it cannot be copied to its place {DENIED}"
    assert said[f"eve/{UNIT}"] == f"not collected: its place in submitted/ cannot be used {DENIED}"
    assert (folder / "submitted" / "ana" / UNIT / f"{UNIT}.ipynb").read_bytes() == RELEASED


def test_folders_without_end_are_collected_down_to_a_depth(tmp_path: Path) -> None:
    """Folders may lie deeper than a recursive function can go: those more than 32 deep are named and left out."""
    (tmp_path / "source").mkdir()
    deep(tmp_path / "source", "a", 1_200)
    (tmp_path / "source" / "work.ipynb").write_bytes(RELEASED)
    items = items_in(tmp_path / "source", tmp_path)
    subprocess.run(["rm", "-rf", str(tmp_path / "source" / "a")], check=True)  # noqa: S603, S607 deeper than shutil goes
    assert [one.name for one in items if not one.problem] == ["work.ipynb"]
    assert [one.problem for one in items if one.problem] == ["it lies more than 32 folders deep, and is left out"]
    with pytest.raises(Unreadable, match="it cannot be read .Not a directory"):
        items_in(tmp_path / "source" / "work.ipynb" / "below", tmp_path)


@pytest.mark.parametrize("mode", [0, 0o444])
def test_gradescopes_folder_that_is_closed_has_a_result_that_says_so(tmp_path: Path, mode: int) -> None:
    """For a closed folder, results.json is written all the same, and the student reads why there are no points."""
    submission = tmp_path / "submission"
    submission.mkdir()
    (submission / f"{UNIT}.ipynb").write_bytes(RELEASED)
    submission.chmod(mode)
    done = without_powers("gradescope", UNIT, "--autograder", str(tmp_path))
    submission.chmod(0o700)
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads((tmp_path / "results" / "results.json").read_text())
    assert told["tests"] == [] and f"cannot be read {DENIED}" in told["output"]


@pytest.mark.parametrize("command", ["grade", "export"])
def test_a_gradebook_in_a_closed_folder_is_one_line(tmp_path: Path, closed: Path, command: str) -> None:
    """A closed gradebook, or a closed classroom, is refused before anybody is graded."""
    (folder_of(tmp_path, b"ana") / f"{UNIT}.ipynb").write_bytes(RELEASED)
    words = ["grade", UNIT] if command == "grade" else ["export", "--to", "canvas"]
    place = closed / "inner" / "gradebook.db"
    done = without_powers(*words, "--classroom", str(tmp_path), "--db", f"sqlite:///{place}")
    told = {
        "grade": "unable to open database file; allow reading and writing there, or name another file",
        "export": f"cannot be read {DENIED}; allow it, or name another file",
    }
    assert (done.returncode, done.stderr) == (2, f"nbproctor: {place}: {told[command]}\n")
    done = without_powers(*words, "--classroom", str(closed / "inner"))
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    assert DENIED in done.stderr
