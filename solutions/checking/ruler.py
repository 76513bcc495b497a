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


def kept_bytes(function, *tensors):
    """The bytes that autograd keeps for the backward pass of function(*tensors), the tensors themselves among them.

    What a backward pass of one's own keeps elsewhere than in ctx.save_for_backward is not seen.
    """
    kept = weakref.WeakSet()

    def keep(tensor):
        kept.add(tensor.untyped_storage())
        return tensor

    leaves = [tensor.detach().requires_grad_() for tensor in tensors]
    with _one_thread(), torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        out = function(*leaves)
    found = sum(memory.nbytes() for memory in kept)
    del out  # until here it holds them
    return found


class Traffic(TorchFunctionMode):
    """While it is on: the bytes that go from slow memory to a fast one, and back.

    The model: all tensors live in slow memory. An operator needs its arguments in fast memory, which has room for
    `fast` bytes; those that are not there are read. Its result is made in fast memory, and written out when it has to
    make room, unless nobody needs it any more. The longest unused goes first. A tensor larger than the fast memory
    passes through: it is read at each use, and written when it is made. A view is no traffic.
    """

    def __init__(self, fast):
        super().__init__()
        self.fast, self.read, self.written, self.held = fast, 0, 0, 0
        self.near = {}  # what is in fast memory, the longest unused first: place -> (bytes, not yet written out)

    def __torch_function__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        name, given = getattr(func, "__name__", ""), [one for one in args if isinstance(one, torch.Tensor)]
        if name == "__setitem__":  # its first argument is only written to
            target, *given = given
            self._make(target[args[1]], given)
        elif isinstance(out, torch.Tensor):
            homes = {one.untyped_storage().data_ptr() for one in given}
            if out.untyped_storage().data_ptr() not in homes or (name.endswith("_") and not name.endswith("__")):
                self._make(out, given)
        return out

    def _make(self, out, given):
        for one in given:
            self._touch(one, False)
        self._touch(out, True)

    def _touch(self, tensor, made):
        memory, size = tensor.untyped_storage(), tensor.numel() * tensor.element_size()
        place = (memory.data_ptr(), tensor.storage_offset(), size)
        known = self._drop(place)
        if size > self.fast:
            self.written, self.read = self.written + made * size, self.read + (not made) * size
            return
        self.read += 0 if made or known else size
        if not known and not any(old[0] == place[0] for old in self.near):
            weakref.finalize(memory, self._forget, place[0])
        self.near[place] = size, made or bool(known and known[1])
        self.held += size
        while self.held > self.fast:
            gone, fresh = self._drop(next(iter(self.near)))
            self.written += fresh * gone

    def _drop(self, place):
        known = self.near.pop(place, None)
        self.held -= known[0] if known else 0
        return known

    def _forget(self, address):
        for place in [place for place in self.near if place[0] == address]:
            self._drop(place)


def traffic(function, *tensors, fast, backward=False):
    """(bytes read, bytes written) between slow memory and `fast` bytes of fast memory, by function(*tensors).

    backward: with the backward pass. For this, function has to be the `apply` of an autograd.Function, since the
    backward pass of PyTorch's own operators cannot be seen.
    """
    leaves = [tensor.detach().requires_grad_(backward) for tensor in tensors]
    with _one_thread(), torch.set_grad_enabled(backward), Traffic(fast) as meter:
        results = [out := function(*leaves)]
        with torch.no_grad():
            results += out.grad_fn.apply(out.detach()) if backward else []
    meter.written += sum(size for size, fresh in meter.near.values() if fresh)  # the results, in the end
    del results
    return meter.read, meter.written
