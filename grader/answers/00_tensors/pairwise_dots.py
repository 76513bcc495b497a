# %% right: einsum
def pairwise_dots(x):
    return torch.einsum("bid,bjd->bij", x, x)
# %% right: bmm
def pairwise_dots(x):
    return torch.bmm(x, x.transpose(1, 2))
# %% right: broadcast and sum
def pairwise_dots(x):
    return (x[:, :, None] * x[:, None]).sum(-1)
# %% right: three loops
def pairwise_dots(x):
    return torch.stack([torch.stack([torch.stack([a.dot(b) for b in sentence]) for a in sentence]) for sentence in x])
# %% right: from distances, |a - b|² = a² + b² - 2ab
def pairwise_dots(x):
    square = x.pow(2).sum(-1)
    return (square[:, :, None] + square[:, None] - (x[:, :, None] - x[:, None]).pow(2).sum(-1)) / 2
# %% wrong: no transpose -> "second factor transposed?"
def pairwise_dots(x):
    return x @ x
# %% wrong: .T turns all axes round -> "only the last two axes"
def pairwise_dots(x):
    return x @ x.permute(2, 1, 0)
# %% wrong: transpose(0, 1) swaps batch and words -> "only the last two axes"
def pairwise_dots(x):
    return x @ x.transpose(0, 1)
# %% wrong: reshape where transpose is meant -> "reshaped"
def pairwise_dots(x):
    batch, seq, d = x.shape
    return x @ x.reshape(batch, d, seq)
# %% wrong: columns against columns -> "products of columns"
def pairwise_dots(x):
    return x.mT @ x
# %% wrong: sentences added together -> "sentences added together"
def pairwise_dots(x):
    return torch.einsum("bid,bjd->ij", x, x)
# %% wrong: all words of the batch -> "meet words of another"
def pairwise_dots(x):
    words = x.flatten(0, 1)
    return words @ words.T
# %% wrong: each word with itself only -> "itself only"
def pairwise_dots(x):
    return (x * x).sum(-1)
# %% wrong: entry by entry, no sum -> "summed over the width"
def pairwise_dots(x):
    return x * x
# %% wrong: all pairs, no sum -> "summed over the width"
def pairwise_dots(x):
    return x[:, :, None] * x[:, None]
# %% wrong: no return -> "`return`"
def pairwise_dots(x):
    dots = x @ x.mT
# %% wrong: softmax at the end -> "softmax too many"
def pairwise_dots(x):
    return (x @ x.mT).softmax(-1)
# %% wrong: distances -> "distance"
def pairwise_dots(x):
    return torch.cdist(x, x)
# %% wrong: diagonal left out -> "diagonal left out"
def pairwise_dots(x):
    dots = x @ x.mT
    return dots - torch.diag_embed(dots.diagonal(dim1=-2, dim2=-1))
# %% wrong: cosine -> "divided by its length"
def pairwise_dots(x):
    unit = F.normalize(x, dim=-1)
    return unit @ unit.mT
# %% wrong: one factor normalised -> "divided by its length"
def pairwise_dots(x):
    return x @ F.normalize(x, dim=-1).mT
# %% wrong: divided by the root of the width -> "divided by the same number"
def pairwise_dots(x):
    return x @ x.mT / x.shape[-1] ** 0.5
# %% wrong: mean instead of sum -> "divided by the same number"
def pairwise_dots(x):
    return (x[:, :, None] * x[:, None]).mean(-1)
# %% wrong: absolute value -> "sign lost"
def pairwise_dots(x):
    return (x @ x.mT).abs()
# %% wrong: first sentence for all -> "The first sentence is right"
def pairwise_dots(x):
    return (x[0] @ x[0].T).expand(x.shape[0], -1, -1)
# %% wrong: centred first -> "as it came"
def pairwise_dots(x):
    x = x - x.mean(1, keepdim=True)
    return x @ x.mT
# %% wrong: NaN -> "There are nan"
def pairwise_dots(x):
    return (x @ x.mT) * float("nan")
# %% wrong: the input comes back -> "One row"
def pairwise_dots(x):
    return x[:, :3]
# %% wrong: always float32 -> "dtype changed"
def pairwise_dots(x):
    return x.float() @ x.float().mT
# %% wrong: cut from the gradient -> "No gradient reaches x"
def pairwise_dots(x):
    return x.detach() @ x.detach().mT
# %% wrong: one factor detached -> "two factors detached"
def pairwise_dots(x):
    return x @ x.detach().mT
# %% wrong: torch.mm takes matrices only -> "take a batch"
def pairwise_dots(x):
    return torch.mm(x, x.mT)
# %% wrong: torch.inner pairs all sentences -> "meet words of another"
def pairwise_dots(x):
    return torch.inner(x, x)
# %% wrong: half of the pairs -> "inner loop begin at 0"
def pairwise_dots(x):
    batch, seq, _ = x.shape
    out = torch.zeros(batch, seq, seq, dtype=x.dtype)
    for i in range(seq):
        for j in range(i, seq):
            out[:, i, j] = (x[:, i] * x[:, j]).sum(-1)
    return out
