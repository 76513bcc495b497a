"""Finds answers that are alike except for their names, for a note to the instructor; it is never a penalty.

It compares the forms that answers had when they were graded (`form`). A form counts only where it is long, where it is
not the reference's, and where few of a class have it, two to `GROUP_MOST`. Students are named only where they share at
least `SHARED_LEAST` such answers of one unit. One answer that came out alike means little, and so does one that many
have found: the course has taught them all how to write it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nbproctor.course import Unit
from nbproctor.form import form_of
from nbproctor.result import Result
from nbproctor.text import line

SHARED_LEAST = 2
GROUP_MOST = 4  # students with one form; a larger group has more likely been taught it than copied it


@dataclass(frozen=True)
class Likeness:
    """A student whose answers to these exercises have the same forms as the answers of each of the others.

    who, others: numbers that stand for students. some: students with the same forms in some of these exercises, but not
    in all.
    """

    who: int
    others: tuple[int, ...]
    exercises: tuple[str, ...]
    some: tuple[int, ...] = ()


def with_likeness(results: Sequence[Result], units: Mapping[str, Unit]) -> list[Result]:
    """The results, with a note for the instructor on each whose answers are like another student's."""
    told = list(results)
    for name, unit in units.items():
        forms = [(n, e.name, e.form) for n, r in enumerate(results) if r.unit == name for e in r.exercises]
        references = {exercise.name: form_of(exercise.solution, exercise.name) for exercise in unit.exercises}
        for one in alike(forms, references):
            others, some = (_named([results[n].student for n in them]) for them in (one.others, one.some))
            rest = f"some of these are also like {some}" if some else "like nobody else's"
            words = line(f"{', '.join(one.exercises)}: like {others} except for the names in them, and {rest}")
            told[one.who] = told[one.who].with_note("info", words)
    return told


def _named(students: Sequence[str]) -> str:
    return " and ".join(f"{student}'s" for student in students)


def alike(forms: Sequence[tuple[int, str, str]], references: Mapping[str, str]) -> list[Likeness]:
    """Find the students who share forms that few others have and that are not the reference's.

    forms: (number of the student, exercise, form). references: the form of each exercise's reference. Exercises without
    one, which are those of an older edition of the unit, are not compared.
    """
    owners: dict[tuple[str, str], list[int]] = defaultdict(list)
    for who, exercise, form in forms:
        if form and exercise in references and form != references[exercise]:
            owners[exercise, form].append(who)
    few = {key: them for key, them in owners.items() if 2 <= len(them) <= GROUP_MOST}
    shared: dict[tuple[int, int], list[str]] = defaultdict(list)
    for (exercise, _), them in few.items():
        for who in them:
            for other in them:
                if who != other:
                    shared[who, other].append(exercise)
    together = {(who, tuple(names)) for (who, _), names in shared.items() if len(names) >= SHARED_LEAST}
    found = []
    for who, names in sorted(together):
        others = {other for (one, other), theirs in shared.items() if one == who and set(names) <= set(theirs)}
        beside = {n for (name, _), them in few.items() if name in names and who in them for n in them}
        found.append(Likeness(who, tuple(sorted(others)), names, tuple(sorted(beside - others - {who}))))
    return found
