"""A zygote that outlives a batch: to start one takes seconds, and most tests ask what becomes of an answer."""

import atexit
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from nbproctor.run import batch
from nbproctor.runner.zygote import Kind, Zygote, zygote_started

WORKERS = 2


class Ready(Zygote):
    """A zygote that has said already that it is ready, and says so once only."""

    def wait_until_ready(self) -> None:
        """It was."""


_running = ExitStack()
_kept: list[Ready] = []  # the zygote, when there is one
_pid = os.getpid()  # of the process that starts it, and ends it
atexit.register(_running.close)


@contextmanager
def one_zygote() -> Iterator[None]:
    """Within this the batches of this process share a zygote; so do those of its forks, one at a time, once it runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batch, "zygote_started", kept)
        yield


def start() -> None:
    """Start the zygote, if none is running. A fork has to find one: it would not end its own."""
    if not _kept or (os.getpid() == _pid and _kept[0].process.poll() is not None):
        _running.close()
        new = _running.enter_context(zygote_started(WORKERS, True))
        new.wait_until_ready()
        _kept[:] = [Ready(new.controls, new.layers, new.process)]


@contextmanager
def kept(workers: int, sandboxed: bool, kind: Kind | None = None) -> Iterator[Zygote]:
    """In place of `zygote_started`: the zygote of the batch before, or a new one where that has ended.

    A batch without a sandbox, with more workers or of another kind has a zygote of its own.
    """
    if not sandboxed or workers > WORKERS or kind is not None:
        with zygote_started(workers, sandboxed, kind) as own:
            yield own
        return
    start()
    yield _kept[0]
