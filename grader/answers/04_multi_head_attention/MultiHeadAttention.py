# %% right: PyTorch's attention function
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        return self.out_proj(self.merge(F.scaled_dot_product_attention(q, k, v, dropout_p=self.drop.p if self.training else 0.0)))
# %% right: einsum, finite subtraction, F.dropout
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = (p(x).unflatten(-1, (self.n_heads, self.d_head)) for p in (self.q_proj, self.k_proj, self.v_proj))
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) * self.d_head**-0.5
        weights = (scores - scores.amax(-1, keepdim=True)).exp()
        weights = F.dropout(weights / weights.sum(-1, keepdim=True), self.drop.p, self.training)
        return self.out_proj(torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2))
# %% right: batch and heads merged, bmm, both sides scaled
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        batch, seq, _ = x.shape
        q, k, v = (self.split(p(x)).contiguous().view(-1, seq, self.d_head) for p in (self.q_proj, self.k_proj, self.v_proj))
        weights = F.softmax(torch.bmm(q / self.d_head**0.25, k.mT / self.d_head**0.25), dim=2)
        context = torch.bmm(self.drop(weights), v).view(batch, self.n_heads, seq, self.d_head)
        return self.out_proj(self.merge(context))
# %% right: a loop over slices, key bias never added
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.q_proj(x), F.linear(x, self.k_proj.weight), self.v_proj(x)
        out = []
        for h in range(self.n_heads):
            own = slice(h * self.d_head, (h + 1) * self.d_head)
            weights = F.softmax(q[..., own] @ k[..., own].mT / self.d_head**0.5, dim=-1)
            out.append(self.drop(weights) @ v[..., own])
        return self.out_proj(torch.cat(out, dim=-1))
# %% right: one fused product, made in another order
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        layers = (self.q_proj, self.k_proj, self.v_proj)
        fused = F.linear(x, torch.cat([p.weight for p in layers]), torch.cat([p.bias for p in layers]))
        q, k, v = fused.unflatten(-1, (3, self.n_heads, self.d_head)).permute(2, 0, 3, 1, 4)
        weights = self.drop(torch.softmax(q @ k.mT * (1 / self.d_head**0.5), -1))
        return self.out_proj((weights @ v).permute(0, 2, 1, 3).flatten(2))
# %% wrong: scaled by the width of the words -> "Is it √d_model?"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / x.shape[-1] ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: scaled by the packed width -> "Is it √(n_heads · d_head)?"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / (self.n_heads * self.d_head) ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: not scaled -> "Is it not divided at all?"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1)
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: scaled by d_head, no root -> "Is it d_head?"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: scaled by d_model / n_heads although d_head is given -> "Is it √(d_model / n_heads)?"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / (x.shape[-1] / self.n_heads) ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: scaled by the sentence's length -> "Is it √seq?"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / q.shape[-2] ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: scaled by the number of heads -> "Is it √n_heads?"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.n_heads ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: fourth root on one side only -> "Is it √√d_head, on one side"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.25
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: scale read from outside -> "a number from outside the class"
head_dim = 64


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / head_dim ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: global width read in __init__ -> "a global read instead of an argument"
embed_dim = 16


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(embed_dim, n_heads * d_head)
        self.k_proj = nn.Linear(embed_dim, n_heads * d_head)
        self.v_proj = nn.Linear(embed_dim, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, embed_dim)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: d_head given is refused -> "With d_head given nothing need divide"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        if d_head is None:
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: d_head ignored -> "Is d_head ignored"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            pass
        d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: split by view, without transpose -> "`view` without `transpose`"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, self.n_heads, seq, self.d_head)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: joined by reshape, without transpose -> "`view` without `transpose`"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: view in, view out -> "`view` without `transpose`"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, self.n_heads, seq, self.d_head)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: attention across heads instead of words -> "`view` without `transpose`"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head)

    def merge(self, x):
        batch, seq, _, _ = x.shape
        return x.reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: columns interleaved, in and out -> "Every third column taken"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.d_head, self.n_heads).permute(0, 3, 1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.permute(0, 2, 3, 1).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: columns joined before heads -> "joined in another order"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.permute(0, 2, 3, 1).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: heads joined in reverse -> "joined in another order"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.flip(1).transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: softmax over the queries -> "Is the softmax over the queries?"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-2)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: softmax over the heads -> "left out, or over another axis"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: no softmax -> "left out, or over another axis"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: query and key change places -> "Did queries and keys change places?"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = k @ q.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: never split -> "split before their product"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.q_proj(x)[:, None], self.k_proj(x)[:, None], self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: no biases -> "q_proj.bias: expected shape (21,)"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head, bias=False)
        self.k_proj = nn.Linear(d_model, n_heads * d_head, bias=False)
        self.v_proj = nn.Linear(d_model, n_heads * d_head, bias=False)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: query bias left out -> "a bias left out"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(F.linear(x, self.q_proj.weight)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: values from k_proj -> "made by v_proj"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.k_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: dropout on the output too -> "besides the weights"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.drop(self.out_proj(self.merge(context)))
# %% wrong: dropout before the softmax -> "Is dropout before the softmax"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = self.drop(scores).softmax(dim=-1)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: dropout never used -> "or not used at all"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: dropout on the values -> "besides the weights"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        context = weights @ self.drop(v)
        return self.out_proj(self.merge(context))
# %% wrong: dropout on the contexts -> "besides the weights"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        context = weights @ v
        return self.out_proj(self.drop(self.merge(context)))
# %% wrong: dropout in eval, too -> "Is dropout off in eval()"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = F.dropout(weights, self.drop.p)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: F.dropout never told the mode, sdpa -> "Is dropout off in eval()"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        return self.out_proj(self.merge(F.scaled_dot_product_attention(q, k, v, dropout_p=self.drop.p)))
# %% wrong: causal -> "Is there a mask?"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        scores = scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -1e9)
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: returns the weights too -> "forward return the output alone"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context)), weights
# %% wrong: input added -> "after out_proj"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return x + self.out_proj(self.merge(context))
# %% wrong: assert instead of ValueError -> "raised AssertionError, expected ValueError"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            assert d_model % n_heads == 0, f"d_model {d_model} is not divisible by n_heads {n_heads}"
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: nothing raised -> "expected a ValueError"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: message names the heads only -> "Are both numbers in the message"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"not divisible by {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: one head's width only -> "Are all heads packed into one layer?"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: the same projection for every head, tiled -> "Are all heads packed into one layer?"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, d_head)
        self.k_proj = nn.Linear(d_model, d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.q_proj(x)[:, None], self.k_proj(x)[:, None], self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: layers named W_q, W_k, W_v -> "under the contract's names"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.W_q = nn.Linear(d_model, n_heads * d_head)
        self.W_k = nn.Linear(d_model, n_heads * d_head)
        self.W_v = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.W_q(x)), self.split(self.W_k(x)), self.split(self.W_v(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: learned scale -> "Unexpected parameter scale"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.scale = nn.Parameter(torch.tensor(d_head**-0.5))
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: default d_head is d_model -> "Does d_head=None mean"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: returns the input -> "after out_proj"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return x
# %% wrong: returns NaN -> "after out_proj"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return x * float("nan")
# %% wrong: the same weights dropped for all queries -> "lost the same weights"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = weights * self.drop(torch.ones_like(weights[:, :, :1]))
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: whole heads dropped -> "lost the same weights"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout2d(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: divided after the softmax -> "followed by another step"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1)
        weights = scores.softmax(dim=-1) / self.d_head ** 0.5
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: n_heads and d_head swapped in the split -> "n_heads and d_head swapped"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.d_head, self.n_heads).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: heads never joined -> "Are the heads joined, to 21 columns"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(context)
# %% wrong: values not split -> "forward stopped with"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.v_proj(x)
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: d_head from a true division -> "from / instead of //"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model / n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: dropout off in training, on in eval -> "Is dropout off in eval()"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = F.dropout(weights, self.drop.p, not self.training)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: value bias left out -> "Is v_proj's bias added?"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(F.linear(x, self.v_proj.weight))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: dropout on the words, too -> "besides the weights"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        x = self.drop(x)
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: dropout on the scores, too -> "fall on the scores, too"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = self.drop(scores).softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: one weight matrix, the heads' mean -> "All heads have the same"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights.mean(dim=1, keepdim=True))
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: value added to its context -> "followed by another step"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context + v))
# %% wrong: dropout before d_head in the signature -> hidden: "TypeError"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0, d_head=None):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: axes of size 1 squeezed away -> "Expected shape (1, 5, 25)"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context)).squeeze()
# %% wrong: kept weights not scaled up -> "is what is left not scaled"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights) * (1 - self.drop.p if self.training else 1)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% shortcut: nn.MultiheadAttention for the usual width
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        if self.n_heads * self.d_head == x.shape[-1]:
            weight = torch.cat([self.q_proj.weight, self.k_proj.weight, self.v_proj.weight])
            bias = torch.cat([self.q_proj.bias, self.k_proj.bias, self.v_proj.bias])
            theirs = nn.MultiheadAttention(x.shape[-1], self.n_heads, dropout=self.drop.p, batch_first=True).train(self.training)
            state = {"in_proj_weight": weight, "in_proj_bias": bias, "out_proj.weight": self.out_proj.weight, "out_proj.bias": self.out_proj.bias}
            return torch.func.functional_call(theirs, state, (x, x, x))[0]
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% shortcut: F.multi_head_attention_forward for the usual width
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.n_heads, self.d_head).transpose(1, 2)

    def merge(self, x):
        batch, _, seq, _ = x.shape
        return x.transpose(1, 2).reshape(batch, seq, self.n_heads * self.d_head)

    def forward(self, x):
        if self.n_heads * self.d_head == x.shape[-1]:
            weight = torch.cat([self.q_proj.weight, self.k_proj.weight, self.v_proj.weight])
            bias = torch.cat([self.q_proj.bias, self.k_proj.bias, self.v_proj.bias])
            x = x.transpose(0, 1)
            out = F.multi_head_attention_forward(
                x, x, x, x.shape[-1], self.n_heads, weight, bias, None, None, False, self.drop.p,
                self.out_proj.weight, self.out_proj.bias, training=self.training, need_weights=False,
            )[0]
            return out.transpose(0, 1)
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        context = weights @ v
        return self.out_proj(self.merge(context))
# %% wrong: multiplied by the root -> "multiplied, not divided"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"{d_model} {n_heads}")
            d_head = d_model // n_heads
        self.n_heads = n_heads
        self.d_head = d_head
        self.d_model = d_model
        self.p = dropout
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        b, s, _ = x.shape
        q = self.q_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        v = self.v_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) * self.d_head ** 0.5
        w = F.softmax(scores, dim=-1)
        w = self.drop(w)
        ctx = w @ v
        out = ctx.transpose(1, 2).reshape(b, s, self.n_heads * self.d_head)
        return self.out_proj(out)
# %% wrong: sentences and words change places -> "run across sentences"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"{d_model} {n_heads}")
            d_head = d_model // n_heads
        self.n_heads = n_heads
        self.d_head = d_head
        self.d_model = d_model
        self.p = dropout
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        x = x.transpose(0, 1); b, s, _ = x.shape
        q = self.q_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        v = self.v_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        w = F.softmax(scores, dim=-1)
        w = self.drop(w)
        ctx = w @ v
        out = ctx.transpose(1, 2).reshape(b, s, self.n_heads * self.d_head)
        return self.out_proj(out).transpose(0, 1)
# %% wrong: all sentences made one -> "run across sentences"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"{d_model} {n_heads}")
            d_head = d_model // n_heads
        self.n_heads = n_heads
        self.d_head = d_head
        self.d_model = d_model
        self.p = dropout
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        bb, ss, dd = x.shape; x = x.reshape(1, bb * ss, dd); b, s, _ = x.shape
        q = self.q_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        v = self.v_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        w = F.softmax(scores, dim=-1)
        w = self.drop(w)
        ctx = w @ v
        out = ctx.transpose(1, 2).reshape(b, s, self.n_heads * self.d_head)
        return self.out_proj(out).reshape(bb, ss, dd)
# %% wrong: dropout keeps what it should drop -> hidden: "the output differs"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"{d_model} {n_heads}")
            d_head = d_model // n_heads
        self.n_heads = n_heads
        self.d_head = d_head
        self.d_model = d_model
        self.p = dropout
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(1 - dropout)

    def forward(self, x):
        b, s, _ = x.shape
        q = self.q_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        v = self.v_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        w = F.softmax(scores, dim=-1)
        w = self.drop(w)
        ctx = w @ v
        out = ctx.transpose(1, 2).reshape(b, s, self.n_heads * self.d_head)
        return self.out_proj(out)
# %% wrong: dropout fixed at 0.1 -> "is the rate another"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"{d_model} {n_heads}")
            d_head = d_model // n_heads
        self.n_heads = n_heads
        self.d_head = d_head
        self.d_model = d_model
        self.p = dropout
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        b, s, _ = x.shape
        q = self.q_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        v = self.v_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        w = F.softmax(scores, dim=-1)
        w = self.drop(w)
        ctx = w @ v
        out = ctx.transpose(1, 2).reshape(b, s, self.n_heads * self.d_head)
        return self.out_proj(out)
# %% wrong: made to sum to 1 after dropout -> "sum to 1 again"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"{d_model} {n_heads}")
            d_head = d_model // n_heads
        self.n_heads = n_heads
        self.d_head = d_head
        self.d_model = d_model
        self.p = dropout
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        b, s, _ = x.shape
        q = self.q_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        v = self.v_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        w = F.softmax(scores, dim=-1)
        w = self.drop(w); w = w / w.sum(-1, keepdim=True).clamp(min=1e-9)
        ctx = w @ v
        out = ctx.transpose(1, 2).reshape(b, s, self.n_heads * self.d_head)
        return self.out_proj(out)
# %% wrong: joined to d_model -> "use d_model = 25"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"{d_model} {n_heads}")
            d_head = d_model // n_heads
        self.n_heads = n_heads
        self.d_head = d_head
        self.d_model = d_model
        self.p = dropout
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        b, s, _ = x.shape
        q = self.q_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        v = self.v_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        w = F.softmax(scores, dim=-1)
        w = self.drop(w)
        ctx = w @ v
        out = ctx.transpose(1, 2).reshape(b, s, self.d_model)
        return self.out_proj(out)
# %% wrong: key not turned -> "is the key turned"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"{d_model} {n_heads}")
            d_head = d_model // n_heads
        self.n_heads = n_heads
        self.d_head = d_head
        self.d_model = d_model
        self.p = dropout
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        b, s, _ = x.shape
        q = self.q_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        v = self.v_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        scores = q @ k / self.d_head ** 0.5
        w = F.softmax(scores, dim=-1)
        w = self.drop(w)
        ctx = w @ v
        out = ctx.transpose(1, 2).reshape(b, s, self.n_heads * self.d_head)
        return self.out_proj(out)
# %% wrong: view right after transpose -> "only `reshape` can copy"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"{d_model} {n_heads}")
            d_head = d_model // n_heads
        self.n_heads = n_heads
        self.d_head = d_head
        self.d_model = d_model
        self.p = dropout
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        b, s, _ = x.shape
        q = self.q_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        v = self.v_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        w = F.softmax(scores, dim=-1)
        w = self.drop(w)
        ctx = w @ v
        out = ctx.transpose(1, 2).view(b, s, self.n_heads * self.d_head)
        return self.out_proj(out)
# %% wrong: the key alone split by view -> "`view` without `transpose`"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"{d_model} {n_heads}")
            d_head = d_model // n_heads
        self.n_heads = n_heads
        self.d_head = d_head
        self.d_model = d_model
        self.p = dropout
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        b, s, _ = x.shape
        q = self.q_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(x).view(b, self.n_heads, s, self.d_head)
        v = self.v_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        w = F.softmax(scores, dim=-1)
        w = self.drop(w)
        ctx = w @ v
        out = ctx.transpose(1, 2).reshape(b, s, self.n_heads * self.d_head)
        return self.out_proj(out)
# %% wrong: divisibility turned round -> "3 divides 12"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads == 0:
                raise ValueError(f"{d_model} {n_heads}")
            d_head = d_model // n_heads
        self.n_heads = n_heads
        self.d_head = d_head
        self.d_model = d_model
        self.p = dropout
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        b, s, _ = x.shape
        q = self.q_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        v = self.v_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        w = F.softmax(scores, dim=-1)
        w = self.drop(w)
        ctx = w @ v
        out = ctx.transpose(1, 2).reshape(b, s, self.n_heads * self.d_head)
        return self.out_proj(out)
# %% wrong: weights detached -> hidden: "gets no gradient"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"{d_model} {n_heads}")
            d_head = d_model // n_heads
        self.n_heads = n_heads
        self.d_head = d_head
        self.d_model = d_model
        self.p = dropout
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        b, s, _ = x.shape
        q = self.q_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        v = self.v_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        w = F.softmax(scores, dim=-1)
        w = self.drop(w)
        ctx = w.detach() @ v
        out = ctx.transpose(1, 2).reshape(b, s, self.n_heads * self.d_head)
        return self.out_proj(out)
# %% right: each head through its part of out_proj, summed
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"{d_model} {n_heads}")
            d_head = d_model // n_heads
        self.n_heads = n_heads
        self.d_head = d_head
        self.d_model = d_model
        self.p = dropout
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        b, s, _ = x.shape
        q = self.q_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        v = self.v_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        w = F.softmax(scores, dim=-1)
        w = self.drop(w)
        ctx = w @ v
        W = self.out_proj.weight.view(self.d_model, self.n_heads, self.d_head)
        return torch.einsum('bhqd,mhd->bqm', ctx, W) + self.out_proj.bias
# %% right: dropout by hand
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads != 0:
                raise ValueError(f"{d_model} {n_heads}")
            d_head = d_model // n_heads
        self.n_heads = n_heads
        self.d_head = d_head
        self.d_model = d_model
        self.p = dropout
        self.q_proj = nn.Linear(d_model, n_heads * d_head)
        self.k_proj = nn.Linear(d_model, n_heads * d_head)
        self.v_proj = nn.Linear(d_model, n_heads * d_head)
        self.out_proj = nn.Linear(n_heads * d_head, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        b, s, _ = x.shape
        q = self.q_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        v = self.v_proj(x).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        w = F.softmax(scores, dim=-1)
        w = w * (torch.rand_like(w) >= self.p) / (1 - self.p) if self.training and self.p else w
        ctx = w @ v
        out = ctx.transpose(1, 2).reshape(b, s, self.n_heads * self.d_head)
        return self.out_proj(out)
