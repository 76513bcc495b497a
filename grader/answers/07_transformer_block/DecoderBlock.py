# %% right: helpers, flattened masks
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% right: own attention with three thirds
class Attention(nn.Module):
    def __init__(self, d_model, n_heads, dropout):
        super().__init__()
        self.in_proj_weight = nn.Parameter(torch.randn(3 * d_model, d_model) / d_model**0.5)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * d_model))
        self.out_proj = nn.Linear(d_model, d_model)
        self.n_heads, self.dropout = n_heads, dropout

    def forward(self, x, source, mask):
        batch, seq, d_model = x.shape
        weight, bias = self.in_proj_weight.chunk(3), self.in_proj_bias.chunk(3)
        query, key, value = (
            F.linear(t, w, b).unflatten(-1, (self.n_heads, -1)).transpose(1, 2) for t, w, b in zip((x, source, source), weight, bias)
        )
        scores = query @ key.mT / query.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = F.dropout(scores.softmax(-1), self.dropout, self.training)
        return self.out_proj((weights @ value).transpose(1, 2).reshape(batch, seq, d_model))


class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = Attention(d_model, n_heads, dropout)
        self.multihead_attn = Attention(d_model, n_heads, dropout)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, mask))

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, mask))

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% right: a loop over norms and steps
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        steps = (
            (self.norm1, lambda t: self.attend(t, mask)),
            (self.norm2, lambda t: self.cross(t, context, context_mask)),
            (self.norm3, self.feed),
        )
        for norm, step in steps:
            x = x + step(norm(x)) if self.norm_first else norm(x + step(x))
        return x
# %% right: additive masks, attention with the batch second
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=False)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=False)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        keep = torch.zeros(len(query), self.n_heads, query.shape[1], key.shape[1])
        return keep.masked_fill(~mask, -torch.inf).view(-1, query.shape[1], key.shape[1])

    def attend(self, x, mask):
        return self.drop(self.self_attn(*[x.transpose(0, 1)] * 3, attn_mask=self.hide(mask, x, x))[0].transpose(0, 1))

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x.transpose(0, 1), context.transpose(0, 1), context.transpose(0, 1), attn_mask=self.hide(mask, x, context))[0].transpose(0, 1))

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: pre-norm always -> "got pre-norm"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = x + self.attend(self.norm1(x), mask)
        x = x + self.cross(self.norm2(x), context, context_mask)
        return x + self.feed(self.norm3(x))
# %% wrong: post-norm always -> "got post-norm"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if False:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: batch_first forgotten for both -> "Is it batch_first=True"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: feed-forward before cross-attention -> "Is the order self-attention, cross-attention"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.feed(self.norm3(x))
            return x + self.cross(self.norm2(x), context, context_mask)
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: context normed too -> "Is the context normed too"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), self.norm2(context), context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: cross-attention looks at itself -> "are key and value the context"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, x, x)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: self-attention on the context -> "instead of its own sentence"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.drop(self.self_attn(self.norm1(x), context, context)[0])
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: query from the context -> "Is the query the stream"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(context, x, x)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: values from the stream -> "are both key and value the context"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, x)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: cross-attention before self-attention -> "Is the order self-attention, cross-attention"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.cross(self.norm2(x), context, context_mask)
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: cross-attention skipped -> "norm1, norm2 and norm3, in this order"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm3(x + self.feed(x))
# %% wrong: cross-attention's result thrown away -> "only cross-attention: differs from PyTorch's layer. Is its output lost"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            h = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: no residual around cross-attention -> "Is the stream added back"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: no residual around self-attention -> "Is the stream added back"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: residual taken from the norm -> "the norms stand on the stream"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = self.norm1(x)
            x = x + self.attend(x, mask)
            x = self.norm2(x)
            x = x + self.cross(x, context, context_mask)
            x = self.norm3(x)
            return x + self.feed(x)
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: norms inside the residuals -> "outputs alone"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = x + self.norm1(self.attend(x, mask))
        x = x + self.norm2(self.cross(x, context, context_mask))
        return x + self.norm3(self.feed(x))
# %% wrong: norm2 for feed-forward too -> "norm1, norm2 and norm3, in this order"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm2(x + self.feed(x))
# %% wrong: norm2 and norm3 change places -> "norm1, norm2 and norm3, in this order"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm3(x), context, context_mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm3(x + self.cross(x, context, context_mask))
        return self.norm2(x + self.feed(x))
# %% wrong: norm1 for cross-attention in pre-norm -> "Is the query norm2(stream)"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm1(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: pre-norm forgets norm2 -> "Is the query norm2(stream)"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(x, context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: pre-norm forgets norm1 -> "value all norm1(x)"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(x, mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: pre-norm forgets norm3 -> "linear2(relu(linear1(norm3(stream))))"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(x)
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: gelu -> "Is it linear2(relu"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.gelu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: no activation -> "Is it linear2(relu"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(self.linear1(x))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: causal built in -> "Are later words hidden, though there is no mask"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril() if mask is None else mask
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: the two attentions change places -> "Do self_attn and multihead_attn change places"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.multihead_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.self_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: one attention for both -> "with the weights of self_attn"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.self_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: batch_first forgotten for self-attention -> "mix the sentences of the batch"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: mask turned round -> "Is mask turned round"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=None if mask is None else ~self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: context_mask turned round -> "Is context_mask turned round"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=None if mask is None else ~self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: mask forgotten -> "Is mask given to self-attention"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=None)[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: context_mask forgotten -> "Is context_mask given to cross-attention"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=None)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: mask given to cross-attention -> "Is mask given to self-attention alone"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, mask))
        return self.norm3(x + self.feed(x))
# %% wrong: mask handed over without heads -> "its own mask, expanded to all its heads"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: mask repeated head by head -> "its own mask, expanded to all its heads"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), 1, query.shape[1], key.shape[1])[:, 0].repeat(self.n_heads, 1, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: post-norm: cross-attention asks with x -> "Does each sub-layer read, and add to, the normed sum"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        h = self.norm1(x + self.attend(x, mask))
        h = self.norm2(h + self.cross(x, context, context_mask))
        return self.norm3(h + self.feed(h))
# %% wrong: post-norm: feed-forward reads the first sum -> "Does each sub-layer read, and add to, the normed sum"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        h = self.norm1(x + self.attend(x, mask))
        out = self.norm2(h + self.cross(h, context, context_mask))
        return self.norm3(out + self.feed(h))
# %% wrong: no dropout at all -> "self-attention: expected the values 0, 20 and 24, got [11]. Is it missing?"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Identity()

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: no dropout on cross-attention's weights -> "cross-attention: expected the values 0, 20 and 24, got [0, 22]. Is it missing on the weights"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: no dropout on cross-attention's output -> "missing on the sub-layer's output"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0]

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: no dropout on the hidden layer -> "missing on the hidden layer"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(F.relu(self.linear1(x))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: F.dropout without training -> "In eval() two calls differ"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = lambda x: F.dropout(x, dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: cross_attn for multihead_attn -> "multihead_attn.in_proj_weight: expected (36, 12), got none"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.cross_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.cross_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: two norms -> "norm3.weight: expected (12,), got none"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm2(x + self.feed(x))
# %% wrong: a second feed-forward -> "expected none of this name"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.linear3 = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: weights returned too -> "of the output alone"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x)), None
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: no return -> "`return`"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            x = x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        x = self.norm3(x + self.feed(x))
# %% wrong: NaN everywhere -> "got NaN"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        x = x * float('nan')
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: x as it came -> "norm1, norm2 and norm3, in this order"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def hide(self, mask, query, key):
        if mask is None:
            return None
        return ~mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).flatten(0, 1)

    def attend(self, x, mask):
        return self.drop(self.self_attn(x, x, x, attn_mask=self.hide(mask, x, x))[0])

    def cross(self, x, context, mask):
        return self.drop(self.multihead_attn(x, context, context, attn_mask=self.hide(mask, x, context))[0])

    def feed(self, x):
        return self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))

    def forward(self, x, context, mask=None, context_mask=None):
        return x
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            x = x + self.cross(self.norm2(x), context, context_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, mask))
        x = self.norm2(x + self.cross(x, context, context_mask))
        return self.norm3(x + self.feed(x))
# %% wrong: the argument is added to in place -> "`+=`"
class DecoderBlock(nn.Module):
    """Self-attention, cross-attention and feed-forward: x (batch, q, d_model), context (batch, k, d_model) -> (batch, q, d_model)."""

    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(d_model) for _ in range(3))
        self.drop = nn.Dropout(dropout)

    def forward(self, x, context, mask=None, context_mask=None):
        """mask (…, q, q) and context_mask (…, q, k): bool, broadcast to (batch, n_heads, q, ·); True = may attend."""
        def attend(layer, x, source, keep):
            if keep is not None:
                keep = ~keep.expand(x.shape[0], self.n_heads, x.shape[1], source.shape[1]).flatten(0, 1)
            return self.drop(layer(x, source, source, attn_mask=keep, need_weights=False)[0])

        steps = (
            (self.norm1, lambda x: attend(self.self_attn, x, x, mask)),
            (self.norm2, lambda x: attend(self.multihead_attn, x, context, context_mask)),
            (self.norm3, lambda x: self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))),
        )
        for norm, step in steps:
            x += step(norm(x) if self.norm_first else x)
            x = x if self.norm_first else norm(x)
        return x
# %% shortcut: nn.TransformerDecoderLayer subclassed
class DecoderBlock(nn.TransformerDecoderLayer):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__(d_model, n_heads, d_ff, dropout, batch_first=True, norm_first=norm_first)

    def forward(self, x, context, mask=None, context_mask=None):
        heads = self.self_attn.num_heads
        if mask is not None:
            mask = ~mask.expand(len(x), heads, x.shape[1], x.shape[1]).flatten(0, 1)
        if context_mask is not None:
            context_mask = ~context_mask.expand(len(x), heads, x.shape[1], context.shape[1]).flatten(0, 1)
        return super().forward(x, context, mask, context_mask)

# %% wrong: mask transposed -> "rows and columns exchanged"
class DecoderBlock(nn.Module):
    """Self-attention, cross-attention and feed-forward: x (batch, q, d_model), context (batch, k, d_model) -> (batch, q, d_model)."""

    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        ### BEGIN SOLUTION
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(d_model) for _ in range(3))
        self.drop = nn.Dropout(dropout)
        ### END SOLUTION

    def forward(self, x, context, mask=None, context_mask=None):
        """mask (…, q, q) and context_mask (…, q, k): bool, broadcast to (batch, n_heads, q, ·); True = may attend."""
        ### BEGIN SOLUTION
        def attend(layer, x, source, keep):
            if keep is not None:
                keep = ~keep.expand(x.shape[0], self.n_heads, x.shape[1], source.shape[1]).flatten(0, 1)
            return self.drop(layer(x, source, source, attn_mask=keep, need_weights=False)[0])

        steps = (
            (self.norm1, lambda x: attend(self.self_attn, x, x, None if mask is None else mask.mT)),
            (self.norm2, lambda x: attend(self.multihead_attn, x, context, context_mask)),
            (self.norm3, lambda x: self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))),
        )
        for norm, step in steps:
            x = x + step(norm(x)) if self.norm_first else norm(x + step(x))
        return x
        ### END SOLUTION

# %% wrong: context_mask transposed -> "queries by keys"
class DecoderBlock(nn.Module):
    """Self-attention, cross-attention and feed-forward: x (batch, q, d_model), context (batch, k, d_model) -> (batch, q, d_model)."""

    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        ### BEGIN SOLUTION
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(d_model) for _ in range(3))
        self.drop = nn.Dropout(dropout)
        ### END SOLUTION

    def forward(self, x, context, mask=None, context_mask=None):
        """mask (…, q, q) and context_mask (…, q, k): bool, broadcast to (batch, n_heads, q, ·); True = may attend."""
        ### BEGIN SOLUTION
        def attend(layer, x, source, keep):
            if keep is not None:
                keep = ~keep.expand(x.shape[0], self.n_heads, x.shape[1], source.shape[1]).flatten(0, 1)
            return self.drop(layer(x, source, source, attn_mask=keep, need_weights=False)[0])

        steps = (
            (self.norm1, lambda x: attend(self.self_attn, x, x, mask)),
            (self.norm2, lambda x: attend(self.multihead_attn, x, context, None if context_mask is None else context_mask.mT)),
            (self.norm3, lambda x: self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))),
        )
        for norm, step in steps:
            x = x + step(norm(x)) if self.norm_first else norm(x + step(x))
        return x
        ### END SOLUTION

# %% wrong: a mask of None turned round -> "Is a mask of None left alone"
class DecoderBlock(nn.Module):
    """Self-attention, cross-attention and feed-forward: x (batch, q, d_model), context (batch, k, d_model) -> (batch, q, d_model)."""

    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        ### BEGIN SOLUTION
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(d_model) for _ in range(3))
        self.drop = nn.Dropout(dropout)
        ### END SOLUTION

    def forward(self, x, context, mask=None, context_mask=None):
        """mask (…, q, q) and context_mask (…, q, k): bool, broadcast to (batch, n_heads, q, ·); True = may attend."""
        ### BEGIN SOLUTION
        def attend(layer, x, source, keep):
            if True:
                keep = ~keep.expand(x.shape[0], self.n_heads, x.shape[1], source.shape[1]).flatten(0, 1)
            return self.drop(layer(x, source, source, attn_mask=keep, need_weights=False)[0])

        steps = (
            (self.norm1, lambda x: attend(self.self_attn, x, x, mask)),
            (self.norm2, lambda x: attend(self.multihead_attn, x, context, context_mask)),
            (self.norm3, lambda x: self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))),
        )
        for norm, step in steps:
            x = x + step(norm(x)) if self.norm_first else norm(x + step(x))
        return x
        ### END SOLUTION

# %% wrong: context_mask only beside a mask -> "Is context_mask given"
class DecoderBlock(nn.Module):
    """Self-attention, cross-attention and feed-forward: x (batch, q, d_model), context (batch, k, d_model) -> (batch, q, d_model)."""

    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        ### BEGIN SOLUTION
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(d_model) for _ in range(3))
        self.drop = nn.Dropout(dropout)
        ### END SOLUTION

    def forward(self, x, context, mask=None, context_mask=None):
        """mask (…, q, q) and context_mask (…, q, k): bool, broadcast to (batch, n_heads, q, ·); True = may attend."""
        ### BEGIN SOLUTION
        def attend(layer, x, source, keep):
            if keep is not None:
                keep = ~keep.expand(x.shape[0], self.n_heads, x.shape[1], source.shape[1]).flatten(0, 1)
            return self.drop(layer(x, source, source, attn_mask=keep, need_weights=False)[0])

        steps = (
            (self.norm1, lambda x: attend(self.self_attn, x, x, mask)),
            (self.norm2, lambda x: attend(self.multihead_attn, x, context, None if mask is None else context_mask)),
            (self.norm3, lambda x: self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))),
        )
        for norm, step in steps:
            x = x + step(norm(x)) if self.norm_first else norm(x + step(x))
        return x
        ### END SOLUTION

# %% right: an additive mask by where
class DecoderBlock(nn.Module):
    """Self-attention, cross-attention and feed-forward: x (batch, q, d_model), context (batch, k, d_model) -> (batch, q, d_model)."""

    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        ### BEGIN SOLUTION
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(d_model) for _ in range(3))
        self.drop = nn.Dropout(dropout)
        ### END SOLUTION

    def forward(self, x, context, mask=None, context_mask=None):
        """mask (…, q, q) and context_mask (…, q, k): bool, broadcast to (batch, n_heads, q, ·); True = may attend."""
        ### BEGIN SOLUTION
        def attend(layer, x, source, keep):
            if keep is not None:
                keep = torch.where(keep, 0.0, -torch.inf).expand(x.shape[0], self.n_heads, x.shape[1], source.shape[1]).flatten(0, 1)
            return self.drop(layer(x, source, source, attn_mask=keep, need_weights=False)[0])

        steps = (
            (self.norm1, lambda x: attend(self.self_attn, x, x, mask)),
            (self.norm2, lambda x: attend(self.multihead_attn, x, context, context_mask)),
            (self.norm3, lambda x: self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))),
        )
        for norm, step in steps:
            x = x + step(norm(x)) if self.norm_first else norm(x + step(x))
        return x
        ### END SOLUTION

# %% wrong: context first -> "Is x first?"
class DecoderBlock(nn.Module):
    """Self-attention, cross-attention and feed-forward: x (batch, q, d_model), context (batch, k, d_model) -> (batch, q, d_model)."""

    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        ### BEGIN SOLUTION
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(d_model) for _ in range(3))
        self.drop = nn.Dropout(dropout)
        ### END SOLUTION

    def forward(self, context, x, mask=None, context_mask=None):
        """mask (…, q, q) and context_mask (…, q, k): bool, broadcast to (batch, n_heads, q, ·); True = may attend."""
        ### BEGIN SOLUTION
        def attend(layer, x, source, keep):
            if keep is not None:
                keep = ~keep.expand(x.shape[0], self.n_heads, x.shape[1], source.shape[1]).flatten(0, 1)
            return self.drop(layer(x, source, source, attn_mask=keep, need_weights=False)[0])

        steps = (
            (self.norm1, lambda x: attend(self.self_attn, x, x, mask)),
            (self.norm2, lambda x: attend(self.multihead_attn, x, context, context_mask)),
            (self.norm3, lambda x: self.drop(self.linear2(self.drop(F.relu(self.linear1(x)))))),
        )
        for norm, step in steps:
            x = x + step(norm(x)) if self.norm_first else norm(x + step(x))
        return x
        ### END SOLUTION
