"""What the examiner and the student's process agree on: words, limits, and how tensors and objects are told apart.

Both sides run this code, each in its own process; what a student makes of it over there changes nothing here.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # torch takes seconds to import, and who only needs the words need not wait
    import torch
    from torch import nn

PRINTED_MOST = 10_000  # characters of what one request made the student's code print

REFUSALS = {  # how a call used what its exercise forbids -> what the student is told of it
    "used": "the call used {}, which this exercise asks you to build",
    "held": "the module holds an nn.{}, which this exercise asks you to build",
    "indexed": "the call indexed an argument, which this exercise asks you to do without",
}


@dataclass(frozen=True)
class Raised:
    """An exception over there, as it is told to the examiner.

    line: of the student's cell, where the exception left it. unknown_name: the global name that was not there, where
    that is why it came, else "". met_limit: a limit of the sandbox's or of Python's was met. unsendable: it is no
    exception of theirs; what they made of a request cannot cross, and the message says why. base: the nearest of
    Python's own exceptions that it is one of, and of several ValueError.
    """

    kind: str
    message: str
    line: int | None = None
    unknown_name: str = ""
    met_limit: bool = False
    unsendable: bool = False
    base: str = "Exception"

    def to_json(self) -> list[Any]:
        return [self.kind, self.message, self.line, self.unknown_name, self.met_limit, self.unsendable, self.base]

    @classmethod
    def from_json(cls, data: Any) -> Raised:
        """Raises ValueError where `data` is no exception, whatever it is."""
        kinds = ((str,), (str,), (int, type(None)), (str,), (bool,), (bool,), (str,))
        if not isinstance(data, list) or len(data) != len(kinds):
            raise ValueError("not an exception")
        if not all(type(value) in kind for value, kind in zip(data, kinds, strict=True)):
            raise ValueError("not an exception")
        return cls(*data)


def cell_name(source: str) -> str:
    """The name under which a cell is compiled: that of its file, as a traceback tells it."""
    return f"<ipython-input-{zlib.crc32(source.encode(errors='replace')):08x}>"


@dataclass(frozen=True)
class Started:
    """The warm process's first words, on every control socket.

    missing: the layer of the sandbox that is not to be had, and what brings it; "" where students can be forked.
    """

    missing: str = ""

    def to_json(self) -> dict[str, Any]:
        return {"missing": self.missing}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Started:
        return cls(data["missing"])


stand_ins: list[Callable[[int], Any]] = []  # over there: what makes a function that asks the examiner for one of his
objects: list[Any] = []  # over there: what the examiner holds a number of; here it stays empty


def resolve(number: int) -> Any:
    """A student's own object, inside a pickle from the examiner."""
    return objects[number]


def stand_in(number: int) -> Any:
    """What stands over there for a function that stays with the examiner."""
    return stand_ins[0](number)


def storage_of(raw: bytes, dtype: torch.dtype) -> torch.TypedStorage:
    """The memory of a tensor, inside a pickle from the examiner. torch's own pickle of it tells an address, too."""
    import torch

    bytes_of_it = torch.frombuffer(bytearray(raw), dtype=torch.uint8) if raw else torch.empty(0, dtype=torch.uint8)
    bare = bytes_of_it.untyped_storage()
    return torch.TypedStorage(wrap_storage=bare, dtype=dtype, _internal=True)  # type: ignore[no-untyped-call]


def tensors_of(module: nn.Module) -> dict[str, torch.Tensor]:
    """Parameters and buffers by name, one that has two names under both."""
    found: dict[str, torch.Tensor] = dict(module.named_parameters(remove_duplicate=False))
    return found | dict(module.named_buffers(remove_duplicate=False))


def differ(now: torch.Tensor, old: torch.Tensor) -> bool:
    """Whether a tensor was changed in place; NaN is equal to itself here."""
    if now.shape != old.shape or now.dtype != old.dtype:
        return True
    return not now.equal(old) and not bool(((now == old) | (now.isnan() & old.isnan())).all())
