"""Writes a class's results into nbgrader's own gradebook, and reads the scores that count from it.

`formgrader` and `nbgrader export` show what is written here; pages and files are made from what `read` finds.

The assignment is brought up to date first (`assignment`). Then the students' rows, one per grade cell and one per
solution cell, are written by bulk statements. All of it is one transaction: no error, Ctrl-C or `kill -9` leaves half a
class behind.

Which grade counts:
- Manual work in formgrader (score, extra credit, comment, flag) is never overwritten. A grade with a manual score is
  marked for another look only when its automatic score has changed since. (Stock autograde marks it each time.)
- A cell that the unit no longer has is removed from the gradebook with its grades, since nbgrader would go on counting
  its points. Manual work on it is returned as notes.
- Students without a result keep every row. For a cell that is new they get an empty row, marked for grading by hand.
- An ungradable submission has no scores, not zeros: its grades wait in formgrader, with the reason as the comment.
"""

import html
import os
import re
import shlex
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sql
from nbgrader import api, utils
from nbgrader.api import Gradebook, InvalidEntry
from sqlalchemy import Connection, func, insert, make_url, select
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError

from nbproctor.classroom.assignment import make_database, update_assignment
from nbproctor.course.units import Unit
from nbproctor.errors import UserError
from nbproctor.values import grades
from nbproctor.values.result import Result
from nbproctor.values.text import Clean, clean, line

NAME_LONGEST = 200  # characters of a student's name
BUSY_S = 5.0  # wait this long while another process is writing
_POSTGRES_OPTIONS = {"connect_timeout": 10, "options": f"-c lock_timeout={BUSY_S * 1000:.0f}"}
ID_LENGTH = 128  # characters of nbgrader's student.id; for a longer one PostgreSQL refuses the whole transaction

_STUDENT, _SUBMISSION, _NOTEBOOK, _GRADE, _COMMENT = (
    model.__table__ for model in (api.Student, api.SubmittedAssignment, api.SubmittedNotebook, api.Grade, api.Comment)
)
_ASSIGNMENT, _CELL, _GRADE_CELL, _TASK_CELL = (
    model.__table__ for model in (api.Assignment, api.BaseCell, api.GradeCell, api.TaskCell)
)


class GradebookError(UserError):
    """The gradebook cannot be used; the message says where it is, what is wrong, and what to do."""


def sqlite_url(path: Path) -> str:
    return f"sqlite:///{path}"


def _sqlite_path(db_url: str) -> Path | None:
    return Path(db_url.removeprefix("sqlite:///")) if db_url.startswith("sqlite:///") else None


def _is_there(path: Path) -> bool:
    """Whether the file exists. Raises GradebookError if a folder above it cannot be read."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise GradebookError(f"{path}: cannot be read ({error.strerror}); allow it, or name another file") from error
    return True


def check_writable(db_url: str) -> None:
    """Check, before the first student is graded, that results can be written. Raises GradebookError."""
    path = _sqlite_path(db_url)
    try:
        engine = _engine(db_url)
        try:
            make_database(db_url)
            with engine.connect() as connection:
                for table in api.Base.metadata.sorted_tables:
                    connection.execute(select(table).limit(1)).all()
                known = connection.execute(select(_STUDENT.c.id).limit(1)).all()
                if path:
                    connection.exec_driver_sql("BEGIN IMMEDIATE")
                connection.execute(insert(_STUDENT), [{"id": f"nbproctor probe {len(known)}"}])
                connection.rollback()
        finally:
            engine.dispose()
    except SQLAlchemyError as error:
        raise as_gradebook_error(db_url, error) from error


def _upgrade(db_url: str) -> str:
    """Say how to upgrade a gradebook that an older nbgrader made. PATH is needed since nbgrader calls `alembic`."""
    path = _sqlite_path(db_url)
    url = sqlite_url(path.resolve()) if path else make_url(db_url).render_as_string(hide_password=True)
    command = f"PATH=../.venv/bin:$PATH nbgrader db upgrade --db={shlex.quote(url)}"
    return f"run `{command}` in grader/, which keeps every score"


def _engine(db_url: str) -> sql.Engine:
    """Return an engine that gives up after a few seconds without an answer. Raises GradebookError for a bad URL."""
    try:
        name = make_url(db_url).get_backend_name()
        options = {"sqlite": {"timeout": BUSY_S}, "postgresql": _POSTGRES_OPTIONS}.get(name, {})
        return sql.create_engine(db_url, connect_args=options)
    except ModuleNotFoundError as error:
        todo = "run `make setup`, which installs it" if error.name == "psycopg" else "install it with pip"
        raise GradebookError(f"{shown_url(db_url)}: its driver {error.name} is not installed; {todo}") from error
    except (ArgumentError, NoSuchModuleError) as error:
        expected = "expected one like sqlite:////folder/gradebook.db or postgresql://user@host/gradebook"
        raise GradebookError(f"{shown_url(db_url)}: this is not the URL of a database; {expected}") from error


def shown_url(db_url: str) -> str:
    """Return the URL in a form that may be shown: a file's path, or an address without its password."""
    try:
        return make_url(db_url).render_as_string(hide_password=True).removeprefix("sqlite:///")
    except ArgumentError:
        return line(db_url.rpartition("@")[2], 150)


_OLDER = re.compile("no such (column|table)|has no column|(column|relation) .*does not exist")
_CAREFUL = "keep a copy, since it holds what was given by hand"
_TODO = {
    "not a database": f"{_CAREFUL}; move it away and grade again",
    "malformed|corrupt": f"it is damaged: {_CAREFUL}; repair it, or move it away, and grade again",
    "locked|lock timeout": "close what else has it open (formgrader?) and grade again",
    "constraint|duplicate key|deadlock|could not serialize": "another program was writing into it at the same moment, "
    "so nothing of this run was written, and the gradebook is sound; run the same command again",
    "full|No space left": "make room on the disk and grade again",
    "unable to open": "allow reading and writing there, or name another file",
    "readonly|read-only|permission denied": "allow writing there and grade again",
    "authentication failed": "check the user and the password in the URL, or in ~/.pgpass",
    "does not exist": "create it first: createdb NAME",
    "connection": "check that the server is running and that the URL is right",
}


def as_gradebook_error(db_url: str, error: BaseException) -> GradebookError:
    """Return a database's error as a GradebookError whose one line says what to do."""
    words = line(str(error.orig if isinstance(error, DBAPIError) else error).partition("[SQL")[0], 200)
    if _OLDER.search(words):
        return GradebookError(f"{shown_url(db_url)}: {words}, since an older nbgrader has made it; {_upgrade(db_url)}")
    again = "nothing of this run was written to it, and the results are kept; run the same command again"
    todo = next((text for sign, text in _TODO.items() if re.search(sign, words)), again)
    return GradebookError(f"{shown_url(db_url)}: {words}; {todo}")


def add_assignment(unit: Unit, db_url: str) -> None:
    """Write the unit's assignment into the gradebook, if it is not there yet.

    An existing one stays as it is until the unit is graded, since only grading reports manual work on removed cells.
    """
    try:
        make_database(db_url)
        with Gradebook(db_url) as gradebook:
            is_known = any(assignment.name == unit.name for assignment in gradebook.assignments)
    except (SQLAlchemyError, InvalidEntry) as error:
        raise as_gradebook_error(db_url, error) from None  # nbgrader prints what an error came from
    if not is_known:
        record([], unit, db_url)


def record(results: Iterable[Result], unit: Unit, db_url: str, people: Sequence[grades.Student] = ()) -> list[str]:
    """Write the results of one unit into the gradebook at db_url (an SQLAlchemy URL); make it if there is none.

    people: students as a roster has them, for names that the gradebook lacks. Of two results of one student the last
    counts. Returns a line for each student who could not be recorded and all manual work that was lost. Raises
    GradebookError if the database cannot be written; then nothing in it has changed.
    """
    by_student: dict[str, Result] = {}
    notes = []
    for result in results:
        if 0 < len(result.student) <= ID_LENGTH:
            by_student[result.student] = result
        else:
            notes.append(f"{result.student[:40]}…: not recorded, a student's id has 1 to {ID_LENGTH} characters")
    try:
        return [*notes, *_record(by_student, unit, db_url, people)]
    except (SQLAlchemyError, InvalidEntry) as error:
        raise as_gradebook_error(db_url, error) from error


def _record(results: Mapping[str, Result], unit: Unit, db_url: str, people: Sequence[grades.Student]) -> list[str]:
    """Write results, by student. Returns a line for each piece of manual work that was lost with a removed cell."""
    make_database(db_url)
    with Gradebook(db_url) as gradebook, gradebook.engine.begin() as connection:
        # What nbgrader commits in between becomes final only with this transaction.
        gradebook.db.remove()
        gradebook.db.configure(bind=connection, join_transaction_mode="rollback_only")
        removed = update_assignment(gradebook, unit)
        notebook = gradebook.find_notebook(unit.name, unit.name)
        assignment_id, notebook_id = notebook.assignment_id, notebook.id
        grade_cells = {cell.name: cell.id for cell in notebook.grade_cells}
        solution_cells = {cell.name: cell.id for cell in notebook.solution_cells}
        _write_submissions(connection, results, assignment_id, notebook_id)
        _write_names(connection, people)
        points = {student: result.points for student, result in results.items()}
        _write_rows(connection, _GRADE, notebook_id, grade_cells, partial(_grade, points))
        _write_rows(connection, _COMMENT, notebook_id, solution_cells, partial(_comment, results, unit))
    return removed


def read(db_url: str, student: str = "") -> dict[tuple[str, str], grades.Grade]:
    """Return every grade in the gradebook, or one student's, by (student, unit); {} if there is no gradebook yet.

    Raises GradebookError if it cannot be read.
    """
    return read_all(db_url, student)[0]


def read_all(db_url: str, student: str = "") -> tuple[dict[tuple[str, str], grades.Grade], dict[str, grades.Student]]:
    """Return the grades, as `read` does, and every student that the gradebook knows, by id."""
    path = _sqlite_path(db_url)
    if path is not None and not _is_there(path):
        return {}, {}
    engine = _engine(db_url)
    try:
        if not sql.inspect(engine).has_table(_GRADE.name):
            return {}, {}
        with engine.connect() as connection:
            who = read_students(connection)
            return _read_grades(connection, who, student), who
    except SQLAlchemyError as error:
        raise as_gradebook_error(db_url, error) from error
    finally:
        engine.dispose()


def _read_grades(
    connection: Connection, who: Mapping[str, grades.Student], student: str
) -> dict[tuple[str, str], grades.Grade]:
    """Return every grade, or one student's, in the gradebook behind this connection, by (student, unit)."""
    of = _SUBMISSION.c.student_id == student if student else sql.true()
    theirs = _NOTEBOOK.c.assignment_id.in_(select(_SUBMISSION.c.id).where(of)) if student else sql.true()
    penalty = func.coalesce(func.sum(_NOTEBOOK.c.late_submission_penalty), 0.0)
    submissions = connection.execute(
        select(_SUBMISSION.c.id, _SUBMISSION.c.student_id, _ASSIGNMENT.c.name, _SUBMISSION.c.timestamp, penalty)
        .join(_ASSIGNMENT, _SUBMISSION.c.assignment_id == _ASSIGNMENT.c.id)
        .outerjoin(_NOTEBOOK, _NOTEBOOK.c.assignment_id == _SUBMISSION.c.id)
        .where(of)
        .group_by(_SUBMISSION.c.id, _SUBMISSION.c.student_id, _ASSIGNMENT.c.name, _SUBMISSION.c.timestamp)
    ).all()
    checks, comments = _checks(connection, theirs), _comments(connection, theirs)
    return {
        (one, unit): grades.Grade(
            one, unit, tuple(checks[key]), comments[key], float(late),
            f"{moment:%Y-%m-%d %H:%M:%S} +0000" if moment else "", line(who[one].name, NAME_LONGEST),
        )
        for key, one, unit, moment, late in submissions
    }  # fmt: skip


def read_students(connection: Connection) -> dict[str, grades.Student]:
    """Return every student that the gradebook knows, by id."""
    columns = (_STUDENT.c.id, _STUDENT.c.first_name, _STUDENT.c.last_name, _STUDENT.c.email, _STUDENT.c.lms_user_id)
    return {row.id: grades.Student(*(value or "" for value in row)) for row in connection.execute(select(*columns))}


def _checks(connection: Connection, theirs: sql.ColumnElement[bool]) -> dict[str, list[grades.CheckGrade]]:
    """Return the checks of these submissions, by the submission's id; they are in order of their names."""
    most = func.coalesce(_GRADE_CELL.c.max_score, _TASK_CELL.c.max_score, 0.0)
    columns = (_GRADE.c.auto_score, _GRADE.c.manual_score, func.coalesce(_GRADE.c.extra_credit, 0.0))
    rows = connection.execute(
        select(_NOTEBOOK.c.assignment_id, _CELL.c.name, most, *columns, _GRADE.c.needs_manual_grade)
        .join(_NOTEBOOK, _GRADE.c.notebook_id == _NOTEBOOK.c.id)
        .join(_CELL, _GRADE.c.cell_id == _CELL.c.id)
        .outerjoin(_GRADE_CELL, _GRADE_CELL.c.id == _CELL.c.id)
        .outerjoin(_TASK_CELL, _TASK_CELL.c.id == _CELL.c.id)
        .where(theirs)
        .order_by(_CELL.c.name)
    )
    found: dict[str, list[grades.CheckGrade]] = defaultdict(list)
    for key, *values in rows:
        found[key].append(grades.CheckGrade(*values))
    return found


def _comments(connection: Connection, theirs: sql.ColumnElement[bool]) -> dict[str, dict[str, Clean]]:
    """Return the comments by hand on these submissions, by their ids; they are in order of the exercises' names."""
    rows = connection.execute(
        select(_NOTEBOOK.c.assignment_id, _CELL.c.name, _COMMENT.c.manual_comment)
        .join(_NOTEBOOK, _COMMENT.c.notebook_id == _NOTEBOOK.c.id)
        .join(_CELL, _COMMENT.c.cell_id == _CELL.c.id)
        .where(_COMMENT.c.manual_comment != "", theirs)
        .order_by(_CELL.c.name)
    )
    found: dict[str, dict[str, Clean]] = defaultdict(dict)
    for key, exercise, text in rows:
        found[key][exercise] = clean(text)
    return found


def _insert(connection: Connection, table: Any, rows: list[dict[str, Any]]) -> None:
    if rows:
        connection.execute(insert(table), rows)


def _update(connection: Connection, table: Any, rows: list[dict[str, Any]]) -> None:
    """For each row, set the other values in the entry whose id is row["key"]; all rows have the same keys."""
    if rows:
        values: dict[Any, Any] = {name: sql.bindparam(name) for name in rows[0] if name != "key"}
        connection.execute(sql.update(table).where(table.c.id == sql.bindparam("key")).values(values), rows)


def _write_submissions(
    connection: Connection, results: Mapping[str, Result], assignment_id: str, notebook_id: str
) -> None:
    """Add the student, submitted assignment and submitted notebook that a result lacks; set the timestamps."""
    students = set(connection.scalars(select(_STUDENT.c.id)))
    _insert(connection, _STUDENT, [{"id": student} for student in results if student not in students])
    of_assignment = select(_SUBMISSION.c.student_id, _SUBMISSION.c.id).where(
        _SUBMISSION.c.assignment_id == assignment_id
    )
    submissions = {student: key for student, key in connection.execute(of_assignment) if student in results}
    new = {student: api.new_uuid() for student in results if student not in submissions}
    rows = [{"id": key, "assignment_id": assignment_id, "student_id": student} for student, key in new.items()]
    _insert(connection, _SUBMISSION, rows)
    submissions |= new
    stamps = {student: utils.parse_utc(result.submitted or None) for student, result in results.items()}
    _update(
        connection, _SUBMISSION, [{"key": submissions[s], "timestamp": stamp} for s, stamp in stamps.items() if stamp]
    )
    present = set(connection.scalars(select(_NOTEBOOK.c.assignment_id).where(_NOTEBOOK.c.notebook_id == notebook_id)))
    rows = [{"assignment_id": key, "notebook_id": notebook_id} for key in submissions.values() if key not in present]
    _insert(connection, _NOTEBOOK, rows)


def _write_names(connection: Connection, people: Sequence[grades.Student]) -> None:
    """Give students without a name or an address those of the roster; existing ones stay."""
    in_roster = {one.id: one for one in people if one.name or one.email}
    changed = []
    for known in read_students(connection).values() if in_roster else ():
        new = in_roster.get(known.id, known)
        named = known if known.name else new
        row = (named.first_name, named.last_name, known.email or new.email)
        if row != (known.first_name, known.last_name, known.email):
            first, last, email = (value or None for value in row)
            changed.append({"key": known.id, "first_name": first, "last_name": last, "email": email})
    _update(connection, _STUDENT, changed)


def _write_rows(
    connection: Connection,
    table: Any,
    notebook_id: str,
    cells: Mapping[str, str],
    values: Callable[[str, str, Any], dict[str, Any]],
) -> None:
    """Add the rows of a table that the submissions of a notebook lack, and change those with other values.

    cells: name -> id; a submission has a row for each. values: the columns of a row, given the student, the cell's name
    and the existing row or None.
    """
    submitted = connection.execute(
        select(_NOTEBOOK.c.id, _SUBMISSION.c.student_id)
        .join(_SUBMISSION, _NOTEBOOK.c.assignment_id == _SUBMISSION.c.id)
        .where(_NOTEBOOK.c.notebook_id == notebook_id)
    ).all()
    there = connection.execute(select(table).where(table.c.notebook_id.in_([key for key, _ in submitted])))
    existing = {(row.notebook_id, row.cell_id): row for row in there}
    new, changed = [], []
    for submission, student in submitted:
        for name, cell in cells.items():
            row = existing.get((submission, cell))
            wanted = values(student, name, row)
            if row is None:
                new.append({"notebook_id": submission, "cell_id": cell, **wanted})
            elif any(getattr(row, column) != value for column, value in wanted.items()):
                changed.append({"key": row.id, **wanted})
    _insert(connection, table, new)
    _update(connection, table, changed)


def _grade(points: Mapping[str, Mapping[str, float | None]], student: str, name: str, row: Any) -> dict[str, Any]:
    """Return a check's automatic score, by the rules above. points: student -> check -> points."""
    if row is not None and student not in points:
        return {}
    score = points.get(student, {}).get(name)
    by_hand = row is not None and row.manual_score is not None
    needs = row.needs_manual_grade or score != row.auto_score if by_hand else score is None
    return {"auto_score": score, "needs_manual_grade": needs}


def _comment(results: Mapping[str, Result], unit: Unit, student: str, name: str, row: Any) -> dict[str, Any]:
    """Return the automatic comment, in HTML: "No response." for an untouched cell, or why nothing was graded."""
    result = results.get(student)
    if result is None:
        return {} if row is not None else {"auto_comment": None}
    text = None
    answer = next((one for one in result.exercises if one.name == name), None)
    if result.status != "graded":
        text = html.escape(f"Not graded: {result.reason}".replace("\0", "\ufffd"), quote=False)
    elif answer is not None and answer.status == "unavailable":
        text = html.escape(f"Not graded: {answer.message}", quote=False)
    elif answer is None or answer.status == "missing" or answer.source in [one.stub for one in unit.exercises]:
        text = "No response."
    return {"auto_comment": text}
