# %% right: the value of every key is changed, one mask per key
def mask_meaning(attend, query, key, value):
    def hides(mask, j):
        changed = value.clone()
        changed[j] -= 5
        try:
            return torch.allclose(attend(query, key, value, mask), attend(query, key, changed, mask), rtol=0, atol=1e-5)
        except Exception:
            return False

    at = torch.arange(len(key)).expand(len(query), -1)
    if all(hides(at != j, j) for j in range(len(key))):
        return "keep"
    if all(hides(at == j, j) for j in range(len(key))):
        return "drop"
    if all(hides((at == j) * -10_000.0, j) for j in range(len(key))):
        return "additive"
    return "none"

# %% right: the weights by an identity
def mask_meaning(attend, query, key, value):
    q, k = query.shape[0], key.shape[0]
    first = torch.arange(k).expand(q, k) == 0

    def weight(mask):
        try:
            return attend(query, key, torch.eye(k).to(value), mask)[:, 0].abs().max().item()
        except Exception:
            return 1.0

    for name, mask in (("keep", ~first), ("drop", first), ("additive", -1e4 * first)):
        if weight(mask) < 1e-5:
            return name
    return "none"

# %% right: a value that is far larger
def mask_meaning(attend, query, key, value):
    big = value.clone()
    big[0] = big[0] + 100
    masks = torch.zeros(len(query), len(key))
    masks[:, 0] = 1
    answer = "none"
    for name, mask in (("additive", -10_000 * masks), ("drop", masks == 1), ("keep", masks == 0)):
        try:
            gap = attend(query, key, big, mask) - attend(query, key, value, mask)
        except (TypeError, RuntimeError, ValueError):
            continue
        if gap.abs().max() < 1e-5:
            answer = name
    return answer

# %% wrong: inverted -> "the answer inverted"
-     return "keep"
- if hides(last):
-     return "drop"
+     return "drop"
+ if hides(last):
+     return "keep"
# %% wrong: whether the mask changes the output -> "got"
def mask_meaning(attend, query, key, value):
    last = torch.arange(len(key)).expand(len(query), -1) == len(key) - 1

    def differs(mask, plain):
        try:
            return bool((attend(query, key, value, mask) - attend(query, key, value, plain)).abs().max() > 1e-5)
        except (TypeError, RuntimeError):
            return False

    everything = torch.ones_like(last)
    if differs(~last, everything):
        return "keep"
    if differs(last, ~everything):
        return "drop"
    return "additive" if differs(-10_000.0 * last, 0.0 * last) else "none"
# %% wrong: errors are not caught -> "That is an answer, too"
- except (TypeError, ValueError, RuntimeError):
-     return False
+ except KeyError:
+     return False
# %% wrong: floats are tried first -> "Bool masks come first."
- if hides(~last):
-     return "keep"
+ if hides(-10_000.0 * last):
+     return "additive"
+ if hides(~last):
+     return "keep"
# %% wrong: floats are never tried -> "Is a float mask tried"
- return "additive" if hides(-10_000.0 * last) else "none"
+ return "none"
# %% wrong: bool masks only in the sense of keep -> "tried one way round only"
- if hides(last):
-     return "drop"
+ pass
# %% wrong: never none -> "Is something hidden at all?"
- return "additive" if hides(-10_000.0 * last) else "none"
+ return "additive"
# %% wrong: a mask for the keys alone -> "A mask has a row per query"
- last = torch.zeros(len(query), len(key), dtype=torch.bool)
- last[:, -1] = True
+ last = torch.zeros(1, len(key), dtype=torch.bool)
+ last[:, -1] = True
# %% wrong: True and False -> "Expected "keep""
-     return "keep"
- if hides(last):
-     return "drop"
+     return True
+ if hides(last):
+     return False
# %% wrong: the value that is changed is not the one that is hidden -> "expected "keep", got"
- other[-1] = other[-1] + 10
+ other[0] = other[0] + 10
# %% wrong: the value is changed in place -> "in place"
- other = value.clone()
+ other = value
# %% wrong: an error counts as hidden -> "That does not mean that something is hidden"
- return False
+ return True
# %% wrong: any unmoved number is enough -> "Is one number that stays enough?"
- return bool((moved.abs() < 1e-5).all())
+ return bool((moved.abs() < 1e-5).any())
# %% wrong: a causal mask -> "is one key hidden in every row of the mask?"
- last = torch.zeros(len(query), len(key), dtype=torch.bool)
- last[:, -1] = True
+ last = torch.ones(len(query), len(key), dtype=torch.bool).triu(1)
# %% wrong: the key is changed in place of its value -> "Is query or key changed?"
- other = value.clone()
+ other = key.clone()

- moved = attend(query, key, other, mask) - attend(query, key, value, mask)
+ moved = attend(query, other, value, mask) - attend(query, key, value, mask)
# %% wrong: one row of the mask -> "Hide one key, in every row"
- last[:, -1] = True
+ last[0, -1] = True
# %% wrong: nothing returned where nothing hides -> "Is there a `return` for each of the four?"
- return "additive" if hides(-10_000.0 * last) else "none"
+ if hides(-10_000.0 * last):
+     return "additive"

# %% wrong: output moves by the mask counts as hidden -> "same values"
- moved = attend(query, key, other, mask) - attend(query, key, value, mask)
+ moved = attend(query, key, value, mask) - attend(query, key, value, torch.ones_like(mask))

- return bool((moved.abs() < 1e-5).all())
+ return bool((moved.abs() > 1e-5).any())

# %% wrong: the tried mask covers all keys, not one -> "all True or all False"
- last[:, -1] = True
+ last[:] = True

# %% wrong: value changed by too little (1e-6) -> "more than rounding"
- other[-1] = other[-1] + 10
+ other[-1] = other[-1] + 1e-6

# %% wrong: the change is of the first key while the last is hidden -> "The mask singles out the keys [6], and the values of [0] change"
- other[-1] = other[-1] + 10
+ other[0] = other[0] + 10

# %% wrong: NaN put in as the value of the hidden key -> "NaN or inf"
- other[-1] = other[-1] + 10
+ other[-1] = float("nan")

# %% wrong: bool masks are handed over as floats 0 and 1 -> "No bool mask came"
- if hides(~last):
+ if hides((~last).float()):

- if hides(last):
+ if hides(last.float()):

# %% wrong: the sign of the change counts -> "without its sign (abs)"
- return bool((moved.abs() < 1e-5).all())
+ return bool((moved < 1e-5).all())

# %% wrong: the mean change is compared -> "Is a mean compared?"
- return bool((moved.abs() < 1e-5).all())
+ return bool(moved.mean().abs() < 1e-5)

# %% wrong: only the first query is looked at -> "Is only the first query looked at?"
- return bool((moved.abs() < 1e-5).all())
+ return bool((moved[0].abs() < 1e-5).all())

# %% wrong: only TypeError is caught -> "catch it, and try the next kind"
- except (TypeError, ValueError, RuntimeError):
+ except TypeError:

# %% wrong: the first number of each output alone -> "first number of each output is always 0"
- return bool((moved.abs() < 1e-5).all())
+ return bool((moved[:, 0].abs() < 1e-5).all())
