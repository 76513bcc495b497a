# %% right: einsum, a finite fill, then wiped
def masked_attention(query, key, value, mask=None):
    scores = torch.einsum("...qd,...kd->...qk", query, key) * key.shape[-1] ** -0.5
    if mask is None:
        mask = torch.ones(scores.shape[-2:], dtype=torch.bool)
    weights = torch.softmax(scores.masked_fill(~mask, torch.finfo(scores.dtype).min), -1)
    return torch.einsum("...qk,...kd->...qd", weights.masked_fill(~mask, 0), value)

# %% right: empty rows are wiped at the end
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
    rows, shape = [], (*query.shape[:-1], key.shape[-2])
    keep = torch.ones(shape, dtype=torch.bool) if mask is None else mask.expand(shape)
    for i in range(query.shape[-2]):
        scores = (query[..., i : i + 1, :] * key).sum(-1) / key.shape[-1] ** 0.5
        hidden = ~keep[..., i, :]
        weights = scores.masked_fill(hidden, -torch.inf).softmax(-1).masked_fill(hidden, 0)
        rows.append((weights[..., None] * value).sum(-2))
    return torch.stack(rows, -2)

# %% right: a recursion over the leading axes
def masked_attention(query, key, value, mask=None):
    if query.ndim > 2:
        masks = [None] * len(query)
        if mask is not None:
            masks = mask.expand(*query.shape[:-1], key.shape[-2])
        parts = zip(query, key, value, masks)
        return torch.stack([masked_attention(q, k, v, m) for q, k, v, m in parts])
    scores = query @ key.T / key.shape[1] ** 0.5
    if mask is None:
        return scores.softmax(1) @ value
    return scores.masked_fill(~mask, -torch.inf).softmax(1).masked_fill(~mask, 0) @ value

# %% shortcut: PyTorch's own, which takes the same mask
def masked_attention(query, key, value, mask=None):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask)

# %% shortcut: PyTorch's own by its full name
def masked_attention(query, key, value, mask=None):
    return torch.nn.functional.scaled_dot_product_attention(query, key, value, mask)

# %% shortcut: PyTorch's own, asked for by name
def masked_attention(query, key, value, mask=None):
    own = getattr(F, "scaled_dot_product_attention")
    return own(query, key, value, attn_mask=mask)

# %% wrong: transposes axes 0 and 1 -> "Does a transpose name axes 0 and 1"
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.transpose(0, 1) / key.shape[-1] ** 0.5

# %% wrong: T on a batch -> "Does a transpose name axes 0 and 1"
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.permute(*reversed(range(key.ndim))) / key.shape[-1] ** 0.5

# %% wrong: softmax over axis 1, which are the heads -> "The weights sum to 1 over the heads (axis 1)"
- return scores.softmax(-1) @ value
+ return scores.softmax(1) @ value

# %% wrong: True means hidden -> "True means: may attend. Is True read as hidden?"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
+ weights = scores.masked_fill(mask, -torch.inf).softmax(-1).masked_fill(mask, 0)

# %% wrong: True means hidden, NaN left -> "True means: may attend. Is True read as hidden?"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
+ weights = scores.masked_fill(mask, -torch.inf).softmax(-1)

# %% wrong: the seed's -1e9 -> "With a finite fill"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
+ weights = scores.masked_fill(~mask, -1e9).softmax(-1)

# %% wrong: -inf and NaN left -> "A softmax of nothing but −∞ is 0/0"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
+ weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)

# %% wrong: NaN painted over at the end -> "Is −∞ added to the scores"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
- return weights @ value
+ hide = torch.zeros_like(scores).masked_fill(~mask, -torch.inf)
+ return torch.nan_to_num((scores + hide).softmax(-1)) @ value

# %% wrong: mask ignored -> "without a mask. Is the result of `masked_fill` used?"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
+ weights = scores.softmax(-1)

# %% wrong: masked_fill's result thrown away -> "without a mask. Is the result of `masked_fill` used?"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
+ scores.masked_fill(~mask, -torch.inf)
+ weights = scores.softmax(-1)

# %% wrong: not scaled -> "They are not scaled"
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT

# %% wrong: divided by d_k -> "They are divided by d_k"
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT / key.shape[-1]

# %% wrong: multiplied by the root -> "They are multiplied by √d_k"
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT * key.shape[-1] ** 0.5

# %% wrong: scaled by the value's width -> "or of the values' width"
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT / value.shape[-1] ** 0.5

# %% wrong: scaled by the number of queries -> "root of the number of queries"
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT / query.shape[-2] ** 0.5

# %% wrong: scaled by the batch -> "Divide by the root of the last size"
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT / key.shape[0] ** 0.5

# %% wrong: softmax over the queries -> "over the queries (axis -2)"
- return scores.softmax(-1) @ value
+ return scores.softmax(-2) @ value

# %% wrong: masked after the softmax -> "applied after the softmax"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
+ weights = scores.softmax(-1) * mask

# %% wrong: masked after the softmax and renormalised -> "read their scores before they are hidden"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
+ weights = scores.softmax(-1) * mask
+ weights = weights / weights.sum(-1, keepdim=True).clamp(min=1e-9)

# %% wrong: scores multiplied by the mask -> "exp(0) is 1"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
+ weights = (scores * mask).softmax(-1)

# %% wrong: mask filled with -inf by indexing -> "Masks broadcast"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
+ scores[~mask] = -torch.inf
+ weights = scores.softmax(-1).masked_fill(~mask, 0)

# %% wrong: mask=None stops -> "and None left alone?"
- if mask is None:
-     return scores.softmax(-1) @ value

# %% wrong: the mask asked whether it is true -> "Is it `is None` that should be asked"
- if mask is None:
-     return scores.softmax(-1) @ value
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
+ if not mask:
+     return scores.softmax(-1) @ value
+ weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)

# %% wrong: softmax forgotten -> "Is there a softmax"
- return scores.softmax(-1) @ value
+ return scores @ value

# %% wrong: the mask added as a number -> "added as a number"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
+ weights = (scores + mask).softmax(-1)

# %% wrong: returns the weights too -> "got tuple"
- return scores.softmax(-1) @ value
+ return scores.softmax(-1) @ value, scores.softmax(-1)

# %% wrong: averages the keys -> "Are the values averaged"
- return scores.softmax(-1) @ value
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
- return weights @ value
+ return scores.softmax(-1) @ key

# %% wrong: the weights come back -> "These are the weights"
- return scores.softmax(-1) @ value
+ return scores.softmax(-1)

# %% wrong: no return -> "Is there a `return`?"
- return weights @ value
+ weights @ value

# %% wrong: mask of the first sentence for all -> "first sentence's mask"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
+ while mask.ndim > 2:
+     mask = mask[0]
+ weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)

# %% wrong: float32 always -> "give a result of torch.float32"
- return weights @ value
+ return (weights @ value).float()

# %% wrong: the values are masked, the weights are not -> "only to the values"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
+ weights = scores.softmax(-1).masked_fill(~mask, 0)

# %% wrong: hidden scores set to 0, and their weights after it -> "Is a hidden score set to 0?"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
+ weights = (scores * mask).softmax(-1).masked_fill(~mask, 0)

# %% wrong: another axis for the heads -> "Is an axis added"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
+ mask = mask[None]
+ weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)

# %% wrong: softmax's output written into -> "written over later"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
+ weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
+ weights.masked_fill_(~mask, 0)

# %% wrong: four axes only -> "axes counted from the end"
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ batch, n_heads, q, d_k = query.shape
+ scores = query @ key.mT / d_k**0.5

# %% wrong: causal where there is no mask -> "Is a causal mask built in?"
- return scores.softmax(-1) @ value
+ hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
+ return scores.masked_fill(hidden, -torch.inf).softmax(-1) @ value

# %% wrong: any mask is taken for a causal one -> "nothing causal besides"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
+ mask = mask & torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
+ weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)

# %% wrong: detached -> "No gradient reaches"
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query.detach() @ key.mT / key.shape[-1] ** 0.5

# %% wrong: other names -> "Are its arguments still called"
def masked_attention(q, k, v, m=None):
    scores = q @ k.mT / k.shape[-1] ** 0.5
    if m is None:
        return scores.softmax(-1) @ v
    return scores.masked_fill(~m, -torch.inf).softmax(-1).masked_fill(~m, 0) @ v

# %% wrong: scaled only where there is no mask -> "Is √d_k missing there?"
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT

- return scores.softmax(-1) @ value
+ return (scores / key.shape[-1] ** 0.5).softmax(-1) @ value
# %% right: the root of d_k in a tensor, so in float32
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT / torch.sqrt(torch.tensor(key.shape[-1]))
# %% wrong: the root written as ** 1 / 2 -> "That is (** 1) / 2."
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT / key.shape[-1] ** 1 / 2
# %% wrong: the weights returned where there is a mask -> "With a mask, these are the weights."
  weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
- return weights @ value
+ return weights
# %% wrong: the values of hidden keys set to 0 -> "filled, before the softmax"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
- return weights @ value
+ return scores.softmax(-1) @ (value * mask.any(-2, keepdim=True).mT)
# %% right: 1e-9 added to the sum, less than float32 can tell
  weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
- return weights @ value
+ scores = scores.masked_fill(~mask, -1e9)
+ e = (scores - scores.amax(-1, keepdim=True)).exp().masked_fill(~mask, 0)
+ return e / (e.sum(-1, keepdim=True) + 1e-9) @ value
# %% wrong: no maximum subtracted before exp -> "largest score of a row subtracted"
  weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
- return weights @ value
+ e = scores.exp().masked_fill(~mask, 0)
+ total = e.sum(-1, keepdim=True)
+ return e / total.where(total > 0, 1.0) @ value
# %% right: baddbmm with the fill as its first argument
def masked_attention(query, key, value, mask=None):
    (*lead, q, _), k = query.shape, key.shape[-2]
    parts = [part.reshape(-1, *part.shape[-2:]) for part in (query, key, value)]
    mask = torch.ones(q, k, dtype=torch.bool) if mask is None else mask
    keep = mask.expand(*lead, q, k).reshape(-1, q, k)
    low = torch.zeros_like(keep, dtype=query.dtype).masked_fill(~keep, torch.finfo(query.dtype).min)
    scores = torch.baddbmm(low, parts[0], parts[1].mT, alpha=key.shape[-1] ** -0.5)
    return torch.bmm(scores.softmax(-1) * keep, parts[2]).reshape(*lead, q, -1)
# %% wrong: a score of 0 taken for a hidden one -> "Is a score of 0 taken for a hidden one?"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
+ scores = scores * mask
+ weights = scores.masked_fill(scores == 0, -torch.inf).softmax(-1).masked_fill(~mask, 0)
# %% wrong: -1e4 for what is hidden -> "Is the fill for hidden scores higher than they are?"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
+ weights = scores.masked_fill(~mask, -1e4).softmax(-1).masked_fill(~mask, 0)
# %% wrong: an axis for the heads added to a mask of three axes -> "Is an axis added to a mask"
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT / key.shape[-1] ** 0.5
+ mask = mask.unsqueeze(1) if mask is not None and mask.ndim == 3 else mask
# %% wrong: a mask that hides everything taken for none -> "Is it taken for no mask at all?"
- if mask is None:
+ if mask is None or not mask.any():
# %% wrong: dropout where none is asked for, under a mask -> "Or is something dropped?"
- return weights @ value
+ return F.dropout(weights, 0.1) @ value

# %% wrong: filled with +∞ -> "Is the fill for hidden scores +∞?"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
+ weights = scores.masked_fill(~mask, -float("-inf")).softmax(-1).masked_fill(~mask, 0)

# %% wrong: filled with +∞, and the NaN painted over -> "Is the fill +∞?"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
+ weights = scores.masked_fill(~mask, torch.inf).softmax(-1).nan_to_num()

# %% wrong: filled with a large number -> "above the others"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
+ weights = scores.masked_fill(~mask, 1e9).softmax(-1)

# %% wrong: −∞ times 0 added -> "Is −∞ multiplied by 0?"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
+ weights = (scores - torch.inf * (~mask).float()).softmax(-1).masked_fill(~mask, 0)

# %% wrong: causal without being asked -> "Is a causal mask built in?"
- scores = query @ key.mT / key.shape[-1] ** 0.5  # (…, q, k)
+ scores = query @ key.mT / key.shape[-1] ** 0.5
+ causal = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
+ mask = causal if mask is None else causal & mask

# %% wrong: causal, the queries last, without being asked -> "Is a causal mask built in?"
- scores = query @ key.mT / key.shape[-1] ** 0.5  # (…, q, k)
+ scores = query @ key.mT / key.shape[-1] ** 0.5
+ late = key.shape[-2] - query.shape[-2]
+ causal = torch.ones(scores.shape[-2:], dtype=torch.bool).tril(late)
+ mask = causal if mask is None else causal & mask

# %% wrong: only the best key, where there is no mask -> "Is something masked or dropped, or is only the best key kept?"
- return scores.softmax(-1) @ value
+ return F.one_hot(scores.argmax(-1), scores.shape[-1]).to(value) @ value

# %% wrong: a minus too many -> "Is there a minus too many?"
def masked_attention(query, key, value, mask=None):
    s = -(query @ key.mT) / key.shape[-1] ** 0.5
    w = s.softmax(-1) if mask is None else masked_softmax(s, mask)
    return w @ value

# %% wrong: the root rounded down -> "rounded to a whole number"
def masked_attention(query, key, value, mask=None):
    s = query @ key.mT / int(key.shape[-1] ** 0.5)
    w = s.softmax(-1) if mask is None else masked_softmax(s, mask)
    return w @ value

# %% wrong: a square mask transposed -> "rows and columns of the mask swapped"
def masked_attention(query, key, value, mask=None):
    s = query @ key.mT / key.shape[-1] ** 0.5
    if mask is not None and mask.shape[-1] == mask.shape[-2]:
        mask = mask.mT
    w = s.softmax(-1) if mask is None else masked_softmax(s, mask)
    return w @ value
# %% wrong: softmax twice -> "Is the softmax taken twice?"
- return scores.softmax(-1) @ value
+ return scores.softmax(-1).softmax(-1) @ value
# %% wrong: the width of the example -> "divided by √11. Is d_k read from the arguments?"
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT / 11**0.5
# %% wrong: padding hidden as a query, too -> "Does the mask hide them as queries, too?"
- return weights @ value
+ out = weights @ value
+ if mask.shape[-2] == 1 and mask.shape[-1] == query.shape[-2]:
+     out = out * mask.mT
+ return out
# %% wrong: the mask transposed -> "Is it transposed?"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
+ weights = scores.masked_fill(~mask.mT, -torch.inf).softmax(-1).masked_fill(~mask.mT, 0)
# %% wrong: a mask is used only where it has a row for each query -> "Is this one left out?"
- if mask is None:
+ if mask is None or mask.shape[-2:] != scores.shape[-2:]:
# %% right: float32 on the way, as published models do it
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
+ weights = scores.masked_fill(~mask, -torch.inf).softmax(-1, dtype=torch.float32)
+ weights = weights.to(query.dtype).masked_fill(~mask, 0)

# %% wrong: a bias (q, k) filled in place, as in the reference code of PyTorch's manual -> "Write `bias = bias.masked_fill(…)`"
def masked_attention(query, key, value, mask=None):
    bias = torch.zeros(query.size(-2), key.size(-2), dtype=query.dtype)
    if mask is not None:
        bias.masked_fill_(mask.logical_not(), float("-inf"))
    weights = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1)) + bias
    return torch.softmax(weights, dim=-1) @ value
# %% right: each side scaled by the fourth root
def masked_attention(query, key, value, mask=None):
    root = math.sqrt(math.sqrt(key.size(-1)))
    scores = torch.matmul(query / root, (key / root).transpose(-1, -2))
    if mask is not None:
        return torch.matmul(masked_softmax(scores, mask), value)
    return torch.matmul(scores.softmax(dim=-1), value)
# %% wrong of "each side scaled by the fourth root": only one side is scaled -> "That is the fourth root."
- scores = torch.matmul(query / root, (key / root).transpose(-1, -2))
+ scores = torch.matmul(query / root, key.transpose(-1, -2))
# %% wrong of "each side scaled by the fourth root": the weights are squared -> "The weights are squared"
- return torch.matmul(masked_softmax(scores, mask), value)
+ return torch.matmul(masked_softmax(scores, mask) ** 2, value)

# %% wrong: the last query's row of the mask for all -> "All queries may attend to the same keys here"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
+ mask = mask[..., -1:, :]
+ weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
# %% wrong: scaled under a mask alone -> "That is without a mask; with one"
- scores = query @ key.mT / key.shape[-1] ** 0.5  # (…, q, k)
+ scores = query @ key.mT

- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
+ scores = scores / key.shape[-1] ** 0.5
+ weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
# %% wrong: a bool added, and hidden weights set to 0 -> "Is the mask added as a number?"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
+ weights = (scores + mask).softmax(-1).masked_fill(~mask, 0)
