"""A student who answers as another did gets the same finding; a student who answers otherwise is judged anew."""

from typing import Any

import pytest
from small_class import Task, answered, grade, messages, statuses, unit_of
from students import Hire, graded, run

from nbproctor.border.frames import frame
from nbproctor.exam import conversation
from nbproctor.exam.conversation import Kept
from nbproctor.exam.failures import StudentGone

SOLUTION = "def it(x): ..."
CHECK = """
ran.append(1)
for n in range(3):
    assert it(torch.full((2,), n + 1.0)).sum() == 4 * (n + 1), n
"""
RIGHT = "asked = []\ndef it(x):\n    asked.append(x)\n    print('called', len(asked))\n    return 2 * x"


class Class:
    """Students who answer one check, one after another; `ran` has an entry for each time that the check itself ran."""

    def __init__(self, hire: Hire, check: str = CHECK, **names: Any) -> None:
        self.hire, self.check, self.names = hire, check, names
        self.kept: Kept = {}
        self.ran: list[int] = []

    def answers(self, source: str) -> tuple[str, str, str, list[Any]]:
        """Status and message of a new student who answers so; what was printed; and what the student was asked."""
        student = self.hire()
        run(student, source)
        student.line.printed.clear()
        names = {"ran": self.ran, **self.names}
        found = graded(student, SOLUTION, self.check, names=names, conversations=self.kept)
        printed = "".join(student.line.printed)
        asked = student.lookup("asked") if "asked" in source else []
        return found.status, found.message, printed, asked


def test_who_answers_alike_gets_the_same_and_no_check_runs(hire: Hire) -> None:
    room = Class(hire)
    first = room.answers(RIGHT)
    again = room.answers(RIGHT.replace("2 * x", "x + x"))
    assert first[:3] == again[:3] == ("passed", "", "called 1\ncalled 2\ncalled 3\n")
    assert len(first[3]) == len(again[3]) == 3
    assert len(room.ran) == 1


def test_who_answers_otherwise_is_judged_by_what_they_answer(hire: Hire) -> None:
    """At the first question or the last, whoever came before. Each question is asked once."""
    room = Class(hire)
    wrong = {n: RIGHT.replace("2 * x", f"2 * x + (x[0] == {n + 1})") for n in range(3)}
    for _ in range(2):
        assert room.answers(RIGHT)[:2] == ("passed", "")
        for n, source in wrong.items():
            status, message, printed, asked = room.answers(source)
            assert (status, message, len(asked)) == ("failed", str(n), n + 1)
            assert printed == "".join(f"called {count + 1}\n" for count in range(n + 1))
    assert len(room.ran) == 4


def test_a_difference_of_one_bit_is_a_difference(hire: Hire) -> None:
    """Also the sign of a zero, a type, a shape, a printed letter, or `requires_grad`."""
    room = Class(hire, "ran.append(1)\nit(torch.zeros(2))")
    answers = ["x", "-x", "x.double()", "x[None]", "list(x)", "x.requires_grad_()", "x if print() else x"]
    for _ in range(2):
        for answer in answers:
            assert room.answers(f"def it(x):\n    return {answer}")[0] == "passed"
    assert len(room.ran) == len(answers)


def test_functions_and_modules_of_a_check_take_part(hire: Hire) -> None:
    """A call that a student's answer makes to them leads the conversation on, as an answer does."""
    check = """
ran.append(1)
class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 2)
    def forward(self, x):
        return self.inner(x)
x = torch.randn(3, 2, requires_grad=True)
own = Own()
assert torch.equal(it(own, x, lambda y: y.sin()), own(x).sin()), 'not its sine'
it(own, x, lambda y: y.cos()).sum().backward()
assert x.grad is not None and x.grad.shape == x.shape
"""
    room = Class(hire, check)
    right = "def it(own, x, f):\n    return f(own(x))"
    assert [room.answers(right)[:2] for _ in range(2)] == [("passed", "")] * 2
    assert room.answers("def it(own, x, f):\n    return f(own(x)) + 0 * f(x)")[:2] == ("passed", "")
    assert room.answers("def it(own, x, f):\n    return f(own(x) + 1)")[:2] == ("failed", "not its sine")
    assert room.answers(right)[:2] == ("passed", "")
    assert len(room.ran) == 3


def test_a_stale_answer_ends_the_process_also_in_a_known_conversation(hire: Hire) -> None:
    room = Class(hire)
    assert room.answers(RIGHT)[0] == "passed"
    forger = hire()
    stale = frame({"answer": {"value": None}, "printed": "", "nonce": ""}, [])
    write = f"""
    for n in range(3, 64):
        try:
            os.write(n, {stale!r})
        except OSError:
            pass
    return"""
    run(forger, "import os\n" + RIGHT.replace("\n    return", write))
    with pytest.raises(StudentGone, match="not asked for"):
        graded(forger, SOLUTION, CHECK, names={"ran": room.ran}, conversations=room.kept)


def test_a_check_that_reads_a_clock_always_runs(hire: Hire) -> None:
    """A check that reads a clock runs for each student.

    Otherwise one who was slow, perhaps by chance, would cost a point to others who give the same answer sooner.
    """
    check = "import time\nran.append(1)\nbegan = time.monotonic()\nit(1)\nassert time.monotonic() - began < 1, 'slow'"
    room = Class(hire, check)
    assert room.answers("import time\ndef it(x):\n    time.sleep(1.2)\n    return x")[:2] == ("failed", "slow")
    assert room.answers("def it(x):\n    return x")[0] == "passed"
    assert len(room.ran) == 2
    imports = "from time import monotonic\nran.append(1)\nassert monotonic() > it(0)"
    other = Class(hire, imports)
    for _ in range(2):
        assert other.answers("def it(x):\n    return x")[0] == "passed"
    assert len(other.ran) == 2


def test_a_finding_for_want_of_memory_is_not_kept(hire: Hire) -> None:
    room = Class(hire, "ran.append(1)\nit(1)")
    for _ in range(2):
        assert room.answers("def it(x):\n    raise MemoryError")[0] == "error"
    assert len(room.ran) == 2


def test_where_there_is_no_room_the_check_runs(hire: Hire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversation, "KEPT_MOST_BYTES", 1_500)
    room = Class(hire)
    for _ in range(2):
        assert room.answers(RIGHT)[0] == "passed"
        assert room.answers(RIGHT.replace("2 * x", "2 * x + (x[0] == 3)"))[:2] == ("failed", "2")
    assert len(room.ran) == 4


UNSEEDED = Task(
    solution="def first(x):\n    return 2 * x",
    check="import secrets\nx = secrets.randbelow(1 << 30)\nassert first(x) == 2 * x, 'Expected twice x.'",
    hidden="import secrets\nfor _ in range(secrets.randbelow(5)):\n    assert first(2) == 4\nassert first(3) == 6",
)


def test_a_check_that_draws_numbers_of_its_own_is_run_for_everybody(tmp_path: Any) -> None:
    """A check that draws its own numbers asks something else each time, and judges each by what it asked them."""
    unit = unit_of(first=UNSEEDED)
    class_ = {f"right{n}": answered(unit, first=UNSEEDED.solution) for n in range(3)}
    class_["wrong"] = answered(unit, first="def first(x):\n    return x")
    results = grade(unit, tmp_path, workers=1, **class_)
    assert messages(results.pop("wrong"), "first")[0] == "Expected twice x."
    assert [statuses(result) for result in results.values()] == [{"first": "passed"}] * 3
