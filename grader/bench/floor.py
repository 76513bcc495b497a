"""The floor: the same cells in one warm process, no isolation, nothing recorded. Prints scores and seconds as JSON.

python grader/bench/floor.py SUBMITTED UNIT WORKERS
"""

import atexit
import gc
import io
import json
import multiprocessing
import sys
import time
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Any

import matplotlib
import torch

matplotlib.use("agg")

from nbproctor.course.units import Unit, load_unit  # noqa: E402 after the backend
from nbproctor.source.match import Step, plan  # noqa: E402
from nbproctor.values.notebook import parsed  # noqa: E402


def score(unit: Unit, path: Path) -> float:
    """Run the setup cell, their cells and our checks in one namespace each, as a bare loop would."""
    points = 0.0
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(unit.setup, names)  # noqa: S102
    names |= {"draw_difference": lambda yours, expected: None, "print": lambda *_: None}
    for item in plan(unit, parsed(path.read_bytes())).agenda:
        if isinstance(item, Step):
            if item.needed:
                with suppress(Exception):  # its checks find out
                    exec(item.source, names)  # noqa: S102
            continue
        exercise = next(exercise for exercise in unit.exercises if exercise.name == item.exercise)
        check = exercise.hidden if item.hidden else exercise.check
        try:
            exec(check.source, dict(names))  # noqa: S102
            points += check.points
        except Exception:  # noqa: BLE001, S110 no points
            pass
    return points


def work(job: tuple[Unit, list[Path]]) -> dict[str, tuple[float, float]]:
    """Each student's score and seconds."""
    torch.set_num_threads(1)
    found = {}
    for path in job[1]:
        start = time.monotonic()
        with redirect_stdout(io.StringIO()):
            points = score(job[0], path)
        found[path.parent.parent.name] = points, time.monotonic() - start
    return found


def main() -> None:
    atexit.register(gc.freeze)  # as ours does: it is a second of each
    folder, name, workers = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    unit, paths = load_unit(name), sorted(folder.glob(f"*/{name}/{name}.ipynb"))
    with multiprocessing.get_context("fork").Pool(workers) as pool:
        parts = pool.map(work, [(unit, paths[i::workers]) for i in range(workers)])
    both = {student: pair for part in parts for student, pair in part.items()}
    print(json.dumps({key: {s: pair[n] for s, pair in both.items()} for n, key in enumerate(("scores", "seconds"))}))


if __name__ == "__main__":
    main()
