"""Reruns what unit 11 says of lists of random tokens, under eight lists. Needs the published model.

    PYTHONPATH=.models .venv/bin/python solutions/11_modern_blocks/seeds.py
"""

import sys
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]
from checking.seeds import Demo, names_after, rerun  # noqa: E402

CELLS = (
    "rms-norm", "SwiGLU", "apply-rope", "halves-to-pairs", "own-heads", "own-masks", "LlamaBlock", "load-llama",
    "real-load", "real-model", "real-write", "real-read", "real-ask", "real-answer", "real-look",
    "real-maps", "real-previous", "real-switch", "real-list", "transplant", "transplant-back",
)  # fmt: skip


@cache
def notebook():
    return names_after(HERE, *CELLS)


def lists(seed):
    """The loss on the second copy of four lists, and what head 17.5 gives to the token that came next last time."""
    of = notebook()
    drawn, found = of["list_of"](seed + 1), {}  # list 1 is the notebook's own
    ways = {"published": (), "without_16_0": ((16, 0),), "without_others": ((11, 1), (1, 2), (2, 1))}
    for name, heads in ways.items():
        with of["switched_off"](*heads):
            found[name] = round(of["list_loss"](drawn)[1], 2)
            if name != "without_others":
                weights = of["look"](drawn[0].tolist())[0][17, 5]
                found[f"mark_{name}"] = round(weights.diagonal(-24)[2:].mean().item(), 2)
    with of["transplanted"](of["designed"]):
        found["by_hand"] = round(of["list_loss"](drawn)[1], 2)
    return found


def said(runs):
    """What the text says of all lists."""
    off = [run["without_16_0"] for run in runs]
    worse = max(run["by_hand"] - run["published"] for run in runs)
    others = max(run["without_others"] - run["published"] for run in runs)
    marks = [run["mark_without_16_0"] for run in runs]
    return [
        f"{min(off):.2f} to {max(off):.2f} without head 16.0",
        f"at most {others:.2f} more without the three others",
        f"falls to {max(marks):.2f} or less",
        f"at most {worse:.2f} more with your head in its place",
    ]


DEMOS = {"lists": Demo(text="transplant-after", run=lists, quotes=said)}

if __name__ == "__main__":
    rerun(__file__, DEMOS)
