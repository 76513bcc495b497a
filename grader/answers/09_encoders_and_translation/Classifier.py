# %% right: layers and norm in the class itself, positions by number, the mean by einsum
- self.blocks = stack(block, n_layers, LayerNorm(d_model))
+ self.layers = nn.ModuleList(block() for _ in range(n_layers))
+ self.norm = nn.LayerNorm(d_model)

- x = self.token(ids) + self.position.weight[: ids.shape[1]]  # (batch, seq, d_model)
- x = self.blocks(x, words[:, None, None])  # one mask for all heads and all queries
- total = x.masked_fill(~words[..., None], 0).sum(dim=1)
- return self.head(total / words.sum(dim=1, keepdim=True))
+ x = self.token(ids) + self.position(torch.arange(ids.shape[1]))
+ for layer in self.layers:
+     x = layer(x, words.unsqueeze(1).unsqueeze(1))
+ shares = words.float() / words.sum(1, keepdim=True)
+ return self.head(torch.einsum("bs,bsd->bd", shares, self.norm(x)))

# %% right: a mask written out for every query, the head before the mean
- x = self.blocks(x, words[:, None, None])  # one mask for all heads and all queries
- total = x.masked_fill(~words[..., None], 0).sum(dim=1)
- return self.head(total / words.sum(dim=1, keepdim=True))
+ x = self.blocks(x, words[:, None, None, :].expand(-1, 1, ids.shape[1], -1))
+ votes = self.head(x).masked_fill(~words[..., None], 0)
+ return votes.sum(dim=1) / words.sum(dim=1, keepdim=True)

# %% right: a stack of one's own, whose norm has another name
class Row(nn.Module):
    def __init__(self, blocks, last):
        super().__init__()
        self.layers, self.last = nn.ModuleList(blocks), last

    def forward(self, x, mask):
        for block in self.layers:
            x = block(x, mask)
        return self.last(x)


class Classifier(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, n_layers, n_classes, max_len):
        super().__init__()
        self.token, self.position = nn.Embedding(vocab_size, d_model), nn.Embedding(max_len, d_model)
        sizes = (d_model, n_heads, 4 * d_model)
        blocks = [TransformerBlock(*sizes, norm_first=True) for _ in range(n_layers)]
        self.blocks, self.head = Row(blocks, nn.LayerNorm(d_model)), nn.Linear(d_model, n_classes)

    def forward(self, ids):
        words = ids > 0
        x = self.blocks(self.token(ids) + self.position.weight[: ids.size(1)], words[:, None, None])
        shares = words / words.sum(1, keepdim=True)
        return self.head((shares[:, None] @ x).squeeze(1))

# %% right: blocks whose feed-forward network is a module of its own
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.linear2(self.linear1(x).relu())


class Block(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.self_attn, self.feed_forward = Attention(d_model, n_heads), FeedForward(d_model, 4 * d_model)
        self.norm1, self.norm2 = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x, mask=None):
        x = x + self.self_attn(self.norm1(x), mask=mask)
        return x + self.feed_forward(self.norm2(x))


class Classifier(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, n_layers, n_classes, max_len):
        super().__init__()
        self.token, self.position = nn.Embedding(vocab_size, d_model), nn.Embedding(max_len, d_model)
        self.blocks = stack(lambda: Block(d_model, n_heads), n_layers, LayerNorm(d_model))
        self.head = nn.Linear(d_model, n_classes)

    def forward(self, ids):
        words = (ids != 0)[:, None, None]
        x = self.blocks(self.token(ids) + self.position.weight[: ids.shape[1]], words)
        return self.head(torch.stack([row[kept].mean(0) for row, kept in zip(x, ids != 0)]))

# %% wrong: the stack gets no mask -> "Here every word attends to it"
- x = self.blocks(x, words[:, None, None])
+ x = self.blocks(x)

# %% wrong: the mask upside down, as in PyTorch -> "Is the mask upside down"
- x = self.blocks(x, words[:, None, None])
+ x = self.blocks(x, ~words[:, None, None])

# %% wrong: the mask has no axes for heads and queries -> "In your blocks it is (batch, 1, 1, seq)"
- x = self.blocks(x, words[:, None, None])
+ x = self.blocks(x, words)

# %% wrong: the mask has one axis too few -> "In your blocks it is (batch, 1, 1, seq)"
- x = self.blocks(x, words[:, None, None])
+ x = self.blocks(x, words[:, None])

# %% wrong: padding is hidden as a query -> "Here it is hidden as a query"
- x = self.blocks(x, words[:, None, None])
+ x = self.blocks(x, words[:, None, :, None])

# %% wrong: a mask of numbers in blocks of one's own -> "turns a bool mask round"
- x = self.blocks(x, words[:, None, None])
+ x = self.blocks(x, words[:, None, None].float())

# %% wrong: causal, and padding hidden -> "An encoder is not causal"
- x = self.blocks(x, words[:, None, None])
+ seq = ids.shape[1]
+ x = self.blocks(x, words[:, None, None] & torch.ones(seq, seq).tril().bool())

# %% wrong: causal, as in GPT -> "Here later words are, and padding is not."
- x = self.blocks(x, words[:, None, None])
+ seq = ids.shape[1]
+ x = self.blocks(x, torch.ones(seq, seq).tril().bool())

# %% wrong: post-norm blocks -> "Is it pre-norm"
- return TransformerBlock(d_model, n_heads, 4 * d_model, norm_first=True)
+ return TransformerBlock(d_model, n_heads, 4 * d_model)

# %% wrong: the stack has no norm -> "norm.weight: expected (12,), got none"
- self.blocks = stack(block, n_layers, LayerNorm(d_model))
+ self.blocks = stack(block, n_layers)

# %% wrong: the stack ends with its norm, and another follows -> "`stack` ends with it already."
- total = x.masked_fill(~words[..., None], 0).sum(dim=1)
- return self.head(total / words.sum(dim=1, keepdim=True))
+ total = self.blocks.norm(x).masked_fill(~words[..., None], 0).sum(dim=1)
+ return self.head(total / words.sum(dim=1, keepdim=True))

# %% wrong: stack gets a block, not a function -> "does `stack` get a function that makes one?"
- self.blocks = stack(block, n_layers, LayerNorm(d_model))
+ self.blocks = stack(block(), n_layers, LayerNorm(d_model))

# %% wrong: one block, n_layers times -> "Is one layer used in two places?"
- self.blocks = stack(block, n_layers, LayerNorm(d_model))
+ one = block()
+ self.blocks = stack(lambda: one, n_layers, LayerNorm(d_model))

# %% wrong: the stack is called layers -> "There is layers.layers.0.self_attn.q_proj.weight of this shape"
- self.blocks = stack(block, n_layers, LayerNorm(d_model))
+ self.layers = stack(block, n_layers, LayerNorm(d_model))

- x = self.blocks(x, words[:, None, None])
+ x = self.layers(x, words[:, None, None])

# %% wrong: blocks of one's own in a plain list -> "Do they stand in a plain list?"
- self.blocks = stack(block, n_layers, LayerNorm(d_model))
+ self.blocks, self.norm = [block() for _ in range(n_layers)], LayerNorm(d_model)

- x = self.blocks(x, words[:, None, None])
+ for one in self.blocks:
+     x = one(x, words[:, None, None])
+ x = self.norm(x)

# %% wrong: d_ff = d_model -> "linear1.weight: expected (48, 12), got (12, 12)"
- return TransformerBlock(d_model, n_heads, 4 * d_model, norm_first=True)
+ return TransformerBlock(d_model, n_heads, d_model, norm_first=True)

# %% wrong: d_model and n_heads exchanged -> "Is each part made with the arguments that it needs?"
- return TransformerBlock(d_model, n_heads, 4 * d_model, norm_first=True)
+ return TransformerBlock(d_model, 4 * d_model, norm_first=True)

# %% wrong: dropout in the blocks -> "Is the dropout 0.0"
- return TransformerBlock(d_model, n_heads, 4 * d_model, norm_first=True)
+ return TransformerBlock(d_model, n_heads, 4 * d_model, 0.1, norm_first=True)

# %% wrong: one head in blocks of one's own -> "These have 1"
- return TransformerBlock(d_model, n_heads, 4 * d_model, norm_first=True)
+ return TransformerBlock(d_model, 1, 4 * d_model, norm_first=True)

# %% wrong: the plain mean of what the blocks return -> "This is the plain mean"
- total = x.masked_fill(~words[..., None], 0).sum(dim=1)
- return self.head(total / words.sum(dim=1, keepdim=True))
+ return self.head(x.mean(dim=1))

# %% wrong: a token in front judges, as BERT's [CLS] -> "the first position alone"
- total = x.masked_fill(~words[..., None], 0).sum(dim=1)
- return self.head(total / words.sum(dim=1, keepdim=True))
+ return self.head(x[:, 0])

# %% wrong: the mean is taken over padding -> "the mean over the padding"
- total = x.masked_fill(~words[..., None], 0).sum(dim=1)
- return self.head(total / words.sum(dim=1, keepdim=True))
+ total = x.masked_fill(words[..., None], 0).sum(dim=1)
+ return self.head(total / (~words).sum(dim=1, keepdim=True).clamp(min=1))

# %% wrong: no positions, with blocks of one's own -> "Are the positions added"
- x = self.token(ids) + self.position.weight[: ids.shape[1]]
+ x = self.token(ids)

# %% wrong: all positions for fewer ids -> "The table has 9 rows"
- x = self.token(ids) + self.position.weight[: ids.shape[1]]
+ x = self.token(ids) + self.position.weight

# %% wrong: a mask from both sides, joined by "or" -> "To hide keys, a mask of your blocks has the shape"
- x = self.blocks(x, words[:, None, None])
+ x = self.blocks(x, words[:, None, None] | words[:, None, :, None])

# %% wrong: the blocks are called without the embeddings -> "blocks with a mask, masked mean, head?"
- x = self.blocks(x, words[:, None, None])
+ x = self.blocks(ids, words[:, None, None])

# %% wrong: relu after each block -> "The logits differ from PyTorch's."
- x = self.blocks(x, words[:, None, None])
+ x = self.blocks(x, words[:, None, None]).relu()

# %% right: PyTorch's layers
class Classifier(nn.Module):
    """Judges a whole sequence: ids (batch, seq), 0 = padding -> logits (batch, n_classes)."""

    def __init__(self, vocab_size, d_model, n_heads, n_layers, n_classes, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.position = nn.Embedding(max_len, d_model)
        options = {"dropout": 0.0, "norm_first": True, "batch_first": True}
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(d_model, n_heads, 4 * d_model, **options)
            for _ in range(n_layers)
        )
        self.norm = nn.LayerNorm(d_model)
        self.head = nn.Linear(d_model, n_classes)

    def forward(self, ids):
        words = ids != 0  # (batch, seq)
        x = self.token(ids) + self.position.weight[: ids.shape[1]]  # (batch, seq, d_model)
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=~words)
        total = self.norm(x).masked_fill(~words[..., None], 0).sum(dim=1)
        return self.head(total / words.sum(dim=1, keepdim=True))

# %% right: nn.TransformerEncoder around the layers' keys, and masked_mean by einsum
class Classifier(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, n_layers, n_classes, max_len):
        super().__init__()
        self.head = nn.Linear(d_model, n_classes)
        self.norm = nn.LayerNorm(d_model)
        layer = nn.TransformerEncoderLayer(
            d_model, n_heads, 4 * d_model, 0.0, batch_first=True, norm_first=True
        )
        encoder = nn.TransformerEncoder(layer, n_layers, enable_nested_tensor=False)
        self.layers = encoder.layers
        self.position = nn.Embedding(max_len, d_model)
        self.token = nn.Embedding(vocab_size, d_model, padding_idx=0)

    def forward(self, ids):
        words = ids.ne(0)
        x = self.token(ids) + self.position(torch.arange(ids.shape[1], device=ids.device))
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=words.logical_not())
        shares = words.float() / words.sum(1, keepdim=True)
        return self.head(torch.einsum("bs,bsd->bd", shares, self.norm(x)))

# %% right: own blocks under PyTorch's names, fused attention
class Attention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.in_proj_weight = nn.Parameter(torch.randn(3 * d_model, d_model) * 0.1)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * d_model))
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, x, keep):
        packed = F.linear(x, self.in_proj_weight, self.in_proj_bias)
        query, key, value = packed.unflatten(-1, (3, self.n_heads, -1)).permute(2, 0, 3, 1, 4)
        out = F.scaled_dot_product_attention(query, key, value, attn_mask=keep[:, None, None])
        return self.out_proj(out.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.self_attn = Attention(d_model, n_heads)
        self.linear1 = nn.Linear(d_model, 4 * d_model)
        self.linear2 = nn.Linear(4 * d_model, d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x, keep):
        x = x + self.self_attn(self.norm1(x), keep)
        return x + self.linear2(self.linear1(self.norm2(x)).relu())


class Classifier(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, n_layers, n_classes, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.position = nn.Embedding(max_len, d_model)
        self.layers = nn.ModuleList([Block(d_model, n_heads) for _ in range(n_layers)])
        self.norm, self.head = nn.LayerNorm(d_model), nn.Linear(d_model, n_classes)
        self.register_buffer("unused", torch.zeros(2))

    def forward(self, ids):
        keep = ids > 0
        x = self.token(ids) + self.position.weight[: ids.shape[1]]
        for layer in self.layers:
            x = layer(x, keep)
        rows = [row[words].mean(0) for row, words in zip(self.norm(x), keep)]
        return self.head(torch.stack(rows))

# %% right of "PyTorch's layers": padding cut away, row by row
- words = ids != 0  # (batch, seq)
- x = self.token(ids) + self.position.weight[: ids.shape[1]]  # (batch, seq, d_model)
- for layer in self.layers:
-     x = layer(x, src_key_padding_mask=~words)
- total = self.norm(x).masked_fill(~words[..., None], 0).sum(dim=1)
- return self.head(total / words.sum(dim=1, keepdim=True))
+ rows = []
+ for row in ids:
+     places = row.nonzero()[:, 0]
+     x = (self.token(row[places]) + self.position(places))[None]
+     for layer in self.layers:
+         x = layer(x)
+     rows.append(self.norm(x).mean(dim=1))
+ return self.head(torch.cat(rows))

# %% right of "PyTorch's layers": a float mask for every head, and the head before the mean
  for layer in self.layers:
-     x = layer(x, src_key_padding_mask=~words)
- total = self.norm(x).masked_fill(~words[..., None], 0).sum(dim=1)
- return self.head(total / words.sum(dim=1, keepdim=True))
+     scores = torch.zeros(words.shape).masked_fill(~words, -torch.inf)[:, None]
+     scores = scores.expand(-1, ids.shape[1], -1)
+     x = layer(x, src_mask=scores.repeat_interleave(layer.self_attn.num_heads, dim=0))
+ logits = self.head(self.norm(x)) * words[..., None]
+ return logits.sum(dim=1) / words.sum(dim=1, keepdim=True)

# %% right of "PyTorch's layers": nn.Sequential for the layers, one-hot embeddings
- self.layers = nn.ModuleList(
-     nn.TransformerEncoderLayer(d_model, n_heads, 4 * d_model, **options)
-     for _ in range(n_layers)
- )
+ def made():
+     return nn.TransformerEncoderLayer(d_model, n_heads, 4 * d_model, **options)
+ self.layers = nn.Sequential(*(made() for _ in range(n_layers)))

- x = self.token(ids) + self.position.weight[: ids.shape[1]]  # (batch, seq, d_model)
+ one_hot = F.one_hot(ids, self.token.num_embeddings).float()
+ x = one_hot @ self.token.weight + self.position.weight[: ids.shape[1]]

# %% wrong of "PyTorch's layers": padding is not hidden -> "Here every word attends to it"
- x = layer(x, src_key_padding_mask=~words)
+ x = layer(x)

# %% wrong of "PyTorch's layers": the mask upside down -> "Is the mask upside down"
- x = layer(x, src_key_padding_mask=~words)
+ x = layer(x, src_key_padding_mask=words)

# %% wrong of "PyTorch's layers": the plain mean -> "This is the plain mean"
- total = self.norm(x).masked_fill(~words[..., None], 0).sum(dim=1)
- return self.head(total / words.sum(dim=1, keepdim=True))
+ return self.head(self.norm(x).mean(dim=1))

# %% wrong of "PyTorch's layers": padding at both places -> "This is the plain mean"
  for layer in self.layers:
-     x = layer(x, src_key_padding_mask=~words)
- total = self.norm(x).masked_fill(~words[..., None], 0).sum(dim=1)
- return self.head(total / words.sum(dim=1, keepdim=True))
+     x = layer(x)
+ return self.head(self.norm(x).mean(dim=1))

# %% wrong of "PyTorch's layers": the first position judges -> "the first position alone"
- total = self.norm(x).masked_fill(~words[..., None], 0).sum(dim=1)
- return self.head(total / words.sum(dim=1, keepdim=True))
+ return self.head(self.norm(x)[:, 0])

# %% wrong of "PyTorch's layers": the last position judges -> "the last position alone"
- total = self.norm(x).masked_fill(~words[..., None], 0).sum(dim=1)
- return self.head(total / words.sum(dim=1, keepdim=True))
+ return self.head(self.norm(x)[:, -1])

# %% wrong of "PyTorch's layers": a sum -> "Is the sum divided by the number of words"
- return self.head(total / words.sum(dim=1, keepdim=True))
+ return self.head(total)

# %% wrong of "PyTorch's layers": divided by the length -> "not by the length"
- return self.head(total / words.sum(dim=1, keepdim=True))
+ return self.head(total / ids.shape[1])

# %% wrong of "PyTorch's layers": the mean over the padding -> "the mean over the padding"
- total = self.norm(x).masked_fill(~words[..., None], 0).sum(dim=1)
- return self.head(total / words.sum(dim=1, keepdim=True))
+ total = self.norm(x).masked_fill(words[..., None], 0).sum(dim=1)
+ return self.head(total / (~words).sum(dim=1, keepdim=True).clamp(min=1))

# %% wrong of "PyTorch's layers": causal -> "An encoder is not causal"
- x = layer(x, src_key_padding_mask=~words)
+ later = torch.ones(ids.shape[1], ids.shape[1]).triu(1).bool()
+ x = layer(x, src_mask=later, src_key_padding_mask=~words)

# %% wrong of "PyTorch's layers": post-norm -> "Is it pre-norm"
- options = {"dropout": 0.0, "norm_first": True, "batch_first": True}
+ options = {"dropout": 0.0, "batch_first": True}

# %% wrong of "PyTorch's layers": gelu -> "Is the activation relu"
- options = {"dropout": 0.0, "norm_first": True, "batch_first": True}
+ options = {"dropout": 0.0, "norm_first": True, "batch_first": True, "activation": "gelu"}

# %% wrong of "PyTorch's layers": PyTorch's dropout of 0.1 -> "Is the dropout 0.0"
- options = {"dropout": 0.0, "norm_first": True, "batch_first": True}
+ options = {"norm_first": True, "batch_first": True}

# %% wrong of "PyTorch's layers": batch_first forgotten -> "batch_first=True"
- options = {"dropout": 0.0, "norm_first": True, "batch_first": True}
+ options = {"dropout": 0.0, "norm_first": True}

# %% wrong of "PyTorch's layers": d_ff stays 2048 -> "Parameter layers.0.linear1.weight"
- nn.TransformerEncoderLayer(d_model, n_heads, 4 * d_model, **options)
+ nn.TransformerEncoderLayer(d_model, n_heads, **options)

# %% wrong of "PyTorch's layers": scaled embeddings -> "Is the embedding scaled"
- x = self.token(ids) + self.position.weight[: ids.shape[1]]  # (batch, seq, d_model)
+ x = self.token(ids) * self.token.embedding_dim**0.5 + self.position.weight[: ids.shape[1]]

# %% wrong of "PyTorch's layers": no positions are added -> "Are the positions added"
- x = self.token(ids) + self.position.weight[: ids.shape[1]]  # (batch, seq, d_model)
+ x = self.token(ids)

# %% wrong of "PyTorch's layers": there is no table of positions -> "Parameter position.weight"
- self.position = nn.Embedding(max_len, d_model)

- x = self.token(ids) + self.position.weight[: ids.shape[1]]  # (batch, seq, d_model)
+ x = self.token(ids)

# %% wrong of "PyTorch's layers": only words are counted for the positions -> "Are positions counted from the row's start"
- x = self.token(ids) + self.position.weight[: ids.shape[1]]  # (batch, seq, d_model)
+ x = self.token(ids) + self.position((words.cumsum(dim=1) - 1).clamp(min=0))

# %% wrong of "PyTorch's layers": the last norm is not applied -> "Is the last norm applied"
- total = self.norm(x).masked_fill(~words[..., None], 0).sum(dim=1)
+ total = x.masked_fill(~words[..., None], 0).sum(dim=1)

# %% wrong of "PyTorch's layers": the norm after the mean -> "Is the norm applied to each word, before the mean"
- total = self.norm(x).masked_fill(~words[..., None], 0).sum(dim=1)
- return self.head(total / words.sum(dim=1, keepdim=True))
+ total = x.masked_fill(~words[..., None], 0).sum(dim=1)
+ return self.head(self.norm(total / words.sum(dim=1, keepdim=True)))

# %% wrong of "PyTorch's layers": the last norm before every block -> "Is it token + position, blocks, norm"
  for layer in self.layers:
-     x = layer(x, src_key_padding_mask=~words)
- total = self.norm(x).masked_fill(~words[..., None], 0).sum(dim=1)
+     x = layer(self.norm(x), src_key_padding_mask=~words)
+ total = x.masked_fill(~words[..., None], 0).sum(dim=1)

# %% wrong of "PyTorch's layers": one head -> "These have 1"
- nn.TransformerEncoderLayer(d_model, n_heads, 4 * d_model, **options)
+ nn.TransformerEncoderLayer(d_model, 1, 4 * d_model, **options)

# %% wrong of "PyTorch's layers": one layer alone is used -> "Does x pass through every layer"
- for layer in self.layers:
+ for layer in self.layers[:1]:

# %% wrong of "PyTorch's layers": every layer reads the embeddings -> "Does x pass through every layer"
- for layer in self.layers:
-     x = layer(x, src_key_padding_mask=~words)
- total = self.norm(x).masked_fill(~words[..., None], 0).sum(dim=1)
+ for layer in self.layers:
+     out = layer(x, src_key_padding_mask=~words)
+ total = self.norm(out).masked_fill(~words[..., None], 0).sum(dim=1)

# %% wrong of "PyTorch's layers": one layer is used n times -> "Does x pass through every layer"
- for layer in self.layers:
-     x = layer(x, src_key_padding_mask=~words)
+ for _ in self.layers:
+     x = self.layers[0](x, src_key_padding_mask=~words)

# %% wrong of "PyTorch's layers": the layers in a plain list -> "Parameter layers.0"
- self.layers = nn.ModuleList(
-     nn.TransformerEncoderLayer(d_model, n_heads, 4 * d_model, **options)
-     for _ in range(n_layers)
- )
+ self.layers = [
+     nn.TransformerEncoderLayer(d_model, n_heads, 4 * d_model, **options)
+     for _ in range(n_layers)
+ ]

# %% wrong of "PyTorch's layers": the blocks under another name -> "There is blocks.0.self_attn.in_proj_weight of this shape"
- self.layers = nn.ModuleList(
+ self.blocks = nn.ModuleList(

- for layer in self.layers:
+ for layer in self.blocks:

# %% wrong of "PyTorch's layers": probabilities -> "Is there a softmax"
- return self.head(total / words.sum(dim=1, keepdim=True))
+ return self.head(total / words.sum(dim=1, keepdim=True)).softmax(dim=-1)

# %% wrong of "PyTorch's layers": log-probabilities -> "Is there a log_softmax"
- return self.head(total / words.sum(dim=1, keepdim=True))
+ return self.head(total / words.sum(dim=1, keepdim=True)).log_softmax(dim=-1)

# %% wrong of "PyTorch's layers": logits for every word -> "Is the mean over the words taken before the head"
- total = self.norm(x).masked_fill(~words[..., None], 0).sum(dim=1)
- return self.head(total / words.sum(dim=1, keepdim=True))
+ return self.head(self.norm(x))

# %% wrong of "PyTorch's layers": the head is not applied -> "Is the head missing"
- return self.head(total / words.sum(dim=1, keepdim=True))
+ return total / words.sum(dim=1, keepdim=True)

# %% wrong of "PyTorch's layers": a head without bias -> "Parameter head.bias"
- self.head = nn.Linear(d_model, n_classes)
+ self.head = nn.Linear(d_model, n_classes, bias=False)

# %% wrong of "PyTorch's layers": padding is only sought at the end -> "Padding may stand anywhere"
- words = ids != 0  # (batch, seq)
+ words = torch.arange(ids.shape[1]) < (ids != 0).sum(dim=1, keepdim=True)

# %% wrong of "PyTorch's layers": only trailing padding is found -> "Padding may stand anywhere"
- words = ids != 0  # (batch, seq)
+ words = (ids != 0).flip(1).cumsum(dim=1).flip(1) > 0

# %% wrong of "PyTorch's layers": other names of the arguments -> "Are the arguments called as in the exercise"
- def __init__(self, vocab_size, d_model, n_heads, n_layers, n_classes, max_len):
+ def __init__(self, vocab, d_model, n_heads, n_layers, n_classes, max_len):

- self.token = nn.Embedding(vocab_size, d_model)
+ self.token = nn.Embedding(vocab, d_model)

# %% wrong of "PyTorch's layers": the whole table of positions is added -> "Are the positions cut to the 6 columns"
- x = self.token(ids) + self.position.weight[: ids.shape[1]]  # (batch, seq, d_model)
+ x = self.token(ids) + self.position.weight

# %% wrong of "PyTorch's layers": positions begin at 1 -> "Do the positions begin at 0"
- x = self.token(ids) + self.position.weight[: ids.shape[1]]
+ x = self.token(ids) + self.position.weight[1 : ids.shape[1] + 1]

# %% wrong of "PyTorch's layers": another eps in the blocks -> "Is the eps of the norms"
- options = {"dropout": 0.0, "norm_first": True, "batch_first": True}
+ options = {"dropout": 0.0, "norm_first": True, "batch_first": True, "layer_norm_eps": 1e-3}

# %% wrong of "PyTorch's layers": a mask of numbers -> "Is the mask bool?"
- x = layer(x, src_key_padding_mask=~words)
+ x = layer(x, src_key_padding_mask=(~words).float())

# %% wrong of "PyTorch's layers": the last norm after each block, and at the end -> "Here it follows each block"
- x = layer(x, src_key_padding_mask=~words)
+ x = self.norm(layer(x, src_key_padding_mask=~words))

# %% wrong of "PyTorch's layers": the axis of one class is squeezed away -> "Is there a squeeze?"
- return self.head(total / words.sum(dim=1, keepdim=True))
+ return self.head(total / words.sum(dim=1, keepdim=True)).squeeze(-1)

# %% right of "PyTorch's layers": parts in a ModuleDict, the head before the mean
- self.layers = nn.ModuleList(
-     nn.TransformerEncoderLayer(d_model, n_heads, 4 * d_model, **options)
-     for _ in range(n_layers)
- )
+ self.layers = nn.ModuleDict({
+     str(n): nn.TransformerEncoderLayer(d_model, n_heads, 4 * d_model, **options)
+     for n in range(n_layers)
+ })

- for layer in self.layers:
-     x = layer(x, src_key_padding_mask=~words)
- total = self.norm(x).masked_fill(~words[..., None], 0).sum(dim=1)
- return self.head(total / words.sum(dim=1, keepdim=True))
+ for layer in self.layers.values():
+     x = layer(x, src_key_padding_mask=~words)
+ votes = self.head(self.norm(x)).masked_fill(~words[..., None], 0)
+ return votes.sum(dim=1) / words.sum(dim=1, keepdim=True)

# %% wrong of "PyTorch's layers": padding is hidden in training mode alone -> "in eval mode, and the result changes"
- x = layer(x, src_key_padding_mask=~words)
+ x = layer(x, src_key_padding_mask=~words if self.training else None)

# %% right: blocks of one's own, with PyTorch's keys and F.scaled_dot_product_attention
class Block(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(d, h, batch_first=True)
        self.linear1, self.linear2 = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)
        self.norm1, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.h = h

    def forward(self, x, keep):
        n = self.norm1(x)
        q, k, v = (
            t.unflatten(-1, (self.h, -1)).transpose(1, 2)
            for t in F.linear(n, self.self_attn.in_proj_weight, self.self_attn.in_proj_bias).chunk(
                3, -1
            )
        )
        a = F.scaled_dot_product_attention(q, k, v, attn_mask=keep[:, None, None])
        x = x + F.linear(
            a.transpose(1, 2).flatten(2),
            self.self_attn.out_proj.weight,
            self.self_attn.out_proj.bias,
        )
        return x + self.linear2(self.linear1(self.norm2(x)).relu_())


class Classifier(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, n_layers, n_classes, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model, padding_idx=0)
        self.position = nn.Embedding(max_len, d_model)
        self.layers = nn.ModuleList([Block(d_model, n_heads) for _ in range(n_layers)])
        self.norm = nn.LayerNorm(d_model)
        self.head = nn.Linear(d_model, n_classes)

    def forward(self, ids):
        keep = ids > 0
        x = F.embedding(ids, self.token.weight) + self.position.weight[: ids.size(1)]
        for block in self.layers:
            x = block(x, keep)
        return self.head(torch.einsum("bsd,bs->bd", self.norm(x), keep / keep.sum(1, keepdim=True)))

# %% right: each row by itself, its words alone, each at its own position
class Classifier(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, n_layers, n_classes, max_len):
        super().__init__()
        self.token, self.position = (
            nn.Embedding(vocab_size, d_model),
            nn.Embedding(max_len, d_model),
        )
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, 0.0, batch_first=True, norm_first=True
            )
            for _ in range(n_layers)
        )
        self.norm, self.head = nn.LayerNorm(d_model), nn.Linear(d_model, n_classes)

    def forward(self, ids):
        out = []
        for row in ids:
            keep = row.nonzero().squeeze(1)
            x = (self.token(row[keep]) + self.position(keep))[None]
            for layer in self.layers:
                x = layer(x)
            out.append(self.norm(x).mean(1))
        return self.head(torch.cat(out))

# %% wrong of "PyTorch's layers": padding set to 0 in front of the blocks, and not hidden -> "A vector of zeros still takes its share"
- x = self.token(ids) + self.position.weight[: ids.shape[1]]  # (batch, seq, d_model)
+ x = (self.token(ids) + self.position.weight[: ids.shape[1]]) * words[..., None]

- x = layer(x, src_key_padding_mask=~words)
+ x = layer(x)

# %% wrong of "PyTorch's layers": the id 1 taken for padding, too -> "Is the id 0 alone padding?"
- words = ids != 0  # (batch, seq)
+ words = ids > 1

# %% wrong of "PyTorch's layers": positions of words alone, from 1, as in RoBERTa -> "Here words alone are counted."
- x = self.token(ids) + self.position.weight[: ids.shape[1]]  # (batch, seq, d_model)
+ x = self.token(ids) + self.position(words.cumsum(dim=1))

# %% wrong of "PyTorch's layers": BERT's tanh before the head -> "Is there a tanh before the head?"
- return self.head(total / words.sum(dim=1, keepdim=True))
+ return self.head(torch.tanh(total / words.sum(dim=1, keepdim=True)))

# %% wrong of "PyTorch's layers": the padding mask as src_mask -> "Padding is given as src_key_padding_mask"
- x = layer(x, src_key_padding_mask=~words)
+ x = layer(x, src_mask=~words)

# %% wrong of "PyTorch's layers": the padding mask as src_mask, by place -> "Padding is given as src_key_padding_mask"
- x = layer(x, src_key_padding_mask=~words)
+ x = layer(x, ~words)

# %% wrong: one argument, a config -> "It is called as Classifier(vocab_size, d_model"
class Classifier(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.token = nn.Embedding(config.vocab_size, 3)

# %% right: the stack without a norm, and the norm in the class
class Classifier(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, n_layers, n_classes, max_len):
        super().__init__()
        self.token, self.position = nn.Embedding(vocab_size, d_model), nn.Embedding(max_len, d_model)
        self.blocks = stack(lambda: TransformerBlock(d_model, n_heads, 4 * d_model, norm_first=True), n_layers)
        self.norm, self.head = LayerNorm(d_model), nn.Linear(d_model, n_classes)
    def forward(self, ids):
        words = ids != 0
        x = self.blocks(self.token(ids) + self.position.weight[:ids.shape[1]], words[:, None, None])
        return self.head(self.norm(x).masked_fill(~words[..., None], 0).sum(1) / words.sum(1, keepdim=True))
# %% wrong: the attention seeks padding at the end -> "In the attention it is sought at the end alone"
- x = self.blocks(x, words[:, None, None])
+ at_the_front = torch.arange(ids.shape[1]) < words.sum(1, keepdim=True)
+ x = self.blocks(x, at_the_front[:, None, None])
# %% wrong: the ids are looked up as positions -> "and not the ids?"
- x = self.token(ids) + self.position.weight[: ids.shape[1]]
+ x = self.token(ids) + self.position(ids)
# %% right: the head before the mean
- total = x.masked_fill(~words[..., None], 0).sum(dim=1)
- return self.head(total / words.sum(dim=1, keepdim=True))
+ return masked_mean(self.head(x), words)
# %% wrong: the mean before the blocks -> "Does the mean come after the blocks?"
- x = self.blocks(x, words[:, None, None])
- total = x.masked_fill(~words[..., None], 0).sum(dim=1)
- return self.head(total / words.sum(dim=1, keepdim=True))
+ x = self.blocks(masked_mean(x, words)[:, None])
+ return self.head(x[:, 0])
# %% wrong: the mask of the call before is kept -> "Is a mask kept from the call before?"
- words = ids != 0
+ if getattr(self, "words", ids[:0]).shape != ids.shape:
+     self.words = ids != 0
+ words = self.words
# %% wrong: the blocks get the first sentence's mask -> "Here the blocks get that of the first one."
- x = self.blocks(x, words[:, None, None])
+ x = self.blocks(x, words[:1, None, None])
# %% wrong: the first sentence's mask for all -> "Here that of the first one serves all."
- words = ids != 0
+ words = (ids[:1] != 0).expand_as(ids)
# %% wrong: a position for each sentence -> "Does each word get a position, not each sentence?"
- x = self.token(ids) + self.position.weight[: ids.shape[1]]
+ x = self.token(ids) + self.position.weight[: len(ids), None]
# %% wrong: the norm once more behind the mean -> "Here it follows the mean, too."
- return self.head(total / words.sum(dim=1, keepdim=True))
+ return self.head(self.blocks.norm(total / words.sum(dim=1, keepdim=True)))
# %% right: torch's layers
class Classifier(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, n_layers, n_classes, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.position = nn.Embedding(max_len, d_model)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(d_model, n_heads, 4 * d_model, dropout=0, batch_first=True, norm_first=True)
            for _ in range(n_layers)
        )
        self.norm = nn.LayerNorm(d_model)
        self.head = nn.Linear(d_model, n_classes)

    def forward(self, ids):
        padding = ids.eq(0)
        x = self.token(ids) + self.position(torch.arange(ids.size(1)))
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=padding)
        return self.head(masked_mean(self.norm(x), ~padding))
# %% wrong of "torch's layers": padding_idx is 1 -> "no gradient reaches the rows of the ids [1]"
- self.token = nn.Embedding(vocab_size, d_model)
+ self.token = nn.Embedding(vocab_size, d_model, padding_idx=1)
# %% wrong: each id less 1 is looked up -> "Is each id looked up as it is"
- x = self.token(ids) + self.position.weight[: ids.shape[1]]  # (batch, seq, d_model)
+ x = self.token((ids - 1).clamp(min=0)) + self.position.weight[: ids.shape[1]]
# %% wrong: one mask for all rows -> "One for all rows hides only what is padding in all."
- words = ids != 0  # (batch, seq)
+ words = (ids != 0).any(dim=0, keepdim=True).expand(ids.shape)
# %% wrong: one mask for all rows, in the mean alone -> "One for all rows hides only what is padding in all."
- total = x.masked_fill(~words[..., None], 0).sum(dim=1)
+ words = words.any(dim=0, keepdim=True).expand(ids.shape)
+ total = x.masked_fill(~words[..., None], 0).sum(dim=1)
