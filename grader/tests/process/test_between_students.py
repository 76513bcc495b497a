"""What one student does reaches no other, neither through what is kept of checks nor through the examiner's objects."""

from pathlib import Path

from sandboxed import said
from small_class import Task, answered, grade, messages, statuses, unit_of
from students import Hire

from nbproctor.values.limits import Limits

MANY = """
from nbproctor.border import wire
old = wire.Writer.value
wire.Writer.value = lambda self, v: {"set": [n * (2**61 - 1) for n in range(300_000)]} if v == "many" else old(self, v)
def it(x):
    return "many"
"""


def test_numbers_with_one_hash_do_not_hang_the_examiner(tmp_path: Path) -> None:
    unit = unit_of(it=Task("def it(x):\n    return x", "assert it(1) == 1", "assert it(2) == 2"))
    results = grade(unit, tmp_path, Limits(cell_s=4.0, submission_s=6.0), workers=1, many=answered(unit, it=MANY))
    assert (results["many"]["status"], statuses(results["many"])) == ("graded", {"it": "error"})


LONG = """
def it(attend, count):
    return attend(torch.zeros(1, 1, 200_000, 1)).shape
"""
LOOPING = "def it(attend, count):\n    return count(1 << 60)"


def test_a_checks_own_function_does_not_hold_the_examiner(tmp_path: Path) -> None:
    """Row 18: it computes in the examiner; a loop of Python's can be interrupted there, one call of torch cannot."""
    check = (
        "def attend(x):\n    return torch.nn.functional.scaled_dot_product_attention(x, x, x)\n"
        "def count(n):\n    for _ in range(n):\n        pass\nit(attend, count)"
    )
    unit = unit_of(it=Task("def it(attend, count):\n    return attend(torch.zeros(1, 2, 3)).shape", check, check))
    answers = {"long": answered(unit, it=LONG), "looping": answered(unit, it=LOOPING)}
    results = grade(unit, tmp_path, Limits(cell_s=2.0, submission_s=6.0), workers=1, **answers)
    told = "a call of the check's function took too long. Are its arguments larger than they need to be?"
    for result in results.values():
        assert (statuses(result), messages(result, "it")) == ({"it": "timeout"}, [told, told])
        assert result["seconds"] < 30


def test_the_workers_of_one_are_not_stopped_by_what_another_leaves_on_its_way(hire: Hire) -> None:
    """The kernel counts the handles on their way for each user, and all students are one user."""
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
