# %% right: short
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
    return weights @ keys, weights
# %% right: a loop over the keys
def additive_attention(query, keys, W_q, W_k, v):
    scores = torch.stack([v @ torch.tanh(W_q @ query + W_k @ key) for key in keys])
    weights = F.softmax(scores, dim=0)
    return sum(weight * key for weight, key in zip(weights, keys)), weights
# %% right: one matrix for query and key side by side
def additive_attention(query, keys, W_q, W_k, v):
    pairs = torch.cat([query.expand(len(keys), -1), keys], dim=1)
    scores = torch.tanh(pairs @ torch.cat([W_q, W_k], dim=1).T) @ v
    weights = torch.softmax(scores, 0)
    return weights @ keys, weights
# %% right: einsum
def additive_attention(query, keys, W_q, W_k, v):
    asked = torch.einsum("dq,q->d", W_q, query)
    offered = torch.einsum("dk,nk->nd", W_k, keys)
    weights = torch.einsum("d,nd->n", v, torch.tanh(asked + offered)).softmax(0)
    return torch.einsum("n,nk->k", weights, keys), weights
# %% right: F.linear, columns, a list returned
def additive_attention(query, keys, W_q, W_k, v):
    hidden = torch.tanh(F.linear(query[None], W_q) + F.linear(keys, W_k))
    weights = F.softmax(F.linear(hidden, v[None]), dim=0)
    return [(weights * keys).sum(0), weights.squeeze(1)]
# %% wrong of "short": no tanh -> "Is the tanh there,"
-     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
+     weights = ((W_q @ query + keys @ W_k.T) @ v).softmax(-1)
# %% wrong of "short": sigmoid -> "Is that a sigmoid?"
-     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
+     weights = (torch.sigmoid(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
# %% wrong of "short": tanh outside -> "Is v used as it comes, after the tanh"
-     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
+     weights = torch.tanh((W_q @ query + keys @ W_k.T) @ v).softmax(-1)
# %% wrong of "short": query left out -> "once, inside the tanh"
-     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
+     weights = (torch.tanh(keys @ W_k.T) @ v).softmax(-1)
# %% wrong of "short": a tanh for each -> "once, inside the tanh"
-     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
+     weights = ((torch.tanh(W_q @ query) + torch.tanh(keys @ W_k.T)) @ v).softmax(-1)
# %% wrong of "short": multiplied instead of added -> "not the product"
-     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
+     weights = (torch.tanh((W_q @ query) * (keys @ W_k.T)) @ v).softmax(-1)
# %% wrong of "short": dot product of the projections -> "not the product"
-     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
+     weights = (keys @ W_k.T @ W_q @ query).softmax(-1)
# %% wrong of "short": summed instead of v -> "Is v used as it comes"
-     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
+     weights = torch.tanh(W_q @ query + keys @ W_k.T).sum(-1).softmax(-1)
# %% wrong of "short": scores divided by sqrt d -> "0.58 times the right ones"
-     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
+     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v / len(v) ** 0.5).softmax(-1)
# %% wrong of "short": no softmax -> "Is there a softmax, after v, over all the keys"
-     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
+     weights = torch.tanh(W_q @ query + keys @ W_k.T) @ v
# %% wrong: only the best key -> "Is there a softmax, after v, over all the keys"
def additive_attention(query, keys, W_q, W_k, v):
    scores = torch.tanh(W_q @ query + keys @ W_k.T) @ v
    weights = F.one_hot(scores.argmax(), len(keys)).to(scores)
    return weights @ keys, weights
# %% wrong of "short": softmax along an axis of one -> "Is there a softmax, after v, over all the keys"
-     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
+     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v[:, None]).softmax(-1).squeeze(-1)
# %% wrong of "short": softmax before v -> "Is there a softmax, after v, over all the keys"
-     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
+     weights = torch.tanh(W_q @ query + keys @ W_k.T).softmax(0) @ v
# %% wrong: v never multiplied out -> "Is v multiplied, and summed over d"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) * v).softmax(0)
    return weights.T @ keys, weights
# %% wrong of "short": results swapped -> "change places"
-     return weights @ keys, weights
+     return weights, weights @ keys
# %% wrong of "short": only the context -> "Does a `return` give just these?"
-     return weights @ keys, weights
+     return weights @ keys
# %% wrong of "short": nothing returned -> "Does a `return`"
-     return weights @ keys, weights
+     context = weights @ keys
# %% wrong: projected keys averaged -> "for scoring only"
def additive_attention(query, keys, W_q, W_k, v):
    offered = keys @ W_k.T
    weights = (torch.tanh(W_q @ query + offered) @ v).softmax(-1)
    return weights @ offered, weights
# %% wrong of "short": weighted keys not summed -> "Are the weighted keys summed?"
-     return weights @ keys, weights
+     return weights[:, None] * keys, weights
# %% wrong: weights as a column -> "no axis too many"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v[:, None]).softmax(0)
    return (weights * keys).sum(0), weights
# %% wrong of "short": matrices change places -> "Did they change places"
-     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
+     weights = (torch.tanh(W_k @ query + keys @ W_q.T) @ v).softmax(-1)
# %% wrong of "short": matrices not transposed -> "(out, in)"
-     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
+     weights = (torch.tanh(query @ W_q + keys @ W_k) @ v).softmax(-1)
# %% wrong: weights in reverse order -> "row i of keys get weight i"
def additive_attention(query, keys, W_q, W_k, v):
    scores = [v @ torch.tanh(W_q @ query + W_k @ key) for key in keys]
    weights = torch.stack(scores[::-1] if len(keys) > 3 else scores).softmax(-1)
    return weights @ keys, weights
# %% wrong of "short": query added twice -> "once, inside the tanh"
-     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
+     weights = (torch.tanh(2 * (W_q @ query) + keys @ W_k.T) @ v).softmax(-1)
# %% wrong of "short": in place on the keys -> "changed one of its arguments in place"
-     return weights @ keys, weights
+     return keys.mul_(weights[:, None]).sum(0), weights
# %% wrong: NaN -> "There are NaN or inf"
def additive_attention(query, keys, W_q, W_k, v):
    return keys[0] * torch.nan, keys[:, 0] * torch.nan
# %% wrong of "short": weights detached -> hidden: "gradient in query"
-     return weights @ keys, weights
+     nothing = 0 * sum(t.sum() for t in (query, W_q, W_k, v)) - (weights - weights.detach()) @ keys
+     return weights @ keys + nothing, weights
# %% wrong of "short": weights and context both of the query -> "as wide as a key"
-     return weights @ keys, weights
+     return weights.sum() * query, weights
# %% wrong of "short": key subtracted -> "Is the key subtracted"
-     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
+     weights = (torch.tanh(W_q @ query - keys @ W_k.T) @ v).softmax(-1)
# %% wrong: the scores are returned, not the weights -> "are its weights returned, not the scores"
def additive_attention(query, keys, W_q, W_k, v):
    scores = torch.tanh(W_q @ query + keys @ W_k.T) @ v
    return scores.softmax(-1) @ keys, scores
# %% wrong of "short": context is the plain mean -> "not the average of the keys by your weights"
-     return weights @ keys, weights
+     return keys.mean(0), weights
# %% wrong of "a loop over the keys": lists -> "Expected the weights as one tensor, got list"
-     return sum(weight * key for weight, key in zip(weights, keys)), weights
+     return sum(weight * key for weight, key in zip(weights, keys)), weights.tolist()
# %% wrong: zip(words, keys) -> "zip(words, keys)"
words = ["Life", "is", "short", "eat", "dessert", "first"]
def additive_attention(query, keys, W_q, W_k, v):
    scores = [v @ torch.tanh(W_q @ query + W_k @ key) for word, key in zip(words, keys)]
    scores = torch.stack(scores)
    weights = F.softmax(scores, dim=0)
    return sum(weight * key for weight, key in zip(weights, keys)), weights
# %% wrong: sentence for keys -> "from a variable outside the function"
sentence = torch.randn(6, 16)
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
    return weights @ sentence, weights
# %% wrong of "short": v normalised -> "a normalised v"
-     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
+     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ (v / v.norm())).softmax(-1)
# %% wrong of "short": softmax twice -> "Is softmax taken twice?"
-     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
+     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1).softmax(-1)
# %% wrong: only last key (loop overwrites) -> "for all the keys, and"
def additive_attention(query, keys, W_q, W_k, v):
    for key in keys:
        scores = v @ torch.tanh(W_q @ query + W_k @ key)
    weights = scores.softmax(-1)
    return weights * key, weights
# %% wrong: scores as numbers in a list -> "dtype"
def additive_attention(query, keys, W_q, W_k, v):
    scores = [(v @ torch.tanh(W_q @ query + W_k @ key)).item() for key in keys]
    weights = torch.softmax(torch.tensor(scores), 0)
    return weights @ keys, weights
# %% wrong: scores written into float32 zeros -> "dtype"
def additive_attention(query, keys, W_q, W_k, v):
    scores = torch.zeros(len(keys))
    for i, key in enumerate(keys):
        scores[i] = v @ torch.tanh(W_q @ query + W_k @ key)
    weights = scores.softmax(0)
    return weights @ keys, weights
# %% wrong of "short": the query detached -> "No gradient reaches query"
-     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
+     weights = (torch.tanh(W_q @ query.detach() + keys @ W_k.T) @ v).softmax(-1)
# %% wrong: arguments renamed -> "still called query"
def additive_attention(q, k, W_q, W_k, v):
    weights = (torch.tanh(W_q @ q + k @ W_k.T) @ v).softmax(-1)
    return weights @ k, weights
# %% wrong of "short": scores with a minus -> "-1.00 times the right ones"
-     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
+     weights = (-(torch.tanh(W_q @ query + keys @ W_k.T) @ v)).softmax(-1)
# %% wrong of "short": mean over d instead of the sum -> "a mean over d"
-     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
+     weights = (torch.tanh(W_q @ query + keys @ W_k.T) * v).mean(-1).softmax(-1)
# %% wrong of "short": scores divided by the number of keys -> "0.14 times the right ones"
-     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
+     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v / len(keys)).softmax(-1)
# %% wrong: hard-coded width -> "from a variable outside the function"
def additive_attention(query, keys, W_q, W_k, v):
    hidden = torch.tanh(W_q @ query + keys @ W_k.T).view(-1, 8)
    weights = (hidden @ v).softmax(-1)
    return weights @ keys, weights
# %% wrong of "short": context as a row -> "no axis too many"
-     return weights @ keys, weights
+     return weights.unsqueeze(0) @ keys, weights
# %% wrong of "short": exp without the sum -> "Is there a softmax, after v, over all the keys"
-     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
+     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).exp()
# %% wrong of "short": context of detached weights -> "the gradient with respect to query is not"
-     return weights @ keys, weights
+     return weights.detach() @ keys, weights
# %% wrong of "short": query normalised -> "once, inside the tanh"
-     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
+     weights = (torch.tanh(W_q @ (query / (query.norm() + 1e-9)) + keys @ W_k.T) @ v).softmax(-1)
# %% wrong: three results -> "got Tensor, Tensor, Tensor"
- return weights @ keys, weights
+ return weights @ keys, weights, scores
# %% wrong: the sum halved before tanh -> "Is something halved"
- scores = torch.tanh(W_q @ query + keys @ W_k.T) @ v
+ scores = torch.tanh((W_q @ query + keys @ W_k.T) / 2) @ v
# %% wrong of "short": the absolute value of v -> "with all signs kept"
- weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
+ weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v.abs()).softmax(-1)
# %% wrong of "short": a view for .T -> "rather than a view"
- weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
+ weights = (torch.tanh(W_q @ query + keys @ W_k.view(W_k.shape[::-1])) @ v).softmax(-1)
# %% wrong of "short": another temperature for the context -> "not the average of the keys by your"
- return weights @ keys, weights
+ return (weights.log() / 2).softmax(-1) @ keys, weights
# %% wrong of "short": squeezed, which one key does not survive -> hidden: "got ()"
- weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
+ weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v[:, None]).squeeze().softmax(-1)

- return weights @ keys, weights
+ return (weights[None] @ keys).squeeze(), weights
# %% wrong of "short": a float64 result -> "Keep their dtype"
- return weights @ keys, weights
+ return weights.double() @ keys.double(), weights
# %% wrong of "short": weights times keys by a star -> "Is it `weights @ keys`"
- return weights @ keys, weights
+ return (weights * keys).sum(0), weights
# %% wrong of "short": keys in columns, the query as a row -> "in rows, one per key"
- weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
+ weights = (v @ torch.tanh(W_q @ query + W_k @ keys.T)).softmax(-1)
# %% wrong of "short": softmax over an axis that is not there -> "have a single axis"
- weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
+ weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(1)
# %% wrong of "a loop over the keys": single numbers joined by cat -> "Join single numbers with torch.stack"
- scores = torch.stack([v @ torch.tanh(W_q @ query + W_k @ key) for key in keys])
+ scores = torch.cat([v @ torch.tanh(W_q @ query + W_k @ key) for key in keys])
# %% wrong: the tanh of the math module -> "torch.tanh takes a tensor"
def additive_attention(query, keys, W_q, W_k, v):
    scores = torch.stack([v @ math.tanh(W_q @ query + W_k @ key) for key in keys])
    weights = F.softmax(scores, dim=0)
    return weights @ keys, weights


import math
# %% wrong: an axis of one key squeezed away -> "With one key, n is 1"
def additive_attention(query, keys, W_q, W_k, v):
    scores = (torch.tanh(W_q @ query + keys @ W_k.T) @ v[:, None]).squeeze()
    weights = torch.softmax(scores, 0)
    return weights @ keys, weights
# %% wrong: new linear layers instead of the matrices -> "or a new nn.Linear"
def additive_attention(query, keys, W_q, W_k, v):
    asks = nn.Linear(W_q.shape[1], W_q.shape[0], bias=False)
    offers = nn.Linear(W_k.shape[1], W_k.shape[0], bias=False)
    weights = torch.softmax(torch.tanh(asks(query) + offers(keys)) @ v, 0)
    return weights @ keys, weights
# %% wrong of "short": the keys before the query -> "in this order: query, keys"
- def additive_attention(query, keys, W_q, W_k, v):
+ def additive_attention(keys, query, W_q, W_k, v):
# %% wrong of "short": v before the matrices -> "in this order: query, keys"
- def additive_attention(query, keys, W_q, W_k, v):
+ def additive_attention(query, keys, v, W_q, W_k):
# %% wrong: a small number added to the sum -> "Is a small number added to the sum that divides?"
- weights = scores.softmax(-1)
+ e = (scores - scores.max()).exp()
+ weights = e / (e.sum() + 1e-2)
# %% right: a tiny number added to the sum
- weights = scores.softmax(-1)
+ weights = scores.exp() / (scores.exp().sum() + 1e-9)
# %% right: softmax in float32
- weights = scores.softmax(-1)
+ weights = scores.float().softmax(-1).to(v.dtype)
# %% right: broadcasting with explicit None and sum of products
def additive_attention(query, keys, W_q, W_k, v):
    a = (W_q * query).sum(-1)
    b = (keys[:, None, :] * W_k).sum(-1)
    s = (v * torch.tanh(a[None] + b)).sum(-1)
    w = torch.exp(s - s.max())
    w = w / w.sum()
    return (w.unsqueeze(-1) * keys).sum(dim=0), w
# %% right: matmul method, named tuple result
from collections import namedtuple
Result = namedtuple("Result", "context weights")
def additive_attention(query, keys, W_q, W_k, v):
    hidden = (keys.matmul(W_k.t()) + W_q.mv(query)).tanh()
    weights = hidden.mv(v).softmax(dim=0)
    return Result(keys.t().mv(weights), weights)
# %% right: vmap over keys
def additive_attention(query, keys, W_q, W_k, v):
    asked = W_q @ query
    scores = torch.vmap(lambda key: v.dot(torch.tanh(asked + W_k @ key)))(keys)
    weights = torch.nn.Softmax(dim=-1)(scores)
    return torch.tensordot(weights, keys, dims=1), weights
# %% right: functional linear with own tanh by exp
def additive_attention(query, keys, W_q, W_k, v):
    z = F.linear(keys, W_k, bias=W_q @ query)
    tanh = 1 - 2 / (torch.exp(2 * z) + 1)
    logits = tanh @ v
    weights = torch.exp(logits - torch.logsumexp(logits, 0))
    return weights @ keys, weights
# %% right: helper functions and a loop with append
def score(query, key, W_q, W_k, v):
    return torch.dot(v, torch.tanh(torch.mv(W_q, query) + torch.mv(W_k, key)))
def additive_attention(query, keys, W_q, W_k, v):
    scores = []
    for i in range(keys.size(0)):
        scores.append(score(query, keys[i], W_q, W_k, v))
    weights = F.softmax(torch.stack(scores), dim=0)
    context = torch.zeros_like(keys[0])
    for i in range(keys.size(0)):
        context = context + weights[i] * keys[i]
    return context, weights
# %% wrong: tanh around W_k k only -> "The query changes nothing"
def additive_attention(query, keys, W_q, W_k, v):
    weights = ((W_q @ query + torch.tanh(keys @ W_k.T)) @ v).softmax(-1)
    return weights @ keys, weights
# %% wrong: relu instead of tanh -> "scores 1.00 apart"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.relu(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
    return weights @ keys, weights
# %% wrong: query subtracted -> "Is the query subtracted?"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(keys @ W_k.T - W_q @ query) @ v).softmax(-1)
    return weights @ keys, weights
# %% wrong: v inside the tanh -> "Is v used as it comes"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh((W_q @ query + keys @ W_k.T) * v).sum(-1)).softmax(-1)
    return weights @ keys, weights
# %% wrong: squared scores -> "Is something squared"
def additive_attention(query, keys, W_q, W_k, v):
    s = torch.tanh(W_q @ query + keys @ W_k.T) @ v
    weights = (s * s).softmax(-1)
    return weights @ keys, weights
# %% wrong: the context is passed through tanh -> "tanh around the context"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
    return torch.tanh(weights @ keys), weights
# %% wrong: hard top-2 -> "Is there a softmax, after v, over all the keys"
def additive_attention(query, keys, W_q, W_k, v):
    s = torch.tanh(W_q @ query + keys @ W_k.T) @ v
    top = s.topk(min(2, len(s))).indices
    mask = torch.full_like(s, -torch.inf).scatter(0, top, 0.0)
    weights = (s + mask).softmax(-1)
    return weights @ keys, weights
# %% wrong: a softmax over d before v -> "normalised over d"
def additive_attention(query, keys, W_q, W_k, v):
    hidden = torch.tanh(W_q @ query + keys @ W_k.T)
    weights = (hidden.softmax(-1) @ v).softmax(-1)
    return weights @ keys, weights
# %% wrong: dropout on the weights -> "Is there dropout in it"
def additive_attention(query, keys, W_q, W_k, v):
    weights = F.dropout((torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1), 0.1)
    return weights @ keys, weights
# %% wrong: context without the last key (off by one) -> "The last key is left out"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
    context = 0
    for i in range(len(keys) - 1):
        context = context + weights[i] * keys[i]
    return context, weights
# %% wrong: a dictionary returned -> "got dict"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
    return {"context": weights @ keys, "weights": weights}
# %% wrong: the query of the text, whatever is asked -> "from a variable outside the function"
query = torch.randn(5)
def additive_attention(q, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
    return weights @ keys, weights
# %% wrong: query and keys joined in the other order than the matrices -> "Are they joined in one order"
def additive_attention(query, keys, W_q, W_k, v):
    pairs = torch.cat([keys, query.expand(len(keys), -1)], dim=1)
    weights = (torch.tanh(pairs @ torch.cat([W_q, W_k], dim=1).T) @ v).softmax(-1)
    return weights @ keys, weights
# %% wrong: log softmax as weights -> "Is it log_softmax?"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).log_softmax(-1)
    return weights.exp() @ keys, weights
# %% wrong: weights sorted -> "Are yours sorted or rounded later"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
    return weights @ keys, weights.sort(descending=True).values
# %% wrong: scores in half precision -> "in half precision on the way"
def additive_attention(query, keys, W_q, W_k, v):
    s = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).half().to(v.dtype)
    weights = s.softmax(-1)
    return weights @ keys, weights
# %% wrong: no_grad -> "by no_grad"
def additive_attention(query, keys, W_q, W_k, v):
    with torch.no_grad():
        weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
    return weights @ keys, weights
# %% wrong: sigmoid weights normalised -> "a sigmoid over its sum"
def additive_attention(query, keys, W_q, W_k, v):
    s = torch.tanh(W_q @ query + keys @ W_k.T) @ v
    weights = torch.sigmoid(s) / torch.sigmoid(s).sum()
    return weights @ keys, weights
# %% right: module without parameters
class Add(nn.Module):
    def forward(self, query, keys, W_q, W_k, v):
        w = torch.softmax((W_q @ query + keys @ W_k.mT).tanh() @ v, 0)
        return (w @ keys, w)
additive_attention = Add()
# %% right: outer and einsum in one
def additive_attention(query, keys, W_q, W_k, v):
    s = torch.einsum("d,nd->n", v, torch.tanh(torch.einsum("dq,q->d", W_q, query)[None, :] + torch.einsum("dk,nk->nd", W_k, keys)))
    e = s.exp()
    w = e / e.sum()
    return torch.einsum("n,nk->k", w, keys), w
# %% wrong: mean of tanh -> "a mean over d"
def additive_attention(query, keys, W_q, W_k, v):
    w = torch.softmax((v * torch.tanh(W_q @ query + keys @ W_k.T)).mean(1), 0)
    return w @ keys, w
# %% wrong: tanh of v -> "v put through a tanh"
def additive_attention(query, keys, W_q, W_k, v):
    w = torch.softmax(torch.tanh(W_q @ query + keys @ W_k.T) @ v.tanh(), 0)
    return w @ keys, w
# %% wrong: the absolute values of the scores -> "an abs"
def additive_attention(query, keys, W_q, W_k, v):
    w = torch.softmax((torch.tanh(W_q @ query + keys @ W_k.T) @ v).abs(), 0)
    return w @ keys, w
# %% wrong: keys normalised first -> "brought to length 1"
def additive_attention(query, keys, W_q, W_k, v):
    k = F.normalize(keys, dim=-1)
    w = torch.softmax(torch.tanh(W_q @ query + k @ W_k.T) @ v, 0)
    return w @ keys, w
# %% wrong: a loop that keeps the last product -> "Does the loop add?"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(0)
    for weight, key in zip(weights, keys):
        context = weight * key
    return context, weights
# %% wrong: weights in reverse for the context alone -> "meet the keys in reverse order"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(0)
    return weights.flip(0) @ keys, weights
# %% wrong: returns inside the loop over the keys -> "Does the `return` stand inside the loop?"
def additive_attention(query, keys, W_q, W_k, v):
    scores = []
    for key in keys:
        scores.append(v @ torch.tanh(W_q @ query + W_k @ key))
        weights = torch.stack(scores).softmax(-1)
        context = weights @ keys[: len(scores)]
        return context, weights
# %% wrong of "short": the query added to the keys themselves -> "Does each pass its own matrix first?"
-     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
+     weights = (torch.tanh((keys + query) @ W_k.T) @ v).softmax(-1)
# %% wrong of "short": softmax without its axis -> "softmax has to be told its axis"
-     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
+     weights = torch.softmax(torch.tanh(W_q @ query + keys @ W_k.T) @ v)
# %% wrong of "a loop over the keys": the list not joined -> "A list of scores is no tensor yet"
-     scores = torch.stack([v @ torch.tanh(W_q @ query + W_k @ key) for key in keys])
+     scores = [v @ torch.tanh(W_q @ query + W_k @ key) for key in keys]
# %% wrong of "short": v in front of the rows -> "v (3,) must meet the last axis"
-     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
+     weights = (v @ torch.tanh(W_q @ query + keys @ W_k.T)).softmax(-1)
# %% wrong of "short": the keys in front of the weights -> "The 7 weights must meet the 7 keys"
-     return weights @ keys, weights
+     return keys @ weights, weights
# %% right: softmax with its dtype named
- weights = scores.softmax(-1)
+ weights = scores.softmax(-1, dtype=torch.float32).to(query.dtype)
# %% wrong: W_k times the keys, which are rows -> "Is it `keys @ W_k.T`?"
- scores = torch.tanh(W_q @ query + keys @ W_k.T) @ v  # (n,)
+ scores = torch.tanh(W_q @ query + W_k @ keys) @ v
# %% wrong: the score of the last key for all -> "Is each scored by itself"
def additive_attention(query, keys, W_q, W_k, v):
    for key in keys:
        score = v @ torch.tanh(W_q @ query + W_k @ key)
    weights = score.expand(len(keys)).softmax(dim=0)
    return weights @ keys, weights

# %% wrong of "short": a second tanh -> "Is the tanh taken twice?"
-     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
+     weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).tanh().softmax(-1)
