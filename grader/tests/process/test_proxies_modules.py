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
    """All parameters, buffers and submodules, in the same order; tied ones stay tied, and absent ones absent."""
    theirs, ours = pair(student, LAYER, 4)
    for listing in ("named_parameters", "named_buffers", "named_modules"):
        assert [name for name, _ in getattr(theirs, listing)()] == [name for name, _ in getattr(ours, listing)()]
    assert list(theirs.state_dict()) == list(ours.state_dict())
    assert theirs.tied.weight is theirs.inner.weight
    assert isinstance(theirs.inner.weight, nn.Parameter)
    assert theirs.none is None
    assert (len(theirs.blocks), type(theirs).__name__, type(theirs.inner).__name__) == (2, "Layer", "Linear")


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

class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.listed = Layers(nn.Linear(width, width) for _ in range(3))
        self.chained = ModuleList(nn.Linear(width, width), nn.Linear(width, width))
        self.named = nn.ModuleDict({"a": nn.Linear(width, width)})

    def forward(self, x):
        return x
"""


def test_a_part_is_what_isinstance_says(student: Student) -> None:
    theirs, ours = pair(student, CONTAINED, 2)
    kinds = (nn.ModuleList, nn.ModuleDict, nn.Sequential)
    for name, part in ours.named_children():
        mirror = theirs.get_submodule(name)
        assert [isinstance(mirror, kind) for kind in kinds] == [isinstance(part, kind) for kind in kinds], name
        assert type(mirror).__name__ == type(part).__name__
    assert len(theirs.listed) == 3 and theirs.listed[-1].weight.shape == (2, 2)
    assert list(theirs.named) == ["a"] and len(theirs.chained[:1]) == 1


OWN = """
class Own:
    pass

class OwnError(Exception):
    pass
"""


def test_no_text_names_a_class_of_the_graders(student: Student) -> None:
    """A check may put a value, its class, or the name of its class into a message, and quote an error's."""
    run(student, CONTAINED + OWN)
    values = [defined(student, "it", f"it = {source}") for source in ("Layer(2)", "Own", "Own()", "print", "[Own()]")]
    values += [*values[0].modules(), *values[0].parameters()]
    with pytest.raises(Exception, match="words") as raised:
        defined(student, "it", "def it():\n    raise OwnError('words')")()
    for value in (*values, raised.value):
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
    """Twelve masks of 2,048 rows have names and shapes here, but do not cross; a change of dtype reaches them, too."""
    theirs, ours = pair(student, LARGE, 2048)
    assert [*dict(theirs.named_buffers())] == [*dict(ours.named_buffers())]
    assert (theirs.mask3.shape, theirs.mask3.dtype) == ((2048, 2048), torch.float32)
    x = torch.randn(3, 2)
    for n in (3, 4096):
        torch.testing.assert_close(theirs(x, n)[0], ours(x, n)[0])
    assert theirs.mask0.shape == (4096, 4096)
    out, dtype = theirs.double()(x.double(), 3)
    assert (out.dtype, dtype) == (torch.float64, torch.float64)


def test_a_module_computes_what_the_native_one_does(student: Student) -> None:
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
    theirs, _ = pair(student, LAYER, 64)
    assert theirs.training
    x = torch.ones(8, 64)
    assert (theirs(x) == 0).float().mean() > 0.2
    assert (theirs.eval()(x) == 0).float().mean() < 0.05
    assert (theirs.train()(x) == 0).float().mean() > 0.2


def test_loaded_and_assigned_numbers_are_used(student: Student) -> None:
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


VIEWED = """class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 2)
        self.turned = self.inner.weight.T

    def forward(self, x):
        return x @ self.turned
"""


def test_a_view_that_a_module_keeps_shows_the_numbers_that_were_loaded(student: Student) -> None:
    theirs, _ = pair(student, VIEWED)
    x, weight = torch.randn(4, 3), torch.randn(2, 3)
    theirs.load_state_dict({**theirs.state_dict(), "inner.weight": weight})
    torch.testing.assert_close(theirs(x), x @ weight.T)


def test_a_module_may_name_its_parts_as_it_likes(student: Student) -> None:
    """Names that the mirror uses itself are free for the student's layers."""
    parts = "".join(f"        self.{name} = nn.Linear(2, 2)\n" for name in ("student", "number", "sent", "calls"))
    source = f"class Layer(nn.Module):\n    def __init__(self):\n        super().__init__()\n{parts}"
    theirs = defined(student, "Layer", source + "    def forward(self, x):\n        return self.number(x)")()
    assert theirs(torch.ones(1, 2)).shape == (1, 2) and len(list(theirs.parameters())) == 8


def test_a_part_of_a_module_cannot_be_called(student: Student) -> None:
    theirs, _ = pair(student, LAYER, 4)
    with pytest.raises(WireError, match=r"^a check may not call a part of the student's module$"):
        theirs.inner(torch.ones(4))


def test_a_module_of_more_parts_than_any_answer_has_is_not_made(student: Student) -> None:
    """Row 36: a module of too many parts is refused, since no time limit would hold while the examiner made them."""
    with pytest.raises(WireError, match="more than 10000 objects, or parts and tensors of modules"):
        defined(student, "many", "many = nn.ModuleList(nn.Identity() for _ in range(10_000))")


CACHES = {
    "appears": "self.register_buffer('mask', torch.ones(n, n).tril(), persistent=False)",
    "grows": "self.register_buffer('mask', torch.ones(n, n).tril())",
    "goes": "del self.old",
    "of a part": "self.inner.register_buffer('mask', torch.ones(n))",
    "a new part": "self.more = nn.Linear(2, 2).eval()",
}


@pytest.mark.parametrize("name", CACHES)
def test_a_module_is_what_it_is_now(student: Student, name: str) -> None:
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
    buffers, wanted = (
        {name: (one.shape, one.dtype) for name, one in it.named_buffers() if one is not None} for it in (module, ours)
    )
    assert buffers == wanted
    assert {*module.state_dict()} >= {*ours.state_dict()} - {"more.weight", "more.bias"}
