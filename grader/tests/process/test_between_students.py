"""What one student does reaches no other, neither through what is kept of checks nor through the examiner's objects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sandboxed import said
from small_class import Task, answered, grade, messages, statuses, unit_of
from students import Hire

from nbproctor.border.wire import Reader, WireError
from nbproctor.exam.conversation import Conversations, Keeper, Said, Unrepeatable
from nbproctor.values.limits import Limits
from nbproctor.values.result import CheckResult


def test_a_list_of_the_setup_cell_is_each_students_own(tmp_path: Path) -> None:
    """Row 38: a student who empties a list of the setup cell empties it for nobody else, even a list in a list."""
    task = Task(
        "def count(words):\n    return len(words)", "assert count(WORDS[0]) == 3", "assert count(WORDS[0]) == 3"
    )
    unit = unit_of(setup="WORDS = [['a', 'b', 'c']]", count=task)
    empties = answered(unit, count="def count(words):\n    words.clear()\n    return 3")
    results = grade(unit, tmp_path, workers=1, first=empties, then=answered(unit, count=task.solution))
    assert statuses(results["first"]) == {"count": "failed"}
    assert statuses(results["then"]) == {"count": "passed"}


KEEPS = {"[]": ("SEEN", "append"), "set()": ("SEEN", "add"), "{}": ("SEEN", "setdefault"),
         "{'calls': []}": ("SEEN['calls']", "append"), "check": ("SEEN.calls", "append")}  # fmt: skip


@pytest.mark.parametrize("made", KEEPS)
def test_what_a_checks_function_keeps_in_the_setup_cell_is_each_students_own(tmp_path: Path, made: str) -> None:
    """Row 38: however often a student calls a check's function, the next one begins with what the setup cell made."""
    seen, keep = KEEPS[made]
    check = f"def f(x):\n    {seen}.{keep}(x)\n    return x\nassert it(f) == 1\nassert len({seen}) == 1, len({seen})"
    setup = f"class Check:\n    calls = []\ncheck = Check()\nSEEN = {made}"
    unit = unit_of(setup=setup, it=Task("def it(f):\n    return f(1)", check, check))
    often = answered(unit, it="def it(f):\n    f(2)\n    return f(1)")
    quick = answered(unit, it="def it(f):\n    return f(1) + 0")
    differently = answered(unit, it="def it(f):\n    return float(f(1))")
    results = grade(unit, tmp_path, workers=1, often=often, quick=quick, differently=differently)
    found = {name: statuses(result)["it"] for name, result in results.items()}
    assert found == {"often": "failed", "quick": "passed", "differently": "passed"}


def test_a_checks_function_is_out_of_reach_once_the_check_is_over(tmp_path: Path) -> None:
    """Row 38: a student who keeps a check's function cannot call it once that check is over.

    Called from a cell further down, it would spoil what the setup cell made for the next check, and what that check
    found would be kept for all who answer alike.
    """
    asks = "def f(x):\n    SEEN.append(x)\n    return x\nassert it(f) == 1"
    looks = "assert then(3) == 3 + len(SEEN), len(SEEN)"
    unit = unit_of(
        setup="SEEN = []",
        it=Task("def it(f):\n    return f(1)", asks, asks),
        then=Task("def then(x):\n    return x", looks, looks),
    )
    right = {"it": "def it(f):\n    return 1", "then": "def then(x):\n    return x"}
    keeps = "kept = []\n\ndef it(f):\n    kept.append(f)\n    return 1"
    calls = f"try:\n    kept[-1](7)\nexcept RuntimeError as error:\n    print(error)\n\n{right['then']}"
    results = grade(
        unit, tmp_path, workers=1, keeps=answered(unit, it=keeps, then=calls), honest=answered(unit, **right)
    )
    assert {name: statuses(result) for name, result in results.items()} == dict.fromkeys(
        results, {"it": "passed", "then": "passed"}
    )
    assert "can be called while that check runs" in results["keeps"]["exercises"][1]["printed"]


MANY = """
from nbproctor.border import wire
old = wire.Writer.value
wire.Writer.value = lambda self, v: {"set": [n * (2**61 - 1) for n in range(300_000)]} if v == "many" else old(self, v)
def it(x):
    return "many"
"""


def test_numbers_with_one_hash_do_not_hang_the_examiner(tmp_path: Path) -> None:
    """Row 36: a set of so many numbers with one hash, which it takes too long to build, costs its exercise alone."""
    unit = unit_of(it=Task("def it(x):\n    return x", "assert it(1) == 1", "assert it(2) == 2"))
    results = grade(unit, tmp_path, Limits(cell_s=4.0, submission_s=6.0), workers=1, many=answered(unit, it=MANY))
    assert (results["many"]["status"], statuses(results["many"])) == ("graded", {"it": "error"})


LONG = """
def it(attend, count):
    return attend(torch.zeros(1, 1, 200_000, 1)).shape
"""
LOOPING = "def it(attend, count):\n    return count(1 << 60)"


def test_a_checks_own_function_does_not_hold_the_examiner(tmp_path: Path) -> None:
    """Row 18: a call of a check's own function that takes too long ends as the student's own loop would.

    The function computes in the examiner, and it takes too little memory to meet a limit. One call of torch cannot be
    interrupted; a loop of Python's can.
    """
    check = (
        "def attend(x):\n    return torch.nn.functional.scaled_dot_product_attention(x, x, x)\n"
        "def count(n):\n    for _ in range(n):\n        pass\nit(attend, count)"
    )
    unit = unit_of(it=Task("def it(attend, count):\n    return attend(torch.zeros(1, 2, 3)).shape", check, check))
    answers = {"long": answered(unit, it=LONG), "looping": answered(unit, it=LOOPING)}
    results = grade(unit, tmp_path, Limits(cell_s=2.0, submission_s=6.0), workers=1, **answers)
    told = "a call of the check's function did not end within 2 s. Are its arguments larger than they need to be?"
    for result in results.values():
        assert (statuses(result), messages(result, "it")) == ({"it": "timeout"}, [told, told])
        assert result["seconds"] < 30


def test_a_set_whose_order_is_of_chance_does_not_cross() -> None:
    """A set whose order is up to chance is refused: a check that hands it back would say something else each time."""
    reader = Reader([bytearray(4)])
    with pytest.raises(WireError):
        reader.value({"set": [{"tuple": [{"tensor": [0, "float32", [1], None, False]}]}]})
    assert Reader([]).value({"set": [1, "a", {"tuple": [1, 2]}]}) == {1, "a", (1, 2)}


def told(kept: Conversations, count: int, status: Any) -> None:
    keeper = Keeper(kept)
    for n in range(count):
        keeper.says(Said.of({"op": n}, [], n))
        keeper.hears(b"%d" % n, "")
    keeper.finds(CheckResult("c", False, 1.0, status))


@pytest.mark.parametrize("second", [(3, "passed"), (1, "passed"), (2, "failed")])
def test_another_end_after_the_same_answers_is_noticed(second: tuple[int, str]) -> None:
    """After the same answers a check may end later, end sooner or find something else: then it cannot be repeated."""
    kept = Conversations()
    told(kept, 2, "passed")
    with pytest.raises(Unrepeatable):
        told(kept, *second)


BEGAN = "began = {0}()\nit(1)\nassert {0}() - began < 1, 'slow'"


def test_who_shows_that_a_check_says_other_things_each_time_does_not_pay_for_it(tmp_path: Path) -> None:
    """A student with whom a check turns out to say other things each time gets their time once more.

    Their process was asked what somebody else's had been, so that their cells run once more. Alone, they would have had
    all of the time for themselves.
    """
    check = "import random\nx = random.random()\nassert it(x) == x"
    unit = unit_of(it=Task("def it(x):\n    return x", check, "assert it(2) == 2"))
    trains = answered(unit, it="import time\ntime.sleep(2.5)\ndef it(x):\n    print('mine')\n    return x")
    class_ = {"first": answered(unit, it="def it(x):\n    return x"), "then": trains}
    results = grade(unit, tmp_path, Limits(cell_s=4.0, submission_s=4.0), workers=1, **class_)
    assert statuses(results["then"]) == statuses(results["first"]) == {"it": "passed"}


def test_the_workers_of_one_are_not_stopped_by_what_another_leaves_on_its_way(hire: Hire) -> None:
    """Handles that one student leaves in sockets do not stop the DataLoader workers of another.

    The kernel counts the handles on their way for each user, and all students are one user: past the limit it gives no
    more to anybody.
    """
    leave = """
import socket
ends = [socket.socketpair() for _ in range(40)]
found = [attempt(socket.send_fds, one, [b"x"], [0] * 100) for one, _ in ends][-1]
"""
    load = """
from torch.utils.data import DataLoader, TensorDataset
loader = DataLoader(TensorDataset(torch.arange(10.0)), batch_size=4, num_workers=2)
found = [batch.tolist() for (batch,) in loader]
"""
    assert said(hire(), leave) == "ETOOMANYREFS"
    assert said(hire(), load) == [[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0]]


def test_a_function_is_told_by_its_name_alone(hire: Hire) -> None:
    """A function is shown without its address.

    With it, a message would be another one in each worker, and the check would run for everybody.
    """
    student = hire()
    said(student, "def it():\n    return it\nfound = 0")
    it = student.lookup("it")
    assert f"{it} {[it()]}" == "<it> [<it>]"
