"""What the text says of several runs is what `seeds.py` has measured: each phrase stands in the cell that quotes it."""

import importlib.util
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from checks_of import checking_of_solutions

from nbproctor.paths import ROOT
from nbproctor.values.notebook import source_of

TABLES = sorted(ROOT.glob("solutions/[0-9]*/seeds.py"))


def demos_of(path: Path) -> Mapping[str, Any]:
    """The demonstrations of a unit, without running one."""
    spec = importlib.util.spec_from_file_location(f"seeds_{path.parent.name[:2]}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with checking_of_solutions():
        spec.loader.exec_module(module)
    found: Mapping[str, Any] = module.DEMOS
    return found


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.parent.name)
def test_the_text_says_of_eight_runs_what_was_measured(path: Path) -> None:
    table = json.loads(path.with_name("seeds.json").read_text(encoding="utf-8"))
    figures, table = ({name: one[key] for name, one in table.items()} for key in ("figure", "runs"))
    notebook = json.loads((path.parent / f"{path.parent.name}.ipynb").read_text(encoding="utf-8"))
    sources = {cell["id"]: " ".join(source_of(cell).split()) for cell in notebook["cells"]}
    demos = demos_of(path)
    assert demos.keys() == table.keys()
    for name, demo in demos.items():
        assert len(table[name]) >= 8
        assert figures[name] == demo.figure and (demo.figure == "" or demo.figure in sources)
        quotes = demo.quotes(table[name])
        assert quotes, f"{name}: the text says nothing of its runs"
        lost = [quote for quote in quotes if quote not in sources[demo.text]]
        assert not lost, f"{name}: the text of cell {demo.text} should say {lost}"
