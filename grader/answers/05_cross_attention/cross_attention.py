# %% right: einsum
def cross_attention(x, context, W_q, W_k, W_v):
    q = torch.einsum("bqd,kd->bqk", x, W_q)
    k = torch.einsum("bnd,kd->bnk", context, W_k)
    v = torch.einsum("bnd,vd->bnv", context, W_v)
    weights = (torch.einsum("bqk,bnk->bqn", q, k) * W_k.shape[0] ** -0.5).softmax(-1)
    return torch.einsum("bqn,bnv->bqv", weights, v), weights
# %% right: one sentence and one word at a time
def cross_attention(x, context, W_q, W_k, W_v):
    outs, rows = [], []
    for sentence, other in zip(x, context):
        keys, values = other @ W_k.T, other @ W_v.T
        w = torch.stack([torch.softmax(keys @ (W_q @ word) / len(W_q) ** 0.5, 0) for word in sentence])
        rows.append(w)
        outs.append(w @ values)
    return torch.stack(outs), torch.stack(rows)
# %% right: PyTorch's own, weights by an identity as values, returned as a list
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = F.linear(x, W_q), F.linear(context, W_k), F.linear(context, W_v)
    eye = torch.eye(k.shape[1], dtype=k.dtype).expand(k.shape[0], -1, -1)
    return [F.scaled_dot_product_attention(q, k, v), F.scaled_dot_product_attention(q, k, eye)]
# %% right: keys' matrix moved to the query, scale on both sides, bmm
def cross_attention(x, context, W_q, W_k, W_v):
    scores = torch.bmm(x @ (W_q.T @ W_k), context.transpose(1, 2)) / W_q.size(0) ** 0.5
    weights = torch.exp(scores - torch.logsumexp(scores, -1, keepdim=True))
    return torch.bmm(weights, context) @ W_v.T, weights
# %% wrong: Q built with W_k and K with W_q -> "change places"
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = x @ W_k.T, context @ W_q.T, context @ W_v.T
    weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
    return weights @ v, weights
# %% wrong: equal widths demanded -> "Must the widths agree"
def cross_attention(x, context, W_q, W_k, W_v):
    assert x.shape[-1] == context.shape[-1], "Hid_dim must be same between two sentences"
    q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
    weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
    return weights @ v, weights
# %% wrong: x asks itself -> "keys come from the context"
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = x @ W_q.T, x @ W_k.T, x @ W_v.T
    weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
    return weights @ v, weights
# %% wrong: keys from x -> "keys come from the context"
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = x @ W_q.T, x @ W_k.T, context @ W_v.T
    weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
    return weights @ v, weights
# %% wrong: values from x -> "values come from the context"
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = x @ W_q.T, context @ W_k.T, x @ W_v.T
    weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
    return weights @ v, weights
# %% wrong: the context asks x -> "Who asks"
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = context @ W_q.T, x @ W_k.T, x @ W_v.T
    weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
    return weights @ v, weights
# %% wrong: self-attention of the context -> "queries come from x"
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = context @ W_q.T, context @ W_k.T, context @ W_v.T
    weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
    return weights @ v, weights
# %% wrong: weights transposed on return -> "Are rows and columns exchanged"
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
    weights = F.softmax(k @ q.mT / W_q.shape[0] ** 0.5, dim=1)
    return weights.mT @ v, weights
# %% wrong: no scale -> "scale missing"
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
    weights = F.softmax(q @ k.mT, dim=-1)
    return weights @ v, weights
# %% wrong: root forgotten -> "root missing"
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
    weights = F.softmax(q @ k.mT / W_q.shape[0], dim=-1)
    return weights @ v, weights
# %% wrong: root of the width of x -> "not the width of x"
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
    weights = F.softmax(q @ k.mT / x.shape[-1] ** 0.5, dim=-1)
    return weights @ v, weights
# %% wrong: root of d_v -> "not d_v"
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
    weights = F.softmax(q @ k.mT / v.shape[-1] ** 0.5, dim=-1)
    return weights @ v, weights
# %% wrong: multiplied by the root -> "multiplied by √d_k"
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
    weights = F.softmax(q @ k.mT * W_q.shape[0] ** 0.5, dim=-1)
    return weights @ v, weights
# %% wrong: scale after the softmax -> "nothing after the softmax"
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
    weights = F.softmax(q @ k.mT, dim=-1) / W_q.shape[0] ** 0.5
    return weights @ v, weights
# %% wrong: softmax over the queries -> "not those that ask"
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
    weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=1)
    return weights @ v, weights
# %% wrong: softmax over the batch -> "not the sentences"
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
    weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=0)
    return weights @ v, weights
# %% wrong: scores returned instead of weights -> "before the softmax"
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
    scores = q @ k.mT / W_q.shape[0] ** 0.5
    return F.softmax(scores, dim=-1) @ v, scores
# %% wrong: output alone -> "of both"
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
    return F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1) @ v
# %% wrong: weights first -> "out first"
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
    weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
    return weights, weights @ v
# %% wrong: no return -> "`return`"
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
    weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
    out = weights @ v
# %% wrong: matrices not transposed -> "as in x @ W.T"
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = x @ W_q, context @ W_k, context @ W_v
    weights = F.softmax(q @ k.mT / q.shape[-1] ** 0.5, dim=-1)
    return weights @ v, weights
# %% wrong: keys turned round on all axes -> "last two axes"
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
    weights = F.softmax(q @ k.transpose(0, 1) / W_q.shape[0] ** 0.5, dim=-1)
    return weights @ v, weights
# %% wrong: values not projected -> "go through W_v"
def cross_attention(x, context, W_q, W_k, W_v):
    q, k = x @ W_q.T, context @ W_k.T
    weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
    return weights @ context, weights
# %% wrong: keys used as values -> "made with W_v"
def cross_attention(x, context, W_q, W_k, W_v):
    q, k = x @ W_q.T, context @ W_k.T
    weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
    return weights @ k, weights
# %% wrong: scores times values -> "Is it the weights times"
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
    scores = q @ k.mT / W_q.shape[0] ** 0.5
    return scores @ v, scores.softmax(-1)
# %% wrong: every sentence asks the first context -> "its own context"
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = x @ W_q.T, context[:1] @ W_k.T, context[:1] @ W_v.T
    weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
    return weights @ v, weights
# %% wrong: context cut to the width of x -> "cut or padded"
def cross_attention(x, context, W_q, W_k, W_v):
    d = x.shape[-1]
    q, k, v = x @ W_q.T, context[..., :d] @ W_k[:, :d].T, context[..., :d] @ W_v[:, :d].T
    weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
    return weights @ v, weights
# %% wrong: NaN -> "got nan"
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
    weights = F.softmax(q @ k.mT / 0.0, dim=-1)
    return weights @ v, weights
# %% wrong: the inputs come back -> "along the words of the context"
def cross_attention(x, context, W_q, W_k, W_v):
    return x, context
# %% wrong: softmax by hand without the maximum -> "take off the largest"
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
    weights = (q @ k.mT / W_q.shape[0] ** 0.5).exp()
    weights = weights / weights.sum(-1, keepdim=True)
    return weights @ v, weights
# %% wrong: weights detached -> "passes through weights"
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
    weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
    return weights @ v, weights.detach()
# %% wrong: root of the number of keys -> "not the number of keys"
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
    weights = F.softmax(q @ k.mT / k.shape[1] ** 0.5, dim=-1)
    return weights @ v, weights
# %% wrong: scaled on both sides by the whole root -> "root missing"
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = x @ W_q.T / len(W_q) ** 0.5, context @ W_k.T / len(W_k) ** 0.5, context @ W_v.T
    weights = F.softmax(q @ k.mT, dim=-1)
    return weights @ v, weights
# %% wrong: values are not weighted -> "Is it the weights times"
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
    weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
    return v.mean(1, keepdim=True).expand(-1, x.shape[1], -1), weights
# %% wrong: key not turned -> "Are words and width of the keys swapped"
def cross_attention(x, context, W_q, W_k, W_v):
    q = x @ W_q.T
    k = context @ W_k.T
    v = context @ W_v.T
    d_k = W_q.shape[0]
    scores = q @ k / d_k ** 0.5
    weights = F.softmax(scores, dim=-1)
    out = weights @ v
    return out, weights
# %% wrong: key reshaped instead of turned -> "Are words and width of the keys swapped"
def cross_attention(x, context, W_q, W_k, W_v):
    q = x @ W_q.T
    k = context @ W_k.T
    v = context @ W_v.T
    d_k = W_q.shape[0]
    scores = q @ k.reshape(k.shape[0], k.shape[2], k.shape[1]) / d_k ** 0.5
    weights = F.softmax(scores, dim=-1)
    out = weights @ v
    return out, weights
# %% wrong: root of the number of queries -> "not the number of queries"
def cross_attention(x, context, W_q, W_k, W_v):
    q = x @ W_q.T
    k = context @ W_k.T
    v = context @ W_v.T
    d_k = W_q.shape[0]
    scores = q @ k.transpose(-2, -1) / q.shape[1] ** 0.5
    weights = F.softmax(scores, dim=-1)
    out = weights @ v
    return out, weights
# %% wrong: root of the batch -> "not the batch"
def cross_attention(x, context, W_q, W_k, W_v):
    q = x @ W_q.T
    k = context @ W_k.T
    v = context @ W_v.T
    d_k = W_q.shape[0]
    scores = q @ k.transpose(-2, -1) / len(x) ** 0.5
    weights = F.softmax(scores, dim=-1)
    out = weights @ v
    return out, weights
# %% wrong: divided by a fixed 2 -> "not a fixed number"
def cross_attention(x, context, W_q, W_k, W_v):
    q = x @ W_q.T
    k = context @ W_k.T
    v = context @ W_v.T
    d_k = W_q.shape[0]
    scores = q @ k.transpose(-2, -1) / 2
    weights = F.softmax(scores, dim=-1)
    out = weights @ v
    return out, weights
# %% wrong: first sentence only -> "every axis stay"
def cross_attention(x, context, W_q, W_k, W_v):
    x, context = x[0], context[0]; q = x @ W_q.T
    k = context @ W_k.T
    v = context @ W_v.T
    d_k = W_q.shape[0]
    scores = q @ k.transpose(-2, -1) / d_k ** 0.5
    weights = F.softmax(scores, dim=-1)
    out = weights @ v
    return out, weights
# %% wrong: equal lengths demanded -> "or the lengths"
def cross_attention(x, context, W_q, W_k, W_v):
    assert x.shape[1] == context.shape[1]; q = x @ W_q.T
    k = context @ W_k.T
    v = context @ W_v.T
    d_k = W_q.shape[0]
    scores = q @ k.transpose(-2, -1) / d_k ** 0.5
    weights = F.softmax(scores, dim=-1)
    out = weights @ v
    return out, weights
# %% wrong: x added -> "Is x added"
def cross_attention(x, context, W_q, W_k, W_v):
    q = x @ W_q.T
    k = context @ W_k.T
    v = context @ W_v.T
    d_k = W_q.shape[0]
    scores = q @ k.transpose(-2, -1) / d_k ** 0.5
    weights = F.softmax(scores, dim=-1)
    out = weights @ v
    return out + x, weights
# %% wrong: scores returned, too -> "of both alone"
def cross_attention(x, context, W_q, W_k, W_v):
    q = x @ W_q.T
    k = context @ W_k.T
    v = context @ W_v.T
    d_k = W_q.shape[0]
    scores = q @ k.transpose(-2, -1) / d_k ** 0.5
    weights = F.softmax(scores, dim=-1)
    out = weights @ v
    return out, weights, scores
# %% wrong: output rebuilt from numbers -> "passes through out"
def cross_attention(x, context, W_q, W_k, W_v):
    q = x @ W_q.T
    k = context @ W_k.T
    v = context @ W_v.T
    d_k = W_q.shape[0]
    scores = q @ k.transpose(-2, -1) / d_k ** 0.5
    weights = F.softmax(scores, dim=-1)
    out = weights @ v
    return torch.tensor(out.tolist()), weights
# %% right: baddbmm with the scale
def cross_attention(x, context, W_q, W_k, W_v):
    q = x @ W_q.T
    k = context @ W_k.T
    v = context @ W_v.T
    d_k = W_q.shape[0]
    scores = torch.baddbmm(q.new_zeros(1), q, k.mT, beta=0, alpha=d_k ** -0.5)
    weights = F.softmax(scores, dim=-1)
    out = weights @ v
    return out, weights
# %% right: a named tuple
def cross_attention(x, context, W_q, W_k, W_v):
    q = x @ W_q.T
    k = context @ W_k.T
    v = context @ W_v.T
    d_k = W_q.shape[0]
    scores = q @ k.transpose(-2, -1) / d_k ** 0.5
    weights = F.softmax(scores, dim=-1)
    out = weights @ v
    from collections import namedtuple
    return namedtuple('R', 'out weights')(out, weights)
