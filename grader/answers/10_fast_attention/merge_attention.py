# %% right: logaddexp
def merge_attention(out_a, lse_a, out_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    safe = torch.where(lse == -torch.inf, torch.zeros_like(lse), lse)
    return (lse_a - safe).exp()[..., None] * out_a + (lse_b - safe).exp()[..., None] * out_b, lse

# %% right: the sigmoid of the difference
def merge_attention(out_a, lse_a, out_b, lse_b):
    nothing = (lse_a == -torch.inf) & (lse_b == -torch.inf)
    share = torch.sigmoid((lse_a - lse_b).masked_fill(nothing, 0)).unsqueeze(-1)
    lse = torch.maximum(lse_a, lse_b) + F.softplus(-(lse_a - lse_b).masked_fill(nothing, 0).abs())
    return share * out_a + (1 - share) * out_b, lse.masked_fill(nothing, -torch.inf)

# %% right: a softmax over both lse, stacked
def merge_attention(out_a, lse_a, out_b, lse_b):
    both = torch.stack([lse_a, lse_b])
    shares = both.softmax(0).masked_fill(both.isinf() & (both < 0), 0)
    return (shares[..., None] * torch.stack([out_a, out_b])).sum(0), both.logsumexp(0)

# %% right: where one part is empty, the other one is taken
def merge_attention(out_a, lse_a, out_b, lse_b):
    none_a, none_b = torch.isneginf(lse_a), torch.isneginf(lse_b)
    a, b = lse_a.masked_fill(none_a, 0), lse_b.masked_fill(none_b, 0)
    top = torch.maximum(a, b).detach()
    x, y = (a - top).exp(), (b - top).exp()
    out = (x[..., None] * out_a + y[..., None] * out_b) / (x + y)[..., None]
    lse = top + (x + y).log()
    out = torch.where(none_a[..., None], out_b, torch.where(none_b[..., None], out_a, out))
    return out, torch.where(none_a, lse_b, torch.where(none_b, lse_a, lse))

# %% wrong: the mean of both -> "Each part counts half"
def merge_attention(out_a, lse_a, out_b, lse_b):
    return (out_a + out_b) / 2, torch.logaddexp(lse_a, lse_b)

# %% wrong: the sum of both -> "Each part counts 1."
def merge_attention(out_a, lse_a, out_b, lse_b):
    return out_a + out_b, torch.logaddexp(lse_a, lse_b)

# %% wrong: shares exchanged -> "The shares are swapped"
- out = (a[..., None] * out_a + b[..., None] * out_b) / total[..., None]
+ out = (b[..., None] * out_a + a[..., None] * out_b) / total[..., None]

# %% wrong: lse as shares -> "The lse themselves are taken for the shares"
- out = (a[..., None] * out_a + b[..., None] * out_b) / total[..., None]
+ out = (lse_a[..., None] * out_a + lse_b[..., None] * out_b) / (lse_a + lse_b)[..., None]

# %% wrong: not divided -> "not divided by what both count together"
- out = (a[..., None] * out_a + b[..., None] * out_b) / total[..., None]
+ out = a[..., None] * out_a + b[..., None] * out_b

# %% wrong: no largest subtracted -> "Is the larger lse subtracted from both first?"
def merge_attention(out_a, lse_a, out_b, lse_b):
    a, b = lse_a.exp(), lse_b.exp()
    out = (a[..., None] * out_a + b[..., None] * out_b) / (a + b)[..., None]
    return out, (a + b).log()

# %% wrong: one largest for all queries -> "Is one largest taken for all queries"
- largest = torch.maximum(lse_a, lse_b)
+ largest = torch.maximum(lse_a, lse_b).max().expand(lse_a.shape)

# %% wrong: NaN where nothing was seen at all -> "What if the query saw nothing?"
- safe = largest.masked_fill(nothing, 0)
+ safe = largest

# %% wrong: divided by 0 where nothing was seen -> "What if the query saw nothing?"
- total = (a + b).masked_fill(nothing, 1)
+ total = a + b

# %% wrong: a sigmoid of −∞ − (−∞) -> "What if the query saw nothing?"
def merge_attention(out_a, lse_a, out_b, lse_b):
    share = torch.sigmoid(lse_a - lse_b)[..., None]
    return share * out_a + (1 - share) * out_b, torch.logaddexp(lse_a, lse_b)

# %% wrong: NaN becomes 0, so an empty part counts -> "expected (3, 4)"
- a, b = (lse_a - safe).exp(), (lse_b - safe).exp()
+ a, b = ((x - safe).masked_fill(x == -torch.inf, 0).exp() for x in (lse_a, lse_b))

# %% wrong: lse added -> "The two lse are added, or the larger one is returned"
- return out, largest + total.log()
+ return out, lse_a + lse_b

# %% wrong: the larger lse -> "The two lse are added, or the larger one is returned"
- return out, largest + total.log()
+ return out, largest

# %% wrong: the largest is not added back -> "not added back"
- return out, largest + total.log()
+ return out, total.log()

# %% wrong: the sum without its logarithm -> "Take its logarithm, and add the largest back"
- return out, largest + total.log()
+ return out, total

# %% wrong: the sum of exponentials -> "That is the sum of the exponentials"
- return out, largest + total.log()
+ return out, lse_a.exp() + lse_b.exp()

# %% wrong: a base of 2 -> "a logarithm to the base 2"
- return out, largest + total.log()
+ return out, (lse_a.exp() + lse_b.exp()).log2()

# %% wrong: the mean lse -> "That is their mean"
- return out, largest + total.log()
+ return out, (lse_a + lse_b) / 2

# %% wrong: powers of 2 -> "Powers of 2?"
- a, b = (lse_a - safe).exp(), (lse_b - safe).exp()
+ a, b = (lse_a - safe).exp2(), (lse_b - safe).exp2()

# %% wrong: a sigmoid of each -> "A part counts exp(lse). What is its share"
- out = (a[..., None] * out_a + b[..., None] * out_b) / total[..., None]
+ out = lse_a.sigmoid()[..., None] * out_a + lse_b.sigmoid()[..., None] * out_b

# %% wrong: part b is lost -> "Part b is lost"
- out = (a[..., None] * out_a + b[..., None] * out_b) / total[..., None]
+ out = a[..., None] * out_a / total[..., None]

# %% wrong: a share without its axis -> "Does the share get an axis more"
- out = (a[..., None] * out_a + b[..., None] * out_b) / total[..., None]
+ out = (a * out_a + b * out_b) / total if out_a.shape[0] > 1 else (a[..., None] * out_a + b[..., None] * out_b) / total[..., None]

# %% wrong: the output alone -> "got one Tensor"
- return out, largest + total.log()
+ return out

# %% wrong: lse keeps an axis -> "An lse is (…, q)"
- return out, largest + total.log()
+ return out, (largest + total.log())[..., None]

# %% wrong: shares of the first query for all -> "Does each query of each head and sentence have shares of its own"
- out = (a[..., None] * out_a + b[..., None] * out_b) / total[..., None]
+ total = total[..., :1].expand(total.shape)
+ a, b = a[..., :1].expand(a.shape), b[..., :1].expand(b.shape)
+ out = (a[..., None] * out_a + b[..., None] * out_b) / total[..., None]

# %% wrong: changes out_a in place -> "changed one of its arguments in place"
- out = (a[..., None] * out_a + b[..., None] * out_b) / total[..., None]
+ out = (out_a.mul_(a[..., None]) + b[..., None] * out_b) / total[..., None]

# %% wrong: float32 inside -> "give a result of torch.float32"
- largest = torch.maximum(lse_a, lse_b)
+ out_a, lse_a, out_b, lse_b = (t.float() for t in (out_a, lse_a, out_b, lse_b))
+ largest = torch.maximum(lse_a, lse_b)

# %% wrong: shares detached -> "No gradient reaches lse_a"
- a, b = (lse_a - safe).exp(), (lse_b - safe).exp()
+ a, b = (lse_a - safe).detach().exp(), (lse_b - safe).detach().exp()

# %% wrong: lse detached -> "No gradient reaches lse_a"
- return out, largest + total.log()
+ return out, (largest + total.log()).detach()

# %% wrong: exponentials clamped -> "exp of that is inf, or 0"
- a, b = (lse_a - safe).exp(), (lse_b - safe).exp()
+ a, b = lse_a.clamp(-80, 80).exp(), lse_b.clamp(-80, 80).exp()
+ return (a[..., None] * out_a + b[..., None] * out_b) / (a + b)[..., None], (a + b).log()

# %% wrong: a millionth in the divisor -> "Is a small number added to the sum that divides"
- total = (a + b).masked_fill(nothing, 1)
+ total = a + b + 1e-6

# %% wrong: a thousandth in the divisor -> "out is not attention over all keys"
- total = (a + b).masked_fill(nothing, 1)
+ total = a + b + 1e-3

# %% right: a tiny number in the divisor, and zeros where nothing was seen
def merge_attention(out_a, lse_a, out_b, lse_b):
    top = torch.maximum(lse_a, lse_b)
    shift = torch.nan_to_num(top, neginf=0.0)
    a, b = torch.exp(lse_a - shift), torch.exp(lse_b - shift)
    total = a + b + 1e-10
    out = (a.unsqueeze(-1) * out_a + b.unsqueeze(-1) * out_b) / total.unsqueeze(-1)
    return out, top + torch.log(total)

# %% wrong: an lse of 0 where nothing was seen -> "Its lse is −∞, not 0"
- return out, largest + total.log()
+ return out, safe + total.log()

# %% wrong: a softmax of a softmax -> "Is there a softmax of a softmax?"
- out = (a[..., None] * out_a + b[..., None] * out_b) / total[..., None]  # (…, q, d_v)
+ a, b = (a / total).exp(), (b / total).exp()
+ out = (a[..., None] * out_a + b[..., None] * out_b) / (a + b)[..., None]

# %% wrong: NaN replaced at the end -> "its gradient is NaN"
- nothing = largest == -torch.inf
- safe = largest.masked_fill(nothing, 0)
- a, b = (lse_a - safe).exp(), (lse_b - safe).exp()
- total = (a + b).masked_fill(nothing, 1)
- out = (a[..., None] * out_a + b[..., None] * out_b) / total[..., None]
- return out, largest + total.log()
+ a, b = (lse_a - largest).exp(), (lse_b - largest).exp()
+ total = a + b
+ out = (a[..., None] * out_a + b[..., None] * out_b) / total[..., None]
+ return out.nan_to_num(), (largest + total.log()).nan_to_num(nan=-torch.inf)

# %% right: float32 on the way
- out = (a[..., None] * out_a + b[..., None] * out_b) / total[..., None]
- return out, largest + total.log()
+ a, b, total = (t.float()[..., None] for t in (a, b, total))
+ out = (a * out_a.float() + b * out_b.float()) / total
+ return out.type_as(out_a), largest + total[..., 0].log().type_as(largest)

# %% wrong: lse first, then out -> "in this order"
- return out, largest + total.log()
+ return largest + total.log(), out

# %% wrong: part b in both terms -> "or only part b counts"
- out = (a[..., None] * out_a + b[..., None] * out_b) / total[..., None]
+ out = (a[..., None] * out_b + b[..., None] * out_b) / total[..., None]

# %% wrong: the sigmoid of one lse -> "Do both lse enter?"
- out = (a[..., None] * out_a + b[..., None] * out_b) / total[..., None]
+ share = lse_a.sigmoid()[..., None]
+ out = share * out_a + (1 - share) * out_b
