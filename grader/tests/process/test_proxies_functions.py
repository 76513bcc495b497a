"""A student's functions, called by the examiner, behave as native ones would, with their gradients and errors."""

import pytest
import torch
from students import Hire, defined, graded, native, run

from nbproctor.border.wire import WireError
from nbproctor.exam.conversation import Kept
from nbproctor.exam.failures import ArgumentChanged, StudentError
from nbproctor.exam.proxies import Student

ATTEND = """def attend(query, key, value=None, scale=1.0):
    weights = (query @ key.mT * scale).softmax(-1)
    return weights if value is None else (weights, weights @ value)
"""


def test_a_call_gives_what_the_native_function_gives(student: Student) -> None:
    """Arguments go by position or name, and several results come back."""
    theirs, ours = defined(student, "attend", ATTEND), native("attend", ATTEND)
    query, key, value = torch.randn(2, 5, 3), torch.randn(2, 7, 3), torch.randn(2, 7, 4)
    assert torch.equal(theirs(query, key), ours(query, key))
    found = [function(query, key, value=value, scale=0.5) for function in (ours, theirs)]
    assert all(type(yours) is torch.Tensor and torch.equal(mine, yours) for mine, yours in zip(*found, strict=True))


YIELDS = """def halves(x, n):
    for i in range(n):
        yield x / 2**i
"""


def test_what_a_generator_yields_is_what_it_yields_natively(student: Student) -> None:
    theirs, ours = defined(student, "halves", YIELDS), native("halves", YIELDS)
    found = []
    for function in (theirs, ours):
        x = torch.tensor([1.0, 3.0], dtype=torch.float64, requires_grad=True)
        yielded = function(x, 3)
        assert type(yielded).__name__ == "generator"
        first, *rest = yielded
        assert list(yielded) == []
        found.append([first, *rest, *torch.autograd.grad((first * rest[1]).sum(), x)])
    for mine, yours in zip(*found, strict=True):
        torch.testing.assert_close(yours, mine, rtol=0, atol=0)


def test_what_a_generator_does_wrong_is_what_the_call_did_wrong(student: Student) -> None:
    """One that goes on for ever is refused in words; what it raises arrives with its line."""
    source = (
        "def forever():\n    while True:\n        yield 0\n\ndef fails():\n    yield 1\n    raise KeyError('second')"
    )
    run(student, source)
    with pytest.raises(WireError, match="a generator of more than 100000 entries"):
        student.lookup("forever")()
    with pytest.raises(KeyError, match="'second'\\nin line 7 of your cell"):
        student.lookup("fails")()


def test_gradients_reach_the_arguments(student: Student) -> None:
    """Also non-contiguous ones, one tensor in two arguments, and from several results; none goes to an unused one."""
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


DOUBLES = """class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, d_out):
        x, y = ctx.saved_tensors
        return 2 * d_out * y, d_out * x
"""


def test_a_function_of_autograd_is_applied_with_its_own_backward_pass(student: Student) -> None:
    theirs, ours = defined(student, "Double", DOUBLES), native("Double", DOUBLES)
    assert issubclass(theirs, torch.autograd.Function)
    found = []
    for function in (theirs, ours):
        x, y = (torch.linspace(1, 2, 6).view(2, 3) + n for n in (0, 1))
        leaves = x.requires_grad_(), y.requires_grad_()
        out = function.apply(*leaves)
        found.append([out, *torch.autograd.grad(out.pow(2).sum(), leaves)])
    for yours, mine in zip(*found, strict=True):
        assert torch.equal(yours, mine)


def test_no_grad_crosses(student: Student) -> None:
    source = "def graph(x):\n    return (2 * x).requires_grad, torch.is_grad_enabled()"
    assert not defined(student, "cut", "def cut(x):\n    return x.detach()")(
        torch.ones(2, requires_grad=True)
    ).requires_grad
    function = defined(student, "graph", source)
    x = torch.ones(2, requires_grad=True)
    assert function(x) == (True, True)
    with torch.no_grad():
        assert function(x) == (False, False)
    assert function(x) == (True, True)


SPOILERS = {
    "in place": "x[0] = 7",
    "through an alias": "y = x.T.view(-1)\n    y.mul_(0)",
    "the shape": "x.unsqueeze_(-1)",
    "a NaN": "odd.nan_to_num_(1.0)",
    "a tensor in a list": "items[0].zero_()",
}


@pytest.mark.parametrize("name", SPOILERS)
def test_what_a_call_changes_in_its_arguments_stays_over_there(student: Student, name: str) -> None:
    function = defined(student, "spoil", f"def spoil(x, odd, items):\n    {SPOILERS[name]}")
    x, odd, items = torch.ones(3, 4).T, torch.tensor([float("nan"), 2.0]), [torch.ones(2)]
    with pytest.raises(ArgumentChanged):
        function(x, odd, items)
    assert torch.equal(x, torch.ones(4, 3)) and x.stride() == (1, 4)
    assert odd.isnan().tolist() == [True, False]
    assert len(items) == 1 and torch.equal(items[0], torch.ones(2))


def test_an_oracle_is_not_fooled_by_what_is_done_to_its_input(student: Student) -> None:
    """Row 58: an answer cannot pass by setting its input to zero, for which every answer would be right."""
    run(student, "def it(x):\n    x.zero_()\n    return x.clone()")
    tries = "try:\n    yours = it(x)\nexcept Exception:\n    yours = x"
    found = graded(student, "def it(): ...", f"x = torch.ones(3)\n{tries}\nassert yours.equal(x.exp() * x)")
    assert found.status == "failed"
    assert found.message.startswith("`it` changed one of its arguments in place.")


@pytest.mark.parametrize("change", ["items.append(1)", "table['b'] = 2"])
def test_who_changes_a_list_does_not_pass(student: Student, change: str) -> None:
    """Row 58: an answer that changes a list or dict it was given fails, even where the check would accept that."""
    run(student, f"def it(items, table):\n    {change}\n    return 1")
    check = "items, table = [1], {'a': 1}\nassert it(items, table) == 1"
    found = graded(student, "def it(): ...", check)
    assert (found.status, found.message[:49]) == ("failed", "`it` changed one of its arguments in place. Is th")
    own = graded(student, "def it(): ...", check + "\nassert (items, table) == ([1], {'a': 1}), 'Was one added?'")
    assert (own.status, own.message) == ("failed", "Was one added?")


EXCEPTIONS = [
    ("raise ValueError('width 3 and 4')", ValueError, "width 3 and 4"),
    ("raise KeyError('name')", KeyError, "'name'"),
    ("return x @ torch.ones(9, 9)", RuntimeError, None),
    ("assert x is None, 'their own check'", AssertionError, "their own check"),
    ("class Odd(IndexError, ValueError): pass\n    raise Odd('mine')", ValueError, "mine"),
    ("class Odd(Exception): pass\n    raise Odd('mine')", StudentError, "Odd: mine"),
    ("raise SystemExit(3)", StudentError, "SystemExit: 3"),
    ("raise FileNotFoundError(2, 'gone')", StudentError, "FileNotFoundError: [Errno 2] gone"),
]


@pytest.mark.parametrize(
    ("line", "kind", "message"), EXCEPTIONS, ids=lambda part: part if isinstance(part, str) else ""
)
def test_an_exception_crosses_with_its_message_and_line(
    student: Student, line: str, kind: type[Exception], message: str | None
) -> None:
    """A built-in exception arrives as its type, and any other under its name, as the built-in type that it extends."""
    function = defined(student, "fail", f"\ndef fail(x):\n    {line}")
    with pytest.raises(kind) as raised:
        function(torch.ones(2, 3))
    called = line.partition("class ")[2].partition("(")[0] or line.removeprefix("raise ").partition("(")[0]
    assert type(raised.value) is kind or type(raised.value).__name__ == called
    assert message is None or str(raised.value) == message
    assert raised.value.__notes__ == [f"in line {3 + line.count(chr(10))} of your cell"]


def test_a_name_that_is_not_there_says_so(student: Student) -> None:
    with pytest.raises(NameError) as missing:
        student.lookup("attend")
    assert str(missing.value) == "`attend` is not defined. Did its cell stop with an error, or was it renamed?"


def test_a_module_of_theirs_is_handed_back_to_them_as_it_is_here(student: Student) -> None:
    source = "def make():\n    return nn.Linear(2, 2, bias=False)\n\ndef use(layer, x):\n    return layer(x)"
    layer = defined(student, "make", source)()
    layer.load_state_dict({"weight": torch.eye(2) * 3})
    assert student.lookup("use")(layer, torch.ones(1, 2)).tolist() == [[3, 3]]


def test_each_check_begins_alike(student: Student) -> None:
    source = """import random
import numpy
def state():
    return (str(torch.get_default_dtype()), torch.is_grad_enabled(), torch.get_num_threads(), torch.rand(1).item(),
            numpy.random.rand(), random.random(), str(torch.empty(1).device))"""
    run(student, source)
    student.begin()
    state = student.lookup("state")
    first = state()
    run(student, "torch.set_default_dtype(torch.float64)\ntorch.set_grad_enabled(False)\ntorch.set_num_threads(3)\n"
        "torch.manual_seed(1)\nnumpy.random.seed(1)\nrandom.seed(1)\ntorch.set_default_device('meta')")  # fmt: skip
    student.begin()
    state = student.lookup("state")  # `begin` has forgotten what was looked up before
    assert state() == first
    assert first[:3] == ("torch.float32", True, 1)


WIDE = "torch.set_default_dtype(torch.float64)\n"


@pytest.mark.parametrize(("default", "status"), [("float64", "passed"), ("float16", "error")])
def test_a_check_that_fails_is_run_in_the_float64_of_a_student_who_has_set_it(
    hire: Hire, default: str, status: str
) -> None:
    """In the student's notebook the check's own tensors would be float64, too. No narrower dtype is tried."""
    check = "assert it(torch.ones(2)).dtype == torch.get_default_dtype()"
    source = f"torch.set_default_dtype(torch.{default})\nones = torch.ones(2, dtype=torch.float64)\n"
    kept: Kept = {}
    for _ in range(2):
        student = hire()
        run(student, source + "def it(x):\n    return ones @ x")
        found = graded(student, "def it(x): ...", check, conversations=kept)
        assert found.status == status, found.message
        assert torch.get_default_dtype() == torch.float32


def test_where_float64_does_not_help_the_first_finding_stays(student: Student) -> None:
    run(student, WIDE + "ones = torch.ones(2)\ndef it(x):\n    return ones @ x")
    found = graded(student, "def it(x): ...", "assert it(torch.ones(2)) == 5, torch.get_default_dtype()")
    assert found.status == "error" and "Double" in found.message


def test_float64_gives_no_answer_a_second_guess(student: Student) -> None:
    run(student, WIDE + "def it(x):\n    return x if x.dtype == torch.float64 else x + 1")
    found = graded(student, "def it(x): ...", "assert it(torch.ones(1)) == 1, 'wrong'")
    assert (found.status, found.message) == ("failed", "wrong")


def test_float64_gives_nobody_a_refusal_and_an_answer(student: Student) -> None:
    """An answer that raises an error of its own has answered, whatever it says."""
    refuses = "def it(x):\n    if x.dtype == torch.float32:\n        raise ValueError('float or double')\n    return x"
    run(student, WIDE + refuses)
    assert (
        graded(student, "def it(x): ...", "assert it(torch.ones(1).to(torch.get_default_dtype())) == 1").status
        == "error"
    )


def test_float64_gives_no_prediction_a_second_guess(student: Student, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = []
    real = student.begin
    monkeypatch.setattr(student, "begin", lambda *args: begun.append(args) or real(*args))
    run(student, WIDE + "it = torch.ones(1)")
    found = graded(student, "it = torch.ones(1)", "assert torch.allclose(it, torch.ones(1))")
    assert found.status == "error" and "Double" in found.message
    assert begun == [(False,)]


def test_a_cell_finds_what_the_cells_above_it_have_set(student: Student) -> None:
    """A check leaves the settings and the random state of the student's cells as they were, as in a notebook."""
    leave = (
        "import random\nimport numpy\ntorch.set_default_dtype(torch.float64)\ntorch.set_grad_enabled(False)\n"
        "torch.set_num_threads(2)\ntorch.set_default_device('meta')\n"
    )
    draw = "drawn = (torch.rand(1, device='cpu').item(), numpy.random.rand(), random.random())\n"
    seed = "torch.manual_seed(1)\nnumpy.random.seed(1)\nrandom.seed(1)\n"
    run(student, f"{leave}{seed}{draw}expected = drawn\n{seed}def call():\n    {draw}    return torch.ones(2)")
    for _ in range(2):
        student.begin()
        assert student.lookup("call")().dtype == torch.float32
    run(student, f"{draw}assert drawn == expected, drawn")
    run(student, "assert torch.get_default_dtype() == torch.float64 and not torch.is_grad_enabled()")
    run(student, "assert torch.get_num_threads() == 2 and torch.empty(1).device.type == 'meta'")


PLAINLY = {
    "a mapping proxy": ("__import__('types').MappingProxyType({'a': 1})", {"a": 1}),
    "a UserDict": ("__import__('collections').UserDict(a=1)", {"a": 1}),
    "a range": ("range(1, 3)", [1, 2]),
    "a fraction": ("{'half': __import__('fractions').Fraction(1, 2)}", {"half": 0.5}),
    "an object that can be unpacked": ("type('Mine', (), {'__iter__': lambda self: iter([1, 2])})()", [1, 2]),
}


@pytest.mark.parametrize("name", PLAINLY)
def test_a_collection_of_any_class_arrives_as_what_it_holds(student: Student, name: str) -> None:
    source, expected = PLAINLY[name]
    found = defined(student, "it", f"def it():\n    return {source}")()
    assert (list(found) if isinstance(expected, list) else found) == expected
