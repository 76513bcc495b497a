# %% right: helpers, flattened mask
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% right: own attention, one packed projection
class Attention(nn.Module):
    def __init__(self, d_model, n_heads, dropout):
        super().__init__()
        self.in_proj_weight = nn.Parameter(torch.randn(3 * d_model, d_model) / d_model**0.5)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * d_model))
        self.out_proj = nn.Linear(d_model, d_model)
        self.n_heads, self.dropout = n_heads, dropout

    def forward(self, x, mask):
        batch, seq, d_model = x.shape
        packed = F.linear(x, self.in_proj_weight, self.in_proj_bias)
        query, key, value = packed.view(batch, seq, 3, self.n_heads, -1).permute(2, 0, 3, 1, 4)
        scores = query @ key.mT / query.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = F.dropout(scores.softmax(-1), self.dropout, self.training)
        return self.out_proj((weights @ value).transpose(1, 2).reshape(batch, seq, d_model))


class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = Attention(d_model, n_heads, dropout)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, mask))

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% right: own attention, a key bias that is never added
class Attention(nn.Module):
    def __init__(self, d_model, n_heads, dropout):
        super().__init__()
        self.in_proj_weight = nn.Parameter(torch.randn(3 * d_model, d_model) / d_model**0.5)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * d_model))
        self.out_proj = nn.Linear(d_model, d_model)
        self.n_heads, self.dropout = n_heads, dropout

    def forward(self, x, mask):
        batch, seq, d_model = x.shape
        weight, bias = self.in_proj_weight.chunk(3), self.in_proj_bias.chunk(3)
        query, key, value = (
            torch.stack((x @ weight[i].T + (bias[i] if i != 1 else 0)).chunk(self.n_heads, dim=-1), dim=1) for i in range(3)
        )
        scores = query @ key.mT / query.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = F.dropout(scores.softmax(-1), self.dropout, self.training)
        return self.out_proj((weights @ value).transpose(1, 2).reshape(batch, seq, d_model))


class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = Attention(d_model, n_heads, dropout)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, mask))

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% right: batch second, an additive mask of -inf, a ModuleList of dropouts
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=False)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.ModuleList(nn.Dropout(dropout) for _ in range(3))

    def attend(self, x, mask):
        if mask is not None:
            hidden = torch.zeros(len(x), self.n_heads, x.shape[1], x.shape[1]).masked_fill(~mask, -torch.inf)
            mask = hidden.view(-1, x.shape[1], x.shape[1])
        x = x.transpose(0, 1)
        return self.drop[0](self.self_attn(x, x, x, attn_mask=mask, need_weights=False)[0].transpose(0, 1))

    def feed(self, x):
        return self.drop[1](self.linear2(self.drop[2](F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% right: norms created first, relu by clamp, an extra buffer
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.norm2, self.norm1 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.register_buffer('step', torch.zeros(1))
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(self.linear1(x).clamp(min=0))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: pre-norm always -> "norm_first=False: got pre-norm"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = x + self.attend(self.norm1(x), mask)
        return x + self.feed(self.norm2(x))
# %% wrong: post-norm always -> "got post-norm"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if False:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: norm_first turned round -> "the right way round"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if not self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: no residual around attention -> "Is x added back"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: no residual around feed-forward -> "Is x added back"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(self.feed(x))
# %% wrong: no residual at all -> "Is x added back"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            return self.feed(self.norm2(self.attend(self.norm1(x), mask)))
        return self.norm2(self.feed(self.norm1(self.attend(x, mask))))
# %% wrong: residual taken from the norm -> "the norms stand on the stream"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = self.norm1(x)
            x = x + self.attend(x, mask)
            x = self.norm2(x)
            return x + self.feed(x)
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: norm inside the residual in post-norm -> "output alone"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = x + self.norm1(self.attend(x, mask))
        return x + self.norm2(self.feed(x))
# %% wrong: norm1 used twice -> "each once"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm1(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm1(x + self.feed(x))
# %% wrong: norms change places -> "the first sum normed by norm1"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm2(x), mask)
            return x + self.feed(self.norm1(x))
        x = self.norm2(x + self.attend(x, mask))
        return self.norm1(x + self.feed(x))
# %% wrong: norms change places in pre-norm only -> "Does it read norm1(x)"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm2(x), mask)
            return x + self.feed(self.norm1(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: second sum from x: attention is lost -> "the second sum starts from x"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            h = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(h))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: both sub-layers side by side -> "read the sum after attention"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            return x + self.attend(self.norm1(x), mask) + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: pre-norm forgets norm1 -> "read x, instead of norm1(x)"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(x, mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: pre-norm forgets norm2 -> "read the stream, instead of norm2"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(x)
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: only the query is normed -> "Is only the query normed"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.drop(self.self_attn(self.norm1(x), x, x)[0])
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: batch_first forgotten -> "mix the sentences of the batch"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: a last norm in pre-norm -> "Is a norm taken of the stream or of a sum"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return self.norm2(x + self.feed(self.norm2(x)))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: feed-forward before attention -> "the first sum normed by norm1"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.feed(self.norm2(x))
            return x + self.attend(self.norm1(x), mask)
        x = self.norm2(x + self.feed(x))
        return self.norm1(x + self.attend(x, mask))
# %% wrong: one head whatever n_heads -> "split into heads"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = 1, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, 1, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: dropout of 0.1 whatever is given -> "rate the given one"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(0.1)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: mask taken for padding of every sentence -> "expanded to every head"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask[:, 0, 0]
        return self.drop(self.self_attn(x, x, x, key_padding_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: gelu -> "Is it linear2(relu"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.gelu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: no activation -> "Is it linear2(relu"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(self.linear1(x))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: a relu after linear2 -> "Is it linear2(relu"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(F.relu(self.linear2(self.drop(F.relu(self.linear1(x))))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: post-norm: feed-forward reads x -> "Does feed-forward read the first, normed sum"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        h = self.norm1(x + self.attend(x, mask))
        return self.norm2(h + self.feed(x))
# %% wrong: post-norm: feed-forward added to x -> "start from x, instead of the first, normed sum"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        h = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(h))
# %% wrong: post-norm that also norms before attention -> "and attention x itself"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(self.norm1(x), mask))
        return self.norm2(x + self.feed(self.norm2(x)))
# %% wrong: post-norm: feed-forward reads the sum before its norm -> "Does feed-forward read the first, normed sum"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        h = x + self.attend(x, mask)
        return self.norm2(self.norm1(h) + self.feed(h))
# %% wrong: mask turned round -> "Is it turned round"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: mask forgotten -> "used before the softmax"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=None)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: mask only in pre-norm -> "in both norm orders"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, None))
        return self.norm2(x + self.feed(x))
# %% wrong: mask handed over without heads -> "its own mask, expanded to all its heads"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: mask repeated head by head, not sentence by sentence -> "its own mask"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), 1, x.shape[1], x.shape[1])[:, 0].repeat(self.n_heads, 1, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: first sentence's mask for all -> "its own mask"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1])[0, 0]
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: mask of 0 and 1 added to the scores -> "used before the softmax"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = mask.float().expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: no dropout at all -> "Is it missing?"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Identity()

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: no dropout on the weights -> "missing on its weights"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: no dropout on attention's output -> "missing on the sub-layer's output"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.self_attn(x, x, x, attn_mask=mask)[0]

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: no dropout on the hidden layer -> "missing on the hidden layer"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(F.relu(self.linear1(x))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: no dropout after linear2 -> "missing on the sub-layer's output"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.linear2(self.drop(F.relu(self.linear1(x))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: F.dropout without training -> "In eval() two calls differ"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = lambda x: F.dropout(x, dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: dropout on the context instead of the weights -> hidden: "on the attention weights"
class Attention(nn.Module):
    def __init__(self, d_model, n_heads, dropout):
        super().__init__()
        self.in_proj_weight = nn.Parameter(torch.randn(3 * d_model, d_model) / d_model**0.5)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * d_model))
        self.out_proj = nn.Linear(d_model, d_model)
        self.n_heads, self.dropout = n_heads, dropout

    def forward(self, x, mask):
        batch, seq, d_model = x.shape
        packed = F.linear(x, self.in_proj_weight, self.in_proj_bias)
        query, key, value = packed.view(batch, seq, 3, self.n_heads, -1).permute(2, 0, 3, 1, 4)
        scores = query @ key.mT / query.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = scores.softmax(-1)
        return self.out_proj(F.dropout((weights @ value).transpose(1, 2).reshape(batch, seq, d_model), self.dropout, self.training))


class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = Attention(d_model, n_heads, dropout)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, mask))

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: own attention, not scaled -> "over √d_head"
class Attention(nn.Module):
    def __init__(self, d_model, n_heads, dropout):
        super().__init__()
        self.in_proj_weight = nn.Parameter(torch.randn(3 * d_model, d_model) / d_model**0.5)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * d_model))
        self.out_proj = nn.Linear(d_model, d_model)
        self.n_heads, self.dropout = n_heads, dropout

    def forward(self, x, mask):
        batch, seq, d_model = x.shape
        packed = F.linear(x, self.in_proj_weight, self.in_proj_bias)
        query, key, value = packed.view(batch, seq, 3, self.n_heads, -1).permute(2, 0, 3, 1, 4)
        scores = query @ key.mT
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = F.dropout(scores.softmax(-1), self.dropout, self.training)
        return self.out_proj((weights @ value).transpose(1, 2).reshape(batch, seq, d_model))


class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = Attention(d_model, n_heads, dropout)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, mask))

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: own attention, scaled by d_model -> "over √d_head"
class Attention(nn.Module):
    def __init__(self, d_model, n_heads, dropout):
        super().__init__()
        self.in_proj_weight = nn.Parameter(torch.randn(3 * d_model, d_model) / d_model**0.5)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * d_model))
        self.out_proj = nn.Linear(d_model, d_model)
        self.n_heads, self.dropout = n_heads, dropout

    def forward(self, x, mask):
        batch, seq, d_model = x.shape
        packed = F.linear(x, self.in_proj_weight, self.in_proj_bias)
        query, key, value = packed.view(batch, seq, 3, self.n_heads, -1).permute(2, 0, 3, 1, 4)
        scores = query @ key.mT / d_model**0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = F.dropout(scores.softmax(-1), self.dropout, self.training)
        return self.out_proj((weights @ value).transpose(1, 2).reshape(batch, seq, d_model))


class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = Attention(d_model, n_heads, dropout)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, mask))

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: own attention, query and key change places -> "the thirds of in_proj"
class Attention(nn.Module):
    def __init__(self, d_model, n_heads, dropout):
        super().__init__()
        self.in_proj_weight = nn.Parameter(torch.randn(3 * d_model, d_model) / d_model**0.5)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * d_model))
        self.out_proj = nn.Linear(d_model, d_model)
        self.n_heads, self.dropout = n_heads, dropout

    def forward(self, x, mask):
        batch, seq, d_model = x.shape
        packed = F.linear(x, self.in_proj_weight, self.in_proj_bias)
        key, query, value = packed.view(batch, seq, 3, self.n_heads, -1).permute(2, 0, 3, 1, 4)
        scores = query @ key.mT / query.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = F.dropout(scores.softmax(-1), self.dropout, self.training)
        return self.out_proj((weights @ value).transpose(1, 2).reshape(batch, seq, d_model))


class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = Attention(d_model, n_heads, dropout)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, mask))

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: own attention, heads by view without transpose -> "split into heads"
class Attention(nn.Module):
    def __init__(self, d_model, n_heads, dropout):
        super().__init__()
        self.in_proj_weight = nn.Parameter(torch.randn(3 * d_model, d_model) / d_model**0.5)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * d_model))
        self.out_proj = nn.Linear(d_model, d_model)
        self.n_heads, self.dropout = n_heads, dropout

    def forward(self, x, mask):
        batch, seq, d_model = x.shape
        packed = F.linear(x, self.in_proj_weight, self.in_proj_bias)
        query, key, value = (part.reshape(batch, self.n_heads, seq, -1) for part in packed.chunk(3, dim=-1))
        scores = query @ key.mT / query.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = F.dropout(scores.softmax(-1), self.dropout, self.training)
        return self.out_proj((weights @ value).transpose(1, 2).reshape(batch, seq, d_model))


class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = Attention(d_model, n_heads, dropout)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, mask))

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: own attention, mask after the softmax -> "used before the softmax"
class Attention(nn.Module):
    def __init__(self, d_model, n_heads, dropout):
        super().__init__()
        self.in_proj_weight = nn.Parameter(torch.randn(3 * d_model, d_model) / d_model**0.5)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * d_model))
        self.out_proj = nn.Linear(d_model, d_model)
        self.n_heads, self.dropout = n_heads, dropout

    def forward(self, x, mask):
        batch, seq, d_model = x.shape
        packed = F.linear(x, self.in_proj_weight, self.in_proj_bias)
        query, key, value = packed.view(batch, seq, 3, self.n_heads, -1).permute(2, 0, 3, 1, 4)
        scores = query @ key.mT / query.shape[-1] ** 0.5
        weights = scores.softmax(-1) if mask is None else scores.softmax(-1) * mask.roll(1, -1)
        weights = F.dropout(weights, self.dropout, self.training)
        return self.out_proj((weights @ value).transpose(1, 2).reshape(batch, seq, d_model))


class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = Attention(d_model, n_heads, dropout)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, mask))

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: four separate projections -> "self_attn.in_proj_weight: expected (36, 12), got none"
class Attention(nn.Module):
    def __init__(self, d_model, n_heads, dropout):
        super().__init__()
        self.q_proj, self.k_proj, self.v_proj = (nn.Linear(d_model, d_model) for _ in range(3))
        self.out_proj = nn.Linear(d_model, d_model)
        self.n_heads, self.dropout = n_heads, dropout

    def forward(self, x, mask):
        batch, seq, d_model = x.shape
        packed = torch.cat([self.q_proj(x), self.k_proj(x), self.v_proj(x)], dim=-1)
        query, key, value = packed.view(batch, seq, 3, self.n_heads, -1).permute(2, 0, 3, 1, 4)
        scores = query @ key.mT / query.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = F.dropout(scores.softmax(-1), self.dropout, self.training)
        return self.out_proj((weights @ value).transpose(1, 2).reshape(batch, seq, d_model))


class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = Attention(d_model, n_heads, dropout)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, mask))

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: attention called attention -> "self_attn.in_proj_weight: expected (36, 12), got none"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.attention = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.attention(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: feed-forward in a Sequential -> "linear1.weight: expected (20, 12), got none"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.ffn = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.ffn(x))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: one norm too many -> "expected none of this name"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: d_ff ignored -> "between d_model 12 and d_ff 20"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, 4 * d_model)
        self.linear2 = nn.Linear(4 * d_model, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: output and weights returned -> "of the output alone"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x)), None
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x)), None
# %% wrong: no return -> "`return`"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.feed(x))
# %% wrong: NaN everywhere -> "got NaN"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        x = x * float('nan')
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: x as it came -> "the first sum normed by norm1"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        return x
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: causal always -> "Does it read norm1(x)"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril() if mask is None else mask
        mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))
# %% wrong: the argument is added to in place -> "`+=`"
class TransformerBlock(nn.Module):
    """Self-attention and feed-forward, each with a residual and a norm: (batch, seq, d_model) -> (batch, seq, d_model)."""

    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        """mask: bool, broadcasts to (batch, n_heads, seq, seq); True = may attend."""
        batch, seq, _ = x.shape
        hidden_from = None if mask is None else ~mask.expand(batch, self.n_heads, seq, seq).flatten(0, 1)  # (batch · n_heads, seq, seq)

        def attend(x):
            return self.drop(self.self_attn(x, x, x, attn_mask=hidden_from, need_weights=False)[0])

        def feed_forward(x):
            return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

        if self.norm_first:
            x += attend(self.norm1(x))
            x += feed_forward(self.norm2(x))
            return x
        x = self.norm1(x + attend(x))
        return self.norm2(x + feed_forward(x))
# %% shortcut: nn.TransformerEncoderLayer subclassed
class TransformerBlock(nn.TransformerEncoderLayer):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__(d_model, n_heads, d_ff, dropout, batch_first=True, norm_first=norm_first)

    def forward(self, x, mask=None):
        if mask is not None:
            mask = ~mask.expand(len(x), self.self_attn.num_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return super().forward(x, mask)
# %% shortcut: nn.TransformerEncoderLayer's forward on a module that has its parts
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.drop(self.self_attn(x, x, x, attn_mask=mask)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        layer = nn.TransformerEncoderLayer(x.shape[-1], self.n_heads, self.linear1.out_features, self.drop.p, batch_first=True, norm_first=self.norm_first)
        layer.train(self.training)
        return torch.func.functional_call(layer, dict(self.named_parameters()), (x, mask))

# %% wrong: mask transposed -> "rows and columns exchanged"
class TransformerBlock(nn.Module):
    """Self-attention and feed-forward, each with a residual and a norm: (batch, seq, d_model) -> (batch, seq, d_model)."""

    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        ### BEGIN SOLUTION
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)
        ### END SOLUTION

    def forward(self, x, mask=None):
        """mask: bool, broadcasts to (batch, n_heads, seq, seq); True = may attend."""
        ### BEGIN SOLUTION
        batch, seq, _ = x.shape
        hidden_from = None if mask is None else ~mask.expand(batch, self.n_heads, seq, seq).flatten(0, 1).mT  # (batch · n_heads, seq, seq)

        def attend(x):
            return self.drop(self.self_attn(x, x, x, attn_mask=hidden_from, need_weights=False)[0])

        def feed_forward(x):
            return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

        if self.norm_first:
            x = x + attend(self.norm1(x))
            return x + feed_forward(self.norm2(x))
        x = self.norm1(x + attend(x))
        return self.norm2(x + feed_forward(x))
        ### END SOLUTION

# %% wrong: a mask of None turned round -> "Is a mask of None left alone"
class TransformerBlock(nn.Module):
    """Self-attention and feed-forward, each with a residual and a norm: (batch, seq, d_model) -> (batch, seq, d_model)."""

    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        ### BEGIN SOLUTION
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)
        ### END SOLUTION

    def forward(self, x, mask=None):
        """mask: bool, broadcasts to (batch, n_heads, seq, seq); True = may attend."""
        ### BEGIN SOLUTION
        batch, seq, _ = x.shape
        hidden_from = ~mask.expand(batch, self.n_heads, seq, seq).flatten(0, 1)  # (batch · n_heads, seq, seq)

        def attend(x):
            return self.drop(self.self_attn(x, x, x, attn_mask=hidden_from, need_weights=False)[0])

        def feed_forward(x):
            return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

        if self.norm_first:
            x = x + attend(self.norm1(x))
            return x + feed_forward(self.norm2(x))
        x = self.norm1(x + attend(x))
        return self.norm2(x + feed_forward(x))
        ### END SOLUTION

# %% right: an additive mask by where
class TransformerBlock(nn.Module):
    """Self-attention and feed-forward, each with a residual and a norm: (batch, seq, d_model) -> (batch, seq, d_model)."""

    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        ### BEGIN SOLUTION
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)
        ### END SOLUTION

    def forward(self, x, mask=None):
        """mask: bool, broadcasts to (batch, n_heads, seq, seq); True = may attend."""
        ### BEGIN SOLUTION
        batch, seq, _ = x.shape
        hidden_from = None if mask is None else torch.where(mask, 0.0, -torch.inf).expand(batch, self.n_heads, seq, seq).reshape(-1, seq, seq)  # (batch · n_heads, seq, seq)

        def attend(x):
            return self.drop(self.self_attn(x, x, x, attn_mask=hidden_from, need_weights=False)[0])

        def feed_forward(x):
            return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

        if self.norm_first:
            x = x + attend(self.norm1(x))
            return x + feed_forward(self.norm2(x))
        x = self.norm1(x + attend(x))
        return self.norm2(x + feed_forward(x))
        ### END SOLUTION
