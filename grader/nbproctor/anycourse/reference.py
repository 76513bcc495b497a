"""Runs an assignment's source notebooks, solutions and checks included, before the first student.

This shows whether the course works in the sandbox. It also shows which libraries its notebooks load, so that a warm
process can load them once for all students. Only the names of these come back: that process holds no solution.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
from nbgrader import utils

from nbproctor.anycourse.kernels import Kernel, KernelMissing
from nbproctor.anycourse.running import read_files, run_cells, too_slow
from nbproctor.anycourse.settings import Course
from nbproctor.anycourse.steps import outcome
from nbproctor.anycourse.warm import Executor, Libraries, Warm
from nbproctor.runner.zygote import font_list

if TYPE_CHECKING:
    from nbproctor.anycourse.remote import Start


@dataclass(frozen=True)
class Reference:
    """What the source notebooks of an assignment score.

    short: the cells that ran out of time, and the checks that do not give full points, and why.

    missing: modules that could not be imported. by_hand: the number of cells for a person.
    """

    assignment: str
    points: float
    most: float
    by_hand: int
    short: tuple[str, ...]
    missing: tuple[str, ...]
    modules: tuple[str, ...] = ()
    has_figures: bool = False  # a check draws one
    asks_for_modules: bool = False  # a cell looks at what is imported, so nothing may be imported before


@dataclass(frozen=True)
class RunOptions:
    """Whether to use the sandbox, the number of workers, and what starts warm processes elsewhere, if anything."""

    sandboxed: bool
    workers: int
    elsewhere: Start | None = None


def warm_processes(
    course: Course, assignment: str, kernel_of: Mapping[str, Kernel], how: RunOptions, stack: ExitStack
) -> tuple[Mapping[str, Executor], Reference]:
    """A warm process for each notebook, with the libraries of an assignment, and what the source notebooks score.

    kernel_of: the notebooks, with their kernels; those of one kernel have one process. Raises KernelMissing.
    """
    local = {Path(name).parts[0].removesuffix(".py") for name in course.files(course.source(assignment))} | {"__main__"}
    if find_spec("matplotlib") and font_list() is None:  # make it once, and not in each student's process
        subprocess.run([sys.executable, "-c", "import matplotlib.font_manager"], capture_output=True, check=False)  # noqa: S603
    plain = {kernel: Libraries.of(course, assignment, kernel, how.sandboxed) for kernel in kernel_of.values()}
    if how.elsewhere and any(kernel.spec for kernel in plain):
        raise KernelMissing("the workers of a scheduler have no kernel but this Python's; grade it without --scheduler")
    with ExitStack() as trial:
        warm = {kernel: Warm(one, how.workers, trial) for kernel, one in plain.items()}
        ran = run(course, assignment, {name: warm[kernel] for name, kernel in kernel_of.items()})
        learned = tuple(name for name in ran.modules if name.split(".")[0] not in local)
        if how.elsewhere:
            modules = learned if course.proctor.preload and not ran.asks_for_modules else ()
            there = {kernel: how.elsewhere(one, modules, warm[kernel].layers) for kernel, one in plain.items()}
            return {name: there[kernel] for name, kernel in kernel_of.items()}, ran
        if not (learned and course.proctor.preload) or ran.asks_for_modules:  # this process will do
            stack.enter_context(trial.pop_all())
            return {name: warm[kernel] for name, kernel in kernel_of.items()}, ran
    warm = {kernel: Warm(replace(one, modules=learned), how.workers, stack) for kernel, one in plain.items()}
    return {name: warm[kernel] for name, kernel in kernel_of.items()}, ran


def run(course: Course, assignment: str, warm: Mapping[str, Executor]) -> Reference:
    """Run the source notebooks, one after the other in one folder, as a submission's."""
    source = course.source(assignment)
    files = read_files(course.files(source))
    deadline = time.monotonic() + course.proctor.submission_s
    has_figures = asks = False
    rows: list[tuple[str, float | None, float]] = []
    modules, short, missing = dict[str, None](), list[str](), dict[str, None]()
    for name in sorted(warm):
        path = source / f"{name}.ipynb"
        if not path.exists():  # the gradebook may know more notebooks than there are
            continue
        nb = nbformat.read(path, as_version=4)
        own = {f"{name}.ipynb": (0o644, nbformat.writes(nb).encode())}
        ran = run_cells(course, warm[name], path, nb, files | own, deadline, True)
        files = own | {key: what for key, what in files.items() if key not in ran.gone} | ran.written
        for cell, new in zip(ran.cells, ran.modules, strict=True):
            # Where a check is the first to import a library that warns on stderr, nbgrader gives no points. So such
            # a library is not imported before. (Cells of the instructor's own run in any case.)
            if not (_warns(cell) and (utils.is_grade(cell) or utils.is_solution(cell))):
                modules.update(dict.fromkeys(new))
            lines = [one.evalue for one in cell.outputs if one.get("ename") == "ModuleNotFoundError"]
            missing.update((one.split("'")[1], None) for one in lines if "'" in one)
        asks |= any("sys.modules" in cell.source for cell in ran.cells)
        checked = [one for cell in ran.cells if utils.is_grade(cell) for one in cell.outputs]
        has_figures |= any("image/png" in one.get("data", {}) for one in checked)
        found = outcome(nb)
        rows += found
        cells = {cell.metadata.nbgrader["grade_id"]: cell for cell in nb.cells if utils.is_grade(cell)}
        short += [f"{name}, {text}" for text in too_slow(course, nb, ran)]
        short += [
            f"{name}, {key}: {points:g} of {most:g}, {_reason(cells[key])}"
            for key, points, most in found
            if points is not None and points < most and not utils.is_solution(cells[key])
        ]
    points, most = sum(row[1] or 0 for row in rows), sum(row[2] for row in rows if row[1] is not None)
    by_hand = sum(row[1] is None for row in rows)
    return Reference(assignment, points, most, by_hand, tuple(short), tuple(missing), tuple(modules), has_figures, asks)


def _warns(cell: Any) -> bool:
    return any(one.output_type == "stream" and one.name == "stderr" for one in cell.outputs)


def _reason(cell: Any) -> str:
    for one in cell.outputs:
        if one.output_type == "error":
            return f"{one.ename}: {one.evalue}"[:200]
        if one.output_type == "stream" and one.name == "stderr":
            return f"it writes to stderr: {one.text.strip()}"[:200]
    return "its last line has that value"
