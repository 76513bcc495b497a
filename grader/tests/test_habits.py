"""What notebooks take for granted works where a student's code is graded, and takes no longer there than it must."""

from __future__ import annotations

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


LINES = """
import faulthandler, getpass, subprocess, sys
faulthandler.enable()
assert subprocess.run(["ls"], stdout=sys.stdout, stderr=sys.stderr).returncode == 0
assert getpass.getuser() == "student"
assert sys.stdout.writable() and not sys.stdout.isatty()
%history
%prun -q -l 3 sum(range(10))
torch.nn.Linear?
%who
two = !echo 2
assert two == ["2"]
"""


def test_lines_of_every_day_stop_no_cell(hire: Hire) -> None:
    """Each of them works in a notebook, and a cell that stops at one has not bound what stands below it."""
    student = hire()
    run(student, LINES + "done = 1")
    assert run(student, "print(done)").strip() == "1"
