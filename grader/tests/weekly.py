"""What a change is spared: it is tried on one instance of each kind, and weekly everything is tried on all of them.

`make test WEEKLY=1`, or a test alone with NBPROCTOR_WEEKLY=1, is the weekly run. It has in addition:

- for each answer of the bank eight random draws in place of one, besides the grader's own, and all wrong answers in the
  sandboxed grader (`test_bank`): for a change the grader gets every right answer, stub and shortcut, and one wrong one
  of twenty;
- all changes that the probe makes of the references of all units (`test_probe`): for a change a dozen of one unit;
- each honest shape in three units, by stock nbgrader, too, and each style of an answer in a notebook of its own
  (`test_honest`): for a change each comes once;
- for each unit a notebook of other right answers before stock nbgrader, and all demos (`test_stock`): for a change two
  notebooks have every exercise right and wrong, and the demos, which no check needs, are left out;
- kernels of stock nbgrader that are started one by one, as an instructor's are (`world/test_any_course`): for a change
  they are forks of one;
- axe on the book's pages, on both widths, and for colours in both modes (`test_book`): for a change each width and each
  mode comes once, and all else that axe finds is looked for on both widths on three pages;
- twelve draws of odd exceptions, values and cells in place of one (`test_fuzz_one_line`);
- a course among the fonts as well as one among the programs that students' processes see (`test_sandbox_layers`).

All else is the same: every notebook is run whole, and every test runs.
"""

from __future__ import annotations

import os

WEEKLY = os.environ.get("NBPROCTOR_WEEKLY") == "1"
DRAWS = 8 if WEEKLY else 1  # of random numbers, for each answer of the bank, besides the grader's own draw
