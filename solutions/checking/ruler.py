"""Rulers for a function of tensors: the bytes that it holds at once, and the seconds of work that it takes."""

from __future__ import annotations

import contextlib
import time
import weakref

import torch
from torch.overrides import TorchFunctionMode


class Peak(TorchFunctionMode):
    """While it is on: the most bytes that tensors made inside hold at once, beyond the tensors given.

    It counts storages, so a view costs nothing, and a tensor that is no longer used gives its bytes back. What one
    operator of torch's needs for itself, and has freed when it returns, is not seen. Not under autograd, whose backward
    pass runs below this.
    """

    def __init__(self, *given):
        super().__init__()
        self.known = weakref.WeakSet(tensor.untyped_storage() for tensor in given)
        self.now = self.most = 0

    def __torch_function__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        for tensor in out if isinstance(out, (tuple, list)) else [out]:
            if isinstance(tensor, torch.Tensor) and (memory := tensor.untyped_storage()) not in self.known:
                self.known.add(memory)
                self._count(memory.nbytes())
                weakref.finalize(memory, self._count, -memory.nbytes())
        return out

    def _count(self, more):
        self.now += more
        self.most = max(self.most, self.now)


@contextlib.contextmanager
def _one_thread():
    """PyTorch on one thread: on a busy machine a loop of small products is far slower with more."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def peak_bytes(function, *tensors):
    """The most bytes that function(*tensors) holds at once, beyond those of the tensors."""
    with _one_thread(), torch.no_grad(), Peak(*tensors) as peak:
        function(*tensors)
    return peak.most


def timed(function, *arguments):
    """The seconds that a processor works for function(*arguments), and what that returned.

    On one thread, and without gradients. What other programs do meanwhile is not counted.
    """
    with _one_thread(), torch.no_grad():
        began = time.thread_time()
        result = function(*arguments)
        return time.thread_time() - began, result


def seconds(function, *arguments, times=3):
    """The seconds that a processor works for function(*arguments), the least of some tries. See timed."""
    return min(timed(function, *arguments)[0] for _ in range(times))
