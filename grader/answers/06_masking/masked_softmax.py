# %% right: the smallest finite number, then wiped
def masked_softmax(scores, mask):
    low = torch.finfo(scores.dtype).min
    return torch.where(mask, torch.where(mask, scores, low).softmax(-1), 0)

# %% right: written out, the largest allowed score subtracted first, float32 inside
def masked_softmax(scores, mask):
    wide = scores.float() if scores.dtype in (torch.float16, torch.bfloat16) else scores
    seen = torch.where(mask, wide, -torch.inf)
    largest = seen.amax(-1, keepdim=True)
    largest = torch.where(largest.isinf(), 0, largest).detach()
    power = (seen - largest).exp()
    total = power.sum(-1, keepdim=True)
    return (power / torch.where(total == 0, 1, total)).to(scores.dtype)

# %% right: empty rows are made to see everything, then wiped
def masked_softmax(scores, mask):
    mask = mask.expand(scores.shape)
    something = mask | ~mask.any(-1, keepdim=True)
    return scores.masked_fill(~something, float("-inf")).softmax(-1) * mask

# %% right: a row at a time
def masked_softmax(scores, mask):
    flat = scores.reshape(-1, scores.shape[-1])
    seen = mask.expand(scores.shape).reshape(-1, scores.shape[-1])
    rows = []
    for row, keep in zip(flat, seen):
        weights = torch.zeros_like(row)
        where = keep.nonzero().flatten()
        if len(where):
            rows.append(weights.index_put((where,), row[where].softmax(0)))
        else:
            rows.append(weights * row.detach())
    return torch.stack(rows).reshape(scores.shape)

# %% right: -1e9 in float32, and wiped
def masked_softmax(scores, mask):
    wide = scores.to(torch.promote_types(scores.dtype, torch.float32))
    return wide.masked_fill(~mask, -1e9).softmax(-1).masked_fill(~mask, 0.0).to(scores.dtype)

# %% right: nan_to_num, its NaN stopped by masked_fill
def masked_softmax(scores, mask):
    return scores.masked_fill(~mask, -torch.inf).softmax(-1).nan_to_num()

# %% right: filled below the smallest score
def masked_softmax(scores, mask):
    low = scores.detach().min() - 100
    return torch.where(mask, scores, low).softmax(-1) * mask

# %% wrong: softmax over axis 1, which are the heads -> "The weights sum to 1 over the heads (axis 1)"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
+ weights = scores.masked_fill(~mask, -torch.inf).softmax(1)

# %% wrong: True taken as hidden -> "True means: may attend. Is True read as hidden?"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
- return weights.masked_fill(~mask, 0)
+ return scores.masked_fill(mask, -torch.inf).softmax(-1).masked_fill(mask, 0)

# %% wrong: True taken as hidden, nothing wiped -> "True means: may attend. Is True read as hidden?"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
- return weights.masked_fill(~mask, 0)
+ return scores.masked_fill(mask, -torch.inf).softmax(-1)

# %% wrong: True taken as hidden, -1e9 -> "True means: may attend. Is True read as hidden?"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
- return weights.masked_fill(~mask, 0)
+ return scores.masked_fill(mask, -1e9).softmax(-1)

# %% wrong: softmax over the queries -> "over the queries (axis -2)"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
+ weights = scores.masked_fill(~mask, -torch.inf).softmax(-2)

# %% wrong: softmax over queries and keys together -> "all the pairs of a sentence"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
+ weights = scores.masked_fill(~mask, -torch.inf).flatten(-2).softmax(-1).reshape(scores.shape)

# %% wrong: no softmax -> "Is there a softmax"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
+ weights = scores.masked_fill(~mask, -torch.inf)

# %% wrong: scaled once more -> "Are they scaled again"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
+ weights = (scores / scores.shape[-1] ** 0.5).masked_fill(~mask, -torch.inf).softmax(-1)

# %% wrong: a minus too many -> "Are they scaled again"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
+ weights = (-scores).masked_fill(~mask, -torch.inf).softmax(-1)

# %% wrong: the mask ignored -> "without a mask. Is the result of `masked_fill` used?"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
- return weights.masked_fill(~mask, 0)
+ return scores.softmax(-1)

# %% wrong: masked_fill's result thrown away -> "without a mask. Is the result of `masked_fill` used?"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
- return weights.masked_fill(~mask, 0)
+ scores.masked_fill(~mask, -torch.inf)
+ return scores.softmax(-1)

# %% wrong: scores multiplied by the mask -> "exp(0) is 1"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
- return weights.masked_fill(~mask, 0)
+ return (scores * mask).softmax(-1)

# %% wrong: scores filled with 0, then wiped -> "Is its score set to 0?"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
+ weights = scores.masked_fill(~mask, 0).softmax(-1)

# %% wrong: the mask added as a number -> "added as a number"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
- return weights.masked_fill(~mask, 0)
+ return (scores + mask).softmax(-1)

# %% wrong: masked after the softmax -> "applied after the softmax"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
- return weights.masked_fill(~mask, 0)
+ return scores.softmax(-1) * mask

# %% wrong: renormalised after the softmax -> "read them before they are hidden"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
- return weights.masked_fill(~mask, 0)
+ weights = scores.softmax(-1) * mask
+ return weights / weights.sum(-1, keepdim=True)

# %% wrong: renormalised with a small number against 0/0 -> "read them before they are hidden"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
- return weights.masked_fill(~mask, 0)
+ weights = scores.softmax(-1) * mask
+ return weights / (weights.sum(-1, keepdim=True) + 1e-9)

# %% wrong: the largest of all scores subtracted -> "read them before they are hidden"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
- return weights.masked_fill(~mask, 0)
+ power = (scores - scores.amax(-1, keepdim=True)).exp() * mask
+ return power / power.sum(-1, keepdim=True).clamp(min=1e-6)

# %% wrong: exp without the largest subtracted -> "Is the largest allowed score"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
- return weights.masked_fill(~mask, 0)
+ power = torch.where(mask, scores, -torch.inf).exp()
+ total = power.sum(-1, keepdim=True)
+ return power / torch.where(total == 0, 1, total)

# %% wrong: -inf and NaN left -> "A softmax of nothing but −∞ is 0/0"
- return weights.masked_fill(~mask, 0)
+ return weights

# %% wrong: -1e9 and the even row left -> "With a finite fill"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
- return weights.masked_fill(~mask, 0)
+ return scores.masked_fill(~mask, -1e9).softmax(-1)

# %% wrong: -1e9 added -> "With a finite fill"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
- return weights.masked_fill(~mask, 0)
+ return (scores + (~mask).to(scores.dtype) * -1e9).softmax(-1)

# %% wrong: -1e4 filled -> "Is the fill for hidden scores higher than they are?"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
+ weights = scores.masked_fill(~mask, -1e4).softmax(-1)

# %% wrong: -1e4 added -> "read them before they are hidden"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
+ weights = (scores + (~mask).to(scores.dtype) * -1e4).softmax(-1)

# %% wrong: a fill of -10 -> "exp(0) is 1"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
- return weights.masked_fill(~mask, 0)
+ return (scores - scores.amax(-1, keepdim=True) * 0).masked_fill(~mask, -10).softmax(-1)

# %% wrong: the smallest finite fill, not wiped -> "With a finite fill"
- return weights.masked_fill(~mask, 0)
+ return scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1)

# %% wrong: a softmax over the allowed part of all rows together -> "all the pairs of a sentence"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
+ hidden = scores.masked_fill(~mask, -torch.inf)
+ weights = hidden.exp() / hidden.exp().sum((-2, -1), keepdim=True)

# %% wrong: empty rows made to see everything -> "Is something allowed in it after all?"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
- return weights.masked_fill(~mask, 0)
+ mask = mask | ~mask.any(-1, keepdim=True)
+ return scores.masked_fill(~mask, -torch.inf).softmax(-1)

# %% wrong: NaN painted over, the gradient NaN -> "Is −∞ added to the scores"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
- return weights.masked_fill(~mask, 0)
+ extra = torch.zeros(mask.shape, dtype=scores.dtype).masked_fill(~mask, -torch.inf)
+ return torch.nan_to_num((scores + extra).softmax(-1))

# %% wrong: where after the NaN, the gradient NaN -> "Is −∞ added to the scores"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
- return weights.masked_fill(~mask, 0)
+ hide = torch.where(mask, 0.0, -torch.inf).to(scores.dtype)
+ return torch.where(mask, (scores + hide).softmax(-1), 0)

# %% wrong: the NaN multiplied by 0 -> "A softmax of nothing but −∞ is 0/0"
- return weights.masked_fill(~mask, 0)
+ return weights * mask

# %% wrong: -1e9 wiped, but no float16 -> "beyond ±65504"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
+ weights = scores.masked_fill(~mask, -1e9).softmax(-1)

# %% wrong: float32 comes out -> "expected torch.float16"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
+ weights = scores.float().masked_fill(~mask, -torch.inf).softmax(-1)

# %% wrong: float32 inside, always -> "expected torch.float16"
- return weights.masked_fill(~mask, 0)
+ return weights.masked_fill(~mask, 0).float()

# %% wrong: float16 written out without care -> "beyond ±65504"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
+ weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
+ if scores.dtype == torch.float16:
+     power = scores.masked_fill(~mask, -torch.inf).exp()
+     weights = power / power.sum(-1, keepdim=True)

# %% wrong: float64 through float32 -> "give a result of torch.float32"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
+ weights = scores.float().masked_fill(~mask, -torch.inf).softmax(-1)
+ weights = weights.half() if scores.dtype == torch.float16 else weights

# %% wrong: written into the argument -> "changed one of its arguments in place"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
+ weights = scores.masked_fill_(~mask, -torch.inf).softmax(-1)

# %% wrong: masks that broadcast are not chosen from -> "Masks broadcast"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
+ scores = scores.clone()
+ scores[~mask] = -torch.inf
+ weights = scores.softmax(-1)

# %% wrong: no return -> "Is there a `return`?"
- return weights.masked_fill(~mask, 0)
+ weights = weights.masked_fill(~mask, 0)

# %% wrong: weights and mask come back -> "got tuple"
- return weights.masked_fill(~mask, 0)
+ return weights.masked_fill(~mask, 0), mask

# %% wrong: the first sentence's mask for all -> "first sentence's mask"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
+ while mask.ndim > 2:
+     mask = mask[0]
+ weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)

# %% wrong: one empty row wipes its matrix -> "Is only the empty row set to 0?"
- return weights.masked_fill(~mask, 0)
+ return weights.masked_fill(~mask, 0) * mask.any(-1, keepdim=True).all(-2, keepdim=True)

# %% wrong: softmax's output written into -> "No gradient comes back"
- return weights.masked_fill(~mask, 0)
+ return weights.masked_fill_(~mask, 0)

# %% wrong: without gradient -> "or detached"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
+ weights = scores.detach().masked_fill(~mask, -torch.inf).softmax(-1)

# %% wrong: four axes only -> "Are four axes expected"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
+ b, n, q, k = scores.shape
+ mask = mask.expand(b, n, q, k)
+ weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)

# %% wrong: 0 times -inf -> "Is −∞ multiplied by 0"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
- return weights.masked_fill(~mask, 0)
+ return (scores + (1 - mask.float()) * -torch.inf).softmax(-1)

# %% wrong: minus a bool -> "Invert a bool mask with `~`"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
+ weights = scores.masked_fill(1 - mask, -torch.inf).softmax(-1)

# %% wrong: other names -> "Are its arguments still called scores, mask"
def masked_softmax(s, m):
    return s.masked_fill(~m, -torch.inf).softmax(-1).masked_fill(~m, 0)

# %% wrong: the softmax taken twice -> "Is a second softmax"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
+ weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).softmax(-1)

# %% wrong: a small number added to the row's sum -> "Is a small number added to what it is divided by?"
- return weights.masked_fill(~mask, 0)
+ weights = weights.masked_fill(~mask, 0)
+ return weights / (weights.sum(-1, keepdim=True) + 1e-3)

# %% wrong: a small number added to the sum of the powers -> "Is a small number added to what it is divided by?"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
- return weights.masked_fill(~mask, 0)
+ seen = torch.where(mask, scores, -torch.inf)
+ powers = (seen - seen.amax(-1, keepdim=True).clamp(min=-1e4).detach()).exp()
+ return powers / (powers.sum(-1, keepdim=True) + 1e-2)
# %% wrong: filled with -65504, where float16 ends -> "Is the fill for hidden scores higher than they are?"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
+ weights = scores.masked_fill(~mask, -65504.0).softmax(-1)
# %% wrong: filled with -30000 -> "Is the fill for hidden scores higher than they are?"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
+ weights = scores.masked_fill(~mask, -30000.0).softmax(-1)
# %% wrong: divided by its sum plus 1e-9, which is 0 in float16 -> "Is 1e-9 added, which is 0 there"
- return weights.masked_fill(~mask, 0)
+ weights = weights.masked_fill(~mask, 0)
+ return weights / (weights.sum(-1, keepdim=True) + 1e-9)
# %% wrong: the keys of the mask in reverse order -> "filled, before the softmax"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
- return weights.masked_fill(~mask, 0)
+ mask = mask.flip(-1)
+ weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
+ return weights.masked_fill(~mask, 0)
# %% right: a function of autograd's own
class Rows(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores, mask):
        weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)
        ctx.save_for_backward(weights)
        return weights

    @staticmethod
    def backward(ctx, slope):
        (weights,) = ctx.saved_tensors
        return weights * (slope - (weights * slope).sum(-1, keepdim=True)), None


def masked_softmax(scores, mask):
    return Rows.apply(scores, mask)
# %% right: empty rows opened before the softmax, closed after it
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
- return weights.masked_fill(~mask, 0)
+ opened = mask | ~mask.any(-1, keepdim=True)
+ return scores.masked_fill(~opened, -torch.inf).softmax(-1) * mask
# %% wrong: a score of 0 taken for a hidden one -> "Is a score of 0 taken for a hidden one?"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
- return weights.masked_fill(~mask, 0)
+ scores = scores * mask
+ weights = scores.masked_fill(scores == 0, -torch.inf).softmax(-1)
+ return weights.masked_fill(~mask, 0)
# %% wrong: scores cut off at ±10,000 -> "Does a clamp cut scores off?"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
+ weights = scores.clamp(-1e4, 1e4).masked_fill(~mask, -torch.inf).softmax(-1)
# %% wrong: the logsumexp subtracted before exp -> "A large logsumexp has lost its last digits"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
- return weights.masked_fill(~mask, 0)
+ seen = scores.masked_fill(~mask, -torch.inf)
+ total = seen.logsumexp(-1, keepdim=True).masked_fill(~mask.any(-1, keepdim=True), 0)
+ return (seen - total).exp()
# %% wrong: a mask that hides everything taken for none -> "Is it taken for no mask at all?"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
+ if not mask.any():
+     return scores.softmax(-1)
+ weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
# %% wrong: the lowest number of the dtype added, too little in float16 -> "Is a number only added to the hidden scores?"
def masked_softmax(scores, mask):
    lowest = torch.zeros_like(scores).masked_fill(~mask, torch.finfo(scores.dtype).min)
    return (scores + lowest).softmax(-1) * mask
# %% right: NaN replaced where masked_fill stops the gradient before it
def masked_softmax(scores, mask):
    return scores.masked_fill(~mask, -torch.inf).softmax(-1).nan_to_num(0)
# %% right: filled in place on a copy of its own
def masked_softmax(scores, mask):
    hidden = mask.logical_not().expand_as(scores)
    own = scores.clone().masked_fill_(hidden, -torch.inf)
    own = own.masked_fill(hidden.all(-1, keepdim=True), 0)
    return F.softmax(own, dim=-1).masked_fill(hidden, 0)
# %% right: one row after the other, put back by masked_scatter
def masked_softmax(scores, mask):
    keep = mask.broadcast_to(scores.shape).flatten(0, -2)
    rows = zip(scores.flatten(0, -2), keep)
    parts = (torch.zeros_like(r).masked_scatter(k, r[k].softmax(0)) for r, k in rows)
    return torch.stack([*parts]).view(scores.shape)
# %% wrong: `not` for a mask -> "ask for a single yes or no"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)  # NaN in empty rows
+ weights = scores.masked_fill(not mask, -torch.inf).softmax(-1)
# %% wrong: filled with ten less than the smallest score -> "Is the fill not far enough below the scores"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)  # NaN in empty rows
+ weights = scores.masked_fill(~mask, scores.min().item() - 10).softmax(-1)

# %% wrong: filled with +∞ -> "Is the fill for hidden scores +∞?"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)  # NaN in empty rows
+ weights = scores.masked_fill(~mask, -float("-inf")).softmax(-1)

# %% wrong: filled with +∞, and the NaN painted over -> "Is the fill for hidden scores +∞?"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)  # NaN in empty rows
+ weights = scores.masked_fill(~mask, torch.inf).softmax(-1).nan_to_num()

# %% wrong: filled with +1e9 -> "Is the fill for hidden scores above the others?"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)  # NaN in empty rows
- return weights.masked_fill(~mask, 0)
+ return scores.masked_fill(~mask, 1e4).softmax(-1)

# %% right: a fill far below the lowest score
def masked_softmax(scores, mask):
    fill = scores.min() - 100
    return torch.where(mask, scores, fill).softmax(-1).masked_fill(~mask, 0)

# %% wrong: in float64 to the end -> "expected torch.float32"
def masked_softmax(scores, mask):
    return scores.double().masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(~mask, 0)

# %% wrong: filled with the lowest score -> "What is hidden keeps a share"
def masked_softmax(scores, mask):
    return scores.masked_fill(~mask, scores.min().item()).softmax(-1).masked_fill(~mask, 0)

# %% wrong: a softmax of what the mask picks -> "That makes one row of all"
def masked_softmax(scores, mask):
    out = torch.zeros_like(scores)
    out[mask] = scores[mask].softmax(-1)
    return out

# %% wrong: an empty row sees the first key -> "Is something allowed in it after all?"
def masked_softmax(scores, mask):
    m = mask.expand_as(scores).clone()
    m[..., 0] |= ~m.any(-1)
    return scores.masked_fill(~m, -torch.inf).softmax(-1).masked_fill(~m, 0)
# %% wrong: one largest score for all rows -> "Each row has its own"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
- return weights.masked_fill(~mask, 0)
+ low = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
+ shares = (low - low.max()).exp().masked_fill(~mask, 0)
+ return shares / shares.sum(-1, keepdim=True).clamp(min=1e-30)
# %% wrong: scores cut off at ±50 -> "Does a clamp cut scores off?"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
+ weights = scores.clamp(-50, 50).masked_fill(~mask, -torch.inf).softmax(-1)
# %% right: float32 on the way, as published models do it
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
- return weights.masked_fill(~mask, 0)
+ weights = scores.float().masked_fill(~mask, -torch.inf).softmax(-1).type_as(scores)
+ return weights.masked_fill(~mask, 0)

# %% wrong: the sum is detached -> "their gradient is not"
def masked_softmax(scores, mask):
    s = scores.masked_fill(~mask, -torch.inf)
    top = s.amax(-1, keepdim=True).detach()
    top = top.masked_fill(top == -torch.inf, 0)
    e = (s - top).exp()
    total = e.sum(-1, keepdim=True).detach()
    return e / total.masked_fill(total == 0, 1)
# %% wrong: a bool added, and hidden weights set to 0 -> "Is the mask added as a number?"
- weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)  # NaN in empty rows
+ weights = (scores + mask).softmax(-1)
