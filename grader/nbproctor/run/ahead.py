"""Work in threads, of which only a little is begun ahead of what has been taken."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from typing import TypeVar

Done = TypeVar("Done")


def as_they_end(pool: Executor, calls: Iterable[Callable[[], Done]], most: Callable[[], int]) -> Iterator[Done]:
    """What these calls return, in the order in which they end. most: how many may have begun, or ended untaken."""
    begun = set[Future[Done]]()
    for call in calls:
        begun.add(pool.submit(call))
        while len(begun) >= most():
            done, begun = wait(begun, return_when=FIRST_COMPLETED)
            yield from (one.result() for one in done)
    while begun:
        done, begun = wait(begun, return_when=FIRST_COMPLETED)
        yield from (one.result() for one in done)
