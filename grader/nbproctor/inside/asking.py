"""Stand-ins for functions of a check in the student's process: each call asks the examiner, which holds the function.

A call is one `autograd.Function` of the tensors in its arguments, so that gradients pass through it; it works under
`torch.func`, too. The examiner's function gets plain data. Its result here is plain data, a module of the check's, or
another such stand-in.
"""

from __future__ import annotations

import builtins
import os
import socket
import threading
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import torch
from torch.autograd import forward_ad
from torch.utils._pytree import tree_flatten, tree_unflatten

from nbproctor.border import frames, messages, wire

Describe = Callable[[Any, wire.Writer], Any]
Rebuilder = Callable[[str], Any]  # given a pickle of the examiner's, returns how a Reader rebuilds what is in it


class ExaminerChannel:
    """The channel to the examiner, for questions back while it waits for an answer.

    Before the examiner answers such a question, it may ask questions of its own; `respond` answers these.
    """

    def __init__(self, channel: socket.socket, describe: Describe, rebuilder: Rebuilder) -> None:
        self.channel, self.describe, self.rebuilder = channel, describe, rebuilder
        self.respond: Callable[[Any, list[bytearray]], None] = lambda request, buffers: None
        self.nonces: list[str] = []  # of the examiner's open questions; a question back carries the last one
        self.turn = threading.RLock()
        self.pid = os.getpid()

    def ask(
        self, question: messages.Question, kind: type[messages.Answer], buffers: Sequence[bytes]
    ) -> tuple[messages.Answer, wire.Reader]:
        """Ask the examiner a question back. Returns its answer, which is of this kind, and a reader for it.

        Raises what the check's function raised, and RuntimeError in a fork: a fork shares the channel, and would read
        answers that are meant for this process.
        """
        if os.getpid() != self.pid:
            raise RuntimeError(
                "a function of a check can be called in the notebook's own process, and in no fork of it"
            )
        with self.turn:
            header = {"question": messages.fields_of(question), "nonce": self.nonces[-1]}
            self.channel.sendall(frames.frame(header, buffers))
            while True:
                reply, raw = frames.receive(self.channel)
                if "request" not in reply:
                    break
                self.respond(reply, raw)
        if "error" in reply:
            name, message = reply["error"]
            made = getattr(builtins, name, RuntimeError)
            raise made(message) if issubclass(made, Exception) else RuntimeError(message)
        answer = msgspec.convert(reply["answer"], kind)
        return answer, wire.Reader(
            raw, self.rebuilder(answer.pickle if isinstance(answer, messages.CalledBack) else "")
        )

    def stand_in(self, number: int) -> Any:
        """A function that asks the examiner to call the check's function with this number."""

        def function(*args: Any, **kwargs: Any) -> Any:
            if _has_no_graph(args, kwargs):
                return self._without_graph(number, args, kwargs)
            leaves, shape = tree_flatten((args, kwargs))
            tensors = [leaf for leaf in leaves if type(leaf) in (torch.Tensor, torch.nn.Parameter)]
            call = _Call(self, number, (leaves, shape), [tensor.requires_grad for tensor in tensors])
            found = _Asked.apply(call, *tensors)  # type: ignore[no-untyped-call]
            return call.reader.again(call.value, list(found))

        return function

    def _without_graph(self, number: int, args: Any, kwargs: Any) -> Any:
        """What the check's function returns, without a node of the autograd graph, which takes as long as the rest."""
        writer = wire.Writer(self.describe)
        packed = [writer.value(args), writer.value(kwargs)]
        question = messages.CallBack(number, packed, torch.is_grad_enabled())
        answer, reader = self.ask(question, messages.CalledBack, writer.buffers)
        value = reader.value(answer.value)
        if any(tensor.requires_grad for tensor in reader.tensors):
            return reader.again(answer.value, [tensor.detach() for tensor in reader.tensors])
        return value


_LEAVES = (torch.Tensor, torch.nn.Parameter, int, float, bool, str, type(None))


def _has_no_graph(args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    """Whether a call needs no node of the autograd graph: no argument has a gradient, and torch transforms no code."""
    if torch._C._are_functorch_transforms_active() or forward_ad._current_level >= 0:
        return False
    if not torch.is_grad_enabled():
        return True
    plain = not kwargs and all(type(arg) in _LEAVES for arg in args)
    leaves = args if plain else tree_flatten((args, kwargs))[0]
    return not any(isinstance(leaf, torch.Tensor) and leaf.requires_grad for leaf in leaves)


class _Call:
    """One call of a check's function: the question, and once it is answered, the value as data with its reader."""

    def __init__(
        self, line: ExaminerChannel, number: int, arguments: tuple[list[Any], Any], wanted: list[bool]
    ) -> None:
        self.line, self.number, self.arguments, self.wanted = line, number, arguments, wanted
        self.grad = torch.is_grad_enabled()
        self.graph, self.value = -1, None
        self.reader = wire.Reader([])
        self.shapes: list[tuple[torch.Size, torch.dtype]] = []
        self.kept: list[bool] = []  # for each tensor of the result whether a gradient passes

    def again(self) -> _Call:
        made = _Call(self.line, self.number, self.arguments, self.wanted)
        made.grad = self.grad
        return made

    def answered(self, tensors: Sequence[torch.Tensor]) -> tuple[torch.Tensor, ...]:
        """Ask the examiner, with these tensors in the arguments. Returns the tensors of the result."""
        self.shapes = [(tensor.shape, tensor.dtype) for tensor in tensors]
        given = iter(t.detach().requires_grad_(wanted) for t, wanted in zip(tensors, self.wanted, strict=True))
        leaves, shape = self.arguments
        plain = [next(given) if type(leaf) in (torch.Tensor, torch.nn.Parameter) else leaf for leaf in leaves]
        args, kwargs = tree_unflatten(plain, shape)
        writer = wire.Writer(self.line.describe)
        packed = [writer.value(args), writer.value(kwargs)]
        self.places = [writer.number(tensor) for tensor in plain if type(tensor) is torch.Tensor]
        question = messages.CallBack(self.number, packed, self.grad)
        answer, self.reader = self.line.ask(question, messages.CalledBack, writer.buffers)
        self.value, self.graph = answer.value, answer.graph
        self.reader.value(self.value)
        self.kept = [tensor.requires_grad for tensor in self.reader.tensors]
        return tuple(tensor.detach() for tensor in self.reader.tensors)

    def slopes(self, gradients: Sequence[torch.Tensor | None]) -> tuple[torch.Tensor, ...]:
        """The gradients with respect to the tensors in the arguments; zeros where no gradient passes."""
        writer = wire.Writer()
        packed = [writer.value(gradient) for gradient in gradients]
        answer, reader = self.line.ask(messages.BackwardBack(self.graph, packed), messages.Gradients, writer.buffers)
        found = [reader.value(gradient) for gradient in answer.gradients]
        return tuple(
            torch.zeros(shape, dtype=dtype) if found[place] is None else found[place]
            for place, (shape, dtype) in zip(self.places, self.shapes, strict=True)
        )


def _each(size: int, dims: Sequence[Any], values: Sequence[Any], one: Callable[..., Any]) -> Any:
    """Make the calls that `torch.func` asks for at once, one after the other. Returns the stacked results."""
    rows = [
        one(*(v if dim is None else v.select(dim, n) for v, dim in zip(values, dims, strict=True))) for n in range(size)
    ]
    return tuple(torch.stack(column) for column in zip(*rows, strict=True)), (0,) * len(rows[0])


class _Asked(torch.autograd.Function):
    """A call that the examiner makes, as one node of the autograd graph in this process."""

    @staticmethod
    def forward(call: _Call, *tensors: torch.Tensor) -> Any:
        return call.answered(tensors)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.call = inputs[0]
        ctx.set_materialize_grads(False)
        kept = zip(output, ctx.call.kept, strict=True)
        ctx.mark_non_differentiable(*[tensor for tensor, passes in kept if not passes])

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor | None) -> Any:
        return None, *_AskedBack.apply(ctx.call, *gradients)  # type: ignore[no-untyped-call]

    @staticmethod
    def vmap(info: Any, in_dims: Any, call: _Call, *tensors: torch.Tensor) -> Any:
        def one(*row: torch.Tensor) -> Any:
            last = call.again()
            found = _Asked.apply(last, *row)  # type: ignore[no-untyped-call]
            call.reader, call.value, call.kept = last.reader, last.value, last.kept
            return found

        return _each(info.batch_size, in_dims[1:], tensors, one)


class _AskedBack(torch.autograd.Function):
    """The backward pass of such a call. It cannot be differentiated itself: there are no second derivatives."""

    @staticmethod
    def forward(call: _Call, *gradients: torch.Tensor | None) -> Any:
        return call.slopes(gradients)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        """Keep nothing for a backward pass, since there is none."""

    @staticmethod
    def vmap(info: Any, in_dims: Any, call: _Call, *gradients: torch.Tensor | None) -> Any:
        def one(*row: Any) -> Any:
            return _AskedBack.apply(call, *row)  # type: ignore[no-untyped-call]

        return _each(info.batch_size, in_dims[1:], gradients, one)
