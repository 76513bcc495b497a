"""Unit 06's trained demonstrations, and what its text has to say of them. `checking/seeds.py` says how it is run."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1])]

from checking.seeds import Demo, Run, curve, names_after, rerun  # noqa: E402 found by the line above

HERE = Path(__file__).parent


def leak(seed: int) -> Run:
    """The two models on random digits: their losses over the last 20 steps."""
    cells = ("causal-mask", "masked-softmax", "f1aeff5c", "leak-train")
    names = names_after(HERE, *cells, swaps={"manual_seed(0)": f"manual_seed({seed})"})
    leaky, tight = names["leaky"], names["tight"]
    run: Run = {"leaky": round(leaky[-20:].mean().item(), 3), "last": round(leaky[-20:, 11].mean().item(), 3)}
    return run | {"tight": round(tight[-20:].mean().item(), 3), "curve": curve(leaky.mean(1).tolist())}


def quotes_of_leak(runs: list[Run]) -> list[str]:
    lowest, highest = (f"{pick(run['leaky'] for run in runs):.2f}" for pick in (min, max))
    said = (
        f"{lowest} in each of {len(runs)} runs" if lowest == highest else f"{lowest} to {highest} in {len(runs)} runs"
    )
    last = sorted(run["last"] for run in runs)
    return [said, f"{last[0]:.2f} to {last[-1]:.2f} at the last position"]


def pads(seed: int) -> Run:
    """With the pads in the loss: the share of pads after a digit; and the two losses."""
    swaps = {"manual_seed(0)": f"manual_seed({seed})"}
    swaps |= {"    stops = ": "    found[ignored] = loss.item()\n    stops = "}
    swaps |= {"torch.manual": "found = {}\ntorch.manual"}
    swaps |= {'    print(f"ignore': "    found['stops', ignored] = stops.item()\n    print(f\"ignore"}
    found = names_after(HERE, "pad-loss", swaps=swaps)["found"]
    return {"counted": round(found[-100], 3), "ignored": round(found[10], 3), "stops": round(found["stops", -100], 3)}


def quotes_of_pads(runs: list[Run]) -> list[str]:
    shares = sorted({f"{100 * run['stops']:.0f} %" for run in runs})
    return [f"{' to '.join(shares)} in each of {len(runs)} runs"]


DEMOS = {
    "leak": Demo(text="c99a9449", figure="49c021e9", run=leak, quotes=quotes_of_leak),
    "pads": Demo(text="packing", run=pads, quotes=quotes_of_pads),
}

if __name__ == "__main__":
    rerun(__file__, DEMOS)
