"""Unit 09's trained demonstrations, and what its text has to say of them. `checking/seeds.py` says how it is run."""

from __future__ import annotations

import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[1])]

from checking.seeds import Demo, Run, names_after, rerun  # noqa: E402 found by the line above

HERE = Path(__file__).parent
PARTS = ("part-heads", "part-attention", "part-stack", "part-block", "watch", "bracket-strings")
BRACKETS = ("bracket-data", "Classifier", "train-brackets", "brackets-score")
BANK = ("bank-data", "bank-encoder", "bank-train", "bank-picture", "bank-measure")
DATES = ("date-data", "date-ids", "shift-right", "part-decoder", "Seq2Seq", "greedy-decode", "listen")
TRANSLATOR = (*DATES, "date-loss", "train-dates", "use-decode", "dates-right", "one-digit-days")
COPYCAT = (*DATES, "copied-loss", "copycat", "copycat-writes")
CAPTIONS = (*DATES, "caption-data", "patches", "caption-loss", "train-captions", "captions-unseen")
CAPTIONS += ("captions-score", "captions-means")
PLACES = ("day", "month", "year", "spaces")  # of a date in words
LOSSES = {  # no figure grows here: the points of its curve are kept
    "# @title Training with a curve that grows: run this cell": "import copy\n\npoints = []",
    "shown, curve, recent = display(figure, display_id=True), [], []": "curve, recent = [], []",
    "shown.update(figure)": "points.append(curve[-1])",
}


@lru_cache(maxsize=8)
def trained(seed: int, *cells: str) -> dict[str, Any]:
    """The names after these cells, whose model is drawn and trained under this seed."""
    seeded = {f"manual_seed({3 if cells == BANK else 0})": f"manual_seed({seed})"}
    return names_after(HERE, *PARTS, *cells, swaps=LOSSES | seeded)


def losses(names: dict[str, Any]) -> list[list[float]]:
    return [[step, round(loss, 4)] for step, loss in names["points"]]


def ends(runs: list[Run], name: str, digits: int = 2, percent: bool = False) -> str:
    """The least and the largest of a number in all runs, as the text writes it."""
    found = sorted(run[name] * (100 if percent else 1) for run in runs)
    low, high = (f"{value:.{digits}f}" for value in (found[0], found[-1]))
    return (low if low == high else f"{low} to {high}") + " %" * percent


def brackets(seed: int) -> Run:
    """The share of the unseen strings that the classifier judges right."""
    names = trained(seed, *BRACKETS)
    return {"right": round(names["share"].item(), 4), "curve": losses(names)}


def quotes_of_brackets(runs: list[Run]) -> list[str]:
    return [f"{ends(runs, 'right', 1, percent=True)} of the strings in {len(runs)} runs"]


def bank(seed: int) -> Run:
    """What an encoder's vectors of bank know, without training and with it: the three shares of the text."""
    names = trained(seed, *BANK)
    run = {
        f"{encoder} {share}": round(float(value), 3)
        for encoder, shares in zip(("fresh", "trained"), names["shares"], strict=True)
        for share, value in zip(("side", "between", "clues"), shares, strict=True)
    }
    return run | {"curve": losses(names)}


def quotes_of_bank(runs: list[Run]) -> list[str]:
    apart = sum(run["trained side"] == run["trained clues"] == 1 for run in runs)
    return [
        f"{ends(runs, 'fresh between')} for the fresh encoders",
        f"{ends(runs, 'trained between')} for the trained ones",
        f"in {apart} of {len(runs)} runs",
        f"recognise {ends(runs, 'fresh clues')} of them",
    ]


def dates(seed: int) -> Run:
    """The share of the unseen dates that the translator writes without a mistake."""
    names = trained(seed, *TRANSLATOR)
    return {"right": names["right"], "curve": losses(names)}


def quotes_of_dates(runs: list[Run]) -> list[str]:
    return [f"{ends(runs, 'right', 1, percent=True)} of the dates in {len(runs)} runs"]


def zero(seed: int) -> Run:
    """Where the translator looks while it writes the 0 of a day with one digit, and while it writes the digit."""
    names = trained(seed, *TRANSLATOR)
    shares = names["where_it_looks"](names["translator"], names["few"]).tolist()
    return {
        f"{sign} {place}": round(share, 3)
        for sign, row in zip(("0", "digit"), shares, strict=True)
        for place, share in zip(PLACES, row, strict=True)
    }


def most_seen(run: Run) -> str:
    """The part of the date that gets the most weight while the 0 is written."""
    return max(PLACES, key=lambda place: float(run[f"0 {place}"]))


def quotes_of_zero(runs: list[Run]) -> list[str]:
    most = [most_seen(run) for run in runs]
    month, spaces, day = (most.count(place) for place in ("month", "spaces", "day"))
    return [
        f"on the month in {month} of {len(runs)} runs, on the spaces in {spaces}, on the day in {day}",
        f"{ends(runs, 'digit day', 0, percent=True)} of the weight",
    ]


def copycat(seed: int) -> Run:
    """The loss of the model that was trained without the shift, and the share of the dates that it writes."""
    names = trained(seed, *COPYCAT)
    loss, said = names["copied_loss"]().item(), map(names["target_text"], names["copied"])
    pairs = zip(said, names["dates"][names["test_dates"]], strict=True)
    right = sum(text == iso for text, (_, iso) in pairs) / len(names["copied"])
    return {"loss": round(loss, 4), "right": right, "curve": losses(names)}


def quotes_of_copycat(runs: list[Run]) -> list[str]:
    below, none = sum(run["loss"] < 0.01 for run in runs), sum(run["right"] == 0 for run in runs)
    where = "any" if none == len(runs) else f"{none}"
    return [f"below 0.01 in {below} of {len(runs)} runs", f"no correct date in {where} of them"]


def captions(seed: int) -> Run:
    """The share of right captions, and how much the shape's word looks at each kind of patch; an even share is 1."""
    names = trained(seed, *CAPTIONS)
    kinds = zip(("shape", "dust", "nothing"), names["looks"](names["captioner"]).tolist(), strict=True)
    run = {kind: round(share, 2) for kind, share in kinds}
    return {"right": round(names["whole"].item(), 4)} | run | {"curve": losses(names)}


def quotes_of_captions(runs: list[Run]) -> list[str]:
    more = sum(run["dust"] > run["nothing"] for run in runs)
    return [
        f"{ends(runs, 'right', 0, percent=True)} of the captions",
        f"{ends(runs, 'shape', 1)} times its share",
        f"in {more} of {len(runs)} runs",
    ]


DEMOS = {
    "brackets": Demo(text="brackets-why", figure="train-brackets", run=brackets, quotes=quotes_of_brackets),
    "bank": Demo(text="bank-why", figure="bank-train", run=bank, quotes=quotes_of_bank),
    "dates": Demo(text="copycat-why", figure="train-dates", run=dates, quotes=quotes_of_dates),
    "zero": Demo(text="cross-why", run=zero, quotes=quotes_of_zero),
    "copycat": Demo(text="dates-why", figure="copycat", run=copycat, quotes=quotes_of_copycat),
    "captions": Demo(text="captions-why", figure="train-captions", run=captions, quotes=quotes_of_captions),
}

if __name__ == "__main__":
    rerun(__file__, DEMOS)
