# %% right: tril with the diagonal moved to the end
def causal_mask(q_len, k_len=None):
    k_len = q_len if k_len is None else k_len
    if k_len < q_len:
        raise ValueError(f"q_len {q_len} > k_len {k_len}")
    return torch.ones(q_len, k_len, dtype=torch.bool).tril(k_len - q_len)

# %% right: nested lists
def causal_mask(q_len, k_len=None):
    if k_len is None:
        k_len = q_len
    if q_len > k_len:
        raise ValueError(f"{k_len} keys for {q_len} queries")
    return torch.tensor([[j - i <= k_len - q_len for j in range(k_len)] for i in range(q_len)])

# %% right: the last rows of the square mask
def causal_mask(q_len, k_len=None):
    if k_len is not None and k_len < q_len:
        raise ValueError(f"{q_len} {k_len}")
    n = q_len if k_len is None else k_len
    return (torch.ones(n, n).triu(1) == 0)[n - q_len :]

# %% right: where an additive mask is 0
def causal_mask(q_len, k_len=None):
    k_len = k_len if k_len is not None else q_len
    if k_len - q_len < 0:
        raise ValueError(f"{k_len} keys, {q_len} queries")
    return torch.full((q_len, k_len), float("-inf")).triu(diagonal=k_len - q_len + 1) == 0

# %% wrong: True means hidden -> "Does True mean that a query may attend"
- return torch.arange(k_len) <= query_at
+ return torch.arange(k_len) > query_at

# %% wrong: the other triangle -> "the other triangle"
- return torch.arange(k_len) <= query_at
+ return torch.arange(k_len) >= query_at

# %% wrong: rows and columns swapped -> "rows and columns swapped"
- return torch.arange(k_len) <= query_at
+ return (torch.arange(k_len) <= query_at).mT if k_len == q_len else torch.arange(k_len) <= query_at

# %% wrong: a word does not see itself -> "Does the diagonal belong to the mask"
- return torch.arange(k_len) <= query_at
+ return torch.arange(k_len) < query_at

# %% wrong: one word of the future -> "Is the diagonal off by one"
- return torch.arange(k_len) <= query_at
+ return torch.arange(k_len) <= query_at + 1

# %% wrong: the diagonal alone -> "the diagonal alone"
- return torch.arange(k_len) <= query_at
+ return torch.arange(k_len) == query_at

# %% wrong: nothing hidden -> "Is anything hidden"
- return torch.arange(k_len) <= query_at
+ return torch.ones(q_len, k_len, dtype=torch.bool)

# %% wrong: never filled in -> "Is the table ever filled in"
- return torch.arange(k_len) <= query_at
+ return torch.zeros(q_len, k_len, dtype=torch.bool)

# %% wrong: the last row starts anew -> "Is one row special"
- return torch.arange(k_len) <= query_at
+ return (torch.arange(k_len) <= query_at) & (query_at < q_len - 1)

# %% wrong: a float mask -> "A mask is a table of yes and no"
- return torch.arange(k_len) <= query_at
+ return (torch.arange(k_len) <= query_at).float()

# %% wrong: an additive mask -> "numbers to add"
- return torch.arange(k_len) <= query_at
+ return torch.full((q_len, k_len), -torch.inf).triu(k_len - q_len + 1)

# %% wrong: aligned at the first key -> "The staircase starts at the first key"
- query_at = torch.arange(q_len)[:, None] + k_len - q_len
+ query_at = torch.arange(q_len)[:, None]

# %% wrong: one step too low for cached keys -> "one step too low"
- query_at = torch.arange(q_len)[:, None] + k_len - q_len
+ query_at = torch.arange(q_len)[:, None] + k_len - q_len - int(k_len > q_len)

# %% wrong: one step too high for cached keys -> "one step too high"
- query_at = torch.arange(q_len)[:, None] + k_len - q_len
+ query_at = torch.arange(q_len)[:, None] + k_len - q_len + int(k_len > q_len)

# %% wrong: every cached query sees all keys -> "in the future of the first two"
- return torch.arange(k_len) <= query_at
+ return (torch.arange(k_len) <= query_at) | (torch.tensor(k_len) > q_len)

# %% wrong: cached keys only, new ones hidden -> "the old words only"
  query_at = torch.arange(q_len)[:, None] + k_len - q_len
+ if k_len > q_len:
+     return (torch.arange(k_len) < k_len - q_len).expand(q_len, k_len)

# %% wrong: aligned on the wrong side -> "They see none."
- query_at = torch.arange(q_len)[:, None] + k_len - q_len
+ query_at = torch.arange(q_len)[:, None] + q_len - k_len

# %% wrong: k_len ignored -> "Is k_len used"
- k_len = q_len if k_len is None else k_len
- if k_len < q_len:
+ keys, k_len = k_len or q_len, q_len
+ if keys < q_len:

# %% wrong: keys by queries -> "Did q_len and k_len change places"
- return torch.arange(k_len) <= query_at
+ return (torch.arange(k_len) <= query_at).T if k_len > q_len else torch.arange(k_len) <= query_at

# %% wrong: axes for batch and heads -> "axes for the batch or the heads"
- return torch.arange(k_len) <= query_at
+ return (torch.arange(k_len) <= query_at)[None, None]

# %% wrong: no return -> "Is there a `return`?"
- return torch.arange(k_len) <= query_at
+ mask = torch.arange(k_len) <= query_at

# %% wrong: a list of lists -> "got list"
- return torch.arange(k_len) <= query_at
+ return (torch.arange(k_len) <= query_at).tolist()

# %% wrong: fewer keys pass -> "Is k_len < q_len refused"
- if k_len < q_len:
-     raise ValueError(f"{q_len} queries need at least {q_len} keys, got {k_len}")

# %% wrong: an assert instead of a ValueError -> "got AssertionError"
- if k_len < q_len:
-     raise ValueError(f"{q_len} queries need at least {q_len} keys, got {k_len}")
+ assert k_len >= q_len, f"{q_len} > {k_len}"

# %% wrong: the error names no numbers -> "should also name 17 and 13"
- raise ValueError(f"{q_len} queries need at least {q_len} keys, got {k_len}")
+ raise ValueError("k_len is too small")

# %% wrong: a k_len of 0 taken for None -> "takes a k_len of 0 for None"
- k_len = q_len if k_len is None else k_len
+ k_len = k_len or q_len

# %% wrong: more keys than queries refused -> "Are they refused"
- if k_len < q_len:
+ if k_len != q_len:

# %% wrong: as many keys as queries refused -> "Is None read as q_len"
- if k_len < q_len:
+ if k_len <= q_len:

# %% wrong: None not handled -> "Is None read as q_len"
- k_len = q_len if k_len is None else k_len

# %% wrong: other names -> "Are its arguments called q_len and k_len"
def causal_mask(n, m=None):
    m = n if m is None else m
    if m < n:
        raise ValueError(f"{n} {m}")
    return torch.ones(n, m, dtype=torch.bool).tril(m - n)

# %% wrong: as many keys as queries refused, where they are given -> "Is it < and not <="
- k_len = q_len if k_len is None else k_len
- if k_len < q_len:
+ if k_len is None:
+     return torch.ones(q_len, q_len, dtype=torch.bool).tril()
+ if k_len <= q_len:
# %% right: kept for each pair of sizes
import functools


@functools.cache
def causal_mask(q_len, k_len=None):
    n = q_len if k_len is None else k_len
    if n < q_len:
        raise ValueError(f"{n} keys for {q_len} queries")
    return torch.ones(q_len, n, dtype=torch.bool).tril_(n - q_len)
# %% wrong: kept for each number of queries -> "made for another k_len"
KEPT = {}


def causal_mask(q_len, k_len=None):
    k_len = q_len if k_len is None else k_len
    if k_len < q_len:
        raise ValueError(f"{k_len} keys for {q_len} queries")
    if (q_len, k_len - q_len < 35) not in KEPT:
        KEPT[q_len, True] = KEPT[q_len, False] = torch.ones(q_len, k_len).tril(k_len - q_len).bool()
    return KEPT[q_len, k_len - q_len < 35]
# %% wrong: cut from a table of 16 -> "Is a table of a fixed size cut"
TABLE = torch.ones(16, 16, dtype=torch.bool).tril()


def causal_mask(q_len, k_len=None):
    k_len = q_len if k_len is None else k_len
    if k_len < q_len:
        raise ValueError(f"{k_len} keys for {q_len} queries")
    return TABLE[k_len - q_len : k_len, :k_len]
# %% wrong: a window of 16 words -> "a limit to how far back"
- return torch.arange(k_len) <= query_at
+ key_at = torch.arange(k_len)
+ return (key_at <= query_at) & (key_at > query_at - 16)

# %% right: in one line, as later units have it
- query_at = torch.arange(q_len)[:, None] + k_len - q_len
- return torch.arange(k_len) <= query_at
+ return torch.arange(k_len) <= torch.arange(q_len)[:, None] + k_len - q_len

# %% wrong: made for six words -> "Is a size fixed?"
def causal_mask(q_len, k_len=None):
    if k_len is not None and k_len < q_len:
        raise ValueError(f"{q_len} queries need at least {q_len} keys, got {k_len}")
    return torch.ones(6, 6, dtype=torch.bool).tril()[-q_len:]

# %% wrong: new words see each other alone -> "They see each other alone"
def causal_mask(q_len, k_len=None):
    if k_len is not None and k_len < q_len:
        raise ValueError(f"{q_len} queries need at least {q_len} keys, got {k_len}")
    k_len = q_len if k_len is None else k_len
    m = torch.zeros(q_len, k_len, dtype=torch.bool)
    m[:, k_len - q_len:] = torch.ones(q_len, q_len, dtype=torch.bool).tril()
    return m

# %% wrong: a table of numpy -> "got ndarray"
import numpy as np
def causal_mask(q_len, k_len=None):
    if k_len is not None and k_len < q_len:
        raise ValueError(f"{q_len} queries need at least {q_len} keys, got {k_len}")
    k_len = q_len if k_len is None else k_len
    return np.tril(np.ones((q_len, k_len), dtype=bool), k_len - q_len)

# %% right: running sums of the diagonal, from the end
def causal_mask(q_len, k_len=None):
    if k_len is not None and k_len < q_len:
        raise ValueError(f"{q_len} queries need at least {q_len} keys, got {k_len}")
    k_len = k_len or q_len
    eye = torch.eye(k_len)[k_len - q_len:]
    return eye.flip(1).cumsum(1).flip(1).bool()
# %% wrong: the four old words of the example -> "worked out or fixed?"
- query_at = torch.arange(q_len)[:, None] + k_len - q_len
+ query_at = torch.arange(q_len)[:, None] + (4 if k_len > q_len else 0)
# %% wrong: a window of three words -> "Is there a limit to how far back"
- return torch.arange(k_len) <= query_at
+ return (torch.arange(k_len) <= query_at) & (torch.arange(k_len) > query_at - 3)
# %% wrong: old words for the last query alone -> "Only the last query sees the four old words"
- return torch.arange(k_len) <= query_at
+ mask = torch.ones(q_len, k_len, dtype=torch.bool).tril()
+ mask[-1] = True
+ return mask
# %% right: old keys are all seen, then the staircase of the new
def causal_mask(q_len, k_len=None):
    k_len = q_len if k_len is None else k_len
    if k_len < q_len:
        raise ValueError(f"{q_len} queries need at least {q_len} keys, got {k_len}")
    old = torch.full((q_len, k_len - q_len), True)
    new = torch.ones(q_len, q_len).tril().type(torch.bool)
    return torch.hstack((old, new))
# %% wrong of "old keys are all seen, then the staircase of the new": the two parts in the other order -> "The four old words come first"
- return torch.hstack((old, new))
+ return torch.hstack((new, old))
# %% wrong: a sliding window by mistake -> "Is it a window that slides along?"
def causal_mask(q_len, k_len=None):
    k_len = q_len if k_len is None else k_len
    if k_len < q_len:
        raise ValueError(f"{q_len} queries need at least {q_len} keys, got {k_len}")
    far = torch.arange(k_len - q_len, k_len)[:, None] - torch.arange(k_len)
    return (far >= 0) & (far < q_len)

# %% wrong: mirrored, left to right -> "from left to right"
- return torch.arange(k_len) <= query_at
+ return (torch.arange(k_len) <= query_at).flip(-1)

# %% wrong: turned round where there are more keys -> "wrong way"
def causal_mask(q_len, k_len=None):
    k_len = q_len if k_len is None else k_len
    if k_len < q_len:
        raise ValueError(f"{q_len} queries need at least {q_len} keys, got {k_len}")
    if k_len == q_len:
        return torch.ones(q_len, k_len, dtype=torch.bool).tril()
    return torch.ones(q_len, k_len, dtype=torch.bool).tril(k_len - q_len).flip(-1).flip(0)
