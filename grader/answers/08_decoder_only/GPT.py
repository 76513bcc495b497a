# %% right: a head made before the table, and tied
- self.token = nn.Embedding(vocab_size, d_model)
- self.position = nn.Embedding(max_len, d_model)
- nn.init.normal_(self.token.weight, std=0.02)
+ self.head = nn.Linear(d_model, vocab_size, bias=False)
+ self.token = nn.Embedding(vocab_size, d_model)
+ self.token.weight = self.head.weight
+ self.position = nn.Embedding(max_len, d_model)
+ nn.init.normal_(self.token.weight, std=0.02)

- return self.norm(x) @ self.token.weight.T
+ return self.head(self.norm(x))
# %% right: a buffer for the mask, minus infinity in it, and F.linear
- self.norm = nn.LayerNorm(d_model)
+ self.norm = nn.LayerNorm(d_model)
+ self.register_buffer("hidden", torch.full((max_len, max_len), float("-inf")).triu(1))

- hidden = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).triu(1)
- x = self.token(ids) + self.position.weight[:seq]
+ hidden = self.hidden[:seq, :seq]
+ x = self.token(ids) + self.position(torch.arange(seq, device=ids.device))

- return self.norm(x) @ self.token.weight.T
+ return F.linear(self.norm(x), self.token.weight)
# %% right: one-hot vectors times the table
- x = self.token(ids) + self.position.weight[:seq]
+ table = self.token.weight
+ x = F.one_hot(ids, len(table)).to(table.dtype) @ table + self.position.weight[:seq]

- return self.norm(x) @ self.token.weight.T
+ return torch.einsum("bsd,vd->bsv", self.norm(x), table)
# %% right: blocks of one's own under PyTorch's names, fused attention
class Attention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.in_proj_weight = nn.Parameter(torch.randn(3 * d_model, d_model) / d_model**0.5)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * d_model))
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, x):
        packed = F.linear(x, self.in_proj_weight, self.in_proj_bias)
        heads = packed.unflatten(-1, (3, self.n_heads, -1)).permute(2, 0, 3, 1, 4)
        out = F.scaled_dot_product_attention(*heads, is_causal=True)
        return self.out_proj(out.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.linear1 = nn.Linear(d_model, 4 * d_model)
        self.linear2 = nn.Linear(4 * d_model, d_model)
        self.self_attn = Attention(d_model, n_heads)

    def forward(self, x):
        x = x + self.self_attn(self.norm1(x))
        return x + self.linear2(self.linear1(self.norm2(x)).relu())


class GPT(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, n_layers, max_len):
        super().__init__()
        self.layers = nn.Sequential(*[Block(d_model, n_heads) for _ in range(n_layers)])
        self.norm = nn.LayerNorm(d_model)
        self.token = nn.Embedding(vocab_size, d_model)
        self.position = nn.Embedding(max_len, d_model)
        for table in (self.token, self.position):
            table.weight.data.mul_(0.02)

    def forward(self, ids):
        if ids.size(1) > self.position.num_embeddings:
            raise ValueError(f"{ids.size(1)} > {self.position.num_embeddings}")
        x = self.token(ids) + self.position.weight[None, : ids.size(1)]
        return self.norm(self.layers(x)) @ self.token.weight.mT
# %% wrong: no mask -> "depends on a later character"
- x = layer(x, src_mask=hidden)
+ x = layer(x)
# %% wrong: the mask upside down -> "depends on a later character"
- hidden = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).triu(1)
+ hidden = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).tril()
# %% wrong: lower triangle hidden, the diagonal kept -> "depends on a later character"
- hidden = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).triu(1)
+ hidden = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).tril(-1)
# %% wrong: one later character may be seen -> "depends on a later character"
- hidden = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).triu(1)
+ hidden = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).triu(2)
# %% wrong: a position is hidden from itself -> "May each position see itself?"
- hidden = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).triu(1)
+ hidden = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).triu()
# %% wrong: the first layer alone is causal -> "depends on a later character"
- for layer in self.layers:
-     x = layer(x, src_mask=hidden)
+ for i, layer in enumerate(self.layers):
+     x = layer(x, src_mask=None if i else hidden)
# %% wrong: is_causal without the mask -> "Is the mask itself given, as src_mask?"
- x = layer(x, src_mask=hidden)
+ x = layer(x, is_causal=True)
# %% wrong: post-norm -> "Is it pre-norm"
- options = {"dropout": 0.0, "norm_first": True, "batch_first": True}
+ options = {"dropout": 0.0, "batch_first": True}
# %% wrong: batch in the second axis -> "Is batch_first=True set"
- options = {"dropout": 0.0, "norm_first": True, "batch_first": True}
+ options = {"dropout": 0.0, "norm_first": True}
# %% wrong: PyTorch's own dropout -> "Is dropout 0?"
- options = {"dropout": 0.0, "norm_first": True, "batch_first": True}
+ options = {"norm_first": True, "batch_first": True}
# %% wrong: gelu -> "Is the activation relu?"
- options = {"dropout": 0.0, "norm_first": True, "batch_first": True}
+ options = {"dropout": 0.0, "norm_first": True, "batch_first": True, "activation": "gelu"}
# %% wrong: d_ff left at 2048 -> "Parameter layers.0.linear1.weight"
- nn.TransformerEncoderLayer(d_model, n_heads, 4 * d_model, **options)
+ nn.TransformerEncoderLayer(d_model, n_heads, **options)
# %% wrong: one head -> "Do the blocks have n_heads = 3 heads? These have 1."
- nn.TransformerEncoderLayer(d_model, n_heads, 4 * d_model, **options)
+ nn.TransformerEncoderLayer(d_model, 1, 4 * d_model, **options)
# %% wrong: n_layers and n_heads exchanged -> "Parameter layers.2"
- def __init__(self, vocab_size, d_model, n_heads, n_layers, max_len):
+ def __init__(self, vocab_size, d_model, n_layers, n_heads, max_len):
# %% wrong: a plain list of blocks -> "Parameter layers.0"
- self.layers = nn.ModuleList(
-     nn.TransformerEncoderLayer(d_model, n_heads, 4 * d_model, **options)
-     for _ in range(n_layers)
- )
+ self.layers = [
+     nn.TransformerEncoderLayer(d_model, n_heads, 4 * d_model, **options)
+     for _ in range(n_layers)
+ ]
# %% wrong: the same block n_layers times -> "one and the same block"
- self.layers = nn.ModuleList(
-     nn.TransformerEncoderLayer(d_model, n_heads, 4 * d_model, **options)
-     for _ in range(n_layers)
- )
+ block = nn.TransformerEncoderLayer(d_model, n_heads, 4 * d_model, **options)
+ self.layers = nn.ModuleList([block] * n_layers)
# %% wrong: PyTorch's stack -> "Parameter layers.0"
- self.layers = nn.ModuleList(
-     nn.TransformerEncoderLayer(d_model, n_heads, 4 * d_model, **options)
-     for _ in range(n_layers)
- )
+ block = nn.TransformerEncoderLayer(d_model, n_heads, 4 * d_model, **options)
+ self.layers = nn.TransformerEncoder(block, n_layers, enable_nested_tensor=False)

- for layer in self.layers:
-     x = layer(x, src_mask=hidden)
+ x = self.layers(x, mask=hidden)
# %% wrong: the first layer alone is used -> "Does x pass through every layer?"
- for layer in self.layers:
-     x = layer(x, src_mask=hidden)
+ x = self.layers[0](x, src_mask=hidden)
# %% wrong: each layer gets the embedding -> "what the one before returned"
- for layer in self.layers:
-     x = layer(x, src_mask=hidden)
- return self.norm(x) @ self.token.weight.T
+ for layer in self.layers:
+     out = layer(x, src_mask=hidden)
+ return self.norm(out) @ self.token.weight.T
# %% wrong: the layers backwards -> "Do the layers run in order"
- for layer in self.layers:
+ for layer in reversed(self.layers):
# %% wrong: the last norm is made, but not used -> "Is the last norm applied"
- return self.norm(x) @ self.token.weight.T
+ return x @ self.token.weight.T
# %% wrong: no last norm -> "Parameter norm.weight"
- self.norm = nn.LayerNorm(d_model)

- return self.norm(x) @ self.token.weight.T
+ return x @ self.token.weight.T
# %% wrong: the norm before the blocks -> "Here one stands before the blocks"
- x = self.token(ids) + self.position.weight[:seq]
+ x = self.norm(self.token(ids) + self.position.weight[:seq])

- return self.norm(x) @ self.token.weight.T
+ return x @ self.token.weight.T
# %% wrong: scaled by the root of d_model -> "Here nothing is"
- x = self.token(ids) + self.position.weight[:seq]
+ x = self.token(ids) * self.token.embedding_dim**0.5 + self.position.weight[:seq]
# %% wrong: no positions -> "Are the positions added?"
- x = self.token(ids) + self.position.weight[:seq]
+ x = self.token(ids)
# %% wrong: positions from 1 -> "get row 0 of the positions"
- x = self.token(ids) + self.position.weight[:seq]
+ x = self.token(ids) + self.position.weight.roll(-1, 0)[:seq]
# %% wrong: positions from the end -> "Does it get row 0 of the positions?"
- x = self.token(ids) + self.position.weight[:seq]
+ x = self.token(ids) + self.position.weight[-seq:]
# %% wrong: sinusoids instead of a table -> "Parameter position.weight"
- self.position = nn.Embedding(max_len, d_model)
+ self.register_buffer("waves", torch.randn(max_len, d_model))

- nn.init.normal_(self.position.weight, std=0.02)

- x = self.token(ids) + self.position.weight[:seq]
+ x = self.token(ids) + self.waves[:seq]
# %% wrong: PyTorch's own start -> "standard deviation of 0.02"
- nn.init.normal_(self.token.weight, std=0.02)
- nn.init.normal_(self.position.weight, std=0.02)
# %% wrong: a start with a mean of 0.02 -> "standard deviation of 0.02"
- nn.init.normal_(self.token.weight, std=0.02)
+ nn.init.normal_(self.token.weight, 0.02)
# %% wrong: a head of its own -> "head.weight is a table of its own"
- self.norm = nn.LayerNorm(d_model)
+ self.norm = nn.LayerNorm(d_model)
+ self.head = nn.Linear(d_model, vocab_size, bias=False)

- return self.norm(x) @ self.token.weight.T
+ return self.head(self.norm(x))
# %% wrong: a head of its own that is copied from the table -> "head.weight is a table of its own"
- self.norm = nn.LayerNorm(d_model)
+ self.norm = nn.LayerNorm(d_model)
+ self.head = nn.Linear(d_model, vocab_size, bias=False)
+ self.head.weight.data.copy_(self.token.weight.data)

- return self.norm(x) @ self.token.weight.T
+ return self.head(self.norm(x))
# %% wrong: a tied head with a bias -> "The head has no bias. With nn.Linear, pass bias=False."
- self.norm = nn.LayerNorm(d_model)
+ self.norm = nn.LayerNorm(d_model)
+ self.head = nn.Linear(d_model, vocab_size)
+ self.head.weight = self.token.weight

- return self.norm(x) @ self.token.weight.T
+ return self.head(self.norm(x))
# %% wrong: no head -> "Is the head missing?"
- return self.norm(x) @ self.token.weight.T
+ return self.norm(x)
# %% wrong: the last position alone -> "not for the last alone"
- return self.norm(x) @ self.token.weight.T
+ return self.norm(x)[:, -1] @ self.token.weight.T
# %% wrong: probabilities -> "Is there a softmax at the end?"
- return self.norm(x) @ self.token.weight.T
+ return (self.norm(x) @ self.token.weight.T).softmax(-1)
# %% wrong: logarithms of probabilities -> "Is there a log_softmax at the end?"
- return self.norm(x) @ self.token.weight.T
+ return (self.norm(x) @ self.token.weight.T).log_softmax(-1)
# %% wrong: logits divided by the root of d_model -> "Are the logits divided by"
- return self.norm(x) @ self.token.weight.T
+ return self.norm(x) @ self.token.weight.T / x.shape[-1] ** 0.5
# %% wrong: no gradient to the head's table, and detached -> hidden: "the gradient to token.weight"
- return self.norm(x) @ self.token.weight.T
+ return self.norm(x) @ self.token.weight.detach().T
# %% wrong: too many ids are not refused in time -> "expected a ValueError, got RuntimeError"
- if seq > self.max_len:
-     raise ValueError(f"{seq} ids are more than max_len = {self.max_len}")
# %% wrong: too many ids are cut -> "expected a ValueError, got no error"
- seq = ids.shape[1]
- if seq > self.max_len:
-     raise ValueError(f"{seq} ids are more than max_len = {self.max_len}")
+ ids = ids[:, -self.max_len :]
+ seq = ids.shape[1]
# %% wrong: max_len ids are refused -> "ids are allowed here"
- if seq > self.max_len:
+ if seq >= self.max_len:
# %% wrong: the batch is measured instead of the length -> "expected a ValueError, got RuntimeError"
- if seq > self.max_len:
+ if len(ids) > self.max_len:
# %% wrong: another error -> "got IndexError"
- raise ValueError(f"{seq} ids are more than max_len = {self.max_len}")
+ raise IndexError(f"{seq} ids are more than max_len = {self.max_len}")
# %% wrong: an error that names nothing -> "should also name 10 and 9"
- raise ValueError(f"{seq} ids are more than max_len = {self.max_len}")
+ raise ValueError("too long")
# %% wrong: no nn.Module -> "Expected an nn.Module"
- class GPT(nn.Module):
+ class GPT:
# %% wrong: causal in training only -> "in eval mode: wrong logits"
- x = layer(x, src_mask=hidden)
+ x = layer(x, src_mask=hidden if self.training else None)
# %% wrong: dropout on the embedding -> "Is dropout 0?"
- x = self.token(ids) + self.position.weight[:seq]
+ x = F.dropout(self.token(ids) + self.position.weight[:seq], 0.1, self.training)
# %% wrong: blocks without biases -> "Parameter layers.0."
- options = {"dropout": 0.0, "norm_first": True, "batch_first": True}
+ options = {"dropout": 0.0, "norm_first": True, "batch_first": True, "bias": False}
# %% wrong: other names for the tables -> "Parameter token.weight: expected"
- self.token = nn.Embedding(vocab_size, d_model)
+ self.embedding = nn.Embedding(vocab_size, d_model)

- nn.init.normal_(self.token.weight, std=0.02)
+ nn.init.normal_(self.embedding.weight, std=0.02)

- x = self.token(ids) + self.position.weight[:seq]
+ x = self.embedding(ids) + self.position.weight[:seq]

- return self.norm(x) @ self.token.weight.T
+ return self.norm(x) @ self.embedding.weight.T
# %% wrong: a tied head under another name -> "Is it the head?"
- self.norm = nn.LayerNorm(d_model)
+ self.norm = nn.LayerNorm(d_model)
+ self.lm_head = nn.Linear(d_model, vocab_size, bias=False)
+ self.lm_head.weight = self.token.weight

- return self.norm(x) @ self.token.weight.T  # (batch, seq, vocab_size)
+ return self.lm_head(self.norm(x))
# %% wrong: x is added once more -> "A block adds to x already"
- x = layer(x, src_mask=hidden)
+ x = x + layer(x, src_mask=hidden)
# %% wrong: blocks of one's own, with q_proj, k_proj and v_proj -> "hold q, k and v in one in_proj_weight"
class Attention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.q_proj, self.k_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.v_proj, self.out_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)

    def forward(self, x, context, mask):
        made = (self.q_proj(x), self.k_proj(context), self.v_proj(context))
        q, k, v = (t.unflatten(-1, (self.n_heads, -1)).transpose(1, 2) for t in made)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.out_proj(out.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.self_attn = Attention(d_model, n_heads)
        self.linear1, self.linear2 = nn.Linear(d_model, 4 * d_model), nn.Linear(4 * d_model, d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x, mask):
        normed = self.norm1(x)
        x = x + self.self_attn(normed, normed, mask)
        return x + self.linear2(self.linear1(self.norm2(x)).relu())


class GPT(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, n_layers, max_len):
        super().__init__()
        self.max_len = max_len
        self.token = nn.Embedding(vocab_size, d_model)
        self.position = nn.Embedding(max_len, d_model)
        nn.init.normal_(self.token.weight, std=0.02)
        nn.init.normal_(self.position.weight, std=0.02)
        self.layers = nn.ModuleList(Block(d_model, n_heads) for _ in range(n_layers))
        self.norm = nn.LayerNorm(d_model)

    def forward(self, ids):
        seq = ids.shape[1]
        if seq > self.max_len:
            raise ValueError(f"{seq} ids are more than max_len = {self.max_len}")
        x = self.token(ids) + self.position.weight[:seq]
        for layer in self.layers:
            x = layer(x, torch.ones(seq, seq).tril().bool())
        return self.norm(x) @ self.token.weight.T
# %% wrong: a padding_idx -> "Is there a padding_idx"
- self.token = nn.Embedding(vocab_size, d_model)
+ self.token = nn.Embedding(vocab_size, d_model, padding_idx=0)
# %% wrong: the table read without its gradient -> "that were looked up. Is there"
- x = self.token(ids) + self.position.weight[:seq]
+ x = self.token(ids).detach() + self.position.weight[:seq]
# %% wrong: the id 0 hidden as padding -> "Is the id 0 taken for padding, and hidden?"
- x = layer(x, src_mask=hidden)
+ x = layer(x, src_mask=hidden, src_key_padding_mask=(ids == 0) & (torch.arange(seq) > 0))
# %% wrong: positions that go on from the call before -> "Is something kept from call to call?"
- x = self.token(ids) + self.position.weight[:seq]  # (batch, seq, d_model)
+ start = getattr(self, "seen", 0)
+ self.seen = start + seq
+ x = self.token(ids) + self.position(torch.arange(start, start + seq) % self.max_len)
# %% wrong: the table is not transposed -> "Is the head x @ token.weight.T, with the table transposed?"
- return self.norm(x) @ self.token.weight.T  # (batch, seq, vocab_size)
+ return self.norm(x) @ self.token.weight
# %% wrong: a mask for max_len ids, whatever came -> "Is the mask made for the ids that came, (seq, seq)?"
- hidden = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).triu(1)
+ hidden = torch.ones(self.max_len, self.max_len, dtype=torch.bool).triu(1)
