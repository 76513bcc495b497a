"""Cuts the longest trainings and texts to a few steps, for tests that ask whether cells run, not what is learned."""

import re

CUT = {
    "02_weighted_averages", "03_self_attention", "04_multi_head_attention", "07_transformer_block", "08_decoder_only",
    "09_encoders_and_translation",
}  # fmt: skip
FEWER = (  # what is written there, up to the number of steps
    r"(\bdef train\((?:model, rate|attend|layer), steps=)\d+",
    r"(\btable_of_heads\(.*, steps=)\d+",
    r"(\bbatches\((?:\w+, )?)\d+(?=\))",
    r"(\bfit\(\w+, )[\d_]+",
    r"(\bgenerate\(\w+, prompt, )\d+",
)
STEPS = 8


def cut_short(source: str) -> str:
    """The source of a cell with fewer steps in each training, and with shorter and fewer texts to be written."""
    for written in FEWER:
        source = re.sub(written, rf"\g<1>{STEPS}", source)
    return source.replace("slice(10_000, 11_000)", "slice(10_000, 10_064)")
