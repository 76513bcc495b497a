# %% right: a loop over sentences and words
def attention_without_parameters(x):
    out = []
    for sentence in x:
        for word in sentence:
            weights = torch.softmax(sentence @ word / len(word) ** 0.5, 0)
            out.append((weights[:, None] * sentence).sum(0))
    return torch.stack(out).reshape(x.shape)
# %% right: einsum
def attention_without_parameters(x):
    weights = torch.einsum("bid,bjd->bij", x, x).div(x.size(-1) ** 0.5).softmax(-1)
    return torch.einsum("bij,bjd->bid", weights, x)
# %% right: bmm
def attention_without_parameters(x):
    y = x / x.shape[-1] ** 0.25
    return torch.bmm(F.softmax(torch.bmm(y, y.transpose(1, 2)), dim=2), x)
# %% right: PyTorch's own
def attention_without_parameters(x):
    return F.scaled_dot_product_attention(x, x, x)
# %% right: scores symmetric, softmax down the columns, then transposed
def attention_without_parameters(x):
    columns = (x @ x.mT / x.shape[-1] ** 0.5).softmax(1)
    return columns.mT @ x
# %% wrong: not divided -> "Is the division by √d there?"
def attention_without_parameters(x):
    return (x @ x.mT).softmax(-1) @ x
# %% wrong: divided by d -> "Divide by its square root, once"
def attention_without_parameters(x):
    return (x @ x.mT / x.shape[-1]).softmax(-1) @ x
# %% wrong: divided by the root of seq -> "√5 is the root of seq"
def attention_without_parameters(x):
    return (x @ x.mT / x.shape[1] ** 0.5).softmax(-1) @ x
# %% wrong: divided by the root of batch -> "√2 is the root of batch"
def attention_without_parameters(x):
    return (x @ x.mT / x.shape[0] ** 0.5).softmax(-1) @ x
# %% wrong: multiplied by the root -> "They are multiplied by √d"
def attention_without_parameters(x):
    return (x @ x.mT * x.shape[-1] ** 0.5).softmax(-1) @ x
# %% wrong: divided after softmax -> "Divide the scores by √d, not the weights"
def attention_without_parameters(x):
    return (x @ x.mT).softmax(-1) / x.shape[-1] ** 0.5 @ x
# %% wrong: softmax over the queries -> "over the queries (axis -2) instead"
def attention_without_parameters(x):
    return (x @ x.mT / x.shape[-1] ** 0.5).softmax(1) @ x
# %% wrong: softmax over the batch -> "run over the batch?"
def attention_without_parameters(x):
    return (x @ x.mT / x.shape[-1] ** 0.5).softmax(0) @ x
# %% wrong: one softmax for all pairs of a sentence -> "Is there one softmax per row"
-     return scores.softmax(-1) @ x
+     return scores.flatten(1).softmax(-1).view_as(scores) @ x
# %% wrong: no softmax -> "Is there a softmax over the keys"
def attention_without_parameters(x):
    return x @ x.mT / x.shape[-1] ** 0.5 @ x
# %% wrong: scores divided by their sum -> "Is there a softmax"
-     return scores.softmax(-1) @ x
+     return scores / scores.sum(-1, keepdim=True) @ x
# %% wrong: words of all sentences mixed -> "A different first sentence"
def attention_without_parameters(x):
    words = x.reshape(-1, x.shape[-1])
    return ((words @ words.T / x.shape[-1] ** 0.5).softmax(-1) @ words).view_as(x)
# %% wrong: columns attend to columns -> "not columns (11 × 11)"
def attention_without_parameters(x):
    return x @ (x.mT @ x / x.shape[-1] ** 0.5).softmax(-1)
# %% wrong: the weights returned -> "Are the weights multiplied with x?"
def attention_without_parameters(x):
    return (x @ x.mT / x.shape[-1] ** 0.5).softmax(-1)
# %% wrong: .T on three axes -> "only the last two axes"
def attention_without_parameters(x):
    return (x @ x.permute(2, 1, 0) / x.shape[-1] ** 0.5).softmax(-1) @ x
# %% wrong: x added, as in a block -> "Is x added to the average"
def attention_without_parameters(x):
    return x + (x @ x.mT / x.shape[-1] ** 0.5).softmax(-1) @ x
# %% wrong: a word may not look at itself -> "Is the diagonal masked, or the words after it or before"
-     return scores.softmax(-1) @ x
+     return scores.masked_fill(torch.eye(x.shape[1]).bool(), -1e9).softmax(-1) @ x
# %% wrong: cosines instead of dot products -> "x neither normalised"
def attention_without_parameters(x):
    y = F.normalize(x, dim=-1)
    return (y @ y.mT / x.shape[-1] ** 0.5).softmax(-1) @ x
# %% wrong: distances instead of dot products -> "plain dot products"
def attention_without_parameters(x):
    return (-torch.cdist(x, x).pow(2) / x.shape[-1] ** 0.5).softmax(-1) @ x
# %% wrong: only the first sentence -> "for every sentence of the batch"
def attention_without_parameters(x):
    return (x[0] @ x[0].T / x.shape[-1] ** 0.5).softmax(-1) @ x[0]
# %% wrong: in place -> "changed one of its arguments in place"
def attention_without_parameters(x):
    scores = x @ x.mT / x.shape[-1] ** 0.5
    x.copy_(scores.softmax(-1) @ x)
    return x
# %% wrong: values of length one -> "not vectors of length 1"
def attention_without_parameters(x):
    return (x @ x.mT / x.shape[-1] ** 0.5).softmax(-1) @ F.normalize(x, dim=-1)
# %% wrong of "bmm": x divided by the fourth root, values too -> "the divided x averaged, too?"
-     return torch.bmm(F.softmax(torch.bmm(y, y.transpose(1, 2)), dim=2), x)
+     return (y @ y.mT).softmax(-1) @ y
# %% wrong: nothing returned -> "`return`"
def attention_without_parameters(x):
    (x @ x.mT / x.shape[-1] ** 0.5).softmax(-1) @ x
# %% wrong: the input returned -> "x came back as it was"
def attention_without_parameters(x):
    return x
# %% wrong: weights detached -> hidden: "gradient"
def attention_without_parameters(x):
    return (x @ x.mT / x.shape[-1] ** 0.5).softmax(-1).detach() @ x
# %% wrong: the sentence's mean taken out first -> "plain dot products"
def attention_without_parameters(x):
    y = x - x.mean(1, keepdim=True)
    return (y @ y.mT / x.shape[-1] ** 0.5).softmax(-1) @ y + x.mean(1, keepdim=True)
# %% wrong: result transposed -> "one average per word"
def attention_without_parameters(x):
    return F.scaled_dot_product_attention(x, x, x).mT
# %% wrong: a minus too many -> "Is there a minus too many?"
def attention_without_parameters(x):
    return (-x @ x.mT / x.shape[-1] ** 0.5).softmax(-1) @ x
# %% wrong: hard-coded 16 -> "Is d fixed, or read from outside?"
def attention_without_parameters(x):
    return (x @ x.mT / 16**0.5).softmax(-1) @ x
# %% wrong: out and weights -> "the result alone"
def attention_without_parameters(x):
    w = (x @ x.mT / x.shape[-1] ** 0.5).softmax(-1)
    return w @ x, w
# %% wrong: for i in range(2) -> "Is a size fixed"
def attention_without_parameters(x):
    return torch.stack([(x[i] @ x[i].T / x.shape[-1] ** 0.5).softmax(-1) @ x[i] for i in range(2)])
# %% wrong: outputs scaled -> "division by the number of words"
def attention_without_parameters(x):
    return (x @ x.mT / x.shape[-1] ** 0.5).softmax(-1) @ x / x.shape[1]
# %% wrong: double softmax -> "one softmax"
def attention_without_parameters(x):
    return (x @ x.mT / x.shape[-1] ** 0.5).softmax(-1).softmax(-1) @ x
# %% wrong: the transpose by a view -> "tears the words apart"
def attention_without_parameters(x):
    return (x @ x.view(x.shape[0], x.shape[2], x.shape[1]) / x.shape[-1] ** 0.5).softmax(-1) @ x
# %% wrong: the values detached -> "their gradient is not"
def attention_without_parameters(x):
    return (x @ x.mT / x.shape[-1] ** 0.5).softmax(-1) @ x.detach()
# %% wrong: argument renamed -> "still called x"
def attention_without_parameters(words):
    return (words @ words.mT / words.shape[-1] ** 0.5).softmax(-1) @ words
# %% wrong: numpy -> "No gradient reaches x"
def attention_without_parameters(x):
    import numpy as np
    a = x.detach().numpy()
    scores = a @ a.swapaxes(1, 2) / a.shape[-1] ** 0.5
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return torch.from_numpy(e / e.sum(-1, keepdims=True) @ a)
# %% wrong: results written into float32 zeros -> "dtype"
def attention_without_parameters(x):
    out = torch.zeros(x.shape)
    for b, sentence in enumerate(x):
        out[b] = (sentence @ sentence.T / x.shape[-1] ** 0.5).softmax(-1) @ sentence
    return out
# %% wrong: the average halved -> "nothing divided after it"
def attention_without_parameters(x):
    return (x @ x.mT / x.shape[-1] ** 0.5).softmax(-1).mT.mT @ x / 2
# %% wrong: only itself and later words -> "Is the diagonal masked, or the words after it or before"
def attention_without_parameters(x):
    hidden = torch.ones(x.shape[1], x.shape[1]).tril(-1).bool()
    return (x @ x.mT / x.shape[-1] ** 0.5).masked_fill(hidden, -torch.inf).softmax(-1) @ x
# %% wrong: x subtracted afterwards -> "Is x subtracted"
def attention_without_parameters(x):
    return (x @ x.mT / x.shape[-1] ** 0.5).softmax(-1) @ x - x
# %% wrong: log-softmax -> "log_softmax"
def attention_without_parameters(x):
    return F.log_softmax(x @ x.mT / x.shape[-1] ** 0.5, -1) @ x
# %% wrong: the first sentence's weights for all -> "A different first sentence"
def attention_without_parameters(x):
    return (x[:1] @ x[:1].mT / x.shape[-1] ** 0.5).softmax(-1) @ x
# %% wrong: relu on the scores -> "not softmax(x xᵀ / √d)"
def attention_without_parameters(x):
    return F.relu(x @ x.mT / x.shape[-1] ** 0.5).softmax(-1) @ x
# %% wrong: only for a batch of 2 -> "Is a size fixed"
def attention_without_parameters(x):
    first, second = x
    return torch.stack([(y @ y.T / y.shape[-1] ** 0.5).softmax(-1) @ y for y in (first, second)])
# %% wrong: the plain mean -> "Is it the plain mean"
def attention_without_parameters(x):
    return x.mean(1, keepdim=True).expand_as(x)
# %% wrong: the naive softmax -> "Is the largest score of each row subtracted"
- return scores.softmax(-1) @ x
+ return scores.exp() / scores.exp().sum(-1, keepdim=True) @ x
# %% right: one large matrix, other sentences hidden
def attention_without_parameters(x):
    words = x.reshape(-1, x.shape[-1])
    block = torch.arange(len(words)) // x.shape[1]
    scores = words @ words.T / x.shape[-1] ** 0.5
    hidden = block[:, None] != block
    return (scores.masked_fill(hidden, -torch.inf).softmax(-1) @ words).reshape(x.shape)
# %% wrong: a word hidden from itself by -inf -> "Is the diagonal masked"
- return scores.softmax(-1) @ x
+ return scores.masked_fill(torch.eye(x.shape[1]).bool(), -torch.inf).softmax(-1) @ x
# %% wrong: the weights transposed -> "over the queries (axis -2) instead"
- return scores.softmax(-1) @ x
+ return scores.softmax(-1).mT @ x
# %% wrong: squeezed -> "lost by squeeze"
- return scores.softmax(-1) @ x
+ return (scores.softmax(-1) @ x).squeeze()
# %% wrong: a view of words that are not contiguous -> "needs .reshape"
- return scores.softmax(-1) @ x
+ return (scores.softmax(-1) @ x) + 0 * x.view(-1).view(x.shape)
# %% wrong: normalised by layer -> "nothing normalised"
- return scores.softmax(-1) @ x
+ return F.layer_norm(scores.softmax(-1) @ x, x.shape[-1:])
# %% wrong: the weights averaged over the batch -> "by weights of its own"
- return scores.softmax(-1) @ x
+ return scores.softmax(-1).mean(0, keepdim=True) @ x
# %% right: the root of the width in a tensor, so in float32
- scores = x @ x.mT / x.shape[-1] ** 0.5
+ scores = x @ x.mT / torch.sqrt(torch.tensor(x.shape[-1]))
# %% wrong: a power of 1/2 without brackets -> "divides by d and by 2"
- scores = x @ x.mT / x.shape[-1] ** 0.5
+ scores = x @ x.mT / x.shape[-1] ** 1/2
# %% wrong: brackets around the whole power of 1/2 -> "is half of d, not its root"
- scores = x @ x.mT / x.shape[-1] ** 0.5
+ scores = x @ x.mT / (x.shape[-1] ** 1/2)
# %% wrong: weights times words by a star -> "Weights meet words by `@`"
- return scores.softmax(-1) @ x
+ return scores.softmax(-1) * x
# %% wrong: the exp of the math module -> "one of torch a tensor"
- return scores.softmax(-1) @ x
+ import math
+ e = math.exp(scores)
+ return e / e.sum(-1, keepdim=True) @ x
# %% right: a tiny number added to the sum
- return scores.softmax(-1) @ x
+ e = (scores - scores.amax(-1, keepdim=True)).exp()
+ return e / (e.sum(-1, keepdim=True) + 1e-9) @ x
# %% right: softmax in float32
- return scores.softmax(-1) @ x
+ return scores.float().softmax(-1).type_as(x) @ x
# %% right: softmax with its dtype named
- return scores.softmax(-1) @ x
+ return scores.softmax(-1, dtype=torch.float32).to(x.dtype) @ x
# %% wrong: reshape and the root of seq -> "tears the words apart"
- scores = x @ x.mT / x.shape[-1] ** 0.5
+ scores = x @ x.reshape(x.shape[0], x.shape[2], x.shape[1]) / x.shape[1] ** 0.5
# %% wrong: reshape and the softmax over the queries -> "over the queries (axis -2) instead"
- scores = x @ x.mT / x.shape[-1] ** 0.5
- return scores.softmax(-1) @ x
+ scores = x @ x.reshape(x.shape[0], x.shape[2], x.shape[1]) / x.shape[-1] ** 0.5
+ return scores.softmax(1) @ x
# %% wrong: all three mistakes of the text left -> "over the queries (axis -2) instead"
- scores = x @ x.mT / x.shape[-1] ** 0.5
- return scores.softmax(-1) @ x
+ scores = x @ x.reshape(x.shape[0], x.shape[2], x.shape[1]) / x.shape[1] ** 0.5
+ return scores.softmax(1) @ x
# %% wrong: the root of seq and the softmax over the queries -> "over the queries (axis -2) instead"
- scores = x @ x.mT / x.shape[-1] ** 0.5
- return scores.softmax(-1) @ x
+ scores = x @ x.mT / x.shape[1] ** 0.5
+ return scores.softmax(1) @ x
# %% wrong: a new linear layer for the queries -> "or a new nn.Linear"
def attention_without_parameters(x):
    query = nn.Linear(x.shape[-1], x.shape[-1])(x)
    return (query @ x.mT / x.shape[-1] ** 0.5).softmax(-1) @ x
# %% wrong: dropout -> "Is there dropout"
def attention_without_parameters(x):
    return F.scaled_dot_product_attention(x, x, x, dropout_p=0.1)
# %% right: baddbmm and softmax
def attention_without_parameters(x):
    b, n, d = x.shape
    s = torch.baddbmm(x.new_zeros(b, n, n), x, x.transpose(-2, -1), beta=0, alpha=d**-0.5)
    return torch.bmm(F.softmax(s, dim=-1), x)
# %% right: from distances, since softmax ignores what a row shares
def attention_without_parameters(x):
    sq = x.square().sum(-1)
    dist = sq[:, :, None] + sq[:, None] - 2 * (x @ x.mT)
    s = (sq[:, None] - dist) / (2 * x.shape[-1] ** 0.5)
    return s.softmax(-1) @ x
# %% right: vmap of one sentence
def attention_without_parameters(x):
    def one(s):
        return torch.softmax(s @ s.T / s.shape[-1] ** 0.5, -1) @ s
    return torch.vmap(one)(x)
# %% right: query loop and stack
def attention_without_parameters(x):
    d = x.size(2)
    out = [torch.einsum("bj,bjd->bd", ((x @ x[:, i, :, None]).squeeze(-1) / d**0.5).softmax(-1), x) for i in range(x.size(1))]
    return torch.stack(out, dim=1)
# %% right: PyTorch's with masks and scale
def attention_without_parameters(x):
    q = k = v = x.unsqueeze(1)
    return F.scaled_dot_product_attention(q, k, v, scale=1 / x.shape[-1] ** 0.5).squeeze(1)
# %% right: numerically own softmax with division last
def attention_without_parameters(x):
    s = x @ x.swapaxes(1, 2) * x.shape[2] ** -0.5
    e = torch.exp(s - s.amax(2, keepdim=True))
    return (e @ x) / e.sum(2, keepdim=True)
# %% wrong: the columns made to sum to 1 afterwards -> "over the queries (axis -2) instead"
def attention_without_parameters(x):
    w = (x @ x.mT / x.shape[-1] ** 0.5).softmax(-1)
    w = w / w.sum(-2, keepdim=True)
    return w @ x
# %% wrong: x scaled before both products incl. values -> "not the weights and not the values"
def attention_without_parameters(x):
    x = x / x.shape[-1] ** 0.5
    return (x @ x.mT).softmax(-1) @ x
# %% wrong: cube root -> "divided by 2.22"
def attention_without_parameters(x):
    return (x @ x.mT / x.shape[-1] ** (1 / 3)).softmax(-1) @ x
# %% wrong: mean over d of products -> "Divide by its square root"
def attention_without_parameters(x):
    return ((x[:, :, None] * x[:, None]).mean(-1)).softmax(-1) @ x
# %% wrong: is_causal -> "the words after it or before"
def attention_without_parameters(x):
    return F.scaled_dot_product_attention(x, x, x, is_causal=True)
# %% wrong: the two best keys only -> "Each takes from all"
def attention_without_parameters(x):
    s = x @ x.mT / x.shape[-1] ** 0.5
    kth = s.topk(min(2, s.shape[-1]), -1).values[..., -1:]
    return s.masked_fill(s < kth, -torch.inf).softmax(-1) @ x
# %% wrong: argmax neighbour -> "not the best one alone"
def attention_without_parameters(x):
    best = (x @ x.mT).argmax(-1)
    return torch.stack([s[i] for s, i in zip(x, best)])
# %% wrong: position added -> "plain dot products"
def attention_without_parameters(x):
    y = x + torch.arange(x.shape[1], dtype=x.dtype)[:, None] / 10
    return (y @ y.mT / x.shape[-1] ** 0.5).softmax(-1) @ x
# %% wrong: absolute scores -> "an abs around the scores"
def attention_without_parameters(x):
    return (x @ x.mT / x.shape[-1] ** 0.5).abs().softmax(-1) @ x
# %% wrong: divided by the norm of x -> "divided by the length of a word"
def attention_without_parameters(x):
    return (x @ x.mT / x.norm(dim=-1, keepdim=True)).softmax(-1) @ x
# %% wrong: a new nn.MultiheadAttention -> "or a new nn.Linear"
def attention_without_parameters(x):
    return nn.MultiheadAttention(x.shape[-1], 1, batch_first=True, dtype=x.dtype)(x, x, x)[0]
# %% wrong: only for two axes -> "too many values to unpack"
def attention_without_parameters(x):
    s, d = x.shape
    return (x @ x.T / d**0.5).softmax(-1) @ x
# %% wrong: the mean over the batch -> "A different first sentence"
def attention_without_parameters(x):
    out = (x @ x.mT / x.shape[-1] ** 0.5).softmax(-1) @ x
    return out.mean(0, keepdim=True).expand_as(x)
# %% wrong: transposed input treated as (seq, batch, d) -> "The weight at [0, 1] is 0"
def attention_without_parameters(x):
    y = x.transpose(0, 1)
    return ((y @ y.mT / y.shape[-1] ** 0.5).softmax(-1) @ y).transpose(0, 1)
# %% wrong: clamped scores -> "plain dot products"
def attention_without_parameters(x):
    return (x @ x.mT / x.shape[-1] ** 0.5).clamp(-1, 1).softmax(-1) @ x
# %% wrong: tanh of the scores -> "a tanh around the scores"
def attention_without_parameters(x):
    return torch.tanh(x @ x.mT / x.shape[-1] ** 0.5).softmax(-1) @ x
# %% wrong: weights twice -> "taken twice"
def attention_without_parameters(x):
    w = (x @ x.mT / x.shape[-1] ** 0.5).softmax(-1)
    return w @ w @ x
# %% wrong: small weights set to 0 -> "Each takes from all"
def attention_without_parameters(x):
    w = (x @ x.mT / x.shape[-1] ** 0.5).softmax(-1)
    w = w * (w > 0.15)
    return w / w.sum(-1, keepdim=True) @ x
# %% wrong: sigmoid instead of softmax, normalised -> "made positive by a sigmoid"
def attention_without_parameters(x):
    w = torch.sigmoid(x @ x.mT / x.shape[-1] ** 0.5)
    return w / w.sum(-1, keepdim=True) @ x
# %% wrong: weights in half precision -> "in half precision on the way"
def attention_without_parameters(x):
    w = (x @ x.mT / x.shape[-1] ** 0.5).softmax(-1).half().to(x.dtype)
    return w @ x
# %% right: nested lists of weights
def attention_without_parameters(x):
    rows = []
    for b in range(len(x)):
        row = []
        for i in range(x.shape[1]):
            s = torch.stack([(x[b, i] * x[b, j]).sum() for j in range(x.shape[1])]) / x.shape[2] ** 0.5
            w = torch.softmax(s, 0)
            row.append(sum(w[j] * x[b, j] for j in range(x.shape[1])))
        rows.append(torch.stack(row))
    return torch.stack(rows)
# %% right: nn.Module
class A(nn.Module):
    def forward(self, x):
        return (x @ x.mT * x.shape[-1] ** -0.5).softmax(2) @ x
attention_without_parameters = A()
# %% right: batch free too
def attention_without_parameters(x):
    s = torch.matmul(x, x.transpose(-1, -2)).div(float(x.size(-1)) ** .5)
    return torch.matmul(torch.softmax(s, -1), x)
# %% wrong: the quotient rounded down -> "plain dot products"
def attention_without_parameters(x):
    return (x @ x.mT // x.shape[-1] ** 0.5).softmax(-1) @ x
# %% wrong: the root of batch times width -> "divided by 4.69"
import math
def attention_without_parameters(x):
    return (x @ x.mT / math.sqrt(x.shape[0] * x.shape[2])).softmax(-1) @ x
# %% wrong: x divided by the root, and the scores once more -> "Is x divided for both factors"
- scores = x @ x.mT / x.shape[-1] ** 0.5
+ y = x / x.shape[-1] ** 0.5
+ scores = y @ y.mT / x.shape[-1] ** 0.5
# %% wrong: the root cut to a whole number -> "rounded to a whole number"
- scores = x @ x.mT / x.shape[-1] ** 0.5
+ scores = x @ x.mT / int(x.shape[-1] ** 0.5)
# %% wrong: the values of all sentences summed -> "over both sentences?"
- return scores.softmax(-1) @ x
+ return torch.einsum("bij,cjd->bid", scores.softmax(-1), x)
# %% wrong: weights times the word that asks -> "multiplied by its own weights"
- return scores.softmax(-1) @ x
+ return (scores.softmax(-1).unsqueeze(-1) * x.unsqueeze(2)).sum(2)
# %% wrong: the last word is left out as a key -> "No word takes from word 4."
def attention_without_parameters(x):
    scores = x @ x.mT / x.shape[-1] ** 0.5
    weights = scores.softmax(dim=-1)
    return scores[..., :-1].softmax(-1) @ x[:, :-1]
# %% wrong: the values multiplied by the root of d -> "the values are x itself"
- return scores.softmax(-1) @ x
+ return scores.softmax(-1) @ (x * x.shape[-1] ** 0.5)
# %% wrong: torch's root of a plain number -> "Write d ** 0.5"
- scores = x @ x.mT / x.shape[-1] ** 0.5
+ scores = x @ x.mT / torch.sqrt(x.shape[-1])
# %% wrong: softmax without its axis -> "Is the softmax told its axis?"
- return scores.softmax(-1) @ x
+ return torch.softmax(scores) @ x
# %% wrong: the whole shape for d -> "d is the last of them"
- scores = x @ x.mT / x.shape[-1] ** 0.5
+ scores = x @ x.mT / x.size() ** 0.5
# %% wrong: the weights are transposed in the average -> "transposed after it"
def attention_without_parameters(x):
    w = (x @ x.mT / x.shape[-1] ** 0.5).softmax(-1)
    return w.mT @ x
# %% wrong: weights rounded to two digits -> "Is something rounded"
def attention_without_parameters(x):
    weights = (x @ x.mT / x.shape[-1] ** 0.5).softmax(dim=-1)
    return weights.round(decimals=2) @ x
# %% wrong: attention done twice -> "one round of attention"
def attention_without_parameters(x):
    for _ in range(2):
        x = (x @ x.mT / x.shape[-1] ** 0.5).softmax(-1) @ x
    return x
