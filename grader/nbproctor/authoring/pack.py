"""Packs what a unit's notebook needs (its checks, the words they use, the pictures) into the setup cell of `course/`.

In `solutions/` the setup cell imports the same modules from the folders beside the notebook (`checking.beside`).
"""

import ast
import base64
import hashlib
import re
import zlib
from collections.abc import Iterable, Mapping
from itertools import accumulate
from pathlib import Path
from typing import Any

from nbproctor.values.notebook import source_of, tags_of

ALWAYS = ("checking", "checking.notebook", "checking.pictures")
OWN_PART = "own-part"  # the tag of a cell with the course's code of an earlier unit, which the reader may replace
_LINE = re.compile(r'^packed = "(.*)"$', re.M)
Cells = Iterable[Mapping[str, Any]]


def setup_beside(unit: str, cells: Cells, root: Path) -> str:
    """The source of the setup cell of `solutions/`, which imports the unit's modules from the folders beside it."""
    return filled(_template("setup_beside.py", root), {"UNIT": unit, "NAMES": _names(_others(cells))})


def setup_packed(unit: str, where: str, cells: Cells, root: Path, before: str = "") -> str:
    """The source of the setup cell of `course/`, which holds the unit's modules.

    before: the cell that is there now. Its long line stays if it holds the same sources: zlib's bytes differ by
    version.
    """
    others = _others(cells)
    program = _program(unit, others, root)
    held = line_in(before) if program_in(before) == program else packed(program)
    first = re.search(r"^def check_(\w+)", (root / "solutions" / unit / "checks.py").read_text(encoding="utf-8"), re.M)
    places = {
        "HASH": hashlib.sha256(held.encode()).hexdigest()[:16],
        "FIRST": first[1] if first else "NAME",
        "UNIT": unit,
        "WHERE": where,
        "NAMES": _names(others),
        "PACKED": held,
    }
    return filled(_template("setup_packed.py", root), places)


def _template(name: str, root: Path) -> str:
    return (root / "solutions" / "checking" / name).read_text(encoding="utf-8").rstrip("\n")


def filled(template: str, places: dict[str, str]) -> str:
    """A template with these texts in its places."""
    return re.sub("|".join(places), lambda found: places[found[0]], template)


def _others(cells: Cells) -> list[dict[str, Any]]:
    """The code cells of a notebook but for its setup cell."""
    return [dict(cell) for cell in cells if cell["cell_type"] == "code" and cell["id"] != "setup"]


def _names(cells: list[dict[str, Any]]) -> str:
    """What the setup cell imports for these cells."""
    drawn, mapped = (any(call in source_of(cell) for cell in cells) for call in ("attention_view(", "heatmap("))
    return ", ".join([*["attention_view"] * drawn, "check", *["heatmap"] * mapped])


def _program(unit: str, cells: list[dict[str, Any]], root: Path) -> str:
    """The loader, and the modules that it makes: the unit's checks, and what these and the notebook's cells import."""
    folder = root / "solutions"
    drawn = {"checking.view"} if "attention_view" in _names(cells) else set[str]()
    wanted = [*ALWAYS, "checking.unit", *sorted(drawn.union(*(_imported(source_of(cell), folder) for cell in cells)))]
    sources: dict[str, tuple[str, str]] = {}
    while wanted:
        name = wanted.pop()
        if name in sources:
            continue
        path = folder / unit / "checks.py" if name == "checking.unit" else _file_of(name, folder)
        sources[name] = str(path.relative_to(root)), path.read_text(encoding="utf-8")
        wanted += sorted(_imported(sources[name][1], folder))
    loader = (folder / "checking" / "loader.py").read_text(encoding="utf-8")
    own_parts = [source_of(cell) for cell in cells if OWN_PART in tags_of(cell)]
    return f"{loader}\n\nload({dict(sorted(sources.items()))!r}, {own_parts!r})\n"


def _file_of(module: str, folder: Path) -> Path:
    path = folder.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _imported(source: str, folder: Path) -> set[str]:
    """The modules of `checking` that a source imports. What imports none is not parsed: a cell may hold magics."""
    found = set[str]()
    for node in ast.walk(ast.parse(source)) if "checking" in source else ():
        if isinstance(node, ast.ImportFrom) and (module := node.module or "").split(".")[0] == "checking":
            found |= {*accumulate(module.split("."), "{}.{}".format)}
            inner = {f"{module}.{alias.name}" for alias in node.names}
            found |= {name for name in inner if module == "checking" or _file_of(name, folder).exists()}
    return found - {"checking"}


def packed(program: str) -> str:
    """A program as one line of text."""
    return base64.b85encode(zlib.compress(program.encode(), 9)).decode()


def line_in(setup: str) -> str:
    """The packed line of a setup cell; "" if it has none."""
    found = _LINE.search(setup)
    return found[1] if found else ""


def program_in(setup: str) -> str:
    """The program that a setup cell has packed; "" if it has packed none, or none that can be read."""
    try:
        return zlib.decompress(base64.b85decode(line_in(setup))).decode()
    except (ValueError, zlib.error):
        return ""
