"""nbgrader's preprocessors, in nbgrader's order and with its settings, around our run of the cells.

Five of them are replaced. `Execute` is our run in the sandbox. `OverwriteCells` and `OverwriteKernelspec` ask `Sources`
instead of the gradebook. `DeduplicateIds` takes the mark of a copied cell away whole: nbgrader leaves an empty one,
over which the check of the metadata then ends the whole batch. `CheckCellMetadata` checks the same metadata once for a
class. From `SaveAutoGrades` on, all is done in `store`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import nbformat
from nbconvert.preprocessors import ExecutePreprocessor
from nbgrader import utils
from nbgrader.preprocessors import (
    CheckCellMetadata,
    DeduplicateIds,
    Execute,
    OverwriteCells,
    OverwriteKernelspec,
    SaveAutoGrades,
)
from traitlets.utils.importstring import import_item

from nbproctor.anycourse.settings import Course, CourseError
from nbproctor.anycourse.sources import Sources

DOUBLED = "cell {}: copied; the last one counts. (In nbgrader 0.9.6 this ends the grading of the class.)"


@dataclass
class Context:
    """What our steps need, beside what nbgrader gives its own (`resources`).

    sources: the notebook in the gradebook. run: runs the cells of a notebook, given its text before the run too, and
    puts their outputs into them. notes: what we went on with, and nbgrader would not.
    """

    sources: Sources
    run: Callable[[Any, str], None]
    notes: list[str] = field(default_factory=list)
    text: str = ""

    def __deepcopy__(self, _: Any) -> Context:  # nbconvert copies all resources for each conversion
        return self


class _Deduplicate(DeduplicateIds):  # type: ignore[misc]
    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        names = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in nb.cells]
        nb, resources = super().preprocess(nb, resources)
        for name, cell in zip(names, nb.cells, strict=True):
            if name is not None and cell.metadata.nbgrader == {}:
                del cell.metadata["nbgrader"]
                resources["nbproctor"].notes.append(DOUBLED.format(name))
        return nb, resources


class _Overwrite(OverwriteCells):  # type: ignore[misc]
    """nbgrader's step, which reports a locked cell as changed only if its text is not that of the release.

    Every cell with hidden tests differs from source/ in an honest submission.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        self.notebook_id, self.assignment_id = resources["nbgrader"]["notebook"], resources["nbgrader"]["assignment"]
        self.gradebook = resources["nbproctor"].sources
        for index, cell in enumerate(nb.cells):
            self._given = cell.source
            nb.cells[index], resources = self.preprocess_cell(cell, resources, index)
        if self.add_missing_cells:
            nb, resources = self.add_missing_grade_cells(nb, resources)
            nb, resources = self.add_missing_task_cells(nb, resources)
        return nb, resources

    def report_change(self, name: str, attr: str, old: Any, new: Any) -> None:
        if attr != "checksum":
            super().report_change(name, attr, old, new)
        elif _lines(self._given) != _lines(self.gradebook.released[name]):
            self.log.warning("cell %s: the student changed this locked cell; the course's own text was used", name)


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines()]


class _OverwriteKernelspec(OverwriteKernelspec):  # type: ignore[misc]
    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        if kernelspec := resources["nbproctor"].sources.kernelspec:
            nb.metadata["kernelspec"] = kernelspec
        return nb, resources


class CheckCellMetadataOnce(CheckCellMetadata):  # type: ignore[misc]
    """nbgrader's check, which looks at nothing but what is in `seen`. It would be a quarter of our processor time."""

    _sound: ClassVar[set[str]] = set()

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        marks = [(cell.cell_type, cell.metadata.get("nbgrader")) for cell in nb.cells]
        seen = json.dumps(marks, sort_keys=True, default=str)
        if seen not in self._sound:
            super().preprocess(nb, resources)
            if all(kind == (mark or {}).get("cell_type", kind) for kind, mark in marks):  # else it writes a warning
                self._sound.add(seen)
        return nb, resources


class _Run(Execute):  # type: ignore[misc]
    def preprocess(self, nb: Any, resources: Any, km: Any = None) -> tuple[Any, Any]:
        context: Context = resources["nbproctor"]
        context.run(nb, context.text)
        return nb, resources


_OURS = {
    CheckCellMetadata: CheckCellMetadataOnce,
    DeduplicateIds: _Deduplicate,
    OverwriteCells: _Overwrite,
    OverwriteKernelspec: _OverwriteKernelspec,
    Execute: _Run,
}


class Steps:
    """The preprocessors of one worker. They keep something of the notebook at hand, so each worker has its own.

    Raises CourseError where the configuration would run cells outside of the sandbox.
    """

    def __init__(self, course: Course) -> None:
        sanitizing = list(map(resolved, course.converter.sanitize_preprocessors))
        grading = list(map(resolved, course.converter.autograde_preprocessors))
        saving = grading.index(SaveAutoGrades) if SaveAutoGrades in grading else len(grading)
        self._course = course
        self._sanitizing = self._exporter(sanitizing)
        self._running = self._exporter(grading[:saving])
        self.saving: Sequence[Any] = self._exporter(grading[saving:])._preprocessors

    def graded(self, path: str, resources: dict[str, Any], context: Context) -> Any:
        """Take a submitted notebook through the steps up to the saving of its points."""
        given = {**resources, "nbproctor": context}
        context.text, given = self._sanitizing.from_filename(path, resources=given)
        nb = nbformat.reads(context.text, as_version=nbformat.current_nbformat)
        text, _ = self._running.from_notebook_node(nb, resources=given)
        return nbformat.reads(text, as_version=nbformat.current_nbformat)

    def _exporter(self, steps: Sequence[Any]) -> Any:
        converter = self._course.converter
        exporter = converter.exporter_class(parent=converter, config=converter.config)
        exporter._preprocessors = []
        for step in steps:
            exporter.register_preprocessor(_OURS.get(step, step))
        return exporter


def resolved(step: Any) -> Any:
    """The class that a configuration names. Raises CourseError for one that would start a kernel of its own."""
    step = import_item(step) if isinstance(step, str) else step
    if isinstance(step, type) and issubclass(step, ExecutePreprocessor) and step is not Execute:
        raise CourseError(
            f"nbgrader_config.py names {step.__name__} in place of nbgrader's Execute, which would run students' code "
            "outside of the sandbox; name Execute, or grade with nbgrader autograde"
        )
    return step


def outcome(nb: Any) -> list[tuple[str, float | None, float]]:
    """For each cell with points of a notebook that has run: its name, points (None: by hand) and most points."""
    cells = [cell for cell in nb.cells if utils.is_grade(cell) or utils.is_task(cell)]
    return [(cell.metadata.nbgrader["grade_id"], *_points(cell)) for cell in cells]


def _points(cell: Any) -> tuple[float | None, float]:
    if utils.is_task(cell):
        return None, float(cell.metadata.nbgrader["points"])
    try:
        points, most = utils.determine_grade(cell)
    except (KeyError, ValueError):  # a last line above the cell's points: over this nbgrader fails the submission
        return 0.0, float(cell.metadata.nbgrader["points"])
    return points, most
