# %% right: the smallest finite number, then wiped
def masked_softmax(scores, mask):
    low = torch.finfo(scores.dtype).min
    return torch.where(mask, torch.where(mask, scores, low).softmax(-1), 0)
# %% right: written out, the largest visible score taken off first, float32 inside
def masked_softmax(scores, mask):
    wide = scores.float() if scores.dtype in (torch.float16, torch.bfloat16) else scores
    seen = torch.where(mask, wide, -torch.inf)
    largest = seen.amax(-1, keepdim=True)
    largest = torch.where(largest.isinf(), 0, largest).detach()
    power = (seen - largest).exp()
    total = power.sum(-1, keepdim=True)
    return (power / torch.where(total == 0, 1, total)).to(scores.dtype)
# %% right: rows that see nothing are made to see everything, then wiped
def masked_softmax(scores, mask):
    mask = mask.expand(scores.shape)
    something = mask | ~mask.any(-1, keepdim=True)
    return scores.masked_fill(~something, float("-inf")).softmax(-1) * mask
# %% right: a row at a time
def masked_softmax(scores, mask):
    flat, seen = scores.reshape(-1, scores.shape[-1]), mask.expand(scores.shape).reshape(-1, scores.shape[-1])
    rows = []
    for row, keep in zip(flat, seen):
        weights = torch.zeros_like(row)
        places = keep.nonzero().flatten()
        rows.append(weights.index_put((places,), row[places].softmax(0)) if len(places) else weights * row.detach())
    return torch.stack(rows).reshape(scores.shape)
# %% right: -1e9 in float32, and wiped
def masked_softmax(scores, mask):
    wide = scores.to(torch.promote_types(scores.dtype, torch.float32))
    return wide.masked_fill(~mask, -1e9).softmax(-1).masked_fill(~mask, 0.0).to(scores.dtype)
# %% wrong: True taken as hidden -> "Is True = may attend read as True = hidden?"
def masked_softmax(scores, mask):
    return scores.masked_fill(mask, -torch.inf).softmax(-1).masked_fill(mask, 0)
# %% wrong: True taken as hidden, nothing wiped -> "Is True = may attend read as True = hidden?"
def masked_softmax(scores, mask):
    return scores.masked_fill(mask, -torch.inf).softmax(-1)
# %% wrong: softmax over the queries -> "Softmax over the last axis?"
def masked_softmax(scores, mask):
    return scores.masked_fill(~mask, -torch.inf).softmax(-2).masked_fill(~mask, 0)
# %% wrong: scaled once more -> "Were they scaled again?"
def masked_softmax(scores, mask):
    return (scores / scores.shape[-1] ** 0.5).masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
# %% wrong: the mask ignored -> "Does the mask reach"
def masked_softmax(scores, mask):
    return scores.softmax(-1)
# %% wrong: scores multiplied by the mask -> "exp(0) is 1"
def masked_softmax(scores, mask):
    return (scores * mask).softmax(-1)
# %% wrong: scores filled with 0 -> "exp(0) is 1"
def masked_softmax(scores, mask):
    return scores.masked_fill(~mask, 0).softmax(-1)
# %% wrong: masked after the softmax -> "applied after the softmax"
def masked_softmax(scores, mask):
    return scores.softmax(-1) * mask
# %% wrong: renormalised after the softmax -> "read them before they are hidden"
def masked_softmax(scores, mask):
    weights = scores.softmax(-1) * mask
    return weights / weights.sum(-1, keepdim=True)
# %% wrong: renormalised with a small number against 0/0 -> "read them before they are hidden"
def masked_softmax(scores, mask):
    weights = scores.softmax(-1) * mask
    return weights / (weights.sum(-1, keepdim=True) + 1e-9)
# %% wrong: exp without the largest taken off -> "taken off before exp"
def masked_softmax(scores, mask):
    power = torch.where(mask, scores, -torch.inf).exp()
    total = power.sum(-1, keepdim=True)
    return power / torch.where(total == 0, 1, total)
# %% wrong: the largest of all scores taken off -> "Does a softmax, a sum or a largest score read them"
def masked_softmax(scores, mask):
    power = (scores - scores.amax(-1, keepdim=True)).exp() * mask
    return power / power.sum(-1, keepdim=True).clamp(min=1e-6)
# %% wrong: -inf and NaN left -> "a softmax of nothing but −∞"
def masked_softmax(scores, mask):
    return scores.masked_fill(~mask, -torch.inf).softmax(-1)
# %% wrong: -1e9 and the even row left -> "Does a finite fill"
def masked_softmax(scores, mask):
    return scores.masked_fill(~mask, -1e9).softmax(-1)
# %% wrong: -1e9 added -> "Does a finite fill"
def masked_softmax(scores, mask):
    return (scores + (~mask).to(scores.dtype) * -1e9).softmax(-1)
# %% wrong: -1e4 filled -> "Is the fill higher than they are?"
def masked_softmax(scores, mask):
    return scores.masked_fill(~mask, -1e4).softmax(-1).masked_fill(~mask, 0)
# %% wrong: -1e4 added -> "the fill too close to 0"
def masked_softmax(scores, mask):
    return (scores + (~mask).to(scores.dtype) * -1e4).softmax(-1).masked_fill(~mask, 0)
# %% wrong: a fill of -10 -> "expected exactly 0"
def masked_softmax(scores, mask):
    return scores.masked_fill(~mask, -10).softmax(-1)
# %% wrong: NaN painted over, the gradient NaN -> "painted over"
def masked_softmax(scores, mask):
    extra = torch.zeros(mask.shape, dtype=scores.dtype).masked_fill(~mask, -torch.inf)
    return torch.nan_to_num((scores + extra).softmax(-1))
# %% wrong: where after the NaN, the gradient NaN -> "painted over"
def masked_softmax(scores, mask):
    hide = torch.where(mask, 0.0, -torch.inf).to(scores.dtype)
    return torch.where(mask, (scores + hide).softmax(-1), 0)
# %% wrong: -1e9 wiped, but no float16 -> "beyond ±65504"
def masked_softmax(scores, mask):
    return scores.masked_fill(~mask, -1e9).softmax(-1).masked_fill(~mask, 0)
# %% wrong: float32 comes out -> "expected torch.float16"
def masked_softmax(scores, mask):
    return scores.float().masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0) if scores.dtype == torch.float16 else scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
# %% wrong: written into the argument -> "changed in place"
def masked_softmax(scores, mask):
    scores[~mask.expand(scores.shape)] = -torch.inf
    return scores.softmax(-1).masked_fill(~mask, 0)
# %% wrong: masks that broadcast are not chosen from -> "Masks broadcast"
def masked_softmax(scores, mask):
    scores = scores.clone()
    scores[~mask] = -torch.inf
    return scores.softmax(-1).masked_fill(~mask, 0)
# %% wrong: no return -> "`return`"
def masked_softmax(scores, mask):
    weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
# %% wrong: always float32 inside and out -> hidden: "torch.float64"
def masked_softmax(scores, mask):
    weights = scores.float().masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
    return weights.half() if scores.dtype == torch.float16 else weights
# %% wrong: the first sentence's mask for all -> "first sentence's mask"
def masked_softmax(scores, mask):
    while mask.ndim > 2:
        mask = mask[0]
    return scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
# %% wrong: a float16 sum of squares of digits too few -> "an exp, beyond ±65504"
def masked_softmax(scores, mask):
    if scores.dtype != torch.float16:
        return scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
    power = scores.masked_fill(~mask, -torch.inf).exp()
    return power / power.sum(-1, keepdim=True)
# %% wrong: NaN everywhere -> "every key gets nan"
def masked_softmax(scores, mask):
    return scores * torch.nan
# %% wrong: the scores come back -> "Softmax over the last axis?"
def masked_softmax(scores, mask):
    return scores
# %% wrong: softmax over queries and keys together -> "Softmax over the last axis?"
def masked_softmax(scores, mask):
    weights = scores.masked_fill(~mask, -torch.inf).flatten(-2).softmax(-1).reshape(scores.shape)
    return weights.masked_fill(~mask, 0)
# %% wrong: one blind row wipes its matrix -> "Is only that row set to 0?"
def masked_softmax(scores, mask):
    weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
    return weights * mask.any(-1, keepdim=True).all(-2, keepdim=True)

# %% wrong: softmax's output written into -> "No gradient comes back"
def masked_softmax(scores, mask):
    w = scores.masked_fill(~mask, -torch.inf).softmax(-1)
    return w.masked_fill_(~mask, 0)

# %% wrong: without gradient -> "or detached"
def masked_softmax(scores, mask):
    with torch.no_grad():
        return scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)

# %% wrong: four axes only -> "Are four expected"
def masked_softmax(scores, mask):
    b, n, q, k = scores.shape
    m = mask.expand(b, n, q, k)
    return scores.masked_fill(~m, -torch.inf).softmax(-1).masked_fill(~m, 0)

# %% wrong: 0 times -inf -> "0 · −∞"
def masked_softmax(scores, mask):
    return (scores + (1 - mask.float()) * -torch.inf).softmax(-1)

# %% right: nan_to_num, its NaN stopped by masked_fill
def masked_softmax(scores, mask):
    return scores.masked_fill(~mask, -torch.inf).softmax(-1).nan_to_num()

# %% right: filled below the smallest score
def masked_softmax(scores, mask):
    low = scores.detach().min() - 100
    return torch.where(mask, scores, low).softmax(-1) * mask
