"""What a check hands over: functions stay here and are called back; modules go without names that would tell."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from students import defined, graded, native, run
from torch import nn

from nbproctor.border.frames import WireError
from nbproctor.exam import proxies
from nbproctor.exam.handing import HandedOver
from nbproctor.exam.proxies import Student

PROBE = """
import sys, torch

def told(thing):
    "All that can be read over here of what was handed over."
    seen, queue, words = set(), [thing], []
    while queue and len(seen) < 3_000:
        one = queue.pop()
        if id(one) in seen or isinstance(one, type(sys)):
            continue
        seen.add(id(one))
        words.append(repr(one)[:500])
        for name in ("__name__", "__qualname__", "__module__", "__doc__", "__dict__"):
            words.append(repr(getattr(one, name, ""))[:2000])
        code = getattr(one, "__code__", None)
        if code is not None and not code.co_filename.startswith(sys.prefix):
            words += [code.co_filename, str(code.co_firstlineno), code.co_qualname, repr(code.co_consts)]
        if type(one).__name__ == "cell":
            queue.append(one.cell_contents)
        queue += [part for name in ("__closure__", "__defaults__") for part in getattr(one, name, None) or ()]
        if isinstance(one, torch.nn.Module):
            queue += [type(one), *vars(one).values(), *vars(type(one)).values()]
    return "\\n".join(words)
"""
CHECK = """
secret = torch.full((2,), 4711.0)

def the_hidden_layer(x):
    return x + secret

class TheHiddenModule(nn.Module):
    'of the hidden check, 4711'

    def __init__(self, rule):
        super().__init__()
        self.rule, self.weight = rule, nn.Parameter(torch.ones(2))

    def forward(self, x):
        'adds 4711'
        return self.weight * self.rule(x)

def make(rule=the_hidden_layer):
    return TheHiddenModule(rule)

for handed in (the_hidden_layer, make, TheHiddenModule, make()):
    words = told(handed)
    for word in ("4711", "idden", "make"):
        assert word not in words, (word, [line for line in words.splitlines() if word in line])
"""


def test_what_is_handed_over_does_not_tell(student: Student) -> None:
    """Row 59: no name, closure, default, docstring or line of a check's code reaches the student's process."""
    run(student, PROBE)
    found = graded(student, "def told(): ...", CHECK)
    assert (found.status, found.message) == ("passed", "")


def test_the_seed_does_not_tell_which_check_is_running(student: Student) -> None:
    """Row 59: every check begins with the same random numbers over there, whatever seed it sets for itself."""
    run(student, "import torch\n\ndef seed():\n    return torch.initial_seed(), torch.rand(1).item()")
    seen: list[Any] = []
    asked = "seen.append(seed())"
    for number, check in enumerate(("visible", "hidden", "of another exercise")):
        text = f"torch.manual_seed({number})\n{asked}" if number else asked
        found = graded(student, "def seed(): ...", text, names={"seen": seen, "torch": torch}, grade_id=check)
        assert found.status == "passed", found.message
    assert seen[0] == seen[1] == seen[2]


def bent(x: torch.Tensor) -> torch.Tensor:
    return torch.stack([x.tanh() * x.sum(-1, keepdim=True), x * x])


USES = {
    "by name and in a list": "return [f(x=x), f(x)][1].sum()",
    "a gradient of one of its outputs": "y = x.clone().requires_grad_()\n    a, b = f(y)\n    b.sum().backward()\n"
    "    return y.grad",
    "jacrev": "return torch.func.jacrev(f)(x)",
    "vmap": "return torch.func.vmap(f)(torch.stack([x, x + 1]))",
    "without gradients": "with torch.no_grad():\n        return f(x.clone().requires_grad_()).requires_grad",
}


@pytest.mark.parametrize("name", USES)
def test_a_function_of_the_checks_does_over_there_what_it_does_here(student: Student, name: str) -> None:
    source = f"def use(f, x):\n    {USES[name]}"
    uses = defined(student, "use", source), native("use", source)
    got, wanted = (use(lambda x: bent(x), torch.linspace(-1, 1, 6).view(2, 3)) for use in uses)
    torch.testing.assert_close(got, wanted)


def test_functions_of_torch_and_of_the_student_go_as_they_are(student: Student) -> None:
    apply = defined(student, "apply", "def apply(f, x):\n    return f(f(x))\n\ndef double(x):\n    return 2 * x")
    x = torch.randn(2, 3)
    assert torch.equal(apply(student.lookup("double"), x), 4 * x)
    assert torch.equal(apply(f=torch.relu, x=x), x.relu())
    layer = nn.Linear(3, 3)
    torch.testing.assert_close(apply(layer, x), layer(layer(x)))


def test_what_a_function_of_the_checks_raises_arrives_as_what_it_is(student: Student) -> None:
    """A student's code may catch the error; where it does not, the error is told as the student's own."""
    source = "def safe(f):\n    try:\n        return f(1)\n    except ValueError as error:\n        return str(error)"
    run(student, source + "\n\ndef loose(f):\n    return f(1)")

    def fails(x: int) -> None:
        raise ValueError(f"not {x}")

    assert student.lookup("safe")(fails) == "not 1"
    with pytest.raises(ValueError, match="^not 1"):
        student.lookup("loose")(fails)


COUNTED = """class Counted(nn.Module):
    def __init__(self, start, rule):
        super().__init__()
        self.weight, self.rule = nn.Parameter(torch.tensor(start)), rule

    def forward(self, x):
        return self.rule(self, x) * self.weight
"""
STACK = """def stack(make, n):
    class Stack(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList(make() for _ in range(n))

        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
            return x
    return Stack()"""


def test_a_module_of_the_checks_is_made_and_trained_over_there(student: Student) -> None:
    """A check's factory is called back for each module; a function that one keeps is asked with the module as it is."""
    counted, made = native("Counted", COUNTED), []

    def factory() -> Any:
        made.append(counted(3.0, lambda module, x: x + float(module.training)))
        return made[-1]

    stacked = defined(student, "stack", STACK)(factory, 2)
    assert len(made) == 2
    x = torch.ones(2, requires_grad=True)
    out = stacked(x)
    assert out.tolist() == [21.0, 21.0]
    first, slope = torch.autograd.grad(out.sum(), [stacked.get_parameter("layers.0.weight"), x])
    assert (first.item(), slope.tolist()) == (12.0, [9.0, 9.0])
    assert stacked.eval()(x).tolist() == [9.0, 9.0]


def test_a_function_is_called_back_only_while_its_check_runs(student: Student) -> None:
    """A call of a function whose number is not ours is refused, and what is not a number makes a malformed message."""
    keeps = "kept = []\n\ndef keep(f):\n    kept.append(f)\n    return f(1)"
    run(student, f"{keeps}\n\ndef again():\n    return kept[0](1)")
    keep, again = student.lookup("keep"), student.lookup("again")
    assert (keep(lambda x: x + 1), again()) == (2, 2)
    student.begin()
    with pytest.raises(RuntimeError, match="can be called while that check runs, and not later"):
        student.lookup("again")()
    forged = "from nbproctor.border.protocol import stand_in\n\ndef forged(number):\n    return stand_in(number)(1)"
    with pytest.raises(RuntimeError, match="can be called while"):
        defined(student, "forged", forged)(-1)
    with pytest.raises(WireError, match="a malformed Reply"):
        defined(student, "forged", forged)("0")


ALL_AT_ONCE = "def ask(f, n):\n    return f(torch.ones(n, 8), torch.arange(n)).double().sum()"
ONE_BY_ONE = "def ask(f, n):\n    return sum(f(torch.ones(1, 8), torch.tensor([i])).double().sum() for i in range(n))"


@pytest.mark.parametrize(("source", "count"), [(ALL_AT_ONCE, 65_536), (ONE_BY_ONE, 8192)])
def test_a_function_may_be_called_for_many_numbers_and_many_times(student: Student, source: str, count: int) -> None:
    found = defined(student, "ask", source)(lambda x, positions: x * positions[:, None], count)
    assert found.item() == pytest.approx(8 * count * (count - 1) / 2)


def test_what_a_checks_functions_are_given_in_all_is_bounded(student: Student, monkeypatch: pytest.MonkeyPatch) -> None:
    """Row 60: a function that keeps what it is given would fill the memory in which the next student is graded."""
    most = 4 << 20
    monkeypatch.setattr(proxies, "LEFT_MOST_BYTES", most)
    kept = []

    def keeps(x: torch.Tensor) -> torch.Tensor:
        kept.append(x)
        return 2 * x

    run(student, "def floods(f, n, grad):\n    while True:\n        f(torch.zeros(n, requires_grad=grad))")
    words = "were given more than 4 MB together. Are the arguments larger than they need to be"
    with pytest.raises(ValueError, match=words):
        student.lookup("floods")(keeps, 16_000, False)
    assert 0.9 * most < sum(x.nbytes for x in kept) <= most
    student.begin()
    kept.clear()
    with pytest.raises(ValueError, match=words):
        student.lookup("floods")(keeps, 1, True)
    assert 0.9 * most < len(kept) * proxies.GRAPH_BYTES < 1.1 * most


def test_a_fork_does_not_take_part_in_the_conversation(student: Student) -> None:
    """A fork would hear the answers to its parent's calls, and none would come for what the parent asks afterwards."""
    forks = "def forks(f):\n    if os.fork() == 0:\n        for n in range(200):\n            f(n)\n"
    run(student, f"import os\n{forks}    return sum(f(n) for n in range(200))")
    assert student.lookup("forks")(lambda x: x) == sum(range(200))


def test_endless_questions_meet_the_deadline(student: Student) -> None:
    ask: Callable[..., Any] = defined(student, "ask", "def ask(f):\n    while True:\n        f(1)")
    student.line.too_late, student.line.deadline = "too late", student.line.deadline - 119.0
    with pytest.raises(BaseException, match="too late"):
        ask(lambda x: x)


def test_one_function_has_one_number() -> None:
    over = HandedOver()
    assert [over.number(len), over.number(max), over.number(len)] == [0, 1, 0]


def test_what_is_handed_over_can_be_saved_copied_and_pickled(student: Student) -> None:
    class Outer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner, self.scale = nn.Identity(), nn.Parameter(torch.ones(2))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.inner(x + 1) * self.scale

    save = "    torch.save(model, 'model.pt')\n    saved = torch.load('model.pt', weights_only=False)\n"
    others = "saved, copy.deepcopy(model), pickle.loads(pickle.dumps(model))"
    source = f"import copy, pickle\ndef keep(model, x):\n{save}    return [other(x) for other in ({others})]"
    keep = defined(student, "keep", source)
    for _ in range(2):
        assert all(torch.equal(out, 2 * torch.ones(2)) for out in keep(Outer(), torch.ones(2)))
