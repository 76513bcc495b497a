"""Attention layers, healthy and with one planted fault each, and what is wrong with each of them.

The labels were written before any of these layers was examined. A label is (examination, pattern): that examination
says it, in words that the pattern finds. `HELD_OUT` holds kinds of layers that the examinations were not developed on.
"""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

Label = tuple[str, str]

SCALES: dict[str, tuple[Callable[[int, int, int], float], Label]] = {  # (d_head, d_model, seq) -> the divisor
    "not divided": (lambda h, d, s: 1.0, ("divisor", r"not divided")),
    "root of d_model": (lambda h, d, s: d**0.5, ("divisor", r"√d_model")),
    "d_head": (lambda h, d, s: float(h), ("divisor", r"d_head, not by its square root")),
    "multiplied": (lambda h, d, s: h**-0.5, ("divisor", r"multiplied by √d_head")),
    "half": (lambda h, d, s: h / 2, ("divisor", r"half of d_head")),
    "length": (lambda h, d, s: s**0.5, ("divisor", r"length|√seq")),
}
SOFTMAXES: dict[str, tuple[Callable[[Tensor], Tensor], Label]] = {  # of scores (batch, heads, q, k)
    "softmax over queries": (lambda s: s.softmax(-2), ("softmax", r"over the queries")),
    "softmax over heads": (lambda s: s.softmax(1), ("softmax", r"over the heads")),
    "softmax over sentences": (lambda s: s.softmax(0), ("softmax", r"over the sentences|over the batch")),
    "softmax over the matrix": (lambda s: s.flatten(2).softmax(-1).view_as(s), ("softmax", r"whole matrix")),
    "no softmax": (lambda s: s, ("softmax", r"no softmax")),
    "sigmoid": (lambda s: s.sigmoid(), ("softmax", r"sigmoid|sum to 1")),
    "divided after": (lambda s: s.softmax(-1) / 2, ("softmax", r"after the softmax")),
}
ROLES: dict[str, tuple[str, Label]] = {  # which projections make query, key and value
    "q and k exchanged": ("kqv", ("roles", r"quer.* k")),
    "v from k": ("qkk", ("roles", r"value.* w?k")),
    "k from q": ("qqv", ("roles", r"key.* q")),
    "k and v exchanged": ("qvk", ("roles", r"(value|key).* [kv]")),
}
SPLITS: dict[str, Label] = {
    "split by view": ("split", r"view|reshape"),
    "join by view": ("join", r"view|reshape|transpose"),
    "split and join by view": ("split", r"view|reshape"),
    "key split by view": ("split", r"key.*(view|reshape)|(view|reshape).*key"),
    "value split by view": ("split", r"value.*(view|reshape)|(view|reshape).*value"),
    "heads averaged": ("join", r"averag|added"),
    "heads attend to heads": (
        "heads",
        r"heads attend to heads|each word by itself|within one word|reads no other word",
    ),
    "one head": ("heads", r"1 head|one head"),
}
CAUSAL: dict[str, Label] = {
    "mask one too far": ("reads", r"one .*(step|word) too far|word 0 reads word 1"),
    "mask turned": ("reads", r"hides? the past|past"),
    "mask forgotten": ("reads", r"(later|future)"),
    "mask after softmax": ("softmax", r"mask.*after the softmax"),
    "mask renormalised by zeros": ("reads", r"(later|future)"),  # scores * mask: hidden scores are 0, not −∞
    "mask of zeros found": ("hidden scores", r"exactly 0|score of 0|scores? .*0"),
    "no self": ("reads", r"itself"),
}
OTHERS: dict[str, Label] = {
    "dropout in eval": ("eval mode", r"differ"),
    "dropout before softmax": ("dropout", r"before the softmax"),
    "dropout on values": ("dropout", r"value"),
    "weights detached": ("gradients", r"cut|no gradient|detach"),
    "x in place": ("input", r"changed|in place"),
    "own value added": ("output", r"added"),
    "batch and seq exchanged": ("batch", r"batch|sentence"),
    "first sentence's mean": ("batch", r"sentence"),
    "no output projection": ("output", r"never used|not used"),
    "mask ignored": ("masks", r"ignored|hides nothing"),
    "mask thrown away": ("masks", r"ignored|hides nothing"),
    "mask filled with 1e-9": ("masks", r"hidden word is still read|hides nothing"),
    "mask transposed": ("masks", r"transposed"),
    "mask of the first sentence": ("masks", r"first"),
    "empty row NaN": ("empty row", r"NaN"),
    "fixed length": ("lengths", r"stops"),
}
BLOCKS: dict[str, Label] = {
    "no residual around attention": ("residuals", r"residual around (the )?attention"),
    "no residual around feed-forward": ("residuals", r"residual around (the )?feed-forward"),
    "residual from the norm": ("residuals", r"norm"),
    "second sum from x": ("residuals", r"(does not reach|attention).*"),
    "no norm": ("norms", r"no norm|reads x itself|reads the stream itself"),
    "no norm before feed-forward": ("norms", r"feed-forward reads"),
    "no activation": ("activation", r"no activation"),
}
CAUSAL_BY_NAME = "True"


def causal_mask(fault: str, s: int) -> Tensor:
    """Which words a word may attend to, (s, s)."""
    full = torch.ones(s, s, dtype=torch.bool)
    made = {
        "mask one too far": full.tril(1),
        "mask turned": full.triu(),
        "mask forgotten": full,
        "no self": full.tril(-1),
    }
    allowed = made.get(fault, full.tril())
    if fault == "no self":
        allowed[0, 0] = True
    return allowed


def split(t: Tensor, heads: int, by_view: bool) -> Tensor:
    b, s, d = t.shape
    return t.reshape(b, heads, s, d // heads) if by_view else t.view(b, s, heads, d // heads).transpose(1, 2)


def join(t: Tensor, fault: str) -> Tensor:
    b, h, s, d = t.shape
    if fault in ("join by view", "split and join by view"):
        return t.reshape(b, s, h * d)
    if fault == "heads averaged":
        return t.mean(1, keepdim=True).expand_as(t).transpose(1, 2).reshape(b, s, h * d)
    return t.transpose(1, 2).reshape(b, s, h * d)


def weights_of(scores: Tensor, fault: str, allowed: Tensor | None) -> Tensor:
    """(batch, heads, q, k) -> the weights."""
    if fault in SOFTMAXES:
        if allowed is not None:
            scores = scores.masked_fill(~allowed, -1e9)
        return SOFTMAXES[fault][0](scores)
    if allowed is None:
        return scores.softmax(-1)
    if fault == "mask after softmax":
        return scores.softmax(-1) * allowed
    if fault == "mask renormalised by zeros":
        return (scores * allowed).softmax(-1)
    if fault == "mask of zeros found":
        scores = scores * allowed
        return scores.masked_fill(scores == 0, -torch.inf).softmax(-1)
    return scores.masked_fill(~allowed, -torch.inf).softmax(-1)


def given_mask(scores: Tensor, mask: Tensor, fault: str) -> Tensor:
    """Scores with a mask (batch, q, k), True = may attend, put on."""
    if fault == "mask ignored":
        return scores
    if fault == "mask thrown away":
        scores.masked_fill(~mask[:, None], -torch.inf)
        return scores
    if fault == "mask transposed":
        mask = mask.mT
    if fault == "mask of the first sentence":
        mask = mask[:1]
    if fault == "mask filled with 1e-9":
        return scores.masked_fill(~mask[:, None], 1e-9)
    return scores.masked_fill(~mask[:, None], -torch.inf if fault == "empty row NaN" else -1e9)


class Attention(nn.Module):
    """Separate projections, (batch, seq, d_model) -> the same. Causal, or with a mask (batch, q, k), or neither."""

    def __init__(self, d: int = 24, heads: int = 3, fault: str = "", causal: bool = False, dropout: float = 0.0):
        super().__init__()
        self.n_heads, self.fault, self.causal = heads, fault, causal
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d, d) for _ in range(4))
        self.drop = nn.Dropout(dropout)
        if fault == "fixed length":
            self.register_buffer("tril", torch.ones(5, 5).tril())

    def projected(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        made = {"q": self.q_proj, "k": self.k_proj, "v": self.v_proj}
        q, k, v = (made[n](x) for n in ROLES.get(self.fault, ("qkv",))[0])
        return q, k, v

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:  # noqa: C901  one branch for each fault
        fault, h = self.fault, self.n_heads
        if fault == "x in place":
            x += 0.1
        if fault == "first sentence's mean":
            x = x - x[:1].mean(1, keepdim=True)
        if fault == "batch and seq exchanged":
            x = x.transpose(0, 1)
        q, k, v = self.projected(x)
        if fault == "dropout on values":
            v = self.drop(v)
        if fault == "one head":
            h = 1
        every = fault in ("split by view", "split and join by view")
        if fault == "heads attend to heads":
            q, k, v = (t.view(*t.shape[:2], h, -1) for t in (q, k, v))
        else:
            q, k = split(q, h, every), split(k, h, every or fault == "key split by view")
            v = split(v, h, every or fault == "value split by view")
        d_head, seq = q.shape[-1], x.shape[1]
        divisor = SCALES[fault][0](d_head, x.shape[-1], seq) if fault in SCALES else d_head**0.5
        scores = q @ k.mT / divisor
        if fault == "fixed length":
            scores = scores.masked_fill(self.tril == 0, -torch.inf)
        if mask is not None:
            scores = given_mask(scores, mask, fault)
        if fault == "dropout before softmax":
            scores = self.drop(scores)
        weights = weights_of(scores, fault, causal_mask(fault, seq) if self.causal else None)
        if fault == "weights detached":
            weights = weights.detach()
        if fault == "dropout in eval":
            weights = F.dropout(weights, 0.2)
        elif fault not in ("dropout before softmax", "dropout on values"):
            weights = self.drop(weights)
        out = weights @ v
        out = out.flatten(2) if fault == "heads attend to heads" else join(out, fault)
        if fault == "own value added":
            out = out + x
        out = out if fault == "no output projection" else self.out_proj(out)
        return out.transpose(0, 1) if fault == "batch and seq exchanged" else out


class CausalSelfAttention(nn.Module):
    """Packed projections, causal, as in nanoGPT."""

    def __init__(self, d: int = 24, heads: int = 3, fault: str = ""):
        super().__init__()
        self.c_attn, self.c_proj, self.n_head, self.fault = nn.Linear(d, 3 * d), nn.Linear(d, d), heads, fault
        self.register_buffer("bias", causal_mask("", 32)[None, None])

    def forward(self, x: Tensor) -> Tensor:
        fault, (_, s, d) = self.fault, x.shape
        order = ROLES.get(fault, ("qkv",))[0]
        parts = dict(zip("qkv", self.c_attn(x).split(d, dim=2), strict=True))
        q, k, v = (parts[n] for n in order)
        every = fault in ("split by view", "split and join by view")
        q, k = split(q, self.n_head, every), split(k, self.n_head, every or fault == "key split by view")
        v = split(v, self.n_head, every or fault == "value split by view")
        divisor = SCALES[fault][0](d // self.n_head, d, s) if fault in SCALES else (d // self.n_head) ** 0.5
        scores = (q @ k.transpose(-2, -1)) * (1.0 / divisor)
        allowed = causal_mask(fault, s) if fault in CAUSAL else self.bias[0, 0, :s, :s]
        return self.c_proj(join(weights_of(scores, fault, allowed) @ v, fault))


def rotated(t: Tensor, base: float = 10_000.0) -> Tensor:
    """(batch, heads, seq, d_head), its halves turned by their positions."""
    half = t.shape[-1] // 2
    angle = torch.outer(torch.arange(t.shape[2]).to(t), base ** (-torch.arange(half).to(t) / half))
    a, b = t.chunk(2, -1)
    return torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], -1)


class RMSNorm(nn.Module):
    def __init__(self, d: int):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))

    def forward(self, x: Tensor) -> Tensor:
        return self.weight * x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6)


class RopeAttention(nn.Module):
    """GQA with rotary positions, causal, and norms of queries and keys if wanted, by PyTorch's own function."""

    def __init__(self, d: int = 32, heads: int = 4, kv: int = 2, fault: str = "", normed: bool = False):
        super().__init__()
        self.n_heads, self.n_kv, self.fault, size = heads, kv, fault, d // heads
        self.wq, self.wk = nn.Linear(d, d, bias=False), nn.Linear(d, kv * size, bias=False)
        self.wv, self.wo = nn.Linear(d, kv * size, bias=False), nn.Linear(d, d, bias=False)
        self.q_norm, self.k_norm = (RMSNorm(size) if normed else nn.Identity() for _ in range(2))

    def forward(self, x: Tensor) -> Tensor:
        fault, (_, s, d) = self.fault, x.shape
        by_view = fault in ("split by view", "split and join by view")
        q = self.q_norm(split(self.wq(x), self.n_heads, by_view))
        k = self.k_norm(split(self.wk(x), self.n_kv, by_view or fault == "key split by view"))
        v = split(self.wv(x if fault != "v from k" else x), self.n_kv, by_view or fault == "value split by view")
        if fault == "v from k":
            v = split(self.wk(x), self.n_kv, False)
        if fault == "rope along the heads":
            q, k = rotated(q.transpose(1, 2)).transpose(1, 2), rotated(k.transpose(1, 2)).transpose(1, 2)
        elif fault != "no rope on keys":
            q, k = rotated(q), rotated(k)
        else:
            q = rotated(q)
        if fault == "rope on values":
            v = rotated(v)
        if fault == "heads served in another order":
            k, v = (t.repeat(1, self.n_heads // self.n_kv, 1, 1) for t in (k, v))
        else:
            k, v = (t.repeat_interleave(self.n_heads // self.n_kv, 1) for t in (k, v))
        scale = 1 / SCALES[fault][0](d // self.n_heads, d, s) if fault in SCALES else None
        causal = fault != "mask forgotten"
        out = F.scaled_dot_product_attention(q, k, v, is_causal=causal, scale=scale)
        return self.wo(join(out, fault))


ROPE: dict[str, Label] = {
    "no rope on keys": ("positions", r"distance|keys?"),
    "rope along the heads": ("positions", r"heads"),
    "rope on values": ("positions", r"values"),
}


class AlibiAttention(nn.Module):
    """Causal attention with a slope of distance for each head, one projection for keys and values."""

    def __init__(self, d: int = 24, heads: int = 3, fault: str = ""):
        super().__init__()
        self.heads, self.fault = heads, fault
        self.to_q, self.to_kv, self.to_out = nn.Linear(d, d), nn.Linear(d, 2 * d), nn.Linear(d, d)

    def forward(self, x: Tensor) -> Tensor:
        fault, (_, s, d) = self.fault, x.shape
        q, (k, v) = self.to_q(x), self.to_kv(x).chunk(2, -1)
        q, k, v = (split(t, self.heads, fault in ("split by view", "split and join by view")) for t in (q, k, v))
        divisor = SCALES[fault][0](d // self.heads, d, s) if fault in SCALES else (d // self.heads) ** 0.5
        far = torch.arange(s)[None, :] - torch.arange(s)[:, None]
        slopes = 2.0 ** -torch.arange(1, self.heads + 1)
        scores = q @ k.mT / divisor + (slopes[:, None, None] * far).to(x)
        return self.to_out(join(weights_of(scores, fault, causal_mask(fault, s)) @ v, fault))


class Block(nn.Module):
    """A transformer block around one of the layers above: norms before or after, ReLU or a gate inside."""

    def __init__(
        self, d: int = 24, pre: bool = True, gated: bool = False, fault: str = "", inner: str = "", **how: Any
    ):
        super().__init__()
        self.pre, self.gated, self.fault = pre, gated, fault
        self.attn = Attention(d, 3, inner, **how)
        self.ln_1, self.ln_2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.up, self.down = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)
        if gated:
            self.gate = nn.Linear(d, 4 * d)

    def feed(self, x: Tensor) -> Tensor:
        inner = self.up(x)
        if self.fault != "no activation":
            inner = F.silu(self.gate(x)) * inner if self.gated else inner.relu()
        return self.down(inner)

    def forward(self, x: Tensor) -> Tensor:
        fault = self.fault
        if self.pre:
            n = x if fault == "no norm" else self.ln_1(x)
            a = self.attn(n)
            h = a if fault == "no residual around attention" else (n if fault == "residual from the norm" else x) + a
            n = h if fault in ("no norm", "no norm before feed-forward") else self.ln_2(h)
            f = self.feed(n)
            return f if fault == "no residual around feed-forward" else (x if fault == "second sum from x" else h) + f
        a = self.attn(x)
        h = a if fault == "no residual around attention" else x + a
        h = h if fault == "no norm" else self.ln_1(h)
        f = self.feed(h)
        y = f if fault == "no residual around feed-forward" else (x if fault == "second sum from x" else h) + f
        return y if fault == "no norm" else self.ln_2(y)


class CrossAttention(nn.Module):
    """x attends to a context."""

    def __init__(self, d: int = 24, d_context: int = 18, heads: int = 3, fault: str = ""):
        super().__init__()
        self.heads, self.fault = heads, fault
        self.q_proj, self.out_proj = nn.Linear(d, d), nn.Linear(d, d)
        self.k_proj, self.v_proj = nn.Linear(d_context, d), nn.Linear(d_context, d)

    def forward(self, x: Tensor, context: Tensor) -> Tensor:
        fault, (_, s, d) = self.fault, x.shape
        q, k, v = self.q_proj(x), self.k_proj(context), self.v_proj(context)
        if fault == "v from k":
            v = self.k_proj(context)
        by_view = fault in ("split by view", "split and join by view")
        q, k = split(q, self.heads, by_view), split(k, self.heads, by_view or fault == "key split by view")
        v = split(v, self.heads, by_view or fault == "value split by view")
        divisor = SCALES[fault][0](d // self.heads, d, s) if fault in SCALES else (d // self.heads) ** 0.5
        return self.out_proj(join(weights_of(q @ k.mT / divisor, fault, None) @ v, fault))


def attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, *, fault: str = "") -> Tensor:
    """A function of query, key and value, (…, words, d) each."""
    d, seq = query.shape[-1], key.shape[-2]
    scores = query @ key.mT / (SCALES[fault][0](d, d, seq) if fault in SCALES else d**0.5)
    if mask is not None and fault != "mask ignored":
        scores = scores.masked_fill(~mask, -1e9)
    if fault in SOFTMAXES:
        return SOFTMAXES[fault][0](scores) @ value
    return scores.softmax(-1) @ value


class BareAttention(nn.Module):
    """UnitShare out: bare parameters (d, heads, size) and einsum."""

    def __init__(self, d: int = 24, heads: int = 3, fault: str = ""):
        super().__init__()
        self.fault, size = fault, d // heads
        self.W_Q, self.W_K, self.W_V = (nn.Parameter(torch.randn(heads, d, size) / d**0.5) for _ in range(3))
        self.W_O = nn.Parameter(torch.randn(heads, size, d) / d**0.5)
        self.b_Q = nn.Parameter(torch.zeros(heads, size))

    def forward(self, x: Tensor) -> Tensor:
        fault, (_, s, d) = self.fault, x.shape
        made = {"q": self.W_Q, "k": self.W_K, "v": self.W_V}
        q, k, v = (torch.einsum("bsd,hdk->bshk", x, made[n]) for n in ROLES.get(fault, ("qkv",))[0])
        size = q.shape[-1]
        scores = torch.einsum("bqhk,bjhk->bhqj", q + self.b_Q, k)
        scores = scores / (SCALES[fault][0](size, d, s) if fault in SCALES else size**0.5)
        weights = weights_of(scores, fault, causal_mask(fault, s))
        z = torch.einsum("bhqj,bjhk->bqhk", weights, v)
        if fault == "heads averaged":
            z = z.mean(2, keepdim=True).expand_as(z)
        return torch.einsum("bqhk,hkd->bqd", z, self.W_O)


class Head(nn.Module):
    def __init__(self, d: int, size: int, fault: str):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(d, size, bias=False) for _ in range(3))
        self.fault = fault

    def forward(self, x: Tensor) -> Tensor:
        fault, (_, s, d) = self.fault, x.shape
        made = {"q": self.query, "k": self.key, "v": self.value}
        q, k, v = (made[n](x) for n in ROLES.get(fault, ("qkv",))[0])
        size = q.shape[-1]
        scores = q @ k.mT / (SCALES[fault][0](size, d, s) if fault in SCALES else size**0.5)
        scores = scores.masked_fill(~causal_mask(fault, s), -1e9) if fault not in ("mask after softmax",) else scores
        weights = scores.softmax(1 if fault == "softmax over queries" else -1)
        return (weights * causal_mask("", s) if fault == "mask after softmax" else weights) @ v


class HeadsInALoop(nn.Module):
    """UnitShare out: a list of heads, each a module, joined by cat."""

    def __init__(self, d: int = 24, heads: int = 3, fault: str = ""):
        super().__init__()
        self.heads = nn.ModuleList(Head(d, d // heads, fault) for _ in range(heads))
        self.proj, self.fault = nn.Linear(d, d), fault

    def forward(self, x: Tensor) -> Tensor:
        found = [head(x) for head in self.heads]
        if self.fault == "heads averaged":
            found = [torch.stack(found).mean(0)] * len(found)
        if self.fault == "first head alone":
            found = [found[0]] * len(found)
        return self.proj(torch.cat(found, -1))


class ConvBlock(nn.Module):
    """UnitShare out: a vision block, projections by 1 × 1 convolutions, (batch, words, d), gelu, post-norm inside."""

    def __init__(self, d: int = 24, heads: int = 3, fault: str = ""):
        super().__init__()
        self.heads, self.fault = heads, fault
        self.qkv, self.proj = nn.Conv1d(d, 3 * d, 1), nn.Conv1d(d, d, 1)
        self.norm_a, self.norm_b = nn.LayerNorm(d), nn.LayerNorm(d)
        self.mlp = nn.Sequential(
            nn.Linear(d, 2 * d), nn.Identity() if fault == "no activation" else nn.GELU(), nn.Linear(2 * d, d)
        )

    def attention(self, x: Tensor) -> Tensor:
        fault, (b, s, d) = self.fault, x.shape
        qkv = self.qkv(x.transpose(1, 2)).view(b, 3, self.heads, d // self.heads, s)
        q, k, v = (qkv[:, "qkv".index(n)] for n in ROLES.get(fault, ("qkv",))[0])  # (b, h, size, s)
        size = d // self.heads
        scores = q.mT @ k * (1 / SCALES[fault][0](size, d, s) if fault in SCALES else size**-0.5)
        weights = weights_of(scores, fault, None)
        out = weights @ v.mT
        out = out.reshape(b, d, s) if fault == "join by view" else out.permute(0, 1, 3, 2).reshape(b, d, s)
        return self.proj(out).transpose(1, 2)

    def forward(self, x: Tensor) -> Tensor:
        fault = self.fault
        a = self.attention(self.norm_a(x))
        h = a if fault == "no residual around attention" else x + a
        f = self.mlp(h if fault == "no norm before feed-forward" else self.norm_b(h))
        return f if fault == "no residual around feed-forward" else h + f


Patient = tuple[str, Callable[[], Any], dict[str, Any], Label | None]


def labelled(kind: str, make: Callable[..., Any], faults: dict[str, Label], **facts: Any) -> list[Patient]:
    """(name, how to make it, facts, label) of one kind of layer, healthy and with each fault."""
    return [
        (f"{kind}: {fault}", lambda fault=fault: make(fault=fault), facts, label) for fault, label in faults.items()
    ]


def of_scales(*leave_out: str) -> dict[str, Label]:
    return {name: label for name, (_, label) in SCALES.items() if name not in leave_out}


SOFT = {name: label for name, (_, label) in SOFTMAXES.items()}
BY_ROLE = {name: label for name, (_, label) in ROLES.items()}
NO_DEFAULT = {"mask renormalised by zeros", "mask of zeros found"}


def partly(faults: dict[str, Label], *names: str) -> dict[str, Label]:
    return {name: faults[name] for name in names}


DEVELOPMENT: list[Patient] = [
    ("separate", lambda: Attention(), {}, None),
    ("separate, causal", lambda: Attention(causal=True), {"causal": True}, None),
    ("separate, dropout", lambda: Attention(dropout=0.1), {}, None),
    ("packed", lambda: CausalSelfAttention(), {}, None),
    ("rope and GQA", lambda: RopeAttention(), {"causal": True}, None),
    ("rope, GQA, norms", lambda: RopeAttention(normed=True), {"causal": True}, None),
    ("alibi", lambda: AlibiAttention(), {"causal": True}, None),
    ("cross", lambda: CrossAttention(), {}, None),
    ("function", lambda: attend, {}, None),
    ("block, pre", lambda: Block(), {}, None),
    ("block, post", lambda: Block(pre=False), {}, None),
    ("block, pre, gated", lambda: Block(gated=True, causal=True), {"causal": True}, None),
    *labelled("separate", Attention, of_scales() | SOFT | BY_ROLE | SPLITS, n_heads=3),
    *labelled("separate", lambda fault: Attention(fault=fault, causal=True), CAUSAL, causal=True),
    *labelled("separate", lambda fault: Attention(fault=fault, dropout=0.1), OTHERS, mask_true="attend"),
    *labelled("packed", CausalSelfAttention, of_scales("length") | partly(SOFT, "softmax over queries", "no softmax", "divided after", "sigmoid")
              | partly(SPLITS, "split by view", "join by view", "split and join by view", "key split by view", "heads averaged") | CAUSAL),
    *labelled("rope", RopeAttention, ROPE | of_scales("length") | partly(BY_ROLE, "v from k")
              | partly(SPLITS, "split by view", "join by view", "key split by view", "value split by view", "heads averaged")
              | partly(CAUSAL, "mask forgotten"), causal=True),
    *labelled("normed rope", lambda fault: RopeAttention(fault=fault, normed=True), ROPE | partly(SPLITS, "join by view", "key split by view")),
    *labelled("alibi", AlibiAttention, of_scales("length") | partly(SPLITS, "split by view", "join by view") | SOFT
              | partly(CAUSAL, "mask one too far", "mask turned", "mask after softmax"), causal=True),
    *labelled("pre", lambda fault: Block(fault=fault), BLOCKS),
    *labelled("gated", lambda fault: Block(fault=fault, gated=True, causal=True), BLOCKS),
    *labelled("post", lambda fault: Block(pre=False, fault=fault), {n: v for n, v in BLOCKS.items() if n not in ("residual from the norm", "no norm before feed-forward")}),
    *labelled("pre, inner", lambda fault: Block(inner=fault), of_scales() | SOFT | partly(SPLITS, "split by view", "join by view", "heads averaged")
              | partly(BY_ROLE, "v from k", "k and v exchanged")),
    *labelled("post, inner", lambda fault: Block(pre=False, inner=fault), of_scales() | partly(SOFT, "softmax over queries", "softmax over heads")
              | partly(SPLITS, "split and join by view", "key split by view", "one head")),
    *labelled("cross", CrossAttention, of_scales("length") | SOFT | partly(BY_ROLE, "v from k")
              | partly(SPLITS, "split by view", "join by view", "key split by view", "value split by view", "heads averaged")),
    *labelled("function", lambda fault: lambda query, key, value, mask=None: attend(query, key, value, mask, fault=fault),
              of_scales("root of d_model") | partly(SOFT, "softmax over queries", "no softmax", "sigmoid", "divided after") | partly(OTHERS, "mask ignored")),
]  # fmt: skip

HELD_OUT: list[Patient] = [
    ("bare", lambda: BareAttention(), {"causal": True}, None),
    ("loop", lambda: HeadsInALoop(), {"causal": True}, None),
    ("convolution", lambda: ConvBlock(), {}, None),
    *labelled("bare", BareAttention, of_scales() | SOFT | BY_ROLE | CAUSAL | partly(SPLITS, "heads averaged"), causal=True),
    *labelled("loop", HeadsInALoop, of_scales() | partly(SOFT, "softmax over queries") | BY_ROLE
              | partly(CAUSAL, "mask one too far", "mask turned", "mask forgotten", "mask after softmax")
              | partly(SPLITS, "heads averaged") | {"first head alone": ("gradients", r"no gradient")}, causal=True),
    *labelled("convolution", ConvBlock, of_scales() | SOFT | partly(SPLITS, "join by view")
              | partly(BLOCKS, "no residual around attention", "no residual around feed-forward", "no norm before feed-forward", "no activation")),
]  # fmt: skip
