"""Shared by the commands: the console, common options, and errors as one line."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path, PurePath
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from nbproctor.errors import UserError
from nbproctor.values.text import Displayable, displayable, line


def cores() -> int:
    """How many submissions can be graded at once: the cores that this process, or its container, may use."""
    if not hasattr(os, "sched_getaffinity"):  # on a Mac `grade` says that it needs Linux, but other commands work
        return os.cpu_count() or 1
    usable = len(os.sched_getaffinity(0))
    return max(1, min([usable, *quotas(Path("/proc/self/cgroup"), Path("/sys/fs/cgroup"))]))


def quotas(membership: Path, mount: Path) -> list[int]:
    """Return the limits of processor time, in whole cores, of the control groups (in a container, at `mount`)."""
    try:
        rows = membership.read_text().splitlines()
    except OSError:
        return []
    inner = PurePath(next((row[3:].strip("/") for row in rows if row.startswith("0::")), ""))
    found = []
    for part in (inner, *inner.parents):
        with suppress(OSError, ValueError):  # the file is not there, or says `max`
            quota, period = map(int, (mount / part / "cpu.max").read_text().split())
            found.append(quota // period)
    return found


CORES = cores()
console = Console()

how = partial(typer.Option, rich_help_panel="How to grade")
Unsafe = Annotated[bool, how("--unsafe", help="Go on without the sandbox if a layer of it is missing.")]
Workers = Annotated[int, how(min=1, help="How many submissions are graded at once. By default, one per core.")]
Names = Annotated[list[str] | None, typer.Argument(help="Units, such as 03_self_attention. By default, all.")]


@contextmanager
def one_line_errors(stopped: str = "stopped") -> Iterator[None]:
    """Turn a UserError into one line on stderr and exit code 2, and Ctrl-C into `stopped` and exit code 130."""
    try:
        yield
    except KeyboardInterrupt as error:
        print(f"nbproctor: {stopped}", file=sys.stderr)
        raise typer.Exit(130) from error
    except UserError as error:
        print(f"nbproctor: {line(str(error), 600)}", file=sys.stderr)
        raise typer.Exit(2) from error


@contextmanager
def writable(path: Path, todo: str) -> Iterator[None]:
    """Raise UserError, which says what to do, if a file cannot be written."""
    try:
        yield
    except OSError as error:
        raise UserError(f"{path}: cannot write there ({error.strerror}); {todo}") from error


def say(text: str, style: str = "") -> None:
    """Print one line on the console. Text from students is made harmless in it."""
    console.print(on_terminal(displayable(line(text, 1000))), style=style, soft_wrap=True)


def on_terminal(text: Displayable) -> str:
    """The text escaped for rich, which would take words in brackets for colours."""
    return escape(text)
