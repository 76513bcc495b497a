# %% right: blocks in a ModuleDict, positions by number
- def stacked(block):
-     sizes = (d_model, n_heads, 4 * d_model)
-     return stack(lambda: block(*sizes, norm_first=True), n_layers, LayerNorm(d_model))
+ def stacked(block):
+     blocks = [block(d_model, n_heads, 4 * d_model, norm_first=True) for _ in range(n_layers)]
+     return nn.ModuleDict({"layers": nn.ModuleList(blocks), "norm": nn.LayerNorm(d_model)})

- x = self.source_token(source) + self.position.weight[: source.shape[1]]
- context = self.encoder(x, words)  # (batch, s, d_model)
- earlier = torch.ones(t, t, dtype=torch.bool, device=target.device).tril()
+ x = self.source_token(source) + self.position(torch.arange(source.shape[1]))
+ for block in self.encoder["layers"]:
+     x = block(x, words)
+ context, places = self.encoder["norm"](x), torch.arange(t)
+ earlier = places[:, None] >= places

- for block in self.decoder.layers:
+ for block in self.decoder["layers"]:

- return self.head(self.decoder.norm(y))
+ return self.head(self.decoder["norm"](y))

# %% right: a decoder with a forward of its own, whose norm has another name
class Decoder(nn.Module):
    def __init__(self, d_model, n_heads, n_layers):
        super().__init__()
        sizes = (d_model, n_heads, 4 * d_model)
        self.layers = nn.ModuleList(DecoderBlock(*sizes, norm_first=True) for _ in range(n_layers))
        self.final = LayerNorm(d_model)

    def forward(self, y, context, words):
        t = y.shape[1]
        for layer in self.layers:
            y = layer(y, context, torch.ones(t, t).tril() > 0, words)
        return self.final(y)


class Seq2Seq(nn.Module):
    def __init__(self, source_vocab, target_vocab, d_model, n_heads, n_layers, max_len):
        super().__init__()
        self.source_token = nn.Embedding(source_vocab, d_model)
        self.target_token = nn.Embedding(target_vocab, d_model)
        self.position, self.head = nn.Embedding(max_len, d_model), nn.Linear(d_model, target_vocab)
        sizes = (d_model, n_heads, 4 * d_model)
        self.encoder = stack(lambda: TransformerBlock(*sizes, norm_first=True), n_layers, LayerNorm(d_model))
        self.decoder = Decoder(d_model, n_heads, n_layers)

    def forward(self, source, target):
        words = (source != 0)[:, None, None]
        x, y = self.source_token(source), self.target_token(target)
        context = self.encoder(x + self.position.weight[: x.shape[1]], words)
        return self.head(self.decoder(y + self.position.weight[: y.shape[1]], context, words))

# %% right: masks written out for every head, padding of the target hidden, too
- words, t = (source != 0)[:, None, None], target.shape[1]  # words (batch, 1, 1, s)
+ words, t = (source != 0)[:, None, None].expand(-1, 3, -1, -1), target.shape[1]
+ words = words if self.encoder.layers[0].self_attn.n_heads == 3 else words[:, :1]

- y = block(y, context, earlier, words)
+ y = block(y, context, mask=earlier & (target != 0)[:, None, None], context_mask=words)

# %% wrong: padding is read in the encoder of one's own blocks -> "The encoder hides nothing, and the cross-attention hides padding"
- context = self.encoder(x, words)
+ context = self.encoder(x)

# %% wrong: no mask for the context -> "The encoder hides padding, and the cross-attention hides nothing"
- y = block(y, context, earlier, words)
+ y = block(y, context, earlier)

# %% wrong: no mask for the target -> "Here nothing is"
- y = block(y, context, earlier, words)
+ y = block(y, context, None, words)

# %% wrong: the two masks exchanged -> "Here s = 6 and t = 5"
- y = block(y, context, earlier, words)
+ y = block(y, context, words, earlier)

# %% wrong: the source's padding as the target's mask -> "Here s = 6 and t = 5"
- y = block(y, context, earlier, words)
+ y = block(y, context, words, words)

# %% wrong: a mask of the source without axes for heads and queries -> "Here s = 6 and t = 5"
- words, t = (source != 0)[:, None, None], target.shape[1]
+ words, t = source != 0, target.shape[1]

# %% wrong: the causal mask upside down, in one's own blocks -> "Here earlier ones are, and later ones are not"
- earlier = torch.ones(t, t, dtype=torch.bool, device=target.device).tril()
+ earlier = torch.ones(t, t, dtype=torch.bool, device=target.device).triu()

# %% wrong: PyTorch's causal mask in one's own blocks -> "Here what came before is"
- earlier = torch.ones(t, t, dtype=torch.bool, device=target.device).tril()
+ earlier = torch.ones(t, t, dtype=torch.bool, device=target.device).triu(1)

# %% wrong: no word sees itself -> "Here each word itself is, too"
- earlier = torch.ones(t, t, dtype=torch.bool, device=target.device).tril()
+ earlier = torch.ones(t, t, dtype=torch.bool, device=target.device).tril(-1)

# %% wrong: the padding mask upside down in one's own blocks -> "The encoder hides the words, and the cross-attention hides the words"
- words, t = (source != 0)[:, None, None], target.shape[1]
+ words, t = (source == 0)[:, None, None], target.shape[1]

# %% wrong: the decoder is called as a stack -> "`stack` hands on one mask alone"
- for block in self.decoder.layers:
-     y = block(y, context, earlier, words)
- return self.head(self.decoder.norm(y))
+ return self.head(self.decoder(y, earlier))

# %% wrong: the decoder as a stack gets all four -> "`stack` hands on one mask alone"
- for block in self.decoder.layers:
-     y = block(y, context, earlier, words)
- return self.head(self.decoder.norm(y))
+ return self.head(self.decoder(y, context, earlier, words))

# %% wrong: the decoder's norm is forgotten after the loop -> "Does the decoder end with its norm?"
- return self.head(self.decoder.norm(y))
+ return self.head(y)

# %% wrong: the encoder's norm at the end of the decoder -> "Each has its own"
- return self.head(self.decoder.norm(y))
+ return self.head(self.encoder.norm(y))

# %% wrong: the decoder's norm in every round -> "The logits differ from PyTorch's."
- y = block(y, context, earlier, words)
+ y = self.decoder.norm(block(y, context, earlier, words))

# %% wrong: the decoder of transformer blocks -> "Parameter decoder.layers.0.multihead_attn"
- self.encoder, self.decoder = stacked(TransformerBlock), stacked(DecoderBlock)
+ self.encoder, self.decoder = stacked(TransformerBlock), stacked(TransformerBlock)

# %% wrong: one stack for both -> "Is one layer used in two places?"
- self.encoder, self.decoder = stacked(TransformerBlock), stacked(DecoderBlock)
+ self.encoder = self.decoder = stacked(DecoderBlock)

# %% wrong: post-norm in both stacks -> "Is it pre-norm"
- return stack(lambda: block(*sizes, norm_first=True), n_layers, LayerNorm(d_model))
+ return stack(lambda: block(*sizes), n_layers, LayerNorm(d_model))

# %% wrong: one norm for both stacks -> "Is one layer used in two places?"
- def stacked(block):
-     sizes = (d_model, n_heads, 4 * d_model)
-     return stack(lambda: block(*sizes, norm_first=True), n_layers, LayerNorm(d_model))
+ norm = LayerNorm(d_model)
+
+ def stacked(block):
+     sizes = (d_model, n_heads, 4 * d_model)
+     return stack(lambda: block(*sizes, norm_first=True), n_layers, norm)

# %% wrong: the decoder reads what it has written -> "Does the decoder read the encoder's output?"
- y = block(y, context, earlier, words)
+ y = block(y, y, earlier, earlier)

# %% wrong: the bare words as the context -> "not the bare words"
- y = block(y, context, earlier, words)
+ y = block(y, x, earlier, words)

# %% wrong: context and target exchanged in one's own block -> "Here s = 6 and t = 5"
- y = block(y, context, earlier, words)
+ y = block(context, y, earlier, words)

# %% wrong: the last block alone reads y -> "Look at the decoder"
- y = block(y, context, earlier, words)
+ last = block(y, context, earlier, words)

- return self.head(self.decoder.norm(y))
+ return self.head(self.decoder.norm(last))

# %% wrong: positions of the source on the target -> "The table has 9 rows"
- y = self.target_token(target) + self.position.weight[:t]
+ y = self.target_token(target) + self.position.weight

# %% wrong: the target's table read with the source's ids -> "Has the target a table of its own?"
- y = self.target_token(target) + self.position.weight[:t]
+ y = self.source_token(target) + self.position.weight[:t]

# %% wrong: padding hides the source's queries -> "The encoder hides the queries of padding, not its keys"
- context = self.encoder(x, words)
+ context = self.encoder(x, words.mT)

# %% wrong: blocks in plain lists -> "Do they stand in a plain list?"
- self.encoder, self.decoder = stacked(TransformerBlock), stacked(DecoderBlock)
+ sizes, self.encoder = (d_model, n_heads, 4 * d_model), stacked(TransformerBlock)
+ self.writers = [DecoderBlock(*sizes, norm_first=True) for _ in range(n_layers)]
+ self.decoder = nn.ModuleDict({"norm": LayerNorm(d_model)})

- for block in self.decoder.layers:
+ for block in self.writers:

- return self.head(self.decoder.norm(y))
+ return self.head(self.decoder["norm"](y))

# %% wrong: a mask from both sides of the source, joined by "or" -> "To hide keys, a mask of your blocks has the shape"
- context = self.encoder(x, words)
+ context = self.encoder(x, words | words.mT)

# %% wrong: two words of the future are seen -> "the future is seen"
- earlier = torch.ones(t, t, dtype=torch.bool, device=target.device).tril()
+ earlier = torch.ones(t, t, dtype=torch.bool, device=target.device).tril(2)

# %% right: PyTorch's layers
class Seq2Seq(nn.Module):
    """Reads one sequence, writes another: source (batch, s), target (batch, t) -> logits.

    The logits are (batch, t, target_vocab). Source: Vaswani et al. 2017, pre-norm.
    """

    def __init__(self, source_vocab, target_vocab, d_model, n_heads, n_layers, max_len):
        super().__init__()
        self.source_token = nn.Embedding(source_vocab, d_model)
        self.target_token = nn.Embedding(target_vocab, d_model)
        self.position = nn.Embedding(max_len, d_model)
        sizes = (d_model, n_heads, 4 * d_model)
        options = {"dropout": 0.0, "norm_first": True, "batch_first": True}
        self.encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(*sizes, **options),
            n_layers, nn.LayerNorm(d_model), enable_nested_tensor=False,
        )  # fmt: skip
        self.decoder = nn.TransformerDecoder(
            nn.TransformerDecoderLayer(*sizes, **options), n_layers, nn.LayerNorm(d_model)
        )
        self.head = nn.Linear(d_model, target_vocab)

    def forward(self, source, target):
        padding, t = source == 0, target.shape[1]
        x = self.source_token(source) + self.position.weight[: source.shape[1]]
        memory = self.encoder(x, src_key_padding_mask=padding)  # (batch, s, d_model)
        later = torch.ones(t, t, dtype=torch.bool, device=target.device).triu(1)
        y = self.target_token(target) + self.position.weight[:t]
        y = self.decoder(y, memory, tgt_mask=later, memory_key_padding_mask=padding)
        return self.head(y)  # (batch, t, target_vocab)

# %% right: a subclass of nn.Transformer
class Seq2Seq(nn.Transformer):
    def __init__(self, source_vocab, target_vocab, d_model, n_heads, n_layers, max_len):
        super().__init__(
            d_model, n_heads, n_layers, n_layers, 4 * d_model, 0.0,
            batch_first=True, norm_first=True,
        )  # fmt: skip
        self.head = nn.Linear(d_model, target_vocab)
        self.position = nn.Embedding(max_len, d_model)
        self.source_token = nn.Embedding(source_vocab, d_model, padding_idx=0)
        self.target_token = nn.Embedding(target_vocab, d_model)

    def forward(self, source, target):
        places = torch.arange(max(source.shape[1], target.shape[1]), device=source.device)
        x = self.source_token(source) + self.position(places[: source.shape[1]])
        y = self.target_token(target) + self.position(places[: target.shape[1]])
        hidden = source.eq(0)
        later = places[: target.shape[1], None] < places[: target.shape[1]]
        out = super().forward(
            x, y, tgt_mask=later, src_key_padding_mask=hidden, memory_key_padding_mask=hidden
        )
        return self.head(out)

# %% right of "PyTorch's layers": the encoder and the decoder layer by layer, float masks
- padding, t = source == 0, target.shape[1]
- x = self.source_token(source) + self.position.weight[: source.shape[1]]
- memory = self.encoder(x, src_key_padding_mask=padding)  # (batch, s, d_model)
- later = torch.ones(t, t, dtype=torch.bool, device=target.device).triu(1)
- y = self.target_token(target) + self.position.weight[:t]
- y = self.decoder(y, memory, tgt_mask=later, memory_key_padding_mask=padding)
- return self.head(y)  # (batch, t, target_vocab)
+ t, low = target.shape[1], torch.finfo(torch.float32).min
+ padding = torch.zeros(source.shape).masked_fill(source == 0, low)
+ later = torch.full((t, t), low).triu(1)
+ memory = self.source_token(source) + self.position.weight[: source.shape[1]]
+ for layer in self.encoder.layers:
+     memory = layer(memory, src_key_padding_mask=padding)
+ memory = self.encoder.norm(memory)
+ y = self.target_token(target) + self.position.weight[:t]
+ for layer in self.decoder.layers:
+     y = layer(y, memory, tgt_mask=later, memory_key_padding_mask=padding)
+ return self.head(self.decoder.norm(y))

# %% right of "PyTorch's layers": padding in the target hidden, too: there is none
- y = self.decoder(y, memory, tgt_mask=later, memory_key_padding_mask=padding)
+ y = self.decoder(
+     y, memory, tgt_mask=later,
+     tgt_key_padding_mask=target == 0, memory_key_padding_mask=padding,
+ )

# %% right of "PyTorch's layers": source by source, its padding cut away
- padding, t = source == 0, target.shape[1]
- x = self.source_token(source) + self.position.weight[: source.shape[1]]
- memory = self.encoder(x, src_key_padding_mask=padding)  # (batch, s, d_model)
- later = torch.ones(t, t, dtype=torch.bool, device=target.device).triu(1)
- y = self.target_token(target) + self.position.weight[:t]
- y = self.decoder(y, memory, tgt_mask=later, memory_key_padding_mask=padding)
- return self.head(y)  # (batch, t, target_vocab)
+ t, rows = target.shape[1], []
+ later = nn.Transformer.generate_square_subsequent_mask(t)
+ for one, answer in zip(source, target):
+     places = one.nonzero()[:, 0]
+     memory = self.encoder((self.source_token(one[places]) + self.position(places))[None])
+     y = (self.target_token(answer) + self.position.weight[:t])[None]
+     rows.append(self.head(self.decoder(y, memory, tgt_mask=later)))
+ return torch.cat(rows)

# %% right: own blocks under PyTorch's names, masks that say who may attend
class Attention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.in_proj_weight = nn.Parameter(torch.randn(3 * d_model, d_model) * 0.1)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * d_model))
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, x, context, keep):
        weights, biases = self.in_proj_weight.chunk(3), self.in_proj_bias.chunk(3)
        query, key, value = (
            F.linear(part, weight, bias).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
            for part, weight, bias in zip((x, context, context), weights, biases)
        )
        out = F.scaled_dot_product_attention(query, key, value, attn_mask=keep)
        return self.out_proj(out.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, d_model, n_heads, reads):
        super().__init__()
        self.self_attn = Attention(d_model, n_heads)
        self.linear1 = nn.Linear(d_model, 4 * d_model)
        self.linear2 = nn.Linear(4 * d_model, d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        if reads:
            self.multihead_attn, self.norm3 = Attention(d_model, n_heads), nn.LayerNorm(d_model)

    def forward(self, x, keep, memory=None, seen=None):
        normed = self.norm1(x)
        x, last = x + self.self_attn(normed, normed, keep), self.norm2
        if memory is not None:
            x, last = x + self.multihead_attn(self.norm2(x), memory, seen), self.norm3
        return x + self.linear2(F.relu(self.linear1(last(x))))


class Stack(nn.Module):
    def __init__(self, d_model, n_heads, n_layers, reads):
        super().__init__()
        self.layers = nn.ModuleList(Block(d_model, n_heads, reads) for _ in range(n_layers))
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x, *masks):
        for layer in self.layers:
            x = layer(x, *masks)
        return self.norm(x)


class Seq2Seq(nn.Module):
    def __init__(self, source_vocab, target_vocab, d_model, n_heads, n_layers, max_len):
        super().__init__()
        self.encoder = Stack(d_model, n_heads, n_layers, reads=False)
        self.decoder = Stack(d_model, n_heads, n_layers, reads=True)
        self.source_token = nn.Embedding(source_vocab, d_model)
        self.target_token = nn.Embedding(target_vocab, d_model)
        self.position, self.head = nn.Embedding(max_len, d_model), nn.Linear(d_model, target_vocab)

    def forward(self, source, target):
        seen = (source != 0)[:, None, None]
        past = torch.ones(target.shape[1], target.shape[1]).tril().bool()
        x = self.source_token(source) + self.position.weight[: source.shape[1]]
        y = self.target_token(target) + self.position.weight[: target.shape[1]]
        return self.head(self.decoder(y, past, self.encoder(x, seen), seen))

# %% wrong of "PyTorch's layers": padding is read in the encoder -> "The encoder hides nothing, and the cross-attention hides padding"
- memory = self.encoder(x, src_key_padding_mask=padding)  # (batch, s, d_model)
+ memory = self.encoder(x)

# %% wrong of "PyTorch's layers": padding is read in the cross-attention -> "The encoder hides padding, and the cross-attention hides nothing"
- y = self.decoder(y, memory, tgt_mask=later, memory_key_padding_mask=padding)
+ y = self.decoder(y, memory, tgt_mask=later)

# %% wrong of "PyTorch's layers": padding is read in both -> "The encoder hides nothing, and the cross-attention hides nothing"
- memory = self.encoder(x, src_key_padding_mask=padding)  # (batch, s, d_model)
+ memory = self.encoder(x)

- y = self.decoder(y, memory, tgt_mask=later, memory_key_padding_mask=padding)
+ y = self.decoder(y, memory, tgt_mask=later)

# %% wrong of "PyTorch's layers": the padding mask is upside down -> "The encoder hides the words, and the cross-attention hides the words"
- padding, t = source == 0, target.shape[1]
+ padding, t = source != 0, target.shape[1]

# %% wrong of "PyTorch's layers": the encoder's mask is upside down -> "The encoder hides the words, and the cross-attention hides padding"
- memory = self.encoder(x, src_key_padding_mask=padding)  # (batch, s, d_model)
+ memory = self.encoder(x, src_key_padding_mask=~padding)

# %% wrong of "PyTorch's layers": no causal mask -> "Here nothing is"
- y = self.decoder(y, memory, tgt_mask=later, memory_key_padding_mask=padding)
+ y = self.decoder(y, memory, memory_key_padding_mask=padding)

# %% wrong of "PyTorch's layers": the causal mask is upside down -> "Here what came before is"
- later = torch.ones(t, t, dtype=torch.bool, device=target.device).triu(1)
+ later = torch.ones(t, t, dtype=torch.bool, device=target.device).tril()

# %% wrong of "PyTorch's layers": the causal mask has the course's convention -> "Here what came before is"
- later = torch.ones(t, t, dtype=torch.bool, device=target.device).triu(1)
+ later = ~torch.ones(t, t, dtype=torch.bool, device=target.device).triu(1)

# %% wrong of "PyTorch's layers": the causal mask hides itself -> "Here each word itself is, too"
- later = torch.ones(t, t, dtype=torch.bool, device=target.device).triu(1)
+ later = torch.ones(t, t, dtype=torch.bool, device=target.device).triu(0)

# %% wrong of "PyTorch's layers": one word of the future is seen -> "Here the next word is not"
- later = torch.ones(t, t, dtype=torch.bool, device=target.device).triu(1)
+ later = torch.ones(t, t, dtype=torch.bool, device=target.device).triu(2)

# %% wrong of "PyTorch's layers": the encoder is causal -> "The encoder hides padding and later words"
- memory = self.encoder(x, src_key_padding_mask=padding)  # (batch, s, d_model)
+ s = source.shape[1]
+ later = torch.ones(s, s, dtype=torch.bool).triu(1)
+ memory = self.encoder(x, mask=later, src_key_padding_mask=padding)

# %% wrong of "PyTorch's layers": no positions on the source -> "Those of the source are missing"
- x = self.source_token(source) + self.position.weight[: source.shape[1]]
+ x = self.source_token(source)

# %% wrong of "PyTorch's layers": no positions on the target -> "those of the target are missing"
- y = self.target_token(target) + self.position.weight[:t]
+ y = self.target_token(target)

# %% wrong of "PyTorch's layers": two tables of positions -> "Parameter position.weight"
- self.position = nn.Embedding(max_len, d_model)
+ self.source_position = nn.Embedding(max_len, d_model)
+ self.target_position = nn.Embedding(max_len, d_model)

- x = self.source_token(source) + self.position.weight[: source.shape[1]]
+ x = self.source_token(source) + self.source_position.weight[: source.shape[1]]

- y = self.target_token(target) + self.position.weight[:t]
+ y = self.target_token(target) + self.target_position.weight[:t]

# %% wrong of "PyTorch's layers": one table of embeddings -> "Parameter source_token.weight"
- self.source_token = nn.Embedding(source_vocab, d_model)
- self.target_token = nn.Embedding(target_vocab, d_model)
+ self.target_token = nn.Embedding(max(source_vocab, target_vocab), d_model)

- x = self.source_token(source) + self.position.weight[: source.shape[1]]
+ x = self.target_token(source) + self.position.weight[: source.shape[1]]

# %% wrong of "PyTorch's layers": no final norms -> "norm.weight"
- n_layers, nn.LayerNorm(d_model), enable_nested_tensor=False,
+ n_layers, enable_nested_tensor=False,

- nn.TransformerDecoderLayer(*sizes, **options), n_layers, nn.LayerNorm(d_model)
+ nn.TransformerDecoderLayer(*sizes, **options), n_layers

# %% wrong of "PyTorch's layers": post-norm -> "Is it pre-norm"
- options = {"dropout": 0.0, "norm_first": True, "batch_first": True}
+ options = {"dropout": 0.0, "batch_first": True}

# %% wrong of "PyTorch's layers": gelu -> "Is the activation relu"
- options = {"dropout": 0.0, "norm_first": True, "batch_first": True}
+ options = {"dropout": 0.0, "norm_first": True, "batch_first": True, "activation": F.gelu}

# %% wrong of "PyTorch's layers": PyTorch's dropout of 0.1 -> "Is the dropout 0.0"
- options = {"dropout": 0.0, "norm_first": True, "batch_first": True}
+ options = {"norm_first": True, "batch_first": True}

# %% wrong of "PyTorch's layers": batch_first forgotten -> "batch_first=True"
- options = {"dropout": 0.0, "norm_first": True, "batch_first": True}
+ options = {"dropout": 0.0, "norm_first": True}

# %% wrong of "PyTorch's layers": scaled embeddings -> "Nothing should be scaled"
- x = self.source_token(source) + self.position.weight[: source.shape[1]]
+ root = self.position.embedding_dim**0.5
+ x = self.source_token(source) * root + self.position.weight[: source.shape[1]]

- y = self.target_token(target) + self.position.weight[:t]
+ y = self.target_token(target) * root + self.position.weight[:t]

# %% wrong of "PyTorch's layers": the decoder reads the bare words -> "not the bare words"
- memory = self.encoder(x, src_key_padding_mask=padding)  # (batch, s, d_model)
+ memory = x

# %% wrong of "PyTorch's layers": d_ff stays 2048 -> "Parameter encoder.layers.0.linear1.weight"
- sizes = (d_model, n_heads, 4 * d_model)
+ sizes = (d_model, n_heads)

# %% wrong of "PyTorch's layers": one head -> "These have 1"
- sizes = (d_model, n_heads, 4 * d_model)
+ sizes = (d_model, 1, 4 * d_model)

# %% wrong of "PyTorch's layers": one layer each -> "Parameter encoder.layers.1"
- n_layers, nn.LayerNorm(d_model), enable_nested_tensor=False,
+ 1, nn.LayerNorm(d_model), enable_nested_tensor=False,

- nn.TransformerDecoderLayer(*sizes, **options), n_layers, nn.LayerNorm(d_model)
+ nn.TransformerDecoderLayer(*sizes, **options), 1, nn.LayerNorm(d_model)

# %% wrong of "PyTorch's layers": the target is shifted in here -> "The target is shifted in here"
- padding, t = source == 0, target.shape[1]
+ target = torch.cat([torch.ones_like(target[:, :1]), target[:, :-1]], dim=1)
+ padding, t = source == 0, target.shape[1]

# %% wrong of "PyTorch's layers": the last id of the target is dropped -> "Is the last id of the target dropped"
- padding, t = source == 0, target.shape[1]
+ target = target[:, :-1]
+ padding, t = source == 0, target.shape[1]

# %% wrong of "PyTorch's layers": the logits of the source -> "not the source's"
- return self.head(y)  # (batch, t, target_vocab)
+ return self.head(memory)

# %% wrong of "PyTorch's layers": the logits of the last position alone -> "for every position of the target"
- return self.head(y)  # (batch, t, target_vocab)
+ return self.head(y[:, -1])

# %% wrong of "PyTorch's layers": the head is not applied -> "Is the head missing"
- return self.head(y)  # (batch, t, target_vocab)
+ return y

# %% wrong of "PyTorch's layers": probabilities -> "Is there a softmax"
- return self.head(y)  # (batch, t, target_vocab)
+ return self.head(y).softmax(dim=-1)

# %% wrong of "PyTorch's layers": log-probabilities -> "Is there a log_softmax"
- return self.head(y)  # (batch, t, target_vocab)
+ return self.head(y).log_softmax(dim=-1)

# %% wrong of "PyTorch's layers": a head without bias -> "Parameter head.bias"
- self.head = nn.Linear(d_model, target_vocab)
+ self.head = nn.Linear(d_model, target_vocab, bias=False)

# %% wrong of "PyTorch's layers": the encoder under another name -> "There is reader.layers.0.self_attn.in_proj_weight of this shape"
- self.encoder = nn.TransformerEncoder(
+ self.reader = nn.TransformerEncoder(

- memory = self.encoder(x, src_key_padding_mask=padding)  # (batch, s, d_model)
+ memory = self.reader(x, src_key_padding_mask=padding)

# %% wrong of "PyTorch's layers": memory and target exchanged -> "Are the logits those of the target's positions"
- y = self.decoder(y, memory, tgt_mask=later, memory_key_padding_mask=padding)
+ y = self.decoder(memory, y)

# %% wrong of "PyTorch's layers": the decoder does not read the source -> "Does the decoder read the encoder's output?"
- y = self.decoder(y, memory, tgt_mask=later, memory_key_padding_mask=padding)
+ y = self.decoder(y, torch.zeros_like(memory), tgt_mask=later, memory_key_padding_mask=padding)

# %% wrong of "PyTorch's layers": the decoder reads the target -> "Does the decoder read the encoder's output?"
- y = self.decoder(y, memory, tgt_mask=later, memory_key_padding_mask=padding)
+ y = self.decoder(y, y, tgt_mask=later)

# %% wrong of "PyTorch's layers": padding is sought at the end only -> "Padding may stand anywhere"
- padding, t = source == 0, target.shape[1]
+ padding, t = torch.arange(source.shape[1]) >= (source != 0).sum(1, keepdim=True), target.shape[1]

# %% wrong of "PyTorch's layers": positions go on after the source's -> "go on where the source ends"
- y = self.target_token(target) + self.position.weight[:t]
+ places = (source.shape[1] + torch.arange(t)) % self.position.num_embeddings
+ y = self.target_token(target) + self.position(places)

# %% wrong of "PyTorch's layers": other names of the arguments -> "Are the arguments called as in the exercise"
- def __init__(self, source_vocab, target_vocab, d_model, n_heads, n_layers, max_len):
+ def __init__(self, src_vocab, tgt_vocab, d_model, n_heads, n_layers, max_len):

- self.source_token = nn.Embedding(source_vocab, d_model)
- self.target_token = nn.Embedding(target_vocab, d_model)
+ self.source_token = nn.Embedding(src_vocab, d_model)
+ self.target_token = nn.Embedding(tgt_vocab, d_model)

- self.head = nn.Linear(d_model, target_vocab)
+ self.head = nn.Linear(d_model, tgt_vocab)

# %% wrong of "PyTorch's layers": gelu in the decoder alone -> "Is the activation relu? Look at the decoder"
- nn.TransformerDecoderLayer(*sizes, **options), n_layers, nn.LayerNorm(d_model)
+ nn.TransformerDecoderLayer(*sizes, **options, activation="gelu"), n_layers, nn.LayerNorm(d_model)

# %% wrong of "PyTorch's layers": the encoder's norm once more -> "The encoder's norm is applied twice"
- memory = self.encoder(x, src_key_padding_mask=padding)
+ memory = self.encoder.norm(self.encoder(x, src_key_padding_mask=padding))

# %% wrong of "PyTorch's layers": positions of the target begin at 1 -> "those of the target start from 1"
- y = self.target_token(target) + self.position.weight[:t]
+ y = self.target_token(target) + self.position.weight[1 : t + 1]

# %% wrong of "PyTorch's layers": the source alone is scaled -> "the target by 1"
- x = self.source_token(source) + self.position.weight[: source.shape[1]]
+ x = self.source_token(source) * self.position.embedding_dim**0.5
+ x = x + self.position.weight[: source.shape[1]]

# %% wrong of "PyTorch's layers": a causal mask of numbers -> "Is tgt_mask bool?"
- later = torch.ones(t, t, dtype=torch.bool, device=target.device).triu(1)
+ later = torch.ones(t, t).triu(1)

# %% wrong of "PyTorch's layers": padding masks of numbers -> "Are the padding masks bool?"
- padding, t = source == 0, target.shape[1]
+ padding, t = (source == 0).float(), target.shape[1]

# %% wrong of "PyTorch's layers": is_causal without the mask -> "Is the mask itself given, as tgt_mask?"
- y = self.decoder(y, memory, tgt_mask=later, memory_key_padding_mask=padding)
+ y = self.decoder(y, memory, tgt_is_causal=True, memory_key_padding_mask=padding)

# %% wrong of "PyTorch's layers": the padding mask as the encoder's mask -> "Do padding masks go in as"
- memory = self.encoder(x, src_key_padding_mask=padding)  # (batch, s, d_model)
+ memory = self.encoder(x, mask=padding)

# %% wrong of "PyTorch's layers": memory kept from the call before -> "Is the context kept from the call before, or a mask?"
- memory = self.encoder(x, src_key_padding_mask=padding)
+ if getattr(self, "memory", None) is None or self.memory.shape != x.shape:
+     self.memory = self.encoder(x, src_key_padding_mask=padding)
+ memory = self.memory

# %% wrong of "PyTorch's layers": memory is detached -> " more, so training could not change them"
- memory = self.encoder(x, src_key_padding_mask=padding)
+ memory = self.encoder(x, src_key_padding_mask=padding).detach()

# %% wrong of "PyTorch's layers": the id 1 of the target hidden as padding -> "The logits differ from PyTorch's."
- y = self.decoder(y, memory, tgt_mask=later, memory_key_padding_mask=padding)
+ late = (target == 1) & (torch.arange(t) > 0)
+ hidden = {"memory_key_padding_mask": padding, "tgt_key_padding_mask": late}
+ y = self.decoder(y, memory, tgt_mask=later, **hidden)

# %% wrong of "PyTorch's layers": padding is hidden from the encoder in training mode alone -> "In eval mode, more padding"
- memory = self.encoder(x, src_key_padding_mask=padding)
+ memory = self.encoder(x, src_key_padding_mask=padding if self.training else None)

# %% right: layer by layer, with masks of numbers that are added
class Seq2Seq(nn.Module):
    def __init__(self, source_vocab, target_vocab, d_model, n_heads, n_layers, max_len):
        super().__init__()

        def stacked(kind, layer):
            return kind(
                layer(d_model, n_heads, 4 * d_model, 0.0, batch_first=True, norm_first=True),
                n_layers,
                nn.LayerNorm(d_model),
            )

        self.encoder = stacked(nn.TransformerEncoder, nn.TransformerEncoderLayer)
        self.decoder = stacked(nn.TransformerDecoder, nn.TransformerDecoderLayer)
        self.source_token = nn.Embedding(source_vocab, d_model, padding_idx=0)
        self.target_token = nn.Embedding(target_vocab, d_model)
        self.position = nn.Embedding(max_len, d_model)
        self.head = nn.Linear(d_model, target_vocab)

    def forward(self, source, target):
        hide = torch.zeros(source.shape).masked_fill_(source == 0, -torch.inf)
        m = self.source_token(source) + self.position(torch.arange(source.shape[1]))
        for layer in self.encoder.layers:
            m = layer(m, src_key_padding_mask=hide)
        m = self.encoder.norm(m)
        y = self.target_token(target) + self.position(torch.arange(target.shape[1]))
        causal = nn.Transformer.generate_square_subsequent_mask(target.shape[1])
        for layer in self.decoder.layers:
            y = layer(y, m, tgt_mask=causal, memory_key_padding_mask=hide)
        return F.linear(self.decoder.norm(y), self.head.weight, self.head.bias)

# %% wrong of "PyTorch's layers": the head's weight is the table of the target -> "It is target_token.weight once more."
- self.head = nn.Linear(d_model, target_vocab)
+ self.head = nn.Linear(d_model, target_vocab)
+ self.head.weight = self.target_token.weight

# %% wrong of "PyTorch's layers": a causal cross-attention -> "in the cross-attention later words of the source are hidden"
- y = self.decoder(y, memory, tgt_mask=later, memory_key_padding_mask=padding)
+ ahead = torch.ones(t, source.shape[1]).triu(1) > 0
+ masks = {"tgt_mask": later, "memory_mask": ahead, "memory_key_padding_mask": padding}
+ y = self.decoder(y, memory, **masks)

# %% wrong of "PyTorch's layers": memory set to 0 at the padding, and not hidden -> "A vector of zeros still takes its share"
- y = self.decoder(y, memory, tgt_mask=later, memory_key_padding_mask=padding)
+ y = self.decoder(y, memory.masked_fill(padding[..., None], 0), tgt_mask=later)

# %% wrong of "PyTorch's layers": the target's table for the head, as in GPT -> "Is head used?"
- return self.head(y)  # (batch, t, target_vocab)
+ return y @ self.target_token.weight.T

# %% wrong of "PyTorch's layers": memory and the target change places in the decoder -> "does y come before the context in the decoder?"
- y = self.decoder(y, memory, tgt_mask=later, memory_key_padding_mask=padding)
+ y = self.decoder(memory, y, tgt_mask=later)

# %% wrong of "PyTorch's layers": the source's padding hides the target (W40) -> "The source's padding belongs to src_key_padding_mask"
- y = self.decoder(y, memory, tgt_mask=later, memory_key_padding_mask=padding)
+ masks = {"tgt_key_padding_mask": padding, "memory_key_padding_mask": padding}
+ y = self.decoder(y, memory, tgt_mask=later, **masks)

# %% wrong of "PyTorch's layers": the source's padding as the target's alone -> "The source's padding belongs to src_key_padding_mask"
- y = self.decoder(y, memory, tgt_mask=later, memory_key_padding_mask=padding)
+ y = self.decoder(y, memory, tgt_mask=later, tgt_key_padding_mask=padding)

# %% wrong: each decoder block reads its own encoder block -> "reads the encoder block of its own number"
- context = self.encoder(x, words)

- for block in self.decoder.layers:
-     y = block(y, context, earlier, words)
+ for reads, writes in zip(self.encoder.layers, self.decoder.layers):
+     x = reads(x, words)
+     y = writes(y, x, earlier, words)
# %% wrong: a causal mask of numbers in blocks of one's own -> "turns a bool mask round"
- earlier = torch.ones(t, t, dtype=torch.bool, device=target.device).tril()
+ earlier = torch.ones(t, t).tril()
# %% wrong: the context's mask without an axis for the heads -> "Here s = 6 and t = 5"
- y = block(y, context, earlier, words)
+ y = block(y, context, earlier, words[:, 0])
# %% wrong: the norm in the loop -> "Here it follows each of them"
- y = block(y, context, earlier, words)
+ y = self.decoder.norm(block(y, context, earlier, words))

- return self.head(self.decoder.norm(y))
+ return self.head(y)
# %% wrong: the first source's mask for all -> "Has each source a mask of its own?"
- words, t = (source != 0)[:, None, None], target.shape[1]
+ words, t = (source != 0)[:1, None, None], target.shape[1]
# %% wrong: the last position alone, its axis kept -> "a row of logits for every position"
- return self.head(self.decoder.norm(y))
+ return self.head(self.decoder.norm(y)[:, -1:])
# %% wrong: the source's mask of the call before -> "the call before, or a mask?"
- words, t = (source != 0)[:, None, None], target.shape[1]
+ if getattr(self, "words", source[:0, None, None]).shape != source[:, None, None].shape:
+     self.words = (source != 0)[:, None, None]
+ words, t = self.words, target.shape[1]
# %% wrong: padding_idx is 1 in the target's table -> "target_token: no gradient reaches the rows of the ids [1]"
- self.target_token = nn.Embedding(target_vocab, d_model)
+ self.target_token = nn.Embedding(target_vocab, d_model, padding_idx=1)

# %% wrong: positions go on after the source's, the last row for all that are left -> "go on where the source ends"
- y = self.target_token(target) + self.position.weight[:t]
+ at = (torch.arange(t) + source.shape[1]).clamp(max=self.position.num_embeddings - 1)
+ y = self.target_token(target) + self.position(at)

# %% wrong: one mean of all words as the context -> "Is there one key alone?"
- y = block(y, context, earlier, words)
+ kept = words[:, 0, 0, :, None]
+ y = block(y, (context * kept).sum(1, keepdim=True) / kept.sum(1, keepdim=True), earlier)

# %% wrong: padding sought from the other end in the cross-attention -> "reads the rows [0] of source_token there, expected [2, 9, 10]"
- y = block(y, context, earlier, words)
+ y = block(y, context, earlier, words.flip(-1))
