"""What in a student's source is worth a look: shortcuts that the exercise forbids, and tampering that no answer needs.

A shortcut refuses the answer. Tampering decides nothing (the verdict is computed where it has no effect); it is told to
the instructor only.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

LIBRARIES = (
    "torch",
    "F",
    "nn",
    "np",
    "numpy",
    "plt",
    "matplotlib",
    "builtins",
    "sys",
    "os",
    "time",
    "random",
    "unittest",
)
TOOLS = ("ctypes", "gc", "socket", "subprocess", "multiprocessing", "signal", "pickle", "marshal", "nbproctor")
OF_OS = ("_exit", "abort", "close", "closerange", "dup2", "environ", "fork", "forkpty", "kill", "killpg", "popen",
         "setsid", "system", "write")  # fmt: skip
HOOKS = ("_getframe", "_current_frames", "get_objects", "get_referrers", "settrace", "setprofile", "ast_transformers",
         "showtraceback", "tb_frame", "f_back", "f_globals", "__reduce__", "__reduce_ex__", "__subclasses__",
         "__stdout__", "__stderr__", "__torch_function__")  # fmt: skip


USED = "the call used {}, which this exercise asks you to build"
HELD = "the module holds an nn.{}, which this exercise asks you to build"
INDEXED = "the call indexed an argument, which this exercise asks you to do without"


def shortcut_messages(not_with: tuple[str, ...]) -> set[str]:
    """All that a student's process may say of a shortcut: a refusal is shown to the student, and may carry no more."""
    return {INDEXED, *(text.format(name) for text in (USED, HELD) for name in not_with)}


def shortcut_in(source: str, not_with: tuple[str, ...]) -> str | None:
    """The forbidden name that the source uses as an attribute, imports, or asks `getattr` for, if any."""
    for node in _nodes(source):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and node.attr in not_with:
            return node.attr
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ("torch", "numpy", "scipy"):
            for alias in node.names:
                if alias.name in not_with:
                    return alias.name
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "getattr":
            for argument in node.args:
                if isinstance(argument, ast.Constant) and argument.value in not_with:
                    return str(argument.value)
    return None


def tampering_in(source: str) -> tuple[str, ...]:
    """One short line for each thing that reaches beyond an answer; each once, in the order of the source."""
    return tuple(dict.fromkeys(_tampering(source)))


def _tampering(source: str) -> Iterator[str]:  # noqa: C901 a flat list of patterns, one line each
    for node in _nodes(source):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _root(node) in LIBRARIES:
            if not (isinstance(node.value, ast.Name) and node.value.id == "self"):
                yield f"sets {ast.unparse(node)}"
        elif isinstance(node, ast.Attribute) and node.attr in HOOKS:
            yield f"uses {node.attr}"
        elif isinstance(node, ast.Attribute) and node.attr in OF_OS and _root(node) == "os":
            yield f"uses os.{node.attr}"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("setattr", "delattr"):
            if node.args and _root(node.args[0]) in LIBRARIES:
                yield f"sets attributes of {ast.unparse(node.args[0])}"
        elif isinstance(node, ast.FunctionDef) and node.name in ("__eq__", "__class__", *HOOKS):
            yield f"defines {node.name}"
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            yield from (f"imports {name}" for name in modules if name.split(".")[0] in TOOLS)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("/proc"):
            yield "reads /proc"


@lru_cache(maxsize=64)  # the same cell is searched for both, before and after its checks
def _nodes(source: str) -> list[ast.AST]:
    try:
        return list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
