# %% right: PyTorch's attention function, float buffer with axes in front
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{n_heads} heads do not divide a width of {d_model}")
        self.n_heads, self.max_len, self.p = n_heads, max_len, dropout
        self.register_buffer("mask", torch.full((1, 1, max_len, max_len), float("-inf")).triu(1))
        self.out_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.q_proj = nn.Linear(d_model, d_model)

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, but max_len is {self.max_len}")
        q, k, v = (p(x).view(batch, seq, self.n_heads, -1).transpose(1, 2) for p in (self.q_proj, self.k_proj, self.v_proj))
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=self.mask[..., :seq, :seq], dropout_p=self.p if self.training else 0.0)
        return self.out_proj(out.transpose(1, 2).reshape(batch, seq, d_model))
# %% right: is_causal, the buffer kept for the file
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model={d_model}, n_heads={n_heads}")
        self.h, self.dropout = n_heads, dropout
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            setattr(self, name, nn.Linear(d_model, d_model))
        self.register_buffer("mask", torch.tril(torch.ones(max_len, max_len)))

    def forward(self, x):
        if x.size(1) > self.mask.size(0):
            raise ValueError(f"got {x.size(1)} words, max_len is {self.mask.size(0)}")
        weight = torch.cat([self.q_proj.weight, self.k_proj.weight, self.v_proj.weight])
        bias = torch.cat([self.q_proj.bias, self.k_proj.bias, self.v_proj.bias])
        q, k, v = F.linear(x, weight, bias).unflatten(-1, (3, self.h, -1)).permute(2, 0, 3, 1, 4)
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=self.dropout * self.training)
        return self.out_proj(out.transpose(1, 2).flatten(2))
# %% right: a loop over heads, True = hidden in the buffer, the key's bias unused
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model // n_heads * n_heads != d_model:
            raise ValueError(f"d_model {d_model} / n_heads {n_heads} leaves a rest")
        self.d_head = d_model // n_heads
        self.q_proj, self.k_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.v_proj, self.out_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).triu(1))

    def forward(self, x):
        seq = x.shape[1]
        if seq > len(self.mask):
            raise ValueError(f"max_len is {len(self.mask)}, {seq} words came")
        heads = []
        for q, k, v in zip(*(t.split(self.d_head, -1) for t in (self.q_proj(x), x @ self.k_proj.weight.T, self.v_proj(x)))):
            scores = torch.einsum("bqd,bkd->bqk", q, k) * self.d_head**-0.5
            scores = scores.masked_fill(self.mask[:seq, :seq], -1e9)
            heads.append(self.drop(scores.softmax(-1)) @ v)
        return self.out_proj(torch.cat(heads, -1))
# %% wrong: no mask applied -> "Is the mask used"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: masked_fill's result thrown away -> "Is the mask used"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: one word ahead -> "one word of the future"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril(1))

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: a word does not see itself -> "May each word see itself?"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril(-1))

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: a word does not see itself, -1e9 -> "does the diagonal belong to the mask"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril(-1))

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[:seq, :seq], -1e9)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: the other triangle -> "Is it the other triangle?"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).triu())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: True taken as hidden -> "Is True = may attend read as True = hidden?"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(self.mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: True taken as hidden, -1e9 -> "Is True = may attend read as True = hidden?"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(self.mask[:seq, :seq], -1e9)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: the mask is a parameter -> "`mask` is a parameter"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.mask = nn.Parameter(torch.ones(max_len, max_len, dtype=torch.bool).tril(), requires_grad=False)

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: the mask is a plain attribute -> "Is it a plain attribute"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.mask = torch.ones(max_len, max_len, dtype=torch.bool).tril()

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: the mask under another name -> "`mask` is not in the state_dict"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("causal_mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.causal_mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: the mask is not saved -> "persistent=False"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril(), persistent=False)

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: the mask is not cut -> "Is the mask cut to the words that came?"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask, -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: the last rows of the mask -> "Is the mask used"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[-seq:, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: mask made for the width -> "Is it made for max_len words?"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(d_model, d_model, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: scaled by d_model -> "multiplied by 0.258"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / d_model ** 0.5
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: not scaled -> "multiplied by 1.000"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: divided by d_head without the root -> "multiplied by 0.200"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1]
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: view without transpose -> "Are heads cut across?"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, self.n_heads, seq, -1)
        k = self.k_proj(x).reshape(batch, self.n_heads, seq, -1)
        v = self.v_proj(x).reshape(batch, self.n_heads, seq, -1)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: heads merged without transpose -> "Are heads cut across?"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: one single head -> "Are there n_heads heads"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = 1, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: masked after the softmax -> "Is the mask applied after the softmax"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        weights = self.dropout((scores.softmax(-1) * self.mask[:seq, :seq]))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: out_proj forgotten -> "Does out_proj come last"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return out
# %% wrong: no bias -> "q_proj.bias: expected a parameter"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, d_model, bias=False)
        self.v_proj = nn.Linear(d_model, d_model, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: one packed projection -> "q_proj.weight: expected a parameter"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: a further layer -> "Further parameters"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: dropout on the output -> "values, the contexts or the output"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = scores.softmax(-1)
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.dropout(self.out_proj(out))
# %% wrong: no dropout -> "Is there dropout"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = scores.softmax(-1)
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: dropout on the scores -> "on the weights, after the softmax"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = self.dropout(q @ k.mT / q.shape[-1] ** 0.5)
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = scores.softmax(-1)
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: dropout in eval mode too -> "Does dropout know that this is not training?"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.p = dropout
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = F.dropout(scores.softmax(-1), self.p)
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: no error for too many words -> "words 11, max_len 9: expected a ValueError, got"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: too many words are cut off -> "words 11, max_len 9: expected a ValueError, nothing"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        x = x[:, : self.max_len]
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: max_len words are too many -> "the ValueError should name both"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"too long")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: an assert for the width -> "d_model 17, n_heads 5: expected a ValueError, got AssertionError"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        assert d_model % n_heads == 0
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: width not refused -> "d_model 17, n_heads 5: expected a ValueError, nothing"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: no return -> "`return`"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        out = self.out_proj(out)
# %% wrong: returns the weights too -> "got tuple"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out), weights
# %% wrong: queries and keys exchanged -> "Did query and key change places"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = k @ q.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: softmax over the queries -> "Is the softmax over the queries?"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-2))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: max_len itself refused -> hidden: "max_len 1"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq >= self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: heads merged feature by feature -> "Are heads cut across?"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).permute(0, 2, 3, 1).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: heads of interleaved features -> "neighbouring parts"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, -1, self.n_heads).permute(0, 3, 1, 2)
        k = self.k_proj(x).reshape(batch, seq, -1, self.n_heads).permute(0, 3, 1, 2)
        v = self.v_proj(x).reshape(batch, seq, -1, self.n_heads).permute(0, 3, 1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)
# %% wrong: the input comes back -> "Are the values made by v_proj"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return x
# %% wrong: NaN everywhere -> "which gives NaN"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        out = (weights @ v).transpose(1, 2).reshape(batch, seq, d_model)
        return out * torch.nan
# %% wrong: dropout on the values -> "values, the contexts or the output"
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads, self.max_len = n_heads, max_len
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, max_len {self.max_len}")
        q = self.q_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq, self.n_heads, -1).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        weights = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf).softmax(-1)
        out = (weights @ self.dropout(v)).transpose(1, 2).reshape(batch, seq, d_model)
        return self.out_proj(out)

# %% wrong: 0 times -inf in the buffer -> "`mask` holds NaN"
class CausalSelfAttention(nn.Module):
    """Multi-head self-attention in which no word sees a later one: x (batch, seq, d_model) -> the same shape.

    q_proj, k_proj, v_proj, out_proj: nn.Linear with bias; mask: a buffer; dropout falls on the weights.
    Raises ValueError where n_heads does not divide d_model, and for more than max_len words.
    """

    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        ### BEGIN SOLUTION
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads = n_heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", (1 - torch.ones(max_len, max_len).tril()) * -torch.inf)
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        seq, max_len = x.shape[1], len(self.mask)
        if seq > max_len:
            raise ValueError(f"{seq} words are more than max_len = {max_len}")
        split = (proj(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2) for proj in (self.q_proj, self.k_proj, self.v_proj))
        query, key, value = split  # (batch, n_heads, seq, d_head)
        scores = query @ key.mT / key.shape[-1] ** 0.5  # (batch, n_heads, seq, seq)
        weights = (scores + self.mask[:seq, :seq]).softmax(-1)
        out = self.dropout(weights) @ value  # (batch, n_heads, seq, d_head)
        return self.out_proj(out.transpose(1, 2).flatten(2))  # (batch, seq, d_model)
        ### END SOLUTION

# %% wrong: one sentence only -> "Is any size fixed"
class CausalSelfAttention(nn.Module):
    """Multi-head self-attention in which no word sees a later one: x (batch, seq, d_model) -> the same shape.

    q_proj, k_proj, v_proj, out_proj: nn.Linear with bias; mask: a buffer; dropout falls on the weights.
    Raises ValueError where n_heads does not divide d_model, and for more than max_len words.
    """

    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        ### BEGIN SOLUTION
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads = n_heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        seq, max_len = x.shape[1], len(self.mask)
        if seq > max_len:
            raise ValueError(f"{seq} words are more than max_len = {max_len}")
        split = (proj(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2) for proj in (self.q_proj, self.k_proj, self.v_proj))
        query, key, value = split  # (batch, n_heads, seq, d_head)
        scores = query @ key.mT / key.shape[-1] ** 0.5  # (batch, n_heads, seq, seq)
        weights = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf).softmax(-1)
        out = self.dropout(weights) @ value  # (batch, n_heads, seq, d_head)
        return self.out_proj(out.transpose(1, 2).reshape(1, seq, -1))  # (batch, seq, d_model)
        ### END SOLUTION

# %% wrong: a 2-d mask cut as a 4-d one -> "with the axes that forward counts on"
class CausalSelfAttention(nn.Module):
    """Multi-head self-attention in which no word sees a later one: x (batch, seq, d_model) -> the same shape.

    q_proj, k_proj, v_proj, out_proj: nn.Linear with bias; mask: a buffer; dropout falls on the weights.
    Raises ValueError where n_heads does not divide d_model, and for more than max_len words.
    """

    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        ### BEGIN SOLUTION
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads = n_heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        seq, max_len = x.shape[1], len(self.mask)
        if seq > max_len:
            raise ValueError(f"{seq} words are more than max_len = {max_len}")
        split = (proj(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2) for proj in (self.q_proj, self.k_proj, self.v_proj))
        query, key, value = split  # (batch, n_heads, seq, d_head)
        scores = query @ key.mT / key.shape[-1] ** 0.5  # (batch, n_heads, seq, seq)
        weights = scores.masked_fill(~self.mask[:, :, :seq, :seq], -torch.inf).softmax(-1)
        out = self.dropout(weights) @ value  # (batch, n_heads, seq, d_head)
        return self.out_proj(out.transpose(1, 2).flatten(2))  # (batch, seq, d_model)
        ### END SOLUTION

# %% wrong: the residual inside -> "Is x added?"
class CausalSelfAttention(nn.Module):
    """Multi-head self-attention in which no word sees a later one: x (batch, seq, d_model) -> the same shape.

    q_proj, k_proj, v_proj, out_proj: nn.Linear with bias; mask: a buffer; dropout falls on the weights.
    Raises ValueError where n_heads does not divide d_model, and for more than max_len words.
    """

    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        ### BEGIN SOLUTION
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads = n_heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        seq, max_len = x.shape[1], len(self.mask)
        if seq > max_len:
            raise ValueError(f"{seq} words are more than max_len = {max_len}")
        split = (proj(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2) for proj in (self.q_proj, self.k_proj, self.v_proj))
        query, key, value = split  # (batch, n_heads, seq, d_head)
        scores = query @ key.mT / key.shape[-1] ** 0.5  # (batch, n_heads, seq, seq)
        weights = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf).softmax(-1)
        out = self.dropout(weights) @ value  # (batch, n_heads, seq, d_head)
        return x + self.out_proj(out.transpose(1, 2).flatten(2))  # (batch, seq, d_model)
        ### END SOLUTION

# %% wrong: scaled by the number of words -> "multiplied by 0.500"
class CausalSelfAttention(nn.Module):
    """Multi-head self-attention in which no word sees a later one: x (batch, seq, d_model) -> the same shape.

    q_proj, k_proj, v_proj, out_proj: nn.Linear with bias; mask: a buffer; dropout falls on the weights.
    Raises ValueError where n_heads does not divide d_model, and for more than max_len words.
    """

    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        ### BEGIN SOLUTION
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads = n_heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        seq, max_len = x.shape[1], len(self.mask)
        if seq > max_len:
            raise ValueError(f"{seq} words are more than max_len = {max_len}")
        split = (proj(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2) for proj in (self.q_proj, self.k_proj, self.v_proj))
        query, key, value = split  # (batch, n_heads, seq, d_head)
        scores = query @ key.mT / seq ** 0.5  # (batch, n_heads, seq, seq)
        weights = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf).softmax(-1)
        out = self.dropout(weights) @ value  # (batch, n_heads, seq, d_head)
        return self.out_proj(out.transpose(1, 2).flatten(2))  # (batch, seq, d_model)
        ### END SOLUTION

# %% wrong: dropout of 0.1 whatever is given -> "Is the rate the given one"
class CausalSelfAttention(nn.Module):
    """Multi-head self-attention in which no word sees a later one: x (batch, seq, d_model) -> the same shape.

    q_proj, k_proj, v_proj, out_proj: nn.Linear with bias; mask: a buffer; dropout falls on the weights.
    Raises ValueError where n_heads does not divide d_model, and for more than max_len words.
    """

    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        ### BEGIN SOLUTION
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads = n_heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))
        self.dropout = nn.Dropout(0.1)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        seq, max_len = x.shape[1], len(self.mask)
        if seq > max_len:
            raise ValueError(f"{seq} words are more than max_len = {max_len}")
        split = (proj(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2) for proj in (self.q_proj, self.k_proj, self.v_proj))
        query, key, value = split  # (batch, n_heads, seq, d_head)
        scores = query @ key.mT / key.shape[-1] ** 0.5  # (batch, n_heads, seq, seq)
        weights = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf).softmax(-1)
        out = self.dropout(weights) @ value  # (batch, n_heads, seq, d_head)
        return self.out_proj(out.transpose(1, 2).flatten(2))  # (batch, seq, d_model)
        ### END SOLUTION

# %% wrong: rate of keeping for rate of dropping -> "becomes 4.000"
class CausalSelfAttention(nn.Module):
    """Multi-head self-attention in which no word sees a later one: x (batch, seq, d_model) -> the same shape.

    q_proj, k_proj, v_proj, out_proj: nn.Linear with bias; mask: a buffer; dropout falls on the weights.
    Raises ValueError where n_heads does not divide d_model, and for more than max_len words.
    """

    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        ### BEGIN SOLUTION
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads = n_heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))
        self.dropout = nn.Dropout(1 - dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        seq, max_len = x.shape[1], len(self.mask)
        if seq > max_len:
            raise ValueError(f"{seq} words are more than max_len = {max_len}")
        split = (proj(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2) for proj in (self.q_proj, self.k_proj, self.v_proj))
        query, key, value = split  # (batch, n_heads, seq, d_head)
        scores = query @ key.mT / key.shape[-1] ** 0.5  # (batch, n_heads, seq, seq)
        weights = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf).softmax(-1)
        out = self.dropout(weights) @ value  # (batch, n_heads, seq, d_head)
        return self.out_proj(out.transpose(1, 2).flatten(2))  # (batch, seq, d_model)
        ### END SOLUTION

# %% right: F.dropout with self.training
class CausalSelfAttention(nn.Module):
    """Multi-head self-attention in which no word sees a later one: x (batch, seq, d_model) -> the same shape.

    q_proj, k_proj, v_proj, out_proj: nn.Linear with bias; mask: a buffer; dropout falls on the weights.
    Raises ValueError where n_heads does not divide d_model, and for more than max_len words.
    """

    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        ### BEGIN SOLUTION
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads = n_heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))
        self.p = dropout
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        seq, max_len = x.shape[1], len(self.mask)
        if seq > max_len:
            raise ValueError(f"{seq} words are more than max_len = {max_len}")
        split = (proj(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2) for proj in (self.q_proj, self.k_proj, self.v_proj))
        query, key, value = split  # (batch, n_heads, seq, d_head)
        scores = query @ key.mT / key.shape[-1] ** 0.5  # (batch, n_heads, seq, seq)
        weights = scores.masked_fill(~self.mask[:seq, :seq], -torch.inf).softmax(-1)
        out = F.dropout(weights, self.p, self.training) @ value  # (batch, n_heads, seq, d_head)
        return self.out_proj(out.transpose(1, 2).flatten(2))  # (batch, seq, d_model)
        ### END SOLUTION
