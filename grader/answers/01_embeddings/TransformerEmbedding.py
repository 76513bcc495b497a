# %% right: slices, exp, a batch axis
import math


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.d_model, self.max_len = d_model, max_len
        self.token = nn.Embedding(vocab_size, d_model)
        pe = torch.zeros(max_len, d_model)
        place = torch.arange(max_len).float().unsqueeze(1)
        speed = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
        pe[:, 0::2] = torch.sin(place * speed)
        pe[:, 1::2] = torch.cos(place * speed)
        self.register_buffer("pe", pe.unsqueeze(0))

    def forward(self, ids):
        if ids.size(1) > self.max_len:
            raise ValueError(f"expected at most {self.max_len} words, got {ids.size(1)}")
        return self.token(ids) * math.sqrt(self.d_model) + self.pe[:, : ids.size(1)]
# %% right: positions worked out in forward
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.max_len = max_len

    def forward(self, ids):
        batch, seq = ids.shape
        if seq > self.max_len:
            raise ValueError(f"{seq} > {self.max_len}")
        d_model = self.token.embedding_dim
        return self.token(ids).mul(d_model**0.5).add(table_of_positions(seq, d_model))
# %% right: buffer not saved, one-hot product
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Linear(d_model, vocab_size, bias=False)
        self.register_buffer("positions", table_of_positions(max_len, d_model), persistent=False)

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        weight = self.token.weight
        out = F.one_hot(ids, weight.shape[0]).to(weight.dtype) @ weight
        return out * weight.shape[1] ** 0.5 + self.positions[None, : ids.shape[1]]
# %% right: a frozen embedding of positions as a buffer, and a dropout of 0
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.register_buffer("scale", torch.tensor(float(d_model)).sqrt())
        self.dropout = nn.Dropout(0.0)
        self.token = nn.Embedding(vocab_size, d_model)

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        places = torch.arange(ids.shape[1]).expand_as(ids)
        return self.dropout(self.scale * self.token(ids) + F.embedding(places, self.positions))
# %% right: in place on its own result
- return self.token(ids) * self.scale + self.positions[:seq]
+ out = self.token(ids)
+ out *= self.scale
+ out += self.positions[:seq]
+ return out
# %% right: word by word
- return self.token(ids) * self.scale + self.positions[:seq]
+ rows = [self.token(ids[:, i]) * self.scale + self.positions[i] for i in range(seq)]
+ return torch.stack(rows, dim=1)
# %% right: positions as a plain tensor, one fused sum
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding.from_pretrained(torch.randn(vocab_size, d_model), freeze=False)
        self.positions, self.scale = table_of_positions(max_len, d_model), d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return torch.add(self.positions[None, : ids.size(1), :], self.token(ids), alpha=self.scale)
# %% wrong: no return -> "`return`"
- return self.token(ids) * self.scale + self.positions[:seq]
+ out = self.token(ids) * self.scale + self.positions[:seq]
# %% wrong: no factor -> "Is √d_model left out?"
- self.scale = d_model**0.5
+ self.scale = 1
# %% wrong: factor put into the first weights only -> "multiply in `forward`"
- self.scale = d_model**0.5
+ self.scale = 1
+ self.token.weight.data *= d_model**0.5
# %% wrong: d_model without the root -> "without the root"
- self.scale = d_model**0.5
+ self.scale = d_model
# %% wrong: divided by the root -> "divided, instead of multiplied"
- self.scale = d_model**0.5
+ self.scale = d_model**-0.5
# %% wrong: root of vocab_size -> "root of vocab_size"
- self.scale = d_model**0.5
+ self.scale = vocab_size**0.5
# %% wrong: root of max_len -> "Is it the root of max_len?"
- self.scale = d_model**0.5
+ self.scale = max_len**0.5
# %% wrong: root of seq -> "root of seq"
- return self.token(ids) * self.scale + self.positions[:seq]
+ return self.token(ids) * seq**0.5 + self.positions[:seq]
# %% wrong: the root rounded down -> "Is the root rounded to a whole number?"
- self.scale = d_model**0.5
+ self.scale = int(d_model**0.5)
# %% wrong: factor on the sum -> "Is √d_model multiplied to the token vectors only?"
- return self.token(ids) * self.scale + self.positions[:seq]
+ return (self.token(ids) + self.positions[:seq]) * self.scale
# %% wrong: a sum that nobody keeps -> "Are the positions added"
- return self.token(ids) * self.scale + self.positions[:seq]
+ out = self.token(ids) * self.scale
+ out + self.positions[:seq]
+ return out
# %% wrong: multiplied instead of added -> "Are the positions added"
- return self.token(ids) * self.scale + self.positions[:seq]
+ return self.token(ids) * self.scale * self.positions[:seq]
# %% wrong: joined instead of added -> "not joined"
- return self.token(ids) * self.scale + self.positions[:seq]
+ words = self.token(ids) * self.scale
+ return torch.cat([words, self.positions[:seq].expand_as(words)], dim=-1)
# %% wrong: positions along the batch -> "along the batch axis"
- return self.token(ids) * self.scale + self.positions[:seq]
+ return self.token(ids) * self.scale + self.positions[: ids.shape[0], None]
# %% wrong: one position for the whole sentence -> "along the batch axis"
- return self.token(ids) * self.scale + self.positions[:seq]
+ return self.token(ids) * self.scale + self.positions[seq - 1]
# %% wrong: positions looked up by the id -> "by the id"
- return self.token(ids) * self.scale + self.positions[:seq]
+ return self.token(ids) * self.scale + self.positions[ids % self.max_len]
# %% wrong: positions counted on across the batch -> "Does each sentence start at position 0?"
- return self.token(ids) * self.scale + self.positions[:seq]
+ every = torch.arange(ids.numel()).reshape(ids.shape) % self.max_len
+ return self.token(ids) * self.scale + self.positions[every]
# %% wrong: positions on the first sentence only -> "Does each sentence start at position 0?"
- return self.token(ids) * self.scale + self.positions[:seq]
+ out = self.token(ids) * self.scale
+ out[0] += self.positions[:seq]
+ return out
# %% wrong: positions counted from 1 -> "counting start at 0"
- angle = torch.arange(max_len)[:, None] * speed
+ angle = torch.arange(1, max_len + 1)[:, None] * speed
# %% wrong: sine and cosine swapped -> "Are sine and cosine swapped?"
- positions = torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
+ positions = torch.stack([angle.cos(), angle.sin()], dim=-1).flatten(1)
# %% wrong: sines first, then cosines -> "Do sines and cosines alternate"
- positions = torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
+ positions = torch.cat([angle.sin(), angle.cos()], dim=-1)
# %% wrong: the last positions instead of the first -> "Are the first rows added"
- return self.token(ids) * self.scale + self.positions[:seq]
+ return self.token(ids) * self.scale + self.positions[-seq:]
# %% wrong: another base -> "Does your `sinusoidal_positions` pass its check?"
- speed = 10000 ** (-torch.arange(0, d_model, 2) / d_model)
+ speed = 1000 ** (-torch.arange(0, d_model, 2) / d_model)
# %% wrong: positions twice -> "Are they added twice?"
- return self.token(ids) * self.scale + self.positions[:seq]
+ return self.token(ids) * self.scale + 2 * self.positions[:seq]
# %% wrong: learned positions -> "not learned"
- self.register_buffer("positions", positions)
+ self.position = nn.Embedding(max_len, d_model)
+ self.register_buffer("positions", positions)

- return self.token(ids) * self.scale + self.positions[:seq]
+ return self.token(ids) * self.scale + self.position(torch.arange(seq))
# %% wrong: positions as a parameter -> "not learned"
- self.register_buffer("positions", positions)
+ self.positions = nn.Parameter(positions)
# %% wrong: a layer norm -> "normalised"
- self.scale = d_model**0.5
+ self.scale = d_model**0.5
+ self.norm = nn.LayerNorm(d_model)

- return self.token(ids) * self.scale + self.positions[:seq]
+ return self.norm(self.token(ids) * self.scale + self.positions[:seq])
# %% wrong: a layer norm without parameters -> "is nothing normalised"
- return self.token(ids) * self.scale + self.positions[:seq]
+ return F.layer_norm(self.token(ids) * self.scale + self.positions[:seq], (self.token.embedding_dim,))
# %% wrong: dropout -> "Is there a dropout, or a question about `self.training`?"
- return self.token(ids) * self.scale + self.positions[:seq]
+ return F.dropout(self.token(ids) * self.scale + self.positions[:seq], 0.1, self.training)
# %% wrong: positions in training only -> "`self.training`"
- return self.token(ids) * self.scale + self.positions[:seq]
+ out = self.token(ids) * self.scale
+ return out + self.positions[:seq] if self.training else out
# %% wrong: another name -> "called `token`"
- self.token = nn.Embedding(vocab_size, d_model)
+ self.embedding = nn.Embedding(vocab_size, d_model)

- return self.token(ids) * self.scale + self.positions[:seq]
+ return self.embedding(ids) * self.scale + self.positions[:seq]
# %% wrong: table turned round -> "one row per word"
- self.token = nn.Embedding(vocab_size, d_model)
+ self.token = nn.Embedding(d_model, vocab_size)
# %% wrong: token is a bare parameter -> "`nn.Embedding`"
- self.token = nn.Embedding(vocab_size, d_model)
+ self.token = nn.Parameter(torch.randn(vocab_size, d_model))

- return self.token(ids) * self.scale + self.positions[:seq]
+ return self.token[ids] * self.scale + self.positions[:seq]
# %% wrong: a padding_idx -> "padding_idx"
- self.token = nn.Embedding(vocab_size, d_model)
+ self.token = nn.Embedding(vocab_size, d_model, padding_idx=0)
# %% wrong: token vectors detached -> "No gradient reaches token.weight"
- return self.token(ids) * self.scale + self.positions[:seq]
+ return self.token(ids).detach() * self.scale + self.positions[:seq]
# %% wrong: table frozen -> "token.weight takes no gradient"
- self.token = nn.Embedding(vocab_size, d_model)
+ self.token = nn.Embedding(vocab_size, d_model)
+ self.token.weight.requires_grad_(False)
# %% wrong: the table scaled in place -> "Is it multiplied in place, by `*=` or `mul_`?"
- return self.token(ids) * self.scale + self.positions[:seq]
+ with torch.no_grad():
+     self.token.weight *= self.scale
+ return self.token(ids) + self.positions[:seq]
# %% wrong: token vectors forgotten -> "Are the token vectors added at all, times √d_model?"
- return self.token(ids) * self.scale + self.positions[:seq]
+ return self.token(ids) * 0 + self.positions[:seq]
# %% wrong: factor outside the gradient -> "Is the factor part of what is differentiated"
- return self.token(ids) * self.scale + self.positions[:seq]
+ words = self.token(ids)
+ return words + (words * (self.scale - 1)).detach() + self.positions[:seq]
# %% wrong: too long is not refused -> "compared with max_len, and the error raised, not returned?"
- if seq > self.max_len:
- raise ValueError(f"{seq} words are more than max_len = {self.max_len}")

- return self.token(ids) * self.scale + self.positions[:seq]
+ self.positions = self.positions.repeat(1 + seq // self.max_len, 1)[: max(seq, self.max_len)]
+ return self.token(ids) * self.scale + self.positions[:seq]
# %% wrong: too long fails by itself -> "compared with max_len, and the error raised, not returned?"
- if seq > self.max_len:
- raise ValueError(f"{seq} words are more than max_len = {self.max_len}")
# %% wrong: an assertion instead of a ValueError -> "got AssertionError"
- if seq > self.max_len:
- raise ValueError(f"{seq} words are more than max_len = {self.max_len}")
+ assert seq <= self.max_len, f"{seq} words are more than {self.max_len}"
# %% wrong: max_len itself refused -> "Are exactly max_len = 11 words still allowed?"
- if seq > self.max_len:
+ if seq >= self.max_len:
# %% wrong: the error has no numbers -> "Its message should also name 13 and 11"
- raise ValueError(f"{seq} words are more than max_len = {self.max_len}")
+ raise ValueError("sentence too long")
# %% wrong: the error returned -> "compared with max_len, and the error raised, not returned?"
- raise ValueError(f"{seq} words are more than max_len = {self.max_len}")
+ return ValueError(f"{seq} words are more than max_len = {self.max_len}")
# %% wrong: the batch named in the error -> "Its message should also name 13 and 11"
- raise ValueError(f"{seq} words are more than max_len = {self.max_len}")
+ raise ValueError(f"{ids.shape[0]} words are more than max_len = {self.max_len}")
# %% wrong: too long is cut off -> "compared with max_len, and the error raised, not returned?"
- if seq > self.max_len:
- raise ValueError(f"{seq} words are more than max_len = {self.max_len}")
+ ids, seq = ids[:, :self.max_len], min(seq, self.max_len)
# %% wrong: batch compared with max_len -> "compared with max_len, and the error raised, not returned?"
- if seq > self.max_len:
+ if ids.shape[0] > self.max_len:
# %% wrong: the ids come back -> "Is there one vector of width d_model for each id?"
- return self.token(ids) * self.scale + self.positions[:seq]
+ return ids
# %% wrong: NaN -> "Is something divided by 0, or is a number too large for exp?"
- return self.token(ids) * self.scale + self.positions[:seq]
+ return self.token(ids) * self.scale + self.positions[:seq] / 0
# %% wrong: all max_len positions added -> "as there are words"
- return self.token(ids) * self.scale + self.positions[:seq]
+ return self.token(ids) * self.scale + self.positions
# %% wrong: as many positions as sentences -> "as there are words"
- return self.token(ids) * self.scale + self.positions[:seq]
+ return self.token(ids) * self.scale + self.positions[: ids.shape[0]]
# %% wrong: columns of the positions cut -> "as there are words"
- return self.token(ids) * self.scale + self.positions[:seq]
+ return self.token(ids) * self.scale + self.positions[:, :seq]
# %% wrong: the positions come back as well -> "Return the vectors alone, as a tensor"
- return self.token(ids) * self.scale + self.positions[:seq]
+ return self.token(ids) * self.scale + self.positions[:seq], self.positions
# %% wrong: always two sentences -> "Is 2 or 5 fixed?"
- return self.token(ids) * self.scale + self.positions[:seq]
+ return self.token(ids) * self.scale + self.positions[:seq].expand(2, -1, -1)
# %% wrong: always five words -> "Is 2 or 5 fixed?"
- return self.token(ids) * self.scale + self.positions[:seq]
+ return self.token(ids) * self.scale + self.positions[:5]
# %% wrong: super().__init__() forgotten -> "the first line of `__init__`"
- super().__init__()
# %% wrong: ids under another name -> "is called ids"
- def forward(self, ids):
+ def forward(self, tokens):
+     ids = tokens
# %% wrong: sizes under other names -> "called vocab_size, d_model and max_len"
- def __init__(self, vocab_size, d_model, max_len):
+ def __init__(self, n_words, width, length):

- self.token = nn.Embedding(vocab_size, d_model)
+ vocab_size, d_model, max_len = n_words, width, length
+ self.token = nn.Embedding(vocab_size, d_model)
# %% wrong: the sizes in another order -> "Is that your order?"
- def __init__(self, vocab_size, d_model, max_len):
+ def __init__(self, d_model, vocab_size, max_len):
# %% wrong: positions subtracted -> "Are they subtracted"
- return self.token(ids) * self.scale + self.positions[:seq]
+ return self.token(ids) * self.scale - self.positions[:seq]
# %% wrong: the root written as ** 1 / 2 -> "That is (** 1) / 2."
- self.scale = d_model**0.5
+ self.scale = d_model ** 1 / 2
# %% wrong: rows cut to length 1 in the table -> "Or is there a `max_norm`?"
- self.token = nn.Embedding(vocab_size, d_model)
+ self.token = nn.Embedding(vocab_size, d_model, max_norm=1.0)
# %% wrong: gradients divided by how often a word occurs -> "The gradient of token.weight is wrong"
- self.token = nn.Embedding(vocab_size, d_model)
+ self.token = nn.Embedding(vocab_size, d_model, scale_grad_by_freq=True)
# %% wrong: positions that go on from the call before -> "a count kept from call to call"
- self.scale = d_model**0.5
+ self.scale, self.start = d_model**0.5, 0

- return self.token(ids) * self.scale + self.positions[:seq]  # (batch, seq, d_model)
+ self.start += seq
+ return self.token(ids) * self.scale + self.positions[torch.arange(self.start - seq, self.start) % self.max_len]
# %% wrong: one row of positions for all words -> "which is one row"
- return self.token(ids) * self.scale + self.positions[:seq]  # (batch, seq, d_model)
+ return self.token(ids) * self.scale + self.positions[seq]
# %% wrong: positions in float64 -> "A float32 table gives torch.float64"
- speed = 10000 ** (-torch.arange(0, d_model, 2) / d_model)  # (d_model / 2,)
+ speed = 10000 ** (-torch.arange(0, d_model, 2).double() / d_model)
# %% wrong: positions in reverse -> "Do they run backwards"
- return self.token(ids) * self.scale + self.positions[:seq]
+ return self.token(ids) * self.scale + self.positions[:seq].flip(0)
# %% wrong: token vectors of equal length -> "Is something normalised?"
- return self.token(ids) * self.scale + self.positions[:seq]
+ return F.normalize(self.token(ids), dim=-1) * self.scale + self.positions[:seq]
# %% wrong: the factor in the initialization -> "multiply in `forward`"
- self.scale = d_model**0.5
+ self.scale = 1
+ nn.init.normal_(self.token.weight, std=d_model**0.5)
# %% wrong: positions as a frozen parameter -> "Is it a buffer?"
- self.register_buffer("positions", positions)
+ self.positions = nn.Parameter(positions, requires_grad=False)
# %% right: positions as a plain tensor, which the check remarks upon
- self.register_buffer("positions", positions)
+ self.positions = positions
# %% right: an embedding that multiplies by itself
class Scaled(nn.Embedding):
    def forward(self, ids):
        return super().forward(ids) * self.embedding_dim**0.5


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.max_len = max_len
        self.token = Scaled(vocab_size, d_model)
        angle = torch.arange(max_len)[:, None] * 10000 ** (-torch.arange(0, d_model, 2) / d_model)
        self.register_buffer("pe", torch.stack([angle.sin(), angle.cos()], -1).flatten(1)[None])

    def forward(self, ids):
        seq = ids.size(1)
        if seq > self.max_len:
            raise ValueError(f"{seq} > {self.max_len}")
        return self.token(ids) + self.pe[:, :seq].expand(len(ids), -1, -1)
# %% wrong: a new table in each call -> "is a layer made in `forward`"
class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.sizes, self.max_len = (vocab_size, d_model), max_len
        self.token = nn.Embedding(vocab_size, d_model)

    def forward(self, ids):
        seq, d_model = ids.shape[1], self.sizes[1]
        if seq > self.max_len:
            raise ValueError(f"{seq} words are more than max_len = {self.max_len}")
        return nn.Embedding(*self.sizes)(ids) * d_model**0.5 + sinusoidal_positions(seq, d_model)
# %% wrong: width before length -> "get max_len first, and then d_model"
class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.max_len, self.d_model = max_len, d_model
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", sinusoidal_positions(d_model, max_len))

    def forward(self, ids):
        seq = ids.shape[1]
        if seq > self.max_len:
            raise ValueError(f"{seq} words are more than max_len = {self.max_len}")
        return self.token(ids) * self.d_model**0.5 + self.positions[:seq]
# %% wrong: the factor by the notebook's d_model -> "That is √512"
  self.register_buffer("positions", positions)
- self.scale = d_model**0.5
+ self.scale = 512**0.5
# %% wrong: the positions as wide as the notebook's d_model -> "Is 512 the notebook's"
- speed = 10000 ** (-torch.arange(0, d_model, 2) / d_model)
+ speed = 10000 ** (-torch.arange(0, 512, 2) / 512)
# %% wrong: torch's root of a plain number -> "Write d_model ** 0.5"
  self.register_buffer("positions", positions)
- self.scale = d_model**0.5
+ self.scale = torch.sqrt(d_model)
# %% wrong: the factor never kept -> "Does `__init__` keep it"
  self.register_buffer("positions", positions)
- self.scale = d_model**0.5
# %% wrong: what register_buffer returns is kept -> "It returns nothing"
- self.register_buffer("positions", positions)
+ self.place = self.register_buffer("positions", positions)

- return self.token(ids) * self.scale + self.positions[:seq]
+ return self.token(ids) * self.scale + self.place[:seq]
# %% wrong: the layer indexed -> "A layer is called"
- return self.token(ids) * self.scale + self.positions[:seq]
+ return self.token[ids] * self.scale + self.positions[:seq]
# %% wrong: the positions called -> "A tensor takes square brackets"
- return self.token(ids) * self.scale + self.positions[:seq]
+ return self.token(ids) * self.scale + self.positions(seq)

# %% wrong: (seq, batch, d_model) -> "Did the batch and the words change places?"
- return self.token(ids) * self.scale + self.positions[:seq]  # (batch, seq, d_model)
+ return (self.token(ids) * self.scale + self.positions[:seq]).transpose(0, 1)

# %% wrong: the vectors are added to the buffer, too -> "is a buffer changed in place"
- return self.token(ids) * self.scale + self.positions[:seq]  # (batch, seq, d_model)
+ positions = self.positions[:seq]
+ positions += (self.token(ids) * self.scale).mean(0).detach()
+ return self.token(ids) * self.scale + positions
