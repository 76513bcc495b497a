"""Looks at a course before a class is graded: the sandbox, kernels, libraries, and what its own solutions score."""

from collections.abc import Iterator
from contextlib import ExitStack

import nbformat

from nbproctor.anycourse import kernels, reference
from nbproctor.anycourse.report import cells_wait
from nbproctor.anycourse.settings import Course
from nbproctor.anycourse.steps import Steps
from nbproctor.border import sandbox
from nbproctor.errors import UserError
from nbproctor.values.text import many

Finding = tuple[str, bool]  # a line of what was seen, and whether nothing has to be done about it


def look(course: Course) -> Iterator[Finding]:
    """Look at everything, in the order in which it has to be fixed."""
    try:
        Steps(course)
        yield f"sandbox: {', '.join(sandbox.check_layers())}", True
    except UserError as error:
        yield str(error), False
        return
    yield f"gradebook: {course.directory.db_url}; a cell may take {course.execute.timeout} s (Execute.timeout)", True
    for assignment in course.assignments():
        yield from _look_at(course, assignment)


def _look_at(course: Course, assignment: str) -> Iterator[Finding]:
    notebooks = {
        path.stem: nbformat.read(path, as_version=4).metadata.get("kernelspec")
        for path in sorted(course.source(assignment).glob("*.ipynb"))
    }
    network = "; they may use the network" if assignment in course.proctor.network else ""
    yield f"{assignment}: {many(len(notebooks), 'notebook')}{network}", True
    try:
        kernel_of = kernels.find(course, notebooks)
        for kernel in dict.fromkeys(kernel_of.values()):
            yield f"{assignment}: kernel {kernel.name}: {kernel.way}", True
        with ExitStack() as stack:
            _, ran = reference.warm_processes(course, assignment, kernel_of, reference.RunOptions(True, 1), stack)
    except UserError as error:
        yield f"{assignment}: {error}", False
        return
    by_hand = f"; {cells_wait(ran.by_hand)}" if ran.by_hand else ""
    text = f"{assignment}: its own solutions get {ran.points:g} of {many(ran.most, 'point')}{by_hand}"
    yield text, ran.points == ran.most
    for name in ran.missing:
        yield f"{assignment}: module {name} is not installed, or hidden from students' processes", False
    for short in ran.short:
        yield f"{assignment}: {short}", False
