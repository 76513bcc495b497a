"""Lets nbgrader's own Autograde, by formgrader's button or `nbgrader autograde`, run our grader in its sandbox.

`nbgrader_config.py` names `GradeInSandbox` instead of nbgrader's preprocessors. One of those is `Execute`, which would
run a student's code in an ordinary kernel with the instructor's rights. `GradeInSandbox` starts `nbproctor grade` for
the one student and unit, so the button does all that the command does: it grades in the sandbox, and writes gradebook,
autograded notebook, page and report.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbgrader.preprocessors import NbGraderPreprocessor

from nbproctor.classroom import gradebook
from nbproctor.course.units import load_unit
from nbproctor.values.text import clean

FINISHED = (0, 3)  # exit codes of `nbproctor grade`: all graded; graded, and something in it needs a look


def know_assignment(db_url: str, *, assignment: str, **_: object) -> None:
    """Write the unit into the gradebook, without which Autograde refuses it (`Autograde.pre_convert_hook`)."""
    gradebook.add_assignment(load_unit(assignment), db_url)


class NotGraded(Exception):
    """The grader did not start or did not finish; the message is the grader's own."""


class GradeInSandbox(NbGraderPreprocessor):  # type: ignore[misc]
    """Grades the submission behind the notebook with `nbproctor grade` and puts the graded notebook in its place."""

    def preprocess(self, nb: Any, resources: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Grade the submission and return the graded notebook. Raises NotGraded if the grader fails."""
        of = resources["nbgrader"]
        graded = Path(resources["metadata"]["path"]).resolve() / f"{of['notebook']}.ipynb"
        classroom = graded.parents[3]  # of autograded/STUDENT/UNIT/UNIT.ipynb
        command = ["grade", of["assignment"], "--student", of["student"], "--classroom", str(classroom)]
        if of["db_url"] != f"sqlite:///{classroom / 'gradebook.db'}":
            command += ["--db", of["db_url"]]
        self.log.info("nbproctor grades %s, %s in its sandbox; no kernel is started", of["student"], of["assignment"])
        done = subprocess.run(  # noqa: S603 our own command, no shell
            [sys.executable, "-c", "from nbproctor.cli.app import app; app()", *command],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        for output_line in clean(done.stdout).splitlines():
            self.log.info("%s", output_line.rstrip())
        if done.returncode not in FINISHED:
            raise NotGraded(clean(done.stderr).strip()[-600:] or f"nbproctor ended with {done.returncode}")
        return nbformat.read(graded, as_version=4), resources
