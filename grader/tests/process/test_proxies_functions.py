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
    """A student's function returns what a native one would, with arguments by position or name, and several results."""
    theirs, ours = defined(student, "attend", ATTEND), native("attend", ATTEND)
    query, key, value = torch.randn(2, 5, 3), torch.randn(2, 7, 3), torch.randn(2, 7, 4)
    assert torch.equal(theirs(query, key), ours(query, key))
    for mine, yours in zip(
        ours(query, key, value=value, scale=0.5), theirs(query, key, value=value, scale=0.5), strict=True
    ):
        assert type(yours) is torch.Tensor
        assert torch.equal(mine, yours)


YIELDS = """def halves(x, n):
    for i in range(n):
        yield x / 2**i
"""


def test_what_a_generator_yields_is_what_it_yields_natively(student: Student) -> None:
    """A generator arrives with all that it yields, in order and once, and gradients flow through it."""
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


def test_a_generator_without_an_end_is_refused_in_words(student: Student) -> None:
    """A generator that goes on for ever ends the call with a message that says how much may be yielded."""
    theirs = defined(student, "forever", "def forever():\n    while True:\n        yield 0")
    with pytest.raises(WireError, match="a generator of more than 100000 entries"):
        theirs()


def test_an_error_in_a_generator_is_the_calls_error(student: Student) -> None:
    """What a generator raises while it runs arrives as the error of the call, with its line."""
    theirs = defined(student, "fails", "def fails():\n    yield 1\n    raise KeyError('second')")
    with pytest.raises(KeyError, match="'second'\\nin line 3 of your cell"):
        theirs()


def test_gradients_reach_the_arguments(student: Student) -> None:
    """A student's function passes on the same gradients as a native one, and none to an argument that it does not use.

    That holds for non-contiguous arguments, for one tensor in two arguments, and for several results.
    """
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


def test_a_result_counts_once_whether_it_has_gradients_or_not(student: Student) -> None:
    """A dict of 6,000 entries may come back beside a tensor with a gradient, as it may beside any other."""
    source = "def it(x):\n    return {n: n for n in range(6000)}, 2 * x"
    table, doubled = defined(student, "it", source)(torch.ones(2, requires_grad=True))
    assert (len(table), doubled.requires_grad) == (6000, True)


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
    """A class derived from torch.autograd.Function arrives as one; what its backward pass returns are the gradients."""
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


def test_what_is_used_by_its_data_alone_has_no_gradient(student: Student) -> None:
    """A result that a second call reads as `.data` gets no gradient, and neither do the arguments that it came from."""
    text = "def cached(kept, x):\n    return kept.data * x"
    theirs = [defined(student, "square", "def square(x):\n    return x * x"), defined(student, "cached", text)]
    for square, cached in (theirs, [lambda x: x * x, native("cached", text)]):
        kept, x = (torch.tensor([2.0, 3.0], dtype=torch.float64, requires_grad=True) for _ in range(2))
        none, some = torch.autograd.grad(cached(square(kept), x).sum(), (kept, x), allow_unused=True)
        assert none is None or none.count_nonzero() == 0
        assert some.tolist() == [4.0, 9.0]


def test_a_detached_result_has_no_gradient(student: Student) -> None:
    """A result that the student's code has detached arrives without a gradient."""
    assert not defined(student, "cut", "def cut(x):\n    return (2 * x).detach()")(
        torch.ones(2, requires_grad=True)
    ).requires_grad


def test_no_grad_crosses(student: Student) -> None:
    """Under the examiner's `torch.no_grad`, the student's process builds no graph either."""
    source = "def graph(x):\n    return (2 * x).requires_grad, torch.is_grad_enabled()"
    function = defined(student, "graph", source)
    x = torch.ones(2, requires_grad=True)
    assert function(x) == (True, True)
    with torch.no_grad():
        assert function(x) == (False, False)
    assert function(x) == (True, True)


SPOILERS = {
    "in place": "x[0] = 7",
    "through a view": "x.T[0] += 1",
    "through an alias": "y = x.T.view(-1)\n    y.mul_(0)",
    "through data": "x.data = x.data + 1",
    "the memory below it": "x.untyped_storage().fill_(0)",
    "the shape": "x.unsqueeze_(-1)",
    "a NaN": "odd.nan_to_num_(1.0)",
    "a tensor in a list": "items[0].zero_()",
}


@pytest.mark.parametrize("name", SPOILERS)
def test_what_a_call_changes_in_its_arguments_stays_over_there(student: Student, name: str) -> None:
    """Row 58: however a call changes its arguments, the check's own copies stay as they were, and the call fails."""
    function = defined(student, "spoil", f"def spoil(x, odd, items):\n    {SPOILERS[name]}")
    x, odd, items = torch.ones(3, 4).T, torch.tensor([float("nan"), 2.0]), [torch.ones(2)]
    with pytest.raises(ArgumentChanged):
        function(x, odd, items)
    assert torch.equal(x, torch.ones(4, 3)) and x.stride() == (1, 4)
    assert odd.isnan().tolist() == [True, False]
    assert len(items) == 1 and torch.equal(items[0], torch.ones(2))


def test_an_oracle_is_not_fooled_by_what_is_done_to_its_input(student: Student) -> None:
    """Row 58: an answer cannot pass by setting its input to zero, for which every answer would be right.

    One line tells the student that the argument was changed.
    """
    run(student, "def it(x):\n    x.zero_()\n    return x.clone()")
    check = (
        "x = torch.ones(3)\ntry:\n    yours = it(x)\nexcept Exception:\n    yours = x\nassert yours.equal(x.exp() * x)"
    )
    found = graded(student, "def it(): ...", check)
    assert found.status == "failed"
    assert found.message.startswith("`it` changed one of its arguments in place.")


@pytest.mark.parametrize("change", ["items.append(1)", "items[0] = 'new'", "items.clear()", "table['b'] = 2"])
def test_who_changes_a_list_does_not_pass(student: Student, change: str) -> None:
    """Row 58: an answer that changes a list or dict it was given fails, even where the check would accept that.

    Where the check has a message of its own for it, the student reads that one.
    """
    run(student, f"def it(items, table):\n    {change}\n    return 1")
    check = "items, table = [1], {'a': 1}\nassert it(items, table) == 1"
    found = graded(student, "def it(): ...", check)
    assert (found.status, found.message[:49]) == ("failed", "`it` changed one of its arguments in place. Is th")
    own = graded(student, "def it(): ...", check + "\nassert (items, table) == ([1], {'a': 1}), 'Was one added?'")
    assert (own.status, own.message) == ("failed", "Was one added?")


EXCEPTIONS = [
    ("raise ValueError('width 3 and 4')", ValueError, "width 3 and 4"),
    ("raise KeyError('name')", KeyError, "'name'"),
    ("raise NotImplementedError", NotImplementedError, ""),
    ("return x @ torch.ones(9, 9)", RuntimeError, None),
    ("return [][3]", IndexError, "list index out of range"),
    ("return 1 / 0", ZeroDivisionError, "division by zero"),
    ("assert x is None, 'their own check'", AssertionError, "their own check"),
    ("class Odd(ValueError): pass\n    raise Odd('mine')", ValueError, "mine"),
    ("class Odd(IndexError, ValueError): pass\n    raise Odd('mine')", ValueError, "mine"),
    ("class Odd(Exception): pass\n    raise Odd('mine')", StudentError, "Odd: mine"),
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
    """An exception arrives with its message and the line of the student's cell.

    A built-in exception arrives as its type, and any other under its name, as the built-in type that it extends.
    """
    function = defined(student, "fail", f"\ndef fail(x):\n    {line}")
    with pytest.raises(kind) as raised:
        function(torch.ones(2, 3))
    called = line.partition("class ")[2].partition("(")[0] or line.removeprefix("raise ").partition("(")[0]
    assert type(raised.value) is kind or type(raised.value).__name__ == called
    assert message is None or str(raised.value) == message
    assert raised.value.__notes__ == [f"in line {3 + line.count(chr(10))} of your cell"]


def test_a_message_that_cannot_be_read_is_replaced(student: Student) -> None:
    """Of an exception whose `__str__` fails, the type is told, and that its message could not be read."""
    source = "class Odd(Exception):\n    def __str__(self):\n        return 1 / 0\n\ndef fail():\n    raise Odd"
    with pytest.raises(StudentError) as raised:
        defined(student, "fail", source)()
    assert str(raised.value) == "Odd: (its message could not be read: ZeroDivisionError)"


def test_a_name_that_is_not_there_says_so(student: Student) -> None:
    """To look up a name that the student has not defined is a NameError that suggests what to look for."""
    with pytest.raises(NameError) as missing:
        student.lookup("attend")
    assert str(missing.value) == "`attend` is not defined. Did its cell stop with an error, or was it renamed?"


def test_a_module_of_theirs_is_handed_back_to_them_as_it_is_here(student: Student) -> None:
    """Numbers that the examiner loads into a module are still in it when the student's functions get it back."""
    source = "def make():\n    return nn.Linear(2, 2, bias=False)\n\ndef use(layer, x):\n    return layer(x)"
    layer = defined(student, "make", source)()
    layer.load_state_dict({"weight": torch.eye(2) * 3})
    assert student.lookup("use")(layer, torch.ones(1, 2)).tolist() == [[3, 3]]


def test_a_seed_stays_with_its_check(student: Student) -> None:
    """A check's `torch.manual_seed` seeds only the examiner, and is restored afterwards.

    The student's random numbers go on as before.
    """
    original = torch.manual_seed
    source = "def noise(n):\n    return torch.randn(n)"
    run(student, source)
    check = (
        "torch.manual_seed(3)\nhere = torch.randn(5)\nfirst = noise(5)\ntorch.manual_seed(3)\nsecond = noise(5)\n"
        "assert torch.equal(torch.randn(5), here), 'another seed'\n"
        "assert not torch.equal(first, second), 'it crossed'\n"
        "assert not torch.equal(first, here), 'it crossed'"
    )
    found = graded(student, source, check)
    assert (found.status, found.message) == ("passed", "")
    assert torch.manual_seed is original


def test_each_check_begins_alike(student: Student) -> None:
    """Each check begins with the same default dtype and device, gradient mode, threads and seeds as any other."""
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


@pytest.mark.parametrize(
    ("default", "status"), [("float64", "passed"), ("float32", "error"), ("float16", "error"), ("bfloat16", "error")]
)
def test_a_check_that_fails_is_run_in_the_float64_of_a_student_who_has_set_it(
    hire: Hire, default: str, status: str
) -> None:
    """Where a student has made float64 the default, a check that stops as float32 meets float64 is run in float64.

    In the student's notebook the check's own tensors would be float64, too. No narrower dtype is tried. Another student
    with the same answer gets the same finding.
    """
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
    """Where an answer fails in float64, too, the student reads the message of the first run."""
    run(student, WIDE + "ones = torch.ones(2)\ndef it(x):\n    return ones @ x")
    found = graded(student, "def it(x): ...", "assert it(torch.ones(2)) == 5, torch.get_default_dtype()")
    assert found.status == "error" and "Double" in found.message


def test_float64_gives_no_answer_a_second_guess(student: Student) -> None:
    """A wrong answer stays wrong, whatever the same function would return in float64."""
    run(student, WIDE + "def it(x):\n    return x if x.dtype == torch.float64 else x + 1")
    found = graded(student, "def it(x): ...", "assert it(torch.ones(1)) == 1, 'wrong'")
    assert (found.status, found.message) == ("failed", "wrong")


@pytest.mark.parametrize("words", ["float or double", "RuntimeError: float and double"])
def test_float64_gives_nobody_a_refusal_and_an_answer(hire: Hire, words: str) -> None:
    """An answer that raises an error of its own has answered: float64 gives it no second attempt, whatever it says."""
    source = f"{WIDE}def it(x):\n    if x.dtype == torch.float32:\n        raise ValueError({words!r})\n    return x"
    checks = {
        "try:\n    it(torch.ones(1))\nexcept ValueError:\n    pass\nelse:\n    assert False": "passed",
        "assert it(torch.ones(1, dtype=torch.get_default_dtype())) == 1": "error",
        "try:\n    told = it(torch.ones(1, dtype=torch.get_default_dtype()))\n"
        "except Exception as error:\n    raise AssertionError(f'{type(error).__name__}: {error}') from None": "failed",
    }
    for check, status in checks.items():
        student = hire()
        run(student, source)
        assert graded(student, "def it(x): ...", check).status == status, check


def test_float64_gives_no_prediction_a_second_guess(student: Student, monkeypatch: pytest.MonkeyPatch) -> None:
    """A prediction is checked once: float64 would not change such data, but the student's process could answer anew."""
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
    "a tensor subclass": ("torch.ones(2).as_subclass(type('Mine', (torch.Tensor,), {}))", torch.ones(2)),
    "dict.keys()": ("{'a': 1, 'b': 2}.keys()", {"a", "b"}),
    "a mapping proxy": ("__import__('types').MappingProxyType({'a': 1})", {"a": 1}),
    "a UserDict": ("__import__('collections').UserDict(a=1)", {"a": 1}),
    "a frozenset of its own": ("type('Mine', (frozenset,), {})([1, 2])", {1, 2}),
    "a deque": ("__import__('collections').deque([1, 2])", [1, 2]),
    "a range": ("range(1, 3)", [1, 2]),
    "a fraction": ("{'half': __import__('fractions').Fraction(1, 2)}", {"half": 0.5}),
    "a decimal": ("{'half': __import__('decimal').Decimal('0.5')}", {"half": 0.5}),
    "an object that can be unpacked": ("type('Mine', (), {'__iter__': lambda self: iter([1, 2])})()", [1, 2]),
}


@pytest.mark.parametrize("name", PLAINLY)
def test_a_collection_of_any_class_arrives_as_what_it_holds(student: Student, name: str) -> None:
    """A tensor, mapping, set or iterable of whatever class arrives as the plain thing that it is."""
    source, expected = PLAINLY[name]
    found = defined(student, "it", f"def it():\n    return {source}")()
    if isinstance(expected, torch.Tensor):
        assert type(found) is torch.Tensor and torch.equal(found, expected)
    else:
        assert (list(found) if isinstance(expected, list) else found) == expected
