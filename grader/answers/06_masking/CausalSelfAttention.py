# %% right: PyTorch's attention function, fused projections
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{n_heads} heads do not divide a width of {d_model}")
        self.n_heads, self.max_len, self.p = n_heads, max_len, dropout
        self.register_buffer("mask", torch.ones(max_len, max_len).triu(1) == 0)
        for name in ("out_proj", "v_proj", "k_proj", "q_proj"):
            setattr(self, name, nn.Linear(d_model, d_model))

    def forward(self, x, mask=None):
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} words, but max_len is {self.max_len}")
        allowed = self.mask[:seq, :seq] if mask is None else self.mask[:seq, :seq] & mask
        weight = torch.cat([self.q_proj.weight, self.k_proj.weight, self.v_proj.weight])
        bias = torch.cat([self.q_proj.bias, self.k_proj.bias, self.v_proj.bias])
        qkv = F.linear(x, weight, bias).unflatten(-1, (3, self.n_heads, -1))
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        p = self.p if self.training else 0.0
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=allowed, dropout_p=p)
        return self.out_proj(out.transpose(1, 2).reshape(batch, seq, d_model))

# %% right: a loop over heads, -1e9, the key's bias unused
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model // n_heads * n_heads != d_model:
            raise ValueError(f"d_model {d_model} / n_heads {n_heads} leaves a rest")
        self.d_head = d_model // n_heads
        self.q_proj, self.k_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.v_proj, self.out_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x, mask=None):
        seq, heads = x.shape[1], []
        if seq > len(self.mask):
            raise ValueError(f"max_len is {len(self.mask)}, {seq} words came")
        n_heads = self.q_proj.out_features // self.d_head
        keep = self.mask[:seq, :seq].expand(len(x), n_heads, seq, seq)
        keep = keep if mask is None else torch.logical_and(keep, mask)
        three = self.q_proj(x), x @ self.k_proj.weight.T, self.v_proj(x)
        for h, (q, k, v) in enumerate(zip(*(t.split(self.d_head, -1) for t in three))):
            scores = torch.einsum("bqd,bkd->bqk", q, k) * self.d_head**-0.5
            weights = scores.masked_fill(~keep[:, h], -1e9).softmax(-1) * keep[:, h]
            heads.append(self.drop(weights) @ v)
        return self.out_proj(torch.cat(heads, -1))

# %% right: bmm over merged heads, F.dropout
class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model}, n_heads {n_heads}")
        self.h, self.rate = n_heads, dropout
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        position = torch.arange(max_len)
        self.register_buffer("mask", position[:, None] >= position)

    def forward(self, x, mask=None):
        b, s, d = x.size()
        if s > self.mask.size(0):
            raise ValueError(f"got {s} words, at most {self.mask.size(0)}")
        def split(t):
            return t.reshape(b, s, self.h, d // self.h).transpose(1, 2).reshape(b * self.h, s, -1)
        q, k, v = split(self.q_proj(x)), split(self.k_proj(x)), split(self.v_proj(x))
        scores = torch.bmm(q, k.transpose(1, 2)).view(b, self.h, s, s) / (d / self.h) ** 0.5
        hidden = ~self.mask[:s, :s]
        if mask is not None:
            hidden = hidden | ~mask
        weights = scores.masked_fill(hidden, -torch.inf).softmax(-1).masked_fill(hidden, 0.0)
        weights = F.dropout(weights, self.rate, self.training).reshape(b * self.h, s, s)
        heads = torch.bmm(weights, v).view(b, self.h, s, -1)
        return self.out_proj(heads.transpose(1, 2).reshape(b, s, d))

# %% shortcut: nn.MultiheadAttention inside
  self.n_heads = n_heads
+ self.inner = nn.MultiheadAttention(d_model, n_heads, batch_first=True)

# %% wrong: no mask applied -> "Is the mask used"
- weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1).masked_fill(~allowed, 0)
+ weights = scores.softmax(-1)

# %% wrong: masked_fill's result thrown away -> "Is the mask used"
- weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1).masked_fill(~allowed, 0)
+ scores.masked_fill(~allowed, -torch.inf)
+ weights = scores.softmax(-1)

# %% wrong: is_causal, the buffer never read -> "forward used the old one"
- allowed = self.mask[:seq, :seq]
+ allowed = torch.ones(seq, seq, dtype=torch.bool).tril()

# %% wrong: the mask kept a second time -> "forward used the old one"
  self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())
+ self.own = self.mask.clone()

- allowed = self.mask[:seq, :seq]
+ allowed = self.own[:seq, :seq]

# %% wrong: causal besides what is loaded -> "the future is hidden all the same"
- allowed = self.mask[:seq, :seq]
+ allowed = self.mask[:seq, :seq].tril()

# %% wrong: one word ahead -> "Is the diagonal True, nothing above it"
- self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())
+ self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril(1))

# %% wrong: a word does not see itself -> "Is the diagonal True, nothing above it"
- self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())
+ self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril(-1))

# %% wrong: the other triangle -> "Is the diagonal True, nothing above it"
- self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())
+ self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).triu())

# %% wrong: True taken as hidden -> "In the buffer, True means: may attend. Is it read as hidden?"
- weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1).masked_fill(~allowed, 0)
+ weights = scores.masked_fill(allowed, -torch.inf).softmax(-1).masked_fill(allowed, 0)

# %% wrong: True taken as hidden, -1e9 -> "In the buffer, True means: may attend. Is it read as hidden?"
- weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1).masked_fill(~allowed, 0)
+ weights = scores.masked_fill(allowed, -1e9).softmax(-1)

# %% wrong: True means hidden in the buffer -> "Is the diagonal True, nothing above it"
- self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())
+ self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).triu(1))

- allowed = self.mask[:seq, :seq]
+ allowed = ~self.mask[:seq, :seq]

# %% wrong: the mask is a parameter -> "`mask` is a buffer, not a parameter"
- self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())
+ self.mask = nn.Parameter(torch.ones(max_len, max_len).tril())

- allowed = self.mask[:seq, :seq]
+ allowed = self.mask[:seq, :seq] > 0

# %% wrong: the mask is a plain attribute -> "Is it a plain attribute"
- self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())
+ self.mask = torch.ones(max_len, max_len, dtype=torch.bool).tril()

# %% wrong: the mask is not saved -> "persistent=False"
- self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())
+ mask = torch.ones(max_len, max_len, dtype=torch.bool).tril()
+ self.register_buffer("mask", mask, persistent=False)

# %% wrong: a mask of floats -> "Is it made with dtype=torch.bool?"
- self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())
+ self.register_buffer("mask", torch.ones(max_len, max_len).tril())

- allowed = self.mask[:seq, :seq]
+ allowed = self.mask[:seq, :seq] > 0

# %% wrong: the mask read the wrong way round -> "Is True read as hidden?"
- weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1).masked_fill(~allowed, 0)
+ weights = scores.masked_fill(allowed, -torch.inf).softmax(-1)

# %% wrong: a mask with four axes -> "made for max_len"
- self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())
+ self.register_buffer("mask", torch.ones(1, 1, max_len, max_len, dtype=torch.bool).tril())

- allowed = self.mask[:seq, :seq]
+ allowed = self.mask[..., :seq, :seq]

# %% wrong: mask made for the width -> "made for max_len = 9 words"
- self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())
+ self.register_buffer("mask", torch.ones(d_model, d_model, dtype=torch.bool).tril())

# %% wrong: the mask is not cut -> "Is self.mask cut to the words?"
- allowed = self.mask[:seq, :seq]
+ allowed = self.mask

# %% wrong: the last rows of the mask -> "cut at the wrong end"
- allowed = self.mask[:seq, :seq]
+ allowed = self.mask[-seq:, :seq]

# %% wrong: the bottom right part of the mask -> "cut at the wrong end"
- allowed = self.mask[:seq, :seq]
+ allowed = self.mask[-seq:, -seq:]

# %% wrong: scores multiplied by the mask -> "The scores are multiplied by the mask."
- weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1).masked_fill(~allowed, 0)
+ weights = (scores * allowed).softmax(-1)

# %% wrong: the argument mask ignored -> "The argument mask is ignored"
- if mask is not None:
-     allowed = allowed & mask

# %% wrong: the argument in place of the buffer -> "Only the argument counts"
- allowed = allowed & mask
+ allowed = mask

# %% wrong: either mask is enough -> "Should it be &, not |"
- allowed = allowed & mask
+ allowed = allowed | mask

# %% wrong: the argument as PyTorch's key_padding_mask -> "In the argument, True means: may attend"
- allowed = allowed & mask
+ allowed = allowed & ~mask

# %% wrong: the argument gets an axis too many -> "used as it is"
- allowed = allowed & mask
+ allowed = allowed & mask[:, None]

# %% wrong: one row of the argument for all queries -> "Does it broadcast?"
- allowed = allowed & mask
+ allowed = allowed & mask[..., :1, :]

# %% wrong: no argument mask -> "Has forward an argument mask=None"
- def forward(self, x, mask=None):
+ def forward(self, x):

- if mask is not None:
-     allowed = allowed & mask

# %% wrong: empty rows are NaN -> "A softmax of nothing but −∞ is 0/0"
- weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1).masked_fill(~allowed, 0)
+ weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1)

# %% wrong: empty rows average what is hidden -> "Is a hidden score finite?"
- weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1).masked_fill(~allowed, 0)
+ weights = scores.masked_fill(~allowed, -1e9).softmax(-1)

# %% wrong: empty rows painted over, the gradient NaN -> "made first and then painted over"
- weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1).masked_fill(~allowed, 0)
+ hide = torch.zeros_like(scores).masked_fill(~allowed, -torch.inf)
+ weights = (scores + hide).softmax(-1).nan_to_num()

# %% wrong: empty rows wiped after out_proj -> "put in after out_proj"
- return self.out_proj(out.transpose(1, 2).flatten(2))
+ empty = ~allowed.expand(len(x), self.n_heads, seq, seq).any(-1)[:, 0, :, None]
+ return self.out_proj(out.transpose(1, 2).flatten(2)).masked_fill(empty, 0)

# %% wrong: scaled by the number of heads -> "That is √n_heads."
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT / self.n_heads**0.5

# %% wrong: scaled by d_model -> "That is √d_model."
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT / x.shape[-1] ** 0.5

# %% wrong: not scaled -> "Is the division missing?"
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT

# %% wrong: divided by d_head without the root -> "You divided by d_head (or twice by its root)"
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT / key.shape[-1]

# %% wrong: scaled by the number of words -> "That is √seq."
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT / seq**0.5

# %% wrong: view without transpose -> "The heads are split by a reshape alone."
- query = self.q_proj(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
- key = self.k_proj(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
- value = self.v_proj(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
+ shape = x.shape[0], self.n_heads, seq, -1
+ query, key = self.q_proj(x).view(shape), self.k_proj(x).view(shape)
+ value = self.v_proj(x).view(shape)

# %% wrong: heads merged without transpose -> "The heads are joined by a reshape alone."
- return self.out_proj(out.transpose(1, 2).flatten(2))
+ return self.out_proj(out.reshape(x.shape))

# %% wrong: heads of interleaved features -> "The columns of a head stand apart, and should be neighbours."
- query = self.q_proj(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
- key = self.k_proj(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
- value = self.v_proj(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
+ query = self.q_proj(x).unflatten(-1, (-1, self.n_heads)).permute(0, 3, 1, 2)
+ key = self.k_proj(x).unflatten(-1, (-1, self.n_heads)).permute(0, 3, 1, 2)
+ value = self.v_proj(x).unflatten(-1, (-1, self.n_heads)).permute(0, 3, 1, 2)

- return self.out_proj(out.transpose(1, 2).flatten(2))
+ return self.out_proj(out.permute(0, 2, 3, 1).flatten(2))

# %% wrong: one single head -> "all heads share one set of weights"
- self.n_heads = n_heads
+ self.n_heads = 1

# %% wrong: queries and keys exchanged -> "Query and key changed places."
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = key @ query.mT / key.shape[-1] ** 0.5

# %% wrong: keys from q_proj -> "The keys are made by q_proj, not by k_proj."
- key = self.k_proj(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
+ key = self.q_proj(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)

# %% wrong: values from k_proj -> "The values are made by k_proj, not by v_proj."
- value = self.v_proj(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
+ value = self.k_proj(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)

# %% wrong: masked after the softmax -> "The mask is applied after the softmax."
- weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1).masked_fill(~allowed, 0)
+ weights = scores.softmax(-1) * allowed

# %% wrong: softmax over the queries -> "The softmax runs over the queries, not over the keys."
- weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1).masked_fill(~allowed, 0)
+ weights = scores.masked_fill(~allowed, -torch.inf).softmax(-2)

# %% wrong: out_proj forgotten -> "out_proj is missing"
- return self.out_proj(out.transpose(1, 2).flatten(2))
+ return out.transpose(1, 2).flatten(2)

# %% wrong: the residual inside -> "x is added."
- return self.out_proj(out.transpose(1, 2).flatten(2))
+ return x + self.out_proj(out.transpose(1, 2).flatten(2))

# %% wrong: no bias -> "Expected four nn.Linear(15, 15) with bias"
- self.k_proj = nn.Linear(d_model, d_model)
+ self.k_proj = nn.Linear(d_model, d_model, bias=False)

# %% wrong: a further layer -> "Expected four nn.Linear(15, 15) with bias"
- self.out_proj = nn.Linear(d_model, d_model)
+ self.out_proj = nn.Linear(d_model, d_model)
+ self.norm = nn.LayerNorm(d_model)

# %% wrong: super forgotten -> "Is `super().__init__()` the first line"
- super().__init__()

# %% wrong: no dropout -> "Dropout is missing: training changes nothing."
- out = self.dropout(weights) @ value
+ out = weights @ value

# %% wrong: dropout on the output -> "With dropout=0.25 in training the columns of one head differ"
- out = self.dropout(weights) @ value
+ out = self.dropout(weights @ value)

# %% wrong: dropout on the values -> "With dropout=0.25 in training the columns of one head differ"
- out = self.dropout(weights) @ value
+ out = weights @ self.dropout(value)

# %% wrong: dropout on the scores -> "Is dropout on the scores"
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = self.dropout(query @ key.mT / key.shape[-1] ** 0.5)

- out = self.dropout(weights) @ value
+ out = weights @ value

# %% wrong: dropout in eval mode too -> "Two calls in eval mode differ"
- out = self.dropout(weights) @ value
+ out = F.dropout(weights, self.dropout.p) @ value

# %% wrong: dropout of 0.1 whatever is given -> "The rate is 0.10."
- self.dropout = nn.Dropout(dropout)
+ self.dropout = nn.Dropout(0.1)

# %% wrong: rate of keeping for rate of dropping -> "Is 0.25 taken for the share that is kept?"
- self.dropout = nn.Dropout(dropout)
+ self.dropout = nn.Dropout(1 - dropout)

# %% wrong: made to sum to 1 after dropout -> "re the rows"
- out = self.dropout(weights) @ value
+ weights = self.dropout(weights)
+ out = weights / weights.sum(-1, keepdim=True).clamp(min=1e-9) @ value

# %% wrong: no error for too many words -> "seq is at most max_len"
- if seq > self.max_len:
-     raise ValueError(f"{seq} words are more than max_len = {self.max_len}")

# %% wrong: too many words are cut off -> "seq is at most max_len"
- if seq > self.max_len:
-     raise ValueError(f"{seq} words are more than max_len = {self.max_len}")
+ x = x[:, : self.max_len]
+ seq = x.shape[1]

# %% wrong: max_len itself refused -> hidden: "max_len"
- if seq > self.max_len:
+ if seq >= self.max_len:

# %% wrong: an assert for the width -> "got AssertionError"
- if d_model % n_heads:
-     raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
+ assert d_model % n_heads == 0, f"{d_model} {n_heads}"

# %% wrong: width not refused -> "Is it tested that n_heads divides"
- if d_model % n_heads:
-     raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")

# %% wrong: no return -> "Is there a `return`?"
- return self.out_proj(out.transpose(1, 2).flatten(2))
+ self.out_proj(out.transpose(1, 2).flatten(2))

# %% wrong: returns the weights too -> "got tuple"
- return self.out_proj(out.transpose(1, 2).flatten(2))
+ return self.out_proj(out.transpose(1, 2).flatten(2)), weights

# %% wrong: the head's width mistaken for the number of heads -> "n_heads and d_head changed places."
- self.n_heads = n_heads
+ self.n_heads = d_model // n_heads

# %% wrong: x changed in place -> "changed one of its arguments in place"
- allowed = self.mask[:seq, :seq]
+ allowed = self.mask[:seq, :seq]
+ x -= x.mean() * 0 + 1e-3

# %% wrong: the argument changed in place -> "Write `a = a & b` there"
- allowed = allowed & mask
+ mask &= allowed
+ allowed = mask

# %% wrong: detached -> "Is it cut off by detach"
- query = self.q_proj(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
+ query = self.q_proj(x).detach().unflatten(-1, (self.n_heads, -1)).transpose(1, 2)

# %% wrong: other names -> "d_model, n_heads, max_len, dropout"
- def __init__(self, d_model, n_heads, max_len, dropout=0.0):
+ def __init__(self, d_model, heads, max_len, dropout=0.0):
+     n_heads = heads
# %% right: the scale kept in a buffer
- self.n_heads = n_heads
+ self.n_heads = n_heads
+ self.register_buffer("scale", torch.sqrt(torch.tensor(d_model // n_heads)))

- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT / self.scale
# %% wrong: the root written as ** 1 / 2 -> "That is (** 1) / 2."
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT / key.shape[-1] ** 1 / 2
# %% wrong: and instead of & -> "Join two masks by `&`"
- allowed = allowed & mask
+ allowed = allowed and mask
# %% wrong: seq read from the last axis -> "Is seq x.shape[1]?"
- seq = x.shape[1]
+ seq = x.shape[-1]
# %% wrong: max_len compared with the size of the batch -> "Is one read from another axis"
- if seq > self.max_len:
+ if x.shape[0] > self.max_len:
# %% wrong: dropout on the queries, too -> "fall on queries or keys, too"
- query = self.q_proj(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
+ query = self.q_proj(self.dropout(x)).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
# %% wrong: words of zeros hidden as padding -> "A word of zeros is hidden. Only the masks say what is hidden."
- if mask is not None:
+ allowed = allowed & (x != 0).any(-1)[:, None, None]
+ if mask is not None:
# %% wrong: the argument hides queries, too -> "The argument hides queries. It should hide keys alone"
- allowed = allowed & mask
+ allowed = allowed & mask & mask.mT
# %% wrong: the buffer itself is cut -> "Is self.mask itself cut, or joined with the argument?"
- allowed = self.mask[:seq, :seq]
+ self.mask = self.mask[:seq, :seq]
+ allowed = self.mask
# %% right: dropped in place, where the softmax is behind a mask and has its own result still
- self.dropout = nn.Dropout(dropout)
+ self.dropout = nn.Dropout(dropout, inplace=True)
# %% wrong: weights dropped in place, which the softmax needs for its gradient -> "or an inplace=True"
- self.dropout = nn.Dropout(dropout)
+ self.dropout = nn.Dropout(dropout, inplace=True)

- weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1).masked_fill(~allowed, 0)
- out = self.dropout(weights) @ value
+ weights = self.dropout(scores.masked_fill(~allowed, -1e9).softmax(-1))
+ out = weights.masked_fill(~allowed, 0) @ value
# %% wrong: the buffer joined with the argument in place -> "Write `a = a & b` there"
- allowed = allowed & mask
+ allowed &= mask
# %% wrong: two masks joined by a product -> "Two masks are joined by `&`"
- allowed = allowed & mask
+ allowed = allowed * mask.float()
# %% wrong: a word that sees nothing sees itself -> "which its mask hides"
- allowed = allowed & mask
+ allowed = allowed & mask | torch.eye(seq, dtype=torch.bool)
# %% wrong: the output of a hidden word set to 0 -> "Is something added at the end, or done to the output?"
- return self.out_proj(out.transpose(1, 2).flatten(2))  # (batch, seq, d_model)
+ out = self.out_proj(out.transpose(1, 2).flatten(2))
+ return out if mask is None else out * mask.expand(len(x), 1, -1, seq)[:, 0, -1, :, None]
# %% wrong: no further back than four words -> "which its mask allows"
- allowed = self.mask[:seq, :seq]
+ allowed = self.mask[:seq, :seq].triu(-3)
# %% wrong: masked after the softmax and made to sum to 1 again -> "Does a softmax read their scores before they are hidden?"
- weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1).masked_fill(~allowed, 0)
+ weights = scores.softmax(-1) * allowed
+ weights = weights / weights.sum(-1, keepdim=True).clamp(min=1e-9)
# %% wrong: dropout before max_len among the arguments -> "d_model, n_heads, max_len and dropout, in this order"
- def __init__(self, d_model, n_heads, max_len, dropout=0.0):
+ def __init__(self, d_model, n_heads, dropout=0.0, max_len=512):

# %% wrong: the scores times a 0/1 mask, then every score of 0 hidden -> "Is a score of 0 taken for a hidden one?"
- weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1).masked_fill(~allowed, 0)
+ scores = scores * allowed
+ weights = scores.masked_fill(scores == 0, -torch.inf).softmax(-1).masked_fill(~allowed, 0)

# %% wrong: the same, and what is NaN painted over -> "Is a score of 0 taken for a hidden one?"
- weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1).masked_fill(~allowed, 0)
+ scores = scores * allowed
+ scores = torch.where(scores == 0, torch.full_like(scores, -1e9), scores)
+ weights = scores.softmax(-1) * allowed.any(-1, keepdim=True)

# %% wrong: filled with +∞ -> "Is the fill +∞"
- weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1).masked_fill(~allowed, 0)
+ weights = scores.masked_fill(~allowed, -float("-inf")).softmax(-1).masked_fill(~allowed, 0)

# %% wrong: filled with +∞, and the NaN painted over -> "Is the fill for hidden scores +∞?"
- weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1).masked_fill(~allowed, 0)
+ weights = scores.masked_fill(~allowed, torch.inf).softmax(-1).nan_to_num()

# %% wrong: filled with +1e9 -> "above the others"
- weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1).masked_fill(~allowed, 0)
+ weights = scores.masked_fill(~allowed, 1e9).softmax(-1)

# %% wrong: −∞ times 0 added -> "Is −∞ multiplied by 0?"
- weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1).masked_fill(~allowed, 0)
+ weights = (scores + -torch.inf * (~allowed).float()).softmax(-1).masked_fill(~allowed, 0)

# %% wrong: one config for everything -> "Are yours the same?"
- def __init__(self, d_model, n_heads, max_len, dropout=0.0):
+ def __init__(self, config, /):

# %% wrong: a further argument without a default -> "It is called with d_model, n_heads, max_len and dropout."
- def __init__(self, d_model, n_heads, max_len, dropout=0.0):
+ def __init__(self, d_model, n_heads, max_len, d_head, dropout=0.0):

# %% wrong: the argument written into the buffer -> "the buffer `mask` differs"
- allowed = allowed & mask
+ allowed = allowed & mask
+ self.mask[:seq, :seq] &= mask.reshape(-1, *mask.shape[-2:])[0]
# %% wrong: the first sentence's mask for all -> "All sentences got the first one's mask"
- allowed = allowed & mask
+ allowed = allowed & mask[:1]
# %% wrong: the first head's further mask for all heads -> "All heads got the first one's"
- allowed = allowed & mask
+ allowed = allowed & mask[..., :1, :, :]
# %% wrong: the buffer under another name -> "There is a buffer `causal`. Is that it, under another name?"
- self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())
+ self.register_buffer("causal", torch.ones(max_len, max_len, dtype=torch.bool).tril())

- allowed = self.mask[:seq, :seq]
+ allowed = self.causal[:seq, :seq]
# %% right: float32 on the way, as published models do it
- weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1).masked_fill(~allowed, 0)
+ weights = scores.float().masked_fill(~allowed, -torch.inf).softmax(-1).type_as(x)
+ weights = weights.masked_fill(~allowed, 0)

# %% wrong: the further mask transposed -> "The argument hides queries. It should hide keys alone"
- allowed = allowed & mask
+ allowed = allowed & mask.mT

# %% wrong: the sentences of the further mask in reverse order -> "reaches the wrong sentences"
- allowed = allowed & mask
+ allowed = allowed & mask.flip(0)

# %% wrong: heads of interleaved features in query and key alone -> "In query and key, the columns of a head stand apart"
- query = self.q_proj(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
- key = self.k_proj(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
+ query = self.q_proj(x).unflatten(-1, (-1, self.n_heads)).permute(0, 3, 1, 2)
+ key = self.k_proj(x).unflatten(-1, (-1, self.n_heads)).permute(0, 3, 1, 2)

# %% wrong: heads of interleaved features in the key alone -> "Head 0's keys are made of the columns [0, 3, 6, 9, 12]"
- key = self.k_proj(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
+ key = self.k_proj(x).unflatten(-1, (-1, self.n_heads)).permute(0, 3, 1, 2)

# %% wrong: heads of interleaved features in the value alone -> "the values' columns [0, 3, 6"
- value = self.v_proj(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
+ value = self.v_proj(x).unflatten(-1, (-1, self.n_heads)).permute(0, 3, 1, 2)

# %% wrong: scores cut off at ±1 -> "Are large scores cut off, or bent?"
- scores = query @ key.mT / key.shape[-1] ** 0.5  # (batch, n_heads, seq, seq)
+ scores = (query @ key.mT / key.shape[-1] ** 0.5).clamp(-1, 1)

# %% wrong: scores that sink with the distance -> "Is something added to the scores?"
- scores = query @ key.mT / key.shape[-1] ** 0.5  # (batch, n_heads, seq, seq)
+ i = torch.arange(seq)
+ scores = query @ key.mT / key.shape[-1] ** 0.5 - 0.5 * (i[:, None] - i).abs()
# %% wrong: whole words dropped from what is attended to -> "With dropout=0.25 in training"
- out = self.dropout(weights) @ value
+ out = weights @ (value * self.dropout(torch.ones_like(value[..., :1])))
