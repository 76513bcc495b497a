"""PyTorch without its compiler and its distributed tensors, and matplotlib without what draws: nothing here uses them.

Everyday functions import them all the same when they are first called. An optimizer imports `torch._dynamo`, to mark
what should not be compiled. A layer with a padding mask, and `backward` with a gradient, import `symbolic_shapes`, and
with it all of sympy, since a shape might hold symbols. `assert_close` imports `torch.distributed.tensor`, to ask if a
tensor is a distributed one. Together these are 1,300 modules: 2 to 3 seconds at the start of a session, and 90 MB whose
pages each fork has to note.

`install` puts something else in the place of these three, which knows the few functions that are called where no
compiler runs. Whoever asks it for anything else that the real module has gets that one from then on.

What `import torch` itself brings is all there. A quarter of that time goes into shapes of tensors without numbers
(`torch._meta_registrations`), but what this imports is used unnamed: without it there is no `torch.Generator()` and no
`torch.broadcast_shapes`, and only what is left of it, a tenth of a second, could be spared.

`install_without_drawing` does the same for matplotlib's pyplot, a fifth of a second at the start of a class. A setup
cell imports it in the process where checks run, too, and nobody draws there.
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
    """Knows what is called of a module where no compiler runs. Any other name of the real one brings that in its place.

    Who looks through all modules for a name, as `inspect` does, does not want this one, and an import would change what
    they look through.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in _words_of(self.__name__):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(_real(self.__name__), name)


@functools.cache
def _words_of(module: str) -> frozenset[str]:
    """All words of a module's source, and the modules in it if it is a package: what it knows is among them."""
    spec = PathFinder.find_spec(module, sys.modules[module.rpartition(".")[0]].__path__)
    if spec is None or spec.origin is None:
        return frozenset()
    inside = {path.stem for folder in spec.submodule_search_locations or () for path in Path(folder).iterdir()}
    return frozenset(re.findall(r"\w+", Path(spec.origin).read_text(encoding="utf-8"))) | inside


class _Finder:
    """Is asked first for a module inside a package that is stood in for, and has the real package imported before."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        parent = name.rpartition(".")[0]
        if not isinstance(sys.modules.get(parent), _StandIn):
            return None
        package = _real(parent)
        if name in sys.modules:  # it came with the package, and would be loaded again, by its own spec, if it stayed
            return ModuleSpec(name, _Imported(sys.modules.pop(name)))
        return PathFinder.find_spec(name, package.__path__)


class _Imported(Loader):
    """Loads a module that there is already: puts it where it was."""

    def __init__(self, module: ModuleType) -> None:
        self.module, self.spec = module, module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self.module

    def exec_module(self, module: ModuleType) -> None:
        vars(module)["__spec__"] = self.spec  # some modules of settings refuse to be set what they do not know


def install() -> None:
    """Put the stand-ins in their places, for what has not been imported yet. Imports torch."""
    importlib.import_module("torch")
    package: list[str] = []  # of a package: where its modules are. `_Finder` knows that
    for name, known in (
        (COMPILER, {"disable": _disable, "graph_break": _graph_break, "__path__": package}),
        (SHAPES, {"expect_true": _expect_true, "sym_eq": _sym_eq}),
        (DISTRIBUTED, {"DTensor": type("DTensor", (), {}), "__path__": package}),
    ):
        _stand_in_for(name, known)
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def install_without_drawing() -> None:
    """What `install` does, and a stand-in for pyplot that knows its settings. Imports matplotlib, which has them."""
    install()
    _stand_in_for(DRAWING, {"rcParams": importlib.import_module("matplotlib").rcParams})


def _stand_in_for(name: str, known: dict[str, Any]) -> None:
    """Put something in the place of a module that knows this much of it, unless it has been imported already."""
    if name not in sys.modules:
        module = _StandIn(name)
        vars(module).update(known, __spec__=ModuleSpec(name, None))
        _put(name, module)


def _put(name: str, module: ModuleType) -> None:
    parent, _, last = name.rpartition(".")
    sys.modules[name] = module
    setattr(importlib.import_module(parent), last, module)


def _real(name: str) -> ModuleType:
    """The module itself, imported if it was stood in for until now."""
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
    """Where nothing is compiled, there is no graph to break."""


def _disable(fn: Any = None, recursive: bool = True, **options: Any) -> Any:
    """The function as it is, for as long as there is no compiler to keep away from it."""
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
    """A truth that is no symbol is what it is."""
    return a if type(a) is bool else bool(_real(SHAPES).expect_true(a, skip + 1))


def _sym_eq(x: Any, y: Any) -> Any:
    """Shapes without symbols are equal, or not."""
    plain = isinstance(x, tuple) and isinstance(y, tuple) and all(type(n) is int for n in (*x, *y))
    return x == y if plain else _real(SHAPES).sym_eq(x, y)
