"""Looks at a course before a class is graded: the sandbox, kernels, libraries, and what its own solutions score."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import nbformat

from nbproctor.anycourse import kernels, reference
from nbproctor.anycourse.report import cells_wait
from nbproctor.anycourse.settings import Course
from nbproctor.anycourse.steps import Steps
from nbproctor.border import sandbox
from nbproctor.errors import UserError
from nbproctor.values.text import many


@dataclass(frozen=True)
class Finding:
    """One line of what was seen. is_well: whether nothing has to be done about it."""

    text: str
    is_well: bool = True


def look(course: Course) -> Iterator[Finding]:
    """Look at everything, in the order in which it has to be fixed."""
    try:
        Steps(course)
        yield Finding(f"sandbox: {', '.join(sandbox.check_layers())}")
    except UserError as error:
        yield Finding(str(error), False)
        return
    yield Finding(f"gradebook: {course.directory.db_url}; a cell may take {course.execute.timeout} s (Execute.timeout)")
    for assignment in course.assignments():
        yield from _look_at(course, assignment)


def _look_at(course: Course, assignment: str) -> Iterator[Finding]:
    notebooks = {
        path.stem: nbformat.read(path, as_version=4).metadata.get("kernelspec")
        for path in sorted(course.source(assignment).glob("*.ipynb"))
    }
    network = "; they may use the network" if assignment in course.proctor.network else ""
    yield Finding(f"{assignment}: {many(len(notebooks), 'notebook')}{network}")
    try:
        kernel_of = kernels.find(course, notebooks)
        for kernel in dict.fromkeys(kernel_of.values()):
            yield Finding(f"{assignment}: kernel {kernel.name}: {kernel.way}")
        with ExitStack() as stack:
            _, ran = reference.warm_processes(course, assignment, kernel_of, reference.RunOptions(True, 1), stack)
    except UserError as error:
        yield Finding(f"{assignment}: {error}", False)
        return
    by_hand = f"; {cells_wait(ran.by_hand)}" if ran.by_hand else ""
    text = f"{assignment}: its own solutions get {ran.points:g} of {many(ran.most, 'point')}{by_hand}"
    yield Finding(text, ran.points == ran.most)
    for name in ran.missing:
        yield Finding(f"{assignment}: module {name} is not installed, or hidden from students' processes", False)
    for short in ran.short:
        yield Finding(f"{assignment}: {short}", False)
