# %% right: expanded step by step, errors by max and min
def padding_mask(lengths, max_len):
    if len(lengths) and (lengths.max() > max_len or lengths.min() < 0):
        raise ValueError(f"{lengths.tolist()} do not fit into {max_len}")
    rows = torch.arange(max_len).expand(len(lengths), max_len)
    return torch.lt(rows, lengths.unsqueeze(1)).unsqueeze(1).unsqueeze(1)

# %% right: loops
def padding_mask(lengths, max_len):
    mask = torch.zeros(len(lengths), 1, 1, max_len, dtype=torch.bool)
    for i, length in enumerate(lengths.tolist()):
        if length > max_len or length < 0:
            raise ValueError(f"length {length}, max_len {max_len}")
        mask[i, ..., :length] = True
    return mask

# %% right: one-hot ends, summed up
def padding_mask(lengths, max_len):
    if (lengths < 0).any():
        raise ValueError(f"negative length {lengths.min()}")
    if (lengths > max_len).any():
        raise ValueError(f"{lengths.max()} > {max_len}")
    ends = F.one_hot(lengths, max_len + 1).cumsum(-1)[:, :max_len]
    return (ends == 0).view(len(lengths), 1, 1, max_len)

# %% right: a row of the staircase for each length
def padding_mask(lengths, max_len):
    bad = [n for n in lengths.tolist() if n < 0 or n > max_len]
    if bad:
        raise ValueError(f"{bad} not in 0..{max_len}")
    stairs = torch.ones(max_len + 1, max_len, dtype=torch.bool).tril(-1)
    return stairs[lengths][:, None, None, :]

# %% wrong: shape (batch, max_len) -> "read as queries by keys"
- return torch.arange(max_len) < lengths[:, None, None, None]
+ return torch.arange(max_len) < lengths[:, None]

# %% wrong: shape (batch, 1, max_len) -> "lines up with the heads"
- return torch.arange(max_len) < lengths[:, None, None, None]
+ return torch.arange(max_len) < lengths[:, None, None]

# %% wrong: hides queries -> "This hides queries"
- return torch.arange(max_len) < lengths[:, None, None, None]
+ return torch.arange(max_len)[:, None] < lengths[:, None, None, None]

# %% wrong: each query has a length -> "gives each query a length"
- return torch.arange(max_len) < lengths[:, None, None, None]
+ return (torch.arange(max_len) < lengths[:, None])[None, None]

# %% wrong: the longest length instead of max_len -> "Is it max_len"
- return torch.arange(max_len) < lengths[:, None, None, None]
+ return torch.arange(int(lengths.max())) < lengths[:, None, None, None]

# %% wrong: queries by keys spelled out -> "One row for all queries will do"
- return torch.arange(max_len) < lengths[:, None, None, None]
+ return (torch.arange(max_len) < lengths[:, None, None, None]).expand(-1, 1, max_len, max_len)

# %% wrong: True means hidden -> "Does True mean that a query may attend"
- return torch.arange(max_len) < lengths[:, None, None, None]
+ return torch.arange(max_len) >= lengths[:, None, None, None]

# %% wrong: one too many -> "Is it < and not <= ?"
- return torch.arange(max_len) < lengths[:, None, None, None]
+ return torch.arange(max_len) <= lengths[:, None, None, None]

# %% wrong: one too few -> "Do positions count from 0"
- return torch.arange(max_len) < lengths[:, None, None, None]
+ return torch.arange(1, max_len + 1) < lengths[:, None, None, None]

# %% wrong: padding in front -> "Words come first and padding last"
- return torch.arange(max_len) < lengths[:, None, None, None]
+ return (torch.arange(max_len) < lengths[:, None, None, None]).flip(-1)

# %% wrong: as many keys as pads -> "the number of pads"
- return torch.arange(max_len) < lengths[:, None, None, None]
+ return torch.arange(max_len) < (max_len - lengths)[:, None, None, None]

# %% wrong: only one position -> "one position only"
- return torch.arange(max_len) < lengths[:, None, None, None]
+ return torch.arange(max_len) == lengths[:, None, None, None]

# %% wrong: ones and zeros -> "A mask is a table of yes and no"
- return torch.arange(max_len) < lengths[:, None, None, None]
+ return (torch.arange(max_len) < lengths[:, None, None, None]).float()

# %% wrong: the first sentence's length for all -> "length of the first sentence"
- return torch.arange(max_len) < lengths[:, None, None, None]
+ return (torch.arange(max_len) < lengths[0]).expand(len(lengths), 1, 1, max_len)

# %% wrong: the longest sentence's length for all -> "another sentence's length"
- return torch.arange(max_len) < lengths[:, None, None, None]
+ return (torch.arange(max_len) < lengths.max()).expand(len(lengths), 1, 1, max_len)

# %% wrong: an empty sentence sees its first position -> "Does it get its first position"
- return torch.arange(max_len) < lengths[:, None, None, None]
+ return torch.arange(max_len) < lengths.clamp(min=1)[:, None, None, None]

# %% wrong: an empty sentence is refused -> "An empty sentence is allowed"
- if not 0 <= length <= max_len:
+ if not 0 < length <= max_len:

# %% wrong: a full sentence is refused -> "as long as max_len"
- if not 0 <= length <= max_len:
+ if not 0 <= length < max_len:

# %% wrong: nothing is refused -> "Is a length above max_len refused"
- for length in lengths.tolist():
-     if not 0 <= length <= max_len:
-         raise ValueError(f"a length must be between 0 and max_len = {max_len}, got {length}")

# %% wrong: only the first length is looked at -> "Are all lengths looked at"
- for length in lengths.tolist():
+ for length in lengths.tolist()[:1]:

# %% wrong: negative lengths pass -> "Are lengths below 0 refused"
- if not 0 <= length <= max_len:
+ if length > max_len:

# %% wrong: an assert instead of a ValueError -> "got AssertionError"
- if not 0 <= length <= max_len:
-     raise ValueError(f"a length must be between 0 and max_len = {max_len}, got {length}")
+ assert 0 <= length <= max_len, f"{length} in {max_len}"

# %% wrong: the error does not name max_len -> "should also name 23 and 17"
- raise ValueError(f"a length must be between 0 and max_len = {max_len}, got {length}")
+ raise ValueError(f"a length of {length} is impossible")

# %% wrong: too long is cut instead of refused -> "expected a ValueError, got no error"
- if not 0 <= length <= max_len:
+ lengths = lengths.clamp(0, max_len)
+ if length < -max_len:

# %% wrong: no return -> "Is there a `return`?"
- return torch.arange(max_len) < lengths[:, None, None, None]
+ mask = torch.arange(max_len) < lengths[:, None, None, None]

# %% wrong: the lengths as yes and no -> "as many numbers as sentences"
- return torch.arange(max_len) < lengths[:, None, None, None]
+ return lengths > 0

# %% wrong: lengths in a row -> "Do the lengths stand in a column"
- return torch.arange(max_len) < lengths[:, None, None, None]
+ return torch.arange(max_len) < lengths

# %% wrong: lengths changed in place -> "changed one of its arguments in place"
- return torch.arange(max_len) < lengths[:, None, None, None]
+ return torch.arange(max_len) < lengths.unsqueeze_(-1).unsqueeze_(-1).unsqueeze_(-1)

# %% wrong: made for two sentences -> "Is the size of the batch fixed"
- return torch.arange(max_len) < lengths[:, None, None, None]
+ return torch.arange(max_len) < lengths.view(2, 1, 1, 1)
# %% wrong: a batch of one squeezed away -> "Is there a squeeze?"
- return torch.arange(max_len) < lengths[:, None, None, None]
+ return (torch.arange(max_len) < lengths[:, None, None, None]).squeeze(0)
# %% wrong: an if for all lengths -> "ask for a single yes or no"
- for length in lengths.tolist():
-     if not 0 <= length <= max_len:
-         raise ValueError(f"a length must be between 0 and max_len = {max_len}, got {length}")
+ if lengths < 0 or lengths > max_len:
+     raise ValueError(f"a length must be between 0 and max_len = {max_len}, got {lengths}")

# %% wrong: the pads counted from the end, where there may be none -> "which is everything"
def padding_mask(lengths, max_len):
    for length in lengths.tolist():
        if not 0 <= length <= max_len:
            raise ValueError(f"a length must be between 0 and max_len = {max_len}, got {length}")
    out = torch.ones(len(lengths), 1, 1, max_len, dtype=torch.bool)
    for b, n in enumerate(lengths.tolist()):
        out[b, 0, 0, -(max_len - n):] = False
    return out

# %% right: picked from a table of all lengths
def padding_mask(lengths, max_len):
    for length in lengths.tolist():
        if not 0 <= length <= max_len:
            raise ValueError(f"a length must be between 0 and max_len = {max_len}, got {length}")
    table = torch.ones(max_len + 1, max_len, dtype=torch.bool).tril(-1)
    return table[lengths][:, None, None]
# %% wrong: the row of an empty sentence filled, against NaN -> "Is its row filled, against NaN?"
- return torch.arange(max_len) < lengths[:, None, None, None]
+ mask = torch.arange(max_len) < lengths[:, None, None, None]
+ mask[lengths == 0] = True
+ return mask
