"""Writes one graded submission: its rows in the gradebook, in one transaction, and then its folder in autograded/.

Points, comments and penalties are those of nbgrader's `SaveAutoGrades` and `AssignLatePenalties`, which run here as
they are, but with rows that were read at once. The folder is put in its place last and whole: that it is there says
that the submission is graded, to us as to nbgrader.
"""

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
from nbgrader import utils
from nbgrader.api import Gradebook, SubmittedNotebook
from nbgrader.plugins import LateSubmissionPlugin
from nbgrader.preprocessors import AssignLatePenalties, SaveAutoGrades
from sqlalchemy.exc import SQLAlchemyError

from nbproctor.anycourse.settings import Course, CourseError
from nbproctor.anycourse.steps import CheckCellMetadataOnce
from nbproctor.anycourse.warm import Files
from nbproctor.border import frames


@dataclass
class Submission:
    """One student's assignment on its way. notebooks: those to grade, by their names in the gradebook.

    graded: notebooks that have run. by_hand: how many cells wait for a person in the gradebook, tasks and cells that
    the student has deleted among them. files: what lies beside the notebooks at the end. differences: where we went on
    and nbgrader would not. notes: what else an instructor should know. failed: why nothing more could be graded.
    """

    student: str
    assignment: str
    folder: Path
    notebooks: dict[str, Path]
    unknown: list[str]  # names of notebooks that the gradebook does not know
    files: Files = field(default_factory=dict)
    graded: dict[str, Any] = field(default_factory=dict)
    by_hand: int = 0
    differences: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    failed: str = ""
    cpu_s: float = 0.0


@contextmanager
def one_transaction(book: Gradebook) -> Iterator[None]:
    """Make what nbgrader commits in between final only at the end of the `with` block, all of it or nothing."""
    with book.engine.begin() as connection:
        book.db.remove()
        # All of it is one transaction, so after a commit of nbgrader's nothing has to be read again.
        book.db.configure(bind=connection, join_transaction_mode="rollback_only", expire_on_commit=False)
        try:
            yield
            book.db.commit()
        finally:
            book.db.remove()
            book.db.configure(bind=book.engine, expire_on_commit=True)


def write(course: Course, book: Gradebook, one: Submission, saving: Sequence[Any]) -> None:
    """Write a submission that was graded, or the rows that nbgrader leaves of one that failed.

    saving: nbgrader's steps from `SaveAutoGrades` on. Those of the configuration's own may open the gradebook
    themselves, so they run after the transaction.
    """
    inside = list(takewhile(_is_known, saving))
    with one_transaction(book):
        failed = _write_rows(course, book, one, inside)
    for name, nb in () if failed else one.graded.items():
        for step in saving[len(inside) :]:
            nb, _ = step(nb, resources(course, one, name))
        one.graded[name] = nb
    one.failed = one.failed or failed
    if not one.failed:
        _place(course, one)


def _write_rows(course: Course, book: Gradebook, one: Submission, steps: Sequence[Any]) -> str:
    """Write a submission's rows. Returns why that failed, or ""; what was written until then stays, as in nbgrader."""
    try:
        rows = _rows(course, book, one)
        missing = [row for name, row in rows.items() if not (one.folder / f"{name}.ipynb").exists()]
        for row in missing if one.notebooks else ():
            for grade in row.grades:
                grade.auto_score, grade.needs_manual_grade = 0, False
        for name, nb in one.graded.items():
            for step in steps:
                _save(step, nb, resources(course, one, name), book, rows[name])
        one.by_hand = sum(grade.needs_manual_grade for row in rows.values() for grade in row.grades)
    except SQLAlchemyError:
        raise
    except Exception as error:  # noqa: BLE001 as in nbgrader: this submission fails, and the others go on
        return f"{type(error).__name__}: {error}"
    return ""


def remove(course: Course, one: Submission) -> None:
    """Remove the folder of a submission that failed, as nbgrader does, so that the next run tries it again."""
    folder = course.autograded(one.student, one.assignment)
    if folder.exists():
        utils.rmtree(folder)


def _rows(course: Course, book: Gradebook, one: Submission) -> Mapping[str, SubmittedNotebook]:
    """The submission's notebooks in the gradebook, which gets the student and the submission where it has none."""
    if course.converter.create_student:
        book.update_or_create_student(one.student)
    elif one.student not in {student.id for student in book.students}:
        raise CourseError(f"no student {one.student!r} in the gradebook, and c.Autograde.create_student is False")
    timestamp = course.directory.get_existing_timestamp(str(one.folder))
    extra = {"timestamp": timestamp} if timestamp else {}
    submission = book.update_or_create_submission(one.assignment, one.student, **extra)
    return {notebook.name: notebook for notebook in submission.notebooks}


def _is_known(step: Any) -> bool:
    if type(step) is AssignLatePenalties:
        return step.plugin_class is LateSubmissionPlugin
    return type(step) in (SaveAutoGrades, CheckCellMetadataOnce)


def resources(course: Course, one: Submission, name: str) -> dict[str, Any]:
    """What nbgrader gives its steps about a notebook."""
    about = {
        "student": one.student, "assignment": one.assignment, "notebook": name, "db_url": course.directory.db_url
    }  # fmt: skip
    return {"unique_key": name, "output_files_dir": f"{name}_files", "nbgrader": about}


def _save(step: Any, nb: Any, resources: dict[str, Any], book: Gradebook, row: SubmittedNotebook) -> None:
    if not getattr(step, "enabled", True):
        return
    if type(step) is SaveAutoGrades:
        _save_points(step, nb, resources, row)
        book.db.flush()
        book.db.expire(row)  # so that the score, which a penalty may ask for, is counted again
    elif type(step) is AssignLatePenalties:
        _save_penalty(step, book, resources, row)
    else:
        step(nb, resources)


def _save_points(step: Any, nb: Any, resources: dict[str, Any], row: SubmittedNotebook) -> None:
    """What `SaveAutoGrades.preprocess` does, with rows that are here already."""
    grades, comments = {one.name: one for one in row.grades}, {one.name: one for one in row.comments}
    step.notebook_id = step.assignment_id = step.student_id = ""
    step.gradebook = SimpleNamespace(
        find_grade=lambda name, *_: grades[name],
        find_comment=lambda name, *_: comments[name],
        db=SimpleNamespace(commit=lambda: None),
    )
    for index, cell in enumerate(nb.cells):
        step.preprocess_cell(cell, resources, index)


def _save_penalty(step: Any, book: Gradebook, resources: dict[str, Any], row: SubmittedNotebook) -> None:
    """What `AssignLatePenalties.preprocess` does, in our transaction."""
    step.init_plugin()
    row.late_submission_penalty = None
    late_s = row.assignment.total_seconds_late
    if late_s > 0:
        penalty = step.plugin_inst.late_submission_penalty(resources["nbgrader"]["student"], row.score, late_s)
        if penalty is not None:
            row.late_submission_penalty = step._check_late_penalty(row, penalty)
    book.db.commit()


def _place(course: Course, one: Submission) -> None:
    """Put the graded submission's folder in its place, whole."""
    folder = course.autograded(one.student, one.assignment)
    made, old = (folder.with_name(f".{folder.name}.{word}") for word in ("made", "old"))
    for left in (made, old):  # by a run that was killed
        if left.exists():
            utils.rmtree(left)
    made.mkdir(parents=True)
    frames.write_files(made, ((name, mode, data) for name, (mode, data) in one.files.items()))
    for name, nb in one.graded.items():
        (made / f"{name}.ipynb").write_text(nbformat.writes(nb), encoding="utf-8")
    permissions = int(str(course.converter.permissions), 8)
    for path in made.rglob("*"):
        if path.is_file():
            path.chmod(permissions)
    if folder.exists():
        os.rename(folder, old)
    os.rename(made, folder)
    if old.exists():
        shutil.rmtree(old, ignore_errors=True)
    if course.directory.groupshared:
        course.converter.set_permissions(one.assignment, one.student)
