"""What `make test WEEKLY=1` tries and `make test` leaves out: all draws, all answers in the grader, all that runs long.

A change is tried on one instance of each kind. A test marked `pytest.mark.weekly`, and a parameter that `weekly_but`
marks, runs weekly alone:

- each answer of the bank under eight draws, not one, and in the sandboxed grader (`test_bank`);
- each notebook in Colab's kernel, and all course notebooks with the lock's packages alone (`test_notebooks`);
- each unit with its demos by stock nbgrader (`test_stock`), and exported as a page (`test_release`);
- the Llama of unit 11 beside that of `transformers` (`test_published_model`);
- all changes that the probe makes of the references of all units, not a dozen of one (`test_probe`);
- each honest shape in three units, by stock nbgrader, too, and each style of an answer by itself (`test_honest`);
- in other courses a second student with every shape of an exercise, several notebooks, lateness and damage, points that
  a person gave, a course's own settings, stock nbgrader's kernels started one by one, as an instructor's, not forked
  (`world/test_any_course`); there, Ctrl-C as well as `kill -9` (`process/test_any_course`);
- R (`world/test_kernels`), another Python (`process/test_kernels`), and a gradebook in PostgreSQL (`test_gradebook`);
- all pages of the book in a browser, axe on both widths and for colours in both modes, formulas and pictures on a phone
  (`test_book`); a whole notebook run and saved in JupyterLab (`test_browser`); formgrader's command before anything was
  graded (`test_formgrader`);
- workers that die, a session that outlives them, another course on them, Ctrl-C before and while they grade
  (`test_cluster`);
- what no folder, closed file, Ctrl-C, or the end of every zygote loses (`test_nothing_lost`, `test_batch`), the number
  of times that a file is opened (`test_read_together`), another course's log, and samples and marks of the probe;
- twelve draws of odd exceptions, values and cells (`test_fuzz_one_line`), and each layer with each fault under twenty
  seeds (`test_examine`);
- the sandbox's tests as an ordinary user, below /tmp, and where the course is its own environment; a course among the
  fonts as well as one among the programs that students' processes see; `--unsafe` (`test_sandbox_layers`);
  the system's Python for an ordinary user (`test_system_python`), which CI tries in containers of its own.

One test of those, alone: NBPROCTOR_WEEKLY=1 before pytest.
"""

import os
from collections.abc import Iterable
from typing import Any

import pytest

WEEKLY = os.environ.get("NBPROCTOR_WEEKLY") == "1"
DRAWS = 8 if WEEKLY else 1  # of random numbers, for each answer of the bank, besides the grader's own draw


def weekly_but(values: Iterable[str], *always: str) -> list[Any]:
    """The parameters of a test: those in `always` for each change, all others weekly."""
    return [value if value in always else pytest.param(value, marks=pytest.mark.weekly) for value in values]
