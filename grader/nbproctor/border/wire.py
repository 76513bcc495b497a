"""Turns values into JSON and raw bytes and back, for the messages between the examiner and a student's process.

The JSON holds plain values and descriptions; a tensor is a dtype, a shape and one of the parts of a frame (`frames`).
The examiner may send anything: what is not data goes as a pickle, since students may see what they are given. From the
student's process, only data is ever rebuilt: `Reader` knows no pickle, checks every size before it allocates memory,
and makes plain `torch.Tensor`s, whatever the object claimed to be on the other side.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Set
from typing import Any

import numpy as np
import torch

from nbproctor.border.frames import MOST
from nbproctor.border.frames import WireError as WireError

MAX_HASHED = 10_000  # entries of sets and dicts in a message: all may have one hash, which takes quadratic time
MAX_ENTRIES = 100_000  # of one container
MAX_MADE = 10_000  # objects, and parts and tensors of modules, in a message: each class made for one takes 2 kB, 50 µs
DTYPES = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (
        torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8,
        torch.uint8, torch.bool, torch.complex64, torch.complex128,
    )
}  # fmt: skip
NAMES = {dtype: name for name, dtype in DTYPES.items()}


_PLAIN: dict[type, Callable[[Any], Any]] = {  # what a value of any class is sent as, where it is one of these
    dict: dict, list: list, tuple: tuple, set: set, int: int, float: float,
    Mapping: lambda value: {key: value[key] for key in value}, Set: set,
}  # fmt: skip


class Opaque:
    """Stands for a student's object that is not data. Only the name of its type is sent."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class Writer:
    """Turns values into JSON and buffers. special: a function that may describe a value which is not plain data."""

    def __init__(self, special: Callable[[Any, Writer], Any] | None = None) -> None:
        self.buffers: list[bytes] = []
        self.tensors: list[torch.Tensor] = []
        self._numbers: dict[int, int] = {}
        self._special = special
        self._depth = 0

    def value(self, value: Any) -> Any:  # noqa: C901 a flat list of kinds, one line each
        """JSON for `value`. One tensor in two places stays one tensor. Raises WireError for what cannot cross."""
        kind = type(value)
        if value is None or kind is bool or kind is str or kind is float:
            return value
        if kind is int:
            if abs(value) >> 4096:
                raise WireError("an integer of more than 4096 bits")
            return value
        if issubclass(kind, torch.Tensor):  # of whatever class: its bytes are sent, and a plain tensor is made of them
            return {"tensor": self.tensor(value)}
        if kind in (list, tuple, dict, set, frozenset, torch.Size):
            self._depth += 1
            if self._depth > 50:
                raise WireError("a value nested more than 50 deep")
            try:
                return self._container(kind, value)
            finally:
                self._depth -= 1
        if kind is torch.dtype:
            if value not in NAMES:
                raise WireError(f"{value}, which does not cross")
            return {"dtype": NAMES[value]}
        if kind is torch.device:
            return {"device": str(value)}
        if isinstance(value, np.generic) and value.dtype.kind in "biuf":
            return {"numpy": self.tensor(torch.from_numpy(np.array(value)[None])), "scalar": True}
        if kind is np.ndarray and value.dtype.kind in "biufc":
            return {"numpy": self.tensor(torch.from_numpy(np.array(value, order="C"))), "scalar": False}
        if isinstance(value, str):  # a string of an Enum, say: its own `str()` is another
            return str.__str__(value)
        for base, plain in _PLAIN.items():
            if issubclass(kind, base):  # a Counter, a namedtuple or dict.keys(), say: its content, as plain data
                return self.value(plain(value))
        found = self._special(value, self) if self._special else None
        return {"opaque": kind.__name__[:80]} if found is None else found

    def _container(self, kind: type, value: Any) -> Any:
        if len(value) > MAX_ENTRIES:
            raise WireError(f"a {kind.__name__} of {len(value)} entries")
        if kind is dict:
            return {"dict": [[self.value(k), self.value(v)] for k, v in value.items()]}
        name = "size" if kind is torch.Size else "set" if kind is frozenset else kind.__name__
        return {name: [self.value(item) for item in value]}

    def number(self, tensor: torch.Tensor) -> int:
        """The number under which this tensor has been written."""
        return self._numbers[id(tensor)]

    def tensor(self, tensor: torch.Tensor) -> Any:
        if (number := self._numbers.get(id(tensor))) is not None:
            return number
        # In a student's process a watch for forbidden functions may be on. It must not see the calls made here.
        with torch._C.DisableTorchFunction():
            described = self._described(tensor)
        self._numbers[id(tensor)] = len(self.tensors)
        self.tensors.append(tensor)
        return [len(self.tensors) - 1, *described]

    def _described(self, tensor: torch.Tensor) -> list[Any]:
        """Keep the tensor's bytes. Returns its dtype, shape and strides, and whether it requires a gradient."""
        if tensor.layout != torch.strided or not tensor.is_cpu or tensor.is_quantized or tensor.is_nested:
            kind = "quantized" if tensor.is_quantized else "nested" if tensor.is_nested else tensor.layout
            raise WireError(f"a {kind} tensor on {tensor.device}: expected an ordinary tensor on the CPU")
        name = NAMES.get(tensor.dtype)
        if name is None:
            raise WireError(f"a tensor of dtype {tensor.dtype}, which does not cross")
        if tensor.numel() * tensor.element_size() > MOST.raw_bytes // 2:
            shape, most = tuple(tensor.shape), MOST.raw_bytes >> 21
            raise WireError(f"the result is too large: a tensor of shape {shape} has more than {most} MB")
        plain = tensor.detach().resolve_conj().resolve_neg()
        plain = plain.view(torch.int16) if tensor.dtype == torch.bfloat16 else plain  # numpy has no bfloat16
        self.buffers.append(plain.numpy().tobytes())
        strides = None if tensor.is_contiguous() else list(tensor.stride())
        return [name, list(tensor.shape), strides, tensor.requires_grad]


class Reader:
    """Turns JSON and buffers back into values: plain data only, whatever the sender wrote."""

    def __init__(self, buffers: list[bytearray], special: Callable[[str, Any, Reader], Any] | None = None) -> None:
        self._buffers = buffers
        self._special = special
        self.tensors: list[torch.Tensor] = []
        self._replaced: list[torch.Tensor] | None = None
        self._hashed = 0
        self._made = 0

    def raw(self, number: int) -> bytearray:
        """The bytes of a buffer that does not belong to a tensor."""
        return self._buffers[number]

    def value(self, data: Any) -> Any:
        """The value that `data` describes. Raises WireError where it describes none."""
        if data is None or isinstance(data, (bool, int, float, str)):
            return data
        if not isinstance(data, dict) or not data:
            raise WireError("a malformed value")
        tag, inner = next(iter(data.items()))
        try:
            return self._tagged(tag, inner, data)
        except (TypeError, ValueError, KeyError, IndexError, RuntimeError, RecursionError, ArithmeticError) as error:
            raise WireError(f"a malformed {tag[:20]} ({type(error).__name__})") from error

    def again(self, data: Any, replaced: list[torch.Tensor]) -> Any:
        """The value that `data` describes, read a second time, with these tensors instead of those that came."""
        self._replaced, self._hashed, self._made = replaced, 0, 0
        return self.value(data)

    def _tagged(self, tag: str, inner: Any, data: dict[str, Any]) -> Any:
        if tag == "tensor":
            return self.tensor(inner)
        if tag in ("set", "dict"):
            return self._of_hashed(tag, inner)
        if tag in ("list", "tuple", "size"):
            items = [self.value(item) for item in inner]
            return {"list": list, "tuple": tuple, "size": torch.Size}[tag](items)
        if tag == "dtype":
            return DTYPES[inner]
        if tag == "device":
            return torch.device(inner)
        if tag == "numpy":
            array = self.tensor(inner).numpy()
            return array[0] if data["scalar"] else array
        if tag == "opaque":
            return self.made(str(inner), Opaque)()
        if self._special is None:
            raise WireError(f"a value of unknown kind {tag[:20]}")
        return self._special(tag, inner, self)

    def made(self, name: str, *bases: type[Any]) -> type[Any]:
        """A class of this name, for one of the sender's objects. Raises WireError where there are too many."""
        self.counts(1)
        return type(name[:80], bases, {"__module__": "__main__"})

    def counts(self, more: int) -> None:
        """Count objects, or names in a module, that are about to be made. Raises WireError where there are too many."""
        self._made += more
        if self._made > MAX_MADE:
            raise WireError(f"more than {MAX_MADE} objects, or parts and tensors of modules")

    def _of_hashed(self, tag: str, inner: Any) -> Any:
        """Rebuild a set or a dict. Raises WireError where a message has too many entries of them."""
        self._hashed += len(inner)
        if self._hashed > MAX_HASHED:
            raise WireError(f"sets and dicts of more than {MAX_HASHED} entries")
        if tag == "dict":
            return {self.value(k): self.value(v) for k, v in inner}
        items = [self.value(item) for item in inner]
        if not all(map(_is_plain, items)):  # the set's order would follow addresses, and differ in each run
            raise WireError("a set of what is no plain value")
        return set(items)

    def tensor(self, inner: Any) -> torch.Tensor:
        if self._replaced is not None:
            return self._replaced[inner if type(inner) is int else inner[0]]
        if type(inner) is int:
            return self.tensors[inner]
        number, name, shape, strides, requires_grad = inner
        dtype = DTYPES[name]
        if number != len(self.tensors) or not all(type(n) is int and n >= 0 for n in shape) or len(shape) > 64:
            raise WireError("a tensor of impossible shape")
        raw = self._buffers[number]
        if math.prod(shape) * dtype.itemsize != len(raw):
            raise WireError(f"a tensor of shape {shape} in {len(raw)} bytes")
        tensor = torch.frombuffer(raw, dtype=dtype).view(shape) if raw else torch.empty(shape, dtype=dtype)
        if strides is not None:
            tensor = _with_strides(tensor, strides)
        self.tensors.append(tensor)
        return tensor.requires_grad_() if requires_grad else tensor


def _is_plain(value: Any) -> bool:
    """Whether a value's hash depends only on the value, and not on its address in memory."""
    if isinstance(value, tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, (bool, int, float, str, np.generic, torch.dtype, torch.device))


def _with_strides(tensor: torch.Tensor, strides: list[int]) -> torch.Tensor:
    """The same tensor with the sender's layout in memory, so that a `view` fails here where it failed there."""
    dense = tensor[tuple(slice(0, 1) if step == 0 else slice(None) for step in strides)]
    extent = sum((n - 1) * abs(step) for n, step in zip(dense.shape, strides, strict=True))
    if tensor.numel() == 0 or extent > 8 * tensor.numel() + 4096:
        return tensor
    laid = torch.empty_strided(dense.shape, [step or 1 for step in strides], dtype=tensor.dtype)
    return laid.copy_(dense).expand(tensor.shape)
