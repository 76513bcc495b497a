"""Unit 07: what its text says of numbers that are drawn or trained. `checking/seeds.py` says how this is run."""

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


def forgotten(seed: int) -> Run:
    """The chance that the block gives to the forgotten thing, after training and if each place sees only itself."""
    cells = ("DecoderBlock", "shopping-data", "shopping-model", "shopping-train", "shopping-example")
    names = names_after(HERE, *PARTS, *cells, swaps={"manual_seed(0)": f"manual_seed({seed})"})
    torch, seen = names["torch"], [names[name] for name in ("lists", "baskets")]
    run: Run = {}
    for name, mask in (("right", None), ("alone", torch.eye(8).bool())):
        chances = names["guess"](*seen, mask).softmax(-1)
        run[name] = round(chances.gather(1, names["forgotten"][:, None]).mean().item(), 4)
    return run


def quotes_of_forgotten(runs: list[Run]) -> list[str]:
    low, high = (pick(run["right"] for run in runs) for pick in (min, max))
    return [f"{100 * low:.0f} to {100 * high:.0f} % of the probability in {len(runs)} runs"]


def depth(seed: int) -> Run:
    """The loss at the end of pre-norm, of post-norm and of post-norm with a warm-up: the mean of the last ten."""
    cells = ("reverser", "reverser-loss", "reverser-train", "train-pre", "train-post", "train-warm")
    names = names_after(HERE, *PARTS, *cells, swaps={"manual_seed(0)": f"manual_seed({seed})"})
    run: Run = {way: round(sum(names[f"{way}_losses"][-10:]) / 10, 3) for way in ("pre", "post", "warm")}
    return run | {"warm_lowest": round(min(names["warm_losses"]), 3), "curve": curve(names["warm_losses"])}


def quotes_of_depth(runs: list[Run]) -> list[str]:
    pre, post, warm = (sorted(run[way] for run in runs) for way in ("pre", "post", "warm"))
    fell, stalls = sum(run["warm_lowest"] < 0.01 for run in runs), sum(loss > 2 for loss in post)
    return [
        f"Pre-norm ended at {pre[-1]:.3f} or less in all {len(runs)}",
        f"below 0.01 in {fell} of {len(runs)}",
        f"between {warm[0]:.3f} and {warm[-1]:.2f}",
        f"above 2 in {stalls} of {len(runs)}",
    ]


DEMOS = {
    "residual": Demo(text="residual-notice", figure="4fbb9a81", run=residual, quotes=quotes_of_residual),
    "forgotten": Demo(text="decoder-notice", run=forgotten, quotes=quotes_of_forgotten),
    "depth": Demo(text="depth-why", figure="depth-picture", run=depth, quotes=quotes_of_depth),
    "first step": Demo(text="first-step-notice", run=first_step, quotes=quotes_of_first_step),
}

if __name__ == "__main__":
    rerun(__file__, DEMOS)
