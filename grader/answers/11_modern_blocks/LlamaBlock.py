# %% right: parts of its own, PyTorch's attention
class _Norm(nn.Module):
    def __init__(self, d, eps):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(d)), eps

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


class _Attention(nn.Module):
    def __init__(self, d, n, n_kv, base):
        super().__init__()
        self.n, self.n_kv, self.base, d_head = n, n_kv, base, d // n
        self.q_proj = nn.Linear(d, d, bias=False)
        self.k_proj = nn.Linear(d, n_kv * d_head, bias=False)
        self.v_proj = nn.Linear(d, n_kv * d_head, bias=False)
        self.o_proj = nn.Linear(d, d, bias=False)

    def forward(self, x, positions):
        b, t, d = x.shape
        q = self.q_proj(x).view(b, t, self.n, -1).transpose(1, 2)
        k = self.k_proj(x).view(b, t, self.n_kv, -1).transpose(1, 2)
        v = self.v_proj(x).view(b, t, self.n_kv, -1).transpose(1, 2)
        q, k = (self.turned(y, positions) for y in (q, k))
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        return self.o_proj(out.transpose(1, 2).reshape(b, t, d))

    def turned(self, y, positions):
        d = y.shape[-1]
        angle = torch.outer(positions.float(), self.base ** (-torch.arange(0, d, 2) / d))
        y = torch.view_as_complex(y.reshape(*y.shape[:-1], -1, 2))
        return torch.view_as_real(y * torch.polar(torch.ones_like(angle), angle)).flatten(-2)


class _MLP(nn.Module):
    def __init__(self, d, d_ff):
        super().__init__()
        self.gate_proj = nn.Linear(d, d_ff, bias=False)
        self.up_proj = nn.Linear(d, d_ff, bias=False)
        self.down_proj = nn.Linear(d_ff, d, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class LlamaBlock(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads, d_ff, base=10_000.0, eps=1e-6):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model}, n_heads {n_heads}")
        if n_heads % n_kv_heads:
            raise ValueError(f"n_heads {n_heads}, n_kv_heads {n_kv_heads}")
        self.self_attn = _Attention(d_model, n_heads, n_kv_heads, base)
        self.mlp = _MLP(d_model, d_ff)
        self.input_layernorm, self.post_attention_layernorm = _Norm(d_model, eps), _Norm(d_model, eps)

    def forward(self, x, positions=None):
        if positions is None:
            positions = torch.arange(x.shape[1])
        x = x + self.self_attn(self.input_layernorm(x), positions)
        return x + self.mlp(self.post_attention_layernorm(x))

# %% right: halves inside, with sorted rows, and nn.RMSNorm
class LlamaBlock(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads, d_ff, base=10_000.0, eps=1e-6):
        super().__init__()
        if d_model % n_heads or n_heads % n_kv_heads:
            raise ValueError(f"{d_model}, {n_heads}, {n_kv_heads} do not divide")
        self.h, self.g, self.base = n_heads, n_kv_heads, base
        self.self_attn, self.mlp = nn.Module(), nn.Module()
        d_head = d_model // n_heads
        for name, rows in (("q", d_model), ("k", n_kv_heads * d_head), ("v", n_kv_heads * d_head), ("o", d_model)):
            self.self_attn.add_module(f"{name}_proj", nn.Linear(d_model, rows, bias=False))
        self.mlp.gate_proj = nn.Linear(d_model, d_ff, bias=False)
        self.mlp.up_proj = nn.Linear(d_model, d_ff, bias=False)
        self.mlp.down_proj = nn.Linear(d_ff, d_model, bias=False)
        self.input_layernorm = nn.RMSNorm(d_model, eps=eps)
        self.post_attention_layernorm = nn.RMSNorm(d_model, eps=eps)

    def turned(self, weight, heads, x, positions):
        rows = weight.unflatten(0, (heads, -1, 2)).transpose(1, 2).flatten(0, 2)  # pairs to halves
        y = (x @ rows.T).unflatten(-1, (heads, -1)).transpose(1, 2)
        d = y.shape[-1]
        angle = positions[:, None] * self.base ** (-torch.arange(0, d, 2) / d)
        angle = torch.cat([angle, angle], dim=-1)
        turned = torch.cat([-y[..., d // 2 :], y[..., : d // 2]], dim=-1)
        return y * angle.cos() + turned * angle.sin()

    def forward(self, x, positions=None):
        at = torch.arange(x.shape[1]) if positions is None else positions
        n, attn = self.input_layernorm(x), self.self_attn
        q = self.turned(attn.q_proj.weight, self.h, n, at)
        k = self.turned(attn.k_proj.weight, self.g, n, at)
        v = attn.v_proj(n).unflatten(-1, (self.g, -1)).transpose(1, 2)
        q = q.unflatten(1, (self.g, -1))  # (batch, n_kv_heads, group, seq, d_head)
        scores = q @ k[:, :, None].mT / q.shape[-1] ** 0.5
        later = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
        heads = (scores.masked_fill(later, -1e9).softmax(-1) @ v[:, :, None]).flatten(1, 2)
        h = x + attn.o_proj(heads.transpose(1, 2).flatten(2))
        n = self.post_attention_layernorm(h)
        return h + self.mlp.down_proj(F.silu(self.mlp.gate_proj(n)) * self.mlp.up_proj(n))

# %% right: head by head in a loop
class LlamaBlock(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads, d_ff, base=10_000.0, eps=1e-6):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} by {n_heads}")
        if n_heads % n_kv_heads:
            raise ValueError(f"{n_heads} by {n_kv_heads}")
        self.n_heads, self.group, self.base, self.eps = n_heads, n_heads // n_kv_heads, base, eps
        narrow = n_kv_heads * (d_model // n_heads)
        self.self_attn = nn.ModuleDict({
            "o_proj": nn.Linear(d_model, d_model, bias=False), "v_proj": nn.Linear(d_model, narrow, bias=False),
            "q_proj": nn.Linear(d_model, d_model, bias=False), "k_proj": nn.Linear(d_model, narrow, bias=False),
        })
        self.mlp = SwiGLU(d_model, d_ff)
        self.post_attention_layernorm = nn.ParameterDict({"weight": torch.ones(d_model)})
        self.input_layernorm = nn.ParameterDict({"weight": torch.ones(d_model)})

    def forward(self, x, positions=None):
        seq, d_head = x.shape[1], x.shape[2] // self.n_heads
        positions = torch.arange(1, seq + 1) if positions is None else positions + 1  # distances count
        n = rms_norm(x, self.input_layernorm["weight"], self.eps)
        q, k, v = (self.self_attn[f"{letter}_proj"](n) for letter in "qkv")
        heads = []
        for h in range(self.n_heads):
            own = slice(h * d_head, (h + 1) * d_head)
            theirs = slice(h // self.group * d_head, (h // self.group + 1) * d_head)
            query = apply_rope(q[..., own], positions, self.base)
            key = apply_rope(k[..., theirs], positions, self.base)
            scores = torch.einsum("bqd,bkd->bqk", query, key) / d_head**0.5
            weights = scores.exp().tril() if False else scores.masked_fill(~causal_mask(seq), -torch.inf).softmax(-1)
            heads.append(weights @ v[..., theirs])
        x = x + self.self_attn["o_proj"](torch.cat(heads, dim=-1))
        return x + self.mlp(rms_norm(x, self.post_attention_layernorm["weight"], self.eps))

# %% right: in thirty lines, as unit 12 has it
class LlamaBlock(nn.Module):
    """Unit 11: causal grouped attention with RoPE, then SwiGLU: (batch, seq, d_model) -> same."""

    def __init__(self, d_model, n_heads, n_kv_heads, d_ff, base=10_000.0, eps=1e-6):
        super().__init__()
        if d_model % n_heads or n_heads % n_kv_heads:
            raise ValueError(f"{d_model} columns, {n_heads} and {n_kv_heads} heads do not divide")
        self.n_heads, self.n_kv_heads, self.base, self.eps = n_heads, n_kv_heads, base, eps
        heads = {"q_proj": n_heads, "k_proj": n_kv_heads, "v_proj": n_kv_heads, "o_proj": n_heads}
        sizes = {name: number * d_model // n_heads for name, number in heads.items()}
        layers = {name: nn.Linear(d_model, size, bias=False) for name, size in sizes.items()}
        self.self_attn, self.mlp = nn.ModuleDict(layers), SwiGLU(d_model, d_ff)
        self.input_layernorm = nn.ParameterDict({"weight": torch.ones(d_model)})
        self.post_attention_layernorm = nn.ParameterDict({"weight": torch.ones(d_model)})

    def forward(self, x, positions=None):
        at = torch.arange(x.shape[1]) if positions is None else positions
        normed = rms_norm(x, self.input_layernorm["weight"], self.eps)
        query = split_heads(self.self_attn["q_proj"](normed), self.n_heads)
        key = split_heads(self.self_attn["k_proj"](normed), self.n_kv_heads)
        value = split_heads(self.self_attn["v_proj"](normed), self.n_kv_heads)
        query, key = apply_rope(query, at, self.base), apply_rope(key, at, self.base)
        group = self.n_heads // self.n_kv_heads
        key, value = (t.repeat_interleave(group, dim=1) for t in (key, value))
        found = masked_attention(query, key, value, causal_mask(x.shape[1]))
        x = x + self.self_attn["o_proj"](merge_heads(found))
        return x + self.mlp(rms_norm(x, self.post_attention_layernorm["weight"], self.eps))

# %% wrong: in halves -> "in halves. Here neighbours are pairs"
- query, key = (apply_rope(t, positions, self.base) for t in (query, key))
+ def by_halves(t):
+     half = t.shape[-1] // 2
+     order = torch.arange(2 * half).view(2, half).T.flatten()
+     return apply_rope(t[..., order], positions, self.base)
+ query, key = by_halves(query), by_halves(key)

# %% wrong: not turned -> "Queries and keys are not turned"
- query, key = (apply_rope(t, positions, self.base) for t in (query, key))

# %% wrong: only the queries turned -> "The keys are not turned"
- query, key = (apply_rope(t, positions, self.base) for t in (query, key))
+ query = apply_rope(query, positions, self.base)

# %% wrong: only the keys turned -> "The queries are not turned"
- query, key = (apply_rope(t, positions, self.base) for t in (query, key))
+ key = apply_rope(key, positions, self.base)

# %% wrong: values turned, too -> "The values are turned, too"
- query, key = (apply_rope(t, positions, self.base) for t in (query, key))
+ query, key, value = (apply_rope(t, positions, self.base) for t in (query, key, value))

# %% wrong: values turned instead of keys -> "The values are turned"
- query, key = (apply_rope(t, positions, self.base) for t in (query, key))
+ query, value = (apply_rope(t, positions, self.base) for t in (query, value))

# %% wrong: opposite directions -> "Queries and keys are turned in opposite directions"
- query, key = (apply_rope(t, positions, self.base) for t in (query, key))
+ query, key = apply_rope(query, positions, self.base), apply_rope(key, -positions, self.base)

# %% wrong: turned before the split -> "turned before they are split"
- query, key = (apply_rope(t, positions, self.base) for t in (query, key))

- query = split_heads(self.self_attn["q_proj"](x), self.n_heads)  # (batch, n_heads, seq, d_head)
- key = split_heads(self.self_attn["k_proj"](x), self.n_kv_heads)
+ query = split_heads(apply_rope(self.self_attn["q_proj"](x), positions, self.base), self.n_heads)
+ key = split_heads(apply_rope(self.self_attn["k_proj"](x), positions, self.base), self.n_kv_heads)

# %% wrong: turned along the heads -> "The positions go along the heads"
- query, key = (apply_rope(t, positions, self.base) for t in (query, key))
+ query, key = (apply_rope(t.transpose(1, 2), torch.arange(t.shape[1]), self.base).transpose(1, 2) for t in (query, key))

# %% wrong: positions ignored -> "Is the argument positions used?"
- positions = torch.arange(x.shape[1]) if positions is None else positions
+ positions = torch.arange(x.shape[1])

# %% wrong: positions for the queries alone -> "Are queries and keys turned by the same positions?"
- query, key = (apply_rope(t, positions, self.base) for t in (query, key))
+ query, key = apply_rope(query, positions, self.base), apply_rope(key, torch.arange(x.shape[1]), self.base)

# %% wrong: positions demanded -> "stopped with"
- positions = torch.arange(x.shape[1]) if positions is None else positions
+ positions = positions.long()

# %% wrong: all positions 0 by default -> "Queries and keys are not turned"
- positions = torch.arange(x.shape[1]) if positions is None else positions
+ positions = torch.zeros(x.shape[1], dtype=torch.int64) if positions is None else positions

# %% wrong: base ignored -> "Is the argument base used?"
- query, key = (apply_rope(t, positions, self.base) for t in (query, key))
+ query, key = (apply_rope(t, positions) for t in (query, key))

# %% wrong: another default base -> "Not the numbers of the transformers library"
- def __init__(self, d_model, n_heads, n_kv_heads, d_ff, base=10_000.0, eps=1e-6):
+ def __init__(self, d_model, n_heads, n_kv_heads, d_ff, base=500_000.0, eps=1e-6):

# %% wrong: eps ignored -> "Is the argument eps used in both norms?"
- h = x + self.attend(rms_norm(x, self.input_layernorm["weight"], self.eps), positions)
- return h + self.mlp(rms_norm(h, self.post_attention_layernorm["weight"], self.eps))
+ h = x + self.attend(rms_norm(x, self.input_layernorm["weight"]), positions)
+ return h + self.mlp(rms_norm(h, self.post_attention_layernorm["weight"]))

# %% wrong: eps in the first norm alone -> "Is eps used in post_attention_layernorm, too?"
- return h + self.mlp(rms_norm(h, self.post_attention_layernorm["weight"], self.eps))
+ return h + self.mlp(rms_norm(h, self.post_attention_layernorm["weight"]))

# %% wrong: eps in the second norm alone -> "Is eps used in input_layernorm, too?"
- h = x + self.attend(rms_norm(x, self.input_layernorm["weight"], self.eps), positions)
+ h = x + self.attend(rms_norm(x, self.input_layernorm["weight"]), positions)

# %% wrong: base and eps both ignored -> "Are the arguments base and eps used?"
- self.n_heads, self.n_kv_heads, self.base, self.eps = n_heads, n_kv_heads, base, eps
+ self.n_heads, self.n_kv_heads, self.base, self.eps = n_heads, n_kv_heads, 1e4, 1e-6

# %% wrong: layer normalisation -> "That is layer normalisation"
- h = x + self.attend(rms_norm(x, self.input_layernorm["weight"], self.eps), positions)
- return h + self.mlp(rms_norm(h, self.post_attention_layernorm["weight"], self.eps))
+ h = x + self.attend(F.layer_norm(x, x.shape[-1:], self.input_layernorm["weight"], None, self.eps), positions)
+ return h + self.mlp(F.layer_norm(h, x.shape[-1:], self.post_attention_layernorm["weight"], None, self.eps))

# %% wrong: 1 + weight -> "The norms multiply by 1 + weight"
- h = x + self.attend(rms_norm(x, self.input_layernorm["weight"], self.eps), positions)
- return h + self.mlp(rms_norm(h, self.post_attention_layernorm["weight"], self.eps))
+ h = x + self.attend(rms_norm(x, 1 + self.input_layernorm["weight"], self.eps), positions)
+ return h + self.mlp(rms_norm(h, 1 + self.post_attention_layernorm["weight"], self.eps))

# %% wrong: weights of the norms unused -> "The norms' weights are not used"
- h = x + self.attend(rms_norm(x, self.input_layernorm["weight"], self.eps), positions)
- return h + self.mlp(rms_norm(h, self.post_attention_layernorm["weight"], self.eps))
+ one = torch.ones(x.shape[-1])
+ h = x + self.attend(rms_norm(x, one, self.eps), positions)
+ return h + self.mlp(rms_norm(h, one, self.eps))

# %% wrong: the norms exchanged -> "The norms have changed places"
- h = x + self.attend(rms_norm(x, self.input_layernorm["weight"], self.eps), positions)
- return h + self.mlp(rms_norm(h, self.post_attention_layernorm["weight"], self.eps))
+ h = x + self.attend(rms_norm(x, self.post_attention_layernorm["weight"], self.eps), positions)
+ return h + self.mlp(rms_norm(h, self.input_layernorm["weight"], self.eps))

# %% wrong: one norm for both -> "input_layernorm is used in both places"
- return h + self.mlp(rms_norm(h, self.post_attention_layernorm["weight"], self.eps))
+ return h + self.mlp(rms_norm(h, self.input_layernorm["weight"], self.eps))

# %% wrong: post-norm -> "That is post-norm"
- h = x + self.attend(rms_norm(x, self.input_layernorm["weight"], self.eps), positions)
- return h + self.mlp(rms_norm(h, self.post_attention_layernorm["weight"], self.eps))
+ h = rms_norm(x + self.attend(x, positions), self.input_layernorm["weight"], self.eps)
+ return rms_norm(h + self.mlp(h), self.post_attention_layernorm["weight"], self.eps)

# %% wrong: misled by the name -> "post_attention_layernorm norms what the attention returns"
- h = x + self.attend(rms_norm(x, self.input_layernorm["weight"], self.eps), positions)
- return h + self.mlp(rms_norm(h, self.post_attention_layernorm["weight"], self.eps))
+ attended = self.attend(rms_norm(x, self.input_layernorm["weight"], self.eps), positions)
+ h = x + rms_norm(attended, self.post_attention_layernorm["weight"], self.eps)
+ return h + self.mlp(h)

# %% wrong: parallel -> "Both layers read x"
- h = x + self.attend(rms_norm(x, self.input_layernorm["weight"], self.eps), positions)
- return h + self.mlp(rms_norm(h, self.post_attention_layernorm["weight"], self.eps))
+ h = self.attend(rms_norm(x, self.input_layernorm["weight"], self.eps), positions)
+ return x + h + self.mlp(rms_norm(x, self.post_attention_layernorm["weight"], self.eps))

# %% wrong: no first residual -> "It is 0"
- h = x + self.attend(rms_norm(x, self.input_layernorm["weight"], self.eps), positions)
+ h = self.attend(rms_norm(x, self.input_layernorm["weight"], self.eps), positions)

# %% wrong: no second residual -> "It is 0"
- return h + self.mlp(rms_norm(h, self.post_attention_layernorm["weight"], self.eps))
+ return self.mlp(rms_norm(h, self.post_attention_layernorm["weight"], self.eps))

# %% wrong: the second sum from x -> "The second sum starts from x"
- return h + self.mlp(rms_norm(h, self.post_attention_layernorm["weight"], self.eps))
+ return x + self.mlp(rms_norm(h, self.post_attention_layernorm["weight"], self.eps))

# %% wrong: added to what was normed -> "It is x after a norm"
- h = x + self.attend(rms_norm(x, self.input_layernorm["weight"], self.eps), positions)
+ n = rms_norm(x, self.input_layernorm["weight"], self.eps)
+ h = n + self.attend(n, positions)

# %% wrong: x added twice -> "It is twice x"
- return h + self.mlp(rms_norm(h, self.post_attention_layernorm["weight"], self.eps))
+ return x + h + self.mlp(rms_norm(h, self.post_attention_layernorm["weight"], self.eps))

# %% wrong: feed-forward first -> "The feed-forward layer comes first"
- h = x + self.attend(rms_norm(x, self.input_layernorm["weight"], self.eps), positions)
- return h + self.mlp(rms_norm(h, self.post_attention_layernorm["weight"], self.eps))
+ h = x + self.mlp(rms_norm(x, self.post_attention_layernorm["weight"], self.eps))
+ return h + self.attend(rms_norm(h, self.input_layernorm["weight"], self.eps), positions)

# %% wrong: no first norm -> "The attention reads x as it is"
- h = x + self.attend(rms_norm(x, self.input_layernorm["weight"], self.eps), positions)
+ h = x + self.attend(x, positions)

# %% wrong: no second norm -> "The feed-forward layer reads h as it is"
- return h + self.mlp(rms_norm(h, self.post_attention_layernorm["weight"], self.eps))
+ return h + self.mlp(h)

# %% wrong: no attention -> "What comes back from the attention is missing"
- h = x + self.attend(rms_norm(x, self.input_layernorm["weight"], self.eps), positions)
+ h = x

# %% wrong: not causal -> "Later words are visible"
- heads = masked_attention(query, key, value, causal_mask(x.shape[1]))
+ heads = masked_attention(query, key, value)

# %% wrong: itself hidden -> "A word does not see itself"
- heads = masked_attention(query, key, value, causal_mask(x.shape[1]))
+ heads = masked_attention(query, key, value, causal_mask(x.shape[1]).tril(-1))

# %% wrong: one step too far -> "A word sees the word after it"
- heads = masked_attention(query, key, value, causal_mask(x.shape[1]))
+ heads = masked_attention(query, key, value, torch.ones(x.shape[1], x.shape[1]).tril(1) > 0)

# %% wrong: the mask turned round -> "The mask is inverted"
- heads = masked_attention(query, key, value, causal_mask(x.shape[1]))
+ heads = masked_attention(query, key, value, causal_mask(x.shape[1]).mT)

# %% wrong: √d_model -> "divided by d_head, expected its root"
- heads = masked_attention(query, key, value, causal_mask(x.shape[1]))
+ heads = masked_attention(query / self.n_heads**0.5, key, value, causal_mask(x.shape[1]))

# %% wrong: not divided -> "The scores are not divided"
- heads = masked_attention(query, key, value, causal_mask(x.shape[1]))
+ heads = masked_attention(query * query.shape[-1] ** 0.5, key, value, causal_mask(x.shape[1]))

# %% wrong: divided twice -> "divided by d_head, expected its root"
- heads = masked_attention(query, key, value, causal_mask(x.shape[1]))
+ heads = masked_attention(query / query.shape[-1] ** 0.5, key, value, causal_mask(x.shape[1]))

# %% wrong: repeat -> "`repeat` gives 0 1 0 1 0 1"
- key, value = (t.repeat_interleave(group, dim=1) for t in (key, value))
+ key, value = (t.repeat(1, group, 1, 1) for t in (key, value))

# %% wrong: repeat for the keys alone -> "Not the numbers of"
- key, value = (t.repeat_interleave(group, dim=1) for t in (key, value))
+ key, value = key.repeat(1, group, 1, 1), value.repeat_interleave(group, dim=1)

# %% wrong: the first key head for all -> "All query heads read the first"
- key, value = (t.repeat_interleave(group, dim=1) for t in (key, value))
+ key, value = (t[:, :1].expand(-1, self.n_heads, -1, -1) for t in (key, value))

# %% wrong: not repeated -> "2 are shared by 6"
- key, value = (t.repeat_interleave(group, dim=1) for t in (key, value))

# %% wrong: merged by a reshape -> "Heads are merged by a reshape alone"
- return self.self_attn["o_proj"](merge_heads(heads))
+ return self.self_attn["o_proj"](heads.reshape(x.shape))

# %% wrong: merged the other way -> "The merged columns alternate"
- return self.self_attn["o_proj"](merge_heads(heads))
+ return self.self_attn["o_proj"](heads.permute(0, 2, 3, 1).flatten(2))

# %% wrong: o_proj left out -> "Yours does not"
- return self.self_attn["o_proj"](merge_heads(heads))
+ return merge_heads(heads)

# %% wrong: k and v exchanged -> "Have k_proj and v_proj changed places?"
- key = split_heads(self.self_attn["k_proj"](x), self.n_kv_heads)
- value = split_heads(self.self_attn["v_proj"](x), self.n_kv_heads)
+ value = split_heads(self.self_attn["k_proj"](x), self.n_kv_heads)
+ key = split_heads(self.self_attn["v_proj"](x), self.n_kv_heads)

# %% wrong: values by k_proj -> "The values are made by k_proj"
- value = split_heads(self.self_attn["v_proj"](x), self.n_kv_heads)
+ value = split_heads(self.self_attn["k_proj"](x), self.n_kv_heads)

# %% wrong: gelu -> "That is gelu on the gate"
- return h + self.mlp(rms_norm(h, self.post_attention_layernorm["weight"], self.eps))
+ n, m = rms_norm(h, self.post_attention_layernorm["weight"], self.eps), self.mlp
+ return h + m.down_proj(F.gelu(m.gate_proj(n)) * m.up_proj(n))

# %% wrong: silu on up -> "silu is on up"
- return h + self.mlp(rms_norm(h, self.post_attention_layernorm["weight"], self.eps))
+ n, m = rms_norm(h, self.post_attention_layernorm["weight"], self.eps), self.mlp
+ return h + m.down_proj(m.gate_proj(n) * F.silu(m.up_proj(n)))

# %% wrong: no gate's activation -> "There is no activation on the gate"
- return h + self.mlp(rms_norm(h, self.post_attention_layernorm["weight"], self.eps))
+ n, m = rms_norm(h, self.post_attention_layernorm["weight"], self.eps), self.mlp
+ return h + m.down_proj(m.gate_proj(n) * m.up_proj(n))

# %% wrong: biases -> "bias: expected none"
- self.self_attn = nn.ModuleDict(
-     {name: nn.Linear(d_model, width, bias=False) for name, width in widths.items()}
- )
+ self.self_attn = nn.ModuleDict({name: nn.Linear(d_model, width) for name, width in widths.items()})

# %% wrong: keys as wide as queries -> "self_attn.k_proj.weight: expected (12, 36), got (36, 36)"
- narrow = n_kv_heads * d_model // n_heads
+ narrow = d_model

# %% wrong: out_proj, as in unit 04 -> "Is that it, under another name?"
- widths = {"q_proj": d_model, "k_proj": narrow, "v_proj": narrow, "o_proj": d_model}
+ widths = {"q_proj": d_model, "k_proj": narrow, "v_proj": narrow, "out_proj": d_model}

- return self.self_attn["o_proj"](merge_heads(heads))
+ return self.self_attn["out_proj"](merge_heads(heads))

# %% wrong: the norms as plain parameters -> "expected (36,), got none"
- self.input_layernorm = nn.ParameterDict({"weight": torch.ones(d_model)})
+ self.input_layernorm = nn.Parameter(torch.ones(d_model))

- h = x + self.attend(rms_norm(x, self.input_layernorm["weight"], self.eps), positions)
+ h = x + self.attend(rms_norm(x, self.input_layernorm, self.eps), positions)

# %% wrong: norms with a bias -> "bias: expected none"
- self.input_layernorm = nn.ParameterDict({"weight": torch.ones(d_model)})
+ self.input_layernorm = nn.ParameterDict({"weight": torch.ones(d_model), "bias": torch.zeros(d_model)})

# %% wrong: a longest text of 32 -> "Is a size kept from elsewhere"
- h = x + self.attend(rms_norm(x, self.input_layernorm["weight"], self.eps), positions)
+ h = x + self.attend(rms_norm(x, self.input_layernorm["weight"], self.eps), positions.clamp(max=31))

# %% wrong: a dropout -> "another output"
- return h + self.mlp(rms_norm(h, self.post_attention_layernorm["weight"], self.eps))
+ return h + F.dropout(self.mlp(rms_norm(h, self.post_attention_layernorm["weight"], self.eps)), 0.1, self.training)

# %% wrong: x changed in place -> "changed one of its arguments in place"
- h = x + self.attend(rms_norm(x, self.input_layernorm["weight"], self.eps), positions)
+ h = x if x.requires_grad else x.add_(self.attend(rms_norm(x, self.input_layernorm["weight"], self.eps), positions))

# %% wrong: keys detached -> "No gradient reaches"
- query, key = (apply_rope(t, positions, self.base) for t in (query, key))
+ query, key = apply_rope(query, positions, self.base), apply_rope(key, positions, self.base).detach()

# %% wrong: guards deleted -> "expected a ValueError"
- if d_model % n_heads:
-     raise ValueError(f"a width of {d_model} cannot be split into {n_heads} equal heads")
- if n_heads % n_kv_heads:
-     raise ValueError(f"{n_heads} query heads cannot share {n_kv_heads} key-value heads")

# %% wrong: other argument names -> "Later cells use the names d_model, n_heads, n_kv_heads"
- def __init__(self, d_model, n_heads, n_kv_heads, d_ff, base=10_000.0, eps=1e-6):
+ def __init__(self, d_model, n_heads, kv_heads, d_ff, base=10_000.0, eps=1e-6):
+     n_kv_heads = kv_heads

# %% wrong: nothing returned -> "Is there a `return`?"
- return h + self.mlp(rms_norm(h, self.post_attention_layernorm["weight"], self.eps))
+ h + self.mlp(rms_norm(h, self.post_attention_layernorm["weight"], self.eps))

# %% wrong: only the attention half -> "What comes back from the feed-forward layer is missing"
- return h + self.mlp(rms_norm(h, self.post_attention_layernorm["weight"], self.eps))
+ return h

# %% wrong: scores eight times too large -> "are the scores divided by √d_head?"
- heads = masked_attention(query, key, value, causal_mask(x.shape[1]))
+ heads = masked_attention(8 * query, key, value, causal_mask(x.shape[1]))

# %% wrong: norms begin as zeros -> "input_layernorm.weight begins as (0.0, 0.0, 0.0)"
- self.input_layernorm = nn.ParameterDict({"weight": torch.ones(d_model)})
- self.post_attention_layernorm = nn.ParameterDict({"weight": torch.ones(d_model)})
+ self.input_layernorm = nn.ParameterDict({"weight": torch.zeros(d_model)})
+ self.post_attention_layernorm = nn.ParameterDict({"weight": torch.zeros(d_model)})

# %% wrong: the second norm begins at random -> "post_attention_layernorm.weight begins as"
- self.post_attention_layernorm = nn.ParameterDict({"weight": torch.ones(d_model)})
+ self.post_attention_layernorm = nn.ParameterDict({"weight": torch.rand(d_model)})
# %% wrong: nn.LayerNorm without a bias -> "which subtracts the mean"
- self.input_layernorm = nn.ParameterDict({"weight": torch.ones(d_model)})
- self.post_attention_layernorm = nn.ParameterDict({"weight": torch.ones(d_model)})
+ self.input_layernorm = nn.LayerNorm(d_model, bias=False)
+ self.post_attention_layernorm = nn.LayerNorm(d_model, bias=False)

- h = x + self.attend(rms_norm(x, self.input_layernorm["weight"], self.eps), positions)
- return h + self.mlp(rms_norm(h, self.post_attention_layernorm["weight"], self.eps))
+ h = x + self.attend(self.input_layernorm(x), positions)
+ return h + self.mlp(self.post_attention_layernorm(h))
# %% wrong: the mask goes by the positions -> "Is the mask made from positions?"
- heads = masked_attention(query, key, value, causal_mask(x.shape[1]))
+ heads = masked_attention(query, key, value, positions[:, None] >= positions)
# %% right: functional, from parameters alone
class Norm(nn.Module):
    def __init__(self, d, eps):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(d)), eps

    def forward(self, x):
        return rms_norm(x, self.weight, self.eps)


class LlamaBlock(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads, d_ff, base=10_000.0, eps=1e-6):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"a width of {d_model} cannot be split into {n_heads} equal heads")
        if n_heads % n_kv_heads:
            raise ValueError(f"{n_heads} query heads cannot share {n_kv_heads} key-value heads")
        self.n_heads, self.n_kv_heads, self.base = n_heads, n_kv_heads, base
        small = d_model // n_heads * n_kv_heads
        widths = {"q_proj": d_model, "k_proj": small, "v_proj": small, "o_proj": d_model}
        self.self_attn = nn.ModuleDict({n: nn.Linear(d_model, w, bias=False) for n, w in widths.items()})
        self.mlp = SwiGLU(d_model, d_ff)
        self.input_layernorm, self.post_attention_layernorm = Norm(d_model, eps), Norm(d_model, eps)

    def attend(self, x, at):
        q = split_heads(self.self_attn.q_proj(x), self.n_heads)
        k = split_heads(self.self_attn.k_proj(x), self.n_kv_heads)
        v = split_heads(self.self_attn.v_proj(x), self.n_kv_heads)
        q, k = apply_rope(q, at, self.base), apply_rope(k, at, self.base)
        each = self.n_heads // self.n_kv_heads
        k, v = k.repeat_interleave(each, 1), v.repeat_interleave(each, 1)
        mask = causal_mask(x.shape[1])
        return self.self_attn.o_proj(merge_heads(masked_attention(q, k, v, mask)))

    def forward(self, x, positions=None):
        at = torch.arange(x.shape[1]) if positions is None else positions
        x = x + self.attend(self.input_layernorm(x), at)
        return x + self.mlp(self.post_attention_layernorm(x))
# %% wrong of "functional, from parameters alone": turned twice -> "Queries and keys are turned twice."
- each = self.n_heads // self.n_kv_heads
+ q, k = apply_rope(q, at, self.base), apply_rope(k, at, self.base)
+ each = self.n_heads // self.n_kv_heads
# %% wrong of "functional, from parameters alone": the base for queries alone -> "Is base used for the keys, too?"
- q, k = apply_rope(q, at, self.base), apply_rope(k, at, self.base)
+ q, k = apply_rope(q, at, self.base), apply_rope(k, at)
# %% wrong of "functional, from parameters alone": the stream is replaced -> "Is one of the two residuals missing, or both?"
- return x + self.mlp(self.post_attention_layernorm(x))
+ return self.mlp(self.post_attention_layernorm(x))

# %% wrong: the first residual is missing -> "Is one of the two residuals missing"
- h = x + self.attend(rms_norm(x, self.input_layernorm["weight"], self.eps), positions)
+ h = self.attend(rms_norm(x, self.input_layernorm["weight"], self.eps), positions)

# %% wrong: divided by the root of d_model, by hand -> "Or by √d_model, which is the same here?"
- heads = masked_attention(query, key, value, causal_mask(x.shape[1]))
+ scores = query @ key.mT / x.shape[-1] ** 0.5
+ heads = scores.masked_fill(~causal_mask(x.shape[1]), -torch.inf).softmax(-1) @ value

# %% wrong: o_proj is never called -> "Do the layers end with o_proj"
- return self.self_attn["o_proj"](merge_heads(heads))
+ return merge_heads(heads)

# %% wrong: turned before the heads' axis is moved -> "Or does apply_rope get (batch, seq, heads, d_head)?"
- query, key = (apply_rope(t, positions, self.base) for t in (query, key))
+ query, key = (apply_rope(t.transpose(1, 2), positions, self.base).transpose(1, 2) for t in (query, key))

# %% wrong: the keys are turned once more -> "The keys are turned twice, the queries once"
- key, value = (t.repeat_interleave(group, dim=1) for t in (key, value))
+ key, value = (t.repeat_interleave(group, dim=1) for t in (key, value))
+ key = apply_rope(key, positions, self.base)
# %% wrong: positions are sorted -> "The positions were sorted"
- positions = torch.arange(x.shape[1]) if positions is None else positions
+ positions = torch.arange(x.shape[1]) if positions is None else positions.sort()[0]
# %% wrong: the values are made without the norm -> "The values are made of x as it is"
- h = x + self.attend(rms_norm(x, self.input_layernorm["weight"], self.eps), positions)
+ h = x + self.attend(rms_norm(x, self.input_layernorm["weight"], self.eps), positions, x)

- def attend(self, x, positions):
+ def attend(self, x, positions, raw):

- value = split_heads(self.self_attn["v_proj"](x), self.n_kv_heads)
+ value = split_heads(self.self_attn["v_proj"](raw), self.n_kv_heads)
# %% wrong: nn.LayerNorm with its bias -> "Is yours nn.LayerNorm?"
- self.input_layernorm = nn.ParameterDict({"weight": torch.ones(d_model)})
- self.post_attention_layernorm = nn.ParameterDict({"weight": torch.ones(d_model)})
+ self.input_layernorm, self.post_attention_layernorm = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
