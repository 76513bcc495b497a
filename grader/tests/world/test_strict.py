"""Strict checks beside stock nbgrader: on honest notebooks, the gradebook is the same, row by row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import any_course as make
import any_course_judge as judge
import any_course_shapes as shapes

SHAPES = (
    "a function and its value", "hidden tests alone, and a test worth nothing",
    "a last line that is no number, a list, a negative one, numpy's", "a hash of the answer",
    "an exception is expected", "whether nbgrader runs it", "arrays", "letters of all alphabets",
)  # fmt: skip
BESIDE = ("env5_set", "array6_divide", "letters7_fails")  # these need the notebook's own process, or end in an error
PARTIAL = """
# %% answer part§
### BEGIN SOLUTION
guesses§ = [1, 4, 9, 16]
### END SOLUTION
# %% test part§_t 4
sum(guess == (n + 1) ** 2 for n, guess in enumerate(guesses§))
# %% test part§_beside 4
sum(guess == (n + 1) ** 2 for n, guess in enumerate(guesses§))
"""


def notebook() -> Any:
    """A notebook in which most tests are strict."""
    book = make.notebook([*(shapes.HONEST[name] for name in SHAPES), PARTIAL])
    for cell in make.tests_of(book):
        name = cell.metadata.nbgrader.grade_id
        if not name.endswith("_beside") and name not in BESIDE:
            cell.metadata["tags"] = ["strict"]
    setup = make.cells("# %% locked imports\n%matplotlib inline\nimport numpy as np")
    setup[0].metadata["tags"] = ["setup"]
    book.cells = [*setup, *book.cells]
    return book


def test_strict_checks_give_honest_notebooks_the_rows_of_stock(tmp_path: Path) -> None:
    """Right, wrong, missing and half of the answers, stray cells, damaged notebooks; hidden tests among the checks."""
    book = notebook()
    root = make.release(make.write_course(tmp_path / "course", {"ps": {"one": book}}))
    make.hand_in_plain_class(root, "ps")
    make.hand_in(root, "wronger", "ps", make.wrong, seed=5)
    make.hand_in(root, "moved", "ps", make.mixed, seed=2)
    theirs, mine = judge.both(root, ["ps"])
    stock, ours = judge.rows_of(theirs), judge.rows_of(mine)
    assert judge.differing_rows(stock, ours) == [], (mine / "said.txt").read_text(encoding="utf-8")
    strict = [cell.metadata.nbgrader.grade_id for cell in book.cells if cell.metadata.get("tags") == ["strict"]]
    scores = [row["auto"] for key, row in ours.items() if key[0] == "grade" and key[-1] in strict]
    assert len(strict) >= 17 and scores.count(0.0) > 20 and sum(bool(score) for score in scores) > 40
    page = (mine / "report" / "index.html").read_text(encoding="utf-8")
    assert all(f"one, {name}" in page for name in strict)
