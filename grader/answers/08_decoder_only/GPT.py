# %% right: a ModuleList of one's own blocks, and a norm of its own
- def block():
-     return TransformerBlock(d_model, n_heads, 4 * d_model, norm_first=True)
-
- self.blocks = stack(block, n_layers, LayerNorm(d_model))
+ self.layers = nn.ModuleList(
+     TransformerBlock(d_model, n_heads, 4 * d_model, norm_first=True) for _ in range(n_layers)
+ )
+ self.norm = nn.LayerNorm(d_model)

- return self.blocks(x, earlier) @ self.token.weight.T
+ for layer in self.layers:
+     x = layer(x, earlier)
+ return self.norm(x) @ self.token.weight.T
# %% right: the norm beside the stack
- self.blocks = stack(block, n_layers, LayerNorm(d_model))
+ self.blocks = stack(block, n_layers)
+ self.norm = LayerNorm(d_model)

- return self.blocks(x, earlier) @ self.token.weight.T
+ return self.norm(self.blocks(x, earlier)) @ self.token.weight.T
# %% right: a stack of one's own that keeps its norm under another name, and a mask with more axes
class Tower(nn.Module):
    def __init__(self, make, n, last):
        super().__init__()
        self.last, self.layers = last, nn.ModuleList([make() for _ in range(n)])

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask=mask)
        return self.last(x)


class GPT(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, n_layers, max_len):
        super().__init__()
        self.blocks = Tower(
            lambda: TransformerBlock(d_model, n_heads, 4 * d_model, 0.0, True),
            n_layers,
            LayerNorm(d_model),
        )
        self.token, self.position = nn.Embedding(vocab_size, d_model), nn.Embedding(max_len, d_model)
        for table in (self.token, self.position):
            nn.init.trunc_normal_(table.weight, std=0.02)
        mask = torch.ones(1, 1, max_len, max_len, dtype=torch.bool).tril()
        self.register_buffer("mask", mask, persistent=False)

    def forward(self, ids):
        b, t = ids.shape
        if t > len(self.position.weight):
            raise ValueError(f"too long: {t} > {len(self.position.weight)}")
        x = self.token(ids) + self.position(torch.arange(t, device=ids.device))
        return F.linear(self.blocks(x, self.mask[:, :, :t, :t]), self.token.weight)
# %% right: unit 07's other spelling, feed-forward as a part, and a tied head
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.linear2(self.linear1(x).clamp(min=0))


class Causal(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.self_attn, self.feed_forward = Attention(d_model, n_heads), FeedForward(d_model, 4 * d_model)
        self.norm1, self.norm2 = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x, mask=None):
        seq = torch.arange(x.shape[1], device=x.device)
        x = x + self.self_attn(self.norm1(x), mask=seq <= seq[:, None])
        return x + self.feed_forward(self.norm2(x))


class GPT(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, n_layers, max_len):
        super().__init__()
        self.token, self.position = nn.Embedding(vocab_size, d_model), nn.Embedding(max_len, d_model)
        self.head = nn.Linear(d_model, vocab_size, bias=False)
        self.head.weight = self.token.weight
        self.blocks = stack(lambda: Causal(d_model, n_heads), n_layers, LayerNorm(d_model))
        self.apply(self.begin)

    def begin(self, part):
        if isinstance(part, nn.Embedding):
            nn.init.normal_(part.weight, mean=0.0, std=0.02)

    def forward(self, ids):
        if ids.shape[-1] > self.position.num_embeddings:
            raise ValueError(f"{ids.shape[-1]} and {self.position.num_embeddings}")
        return self.head(self.blocks(self.token(ids) + self.position.weight[: ids.shape[-1]]))
# %% wrong: no mask handed to the stack -> "Does the mask reach every block"
- return self.blocks(x, earlier) @ self.token.weight.T
+ return self.blocks(x) @ self.token.weight.T
# %% wrong: PyTorch's mask, True hides -> "For your blocks True may be seen"
- earlier = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).tril()
+ earlier = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).triu(1)
# %% wrong: the upper triangle may be seen -> "For your blocks True may be seen"
- earlier = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).tril()
+ earlier = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).triu()
# %% wrong: no position sees itself -> "May each position see itself?"
- earlier = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).tril()
+ earlier = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).tril(-1)
# %% wrong: one later position may be seen -> "Is the diagonal the main one"
- earlier = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).tril()
+ earlier = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).tril(1)
# %% wrong: post-norm, which is the block's default -> "Is it pre-norm"
- return TransformerBlock(d_model, n_heads, 4 * d_model, norm_first=True)
+ return TransformerBlock(d_model, n_heads, 4 * d_model)
# %% wrong: norm_first in the place of dropout -> "Is dropout 0?"
- return TransformerBlock(d_model, n_heads, 4 * d_model, norm_first=True)
+ return TransformerBlock(d_model, n_heads, 4 * d_model, 0.1, True)
# %% wrong: d_ff as wide as the model -> "d_ff = 4 · d_model"
- return TransformerBlock(d_model, n_heads, 4 * d_model, norm_first=True)
+ return TransformerBlock(d_model, n_heads, d_model, norm_first=True)
# %% wrong: the stack without a norm -> "Is there a norm at the end?"
- self.blocks = stack(block, n_layers, LayerNorm(d_model))
+ self.blocks = stack(block, n_layers)
# %% wrong: the norm in the stack and once more -> "The last norm is applied twice."
- return self.blocks(x, earlier) @ self.token.weight.T
+ return self.blocks.norm(self.blocks(x, earlier)) @ self.token.weight.T
# %% wrong: one block too few -> "Parameter blocks.layers.1"
- self.blocks = stack(block, n_layers, LayerNorm(d_model))
+ self.blocks = stack(block, n_layers - 1, LayerNorm(d_model))
# %% wrong: one and the same block, n_layers times -> "one and the same block"
- self.blocks = stack(block, n_layers, LayerNorm(d_model))
+ one = block()
+ self.blocks = stack(lambda: one, n_layers, LayerNorm(d_model))
# %% wrong: a block instead of a function that makes one -> "wants a function that makes a block, not a block"
- self.blocks = stack(block, n_layers, LayerNorm(d_model))
+ self.blocks = stack(block(), n_layers, LayerNorm(d_model))
# %% wrong: the blocks under another name -> "What `stack` returns is looked for in self.blocks"
- self.blocks = stack(block, n_layers, LayerNorm(d_model))
+ self.body = stack(block, n_layers, LayerNorm(d_model))

- return self.blocks(x, earlier) @ self.token.weight.T
+ return self.body(x, earlier) @ self.token.weight.T
# %% wrong: a ModuleList called blocks -> "an nn.ModuleList of your own in self.layers"
- self.blocks = stack(block, n_layers, LayerNorm(d_model))
+ self.blocks = nn.ModuleList(block() for _ in range(n_layers))
+ self.norm = LayerNorm(d_model)

- return self.blocks(x, earlier) @ self.token.weight.T
+ for one in self.blocks:
+     x = one(x, earlier)
+ return self.norm(x) @ self.token.weight.T
# %% wrong: a plain list of one's own blocks -> "Are they in a plain list?"
- self.blocks = stack(block, n_layers, LayerNorm(d_model))
+ self.blocks = [block() for _ in range(n_layers)]
+ self.norm = LayerNorm(d_model)

- return self.blocks(x, earlier) @ self.token.weight.T
+ for one in self.blocks:
+     x = one(x, earlier)
+ return self.norm(x) @ self.token.weight.T
# %% wrong: one config for all sizes -> "Does yours want one `config`"
class GPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.token = nn.Embedding(config.vocab_size, config.d_model)
# %% wrong: layers before heads -> "Here max_len, the fifth argument, is 9"
- def __init__(self, vocab_size, d_model, n_heads, n_layers, max_len):
+ def __init__(self, vocab_size, d_model, max_len, n_heads, n_layers):
# %% wrong: mask for max_len positions, whatever came -> "Is the mask made for the ids that came, (seq, seq)?"
- earlier = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).tril()
+ earlier = torch.ones(self.max_len, self.max_len, dtype=torch.bool).tril()
# %% wrong: the embedding is scaled, as in 2017 -> "Here nothing is"
- x = self.token(ids) + self.position.weight[:seq]
+ x = self.token(ids) * self.token.embedding_dim**0.5 + self.position.weight[:seq]
# %% wrong: GPT-2's gelu in blocks of one's own -> "Is the activation relu?"
- def block():
-     return TransformerBlock(d_model, n_heads, 4 * d_model, norm_first=True)
+ class Gelu(TransformerBlock):
+     def forward(self, x, mask=None):
+         x = x + self.self_attn(self.norm1(x), mask=mask)
+         return x + self.linear2(F.gelu(self.linear1(self.norm2(x))))
+
+ def block():
+     return Gelu(d_model, n_heads, 4 * d_model, norm_first=True)
# %% right: PyTorch's stack with its norm, called blocks
- def block():
-     return TransformerBlock(d_model, n_heads, 4 * d_model, norm_first=True)
-
- self.blocks = stack(block, n_layers, LayerNorm(d_model))
+ options = {"dropout": 0.0, "norm_first": True, "batch_first": True}
+ layer = nn.TransformerEncoderLayer(d_model, n_heads, 4 * d_model, **options)
+ last = nn.LayerNorm(d_model)
+ self.blocks = nn.TransformerEncoder(layer, n_layers, last, enable_nested_tensor=False)

- return self.blocks(x, earlier) @ self.token.weight.T
+ return self.blocks(x, ~earlier) @ self.token.weight.T
# %% wrong: the mask handed over as a float of ones and zeros -> "GPT((4, 9)) stopped with"
- earlier = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).tril()
+ earlier = torch.ones(seq, seq, device=ids.device).tril()
# %% wrong: positions looked up in the table of the characters -> "Are the positions added?"
- x = self.token(ids) + self.position.weight[:seq]
+ x = self.token(ids) + 0 * self.position.weight[:seq]
# %% right: PyTorch's own blocks
class GPT(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, n_layers, max_len):
        super().__init__()
        self.max_len = max_len
        self.token = nn.Embedding(vocab_size, d_model)
        self.position = nn.Embedding(max_len, d_model)
        nn.init.normal_(self.token.weight, std=0.02)
        nn.init.normal_(self.position.weight, std=0.02)
        options = {"dropout": 0.0, "norm_first": True, "batch_first": True}
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(d_model, n_heads, 4 * d_model, **options)
            for _ in range(n_layers)
        )
        self.norm = nn.LayerNorm(d_model)

    def forward(self, ids):
        seq = ids.shape[1]
        if seq > self.max_len:
            raise ValueError(f"{seq} ids are more than max_len = {self.max_len}")
        hidden = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).triu(1)
        x = self.token(ids) + self.position.weight[:seq]  # (batch, seq, d_model)
        for layer in self.layers:
            x = layer(x, src_mask=hidden)
        return self.norm(x) @ self.token.weight.T  # (batch, seq, vocab_size)
# %% right of "PyTorch's own blocks": a head made before the table, and tied
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
# %% right of "PyTorch's own blocks": a buffer for the mask, minus infinity in it, and F.linear
- self.norm = nn.LayerNorm(d_model)
+ self.norm = nn.LayerNorm(d_model)
+ self.register_buffer("hidden", torch.full((max_len, max_len), float("-inf")).triu(1))

- hidden = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).triu(1)
- x = self.token(ids) + self.position.weight[:seq]
+ hidden = self.hidden[:seq, :seq]
+ x = self.token(ids) + self.position(torch.arange(seq, device=ids.device))

- return self.norm(x) @ self.token.weight.T
+ return F.linear(self.norm(x), self.token.weight)
# %% right of "PyTorch's own blocks": one-hot vectors times the table
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
# %% wrong of "PyTorch's own blocks": no mask -> "depends on a later id"
- x = layer(x, src_mask=hidden)
+ x = layer(x)
# %% wrong of "PyTorch's own blocks": the mask upside down -> "Is the mask upside down?"
- hidden = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).triu(1)
+ hidden = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).tril()
# %% wrong of "PyTorch's own blocks": lower triangle hidden, the diagonal kept -> "depends on a later id"
- hidden = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).triu(1)
+ hidden = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).tril(-1)
# %% wrong of "PyTorch's own blocks": one later character may be seen -> "Is the diagonal the main one"
- hidden = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).triu(1)
+ hidden = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).triu(2)
# %% wrong of "PyTorch's own blocks": a position is hidden from itself -> "May each position see itself?"
- hidden = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).triu(1)
+ hidden = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).triu()
# %% wrong of "PyTorch's own blocks": the first layer alone is causal -> "depends on a later id"
- for layer in self.layers:
-     x = layer(x, src_mask=hidden)
+ for i, layer in enumerate(self.layers):
+     x = layer(x, src_mask=None if i else hidden)
# %% wrong of "PyTorch's own blocks": is_causal without the mask -> "Is the mask itself given, as src_mask?"
- x = layer(x, src_mask=hidden)
+ x = layer(x, is_causal=True)
# %% wrong of "PyTorch's own blocks": post-norm -> "Is it pre-norm"
- options = {"dropout": 0.0, "norm_first": True, "batch_first": True}
+ options = {"dropout": 0.0, "batch_first": True}
# %% wrong of "PyTorch's own blocks": batch in the second axis -> "Is batch_first=True set"
- options = {"dropout": 0.0, "norm_first": True, "batch_first": True}
+ options = {"dropout": 0.0, "norm_first": True}
# %% wrong of "PyTorch's own blocks": PyTorch's own dropout -> "Is dropout 0?"
- options = {"dropout": 0.0, "norm_first": True, "batch_first": True}
+ options = {"norm_first": True, "batch_first": True}
# %% wrong of "PyTorch's own blocks": gelu -> "Is the activation relu?"
- options = {"dropout": 0.0, "norm_first": True, "batch_first": True}
+ options = {"dropout": 0.0, "norm_first": True, "batch_first": True, "activation": "gelu"}
# %% wrong of "PyTorch's own blocks": d_ff left at 2048 -> "Parameter layers.0.linear1.weight"
- nn.TransformerEncoderLayer(d_model, n_heads, 4 * d_model, **options)
+ nn.TransformerEncoderLayer(d_model, n_heads, **options)
# %% wrong of "PyTorch's own blocks": one head -> "Do the blocks have n_heads = 3 heads? These have 1."
- nn.TransformerEncoderLayer(d_model, n_heads, 4 * d_model, **options)
+ nn.TransformerEncoderLayer(d_model, 1, 4 * d_model, **options)
# %% wrong of "PyTorch's own blocks": n_layers and n_heads exchanged -> "Parameter layers.2"
- def __init__(self, vocab_size, d_model, n_heads, n_layers, max_len):
+ def __init__(self, vocab_size, d_model, n_layers, n_heads, max_len):
# %% wrong of "PyTorch's own blocks": a plain list of blocks -> "Are they in a plain list?"
- self.layers = nn.ModuleList(
-     nn.TransformerEncoderLayer(d_model, n_heads, 4 * d_model, **options)
-     for _ in range(n_layers)
- )
+ self.layers = [
+     nn.TransformerEncoderLayer(d_model, n_heads, 4 * d_model, **options)
+     for _ in range(n_layers)
+ ]
# %% wrong of "PyTorch's own blocks": the same block n_layers times -> "one and the same block"
- self.layers = nn.ModuleList(
-     nn.TransformerEncoderLayer(d_model, n_heads, 4 * d_model, **options)
-     for _ in range(n_layers)
- )
+ block = nn.TransformerEncoderLayer(d_model, n_heads, 4 * d_model, **options)
+ self.layers = nn.ModuleList([block] * n_layers)
# %% wrong of "PyTorch's own blocks": PyTorch's stack -> "Parameter layers.0"
- self.layers = nn.ModuleList(
-     nn.TransformerEncoderLayer(d_model, n_heads, 4 * d_model, **options)
-     for _ in range(n_layers)
- )
+ block = nn.TransformerEncoderLayer(d_model, n_heads, 4 * d_model, **options)
+ self.layers = nn.TransformerEncoder(block, n_layers, enable_nested_tensor=False)

- for layer in self.layers:
-     x = layer(x, src_mask=hidden)
+ x = self.layers(x, mask=hidden)
# %% wrong of "PyTorch's own blocks": the first layer alone is used -> "Does x pass through every layer?"
- for layer in self.layers:
-     x = layer(x, src_mask=hidden)
+ x = self.layers[0](x, src_mask=hidden)
# %% wrong of "PyTorch's own blocks": each layer gets the embedding -> "what the one before returned"
- for layer in self.layers:
-     x = layer(x, src_mask=hidden)
- return self.norm(x) @ self.token.weight.T
+ for layer in self.layers:
+     out = layer(x, src_mask=hidden)
+ return self.norm(out) @ self.token.weight.T
# %% wrong of "PyTorch's own blocks": the layers backwards -> "Do the layers run in order"
- for layer in self.layers:
+ for layer in reversed(self.layers):
# %% wrong of "PyTorch's own blocks": the last norm is made, but not used -> "Is the last norm applied"
- return self.norm(x) @ self.token.weight.T
+ return x @ self.token.weight.T
# %% wrong of "PyTorch's own blocks": no last norm -> "Is there a norm at the end?"
- self.norm = nn.LayerNorm(d_model)

- return self.norm(x) @ self.token.weight.T
+ return x @ self.token.weight.T
# %% wrong of "PyTorch's own blocks": the norm before the blocks -> "Here one stands before the blocks"
- x = self.token(ids) + self.position.weight[:seq]
+ x = self.norm(self.token(ids) + self.position.weight[:seq])

- return self.norm(x) @ self.token.weight.T
+ return x @ self.token.weight.T
# %% wrong of "PyTorch's own blocks": scaled by the root of d_model -> "Here nothing is"
- x = self.token(ids) + self.position.weight[:seq]
+ x = self.token(ids) * self.token.embedding_dim**0.5 + self.position.weight[:seq]
# %% wrong of "PyTorch's own blocks": no positions -> "Are the positions added?"
- x = self.token(ids) + self.position.weight[:seq]
+ x = self.token(ids)
# %% wrong of "PyTorch's own blocks": positions from 1 -> "get row 0 of the positions"
- x = self.token(ids) + self.position.weight[:seq]
+ x = self.token(ids) + self.position.weight.roll(-1, 0)[:seq]
# %% wrong of "PyTorch's own blocks": positions from the end -> "Does it get row 0 of the positions?"
- x = self.token(ids) + self.position.weight[:seq]
+ x = self.token(ids) + self.position.weight[-seq:]
# %% wrong of "PyTorch's own blocks": sinusoids instead of a table -> "Parameter position.weight"
- self.position = nn.Embedding(max_len, d_model)
+ self.register_buffer("waves", torch.randn(max_len, d_model))

- nn.init.normal_(self.position.weight, std=0.02)

- x = self.token(ids) + self.position.weight[:seq]
+ x = self.token(ids) + self.waves[:seq]
# %% wrong of "PyTorch's own blocks": PyTorch's own start -> "standard deviation of 0.02"
- nn.init.normal_(self.token.weight, std=0.02)
- nn.init.normal_(self.position.weight, std=0.02)
# %% wrong of "PyTorch's own blocks": a start with a mean of 0.02 -> "standard deviation of 0.02"
- nn.init.normal_(self.token.weight, std=0.02)
+ nn.init.normal_(self.token.weight, 0.02)
# %% wrong of "PyTorch's own blocks": a head of its own -> "head.weight is a table of its own"
- self.norm = nn.LayerNorm(d_model)
+ self.norm = nn.LayerNorm(d_model)
+ self.head = nn.Linear(d_model, vocab_size, bias=False)

- return self.norm(x) @ self.token.weight.T
+ return self.head(self.norm(x))
# %% wrong of "PyTorch's own blocks": a head of its own that is copied from the table -> "head.weight is a table of its own"
- self.norm = nn.LayerNorm(d_model)
+ self.norm = nn.LayerNorm(d_model)
+ self.head = nn.Linear(d_model, vocab_size, bias=False)
+ self.head.weight.data.copy_(self.token.weight.data)

- return self.norm(x) @ self.token.weight.T
+ return self.head(self.norm(x))
# %% wrong of "PyTorch's own blocks": a tied head with a bias -> "The head has no bias. With nn.Linear, pass bias=False."
- self.norm = nn.LayerNorm(d_model)
+ self.norm = nn.LayerNorm(d_model)
+ self.head = nn.Linear(d_model, vocab_size)
+ self.head.weight = self.token.weight

- return self.norm(x) @ self.token.weight.T
+ return self.head(self.norm(x))
# %% wrong of "PyTorch's own blocks": no head -> "Is the head missing?"
- return self.norm(x) @ self.token.weight.T
+ return self.norm(x)
# %% wrong of "PyTorch's own blocks": the last position alone -> "not for the last alone"
- return self.norm(x) @ self.token.weight.T
+ return self.norm(x)[:, -1] @ self.token.weight.T
# %% wrong of "PyTorch's own blocks": probabilities -> "Is there a softmax at the end?"
- return self.norm(x) @ self.token.weight.T
+ return (self.norm(x) @ self.token.weight.T).softmax(-1)
# %% wrong of "PyTorch's own blocks": logarithms of probabilities -> "Is there a log_softmax at the end?"
- return self.norm(x) @ self.token.weight.T
+ return (self.norm(x) @ self.token.weight.T).log_softmax(-1)
# %% wrong of "PyTorch's own blocks": logits divided by the root of d_model -> "Are the logits divided by"
- return self.norm(x) @ self.token.weight.T
+ return self.norm(x) @ self.token.weight.T / x.shape[-1] ** 0.5
# %% wrong of "PyTorch's own blocks": no gradient to the head's table, and detached -> "No gradient reaches the rows of token.weight"
- return self.norm(x) @ self.token.weight.T
+ return self.norm(x) @ self.token.weight.detach().T
# %% wrong of "PyTorch's own blocks": too many ids are not refused in time -> "expected a ValueError, got RuntimeError"
- if seq > self.max_len:
-     raise ValueError(f"{seq} ids are more than max_len = {self.max_len}")
# %% wrong of "PyTorch's own blocks": too many ids are cut -> "expected a ValueError, got no error"
- seq = ids.shape[1]
- if seq > self.max_len:
-     raise ValueError(f"{seq} ids are more than max_len = {self.max_len}")
+ ids = ids[:, -self.max_len :]
+ seq = ids.shape[1]
# %% wrong of "PyTorch's own blocks": max_len ids are refused -> "ids are allowed here"
- if seq > self.max_len:
+ if seq >= self.max_len:
# %% wrong of "PyTorch's own blocks": the batch is measured instead of the length -> "expected a ValueError, got RuntimeError"
- if seq > self.max_len:
+ if len(ids) > self.max_len:
# %% wrong of "PyTorch's own blocks": another error -> "got IndexError"
- raise ValueError(f"{seq} ids are more than max_len = {self.max_len}")
+ raise IndexError(f"{seq} ids are more than max_len = {self.max_len}")
# %% wrong of "PyTorch's own blocks": an error that names nothing -> "should also name 10 and 9"
- raise ValueError(f"{seq} ids are more than max_len = {self.max_len}")
+ raise ValueError("too long")
# %% wrong of "PyTorch's own blocks": no nn.Module -> "Expected an nn.Module"
- class GPT(nn.Module):
+ class GPT:
# %% wrong of "PyTorch's own blocks": causal in training only -> "in eval mode: wrong logits"
- x = layer(x, src_mask=hidden)
+ x = layer(x, src_mask=hidden if self.training else None)
# %% wrong of "PyTorch's own blocks": dropout on the embedding -> "Is dropout 0?"
- x = self.token(ids) + self.position.weight[:seq]
+ x = F.dropout(self.token(ids) + self.position.weight[:seq], 0.1, self.training)
# %% wrong of "PyTorch's own blocks": blocks without biases -> "Parameter layers.0."
- options = {"dropout": 0.0, "norm_first": True, "batch_first": True}
+ options = {"dropout": 0.0, "norm_first": True, "batch_first": True, "bias": False}
# %% wrong of "PyTorch's own blocks": other names for the tables -> "Parameter token.weight: expected"
- self.token = nn.Embedding(vocab_size, d_model)
+ self.embedding = nn.Embedding(vocab_size, d_model)

- nn.init.normal_(self.token.weight, std=0.02)
+ nn.init.normal_(self.embedding.weight, std=0.02)

- x = self.token(ids) + self.position.weight[:seq]
+ x = self.embedding(ids) + self.position.weight[:seq]

- return self.norm(x) @ self.token.weight.T
+ return self.norm(x) @ self.embedding.weight.T
# %% wrong of "PyTorch's own blocks": a tied head under another name -> "Is it the head?"
- self.norm = nn.LayerNorm(d_model)
+ self.norm = nn.LayerNorm(d_model)
+ self.lm_head = nn.Linear(d_model, vocab_size, bias=False)
+ self.lm_head.weight = self.token.weight

- return self.norm(x) @ self.token.weight.T  # (batch, seq, vocab_size)
+ return self.lm_head(self.norm(x))
# %% wrong of "PyTorch's own blocks": x is added once more -> "A block adds to x already"
- x = layer(x, src_mask=hidden)
+ x = x + layer(x, src_mask=hidden)
# %% right: blocks of one's own, with q_proj, k_proj and v_proj
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
# %% wrong of "PyTorch's own blocks": a padding_idx -> "Is there a padding_idx"
- self.token = nn.Embedding(vocab_size, d_model)
+ self.token = nn.Embedding(vocab_size, d_model, padding_idx=0)
# %% wrong of "PyTorch's own blocks": the table read without its gradient -> "that were looked up. Is there"
- x = self.token(ids) + self.position.weight[:seq]
+ x = self.token(ids).detach() + self.position.weight[:seq]
# %% wrong of "PyTorch's own blocks": the id 0 hidden as padding -> "Is the id 0 taken for padding, and hidden?"
- x = layer(x, src_mask=hidden)
+ x = layer(x, src_mask=hidden, src_key_padding_mask=(ids == 0) & (torch.arange(seq) > 0))
# %% wrong of "PyTorch's own blocks": positions that go on from the call before -> "Is something kept from call to call?"
- x = self.token(ids) + self.position.weight[:seq]  # (batch, seq, d_model)
+ start = getattr(self, "seen", 0)
+ self.seen = start + seq
+ x = self.token(ids) + self.position(torch.arange(start, start + seq) % self.max_len)
# %% wrong of "PyTorch's own blocks": the table is not transposed -> "Is the head x @ token.weight.T, with the table transposed?"
- return self.norm(x) @ self.token.weight.T  # (batch, seq, vocab_size)
+ return self.norm(x) @ self.token.weight
# %% wrong of "PyTorch's own blocks": a mask for max_len ids, whatever came -> "Is the mask made for the ids that came, (seq, seq)?"
- hidden = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).triu(1)
+ hidden = torch.ones(self.max_len, self.max_len, dtype=torch.bool).triu(1)
# %% wrong: the head is a copy of the table from the beginning -> "Here it reads a copy from the beginning"
- nn.init.normal_(self.position.weight, std=0.02)
+ nn.init.normal_(self.position.weight, std=0.02)
+ self.register_buffer("head", self.token.weight.detach().clone())

- return self.blocks(x, earlier) @ self.token.weight.T
+ return self.blocks(x, earlier) @ self.head.T
# %% wrong: positions counted from 1 -> "Here they begin with row 1"
- x = self.token(ids) + self.position.weight[:seq]
+ x = self.token(ids) + self.position(torch.arange(1, seq + 1).clamp(max=self.max_len - 1))
# %% wrong: positions multiplied -> "Here they are multiplied"
- x = self.token(ids) + self.position.weight[:seq]
+ x = self.token(ids) * self.position.weight[:seq]
# %% wrong: a norm without numbers before the blocks -> "Here a norm comes first"
- return self.blocks(x, earlier) @ self.token.weight.T
+ x = F.layer_norm(x, x.shape[-1:])
+ return self.blocks(x, earlier) @ self.token.weight.T
# %% right: every layer begins small, as in minGPT
class GPT(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, n_layers, max_len):
        super().__init__()
        self.max_len = max_len
        self.token = nn.Embedding(vocab_size, d_model)
        self.position = nn.Embedding(max_len, d_model)
        self.blocks = stack(lambda: TransformerBlock(d_model, n_heads, 4 * d_model, norm_first=True), n_layers, LayerNorm(d_model))
        self.apply(self._init)

    def _init(self, m):
        if isinstance(m, (nn.Linear, nn.Embedding)):
            nn.init.normal_(m.weight, mean=0.0, std=0.02)
        if isinstance(m, nn.Linear) and m.bias is not None:
            nn.init.zeros_(m.bias)

    def forward(self, ids):
        seq = ids.shape[1]
        if seq > self.max_len:
            raise ValueError(f"{seq} ids are more than max_len = {self.max_len}")
        x = self.token(ids) + self.position.weight[:seq]
        mask = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).tril()
        x = self.blocks(x, mask)
        return x @ self.token.weight.T
# %% wrong: True lands on dropout -> "norm_first the fifth"
- return TransformerBlock(d_model, n_heads, 4 * d_model, norm_first=True)
+ return TransformerBlock(d_model, n_heads, 4 * d_model, True)
# %% wrong: positions by the size of the batch -> "Are seq rows of positions added"
- x = self.token(ids) + self.position.weight[:seq]
+ x = self.token(ids) + self.position.weight[: ids.shape[0]]
# %% wrong: flattened for the loss -> "Is it flattened?"
- return self.blocks(x, earlier) @ self.token.weight.T
+ return (self.blocks(x, earlier) @ self.token.weight.T).flatten(0, 1)
# %% wrong: positions looked up by the ids -> "and not of the ids?"
- x = self.token(ids) + self.position.weight[:seq]
+ x = self.token(ids) + self.position(ids)
# %% wrong: a position for each character of the vocabulary -> "so max_len = 9 of them"
- self.position = nn.Embedding(max_len, d_model)
+ self.position = nn.Embedding(vocab_size, d_model)
# %% wrong: the mask of the first call is kept -> "is something kept from the first call"
- earlier = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).tril()
+ if not hasattr(self, "earlier"):
+     self.earlier = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).tril()
+ earlier = self.earlier[:seq, :seq]
# %% wrong: as many blocks as heads -> "There are 3 blocks, expected n_layers = 2."
- self.blocks = stack(block, n_layers, LayerNorm(d_model))
+ self.blocks = stack(block, n_heads, LayerNorm(d_model))
# %% wrong: one position for all -> "Has each position a row of its own?"
- x = self.token(ids) + self.position.weight[:seq]
+ x = self.token(ids) + self.position.weight[0]
# %% wrong: the logits divided by d_model -> "They are PyTorch's, times 0.08333."
- return self.blocks(x, earlier) @ self.token.weight.T
+ return self.blocks(x, earlier) @ self.token.weight.T / self.token.embedding_dim

# %% wrong: only the token table begins small -> "A fresh position.weight has a standard deviation of"
- nn.init.normal_(self.position.weight, std=0.02)
+ self.position.weight.requires_grad_(True)

# %% wrong: the positions begin at 0.2 -> "A fresh position.weight has a standard deviation of"
- nn.init.normal_(self.position.weight, std=0.02)
+ nn.init.normal_(self.position.weight, std=0.2)

# %% wrong: the token table begins at 0.06 -> "A fresh token.weight has a standard deviation of"
- nn.init.normal_(self.token.weight, std=0.02)
+ nn.init.normal_(self.token.weight, std=0.06)
# %% right: the course's parts
class GPT(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, n_layers, max_len):
        super().__init__()
        self.max_len = max_len
        self.token, self.position = nn.Embedding(vocab_size, d_model), nn.Embedding(max_len, d_model)
        with torch.no_grad():
            for table in (self.token, self.position):
                table.weight.mul_(0.02)
        self.blocks = stack(lambda: TransformerBlock(d_model, n_heads, d_model * 4, 0.0, True), n_layers, LayerNorm(d_model))

    def forward(self, ids):
        batch, seq = ids.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} ids are more than max_len = {self.max_len}")
        at = torch.arange(seq, device=ids.device)
        x = self.token(ids) + self.position(at).expand(batch, -1, -1)
        x = self.blocks(x, at <= at[:, None])
        return torch.einsum("bsd,vd->bsv", x, self.token.weight)
# %% wrong of "the course's parts": positions looked up by the ids, modulo max_len -> "Are the positions looked up by the ids?"
- x = self.token(ids) + self.position(at).expand(batch, -1, -1)
+ x = self.token(ids) + self.position(ids % self.max_len)
# %% wrong of "the course's parts": a window of the last two -> "Here it sees 2, itself included."
- x = self.blocks(x, at <= at[:, None])
+ x = self.blocks(x, (at <= at[:, None]) & (at > at[:, None] - 2))
# %% wrong of "the course's parts": both times small -> "Is it scaled twice?"
- table.weight.mul_(0.02)
+ table.weight.mul_(0.02).mul_(0.02)
# %% wrong of "the course's parts": a variance of 0.02 -> "and not the variance?"
- table.weight.mul_(0.02)
+ table.weight.mul_(0.02**0.5)
# %% wrong of "the course's parts": uniform numbers up to 0.02 -> "Are they drawn by normal_?"
- table.weight.mul_(0.02)
+ table.weight.uniform_(-0.02, 0.02)

# %% wrong: positions looked up by the ids, the large ones cut -> "looked up by the ids"
- x = self.token(ids) + self.position.weight[:seq]
+ x = self.token(ids) + self.position(ids.clamp(max=self.max_len - 1))

# %% wrong: position table starts at zeros -> "one number everywhere"
- nn.init.normal_(self.position.weight, std=0.02)
+ nn.init.zeros_(self.position.weight)

# %% wrong: the first position is never read -> "Position 1 of sentence 0 reads the rows [1] of position there"
- earlier = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).tril()
+ earlier = torch.ones(seq, seq, dtype=torch.bool, device=ids.device).tril()
+ earlier[1:, 0] = False
