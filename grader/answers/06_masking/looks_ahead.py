# %% right: one word at a time, noise added
def looks_ahead(attend, x):
    out = attend(x)
    for t in range(1, x.shape[1]):
        other = x.clone()
        other[:, t] += torch.randn_like(x[:, t])
        if (attend(other)[:, :t] - out[:, :t]).abs().max().item() > 1e-5:
            return True
    return False

# %% right: the Jacobian
def looks_ahead(attend, x):
    slopes = torch.autograd.functional.jacobian(attend, x)  # (batch, seq, d_out, batch, seq, d)
    moved = slopes.abs().amax((0, 2, 3, 5)) > 1e-5  # (output, word)
    return bool(moved.triu(1).any())

# %% wrong: later words wiped to zero, allclose without a relative tolerance -> "Are later words set to 0"
def looks_ahead(attend, x):
    whole = attend(x)
    leaks = []
    for t in range(x.shape[1]):
        kept = attend(x * (torch.arange(x.shape[1]) <= t).float()[None, :, None])
        leaks.append(not torch.allclose(kept[:, : t + 1], whole[:, : t + 1], rtol=0, atol=1e-5))
    return any(leaks)

# %% right: a matrix of who moves whom
def looks_ahead(attend, x):
    seq = x.shape[1]
    moved = torch.zeros(seq, seq, dtype=torch.bool)
    with torch.no_grad():
        for j in range(seq):
            other = x.clone()
            other[:, j] = torch.rand_like(x[:, j]) * 2 - 1
            moved[:, j] = ((attend(other) - attend(x)).abs() > 1e-5).any(-1).any(0)
    return bool(moved.triu(1).any())

# %% right: from the last word back
def looks_ahead(attend, x):
    out = attend(x)
    def moved(t):
        y = torch.cat([x[:, :t], torch.rand_like(x[:, t:])], 1)
        return float((attend(y) - out)[:, :t].abs().max()) > 1e-5
    return any(moved(t) for t in reversed(range(1, x.size(1))))

# %% right: the slope of the outputs before t, a random-pull product
def looks_ahead(attend, x):
    for t in range(1, x.shape[1]):
        other = x.clone().requires_grad_()
        out = attend(other)[:, :t]
        (slope,) = torch.autograd.grad((out * torch.randn_like(out)).sum(), other)
        if (slope[:, t:].abs() > 1e-5).any():
            return True
    return False

# %% wrong: always False -> "attend is called on x alone"
- out = attend(x)
+ return False
+ out = attend(x)

# %% wrong: always True -> "only outputs before t compared"
- return False
+ return True

# %% wrong: turned round -> "Is the answer inverted?"
-     return True
- return False
+     return False
+ return True

# %% wrong: a tensor comes out -> "Use bool(…)"
- if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
-     return True
- return False
+ out = out.where((attend(other) - out).abs() < 1e-5, torch.nan)
+ return out.isnan().any()

# %% wrong: 1 and 0 -> "Use bool(…)"
- return True
+ return 1

# %% wrong: output t compared too -> "only outputs before t compared"
- if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
+ if ((attend(other) - out)[:, : t + 1].abs() > 1e-5).any():

# %% wrong: all outputs compared -> "only outputs before t compared"
- if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
+ if ((attend(other) - out).abs() > 1e-5).any():

# %% wrong: only the last word changed -> "Is only the last word changed?"
- for t in range(1, x.shape[1]):
+ for t in [x.shape[1] - 1]:

# %% wrong: the first output alone -> "Is only the first output compared"
- if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
+ if ((attend(other) - out)[:, 0].abs() > 1e-5).any():

# %% wrong: the first output never compared -> "Is the first output never compared?"
- if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
+ if ((attend(other) - out)[:, 1:t].abs() > 1e-5).any():

# %% wrong: only neighbours -> "Are only neighbours compared?"
- other[:, t:] = torch.randn_like(x[:, t:])
- if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
+ other[:, t] = torch.randn_like(x[:, t])
+ if ((attend(other) - out)[:, t - 1].abs() > 1e-5).any():

# %% wrong: starts at word 2 -> "the loop starts too late"
- for t in range(1, x.shape[1]):
+ for t in range(2, x.shape[1]):

# %% wrong: the middle alone -> "Is only one cut tried?"
- for t in range(1, x.shape[1]):
+ for t in [x.shape[1] // 2]:

# %% wrong: the last word never changed -> "Is the last word never changed by itself?"
- for t in range(1, x.shape[1]):
+ for t in range(1, x.shape[1] - 1):

# %% wrong: returns in the first round -> "Does a `return` end the loop in its"
- if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
-     return True
- return False
+ return bool(((attend(other) - out)[:, :t].abs() > 1e-5).any())

# %% wrong: earlier words changed, later outputs compared -> "Did earlier and later words change"
- other[:, t:] = torch.randn_like(x[:, t:])
- if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
+ other[:, :t] = torch.randn_like(x[:, :t])
+ if ((attend(other) - out)[:, t:].abs() > 1e-5).any():

# %% wrong: all words changed -> "only outputs before t compared"
- other[:, t:] = torch.randn_like(x[:, t:])
+ other = torch.randn_like(x)

# %% wrong: a number added to later words -> "plus or times a number"
- other[:, t:] = torch.randn_like(x[:, t:])
+ other[:, t:] += 1

# %% wrong: later words doubled -> "plus or times a number"
- other[:, t:] = torch.randn_like(x[:, t:])
- if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
+ other[:, t:] *= 2
+ if ((attend(other) - out)[:, :t].abs() > 2e-5).any():

# %% wrong: later words only shuffled -> "Shuffled words keep their sum"
- other[:, t:] = torch.randn_like(x[:, t:])
+ other[:, t:] = x[:, t:].flip(1)

# %% wrong: exact comparison -> "Is the limit far lower"
- if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
+ if not torch.equal(attend(other)[:, :t], out[:, :t]):

# %% wrong: allclose as it comes -> "as in allclose"
- if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
+ if not torch.allclose(attend(other)[:, :t], out[:, :t]):

# %% right: allclose with its relative tolerance
- if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
+ if not torch.allclose(attend(other)[:, :t], out[:, :t], atol=1e-5):

# %% wrong: a limit of 1e-3 -> "Is the limit higher than 1e-5"
- if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
+ if ((attend(other) - out)[:, :t].abs() > 1e-3).any():

# %% wrong: a limit of 1e-7 -> "Is the limit far lower"
- if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
+ if ((attend(other) - out)[:, :t].abs() > 1e-7).any():

# %% wrong: an average change compared -> "not in a mean"
- if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
+ if (attend(other) - out)[:, :t].abs().mean() > 1e-5:

# %% wrong: other words far too large -> "of about x's size"
- other[:, t:] = torch.randn_like(x[:, t:])
+ other[:, t:] = 1e6 * torch.randn_like(x[:, t:])

# %% wrong: a change too small to see -> "by rounding alone"
- other[:, t:] = torch.randn_like(x[:, t:])
+ other[:, t:] += 1e-6 * torch.randn_like(x[:, t:])

# %% wrong: x not copied -> "changed one of its arguments in place"
- other = x.clone()
+ other = x

# %% wrong: words cut off -> "Are words cut off"
- if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
+ if ((attend(x[:, :t]) - out[:, :t]).abs() > 1e-5).any():

# %% wrong: sentences cut off -> "Are words cut off, or sentences"
- out = attend(x)
+ x = x[:1]
+ out = attend(x)

# %% wrong: no return at the end -> "every way out"
- return False

# %% wrong: one feature changed -> "Is every number of every sentence"
- other[:, t:] = torch.randn_like(x[:, t:])
+ other[:, t:, 0] += 1

# %% wrong: only the first sentence -> "Is every number of every sentence"
- if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
+ if ((attend(other) - out)[0, :t].abs() > 1e-5).any():

# %% wrong: only the first feature compared -> "Is every number of every sentence"
- if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
+ if ((attend(other) - out)[:, :t, 0].abs() > 1e-5).any():

# %% wrong: later words made NaN -> "Are the new words NaN"
- other[:, t:] = torch.randn_like(x[:, t:])
- if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
+ other[:, t:] = torch.nan
+ if attend(other)[:, :t].isnan().any():

# %% wrong: the sign kept -> "without its sign"
- if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
+ if ((attend(other) - out)[:, :t] > 1e-5).any():

# %% wrong: other names -> "Are its arguments called attend and x?"
def looks_ahead(layer, words):
    out = layer(words)
    for t in range(1, words.shape[1]):
        other = words.clone()
        other[:, t:] = torch.randn_like(words[:, t:])
        if ((layer(other) - out)[:, :t].abs() > 1e-5).any():
            return True
    return False

# %% wrong: the signs of later words flipped -> "say −1"
- other[:, t:] = torch.randn_like(x[:, t:])
+ other[:, t:] = -x[:, t:]

# %% wrong: changes summed before they are compared -> "summed before they are compared"
- if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
+ if ((attend(other) - out)[:, :t].sum(-1).abs() > 1e-5).any():

# %% wrong: the slope of a plain sum -> "so does the gradient of"
- other[:, t:] = torch.randn_like(x[:, t:])
- if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
+ other.requires_grad_()
+ (slope,) = torch.autograd.grad(attend(other)[:, :t].sum(), other)
+ if (slope[:, t:].abs() > 1e-5).any():

# %% wrong: all outputs have to move -> "Must all numbers move?"
- if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
+ if ((attend(other) - out)[:, :t].abs() > 1e-5).all():

# %% wrong: a limit of 1e-4 -> "Is the limit higher than 1e-5"
- if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
+ if ((attend(other) - out)[:, :t].abs() > 1e-4).any():

# %% wrong: made for six words of eight numbers -> "any number of sentences, words and features"
- for t in range(1, x.shape[1]):
+ for t in range(1, 6):

- other[:, t:] = torch.randn_like(x[:, t:])
+ other[:, t:] = torch.randn(2, 6 - t, 8)

# %% right: output i and word j, pair by pair
def looks_ahead(attend, x):
    base, seq = attend(x), x.shape[1]
    moved = torch.zeros(seq, seq)
    for j in range(seq):
        other = x.clone()
        other[:, j] = 5 * torch.randn_like(other[:, j])
        new = attend(other)
        for i in range(seq):
            moved[i, j] = (new[:, i] - base[:, i]).abs().max()
    return bool((moved.triu(1) > 1e-5).any())
# %% wrong: a loop over the features -> "There are x.shape[1] words."
- for t in range(1, x.shape[1]):
+ for t in range(1, x.shape[2]):
# %% wrong: later words of another sentence, which may be the only one -> "Here there is one sentence alone"
- other[:, t:] = torch.randn_like(x[:, t:])
+ other[:, t:] = x.roll(1, 0)[:, t:]

# %% right: two random futures
def looks_ahead(attend, x):
    for t in range(1, x.shape[1]):
        one, two = x.clone(), x.clone()
        one[:, t:], two[:, t:] = torch.randn_like(x[:, t:]), torch.randn_like(x[:, t:])
        if ((attend(one) - attend(two))[:, :t].abs() > 1e-5).any():
            return True
    return False

# %% right: two random futures between 0 and 1, allclose
def looks_ahead(attend, x):
    found = False
    for t in range(1, x.shape[1]):
        ends = [torch.rand_like(x[:, t:]) for _ in range(2)]
        one, two = (attend(torch.cat([x[:, :t], end], dim=1))[:, :t] for end in ends)
        found = found or not torch.allclose(one, two, atol=1e-5)
    return found

# %% right: noise of the size of x, added
def looks_ahead(attend, x):
    base = attend(x).detach()
    for t in range(1, x.shape[1]):
        noise = torch.zeros_like(x)
        noise[:, t:] = x.std() * torch.randn(x[:, t:].shape)
        if (attend(x + noise).detach() - base)[:, :t].abs().max() > 1e-5:
            return True
    return False

# %% right: the slopes at a random place
def looks_ahead(attend, x):
    place = torch.randn_like(x)
    slopes = torch.autograd.functional.jacobian(attend, place)
    seq = x.shape[1]
    return any(
        bool((slopes[:, i, :, :, j].abs() > 1e-5).any()) for i in range(seq) for j in range(i + 1, seq)
    )

# %% right: one random word for all later places
def looks_ahead(attend, x):
    with torch.no_grad():
        out = attend(x)
        for t in reversed(range(1, x.shape[1])):
            other = x.clone()
            other[:, t:] = torch.randn(x.shape[-1])
            if not torch.isclose(attend(other), out, rtol=0, atol=1e-5)[:, :t].all():
                return True
    return False

# %% wrong: the mean of the changes of a word -> "summed before they are compared"
- if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
+ if ((attend(other) - out)[:, :t].mean(-1).abs() > 1e-5).any():

# %% wrong: changes squared before they are compared -> "Is the limit higher than 1e-5"
- if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
+ if (attend(other) - out)[:, :t].square().sum() > 1e-5:

# %% wrong: only the first sentence changed -> "Is every number of every sentence"
- other[:, t:] = torch.randn_like(x[:, t:])
+ other[0, t:] = torch.randn_like(x[0, t:])

# %% wrong: one random number added to all later words -> "plus or times a number"
- other[:, t:] = torch.randn_like(x[:, t:])
+ other[:, t:] += torch.randn(1)

# %% wrong: the sentence turned round -> "Is each later word changed"
def looks_ahead(attend, x):
    return bool((attend(x.flip(1)).flip(1) - attend(x)).abs().max() > 1e-5)

# %% right: jacrev
def looks_ahead(attend, x):
    slopes = torch.func.jacrev(attend)(x).abs().amax((0, 2, 3, 5))
    return (slopes.triu(1) > 1e-5).any().item()

# %% wrong: new words hardly different from the old ones -> "only a little different"
def looks_ahead(attend, x):
    base = attend(x)
    for t in range(1, x.shape[1]):
        y = x.clone()
        y[:, t:] += 1e-4 * torch.randn_like(y[:, t:])
        if not torch.allclose(attend(y)[:, :t], base[:, :t], atol=1e-5):
            return True
    return False

# %% right: later words made ones
def looks_ahead(attend, x):
    base = attend(x)
    for t in range(1, x.shape[1]):
        y = x.clone()
        y[:, t:] = 1
        if not torch.allclose(attend(y)[:, :t], base[:, :t], atol=1e-5):
            return True
    return False

# %% right: the word before repeated
def looks_ahead(attend, x):
    base = attend(x)
    for t in range(1, x.shape[1]):
        y = x.clone()
        y[:, t:] = x[:, t - 1 : t]
        if not torch.allclose(attend(y)[:, :t], base[:, :t], atol=1e-5):
            return True
    return False

# %% right: turned round, with noise, compared at a relative tolerance
def looks_ahead(attend, x):
    base = attend(x).detach()
    for t in range(1, x.shape[1]):
        for _ in range(2):
            y = x.clone()
            y[:, t:] = torch.randn_like(y[:, t:]) + y[:, t:].flip(-1)
            out = attend(y).detach()
            close = torch.isclose(out[:, :t], base[:, :t], atol=1e-5, rtol=1e-5)
            if not bool(close.all()):
                return True
    return False
# %% wrong: return ends the first round -> "Does a `return` end the loop in its"
def looks_ahead(attend, x):
    before = attend(x)
    for t in range(1, x.shape[1]):
        other = x.clone()
        other[:, t:] = torch.randn_like(other[:, t:])
        return bool(((attend(other) - before)[:, :t].abs() > 1e-5).any())
    return False
# %% wrong: attend.eval() first -> "Only call it: attend(…)"
- out = attend(x)
+ attend.eval()
+ out = attend(x)
# %% wrong: compared with x -> "Are the outputs compared with x?"
- out = attend(x)
+ out = x
# %% wrong: later words set to 0, which changes nothing where they are 0 -> "Are later words set to 0"
- other[:, t:] = torch.randn_like(x[:, t:])
+ other[:, t:] = 0

# %% wrong: later words multiplied by a random number -> "times a number"
- other[:, t:] = torch.randn_like(x[:, t:])
+ other[:, t:] *= 3 + torch.rand(1)
# %% right: several tries of everything from t on
def looks_ahead(attend, x):
    first = attend(x.clone()).detach()
    worst = 0.0
    for t in range(x.size(1)):
        noise = torch.rand(x.shape, dtype=x.dtype) * 4 - 2
        after = torch.arange(x.size(1))[None, :, None] >= t
        again = attend(torch.where(after, noise, x)).detach()
        if t:
            worst = max(worst, float((again[:, :t] - first[:, :t]).abs().max()))
    return worst >= 1e-5
# %% wrong of "several tries of everything from t on": outputs until t - 1 left out -> "Is the output right before the changed word left out?"
- worst = max(worst, float((again[:, :t] - first[:, :t]).abs().max()))
+ worst = max(worst, float((again[:, : max(1, t - 1)] - first[:, : max(1, t - 1)]).abs().max()))
# %% right: one word replaced at a time, in double noise
def looks_ahead(attend, x):
    with torch.no_grad():
        before = attend(x)
        for j in range(1, x.shape[1]):
            changed = x.clone()
            changed[:, j] = 3 * torch.randn_like(x[:, j]) + 1
            moved = (attend(changed) - before)[:, :j].abs()
            if bool((moved > 1e-5).any()):
                return True
    return False
# %% wrong of "one word replaced at a time, in double noise": all must move -> "Or must all of them move? One is enough."
- if bool((moved > 1e-5).any()):
+ if bool((moved > 1e-5).all()):

# %% wrong: all outputs must rise -> "up or down"
- if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
+ if ((attend(other) - out)[:, :t] > 1e-5).all():

# %% wrong: a mean above 0.1 -> "Is the limit"
- if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
+ if (attend(other) - out)[:, :t].abs().mean() > 0.1:
# %% wrong: sentences replaced, not words -> "Whole sentences (axis 0) are changed"
def looks_ahead(attend, x):
    out = attend(x)
    for t in range(1, x.shape[0]):
        other = x.clone()
        other[t:] = torch.randn_like(x[t:])
        if ((attend(other) - out)[:t].abs() > 1e-5).any():
            return True
    return False
# %% wrong: the gradient of a sum -> "A layer may have no gradient at all"
def looks_ahead(attend, x):
    x = x.detach().clone().requires_grad_()
    out = attend(x)
    for i in range(x.shape[1] - 1):
        (slope,) = torch.autograd.grad(out[:, i].sum(), x, retain_graph=True)
        if (slope[:, i + 1 :].abs() > 1e-5).any():
            return True
    return False
# %% wrong: no loop at all -> "or is there none?"
def looks_ahead(attend, x):
    other = torch.cat([x[:, :1], torch.randn_like(x[:, 1:])], dim=1)
    return bool(((attend(other) - attend(x))[:, 0].abs() > 1e-5).any())
# %% wrong: all outputs before t have to move, by one number at least -> "must all outputs move?"
- if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
+ if ((attend(other) - out)[:, :t].abs() > 1e-5).any(-1).all():
