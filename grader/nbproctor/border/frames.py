"""Messages between a worker and a student's process of any course: JSON, and bytes behind it, such as files.

Not `wire`: that one carries tensors for our own course's examiner, and imports torch.
"""

from __future__ import annotations

import json
import socket
import struct
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

HEADER_MOST = 96 << 20  # bytes of one message's JSON; a cell's outputs are cut below that


class FrameError(Exception):
    """What came is no message, or too large."""


def send(end: socket.socket, header: dict[str, Any], parts: Sequence[bytes] = ()) -> None:
    words = json.dumps([header, [len(part) for part in parts]], default=_plain).encode(errors="replace")
    end.sendall(struct.pack("=Q", len(words)) + words)
    for part in parts:
        end.sendall(part)


def _plain(value: Any) -> Any:
    """What JSON takes for a value that it does not know: a struct within a message, or an object of the student's."""
    return msgspec.structs.asdict(value) if isinstance(value, msgspec.Struct) else repr(value)


def receive(
    end: socket.socket, deadline: float | None = None, parts_most: int = 0
) -> tuple[dict[str, Any], list[bytes]]:
    """Receive one message.

    deadline: on the monotonic clock. parts_most: how many bytes may come behind the JSON. Raises EOFError,
    TimeoutError, OSError, and FrameError for what is no message.
    """
    (size,) = struct.unpack("=Q", _exactly(end, 8, deadline))
    if size > HEADER_MOST:
        raise FrameError(f"{size} bytes")
    try:
        header, sizes = json.loads(_exactly(end, size, deadline))
        whole = isinstance(header, dict) and all(type(one) is int and one >= 0 for one in sizes)
    except (ValueError, TypeError, RecursionError) as error:
        raise FrameError(str(error)) from error
    if not whole or sum(sizes) > parts_most:
        raise FrameError("not a message of this kind")
    return header, [bytes(_exactly(end, one, deadline)) for one in sizes]


def write_files(folder: Path, files: Iterable[tuple[str, int, bytes]]) -> None:
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


def _exactly(end: socket.socket, size: int, deadline: float | None) -> bytearray:
    data = bytearray()
    while len(data) < size:
        end.settimeout(None if deadline is None else max(0.001, deadline - time.monotonic()))
        part = end.recv(min(size - len(data), 1 << 20))
        if not part:
            raise EOFError
        data += part
    return data
