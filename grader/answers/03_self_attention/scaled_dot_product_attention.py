# %% right: einsum, a softmax of its own
def scaled_dot_product_attention(query, key, value):
    scores = torch.einsum("...qd,...kd->...qk", query, key) / query.size(-1) ** 0.5
    e = (scores - scores.amax(-1, keepdim=True)).exp()
    return torch.einsum("...qk,...kv->...qv", e, value) / e.sum(-1, keepdim=True)
# %% right: both sides scaled by the fourth root
def scaled_dot_product_attention(query, key, value):
    root = query.shape[-1] ** 0.25
    return F.softmax((query / root) @ (key / root).transpose(-2, -1), dim=-1).matmul(value)
# %% right: one query at a time
def scaled_dot_product_attention(query, key, value):
    rows = []
    for one in query.unbind(-2):
        weights = torch.softmax((key @ one.unsqueeze(-1)).squeeze(-1) * query.size(-1) ** -0.5, -1)
        rows.append((weights.unsqueeze(-1) * value).sum(-2))
    return torch.stack(rows, dim=-2)
# %% right: one batch axis, bmm, then back
def scaled_dot_product_attention(query, key, value):
    lead = query.shape[:-2]
    query, key, value = (t.reshape(-1, *t.shape[-2:]) for t in (query, key, value))
    scores = torch.bmm(query, key.transpose(1, 2)) / query.size(2) ** 0.5
    out = torch.bmm(torch.nn.Softmax(dim=2)(scores), value)
    return out.reshape(*lead, *out.shape[-2:])
# %% shortcut: torch's own function
def scaled_dot_product_attention(query, key, value):
    return F.scaled_dot_product_attention(query, key, value)
# %% shortcut: torch's own function under another name
attend = nn.functional.scaled_dot_product_attention


def scaled_dot_product_attention(query, key, value):
    return attend(query, key, value)
# %% wrong: no return -> "`return`"
def scaled_dot_product_attention(query, key, value):
    out = (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1) @ value
# %% wrong: output and weights -> "Are the weights returned, too"
def scaled_dot_product_attention(query, key, value):
    weights = (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
    return weights @ value, weights
# %% wrong: only the weights -> "multiplied with `value`"
def scaled_dot_product_attention(query, key, value):
    return (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
# %% wrong: keys averaged -> "Is it `value` that is averaged"
def scaled_dot_product_attention(query, key, value):
    return (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1) @ key
# %% wrong: averaged for each key -> "Is it weights times value"
def scaled_dot_product_attention(query, key, value):
    return value.mT @ (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1).mT
# %% wrong: softmax over the queries -> "over the queries"
def scaled_dot_product_attention(query, key, value):
    return (query @ key.mT / query.shape[-1] ** 0.5).softmax(-2) @ value
# %% wrong: softmax over the batch -> "the sentences of the batch"
def scaled_dot_product_attention(query, key, value):
    return F.softmax(query @ key.mT / query.shape[-1] ** 0.5, dim=0) @ value
# %% wrong: one softmax over all pairs -> "all pairs of a sentence"
def scaled_dot_product_attention(query, key, value):
    scores = query @ key.mT / query.shape[-1] ** 0.5
    return scores.flatten(-2).softmax(-1).view_as(scores) @ value
# %% wrong: no softmax -> "Is there a softmax"
def scaled_dot_product_attention(query, key, value):
    return query @ key.mT / query.shape[-1] ** 0.5 @ value
# %% wrong: softmax of the whole, after the values -> "averaged after the softmax"
def scaled_dot_product_attention(query, key, value):
    return (query @ key.mT / query.shape[-1] ** 0.5 @ value).softmax(-1)
# %% wrong: no scaling -> "divided before the softmax"
def scaled_dot_product_attention(query, key, value):
    return (query @ key.mT).softmax(-1) @ value
# %% wrong: scaled after the softmax -> "after the softmax?"
def scaled_dot_product_attention(query, key, value):
    return (query @ key.mT).softmax(-1) / query.shape[-1] ** 0.5 @ value
# %% wrong: divided by d_k -> "d_k, or its root"
def scaled_dot_product_attention(query, key, value):
    return (query @ key.mT / query.shape[-1]).softmax(-1) @ value
# %% wrong: multiplied by the root -> "Multiplied, or divided"
def scaled_dot_product_attention(query, key, value):
    return (query @ key.mT * query.shape[-1] ** 0.5).softmax(-1) @ value
# %% wrong: root of the value's width -> "of a value's width"
def scaled_dot_product_attention(query, key, value):
    return (query @ key.mT / value.shape[-1] ** 0.5).softmax(-1) @ value
# %% wrong: root of the number of keys -> "number of keys"
def scaled_dot_product_attention(query, key, value):
    return (query @ key.mT / key.shape[-2] ** 0.5).softmax(-1) @ value
# %% wrong: root of the batch -> "What are they divided by"
def scaled_dot_product_attention(query, key, value):
    return (query @ key.mT / query.size(0) ** 0.5).softmax(-1) @ value
# %% wrong: d_k of another head -> "What are they divided by"
def scaled_dot_product_attention(query, key, value, d_k=64):
    return (query @ key.mT / d_k**0.5).softmax(-1) @ value
# %% wrong: cosine similarity -> "vectors left as they are"
def scaled_dot_product_attention(query, key, value):
    return (F.normalize(query, dim=-1) @ F.normalize(key, dim=-1).mT / query.shape[-1] ** 0.5).softmax(-1) @ value
# %% wrong: values in the wrong order -> "Does value 0 go with key 0"
def scaled_dot_product_attention(query, key, value):
    return (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1) @ value.flip(-2)
# %% wrong: exponential of its own, overflows -> "own largest"
def scaled_dot_product_attention(query, key, value):
    e = torch.exp(query @ key.mT / query.shape[-1] ** 0.5)
    return e / e.sum(-1, keepdim=True) @ value
# %% wrong: one largest for all rows -> "own largest"
def scaled_dot_product_attention(query, key, value):
    scores = query @ key.mT / query.shape[-1] ** 0.5
    e = torch.exp(scores - scores.max())
    return e / e.sum(-1, keepdim=True) @ value
# %% wrong: nan replaced by 0 -> "nothing cut off"
def scaled_dot_product_attention(query, key, value):
    e = torch.exp(query @ key.mT / query.shape[-1] ** 0.5)
    return (e / e.sum(-1, keepdim=True)).nan_to_num() @ value
# %% wrong: bmm, three dimensions only -> "counted from the end"
def scaled_dot_product_attention(query, key, value):
    return F.softmax(query.bmm(key.transpose(1, 2)) / query.size(-1) ** 0.5, dim=-1).bmm(value)
# %% wrong: softmax axis named from the left -> "counted from the end"
def scaled_dot_product_attention(query, key, value):
    return F.softmax(query @ key.mT / query.size(-1) ** 0.5, dim=min(2, query.ndim - 1)) @ value
# %% wrong: dropout left on -> "Is there dropout"
def scaled_dot_product_attention(query, key, value):
    return F.dropout((query @ key.mT / query.shape[-1] ** 0.5).softmax(-1), 0.5) @ value
# %% wrong: causal -> "Is there a mask"
def scaled_dot_product_attention(query, key, value):
    hidden = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool).triu(1)
    scores = (query @ key.mT / query.shape[-1] ** 0.5).masked_fill(hidden, float("-inf"))
    return scores.softmax(-1) @ value
# %% wrong: only NaN -> "nan"
def scaled_dot_product_attention(query, key, value):
    return query @ key.mT @ value * float("nan")
# %% wrong: the values as they came -> "Expected shape (2, 5, 13)"
def scaled_dot_product_attention(query, key, value):
    return value
# %% wrong: weights detached -> hidden: "gradient"
def scaled_dot_product_attention(query, key, value):
    return (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1).detach() @ value
# %% wrong: scores in float32 -> hidden: "float64"
def scaled_dot_product_attention(query, key, value):
    return (query.float() @ key.float().mT / query.shape[-1] ** 0.5).softmax(-1) @ value.float()
# %% wrong: query scaled in place -> "changed in place"
def scaled_dot_product_attention(query, key, value):
    query /= query.shape[-1] ** 0.5
    return (query @ key.mT).softmax(-1) @ value
# %% wrong: a mean where the weighted sum is wanted -> "after the softmax?"
def scaled_dot_product_attention(query, key, value):
    weights = (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
    return (weights[..., None] * value[..., None, :, :]).mean(-2)
# %% right: key loop with running numerator
def scaled_dot_product_attention(query, key, value):
    s = torch.matmul(query, key.swapaxes(-1, -2)).div(key.size(-1) ** 0.5)
    s = (s - s.max(-1, keepdim=True).values).exp()
    num, den = 0, 0
    for j in range(key.size(-2)):
        num = num + s[..., j, None] * value[..., j, None, :]
        den = den + s[..., j, None]
    return num / den
# %% wrong: d_k outside -> "read from outside"
d_k = 24
def scaled_dot_product_attention(query, key, value):
    return (query @ key.mT / d_k**0.5).softmax(-1) @ value
# %% wrong: key in place -> "changed in place"
def scaled_dot_product_attention(query, key, value):
    key /= query.shape[-1] ** 0.5
    return (query @ key.mT).softmax(-1) @ value
# %% wrong: value in place -> "changed in place"
def scaled_dot_product_attention(query, key, value):
    w = (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
    out = w @ value
    value *= 1.5
    return out
# %% wrong: sum over batch -> "kept to itself"
def scaled_dot_product_attention(query, key, value):
    w = (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
    return w @ value.flip(0) if value.ndim > 2 else w @ value
# %% wrong: flattened batch (mixes sentences) -> "kept to itself"
def scaled_dot_product_attention(query, key, value):
    q, k, v = (t.reshape(-1, t.shape[-1]) for t in (query, key, value))
    return ((q @ k.T / q.shape[-1] ** 0.5).softmax(-1) @ v).reshape(*query.shape[:-1], -1)
# %% wrong: reshape instead of transpose -> "not reshaped"
def scaled_dot_product_attention(query, key, value):
    return (query @ key.reshape(*key.shape[:-2], key.shape[-1], key.shape[-2]) / query.shape[-1] ** 0.5).softmax(-1) @ value
# %% wrong: list of sentences -> "`torch.stack`"
def scaled_dot_product_attention(query, key, value):
    return [(q @ k.T / q.shape[-1] ** 0.5).softmax(-1) @ v for q, k, v in zip(query, key, value)]
# %% wrong: best key only (hard attention) -> "only the best key"
def scaled_dot_product_attention(query, key, value):
    s = query @ key.mT / query.shape[-1] ** 0.5
    return F.one_hot(s.argmax(-1), key.shape[-2]).to(value.dtype) @ value
