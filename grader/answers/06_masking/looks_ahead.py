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
    x = x.detach().clone().requires_grad_()
    out = attend(x)
    for t in range(x.shape[1] - 1):
        pull = torch.randn_like(out[:, t])
        (gradient,) = torch.autograd.grad((out[:, t] * pull).sum(), x, retain_graph=True, allow_unused=True)
        if gradient is not None and gradient[:, t + 1:].abs().max() > 1e-5:
            return True
    return False
# %% right: later words wiped to zero
def looks_ahead(attend, x):
    whole = attend(x)
    leaks = []
    for t in range(x.shape[1]):
        keep = (torch.arange(x.shape[1]) <= t).float()[None, :, None]
        leaks.append(not torch.allclose(attend(x * keep)[:, : t + 1], whole[:, : t + 1], rtol=0, atol=1e-5))
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
# %% wrong: always False -> "Is a later word really changed, by more than rounding, and an earlier"
def looks_ahead(attend, x):
    return False
# %% wrong: always True -> "are only outputs before t compared"
def looks_ahead(attend, x):
    return True
# %% wrong: turned round -> "Is the answer turned round?"
def looks_ahead(attend, x):
    out = attend(x)
    for t in range(1, x.shape[1]):
        other = x.clone()
        other[:, t:] = torch.randn_like(x[:, t:])
        if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
            return False
    return True
# %% wrong: a tensor comes out -> "A tensor is not a bool"
def looks_ahead(attend, x):
    out, leak = attend(x), torch.tensor(False)
    for t in range(1, x.shape[1]):
        other = x.clone()
        other[:, t:] = torch.randn_like(x[:, t:])
        leak = leak | ((attend(other) - out)[:, :t].abs() > 1e-5).any()
    return leak
# %% wrong: output t compared too -> "are only outputs before t compared"
def looks_ahead(attend, x):
    out = attend(x)
    for t in range(1, x.shape[1]):
        other = x.clone()
        other[:, t:] = torch.randn_like(x[:, t:])
        if ((attend(other) - out)[:, : t + 1].abs() > 1e-5).any():
            return True
    return False
# %% wrong: all outputs compared -> "are only outputs before t compared"
def looks_ahead(attend, x):
    other = x.clone()
    other[:, -1] = torch.randn_like(x[:, -1])
    return bool(((attend(other) - attend(x)).abs() > 1e-5).any())
# %% wrong: only the last word changed -> "not only the last"
def looks_ahead(attend, x):
    other = x.clone()
    other[:, -1] = torch.randn_like(x[:, -1])
    return bool(((attend(other) - attend(x))[:, :-1].abs() > 1e-5).any())
# %% wrong: only the first output compared -> "Are outputs other than the first compared"
def looks_ahead(attend, x):
    other = x.clone()
    other[:, 1:] = torch.randn_like(x[:, 1:])
    return bool(((attend(other) - attend(x))[:, 0].abs() > 1e-5).any())
# %% wrong: only neighbours -> "Is every later word changed once"
def looks_ahead(attend, x):
    out = attend(x)
    for t in range(1, x.shape[1]):
        other = x.clone()
        other[:, t] = torch.randn_like(x[:, t])
        if ((attend(other) - out)[:, t - 1].abs() > 1e-5).any():
            return True
    return False
# %% wrong: the middle alone -> "Is every later word changed once"
def looks_ahead(attend, x):
    t = x.shape[1] // 2
    other = x.clone()
    other[:, t:] = torch.randn_like(x[:, t:])
    return bool(((attend(other) - attend(x))[:, :t].abs() > 1e-5).any())
# %% wrong: earlier words changed, later outputs compared -> "Did earlier and later change places"
def looks_ahead(attend, x):
    out = attend(x)
    for t in range(1, x.shape[1]):
        other = x.clone()
        other[:, :t] = torch.randn_like(x[:, :t])
        if ((attend(other) - out)[:, t:].abs() > 1e-5).any():
            return True
    return False
# %% wrong: a number added to later words -> "Such a layer does not notice"
def looks_ahead(attend, x):
    out = attend(x)
    for t in range(1, x.shape[1]):
        other = x.clone()
        other[:, t:] += 1
        if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
            return True
    return False
# %% wrong: later words doubled -> "Such a layer does not notice"
def looks_ahead(attend, x):
    out = attend(x)
    for t in range(1, x.shape[1]):
        other = x.clone()
        other[:, t:] *= 10
        if ((attend(other) - out)[:, :t].abs() > 1e-3).any():
            return True
    return False
# %% wrong: later words only shuffled -> "only shuffled"
def looks_ahead(attend, x):
    out = attend(x)
    for t in range(1, x.shape[1]):
        other = x.clone()
        other[:, t:] = x[:, t:].flip(1)
        if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
            return True
    return False
# %% wrong: exact comparison -> "Are changes below 1e-5 let pass"
def looks_ahead(attend, x):
    out = attend(x)
    for t in range(1, x.shape[1]):
        other = x.clone()
        other[:, t:] = torch.randn_like(x[:, t:])
        if not torch.equal(attend(other)[:, :t], out[:, :t]):
            return True
    return False
# %% wrong: other words far too large -> "the other words of about x's size"
def looks_ahead(attend, x):
    out = attend(x)
    for t in range(1, x.shape[1]):
        other = x.clone()
        other[:, t:] = 1e6 * torch.randn_like(x[:, t:])
        if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
            return True
    return False
# %% wrong: a change too small to see -> "Is a later word really changed, by more than rounding"
def looks_ahead(attend, x):
    out = attend(x)
    for t in range(1, x.shape[1]):
        other = x.clone()
        other[:, t:] += 1e-6 * torch.randn_like(x[:, t:])
        if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
            return True
    return False
# %% wrong: x not copied -> "changed in place"
def looks_ahead(attend, x):
    out = attend(x)
    for t in range(x.shape[1] - 1, 0, -1):
        other = x
        other[:, t:] = torch.randn_like(x[:, t:])
        if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
            return True
    return False
# %% wrong: words cut off -> "Were words cut off"
def looks_ahead(attend, x):
    out = attend(x)
    for t in range(1, x.shape[1]):
        if ((attend(x[:, :t]) - out[:, :t]).abs() > 1e-5).any():
            return True
    return False
# %% wrong: no return at the end -> "every way out"
def looks_ahead(attend, x):
    out = attend(x)
    for t in range(1, x.shape[1]):
        other = x.clone()
        other[:, t:] = torch.randn_like(x[:, t:])
        if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
            return True
# %% wrong: returns in the first round -> "Are outputs other than the first compared"
def looks_ahead(attend, x):
    out = attend(x)
    for t in range(1, x.shape[1]):
        other = x.clone()
        other[:, t:] = torch.randn_like(x[:, t:])
        return bool(((attend(other) - out)[:, :t].abs() > 1e-5).any())
# %% wrong: one feature changed -> "Is each number changed"
def looks_ahead(attend, x):
    out = attend(x)
    for t in range(1, x.shape[1]):
        other = x.clone()
        other[:, t:, 0] += 1
        if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
            return True
    return False
# %% wrong: later words made NaN -> "Are the other words NaN"
def looks_ahead(attend, x):
    for t in range(1, x.shape[1]):
        other = x.clone()
        other[:, t:] = torch.nan
        if attend(other)[:, :t].isnan().any():
            return True
    return False
# %% wrong: a tolerance that lets leaks pass -> "far above 1e-5"
def looks_ahead(attend, x):
    out = attend(x)
    for t in range(1, x.shape[1]):
        other = x.clone()
        other[:, t:] = torch.randn_like(x[:, t:])
        if ((attend(other) - out)[:, :t].abs() > 0.1).any():
            return True
    return False

# %% wrong: the sign kept -> "without its sign"
def looks_ahead(attend, x):
    """Does any output of attend depend on a later word? x (batch, seq, d); returns a bool, changes below 1e-5 are rounding."""
    ### BEGIN SOLUTION
    out = attend(x)
    for t in range(1, x.shape[1]):
        other = x.clone()
        other[:, t:] = torch.randn_like(x[:, t:])
        if ((attend(other) - out)[:, :t] > 1e-5).any():
            return True
    return False
    ### END SOLUTION

# %% wrong: only the first sentence -> "Is each number changed"
def looks_ahead(attend, x):
    """Does any output of attend depend on a later word? x (batch, seq, d); returns a bool, changes below 1e-5 are rounding."""
    ### BEGIN SOLUTION
    out = attend(x)
    for t in range(1, x.shape[1]):
        other = x.clone()
        other[:, t:] = torch.randn_like(x[:, t:])
        if ((attend(other) - out)[0, :t].abs() > 1e-5).any():
            return True
    return False
    ### END SOLUTION

# %% wrong: only the first feature compared -> "Is each number changed"
def looks_ahead(attend, x):
    """Does any output of attend depend on a later word? x (batch, seq, d); returns a bool, changes below 1e-5 are rounding."""
    ### BEGIN SOLUTION
    out = attend(x)
    for t in range(1, x.shape[1]):
        other = x.clone()
        other[:, t:] = torch.randn_like(x[:, t:])
        if ((attend(other) - out)[:, :t, 0].abs() > 1e-5).any():
            return True
    return False
    ### END SOLUTION

# %% wrong: an average change compared -> "Is each number changed"
def looks_ahead(attend, x):
    """Does any output of attend depend on a later word? x (batch, seq, d); returns a bool, changes below 1e-5 are rounding."""
    ### BEGIN SOLUTION
    out = attend(x)
    for t in range(1, x.shape[1]):
        other = x.clone()
        other[:, t:] = torch.randn_like(x[:, t:])
        if ((attend(other) - out)[:, :t].abs().mean() > 1e-3):
            return True
    return False
    ### END SOLUTION

# %% wrong: the last word never changed -> "Is the last word changed by itself"
def looks_ahead(attend, x):
    """Does any output of attend depend on a later word? x (batch, seq, d); returns a bool, changes below 1e-5 are rounding."""
    ### BEGIN SOLUTION
    out = attend(x)
    for t in range(1, x.shape[1] - 1):
        other = x.clone()
        other[:, t:] = torch.randn_like(x[:, t:])
        if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
            return True
    return False
    ### END SOLUTION

# %% wrong: sentences cut off -> "Were words cut off, or sentences"
def looks_ahead(attend, x):
    """Does any output of attend depend on a later word? x (batch, seq, d); returns a bool, changes below 1e-5 are rounding."""
    ### BEGIN SOLUTION
    x = x[:1]
    out = attend(x)
    for t in range(1, x.shape[1]):
        other = x.clone()
        other[:, t:] = torch.randn_like(x[:, t:])
        if ((attend(other) - out)[:, :t].abs() > 1e-5).any():
            return True
    return False
    ### END SOLUTION

# %% right: from the last word back
def looks_ahead(attend, x):
    out = attend(x)
    def moved(t):
        y = torch.cat([x[:, :t], torch.rand_like(x[:, t:])], 1)
        return float((attend(y) - out)[:, :t].abs().max()) > 1e-5
    return any(moved(t) for t in reversed(range(1, x.size(1))))
