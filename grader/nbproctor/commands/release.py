"""`nbproctor release`: the student notebooks."""

from __future__ import annotations

from typing import Annotated

import typer

from nbproctor.commands.terminal import console, one_line_errors

Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Also overwrite notebooks of course/ whose changes are in no commit.")
]


def release(overwrite: Overwrite = False) -> None:
    """Make course/ from solutions/: nbgrader's own preprocessors, badges in, solutions and hidden tests out.

    Refuses where somebody has worked in course/, so that nothing is lost: where a notebook there is neither what the
    last release wrote nor what a commit holds. Answers belong into work/ (`make lab`), changes into solutions/.
    """
    from nbproctor.release import release as make  # nbgrader takes a second to import

    with one_line_errors():
        changed = make(overwrite=overwrite)
        console.print(f"course/: {', '.join(changed) if changed else 'nothing to change'}")
