"""The command line. Each command is a function in a file of its own, below `commands/`."""

from __future__ import annotations

import typer

from nbproctor.commands.answers import answers
from nbproctor.commands.export import export
from nbproctor.commands.grade import grade
from nbproctor.commands.gradescope import gradescope
from nbproctor.commands.release import release
from nbproctor.commands.work import work

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Grade a class of nbgrader notebooks honestly.")
for command in (grade, export, gradescope, release, answers, work):
    app.command()(command)
