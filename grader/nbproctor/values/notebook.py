"""Reads notebooks: parses a file that was handed in, and returns its cells' sources, ids and tags."""

import ast
import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from nbproctor.values.text import line, many

NOTEBOOK_MOST_BYTES = 128 << 20  # a large notebook is mostly stored output, which is dropped
CELLS_MOST = 2_000


_FOREIGN = (  # (sign that a file is no notebook, what it is instead)
    (
        re.compile(rb"^(<{7}|>{7})( |$)", re.M),
        "it holds the marks of a git conflict (<<<<<<<), which have to be resolved",
    ),
    (re.compile(rb"\A%PDF-"), "a PDF"),
    (re.compile(rb"\APK\x03\x04"), "a zip archive"),
    (re.compile(rb"\A\x1f\x8b"), "a gzip archive"),
    (re.compile(rb"\Aversion https://git-lfs"), "a pointer of Git LFS, without the file that it stands for"),
    (re.compile(rb"\A\s*https?://\S+\s*\Z"), "a link, without what it leads to"),
    (re.compile(rb"\A\s*<"), "a web page"),
    (re.compile(rb"\A\s*(#|%|\"\"\"|import |from |def |class )"), "a program's text, as an export makes one"),
    (re.compile(rb"\A\s*\{.*[^}\s]\s*\Z", re.S), "it breaks off, as an upload does that was cut short"),
)
CODE_MOST_BYTES = 8 << 20  # of all code cells together; if there is more, the largest cells are left out
LEFT_OUT = "nbproctor_left_out"  # the key of a parsed notebook for the sizes of the cells that were left out


class Ungradable(Exception):
    """The submission has no notebook that can be read; the message is the reason, in one line."""


def source_of(cell: Mapping[str, Any]) -> str:
    """Return the text of a cell, whether the notebook stores it as a string or as a list of lines."""
    source = cell.get("source", "")
    return source if isinstance(source, str) else "".join(source)


@lru_cache(maxsize=1024)  # the course's own cells are compared with those of every student
def normalized(source: str) -> str:
    """Return a source without invisible differences: other line ends, and blanks at the ends of lines."""
    return "\n".join(each.rstrip() for each in source.strip().splitlines())


def grade_id_of(cell: Mapping[str, Any]) -> str | None:
    found = cell.get("metadata", {}).get("nbgrader", {}).get("grade_id")
    return found if isinstance(found, str) else None


def tags_of(cell: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(cell.get("metadata", {}).get("tags", ()))


def id_of(cell: Mapping[str, Any]) -> str | None:
    """Return the cell's id, or the one that Colab keeps in its metadata."""
    found = cell.get("id") or cell.get("metadata", {}).get("id")
    return found if isinstance(found, str) else None


def defined_names(source: str) -> list[str]:
    """Return the names that a cell defines at its top level; none if it does not parse."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found: list[str] = []
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
            found.append(node.name)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            leaves = [leaf for target in targets for leaf in ast.walk(target) if isinstance(leaf, ast.Name)]
            found += [leaf.id for leaf in leaves if isinstance(leaf.ctx, ast.Store)]  # not `name` in `table[name] = 1`
    return found


def parsed(raw: bytes) -> dict[str, Any]:
    """Parse the bytes of a notebook file. Raises Ungradable, whose message says what the file is instead.

    Undecodable bytes and lone surrogates are replaced, format 3 is converted, and outputs and too much code are
    dropped.
    """
    if not raw.strip():
        raise Ungradable("the file is empty")
    try:
        text = raw.decode(json.detect_encoding(raw), "replace")
        notebook = json.loads(text)
        if "\\ud" in text or "\\uD" in text:  # a lone surrogate, which cannot be encoded in a file
            notebook = json.loads(json.dumps(notebook, ensure_ascii=False).encode(errors="replace"))
    except (ValueError, RecursionError) as error:
        kind = next((kind for sign, kind in _FOREIGN if sign.search(raw)), f"not JSON ({line(str(error), 80)})")
        raise Ungradable(f"the file is not a notebook: {kind}") from error
    cells = notebook.get("cells", _cells_of_format_3(notebook)) if isinstance(notebook, dict) else None
    if not isinstance(cells, list) or (cells and not any(_is_cell(cell) for cell in cells)):
        raise Ungradable("the file is JSON but not a notebook: it has no list of cells")
    cells = [cell for cell in cells if _is_cell(cell)]  # one damaged cell costs itself
    if len(cells) > CELLS_MOST:
        raise Ungradable(f"the file has {many(len(cells), 'cell')}, more than {CELLS_MOST}")
    cells = [_tidy(cell) for cell in cells]
    return {**notebook, "cells": cells, LEFT_OUT: _leave_out(cells)}


def _leave_out(cells: list[dict[str, Any]]) -> list[int]:
    """Empty the largest code cells if all together exceed CODE_MOST_BYTES. Returns the sizes of the emptied ones."""
    code = [cell for cell in cells if cell.get("cell_type") == "code"]
    spare = CODE_MOST_BYTES - sum(len(cell["source"]) for cell in code)
    sizes: list[int] = []
    for cell in sorted(code, key=lambda cell: len(cell["source"]), reverse=True):
        if spare >= 0:
            break
        sizes.append(len(cell["source"]))
        spare += sizes[-1]
        cell["source"] = ""
    return sizes


def _cells_of_format_3(notebook: dict[str, Any]) -> list[Any] | None:
    """Return the cells of a notebook from before 2015, which had them on worksheets and called the source `input`."""
    sheets = notebook.get("worksheets")
    if not isinstance(sheets, list) or not sheets or not all(isinstance(sheet, dict) for sheet in sheets):
        return None
    cells = [cell for sheet in sheets for cell in sheet.get("cells") or []]
    return [
        {**cell, "source": cell.get("input", cell.get("source"))} if isinstance(cell, dict) else 0 for cell in cells
    ]


def _is_cell(cell: Any) -> bool:
    source = cell.get("source", "") if isinstance(cell, dict) else 0
    return isinstance(source, str) or (isinstance(source, list) and {str}.issuperset(map(type, source)))


def _tidy(cell: dict[str, Any]) -> dict[str, Any]:
    """Return the cell with metadata of valid types only, and without its outputs."""
    meta = cell.get("metadata")
    meta = dict(meta) if isinstance(meta, dict) else {}
    meta["nbgrader"] = meta.get("nbgrader") if isinstance(meta.get("nbgrader"), dict) else {}
    tags = meta.get("tags")
    meta["tags"] = [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else []
    kept = {key: value for key, value in cell.items() if key in ("cell_type", "id")}
    return {**kept, "metadata": meta, "source": source_of(cell)}
