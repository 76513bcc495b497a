"""What the checks in solutions/ say: of a unit's exercises, read without running it; and its modules, imported."""

import ast
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import ModuleType

from nbproctor.paths import ROOT


@cache
def forbidden(unit: str) -> dict[str, tuple[str, ...]]:
    """Exercise -> the bare names of the functions that it forbids; only exercises that forbid any are there."""
    tree = ast.parse((ROOT / "solutions" / unit / "checks.py").read_text(encoding="utf-8"))
    return {
        node.name.removeprefix("check_"): tuple(
            str(name.value).rpartition(".")[2] for name in mark.args if isinstance(name, ast.Constant)
        )
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        for mark in node.decorator_list
        if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "without"
    }


def _forget_checking() -> dict[str, ModuleType]:
    """Take `checking` and all its modules out of this process's imports, and return them."""
    return {name: sys.modules.pop(name) for name in [*sys.modules] if name.partition(".")[0] == "checking"}


@contextmanager
def checking_of_solutions() -> Iterator[None]:
    """Within this, `import checking` finds solutions/checking, even after a packed setup cell brought its own."""
    before, finders = _forget_checking(), [*sys.meta_path]
    sys.meta_path[:] = [finder for finder in finders if type(finder).__name__ != "Packed"]  # see checking.loader
    sys.path.insert(0, str(ROOT / "solutions"))
    try:
        yield
    finally:
        sys.path.remove(str(ROOT / "solutions"))
        _forget_checking()
        sys.meta_path[:] = finders
        sys.modules.update(before)
