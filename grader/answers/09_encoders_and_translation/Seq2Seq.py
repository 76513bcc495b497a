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

# %% right: the encoder and the decoder layer by layer, float masks
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

# %% right: padding in the target hidden, too: there is none
- y = self.decoder(y, memory, tgt_mask=later, memory_key_padding_mask=padding)
+ y = self.decoder(
+     y, memory, tgt_mask=later,
+     tgt_key_padding_mask=target == 0, memory_key_padding_mask=padding,
+ )

# %% right: source by source, its padding cut away
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

# %% wrong: padding is read in the encoder -> "The encoder hides nothing, and the cross-attention hides padding"
- memory = self.encoder(x, src_key_padding_mask=padding)  # (batch, s, d_model)
+ memory = self.encoder(x)

# %% wrong: padding is read in the cross-attention -> "The encoder hides padding, and the cross-attention hides nothing"
- y = self.decoder(y, memory, tgt_mask=later, memory_key_padding_mask=padding)
+ y = self.decoder(y, memory, tgt_mask=later)

# %% wrong: padding is read in both -> "The encoder hides nothing, and the cross-attention hides nothing"
- memory = self.encoder(x, src_key_padding_mask=padding)  # (batch, s, d_model)
+ memory = self.encoder(x)

- y = self.decoder(y, memory, tgt_mask=later, memory_key_padding_mask=padding)
+ y = self.decoder(y, memory, tgt_mask=later)

# %% wrong: the padding mask is upside down -> "The encoder hides the words, and the cross-attention hides the words"
- padding, t = source == 0, target.shape[1]
+ padding, t = source != 0, target.shape[1]

# %% wrong: the encoder's mask is upside down -> "The encoder hides the words, and the cross-attention hides padding"
- memory = self.encoder(x, src_key_padding_mask=padding)  # (batch, s, d_model)
+ memory = self.encoder(x, src_key_padding_mask=~padding)

# %% wrong: no causal mask -> "Here nothing is"
- y = self.decoder(y, memory, tgt_mask=later, memory_key_padding_mask=padding)
+ y = self.decoder(y, memory, memory_key_padding_mask=padding)

# %% wrong: the causal mask is upside down -> "Here what came before is"
- later = torch.ones(t, t, dtype=torch.bool, device=target.device).triu(1)
+ later = torch.ones(t, t, dtype=torch.bool, device=target.device).tril()

# %% wrong: the causal mask has the course's convention -> "Here what came before is"
- later = torch.ones(t, t, dtype=torch.bool, device=target.device).triu(1)
+ later = ~torch.ones(t, t, dtype=torch.bool, device=target.device).triu(1)

# %% wrong: the causal mask hides itself -> "Here each word itself is, too"
- later = torch.ones(t, t, dtype=torch.bool, device=target.device).triu(1)
+ later = torch.ones(t, t, dtype=torch.bool, device=target.device).triu(0)

# %% wrong: one word of the future is seen -> "Here the next word is not"
- later = torch.ones(t, t, dtype=torch.bool, device=target.device).triu(1)
+ later = torch.ones(t, t, dtype=torch.bool, device=target.device).triu(2)

# %% wrong: the encoder is causal -> "The encoder hides padding and later words"
- memory = self.encoder(x, src_key_padding_mask=padding)  # (batch, s, d_model)
+ s = source.shape[1]
+ later = torch.ones(s, s, dtype=torch.bool).triu(1)
+ memory = self.encoder(x, mask=later, src_key_padding_mask=padding)

# %% wrong: no positions on the source -> "Those of the source are missing"
- x = self.source_token(source) + self.position.weight[: source.shape[1]]
+ x = self.source_token(source)

# %% wrong: no positions on the target -> "those of the target are missing"
- y = self.target_token(target) + self.position.weight[:t]
+ y = self.target_token(target)

# %% wrong: two tables of positions -> "Parameter position.weight"
- self.position = nn.Embedding(max_len, d_model)
+ self.source_position = nn.Embedding(max_len, d_model)
+ self.target_position = nn.Embedding(max_len, d_model)

- x = self.source_token(source) + self.position.weight[: source.shape[1]]
+ x = self.source_token(source) + self.source_position.weight[: source.shape[1]]

- y = self.target_token(target) + self.position.weight[:t]
+ y = self.target_token(target) + self.target_position.weight[:t]

# %% wrong: one table of embeddings -> "Parameter source_token.weight"
- self.source_token = nn.Embedding(source_vocab, d_model)
- self.target_token = nn.Embedding(target_vocab, d_model)
+ self.target_token = nn.Embedding(max(source_vocab, target_vocab), d_model)

- x = self.source_token(source) + self.position.weight[: source.shape[1]]
+ x = self.target_token(source) + self.position.weight[: source.shape[1]]

# %% wrong: no final norms -> "norm.weight"
- n_layers, nn.LayerNorm(d_model), enable_nested_tensor=False,
+ n_layers, enable_nested_tensor=False,

- nn.TransformerDecoderLayer(*sizes, **options), n_layers, nn.LayerNorm(d_model)
+ nn.TransformerDecoderLayer(*sizes, **options), n_layers

# %% wrong: post-norm -> "Is it pre-norm"
- options = {"dropout": 0.0, "norm_first": True, "batch_first": True}
+ options = {"dropout": 0.0, "batch_first": True}

# %% wrong: gelu -> "Is the activation relu"
- options = {"dropout": 0.0, "norm_first": True, "batch_first": True}
+ options = {"dropout": 0.0, "norm_first": True, "batch_first": True, "activation": F.gelu}

# %% wrong: PyTorch's dropout of 0.1 -> "Is the dropout 0.0"
- options = {"dropout": 0.0, "norm_first": True, "batch_first": True}
+ options = {"norm_first": True, "batch_first": True}

# %% wrong: batch_first forgotten -> "batch_first=True"
- options = {"dropout": 0.0, "norm_first": True, "batch_first": True}
+ options = {"dropout": 0.0, "norm_first": True}

# %% wrong: scaled embeddings -> "Nothing should be scaled"
- x = self.source_token(source) + self.position.weight[: source.shape[1]]
+ root = self.position.embedding_dim**0.5
+ x = self.source_token(source) * root + self.position.weight[: source.shape[1]]

- y = self.target_token(target) + self.position.weight[:t]
+ y = self.target_token(target) * root + self.position.weight[:t]

# %% wrong: the decoder reads the bare words -> "not the bare words"
- memory = self.encoder(x, src_key_padding_mask=padding)  # (batch, s, d_model)
+ memory = x

# %% wrong: d_ff stays 2048 -> "Parameter encoder.layers.0.linear1.weight"
- sizes = (d_model, n_heads, 4 * d_model)
+ sizes = (d_model, n_heads)

# %% wrong: one head -> "These have 1"
- sizes = (d_model, n_heads, 4 * d_model)
+ sizes = (d_model, 1, 4 * d_model)

# %% wrong: one layer each -> "Parameter encoder.layers.1"
- n_layers, nn.LayerNorm(d_model), enable_nested_tensor=False,
+ 1, nn.LayerNorm(d_model), enable_nested_tensor=False,

- nn.TransformerDecoderLayer(*sizes, **options), n_layers, nn.LayerNorm(d_model)
+ nn.TransformerDecoderLayer(*sizes, **options), 1, nn.LayerNorm(d_model)

# %% wrong: the target is shifted in here -> "The target is shifted in here"
- padding, t = source == 0, target.shape[1]
+ target = torch.cat([torch.ones_like(target[:, :1]), target[:, :-1]], dim=1)
+ padding, t = source == 0, target.shape[1]

# %% wrong: the last id of the target is dropped -> "Is the last id of the target dropped"
- padding, t = source == 0, target.shape[1]
+ target = target[:, :-1]
+ padding, t = source == 0, target.shape[1]

# %% wrong: the logits of the source -> "not the source's"
- return self.head(y)  # (batch, t, target_vocab)
+ return self.head(memory)

# %% wrong: the logits of the last position alone -> "for every position of the target"
- return self.head(y)  # (batch, t, target_vocab)
+ return self.head(y[:, -1])

# %% wrong: the head is not applied -> "Is the head missing"
- return self.head(y)  # (batch, t, target_vocab)
+ return y

# %% wrong: probabilities -> "Is there a softmax"
- return self.head(y)  # (batch, t, target_vocab)
+ return self.head(y).softmax(dim=-1)

# %% wrong: log-probabilities -> "Is there a log_softmax"
- return self.head(y)  # (batch, t, target_vocab)
+ return self.head(y).log_softmax(dim=-1)

# %% wrong: a head without bias -> "Parameter head.bias"
- self.head = nn.Linear(d_model, target_vocab)
+ self.head = nn.Linear(d_model, target_vocab, bias=False)

# %% wrong: the encoder under another name -> "There is reader.layers.0.self_attn.in_proj_weight of this shape"
- self.encoder = nn.TransformerEncoder(
+ self.reader = nn.TransformerEncoder(

- memory = self.encoder(x, src_key_padding_mask=padding)  # (batch, s, d_model)
+ memory = self.reader(x, src_key_padding_mask=padding)

# %% wrong: memory and target exchanged -> "Are the logits those of the target's positions"
- y = self.decoder(y, memory, tgt_mask=later, memory_key_padding_mask=padding)
+ y = self.decoder(memory, y)

# %% wrong: the decoder does not read the source -> "Is memory given to the decoder"
- y = self.decoder(y, memory, tgt_mask=later, memory_key_padding_mask=padding)
+ y = self.decoder(y, torch.zeros_like(memory), tgt_mask=later, memory_key_padding_mask=padding)

# %% wrong: the decoder reads the target -> "Is memory given to the decoder"
- y = self.decoder(y, memory, tgt_mask=later, memory_key_padding_mask=padding)
+ y = self.decoder(y, y, tgt_mask=later)

# %% wrong: padding is sought at the end only -> "Padding may stand anywhere"
- padding, t = source == 0, target.shape[1]
+ padding, t = torch.arange(source.shape[1]) >= (source != 0).sum(1, keepdim=True), target.shape[1]

# %% wrong: positions go on after the source's -> "those of the target start from 6"
- y = self.target_token(target) + self.position.weight[:t]
+ places = (source.shape[1] + torch.arange(t)) % self.position.num_embeddings
+ y = self.target_token(target) + self.position(places)

# %% wrong: other names of the arguments -> "Are the arguments called as in the exercise"
- def __init__(self, source_vocab, target_vocab, d_model, n_heads, n_layers, max_len):
+ def __init__(self, src_vocab, tgt_vocab, d_model, n_heads, n_layers, max_len):

- self.source_token = nn.Embedding(source_vocab, d_model)
- self.target_token = nn.Embedding(target_vocab, d_model)
+ self.source_token = nn.Embedding(src_vocab, d_model)
+ self.target_token = nn.Embedding(tgt_vocab, d_model)

- self.head = nn.Linear(d_model, target_vocab)
+ self.head = nn.Linear(d_model, tgt_vocab)

# %% wrong: gelu in the decoder alone -> "Is the activation relu? Look at the decoder"
- nn.TransformerDecoderLayer(*sizes, **options), n_layers, nn.LayerNorm(d_model)
+ nn.TransformerDecoderLayer(*sizes, **options, activation="gelu"), n_layers, nn.LayerNorm(d_model)

# %% wrong: the encoder's norm once more -> "The encoder's norm is applied twice"
- memory = self.encoder(x, src_key_padding_mask=padding)
+ memory = self.encoder.norm(self.encoder(x, src_key_padding_mask=padding))

# %% wrong: positions of the target begin at 1 -> "those of the target start from 1"
- y = self.target_token(target) + self.position.weight[:t]
+ y = self.target_token(target) + self.position.weight[1 : t + 1]

# %% wrong: the source alone is scaled -> "the target by 1"
- x = self.source_token(source) + self.position.weight[: source.shape[1]]
+ x = self.source_token(source) * self.position.embedding_dim**0.5
+ x = x + self.position.weight[: source.shape[1]]
# %% wrong: a causal mask of numbers -> "Is tgt_mask bool?"
- later = torch.ones(t, t, dtype=torch.bool, device=target.device).triu(1)
+ later = torch.ones(t, t).triu(1)
# %% wrong: padding masks of numbers -> "Are the padding masks bool?"
- padding, t = source == 0, target.shape[1]
+ padding, t = (source == 0).float(), target.shape[1]
# %% wrong: is_causal without the mask -> "Is the mask itself given, as tgt_mask?"
- y = self.decoder(y, memory, tgt_mask=later, memory_key_padding_mask=padding)
+ y = self.decoder(y, memory, tgt_is_causal=True, memory_key_padding_mask=padding)
# %% wrong: the padding mask as the encoder's mask -> "Do padding masks go in as"
- memory = self.encoder(x, src_key_padding_mask=padding)  # (batch, s, d_model)
+ memory = self.encoder(x, mask=padding)
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


class Decoder(Block):
    def __init__(self, d_model, n_heads):
        super().__init__(d_model, n_heads)
        self.multihead_attn, self.norm3 = Attention(d_model, n_heads), nn.LayerNorm(d_model)

    def forward(self, y, memory, mask, words):
        normed = self.norm1(y)
        y = y + self.self_attn(normed, normed, mask)
        y = y + self.multihead_attn(self.norm2(y), memory, words)
        return y + self.linear2(self.linear1(self.norm3(y)).relu())


def stack(kind, d_model, n_heads, n_layers):
    layers = nn.ModuleList(kind(d_model, n_heads) for _ in range(n_layers))
    return nn.ModuleDict({"layers": layers, "norm": nn.LayerNorm(d_model)})


class Seq2Seq(nn.Module):
    def __init__(self, source_vocab, target_vocab, d_model, n_heads, n_layers, max_len):
        super().__init__()
        self.source_token = nn.Embedding(source_vocab, d_model)
        self.target_token = nn.Embedding(target_vocab, d_model)
        self.position = nn.Embedding(max_len, d_model)
        self.encoder = stack(Block, d_model, n_heads, n_layers)
        self.decoder = stack(Decoder, d_model, n_heads, n_layers)
        self.head = nn.Linear(d_model, target_vocab)

    def forward(self, source, target):
        words, t = (source != 0)[:, None, None], target.shape[1]
        x = self.source_token(source) + self.position.weight[: source.shape[1]]
        for layer in self.encoder["layers"]:
            x = layer(x, words)
        x = self.encoder["norm"](x)
        y = self.target_token(target) + self.position.weight[:t]
        for layer in self.decoder["layers"]:
            y = layer(y, x, torch.ones(t, t).tril().bool(), words)
        return self.head(self.decoder["norm"](y))
# %% wrong: memory kept from the call before -> "Is memory kept from the call before?"
- memory = self.encoder(x, src_key_padding_mask=padding)
+ if getattr(self, "memory", None) is None or self.memory.shape != x.shape:
+     self.memory = self.encoder(x, src_key_padding_mask=padding)
+ memory = self.memory
# %% wrong: memory is detached -> " more, so training could not change them"
- memory = self.encoder(x, src_key_padding_mask=padding)
+ memory = self.encoder(x, src_key_padding_mask=padding).detach()
# %% wrong: the id 1 of the target hidden as padding -> "The logits differ from PyTorch's."
- y = self.decoder(y, memory, tgt_mask=later, memory_key_padding_mask=padding)
+ late = (target == 1) & (torch.arange(t) > 0)
+ hidden = {"memory_key_padding_mask": padding, "tgt_key_padding_mask": late}
+ y = self.decoder(y, memory, tgt_mask=later, **hidden)
# %% wrong: padding is hidden from the encoder in training mode alone -> "In eval mode, more padding"
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
# %% wrong: the head's weight is the table of the target -> "It is target_token.weight once more."
- self.head = nn.Linear(d_model, target_vocab)
+ self.head = nn.Linear(d_model, target_vocab)
+ self.head.weight = self.target_token.weight
# %% wrong: a causal cross-attention -> "in the cross-attention later words of the source are hidden"
- y = self.decoder(y, memory, tgt_mask=later, memory_key_padding_mask=padding)
+ ahead = torch.ones(t, source.shape[1]).triu(1) > 0
+ masks = {"tgt_mask": later, "memory_mask": ahead, "memory_key_padding_mask": padding}
+ y = self.decoder(y, memory, **masks)
# %% wrong: memory set to 0 at the padding, and not hidden -> "A vector of zeros still takes its share"
- y = self.decoder(y, memory, tgt_mask=later, memory_key_padding_mask=padding)
+ y = self.decoder(y, memory.masked_fill(padding[..., None], 0), tgt_mask=later)
# %% wrong: the target's table for the head, as in GPT -> "Is head used?"
- return self.head(y)  # (batch, t, target_vocab)
+ return y @ self.target_token.weight.T
# %% wrong: memory and the target change places in the decoder -> "does y come before memory in the decoder?"
- y = self.decoder(y, memory, tgt_mask=later, memory_key_padding_mask=padding)
+ y = self.decoder(memory, y, tgt_mask=later)
