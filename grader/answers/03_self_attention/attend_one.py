# %% right: one query, loops over the words
def attend_one(x, i, W_q, W_k, W_v):
    q = W_q.mv(x[i])
    scores = torch.stack([q.dot(W_k.mv(word)) for word in x])
    weights = torch.softmax(scores / len(q) ** 0.5, dim=0)
    context = sum(w * W_v.mv(word) for w, word in zip(weights, x))
    return scores, weights, context
# %% right: all words, then row i
def attend_one(x, i, W_q, W_k, W_v):
    q, k, v = F.linear(x, W_q), F.linear(x, W_k), F.linear(x, W_v)
    scores = torch.einsum("qd,kd->qk", q, k)
    weights = F.softmax(scores / math.sqrt(W_k.size(0)), dim=1)
    return scores[i], weights[i], (weights @ v)[i]


import math
# %% right: W_q and W_k multiplied first, a softmax of its own, a list
def attend_one(x, i, W_q, W_k, W_v):
    scores = x @ (W_k.T @ (W_q @ x[i]))
    scaled = scores * W_q.shape[0] ** -0.5
    e = torch.exp(scaled - scaled.max())
    weights = e / e.sum()
    return [scores, weights, W_v @ (x.T @ weights)]
# %% wrong: no return -> "`return`"
def attend_one(x, i, W_q, W_k, W_v):
    scores = x @ W_k.T @ (W_q @ x[i])
    weights = (scores / W_q.shape[0] ** 0.5).softmax(0)
    context = weights @ (x @ W_v.T)
# %% wrong: only the context returned -> "all three returned"
def attend_one(x, i, W_q, W_k, W_v):
    scores = x @ W_k.T @ (W_q @ x[i])
    return (scores / W_q.shape[0] ** 0.5).softmax(0) @ (x @ W_v.T)
# %% wrong: python numbers instead of tensors -> "`torch.stack`"
def attend_one(x, i, W_q, W_k, W_v):
    scores = [float(W_q @ x[i] @ (W_k @ word)) for word in x]
    weights = (torch.tensor(scores) / W_q.shape[0] ** 0.5).softmax(0)
    return scores, weights, weights @ (x @ W_v.T)
# %% wrong: all words ask -> "row of word `i` alone"
def attend_one(x, i, W_q, W_k, W_v):
    scores = (x @ W_q.T) @ (x @ W_k.T).T
    weights = (scores / W_q.shape[0] ** 0.5).softmax(-1)
    return scores, weights, weights @ (x @ W_v.T)
# %% wrong: context first -> "order scores, weights, context"
def attend_one(x, i, W_q, W_k, W_v):
    scores = x @ W_k.T @ (W_q @ x[i])
    weights = (scores / W_q.shape[0] ** 0.5).softmax(0)
    return weights @ (x @ W_v.T), weights, scores
# %% wrong: weights before scores -> "these are weights"
def attend_one(x, i, W_q, W_k, W_v):
    scores = x @ W_k.T @ (W_q @ x[i])
    weights = (scores / W_q.shape[0] ** 0.5).softmax(0)
    return weights, scores, weights @ (x @ W_v.T)
# %% wrong: the words averaged, not their values -> "the values, W_v @ word, averaged"
def attend_one(x, i, W_q, W_k, W_v):
    scores = x @ W_k.T @ (W_q @ x[i])
    weights = (scores / W_q.shape[0] ** 0.5).softmax(0)
    return scores, weights, weights @ x
# %% wrong: weighted values not added up -> "weighted values added up"
def attend_one(x, i, W_q, W_k, W_v):
    scores = x @ W_k.T @ (W_q @ x[i])
    weights = (scores / W_q.shape[0] ** 0.5).softmax(0)
    return scores, weights, weights[:, None] * (x @ W_v.T)
# %% wrong: a row axis of size 1 remains -> "axis of size 1"
def attend_one(x, i, W_q, W_k, W_v):
    scores = (x[i : i + 1] @ W_q.T) @ (x @ W_k.T).T
    weights = (scores / W_q.shape[0] ** 0.5).softmax(-1)
    return scores, weights, weights @ (x @ W_v.T)
# %% wrong: scores returned scaled -> "returned raw"
def attend_one(x, i, W_q, W_k, W_v):
    scores = x @ W_k.T @ (W_q @ x[i]) / W_q.shape[0] ** 0.5
    weights = scores.softmax(0)
    return scores, weights, weights @ (x @ W_v.T)
# %% wrong: always the first word -> "`i` used"
def attend_one(x, i, W_q, W_k, W_v):
    scores = x @ W_k.T @ (W_q @ x[0])
    weights = (scores / W_q.shape[0] ** 0.5).softmax(0)
    return scores, weights, weights @ (x @ W_v.T)
# %% wrong: counted from 1 -> "counted from 0"
def attend_one(x, i, W_q, W_k, W_v):
    scores = x @ W_k.T @ (W_q @ x[i - 1])
    weights = (scores / W_q.shape[0] ** 0.5).softmax(0)
    return scores, weights, weights @ (x @ W_v.T)
# %% wrong: W_q and W_k swapped -> "changed places"
def attend_one(x, i, W_q, W_k, W_v):
    scores = x @ W_q.T @ (W_k @ x[i])
    weights = (scores / W_q.shape[0] ** 0.5).softmax(0)
    return scores, weights, weights @ (x @ W_v.T)
# %% wrong: keys made with W_q -> "dot W_k @ word j"
def attend_one(x, i, W_q, W_k, W_v):
    scores = x @ W_q.T @ (W_q @ x[i])
    weights = (scores / W_q.shape[0] ** 0.5).softmax(0)
    return scores, weights, weights @ (x @ W_v.T)
# %% wrong: scores of the words themselves -> "With W_q twice as large"
def attend_one(x, i, W_q, W_k, W_v):
    scores = x @ x[i]
    weights = (scores / W_q.shape[0] ** 0.5).softmax(0)
    return scores, weights, weights @ (x @ W_v.T)
# %% wrong: cosine instead of dot product -> "With W_q twice as large"
def attend_one(x, i, W_q, W_k, W_v):
    scores = F.cosine_similarity(x @ W_k.T, W_q @ x[i], dim=-1)
    weights = (scores / W_q.shape[0] ** 0.5).softmax(0)
    return scores, weights, weights @ (x @ W_v.T)
# %% wrong: matrices applied from the wrong side -> "cannot be multiplied"
def attend_one(x, i, W_q, W_k, W_v):
    scores = (x @ W_k) @ (x[i] @ W_q)
    weights = (scores / W_q.shape[0] ** 0.5).softmax(0)
    return scores, weights, weights @ (x @ W_v)
# %% wrong: no scaling -> "divided before the softmax"
def attend_one(x, i, W_q, W_k, W_v):
    scores = x @ W_k.T @ (W_q @ x[i])
    weights = scores.softmax(0)
    return scores, weights, weights @ (x @ W_v.T)
# %% wrong: divided by d_k -> "d_k, or its root"
def attend_one(x, i, W_q, W_k, W_v):
    scores = x @ W_k.T @ (W_q @ x[i])
    weights = (scores / W_q.shape[0]).softmax(0)
    return scores, weights, weights @ (x @ W_v.T)
# %% wrong: root of the word's width -> "width of a word"
def attend_one(x, i, W_q, W_k, W_v):
    scores = x @ W_k.T @ (W_q @ x[i])
    weights = (scores / x.shape[-1] ** 0.5).softmax(0)
    return scores, weights, weights @ (x @ W_v.T)
# %% wrong: root of the value's width -> "of a value's width"
def attend_one(x, i, W_q, W_k, W_v):
    scores = x @ W_k.T @ (W_q @ x[i])
    weights = (scores / W_v.shape[0] ** 0.5).softmax(0)
    return scores, weights, weights @ (x @ W_v.T)
# %% wrong: d_k of the text, not of the arguments -> "from outside the function"
d_k = 24


def attend_one(x, i, W_q, W_k, W_v):
    scores = x @ W_k.T @ (W_q @ x[i])
    weights = (scores / d_k**0.5).softmax(0)
    return scores, weights, weights @ (x @ W_v.T)
# %% wrong: divided by the sum, no exponential -> "Is there a softmax?"
def attend_one(x, i, W_q, W_k, W_v):
    scores = x @ W_k.T @ (W_q @ x[i])
    weights = scores.abs() / scores.abs().sum() * scores.sign()
    return scores, weights, weights @ (x @ W_v.T)
# %% wrong: exponential without the division -> "softmax over the words"
def attend_one(x, i, W_q, W_k, W_v):
    scores = x @ W_k.T @ (W_q @ x[i])
    weights = (scores / W_q.shape[0] ** 0.5).exp()
    return scores, weights, weights @ (x @ W_v.T)
# %% wrong: value of word i alone -> "all words' values"
def attend_one(x, i, W_q, W_k, W_v):
    scores = x @ W_k.T @ (W_q @ x[i])
    weights = (scores / W_q.shape[0] ** 0.5).softmax(0)
    return scores, weights, W_v @ x[i]
# %% wrong: values weighed with the scores -> "shares in the context sum to"
def attend_one(x, i, W_q, W_k, W_v):
    scores = x @ W_k.T @ (W_q @ x[i])
    weights = (scores / W_q.shape[0] ** 0.5).softmax(0)
    return scores, weights, scores @ (x @ W_v.T)
# %% wrong: plain mean of the values -> "other shares"
def attend_one(x, i, W_q, W_k, W_v):
    scores = x @ W_k.T @ (W_q @ x[i])
    weights = (scores / W_q.shape[0] ** 0.5).softmax(0)
    return scores, weights, (x @ W_v.T).mean(0)
# %% wrong: own value added on top -> "weight times value, no more"
def attend_one(x, i, W_q, W_k, W_v):
    scores = x @ W_k.T @ (W_q @ x[i])
    weights = (scores / W_q.shape[0] ** 0.5).softmax(0)
    return scores, weights, weights @ (x @ W_v.T) + W_v @ x[i]
# %% wrong: detached on the way -> hidden: "gradient"
def attend_one(x, i, W_q, W_k, W_v):
    q, k, v = W_q.data @ x[i], x @ W_k.T, x @ W_v.T
    scores = k @ q
    weights = (scores / W_q.shape[0] ** 0.5).softmax(0)
    return scores, weights, weights @ v
# %% wrong: float32 whatever came -> hidden: "float64"
def attend_one(x, i, W_q, W_k, W_v):
    x, W_q, W_k, W_v = (t.float() for t in (x, W_q, W_k, W_v))
    scores = x @ W_k.T @ (W_q @ x[i])
    weights = (scores / W_q.shape[0] ** 0.5).softmax(0)
    return scores, weights, weights @ (x @ W_v.T)
# %% wrong: the word may not see itself -> "itself too"
def attend_one(x, i, W_q, W_k, W_v):
    scores = x @ W_k.T @ (W_q @ x[i])
    hidden = scores.clone()
    hidden[i] = float("-inf")
    weights = (hidden / W_q.shape[0] ** 0.5).softmax(0)
    return scores, weights, weights @ (x @ W_v.T)
# %% wrong: only NaN -> "There are nan"
def attend_one(x, i, W_q, W_k, W_v):
    return tuple(torch.full((n,), float("nan")) for n in (len(x), len(x), len(W_v)))
# %% wrong: the arguments as they came -> "Expected shapes (5,), (5,), (13,)"
def attend_one(x, i, W_q, W_k, W_v):
    return x, W_q, W_v
# %% wrong: values made with W_k -> "the values, W_v @ word, averaged"
def attend_one(x, i, W_q, W_k, W_v):
    scores = x @ W_k.T @ (W_q @ x[i])
    weights = (scores / W_q.shape[0] ** 0.5).softmax(0)
    return scores, weights, weights @ (x @ W_k.T)
# %% wrong: query made with W_k -> "With W_q twice as large"
def attend_one(x, i, W_q, W_k, W_v):
    scores = x @ W_k.T @ (W_k @ x[i])
    weights = (scores / W_q.shape[0] ** 0.5).softmax(0)
    return scores, weights, weights @ (x @ W_v.T)
# %% right: F.linear, sdpa for the context
def attend_one(x, i, W_q, W_k, W_v):
    q, k, v = F.linear(x[i], W_q), F.linear(x, W_k), F.linear(x, W_v)
    s = torch.mv(k, q)
    return s, torch.softmax(s.div(W_k.size(0) ** 0.5), -1), F.scaled_dot_product_attention(q[None, None], k[None], v[None])[0, 0]
# %% wrong: weights scaled after softmax -> "nothing after it"
def attend_one(x, i, W_q, W_k, W_v):
    s = (x @ W_k.T) @ (W_q @ x[i])
    w = s.softmax(-1) / W_q.shape[0] ** 0.5
    return s, w, w @ (x @ W_v.T)
# %% wrong: zip words of six -> hidden: "Expected shape (8,), got (6,)"
words = ["Life", "is", "short", "eat", "dessert", "first"]
def attend_one(x, i, W_q, W_k, W_v):
    s = torch.stack([(W_q @ x[i]) @ (W_k @ vector) for word, vector in zip(words, x)])
    w = (s / W_q.shape[0] ** 0.5).softmax(-1)
    return s, w, w @ torch.stack([W_v @ vector for word, vector in zip(words, x)])
# %% wrong: W_q scaled in place -> "changed in place"
def attend_one(x, i, W_q, W_k, W_v):
    s = (x @ W_k.T) @ (W_q @ x[i])
    W_q /= W_q.shape[0] ** 0.5
    w = ((x @ W_k.T) @ (W_q @ x[i])).softmax(-1)
    return s, w, w @ (x @ W_v.T)
# %% wrong: double softmax -> "one softmax"
def attend_one(x, i, W_q, W_k, W_v):
    s = (x @ W_k.T) @ (W_q @ x[i])
    w = (s / len(W_q) ** 0.5).softmax(-1).softmax(-1)
    return s, w, w @ (x @ W_v.T)
# %% wrong: global values -> "6x28"
values = torch.randn(6, 28)
def attend_one(x, i, W_q, W_k, W_v):
    s = (x @ W_k.T) @ (W_q @ x[i])
    w = (s / W_q.shape[0] ** 0.5).softmax(-1)
    return s, w, w @ values
# %% wrong: values of key order reversed -> "its own word's weight"
def attend_one(x, i, W_q, W_k, W_v):
    s = (x @ W_k.T) @ (W_q @ x[i])
    w = (s / len(W_q) ** 0.5).softmax(-1)
    return s, w, w @ (x.flip(0) @ W_v.T)
