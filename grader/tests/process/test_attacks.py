"""Attacks and runaways that need no real unit: rows 22, 24, 29, 32, 33, 38 and 55 to 57 of `test_rows`.

All of them answer one small unit, and most are graded as one class with one zygote.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from fake_class import cell
from small_class import Task, answered, grade, messages, setup_of, statuses, unit_of
from watched import foreign_to, on_guard, texts_of, told

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
    "turns_the_line_round": "for n in range(300_000):\n        print(f'{n}', end='\\r')",
    "prints_one_huge_text": "print('x' * 200_000_000)",
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
SERVING = (
    "import queue, threading\nasked, found = queue.Queue(), queue.Queue()\n\ndef serve():\n    while True:\n"
    "        found.put(getattr(torch, 'soft' + 'max')(asked.get(), -1))\n\n"
    "threading.Thread(target=serve, daemon=True).start()"
)
ASKS_IT = "def weigh(x):\n    asked.put(x)\n    return found.get(timeout=5)"
HIDDEN_ROADS = {
    "vars": f"def weigh(x):\n    return vars(F){SOFT}",
    "vars_in_a_thread": "from concurrent.futures import ThreadPoolExecutor\n\ndef weigh(x):\n"
    "    return ThreadPoolExecutor(1).submit(vars(F)['soft' + 'max'], x, -1).result()",
    "computed_name": "def weigh(x):\n    return getattr(F, 'xamtfos'[::-1])(x, -1)",
    "another_name_for_it": "import torch.nn.functional as G\n\ndef weigh(x):\n"
    "    import threading\n    out = []\n    t = threading.Thread(target=lambda: out.append(vars(G)"
    "['soft' + 'max'](x, -1)))\n    t.start(), t.join()\n    return out[0]",
    "behind_a_magic": "%%capture\ndef weigh(x):\n    return F.softmax(x, -1)",
    "behind_half_a_character": "# \ud800\ndef weigh(x):\n    return F.softmax(x, -1)",
    "by_import": "def weigh(x):\n    return __import__('torch').softmax(x, -1)",
    "by_modules": f"import sys\n\ndef weigh(x):\n    return sys.modules['torch.nn.functional'].__dict__{SOFT}",
    "by_a_private_name": "def weigh(x):\n    return torch._softmax(x, -1, False)",
    "by_an_operator": "def weigh(x):\n    return torch.ops.aten._softmax(x, -1, False)",
    "by_exec": "exec('def weigh(x):\\n    return vars(F)' + \"['soft' + 'max'](x, -1)\")",
    "by_globals": "globals()['wei' + 'gh'] = vars(F)['soft' + 'max']",
    "by_attrgetter": "from operator import attrgetter as a\n\ndef weigh(x):\n    return a('soft' + 'max')(F)(x, -1)",
    "in_torchscript": "@torch.jit.script\ndef f(x: torch.Tensor):\n    return torch.softmax(x, -1)\n\n"
    "def weigh(x):\n    return f(x)",
    "without_the_watch": "import inspect\nfrom torch.overrides import _pop_mode, _push_mode\n\ndef weigh(x):\n"
    "    mode = _pop_mode()\n    y = dict(inspect.getmembers(F))['soft' + 'max'](x, -1)\n    _push_mode(mode)\n"
    "    return y",
    "unseen_by_the_watch": "import inspect\nfrom torch._C import DisableTorchFunction\n\ndef weigh(x):\n"
    "    with DisableTorchFunction():\n        return dict(inspect.getmembers(F))['soft' + 'max'](x, -1)",
    "in_a_thread_of_another_name": "import _thread\n\ndef weigh(x):\n    out = []\n    lock = _thread.allocate_lock()\n"
    "    lock.acquire()\n\n    def soft():\n        out.append(next(v for k, v in inspect.getmembers(F) if k == SOFT)"
    "(x, -1))\n        lock.release()\n\n    _thread.start_new_thread(soft, ())\n    lock.acquire()\n"
    "    return out[0]\n\nimport inspect\nSOFT = 'soft' + 'max'",
    "behind_a_long_comment": f"# {'x' * 200_001}\n{THREADED}",
    "run_by_the_shell": f"get_ipython().run_cell({THREADED!r})",
    "defined_once_more": f"{RIGHT['weigh']}\n\nexec({THREADED!r})",
    "made_while_it_ran": f"open('later.py', 'w').write({THREADED!r})\nfrom later import weigh",
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
    "for_an_element_by_name": "def weigh(x):\n    out, one = [], x.clone()\n    each = getattr(one, 'map' + '_')\n"
    "    each(one, callable=lambda a, b: out.append(getattr(x, 'soft' + 'max')(-1)) or a)\n    return out[0]",
    "where_a_tensor_is_saved": "from torch.autograd.graph import saved_tensors_hooks as saved\n\ndef weigh(x):\n"
    "    z, out = x.detach().requires_grad_(), []\n"
    "    with saved(lambda t: out.append(getattr(x, 'soft' + 'max')(-1)) or t, lambda t: t):\n        z * z\n"
    "    return out[0]",
    "past_a_blinded_watch": "import inspect\n\ndef weigh(x):\n    try:\n        return getattr(x, 'soft' + 'max')(-1)\n"
    "    except Exception:\n        watch = inspect.trace()[1].frame.f_locals['self']\n"
    "        watch.names, watch.found = (), None\n    return getattr(x, 'soft' + 'max')(-1)",
    "in_a_pattern": "import types\n\ndef weigh(x):\n    match F:\n        case types.ModuleType(softmax=f):\n"
    "            pass\n    return f(x, -1)",
}  # fmt: skip
# The answer is in helpers.py, which an earlier cell writes.
MODULES = {
    "written_module": "from helpers import weigh",
    "all_of_a_module": f"{RIGHT['weigh']}\n\nfrom helpers import *",
    "run_as_a_script": "%run helpers.py",
    "run_as_a_module": "import runpy\nweigh = runpy.run_path('helpers.py')['weigh']",
}
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
def audit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file to which the audit hook of `watched` writes."""
    return tmp_path_factory.mktemp("audit") / "log"


@pytest.fixture(scope="module")
def results(unit: Unit, audit: Path, tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The results of all students of this module, who are graded as one class."""
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
    written = f"%%writefile helpers.py\n{THREADED}"
    for name, source in MODULES.items():
        sits(name, own=written, weigh=source)
    sits("helped_from_below", weigh="def weigh(x):\n    return below(x)", last=THREADED.replace("weigh", "below"))
    sits("by_a_thread_that_was_there", own=SERVING, weigh=ASKS_IT)
    between = answered(unit, **RIGHT)
    place = next(n for n, one in enumerate(between["cells"]) if one["id"] == "hidden-weigh")
    between["cells"].insert(place, cell("code", THREADED, "own-0"))
    notebooks["between_the_checks"] = between
    sits("looked_up", double=LOOKED_UP)
    sits("watchful", double=WATCHFUL)
    for word in ("pre", "post"):
        sits(f"guesses_{word}", own="torch.allclose = reproducible = print", predicted=guess(word))
    sits("runs_it_again", own="mark", last="mark = 1", **AGAIN)
    for number in (0, 1):
        sits(f"tells_{number}", weigh=TELLING.format(number))
    with on_guard(audit, texts_of(unit), foreign_to(unit, notebooks.values())):
        return grade(unit, tmp_path_factory.mktemp("class"), Limits(cell_s=8.0, submission_s=100.0), **notebooks)


def test_nothing_of_theirs_is_run_outside_the_sandbox(results: Results, audit: Path) -> None:
    """Row 29: examiners compile the course's own cells, and evaluate, import and unpickle nothing from a submission."""
    assert told(audit, processes=2) == []


PASSED = dict.fromkeys(RIGHT, "passed")


def reasons(result: dict[str, Any]) -> list[str]:
    return Result.from_json(result).reasons


@pytest.mark.parametrize("name", ["right", *FLOODS])
def test_a_flood_costs_nothing_and_is_cut(results: Results, name: str) -> None:
    """Rows 22 and 24: printed text is cut, a full disk hurts nobody else, and the right answer gets its points."""
    assert statuses(results[name]) == PASSED, messages(results[name], "double")
    assert len(json.dumps(results[name])) < 60_000


@pytest.mark.parametrize("name", LEAKS)
def test_what_an_exercise_does_to_its_process_spoils_no_other(results: Results, name: str) -> None:
    """Row 33: whatever an exercise does to clocks, seeds, default dtype or device, all exercises get their points."""
    assert statuses(results[name]) == PASSED, results[name]


def test_a_patched_clock_stops_nobody_elses(results: Results) -> None:
    """Row 33: another process keeps the time limit, so that patching the clock does not make a loop last longer."""
    (note,) = [n["text"] for n in results["loops_with_a_patched_time"]["notes"] if n["kind"] == "accident"]
    assert note.endswith(too_slow(8))
    assert statuses(results["loops_with_a_patched_time"]) == PASSED


ROADS = {*HIDDEN_ROADS, *MODULES, "helped_from_below", "between_the_checks", "by_a_thread_that_was_there"}
# TorchScript calls from C++; the thread has kept the function since before the check began.
UNSEEN = {"in_torchscript", "by_a_thread_that_was_there"}


@pytest.mark.parametrize("name", sorted(ROADS - UNSEEN))
def test_a_forbidden_function_is_refused_where_it_runs(results: Results, name: str) -> None:
    """Row 55: by whatever road an answer reaches a forbidden function, it is refused, and the instructor told."""
    assert statuses(results[name]) == PASSED | {"weigh": "refused"}
    assert "calls F.softmax, and this exercise asks you to build that yourself." in " ".join(reasons(results[name]))


@pytest.mark.parametrize("name", sorted(UNSEEN))
def test_what_the_watch_cannot_see_passes(results: Results, name: str) -> None:
    """Row 55, the limit of it: a call from C++, and one by a thread that kept the function since before the check.

    Nobody writes these by accident, and who does could paste somebody's answer with less work.
    """
    assert statuses(results[name]) == PASSED


def test_an_honest_answer_of_an_exercise_that_forbids_is_not_told(results: Results) -> None:
    """Row 55: an honest answer gets no note for the mere fact that its exercise forbids a function."""
    assert reasons(results["right"]) == []


def test_stored_answers_pass_the_visible_check_alone(results: Results) -> None:
    """Row 32: answers stored for the visible check fail the hidden check, which asks for others."""
    report = next(one for one in results["looked_up"]["exercises"] if one["name"] == "double")
    assert [check["points"] for check in report["checks"]] == [1.0, 0.0]


def test_an_answer_that_sees_that_it_is_graded_is_the_answer_that_is_graded(results: Results) -> None:
    """Row 32: an answer that is right only while it is graded gets its points; it is wrong in the student's own run."""
    assert statuses(results["watchful"]) == PASSED


def test_there_is_one_attempt(results: Results) -> None:
    """Row 56: a prediction is made once, whatever another cell has set: of two opposite ones, one is wrong."""
    scores = sorted(results[f"guesses_{word}"]["score"] for word in ("pre", "post"))
    assert scores == [7.0, 9.0]


def test_a_notebook_that_is_run_again_keeps_its_verdicts(results: Results) -> None:
    """Row 56: where a notebook runs again for a cell that stood too low, only the answer that needed it is tried again.

    The other answers keep what their visible and their hidden checks found: nobody gets a second attempt.
    """
    result = results["runs_it_again"]
    assert statuses(result) == PASSED | {"double": "failed"}
    assert [check["points"] for check in result["exercises"][0]["checks"]] == [0.0, 0.0]


def test_a_refusal_by_the_hidden_check_is_for_the_instructor(results: Results, unit: Unit) -> None:
    """Row 57: a note for the instructor names the forbidden function, and nothing that the student reads does."""
    shown = []
    for number, name in enumerate(("softmin", "softmax")):
        result = Result.from_json(results[f"tells_{number}"])
        shown_as = {"softmax": "F.softmax"}.get(name, name)
        told_by = f"but your answer calls {shown_as}, and this exercise asks you to build that yourself."
        assert any(reason.endswith(told_by) for reason in result.reasons), result.reasons
        weigh = result.exercises[1]
        assert [(check.status, check.points) for check in weigh.checks] == [("passed", 1.0), ("refused", 0.0)]
        told = json.loads(gradescope.results_json(result))
        shown.append([told["output"], *(test for test in told["tests"] if test["visibility"] == "visible")])
        assert name not in json.dumps(told)
    assert shown[0] == shown[1]


def test_the_order_of_this_class_is_of_no_account(unit: Unit, tmp_path: Path) -> None:
    """Row 38: three students of the class, graded in another order and by one worker, get the same scores."""
    names = ["guesses_pre", "right", "looked_up"]
    notebooks = {
        "right": answered(unit, **RIGHT),
        "looked_up": answered(unit, **RIGHT | {"double": LOOKED_UP}),
        "guesses_pre": answered(unit, **RIGHT | {"predicted": guess("pre")}),
    }
    one_by_one = grade(unit, tmp_path, workers=1, **{name: notebooks[name] for name in names})
    assert {name: result["score"] for name, result in one_by_one.items()} == {
        "right": 9.0, "looked_up": 7.0, "guesses_pre": 9.0,
    }  # fmt: skip


LAZY = """class Both({base}):
    def __iter__(self):
        x = {base}.__getitem__(self, 0)
        return iter((getattr(x, 'soft' + 'max')(-1), x))

def weigh(x):
    return Both((x, x))
"""


def test_what_an_answer_computes_when_it_is_read_is_watched(tmp_path: Path) -> None:
    """Row 55: a tuple or list that computes its entries only once the call is over is watched while it is read.

    The grader's own calls of `detach` and `numpy`, with which it sends an honest answer, are not taken for the
    student's.
    """
    right = "def weigh(x):\n    e = x.exp()\n    return e / e.sum(), x"
    compared = "x = torch.tensor([{}])\n    assert torch.allclose(weigh(x)[0], x.softmax(-1))"
    check = "@without('softmax', 'detach', 'numpy')\ndef check_weigh(weigh):\n    # weights\n"
    setup = setup_of(f"{check}    {compared.format('1.0, 2.0')}\n    return 'weigh passes.'\n", tmp_path)
    unit = unit_of(
        setup=setup, weigh=Task(right, "check.weigh()", HIDDEN.format("weigh", compared.format("1.0, -3.0")))
    )
    answers = {base: answered(unit, weigh=LAZY.format(base=base)) for base in ("tuple", "list")}
    results = grade(unit, tmp_path, workers=1, right=answered(unit, weigh=right), **answers)
    found = {name: statuses(result)["weigh"] for name, result in results.items()}
    assert found == {"right": "passed", "tuple": "refused", "list": "refused"}
    assert Result.from_json(results["right"]).reasons == []
