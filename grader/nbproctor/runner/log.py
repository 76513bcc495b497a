"""What `--verbose` writes to stderr: which process, of which submission, how long it took, and how it ended."""

import logging
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

log = logging.getLogger(__name__)
_submission = ContextVar("submission", default="")


def write_to_stderr() -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(process)d %(message)s"))
    log.addHandler(handler)
    log.setLevel(logging.INFO)


def is_on() -> bool:
    return log.isEnabledFor(logging.INFO)


@contextmanager
def grading(submission: str) -> Iterator[None]:
    """Name this submission in all that this thread says meanwhile, and say how long it took."""
    token, start = _submission.set(submission), time.monotonic()
    say("begins")
    try:
        yield
    finally:
        say("done after %.2f s", time.monotonic() - start)
        _submission.reset(token)


def say(message: str, *values: object) -> None:
    """Log a message, as `logging` formats it, with the submission that this thread grades."""
    if is_on():
        of = _submission.get()
        log.info("%s", f"{of}: {message % values}" if of else message % values)


def pid_of(pidfd: int) -> int:
    """The number by which this machine knows a process in another pid namespace; -1 where it has ended."""
    lines = Path(f"/proc/self/fdinfo/{pidfd}").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pid:"))


def ending(status: int | None) -> str:
    """How a process ended, in words. status: its exit code, or minus the signal; None where we have killed it."""
    if status is None:
        return "was ended by us"
    if status >= 0:
        return f"ended with exit code {status}"
    names = {number.value: number.name for number in signal.Signals}
    return f"was ended by {names.get(-status, f'signal {-status}')}"
