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
# %% wrong: no return -> "`return`"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        out = self.token(ids) * self.scale + self.positions[: ids.shape[1]]
# %% wrong: no factor -> "forgotten"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.token(ids) + self.positions[: ids.shape[1]]
# %% wrong: factor put into the first weights only -> "forgotten"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.token.weight.data *= d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.token(ids) + self.positions[: ids.shape[1]]
# %% wrong: d_model without the root -> "without the root"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.token(ids) * self.scale + self.positions[: ids.shape[1]]
# %% wrong: divided by the root -> "divided, instead of multiplied"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.token(ids) / self.scale + self.positions[: ids.shape[1]]
# %% wrong: root of vocab_size -> "root of vocab_size"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = vocab_size**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.token(ids) * self.scale + self.positions[: ids.shape[1]]
# %% wrong: root of seq -> "root of seq"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.token(ids) * ids.shape[1] ** 0.5 + self.positions[: ids.shape[1]]
# %% wrong: factor on the sum -> "on the token vectors alone"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return (self.token(ids) + self.positions[: ids.shape[1]]) * self.scale
# %% wrong: a sum that nobody keeps -> "Are the positions added"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        x = self.token(ids) * self.scale
        x + self.positions[: ids.shape[1]]
        return x
# %% wrong: multiplied instead of added -> "Are the positions added"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.token(ids) * self.scale * self.positions[: ids.shape[1]]
# %% wrong: joined instead of added -> "not joined"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        x = self.token(ids) * self.scale
        return torch.cat([x, self.positions[: ids.shape[1]].expand_as(x)], dim=-1)
# %% wrong: positions along the batch -> "along the batch axis"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        x = self.token(ids) * self.scale
        return x + self.positions[: x.shape[0], None]
# %% wrong: one position for the whole sentence -> "along the batch axis"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.token(ids) * self.scale + self.positions[ids.shape[1] - 1]
# %% wrong: positions looked up by the id -> "by the id"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.token(ids) * self.scale + self.positions[ids % 11]
# %% wrong: positions counted on across the batch -> "Do both start at place 0?"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        x = self.token(ids) * self.scale
        return x + self.positions[torch.arange(ids.numel()).view_as(ids) % len(self.positions)]
# %% wrong: positions counted from 1 -> "counting start at 0"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len + 1, d_model)[1:])
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.token(ids) * self.scale + self.positions[: ids.shape[1]]
# %% wrong: sines first, then cosines -> "Do sines and cosines alternate"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.cat([angle.sin(), angle.cos()], dim=-1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.token(ids) * self.scale + self.positions[: ids.shape[1]]
# %% wrong: the last positions instead of the first -> "from place 0 on"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.token(ids) * self.scale + self.positions[-ids.shape[1] :]
# %% wrong: another base -> "differs from the sinusoidal positions"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 1000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.token(ids) * self.scale + self.positions[: ids.shape[1]]
# %% wrong: positions twice -> "times as long as they should be"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.token(ids) * self.scale + 2 * self.positions[: ids.shape[1]]
# %% wrong: learned positions -> "not learned"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.place = nn.Embedding(max_len, d_model)
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.token(ids) * self.scale + self.place(torch.arange(ids.shape[1]))
# %% wrong: positions as a parameter -> "not learned"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Parameter(table_of_positions(max_len, d_model), requires_grad=False)
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.token(ids) * self.scale + self.positions[: ids.shape[1]]
# %% wrong: a layer norm -> "normalised"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5
        self.norm = nn.LayerNorm(d_model)

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.norm(self.token(ids) * self.scale + self.positions[: ids.shape[1]])
# %% wrong: a layer norm without parameters -> "times as long as they should be"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        x = self.token(ids) * self.scale + self.positions[: ids.shape[1]]
        return 0.1 * F.layer_norm(x, x.shape[-1:])
# %% wrong: dropout -> "Is a dropout"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return F.dropout(self.token(ids) * self.scale + self.positions[: ids.shape[1]], 0.1, self.training)
# %% wrong: another name -> "called `token`"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.embedding(ids) * self.scale + self.positions[: ids.shape[1]]
# %% wrong: table turned round -> "one row per word"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(d_model, vocab_size)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.token.weight.T[ids] * self.scale + self.positions[: ids.shape[1]]
# %% wrong: a padding_idx -> "padding_idx"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model, padding_idx=0)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.token(ids) * self.scale + self.positions[: ids.shape[1]]
# %% wrong: token vectors detached -> "No gradient reaches token.weight"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.token(ids).detach() * self.scale + self.positions[: ids.shape[1]]
# %% wrong: token vectors forgotten -> "Are the token vectors added at all?"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.positions[: ids.shape[1]].expand(*ids.shape, -1)
# %% wrong: factor outside the gradient -> hidden: "gradient of token.weight is wrong"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        x = self.token(ids)
        return x + (self.scale - 1) * x.detach() + self.positions[: ids.shape[1]]
# %% wrong: too long is not refused -> "Is the length compared with max_len?"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.d_model = d_model
        self.scale = d_model**0.5

    def forward(self, ids):
        return self.token(ids) * self.scale + table_of_positions(ids.shape[1], self.d_model)
# %% wrong: too long fails by itself -> "asked about first"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        return self.token(ids) * self.scale + self.positions[: ids.shape[1]]
# %% wrong: an assertion instead of a ValueError -> "got AssertionError"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        assert ids.shape[1] <= len(self.positions), f"{ids.shape[1]} words, max_len {len(self.positions)}"
        return self.token(ids) * self.scale + self.positions[: ids.shape[1]]
# %% wrong: max_len itself refused -> "exactly max_len allowed"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] >= self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.token(ids) * self.scale + self.positions[: ids.shape[1]]
# %% wrong: the error has no numbers -> "Which numbers disagree?"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError("sentence too long")
        return self.token(ids) * self.scale + self.positions[: ids.shape[1]]
# %% wrong: too long is cut off -> "Is the length compared with max_len?"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        ids = ids[:, : len(self.positions)]
        return self.token(ids) * self.scale + self.positions[: ids.shape[1]]
# %% wrong: batch compared with max_len -> "asked about first"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[0] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.token(ids) * self.scale + self.positions[: ids.shape[1]]
# %% wrong: the ids come back -> "One vector of width d_model"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return ids
# %% wrong: NaN -> "holds NaN or infinity"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.token(ids) * self.scale + self.positions[: ids.shape[1]] * float('nan')
# %% wrong: all max_len positions added -> "as there are words"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.token(ids) * self.scale + self.positions
# %% wrong: as many positions as sentences -> "as there are words"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.token(ids) * self.scale + self.positions[: ids.shape[0]]
# %% wrong: the positions come back as well -> "of the result alone"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.token(ids) * self.scale + self.positions[: ids.shape[1]], self.positions
# %% wrong: the root rounded down -> "Is it √d_model?"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.token(ids) * int(self.scale) + self.positions[: ids.shape[1]]
# %% right: in place on its own result
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        out = self.token(ids)
        out *= self.scale
        out += self.positions[: ids.shape[1]]
        return out
# %% right: word by word
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        rows = [self.token(ids[:, i]) * self.scale + self.positions[i] for i in range(ids.shape[1])]
        return torch.stack(rows, dim=1)
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
# %% wrong: token is a bare parameter -> "`nn.Embedding`"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Parameter(torch.randn(vocab_size, d_model))
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.token[ids] * self.scale + self.positions[: ids.shape[1]]
# %% wrong: the table scaled in place -> "changed by `forward`"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        with torch.no_grad():
            self.token.weight *= self.scale
        return self.token(ids) + self.positions[: ids.shape[1]]
# %% wrong: positions in training only -> "`self.training`"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        out = self.token(ids) * self.scale
        return out + self.positions[: ids.shape[1]] if self.training else out
# %% wrong: columns of the positions cut -> "as there are words"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.token(ids) * self.scale + self.positions[:, : ids.shape[1]]
# %% wrong: the error returned -> "to be raised"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            return ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.token(ids) * self.scale + self.positions[: ids.shape[1]]
# %% wrong: the batch named in the error -> "Which numbers disagree"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[0]} words, but max_len is {self.positions.shape[0]}")
        return self.token(ids) * self.scale + self.positions[: ids.shape[1]]
# %% wrong: root of max_len -> "Is it √d_model?"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = max_len**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.token(ids) * self.scale + self.positions[: ids.shape[1]]
# %% wrong: table frozen -> "No gradient reaches token.weight"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.token.weight.requires_grad_(False)
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.token(ids) * self.scale + self.positions[: ids.shape[1]]
# %% wrong: positions on the first sentence only -> "Do both start at place 0?"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        out = self.token(ids) * self.scale
        out[0] += self.positions[: ids.shape[1]]
        return out
# %% wrong: always two sentences -> hidden: "not token"
def table_of_positions(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", table_of_positions(max_len, d_model))
        self.scale = d_model**0.5

    def forward(self, ids):
        if ids.shape[1] > self.positions.shape[0]:
            raise ValueError(f"{ids.shape[1]} words, but max_len is {self.positions.shape[0]}")
        return self.token(ids) * self.scale + self.positions[: ids.shape[1]].expand(2, -1, -1)
