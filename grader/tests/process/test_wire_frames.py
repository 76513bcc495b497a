"""Broken frames and malformed values, whether by accident or on purpose, are refused with a WireError of one line."""

import json
import socket
import struct
import time
from collections.abc import Iterator
from typing import Any

import pytest

from nbproctor.border.frames import HEADER, WireError, receive
from nbproctor.border.wire import Reader


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    here, there = socket.socketpair()
    with here, there:
        here.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        yield here, there


def framed(text: bytes, raw: bytes = b"") -> bytes:
    return HEADER.pack(len(text), len(raw)) + text + raw


BAD_FRAMES = {
    "json too long": (HEADER.pack(8388609, 0), "a frame of 8388609 + 0 bytes is over the limit"),
    "raw too long": (HEADER.pack(4, 1 << 40), f"a frame of 4 + {1 << 40} bytes is over the limit"),
    "not json": (framed(b"verdict: passed"), "a frame that is not a message (JSONDecodeError)"),
    "a number": (framed(b"5"), "a frame that is not a message (TypeError)"),
    "deep": (framed(b"[" * 100_000), "a frame that is not a message (RecursionError)"),
    "negative size": (framed(b"[1, [-1, 1]]"), "a frame with impossible buffer sizes"),
    "true size": (framed(b"[1, [true]]", b"x"), "a frame with impossible buffer sizes"),
    "too many": (framed(json.dumps([1, [0] * 10_001]).encode()), "a frame with impossible buffer sizes"),
    "wrong sum": (framed(b"[1, [3]]", b"four"), "a frame of 4 raw bytes that announces 3"),
    "two at once": (framed(b"[1, []]") + framed(b"[2, []]"), "an answer that was not asked for"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_FRAMES)
def test_a_bad_frame_is_a_wire_error(name: str, pair: tuple[socket.socket, socket.socket]) -> None:
    data, message = BAD_FRAMES[name]
    pair[0].sendall(data)
    with pytest.raises(WireError) as broken:
        receive(pair[1], time.monotonic() + 60)
    assert str(broken.value) == message


def test_a_frame_that_stops_is_a_timeout_and_one_that_closes_an_end(pair: tuple[socket.socket, socket.socket]) -> None:
    pair[0].sendall(HEADER.pack(100, 0) + b"[")
    with pytest.raises(TimeoutError):
        receive(pair[1], time.monotonic() + 0.05)
    pair[0].close()
    with pytest.raises(EOFError):
        receive(pair[1], time.monotonic() + 60)


def test_a_deadline_that_has_passed_reads_nothing(pair: tuple[socket.socket, socket.socket]) -> None:
    pair[0].sendall(framed(b"[1, []]"))
    with pytest.raises(TimeoutError):
        receive(pair[1], time.monotonic() - 1)


def test_half_a_character_is_replaced(pair: tuple[socket.socket, socket.socket]) -> None:
    pair[0].sendall(framed(json.dumps([{"printed": "a\ud800b 🙂", "n": [1.5, None]}, []]).encode()))
    assert receive(pair[1], time.monotonic() + 60)[0] == {"printed": "a?b 🙂", "n": [1.5, None]}


MALFORMED: list[tuple[Any, list[bytes], str]] = [
    ([], [], "a malformed value"),
    ({"pickle": "80"}, [], "a value of unknown kind pickle"),
    ({"dict": [[{"list": []}, 1]]}, [], "a malformed dict (TypeError)"),
    ({"list": 5}, [], "a malformed list (TypeError)"),
    ({"dtype": "object"}, [], "a malformed dtype (KeyError)"),
    ({"device": "moon"}, [], "a malformed device (RuntimeError)"),
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
    ({"numpy": [0, "bfloat16", [1], None, False], "scalar": False}, [b"12"], "a malformed numpy (TypeError)"),
]


@pytest.mark.parametrize(
    ("data", "raw", "message"), MALFORMED, ids=lambda part: json.dumps(part)[:40] if isinstance(part, dict) else ""
)
def test_a_malformed_value_is_a_wire_error(data: Any, raw: list[bytes], message: str) -> None:
    with pytest.raises(WireError) as broken:
        Reader([bytearray(part) for part in raw]).value(data)
    assert str(broken.value) == message


def test_strides_cannot_make_a_small_tensor_large() -> None:
    raw = bytearray(struct.pack("4f", 1, 2, 3, 4))
    tensor = Reader([raw]).value({"tensor": [0, "float32", [4], [1 << 40], False]})
    assert tensor.tolist() == [1, 2, 3, 4]
    assert tensor.untyped_storage().nbytes() == 16


def test_more_objects_than_any_answer_has_are_not_made() -> None:
    """Eight megabytes of them would take 1.5 GB, and twenty seconds during which no deadline is checked."""
    with pytest.raises(WireError, match=r"^more than 10000 objects, or parts and tensors of modules$"):
        Reader([]).value({"list": [{"opaque": "a"}] * 10_001})
