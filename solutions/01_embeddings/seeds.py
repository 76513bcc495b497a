"""The demonstrations of unit 01 under eight seeds: nouns that learn, positions that drown, and who reads them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]
from checking.seeds import Demo, Run, names_after, rerun  # noqa: E402 it is found only now

FOLDER = Path(__file__).resolve().parent
LAYER = ("TransformerEmbedding", "drowned-code", "repaired")
HEADLINES = ("encode", *LAYER, "headlines", "headlines-printed")


def nouns(seed: int) -> Run:
    """How alike bread and soup are after training, from a different random beginning."""
    cells = ("embed-one-hot", "5007c65d", "37aa5725")
    names = names_after(FOLDER, *cells, swaps={"manual_seed(70)": f"manual_seed({seed})"})
    alike = [names["F"].cosine_similarity(when[1], when[2], dim=0).item() for when in (names["before"], names["after"])]
    return {"before": round(alike[0], 2), "after": round(alike[1], 2)}


def drowned(seed: int) -> Run:
    """How alike one word's vectors are at two positions, with a different table: as PyTorch draws it, and repaired."""
    names = names_after(FOLDER, *LAYER, swaps={"manual_seed(2)": f"manual_seed({seed})"})
    return {name: names["likeness"](names[name]) for name in ("layer", "repaired")}


def reader(seed: int) -> Run:
    """The share of positions that are read correctly, for both initializations."""
    cells = ("TransformerEmbedding", "reader")
    reads = names_after(FOLDER, *cells, swaps={"manual_seed(0)": f"manual_seed({seed})"})["reads_positions"]
    return {"size_1": round(reads(1), 3), "smaller": round(reads(512**-0.5), 3)}


def headlines(seed: int) -> Run:
    """The median difference of the two dogs over 40 matrices, with a different table of words."""
    names = names_after(FOLDER, *HEADLINES, swaps={"manual_seed(2)": f"manual_seed({seed})"})
    torch, found = names["torch"], {}
    for name in ("layer", "repaired"):
        all_40 = []
        for matrix in range(40):
            torch.manual_seed(matrix)
            all_40.append(names["difference"](names[name]))
        found[name] = round(torch.tensor(all_40).median().item(), 3)
    return found


def said(*names: str, form: str) -> Callable[[list[Run]], list[str]]:
    """Quotes the least and the largest of each of these numbers, in this form."""
    return lambda runs: [form.format(min(run[name] for run in runs), max(run[name] for run in runs)) for name in names]


def read(runs: list[Run]) -> list[str]:
    shares = [{name: 100 * share for name, share in run.items()} for run in runs]
    return said("size_1", "smaller", form="{:.0f} to {:.0f} %")(shares)


def alike(runs: list[Run]) -> list[str]:
    return said("layer", form="{:.4f} to {:.4f}")(runs) + said("repaired", form="{:.2f} to {:.2f}")(runs)


def dogs(runs: list[Run]) -> list[str]:
    return said("layer", "repaired", form="between {:.3f} and {:.3f}")(runs)


DEMOS = {
    "nouns": Demo(text="meaning-seen", run=nouns, quotes=said("after", form="{:.2f} to {:.2f}")),
    "drowned": Demo(text="repaired-why", run=drowned, quotes=alike),
    "reader": Demo(text="reader-seen", run=reader, quotes=read),
    "headlines": Demo(text="headlines-seen", run=headlines, quotes=dogs),
}

if __name__ == "__main__":
    rerun(__file__, DEMOS)
