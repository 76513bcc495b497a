"""The warm process's memory: new objects lie side by side, old ones stay unchanged, and the kernel uses large pages."""

from __future__ import annotations

import mmap
import platform
from pathlib import Path

import pytest

from nbproctor.bounded import bounded
from nbproctor.warm_memory import HUGE_PAGE_BYTES, collapse, fill_holes

PAGE_BYTES = 4096
EMPTY_BYTES = b"".__sizeof__()


def kernel_can() -> bool:
    """Whether this kernel gathers small pages when it is asked to: Linux 6.1 and later, with large pages built in."""
    version = tuple(int(part) for part in platform.release().split(".")[:2])
    return version >= (6, 1) and Path("/sys/kernel/mm/transparent_hugepage").exists()


def on_large_pages() -> int:
    """How many kB of this process's memory are on large pages."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("AnonHugePages"))


def pages_of_new_objects(size: int, *, filled: bool) -> int:
    """Leave a thousand holes, one on every other page of 4 kB, and make a thousand new objects of `size` bytes.

    filled: whether the holes are filled before. Returns on how many pages the new objects lie.
    """
    each = PAGE_BYTES // size
    made = [bytes(size - EMPTY_BYTES) for _ in range(2_000 * each)]
    made[:: 2 * each] = [b""] * len(made[:: 2 * each])
    if filled:
        fill_holes()
    new = [bytes(size - EMPTY_BYTES) for _ in range(1_000)]
    return len({id(one) // PAGE_BYTES for one in new})


@pytest.mark.parametrize("size", [64, 512, 800])  # two sizes of Python's own allocator, one of the C library's
def test_new_objects_lie_side_by_side_once_the_holes_are_filled(size: int) -> None:
    """Once the holes are filled, new objects share pages, `4096 // size` on each; in the holes each has its own page.

    Shared pages matter because a forked process copies each page on which it writes.
    """
    needed = 1_000 // (PAGE_BYTES // size)
    assert bounded(lambda: pages_of_new_objects(size, filled=False)) > 2 * needed
    assert bounded(lambda: pages_of_new_objects(size, filled=True)) < 1.2 * needed + 10


def gathered() -> list[int]:
    """Fill 16 MB with numbers, collapse them onto large pages, and compare.

    Returns the number of pages that `collapse` counted, the kB on large pages, and how many bytes have changed.
    """
    room = mmap.mmap(-1, 8 * HUGE_PAGE_BYTES, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    room.madvise(mmap.MADV_NOHUGEPAGE)
    before = bytes(range(256)) * (len(room) // 256)
    room[:] = before
    room.madvise(mmap.MADV_HUGEPAGE)
    found = collapse()
    return [found, on_large_pages(), sum(a != b for a, b in zip(before, room[:], strict=True))]


def test_memory_keeps_its_numbers_on_large_pages() -> None:
    """Memory keeps its numbers, and the pages that `collapse` counts are large ones afterwards.

    One or two may be missing, of which Python has given a part back.
    """
    found, kilobytes, changed = bounded(gathered)
    assert changed == 0
    assert kilobytes >= 0.95 * found * HUGE_PAGE_BYTES / 1024


@pytest.mark.skipif(not kernel_can(), reason="the kernel gathers no pages when asked to")
def test_at_least_the_whole_room_is_on_large_pages() -> None:
    """At least seven large pages are gathered: so many whole ones lie in 16 MB, wherever these begin."""
    found, kilobytes, _ = bounded(gathered)
    assert found >= 7
    assert kilobytes >= 7 * 2048
