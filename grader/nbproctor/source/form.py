"""The form of an answer: a hash of its code without names, the same for two copies of which one has other names.

This module reads students' text, so it runs in the bounded process in which a submission is matched.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Sequence
from typing import Any

from nbproctor.source.reading import nodes_in, reached, read

FORM_DIGITS = 32
NODES_LEAST = 50  # nodes of the syntax tree, without Load and Store; `return x @ W_q.T` has eight


def form_of(source: str, name: str) -> str:
    """Return the form of the answer that a cell gives to the exercise `name`, as FORM_DIGITS hexadecimal digits.

    It covers the statements that belong to the answer, without docstrings and comments, and with numbers in place of
    the names that they define. Returns "" where the answer is short, or does not parse.
    """
    statements = reached(read(source).tree, name)
    if sum(not isinstance(node, ast.expr_context) for node in nodes_in(statements)) < NODES_LEAST:
        return ""
    numbered = _Numbered(statements)
    for statement in statements:
        numbered.write(statement)
    return hashlib.sha256("".join(numbered.parts).encode()).hexdigest()[:FORM_DIGITS]


class _Numbered:
    """Writes syntax down, much as `ast.dump` does, with numbers in place of the names that the statements bind.

    These are the names of variables, functions, classes, arguments (as keywords, too), methods and attributes, numbered
    in the order in which they first appear. The tree itself is not changed, because other modules read it, too.
    """

    def __init__(self, statements: Sequence[ast.stmt]) -> None:
        nodes = nodes_in(statements)
        self.own = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        self.own |= {node.arg for node in nodes if isinstance(node, ast.arg)}
        self.functions = {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        self.own |= self.functions
        self.attributes = {name for node in nodes if isinstance(node, ast.ClassDef) for name in _attributes(node)}
        self.numbers: dict[str, str] = {}
        self.parts: list[str] = []

    def write(self, node: Any) -> None:
        """Add to `parts` what stands for a node, a list of nodes, or a plain value."""
        if isinstance(node, ast.AST):
            self.parts.append(type(node).__name__)
            other = self._written_otherwise(node)
            for field in node._fields:
                self.write(other[field] if field in other else getattr(node, field, None))
            self.parts.append(")")
        elif isinstance(node, list):
            self.parts.append("[")
            for one in node:
                self.write(one)
            self.parts.append("]")
        else:
            self.parts.append(f"({node!r}")

    def _written_otherwise(self, node: ast.AST) -> dict[str, Any]:
        """Return the fields of a node that are written differently, with what is written in their place."""
        if isinstance(node, ast.Name):
            return {"id": self._number(node.id)}
        if isinstance(node, ast.Attribute):
            is_own = node.attr in self.attributes
            return {"attr": self.numbers.setdefault(f".{node.attr}", f"_{len(self.numbers)}")} if is_own else {}
        if isinstance(node, ast.arg):
            return {"arg": self._number(node.arg), "annotation": None, "type_comment": None}
        if isinstance(node, ast.Call):
            return self._keywords(node)
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
            return {"name": self._number(node.name), "returns": None, "body": body or [ast.Pass()]}
        return {}

    def _number(self, name: str) -> str:
        return self.numbers.setdefault(name, f"_{len(self.numbers)}") if name in self.own else name

    def _keywords(self, node: ast.Call) -> dict[str, Any]:
        """Number the keywords in a call of one of the answer's own functions; other calls, as of torch, keep theirs."""
        called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if called not in self.functions:
            return {}
        return {"keywords": [[one.arg and self._number(one.arg), one.value] for one in node.keywords]}


def _attributes(node: ast.ClassDef) -> set[str]:
    """Return the names of a class's methods, and of the attributes that they set on the object."""
    found = set[str]()
    for method in node.body:
        if isinstance(method, ast.FunctionDef):
            found.add(method.name)
            me = method.args.args[0].arg if method.args.args else ""
            found |= {
                one.attr
                for one in ast.walk(method)
                if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store)
                if isinstance(one.value, ast.Name) and one.value.id == me
            }
    return found
