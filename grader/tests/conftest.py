"""Fixtures that several test modules share: the unit to grade, a running zygote with students, and a browser."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from socket import socket
from typing import Any

import kernels
import pytest
import torch
from playwright.sync_api import Browser, Page, sync_playwright

from nbproctor import session
from nbproctor.course import Unit, load_unit
from nbproctor.proxies import Student
from nbproctor.zygote_process import zygote_started

torch.set_num_threads(1)  # a pool of threads would not survive the forks of `batch.grade`
PATIENCE_S = 120.0  # generous, for a machine on which other work runs as well
LIFETIME_S = 300.0

CHROMIUM_FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()

Hire = Callable[[], Student]


def run(student: Student, source: str) -> str:
    """Run a cell in the student's process and return what it printed; an error in the cell is raised here."""
    student.line.printed.clear()
    student.ask({"op": "run", "source": source})
    return "".join(student.line.printed)


def defined(student: Student, name: str, source: str) -> Any:
    """Run a cell and return what `name` is bound to afterwards, as the examiner sees it."""
    run(student, source)
    return student.lookup(name)


@pytest.fixture(scope="session")
def attention() -> Unit:
    return load_unit("03_self_attention")


@pytest.fixture(scope="session")
def control() -> Iterator[socket]:
    with zygote_started(1, True, many=False) as zygote:
        session.get_ready([])
        zygote.wait_until_ready()
        yield zygote.controls[0]


@pytest.fixture(scope="session")
def warm_kernels() -> Iterator[Path]:
    """The path at which Jupyter finds a kernel that has already imported torch and matplotlib, and prints no figure."""
    with kernels.warm_kernels(printed=False) as path:
        yield path


@pytest.fixture
def hire(control: socket) -> Iterator[Hire]:
    """A function that starts a student: a sandboxed process with torch imported. All of them end with the test."""
    hired: list[Student] = []

    def one() -> Student:
        student = Student(control, LIFETIME_S)
        student.line.limit_s, student.line.deadline = PATIENCE_S, time.monotonic() + PATIENCE_S
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


@pytest.fixture(scope="module")  # its event loop runs as long as it is open, and tests of kernels need another
def browser() -> Iterator[Browser]:
    """A Chromium for the tests of a module; each test has a context of its own."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=CHROMIUM_FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """An empty page, none of whose scripts may raise an error."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    yield page
    assert problems == []
    context.close()
