"""Grading on dask's workers, which die, come late or must not grade, gives the results of one machine."""

import asyncio
import json
import logging
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import forked
import pytest
import small_course as small
from distributed.comm.core import CommClosedError
from kept_zygote import one_zygote
from small_class import PATIENT, Task, answered, submitted, timeless, unit_of

from nbproctor.anycourse import reference, remote
from nbproctor.anycourse.kernels import Kernel
from nbproctor.anycourse.warm import Libraries, Warm
from nbproctor.border.sandbox import Bounds, View
from nbproctor.cli.app import app
from nbproctor.course.units import Unit
from nbproctor.paths import ROOT
from nbproctor.run import batch, cluster, dask_workers
from nbproctor.run.dask_workers import Unfit
from nbproctor.run.job import Job
from nbproctor.run.session_process import Course, SessionProcess
from nbproctor.run.store import Store
from nbproctor.runner import pool
from nbproctor.runner.zygote import GraderError, WorkersGone
from nbproctor.values import submission
from nbproctor.values.limits import Limits
from nbproctor.values.result import Result
from nbproctor.values.submission import HandedIn
from nbproctor.values.text import clean

BIN = Path(sys.executable).parent
SLOW = Limits(cell_s=100.0, submission_s=200.0)
DOOMED = "import ctypes\nctypes.CDLL(None).prctl(15, b'nbp-doomed')\nwhile True:\n    pass\n"


@pytest.fixture(scope="module")
def unit() -> Unit:
    return unit_of(
        double=Task(
            solution="def double(x):\n    return 2 * x",
            check="assert double(3) == 6, f'Expected 6, got {double(3)}.'",
            hidden="assert torch.equal(double(torch.ones(2)), 2 * torch.ones(2))",
        )
    )


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a scheduler with two workers, each a process of its own, started as the README says."""
    folder = tmp_path_factory.mktemp("dask")
    settings = str(ROOT / "grader" / "dask.yaml")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "grader"), "DASK_CONFIG": settings}
    environment["DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES"] = "0"  # in place of 3: the first lost worker counts
    log = (folder / "log").open("w")
    start = {"env": environment, "cwd": folder, "stdout": log, "stderr": log, "start_new_session": True}
    commands: list[list[str]] = [["scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]]
    commands[0] += ["--scheduler-file", str(folder / "at.json")]
    commands += 2 * [["worker", "--scheduler-file", str(folder / "at.json"), "--nthreads", "1", "--no-dashboard"]]
    running = [subprocess.Popen([str(BIN / "dask"), *command], **start) for command in commands]  # type: ignore[call-overload]  # noqa: S603
    end = time.monotonic() + 60
    while not (folder / "at.json").exists() and time.monotonic() < end:
        time.sleep(0.1)
    with dask_workers.Client(scheduler_file=str(folder / "at.json"), set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
        address = client.scheduler.address
    yield address
    for process in reversed(running):
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    log.close()


def notebooks(unit: Unit) -> dict[str, dict[str, Any]]:
    """Six students with three different answers, so that a mix-up shows."""
    return {
        name: answered(unit, double=f"def double(x):\n    return 2 * x + {i % 3}") for i, name in enumerate("abcdef")
    }


def parents(pid: int) -> Iterator[int]:
    """The ids of a process and of its ancestors, from the process upwards."""
    while pid > 1:
        yield pid
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def workers_of(name: str, below: bytes = b"nbproctor.run.session_process") -> set[int]:
    """The dask workers that have a student's process of this name. below: the program that they have started."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/comm"):
        with suppress(OSError, IndexError):  # the process has ended meanwhile
            if path.read_text().strip() == name:
                family = list(parents(int(path.parent.name)))
                lines = [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in family]
                found |= {family[n + 1] for n, line in enumerate(lines) if below in line and below not in lines[n + 1]}
    return found


def two_killed(*of: Any) -> set[int]:
    """Kill the next two workers of this kind, from now on, in a thread; returns the set that they come into."""
    killed = set[int]()

    def kill() -> None:
        while len(killed) < 2:
            for pid in workers_of(*of) - killed:
                killed.add(pid)
                os.kill(pid, signal.SIGKILL)
            time.sleep(0.1)

    threading.Thread(target=kill, daemon=True).start()
    return killed


@pytest.mark.weekly
def test_workers_that_die_change_nothing_and_who_kills_several_is_named(
    unit: Unit, scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever workers die, the results are those of one machine, and each is stored when it comes.

    A submission that dask gives up as its workers died is sent once more by itself, and named if they die again. One
    that only waited beside it pays nothing. However often a submission is sent out, its file is read once.
    """
    honest = submitted(unit, tmp_path, **notebooks(unit))
    with one_zygote():
        wanted = batch.run(Job({unit.name: unit}, honest, PATIENT, True), 1, lambda result: None)
    (doomed,) = submitted(unit, tmp_path, doomed=answered(unit, double=DOOMED))
    store, killed = Store(tmp_path / "results"), two_killed("nbp-doomed")
    seen: list[str] = []

    def look(result: Result) -> None:
        seen.append(result.student)
        kept = store.get(result.student, result.unit, result.key)
        assert bool(kept) == (result.student != "doomed")

    read: list[str] = []
    content = submission._content
    monkeypatch.setattr(submission, "_content", lambda path, most: [read.append(path.stem), content(path, most)][1])
    job = Job({unit.name: unit}, [doomed, *honest], SLOW, True, store)
    told, *results = cluster.run(job, scheduler, look)
    assert sorted(read) == sorted(seen)
    assert len(killed) == 2 and sorted(seen) == ["a", "b", "c", "d", "doomed", "e", "f"]
    assert told.reason == "several workers ended while they graded it; grade it again, or by hand"
    assert [timeless(one.to_json()) for one in results] == [timeless(one.to_json()) for one in wanted]


@pytest.mark.weekly
def test_ctrl_c_keeps_what_was_graded_and_leaves_no_session(unit: Unit, scheduler: str, tmp_path: Path) -> None:
    store = Store(tmp_path / "results")
    with dask_workers.Client(scheduler, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)  # another test may have killed one, and the next is on its way

    def stop(result: Result) -> None:
        raise KeyboardInterrupt

    job = Job({unit.name: unit}, submitted(unit, tmp_path, **notebooks(unit)), PATIENT, True, store)
    with pytest.raises(KeyboardInterrupt):
        cluster.run(job, scheduler, stop)
    assert len(list(store.all_but(()))) == 1
    nothing_is_left(scheduler)


def nothing_is_left(scheduler: str) -> None:
    """Assert that a run has left no plugin on a worker."""
    with dask_workers.Client(scheduler, set_as_default=False) as client:
        assert not any(client.run(lambda dask_worker: [n for n in dask_worker.plugins if "nbproctor" in n]).values())


def test_a_worker_with_another_grader_is_refused(
    unit: Unit, scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "grader_fingerprint", lambda: "another one")
    job = Job({unit.name: unit}, submitted(unit, tmp_path, **notebooks(unit)), PATIENT, True)
    told = r"^worker tcp://.*: its grader, .* has another version than the client's; install the same"
    with pytest.raises(GraderError, match=told):
        cluster.run(job, scheduler, lambda result: None)


def test_without_a_scheduler_one_line_says_so(unit: Unit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_workers, "CONNECT_S", 1.0)
    for address in ("tcp://127.0.0.1:1", "nonsense://x"):
        with pytest.raises(GraderError, match=f"^no scheduler answers at {address} .*; start one: dask scheduler$"):
            cluster.run(Job({unit.name: unit}, [], PATIENT, True), address, lambda result: None)
    logging.getLogger("distributed").setLevel(logging.NOTSET)


def test_without_dask_one_line_says_what_to_install(tmp_path: Path) -> None:
    place = tmp_path / "submitted" / "ana" / "00_tensors"
    place.mkdir(parents=True)
    (place / "00_tensors.ipynb").write_bytes((ROOT / "course" / "00_tensors" / "00_tensors.ipynb").read_bytes())
    program = "import sys; sys.modules['distributed'] = None; from nbproctor.cli.app import app; app()"
    command = ["grade", "--classroom", str(tmp_path), "--scheduler", "tcp://127.0.0.1:1"]
    done = subprocess.run([sys.executable, "-c", program, *command], capture_output=True, text=True, timeout=100)  # noqa: S603, PLW1510
    assert done.returncode == 2
    assert done.stderr == (
        "nbproctor: --scheduler needs the package distributed, which is not installed; run `make setup`\n"
    )


def test_the_command_grades_on_the_workers_of_a_scheduler(scheduler: str, tmp_path: Path) -> None:
    """One of the two students handed in no notebook."""
    for student, name in (("ana", "00_tensors.ipynb"), ("bo", "essay.docx")):
        place = tmp_path / "submitted" / student / "00_tensors"
        place.mkdir(parents=True)
        (place / name).write_bytes((ROOT / "course" / "00_tensors" / "00_tensors.ipynb").read_bytes())
    nobody_here = "from nbproctor.run import batch; batch.run = None"
    program = [sys.executable, "-c", f"{nobody_here}; from nbproctor.cli.app import app; app()"]
    command = ["grade", "--classroom", str(tmp_path), "--json"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "grader")}
    there = [*program, *command, "--scheduler", scheduler]
    runs = (
        lambda: subprocess.run(there, capture_output=True, text=True, timeout=300, env=environment),  # noqa: S603, PLW1510
        lambda: forked.call(app, ["nbproctor", *command], tmp_path, environment),
    )
    kept = []
    for run in runs:
        done = run()
        assert (done.returncode, done.stderr) == (3, "")  # nobody answered anything
        said = json.loads(done.stdout)
        assert [(one["student"], one["status"]) for one in said["results"]] == [("ana", "graded"), ("bo", "ungradable")]
        assert "seccomp" in said["sandbox"]
        kept.append((tmp_path / "results" / "00_tensors" / "ana.json").stat().st_mtime_ns)
        assert (tmp_path / "report" / "index.html").exists()
    assert kept[0] == kept[1]


@pytest.mark.weekly
def test_a_session_process_outlives_what_happens_in_it(unit: Unit) -> None:
    """Where its zygote or the session itself is killed, it grades again; after the second time it says so, and grades
    the next student.
    """
    right, doomed = (
        HandedIn(json.dumps(answered(unit, double=source)).encode())
        for source in ("def double(x):\n    return 2 * x", DOOMED)
    )
    session = SessionProcess(Course({unit.name: unit}, SLOW, True))
    killed = set[int]()

    def kill() -> None:
        while len(killed) < 2:
            for path in Path("/proc").glob("[0-9]*/comm"):
                with suppress(OSError, ValueError, TypeError):  # a process of these has just ended
                    if path.read_text().strip() == "nbp-doomed":
                        family = list(parents(int(path.parent.name)))
                        own = family.index(session._running[1].pid)
                        victim = family[own] if killed else family[own - 1]  # the sandbox first
                        if not killed & set(family):
                            os.kill(victim, signal.SIGKILL)
                            killed.add(victim)
            time.sleep(0.1)

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    try:
        assert (
            session.grade("bo", unit.name, doomed, "one").reason
            == "the process that graded it ended twice before it was done; grade it again, or by hand"
        )
        thread.join()
        result = session.grade("ana", unit.name, right, "another")
        assert (result.score, result.key) == (3, "another")
    finally:
        session.end()


@pytest.mark.weekly
def test_no_session_process_is_started_after_the_end(unit: Unit) -> None:
    """When a run is stopped while a worker grades, that session process is gone and no other takes its place."""
    session = SessionProcess(Course({unit.name: unit}, PATIENT, True))
    pipe = session.ready()
    assert session._running
    process = session._running[1]
    session.end()
    assert process.poll() is not None
    assert not pipe.closed  # a thread that is at a submission still reads from it
    with pytest.raises(GraderError, match="^the run has ended$"):
        session.grade(clean("ana"), unit.name, HandedIn(b"{}"), "key")
    assert session._running is None


def test_a_session_process_that_dies_at_once_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    large = unit_of(f"import torch\n# {'x' * (4 << 20)}", double=Task("def double(x): ...", "", ""))
    monkeypatch.setenv("PYTHONHOME", "/nonexistent")
    with pytest.raises(GraderError, match="^it died$"):
        SessionProcess(Course({large.name: large}, PATIENT, True)).ready()


def test_a_worker_without_a_sandbox_is_refused(unit: Unit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker without a sandbox is refused, also later: it would be the fastest of all, and lose everybody's
    submission.
    """
    monkeypatch.setenv("PATH", str(tmp_path))
    course = Course({unit.name: unit}, PATIENT, True)
    plugin = dask_workers.RunPlugin(cluster.Sessions(course, cluster.grader_fingerprint()))
    state = SimpleNamespace(nthreads=1)
    there: Any = SimpleNamespace(
        address="tcp://there:1", plugins={plugin.name: plugin}, state=state, local_directory=str(tmp_path)
    )
    monkeypatch.setattr(dask_workers, "get_worker", lambda: there)
    told = "^worker tcp://there:1: bubblewrap is missing"
    with pytest.raises(Unfit, match=told):
        asyncio.run(plugin.setup(there))
    request = clean("ana"), unit.name, HandedIn(b"{}"), "key"
    with pytest.raises(Unfit, match="^worker tcp://there:1: it is not ready$"):
        dask_workers.answer(plugin.name, *request)
    plugin.work = SessionProcess(course).grade
    with pytest.raises(Unfit, match=told):
        dask_workers.answer(plugin.name, *request)


def test_a_worker_that_is_not_fit_is_sent_away_and_few_requests_are_on_their_way() -> None:
    begun, most, retired = set[int](), list[int](), list[str]()
    lock = threading.Lock()

    def result(number: int) -> int:
        with lock:
            begun.add(number)
            most.append(len(begun))
        time.sleep(0.02)
        with lock:
            begun.discard(number)
            if not retired:
                raise Unfit("tcp://there:1", "it is not ready")
        return number

    class Sent:
        def __init__(self, number: int) -> None:
            self.number = number

        def result(self, timeout: float) -> int:
            return result(self.number)

    def submit(function: Any, plugin: str, number: int, **options: Any) -> Any:
        return Sent(number)

    client: Any = SimpleNamespace(
        submit=submit, nthreads=lambda: {"here": 1, "there": 1}, retire_workers=retired.extend, cancel=lambda futures: 0
    )
    workers, found = dask_workers.Workers(client, "tcp://there:1", "plugin"), list[int]()

    def ask(number: int) -> int:
        return int(workers.ask(lambda: (number,)))

    pool.run(ask, range(12), found.append, threads=20, width=workers.capacity, stop=workers.end)
    assert max(most) == 2 * dask_workers.AHEAD
    assert set(retired) == {"tcp://there:1"} and sorted(found) == [*range(12)]


def test_a_scheduler_that_has_gone_is_told(unit: Unit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing more is asked of the client then, which has no scheduler and would raise other errors."""

    def gone(*_: object, **__: object) -> None:
        raise CommClosedError

    nobody = SimpleNamespace(
        status="closed", nthreads=lambda: {"there": 1}, register_plugin=lambda *_, **__: None, submit=gone
    )
    monkeypatch.setattr(cluster, "connected", lambda scheduler: nullcontext(nobody))
    job = Job({unit.name: unit}, submitted(unit, tmp_path, ana={}), PATIENT, True)
    with pytest.raises(GraderError, match="^the scheduler at tcp://there:1 no longer answers; what was graded is kept"):
        cluster.run(job, "tcp://there:1", lambda result: None)


# Any nbgrader course: only the cells run on the workers

READS = "import json\nwith open('kept.json') as file:\n    total = json.load(file)"
DIES = f"import ctypes\nctypes.CDLL(None).prctl(15, b'nbp-any')\nwhile True: pass\n{READS}"
EDITS = {
    "right": lambda nb: nb,
    "wrong": small.say("double", "def double(x):\n    return x"),
    "ends": small.say("double", "import os\nos._exit(0)"),
    "doomed": small.say("read", DIES),
}  # fmt: skip


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of two notebooks, of which the second needs what the first has written, and a class."""
    root = tmp_path_factory.mktemp("course")
    keep = "import json, numpy as np\nwith open('kept.json', 'w') as file:\n    json.dump(int(np.sum([1, 2])), file)"
    one = small.notebook(
        small.cell("from helper import TWO", "given", locked=True),
        small.answer("double", "def double(x):\n    return TWO * x"),
        small.check("check_double", "assert double(3) == 6"),
        small.answer("keep", keep),
    )
    two = small.notebook(small.answer("read", READS), small.check("check_read", "assert total == 3", 2))
    small.write_course(root, {"one": one, "two": two}, "c.Execute.timeout = 90\n")
    (root / "source" / "hw" / "helper.py").write_text("TWO = 2\n")
    for name, edit in EDITS.items():
        small.hand_in(root, name, edit)
    return root


@pytest.mark.weekly
def test_any_course_is_graded_on_workers_as_here_and_who_ends_them_pays_alone(
    course: Path, scheduler: str, tmp_path: Path
) -> None:
    """One whose cell ends two workers, as an out-of-memory killer would, is not graded and named. The others are."""
    here, there = (shutil.copytree(course, tmp_path / name) for name in ("here", "there"))
    shutil.rmtree(here / "submitted" / "doomed")
    wanted, killed = small.grade(here), two_killed("nbp-any", b"bwrap")
    found = {one.student: one for one in small.grade(there, scheduler=scheduler).outcomes}
    assert "several workers ended while they ran it" in found["doomed"].failed and len(killed) == 2
    for one in wanted.outcomes:
        other = found[one.student]
        assert (one.points, one.differences, one.failed) == (other.points, other.differences, other.failed)
    points = small.scores(there)
    points.pop("doomed")
    assert points == small.scores(here)
    assert points["right"] == {"check_double": 1.0, "check_read": 2.0}
    for path in (here / "autograded").rglob("*.*"):
        assert path.read_bytes() == (there / "autograded" / path.relative_to(here / "autograded")).read_bytes(), path
    nothing_is_left(scheduler)


def test_a_kernel_of_this_machine_is_refused_on_workers(
    scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = tmp_path / "jupyter" / "kernels" / "odd"
    kernel.mkdir(parents=True)
    (kernel / "kernel.json").write_text('{"argv": ["/bin/sh"], "display_name": "Odd", "language": "sh"}')
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    book = small.notebook(small.answer("a", "a = 1"), small.check("check", "assert a == 1"))
    book.metadata["kernelspec"] = {**book.metadata["kernelspec"], "name": "odd"}
    root = small.write_course(tmp_path / "course", {"one": book})
    small.hand_in(root, "ana")
    graded = small.grade(root, scheduler=scheduler)
    assert graded.outcomes == [] and graded.refused["hw"].endswith("grade it without --scheduler")


def test_a_worker_that_lacks_something_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    libraries = Libraries(Kernel("python3", "here"), Bounds(), View())
    needs = remote.Needs.of(libraries, ("numpy.linalg",), ())
    assert needs.mismatch() == "" and "numpy" in dict(needs.versions)
    for changed, told in (
        ({"versions": (("numpy", "0.1"),)}, "it has numpy .*, and the client has 0.1; install the same there"),
        ({"versions": (("no-such-package", "1"),)}, "it has no-such-package none, and the client has 1"),
        ({"grader": "other"}, "its grader or its Python has another version than the client's"),
    ):
        assert re.match(told, replace(needs, **changed).mismatch())  # type: ignore[arg-type]


def test_where_the_scheduler_has_gone_no_submission_is_to_blame(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    def gone(*_: Any) -> None:
        raise WorkersGone("the scheduler at tcp://there:1 no longer answers")

    monkeypatch.setattr(Warm, "run", gone)
    root = shutil.copytree(course, tmp_path / "course")
    monkeypatch.setattr(reference, "run", lambda *_: reference.Reference("hw", 0, 0, 0, (), ()))
    with pytest.raises(WorkersGone):
        small.grade(root)
    assert not (root / "autograded").exists()
