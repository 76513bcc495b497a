"""The wire: values that cross whole, values that are refused by name, and frames that are none."""

from __future__ import annotations

import collections
import json
import random
import socket
import struct
import time
import tracemalloc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

from nbproctor import student, wire
from nbproctor.wire import HEADER, Opaque, Reader, WireError, Writer, frame, receive


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    here, there = socket.socketpair()
    with here, there:
        here.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        yield here, there


def crossed(value: Any) -> Any:
    """The value after a journey as bytes."""
    here, there = socket.socketpair()
    with here, there:
        here.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)
        writer = Writer()
        header = writer.value(value)
        here.sendall(frame(header, writer.buffers))
        header, buffers = receive(there, time.monotonic() + 60)
    return Reader(buffers).value(header)


# --- what crosses -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", list(wire.DTYPES.values()), ids=str)
def test_a_tensor_of_each_dtype_crosses(dtype: torch.dtype) -> None:
    """Numbers, shape, dtype and the type itself arrive as they were."""
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
    """The numbers arrive, bit by bit, whatever memory they lay in."""
    tensor = SHAPES[name]
    arrived = crossed(tensor)
    assert arrived.shape == tensor.shape
    assert arrived.dtype == tensor.dtype
    torch.testing.assert_close(arrived, tensor.resolve_conj().resolve_neg(), rtol=0, atol=0, equal_nan=True)
    assert not arrived.is_conj()
    assert not arrived.is_neg()


@pytest.mark.parametrize("name", ["transposed", "stepped", "expanded", "windows that overlap"])
def test_what_cannot_be_viewed_there_cannot_be_viewed_here(name: str) -> None:
    """A layout that `view(-1)` refuses is refused after the journey, too."""
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
    """Identity is kept, and equal tensors that are two stay two."""
    one, same = torch.ones(2), torch.ones(2)
    arrived = crossed([one, {"again": (one, same)}])
    assert arrived[0] is arrived[1]["again"][0]
    assert arrived[0] is not arrived[1]["again"][1]


PLAIN = [
    None, True, 0, -(1 << 80), 1.5, float("inf"), "", "naïve ∑ 🙂 \0", [], (), {}, set(), [1, (2, [3])],
    {"a": 1, 2: "b", (1, 2): None, 1.5: [True]}, {1, 2}, torch.Size([2, 3]), torch.float32, torch.device("cpu"),
]  # fmt: skip


@pytest.mark.parametrize("value", PLAIN, ids=repr)
def test_plain_data_crosses(value: Any) -> None:
    """Values of Python's and torch's own types arrive equal and of the same type."""
    arrived = crossed(value)
    assert type(arrived) is type(value)
    assert arrived == value


def test_nan_crosses() -> None:
    """A float that is no number is one that is no number over there."""
    assert str(crossed(float("nan"))) == "nan"


@pytest.mark.parametrize(
    "array", [np.arange(6.0).reshape(2, 3).T, np.array([True]), np.array(3), np.float32(1.5), np.int64(7)], ids=repr
)
def test_numpy_crosses(array: Any) -> None:
    """Arrays and scalars of numpy arrive as numpy's, with their dtype and shape."""
    arrived = crossed(array)
    assert isinstance(arrived, np.ndarray) == isinstance(array, np.ndarray)
    assert arrived.dtype == array.dtype
    assert np.array_equal(arrived, array)


def test_what_extends_plain_data_arrives_as_plain_data() -> None:
    """Counters, named tuples, enumerations of integers and frozen sets lose their class and keep what they hold."""
    Point = collections.namedtuple("Point", "x y")
    given = [
        collections.Counter("aab"),
        Point(1, 2),
        frozenset({1}),
        collections.OrderedDict(a=1),
        type("Text", (str,), {})("t"),
    ]
    arrived = crossed(given)
    assert arrived == [{"a": 2, "b": 1}, (1, 2), {1}, {"a": 1}, "t"]
    assert [type(value) for value in arrived] == [dict, tuple, set, dict, str]


class Equal:
    """Equal to everything."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


class Liar:
    """Says that it is a tensor."""

    @property
    def __class__(self) -> type:  # type: ignore[override]
        return torch.Tensor


class Sub(torch.Tensor):
    """A tensor that has a say in every operation."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return True


@pytest.mark.parametrize(
    "made", [Equal(), Liar(), Sub(torch.ones(2)), object(), iter([]), 1 + 2j, b"bytes"], ids=lambda v: type(v).__name__
)
def test_an_object_arrives_as_its_types_name(made: Any) -> None:
    """Of what is not data nothing crosses but the name; the thing that arrives is equal to itself alone."""
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
        "a torch.strided tensor on cpu" + ODD,
    ),
    "complex32": (
        lambda: torch.empty(2, dtype=torch.complex32),
        "a tensor of dtype torch.complex32, which does not cross",
    ),
    "expanded": (
        lambda: torch.zeros(1).expand(10**6, 10**6),
        "a tensor of shape (1000000, 1000000), larger than 32 MB",
    ),
    "integer": (lambda: 1 << 4096, "an integer of more than 4096 bits"),
    "negative integer": (lambda: -(1 << 4097), "an integer of more than 4096 bits"),
    "long list": (lambda: [0] * 100_001, "a list of 100001 entries"),
    "long dict": (lambda: dict.fromkeys(range(100_001)), "a dict of 100001 entries"),
    "ring": (lambda: RING, "a value nested more than 50 deep"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*quantize.*|.*torch.ao.*|.*ComplexHalf.*")
@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_cross_is_refused_by_name(name: str) -> None:
    """The message says what it is and, where there is one, the limit."""
    make, message = REFUSED[name]
    with pytest.raises(WireError) as refused:
        Writer().value(make())
    assert str(refused.value) == message


def test_more_than_a_frame_holds_is_refused_before_it_is_sent() -> None:
    """Each value is small enough; the sender says how much they are together."""
    writer = Writer()
    writer.value([torch.zeros(8_000_000) for _ in range(3)])
    with pytest.raises(WireError, match=r"^0 kB of plain values and 93750 kB in 3 tensors$"):
        frame(None, writer.buffers)
    with pytest.raises(WireError, match=r"^9\d\d\d kB of plain values and 0 kB in 0 tensors$"):
        frame(["x" * 1000] * 10_000, [])


# --- frames that are none ---------------------------------------------------------------------------------------------


def framed(text: bytes, raw: bytes = b"") -> bytes:
    return HEADER.pack(len(text), len(raw)) + text + raw


BAD_FRAMES = {
    "json too long": (HEADER.pack(8388609, 0), "a frame of 8388609 + 0 bytes is over the limit"),
    "raw too long": (HEADER.pack(4, 1 << 40), f"a frame of 4 + {1 << 40} bytes is over the limit"),
    "no json": (framed(b"\xff\xfe no"), "a frame that is not a message (UnicodeDecodeError)"),
    "not json": (framed(b"verdict: passed"), "a frame that is not a message (JSONDecodeError)"),
    "a number": (framed(b"5"), "a frame that is not a message (TypeError)"),
    "three parts": (framed(b"[1, [], []]"), "a frame that is not a message (ValueError)"),
    "deep": (framed(b"[" * 100_000), "a frame that is not a message (RecursionError)"),
    "long number": (framed(b"[" + b"9" * 100_000 + b", []]"), "a frame that is not a message (ValueError)"),
    "no sizes": (framed(b'[1, "ab"]'), "a frame with impossible buffer sizes"),
    "negative size": (framed(b"[1, [-1, 1]]"), "a frame with impossible buffer sizes"),
    "fractional size": (framed(b"[1, [0.0]]"), "a frame with impossible buffer sizes"),
    "true size": (framed(b"[1, [true]]", b"x"), "a frame with impossible buffer sizes"),
    "too many": (framed(json.dumps([1, [0] * 10_001]).encode()), "a frame with impossible buffer sizes"),
    "wrong sum": (framed(b"[1, [3]]", b"four"), "a frame of 4 raw bytes that announces 3"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_FRAMES)
def test_a_bad_frame_is_a_wire_error(name: str, pair: tuple[socket.socket, socket.socket]) -> None:
    """Each way to break the framing has its sentence."""
    data, message = BAD_FRAMES[name]
    pair[0].sendall(data)
    with pytest.raises(WireError) as broken:
        receive(pair[1], time.monotonic() + 60)
    assert str(broken.value) == message


def test_nothing_is_allocated_for_a_frame_over_the_limit(pair: tuple[socket.socket, socket.socket]) -> None:
    """The announced sizes are judged before a byte is set aside for them."""
    pair[0].sendall(HEADER.pack(1 << 31, 1 << 62))
    tracemalloc.start()
    with pytest.raises(WireError):
        receive(pair[1], time.monotonic() + 60)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20


def test_a_frame_that_stops_is_a_timeout_and_one_that_closes_an_end(pair: tuple[socket.socket, socket.socket]) -> None:
    """Half a frame and silence run into the deadline; half a frame and a closed channel are an EOFError."""
    pair[0].sendall(HEADER.pack(100, 0) + b"[")
    with pytest.raises(TimeoutError):
        receive(pair[1], time.monotonic() + 0.05)
    pair[0].close()
    with pytest.raises(EOFError):
        receive(pair[1], time.monotonic() + 60)


def test_a_deadline_that_has_passed_reads_nothing(pair: tuple[socket.socket, socket.socket]) -> None:
    """A frame that is there already does not count once the time is up."""
    pair[0].sendall(framed(b"[1, []]"))
    with pytest.raises(TimeoutError):
        receive(pair[1], time.monotonic() - 1)


def test_half_a_character_is_replaced(pair: tuple[socket.socket, socket.socket]) -> None:
    """A lone surrogate, which no file could hold, arrives as a question mark; whole characters stay."""
    pair[0].sendall(framed(json.dumps([{"printed": "a\ud800b 🙂", "n": [1.5, None]}, []]).encode()))
    assert receive(pair[1], time.monotonic() + 60)[0] == {"printed": "a?b 🙂", "n": [1.5, None]}


MALFORMED: list[tuple[Any, list[bytes], str]] = [
    ([], [], "a value that is none"),
    ({}, [], "a value that is none"),
    ({"pickle": "80"}, [], "a value of unknown kind pickle"),
    ({"pickled": 0}, [], "a value of unknown kind pickled"),
    ({"object": 0}, [], "a value of unknown kind object"),
    ({"module": [0, True, []]}, [], "a value of unknown kind module"),
    ({"dict": [[{"list": []}, 1]]}, [], "a malformed dict (TypeError)"),
    ({"dict": [1]}, [], "a malformed dict (TypeError)"),
    ({"list": 5}, [], "a malformed list (TypeError)"),
    ({"size": [1.5]}, [], "a malformed size (TypeError)"),
    ({"dtype": "object"}, [], "a malformed dtype (KeyError)"),
    ({"dtype": []}, [], "a malformed dtype (TypeError)"),
    ({"device": "moon"}, [], "a malformed device (RuntimeError)"),
    ({"opaque": "a\0b"}, [], "a malformed opaque (ValueError)"),
    ({"tensor": 0}, [], "a malformed tensor (IndexError)"),
    ({"tensor": None}, [], "a malformed tensor (TypeError)"),
    ({"tensor": [0, "float32", [2], None, False]}, [], "a malformed tensor (IndexError)"),
    ({"tensor": [0, "float33", [2], None, False]}, [b"12345678"], "a malformed tensor (KeyError)"),
    ({"tensor": [0, "float32", [3], None, False]}, [b"12345678"], "a tensor of shape [3] in 8 bytes"),
    ({"tensor": [0, "float32", [-1, -2], None, False]}, [b"12345678"], "a tensor of impossible shape"),
    ({"tensor": [0, "float32", [True, 2], None, False]}, [b"12345678"], "a tensor of impossible shape"),
    ({"tensor": [0, "float32", [1] * 65, None, False]}, [b"1234"], "a tensor of impossible shape"),
    ({"tensor": [1, "float32", [2], None, False]}, [b"", b"12345678"], "a tensor of impossible shape"),
    ({"tensor": [0, "float32", [1 << 70, 0], None, False]}, [b""], "a malformed tensor (TypeError)"),
    ({"tensor": [0, "int64", [1], None, True]}, [b"12345678"], "a malformed tensor (RuntimeError)"),
    ({"tensor": [0, "float32", [2], [1, 1], False]}, [b"12345678"], "a malformed tensor (IndexError)"),
    ({"tensor": [0, "float32", [2], [-1], False]}, [b"12345678"], "a malformed tensor (RuntimeError)"),
    ({"tensor": [0, "float32", [2], ["one"], False]}, [b"12345678"], "a malformed tensor (TypeError)"),
    ({"numpy": [0, "bfloat16", [1], None, False], "scalar": False}, [b"12"], "a malformed numpy (TypeError)"),
    ({"numpy": [0, "float32", [1], None, False]}, [b"1234"], "a malformed numpy (KeyError)"),
    ({"numpy": [0, "float32", [], None, False], "scalar": True}, [b"1234"], "a malformed numpy (IndexError)"),
]


@pytest.mark.parametrize(
    ("data", "raw", "message"), MALFORMED, ids=lambda part: json.dumps(part)[:40] if isinstance(part, dict) else ""
)
def test_a_malformed_value_is_a_wire_error(data: Any, raw: list[bytes], message: str) -> None:
    """What describes no value is refused in one line, and no other exception comes out."""
    with pytest.raises(WireError) as broken:
        Reader([bytearray(part) for part in raw]).value(data)
    assert str(broken.value) == message


def test_strides_cannot_make_a_small_tensor_large() -> None:
    """A step so wide that memory would be many times the numbers is not followed."""
    raw = bytearray(struct.pack("4f", 1, 2, 3, 4))
    tensor = Reader([raw]).value({"tensor": [0, "float32", [4], [1 << 40], False]})
    assert tensor.tolist() == [1, 2, 3, 4]
    assert tensor.untyped_storage().nbytes() == 16


def test_a_deep_value_is_a_wire_error() -> None:
    """A description nested deeper than Python goes ends in one line."""
    data: Any = 1
    for _ in range(2_000):
        data = {"list": [data]}
    with pytest.raises(WireError, match=r"^a malformed list \(RecursionError\)$"):
        Reader([]).value(data)


def test_a_corrupted_frame_is_a_wire_error_or_a_value() -> None:
    """3,000 frames with bytes changed, cut, doubled or swapped: each is read, refused, late or ended, and no more."""
    dice = random.Random(4711)  # noqa: S311 the same frames each time
    writer = Writer()
    tensor = torch.randn(3, 4)
    values = [
        {"a": (tensor, tensor.T, 1.5, "text", None), "b": [torch.float32, torch.Size([2]), np.float64(2)]},
        {1, 2},
    ]
    good = frame({"value": writer.value(values), "printed": ""}, writer.buffers)
    outcomes = collections.Counter()
    for _ in range(3_000):
        bad = bytearray(good)
        for _ in range(dice.randint(1, 4)):
            place, way = dice.randrange(len(bad)), dice.randrange(5)
            if way == 0:
                bad[place] = dice.randrange(256)
            elif way == 1:
                del bad[place : place + dice.randint(1, 20)]
            elif way == 2:
                bad[place:place] = bad[place : place + dice.randint(1, 20)]
            elif way == 3:
                bad[place] = dice.choice(b'0123456789[]{},:"tfn-.e')
            else:
                other = dice.randrange(len(bad))
                bad[place], bad[other] = bad[other], bad[place]
            bad = bad or bytearray(1)
        here, there = socket.socketpair()
        with here, there:
            here.sendall(bad)
            here.close()
            try:
                header, buffers = receive(there, time.monotonic() + 60)
                Reader(buffers).value(header["value"] if isinstance(header, dict) and "value" in header else header)
                outcomes["read"] += 1
            except (WireError, EOFError) as error:
                outcomes[type(error).__name__] += 1
    assert outcomes.total() == 3_000
    assert min(outcomes["read"], outcomes["WireError"], outcomes["EOFError"]) > 50, outcomes


def test_nan_is_no_change() -> None:
    """`differ` sees a changed number, shape and dtype, and takes NaN for itself."""
    nan = torch.tensor([float("nan"), 1.0])
    assert not student.differ(nan, nan.clone())
    assert student.differ(nan, torch.tensor([0.0, 1.0]))
    assert student.differ(nan, torch.tensor([float("nan"), 2.0]))
    assert student.differ(torch.ones(2), torch.ones(2, 1))
    assert student.differ(torch.ones(2), torch.ones(2).double())
