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
MESSAGES = (
    "No module named '__main__'", "No module named ''", "No module named 'a\x00b'", f"No module named '{'a' * 1900}'",
    "\ud800", "\x00", "x" * 100_000, "{0} {x} %s %", "\n" * 5000, b"\xff", None, ("a", ("b",)), "not implemented yet",
)  # fmt: skip
BASES = (
    "Exception", "BaseException", "KeyError", "ModuleNotFoundError", "NameError", "SyntaxError", "OSError", "EOFError",
    "MemoryError", "RecursionError", "SystemExit", "KeyboardInterrupt", "GeneratorExit", "StopIteration",
    "NotImplementedError", "Warning", "ConnectionResetError",
)  # fmt: skip
TRAITS = (
    "__str__ = lambda self: 1 / 0", "__str__ = lambda self: 7", "__str__ = lambda self: exec('raise SystemExit')",
    "__str__ = lambda self: self.__str__()", "__class__ = property(lambda self: 1 / 0)", "__traceback__ = 7",
    "__cause__ = property(lambda self: 1 / 0)", "args = property(lambda self: 1 / 0)", "__module__ = None",
    "name = property(lambda self: 1 / 0)", "__getattribute__ = lambda self, name: 1 / 0", "__qualname__ = '\\x00'",
    "__init__ = lambda self, *a: None", "__hash__ = None", "pass",
)  # fmt: skip
BEFORE = (
    "pass", "error.__cause__ = error", "error.add_note('n' * 10_000)", "error.args = (error,)", "error.args = ()",
    "error.__cause__ = ModuleNotFoundError(\"No module named '__main__'\")",
)  # fmt: skip
VALUES = (
    "float('nan')", "10 ** 400", "'\\ud800'", "b'\\xff' * 1000", "lambda: 0", "type", "object()", "iter([])",
    "(1 / n for n in (1, 0))", "range(10 ** 12)", "torch.ones(2, device='meta')", "torch.nn.Linear(1, 1)", "torch",
    "torch.zeros(1 << 30, dtype=torch.bool)", "{(): {1: {2: []}}}", "[[]] * 200_000",
    "type('A', (), {'__class__': property(lambda self: 1 / 0)})()", "type('A', (), {'__iter__': lambda self: 1 / 0})()",
    "type('A', (list,), {'__len__': lambda self: -1})([1])",
    "(lambda a: a.append(a) or a)([])", "type('M', (torch.nn.Module,), {'named_parameters': None})()",
    "type('A', (), {'__getattr__': lambda s, n: s})()", "__import__('decimal').Decimal('sNaN')",
    "print('\\x1b[31m', '\\r', '\\x00', end='\\u202e' * 50_000)",
)  # fmt: skip
CELLS = (
    "\n" * 150_000 + "x = = 1", "\n \n" * 60_000 + "%nothing", " " * 190_000 + "\n%x", "%time -" + "1" * 20_000,
    "%time x = 1\n" * 20, "x?\n" * 20, "!" * 300, "%%time\n" * 20, "!printf '\\377\\376 x'", "!printf '\x00'",
    "out = !head -c 100000 /dev/urandom", "%%bash\nprintf '\\377' >&2", "#" * CODE_MOST_BYTES, "(" * 30_000,
    "x = " + "-" * 50_000 + "1", "x" + ".a" * 30_000, "a = " * 10_000 + "1", "lambda: " * 20_000 + "0",
    "\\\n" * 30_000, "x = 1\x00", "\ufeffx = 1", "# -*- coding: utf-16 -*-\nx = 1", "from __future__ import braces",
    "x = \ud800", "x = " + "1" * 100_000, "x = 1" + " if 1 else 1" * 3_000, "try:\n" * 5_000, "import __main__.x",
    "raise ModuleNotFoundError(\"No module named '__main__'\")", "%load_ext __main__", "%run nothing.py", "exit(7)",
    "import sys; sys.exit(b'x')", "import sys; sys.stdout = None", "print = None; input = None", "__name__ = None",
    "import builtins; builtins.str = None", "import sys; sys.setrecursionlimit(60)", "import os; os.getpid = None",
    "import json; json.dumps = None", "import os; os.chdir('/')", "import torch; torch.Tensor.__eq__ = None",
    "import warnings; warnings.warn('\\ud800')", "__builtins__ = {}", "async def f(): await f()\nf()", "return 1",
)  # fmt: skip


def raising(dice: random.Random, indent: str) -> str:
    lines = [
        f"class Odd({dice.choice(BASES)}):\n    {dice.choice(TRAITS)}",
        f"error = Odd({dice.choice(MESSAGES)!a})",
        dice.choice(BEFORE),
        "raise error",
    ]
    return indent + "\n".join(lines).replace("\n", f"\n{indent}")


def notebook(unit: Unit, dice: random.Random, cells: list[str]) -> dict[str, Any]:
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


@pytest.mark.parametrize("seed", range(12 * TIMES if WEEKLY or TIMES > 1 else 1))
def test_fuzz_one_line_costs_one_exercise(tmp_path: Path, seed: int) -> None:
    """Every odd cell comes in one notebook of each run, beside odd exceptions and values that are drawn."""
    dice = random.Random(seed)  # noqa: S311 no secrets
    unit = unit_of(**TASKS)
    order = dice.sample(CELLS, len(CELLS))
    groups = [order[n : n + 4] for n in range(0, len(order), 4)]
    notebooks = {f"s{n}": notebook(unit, dice, group) for n, group in enumerate(groups)}
    results = grade(unit, tmp_path, **notebooks)
    for n, group in enumerate(groups):
        found = results[f"s{n}"]
        shown = [one[:60] for one in group], found["reason"], found.get("exercises")
        assert found["status"] == "graded", shown
        assert {name: statuses(found)[name] for name in RIGHT} == dict.fromkeys(RIGHT, "passed"), shown
