"""The examiner's view of a student's process: `Student` sends it requests, calls among them, and reads the answers.

The objects that stand for a student's functions and modules on this side are in `mirrors`. The exceptions that an
answer may turn into are in `failures`.
"""

import itertools
import math
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NoReturn

import torch

from nbproctor.border import messages, wire
from nbproctor.border.bounded import OutOfBounds, bounded
from nbproctor.border.protocol import tensors_of
from nbproctor.exam.failures import ArgumentChanged, NotDefined, StudentGone, failure_of
from nbproctor.exam.handing import HandedOver, stays
from nbproctor.exam.line import StudentChannel
from nbproctor.exam.mirrors import (
    RemoteCall,
    RemoteCallable,
    RemoteIterator,
    RemoteModule,
    callable_class,
    fill,
    module_class,
    remote_function,
)
from nbproctor.runner.zygote import Process

# A check's own function computes on the examiner's side. A call with more numbers than this is tried in a fork first,
# since nothing can interrupt one call of torch: attention among a million words takes ten minutes. An axis of length 0
# counts as 1.
TRIED_FIRST = 1 << 16
# What all such calls of one check may leave in memory: its function may keep its arguments, and the graph of each call
# stays, so that the student's code can ask for its gradients.
LEFT_MOST_BYTES = 512 << 20
GRAPH_BYTES = 10_000  # of a graph, beside its tensors


class Student:
    """One student's process as the examiner sees it: a connection that asks it to look up names and call functions."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.line = StudentChannel(process.channel, process.pidfd)
        self.without: tuple[str, ...] = ()  # bare names of the functions that the running check's exercise forbids
        self.used: list[str] = []  # those of them that have run in the answer
        self.is_wide = False
        self._clear()

    def _clear(self) -> None:
        """Begin with a new check. The numbers of calls begin anew, so that it sends the same requests to everybody."""
        self.calls = itertools.count()
        # Whether a call of the running check changed a list or dict that it was given. This does not stop the check,
        # which may have a message of its own for it.
        self.changed_list = False
        self.met_two_widths = False  # whether the last check that an exception ended met float32 beside float64
        self.left_bytes = 0  # what the calls of the check's functions have left in memory
        self.forget()

    def begin(self, wide: bool = False) -> None:
        """Make the student's process ready for a new check.

        What an exercise changed in torch is set back. What was looked up or handed over is forgotten on both sides.

        wide: make float64 the default dtype there. Afterwards `is_wide` says whether the student's cells have done so.
        """
        self._clear()
        answer, _ = self.ask(messages.NewCheck(wide), messages.CheckBegun)
        self.is_wide = answer.wide

    def forget(self) -> None:
        """Drop the functions that were handed over, and the graphs of their calls: both belong to one check alone."""
        self.over = HandedOver()
        # For calls of the check's own functions: number of the call -> its input and output tensors.
        self.graphs: dict[int, tuple[list[torch.Tensor], list[torch.Tensor]]] = {}

    def close(self) -> int | None:
        """Kill the student's process, as `Process.close` does, and return what that returns."""
        self.forget()  # the names of the last check still refer to us, and a student could have left gigabytes here
        return self.process.close()

    def ask(
        self, request: messages.Request, kind: type[messages.Answer], buffers: Sequence[bytes] = ()
    ) -> tuple[messages.Answer, wire.Reader]:
        """Send one request and return its answer, which has to be of this kind.

        Before it answers, the student's process may ask back, to call a function of the check's that stayed here.
        Raises StudentGone, WireError, or the exception that the student's code raised.
        """
        number = self.line.next_number()
        header, raw = self.line.exchange(messages.fields_of(request), buffers, number)
        reply = messages.reply_of(header)
        while reply.question is not None:
            answer = self._answered(reply.question, wire.Reader(raw, self._rebuild))
            header, raw = self.line.exchange(*answer, number)
            reply = messages.reply_of(header)
        self._note(reply.used)
        if reply.error is not None:
            raise failure_of(reply.error)
        return messages.answer_of(reply, kind), wire.Reader(raw, self._rebuild)

    def _note(self, used: list[str]) -> None:
        """Note which forbidden functions ran. Raises WireError for a report of anything else."""
        if not all(name in self.without for name in used):
            raise wire.WireError("a malformed report on forbidden functions")
        self.used += [name for name in used if name not in self.used]

    def _answered(self, question: messages.Question, reader: wire.Reader) -> tuple[dict[str, Any], Sequence[bytes]]:
        """Answer a question of the student's process: a call of a function that stayed here, or a call's gradients."""
        handed: list[Any] = []
        writer = wire.Writer(lambda value, _: self._special(value, handed))
        try:
            if isinstance(question, messages.CallBack):
                value, graph = self._called(question, reader, writer)
                pickle = self.over.pickled(handed) if handed else ""
                answer: messages.CalledBack | messages.Gradients = messages.CalledBack(value, graph, pickle)
            else:
                answer = messages.Gradients(self._back(question, reader, writer))
        except wire.WireError:
            raise
        except Exception as error:  # noqa: BLE001 a check's function may fail in any way on a student's data
            return {"error": [type(error).__name__, str(error)[:2000]]}, []
        return {"answer": messages.fields_of(answer)}, writer.buffers

    def _called(self, question: messages.CallBack, reader: wire.Reader, writer: wire.Writer) -> tuple[Any, int]:
        """Return the value as data, and the number of the call."""
        number = question.function
        if not 0 <= number < len(self.over.functions):
            raise RuntimeError("a function of a check can be called while that check runs, and not later")
        args, kwargs = (reader.value(part) for part in question.args)
        self._leaves(sum(tensor.nbytes for tensor in reader.tensors))
        with torch.set_grad_enabled(question.grad):
            value = self._in_time(lambda: self.over.functions[number](*args, **kwargs), reader.tensors)
        graph = next(self.calls)
        data = writer.value(value)
        outputs = [out for out in writer.tensors if out.requires_grad]
        if outputs:
            self._leaves(GRAPH_BYTES + sum(tensor.nbytes for tensor in writer.tensors))
            self.graphs[graph] = list(reader.tensors), list(writer.tensors)
        return data, graph

    def _leaves(self, more_bytes: int) -> None:
        """Count what a call of a check's function leaves in memory. Raises ValueError where that is too much."""
        self.left_bytes += more_bytes
        if self.left_bytes > LEFT_MOST_BYTES:
            words = f"the calls of a check's functions were given more than {LEFT_MOST_BYTES >> 20} MB together"
            raise ValueError(f"{words}. Are the arguments larger than they need to be?")

    def _in_time(self, call: Callable[[], Any], tensors: Sequence[torch.Tensor]) -> Any:
        """Return what a call of a check's function returns. Raises StudentGone where it takes more time than is left.

        The arguments decide how long it takes, and they are the student's. A signal ends a loop of Python's; for large
        tensors a fork makes the call first.
        """
        left_s = max(self.line.deadline - time.monotonic(), 0.01)
        if sum(math.prod(max(n, 1) for n in tensor.shape) for tensor in tensors) > TRIED_FIRST:
            try:
                bounded(lambda: _ended(call), seconds=left_s)
            except OutOfBounds:
                self._is_too_slow()
        previous = signal.signal(signal.SIGPROF, self._is_too_slow)
        outer = signal.setitimer(signal.ITIMER_PROF, left_s)  # a function may call the student's, which calls another
        try:
            return call()
        finally:
            signal.setitimer(signal.ITIMER_PROF, *outer)
            signal.signal(signal.SIGPROF, previous)

    def _is_too_slow(self, *_: Any) -> NoReturn:
        words = "a call of the check's function took too long. Are its arguments larger than they need to be?"
        raise StudentGone("timeout", words)

    def _back(self, question: messages.BackwardBack, reader: wire.Reader, writer: wire.Writer) -> list[Any]:
        inputs, outputs = self.graphs[question.graph]
        gradients = [reader.value(gradient) for gradient in question.gradients]
        pairs = [(out, g) for out, g in zip(outputs, gradients, strict=True) if g is not None and out.requires_grad]
        wanted = [tensor for tensor in inputs if tensor.requires_grad]
        found: Sequence[torch.Tensor | None] = [None] * len(wanted)
        if pairs and wanted:
            outs, slopes = zip(*pairs, strict=True)
            found = torch.autograd.grad(outs, wanted, slopes, retain_graph=True, allow_unused=True)
        left = iter(found)
        return [writer.value(next(left)) if tensor.requires_grad else None for tensor in inputs]

    def lookup(self, name: str) -> Any:
        """Return what a name stands for in the student's process. Raises NotDefined where it is not defined there."""
        answer, reader = self.ask(messages.LookUp(name), messages.LookedUp)
        if answer.missing:
            words = f"`{name}` is not defined. Did its cell stop with an error, or was it renamed?"
            raise NotDefined(words, name=name)
        return reader.value(answer.value)

    def call(self, target: int, args: Any, kwargs: Any, module: RemoteModule | None = None) -> Any:
        handed: list[Any] = []
        writer = wire.Writer(lambda value, _: self._special(value, handed))
        packed = [writer.value(args), writer.value(kwargs)]
        given = list(writer.tensors)
        state: dict[str, Any] = {}
        own: Sequence[torch.Tensor] = ()
        if module is not None:
            state = {name: writer.value(tensor) for name, tensor in module._unsent().items()}
            own = list(module.parameters())
        request = messages.Call(
            target, next(self.calls), packed, torch.is_grad_enabled(), state, module is not None and module.training,
            list(self.without), self.over.pickled(handed) if handed else "",
        )  # fmt: skip
        answer, reader = self.ask(request, messages.Called, writer.buffers)
        value = reader.value(answer.value)
        outputs = list(reader.tensors)
        if answer.changed:
            raise ArgumentChanged
        self.changed_list |= bool(answer.refilled)
        self._repeat(answer, reader, [*args, *kwargs.values()], module)
        inputs = [tensor for tensor in (*given, *own) if tensor.requires_grad]
        crossing = [out for out in outputs if out.requires_grad]
        if isinstance(value, RemoteModule) or not crossing or not inputs or not torch.is_grad_enabled():
            return value
        graphed = iter(
            RemoteCall.apply(self, request.call, [out.detach() for out in crossing], *inputs)  # type: ignore[no-untyped-call]
        )
        return reader.again(answer.value, [next(graphed) if out.requires_grad else out for out in outputs])

    def _repeat(
        self, answer: messages.Called, reader: wire.Reader, arguments: list[Any], module: RemoteModule | None
    ) -> None:
        """Repeat on this side what the call changed in its module and in lists and dicts among its arguments.

        A check sees such a change, and may have a message of its own for it.
        """
        try:
            for number, data in answer.refilled:
                argument, now = arguments[number], reader.value(data)
                argument.clear()
                argument.update(now) if isinstance(argument, dict) else argument.extend(now)
            if module is not None and answer.tree is not None:
                module.update_from(answer.tree, reader)
            mine, sent = ({}, {}) if module is None else (tensors_of(module), module._sent.tensors)
            for name, data in answer.state.items():
                tensor = mine[name]
                tensor.data = reader.value(data)
                sent[name] = tensor.detach().clone()
        except (KeyError, TypeError, ValueError, IndexError, RuntimeError, AttributeError) as error:
            raise wire.WireError(f"changes that cannot be repeated ({type(error).__name__})") from error

    def _special(self, value: Any, handed: list[Any]) -> Any:
        if isinstance(value, RemoteModule):
            inner = wire.Writer()
            state = {name: inner.value(tensor) for name, tensor in value._unsent().items()}
            self.ask(messages.Load(value._number, state), messages.Done, inner.buffers)
        if isinstance(value, (RemoteCallable, RemoteModule)):
            return {"object": value._number}
        if stays(value):
            return {"stays": self.over.number(value)}
        handed.append(value)  # an object may be in this list twice; one pickle keeps it a single object
        return {"pickled": len(handed) - 1}

    def _rebuild(self, tag: str, inner: Any, reader: wire.Reader) -> Any:
        if tag == "callable":
            return callable_class(str(inner[2]))(self, int(inner[0]), str(inner[1]))
        if tag == "function":
            return remote_function(self, int(inner))
        if tag == "iterator":
            name, items = inner
            return reader.made(str(name), RemoteIterator)([reader.value(item) for item in items])
        if tag == "module":
            number, training, tree = inner
            module = module_class(tree, RemoteModule, reader)(self, int(number), bool(training))
            fill(module, tree, reader, {}, 0)
            module._unsent()  # marks these tensors as sent: they have just come from there
            return module
        raise wire.WireError(f"a value of unknown kind {tag[:20]}")


def _ended(call: Callable[[], Any]) -> None:
    """Make a call, whatever it returns or raises."""
    with suppress(Exception):
        call()
