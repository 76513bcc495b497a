"""What several test modules need: the unit they grade, and a live zygote with students from it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from socket import socket
from typing import Any

import pytest
import torch

from nbproctor import session
from nbproctor.course import Unit, load_unit
from nbproctor.proxies import Student

torch.set_num_threads(1)  # a pool of threads would not survive the forks of `batch.grade`
PATIENCE_S = 120.0  # for a machine that others use, too

Hire = Callable[[], Student]


def run(student: Student, source: str) -> str:
    """Run a cell in the student's process and return what it printed; what it raises is raised."""
    student.printed.clear()
    student.ask({"op": "run", "source": source})
    return "".join(student.printed)


def defined(student: Student, name: str, source: str) -> Any:
    """What `name` stands for after the cell, as the examiner sees it."""
    run(student, source)
    return student.lookup(name)


@pytest.fixture(scope="session")
def attention() -> Unit:
    return load_unit("03_self_attention")


@pytest.fixture(scope="session")
def control() -> Iterator[socket]:
    with session.zygote_running(1, sandboxed=True) as (controls, *_):
        yield controls[0]


@pytest.fixture
def hire(control: socket) -> Iterator[Hire]:
    """Makes students, each a sandboxed process in which torch is imported, and ends them."""
    hired: list[Student] = []

    def one() -> Student:
        student = Student(control)
        student.limit_s, student.deadline = PATIENCE_S, time.monotonic() + PATIENCE_S
        hired.append(student)
        run(student, "import torch\nimport torch.nn.functional as F\nfrom torch import nn")
        return student

    yield one
    for student in hired:
        if student.channel.fileno() >= 0:
            student.close()


@pytest.fixture
def student(hire: Hire) -> Student:
    return hire()
