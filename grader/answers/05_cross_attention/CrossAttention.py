# %% right: PyTorch's own product, with its dropout
- self.drop = nn.Dropout(dropout)
+ self.dropout = dropout

- scores = query @ key.mT / self.d_head**0.5
- weights = scores.softmax(dim=-1)
- weights = self.drop(weights)
- out = weights @ value
+ rate = self.dropout if self.training else 0.0
+ out = F.scaled_dot_product_attention(query, key, value, dropout_p=rate)
# %% right: a loop over the heads
- cut = (len(x), -1, self.n_heads, self.d_head)
- query = self.q_proj(x).reshape(cut).transpose(1, 2)
- key = self.k_proj(context).reshape(cut).transpose(1, 2)
- value = self.v_proj(context).reshape(cut).transpose(1, 2)
- scores = query @ key.mT / self.d_head**0.5
- weights = scores.softmax(dim=-1)
- weights = self.drop(weights)
- out = weights @ value
- joined = out.transpose(1, 2).reshape(x.shape)
+ q, k, v = self.q_proj(x), self.k_proj(context), self.v_proj(context)
+ heads = []
+ for h in range(self.n_heads):
+     own = slice(h * self.d_head, (h + 1) * self.d_head)
+     weights = torch.softmax(q[..., own] @ k[..., own].mT * self.d_head**-0.5, dim=-1)
+     heads.append(self.drop(weights) @ v[..., own])
+ joined = torch.cat(heads, dim=-1)
# %% right: einsum, another order of construction, a buffer
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
        q = self.q_proj(x).unflatten(-1, (self.n_heads, -1)) * self.scale
        k = self.k_proj(context).unflatten(-1, (self.n_heads, -1))
        v = self.v_proj(context).unflatten(-1, (self.n_heads, -1))
        weights = self.drop(torch.einsum("bqhd,bkhd->bhqk", q, k).softmax(-1))
        return self.out_proj(torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2))
# %% right: batch and heads merged for bmm; the key bias goes unused
- key = self.k_proj(context).reshape(cut).transpose(1, 2)
+ key = F.linear(context, self.k_proj.weight).reshape(cut).transpose(1, 2)

- scores = query @ key.mT / self.d_head**0.5
- weights = scores.softmax(dim=-1)
- weights = self.drop(weights)
- out = weights @ value
- joined = out.transpose(1, 2).reshape(x.shape)
+ query, key, value = query.flatten(0, 1), key.flatten(0, 1), value.flatten(0, 1)
+ weights = self.drop(torch.bmm(query, key.mT).div(self.d_head**0.5).softmax(-1))
+ out = torch.bmm(weights, value).unflatten(0, (-1, self.n_heads))
+ joined = out.permute(0, 2, 1, 3).flatten(2)
# %% right: softmax and dropout by hand
- weights = scores.softmax(dim=-1)
- weights = self.drop(weights)
+ weights = (scores - scores.amax(-1, keepdim=True)).exp()
+ weights = weights / weights.sum(-1, keepdim=True)
+ p = self.drop.p if self.training else 0.0
+ weights = torch.where(torch.rand(weights.shape) < p, 0.0, weights / (1 - p))
# %% right: heads joined by cat, no transpose
- joined = out.transpose(1, 2).reshape(x.shape)
+ joined = torch.cat([out[:, h] for h in range(self.n_heads)], dim=-1)
# %% wrong: no scale -> "Is the division missing?"
- scores = query @ key.mT / self.d_head**0.5
+ scores = query @ key.mT
# %% wrong: root of d_model -> "That is √(d_model or d_context)."
- scores = query @ key.mT / self.d_head**0.5
+ scores = query @ key.mT / self.d_model**0.5
# %% wrong: root of the number of heads -> "That is √n_heads."
- scores = query @ key.mT / self.d_head**0.5
+ scores = query @ key.mT / self.n_heads**0.5
# %% wrong: root forgotten -> "You divided by d_head (or twice by its root)"
- scores = query @ key.mT / self.d_head**0.5
+ scores = query @ key.mT / self.d_head
# %% wrong: multiplied by the root -> "They were multiplied."
- scores = query @ key.mT / self.d_head**0.5
+ scores = query @ key.mT * self.d_head**0.5
# %% wrong: scaled twice -> "You divided by d_head (or twice by its root)"
- scores = query @ key.mT / self.d_head**0.5
- weights = scores.softmax(dim=-1)
- weights = self.drop(weights)
- out = weights @ value
+ out = F.scaled_dot_product_attention(query / self.d_head**0.5, key, value)
# %% wrong: softmax over the queries -> "The softmax runs over the queries, not over the keys."
- weights = scores.softmax(dim=-1)
+ weights = scores.softmax(dim=-2)
# %% wrong: softmax over the heads -> "The softmax runs over the heads, not over the keys."
- weights = scores.softmax(dim=-1)
+ weights = scores.softmax(dim=1)
# %% wrong: no softmax -> "There is no softmax."
- weights = scores.softmax(dim=-1)
+ weights = scores
# %% wrong: scale after the softmax -> "The division comes after the softmax."
- scores = query @ key.mT / self.d_head**0.5
- weights = scores.softmax(dim=-1)
+ weights = (query @ key.mT).softmax(dim=-1) / self.d_head**0.5
# %% wrong: split by reshape alone -> "The heads are split by a reshape alone."
- cut = (len(x), -1, self.n_heads, self.d_head)
- query = self.q_proj(x).reshape(cut).transpose(1, 2)
- key = self.k_proj(context).reshape(cut).transpose(1, 2)
- value = self.v_proj(context).reshape(cut).transpose(1, 2)
+ cut = (len(x), self.n_heads, -1, self.d_head)
+ query = self.q_proj(x).reshape(cut)
+ key = self.k_proj(context).reshape(cut)
+ value = self.v_proj(context).reshape(cut)
# %% wrong: joined without swapping back -> "The heads are joined by a reshape alone."
- joined = out.transpose(1, 2).reshape(x.shape)
+ joined = out.reshape(x.shape)
# %% wrong: heads interleaved -> "The columns of a head stand apart, and should be neighbours."
- cut = (len(x), -1, self.n_heads, self.d_head)
- query = self.q_proj(x).reshape(cut).transpose(1, 2)
- key = self.k_proj(context).reshape(cut).transpose(1, 2)
- value = self.v_proj(context).reshape(cut).transpose(1, 2)
+ cut = (len(x), -1, self.d_head, self.n_heads)
+ query = self.q_proj(x).reshape(cut).permute(0, 3, 1, 2)
+ key = self.k_proj(context).reshape(cut).permute(0, 3, 1, 2)
+ value = self.v_proj(context).reshape(cut).permute(0, 3, 1, 2)

- joined = out.transpose(1, 2).reshape(x.shape)
+ joined = out.permute(0, 2, 3, 1).reshape(x.shape)
# %% wrong: one head only -> "all heads share one set of weights"
- self.n_heads, self.d_head = n_heads, d_model // n_heads
+ self.n_heads, self.d_head = 1, d_model
# %% wrong: heads not joined -> "still to be joined"
- joined = out.transpose(1, 2).reshape(x.shape)
- return self.out_proj(joined)
+ return out
# %% wrong: keys from x -> "The keys come from x."
- key = self.k_proj(context).reshape(cut).transpose(1, 2)
+ key = self.k_proj(x).reshape(cut).transpose(1, 2)
# %% wrong: values from x -> "The values come from x."
- value = self.v_proj(context).reshape(cut).transpose(1, 2)
+ value = self.v_proj(x).reshape(cut).transpose(1, 2)
# %% wrong: context ignored -> "Keys and values come from x."
- cut = (len(x), -1, self.n_heads, self.d_head)
+ cut, context = (len(x), -1, self.n_heads, self.d_head), x
# %% wrong: queries from the context -> "The queries come from the context."
- query = self.q_proj(x).reshape(cut).transpose(1, 2)
+ query = self.q_proj(context).reshape(cut).transpose(1, 2)
# %% wrong: x and context exchanged -> "x and the context changed places."
- cut = (len(x), -1, self.n_heads, self.d_head)
+ x, context = context, x
+ cut = (len(x), -1, self.n_heads, self.d_head)
# %% wrong: q_proj and k_proj exchanged -> "Query and key changed places."
- query = self.q_proj(x).reshape(cut).transpose(1, 2)
- key = self.k_proj(context).reshape(cut).transpose(1, 2)
+ query = self.k_proj(x).reshape(cut).transpose(1, 2)
+ key = self.q_proj(context).reshape(cut).transpose(1, 2)
# %% wrong: values made by k_proj -> "The values are made by k_proj, not by v_proj."
- value = self.v_proj(context).reshape(cut).transpose(1, 2)
+ value = self.k_proj(context).reshape(cut).transpose(1, 2)
# %% wrong: keys made by q_proj too -> "The keys are made by q_proj, not by k_proj."
- key = self.k_proj(context).reshape(cut).transpose(1, 2)
+ key = self.q_proj(context).reshape(cut).transpose(1, 2)
# %% wrong: out_proj forgotten -> "out_proj is missing."
- return self.out_proj(joined)
+ return joined
# %% wrong: residual added inside -> "x is added."
- return self.out_proj(joined)
+ return x + self.out_proj(joined)
# %% wrong: no biases -> "q_proj.bias: expected (18,), got none"
- self.q_proj = nn.Linear(d_model, d_model)
+ self.q_proj = nn.Linear(d_model, d_model, bias=False)
# %% wrong: query bias unused -> "The bias of q_proj is added 0 times"
- query = self.q_proj(x).reshape(cut).transpose(1, 2)
+ query = F.linear(x, self.q_proj.weight).reshape(cut).transpose(1, 2)
# %% wrong: out bias unused -> "Yours is 0 times that"
- return self.out_proj(joined)
+ return F.linear(joined, self.out_proj.weight)
# %% wrong: keys read d_model -> "k_proj.weight: expected (18, 11), got (18, 18)"
- self.k_proj = nn.Linear(d_context, d_model)
+ self.k_proj = nn.Linear(d_model, d_model)
# %% wrong: queries read d_context -> "q_proj.weight: expected (18, 18), got (18, 11)"
- self.q_proj = nn.Linear(d_model, d_model)
+ self.q_proj = nn.Linear(d_context, d_model)
# %% wrong: keys lead to d_context -> "k_proj.weight: expected (18, 11), got (11, 11)"
- self.k_proj = nn.Linear(d_context, d_model)
+ self.k_proj = nn.Linear(d_context, d_context)
# %% wrong: a layer norm too many -> "expected none, got (18,)"
- self.drop = nn.Dropout(dropout)
+ self.drop, self.norm = nn.Dropout(dropout), nn.LayerNorm(d_model)
# %% wrong: other names -> "Are names and sizes as in the table"
- self.out_proj = nn.Linear(d_model, d_model)
+ self.o_proj = nn.Linear(d_model, d_model)

- return self.out_proj(joined)
+ return self.o_proj(joined)
# %% wrong: super().__init__ forgotten -> "n_heads=3) stopped"
- super().__init__()
# %% wrong: constructor arguments renamed -> "Are the arguments called d_model"
- def __init__(self, d_model, d_context, n_heads, dropout=0.0):
+ def __init__(self, d_model, width, n_heads, dropout=0.0):

- self.d_model, self.d_context = d_model, d_context
+ self.d_model, self.d_context = d_model, width

- self.k_proj = nn.Linear(d_context, d_model)
- self.v_proj = nn.Linear(d_context, d_model)
+ self.k_proj = nn.Linear(width, d_model)
+ self.v_proj = nn.Linear(width, d_model)
# %% wrong: the context called memory -> "still called x, context"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} {n_heads}")
        self.n_heads = n_heads
        self.q_proj, self.out_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.k_proj, self.v_proj = nn.Linear(d_context, d_model), nn.Linear(d_context, d_model)

    def forward(self, x, memory=None):
        memory = x if memory is None else memory
        q, k, v = self.q_proj(x), self.k_proj(memory), self.v_proj(memory)
        q, k, v = (t.unflatten(2, (self.n_heads, -1)).transpose(1, 2) for t in (q, k, v))
        out = F.scaled_dot_product_attention(q, k, v)
        return self.out_proj(out.transpose(1, 2).flatten(2))
# %% wrong: weights returned too -> "alone, as a tensor"
- return self.out_proj(joined)
+ return self.out_proj(joined), weights
# %% wrong: no return -> "Is there a `return`"
- return self.out_proj(joined)
+ joined = self.out_proj(joined)
# %% wrong: context or x -> "Boolean value of Tensor"
- context = x if context is None else context
+ context = context or x
# %% wrong: equal widths demanded -> "Must widths or lengths agree"
- context = x if context is None else context
+ assert x.shape[-1] == self.d_context
+ context = x if context is None else context
# %% wrong: no context is not provided for -> "Is it x then"
- context = x if context is None else context
+ cut = 0
# %% wrong: no context, unequal widths: PyTorch complains -> "given line in forward still there"
- if context is None and self.d_context != self.d_model:
-     raise ValueError(f"no context: d_model {self.d_model}, d_context {self.d_context}")
# %% wrong: no context is always refused -> "Is it x then"
- if context is None and self.d_context != self.d_model:
+ if context is None:
# %% wrong: widths not named -> "should also name 18 and 11"
- raise ValueError(f"no context: d_model {self.d_model}, d_context {self.d_context}")
+ raise ValueError("no context, and the widths differ")
# %% wrong: no context means a context of zeros -> "not that of x attending to itself"
- context = x if context is None else context
+ context = torch.zeros_like(x) if context is None else context
# %% wrong: divisibility not tested -> "given line in __init__ still there"
- if d_model % n_heads:
-     raise ValueError(f"d_model {d_model} cannot be divided by n_heads {n_heads}")
# %% wrong: divisibility by assert -> "got AssertionError"
- if d_model % n_heads:
-     raise ValueError(f"d_model {d_model} cannot be divided by n_heads {n_heads}")
+ assert d_model % n_heads == 0, f"{d_model} {n_heads}"
# %% wrong: numbers not named -> "should also name 10 and 4"
- raise ValueError(f"d_model {d_model} cannot be divided by n_heads {n_heads}")
+ raise ValueError("not divisible")
# %% wrong: d_context must be divisible, too -> "Is d_model alone tested"
- if d_model % n_heads:
+ if d_model % n_heads or d_context % n_heads:
# %% wrong: unequal widths refused in __init__ -> "Widths may differ"
- if d_model % n_heads:
+ if d_model % n_heads or d_model != d_context:
# %% wrong: dropout on the output -> "not on values"
- weights = self.drop(weights)
- out = weights @ value
+ out = self.drop(weights @ value)
# %% wrong: dropout on the scores -> "Is dropout on the scores"
- weights = scores.softmax(dim=-1)
- weights = self.drop(weights)
+ weights = self.drop(scores).softmax(dim=-1)
# %% wrong: dropout on the joined heads -> "not on values"
- weights = self.drop(weights)
- out = weights @ value
- joined = out.transpose(1, 2).reshape(x.shape)
+ out = weights @ value
+ joined = self.drop(out.transpose(1, 2).reshape(x.shape))
# %% wrong: dropout in eval too -> "After .eval()"
- weights = self.drop(weights)
+ weights = F.dropout(weights, self.drop.p, True)
# %% wrong: dropout off in training, on in eval -> "After .eval()"
- weights = self.drop(weights)
+ weights = F.dropout(weights, self.drop.p, not self.training)
# %% wrong: dropout forgotten -> "Dropout is missing: training changes nothing."
- weights = self.drop(weights)
# %% wrong: dropped, not rescaled -> "What is kept is not scaled up by 1 / (1 − 0.75)."
- weights = self.drop(weights)
+ weights = self.drop(weights) * (1 - self.drop.p if self.training else 1)
# %% wrong: weights made to sum to 1 again after dropout -> "sum to 1 again"
- weights = self.drop(weights)
+ weights = self.drop(weights)
+ weights = weights / weights.sum(-1, keepdim=True).clamp(min=1e-9)
# %% wrong: dropout always one half -> "The rate is 0.50."
- self.drop = nn.Dropout(dropout)
+ self.drop = nn.Dropout() if dropout else nn.Identity()
# %% wrong: dropout keeps what it should drop -> "Is 0.75 taken for the share that is kept?"
- self.drop = nn.Dropout(dropout)
+ self.drop = nn.Dropout(1 - dropout) if dropout else nn.Identity()
# %% wrong: whole heads dropped -> "Whole rows are dropped, not single weights."
- weights = self.drop(weights)
+ weights = weights * self.drop(torch.ones(len(x), self.n_heads, 1, 1))
# %% wrong: one toss for all heads -> "All heads lose the same weights."
- weights = self.drop(weights)
+ weights = weights * self.drop(torch.ones_like(weights[:, :1]))
# %% wrong: one toss for all sentences -> "All sentences lose the same weights."
- weights = self.drop(weights)
+ weights = weights * self.drop(torch.ones_like(weights[:1]))
# %% wrong: NaN -> "NaN or inf in the output"
- return self.out_proj(joined)
+ return self.out_proj(joined) * float("nan")
# %% wrong: the input comes back -> "The output is x itself."
- return self.out_proj(joined)
+ return x
# %% wrong: output detached from the context -> "No gradient reaches context"
- cut = (len(x), -1, self.n_heads, self.d_head)
+ cut, context = (len(x), -1, self.n_heads, self.d_head), context.detach()
# %% wrong: keys computed without gradient -> "No gradient reaches k_proj.weight"
- key = self.k_proj(context).reshape(cut).transpose(1, 2)
+ key = F.linear(context, self.k_proj.weight.detach(), self.k_proj.bias)
+ key = key.reshape(cut).transpose(1, 2)
# %% wrong: d_head from the width of the context -> "In yours, columns [0, 1, 2] do"
- self.n_heads, self.d_head = n_heads, d_model // n_heads
+ self.n_heads, self.d_head = n_heads, d_context // n_heads
# %% wrong: scale from the width of the context -> "expected 2.449"
- scores = query @ key.mT / self.d_head**0.5
+ scores = query @ key.mT / (self.d_context / self.n_heads) ** 0.5
# %% wrong: key not transposed -> "Are the keys transposed"
- scores = query @ key.mT / self.d_head**0.5
+ scores = query @ key / self.d_head**0.5
# %% wrong: d_head from a true division -> "from /, and not 5, from //"
- self.n_heads, self.d_head = n_heads, d_model // n_heads
+ self.n_heads, self.d_head = n_heads, d_model / n_heads
# %% wrong: view right after transpose -> "not `view`"
- joined = out.transpose(1, 2).reshape(x.shape)
+ joined = out.transpose(1, 2).view(x.shape)
# %% wrong: length of the context taken from x -> "Is each reshaped with its own length"
- cut = (len(x), -1, self.n_heads, self.d_head)
+ cut = (*x.shape[:2], self.n_heads, self.d_head)
# %% wrong: the last context is remembered -> "not that of x attending to itself"
- context = x if context is None else context
+ context = getattr(self, "last", x) if context is None else context

- cut = (len(x), -1, self.n_heads, self.d_head)
+ self.last, cut = context, (len(x), -1, self.n_heads, self.d_head)
# %% wrong: context changed in place -> "in place"
- cut = (len(x), -1, self.n_heads, self.d_head)
+ context -= 0.5
+ cut = (len(x), -1, self.n_heads, self.d_head)
# %% right: the context in reverse, since it is a bag
- cut = (len(x), -1, self.n_heads, self.d_head)
+ cut, context = (len(x), -1, self.n_heads, self.d_head), context.flip(1)
# %% wrong: later keys hidden -> "Later words are hidden."
- weights = scores.softmax(dim=-1)
+ later = torch.ones_like(scores).triu(1).bool()
+ weights = scores.masked_fill(later, float("-inf")).softmax(dim=-1)
# %% wrong: relu at the end -> "done to the output"
- return self.out_proj(joined)
+ return self.out_proj(joined).relu()
# %% wrong: the first context for all -> "Every sentence reads the context of the first."
- cut = (len(x), -1, self.n_heads, self.d_head)
+ cut, context = (len(x), -1, self.n_heads, self.d_head), context[:1].expand(len(x), -1, -1)
# %% wrong: heads averaged -> "The heads are averaged."
- joined = out.transpose(1, 2).reshape(x.shape)
+ joined = out.mean(1, keepdim=True).expand_as(out).transpose(1, 2).reshape(x.shape)
# %% wrong: queries not projected -> "With q_proj at 0"
- query = self.q_proj(x).reshape(cut).transpose(1, 2)
+ query = x.reshape(cut).transpose(1, 2)
# %% wrong: softmax over the sentences -> "runs over the sentences"
- weights = scores.softmax(dim=-1)
+ weights = scores.softmax(dim=0)
# %% wrong: another kind of error -> "got TypeError"
- raise ValueError(f"no context: d_model {self.d_model}, d_context {self.d_context}")
+ raise TypeError(f"no context: d_model {self.d_model}, d_context {self.d_context}")
# %% wrong: dropout twice -> "Does it fall twice on the weights?"
- weights = self.drop(weights)
+ weights = self.drop(self.drop(weights))
# %% wrong: the context is required -> "Is it x then"
- def forward(self, x, context=None):
+ def forward(self, x, context):
# %% wrong: two mistakes, queries from the context and no scale -> "Is the division missing?"
- query = self.q_proj(x).reshape(cut).transpose(1, 2)
+ query = self.q_proj(context).reshape(cut).transpose(1, 2)

- scores = query @ key.mT / self.d_head**0.5
+ scores = query @ key.mT
# %% wrong: dropout 0.1 by default -> "Is its default 0.0?"
- def __init__(self, d_model, d_context, n_heads, dropout=0.0):
+ def __init__(self, d_model, d_context, n_heads, dropout=0.1):
# %% wrong: the keys of the first context are kept -> "Is something kept in self from call to call?"
- key = self.k_proj(context).reshape(cut).transpose(1, 2)
+ if not hasattr(self, "kept"):
+     self.kept = self.k_proj(context).reshape(cut).transpose(1, 2)
+ key = self.kept
# %% wrong: the attention of the heads attends once more -> "enter the attention again"
- joined = out.transpose(1, 2).reshape(x.shape)
+ out = (out @ key.mT / self.d_head**0.5).softmax(dim=-1) @ value
+ joined = out.transpose(1, 2).reshape(x.shape)
# %% wrong: bias of out_proj twice -> "Yours is 2 times that"
- return self.out_proj(joined)
+ return self.out_proj(joined) + self.out_proj.bias
# %% wrong: bias of q_proj twice -> "The bias of q_proj is added 2 times"
- query = self.q_proj(x).reshape(cut).transpose(1, 2)
+ query = (self.q_proj(x) + self.q_proj.bias).reshape(cut).transpose(1, 2)
# %% wrong: bias of v_proj twice -> "It is added 2 times"
- value = self.v_proj(context).reshape(cut).transpose(1, 2)
+ value = (self.v_proj(context) + self.v_proj.bias).reshape(cut).transpose(1, 2)
# %% wrong: heads of the values reversed -> "values stand in head 0's columns"
- value = self.v_proj(context).reshape(cut).transpose(1, 2)
+ value = self.v_proj(context).reshape(cut).transpose(1, 2).flip(1)
# %% wrong: heads of the keys reversed -> "queries of head 0 meet keys of head 2"
- key = self.k_proj(context).reshape(cut).transpose(1, 2)
+ key = self.k_proj(context).reshape(cut).transpose(1, 2).flip(1)
# %% wrong: always as many heads as columns -> "In yours, columns [0] do"
- self.n_heads, self.d_head = n_heads, d_model // n_heads
+ self.n_heads, self.d_head = d_model, 1
# %% wrong: the softmax taken twice -> "The softmax is taken twice"
- weights = scores.softmax(dim=-1)
+ weights = scores.softmax(dim=-1).softmax(dim=-1)
# %% wrong: the context averaged over the batch -> "Sentence 0 depends on the others"
- key = self.k_proj(context).reshape(cut).transpose(1, 2)
+ context = context.mean(0, keepdim=True).expand_as(context)
+ key = self.k_proj(context).reshape(cut).transpose(1, 2)
# %% wrong: queries and keys made of length 1 -> "Half the keys should give half the scores"
- scores = query @ key.mT / self.d_head**0.5
+ scores = F.normalize(query, dim=-1) @ F.normalize(key, dim=-1).mT
# %% wrong: weight of q_proj transposed -> "The queries are not those of q_proj"
- query = self.q_proj(x).reshape(cut).transpose(1, 2)
+ query = (x @ self.q_proj.weight + self.q_proj.bias).reshape(cut).transpose(1, 2)
# %% wrong: weight of out_proj transposed -> "out_proj's weight used once"
- return self.out_proj(joined)
+ return joined @ self.out_proj.weight + self.out_proj.bias
# %% wrong: only as many words of the context as x has -> "Is something masked or dropped"
- key = self.k_proj(context).reshape(cut).transpose(1, 2)
+ context = context[:, : x.shape[1]]
+ key = self.k_proj(context).reshape(cut).transpose(1, 2)
# %% wrong: the root written as ** 1 / 2 -> "That is (** 1) / 2."
- scores = query @ key.mT / self.d_head**0.5
+ scores = query @ key.mT / self.d_head ** 1 / 2
# %% wrong: dropout on the queries, too -> "fall on queries or keys, too"
- query = self.q_proj(x).reshape(cut).transpose(1, 2)
+ query = self.q_proj(self.drop(x)).reshape(cut).transpose(1, 2)
# %% right: heads in a loop over chunks, the scale a buffer
- self.n_heads, self.d_head = n_heads, d_model // n_heads
+ self.n_heads, self.d_head = n_heads, d_model // n_heads
+ self.register_buffer("scale", torch.tensor(self.d_head**-0.5))

- cut = (len(x), -1, self.n_heads, self.d_head)
- query = self.q_proj(x).reshape(cut).transpose(1, 2)
- key = self.k_proj(context).reshape(cut).transpose(1, 2)
- value = self.v_proj(context).reshape(cut).transpose(1, 2)
- scores = query @ key.mT / self.d_head**0.5
- weights = scores.softmax(dim=-1)
- weights = self.drop(weights)
- out = weights @ value
- joined = out.transpose(1, 2).reshape(x.shape)
+ parts = (self.q_proj(x), self.k_proj(context), self.v_proj(context))
+ heads = zip(*(part.chunk(self.n_heads, dim=-1) for part in parts))
+ out = [self.drop((q @ k.mT * self.scale).softmax(-1)) @ v for q, k, v in heads]
+ joined = torch.cat(out, dim=-1)
# %% wrong: a context of zeros taken for none -> "a context of zeros"
- context = x if context is None else context
+ context = x if context is None or not context.any() else context
# %% wrong: words of zeros hidden as padding -> "a word of zeros"
- scores = query @ key.mT / self.d_head**0.5
+ scores = query @ key.mT / self.d_head**0.5
+ scores = scores.masked_fill((context == 0).all(-1)[:, None, None], -1e9)
# %% wrong: weights dropped in place, which the softmax needs for its gradient -> "or an inplace=True"
- self.drop = nn.Dropout(dropout)
+ self.drop = nn.Dropout(dropout, inplace=True)
# %% wrong: a layer that is not called -> "A layer is no tensor. Is it called on one"
- key = self.k_proj(context).reshape(cut).transpose(1, 2)  # (batch, n_heads, k, d_head)
+ key = (context @ self.k_proj).reshape(cut).transpose(1, 2)
# %% wrong: x detached where it is its own context -> "Is x detached there, or copied by .data?"
- context = x if context is None else context
+ context = x.detach() if context is None else context
# %% wrong: n_heads before d_context among the arguments -> "d_model, d_context, n_heads and dropout, in this order"
- def __init__(self, d_model, d_context, n_heads, dropout=0.0):
+ def __init__(self, d_model, n_heads, d_context, dropout=0.0):
# %% wrong: a score of exactly 0 taken for hidden -> "Is a score of 0 taken for hidden?"
- weights = scores.softmax(dim=-1)
+ weights = scores.masked_fill(scores == 0, float("-inf")).softmax(dim=-1)
# %% wrong: the heads of each query averaged by a mean over the keys -> "The output differs"
- weights = scores.softmax(dim=-1)
+ weights = torch.full_like(scores, 1 / scores.shape[-1])
# %% wrong: a softmax of base 2 -> "The scores are powers of 2"
- weights = scores.softmax(dim=-1)
+ weights = 2**scores / (2**scores).sum(-1, keepdim=True)
# %% wrong: out_proj before the heads are joined -> "stopped with"
- joined = out.transpose(1, 2).reshape(x.shape)
- return self.out_proj(joined)
+ return self.out_proj(out).transpose(1, 2).reshape(x.shape)
# %% wrong: the context joined to the words of x -> "Are these among the keys"
- context = x if context is None else context
+ context = x if context is None else context
+ context = torch.cat([x, context], dim=1) if x.shape[-1] == context.shape[-1] else context
# %% wrong: x is the context wherever the widths agree -> "Keys and values come from x."
- context = x if context is None else context
+ context = x if self.d_context == self.d_model else context
# %% wrong: the keys alone are detached -> "No gradient reaches k_proj.weight"
- key = self.k_proj(context).reshape(cut).transpose(1, 2)  # (batch, n_heads, k, d_head)
+ key = self.k_proj(context).reshape(cut).transpose(1, 2).detach()
# %% wrong: the dropout of PyTorch's function in evaluation, too -> "After .eval()"
- scores = query @ key.mT / self.d_head**0.5  # (batch, n_heads, q, k)
- weights = scores.softmax(dim=-1)
- weights = self.drop(weights)
- out = weights @ value  # (batch, n_heads, q, d_head)
+ out = F.scaled_dot_product_attention(query, key, value, dropout_p=self.drop.p)
# %% right: PyTorch's own product, told whether it trains
- scores = query @ key.mT / self.d_head**0.5  # (batch, n_heads, q, k)
- weights = scores.softmax(dim=-1)
- weights = self.drop(weights)
- out = weights @ value  # (batch, n_heads, q, d_head)
+ rate = self.drop.p if self.training else 0.0
+ out = F.scaled_dot_product_attention(query, key, value, dropout_p=rate)
# %% right: unflatten and movedim, the projections in a dictionary of modules
- cut = (len(x), -1, self.n_heads, self.d_head)
- query = self.q_proj(x).reshape(cut).transpose(1, 2)  # (batch, n_heads, q, d_head)
- key = self.k_proj(context).reshape(cut).transpose(1, 2)  # (batch, n_heads, k, d_head)
- value = self.v_proj(context).reshape(cut).transpose(1, 2)
+ parts = self.q_proj(x), self.k_proj(context), self.v_proj(context)
+ query, key, value = (t.unflatten(-1, (self.n_heads, -1)).movedim(2, 1) for t in parts)

# %% wrong: query and key in each other's place -> "Query and key changed places"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} cannot be divided by n_heads {n_heads}")
        self.d_model, self.d_context = d_model, d_context
        self.h, self.p = n_heads, dropout
        self.q_proj, self.out_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.k_proj, self.v_proj = nn.Linear(d_context, d_model), nn.Linear(d_context, d_model)

    def forward(self, x, context=None):
        if context is None and self.d_context != self.d_model:
            raise ValueError(f"no context: d_model {self.d_model}, d_context {self.d_context}")
        c = x if context is None else context
        q, k, v = (y.unflatten(-1, (self.h, -1)).transpose(1, 2) for y in (self.q_proj(x), self.k_proj(c), self.v_proj(c)))
        y = F.scaled_dot_product_attention(k, q, v, dropout_p=self.p if self.training else 0.)
        return self.out_proj(y.transpose(1, 2).flatten(2))

# %% wrong: the axes of heads and words not swapped -> "Heads attend to heads"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} cannot be divided by n_heads {n_heads}")
        self.d_model, self.d_context = d_model, d_context
        self.n_heads = n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, context=None):
        if context is None and self.d_context != self.d_model:
            raise ValueError(f"no context: d_model {self.d_model}, d_context {self.d_context}")
        if context is None:
            context = x
        q = self.split(self.q_proj(x))
        k = self.split(self.k_proj(context))
        v = self.split(self.v_proj(context))
        weights = torch.softmax(q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5, dim=-1)
        out = self.dropout(weights) @ v
        out = out.reshape(x.shape)
        return self.out_proj(out)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, -1)
# %% wrong: queries from the context and keys from x -> "The queries come from the context, and the keys from x"
- query = self.q_proj(x).reshape(cut).transpose(1, 2)
- key = self.k_proj(context).reshape(cut).transpose(1, 2)
+ query = self.q_proj(context).reshape(cut).transpose(1, 2)
+ key = self.k_proj(x).reshape(cut).transpose(1, 2)
# %% wrong: a layer made anew in each call -> "is a layer made in forward?"
- return self.out_proj(joined)
+ return nn.Linear(self.d_model, self.d_model)(joined)
# %% wrong: the layers in a plain list -> "There is no parameter at all"
- self.q_proj = nn.Linear(d_model, d_model)
- self.k_proj = nn.Linear(d_context, d_model)
- self.v_proj = nn.Linear(d_context, d_model)
- self.out_proj = nn.Linear(d_model, d_model)
+ wide = (d_model, d_context, d_context, d_model)
+ self.layers = [nn.Linear(width, d_model) for width in wide]

- query = self.q_proj(x).reshape(cut).transpose(1, 2)
- key = self.k_proj(context).reshape(cut).transpose(1, 2)
- value = self.v_proj(context).reshape(cut).transpose(1, 2)
+ query = self.layers[0](x).reshape(cut).transpose(1, 2)
+ key = self.layers[1](context).reshape(cut).transpose(1, 2)
+ value = self.layers[2](context).reshape(cut).transpose(1, 2)

- return self.out_proj(joined)
+ return self.layers[3](joined)
# %% wrong: keys are kept for contexts of one shape -> "Is something kept in self from call to call?"
- key = self.k_proj(context).reshape(cut).transpose(1, 2)  # (batch, n_heads, k, d_head)
+ if context.shape not in self.__dict__:
+     self.__dict__[context.shape] = self.k_proj(context).reshape(cut).transpose(1, 2)
+ key = self.__dict__[context.shape]
# %% wrong: the batch axis is squeezed away -> "A batch of one keeps its axis."
- return self.out_proj(joined)
+ return self.out_proj(joined).squeeze(0)
# %% right: the softmax in float32
- weights = scores.softmax(dim=-1)
+ weights = scores.softmax(dim=-1, dtype=torch.float32).type_as(scores)
# %% wrong: one minus dropout -> "neither 1 − dropout nor"
- self.drop = nn.Dropout(dropout)
+ self.drop = nn.Dropout(1 - dropout)
# %% wrong: heads joined with the words -> "Heads and words became one axis."
- joined = out.transpose(1, 2).reshape(x.shape)
+ joined = out.flatten(1, 2)
# %% wrong: heads of a fixed width -> "Is a size fixed"
- self.n_heads, self.d_head = n_heads, d_model // n_heads
+ self.n_heads, self.d_head = n_heads, 4
# %% wrong: q_proj and v_proj read each other's place -> "Query and value changed places"
- query = self.q_proj(x).reshape(cut).transpose(1, 2)  # (batch, n_heads, q, d_head)
+ query = self.v_proj(x).reshape(cut).transpose(1, 2)

- value = self.v_proj(context).reshape(cut).transpose(1, 2)
+ value = self.q_proj(context).reshape(cut).transpose(1, 2)
# %% wrong: key and value split by a reshape alone -> "Key and value are split by a reshape alone"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} cannot be divided by n_heads {n_heads}")
        self.d_model, self.d_context = d_model, d_context
        self.n_heads, self.d_head = n_heads, d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, context=None):
        if context is None and self.d_context != self.d_model:
            raise ValueError(f"no context: d_model {self.d_model}, d_context {self.d_context}")
        context = x if context is None else context
        q = self.q_proj(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
        k = self.k_proj(context).reshape(len(x), self.n_heads, -1, self.d_head)
        v = self.v_proj(context).reshape(len(x), self.n_heads, -1, self.d_head)
        w = self.drop((q @ k.mT / self.d_head**0.5).softmax(-1))
        return self.out_proj((w @ v).transpose(1, 2).flatten(2))
# %% wrong: two heads, fixed -> "Is a number of heads fixed"
class CrossAttention(nn.Module):
    def __init__(self, d_model, d_context, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} cannot be divided by n_heads {n_heads}")
        self.d_model, self.d_context = d_model, d_context
        self.n_heads, self.d_head = n_heads, d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_context, d_model)
        self.v_proj = nn.Linear(d_context, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, context=None):
        if context is None and self.d_context != self.d_model:
            raise ValueError(f"no context: d_model {self.d_model}, d_context {self.d_context}")
        context = x if context is None else context
        q = self.q_proj(x).unflatten(-1, (2, -1)).transpose(1, 2)
        k = self.k_proj(context).unflatten(-1, (2, -1)).transpose(1, 2)
        v = self.v_proj(context).unflatten(-1, (2, -1)).transpose(1, 2)
        w = self.drop((q @ k.mT / self.d_head**0.5).softmax(-1))
        return self.out_proj((w @ v).transpose(1, 2).flatten(2))
# %% wrong: a norm before the context -> "is there a norm?"
- context = x if context is None else context
+ context = F.layer_norm(x if context is None else context, (self.d_context,))

# %% wrong: only the queries are interleaved -> "Head 0's queries are made of the columns [0, 3, 6, 9, 12]"
- query = self.q_proj(x).reshape(cut).transpose(1, 2)  # (batch, n_heads, q, d_head)
+ query = self.q_proj(x).reshape(len(x), -1, self.d_head, self.n_heads).permute(0, 3, 1, 2)
# %% wrong: the words of x read, too -> "depends on the other words of x"
- context = x if context is None else context
+ context = x if context is None else context
+ if context is not x and x.shape[-1] == context.shape[-1]:
+     context = torch.cat([x, context], dim=1)
