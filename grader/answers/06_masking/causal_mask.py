# %% right: tril with the diagonal moved to the end
def causal_mask(q_len, k_len=None):
    k_len = k_len if k_len is not None else q_len
    if q_len > k_len:
        raise ValueError(f"expected k_len >= q_len, got q_len={q_len}, k_len={k_len}")
    return torch.tril(torch.ones(q_len, k_len, dtype=torch.bool), diagonal=k_len - q_len)
# %% right: loops
def causal_mask(q_len, k_len=None):
    if k_len is None:
        k_len = q_len
    if k_len < q_len:
        raise ValueError(f"{k_len} keys are too few for {q_len} queries")
    mask = torch.zeros(q_len, k_len, dtype=torch.bool)
    for i in range(q_len):
        for j in range(k_len):
            mask[i, j] = j - i <= k_len - q_len
    return mask
# %% right: the last rows of the square mask
def causal_mask(q_len, k_len=None):
    k_len = q_len if k_len is None else k_len
    if k_len < q_len:
        raise ValueError(f"q_len {q_len} > k_len {k_len}")
    return torch.ones(k_len, k_len).tril().bool()[k_len - q_len:]
# %% right: what triu leaves
def causal_mask(q_len, k_len=None):
    k_len = q_len if k_len is None else k_len
    if k_len < q_len:
        raise ValueError(f"{q_len} queries, only {k_len} keys")
    return torch.triu(torch.ones(q_len, k_len), k_len - q_len + 1) == 0
# %% wrong: True means hidden -> "should True mean that a query may attend"
def causal_mask(q_len, k_len=None):
    k_len = q_len if k_len is None else k_len
    if k_len < q_len:
        raise ValueError(f"{q_len} > {k_len}")
    return torch.ones(q_len, k_len, dtype=torch.bool).triu(k_len - q_len + 1)
# %% wrong: the other triangle -> "the other triangle"
def causal_mask(q_len, k_len=None):
    k_len = q_len if k_len is None else k_len
    return torch.ones(q_len, k_len, dtype=torch.bool).triu(k_len - q_len)
# %% wrong: rows and columns swapped -> "swapped"
def causal_mask(q_len, k_len=None):
    k_len = q_len if k_len is None else k_len
    return torch.arange(q_len)[:, None] + k_len - q_len <= torch.arange(k_len)
# %% wrong: a word does not see itself -> "does the diagonal belong to the mask"
def causal_mask(q_len, k_len=None):
    k_len = q_len if k_len is None else k_len
    return torch.arange(k_len) < torch.arange(q_len)[:, None] + k_len - q_len
# %% wrong: one word of the future -> "is the diagonal off by one"
def causal_mask(q_len, k_len=None):
    k_len = q_len if k_len is None else k_len
    return torch.ones(q_len, k_len, dtype=torch.bool).tril(1 + k_len - q_len)
# %% wrong: nothing hidden -> "is anything hidden"
def causal_mask(q_len, k_len=None):
    return torch.ones(q_len, k_len or q_len, dtype=torch.bool)
# %% wrong: a float mask -> "A table of yes and no"
def causal_mask(q_len, k_len=None):
    k_len = q_len if k_len is None else k_len
    return torch.ones(q_len, k_len).tril(k_len - q_len)
# %% wrong: an additive mask -> "numbers to add"
def causal_mask(q_len, k_len=None):
    k_len = q_len if k_len is None else k_len
    return torch.full((q_len, k_len), float("-inf")).triu(k_len - q_len + 1)
# %% wrong: aligned at the first key -> "aligned at its first key"
def causal_mask(q_len, k_len=None):
    k_len = q_len if k_len is None else k_len
    if k_len < q_len:
        raise ValueError(f"{q_len} > {k_len}")
    return torch.ones(q_len, k_len, dtype=torch.bool).tril()
# %% wrong: every cached query sees all keys -> "May the others see the new words"
def causal_mask(q_len, k_len=None):
    k_len = q_len if k_len is None else k_len
    if k_len > q_len:
        return torch.ones(q_len, k_len, dtype=torch.bool)
    return torch.ones(q_len, k_len, dtype=torch.bool).tril()
# %% wrong: cached keys only, new ones hidden -> "Where does query 0 stand"
def causal_mask(q_len, k_len=None):
    k_len = q_len if k_len is None else k_len
    if k_len == q_len:
        return torch.ones(q_len, k_len, dtype=torch.bool).tril()
    return (torch.arange(k_len) < k_len - q_len).expand(q_len, k_len)
# %% wrong: k_len ignored -> "Did q_len and k_len change places"
def causal_mask(q_len, k_len=None):
    return torch.ones(q_len, q_len, dtype=torch.bool).tril()
# %% wrong: keys by queries -> "Did q_len and k_len change places"
def causal_mask(q_len, k_len=None):
    k_len = q_len if k_len is None else k_len
    return torch.ones(q_len, k_len, dtype=torch.bool).tril(k_len - q_len) if k_len == q_len else torch.ones(k_len, q_len, dtype=torch.bool)
# %% wrong: axes for batch and heads -> "without batch or heads"
def causal_mask(q_len, k_len=None):
    k_len = q_len if k_len is None else k_len
    return torch.ones(1, 1, q_len, k_len, dtype=torch.bool).tril(k_len - q_len)
# %% wrong: no return -> "`return`"
def causal_mask(q_len, k_len=None):
    mask = torch.ones(q_len, q_len, dtype=torch.bool).tril()
# %% wrong: fewer keys pass -> "nothing was raised"
def causal_mask(q_len, k_len=None):
    k_len = q_len if k_len is None else k_len
    return torch.ones(q_len, k_len, dtype=torch.bool).tril(k_len - q_len)
# %% wrong: an assert instead of a ValueError -> "got AssertionError"
def causal_mask(q_len, k_len=None):
    k_len = q_len if k_len is None else k_len
    assert k_len >= q_len, f"{q_len} > {k_len}"
    return torch.ones(q_len, k_len, dtype=torch.bool).tril(k_len - q_len)
# %% wrong: the error names no numbers -> "should name both numbers"
def causal_mask(q_len, k_len=None):
    k_len = q_len if k_len is None else k_len
    if k_len < q_len:
        raise ValueError("k_len is too small")
    return torch.ones(q_len, k_len, dtype=torch.bool).tril(k_len - q_len)
# %% wrong: a k_len of 0 taken for None -> hidden: "Is a k_len of 0 taken for None?"
def causal_mask(q_len, k_len=None):
    k_len = k_len or q_len
    if k_len < q_len:
        raise ValueError(f"{q_len} > {k_len}")
    return torch.ones(q_len, k_len, dtype=torch.bool).tril(k_len - q_len)
# %% wrong: more keys than queries refused -> "Are only fewer keys than queries refused"
def causal_mask(q_len, k_len=None):
    k_len = q_len if k_len is None else k_len
    if k_len != q_len:
        raise ValueError(f"{q_len} queries, {k_len} keys")
    return torch.ones(q_len, k_len, dtype=torch.bool).tril()
# %% wrong: aligned on the wrong side -> "Where does query 0 stand"
def causal_mask(q_len, k_len=None):
    k_len = q_len if k_len is None else k_len
    return torch.ones(q_len, k_len, dtype=torch.bool).tril(q_len - k_len)
# %% wrong: a list of lists -> "Expected a tensor, got list"
def causal_mask(q_len, k_len=None):
    k_len = q_len if k_len is None else k_len
    return [[j <= i + k_len - q_len for j in range(k_len)] for i in range(q_len)]

# %% wrong: as many keys as queries refused -> "Are only fewer keys than queries refused"
def causal_mask(q_len, k_len=None):
    """Which keys each query may see: itself and all before it, the last query standing at the last key.

    Returns bool (q_len, k_len); k_len is q_len if not given. Raises ValueError where k_len < q_len.
    """
    ### BEGIN SOLUTION
    k_len = q_len if k_len is None else k_len
    if k_len <= q_len:
        raise ValueError(f"{q_len} queries need at least {q_len} keys, got {k_len}")
    query_at = torch.arange(q_len)[:, None] + k_len - q_len  # (q_len, 1)
    return torch.arange(k_len)[None, :] <= query_at  # (q_len, k_len)
    ### END SOLUTION

# %% wrong: None not handled -> "Is a k_len of None read as q_len"
def causal_mask(q_len, k_len=None):
    """Which keys each query may see: itself and all before it, the last query standing at the last key.

    Returns bool (q_len, k_len); k_len is q_len if not given. Raises ValueError where k_len < q_len.
    """
    ### BEGIN SOLUTION
    if k_len < q_len:
        raise ValueError(f"{q_len} queries need at least {q_len} keys, got {k_len}")
    query_at = torch.arange(q_len)[:, None] + k_len - q_len  # (q_len, 1)
    return torch.arange(k_len)[None, :] <= query_at  # (q_len, k_len)
    ### END SOLUTION

# %% wrong: a bare Exception -> "got Exception"
def causal_mask(q_len, k_len=None):
    """Which keys each query may see: itself and all before it, the last query standing at the last key.

    Returns bool (q_len, k_len); k_len is q_len if not given. Raises ValueError where k_len < q_len.
    """
    ### BEGIN SOLUTION
    k_len = q_len if k_len is None else k_len
    if k_len < q_len:
        raise Exception(f"{q_len} queries need at least {q_len} keys, got {k_len}")
    query_at = torch.arange(q_len)[:, None] + k_len - q_len  # (q_len, 1)
    return torch.arange(k_len)[None, :] <= query_at  # (q_len, k_len)
    ### END SOLUTION

# %% right: where an additive mask is 0
def causal_mask(q_len, k_len=None):
    k_len = k_len if k_len is not None else q_len
    if k_len - q_len < 0: raise ValueError(f'{k_len} keys, {q_len} queries')
    return torch.full((q_len, k_len), float('-inf')).triu(diagonal=k_len - q_len + 1) == 0
