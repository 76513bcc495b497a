# %% right: a threshold in the middle, early errors
def to_keep_mask(mask, convention):
    if convention not in ("keep", "drop", "additive"):
        raise ValueError(f"unknown convention {convention!r}")
    if convention == "additive":
        return mask > -5000
    return mask if convention == "keep" else torch.logical_not(mask)
# %% right: a table of functions
def to_keep_mask(mask, convention):
    ways = {"keep": torch.clone, "drop": torch.bitwise_not, "additive": lambda m: m == 0}
    if convention not in ways:
        raise ValueError(f"no convention {convention}; there are {list(ways)}")
    return ways[convention](mask)
# %% right: match, and a float comparison turned round
def to_keep_mask(mask, convention):
    match convention:
        case "keep":
            return mask.clone()
        case "drop":
            return mask == False  # noqa: E712
        case "additive":
            return ~(mask < -1)
        case _:
            raise ValueError(convention)
# %% right: by a loop over the entries
def to_keep_mask(mask, convention):
    if convention == "keep":
        test = bool
    elif convention == "drop":
        test = lambda v: not v
    elif convention == "additive":
        test = lambda v: v > -10_000
    else:
        raise ValueError(f"{convention} is not a convention")
    return torch.tensor([test(v) for v in mask.flatten().tolist()]).reshape(mask.shape)
# %% wrong: keep turned round -> "Here True already means that a query may attend"
def to_keep_mask(mask, convention):
    if convention == "keep":
        return ~mask
    if convention == "drop":
        return mask
    if convention == "additive":
        return mask > -1e4
    raise ValueError(convention)
# %% wrong: drop taken as it is -> "Here True means hidden"
def to_keep_mask(mask, convention):
    if convention in ("keep", "drop"):
        return mask
    if convention == "additive":
        return mask > -1e4
    raise ValueError(convention)
# %% wrong: additive through bool() -> "Is it read as False"
def to_keep_mask(mask, convention):
    if convention == "keep":
        return mask
    if convention == "drop":
        return ~mask
    if convention == "additive":
        return mask.bool()
    raise ValueError(convention)
# %% wrong: negative taken for visible -> "or turned round"
def to_keep_mask(mask, convention):
    if convention == "keep":
        return mask
    if convention == "drop":
        return ~mask
    if convention == "additive":
        return mask < 0
    raise ValueError(convention)
# %% wrong: only -inf hides -> "does only −∞, or a lower number, count?"
def to_keep_mask(mask, convention):
    if convention == "keep":
        return mask
    if convention == "drop":
        return ~mask
    if convention == "additive":
        return mask != float("-inf")
    raise ValueError(convention)
# %% wrong: isinf -> "does only −∞, or a lower number, count?"
def to_keep_mask(mask, convention):
    if convention == "keep":
        return mask
    if convention == "drop":
        return ~mask
    if convention == "additive":
        return ~torch.isinf(mask)
    raise ValueError(convention)
# %% wrong: only below -1e9 hides -> "-10,000 hides, too"
def to_keep_mask(mask, convention):
    if convention == "keep":
        return mask
    if convention == "drop":
        return ~mask
    if convention == "additive":
        return mask > -1e9
    raise ValueError(convention)
# %% wrong: -10,000 itself counts as visible -> "-10,000 hides, too"
def to_keep_mask(mask, convention):
    if convention == "keep":
        return mask
    if convention == "drop":
        return ~mask
    if convention == "additive":
        return mask >= -1e4
    raise ValueError(convention)
# %% wrong: exponential instead of a comparison -> "expected torch.bool"
def to_keep_mask(mask, convention):
    if convention == "keep":
        return mask
    if convention == "drop":
        return ~mask
    if convention == "additive":
        return mask.exp()
    raise ValueError(convention)
# %% wrong: floats for all -> "expected torch.bool"
def to_keep_mask(mask, convention):
    if convention == "keep":
        return mask.float()
    if convention == "drop":
        return 1 - mask.float()
    if convention == "additive":
        return (mask == 0).float()
    raise ValueError(convention)
# %% wrong: any other convention is additive -> "Does a last `else` take whatever comes?"
def to_keep_mask(mask, convention):
    if convention == "keep":
        return mask
    if convention == "drop":
        return ~mask
    return mask > -1e4
# %% wrong: a KeyError -> "got KeyError"
def to_keep_mask(mask, convention):
    return {"keep": lambda m: m, "drop": lambda m: ~m, "additive": lambda m: m > -1e4}[convention](mask)
# %% wrong: the error does not name it -> "should name it"
def to_keep_mask(mask, convention):
    if convention == "keep":
        return mask
    if convention == "drop":
        return ~mask
    if convention == "additive":
        return mask > -1e4
    raise ValueError("unknown convention")
# %% wrong: changes the argument -> "changed in place"
def to_keep_mask(mask, convention):
    if convention == "keep":
        return mask
    if convention == "drop":
        return mask.logical_not_()
    if convention == "additive":
        return mask > -1e4
    raise ValueError(convention)
# %% wrong: no return -> "`return`"
def to_keep_mask(mask, convention):
    if convention == "drop":
        mask = ~mask
# %% wrong: the dtype decides, not the convention -> "Here True means hidden"
def to_keep_mask(mask, convention):
    if mask.dtype == torch.bool:
        return mask
    if convention == "additive":
        return mask > -1e4
    raise ValueError(convention)
# %% wrong: only exactly 0 after rounding to float16 -> hidden: "additive"
def to_keep_mask(mask, convention):
    if convention == "keep":
        return mask
    if convention == "drop":
        return ~mask
    if convention == "additive":
        return (mask == -1e4) | (mask == -1e9) | (mask == -torch.inf) == False  # noqa: E712
    raise ValueError(convention)
# %% wrong: above -inf is visible -> "does only −∞, or a lower number, count?"
def to_keep_mask(mask, convention):
    if convention == "keep":
        return mask
    if convention == "drop":
        return ~mask
    if convention == "additive":
        return mask > float("-inf")
    raise ValueError(convention)

# %% wrong: a == b or c -> "is always true"
def to_keep_mask(mask, convention):
    if convention == 'keep': return mask
    elif convention == 'drop' or 'additive': return ~mask
    raise ValueError(convention)

# %% wrong: 1 - mask -> "turned round other than by"
def to_keep_mask(mask, convention):
    """Translate a mask into bool, True = may attend, of the same shape.

    convention: "keep" (bool, True = may attend), "drop" (bool, True = hidden) or "additive" (float, 0 or ≤ −10,000).
    Raises ValueError naming any other convention.
    """
    ### BEGIN SOLUTION
    if convention == "keep":
        return mask
    if convention == "drop":
        return 1 - mask
    if convention == "additive":
        return mask > -1e4
    raise ValueError(f'convention must be "keep", "drop" or "additive", got {convention!r}')
    ### END SOLUTION

# %% wrong: only above 0 is visible -> "Is 0 hidden, too?"
def to_keep_mask(mask, convention):
    """Translate a mask into bool, True = may attend, of the same shape.

    convention: "keep" (bool, True = may attend), "drop" (bool, True = hidden) or "additive" (float, 0 or ≤ −10,000).
    Raises ValueError naming any other convention.
    """
    ### BEGIN SOLUTION
    if convention == "keep":
        return mask
    if convention == "drop":
        return ~mask
    if convention == "additive":
        return mask > 0
    raise ValueError(f'convention must be "keep", "drop" or "additive", got {convention!r}')
    ### END SOLUTION

# %% wrong: a bare Exception -> "got Exception"
def to_keep_mask(mask, convention):
    """Translate a mask into bool, True = may attend, of the same shape.

    convention: "keep" (bool, True = may attend), "drop" (bool, True = hidden) or "additive" (float, 0 or ≤ −10,000).
    Raises ValueError naming any other convention.
    """
    ### BEGIN SOLUTION
    if convention == "keep":
        return mask
    if convention == "drop":
        return ~mask
    if convention == "additive":
        return mask > -1e4
    raise Exception(f'convention must be "keep", "drop" or "additive", got {convention!r}')
    ### END SOLUTION

# %% right: visible where exp is above 0
def to_keep_mask(mask, convention):
    if convention == 'additive': return mask.exp() > 0
    if convention == 'drop': return mask == False
    if convention == 'keep': return mask.clone()
    raise ValueError('unknown: ' + convention)
