"""What the commands share: the console, the options that several of them take, and errors as one line."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from nbproctor import batch, classroom, intake, sandbox
from nbproctor.copies import NoRoom
from nbproctor.course import CourseError
from nbproctor.roster import RosterError
from nbproctor.text import Shown, line, shown

CORES = os.cpu_count() or 1
KNOWN = (
    CourseError, batch.GraderError, classroom.ClassroomError, intake.IntakeError, NoRoom,
    RosterError, sandbox.LayerMissing,
)  # fmt: skip
console = Console()

Unsafe = Annotated[
    bool,
    typer.Option("--unsafe", help="Go on without the sandbox where a layer of it is missing.", rich_help_panel="How"),
]
Workers = Annotated[
    int,
    typer.Option(
        min=1, help="Submissions graded at once. By default, as many as there are cores.", rich_help_panel="How"
    ),
]
Names = Annotated[list[str] | None, typer.Argument(help="Units, such as 03_self_attention. By default, all.")]


@contextmanager
def one_line_errors(stopped: str = "stopped") -> Iterator[None]:
    """Turn what we can name into one line on stderr and exit code 2, and Ctrl-C into `stopped` and exit code 130.

    Anything else is a bug and shows its traceback.
    """
    try:
        yield
    except KeyboardInterrupt as error:
        print(f"nbproctor: {stopped}", file=sys.stderr)
        raise typer.Exit(130) from error
    except KNOWN as error:
        print(f"nbproctor: {line(str(error), 600)}", file=sys.stderr)
        raise typer.Exit(2) from error


def say(text: str, style: str = "") -> None:
    """One line on the console; text of students' is harmless in it."""
    console.print(on_terminal(shown(line(text, 400))), style=style, soft_wrap=True)


def on_terminal(text: Shown) -> str:
    """The text for one of rich's tables or lines, which would take words in brackets for colours."""
    return escape(text)
