"""Which cell answers which exercise: each rung of the ladder, each rule, and what is said about it."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from fake_class import cell, nbgrader
from small_class import SETUP, Task, answered, unit_of

from nbproctor.course import Unit
from nbproctor.match import Matched, match
from nbproctor.notebook import parsed

TASK = Task(
    solution="def one(x):\n    return x", check="assert one(1) == 1", hidden="assert one(2) == 2", teaching="width = 3"
)
MINE = "def one(x):\n    return x  # mine"
OTHER = "def two(x):\n    return x  # mine"


@pytest.fixture(scope="module")
def unit() -> Unit:
    return unit_of(one=TASK, two=Task("def two(x):\n    return x", "assert two(1)", "assert two(2)"))


@pytest.fixture
def notebook(unit: Unit) -> dict[str, Any]:
    """The released notebook with both exercises answered."""
    return copy.deepcopy(answered(unit, one=MINE, two=OTHER))


def of(notebook: dict[str, Any], cell_id: str) -> dict[str, Any]:
    return next(one for one in notebook["cells"] if one["id"] == cell_id)


def said(found: Matched, about: str | None = None) -> list[str]:
    """The texts of the notes, all of them accidents."""
    notes = found.notes if about is None else found.about[about]
    assert {note.kind for note in notes} <= {"accident"}
    return [note.text for note in notes]


def answers(found: Matched) -> dict[str, str]:
    """What is run for each exercise; it is also what is shown as the answer."""
    ran = {step.exercise: step.source for step in found.steps if step.exercise}
    assert ran == found.answers
    return ran


BOTH = {"one": MINE, "two": OTHER}


def test_an_answer_is_found_by_its_grade_id(unit: Unit, notebook: dict[str, Any]) -> None:
    """Whatever the cell's own id has become, and whatever it defines."""
    of(notebook, "one")["id"] = "pasted"
    of(notebook, "two")["source"] = "three = 3"
    found = match(unit, notebook)
    assert answers(found) == {"one": MINE, "two": "three = 3"}
    assert said(found) == said(found, "one") == []


def test_an_answer_is_found_by_its_cell_id(unit: Unit, notebook: dict[str, Any]) -> None:
    """Where nbgrader's metadata is lost, on one cell or on all."""
    for one in notebook["cells"]:
        one["metadata"] = {}
    found = match(unit, notebook)
    assert answers(found) == BOTH
    assert said(found) == []


@pytest.mark.parametrize("top", [{}, {"id": ""}, {"id": None}])
def test_an_answer_is_found_by_colabs_id(unit: Unit, notebook: dict[str, Any], top: dict[str, Any]) -> None:
    """Colab writes format 4.0: ids stand in the metadata, and the rest of it is gone."""
    for one in notebook["cells"]:
        one["metadata"] = {"id": one.pop("id"), "outputId": "abc", "colab": {"base_uri": "x"}}
        one |= top
    found = match(unit, notebook)
    assert answers(found) == BOTH
    assert said(found) == []


def test_an_answer_is_found_by_the_name_it_defines(unit: Unit, notebook: dict[str, Any]) -> None:
    """In a cell without any id of ours, and it is said."""
    notebook["cells"] = [cell("code", MINE, "new"), of(notebook, "two")]
    found = match(unit, notebook)
    assert answers(found) == BOTH
    assert said(found, "one") == ["one: found in another cell, by the name that it defines"]


@pytest.mark.parametrize(
    "source",
    ["one = lambda x: x", "one: object = len", "class one:\n    pass", "a, one = 1, len", "async def one(x): ..."],
)
def test_a_name_can_be_defined_in_many_ways(unit: Unit, source: str) -> None:
    """Functions, classes, and assignments of all kinds."""
    assert answers(match(unit, {"cells": [cell("code", source, "new")]})) == {"one": source}


def test_an_answer_is_found_by_likeness(unit: Unit) -> None:
    """A stub that was filled in and renamed, in a cell without ids, with how much alike they are."""
    renamed = unit.exercises[0].stub.replace("def one", "def ones").replace("not implemented yet", "not yet")
    found = match(unit, {"cells": [cell("code", "import os", "import"), cell("code", renamed, "new")]})
    assert answers(found) == {"one": renamed}
    assert said(found, "one") == ["one: found by likeness to the stub (92%)"]
    assert said(found, "two") == ["two: no cell answers it"]


def test_what_is_not_alike_answers_nothing(unit: Unit) -> None:
    """Neither other text nor one that only holds the stub among much else, however long."""
    long = unit.exercises[0].stub.replace("def one", "def ones") + "\n# " + "x" * 2_000_000
    found = match(unit, {"cells": [cell("code", "print('hello')", "a"), cell("code", long, "b")]})
    assert answers(found) == {}
    assert said(found, "one") == ["one: no cell answers it"]


def test_of_several_answers_the_last_complete_one_counts(unit: Unit, notebook: dict[str, Any]) -> None:
    """Copies, also with the same grade_id, and later thoughts in added cells: the last that defines the name."""
    again = copy.deepcopy(of(notebook, "one")) | {"source": MINE + " again"}
    added = cell("code", MINE + " added", "new")
    notebook["cells"] += [again, added]
    found = match(unit, notebook)
    assert answers(found)["one"] == MINE + " added"
    assert said(found, "one") == [
        "one: found in another cell, by the name that it defines",
        "one: 3 answers; the last one was graded",
    ]
    assert MINE not in [step.source for step in found.steps]
    notebook["cells"].pop()
    assert answers(match(unit, notebook))["one"] == MINE + " again"


def test_an_empty_or_untouched_copy_does_not_overtake_an_answer(unit: Unit, notebook: dict[str, Any]) -> None:
    """The stub pasted at the end, and a cell that lost its definition, are not complete."""
    stub = copy.deepcopy(of(notebook, "one")) | {"source": unit.exercises[0].stub}
    half = copy.deepcopy(of(notebook, "one")) | {"source": "x = one(3)"}
    notebook["cells"] += [stub, half]
    found = match(unit, notebook)
    assert answers(found) == BOTH
    assert said(found, "one") == []


def test_an_answer_split_in_two_is_run_whole(unit: Unit, notebook: dict[str, Any]) -> None:
    """A helper that was moved to a cell of its own runs before the answer."""
    helper = cell("code", "def helper(x):\n    return x", "new")
    notebook["cells"].insert(notebook["cells"].index(of(notebook, "one")), helper)
    of(notebook, "one")["source"] = "def one(x):\n    return helper(x)"
    steps = match(unit, notebook).steps
    assert [step.exercise for step in steps if not step.spare] == [None, "one", "two"]
    assert steps[1].source == helper["source"]


def test_one_cell_answers_one_exercise(unit: Unit) -> None:
    """A cell that defines both names is the answer to the first; the second is said to have none."""
    found = match(unit, {"cells": [cell("code", MINE + "\n" + OTHER, "new")]})
    assert list(answers(found)) == ["one"]
    assert said(found, "two") == ["two: no cell answers it"]


def test_the_checks_are_the_instructors(unit: Unit, notebook: dict[str, Any]) -> None:
    """An edited check does not run, a missing one does, and both are said."""
    of(notebook, "check-one")["source"] = "assert True"
    notebook["cells"].remove(of(notebook, "hidden-one"))
    found = match(unit, notebook)
    assert said(found) == [
        "check_one was edited; the original ran",
        "hidden_one: missing from the submission; the original ran",
    ]
    assert "assert True" not in [step.source for step in found.steps]
    assert answers(found) == BOTH


def test_points_and_flags_are_the_instructors(unit: Unit, notebook: dict[str, Any]) -> None:
    """What a student writes into the metadata is read for ids alone."""
    for one in notebook["cells"]:
        if "nbgrader" in one["metadata"]:
            one["metadata"]["nbgrader"] |= {"points": -100, "grade": True, "solution": True, "locked": "no"}
            del one["metadata"]["nbgrader"]["schema_version"]
    found = match(unit, notebook)
    assert answers(found) == BOTH
    assert said(found) == []


def test_an_answer_cannot_hide_as_a_check(unit: Unit, notebook: dict[str, Any]) -> None:
    """A cell of theirs under a check's id does not run, and answers nothing."""
    notebook["cells"].append(cell("code", "attack = 1", "new", **nbgrader("hidden_two", 2.0)))
    found = match(unit, notebook)
    assert "attack = 1" not in [step.source for step in found.steps]


def test_demos_do_not_run(unit: Unit, notebook: dict[str, Any]) -> None:
    """Whether untouched or edited."""
    of(notebook, "demo-one")["source"] += "\nprint('mine')"
    assert not [step for step in match(unit, notebook).steps if "demo" in step.source]


def test_an_edited_setup_cell_runs_after_the_original(unit: Unit, notebook: dict[str, Any]) -> None:
    """It is a step of theirs, and said; the untouched one is no step."""
    assert SETUP not in [step.source for step in match(unit, notebook).steps]
    of(notebook, "setup")["source"] = "import torch\nimport numpy"
    found = match(unit, notebook)
    assert found.steps[0].source == "import torch\nimport numpy"
    assert not found.steps[0].spare
    assert said(found) == ["the setup cell was edited; the original ran before it"]


def test_a_teaching_cell_is_spare_until_it_is_edited(unit: Unit, notebook: dict[str, Any]) -> None:
    """Unchanged it waits for an answer that needs it; changed it runs as a cell of their own."""
    assert [step.source for step in match(unit, notebook).steps if step.spare] == ["width = 3"]
    of(notebook, "text-one")["source"] = "width = 4"
    steps = match(unit, notebook).steps
    assert [(step.source, step.spare) for step in steps if "width" in step.source] == [("width = 4", False)]


def test_cells_run_in_the_students_order(unit: Unit, notebook: dict[str, Any]) -> None:
    """Reordered cells are matched all the same, and run as they stand."""
    notebook["cells"].reverse()
    found = match(unit, notebook)
    assert [step.exercise for step in found.steps if step.exercise] == ["two", "one"]
    assert answers(found) == BOTH


def test_markdown_and_empty_cells_are_no_steps(unit: Unit, notebook: dict[str, Any]) -> None:
    """An answer turned to markdown is no answer; an added empty cell is nothing."""
    of(notebook, "one")["cell_type"] = "markdown"
    notebook["cells"].append(cell("code", "  \n", "new"))
    found = match(unit, notebook)
    assert list(answers(found)) == ["two"]
    assert said(found, "one") == ["one: no cell answers it"]


@pytest.mark.parametrize("strange", [["a"], {"a": 1}, 5, None, True])
def test_strange_ids_and_metadata_are_no_obstacle(unit: Unit, notebook: dict[str, Any], strange: Any) -> None:
    """Ids that are no text, and metadata of other kinds, leave the next rung."""
    of(notebook, "two")["metadata"] = {"nbgrader": {"grade_id": strange}, "id": strange, "tags": [1, None]}
    of(notebook, "two")["id"] = strange
    found = match(unit, parsed(json.dumps(notebook).encode()))
    assert answers(found) == BOTH
    assert said(found, "two") == ["two: found in another cell, by the name that it defines"]


def test_sources_in_lines_are_the_same(unit: Unit, notebook: dict[str, Any]) -> None:
    """A notebook may store a source as a list of lines."""
    for one in notebook["cells"]:
        one["source"] = one["source"].splitlines(keepends=True)
    found = match(unit, notebook)
    assert answers(found) == BOTH
    assert said(found) == []


@pytest.mark.parametrize("source", ["def one(x:", "!pip install torch", "%cd /content", "(" * 20_000, "x = \0"])
def test_what_does_not_parse_is_matched_by_its_id(unit: Unit, notebook: dict[str, Any], source: str) -> None:
    """Syntax errors, magics and monsters are the student's process to run."""
    of(notebook, "one")["source"] = source
    assert answers(match(unit, notebook))["one"] == source
