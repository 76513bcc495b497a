# %% right: PyTorch's attention, its masks turned round
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout, batch_first=True)
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(d_model) for _ in range(3))
        self.drop = nn.Dropout(dropout)

    def hidden(self, mask, x, source):
        if mask is None:
            return None
        return ~mask.expand(x.shape[0], self.n_heads, x.shape[1], source.shape[1]).flatten(0, 1)

    def forward(self, x, context, mask=None, context_mask=None):
        def seen(x):
            return self.hidden(context_mask, x, context)

        steps = (
            lambda x: self.self_attn(x, x, x, attn_mask=self.hidden(mask, x, x))[0],
            lambda x: self.multihead_attn(x, context, context, attn_mask=seen(x))[0],
            lambda x: self.linear2(self.drop(self.linear1(x).relu())),
        )
        for norm, step in zip((self.norm1, self.norm2, self.norm3), steps):
            x = x + self.drop(step(norm(x))) if self.norm_first else norm(x + self.drop(step(x)))
        return x

# %% right: line by line, the feed-forward in a module of its own, one attention of each kind
class Network(nn.Module):
    def __init__(self, d_model, d_ff, dropout):
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.linear2(self.dropout(F.relu(self.linear1(x))))


class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.heads, self.norm_first = n_heads, norm_first
        self.self_attn = Attention(d_model, n_heads, dropout)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout, batch_first=True)
        self.feed_forward = Network(d_model, d_ff, dropout)
        self.norm3, self.norm2, self.norm1 = (nn.LayerNorm(d_model) for _ in range(3))
        self.drops = nn.ModuleList(nn.Dropout(dropout) for _ in range(3))

    def read(self, x, context, mask):
        if mask is not None:
            mask = torch.zeros(mask.shape).masked_fill(~mask, -torch.inf)
            mask = mask.expand(len(x), self.heads, x.shape[1], context.shape[1]).flatten(0, 1)
        return self.multihead_attn(x, context, context, attn_mask=mask)[0]

    def forward(self, x, context, mask=None, context_mask=None):
        one, two, three = self.drops
        if self.norm_first:
            x = x + one(self.self_attn(self.norm1(x), mask=mask))
            x = x + two(self.read(self.norm2(x), context, context_mask))
            return x + three(self.feed_forward(self.norm3(x)))
        x = self.norm1(x + one(self.self_attn(x, mask=mask)))
        x = self.norm2(x + two(self.read(x, context, context_mask)))
        return self.norm3(x + three(self.feed_forward(x)))

# %% right: the stream's own words as context of the first attention
- return self.self_attn(x, mask=mask)
+ return self.self_attn(x, x, mask)

# %% wrong: pre-norm always -> "That is pre-norm"
- self.norm_first = norm_first
+ self.norm_first = True

# %% wrong: post-norm always -> "That is post-norm"
- self.norm_first = norm_first
+ self.norm_first = False

# %% wrong: norm_first turned round -> "That is post-norm"
- if self.norm_first:
+ if not self.norm_first:

# %% wrong: feed-forward before cross-attention -> "Cross-attention and feed-forward have changed places, each with its norm."
- for norm, branch in ((self.norm1, look), (self.norm2, read), (self.norm3, compute)):
+ for norm, branch in ((self.norm1, look), (self.norm3, compute), (self.norm2, read)):

# %% wrong: cross-attention before self-attention -> "Self-attention and cross-attention have changed places, each with its norm."
- for norm, branch in ((self.norm1, look), (self.norm2, read), (self.norm3, compute)):
+ for norm, branch in ((self.norm2, read), (self.norm1, look), (self.norm3, compute)):

# %% wrong: branches in another order, norms as they were -> "have changed places, and the norms keep their order"
- for norm, branch in ((self.norm1, look), (self.norm2, read), (self.norm3, compute)):
+ for norm, branch in ((self.norm1, read), (self.norm2, look), (self.norm3, compute)):

# %% wrong: cross-attention skipped -> "The sum of cross-attention is missing"
- for norm, branch in ((self.norm1, look), (self.norm2, read), (self.norm3, compute)):
+ for norm, branch in ((self.norm1, look), (self.norm3, compute)):

# %% wrong: norm2 and norm3 change places -> "norm2 and norm3 have changed places"
- for norm, branch in ((self.norm1, look), (self.norm2, read), (self.norm3, compute)):
+ for norm, branch in ((self.norm1, look), (self.norm3, read), (self.norm2, compute)):

# %% wrong: norm2 for feed-forward too -> "norm2 is used where norm3 belongs"
- for norm, branch in ((self.norm1, look), (self.norm2, read), (self.norm3, compute)):
+ for norm, branch in ((self.norm1, look), (self.norm2, read), (self.norm2, compute)):

# %% wrong: norm1 for all -> "norm1 is used in every sub-layer."
- for norm, branch in ((self.norm1, look), (self.norm2, read), (self.norm3, compute)):
+ for norm, branch in ((self.norm1, look), (self.norm1, read), (self.norm1, compute)):

# %% wrong: no residuals -> "The residual of every sub-layer is missing."
- x = x + self.drop(branch(norm(x)))
+ x = self.drop(branch(norm(x)))

- x = norm(x + self.drop(branch(x)))
+ x = norm(self.drop(branch(x)))

# %% wrong: no residual around cross-attention -> "The residual of cross-attention is missing."
- x = x + self.drop(branch(norm(x)))
+ x = (0 if branch is read else x) + self.drop(branch(norm(x)))

# %% wrong: residual taken from the norm -> "The norm is only for what every sub-layer reads"
- x = x + self.drop(branch(norm(x)))
+ x = norm(x)
+ x = x + self.drop(branch(x))

# %% wrong: norms inside the residuals -> "Only what every sub-layer returns is normed."
- x = norm(x + self.drop(branch(x)))
+ x = x + norm(self.drop(branch(x)))

# %% wrong: a last norm in pre-norm -> "Pre-norm, and yet feed-forward has a norm before and after."
- return x
+ return self.norm3(x) if self.norm_first else x

# %% wrong: all sums start from x -> "The sum of every sub-layer starts from x, not from the sum before it"
- for norm, branch in ((self.norm1, look), (self.norm2, read), (self.norm3, compute)):
+ start = x
+ for norm, branch in ((self.norm1, look), (self.norm2, read), (self.norm3, compute)):

- x = x + self.drop(branch(norm(x)))
+ x = start + self.drop(branch(norm(x)))

# %% wrong: cross-attention's result thrown away -> "The sum of cross-attention is missing"
- x = x + self.drop(branch(norm(x)))
+ x = x if branch is read else x + self.drop(branch(norm(x)))

# %% wrong: context normed too -> "The context is normed too"
- return self.multihead_attn(x, context, mask=context_mask)
+ seen = self.norm2(context) if self.norm_first else context
+ return self.multihead_attn(x, seen, mask=context_mask)

# %% wrong: cross-attention looks at itself -> "Cross-attention looks at its own sentence"
- return self.multihead_attn(x, context, mask=context_mask)
+ return self.multihead_attn(x)

# %% wrong: self-attention on the context -> "Self-attention looks at the context"
- return self.self_attn(x, mask=mask)
+ return self.self_attn(x, context)

# %% wrong: query from the context -> "(2, 7, 12)"
- return self.multihead_attn(x, context, mask=context_mask)
+ return self.multihead_attn(context, x)

# %% wrong: the two attentions change places -> "have changed places"
- return self.self_attn(x, mask=mask)
+ return self.multihead_attn(x, mask=mask)

- return self.multihead_attn(x, context, mask=context_mask)
+ return self.self_attn(x, context, mask=context_mask)

# %% wrong: one attention for both -> "multihead_attn is used for self-attention too"
- return self.self_attn(x, mask=mask)
+ return self.multihead_attn(x, mask=mask)

# %% wrong: pre-norm forgets norm1 -> "The norm of self-attention is missing"
- x = x + self.drop(branch(norm(x)))
+ x = x + self.drop(branch(x if branch is look else norm(x)))

# %% wrong: pre-norm forgets norm2 -> "The norm of cross-attention is missing"
- x = x + self.drop(branch(norm(x)))
+ x = x + self.drop(branch(x if branch is read else norm(x)))

# %% wrong: norm1 for cross-attention in pre-norm -> "norm1 is used where norm2 belongs"
- x = x + self.drop(branch(norm(x)))
+ x = x + self.drop(branch(self.norm1(x) if branch is read else norm(x)))

# %% wrong: pre-norm forgets norm3 -> "The norm of feed-forward is missing"
- x = x + self.drop(branch(norm(x)))
+ x = x + self.drop(branch(x if branch is compute else norm(x)))

# %% wrong: gelu -> "The activation is gelu"
- return self.linear2(self.drop(F.relu(self.linear1(x))))
+ return self.linear2(self.drop(F.gelu(self.linear1(x))))

# %% wrong: no activation -> "There is no activation"
- return self.linear2(self.drop(F.relu(self.linear1(x))))
+ return self.linear2(self.drop(self.linear1(x)))

# %% wrong: one head -> "expected n_heads = 3"
- self.self_attn = Attention(d_model, n_heads, dropout)
+ self.self_attn = Attention(d_model, 1, dropout)

# %% wrong: causal built in -> "Later words are hidden, though nothing hides them"
- return self.self_attn(x, mask=mask)
+ causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
+ return self.self_attn(x, mask=causal if mask is None else mask)

# %% wrong: post-norm: all branches read x -> "x is read in every sub-layer, not the sum before it"
- for norm, branch in ((self.norm1, look), (self.norm2, read), (self.norm3, compute)):
+ start = x
+ for norm, branch in ((self.norm1, look), (self.norm2, read), (self.norm3, compute)):

- x = norm(x + self.drop(branch(x)))
+ x = norm(x + self.drop(branch(start)))

# %% wrong: post-norm: the norm of what is read as well -> "Post-norm, and yet every sub-layer has a norm before and aft"
- x = norm(x + self.drop(branch(x)))
+ x = norm(x + self.drop(branch(norm(x))))

# %% wrong: mask turned round -> "mask is inverted: True means may attend."
- return self.self_attn(x, mask=mask)
+ return self.self_attn(x, mask=None if mask is None else ~mask)

# %% wrong: context_mask turned round -> "context_mask is inverted: True means may attend."
- return self.multihead_attn(x, context, mask=context_mask)
+ return self.multihead_attn(x, context, mask=None if context_mask is None else ~context_mask)

# %% wrong: mask forgotten -> "mask is not used."
- return self.self_attn(x, mask=mask)
+ return self.self_attn(x)

# %% wrong: context_mask forgotten -> "context_mask is not used."
- return self.multihead_attn(x, context, mask=context_mask)
+ return self.multihead_attn(x, context)

# %% wrong: mask given to cross-attention -> "Hand mask to self-attention alone"
- return self.multihead_attn(x, context, mask=context_mask)
+ return self.multihead_attn(x, context, mask=mask if context_mask is None else context_mask)

# %% wrong: context_mask only beside a mask -> "context_mask is not used."
- return self.multihead_attn(x, context, mask=context_mask)
+ return self.multihead_attn(x, context, mask=None if mask is None else context_mask)

# %% wrong: the masks change places -> "Hand mask to self-attention alone"
- return self.self_attn(x, mask=mask)
+ return self.self_attn(x, mask=context_mask)

- return self.multihead_attn(x, context, mask=context_mask)
+ return self.multihead_attn(x, context, mask=mask)

# %% wrong: first sentence's mask for all -> "Each sentence has its own context_mask."
- return self.multihead_attn(x, context, mask=context_mask)
+ keep = context_mask[:1] if context_mask is not None and context_mask.ndim > 2 else context_mask
+ return self.multihead_attn(x, context, mask=keep)

# %% wrong: mask transposed -> "Rows are queries"
- return self.self_attn(x, mask=mask)
+ return self.self_attn(x, mask=None if mask is None else mask.mT)

# %% wrong: context_mask transposed -> "Hand context_mask to cross-attention alone"
- return self.multihead_attn(x, context, mask=context_mask)
+ return self.multihead_attn(x, context, mask=None if context_mask is None else context_mask.mT)

# %% wrong: a mask of None turned round -> "None hides nothing."
- return self.self_attn(x, mask=mask)
+ return self.self_attn(x, mask=~mask)

# %% wrong of "PyTorch's attention, its masks turned round": batch_first forgotten -> "Sentences are mixed: nn.MultiheadAttention needs batch_first=True"
- self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
+ self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout)

# %% wrong of "PyTorch's attention, its masks turned round": values from the stream -> "None hides nothing."
- lambda x: self.multihead_attn(x, context, context, attn_mask=seen(x))[0],
+ lambda x: self.multihead_attn(x, context, x, attn_mask=seen(x))[0],

# %% wrong of "PyTorch's attention, its masks turned round": not turned round -> "mask is inverted: True means may attend."
- return ~mask.expand(x.shape[0], self.n_heads, x.shape[1], source.shape[1]).flatten(0, 1)
+ return mask.expand(x.shape[0], self.n_heads, x.shape[1], source.shape[1]).flatten(0, 1)

# %% wrong: no dropout at all -> "dropout=0.5 on weights of self-attention and output: expected 0, 20 and 24, got (11,). There is none"
- self.self_attn = Attention(d_model, n_heads, dropout)
- self.multihead_attn = Attention(d_model, n_heads, dropout)
+ self.self_attn = Attention(d_model, n_heads)
+ self.multihead_attn = Attention(d_model, n_heads)

- self.drop = nn.Dropout(dropout)
+ self.drop = nn.Identity()

# %% wrong: no dropout on cross-attention's weights -> "dropout=0.5 on weights of cross-attention and output: expected 0, 20 and 24, got (0, 22). It is missing on the weights of cross-attention"
- self.multihead_attn = Attention(d_model, n_heads, dropout)
+ self.multihead_attn = Attention(d_model, n_heads)

# %% wrong: no dropout on the branches' outputs -> "dropout=0.5 on weights of self-attention and output: expected 0, 20 and 24, got (10, 12). It is missing on the sub-layer's output"
- x = x + self.drop(branch(norm(x)))
+ x = x + branch(norm(x))

# %% wrong: no dropout on the hidden layer -> "It is missing on the hidden layer"
- return self.linear2(self.drop(F.relu(self.linear1(x))))
+ return self.linear2(F.relu(self.linear1(x)))

# %% wrong: F.dropout without training -> "In eval() two calls differ"
- x = x + self.drop(branch(norm(x)))
+ x = x + F.dropout(branch(norm(x)), self.drop.p)

# %% wrong: cross_attn for multihead_attn -> "Parameter multihead_attn.q_proj.weight: expected (12, 12), got none"
- self.multihead_attn = Attention(d_model, n_heads, dropout)
+ self.cross_attn = Attention(d_model, n_heads, dropout)

- return self.multihead_attn(x, context, mask=context_mask)
+ return self.cross_attn(x, context, mask=context_mask)

# %% wrong: two norms -> "Parameter norm3.weight: expected (12,), got none"
- self.norm3 = nn.LayerNorm(d_model)
+ self.again = self.norm2

- for norm, branch in ((self.norm1, look), (self.norm2, read), (self.norm3, compute)):
+ for norm, branch in ((self.norm1, look), (self.norm2, read), (self.again, compute)):

# %% wrong: a norm for the context -> "expected none, got (12,)"
- self.norm3 = nn.LayerNorm(d_model)
+ self.norm3, self.norm4 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

# %% wrong: cross-attention detached -> "No gradient reaches context"
- return self.multihead_attn(x, context, mask=context_mask)
+ return self.multihead_attn(x, context.detach(), mask=context_mask)

# %% wrong: a tuple returned -> "Return the output of the block alone"
- return x
+ return x, context

# %% wrong: no return -> "Is there a `return`"
- return x
+ return

# %% wrong: NaN everywhere -> "There are NaN or inf"
- return x
+ return x * torch.nan

# %% wrong: context first -> "Is x the first argument"
- def forward(self, x, context, mask=None, context_mask=None):
+ def forward(self, context, x, mask=None, context_mask=None):

# %% wrong: memory for context -> "Are its arguments still called x, context, mask, context_mask"
- def forward(self, x, context, mask=None, context_mask=None):
+ def forward(self, x, memory, mask=None, context_mask=None):
+     context = memory

# %% wrong: the argument is added to in place -> "changed one of its arguments in place"
- x = x + self.drop(branch(norm(x)))
+ x += self.drop(branch(norm(x)))

# %% shortcut: nn.TransformerDecoderLayer subclassed
class DecoderBlock(nn.TransformerDecoderLayer):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__(d_model, n_heads, d_ff, dropout, batch_first=True, norm_first=norm_first)

    def forward(self, x, context, mask=None, context_mask=None):
        return super().forward(x, context)

# %% wrong: context_mask before mask -> "mask comes before context_mask"
- def forward(self, x, context, mask=None, context_mask=None):
+ def forward(self, x, context, context_mask=None, mask=None):

# %% wrong: one head in cross-attention alone -> "multihead_attn has 1 head, expected n_heads = 3"
- self.multihead_attn = Attention(d_model, n_heads, dropout)
+ self.multihead_attn = Attention(d_model, 1, dropout)

# %% wrong: norm3 with another ε -> "The ε of norm3 is 1e-6, expected 1e-5"
- self.norm3 = nn.LayerNorm(d_model)
+ self.norm3 = nn.LayerNorm(d_model, 1e-6)

# %% wrong: dropout on the sums -> "It falls on the sum, so that the stream is lost"
- x = x + self.drop(branch(norm(x)))
+ x = self.drop(x + branch(norm(x)))
# %% wrong: a sum that the next norm has read is written over -> "Write `h = h + …` there"
- x = x + self.drop(branch(norm(x)))
+ x = x.clone()
+ x += self.drop(branch(norm(x)))
# %% wrong: relu's result dropped in place -> "or an inplace=True"
- self.drop = nn.Dropout(dropout)
+ self.drop = nn.Dropout(dropout, inplace=True)
# %% wrong: words of zeros in the context hidden as padding -> "A word of zeros in the context is hidden."
- return self.multihead_attn(x, context, mask=context_mask)
+ seen = (context != 0).any(-1)[:, None, None]
+ return self.multihead_attn(x, context, mask=seen if context_mask is None else seen & context_mask)
# %% wrong: dropout under a name that forward does not know -> "a part that __init__ did not make"
- self.drop = nn.Dropout(dropout)
+ self.dropout = nn.Dropout(dropout)
# %% shortcut: nn.TransformerDecoderLayer held
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        held = nn.TransformerDecoderLayer(d_model, n_heads, d_ff, dropout, batch_first=True, norm_first=norm_first)
        self.held = [held]
        self.self_attn, self.multihead_attn = held.self_attn, held.multihead_attn
        self.linear1, self.linear2 = held.linear1, held.linear2
        self.norm1, self.norm2, self.norm3 = held.norm1, held.norm2, held.norm3
        self.n_heads = n_heads

    def forward(self, x, context, mask=None, context_mask=None):
        def hidden(keep, k):
            return None if keep is None else ~keep.expand(len(x), self.n_heads, x.shape[1], k).flatten(0, 1)

        self.held[0].train(self.training)
        return self.held[0](x, context, hidden(mask, x.shape[1]), hidden(context_mask, context.shape[1]))
# %% wrong: cross-attention subtracted -> "What cross-attention returns is subtracted. Add it."
- x = x + self.drop(branch(norm(x)))
+ x = x + self.drop(branch(norm(x))) * (-1 if branch is read else 1)
# %% wrong: tanh -> "The activation is tanh, expected relu"
- return self.linear2(self.drop(F.relu(self.linear1(x))))
+ return self.linear2(self.drop(torch.tanh(self.linear1(x))))

# %% wrong: batch_first forgotten -> "needs batch_first=True"
class DecoderBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0, norm_first=False):
        super().__init__()
        self.n_heads, self.norm_first = n_heads, norm_first
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout)
        self.multihead_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout)
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(d_model) for _ in range(3))
        self.dropout = nn.Dropout(dropout)

    def attend(self, layer, x, source, mask):
        if mask is not None:
            shape = (x.shape[0], self.n_heads, x.shape[1], source.shape[1])
            mask = mask.logical_not().expand(shape).flatten(0, 1)
        return layer(x, source, source, attn_mask=mask, need_weights=False)[0]

    def forward(self, x, context, mask=None, context_mask=None):
        branches = (
            (self.norm1, lambda y: self.attend(self.self_attn, y, y, mask)),
            (self.norm2, lambda y: self.attend(self.multihead_attn, y, context, context_mask)),
            (self.norm3, lambda y: self.linear2(self.dropout(F.relu(self.linear1(y))))),
        )
        for norm, branch in branches:
            if self.norm_first:
                x = x + self.dropout(branch(norm(x)))
            else:
                x = norm(x + self.dropout(branch(x)))
        return x
# %% wrong: dropout on what the branches read -> "It falls on what the sub-layer reads, and not on what it gives."
- x = x + self.drop(branch(norm(x)))
+ x = x + branch(self.drop(norm(x)))
# %% wrong: both masks by position -> "Is the mask given by name"
- return self.self_attn(x, mask=mask)
+ return self.self_attn(x, mask)
# %% wrong: mask for both attentions, where it fits and there is no other -> "where there is no context_mask"
  def look(x):
+     nonlocal context_mask
+     if context_mask is None and mask is not None and mask.shape[-1] == context.shape[1]:
+         context_mask = mask
# %% wrong: one mask at a time -> "context_mask is not used"
- return self.multihead_attn(x, context, mask=context_mask)
+ return self.multihead_attn(x, context, mask=context_mask if mask is None else None)
# %% wrong: the first context kept -> "Is the context of an earlier call kept?"
- return self.multihead_attn(x, context, mask=context_mask)
+ self.kept = getattr(self, "kept", context)
+ return self.multihead_attn(x, self.kept, mask=context_mask)
# %% wrong: the second sum takes what attention gave, not the stream -> "The sum of cross-attention takes what self-attention gave, not the stream."
- for norm, branch in ((self.norm1, look), (self.norm2, read), (self.norm3, compute)):
-     if self.norm_first:
-         x = x + self.drop(branch(norm(x)))
-     else:
-         x = norm(x + self.drop(branch(x)))
- return x
+ if self.norm_first:
+     attended = self.drop(look(self.norm1(x)))
+     x = attended + self.drop(read(self.norm2(x + attended)))
+     return x + self.drop(compute(self.norm3(x)))
+ attended = self.drop(look(x))
+ x = self.norm2(attended + self.drop(read(self.norm1(x + attended))))
+ return self.norm3(x + self.drop(compute(x)))

# %% wrong: query and context swapped in the cross-attention -> "Query and context"
- return self.multihead_attn(x, context, mask=context_mask)
+ return self.multihead_attn(context, x, mask=None)[:, : x.shape[1]]

# %% wrong: the cross-attention reads x as well -> "depends there on the words [0, 1, 2, 3, 4] of x"
- return self.multihead_attn(x, context, mask=context_mask)
+ both = None if context_mask is None else F.pad(context_mask, (x.shape[1], 0), value=True)
+ return self.multihead_attn(x, torch.cat([x, context], dim=1), mask=both)

# %% wrong: in post-norm nothing is dropped of what a sub-layer returns -> "in post-norm, too"
- x = norm(x + self.drop(branch(x)))
+ x = norm(x + branch(x))
