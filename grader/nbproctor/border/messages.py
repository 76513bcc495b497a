"""Every message that crosses the wall, with who sends it and what answers it.

| sent to a student's process | with it, as bytes | it answers | with it |
|---|---|---|---|
| `Run`, for each cell | | `CellRun` | |
| *by the worker of any course* | | | |
| `Begin`, once | the contents of `files` | `Begun` | |
| `Try`, between two cells, for the probe | | `Tried` | |
| `End`, once | | `Ended` | the contents of `files` |
| *by our course's examiner* | | | |
| `PutFiles` | the contents of `names` | `Done` | |
| `RunSetup`, once | | `Done` | |
| `NewCheck` | | `CheckBegun` | |
| `LookUp` | | `LookedUp` | the tensors of its value |
| `Call` | the tensors in it | `Called` | the tensors in it |
| `Backward` | the gradients | `Gradients` | the gradients |
| `Load` | the tensors in it | `Done` | |

Before it answers the examiner, a student's process may send a question back: `CallBack`, which is answered by a
`CalledBack`, or `BackwardBack`, which is answered by `Gradients`. Before the examiner answers, it may ask in turn.

| sent to the zygote | with it, as a handle | it answers | with it |
|---|---|---|---|
| nothing: it speaks first | | `Ready` | |
| `ReadSetup` | a file with the cell | `SetupRead` | |
| `Fork` | the process's end of a channel | `Forked` | a pidfd |
| `Reap` | | `Reaped` | |
| `EndOrphans` | | `Done` | |

Messages to a student's process are `frames`; those to the zygote are datagrams of JSON. Each request has a nonce, which
the answer repeats: whatever comes without it was written by the student's code, or by a copy of the process. While a
cell runs, the worker may send the signal SIGINT; the answer comes all the same.

A new request takes its class and its answer's, a place in the union `Request`, a row above, a case in
`inside/student.py` (without one, `Done` is the answer), and a sender: for the examiner, `exam/proxies.py`.
"""

import socket
from collections.abc import Sequence
from typing import Any, TypeVar, get_args

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from nbproctor.border import frames

Answer = TypeVar("Answer", bound=Struct)
Names = list[tuple[str, int]]  # files' names, with slashes, and their permissions; an empty folder's ends with a slash


class Done(Struct, frozen=True):
    """It is done, and there is nothing to say about it."""


class Run(Struct, frozen=True, tag="run", tag_field="request"):
    """Run a cell. draw: whether its figures are drawn; our own course's checks look at none."""

    source: str
    draw: bool = False


class CellRun(Struct, frozen=True):
    """A cell has run.

    outputs: in nbformat's form; none of a cell of our own course, which is asked only for what it prints. count: the
    number that Jupyter shows beside it. modules: those that it has imported. exits: whether it called `exit()`. cpu_s:
    the processor time of the process until now, if it is known.
    """

    outputs: list[Any]
    count: int | None = None
    modules: list[str] = []
    exits: bool = False
    cpu_s: float | None = None


# Any course


class Begin(Struct, frozen=True, tag="begin", tag_field="request"):
    """Make the notebook's folder, and get ready to run cells there. folder: its path below the scratch folder."""

    folder: str
    files: Names


class Begun(Struct, frozen=True):
    """Cells can be run, or `failed` says why not. language: what Jupyter calls `language_info`."""

    language: dict[str, Any] = {}
    failed: str = ""


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

    runs: the cells that ended. seconds: how long each took. values: for each variable and each call that was
    noted: what it is, a digest of its value, and the value in short. lines: the lines of the first cell that ran
    during the others.
    """

    runs: list[CellRun] = []
    seconds: list[float] = []
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


# Our own course. A field of type Any is a value as `wire` describes it.


class PutFiles(Struct, frozen=True, tag="put_files", tag_field="request"):
    """Write the files that were handed in beside the notebook into the folder where its cells run."""

    names: list[str] = []


class RunSetup(Struct, frozen=True, tag="run_setup", tag_field="request"):
    """Give the notebook what the unit's setup cell left when the zygote ran it. name: its `protocol.cell_name`."""

    name: str


class NewCheck(Struct, frozen=True, tag="new_check", tag_field="request"):
    """A check begins: set back what exercises have changed in torch, and forget what was looked up or handed over.

    wide: make float64 the default dtype.
    """

    wide: bool


class CheckBegun(Struct, frozen=True):
    """wide: whether the student's cells have made float64 the default dtype."""

    wide: bool


class LookUp(Struct, frozen=True, tag="look_up", tag_field="request"):
    """Send what this name stands for."""

    name: str


class LookedUp(Struct, frozen=True):
    """missing: whether there is no such name."""

    value: Any = None
    missing: bool = False


class Call(Struct, frozen=True, tag="call", tag_field="request"):
    """Call an object that was looked up.

    target: its number. call: the number of this call. args: positional and keyword arguments. state: parameters and
    buffers of a module that differ from those last sent. training: a module's. grad: whether gradients are recorded.
    without: the functions that the exercise forbids. pickle: modules of the check's among the arguments (`handing`).
    """

    target: int
    call: int
    args: list[Any]
    grad: bool
    state: dict[str, Any] = {}
    training: bool = False
    without: list[str] = []
    pickle: str = ""


class Called(Struct, frozen=True):
    """What a call returned, and what it changed.

    changed: whether it changed a tensor among its arguments. refilled: the number and new content of each list and dict
    among them that it changed. state: what it changed in its module. tree: the module, if its parts have changed.
    """

    value: Any
    changed: bool
    refilled: list[tuple[int, Any]]
    state: dict[str, Any]
    tree: Any = None


class Load(Struct, frozen=True, tag="load", tag_field="request"):
    """Give a module that was looked up these parameters and buffers."""

    target: int
    state: dict[str, Any]


class Backward(Struct, frozen=True, tag="backward", tag_field="request"):
    """Send the gradients for the inputs of a call, given those for its outputs."""

    call: int
    gradients: list[Any]


class Gradients(Struct, frozen=True):
    """One for each input, None where no gradient passes."""

    gradients: list[Any]


class CallBack(Struct, frozen=True, tag="call", tag_field="question"):
    """Call a function of the check's, which has stayed with the examiner. function: its number."""

    function: int
    args: list[Any]
    grad: bool


class CalledBack(Struct, frozen=True):
    """What the function returned. graph: the number of this call. pickle: as in `Call`."""

    value: Any
    graph: int
    pickle: str = ""


class BackwardBack(Struct, frozen=True, tag="backward", tag_field="question"):
    """Send the gradients for the inputs of such a call."""

    graph: int
    gradients: list[Any]


Request = Run | Begin | Try | End | PutFiles | RunSetup | NewCheck | LookUp | Call | Load | Backward
Question = CallBack | BackwardBack


class Raised(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """An exception in the student's process, as it is sent to the examiner.

    line: the line of the student's cell where the exception left it. unknown_name: the global name that was missing, if
    that caused the exception, else "". met_limit: whether a limit of the sandbox's or of Python's was met. unsendable:
    the student's code raised nothing, but its result cannot be sent, and the message says why. base: the nearest
    builtin class of the exception; where there are several, ValueError.
    """

    kind: str
    message: str
    line: int | None
    unknown_name: str
    met_limit: bool
    unsendable: bool
    base: str


class Reply(Struct, frozen=True):
    """What a student's process sends: one of `answer`, `question` and `error`.

    answer: its fields. printed: what the student's code has printed since the last reply. used: the forbidden functions
    that have run in the answer.
    """

    nonce: str
    answer: dict[str, Any] | None = None
    question: Question | None = None
    error: Raised | None = None
    printed: str = ""
    used: list[str] = []


# The zygote


class Ready(Struct, frozen=True):
    """missing: the layer of the sandbox that is not there, and what to do about it."""

    missing: str


class ReadSetup(Struct, frozen=True, tag="read_setup", tag_field="request"):
    """Run a unit's setup cell, whose names students' processes then have."""


class SetupRead(Struct, frozen=True):
    """stopped: what has stopped the cell, if anything has."""

    stopped: str = ""


class Fork(Struct, frozen=True, tag="fork", tag_field="request"):
    """Start a student's process. cores: those that it may use. It is killed when its lifetime is over."""

    cores: list[int]
    lifetime_s: float


class Forked(Struct, frozen=True):
    """pid: in the zygote's pid namespace."""

    pid: int


class Reap(Struct, frozen=True, tag="reap", tag_field="request"):
    pid: int


class Reaped(Struct, frozen=True):
    """status: the exit code, or minus the signal; None where the process has not ended."""

    status: int | None


class EndOrphans(Struct, frozen=True, tag="end_orphans", tag_field="request"):
    """Kill what was started by an earlier worker that had this socket."""


ZygoteRequest = ReadSetup | Fork | Reap | EndOrphans


def fields_of(message: Struct) -> dict[str, Any]:
    """The fields of a message, and its tag, if it has one."""
    config = message.__struct_config__
    return {config.tag_field: config.tag, **asdict(message)} if config.tag_field else asdict(message)


def header_of(message: Struct, nonce: str) -> dict[str, Any]:
    """The header of a request's frame, or of an answer's."""
    fields = fields_of(message)
    return {**fields, "nonce": nonce} if "request" in fields else {"answer": fields, "nonce": nonce}


def send(end: socket.socket, message: Struct, nonce: str, parts: Sequence[bytes] = ()) -> None:
    """Send a request, or an answer with the nonce of its request."""
    frames.send(end, header_of(message, nonce), parts)


def receive_request(end: socket.socket) -> tuple[Request, str, list[bytearray]]:
    """Wait for the next request. Returns it with its nonce."""
    header, parts = frames.receive(end, most=frames.ANY_SIZE)
    return request_of(header), header["nonce"], parts


_BY_TAG: dict[str, type[Request]] = {kind.__struct_config__.tag: kind for kind in get_args(Request)}


def request_of(header: dict[str, Any]) -> Request:
    return msgspec.convert(header, _BY_TAG[header["request"]])  # the union itself takes 20 µs, each time


def reply_of(header: Any) -> Reply:
    """The reply in a frame. Raises WireError where it is none."""
    return _converted(header, Reply)


def answer_of(reply: Reply, kind: type[Answer]) -> Answer:
    """The answer in a reply. Raises WireError where it is not of this kind."""
    return _converted(reply.answer, kind)


def _converted(data: Any, kind: type[Answer]) -> Answer:
    try:
        return msgspec.convert(data, kind)
    except (msgspec.ValidationError, RecursionError) as error:
        raise frames.WireError(f"a malformed {kind.__name__} ({str(error)[:150]})") from error
