# %% right: queries folded into groups
def grouped_query_attention(query, key, value):
    if query.shape[1] % key.shape[1]:
        raise ValueError(f"{query.shape[1]} heads, {key.shape[1]} key-value heads")
    grouped = query.unflatten(1, (key.shape[1], -1))  # (batch, n_kv_heads, group, q, d_k)
    scores = grouped @ key[:, :, None].mT / key.shape[-1] ** 0.5
    return (scores.softmax(-1) @ value[:, :, None]).flatten(1, 2)

# %% right: the queries of a group stacked along the words
def grouped_query_attention(query, key, value):
    batch, n_heads, q, d_k = query.shape
    n_kv = key.shape[1]
    if n_heads % n_kv != 0:
        raise ValueError(f"{n_heads} is not divisible by {n_kv}")
    long = query.reshape(batch, n_kv, n_heads // n_kv * q, d_k)
    weights = torch.softmax(long @ key.transpose(-2, -1) * d_k**-0.5, dim=-1)
    return (weights @ value).reshape(batch, n_heads, q, -1)

# %% right: a loop over query heads
def grouped_query_attention(query, key, value):
    n, g = query.size(1), key.size(1)
    if n % g:
        raise ValueError(f"{n} heads cannot share {g}")
    heads = []
    for h in range(n):
        k, v = key[:, h * g // n], value[:, h * g // n]
        heads.append((query[:, h] @ k.mT / k.shape[-1] ** 0.5).softmax(-1) @ v)
    return torch.stack(heads, dim=1)

# %% right: an index per query head, and PyTorch's function without its switch
def grouped_query_attention(query, key, value):
    n_heads, n_kv_heads = query.shape[1], key.shape[1]
    if n_heads % n_kv_heads:
        raise ValueError(f"{n_heads} and {n_kv_heads}")
    reads = torch.arange(n_heads) // (n_heads // n_kv_heads)
    return F.scaled_dot_product_attention(query, key[:, reads], value[:, reads])

# %% right: expand and reshape
def grouped_query_attention(query, key, value):
    n_heads, n_kv_heads = query.shape[1], key.shape[1]
    if n_heads % n_kv_heads:
        raise ValueError(f"{n_heads} and {n_kv_heads}")
    group = n_heads // n_kv_heads
    key, value = (t[:, :, None].expand(-1, -1, group, -1, -1).flatten(1, 2) for t in (key, value))
    return torch.einsum("bhqk,bhkd->bhqd", (query @ key.mT / key.shape[-1] ** 0.5).softmax(-1), value)

# %% shortcut: PyTorch's switch
def grouped_query_attention(query, key, value):
    if query.shape[1] % key.shape[1]:
        raise ValueError(f"{query.shape[1]} and {key.shape[1]}")
    return F.scaled_dot_product_attention(query, key, value, enable_gqa=True)

# %% shortcut: PyTorch's switch, in a dictionary
def grouped_query_attention(query, key, value):
    if query.shape[1] % key.shape[1]:
        raise ValueError(f"{query.shape[1]} and {key.shape[1]}")
    options = {"enable_gqa": query.shape[1] != key.shape[1]}
    return torch.nn.functional.scaled_dot_product_attention(query, key, value, **options)

# %% wrong: repeat -> "`repeat` and `expand` alternate instead"
- key, value = key.repeat_interleave(group, dim=1), value.repeat_interleave(group, dim=1)
+ key, value = key.repeat(1, group, 1, 1), value.repeat(1, group, 1, 1)

# %% wrong: only the values by repeat -> "`repeat` and `expand` alternate instead"
- key, value = key.repeat_interleave(group, dim=1), value.repeat_interleave(group, dim=1)
+ key, value = key.repeat_interleave(group, dim=1), value.repeat(1, group, 1, 1)

# %% wrong: only the keys by repeat -> "Its values are right"
- key, value = key.repeat_interleave(group, dim=1), value.repeat_interleave(group, dim=1)
+ key, value = key.repeat(1, group, 1, 1), value.repeat_interleave(group, dim=1)

# %% wrong: joined copies -> "`repeat` and `expand` alternate instead"
- key, value = key.repeat_interleave(group, dim=1), value.repeat_interleave(group, dim=1)
+ key, value = torch.cat([key] * group, dim=1), torch.cat([value] * group, dim=1)

# %% wrong: the first head for all -> "All of them read the first one"
- key, value = key.repeat_interleave(group, dim=1), value.repeat_interleave(group, dim=1)
+ key, value = key[:, :1], value[:, :1]

# %% wrong: the first key head for all -> "All of them read the first one. Its values are right"
- key, value = key.repeat_interleave(group, dim=1), value.repeat_interleave(group, dim=1)
+ key, value = key[:, :1], value.repeat_interleave(group, dim=1)

# %% wrong: averaged over the key-value heads -> "Is something averaged over the heads?"
- key, value = key.repeat_interleave(group, dim=1), value.repeat_interleave(group, dim=1)
+ key, value = key.mean(1, keepdim=True), value.mean(1, keepdim=True)

# %% wrong: only the keys averaged -> "Is a key head taken as it is"
- key, value = key.repeat_interleave(group, dim=1), value.repeat_interleave(group, dim=1)
+ key, value = key.mean(1, keepdim=True), value.repeat_interleave(group, dim=1)

# %% wrong: the query heads of a group averaged -> "There is one output per *query* head"
- key, value = key.repeat_interleave(group, dim=1), value.repeat_interleave(group, dim=1)
+ query = query.unflatten(1, (n_kv_heads, group)).mean(2)

# %% wrong: heads in reversed order -> "The heads come in reversed order"
- key, value = key.repeat_interleave(group, dim=1), value.repeat_interleave(group, dim=1)
+ key, value = (t.flip(1).repeat_interleave(group, dim=1) for t in (key, value))

# %% wrong: queries folded with the axes of a group exchanged -> "alternate instead"
def grouped_query_attention(query, key, value):
    if query.shape[1] % key.shape[1]:
        raise ValueError(f"{query.shape[1]} and {key.shape[1]}")
    grouped = query.unflatten(1, (-1, key.shape[1]))
    scores = grouped @ key[:, None].mT / key.shape[-1] ** 0.5
    return (scores.softmax(-1) @ value[:, None]).flatten(1, 2)

# %% wrong: groups put back in another order -> "read the values of the heads"
def grouped_query_attention(query, key, value):
    if query.shape[1] % key.shape[1]:
        raise ValueError(f"{query.shape[1]} and {key.shape[1]}")
    grouped = query.unflatten(1, (key.shape[1], -1))
    scores = grouped @ key[:, :, None].mT / key.shape[-1] ** 0.5
    return (scores.softmax(-1) @ value[:, :, None]).transpose(1, 2).flatten(1, 2)

# %% wrong: groups left apart -> "Are the groups put back into one axis of heads?"
def grouped_query_attention(query, key, value):
    if query.shape[1] % key.shape[1]:
        raise ValueError(f"{query.shape[1]} and {key.shape[1]}")
    grouped = query.unflatten(1, (key.shape[1], -1))
    scores = grouped @ key[:, :, None].mT / key.shape[-1] ** 0.5
    return scores.softmax(-1) @ value[:, :, None]

# %% wrong: repeated along the words -> "Is each key-value head there for several query heads"
- key, value = key.repeat_interleave(group, dim=1), value.repeat_interleave(group, dim=1)
+ key, value = key.repeat_interleave(group, dim=2), value.repeat_interleave(group, dim=2)

# %% wrong: repeated by the number of key-value heads -> "Is each key-value head there for several query heads"
- group = n_heads // n_kv_heads
+ group = n_kv_heads

# %% wrong: groups of two -> "Is each key-value head there for several query heads"
- group = n_heads // n_kv_heads
+ group = 2

# %% wrong: groups of three -> "Is each key-value head there for several query heads"
- group = n_heads // n_kv_heads
+ group = 3

# %% wrong: not repeated at all -> "Is each key-value head there for several query heads"
- key, value = key.repeat_interleave(group, dim=1), value.repeat_interleave(group, dim=1)

# %% wrong: not scaled -> "They are not divided"
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT

# %% wrong: divided by d_k -> "They are divided by d_k"
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT / key.shape[-1]

# %% wrong: divided by the root of the group -> "d_k is the last size of query and key"
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT / group**0.5

# %% wrong: softmax over the queries -> "The weights sum to 1 over the queries"
- return scores.softmax(-1) @ value
+ return scores.softmax(-2) @ value

# %% wrong: softmax over the heads -> "over the heads (axis 1)"
- return scores.softmax(-1) @ value
+ return scores.softmax(1) @ value

# %% wrong: no softmax -> "Is there a softmax"
- return scores.softmax(-1) @ value
+ return scores @ value

# %% wrong: the weights alone -> "These are the weights"
- return scores.softmax(-1) @ value
+ return scores.softmax(-1)

# %% wrong: causal -> "expected all weights above 0"
- return scores.softmax(-1) @ value
+ later = torch.ones(scores.shape[-2:]).triu(1 + scores.shape[-1] - scores.shape[-2]) > 0
+ return scores.masked_fill(later, -torch.inf).softmax(-1) @ value

# %% wrong: exp without the largest -> "Is the largest score of a row subtracted before exp"
- return scores.softmax(-1) @ value
+ power = scores.exp()
+ return power / power.sum(-1, keepdim=True) @ value

# %% wrong: a single shared head refused -> "4 query heads, 1 key-value heads"
- group = n_heads // n_kv_heads
+ group = n_heads // n_kv_heads
+ if n_kv_heads < 2:
+     raise ValueError("one head is too few")

# %% wrong: the guard deleted -> "expected a ValueError"
- if n_heads % n_kv_heads:
-     raise ValueError(f"{n_heads} query heads are not divisible by {n_kv_heads} key-value heads")

# %% wrong: the key changed in place -> "changed one of its arguments in place"
- group = n_heads // n_kv_heads
+ key /= 1.5
+ group = n_heads // n_kv_heads

# %% wrong: float32 inside -> "give a result of torch.float32"
- group = n_heads // n_kv_heads
+ query, key, value = query.float(), key.float(), value.float()
+ group = n_heads // n_kv_heads

# %% wrong: keys detached -> "No gradient reaches key"
- group = n_heads // n_kv_heads
+ key = key.detach()
+ group = n_heads // n_kv_heads

# %% wrong: the first sentence's keys for all -> "Is a key head taken as it is"
- group = n_heads // n_kv_heads
+ key = key[:1].expand(key.shape)
+ group = n_heads // n_kv_heads

# %% wrong: the queries averaged over their group -> "or are the queries of a group averaged?"
- key, value = key.repeat_interleave(group, dim=1), value.repeat_interleave(group, dim=1)
+ query = query.unflatten(1, (n_kv_heads, group)).mean(2).repeat_interleave(group, dim=1)
+ key, value = key.repeat_interleave(group, dim=1), value.repeat_interleave(group, dim=1)

# %% right: a softmax in float32 on the way
def grouped_query_attention(query, key, value):
    if query.shape[1] % key.shape[1]:
        raise ValueError(f"{query.shape[1]} query heads, {key.shape[1]} key-value heads")
    key, value = (t.repeat_interleave(query.shape[1] // key.shape[1], dim=1) for t in (key, value))
    scores = query @ key.mT / query.shape[-1] ** 0.5
    return scores.softmax(-1, dtype=torch.float32).to(query.dtype) @ value
# %% right: queries of a group as more rows
def grouped_query_attention(query, key, value):
    n_heads, n_kv_heads = query.shape[1], key.shape[1]
    if n_heads % n_kv_heads:
        raise ValueError(f"{n_heads} query heads are not divisible by {n_kv_heads} key-value heads")
    batch, _, rows, width = query.shape
    together = query.reshape(batch, n_kv_heads, -1, width)
    weights = torch.softmax(together @ key.mT / math.sqrt(width), -1)
    return (weights @ value).reshape(batch, n_heads, rows, -1)
# %% wrong of "queries of a group as more rows": the heads of a group are mixed up -> "or are the queries of a group averaged?"
- return (weights @ value).reshape(batch, n_heads, rows, -1)
+ return (weights @ value).reshape(batch, n_kv_heads, rows, -1, value.shape[-1]).transpose(2, 3).reshape(batch, n_heads, rows, -1)

# %% wrong: repeat_interleave without dim -> "Are words, heads or columns of the values mixed?"
- key, value = key.repeat_interleave(group, dim=1), value.repeat_interleave(group, dim=1)
+ shape = key.shape[0], n_heads, key.shape[2], -1
+ key, value = (t.repeat_interleave(group).view(shape) for t in (key, value))
# %% wrong: repeated along the words -> "Is it the words, axis 2, that are repeated?"
- key, value = key.repeat_interleave(group, dim=1), value.repeat_interleave(group, dim=1)
+ shape = key.shape[0], n_heads, key.shape[2], -1
+ key, value = (t.repeat_interleave(group, dim=2).reshape(shape) for t in (key, value))
