"""Unit 09's translator without the shift, under eight seeds. `checking/seeds.py` says how it is run."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1])]

from checking.seeds import Demo, Run, names_after, rerun  # noqa: E402 found by the line above

CELLS = ("part-heads", "part-attention", "part-stack", "part-block", "watch", "date-data", "date-ids")
CELLS += ("shift-right", "part-decoder", "Seq2Seq", "greedy-decode", "copied-loss", "copycat", "copycat-writes")
LOSSES = {  # no figure grows here: the points of its curve are kept
    "# @title Training with a curve that grows: run this cell": "points = []",
    "shown, curve, recent = display(figure, display_id=True), [], []": "curve, recent = [], []",
    "shown.update(figure)": "points.append(curve[-1])",
}


def copycat(seed: int) -> Run:
    """The loss of the model that was trained without the shift, and the share of the dates that it writes."""
    names = names_after(Path(__file__).parent, *CELLS, swaps=LOSSES | {"manual_seed(0)": f"manual_seed({seed})"})
    loss, said = names["copied_loss"]().item(), map(names["target_text"], names["copied"])
    pairs = zip(said, names["dates"][names["test_dates"]], strict=True)
    right = sum(text == iso for text, (_, iso) in pairs) / len(names["copied"])
    curve = [[step, round(loss, 4)] for step, loss in names["points"]]
    return {"loss": round(loss, 4), "right": right, "curve": curve}


def quotes_of_copycat(runs: list[Run]) -> list[str]:
    below, none = sum(run["loss"] < 0.01 for run in runs), sum(run["right"] == 0 for run in runs)
    where = "any" if none == len(runs) else f"{none}"
    return [f"below 0.01 in {below} of {len(runs)} runs", f"no correct date in {where} of them"]


DEMOS = {"copycat": Demo(text="dates-why", figure="copycat", run=copycat, quotes=quotes_of_copycat)}

if __name__ == "__main__":
    rerun(__file__, DEMOS)
