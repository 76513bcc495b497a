"""What a student's process says is cut: where it is said, where the examiner receives it, and in the result."""

from pathlib import Path

import pytest
from small_class import Task, answered, grade, unit_of
from students import graded, run

from nbproctor.exam.proxies import Student
from nbproctor.inside.student import Paper

FLOOD = 25_000  # characters; a message may have 2,000, and what is printed 10,000


def test_what_goes_beyond_the_paper_takes_no_memory() -> None:
    paper = Paper()
    assert [paper.write(b"x" * 6_000), paper.write(b"y" * 2 * FLOOD)] == [6_000, 2 * FLOOD]
    assert len(paper.kept) == 40_000  # a character has at most four bytes
    assert paper.take() == "x" * 6_000 + "y" * 4_000


def test_a_student_who_brings_more_paper_is_cut_where_it_comes_in(student: Student) -> None:
    """The examiner cuts what is printed by itself, and does not rely on the student's process to do so."""
    run(student, f"import nbproctor.inside.student as s\ns.Paper.take = lambda self: 'x' * {FLOOD}")
    assert run(student, "pass") == "x" * 10_000


def test_a_message_of_theirs_has_2_000_characters(student: Student) -> None:
    run(student, f"def it():\n    raise ValueError('x' * {FLOOD})")
    found = graded(student, "def it(): ...", "it()")
    assert found.message.startswith("ValueError: xxx") and len(found.message) <= 2_000
    run(student, "import nbproctor.inside.student as s\ns._message = lambda error: str(error)")
    with pytest.raises(ValueError) as raised:
        run(student, "it()")
    assert str(raised.value) == "x" * 2_000
    run(student, f"Odd = type('O' * {FLOOD}, (Exception,), {{}})\ndef it():\n    raise Odd('why')")
    assert graded(student, "def it(): ...", "it()").message.startswith("O" * 80 + ": why")


def test_what_an_exercise_prints_is_cut(tmp_path: Path) -> None:
    unit = unit_of(it=Task("def it(x):\n    return 2 * x", "assert it(3) == 6", "assert it(4) == 8"))
    loud = "print('c' * 6_000)\ndef it(x):\n    print('f' * 6_000)\n    return 2 * x"
    (report,) = grade(unit, tmp_path, workers=1, ana=answered(unit, it=loud))["ana"]["exercises"]
    assert report["status"] == "passed"
    assert report["printed"] == "c" * 6_000 + "\n" + "f" * 3_999
