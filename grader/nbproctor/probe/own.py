"""Probes our own course: the changes of each reference go through its visible and its hidden check, as natively tried.

No value is noted: the checks of this course look at gradients, shapes and inputs themselves, and say what they saw.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

from nbproctor.authoring import trial
from nbproctor.course.answers import Answer
from nbproctor.course.units import Unit
from nbproctor.paths import ROOT
from nbproctor.probe import marks
from nbproctor.probe.changes import Change, changes
from nbproctor.probe.findings import Found, Rank, Survivor
from nbproctor.probe.probing import Wanted

AT_ONCE = 40  # changes that share a few processes


def path(unit: str) -> Path:
    """The file of a unit's marks."""
    return ROOT / "grader" / "answers" / unit / "probe.same"


def probe(unit: Unit, wanted: Wanted, begin: Callable[[int], None], done: Callable[[], None]) -> Found:
    """Probe one unit. Predictions are left out: each has one right answer, which its check compares."""
    start, found = time.monotonic(), Found(unit.name, exercises=len(unit.exercises))
    every: list[tuple[str, Change]] = []
    for one in unit.exercises:
        if not one.is_called:
            found.left_out.append(f"{one.name}: a value, and no function")
            continue
        every += [(one.name, change) for change in changes(f"{unit.name}/{one.name}", one.solution)]
    found.possible = len(every)
    random.Random(wanted.seed).shuffle(every)  # noqa: S311
    every = every[: wanted.most]
    begin(len(every))
    points, known = {one.name: one.max_points for one in unit.exercises}, marks.read_file(path(unit.name))
    for at in range(0, len(every), AT_ONCE):
        if wanted.most is None and time.monotonic() - start > wanted.seconds:
            break
        some = every[at : at + AT_ONCE]
        answers = [Answer(unit.name, name, "wrong", change.key, change.source) for name, change in some]
        for (name, change), pairs in zip(
            some, trial.verdicts({unit.name: unit}, answers, 1, wanted.workers), strict=True
        ):
            found.tried += 1
            done()
            if all(visible.status == hidden.status == "passed" for visible, hidden in pairs):
                if change.key in known:
                    found.marked += 1
                    continue
                found.survivors.append(
                    Survivor(
                        unit.name,
                        name,
                        points[name],
                        change.key,
                        change.words,
                        change.line,
                        change.old,
                        change.new,
                        Rank.SAME,
                        "both checks passed",
                    )  # fmt: skip
                )
    found.survivors.sort(key=lambda one: (one.exercise, one.line, one.key))
    found.seconds = time.monotonic() - start
    return found
