"""`nbproctor install` and `nbproctor feedback`: nbgrader's own commands and buttons, with ours in them."""

from pathlib import Path
from typing import Annotated

import typer

from nbproctor.cli.anycourse import NoCourse, course_folder
from nbproctor.cli.doctor import CourseOption
from nbproctor.cli.terminal import one_line_errors, say
from nbproctor.values.text import many


def install(
    course: CourseOption = None,
    remove: Annotated[bool, typer.Option("--remove", help="Take the lines out again.")] = False,
) -> None:
    """Put formgrader's buttons and nbgrader's own commands into the sandbox.

    Two lines in nbgrader_config.py do that: `nbgrader autograde` and the
    button Autograde then run students' cells in the sandbox, and `nbgrader
    generate_feedback` leaves hidden tests out.
    """
    with one_line_errors():
        folder = _folder(course)
        from nbproctor.anycourse import install as lines
        from nbproctor.anycourse.settings import Course

        if remove:
            say(f"{folder / 'nbgrader_config.py'}: {many(lines.remove(folder), 'line')} taken out.")
            return
        written = lines.install(Course(folder))
        say(f"{folder / 'nbgrader_config.py'}: {many(len(written), 'line')} written:")
        for text in written:
            say(text)


def feedback(
    assignments: Annotated[list[str] | None, typer.Argument(help="Assignments. By default, all.")] = None,
    course: CourseOption = None,
    student: Annotated[str, typer.Option(help="Only this student.")] = "",
    force: Annotated[bool, typer.Option("--force", help="Also if there are pages already.")] = False,
) -> None:
    """Write nbgrader's feedback pages, without hidden tests.

    They are those of `nbgrader generate_feedback`, in feedback/. No line of
    a hidden test is in them, and no output that shows one.
    """
    with one_line_errors():
        folder = _folder(course)
        from nbproctor.anycourse import feedback as pages
        from nbproctor.anycourse.settings import Course

        found = Course(folder)
        written, kept = pages.write(found, assignments or (), student, force)
        counts = f"submissions with new pages: {written}, with pages left as they were: {kept}."
        say(f"{found.directory.feedback_directory}/: {counts}")
        if kept:
            say("After you have graded by hand, --force writes those anew.")


def _folder(course: Path | None) -> Path:
    folder = course_folder(course)
    if folder is None:
        raise NoCourse("this command is for nbgrader courses; Attention from Scratch has both already")
    return folder
