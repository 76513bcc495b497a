"""Forbids functions during a call: those that the exercise asks to be built raise, under every name torch has for them.

This runs in the student's process, where the student's code could undo it; therefore the source is searched as well
(`suspicion`).
"""

from __future__ import annotations

import _thread
import inspect
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

autograd: Any = torch.autograd
_STARTING = ("start_new_thread", "start_new", "start_joinable_thread")  # from Python 3.13 on, most threads use the last
_FUNCTIONS = (BuiltinFunctionType, FunctionType, MethodType, partial)


class Shortcut(Exception):
    """The call used something that the exercise forbids. how: a key of `protocol.REFUSALS`. name: what it used."""

    def __init__(self, how: str, name: str = "") -> None:
        super().__init__(how, name)
        self.how, self.name = how, name


@contextmanager
def forbid(names: list[str], target: Any, args: Any, kwargs: Any) -> Iterator[None]:
    """While the context lasts, have forbidden functions raise Shortcut, under every name that torch has for them."""
    if not names:
        yield
        return
    tables = _arguments(target, args, kwargs, [name[8:] for name in names if name.startswith("getitem:")])
    watch = _Watch(names, tables)
    run_backward = autograd._engine_run_backward
    autograd._engine_run_backward = partial(_watched, watch, run_backward)
    _watching.append(watch)
    try:
        with watch:
            yield
    finally:
        _watching.remove(watch)
        autograd._engine_run_backward = run_backward
        if watch.found:  # in a thread, or where the student's code caught it: it takes precedence over all else
            raise watch.found


def watch_threads() -> None:
    """Have every thread that starts from now on watched while a call lasts.

    The zygote calls this once. Without it, a thread that the student's code has started before the call could compute
    something forbidden and hand the result over.
    """
    for module, prefix in ((_thread, ""), (threading, "_")):
        for name in _STARTING:
            if started := getattr(module, prefix + name, None):
                setattr(module, prefix + name, _watched_from_its_start(started))


def _watched_from_its_start(started: Any) -> Any:
    def start(function: Any, *rest: Any, **options: Any) -> Any:
        return started(partial(_in_a_thread, function), *rest, **options)

    return start


def _in_a_thread(function: Any, *args: Any, **kwargs: Any) -> Any:
    with _WatchOfThreads():
        return function(*args, **kwargs)


def _watched(watch: _Watch, function: Any, *args: Any, **kwargs: Any) -> Any:
    """Call a function with the watch on. PyTorch calls it from inside a function of its own, where the watch is off.

    A hook in a backward pass is such a function.
    """
    with watch:
        return function(*args, **kwargs)


class _Watch(TorchFunctionMode):
    """Sees every torch function that is called, by its Python name, and raises Shortcut for a forbidden one."""

    def __init__(self, names: list[str], tables: list[Any]) -> None:
        super().__init__()
        self.names, self.tables = frozenset(names), tables
        self.found: Shortcut | None = None

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "").strip("_")
        # What torch's own Python functions call is not seen, so the names in their code count as well.
        inside = getattr(getattr(func, "__code__", None), "co_names", ())
        if used := next((one for one in (name, *inside) if one in self.names), ""):
            self.found = Shortcut("used", used)
        if self.tables and name == "getitem" and any(args[0] is table for table in self.tables):
            self.found = Shortcut("indexed")
        if self.found:
            raise self.found
        named = {name: self._watching_over(one) for name, one in (kwargs or {}).items()}
        return func(*map(self._watching_over, args), **named)

    def _watching_over(self, one: Any) -> Any:
        """The argument itself or, where it is a function, one that is watched when PyTorch calls it."""
        return partial(_watched, self, one) if isinstance(one, _FUNCTIONS) else one


class _WatchOfThreads(TorchFunctionMode):
    """Sees what a thread calls, and passes it to the watch of the current call, if there is one."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if current := _watching[-1:]:  # read in one step, since another thread may end the call
            return current[0].__torch_function__(func, types, args, kwargs)
        return func(*args, **(kwargs or {}))


_watching: list[_Watch] = []  # the watches of the calls that are under way


def _arguments(target: Any, args: Any, kwargs: Any, wanted: list[str]) -> list[Any]:
    bound = inspect.signature(target).bind(*args, **kwargs).arguments if wanted else {}
    return [bound[name] for name in wanted if name in bound]


def refuse_held(module: nn.Module, names: list[str]) -> None:
    """Raise Shortcut where the module or one in it is an instance of a forbidden class or of a subclass."""
    for part in module.modules():
        for base in type(part).__mro__:
            if base.__name__ in names and base.__module__.startswith("torch."):
                raise Shortcut("held", base.__name__)
