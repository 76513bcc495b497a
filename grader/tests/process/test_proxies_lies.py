"""Shortcuts, lying objects and forged answers of a student's process are found at the call, or refused."""

from typing import Any

import pytest
import torch
from students import Hire, defined, graded, run

from nbproctor.border.messages import Reap, Reaped
from nbproctor.border.wire import Opaque, WireError
from nbproctor.exam.examiner import RemoteWatch
from nbproctor.exam.failures import StudentGone
from nbproctor.exam.proxies import Student

# --- forbidden functions ---------------------------------------------------------------------------------------------


def watched(student: Student, *names: str) -> RemoteWatch:
    return RemoteWatch(student, names)


@pytest.mark.parametrize(
    "source",
    [
        "def it(x):\n    return torch.softmax(x, -1)",
        "def it(x):\n    return vars(F)['soft' + 'max'](x, dim=-1)",
        "hidden = F.softmax\ndef it(x):\n    return hidden(x, dim=-1)",
        "def it(x):\n    try:\n        return x.softmax(-1)\n    except BaseException:\n        return x",
    ],
)
def test_a_forbidden_function_is_noted_where_it_runs(checked_student: Student, source: str) -> None:
    run(checked_student, source)
    it = checked_student.lookup("it")
    with watched(checked_student, "softmax") as watch:
        it(torch.ones(3))
    assert watch.used == ["softmax"]


def test_what_does_not_run_and_what_runs_elsewhere_is_not_noted(checked_student: Student) -> None:
    """Only what runs while the answer is called counts: no self-test, no annotation, no oracle of the check's."""
    run(checked_student, "def it(x: F.softmax):\n    return x.exp()\nassert F.softmax(torch.ones(1), -1) == 1")
    it = checked_student.lookup("it")
    with watched(checked_student, "softmax") as watch:
        it(torch.ones(3).softmax(-1))
    it(torch.ones(3))
    assert watch.used == []


def test_an_error_of_the_answer_hides_no_forbidden_function(checked_student: Student) -> None:
    run(checked_student, "def it(x):\n    torch.softmax(x, -1)\n    raise ValueError('no')")
    it = checked_student.lookup("it")
    with pytest.raises(ValueError, match="no"), watched(checked_student, "softmax"):
        it(torch.ones(3))
    assert checked_student.used == ["softmax"]


@pytest.mark.parametrize("index", ["table[ids]", "table.__getitem__(ids)"])
def test_indexing_a_named_argument_is_noted(checked_student: Student, index: str) -> None:
    for source, used in ((index, ["getitem:table"]), ("ids[0] + table.sum()", [])):
        run(checked_student, f"def it(ids, table):\n    return {source}")
        it = checked_student.lookup("it")
        with watched(checked_student, "getitem:table") as watch:
            it(torch.tensor([0]), torch.eye(2))
        assert watch.used == used


# --- liars, and what they send --------------------------------------------------------------------------------------

LIARS = {
    "lying": "class Mine:\n    __class__ = property(lambda _: torch.Tensor)\n\ndef it():\n    return Mine()",
    "always equal": "class Mine:\n    def __eq__(self, other):\n        return True\n\ndef it():\n    return Mine()",
    "pickle": "class Mine:\n    def __reduce__(self):\n        return print, ('!',)\n\ndef it():\n    return Mine()",
}


@pytest.mark.parametrize("name", LIARS)
def test_a_liar_arrives_as_opaque(student: Student, name: str) -> None:
    arrived = defined(student, "it", LIARS[name])()
    assert isinstance(arrived, Opaque)
    assert type(arrived).__name__ == "Mine"
    assert not isinstance(arrived, torch.Tensor)
    assert arrived != torch.ones(2)


def forge(student: Student, answer: dict[str, Any]) -> Any:
    """Call a function to which the student's process replies with the forged `answer`."""
    function = defined(student, "it", "def it(x):\n    return x")
    about = {key: value for key, value in answer.items() if key in ("used", "error")}
    forged = about or {"answer": answer}
    run(
        student,
        "from nbproctor.border import frames\nhonest = frames.frame\n\ndef frame(reply, parts):\n"
        "    if 'refilled' not in reply['answer']:\n        return honest(reply, parts)\n"
        f"    return honest({forged!r} | {{'nonce': reply['nonce']}}, [])\n\nframes.frame = frame",
    )
    return function(torch.ones(2, requires_grad=True))


NOTHING = {"value": 1, "changed": False, "refilled": [], "state": {}}
CANNOT = "changes that cannot be repeated "
FORGED = {
    "no value": ({}, "a malformed Called (Object missing required field `value`)"),
    "a list": (NOTHING | {"value": []}, "a malformed value"),
    "a module with a name of ours": (
        NOTHING | {"value": {"module": [0, True, ["L", "", [["forward", None]], [], []]]}},
        "a malformed module (KeyError)",
    ),
    "a note of something else": ({"used": ["hidden input 4711"]}, "a malformed report on forbidden functions"),
    "an error with a line in words": (
        {"error": ["ValueError", "why", "two", "", False, False, "Exception"]},
        "a malformed Reply (Expected `int | null`, got `str` - at `$.error[2]`)",
    ),
    "a refilled tensor": (NOTHING | {"refilled": [[0, {"list": []}]]}, CANNOT + "(AttributeError)"),
    "a state of no module": (NOTHING | {"state": {"x": 1}}, CANNOT + "(KeyError)"),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_answer_is_a_wire_error(student: Student, name: str) -> None:
    answer, message = FORGED[name]
    with pytest.raises(WireError) as broken:
        forge(student, answer)
    assert str(broken.value) == message


@pytest.mark.parametrize(
    ("raised", "met"),
    [
        ("MemoryError()", True),
        ("OSError(12, 'no room')", True),
        ('RuntimeError("can\'t start new thread")', True),
        ('ValueError("can\'t allocate memory, [Errno 12], MemoryError")', False),
    ],
)
def test_whether_a_limit_was_met_is_told_by_the_exception_and_not_by_its_words(
    student: Student, raised: str, met: bool
) -> None:
    run(student, f"def it():\n    raise {raised}")
    assert graded(student, "def it(): ...", "it()").met_limit == met


def test_an_answer_to_another_question_ends_the_student(student: Student) -> None:
    source = """import os, struct
text = b'[{"answer": {}}, []]'
os.write(3, struct.pack(">IQ", len(text), 0) + text)
"""
    with pytest.raises(StudentGone) as gone:
        run(student, source)
    assert gone.value.status == "died"
    assert str(gone.value) == "the process wrote into the grader's channel: an answer that was not asked for"


def test_a_worker_that_dies_between_question_and_answer_spoils_nothing(student: Student, hire: Hire) -> None:
    """An answer of the zygote to a worker that has died is thrown away by the next worker that asks."""
    control = student.process._control
    control._end.send(b'{"request": "reap", "pid": 0, "nonce": "of a worker that is dead"}')
    assert control.ask(Reap(0), Reaped)[0].status is None
    control._end.send(b'{"request": "reap", "pid": 0, "nonce": "of another"}')
    assert run(hire(), "print(1)") == "1\n"


@pytest.mark.parametrize(
    ("gradients", "message"),
    [("[]", "0 gradients for 1 inputs"), ("[{'dtype': 'float32'}]", "a gradient of another shape than its input")],
)
def test_forged_gradients_are_a_wire_error(student: Student, gradients: str, message: str) -> None:
    x = torch.ones(2, requires_grad=True)
    out = defined(student, "it", "def it(x):\n    return 2 * x")(x)
    forged = f"s._answer = lambda r, *a: Gradients({gradients}) if type(r) is Backward else old(r, *a)"
    brought = "import nbproctor.inside.student as s\nfrom nbproctor.border.messages import Backward, Gradients"
    run(student, f"{brought}\nold = s._answer\n{forged}")
    with pytest.raises(WireError, match=f"^{message}$"):
        out.sum().backward()
