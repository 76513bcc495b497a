# %% right: an order of rows
def halves_to_pairs(weight, n_heads):
    rows = len(weight)
    if rows % n_heads or rows // n_heads % 2:
        raise ValueError(f"{rows} rows, {n_heads} heads")
    d_head = rows // n_heads
    order = []
    for head in range(n_heads):
        for i in range(d_head // 2):
            order += [head * d_head + i, head * d_head + d_head // 2 + i]
    return weight[order]

# %% right: stacked halves
def halves_to_pairs(weight, n_heads):
    if weight.shape[0] % (2 * n_heads) != 0:
        raise ValueError(f"{weight.shape[0]} rows for {n_heads}")
    heads = weight.reshape(n_heads, -1, *weight.shape[1:])
    first, second = heads.chunk(2, dim=1)
    return torch.stack([first, second], dim=2).reshape(weight.shape)

# %% right: head by head, joined
def halves_to_pairs(weight, n_heads):
    if weight.size(0) % n_heads or (weight.size(0) // n_heads) % 2:
        raise ValueError(f"{weight.size(0)} / {n_heads}")
    done = []
    for head in weight.chunk(n_heads):
        half = len(head) // 2
        done += [row for pair in zip(head[:half], head[half:]) for row in pair]
    return torch.stack(done)

# %% right: a permutation matrix
def halves_to_pairs(weight, n_heads):
    rows = weight.shape[0]
    if rows % (2 * n_heads):
        raise ValueError(f"{rows} {n_heads}")
    order = torch.arange(rows).view(n_heads, 2, -1).mT.flatten()
    return torch.tensordot(torch.eye(rows, dtype=weight.dtype)[order], weight, dims=1)

# %% right: written into an empty tensor
def halves_to_pairs(weight, n_heads):
    d_head, rest = divmod(weight.shape[0], n_heads)
    if rest or d_head % 2:
        raise ValueError(f"{weight.shape[0]} rows do not make {n_heads} heads")
    cut, out = weight.view(n_heads, d_head, -1), torch.zeros_like(weight).view(n_heads, d_head, -1)
    out[:, 0::2], out[:, 1::2] = cut[:, : d_head // 2], cut[:, d_head // 2 :]
    return out.view(weight.shape)

# %% wrong: the way back -> "That is the way back, from pairs to halves"
- heads = weight.unflatten(0, (n_heads, 2, -1))  # (n_heads, half, place, …)
+ heads = weight.unflatten(0, (n_heads, -1, 2))

# %% wrong: one head -> "All rows are taken as one head"
- heads = weight.unflatten(0, (n_heads, 2, -1))  # (n_heads, half, place, …)
+ heads = weight.unflatten(0, (1, 2, -1))

# %% wrong: one head, the way back -> "the way back, with all rows as one head"
- heads = weight.unflatten(0, (n_heads, 2, -1))  # (n_heads, half, place, …)
+ heads = weight.unflatten(0, (1, -1, 2))

# %% wrong: nothing moved -> "Nothing has moved"
- return heads.transpose(1, 2).flatten(0, 2)
+ return heads.flatten(0, 2)

# %% wrong: the second half first -> "The second half comes first in each pair"
- return heads.transpose(1, 2).flatten(0, 2)
+ return heads.flip(1).transpose(1, 2).flatten(0, 2)

# %% wrong: the halves exchanged -> "The halves of each head have changed places"
- return heads.transpose(1, 2).flatten(0, 2)
+ return heads.flip(1).flatten(0, 2)

# %% wrong: the heads reversed -> "The heads have changed places"
- return heads.transpose(1, 2).flatten(0, 2)
+ return heads.flip(0).transpose(1, 2).flatten(0, 2)

# %% wrong: the rows reversed -> "The rows of each head are reversed"
- return heads.transpose(1, 2).flatten(0, 2)
+ return heads.transpose(1, 2).flatten(1, 2).flip(1).flatten(0, 1)

# %% wrong: heads along the wrong axis -> "Heads and rows are mixed"
- heads = weight.unflatten(0, (n_heads, 2, -1))  # (n_heads, half, place, …)
+ heads = weight.unflatten(0, (-1, n_heads)).transpose(0, 1).unflatten(1, (2, -1))

# %% wrong: rows round the heads -> "The rows go round the heads"
- return heads.transpose(1, 2).flatten(0, 2)
+ return weight.unflatten(0, (-1, n_heads)).transpose(0, 1).flatten(0, 1)

# %% wrong: d_head heads of n_heads rows -> "The rows of the first head come in the order"
- heads = weight.unflatten(0, (n_heads, 2, -1))  # (n_heads, half, place, …)
- return heads.transpose(1, 2).flatten(0, 2)
+ return weight.unflatten(0, (-1, n_heads)).transpose(0, 1).flip(0).flatten(0, 1)

# %% wrong: the columns moved, too -> "Rows are moved as a whole"
- return heads.transpose(1, 2).flatten(0, 2)
+ done = heads.transpose(1, 2).flatten(0, 2)
+ return done * torch.arange(1.0, 1 + done.shape[-1]) if done.ndim > 1 else done

# %% wrong: the columns instead of the rows -> "Only the rows, axis 0, are cut"
- heads = weight.unflatten(0, (n_heads, 2, -1))  # (n_heads, half, place, …)
- return heads.transpose(1, 2).flatten(0, 2)
+ return weight.T.unflatten(0, (n_heads, 2, -1)).transpose(1, 2).flatten(0, 2).T

# %% wrong: a sign, as in rotate_half -> "A sign has changed"
- return heads.transpose(1, 2).flatten(0, 2)
+ heads = torch.stack([heads[:, 0], -heads[:, 1]], dim=1)
+ return heads.transpose(1, 2).flatten(0, 2)

# %% wrong: the pairs left apart -> "Are the pairs put back into one axis"
- return heads.transpose(1, 2).flatten(0, 2)
+ return heads.transpose(1, 2).flatten(0, 1)

# %% wrong: the heads left apart -> "Are the heads put back into one axis"
- return heads.transpose(1, 2).flatten(0, 2)
+ return heads.transpose(1, 2).flatten(1, 2)

# %% wrong: transposed -> "Is it transposed?"
- return heads.transpose(1, 2).flatten(0, 2)
+ done = heads.transpose(1, 2).flatten(0, 2)
+ return done.T if done.ndim == 2 and done.shape[0] != done.shape[1] else done

# %% wrong: a matrix demanded -> "Only the rows, axis 0, are cut"
- heads = weight.unflatten(0, (n_heads, 2, -1))  # (n_heads, half, place, …)
- return heads.transpose(1, 2).flatten(0, 2)
+ rows, columns = weight.shape
+ return weight.view(n_heads, 2, -1, columns).transpose(1, 2).reshape(rows, columns)

# %% wrong: always three heads -> "not in this order"
- heads = weight.unflatten(0, (n_heads, 2, -1))  # (n_heads, half, place, …)
+ n_heads = 3 if len(weight) % 6 == 0 else n_heads
+ heads = weight.unflatten(0, (n_heads, 2, -1))

# %% wrong: sorted in place -> "changed one of its arguments in place"
- return heads.transpose(1, 2).flatten(0, 2)
+ done = heads.transpose(1, 2).flatten(0, 2)
+ return done if weight.requires_grad else weight.copy_(done)

# %% wrong: the guard deleted -> "expected a ValueError"
- if weight.shape[0] % (2 * n_heads):
-     raise ValueError(f"{weight.shape[0]} rows are not {n_heads} heads of even width")

# %% wrong: odd heads let through -> "expected a ValueError"
- if weight.shape[0] % (2 * n_heads):
-     raise ValueError(f"{weight.shape[0]} rows are not {n_heads} heads of even width")
+ if weight.shape[0] % n_heads:
+     raise ValueError(f"{weight.shape[0]} rows are not {n_heads} heads of even width")
+ if weight.shape[0] // n_heads % 2:
+     return weight

# %% wrong: float32 out -> "give a result of torch.float32"
- return heads.transpose(1, 2).flatten(0, 2)
+ return heads.transpose(1, 2).flatten(0, 2).float()

# %% wrong: detached -> "No gradient reaches weight"
- return heads.transpose(1, 2).flatten(0, 2)
+ return heads.transpose(1, 2).flatten(0, 2).detach()

# %% wrong: another argument name -> "Are its arguments called weight and n_heads?"
def halves_to_pairs(w, n_heads):
    if w.shape[0] % (2 * n_heads):
        raise ValueError(f"{w.shape[0]} rows are not {n_heads} heads of even width")
    return w.unflatten(0, (n_heads, 2, -1)).transpose(1, 2).flatten(0, 2)
# %% right: by an index
def halves_to_pairs(weight, n_heads):
    if weight.shape[0] % (2 * n_heads):
        raise ValueError(f"{weight.shape[0]} rows are not {n_heads} heads of even width")
    d = len(weight) // n_heads
    order = [h * d + i + half * (d // 2) for h in range(n_heads) for i in range(d // 2) for half in (0, 1)]
    return weight[order]
# %% wrong of "by an index": a head is as wide as there are heads -> "Is a head rows / n_heads wide?"
- d = len(weight) // n_heads
- order = [h * d + i + half * (d // 2) for h in range(n_heads) for i in range(d // 2) for half in (0, 1)]
+ d = n_heads
+ order = [h * d + i + half * (d // 2) for h in range(len(weight) // d) for i in range(d // 2) for half in (0, 1)]

# %% wrong: a bias has no axis 1 -> "A bias has no other axis"
- heads = weight.unflatten(0, (n_heads, 2, -1))
- return heads.transpose(1, 2).flatten(0, 2)
+ heads = weight.reshape(n_heads, 2, -1, weight.shape[1])
+ return heads.transpose(1, 2).reshape(weight.shape)

# %% wrong: the axes of the rows are left apart -> "joined into one axis again"
- return heads.transpose(1, 2).flatten(0, 2)
+ return heads.transpose(1, 2)

# %% wrong: n_heads and d_head exchanged in the split -> "rows / n_heads wide"
- heads = weight.unflatten(0, (n_heads, 2, -1))
+ heads = weight.unflatten(0, (-1, 2, n_heads))

# %% wrong: heads and halves swapped -> "heads and halves have changed places"
- return heads.transpose(1, 2).flatten(0, 2)
+ return heads.transpose(0, 1).flatten(0, 2)
