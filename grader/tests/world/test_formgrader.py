"""formgrader as an instructor uses it: `make formgrader`, a score and a comment by hand, the Autograde button."""

import csv
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import forked
import pytest
from kept_zygote import one_zygote, start
from nbgrader.api import Gradebook
from nbgrader.apps.nbgraderapp import main as nbgraders
from playwright.sync_api import Page, expect
from test_browser import PATIENCE_S, page  # noqa: F401 a fixture

from nbproctor.classroom import gradebook
from nbproctor.cli.app import app
from nbproctor.course import answers
from nbproctor.course.units import load_unit
from nbproctor.paths import ROOT

UNIT = "00_tensors"
COMMENT = "A nice start; look at the shapes again."


def hand_in(classroom: Path, student: str, first_answer: str = "") -> None:
    """Hand in the reference solutions, with `first_answer`, where it is given, in place of the first one."""
    unit = load_unit(UNIT)
    sources = {exercise.name: exercise.solution for exercise in unit.exercises}
    if first_answer:
        sources[unit.exercises[0].name] = first_answer
    path = classroom / "submitted" / student / UNIT / f"{UNIT}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(answers.notebook_of(unit, sources)), encoding="utf-8")


def make_grade(classroom: Path) -> None:
    start()
    with one_zygote():
        done = forked.call(app, ["nbproctor", "grade", UNIT, "--classroom", str(classroom)], classroom, os.environ)
    assert done.returncode in (0, 3), done.stderr


def nbgrader(*command: str, classroom: Path) -> None:
    """nbgrader's own command, as an instructor runs it in grader/."""
    environment = {**os.environ, "CLASSROOM": str(classroom)}
    done = forked.call(nbgraders, ["nbgrader", *command], ROOT / "grader", environment)
    assert done.returncode == 0, done.stderr


@contextmanager
def make_formgrader(classroom: Path, home: Path) -> Iterator[str]:
    """`make formgrader` on this classroom; yields the address that it printed."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    home.mkdir()
    environment = {**os.environ, "HOME": str(home), "OMP_NUM_THREADS": "1"}
    environment |= {f"JUPYTER_{kind}_DIR": str(home / kind) for kind in ("CONFIG", "DATA", "RUNTIME")}
    options = f"--no-browser --port={port} --ServerApp.port_retries=0"
    log = home / "lab.log"
    with log.open("w") as stream:
        process = subprocess.Popen(  # noqa: S603 our own
            ["make", "-o", ".venv/.ready", "formgrader", f"CLASSROOM={classroom}", f"ARGS={options}"],  # noqa: S607
            cwd=ROOT, env=environment, stdout=stream, stderr=stream, start_new_session=True,
        )  # fmt: skip
    try:
        yield printed_address(process, log)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=60)


def printed_address(process: subprocess.Popen[bytes], log: Path) -> str:
    """The printed address with formgrader and the token in it, once the server answers there."""
    end = time.monotonic() + PATIENCE_S
    while True:
        said = log.read_text(errors="replace")
        assert process.poll() is None and time.monotonic() < end, said[-3000:]
        printed = (word for word in said.split() if word.startswith("http://127.0.0.1"))
        found = next((word for word in printed if "/formgrader" in word), "")
        if found:
            try:
                with urllib.request.urlopen(found, timeout=60):  # noqa: S310 our own
                    return found
            except (urllib.error.URLError, OSError):
                pass
        time.sleep(0.5)


def scores_of(classroom: Path) -> dict[str, dict[str, str]]:
    with (classroom / "report" / "scores.csv").open(newline="", encoding="utf-8") as lines:
        return {row["student"]: row for row in csv.DictReader(lines)}


@pytest.mark.weekly
def test_the_autograde_command_works_before_anything_was_graded_and_says_why_where_it_cannot(tmp_path: Path) -> None:
    """The class has no gradebook before."""
    classroom, unit = tmp_path / "classroom", load_unit(UNIT)
    hand_in(classroom, "ana")
    command = [sys.executable, "-m", "nbgrader", "autograde", UNIT]
    environment = {**os.environ, "CLASSROOM": str(classroom)}
    said = []
    for path in ("/nowhere", os.environ["PATH"]):
        environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{path}"  # nbgrader calls `alembic`
        done = subprocess.run(  # noqa: S603, PLW1510
            command, cwd=ROOT / "grader", env=environment, capture_output=True, text=True, timeout=300
        )
        said.append((done.returncode, done.stderr))
    (refused, why), (graded, log) = said
    assert refused == 1 and "NotGraded: nbproctor: bubblewrap is missing" in why
    assert graded == 0 and "nbproctor grades ana, 00_tensors in its sandbox" in log
    assert gradebook.read(gradebook.sqlite_url(classroom / "gradebook.db"))["ana", UNIT].score == unit.max_points


@pytest.mark.skipif(shutil.which("chromium") is None, reason="chromium is missing: grader/setup.sh --test")
def test_what_is_given_in_formgrader_is_everywhere_and_its_autograde_button_is_ours(page: Page, tmp_path: Path) -> None:  # noqa: F811
    unit, classroom, trace = load_unit(UNIT), tmp_path / "classroom", tmp_path / "was here"
    exercise = unit.exercises[0]
    hand_in(classroom, "ana", f"open({str(trace)!r}, 'w').close()\n{exercise.solution}")
    hand_in(classroom, "bo", exercise.stub)
    make_grade(classroom)
    before = float(scores_of(classroom)["bo"]["score"])
    with make_formgrader(classroom, tmp_path / "home") as address:
        base = address.partition("/formgrader")[0]
        page.goto(address)
        expect(page.get_by_text(UNIT).first).to_be_visible()
        with Gradebook(gradebook.sqlite_url(classroom / "gradebook.db")) as book:
            submission = book.find_submission_notebook(UNIT, UNIT, "bo").id
        page.goto(f"{base}/formgrader/submissions/{submission}/")
        score = page.locator(f"input.score[id='{exercise.check.grade_id}']")
        expect(score).to_have_attribute("placeholder", "0")
        with page.expect_response(lambda reply: "/api/grade/" in reply.url and reply.request.method == "PUT"):
            score.fill("0.5")
            score.press("Tab")
        comment = page.locator(f"textarea[id='{exercise.name}-comment']")
        with page.expect_response(lambda reply: "/api/comment/" in reply.url and reply.request.method == "PUT"):
            comment.fill(COMMENT)
            comment.press("Tab")
        make_grade(classroom)
        bo = scores_of(classroom)["bo"]
        assert (float(bo["score"]), bo["comments"]) == (before + 0.5, f"{exercise.name}: {COMMENT}")
        for text in (
            (classroom / "report" / "index.html").read_text(encoding="utf-8"),
            (classroom / "feedback" / "bo" / UNIT / f"{UNIT}.html").read_text(encoding="utf-8"),
        ):
            assert COMMENT in text
        grade = gradebook.read(gradebook.sqlite_url(classroom / "gradebook.db"))["bo", UNIT]
        assert grade.comments[exercise.name] == COMMENT and grade.score == before + 0.5

        (classroom / "results" / UNIT / "ana.json").unlink()
        page.goto(f"{base}/formgrader/manage_submissions/{UNIT}")
        row = page.locator("tr").filter(has_text="ana").first
        row.locator("td.autograde a").click()
        expect(page.locator(".modal-body")).to_contain_text("nbproctor grades ana, 00_tensors in its sandbox")
        expect(page.locator(".modal-body")).to_contain_text("bubblewrap")
    assert (classroom / "results" / UNIT / "ana.json").exists()
    assert not trace.exists()
    ours = classroom / "feedback" / "bo" / UNIT / f"{UNIT}.html"
    before_feedback = ours.read_bytes()
    nbgrader("generate_feedback", UNIT, "--student=bo", classroom=classroom)
    assert COMMENT in (classroom / "nbgrader_feedback" / "bo" / UNIT / f"{UNIT}.html").read_text(encoding="utf-8")
    assert ours.read_bytes() == before_feedback
    assert float(scores_of(classroom)["bo"]["score"]) == before + 0.5
