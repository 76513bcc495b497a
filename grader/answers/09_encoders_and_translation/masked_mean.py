# %% right: a loop over the rows
def masked_mean(x, mask):
    rows = []
    for sentence, words in zip(x, mask):
        own = sentence[words]
        rows.append(own.mean(dim=0) if len(own) else 0 * sentence.sum(dim=0))
    return torch.stack(rows)

# %% right: weights of an average, and einsum
def masked_mean(x, mask):
    shares = mask.to(x.dtype)
    shares = shares / shares.sum(dim=1, keepdim=True).clamp(min=1)
    return torch.einsum("bs,bsd->bd", shares, x)

# %% right: torch.where, and the number kept above 0 by maximum
def masked_mean(x, mask):
    kept = torch.where(mask.unsqueeze(-1), x, torch.zeros_like(x))
    number = mask.sum(dim=1).unsqueeze(1)
    return kept.sum(dim=1) / torch.maximum(number, torch.ones_like(number))

# %% right: multiplied by the mask, a tiny number added
def masked_mean(x, mask):
    kept = mask[:, :, None].type_as(x)
    return (x * kept).sum(1) / (kept.sum(1) + 1e-9)

# %% right: a matrix product, 1/n only where there are words
def masked_mean(x, mask):
    number = mask.sum(1)
    share = torch.where(number > 0, 1 / number.clamp(min=1), 0 * number)
    return (mask[:, None].to(x) @ x).squeeze(1) * share[:, None].to(x)

# %% right: word after word into a sum
def masked_mean(x, mask):
    total, number = torch.zeros_like(x[:, 0]), torch.zeros_like(x[:, 0])
    for i in range(x.shape[1]):
        word = mask[:, i, None]
        total, number = total + x[:, i] * word, number + word
    return total / torch.where(number == 0, 1, number)

# %% right: 0/0 replaced where no gradient passes
- return total / mask.sum(dim=1, keepdim=True).clamp(min=1)
+ return (total / mask.sum(dim=1, keepdim=True)).nan_to_num()

# %% wrong: the plain mean -> "This is the plain mean"
- total = x.masked_fill(~mask[..., None], 0).sum(dim=1)
- return total / mask.sum(dim=1, keepdim=True).clamp(min=1)
+ return x.mean(dim=1)

# %% wrong: divided by the length of the row -> "not by the length of the row"
- return total / mask.sum(dim=1, keepdim=True).clamp(min=1)
+ return total / x.shape[1]

# %% wrong: a sum -> "Is the sum divided by the number of words?"
- return total / mask.sum(dim=1, keepdim=True).clamp(min=1)
+ return total

# %% wrong: the mean over what is padding -> "the wrong way round"
- total = x.masked_fill(~mask[..., None], 0).sum(dim=1)
- return total / mask.sum(dim=1, keepdim=True).clamp(min=1)
+ total = x.masked_fill(mask[..., None], 0).sum(dim=1)
+ return total / (~mask).sum(dim=1, keepdim=True).clamp(min=1)

# %% wrong: padding summed, divided by the number of words -> "Is padding left out of the sum"
- total = x.masked_fill(~mask[..., None], 0).sum(dim=1)
+ total = x.sum(dim=1)

# %% wrong: the number of paddings -> "the wrong way round in the number"
- return total / mask.sum(dim=1, keepdim=True).clamp(min=1)
+ return total / (~mask).sum(dim=1, keepdim=True).clamp(min=1)

# %% wrong: one number for the whole batch -> "divided by its own number"
- return total / mask.sum(dim=1, keepdim=True).clamp(min=1)
+ return total / mask.sum().clamp(min=1)

# %% wrong: the mean number of words for every row -> "divided by its own number"
- return total / mask.sum(dim=1, keepdim=True).clamp(min=1)
+ return total / (mask.sum() / len(mask)).clamp(min=1)

# %% wrong: one added to the number -> "Is one added"
- return total / mask.sum(dim=1, keepdim=True).clamp(min=1)
+ return total / (mask.sum(dim=1, keepdim=True) + 1)

# %% wrong: the first words, as many as there are -> "Are the first words taken"
- total = x.masked_fill(~mask[..., None], 0).sum(dim=1)
+ first = torch.arange(x.shape[1]) < mask.sum(dim=1, keepdim=True)
+ total = x.masked_fill(~first[..., None], 0).sum(dim=1)

# %% wrong: the largest value of each column -> "the largest value"
- total = x.masked_fill(~mask[..., None], 0).sum(dim=1)
- return total / mask.sum(dim=1, keepdim=True).clamp(min=1)
+ return x.masked_fill(~mask[..., None], -1e9).amax(dim=1)

# %% wrong: the mean over d -> "not over d"
- total = x.masked_fill(~mask[..., None], 0).sum(dim=1)
- return total / mask.sum(dim=1, keepdim=True).clamp(min=1)
+ return x.masked_fill(~mask[..., None], 0).mean(dim=-1)

# %% wrong: the mean over the batch -> "not over the batch"
- total = x.masked_fill(~mask[..., None], 0).sum(dim=1)
- return total / mask.sum(dim=1, keepdim=True).clamp(min=1)
+ return x.masked_fill(~mask[..., None], 0).sum(dim=0) / mask.sum(dim=0)[:, None].clamp(min=1)

# %% wrong: all words of the batch in one row -> "a mean for each sentence"
- total = x.masked_fill(~mask[..., None], 0).sum(dim=1)
- return total / mask.sum(dim=1, keepdim=True).clamp(min=1)
+ return x[mask].mean(dim=0)

# %% wrong: the axis of the words is kept -> "the axis of the words"
- total = x.masked_fill(~mask[..., None], 0).sum(dim=1)
- return total / mask.sum(dim=1, keepdim=True).clamp(min=1)
+ total = x.masked_fill(~mask[..., None], 0).sum(dim=1, keepdim=True)
+ return total / mask.sum(dim=1)[:, None, None].clamp(min=1)

# %% wrong: the mask has no axis for d -> "Has the mask an axis for d"
- total = x.masked_fill(~mask[..., None], 0).sum(dim=1)
+ total = x.masked_fill(~mask, 0).sum(dim=1)

# %% wrong: 0/0 -> "Is the number of words kept above 0"
- return total / mask.sum(dim=1, keepdim=True).clamp(min=1)
+ return total / mask.sum(dim=1, keepdim=True)

# %% wrong: 0/0, then replaced -> "NaN in its gradient"
- total = x.masked_fill(~mask[..., None], 0).sum(dim=1)
- return total / mask.sum(dim=1, keepdim=True).clamp(min=1)
+ total = (x * mask[..., None]).sum(dim=1)
+ return (total / mask.sum(dim=1, keepdim=True)).nan_to_num()

# %% wrong: 0/0 in the shares, then replaced by where -> "NaN in its gradient"
- total = x.masked_fill(~mask[..., None], 0).sum(dim=1)
- return total / mask.sum(dim=1, keepdim=True).clamp(min=1)
+ mean = torch.einsum("bs,bsd->bd", mask / mask.sum(dim=1, keepdim=True), x.float()).to(x)
+ return torch.where(mean.isnan(), torch.zeros_like(mean), mean)

# %% wrong: padding becomes zero in place -> "changed one of its arguments in place"
- total = x.masked_fill(~mask[..., None], 0).sum(dim=1)
+ x[~mask] = 0
+ total = x.sum(dim=1)

# %% wrong: the gradient is cut off -> "No gradient reaches"
- total = x.masked_fill(~mask[..., None], 0).sum(dim=1)
+ total = x.detach().masked_fill(~mask[..., None], 0).sum(dim=1)

# %% wrong: always float32 -> "float32"
- total = x.masked_fill(~mask[..., None], 0).sum(dim=1)
+ total = x.float().masked_fill(~mask[..., None], 0).sum(dim=1)

# %% wrong: other names of the arguments -> "by name"
- def masked_mean(x, mask):
+ def masked_mean(values, keep):
+     x, mask = values, keep

# %% wrong: padding is found by its zeros -> "Is padding left out"
- total = x.masked_fill(~mask[..., None], 0).sum(dim=1)
- return total / mask.sum(dim=1, keepdim=True).clamp(min=1)
+ words = (x != 0).any(dim=-1)
+ return x.sum(dim=1) / words.sum(dim=1, keepdim=True).clamp(min=1)

# %% wrong: the softmax of the mask as shares -> "the softmax of the mask"
- total = x.masked_fill(~mask[..., None], 0).sum(dim=1)
- return total / mask.sum(dim=1, keepdim=True).clamp(min=1)
+ return (mask.to(x).softmax(dim=1)[..., None] * x).sum(dim=1)

# %% wrong: nothing is returned -> "Is there a `return`"
- return total / mask.sum(dim=1, keepdim=True).clamp(min=1)
+ total = total / mask.sum(dim=1, keepdim=True).clamp(min=1)

# %% wrong: divided by the root of the number -> "their sums were divided by 1.732"
- return total / mask.sum(dim=1, keepdim=True).clamp(min=1)
+ return total / mask.sum(dim=1, keepdim=True).clamp(min=1).sqrt()

# %% wrong: at least two words -> "is that word"
- return total / mask.sum(dim=1, keepdim=True).clamp(min=1)
+ return total / mask.sum(dim=1, keepdim=True).clamp(min=2)

# %% right: constant zeros for an empty row
def masked_mean(x, mask):
    means = []
    for row, keep in zip(x, mask):
        if keep.sum() > 0:
            means.append(row[keep].sum(0) / keep.sum())
        else:
            means.append(torch.zeros_like(row[0]))
    return torch.stack(means)
# %% wrong: a little added to the number -> "Is something added to the number of words?"
- return total / mask.sum(dim=1, keepdim=True).clamp(min=1)
+ return total / (mask.sum(dim=1, keepdim=True) + 1e-5)
# %% wrong: what is not 0 is counted -> "A word in which a 0 stands counts as well"
- return total / mask.sum(dim=1, keepdim=True).clamp(min=1)
+ return total / (x * mask[..., None] != 0).sum(dim=1).clamp(min=1)
# %% wrong: the plain mean where no row holds a word -> "Here no row holds a word"
- total = x.masked_fill(~mask[..., None], 0).sum(dim=1)
+ if not mask.any():
+     return x.mean(dim=1)
+ total = x.masked_fill(~mask[..., None], 0).sum(dim=1)
# %% right: einsum with a reciprocal
def masked_mean(x, mask):
    n = mask.sum(1)
    inverse = torch.where(n > 0, n.to(x.dtype), 1).reciprocal()
    return torch.einsum("bsd,bs,b->bd", torch.where(mask[..., None], x, 0), mask.to(x), inverse)
# %% right: words added up by index_add
def masked_mean(x, mask):
    rows, cols = mask.nonzero(as_tuple=True)
    total = x.new_zeros(len(x), x.shape[2]).index_add(0, rows, x[rows, cols])
    return total / mask.sum(1).clamp(1).unsqueeze(1)
# %% wrong: an if for all rows -> "ask for a single yes or no"
- return total / mask.sum(dim=1, keepdim=True).clamp(min=1)
+ count = mask.sum(dim=1, keepdim=True)
+ return torch.zeros_like(total) if count == 0 else total / count
# %% wrong: one minus the mask -> "Invert a bool mask with `~`, not with a minus"
- total = x.masked_fill(~mask[..., None], 0).sum(dim=1)  # (batch, d)
+ total = (x - x * (1 - mask[..., None])).sum(dim=1)
# %% wrong: padding filled with -inf, as before a softmax -> "In a sum, 0 is what does not count"
- total = x.masked_fill(~mask[..., None], 0).sum(dim=1)  # (batch, d)
+ total = x.masked_fill(~mask[..., None], -torch.inf).sum(dim=1)
# %% wrong: the words of all rows, cut into equal rows -> "x[mask] is one list of the words of all rows"
- total = x.masked_fill(~mask[..., None], 0).sum(dim=1)  # (batch, d)
- return total / mask.sum(dim=1, keepdim=True).clamp(min=1)
+ return x[mask].view(len(x), -1, x.shape[-1]).mean(dim=1)
# %% right: a mean that skips NaN
def masked_mean(x, mask):
    return x.masked_fill(~mask[..., None], float("nan")).nanmean(1).nan_to_num()
# %% wrong: a mean that skips NaN, and is NaN where there is no word -> "A row without any word gives"
def masked_mean(x, mask):
    return x.masked_fill(~mask[..., None], float("nan")).nanmean(1)
# %% wrong: rounded down -> "`//` rounds down"
def masked_mean(x, mask):
    return (x * mask[..., None]).sum(1) // mask.sum(1, keepdim=True).clamp(min=1)
# %% wrong: divided by the length of the longest row -> "not by the length of the row"
def masked_mean(x, mask):
    return (x * mask[..., None]).sum(1) / mask.sum(1).max().clamp(min=1)
# %% wrong: a word of zeros is taken for padding -> "Does the mask alone say what is a word?"
def masked_mean(x, mask):
    x = x * mask[..., None]
    n = (x != 0).any(-1).sum(1, keepdim=True).clamp(min=1)
    return x.sum(1) / n
# %% wrong: weights by a softmax over -inf -> "A softmax over −∞ alone is NaN"
def masked_mean(x, mask):
    w = torch.zeros(mask.shape).masked_fill(~mask, -torch.inf).softmax(1)
    return (x * w[..., None]).sum(1)
# %% wrong: a number of words in float64 -> "made double on the way"
def masked_mean(x, mask):
    total = x.masked_fill(~mask[..., None], 0).sum(1)
    return total / mask.double().sum(1, keepdim=True).clamp(min=1)
# %% wrong: a row without words gets the mean of its padding -> "That is the mean of its padding"
def masked_mean(x, mask):
    mask = mask | ~mask.any(1, keepdim=True)
    return (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
# %% wrong: a squeeze -> "Is there a squeeze?"
- return total / mask.sum(dim=1, keepdim=True).clamp(min=1)
+ return (total / mask.sum(dim=1, keepdim=True).clamp(min=1)).squeeze()
# %% wrong: a row without words gets the mean of the others -> "Is something else put in its place?"
- return total / mask.sum(dim=1, keepdim=True).clamp(min=1)
+ means = total / mask.sum(dim=1, keepdim=True).clamp(min=1)
+ return means + ~mask.any(dim=1, keepdim=True) * means.mean(0)
# %% wrong: one row without words makes all zeros -> "also beside a row without any"
- return total / mask.sum(dim=1, keepdim=True).clamp(min=1)
+ return total / mask.sum(dim=1, keepdim=True).clamp(min=1) * mask.any(dim=1).all()
