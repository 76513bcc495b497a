# %% right: a threshold in the middle, early errors
def to_keep_mask(mask, convention):
    if convention not in ("keep", "drop", "additive"):
        raise ValueError(f"unknown convention {convention!r}")
    if convention == "additive":
        return mask > -5000
    return mask if convention == "keep" else torch.logical_not(mask)

# %% right: a table of functions
def to_keep_mask(mask, convention):
    ways = {"keep": torch.clone, "drop": torch.bitwise_not, "additive": lambda m: m.abs() < 100}
    if convention not in ways:
        raise ValueError(f"no convention {convention}; there are {list(ways)}")
    return ways[convention](mask)

# %% right: by a loop over the entries
def to_keep_mask(mask, convention):
    tests = {"keep": bool, "drop": lambda v: not v, "additive": lambda v: v > -10_000}
    if convention not in tests:
        raise ValueError(f"{convention} is not a convention")
    test = tests[convention]
    return torch.tensor([test(v) for v in mask.flatten().tolist()]).reshape(mask.shape)

# %% right: allowed where exp is above 0
def to_keep_mask(mask, convention):
    if convention == "additive":
        return mask.exp() > 0
    if convention == "drop":
        return mask == False  # noqa: E712
    if convention == "keep":
        return mask.clone()
    raise ValueError("unknown: " + convention)

# %% wrong: keep and drop exchanged -> "Here True already means that a query may attend"
- return mask
+ return ~mask

# %% wrong: drop taken as it is -> "Here True means hidden"
- return ~mask
+ return mask

# %% wrong: the dtype decides, not the convention -> "Here True means hidden"
- if convention == "keep":
+ if mask.dtype == torch.bool:

# %% wrong: additive through bool() -> "Is it read as False"
- return mask > -1000
+ return mask.bool()

# %% wrong: negative taken for allowed -> "Is it read as False"
- return mask > -1000
+ return mask < 0

# %% wrong: only −∞ hides -> "Does only −∞, or a lower number, count?"
- return mask > -1000
+ return mask != float("-inf")

# %% wrong: only below −1e9 hides -> "−23,456 hides, too"
- return mask > -1000
+ return mask > -1e9

# %% wrong: −10,000 itself counts as allowed -> "−10,000 hides, too"
- return mask > -1000
+ return mask >= -1e4

# %% wrong: only above 0 is allowed -> "Is 0 taken for hidden, too?"
- return mask > -1000
+ return mask > 0

# %% wrong: exponential instead of a comparison -> "Is it compared"
- return mask > -1000
+ return mask.exp()

# %% wrong: a float for drop -> "Is it compared"
- return ~mask
+ return 1 - mask.float()

# %% wrong: only the known numbers hide -> hidden: "additive"
- return mask > -1000
+ return ~((mask == -1e4) | (mask == -1e9) | (mask == -torch.inf))

# %% wrong: one number decides for all -> "Nothing is hidden any more"
- return ~mask
+ return (~mask).any().expand(mask.shape)

# %% wrong: any other convention is additive -> "Does a last `else` take whatever comes"
- if convention not in ("keep", "drop", "additive"):
-     raise ValueError(f'convention must be "keep", "drop" or "additive", got {convention!r}')

# %% wrong: a KeyError -> "got KeyError"
def to_keep_mask(mask, convention):
    ways = {"keep": lambda m: m, "drop": lambda m: ~m, "additive": lambda m: m > -1e4}
    return ways[convention](mask)

# %% wrong: the error does not name it -> "should also name upside_down"
- raise ValueError(f'convention must be "keep", "drop" or "additive", got {convention!r}')
+ raise ValueError("unknown convention")

# %% wrong: a bare Exception -> "got Exception"
- raise ValueError(f'convention must be "keep", "drop" or "additive", got {convention!r}')
+ raise Exception(f"got {convention!r}")

# %% wrong: changes the argument -> "changed one of its arguments in place"
- return ~mask
+ return mask.logical_not_()

# %% wrong: no return -> "Is there a `return` for each convention"
def to_keep_mask(mask, convention):
    if convention == "drop":
        mask = ~mask

# %% wrong: a == b or c -> "is always true"
- if convention == "drop":
+ if convention == "drop" or "additive":

# %% wrong: 1 - mask -> "Invert a bool mask with `~`"
- return ~mask
+ return 1 - mask

# %% wrong: a minus -> "Invert a bool mask with `~`"
- return ~mask
+ return -mask

# %% wrong: other names -> "Are its arguments called mask and convention"
def to_keep_mask(m, kind):
    if kind not in ("keep", "drop", "additive"):
        raise ValueError(kind)
    return {"keep": m, "drop": m == 0, "additive": m > -5e3}[kind]

# %% wrong: ends without a word -> "The function ends without a word"
- if convention not in ("keep", "drop", "additive"):
-     raise ValueError(f'convention must be "keep", "drop" or "additive", got {convention!r}')

- return mask > -1000
+ if convention == "additive":
+     return mask > -1000

# %% wrong: only the beginning of the name compared -> "Is only the beginning of the name compared?"
- if convention not in ("keep", "drop", "additive"):
+ if not convention.startswith(("keep", "drop", "additive")):
# %% wrong: not instead of ~ -> "Use `~`, or compare."
- return ~mask
+ return not mask
# %% wrong: a capital letter -> "spelled so in yours"
- if convention not in ("keep", "drop", "additive"):
+ if convention not in ("Keep", "drop", "additive"):
# %% right: match
def to_keep_mask(mask, convention):
    match convention:
        case "keep":
            return mask.clone()
        case "drop":
            return torch.logical_not(mask)
        case "additive":
            return mask.exp() > 0.5
    raise ValueError(f"unknown: {convention}")
# %% wrong: capitals do not count -> "Is the name turned into small letters?"
- if convention not in ("keep", "drop", "additive"):
+ convention = convention.lower()
+ if convention not in ("keep", "drop", "additive"):
# %% wrong: blanks do not count -> "Are blanks cut off before the name is compared?"
- if convention not in ("keep", "drop", "additive"):
+ convention = convention.strip()
+ if convention not in ("keep", "drop", "additive"):
# %% wrong: only the beginning of the last name compared -> "Is only the beginning of the name compared?"
- if convention not in ("keep", "drop", "additive"):
+ if convention not in ("keep", "drop") and not convention.startswith("add"):

# %% wrong: only 0 is allowed -> "Ask on which side of a threshold it is"
- return mask > -1000
+ return mask == 0

# %% wrong: additive by turning yes and no round -> "Ask on which side of a threshold it is"
- return mask > -1000
+ return ~mask.bool()

# %% wrong: only what is not negative is allowed -> "A bias of −0.5 in place of 0"
- return mask > -1000
+ return mask >= 0

# %% wrong: only near 0 on both sides, too near -> "A bias of −0.5 in place of 0"
- return mask > -1000
+ return mask.abs() < 1e-3

# %% wrong: a large bias above 0 hides, too -> "A bias of 2 in place of 0"
- return mask > -1000
+ return mask.abs() < 1

# %% right: where a softmax would leave something
def to_keep_mask(mask, convention):
    if convention == "additive":
        return torch.sigmoid(mask.double()) > 0
    if convention in ("keep", "drop"):
        return mask ^ (convention == "drop")
    raise ValueError(f"{convention!r} is no convention")

# %% wrong: a bound beyond float16 -> "which ends at ±65504"
def to_keep_mask(mask, convention):
    if convention not in ("keep", "drop", "additive"):
        raise ValueError(f'convention must be "keep", "drop" or "additive", got {convention!r}')
    if mask.is_floating_point():
        return mask.clamp(min=-1e5).abs().lt(9e3)
    return mask != (convention == "drop")
# %% wrong: no case for additive -> "Has it a case of its own?"
- if convention == "drop":
-     return ~mask
- return mask > -1000
+ return ~mask
# %% wrong: the comparison turned round for a mask that is added -> "Is the comparison the wrong way round?"
- return mask > -1000
+ return mask <= 0
# %% right: match, with gt and ne
def to_keep_mask(mask, convention):
    if convention not in ("keep", "drop", "additive"):
        raise ValueError(f'convention must be "keep", "drop" or "additive", got {convention!r}')
    match convention:
        case "keep":
            return mask
        case "drop":
            return mask.ne(True)
    return mask.gt(-9_999)
# %% wrong of "match, with gt and ne": an or that is always true -> "Or did it come back as it was?"
- match convention:
-     case "keep":
-         return mask
-     case "drop":
-         return mask.ne(True)
+ if convention == "drop":
+     return ~mask
+ elif convention == "keep" or "additive":
+     return mask
# %% wrong: one truth value for the whole mask -> "Is there an .all() or .any()?"
- return mask > -1000
+ return (mask > -1000).all()
# %% wrong: the one number alone hides -> "Is it compared by == or !=?"
- return mask > -1000
+ return mask != -1e4
# %% wrong: compared with the mean -> "where −∞ counts"
- return mask > -1000
+ return mask >= mask.mean()
