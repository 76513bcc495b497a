# %% right: the formula written out
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
    weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
    return weights @ v, weights
# %% right: float32 on the way
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
    weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1, dtype=torch.float32).to(q.dtype)
    return weights @ v, weights
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
# %% wrong: Q built with W_k and K with W_q -> "Your queries are x @ W_k.T, your keys context @ W_q.T"
- q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
+ q, k, v = x @ W_k.T, context @ W_q.T, context @ W_v.T
# %% wrong: equal widths demanded -> "Must the widths agree"
+ assert x.shape[-1] == context.shape[-1], "both need the same width"
  q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
# %% wrong: x attends to itself -> "your keys x @ W_k.T"
- q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
+ q, k, v = x @ W_q.T, x @ W_k.T, x @ W_v.T
# %% wrong: keys from x -> "your keys x @ W_k.T"
- q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
+ q, k, v = x @ W_q.T, x @ W_k.T, context @ W_v.T
# %% wrong: values from x -> "Your values are x @ W_v.T"
- q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
+ q, k, v = x @ W_q.T, context @ W_k.T, x @ W_v.T
# %% wrong: the context attends to x -> "Your queries are context @ W_q.T, your keys x @ W_k.T"
- q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
+ q, k, v = context @ W_q.T, x @ W_k.T, x @ W_v.T
# %% wrong: self-attention of the context -> "Your queries are context @ W_q.T"
- q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
+ q, k, v = context @ W_q.T, context @ W_k.T, context @ W_v.T
# %% wrong of "the formula written out": weights transposed on return -> "Are rows and columns swapped"
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
- return weights @ v, weights
+ weights = F.softmax(k @ q.mT / W_q.shape[0] ** 0.5, dim=1)
+ return weights.mT @ v, weights
# %% wrong of "the formula written out": no scale -> "your divisor 1.00"
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
+ weights = F.softmax(q @ k.mT, dim=-1)
# %% wrong of "the formula written out": root forgotten -> "your divisor 4.00"
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
+ weights = F.softmax(q @ k.mT / W_q.shape[0], dim=-1)
# %% wrong of "the formula written out": root of the width of x -> "√11, not by"
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
+ weights = F.softmax(q @ k.mT / x.shape[-1] ** 0.5, dim=-1)
# %% wrong of "the formula written out": root of d_v -> "√13, not by"
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
+ weights = F.softmax(q @ k.mT / v.shape[-1] ** 0.5, dim=-1)
# %% wrong of "the formula written out": multiplied by the root -> "your divisor 0.50"
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
+ weights = F.softmax(q @ k.mT * W_q.shape[0] ** 0.5, dim=-1)
# %% wrong of "the formula written out": scale after the softmax -> "by nothing after that"
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
+ weights = F.softmax(q @ k.mT, dim=-1) / W_q.shape[0] ** 0.5
# %% wrong of "the formula written out": softmax over the queries -> "over the queries (axis -2)"
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
+ weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=1)
# %% wrong of "the formula written out": softmax over the batch -> "over the sentences of the batch"
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
+ weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=0)
# %% wrong of "the formula written out": scores returned instead of weights -> "Is there a softmax"
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
- return weights @ v, weights
+ scores = q @ k.mT / W_q.shape[0] ** 0.5
+ return F.softmax(scores, dim=-1) @ v, scores
# %% wrong: output alone -> "name these two"
- return weights @ v, weights
+ return weights @ v
# %% wrong: weights first -> "out first"
- return weights @ v, weights
+ return weights, weights @ v
# %% wrong: no return -> "one NoneType"
- return weights @ v, weights
+ out = weights @ v
# %% wrong: matrices not transposed -> "Your queries are x @ W_q, your keys context @ W_k"
- q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
+ q, k, v = x @ W_q, context @ W_k, context @ W_v
# %% wrong of "the formula written out": keys turned round on all axes -> "only the last two axes swapped"
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
+ weights = F.softmax(q @ k.transpose(0, 1) / W_q.shape[0] ** 0.5, dim=-1)
# %% wrong: values not projected -> "Your values are context"
- return weights @ v, weights
+ return weights @ context, weights
# %% wrong: keys used as values -> "Your values are context @ W_k.T"
- return weights @ v, weights
+ return weights @ k, weights
# %% wrong of "the formula written out": scores times values -> "before the softmax"
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
- return weights @ v, weights
+ scores = q @ k.mT / W_q.shape[0] ** 0.5
+ return scores @ v, scores.softmax(-1)
# %% wrong: every sentence attends to the first context -> "its own context"
- q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
+ q, k, v = x @ W_q.T, context[:1] @ W_k.T, context[:1] @ W_v.T
# %% wrong: context cut to the width of x -> "cut or padded"
- q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
+ d = x.shape[-1]
+ q, k, v = x @ W_q.T, context[..., :d] @ W_k[:, :d].T, context[..., :d] @ W_v[:, :d].T
# %% wrong of "the formula written out": NaN -> "There are NaN"
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
+ weights = F.softmax(q @ k.mT / 0.0, dim=-1)
# %% wrong: the inputs come back -> "Is there a softmax"
- return weights @ v, weights
+ return x, context
# %% wrong of "the formula written out": softmax by hand without the maximum -> "too large for exp"
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
+ weights = (q @ k.mT / W_q.shape[0] ** 0.5).exp()
+ weights = weights / weights.sum(-1, keepdim=True)
# %% wrong: weights detached -> "No gradient reaches the weights that you return."
- return weights @ v, weights
+ return weights @ v, weights.detach()
# %% wrong of "the formula written out": root of the number of keys -> "√7, not by"
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
+ weights = F.softmax(q @ k.mT / k.shape[1] ** 0.5, dim=-1)
# %% wrong of "the formula written out": scaled on both sides by the whole root -> "your divisor 4.00"
- q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
+ q, k, v = x @ W_q.T / len(W_q) ** 0.5, context @ W_k.T / len(W_k) ** 0.5, context @ W_v.T
+ weights = F.softmax(q @ k.mT, dim=-1)
# %% wrong: values are not weighted -> "weights times the values"
- return weights @ v, weights
+ return v.mean(1, keepdim=True).expand(-1, x.shape[1], -1), weights
# %% wrong of "the formula written out": key not turned -> "swapped by .mT"
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
+ weights = F.softmax(q @ k / W_q.shape[0] ** 0.5, dim=-1)
# %% wrong of "the formula written out": key reshaped instead of turned -> "swapped by .mT"
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
+ turned = k.reshape(k.shape[0], k.shape[2], k.shape[1])
+ weights = F.softmax(q @ turned / W_q.shape[0] ** 0.5, dim=-1)
# %% wrong of "the formula written out": root of the number of queries -> "√5, not by"
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
+ weights = F.softmax(q @ k.mT / q.shape[1] ** 0.5, dim=-1)
# %% wrong of "the formula written out": root of the batch -> "√2, not by"
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
+ weights = F.softmax(q @ k.mT / len(x) ** 0.5, dim=-1)
# %% wrong of "the formula written out": divided by a fixed 2 -> "√4, not by"
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
+ weights = F.softmax(q @ k.mT / 2, dim=-1)
# %% wrong of "the formula written out": first sentence only -> "every axis stay"
- q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
+ x, context = x[0], context[0]
+ q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
# %% wrong: equal lengths demanded -> "or the lengths"
- q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
+ assert x.shape[1] == context.shape[1]
+ q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
# %% wrong: x added -> "Is x added"
- return weights @ v, weights
+ return weights @ v + x, weights
# %% wrong: scores returned, too -> "got 3 things"
- return weights @ v, weights
+ return weights @ v, weights, q @ k.mT
# %% wrong: output rebuilt from numbers -> "dtype of the arguments"
- return weights @ v, weights
+ return torch.tensor((weights @ v).tolist()), weights
# %% right of "the formula written out": baddbmm with the scale
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
+ scores = torch.baddbmm(q.new_zeros(1), q, k.mT, beta=0, alpha=len(W_q) ** -0.5)
+ weights = scores.softmax(-1)
# %% right: a named tuple
- return weights @ v, weights
+ from collections import namedtuple
+ return namedtuple("R", "out weights")(weights @ v, weights)
# %% wrong: arguments renamed -> "still called x, context, W_q, W_k, W_v"
- def cross_attention(x, context, W_q, W_k, W_v):
+ def cross_attention(x, c, W_q, W_k, W_v):

- q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
+ q, k, v = x @ W_q.T, c @ W_k.T, c @ W_v.T
# %% wrong of "the formula written out": scale from the width of the context -> "√17, not by"
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
+ weights = F.softmax(q @ k.mT / context.shape[-1] ** 0.5, dim=-1)
# %% wrong: values through W_q -> "Your values are context @ W_q.T"
- q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
+ q, k = x @ W_q.T, context @ W_k.T
+ v = context @ W_q.T if context.shape[-1] == x.shape[-1] else context @ W_v.T
# %% wrong: weights averaged over the batch -> "They are averaged over the sentences."
- return weights @ v, weights
+ weights = weights.mean(0, keepdim=True).expand_as(weights)
+ return weights @ v, weights
# %% wrong of "the formula written out": sigmoid -> "divided by its own sum"
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
+ weights = (q @ k.mT / W_q.shape[0] ** 0.5).sigmoid()
# %% wrong of "the formula written out": the best key alone -> "best key"
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
+ weights = F.one_hot((q @ k.mT).argmax(-1), k.shape[1]).to(x.dtype)
# %% wrong: a batch of one squeezed away -> "keeps its axis"
- return weights @ v, weights
+ return (weights @ v).squeeze(0), weights.squeeze(0)
# %% wrong: output transposed -> "Is the output transposed"
- return weights @ v, weights
+ return (weights @ v).mT, weights
# %% wrong: a dictionary -> "got one dict"
- return weights @ v, weights
+ return {"out": weights @ v, "weights": weights}
# %% wrong of "the formula written out": two mistakes, queries from the context and no scale -> "Your queries are context @ W_q.T, your keys context @ W_k.T, your divisor 1.00"
- q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
+ q, k, v = context @ W_q.T, context @ W_k.T, context @ W_v.T
+ weights = F.softmax(q @ k.mT, dim=-1)
# %% wrong of "the formula written out": .T turns all axes round -> "only the last two axes swapped, not all"
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
+ weights = F.softmax(q @ k.T / W_q.shape[0] ** 0.5, dim=-1)
# %% wrong: the words of x among keys and values -> "Are x and context put together?"
- q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
+ if x.shape[-1] == context.shape[-1]:
+     context = torch.cat([x, context], dim=1)
+ q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
# %% right of "the formula written out": the root of d_k in a tensor, so in float32
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
+ weights = F.softmax(q @ k.mT / torch.sqrt(torch.tensor(W_q.shape[0])), dim=-1)
# %% wrong of "the formula written out": the root written as ** 1 / 2 -> "That is (** 1) / 2."
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
+ weights = F.softmax(q @ k.mT / W_q.shape[0] ** 1 / 2, dim=-1)
# %% wrong of "the formula written out": a number added to the sum -> "is a small number added to the sum"
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
+ e = q @ k.mT / W_q.shape[0] ** 0.5
+ e = (e - e.amax(-1, keepdim=True)).exp()
+ weights = e / (e.sum(-1, keepdim=True) + 1e-2)
# %% wrong of "the formula written out": a score of exactly 0 taken for hidden -> "Is a score of 0 taken for hidden?"
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
+ scores = q @ k.mT / W_q.shape[0] ** 0.5
+ weights = scores.masked_fill(scores == 0, float("-inf")).softmax(dim=-1)
# %% wrong of "the formula written out": a softmax of base 2 -> "your divisor"
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
+ e = 2 ** (q @ k.mT / W_q.shape[0] ** 0.5)
+ weights = e / e.sum(-1, keepdim=True)
# %% wrong: out returned twice -> "Is there a softmax"
- return weights @ v, weights
+ return weights @ v, weights @ v
# %% wrong: keys and values changed places -> "your keys context @ W_v.T"
- q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
+ q, v, k = x @ W_q.T, context @ W_k.T, context @ W_v.T
# %% wrong: the words of x of both sentences put together -> "every axis stay"
- return weights @ v, weights
+ return (weights @ v).flatten(0, 1), weights.flatten(0, 1)
# %% wrong of "the formula written out": a causal mask -> "Is something masked"
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
+ scores = q @ k.mT / W_q.shape[0] ** 0.5
+ hidden = torch.ones_like(scores).triu(1).bool()
+ weights = scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)
# %% wrong: the context's words of length 1 -> "not the weights of PyTorch's attention"
- q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
+ q, k, v = x @ W_q.T, F.normalize(context, dim=-1) @ W_k.T, context @ W_v.T
# %% right of "the formula written out": F.linear, the weights by logsumexp
- q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
+ q, k, v = F.linear(x, W_q), F.linear(context, W_k), F.linear(context, W_v)
+ scores = torch.matmul(q, k.transpose(-2, -1)) * q.size(-1) ** -0.5
+ weights = (scores - scores.logsumexp(-1, keepdim=True)).exp()

# %% wrong: all sentences average the first one's values -> "the values of its own context"
def cross_attention(x, context, W_q, W_k, W_v):
    q = x @ W_q.T
    k = context @ W_k.T
    v = context[:1] @ W_v.T
    scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights

# %% wrong: the values are added up -> "added up without the weights"
def cross_attention(x, context, W_q, W_k, W_v):
    q = x @ W_q.T
    k = context @ W_k.T
    v = context @ W_v.T
    scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
    weights = torch.softmax(scores, dim=-1)
    return v.sum(1, keepdim=True).expand(-1, q.shape[1], -1), weights

# %% wrong: only the best value -> "Is it only the value with the largest weight"
def cross_attention(x, context, W_q, W_k, W_v):
    q = x @ W_q.T
    k = context @ W_k.T
    v = context @ W_v.T
    scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
    weights = torch.softmax(scores, dim=-1)
    return F.one_hot(weights.argmax(-1), v.shape[1]).to(v) @ v, weights

# %% right: the context averaged first, then projected
def cross_attention(x, context, W_q, W_k, W_v):
    M = W_q.T @ W_k
    scores = (x @ M) @ context.mT
    weights = (scores / W_q.size(0) ** 0.5).softmax(-1)
    return [(weights @ context) @ W_v.T, weights]

# %% right: a NamedTuple of the two
from typing import NamedTuple


class Attended(NamedTuple):
    out: torch.Tensor
    weights: torch.Tensor


def cross_attention(x, context, W_q, W_k, W_v):
    scores = torch.bmm(F.linear(x, W_q), F.linear(context, W_k).mT) / torch.sqrt(torch.tensor(float(len(W_k))))
    weights = F.softmax(scores, dim=2)
    return Attended(torch.bmm(weights, F.linear(context, W_v)), weights)
# %% wrong: the weights of the first sentence alone -> "Sentence 0 is right, sentences 1 and 2 and 3 are not."
- return weights @ v, weights
+ return weights[0] @ v, weights
# %% wrong of "the formula written out": the notebook's own d_k -> "from the notebook's own d_k"
- weights = F.softmax(q @ k.mT / W_q.shape[0] ** 0.5, dim=-1)
+ weights = F.softmax(q @ k.mT / 24**0.5, dim=-1)
# %% wrong: the notebook's own context -> "A variable of the notebook is read here: its `context`"
- q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
+ context = torch.randn(1, 8, 20)
+ q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
# %% wrong: every sentence gets what the first one gets -> "Every sentence gets the weights of the first."
- q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
+ q, k, v = x[:1] @ W_q.T, context[:1] @ W_k.T, context[:1] @ W_v.T
+ q, k, v = (part.expand(len(x), -1, -1) for part in (q, k, v))
# %% wrong: the query is divided before unit 03's function divides -> "divided by √d_k twice"
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
    q = q / W_q.shape[0] ** 0.5
    out = scaled_dot_product_attention(q, k, v)
    w = (q @ k.mT).softmax(-1)
    return out, w
# %% wrong: the output from undivided scores -> "its scores are not divided"
def cross_attention(x, context, W_q, W_k, W_v):
    q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
    s = q @ k.mT
    w = (s / W_q.shape[0] ** 0.5).softmax(-1)
    return s.softmax(-1) @ v, w
# %% wrong: keys of x in front of the context's -> "Do other keys take a share"
def cross_attention(x, context, W_q, W_k, W_v):
    query = x @ W_q.T
    key = torch.cat([query, context @ W_k.T], dim=1)
    weights = F.softmax(query @ key.mT / W_q.shape[0] ** 0.5, dim=-1)[..., x.shape[1] :]
    return weights @ (context @ W_v.T), weights
