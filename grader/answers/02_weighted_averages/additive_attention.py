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
# %% right: tanh from sigmoid, exp by hand
def additive_attention(query, keys, W_q, W_k, v):
    a = W_q @ query + keys @ W_k.T
    scores = (2 * torch.sigmoid(2 * a) - 1) @ v
    e = (scores - scores.max()).exp()
    return e @ keys / e.sum(), e / e.sum()
# %% wrong: no tanh -> "Is the tanh there?"
def additive_attention(query, keys, W_q, W_k, v):
    weights = ((W_q @ query + keys @ W_k.T) @ v).softmax(-1)
    return weights @ keys, weights
# %% wrong: relu -> "Is the tanh there?"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (F.relu(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
    return weights @ keys, weights
# %% wrong: sigmoid -> "Is that a sigmoid?"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.sigmoid(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
    return weights @ keys, weights
# %% wrong: tanh outside -> "Is tanh taken before v is multiplied?"
def additive_attention(query, keys, W_q, W_k, v):
    weights = torch.tanh((W_q @ query + keys @ W_k.T) @ v).softmax(-1)
    return weights @ keys, weights
# %% wrong: query left out -> "Another query, the same weights"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(keys @ W_k.T) @ v).softmax(-1)
    return weights @ keys, weights
# %% wrong: a tanh for each -> "Another query, the same weights"
def additive_attention(query, keys, W_q, W_k, v):
    weights = ((torch.tanh(W_q @ query) + torch.tanh(keys @ W_k.T)) @ v).softmax(-1)
    return weights @ keys, weights
# %% wrong: query added outside the tanh -> "Another query, the same weights"
def additive_attention(query, keys, W_q, W_k, v):
    weights = ((W_q @ query + torch.tanh(keys @ W_k.T)) @ v).softmax(-1)
    return weights @ keys, weights
# %% wrong: multiplied instead of added -> "not multiplied"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh((W_q @ query) * (keys @ W_k.T)) @ v).softmax(-1)
    return weights @ keys, weights
# %% wrong: dot product of the projections -> "Is v used?"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (keys @ W_k.T @ W_q @ query).softmax(-1)
    return weights @ keys, weights
# %% wrong: summed instead of v -> "Is v used?"
def additive_attention(query, keys, W_q, W_k, v):
    weights = torch.tanh(W_q @ query + keys @ W_k.T).sum(-1).softmax(-1)
    return weights @ keys, weights
# %% wrong: scores divided by sqrt d -> "divides by nothing"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v / len(v) ** 0.5).softmax(-1)
    return weights @ keys, weights
# %% wrong: no softmax -> "Is there a softmax over the keys?"
def additive_attention(query, keys, W_q, W_k, v):
    weights = torch.tanh(W_q @ query + keys @ W_k.T) @ v
    return weights @ keys, weights
# %% wrong: scores divided by their sum -> "Is it softmax that makes weights"
def additive_attention(query, keys, W_q, W_k, v):
    scores = torch.tanh(W_q @ query + keys @ W_k.T) @ v
    weights = (scores - scores.max()) / (scores - scores.max()).sum()
    return weights @ keys, weights
# %% wrong: only the best key -> "Is it softmax that makes weights"
def additive_attention(query, keys, W_q, W_k, v):
    scores = torch.tanh(W_q @ query + keys @ W_k.T) @ v
    weights = F.one_hot(scores.argmax(), len(keys)).to(scores)
    return weights @ keys, weights
# %% wrong: softmax along an axis of one -> "along an axis of length 1"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v[:, None]).softmax(-1).squeeze(-1)
    return weights @ keys, weights
# %% wrong: softmax before v -> "Is there a softmax over the keys?"
def additive_attention(query, keys, W_q, W_k, v):
    weights = torch.tanh(W_q @ query + keys @ W_k.T).softmax(0) @ v
    return weights @ keys, weights
# %% wrong: v never multiplied out -> "Is v multiplied, and summed over d"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) * v).softmax(0)
    return weights.T @ keys, weights
# %% wrong: results swapped -> "change places"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
    return weights, weights @ keys
# %% wrong: only the context -> "are both returned?"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
    return weights @ keys
# %% wrong: nothing returned -> "`return`"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
    context = weights @ keys
# %% wrong: projected keys averaged -> "for scoring only"
def additive_attention(query, keys, W_q, W_k, v):
    offered = keys @ W_k.T
    weights = (torch.tanh(W_q @ query + offered) @ v).softmax(-1)
    return weights @ offered, weights
# %% wrong: weighted keys not summed -> "Are the weighted keys summed?"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
    return weights[:, None] * keys, weights
# %% wrong: averaged once more by n -> "not the average of the keys with your weights"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
    return (weights[:, None] * keys).mean(0), weights
# %% wrong: context is the best key alone -> "not the average of the keys with your weights"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
    return keys[weights.argmax()], weights
# %% wrong: weights as a column -> "an axis too many"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v[:, None]).softmax(0)
    return (weights * keys).sum(0), weights
# %% wrong: matrices change places -> "Did W_q and W_k change places"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_k @ query + keys @ W_q.T) @ v).softmax(-1)
    return weights @ keys, weights
# %% wrong: matrices not transposed -> "(out, in)"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(query @ W_q + keys @ W_k) @ v).softmax(-1)
    return weights @ keys, weights
# %% wrong: weights in reverse order -> "row i of keys get weight i"
def additive_attention(query, keys, W_q, W_k, v):
    scores = [v @ torch.tanh(W_q @ query + W_k @ key) for key in keys]
    weights = torch.stack(scores[::-1] if len(keys) > 3 else scores).softmax(-1)
    return weights @ keys, weights
# %% wrong: query added twice -> "Is it tanh of the sum?"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(2 * (W_q @ query) + keys @ W_k.T) @ v).softmax(-1)
    return weights @ keys, weights
# %% wrong: in place on the keys -> "An argument was changed"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
    return keys.mul_(weights[:, None]).sum(0), weights
# %% wrong: NaN -> "NaN or infinity"
def additive_attention(query, keys, W_q, W_k, v):
    return keys[0] * torch.nan, keys[:, 0] * torch.nan
# %% wrong: weights detached -> hidden: "gradient in query"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
    return weights @ keys + 0 * sum(t.sum() for t in (query, W_q, W_k, v)) - (weights - weights.detach()) @ keys, weights
# %% wrong: a dictionary -> "got dict"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
    return {"context": weights @ keys, "weights": weights}
# %% wrong: weights as a row matrix -> "an axis too many"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)[None]
    return (weights @ keys)[0], weights
# %% wrong: tanh of query and key before the matrices -> "Another query, the same weights"
def additive_attention(query, keys, W_q, W_k, v):
    weights = ((W_q @ torch.tanh(query) + torch.tanh(keys) @ W_k.T) @ v).softmax(-1)
    return weights @ keys, weights
# %% wrong: softsign for tanh -> "Is the tanh there?"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (F.softsign(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
    return weights @ keys, weights
# %% wrong: divided by the root of d_k -> "divides by nothing"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v / keys.shape[-1] ** 0.5).softmax(-1)
    return weights @ keys, weights
# %% wrong: weights and context both of the query -> "as wide as a key"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
    return weights.sum() * query, weights
# %% wrong: the query itself returned -> "are both returned?"
def additive_attention(query, keys, W_q, W_k, v):
    return query
# %% wrong: key subtracted -> "Is there a minus too many?"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query - keys @ W_k.T) @ v).softmax(-1)
    return weights @ keys, weights
# %% wrong: the scores are returned, not the weights -> "Is there a softmax over the keys?"
def additive_attention(query, keys, W_q, W_k, v):
    scores = torch.tanh(W_q @ query + keys @ W_k.T) @ v
    return scores.softmax(-1) @ keys, scores
# %% wrong: context is the plain mean -> "not the average of the keys with your weights"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
    return keys.mean(0), weights
# %% right: keyword-like, F.linear with bias
def additive_attention(query, keys, W_q, W_k, v):
    scores = F.linear(torch.tanh(F.linear(keys, W_k, W_q @ query)), v)
    w = scores.softmax(dim=-1)
    return torch.einsum("n,nd->d", w, keys), w
# %% wrong: lists -> "`torch.stack`"
def additive_attention(query, keys, W_q, W_k, v):
    scores = torch.stack([v @ torch.tanh(W_q @ query + W_k @ key) for key in keys])
    weights = F.softmax(scores, dim=0)
    return sum(weight * key for weight, key in zip(weights, keys)), weights.tolist()
# %% wrong: context with an axis (1, d_k) -> "an axis too many"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
    return weights[None] @ keys, weights
# %% wrong: zip(words, keys) -> "zip(words, keys)"
words = ["Life", "is", "short", "eat", "dessert", "first"]
def additive_attention(query, keys, W_q, W_k, v):
    scores = torch.stack([v @ torch.tanh(W_q @ query + W_k @ key) for word, key in zip(words, keys)])
    weights = F.softmax(scores, dim=0)
    return sum(weight * key for weight, key in zip(weights, keys)), weights
# %% wrong: sentence for keys -> "Other sizes come from outside"
sentence = torch.randn(6, 16)
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
    return weights @ sentence, weights
# %% wrong: v normalised -> "Was it normalised?"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ (v / v.norm())).softmax(-1)
    return weights @ keys, weights
# %% wrong: softmax twice -> "Is softmax taken once?"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1).softmax(-1)
    return weights @ keys, weights
# %% wrong: a None -> "Expected two tensors"
def additive_attention(query, keys, W_q, W_k, v):
    weights = (torch.tanh(W_q @ query + keys @ W_k.T) @ v).softmax(-1)
    return None, weights
# %% wrong: only last key (loop overwrites) -> "is it not the keys"
def additive_attention(query, keys, W_q, W_k, v):
    for key in keys:
        scores = v @ torch.tanh(W_q @ query + W_k @ key)
    weights = scores.softmax(-1)
    return weights * key, weights
