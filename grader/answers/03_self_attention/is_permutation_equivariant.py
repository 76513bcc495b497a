# %% right: brought back with the inverse
def is_permutation_equivariant(attend, x, perm):
    back = attend(x[:, perm])[:, perm.argsort()]
    return bool(((back - attend(x)).abs() < 1e-5).all())
# %% right: allclose
def is_permutation_equivariant(attend, x, perm):
    first = attend(x.index_select(1, perm))
    return torch.allclose(first, attend(x).index_select(1, perm), rtol=0, atol=1e-5)
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
# %% right: scatter back
def is_permutation_equivariant(attend, x, perm):
    back = torch.empty_like(attend(x))
    back[:, perm] = attend(x[:, perm])
    return bool(torch.dist(back.flatten(), attend(x).flatten(), p=float("inf")) < 1e-5)
# %% right: shuffled by the inverse on both sides
def is_permutation_equivariant(attend, x, perm):
    back = perm.argsort()
    return bool((attend(x[:, back]) - attend(x)[:, back]).abs().max() < 1e-5)
# %% wrong: no return -> "`return`"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ same = bool((shuffled_first - shuffled_last).abs().max() < 1e-5)
# %% wrong: a tensor instead of a bool -> "`bool(…)`"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return (shuffled_first - shuffled_last).abs().max() < 1e-5
# %% wrong: numpy's bool instead of Python's -> "`bool(…)`"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return ((shuffled_first - shuffled_last).abs() < 1e-5).detach().numpy().all()
# %% wrong: the largest difference instead of a bool -> "`bool(…)`"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return (shuffled_first - shuffled_last).abs().max().item()
# %% wrong: a tensor of bools, one per number -> ".all() joins them"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return (shuffled_first - shuffled_last).abs() < 1e-5
# %% wrong: x as it came -> ".all() joins them"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return x
# %% wrong: the batch shuffled -> "The words are axis 1"
- shuffled_first = attend(x[:, perm])
- shuffled_last = attend(x)[:, perm]
+ shuffled_first = attend(x[perm])
+ shuffled_last = attend(x)[perm]
# %% wrong: the features shuffled -> "The words are axis 1"
- shuffled_first = attend(x[:, perm])
- shuffled_last = attend(x)[:, perm]
+ shuffled_first = attend(x[..., perm])
+ shuffled_last = attend(x)[..., perm]
# %% wrong: x shuffled in place -> "in place"
- shuffled_first = attend(x[:, perm])
- shuffled_last = attend(x)[:, perm]
+ shuffled_last = attend(x)[:, perm].clone()
+ x[:] = x[:, perm].clone()
+ shuffled_first = attend(x)
# %% wrong: invariance instead of equivariance -> "Is the other output shuffled"
- shuffled_last = attend(x)[:, perm]
+ shuffled_last = attend(x)
# %% wrong: shuffled twice instead of back -> "`perm` twice"
- shuffled_first = attend(x[:, perm])
- shuffled_last = attend(x)[:, perm]
+ shuffled_first = attend(x[:, perm])[:, perm]
+ shuffled_last = attend(x)
# %% wrong: shuffled one way, brought back the other -> "or its inverse"
- shuffled_last = attend(x)[:, perm]
+ shuffled_last = attend(x)[:, perm.argsort()]
# %% wrong: compared with the input -> "not an output with x"
- shuffled_last = attend(x)[:, perm]
+ shuffled_last = x[:, perm]
# %% wrong: exact equality -> "which is rounding"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return torch.equal(shuffled_first, shuffled_last)
# %% wrong: allclose with its own tolerance -> "which is rounding"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return torch.allclose(shuffled_first, shuffled_last)
# %% wrong: tolerance 1e-6 -> "which is rounding"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return bool((shuffled_first - shuffled_last).abs().max() < 1e-6)
# %% wrong: norm -> "A sum or a length adds up"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return bool((shuffled_first - shuffled_last).norm() < 1e-5)
# %% wrong: the sum of all differences -> "A sum or a length adds up"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return bool((shuffled_first - shuffled_last).abs().sum() < 1e-5)
# %% wrong: rounded to four digits, then equal -> "be rounded to different numbers"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return torch.equal(shuffled_first.round(decimals=4), shuffled_last.round(decimals=4))
# %% wrong: always False -> "Expected True, got False"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return False
# %% wrong: always True -> "adds positions"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return True
# %% wrong: True and False change places -> "Expected True, got False"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return bool((shuffled_first - shuffled_last).abs().max() > 1e-5)
# %% wrong: only the shapes compared -> "not the shapes"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return shuffled_first.shape == shuffled_last.shape
# %% wrong: attend not called on the shuffled sentence -> "called on the shuffled x"
- shuffled_first = attend(x[:, perm])
+ shuffled_first = attend(x)[:, perm]
# %% wrong: loose tolerance -> "compared with 1e-5"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return torch.allclose(shuffled_first, shuffled_last, atol=0.1)
# %% wrong: tolerance 1e-4 -> "compared with 1e-5"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return bool((shuffled_first - shuffled_last).abs().max() < 1e-4)
# %% wrong: the mean of the differences -> "not a mean"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return bool((shuffled_first - shuffled_last).mean().abs() < 1e-5)
# %% wrong: the mean of the absolute differences -> "not a mean"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return bool((shuffled_first - shuffled_last).abs().mean() < 1e-5)
# %% wrong: the mean square of the differences -> "not a mean"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return bool(F.mse_loss(shuffled_first, shuffled_last) < 1e-5)
# %% wrong: the smallest difference -> "not a part"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return bool((shuffled_first - shuffled_last).abs().min() < 1e-5)
# %% wrong: any instead of all -> "not a part"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return bool(((shuffled_first - shuffled_last).abs() < 1e-5).any())
# %% wrong: only the first sentence -> "sentence 1, word 1"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return bool((shuffled_first - shuffled_last)[0].abs().max() < 1e-5)
# %% wrong: only the first word -> "not a part"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return bool((shuffled_first - shuffled_last)[:, 0].abs().max() < 1e-5)
# %% wrong: only the first column -> "not a part"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return bool((shuffled_first - shuffled_last)[..., 0].abs().max() < 1e-5)
# %% wrong: cosines of the words -> "not a mean"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return bool((F.cosine_similarity(shuffled_first, shuffled_last, dim=-1) > 0.99999).all())
# %% wrong: sign of the difference kept -> "absolute value taken"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return bool((shuffled_first - shuffled_last).max() < 1e-5)
# %% wrong: columns averaged -> "added up before"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return bool((shuffled_first - shuffled_last).mean(-1).abs().max() < 1e-5)
# %% wrong: its own shuffle -> "not a shuffle of your own"
- shuffled_first = attend(x[:, perm])
+ perm = torch.arange(x.shape[1]).flip(0)
+ shuffled_first = attend(x[:, perm])
# %% wrong: the sentence turned in a circle whatever perm says -> "Is it `perm` that shuffles"
- shuffled_first = attend(x[:, perm])
- shuffled_last = attend(x)[:, perm]
+ shuffled_first = attend(x.roll(1, 1))
+ shuffled_last = attend(x).roll(1, 1)
# %% wrong: sets of words, sorted -> "two sets of words"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ first, last = (t.sort(1).values for t in (shuffled_first, shuffled_last))
+ return torch.allclose(first, last, rtol=0, atol=1e-5)
# %% wrong: the means of the words -> "not a mean"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return bool((shuffled_first.mean(1) - shuffled_last.mean(1)).abs().max() < 1e-6)
# %% wrong: the width of the output taken for that of x -> "differ in width from x"
- shuffled_last = attend(x)[:, perm]
+ shuffled_last = attend(x)[:, perm].view(x.shape)
# %% wrong: arguments renamed -> "still called attend, x, perm"
def is_permutation_equivariant(layer, words, order):
    return bool((layer(words[:, order]) - layer(words)[:, order]).abs().max() < 1e-5)
# %% right: the largest difference below 1e-5, and no share of the numbers
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return bool((shuffled_first - shuffled_last).abs().max() < 1e-5)

# %% right: isclose, number by number
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return torch.isclose(shuffled_first, shuffled_last, rtol=1e-5, atol=1e-5).all().item()

# %% wrong: only the first sentence is tried -> "attend was called on shape"
def is_permutation_equivariant(attend, x, perm):
    return bool((attend(x[:1, perm]) - attend(x[:1])[:, perm]).abs().max() < 1e-5)

# %% wrong: both put together for one call -> "Are sentences cut off, or put together?"
def is_permutation_equivariant(attend, x, perm):
    first, last = attend(torch.cat([x, x[:, perm]], dim=0)).split(len(x))
    return torch.allclose(first[:, perm], last, rtol=0, atol=1e-5)

# %% wrong: the words True and False as text -> "stand without quotes"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return "True" if (shuffled_first - shuffled_last).abs().max() < 1e-5 else "False"
# %% wrong: a scalar of numpy's, whose class is called bool, too -> "got one of numpy's own"
def is_permutation_equivariant(attend, x, perm):
    apart = (attend(x[:, perm]) - attend(x)[:, perm]).abs().detach().numpy()
    return apart.max() < 1e-5
# %% wrong: attend called by a name of its argument -> "without x="
- shuffled_first = attend(x[:, perm])
- shuffled_last = attend(x)[:, perm]
+ shuffled_first = attend(x=x[:, perm])
+ shuffled_last = attend(x=x)[:, perm]
# %% right: assert_close, whose limits are 1e-5 and 1.3e-6 of the numbers
def is_permutation_equivariant(attend, x, perm):
    try:
        torch.testing.assert_close(attend(x[:, perm]), attend(x)[:, perm])
    except AssertionError:
        return False
    return True
# %% wrong: allclose with a share of a hundredth -> "not a part"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return torch.allclose(shuffled_first, shuffled_last, rtol=1e-2, atol=1e-5)
# %% wrong: the largest difference as a share of the largest number -> "which is rounding"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return bool((shuffled_first - shuffled_last).abs().max() < 1e-5 * shuffled_last.abs().max())
# %% wrong: the words of x shuffled along the batch's axis by transposing -> "stopped with"
- shuffled_first = attend(x[:, perm])
- shuffled_last = attend(x)[:, perm]
+ shuffled_first = attend(x.T[perm].T)
+ shuffled_last = attend(x).T[perm].T
# %% wrong: a tolerance of 5e-5 -> "a little larger"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return bool((shuffled_first - shuffled_last).abs().max() < 5e-5)
# %% wrong: arguments in another order -> "in this order: attend, x, perm"
- def is_permutation_equivariant(attend, x, perm):
+ def is_permutation_equivariant(x, attend, perm):

# %% wrong: True and False changed places -> "Have True and False changed places"
def is_permutation_equivariant(attend, x, perm):
    return not torch.allclose(attend(x[:, perm]), attend(x)[:, perm], atol=1e-5)

# %% wrong: the sum of the differences, signs kept -> "Is their absolute value taken"
def is_permutation_equivariant(attend, x, perm):
    return bool((attend(x[:, perm]) - attend(x)[:, perm]).sum() < 1e-5)

# %% wrong: the first sentence alone, without its batch -> "attend was called on shape"
def is_permutation_equivariant(attend, x, perm):
    return torch.allclose(attend(x[0, perm]), attend(x[0])[perm], atol=1e-5)

# %% wrong: assert_close, whose error goes on -> "return False"
def is_permutation_equivariant(attend, x, perm):
    torch.testing.assert_close(attend(x[:, perm]), attend(x)[:, perm], rtol=1e-5, atol=1e-5)
    return True
# %% wrong: x itself is not shuffled -> "is x shuffled before"
def is_permutation_equivariant(attend, x, perm):
    first = attend(x)
    second = attend(x)[:, perm]
    return torch.allclose(first, second, rtol=0, atol=1e-5)
# %% wrong: a random shuffle instead of perm -> "not a shuffle of your own"
def is_permutation_equivariant(attend, x, perm):
    perm = torch.randperm(x.shape[1])
    first = attend(x[:, perm])
    second = attend(x)[:, perm]
    return torch.allclose(first, second, rtol=0, atol=1e-5)
# %% wrong: the order of the page instead of perm -> "not an order of another sentence"
def is_permutation_equivariant(attend, x, perm):
    perm = torch.tensor([4, 1, 2, 3, 0, 5])
    first = attend(x[:, perm])
    second = attend(x)[:, perm]
    return torch.allclose(first, second, rtol=0, atol=1e-5)
# %% wrong: lengths of the outputs compared -> "A sum or a length adds up"
def is_permutation_equivariant(attend, x, perm):
    first = attend(x[:, perm])
    second = attend(x)[:, perm]
    return torch.allclose(first.norm(dim=-1), second.norm(dim=-1), rtol=0, atol=1e-5)
# %% wrong: compares the sums over the words -> "not a mean or sum"
def is_permutation_equivariant(attend, x, perm):
    first, last = attend(x[:, perm]), attend(x)[:, perm]
    return torch.allclose(first.sum(dim=1), last.sum(dim=1), rtol=0, atol=1e-5)

# %% wrong: the output is shuffled by a shuffle of its own -> "by the same `perm`"
- shuffled_last = attend(x)[:, perm]
+ shuffled_last = attend(x)[:, torch.randperm(x.shape[1])]
# %% wrong: an answer for each number -> ".all() joins them"
- return torch.allclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
+ return torch.isclose(shuffled_first, shuffled_last, rtol=0, atol=1e-5)
