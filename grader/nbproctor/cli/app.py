"""The command line. Each command is a function."""

import atexit
import gc

import typer

from nbproctor.cli.anycourse import doctor, feedback
from nbproctor.cli.export import export
from nbproctor.cli.grade import grade
from nbproctor.cli.gradescope import gradescope
from nbproctor.cli.own_course import answers, release, work
from nbproctor.cli.probe import probe

# A last collection would go through half a million objects, for a second, in a process that ends anyway.
atexit.register(gc.freeze)
app = typer.Typer(no_args_is_help=True, add_completion=False, help="Grade a class of nbgrader notebooks honestly.")
for command in (grade, doctor, probe, feedback, export, gradescope, release, answers, work):
    app.command()(command)
