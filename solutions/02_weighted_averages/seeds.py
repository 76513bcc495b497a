"""The demonstrations of unit 02 under eight seeds: the translator, what it overlooks, and the stack of averages."""

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


def stack(seed: int) -> Run:
    """Average the words of a different random table, layer upon layer."""
    cells = ("e1147840", "attention-without-parameters", "stack-run")
    apart = names_after(FOLDER, *cells, swaps={"manual_seed(123)": f"manual_seed({seed})"})["apart"]
    return {"six": round(apart[6][0], 3), "twelve": round(apart[12][0], 3), "added": round(apart[12][1], 3)}


def stacked(runs: list[Run]) -> list[str]:
    six, twelve, added = ([run[name] for run in runs] for name in ("six", "twelve", "added"))
    return [
        f"between {min(six):.2f} and {max(six):.2f} after six layers",
        f"all at {max(twelve):.2f} after twelve",
        f"{min(added):.2f} to {max(added):.2f}",
    ]


DEMOS = {
    "translator": Demo(text="train-what", run=translator, quotes=translated, figure="4326b4d1"),
    "overlooked": Demo(text="overlooked-end", run=looks, quotes=overlooked),
    "stack": Demo(text="stack-end", run=stack, quotes=stacked),
}

if __name__ == "__main__":
    rerun(__file__, DEMOS)
