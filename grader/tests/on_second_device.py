"""Runs cells of a notebook on the second device, in a process of its own: `on_second_device.py CELLS.json`."""

from __future__ import annotations

import json
import sys
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

import matplotlib as mpl
import second_device
import torch
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from matplotlib.axes import Axes
from torch.optim.optimizer import register_optimizer_step_pre_hook

INTERRUPTED_AT = 3  # steps of each optimizer, in a cell that trains
CHOICE = 'device = "cuda" if torch.cuda.is_available() else "cpu"'


def main(path: str) -> None:
    """Run the cells and write `told.json`: the devices of each training's parameters, the output, and the first error.

    Each training is interrupted, as a reader might do, and the cells below it have to work with what it has reached.
    """
    mpl.use("agg")
    kept = second_device.install()
    trained: set[str] = set()
    interrupting = False
    steps: Counter[Any] = Counter()

    def interrupt(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        trained.update(p.device.type for group in optimizer.param_groups for p in group["params"])
        steps[optimizer] += 1
        if interrupting and steps[optimizer] == INTERRUPTED_AT:
            raise KeyboardInterrupt

    register_optimizer_step_pre_hook(interrupt)
    told: dict[str, Any] = {"trained": [], "error": None, "shown": []}
    label = Axes.set_xlabel
    Axes.set_xlabel = lambda ax, text, *rest, **named: (told["shown"].append(text), label(ax, text, *rest, **named))[1]
    shell = InteractiveShell.instance()
    for source, trains in json.loads(Path(path).read_text()):
        trained.clear()
        interrupting = trains
        with capture_output() as captured:
            ran = shell.run_cell(source.replace(CHOICE, f"device = {second_device.NAME!r}"))
        told["shown"].append(captured.stdout)
        if not ran.success and not (trains and isinstance(ran.error_in_exec, KeyboardInterrupt)):
            told["error"] = "".join(traceback.format_exception(ran.error_in_exec or ran.error_before_exec))
            break
        if trains:
            told["trained"].append(sorted(trained))
    Path("told.json").write_text(json.dumps(told))
    del kept


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(sys.argv[1])
