"""What notebooks take for granted works where a student's code is graded, and takes no longer there than it must."""

from __future__ import annotations

import time

import pytest
from conftest import Hire, run


@pytest.mark.parametrize(
    "cell",
    [
        "%timeit calls.append(1)",
        "%timeit -n 1000 -r 9 calls.append(1)",
        "spent = %timeit -q -o -n1000 calls.append(1)\nassert spent.average >= 0",
        "%%timeit -r3 two = 2\ncalls.append(two)",
        "get_ipython().run_line_magic('timeit', 'calls.append(1)')",
    ],
)
def test_timeit_runs_what_it_measures_once(hire: Hire, cell: str) -> None:
    """By itself it repeats a statement for many seconds, until a cell's time is up; nobody reads here what it says."""
    student = hire()
    run(student, "calls = []")
    run(student, cell)
    assert run(student, "print(len(calls))").strip() == "1"


def test_a_slow_statement_is_measured_in_the_time_that_it_takes(hire: Hire) -> None:
    """A tenth of a second, where `%timeit` would take eight of them."""
    student = hire()
    start = time.monotonic()
    run(student, "import time\n%timeit time.sleep(0.1)")
    assert time.monotonic() - start < 0.7
