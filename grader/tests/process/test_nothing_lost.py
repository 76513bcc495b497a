"""Whatever goes wrong, and whenever, what was graded is kept, the next run grades the rest, and one line says why."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import forked
import pytest
from kept_zygote import one_zygote, start
from sandboxed import names_running
from small_class import PATIENT, Task, answered, submitted, unit_of
from sqlalchemy.exc import OperationalError

from nbproctor.classroom import gradebook
from nbproctor.cli.app import app
from nbproctor.cli.grade import STOPPED
from nbproctor.course.answers import notebook_of
from nbproctor.course.units import Unit, load_unit
from nbproctor.exam import examiner
from nbproctor.paths import ROOT
from nbproctor.run import batch, job
from nbproctor.run.store import Store
from nbproctor.values.result import Result
from nbproctor.values.submission import Submission

STUDENTS = ("ana", "bo", "cy", "di")
UNIT = "00_tensors"
RELEASED = (ROOT / "course" / UNIT / f"{UNIT}.ipynb").read_bytes()


def notebooks(unit: Unit) -> dict[str, dict[str, Any]]:
    return {
        name: answered(unit, double=f"def double(x):\n    return 2 * x + {i % 2}") for i, name in enumerate(STUDENTS)
    }


def graded_in_a_worker(folder: Path) -> Callable[[Result, Submission], None]:
    """A `write` that makes a file for each student whom a worker has graded, and none where a result was kept."""
    here = os.getpid()

    def write(result: Result, one: Submission) -> None:
        if os.getpid() != here:
            (folder / f"{one.student}.graded").touch()

    return write


def run(unit: Unit, folder: Path, submissions: list[Submission], store: Store) -> tuple[list[Result], set[str]]:
    """Grade the submissions. Returns the results, and the students who were graded rather than found in the store."""
    for path in folder.glob("*.graded"):
        path.unlink()
    of = job.Job({unit.name: unit}, submissions, PATIENT, True, store, graded_in_a_worker(folder))
    with one_zygote():
        results = batch.run(of, 2, lambda result: None)
    return results, {path.stem for path in folder.glob("*.graded")}


def test_what_is_graded_is_not_graded_again_until_it_changes(unit: Unit, tmp_path: Path) -> None:
    """A resubmission, a damaged result, a changed check, and `--regrade`: who is graded again."""
    submissions, store = submitted(unit, tmp_path, **notebooks(unit)), Store(tmp_path / "results")
    first, who = run(unit, tmp_path, submissions, store)
    assert who == set(STUDENTS)
    again, who = run(unit, tmp_path, submissions, store)
    assert (again, who) == (first, set())
    submitted(unit, tmp_path, bo=answered(unit, double="def double(x):\n    return x + x"))
    changed, who = run(unit, tmp_path, submissions, store)
    assert who == {"bo"}
    assert [result.score for result in changed] == [3, 3, 3, 0]
    store.path("ana", unit.name).write_text("{")
    assert run(unit, tmp_path, submissions, store)[1] == {"ana"}
    assert run(unit, tmp_path, submissions, Store(store.folder, fresh=True))[1] == set(STUDENTS)
    harder = unit_of(double=Task("def double(x):\n    return 2 * x", "assert double(3) == 7", "assert double(4) == 8"))
    assert run(harder, tmp_path, submissions, store)[1] == set(STUDENTS)


def test_killed_at_any_moment_the_next_run_grades_what_is_missing(unit: Unit, tmp_path: Path) -> None:
    submissions, store = submitted(unit, tmp_path, **notebooks(unit)), Store(tmp_path / "results")
    child = os.fork()
    if child == 0:
        seen: list[Result] = []

        def die(result: Result) -> None:
            seen.append(result)
            if len(seen) == 2:
                os.kill(os.getpid(), signal.SIGKILL)

        batch.run(job.Job({unit.name: unit}, submissions, PATIENT, True, store), 1, die)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    time.sleep(2)  # its worker may still be grading the third one, and will store the result
    kept = len(list((tmp_path / "results").rglob("*.json")))
    assert kept >= 2
    results, who = run(unit, tmp_path, submissions, store)
    assert len(who) == len(STUDENTS) - kept
    assert [result.score for result in results] == [3, 0, 3, 0]
    assert not list((tmp_path / "results").rglob(".*"))


def test_an_exception_of_ours_costs_one_submission_and_is_told(
    unit: Unit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No message claims that an examiner died, and the store keeps no wrong result."""
    real = examiner.run_check
    broken = answered(unit, double="def double(x):\n    return 'stumble'")

    def stumble(*args: Any) -> Any:
        found = real(*args)
        if "stumble" in found.message:
            raise KeyError("a fault of ours \x1b[31m")
        return found

    def write(result: Result, one: Submission) -> None:
        if one.student == "cy":
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(examiner, "run_check", stumble)
    submissions = submitted(unit, tmp_path, **notebooks(unit) | {"bo": broken})
    store = Store(tmp_path / "results")
    of = job.Job({unit.name: unit}, submissions, PATIENT, True, store, write)
    with one_zygote():
        ana, bo, cy, di = batch.run(of, 1, lambda result: None)
    assert [ana.score, cy.score, di.score] == [3, 3, 0]
    own = "the grader met an error of its own (KeyError: 'a fault of ours \\x1b[31m')"
    assert bo.reason == f"{own}; grade it again, or by hand"
    assert cy.reasons == ["its pages could not be written (OSError: [Errno 28] No space left on device)"]
    assert ana.reasons == di.reasons == []
    kept = store.get("cy", unit.name, cy.key)
    assert kept is not None and kept.notes == ()
    assert len(list((tmp_path / "results").rglob("*.json"))) == 3


def folder_of(classroom_folder: Path, student: bytes, unit: str = UNIT) -> Path:
    place = Path(os.fsdecode(os.fsencode(classroom_folder / "submitted") + b"/" + student)) / unit
    place.mkdir(parents=True)
    return place


ODD = {
    b"M\xfcller": "Müller",
    b"new\nline": "new\ufffdline",
    b"\x1b]0;PWN\x07": "\ufffd]0;PWN\ufffd",
    b"back\\slash": "back\\slash",
    b"x" * 200: "x" * 200,
    b"=cmd|'x'!A0": "=cmd|'x'!A0",
}


def test_no_name_loses_the_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder_of(tmp_path, b"ana") / f"{UNIT}.ipynb").write_bytes(RELEASED)
    for name in ODD:
        (folder_of(tmp_path, name) / f"{UNIT}.ipynb").write_bytes(RELEASED)
    empty = folder_of(tmp_path, b"mallory")
    Path(os.fsdecode(os.fsencode(empty) + b"/Aufgabe M\xfcller.ipynb")).write_bytes(b"")
    two = folder_of(tmp_path, b"two")
    for name in ("a", "b"):
        (two / f"{name}.ipynb").write_bytes(RELEASED + b"\n" * len(name) * (name == "b"))
    (tmp_path / "submitted" / "linked").symlink_to(tmp_path / "submitted" / "ana")
    (tmp_path / "submitted" / "eve").mkdir()
    (tmp_path / "submitted" / "eve" / UNIT).symlink_to(tmp_path / "submitted" / "ana" / UNIT)
    folder_of(tmp_path, b"new\x0bline")
    done = nbproctor("grade", UNIT, "--classroom", str(tmp_path))
    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stderr and "\x1b]0" not in done.stdout
    text = done.stdout
    links = [f"look at linked; eve/{UNIT}: it is a link; links are not followed"]
    odd = ["look at mallory", "the file is empty", "look at two", "there are 2 notebooks, and nothing says which of"]
    assert [words for words in [*links, *odd] if words not in text] == []
    results = {one["student"]: one for one in json.loads((tmp_path / "report" / "results.json").read_text())}
    assert set(results) == {"ana", "mallory", "two", *ODD.values()}
    with closing(sqlite3.connect(tmp_path / "gradebook.db")) as connection:
        recorded = {row[0] for row in connection.execute("select id from student")}
    assert recorded == set(results) - {"x" * 200}
    assert "not recorded, a student's id has 1 to 128 characters" in text
    assert (tmp_path / "report" / "index.html").exists() and (tmp_path / "report" / "scores.csv").exists()
    assert (tmp_path / "feedback" / "ana" / UNIT / f"{UNIT}.html").exists()


@pytest.mark.weekly
def test_no_folder_loses_the_class(tmp_path: Path) -> None:
    """What may not be read, or lies too deep, costs its own student what is in it, and the instructor is told."""
    submitted = tmp_path / "submitted"
    for name in ("ana", "deep", "shut", "unlisted", "unread"):
        (folder_of(tmp_path, name.encode()) / f"{UNIT}.ipynb").write_bytes(RELEASED)
    (submitted / "deep" / UNIT).joinpath(*["a"] * 40).mkdir(parents=True)
    (submitted / "shut" / UNIT / "data").mkdir()
    closed = {
        submitted / "shut" / UNIT / "data": 0,
        submitted / "unlisted" / UNIT: 0o444,
        submitted / "unread" / UNIT: 0,
    }
    for place, mode in closed.items():
        place.chmod(mode)
    done = without_powers("grade", UNIT, "--classroom", str(tmp_path), "--json")
    for place in closed:
        place.chmod(0o700)
    assert (done.returncode, done.stderr) == (3, "")
    said = {one["where"]: one["text"] for one in json.loads(done.stdout)["remarks"]}
    no = "cannot be read (Permission denied)"
    assert said[f"unlisted/{UNIT}/{UNIT}.ipynb"] == f"it {no}"
    assert said[f"unread/{UNIT}/"] == f"this folder {no}"
    results = {one["student"]: one for one in json.loads((tmp_path / "report" / "results.json").read_text())}
    lost = dict.fromkeys(("unlisted", "unread"), f"{UNIT}.ipynb {no}")
    assert {name: one["reason"] for name, one in results.items()} == dict.fromkeys(("ana", "deep", "shut"), "") | lost
    notes = {name: " ".join(note["text"] for note in one["notes"]) for name, one in results.items()}
    assert f"data: it {no}" in notes["shut"] and "more than 32 folders deep, and is left out" in notes["deep"]
    assert (tmp_path / "feedback" / "ana" / UNIT / f"{UNIT}.html").exists()


@pytest.mark.weekly
def test_what_is_closed_in_a_download_or_in_its_place_costs_itself_alone(tmp_path: Path) -> None:
    """Of one of the folders the names can be read, but its files may not be looked at."""
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
    assert said["bo"] == "not collected: this folder cannot be read (Permission denied)"
    assert said[f"cy/{UNIT}.ipynb"] == "not collected: it cannot be read (Permission denied)"
    assert said[f"di/{UNIT}.ipynb"] == f"not collected: {UNIT}.ipynb cannot be read (Permission denied)"
    assert said["ana/data.csv"] == "not collected: it cannot be copied to its place (Permission denied)"
    assert said[f"eve/{UNIT}"] == "not collected: its place in submitted/ cannot be used (Permission denied)"
    assert (folder / "submitted" / "ana" / UNIT / f"{UNIT}.ipynb").read_bytes() == RELEASED


def nbproctor(*command: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a fork of this process, which has imported torch and has a zygote."""
    start()
    with one_zygote():
        return forked.call(app, ["nbproctor", *command], Path.cwd(), {**os.environ, "COLUMNS": "80"})


def without_powers(*command: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, where root has no power to read what it has no right to."""
    program = [sys.executable, "-c", "from nbproctor.cli.app import app; app()", *command]
    if os.getuid() == 0:
        program = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", *program]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "grader"), "COLUMNS": "80"}
    return subprocess.run(program, env=environment, capture_output=True, text=True, timeout=300)  # noqa: S603, PLW1510


@pytest.fixture
def one_student(tmp_path: Path) -> Path:
    (folder_of(tmp_path, b"ana") / f"{UNIT}.ipynb").write_bytes(RELEASED)
    return tmp_path


def test_a_gradebook_that_cannot_be_written_is_told_before_anybody_is_graded(one_student: Path) -> None:
    """The instructor would wait for the whole class, and learn only then that no score was recorded."""
    assert nbproctor("grade", UNIT, "--classroom", str(one_student)).returncode == 3  # no answer: look at it
    with closing(sqlite3.connect(one_student / "gradebook.db")) as connection:
        connection.execute("BEGIN IMMEDIATE")
        (one_student / "submitted" / "bo").symlink_to("ana")
        done = nbproctor("grade", UNIT, "--classroom", str(one_student), "--regrade")
    assert done.returncode == 2
    (told,) = done.stderr.splitlines()
    assert "gradebook.db: database is locked; close what else has it open" in told


def test_a_gradebook_that_breaks_later_costs_no_result(one_student: Path) -> None:
    command = ["grade", UNIT, "--classroom", str(one_student), "--json"]

    def full(*_: Any) -> None:
        raise OperationalError("INSERT", {}, Exception("database or disk is full"))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gradebook, "_write_rows", full)
        done = nbproctor(*command)
    assert (done.returncode, done.stdout) == (2, "")
    (told,) = done.stderr.splitlines()
    assert told.endswith("gradebook.db: database or disk is full; make room on the disk and grade again")
    kept = one_student / "results" / UNIT / "ana.json"
    before = kept.stat().st_mtime_ns
    assert nbproctor(*command).returncode == 3  # no answer: look at it
    assert kept.stat().st_mtime_ns == before, "it was not graded again"
    assert (one_student / "report" / "results.json").exists()


@pytest.mark.weekly
def test_ctrl_c_keeps_what_was_graded_and_says_so(one_student: Path) -> None:
    loop = json.loads((ROOT / "course" / UNIT / f"{UNIT}.ipynb").read_text())
    code = next(cell for cell in loop["cells"] if cell["metadata"].get("nbgrader", {}).get("solution"))
    name = f"nbp-{os.getpid()}"  # other tests on this machine may run such a loop, too
    code["source"] = f"import ctypes\nctypes.CDLL(None).prctl(15, b'{name}')\nwhile True: pass"
    (folder_of(one_student, b"zoe") / f"{UNIT}.ipynb").write_text(json.dumps(loop))
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "grader")}
    command = ["grade", UNIT, "--classroom", str(one_student), "--workers", "1"]
    command += ["--cell-s", "1000", "--submission-s", "1000"]
    hear = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"  # a shell's `&` ignores the signal
    program = [sys.executable, "-c", f"{hear}; from nbproctor.cli.app import app; app()", *command]
    process = subprocess.Popen(program, env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)  # noqa: S603
    while name not in names_running() and process.poll() is None:  # once the loop runs, the first student is graded
        time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate()
    assert process.returncode == 130
    assert told == f"nbproctor: {STOPPED}\n"
    assert [path.name for path in (one_student / "results" / UNIT).glob("*.json")] == ["ana.json"]


def test_a_class_as_json_and_what_nobody_handed_in(tmp_path: Path) -> None:
    """`--json` prints one object on stdout and nothing else; for a unit that nobody handed in, one line says so."""
    of = load_unit(UNIT)
    first = of.exercises[0]
    for name, sources in (("ana", {first.name: first.solution}), ("bo", {})):
        path = folder_of(tmp_path, name.encode()) / f"{UNIT}.ipynb"
        path.write_text(json.dumps(notebook_of(of, sources)))
    done = nbproctor("grade", UNIT, "--json", "--classroom", str(tmp_path))
    assert done.returncode == 3, done.stderr
    told = json.loads(done.stdout)
    report = tmp_path / "report" / "index.html"
    assert (told["exit_code"], told["sample"], Path(told["report"])) == (3, False, report)
    assert "seccomp" in told["sandbox"]
    ana, bo = told["results"]
    assert (ana["student"], ana["unit"], ana["status"], ana["score"], bo["score"]) == ("ana", UNIT, "graded", 3, 0)
    assert sum(ana["exercises"].values()) == 3 and ana["reasons"] == []
    untouched = {"where": f"bo/{UNIT}", "text": "no answer in any exercise", "look": True}
    assert told["remarks"] == [untouched]
    assert "no answer in any exercise" in report.read_text()
    done = nbproctor("grade", "06_masking", "--json", "--classroom", str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"nbproctor: nobody has handed in 06_masking. Handed in: 2 of {UNIT}\n"
