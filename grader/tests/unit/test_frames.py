"""Messages of any-course mode come whole or not at all, and files are written as they came."""

from __future__ import annotations

import json
import os
import socket
import struct
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from nbproctor.border import frames
from nbproctor.border.frames import FrameError


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    here, there = socket.socketpair()
    with here, there:
        yield here, there


def test_a_message_and_its_parts_come_as_they_were_sent(pair: tuple[socket.socket, socket.socket]) -> None:
    """In order, empty and larger than a socket takes at once; a value that is no JSON comes as its `repr`."""
    here, there = pair
    parts = [b"", b"one", bytes(range(256)) * 20_000]
    sender = threading.Thread(target=frames.send, args=(here, {"text": "ä\ud800", "odd": {1}}, parts))
    sender.start()
    header, found = frames.receive(there, parts_most=sum(map(len, parts)))
    sender.join()
    assert (header, found) == ({"text": "ä\ud800", "odd": "{1}"}, parts)
    frames.send(here, {"a": 1})
    assert frames.receive(there, time.monotonic() + 5) == ({"a": 1}, [])


def framed(words: bytes) -> bytes:
    return struct.pack("=Q", len(words)) + words


NO_MESSAGES = {
    "no json": framed(b"verdict: passed"),
    "no text": framed(b"\xff\xfe"),
    "a number": framed(b"5"),
    "no header": framed(b"[[], []]"),
    "three": framed(b"[{}, [], []]"),
    "deep": framed(b"[" * 100_000),
    "sizes that are none": framed(b'[{}, ["1"]]'),
    "sizes that are true": framed(b"[{}, [true]]"),
    "sizes below zero": framed(b"[{}, [5, -1]]"),
    "more than was asked for": framed(b"[{}, [2, 3]]") + b"12345",
    "too long": struct.pack("=Q", frames.HEADER_MOST + 1),
}


@pytest.mark.parametrize("what", NO_MESSAGES)
def test_what_is_no_message_is_refused(pair: tuple[socket.socket, socket.socket], what: str) -> None:
    here, there = pair
    here.sendall(NO_MESSAGES[what])
    with pytest.raises(FrameError):
        frames.receive(there, time.monotonic() + 5, parts_most=4)


def test_parts_may_be_as_large_as_was_asked_for(pair: tuple[socket.socket, socket.socket]) -> None:
    here, there = pair
    for most in (4, 9):
        frames.send(here, {}, [b"12", b"34"])
        assert frames.receive(there, time.monotonic() + 5, parts_most=most)[1] == [b"12", b"34"]


def test_a_message_that_comes_in_pieces_takes_nothing_of_the_next(pair: tuple[socket.socket, socket.socket]) -> None:
    here, there = pair
    one, two = framed(b'[{"a": 1}, []]'), framed(b'[{"b": 2}, []]')

    def send() -> None:
        for piece in (one[:3], one[3:11], one[11:] + two):
            here.sendall(piece)
            time.sleep(0.1)

    sender = threading.Thread(target=send)
    sender.start()
    assert [frames.receive(there, time.monotonic() + 5)[0] for _ in range(2)] == [{"a": 1}, {"b": 2}]
    sender.join()


def test_who_goes_or_is_late_ends_the_wait(pair: tuple[socket.socket, socket.socket]) -> None:
    here, there = pair
    here.sendall(framed(json.dumps([{}, [9]]).encode()) + b"part")
    start = time.monotonic()
    with pytest.raises(TimeoutError):
        frames.receive(there, start + 1.2, parts_most=9)
    assert 1.2 <= time.monotonic() - start < 5
    here.sendall(b"\0\0")
    here.close()
    with pytest.raises(EOFError):
        frames.receive(there, time.monotonic() + 5)


def test_files_are_written_with_their_folders_and_permissions(tmp_path: Path) -> None:
    """A file that is there, also a read-only one, is replaced, and a link is not followed."""
    (tmp_path / "old").write_bytes(b"old")
    (tmp_path / "old").chmod(0o444)
    (tmp_path / "kept").write_bytes(b"kept")
    (tmp_path / "link").symlink_to("kept")
    given = [("a/b/c", 0o640, b"c"), ("a/b/d", 0o755, b"d"), ("deep/empty/", 0o755, b""), ("old", 0o600, b"new")]
    for _ in range(2):
        frames.write_files(tmp_path, [*given, ("link", 0o644, b"mine")])
    assert {name: (tmp_path / name).read_bytes() for name, _, _ in given if not name.endswith("/")} == {
        "a/b/c": b"c",
        "a/b/d": b"d",
        "old": b"new",
    }
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("a/b/c", "a/b/d", "old")] == [0o640, 0o755, 0o600]
    assert os.listdir(tmp_path / "deep" / "empty") == [] and (tmp_path / "kept").read_bytes() == b"kept"
    assert not (tmp_path / "link").is_symlink() and (tmp_path / "link").read_bytes() == b"mine"
