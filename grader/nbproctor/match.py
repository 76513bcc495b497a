"""Submissions and exercises: which of the student's cells answers which exercise, and what else of theirs runs.

Grading is driven by the instructor's notebook; from the submission come sources only. For each exercise the student's
cell is found by a ladder: nbgrader id, cell id (or Colab's `metadata.id`), the name it defines, similarity. Of several
candidates the last complete definition counts. Checks, demos and the setup cell are the instructor's; the student's own
cells run where they stood.
"""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbproctor.course import Exercise, Unit, defined_names, grade_id_of, source_of, tags_of

NOTEBOOK_MOST_BYTES = 32 << 20
CELLS_MOST = 2_000
ALIKE = 0.6
LIKE_MOST = 2 / ALIKE - 1  # what is longer, in stubs, cannot be so much alike


class Ungradable(Exception):
    """A submission that holds no notebook we can read; the message is the reason, in one line."""


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
    notes: list[dict[str, str]] = field(default_factory=list)
    about: dict[str, list[dict[str, str]]] = field(default_factory=dict)


def read_notebook(path: Path) -> dict[str, Any]:
    """The notebook at `path`. Raises Ungradable with what came instead."""
    if not path.is_file() or path.is_symlink():
        raise Ungradable(f"{path.name} is not a file" if path.exists() else f"{path.name} is missing")
    if path.stat().st_size > NOTEBOOK_MOST_BYTES:
        raise Ungradable(f"{path.name} has {path.stat().st_size >> 20} MB, more than {NOTEBOOK_MOST_BYTES >> 20}")
    raw = path.read_bytes()
    if not raw.strip():
        raise Ungradable(f"{path.name} is empty")
    try:
        notebook = json.loads(raw)
        if b"\\ud" in raw.lower():  # half a character, which no file of ours could hold
            notebook = json.loads(json.dumps(notebook, ensure_ascii=False).encode(errors="replace"))
    except (ValueError, RecursionError) as error:
        kind = "a PDF" if raw[:5] == b"%PDF-" else "a web page" if raw.lstrip()[:1] == b"<" else "not JSON"
        raise Ungradable(f"{path.name} is no notebook: {kind} ({str(error)[:80]})") from error
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list) or not all(_is_cell(cell) for cell in cells):
        raise Ungradable(f"{path.name} is JSON but no notebook of format 4: it has no list of cells")
    if len(cells) > CELLS_MOST:
        raise Ungradable(f"{path.name} has {len(cells)} cells, more than {CELLS_MOST}")
    return notebook  # type: ignore[no-any-return]


def _is_cell(cell: Any) -> bool:
    if not isinstance(cell, dict) or not isinstance(cell.get("metadata", {}), dict):
        return False
    source, meta = cell.get("source", ""), cell.get("metadata", {})
    return (
        (isinstance(source, str) or (isinstance(source, list) and all(isinstance(line, str) for line in source)))
        and isinstance(meta.get("nbgrader", {}), dict)
        and isinstance(meta.get("tags", []), list)
    )


def match(unit: Unit, notebook: dict[str, Any]) -> Matched:
    """Decide what runs. Never raises: what cannot be found is noted, and its exercise has no answer."""
    found = Matched()
    released = {cell.get("id"): cell for cell in unit.notebook["cells"]}
    by_grade_id = {grade_id: cell for cell in unit.notebook["cells"] if (grade_id := grade_id_of(cell))}
    checks = {check.grade_id for e in unit.exercises for check in (e.check, e.hidden)}
    theirs = [cell for cell in notebook["cells"] if cell.get("cell_type") == "code" and source_of(cell).strip()]
    ours: dict[int, dict[str, Any]] = {}  # number of their cell -> the released cell it is a version of
    for number, cell in enumerate(theirs):
        original = by_grade_id.get(grade_id_of(cell) or "") or released.get(_id_of(cell))
        if original is not None:
            ours[number] = original
    fixed = {n for n, cell in ours.items() if grade_id_of(cell) in checks or {"demo", "setup"} & set(tags_of(cell))}
    for number in fixed:
        if grade_id_of(ours[number]) in checks and source_of(theirs[number]).strip() != source_of(ours[number]).strip():
            found.notes.append(_note("accident", f"{grade_id_of(ours[number])} was edited; the original ran"))
    lost = sorted(checks - {grade_id_of(ours[n]) for n in fixed})
    if lost:
        found.notes.append(_note("accident", f"{', '.join(lost)}: missing from the submission; the original ran"))
    answer_of: dict[int, str] = {}
    for exercise in unit.exercises:
        answering, notes = _find(exercise, theirs, ours, fixed, set(answer_of))
        found.about[exercise.name] = notes
        if answering is not None:
            answer_of[answering] = exercise.name
            found.answers[exercise.name] = source_of(theirs[answering])
    names = {e.name for e in unit.exercises}
    for number, cell in enumerate(theirs):
        source, original = source_of(cell), ours.get(number)
        if "setup" in tags_of(original or {}):
            if source.strip() != source_of(original or {}).strip():
                found.steps.append(Step(source))
                found.notes.append(_note("accident", "the setup cell was edited; the original ran before it"))
        elif number in answer_of:
            found.steps.append(Step(source, answer_of[number]))
        elif number in fixed or grade_id_of(original or {}) in names:
            continue  # a check, a demo, or an answer that another cell has overtaken
        else:
            found.steps.append(Step(source, spare=original is not None and source == source_of(original)))
    return found


def _find(
    exercise: Exercise, theirs: list[dict[str, Any]], ours: dict[int, dict[str, Any]], fixed: set[int], taken: set[int]
) -> tuple[int | None, list[dict[str, str]]]:
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
            notes.append(_note("accident", f"{exercise.name}: found in another cell, by the name that it defines"))
        if len(complete) > 1:
            notes.append(_note("accident", f"{exercise.name}: {len(complete)} answers; the last one was graded"))
        return number, notes
    near = {
        n: difflib.SequenceMatcher(None, exercise.stub, source_of(theirs[n])).ratio()
        for n in free
        if n not in ours and len(source_of(theirs[n])) < LIKE_MOST * len(exercise.stub)
    }
    best = max(near, key=near.__getitem__, default=None)
    if best is not None and near[best] >= ALIKE:
        return best, [_note("accident", f"{exercise.name}: found by likeness to the stub ({near[best]:.0%})")]
    return None, [_note("accident", f"{exercise.name}: no cell answers it")]


def _is_complete(exercise: Exercise, source: str) -> bool:
    return exercise.name in defined_names(source) and source.strip() != exercise.stub.strip()


def _id_of(cell: dict[str, Any]) -> str | None:
    """The cell's id, or the one that Colab keeps in its metadata."""
    found = cell.get("id") or cell.get("metadata", {}).get("id")
    return found if isinstance(found, str) else None


def _note(kind: str, text: str) -> dict[str, str]:
    return {"kind": kind, "text": text}
