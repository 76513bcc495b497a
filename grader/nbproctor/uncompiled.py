"""Loads PyTorch without its compiler and distributed tensors, and matplotlib without pyplot, until something uses them.

Everyday functions import these modules when they are first called. An optimizer imports `torch._dynamo`, to mark what
should not be compiled. A layer with a padding mask, and `backward` with a gradient, import `symbolic_shapes`, and with
it all of sympy, since a shape might hold symbols. `assert_close` imports `torch.distributed.tensor`, to ask whether a
tensor is a distributed one. Together these are 1,300 modules. They would take 2 to 3 seconds at the start of a session,
and 90 MB, whose page entries each fork copies.

`install` puts a stand-in in the place of each of these three. It has the few functions that are called where no
compiler runs. When code asks it for any other name of the real module, the real one is imported and replaces it.

`import torch` itself is left as it is. A quarter of its time goes into shapes of tensors without numbers
(`torch._meta_registrations`), but other parts of torch rely on what this imports: without it there is no
`torch.Generator()` and no `torch.broadcast_shapes`. What could be spared is only a tenth of a second.

`install_without_drawing` does the same for matplotlib's pyplot, which takes a fifth of a second at the start of a
class. A setup cell imports pyplot also in the process where checks run, and nothing is drawn there.
"""

from __future__ import annotations

import functools
import importlib
import re
import sys
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

COMPILER = "torch._dynamo"
SHAPES = "torch.fx.experimental.symbolic_shapes"
DISTRIBUTED = "torch.distributed.tensor"
DRAWING = "matplotlib.pyplot"


class _StandIn(ModuleType):
    """Stands in for a module, with what is called of it where no compiler runs. Another name imports the real module.

    Names that begin with `__`, and names that the real module's source does not contain, are refused without an import.
    Code that looks through all modules for a name, as `inspect` does, is not interested in this one, and an import
    would change the modules that it looks through.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in _words_of(self.__name__):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(_real(self.__name__), name)


@functools.cache
def _words_of(module: str) -> frozenset[str]:
    """All words in a module's source and, of a package, the names of its modules: all names that it can have."""
    spec = PathFinder.find_spec(module, sys.modules[module.rpartition(".")[0]].__path__)
    if spec is None or spec.origin is None:
        return frozenset()
    inside = {path.stem for folder in spec.submodule_search_locations or () for path in Path(folder).iterdir()}
    return frozenset(re.findall(r"\w+", Path(spec.origin).read_text(encoding="utf-8"))) | inside


class _Finder:
    """Finds a module inside a package that has a stand-in, by importing the real package first."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        parent = name.rpartition(".")[0]
        if not isinstance(sys.modules.get(parent), _StandIn):
            return None
        package = _real(parent)
        if name in sys.modules:  # the package has imported it; left there, it would be loaded a second time
            return ModuleSpec(name, _Imported(sys.modules.pop(name)))
        return PathFinder.find_spec(name, package.__path__)


class _Imported(Loader):
    """Loads a module that exists already: it returns the module as it is."""

    def __init__(self, module: ModuleType) -> None:
        self.module, self.spec = module, module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self.module

    def exec_module(self, module: ModuleType) -> None:
        vars(module)["__spec__"] = self.spec  # some settings modules refuse an attribute that they do not know


def install() -> None:
    """Put a stand-in in the place of each of the three modules that has not been imported yet. Imports torch."""
    importlib.import_module("torch")
    package: list[str] = []  # an empty `__path__` makes a stand-in a package; `_Finder` finds the modules in it
    for name, known in (
        (COMPILER, {"disable": _disable, "graph_break": _graph_break, "__path__": package}),
        (SHAPES, {"expect_true": _expect_true, "sym_eq": _sym_eq}),
        (DISTRIBUTED, {"DTensor": type("DTensor", (), {}), "__path__": package}),
    ):
        _stand_in_for(name, known)
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def install_without_drawing() -> None:
    """Like `install`, and with a stand-in for pyplot that has matplotlib's `rcParams`. Imports matplotlib."""
    install()
    _stand_in_for(DRAWING, {"rcParams": importlib.import_module("matplotlib").rcParams})


def _stand_in_for(name: str, known: dict[str, Any]) -> None:
    """Put a stand-in with these names in the place of a module, unless that has been imported already."""
    if name not in sys.modules:
        module = _StandIn(name)
        vars(module).update(known, __spec__=ModuleSpec(name, None))
        _put(name, module)


def _put(name: str, module: ModuleType) -> None:
    parent, _, last = name.rpartition(".")
    sys.modules[name] = module
    setattr(importlib.import_module(parent), last, module)


def _real(name: str) -> ModuleType:
    """The real module, which is imported now if it had a stand-in."""
    stand_in = sys.modules.get(name)
    if isinstance(stand_in, _StandIn):
        del sys.modules[name]
        try:
            importlib.import_module(name)
        except BaseException:
            _put(name, stand_in)
            raise
    return sys.modules[name]


def _graph_break(*_: Any, **__: Any) -> None:
    """Do nothing: where nothing is compiled, there is no graph to break."""


def _disable(fn: Any = None, recursive: bool = True, **options: Any) -> Any:
    """Like `torch._dynamo.disable`: returns a function that calls `fn` itself, as long as no compiler is imported."""
    if fn is None:
        return functools.partial(_disable, recursive=recursive, **options)

    @functools.cache
    def kept_away() -> Any:
        return _real(COMPILER).disable(fn, recursive, **options)

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        called = fn if isinstance(sys.modules.get(COMPILER), _StandIn) else kept_away()
        return called(*args, **kwargs)

    return call


def _expect_true(a: Any, skip: int = 0) -> bool:
    """Like the real `expect_true`; for a plain bool it needs no symbols."""
    return a if type(a) is bool else bool(_real(SHAPES).expect_true(a, skip + 1))


def _sym_eq(x: Any, y: Any) -> Any:
    """Like the real `sym_eq`; for two shapes of plain integers it needs no symbols."""
    plain = isinstance(x, tuple) and isinstance(y, tuple) and all(type(n) is int for n in (*x, *y))
    return x == y if plain else _real(SHAPES).sym_eq(x, y)
