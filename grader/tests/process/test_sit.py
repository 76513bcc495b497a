"""One submission: which cells run, what a death or a timeout costs, and what the student gets to see of it."""

import json
import select
import signal
import socket
from pathlib import Path
from typing import Any

import pytest
from fake_class import cell
from small_class import DOUBLE, PATIENT, Task, answered, grade, messages, statuses, unit_of

from nbproctor.course.units import Unit
from nbproctor.exam import sit as sit_room
from nbproctor.exam import sitting
from nbproctor.exam.examiner import Desk
from nbproctor.exam.sit import sit
from nbproctor.run.session import Session
from nbproctor.runner.zygote import Control
from nbproctor.values.limits import Limits, too_slow, used_up
from nbproctor.values.submission import HandedIn
from nbproctor.values.text import clean

HIDDEN_INPUT = 4711.25
Results = dict[str, dict[str, Any]]
LOOP = "while True:\n    pass\n"
GONE = "the process ended itself with exit code 3. Does the code call exit?"


def double(name: str, teaching: str = "") -> Task:
    return Task(
        solution=f"def {name}(x):\n    return 2 * x",
        check=f"assert {name}(3) == 6, 'Expected twice 3.'",
        hidden=f"assert {name}({HIDDEN_INPUT}) == {2 * HIDDEN_INPUT}, 'twice {HIDDEN_INPUT}'",
        teaching=teaching,
    )


RIGHT = {name: f"def {name}(x):\n    return 2 * x" for name in ("first", "second", "third")}
DIE = "import os\nos._exit(3)\n"


@pytest.fixture(scope="module")
def unit() -> Unit:
    return unit_of(
        first=double("first"), second=double("second", teaching="factor = 2\nprint('taught')"), third=double("third")
    )


def with_cells(notebook: dict[str, Any], *sources: str, before: str = "first") -> dict[str, Any]:
    cells = list(notebook["cells"])
    place = next(i for i, one in enumerate(cells) if one["id"] == before)
    cells[place:place] = [cell("code", source, f"own-{i}") for i, source in enumerate(sources)]
    return {**notebook, "cells": cells}


@pytest.fixture(scope="module")
def results(unit: Unit, tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The results of all the submissions of this module, graded in one batch with short limits."""
    right = answered(unit, **RIGHT)
    hidden_only = "import os\ndef second(x):\n    if x > 9:\n        {}\n    return 2 * x"
    remembering = "def {0}(x):\n    seen.append(x)\n    print(seen)\n    return 2 * x"
    helped = "def helper(x):\n    return {1} * x\ndef {0}(x):\n    return 2 * x if {1} == 3 else helper(x)"
    answers = {
        "right": {},
        "loops_in_the_check": {"second": "def second(x):\n    while True: pass"},
        "loops_when_hidden": {"second": hidden_only.format("while True: pass")},
        "dies_in_the_cell": {"second": DIE},
        "dies_when_hidden": {"second": hidden_only.format("os._exit(3)")},
        "leans_on_the_first": {
            "first": "base = 2\ndef first(x):\n    return base * x",
            "second": LOOP,
            "third": "def third(x):\n    return first(x) * base / 2",
        },
        "taught": {"third": "def third(x):\n    return factor * x"},
        "taught_when_run": {"third": "mine = factor\ndef third(x):\n    return mine * x"},
        "remembers": {
            "first": "seen = []\n" + remembering.format("first"),
            "second": "print(seen)\n" + remembering.format("second"),
            "third": "def third(x):\n    seen.append(x)\n    raise ValueError(f'seen {seen}')",
        },
        "wrong_cell": {"second": "def second(x):\n    return 2 * x\n\n1 / 0"},
        "syntax": {"second": "def second(x:\n    return 2 * x"},
        "prints": {"second": "print('in the cell')\ndef second(x):\n    print('called with', x)\n    return 2 * x"},
        "redefines": {"first": helped.format("first", 2), "second": helped.format("second", 3)},
    }
    notebooks = {name: answered(unit, **RIGHT | given) for name, given in answers.items()}
    notebooks["untouched"] = unit.notebook
    notebooks["own_cell_dies"] = with_cells(right, "helper = 1", DIE, "helper += 1")
    notebooks["own_helper"] = with_cells(
        answered(unit, **RIGHT | {"third": "def third(x):\n    return mine * x"}), "mine = 2"
    )
    notebooks["no_second"] = {**right, "cells": [one for one in right["cells"] if one["id"] != "second"]}
    folder = tmp_path_factory.mktemp("class")
    return grade(unit, folder, Limits(cell_s=4.0, submission_s=240.0), **notebooks)


PASSED = {"first": "passed", "second": "passed", "third": "passed"}
ECHO = """
import gc, socket, sys, threading, time
def echo(value, later_s=0.0):
    from nbproctor.border import frames
    lines = [vars(one) for one in gc.get_objects() if type(one).__name__ == "ExaminerChannel"]
    nonces = next(one["nonces"] for one in lines if one.get("nonces"))
    channel = next(one for one in gc.get_objects() if type(one) is socket.socket)
    answer = {"value": value, "changed": False, "refilled": [], "state": {}}
    reply = frames.frame({"answer": answer, "nonce": nonces[-1]}, [])
    if not later_s:
        channel.sendall(reply)
        return
    def send():
        time.sleep(later_s)
        channel.sendall(reply)
    threading.Thread(target=send).start()
"""


def test_who_writes_a_second_answer_pays_and_in_every_run(unit: Unit, tmp_path: Path) -> None:
    """A forged answer costs its author's exercise, whenever the true one follows, and no other exercise."""
    pauses = {"at_once": 0.0, "later": 0.3}
    body = "def second(x):\n    echo(2 * x)\n    time.sleep({})\n    return 2 * x"
    forged = {name: answered(unit, **RIGHT | {"second": ECHO + body.format(s)}) for name, s in pauses.items()}
    results = grade(unit, tmp_path, **forged)
    told = "the process wrote into the grader's channel: "
    for name in pauses:
        assert statuses(results[name]) == PASSED | {"second": "died"}
        assert all(one.startswith(told) for one in messages(results[name], "second"))


def test_who_writes_a_late_answer_costs_no_other_exercise(unit: Unit, tmp_path: Path) -> None:
    """An answer that comes when another exercise is asked spoils nothing, and the instructor is told."""
    slow = "import time\ndef {0}(x):\n    time.sleep(0.5)\n    return 2 * x"
    late = RIGHT | {name: slow.format(name) for name in ("second", "third")}
    late |= {"first": ECHO + "def first(x):\n    echo(7, 0.2)\n    return 2 * x"}
    (result,) = grade(unit, tmp_path, late=answered(unit, **late)).values()
    assert statuses(result) == PASSED
    assert [note["kind"] for note in result["notes"]] == ["look"]
    assert result["notes"][0]["text"].startswith("its code sent a second answer to a question of a check")


def test_a_value_that_differs_between_the_two_processes_is_told(tmp_path: Path) -> None:
    """A prediction is made twice, for the visible and for the hidden check; two guesses need a look, one does not."""
    tasks = {
        name: Task(f"{name} = 2", f"assert isinstance({name}, int), 'a number'", f"assert {name} > 0, 'not that'")
        for name in ("guess", "sure")
    }
    unit = unit_of(**tasks)
    given = answered(unit, guess="import time\nguess = time.time_ns()", sure="sure = 3")
    (result,) = grade(unit, tmp_path, hedger=given).values()
    told = {report["name"]: [note["text"] for note in report["notes"]] for report in result["exercises"]}
    again = "guess: its value changed when the notebook ran again. Does it depend on chance or on the time?"
    assert told == {"guess": [again], "sure": []}


def test_right_answers_get_all_points_and_an_untouched_notebook_none(results: Results) -> None:
    right, untouched = results["right"], results["untouched"]
    assert (statuses(right), right["score"], right["max_score"], right["notes"]) == (PASSED, 9.0, 9.0, [])
    assert (statuses(untouched), untouched["score"]) == (dict.fromkeys(PASSED, "not implemented"), 0)
    assert messages(untouched, "first") == ["not implemented yet"] * 2


def test_a_stubs_last_line_beside_an_answer_is_told_as_that(unit: Unit, tmp_path: Path) -> None:
    stub, mark = 'raise NotImplementedError("not implemented yet")', "# YOUR CODE HERE"
    bodies = {"first": [mark, stub, "return 2 * x"], "second": [mark, "y = 2 * x", stub], "third": [mark, stub]}
    answers = {name: f"def {name}(x):\n" + "\n".join(f"    {row}" for row in rows) for name, rows in bodies.items()}
    result = grade(unit, tmp_path, ana=answered(unit, **answers))["ana"]
    assert statuses(result) == dict.fromkeys(answers, "not implemented")
    above = f"The line `{stub}` stands above your code, which never runs. Delete that line."
    assert messages(result, "first") == [above] * 2
    assert "still stands below your code. Delete it" in messages(result, "second")[0]
    assert messages(result, "third") == ["not implemented yet"] * 2


LOOPS = too_slow(4)


@pytest.mark.parametrize(
    ("student", "status", "points", "told"),
    [
        ("loops_in_the_check", "timeout", 0, [LOOPS, LOOPS]),
        ("loops_when_hidden", "timeout", 1, ["", LOOPS]),
        ("dies_in_the_cell", "died", 0, [GONE, GONE]),
        ("dies_when_hidden", "died", 1, ["", GONE]),
    ],
)
def test_a_timeout_or_a_death_costs_one_exercise(
    results: Results, student: str, status: str, points: int, told: list[str]
) -> None:
    assert statuses(results[student]) == PASSED | {"second": status}
    assert messages(results[student], "second") == told
    assert results[student]["score"] == 6 + points


@pytest.mark.parametrize(
    ("student", "second"),
    [
        ("leans_on_the_first", "timeout"),  # the process has died between an answer and the one that uses it
        ("own_helper", "passed"),  # an added cell defines what an answer uses
        ("redefines", "passed"),  # a later cell redefines a helper of an answer, which was checked before
    ],
)
def test_an_answer_finds_what_has_run_before_it(results: Results, student: str, second: str) -> None:
    assert statuses(results[student]) == PASSED | {"second": second}


def test_a_cell_of_their_own_that_dies_costs_nothing_else(results: Results) -> None:
    assert statuses(results["own_cell_dies"]) == PASSED
    assert {"kind": "accident", "text": f"A cell that was added stopped: {GONE}"} in results["own_cell_dies"]["notes"]
    assert len(results["own_cell_dies"]["notes"]) == 1


def test_a_teaching_cell_runs_only_for_an_answer_that_uses_its_names(results: Results) -> None:
    assert statuses(results["taught"]) == PASSED
    assert statuses(results["taught_when_run"]) == PASSED
    assert "taught" not in json.dumps(results["right"])
    assert "demo of" not in json.dumps([results["taught"], results["right"]])


def printed(result: dict[str, Any], name: str) -> str:
    return next(report["printed"] for report in result["exercises"] if report["name"] == name)


def test_what_a_hidden_check_hands_over_is_never_shown(results: Results) -> None:
    result = results["remembers"]
    assert printed(result, "first") == "[3]\n"
    assert printed(result, "second") == "[3]\n[3, 3]\n"
    assert messages(result, "third")[0] == "ValueError: seen [3, 3, 3] (in line 3 of your cell)"
    shown = [
        (report["printed"], [check["message"] for check in report["checks"] if not check["hidden"]])
        for report in result["exercises"]
    ]
    assert str(HIDDEN_INPUT) not in json.dumps(shown)
    assert str(HIDDEN_INPUT) in messages(result, "third")[1]  # the instructor's copy


def test_cells_that_changed_places_cost_nothing(tmp_path: Path) -> None:
    """Where an answer calls another answer or a helper from further down, those run before the first one is judged."""
    four = Task("def four(x):\n    return double(double(x))", "assert four(3) == 12", "assert four(4) == 16")
    unit = unit_of(double=DOUBLE, four=four)
    notebook = answered(unit, double="def double(x):\n    return helper(x)", four=four.solution)
    helper = cell("code", "def helper(x):\n    return x + x", "own-1")
    nothing = answered(unit, double="def double(x):\n    return helper(x)", four=four.solution)
    turned = {**notebook, "cells": [*reversed(notebook["cells"]), helper]}
    results = grade(unit, tmp_path, turned=turned, nothing=nothing)
    assert statuses(results["turned"]) == {"double": "passed", "four": "passed"}
    assert messages(results["nothing"], "four")[0].startswith("NameError: name 'helper' is not defined")


def test_a_hidden_check_that_stands_above_the_answer_is_reached_with_the_visible_one(tmp_path: Path) -> None:
    """A hidden check that was dragged above the answer is reached with the visible one, and finds the answer."""
    unit = unit_of(first=double("first"))
    right = answered(unit, **{"first": RIGHT["first"]})
    hidden = next(one for one in right["cells"] if one["id"] == "hidden-first")
    cells = [one for one in right["cells"] if one is not hidden]
    above = {**right, "cells": [cells[0], cells[1], hidden, *cells[2:]]}
    between = with_cells(above, "def first(x):\n    return x", before="hidden-first")
    results = grade(unit, tmp_path, above=above, between=between)
    assert [check["status"] for check in results["above"]["exercises"][0]["checks"]] == ["passed", "passed"]
    assert [check["status"] for check in results["between"]["exercises"][0]["checks"]] == ["passed", "failed"]


def test_a_cell_that_stops_says_where(results: Results) -> None:
    """What the cell had defined by then is graded, as in nbgrader; a cell that stopped earlier has given no answer."""
    (note,) = next(report for report in results["wrong_cell"]["exercises"] if report["name"] == "second")["notes"]
    assert note["text"] == (
        "second: The cell stopped before its end (the cell stopped with ZeroDivisionError: division by zero "
        "(in line 4 of your cell)). The answer was graded."
    )
    assert statuses(results["wrong_cell"]) == PASSED
    assert messages(results["syntax"], "second")[0].startswith(
        "the cell stopped with SyntaxError: '(' was never closed"
    )
    assert statuses(results["syntax"]) == PASSED | {"second": "error"}


def test_what_an_answer_prints_is_kept_with_it(results: Results) -> None:
    assert printed(results["prints"], "second") == "in the cell\ncalled with 3\n"
    assert printed(results["prints"], "third") == ""


def test_an_exercise_without_a_cell_is_missing(results: Results) -> None:
    assert statuses(results["no_second"]) == PASSED | {"second": "missing"}
    assert messages(results["no_second"], "second") == ["no cell answers it"] * 2


def test_a_submission_has_an_end(tmp_path: Path) -> None:
    """When the submission's time is used up, the remaining exercises say so, and the submission is still graded."""
    unit = unit_of(setup="import time\ntime.sleep(0.3)", **{name: double(name) for name in PASSED})
    limits = Limits(cell_s=3.0, submission_s=4.0)
    loops = answered(unit, first=LOOP, second=LOOP, third=LOOP)
    four = with_cells(loops, LOOP, LOOP)
    results = grade(unit, tmp_path, limits, loops=loops, four=four)
    for name, result in results.items():
        assert result["status"] == "graded", result
        assert statuses(result) == dict.fromkeys(PASSED, "timeout")
        assert messages(result, "first") == [too_slow(3) if name == "loops" else used_up(4)] * 2
        assert messages(result, "second") == messages(result, "third") == [used_up(4)] * 2


def test_hidden_checks_have_a_time_of_their_own(tmp_path: Path) -> None:
    """The hidden checks get time of their own, since slow cells run a second time for them."""
    unit = unit_of(setup="import time", **{name: double(name) for name in PASSED})
    trains = with_cells(answered(unit, **RIGHT), "time.sleep(2.5)\nwidth = 7")
    slow = with_cells(answered(unit, **RIGHT | {"first": "def first(x):\n    return 2 * x + 0 * scale"}),
                      "time.sleep(4)\nscale = 1")  # fmt: skip
    results = grade(unit, tmp_path, Limits(cell_s=3.5, submission_s=4.5), trains=trains, slow=slow)
    assert statuses(results["trains"]) == PASSED
    first, _ = messages(results["slow"], "first")
    assert "'scale' is not defined" in first
    assert "The cell above that gives scale a value had stopped: the code did" in first


@pytest.mark.parametrize(
    ("times", "source", "found"),
    [(1, "os.getcwd()", (2, 3.0, True)), (99, "os.getcwd()", (2, 0.0, False)), (0, "os._exit(3)", (1, 0.0, True))],
    ids=["killed once", "killed each time", "ends itself"],
)
def test_who_was_killed_from_outside_is_graded_again(
    control: Control, monkeypatch: pytest.MonkeyPatch, times: int, source: str, found: tuple[int, float, bool]
) -> None:
    """Once more at once, and by the next run. found: the attempts, the score, and whether the result is kept."""
    unit = unit_of(double=DOUBLE)
    raw = json.dumps(answered(unit, double=f"import os\n{source}\ndef double(x):\n    return 2 * x")).encode()
    killed, sat = list[int](), list[str]()
    run, plan = sitting.Sitting._run, sit_room.agenda_of

    def run_and_kill(self: sitting.Sitting, cell: str) -> None:
        if len(killed) < times:  # as the kernel does where memory runs out
            killed.append(self.student.process.pid)
            signal.pidfd_send_signal(self.student.line.pidfd, signal.SIGKILL)
            select.select([self.student.line.pidfd], [], [], 10.0)
        run(self, cell)

    monkeypatch.setattr(sitting.Sitting, "_run", run_and_kill)
    monkeypatch.setattr(sit_room, "agenda_of", lambda it: [sat.append("once more"), plan(it)][1])
    worker = Session({unit.name: unit}, control, PATIENT, ())
    result = worker.grade(clean("ana"), unit.name, HandedIn(raw), "key")
    assert (len(sat), result.score, bool(result.key)) == found
    if not result.key:
        assert result.reasons == [
            "double: the process was ended by SIGKILL",
            "one of its processes was killed from outside, as happens where memory runs out; grade it again",
        ]


def test_who_used_up_their_processor_time_is_not_graded_again(
    control: Control, monkeypatch: pytest.MonkeyPatch
) -> None:
    unit = unit_of(double=DOUBLE)
    raw = json.dumps(answered(unit, double=LOOP)).encode()
    monkeypatch.setattr(sitting.Sitting, "_lifetime_s", 2.0)
    result = Session({unit.name: unit}, control, PATIENT, ()).grade(clean("ana"), unit.name, HandedIn(raw), "key")
    assert result.exercises[0].message == "the process was ended by SIGKILL"
    assert result.key


def test_for_what_is_no_notebook_no_process_is_started(unit: Unit) -> None:
    here, there = socket.socketpair()
    with here, there:
        result = sit(unit, Desk(""), Control(here), "ana", HandedIn(b"<html>"), Limits())
        there.setblocking(False)
        with pytest.raises(BlockingIOError):
            there.recv(1)
    assert (result.status, result.reason, result.exercises) == (
        "ungradable",
        "the file is not a notebook: a web page",
        (),
    )


def test_a_setup_that_stops_is_told_as_what_it_is(tmp_path: Path) -> None:
    """Where the unit's setup stops, the reason blames the instructor's cell, and not the student's work."""
    unit = unit_of("import nosuchmodule", right=Task("def right(x):\n    return x", "right(1)", "right(2)"))
    (result,) = grade(unit, tmp_path, ana=unit.notebook).values()
    assert result["status"] == "ungradable" and result["reason"] == (
        "the unit's own setup stopped (ModuleNotFoundError: No module named 'nosuchmodule'): fix what is tagged setup "
        "in solutions/small, or install here what it imports; grade it again, or by hand"
    )
