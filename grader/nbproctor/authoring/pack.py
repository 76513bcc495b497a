"""Packs what a unit's notebook needs (its checks, the words they use, the pictures) into the unit's setup cell.

A cell keeps its long line as it is where that already holds the same sources, since another zlib compresses them into
other bytes.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from nbproctor.course.packed import line_in, packed, program_in
from nbproctor.values.notebook import source_of, tags_of

ALWAYS = ("checking", "checking.notebook", "checking.pictures")
OWN_PART = "own-part"  # the tag of a cell with the course's code of an earlier unit, which the reader may replace


def setup_cell(unit: str, where: str, cells: Iterable[Mapping[str, Any]], root: Path) -> str:
    """The source of a unit's setup cell. where: the repository's address. cells: those of the unit's notebook."""
    folder = root / "solutions"
    notebook = [dict(cell) for cell in cells if cell["cell_type"] == "code"]
    before = next(source_of(cell) for cell in notebook if cell["id"] == "setup")
    others = [cell for cell in notebook if cell["id"] != "setup"]
    drawn, mapped = (any(call in source_of(cell) for cell in others) for call in ("attention_view(", "heatmap("))
    used = set().union(*(_imported(source_of(cell)) for cell in others)) | ({"checking.view"} if drawn else set())
    program = _program(unit, used, _parts(others), root)
    held = line_in(before) if program_in(before) == program else packed(program)
    first = re.search(r"^def check_(\w+)", (folder / unit / "checks.py").read_text(encoding="utf-8"), re.M)
    places = {
        "HASH": hashlib.sha256(held.encode()).hexdigest()[:16],
        "FIRST": first[1] if first else "NAME",
        "UNIT": unit,
        "WHERE": where,
        "NAMES": ", ".join([*["attention_view"] * drawn, "check", *["heatmap"] * mapped]),
        "PACKED": held,
    }
    template = (folder / "checking" / "setup_cell.py").read_text(encoding="utf-8").rstrip("\n")
    return re.sub("|".join(places), lambda found: places[found[0]], template)


def _program(unit: str, used: set[str], parts: dict[str, str], root: Path) -> str:
    """The loader, and the modules that it makes: the unit's checks, and what these and the notebook's cells import."""
    folder = root / "solutions"
    wanted = [*ALWAYS, "checking.unit", *sorted(used)]
    sources: dict[str, tuple[str, str]] = {}
    while wanted:
        name = wanted.pop()
        if name in sources:
            continue
        inner = name.partition(".")[2] or "__init__"
        path = folder / (f"{unit}/checks.py" if name == "checking.unit" else f"checking/{inner}.py")
        sources[name] = str(path.relative_to(root)), path.read_text(encoding="utf-8")
        wanted += sorted(_imported(sources[name][1]))
    loader = (folder / "checking" / "loader.py").read_text(encoding="utf-8")
    return f"{loader}\n\nload({dict(sorted(sources.items()))!r}, {parts!r})\n"


def _imported(source: str) -> set[str]:
    """The modules of `checking` that a source imports. What imports none is not parsed: a cell may hold magics."""
    found = set[str]()
    for node in ast.walk(ast.parse(source)) if "checking" in source else ():
        if isinstance(node, ast.ImportFrom) and node.module == "checking":
            found |= {f"checking.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("checking."):
            found.add(str(node.module))
    return found


def _parts(cells: Iterable[dict[str, Any]]) -> dict[str, str]:
    """The functions and classes of the cells tagged `own-part`: name -> the course's source."""
    sources = [source_of(cell) for cell in cells if OWN_PART in tags_of(cell)]
    return {
        node.name: ast.get_source_segment(source, node) or ""
        for source in sources
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
