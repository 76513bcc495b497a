"""Distinguishes a newer Python's syntax from a mistake, in a source that this Python cannot parse.

libcst also parses syntax that this Python does not know. It lets some mistakes pass, too, so only syntax that is known
to be newer counts.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from nbproctor.border.bounded import OutOfBounds, bounded
from nbproctor.source.reading import SOURCE_MOST, spellings

if TYPE_CHECKING:
    import libcst

HERE = sys.version_info[:2]
Version = tuple[int, int]
PARSING_S = 2.0  # of processor time
PARSING_MB = 512
_SINCE: dict[str, Version] = {  # libcst's nodes of newer syntax, and the first Python that has them
    "TypeAlias": (3, 12), "TypeParam": (3, 12), "TemplatedString": (3, 14), "LazyImport": (3, 15),
    "LazyImportFrom": (3, 15), "StarredDictComp": (3, 15),
}  # fmt: skip


def newer_python(sources: Iterable[str]) -> str:
    """Return the Python that these sources need, such as "3.14"; "" if none needs a newer one than this.

    A source that takes libcst too long, or crashes it, as deep nesting can, counts as one that needs none.
    """
    import libcst  # noqa: F401 for the fork; most runs never need it

    texts = [source for source in sources if len(source) <= SOURCE_MOST]
    try:
        major, minor = bounded(lambda: max(map(_version, texts), default=HERE), PARSING_S, PARSING_MB)
    except OutOfBounds:
        return ""
    return f"{major}.{minor}" if (major, minor) > HERE else ""


def _version(source: str) -> Version:
    """Return the version that a source needs; HERE if it parses here, or in no Python."""
    import libcst

    for text in spellings(source):
        if _parses(text):
            return HERE
        try:
            module = libcst.parse_module(text)
        except Exception:  # noqa: BLE001, S112 libcst has several kinds of its own for a mistake
            continue
        return max(_needs(node, module) for node in _nodes(module))
    return HERE


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


def _nodes(node: libcst.CSTNode) -> Iterator[libcst.CSTNode]:
    stack = [node]
    while stack:
        one = stack.pop()
        yield one
        stack += one.children


def _needs(node: libcst.CSTNode, module: libcst.Module) -> Version:
    """Return the first Python that has this node, or HERE if it is not known to be newer."""
    import libcst

    if isinstance(node, libcst.FormattedString) and not _parses(f"({module.code_for_node(node)})"):
        return 3, 12  # with its own quotes, a backslash, a comment or a line's end between its braces
    if isinstance(node, libcst.TypeParam) and node.default is not None:
        return 3, 13
    if isinstance(node, (libcst.ExceptHandler, libcst.ExceptStarHandler)):
        return (3, 14) if isinstance(node.type, libcst.Tuple) and not node.type.lpar else HERE
    if isinstance(node, libcst.BaseSimpleComp):
        return (3, 15) if isinstance(node.elt, libcst.StarredElement) else HERE
    return _SINCE.get(type(node).__name__, HERE)
