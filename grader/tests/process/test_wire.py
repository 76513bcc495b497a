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
from nbproctor.border.wire import Reader, WireError, Writer


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


DTYPES = "float64 float32 float16 bfloat16 int64 int32 int16 int8 uint8 bool complex64 complex128".split()


@pytest.mark.parametrize("name", DTYPES)
def test_a_tensor_of_each_dtype_crosses(name: str) -> None:
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
    "transposed": BASE.T,
    "stepped": BASE[::2, 1::2],
    "expanded": BASE[:1].expand(5, 6),
    "windows that overlap": torch.arange(10.0).unfold(0, 4, 1),
    "flipped by a negative bit": torch.tensor([1 + 2j, 3 - 4j]).conj().imag,
    "conjugated": torch.tensor([1 + 2j, 3 - 4j]).conj(),
    "nan and inf": torch.tensor([float("nan"), float("inf"), -float("inf"), -0.0]),
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_tensor_of_each_layout_crosses(name: str) -> None:
    tensor = SHAPES[name]
    arrived = crossed(tensor)
    assert arrived.shape == tensor.shape
    assert arrived.dtype == tensor.dtype
    torch.testing.assert_close(arrived, tensor.resolve_conj().resolve_neg(), rtol=0, atol=0, equal_nan=True)
    assert not arrived.is_conj() and not arrived.is_neg()


@pytest.mark.parametrize("name", ["transposed", "windows that overlap"])
def test_what_cannot_be_viewed_there_cannot_be_viewed_here(name: str) -> None:
    for one in (SHAPES[name], crossed(SHAPES[name])):
        with pytest.raises(RuntimeError, match="view size is not compatible"):
            one.view(-1)


def test_whether_a_tensor_needs_a_gradient_crosses() -> None:
    leaf = torch.nn.Parameter(torch.ones(2))
    arrived = crossed([leaf, 2 * leaf, torch.ones(2)])
    assert [tensor.requires_grad for tensor in arrived] == [True, True, False]
    assert all(type(tensor) is torch.Tensor and tensor.is_leaf for tensor in arrived)


def test_one_tensor_in_two_places_stays_one() -> None:
    one, same = torch.ones(2), torch.ones(2)
    arrived = crossed([one, {"again": (one, same)}])
    assert arrived[0] is arrived[1]["again"][0]
    assert arrived[0] is not arrived[1]["again"][1]


PLAIN = [
    None, True, -(1 << 80), float("inf"), float("nan"), "naïve ∑ 🙂 \0", (), [1, (2, [3])], {1, 2}, {np.int64(3)},
    {"a": 1, 2: "b", (1, 2): None, 1.5: [True]}, torch.Size([2, 3]), torch.float32, torch.device("cpu"),
]  # fmt: skip


@pytest.mark.parametrize("value", PLAIN, ids=repr)
def test_plain_data_crosses(value: Any) -> None:
    arrived = crossed(value)
    assert type(arrived) is type(value)
    assert repr(arrived) == repr(value)


@pytest.mark.parametrize(
    "array", [np.arange(6.0).reshape(2, 3).T, np.array([True]), np.array(3), np.float32(1.5), np.int64(7)], ids=repr
)
def test_numpy_crosses(array: Any) -> None:
    arrived = crossed(array)
    assert isinstance(arrived, np.ndarray) == isinstance(array, np.ndarray)
    assert arrived.dtype == array.dtype
    assert np.array_equal(arrived, array)


def test_what_extends_plain_data_arrives_as_plain_data() -> None:
    """Counters, named tuples, frozen sets and string enumerations, whose members are printed differently."""
    point, fate = collections.namedtuple("Point", "x y")(1, 2), Enum("Fate", {"LEARNS": "learns"}, type=str).LEARNS
    arrived = crossed([collections.Counter("aab"), point, frozenset({1}), fate])
    assert arrived == [{"a": 2, "b": 1}, (1, 2), {1}, "learns"]
    assert [type(value) for value in arrived] == [dict, tuple, set, str]


class Sub(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return True


def test_a_tensor_of_any_class_arrives_as_a_plain_tensor() -> None:
    arrived = crossed(Sub(torch.arange(2.0)))
    assert type(arrived) is torch.Tensor and torch.equal(arrived, torch.arange(2.0))


ODD = ": expected an ordinary tensor on the CPU"
RING: list[Any] = []
RING.append(RING)
REFUSED = {
    "sparse": (lambda: torch.eye(3).to_sparse(), "a torch.sparse_coo tensor on cpu" + ODD),
    "meta": (lambda: torch.empty(3, device="meta"), "a torch.strided tensor on meta" + ODD),
    "nested": (lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]), "a nested tensor on cpu" + ODD),
    "quantised": (
        lambda: torch.ops.aten.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8),
        "a quantized tensor on cpu" + ODD,
    ),
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
    "long list": (lambda: [0] * 100_001, "a list of 100001 entries"),
    "ring": (lambda: RING, "a value nested more than 50 deep"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*quantize.*|.*torch.ao.*|.*ComplexHalf.*|.*nested tensors.*")
@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_cross_is_refused_by_name(name: str) -> None:
    make, message = REFUSED[name]
    with pytest.raises(WireError) as refused:
        Writer().value(make())
    assert str(refused.value) == message


def test_more_than_a_frame_holds_is_refused_before_it_is_sent() -> None:
    """The message says how large they are together."""
    writer = Writer()
    writer.value([torch.zeros(8_000_000) for _ in range(3)])
    with pytest.raises(WireError, match=r"^the result is too large: 91 MB in 3 tensors, and 0 kB of other values"):
        frame(None, writer.buffers)
    with pytest.raises(WireError, match=r"0 MB in 0 tensors, and 9,\d\d\d kB of other values"):
        frame(["x" * 1000] * 10_000, [])
