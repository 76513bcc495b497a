"""The wire between examiner and student: which values cross it whole, and which are refused by name."""

import collections
import socket
import time
from enum import Enum
from typing import Any

import numpy as np
import pytest
import torch

from nbproctor.border.frames import frame, receive
from nbproctor.border.wire import Opaque, Reader, WireError, Writer


def crossed(value: Any) -> Any:
    """The value as it arrives after it was sent over a socket as bytes."""
    here, there = socket.socketpair()
    with here, there:
        here.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)
        writer = Writer()
        header = writer.value(value)
        here.sendall(frame(header, writer.buffers))
        header, buffers = receive(there, time.monotonic() + 60)
    return Reader(buffers).value(header)


# --- what crosses -----------------------------------------------------------------------------------------------------


DTYPES = "float64 float32 float16 bfloat16 int64 int32 int16 int8 uint8 bool complex64 complex128".split()


@pytest.mark.parametrize("name", DTYPES)
def test_a_tensor_of_each_dtype_crosses(name: str) -> None:
    """A tensor of each dtype arrives with its numbers, shape and dtype, as a plain tensor."""
    dtype = getattr(torch, name)
    tensor = (torch.randn(2, 3, 5) * 3).to(dtype)
    arrived = crossed(tensor)
    assert type(arrived) is torch.Tensor
    assert arrived.dtype == dtype
    assert torch.equal(arrived, tensor)


BASE = torch.randn(4, 6)
SHAPES = {
    "0-d": torch.tensor(3.5),
    "empty": torch.empty(0),
    "empty in the middle": torch.empty(2, 0, 3),
    "transposed": BASE.T,
    "stepped": BASE[::2, 1::2],
    "a column": BASE[:, 2],
    "expanded": BASE[:1].expand(5, 6),
    "expanded from one number": torch.tensor(2.0).expand(3, 4),
    "windows that overlap": torch.arange(10.0).unfold(0, 4, 1),
    "a diagonal": BASE.diagonal(),
    "flipped by a negative bit": torch.tensor([1 + 2j, 3 - 4j]).conj().imag,
    "conjugated": torch.tensor([1 + 2j, 3 - 4j]).conj(),
    "nan and inf": torch.tensor([float("nan"), float("inf"), -float("inf"), -0.0]),
    "bfloat16, transposed": BASE.bfloat16().T,
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_tensor_of_each_layout_crosses(name: str) -> None:
    """The numbers of a tensor arrive bit by bit, however they lay in memory."""
    tensor = SHAPES[name]
    arrived = crossed(tensor)
    assert arrived.shape == tensor.shape
    assert arrived.dtype == tensor.dtype
    torch.testing.assert_close(arrived, tensor.resolve_conj().resolve_neg(), rtol=0, atol=0, equal_nan=True)
    assert not arrived.is_conj()
    assert not arrived.is_neg()


@pytest.mark.parametrize("name", ["transposed", "stepped", "expanded", "windows that overlap"])
def test_what_cannot_be_viewed_there_cannot_be_viewed_here(name: str) -> None:
    """A tensor that `view(-1)` refuses because of its layout is refused after the journey, too."""
    with pytest.raises(RuntimeError, match="view size is not compatible"):
        SHAPES[name].view(-1)
    with pytest.raises(RuntimeError, match="view size is not compatible"):
        crossed(SHAPES[name]).view(-1)


def test_whether_a_tensor_needs_a_gradient_crosses() -> None:
    """`requires_grad` arrives; a parameter arrives as a plain tensor, and as a leaf."""
    arrived = crossed(
        [torch.nn.Parameter(torch.ones(2)), torch.ones(2) * torch.ones(2, requires_grad=True), torch.ones(2)]
    )
    assert [tensor.requires_grad for tensor in arrived] == [True, True, False]
    assert all(type(tensor) is torch.Tensor and tensor.is_leaf for tensor in arrived)


def test_one_tensor_in_two_places_stays_one() -> None:
    """One tensor in two places arrives as one, and two equal tensors arrive as two."""
    one, same = torch.ones(2), torch.ones(2)
    arrived = crossed([one, {"again": (one, same)}])
    assert arrived[0] is arrived[1]["again"][0]
    assert arrived[0] is not arrived[1]["again"][1]


PLAIN = [
    None, True, 0, -(1 << 80), 1.5, float("inf"), float("nan"), "", "naïve ∑ 🙂 \0", [], (), {}, set(), [1, (2, [3])],
    {"a": 1, 2: "b", (1, 2): None, 1.5: [True]}, {1, 2}, {np.int64(3)}, torch.Size([2, 3]), torch.float32,
    torch.device("cpu"),
]  # fmt: skip


@pytest.mark.parametrize("value", PLAIN, ids=repr)
def test_plain_data_crosses(value: Any) -> None:
    """Values of Python's and torch's own types arrive equal and of the same type."""
    arrived = crossed(value)
    assert type(arrived) is type(value)
    assert repr(arrived) == repr(value)


@pytest.mark.parametrize(
    "array", [np.arange(6.0).reshape(2, 3).T, np.array([True]), np.array(3), np.float32(1.5), np.int64(7)], ids=repr
)
def test_numpy_crosses(array: Any) -> None:
    """Arrays and scalars of numpy arrive as such, with their dtype and shape."""
    arrived = crossed(array)
    assert isinstance(arrived, np.ndarray) == isinstance(array, np.ndarray)
    assert arrived.dtype == array.dtype
    assert np.array_equal(arrived, array)


def test_what_extends_plain_data_arrives_as_plain_data() -> None:
    """Counters, named tuples, frozen sets and the like arrive as plain dicts, tuples and sets with the same content.

    A member of a string enumeration arrives as its string, although it is printed differently.
    """
    Point = collections.namedtuple("Point", "x y")
    given = [
        collections.Counter("aab"),
        Point(1, 2),
        frozenset({1}),
        collections.OrderedDict(a=1),
        type("Text", (str,), {})("t"),
        Enum("Fate", {"LEARNS": "learns"}, type=str).LEARNS,
    ]
    arrived = crossed(given)
    assert arrived == [{"a": 2, "b": 1}, (1, 2), {1}, {"a": 1}, "t", "learns"]
    assert [type(value) for value in arrived] == [dict, tuple, set, dict, str, str]


class Equal:
    """An object that is equal to everything."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


class Liar:
    """An object that says it is a tensor."""

    @property
    def __class__(self) -> type:  # type: ignore[override]
        return torch.Tensor


class Sub(torch.Tensor):
    """A tensor that answers every operation itself."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return True


def test_a_tensor_of_any_class_arrives_as_a_plain_tensor() -> None:
    """Of a tensor's class nothing arrives, not even where it answers every operation itself: only its numbers do."""
    arrived = crossed(Sub(torch.arange(2.0)))
    assert type(arrived) is torch.Tensor and torch.equal(arrived, torch.arange(2.0))


@pytest.mark.parametrize("made", [Equal(), Liar(), object(), iter([])], ids=lambda v: type(v).__name__)
def test_an_object_arrives_as_its_types_name(made: Any) -> None:
    """Of an object that is not plain data only its type's name arrives, in an object that equals only itself."""
    arrived = crossed(made)
    assert isinstance(arrived, Opaque)
    assert type(arrived).__name__ == type(made).__name__
    assert arrived != crossed(made)
    assert not hasattr(arrived, "shape")


# --- what is refused --------------------------------------------------------------------------------------------------

ODD = ": expected an ordinary tensor on the CPU"
RING: list[Any] = []
RING.append(RING)
REFUSED = {
    "sparse": (lambda: torch.eye(3).to_sparse(), "a torch.sparse_coo tensor on cpu" + ODD),
    "meta": (lambda: torch.empty(3, device="meta"), "a torch.strided tensor on meta" + ODD),
    "quantised": (
        lambda: torch.ops.aten.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8),
        "a quantized tensor on cpu" + ODD,
    ),
    "nested": (lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]), "a nested tensor on cpu" + ODD),
    "complex32": (
        lambda: torch.empty(2, dtype=torch.complex32),
        "a tensor of dtype torch.complex32, which does not cross",
    ),
    "float8 itself": (lambda: torch.float8_e5m2, "torch.float8_e5m2, which does not cross"),
    "expanded": (
        lambda: torch.zeros(1).expand(10**6, 10**6),
        "the result is too large: a tensor of shape (1000000, 1000000) has more than 32 MB",
    ),
    "integer": (lambda: 1 << 4096, "an integer of more than 4096 bits"),
    "negative integer": (lambda: -(1 << 4097), "an integer of more than 4096 bits"),
    "long list": (lambda: [0] * 100_001, "a list of 100001 entries"),
    "long dict": (lambda: dict.fromkeys(range(100_001)), "a dict of 100001 entries"),
    "ring": (lambda: RING, "a value nested more than 50 deep"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*quantize.*|.*torch.ao.*|.*ComplexHalf.*|.*nested tensors.*")
@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_cross_is_refused_by_name(name: str) -> None:
    """A value that cannot cross is refused with a message that says what it is and, where there is one, the limit."""
    make, message = REFUSED[name]
    with pytest.raises(WireError) as refused:
        Writer().value(make())
    assert str(refused.value) == message


def test_more_than_a_frame_holds_is_refused_before_it_is_sent() -> None:
    """Values that are small enough one by one, but together more than a frame holds, are refused before they are sent.

    The message says how large they are together.
    """
    writer = Writer()
    writer.value([torch.zeros(8_000_000) for _ in range(3)])
    with pytest.raises(WireError, match=r"^the result is too large: 91 MB in 3 tensors, and 0 kB of other values"):
        frame(None, writer.buffers)
    with pytest.raises(
        WireError, match=r"^the result is too large: 0 MB in 0 tensors, and 9,\d\d\d kB of other values"
    ):
        frame(["x" * 1000] * 10_000, [])
