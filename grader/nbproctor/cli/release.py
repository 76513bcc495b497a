"""`nbproctor release`: the student notebooks."""

from typing import Annotated

import typer

from nbproctor.cli.terminal import console, one_line_errors

Units = Annotated[list[str] | None, typer.Argument(metavar="[UNIT]...", help="The units to release; all by default.")]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Also overwrite notebooks in course/ whose changes are in no commit.")
]


def release(units: Units = None, overwrite: Overwrite = False) -> None:
    """Make the students' notebooks in course/ from those in solutions/.

    nbgrader's own preprocessors take out the solutions and hidden tests,
    and each notebook gets its badges.

    Nothing is lost: if a notebook in course/ is neither what the last
    release wrote nor what a commit holds, somebody has worked in it, and
    the command refuses to overwrite it. Write answers in work/ (`make lab`),
    and make changes in solutions/.
    """
    from nbproctor.authoring.release import release as make  # nbgrader takes a second to import

    with one_line_errors():
        changed = make(overwrite=overwrite, units=units or ())
        console.print(f"course/: {', '.join(changed) if changed else 'nothing to change'}")
