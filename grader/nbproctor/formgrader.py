"""What nbgrader's own Autograde runs here, formgrader's button or `nbgrader autograde`: our grader, in its sandbox.

`nbgrader_config.py` names `GradeInSandbox` in place of nbgrader's preprocessors, among them `Execute`, which would run
a student's code in an ordinary kernel with the instructor's rights. It starts `nbproctor grade` for that one student
and unit, so that the button does what the command does: sandbox, gradebook, autograded notebook, page and report.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbgrader.preprocessors import NbGraderPreprocessor

from nbproctor import gradebook
from nbproctor.course import load_unit
from nbproctor.text import clean

FINISHED = (0, 3)  # exit codes of `nbproctor grade`: all graded; graded, and something in it needs a look


def know_assignment(db_url: str, *, assignment: str, **_: object) -> None:
    """Write the unit into the gradebook, as `nbgrader generate_assignment` would; Autograde refuses one that it lacks.

    nbgrader calls it before it converts a submission (`Autograde.pre_convert_hook`).
    """
    gradebook.know(load_unit(assignment), db_url)


class NotGraded(Exception):
    """The grader did not start or did not finish; the message is its own line about it."""


class GradeInSandbox(NbGraderPreprocessor):  # type: ignore[misc]
    """Grades the submission behind the notebook with `nbproctor grade` and puts the graded notebook in its place."""

    def preprocess(self, nb: Any, resources: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Raises NotGraded where the grader says that it could not, with what it said."""
        of = resources["nbgrader"]
        graded = Path(resources["metadata"]["path"]).resolve() / f"{of['notebook']}.ipynb"
        classroom = graded.parents[3]  # of autograded/STUDENT/UNIT/UNIT.ipynb
        command = ["grade", of["assignment"], "--student", of["student"], "--classroom", str(classroom)]
        if of["db_url"] != f"sqlite:///{classroom / 'gradebook.db'}":
            command += ["--db", of["db_url"]]
        self.log.info("nbproctor grades %s, %s in its sandbox; no kernel is started", of["student"], of["assignment"])
        done = subprocess.run(  # noqa: S603 our own command, no shell
            [sys.executable, "-c", "from nbproctor.cli import app; app()", *command],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        for told in clean(done.stdout).splitlines():
            self.log.info("%s", told.rstrip())
        if done.returncode not in FINISHED:
            raise NotGraded(clean(done.stderr).strip()[-600:] or f"nbproctor ended with {done.returncode}")
        return nbformat.read(graded, as_version=4), resources
