"""`nbproctor grade` around the grading: which files of `submitted/` it takes, what it names, and how it ends."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake_class import result, typed, unit
from fake_class import ungradable as no_notebook

from nbproctor.classroom import gradebook
from nbproctor.classroom import records as classroom
from nbproctor.cli import grade as command
from nbproctor.cli import sample
from nbproctor.cli.app import app
from nbproctor.intake import find as intake
from nbproctor.run import batch

UNIT = "03_self_attention"
RIGHT = ("passed", "passed")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A classroom of a course of one unit."""
    monkeypatch.setattr(classroom, "load_unit", lambda name: unit())
    monkeypatch.setattr(command, "load_gradable_unit", lambda name: unit())
    for module in (classroom, intake):
        monkeypatch.setattr(module, "unit_names", lambda: [UNIT])
    return tmp_path


def hand_in(folder: Path, student: str, *names: str, unit: str = UNIT) -> None:
    """Put files into the student's folder for the unit; each file holds its own name."""
    place = folder / "submitted" / student / unit
    place.mkdir(parents=True)
    for name in names:
        (place / name).write_text(name)


def ending(
    monkeypatch: pytest.MonkeyPatch, folder: Path, graded: Callable[[], list[dict[str, Any]]], *more: str
) -> int:
    """The exit code of `nbproctor grade` with `more` options, where grading starts nothing and gives these results."""
    monkeypatch.setattr(batch, "run", lambda *_: [typed(one) for one in graded()])
    monkeypatch.setattr(sys, "argv", ["nbproctor", "grade", "--classroom", str(folder), *more])
    with pytest.raises(SystemExit) as end:
        app()
    return int(end.value.code or 0)


@pytest.mark.parametrize(
    ("one", "code"),
    [
        (result("ana", unit(), RIGHT, ("failed", "failed")), 0),
        (no_notebook("ana", unit(), "the file is empty"), 3),
        (result("ana", unit(), ("timeout", "timeout")), 3),
        (result("ana", unit(), RIGHT) | {"notes": [{"kind": "look", "text": "patches torch"}]}, 3),
        (result("ana", unit(), RIGHT) | {"notes": [{"kind": "trouble", "text": "its page could not be written"}]}, 3),
    ],
    ids=["a wrong answer", "ungradable", "ran away", "tampering", "a page not written"],
)
def test_a_class_with_something_to_look_at_ends_with_3(
    one: dict[str, Any], code: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(folder, "ana", f"{UNIT}.ipynb")
    assert ending(monkeypatch, folder, lambda: [one]) == code


def test_what_needs_a_look_is_in_the_terminal_and_the_report(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_in(folder, "ana", f"{UNIT}.ipynb")
    hand_in(folder, "bob", "essay.docx", unit="03_self_atention")
    nothing = result("ana", unit(), ("missing", "missing"), message="not implemented yet")
    assert ending(monkeypatch, folder, lambda: [nothing]) == 3
    said = capsys.readouterr().out
    assert "look at bob/03_self_atention: not graded: it is not named after a unit of the course" in said
    assert f"look at ana/{UNIT}: no answer in any exercise" in said
    report = (folder / "report" / "index.html").read_text()
    assert "Needs a look (3)" in report and report.count("no answer in any exercise") == 1
    assert report.count("None of its cells belongs to this course") == 1


def test_who_is_graded_alone_has_a_page_and_the_report_stays(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("ana", "cy"):
        hand_in(folder, name, f"{UNIT}.ipynb")
    hand_in(folder, "bob", "essay.docx", unit="03_self_atention")
    assert ending(monkeypatch, folder, lambda: [result(name, unit(), RIGHT) for name in ("ana", "cy")]) == 3
    page = folder / "feedback" / "ana" / UNIT / f"{UNIT}.html"
    others = [path for path in folder.rglob("*") if path.suffix in (".html", ".json", ".csv") and path != page]
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in others}
    page.unlink()
    capsys.readouterr()
    wrong = result("ana", unit(), ("passed", "failed")) | {"key": "1" * 64}
    assert ending(monkeypatch, folder, lambda: [wrong], "--student", "ana") == 0
    said = capsys.readouterr().out
    assert "03_self_atention" not in said and "cy" not in said
    assert "The class's report is as the last run of the whole class left it." in said
    assert page.exists() and {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in others} == before
    assert [
        gradebook.read(gradebook.sqlite_url(folder / "gradebook.db"))[name, UNIT].score for name in ("ana", "cy")
    ] == [2, 6]
    assert ending(monkeypatch, folder, list, "--student", "eve") == 2
    assert capsys.readouterr().err.endswith("nothing of student 'eve'; there is ana, bob, cy\n")


def test_who_handed_in_no_notebook_is_in_the_report(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing that lies in `submitted/` tells of this student: the report and the terminal do, after a download."""
    hand_in(folder, "ana", f"{UNIT}.ipynb")
    source = folder / "week 3"
    (source / "Bo Roe_124_assignsubmission_file").mkdir(parents=True)
    (source / "Bo Roe_124_assignsubmission_file" / "report.pdf").write_text("%PDF")
    (folder / "class").mkdir()
    (folder / "submitted").rename(folder / "class" / "submitted")
    ending(monkeypatch, folder / "class", lambda: [result("ana", unit(), RIGHT)], "--from", str(source))
    text = "Bo Roe</bdi></th>\n      <td></td>\n      <td>This student handed in no notebook, only report.pdf; expected"
    assert text in (folder / "class" / "report" / "index.html").read_text()
    assert "look at Bo Roe: this student handed in no notebook" in capsys.readouterr().out


@pytest.mark.parametrize("there", [False, True], ids=["a typo", "an empty classroom"])
def test_a_classroom_that_was_named_and_holds_nothing_is_no_sample_class(
    there: bool, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = folder / "typo"
    if there:
        (place / "submitted").mkdir(parents=True)
    assert ending(monkeypatch, place, list) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == (
        f"nbproctor: {place}/submitted: nothing to grade: expected STUDENT/UNIT/UNIT.ipynb there; put what was handed "
        "in there, collect it with --from, or give another --classroom\n"
    )
    assert sorted(folder.rglob("*")) == ([place, place / "submitted"] if there else [])


def test_the_sample_class_is_for_the_courses_own_classroom(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("report", "results"):
        (folder / name).mkdir()
    monkeypatch.setattr(command, "CLASSROOM", folder)
    monkeypatch.setattr(sample, "write_sample", lambda units, place: hand_in(place.parent, "ana", f"{UNIT}.ipynb"))
    other_way = folder / "report" / ".."
    assert ending(monkeypatch, other_way, lambda: [no_notebook("ana", unit(), "the file is empty")]) == 0
    assert "grading a sample class" in capsys.readouterr().out
    assert (folder / "sample" / "report" / "index.html").exists()


@pytest.mark.parametrize("place", [(intake, "find"), (batch, "run"), (classroom, "record")], ids=lambda place: place[1])
def test_ctrl_c_ends_with_130(
    place: tuple[Any, str], folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C while files are looked through, graded or recorded is exit code 130, and one line says what is kept."""
    hand_in(folder, "ana", f"{UNIT}.ipynb")

    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(*place, interrupted)
    graded = interrupted if place[0] is batch else lambda: [result("ana", unit(), RIGHT)]
    assert ending(monkeypatch, folder, graded) == 130
    assert capsys.readouterr().err == (
        "nbproctor: stopped; what is collected and graded is kept, and the same command continues\n"
    )


def test_a_second_run_in_a_classroom_says_that_another_is_working_and_ends(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It changes nothing, and says which run is working and since when. A run that was killed is in nobody's way."""
    hand_in(folder, "ana", f"{UNIT}.ipynb")
    graded = lambda: [result("ana", unit(), RIGHT)]  # noqa: E731
    (folder / "download" / "bo").mkdir(parents=True)
    (folder / "download" / "bo" / f"{UNIT}.ipynb").write_text("{}")
    code = f"""if True:
        import os, sys, time
        from pathlib import Path
        from nbproctor.classroom.alone import exclusive
        with exclusive(Path({str(folder)!r}), "all units"):
            if os.fork() == 0:  # like a worker, which may live on for a moment when the run is killed
                time.sleep(20)
                os._exit(0)
            print("working", flush=True)
            time.sleep(60)
    """
    first = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True, text=True)  # noqa: S603
    try:
        assert first.stdout is not None and first.stdout.readline() == "working\n"
        assert ending(monkeypatch, folder, graded, "--from", str(folder / "download")) == 2
        said = capsys.readouterr().err
        assert re.fullmatch(
            rf"nbproctor: {folder}: another run is working there \(since \d\d:\d\d, process {first.pid} on "
            r"\S+: all units\)\. Nothing was changed; wait until it has ended, and run this command again\n",
            said,
        )
        assert not (folder / "gradebook.db").exists() and not (folder / "submitted" / "bo").exists()
        first.kill()
        first.wait()
        assert ending(monkeypatch, folder, graded) == 0
    finally:
        os.killpg(first.pid, signal.SIGKILL)
        first.communicate()


@pytest.mark.parametrize("option", ["--cell-s", "--submission-s"])
@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "1e9"])
def test_a_limit_that_no_answer_could_keep_is_refused(
    option: str, seconds: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A limit of 0 seconds would give the whole class zeros, and one of more than a day may be too much for a clock."""
    hand_in(folder, "ana", f"{UNIT}.ipynb")
    assert ending(monkeypatch, folder, lambda: [result("ana", unit(), RIGHT)], option, seconds) == 2
    assert f"Invalid value for '{option}'" in capsys.readouterr().err
    assert not (folder / "gradebook.db").exists()
