"""`--verbose` says on stderr which process grades whom, how long it takes, and how it ends."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from small_class import DOUBLE, answered, submitted
from small_course import answer, check, command, hand_in, notebook, say, write_course

from nbproctor.course.units import Unit
from nbproctor.run import batch
from nbproctor.run.job import Job
from nbproctor.runner import log
from nbproctor.values.limits import Limits, too_slow


@contextmanager
def verbose() -> Iterator[None]:
    log.write_to_stderr()
    try:
        yield
    finally:
        log.log.handlers.clear()
        log.log.setLevel(0)


def said_of(stderr: str, submission: str) -> str:
    """What the log says of a submission, without the times and numbers of processes, which differ in each run."""
    lines = [line.split(": ", 1)[1] for line in stderr.splitlines() if f" {submission}: " in line]
    return re.sub(r"\d+\.\d\d s|process \d+", lambda found: found[0].split()[0].strip("0123456789."), "\n".join(lines))


def test_a_class_is_followed_process_by_process(unit: Unit, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    sources = {"ana": DOUBLE.solution, "bo": "import os\nos._exit(3)", "cy": "while True: pass"}
    class_ = {name: answered(unit, double=source) for name, source in sources.items()}
    job = Job({unit.name: unit}, submitted(unit, tmp_path, **class_), Limits(5.0, 120.0), True)
    with verbose():
        batch.run(job, 1, lambda result: None)
    stderr = capfd.readouterr().err
    by_us = "process begins\nprocess was ended by us after "
    assert said_of(stderr, "ana small") == f"begins\n{by_us}\n{by_us}\ngraded, 3 of 3 points\ndone after "
    assert "process ended with exit code 3 after \n" in said_of(stderr, "bo small")
    assert f"{too_slow(5)}\nprocess was ended by us after \n" in said_of(stderr, "cy small")
    order = ["zygote starts, for 1 worker", "zygote is ready", "worker starts", "worker was ended by us", "zygote was"]
    found = [re.sub(r" \d+( \(inside\.\w+\))?", "", line.split(" ", 3)[3], count=1) for line in stderr.splitlines()]
    assert [one for one in order if any(line.startswith(one) for line in found)] == order


@pytest.mark.weekly
def test_another_course_is_followed_too(tmp_path: Path) -> None:
    """A cell that is too slow, and one that ends its process, are named; without the option nothing is logged."""
    nb = notebook(answer("a", "a = 1"), check("check_a", "assert a == 1"))
    root = write_course(tmp_path, {"one": nb}, "c.Execute.timeout = 5\n")
    hand_in(root, "ana")
    hand_in(root, "bo", say("a", "import os\nos._exit(3)"))
    hand_in(root, "cy", say("a", "while True: pass"))
    stderr = command(root, "grade", "--verbose").stderr
    assert said_of(stderr, "ana hw").startswith("begins\nprocess begins\nprocess ")
    assert "cell 1 is lost: it ended its process\nprocess ended with exit code 3 after " in said_of(stderr, "bo hw")
    assert "cell 1 did not end in time, and is interrupted\n" in said_of(stderr, "cy hw")
    assert stderr.count("(inside.notebook) starts") == stderr.count(" is ready after ") >= 1
    assert command(root, "grade", "--force").stderr == ""
