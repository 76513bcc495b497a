"""The single changes of a solution cell, each with its line, and with a key that stays while the cell does."""

import ast
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from nbproctor.probe.edits import Edit, Source, name_of
from nbproctor.probe.operators import ALL, SAID

MARKS = ("BEGIN SOLUTION", "END SOLUTION")  # nbgrader's, unless its configuration has others


@dataclass(frozen=True)
class Change:
    """One change of a solution.

    key: names it in the file of those that are right all the same. line: its line in the cell. old, new: that line
    before and after. source: the whole changed cell. span: the lines of the statement that it is in, or of what
    is in an `if` that is left out. is_called: whether that runs only when somebody calls a function.
    """

    key: str
    words: str
    line: int
    old: str
    new: str
    source: str
    span: tuple[int, int] = (0, 0)
    is_called: bool = False
    is_wild: bool = False  # a submitted answer, and no change of ours


class Unreadable(Exception):
    """A solution that cannot be changed, since it is not plain Python; the message says why."""


def changes(name: str, cell: str, marks: tuple[str, str] = MARKS) -> list[Change]:
    """All single changes of a solution cell between nbgrader's marks, or of the whole cell where there are none.

    name: that of the exercise. Raises Unreadable.
    """
    try:
        source = Source(cell)
    except (SyntaxError, ValueError) as error:
        raise Unreadable("it is not plain Python (a magic, perhaps), and is not changed") from error
    inside, seen, found = _inside(cell, marks), {ast.dump(source.tree)}, list[Change]()
    for edit in _edits(source, inside):
        changed = source.applied(edit)
        try:
            tree = ast.dump(ast.parse(changed))
        except (SyntaxError, ValueError):  # where it stands, this is no expression
            continue
        if tree not in seen:
            seen.add(tree)
            found.append(_change(name, source, edit, changed))
    return sorted(found, key=lambda one: one.line)


def _edits(source: Source, inside: set[int]) -> Iterator[Edit]:
    skipped = _skipped(source)
    for node in ast.walk(source.tree):
        if node in skipped:
            continue
        for operator in ALL:
            yield from (one for one in operator(source, node) if inside.issuperset(_lines(one.node)))


def _lines(node: ast.AST) -> range:
    return range(node.lineno, node.end_lineno + 1)  # type: ignore[attr-defined]


_UNREAD: dict[type[ast.AST], str] = {
    ast.Raise: "exc", ast.Assert: "msg", ast.arg: "annotation", ast.AnnAssign: "annotation", ast.FunctionDef: "returns"
}  # fmt: skip


def _skipped(source: Source) -> set[ast.AST]:
    """What no test reads: figures, messages, what an exception or an assertion says, types."""
    found: set[ast.AST] = set()
    for node in ast.walk(source.tree):
        part = getattr(node, _UNREAD.get(type(node), ""), None)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and name_of(node.value) in SAID:
            part = node.value
        found.update(ast.walk(part) if part is not None else ())
    return found


def _inside(cell: str, marks: tuple[str, str]) -> set[int]:
    """The numbers of the lines between nbgrader's marks."""
    rows, (begin, end) = cell.splitlines(), marks
    if begin not in cell:
        return set(range(1, len(rows) + 1))
    found, is_inside = set[int](), False
    for number, row in enumerate(rows, 1):
        if begin in row or end in row:
            is_inside = begin in row
        elif is_inside:
            found.add(number)
    return found


def _change(name: str, source: Source, edit: Edit, changed: str) -> Change:
    old, new = source.text.splitlines(), changed.splitlines()
    line = next((at for at, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), len(old))
    is_added = len(new) > len(old)
    key = hashlib.sha256("\0".join((name, source.text, changed)).encode()).hexdigest()[:8]
    statement = source.statement(edit.node)
    parts = statement.body if edit.node is statement and isinstance(statement, ast.If) else [statement]
    return Change(
        key,
        edit.words,
        line + 1,
        "" if is_added else old[line].strip(),
        new[line].strip() if line < len(new) else "",
        changed,
        (parts[0].lineno, parts[-1].end_lineno or parts[-1].lineno),
        source.is_in_function(edit.node),
    )
