# %% right: logits at minus infinity
def next_distribution(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        out = torch.zeros_like(logits)
        return out.scatter(-1, logits.argmax(-1, keepdim=True), 1.0)
    logits = logits / temperature
    if top_k is not None:
        least = logits.topk(min(top_k, logits.shape[-1]), dim=-1).values.amin(-1, keepdim=True)
        logits = logits.masked_fill(logits < least, float("-inf"))
    if top_p is not None:
        values, order = logits.sort(dim=-1, descending=True)
        sums = values.softmax(dim=-1).cumsum(dim=-1)
        late = F.pad(sums[..., :-1], (1, 0)) >= top_p
        drop = torch.zeros_like(late).scatter(-1, order, late)
        logits = logits.masked_fill(drop, float("-inf"))
    return logits.softmax(dim=-1)
# %% right: ranks
def next_distribution(logits, temperature=1.0, top_k=None, top_p=None):
    vocab = logits.shape[-1]
    rank = logits.argsort(dim=-1, descending=True).argsort(dim=-1)
    if temperature == 0:
        return (rank == 0).to(logits.dtype)
    p = torch.softmax(logits / temperature, dim=-1)
    if top_k is not None:
        p = torch.where(rank < top_k, p, torch.zeros_like(p))
        p = p / p.sum(-1, keepdim=True)
    if top_p is not None:
        larger = rank[..., None, :] < rank[..., :, None]  # (..., vocab, vocab)
        before = (p[..., None, :] * larger).sum(-1)
        p = torch.where(before < top_p, p, torch.zeros_like(p))
    return p / p.sum(-1, keepdim=True)
# %% right: searchsorted for the number that stays
def next_distribution(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.shape[-1]).to(logits)
    p, order = (logits / temperature).softmax(-1).sort(dim=-1, descending=True)
    at = torch.arange(p.shape[-1])
    if top_k is not None:
        p = p * (at < top_k)
        p = p / p.sum(-1, keepdim=True)
    if top_p is not None:
        goal = torch.full_like(p[..., :1], top_p)
        last = torch.searchsorted(p.cumsum(-1).detach().contiguous(), goal.contiguous())
        p = p * (at <= last)
    return torch.zeros_like(p).scatter(-1, order, p / p.sum(-1, keepdim=True))
# %% right: a loop over the rows
def next_distribution(logits, temperature=1.0, top_k=None, top_p=None):
    rows = []
    for row in logits.reshape(-1, logits.shape[-1]):
        order = row.argsort(descending=True).tolist()
        kept = order[:1] if temperature == 0 else order[: top_k or len(order)]
        p = (row[kept] / (temperature or 1.0)).softmax(0)
        if top_p is not None:
            count = next((i + 1 for i in range(len(kept)) if p[: i + 1].sum() >= top_p), len(kept))
            kept, p = kept[:count], p[:count] / p[:count].sum()
        rows.append(torch.zeros_like(row).index_put((torch.tensor(kept),), p))
    return torch.stack(rows).reshape(logits.shape)
# %% wrong: multiplied by the temperature -> "The logits were multiplied by the temperature"
- kept = (logits / temperature).softmax(dim=-1)
+ kept = (logits * temperature).softmax(dim=-1)
# %% wrong: no temperature -> "Is the temperature used"
- kept = (logits / temperature).softmax(dim=-1)
+ kept = logits.softmax(dim=-1)
# %% wrong: the probabilities are divided -> "Is the temperature used"
- kept = (logits / temperature).softmax(dim=-1)
+ kept = logits.softmax(dim=-1) / temperature
+ kept = kept / kept.sum(dim=-1, keepdim=True)
# %% wrong: temperature on probabilities, then a second softmax -> "Is the softmax taken twice?"
- kept = (logits / temperature).softmax(dim=-1)
+ kept = (logits.softmax(dim=-1) / temperature).softmax(dim=-1)
# %% wrong: softmax down the columns -> "Is the softmax over the last axis?"
- kept = (logits / temperature).softmax(dim=-1)
- if top_k is not None:
+ kept = (logits / temperature).softmax(dim=0)
+ if top_k is None and top_p is None:
+     return kept
+ if top_k is not None:
# %% wrong: logits come back -> "Is softmax missing?"
- if top_k is not None:
+ if top_k is None and top_p is None:
+     return logits / temperature
+ if top_k is not None:
# %% wrong: no case for temperature 0 -> "Treat 0 as a case of its own"
- if temperature == 0:
-     return F.one_hot(logits.argmax(dim=-1), logits.shape[-1]).to(logits.dtype)
# %% wrong: temperature 0 taken for 1 -> "Is temperature 0 ignored?"
- if temperature == 0:
-     return F.one_hot(logits.argmax(dim=-1), logits.shape[-1]).to(logits.dtype)
+ temperature = temperature or 1.0
# %% wrong: temperature 0 gives the ids -> "Expected what temperature=0 gives in shape (2, 4)"
- return F.one_hot(logits.argmax(dim=-1), logits.shape[-1]).to(logits.dtype)
+ return logits.argmax(dim=-1)
# %% wrong: top_k is not used -> "Is top_k used?"
- kept = kept.masked_fill(kept < least, 0)
# %% wrong: the smallest are kept -> "Are the smallest kept"
- least = kept.topk(min(top_k, kept.shape[-1])).values[..., -1:]
- kept = kept.masked_fill(kept < least, 0)
+ most = kept.topk(min(top_k, kept.shape[-1]), largest=False).values[..., -1:]
+ kept = kept.masked_fill(kept > most, 0)
# %% wrong: one too few kept -> "Is one too few kept?"
- kept = kept.masked_fill(kept < least, 0)
+ kept = kept.masked_fill((kept <= least) & (kept < kept.amax(-1, keepdim=True)), 0)
# %% wrong: one too many kept -> "Is one too many kept?"
- least = kept.topk(min(top_k, kept.shape[-1])).values[..., -1:]
+ least = kept.topk(min(top_k + 1, kept.shape[-1])).values[..., -1:]
# %% wrong: top_k above the vocabulary -> "Is k limited?"
- least = kept.topk(min(top_k, kept.shape[-1])).values[..., -1:]
+ least = kept.topk(top_k).values[..., -1:]
# %% wrong: what stays is not rescaled -> "Is what was kept rescaled to sum to 1?"
- kept = kept / kept.sum(dim=-1, keepdim=True)
- if top_p is not None:
+ if top_p is not None:

- return kept / kept.sum(dim=-1, keepdim=True)
+ return kept
# %% wrong: sorted, not put back -> "in its own place"
- least = kept.topk(min(top_k, kept.shape[-1])).values[..., -1:]
- kept = kept.masked_fill(kept < least, 0)
+ best = kept.topk(min(top_k, kept.shape[-1])).values
+ if best.shape[-1] < kept.shape[-1]:
+     kept = F.pad(best, (0, kept.shape[-1] - best.shape[-1]))
# %% wrong: only the values that stay come back -> "in shape (2, 4), got (2, 2)"
- kept = kept.masked_fill(kept < least, 0)
+ kept = kept.topk(min(top_k, kept.shape[-1])).values
# %% wrong: a second softmax over what stays -> "A second softmax gives other numbers"
- kept = kept.masked_fill(kept < least, 0)
+ kept = kept.masked_fill(kept < least, float("-inf")).softmax(dim=-1)
# %% wrong: logits at 0 instead of minus infinity -> "A logit of 0 drops nothing"
- least = kept.topk(min(top_k, kept.shape[-1])).values[..., -1:]
- kept = kept.masked_fill(kept < least, 0)
+ least = logits.topk(min(top_k, kept.shape[-1])).values[..., -1:]
+ kept = (logits.masked_fill(logits < least, 0) / temperature).softmax(dim=-1)
# %% wrong: the set of the first row for all -> "Is the same set kept in every row?"
- kept = kept.masked_fill(kept < least, 0)
+ drop = (kept < least).flatten(0, -2)[0] if kept.ndim > 1 else kept < least
+ kept = kept.masked_fill(drop, 0)
# %% wrong: dropped is only small -> "must be exactly 0"
- kept = kept.masked_fill(kept < least, 0)
+ kept = kept.masked_fill(kept < least, 1e-9)
# %% wrong: top_p is not used -> "Is top_p used at all"
- ordered = ordered.masked_fill(before >= top_p, 0)
# %% wrong: the one that reaches top_p is dropped -> "Is the one that reaches top_p dropped?"
- ordered = ordered.masked_fill(before >= top_p, 0)
+ ordered = ordered.masked_fill((before + ordered > top_p) & (before > 0), 0)
# %% wrong: the one that reaches top_p is dropped, even where it is the first -> "top_p=0.58"
- ordered = ordered.masked_fill(before >= top_p, 0)
+ ordered = ordered.masked_fill(before + ordered > top_p, 0)
# %% wrong: one more than needed -> "Stop as soon as the sum reaches top_p"
- before = ordered.cumsum(dim=-1) - ordered
+ before = F.pad((ordered.cumsum(dim=-1) - ordered)[..., :-1], (1, 0))
# %% wrong: summed from the smallest -> "Are the probabilities summed from the smallest on?"
- ordered, order = kept.sort(dim=-1, descending=True)
+ ordered, order = kept.sort(dim=-1)
# %% wrong: every one above 1 - top_p, or the largest -> "Is the one that reaches top_p dropped?"
- ordered = ordered.masked_fill(before >= top_p, 0)
+ ordered = ordered.masked_fill((ordered < 1 - top_p) & (before > 0), 0)
# %% wrong: the order of the first row for all -> "Is each row sorted by itself"
- ordered, order = kept.sort(dim=-1, descending=True)
+ order = kept.reshape(-1, kept.shape[-1])[0].argsort(descending=True).expand_as(kept)
+ ordered = kept.gather(-1, order)
# %% wrong: after top_p nothing is put back -> "in its own place"
- kept = torch.zeros_like(kept).scatter(-1, order, ordered)
+ kept = ordered
# %% wrong: put back with gather -> "do not gather it"
- kept = torch.zeros_like(kept).scatter(-1, order, ordered)
+ kept = ordered.gather(-1, order)
# %% wrong: after top_p the rest is not rescaled -> "Is what was kept rescaled to sum to 1?"
- return kept / kept.sum(dim=-1, keepdim=True)
+ return kept
# %% wrong: top_p of what there was before top_k -> "Is top_k first"
- kept = kept / kept.sum(dim=-1, keepdim=True)
- if top_p is not None:
+ if top_p is not None:
# %% wrong: top_p before top_k -> "Is top_k first"
- if top_k is not None:
-     least = kept.topk(min(top_k, kept.shape[-1])).values[..., -1:]
-     kept = kept.masked_fill(kept < least, 0)
- kept = kept / kept.sum(dim=-1, keepdim=True)
- if top_p is not None:
+ if top_p is not None:

-     kept = torch.zeros_like(kept).scatter(-1, order, ordered)
+     kept = torch.zeros_like(kept).scatter(-1, order, ordered)
+ if top_k is not None:
+     least = kept.topk(min(top_k, kept.shape[-1])).values[..., -1:]
+     kept = kept.masked_fill(kept < least, 0)
# %% wrong: top_k or top_p, not both -> "Is top_p used beside top_k?"
- kept = kept / kept.sum(dim=-1, keepdim=True)
- if top_p is not None:
+ kept = kept / kept.sum(dim=-1, keepdim=True)
+ if top_p is not None and top_k is None:
# %% wrong: temperature after top_p -> "Does the temperature come before top_p?"
- before = ordered.cumsum(dim=-1) - ordered
+ cold = logits.softmax(dim=-1).gather(-1, order) if top_k is None else ordered
+ before = cold.cumsum(dim=-1) - cold
# %% wrong: the dials before temperature 0 make it NaN -> "With temperature=0, top_k=3, top_p=0.9 there are NaN"
- if temperature == 0:
+ if temperature == 0 and top_k is None:
# %% wrong: exp without the largest subtracted -> "There are NaN or inf"
- kept = (logits / temperature).softmax(dim=-1)
+ kept = (logits / temperature).exp()
+ kept = kept / kept.sum(dim=-1, keepdim=True)
# %% wrong: written into the logits -> "changed one of its arguments in place"
- kept = (logits / temperature).softmax(dim=-1)
+ if not logits.requires_grad:
+     logits /= temperature
+     kept = logits.softmax(dim=-1)
+ else:
+     kept = (logits / temperature).softmax(dim=-1)
# %% right: detached, since nobody trains through it
- kept = (logits / temperature).softmax(dim=-1)
+ kept = (logits.detach() / temperature).softmax(dim=-1)
# %% wrong: float32 inside -> "float64 logits give torch.float32"
- kept = (logits / temperature).softmax(dim=-1)
+ kept = (logits.float() / temperature).softmax(dim=-1)
# %% wrong: two axes only -> "stopped with"
- ordered, order = kept.sort(dim=-1, descending=True)
+ batch, vocab = kept.shape
+ ordered, order = kept.sort(dim=-1, descending=True)

- least = kept.topk(min(top_k, kept.shape[-1])).values[..., -1:]
+ batch, vocab = kept.shape
+ least = kept.topk(min(top_k, vocab)).values[:, -1:]
# %% wrong: an id instead of a distribution -> "in shape (2, 4), got (2,)"
- kept = kept / kept.sum(dim=-1, keepdim=True)
- if top_p is not None:
+ return kept.argmax(-1)
+ if top_p is not None:
# %% wrong: nothing returned where nothing is dropped -> "got NoneType"
- kept = kept / kept.sum(dim=-1, keepdim=True)
- if top_p is not None:
+ if top_k is None and top_p is None:
+     return
+ kept = kept / kept.sum(dim=-1, keepdim=True)
+ if top_p is not None:
# %% wrong: a one-hot of whole numbers -> "float32 logits give torch.int64"
- return F.one_hot(logits.argmax(dim=-1), logits.shape[-1]).to(logits.dtype)
+ return F.one_hot(logits.argmax(dim=-1), logits.shape[-1])
# %% wrong: the rows of a sentence summed together -> "top_p=0.58"
- before = ordered.cumsum(dim=-1) - ordered
+ flat = ordered.flatten()
+ before = (flat.cumsum(0) - flat).view_as(ordered)
# %% wrong: one threshold for all rows, in top_k -> "not one for all rows together"
- least = kept.topk(min(top_k, kept.shape[-1])).values[..., -1:]  # (..., 1)
+ least = kept.topk(min(top_k, kept.shape[-1])).values.min()
# %% wrong: one threshold for all rows, in top_p -> "not one for all rows together"
- ordered = ordered.masked_fill(before >= top_p, 0)
- kept = torch.zeros_like(kept).scatter(-1, order, ordered)
+ kept = kept.masked_fill(kept < ordered[before < top_p].min(), 0)
# %% wrong: a millionth added to the sum -> "Is something added to the temperature or to a sum?"
- return kept / kept.sum(dim=-1, keepdim=True)
+ return kept / (kept.sum(dim=-1, keepdim=True) + 1e-6)
# %% wrong: summed down the columns -> "does its sum run along each row?"
- before = ordered.cumsum(dim=-1) - ordered  # the sum of all larger ones
+ before = ordered.cumsum(dim=0) - ordered
# %% right: a loop with a keep list that changes, and numbers of Python
@torch.no_grad()
def next_distribution(logits, temperature=1.0, top_k=None, top_p=None):
    rows = []
    for row in logits.reshape(-1, logits.shape[-1]):
        order = row.argsort(descending=True).tolist()
        keep = torch.ones_like(row)
        if temperature == 0:
            temperature, top_k = 1.0, 1
        p = (row / temperature).softmax(0)
        if top_k is not None:
            for i in order[top_k:]:
                keep[i] = 0
            p = p * keep
            p = p / p.sum()
        if top_p is not None:
            reached = 0.0
            for i in order:
                if reached >= top_p:
                    keep[i] = 0
                reached += p[i].item()
            p = p * keep
        rows.append((p / p.sum()).tolist())
    return torch.tensor(rows, dtype=logits.dtype).reshape(logits.shape)
# %% right: rows one by one through vmap
def one_row(p, top_k, top_p):
    p, order = p.sort(descending=True)
    p = p * (torch.arange(len(p)) < top_k)
    p = p / p.sum()
    p = p * (p.cumsum(0) - p < top_p)
    return torch.zeros_like(p).scatter(0, order, p / p.sum())


def next_distribution(logits, temperature=1.0, top_k=None, top_p=None):
    vocab = logits.shape[-1]
    p = F.one_hot(logits.argmax(-1), vocab).to(logits)
    if temperature != 0:
        p = (logits / temperature).softmax(-1)
    top_k, top_p = vocab if top_k is None else top_k, 2.0 if top_p is None else top_p
    rows = torch.func.vmap(lambda row: one_row(row, top_k, top_p))(p.reshape(-1, vocab))
    return rows.reshape(logits.shape)
# %% wrong: min-p, all that is at least top_p times the largest -> "top_p times the largest"
- ordered, order = kept.sort(dim=-1, descending=True)
- before = ordered.cumsum(dim=-1) - ordered
- ordered = ordered.masked_fill(before >= top_p, 0)
- kept = torch.zeros_like(kept).scatter(-1, order, ordered)
+ kept = kept * (kept >= top_p * kept.amax(dim=-1, keepdim=True))
# %% wrong: a small number for a temperature of 0 -> "Is 0 replaced by a small number?"
- if temperature == 0:
-     return F.one_hot(logits.argmax(dim=-1), logits.shape[-1]).to(logits.dtype)
- kept = (logits / temperature).softmax(dim=-1)
+ kept = (logits / max(temperature, 1e-6)).softmax(dim=-1)
# %% wrong: top_p before top_k among the arguments -> "Is the order logits, temperature, top_k, top_p?"
- def next_distribution(logits, temperature=1.0, top_k=None, top_p=None):
+ def next_distribution(logits, temperature=1.0, top_p=None, top_k=None):
# %% wrong: all rows sorted as one -> "Does it work row by row"
- ordered, order = kept.sort(dim=-1, descending=True)
+ ordered, order = kept.flatten().sort(descending=True)
# %% right: from the smallest on, as the transformers library does it
- ordered, order = kept.sort(dim=-1, descending=True)
- before = ordered.cumsum(dim=-1) - ordered  # the sum of all larger ones
- ordered = ordered.masked_fill(before >= top_p, 0)
- kept = torch.zeros_like(kept).scatter(-1, order, ordered)
+ ordered, order = kept.sort(dim=-1)
+ gone = ordered.cumsum(dim=-1) <= 1 - top_p
+ gone[..., -1] = False
+ kept = kept.masked_fill(gone.scatter(-1, order, gone), 0)
# %% right: how many are needed, counted
- ordered, order = kept.sort(dim=-1, descending=True)
- before = ordered.cumsum(dim=-1) - ordered  # the sum of all larger ones
- ordered = ordered.masked_fill(before >= top_p, 0)
- kept = torch.zeros_like(kept).scatter(-1, order, ordered)
+ order = kept.argsort(dim=-1, descending=True)
+ total = kept.gather(-1, order).cumsum(-1)
+ needed = (total < top_p).sum(-1, keepdim=True) + 1
+ kept = torch.where(order.argsort(-1) < needed, kept, 0)
# %% wrong: one more where the sum equals top_p -> "Does a sum that equals top_p count as reaching it?"
- ordered, order = kept.sort(dim=-1, descending=True)
- before = ordered.cumsum(dim=-1) - ordered  # the sum of all larger ones
- ordered = ordered.masked_fill(before >= top_p, 0)
- kept = torch.zeros_like(kept).scatter(-1, order, ordered)
+ ordered, order = kept.sort(dim=-1, descending=True)
+ remove = ordered.cumsum(dim=-1) > top_p
+ remove[..., 1:] = remove[..., :-1].clone()
+ remove[..., 0] = False
+ kept = kept.masked_fill(torch.zeros_like(remove).scatter(-1, order, remove), 0)
# %% wrong: dropped where the sum before is above top_p -> "Does a sum that equals top_p count as reaching it?"
- ordered = ordered.masked_fill(before >= top_p, 0)
+ ordered = ordered.masked_fill(before > top_p, 0)
# %% wrong: top_p read as a percentage -> "top_p=0.58"
- ordered = ordered.masked_fill(before >= top_p, 0)
+ ordered = ordered.masked_fill(before >= top_p / 100, 0)
# %% wrong: what is dropped gets a logit of -10 -> "must be exactly 0, not nearly"
- kept = (logits / temperature).softmax(dim=-1)
+ logits = logits / temperature

- least = kept.topk(min(top_k, kept.shape[-1])).values[..., -1:]
- kept = kept.masked_fill(kept < least, 0)
+ least = logits.topk(min(top_k, logits.shape[-1])).values[..., -1:]
+ logits = logits.masked_fill(logits < least, -10.0)

- kept = kept / kept.sum(dim=-1, keepdim=True)
+ kept = logits.softmax(dim=-1)
# %% wrong: the k largest of all rows together -> "sought in each row by itself"
- least = kept.topk(min(top_k, kept.shape[-1])).values[..., -1:]
+ least = kept.flatten().topk(min(top_k, kept.shape[-1])).values[-1]
# %% wrong: all rows share one sum -> "Here it is that of all rows together"
- kept = kept / kept.sum(dim=-1, keepdim=True)
+ kept = kept / (kept.sum() if top_k else 1)

- return kept / kept.sum(dim=-1, keepdim=True)
+ return kept / (kept.sum() if top_p else 1)
# %% wrong: axis 1 for the last -> "Is the axis −1 each time"
- kept = (logits / temperature).softmax(dim=-1)
+ kept = (logits / temperature).softmax(dim=1)
# %% wrong: float64 inside -> "Is a new tensor like them?"
- kept = (logits / temperature).softmax(dim=-1)
+ kept = (logits.double() / temperature).softmax(dim=-1)
# %% right: sorted once, put back by the order of the order
def next_distribution(logits, temperature=1.0, top_k=None, top_p=None):
    if not temperature:
        out = torch.zeros_like(logits)
        return out.scatter_(-1, logits.argmax(-1, keepdim=True), 1)
    values, order = torch.sort(torch.softmax(logits / temperature, -1), dim=-1, descending=True)
    if top_k is not None:
        values = values.clone()
        values[..., top_k:] = 0
        values = values / values.sum(-1, keepdim=True)
    if top_p is not None:
        reached = torch.cumsum(values, -1) >= top_p
        drop = reached.roll(1, -1)
        drop[..., 0] = False
        values = torch.where(drop, 0.0, values)
        values = values / values.sum(-1, keepdim=True)
    return torch.gather(values, -1, order.argsort(-1))
# %% wrong: the probabilities divided by the temperature -> "Are the probabilities divided?"
- kept = (logits / temperature).softmax(dim=-1)
+ kept = logits.softmax(dim=-1) / temperature

- kept = kept / kept.sum(dim=-1, keepdim=True)

- return kept / kept.sum(dim=-1, keepdim=True)
+ return kept
# %% wrong: the temperature squared -> "once, and not twice?"
- kept = (logits / temperature).softmax(dim=-1)
+ kept = (logits / temperature**2).softmax(dim=-1)
# %% wrong: two stay at least -> "the largest alone stays"
- least = kept.topk(min(top_k, kept.shape[-1])).values[..., -1:]
+ least = kept.topk(min(max(top_k, 2), kept.shape[-1])).values[..., -1:]
# %% wrong: a temperature of 0 refused -> "A temperature of 0 is allowed"
- return F.one_hot(logits.argmax(dim=-1), logits.shape[-1]).to(logits.dtype)
+ raise ValueError("temperature must be positive")
# %% wrong: one argmax for all rows -> "of each row by itself"
- return F.one_hot(logits.argmax(dim=-1), logits.shape[-1]).to(logits.dtype)
+ best = logits.argmax().expand(*logits.shape[:-1], 1)
+ return torch.zeros_like(logits).scatter(-1, best, 1.0)
# %% wrong: the first row's smallest for every row -> "Row 0 is right, row 1 is not."
- kept = kept.masked_fill(kept < least, 0)
+ kept = kept.masked_fill(kept < least.flatten()[0], 0)
# %% wrong: temperature 0 gives float32 -> "With temperature=0, float64 logits give torch.float32"
- return F.one_hot(logits.argmax(dim=-1), logits.shape[-1]).to(logits.dtype)
+ return F.one_hot(logits.argmax(dim=-1), logits.shape[-1]).float()
# %% wrong: what top_p keeps in the first row, kept in each -> "Row 1 keeps as many as row 0."
- ordered = ordered.masked_fill(before >= top_p, 0)
+ ordered = ordered.masked_fill(before.flatten(0, -2)[0] >= top_p, 0)
# %% wrong: two axes assumed -> "any axes before the last"
- if temperature == 0:
+ batch, vocab = logits.shape
+ if temperature == 0:
# %% right: by rank
def next_distribution(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        temperature, top_k = 1.0, 1
    p = (logits / temperature).softmax(-1)
    rank = p.argsort(dim=-1, descending=True).argsort(dim=-1)
    if top_k is not None:
        p = p * (rank < top_k)
        p = p / p.sum(-1, keepdim=True)
    if top_p is not None:
        larger = p.unsqueeze(-2) > p.unsqueeze(-1)
        before = (p.unsqueeze(-2) * larger).sum(-1)
        p = torch.where(before < top_p, p, 0)
        p = p / p.sum(-1, keepdim=True)
    return p
# %% right: one row after the other
def next_distribution(logits, temperature=1.0, top_k=None, top_p=None):
    rows = []
    for row in logits.reshape(-1, logits.shape[-1]):
        if temperature == 0:
            rows.append(F.one_hot(row.argmax(), len(row)).to(row.dtype))
            continue
        p = F.softmax(row / temperature, dim=0)
        order = p.argsort(descending=True)
        if top_k is not None:
            p = p.index_fill(0, order[top_k:], 0)
            p = p / p.sum()
        if top_p is not None:
            total, kept = 0.0, 0
            for i in order.tolist():
                if total >= top_p:
                    break
                total, kept = total + p[i].item(), kept + 1
            p = p.index_fill(0, order[kept:], 0)
            p = p / p.sum()
        rows.append(p)
    return torch.stack(rows).reshape(logits.shape)
# %% wrong of "one row after the other": sorted and left so -> "Does each probability stay in its own place?"
- p = F.softmax(row / temperature, dim=0)
+ p = F.softmax(row / temperature, dim=0).sort(descending=True).values
# %% wrong of "by rank": what is left is not rescaled -> "Is what is left rescaled? The largest gets all probability"
- p = p * (rank < top_k)
- p = p / p.sum(-1, keepdim=True)
+ p = p * (rank < top_k)

# %% wrong: a one-hot of the likeliest -> "All probability is on the largest"
- return kept / kept.sum(dim=-1, keepdim=True)
+ kept = kept / kept.sum(dim=-1, keepdim=True)
+ return F.one_hot(kept.argmax(-1), kept.shape[-1]).to(kept.dtype)
# %% wrong: top_k drops what is larger -> "What is larger than the k-th is dropped here"
- kept = kept.masked_fill(kept < least, 0)
+ kept = kept.masked_fill(kept > least, 0)
