"""Keeps Python's garbage collector from examining objects that stay anyway: imported ones, and all that exist at exit.

Whenever there are enough new objects, the collector examines every object that could be part of a reference cycle. With
torch, nbgrader and our own modules imported these are half a million, and none of them can be freed.
"""

from __future__ import annotations

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def resting() -> Iterator[None]:
    """Switch the collector off during the block, which is meant for imports: they leave little garbage behind.

    The objects that exist when the block ends are never examined again.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def rest_at_the_end() -> None:
    """Let this process exit without a last collection, which takes a second with torch imported.

    The machine gets the memory back all the same, and open files are closed.
    """
    atexit.register(gc.freeze)
