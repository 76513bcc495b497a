# %% right: masked by the identity
def nearest_other(x):
    covered = (x @ x.mT).masked_fill(torch.eye(len(x), dtype=torch.bool), float("-inf"))
    return covered.argmax(-1)
# %% right: a loop over the rows
def nearest_other(x):
    best = []
    for i in range(len(x)):
        others = [j for j in range(len(x)) if j != i]
        best.append(max(others, key=lambda j: float(x[i] @ x[j])))
    return torch.tensor(best)
# %% right: the own column cut out, indices put back
def nearest_other(x):
    n = len(x)
    dots = x @ x.T
    rest = dots[~torch.eye(n, dtype=torch.bool)].reshape(n, n - 1).argmax(1)
    return rest + (rest >= torch.arange(n))
# %% right: the two largest, and the one that is not the word itself
def nearest_other(x):
    order = (x @ x.T).argsort(dim=1, descending=True)
    own = torch.arange(len(x))[:, None]
    first, second = order[:, 0], order[:, 1]
    return torch.where(first == own[:, 0], second, first)
# %% right: less than everything there is
def nearest_other(x):
    dots = torch.einsum("id,jd->ij", x, x)
    return (dots - torch.diag(dots.diagonal() + 2 * dots.abs().max())).max(dim=1).indices
# %% wrong: itself allowed -> "chose itself"
- dots.fill_diagonal_(float("-inf"))
# %% wrong: zero on the diagonal -> "chose itself"
- dots.fill_diagonal_(float("-inf"))
+ dots.fill_diagonal_(0)
# %% wrong: minus one on the diagonal -> "chose itself"
- dots.fill_diagonal_(float("-inf"))
+ dots.fill_diagonal_(-1)
# %% wrong: minus a thousand on the diagonal -> "Smaller than every number is"
- dots.fill_diagonal_(float("-inf"))
+ dots.fill_diagonal_(-1000)
# %% wrong: a billion is taken off, which large numbers exceed -> "Smaller than every number is"
- dots.fill_diagonal_(float("-inf"))
- return dots.argmax(dim=-1)
+ return (dots - 1e9 * torch.eye(len(x))).argmax(dim=-1)
# %% wrong: the smallest of all on the diagonal, which may be a tie -> "chose itself"
- dots.fill_diagonal_(float("-inf"))
+ dots.fill_diagonal_(dots.min())
# %% wrong: diagonal set to NaN -> "chose itself"
- dots.fill_diagonal_(float("-inf"))
+ dots.fill_diagonal_(float("nan"))
# %% wrong: plus infinity -> "chose itself"
- dots.fill_diagonal_(float("-inf"))
+ dots.fill_diagonal_(float("inf"))
# %% wrong: the least agreeing -> "*least*"
- dots.fill_diagonal_(float("-inf"))
- return dots.argmax(dim=-1)
+ dots.fill_diagonal_(float("inf"))
+ return dots.argmin(dim=-1)
# %% wrong: nearest by distance -> "by distance"
- dots = x @ x.T
- dots.fill_diagonal_(float("-inf"))
- return dots.argmax(dim=-1)
+ away = torch.cdist(x, x).fill_diagonal_(float("inf"))
+ return away.argmin(dim=-1)
# %% wrong: cosine -> "by angle alone"
- dots = x @ x.T
+ unit = F.normalize(x, dim=-1)
+ dots = unit @ unit.T
# %% wrong: without the sign -> "without their sign"
- dots = x @ x.T
+ dots = (x @ x.T).abs()
# %% wrong: always the second largest -> "second largest"
- dots.fill_diagonal_(float("-inf"))
- return dots.argmax(dim=-1)
+ return dots.topk(2).indices[:, 1]
# %% wrong: own column cut out, indices not put back -> "cut out, not covered"
- dots.fill_diagonal_(float("-inf"))
- return dots.argmax(dim=-1)
+ n = len(x)
+ return dots[~torch.eye(n, dtype=torch.bool)].reshape(n, n - 1).argmax(1)
# %% wrong: later words only -> "later words only"
- dots.fill_diagonal_(float("-inf"))
+ dots = dots.masked_fill(torch.ones_like(dots).tril().bool(), float("-inf"))
# %% wrong: counted from 1 -> "counted from 0"
- return dots.argmax(dim=-1)
+ return dots.argmax(dim=-1) + 1
# %% wrong: one index for all -> "whole matrix"
- return dots.argmax(dim=-1)
+ return dots.argmax()
# %% wrong: the dot product, not the index -> "torch.int64"
- return dots.argmax(dim=-1)
+ return dots.amax(dim=-1)
# %% wrong: values and indices -> "one tensor"
- return dots.argmax(dim=-1)
+ return dots.max(dim=-1)
# %% wrong: a list -> "one tensor"
- return dots.argmax(dim=-1)
+ return dots.argmax(dim=-1).tolist()
# %% wrong: int32 -> "torch.int64"
- return dots.argmax(dim=-1)
+ return dots.argmax(dim=-1).int()
# %% wrong: keepdim -> "left over"
- return dots.argmax(dim=-1)
+ return dots.argmax(dim=-1, keepdim=True)
# %% wrong: the other vectors themselves -> "not its index"
- return dots.argmax(dim=-1)
+ return x[dots.argmax(dim=-1)]
# %% wrong: columns against columns -> "Words are rows"
- dots = x @ x.T
+ dots = x.T @ x
# %% wrong: not transposed -> "x times x transposed"
- dots = x @ x.T
+ dots = x @ x
# %% wrong: no return -> "`return`"
- return dots.argmax(dim=-1)
+ best = dots.argmax(dim=-1)
# %% wrong: equal words count as the word itself -> "besides the diagonal"
- dots.fill_diagonal_(float("-inf"))
+ dots[dots == dots.diagonal()[:, None]] = float("-inf")
# %% wrong: argument renamed -> "still called x"
- def nearest_other(x):
+ def nearest_other(vectors):

- dots = x @ x.T
+ dots = vectors @ vectors.T
# %% wrong: always five words -> "any n"
- dots.fill_diagonal_(float("-inf"))
+ dots[torch.arange(5), torch.arange(5)] = float("-inf")
# %% wrong: x written to -> "in place"
- dots = x @ x.T
+ x -= x.mean(0)
+ dots = x @ x.T
# %% wrong: a batch expected -> "without a batch"
- dots = x @ x.T
+ batch, n, d = x.shape
+ dots = x @ x.mT
# %% right: float32 on the way
- dots = x @ x.T
+ dots = x.float() @ x.float().T
# %% wrong: a loop that begins at -1 -> "below your first guess"
def nearest_other(x):
    found = []
    for i in range(len(x)):
        best, where = -1, None
        for j in range(len(x)):
            if i != j and x[i] @ x[j] > best:
                best, where = x[i] @ x[j], j
        found.append(where)
    return torch.tensor(found)
# %% wrong: a loop that begins at 0 -> "chose itself"
def nearest_other(x):
    found = torch.zeros(len(x), dtype=torch.int64)
    for i in range(len(x)):
        best = 0.0
        for j in range(len(x)):
            if i != j and x[i] @ x[j] > best:
                best, found[i] = x[i] @ x[j], j
    return found
# %% wrong: earlier words only -> "earlier words only"
- dots.fill_diagonal_(float("-inf"))
+ dots = dots.masked_fill(torch.ones_like(dots).triu().bool(), float("-inf"))
# %% right: a table of float32 zeros, filled in a loop
def nearest_other(x):
    n = len(x)
    dots = torch.zeros(n, n)
    for i in range(n):
        for j in range(n):
            dots[i, j] = x[i] @ x[j] if i != j else float("-inf")
    return dots.argmax(1)
# %% right: infinity taken off the diagonal alone
def nearest_other(x):
    return torch.argmax(x @ x.T - torch.diag(torch.full((len(x),), float("inf"))), dim=1)
# %% right: the other words put side by side
def nearest_other(x):
    answer = []
    for i, word in enumerate(x):
        others = torch.cat([x[:i], x[i + 1 :]])
        j = int(torch.argmax(others @ word))
        answer.append(j if j < i else j + 1)
    return torch.LongTensor(answer)
# %% wrong: the smallest whole number, which is not smaller than every number -> "Smaller than every number is"
- dots.fill_diagonal_(float("-inf"))
+ dots.fill_diagonal_(-(2**63))
# %% wrong: through numpy, which takes no tensor with a gradient -> "NumPy needs x.detach()"
def nearest_other(x):
    dots = (x @ x.T).numpy()
    dots[range(len(dots)), range(len(dots))] = float("-inf")
    return torch.from_numpy(dots.argmax(-1))
# %% wrong: a diagonal that is small only among negative numbers -> "All dot products lie between 101 and 109"
def nearest_other(x):
    dots = x @ x.T
    return dots.masked_fill(torch.eye(len(x), dtype=torch.bool), dots.min().item() * 2 - 1).argmax(-1)
# %% wrong: moved to a GPU that may not be there -> "GPU"
def nearest_other(x):
    dots = (x @ x.T).cuda()
    return dots.fill_diagonal_(float("-inf")).argmax(-1)
# %% wrong: whatever equals the diagonal is covered -> "Is something covered besides the diagonal"
def nearest_other(x):
    dots = x @ x.T
    dots[dots == dots.diagonal()[:, None]] = -torch.inf
    return dots.argmax(-1)
# %% wrong: -10,000 on the diagonal -> "chose itself"
def nearest_other(x):
    return (x @ x.T).fill_diagonal_(-1e4).argmax(-1)
# %% wrong: max, with its values -> "one index per word alone"
def nearest_other(x):
    return (x @ x.T).fill_diagonal_(-torch.inf).max(-1)
# %% right: the diagonal cut out, and the places counted on
def nearest_other(x):
    n = len(x)
    others = (x @ x.T).flatten()[1:].view(n - 1, n + 1)[:, :-1].reshape(n, n - 1)
    best = others.argmax(-1)
    return best + (best >= torch.arange(n))
# %% right: sorted, then the first that is another
def nearest_other(x):
    order = (x @ x.T).argsort(dim=-1, descending=True)
    return order[order != torch.arange(len(x))[:, None]].reshape(len(x), -1)[:, 0]
# %% wrong: the own dot product turned negative -> "made of its own length"
def nearest_other(x):
    dots = x @ x.T
    return (dots - 2 * torch.diag(dots.diagonal())).argmax(-1)
# %% right: the first or the second of the two largest
def nearest_other(x):
    first, second = (x @ x.T).topk(2, dim=-1).indices.unbind(-1)
    return torch.where(first == torch.arange(len(x)), second, first)
# %% wrong: one-hot instead of an index -> "or its place written as one-hot"
def nearest_other(x):
    dots = x @ x.T
    dots.fill_diagonal_(float("-inf"))
    return F.one_hot(dots.argmax(dim=-1), len(x))
# %% wrong: returns inside the loop -> "does the `return` stand inside a loop?"
def nearest_other(x):
    for i in range(len(x)):
        dots = x @ x[i]
        dots[i] = float('-inf')
        return dots.argmax()
# %% wrong: the last word is never tried -> "No row finds the last word"
def nearest_other(x):
    best = []
    for i in range(len(x)):
        largest, at = float("-inf"), 0
        for j in range(len(x) - 1):
            if i != j and x[i] @ x[j] > largest:
                largest, at = x[i] @ x[j], j
        best.append(at)
    return torch.tensor(best)
# %% wrong: the first word is never tried -> "No row finds the first word"
def nearest_other(x):
    best = []
    for i in range(len(x)):
        largest, at = float("-inf"), 0
        for j in range(1, len(x)):
            if i != j and x[i] @ x[j] > largest:
                largest, at = x[i] @ x[j], j
        best.append(at)
    return torch.tensor(best)
# %% wrong: the smallest dot product less 1 -> "Of so large numbers float32"
- dots.fill_diagonal_(float("-inf"))
+ dots.fill_diagonal_(dots.min().item() - 1)
# %% wrong: the right indices as floats -> "Where does the other dtype come from?"
def nearest_other(x):
    scores = x @ x.T
    scores.fill_diagonal_(float("-inf"))
    return scores.argmax(-1).float()
# %% wrong: the smallest taken -> "Is it argmin"
- return dots.argmax(dim=-1)
+ return dots.argmin(dim=-1)
