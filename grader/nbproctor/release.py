"""`solutions/` → `course/`: nbgrader's own preprocessors, the badges, and the same bytes each time."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import nbformat
from nbgrader import preprocessors as stock
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets.config import Config

from nbproctor.course import ROOT, CourseError, source_of, unit_names

STUB = '# YOUR CODE HERE\nraise NotImplementedError("not implemented yet")'


class Badges(NbGraderPreprocessor):  # type: ignore[misc]
    """Puts a first cell with the Colab and Binder badges of the repository that pyproject.toml names."""

    def preprocess(self, nb: Any, resources: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        name = resources.get("nbgrader", {}).get("assignment") or resources["unique_key"]
        text = badges(name)
        if not nb.cells or nb.cells[0].source != text:
            cell = nbformat.v4.new_markdown_cell(text)
            cell.id = "badges"
            nb.cells.insert(0, cell)
        return nb, resources


class Tidy(NbGraderPreprocessor):  # type: ignore[misc]
    """Takes out what differs from one run to the next and what only the grader needs."""

    def preprocess(self, nb: Any, resources: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        for cell in nb.cells:
            cell.metadata.pop("execution", None)
            cell.metadata.pop("not_with", None)
        return nb, resources


PREPROCESSORS = [
    stock.ClearSolutions, stock.LockCells, stock.ComputeChecksums, stock.SaveCells, stock.CheckCellMetadata,
    stock.ClearOutput, stock.ClearHiddenTests, stock.ClearMarkScheme, stock.ComputeChecksums, stock.CheckCellMetadata,
    Badges, Tidy,
]  # fmt: skip


def repository(root: Path = ROOT) -> str:
    """OWNER/NAME, written down once: `[tool.nbproctor] repository` in grader/pyproject.toml."""
    table = tomllib.loads((root / "grader" / "pyproject.toml").read_text(encoding="utf-8"))
    return str(table["tool"]["nbproctor"]["repository"])


def badges(unit: str) -> str:
    where, path = repository(), f"course/{unit}/{unit}.ipynb"
    colab = f"https://colab.research.google.com/github/{where}/blob/main/{path}"
    binder = f"https://mybinder.org/v2/gh/{where}/main?urlpath=lab/tree/{path}"
    return (
        f"[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]({colab}) "
        f"[![Open in Binder](https://mybinder.org/badge_logo.svg)]({binder})"
    )


def released(unit: str, root: Path = ROOT) -> str:
    """The text of the student's notebook. Raises CourseError where a solution or a hidden test would stay in it."""
    config = Config()
    config.ClearSolutions.code_stub = {"python": STUB}
    path = root / "solutions" / unit / f"{unit}.ipynb"
    try:
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, nbformat.ValidationError) as error:
        raise CourseError(f"{path}: not a readable notebook ({type(error).__name__}); restore it from git") from error
    resources = {"unique_key": unit, "nbgrader": {"assignment": unit, "notebook": unit}}
    for kind in PREPROCESSORS:
        if kind is not stock.SaveCells:  # the gradebook is no part of a release
            notebook, resources = kind(config=config).preprocess(notebook, resources)
    for cell in notebook.cells:
        for marker in ("BEGIN SOLUTION", "BEGIN HIDDEN", "END SOLUTION", "END HIDDEN"):
            if marker in source_of(cell):
                raise CourseError(f"solutions/{unit}: a cell with `{marker}` would be released; mend its markers")
    nbformat.validate(notebook)
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def release(root: Path = ROOT) -> list[str]:
    """Write `course/` for every unit. Returns the names of the units whose notebook changed."""
    changed = []
    for unit in unit_names(root):
        path, text = root / "course" / unit / f"{unit}.ipynb", released(unit, root)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            changed.append(unit)
    return changed
