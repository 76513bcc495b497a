"""Answers that are alike but for their names: a note for the instructor, never a penalty, and never on short answers.

Compared are the forms that answers had when they were graded (`form`). A form tells only where exactly two of a class
have it, where it is long, and where it is not the reference's; and two students are told of only where they share at
least `SHARED_LEAST` such answers of one unit. One answer that came out alike is no news: the course has taught both how
to write it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from nbproctor.course import Unit
from nbproctor.form import form_of
from nbproctor.result import Result
from nbproctor.text import line

SHARED_LEAST = 2


def with_likeness(results: Sequence[Result], units: Mapping[str, Unit]) -> list[Result]:
    """The results, with a note for the instructor on those whose answers are alike."""
    told = list(results)
    for name, unit in units.items():
        forms = [(n, e.name, e.form) for n, r in enumerate(results) if r.unit == name for e in r.exercises]
        references = {exercise.name: form_of(exercise.solution, exercise.name) for exercise in unit.exercises}
        for one, other, exercises in alike(forms, references):
            for this, that in ((one, other), (other, one)):
                words = f"{', '.join(exercises)}: as {results[that].student}'s but for names, and as nobody else's"
                told[this] = told[this].with_note("info", line(words))
    return told


def alike(forms: Sequence[tuple[int, str, str]], references: Mapping[str, str]) -> list[tuple[int, int, list[str]]]:
    """(one, other, exercises) for two who share forms that nobody else has, nor the reference; forms are
    (who, exercise, form).
    """
    owners: dict[tuple[str, str], list[int]] = defaultdict(list)
    for who, exercise, form in forms:
        if form and form != references[exercise]:
            owners[exercise, form].append(who)
    shared: dict[tuple[int, int], list[str]] = defaultdict(list)
    for (exercise, _), them in owners.items():
        if len(them) == 2:
            shared[them[0], them[1]].append(exercise)
    return [(*pair, exercises) for pair, exercises in shared.items() if len(exercises) >= SHARED_LEAST]
