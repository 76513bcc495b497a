"""Unit 08: a model of characters and one of tokens, each trained for 250 steps, under eight seeds."""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[1])]

import torch  # noqa: E402
from checking.seeds import Demo, Run, curve, names_after, rerun  # noqa: E402

CELLS = ("alice", "vocabulary", "decode", "next-token-pairs", "cross-entropy", "counting", "own-heads")
CELLS += ("own-attention", "own-norm-stack", "own-block", "GPT", "use-gpt", "loss-on", "train", "generate")
CELLS += ("next-distribution", "own-merges", "learn", "pieces", "token-ids")


@cache
def notebook() -> dict[str, Any]:
    return names_after(Path(__file__).parent, *CELLS)


def short(seed: int) -> Run:
    names, found = notebook(), {"steps": 250}
    kinds = {
        "characters": (64, names["train_ids"], names["valid_ids"], torch.ones(64), names["to_ids"], 250),
        "tokens": (512, names["train_tokens"], names["valid_tokens"], names["length"], names["to_tokens"], 100),
    }
    for kind, (vocab, ids, unseen, length, to_ids, n) in kinds.items():
        torch.manual_seed(seed)
        model = names["GPT"](vocab_size=vocab, d_model=64, n_heads=4, n_layers=2, max_len=32)
        losses = names["train"](model, names["batches"](ids, 250), 3e-3)
        pieces = names["characters" if kind == "characters" else "tokens"]
        found |= {
            f"{kind}_nats": round(names["loss_on"](model, unseen, length), 3),
            f"{kind}_words": round(real_words(model, to_ids("Alice ")[None], n, pieces, seed), 3),
        }
    paid = torch.tensor(losses).view(-1, 10).mean(1) / names["length"][names["train_tokens"]].float().mean()
    return found | {"curve": curve(paid.tolist(), step=10)}  # of the tokens, per character, each of ten steps


def real_words(model: Any, start: torch.Tensor, n: int, pieces: list[str], seed: int) -> float:
    """Of the words of three letters or more in eight texts, the share that the book has, too."""
    names = notebook()

    def draw(logits: torch.Tensor) -> torch.Tensor:
        return torch.multinomial(names["next_distribution"](logits, temperature=0.8), 1)[:, 0]

    torch.manual_seed(seed)
    written = names["generate"](model, start.expand(8, -1), n, 32, draw).tolist()
    found = re.findall(r"[a-z]{3,}", " ".join("".join(pieces[i] for i in row) for row in written).lower())
    book = set(re.findall(r"[a-z]{3,}", names["text"].lower()))
    return sum(word in book for word in found) / len(found)


def quotes(runs: list[Run]) -> list[str]:
    words = [[round(100 * run[f"{kind}_words"]) for run in runs] for kind in ("characters", "tokens")]
    cheaper = sum(run["tokens_nats"] < run["characters_nats"] for run in runs)
    return [f"{cheaper} of {len(runs)} runs", *(f"{min(each)} to {max(each)} %" for each in words)]


DEMOS = {"short": Demo(text="eat-text", figure="token-settling", run=short, quotes=quotes)}

if __name__ == "__main__":
    rerun(__file__, DEMOS)
