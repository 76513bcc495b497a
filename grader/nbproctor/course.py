"""What the course is: its units, exercises, checks and points, read from `solutions/` and `course/`."""

from __future__ import annotations

import ast
import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


class CourseError(Exception):
    """A course that cannot be used as it stands; the message says where and what to do."""


@dataclass(frozen=True)
class Check:
    """One graded cell. `points` are given whole or not at all."""

    grade_id: str
    points: float
    source: str
    hidden: bool


@dataclass(frozen=True)
class Exercise:
    """One solution cell with its visible and its hidden check.

    `not_with` holds the bare names (function, method, class) that the exercise forbids; `getitem:ARG` forbids
    indexing the argument ARG.
    """

    name: str
    stub: str
    solution: str
    check: Check
    hidden: Check
    not_with: tuple[str, ...]

    @property
    def max_points(self) -> float:
        return self.check.points + self.hidden.points


@dataclass(frozen=True)
class Unit:
    """One assignment: the instructor's notebook, the released one, and what is graded in it.

    `setup` is the source of all cells tagged so: imports and plot style, then the words of the checks.
    """

    name: str
    notebook: dict[str, Any]
    instructor: dict[str, Any]
    setup: str
    exercises: tuple[Exercise, ...]

    @cached_property
    def checks_sha256(self) -> str:
        """Changes when anything changes that a verdict of this unit rests on."""
        parts = [self.setup] + [
            part
            for e in self.exercises
            for part in (e.name, e.check.source, e.hidden.source, *e.not_with, str(e.max_points))
        ]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    @property
    def max_points(self) -> float:
        return sum(e.max_points for e in self.exercises)


def source_of(cell: dict[str, Any]) -> str:
    """The text of a cell, whether the notebook stores it as a string or as lines."""
    source = cell.get("source", "")
    return source if isinstance(source, str) else "".join(source)


def grade_id_of(cell: dict[str, Any]) -> str | None:
    found = cell.get("metadata", {}).get("nbgrader", {}).get("grade_id")
    return found if isinstance(found, str) else None


def tags_of(cell: dict[str, Any]) -> tuple[str, ...]:
    return tuple(cell.get("metadata", {}).get("tags", ()))


def bound_names(source: str) -> set[str]:
    """The names that running a cell may define; none where it does not parse (a magic, say)."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    found = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    found |= {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    imports = [node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))]
    return found | {(name.asname or name.name).split(".")[0] for node in imports for name in node.names}


def defined_names(source: str) -> list[str]:
    """The names that a cell defines at its top level; none where it does not parse."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found: list[str] = []
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
            found.append(node.name)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found += [leaf.id for target in targets for leaf in ast.walk(target) if isinstance(leaf, ast.Name)]
    return found


def unit_names(root: Path = ROOT) -> list[str]:
    """The units that solutions/ holds, in order. Raises CourseError where it holds none."""
    names = sorted(path.parent.name for path in root.glob("solutions/*/*.ipynb") if path.stem == path.parent.name)
    if not names:
        raise CourseError(f"{root / 'solutions'}/ holds no unit; restore it from git")
    return names


def load_unit(name: str, root: Path = ROOT) -> Unit:
    """Read one unit. Raises CourseError where it is unknown, unreadable or incomplete."""
    known = unit_names(root)
    if name not in known:
        raise CourseError(f"unknown unit {name!r}: expected one of {', '.join(known)}")
    instructor = _read(root / "solutions" / name / f"{name}.ipynb")
    released = _read(root / "course" / name / f"{name}.ipynb", hint="run `make release`")
    stubs = {grade_id_of(cell): source_of(cell) for cell in released["cells"]}
    graded = {grade_id: cell for cell in instructor["cells"] if (grade_id := grade_id_of(cell))}
    setup = [source_of(cell) for cell in instructor["cells"] if "setup" in tags_of(cell)]
    if not setup:
        raise CourseError(f"solutions/{name}: expected a cell tagged `setup`, found none")
    exercises = []
    for grade_id, cell in graded.items():
        if not cell["metadata"]["nbgrader"].get("solution"):
            continue
        lacking = [want for want in (f"check_{grade_id}", f"hidden_{grade_id}") if want not in graded]
        if lacking:
            raise CourseError(f"solutions/{name}: exercise {grade_id} has no cell {', '.join(lacking)}")
        if grade_id not in stubs:
            raise CourseError(f"course/{name}: no stub for {grade_id}; run `make release`")
        exercises.append(
            Exercise(
                name=grade_id,
                stub=stubs[grade_id],
                solution=source_of(cell),
                check=_check(graded[f"check_{grade_id}"], hidden=False),
                hidden=_check(graded[f"hidden_{grade_id}"], hidden=True),
                not_with=tuple(cell["metadata"].get("not_with", ())),
            )
        )
    return Unit(
        name=name, notebook=released, instructor=instructor, setup="\n\n".join(setup), exercises=tuple(exercises)
    )


def _check(cell: dict[str, Any], hidden: bool) -> Check:
    meta = cell["metadata"]["nbgrader"]
    return Check(grade_id=meta["grade_id"], points=float(meta["points"]), source=source_of(cell), hidden=hidden)


def _read(path: Path, hint: str = "restore it from git") -> dict[str, Any]:
    try:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(notebook["cells"], list):
            raise TypeError
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CourseError(f"{path}: not a readable notebook ({type(error).__name__}); {hint}") from error
    return notebook  # type: ignore[no-any-return]
