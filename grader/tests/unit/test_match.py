"""Which cell answers which exercise: each way to recognise a cell, each rule, and the notes that come of it."""

import copy
import json
from typing import Any

import msgspec
import pytest
from fake_class import cell, nbgrader
from small_class import SETUP, Task, answered, unit_of

from nbproctor.course.units import Unit
from nbproctor.source.match import Place, Plan, Step, plan_json
from nbproctor.source.reading import cells_needed, read
from nbproctor.values.result import OWN_CELLS, OWN_CHARACTERS

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


def planned(unit: Unit, notebook: dict[str, Any]) -> Plan:
    """The plan for this notebook, taken through JSON as it comes out of the process that makes it."""
    raw = json.dumps(notebook).encode()
    return msgspec.json.decode(plan_json(unit, raw), type=Plan)


def said(found: Plan) -> list[str]:
    """The texts of the plan's notes, all of which have to be accidents."""
    assert {note.kind for note in found.notes} <= {"accident"}
    return [note.text for note in found.notes]


def order(found: Plan) -> list[str]:
    """What happens, in order: the source of each cell of the student's, and the name of each check that is reached."""
    return [
        f"{'hidden' if item.hidden else 'check'}_{item.exercise}" if isinstance(item, Place) else item.source
        for item in found.agenda
        if isinstance(item, Place) or item.own
    ]


def steps(found: Plan) -> list[Step]:
    return [item for item in found.agenda if isinstance(item, Step)]


BOTH = [MINE, "check_one", "hidden_one", OTHER, "check_two", "hidden_two"]


def test_cells_run_where_they_stand_and_checks_are_reached_where_theirs_do(
    unit: Unit, notebook: dict[str, Any]
) -> None:
    notebook["cells"] += [cell("code", "last = 1", "new")]
    found = planned(unit, notebook)
    assert order(found) == [*BOTH, "last = 1"]
    assert SETUP not in [step.source for step in steps(found)]
    assert said(found) == []


def strip(notebook: dict[str, Any]) -> None:
    for one in notebook["cells"]:
        one["metadata"] = {}


def colab(notebook: dict[str, Any]) -> None:
    for one in notebook["cells"]:
        one["metadata"] = {"id": one.pop("id"), "outputId": "abc", "colab": {"base_uri": "x"}}


def lose_ids(notebook: dict[str, Any]) -> None:
    for number, one in enumerate(notebook["cells"]):
        one["id"] = f"lost-{number}"


def lines(notebook: dict[str, Any]) -> None:
    for one in notebook["cells"]:
        one["source"] = one["source"].splitlines(keepends=True)


@pytest.mark.parametrize("change", [strip, colab, lose_ids, lines])
def test_a_cell_is_recognised_by_one_of_its_ids(unit: Unit, notebook: dict[str, Any], change: Any) -> None:
    """A cell is known by nbgrader's id, its own id, or the one that Colab keeps in the metadata."""
    change(notebook)
    found = planned(unit, notebook)
    assert order(found) == BOTH
    assert said(found) == []


def test_without_any_id_a_cell_is_recognised_by_its_text(unit: Unit, notebook: dict[str, Any]) -> None:
    strip(notebook)
    lose_ids(notebook)
    for one in notebook["cells"]:
        one["source"] = one["source"].replace("\n", "\r\n")
    found = planned(unit, notebook)
    assert [text.replace("\r", "") for text in order(found)][:2] == [MINE, "check_one"]
    assert not [note for note in said(found) if "setup" in note]
    assert [step.completes for step in steps(found) if step.own] == [("one",), ("two",)]


@pytest.mark.parametrize(
    ("source", "counts"),
    [
        ("one = lambda x: x", True),
        ("class one:\n    pass", True),
        ("if True:\n    def one(x): ...", True),
        ("from answers import one", True),
        ("one = 3", False),
        ("a, one = 1, 2", False),
        ("one.note = 1", False),
        ("for one in range(3): ...", False),
    ],
)
def test_what_may_be_an_answer(unit: Unit, source: str, counts: bool) -> None:
    (step,) = steps(planned(unit, {"cells": [cell("code", source, "new")]}))
    assert step.completes == (("one",) if counts else ())


def test_all_cells_run_whichever_holds_the_answer(unit: Unit, notebook: dict[str, Any]) -> None:
    again = copy.deepcopy(of(notebook, "one")) | {"source": MINE + " again"}
    notebook["cells"] += [again, cell("code", MINE + " added", "new")]
    assert order(planned(unit, notebook)) == [*BOTH, MINE + " again", MINE + " added"]


def test_an_untouched_stub_does_not_overtake_an_answer(unit: Unit, notebook: dict[str, Any]) -> None:
    stub = unit.exercises[0].stub
    of(notebook, "one")["source"] = stub
    assert order(planned(unit, notebook))[0] == stub
    notebook["cells"].insert(1, cell("code", MINE, "new"))
    assert order(planned(unit, notebook)) == BOTH


def test_a_check_that_is_missing_is_reached_after_the_cell_before_it(unit: Unit, notebook: dict[str, Any]) -> None:
    of(notebook, "check-one")["source"] = "assert True"
    notebook["cells"].remove(of(notebook, "hidden-one"))
    found = planned(unit, notebook)
    assert said(found) == [
        "The check check_one was edited; the original was used.",
        "These checks are not in the notebook, so the originals were used: hidden_one",
    ]
    assert order(found) == BOTH
    alone = planned(
        unit, {"cells": [cell("code", "x = 1", "new"), cell("code", MINE, "b"), cell("code", "y = 1", "c")]}
    )
    assert order(alone) == ["x = 1", MINE, "check_one", "hidden_one", "y = 1", "check_two", "hidden_two"]


def test_a_check_is_reached_where_its_cell_was_moved(unit: Unit, notebook: dict[str, Any]) -> None:
    """A check is reached where its cell stands now, even as markdown; of two copies the last counts, as in nbgrader."""
    check = of(notebook, "check-one")
    notebook["cells"].append(copy.deepcopy(check) | {"cell_type": "markdown"})
    assert order(planned(unit, notebook)) == [MINE, "hidden_one", OTHER, "check_two", "hidden_two", "check_one"]


def test_an_answer_turned_to_text_is_an_answer(unit: Unit, notebook: dict[str, Any]) -> None:
    """An answer in a cell that was turned to markdown is graded, as nbgrader gives such a cell its type back."""
    of(notebook, "one")["cell_type"] = "markdown"
    notebook["cells"].append(cell("code", "  \n", "new"))
    assert order(planned(unit, notebook)) == BOTH


def test_an_answer_cannot_hide_as_a_check(unit: Unit, notebook: dict[str, Any]) -> None:
    """A student's cell under a check's id does not run, since the checks are the instructor's."""
    notebook["cells"].append(cell("code", "attack = 1", "new", **nbgrader("hidden_two", 2.0)))
    assert "attack = 1" not in order(planned(unit, notebook))


def test_an_edited_setup_cell_runs_after_the_original(unit: Unit, notebook: dict[str, Any]) -> None:
    of(notebook, "setup")["source"] = "import torch\nimport numpy"
    found = planned(unit, notebook)
    assert order(found)[0] == "import torch\nimport numpy"
    assert said(found) == ["The setup cell was edited; the original ran first."]


def needed(found: Plan) -> list[str]:
    return [step.source for step in steps(found) if not step.own and step.needed]


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        ("def one(x):\n    return x", []),
        ("def one(x):\n    return width", ["width = 3"]),
        ("mine = width\ndef one(x):\n    return mine", ["width = 3"]),
        ("width = 4\ndef one(x):\n    return width", []),
        ("def one(x):\n    width = x\n    return width", []),
        ("class one:\n    def __call__(self):\n        return width", ["width = 3"]),
        ("%time width", ["width = 3"]),
        ("try:\n    print(width)\nexcept NameError:\n    width = 1", ["width = 3"]),
    ],
)
def test_a_cell_of_the_course_runs_only_for_code_that_needs_it(
    unit: Unit, notebook: dict[str, Any], answer: str, wanted: list[str]
) -> None:
    of(notebook, "one")["source"] = answer
    assert needed(planned(unit, notebook)) == wanted


@pytest.mark.parametrize(
    ("mine", "wakes"),
    [
        ("import torch", False),
        ("from torch import nn, manual_seed\nimport torch.nn.functional as F, torch", False),
        ("try:\n    import torch\nexcept ImportError:\n    pass", False),
        ("import torch\ntorch = [torch]", True),
        ("torch = []", True),
    ],
)
def test_a_library_that_is_imported_once_more_wakes_no_cell_that_uses_it(mine: str, wakes: bool) -> None:
    """A student who imports torch again does not need the course's cells that only use torch.

    Such a cell, which may seed torch and then draw figures for seconds, leaves torch as it was. But where the student
    binds the name to something else, the cells that use it are needed.
    """
    course, answer = "torch.manual_seed(0)\nplt.show()", "def one(x):\n    return torch.exp(x)"
    cells = [(True, read(mine)), (False, read(course)), (True, read(answer))]
    assert cells_needed(cells) == ({1} if wakes else set())


@pytest.mark.parametrize(
    ("edited", "runs"),
    [
        ("print('demo of one, with 3')", False),
        (
            "import torch\ntorch.manual_seed(1)\nplt.title('mine')\nplt.rcParams['font.size'] = 9\nx = [1]\nx[0] = 2",
            False,
        ),
        ("def helper(x):\n    return x", True),
        ("helper = 1\none = two", True),
        ("import torch\ntorch.set_default_dtype(torch.float64)", True),
        ("import torch.nn as nn\nnn.Linear.forward = None", True),
        ("%%writefile elsewhere.py\nx = 1", True),
        ("exec('helper = 1')", True),
        ("def make():\n    global helper\n    helper = len\n\nmake()", True),
    ],
)
def test_an_edited_cell_of_the_course_runs_where_it_reaches_more_than_its_own_names(
    unit: Unit, notebook: dict[str, Any], edited: str, runs: bool
) -> None:
    of(notebook, "demo-one")["source"] = edited
    of(notebook, "two")["source"] = "def two(x):\n    return helper(x)"
    (step,) = (step for step in steps(planned(unit, notebook)) if step.source == edited)
    assert step.own and step.needed == runs


def test_a_kernel_that_is_not_ours_is_not_asked_for(unit: Unit, notebook: dict[str, Any]) -> None:
    for language, name in (("R", "ir"), ("python", "my-old-laptop"), ("julia", "julia-1.9")):
        notebook["metadata"] = {"kernelspec": {"name": name, "language": language}, "language_info": {"name": language}}
        assert order(planned(unit, notebook)) == BOTH


def test_a_notebook_in_r_answers_nothing(unit: Unit) -> None:
    foreign = ["library(torch)\nx <- torch_randn(2)", "one <- function(x) { x }", "df = pd.read_csv('a.csv')"]
    found = planned(unit, {"cells": [cell("code", source, f"r-{n}") for n, source in enumerate(foreign)]})
    assert order(found) == [*foreign, "check_one", "hidden_one", "check_two", "hidden_two"]
    assert [name for step in steps(found) for name in step.completes] == []
    assert said(found) == [
        "These checks are not in the notebook, so the originals were used: check_one, check_two, hidden_one, hidden_two"
    ]


@pytest.mark.parametrize("strange", [["a"], {"a": 1}, 5, None, True])
def test_strange_ids_and_metadata_are_no_obstacle(unit: Unit, notebook: dict[str, Any], strange: Any) -> None:
    """Where a cell's ids are no text and its metadata are malformed, the name that it binds still identifies it."""
    of(notebook, "two")["metadata"] = {"nbgrader": {"grade_id": strange}, "id": strange, "tags": [1, None]}
    of(notebook, "two")["id"] = strange
    assert order(planned(unit, notebook)) == BOTH


@pytest.mark.parametrize("source", ["def one(x:", "!pip install torch", "%cd /content", "(" * 20_000, "x = \0"])
def test_what_does_not_parse_runs_all_the_same(unit: Unit, notebook: dict[str, Any], source: str) -> None:
    """A cell that Python cannot parse, such as one with a magic, stays in the plan for the student's process to run."""
    of(notebook, "one")["source"] = source
    assert order(planned(unit, notebook))[0] == source


@pytest.mark.parametrize(
    ("source", "cut"),
    [
        ("def one(x):\n    return x\nwhile True: pass", "def one(x):\n    return x"),
        ("while True: pass\ndef one(x):\n    return x", ""),
        ("def one(x):\n    return x", ""),
        ("while True: pass", ""),
    ],
)
def test_a_cell_can_be_cut_after_its_answer(unit: Unit, notebook: dict[str, Any], source: str, cut: str) -> None:
    of(notebook, "one")["source"] = source
    assert next(step.cut for step in steps(planned(unit, notebook)) if step.own) == cut


@pytest.mark.parametrize("text", ["1" + " + 1" * 900, "x" + ".real" * 600], ids=["sum", "chain"])
def test_an_answer_of_many_terms_is_read(unit: Unit, notebook: dict[str, Any], text: str) -> None:
    of(notebook, "one")["source"] = f"def one(x):\n    return {text}"
    found = planned(unit, notebook)
    step = next(step for step in steps(found) if step.of == "one")
    assert (step.completes, found.notes) == (("one",), ())


def test_a_long_chain_of_conditions_is_read() -> None:
    """A chain of 1,500 `elif` is read to its end, although each one is nested in the one before."""
    chain = "if x == 0:\n    y = 0\n" + "".join(f"elif x == {n}:\n    y{n} = {n} + z{n}\n" for n in range(1500))
    reading = read(chain)
    assert {"y", "y0", "y1499"} <= set(reading.binds) and {"x", "z0", "z1499"} <= reading.needs


def test_a_flood_of_notes_is_one(unit: Unit, notebook: dict[str, Any]) -> None:
    edited = {**of(notebook, "check-one"), "source": "assert True"}
    notebook["cells"] += [{**edited, "id": f"copy-{n}"} for n in range(30)]
    notes = planned(unit, notebook).notes
    assert [note.text for note in notes] == ["The check check_one was edited; the original was used."]


def test_a_notebook_of_megabytes_keeps_the_first_of_its_own_cells(unit: Unit, notebook: dict[str, Any]) -> None:
    given = notebook["cells"]
    for sources, kept in (
        ([f"x = {n}" for n in range(OWN_CELLS + 10)], OWN_CELLS),
        (["y = 1", "#" * (OWN_CHARACTERS - 100), "z = 1  " + "#" * 100, "z = 2"], 2),
    ):
        notebook["cells"] = [*given, *(cell("code", text, f"own-{n}") for n, text in enumerate(sources))]
        found = planned(unit, notebook)
        assert [one.source for one in found.own_cells] == sources[:kept]
        assert [step.source for step in steps(found) if step.own][-1] == sources[-1]
