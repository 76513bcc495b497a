"""A student's modules, used by the examiner, behave as native ones would, in names, numbers and training."""

import re
import time
from importlib import import_module
from typing import Any

import pytest
import torch
from checks_of import checking_of_solutions
from students import defined, native, run
from torch import nn

from nbproctor.border.wire import WireError
from nbproctor.exam.mirrors import RemoteModule
from nbproctor.exam.proxies import Student

LAYER = """class Layer(nn.Module):
    def __init__(self, width, bias=True):
        super().__init__()
        self.inner = nn.Linear(width, width, bias=bias)
        self.blocks = nn.ModuleList(nn.Linear(width, width) for _ in range(2))
        self.tied = nn.Linear(width, width)
        self.tied.weight = self.inner.weight
        self.number = nn.Parameter(torch.tensor(2.0))
        self.drop = nn.Dropout(0.5)
        self.register_buffer("calls", torch.zeros(()))
        self.register_buffer("mask", torch.ones(width), persistent=False)
        self.register_parameter("none", None)

    def forward(self, x):
        self.calls += 1
        for block in self.blocks:
            x = block(x).tanh()
        return self.drop(self.tied(self.inner(x)) * self.number * self.mask)
"""


def pair(student: Student, source: str = LAYER, *arguments: Any, **more: Any) -> tuple[RemoteModule, nn.Module]:
    """The student's module and a native one with the same numbers in them."""
    theirs, ours = defined(student, "Layer", source)(*arguments, **more), native("Layer", source)(*arguments, **more)
    ours.load_state_dict(theirs.state_dict())
    return theirs, ours


def test_a_module_has_the_names_and_shapes_of_its_own(student: Student) -> None:
    """A module arrives with its class's name and all its parameters, buffers and submodules, in the same order.

    Tied parameters stay tied, and absent ones absent.
    """
    theirs, ours = pair(student, LAYER, 4)
    for listing in ("named_parameters", "named_buffers", "named_modules"):
        assert [name for name, _ in getattr(theirs, listing)()] == [name for name, _ in getattr(ours, listing)()]
    assert [n for n, _ in theirs.named_parameters(remove_duplicate=False)] == [
        n for n, _ in ours.named_parameters(remove_duplicate=False)
    ]
    assert list(theirs.state_dict()) == list(ours.state_dict())
    assert theirs.tied.weight is theirs.inner.weight
    assert isinstance(theirs.inner.weight, nn.Parameter)
    assert theirs.none is None
    assert (len(theirs.blocks), type(theirs).__name__, type(theirs.inner).__name__) == (2, "Layer", "Linear")
    assert isinstance(theirs, nn.Module)


ATTENTION = """class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.q_proj, self.k_proj, self.v_proj = (nn.Linear(width, width) for _ in range(3))
        self.spare, self.frozen = nn.Linear(width, width), nn.Linear(width, width).requires_grad_(False)

    def forward(self, x):
        x = self.frozen(x)
        weights = (self.q_proj(x) @ self.k_proj(x).mT / 2).tril(1).softmax(-1)
        return weights @ (self.v_proj(x) - self.v_proj(x).mean(0))
"""


def test_a_module_can_be_examined_and_comes_back_as_it_was(student: Student) -> None:
    """The doctor puts random numbers of another dtype into the parameters, and then its own back."""
    theirs, ours = pair(student, ATTENTION, 4)
    x = torch.randn(2, 5, 4)
    right, began = ours(x), time.monotonic()
    with checking_of_solutions():
        report = import_module("checking.examine").examine(theirs)
    assert time.monotonic() - began < 10
    told = [f"{it.name}: {it.evidence}" for it in report.findings]
    assert "batch: sentence 1 is another one, and the others change by" in told[0]
    assert "no gradient reaches spare.weight, spare.bias" in told[-1]
    assert "same dtype" not in report["precision"].evidence  # the frozen parameters change there, too
    assert torch.equal(theirs(x), right)
    assert {n: p.dtype for n, p in theirs.named_parameters()} == {n: p.dtype for n, p in ours.named_parameters()}


CONTAINED = """class Layers(nn.ModuleList):
    pass

class ModuleList(nn.Sequential):
    pass

class Chain(nn.Sequential):
    def __init__(self, width):
        super().__init__(nn.Linear(width, width), nn.ReLU())

class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.listed = Layers(nn.Linear(width, width) for _ in range(3))
        self.plain = nn.ModuleList([nn.Linear(width, width)])
        self.chained = ModuleList(nn.Linear(width, width), nn.Linear(width, width))
        self.named = nn.ModuleDict({"a": nn.Linear(width, width)})
        self.single = nn.Linear(width, width)

    def forward(self, x):
        return x
"""


def test_a_part_is_what_isinstance_says(student: Student) -> None:
    """A part, or a module itself, is one of torch's containers where its class derives from it, whatever its name."""
    theirs, ours = pair(student, CONTAINED, 2)
    kinds = (nn.ModuleList, nn.ModuleDict, nn.Sequential)
    for name, part in ours.named_children():
        mirror = theirs.get_submodule(name)
        assert [isinstance(mirror, kind) for kind in kinds] == [isinstance(part, kind) for kind in kinds], name
        assert type(mirror).__name__ == type(part).__name__
    assert len(theirs.listed) == 3 and theirs.listed[-1].weight.shape == (2, 2)
    assert list(theirs.named) == ["a"] and len(theirs.chained[:1]) == 1
    chain = student.lookup("Chain")(2)
    assert isinstance(chain, nn.Sequential) and len(chain) == 2 and chain(torch.ones(1, 2)).shape == (1, 2)


CROSSING = """
class Own:
    pass

class OwnError(Exception):
    pass

class OwnValueError(ValueError):
    pass

def gives():
    yield 1

def raises(kind):
    raise kind("words")
"""


def test_no_text_names_a_class_of_the_graders(student: Student) -> None:
    """A check may put a value, its class, or the name of its class into a message, and quote an error's."""
    run(student, CONTAINED + CROSSING)
    sources = [
        "gives",
        "Own",
        "Own()",
        "gives()",
        "Own().__init__",
        "print",
        "Layer(2)",
        "OwnError",
        "torch.relu",
        "None",
    ]
    sources += ["[Own(), Own]", "{'a': Own()}", "nn.ReLU()", "Layers()", "lambda: 0", "iter([Own()])", "object()"]
    values = [defined(student, "it", f"it = {source}") for source in sources]
    layer = values[6]
    values += [*layer.modules(), *layer.parameters()]
    for kind in ("OwnError", "OwnValueError", "KeyError", "SystemExit"):
        with pytest.raises(Exception, match="words") as raised:
            defined(student, "it", f"def it():\n    raises({kind})")()
        values.append(raised.value)
    for value in values:
        kind = type(value)
        text = f"{value} {value!r} {kind} {kind!r} {kind.__name__} {kind.__qualname__} {kind.__module__}"
        assert not re.search("nbproctor|Remote|Opaque|_Part|mirror|StudentError", text), text


LARGE = """class Layer(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))
        for number in range(12):
            self.register_buffer(f"mask{number}", torch.ones(n, n).tril(), persistent=False)

    def forward(self, x, n):
        if len(self.mask0) < n:
            self.mask0 = torch.ones(n, n).tril()
        return (self.mask0[: len(x), : len(x)] @ x) * self.weight, self.mask11.dtype
"""


def test_a_large_buffer_that_is_no_state_stays_where_it_is(student: Student) -> None:
    """Twelve masks of 2,048 rows have names and shapes here, but do not cross, whatever a call or a check does to them.

    A change of the module's dtype reaches them, too.
    """
    theirs, ours = pair(student, LARGE, 2048)
    assert [*dict(theirs.named_buffers())] == [*dict(ours.named_buffers())]
    assert (theirs.mask3.shape, theirs.mask3.dtype) == ((2048, 2048), torch.float32)
    x = torch.randn(3, 2)
    for n in (3, 4096):
        torch.testing.assert_close(theirs(x, n)[0], ours(x, n)[0])
    assert theirs.mask0.shape == (4096, 4096)
    out, dtype = theirs.double()(x.double(), 3)
    assert (out.dtype, dtype) == (torch.float64, torch.float64)


def test_a_buffer_that_is_state_and_too_large_is_told_in_words(student: Student) -> None:
    """The message says that the result is too large, and what there is of it."""
    run(student, LARGE.replace(", persistent=False", ""))
    words = "the result is too large: 192 MB in 13 tensors, and 1 kB of other values. Can it be done with smaller"
    with pytest.raises(WireError, match=words):
        student.lookup("Layer")(2048)


def test_a_module_computes_what_the_native_one_does(student: Student) -> None:
    """A module gives the same result and the same gradients to its input and every parameter, tied ones included."""
    theirs, ours = pair(student, LAYER, 4)
    x = torch.randn(3, 4, requires_grad=True)
    found = []
    for layer in (theirs.eval(), ours.eval()):
        layer.zero_grad()
        x.grad = None
        out = layer(x)
        out.pow(2).sum().backward()
        found.append([out.detach(), x.grad, *(p.grad for p in layer.parameters())])
    for mine, yours in zip(*found, strict=True):
        torch.testing.assert_close(mine, yours)
    assert theirs.calls.item() == ours.calls.item() == 1


def test_train_and_eval_cross(student: Student) -> None:
    """`train` and `eval` reach the student's module: its dropout drops in training, and does not in evaluation."""
    theirs, _ = pair(student, LAYER, 64)
    assert theirs.training
    x = torch.ones(8, 64)
    assert (theirs(x) == 0).float().mean() > 0.2
    assert (theirs.eval()(x) == 0).float().mean() < 0.05
    assert not torch.equal(theirs.train()(x), theirs(x))


def test_loaded_and_assigned_numbers_are_used(student: Student) -> None:
    """Numbers that a check loads or assigns, also through `data`, are used by the student's module."""
    theirs, ours = pair(student, LAYER, 4)
    theirs.eval(), ours.eval()
    x = torch.randn(3, 4)
    for change in (
        lambda m, numbers: m.load_state_dict(numbers),
        lambda m, numbers: m.inner.weight.data.mul_(2),
        lambda m, numbers: m.number.data.fill_(-1),
        lambda m, numbers: m.mask.zero_(),
    ):
        numbers = {name: torch.randn_like(value) for name, value in ours.state_dict().items()}
        change(theirs, numbers), change(ours, numbers)
        torch.testing.assert_close(theirs(x), ours(x))


def test_a_view_that_a_module_keeps_shows_the_numbers_that_were_loaded(student: Student) -> None:
    """A view that a module keeps of its weight shows loaded numbers, since they are written into the same tensor.

    A tensor of another shape takes the place of the old one.
    """
    source = """class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 2)
        self.turned = self.inner.weight.T
        self.register_buffer("shift", torch.zeros(2))

    def forward(self, x):
        return x @ self.turned + self.shift
"""
    theirs, ours = pair(student, source)
    x, weight = torch.randn(4, 3), torch.randn(2, 3)
    for layer in (theirs, ours):
        layer.load_state_dict({**layer.state_dict(), "inner.weight": weight})
        layer.shift = torch.ones(4, 2)
    torch.testing.assert_close(theirs(x), x @ weight.T + 1)
    torch.testing.assert_close(theirs(x), ours(x))
    slopes = [torch.autograd.grad(layer(x).square().sum(), layer.inner.weight)[0] for layer in (theirs, ours)]
    torch.testing.assert_close(*slopes)


def test_a_module_may_name_its_parts_as_it_likes(student: Student) -> None:
    """Names that the mirror uses itself are free for the student's layers."""
    source = "class Layer(nn.Module):\n    def __init__(self):\n        super().__init__()\n" + "".join(
        f"        self.{name} = nn.Linear(2, 2)\n" for name in ("student", "number", "sent", "unsent", "calls")
    )
    theirs = defined(student, "Layer", source + "    def forward(self, x):\n        return self.number(x)")()
    assert theirs(torch.ones(1, 2)).shape == (1, 2)
    assert len(list(theirs.parameters())) == 10


def test_a_part_of_a_module_cannot_be_called(student: Student) -> None:
    """A check that calls a part of a student's module gets an error, and no number that was not computed there."""
    theirs, _ = pair(student, LAYER, 4)
    with pytest.raises(WireError, match=r"^a check may not call a part of the student's module$"):
        theirs.inner(torch.ones(4))


def test_a_module_of_more_parts_than_any_answer_has_is_not_made(student: Student) -> None:
    """Row 36: a module of too many parts is refused, since no time limit would hold while the examiner made them."""
    with pytest.raises(WireError, match="more than 10000 objects, or parts and tensors of modules"):
        defined(student, "many", "many = nn.ModuleList(nn.Identity() for _ in range(10_000))")
    some = defined(student, "some", "some = nn.ModuleList(nn.Identity() for _ in range(1_000))")
    assert len(list(some.children())) == 1_000


MANY = """
class Many(nn.Module):
    def __init__(self):
        super().__init__()
        for number in range({}):
            self.register_buffer(f"b{{number}}", ONE)

    def forward(self, x):
        ONE.add_(1)
        return x

ONE = torch.zeros(1)
many = Many()
"""


def test_a_module_whose_many_tensors_change_does_not_hold_the_examiner(student: Student) -> None:
    """Row 36: a tensor with thousands of names does not hold the examiner up, and more than 10,000 are refused."""
    many = defined(student, "many", MANY.format(4_000))
    began = time.process_time()
    many(torch.zeros(1))
    assert time.process_time() - began < 2, "4,000 times 4,000 names take ten seconds"
    assert many.b0 == many.b3999 == 1
    with pytest.raises(WireError, match="more than 10000 objects, or parts and tensors of modules"):
        defined(student, "many", MANY.format(10_001))


CACHES = {
    "appears": "self.register_buffer('mask', torch.ones(n, n).tril(), persistent=False)",
    "grows": "self.register_buffer('mask', torch.ones(n, n).tril())",
    "goes": "del self.old",
    "is None": "self.old = None",
    "of another dtype": "self.old = torch.ones(2, dtype=torch.float64)",
    "of a part": "self.inner.register_buffer('mask', torch.ones(n))",
    "a new part": "self.more = nn.Linear(2, 2).eval()",
    "a part is replaced": "self.inner = nn.Identity()",
}


@pytest.mark.parametrize("name", CACHES)
def test_a_module_is_what_it_is_now(student: Student, name: str) -> None:
    """Buffers and parts that appear, grow, change or go in a call are no fault; parameters stay the same objects."""
    source = (
        "class it(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.scale = nn.Parameter(torch.ones(2))\n        self.register_buffer('old', torch.zeros(2))\n"
        f"        self.inner = nn.Sequential()\n    def forward(self, x):\n        n = len(x)\n        {CACHES[name]}\n"
        "        return x.sum() * self.scale\n"
    )
    module = defined(student, "it", source)()
    ours, scale = native("it", source.replace("del self.old", "self.old = None"))(), module.scale
    with torch.no_grad():
        scale.fill_(3.0)
        ours.scale.fill_(3.0)
    for n in (2, 3) if name != "goes" else (2,):
        out, expected = module(torch.ones(n)), ours(torch.ones(n))
        assert torch.equal(out, expected)
        out.sum().backward()
        assert module.scale is scale and scale.grad is not None
    buffers = {name: buffer for name, buffer in module.named_buffers() if buffer is not None}
    wanted = {name: buffer for name, buffer in ours.named_buffers() if buffer is not None}
    assert {n: (tuple(b.shape), b.dtype) for n, b in buffers.items()} == {
        n: (tuple(b.shape), b.dtype) for n, b in wanted.items()
    }
    assert {*module.state_dict()} >= {*ours.state_dict()} - {"more.weight", "more.bias"}
