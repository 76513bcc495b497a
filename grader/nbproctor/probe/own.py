"""Probes our own course: each change of a reference goes through the visible and the hidden check, without the sandbox.

No values are compared: the checks of this course look at gradients, shapes and inputs themselves.
"""

import math
import random
import time
from collections.abc import Callable
from pathlib import Path

from nbproctor.authoring import trial
from nbproctor.course.answers import Answer
from nbproctor.course.units import Exercise, Unit
from nbproctor.paths import ROOT
from nbproctor.probe import marks
from nbproctor.probe.changes import Change, changes
from nbproctor.probe.findings import Found, Rank, Survivor
from nbproctor.probe.probing import Wanted

AT_ONCE = 20  # changes that share a few processes
TIMES, LEAST_S = 10, 3  # how long a change may take, in terms of the reference


def path(unit: str) -> Path:
    """The file of a unit's marks."""
    return ROOT / "grader" / "answers" / unit / "probe.same"


def probe(unit: Unit, wanted: Wanted, begin: Callable[[int], None], done: Callable[[str], None]) -> Found:
    """Probe one unit. Predictions are left out: each has one right answer, with which its check compares."""
    start, found = time.monotonic(), Found(unit.name)
    chosen: dict[str, list[Change]] = {one.name: [] for one in unit.exercises if one.is_called}
    found.left_out = [f"{one.name}: a value, and no function" for one in unit.exercises if not one.is_called]
    every = [
        (one.name, change)
        for one in unit.exercises
        if one.is_called
        for change in changes(f"{unit.name}/{one.name}", one.solution)
    ]
    found.possible = len(every)
    random.Random(wanted.seed).shuffle(every)  # noqa: S311
    for name, change in every[: wanted.most]:
        chosen[name].append(change)
    begin(sum(map(len, chosen.values())))
    exercises = [one for one in unit.exercises if chosen.get(one.name)]
    for number, one in enumerate(exercises):
        left = start + wanted.seconds - time.monotonic()
        seconds = math.inf if wanted.most is not None else left / (len(exercises) - number)
        _probe(unit, one, chosen[one.name], (wanted.workers, seconds), (found, done))
    known = marks.read(path(unit.name))
    found.marked = sum(one.key in known for one in found.survivors)
    found.survivors = [one for one in found.survivors if one.key not in known]
    found.seconds = time.monotonic() - start
    return found


def _probe(
    unit: Unit, one: Exercise, some: list[Change], how: tuple[int, float], hear: tuple[Found, Callable[[str], None]]
) -> None:
    """Try changes of one exercise. how: the number of workers, and how many seconds there are."""
    (workers, seconds), (found, done) = how, hear
    start = time.monotonic()
    reference = Answer(unit.name, one.name, "right", "the reference", one.solution)
    if not _passes(trial.verdicts({unit.name: unit}, [reference], 1, 1)[0]):
        found.findings.append(f"{one.name}: the reference fails")
        return
    limit = math.ceil(max(LEAST_S, TIMES * (time.monotonic() - start)))
    for at in range(0, len(some), AT_ONCE):
        if at and time.monotonic() - start > seconds:
            break
        batch = some[at : at + AT_ONCE]
        answers = [Answer(unit.name, one.name, "wrong", change.key, change.source) for change in batch]
        for change, pairs in zip(batch, trial.verdicts({unit.name: unit}, answers, 1, workers, limit), strict=True):
            found.tried += 1
            done(one.name)
            if _passes(pairs):
                where = unit.name, one.name, one.max_points
                found.survivors.append(Survivor.of(where, change, Rank.SAME, "both checks passed"))


def _passes(pairs: trial.Pairs) -> bool:
    return all(visible.status == hidden.status == "passed" for visible, hidden in pairs)
