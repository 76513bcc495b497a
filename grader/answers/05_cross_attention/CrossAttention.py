# %% right: softmax by hand, dropout as a function
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% right: a loop over the heads
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.q_proj(x), self.k_proj(context), self.v_proj(context)
        heads = []
        for h in range(self.n_heads):
            own = slice(h * self.d_head, (h + 1) * self.d_head)
            weights = torch.softmax(q[..., own] @ k[..., own].mT * self.d_head**-0.5, dim=-1)
            heads.append(F.dropout(weights, self.p, self.training) @ v[..., own])
        return self.out_proj(torch.cat(heads, dim=-1))
# %% right: einsum, nn.Dropout, other order of construction, a buffer
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model // n_heads * n_heads != d_model:
            raise ValueError("d_model=%d, n_heads=%d" % (d_model, n_heads))
        self.out_proj = nn.Linear(d_model, d_model)
        self.v_proj, self.k_proj = nn.Linear(d_context, d_model), nn.Linear(d_context, d_model)
        self.drop = nn.Dropout(dropout)
        self.register_buffer("scale", torch.tensor((d_model / n_heads) ** -0.5))
        self.q_proj = nn.Linear(d_model, d_model)
        self.n_heads = n_heads

    def forward(self, x, context=None):
        if context is None and self.k_proj.in_features != self.q_proj.in_features:
            raise ValueError(f"{self.k_proj.in_features} and {self.q_proj.in_features} differ")
        context = x if context is None else context
        q, k, v = (p(t).unflatten(-1, (self.n_heads, -1)) for p, t in ((self.q_proj, x), (self.k_proj, context), (self.v_proj, context)))
        weights = self.drop(torch.einsum("bqhd,bkhd->bhqk", q * self.scale, k).softmax(-1))
        return self.out_proj(torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2))
# %% right: batch and heads merged for bmm; the key bias goes unused
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        keys = F.linear(context, self.k_proj.weight)
        q, k, v = (self.split(t).flatten(0, 1) for t in (self.q_proj(x), keys, self.v_proj(context)))
        scores = torch.bmm(q, k.transpose(1, 2)) / self.d_head**0.5
        out = torch.bmm(F.dropout(F.softmax(scores, -1), self.p, self.training), v)
        out = out.reshape(x.shape[0], self.n_heads, x.shape[1], self.d_head)
        return self.out_proj(out.permute(0, 2, 1, 3).reshape(x.shape))
# %% wrong: no scale -> "scale missing"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) 
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: root of d_model -> "width of one head"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_model ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: root forgotten -> "root missing"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: multiplied by the root -> "multiplied by √d_head"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) * self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: softmax over the queries -> "not along the words that ask"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-2), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: softmax over the heads -> "Is each head softmax"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: no softmax -> "softmax(q kᵀ / √d_head) v"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores, self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: scale after the softmax -> "softmax(q kᵀ / √d_head) v"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) 
        weights = F.dropout(scores.softmax(-1) / self.d_head ** 0.5, self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: split by reshape alone -> "Does each head get all words"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).reshape(t.shape[0], self.n_heads, t.shape[1], self.d_head)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: split by view without a transpose -> "Does each head get all words"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.view(t.shape[0], self.n_heads, t.shape[1], self.d_head)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: joined without swapping back -> "joined in the wrong order"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: heads interleaved -> "neighbouring columns"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.d_head, self.n_heads).permute(0, 3, 1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: keys from x -> "Do the keys come from the context"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: values from x -> "Do the values come from the context"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: context ignored -> "Does the context count"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: queries from the context -> "queries come from x"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(context)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(*context.shape[:2], -1)
        return self.out_proj(out)
# %% wrong: q_proj and k_proj exchanged -> "change places"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.k_proj(x)), self.split(self.q_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: out_proj forgotten -> "Does out_proj come last"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return out
# %% wrong: residual added inside -> "Is x added"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return x + self.out_proj(out)
# %% wrong: no biases -> "q_proj.bias: expected (18,), got none"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_context, d_model, bias=False)
        self.v_proj = nn.Linear(d_context, d_model, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: query bias unused -> "used with its bias"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(F.linear(x, self.q_proj.weight)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: out bias unused -> "used with its bias"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return F.linear(out, self.out_proj.weight)
# %% wrong: keys read d_model -> "k_proj.weight: expected (18, 11), got (18, 18)"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: queries read d_context -> "q_proj.weight: expected (18, 18), got (18, 11)"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_context, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: keys lead to d_context -> "All lead to d_model"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_context)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: a layer norm too many -> "expected none, got (18,)"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: other names -> "Are q_proj, k_proj, v_proj, out_proj there"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.W_q = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.W_q(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: weights returned too -> "the output, alone"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out), weights
# %% wrong: no return -> "forward return"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        self.out_proj(out)
# %% wrong: context or x -> "Boolean value of Tensor"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        context = context or x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: equal widths demanded -> "Must widths or lengths agree"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        assert self.d_model == self.d_context, "widths must match"
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: no context is not provided for -> "Does x ask itself then"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: no context, unequal widths: PyTorch complains -> "Can x ask itself"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: no context is always refused -> "Does x ask itself then"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if True:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: widths not named -> "Does it name 18 and 11"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError("context is needed")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: no context means a context of zeros -> "not that of x asking x"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = torch.zeros_like(x)
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: divisibility not tested -> "tested when the layer is made"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: divisibility by assert -> "got AssertionError"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        assert d_model % n_heads == 0
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: numbers not named -> "Does it name 10 and 4"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError("indivisible")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: dropout on the output -> "not on what they average"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(-1)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return F.dropout(self.out_proj(out), self.p, self.training)
# %% wrong: dropout on the scores -> "not on the scores"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores, self.p, self.training).softmax(-1)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: dropout on the joined heads -> "not on what they average"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(-1)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(F.dropout(out, self.p, self.training))
# %% wrong: dropout in eval too -> "After .eval()"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: dropout forgotten -> "changes nothing"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(-1)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: NaN -> "used with its bias"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out) / 0.0
# %% wrong: the input comes back -> "used with its bias"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return x
# %% wrong: dropped, not rescaled -> "divided by 1 − 0.75"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(-1) * (torch.rand_like(scores) >= self.p if self.training else 1)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: output detached from the context -> "No gradient reaches context"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        context = context.detach()
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: weights made to sum to 1 again after dropout -> "sum to 1 again"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        weights = weights / weights.sum(-1, keepdim=True).clamp(min=1e-9)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: values made by k_proj -> "Are the values made by v_proj"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.k_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: d_head from the width of the context -> "Is d_head = d_model / n_heads"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_context // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: scale from the width of the context -> "d_model / n_heads everywhere"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / (self.d_context / self.n_heads) ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: keys made by q_proj too -> "every layer used"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads, self.d_head, self.p = n_heads, d_model // n_heads, dropout
        self.d_model, self.d_context = d_model, d_context
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"no context: {self.d_model} != {self.d_context}")
            context = x
        q, k, v = self.split(self.q_proj(x)), self.split(self.q_proj(context)), self.split(self.v_proj(context))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        out = weights @ v
        out = out.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return self.out_proj(out)
# %% wrong: the context asks x -> "Who asks? Queries come from x"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} {n_heads}")
        self.d_model, self.d_context, self.n_heads = d_model, d_context, n_heads
        self.d_head = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"{self.d_model} {self.d_context}")
            context = x
        x, context = context, x
        b, t, _ = x.shape
        s = context.shape[1]
        q = self.q_proj(x).view(b, t, self.n_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        v = self.v_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        w = F.softmax(scores, dim=-1)
        w = self.drop(w)
        ctx = w @ v
        out = ctx.transpose(1, 2).reshape(b, t, self.d_model)
        return self.out_proj(out)
# %% wrong: unequal widths refused in __init__ -> "Widths may differ"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} {n_heads}")
        self.d_model, self.d_context, self.n_heads = d_model, d_context, n_heads
        if d_model != d_context: raise ValueError(f"{d_model} {d_context}")
        self.d_head = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"{self.d_model} {self.d_context}")
            context = x
        b, t, _ = x.shape
        s = context.shape[1]
        q = self.q_proj(x).view(b, t, self.n_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        v = self.v_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        w = F.softmax(scores, dim=-1)
        w = self.drop(w)
        ctx = w @ v
        out = ctx.transpose(1, 2).reshape(b, t, self.d_model)
        return self.out_proj(out)
# %% wrong: d_context must be divisible, too -> "Is d_model alone tested"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads or d_context % n_heads:
            raise ValueError(f"{d_model} {n_heads}")
        self.d_model, self.d_context, self.n_heads = d_model, d_context, n_heads
        self.d_head = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"{self.d_model} {self.d_context}")
            context = x
        b, t, _ = x.shape
        s = context.shape[1]
        q = self.q_proj(x).view(b, t, self.n_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        v = self.v_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        w = F.softmax(scores, dim=-1)
        w = self.drop(w)
        ctx = w @ v
        out = ctx.transpose(1, 2).reshape(b, t, self.d_model)
        return self.out_proj(out)
# %% wrong: key not turned -> "Is the key turned"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} {n_heads}")
        self.d_model, self.d_context, self.n_heads = d_model, d_context, n_heads
        self.d_head = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"{self.d_model} {self.d_context}")
            context = x
        b, t, _ = x.shape
        s = context.shape[1]
        q = self.q_proj(x).view(b, t, self.n_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        v = self.v_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        scores = q @ k / self.d_head ** 0.5
        w = F.softmax(scores, dim=-1)
        w = self.drop(w)
        ctx = w @ v
        out = ctx.transpose(1, 2).reshape(b, t, self.d_model)
        return self.out_proj(out)
# %% wrong: d_head from a true division -> "from /, not //"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} {n_heads}")
        self.d_model, self.d_context, self.n_heads = d_model, d_context, n_heads
        self.d_head = d_model / n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"{self.d_model} {self.d_context}")
            context = x
        b, t, _ = x.shape
        s = context.shape[1]
        q = self.q_proj(x).view(b, t, self.n_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        v = self.v_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        w = F.softmax(scores, dim=-1)
        w = self.drop(w)
        ctx = w @ v
        out = ctx.transpose(1, 2).reshape(b, t, self.d_model)
        return self.out_proj(out)
# %% wrong: view right after transpose -> "Is it reshape, not view"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} {n_heads}")
        self.d_model, self.d_context, self.n_heads = d_model, d_context, n_heads
        self.d_head = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"{self.d_model} {self.d_context}")
            context = x
        b, t, _ = x.shape
        s = context.shape[1]
        q = self.q_proj(x).view(b, t, self.n_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        v = self.v_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        w = F.softmax(scores, dim=-1)
        w = self.drop(w)
        ctx = w @ v
        out = ctx.transpose(1, 2).view(b, t, self.d_model)
        return self.out_proj(out)
# %% wrong: length of the context taken from x -> "Must widths or lengths agree"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} {n_heads}")
        self.d_model, self.d_context, self.n_heads = d_model, d_context, n_heads
        self.d_head = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"{self.d_model} {self.d_context}")
            context = x
        b, t, _ = x.shape
        s = t
        q = self.q_proj(x).view(b, t, self.n_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        v = self.v_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        w = F.softmax(scores, dim=-1)
        w = self.drop(w)
        ctx = w @ v
        out = ctx.transpose(1, 2).reshape(b, t, self.d_model)
        return self.out_proj(out)
# %% wrong: dropout always one half -> "is that the rate"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} {n_heads}")
        self.d_model, self.d_context, self.n_heads = d_model, d_context, n_heads
        self.d_head = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout() if dropout else nn.Identity()

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"{self.d_model} {self.d_context}")
            context = x
        b, t, _ = x.shape
        s = context.shape[1]
        q = self.q_proj(x).view(b, t, self.n_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        v = self.v_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        w = F.softmax(scores, dim=-1)
        w = self.drop(w)
        ctx = w @ v
        out = ctx.transpose(1, 2).reshape(b, t, self.d_model)
        return self.out_proj(out)
# %% wrong: dropout keeps what it should drop -> "is that the rate"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} {n_heads}")
        self.d_model, self.d_context, self.n_heads = d_model, d_context, n_heads
        self.d_head = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(1 - dropout) if dropout else nn.Identity()

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"{self.d_model} {self.d_context}")
            context = x
        b, t, _ = x.shape
        s = context.shape[1]
        q = self.q_proj(x).view(b, t, self.n_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        v = self.v_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        w = F.softmax(scores, dim=-1)
        w = self.drop(w)
        ctx = w @ v
        out = ctx.transpose(1, 2).reshape(b, t, self.d_model)
        return self.out_proj(out)
# %% wrong: whole heads dropped -> "all words lost the same"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} {n_heads}")
        self.d_model, self.d_context, self.n_heads = d_model, d_context, n_heads
        self.d_head = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"{self.d_model} {self.d_context}")
            context = x
        b, t, _ = x.shape
        s = context.shape[1]
        q = self.q_proj(x).view(b, t, self.n_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        v = self.v_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        w = F.softmax(scores, dim=-1)
        w = w * self.drop(torch.ones(b, self.n_heads, 1, 1))
        ctx = w @ v
        out = ctx.transpose(1, 2).reshape(b, t, self.d_model)
        return self.out_proj(out)
# %% wrong: one toss for all heads -> "all heads lost the same"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} {n_heads}")
        self.d_model, self.d_context, self.n_heads = d_model, d_context, n_heads
        self.d_head = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"{self.d_model} {self.d_context}")
            context = x
        b, t, _ = x.shape
        s = context.shape[1]
        q = self.q_proj(x).view(b, t, self.n_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        v = self.v_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        w = F.softmax(scores, dim=-1)
        w = w * self.drop(torch.ones(b, 1, t, s))
        ctx = w @ v
        out = ctx.transpose(1, 2).reshape(b, t, self.d_model)
        return self.out_proj(out)
# %% wrong: one toss for all sentences -> "all sentences lost the same"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} {n_heads}")
        self.d_model, self.d_context, self.n_heads = d_model, d_context, n_heads
        self.d_head = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"{self.d_model} {self.d_context}")
            context = x
        b, t, _ = x.shape
        s = context.shape[1]
        q = self.q_proj(x).view(b, t, self.n_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        v = self.v_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        w = F.softmax(scores, dim=-1)
        w = w * self.drop(torch.ones(1, self.n_heads, t, s))
        ctx = w @ v
        out = ctx.transpose(1, 2).reshape(b, t, self.d_model)
        return self.out_proj(out)
# %% wrong: the last context is remembered -> "not that of x asking x"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} {n_heads}")
        self.d_model, self.d_context, self.n_heads = d_model, d_context, n_heads
        self.d_head = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, context=None):
        if context is None:
            if hasattr(self, 'c') and self.c.shape[0] == x.shape[0] and self.d_model == self.d_context: return self.forward(x, self.c)
            if self.d_model != self.d_context:
                raise ValueError(f"{self.d_model} {self.d_context}")
            context = x
        self.c = context
        b, t, _ = x.shape
        s = context.shape[1]
        q = self.q_proj(x).view(b, t, self.n_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        v = self.v_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        w = F.softmax(scores, dim=-1)
        w = self.drop(w)
        ctx = w @ v
        out = ctx.transpose(1, 2).reshape(b, t, self.d_model)
        return self.out_proj(out)
# %% wrong: dropout off in training, on in eval -> "After .eval()"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} {n_heads}")
        self.d_model, self.d_context, self.n_heads = d_model, d_context, n_heads
        self.d_head = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"{self.d_model} {self.d_context}")
            context = x
        b, t, _ = x.shape
        s = context.shape[1]
        q = self.q_proj(x).view(b, t, self.n_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        v = self.v_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        w = F.softmax(scores, dim=-1)
        w = F.dropout(w, self.drop.p, not self.training)
        ctx = w @ v
        out = ctx.transpose(1, 2).reshape(b, t, self.d_model)
        return self.out_proj(out)
# %% wrong: context changed in place -> "not that of x asking x"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} {n_heads}")
        self.d_model, self.d_context, self.n_heads = d_model, d_context, n_heads
        self.d_head = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"{self.d_model} {self.d_context}")
            context = x
        context -= 0.5
        b, t, _ = x.shape
        s = context.shape[1]
        q = self.q_proj(x).view(b, t, self.n_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        v = self.v_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        w = F.softmax(scores, dim=-1)
        w = self.drop(w)
        ctx = w @ v
        out = ctx.transpose(1, 2).reshape(b, t, self.d_model)
        return self.out_proj(out)
# %% right: dropout by hand
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} {n_heads}")
        self.d_model, self.d_context, self.n_heads = d_model, d_context, n_heads
        self.d_head = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"{self.d_model} {self.d_context}")
            context = x
        b, t, _ = x.shape
        s = context.shape[1]
        q = self.q_proj(x).view(b, t, self.n_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        v = self.v_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        w = F.softmax(scores, dim=-1)
        p = self.drop.p
        w = torch.where(torch.rand(w.shape) < p, 0.0, w / (1 - p)) if self.training and p else w
        ctx = w @ v
        out = ctx.transpose(1, 2).reshape(b, t, self.d_model)
        return self.out_proj(out)
# %% right: heads joined by cat, no transpose
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} {n_heads}")
        self.d_model, self.d_context, self.n_heads = d_model, d_context, n_heads
        self.d_head = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, context=None):
        if context is None:
            if self.d_model != self.d_context:
                raise ValueError(f"{self.d_model} {self.d_context}")
            context = x
        b, t, _ = x.shape
        s = context.shape[1]
        q = self.q_proj(x).view(b, t, self.n_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        v = self.v_proj(context).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        w = F.softmax(scores, dim=-1)
        w = self.drop(w)
        out = torch.cat([w[:, h] @ v[:, h] for h in range(self.n_heads)], dim=-1)
        return self.out_proj(out)
