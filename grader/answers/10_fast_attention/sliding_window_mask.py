# %% right: two triangles
def sliding_window_mask(q_len, window, k_len=None):
    k_len = q_len if k_len is None else k_len
    if window < 1 or k_len < q_len:
        raise ValueError(f"window {window}, {q_len} queries, {k_len} keys")
    full = torch.ones(q_len, k_len, dtype=torch.bool)
    return full.tril(k_len - q_len) & full.triu(k_len - q_len - window + 1)

# %% right: nested lists
def sliding_window_mask(q_len, window, k_len=None):
    if k_len is None:
        k_len = q_len
    if window <= 0:
        raise ValueError(f"the window is {window}")
    if k_len < q_len:
        raise ValueError(f"{q_len} > {k_len}")
    ahead = k_len - q_len
    rows = [[i + ahead - window < j <= i + ahead for j in range(k_len)] for i in range(q_len)]
    return torch.tensor(rows)

# %% right: written into a table of False, row by row
def sliding_window_mask(q_len, window, k_len=None):
    k_len = k_len or q_len
    if window < 1:
        raise ValueError(f"{window} < 1")
    if k_len < q_len:
        raise ValueError(f"{k_len} < {q_len}")
    mask = torch.zeros(q_len, k_len, dtype=torch.bool)
    for i in range(q_len):
        at = i + k_len - q_len
        mask[i, max(0, at - window + 1) : at + 1] = True
    return mask

# %% right: the last rows of the square mask
def sliding_window_mask(q_len, window, k_len=None):
    n = q_len if k_len is None else k_len
    if window < 1:
        raise ValueError(f"a window of {window}")
    if n < q_len:
        raise ValueError(f"{q_len} queries, {n} keys")
    near = (torch.arange(n)[:, None] - torch.arange(n)).clamp(max=window)
    return ((near > -1) & (near != window))[n - q_len :]

# %% wrong: one key too many -> "Those are four"
- return (behind >= 0) & (behind < window)
+ return (behind >= 0) & (behind <= window)

# %% wrong: one key too few -> "Those are two"
- return (behind >= 0) & (behind < window)
+ return (behind >= 0) & (behind < window - 1)

# %% wrong: without itself -> "A word sees itself, too"
- return (behind >= 0) & (behind < window)
+ return (behind > 0) & (behind <= window)

# %% wrong: itself not counted, and one key fewer -> "A word sees itself, too"
- return (behind >= 0) & (behind < window)
+ return (behind > 0) & (behind < window)

# %% wrong: both sides -> "Only keys before it may be seen"
- return (behind >= 0) & (behind < window)
+ return behind.abs() < window

# %% wrong: not causal -> "Only keys before it may be seen"
- return (behind >= 0) & (behind < window)
+ return behind < window

# %% wrong: around the query -> "The window lies around the query"
- return (behind >= 0) & (behind < window)
+ return behind.abs() <= window // 2

# %% wrong: ahead of the query -> "The window lies ahead of the query"
- return (behind >= 0) & (behind < window)
+ return (behind <= 0) & (behind > -window)

# %% wrong: no window at all -> "Is the window used?"
- return (behind >= 0) & (behind < window)
+ return behind >= 0

# %% wrong: True means hidden -> "Does True mean that a query may attend?"
- return (behind >= 0) & (behind < window)
+ return (behind < 0) | (behind >= window)

# %% wrong: the far past alone -> "Is it the far past that is hidden?"
- return (behind >= 0) & (behind < window)
+ return behind >= window

# %% wrong: blocks -> "The text is cut into blocks"
- return (behind >= 0) & (behind < window)
+ blocks = query_at // window == torch.arange(k_len) // window
+ return (behind >= 0) & blocks

# %% wrong: everything -> "Are both ends of the window tested?"
- return (behind >= 0) & (behind < window)
+ return (behind >= 0) | (behind < window)

# %% wrong: begins at the first key -> "Does the mask begin at the first key?"
- query_at = torch.arange(q_len)[:, None] + k_len - q_len
+ query_at = torch.arange(q_len)[:, None]

# %% wrong: k_len ignored -> "Is k_len used?"
- behind = query_at - torch.arange(k_len)
+ behind = torch.arange(q_len)[:, None] - torch.arange(q_len)

# %% wrong: shifted the wrong way -> "sees the keys"
- query_at = torch.arange(q_len)[:, None] + k_len - q_len
+ query_at = torch.arange(q_len)[:, None] + q_len - k_len

# %% wrong: a float mask -> "A mask is a table of yes and no"
- return (behind >= 0) & (behind < window)
+ return ((behind >= 0) & (behind < window)).float()

# %% wrong: an additive mask -> "A mask is a table of yes and no"
- return (behind >= 0) & (behind < window)
+ return torch.zeros(q_len, k_len).masked_fill((behind < 0) | (behind >= window), -torch.inf)

# %% wrong: rows and columns exchanged -> "Are rows and columns exchanged"
- return (behind >= 0) & (behind < window)
+ return ((behind >= 0) & (behind < window)).mT if k_len > q_len else (behind >= 0) & (behind < window)

# %% wrong: rows and columns exchanged in a square -> "The window lies ahead of the query"
- return (behind >= 0) & (behind < window)
+ return ((behind >= 0) & (behind < window)).mT

# %% wrong: the diagonal alone -> "That is itself alone"
- return (behind >= 0) & (behind < window)
+ return behind == 0

# %% wrong: a window of 1 sees nothing -> "A window of 1 is the word itself"
- return (behind >= 0) & (behind < window)
+ return (behind >= 0) & (behind < window) & (torch.tensor(window) > 1)

# %% wrong: a window longer than the text refused -> "Is a window longer than the text allowed"
- query_at = torch.arange(q_len)[:, None] + k_len - q_len
+ if window > k_len:
+     raise ValueError("the window is longer than the text")
+ query_at = torch.arange(q_len)[:, None] + k_len - q_len

# %% wrong: the first rows see the last words, as a list index would -> "Are the first rows, which have fewer keys before them, right?"
- return (behind >= 0) & (behind < window)
+ return behind % k_len < window

# %% wrong: the first keys always stay visible -> "expected [3, 4, 5]"
- return (behind >= 0) & (behind < window)
+ return (behind >= 0) & ((behind < window) | (torch.arange(k_len) == 0))

# %% wrong: axes for batch and heads -> "Rows are queries, columns are keys"
- return (behind >= 0) & (behind < window)
+ return ((behind >= 0) & (behind < window))[None, None]

# %% wrong: nothing returned -> "got NoneType"
- return (behind >= 0) & (behind < window)

# %% wrong: the guard of the window deleted -> "expected a ValueError"
- if window < 1:
-     raise ValueError(f"a window holds at least the word itself, got {window}")
