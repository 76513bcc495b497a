"""Whatever bytes are handed in end in a plan that reaches every check once, or in a clear reason."""

import json
from typing import Any

import msgspec
from fuzzing import SCALARS, VALUES, damaged, examples, mutated
from hypothesis import example, given
from hypothesis import strategies as st
from small_class import Task, answered, unit_of

from nbproctor.source.match import Place, Plan, Unplanned, plan_json

ANSWER = "def {name}(x):\n    return x  # mine"
UNIT = unit_of(
    one=Task(ANSWER.format(name="one"), "assert one(1)", "assert one(2)", "width = 3"),
    two=Task(ANSWER.format(name="two"), "assert two(1)", "assert two(2)", "height = width"),
)
CHECKS = sorted((name, hidden) for name in ("one", "two") for hidden in (False, True))
HANDED_IN = answered(UNIT, one=ANSWER.format(name="one"), two=ANSWER.format(name="two"))
HANDED_IN["cells"].append({"cell_type": "code", "id": "own", "metadata": {}, "source": "print(one(width))"})

LINES = st.sampled_from(
    ["f'{one!r:{two}}'",
     "%matplotlib inline", "%%capture", "%%writefile a.py", "%%time x = 1", "!pip install x", "%time", "%", "%%", "??",
     "x?", "!", "%%writefile", "import a", "from a import one", "def one(x):", "    return x", "  return x", "\t", "\\",
     "'''", '"', "(", ")", "[x for x in", "]", "if x:", "else:", "class one:", "one = two", "one: int", "del one",
     "global one", "try:", "except x as one:", "with check:", "lambda: (yield)", "async def one(): await x", "@one",
     "one.a[0] = getattr(torch, 'soft' + 'max')", "vars(F)['x'] = 1", "__import__('x')", "*one, = x", "x = y = one",
     "match x:", "    case {'a': one}: pass", "from . import *", "import torch as F, one", "one += 1",
     "%timeit -n 1 one(x)", "#", "x = \0", "\ufeff", "\f", "é = 1", "0777", "1__0", "x := 1", "(x := 1)", "\ud800"]
)  # fmt: skip
SOURCES = st.lists(LINES | st.text(max_size=10), max_size=6).map("\n".join)
CELLS = st.fixed_dictionaries(
    {"cell_type": st.sampled_from(["code", "markdown"]) | SCALARS, "source": SOURCES},
    optional={"id": st.sampled_from(["one", "check-two", "setup", "own"]) | VALUES, "metadata": VALUES},
)


def read(raw: bytes) -> Plan | str:
    """Read these bytes as the process that reads submissions does; returns a plan, or the reason why there is none."""
    found: Plan | Unplanned = msgspec.json.decode(plan_json(UNIT, raw), type=Plan | Unplanned)
    return found.reason if isinstance(found, Unplanned) else found


def assert_holds(found: Plan | str) -> None:
    """Assert that a plan reaches each check once, and that a reason is one line."""
    if isinstance(found, str):
        assert found.startswith("the file ") and found.splitlines() == [found]
        return
    reached = [(item.exercise, item.hidden) for item in found.agenda if isinstance(item, Place)]
    assert sorted(reached) == CHECKS
    for note in found.notes:
        note.text.encode()


@given(st.binary(max_size=200) | damaged(json.dumps(HANDED_IN).encode()))
@examples(150)
def test_any_bytes_are_planned_or_refused(raw: bytes) -> None:
    assert_holds(read(raw))


@given(mutated(HANDED_IN, CELLS | VALUES))
@examples(100)
def test_any_json_is_planned_or_refused(notebook: Any) -> None:
    assert_holds(read(json.dumps(notebook).encode()))


@given(SOURCES, SOURCES)
@example("", "\x1e")  # IPython warns of a line that has no end
@examples(150)
def test_any_source_is_planned(answer: str, module: str) -> None:
    notebook = answered(UNIT, one=answer)
    found = read(json.dumps(notebook).encode())
    assert isinstance(found, Plan)
    assert_holds(found)
