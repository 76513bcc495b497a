"""Strict checks: test cells of source/ with the tag `strict`, whose verdict the examiner computes (`examiner`).

Whether a check is strict, and its text, are read in source/: a student may change all of their own notebook, and the
examiner is in no sandbox.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import nbformat
from nbgrader import utils

from nbproctor.anycourse.settings import Course, CourseError
from nbproctor.course.sound import free_names, without_magics
from nbproctor.values.notebook import defined_names, grade_id_of, tags_of

_KNOWN = frozenset({*dir(builtins), "__name__", "__builtins__"})
_TODO = "or take the tag `strict` away from it, and it is graded beside the student's code"


class CannotBeStrict(CourseError):
    """A check that is tagged `strict` cannot be graded so; the message says which, why, and what to do."""


@dataclass(frozen=True)
class Marked:
    """The strict checks of one notebook. place: the notebook, for messages.

    setup: the source of all cells tagged `setup`. answers: the names that its answers define. checks: the source of
    each check, by its grade id.
    """

    place: str
    setup: str
    answers: frozenset[str]
    checks: Mapping[str, str]

    def asks_for(self, source: str) -> list[str]:
        """The names in a check that are fetched from the student's process."""
        return sorted(free_names(source) & self.answers)

    def refuse(self, defined: Iterable[str]) -> None:
        """Raise CannotBeStrict for a check that reads a name from elsewhere. defined: what the setup has defined."""
        known = _KNOWN | self.answers | {*defined}
        for name, source in self.checks.items():
            if unseen := sorted(free_names(source) - known):
                nodes = ast.walk(ast.parse(source))
                at = next(node.lineno for node in nodes if isinstance(node, ast.Name) and node.id == unseen[0])
                raise CannotBeStrict(
                    f"{self.place}, check {name}: it reads `{unseen[0]}` in line {at}, and a strict check sees only "
                    f"what answers and cells tagged `setup` define; define it in the check, tag its cell, {_TODO}"
                )

    def refuse_failed(self, failed: Mapping[str, str]) -> None:
        """Raise CannotBeStrict for a strict check of which the course's own solution gets no point.

        failed: all such checks, strict or not, each with the reason.
        """
        for check in (name for name in self.checks if name in failed):
            raise CannotBeStrict(
                f"{self.place}, check {check}: the course's own solution gets no point of it as a strict check "
                f"({failed[check]}); mend it, {_TODO}"
            )


def marked(course: Course, assignment: str) -> dict[str, Marked]:
    """The notebooks of an assignment that have strict checks, by name. Raises CannotBeStrict."""
    found = {}
    for path in sorted(course.source(assignment).glob("*.ipynb")):
        cells = nbformat.read(path, as_version=4).cells
        place = f"{course.source_folder.name}/{assignment}/{path.name}"
        if checks := dict(_checks(cells, place)):
            code = [cell for cell in cells if cell.cell_type == "code"]
            setup = "\n\n".join(without_magics(cell.source) for cell in code if "setup" in tags_of(cell))
            answers = [defined_names(without_magics(cell.source)) for cell in code if utils.is_solution(cell)]
            found[path.stem] = Marked(place, setup, frozenset[str]().union(*answers), checks)
    return found


def _checks(cells: Iterable[Any], place: str) -> Iterable[tuple[str, str]]:
    for number, cell in enumerate(cells, 1):
        if "strict" not in tags_of(cell):
            continue
        name = grade_id_of(cell) or f"number {number}"
        if cell.cell_type != "code" or not utils.is_grade(cell) or utils.is_solution(cell):
            raise CannotBeStrict(
                f"{place}, cell {name}: it is tagged `strict`, and is no test cell; move the tag to a cell with tests "
                "and points, as nbgrader's Create Assignment makes one"
            )
        try:
            ast.parse(cell.source)
        except (SyntaxError, ValueError) as error:
            raise CannotBeStrict(
                f"{place}, check {name}: a strict check is plain Python without magics ({error}); mend it, {_TODO}"
            ) from None
        yield name, cell.source
