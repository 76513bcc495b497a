"""The course: its units, exercises, checks and points, read from `solutions/` and `course/`."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from nbproctor.course.sound import fault, no_points
from nbproctor.errors import UserError
from nbproctor.paths import ROOT
from nbproctor.values.copies import digest_of
from nbproctor.values.notebook import grade_id_of, source_of, tags_of

_HEADING = re.compile(r"^#{1,6} +(.+?)\s*$", re.M)


class CourseError(UserError):
    """The course cannot be used as it is; the message says where and what to do."""


@dataclass(frozen=True)
class Check:
    """One graded cell. A student gets all of its `points` or none."""

    grade_id: str
    points: float
    source: str
    hidden: bool


@dataclass(frozen=True)
class Exercise:
    """One solution cell with its visible and its hidden check."""

    name: str
    stub: str
    solution: str
    check: Check
    hidden: Check

    @property
    def max_points(self) -> float:
        return self.check.points + self.hidden.points

    @cached_property
    def is_called(self) -> bool:
        """Whether the exercise asks for a function or a class, and not for a value, as a prediction does."""
        return re.search(rf"^(?:def|class) {re.escape(self.name)}\b", self.solution, re.M) is not None


@dataclass(frozen=True)
class Unit:
    """One assignment: its two notebooks, the source of the released one's setup cells, and its exercises."""

    name: str
    notebook: dict[str, Any]
    instructor: dict[str, Any]
    setup: str
    exercises: tuple[Exercise, ...]

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the unit's two notebooks, so that it changes with anything that a result may depend on."""
        return digest_of(json.dumps([self.notebook, self.instructor], sort_keys=True).encode())

    @property
    def max_points(self) -> float:
        return sum(e.max_points for e in self.exercises)

    def heading_above(self, exercise: str) -> str:
        """Return the heading of the text before an exercise, but not the exercise's own, without markup; else ""."""
        last = ""
        for cell in self.instructor["cells"]:
            if grade_id_of(cell) == exercise:
                return last.replace("`", "").replace("*", "")
            headings = _HEADING.findall(source_of(cell)) if cell["cell_type"] == "markdown" else []
            last = next((h for h in reversed(headings) if not h.startswith("Exercise")), last)
        return ""


def unit_names(root: Path = ROOT) -> list[str]:
    """Return the names of the units in solutions/, in order. Raises CourseError if there are none."""
    if not (root / "solutions").is_dir():
        raise CourseError(
            "this needs the repository of the course Attention from Scratch, which an installed nbproctor does not "
            "have; run it there, as .venv/bin/nbproctor"
        )
    names = sorted(path.parent.name for path in root.glob("solutions/*/*.ipynb") if path.stem == path.parent.name)
    if not names:
        raise CourseError(f"{root / 'solutions'}/ holds no unit; restore it from git")
    return names


def units_called(names: Iterable[str], root: Path = ROOT) -> list[str]:
    """Return the units with these names or numbers: 3 and 03 mean 03_self_attention. Raises CourseError."""
    known = unit_names(root)
    numbers = {str(int(number)): unit for unit in known if (number := unit.partition("_")[0]).isdecimal()}
    found = []
    for name in names:
        unit = name if name in known else numbers.get(name.lstrip("0") or "0" if name.isdecimal() else "")
        if unit is None:
            raise CourseError(f"unknown unit {name!r}: expected one of {', '.join(known)}, or its number")
        found.append(unit)
    return found


def load_gradable_unit(name: str, root: Path = ROOT) -> Unit:
    """Read one unit that is to be graded. Raises CourseError as `load_unit` does, and also if a cell has a fault."""
    return load_unit(name, root, is_graded=True)


def raise_on_faults(name: str, cells: Sequence[Mapping[str, Any]]) -> None:
    """Check the cells of the instructor's notebook. Raises CourseError if one has a fault."""
    if found := fault(cells):
        raise CourseError(f"solutions/{name}: {found}; then run `make release`")


def load_unit(name: str, root: Path = ROOT, is_graded: bool = False) -> Unit:
    """Read one unit. Raises CourseError if it is unknown, incomplete or, if `is_graded`, has a fault in a cell."""
    known = unit_names(root)
    if name not in known:
        raise CourseError(f"unknown unit {name!r}: expected one of {', '.join(known)}")
    instructor = _read(root / "solutions" / name / f"{name}.ipynb")
    released = _read(root / "course" / name / f"{name}.ipynb", hint="run `make release`")
    if is_graded:
        raise_on_faults(name, instructor["cells"])
    stubs = {grade_id_of(cell): source_of(cell) for cell in released["cells"]}
    graded = {grade_id: cell for cell in instructor["cells"] if (grade_id := grade_id_of(cell))}
    setup = [source_of(cell) for cell in released["cells"] if "setup" in tags_of(cell)]
    exercises = []
    for grade_id, cell in graded.items():
        if not cell["metadata"]["nbgrader"].get("solution"):
            continue
        lacking = [want for want in (f"check_{grade_id}", f"hidden_{grade_id}") if want not in graded]
        if lacking:
            raise CourseError(f"solutions/{name}: exercise {grade_id} has no cell {', '.join(lacking)}")
        if grade_id not in stubs:
            raise CourseError(f"course/{name}: no stub for {grade_id}; run `make release`")
        checks = (_check(name, graded[f"{kind}_{grade_id}"]) for kind in ("check", "hidden"))
        exercises.append(Exercise(grade_id, stubs[grade_id], source_of(cell), *checks))
    return Unit(name, released, instructor, "\n\n".join(setup), tuple(exercises))


def _check(unit: str, cell: dict[str, Any]) -> Check:
    meta = cell["metadata"]["nbgrader"]
    if text := no_points(cell):
        raise CourseError(f"solutions/{unit}: {text}; then run `make release`")
    return Check(meta["grade_id"], float(meta["points"]), source_of(cell), meta["grade_id"].startswith("hidden_"))


def _read(path: Path, hint: str = "restore it from git") -> dict[str, Any]:
    try:
        notebook = msgspec.json.decode(path.read_bytes())
        if not isinstance(notebook["cells"], list):
            raise TypeError
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CourseError(f"{path}: not a readable notebook ({type(error).__name__}); {hint}") from error
    return notebook  # type: ignore[no-any-return]
