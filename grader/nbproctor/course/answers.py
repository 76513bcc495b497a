"""The answer bank: reads the right and wrong answers for every exercise from their files.

`grader/answers/UNIT/EXERCISE.py` is a percent file. Each cell is a whole solution cell, or a change to the reference
solution. Its header says what to expect of it:

    # %% right: einsum
    # %% wrong: softmax over the queries -> "rows sum"        the visible check's message holds these words
    # %% wrong: float32 inside -> hidden: "float64"           only the hidden check can show it; its message holds these
    # %% wrong: a warning -> visible: "warns"                 only the visible check shows it; the next line says why
    # %% shortcut: torch's own function                       refused, in the source or at the call

Every other wrong answer is refused by the hidden check alone, too, so that it keeps no hidden points.

A change consists of lines to remove (`-`), lines to insert (`+`), and lines that stay and show where the change goes:

    # %% wrong: softmax over the queries -> "rows sum"
    - weights = scores.softmax(dim=-1)
    + weights = scores.softmax(dim=-2)

    # %% wrong: residual forgotten -> "its input"
      attended = self.self_attn(x, mask)
    - return x + attended
    + return attended

A blank line separates the places of a change. Each place must be in the reference exactly once; indentation and
comments at the ends of lines do not matter for finding it. A change may also be made to another right answer, which
stands above it in the file, and then names that answer:

    # %% wrong of "one loop": starts at the second word -> "word 0"
    - for word in x:
    + for word in x[1:]:
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbproctor.course.units import CourseError, Exercise, Unit
from nbproctor.paths import ROOT
from nbproctor.values.text import many

HEADER = re.compile(r"""# %% (right|wrong|shortcut)(?: of "(.+?)")?: (.+?)(?: -> (hidden: |visible: )?"(.+)")?$""")
CHANGE = re.compile(r"[-+ ] |[-+]$")
MARKER = re.compile(r"\s*### (BEGIN|END) SOLUTION")


@dataclass(frozen=True)
class Answer:
    """One cell of the bank.

    kind: "right", "wrong", "shortcut" or "stub". words: what the message of the failing check must contain.
    by_hidden: whether that is the hidden check and not the visible one. by_visible_only: whether the hidden check may
    pass it.
    """

    unit: str
    exercise: str
    kind: str
    label: str
    source: str
    words: str = ""
    by_hidden: bool = False
    by_visible_only: bool = False


def bank(unit: Unit, root: Path = ROOT) -> list[Answer]:
    """Return all answers of a unit: its reference solutions, its stubs, and those in the files. Raises CourseError."""
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
            found += _parse(unit.name, exercise, path)
    return found


def _parse(unit: str, exercise: Exercise, path: Path) -> list[Answer]:
    found: list[Answer] = []
    for part in re.split(r"^(?=# %% )", path.read_text(encoding="utf-8"), flags=re.M):
        if not part.strip():
            continue
        header, _, source = part.partition("\n")
        match = HEADER.fullmatch(header.rstrip())
        if match is None or (match[1] == "wrong" and not match[5]):
            raise CourseError(f'{path}: expected `# %% right|wrong|shortcut: label -> "words"`, got {header!r}')
        kind, of, label, only, words = match.groups()
        if only == "visible: ":
            reason, _, source = source.partition("\n")
            if not reason.startswith("# "):
                raise CourseError(f"{path}: {label}: expected a comment that says why the hidden check passes it")
        if is_change(source):
            rights = {None: exercise.solution} | {one.label: one.source for one in found if one.kind == "right"}
            if of not in rights:
                raise CourseError(f"{path}: {label}: no right answer above it is called {of!r}")
            try:
                source = applied(source, rights[of])
            except ValueError as error:
                raise CourseError(f"{path}: {label}: {error}") from error
        found.append(
            Answer(unit, exercise.name, kind, label, source, words or "", only == "hidden: ", only == "visible: ")
        )
    return found


def is_change(source: str) -> bool:
    """Whether a cell of the bank is a change: each of its lines is marked as removed, inserted or staying."""
    lines = [line for line in source.splitlines() if line.strip()]
    return all(CHANGE.match(line) for line in lines) and any(line[0] in "-+" for line in lines)


def applied(change: str, reference: str) -> str:
    """Return the reference with a change applied. Raises ValueError if a place is not in it exactly once."""
    lines = [line for line in reference.splitlines() if not MARKER.match(line)]
    for place in re.split(r"\n\s*\n", change.strip("\n")):
        rows = [(row[0], row[2:]) for row in place.splitlines()]
        old = [text for sign, text in rows if sign != "+"]
        new = [text for sign, text in rows if sign != "-"]
        if not old:
            raise ValueError("a place needs a line that goes or stays, to say where it is")
        bare, wanted = [_bare(line) for line in lines], [_bare(line) for line in old]
        starts = [n for n in range(len(lines)) if bare[n : n + len(old)] == wanted]
        if len(starts) != 1:
            text = f"the reference has this {many(len(starts), 'time')}, expected once"
            raise ValueError(f"the change no longer applies: {text}:\n" + "\n".join(old))
        shift = _indent(lines[starts[0]]) - _indent(old[0])
        lines[starts[0] : starts[0] + len(old)] = [" " * (_indent(text) + shift) + text.lstrip() for text in new]
    return "\n".join(lines)


def _bare(line: str) -> str:
    return re.sub(r"\s+# .*$", "", line).strip()


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def notebook_of(unit: Unit, sources: dict[str, str]) -> dict[str, Any]:
    """Return the released notebook with these answers, by exercise, as a student would hand it in."""
    cells = []
    for cell in unit.notebook["cells"]:
        name = cell.get("metadata", {}).get("nbgrader", {}).get("grade_id")
        cells.append({**cell, "source": sources[name]} if name in sources else cell)
    return {**unit.notebook, "cells": cells}
