"""What the commands do in an nbgrader course that is not our own, and the rule for which course is meant.

`nbproctor doctor` and `nbproctor feedback` are whole here; `grade` and `probe` begin in modules of their own.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nbproctor.border import sandbox
from nbproctor.cli.progress import progress_bar
from nbproctor.cli.terminal import one_line_errors, say
from nbproctor.errors import UserError
from nbproctor.paths import ROOT
from nbproctor.values.text import Displayable, displayable, line, many

if TYPE_CHECKING:
    from nbproctor.anycourse.grading import Graded, Outcome, ProgressCallbacks
    from nbproctor.anycourse.reference import Reference

CourseOption = Annotated[
    Path | None, typer.Option("--course", help="The folder of an nbgrader course. By default, the current one.")
]
STOPPED = "stopped; what is graded is kept, and the same command continues"
SHOWN_MOST = 8  # lines of each kind; the report has all


def course_folder(given: Path | None) -> Path | None:
    """Return the folder of the nbgrader course that a command is about; None for our own course.

    The rule: a folder with nbgrader_config.py or source/ is an nbgrader course, unless it is our own repository or its
    grader/, whose config names the same units. Elsewhere the command means our own course, where the repository is
    there. Raises UserError if it is not.
    """
    folder = (given or Path.cwd()).resolve()
    is_ours = (ROOT / "solutions").is_dir()
    if is_ours and folder in (ROOT, ROOT / "grader"):
        return None
    if (folder / "nbgrader_config.py").is_file() or (folder / "source").is_dir():
        # nbgrader calls the program `alembic`, which is beside ours, also if nobody has activated the environment.
        os.environ["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
        return folder
    if is_ours and given is None:
        return None
    raise UserError(
        f"{folder}: no course, since neither nbgrader_config.py nor source/ is there; name one with --course"
    )


def grade_course(
    folder: Path, assignments: Sequence[str], how: tuple[str, int, bool, bool, str], as_json: bool
) -> None:
    """Grade a class of an nbgrader course as nbgrader would, in the sandbox.

    how: the student ("": all), workers, whether to grade again, whether to use the sandbox, a scheduler ("": none).
    """
    from nbproctor.anycourse import grading
    from nbproctor.anycourse.settings import Course
    from nbproctor.classroom.alone import locked

    what = ", ".join(assignments) or "all assignments"
    with one_line_errors(STOPPED), locked(folder / "report" / ".working", folder, what):
        start = time.monotonic()
        course = Course(folder)
        where = "in a sandbox" if how[3] else "without a sandbox (--unsafe)"
        say(f"{folder}: an nbgrader course. Checks run beside the student's code, as in nbgrader, {where}.")
        with _progress() as hear:
            graded = grading.grade(course, grading.Wanted(assignments, *how), hear)
        _tell(graded, time.monotonic() - start)
        say(f"report: {graded.report}")
    if as_json:
        print(json.dumps(asdict(graded)))
    if graded.refused or any(one.failed for one in graded.outcomes):
        raise typer.Exit(3)


@contextmanager
def _progress() -> Iterator[ProgressCallbacks]:
    """Show a bar for each assignment."""
    from nbproctor.anycourse.grading import ProgressCallbacks

    with ExitStack() as stack:
        advance: list[Callable[[Displayable], None]] = []

        def begin(assignment: str, total: int) -> None:
            stack.close()
            say(f"{assignment}: {total} to grade; first its own solutions are run")
            advance[:] = [stack.enter_context(progress_bar(total))]

        def done(one: Outcome) -> None:
            advance[0](displayable(f"{one.student} {one.assignment}"))

        yield ProgressCallbacks(begin, _tell_reference, done)


def _tell_reference(ran: Reference) -> None:
    if ran.short:
        say(f"{ran.assignment}: its own solutions get {ran.points:g} of {many(ran.most, 'point')} here:", "yellow")
        for one in ran.short[:SHOWN_MOST]:
            say(f"  {one}", "yellow")
    for name in ran.missing:
        say(
            f"{ran.assignment}: the module {name} is not installed here, or students' processes cannot see it", "yellow"
        )


def _tell(graded: Graded, seconds: float) -> None:
    from nbproctor.anycourse.report import cells_wait

    for text in graded.said:
        say(text)
    for assignment, why in graded.refused.items():
        say(f"{assignment}: not graded. {why}", "red")
    failed = [one for one in graded.outcomes if one.failed]
    for one in failed[:SHOWN_MOST]:
        say(f"{one.student} {one.assignment}: not graded, as in nbgrader. {line(one.failed, 200)}", "red")
    differing = [one for one in graded.outcomes if one.differences]
    for one in differing[:SHOWN_MOST]:
        say(f"{one.student} {one.assignment}: {one.differences[0]}", "yellow")
    waiting = sum(one.by_hand for one in graded.outcomes)
    say(
        f"{len(graded.outcomes) - len(failed)} graded, {len(failed)} failed, {graded.skipped} graded before, "
        f"in {seconds:.1f} s. {cells_wait(waiting)}."
    )


def doctor(course: CourseOption = None) -> None:
    """Say whether a course can be graded here, and how its checks are graded.

    For an nbgrader course it shows the sandbox, the kernels, modules that are
    missing, and what the course's own solutions score, assignment by
    assignment.

    Exit code: 0 if all is well, 2 if there is no course, 3 if something has
    to be done; the line says what.
    """
    todo = 0
    with one_line_errors():
        folder = course_folder(course)
        if folder is None:
            say(
                f"{ROOT}: Attention from Scratch, whose checks are written for the strict way: each verdict is computed"
            )
            say("in a process that never runs a line of the student's code. `make test` tries its solutions.")
            say(f"sandbox: {', '.join(sandbox.check_layers())}")
            return
        from nbproctor.anycourse import doctor as doctor_of
        from nbproctor.anycourse.settings import Course

        say(f"{folder}: an nbgrader course, whose checks run beside the student's code.")
        for text, is_well in doctor_of.look(Course(folder)):
            say(text, "" if is_well else "yellow")
            todo += not is_well
    if todo:
        raise typer.Exit(3)


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
        folder = course_folder(course)
        if folder is None:
            raise UserError("this command is for nbgrader courses; Attention from Scratch has pages of its own already")
        from nbproctor.anycourse import feedback as pages
        from nbproctor.anycourse.settings import Course

        found = Course(folder)
        written, kept = pages.write(found, assignments or (), student, force)
        counts = f"submissions with new pages: {written}, with pages left as they were: {kept}."
        say(f"{found.directory.feedback_directory}/: {counts}")
        if kept:
            say("After you have graded by hand, --force writes those anew.")


def refuse(options: dict[str, object]) -> None:
    """End the command if an option was given that only our own course has."""
    given = [name for name, value in options.items() if value]
    if given:
        print(f"nbproctor: {given[0]} is for the course Attention from Scratch alone", file=sys.stderr)
        raise typer.Exit(2)
