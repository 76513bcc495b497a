"""Unit 07's drawn demonstrations, and what its text has to say of them. `checking/seeds.py` says how it is run."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1])]

from checking.seeds import Demo, Run, curve, names_after, rerun  # noqa: E402 found by the line above

HERE = Path(__file__).parent
PARTS = ("f8e7ace7", "LayerNorm", "own-parts", "ready-attention-class", "TransformerBlock", "stack", "d5fd5e11")


def residual(seed: int) -> Run:
    """The mean cosine between the words after twelve layers of attention, with the plus sign and without."""
    swaps = {"manual_seed(0)": f"manual_seed({seed})"}
    names = names_after(HERE, *PARTS, "5046efd7", "4fbb9a81", swaps=swaps)
    alone, added = names["alone"], names["added"]
    return {"added": round(added[-1], 3), "alone": round(alone[-1], 3), "curve": curve(added)}


def quotes_of_residual(runs: list[Run]) -> list[str]:
    added = sorted(run["added"] for run in runs)
    alone = " to ".join(sorted({f"{run['alone']:.2f}" for run in runs}))
    return [f"from {added[0]:.2f} to {added[-1]:.2f} in {len(runs)} runs", f"{alone} in all of them"]


def first_step(seed: int) -> Run:
    """After the first step of Adam at the full learning rate: how alike the words are, and what it changed."""
    names = names_after(HERE, *PARTS, "reverser", "reverser-loss", "first-step")
    run: Run = {}
    for order, first in (("pre", True), ("post", False)):
        _, after, change = names["one_step"](first, 0.003, seed)
        run |= {order: round(after, 3), f"{order} changes": round(change, 4)}
    return run


def quotes_of_first_step(runs: list[Run]) -> list[str]:
    (low, high), (least, most) = ((min(r[k] for r in runs), max(r[k] for r in runs)) for k in ("pre", "post"))
    return [f"in {len(runs)} runs: {low:.2f} to {high:.2f} against {least:.2f} to {most:.2f}"]


DEMOS = {
    "residual": Demo(text="residual-notice", figure="4fbb9a81", run=residual, quotes=quotes_of_residual),
    "first step": Demo(text="first-step-notice", run=first_step, quotes=quotes_of_first_step),
}

if __name__ == "__main__":
    rerun(__file__, DEMOS)
