"""Runs stock nbgrader, and makes notebooks from the bank's answers for it and for nbproctor to grade."""

import json
import os
import shutil
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

import forked
import nbformat
from jupyter_client.channels import HBChannel
from kernels import isolated_options as by_files  # by TCP, two kernels that start at once may choose the same port
from nbgrader.api import Gradebook
from nbgrader.apps.nbgraderapp import main as nbgrader

from nbproctor.classroom.assignment import make_database
from nbproctor.course.answers import Answer, bank, notebook_of
from nbproctor.course.units import Unit
from nbproctor.paths import ROOT
from nbproctor.values.notebook import tags_of
from nbproctor.values.result import Result
from nbproctor.values.submission import Submission

HEART_S = 5.0


def _stop(self: HBChannel) -> None:
    """Stop the channel, waiting for its thread no longer than HEART_S.

    The original waits for ever where the kernel is killed between a heartbeat and its answer.
    """
    self._running = False
    self._exit.set()
    self.join(HEART_S)
    self.close()


HBChannel.stop = _stop  # type: ignore[method-assign]
Points = dict[tuple[str, str], float]  # (student, grade_id) -> points
Answers = dict[str, Answer]  # of one notebook: exercise -> the answer in its cell


def right_answers(unit: Unit) -> Answers:
    """A right answer of the bank to each exercise: the last one there, which is seldom the reference solution."""
    return {exercise.name: _answers(unit, exercise.name, "right")[-1] for exercise in unit.exercises}


def wrong_answers(unit: Unit) -> list[Answers]:
    """Two notebooks: in one the first, third, fifth … exercise is answered wrongly, in the other one the rest.

    The others have the reference solution. So a later exercise does not fail because it uses an earlier, wrong one.
    """
    reference = {exercise.name: _answers(unit, exercise.name, "right")[0] for exercise in unit.exercises}
    names = list(reference)
    return [reference | {name: _answers(unit, name, "wrong")[0] for name in half} for half in (names[::2], names[1::2])]


def _answers(unit: Unit, exercise: str, kind: str) -> list[Answer]:
    return [answer for answer in bank(unit) if answer.exercise == exercise and answer.kind == kind]


def students_with(
    unit: Unit, notebooks: Sequence[Answers], folder: Path, left_out: Collection[str] = ("training",)
) -> list[Submission]:
    """A student for each notebook, who hands in the released notebook with these answers in it.

    left_out: the tags of cells that are empty, as those of a student in a hurry. No check needs a training or a demo.
    """
    found = []
    for number, answers in enumerate(notebooks):
        student = f"student{number:03}"
        path = folder / student / unit.name / f"{unit.name}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(notebook_of(unit, {name: answer.source for name, answer in answers.items()})))
        found.append(Submission(student, unit.name, path))
    _leave_out(unit, found, left_out)
    return found


def _leave_out(unit: Unit, submissions: list[Submission], tags: Collection[str]) -> None:
    """Empty the cells of the text with one of these tags. A training takes up to a minute; demos, half of the rest."""
    emptied = {cell["id"] for cell in unit.instructor["cells"] if {*tags} & {*tags_of(cell)}}
    for one in submissions:
        notebook = nbformat.read(one.path, as_version=4)
        for cell in notebook.cells:
            if cell.id in emptied:
                cell.source = ""
        nbformat.write(notebook, one.path)


def points_of(result: Result) -> Points:
    return {(result.student, grade_id): points for grade_id, points in result.points.items()}


def stock(unit: Unit, submissions: Sequence[Submission], root: Path, kernels: Path) -> Points:
    """The points that stock nbgrader gives the submissions, in a copy of the course in `root`.

    Runs `nbgrader generate_assignment` and `nbgrader autograde`. kernels: a JUPYTER_PATH whose python3 starts quickly;
    apart from that it is the same ipykernel.
    """
    (root / "grader").mkdir()
    (root / "classroom").mkdir()
    make_database(f"sqlite:///{root}/classroom/gradebook.db")  # nbgrader's own way takes 3 to 5 s: `alembic`
    config = (ROOT / "grader" / "nbgrader_config.py").read_text(encoding="utf-8")
    stock_again = "\ndel c.Autograde  # ours would grade both sides\n"
    (root / "grader" / "nbgrader_config.py").write_text(config + stock_again, encoding="utf-8")
    shutil.copytree(ROOT / "solutions" / unit.name, root / "solutions" / unit.name)
    for one in submissions:
        place = root / "classroom" / "submitted" / one.student / unit.name
        if one.has_files:
            shutil.copytree(one.path.parent, place)
        else:
            place.mkdir(parents=True)
            shutil.copy(one.path, place / f"{unit.name}.ipynb")
    scripts = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "OMP_NUM_THREADS": "1"}
    environment["JUPYTER_PATH"] = str(kernels)
    environment["TORCHDYNAMO_DISABLE"] = "1"  # torch.compile asks for a C++ compiler, which not every machine has
    for command in (
        ["generate_assignment", unit.name],
        ["autograde", unit.name, "--Execute.shutdown_kernel=immediate", *by_files(root)],
    ):
        done = forked.call(nbgrader, ["nbgrader", *command], root / "grader", environment)
        assert done.returncode == 0, done.stderr[-3000:]
        assert "nbproctor" not in done.stderr, "nbgrader's own Autograde should be at work here"
    with Gradebook(f"sqlite:///{root}/classroom/gradebook.db") as gradebook:
        return {
            (one.student, grade.name): grade.auto_score or 0.0
            for one in submissions
            for notebook in gradebook.find_submission(unit.name, one.student).notebooks
            for grade in notebook.grades
        }
