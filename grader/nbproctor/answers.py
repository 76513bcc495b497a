"""The answer bank: right and wrong answers for every exercise, each put into a submission and graded for real.

`grader/answers/UNIT/EXERCISE.py` is a percent file; each cell replaces the whole solution cell:

    # %% right: einsum
    # %% wrong: softmax over the queries -> "rows sum"        the visible check's message holds these words
    # %% wrong: float32 inside -> hidden: "float64"           only the hidden check can show it; its message holds these
    # %% shortcut: torch's own function                       refused, in the source or at the call
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbproctor.batch import Submission, grade
from nbproctor.course import ROOT, CourseError, Exercise, Unit
from nbproctor.limits import Limits
from nbproctor.result import Result

HEADER = re.compile(r"""# %% (right|wrong|shortcut): (.+?)(?: -> (hidden: )?"(.+)")?$""")


@dataclass(frozen=True)
class Answer:
    """One cell of the bank. `words` must stand in the message of the visible check, or of the hidden one."""

    unit: str
    exercise: str
    kind: str
    label: str
    source: str
    words: str = ""
    by_hidden: bool = False


def bank(unit: Unit, root: Path = ROOT) -> list[Answer]:
    """All answers of a unit: the reference solution (right), the untouched stub (stub), and what the files hold.

    Raises CourseError where a file has a header that is none, or belongs to no exercise.
    """
    found = []
    names = {exercise.name for exercise in unit.exercises}
    folder = root / "grader" / "answers" / unit.name
    stray = {path.stem for path in folder.glob("*.py")} - names
    if stray:
        raise CourseError(f"{folder}: {', '.join(sorted(stray))} is no exercise of {unit.name}")
    for exercise in unit.exercises:
        found.append(Answer(unit.name, exercise.name, "right", "the reference solution", exercise.solution))
        found.append(
            Answer(unit.name, exercise.name, "stub", "the untouched stub", exercise.stub, "not implemented yet")
        )
        path = folder / f"{exercise.name}.py"
        if path.exists():
            found += _parse(unit.name, exercise.name, path)
    return found


def _parse(unit: str, exercise: str, path: Path) -> list[Answer]:
    found = []
    for part in re.split(r"^(?=# %% )", path.read_text(encoding="utf-8"), flags=re.M):
        if not part.strip():
            continue
        header, _, source = part.partition("\n")
        match = HEADER.fullmatch(header.rstrip())
        if match is None or (match[1] == "wrong" and not match[4]):
            raise CourseError(f'{path}: expected `# %% right|wrong|shortcut: label -> "words"`, got {header!r}')
        found.append(Answer(unit, exercise, match[1], match[2], source, match[4] or "", bool(match[3])))
    return found


def notebook_of(unit: Unit, sources: dict[str, str]) -> dict[str, Any]:
    """The released notebook with these answers in their solution cells, as a student would hand it in."""
    cells = []
    for cell in unit.notebook["cells"]:
        name = cell.get("metadata", {}).get("nbgrader", {}).get("grade_id")
        cells.append({**cell, "source": sources[name]} if name in sources else cell)
    return {**unit.notebook, "cells": cells}


def _alone(unit: Unit, answer: Answer) -> dict[str, Any]:
    """A submission of this one answer: nothing else runs, so hundreds of them are a matter of seconds."""
    cells = [
        {**cell, "source": answer.source}
        for cell in unit.notebook["cells"]
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == answer.exercise
    ]
    return {**unit.notebook, "cells": cells}


def examine(
    units: dict[str, Unit], answers: list[Answer], folder: Path, workers: int, sandboxed: bool,
    on_result: Callable[[Result], None] = lambda result: None,
) -> list[str]:  # fmt: skip
    """Grade every answer alone. Returns one line for each that did not get what its header promises."""
    submissions = []
    for number, answer in enumerate(answers):
        path = folder / f"{number}.ipynb"
        path.write_text(json.dumps(_alone(units[answer.unit], answer)), encoding="utf-8")
        submissions.append(Submission(str(number), answer.unit, path))
    results = grade(units, submissions, workers, Limits(cell_s=20.0), sandboxed, on_result)
    return [trouble for answer, result in zip(answers, results, strict=True) if (trouble := _judge(answer, result))]


def _judge(answer: Answer, result: Result) -> str | None:
    where = f"{answer.unit}/{answer.exercise}, {answer.kind}: {answer.label}"
    report = next((e for e in result.exercises if e.name == answer.exercise), None)
    if report is None:
        return f"{where}: not graded ({result.reason})"
    visible, hidden = report.checks
    said = f"visible {visible.status} {visible.message!r}, hidden {hidden.status} {hidden.message!r}"
    if answer.kind == "right":
        return None if report.status == "passed" else f"{where}: refused; {said}"
    if answer.kind == "shortcut":
        return None if report.status == "refused" and report.points == 0 else f"{where}: not found; {said}"
    if report.status == "passed":
        return f"{where}: accepted"
    if answer.kind == "stub":
        return None if answer.words in visible.message and report.points == 0 else f"{where}: {said}"
    told = hidden if answer.by_hidden else visible
    return None if answer.words in told.message else f"{where}: expected {answer.words!r}; {said}"


def thin(unit: Unit, root: Path = ROOT) -> list[str]:
    """One line for each exercise whose bank is smaller than the course asks for."""
    answers = bank(unit, root)
    found = []
    for exercise in unit.exercises:
        right, wrong = (_count(answers, exercise, kind) for kind in ("right", "wrong"))
        needed = (2, 4) if exercise.name.startswith("predicted") else (3, 8)
        if right - 1 < needed[0] or wrong < needed[1]:  # the reference solution is no further way
            found.append(
                f"{unit.name}/{exercise.name}: {right - 1} right, {wrong} wrong; expected {needed[0]}, {needed[1]}"
            )
    return found


def _count(answers: list[Answer], exercise: Exercise, kind: str) -> int:
    return sum(a.exercise == exercise.name and a.kind == kind for a in answers)
