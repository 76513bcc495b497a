# %% right: one query, loops over the words
def attend_one(x, i, W_q, W_k, W_v):
    q = W_q.mv(x[i])
    scores = torch.stack([q.dot(W_k.mv(word)) for word in x])
    weights = torch.softmax(scores / len(q) ** 0.5, dim=0)
    output = sum(w * W_v.mv(word) for w, word in zip(weights, x))
    return scores, weights, output
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
# %% right: F.linear, PyTorch's attention for the output
def attend_one(x, i, W_q, W_k, W_v):
    q, k, v = F.linear(x[i], W_q), F.linear(x, W_k), F.linear(x, W_v)
    scores = torch.mv(k, q)
    weights = torch.softmax(scores.div(W_k.size(0) ** 0.5), -1)
    return scores, weights, F.scaled_dot_product_attention(q[None, None], k[None], v[None])[0, 0]
# %% wrong: no return -> "`return`"
- return scores, weights, weights @ values
+ output = weights @ values
# %% wrong: only the output returned -> "all three returned"
- return scores, weights, weights @ values
+ return weights @ values
# %% wrong: python numbers instead of tensors -> "`torch.stack`"
- return scores, weights, weights @ values
+ return scores.tolist(), weights, weights @ values
# %% wrong: all words attend -> "row of word `i` alone"
- query = W_q @ x[i]
+ query = (x @ W_q.T).T

- weights = (scores / query.shape[-1] ** 0.5).softmax(dim=-1)
+ weights = (scores / query.shape[0] ** 0.5).softmax(dim=-1)
# %% wrong: output first -> "order scores, weights, output"
- return scores, weights, weights @ values
+ return weights @ values, weights, scores
# %% wrong: weights before scores -> "these are weights"
- return scores, weights, weights @ values
+ return weights, scores, weights @ values
# %% wrong: output before weights -> "order scores, weights, output"
- return scores, weights, weights @ values
+ return scores, weights @ values, weights
# %% wrong: the words averaged, not their values -> "W_v @ word, that are averaged"
- return scores, weights, weights @ values
+ return scores, weights, weights @ x
# %% wrong: values made with W_k -> "W_v @ word, that are averaged"
- return scores, weights, weights @ values
+ return scores, weights, weights @ keys
# %% wrong: weighted values not added up -> "weighted values added up"
- return scores, weights, weights @ values
+ return scores, weights, weights[:, None] * values
# %% wrong: a row axis of size 1 remains -> "axis of size 1"
- query = W_q @ x[i]
+ query = x[i : i + 1] @ W_q.T

- scores = keys @ query
+ scores = query @ keys.T
# %% wrong: scores returned scaled -> "Return them raw"
- weights = (scores / query.shape[-1] ** 0.5).softmax(dim=-1)
+ scores = scores / query.shape[-1] ** 0.5
+ weights = scores.softmax(dim=-1)
# %% wrong: always the first word -> "Word 3 and word 1 get the same scores"
- query = W_q @ x[i]
+ query = W_q @ x[0]
# %% wrong: counted from 1 -> "scores of word 2"
- query = W_q @ x[i]
+ query = W_q @ x[i - 1]
# %% wrong: one word too far -> "scores of word 4"
- query = W_q @ x[i]
+ query = W_q @ x[(i + 1) % len(x)]
# %% wrong: W_q and W_k swapped -> "changed places"
- query = W_q @ x[i]
- keys, values = x @ W_k.T, x @ W_v.T
+ query = W_k @ x[i]
+ keys, values = x @ W_q.T, x @ W_v.T
# %% wrong: keys made with W_q -> "both made with W_q"
- keys, values = x @ W_k.T, x @ W_v.T
+ keys, values = x @ W_q.T, x @ W_v.T
# %% wrong: query made with W_k -> "both made with W_k"
- query = W_q @ x[i]
+ query = W_k @ x[i]
# %% wrong: scores of the words themselves -> "of the words themselves"
- scores = keys @ query
+ scores = x @ x[i]
# %% wrong: cosine instead of dot product -> "These are cosines"
- scores = keys @ query
+ scores = F.cosine_similarity(keys, query, dim=-1)
# %% wrong: distance instead of dot product -> "dot W_k @ word j"
- scores = keys @ query
+ scores = -(keys - query).norm(dim=-1)
# %% wrong: matrices applied from the wrong side -> "cannot be multiplied"
- query = W_q @ x[i]
+ query = x[i] @ W_q
# %% wrong: no scaling -> "Divide the scores before"
- weights = (scores / query.shape[-1] ** 0.5).softmax(dim=-1)
+ weights = scores.softmax(dim=-1)
# %% wrong: divided by d_k -> "You divided by d_k = 11"
- weights = (scores / query.shape[-1] ** 0.5).softmax(dim=-1)
+ weights = (scores / query.shape[-1]).softmax(dim=-1)
# %% wrong: multiplied by the root -> "You multiplied by √d_k"
- weights = (scores / query.shape[-1] ** 0.5).softmax(dim=-1)
+ weights = (scores * query.shape[-1] ** 0.5).softmax(dim=-1)
# %% wrong: root of the word's width -> "root of a word's width"
- weights = (scores / query.shape[-1] ** 0.5).softmax(dim=-1)
+ weights = (scores / x.shape[-1] ** 0.5).softmax(dim=-1)
# %% wrong: root of the value's width -> "root of a value's width"
- weights = (scores / query.shape[-1] ** 0.5).softmax(dim=-1)
+ weights = (scores / W_v.shape[0] ** 0.5).softmax(dim=-1)
# %% wrong: root of the number of words -> "number of words"
- weights = (scores / query.shape[-1] ** 0.5).softmax(dim=-1)
+ weights = (scores / len(scores) ** 0.5).softmax(dim=-1)
# %% wrong: d_k of the text, not of the arguments -> "from outside"
- weights = (scores / query.shape[-1] ** 0.5).softmax(dim=-1)
+ weights = (scores / 24**0.5).softmax(dim=-1)
# %% wrong: divided by the sum, no exponential -> "Is there a softmax"
- weights = (scores / query.shape[-1] ** 0.5).softmax(dim=-1)
+ weights = scores / scores.abs().sum()
# %% wrong: exponential without the division -> "by its own sum"
- weights = (scores / query.shape[-1] ** 0.5).softmax(dim=-1)
+ weights = (scores / query.shape[-1] ** 0.5).exp()
# %% wrong: sigmoid instead of softmax -> "by its own sum"
- weights = (scores / query.shape[-1] ** 0.5).softmax(dim=-1)
+ weights = (scores / query.shape[-1] ** 0.5).sigmoid()
# %% wrong: weights scaled after softmax -> "by nothing after that"
- weights = (scores / query.shape[-1] ** 0.5).softmax(dim=-1)
+ weights = scores.softmax(dim=-1) / query.shape[-1] ** 0.5
# %% wrong: double softmax -> "one softmax"
- weights = (scores / query.shape[-1] ** 0.5).softmax(dim=-1)
+ weights = (scores / query.shape[-1] ** 0.5).softmax(dim=-1).softmax(dim=-1)
# %% wrong: the word may not see itself -> "Is something masked"
- weights = (scores / query.shape[-1] ** 0.5).softmax(dim=-1)
+ others = torch.arange(len(x)) != i
+ scaled = torch.where(others, scores / query.shape[-1] ** 0.5, -torch.inf)
+ weights = scaled.softmax(dim=-1)
# %% wrong: value of word i alone -> "value of word 3 alone"
- return scores, weights, weights @ values
+ return scores, weights, values[i]
# %% wrong: values weighed with the scores -> "with the raw scores"
- return scores, weights, weights @ values
+ return scores, weights, scores @ values
# %% wrong: plain mean of the values -> "plain mean of the values"
- return scores, weights, weights @ values
+ return scores, weights, values.mean(0)
# %% wrong: a mean of the weighted values -> "divided by the number of words"
- return scores, weights, weights @ values
+ return scores, weights, (weights[:, None] * values).mean(0)
# %% wrong: own value added on top -> "own value is added on top"
- return scores, weights, weights @ values
+ return scores, weights, weights @ values + values[i]
# %% wrong: values in reverse order -> "another word's weight"
- return scores, weights, weights @ values
+ return scores, weights, weights @ values.flip(0)
# %% wrong: only NaN -> "There are NaN"
- return scores, weights, weights @ values
+ return tuple(t * float("nan") for t in (scores, weights, weights @ values))
# %% wrong: the arguments as they came -> "Expected the scores in shape (5,)"
- return scores, weights, weights @ values
+ return x, W_q, W_v
# %% wrong: W_q scaled in place -> "in place"
- query = W_q @ x[i]
+ W_q /= W_q.shape[0] ** 0.5
+ query = W_q @ x[i]
# %% wrong: values of the text, not of the arguments -> "come from outside the function"
- return scores, weights, weights @ values
+ return scores, weights, weights @ torch.ones(6, 28)
# %% wrong: six words, never more -> "Nine words of width 4"
- keys, values = x @ W_k.T, x @ W_v.T
+ keys, values = x[:6] @ W_k.T, x[:6] @ W_v.T
# %% wrong: detached on the way -> "No gradient reaches W_q"
- query = W_q @ x[i]
+ query = W_q.data @ x[i]
# %% wrong: weights detached -> "the gradient in x is wrong"
- return scores, weights, weights @ values
+ return scores, weights, weights.detach() @ values
# %% wrong: a tensor made of numbers -> "torch.tensor(…)"
- scores = keys @ query
+ scores = torch.tensor([(key @ query).item() for key in keys], dtype=x.dtype)
# %% wrong: float32 whatever came -> "torch.float64 give a result of torch.float32"
- query = W_q @ x[i]
+ x, W_q, W_k, W_v = x.float(), W_q.float(), W_k.float(), W_v.float()
+ query = W_q @ x[i]
# %% wrong: arguments renamed -> "Are its arguments still called x, i, W_q, W_k, W_v"
def attend_one(inputs, index, Wq, Wk, Wv):
    scores = inputs @ Wk.T @ (Wq @ inputs[index])
    weights = (scores / len(Wq) ** 0.5).softmax(dim=-1)
    return scores, weights, weights @ (inputs @ Wv.T)
# %% wrong: the query detached -> "the gradient in x is wrong"
- query = W_q @ x[i]  # (d_k,)
+ query = W_q @ x[i].detach()
# %% right: the root of d_k in a tensor, so in float32
- weights = (scores / query.shape[-1] ** 0.5).softmax(dim=-1)
+ weights = (scores / torch.sqrt(torch.tensor(query.shape[-1]))).softmax(dim=-1)
# %% wrong: a power of 1/2 without brackets -> "divides by d_k and by 2"
- weights = (scores / query.shape[-1] ** 0.5).softmax(dim=-1)
+ weights = (scores / query.shape[-1] ** 1/2).softmax(dim=-1)
# %% wrong: brackets around the whole power of 1/2 -> "is half of d_k, not its root"
- weights = (scores / query.shape[-1] ** 0.5).softmax(dim=-1)
+ weights = (scores / (query.shape[-1] ** 1/2)).softmax(dim=-1)
# %% wrong: weights times values by a star -> "not `*`"
- return scores, weights, weights @ values
+ return scores, weights, (weights * values).sum(0)
# %% wrong: softmax over an axis that is not there -> "have a single axis"
- weights = (scores / query.shape[-1] ** 0.5).softmax(dim=-1)
+ weights = (scores / query.shape[-1] ** 0.5).softmax(dim=1)
# %% wrong: single numbers joined by cat -> "Join single numbers with torch.stack"
- scores = keys @ query
+ scores = torch.cat([key @ query for key in keys])
# %% wrong: the exp of the math module -> "torch.exp takes a tensor"
- weights = (scores / query.shape[-1] ** 0.5).softmax(dim=-1)
+ import math
+ e = math.exp(scores / query.shape[-1] ** 0.5)
+ weights = e / e.sum()
# %% wrong: a number added to the sum -> "Is a small number added to the sum"
- weights = (scores / query.shape[-1] ** 0.5).softmax(dim=-1)
+ e = (scores - scores.max()).div(query.shape[-1] ** 0.5).exp()
+ weights = e / (e.sum() + 1e-2)
# %% wrong: the axis of a single word squeezed away -> "The sentence has a single word here"
def attend_one(x, i, W_q, W_k, W_v):
    scores = (x[i : i + 1] @ W_q.T @ (x @ W_k.T).T).squeeze()
    weights = torch.softmax(scores / W_q.shape[0] ** 0.5, -1)
    return scores, weights, weights @ (x @ W_v.T)
# %% wrong: scores and weights detached at the end -> "The scores of word 8"
- return scores, weights, weights @ values
+ return scores.detach(), weights.detach(), weights @ values
# %% wrong: always float64 -> "Keep the dtype"
- query = W_q @ x[i]  # (d_k,)
+ x, W_q, W_k, W_v = x.double(), W_q.double(), W_k.double(), W_v.double()
+ query = W_q @ x[i]  # (d_k,)
# %% wrong: i as the last argument -> "in this order: x, i, W_q"
- def attend_one(x, i, W_q, W_k, W_v):
+ def attend_one(x, W_q, W_k, W_v, i):
# %% wrong: W_v before W_k -> "in this order: x, i, W_q"
- def attend_one(x, i, W_q, W_k, W_v):
+ def attend_one(x, i, W_q, W_v, W_k):
# %% wrong: large scores cut off at 50 -> "wrong weights"
- weights = (scores / query.shape[-1] ** 0.5).softmax(dim=-1)
+ weights = (scores.clamp(-50, 50) / query.shape[-1] ** 0.5).softmax(dim=-1)
# %% wrong: the word of the text's example, whatever i is -> "Is `i` used?"
- query = W_q @ x[i]  # (d_k,)
+ query = W_q @ x[3]
# %% wrong: the mean of all queries -> "Is `i` used?"
- query = W_q @ x[i]  # (d_k,)
+ query = (x @ W_q.T).mean(0)
# %% wrong: the matrices of the text -> "come from outside the function"
- query = W_q @ x[i]  # (d_k,)
- keys, values = x @ W_k.T, x @ W_v.T  # (seq, d_k), (seq, d_v)
+ hand_q, hand_k, hand_v = torch.eye(2), torch.eye(2), torch.eye(2)
+ query = hand_q @ x[i]
+ keys, values = x @ hand_k.T, x @ hand_v.T
# %% wrong: the largest subtracted from the scores that are returned -> "Their largest is subtracted"
- scores = keys @ query  # (seq,)
+ scores = keys @ query
+ scores = scores - scores.max()
# %% wrong: only the words up to word i -> "after word 3 left out"
- keys, values = x @ W_k.T, x @ W_v.T  # (seq, d_k), (seq, d_v)
+ keys, values = x[: i + 1] @ W_k.T, x[: i + 1] @ W_v.T
# %% wrong: only the words before word i -> "the word itself and those after it left out"
- keys, values = x @ W_k.T, x @ W_v.T  # (seq, d_k), (seq, d_v)
+ keys, values = x[:i] @ W_k.T, x[:i] @ W_v.T
# %% wrong: scores returned scaled, and scaled once more -> "Return them raw"
- scores = keys @ query  # (seq,)
+ scores = keys @ query / query.shape[-1] ** 0.5
# %% wrong: one softmax over all pairs, then row i -> "over all the pairs of a sentence"
- scores = keys @ query  # (seq,)
- weights = (scores / query.shape[-1] ** 0.5).softmax(dim=-1)
+ scores = (x @ W_q.T) @ keys.T
+ weights = (scores / query.shape[-1] ** 0.5).flatten().softmax(dim=0).view_as(scores)[i]
+ scores = scores[i]
# %% wrong: softmax down the columns of all pairs, then row i -> "over the queries (axis -2)"
- scores = keys @ query  # (seq,)
- weights = (scores / query.shape[-1] ** 0.5).softmax(dim=-1)
+ scores = (x @ W_q.T) @ keys.T
+ weights = (scores / query.shape[-1] ** 0.5).softmax(dim=0)[i]
+ scores = scores[i]
# %% wrong: query and key made of length 1 -> "These are cosines"
- scores = keys @ query  # (seq,)
+ scores = F.normalize(keys, dim=-1) @ F.normalize(query, dim=-1)
# %% wrong: weights rounded to four digits -> "or is something rounded"
- weights = (scores / query.shape[-1] ** 0.5).softmax(dim=-1)
+ weights = (scores / query.shape[-1] ** 0.5).softmax(dim=-1).mul(1e4).round().div(1e4)
# %% wrong: weights by a softmax of base 2 -> "The softmax saw the scores times"
- weights = (scores / query.shape[-1] ** 0.5).softmax(dim=-1)
+ weights = 2 ** (scores / query.shape[-1] ** 0.5)
+ weights = weights / weights.sum()
# %% right: a generator over the words, the sum by hand
def attend_one(x, i, W_q, W_k, W_v):
    scores = torch.stack([torch.dot(W_q @ x[i], W_k @ word) for word in x])
    e = (scores / W_k.shape[0] ** 0.5).exp()
    weights = e / e.sum()
    return scores, weights, torch.stack([w * (W_v @ word) for w, word in zip(weights, x)]).sum(0)
# %% right: the query as a row, reshaped back
def attend_one(x, i, W_q, W_k, W_v):
    scores = (x[i, None] @ W_q.T @ W_k @ x.T).reshape(-1)
    weights = F.softmax(scores.div(W_q.size(0) ** 0.5), dim=0)
    return scores, weights, (weights[None] @ x @ W_v.T).reshape(-1)

# %% wrong: an axis too many at the output -> "An axis of size 1 remains"
def attend_one(x, i, W_q, W_k, W_v):
    query = W_q @ x[i]
    keys = x @ W_k.T
    values = x @ W_v.T
    scores = keys @ query
    weights = torch.softmax(scores / W_q.shape[0] ** 0.5, dim=0)
    output = weights @ values
    return scores, weights, output.unsqueeze(0)

# %% right: plain exponentials, as the contract does not ask for large scores
def attend_one(x, i, W_q, W_k, W_v):
    scores = (x @ W_k.T) @ (W_q @ x[i])
    e = (scores / W_q.shape[0] ** 0.5).exp()
    return scores, e / e.sum(), (e / e.sum()) @ (x @ W_v.T)
# %% wrong: attends to the words up to its own -> "Are the words after word 3 left out?"
def attend_one(x, i, W_q, W_k, W_v):
    query = W_q @ x[i]
    keys = x @ W_k.T
    values = x @ W_v.T
    scores = keys @ query
    weights = (scores[: i + 1] / W_q.shape[0] ** 0.5).softmax(dim=-1)
    output = weights @ values[: i + 1]
    return scores, weights, output
# %% wrong: a query with an axis of size 1 -> "Is the query one vector, made of `x[i]`?"
def attend_one(x, i, W_q, W_k, W_v):
    query = (x[i : i + 1] @ W_q.T).mT
    keys = x @ W_k.T
    values = x @ W_v.T
    scores = keys @ query
    weights = (scores / W_q.shape[0] ** 0.5).softmax(dim=-1)
    output = weights @ values
    return scores, weights, output
# %% wrong: the word added where the widths agree -> "Is x added where the widths agree"
- return scores, weights, weights @ values
+ output = weights @ values
+ return scores, weights, output + x[i] if output.shape == x[i].shape else output
# %% wrong: a column taken for a word where x is square -> "is an axis told by its size?"
- query = W_q @ x[i]  # (d_k,)
+ query = W_q @ (x[:, i] if x.shape[0] == x.shape[1] else x[i])
# %% wrong: only its own value, with its own weight -> "This is the word's own value, times its own weight."
- return scores, weights, weights @ values
+ return scores, weights, weights[i] * values[i]
# %% right: float32 on the way
- weights = (scores / query.shape[-1] ** 0.5).softmax(dim=-1)
+ weights = (scores / query.shape[-1] ** 0.5).softmax(dim=-1, dtype=torch.float32).to(scores.dtype)
# %% right: 1e-9 added to a sum that is at least 1
- weights = (scores / query.shape[-1] ** 0.5).softmax(dim=-1)
+ e = (scores - scores.max()).div(query.shape[-1] ** 0.5).exp()
+ weights = e / (e.sum() + 1e-9)
# %% wrong: the word itself for a query -> "word `i` has to pass through W_q"
- scores = keys @ query  # (seq,)
+ scores = keys @ x[i]
# %% wrong: the words themselves for keys -> "the words have to pass through W_k"
- scores = keys @ query  # (seq,)
+ scores = x @ query
# %% wrong: a column for a word -> "`x[:, i]` is a column"
- query = W_q @ x[i]  # (d_k,)
+ query = W_q @ x[:, i]
# %% wrong: values times weights -> "The weights stand on the left"
- return scores, weights, weights @ values
+ return scores, weights, values @ weights
# %% wrong: the output rounded to two decimals -> "rounded"
def attend_one(x, i, W_q, W_k, W_v):
    scores = x @ W_k.T @ (W_q @ x[i])
    weights = (scores / W_q.shape[0] ** 0.5).softmax(-1)
    return scores, weights, (weights @ (x @ W_v.T)).round(decimals=2)
# %% wrong: d_k of a matrix of the text -> "√2 is the root of d_k in the cells above"
- weights = (scores / query.shape[-1] ** 0.5).softmax(dim=-1)
+ hand_q = torch.tensor([[2.0, 0.0], [0.0, 2.0]])
+ weights = (scores / hand_q.shape[0] ** 0.5).softmax(dim=-1)

# %% wrong: the output is summed over the width -> "over the width of the values"
- return scores, weights, weights @ values
+ return scores, weights, (weights[:, None] * values).sum(1)
# %% wrong: the word itself left out -> "Is word 3 itself left out"
- keys, values = x @ W_k.T, x @ W_v.T  # (seq, d_k), (seq, d_v)
+ others = torch.cat([x[:i], x[i + 1 :]])
+ keys, values = others @ W_k.T, others @ W_v.T
