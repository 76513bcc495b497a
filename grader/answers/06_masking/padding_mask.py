# %% right: expanded step by step, errors by max and min
def padding_mask(lengths, max_len):
    if len(lengths) and lengths.max() > max_len:
        raise ValueError(f"length {lengths.max().item()} is above max_len {max_len}")
    if len(lengths) and lengths.min() < 0:
        raise ValueError(f"length {lengths.min().item()} is below 0")
    return (torch.arange(max_len).unsqueeze(0) < lengths.unsqueeze(1)).unsqueeze(1).unsqueeze(1)
# %% right: loops
def padding_mask(lengths, max_len):
    mask = torch.zeros(len(lengths), 1, 1, max_len, dtype=torch.bool)
    for row, length in zip(mask, lengths.tolist()):
        if length > max_len or length < 0:
            raise ValueError(f"length {length} does not fit max_len {max_len}")
        row[..., :length] = True
    return mask
# %% right: the bad lengths are listed
def padding_mask(lengths, max_len):
    bad = lengths[(lengths < 0) | (lengths > max_len)]
    if bad.numel():
        raise ValueError(f"lengths {bad.tolist()} are not within 0 … {max_len}")
    return (lengths.view(-1, 1) > torch.arange(max_len)).view(-1, 1, 1, max_len)
# %% right: a row of the staircase for each length
def padding_mask(lengths, max_len):
    for length in lengths:
        if length < 0 or length > max_len:
            raise ValueError(f"{int(length)} words in {max_len} places")
    return torch.ones(max_len + 1, max_len).tril(-1).bool()[lengths][:, None, None]
# %% wrong: shape (batch, max_len) -> "read as queries by keys"
def padding_mask(lengths, max_len):
    return torch.arange(max_len) < lengths[:, None]
# %% wrong: shape (batch, 1, max_len) -> "lines up with the heads"
def padding_mask(lengths, max_len):
    return (torch.arange(max_len) < lengths[:, None])[:, None]
# %% wrong: hides queries -> "This hides queries"
def padding_mask(lengths, max_len):
    return (torch.arange(max_len)[:, None] < lengths[:, None, None, None])
# %% wrong: the longest length instead of max_len -> "Should it be max_len"
def padding_mask(lengths, max_len):
    return torch.arange(int(lengths.max())) < lengths[:, None, None, None]
# %% wrong: queries by keys spelled out -> "expected shape (3, 1, 1, 11)"
def padding_mask(lengths, max_len):
    return (torch.arange(max_len) < lengths[:, None, None, None]).expand(-1, 1, max_len, max_len)
# %% wrong: True means hidden -> "should True mean that a query may attend"
def padding_mask(lengths, max_len):
    return torch.arange(max_len) >= lengths[:, None, None, None]
# %% wrong: one too many -> "< or <= ?"
def padding_mask(lengths, max_len):
    return torch.arange(max_len) <= lengths[:, None, None, None]
# %% wrong: one too few -> "one too small"
def padding_mask(lengths, max_len):
    return torch.arange(1, max_len + 1) < lengths[:, None, None, None]
# %% wrong: padding in front -> "Words come first, padding last"
def padding_mask(lengths, max_len):
    return (torch.arange(max_len) < lengths[:, None, None, None]).flip(-1)
# %% wrong: ones and zeros -> "Expected torch.bool"
def padding_mask(lengths, max_len):
    return (torch.arange(max_len) < lengths[:, None, None, None]).float()
# %% wrong: the first sentence's length for all -> "Does each sentence have its own length"
def padding_mask(lengths, max_len):
    return (torch.arange(max_len) < lengths[0]).expand(len(lengths), 1, 1, max_len)
# %% wrong: an empty sentence is refused -> "Is an empty sentence refused"
def padding_mask(lengths, max_len):
    if (lengths <= 0).any() or (lengths > max_len).any():
        raise ValueError(f"lengths {lengths.tolist()} are not within 1 … {max_len}")
    return torch.arange(max_len) < lengths[:, None, None, None]
# %% wrong: a full sentence is refused -> "Is a sentence as long as max_len refused"
def padding_mask(lengths, max_len):
    if (lengths < 0).any() or (lengths >= max_len).any():
        raise ValueError(f"lengths {lengths.tolist()} are not within 0 … {max_len}")
    return torch.arange(max_len) < lengths[:, None, None, None]
# %% wrong: an empty sentence sees its first place -> "Does each sentence have its own length"
def padding_mask(lengths, max_len):
    return torch.arange(max_len) < lengths.clamp(min=1)[:, None, None, None]
# %% wrong: nothing is refused -> "A length of 23 in 17 places: expected a ValueError, nothing"
def padding_mask(lengths, max_len):
    return torch.arange(max_len) < lengths[:, None, None, None]
# %% wrong: only the first length is looked at -> "Are all lengths looked at"
def padding_mask(lengths, max_len):
    if not 0 <= lengths[0] <= max_len:
        raise ValueError(f"{lengths[0]} in {max_len}")
    return torch.arange(max_len) < lengths[:, None, None, None]
# %% wrong: negative lengths pass -> "A length of -2 in 17 places: expected a ValueError, nothing"
def padding_mask(lengths, max_len):
    if lengths.max() > max_len:
        raise ValueError(f"{lengths.max()} in {max_len}")
    return torch.arange(max_len) < lengths[:, None, None, None]
# %% wrong: an assert instead of a ValueError -> "got AssertionError"
def padding_mask(lengths, max_len):
    assert ((lengths >= 0) & (lengths <= max_len)).all(), f"{lengths} in {max_len}"
    return torch.arange(max_len) < lengths[:, None, None, None]
# %% wrong: the error does not name max_len -> "should name 23 and 17"
def padding_mask(lengths, max_len):
    for length in lengths.tolist():
        if not 0 <= length <= max_len:
            raise ValueError(f"a length of {length} is impossible")
    return torch.arange(max_len) < lengths[:, None, None, None]
# %% wrong: too long is cut instead of refused -> "nothing was raised"
def padding_mask(lengths, max_len):
    return torch.arange(max_len) < lengths.clamp(0, max_len)[:, None, None, None]
# %% wrong: no return -> "`return`"
def padding_mask(lengths, max_len):
    mask = torch.arange(max_len) < lengths[:, None, None, None]
# %% wrong: as many keys as there are pads -> "smaller than its sentence's own length"
def padding_mask(lengths, max_len):
    return torch.arange(max_len) < (max_len - lengths)[:, None, None, None]
# %% wrong: the lengths come back -> "expected shape (3, 1, 1, 11)"
def padding_mask(lengths, max_len):
    return lengths

# %% wrong: lengths in a row -> "Do lengths in a column meet"
def padding_mask(lengths, max_len):
    return torch.arange(max_len) < lengths

# %% wrong: lengths changed in place -> "lengths was changed in place"
def padding_mask(lengths, max_len):
    """Which keys are words: lengths (batch,) int64 -> bool (batch, 1, 1, max_len).

    Raises ValueError for a length above max_len or below 0.
    """
    ### BEGIN SOLUTION
    for length in lengths.tolist():
        if not 0 <= length <= max_len:
            raise ValueError(f"a length must be between 0 and max_len = {max_len}, got {length}")
    return torch.arange(max_len) < lengths.unsqueeze_(-1).unsqueeze_(-1).unsqueeze_(-1)  # (max_len,) < (batch, 1, 1, 1)
    ### END SOLUTION

# %% wrong: made for three sentences -> "Is each length looked at"
def padding_mask(lengths, max_len):
    """Which keys are words: lengths (batch,) int64 -> bool (batch, 1, 1, max_len).

    Raises ValueError for a length above max_len or below 0.
    """
    ### BEGIN SOLUTION
    for length in lengths.tolist():
        if not 0 <= length <= max_len:
            raise ValueError(f"a length must be between 0 and max_len = {max_len}, got {length}")
    return (torch.arange(max_len) < lengths.view(3, 1, 1, 1))  # (max_len,) < (batch, 1, 1, 1)
    ### END SOLUTION

# %% right: one-hot ends, summed up
def padding_mask(lengths, max_len):
    if (lengths < 0).any(): raise ValueError(f'negative length {lengths.min()}')
    if (lengths > max_len).any(): raise ValueError(f'{lengths.max()} > {max_len}')
    ends = F.one_hot(lengths, max_len + 1).cumsum(-1)[:, :max_len]
    return (ends == 0).view(len(lengths), 1, 1, max_len)
