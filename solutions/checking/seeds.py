"""Reruns a unit's demonstrations under several seeds, and stores the table that the unit's text quotes.

`solutions/NN_topic/seeds.py` names the demonstrations. It is run by hand and weekly, never by `make test`:

    .venv/bin/python solutions/03_self_attention/seeds.py            all of the unit's
    .venv/bin/python solutions/03_self_attention/seeds.py shortcut   one of them

It writes `seeds.json` beside itself. A test compares the text with this table, and the book draws its curves.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
import torch

SEEDS = range(8)
CURVE_MOST = 60  # points of a curve in the book's small picture
Run = dict[str, Any]  # name -> number; "curve", if there is one: a list of [x, y]


@dataclass(frozen=True)
class Demo:
    """A demonstration whose conclusion rests on training, or on numbers drawn at random.

    text: the id of the notebook's cell that quotes the runs. figure: the id of the cell whose curve they repeat, or "".
    run: one run under a seed. quotes: what the text has to say of all runs, word for word ("7 of 8 runs").
    """

    text: str
    run: Callable[[int], Run]
    quotes: Callable[[list[Run]], list[str]]
    figure: str = ""


def names_after(folder: Path, *cells: str, swaps: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Run the setup and these cells of the unit's own notebook, by id, and return the names that they define.

    swaps: text of these cells -> what stands there in this run, such as "manual_seed(0)" -> "manual_seed(3)". Raises
    ValueError where a cell or a text to swap is not there, so that no demonstration silently runs as it was.
    """
    matplotlib.use("Agg")
    notebook = json.loads((folder / f"{folder.name}.ipynb").read_text(encoding="utf-8"))
    sources = {cell["id"]: "".join(cell["source"]) for cell in notebook["cells"]}
    if lost := [cell for cell in cells if cell not in sources]:
        raise ValueError(f"{folder.name} has no cell {', '.join(lost)}")
    text = "\n\n".join(sources[cell] for cell in cells)
    for old, new in (swaps or {}).items():
        if old not in text:
            raise ValueError(f"none of the cells {', '.join(cells)} of {folder.name} holds {old!r}")
        text = text.replace(old, new)
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(sources["setup"].replace('[".."]', f'["{folder.parent}"]'), "setup", "exec"), names)  # noqa: S102 ours
    exec(compile(text, "cells", "exec"), names)  # noqa: S102 the notebook's own cells
    return names


def rerun(file: str, demos: Mapping[str, Demo]) -> None:
    """Run the demonstrations named on the command line, or all, under all seeds, and write the table beside `file`."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(demos)}; all by default")
    wanted = parser.parse_args().names or list(demos)
    path = Path(file).with_name("seeds.json")
    table = runs_in(path)
    torch.set_num_threads(1)
    for name in wanted:
        runs = []
        for seed in SEEDS:
            began = time.monotonic()
            torch.manual_seed(seed)
            runs.append(demos[name].run(seed))
            shown = {key: value for key, value in runs[-1].items() if key != "curve"}
            print(f"{name}, seed {seed}, {time.monotonic() - began:.0f} s: {shown}", flush=True)
        print(f"{name}: the text has to say {demos[name].quotes(runs)}")
        table[name] = runs
        write(path, demos, table)


def runs_in(path: Path) -> dict[str, list[Run]]:
    """The runs of each demonstration in a table; none where there is no table yet."""
    table = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {name: one["runs"] for name, one in table.items()}


def write(path: Path, demos: Mapping[str, Demo], table: Mapping[str, list[Run]]) -> None:
    """Write the table, a run per line; `figure` says to the book below which figure it shows the curves."""
    parts = []
    for name in (name for name in demos if name in table):
        runs = ",\n".join(json.dumps(run) for run in table[name])
        parts.append(f'"{name}": {{"figure": {json.dumps(demos[name].figure)}, "runs": [\n{runs}\n]}}')
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def curve(values: list[float], first: float = 0.0, step: float = 1.0) -> list[list[float]]:
    """Points for the book's small picture of a run: at most 60, with three digits after the point."""
    every = max(1, -(-len(values) // CURVE_MOST))
    return [[round(first + step * n, 3), round(values[n], 3)] for n in range(0, len(values), every)]
