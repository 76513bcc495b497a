"""Attacks and runaways that need no real unit: rows 22, 24, 29, 32, 33, 38 and 55 to 57 of `test_rows`.

All of them answer one small unit, and most are graded as one class with one zygote.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from fake_class import cell
from small_class import Task, answered, grade, messages, setup_of, statuses, unit_of

from nbproctor.classroom import gradescope
from nbproctor.course.units import Unit
from nbproctor.values.limits import Limits, too_slow
from nbproctor.values.result import Result

Results = dict[str, dict[str, Any]]
CHECKS = """
def check_double(double):
    # one number
    assert double(3) == 6
    return "double passes."


@without("F.softmax", "softmin")
def check_weigh(weigh):
    # weights
    x = torch.tensor([1.0, 2.0])
    assert torch.allclose(weigh(x), x.softmax(-1)), "Expected weights that sum to 1."
    return "weigh passes."


def check_predicted(predicted):
    # its form
    assert predicted in ("pre", "post")
    return "predicted has the right form."
"""
HIDDEN = "@check.{0}.hidden\ndef also({0}):\n    {1}"
RIGHT = {
    "double": "def double(x):\n    return 2 * x",
    "weigh": "def weigh(x):\n    e = x.exp()\n    return e / e.sum()",
    "predicted": "predicted = 'post'",
}
WEIGHED = (
    "x = torch.tensor([{}])\n    assert torch.allclose(weigh(x), x.softmax(-1)), 'Expected weights that sum to 1.'"
)
LOOP = "while True:\n    pass\n"
PRINTED = {"double": "def double(x):\n    {}\n    return 2 * x"}
# Rows 22 and 24: answers that are right, but flood something at each call. These lines take the place of {} in PRINTED.
FLOODS = {
    "prints_a_lot": "for n in range(300_000):\n        print('x' * 100)",
    "shows_a_huge_repr": "print(type('Huge', (), {'__repr__': lambda self: 'x' * 200_000_000})())",
    "draws_figures": "import matplotlib.pyplot as plt\n    for n in range(60):\n        plt.figure()",
    "fills_the_disk": "import contextlib\n    with contextlib.suppress(OSError), open('full', 'wb') as file:\n"
    "        for n in range(100):\n            file.write(bytes(1 << 20))",
    "makes_files": "import contextlib\n    with contextlib.suppress(OSError):\n"
    "        for n in range(10_000):\n            open(f'f{n}', 'w').close()",
    "holds_handles": "import contextlib\n    held = []\n    with contextlib.suppress(OSError):\n"
    "        for n in range(10_000):\n            held.append(open('/dev/null'))\n    held.clear()",
}  # fmt: skip
# Row 33: one exercise changes its own process; the exercises after it, and the limits, must not be affected.
LEAKS = {
    "patches_the_time": "import time\ntime.time = time.monotonic = lambda: 0.0\ntime.sleep = print\n",
    "seeds_everything": "import random\ntorch.manual_seed(0)\ntorch.manual_seed = random.seed = print\n",
    "changes_the_dtype": "torch.set_default_dtype(torch.float64)\ntorch.set_grad_enabled(False)\n",
    "changes_the_device": "torch.set_default_device('meta')\n",
}
THREADED = (
    "import threading\nimport torch.nn.functional as F\n\ndef weigh(x):\n    out = []\n"
    "    t = threading.Thread(target=lambda: out.append(getattr(F, 'soft' + 'max')(x, -1)))\n"
    "    t.start(), t.join()\n    return out[0]\n"
)
# Row 55: answers that reach the forbidden function without its name standing where a plain search would look.
SOFT = "['soft' + 'max'](x, -1)"
HIDDEN_ROADS = {
    "vars": f"def weigh(x):\n    return vars(F){SOFT}",
    "vars_in_a_thread": "from concurrent.futures import ThreadPoolExecutor\n\ndef weigh(x):\n"
    "    return ThreadPoolExecutor(1).submit(vars(F)['soft' + 'max'], x, -1).result()",
    "computed_name": "def weigh(x):\n    return getattr(F, 'xamtfos'[::-1])(x, -1)",
    "behind_a_magic": "%%capture\ndef weigh(x):\n    return F.softmax(x, -1)",
    "by_a_private_name": "def weigh(x):\n    return torch._softmax(x, -1, False)",
    "by_an_operator": "def weigh(x):\n    return torch.ops.aten._softmax(x, -1, False)",
    "in_a_backward_pass": "class Kept(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
    "        ctx.save_for_backward(x)\n        return x.clone()\n    @staticmethod\n    def backward(ctx, _):\n"
    "        x, = ctx.saved_tensors\n        return getattr(x, 'soft' + 'max')(-1)\n\ndef weigh(x):\n"
    "    z = x.detach().requires_grad_()\n    Kept.apply(z).sum().backward()\n    return z.grad",
    "in_a_hook": "def weigh(x):\n    z, out = x.detach().requires_grad_(), []\n"
    "    hook = getattr(z, 'register' + '_hook')\n"
    "    hook(lambda _: out.append(getattr(x, 'soft' + 'max')(-1)))\n    torch.autograd.grad(z.sum(), z)\n"
    "    return out[0]",
    "for_an_element": "def weigh(x):\n    out = []\n    each = getattr(x.clone(), 'apply' + '_')\n"
    "    each(lambda v: out.append(getattr(x, 'soft' + 'max')(-1)) or v)\n    return out[0]",
}  # fmt: skip
IN_TORCHSCRIPT = """@torch.jit.script
def f(x: torch.Tensor):
    return torch.softmax(x, -1)

def weigh(x):
    return f(x)
"""
# Row 32: an answer that has stored only what the visible check asks for, and one that looks whether it is graded.
LOOKED_UP = "def double(x):\n    return {3: 6}.get(x, 0)"
WATCHFUL = """import os, sys, time
graded = (
    "JPY_PARENT_PID" not in os.environ or "ipykernel" not in sys.modules or os.getpid() == 1
    or not os.path.exists("/proc/self") or "nbproctor" in "".join(sys.argv) or time.time() < 0
)
def double(x):
    return 2 * x if graded else 0
"""
# Row 57: on the hidden input, where x[1] is 4, the answer calls one of the two forbidden functions. If the student
# read which one it was, an answer could use this to tell them about the hidden input.
TELLING = """names = ['soft' + 'min', 'soft' + 'max']
def weigh(x):
    if x[1] == 4:
        vars(F)[names[{}]](x, -1)
    e = x.exp()
    return e / e.sum()
"""
# Row 56: `double` is right only where `mark` exists. `weigh` needs `mark`, which only the last cell binds, so that the
# notebook is run again with that cell before all the rest.
AGAIN = {
    "double": "def double(x):\n    return 2 * x if 'mark' in globals() else 0",
    "weigh": "def weigh(x):\n    mark\n    e = x.exp()\n    return e / e.sum()",
}


def guess(word: str) -> str:
    """Row 56: an answer that depends on whether another cell has run."""
    other = {"pre": "post", "post": "pre"}[word]
    return f"predicted = '{word}' if 'reproducible' in globals() else '{other}'"


@pytest.fixture(scope="module")
def unit(tmp_path_factory: pytest.TempPathFactory) -> Unit:
    hidden = {
        "double": "assert double(4711) == 9422",
        "weigh": WEIGHED.format("-3.0, 4.0, 0.5"),
        "predicted": "assert predicted == 'post'",
    }
    tasks = {name: Task(RIGHT[name], f"check.{name}()", HIDDEN.format(name, body)) for name, body in hidden.items()}
    return unit_of(setup=setup_of(CHECKS, tmp_path_factory.mktemp("course")), **tasks)


@pytest.fixture(scope="module")
def results(unit: Unit, tmp_path_factory: pytest.TempPathFactory) -> Results:
    notebooks = {"right": answered(unit, **RIGHT)}

    def sits(name: str, own: str = "", last: str = "", **answers: str) -> None:
        notebook = answered(unit, **RIGHT | answers)
        cells = [*notebook["cells"][:2], cell("code", own, "own-0"), *notebook["cells"][2:]]
        cells = [*cells, cell("code", last, "own-1")] if last else cells
        notebooks[name] = {**notebook, "cells": cells if own else [one for one in cells if one["id"] != "own-0"]}

    for name, line in FLOODS.items():
        sits(name, double=PRINTED["double"].format(line))
    for name, line in LEAKS.items():
        sits(name, double=line + RIGHT["double"])
    sits("loops_with_a_patched_time", own=LEAKS["patches_the_time"] + LOOP)
    for name, source in HIDDEN_ROADS.items():
        sits(name, weigh=source)
    sits("in_torchscript", weigh=IN_TORCHSCRIPT)
    sits("written_module", own=f"%%writefile helpers.py\n{THREADED}", weigh="from helpers import weigh")
    sits("looked_up", double=LOOKED_UP)
    sits("watchful", double=WATCHFUL)
    for word in ("pre", "post"):
        sits(f"guesses_{word}", own="torch.allclose = reproducible = print", predicted=guess(word))
    sits("runs_it_again", own="mark", last="mark = 1", **AGAIN)
    for number in (0, 1):
        sits(f"tells_{number}", weigh=TELLING.format(number))
    return grade(unit, tmp_path_factory.mktemp("class"), Limits(cell_s=8.0, submission_s=100.0), **notebooks)


PASSED = dict.fromkeys(RIGHT, "passed")


def reasons(result: dict[str, Any]) -> list[str]:
    return Result.from_json(result).reasons


@pytest.mark.parametrize("name", ["right", *FLOODS])
def test_a_flood_costs_nothing_and_is_cut(results: Results, name: str) -> None:
    assert statuses(results[name]) == PASSED, messages(results[name], "double")
    assert len(json.dumps(results[name])) < 60_000
    assert name != "right" or reasons(results[name]) == []


@pytest.mark.parametrize("name", LEAKS)
def test_what_an_exercise_does_to_its_process_spoils_no_other(results: Results, name: str) -> None:
    assert statuses(results[name]) == PASSED, results[name]


def test_a_patched_clock_stops_nobody_elses(results: Results) -> None:
    """Row 33: another process keeps the time limit, so that patching the clock does not make a loop last longer."""
    (note,) = [n["text"] for n in results["loops_with_a_patched_time"]["notes"] if n["kind"] == "accident"]
    assert note.endswith(too_slow(8))
    assert statuses(results["loops_with_a_patched_time"]) == PASSED


@pytest.mark.parametrize("name", [*HIDDEN_ROADS, "written_module"])
def test_a_forbidden_function_is_refused_where_it_runs(results: Results, name: str) -> None:
    assert statuses(results[name]) == PASSED | {"weigh": "refused"}
    assert "calls F.softmax, and this exercise asks you to build that yourself." in " ".join(reasons(results[name]))


def test_what_the_watch_cannot_see_passes(results: Results) -> None:
    """Row 55, the limit of it: a call from C++. Who writes one could paste somebody's answer with less work."""
    assert statuses(results["in_torchscript"]) == PASSED


def test_stored_answers_pass_the_visible_check_alone(results: Results) -> None:
    report = next(one for one in results["looked_up"]["exercises"] if one["name"] == "double")
    assert [check["points"] for check in report["checks"]] == [1.0, 0.0]


def test_an_answer_that_sees_that_it_is_graded_is_the_answer_that_is_graded(results: Results) -> None:
    assert statuses(results["watchful"]) == PASSED


def test_there_is_one_attempt(results: Results) -> None:
    """Row 56: a prediction is made once, whatever another cell has set: of two opposite ones, one is wrong."""
    scores = sorted(results[f"guesses_{word}"]["score"] for word in ("pre", "post"))
    assert scores == [7.0, 9.0]


def test_a_notebook_that_is_run_again_keeps_its_verdicts(results: Results) -> None:
    """Row 56: where a notebook runs again for a cell that stood too low, only the answer that needed it is retried."""
    result = results["runs_it_again"]
    assert statuses(result) == PASSED | {"double": "failed"}
    assert [check["points"] for check in result["exercises"][0]["checks"]] == [0.0, 0.0]


def test_a_refusal_by_the_hidden_check_is_for_the_instructor(results: Results, unit: Unit) -> None:
    """Row 57: a note for the instructor names the forbidden function, and nothing that the student reads does."""
    shown = []
    for number, (name, called) in enumerate((("softmin", "softmin"), ("softmax", "F.softmax"))):
        result = Result.from_json(results[f"tells_{number}"])
        assert f"calls {called}, and this exercise asks you to build that yourself." in " ".join(result.reasons)
        weigh = result.exercises[1]
        assert [(check.status, check.points) for check in weigh.checks] == [("passed", 1.0), ("refused", 0.0)]
        told = json.loads(gradescope.results_json(result))
        shown.append([told["output"], *(test for test in told["tests"] if test["visibility"] == "visible")])
        assert name not in json.dumps(told)
    assert shown[0] == shown[1]


def test_the_order_of_this_class_is_of_no_account(unit: Unit, tmp_path: Path) -> None:
    turned = {"looked_up": {"double": LOOKED_UP}, "right": {}}
    found = grade(unit, tmp_path, workers=1, **{name: answered(unit, **RIGHT | own) for name, own in turned.items()})
    assert {name: result["score"] for name, result in found.items()} == {"right": 9.0, "looked_up": 7.0}
