# %% right: one value at a time
def pattern(attend, query, key):
    columns = []
    for j in range(key.shape[-2]):
        value = torch.zeros(*key.shape[:-1], 1, dtype=key.dtype)
        value[..., j, 0] = 1
        columns.append(attend(query, key, value))
    return torch.cat(columns, dim=-1)

# %% right: diag_embed
def pattern(attend, query, key):
    return attend(query, key, torch.diag_embed(torch.ones_like(key[..., 0])))

# %% right: a table of ones and zeros, by comparison
def pattern(attend, query, key):
    at = torch.arange(key.shape[-2])
    value = (at[:, None] == at).to(key) + torch.zeros(*key.shape[:-2], 1, 1).to(key)
    return attend(query, key, value)

# %% wrong: the keys as values -> "That is as wide as the keys"
- return attend(query, key, one_each)
+ return attend(query, key, key)
# %% wrong: all values are 1 -> "Are all values alike?"
- return attend(query, key, one_each)
+ return attend(query, key, torch.ones_like(one_each))
# %% wrong: one number per value -> "With one number per value"
- return attend(query, key, one_each)
+ return attend(query, key, torch.ones_like(key[..., :1]))
# %% wrong: no leading axes -> "one value for each key"
- one_each = torch.eye(seq, dtype=key.dtype).expand(*key.shape[:-2], seq, seq)
+ one_each = torch.eye(seq, dtype=key.dtype)
# %% wrong: rows and columns swapped -> "Are rows and columns swapped?"
- return attend(query, key, one_each)
+ return attend(query, key, one_each).mT
# %% wrong: a softmax on top -> "That is a softmax of the weights"
- return attend(query, key, one_each)
+ return attend(query, key, one_each).softmax(-1)
# %% wrong: computed anew -> "Return what attend gives"
- return attend(query, key, one_each)
+ return (query @ key.mT / key.shape[-1] ** 0.5).softmax(-1)
# %% wrong: rows made to sum to 1 -> "Are the weights divided by their sum"
- return attend(query, key, one_each)
+ weights = attend(query, key, one_each)
+ return weights / weights.sum(-1, keepdim=True)
# %% wrong: always float32 -> "Is value of the dtype of query and key?"
- one_each = torch.eye(seq, dtype=key.dtype).expand(*key.shape[:-2], seq, seq)
+ one_each = torch.eye(seq).expand(*key.shape[:-2], seq, seq)
# %% wrong: as many values as queries -> "one value for each key"
- seq = key.shape[-2]
+ seq = query.shape[-2]
# %% wrong: in reverse order -> "in the reverse order"
- return attend(query, key, one_each)
+ return attend(query, key, one_each.flip(-1))
# %% wrong: the scores -> "Those are the scores"
- return attend(query, key, one_each)
+ return query @ key.mT / key.shape[-1] ** 0.5
# %% wrong: the mean over the heads -> "Are the weights of several heads averaged?"
- return attend(query, key, one_each)
+ return attend(query, key, one_each).mean(1)
# %% wrong: query and key exchanged -> "Do query and key come in this order?"
- return attend(query, key, one_each)
+ return attend(key, query, one_each)
# %% wrong: no negative weights -> "its weights may be negative"
- return attend(query, key, one_each)
+ return attend(query, key, one_each).clamp(min=0)

# %% wrong: the weights are halved -> "times 0.5"
- return attend(query, key, one_each)
+ return attend(query, key, one_each).clamp(0, 1) * 0.5

# %% wrong: the values are no table of ones -> "Here the last value is [6.0"
- return attend(query, key, one_each)
+ return attend(query, key, one_each + 6.0 * (torch.arange(seq) == seq - 1)[:, None])

# %% wrong: normalised along the queries -> "attend gave the weights, and something else is returned"
- return attend(query, key, one_each)
+ weights = attend(query, key, one_each)
+ return weights / weights.sum(-2, keepdim=True)
