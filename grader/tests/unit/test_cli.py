"""The command line: what it says in 80 columns, to scripts and through make, and that all it names exists."""

import io
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import forked
import pytest
import typer
from fake_class import everyone, result, typed, ungradable
from fake_class import unit as a_unit
from rich.cells import cell_len
from rich.console import Console

from nbproctor.authoring.release import release
from nbproctor.authoring.workcopy import give_out
from nbproctor.cli import progress, summary, terminal
from nbproctor.cli.app import app
from nbproctor.cli.summary import GradedClass, json_line
from nbproctor.course.units import CourseError, unit_names
from nbproctor.paths import ROOT
from nbproctor.values.grades import all_grades
from nbproctor.values.result import Result
from nbproctor.values.submission import Remark
from nbproctor.values.text import clean

COMMANDS: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]
OPTIONS = {option for command in COMMANDS.values() for one in command.params for option in one.opts if "-" in option}


def graded(results: list[Result], *remarks: Remark, sample: bool = False, before: int = 0) -> GradedClass:
    folder = Path("classroom")
    return GradedClass(tuple(results), remarks, all_grades(results, {}), folder, 1.25, sample, len(results) - before)


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What the terminal shows, at a width of 80 columns."""
    shown = io.StringIO()
    console = Console(file=shown, width=80, force_terminal=True, color_system=None)
    for module in (terminal, summary, progress):
        monkeypatch.setattr(module, "console", console)
    return shown


def test_every_command_and_option_stands_in_the_readme() -> None:
    pages = [ROOT / "grader" / "README.md", *(ROOT / "grader" / "docs").glob("*.md")]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    assert [name for name in COMMANDS if f"`nbproctor {name}" not in text] == []
    missing = [one for one in sorted(OPTIONS) if not re.search(rf"`[^`]*{re.escape(one)}(?![a-z-])[^`]*`", text)]
    assert missing == []


def test_no_message_names_a_command_or_an_option_that_is_not() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    places = [*(ROOT / "grader" / "nbproctor").rglob("*.py"), *(ROOT / "grader" / "nbproctor").rglob("templates/*")]
    places += [ROOT / "README.md", ROOT / "grader" / "README.md", ROOT / "grader" / "setup.sh"]
    places += [*(ROOT / "grader" / "docs").glob("*.md"), *(ROOT / ".github").glob("*.md")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in places)
    assert set(re.findall(r"`(?:sudo )?make ([a-z]+)", text)) - targets == set()
    assert set(re.findall(r"(?:`|bin/)nbproctor ([a-z]+)", text)) - set(COMMANDS) == set()
    messages = "\n".join(path.read_text(encoding="utf-8") for path in places if "nbproctor" in path.parts)
    ours = set(re.findall(r"(?:\bor|with|over) (--[a-z]+(?:-[a-z]+)*)", messages))
    others = {"--nthreads"}  # a dask worker's own
    assert ours <= OPTIONS | others, ours - OPTIONS - others
    assert "--unsafe" in ours and "grade" in targets, "the search finds something"


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_the_help_fits_80_columns_and_says_how_to_begin(command: str) -> None:
    shown = said_by(command, "--help").stdout
    assert max(len(line) for line in shown.splitlines()) <= 80
    if command == "grade":
        assert re.search(r"^ +nbproctor grade --from submissions.zip --roster class.csv *$", shown, re.M)
        assert {"What to grade", "How to grade", "What to show"} <= set(re.findall(r"╭─ ([A-Z][\w ]+?) ─", shown))


def said_by(*command: str) -> subprocess.CompletedProcess[str]:
    return forked.call(app, ["nbproctor", *command], Path.cwd(), {**os.environ, "COLUMNS": "80"})


@pytest.mark.parametrize(("code", "expected"), [(0, 0), (1, 2), (2, 2), (3, 0), (130, 2)])
def test_make_takes_3_as_a_success_and_nothing_else(tmp_path: Path, code: int, expected: int) -> None:
    fake = tmp_path / "nbproctor"
    fake.write_text(f'#!/bin/bash\nprintf "<%s>" "$@"\nexit {code}\n')
    fake.chmod(0o755)
    (tmp_path / "ready").touch()
    ours = [f"BIN={tmp_path}", f"READY={tmp_path}/ready", "FROM=my files.zip", "ROSTER=a b.csv", "ARGS=--regrade"]
    command = ["make", "--no-print-directory", "-o", f"{tmp_path}/ready", "grade", *ours]
    settings = {name: value for name, value in os.environ.items() if name != "CLASSROOM"}
    for more, place, environment in (
        ([], "", settings),
        (["CLASSROOM=my class"], "<--classroom><my class>", settings),
        ([], "<--classroom><my class>", settings | {"CLASSROOM": "my class"}),
    ):
        done = subprocess.run([*command, *more], cwd=ROOT, env=environment, capture_output=True, text=True)  # noqa: S603, PLW1510
        assert done.stdout == f"<grade>{place}<--from><my files.zip><--roster><a b.csv><--regrade>"
        assert done.returncode == expected
        assert ("***" in done.stderr) == (expected != 0)


def test_the_class_is_one_table_of_80_columns_in_which_no_score_is_cut(said: io.StringIO) -> None:
    units = [a_unit("one", "two", points=(1.5, 2.25), name=f"{n:02}_with_a_long_name") for n in range(10)]
    results = [typed(one) for of in units for one in everyone(of)]
    results = [typed(one.to_json() | {"student": "x" * 60 if one.student == "bo" else one.student}) for one in results]
    summary.summary(graded(results))
    lines = said.getvalue().splitlines()
    table = lines[: 2 + len({one.student for one in results})]
    assert max(len(line) for line in table) <= 80
    assert lines[0].split() == ["student", *(f"{n:02}" for n in range(10)), "total"]
    assert lines[1].split() == ["/7.5"] * 10 + ["/75"]
    assert any(line.split()[1:] == ["7.5"] * 10 + ["75"] for line in table)
    assert any("xxx…" in line for line in table)


def test_names_whose_characters_take_two_columns_break_no_line(said: io.StringIO) -> None:
    of = a_unit("one", "two", name="00_a")
    results = [typed(result(name, of)) for name in ("注意力" * 14, "에이다", "ana")]
    summary.summary(graded(results))
    lines = [line for line in said.getvalue().splitlines() if line.startswith(("student", "注", "에", "ana"))]
    assert len(lines) == 4 and max(cell_len(line.rstrip()) for line in lines) <= 80
    assert len({cell_len(line.rstrip()) for line in lines}) == 1  # each line ends where its scores do
    assert all("…" in line for line in lines if line.startswith("注"))


def test_it_ends_with_what_was_graded_what_needs_a_look_and_where(said: io.StringIO) -> None:
    of = a_unit("one", "two")
    results = [typed(one) for one in everyone(of)]
    remarks = [Remark(f"s{n}/u", "no answer in any exercise") for n in range(9)] + [
        Remark("x", "kept", needs_look=False)
    ]
    summary.summary(graded(results, *remarks))
    lines = said.getvalue().splitlines()
    assert "look at s0/u; s1/u; s2/u and 6 more: no answer in any exercise" in lines
    assert "x: kept" in lines
    assert lines[-2] == "9 graded, 1 not gradable, 13 need a look, in 1.2 s. Sandbox: bubblewrap, seccomp."
    assert lines[-1] == "Report: classroom/report/index.html"
    for status, words in ({"layers": []}, "Sandbox: none."), ({"status": "ungradable", "exercises": []}, "in 1.2 s.\n"):
        said.truncate(said.seek(0))
        summary.summary(graded([typed(results[0].to_json() | status)]))
        assert words in said.getvalue()
        assert ("Sandbox" in said.getvalue()) == ("Sandbox" in words)


def test_outside_the_repository_a_command_says_that_it_needs_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "nbproctor.authoring.trial", None)
    monkeypatch.setattr("nbproctor.cli.own_course.unit_names", lambda: unit_names(tmp_path))
    monkeypatch.setattr(sys, "argv", ["nbproctor", "answers"])
    with pytest.raises(SystemExit) as end:
        app()
    assert end.value.code == 2
    assert capsys.readouterr().err.startswith("nbproctor: this needs the repository of the course")
    for command in (give_out, release):
        with pytest.raises(CourseError, match="this needs the repository of the course"):
            command(tmp_path)


def test_a_rerun_says_how_much_was_graded_before(said: io.StringIO) -> None:
    results = [typed(result(name, a_unit())) for name in ("ana", "bo", "cy")]
    for before, words in ((1, "2 graded, 1 graded before, in"), (3, "Nothing new to grade, 3 graded before, in")):
        summary.summary(graded(results, before=before))
        assert words in said.getvalue()


def test_the_table_has_names_and_each_sign_in_it_a_meaning(said: io.StringIO) -> None:
    units = [a_unit(name=f"0{n}_x") for n in range(2)]
    ana, bo = (result("ana", of) for of in units)
    wrong, empty = (result("cy", of, (kind, kind)) for of, kind in zip(units, ("failed", "missing"), strict=True))
    results = [typed(one) for one in (ana, bo, wrong, empty, ungradable("di", units[0], "the file is empty"))]
    told = graded(results, Remark(clean("ana/00_x"), clean("odd")))
    grades = {key: replace(one, name=clean("Ng, Ana")) if key[0] == "ana" else one for key, one in told.grades.items()}
    summary.summary(replace(told, grades=grades))
    lines = [line.split() for line in said.getvalue().splitlines()]
    assert ["ana", "Ng,", "Ana", "6", "6", "12"] in lines and ["cy", "0", "·", "0"] in lines
    assert ["di", "?", "–", "?"] in lines
    assert "0 wrong   · nothing written   ? not graded   – not handed in" in said.getvalue()
    assert "look at ana (Ng, Ana)/00_x: odd" in said.getvalue()


def test_the_sample_class_is_no_news(said: io.StringIO) -> None:
    """The exit code, also in the JSON, is 3 where something needs a look, and never for the sample class."""
    results = [typed(one) for one in everyone(a_unit())]
    one = graded(results[:1])
    assert [graded(results).exit_code, graded(results, sample=True).exit_code, one.exit_code] == [3, 0, 0]
    assert json.loads(json_line(one))["exit_code"] == 0


def test_progress_fits_80_columns_with_any_name(said: io.StringIO) -> None:
    with progress.progress_bar(1000) as advance:
        for _ in range(999):
            advance("a student with a very long name [bold] 09_encoders_and_translation")
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", said.getvalue())
    lines = [line for line in re.split(r"[\r\n]+", plain) if line.strip()]
    assert max(len(line) for line in lines) <= 80
    assert "999/1000" in lines[-1] and re.search(r"\d:\d\d left", lines[-1])


def test_points_by_hand_are_in_the_points_of_every_exercise() -> None:
    one = typed(result("ana", a_unit()))
    exercise = one.exercises[0]
    grades = all_grades([one], {})
    whole = grades[one.student, one.unit]
    changed = [replace(check, manual=0.25) if check.grade_id == exercise.checks[0].grade_id else check
               for check in whole.checks]  # fmt: skip
    whole = replace(whole, checks=tuple(changed))
    by_hand = replace(graded([one]), grades={(one.student, one.unit): whole})
    told = json.loads(json_line(by_hand))["results"][0]
    assert sum(told["exercises"].values()) == told["score"] == whole.score != one.score


def test_a_report_that_could_not_be_written_is_not_named_as_one(said: io.StringIO) -> None:
    lost = Remark(clean("report"), clean("the class's report could not be written"))
    summary.summary(graded([typed(result("ana", a_unit()))], lost))
    assert "could not be written" in said.getvalue() and "Report: " not in said.getvalue()
