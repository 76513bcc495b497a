"""`nbproctor release`, `work` and `answers`: making our own course, a student's copy of it, and the answer bank."""

import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer

from nbproctor.cli.terminal import CORES, Names, Unsafe, Workers, console, on_terminal, one_line_errors, say
from nbproctor.course import answers as answer_bank
from nbproctor.course.units import load_gradable_unit, unit_names, units_called
from nbproctor.values.text import displayable, many

Units = Annotated[list[str] | None, typer.Argument(metavar="[UNIT]...", help="The units to release; all by default.")]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Also overwrite notebooks in course/ whose changes are in no commit.")
]
Draws = Annotated[
    int,
    typer.Option(help="Instead run every check without the grader, as a notebook does, under this many random draws."),
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


def work() -> None:
    """Copy the course to work/, where students write their answers.

    Nothing there is ever overwritten: a newer edition of a notebook is put
    beside the old one.
    """
    from nbproctor.authoring.workcopy import give_out

    with one_line_errors():
        for text in give_out():
            say(text, "yellow")


def answers(units: Names = None, workers: Workers = CORES, unsafe: Unsafe = False, draws: Draws = 0) -> None:
    """Grade all right and wrong answers of the bank.

    Each answer whose verdict is not the expected one is named. Then the exit
    code is 1.
    """
    with one_line_errors(), tempfile.TemporaryDirectory() as scratch:
        loaded = {name: load_gradable_unit(name) for name in units_called(units or unit_names())}
        from nbproctor.authoring import trial  # torch takes seconds to import, and is not everywhere

        all_answers = [answer for unit in loaded.values() for answer in answer_bank.bank(unit)]
        start = time.monotonic()
        if draws:
            troubles = trial.troubles(trial.natively(loaded, all_answers, draws, workers))
        else:
            troubles = trial.examine(loaded, all_answers, Path(scratch), workers, not unsafe)
        for line in troubles:
            console.print(on_terminal(displayable(line)), soft_wrap=True)
        console.print(
            f"{many(len(all_answers), 'answer')}, {many(len(troubles), 'trouble')}, {time.monotonic() - start:.1f} s"
        )
    if troubles:
        raise typer.Exit(1)
