# %% right: two values of one number each
def divisor(attend, d):
    query = torch.zeros(1, d).double()
    query[0, -1] = 2.0
    key = torch.cat([query, -query])
    share = attend(query, key, torch.tensor([[1.0], [0.0]]).double()).item()  # of the first key
    return 8 / (math.log(share) - math.log1p(-share)) if share < 0.999 else small(attend, d)


def small(attend, d):
    one = torch.ones(1, d).double() / d**0.5
    key = torch.cat([one / 2, 0 * one])
    first, second = attend(one, key, torch.eye(2).double()).flatten().tolist()
    return 0.5 / math.log(first / second)

# %% right: the slope of a line through several dot products
def divisor(attend, d):
    odds, steps = [], torch.linspace(0.2, 2.0, 10, dtype=torch.float64)
    unit = torch.eye(d, dtype=torch.float64)[:1]
    for step in steps:
        w = attend(unit, torch.cat([step * unit, 0 * unit]), torch.eye(2, dtype=torch.float64))[0]
        odds.append(torch.log(w[0]) - torch.log(w[1]))
    slope = (torch.stack(odds) * steps).sum() / steps.square().sum()
    return float(1 / slope)

# %% right: random directions
def divisor(attend, d):
    query = torch.randn(1, d, dtype=torch.float64)
    query = query / query.norm()
    key = torch.cat([torch.zeros_like(query), query])
    low, high = attend(query, key, torch.eye(2, dtype=torch.float64))[0].log()
    return ((query @ query.T).item()) / (high - low).item()

# %% wrong: the inverse -> "That is the inverse"
- return (1 / (first / second).log()).item()
+ return (first / second).log().item()
# %% wrong: √d without measuring -> "Measure it: it need not be right"
- return (1 / (first / second).log()).item()
+ return d**0.5
# %% wrong: the odds are turned over -> "The sign is inverted"
- return (1 / (first / second).log()).item()
+ return (1 / (second / first).log()).item()
# %% wrong: no logarithm -> "Is the logarithm left out?"
- return (1 / (first / second).log()).item()
+ return (1 / (first / second)).item()
# %% wrong: the logarithm to the base 10 -> "base 10"
- return (1 / (first / second).log()).item()
+ return (1 / (first / second).log10()).item()
# %% wrong: the logarithm to the base 2 -> "base 2"
- return (1 / (first / second).log()).item()
+ return (1 / (first / second).log2()).item()
# %% wrong: a tensor -> "Expected a float, got Tensor"
- return (1 / (first / second).log()).item()
+ return 1 / (first / second).log()
# %% wrong: a large dot product -> "Take a smaller dot product"
- key[0, 0] = 1.0
+ key[0, 0] = 10.0

- first, second = attend(key[:1], key, torch.eye(2, dtype=torch.float64))[0]
- return (1 / (first / second).log()).item()
+ first, second = attend(key[:1], key, torch.eye(2, dtype=torch.float64))[0]
+ return (100 / (first / second).log()).item()
# %% wrong: the dot product of ones is d -> "You take that for 1"
- key[0, 0] = 1.0
+ key[0] = 1.0
# %% wrong: the difference of weights in place of their ratio -> "Is it the difference of the weights?"
- return (1 / (first / second).log()).item()
+ return (1 / (first - second)).item()
# %% wrong: one key, so that there are no odds -> "is the logarithm of a ratio of weights"
- first, second = attend(key[:1], key, torch.eye(2, dtype=torch.float64))[0]
+ first, second = attend(key[:1], key, torch.eye(2, dtype=torch.float64))[0].sum().expand(2)
# %% wrong: rounded to whole numbers -> "divides its dot products by 0.1"
- return (1 / (first / second).log()).item()
+ return float(round((1 / (first / second).log()).item()))
# %% wrong: float32 and a tiny dot product -> "Is a small ratio lost in rounding?"
- key = torch.zeros(2, d, dtype=torch.float64)
- key[0, 0] = 1.0
- first, second = attend(key[:1], key, torch.eye(2, dtype=torch.float64))[0]
- return (1 / (first / second).log()).item()
+ key = torch.zeros(2, d)
+ key[0, 0] = 0.01
+ first, second = attend(key[:1], key, torch.eye(2))[0]
+ return (0.01**2 / (first / second).log()).item()
# %% wrong: a dot product of 4 is taken for 1 -> "You take that for 1"
- key[0, 0] = 1.0
+ key[0, 0] = 2.0
# %% wrong: the logarithm of one weight -> "Is it the logarithm of one weight?"
- return (1 / (first / second).log()).item()
+ return (1 / first.log()).item()
# %% wrong: rounded to a whole number -> "Or is something rounded?"
- return (1 / (first / second).log()).item()
+ return float(round((1 / (first / second).log()).item()))

# %% wrong: a stray √d -> "It is too small by √d"
- return (1 / (first / second).log()).item()
+ return (1 / (first / second).log()).item() / d**0.5
# %% wrong: the logarithm of the first weight, with a minus -> "Is it the logarithm of one weight?"
- return (1 / (first / second).log()).item()
+ return (-1 / first.log()).item()
# %% wrong: cut off at 1 -> "Is it cut off at 1?"
- return (1 / (first / second).log()).item()
+ return max(1.0, (1 / (first / second).log()).item())
