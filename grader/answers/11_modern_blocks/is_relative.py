# %% right: every pair against the first of its distance
def is_relative(encode, query, key):
    at = torch.arange(64)
    q = encode(query.repeat(64, 1), at)
    k = encode(key.repeat(64, 1), at)
    scores = torch.einsum("md,nd->mn", q, k)
    first = {}
    for m in range(64):
        for n in range(64):
            if abs(scores[m, n].item() - first.setdefault(m - n, scores[m, n].item())) > 1e-3:
                return False
    return True

# %% right: a table shifted by one
def is_relative(encode, query, key):
    at = torch.arange(64)
    scores = encode(query[None].expand(64, -1), at) @ encode(key[None].expand(64, -1), at).mT
    return all(
        bool((scores[s:, s:] - scores[:-s, :-s]).abs().max() < 1e-3) for s in range(1, 64)
    )

# %% right: the spread of each distance, without gradients
@torch.no_grad()
def is_relative(encode, query, key):
    at = torch.arange(64)
    ours, theirs = (encode(v.expand(64, len(v)), at) for v in (query, key))
    table = (ours @ theirs.T).double()
    spread = [table.diagonal(d) for d in range(-63, 64)]
    return max((row - row.mean()).abs().max().item() for row in spread) < 1e-3

# %% right: one row at a time
def is_relative(encode, query, key):
    def at(vector, place):
        return encode(vector[None], torch.tensor([place]))[0]

    qs = [at(query, m) for m in range(64)]
    ks = [at(key, n) for n in range(64)]
    for distance in range(-63, 64):
        scores = [float(qs[m] @ ks[m - distance]) for m in range(64) if 0 <= m - distance < 64]
        if max(scores) - min(scores) >= 1e-3:
            return False
    return True

# %% right: torch.allclose with the right tolerance
def is_relative(encode, query, key):
    at = torch.arange(64)
    table = encode(query.expand(64, -1), at) @ encode(key.expand(64, -1), at).T
    return all(
        torch.allclose(d, d[:1].expand_as(d), rtol=0, atol=1e-3) for d in map(table.diagonal, range(-63, 64))
    )

# %% wrong: turned round -> "Is the answer inverted?"
- for distance in range(-63, 64):
-     same = scores.diagonal(distance)  # all pairs at this distance
-     if same.max() - same.min() > 1e-3:
-         return False
- return True
+ rows = map(scores.diagonal, range(-63, 64))
+ return any(bool(same.max() - same.min() > 1e-3) for same in rows)

# %% wrong: distance 0 only -> "Is only the distance 0 compared"
- for distance in range(-63, 64):
+ for distance in (0,):

# %% wrong: one pair only -> "one distance agrees"
- for distance in range(-63, 64):
-     same = scores.diagonal(distance)  # all pairs at this distance
-     if same.max() - same.min() > 1e-3:
-         return False
- return True
+ return bool((scores[0, 0] - scores[0, 0]).abs() < 1e-3)

# %% wrong: one shift by one -> "Are all positions from 0 to 63 tried?"
- for distance in range(-63, 64):
-     same = scores.diagonal(distance)  # all pairs at this distance
-     if same.max() - same.min() > 1e-3:
-         return False
- return True
+ return bool((scores[3, 1] - scores[4, 2]).abs() < 1e-3)

# %% wrong: the first 16 positions -> "Are all positions from 0 to 63 tried?"
- at = torch.arange(64)
+ at = torch.arange(16)

- scores = encode(query.expand(64, -1), at) @ encode(key.expand(64, -1), at).T  # (m, n)
- for distance in range(-63, 64):
+ scores = encode(query.expand(16, -1), at) @ encode(key.expand(16, -1), at).T
+ for distance in range(-15, 16):

# %% wrong: up to 62 -> "Is 63 among them?"
- at = torch.arange(64)
+ at = torch.arange(63)

- scores = encode(query.expand(64, -1), at) @ encode(key.expand(64, -1), at).T  # (m, n)
- for distance in range(-63, 64):
+ scores = encode(query.expand(63, -1), at) @ encode(key.expand(63, -1), at).T
+ for distance in range(-62, 63):

# %% wrong: from 1 on -> "Is position 0 among them?"
- scores = encode(query.expand(64, -1), at) @ encode(key.expand(64, -1), at).T  # (m, n)
- for distance in range(-63, 64):
+ scores = (encode(query.expand(64, -1), at) @ encode(key.expand(64, -1), at).T)[1:, 1:]
+ for distance in range(-62, 63):

# %% wrong: every fifth position -> "everywhere but at 37"
- at = torch.arange(64)
+ at = torch.tensor([*range(0, 61, 5), 61, 62, 63])

- scores = encode(query.expand(64, -1), at) @ encode(key.expand(64, -1), at).T  # (m, n)
- for distance in range(-63, 64):
-     same = scores.diagonal(distance)  # all pairs at this distance
-     if same.max() - same.min() > 1e-3:
-         return False
- return True
+ scores = encode(query.expand(16, -1), at) @ encode(key.expand(16, -1), at).T
+ gap = at[:, None] - at
+ return all(bool(scores[gap == g].max() - scores[gap == g].min() < 1e-3) for g in gap.unique())

# %% wrong: symmetry demanded -> "Are the two taken together?"
- for distance in range(-63, 64):
-     same = scores.diagonal(distance)  # all pairs at this distance
+ for distance in range(0, 64):
+     same = torch.cat([scores.diagonal(distance), scores.diagonal(-distance)])

# %% wrong: lengths only -> "or only the lengths"
- for distance in range(-63, 64):
-     same = scores.diagonal(distance)  # all pairs at this distance
-     if same.max() - same.min() > 1e-3:
-         return False
- return True
+ lengths = encode(query.expand(64, -1), at).norm(dim=-1)
+ return bool(lengths.max() - lengths.min() < 1e-3)

# %% wrong: exact equality -> "Are scores compared exactly"
- if same.max() - same.min() > 1e-3:
+ if not torch.equal(same, same[:1].expand_as(same)):

# %% wrong: allclose's own tolerance -> "Differences below 1e-3 are rounding"
- if same.max() - same.min() > 1e-3:
+ if not torch.allclose(same, same[:1].expand_as(same), rtol=1e-6):

# %% wrong: a tolerance of a tenth -> "Is the tolerance 1e-3, and absolute?"
- if same.max() - same.min() > 1e-3:
+ if same.max() - same.min() > 0.1:

# %% wrong: a share of the score -> "Is the tolerance 1e-3, and absolute?"
- if same.max() - same.min() > 1e-3:
+ if same.max() - same.min() > 0.02 * same.abs().max():

# %% wrong: the query for both -> "encode was never called with the key"
- scores = encode(query.expand(64, -1), at) @ encode(key.expand(64, -1), at).T  # (m, n)
+ scores = encode(query.expand(64, -1), at) @ encode(query.expand(64, -1), at).T

# %% wrong: the key for both -> "encode was never called with the query"
- scores = encode(query.expand(64, -1), at) @ encode(key.expand(64, -1), at).T  # (m, n)
+ scores = encode(key.expand(64, -1), at) @ encode(key.expand(64, -1), at).T

# %% wrong: the key not encoded -> "encode was never called with the key"
- scores = encode(query.expand(64, -1), at) @ encode(key.expand(64, -1), at).T  # (m, n)
+ scores = encode(query.expand(64, -1), at) @ key.expand(64, -1).T

# %% wrong: rows instead of diagonals -> "Scores of one row or column are compared"
- same = scores.diagonal(distance)  # all pairs at this distance
+ same = scores[distance]

# %% wrong: the other diagonals -> "Pairs with the same sum m + n"
- scores = encode(query.expand(64, -1), at) @ encode(key.expand(64, -1), at).T  # (m, n)
+ scores = (encode(query.expand(64, -1), at) @ encode(key.expand(64, -1), at).T).flip(0)

# %% wrong: any distance is enough -> "Does `return True` come before all are tried?"
- if same.max() - same.min() > 1e-3:
-     return False
- return True
+ if same.max() - same.min() < 1e-3:
+     return True
+ return False

# %% wrong: without a sign -> "without its sign (abs)?"
- if same.max() - same.min() > 1e-3:
+ if (same - same[0]).max() > 1e-3:

# %% wrong: with the other sign -> "Positions turned, added, multiplied in"
- if same.max() - same.min() > 1e-3:
+ if (same[0] - same).max() > 1e-3:

# %% wrong: a tensor -> "Expected True or False"
- for distance in range(-63, 64):
-     same = scores.diagonal(distance)  # all pairs at this distance
-     if same.max() - same.min() > 1e-3:
-         return False
- return True
+ spread = torch.stack([s.max() - s.min() for s in map(scores.diagonal, range(-63, 64))])
+ return (spread < 1e-3).all()

# %% wrong: no answer at the end -> "Is there a `return` on every way out?"
- return True

# %% wrong: a row without an axis -> "encode was called on"
- scores = encode(query.expand(64, -1), at) @ encode(key.expand(64, -1), at).T  # (m, n)
+ q = torch.stack([encode(query, m) for m in at])
+ k = torch.stack([encode(key, m) for m in at])
+ scores = q @ k.T

# %% wrong: positions in a column -> "encode was called on"
- at = torch.arange(64)
+ at = torch.arange(64)[:, None]

# %% wrong: always True -> "Positions turned, added, multiplied in"
- same = scores.diagonal(distance)  # all pairs at this distance
- if same.max() - same.min() > 1e-3:
-     return False
+ scores = scores + 0

# %% wrong: another argument name -> "Are its arguments encode, query and key?"
- def is_relative(encode, query, key):
+ def is_relative(turn, query, key):

- scores = encode(query.expand(64, -1), at) @ encode(key.expand(64, -1), at).T  # (m, n)
+ scores = turn(query.expand(64, -1), at) @ turn(key.expand(64, -1), at).T

# %% wrong: the key at or before the query alone -> "only where the key comes after the query"
- for distance in range(-63, 64):
+ for distance in range(-63, 1):

# %% wrong: the key at or after the query alone -> "only where the key comes before the query"
- for distance in range(-63, 64):
+ for distance in range(0, 64):

# %% wrong: two rows compared -> "Scores of one row or column are compared"
- for distance in range(-63, 64):
-     same = scores.diagonal(distance)  # all pairs at this distance
-     if same.max() - same.min() > 1e-3:
-         return False
- return True
+ return bool((scores[0] - scores[1]).abs().max() < 1e-3)

# %% wrong: a random query -> "neither query nor key"
- scores = encode(query.expand(64, -1), at) @ encode(key.expand(64, -1), at).T  # (m, n)
+ scores = encode(torch.randn(64, len(query)), at) @ encode(key.expand(64, -1), at).T

# %% wrong: the table and its transpose -> "m − n and n − m are two distances"
- for distance in range(-63, 64):
-     same = scores.diagonal(distance)  # all pairs at this distance
-     if same.max() - same.min() > 1e-3:
-         return False
- return True
+ return bool((scores - scores.T).abs().max() < 1e-3)
# %% right: grouped by distance
def is_relative(encode, query, key):
    at = torch.arange(64)
    scores = (encode(query[None].expand(64, -1), at) @ encode(key[None].expand(64, -1), at).T).tolist()
    seen = {}
    for m in range(64):
        for n in range(64):
            seen.setdefault(m - n, []).append(scores[m][n])
    return all(max(group) - min(group) < 1e-3 for group in seen.values())
# %% wrong of "grouped by distance": any group will do -> "Is it enough that one distance agrees?"
- return all(max(group) - min(group) < 1e-3 for group in seen.values())
+ return any(max(group) - min(group) < 1e-3 for group in seen.values())

# %% wrong: differences with their sign -> "Is a difference taken without its sign"
- if same.max() - same.min() > 1e-3:
+ if (same[0] - same).max() > 1e-3:

# %% wrong: the key is not encoded -> "encode was never called with the key"
- scores = encode(query.expand(64, -1), at) @ encode(key.expand(64, -1), at).T
+ scores = encode(query.expand(64, -1), at) @ key.expand(64, -1).T

# %% wrong: the ends of each diagonal alone -> "each in all its pairs"
- if same.max() - same.min() > 1e-3:
+ if (same[0] - same[-1]).abs() > 1e-3:

# %% wrong: only the first two pairs of each diagonal -> "in one pair"
- same = scores.diagonal(distance)
+ same = scores.diagonal(distance)[:2]

# %% wrong: a query and key of ones instead of those given -> "neither query nor key"
- at = torch.arange(64)
+ query, key = torch.ones_like(query), torch.ones_like(key)
+ at = torch.arange(64)

# %% wrong: one number for the whole table -> "Are scores of different distances compared?"
- for distance in range(-63, 64):
-     same = scores.diagonal(distance)  # all pairs at this distance
-     if same.max() - same.min() > 1e-3:
-         return False
- return True
+ return bool(scores.max() - scores.min() < 1e-3)

# %% wrong: only neighbours on a diagonal are compared -> "not neighbours alone"
def is_relative(encode, query, key):
    at = torch.arange(64)
    scores = encode(query.expand(64, -1), at) @ encode(key.expand(64, -1), at).T
    return bool(((scores[1:, 1:] - scores[:-1, :-1]).abs() < 1e-3).all())
