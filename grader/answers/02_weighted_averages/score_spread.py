# %% right: own generator, einsum
def score_spread(d, n=10_000, seed=0):
    generator = torch.Generator().manual_seed(seed)
    q = torch.randn(n, d, generator=generator)
    k = torch.randn(n, d, generator=generator)
    scores = torch.einsum("nd,nd->n", q, k)
    raw = float(scores.std())
    return raw, raw / d**0.5
# %% right: matrix product of each pair, a list
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    pairs = torch.randn(2, n, d)
    scores = (pairs[0].unsqueeze(1) @ pairs[1].unsqueeze(2)).flatten()
    return [scores.std(unbiased=False).item(), scores.div(d**0.5).std(unbiased=False).item()]
# %% right: the standard library, a loop over pairs in columns
def score_spread(d, n=10_000, seed=0):
    import math
    torch.manual_seed(seed)
    total = torch.zeros(n, dtype=torch.float64)
    for _ in range(d):
        total += torch.randn(n).double() * torch.randn(n).double()
    variance = ((total - total.mean()) ** 2).sum() / (n - 1)
    return math.sqrt(variance), math.sqrt(variance / d)
# %% right: fresh pairs for the second number
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    raw = (torch.randn(n, d) * torch.randn(n, d)).sum(1).std().item()
    return raw, ((torch.randn(n, d) * torch.randn(n, d)).sum(1) / d**0.5).std().item()
# %% wrong: variance -> "Is this the variance"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    scores = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
    return scores.var().item(), (scores / d**0.5).var().item()
# %% wrong: divided by d -> "Is the root there?"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    scores = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
    return scores.std().item(), (scores / d).std().item()
# %% wrong: divided by the root of n -> "Which of the two is the width?"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    scores = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
    return scores.std().item(), (scores / n**0.5).std().item()
# %% wrong: never divided -> "Is the second number divided by √d?"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    scores = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
    return scores.std().item(), scores.std().item()
# %% wrong: numbers swapped -> "change places"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    scores = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
    return (scores / d**0.5).std().item(), scores.std().item()
# %% wrong: products not summed -> "Are the d products summed?"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    scores = torch.randn(n, d) * torch.randn(n, d)
    return scores.std().item(), (scores / d**0.5).std().item()
# %% wrong: mean instead of sum -> "not their mean"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    scores = (torch.randn(n, d) * torch.randn(n, d)).mean(-1)
    return scores.std().item(), (scores / d**0.5).std().item()
# %% wrong: a vector with itself -> "the same vectors"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    q = torch.randn(n, d)
    scores = (q * q).sum(-1)
    return scores.std().item(), (scores / d**0.5).std().item()
# %% wrong: seeded before each draw -> "Seed once, then draw twice"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    q = torch.randn(n, d)
    torch.manual_seed(seed)
    k = torch.randn(n, d)
    scores = (q * k).sum(-1)
    return scores.std().item(), (scores / d**0.5).std().item()
# %% wrong: rand instead of randn -> "torch.rand is not"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    scores = (torch.rand(n, d) * torch.rand(n, d)).sum(-1)
    return scores.std().item(), (scores / d**0.5).std().item()
# %% wrong: rand from -1 to 1 -> "torch.rand is not"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    scores = ((2 * torch.rand(n, d) - 1) * (2 * torch.rand(n, d) - 1)).sum(-1)
    return scores.std().item(), (scores / d**0.5).std().item()
# %% wrong: one query for all keys -> "one query for all"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    scores = torch.randn(n, d) @ torch.randn(d)
    return scores.std().item(), (scores / d**0.5).std().item()
# %% wrong: seed never set -> "Is the seed set inside the function?"
def score_spread(d, n=10_000, seed=0):
    scores = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
    return scores.std().item(), (scores / d**0.5).std().item()
# %% wrong: seed always 0 -> "Is `seed` used?"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(0)
    scores = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
    return scores.std().item(), (scores / d**0.5).std().item()
# %% wrong: always 10,000 pairs -> "Is `n` used?"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    scores = (torch.randn(10_000, d) * torch.randn(10_000, d)).sum(-1)
    return scores.std().item(), (scores / d**0.5).std().item()
# %% wrong: theory, not measurement -> "Are both numbers measured?"
def score_spread(d, n=10_000, seed=0):
    return d**0.5, 1.0
# %% wrong: tensors -> "Is .item() missing"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    scores = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
    return scores.std(), (scores / d**0.5).std()
# %% wrong: one number -> "are both returned?"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    return (torch.randn(n, d) * torch.randn(n, d)).sum(-1).std().item()
# %% wrong: printed, not returned -> "`return`"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    scores = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
    print(scores.std(), (scores / d**0.5).std())
# %% wrong: NaN -> "expected about 4 = √16"
def score_spread(d, n=10_000, seed=0):
    return float("nan"), float("nan")
# %% wrong: spread within each query, averaged over 10 pairs at most -> "Is `n` used?"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    q, k = torch.randn(50, d), torch.randn(10_000, d)
    scores = (q @ k.T).flatten()
    return scores.std().item(), (scores / d**0.5).std().item()
# %% wrong: summed over the pairs, not over d -> "not over the n pairs"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    scores = (torch.randn(n, d) * torch.randn(n, d)).sum(0)
    return scores.std().item(), (scores / d**0.5).std().item()
# %% wrong: another library is seeded -> "Is the seed set inside the function?"
def score_spread(d, n=10_000, seed=0):
    import random
    random.seed(seed)
    scores = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
    return scores.std().item(), (scores / d**0.5).std().item()
# %% wrong: query and key divided by the root each -> "That is d. Is the root there?"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    q, k = torch.randn(n, d), torch.randn(n, d)
    return (q * k).sum(-1).std().item(), (q / d**0.5 * k / d**0.5).sum(-1).std().item()
# %% wrong: multiplied by the root -> "Is it the spread of q·k / √d?"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    scores = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
    return scores.std().item(), (scores * d**0.5).std().item()
# %% wrong: the arguments returned -> "Is .item() missing?"
def score_spread(d, n=10_000, seed=0):
    return d, n
# %% wrong: only the first number is measured -> "Are both numbers measured?"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    return (torch.randn(n, d) * torch.randn(n, d)).sum(-1).std().item(), 1.0
# %% right: numpy
def score_spread(d, n=10_000, seed=0):
    import numpy as np
    r = np.random.default_rng(seed)
    s = (r.standard_normal((n, d)) * r.standard_normal((n, d))).sum(1)
    return float(s.std()), float((s / np.sqrt(d)).std())
# %% right: distributions, columns
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    q, k = torch.distributions.Normal(0, 1).sample((2, d, n))
    s = (q * k).sum(0)
    return s.var().sqrt().item(), s.std().item() / d**0.5
# %% wrong: sum of entries of one vector -> hidden: "wavers by"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    s = torch.randn(n, d).sum(-1)
    return s.std().item(), (s / d**0.5).std().item()
# %% wrong: uniform of variance 1 -> hidden: "wavers by"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    q, k = (torch.empty(n, d).uniform_(-(3**0.5), 3**0.5) for _ in range(2))
    s = (q * k).sum(-1)
    return s.std().item(), (s / d**0.5).std().item()
# %% wrong: noise of that spread -> hidden: "wavers by"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    s = torch.randn(n) * d**0.5
    return s.std().item(), (s / d**0.5).std().item()
# %% wrong: rademacher -> hidden: "fewer than 64"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    q, k = torch.randint(0, 2, (n, d)) * 2.0 - 1, torch.randint(0, 2, (n, d)) * 2.0 - 1
    s = (q * k).sum(-1)
    return s.std().item(), (s / d**0.5).std().item()
# %% wrong: rounded -> "Were they rounded?"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    s = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
    return round(s.std().item(), 1), round((s / d**0.5).std().item(), 1)
# %% wrong: mean abs -> "Is it the standard deviation"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    s = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
    return s.abs().mean().item(), (s / d**0.5).abs().mean().item()
# %% wrong: q + k -> "or added?"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    s = (torch.randn(n, d) + torch.randn(n, d)).sum(-1)
    return s.std().item(), (s / d**0.5).std().item()
# %% wrong: if seed -> "Is the seed set inside"
def score_spread(d, n=10_000, seed=0):
    if seed:
        torch.manual_seed(seed)
    s = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
    return s.std().item(), (s / d**0.5).std().item()
