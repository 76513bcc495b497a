# %% right: every part one's own
class Norm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        variance = centred.square().mean(-1, keepdim=True)
        return centred / (variance + self.eps).sqrt() * self.weight + self.bias


class Network(nn.Module):
    def __init__(self, d_model, d_ff, dropout):
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.linear2(self.dropout(self.linear1(x).relu()))


class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.self_attn = Attention(d_model, n_heads, dropout)
        self.feed_forward = Network(d_model, d_ff, dropout)
        self.norm1, self.norm2 = Norm(d_model), Norm(d_model)
        self.dropout, self.norm_first = nn.Dropout(dropout), norm_first

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.dropout(self.self_attn(self.norm1(x), mask=mask))
            return x + self.dropout(self.feed_forward(self.norm2(x)))
        x = self.norm1(x + self.dropout(self.self_attn(x, mask=mask)))
        return self.norm2(x + self.dropout(self.feed_forward(x)))

# %% right: PyTorch's attention, its mask turned round
- self.self_attn = Attention(d_model, n_heads, dropout)
+ self.n_heads = n_heads
+ self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)

- return self.drop(self.self_attn(x, mask=mask))
+ hidden = None
+ if mask is not None:
+     hidden = ~mask.expand(x.shape[0], self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
+ return self.drop(self.self_attn(x, x, x, attn_mask=hidden, need_weights=False)[0])

# %% right: PyTorch's attention with the batch second, and an additive mask
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.heads, self.norm_first = n_heads, norm_first
        self.norm2, self.norm1 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.linear2, self.linear1 = nn.Linear(d_ff, d_model), nn.Linear(d_model, d_ff)
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout)
        self.drops = nn.ModuleList(nn.Dropout(dropout) for _ in range(3))
        self.register_buffer("unused", torch.zeros(3))

    def forward(self, x, mask=None):
        batch, seq, _ = x.shape
        if mask is not None:
            mask = torch.zeros(mask.shape).masked_fill(mask.logical_not(), -torch.inf)
            mask = mask.expand(batch, self.heads, seq, seq).reshape(-1, seq, seq)
        read = self.norm1(x) if self.norm_first else x
        turned = read.transpose(0, 1)
        out, _ = self.self_attn(turned, turned, turned, attn_mask=mask)
        x = x + self.drops[0](out.transpose(0, 1))
        x = x if self.norm_first else self.norm1(x)
        read = self.norm2(x) if self.norm_first else x
        x = x + self.drops[1](self.linear2(self.drops[2](self.linear1(read).clamp(min=0))))
        return x if self.norm_first else self.norm2(x)

# %% right: an attention of one's own with one packed projection, and SDPA
class Packed(nn.Module):
    def __init__(self, d_model, n_heads, dropout):
        super().__init__()
        self.n_heads, self.rate = n_heads, dropout
        self.in_proj_weight = nn.Parameter(torch.randn(3 * d_model, d_model) * 0.1)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * d_model))
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, x, mask):
        packed = F.linear(x, self.in_proj_weight, self.in_proj_bias)
        query, key, value = packed.unflatten(-1, (3, self.n_heads, -1)).permute(2, 0, 3, 1, 4)
        rate = self.rate if self.training else 0.0
        out = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=rate)
        return self.out_proj(out.transpose(1, 2).flatten(2))


class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.norm_first = norm_first
        self.self_attn = Packed(d_model, n_heads, dropout)
        self.feed_forward = nn.Module()
        self.feed_forward.linear1 = nn.Linear(d_model, d_ff)
        self.feed_forward.linear2 = nn.Linear(d_ff, d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        inner = self.feed_forward
        for norm, work in (
            (self.norm1, lambda x: self.self_attn(x, mask)),
            (self.norm2, lambda x: inner.linear2(self.drop(F.relu(inner.linear1(x))))),
        ):
            x = x + self.drop(work(norm(x))) if self.norm_first else norm(x + self.drop(work(x)))
        return x

# %% wrong: pre-norm always -> "That is pre-norm"
- self.norm_first = norm_first
+ self.norm_first = True

# %% wrong: post-norm always -> "That is post-norm"
- self.norm_first = norm_first
+ self.norm_first = False

# %% wrong: norm_first turned round -> "That is post-norm"
- if self.norm_first:
+ if not self.norm_first:

# %% wrong: no residual around attention -> "The residual of attention is missing."
- x = x + attend(self.norm1(x))
+ x = attend(self.norm1(x))

- x = self.norm1(x + attend(x))
+ x = self.norm1(attend(x))

# %% wrong: no residual around feed-forward -> "The residual of feed-forward is missing."
- return x + feed_forward(self.norm2(x))
+ return feed_forward(self.norm2(x))

- return self.norm2(x + feed_forward(x))
+ return self.norm2(feed_forward(x))

# %% wrong: residual taken from the norm -> "The norm is only for what every sub-layer reads"
- x = x + attend(self.norm1(x))
- return x + feed_forward(self.norm2(x))
+ x = self.norm1(x)
+ x = x + attend(x)
+ x = self.norm2(x)
+ return x + feed_forward(x)

# %% wrong: a last norm in pre-norm -> "Pre-norm, and yet feed-forward has a norm before and after."
- return x + feed_forward(self.norm2(x))
+ return self.norm2(x + feed_forward(self.norm2(x)))

# %% wrong: norm inside the residual in post-norm -> "Only what every sub-layer returns is normed."
- x = self.norm1(x + attend(x))
- return self.norm2(x + feed_forward(x))
+ x = x + self.norm1(attend(x))
+ return x + self.norm2(feed_forward(x))

# %% wrong: norm1 used twice -> "norm1 is used where norm2 belongs"
- return self.norm2(x + feed_forward(x))
+ return self.norm1(x + feed_forward(x))

# %% wrong: norms change places -> "have changed places"
- x = self.norm1(x + attend(x))
- return self.norm2(x + feed_forward(x))
+ x = self.norm2(x + attend(x))
+ return self.norm1(x + feed_forward(x))

# %% wrong: second sum not normed -> "The norm of feed-forward is missing"
- return self.norm2(x + feed_forward(x))
+ return x + feed_forward(x)

# %% wrong: post-norm without a norm -> "The norm of every sub-layer is missing"
- x = self.norm1(x + attend(x))
- return self.norm2(x + feed_forward(x))
+ x = x + attend(x)
+ return x + feed_forward(x)

# %% wrong: norms change places in pre-norm -> "norm1 and norm2 have changed places"
- x = x + attend(self.norm1(x))
- return x + feed_forward(self.norm2(x))
+ x = x + attend(self.norm2(x))
+ return x + feed_forward(self.norm1(x))

# %% wrong: second sum from x -> "The sum of feed-forward starts from x, not from the sum before it"
- x = x + attend(self.norm1(x))
- return x + feed_forward(self.norm2(x))
+ h = x + attend(self.norm1(x))
+ return x + feed_forward(self.norm2(h))

# %% wrong: both sub-layers side by side -> "x is read in feed-forward, not the sum before it"
- x = x + attend(self.norm1(x))
- return x + feed_forward(self.norm2(x))
+ return x + attend(self.norm1(x)) + feed_forward(self.norm2(x))

# %% wrong: feed-forward before attention -> "have changed places"
- x = x + attend(self.norm1(x))
- return x + feed_forward(self.norm2(x))
+ x = x + feed_forward(self.norm2(x))
+ return x + attend(self.norm1(x))

- x = self.norm1(x + attend(x))
- return self.norm2(x + feed_forward(x))
+ x = self.norm2(x + feed_forward(x))
+ return self.norm1(x + attend(x))

# %% wrong: pre-norm forgets norm1 -> "The norm of attention is missing"
- x = x + attend(self.norm1(x))
+ x = x + attend(x)

# %% wrong: pre-norm forgets norm2 -> "The norm of feed-forward is missing"
- return x + feed_forward(self.norm2(x))
+ return x + feed_forward(x)

# %% wrong: norm1 before the feed-forward too -> "norm1 is used where norm2 belongs"
- return x + feed_forward(self.norm2(x))
+ return x + feed_forward(self.norm1(x))

# %% wrong of "PyTorch's attention, its mask turned round": only the query is normed -> "Only the query is normed"
- return self.drop(self.self_attn(x, x, x, attn_mask=hidden, need_weights=False)[0])
+ return self.drop(self.self_attn(x, whole, whole, attn_mask=hidden, need_weights=False)[0])

- def attend(x):
+ whole = x
+ def attend(x):

# %% wrong of "PyTorch's attention, its mask turned round": batch_first forgotten -> "batch_first=True"
- self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
+ self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout)

# %% wrong of "PyTorch's attention, its mask turned round": mask not turned round -> "The mask is inverted: True means that a query may attend"
- hidden = ~mask.expand(x.shape[0], self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
+ hidden = mask.expand(x.shape[0], self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)

# %% wrong of "PyTorch's attention, its mask turned round": a mask without heads -> "Each sentence has its own mask"
- hidden = ~mask.expand(x.shape[0], self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
+ hidden = ~mask.expand(x.shape[0], 1, x.shape[1], x.shape[1])[0, 0]

# %% wrong of "PyTorch's attention, its mask turned round": repeated head by head -> "in the order of nn.MultiheadAttention"
- hidden = ~mask.expand(x.shape[0], self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
+ hidden = ~mask.expand(x.shape[0], 1, x.shape[1], x.shape[1])[:, 0].repeat(self.n_heads, 1, 1)

# %% wrong of "PyTorch's attention, its mask turned round": a mask of None turned round -> "Does mask=None hide nothing?"
- hidden = None
- if mask is not None:
-     hidden = ~mask.expand(x.shape[0], self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
+ hidden = (~mask).expand(x.shape[0], self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)

# %% wrong of "PyTorch's attention, its mask turned round": the pair that it returns -> "stopped with TypeError"
- return self.drop(self.self_attn(x, x, x, attn_mask=hidden, need_weights=False)[0])
+ return self.drop(self.self_attn(x, x, x, attn_mask=hidden, need_weights=False))

# %% wrong: one head whatever n_heads -> "self_attn has 1 head, expected n_heads = 3"
- self.self_attn = Attention(d_model, n_heads, dropout)
+ self.self_attn = Attention(d_model, 1, dropout)

# %% wrong: dropout of 0.1 whatever is given -> "Is its rate the one that was given"
- self.self_attn = Attention(d_model, n_heads, dropout)
+ self.self_attn = Attention(d_model, n_heads, 0.1)

- self.drop = nn.Dropout(dropout)
+ self.drop = nn.Dropout(0.1)

# %% wrong: scores over the root of the number of words -> "No known mistake gives this"
- class TransformerBlock(nn.Module):
+ class ByWords(Attention):
+     def forward(self, x, context=None, mask=None):
+         q, k, v = (split_heads(part(x), self.n_heads) for part in (self.q_proj, self.k_proj, self.v_proj))
+         scores = q @ k.mT / x.shape[1] ** 0.5
+         weights = scores.softmax(-1) if mask is None else masked_softmax(scores, mask)
+         return self.out_proj(merge_heads(self.drop(weights) @ v))
+
+
+ class TransformerBlock(nn.Module):

- self.self_attn = Attention(d_model, n_heads, dropout)
+ self.self_attn = ByWords(d_model, n_heads, dropout)

# %% wrong: mask turned round -> "The mask is inverted: True means that a query may attend"
- return self.drop(self.self_attn(x, mask=mask))
+ return self.drop(self.self_attn(x, mask=None if mask is None else ~mask))

# %% wrong: mask forgotten -> "The mask is not used"
- return self.drop(self.self_attn(x, mask=mask))
+ return self.drop(self.self_attn(x))

# %% wrong: mask only in pre-norm -> "The mask is not used."
- return self.drop(self.self_attn(x, mask=mask))
+ return self.drop(self.self_attn(x, mask=mask if self.norm_first else None))

# %% wrong: mask transposed -> "Rows are queries"
- return self.drop(self.self_attn(x, mask=mask))
+ return self.drop(self.self_attn(x, mask=None if mask is None else mask.mT))

# %% wrong: first sentence's mask for all -> "Each sentence has its own mask"
- return self.drop(self.self_attn(x, mask=mask))
+ return self.drop(self.self_attn(x, mask=mask[:1] if mask is not None and mask.ndim > 2 else mask))

# %% wrong: causal always -> "Later words are hidden, though nothing hides them"
- return self.drop(self.self_attn(x, mask=mask))
+ causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
+ return self.drop(self.self_attn(x, mask=causal if mask is None else mask & causal))

# %% wrong: gelu -> "The activation is gelu, expected relu"
- hidden = F.relu(self.linear1(x))
+ hidden = F.gelu(self.linear1(x))

# %% wrong: no activation -> "There is no activation between linear1 and linear2"
- hidden = F.relu(self.linear1(x))
+ hidden = self.linear1(x)

# %% wrong: a relu after linear2 -> "There is a relu after linear2"
- return self.drop(self.linear2(self.drop(hidden)))
+ return self.drop(F.relu(self.linear2(self.drop(hidden))))

# %% wrong: post-norm: feed-forward reads x -> "x is read in feed-forward, not the sum before it"
- x = self.norm1(x + attend(x))
- return self.norm2(x + feed_forward(x))
+ h = self.norm1(x + attend(x))
+ return self.norm2(h + feed_forward(x))

# %% wrong: post-norm: feed-forward added to x -> "The sum of feed-forward starts from x, not from the sum before it"
- x = self.norm1(x + attend(x))
- return self.norm2(x + feed_forward(x))
+ h = self.norm1(x + attend(x))
+ return self.norm2(x + feed_forward(h))

# %% wrong: post-norm that also norms before attention -> "Post-norm, and yet attention has a norm before and after."
- x = self.norm1(x + attend(x))
+ x = self.norm1(x + attend(self.norm1(x)))

# %% wrong: post-norm: feed-forward reads the sum before its norm -> "Feed-forward should read the first sum after its norm"
- x = self.norm1(x + attend(x))
- return self.norm2(x + feed_forward(x))
+ h = x + attend(x)
+ return self.norm2(self.norm1(h) + feed_forward(h))

# %% wrong: no dropout at all -> "dropout=0.5 on attention weights and output: expected 0, 20 and 24, got (11,). There is none"
- self.self_attn = Attention(d_model, n_heads, dropout)
+ self.self_attn = Attention(d_model, n_heads)

- self.drop = nn.Dropout(dropout)
+ self.drop = nn.Identity()

# %% wrong: no dropout on the weights -> "It is missing on the attention weights"
- self.self_attn = Attention(d_model, n_heads, dropout)
+ self.self_attn = Attention(d_model, n_heads)

# %% wrong: no dropout on attention's output -> "dropout=0.5 on attention weights and output: expected 0, 20 and 24, got (10, 12). It is missing on the sub-layer's output"
- return self.drop(self.self_attn(x, mask=mask))
+ return self.self_attn(x, mask=mask)

# %% wrong: no dropout on the hidden layer -> "It is missing on the hidden layer"
- return self.drop(self.linear2(self.drop(hidden)))
+ return self.drop(self.linear2(hidden))

# %% wrong: no dropout after linear2 -> "dropout=0.5 on hidden layer and output: expected 0, 20 and 24, got (10, 12). It is missing on the sub-layer's output"
- return self.drop(self.linear2(self.drop(hidden)))
+ return self.linear2(self.drop(hidden))

# %% wrong: F.dropout without training -> "In eval() two calls differ"
- self.drop = nn.Dropout(dropout)
+ self.rate = dropout

- return self.drop(self.self_attn(x, mask=mask))
+ return F.dropout(self.self_attn(x, mask=mask), self.rate)

- return self.drop(self.linear2(self.drop(hidden)))
+ return F.dropout(self.linear2(F.dropout(hidden, self.rate)), self.rate)

# %% wrong: other name for attention -> "Parameter self_attn.q_proj.weight: expected (12, 12), got none"
- self.self_attn = Attention(d_model, n_heads, dropout)
+ self.attention = Attention(d_model, n_heads, dropout)

- return self.drop(self.self_attn(x, mask=mask))
+ return self.drop(self.attention(x, mask=mask))

# %% wrong: PyTorch's attention under another name -> "There is attention.in_proj_weight of this shape"
- self.self_attn = Attention(d_model, n_heads, dropout)
+ self.attention = nn.MultiheadAttention(d_model, n_heads, dropout, batch_first=True)

- return self.drop(self.self_attn(x, mask=mask))
+ return self.drop(self.attention(x, x, x)[0])

# %% wrong: feed-forward in a Sequential -> "Parameter feed_forward.linear1.weight: expected (20, 12), got none"
- self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
+ up, down = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
+ self.network = nn.Sequential(up, nn.ReLU(), nn.Dropout(dropout), down)

- hidden = F.relu(self.linear1(x))
- return self.drop(self.linear2(self.drop(hidden)))
+ return self.drop(self.network(x))

# %% wrong: one norm for both -> "Parameter norm2.weight: expected (12,), got none"
- self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
+ self.norm1 = nn.LayerNorm(d_model)

- return x + feed_forward(self.norm2(x))
+ return x + feed_forward(self.norm1(x))

- return self.norm2(x + feed_forward(x))
+ return self.norm1(x + feed_forward(x))

# %% wrong: one norm too many -> "expected none, got (12,)"
- self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
+ self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(d_model) for _ in range(3))

# %% wrong: d_ff ignored -> "expected (20, 12), got (48, 12)"
- self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
+ self.linear1, self.linear2 = nn.Linear(d_model, 4 * d_model), nn.Linear(4 * d_model, d_model)

# %% wrong: no biases -> "Parameter linear1.bias: expected (20,), got none"
- self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
+ self.linear1 = nn.Linear(d_model, d_ff, bias=False)
+ self.linear2 = nn.Linear(d_ff, d_model, bias=False)

# %% wrong: another ε -> "The ε of each norm is 1e-3, expected 1e-5"
- self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
+ self.norm1, self.norm2 = nn.LayerNorm(d_model, 1e-3), nn.LayerNorm(d_model, 1e-3)

# %% wrong: attention detached -> "No gradient reaches"
- return self.drop(self.self_attn(x, mask=mask))
+ return self.drop(self.self_attn(x, mask=mask).detach())

# %% wrong: a tuple returned -> "Return the output of the block alone"
- return x + feed_forward(self.norm2(x))
+ return x + feed_forward(self.norm2(x)), None

# %% wrong: no return -> "Is there a `return`"
- return x + feed_forward(self.norm2(x))
+ x + feed_forward(self.norm2(x))
+ return

# %% wrong: NaN everywhere -> "There are NaN or inf"
- return x + feed_forward(self.norm2(x))
+ return x + feed_forward(self.norm2(x)) * torch.nan

# %% wrong: the argument is added to in place -> "changed one of its arguments in place"
- x = x + attend(self.norm1(x))
- return x + feed_forward(self.norm2(x))
+ x += attend(self.norm1(x))
+ x += feed_forward(self.norm2(x))
+ return x

# %% wrong: other names of the arguments -> "Are its arguments still called x, mask"
- def forward(self, x, mask=None):
+ def forward(self, tokens, keep=None):
+     x, mask = tokens, keep

# %% shortcut: nn.TransformerEncoderLayer subclassed
class TransformerBlock(nn.TransformerEncoderLayer):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__(d_model, n_heads, d_ff, dropout, batch_first=True, norm_first=norm_first)
        self.n_heads = n_heads

    def forward(self, x, mask=None):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return super().forward(x, mask)

# %% wrong: PyTorch's inner feed-forward, which needs the names of PyTorch's parts -> "a part that __init__ did not make"
- return self.drop(self.linear2(self.drop(hidden)))
+ return nn.TransformerEncoderLayer._ff_block(self, x)

# %% wrong: dropout under a name that forward does not know -> "a part that __init__ did not make"
- self.drop = nn.Dropout(dropout)
+ self.dropout = nn.Dropout(dropout)

# %% shortcut: nn.TransformerEncoderLayer held
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.held = nn.TransformerEncoderLayer(d_model, n_heads, d_ff, dropout, batch_first=True, norm_first=norm_first)
        self.self_attn, self.norm1, self.norm2 = self.held.self_attn, self.held.norm1, self.held.norm2
        self.linear1, self.linear2 = self.held.linear1, self.held.linear2
        self.n_heads = n_heads

    def forward(self, x, mask=None):
        if mask is not None:
            mask = ~mask.expand(len(x), self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
        return self.held(x, mask)

# %% wrong: norm1 once more before the feed-forward, in post-norm -> "norm1 is applied once more to what feed-forward reads"
- return self.norm2(x + feed_forward(x))
+ return self.norm2(x + feed_forward(self.norm1(x)))

# %% wrong: dropout before the norm in pre-norm -> "dropout=0.5"
- x = x + attend(self.norm1(x))
+ x = self.drop(x) + attend(self.norm1(x))

# %% wrong: norm_first kept, but asked for as a text -> "That is post-norm"
- if self.norm_first:
+ if self.norm_first == "pre":

# %% right: the reader's own norm and feed-forward, one helper for both orders
class OwnNorm(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        variance, mean = torch.var_mean(x, -1, correction=0, keepdim=True)
        return (x - mean) * (variance + 1e-5).rsqrt() * self.weight + self.bias


class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.pre = norm_first
        self.self_attn = Attention(d_model, n_heads, dropout)
        self.norm1, self.norm2 = OwnNorm(d_model), OwnNorm(d_model)
        self.feed_forward = nn.ModuleDict({"linear1": nn.Linear(d_model, d_ff), "linear2": nn.Linear(d_ff, d_model)})
        self.p = dropout

    def add(self, x, norm, branch):
        read = norm(x) if self.pre else x
        x = x + F.dropout(branch(read), self.p, self.training)
        return x if self.pre else norm(x)

    def forward(self, x, mask=None):
        def think(t):
            hidden = F.dropout(self.feed_forward["linear1"](t).relu(), self.p, self.training)
            return self.feed_forward["linear2"](hidden)

        x = self.add(x, self.norm1, lambda t: self.self_attn(t, None, mask))
        return self.add(x, self.norm2, think)

# %% wrong: dropout of 0.1 by default -> "Without the argument, dropout is 0"
- def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
+ def __init__(self, d_model, n_heads, d_ff, dropout=0.1, norm_first=False):

# %% wrong: pre-norm by default -> "Without the argument, norm_first is False"
- def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
+ def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=True):

# %% right: an attention without the keys' bias, which changes no weight
- return self.drop(self.self_attn(x, mask=mask))
+ part = self.self_attn
+ projected = part.q_proj(x), x @ part.k_proj.weight.T, part.v_proj(x)
+ q, k, v = (p.unflatten(-1, (part.n_heads, -1)).transpose(1, 2) for p in projected)
+ scores = q @ k.mT / k.shape[-1] ** 0.5
+ if mask is not None:
+     scores = scores.masked_fill(~mask, -1e9)
+ heads = part.drop(scores.softmax(-1)) @ v
+ return self.drop(part.out_proj(heads.transpose(1, 2).flatten(2)))

# %% wrong: two at once, no norm1 in pre-norm and gelu -> "The activation is gelu, expected relu"
- x = x + attend(self.norm1(x))
+ x = x + attend(x)

- hidden = F.relu(self.linear1(x))
+ hidden = F.gelu(self.linear1(x))

# %% wrong: an ε of 1e-6 -> "The ε of each norm is 1e-6, expected 1e-5"
- self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
+ self.norm1, self.norm2 = nn.LayerNorm(d_model, 1e-6), nn.LayerNorm(d_model, 1e-6)

# %% wrong: d_head heads -> "That is d_head"
- self.self_attn = Attention(d_model, n_heads, dropout)
+ self.self_attn = Attention(d_model, d_model // n_heads, dropout)

# %% wrong: attention twice, one after the other -> "The step of attention is done twice"
- x = x + attend(self.norm1(x))
+ x = x + attend(self.norm1(x))
+ x = x + attend(self.norm1(x))

# %% wrong: attention of attention -> "Within attention the same layers are applied twice"
- return self.drop(self.self_attn(x, mask=mask))
+ return self.drop(self.self_attn(self.self_attn(x, mask=mask), mask=mask))

# %% wrong: the bias of out_proj twice -> "The bias of self_attn.out_proj is added twice"
- return self.drop(self.self_attn(x, mask=mask))
+ return self.drop(self.self_attn(x, mask=mask) + self.self_attn.out_proj.bias)

# %% wrong: dropout on what attention reads -> "Does it also fall on what the sub-layer reads?"
- x = x + attend(self.norm1(x))
+ x = x + attend(self.drop(self.norm1(x)))

# %% wrong: post-norm drops the sum -> "before it is added"
- x = self.norm1(x + attend(x))
+ x = self.norm1(self.drop(x + self.self_attn(x, mask=mask)))
# %% wrong: the first sum, which norm2 has read, is written over -> "Write `h = h + …` there"
- return x + feed_forward(self.norm2(x))
+ x += feed_forward(self.norm2(x))
+ return x
# %% wrong: relu's result dropped in place -> "or an inplace=True"
- self.drop = nn.Dropout(dropout)
+ self.drop = nn.Dropout(dropout, inplace=True)
# %% wrong: words of zeros hidden as padding -> "A word of zeros is hidden. The mask alone says what is."
- return self.drop(self.self_attn(x, mask=mask))
+ seen = (words != 0).any(-1)[:, None, None]
+ return self.drop(self.self_attn(x, mask=seen if mask is None else seen & mask))

- if self.norm_first:
+ words = x
+ if self.norm_first:
# %% wrong: super forgotten -> "Is `super().__init__()` the first line"
- super().__init__()
+ pass
# %% wrong: a config for the arguments -> "The arguments are d_model, n_heads, d_ff, dropout, norm_first, in this order"
- def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
+ def __init__(self, config):
+     d_model, n_heads, d_ff, dropout, norm_first = config
# %% wrong: attention subtracted -> "What attention returns is subtracted. Add it."
- x = x + attend(self.norm1(x))
+ x = x - attend(self.norm1(x))
# %% wrong: the branch normed before and after, as in Gemma 2 -> "What attention returns is normed before it is added."
- x = x + attend(self.norm1(x))
+ x = x + self.norm1(attend(self.norm1(x)))
# %% wrong: the mean of stream and branch -> "The sum of feed-forward is halved. Add, and nothing else."
- return x + feed_forward(self.norm2(x))
+ return (x + feed_forward(self.norm2(x))) / 2
# %% wrong: leaky relu -> "The activation is leaky_relu, expected relu"
- hidden = F.relu(self.linear1(x))
+ hidden = F.leaky_relu(self.linear1(x))
# %% wrong: tanh -> "The activation is tanh, expected relu"
- hidden = F.relu(self.linear1(x))
+ hidden = self.linear1(x).tanh()

# %% wrong: the stream detached before the first sum -> "Is one way from x to the output detached?"
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.self_attn = Attention(d_model, n_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if self.norm_first:
            h = x.detach() + self.drop(self.self_attn(self.norm1(x), mask=mask))
            return h + self.drop(self.feed_forward(self.norm2(h)))
        h = self.norm1(x + self.drop(self.self_attn(x, mask=mask)))
        return self.norm2(h + self.drop(self.feed_forward(h)))

# %% right: PyTorch's parts, with the mask as numbers to add
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.dropout1 = nn.Dropout(dropout)
        self.dropout2 = nn.Dropout(dropout)

    def _sa(self, x, mask):
        if mask is not None:
            b, s, _ = x.shape
            mask = torch.zeros(b, self.n_heads, s, s).masked_fill(~mask, -torch.inf).flatten(0, 1)
        return self.dropout1(self.self_attn(x, x, x, attn_mask=mask, need_weights=False)[0])

    def _ff(self, x):
        return self.dropout2(self.linear2(self.dropout(F.relu(self.linear1(x)))))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self._sa(self.norm1(x), mask)
            x = x + self._ff(self.norm2(x))
        else:
            x = self.norm1(x + self._sa(x, mask))
            x = self.norm2(x + self._ff(x))
        return x
# %% wrong: the mask by position, where the context belongs -> "Is the mask given by name"
- return self.drop(self.self_attn(x, mask=mask))
+ return self.drop(self.self_attn(x, mask))
# %% wrong: dropout on what the sub-layers read -> "It falls on what the sub-layer reads, and not on what it gives."
- return self.drop(self.self_attn(x, mask=mask))
+ return self.self_attn(self.drop(x), mask=mask)

- return self.drop(self.linear2(self.drop(hidden)))
+ return self.linear2(self.drop(hidden))

- hidden = F.relu(self.linear1(x))
+ hidden = F.relu(self.linear1(self.drop(x)))
# %% wrong of "PyTorch's attention, its mask turned round": head 0's mask for all heads -> "All heads got the first one's"
- hidden = ~mask.expand(x.shape[0], self.n_heads, x.shape[1], x.shape[1]).flatten(0, 1)
+ hidden = ~mask.expand(x.shape[0], self.n_heads, x.shape[1], x.shape[1])[:, [0] * self.n_heads]
+ hidden = hidden.flatten(0, 1)
# %% right: dropout written by hand
- hidden = F.relu(self.linear1(x))
+ hidden, p = F.relu(self.linear1(x)), self.drop.p * self.training

- return self.drop(self.linear2(self.drop(hidden)))
+ hidden = hidden * (torch.rand_like(hidden) > p) / (1 - p)
+ return self.drop(self.linear2(hidden))
# %% wrong: neither residual nor norm -> "Both the residual and the norm of every sub-layer are missing."
- if self.norm_first:
-     x = x + attend(self.norm1(x))
-     return x + feed_forward(self.norm2(x))
- x = self.norm1(x + attend(x))
- return self.norm2(x + feed_forward(x))
+ return feed_forward(attend(x))

# %% wrong: the mean over the sentences taken off what attention finds -> "'0 of sentence 1'"
- return self.drop(self.self_attn(x, mask=mask))
+ attended = self.self_attn(x, mask=mask)
+ return self.drop(attended - attended.mean(0))

# %% wrong: dropout on x itself -> "It falls on the stream itself"
- if self.norm_first:
+ x = self.drop(x)
+ if self.norm_first:

# %% wrong: whole words dropped -> "all numbers of a word at once"
- return self.drop(self.linear2(self.drop(hidden)))
+ return self.drop(torch.ones(*x.shape[:2], 1)) * self.linear2(self.drop(hidden))

# %% wrong: half the stream -> "Yours is 0.5 times that"
- x = x + attend(self.norm1(x))
+ x = 0.5 * x + attend(self.norm1(x))

# %% wrong: relu squared -> "−2 becomes 0.00 and 3 becomes 9.00"
- hidden = F.relu(self.linear1(x))
+ hidden = F.relu(self.linear1(x)) ** 2
