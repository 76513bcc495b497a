"""Python's garbage collector, kept from going through what stays anyway: what is imported, and what is left at the end.

Whenever enough objects are new, it looks at every object that others could refer to in a circle. With torch, nbgrader
and our own rooms imported these are half a million, and none of them has to go.
"""

from __future__ import annotations

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def resting() -> Iterator[None]:
    """For imports, which leave little behind. What is there when the block ends is never looked at again."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def rest_at_the_end() -> None:
    """Have this process end without a last look at all that it holds: with torch it took a second. Memory goes back to
    the machine all the same, and what was open is closed."""
    atexit.register(gc.freeze)
