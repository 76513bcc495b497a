"""Runaways and attacks, rows 18-21, 25-31 and 36: each a notebook in `submissions/`, all graded as one class.

A fixture `<topic>-<verdict>-<why>.ipynb` holds one cell, an answer to `attend_one`; its first line names the row and
says what the cell does. The other exercises get the reference solutions, so that each attacker is otherwise an honest
student.
"""

import json
import os
import pickle
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from kept_zygote import one_zygote
from sandboxed import names_running
from small_class import Task, answered, submitted, timeless, unit_of
from watched import foreign_to, on_guard, texts_of, told

from nbproctor.classroom.autograded import write_autograded
from nbproctor.classroom.gradebook import record
from nbproctor.classroom.pages.class_report import write_class_report
from nbproctor.classroom.pages.feedback import write_feedback
from nbproctor.course.units import Unit
from nbproctor.exam import examiner
from nbproctor.run import batch
from nbproctor.run.job import Job
from nbproctor.values.grades import all_grades, of_result
from nbproctor.values.limits import Limits, too_slow
from nbproctor.values.result import Result
from nbproctor.values.submission import Submission

FIXTURES = sorted((Path(__file__).parent / "submissions").glob("*.ipynb"))
LIMITS = Limits(cell_s=8.0, submission_s=240.0)
ATTACKED = "attend_one"
WRONG = """def attend_one(x, i, W_q, W_k, W_v):
    return torch.zeros(len(x)), torch.zeros(len(x)), torch.zeros(len(W_v))
"""
OF_THE_HOST = "secret-of-the-host-4711"
Results = dict[str, dict[str, Any]]

LOOPS = too_slow(LIMITS.cell_s)
EXITED = "the process ended itself with exit code 0. Does the code call exit?"
UNREADABLE = "what came back cannot be read: "
TOO_LARGE = UNREADABLE + "the result is too large: "
STOPPED = "the cell stopped with "
CHANNEL = "the process wrote into the grader's channel: "
NO_FORK = "the cell stopped with BlockingIOError: [Errno 11] Resource temporarily unavailable (in line {} of your cell)"
ENDLESS = "memory-died-recursion_without_limit"
COUNTED = STOPPED + "RecursionError: maximum recursion depth exceeded (in line 9 of your cell)"
REASONS = {
    "loops-timeout-while_true": LOOPS,
    "ends-died-exit_code_0": EXITED,
    "ends-error-sys_exit": "the cell stopped with SystemExit (in line 4 of your cell)",
    "ends-died-null_pointer": "the process was ended by SIGSEGV",
    "ends-died-kill_itself": "the process killed itself",
    "memory-error-100_gb_slowly": STOPPED + "MemoryError: Unable to allocate 64.0 MiB for an array with shape "
    "(67108864,) and data type uint8 (in line 4 of your cell)",
    "memory-error-recursion": STOPPED + "RecursionError: maximum recursion depth exceeded (in line 3 of your cell)",
    ENDLESS: "the process was ended by SIGSEGV",
    "memory-error-expanded_tensor": TOO_LARGE + "a tensor of shape (1000000, 1000000) has more than 32 MB",
    "processes-error-fork_bomb": NO_FORK.format(5),
    "processes-error-10000_threads": STOPPED + "RuntimeError: can't start new thread (in line 6 of your cell)",
    "liars-failed-always_equal_itself": "TypeError: 'Yes' object is not callable",
    "forged-died-frame_on_the_channel": CHANNEL + "an answer that was not asked for",
    "forged-died-stolen_question": "the process ended itself with exit code 70. Does the code call exit?",
    "pickles-error-forged_pickle_tag": UNREADABLE + "a value of unknown kind pickle",
    "frames-error-huge_list": UNREADABLE + "a list of 1000000 entries",
    "frames-error-many_tensors": TOO_LARGE + "91 MB in 3 tensors, and 0 kB of other values"
    ". Can it be done with smaller tensors, and fewer values?",
    "frames-error-deep_nesting": UNREADABLE + "a value nested more than 50 deep",
    "frames-error-huge_integer": UNREADABLE + "an integer of more than 4096 bits",
    "frames-died-wrong_length": CHANNEL + "a frame of 10 + 1099511627776 bytes is over the limit",
    "frames-died-deep_json": CHANNEL + "a frame that is not a message (RecursionError)",
}  # fmt: skip
# These break something in their own process, and it stays broken for their later answers, as in a notebook.
SPOILT = ("patches-failed-tensor_eq", "patches-failed-torch", "pickles-error-forged_pickle_tag")


def handed_in(unit: Unit, notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook with the reference solution of every exercise that it leaves out."""
    answered = {cell["metadata"]["nbgrader"]["grade_id"] for cell in notebook["cells"]}
    cells = {cell["metadata"].get("nbgrader", {}).get("grade_id"): cell for cell in unit.notebook["cells"]}
    rest = [{**cells[e.name], "source": e.solution} for e in unit.exercises if e.name not in answered]
    return {**notebook, "cells": notebook["cells"] + rest}


def answering(unit: Unit, source: str) -> dict[str, Any]:
    """A submission with this answer to the attacked exercise and the reference solutions of all others."""
    cell = next(c for c in unit.notebook["cells"] if c["metadata"].get("nbgrader", {}).get("grade_id") == ATTACKED)
    return handed_in(unit, {**unit.notebook, "cells": [{**cell, "source": source}]})


def grade(unit: Unit, notebooks: dict[str, dict[str, Any]], folder: Path) -> Results:
    submissions = []
    for student, notebook in notebooks.items():
        path = folder / student / unit.name / f"{unit.name}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(notebook), encoding="utf-8")
        submissions.append(Submission(student, unit.name, path))
    done: list[Result] = []
    results = batch.run(Job({unit.name: unit}, submissions, LIMITS, True), 2, done.append)
    assert sorted(result.student for result in done) == sorted(notebooks)
    return {result.student: result.to_json() for result in results}


@pytest.fixture(scope="module")
def canary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file on the host that an escape would write, delete or read."""
    path = tmp_path_factory.mktemp("host") / "canary.txt"
    path.write_text(OF_THE_HOST)
    path.chmod(0o666)
    return path


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file to which the audit hook of `watched` writes, in the examiners and in the process that writes pages."""
    return tmp_path_factory.mktemp("audit") / "log"


@pytest.fixture(scope="module")
def results(attention: Unit, canary: Path, audit: Path, tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The results of all fixtures, an honest student, a plain wrong answer, and a student who is after the canary."""
    honest = answering(attention, next(e.solution for e in attention.exercises if e.name == ATTACKED))
    spy = f"""from pathlib import Path
for path in ({str(canary)!r}, {str(canary.parent)!r}, {str(Path(__file__))!r}, {str(Path.home())!r}):
    for attempt in (lambda: Path(path).read_text(), lambda: Path(path).write_text("gone"), lambda: Path(path).unlink()):
        try:
            print("reached", path, attempt())
        except OSError:
            print("refused")
""" + next(e.solution for e in attention.exercises if e.name == ATTACKED)
    notebooks = {"honest-zoe-first": honest, "wrong": answering(attention, WRONG), "spy": answering(attention, spy)}
    for path in FIXTURES:
        notebooks[path.stem] = handed_in(attention, json.loads(path.read_text(encoding="utf-8")))
    notebooks["honest-zoe-last"] = honest
    os.environ["NBPROCTOR_TEST"] = "secret-of-the-environment"
    try:
        with on_guard(audit, texts_of(attention), foreign_to(attention, notebooks.values())):
            graded = grade(attention, notebooks, tmp_path_factory.mktemp("class") / "submitted")
            typed = [Result.from_json(one) for one in graded.values()]
            record(typed, attention, f"sqlite:///{audit}.db")
            for one in typed:
                write_autograded(one, attention, audit.parent)
                write_feedback(one, of_result(one), attention, audit.parent)
            write_class_report(typed, all_grades(typed, {}), [attention], audit.parent)
        return graded
    finally:
        del os.environ["NBPROCTOR_TEST"]


def exercise(results: Results, student: str, timed: bool = True) -> dict[str, Any]:
    result = results[student] if timed else timeless(results[student])
    return next(report for report in result["exercises"] if report["name"] == ATTACKED)


def each(*topics: str) -> Any:
    """Parametrize over the fixtures of these topics, or over all fixtures where no topic is given."""
    paths = [path for path in FIXTURES if not topics or path.stem.split("-")[0] in topics]
    return pytest.mark.parametrize("path", paths, ids=lambda path: path.stem)


@each()
def test_the_exercise_gets_its_reason_and_no_points(path: Path, results: Results) -> None:
    verdict, reason = path.stem.split("-")[1], REASONS.get(path.stem)
    if path.stem == ENDLESS and sys.version_info >= (3, 12):  # 3.12 counts calls in C, whatever the limit is
        verdict, reason = "error", COUNTED
    report = exercise(results, path.stem)
    assert results[path.stem]["status"] == "graded"
    assert report["status"] == verdict, report
    visible, hidden = report["checks"]
    if verdict == "passed":
        assert [visible["points"], hidden["points"]] == [1.0, 2.0]
        return
    assert [visible["points"], hidden["points"]] == [0.0, 0.0]
    if reason:
        told = visible["message"]
        assert reason in told if verdict == "failed" else told == reason  # a check puts words of its own around it
    assert visible["message"]


@each("patches", "display")
def test_a_patched_process_gets_what_its_wrong_answer_gets_without_the_patch(path: Path, results: Results) -> None:
    patched, plain = (exercise(results, name, timed=False) for name in (path.stem, "wrong"))
    assert patched["checks"] == plain["checks"]


def test_a_forged_verdict_is_printed_text_and_no_more(results: Results) -> None:
    told, plain = (exercise(results, name) for name in ("forged-failed-verdict_on_stdout", "wrong"))
    assert told["printed"].count('"points": 3.0') == 2
    assert [check["message"] for check in told["checks"]] == [check["message"] for check in plain["checks"]]


@each()
def test_every_other_exercise_keeps_its_points(path: Path, results: Results) -> None:
    others = [report for report in results[path.stem]["exercises"] if report["name"] != ATTACKED]
    assert len(others) == 4
    if path.stem not in SPOILT:
        assert [report["name"] for report in others if report["status"] != "passed"] == []


def test_an_honest_student_gets_what_they_get_alone(results: Results, attention: Unit, tmp_path: Path) -> None:
    honest = answering(attention, next(e.solution for e in attention.exercises if e.name == ATTACKED))
    with one_zygote():
        alone = grade(attention, {"zoe": honest}, tmp_path)["zoe"]
    for name in ("honest-zoe-first", "honest-zoe-last"):
        assert timeless(results[name]) == timeless(alone)
    assert alone["score"] == alone["max_score"] == 15.0


@each("search")
def test_a_search_finds_nothing_of_the_graders(path: Path, results: Results) -> None:
    """Row 30: a search that works, for it finds its own canary, finds nothing of the grader's."""
    printed = exercise(results, path.stem)["printed"].strip()
    assert re.fullmatch(r"\d+ looked at, canary seen", printed)
    floor = {"frames": 200, "garbage_collector": 20_000, "raw_memory": 1_000, "traceback": 200, "disk": 40}
    assert int(printed.split()[0]) >= floor.get(path.stem.split("-")[2], 1)


@each("escape")
def test_an_escape_does_nothing_of_what_it_tries(path: Path, results: Results) -> None:
    assert re.fullmatch(r"\d\d+ tried, done: \[\]", exercise(results, path.stem)["printed"].strip())


def test_no_file_of_the_hosts_is_reached(results: Results, canary: Path) -> None:
    assert exercise(results, "spy")["printed"].split() == ["refused"] * 12
    assert canary.read_text() == OF_THE_HOST


def test_no_pickle_of_theirs_is_loaded(results: Results) -> None:
    """Row 29: its command would have made a file in the grader's working folder."""
    assert not Path("CANARY").exists()


def test_nothing_of_a_submission_is_run_outside_the_sandbox(results: Results, audit: Path) -> None:
    """Row 29: to examine, record and write pages, only the course's cells are compiled, and nothing of a student's."""
    assert told(audit, processes=2) == []


def test_the_audit_hook_sees_an_eval_that_is_planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hook tells of an examiner that evaluates a student's message, imports a module of theirs, and unpickles."""
    # No other test has these checks: a source that was compiled before, here or before the fork, is not compiled again.
    unit = unit_of(double=Task("def double(x):\n    return 2 * x", "assert double(7) == 14", "assert double(9) == 18"))
    answer = answered(unit, double="def double(x):\n    raise ValueError('__import__(\\'module_of_eve\\')')")
    real = examiner.is_stub

    def planted(error: Exception) -> bool:
        with suppress(ImportError):
            eval(str(error))  # noqa: S307 what the hook is there to see
        pickle.loads(pickle.dumps(Path))  # noqa: S301 as above
        return real(error)

    monkeypatch.setattr(examiner, "is_stub", planted)
    with one_zygote(), on_guard(tmp_path / "log", texts_of(unit), []):
        batch.run(Job({unit.name: unit}, submitted(unit, tmp_path, eve=answer), LIMITS, True), 1, lambda result: None)
    kinds = {line.split(" ")[0] for line in told(tmp_path / "log")}
    assert kinds == {"compiled", "evaluated", "imported", "unpickled"}


def test_a_daemon_does_not_outlive_the_run(results: Results) -> None:
    assert exercise(results, "processes-passed-daemon")["status"] == "passed"
    assert "nbp-daemon" not in names_running()
