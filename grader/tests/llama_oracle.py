"""Works the numbers of unit 11 out again with the Llama of `transformers`, in a process of its own.

Compared are the formula by which the unit's checks name mistakes, the reference solution, and its logits with the
weights of a published model; the numbers stored in the checks are the reference solution's. Needs models.lock.
"""

from typing import Any

import torch
from torch import nn
from transformers import LlamaConfig, LlamaForCausalLM

from nbproctor.course.units import load_unit
from nbproctor.values.notebook import source_of, tags_of

UNIT = "11_modern_blocks"
CASES = (((13, 60, 6, 2, 20, 3), 10_000.0, 1e-6, True), ((30, 36, 6, 3, 21, 4), 500.0, 0.01, False))
PUBLISHED = (49_152, 576, 9, 3, 1536, 30)
Sizes = tuple[int, int, int, int, int, int]  # vocab, d_model, n_heads, n_kv_heads, d_ff, n_layers


def config(sizes: Sizes, base: float, eps: float, tied: bool) -> LlamaConfig:
    vocab, d_model, n_heads, n_kv_heads, d_ff, n_layers = sizes
    return LlamaConfig(
        vocab_size=vocab, hidden_size=d_model, intermediate_size=d_ff, num_hidden_layers=n_layers,
        num_attention_heads=n_heads, num_key_value_heads=n_kv_heads, rms_norm_eps=eps, rope_theta=base,
        tie_word_embeddings=tied, bos_token_id=0, eos_token_id=0, pad_token_id=None,
    )  # fmt: skip


@torch.no_grad()
def logits(state: Any, ids: torch.Tensor, sizes: Sizes, base: float, eps: float) -> torch.Tensor:
    tied = "lm_head.weight" not in state
    model = LlamaForCausalLM(config(sizes, base, eps, tied)).eval()
    model.load_state_dict(state | ({"lm_head.weight": state["model.embed_tokens.weight"]} if tied else {}))
    found: torch.Tensor = model(ids).logits
    return found


@torch.no_grad()
def compare_whole(checks: Any, load_llama: Any) -> None:
    for sizes, base, eps, tied in CASES:
        state, ids = checks.published(*sizes, tied=tied), torch.randint(sizes[0], (2, 37))
        right = logits(state, ids, sizes, base, eps)
        near = 2e-5 * right.abs().max().item()
        torch.testing.assert_close(checks.whole(state, ids, sizes[2], base, eps), right, rtol=0, atol=near)
        torch.testing.assert_close(load_llama(state, sizes[2], base, eps)(ids), right, rtol=0, atol=near)


@torch.no_grad()
def compare_published(real_model: Any, load_llama: Any) -> None:
    _, state = real_model.read_gguf(real_model.find_model())
    for ids in (torch.tensor([[504, 3575, 282, 4649, 314]]), torch.randint(PUBLISHED[0], (2, 37))):
        right = logits(state, ids, PUBLISHED, 100_000.0, 1e-5)
        mine = load_llama(state, PUBLISHED[2], base=100_000.0, eps=1e-5)(ids)
        torch.testing.assert_close(mine, right, rtol=0, atol=1e-3)  # of logits up to 33


def main() -> None:
    names: dict[str, Any] = {"__name__": "__main__", "torch": torch, "nn": nn}
    unit = load_unit(UNIT)
    exec(unit.setup, names)  # noqa: S102 the released cell, which needs no folder beside it
    for cell in unit.instructor["cells"]:
        is_answer = cell["metadata"].get("nbgrader", {}).get("solution")
        if is_answer or "own-part" in tags_of(cell):
            exec(source_of(cell), names)  # noqa: S102 the course's cell
    exec("from checking import real_model, unit", names)  # noqa: S102 which the setup cell has unpacked
    torch.manual_seed(0)
    compare_whole(names["unit"], names["load_llama"])
    compare_published(names["real_model"], names["load_llama"])


if __name__ == "__main__":
    main()
