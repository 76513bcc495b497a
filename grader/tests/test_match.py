"""Which cell answers which exercise: each way to recognise a cell, each rule, and the notes that come of it."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import pytest
from fake_class import cell, nbgrader
from small_class import SETUP, Task, answered, unit_of

from nbproctor.answers import notebook_of
from nbproctor.course import Unit, load_unit, unit_names
from nbproctor.form import FORM_DIGITS
from nbproctor.match import LOOKS_UP, Place, Plan, Step, plan, plan_json
from nbproctor.notebook import parsed, source_of
from nbproctor.reading import needed_text, read
from nbproctor.result import OWN_CELLS, OWN_CHARACTERS
from nbproctor.submission import File, HandedIn

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
    return Plan.from_json(json.loads(json.dumps(plan_json(unit, HandedIn(raw))["plan"])))


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


def test_a_plan_is_plain_json(unit: Unit, notebook: dict[str, Any]) -> None:
    """The JSON that the bounded process returns holds everything that the plan does."""
    made = plan(unit, parsed(json.dumps(notebook).encode()))
    assert planned(unit, notebook) == made
    assert plan_json(unit, HandedIn(b"{")) == {
        "ungradable": "the file is not a notebook: not JSON (Expecting property name "
        "enclosed in double quotes: line 1 column 2 (char 1))"
    }


def test_cells_run_where_they_stand_and_checks_are_reached_where_theirs_do(
    unit: Unit, notebook: dict[str, Any]
) -> None:
    """All cells of the student's run in their order, added ones too, and each check is reached at its cell's place.

    The untouched setup cell is no step of the plan, and demos wait until they are needed.
    """
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
    """A cell is known by nbgrader's id, its own id, or the one that Colab keeps in the metadata.

    A source may also be a list of lines, as nbformat allows.
    """
    change(notebook)
    found = planned(unit, notebook)
    assert order(found) == BOTH
    assert said(found) == []


def test_without_any_id_a_cell_is_recognised_by_its_text(unit: Unit, notebook: dict[str, Any]) -> None:
    """Without any id, checks and setup are known by their text, and answers by the name that they bind.

    The line ends of the text do not matter.
    """
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
        ("one: object = len", True),
        ("class one:\n    pass", True),
        ("async def one(x): ...", True),
        ("if True:\n    def one(x): ...", True),
        ("from answers import one", True),
        ("one = timed(one)", True),
        ("one = 3", False),
        ("a, one = 1, 2", False),
        ("one: object", False),
        ("one.note = 1", False),
        ("table[one] = 1", False),
        ("for one in range(3): ...", False),
    ],
)
def test_what_may_be_an_answer(unit: Unit, source: str, counts: bool) -> None:
    """Where an exercise asks for a function, its answer may be anything callable that is bound to its name."""
    (step,) = steps(planned(unit, {"cells": [cell("code", source, "new")]}))
    assert step.completes == (("one",) if counts else ())


def test_all_cells_run_whichever_holds_the_answer(unit: Unit, notebook: dict[str, Any]) -> None:
    """Copies of an answer, and other versions of it in added cells, all run."""
    again = copy.deepcopy(of(notebook, "one")) | {"source": MINE + " again"}
    notebook["cells"] += [again, cell("code", MINE + " added", "new")]
    assert order(planned(unit, notebook)) == [*BOTH, MINE + " again", MINE + " added"]


def test_an_untouched_stub_does_not_overtake_an_answer(unit: Unit, notebook: dict[str, Any]) -> None:
    """A stub does not replace an answer that stands in another cell; where there is no answer, the stub runs."""
    stub = unit.exercises[0].stub
    of(notebook, "one")["source"] = stub
    assert order(planned(unit, notebook))[0] == stub
    notebook["cells"].insert(1, cell("code", MINE, "new"))
    assert order(planned(unit, notebook)) == BOTH


def test_a_check_that_is_missing_is_reached_after_the_cell_before_it(unit: Unit, notebook: dict[str, Any]) -> None:
    """A missing check is reached after the cell that stands before it in the released notebook.

    An edited check does not run; the original runs in its place. Notes tell of both. Checks of an exercise of which
    nothing is left in the notebook come at the end.
    """
    of(notebook, "check-one")["source"] = "assert True"
    notebook["cells"].remove(of(notebook, "hidden-one"))
    found = planned(unit, notebook)
    assert said(found) == [
        "The check check_one was edited; the original was used.",
        "hidden_one: not in the notebook; the original was used.",
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
    """An answer in a cell that was turned to markdown is graded, as nbgrader gives such a cell its type back.

    An added cell that is empty is ignored.
    """
    of(notebook, "one")["cell_type"] = "markdown"
    notebook["cells"].append(cell("code", "  \n", "new"))
    assert order(planned(unit, notebook)) == BOTH


def test_an_answer_cannot_hide_as_a_check(unit: Unit, notebook: dict[str, Any]) -> None:
    """A student's cell under a check's id does not run, since the checks are the instructor's."""
    notebook["cells"].append(cell("code", "attack = 1", "new", **nbgrader("hidden_two", 2.0)))
    assert "attack = 1" not in order(planned(unit, notebook))


def test_an_edited_setup_cell_runs_after_the_original(unit: Unit, notebook: dict[str, Any]) -> None:
    """An edited setup cell runs as a cell of the student's after the original, and a note says so."""
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
        ("def one(x, width):\n    return width", []),
        ("def one(x):\n    width = x\n    return width", []),
        ("def one(x):\n    return [width for width in x]", []),
        ("def one(x):\n    def inner():\n        return width\n    return inner()", ["width = 3"]),
        ("class one:\n    def __call__(self):\n        return width", ["width = 3"]),
        ("%time width", ["width = 3"]),
        ("with open('x') as f:\n    width = 1\n    print(width)", []),
        ("for width in range(3):\n    print(width)", []),
        ("try:\n    print(width)\nexcept NameError:\n    width = 1", ["width = 3"]),
    ],
)
def test_a_cell_of_the_course_runs_only_for_code_that_needs_it(
    unit: Unit, notebook: dict[str, Any], answer: str, wanted: list[str]
) -> None:
    """An unchanged cell of the course, demo or text, runs only where the student's code reads a name that it binds."""
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
    assert needed_text(cells) == ({1} if wakes else set())


def test_a_changed_cell_of_the_course_is_the_students(unit: Unit, notebook: dict[str, Any]) -> None:
    """An edited teaching cell or demo is searched, and runs at its place, like a cell that the student wrote."""
    of(notebook, "text-one")["source"] = "width = 4"
    of(notebook, "demo-one")["source"] += "\nimport math"
    mine = order(planned(unit, notebook))
    assert mine[0] == "width = 4" and "print('demo of one')\nimport math" in mine


@pytest.mark.parametrize(
    ("edited", "runs"),
    [
        ("print('demo of one, with 3')", False),
        (
            "import torch\ntorch.manual_seed(1)\nplt.title('mine')\nplt.rcParams['font.size'] = 9\nx = [1]\nx[0] = 2",
            False,
        ),
        ("%%time\nprint(3)", False),
        ("def helper(x):\n    return x", True),
        ("mine = 1\nhelper = lambda x: x + mine", True),
        ("helper = 1\none = two", True),
        ("one.note = 'mine'", True),
        ("import torch\ntorch.set_default_dtype(torch.float64)", True),
        ("import torch.nn as nn\nnn.Linear.forward = None", True),
        ("%%writefile elsewhere.py\nx = 1", True),
        ("exec('helper = 1')", True),
        ("from math import *", True),
        ("def make():\n    global helper\n    helper = len\n\nmake()", True),
        ("x = (", True),
    ],
)
def test_an_edited_cell_of_the_course_runs_where_it_reaches_more_than_its_own_names(
    unit: Unit, notebook: dict[str, Any], edited: str, runs: bool
) -> None:
    """An edited demo runs only where an answer needs it, or where it changes an answer or a library.

    So playing with a demo costs a student no grading time.
    """
    of(notebook, "demo-one")["source"] = edited
    of(notebook, "two")["source"] = "def two(x):\n    return helper(x)"
    (step,) = (step for step in steps(planned(unit, notebook)) if step.source == edited)
    assert step.own and step.needed == runs


def test_a_kernel_that_is_not_ours_is_not_asked_for(unit: Unit, notebook: dict[str, Any]) -> None:
    """Whatever language and kernel a file names, its cells are read as Python and run in the grader's kernel."""
    for language, name in (("R", "ir"), ("python", "my-old-laptop"), ("julia", "julia-1.9")):
        notebook["metadata"] = {"kernelspec": {"name": name, "language": language}, "language_info": {"name": language}}
        assert order(planned(unit, notebook)) == BOTH


def test_a_notebook_in_r_answers_nothing(unit: Unit) -> None:
    """A notebook in R, or of another course, answers nothing: its cells run, and each check finds no answer."""
    foreign = ["library(torch)\nx <- torch_randn(2)", "one <- function(x) { x }", "df = pd.read_csv('a.csv')"]
    found = planned(unit, {"cells": [cell("code", source, f"r-{n}") for n, source in enumerate(foreign)]})
    assert order(found) == [*foreign, "check_one", "hidden_one", "check_two", "hidden_two"]
    assert [name for step in steps(found) for name in step.completes] == []
    assert said(found) == ["check_one, check_two, hidden_one, hidden_two: not in the notebook; the original was used."]


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
    """A cell has a version that ends with its answer, which is used where the cell itself does not come to its end."""
    of(notebook, "one")["source"] = source
    assert next(step.cut for step in steps(planned(unit, notebook)) if step.own) == cut


OWN_METHOD = "class one:\n    def softmax(self, x): ...\n    def go(self, x):\n        return self.softmax(x)"
FORBIDDEN = "def one(x):\n    return x.softmax(-1)"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        (FORBIDDEN, True),
        ("def one(x):\n    return x\n\nprint(one(x) == x.softmax(-1))", False),
        ("# softmax(x)\ndef one(x):\n    'no x.softmax here'\n    return x", False),
        ("def helper(x):\n    return x.softmax(-1)\n\ndef one(x):\n    return helper(x)", True),
        ("from torch.nn.functional import softmax\n\ndef one(x):\n    return softmax(x)", True),
        ("import torch\n\none = torch.softmax", True),
        ("%matplotlib inline\n" + FORBIDDEN, True),
        ("import torch\n%prun -q -l 3 one = torch.softmax", True),
        ("%%capture\n" + FORBIDDEN, True),
        (OWN_METHOD, False),
        ("class Own:\n    @staticmethod\n    def softmax(x):\n        return x\n\none = Own.softmax", False),
        ("class Own:\n    def softmax(self, x):\n        return x\n\nown = Own()\ndef one(x):\n"
         "    return own.softmax(Own().softmax(x))", False),
        ("class Own:\n    def softmax(self, x):\n        return x\n\nOwn = torch\ndef one(x):\n"
         "    return Own.softmax(x)", True),
        ("class Own:\n    def softmax(self, x):\n        return x\n\ndef one(x, Own=torch):\n"
         "    return Own.softmax(x)", True),
        ("class Own:\n    softmax = torch.softmax\n\none = Own.softmax", True),
        ("class one:\n    def __init__(self):\n        self.softmax = 1\n    def go(self):\n"
         "        return self.softmax", False),
        ("def one(x):\n    return x\none.softmax = 3", False),
        ("def one(x):\n    return torch._softmax(x, -1, False)", True),
        ("def one(x):\n    return getattr(x, 'softmax')(-1)", True),
        ("from scipy.special import softmax as s\n\ndef one(x):\n    return s(x)", True),
        ("%time one = torch.softmax", True),
        ("time one = torch.softmax", True),
        ("prun -q one = torch.softmax\n", True),
        ("%%capture\ntime one = torch.softmax", True),
        ("%%capture\n\n%%time\n" + FORBIDDEN, True),
        ("%%prun -s time one = torch.softmax\npass", True),
        ("%%timeit -n 1 global one; one = torch.softmax\npass", True),
        ("%%timeit -n 1 this is no statement\n" + FORBIDDEN, True),
        ("def one(x):\n    return x\none.deep = lambda x: x.softmax(-1)", True),
        ("with check:\n    y = x.softmax(-1)\n\ndef one(x):\n    y = x\n    return y", False),
        ("with check:\n    y = x.softmax(-1)\n\ndef one(x):\n    return y", True),
        ("def reference(x):\n    return x.softmax(-1)\n\ndef one(x):\n    return x", False),
    ],
)  # fmt: skip
def test_a_forbidden_name_is_refused_where_the_answer_reaches_it(source: str, found: bool) -> None:
    """A forbidden name is refused in a helper, in an import or behind a magic, where the answer reaches it.

    It is allowed in a self-test beside the answer, in a comment, and as a method of the student's own class.
    """
    unit = forbidding()
    made = planned(unit, answered(unit, one=source))
    assert made.refused == ({"one": "softmax"} if found else {})


UNSEEN = "where a forbidden function would not be seen"
IPYTHON = "IPython, as the magics %run and %store do"
DEEP = "a cell is nested too deep to be read; it ran, and was not searched"
THREAD = "leaves the thread in which forbidden functions are watched for"


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("def one(x):\n    return vars(F)['soft' + 'max'](x)", f"asks for vars(F), {UNSEEN}"),
        ("def one(x):\n    return vars((lambda: F)())['soft' + 'max'](x)", f"asks for vars(…), {UNSEEN}"),
        ("def one(x):\n    return torch.__dict__['soft' + 'max'](x)", f"reads the __dict__ of torch, {UNSEEN}"),
        ("def one(x):\n    return f().__dict__['soft' + 'max'](x)", f"reads the __dict__ of something, {UNSEEN}"),
        ("import sys\ndef one(x):\n    return sys.modules['to' + 'rch']", f"reads sys.modules, {UNSEEN}"),
        ("name = 'soft' + 'max'\ndef one(x):\n    return getattr(torch, name)(x)",
         f"asks torch for a name that it computes, {UNSEEN}"),
        ("import torch.nn.functional as G\ndef one(x):\n    return getattr(G, 'xam'[::-1])(x)",
         f"asks G for a name that it computes, {UNSEEN}"),
        ("def one(x):\n    return __import__('torch')", f"uses __import__, {UNSEEN}"),
        ("def one(x):\n    return eval('x.soft' + 'max(-1)')", f"uses eval, {UNSEEN}"),
        ("def one(x):\n    exec('y = x.soft' + 'max(-1)')", f"uses exec, {UNSEEN}"),
        ("def one(x):\n    return globals()['y'](x)", f"uses globals, {UNSEEN}"),
        ("import operator\ndef one(x):\n    return attrgetter('soft' + 'max')(F)(x)", f"uses attrgetter, {UNSEEN}"),
        ("def one(x):\n    return methodcaller('soft' + 'max', -1)(x)", f"uses methodcaller, {UNSEEN}"),
        ("from operator import attrgetter as a\ndef one(x):\n    return a(x)", f"imports attrgetter, {UNSEEN}"),
        ("from operator import methodcaller as m\ndef one(x):\n    return m(x)", f"imports methodcaller, {UNSEEN}"),
        ("def one(x):\n    return torch.ops.aten.f(x)", f"reaches torch.ops, {UNSEEN}"),
        ("def one(x):\n    return torch._refs.f(x)", f"reaches torch._refs, {UNSEEN}"),
        ("def one(x):\n    return torch._decomp.f(x)", f"reaches torch._decomp, {UNSEEN}"),
        ("def one(x):\n    return torch._C.f(x)", f"reaches torch._C, {UNSEEN}"),
        ("def one(x):\n    return F._in_projection(x)", "uses _in_projection, which is private to torch"),
        ("from threading import Thread as T\ndef one(x):\n    return T(target=f)", THREAD),
        ("from concurrent.futures import ThreadPoolExecutor as P\ndef one(x):\n    return P(1)", THREAD),
        ("import asyncio as a\ndef one(x):\n    return a.to_thread(f)", THREAD),
        ("import multiprocessing.pool as p\ndef one(x):\n    return p.ThreadPool(1)", THREAD),
        ("import importlib as i\ndef one(x):\n    return i.import_module('tor' + 'ch')", THREAD),
        ("def one(x):\n    return threading.Thread(target=f)", THREAD),
        ("def one(x):\n    return Thread(target=f)", THREAD),
        ("def one(x):\n    return ThreadPoolExecutor(1).submit(f, x)", THREAD),
        ("%%capture\ndef one(x):\n    return vars(F)", f"asks for vars(F), {UNSEEN}"),
        ("%matplotlib inline\ndef one(x):\n    return vars(F)", f"asks for vars(F), {UNSEEN}"),
        ("# \ud800\ndef one(x):\n    return vars(F)", f"asks for vars(F), {UNSEEN}"),
        ("globals()['on' + 'e'] = f", f"uses globals, {UNSEEN}"),
        ("run = exec\ndef one(x):\n    return run", f"uses exec, {UNSEEN}"),
        ("import inspect\ndef one(x):\n    return inspect.getmembers(F)", f"uses getmembers, {UNSEEN}"),
        ("def one(x):\n    return F.__getattribute__(name)", f"uses __getattribute__, {UNSEEN}"),
        ("import _thread as t\ndef one(x):\n    return t.start_new_thread(f, x)", THREAD),
        ("def one(x):\n    return torch.jit.CompilationUnit(text).f(x)", f"reaches torch.jit, {UNSEEN}"),
        ("from torch.overrides import _pop_mode\ndef one(x):\n    _pop_mode()", f"reaches torch.overrides, {UNSEEN}"),
        ("from torch import _softmax_backward_data as s\ndef one(x):\n    return s(x)",
         f"reaches torch._softmax_backward_data, {UNSEEN}"),
        ("def one(x):\n    return x\nget_ipython().run_cell(text)", f"uses {IPYTHON}, {UNSEEN}"),
        ("def one(x):\n    return x\n%run elsewhere.py", f"uses {IPYTHON}, {UNSEEN}"),
        ("def one(x):\n    return x\n%store -r", f"uses {IPYTHON}, {UNSEEN}"),
        ("def one(x):\n    return x\n%store -r two", f"uses {IPYTHON}, {UNSEEN}"),
        ("def one(x):\n    return x\n%alias_magic cd run", f"uses {IPYTHON}, {UNSEEN}"),
        ("def one(x):\n    return x\n%alias_magic w run", f"uses {IPYTHON}, {UNSEEN}"),
        ("def one(x):\n    return x\n%alias_magic w alias_magic", f"uses {IPYTHON}, {UNSEEN}"),
        ("def one(x):\n    return x\nkind = get_ipython().__class__", f"uses {IPYTHON}, {UNSEEN}"),
        ("def one(x):\n    return x\nget_ipython().__class__.instance().run_cell(text)",
         f"uses {IPYTHON}, {UNSEEN}"),
        ("def one(x):\n    return x\nshell = get_ipython()\nif shell is None:\n    pass",
         f"uses {IPYTHON}, {UNSEEN}"),
        ("def one(x):\n    return x\nfor name, value in globals().items():\n    pass", f"uses globals, {UNSEEN}"),
        ("def one(x):\n    return x\nlist = dict\nnames = list(globals())", f"uses globals, {UNSEEN}"),
        ("def one(x):\n    return x\nfor name in globals().keys(globals()['f']):\n    pass",
         f"uses globals, {UNSEEN}"),
        ("import torch._dynamo as d\ndef one(x):\n    return d.f(x)", f"reaches torch._dynamo, {UNSEEN}"),
        ("def one(x):\n    return torch._dynamo.f(x)", "uses _dynamo, which is private to torch"),
        ("def one(x):\n    return x\none = torch.jit.script(f)", f"reaches torch.jit, {UNSEEN}"),
        ("def two(x):\n    return x\nfor two in [two, f]:\n    pass\none = torch.jit.script(two)",
         f"reaches torch.jit, {UNSEEN}"),
        ("def one(x):\n    x.register_hook(lambda g: mine(g))\n    return x",
         f"has register_hook call a function, {UNSEEN}"),
        ("def print(g):\n    return g\ndef one(x):\n    x.register_hook(lambda g: print(g))\n    return x",
         f"has register_hook call a function, {UNSEEN}"),
        ("def one(x):\n    x.register_hook(lambda g: print(mine(g)))\n    return x",
         f"has register_hook call a function, {UNSEEN}"),
        ("def one(x):\n    return x\nsys.modules['__main__'].one = f", f"reads sys.modules, {UNSEEN}"),
        ("def one(x):\n    return x\none.__globals__['one'] = f", f"uses __globals__, {UNSEEN}"),
        ("def one(x):\n    return x\n#" + "x" * 200_000,
         "a cell is longer than 200000 characters; it ran, and was not searched"),
        ("def one(x):\n    return x" + " + x" * 12_000, DEEP),
        ("def one(x):\n    return x\nlate = " + "lambda: " * 800 + "1", DEEP),
    ],
)  # fmt: skip
def test_a_way_around_the_search_is_told(source: str, told: str) -> None:
    """Where an exercise forbids a function, code that could hide its use is told to the instructor."""
    assert detours(source) == [f"one: {told}"]


@pytest.mark.parametrize("call", ["get_ipython({})", "str(get_ipython(), {})", "get_ipython({}).config"])
def test_what_looks_plain_hides_nothing_in_its_arguments(call: str) -> None:
    """An ordinary call that looks harmless is told where its arguments hide something.

    Python evaluates the arguments before it finds that there are too many of them.
    """
    told = detours(
        f"def one(x):\n    return x\nif 'x' in {call.format('globals().update(one=f)')} is None:\n    two = 2"
    )
    assert f"one: uses globals, {UNSEEN}" in told


@pytest.mark.parametrize("wrap", ["timed(one)", "torch.jit.script(one)", "[one][0]", "one if one else None"])
def test_an_answer_stands_on_what_it_was_before_it_was_wrapped(wrap: str) -> None:
    unit = forbidding()
    for wrapped in (f"one = {wrap}", f"two = 2\nif two:\n    one = {wrap}\none = keep(one)"):
        found = planned(unit, answered(unit, one=f"{FORBIDDEN}\n{wrapped}"))
        assert found.refused == {"one": "softmax"}
        honest = planned(unit, answered(unit, one=f"{FORBIDDEN}\n{PLAIN}\n{wrapped}"))
        assert honest.refused == {}


@pytest.mark.parametrize(
    "source",
    [
        "class one:\n    def go(self, name):\n        return getattr(self, name), vars(self), self.__dict__, vars()",
        "class one:\n    def __init__(self):\n        super().__init__()\n        self._keys = self.__class__",
        "def one(x):\n    return getattr(torch, 'exp')(x), getattr(x, name), getattr(torch)",
        "import threading\ndef one(x):\n    return x\nthreading.Thread(target=one)",
        "@torch.jit.script\ndef one(x):\n    return x",
        "in_colab = 'google.colab' in sys.modules or 'c' in globals()\ndef one(x):\n    return x if in_colab else 0",
        "import einops_of_mine\ndef one(x):\n    return einops_of_mine.repeat(x)",
        "!pip install -q einops\n%matplotlib inline\n%config InlineBackend.x = 1\nfiles = !ls\n"
        "def one(x):\n    return files",
        "%%time\ndef one(x):\n    return x",
        "torch.nn.Linear?\n??torch.nn.Linear\n%history\n%prun -s cumulative -l 3 one(2)\n"
        "def one(x):\n    return spent\nspent = %timeit -o -n 3 one(2)",
        "def one(x):\n    return (x\nexec('')",
        "%reset -f\n%pylab inline\n%load_ext autoreload\ndef one(x):\n    return x",
        "%store\n%store size\n%alias_magic here pwd\n%automagic on\n%logstart\n%dhist\n"
        "def one(x):\n    return x\n%memit one(2)",
        "def one(x):\n    return x\nif get_ipython() is not None and 'IPKernelApp' in get_ipython().config:\n"
        "    two = 2\nkind = get_ipython().__class__.__name__",
        "def one(x):\n    return x\nprint([name for name in globals() if name[0] != '_'])\n"
        "for name in globals().keys():\n    print(name)\ndel globals()['two']",
        "import torch._dynamo\ntorch._dynamo.config.suppress_errors = True\ntorch._dynamo.reset()\n"
        "def one(x):\n    torch._assert(x > 0, 'x')\n    return x",
        "def one(x):\n    return x\none = torch.jit.script(one)",
        "@torch.jit.ignore\ndef one(x):\n    return x if torch.jit.is_scripting() else 0",
        "def one(x):\n    x.register_hook(lambda g: print(f'{g.shape}', g.dtype))\n    return x",
        "%%HTML\n<b>x</b>",
        "%%perl\nprint 1",
        "%lf\n%reset_selective -f two\n%dotenv\n%logoff\ndef one(x):\n    return x",
        "time one(2)",
    ],
)
def test_what_hides_nothing_is_not_told(source: str) -> None:
    """Ordinary code is not told as an attack.

    It may compute names of the student's own objects, write out the name it asks for, or stand beside the answer.
    """
    assert detours(source) == []


def test_a_file_that_is_run_is_searched_as_a_module_is() -> None:
    """`%run mine.py` and `from mine import *` stand for the file's lines; only those that the answer reaches count."""
    unit = forbidding()
    beside = f"{FORBIDDEN}\ndef two(x):\n    return x"
    for line in ("%run mine.py", "%run -i ./mine.py", "%run 'mine.py'", "from mine import *"):
        for answer, refused in ((line, {"one": "softmax"}), (f"{line}\ndef one(x):\n    return two(x)", {})):
            notebook = answered(unit, one=answer)
            found = plan(unit, notebook, (File("mine.py", beside.encode()),))
            assert (found.refused, found.about["one"]) == (refused, ()), line


def test_a_cell_of_one_line_is_run_by_a_magic_without_its_sign() -> None:
    """A cell with the one line `run mine.py` is no Python, so IPython runs the file, and the file is searched."""
    unit = forbidding()
    notebook = answered(unit, one="run mine.py")
    notebook["cells"].insert(2, cell("code", f"%%file mine.py\n{FORBIDDEN}", "new"))
    assert plan(unit, notebook).refused == {"one": "softmax"}


USES, PLAIN = f"{FORBIDDEN}\ndef other(x):\n    return x", "def one(x):\n    return x"


@pytest.mark.parametrize(
    ("answer", "files", "refused"),
    [
        ("from helpers import one", {"helpers/__init__.py": USES}, True),
        ("from helpers import one", {"helpers/__init__.py": "from .core import one", "helpers/core.py": USES}, True),
        ("from helpers import one", {"helpers/__init__.py": "from .core import *", "helpers/core.py": USES}, True),
        ("from helpers import *", {"helpers/__init__.py": "from .core import *", "helpers/core.py": USES}, True),
        ("from helpers import core\none = core.one", {"helpers/core.py": USES}, True),
        ("import helpers.core as c\none = c.one", {"helpers/core.py": USES}, True),
        ("import sys\nsys.path.append('parts')\nfrom mine import one", {"parts/mine.py": USES}, True),
        ("%run parts/mine.py", {"parts/mine.py": USES}, True),
        ("%cd parts\n%run mine.py", {"parts/mine.py": USES}, True),
        ("from mine import one", {"mine.py": PLAIN, "older/mine.py": USES}, False),
        ("from older.mine import one", {"mine.py": PLAIN, "older/mine.py": USES}, True),
        ("from helpers import *\none = other", {"helpers/__init__.py": "from .core import *", "helpers/core.py": USES},
         False),
        ("from mine import *", {"mine.py": "from mine import *\n" + PLAIN}, False),
    ],
)  # fmt: skip
def test_a_module_is_found_by_its_folders(answer: str, files: dict[str, str], refused: bool) -> None:
    """A folder stands for its `__init__.py`, and of two files of one name the search reads the imported one."""
    unit = forbidding()
    beside = [File(name, text.encode()) for name, text in files.items()]
    assert plan(unit, answered(unit, one=answer), beside).refused == ({"one": "softmax"} if refused else {})


def test_what_a_cell_adds_to_a_module_is_searched_with_it() -> None:
    """What `%%writefile -a` appends to a module is searched together with what the module held before."""
    unit = forbidding()
    notebook = answered(unit, one="from mine import one")
    for text in ("%%writefile mine.py\n" + FORBIDDEN, '%%writefile --append "mine.py"\nx = 1'):
        notebook["cells"].insert(-4, cell("code", text, text[:14]))
    notebook["cells"].append(notebook["cells"].pop(notebook["cells"].index(of(notebook, "one"))))
    assert plan(unit, notebook).refused == {"one": "softmax"}


@pytest.mark.parametrize(
    ("answer", "file", "told"),
    [
        ("from mine import one", "mine.pyc", "imports mine.pyc"),
        ("import fast.mine as m\none = m.one", "fast/mine.cpython-311-x86_64-linux-gnu.so",
         "imports fast/mine.cpython-311-x86_64-linux-gnu.so"),
        ("import sys\nsys.path.append('./parts.zip')\nfrom mine import one", "parts.zip", "imports parts.zip"),
        ("one = torch.load('weights.pt', weights_only=False)", "weights.pt", "loads weights.pt"),
        ("one = torch.load('weights', weights_only=no)", "weights", "loads weights"),
        ("from cloudpickle import load\none = load(open(name, 'rb'))", "one.pkl", "loads one.pkl"),
        ("one = np.load('a.npy', allow_pickle=True).item()", "a.npy", "loads a.npy"),
        ("one = pd.read_pickle('frame.dat')", "frame.dat", "loads frame.dat"),
        ("def one(x):\n    return torch.load('weights.pt')", "weights.pt", ""),
        ("def one(x):\n    return torch.load('weights.pt', weights_only=True)", "weights.pt", ""),
        ("def one(x):\n    return np.load('table.npy', allow_pickle=False)", "table.npy", ""),
        ("import pickle\ndef one(x):\n    return open('data.csv')", "notes.txt", ""),
        ("def one(x):\n    return x", "mine.pyc", ""),
    ],
)  # fmt: skip
def test_a_file_that_may_hold_functions_is_told_where_the_notebook_loads_it(answer: str, file: str, told: str) -> None:
    """A file that may hold functions is told where the notebook loads it, as information and not as an attack.

    Nobody has searched such a file. Tables of numbers and weights cannot hold code, and are not told.
    """
    unit = forbidding()
    found = plan(unit, answered(unit, one=answer), (File(file, b"\x80\x04"),))
    notes = [(note.kind, note.text) for note in found.about["one"]]
    assert notes == ([("info", f"one: {told}, which may hold code that was not searched")] if told else [])


def test_a_file_that_cannot_be_read_is_told() -> None:
    """A module that is nested too deep to be searched is told, as a cell is.

    It may run all the same, since a student can raise Python's limit of recursion.
    """
    unit = forbidding()
    deep = "def one(x):\n    return x" + " + x" * 12_000
    found = plan(unit, answered(unit, one="from mine import one"), (File("mine.py", deep.encode()),))
    (note,) = found.about["one"]
    assert note.text == "one: the file mine.py is nested too deep to be read; it ran, and was not searched"


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("getattr(F, activation)", ""),
        ("getattr(nn.functional, kind)", ""),
        ("getattr(torch.nn.functional, self.kind)", ""),
        ("getattr(nn, {'relu': 'ReLU', 'gelu': 'GELU'}[activation])()", ""),
        ("getattr(nn, 'ReLU' if activation == 'relu' else 'GELU')()", ""),
        ("getattr(F, 'layer_' + activation)", "F"),
        ("getattr(nn, activation)", "nn"),
        ("getattr(F, kinds[activation])", "F"),
        ("getattr(nn, {'relu': 'Re' + 'LU'}[activation])()", "nn"),
        ("getattr(nn, 'ReLU' if activation == 'relu' else kind)()", "nn"),
    ],
)
def test_a_computed_name_that_the_reference_solution_asks_for_is_no_trick(call: str, told: str) -> None:
    """A computed name is no trick where it is the one of the reference solution, even in the student's words.

    FeedForward's reference has `getattr(F, activation)`, and a TransformerBlock may use FeedForward.
    """
    unit = load_unit("07_transformer_block")
    sources = {exercise.name: exercise.solution for exercise in unit.exercises}
    assert "getattr(F, activation)" in sources["FeedForward"]
    sources["FeedForward"] = sources["FeedForward"].replace("getattr(F, activation)", call)
    sources["TransformerBlock"] += "\n    feed_forward_kind = FeedForward\n"
    notes = planned(unit, notebook_of(unit, sources)).about["TransformerBlock"]
    expected = [f"TransformerBlock: asks {told} for a name that it computes, {UNSEEN}"] if told else []
    assert [note.text for note in notes] == expected


@pytest.mark.parametrize("name", ["{'a': 'softmax'}[key]", "'exp' if x is None else 'softmax'"])
def test_a_forbidden_name_among_those_that_are_written_out_is_refused(name: str) -> None:
    unit = forbidding()
    made = planned(unit, answered(unit, one=f"key = 'a'\ndef one(x):\n    return getattr(torch, {name})(x, -1)"))
    assert made.refused == {"one": "softmax"}


@pytest.mark.parametrize("text", ["1" + " + 1" * 900, "x" + ".real" * 600], ids=["sum", "chain"])
def test_an_answer_of_many_terms_is_read(text: str) -> None:
    """An answer of hundreds of terms, which Python runs, is read like any other, and nothing is noted about it."""
    unit = forbidding()
    found = planned(unit, answered(unit, one=f"def one(x):\n    return {text}"))
    step = next(step for step in steps(found) if step.of == "one")
    assert (step.completes, len(step.forms["one"]), found.about["one"]) == (("one",), FORM_DIGITS, ())


def test_a_long_chain_of_conditions_is_read() -> None:
    """A chain of 1,500 `elif` is read to its end, although each one is nested in the one before."""
    chain = "if x == 0:\n    y = 0\n" + "".join(f"elif x == {n}:\n    y{n} = {n} + z{n}\n" for n in range(1500))
    reading = read(chain)
    assert {"y", "y0", "y1499"} <= set(reading.binds) and {"x", "z0", "z1499"} <= reading.needs


def test_what_is_bound_below_the_check_counts_where_nothing_above_binds_it() -> None:
    """A helper below the check is searched with the answer where no cell above binds its name.

    The grader may run such a cell earlier, to give the answer its helper. Where a cell above does bind the name, the
    answer uses that one.
    """
    unit = forbidding()
    below = "helper = lambda x: F.softmax(x, -1)"
    for above, refused in (("", {"one": "softmax"}), ("helper = len", {})):
        notebook = answered(unit, one=f"{above}\ndef one(x):\n    return helper(x)")
        notebook["cells"].append(cell("code", below, "own-0"))
        assert plan(unit, notebook).refused == refused


def test_of_a_cell_of_the_course_only_what_was_added_is_told() -> None:
    """In an edited cell of the course, only the student's additions are searched for ways around the search.

    So a student may extend a setup cell in which the course itself asks whether it is running in Colab.
    """
    setup = "ip = get_ipython()\nhere = globals()"
    unit = unit_of(setup=setup, one=WITHOUT_SOFTMAX)
    for added, told in (
        ("x = 1", []),
        ("exec(text)", [f"one: uses exec, {UNSEEN}"]),
        ("get_ipython().run_cell(text)", [f"one: uses {IPYTHON}, {UNSEEN}"]),
    ):
        notebook = copy.deepcopy(answered(unit, one="def one(x):\n    return x"))
        of(notebook, "setup")["source"] = f"{setup}\n{added}"
        assert [note.text for note in planned(unit, notebook).about["one"]] == told


WORDS = """
class Words:
    size = 3

    def stand(self, title):
        names, lines = globals(), []
        lines.append(f"{title}: {len(lines)}")
        print(names.get(title), lines)

    def told(self, title):
        return f"{title}!"

if "get_ipython" in globals():
    print(get_ipython())
"""
ELSEWHERE = 'return f"{title}!"', 'return f"{title}, of an older edition!"'
IN_STAND = 'lines.append(f"{title}: {len(lines)}")', "lines.extend([title, names.get(title, 3)])"
AT_GLOBALS = "names, lines = globals(), []", "lines = []\n        names = globals()"


def edited_words(*changes: tuple[str, str], answer: str = "def one(x):\n    return x") -> list[tuple[str, str]]:
    """The notes, as (kind, text), on an answer without softmax below a setup cell WORDS with these changes."""
    unit = unit_of(setup=WORDS, one=WITHOUT_SOFTMAX)
    notebook = copy.deepcopy(answered(unit, one=answer))
    for old, new in changes:
        assert of(notebook, "setup")["source"].count(old) == 1
        of(notebook, "setup")["source"] = of(notebook, "setup")["source"].replace(old, new)
    return [(note.kind, note.text) for note in planned(unit, notebook).about["one"]]


@pytest.mark.parametrize("answer", ["def one(x):\n    return x", "x = 1", "def one(x):\n    return Words().told(x)"])
def test_an_older_edition_of_a_cell_of_the_course_is_no_attack(answer: str) -> None:
    """A student with an older edition of the course is not accused because of the course's own `globals()`.

    Where its lines with `globals()` are unchanged nothing is noted; where they changed, but only look names up as
    before, a note of kind "info" says so.
    """
    read_only = [("info", f"one: {LOOKS_UP}")]
    assert edited_words(ELSEWHERE, answer=answer) == []
    assert edited_words(("size = 3", "size = 4\n    width = 5"), answer=answer) == []
    for changes in (
        [IN_STAND],
        [AT_GLOBALS],
        [ELSEWHERE, IN_STAND],
        [("print(get_ipython())", "x = print(get_ipython())")],
    ):
        if "Words" not in answer:
            assert edited_words(*changes, answer=answer) == read_only


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("print(names.get(title), lines)", "names['on' + 'e'] = title"),
        ("print(names.get(title), lines)", "names |= {'on' + 'e': title}"),
        ("print(names.get(title), lines)", "names.update({'on' + 'e': title})"),
        ("print(names.get(title), lines)", "others = names"),
        ("print(names.get(title), lines)", "put(names, title)"),
        ("print(names.get(title), lines)", "print(names.get(title), names.get('one'))"),
        ("print(names.get(title), lines)", "print(names.get(title).softmax)"),
        ("print(names.get(title), lines)", "globals()['F'].__dict__['soft' + 'max']"),
        ("names, lines = globals(), []", "names, lines = globals()['F'], []"),
        ("names, lines = globals(), []", "self.names, lines = globals(), []"),
        ("names, lines = globals(), []", "names, lines = (globals() or 0), []"),
        ('return f"{title}!"', "return globals()"),
        ("size = 3", "size = globals()"),
        ("size = 3", "size = 3\n    def more(self):\n        return globals()"),
        ("print(get_ipython())", "get_ipython().run_cell(text)"),
        ("class Words:", "@put(globals())\nclass Words:"),
    ],
)  # fmt: skip
def test_a_trick_in_a_cell_of_the_course_is_told(old: str, new: str) -> None:
    """A trick beside the course's own `globals()`, or in its place, is told, even where the cell is another edition."""
    uses = IPYTHON if "run_cell" in new else "globals"
    assert ("attack", f"one: uses {uses}, {UNSEEN}") in edited_words(
        (old, new), ELSEWHERE if "!" not in old else IN_STAND
    )


@pytest.mark.parametrize(
    "name", [unit.name for unit in map(load_unit, unit_names()) if any(e.not_with for e in unit.exercises)]
)
def test_an_older_edition_of_the_words_of_the_checks_is_no_attack(name: str) -> None:
    """In each unit that forbids something, an older edition of class Check is no attack.

    It has one more line in the class, or one in each of its methods.
    """
    unit = load_unit(name)
    solved = answered(unit, **{e.name: e.solution for e in unit.exercises})
    words = next(one for one in solved["cells"] if "class Check:" in source_of(one))
    one_line = source_of(words).replace("class Check:", "class Check:\n    edition = 1")
    in_each = re.sub(r"^(    def .*)$", r"\1\n        edition = 1", source_of(words), flags=re.M)
    for source in (one_line, in_each):
        cells = [{**one, "source": source} if one is words else one for one in solved["cells"]]
        found = planned(unit, {**solved, "cells": cells})
        told = [note for notes in (found.notes, *found.about.values()) for note in notes]
        assert (found.refused, [note.text for note in told if note.kind == "attack"]) == ({}, [])


def test_a_module_of_their_own_is_searched_as_the_answer_is() -> None:
    """A module of the student's is searched for forbidden names and for ways around the search, as the answer is.

    That holds for a module that a cell writes, and for one that is handed in beside the notebook.
    """
    unit = forbidding()
    vars_of = "def one(x):\n    return vars(F)"
    wanted = [(FORBIDDEN, {"one": "softmax"}, []), (vars_of, {}, [f"one: asks for vars(F), {UNSEEN}"])]
    for hidden, refused, told in wanted:
        for own, files in ((f"%%writefile mine.py\n{hidden}", ()), ("x = 1", (File("mine.py", hidden.encode()),))):
            notebook = answered(unit, one="from mine import one")
            notebook["cells"].insert(2, cell("code", own, "new"))
            found = plan(unit, parsed(json.dumps(notebook).encode()), files)
            assert (found.refused, [note.text for note in found.about["one"]]) == (refused, told)


WITHOUT_SOFTMAX = Task("def one(x):\n    return x", "assert one(1)", "assert one(2)", not_with=("softmax",))


def forbidding() -> Unit:
    return unit_of(one=WITHOUT_SOFTMAX)


def detours(source: str) -> list[str]:
    """What the instructor is told about this answer to an exercise that forbids softmax."""
    unit = forbidding()
    notes = planned(unit, answered(unit, one=source)).about["one"]
    assert {note.kind for note in notes} <= {"attack"}
    return [note.text for note in notes]


def test_a_flood_of_notes_is_cut(unit: Unit, notebook: dict[str, Any]) -> None:
    """Of one kind of notes, twenty are kept, and a last one says how many more there were."""
    of(notebook, "one")["source"] = "\n".join(f"torch.a{n} = 1" for n in range(3000))
    notes = planned(unit, notebook).notes
    assert len(notes) == 21
    assert notes[-1].text == "and 2980 more of this kind"


def test_a_notebook_of_megabytes_keeps_the_first_of_its_own_cells(unit: Unit, notebook: dict[str, Any]) -> None:
    """As many of a student's own cells are kept to be shown as a person may want to read; a note counts the rest."""
    given = notebook["cells"]
    for sources, kept in (
        ([f"x = {n}" for n in range(OWN_CELLS + 10)], OWN_CELLS),
        (["y = 1", "#" * (OWN_CHARACTERS - 100), "z = 1  " + "#" * 100, "z = 2"], 2),
    ):
        notebook["cells"] = [*given, *(cell("code", text, f"own-{n}") for n, text in enumerate(sources))]
        found = planned(unit, notebook)
        assert [one.source for one in found.own_cells] == sources[:kept]
        (told,) = (note.text for note in found.notes if note.kind == "info")
        assert told == f"{len(sources) - kept} more of the added cells are not kept, and the report does not show them"
        assert [step.source for step in steps(found) if step.own][-1] == sources[-1]
