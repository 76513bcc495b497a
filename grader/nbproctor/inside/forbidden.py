"""Not with: while a call lasts, the functions that its exercise asks to be built raise, under every name torch has.

This runs in the student's process, who could undo it there; their source is searched as well (`suspicion`).
"""

from __future__ import annotations

import _thread
import inspect
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from torch import nn
from torch.overrides import TorchFunctionMode


class Shortcut(Exception):
    """The call used what the exercise forbids: how, as `protocol.REFUSALS` names it, and what."""

    def __init__(self, how: str, name: str = "") -> None:
        super().__init__(how, name)
        self.how, self.name = how, name


@contextmanager
def forbid(names: list[str], target: Any, args: Any, kwargs: Any) -> Iterator[None]:
    """While the call lasts, make the forbidden functions raise Shortcut, under every name that torch has for them."""
    if not names:
        yield
        return
    tables = _arguments(target, args, kwargs, [name[8:] for name in names if name.startswith("getitem:")])
    watch = _Watch(names, tables)
    started = _thread.start_new_thread
    threading._start_new_thread = _thread.start_new_thread = lambda function, *rest: started(  # type: ignore[attr-defined]
        partial(_watched, watch, function), *rest
    )
    try:
        with watch:
            yield
    finally:
        threading._start_new_thread = _thread.start_new_thread = started  # type: ignore[attr-defined]
        if watch.found:  # in a thread, or they caught it: it comes before whatever else happened
            raise watch.found


def _watched(watch: _Watch, function: Any, *args: Any, **kwargs: Any) -> Any:
    """What a thread runs that begins while a call lasts."""
    with watch:
        return function(*args, **kwargs)


class _Watch(TorchFunctionMode):
    """Sees every function of torch that is called, by Python's name for it."""

    def __init__(self, names: list[str], tables: list[Any]) -> None:
        super().__init__()
        self.names, self.tables = frozenset(names), tables
        self.found: Shortcut | None = None

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "").strip("_")
        inside = getattr(getattr(func, "__code__", None), "co_names", ())  # of torch's own Python, where nobody sees it
        if used := next((one for one in (name, *inside) if one in self.names), ""):
            self.found = Shortcut("used", used)
        if self.tables and name == "getitem" and any(args[0] is table for table in self.tables):
            self.found = Shortcut("indexed")
        if self.found:
            raise self.found
        return func(*args, **(kwargs or {}))


def _arguments(target: Any, args: Any, kwargs: Any, wanted: list[str]) -> list[Any]:
    bound = inspect.signature(target).bind(*args, **kwargs).arguments if wanted else {}
    return [bound[name] for name in wanted if name in bound]


def refuse_held(module: nn.Module, names: list[str]) -> None:
    """Raise Shortcut where the module is, subclasses or holds a forbidden class."""
    for part in module.modules():
        for base in type(part).__mro__:
            if base.__name__ in names and base.__module__.startswith("torch."):
                raise Shortcut("held", base.__name__)
