"""The demonstrations of unit 02 under eight seeds: the translator, and the words that it overlooks."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]
from checking.seeds import Demo, Run, curve, names_after, rerun  # noqa: E402 it is found only now

FOLDER = Path(__file__).resolve().parent


@cache
def trained(seed: int) -> dict[str, Any]:
    """Train with different vectors and from a different beginning, and look for words that nobody looks at."""
    cells = ("e1147840", "lexicon", "additive-attention", "translate", "train", "train-both", "overlooked", "taken-out")
    return names_after(FOLDER, *cells, swaps={"manual_seed(0)": f"manual_seed({seed})"})


def translator(seed: int) -> Run:
    """The words that both translators get right, and how the weight on the right word grew."""
    names = trained(seed)
    on_the_right = names["history"][:, range(6), names["order"]].mean(-1).tolist()
    accuracy, mean = names["accuracy"], names["train"](names["plain_mean"])[0]
    return {
        "right": round(accuracy(names["additive_attention"], names["parts"], n=400).item(), 3),
        "right_by_mean": round(accuracy(names["plain_mean"], mean, n=400).item(), 3),
        "curve": curve(on_the_right, step=20),
    }


def translated(runs: list[Run]) -> list[str]:
    yours, mean = ([run[name] for run in runs] for name in ("right", "right_by_mean"))
    return [
        f"{min(yours):.0%} to {max(yours):.0%} of the words".replace("%", " %").replace(" % to", " to"),
        f"the plain mean {min(mean):.0%} to {max(mean):.0%}".replace("%", " %").replace(" % to", " to"),
    ]


def looks(seed: int) -> Run:
    """The words that the trained translator never looks at."""
    return {"overlooked": len(trained(seed)["overlooked"])}


def overlooked(runs: list[Run]) -> list[str]:
    some = sum(run["overlooked"] > 0 for run in runs)
    return [f"in {some} of {len(runs)} runs"]


DEMOS = {
    "translator": Demo(text="train-what", run=translator, quotes=translated, figure="4326b4d1"),
    "overlooked": Demo(text="overlooked-end", run=looks, quotes=overlooked),
}

if __name__ == "__main__":
    rerun(__file__, DEMOS)
