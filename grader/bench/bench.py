"""What grading costs, by us and by others, as ratios from one interleaved run; the last lines are one JSON a row.

    make bench                                  all sections, 20 minutes on a quiet machine
    python bench/bench.py class units           some sections: class, nbgrader, scale, cluster, units, probe

Every way must give the same scores, or the bench stops: a fast wrong answer is no answer.
"""

import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import ways

from nbproctor.course.units import load_unit
from nbproctor.probe.probing import Wanted, probe

UNIT = "03_self_attention"
FEW, SOME, MANY = 100, 300, 1_000
ROUNDS = 3
STUDENTS = 8  # of each unit, where the units are compared
SLOW_FROM, SLOW_TO = 2, 6  # students of the slow ways: what one more costs is the difference, start-up left out


@dataclass(frozen=True)
class Row:
    """A measured figure. `ratio` is against what `against` names; `reached` says whether it meets the aim."""

    way: str
    unit: str
    submissions: int
    seconds_each: float | None = None
    against: str = ""
    ratio: float | None = None
    aim: str = ""
    reached: bool | None = None
    note: str = ""


def say(text: str) -> None:
    print(f"[load {os.getloadavg()[0]:.0f}] {text}", file=sys.stderr, flush=True)


def equal(name: str, scores: dict[str, float], expected: dict[str, float]) -> None:
    """Ends the bench where a way gives other scores."""
    differ = {student: (points, expected[student]) for student, points in scores.items() if points != expected[student]}
    if differ:
        raise SystemExit(f"{name} gives other scores than ours: {differ}")


@contextmanager
def a_class(unit: str, students: int) -> Iterator[tuple[Path, Path]]:
    """A scratch folder, and a class in it."""
    with tempfile.TemporaryDirectory() as name:
        ways.write_class(load_unit(unit), students, Path(name) / "submitted")
        yield Path(name), Path(name) / "submitted"


def of_a_class() -> list[Row]:
    """A class of 100 against the floor, in turns; then the same again with nothing changed."""
    mine, theirs, reruns, peaks = [], [], [], []
    with a_class(UNIT, FEW) as (scratch, submitted):
        for _ in range(ROUNDS):
            with ways.Memory() as memory:  # of ours alone: the floor has workers, too
                graded = ways.ours(UNIT, submitted, scratch)
            peaks.append(memory.peak(0, 1))
            least = ways.floor(UNIT, submitted)
            equal("the floor", least.scores, graded.scores)
            once_more = ways.again(UNIT, scratch / "ours")
            equal("the rerun", once_more.scores, graded.scores)
            mine.append(graded.seconds / FEW)
            theirs.append(least.seconds / FEW)
            reruns.append(once_more.seconds)
            say(f"ours {mine[-1]:.3f} s each, floor {theirs[-1]:.3f}, rerun {reruns[-1]:.1f} s")
    ratio = statistics.median(a / b for a, b in zip(mine, theirs, strict=True))
    peak = max(peaks)
    return [
        Row("ours", UNIT, FEW, min(mine)),
        Row("floor", UNIT, FEW, min(theirs), "ours takes", ratio, "≤ 2.5 ×", ratio <= 2.5),
        Row("rerun, nothing changed", UNIT, FEW, min(reruns) / FEW, "", None, "≤ 5 s", min(reruns) <= 5,
            f"{min(reruns):.1f} s in all"),
        Row("memory of a worker beyond the zygote", UNIT, FEW, None, "", None, "≤ 150 MB", peak <= 150,
            f"{peak:.0f} MB at most"),
    ]  # fmt: skip


def one_more(name: str, submitted: Path, scratch: Path, expected: dict[str, float]) -> float:
    """What one more student costs nbgrader, in seconds, its start-up left out."""
    way = {"stock": ways.stock, "tuned": ways.tuned}[name]
    few = way(UNIT, submitted, scratch, range(SLOW_FROM))
    more = way(UNIT, submitted, scratch, range(SLOW_TO))
    equal(name, more.scores, expected)
    return (more.seconds - few.seconds) / (SLOW_TO - SLOW_FROM)


def against_nbgrader() -> list[Row]:
    """What one more student costs each way: ours of a class of 100, nbgrader's from a few; in turns."""
    rows = []
    with a_class(UNIT, FEW) as (scratch, submitted):
        for name, aim in (("stock", 25), ("tuned", 15)):
            before = ways.ours(UNIT, submitted, scratch)
            theirs = one_more(name, submitted, scratch, before.scores)
            after = ways.ours(UNIT, submitted, scratch)
            ratio = theirs / ((before.seconds + after.seconds) / 2 / FEW)
            say(f"{name} {theirs:.2f} s each, ours {before.seconds / FEW:.3f} before, {after.seconds / FEW:.3f} after")
            rows.append(
                Row(f"nbgrader, {name}", UNIT, SLOW_TO, theirs, "over ours", ratio, f"≥ {aim} ×", ratio >= aim,
                    "start-up left out; ours with it")
            )  # fmt: skip
    return rows


def of_many() -> list[Row]:
    """A thousand: against nbgrader and against a class of 100, and whether memory stays where it is."""
    with a_class(UNIT, MANY) as (scratch, submitted), ways.Memory() as memory:
        many = ways.ours(UNIT, submitted, scratch)
    with a_class(UNIT, FEW) as (scratch, submitted):
        few = ways.ours(UNIT, submitted, scratch)
        theirs = one_more("stock", submitted, scratch, few.scores)
    equal("a thousand", {s: p for s, p in many.scores.items() if s in few.scores}, few.scores)
    each, over = many.seconds / MANY, theirs / (many.seconds / MANY)
    say(f"{MANY}: {each:.3f} s each, {FEW}: {few.seconds / FEW:.3f}, nbgrader {theirs:.2f}")
    first, last, peak = memory.median(0.1, 0.2), memory.median(0.9, 1), memory.peak(0, 1)
    flat = last <= 1.1 * first
    return [
        Row("ours", UNIT, MANY, each, f"of a class of {FEW}", each / (few.seconds / FEW)),
        Row("nbgrader, stock", UNIT, MANY, theirs, "over ours", over, "≥ 40 ×", over >= 40),
        Row("memory of a worker beyond the zygote", UNIT, MANY, None, "", last / first, "flat, ≤ 150 MB",
            flat and peak <= 150, f"{first:.0f} MB in the second tenth, {last:.0f} in the last, {peak:.0f} at most"),
    ]  # fmt: skip


def of_two_workers() -> list[Row]:
    """Two dask workers against one, from when they are ready to the last result, in turns."""
    students = SOME
    rates: dict[int, list[float]] = {1: [], 2: []}
    with a_class(UNIT, students) as (_, submitted):
        for _ in range(2):
            for workers in (1, 2):
                with ways.dask_cluster(workers) as address:
                    rates[workers].append(ways.rate(UNIT, submitted, address))
                    say(f"{workers} dask workers: {rates[workers][-1]:.2f} submissions a second")
    ratio = statistics.median(two / one for one, two in zip(rates[1], rates[2], strict=True))
    each = 1 / max(rates[2])
    return [Row("two dask workers", UNIT, students, each, "faster than one", ratio, "≥ 1.7 ×", ratio >= 1.7)]


def of_units() -> list[Row]:
    """The long units: one sitting of each against one of unit 03, and against its own floor; start-up left out."""
    rows: list[Row] = []
    base = 0.0
    for unit in (UNIT, "07_transformer_block", "08_decoder_only", "09_encoders_and_translation"):
        with a_class(unit, STUDENTS) as (scratch, submitted):
            graded = ways.ours(unit, submitted, scratch)
            least = ways.floor(unit, submitted)
        equal("the floor", least.scores, graded.scores)
        mine, theirs = statistics.median(graded.sittings), statistics.median(least.sittings)
        base = base or mine
        rows.append(Row("ours, a sitting", unit, STUDENTS, mine, f"of a sitting of {UNIT}", mine / base))
        rows.append(Row("ours, a sitting", unit, STUDENTS, mine, "of the floor's", mine / theirs))
        say(f"{unit}: ours {mine:.3f} s, floor {theirs:.3f} s")
    return rows


def of_the_probe() -> list[Row]:
    """Changes tried in a second, on one core, in a course whose tests take no time; start-up left out."""
    functions = {
        "mean": ("def mean(x):\n    return sum(x) / len(x)", "assert mean([1, 2, 6]) == 3"),
        "evens": ("def evens(n):\n    return [k for k in range(n) if k % 2 == 0]", "assert evens(5) == [0, 2, 4]"),
        "scaled": (
            "def scaled(x):\n    return x / x.sum(axis=1, keepdims=True)",
            "assert scaled(np.eye(2))[0, 0] == 1",
        ),
    }
    cells = [ways.course_cell("import numpy as np", "setup", locked=True)]
    for name, (solution, test) in functions.items():
        marked = f"### BEGIN SOLUTION\n{solution}\n### END SOLUTION"
        cells.append(ways.course_cell(marked, name, solution=True))
        cells.append(ways.course_cell(test, f"{name}_test", grade=True, locked=True, points=1))
    begun: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        course = ways.one_notebook(Path(folder), cells)
        found = probe(course, "hw", Wanted(most=1_000), lambda _: begun.append(time.monotonic()), lambda _: None)
    each = (time.monotonic() - begun[0]) / found.tried
    say(f"probe: {found.tried} changes, {1 / each:.1f} a second")
    return [
        Row("the probe, a change", "a course of numpy", found.tried, each, aim="≥ 10 a second", reached=each <= 0.1)
    ]


SECTIONS: dict[str, Callable[[], list[Row]]] = {
    "class": of_a_class, "nbgrader": against_nbgrader, "scale": of_many, "cluster": of_two_workers, "units": of_units,
    "probe": of_the_probe,
}  # fmt: skip


def main() -> None:
    start = time.monotonic()
    rows = [row for name in sys.argv[1:] or SECTIONS for row in SECTIONS[name]()]
    say(f"{time.monotonic() - start:.0f} s, on {os.cpu_count()} cores")
    for row in rows:
        print(json.dumps({key: _short(value) for key, value in asdict(row).items() if value not in ("", None)}))


def _short(value: object) -> object:
    return float(f"{value:.3g}") if isinstance(value, float) else value


if __name__ == "__main__":
    main()
