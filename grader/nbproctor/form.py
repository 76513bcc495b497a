"""What is left of an answer without its names, as a hash: two copies of which one was renamed have the same form.

It reads text of students', and runs where that is bounded, while a submission is matched.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Sequence

from nbproctor.reading import parse, reached

FORM_DIGITS = 32
NODES_LEAST = 50  # of syntax, without names of contexts; `return x @ W_q.T` has eight


def form_of(source: str, name: str) -> str:
    """The form of an answer in a cell: its statements without docstrings and comments, their own names numbered.

    "" where it is short, or does not parse.
    """
    # Parsed anew, since the names are replaced in the tree: that is quicker than to copy it.
    statements = sorted(reached([parse(source)], name), key=lambda statement: statement.lineno)
    if sum(not isinstance(node, ast.expr_context) for one in statements for node in ast.walk(one)) < NODES_LEAST:
        return ""
    numbered = _Numbered(statements)
    text = "\n".join(ast.dump(numbered.visit(statement)) for statement in statements)
    return hashlib.sha256(text.encode()).hexdigest()[:FORM_DIGITS]


class _Numbered(ast.NodeTransformer):
    """Gives the names that the statements bind themselves numbers, in the order in which they appear: variables,
    functions, classes, their arguments as keywords, their methods and attributes."""

    def __init__(self, statements: Sequence[ast.stmt]) -> None:
        nodes = [node for statement in statements for node in ast.walk(statement)]
        self.own = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        self.own |= {node.arg for node in nodes if isinstance(node, ast.arg)}
        self.functions = {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        self.own |= self.functions
        self.attributes = {name for node in nodes if isinstance(node, ast.ClassDef) for name in _attributes(node)}
        self.numbers: dict[str, str] = {}

    def _numbered(self, name: str) -> str:
        return self.numbers.setdefault(name, f"_{len(self.numbers)}") if name in self.own else name

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(self._numbered(node.id), node.ctx)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if node.attr in self.attributes:
            node.attr = self.numbers.setdefault(f".{node.attr}", f"_{len(self.numbers)}")
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(self._numbered(node.arg))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Keywords of functions of their own go by the numbers of their arguments; torch's keep their names."""
        called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if called in self.functions:
            for keyword in node.keywords:
                keyword.arg = keyword.arg and self._numbered(keyword.arg)
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name, node.returns = self._numbered(node.name), None
        return self._without_docstring(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.name = self._numbered(node.name)
        return self._without_docstring(node)

    def _without_docstring(self, node: ast.FunctionDef | ast.ClassDef) -> ast.AST:
        if ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return self.generic_visit(node)


def _attributes(node: ast.ClassDef) -> set[str]:
    """The names of a class's own methods, and of what they keep in the object."""
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
