"""A class of 100, graded by us, by stock nbgrader, by nbgrader tuned, and by the floor, in one run; prints the table.

The slow competitors grade the first PART students, and their time is given for each submission. Every way must give
the same scores, or the run stops: a fast wrong answer is no answer.

    make bench
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from nbproctor.answers import Answer, bank, notebook_of
from nbproctor.course import ROOT, Unit, load_unit

UNIT = "03_self_attention"
CLASS, PART, WORKERS, ROUNDS = 100, 12, 2, 3
BIN = Path(sys.executable).parent
ENVIRONMENT = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"}
ENVIRONMENT.pop("OMP_NUM_THREADS", None)


def write_class(unit: Unit, folder: Path) -> None:
    """100 honest students: of each answer to each exercise, about a third are wrong in one of the bank's ways."""
    dice = random.Random(1)  # noqa: S311
    answers: dict[str, dict[str, list[Answer]]] = {e.name: {"right": [], "wrong": []} for e in unit.exercises}
    for answer in bank(unit):
        if answer.kind in ("right", "wrong"):
            answers[answer.exercise][answer.kind].append(answer)
    for number in range(CLASS):
        sources = {
            name: dice.choice(kinds["wrong" if dice.random() < 1 / 3 else "right"]).source
            for name, kinds in answers.items()
        }
        path = folder / f"student{number:03}" / UNIT / f"{UNIT}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(notebook_of(unit, sources), indent=1))


def run(*command: str, **settings: str) -> str:
    done = subprocess.run(command, env={**ENVIRONMENT, **settings}, capture_output=True, text=True, cwd=ROOT / "grader")  # noqa: S603
    if done.returncode not in (0, 3):
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return done.stdout


def ours(submitted: Path, scratch: Path) -> tuple[float, dict[str, float]]:
    folder = scratch / "ours"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(submitted, folder / "submitted")
    start = time.monotonic()
    run(str(BIN / "nbproctor"), "grade", UNIT, "--classroom", str(folder), "--workers", str(WORKERS))
    seconds = time.monotonic() - start
    return seconds, scores(folder / "gradebook.db")


def floor(submitted: Path, scratch: Path) -> tuple[float, dict[str, float]]:
    start = time.monotonic()
    printed = run(sys.executable, "bench/floor.py", str(submitted), UNIT, str(WORKERS), OMP_NUM_THREADS="1")
    return time.monotonic() - start, json.loads(printed)


def stock(submitted: Path, scratch: Path) -> tuple[float, dict[str, float]]:
    """`nbgrader autograde` as it comes, one process."""
    folder = _nbgrader_course(submitted, scratch / "stock", 0, 1)
    start = time.monotonic()
    run(*_autograde(folder))
    return time.monotonic() - start, scores(folder / "gradebook.db")


def tuned(submitted: Path, scratch: Path) -> tuple[float, dict[str, float]]:
    """nbgrader as well as it goes: one thread each, kernels not asked to leave politely, two processes."""
    folders = [_nbgrader_course(submitted, scratch / f"tuned{i}", i, WORKERS) for i in range(WORKERS)]
    start = time.monotonic()
    commands = [[*_autograde(folder), "--Execute.shutdown_kernel=immediate"] for folder in folders]
    settings = {**ENVIRONMENT, "OMP_NUM_THREADS": "1"}
    running = [
        subprocess.Popen(c, env=settings, cwd=ROOT / "grader", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
        for c in commands
    ]
    for process in running:
        process.wait()
    seconds = time.monotonic() - start
    points: dict[str, float] = {}
    for folder in folders:
        points |= scores(folder / "gradebook.db")
    return seconds, points


def _nbgrader_course(submitted: Path, folder: Path, first: int, step: int) -> Path:
    """A course folder of nbgrader's own with its share of the first PART students, the assignment generated."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "solutions" / UNIT, folder / "solutions" / UNIT)
    for student in sorted(submitted.iterdir())[:PART][first::step]:
        shutil.copytree(student, folder / "submitted" / student.name)
    run(str(BIN / "nbgrader"), "generate_assignment", UNIT, *_course(folder))
    return folder


def _course(folder: Path) -> list[str]:
    return [
        f"--CourseDirectory.root={folder}",
        "--CourseDirectory.submitted_directory=submitted",
        "--CourseDirectory.autograded_directory=autograded",
        f"--CourseDirectory.db_url=sqlite:///{folder}/gradebook.db",
    ]


def _autograde(folder: Path) -> list[str]:
    return [str(BIN / "nbgrader"), "autograde", UNIT, *_course(folder)]


def scores(database: Path) -> dict[str, float]:
    """Each student's points in nbgrader's gradebook."""
    with sqlite3.connect(database) as connection:
        rows = connection.execute(
            "select s.student_id, sum(g.auto_score) from grade g join submitted_notebook n on g.notebook_id = n.id "
            "join submitted_assignment s on n.assignment_id = s.id group by s.student_id"
        )
        return {student: points or 0.0 for student, points in rows}


def main() -> None:
    unit = load_unit(UNIT)
    seconds: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        write_class(unit, scratch / "submitted")
        expected: dict[str, float] = {}
        for round_ in range(ROUNDS):
            for way in (ours, floor, tuned, stock):
                if way in (tuned, stock) and round_:
                    continue  # minutes each, and far off
                took, points = way(scratch / "submitted", scratch)
                seconds.setdefault(way.__name__, []).append(took / len(points))
                expected = expected or points
                differ = {s: (p, expected[s]) for s, p in points.items() if p != expected[s]}
                if differ:
                    raise SystemExit(f"{way.__name__} gives other scores than ours: {differ}")
                print(f"{way.__name__}: {len(points)} submissions in {took:.1f} s, scores equal", file=sys.stderr)
    best = {way: min(times) for way, times in seconds.items()}
    print("| way | submissions | s each | against ours |\n|---|---|---|---|")
    for way, each in best.items():
        count = PART if way in ("stock", "tuned") else CLASS
        print(f"| {way} | {count} | {each:.3f} | {each / best['ours']:.2f} × |")


if __name__ == "__main__":
    main()
