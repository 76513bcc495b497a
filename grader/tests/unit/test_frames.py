"""Messages arrive as they were sent, up to the size that was asked for, and files are written as they came."""

import os
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from nbproctor.border import frames
from nbproctor.border.frames import Most, WireError


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    here, there = socket.socketpair()
    with here, there:
        yield here, there


def test_json_and_parts_may_be_as_large_as_was_asked_for(pair: tuple[socket.socket, socket.socket]) -> None:
    here, there = pair
    for most, words in (
        (Most(100, 3, 9), "a frame of 12 . 4 bytes is over the limit"),
        (Most(11, 9, 9), "a frame of 12 . 4 bytes is over the limit"),
        (Most(100, 9, 1), "a frame with impossible buffer sizes"),
    ):
        frames.send(here, {}, [b"12", b"34"])
        with pytest.raises(WireError, match=words):
            frames.receive(there, most=most)
        there.setblocking(False)
        with suppress(BlockingIOError):
            there.recv(100)  # what is left of it
        there.setblocking(True)
    frames.send(here, {}, [b"12", b"34"])
    assert frames.receive(there, most=Most(100, 4, 2))[1] == [b"12", b"34"]


def test_who_goes_or_is_late_ends_the_wait(pair: tuple[socket.socket, socket.socket]) -> None:
    here, there = pair
    here.sendall(frames.frame({}, [b"too much"])[:-4])
    start = time.monotonic()
    with pytest.raises(TimeoutError):
        frames.receive(there, start + 1.2)
    assert 1.2 <= time.monotonic() - start < 5
    here.sendall(b"\0\0")
    here.close()
    with pytest.raises(EOFError):
        frames.receive(there, time.monotonic() + 5)


def test_files_are_written_with_their_folders_and_permissions(tmp_path: Path) -> None:
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
