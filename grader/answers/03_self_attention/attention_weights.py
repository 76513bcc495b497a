# %% right: einsum, a softmax of its own
def attention_weights(query, key):
    if query.size(-1) != key.size(-1):
        raise ValueError(f"expected equal widths, got {query.size(-1)} and {key.size(-1)}")
    scores = torch.einsum("...qd,...kd->...qk", query, key) / query.size(-1) ** 0.5
    e = (scores - scores.amax(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)
# %% right: both sides scaled by the fourth root
def attention_weights(query, key):
    d_q, d_k = query.shape[-1], key.shape[-1]
    if d_q != d_k:
        raise ValueError("widths {} and {}".format(d_q, d_k))
    return F.softmax((query / d_k**0.25) @ (key / d_k**0.25).transpose(-2, -1), dim=-1)
# %% right: PyTorch's attention on the identity
def attention_weights(query, key):
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"query {tuple(query.shape)} and key {tuple(key.shape)} differ in width, {query.shape[-1]} and {key.shape[-1]}")
    eye = torch.eye(key.shape[-2], dtype=key.dtype).expand(*key.shape[:-1], key.shape[-2])
    return F.scaled_dot_product_attention(query, key, eye)
# %% right: one key at a time
def attention_weights(query, key):
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"query has {query.shape[-1]} columns, key {key.shape[-1]}")
    scores = torch.stack([(query * one.unsqueeze(-2)).sum(-1) for one in key.unbind(-2)], dim=-1)
    return torch.exp(torch.log_softmax(scores * query.shape[-1] ** -0.5, dim=-1))
# %% wrong: no return -> "`return`"
def attention_weights(query, key):
    weights = (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
# %% wrong: query and key change places -> "change places"
def attention_weights(query, key):
    return (key @ query.mT / query.shape[-1] ** 0.5).softmax(-1)
# %% wrong: softmax over the queries -> "over the queries"
def attention_weights(query, key):
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"{query.shape[-1]} {key.shape[-1]}")
    return (query @ key.mT / query.shape[-1] ** 0.5).softmax(-2)
# %% wrong: softmax over axis 1, as in two dimensions -> "over the queries"
def attention_weights(query, key):
    return F.softmax(query @ key.mT / query.shape[-1] ** 0.5, dim=1)
# %% wrong: softmax over the batch -> "the sentences of the batch"
def attention_weights(query, key):
    return F.softmax(query @ key.mT / query.shape[-1] ** 0.5, dim=0)
# %% wrong: softmax without dim -> "the sentences of the batch"
def attention_weights(query, key):
    return F.softmax(query @ key.mT / query.shape[-1] ** 0.5)
# %% wrong: one softmax over all pairs -> "all pairs of a sentence"
def attention_weights(query, key):
    scores = query @ key.mT / query.shape[-1] ** 0.5
    return scores.flatten(-2).softmax(-1).view_as(scores)
# %% wrong: no softmax -> "with its exponential"
def attention_weights(query, key):
    return query @ key.mT / query.shape[-1] ** 0.5
# %% wrong: divided by the sum, no exponential -> "with its exponential"
def attention_weights(query, key):
    scores = query @ key.mT / query.shape[-1] ** 0.5
    return scores / scores.sum(-1, keepdim=True)
# %% wrong: sigmoid instead of softmax -> "divided by its own sum"
def attention_weights(query, key):
    return (query @ key.mT / query.shape[-1] ** 0.5).sigmoid()
# %% wrong: no scaling -> "divided before the softmax"
def attention_weights(query, key):
    return (query @ key.mT).softmax(-1)
# %% wrong: scaled after the softmax -> "divided by its own sum"
def attention_weights(query, key):
    return (query @ key.mT).softmax(-1) / query.shape[-1] ** 0.5
# %% wrong: divided by d_k -> "d_k, or its root"
def attention_weights(query, key):
    return (query @ key.mT / query.shape[-1]).softmax(-1)
# %% wrong: multiplied by the root -> "Multiplied, or divided"
def attention_weights(query, key):
    return (query @ key.mT * query.shape[-1] ** 0.5).softmax(-1)
# %% wrong: root of the number of keys -> "number of keys"
def attention_weights(query, key):
    return (query @ key.mT / key.shape[-2] ** 0.5).softmax(-1)
# %% wrong: root of the number of queries -> "number of queries"
def attention_weights(query, key):
    return (query @ key.mT / query.size(1) ** 0.5).softmax(-1)
# %% wrong: root of the batch -> "which axis is d_k"
def attention_weights(query, key):
    return (query @ key.mT / query.shape[0] ** 0.5).softmax(-1)
# %% wrong: cosine similarity -> "vectors left as they are"
def attention_weights(query, key):
    return (F.normalize(query, dim=-1) @ F.normalize(key, dim=-1).mT / query.shape[-1] ** 0.5).softmax(-1)
# %% wrong: distances instead of dot products -> "vectors left as they are"
def attention_weights(query, key):
    return (-torch.cdist(query, key) / query.shape[-1] ** 0.5).softmax(-1)
# %% wrong: exponential of its own, overflows -> "own largest"
def attention_weights(query, key):
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"{query.shape[-1]} {key.shape[-1]}")
    e = torch.exp(query @ key.mT / query.shape[-1] ** 0.5)
    return e / e.sum(-1, keepdim=True)
# %% wrong: one largest for all rows -> "own largest"
def attention_weights(query, key):
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"{query.shape[-1]} {key.shape[-1]}")
    scores = query @ key.mT / query.shape[-1] ** 0.5
    e = torch.exp(scores - scores.max())
    return e / e.sum(-1, keepdim=True)
# %% wrong: scores cut off at 50 -> "nothing cut off"
def attention_weights(query, key):
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"{query.shape[-1]} {key.shape[-1]}")
    return (query @ key.mT / query.shape[-1] ** 0.5).clamp(-50, 50).softmax(-1)
# %% wrong: bmm, three dimensions only -> "counted from the end"
def attention_weights(query, key):
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"{query.shape[-1]} {key.shape[-1]}")
    return (query.bmm(key.transpose(1, 2)) / query.shape[-1] ** 0.5).softmax(-1)
# %% wrong: axes named from the left -> "counted from the end"
def attention_weights(query, key):
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"{query.shape[-1]} {key.shape[-1]}")
    return (query @ key.transpose(1, 2) / query.shape[-1] ** 0.5).softmax(dim=2)
# %% wrong: softmax axis named from the left -> "counted from the end"
def attention_weights(query, key):
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"{query.shape[-1]} {key.shape[-1]}")
    return (query @ key.mT / query.shape[-1] ** 0.5).softmax(dim=min(2, query.ndim - 1))
# %% wrong: whole shapes compared -> "the last sizes"
def attention_weights(query, key):
    if query.shape != key.shape:
        raise ValueError(f"query {tuple(query.shape)} and key {tuple(key.shape)} differ")
    return (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
# %% wrong: widths not compared -> "got RuntimeError"
def attention_weights(query, key):
    return (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
# %% wrong: assert instead of ValueError -> "got AssertionError"
def attention_weights(query, key):
    assert query.shape[-1] == key.shape[-1], f"{query.shape[-1]} and {key.shape[-1]}"
    return (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
# %% wrong: the message says nothing -> "both in the message"
def attention_weights(query, key):
    if query.shape[-1] != key.shape[-1]:
        raise ValueError("query and key must have the same width")
    return (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
# %% wrong: error made, not raised -> "got RuntimeError"
def attention_weights(query, key):
    if query.shape[-1] != key.shape[-1]:
        ValueError(f"{query.shape[-1]} and {key.shape[-1]}")
    return (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
# %% wrong: float32 whatever came -> hidden: "float64"
def attention_weights(query, key):
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"{query.shape[-1]} {key.shape[-1]}")
    return (query.float() @ key.float().mT / query.shape[-1] ** 0.5).softmax(-1)
# %% wrong: query scaled in place -> "changed in place"
def attention_weights(query, key):
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"{query.shape[-1]} {key.shape[-1]}")
    query /= query.shape[-1] ** 0.5
    weights = (query @ key.mT).softmax(-1)
    return weights
# %% wrong: only NaN -> "nan"
def attention_weights(query, key):
    return query @ key.mT * float("nan")
# %% wrong: `.T` turns all axes round -> "must match"
def attention_weights(query, key):
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"{query.shape[-1]} {key.shape[-1]}")
    return (query @ key.T / query.shape[-1] ** 0.5).softmax(-1)
# %% wrong: causal -> "Is there a mask"
def attention_weights(query, key):
    scores = query @ key.mT / query.shape[-1] ** 0.5
    return scores.masked_fill(torch.ones_like(scores).triu(1).bool(), float("-inf")).softmax(-1)
# %% wrong: weights and scores -> "of the weights alone"
def attention_weights(query, key):
    scores = query @ key.mT / query.shape[-1] ** 0.5
    return scores.softmax(-1), scores
# %% wrong: log_softmax -> "with its exponential"
def attention_weights(query, key):
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"{query.shape[-1]} {key.shape[-1]}")
    return F.log_softmax(query @ key.mT / query.shape[-1] ** 0.5, dim=-1)
# %% right: keyword softmax, scaled key, try/except
def attention_weights(query, key):
    d_k = key.shape[-1]
    try:
        scores = torch.matmul(query, torch.swapaxes(key / d_k**0.5, -1, -2))
    except RuntimeError as error:
        raise ValueError(f"{query.shape[-1]} is not {d_k}") from error
    return torch.softmax(input=scores, dim=-1)
# %% wrong: d_k from outside -> "read from outside"
d_k = 24
def attention_weights(query, key):
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"{query.shape[-1]} {key.shape[-1]}")
    return (query @ key.mT / d_k**0.5).softmax(-1)
# %% wrong: key in place -> "changed in place"
def attention_weights(query, key):
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"{query.shape[-1]} {key.shape[-1]}")
    key /= query.shape[-1] ** 0.5
    return (query @ key.mT).softmax(-1)
# %% wrong: KeyError -> "got KeyError"
def attention_weights(query, key):
    if query.shape[-1] != key.shape[-1]:
        raise KeyError(f"{query.shape[-1]} {key.shape[-1]}")
    return (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
# %% wrong: raise Exception -> "got Exception"
def attention_weights(query, key):
    if query.shape[-1] != key.shape[-1]:
        raise Exception(f"{query.shape[-1]} {key.shape[-1]}")
    return (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
# %% wrong: prints, returns None -> "got NoneType"
def attention_weights(query, key):
    if query.shape[-1] != key.shape[-1]:
        print("widths differ", query.shape[-1], key.shape[-1])
        return None
    return (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
# %% wrong: dropout -> "dropout"
def attention_weights(query, key):
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"{query.shape[-1]} {key.shape[-1]}")
    return F.dropout((query @ key.mT / query.shape[-1] ** 0.5).softmax(-1), 0.1)
# %% wrong: view not transpose -> "not reshaped"
def attention_weights(query, key):
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"{query.shape[-1]} {key.shape[-1]}")
    return (query @ key.reshape(*key.shape[:-2], key.shape[-1], key.shape[-2]) / query.shape[-1] ** 0.5).softmax(-1)
# %% wrong: minus -> "A minus too many?"
def attention_weights(query, key):
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"{query.shape[-1]} {key.shape[-1]}")
    return (-query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
# %% wrong: twice softmax -> "one softmax"
def attention_weights(query, key):
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"{query.shape[-1]} {key.shape[-1]}")
    return (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1).softmax(-1)
