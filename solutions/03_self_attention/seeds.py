"""Unit 03's trained demonstrations, and what its text has to say of them. `checking/seeds.py` says how it is run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch

sys.path[:0] = [str(Path(__file__).parents[1])]

from checking.seeds import Demo, Run, curve, names_after, rerun  # noqa: E402 found by the line above

HERE = Path(__file__).parent
CELLS = ("b2cf44db", "f56dc125", "scaled-dot-product-attention", "is-permutation-equivariant", "d9a0de42")
CELLS += ("SelfAttentionHead", "41c0aa7e", "1f0c6d55", "2b0a8ea0", "77aa03c5", "plain-layers", "3c77f0e8")
NO_TABLE = {"table_of_heads((1, 2, 3, 4, 5), kinds=2, steps=150)": ""}
CLUES = ((0, 2), (0, 3), (1, 4), (1, 5))  # bank and bat, each with its two clues


def word_tables(seed: int) -> Run:
    """Another table of random words: the head after 150 steps, the two other layers after 1,500."""
    names = names_after(HERE, *CELLS, swaps={"manual_seed(0)": f"manual_seed({seed})"} | NO_TABLE)
    torch.manual_seed(1)
    _, shares = names["train"](names["SelfAttentionHead"](16, 16, 16), 1)
    run: Run = {"head": round(shares[-1], 4)}
    for name, layer in (("similar", names["Similar"]()), ("mean", names["Mean"]())):
        run[name] = round(names["train"](layer, 1, steps=1500, every=1500)[1][-1], 4)
    return run | {"curve": curve([100 * share for share in shares], step=5)}


def quotes_of_tables(runs: list[Run]) -> list[str]:
    similar, means = (sorted(run[name] for run in runs) for name in ("similar", "mean"))
    good = sum(run["head"] >= 0.99 for run in runs)
    said = [f"in {good} of {len(runs)} tables", f"from {100 * similar[0]:.0f} % to {100 * similar[-1]:.0f} %"]
    return [*said, f"{100 * means[0]:.0f} % to {100 * means[-1]:.0f} %"]


def trained(seed: int, kinds: int, steps: int) -> Run:
    """One head on the notebook's own table: its share of right answers, and its weight on each clue."""
    names: dict[str, Any] = names_after(HERE, *CELLS, swaps=NO_TABLE)
    torch.manual_seed(seed)
    head = names["SelfAttentionHead"](16, 16, 16)
    right = names["train"](head, seed, kinds, steps, every=steps)[1][-1]
    looks = [names["weight_on"](head, *pair) for pair in CLUES]
    return {"right": round(right, 4), "least": round(min(looks), 4)}


def quotes_of_shortcut(runs: list[Run]) -> list[str]:
    left_out, right = sum(run["least"] < 1 / 8 for run in runs), sum(run["right"] >= 0.99 for run in runs)
    return [f"{left_out} of {len(runs)} heads leave a clue out", f"{right} of {len(runs)} are always right"]


def quotes_of_third(runs: list[Run]) -> list[str]:
    whole = sum(run["least"] > 0.5 and run["right"] >= 0.99 for run in runs)
    return [f"in {whole} of {len(runs)} runs"]


DEMOS = {
    "word_tables": Demo(text="9d04be61", run=word_tables, quotes=quotes_of_tables, figure="8efc87f5"),
    "shortcut": Demo(text="6fd1be55", run=lambda seed: trained(seed, 2, 150), quotes=quotes_of_shortcut),
    "third_answer": Demo(text="38e5a0cd", run=lambda seed: trained(seed, 3, 300), quotes=quotes_of_third),
}

if __name__ == "__main__":
    rerun(__file__, DEMOS)
