"""Frames: everything that crosses the wall is JSON with raw bytes behind it.

A frame is `json_bytes u32 · raw_bytes u64 · JSON · raw bytes`. The JSON is a list of the header and the sizes of the
parts into which the raw bytes fall: tensors (`wire`), or files. What the header says is in `messages`.
"""

import itertools
import json
import socket
import struct
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

HEADER = struct.Struct(">IQ")
CHUNK_BYTES = 1 << 16


class WireError(Exception):
    """A frame that breaks the protocol, or a value too large or too odd to cross; the message says which."""


class Most(NamedTuple):
    """The largest frame that is taken: bytes of JSON, raw bytes, and parts."""

    json_bytes: int = 8 << 20
    raw_bytes: int = 64 << 20
    parts: int = 10_000


MOST = Most()
ANY_SIZE = Most(96 << 20, 1 << 40, 1 << 20)  # from us


class Frame(NamedTuple):
    """One message as it came, before it is decoded. has_more: whether bytes of another message came with it."""

    text: bytes
    raw: memoryview
    has_more: bool


def send(end: socket.socket, header: Any, parts: Sequence[bytes] = ()) -> None:
    """Send a message of any size. What is no JSON in its header is sent as its `repr`."""
    end.sendall(_head(header, parts))
    for part in parts:
        end.sendall(part)


def frame(header: Any, parts: Sequence[bytes]) -> bytes:
    """One message as bytes. Raises WireError where it is larger than MOST."""
    head, raw_bytes = _head(header, parts), sum(map(len, parts))
    text_bytes = len(head) - HEADER.size
    if text_bytes > MOST.json_bytes or raw_bytes > MOST.raw_bytes or len(parts) > MOST.parts:
        found = f"{raw_bytes >> 20} MB in {len(parts):,} tensors, and {text_bytes >> 10:,} kB of other values"
        raise WireError(f"the result is too large: {found}. Can it be done with smaller tensors, and fewer values?")
    return b"".join((head, *parts))


def _plain(value: Any) -> Any:
    """What is sent for a value that is no JSON: a struct within a message, or an object of the student's."""
    return msgspec.structs.asdict(value) if isinstance(value, msgspec.Struct) else repr(value)


_encoded = json.JSONEncoder(default=_plain).encode


def _head(header: Any, parts: Sequence[bytes]) -> bytes:
    sizes = [len(part) for part in parts]
    text = _encoded([header, sizes]).encode()
    return HEADER.pack(len(text), sum(sizes)) + text


def receive(channel: socket.socket, deadline: float | None = None, most: Most = MOST) -> tuple[Any, list[bytearray]]:
    """Read one message: its header and its parts. Raises what `receive_frame` and `opened` raise."""
    return opened(receive_frame(channel, deadline, most), most)


def receive_frame(channel: socket.socket, deadline: float | None = None, most: Most = MOST) -> Frame:
    """Read one frame, at the latest by `deadline` (`time.monotonic()` seconds).

    Raises TimeoutError, EOFError where the other side has closed, WireError where it is too large.
    """
    data = _until(channel, bytearray(), HEADER.size, deadline)
    json_bytes, raw_bytes = HEADER.unpack_from(data)
    if json_bytes > most.json_bytes or raw_bytes > most.raw_bytes:
        raise WireError(f"a frame of {json_bytes} + {raw_bytes} bytes is over the limit")
    start = HEADER.size + json_bytes
    end = start + raw_bytes
    data = _until(channel, data, end, deadline)
    return Frame(bytes(data[HEADER.size : start]), memoryview(data)[start:end], len(data) > end)


def opened(frame: Frame, most: Most = MOST) -> tuple[Any, list[bytearray]]:
    """The header and the parts of the message in a frame. Raises WireError where the frame holds no message."""
    try:
        header, sizes = json.loads(frame.text.decode("utf-8"))
        if b"\\ud" in frame.text.lower():  # half of a surrogate pair, which no file could hold
            header = json.loads(json.dumps(header, ensure_ascii=False).encode(errors="replace"))
    except (ValueError, TypeError, RecursionError) as error:
        raise WireError(f"a frame that is not a message ({type(error).__name__})") from error
    if frame.has_more:  # asked only of a valid message: whether more has come by now depends on timing
        raise WireError("an answer that was not asked for")
    if not isinstance(sizes, list) or len(sizes) > most.parts or not all(type(n) is int and n >= 0 for n in sizes):
        raise WireError("a frame with impossible buffer sizes")
    if sum(sizes) != len(frame.raw):
        raise WireError(f"a frame of {len(frame.raw)} raw bytes that announces {sum(sizes)}")
    ends = itertools.accumulate(sizes, initial=0)
    return header, [bytearray(frame.raw[a:b]) for a, b in itertools.pairwise(ends)]


def _until(channel: socket.socket, data: bytearray, size: int, deadline: float | None) -> bytearray:
    """Read on until there are `size` bytes. Both sides take turns, so a small frame is complete after one read."""
    while len(data) < size:
        if deadline is not None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            channel.settimeout(left)
        part = channel.recv(min(max(size - len(data), CHUNK_BYTES), 1 << 20))
        if not part:
            raise EOFError
        data += part
    return data


def write_files(folder: Path, files: Iterable[tuple[str, int, bytes | bytearray]]) -> None:
    """Write what came: names, permissions and contents. A name that ends with a slash is an empty folder.

    A file that is there already is replaced, also one that is read-only.
    """
    for name, mode, data in files:
        path = folder / name
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.write_bytes(data)
        path.chmod(mode)
