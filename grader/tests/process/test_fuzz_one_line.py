"""One line costs one exercise: whatever a student's code raises, returns, prints or leaves in a cell.

Each notebook has odd cells of its own, an answer that stops while its cell runs, one that raises when it is called, and
one that returns something odd. Two exercises are right, and have to pass.
"""

import random
from pathlib import Path
from typing import Any

import pytest
from fuzzing import TIMES
from small_class import Task, answered, grade, statuses, unit_of
from weekly import WEEKLY

from nbproctor.course.units import Unit
from nbproctor.values.notebook import CODE_MOST_BYTES

RIGHT = {"double": "def double(x):\n    return 2 * x", "triple": "def triple(x):\n    return 3 * x"}
ODD = ("stops", "raises", "returns")  # exercises whose answers are odd
TASKS = {
    "double": Task(RIGHT["double"], "assert double(torch.ones(2)).sum() == 4", "assert double(torch.ones(1)) == 2"),
    **{name: Task(f"def {name}(x):\n    return x", f"assert {name}(1) == 1", f"assert {name}(2) == 2") for name in ODD},
    "triple": Task(RIGHT["triple"], "assert triple(torch.ones(2)).sum() == 6", "assert triple(torch.ones(1)) == 3"),
}
NAMES = (
    "", "__main__", "a b", "日本", "<b>&amp;", "\x1b[31m", "\u202e", "=1+1", "x" * 5000, "ValueError", "StudentGone",
    "ModuleNotFoundError", "NotDefined", "ZygoteGone",
)  # fmt: skip
MESSAGES = (
    "No module named '__main__'", "No module named ''", "No module named '.'", "No module named 'a\x00b'",
    "No module named 'torch'", "No module named '__mp_main__'", f"No module named '{'a' * 1900}'", "\ud800", "\x00",
    "x" * 100_000, "not implemented yet", "{0} {x} %s %", "Torch not compiled with CUDA enabled", "\n" * 5000,
    b"\xff", None, 7, ("a", ("b",)), float("nan"), "invalid syntax", "float double", "can't start new thread",
)  # fmt: skip
BASES = (
    "Exception", "BaseException", "ValueError", "KeyError", "ModuleNotFoundError", "ImportError", "NameError",
    "SyntaxError", "IndentationError", "OSError", "FileNotFoundError", "BlockingIOError", "EOFError", "MemoryError",
    "RecursionError", "SystemExit", "KeyboardInterrupt", "GeneratorExit", "StopIteration", "StopAsyncIteration",
    "AssertionError", "NotImplementedError", "RuntimeError", "Warning", "UserWarning", "ReferenceError",
    "SystemError", "BufferError", "ArithmeticError", "AttributeError", "ConnectionResetError", "BrokenPipeError",
    "TimeoutError", "UnboundLocalError", "TabError", "EncodingWarning",
)  # fmt: skip
TRAITS = (
    "__str__ = lambda self: 1 / 0", "__str__ = lambda self: 7", "__str__ = lambda self: exec('raise SystemExit')",
    "__str__ = lambda self: self.__str__()", "__str__ = lambda self: type('S', (str,), {'__getitem__': None})('s')",
    "__repr__ = lambda self: 1 / 0", "__class__ = int", "__class__ = property(lambda self: 1 / 0)",
    "__class__ = None", "__traceback__ = property(lambda self: 1 / 0)", "__traceback__ = 7",
    "__cause__ = property(lambda self: 1 / 0)", "args = property(lambda self: 1 / 0)",
    "name = property(lambda self: 1 / 0)", "errno = property(lambda self: 1 / 0)",
    "__getattribute__ = lambda self, name: 1 / 0", "__module__ = None", "__qualname__ = '\\x00'", "__notes__ = [7]",
    "__eq__ = lambda self, other: 1 / 0", "__hash__ = None", "__bool__ = lambda self: 1 / 0",
    "__init__ = lambda self, *a: None", "__new__ = lambda cls, *a: cls.__mro__[1].__new__(cls)", "pass",
)  # fmt: skip
METAS = (
    "pass", "__name__ = property(lambda cls: 1 / 0)", "__name__ = 7", "__mro__ = property(lambda cls: 1 / 0)",
    "__instancecheck__ = lambda cls, one: 1 / 0", "__getattribute__ = lambda cls, name: 1 / 0",
    "__module__ = property(lambda cls: 1 / 0)", "__repr__ = lambda cls: 1 / 0",
)  # fmt: skip
BEFORE = (
    "pass", "error.__cause__ = error", "error.__context__ = error", "error.add_note('n' * 10_000)", "error.args = ()",
    "error.__cause__ = KeyError(error)", "error.__suppress_context__ = True", "error = error.with_traceback(None)",
    "error.args = (error,)", "error.__notes__ = 7",
    "error.__cause__ = ModuleNotFoundError(\"No module named '__main__'\")",
)  # fmt: skip
VALUES = (
    "float('nan')", "10 ** 400", "1 << 5000", "'\\ud800'", "'\\x00' * 100", "b'\\xff' * 1000", "lambda: 0", "print",
    "type", "object()", "Ellipsis", "NotImplemented", "{}.keys()", "iter([])", "(1 / n for n in (1, 0))",
    "range(10 ** 12)", "torch.ones(2).to_sparse()", "torch.ones(2, device='meta')", "torch.nn.Linear(1, 1)",
    "torch.nn.Module", "torch", "torch.ones(2, dtype=torch.complex64).conj()",
    "torch.zeros(1 << 30, dtype=torch.bool)", "{(): {1: {2: []}}}", "[[]] * 200_000",
    "type('A', (), {'__class__': property(lambda self: 1 / 0)})()", "{float('nan'): 1}",
    "type('A', (), {'__iter__': lambda self: 1 / 0})()", "type('A', (list,), {'__len__': lambda self: -1})([1])",
    "type('A', (dict,), {'keys': None, '__iter__': None})(a=1)", "type('A', (str,), {'__eq__': None})('a')",
    "type('', (), {})()", "type('A\\u202e', (int,), {'__int__': None})(1)", "(lambda a: a.append(a) or a)([])",
    "__import__('collections').UserDict", "__import__('decimal').Decimal('sNaN')",
    "__import__('enum').Enum('E', 'a b').a", "type('M', (torch.nn.Module,), {'named_parameters': None})()",
    "type('A', (), {'__getattr__': lambda s, n: s})()", "__import__('sys').stdout.write('\\ud800' * 9)",
    "print('\\x1b[31m', '\\r', '\\x00', end='\\u202e' * 50_000)",
)  # fmt: skip
CELLS = (
    "\n" * 150_000 + "x = = 1", "\n" * 150_000 + "%time x = 1", "\n \n" * 60_000 + "%nothing", " " * 190_000 + "\n%x",
    "%time -" + "1" * 20_000, "%time x = 1\n" * 20, "x?\n" * 20, "!" * 300, "%" * 3_000, "%%time\n" * 20,
    "!printf '\\377\\376 x'", "!head -c 100000 /dev/urandom", "out = !head -c 100000 /dev/urandom",
    "!!printf '\\377'", "%%bash\nhead -c 1000 /dev/urandom\nprintf '\\377' >&2", "%system printf '\\377'",
    "!printf '\x00'", "!exit 300", "#" * CODE_MOST_BYTES, "(" * 30_000, "[" * 9_000, "x = " + "-" * 50_000 + "1",
    "x" + ".a" * 30_000, "x = 1;" * 5_000, "a = " * 10_000 + "1", "lambda: " * 20_000 + "0", "{" * 190 + "x = = 1",
    "f'" + "{" * 190, "x = '''" + "a\n" * 20_000, "\\\n" * 30_000, "\t\n  \n" * 40_000 + "x = 1", "x = 1\x00",
    "\ufeffx = 1", "x = 1\x0c\r\ry = 2", "# -*- coding: utf-16 -*-\nx = 1", "# coding: nothing\nx = 1",
    "from __future__ import braces", "x = \ud800",
    "if 1:\n" + "".join(" " * n + "if 1:\n" for n in range(1, 95)) + " " * 95 + "x = 1",
    "def f(" + "a, " * 10_000 + "): 0", "x = " + "1" * 100_000, "x = 1" + " if 1 else 1" * 3_000,
    "x = " + " + ".join(["1"] * 9_000), "try:\n" * 5_000, "raise ModuleNotFoundError(\"No module named '__main__'\")",
    "import __main__.x", "import __mp_main__", "import a.b", "%load_ext __main__", "%run nothing.py",
    "get_ipython().magic('')", "exit(7)", "import sys; sys.exit(b'x')", "import sys; sys.stdout = None",
    "import sys; sys.stdout.write(b'x')", "print = None; input = None", "__name__ = None",
    "import builtins; builtins.str = None", "import sys; sys.setrecursionlimit(60)", "import os; os.getpid = None",
    "import sys; sys.excepthook = None", "import json; json.dumps = None", "import os; os.chdir('/')",
    "import torch; torch.Tensor.__eq__ = None", "import warnings; warnings.warn('\\ud800')", "input()", "_ = 1",
    "__builtins__ = {}", "del torch", "x: int", "await x", "async def f(): await f()\nf()", "return 1",
)  # fmt: skip


def raising(dice: random.Random, indent: str) -> str:
    """Lines that raise an odd exception."""
    traits = dice.sample(TRAITS, dice.choice((0, 0, 1, 1, 2)))
    lines = [
        f"class Meta(type):\n    {dice.choice(METAS)}" if dice.random() < 0.3 else "Meta = type",
        f"Odd = Meta({dice.choice(NAMES)!a}, ({dice.choice(BASES)},), {{}})",
        *(f"class Odd(Odd, metaclass=Meta):\n    {trait}" for trait in traits),
        f"Odd = {dice.choice(BASES)}" if dice.random() < 0.4 else "pass",
        f"error = Odd({dice.choice(MESSAGES)!a})",
        dice.choice(BEFORE),
        "raise error",
    ]
    return indent + "\n".join(lines).replace("\n", f"\n{indent}")


def notebook(unit: Unit, dice: random.Random, cells: list[str]) -> dict[str, Any]:
    """A submission with these cells of the student's own, and odd answers."""
    odd = {
        "stops": f"def stops(x):\n    return x\n{raising(dice, '')}",
        "raises": f"def raises(x):\n{raising(dice, '    ')}",
        "returns": f"def returns(x):\n    return {dice.choice(VALUES)}",
    }
    made = answered(unit, **RIGHT, **odd)
    for number, source in enumerate(cells):
        own = {"cell_type": "code", "id": f"own{number}", "metadata": {}, "source": source}
        made["cells"].insert(dice.randrange(2, len(made["cells"])), own)
    return made


HARD = tuple(range(len(CELLS)))  # each odd cell comes once in a run


@pytest.mark.parametrize("seed", range(12 * TIMES if WEEKLY or TIMES > 1 else 1))
def test_fuzz_one_line_costs_one_exercise(tmp_path: Path, seed: int) -> None:
    """Every odd cell comes in one notebook of each run, beside odd exceptions and values that are drawn."""
    dice = random.Random(seed)  # noqa: S311 no secrets
    unit = unit_of(**TASKS)
    order = dice.sample(HARD, len(HARD))
    groups = [order[n : n + 4] for n in range(0, len(order), 4)]
    notebooks = {f"s{n}": notebook(unit, dice, [CELLS[one] for one in group]) for n, group in enumerate(groups)}
    results = grade(unit, tmp_path, **notebooks)
    for n, group in enumerate(groups):
        found = results[f"s{n}"]
        shown = [CELLS[one][:60] for one in group], found["reason"], found.get("exercises")
        assert found["status"] == "graded", shown
        assert {name: statuses(found)[name] for name in RIGHT} == dict.fromkeys(RIGHT, "passed"), shown
