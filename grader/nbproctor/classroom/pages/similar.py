"""Finds notebooks that are alike, for a line to the instructor; it is never a penalty.

The same bytes are a fact. Likeness is found where answers differ in their names only: the forms that they had when
they were graded (`form`) are compared. A form counts only where it is long, where it is not the reference's, and
where few of a class have it, two to `GROUP_MOST`. Students are named only where they share at least `SHARED_LEAST`
such answers of one unit. One answer that came out alike means little, and so does one that many have found: the
course has taught them all how to write it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nbproctor.classroom.pages.items import is_empty
from nbproctor.course.units import Unit
from nbproctor.source.form import form_of
from nbproctor.values.result import Result

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


@dataclass(frozen=True)
class Alike:
    """Students of one unit whose notebooks are alike, and a sentence on how."""

    unit: str
    students: tuple[str, ...]
    text: str


def find_alike(results: Sequence[Result], units: Mapping[str, Unit]) -> list[Alike]:
    """Return the students who handed in the same file, and those whose answers are alike except for their names.

    A file in which nothing is answered is everybody's.
    """
    found: list[Alike] = []
    for name, unit in units.items():
        mine = [result for result in results if result.unit == name and not is_empty(result)]
        files: dict[str, list[str]] = defaultdict(list)
        for result in mine:
            files[result.digest].append(result.student)
        same = [them for digest, them in files.items() if digest and len(them) > 1]
        found += [Alike(name, tuple(them), "handed in the same file, byte for byte") for them in same]
        forms = [(n, e.name, e.form) for n, r in enumerate(mine) for e in r.exercises]
        references = {exercise.name: form_of(exercise.solution, exercise.name) for exercise in unit.exercises}
        told: dict[frozenset[str], Alike] = {}
        for one in alike(forms, references):
            who, others, some = ([mine[n].student for n in them] for them in ((one.who,), one.others, one.some))
            group = frozenset(who + others)
            if others and not any(group <= {*them} for them in same):
                rest = f"; some of these are also like {_named(some)}" if some else ""
                words = f"{', '.join(one.exercises)}: the same except for the names in them{rest}"
                told.setdefault(group, Alike(name, tuple(sorted(group)), words))
        found += told.values()
    return found


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
