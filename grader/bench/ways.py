"""The ways to grade a class that the bench compares. Each gives the seconds that it took and every student's score."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from nbproctor.anycourse.settings import Course
from nbproctor.course.answers import Answer, bank, notebook_of
from nbproctor.course.units import Unit, load_unit
from nbproctor.paths import ROOT
from nbproctor.run.job import Job
from nbproctor.values.limits import Limits
from nbproctor.values.submission import Submission
from nbproctor.values.text import clean

WORKERS = 2
BIN = Path(sys.executable).parent
ENVIRONMENT = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"}
ENVIRONMENT.pop("OMP_NUM_THREADS", None)
SAMPLE_S = 0.5


@dataclass(frozen=True)
class Graded:
    """What a way came to: its seconds, start-up included, each student's score, and the seconds of each sitting."""

    seconds: float
    scores: dict[str, float]
    sittings: tuple[float, ...] = ()


def write_class(unit: Unit, students: int, folder: Path) -> None:
    """Honest students: of each answer to each exercise, about a third are wrong in one of the bank's ways."""
    dice = random.Random(1)  # noqa: S311
    answers: dict[str, dict[str, list[Answer]]] = {e.name: {"right": [], "wrong": []} for e in unit.exercises}
    for answer in bank(unit):
        if answer.kind in ("right", "wrong"):
            answers[answer.exercise][answer.kind].append(answer)
    for number in range(students):
        sources = {
            name: dice.choice(kinds["wrong" if dice.random() < 1 / 3 else "right"]).source
            for name, kinds in answers.items()
        }
        path = folder / f"student{number:04}" / unit.name / f"{unit.name}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(notebook_of(unit, sources), indent=1))


def run(*command: str, **settings: str) -> str:
    """Run a command to its end. Ends the bench where it fails."""
    done = subprocess.run(command, env={**ENVIRONMENT, **settings}, capture_output=True, text=True, cwd=ROOT / "grader")  # noqa: S603
    if done.returncode not in (0, 3):
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return done.stdout


def ours(unit: str, submitted: Path, scratch: Path, *more: str) -> Graded:
    """`nbproctor grade`, in a new classroom, whatever `more` options say."""
    folder = scratch / "ours"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(submitted, folder / "submitted")
    return again(unit, folder, *more)


def again(unit: str, classroom: Path, *more: str) -> Graded:
    """`nbproctor grade` in a classroom as it is."""
    start = time.monotonic()
    run(str(BIN / "nbproctor"), "grade", unit, "--classroom", str(classroom), "--workers", str(WORKERS), *more)
    seconds = time.monotonic() - start
    results = json.loads((classroom / "report" / "results.json").read_text())
    return Graded(seconds, scores(classroom / "gradebook.db"), tuple(result["seconds"] for result in results))


def floor(unit: str, submitted: Path) -> Graded:
    """The same cells in warm processes, no isolation, nothing recorded."""
    start = time.monotonic()
    printed = run(sys.executable, "bench/floor.py", str(submitted), unit, str(WORKERS), OMP_NUM_THREADS="1")
    found = json.loads(printed)
    return Graded(time.monotonic() - start, found["scores"], tuple(found["seconds"].values()))


def stock(unit: str, submitted: Path, scratch: Path, students: range) -> Graded:
    """`nbgrader autograde` as it comes, one process."""
    folder = _nbgrader_course(unit, submitted, scratch / "stock", students)
    start = time.monotonic()
    run(*_autograde(unit, folder))
    return Graded(time.monotonic() - start, scores(folder / "gradebook.db"))


def tuned(unit: str, submitted: Path, scratch: Path, students: range) -> Graded:
    """nbgrader as well as it goes: one thread each, kernels not asked to leave politely, two processes."""
    shares = [students[i::WORKERS] for i in range(WORKERS)]
    folders = [_nbgrader_course(unit, submitted, scratch / f"tuned{i}", share) for i, share in enumerate(shares)]
    start = time.monotonic()
    commands = [[*_autograde(unit, folder), "--Execute.shutdown_kernel=immediate"] for folder in folders]
    settings = {**ENVIRONMENT, "OMP_NUM_THREADS": "1"}
    running = [
        subprocess.Popen(c, env=settings, cwd=ROOT / "grader", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
        for c in commands
    ]
    for process in running:
        process.wait()
    points: dict[str, float] = {}
    for folder in folders:
        points |= scores(folder / "gradebook.db")
    return Graded(time.monotonic() - start, points)


def _nbgrader_course(unit: str, submitted: Path, folder: Path, students: range) -> Path:
    """A course folder of nbgrader's own with these students, the assignment generated."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "solutions" / unit, folder / "solutions" / unit)
    for student in [sorted(submitted.iterdir())[number] for number in students]:
        shutil.copytree(student, folder / "submitted" / student.name)
    run(str(BIN / "nbgrader"), "generate_assignment", unit, *_course(folder))
    return folder


def _course(folder: Path) -> list[str]:
    return [
        f"--CourseDirectory.root={folder}",
        "--CourseDirectory.submitted_directory=submitted",
        "--CourseDirectory.autograded_directory=autograded",
        f"--CourseDirectory.db_url=sqlite:///{folder}/gradebook.db",
    ]


def _autograde(unit: str, folder: Path) -> list[str]:
    return [str(BIN / "nbgrader"), "autograde", unit, *_course(folder)]


def scores(database: Path) -> dict[str, float]:
    """Each student's points in nbgrader's gradebook."""
    with sqlite3.connect(database) as connection:
        rows = connection.execute(
            "select s.student_id, sum(g.auto_score) from grade g join submitted_notebook n on g.notebook_id = n.id "
            "join submitted_assignment s on n.assignment_id = s.id group by s.student_id"
        )
        return {student: points or 0.0 for student, points in rows}


@contextmanager
def dask_cluster(workers: int) -> Iterator[str]:
    """A scheduler and so many workers on this machine, set up as the README says. Yields its address."""
    os.environ["DASK_CONFIG"] = str(ROOT / "grader" / "dask.yaml")  # read when dask is imported
    from distributed import LocalCluster

    with LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        yield cluster.scheduler_address


def rate(unit: str, submitted: Path, scheduler: str) -> float:
    """Submissions a second, from when the workers are ready to the last result."""
    from nbproctor.run import cluster

    paths = sorted(submitted.glob("*/*/*.ipynb"))
    submissions = [Submission(clean(path.parent.parent.name), unit, path) for path in paths]
    ready: list[float] = []
    moments: list[float] = []
    job = Job({unit: load_unit(unit)}, submissions, Limits(), True, check=lambda: ready.append(time.monotonic()))
    cluster.run(job, scheduler, lambda result: moments.append(time.monotonic()))
    return len(moments) / (moments[-1] - ready[0])


class Memory:
    """While it is open, samples what the workers of `nbproctor grade` have for themselves: MB for each worker.

    A worker is an examiner and the student before it; a process that reads for both counts, too. Their own pages count,
    not those that they still share with the process they were forked from.
    """

    def __init__(self) -> None:
        self.samples: list[float] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Memory:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(SAMPLE_S):
            found = _own_mb(os.getpid())
            if found:
                self.samples.append(found)

    def peak(self, first: float, last: float) -> float:
        """The largest sample between two shares of the whole time."""
        return max(self._between(first, last), default=0.0)

    def median(self, first: float, last: float) -> float:
        """The median of the samples between two shares of the whole time: the largest hangs on the moment of a sample,
        since a student's process may have 5 MB or 23."""
        return statistics.median(self._between(first, last) or [0.0])

    def _between(self, first: float, last: float) -> list[float]:
        count = len(self.samples)
        return self.samples[int(first * count) : max(int(last * count), 1)]


def _own_mb(root: int) -> float:
    """The private memory of examiners, their readers and students below `root`, for each worker."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            children.setdefault(int(fields[1]), []).append(int(path.parent.name))
    workers: list[int] = []
    for main in children.get(root, []):
        for child in children.get(main, []):
            workers += _students(child, children) if _is_sandbox(child) else [child, *children.get(child, [])]
    return sum(map(_private_mb, workers)) / WORKERS if len(workers) >= WORKERS else 0.0


def _is_sandbox(pid: int) -> bool:
    with suppress(OSError):
        return b"nbproctor.inside.zygote" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def _students(sandbox: int, children: dict[int, list[int]]) -> list[int]:
    """What the zygote, the innermost of bubblewrap's processes, has forked."""
    chain = sandbox
    while _is_bwrap(chain) and children.get(chain):
        chain = children[chain][0]
    return children.get(chain, [])


def _is_bwrap(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip() == "bwrap"
    return False


def _private_mb(pid: int) -> float:
    with suppress(OSError):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1024
    return 0.0


def course_cell(source: str, grade_id: str, **about: object) -> dict[str, object]:
    """A code cell of an nbgrader course. about: what its metadata say besides the id."""
    flags = {"grade": False, "solution": False, "locked": False, "task": False, "schema_version": 3}
    metadata = {"nbgrader": {**flags, "grade_id": grade_id, "cell_type": "code", **about}}
    return {"cell_type": "code", "metadata": metadata, "source": source, "outputs": [], "execution_count": None}


def one_notebook(folder: Path, cells: list[dict[str, object]]) -> Course:
    """A course with one assignment, `hw`, of one notebook."""
    path = folder / "source" / "hw" / "hw.ipynb"
    path.parent.mkdir(parents=True)
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 4}
    path.write_text(json.dumps(notebook))
    (folder / "nbgrader_config.py").write_text("c = get_config()\n")
    return Course(folder)
