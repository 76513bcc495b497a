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
# %% wrong: no transpose -> "second factor transposed?"
def pairwise_dots(x):
    return x @ x
# %% wrong: .T turns all axes round -> "Are only the last two axes swapped"
def pairwise_dots(x):
    return x @ x.permute(2, 1, 0)
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
# %% wrong: all words of the batch -> "combined with words of another"
def pairwise_dots(x):
    words = x.flatten(0, 1)
    return words @ words.T
# %% wrong: each word with itself only -> "itself only"
def pairwise_dots(x):
    return (x * x).sum(-1)
# %% wrong: entry by entry, no sum -> "summed over the width"
def pairwise_dots(x):
    return x * x
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
# %% wrong: cosine -> "divided by their length"
def pairwise_dots(x):
    unit = F.normalize(x, dim=-1)
    return unit @ unit.mT
# %% wrong: one factor normalised -> "divided by its length"
def pairwise_dots(x):
    return x @ F.normalize(x, dim=-1).mT
# %% wrong: divided by the root of the width -> "That is 1/√d"
def pairwise_dots(x):
    return x @ x.mT / x.shape[-1] ** 0.5
# %% wrong: mean instead of sum -> "That is 1/d"
def pairwise_dots(x):
    return (x[:, :, None] * x[:, None]).mean(-1)
# %% wrong: absolute value -> "sign lost"
def pairwise_dots(x):
    return (x @ x.mT).abs()
# %% wrong: the input comes back -> "one row and one column"
def pairwise_dots(x):
    return x[:, :3]
# %% wrong: always float32 -> "dtype of the arguments"
def pairwise_dots(x):
    return x.float() @ x.float().mT
# %% wrong: one factor detached -> "one of the factors detached"
def pairwise_dots(x):
    return x @ x.detach().mT
# %% wrong: torch.mm takes matrices only -> "torch.mm takes two matrices"
def pairwise_dots(x):
    return torch.mm(x, x.mT)
# %% wrong: torch.inner pairs all sentences -> "combined with words of another"
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
# %% right: filled in, the upper half mirrored
def pairwise_dots(x):
    batch, seq, _ = x.shape
    out = x.new_empty(batch, seq, seq)
    for i in range(seq):
        for j in range(i + 1):
            out[:, i, j] = out[:, j, i] = torch.linalg.vecdot(x[:, i], x[:, j])
    return out
# %% wrong: a shape comes back as well -> "one tensor"
def pairwise_dots(x):
    return x @ x.mT, x.shape
# %% wrong: first sentence only -> "only one of them used"
def pairwise_dots(x):
    return x[0] @ x[0].T
# %% wrong: a root at the end -> "NaN or inf"
def pairwise_dots(x):
    return (x @ x.mT).sqrt()
# %% wrong: as many sentences as words -> "from the wrong axis"
def pairwise_dots(x):
    return torch.stack([x[i] @ x[i].T for i in range(x.shape[1])])
# %% wrong: last word missing -> "stop too early"
def pairwise_dots(x):
    b, s, _ = x.shape
    out = x.new_zeros(b, s, s)
    for i in range(s - 1):
        for j in range(s - 1):
            out[:, i, j] = (x[:, i] * x[:, j]).sum(-1)
    return out
# %% wrong: a new tensor of plain numbers -> "No gradient reaches x"
def pairwise_dots(x):
    return torch.tensor([[[(a @ b).item() for b in s] for a in s] for s in x], dtype=x.dtype)
# %% wrong: always two sentences -> "Is a size fixed"
def pairwise_dots(x):
    return torch.stack([x[0] @ x[0].T, x[1] @ x[1].T])
# %% wrong: argument renamed -> "still called x"
def pairwise_dots(sentences):
    return sentences @ sentences.mT
# %% right: view, which only splits an axis here
def pairwise_dots(x):
    batch, seq, d = x.shape
    return (x.view(batch, seq, 1, d) * x.view(batch, 1, seq, d)).sum(-1)
# %% wrong: an empty of float32, filled -> "new_zeros"
def pairwise_dots(x):
    batch, seq, _ = x.shape
    out = torch.empty(batch, seq, seq)
    for i in range(seq):
        for j in range(seq):
            out[:, i, j] = (x[:, i] * x[:, j]).sum(-1)
    return out
# %% wrong: the diagonal alone -> "Only the diagonal"
- return x @ x.mT
+ return torch.diag_embed((x * x).sum(-1))
# %% wrong: with the other sentence -> "another sentence"
- return x @ x.mT
+ return x @ x.flip(0).mT
# %% wrong: a sigmoid at the end -> "function too many"
- return x @ x.mT
+ return (x @ x.mT).sigmoid()
# %% right: float32 on the way
- return x @ x.mT
+ return (x.float() @ x.float().mT).to(x.dtype)

# %% wrong: two letters for the sentences, and all are added up -> "words of all sentences"
def pairwise_dots(x):
    return torch.einsum("bid,cjd->bij", x, x)
# %% right: a module without parameters
class PairwiseDots(nn.Module):
    def forward(self, x):
        return torch.matmul(x, x.transpose(-2, -1))
pairwise_dots = PairwiseDots()
# %% right: an autograd function of its own
class Dots(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x @ x.transpose(1, 2)
    @staticmethod
    def backward(ctx, slope):
        (x,) = ctx.saved_tensors
        return (slope + slope.transpose(1, 2)) @ x
def pairwise_dots(x):
    return Dots.apply(x)
# %% right: vmap over sentences and words, bound to the name
pairwise_dots = lambda x: torch.func.vmap(lambda s: torch.func.vmap(lambda word: s @ word)(s))(x)
# %% wrong: through numpy, which takes no tensor with a gradient -> "NumPy keeps no gradient"
def pairwise_dots(x):
    words = x.numpy()
    return torch.from_numpy(words @ words.transpose(0, 2, 1))
# %% wrong: filled into a tensor made with requires_grad -> "made with requires_grad"
def pairwise_dots(x):
    batch, seq, _ = x.shape
    out = torch.zeros(batch, seq, seq, requires_grad=True)
    for i in range(seq):
        for j in range(seq):
            out[:, i, j] = (x[:, i] * x[:, j]).sum(-1)
    return out
# %% wrong: one half mirrored, the diagonal with it -> "The diagonal is twice what it should be"
def pairwise_dots(x):
    half = (x @ x.mT).triu()
    return half + half.mT
# %% wrong: rounded to two digits -> "It is right to a digit or two"
def pairwise_dots(x):
    return torch.round(x @ x.mT, decimals=2)
# %% wrong: in half precision -> "It is right to a digit or two"
def pairwise_dots(x):
    return (x.half() @ x.half().mT).to(x.dtype)
# %% wrong: always float64 -> "Keep the dtype"
def pairwise_dots(x):
    return x.double() @ x.double().mT
# %% wrong: squeezed, which a single sentence does not survive -> "Is there a squeeze?"
def pairwise_dots(x):
    return (x @ x.mT).squeeze()
# %% wrong: summed over the words instead of the width -> "and over nothing else"
def pairwise_dots(x):
    return (x.unsqueeze(1) * x.unsqueeze(2)).sum(1)
# %% wrong: the last sentence of a loop for all -> "Does a loop keep the last one for all?"
def pairwise_dots(x):
    for sentence in x:
        dots = sentence @ sentence.T
    return dots[None].expand(x.shape[0], -1, -1)
# %% wrong: a list of sentences -> "torch.stack joins its tensors"
def pairwise_dots(x):
    return [sentence @ sentence.T for sentence in x]
# %% wrong: .T, which turns all three axes round -> "`.T` reverses all three axes"
def pairwise_dots(x):
    return x @ x.T
# %% wrong: the mean of each word subtracted -> "Is a mean subtracted first"
def pairwise_dots(x):
    x = x - x.mean(-1, keepdim=True)
    return x @ x.mT
# %% wrong: the mean of the sentence subtracted -> "Is a mean subtracted first"
def pairwise_dots(x):
    x = x - x.mean(1, keepdim=True)
    return x @ x.mT
# %% wrong: divided by the root of the number of words -> "That is 1/√seq"
def pairwise_dots(x):
    return x @ x.mT / x.shape[1] ** 0.5
# %% wrong: minus half of the squared distances -> "A word with itself gives 0"
def pairwise_dots(x):
    return -(torch.cdist(x, x) ** 2) / 2
# %% wrong: moved to a GPU that may not be there -> "GPU"
def pairwise_dots(x):
    x = x.cuda()
    return x @ x.mT
# %% right: from the squared lengths of sums
def pairwise_dots(x):
    own = x.square().sum(-1)
    both = (x[:, :, None] + x[:, None]).square().sum(-1)
    return (both - own[:, :, None] - own[:, None]) / 2
# %% right: torch.inner, sentence by sentence
def pairwise_dots(x):
    return torch.stack([torch.inner(sentence, sentence) for sentence in x])
# %% right: adjoint
def pairwise_dots(x):
    return x @ x.adjoint()
# %% wrong: exponentials of them -> "a function too many is applied"
def pairwise_dots(x):
    return (x @ x.mT).exp()
# %% wrong: six words, as in the loop above -> "such as the 6 of the loop above"
def pairwise_dots(x):
    dots = x.new_empty(x.shape[0], 6, 6)
    for i in range(6):
        for j in range(6):
            dots[:, i, j] = (x[:, i] * x[:, j]).sum(-1)
    return dots
# %% wrong: words of its own instead of x -> "These are six words."
def pairwise_dots(x):
    vectors = torch.randn(6, 2)
    return vectors @ vectors.T
# %% wrong: the sentences of the text -> "`x` has no effect on the result. Is a variable of the notebook used"
batch = torch.randn(3, 6, 2)
def pairwise_dots(x):
    return batch @ batch.mT
# %% wrong: the batch summed -> "those of all added up"
def pairwise_dots(x):
    return torch.einsum("bid,bjd->ij", x, x).expand(len(x), -1, -1)
