"""Submissions and exercises: which of the student's cells answers which exercise, and what else of theirs runs.

Grading is driven by the instructor's notebook; from the submission come sources only. For each exercise the student's
cell is found by a ladder: nbgrader id, cell id (or Colab's `metadata.id`), the name it defines, similarity. Of several
candidates the last complete definition counts. Checks, demos and the setup cell are the instructor's; the student's own
cells run where they stood.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from typing import Any

from nbproctor.course import Exercise, Unit
from nbproctor.notebook import defined_names, grade_id_of, id_of, source_of, tags_of
from nbproctor.result import Note, OwnCell

ALIKE = 0.6
LIKE_MOST = 2 / ALIKE - 1  # what is longer, in stubs, cannot be so much alike


@dataclass
class Step:
    """One cell to run; `exercise` is the name of the exercise that it answers, if it does.

    `spare` says that it is a teaching cell of ours, unchanged: it runs only where an answer uses a name of its.
    `deadly` is set once it has killed the process that ran it.
    """

    source: str
    exercise: str | None = None
    spare: bool = False
    deadly: bool = False


@dataclass
class Matched:
    """What of a submission is run, in order, and what there is to say about it."""

    steps: list[Step] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    about: dict[str, list[Note]] = field(default_factory=dict)
    own_cells: list[OwnCell] = field(default_factory=list)


def match(unit: Unit, notebook: dict[str, Any]) -> Matched:  # noqa: C901
    """Decide what runs. Never raises: what cannot be found is noted, and its exercise has no answer."""
    found = Matched()
    released = {cell.get("id"): cell for cell in unit.notebook["cells"]}
    by_grade_id = {grade_id: cell for cell in unit.notebook["cells"] if (grade_id := grade_id_of(cell))}
    checks = {check.grade_id for e in unit.exercises for check in (e.check, e.hidden)}
    theirs = [cell for cell in notebook["cells"] if cell.get("cell_type") == "code" and source_of(cell).strip()]
    ours: dict[int, dict[str, Any]] = {}  # number of their cell -> the released cell it is a version of
    for number, cell in enumerate(theirs):
        original = by_grade_id.get(grade_id_of(cell) or "") or released.get(id_of(cell))
        if original is not None:
            ours[number] = original
    fixed = {n for n, cell in ours.items() if grade_id_of(cell) in checks or {"demo", "setup"} & set(tags_of(cell))}
    for number in fixed:
        if grade_id_of(ours[number]) in checks and source_of(theirs[number]).strip() != source_of(ours[number]).strip():
            found.notes.append(Note("accident", f"{grade_id_of(ours[number])} was edited; the original ran"))
    lost = sorted(checks - {grade_id_of(ours[n]) for n in fixed})
    if lost:
        found.notes.append(Note("accident", f"{', '.join(lost)}: missing from the submission; the original ran"))
    answer_of: dict[int, str] = {}
    for exercise in unit.exercises:
        answering, notes = _find(exercise, theirs, ours, fixed, set(answer_of))
        found.about[exercise.name] = notes
        if answering is not None:
            answer_of[answering] = exercise.name
            found.answers[exercise.name] = source_of(theirs[answering])
    names = {e.name for e in unit.exercises}
    own: list[str] = []
    for number, cell in enumerate(theirs):
        source, original = source_of(cell), ours.get(number)
        if "setup" in tags_of(original or {}):
            if source.strip() != source_of(original or {}).strip():
                found.steps.append(Step(source))
                found.notes.append(Note("accident", "the setup cell was edited; the original ran before it"))
        elif number in answer_of:
            found.steps.append(Step(source, answer_of[number]))
            found.own_cells += [OwnCell(answer_of[number], text) for text in own]
            own = []
        elif number in fixed or grade_id_of(original or {}) in names:
            continue  # a check, a demo, or an answer that another cell has overtaken
        else:
            spare = original is not None and source == source_of(original)
            found.steps.append(Step(source, spare=spare))
            own += [] if spare else [source]
    found.own_cells += [OwnCell("", text) for text in own]
    return found


def _find(
    exercise: Exercise, theirs: list[dict[str, Any]], ours: dict[int, dict[str, Any]], fixed: set[int], taken: set[int]
) -> tuple[int | None, list[Note]]:
    """The number of the cell that answers `exercise`, with the notes on how it was found."""
    free = [n for n in range(len(theirs)) if n not in fixed and n not in taken]
    by_id = [n for n in free if n in ours and grade_id_of(ours[n]) == exercise.name]
    added = [n for n in free if n not in ours and exercise.name in defined_names(source_of(theirs[n]))]
    candidates = by_id + added
    complete = [n for n in candidates if _is_complete(exercise, source_of(theirs[n]))]
    if complete or candidates:
        number = max(complete or candidates)
        notes = []
        if number not in by_id:
            notes.append(Note("accident", f"{exercise.name}: found in another cell, by the name that it defines"))
        if len(complete) > 1:
            notes.append(Note("accident", f"{exercise.name}: {len(complete)} answers; the last one was graded"))
        return number, notes
    near = {
        n: difflib.SequenceMatcher(None, exercise.stub, source_of(theirs[n])).ratio()
        for n in free
        if n not in ours and len(source_of(theirs[n])) < LIKE_MOST * len(exercise.stub)
    }
    best = max(near, key=near.__getitem__, default=None)
    if best is not None and near[best] >= ALIKE:
        return best, [Note("accident", f"{exercise.name}: found by likeness to the stub ({near[best]:.0%})")]
    return None, [Note("accident", f"{exercise.name}: no cell answers it")]


def _is_complete(exercise: Exercise, source: str) -> bool:
    return exercise.name in defined_names(source) and source.strip() != exercise.stub.strip()
