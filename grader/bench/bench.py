"""What grading costs, by us and by others, as ratios from one interleaved run; the last lines are one JSON a row.

    make bench                                  all sections, 20 minutes on a quiet machine
    python bench/bench.py class units           some sections: class, nbgrader, cluster, units, edited, scale

Every way must give the same scores, or the bench stops: a fast wrong answer is no answer.
"""

from __future__ import annotations

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
        Row("floor", UNIT, FEW, min(theirs), "ours takes", ratio, "≤ 2 ×", ratio <= 2),
        Row("rerun, nothing changed", UNIT, FEW, min(reruns) / FEW, "", None, "≤ 5 s", min(reruns) <= 5,
            f"{min(reruns):.1f} s in all"),
        Row("memory of a worker beyond the zygote", UNIT, FEW, None, "", None, "≤ 150 MB", peak <= 150,
            f"{peak:.0f} MB at most"),
    ]  # fmt: skip


def against_nbgrader() -> list[Row]:
    """What one more student costs each way: ours of a class of 100, nbgrader's from a few; in turns."""
    found: dict[str, list[float]] = {"stock": [], "tuned": []}
    mine = []
    with a_class(UNIT, FEW) as (scratch, submitted):
        graded = ways.ours(UNIT, submitted, scratch)
        mine.append(graded.seconds / FEW)
        for name, way in (("stock", ways.stock), ("tuned", ways.tuned)):
            few = way(UNIT, submitted, scratch, range(SLOW_FROM))
            more = way(UNIT, submitted, scratch, range(SLOW_TO))
            equal(name, more.scores, graded.scores)
            found[name].append((more.seconds - few.seconds) / (SLOW_TO - SLOW_FROM))
            mine.append(ways.ours(UNIT, submitted, scratch).seconds / FEW)
            say(f"{name} {found[name][-1]:.2f} s each, ours {mine[-2]:.3f} before and {mine[-1]:.3f} after")
    stock, tuned = found["stock"][0], found["tuned"][0]
    over_stock, over_tuned = stock / statistics.fmean(mine[:2]), tuned / statistics.fmean(mine[1:])
    note = "start-up left out; ours with it"
    return [
        Row("nbgrader autograde", UNIT, SLOW_TO, stock, "over ours", over_stock, "≥ 50 ×", over_stock >= 50, note),
        Row("nbgrader tuned", UNIT, SLOW_TO, tuned, "over ours", over_tuned, "≥ 18 ×", over_tuned >= 18, note),
    ]


def of_many() -> list[Row]:
    """A thousand: what each costs against a class of 100, and whether memory stays where it is."""
    with a_class(UNIT, MANY) as (scratch, submitted), ways.Memory() as memory:
        many = ways.ours(UNIT, submitted, scratch)
    with a_class(UNIT, FEW) as (scratch, submitted):
        few = ways.ours(UNIT, submitted, scratch)
    equal("a thousand", {s: p for s, p in many.scores.items() if s in few.scores}, few.scores)
    say(f"{MANY}: {many.seconds / MANY:.3f} s each, {FEW}: {few.seconds / FEW:.3f}")
    first, last = memory.peak(0, 0.1), memory.peak(0.9, 1)
    ratio = (many.seconds / MANY) / (few.seconds / FEW)
    flat = last <= 1.1 * first
    return [
        Row("ours", UNIT, MANY, many.seconds / MANY, f"of a class of {FEW}", ratio, "≤ 1.1 ×", ratio <= 1.1),
        Row("memory of a worker beyond the zygote", UNIT, MANY, None, "", last / first, "flat, ≤ 150 MB",
            flat and last <= 150, f"{first:.0f} MB in the first tenth, {last:.0f} MB in the last"),
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
    return [Row("two dask workers", UNIT, students, each, "faster than one", ratio, "≥ 1.8 ×", ratio >= 1.8)]


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


def of_edited_demos() -> list[Row]:
    """Students who played with every demonstration, against students who did not; start-up left out, in turns."""
    rows = []
    for unit in (UNIT, "06_masking", "08_decoder_only"):
        given, edited = [], []
        with a_class(unit, STUDENTS) as (scratch, submitted):
            for _ in range(ROUNDS):
                as_given = ways.ours(unit, submitted, scratch)
                played_with = ways.edit_demos(unit, submitted, scratch / "edited")
                graded = ways.ours(unit, played_with, scratch)
                equal("a class that edits", graded.scores, as_given.scores)
                given.append(statistics.median(as_given.sittings))
                edited.append(statistics.median(graded.sittings))
        ratio = statistics.median(e / g for e, g in zip(edited, given, strict=True))
        rows.append(Row("ours, every demo edited", unit, STUDENTS, min(edited), "of one unedited", ratio))
        say(f"{unit}: {min(edited):.3f} s with every demo edited, {min(given):.3f} s without")
    return rows


SECTIONS: dict[str, Callable[[], list[Row]]] = {
    "class": of_a_class, "nbgrader": against_nbgrader, "cluster": of_two_workers, "units": of_units,
    "edited": of_edited_demos, "scale": of_many,
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
