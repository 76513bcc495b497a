"""Whatever a hostile child sends ends in a value, or in one of the exceptions that the examiner has words for."""

import copy
import os
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from fuzzing import VALUES, damaged, examples, mutated
from hypothesis import given
from hypothesis import strategies as st

from nbproctor.border.frames import HEADER, frame, receive
from nbproctor.border.messages import Raised
from nbproctor.border.wire import DTYPES, Reader, WireError, Writer
from nbproctor.exam.failures import ArgumentChanged, NotDefined, StudentError, StudentGone
from nbproctor.exam.proxies import Student

NONCE = "the question's own"
MOST_PER_RAW_BYTE = 8  # bytes of memory that a tensor may take by its strides; and 4096 numbers


class Child:
    """A channel whose other end has its frames ready: the next one answers each question, whatever it asks."""

    def __init__(self, frames: list[bytes]) -> None:
        self._frames = frames
        self._waiting = b""

    def settimeout(self, seconds: float) -> None:
        """Nobody ever has to wait for this channel."""

    def sendall(self, data: bytes) -> None:
        self._waiting = self._frames.pop(0) if self._frames else b""

    def recv(self, most: int) -> bytes:
        part, self._waiting = self._waiting[:most], self._waiting[most:]
        return part


def in_bounds(tensors: list[torch.Tensor], raw_bytes: int) -> bool:
    """Whether these tensors, read from so many bytes, take no more memory than they may."""
    most = MOST_PER_RAW_BYTE * raw_bytes + sum(4096 * tensor.element_size() for tensor in tensors)
    return sum(tensor.untyped_storage().nbytes() for tensor in tensors) <= most


SIZES = st.integers(-1, 5) | st.sampled_from([1 << 20, 1 << 40, 1 << 63, 1 << 70])
TENSORS = st.tuples(
    st.integers(0, 2) | VALUES,
    st.sampled_from([*DTYPES, "object"]) | VALUES,
    st.lists(SIZES, max_size=3) | VALUES,
    st.none() | st.lists(SIZES, max_size=3) | VALUES,
    st.booleans(),
).map(list)


def described(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A strategy for what looks like the description of a value."""
    several = st.lists(inner, max_size=3) | VALUES
    return st.one_of(
        st.builds(lambda tag, items: {tag: items}, st.sampled_from(["list", "tuple", "set", "size"]), several),
        st.builds(
            lambda items: {"dict": items}, st.lists(st.lists(inner, min_size=2, max_size=2), max_size=3) | VALUES
        ),
        st.builds(lambda tag, one: {tag: one}, st.sampled_from(["tensor", "dtype", "device", "opaque", "x"]), inner),
        st.builds(lambda one, scalar: {"numpy": one, "scalar": scalar}, TENSORS | inner, inner),
    )


LEAVES = st.one_of(
    VALUES,
    TENSORS.map(lambda one: {"tensor": one}),
    st.integers(0, 2).map(lambda number: {"tensor": number}),
    st.sampled_from([*DTYPES, "object"]).map(lambda name: {"dtype": name}),
    st.sampled_from(["cpu", "cuda:1", "meta", "moon"]).map(lambda name: {"device": name}),
)
DESCRIBED = st.recursive(LEAVES, described, max_leaves=4)


def genuine() -> tuple[Any, list[bytes]]:
    """A message as an honest child would write it, with values of every kind."""
    writer = Writer()
    base = torch.arange(12.0).reshape(3, 4)
    value = writer.value(
        {"a": (base, base.T, base[:1].expand(3, 4), 1.5, "text", None), "b": [torch.float32, torch.Size([2]), {1, 2}],
         "c": torch.ones(2).numpy(), "again": base, "g": torch.ones(2, requires_grad=True), "e": torch.empty(2, 0)}
    )  # fmt: skip
    return value, writer.buffers


GENUINE, BUFFERS = genuine()


@given(st.binary(max_size=200) | st.binary(max_size=100).map(lambda text: HEADER.pack(len(text), 0) + text)
       | damaged(frame(GENUINE, BUFFERS)))  # fmt: skip
@examples(200)
def test_bytes_are_a_message_or_refused(data: bytes) -> None:
    """Any bytes end in WireError, the end of the channel, or a value within the memory that they allow."""
    here, there = socket.socketpair()
    with here, there:
        here.sendall(data)
        here.close()
        try:
            header, buffers = receive(there, time.monotonic() + 60)
            reader = Reader(buffers)
            reader.value(header)
        except (WireError, EOFError):
            return
    assert in_bounds(reader.tensors, len(data))


@given(DESCRIBED | mutated(GENUINE, DESCRIBED), st.lists(st.binary(max_size=64), max_size=3))
@examples(200)
def test_a_description_is_a_value_or_refused(data: Any, own: list[bytes]) -> None:
    """Any JSON with any buffers is a value within the memory that its bytes allow, or a WireError."""
    buffers = own or BUFFERS
    reader = Reader([bytearray(part) for part in buffers])
    with suppress(WireError):
        reader.value(data)
    assert in_bounds(reader.tensors, sum(map(len, buffers)))


# --- a whole child ----------------------------------------------------------------------------------------------------

REPLY: dict[str, st.SearchStrategy[Any]] = {
    "nonce": VALUES,
    "printed": VALUES,
    "answer": VALUES,
    "question": VALUES,
    "used": st.lists(st.sampled_from(["softmax", "getitem:x"]) | VALUES, max_size=3) | VALUES,
    "error": st.tuples(
        st.sampled_from(["ValueError", "KeyError", "NameError", "UnicodeDecodeError", "Mine"]) | VALUES,
        st.text() | VALUES, st.none() | st.integers() | VALUES, st.text(), st.booleans(), st.booleans(),
    ).map(list) | VALUES,
}  # fmt: skip
PARTS: dict[str, st.SearchStrategy[Any]] = {
    "value": DESCRIBED,
    "missing": VALUES,
    "changed": VALUES,
    "refilled": st.lists(st.lists(st.integers(0, 3) | DESCRIBED, min_size=2, max_size=2), max_size=2) | VALUES,
    "state": st.dictionaries(st.sampled_from(["weight", "deep.bias", "x", ""]), DESCRIBED, max_size=2) | VALUES,
    "question": st.sampled_from(["call", "backward"]) | VALUES,
    "function": st.integers(-1, 2) | VALUES,
    "args": st.lists(DESCRIBED, min_size=2, max_size=2) | VALUES,
    "grad": VALUES,
    "graph": st.integers(0, 2) | VALUES,
    "gradients": st.lists(DESCRIBED, max_size=2) | VALUES,
}  # fmt: skip
NAMES = st.sampled_from(["weight", "bias", "a.b", "", "forward", "training", "_student", "_sent", "x"]) | st.text(
    max_size=4
)
STAYING = st.tuples(DESCRIBED, st.lists(st.integers(-1, 1 << 40), max_size=3) | VALUES).map(
    lambda inner: {"stays": list(inner)}
)
TREES = st.recursive(
    st.just(["M", "", [], [], []]),
    lambda inner: st.tuples(
        st.sampled_from(["Linear", "ModuleList", "a\0"]) | VALUES,
        st.sampled_from(["", "ModuleList", "Sequential", "Linear"]) | VALUES,
        st.lists(st.tuples(NAMES, TENSORS | st.none() | st.integers(0, 1)).map(list), max_size=2) | VALUES,
        st.lists(st.tuples(NAMES, TENSORS | st.none() | STAYING, st.booleans()).map(list), max_size=1) | VALUES,
        st.lists(st.tuples(NAMES | VALUES, inner | VALUES).map(list), max_size=2) | VALUES,
    ).map(list),
    max_leaves=4,
)
OBJECTS = st.one_of(
    st.tuples(st.integers() | VALUES, st.booleans(), TREES).map(lambda inner: {"module": list(inner)}),
    st.tuples(st.integers() | VALUES, st.text(), st.text() | VALUES).map(lambda inner: {"callable": list(inner)}),
    DESCRIBED,
)


def tensor(number: int, *shape: int, grad: bool = True) -> Any:
    return {"tensor": [number, "float32", list(shape), None, grad]}


LAYER = ["Layer", "", [["weight", tensor(0, 1, 2)["tensor"]], ["bias", tensor(1, 1)["tensor"]]],
         [["mean", tensor(2, 2, grad=False)["tensor"], True]],
         [["parts", ["Parts", "ModuleList", [], [], []]]]]  # fmt: skip
HONEST = [  # what a child sends that hands over a module, calls a function of the check's, and has gradients for all
    {"answer": {"value": {"module": [7, True, LAYER]}}},
    {"question": {"question": "call", "function": 0, "args": [{"tuple": [tensor(0, 2)]}, {"dict": []}], "grad": True}},
    {"question": {"question": "backward", "graph": 1, "gradients": [tensor(0, 2, grad=False)]}},
    {"answer": {"value": tensor(0, 2), "changed": False, "refilled": [[1, {"list": [tensor(1, 1, grad=False), 3]}]],
                "state": {"mean": tensor(2, 2, grad=False)}}},
    {"answer": {"gradients": [tensor(0, 2, grad=False), tensor(1, 1, 2, grad=False), tensor(2, 1, grad=False)]}},
]  # fmt: skip
RAW = [[8, 4, 8], [8], [8], [8, 4, 8], [8, 8, 4]]


@st.composite
def conversations(draw: st.DrawFn) -> list[bytes]:
    """The frames of an honest child, in which one or two things have been made wrong."""
    messages = [{"nonce": NONCE, "printed": "", **message} for message in copy.deepcopy(HONEST)]
    for _ in range(draw(st.integers(1, 2))):
        number = draw(st.integers(0, len(messages) - 1))
        inner = next((key for key in ("answer", "question") if isinstance(messages[number].get(key), dict)), None)
        kind = draw(st.sampled_from(["mutated", "mutated", "reply", *(["part", "object"] if inner else [])]))
        if kind == "mutated":
            messages[number] = draw(mutated(messages[number], OBJECTS))
        elif kind == "reply":
            name = draw(st.sampled_from(sorted(REPLY)))
            messages[number][name] = draw(REPLY[name])
        elif kind == "part":
            name = draw(st.sampled_from(sorted(PARTS)))
            messages[number][inner][name] = draw(PARTS[name])
        else:
            messages[number][inner]["value"] = draw(OBJECTS)
    return [frame(message, [bytes(n) for n in sizes]) for message, sizes in zip(messages, RAW, strict=True)]


@pytest.fixture(scope="module")
def talk() -> Any:
    """A function that makes a student whose process has these frames ready."""
    handle = os.eventfd(0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("secrets.token_hex", lambda size: NONCE)

        def one(frames: list[bytes]) -> Student:
            process: Any = SimpleNamespace(channel=Child(list(frames)), pidfd=handle)
            student = Student(process)
            student.line.deadline = time.monotonic() + 600
            student.without = ("softmax", "getitem:x")
            for function in (lambda x: x * 2, torch.softmax, print):
                student.over.number(function)
            return student

        yield one
    os.close(handle)


def use(student: Student) -> None:
    """What a check does with an answer: look a name up, call it, read its tensors, send a gradient back."""
    thing = student.lookup("attend")
    x, several = torch.ones(2, requires_grad=True), [torch.ones(1), 2]
    if callable(thing):
        if isinstance(thing, torch.nn.Module):
            thing.load_state_dict(copy.deepcopy(thing.state_dict()))
            thing.train()
        thing = thing(x, several)
    else:
        thing = student.call(0, (x, several, {"a": 1}), {})
    if isinstance(thing, torch.Tensor) and thing.requires_grad and thing.numel():
        thing.sum().backward()


def test_an_honest_child_is_understood(talk: Callable[[list[bytes]], Student]) -> None:
    """The search begins with a whole conversation: no frame is left over, and the gradients have arrived."""
    frames = [
        frame({"nonce": NONCE, "printed": "", **message}, [bytes(n) for n in sizes])
        for message, sizes in zip(HONEST, RAW, strict=True)
    ]
    student = talk(frames)
    use(student)
    assert student.line.channel._frames == []  # type: ignore[attr-defined]


@given(frames=conversations())
@examples(250)
def test_a_hostile_child_is_refused_in_words(talk: Callable[[list[bytes]], Student], frames: list[bytes]) -> None:
    """To look up a name, call it and ask for a gradient ends in a value, or in an exception that we have words for."""
    try:
        use(talk(frames))
    except (StudentGone, WireError, ArgumentChanged, NotDefined, StudentError):
        pass
    except Exception as error:  # noqa: BLE001 only what the child has told of itself is one
        if not isinstance(getattr(error, "nbproctor_raised", None), Raised):
            raise
