"""Fixtures of the tests that start processes: a running zygote with students."""

import time
from collections.abc import Iterator

import pytest
import torch
from small_class import DOUBLE, unit_of
from students import LIFETIME_S, PATIENCE_S, Hire, run

from nbproctor.border.messages import Done, RunSetup
from nbproctor.border.protocol import cell_name
from nbproctor.course.units import Unit, load_unit
from nbproctor.exam.proxies import Student
from nbproctor.run import session
from nbproctor.runner.zygote import Control, zygote_started

torch.set_num_threads(1)  # a pool of threads would not survive the forks of `batch.run`


@pytest.fixture(scope="session")
def attention() -> Unit:
    return load_unit("03_self_attention")


@pytest.fixture(scope="session")
def unit() -> Unit:
    """A unit with one exercise, `double`."""
    return unit_of(double=DOUBLE)


@pytest.fixture(scope="session")
def control() -> Iterator[Control]:
    with zygote_started(1, True) as zygote:
        session.get_ready([])
        zygote.wait_until_ready()
        yield zygote.controls[0]


@pytest.fixture
def hire(control: Control) -> Iterator[Hire]:
    """A function that starts a student: a sandboxed process with torch imported. All of them end with the test."""
    hired: list[Student] = []

    def one() -> Student:
        student = Student(control.fork(LIFETIME_S))
        student.line.deadline = time.monotonic() + PATIENCE_S
        hired.append(student)
        run(student, "import torch\nimport torch.nn.functional as F\nfrom torch import nn")
        return student

    yield one
    for student in hired:
        if student.line.channel.fileno() >= 0:
            student.close()


@pytest.fixture
def student(hire: Hire) -> Student:
    return hire()


@pytest.fixture
def checked_student(hire: Hire, control: Control, attention: Unit) -> Student:
    """A student whose process has run a unit's setup cell, and so has the watch of its checks."""
    control.read_setup(attention.setup)
    student = hire()
    student.ask(RunSetup(cell_name(attention.setup)), Done)
    return student
