"""Loads a unit's checks in `solutions/`, where nothing is packed: from the folders beside the unit's notebook."""

from __future__ import annotations

import json
from pathlib import Path

from checking import loader

OWN_PART = "own-part"  # the tag of a cell with the course's code of an earlier unit, which the reader may replace


def load(unit: str) -> None:
    """Load the shared modules and the checks of a unit, as they are on disk now, in the way of a packed notebook.

    unit: the name of the folder of `solutions/`, such as "03_self_attention".
    """
    folder = Path(__file__).resolve().parents[1]
    files = {module_name(path.relative_to(folder)): path for path in sorted((folder / "checking").rglob("*.py"))}
    files["checking.unit"] = folder / unit / "checks.py"
    notebook = json.loads((folder / unit / f"{unit}.ipynb").read_text(encoding="utf-8"))
    sources = {name: (str(path), path.read_text(encoding="utf-8")) for name, path in files.items()}
    own_parts = ["".join(cell["source"]) for cell in notebook["cells"] if OWN_PART in cell["metadata"].get("tags", ())]
    loader.load(sources, own_parts)


def module_name(path: Path) -> str:
    """The dotted name of a module's file: checking/examine/__init__.py -> checking.examine."""
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
