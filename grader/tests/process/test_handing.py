"""What a check hands over: functions stay here and are called back; modules go without names that would tell."""

import functools
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch
from students import defined, graded, native, run
from torch import nn

from nbproctor.border.frames import WireError
from nbproctor.exam import proxies
from nbproctor.exam.handing import HandedOver, stays
from nbproctor.exam.mirrors import RemoteCallable
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
    """Row 59: no name, closure, default, docstring or line of a check's code reaches the student's process.

    This holds for functions, classes and modules.
    """
    run(student, PROBE)
    found = graded(student, "def told(): ...", CHECK)
    assert (found.status, found.message) == ("passed", "")


def test_the_seed_does_not_tell_which_check_is_running(student: Student) -> None:
    """Row 59: in the student's process, every check of a draw begins with the same random numbers.

    The seed that a check sets for itself makes no difference there.
    """
    run(student, "import torch\n\ndef seed():\n    return torch.initial_seed(), torch.rand(1).item()")
    seen: list[Any] = []
    asked = "seen.append(seed())"
    for number, check in enumerate(("visible", "hidden", "of another exercise")):
        text = f"torch.manual_seed({number})\n{asked}" if number else asked
        found = graded(student, "def seed(): ...", text, names={"seen": seen, "torch": torch}, grade_id=check)
        assert found.status == "passed", found.message
    assert seen[0] == seen[1] == seen[2]


def both(student: Student, source: str, name: str, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
    """What a function of the student's returns, in the student's process and natively."""
    return defined(student, name, source)(*args, **kwargs), native(name, source)(*args, **kwargs)


def bent(x: torch.Tensor) -> torch.Tensor:
    return torch.stack([x.tanh() * x.sum(-1, keepdim=True), x * x])


USES = {
    "twice": "return f(f(x)[0])",
    "by name and in a list": "return [f(x=x), f(x)][1].sum()",
    "a gradient": "y = x.clone().requires_grad_()\n    return torch.autograd.grad(f(y)[0].sum(), y)[0]",
    "a gradient of one of its outputs": "y = x.clone().requires_grad_()\n    a, b = f(y)\n    b.sum().backward()\n"
    "    return y.grad",
    "jacobian": "return torch.autograd.functional.jacobian(f, x)",
    "jacrev": "return torch.func.jacrev(f)(x)",
    "vmap": "return torch.func.vmap(f)(torch.stack([x, x + 1]))",
    "without gradients": "with torch.no_grad():\n        return f(x.clone().requires_grad_()).requires_grad",
    "expanded": "return f(x.expand(2, *x.shape))",
    "in a comprehension": "return sum(f(x[i])[0].sum() for i in range(len(x)))",
}


@pytest.mark.parametrize("name", USES)
def test_a_function_of_the_checks_does_over_there_what_it_does_here(student: Student, name: str) -> None:
    """A check's function gives a student the same values and gradients by `backward`, `autograd` and `torch.func`."""
    source = f"def use(f, x):\n    {USES[name]}"
    got, wanted = both(student, source, "use", lambda x: bent(x), torch.linspace(-1, 1, 6).view(2, 3))
    torch.testing.assert_close(got, wanted)


def test_functions_of_torch_and_of_the_student_go_as_they_are(student: Student) -> None:
    """These functions tell nothing, since the student's process has them already."""
    apply = defined(student, "apply", "def apply(f, x):\n    return f(f(x))\n\ndef double(x):\n    return 2 * x")
    x = torch.randn(2, 3)
    assert torch.equal(apply(student.lookup("double"), x), 4 * x)
    assert torch.equal(apply(f=torch.relu, x=x), x.relu())
    layer = nn.Linear(3, 3)
    torch.testing.assert_close(apply(layer, x), layer(layer(x)))
    kinds: tuple[tuple[Any, bool], ...] = (
        (torch.relu, False), (nn.Linear, False), (ValueError, False), (len, False), (layer, False),
        (lambda: 1, True), (bent.__get__(1), True), (functools.partial(bent), True), (type("Mine", (), {}), True),
    )  # fmt: skip
    assert [stays(kind) for kind, _ in kinds] == [stay for _, stay in kinds]


def test_calls_may_go_to_and_fro(student: Student) -> None:
    """A function of the check's may call one of the student's, which calls one of the check's."""
    ask = defined(student, "ask", "def ask(f, n):\n    return f(lambda m: ask(f, m), n)")
    assert ask(lambda inner, n: n if n == 0 else 1 + inner(n - 1), 7) == 7


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
    """A check's factory is called back for each module.

    A function that such a module keeps is asked here, with the module as it is.
    """
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
    """A check's function can be called while that check runs, and not during a later one.

    A call of a function whose number is not ours is refused, and what is not a number makes a malformed message.
    """
    run(
        student, "kept = []\n\ndef keep(f):\n    kept.append(f)\n    return f(1)\n\ndef again():\n    return kept[0](1)"
    )
    keep, again = student.lookup("keep"), student.lookup("again")
    assert (keep(lambda x: x + 1), again()) == (2, 2)
    student.begin()
    with pytest.raises(RuntimeError, match="can be called while that check runs, and not later"):
        student.lookup("again")()
    forged = "from nbproctor.border.protocol import stand_in\n\ndef forged(number):\n    return stand_in(number)(1)"
    for number in (-1, 10_000):
        with pytest.raises(RuntimeError, match="can be called while"):
            defined(student, "forged", forged)(number)
    for number in ("0", None, True, [0]):
        with pytest.raises(WireError, match="a malformed Reply"):
            defined(student, "forged", forged)(number)


def test_of_what_a_student_asked_nothing_is_left_once_they_are_ended(student: Student) -> None:
    """Row 60: none of the tensors that an ended student sent to a check's function is left in the examiner.

    The last check that ran still holds what stands for the student's answer, until another check runs.
    """
    source = "import torch\n\ndef ask(f):\n    return [f(torch.ones(2, requires_grad=True)) for _ in range(5)]"
    ask = defined(student, "ask", source)
    given: list[weakref.ref[torch.Tensor]] = []

    def twice(x: torch.Tensor) -> torch.Tensor:
        given.append(weakref.ref(x))
        return 2 * x

    ask(twice)
    student.close()
    assert [one() for one in given] == [None] * 5
    assert isinstance(ask, RemoteCallable)


ALL_AT_ONCE = "def ask(f, n):\n    return f(torch.ones(n, 8), torch.arange(n)).double().sum()"
ONE_BY_ONE = "def ask(f, n):\n    return sum(f(torch.ones(1, 8), torch.tensor([i])).double().sum() for i in range(n))"


@pytest.mark.parametrize(("source", "count"), [(ALL_AT_ONCE, 4096), (ALL_AT_ONCE, 65_536), (ONE_BY_ONE, 8192)])
def test_a_function_may_be_called_for_many_numbers_and_many_times(student: Student, source: str, count: int) -> None:
    """All pairs of 64 positions at once, and a double loop over them, are both ways to ask; so is a larger table."""
    found = defined(student, "ask", source)(lambda x, positions: x * positions[:, None], count)
    assert found.item() == pytest.approx(8 * count * (count - 1) / 2)


def test_gradients_reach_each_of_many_calls(student: Student) -> None:
    """The graph of the first call is there after the last one, however many calls there were."""
    ask = defined(student, "ask", "def ask(f, x):\n    return sum(f(x * n) for n in range(1500))")
    x = torch.ones(1, requires_grad=True)
    (slope,) = torch.autograd.grad(ask(lambda x: 2 * x, x).sum(), x)
    assert slope.item() == 1500 * 1499


def test_a_call_without_a_gradient_returns_none_of_the_examiners_graph(student: Student) -> None:
    """What a function of the check's computes from parameters of its own arrives without a gradient, as data."""
    weight = torch.full((2,), 3.0, requires_grad=True)
    ask = defined(student, "ask", "def ask(f):\n    y = f(torch.ones(2))\n    return y.tolist(), y.requires_grad")
    assert ask(lambda x: x * weight) == ([3.0, 3.0], False)


def test_what_a_checks_functions_are_given_in_all_is_bounded(student: Student, monkeypatch: pytest.MonkeyPatch) -> None:
    """Row 60: a function that keeps what it is given would fill the memory in which the next student is graded.

    Each check begins anew with the whole allowance. The graphs of the calls count, too.
    """
    most = 4 << 20
    monkeypatch.setattr(proxies, "LEFT_MOST_BYTES", most)
    kept = []

    def keeps(x: torch.Tensor) -> torch.Tensor:
        kept.append(x)
        return 2 * x

    source = "def floods(f, n, grad):\n    while True:\n        f(torch.zeros(n, requires_grad=grad))"
    run(student, f"{source}\n\ndef asks(f):\n    f(torch.zeros(2))")
    words = "were given more than 4 MB together. Are the arguments larger than they need to be"
    with pytest.raises(ValueError, match=words):
        student.lookup("floods")(keeps, 16_000, False)
    assert 0.9 * most < sum(x.nbytes for x in kept) <= most
    student.begin()
    student.lookup("asks")(keeps)
    assert kept.pop().shape == (2,)
    kept.clear()
    with pytest.raises(ValueError, match=words):
        student.lookup("floods")(keeps, 1, True)
    assert 0.9 * most < len(kept) * proxies.GRAPH_BYTES < 1.1 * most


def test_a_fork_does_not_take_part_in_the_conversation(student: Student) -> None:
    """A fork would hear the answers to its parent's calls, and none would come for what the parent asks afterwards."""
    run(
        student,
        "import os\n\ndef forks(f):\n    if os.fork() == 0:\n        for n in range(200):\n            f(n)\n"
        "    return sum(f(n) for n in range(200))\n\ndef told(f):\n    here, there = os.pipe()\n"
        "    if os.fork() == 0:\n        try:\n            f(1)\n        except RuntimeError as error:\n"
        "            os.write(there, str(error).encode())\n        os._exit(0)\n    os.close(there)\n"
        "    return os.read(here, 1000).decode()",
    )
    assert student.lookup("forks")(lambda x: x) == sum(range(200))
    words = "a function of a check can be called in the notebook's own process, and in no fork of it"
    assert student.lookup("told")(lambda x: x) == words


def test_endless_questions_meet_the_deadline(student: Student) -> None:
    """A student who calls a check's function again and again does not get more time by it."""
    ask: Callable[..., Any] = defined(student, "ask", "def ask(f):\n    while True:\n        f(1)")
    student.line.too_late, student.line.deadline = "too late", student.line.deadline - 119.0
    with pytest.raises(BaseException, match="too late"):
        ask(lambda x: x)


def test_one_function_has_one_number() -> None:
    """Two functions have two numbers, also where the first one is gone by then."""
    over = HandedOver()
    assert [over.number(len), over.number(max), over.number(len)] == [0, 1, 0]
    assert [over.number(lambda: None) for _ in range(3)] == [2, 3, 4]


def test_what_is_handed_over_can_be_saved_copied_and_pickled(student: Student) -> None:
    """`torch.save(model, path)`, `deepcopy` and `pickle` of a check's module work, as they do in a notebook."""

    class Inner(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x + 1

    class Outer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner, self.scale = Inner(), nn.Parameter(torch.ones(2))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.inner(x) * self.scale

    keep = defined(
        student,
        "keep",
        "import copy, pickle\ndef keep(model, x):\n    torch.save(model, 'model.pt')\n"
        "    saved = torch.load('model.pt', weights_only=False)\n"
        "    others = saved, copy.deepcopy(model), pickle.loads(pickle.dumps(model))\n"
        "    return [other(x) for other in others]",
    )
    for _ in range(2):
        assert all(torch.equal(out, 2 * torch.ones(2)) for out in keep(Outer(), torch.ones(2)))
