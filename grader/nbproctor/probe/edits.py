"""What operators are made of: a place in a source, the text to put there, and the words that a teacher would use."""

import ast
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Edit:
    """Put `text` in the place of a node. words: what this does, for a teacher, with code in backticks."""

    node: ast.AST
    text: str
    words: str


@dataclass
class Source:
    """A parsed source, with the text and the parent of each node."""

    text: str
    tree: ast.Module = field(init=False)
    parents: dict[ast.AST, ast.AST] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.tree = ast.parse(self.text)
        self._raw = self.text.encode()
        self._starts = [0]  # of each line, in bytes, as `ast` counts them
        for row in self._raw.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(row))
        for node in ast.walk(self.tree):
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node

    def of(self, node: ast.AST) -> str:
        """The text of a node, as it stands in the source."""
        start, end = self.span(node)
        return self._raw[start:end].decode()

    def code(self, node: ast.AST, most: int = 40) -> str:
        """The text of a node for people: in backticks, on one line, cut to a length."""
        return f"`{short(self.of(node), most)}`"

    def call(self, node: ast.Call, *arguments: str) -> str:
        """A call of the same function with these arguments."""
        return f"{self.of(node.func)}({', '.join(arguments)})"

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where a node begins and ends, in bytes."""
        return (
            self._starts[node.lineno - 1] + node.col_offset,  # type: ignore[attr-defined]
            self._starts[node.end_lineno - 1] + node.end_col_offset,  # type: ignore[attr-defined]
        )

    def operand(self, node: ast.AST) -> str:
        """The text of an expression, in parentheses where it has operators, to be a part of another."""
        loose = (ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Lambda, ast.UnaryOp, ast.Await)
        return f"({self.of(node)})" if isinstance(node, loose) else self.of(node)

    def whole(self, node: ast.AST, text: str) -> str:
        """An expression with operators for the place of a node: in parentheses where something else would bind it."""
        binds = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.Attribute, ast.Subscript, ast.Await)
        parent = self.parents[node]
        is_bound = isinstance(parent, binds) and getattr(parent, "slice", None) is not node
        start, end = self.span(node)
        has_them = self._raw[start - 1 : start] + self._raw[end : end + 1] == b"()"
        return f"({text})" if is_bound and not has_them and not text.isidentifier() else text

    def applied(self, edit: Edit) -> str:
        """The whole source with this edit."""
        start, end = self.span(edit.node)
        return (self._raw[:start] + edit.text.encode() + self._raw[end:]).decode()

    def statement(self, node: ast.AST) -> ast.stmt:
        """The innermost statement that a node is part of."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def is_in_function(self, node: ast.AST) -> bool:
        """Whether a node runs only when some function is called."""
        while node in self.parents:
            node, child = self.parents[node], node
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and child in node.body:
                return True
            if isinstance(node, ast.Lambda) and child is node.body:
                return True
        return False


def short(text: str, most: int = 40) -> str:
    """A piece of code on one line, cut to a length."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def name_of(call: ast.Call) -> str:
    """The last part of the name of what is called: `mean` in `np.mean(x)` and `x.mean()`; "" where it has none."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
