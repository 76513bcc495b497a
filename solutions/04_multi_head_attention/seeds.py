"""Unit 04's trained demonstrations, and what its text has to say of them. `checking/seeds.py` says how it is run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch

sys.path[:0] = [str(Path(__file__).parents[1])]

from checking.seeds import Demo, Run, curve, names_after, rerun  # noqa: E402 found by the line above

HERE = Path(__file__).parent
GAME = ("b629c7de", "ring-train-code", "MultiHeadLoop", "split-heads", "MultiHeadAttention", "head-outputs")


def end_of(names: dict[str, Any], layer: str, *sizes: int, seed: int, steps: int = 250) -> float:
    """The mean error of the last 50 steps of a training of this layer."""
    torch.manual_seed(seed)
    losses = names["train"](names[layer](*sizes), steps)
    return round(sum(losses[-50:]) / 50, 4)


def left_and_right(seed: int) -> Run:
    """One head and two on the game, and the two with either of them switched off."""
    cells = (*GAME, "one-head", "one-head-train", "two-heads", "switch-off")
    names = names_after(HERE, *cells, swaps={"manual_seed(0)": f"manual_seed({seed})"})
    run: Run = {name: round(sum(names[name][-50:]) / 50, 4) for name in ("one_losses", "two_losses")}
    return run | {"curve": curve(names["one_losses"])}


def quotes_of_left_and_right(runs: list[Run]) -> list[str]:
    one, two = (sorted(run[name] for run in runs) for name in ("one_losses", "two_losses"))
    return [f"between {one[0]:.2f} and {one[-1]:.2f} in {len(runs)} of {len(runs)} runs", f"at most {two[-1]:.3f}"]


def how_many(seed: int) -> Run:
    """The error after 250 steps for each number of heads."""
    names = names_after(HERE, *GAME)
    return {str(n): end_of(names, "MultiHeadAttention", 12, n, seed=seed) for n in (1, 2, 3, 4, 6, 12)}


def quotes_of_how_many(runs: list[Run]) -> list[str]:
    most = max(run[n] for run in runs for n in ("2", "3", "4", "6"))
    ends = sorted(run[n] for run in runs for n in ("1", "12"))
    return [f"at most {most:.2f}", f"between {ends[0]:.2f} and {ends[-1]:.2f}"]


def widened(seed: int) -> Run:
    """Twelve heads with keys or values of other widths."""
    names, widths = names_after(HERE, *GAME), ((1, 1), (2, 1), (1, 6))
    return {f"{k} × {v}": end_of(names, "MultiHeadLoop", 12, 12, k, v, seed=seed) for k, v in widths}


def quotes_of_widened(runs: list[Run]) -> list[str]:
    most = max(max(run["2 × 1"], run["1 × 6"]) for run in runs)
    return [f"at most {most:.2f} in {len(runs)} of {len(runs)} runs"]


DEMOS = {
    "left_and_right": Demo("two-heads-end", left_and_right, quotes_of_left_and_right, figure="opening-picture"),
    "how_many": Demo("too-narrow", how_many, quotes_of_how_many),
    "widened": Demo("9929ab33", widened, quotes_of_widened),
}

if __name__ == "__main__":
    rerun(__file__, DEMOS)
