"""The code in a student's process that runs their cells, calls what they defined, and answers the examiner with data.

The student's code can change anything in this process, so nothing that it answers is believed. This module decides
nothing either: the examiner (`proxies`) asks it to run a cell, look up a name, call an object or compute gradients, and
judges the tensors that come back.
"""

from __future__ import annotations
import __future__

import ast
import errno
import io
import itertools
import linecache
import os
import pickle
import random
import socket
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from copy import copy
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import msgspec
import numpy as np
import torch
from torch import nn

from nbproctor.border import frames, messages, protocol, wire
from nbproctor.border.protocol import differ, objects, stand_in
from nbproctor.inside import habits
from nbproctor.inside.asking import ExaminerChannel

FUTURE = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)


@dataclass(frozen=True)
class Setup:
    """A unit's setup cell: its text, the file name of it, and what it has left when it ran.

    names: what it has defined. watch: the class that notes which forbidden functions run. draws: torch's random state.
    """

    source: str
    name: str
    names: dict[str, Any]
    watch: Any
    draws: torch.Tensor


watches: list[Any] = []  # the class Watch of the setup cell, as it was before any student's line ran
setups: dict[str, Setup] = {}  # by name: the setup cells that the zygote has read


class Paper(io.RawIOBase):
    """The student's standard output, as bytes: it keeps the first PRINTED_MOST characters and drops the rest."""

    def __init__(self) -> None:
        self.kept = bytearray()

    def fileno(self) -> int:
        """The handle of /dev/null, for callers that insist on a handle: `faulthandler.enable()`, a subprocess."""
        return 1

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.kept += bytes(data[: max(0, 4 * protocol.PRINTED_MOST - len(self.kept))])
        return len(data)

    def take(self) -> str:
        text = self.kept.decode("utf-8", "replace")[: protocol.PRINTED_MOST]
        self.kept.clear()
        return text


def serve(channel: socket.socket, shell: Any) -> None:
    """Answer requests until the channel closes."""
    habits.set_num_threads(1)
    paper = Paper()
    sys.stdout = sys.stderr = io.TextIOWrapper(paper, "utf-8", "replace", newline="", write_through=True)
    sys.path.insert(0, "")  # modules that the student's cells write are imported from the current folder
    calls: Calls = {}
    own_pid = os.getpid()
    line = ExaminerChannel(channel, _describe, rebuilder)
    protocol.stand_ins[:] = [line.stand_in]

    def respond(header: Any, buffers: list[bytearray]) -> None:
        request, nonce = messages.request_of(header), header["nonce"]
        line.nonces.append(nonce)
        writer = wire.Writer(_describe)
        watch = None
        if isinstance(request, messages.Call) and request.without:
            watch = watches[-1](request.without, shell.user_ns, OURS)
        elif isinstance(request, messages.Backward) and request.call in calls:
            watch = calls[request.call][2]  # the backward pass of an answer's own Function is its code, too
        reply: dict[str, Any]
        try:
            reader = wire.Reader(buffers, rebuilder(request.pickle if isinstance(request, messages.Call) else ""))
            with watch or nullcontext():
                reply = {"answer": messages.fields_of(_answer(request, reader, writer, shell, calls, watch))}
        except BaseException as error:  # noqa: BLE001 whatever the student's code raises is the answer
            writer = wire.Writer()
            reply = {"error": _raised(error)}
        if os.getpid() != own_pid:  # the student's code forked, and this child has reached the end of the cell
            os._exit(0)
        about = {"printed": paper.take(), "nonce": nonce, "used": watch.used if watch else []}
        try:
            frame = frames.frame(reply | about, writer.buffers)
        except wire.WireError as error:
            frame = frames.frame({"error": _raised(error)} | about, [])
        line.nonces.pop()
        channel.sendall(frame)

    line.respond = respond
    while True:
        try:
            header, buffers = frames.receive(channel)
        except EOFError:
            return
        respond(header, buffers)


# By the number of a call: its inputs and outputs that have gradients, and the watch.
Calls = dict[int, tuple[list[torch.Tensor], list[torch.Tensor], Any]]


def _answer(  # noqa: C901, PLR0913 one line or two for each kind of request, and what they need
    request: messages.Request, reader: wire.Reader, writer: wire.Writer, shell: Any, calls: Calls, watch: Any
) -> msgspec.Struct:
    match request:
        case messages.NewCheck():
            _begin(torch.float64 if request.wide else torch.float32)
            calls.clear()
            objects.clear()
            return messages.CheckBegun(settings[0][1] == torch.float64)
        case messages.PutFiles():
            files = ((name, 0o644, reader.raw(number)) for number, name in enumerate(request.names))
            frames.write_files(Path(), files)
        case messages.RunSetup():
            settings.clear()
            _run_setup(shell, setups[request.name])
        case messages.Run():
            put_back()
            _run(shell, request.source)
            return messages.CellRun([])
        case messages.LookUp():
            if request.name not in shell.user_ns:
                return messages.LookedUp(missing=True)
            return messages.LookedUp(writer.value(shell.user_ns[request.name]))
        case messages.Call():
            return _call(request, reader, writer, calls, watch)
        case messages.Load():
            _load(objects[request.target], request.state, reader)
        case messages.Backward():
            return _backward(request, reader, writer, calls)
    return messages.Done()


def _backward(request: messages.Backward, reader: wire.Reader, writer: wire.Writer, calls: Calls) -> messages.Gradients:
    """The gradients for a call's inputs, given those for its outputs; None where there is none."""
    inputs, outputs, _ = calls[request.call]
    gradients = [reader.value(gradient) for gradient in request.gradients]
    # The same as `grad_outputs=gradients`, which would first import half of torch.
    terms = [(out * g).sum() for out, g in zip(outputs, gradients, strict=True) if g is not None]
    found = torch.autograd.grad(terms, inputs, retain_graph=True, allow_unused=True)
    return messages.Gradients([writer.value(g) for g in found])


def read_setup(source: str) -> None:
    """Run a unit's setup cell and remember what it left, by the cell's name.

    This is done once, in the zygote, whichever worker brings it first: unpacking the unit's checks takes longer than
    most of them run. Raises what the cell raises.
    """
    name = protocol.cell_name(source)
    if name in setups:
        return
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(source, name, "exec", dont_inherit=True), names)  # noqa: S102 the instructor's cell
    watch = vars(sys.modules["checking.watch"])["Watch"] if "checking.watch" in sys.modules else None
    setups[name] = Setup(source, name, names, watch, torch.get_rng_state())


def _run_setup(shell: Any, setup: Setup) -> None:
    """Give the notebook what the setup cell left when `read_setup` ran it."""
    linecache.cache[setup.name] = (len(setup.source), None, setup.source.splitlines(keepends=True), setup.name)
    habits.COLAB.asked = habits.asks_for_colab(setup.source)
    shell.user_ns.update(setup.names)
    shell.user_ns["_dh"][:] = [Path.cwd()]  # where `%cd -` leads back to
    torch.set_rng_state(setup.draws)
    watches.append(setup.watch)


def _run(shell: Any, source: str) -> None:
    """Run a cell as a notebook would: plain Python directly, a cell with magics through IPython's shell."""
    name = protocol.cell_name(source)
    # `inspect.getsource` and TorchScript look here for the source of a function or class.
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    habits.COLAB.asked = habits.asks_for_colab(source)
    future = shell.compile.flags & FUTURE  # `from __future__ import annotations` holds for the cells below, too
    try:
        codes = _compiled(source, name, future)
    except (SyntaxError, ValueError):  # a magic or a mistake: the shell can tell which
        codes = []
    try:
        for code in codes:
            shell.compile.flags |= code.co_flags & FUTURE
            _remember(shell, eval(code, shell.user_ns))  # noqa: S307 this process exists to run the student's code
        result = None if codes else shell.run_cell(source, silent=True, store_history=False)
        if result and (error := result.error_before_exec or result.error_in_exec):
            raise error
    finally:
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close("all")


def _compiled(source: str, name: str, future: int) -> list[CodeType]:
    """Compile a cell. A last line with a value, which a notebook shows and binds to `_`, is a second code object."""
    tree = compile(source, name, "exec", future | ast.PyCF_ONLY_AST, dont_inherit=True)
    shows = tree.body and isinstance(tree.body[-1], ast.Expr) and not source.rstrip().endswith(";")
    values = [ast.Expression(tree.body.pop().value)] if shows else []
    code = compile(tree, name, "exec", future, dont_inherit=True)
    future |= code.co_flags & FUTURE
    return [code, *(compile(value, name, "eval", future, dont_inherit=True) for value in values)]


def _remember(shell: Any, value: Any) -> None:
    """Bind a cell's value to `_`, unless the student's code uses that name itself, as in `for _ in range(3)`."""
    hook = shell.displayhook  # its own `_` is the value that was last bound so
    if value is not None and shell.user_ns.get("_", hook._) is hook._:
        shell.user_ns["_"] = hook._ = value


def _settings() -> list[tuple[Callable[[Any], Any], Any]]:
    """What the student's cells have set in torch, the default dtype first, and the states of the random generators.

    Each comes with the function that sets it again.
    """
    # `torch.get_default_device` makes a tensor there, which fails for a "cuda" or "mps" that is not here.
    context = getattr(torch._GLOBAL_DEVICE_CONTEXT, "device_context", None)
    return [
        (torch.set_default_dtype, torch.get_default_dtype()),
        (torch.set_default_device, None if context is None else context.device),
        (torch.set_grad_enabled, torch.is_grad_enabled()),
        (habits.set_num_threads, torch.get_num_threads()),
        (torch.set_rng_state, torch.get_rng_state()),
        (np.random.set_state, np.random.get_state()),  # noqa: NPY002 students use the global generator
        (random.setstate, random.getstate()),
    ]


OURS = (globals(), vars(wire))  # the watch notes what the student's code calls, and not what this module does
settings: list[tuple[Callable[[Any], Any], Any]] = []  # those that the cells have left, while checks run with their own


def put_back() -> None:
    """Restore the settings of the student's cells after checks, which ran with their own and must not change them."""
    for put, value in settings:
        put(value)
    settings.clear()


def _begin(dtype: torch.dtype) -> None:
    """Give a check its seed and the usual settings, whatever the exercises above have changed.

    The settings of the student's cells are saved first, so that `put_back` can restore them.
    """
    if not settings:
        settings.extend(_settings())
    torch.set_default_dtype(dtype)
    torch.set_default_device(None)  # "cpu" would wrap every call in a torch mode
    torch.set_grad_enabled(True)
    habits.set_num_threads(1)
    torch.default_generator.manual_seed(0)  # torch.manual_seed formats a traceback for CUDA each time
    np.random.seed(0)  # noqa: NPY002 students use the global generator
    random.seed(0)


def _call(
    request: messages.Call, reader: wire.Reader, writer: wire.Writer, calls: Calls, watch: Any
) -> messages.Called:
    target = objects[request.target]
    args, kwargs = (reader.value(part) for part in request.args)
    given = list(reader.tensors)
    before: dict[str, torch.Tensor] = {}
    parts: list[Any] = []
    own: list[nn.Parameter] = []
    if isinstance(target, nn.Module):
        _load(target, request.state, reader)
        target.train(request.training)
        before = {name: tensor.detach().clone() for name, tensor in _crossing(target).items()}
        parts, own = _parts(target), list(target.parameters())
    copies = [tensor.detach().clone() for tensor in given]
    containers = [(i, arg, copy(arg)) for i, arg in enumerate((*args, *kwargs.values())) if type(arg) in (list, dict)]
    with torch.set_grad_enabled(request.grad):
        result = (watch.answer(target) if watch else target)(*args, **kwargs)
        value = writer.value(result)
    outputs = [out for out in writer.tensors if out.requires_grad]
    if outputs and not isinstance(result, nn.Module):
        calls[request.call] = ([tensor for tensor in (*given, *own) if tensor.requires_grad], outputs, watch)
    changed = any(differ(now, old) for now, old in zip(given, copies, strict=True))
    refilled = [(i, writer.value(now)) for i, now, old in containers if not _same_entries(now, old)]
    if parts and _parts(target) != parts:  # the call has made, removed or replaced a part of its module
        return messages.Called(value, changed, refilled, {}, _tree(target, writer, 0))
    state = {
        name: writer.value(now.detach())
        for name, now in (_crossing(target) if before else {}).items()
        if name in before and differ(now, before[name])
    }
    return messages.Called(value, changed, refilled, state)


def _parts(module: nn.Module) -> list[Any]:
    """The names of a module's parameters, buffers and submodules, with what tells a part from another of its name."""
    tensors = [
        (name, where, None if kept is None else (tuple(kept.shape), kept.dtype))
        for where, one in module.named_modules()
        for name, kept in (*one._parameters.items(), *one._buffers.items())
    ]
    return [*tensors, *(name for name, _ in module.named_modules())]


def _stays(module: nn.Module, name: str) -> bool:
    """Whether a module's buffer stays here: it is large, and no part of the module's state."""
    buffer = module._buffers.get(name) if name in module._non_persistent_buffers_set else None
    return buffer is not None and buffer.nbytes > protocol.STAYS_BYTES


def _crossing(module: nn.Module) -> dict[str, torch.Tensor]:
    """A module's parameters and buffers by name, without those that stay here."""
    found = protocol.tensors_of(module)
    for where, part in module.named_modules(remove_duplicate=False):
        for name in part._non_persistent_buffers_set:
            if _stays(part, name):
                del found[f"{where}.{name}" if where else name]
    return found


def _same_entries(now: Any, old: Any) -> bool:
    """Whether a list or dict still holds the very same objects in the same order."""
    pairs = (list(now), list(old)) if isinstance(now, list) else (list(now.items()), list(old.items()))
    flat = [[part for entry in side for part in (entry if isinstance(now, dict) else (entry,))] for side in pairs]
    return len(flat[0]) == len(flat[1]) and all(a is b for a, b in zip(*flat, strict=True))


def _load(module: nn.Module, state: dict[str, Any], reader: wire.Reader) -> None:
    """Give the module the parameters and buffers that the examiner's mirror of it has now, or their dtype alone.

    The numbers are written into the module's own tensors, as `load_state_dict` does, so that a view that it keeps of
    one (`self.turned = self.q_proj.weight.T`) shows the new numbers too.
    """
    here = protocol.tensors_of(module)
    for name, value in state.items():
        if name not in here:  # a call of another module has removed it
            continue
        own, new = here[name], reader.value(value)
        if isinstance(new, torch.dtype):
            own.data = own.data.to(new)
        elif (own.shape, own.dtype) == (new.shape, new.dtype) and own.is_contiguous():
            own.data.copy_(new.detach())
        else:
            own.data = new.detach()


def rebuilder(pickled: str) -> Any:
    """Returns the function by which a Reader rebuilds what only the examiner may send, each by its number.

    These are an object of the student's own, an entry of this pickle, and a function that stays with the examiner.
    """
    # One pickle for the whole call, so that one object handed over twice stays one. The examiner has made it.
    loaded = pickle.loads(bytes.fromhex(pickled)) if pickled else []  # noqa: S301 see above
    _let_be_pickled(loaded)

    def rebuild(tag: str, inner: Any, reader: wire.Reader) -> Any:
        if tag == "stays":
            return stand_in(inner)
        if tag in ("object", "pickled"):
            return (objects if tag == "object" else loaded)[inner]
        raise wire.WireError(f"a value of unknown kind {tag}")

    return rebuild


def _let_be_pickled(loaded: list[Any]) -> None:
    """Give the classes of modules that a check hands over a place where pickle finds them, as in a notebook.

    Otherwise `torch.save(model, path)` in an answer would fail.
    """
    kinds = {type(part) for one in loaded if isinstance(one, nn.Module) for part in one.modules()}
    home = sys.modules.setdefault("handed_over", ModuleType("handed_over"))
    for kind in kinds:
        if getattr(sys.modules.get(kind.__module__), kind.__qualname__, None) is not kind:
            kind.__module__, kind.__qualname__ = home.__name__, f"{kind.__name__}{len(vars(home))}"
            setattr(home, kind.__qualname__, kind)


def _describe(value: Any, writer: wire.Writer) -> Any:
    """Describe a module with its parameters, or another callable, by its number in `objects`; None for other values.

    Of an autograd.Function it is the number of its `apply`.

    A generator, or another iterable, is run to its end here, and all that it yields is sent. A range or a deque is sent
    as a list, and an exact number as a float: a check compares what they hold.
    """
    kind = type(value)
    if issubclass(kind, (Decimal, Fraction)):
        return float(value)
    if issubclass(kind, Sequence):
        return writer.value(list(itertools.islice(value, wire.MAX_ENTRIES + 1)))
    if isinstance(value, nn.Module):
        objects.append(value)
        return {"module": [len(objects) - 1, value.training, _tree(value, writer, 0)]}
    if isinstance(value, type) and issubclass(value, torch.autograd.Function):
        objects.append(value.apply)
        return {"function": len(objects) - 1}
    if callable(value):
        objects.append(value)
        name = str(getattr(value, "__name__", type(value).__name__))[:80]
        return {"callable": [len(objects) - 1, name, type(value).__name__[:80]]}
    if issubclass(type(value), Iterable):  # a generator, or an object of the student's own that can be unpacked
        items = [writer.value(item) for item in itertools.islice(iter(value), wire.MAX_ENTRIES + 1)]
        if len(items) > wire.MAX_ENTRIES:
            raise wire.WireError(f"a {type(value).__name__[:80]} of more than {wire.MAX_ENTRIES} entries")
        return {"iterator": [type(value).__name__, items]}
    return None


def _tree(module: nn.Module, writer: wire.Writer, depth: int) -> Any:
    if depth > 20:
        raise wire.WireError("modules nested more than 20 deep")
    kind = type(module).__name__[:80]
    parameters = [[name, None if p is None else writer.tensor(p)] for name, p in module._parameters.items()]
    buffers = [
        [name, _buffer(module, name, b, writer), name not in module._non_persistent_buffers_set]
        for name, b in module._buffers.items()
    ]
    container = next((name for name in protocol.CONTAINERS if issubclass(type(module), getattr(nn, name))), "")
    children = [[name, _tree(child, writer, depth + 1)] for name, child in module._modules.items() if child is not None]
    return [kind, container, parameters, buffers, children]


def _buffer(module: nn.Module, name: str, buffer: torch.Tensor | None, writer: wire.Writer) -> Any:
    if buffer is None:
        return None
    if _stays(module, name):
        return {"stays": [writer.value(buffer.dtype), list(buffer.shape)]}
    return writer.tensor(buffer)


def _raised(error: BaseException) -> list[Any]:
    """What the examiner is told about an exception, as plain data, whatever its class makes of its attributes."""
    try:
        raised = _described(error)
    except BaseException:  # noqa: BLE001 each attribute that is asked for may run the student's code
        words = "(this exception could not be read)"
        raised = messages.Raised("Exception", words, None, "", False, False, "Exception")
    return list(msgspec.to_builtins(raised))


def _described(error: BaseException) -> messages.Raised:
    message = _message(error)
    # An UnboundLocalError does not count: no cell can bind a local name.
    unknown_name = str(error.name)[:80] if type(error) is NameError and isinstance(error.name, str) else ""
    return messages.Raised(
        type(error).__name__[:80], message, _line(error), unknown_name, _met_limit(error, message),
        isinstance(error, wire.WireError), _base(error),
    )  # fmt: skip


def _base(error: BaseException) -> str:
    """The name of the nearest built-in class that the exception derives from.

    ValueError takes precedence, since it is what exercises ask for: `class WidthError(IndexError, ValueError)` is one.
    """
    own = [kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins"]
    return "ValueError" if "ValueError" in own else next(iter(own), "Exception")


def _met_limit(error: BaseException, message: str) -> bool:
    """Whether memory, recursion depth, threads or processes ran out, or the code asked to end its process."""
    if isinstance(error, OSError):
        return error.errno in (errno.EAGAIN, errno.ENOMEM)
    if isinstance(error, (MemoryError, RecursionError, SystemExit)):
        return True
    is_told = message.startswith("can't start new thread") or "can't allocate memory" in message
    return isinstance(error, RuntimeError) and is_told  # neither Python nor torch has an exception type for these


def _message(error: BaseException) -> str:
    try:
        text = str(error.args[0] if isinstance(error, KeyError) and error.args else error)
        return str.__getitem__(text, slice(2000))  # a plain string, also where `__str__` returns a class of its own
    except BaseException as broken:  # noqa: BLE001 the student's own __str__ may raise anything
        return f"(its message could not be read: {type(broken).__name__})"


def _line(error: BaseException) -> int | None:
    """The line in the innermost of the student's cells that the error passed through; None where there is none."""
    places = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    theirs = [line for file, line in places if file.startswith("<ipython-input") or "/ipykernel_" in file]
    return theirs[-1] if theirs else None
