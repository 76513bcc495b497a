# %% right: PyTorch's own, which takes the same mask
def masked_attention(query, key, value, mask=None):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
# %% right: einsum and where
def masked_attention(query, key, value, mask=None):
    scores = torch.einsum("...qd,...kd->...qk", query, key) * key.shape[-1] ** -0.5
    if mask is None:
        mask = torch.ones(scores.shape[-2:], dtype=torch.bool)
    hidden = ~mask
    weights = torch.softmax(scores.masked_fill(hidden, torch.finfo(scores.dtype).min), -1)
    return torch.einsum("...qk,...kd->...qd", weights.masked_fill(hidden, 0), value)
# %% right: queries that see nothing are wiped at the end
def masked_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is None:
        return F.softmax(scores, dim=-1) @ value
    mask = mask.expand(scores.shape)
    none = ~mask.any(-1, keepdim=True)
    out = scores.masked_fill(~(mask | none), float("-inf")).softmax(-1) @ value
    return out.masked_fill(none, 0)
import math
# %% right: query by query
def masked_attention(query, key, value, mask=None):
    rows = []
    for i in range(query.shape[-2]):
        scores = (query[..., i : i + 1, :] * key).sum(-1) / key.shape[-1] ** 0.5
        keep = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.expand(*scores.shape[:-1], query.shape[-2], -1)[..., i, :]
        weights = scores.masked_fill(~keep, -torch.inf).softmax(-1).masked_fill(~keep, 0)
        rows.append((weights[..., None] * value).sum(-2))
    return torch.stack(rows, -2)
# %% wrong: transposes axes 0 and 1 -> "Does a transpose name axes 0 and 1"
def masked_attention(query, key, value, mask=None):
    scores = query @ key.transpose(0, 1) / key.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    return scores.softmax(-1) @ value
# %% wrong: T on a batch -> "Does a transpose name axes 0 and 1"
def masked_attention(query, key, value, mask=None):
    scores = query @ key.permute(*reversed(range(key.ndim))) / key.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    return scores.softmax(-1) @ value
# %% wrong: True means hidden -> "Does True mean"
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / key.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask, -torch.inf)
    return scores.softmax(-1) @ value
# %% wrong: the seed's -1e9 -> "Is the fill finite"
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / key.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    return scores.softmax(-1) @ value
# %% wrong: -inf and NaN left -> "a softmax of nothing but −∞"
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / key.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    return scores.softmax(-1) @ value
# %% wrong: NaN painted over at the end -> "painted over"
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / key.shape[-1] ** 0.5
    if mask is not None:
        scores = scores + torch.where(mask, 0.0, -torch.inf)
    return torch.nan_to_num(scores.softmax(-1)) @ value
# %% wrong: mask ignored -> "is `mask` used?"
def masked_attention(query, key, value, mask=None):
    return (query @ key.mT / key.shape[-1] ** 0.5).softmax(-1) @ value
# %% wrong: masked_fill's result thrown away -> "is `mask` used?"
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / key.shape[-1] ** 0.5
    if mask is not None:
        scores.masked_fill(~mask, -torch.inf)
    return scores.softmax(-1) @ value
# %% wrong: not scaled -> "multiplied by 1.000"
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT
    if mask is None:
        return scores.softmax(-1) @ value
    return scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0) @ value
# %% wrong: divided by d_k -> "multiplied by 0.091"
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / key.shape[-1]
    if mask is None:
        return scores.softmax(-1) @ value
    return scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0) @ value
# %% wrong: scaled by the value's width -> "multiplied by 0.378"
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / value.shape[-1] ** 0.5
    if mask is None:
        return scores.softmax(-1) @ value
    return scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0) @ value
# %% wrong: scaled by the number of keys -> "the number of keys"
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / key.shape[-2] ** 0.5
    if mask is None:
        return scores.softmax(-1) @ value
    return scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0) @ value
# %% wrong: softmax over the queries -> "Softmax over the last axis?"
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / key.shape[-1] ** 0.5
    if mask is None:
        return scores.softmax(-2) @ value
    return scores.masked_fill(~mask, -torch.inf).softmax(-2).masked_fill(~mask, 0) @ value
# %% wrong: masked after the softmax -> "applied after the softmax"
def masked_attention(query, key, value, mask=None):
    weights = (query @ key.mT / key.shape[-1] ** 0.5).softmax(-1)
    return (weights if mask is None else weights * mask) @ value
# %% wrong: masked after the softmax and renormalised -> "read their scores before they are hidden"
def masked_attention(query, key, value, mask=None):
    weights = (query @ key.mT / key.shape[-1] ** 0.5).softmax(-1)
    if mask is not None:
        weights = weights * mask
        weights = weights / weights.sum(-1, keepdim=True).clamp(min=1e-9)
    return weights @ value
# %% wrong: scores multiplied by the mask -> "exp(0) is 1"
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / key.shape[-1] ** 0.5
    return (scores if mask is None else scores * mask).softmax(-1) @ value
# %% wrong: mask filled with -inf by indexing -> "Masks broadcast"
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / key.shape[-1] ** 0.5
    if mask is not None:
        scores[~mask] = -torch.inf
    return scores.softmax(-1) @ value
# %% wrong: mask=None stops -> "Is a mask of None left alone?"
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / key.shape[-1] ** 0.5
    return scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0) @ value
# %% wrong: softmax forgotten -> "weights sum to"
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / key.shape[-1] ** 0.5
    return (scores if mask is None else scores.masked_fill(~mask, 0)) @ value
# %% wrong: the mask added as a number -> "added as a number"
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / key.shape[-1] ** 0.5
    return (scores if mask is None else scores + mask).softmax(-1) @ value
# %% wrong: returns the weights too -> "got tuple"
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / key.shape[-1] ** 0.5
    weights = scores.softmax(-1) if mask is None else scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
    return weights @ value, weights
# %% wrong: averages the keys -> "Are the values averaged"
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / key.shape[-1] ** 0.5
    weights = scores.softmax(-1) if mask is None else scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
    return weights @ key
# %% wrong: no return -> "`return`"
def masked_attention(query, key, value, mask=None):
    out = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
# %% wrong: mask of the first sentence for all -> "first sentence"
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / key.shape[-1] ** 0.5
    if mask is None:
        return scores.softmax(-1) @ value
    while mask.ndim > 2:
        mask = mask[0]
    return scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0) @ value
# %% wrong: float32 always -> hidden: "float64"
def masked_attention(query, key, value, mask=None):
    return F.scaled_dot_product_attention(query.float(), key.float(), value.float(), attn_mask=mask)
# %% wrong: NaN everywhere -> "weights sum to nan"
def masked_attention(query, key, value, mask=None):
    return torch.full((*query.shape[:-1], value.shape[-1]), torch.nan)
# %% wrong: the mask's rows and columns exchanged -> "A mask (2, 1, 5, 7) stopped"
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / key.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask.mT, -torch.inf)
    return scores.softmax(-1) @ value
# %% wrong: the values are masked, the weights are not -> "Visible weights sum to"
def masked_attention(query, key, value, mask=None):
    weights = (query @ key.mT / key.shape[-1] ** 0.5).softmax(-1)
    return torch.einsum("...qk,...kd->...qd", weights if mask is None else weights.masked_fill(~mask, 0), value)
# %% wrong: another axis for the heads -> "no axis added to the mask"
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / key.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask.unsqueeze(1), -torch.inf)
    return scores.softmax(-1) @ value
# %% wrong: scaled twice -> "multiplied by 0.091"
def masked_attention(query, key, value, mask=None):
    return F.scaled_dot_product_attention(query / key.shape[-1] ** 0.5, key, value, attn_mask=mask)

# %% wrong: softmax's output written into -> "No gradient comes back"
def masked_attention(query, key, value, mask=None):
    s = query @ key.mT / key.shape[-1] ** 0.5
    if mask is None: return s.softmax(-1) @ value
    w = s.masked_fill(~mask, -torch.inf).softmax(-1)
    w.masked_fill_(~mask, 0)
    return w @ value

# %% wrong: four axes only -> "Are leading axes expected"
def masked_attention(query, key, value, mask=None):
    b, n, q, d = query.shape
    s = query @ key.mT / d ** 0.5
    if mask is not None: s = s.masked_fill(~mask, -torch.inf)
    return s.softmax(-1) @ value

# %% wrong: causal where there is no mask -> "Is something hidden though mask is None"
def masked_attention(query, key, value, mask=None):
    s = query @ key.mT / key.shape[-1] ** 0.5
    if mask is None: mask = torch.ones(s.shape[-2:], dtype=torch.bool).tril()
    return s.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0) @ value

# %% wrong: any mask is taken for a causal one -> "nothing causal"
def masked_attention(query, key, value, mask=None):
    return F.scaled_dot_product_attention(query, key, value, is_causal=mask is not None)

# %% right: a recursion over the leading axes
def masked_attention(query, key, value, mask=None):
    lead = query.shape[:-2]
    m = None if mask is None else mask.expand(*lead, query.shape[-2], key.shape[-2])
    if lead:
        return torch.stack([masked_attention(query[i], key[i], value[i], None if m is None else m[i]) for i in range(lead[0])])
    s = torch.mm(query, key.t()) / math.sqrt(key.size(-1))
    if m is None: return s.softmax(-1).mm(value)
    return s.masked_fill(m == 0, -1e30 if s.dtype is torch.float64 else -1e30).softmax(-1).masked_fill(m == 0, 0).mm(value)
import math
