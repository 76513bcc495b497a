# %% right: short
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    scores = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
    return scores.std().item(), (scores / d**0.5).std().item()
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
# %% right: fresh pairs for the second number
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    raw = (torch.randn(n, d) * torch.randn(n, d)).sum(1).std().item()
    return raw, ((torch.randn(n, d) * torch.randn(n, d)).sum(1) / d**0.5).std().item()
# %% wrong of "short": variance -> "Is this the variance"
-     return scores.std().item(), (scores / d**0.5).std().item()
+     return scores.var().item(), (scores / d**0.5).var().item()
# %% wrong of "short": divided by d -> "Divide by its square root"
-     return scores.std().item(), (scores / d**0.5).std().item()
+     return scores.std().item(), (scores / d).std().item()
# %% wrong of "short": divided by the root of n -> "Divide by the root of the width d"
-     return scores.std().item(), (scores / d**0.5).std().item()
+     return scores.std().item(), (scores / n**0.5).std().item()
# %% wrong of "short": never divided -> "It is not divided at all"
-     return scores.std().item(), (scores / d**0.5).std().item()
+     return scores.std().item(), scores.std().item()
# %% wrong of "short": numbers swapped -> "change places"
-     return scores.std().item(), (scores / d**0.5).std().item()
+     return (scores / d**0.5).std().item(), scores.std().item()
# %% wrong of "short": products not summed -> "Are the d products summed?"
-     scores = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
+     scores = torch.randn(n, d) * torch.randn(n, d)
# %% wrong of "short": mean instead of sum -> "not their mean"
-     scores = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
+     scores = (torch.randn(n, d) * torch.randn(n, d)).mean(-1)
# %% wrong of "short": a vector with itself -> "the same vectors"
-     scores = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
+     q = torch.randn(n, d)
+     scores = (q * q).sum(-1)
# %% wrong of "short": rand instead of randn -> "torch.rand is not"
-     scores = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
+     scores = (torch.rand(n, d) * torch.rand(n, d)).sum(-1)
# %% wrong of "short": one query for all keys -> "one query for all"
-     scores = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
+     scores = torch.randn(n, d) @ torch.randn(d)
# %% wrong of "short": seed never set -> "Is it set inside the function"
-     torch.manual_seed(seed)
# %% wrong of "short": seed always 0 -> "Is `seed` used?"
-     torch.manual_seed(seed)
+     torch.manual_seed(0)
# %% wrong of "short": always 10,000 pairs -> "Is `n` used?"
-     scores = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
+     scores = (torch.randn(10_000, d) * torch.randn(10_000, d)).sum(-1)
# %% wrong: theory, not measurement -> "Are both numbers measured"
def score_spread(d, n=10_000, seed=0):
    return d**0.5, 1.0
# %% wrong of "short": tensors -> "plain number with .item()"
-     return scores.std().item(), (scores / d**0.5).std().item()
+     return scores.std(), (scores / d**0.5).std()
# %% wrong: one number -> "Are both numbers returned"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    return (torch.randn(n, d) * torch.randn(n, d)).sum(-1).std().item()
# %% wrong of "short": summed over the pairs, not over d -> "not over the n pairs"
-     scores = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
+     scores = (torch.randn(n, d) * torch.randn(n, d)).sum(0)
# %% wrong of "short": multiplied by the root -> "You multiplied by √d"
-     return scores.std().item(), (scores / d**0.5).std().item()
+     return scores.std().item(), (scores * d**0.5).std().item()
# %% wrong: only the first number is measured -> "Are both numbers measured"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    return (torch.randn(n, d) * torch.randn(n, d)).sum(-1).std().item(), 1.0
# %% right: numpy
def score_spread(d, n=10_000, seed=0):
    import numpy as np
    r = np.random.default_rng(seed)
    s = (r.standard_normal((n, d)) * r.standard_normal((n, d))).sum(1)
    return float(s.std()), float((s / np.sqrt(d)).std())
# %% wrong: sum of entries of one vector -> "wavers by"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    s = torch.randn(n, d).sum(-1)
    return s.std().item(), (s / d**0.5).std().item()
# %% wrong: uniform of variance 1 -> "wavers by"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    q, k = (torch.empty(n, d).uniform_(-(3**0.5), 3**0.5) for _ in range(2))
    s = (q * k).sum(-1)
    return s.std().item(), (s / d**0.5).std().item()
# %% wrong: noise of that spread -> "wavers by"
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
# %% wrong: rounded -> "and not rounded"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    s = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
    return round(s.std().item(), 1), round((s / d**0.5).std().item(), 1)
# %% wrong: mean abs -> "not the mean of abs"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    s = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
    return s.abs().mean().item(), (s / d**0.5).abs().mean().item()
# %% wrong: q + k -> "or added"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    s = (torch.randn(n, d) + torch.randn(n, d)).sum(-1)
    return s.std().item(), (s / d**0.5).std().item()
# %% wrong: if seed -> "Is it set inside the function"
def score_spread(d, n=10_000, seed=0):
    if seed:
        torch.manual_seed(seed)
    s = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
    return s.std().item(), (s / d**0.5).std().item()
# %% wrong of "short": no defaults -> "n and seed have defaults"
- def score_spread(d, n=10_000, seed=0):
+ def score_spread(d, n, seed):
# %% wrong: arguments renamed -> "d, n and seed"
def score_spread(width, pairs=10_000, random_seed=0):
    torch.manual_seed(random_seed)
    scores = (torch.randn(pairs, width) * torch.randn(pairs, width)).sum(-1)
    return scores.std().item(), (scores / width**0.5).std().item()
# %% wrong: vectors made of length 1 first -> "of vectors left as they are"
-     q, k = torch.randn(n, d), torch.randn(n, d)
+     q, k = F.normalize(torch.randn(n, d), dim=-1), F.normalize(torch.randn(n, d), dim=-1)
# %% wrong of "short": the standard error -> "expected about 4"
-     return scores.std().item(), (scores / d**0.5).std().item()
+     return scores.std().item() / n**0.5, (scores / d**0.5).std().item() / n**0.5
# %% wrong of "short": all queries with all keys -> "Does every query meet every key"
-     scores = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
+     scores = (torch.randn(n, d)[:500] @ torch.randn(n, d)[:500].T).flatten()
# %% wrong: rounded to three places -> "and not rounded"
- return scores.std().item(), (scores / d**0.5).std().item()
+ return round(scores.std().item(), 3), round((scores / d**0.5).std().item(), 3)
# %% wrong: the key drawn from seed 0 -> "Seed once, then draw twice"
- q, k = torch.randn(n, d), torch.randn(n, d)
+ q = torch.randn(n, d)
+ torch.manual_seed(0)
+ k = torch.randn(n, d)
# %% wrong: one key for all queries -> "one query for all keys"
- q, k = torch.randn(n, d), torch.randn(n, d)
+ q, k = torch.randn(n, d), torch.randn(d)
# %% wrong: another default for n -> "Are these the defaults?"
- def score_spread(d, n=10_000, seed=0):
+ def score_spread(d, n=1_000, seed=0):
# %% wrong of "short": a power of 1/2 without brackets -> "divides by d and by 2"
- return scores.std().item(), (scores / d**0.5).std().item()
+ return scores.std().item(), (scores / d ** 1/2).std().item()
# %% wrong of "short": brackets around the whole power of 1/2 -> "is half of d, not its root"
- return scores.std().item(), (scores / d**0.5).std().item()
+ return scores.std().item(), (scores / (d ** 1/2)).std().item()
# %% wrong: entries of standard deviation 2 -> "Are the entries twice too large?"
- q, k = torch.randn(n, d), torch.randn(n, d)
+ q, k = 2 * torch.randn(n, d), 2 * torch.randn(n, d)
# %% right: other pairs for the second number
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    def scores():
        return (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
    return scores().std().item(), (scores() / d**0.5).std().item()
# %% wrong: the variance of the scaled scores, which is near 1, too -> "The second number is the variance"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    scores = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
    return scores.std().item(), (scores / d**0.5).var().item()
# %% wrong: the example's width, whatever d is -> "Is the width `d` used?"
- q, k = torch.randn(n, d), torch.randn(n, d)
+ q, k = torch.randn(n, 64), torch.randn(n, 64)
# %% wrong: queries divided by the root already -> "Are the vectors left as they are?"
- q, k = torch.randn(n, d), torch.randn(n, d)
+ q, k = torch.randn(n, d) / d**0.5, torch.randn(n, d)
# %% wrong: a mean and a standard deviation -> "Is it the mean?"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    scores = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
    return scores.mean().item(), scores.std().item()
# %% wrong: one pair, whose spread is no number -> "Draw n pairs"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    score = torch.randn(d) @ torch.randn(d)
    return score.std().item(), (score / d**0.5).std().item()
# %% wrong: the root rounded down -> "Is the root rounded to a whole number"
import math
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    scores = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
    return scores.std().item(), (scores / math.isqrt(d)).std().item()
# %% wrong: n before d -> "Or does n come first?"
def score_spread(n, d=10_000, seed=0):
    torch.manual_seed(seed)
    scores = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
    return scores.std().item(), (scores / d**0.5).std().item()
# %% right: a loop over pairs with dot
def score_spread(d, n=10_000, seed=0):
    g = torch.Generator().manual_seed(seed)
    q = torch.empty(n, d).normal_(generator=g)
    k = torch.empty(n, d).normal_(generator=g)
    s = torch.linalg.vecdot(q, k)
    return s.std().item(), s.div(math.sqrt(d)).std().item()
import math
# %% right: float64 and variance by hand
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    q, k = torch.randn(2, n, d, dtype=torch.float64).unbind()
    s = q.mul(k).sum(1)
    var = ((s - s.mean()) ** 2).mean()
    return float(var.sqrt()), float((var / d).sqrt())
# %% right: torch.normal, numpy std
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    q = torch.normal(0.0, 1.0, size=(n, d))
    k = torch.normal(0.0, 1.0, size=(n, d))
    s = torch.bmm(q[:, None], k[:, :, None]).reshape(n).numpy()
    return float(s.std()), float((s / d**0.5).std())
# %% right: random module
import random, statistics
def score_spread(d, n=10_000, seed=0):
    r = random.Random(seed)
    s = [sum(r.gauss(0, 1) * r.gauss(0, 1) for _ in range(d)) for _ in range(n)]
    return statistics.stdev(s), statistics.stdev([a / d**0.5 for a in s])
# %% right: diagonal of pairs in chunks, forked rng
def score_spread(d, n=10_000, seed=0):
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        q, k = torch.randn(n, d), torch.randn(n, d)
    s = torch.einsum("id,id->i", q, k)
    return torch.std(s).item(), torch.std(s * d**-0.5).item()
# %% right: root mean square, since the mean is 0
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    s = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
    return s.square().mean().sqrt().item(), (s.square().mean() / d).sqrt().item()
# %% wrong: keys of ones -> "wavers by"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    q, k = torch.randn(n, d), torch.ones(n, d)
    s = (q * k).sum(-1)
    return s.std().item(), (s / d**0.5).std().item()
# %% wrong: random signs for k -> "wavers by"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    q, k = torch.randn(n, d), torch.randn(n, d).sign()
    s = (q * k).sum(-1)
    return s.std().item(), (s / d**0.5).std().item()
# %% wrong: all pairs of a smaller set -> "√n by √n"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    m = int(n**0.5)
    s = torch.randn(m, d) @ torch.randn(m, d).T
    return s.std().item(), (s / d**0.5).std().item()
# %% wrong: each vector with the next one -> "is a vector in several"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    x = torch.randn(n, d)
    s = (x * x.roll(1, 0)).sum(-1)
    return s.std().item(), (s / d**0.5).std().item()
# %% wrong: n as the seed -> "Is `seed` used?"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(0 if seed is None else n)
    s = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
    return s.std().item(), (s / d**0.5).std().item()
# %% wrong: scaled number computed as raw over rounded root -> "rounded to a whole number"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    s = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
    return s.std().item(), (s / round(d**0.5)).std().item()
# %% wrong: the max absolute score -> "the standard deviation over n sums"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    s = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
    return s.abs().max().item(), (s / d**0.5).abs().max().item()
# %% wrong: median absolute deviation -> "the median size"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    s = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
    return s.abs().median().item(), (s / d**0.5).abs().median().item()
# %% wrong: the mean over d, one root short in both -> "Are the d products summed?"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    s = (torch.randn(n, d) * torch.randn(n, d)).mean(-1)
    return (s * d**0.5).std().item(), s.std().item()
# %% wrong: tuple of strings -> "got str and str"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    s = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
    return f"{s.std():.2f}", f"{(s / d**0.5).std():.2f}"
# %% wrong: numpy floats of float32 -> "got float32 and float32"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    s = (torch.randn(n, d) * torch.randn(n, d)).sum(-1).numpy()
    return s.std(), (s / d**0.5).std()
# %% wrong: a dict -> "got dict"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    s = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
    return {"raw": s.std().item(), "scaled": (s / d**0.5).std().item()}
# %% wrong: d standard deviations summed -> "√d times too much"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    s = (torch.randn(n, d) * torch.randn(n, d)).std(0).sum()
    return s.item(), (s / d**0.5).item()
# %% wrong: seed after the draw -> "before q and k are drawn"
def score_spread(d, n=10_000, seed=0):
    q, k = torch.randn(n, d), torch.randn(n, d)
    torch.manual_seed(seed)
    s = (q * k).sum(-1)
    return s.std().item(), (s / d**0.5).std().item()
# %% wrong: the second number divided by itself -> "Are both numbers measured"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    raw = (torch.randn(n, d) * torch.randn(n, d)).sum(-1).std().item()
    return raw, raw / raw
# %% wrong: prints and returns nothing -> "got NoneType"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    s = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
    print(s.std().item(), (s / d**0.5).std().item())
# %% wrong: cosine instead of dot -> "of vectors left as they are"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    s = F.cosine_similarity(torch.randn(n, d), torch.randn(n, d))
    return s.std().item(), (s / d**0.5).std().item()
# %% wrong: distances -> "Are the vectors left as they are?"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    s = (torch.randn(n, d) - torch.randn(n, d)).norm(dim=-1)
    return s.std().item(), (s / d**0.5).std().item()
# %% wrong: only half n pairs -> "fewer than n pairs"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    x = torch.randn(n, d)
    s = (x[: n // 2] * x[n // 2 : n // 2 * 2]).sum(-1)
    return s.std().item(), (s / d**0.5).std().item()
# %% right: np legacy
import numpy as np
def score_spread(d, n=10_000, seed=0):
    np.random.seed(seed)
    q, k = np.random.randn(n, d), np.random.randn(n, d)
    s = np.einsum("nd,nd->n", q, k)
    return s.std(ddof=1), (s / np.sqrt(d)).std(ddof=1)
# %% right: MultivariateNormal-ish distributions
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    normal = torch.distributions.Normal(0.0, 1.0)
    s = (normal.sample((n, d)) * normal.sample((n, d))).sum(1)
    return float(torch.std(s)), float(torch.std(s / d**0.5))
# %% wrong: k = q permuted by columns -> "√2 times too much"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    q = torch.randn(n, d)
    s = (q * q.flip(-1)).sum(-1)
    return s.std().item(), (s / d**0.5).std().item()
# %% wrong: k = q permuted by rows -> "is a vector in several"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    q = torch.randn(n, d)
    s = (q * q[torch.randperm(n)]).sum(-1)
    return s.std().item(), (s / d**0.5).std().item()
# %% wrong: another default for n -> "Are these the defaults?"
def score_spread(d, n=100, seed=0):
    torch.manual_seed(seed)
    score = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
    return score.std().item(), (score / d**0.5).std().item()
# %% wrong: divided before the first number, and again -> "taken before the division"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    score = (torch.randn(n, d) * torch.randn(n, d)).sum(-1) / d**0.5
    return score.std().item(), (score / d**0.5).std().item()
# %% wrong: the mean spread inside a pair -> "taken inside each pair"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    products = torch.randn(n, d) * torch.randn(n, d)
    return products.std(-1).mean().item(), (products / d**0.5).std(-1).mean().item()
# %% wrong: a mean of 1 -> "or is their mean not 0"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    score = (torch.normal(1.0, 1.0, (n, d)) * torch.randn(n, d)).sum(-1)
    return score.std().item(), (score / d**0.5).std().item()
# %% wrong: both numbers rounded -> "and not rounded?"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    q = torch.randn(n, d)
    k = torch.randn(n, d)
    scores = (q * k).sum(dim=-1)
    return round(scores.std().item(), 0), round((scores / d**0.5).std().item(), 0)
# %% wrong: keys of -1, 0 and 1 -> "are all entries from torch.randn?"
def score_spread(d, n=10_000, seed=0):
    torch.manual_seed(seed)
    q = torch.randn(n, d)
    k = torch.randint(-1, 2, (n, d))
    scores = (q * k).sum(dim=-1)
    return scores.std().item(), (scores / d**0.5).std().item()
# %% wrong: the seed set anew for each pair -> "Is the seed set inside a loop?"
def score_spread(d, n=10_000, seed=0):
    scores = torch.empty(n)
    for pair in range(n):
        torch.manual_seed(seed)
        scores[pair] = torch.randn(d) @ torch.randn(d)
    return scores.std().item(), (scores / d**0.5).std().item()
# %% wrong of "short": the 8 of the example -> "Is a fixed number written"
-     return scores.std().item(), (scores / d**0.5).std().item()
+     return scores.std().item(), (scores / 8).std().item()
# %% wrong of "short": torch's root of a plain number -> "Write d ** 0.5"
-     return scores.std().item(), (scores / d**0.5).std().item()
+     return scores.std().item(), (scores / torch.sqrt(d)).std().item()
# %% wrong of "short": a product of matrices -> "A pair's score is (q * k)"
-     scores = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
+     scores = torch.randn(n, d) @ torch.randn(n, d)
# %% wrong of "short": a list of scores -> "A list of scores is no tensor yet"
-     scores = (torch.randn(n, d) * torch.randn(n, d)).sum(-1)
-     return scores.std().item(), (scores / d**0.5).std().item()
+     scores = [torch.randn(d) @ torch.randn(d) for _ in range(n)]
+     return torch.std(scores).item(), torch.std(scores / d**0.5).item()

# %% wrong: the keys have variance d -> "q or k multiplied by √d"
- q, k = torch.randn(n, d), torch.randn(n, d)
+ q, k = torch.randn(n, d), torch.randn(n, d) * d**0.5

# %% wrong: another library's seed -> "by the library that draws them"
- torch.manual_seed(seed)
+ import random
+ random.seed(seed)
