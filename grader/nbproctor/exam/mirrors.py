"""The student's functions and modules as the examiner sees them: a call goes over the wire, plain tensors come back.

A function is a `RemoteCallable`. A module is a real `nn.Module` on this side, with the same parameter, buffer and
submodule names, and with copies of the tensors. So `state_dict`, `load_state_dict`, `named_parameters` and `train` are
torch's own, and only `forward` is remote. A call is one `autograd.Function` of its tensor arguments and of the module's
parameters, so gradients reach both; its backward pass asks the student's process.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from nbproctor.border import wire
from nbproctor.border.messages import Backward, Gradients
from nbproctor.border.protocol import CONTAINERS, differ, resolve, tensors_of

if TYPE_CHECKING:
    from nbproctor.exam.proxies import Student


class RemoteCall(torch.autograd.Function):
    """A call that the student's process has made, as one node of this side's autograd graph."""

    @staticmethod
    def forward(ctx: Any, student: Student, call: int, outputs: list[torch.Tensor], *inputs: torch.Tensor) -> Any:
        ctx.student, ctx.call, ctx.count = student, call, len(inputs)
        ctx.shapes = [(tensor.shape, tensor.dtype) for tensor in inputs]
        ctx.set_materialize_grads(False)
        return tuple(outputs)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *gradients: torch.Tensor | None) -> Any:
        writer = wire.Writer()
        packed = [writer.value(gradient) for gradient in gradients]
        answer, reader = ctx.student.ask(Backward(ctx.call, packed), Gradients, writer.buffers)
        found = [reader.value(gradient) for gradient in answer.gradients]
        if len(found) != ctx.count:
            raise wire.WireError(f"{len(found)} gradients for {ctx.count} inputs")
        for gradient, (shape, dtype) in zip(found, ctx.shapes, strict=True):
            if gradient is not None and (
                not isinstance(gradient, torch.Tensor) or gradient.shape != shape or gradient.dtype != dtype
            ):
                raise wire.WireError("a gradient of another shape than its input")
        return None, None, None, *found


class RemoteCallable:
    """The mirror of a function or class of the student's: calling it calls theirs."""

    def __init__(self, student: Student, number: int, name: str) -> None:
        self.student, self._number, self.__name__ = student, number, name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.student.call(self._number, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"`{self.__name__}` has no {name}. Expected an nn.Module: does the class say so?")

    def __repr__(self) -> str:
        return f"<{self.__name__}>"  # without an address, which would differ in each run

    def __reduce__(self) -> Any:
        return resolve, (self._number,)


@lru_cache(maxsize=64)
def callable_class(kind: str) -> type[RemoteCallable]:
    """Return a class for the mirror of a callable, named as the callable's own class is: `function`, `type` …"""
    return type(kind, (RemoteCallable,), {"__module__": "builtins"})


def remote_function(student: Student, number: int) -> type[torch.autograd.Function]:
    """Return the mirror of an autograd.Function of the student's: its `apply` calls theirs."""
    call = RemoteCallable(student, number, "apply")
    return type("RemoteFunction", (torch.autograd.Function,), {"apply": staticmethod(call)})


class RemoteIterator:
    """The mirror of a generator, or of another iterator: it gives what the student's yielded, once, and then ends."""

    def __init__(self, items: Sequence[Any]) -> None:
        self._items = iter(items)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return next(self._items)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"  # without an address, which would differ in each run


class RemoteModule(nn.Module):
    """The mirror of a student's module: its tensors are copies of theirs, and `forward` runs in their process."""

    def __init__(self, student: Student, number: int, training: bool) -> None:
        nn.Module.__init__(self)  # and not that of a container, which may be a base, too
        self._student, self._number, self.training = student, number, training
        # The tensors last sent or received, by name. They are in an object of their own, since `examine` changes and
        # restores all tensors in a module's attributes.
        self._sent = SimpleNamespace(tensors=dict[str, torch.Tensor]())

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self._student.call(self._number, args, kwargs, module=self)

    def _unsent(self) -> dict[str, torch.Tensor | torch.dtype]:
        """Return the parameters and buffers, by name, that changed on this side since they were last sent or received.

        They count as sent from now on. Of a buffer that has stayed in the student's process, only the dtype can change.
        """
        now, sent = tensors_of(self), self._sent.tensors
        changed = {n: t for n, t in now.items() if n not in sent or differ(t, sent[n])}
        sent.update({name: tensor.detach().clone() for name, tensor in changed.items()})
        return {name: tensor.dtype if tensor.is_meta else tensor for name, tensor in changed.items()}

    def update_from(self, tree: Any, reader: wire.Reader) -> None:
        """Take on the parts that the student's module has now. A parameter of the same name and shape stays itself."""
        known = dict(self.named_parameters())
        for table in (self._parameters, self._buffers, self._modules):
            table.clear()
        self._non_persistent_buffers_set.clear()
        fill(self, tree, reader, {}, 0)
        for name, parameter in list(self.named_parameters()):
            if (old := known.get(name)) is not None and old.shape == parameter.shape and old.dtype == parameter.dtype:
                old.data = parameter.data
                owner, _, last = name.rpartition(".")
                self.get_submodule(owner).register_parameter(last, old)
        self._sent.tensors.clear()
        self._unsent()  # marks these tensors as sent: they have just come from there

    def __reduce__(self) -> Any:
        return resolve, (self._number,)


class _Part(nn.Module):
    """The mirror of a submodule of the student's: it has names and tensors, but a check may not call it."""

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)  # a slice of a container is made so

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        raise wire.WireError("a check may not call a part of the student's module")


def module_class(tree: Any, base: type[nn.Module], reader: wire.Reader) -> type[Any]:
    """Return a class with the name of the student's for a mirror. It is one of torch's containers where theirs is."""
    kind, container, *_ = tree
    return reader.made(str(kind), base, *([getattr(nn, container)] if container in CONTAINERS else []))


def fill(module: nn.Module, tree: Any, reader: wire.Reader, parameters: dict[int, nn.Parameter], depth: int) -> None:
    """Give `module` the names and tensors of `tree`; a tensor that occurs twice stays a single tensor.

    Raises WireError for modules nested more than 20 deep, or with too many names.
    """
    if depth > 20:
        raise wire.WireError("modules nested more than 20 deep")
    _, _, own, buffers, children = tree
    reader.counts(len(own) + len(buffers))
    for name, data in own:
        if data is None:
            module.register_parameter(name, None)
            continue
        tensor = reader.tensor(data)
        if id(tensor) not in parameters:
            parameters[id(tensor)] = nn.Parameter(tensor.detach(), requires_grad=tensor.requires_grad)
        module.register_parameter(name, parameters[id(tensor)])
    for name, data, persistent in buffers:
        if isinstance(data, dict):
            dtype, shape = data["stays"]
            buffer: torch.Tensor | None = torch.empty(shape, dtype=reader.value(dtype), device="meta")
        else:
            buffer = None if data is None else reader.tensor(data).detach()
        module.register_buffer(name, buffer, persistent=bool(persistent))
    for name, inner in children:
        part = module_class(inner, _Part, reader)()
        module.add_module(name, part)
        fill(part, inner, reader, parameters, depth + 1)
