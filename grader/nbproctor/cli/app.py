"""The command line. Each command is a function in a module of its own."""

from __future__ import annotations

from nbproctor.run.collector import rest_at_the_end, resting

with resting():
    import typer

    from nbproctor.cli.answers import answers
    from nbproctor.cli.doctor import doctor
    from nbproctor.cli.export import export
    from nbproctor.cli.grade import grade
    from nbproctor.cli.gradescope import gradescope
    from nbproctor.cli.install import feedback, install
    from nbproctor.cli.release import release
    from nbproctor.cli.work import work


rest_at_the_end()
app = typer.Typer(no_args_is_help=True, add_completion=False, help="Grade a class of nbgrader notebooks honestly.")
for command in (grade, doctor, install, feedback, export, gradescope, release, answers, work):
    app.command()(command)
