"""Results in nbgrader's own gradebook, read back by nbgrader."""

import csv
import datetime
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import forked
import postgres
import psycopg
import pytest
from fake_class import STUB, everyone, result, typed, ungradable, unit
from msgspec.structs import replace
from nbgrader.api import Comment, Grade, Gradebook, InvalidEntry, SubmittedNotebook
from nbgrader.apps import NbGraderApp
from sqlalchemy import event
from sqlalchemy.engine import Engine
from sqlalchemy.exc import OperationalError, PendingRollbackError
from weekly import weekly_but

from nbproctor.classroom import gradebook as book
from nbproctor.classroom.autograded import write_autograded
from nbproctor.paths import ROOT
from nbproctor.values.grades import CheckGrade

UNIT = "03_self_attention"


def record(results: list[dict[str, Any]], of: Any, db_url: str) -> list[str]:
    return book.record([typed(one) for one in results], of, db_url)


@pytest.fixture(scope="module")
def server() -> Iterator[postgres.Server]:
    with postgres.running() as found:
        yield found


@pytest.fixture(params=["sqlite", *weekly_but(["postgresql"])])
def db_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database, of each kind in turn."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/gradebook.db"
    server: postgres.Server = request.getfixturevalue("server")
    return server.create(tmp_path.name)


def scores(db_url: str) -> dict[str, float]:
    with Gradebook(db_url) as gradebook:
        return {row.student.id: row.score for row in gradebook.assignment_submissions(UNIT)}


def nbgrader(folder: Path, *commands: list[str]) -> None:
    """Run nbgrader's commands as an instructor would, in the folder of a course; in one process, for speed."""

    def main() -> None:
        for command in commands:
            NbGraderApp.launch_instance(command)
            NbGraderApp.clear_instance()

    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # nbgrader calls `alembic`
    done = forked.call(main, ["nbgrader"], folder, {**os.environ, "PATH": path})
    assert done.returncode == 0, done.stdout + done.stderr


def test_nbgrader_reads_the_scores_that_were_recorded(db_url: str) -> None:
    course_unit = unit()
    results = everyone(course_unit)
    assert record(results, course_unit, db_url) == []
    with Gradebook(db_url) as gradebook:
        assert {s["student"]: (s["score"], s["max_score"]) for s in gradebook.submission_dicts(UNIT)} == {
            r["student"]: (r["score"], 6.0) for r in results
        }
        failed = {s["student"] for s in gradebook.notebook_submission_dicts(UNIT, UNIT) if s["failed_tests"]}
        assert failed == {r["student"] for r in results if r["status"] == "graded" and r["score"] < 6}
        grade = gradebook.find_grade("hidden_attention_weights", UNIT, UNIT, "dee")
        assert (grade.auto_score, grade.max_score, grade.needs_manual_grade) == (0.0, 2.0, False)
        assert gradebook.find_submission(UNIT, "dee").timestamp == datetime.datetime(2026, 11, 21, 10)
        assert gradebook.find_comment("attention_weights", UNIT, UNIT, "dee").auto_comment is None


def test_a_time_with_an_offset_is_stored_in_utc(db_url: str) -> None:
    """nbgrader compares timestamps with due dates in UTC, so that a time with an offset has to be converted."""
    course_unit = unit()
    record([result("ana", course_unit) | {"submitted": "2026-11-21T10:00:00+02:00"}], course_unit, db_url)
    record([result("ana", course_unit) | {"submitted": ""}], course_unit, db_url)  # no time leaves the earlier time
    with Gradebook(db_url) as gradebook:
        assert gradebook.find_submission(UNIT, "ana").timestamp == datetime.datetime(2026, 11, 21, 8)


def test_recording_twice_leaves_one_row_each(db_url: str) -> None:
    course_unit = unit()
    for _ in range(2):
        record(everyone(course_unit), course_unit, db_url)
    with Gradebook(db_url) as gradebook:
        counts = [gradebook.db.query(model).count() for model in (SubmittedNotebook, Grade, Comment)]
    assert counts == [10, 40, 20]


def test_work_done_in_formgrader_survives_a_new_result(db_url: str) -> None:
    course_unit = unit()
    failed = result("ana", course_unit, ("failed", "failed"))
    record([failed], course_unit, db_url)
    with Gradebook(db_url) as gradebook:
        grade = gradebook.find_grade("check_attention_weights", UNIT, UNIT, "ana")
        grade.manual_score, grade.extra_credit, grade.needs_manual_grade = 0.5, 0.25, False
        gradebook.find_comment("attention_weights", UNIT, UNIT, "ana").manual_comment = "Nice try."
        gradebook.find_submission_notebook(UNIT, UNIT, "ana").flagged = True
        gradebook.db.commit()
    for again, looks in ((failed, False), (result("ana", course_unit), True), (result("ana", course_unit), True)):
        record([again], course_unit, db_url)
        with Gradebook(db_url) as gradebook:
            grade = gradebook.find_grade("check_attention_weights", UNIT, UNIT, "ana")
            assert (grade.score, grade.manual_score, grade.needs_manual_grade) == (0.75, 0.5, looks)
            assert gradebook.find_comment("attention_weights", UNIT, UNIT, "ana").comment == "Nice try."
            assert gradebook.find_submission_notebook(UNIT, UNIT, "ana").flagged


def test_an_ungradable_submission_waits_for_a_person_with_its_reason(db_url: str) -> None:
    course_unit = unit()
    jo = ungradable("jo", course_unit, "unreadable: <script>x</script>.ipynb")
    jo["exercises"] = result("jo", course_unit)["exercises"]  # what the grader had found before it gave up
    record([jo], course_unit, db_url)
    with Gradebook(db_url) as gradebook:
        grade = gradebook.find_grade("check_attention_weights", UNIT, UNIT, "jo")
        assert (grade.auto_score, grade.needs_manual_grade) == (None, True)
        comment = gradebook.find_comment("attention_weights", UNIT, UNIT, "jo").comment
    assert comment == "Not graded: unreadable: &lt;script&gt;x&lt;/script&gt;.ipynb"


def test_an_untouched_answer_is_called_no_response(db_url: str) -> None:
    course_unit = unit()
    record([result("eli", course_unit, ("not implemented", "failed"), source=STUB)], course_unit, db_url)
    with Gradebook(db_url) as gradebook:
        assert gradebook.find_comment("attention_output", UNIT, UNIT, "eli").comment == "No response."


def test_changed_points_reach_the_gradebook_and_nobody_is_lost(db_url: str) -> None:
    """Students who are not in the second batch keep their scores under the new maximum."""
    record([result("ana", unit()), result("bo", unit())], unit(), db_url)
    dearer = unit(points=(2.0, 5.0))
    record([result("ana", dearer)], dearer, db_url)
    assert scores(db_url) == {"ana": 14.0, "bo": 6.0}
    with Gradebook(db_url) as gradebook:
        assert gradebook.find_assignment(UNIT).max_score == 14.0


def test_another_exercise_takes_the_place_of_an_old_one(db_url: str) -> None:
    before, after = unit("attention_weights", "old"), unit("attention_weights", "new")
    record([result("ana", before), result("bo", before)], before, db_url)
    with Gradebook(db_url) as gradebook:
        gradebook.find_grade("check_old", UNIT, UNIT, "bo").manual_score = 0.5
        gradebook.find_comment("old", UNIT, UNIT, "bo").manual_comment = "See me."
        gradebook.db.commit()
    notes = record([result("ana", after)], after, db_url)
    assert sorted(notes) == [
        "bo: manual_comment 'See me.' went with cell old",
        "bo: manual_score 0.5 went with cell check_old",
    ]
    assert scores(db_url) == {"ana": 6.0, "bo": 3.0}
    with Gradebook(db_url) as gradebook:
        assert gradebook.find_assignment(UNIT).max_score == 6.0
        names = {cell.name for cell in gradebook.find_notebook(UNIT, UNIT).source_cells}
        assert {"new", "check_new", "hidden_new"} < names and not {"old", "check_old", "hidden_old"} & names
        grade = gradebook.find_grade("check_new", UNIT, UNIT, "bo")
        assert (grade.auto_score, grade.needs_manual_grade) == (None, True)
        assert gradebook.db.query(Grade).count() == 8


def test_a_name_too_long_for_the_gradebook_does_not_stop_the_others(db_url: str) -> None:
    course_unit = unit()
    odd = ["=1+1", 'O\'Neil, "Zoë" 🎓', "نور", "<script>", "a; DROP TABLE grade"]
    notes = record([result(student, course_unit) for student in [*odd, "x" * 300]], course_unit, db_url)
    assert notes == [f"{'x' * 40}…: not recorded, a student's id has 1 to 128 characters"]
    assert scores(db_url) == dict.fromkeys(odd, 6.0)


def test_an_error_while_writing_leaves_no_half_class(db_url: str) -> None:
    course_unit = unit()
    honest, broken = typed(result("ana", course_unit)), typed(result("zed", course_unit))
    (check, *_), *_ = (exercise.checks for exercise in broken.exercises)
    exercise = replace(broken.exercises[0], checks=(replace(check, max_points=object()),))  # type: ignore[arg-type]
    with pytest.raises(book.GradebookError, match="object"):
        book.record([honest, replace(broken, exercises=(exercise,))], course_unit, db_url)
    assert scores(db_url) == {}


def test_what_is_read_is_what_nbgrader_counts(db_url: str) -> None:
    """Scores are given by the grader and by hand, with extra credit, penalties and comments; some wait for a person."""
    course_unit = unit()
    record(everyone(course_unit), course_unit, db_url)
    with Gradebook(db_url) as gradebook:
        grade = gradebook.find_grade("check_attention_weights", UNIT, UNIT, "bo")
        grade.manual_score, grade.extra_credit = 0.5, 0.25
        gradebook.find_grade("hidden_attention_output", UNIT, UNIT, "ana").extra_credit = 2.0
        gradebook.find_comment("attention_weights", UNIT, UNIT, "bo").manual_comment = "Nice try."
        gradebook.find_comment("attention_output", UNIT, UNIT, "bo").manual_comment = ""
        gradebook.find_submission_notebook(UNIT, UNIT, "cem").late_submission_penalty = 1.5
        gradebook.find_submission_notebook(UNIT, UNIT, "eli").late_submission_penalty = 100.0
        gradebook.db.commit()
        exported = {
            one.student.id: max(0.0, one.score - one.late_submission_penalty)
            for one in gradebook.assignment_submissions(UNIT)
        }
    found = book.read(db_url)
    assert found.keys() == {(student, UNIT) for student in exported}
    assert {key[0]: grade.score or 0.0 for key, grade in found.items()} == exported
    assert {grade.max_score for grade in found.values()} == {6.0}
    bo, jo = found["bo", UNIT], found["jo", UNIT]
    assert bo.comments == {"attention_weights": "Nice try."}
    assert bo.of(["check_attention_weights"]) == (CheckGrade("check_attention_weights", 1.0, 0.0, 0.5, 0.25),)
    assert (bo.score, bo.by_hand, bo.needs_manual_grade, found["dee", UNIT].by_hand) == (3.75, True, False, False)
    assert (jo.score, jo.needs_manual_grade) == (None, True)


@pytest.mark.parametrize("db_url", ["sqlite"], indirect=True)
def test_reading_a_gradebook_that_is_not_there_makes_none(tmp_path: Path, db_url: str) -> None:
    """Where nothing was graded, nothing is found and no file is made; a file that is no gradebook is an error."""
    assert book.read(db_url) == {}
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "gradebook.db").write_bytes(b"no database" * 100)
    with pytest.raises(book.GradebookError, match="not a database"):
        book.read(db_url)


def test_a_gradebook_of_an_older_nbgrader_is_told_first_with_the_command_that_brings_it_up_to_date(
    tmp_path: Path,
) -> None:
    """The command can be typed as it is, in grader/; scores given by hand are there afterwards."""
    db_url = book.sqlite_url(tmp_path / "gradebook.db")
    record([result("ana", unit())], unit(), db_url)
    with closing(sqlite3.connect(tmp_path / "gradebook.db")) as connection, connection:
        connection.execute("update grade set manual_score = 0.5")
        connection.execute("alter table student drop column lms_user_id")
        connection.execute("update alembic_version set version_num = '167914646830'")
    for reads in (book.check_writable, book.read_all):
        with pytest.raises(book.GradebookError) as told:
            reads(db_url)
        missing = "no such column: student.lms_user_id, since an older nbgrader has made it; "
        assert str(told.value).startswith(f"{tmp_path}/gradebook.db: {missing}")
    found = re.search("`(.+)`", str(told.value))
    assert found
    done = subprocess.run(["bash", "-c", found[1]], cwd=ROOT / "grader", capture_output=True, text=True, timeout=120)  # noqa: S603, S607, PLW1510
    assert done.returncode == 0, done.stderr
    book.check_writable(db_url)
    assert book.read(db_url)["ana", UNIT].score == 2.0


def test_no_line_about_a_gradebook_costs_work_by_hand() -> None:
    """Only a file that is no gradebook is to be moved away, whether SQLite or PostgreSQL tells of it."""
    older = ", since an older nbgrader has made it; run `PATH="
    for words, todo in (
        ("column grade.extra_credit does not exist LINE 1: SELECT", older),
        ('relation "task_cells" does not exist', older),
        ('database "gradebook" does not exist', "create it first: createdb NAME"),
        ("database disk image is malformed", "it is damaged: keep a copy, since it holds what was given by hand; "),
        ("duplicate key value violates unique constraint", "another program was writing into it at the same moment"),
        ("something new", "nothing of this run was written to it, and the results are kept; run the same command"),
    ):
        error = OperationalError("SELECT", {}, Exception(words))
        told = str(book.as_gradebook_error("sqlite:////x/gradebook.db", error))
        told = told.removeprefix(f"/x/gradebook.db: {words}")
        assert told.startswith(todo if todo == older else f"; {todo}")


def test_nbgraders_commands_work_on_what_was_recorded(tmp_path: Path, db_url: str) -> None:
    course_unit = unit()
    source = tmp_path / "source" / UNIT
    source.mkdir(parents=True)
    (source / f"{UNIT}.ipynb").write_text(json.dumps(course_unit.instructor))
    stub = '# YOUR CODE HERE\nraise NotImplementedError("not implemented yet")'
    config = f"c = get_config()\nc.ClearSolutions.code_stub = {{'python': {stub!r}}}\n"
    config += f"c.CourseDirectory.db_url, c.CourseDirectory.course_id = {db_url!r}, 'attention'\n"
    (tmp_path / "nbgrader_config.py").write_text(config)
    nbgrader(tmp_path, ["generate_assignment", UNIT])
    with Gradebook(db_url) as gradebook:
        before = {c.name: c.to_dict() for c in gradebook.find_notebook(UNIT, UNIT).source_cells}
    results = everyone(course_unit)
    record(results, course_unit, db_url)
    with Gradebook(db_url) as gradebook:
        assert {c.name: c.to_dict() for c in gradebook.find_notebook(UNIT, UNIT).source_cells} == before
    for one in results:
        write_autograded(typed(one), course_unit, tmp_path)
    nbgrader(
        tmp_path, ["generate_assignment", UNIT, "--force"], ["export"], ["generate_feedback", UNIT, "--student=bo"]
    )
    with (tmp_path / "grades.csv").open() as lines:
        exported = {row["student_id"]: (float(row["score"]), float(row["max_score"])) for row in csv.DictReader(lines)}
    assert exported == {r["student"]: (r["score"], 6.0) for r in results}
    page = (tmp_path / "feedback" / "bo" / UNIT / f"{UNIT}.html").read_text()
    assert "(Score: 3.0 / 6.0)" in page and "Rows sum to 0.83" in page


@pytest.mark.weekly
def test_a_class_is_graded_into_a_gradebook_on_a_server(server: postgres.Server, tmp_path: Path) -> None:
    """The notebook is as it was given out, which needs a look: exit code 3."""
    place = tmp_path / "submitted" / "ana" / "00_tensors"
    place.mkdir(parents=True)
    shutil.copy(ROOT / "course" / "00_tensors" / "00_tensors.ipynb", place)
    program = [sys.executable, "-c", "from nbproctor.cli.app import app; app()", "grade", "--classroom", str(tmp_path)]
    for url, code, said in ((server.url("nobody"), 2, "createdb"), (server.create("somebody"), 3, "")):
        done = subprocess.run([*program, "--db", url], capture_output=True, text=True, timeout=120)  # noqa: S603, PLW1510
        assert (done.returncode, said in done.stderr, len(done.stderr.splitlines())) == (code, True, bool(said))
    with Gradebook(server.url("somebody")) as gradebook:
        assert [row.student.id for row in gradebook.assignment_submissions("00_tensors")] == ["ana"]
    assert not (tmp_path / "gradebook.db").exists()


@pytest.mark.weekly
def test_a_gradebook_on_a_server_that_cannot_be_written_is_one_line(server: postgres.Server) -> None:
    db_url = server.create("locked")
    with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
        connection.execute("drop role if exists reader")
        connection.execute("create role reader login password 'secret'")
    book.check_writable(db_url)
    reader = db_url.replace(f"{server.user}@", "reader:secret@")
    nowhere = "postgresql://ana:secret@127.0.0.1:1/gradebook"
    lines = {
        reader: "permission denied for table course; allow writing there and grade again",
        server.url("nothing"): 'database "nothing" does not exist; create it first: createdb NAME',
        nowhere: "check that the server is running and that the URL is right",
        "postgres://ana:secret@host/x": "this is not the URL of a database; expected one like",
        "ana:secret@host": "this is not the URL of a database; expected one like",
        "mysql+nothere://ana:secret@host/x": "this is not the URL of a database; expected one like",
        "mysql+pymysql://ana:secret@host/x": "its driver pymysql is not installed; install it with pip",
    }
    for url, words in lines.items():
        with pytest.raises(book.GradebookError) as told:
            book.check_writable(url)
        text = str(told.value)
        assert words in text and "secret" not in text and len(text.splitlines()) == 1, text


@pytest.mark.parametrize("made", [1, 4, 9, 13])
def test_a_run_that_is_killed_while_it_makes_the_tables_leaves_none_or_all(tmp_path: Path, made: int) -> None:
    """SQLite would keep the tables made so far, and no later run would note which version of nbgrader they are of."""
    db_url = book.sqlite_url(tmp_path / "gradebook.db")
    book.make_database(book.sqlite_url(tmp_path / "whole.db"))
    child = os.fork()
    if child == 0:

        @event.listens_for(Engine, "before_cursor_execute")
        def killed(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
            nonlocal made
            made -= "CREATE TABLE" in statement
            if made < 0:
                os.kill(os.getpid(), signal.SIGKILL)

        try:
            book.make_database(db_url)
        finally:
            os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    book.check_writable(db_url)
    record([result("ana", unit())], unit(), db_url)
    assert set(book.read(db_url)) == {("ana", UNIT)}
    first, second = _version_noted(tmp_path / "whole.db"), _version_noted(tmp_path / "gradebook.db")
    assert len(first) == 1 and first == second


def _version_noted(path: Path) -> list[Any]:
    """The version that the gradebook notes, by which `nbgrader db upgrade` knows what to add."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT version_num FROM alembic_version").fetchall()


def test_no_statement_of_sql_reaches_a_person() -> None:
    """Only the database's own words do, however often nbgrader and the session have wrapped them."""
    words = "(sqlite3.IntegrityError) UNIQUE constraint failed: assignment.name"
    trace = f"{words}\n[SQL: INSERT INTO assignment (id, name) VALUES (?, ?)]\n[parameters: ('1', 'x')]"  # noqa: S608
    for error in (InvalidEntry(trace), PendingRollbackError(f"Original exception was: {trace}"), Exception(trace)):
        told = str(book.as_gradebook_error("sqlite:////class/gradebook.db", error))
        assert words in told and "INSERT" not in told and "parameters" not in told and "move" not in told
