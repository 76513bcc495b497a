"""`nbproctor doctor`: what the grader sees, before the first student is graded."""

from pathlib import Path
from typing import Annotated

import typer

from nbproctor.border import sandbox
from nbproctor.cli.anycourse import course_folder, look
from nbproctor.cli.terminal import one_line_errors, say
from nbproctor.paths import ROOT

CourseOption = Annotated[
    Path | None, typer.Option("--course", help="The folder of an nbgrader course. By default, the current one.")
]


def doctor(course: CourseOption = None) -> None:
    """Say whether a course can be graded here, and how its checks are graded.

    For an nbgrader course it shows the sandbox, the kernels, modules that are
    missing, and what the course's own solutions score, assignment by
    assignment.

    Exit code: 0 if all is well, 2 if there is no course, 3 if something has
    to be done; the line says what.
    """
    with one_line_errors():
        folder = course_folder(course)
        if folder is None:
            say(
                f"{ROOT}: Attention from Scratch, whose checks are written for the strict way: each verdict is computed"
            )
            say("in a process that never runs a line of the student's code. `make test` tries its solutions.")
            say(f"sandbox: {', '.join(sandbox.check_layers())}")
            return
    look(folder)
