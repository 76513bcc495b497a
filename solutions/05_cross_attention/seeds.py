"""Unit 05's trained demonstrations, and what its text has to say of them. `checking/seeds.py` says how it is run."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1])]

from checking.seeds import Demo, Run, curve, names_after, rerun  # noqa: E402 found by the line above

HERE = Path(__file__).parent
CELLS = (
    "own-attention",
    "cross-attention",
    "CrossAttention",
    "tickets",
    "ticket-model",
    "ticket-rival",
    "ticket-weights",
)
CELLS += ("ticket-train", "ticket-run")


def read_or_know(seed: int) -> Run:
    """Both models on tickets in any order, and what becomes of the reader's weights when the ticket changes."""
    swaps = {"manual_seed(0)": f"manual_seed({seed})"}
    names = names_after(HERE, *CELLS, "align", "ticket-fresh", swaps=swaps)
    run = {"reader": names["reader_curve"][-1], "rival": names["rival_curve"][-1]}
    run |= {"hit": names["hit"].item(), "moved": names["moved"].abs().mean().item()}
    run = {name: round(value, 4) for name, value in run.items()}
    return run | {"curve": curve([100 * share for share in names["reader_curve"]], step=10)}


def quotes_of_both(runs: list[Run]) -> list[str]:
    rivals = sorted(run["rival"] for run in runs)
    perfect = sum(run["reader"] >= 0.995 for run in runs)
    return [
        f"in {perfect} of {len(runs)} runs",
        f"the table of places got {100 * rivals[0]:.0f} % to {100 * rivals[-1]:.0f} %",
    ]


def one_layout(seed: int) -> Run:
    """Both models trained on tickets of one layout, then tried on that layout and on any."""
    names = names_after(HERE, *CELLS[:-1], "ticket-layout-run", swaps={"manual_seed(0)": f"manual_seed({seed})"})
    share, run = names["share_right"], {}
    for name in ("fixed_reader", "fixed_rival"):
        run[name] = round(share(names[name], one_layout=True), 4)
        run[f"{name}_any"] = round(share(names[name]), 4)
    return run


def quotes_of_layout(runs: list[Run]) -> list[str]:
    both = sum(min(run["fixed_reader"], run["fixed_rival"]) >= 0.99 for run in runs)
    elsewhere = sorted(run["fixed_reader_any"] for run in runs)
    return [
        f"In {both} of {len(runs)} runs",
        f"between {100 * elsewhere[0]:.0f} % and {100 * elsewhere[-1]:.0f} %",
    ]


DEMOS = {
    "read_or_know": Demo(text="ticket-seeds", run=read_or_know, quotes=quotes_of_both, figure="ticket-picture"),
    "one_layout": Demo(text="ticket-layout-why", run=one_layout, quotes=quotes_of_layout),
}

if __name__ == "__main__":
    rerun(__file__, DEMOS)
