"""Functions and modules of a student's, seen from the examiner: equal to the native ones, or refused."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from conftest import Hire, defined, run
from torch import nn

from nbproctor import examiner, zygote
from nbproctor.course import Check, Exercise
from nbproctor.proxies import RemoteModule, Student, StudentError, StudentGone
from nbproctor.wire import Opaque, WireError

ATTEND = """def attend(query, key, value=None, scale=1.0):
    weights = (query @ key.mT * scale).softmax(-1)
    return weights if value is None else (weights, weights @ value)
"""
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


def native(name: str, source: str) -> Any:
    """The same definition on this side."""
    names: dict[str, Any] = {"torch": torch, "nn": nn}
    exec(source, names)  # noqa: S102 our own text
    return names[name]


def graded(student: Student, solution: str, check: str, not_with: tuple[str, ...] = ()) -> examiner.Finding:
    """What the examiner finds when it runs `check` on what the student has defined."""
    made = Check("check_it", 1.0, check, hidden=False)
    exercise = Exercise("it", "", solution, made, made, not_with)
    return examiner.run_check(examiner.Desk({"torch": torch, "nn": nn}), exercise, made, student, 7)


# --- functions --------------------------------------------------------------------------------------------------------


def test_a_call_gives_what_the_native_function_gives(student: Student) -> None:
    """Positional and named arguments, one result and several."""
    theirs, ours = defined(student, "attend", ATTEND), native("attend", ATTEND)
    query, key, value = torch.randn(2, 5, 3), torch.randn(2, 7, 3), torch.randn(2, 7, 4)
    assert torch.equal(theirs(query, key), ours(query, key))
    for mine, yours in zip(
        ours(query, key, value=value, scale=0.5), theirs(query, key, value=value, scale=0.5), strict=True
    ):
        assert type(yours) is torch.Tensor
        assert torch.equal(mine, yours)


def test_gradients_reach_the_arguments(student: Student) -> None:
    """Also of non-contiguous and of shared arguments, of several results, and none where none flows."""
    theirs, ours = defined(student, "attend", ATTEND), native("attend", ATTEND)
    query = torch.randn(3, 5, dtype=torch.float64).T.requires_grad_()
    key, value = torch.randn(7, 3, dtype=torch.float64, requires_grad=True), torch.randn(7, 4, dtype=torch.float64)
    unused = torch.ones(1, requires_grad=True)
    found = []
    for function in (theirs, ours):
        weights, out = function(query, key, value)
        total = out.pow(2).sum() + weights[:, 0].sum()
        found.append(torch.autograd.grad(total, (query, key, unused), allow_unused=True))
        shared = function(query, query)
        found[-1] += torch.autograd.grad(shared.pow(2).sum(), query)
    for mine, yours in zip(*found, strict=True):
        assert (mine is None) == (yours is None)
        if mine is not None:
            torch.testing.assert_close(yours, mine, rtol=0, atol=1e-12)


def test_gradients_flow_through_two_calls_and_code_between(student: Student) -> None:
    """The examiner's own operations and two remote calls make one graph."""
    theirs, ours = defined(student, "square", "def square(x):\n    return x * x"), lambda x: x * x
    x = torch.randn(4, dtype=torch.float64, requires_grad=True)
    found = [torch.autograd.grad(f((f(x) + 1).sin()).sum(), x)[0] for f in (theirs, ours)]
    torch.testing.assert_close(*found, rtol=0, atol=1e-12)


def test_a_detached_result_has_no_gradient(student: Student) -> None:
    """What they detach arrives detached."""
    assert not defined(student, "cut", "def cut(x):\n    return (2 * x).detach()")(
        torch.ones(2, requires_grad=True)
    ).requires_grad


def test_no_grad_crosses(student: Student) -> None:
    """Under `torch.no_grad` the call over there makes no graph either."""
    source = "def graph(x):\n    return (2 * x).requires_grad, torch.is_grad_enabled()"
    function = defined(student, "graph", source)
    x = torch.ones(2, requires_grad=True)
    assert function(x) == (True, True)
    with torch.no_grad():
        assert function(x) == (False, False)
    assert function(x) == (True, True)


def test_a_change_in_place_is_seen(student: Student) -> None:
    """What a call does to its arguments is repeated here: tensors, views, NaN and lists."""
    function = defined(
        student,
        "spoil",
        "def spoil(x, y, items):\n    x[0] = 7\n    y.nan_to_num_(1.0)\n    items.append(x)\n    items[0] = 'new'",
    )
    base, odd, items = torch.zeros(3, 4), torch.tensor([float("nan"), 2.0]), ["old"]
    function(base.T, odd, items)
    assert base[:, 0].tolist() == [7, 7, 7]
    assert base[:, 1:].abs().sum() == 0
    assert odd.tolist() == [1, 2]
    assert items[0] == "new"
    assert torch.equal(items[1], base.T)


def test_an_untouched_nan_is_no_change(student: Student) -> None:
    """An argument that holds NaN and was left alone is not sent back."""
    function = defined(student, "leave", "def leave(x):\n    return x.sum()")
    x = torch.tensor([float("nan")])
    version = x._version
    function(x)
    assert x._version == version


EXCEPTIONS = [
    ("raise ValueError('width 3 and 4')", ValueError, "width 3 and 4"),
    ("raise KeyError('name')", KeyError, "'name'"),
    ("raise NotImplementedError", NotImplementedError, ""),
    ("return x @ torch.ones(9, 9)", RuntimeError, None),
    ("return [][3]", IndexError, "list index out of range"),
    ("return 1 / 0", ZeroDivisionError, "division by zero"),
    ("assert x is None, 'their own check'", AssertionError, "their own check"),
    ("class Odd(ValueError): pass\n    raise Odd('mine')", StudentError, "Odd: mine"),
    ("raise SystemExit(3)", StudentError, "SystemExit: 3"),
    ("raise KeyboardInterrupt", StudentError, "KeyboardInterrupt"),
    ("raise FileNotFoundError(2, 'gone')", StudentError, "FileNotFoundError: [Errno 2] gone"),
    ("raise StopIteration('over')", StudentError, "StopIteration: over"),
]


@pytest.mark.parametrize(
    ("line", "kind", "message"), EXCEPTIONS, ids=lambda part: part if isinstance(part, str) else ""
)
def test_an_exception_crosses_with_its_message_and_line(
    student: Student, line: str, kind: type[Exception], message: str | None
) -> None:
    """Built-in ones by type; others as what they are called; each with the line of the cell."""
    function = defined(student, "fail", f"\ndef fail(x):\n    {line}")
    with pytest.raises(kind) as raised:
        function(torch.ones(2, 3))
    assert type(raised.value) is kind
    assert message is None or str(raised.value) == message
    assert raised.value.__notes__ == [f"in line {3 + line.count(chr(10))} of your cell"]


def test_a_message_that_cannot_be_read_is_replaced(student: Student) -> None:
    """An exception whose `__str__` fails is told without it."""
    source = "class Odd(Exception):\n    def __str__(self):\n        return 1 / 0\n\ndef fail():\n    raise Odd"
    with pytest.raises(StudentError) as raised:
        defined(student, "fail", source)()
    assert str(raised.value) == "Odd: (its message could not be read: ZeroDivisionError)"


def test_a_name_that_is_not_there_says_so(student: Student) -> None:
    """A lookup of what they have not defined is a NameError with the next step."""
    with pytest.raises(NameError) as missing:
        student.lookup("attend")
    assert str(missing.value) == "`attend` is not defined. Did its cell stop with an error, or was it renamed?"


def test_functions_are_handed_over(student: Student) -> None:
    """A function and a module of the check's, with gradients, and one of the student's own go in as arguments."""
    apply = defined(student, "apply", "def apply(f, x):\n    return f(f(x))\n\ndef double(x):\n    return 2 * x")
    x = torch.randn(2, 3)
    torch.testing.assert_close(apply(lambda t: t + x.shape[0], x), x + 4)
    layer = nn.Linear(3, 3)
    torch.testing.assert_close(apply(layer, x), layer(layer(x)))
    assert torch.equal(apply(student.lookup("double"), x), 4 * x)
    assert torch.equal(apply(f=torch.relu, x=x), x.relu())


def test_a_module_of_theirs_is_handed_back_to_them_as_it_is_here(student: Student) -> None:
    """What the examiner loaded into the mirror is in the module when another function of theirs gets it."""
    source = "def make():\n    return nn.Linear(2, 2, bias=False)\n\ndef use(layer, x):\n    return layer(x)"
    layer = defined(student, "make", source)()
    layer.load_state_dict({"weight": torch.eye(2) * 3})
    assert student.lookup("use")(layer, torch.ones(1, 2)).tolist() == [[3, 3]]


def test_a_seed_crosses(student: Student) -> None:
    """A check's `torch.manual_seed` seeds both sides for the next call, and is put back afterwards."""
    original = torch.manual_seed
    source = "def noise(n):\n    return torch.randn(n)"
    run(student, source)
    check = (
        "torch.manual_seed(3)\nhere = torch.randn(5)\ntorch.manual_seed(3)\nfirst = noise(5)\nsecond = noise(5)\n"
        "assert torch.equal(first, here), 'another seed'\nassert not torch.equal(second, first), 'seeded again'"
    )
    found = graded(student, source, check)
    assert (found.status, found.message) == ("passed", "")
    assert torch.manual_seed is original


def test_each_check_begins_alike(student: Student) -> None:
    """Default dtype, gradient mode, threads and seeds that an exercise has changed are set again for the next."""
    source = """import random
import numpy
def state():
    return (str(torch.get_default_dtype()), torch.is_grad_enabled(), torch.get_num_threads(), torch.rand(1).item(),
            numpy.random.rand(), random.random(), str(torch.empty(1).device))"""
    state = defined(student, "state", source)
    student.ask({"op": "begin", "seed": 5})
    first = state()
    run(student, "torch.set_default_dtype(torch.float64)\ntorch.set_grad_enabled(False)\ntorch.set_num_threads(3)\n"
        "torch.manual_seed(1)\nnumpy.random.seed(1)\nrandom.seed(1)\ntorch.set_default_device('meta')")  # fmt: skip
    student.ask({"op": "begin", "seed": 5})
    assert state() == first
    assert first[:3] == ("torch.float32", True, 1)


# --- modules ----------------------------------------------------------------------------------------------------------


def pair(student: Student, source: str = LAYER, *arguments: Any, **more: Any) -> tuple[RemoteModule, nn.Module]:
    """The student's module and a native one with the same numbers in them."""
    theirs, ours = defined(student, "Layer", source)(*arguments, **more), native("Layer", source)(*arguments, **more)
    ours.load_state_dict(theirs.state_dict())
    return theirs, ours


def test_a_module_has_the_names_and_shapes_of_its_own(student: Student) -> None:
    """Parameters, buffers, submodules, tied and absent ones, in the same order; and its class's name."""
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


def test_a_module_computes_what_the_native_one_does(student: Student) -> None:
    """Forward, and the gradients to the input and to every parameter, tied ones included."""
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
    """Dropout drops in training, and does not in evaluation."""
    theirs, _ = pair(student, LAYER, 64)
    assert theirs.training
    x = torch.ones(8, 64)
    assert (theirs(x) == 0).float().mean() > 0.2
    assert (theirs.eval()(x) == 0).float().mean() < 0.05
    assert not torch.equal(theirs.train()(x), theirs(x))


def test_loaded_and_assigned_numbers_are_used(student: Student) -> None:
    """`load_state_dict`, a step of an optimizer, and `data` set by hand reach the module over there."""
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


def test_training_here_trains_there(student: Student) -> None:
    """Twenty steps of Adam on the mirror's parameters bring both modules to the same place."""
    source = LAYER.replace("nn.Dropout(0.5)", "nn.Identity()")
    theirs, ours = pair(student, source, 4)
    x, y = torch.randn(16, 4), torch.randn(16, 4)
    for layer in (theirs, ours):
        steps = torch.optim.Adam(layer.parameters(), lr=0.01)
        for _ in range(20):
            steps.zero_grad()
            (layer(x) - y).pow(2).mean().backward()
            steps.step()
    torch.testing.assert_close(theirs(x), ours(x), rtol=1e-3, atol=1e-4)


def test_a_module_may_name_its_parts_as_it_likes(student: Student) -> None:
    """Names that the mirror uses itself are free for the student's layers."""
    source = "class Layer(nn.Module):\n    def __init__(self):\n        super().__init__()\n" + "".join(
        f"        self.{name} = nn.Linear(2, 2)\n" for name in ("student", "number", "sent", "unsent", "calls")
    )
    theirs = defined(student, "Layer", source + "    def forward(self, x):\n        return self.number(x)")()
    assert theirs(torch.ones(1, 2)).shape == (1, 2)
    assert len(list(theirs.parameters())) == 10


def test_a_part_of_a_module_cannot_be_called(student: Student) -> None:
    """A check that calls a submodule of theirs is told, and gets no number that was not computed there."""
    theirs, _ = pair(student, LAYER, 4)
    with pytest.raises(WireError, match=r"^a check may not call a part of the student's module$"):
        theirs.inner(torch.ones(4))


# --- shortcuts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        "def it(x):\n    return torch.softmax(x, -1)",
        "def it(x):\n    return getattr(x, 'soft' + 'max')(-1)",
        "def it(x):\n    return vars(F)['soft' + 'max'](x, dim=-1)",
        "hidden = F.softmax\ndef it(x):\n    return hidden(x, dim=-1)",
        "layer = nn.Softmax(-1)\ndef it(x):\n    return layer(x)",
    ],
)
def test_a_forbidden_function_is_found_at_the_call(student: Student, source: str) -> None:
    """By whatever name and road it is reached."""
    run(student, source)
    found = graded(student, "def it(x): ...", "it(torch.ones(3))", ("softmax",))
    assert (found.status, found.message) == ("refused", "the call used softmax, which this exercise asks you to build")
    assert found.points == 0


def test_a_check_cannot_catch_a_shortcut(student: Student) -> None:
    """`except Exception` in a check lets it through, and a dead process too."""
    run(student, "import os\ndef it(x, die=False):\n    return os._exit(1) if die else torch.softmax(x, -1)")
    check = "try:\n    it(torch.ones(3))\nexcept Exception:\n    pass"
    assert graded(student, "def it(x): ...", check, ("softmax",)).status == "refused"
    with pytest.raises(StudentGone):
        graded(student, "def it(x): ...", check.replace("(3)", "(3), die=True"))


def test_a_module_that_holds_a_forbidden_class_is_refused(student: Student) -> None:
    """Held, or inherited from."""
    for source in ("def it():\n    return nn.Sequential(nn.LayerNorm(3))", "class it(nn.LayerNorm):\n    pass"):
        run(student, source)
        found = graded(student, "def it(): ...", "it(3)" if "class" in source else "it()", ("LayerNorm",))
        assert found.message == "the module holds an nn.LayerNorm, which this exercise asks you to build"


def test_a_refusal_says_no_more_than_the_exercise_forbids(student: Student) -> None:
    """An exception of theirs called Shortcut is theirs: what it says is not shown as the grader's word."""
    run(student, "class Shortcut(Exception): pass\n\ndef it(x):\n    raise Shortcut(f'hidden input {x}')")
    found = graded(student, "def it(x): ...", "it(4711)", ("softmax",))
    assert (found.status, found.message) == ("error", "Shortcut: hidden input 4711 (in line 4 of your cell)")


@pytest.mark.parametrize("index", ["table[ids]", "table.__getitem__(ids)"])
def test_indexing_a_named_argument_is_found(student: Student, index: str) -> None:
    """`getitem:table` forbids to index that argument, and no other tensor."""
    run(student, f"def it(ids, table):\n    return {index}")
    check = "it(torch.tensor([0]), torch.eye(2))"
    found = graded(student, "def it(): ...", check, ("getitem:table",))
    assert found.message == "the call indexed an argument, which this exercise asks you to do without"
    run(student, "def it(ids, table):\n    return ids[0] + table.sum()")
    assert graded(student, "def it(): ...", check, ("getitem:table",)).status == "passed"


# --- liars, and what they send ----------------------------------------------------------------------------------------

LIARS = {
    "subclass": "class Mine(torch.Tensor):\n    pass\n\ndef it():\n    return Mine(torch.ones(2))",
    "lying": "class Mine:\n    __class__ = property(lambda _: torch.Tensor)\n\ndef it():\n    return Mine()",
    "always equal": "class Mine:\n    def __eq__(self, other):\n        return True\n\ndef it():\n    return Mine()",
    "pickle": "class Mine:\n    def __reduce__(self):\n        return print, ('!',)\n\ndef it():\n    return Mine()",
}


@pytest.mark.parametrize("name", LIARS)
def test_a_liar_arrives_as_opaque(student: Student, name: str) -> None:
    """An object with ideas of its own about equality, class and type crosses as its type's name."""
    arrived = defined(student, "it", LIARS[name])()
    assert isinstance(arrived, Opaque)
    assert type(arrived).__name__ == "Mine"
    assert not isinstance(arrived, torch.Tensor)
    assert arrived != torch.ones(2)


def forge(student: Student, answer: dict[str, Any]) -> Any:
    """Have the student's side answer the next call with `answer`; then call."""
    function = defined(student, "it", "def it(x):\n    return x")
    run(student, f"import nbproctor.student\nnbproctor.student._call = lambda *args: {answer!r}")
    return function(torch.ones(2, requires_grad=True))


NOTHING = {"value": 1, "changed": [], "refilled": [], "state": {}}
CANNOT = "changes that cannot be repeated "
FORGED = {
    "no value": ({}, CANNOT + "(KeyError)"),
    "a list": ({"value": []}, "a value that is none"),
    "a pickle": ({"value": {"pickle": "80"}}, "a value of unknown kind pickle"),
    "a module of nothing": ({"value": {"module": []}}, "a malformed module (ValueError)"),
    "a module with a name of ours": (
        {"value": {"module": [0, True, ["L", [["forward", None]], [], []]]}},
        "a malformed module (KeyError)",
    ),
    "a module named with a dot": (
        {"value": {"module": [0, True, ["L", [["a.b", None]], [], []]]}},
        "a malformed module (KeyError)",
    ),
    "no changes": (NOTHING | {"changed": 5}, CANNOT + "(TypeError)"),
    "a change of no argument": (NOTHING | {"changed": [[9, 1]]}, CANNOT + "(IndexError)"),
    "a change to nothing": (NOTHING | {"changed": [[0, None]]}, CANNOT + "(TypeError)"),
    "a state of no module": (NOTHING | {"state": {"x": 1}}, CANNOT + "(KeyError)"),
    "a refilled tensor": (NOTHING | {"refilled": [[0, {"list": []}]]}, CANNOT + "(AttributeError)"),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_answer_is_a_wire_error(student: Student, name: str) -> None:
    """What answers a call and is none comes out as one kind of exception, with a sentence."""
    answer, message = FORGED[name]
    with pytest.raises(WireError) as broken:
        forge(student, answer)
    assert str(broken.value) == message


@pytest.mark.parametrize(
    ("gradients", "message"),
    [
        ("[]", "0 gradients for 1 inputs"),
        ("[{'dtype': 'float32'}]", "a gradient of another shape than its input"),
        ("None", "a malformed list (TypeError)"),
    ],
)
def test_forged_gradients_are_a_wire_error(student: Student, gradients: str, message: str) -> None:
    """Too few, of another kind, or none."""
    x = torch.ones(2, requires_grad=True)
    out = defined(student, "it", "def it(x):\n    return 2 * x")(x)
    run(
        student,
        f"import nbproctor.student as s\nold = s._answer\ns._answer = lambda r, *a: {{'gradients': {gradients}}} "
        "if r['op'] == 'backward' else old(r, *a)",
    )
    with pytest.raises(WireError) as broken:
        out.sum().backward()
    assert str(broken.value) == message


def test_an_answer_to_another_question_ends_the_student(student: Student) -> None:
    """A frame that does not repeat the question's nonce was written by nobody who was asked."""
    source = """import os, struct
text = b'[{"printed": ""}, []]'
os.write(3, struct.pack(">IQ", len(text), 0) + text)
"""
    with pytest.raises(StudentGone) as gone:
        run(student, source)
    assert gone.value.status == "died"
    assert str(gone.value) == "the process wrote into the grader's channel: an answer that was not asked for"


def test_a_worker_that_dies_between_question_and_answer_spoils_nothing(student: Student, hire: Hire) -> None:
    """An answer of the zygote's that nobody read is thrown away by the next who asks."""
    zygote_socket = student.control
    zygote_socket.send(b'{"op": "reap", "pid": 0, "nonce": "of a worker that is dead"}')
    assert zygote.ask(zygote_socket, {"op": "reap", "pid": 0})[0]["status"] is None
    zygote_socket.send(b'{"op": "reap", "pid": 0, "nonce": "of another"}')
    assert run(hire(), "print(1)") == "1\n"
