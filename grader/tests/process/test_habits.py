"""What notebooks take for granted works where a student's code is graded, and takes no longer than it must."""

import pytest
from students import Hire, run

from nbproctor.exam.proxies import Student


@pytest.mark.parametrize(
    "cell",
    [
        "%timeit -n 1000 -r 9 calls.append(1)",
        "spent = %timeit -q -o -n1000 calls.append(1)\nassert spent.average >= 0",
        "%%timeit -r3 two = 2\ncalls.append(two)",
    ],
)
def test_timeit_runs_what_it_measures_once(hire: Hire, cell: str) -> None:
    """`%timeit` would repeat a statement until the cell's time is up, and nobody reads here what it measured."""
    student = hire()
    run(student, "calls = []")
    run(student, cell)
    assert run(student, "print(len(calls))").strip() == "1"


def test_a_future_that_is_imported_holds_for_the_cells_below(hire: Hire) -> None:
    """As in a notebook, the import holds also where its own cell, or the one below, has a magic."""
    for above in ("from __future__ import annotations", "%pwd\nfrom __future__ import annotations"):
        student = hire()
        with pytest.raises(Exception, match="Unknown"):
            run(student, "def f(x: Unknown): ...")
        run(student, above)
        run(student, "def f(x: Unknown): ...")
        run(student, "def f(x: Unknown): ...\nf(1)\n3")
        run(student, "%pwd\ndef f(x: Unknown): ...")


@pytest.mark.parametrize(
    ("cells", "value"),
    [
        (["x = 1\nx + (\n    1\n)\n"], "2"),
        (["0.5", "None", "x = 1", "def f():\n    7", "8;"], "0.5"),
    ],
    ids=lambda part: part[-1][:12] if isinstance(part, list) else part,
)
def test_the_value_of_the_cell_above_has_a_name(hire: Hire, cells: list[str], value: str) -> None:
    """The name is `_`, unless the student has bound that."""
    student = hire()
    for cell in cells:
        run(student, cell)
    assert run(student, "print(_)").strip() == value


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
!printf '\\377 text'
!printf '\0'
!!head -c 1000 /dev/urandom
raw = !head -c 1000 /dev/urandom
"""


def test_lines_of_every_day_stop_no_cell(hire: Hire) -> None:
    """Each of these lines works in a notebook; a cell that stopped at one would not bind what stands below it."""
    student = hire()
    assert "\ufffd text" in run(student, LINES + "done = 1")
    assert run(student, "print(done)").strip() == "1"


@pytest.mark.parametrize("asks", ["input('How many? ')", "__import__('getpass').getpass()"])
def test_who_asks_for_input_is_told_that_nobody_answers(hire: Hire, asks: str) -> None:
    """The message says why the cell stopped, and what to do instead; a cell that expects it can go on."""
    student = hire()
    with pytest.raises(EOFError, match="nobody can answer input\\(\\) while the notebook is graded. Write the value"):
        run(student, f"n = {asks}")
    assert run(student, f"try:\n    {asks}\nexcept EOFError:\n    print('on')").strip() == "on"


@pytest.mark.parametrize("word", ["exit()", "quit"])
def test_exit_ends_no_cell(hire: Hire, word: str) -> None:
    """The cell goes on after the word, as in a notebook, where the kernel ends only after the cell."""
    assert run(hire(), f"{word}\nprint('on')").strip() == "on"


@pytest.mark.parametrize(
    "line",
    [
        "from google.colab import auth, runtime\nauth.authenticate_user()",
        "from google.colab import widgets\nwith widgets.TabBar(['a']):\n    pass",
        "from google.colab import files\nfor name in files.upload():\n    pass",
        "from kaggle_secrets import UserSecretsClient\nUserSecretsClient().get_secret('k')",
    ],
)
def test_every_module_of_colab_is_there_and_does_nothing(student: Student, line: str) -> None:
    assert run(student, f"{line}\nprint('went on')") == "went on\n"


def test_a_notebook_gets_back_to_the_folder_where_it_began(checked_student: Student) -> None:
    """`%cd -` and `_dh[0]` lead there, and not to where the warm process stood when it built the shell."""
    student = checked_student
    run(student, "import os\nos.mkdir('down')\n%cd -q down\n%cd -q -\nopen('up', 'w').close()")
    run(student, "os.chdir('down')\nos.chdir(_dh[0])")
    assert run(student, "print({'down', 'up'} <= {*os.listdir()})").strip() == "True"
