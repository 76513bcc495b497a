"""`nbproctor answers`: the answer bank, handed in to the real grader."""

import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer

from nbproctor.cli.terminal import CORES, Names, Unsafe, Workers, console, on_terminal, one_line_errors
from nbproctor.course import answers as answer_bank
from nbproctor.course.units import load_gradable_unit, unit_names, units_called
from nbproctor.values.text import displayable, many

Draws = Annotated[
    int,
    typer.Option(help="Instead run every check without the grader, as a notebook does, under this many random draws."),
]


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
