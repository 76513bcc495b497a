# %% right: PyTorch's attention inside
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        return F.scaled_dot_product_attention(self.q_proj(x), self.k_proj(x), self.v_proj(x))
# %% right: one fused product, other order of construction, a buffer
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.widths = (d_k, d_k, d_v)
        self.register_buffer("scale", torch.tensor(d_k**-0.5))

    def forward(self, x):
        layers = (self.q_proj, self.k_proj, self.v_proj)
        bias = None if self.q_proj.bias is None else torch.cat([layer.bias for layer in layers])
        query, key, value = F.linear(x, torch.cat([layer.weight for layer in layers]), bias).split(self.widths, dim=-1)
        return torch.softmax(self.scale * torch.einsum("...qd,...kd->...qk", query, key), dim=-1) @ value
# %% right: the key's bias is never added
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        query, key, value = self.q_proj(x), F.linear(x, self.k_proj.weight), self.v_proj(x)
        scores = query @ key.transpose(-2, -1)
        return F.softmax(scores / key.size(-1) ** 0.5, dim=-1) @ value
# %% right: loops over the words, no super call arguments
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        nn.Module.__init__(self)
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        out = []
        for q in query.unbind(-2):
            weights = ((key * q.unsqueeze(-2)).sum(-1) / q.shape[-1] ** 0.5).softmax(-1)
            out.append((weights.unsqueeze(-1) * value).sum(-2))
        return torch.stack(out, -2)
# %% wrong: super().__init__ forgotten -> "before Module.__init__() call"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        weights = (self.q_proj(x) @ self.k_proj(x).mT / self.q_proj.out_features**0.5).softmax(-1)
        return weights @ self.v_proj(x)
# %% wrong: other names -> "are missing"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_k, bias=bias)
        self.W_k = nn.Linear(d_model, d_k, bias=bias)
        self.W_v = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        weights = (self.W_q(x) @ self.W_k(x).mT / self.W_q.out_features**0.5).softmax(-1)
        return weights @ self.W_v(x)
# %% wrong: layers in a plain list -> "set on self"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.layers = [nn.Linear(d_model, d_k, bias), nn.Linear(d_model, d_k, bias), nn.Linear(d_model, d_v, bias)]

    def forward(self, x):
        query, key, value = (layer(x) for layer in self.layers)
        return F.scaled_dot_product_attention(query, key, value)
# %% wrong: matrices as plain parameters -> "`nn.Linear` layers"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Parameter(torch.randn(d_k, d_model))
        self.k_proj = nn.Parameter(torch.randn(d_k, d_model))
        self.v_proj = nn.Parameter(torch.randn(d_v, d_model))

    def forward(self, x):
        return F.scaled_dot_product_attention(x @ self.q_proj.T, x @ self.k_proj.T, x @ self.v_proj.T)
# %% wrong: always with bias -> "are too many"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k)
        self.k_proj = nn.Linear(d_model, d_k)
        self.v_proj = nn.Linear(d_model, d_v)

    def forward(self, x):
        weights = (self.q_proj(x) @ self.k_proj(x).mT / self.q_proj.out_features**0.5).softmax(-1)
        return weights @ self.v_proj(x)
# %% wrong: never with bias -> "`bias` handed on"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=False)
        self.k_proj = nn.Linear(d_model, d_k, bias=False)
        self.v_proj = nn.Linear(d_model, d_v, bias=False)

    def forward(self, x):
        weights = (self.q_proj(x) @ self.k_proj(x).mT / self.q_proj.out_features**0.5).softmax(-1)
        return weights @ self.v_proj(x)
# %% wrong: an output projection -> "nothing there but the three"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

        self.out_proj = nn.Linear(d_v, d_v, bias=bias)

    def forward(self, x):
        weights = (self.q_proj(x) @ self.k_proj(x).mT / self.q_proj.out_features**0.5).softmax(-1)
        return self.out_proj(weights @ self.v_proj(x))
# %% wrong: linear the wrong way round -> "nn.Linear(d_in, d_out)"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_k, d_model, bias=bias)
        self.k_proj = nn.Linear(d_k, d_model, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        weights = (self.q_proj(x) @ self.k_proj(x).mT / self.q_proj.out_features**0.5).softmax(-1)
        return weights @ self.v_proj(x)
# %% wrong: values of width d_k -> "expected v_proj.weight of shape (13, 11)"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_k, bias=bias)

    def forward(self, x):
        weights = (self.q_proj(x) @ self.k_proj(x).mT / self.q_proj.out_features**0.5).softmax(-1)
        return weights @ self.v_proj(x)
# %% wrong: everything of width d_model -> "expected q_proj.weight of shape (5, 11)"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_model, bias=bias)
        self.k_proj = nn.Linear(d_model, d_model, bias=bias)
        self.v_proj = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, x):
        weights = (self.q_proj(x) @ self.k_proj(x).mT / self.q_proj.out_features**0.5).softmax(-1)
        return weights @ self.v_proj(x)
# %% wrong: no return -> "`return`"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        out = F.scaled_dot_product_attention(query, key, value)
# %% wrong: output and weights -> "Are the weights returned, too"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        weights = (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
        return weights @ value, weights
# %% wrong: only the weights -> "multiplied with the values"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        return (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
# %% wrong: the words averaged -> "or the words themselves"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        return (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1) @ x
# %% wrong: the keys averaged -> "the width of a key"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        return (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1) @ key
# %% wrong: one context for the sentence -> "Does each word get one average"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        return ((query @ key.mT / query.shape[-1] ** 0.5).softmax(-1) @ value).mean(-2)
# %% wrong: layers made anew in forward -> "Two calls on the same x"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        query = nn.Linear(x.shape[-1], self.q_proj.out_features)(x)
        return F.scaled_dot_product_attention(query, self.k_proj(x), self.v_proj(x))
# %% wrong: key made with q_proj -> "Does forward use k_proj"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        query = key = self.q_proj(x)
        return F.scaled_dot_product_attention(query, key, self.v_proj(x))
# %% wrong: query is the key -> "Does forward use q_proj"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        key = self.k_proj(x)
        return F.scaled_dot_product_attention(key, key, self.v_proj(x))
# %% wrong: softmax over the queries -> "over the queries"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        return (query @ key.mT / query.shape[-1] ** 0.5).softmax(-2) @ value
# %% wrong: softmax over axis 1 -> "over the queries"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        return torch.softmax(query @ key.mT / query.shape[-1] ** 0.5, dim=1) @ value
# %% wrong: softmax over the batch -> "softmax run over the batch"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        return torch.softmax(query @ key.mT / query.shape[-1] ** 0.5, dim=0) @ value
# %% wrong: one softmax over all pairs -> "all pairs of a sentence"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        scores = query @ key.mT / query.shape[-1] ** 0.5
        return scores.flatten(-2).softmax(-1).view_as(scores) @ value
# %% wrong: attends to the other sentence -> "attend to the other"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        flat = (t.flatten(0, -2) for t in (query, key, value))
        return F.scaled_dot_product_attention(*flat).view(*x.shape[:-1], -1)
# %% wrong: no softmax -> "Is there a softmax"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        return query @ key.mT / query.shape[-1] ** 0.5 @ value
# %% wrong: query and key swapped -> "Have query and key changed places"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        query, key, value = self.k_proj(x), self.q_proj(x), self.v_proj(x)
        return F.scaled_dot_product_attention(query, key, value)
# %% wrong: no scaling -> "divided before softmax"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        return (query @ key.mT).softmax(-1) @ value
# %% wrong: divided by d_k -> "d_k, or its root"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        return (query @ key.mT / query.shape[-1]).softmax(-1) @ value
# %% wrong: root of d_model -> "of d_model"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        return (query @ key.mT / x.shape[-1] ** 0.5).softmax(-1) @ value
# %% wrong: root of d_v -> "of d_v"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        return (query @ key.mT / value.shape[-1] ** 0.5).softmax(-1) @ value
# %% wrong: root of the number of words -> "number of words"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        return (query @ key.mT / x.size(1) ** 0.5).softmax(-1) @ value
# %% wrong: d_k from outside the class -> "from outside the class"
d_k = 24


class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        return (query @ key.mT / d_k**0.5).softmax(-1) @ value
# %% wrong: the residual added -> "or added to the average"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        return F.scaled_dot_product_attention(query, key, value) + value
# %% wrong: bmm, three dimensions only -> "counted from the end"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        weights = F.softmax(query.bmm(key.transpose(1, 2)) / query.size(-1) ** 0.5, dim=2)
        return weights.bmm(value)
# %% wrong: biases made, never used -> "Is each bias used"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        query, key, value = (F.linear(x, layer.weight) for layer in (self.q_proj, self.k_proj, self.v_proj))
        return F.scaled_dot_product_attention(query, key, value)
# %% wrong: the query's bias alone is forgotten -> "Is each bias used"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        query, key, value = F.linear(x, self.q_proj.weight), self.k_proj(x), self.v_proj(x)
        return F.scaled_dot_product_attention(query, key, value)
# %% wrong: causal -> "Is there a mask"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        return F.scaled_dot_product_attention(query, key, value, is_causal=True)
# %% wrong: only NaN -> "nan"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        return F.scaled_dot_product_attention(query, key, value) * float("nan")
# %% wrong: x as it came -> "the width of a word"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        return x
# %% wrong: detached on the way -> hidden: "gradient"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        query, key, value = self.q_proj(x), self.k_proj(x).detach(), self.v_proj(x)
        return F.scaled_dot_product_attention(query, key, value)
# %% wrong: forward under no_grad -> hidden: "no gradient"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        with torch.no_grad():
            return F.scaled_dot_product_attention(self.q_proj(x), self.k_proj(x), self.v_proj(x))
# %% wrong: all matrices start at zero -> hidden: "random at the start"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

        for parameter in self.parameters():
            nn.init.zeros_(parameter)

    def forward(self, x):
        weights = (self.q_proj(x) @ self.k_proj(x).mT / self.q_proj.out_features**0.5).softmax(-1)
        return weights @ self.v_proj(x)
# %% wrong: dropout on the weights -> "or dropout"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x):
        weights = (self.q_proj(x) @ self.k_proj(x).mT / self.q_proj.out_features**0.5).softmax(-1)
        return self.dropout(weights) @ self.v_proj(x)
# %% wrong: scaled twice -> "d_k, or its root"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        query = self.q_proj(x) / self.q_proj.out_features**0.5
        return F.scaled_dot_product_attention(query, self.k_proj(x), self.v_proj(x))
# %% wrong: equal widths demanded -> "keys and values must be equally wide"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        assert d_k == d_v, "keys and values must be equally wide"
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        return F.scaled_dot_product_attention(self.q_proj(x), self.k_proj(x), self.v_proj(x))
# %% wrong: a norm too many -> "nothing there but the three"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)
        self.norm = nn.LayerNorm(d_v)

    def forward(self, x):
        return self.norm(F.scaled_dot_product_attention(self.q_proj(x), self.k_proj(x), self.v_proj(x)))
# %% right: add_module in a loop
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        for name, width in (("k", d_k), ("v", d_v), ("q", d_k)):
            self.add_module(name + "_proj", nn.Linear(d_model, width, bias))
    def forward(self, x):
        q, k, v = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        return F.scaled_dot_product_attention(q, k, v)
# %% right: v_proj of the averaged words
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)
    def forward(self, x):
        q, k = self.q_proj(x), self.k_proj(x)
        return self.v_proj(F.scaled_dot_product_attention(q, k, x))
# %% wrong: key tied to query -> "of their own"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = self.q_proj
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)
    def forward(self, x):
        q, k, v = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        return F.scaled_dot_product_attention(q, k, v)
# %% wrong: relu on the values -> "v_proj(x) as they are"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)
    def forward(self, x):
        q, k, v = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        return F.scaled_dot_product_attention(q, k, v.relu())
# %% wrong: k transposed by reshape -> "not reshaped"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)
    def forward(self, x):
        q, k, v = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        return (q @ k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2]) / q.shape[-1] ** 0.5).softmax(-1) @ v
# %% wrong: x in place -> "x itself was changed"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)
    def forward(self, x):
        q, k, v = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        x *= 2
        return F.scaled_dot_product_attention(q, k, v)
# %% wrong: value bias added once more -> "and once?"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)
    def forward(self, x):
        q, k, v = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        out = F.scaled_dot_product_attention(q, k, v)
        return out if self.v_proj.bias is None else out + self.v_proj.bias
