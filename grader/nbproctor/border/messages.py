"""What is said in any-course mode between a worker and a student's process: every message, with who sends it.

| the worker sends | with it, as bytes | the student's process answers | with it |
|---|---|---|---|
| `Begin`, once | the contents of `files` | `Begun` | |
| `Run`, for each cell | | `CellRun` | |
| `Try`, between two cells, for the probe | | `Tried` | |
| `End`, once | | `Ended` | the contents of `files` |

A message is one of `frames`: JSON, and bytes behind it. Each request has a nonce, which the answer repeats: whatever
comes without it was written by the student's code, or by a copy of the process. While a cell runs, the worker may send
the signal SIGINT; the answer comes all the same. `border.control` has the requests to the zygote, which forks the
process.
"""

from __future__ import annotations

import socket
from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from nbproctor.border import frames

Names = list[tuple[str, int]]  # files' names, with slashes, and their permissions; an empty folder's ends with a slash
Answer = TypeVar("Answer", "Begun", "CellRun", "Ended", "Tried")


class Begin(Struct, frozen=True, tag="begin", tag_field="request"):
    """Make the notebook's folder, and get ready to run cells there. folder: its path below the scratch folder."""

    folder: str
    files: Names


class Begun(Struct, frozen=True):
    """Cells can be run, or `failed` says why not. language: what Jupyter calls `language_info`."""

    language: dict[str, Any] = {}
    failed: str = ""


class Run(Struct, frozen=True, tag="run", tag_field="request"):
    """Run a cell. draw: whether its figures are drawn."""

    source: str
    draw: bool


class CellRun(Struct, frozen=True):
    """A cell has run.

    outputs: in nbformat's form. count: the number that Jupyter shows beside it. modules: those that it has imported.
    exits: whether it called `exit()`. cpu_s: the processor time of the process until now, if it is known.
    """

    outputs: list[Any]
    count: int | None = None
    modules: list[str] = []
    exits: bool = False
    cpu_s: float | None = None


class TryCell(Struct, frozen=True):
    """A cell to try. seconds: how long it may take."""

    source: str
    draw: bool
    seconds: float


class Try(Struct, frozen=True, tag="try", tag_field="request"):
    """Run cells in a fork of this process, so that nothing of it stays.

    The first may define functions, for the others to call. own: stop after so many if one of them has raised. watch:
    whether to note what those functions return to the other cells. names: variables of the first cell to note as well.
    """

    cells: list[TryCell]
    own: int
    watch: bool = False
    names: list[str] = []


class Tried(Struct, frozen=True):
    """What came of it.

    runs: the cells that ended. seconds: how long each took. is_late: the next one was too slow. values: for each
    variable and each call that was noted: what it is, a digest of its value, and the value in short. lines: the lines
    of the first cell that ran during the others.
    """

    runs: list[CellRun] = []
    seconds: list[float] = []
    is_late: bool = False
    values: list[tuple[str, str, str]] = []
    lines: list[int] = []


class End(Struct, frozen=True, tag="end", tag_field="request"):
    """No further cell comes: hand over what the cells have left in the folder."""


class Ended(Struct, frozen=True):
    """What the cells have left.

    files: those that are new or changed. gone: files and empty folders that are no longer there. left: files that are
    too large to be handed over.
    """

    files: Names
    gone: list[str]
    left: list[str]
    cpu_s: float | None = None


Request = Begin | Run | Try | End


def send(end: socket.socket, message: Struct, nonce: str, parts: Sequence[bytes] = ()) -> None:
    """Send a request, or an answer with the nonce of its request."""
    kind = {"request": message.__struct_config__.tag} if isinstance(message, Request) else {}
    frames.send(end, {**kind, **msgspec.structs.asdict(message), "nonce": nonce}, parts)


def receive_request(end: socket.socket, parts_most: int = 0) -> tuple[Request, str, list[bytes]]:
    """Wait for the next request. Returns it with its nonce."""
    header, parts = frames.receive(end, parts_most=parts_most)
    request: Request = msgspec.convert(header, Request)
    return request, header["nonce"], parts


def answer_of(header: dict[str, Any], kind: type[Answer]) -> Answer:
    """The answer in a frame, whose nonce was looked at. Raises FrameError where it is not of this kind."""
    try:
        return msgspec.convert(header, kind)
    except msgspec.ValidationError as error:
        raise frames.FrameError(str(error)) from error
