"""`nbproctor probe`: which wrong answers would the tests of a course give full points?"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nbproctor.cli.anycourse import CourseOption, course_folder
from nbproctor.cli.progress import progress_bar
from nbproctor.cli.terminal import CORES, Unsafe, console, on_terminal, one_line_errors, say
from nbproctor.errors import UserError
from nbproctor.paths import ROOT
from nbproctor.values.text import displayable, many

if TYPE_CHECKING:
    from nbproctor.probe.findings import Found, Survivor
    from nbproctor.probe.probing import Wanted

OWN = ROOT / "classroom"  # where the report of our own course is written
SHOWN_MOST = 12  # survivors of an assignment; the page has all
LINES_MOST = 20  # of one answer
Prober = Callable[[str, Callable[[int], None], Callable[[str], None]], "Found"]
what = partial(typer.Option, rich_help_panel="What to try")


def probe(  # noqa: PLR0913 the options of the command line
    assignments: Annotated[list[str] | None, typer.Argument(help="Assignments of the course. By default, all.")] = None,
    course: CourseOption = None,
    most: Annotated[int | None, what(min=1, help="Try a random sample of so many changes.")] = None,
    seconds: Annotated[
        float, what(min=1, help="How long to try changes of an assignment, if there is no --most.")
    ] = 60.0,
    seed: Annotated[int, what(help="Of the random order and of the sample.")] = 0,
    submitted: Annotated[
        Path | None,
        what(
            "--from",
            help="Try the answers of another year instead, from this folder of STUDENT/ASSIGNMENT/*.ipynb.",
        ),
    ] = None,
    same: Annotated[
        list[str] | None,
        typer.Option(help="Try nothing; mark the survivor of the last run that has this key as right all the same."),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="How many to try at once. By default, one per core.")] = CORES,
    unsafe: Unsafe = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON object to stdout, and nothing else.")] = False,
) -> None:
    """Test the tests: change each reference solution in one place at a time.

    A change that earns full points is a wrong answer that the tests would
    accept, or means the same as the reference. Each is shown with its line
    and with what the tests saw. A change that is right all the same is
    marked once by --same KEY, in source/ASSIGNMENT.same, and is not shown
    again while the solution stays.

    Also shown: a test that no change fails, a test that gives points to the
    untouched release, a reference that fails, or sometimes fails.

    Exit code: 0 if nothing was found, 2 if probing could not start, 3 if
    there is something to look at.
    """
    console.quiet = as_json
    with one_line_errors("stopped"):
        folder = course_folder(course)
        if same:
            return _mark(folder, same)
        from nbproctor.probe import page
        from nbproctor.probe.probing import Wanted

        wanted = Wanted(most, seed, workers, not unsafe, seconds, submitted and submitted.resolve())
        names, prober = _own(assignments, wanted) if folder is None else _other(folder, assignments, wanted)
        found = [_probe(name, prober) for name in names]
        report = page.write(folder or OWN, folder.name if folder else "Attention from Scratch", found)
        say(f"report: {report}")
    if as_json:
        print(json.dumps({"assignments": [asdict(one) for one in found], "report": str(report)}))
    if not all(one.is_well for one in found):
        raise typer.Exit(3)


def _other(folder: Path, assignments: list[str] | None, wanted: Wanted) -> tuple[list[str], Prober]:
    from nbproctor.anycourse.settings import Course
    from nbproctor.probe import probing

    course = Course(folder)
    names = probing.assignments(course, assignments or ())
    if wanted.submitted and not assignments:
        names = [name for name in names if any(wanted.submitted.glob(f"*/{name}/*.ipynb"))] or names
    return names, lambda name, begin, done: probing.probe(course, name, wanted, begin, done)


def _own(assignments: list[str] | None, wanted: Wanted) -> tuple[list[str], Prober]:
    from nbproctor.course.units import load_gradable_unit, unit_names, units_called
    from nbproctor.probe import own

    if wanted.submitted:
        raise UserError(
            "--from is for other courses: our own answers are in the bank, and nbproctor answers tries them"
        )
    names = units_called(assignments or unit_names())
    return names, lambda name, begin, done: own.probe(load_gradable_unit(name), wanted, begin, done)


def _probe(name: str, prober: Prober) -> Found:
    """Probe an assignment with a progress bar, and say what was found."""
    with ExitStack() as stack:
        advance: list[Callable[..., None]] = []

        def begin(total: int) -> None:
            say(f"{name}: {total:,} to try")
            if total:
                advance.append(stack.enter_context(progress_bar(total, "trying")))

        say(f"{name}: running the reference and the untouched release")
        found = prober(name, begin, lambda exercise: advance[0](displayable(exercise)))
    _say(found)
    return found


def _say(found: Found) -> None:
    for text in found.findings:
        say(f"  {text}", "yellow")
    for one in found.survivors[:SHOWN_MOST]:
        _say_survivor(one, "" if found.is_wild else f", line {one.line}")
    if len(found.survivors) > SHOWN_MOST:
        say(f"  … and {len(found.survivors) - SHOWN_MOST} more, on the page")
    for text in (*found.remarks, *found.left_out):
        say(f"  {text}", "dim")
    say(f"{found.assignment}: {found.summary}")


def _say_survivor(one: Survivor, line: str) -> None:
    say(f"  {one.notebook}, {one.exercise}{line}: {one.words} ({many(one.points, 'point')})", "yellow")
    rows = [f"- {one.old}"] if one.old else []
    rows += [f"+ {row}" for row in one.new.splitlines()[:LINES_MOST]]
    for row in rows:
        console.print(on_terminal(displayable(f"    {row}")), soft_wrap=True)
    console.print(on_terminal(displayable(f"    {one.saw}; key {one.key}")), style="dim", soft_wrap=True)


def _mark(folder: Path | None, keys: list[str]) -> None:
    """Mark survivors of the last run as right all the same."""
    from nbproctor.probe import marks, own, page

    known = page.survivors(folder or OWN)
    if missing := [key for key in keys if key not in known]:
        raise UserError(f"no survivor of the last run has the key {missing[0]}; run `nbproctor probe` first")
    for key in keys:
        assignment, one = known[key]
        if folder is None:
            file = own.path(assignment)
        else:
            from nbproctor.anycourse.settings import Course

            file = marks.path(Course(folder), assignment)
        marks.mark(file, [one])
        say(f"{one.exercise}: {one.words}; marked in {file}")
