"""Makes forks of the warm process cheap: fills the holes in its memory, and moves it to large pages where that pays.

A child shares its memory with the warm process until it writes to it. Then the kernel copies the page of 4 kB, which
takes 2.3 µs. Most of what a child writes is bookkeeping: it counts a reference to an object, or puts a new object where
an old one was.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from pathlib import Path

from nbproctor.sandbox import libc

HUGE_PAGE_BYTES = 2 << 20
MADV_COLLAPSE = 25  # Linux 6.1 and later; an older kernel refuses, and forks as before

POOL_BYTES = 16 << 10  # Python's own allocator cuts such pools into blocks of one size
STEP_BYTES, BLOCK_MOST_BYTES = 16, 512  # the sizes of these blocks; larger ones come from the C library
HOLES_MOST = 20_000  # holes of one size that are filled; an import of torch leaves up to 4,000
CHUNK_MOST_BYTES = 128 << 10  # larger chunks the C library takes from the kernel, and gives back to it
CACHED_MOST_BYTES, CACHED_MOST = 1040, 8  # the C library caches up to 8 chunks of each size up to 1040 bytes

_filling: list[object] = []


class _MallocInfo(ctypes.Structure):
    """What glibc tells about its heap, in bytes. keepcost: the free memory at the heap's end."""

    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks",
                     "keepcost")
    )  # fmt: skip


def prepare_to_fork(large_pages: bool) -> None:
    """Make forks of this process cheap. Call this once everything is imported, right before the first fork."""
    gc.collect()
    gc.freeze()  # else a garbage collection in a child would write to all objects, and so copy their pages
    getattr(sys, "_clear_type_cache", int)()  # a child that replaces a cache entry writes to the old name's page
    fill_holes()
    if large_pages:
        collapse()


def fill_holes() -> None:
    """Use up the free places between objects, so that a child's new objects lie side by side.

    Imports leave 20,000 such holes all over the memory. A child that filled them would have a page copied for many of
    them. Without the holes, a student's process of unit 03 writes to 2,100 pages instead of 3,700, which saves 4 ms of
    about 55.
    """
    for size in range(STEP_BYTES, BLOCK_MOST_BYTES + 1, STEP_BYTES):
        _fill_pools(size)
    _fill_heap()


def _fill_pools(size: int) -> None:
    """Take blocks of one size from Python's allocator, until they come one after the other from a new pool."""
    blocks_in_a_row, pool = 0, -1
    for _ in range(HOLES_MOST):
        one = _block(size)
        _filling.append(one)
        blocks_in_a_row = blocks_in_a_row + 1 if id(one) // POOL_BYTES == pool else 0
        pool = id(one) // POOL_BYTES
        if blocks_in_a_row >= POOL_BYTES // size - 4:
            return


def _block(size: int) -> object:
    """A new object of `size` bytes, or up to 15 fewer."""
    empty = b"".__sizeof__()  # 33; only a bytes object with at least one byte more is a new object
    if size > empty:
        return bytes(size - empty)
    return object() if size == object().__sizeof__() else float("1.5")


def _fill_heap() -> None:
    """Take chunks from the C library as long as they come out of holes, large ones first."""
    info = getattr(libc, "mallinfo2", None)
    if info is None:  # not glibc, or one older than 2.33
        return
    info.restype = _MallocInfo
    libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    size = CHUNK_MOST_BYTES
    while size >= STEP_BYTES:
        in_vain, before = 0, _bytes_in_holes(info())
        while in_vain <= (CACHED_MOST if size <= CACHED_MOST_BYTES else 0):
            libc.malloc(size)
            now = _bytes_in_holes(info())
            in_vain = 0 if now < before else in_vain + 1
            before = now
        size = size - STEP_BYTES if size <= CACHED_MOST_BYTES else size * 7 // 8


def _bytes_in_holes(info: _MallocInfo) -> int:
    return int(info.fordblks + info.fsmblks - info.keepcost)


def collapse() -> int:
    """Move the private memory of this process to pages of 2 MB. Returns the number of such pages.

    With torch imported, this memory is about 170 MB, or 40,000 pages of 4 kB. Copying their entries at a fork, and
    dropping them when the child ends, took 16 ms for each student on a slow day; with large pages it takes 8. What a
    child writes to is still copied in pages of 4 kB. Where the kernel cannot do this, nothing changes.
    """
    madvise = libc.madvise
    madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    found = 0
    for line in Path("/proc/self/maps").read_text().splitlines():
        addresses, rights, _, _, _, *name = line.split()
        if rights != "rw-p" or (name and name[0] != "[heap]"):
            continue
        start, end = (int(address, 16) for address in addresses.split("-"))
        first = -(-start // HUGE_PAGE_BYTES) * HUGE_PAGE_BYTES
        for address in range(first, end - HUGE_PAGE_BYTES + 1, HUGE_PAGE_BYTES):
            found += madvise(address, HUGE_PAGE_BYTES, MADV_COLLAPSE) == 0
    return found
