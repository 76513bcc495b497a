"""A class gets the same results whatever the number and fate of its workers; a lost worker costs one submission."""

import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
import warnings
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import pytest
from kept_zygote import one_zygote
from sandboxed import names_running
from small_class import PATIENT, Task, answered, grade, submitted, timeless, unit_of

from nbproctor.course.units import Unit
from nbproctor.run import batch, session
from nbproctor.run.job import Job
from nbproctor.values.limits import Limits
from nbproctor.values.result import Result
from nbproctor.values.submission import Submission

Results = dict[str, dict[str, Any]]
STUDENTS = ("ana", "bo", "cy", "di", "eva", "flo")
DIED = "the process that graded it ended before it was done; grade it again, or by hand"
HUNG = "the process that graded it did not end in time; grade it again, or by hand"


def notebooks(unit: Unit) -> Results:
    """Six students with three different answers, so that a mix-up shows."""
    return {
        name: answered(unit, double=f"def double(x):\n    return 2 * x + {i % 3}") for i, name in enumerate(STUDENTS)
    }


@pytest.fixture(scope="module")
def wanted(unit: Unit, tmp_path_factory: pytest.TempPathFactory) -> Results:
    results = grade(unit, tmp_path_factory.mktemp("class"), workers=1, **notebooks(unit))
    assert [result["score"] for result in results.values()] == [3, 0, 0, 3, 0, 0]
    return {name: timeless(result) for name, result in results.items()}


def assert_same(results: Results, wanted: Results) -> None:
    """All results that are there are those of a single worker."""
    assert {name: timeless(result) for name, result in results.items()} == {name: wanted[name] for name in results}


@pytest.mark.parametrize("workers", [2, 16])
def test_the_number_of_workers_changes_nothing(unit: Unit, wanted: Results, tmp_path: Path, workers: int) -> None:
    given = notebooks(unit)
    given = dict(reversed(given.items())) if workers == 2 else given
    results = grade(unit, tmp_path, workers=workers, **given)
    assert list(results) == list(given)
    assert_same(results, wanted)


def test_what_a_check_warns_of_is_not_printed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if the check redirects them: a program may read JSON there."""
    warns = "import sys, warnings\nwarnings.warn('careful')\nsys.stderr = sys.stdout\nwarnings.warn('careful, too')\n"
    task = Task("def double(x):\n    return 2 * x", warns + "assert double(3) == 6", "assert double(4) == 8")
    unit = unit_of(double=task)
    with warnings.catch_warnings(action="default"):  # as in a program; pytest makes warnings errors, or keeps them
        monkeypatch.setattr(warnings, "showwarning", lambda told, *_: print(told, file=sys.stderr, flush=True))
        (result,) = grade(unit, tmp_path, workers=1, ana=answered(unit, double=task.solution)).values()
    assert result["score"] == 3
    assert capfd.readouterr() == ("", "")


def run(
    unit: Unit, folder: Path, limits: Limits = PATIENT, workers: int = 2, own_zygote: bool = False, **more: Any
) -> Results:
    """Grade the class; own_zygote: for a test that ends it."""
    submissions = submitted(unit, folder, **notebooks(unit))
    told: list[Result] = []
    on_result = more.pop("on_result", lambda result: None)

    def note(result: Result) -> None:
        told.append(result)
        on_result(result)

    with nullcontext() if own_zygote else one_zygote():
        results = batch.run(Job({unit.name: unit}, submissions, limits, True, **more), workers, note)
    assert sorted(result.student for result in told) == sorted(STUDENTS)
    assert [result.student for result in results] == list(STUDENTS)
    return {result.student: result.to_json() for result in results}


def test_a_worker_that_is_killed_costs_one_submission(unit: Unit, wanted: Results, tmp_path: Path) -> None:
    def write(result: Result, one: Submission) -> None:
        if one.student == "cy":
            os.kill(os.getpid(), signal.SIGKILL)

    results = run(unit, tmp_path, write=write)
    lost = results.pop("cy")
    assert (lost["status"], lost["reason"], lost["score"], lost["exercises"]) == ("ungradable", DIED, 0.0, [])
    assert_same(results, wanted)


def test_a_core_that_another_run_has_is_left_to_it(unit: Unit, tmp_path: Path) -> None:
    """A worker leaves a core to the run that claimed it: two runs on one core would halve each other's time limits."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        pytest.skip("there is one core")
    used = tmp_path / "used"

    def write(result: Result, one: Submission) -> None:
        used.write_text(repr(os.sched_getaffinity(0)))

    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as claim:
        while claim.getsockname() in ("", b""):  # another test's run may hold the core for a while
            with suppress(OSError):
                claim.bind(f"\0nbproctor core {cores[0]}")
            time.sleep(0.05)
        run(unit, tmp_path, workers=1, write=write)
    assert used.read_text() != repr({cores[0]})


def test_ctrl_z_stops_no_worker(unit: Unit, tmp_path: Path) -> None:
    """After Ctrl-Z a worker ends what it grades, since the student's time would go on while it is stopped."""
    found = tmp_path / "found"

    def write(result: Result, one: Submission) -> None:
        found.write_text(repr(signal.getsignal(signal.SIGTSTP)))

    run(unit, tmp_path, workers=1, write=write)
    assert found.read_text() == repr(signal.SIG_IGN)


def test_idle_workers_that_are_killed_from_outside_are_replaced(unit: Unit, wanted: Results, tmp_path: Path) -> None:
    killed: list[int] = []

    def kill_all(result: Result) -> None:
        for worker in [] if killed else multiprocessing.active_children():
            worker.kill()
            worker.join()
            killed.append(worker.pid or 0)

    results = run(unit, tmp_path, on_result=kill_all)
    lost = [results.pop(name)["reason"] for name, one in [*results.items()] if one["status"] != "graded"]
    assert len(killed) == 2 and lost in ([], [DIED], [DIED] * 2)
    assert_same(results, wanted)


def test_what_a_lost_examiner_had_started_is_ended(unit: Unit, tmp_path: Path) -> None:
    """When an examiner is lost, a student's spinning processes are gone before the next submission is begun."""
    spin = "import os, ctypes\nos._exit = print\nctypes.CDLL(None).prctl(15, b'nbp-spin')\n"
    spin += "for _ in range(3):\n    os.fork()\nwhile True:\n    pass\n"
    right = answered(unit, double="def double(x):\n    return 2 * x")
    submissions = submitted(unit, tmp_path, evil=answered(unit, double=spin), honest=right)
    seen: dict[str, list[str]] = {}

    def kill_when_it_spins() -> None:
        end = time.monotonic() + 100
        while "nbp-spin" not in names_running() and time.monotonic() < end:
            time.sleep(0.2)
        for worker in multiprocessing.active_children():
            assert worker.pid is not None
            os.kill(worker.pid, signal.SIGKILL)

    def look(result: Result) -> None:
        seen[result.student] = names_running()

    killer = threading.Thread(target=kill_when_it_spins)
    killer.start()
    limits = Limits(cell_s=100.0, submission_s=200.0)
    evil, honest = batch.run(Job({unit.name: unit}, submissions, limits, True), 1, look)
    killer.join()
    assert (evil.reason, honest.score) == (DIED, 3)
    assert "nbp-spin" not in seen["honest"]


def test_a_worker_that_hangs_costs_one_submission(
    unit: Unit, wanted: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "GRACE_S", 1.0)
    monkeypatch.setattr(session, "ATTEMPTS", 1)

    def write(result: Result, one: Submission) -> None:
        if one.student == "bo":
            time.sleep(600)

    results = run(unit, tmp_path, Limits(cell_s=10.0, submission_s=10.0), write=write)
    assert (results.pop("bo")["reason"]) == HUNG
    assert_same(results, wanted)


def zygotes(parent: str = "self") -> set[int]:
    """The process ids of the zygotes that a process, by default this one, has started and not ended."""
    found = set()
    for task in Path(f"/proc/{parent}/task").iterdir():
        for child in (task / "children").read_text().split():
            if Path(f"/proc/{child}/comm").read_text().strip() == "bwrap":
                found.add(int(child))
    return found


@pytest.mark.weekly
def test_who_kills_every_zygote_costs_no_one_else_anything(unit: Unit, wanted: Results, tmp_path: Path) -> None:
    """A submission on which the sandbox dies twice, the second time alone in it, is named; no other result changes."""

    before = zygotes()  # other tests of this process have one, too

    def write(result: Result, one: Submission) -> None:
        if one.student == "cy":
            for pid in zygotes(str(os.getppid())) - before:
                os.kill(pid, signal.SIGKILL)
            os.kill(os.getpid(), signal.SIGKILL)

    results = run(unit, tmp_path, own_zygote=True, write=write)
    lost = results.pop("cy")
    assert lost["status"] == "ungradable"
    assert lost["reason"] == "the sandbox ended twice while this was graded; grade it again, or by hand"
    assert_same(results, wanted)


def test_a_check_cannot_take_all_memory(unit: Unit, tmp_path: Path) -> None:
    task = Task("def size():\n    return 1", "torch.empty(size(), size())", "assert torch.empty(size()).numel() == 1")
    greedy = unit_of(size=task)
    results = grade(
        greedy, tmp_path, workers=1,
        greedy=answered(greedy, size="def size():\n    return 40_000"), honest=answered(greedy, size=task.solution),
    )  # fmt: skip
    visible, _ = results["greedy"]["exercises"][0]["checks"]
    assert visible["status"] == "error"
    assert "can't allocate memory: you tried to allocate 6400000000 bytes" in visible["message"]
    assert results["honest"]["score"] == 3


def test_stop_ends_all_processes(unit: Unit, tmp_path: Path) -> None:
    workers, before = len(multiprocessing.active_children()), zygotes()

    def stop(result: Result) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        batch.run(Job({unit.name: unit}, submitted(unit, tmp_path, **notebooks(unit)), PATIENT, True), 2, stop)
    assert len(multiprocessing.active_children()) == workers
    assert zygotes() == before
