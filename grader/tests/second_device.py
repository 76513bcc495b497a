"""A device beside the CPU, made of Python, for machines without a GPU: its tensors do not mix with others.

PyTorch lets a program name a device of its own. A tensor on this one wraps an ordinary tensor, `there`, and every
operation is done with the wrapped tensors, so that numbers can be read, a mask can index, and a model can be trained.
What a GPU refuses is refused here too: tensors of two devices in one operation, `.numpy()`, and an index on the device
into a tensor on the CPU. This device cannot show that CUDA itself works, nor how fast it is.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map

NAME = "elsewhere"


class MixedDevices(RuntimeError):
    """An operation was given tensors of two devices, which CUDA would refuse."""


class Away(torch.Tensor):
    """A tensor on the second device; `there` holds its numbers."""

    there: torch.Tensor

    @staticmethod
    def __new__(cls, there: torch.Tensor) -> Away:
        wrapper = torch.Tensor._make_wrapper_subclass(  # type: ignore[attr-defined]
            cls, there.shape, strides=there.stride(), storage_offset=there.storage_offset(), dtype=there.dtype,
            device=torch.device(NAME, 0),
        )  # fmt: skip
        wrapper.there = there
        return wrapper

    __torch_function__ = torch._C._disabled_torch_function_impl

    # PyTorch offers these two methods for its own tensors on any device, but not for subclasses of Tensor.
    def tolist(self) -> Any:
        return self.there.tolist()

    def __format__(self, spec: str) -> str:
        return format(self.there.detach(), spec)

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return _compute(func, *args, **(kwargs or {}))


def _compute(func: Any, *args: Any, **kwargs: Any) -> Any:
    """Do one operation with the wrapped tensors, and wrap its result again where needed. Raises MixedDevices."""
    given = [value for value in tree_leaves((args, kwargs)) if isinstance(value, torch.Tensor)]
    away = [tensor for tensor in given if isinstance(tensor, Away)]
    here = [tensor for tensor in given if not isinstance(tensor, Away) and tensor.dim() > 0]
    if away and here and not _may_mix(func._opname, args):
        places = ", ".join(f"{tuple(tensor.shape)} on {tensor.device.type}" for tensor in given)
        raise MixedDevices(f"{func._opname}: expected all tensors on one device, got {places}")
    wanted = kwargs.get("device")
    goes_away = torch.device(wanted).type == NAME if wanted is not None else bool(away)
    wrapped = {id(tensor.there): tensor for tensor in away}  # a tensor that is changed in place keeps its wrapper
    named = {"device": "cpu"} if wanted is not None else {}
    found = func(*tree_map(_inside, args), **tree_map(_inside, kwargs) | named)
    if func._opname == "copy_":
        return args[0]

    def outside(value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or not goes_away:
            return value
        return wrapped[id(value)] if id(value) in wrapped else Away(value)

    return tree_map(outside, found)


def _inside(value: Any) -> Any:
    return value.there if isinstance(value, Away) else value


def _may_mix(name: str, args: Any) -> bool:
    """Whether an operation may mix devices: CUDA copies from one to the other, and lets an index lie on the CPU."""
    return name == "copy_" or (name in ("index", "index_put_") and isinstance(args[0], Away))


def install() -> Any:
    """Make the device known to this process; to be called once. Returns an object to keep as long as it is used."""
    torch.utils.backend_registration._setup_privateuseone_for_python_backend(NAME)
    library = torch.library.Library("_", "IMPL")
    library.fallback(_compute, "PrivateUse1")  # for operations that make a tensor on the device from none
    return library
