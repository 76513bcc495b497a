"""Notes which of the functions that an exercise asks to build were used, and by whom, while a check runs.

For that time each of them is replaced, under every name that torch and the notebook have for it, by a function that
notes the call and makes it. Nothing is raised in the middle of an answer, where its own `except`, or PyTorch, could
turn the exception into another. A TorchFunctionMode notes what was kept under a name before: a default argument, a
closure. PyTorch drops it while it handles a call, and there the replaced functions remain.
"""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache, wraps
from inspect import signature
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn
from torch.overrides import TorchFunctionMode, _get_current_function_mode, _pop_mode_temporarily

from checking.ruler import Peak

LIBRARIES = (str(Path(torch.__file__).parent), sysconfig.get_path("stdlib"))
LOOK_UPS = ("getitem", "select", "narrow")  # of a tensor: each takes rows out of it, as an index does
MODULES = (torch, F, torch.special, torch.Tensor, nn, torch._C._nn, torch._C._VariableFunctions)
MODULES += (torch.autograd, torch.func, torch.autograd.functional)


class Watch(TorchFunctionMode):
    """While it is on, `used` collects which functions of these names were called by others than us.

    names: bare names, of functions, methods and classes; `getitem:ARG` stands for indexing the argument ARG,
    `argument:NAME` for NAME=True in a call of any function of torch's, and `holds:BYTES` for an autograd.Function whose
    own tensors hold that many bytes at once, in its forward pass, between the two, or in its backward pass.
    notebook: the names of the notebook, where a function may have one more. ours: the globals of the check's code.
    """

    def __init__(self, names: Iterable[str], notebook: dict[str, Any], ours: Iterable[Any] = ()) -> None:
        super().__init__()
        self.names, self.notebook, self.ours = frozenset(names), notebook, {id(one) for one in ours}
        self.used: list[str] = []
        self.codes: list[Any] = []  # of the functions that stand for answers
        self.tables: list[Any] = []
        self.most = next((int(name[6:]) for name in self.names if name.startswith("holds:")), 0)
        self.held = Peak()
        self.undo: list[Callable[[], None]] = []

    def __enter__(self) -> Watch:
        instead = {}
        for place, name, it, bare in doors(self.names, "torch.nn.attention.flex_attention" in sys.modules):
            instead[id(it)] = new = self._noting(it, bare)
            if name in vars(place):
                self.undo.append(lambda place=place, name=name, it=it: setattr(place, name, it))
            else:  # inherited
                self.undo.append(lambda place=place, name=name: delattr(place, name))
            setattr(place, name, new)
        for name, value in [*self.notebook.items()]:
            if new := instead.get(id(value)):
                self.undo.append(lambda name=name, value=value: self.notebook.update({name: value}))
                self.notebook[name] = new
        super().__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        while self.undo:
            self.undo.pop()()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        bare = getattr(func, "__name__", "").partition(".")[0].strip("_")
        if bare in self.names:
            self._note(bare)
        if bare in LOOK_UPS and any(_shares(args[0], table) for table in self.tables):
            self._note(next(name for name in self.names if name.startswith("getitem:")))
        for name, value in (kwargs or {}).items():
            if value is True and f"argument:{name}" in self.names:
                self._note(f"argument:{name}")
        return func(*args, **(kwargs or {}))

    def answer(self, it: Any) -> Any:
        """An answer as the check gets it: what it calls counts as the student's, be it torch's own function."""
        if isinstance(it, type) and issubclass(it, torch.autograd.Function):
            return type(it.__name__, (it,), {"apply": staticmethod(self.answer(it.apply))})
        tables = [name[8:] for name in self.names if name.startswith("getitem:")]
        if self.most and isinstance(kind := getattr(it, "__self__", None), type):
            it = self._holding(kind).apply

        def answer(*args: Any, **kwargs: Any) -> Any:
            bound: Mapping[str, Any] = signature(it).bind(*args, **kwargs).arguments if tables else {}
            self.tables = [bound[name] for name in tables if name in bound]
            return it(*args, **kwargs)

        answer.__name__ = getattr(it, "__name__", type(it).__name__)
        self.codes.append(answer.__code__)
        return answer

    def _holding(self, kind: Any) -> Any:
        """The same autograd.Function, but what its own code holds is counted."""

        def counting(name: str) -> Any:
            step = getattr(kind, name)

            @wraps(step)
            def counted(*args: Any) -> Any:
                if name == "forward":  # each call by itself
                    self.held = Peak()
                self.held.known.update(one.untyped_storage() for one in args if isinstance(one, torch.Tensor))
                with self.held:
                    result = step(*args)
                if self.held.most >= self.most and (rule := f"holds:{self.most}") not in self.used:
                    self.used.append(rule)
                return result

            return staticmethod(counted)

        plain = torch.autograd.Function
        steps = [name for name in ("forward", "backward", "vjp") if getattr(kind, name) is not getattr(plain, name)]
        return type(kind.__name__, (kind,), {name: counting(name) for name in steps})

    def _noting(self, it: Any, bare: str) -> Any:
        @wraps(it, updated=())
        def noting(*args: Any, **kwargs: Any) -> Any:
            self._note(bare)
            return it(*args, **kwargs)

        return noting

    def _note(self, bare: str) -> None:
        if bare not in self.used and self._is_theirs():
            self.used.append(bare)

    def _is_theirs(self) -> bool:
        """Whether the innermost code that is no library's is the student's, and not the check's."""
        frame = sys._getframe(2)
        while frame is not None:
            if frame.f_code in self.codes:
                return True
            if frame.f_globals is not globals() and not frame.f_code.co_filename.startswith(LIBRARIES):
                return id(frame.f_globals) not in self.ours
            frame = frame.f_back
        return True


def unwatched() -> AbstractContextManager[Any]:
    """Within this the watch, if one is on, does not look at operations. Only for what calls no line of an answer."""
    return _pop_mode_temporarily() if isinstance(_get_current_function_mode(), Watch) else nullcontext()


def _shares(one: Any, table: Any) -> bool:
    """Whether a tensor is the table, a view of it, such as its transpose, or a copy of it."""
    try:
        shared = one is table or one.untyped_storage().data_ptr() == table.untyped_storage().data_ptr()
        return shared or (one.shape == table.shape and torch.equal(one, table))
    except (AttributeError, RuntimeError):  # it has no storage of its own, as under vmap
        return False


@lru_cache(maxsize=64)
def doors(names: frozenset[str], flex: bool = False) -> list[tuple[Any, str, Any, str]]:
    """Where these functions can be had: (module or class, name there, function, bare name).

    Not `torch.ops`: while a TorchFunctionMode is on, torch itself looks its operators up there, and the mode sees them.
    flex: whether flex_attention has been imported, which takes seconds.
    """
    found = []
    for place in (*MODULES, *([sys.modules["torch.nn.attention.flex_attention"]] if flex else [])):
        for bare in sorted(names):
            for name in (bare, f"_{bare}", f"{bare}_"):
                it = getattr(place, name, None)
                if isinstance(it, type):
                    found += [(it, method, getattr(it, method), bare) for method in ("__init__", "forward")]
                elif callable(it) and _may_set(place, name, it):
                    found.append((place, name, it, bare))
    return found


def _may_set(place: Any, name: str, it: Any) -> bool:
    try:
        had = name in vars(place)
        setattr(place, name, it)
        if not had:
            delattr(place, name)
    except (AttributeError, TypeError):
        return False
    return True
