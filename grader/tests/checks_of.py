"""What a unit's checks.py says of its exercises, read without running it."""

from __future__ import annotations

import ast
from functools import cache

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
