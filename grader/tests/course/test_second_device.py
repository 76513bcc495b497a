"""On a device that is not the CPU, unit 08 trains its models on that device, and says so."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from cut_short import cut_short
from on_second_device import CHOICE

from nbproctor.course.units import load_unit
from nbproctor.values.notebook import tags_of


def test_what_unit_08_trains_it_trains_on_the_device_that_is_there(tmp_path: Path) -> None:
    """Every cell runs on the second device, although each training is interrupted early, and the output names it."""
    code = [cell for cell in load_unit("08_decoder_only").instructor["cells"] if cell["cell_type"] == "code"]
    cells = [(cut_short("".join(cell["source"])), "training" in tags_of(cell)) for cell in code]
    assert sum(source.count(CHOICE) for source, _ in cells) == 1
    told = trained_elsewhere(cells, tmp_path)
    assert told["error"] is None, told["error"]
    assert told["trained"] == [["elsewhere"]] * sum(trains for _, trains in cells)
    assert "on the elsewhere" in "\n".join(told["shown"])


def test_what_stays_behind_is_found(tmp_path: Path) -> None:
    """The test above can fail: a batch on the CPU is refused, and a model that was never moved is found."""
    start = f"import torch\n{CHOICE}\nmodel = torch.nn.Linear(2, 3).to(device)"
    stayed = trained_elsewhere([(start, False), ("model(torch.ones(4, 2))", True)], tmp_path)
    assert "expected all tensors on one device, got" in stayed["error"]
    unmoved = start.removesuffix(".to(device)") + "\ntorch.optim.AdamW(model.parameters()).step()"
    assert trained_elsewhere([(unmoved, True)], tmp_path)["trained"] == [["cpu"]]


def trained_elsewhere(cells: list[tuple[str, bool]], folder: Path) -> dict[str, Any]:
    """Run these cells on the second device; each comes with whether it trains. Returns what `told.json` holds.

    They run in a process of their own, since a process can name a device only once.
    """
    (folder / "cells.json").write_text(json.dumps(cells))
    program = str(Path(__file__).parents[1].joinpath("on_second_device.py"))
    done = subprocess.run(  # noqa: S603 our own
        [sys.executable, program, "cells.json"], cwd=folder, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr[-3000:]
    told: dict[str, Any] = json.loads((folder / "told.json").read_text())
    return told
