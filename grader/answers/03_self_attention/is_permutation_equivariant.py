# %% right: brought back with the inverse
def is_permutation_equivariant(attend, x, perm):
    back = attend(x[:, perm])[:, perm.argsort()]
    return bool(((back - attend(x)).abs() < 1e-5).all())
# %% right: allclose
def is_permutation_equivariant(attend, x, perm):
    return torch.allclose(attend(x.index_select(1, perm)), attend(x).index_select(1, perm), rtol=0, atol=1e-5)
# %% right: one word at a time
def is_permutation_equivariant(attend, x, perm):
    with torch.no_grad():
        shuffled = attend(torch.stack([x[:, j] for j in perm.tolist()], dim=1))
        plain = attend(x)
    for place, word in enumerate(perm.tolist()):
        if (shuffled[:, place] - plain[:, word]).abs().max().item() >= 1e-5:
            return False
    return True
# %% right: a permutation matrix
def is_permutation_equivariant(attend, x, perm):
    P = F.one_hot(perm, x.shape[1]).to(x.dtype)
    return (attend(P @ x) - P @ attend(x)).abs().amax().item() < 1e-5
# %% wrong: no return -> "`return`"
def is_permutation_equivariant(attend, x, perm):
    same = torch.allclose(attend(x[:, perm]), attend(x)[:, perm], atol=1e-5)
# %% wrong: a tensor instead of a bool -> "`bool(…)`"
def is_permutation_equivariant(attend, x, perm):
    return (attend(x[:, perm]) - attend(x)[:, perm]).abs().max() < 1e-5
# %% wrong: the largest difference instead of a bool -> "`bool(…)`"
def is_permutation_equivariant(attend, x, perm):
    return (attend(x[:, perm]) - attend(x)[:, perm]).abs().max().item()
# %% wrong: the batch shuffled -> "axis 1, the words"
def is_permutation_equivariant(attend, x, perm):
    return torch.allclose(attend(x[perm]), attend(x)[perm], atol=1e-5)
# %% wrong: the features shuffled -> "axis 1, the words"
def is_permutation_equivariant(attend, x, perm):
    return torch.allclose(attend(x[..., perm]), attend(x)[..., perm], atol=1e-5)
# %% wrong: x shuffled in place -> "in place"
def is_permutation_equivariant(attend, x, perm):
    out = attend(x)[:, perm].clone()
    x[:] = x[:, perm].clone()
    return torch.allclose(attend(x), out, atol=1e-5)
# %% wrong: invariance instead of equivariance -> "both outputs shuffled"
def is_permutation_equivariant(attend, x, perm):
    return torch.allclose(attend(x[:, perm]), attend(x), atol=1e-5)
# %% wrong: shuffled twice instead of back -> "applied twice"
def is_permutation_equivariant(attend, x, perm):
    return torch.allclose(attend(x[:, perm])[:, perm], attend(x), atol=1e-5)
# %% wrong: shuffled one way, brought back the other -> "applied twice"
def is_permutation_equivariant(attend, x, perm):
    return torch.allclose(attend(x[:, perm]), attend(x)[:, perm.argsort()], atol=1e-5)
# %% wrong: exact equality -> "which is rounding"
def is_permutation_equivariant(attend, x, perm):
    return torch.equal(attend(x[:, perm]), attend(x)[:, perm])
# %% wrong: allclose with its own tolerance, far too tight near 0 -> "which is rounding"
def is_permutation_equivariant(attend, x, perm):
    return torch.allclose(attend(x[:, perm]), attend(x)[:, perm], rtol=0, atol=1e-8)
# %% wrong: always False -> "expected True, got False"
def is_permutation_equivariant(attend, x, perm):
    return False
# %% wrong: always True -> "With positions"
def is_permutation_equivariant(attend, x, perm):
    return True
# %% wrong: only the shapes compared -> "are numbers compared"
def is_permutation_equivariant(attend, x, perm):
    return attend(x[:, perm]).shape == attend(x)[:, perm].shape
# %% wrong: attend not called on the shuffled sentence -> "called for the shuffled x"
def is_permutation_equivariant(attend, x, perm):
    out = attend(x)
    return bool((out[:, perm] - out[:, perm]).abs().max() < 1e-5)
# %% wrong: loose tolerance -> "by 6e-5"
def is_permutation_equivariant(attend, x, perm):
    return torch.allclose(attend(x[:, perm]), attend(x)[:, perm], atol=0.1)
# %% wrong: the mean of the differences -> "largest difference taken"
def is_permutation_equivariant(attend, x, perm):
    return bool((attend(x[:, perm]) - attend(x)[:, perm]).mean().abs() < 1e-5)
# %% wrong: only the first sentence -> "last sentence"
def is_permutation_equivariant(attend, x, perm):
    return torch.allclose(attend(x[:, perm])[0], attend(x)[0, perm], atol=1e-5)
# %% wrong: any instead of all -> "Are all compared"
def is_permutation_equivariant(attend, x, perm):
    return bool(((attend(x[:, perm]) - attend(x)[:, perm]).abs() < 1e-5).any())
# %% wrong: the mean of the absolute differences -> "largest difference taken"
def is_permutation_equivariant(attend, x, perm):
    return bool((attend(x[:, perm]) - attend(x)[:, perm]).abs().mean() < 1e-5)
# %% wrong: sign of the difference kept -> "absolute value"
def is_permutation_equivariant(attend, x, perm):
    return bool((attend(x[:, perm]) - attend(x)[:, perm]).max() < 1e-5)
# %% wrong: its own shuffle -> "Is it `perm` that shuffles"
def is_permutation_equivariant(attend, x, perm):
    perm = torch.arange(x.shape[1]).flip(0)
    return torch.allclose(attend(x[:, perm]), attend(x)[:, perm], atol=1e-5)
# %% wrong: the sentence turned in a circle whatever perm says -> "Is it `perm` that shuffles"
def is_permutation_equivariant(attend, x, perm):
    return torch.allclose(attend(x.roll(1, 1)), attend(x).roll(1, 1), atol=1e-5)
# %% wrong: numpy's bool instead of Python's -> "`bool(…)`"
def is_permutation_equivariant(attend, x, perm):
    return ((attend(x[:, perm]) - attend(x)[:, perm]).abs() < 1e-5).detach().numpy().all()
# %% wrong: x as it came -> "`bool(…)`"
def is_permutation_equivariant(attend, x, perm):
    return x
# %% right: scatter back
def is_permutation_equivariant(attend, x, perm):
    back = torch.empty_like(attend(x))
    back[:, perm] = attend(x[:, perm])
    return bool(torch.dist(back.flatten(), attend(x).flatten(), p=float("inf")) < 1e-5)
# %% wrong: tolerance 1e-4 -> "By 1e-5?"
def is_permutation_equivariant(attend, x, perm):
    return bool((attend(x[:, perm]) - attend(x)[:, perm]).abs().max() < 1e-4)
# %% wrong: norm -> "for the largest difference"
def is_permutation_equivariant(attend, x, perm):
    return bool((attend(x[:, perm]) - attend(x)[:, perm]).norm() < 1e-5)
# %% wrong: features averaged -> "by 6e-5"
def is_permutation_equivariant(attend, x, perm):
    return torch.allclose(attend(x[:, perm]).mean(-1), attend(x)[:, perm].mean(-1), atol=1e-5)
# %% wrong: sets of words (sorted) -> "only the two sets"
def is_permutation_equivariant(attend, x, perm):
    return torch.allclose(attend(x[:, perm]).sort(1).values, attend(x).sort(1).values, atol=1e-5, rtol=0)
# %% wrong: only first word -> "two swapped"
def is_permutation_equivariant(attend, x, perm):
    return torch.allclose(attend(x[:, perm])[:, 0], attend(x)[:, perm[0]], atol=1e-5)
