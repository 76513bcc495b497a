"""The command line. Each command is a function in a file of its own, below `commands/`."""

from __future__ import annotations

import sys
from types import ModuleType

from nbproctor.collector import rest_at_the_end, resting

with resting():
    import typer

    from nbproctor.commands.answers import answers
    from nbproctor.commands.export import export
    from nbproctor.commands.grade import grade
    from nbproctor.commands.gradescope import gradescope
    from nbproctor.commands.release import release
    from nbproctor.commands.work import work


def _leave_out_servers() -> None:
    """Put stand-ins in the place of nbgrader's Jupyter servers and of its way to a JupyterHub.

    Our commands need only nbgrader's gradebook. Its package imports all of these nevertheless, and that takes as long
    as the gradebook itself.
    """
    for name in ("assignment_list", "course_list", "formgrader", "validate_assignment"):
        server = ModuleType(f"nbgrader.server_extensions.{name}")
        server.load_jupyter_server_extension = None  # type: ignore[attr-defined]
        sys.modules[server.__name__] = server
    hub = ModuleType("nbgrader.auth.jupyterhub")
    hub.JupyterHubAuthPlugin = type("JupyterHubAuthPlugin", (), {})  # type: ignore[attr-defined]
    sys.modules[hub.__name__] = hub


if "nbgrader" not in sys.modules:
    _leave_out_servers()
rest_at_the_end()
app = typer.Typer(no_args_is_help=True, add_completion=False, help="Grade a class of nbgrader notebooks honestly.")
for command in (grade, export, gradescope, release, answers, work):
    app.command()(command)
