"""The drawn demonstration of unit 00 under eight seeds: the words of a crowd that are ever chosen."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]
from checking.seeds import Demo, Run, names_after, rerun  # noqa: E402 it is found only now

FOLDER = Path(__file__).resolve().parent
WIDTHS = (2, 16, 64)


def crowd(seed: int) -> Run:
    """How many of 500 words are the nearest other word of some word, as drawn and scaled to length 1."""
    swaps = {"manual_seed(0)": f"manual_seed({seed})"}
    torch, chosen = (names_after(FOLDER, "nearest-other", "crowd", swaps=swaps)[name] for name in ("torch", "chosen"))
    found: Run = {}
    for d in WIDTHS:
        torch.manual_seed(seed)
        words = torch.randn(500, d)
        found |= {f"drawn_{d}": chosen(words), f"scaled_{d}": chosen(words / words.norm(dim=-1, keepdim=True))}
    return found


def chosen_in_all(runs: list[Run]) -> list[str]:
    ends = {name: f"{min(run[name] for run in runs)} to {max(run[name] for run in runs)}" for name in runs[0]}
    return [
        f"{ends['drawn_2']} of the 500",
        f"{ends['drawn_16']} with 16 numbers and {ends['drawn_64']} with 64",
        f"{ends['scaled_2']} against {ends['scaled_64']}",
    ]


DEMOS = {"crowd": Demo(text="crowd-notice", run=crowd, quotes=chosen_in_all)}

if __name__ == "__main__":
    rerun(__file__, DEMOS)
