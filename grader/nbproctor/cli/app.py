"""The command line. Each command is a function in a module of its own."""

import atexit
import gc

import typer

from nbproctor.cli.answers import answers
from nbproctor.cli.doctor import doctor
from nbproctor.cli.export import export
from nbproctor.cli.grade import grade
from nbproctor.cli.gradescope import gradescope
from nbproctor.cli.install import feedback, install
from nbproctor.cli.probe import probe
from nbproctor.cli.release import release
from nbproctor.cli.work import work

# A last collection would go through half a million objects, for a second, in a process that ends anyway.
atexit.register(gc.freeze)
app = typer.Typer(no_args_is_help=True, add_completion=False, help="Grade a class of nbgrader notebooks honestly.")
for command in (grade, doctor, probe, install, feedback, export, gradescope, release, answers, work):
    app.command()(command)
