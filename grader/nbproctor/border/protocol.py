"""Definitions that the examiner and the student's process share: limits, and helpers for pickles and tensors.

Both sides run this code, each in its own process; a student who changes it in theirs changes nothing here.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # torch takes seconds to import, which code that needs only the limits is spared
    import torch
    from torch import nn

NO_INPUT = "nobody can answer input() while the notebook is graded. Write the value into the code"
PRINTED_MOST = 10_000  # characters printed by the student's code that are kept for one request


def cell_name(source: str) -> str:
    """Return the file name under which a cell is compiled, which tracebacks show."""
    return f"<ipython-input-{zlib.crc32(source.encode(errors='replace')):08x}>"


CONTAINERS = ("ModuleList", "ModuleDict", "Sequential")  # of torch.nn: a module of such a class is one for a check, too
STAYS_BYTES = 1 << 20  # a non-persistent buffer with more stays in the student's process: no check asks for its numbers

# Both are filled in the student's process only, and stay empty on the examiner's side.
stand_ins: list[Callable[[int], Any]] = []  # [0] makes a function that calls the examiner's function of a number
objects: list[Any] = []  # the student's functions and modules, by the numbers that the examiner knows


def resolve(number: int) -> Any:
    """Return the student's own object of this number. Pickles from the examiner call this."""
    return objects[number]


def stand_in(number: int) -> Any:
    """Return what stands in, in the student's process, for a function that stays with the examiner."""
    return stand_ins[0](number)


def storage_of(raw: bytes, dtype: torch.dtype) -> torch.TypedStorage:
    """Return a tensor's storage. Pickles from the examiner call this, since torch's own pickle contains an address."""
    import torch

    bytes_of_it = torch.frombuffer(bytearray(raw), dtype=torch.uint8) if raw else torch.empty(0, dtype=torch.uint8)
    bare = bytes_of_it.untyped_storage()
    return torch.TypedStorage(wrap_storage=bare, dtype=dtype, _internal=True)  # type: ignore[no-untyped-call]


def tensors_of(module: nn.Module) -> dict[str, torch.Tensor]:
    """Return a module's parameters and buffers by name; one that has two names is there under both."""
    found: dict[str, torch.Tensor] = dict(module.named_parameters(remove_duplicate=False))
    return found | dict(module.named_buffers(remove_duplicate=False))


def differ(now: torch.Tensor, old: torch.Tensor) -> bool:
    """Whether a tensor differs from an earlier copy in shape, dtype or values; NaN equals NaN here."""
    if now.shape != old.shape or now.dtype != old.dtype:
        return True
    if now.is_meta:  # it stands for a buffer that has stayed in the student's process
        return False
    return not now.equal(old) and not bool(((now == old) | (now.isnan() & old.isnan())).all())
