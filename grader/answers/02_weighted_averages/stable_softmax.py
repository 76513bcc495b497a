# %% right: torch.max with values
def stable_softmax(x, dim):
    e = (x - x.max(dim=dim, keepdim=True).values).exp()
    return e.div(e.sum(dim=dim, keepdim=True))
# %% right: maximum detached
def stable_softmax(x, dim):
    e = torch.exp(x - x.detach().max(dim, keepdim=True)[0])
    total = e.sum(dim).unsqueeze(dim)
    return e / total
# %% right: row by row
def stable_softmax(x, dim):
    rows = x.movedim(dim, -1)
    flat = rows.reshape(-1, rows.shape[-1])
    done = []
    for row in flat:
        e = (row - max(row)).exp()
        done.append(e / sum(e))
    return torch.stack(done).reshape(rows.shape).movedim(-1, dim)
# %% right: exp of x minus its own log of the sum
def stable_softmax(x, dim):
    top = x.amax(dim, keepdim=True)
    log_sum = top + (x - top).exp().sum(dim, keepdim=True).log()
    return (x - log_sum).exp()
# %% shortcut: torch.softmax
def stable_softmax(x, dim):
    return torch.softmax(x, dim)
# %% shortcut: the method
def stable_softmax(x, dim):
    return x.softmax(dim)
# %% shortcut: log_softmax
def stable_softmax(x, dim):
    return F.log_softmax(x, dim=dim).exp()
# %% shortcut: logsumexp
def stable_softmax(x, dim):
    return torch.exp(x - torch.logsumexp(x, dim, keepdim=True))
# %% shortcut: the module
def stable_softmax(x, dim):
    return nn.Softmax(dim=dim)(x)
# %% wrong: the formula as it stands -> "largest entry subtracted"
def stable_softmax(x, dim):
    return x.exp() / x.exp().sum(dim, keepdim=True)
# %% wrong: NaN of the plain formula replaced -> "no NaN replaced"
def stable_softmax(x, dim):
    return torch.nan_to_num(x.exp() / x.exp().sum(dim, keepdim=True))
# %% wrong: scores cut off at 80 -> "Is nothing cut off"
def stable_softmax(x, dim):
    e = x.clamp(-80, 80).exp()
    return e / e.sum(dim, keepdim=True)
# %% wrong: mean subtracted -> "Is it the largest entry that is subtracted"
def stable_softmax(x, dim):
    e = (x - x.mean(dim, keepdim=True)).exp()
    return e / e.sum(dim, keepdim=True)
# %% wrong: smallest subtracted -> "Is it the largest entry that is subtracted"
def stable_softmax(x, dim):
    e = (x - x.amin(dim, keepdim=True)).exp()
    return e / e.sum(dim, keepdim=True)
# %% wrong: largest absolute value subtracted -> "with its sign"
def stable_softmax(x, dim):
    e = (x - x.abs().amax(dim, keepdim=True)).exp()
    return e / e.sum(dim, keepdim=True)
# %% wrong: one maximum for the whole tensor -> "one maximum for all rows"
def stable_softmax(x, dim):
    e = (x - x.max()).exp()
    return e / e.sum(dim, keepdim=True)
# %% wrong: always the last axis -> "Is `dim` used?"
def stable_softmax(x, dim):
    e = (x - x.amax(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)
# %% wrong: sum over everything -> "Is the sum taken along dim?"
def stable_softmax(x, dim):
    e = (x - x.amax(dim, keepdim=True)).exp()
    return e / e.sum()
# %% wrong: axis lost in the maximum -> "Is the axis kept?"
def stable_softmax(x, dim):
    e = (x - x.amax(dim)).exp()
    return e / e.sum(dim)
# %% wrong: max returns a pair -> "Did you want its values?"
def stable_softmax(x, dim):
    e = torch.exp(x - x.max(dim, keepdim=True))
    return e / e.sum(dim, keepdim=True)
# %% wrong: divided by the largest -> "divided by its own sum"
def stable_softmax(x, dim):
    e = (x - x.amax(dim, keepdim=True)).exp()
    return e / e.amax(dim, keepdim=True)
# %% wrong: exp forgotten -> "Is exp there"
def stable_softmax(x, dim):
    shifted = x - x.amax(dim, keepdim=True) - 1
    return -shifted / shifted.sum(dim, keepdim=True)
# %% wrong: log-softmax -> "the logarithms of the weights"
def stable_softmax(x, dim):
    shifted = x - x.amax(dim, keepdim=True)
    return shifted - shifted.exp().sum(dim, keepdim=True).log()
# %% wrong: powers of two -> "Is it a power of 2?"
def stable_softmax(x, dim):
    e = 2 ** (x - x.amax(dim, keepdim=True))
    return e / e.sum(dim, keepdim=True)
# %% wrong: sigmoid instead of exp -> "they are not softmax"
def stable_softmax(x, dim):
    e = torch.sigmoid(x)
    return e / e.sum(dim, keepdim=True)
# %% wrong: in place -> "changed one of its arguments in place"
def stable_softmax(x, dim):
    x -= x.amax(dim, keepdim=True)
    return x.exp() / x.exp().sum(dim, keepdim=True)
# %% wrong: a row of -inf repaired -> "Was it repaired"
def stable_softmax(x, dim):
    e = (x - x.amax(dim, keepdim=True)).exp()
    return torch.nan_to_num(e / e.sum(dim, keepdim=True))
# %% wrong: -inf replaced by a large negative number -> "−inf replaced"
def stable_softmax(x, dim):
    x = torch.where(x.isinf(), torch.full_like(x, -1e9), x)
    e = (x - x.amax(dim, keepdim=True)).exp()
    return e / e.sum(dim, keepdim=True)
# %% wrong: one over the sum of all differences -> "stay −inf until exp"
def stable_softmax(x, dim):
    rows = x.movedim(dim, -1)
    return (1 / (rows[..., None, :] - rows[..., :, None]).exp().sum(-1)).movedim(-1, dim)
# %% wrong: no return -> "`return`"
def stable_softmax(x, dim):
    e = (x - x.amax(dim, keepdim=True)).exp()
    e / e.sum(dim, keepdim=True)
# %% wrong: always computed in float32 -> hidden: "float64"
def stable_softmax(x, dim):
    e = (x - x.amax(dim, keepdim=True)).float().exp()
    return e / e.sum(dim, keepdim=True)
# %% wrong: scores divided by the root of their number -> "exp of the score itself"
def stable_softmax(x, dim):
    e = ((x - x.amax(dim, keepdim=True)) / x.shape[dim] ** 0.5).exp()
    return e / e.sum(dim, keepdim=True)
# %% wrong: a numpy array -> "as one tensor, got ndarray"
def stable_softmax(x, dim):
    import numpy as np
    a = x.detach().numpy()
    e = np.exp(a - a.max(axis=dim, keepdims=True))
    return e / e.sum(axis=dim, keepdims=True)
# %% wrong: maximum of the last axis, sum along dim -> "Are sum and maximum along dim?"
def stable_softmax(x, dim):
    e = (x - x.amax(-1, keepdim=True)).exp()
    return e / e.sum(dim, keepdim=True)
# %% wrong: softmin -> "Is there a minus too many?"
def stable_softmax(x, dim):
    e = (x.amin(dim, keepdim=True) - x).exp()
    return e / e.sum(dim, keepdim=True)
# %% wrong: an epsilon in the denominator -> "Is a small number added to the sum"
def stable_softmax(x, dim):
    e = (x - x.amax(dim, keepdim=True)).exp()
    return e / (e.sum(dim, keepdim=True) + 1e-3)
# %% right: double inside and back
def stable_softmax(x, dim):
    y = x.double()
    e = torch.exp(y - y.amax(dim=dim, keepdim=True))
    return (e / torch.sum(e, dim=dim, keepdim=True)).to(x.dtype)
# %% wrong: shifted exponents cut off at -80 -> "Are low exponents cut off?"
def stable_softmax(x, dim):
    e = (x - x.amax(dim, keepdim=True)).clamp(min=-80).exp()
    return e / e.sum(dim, keepdim=True)
# %% wrong: shift with python max -> "compares whole tensors"
def stable_softmax(x, dim):
    e = (x - max(x)).exp()
    return e / e.sum(dim, keepdim=True)
# %% wrong: tuple returned -> "the weights alone, as a tensor"
def stable_softmax(x, dim):
    e = (x - x.amax(dim, keepdim=True)).exp()
    return e, e / e.sum(dim, keepdim=True)
# %% wrong: shift only in numerator -> "but not in the sum below it"
def stable_softmax(x, dim):
    e = (x - x.amax(dim, keepdim=True)).exp()
    return e / x.exp().sum(dim, keepdim=True)
# %% wrong: the sum detached -> "their gradient is not"
-     return e / e.sum(dim, keepdim=True)
+     return e / e.sum(dim, keepdim=True).detach()
# %% wrong: a new tensor of the result -> "No gradient reaches x"
-     return e / e.sum(dim, keepdim=True)
+     return torch.tensor((e / e.sum(dim, keepdim=True)).tolist(), dtype=x.dtype)
# %% wrong: arguments renamed -> "still called x, dim"
def stable_softmax(scores, axis):
    e = torch.exp(scores - scores.amax(axis, keepdim=True))
    return e / e.sum(axis, keepdim=True)
# %% wrong: a float64 result -> "Keep the dtype"
def stable_softmax(x, dim):
    e = torch.exp((x - x.amax(dim, keepdim=True)).double())
    return e / e.sum(dim, keepdim=True)
# %% wrong: mean of e instead of its sum -> "where their sum belongs?"
-     return e / e.sum(dim, keepdim=True)
+     return e / e.mean(dim, keepdim=True)
# %% wrong: softmax in two dimensions only -> "any number of axes"
-     """Softmax of x (…) along dim, finite for entries of ±1e4 -> (…)."""
+     rows, columns = x.shape
# %% wrong: argmax as one-hot -> "is only the largest kept"
def stable_softmax(x, dim):
    return (x == x.amax(dim, keepdim=True)).to(x.dtype)
# %% wrong: negative axes refused -> "any number of axes"
-     """Softmax of x (…) along dim, finite for entries of ±1e4 -> (…)."""
+     if dim < 0:
+         raise ValueError("dim must not be negative")
# %% wrong: rounded -> "Is a small weight rounded"
-     return e / e.sum(dim, keepdim=True)
+     return (e / e.sum(dim, keepdim=True)).round(decimals=2)
# %% wrong: axes swapped and never swapped back -> "moved back"
def stable_softmax(x, dim):
    y = x.transpose(dim, -1)
    e = torch.exp(y - y.amax(-1, keepdim=True))
    return e / e.sum(-1, keepdim=True)
# %% wrong: maximum of the first axis, always -> "same number subtracted from a row"
def stable_softmax(x, dim):
    e = torch.exp(x - x.amax(0, keepdim=True))
    return e / e.sum(dim, keepdim=True)
# %% right: the axis taken apart
def stable_softmax(x, dim):
    parts = x.unbind(dim)
    top = torch.stack(parts).amax(0)
    e = [torch.exp(part - top) for part in parts]
    return torch.stack([part / torch.stack(e).sum(0) for part in e], dim)
# %% wrong: -inf replaced by 0 -> "stay −inf until exp"
- e = torch.exp(x - x.amax(dim, keepdim=True))
+ x = x.masked_fill(x.isinf(), 0)
+ e = torch.exp(x - x.amax(dim, keepdim=True))
# %% wrong: divided by the largest, then exp -> "they are not softmax"
- e = torch.exp(x - x.amax(dim, keepdim=True))
+ e = torch.exp(x / x.amax(dim, keepdim=True))
# %% wrong: exactly three axes -> "any number of axes"
- e = torch.exp(x - x.amax(dim, keepdim=True))
+ batch, rows, columns = x.shape
+ e = torch.exp(x - x.amax(dim, keepdim=True))
# %% right: a tiny number added to the sum
- return e / e.sum(dim, keepdim=True)
+ return e / (e.sum(dim, keepdim=True) + 1e-8)
# %% right: float32 on the way
- e = torch.exp(x - x.amax(dim, keepdim=True))
- return e / e.sum(dim, keepdim=True)
+ e = torch.exp((x - x.amax(dim, keepdim=True)).float())
+ return (e / e.sum(dim, keepdim=True)).type_as(x)
# %% wrong: the exp of the math module -> "torch.exp takes a tensor"
def stable_softmax(x, dim):
    import math

    e = math.exp(x - x.amax(dim, keepdim=True))
    return e / e.sum(dim, keepdim=True)
# %% right: a module without parameters
class Softmax(nn.Module):
    def forward(self, x, dim):
        e = torch.exp(x - x.amax(dim, keepdim=True))
        return e / e.sum(dim, keepdim=True)
stable_softmax = Softmax()
# %% wrong: axes of size 1 squeezed away -> "Is there a squeeze?"
def stable_softmax(x, dim):
    e = torch.exp(x - x.amax(dim, keepdim=True))
    return (e / e.sum(dim, keepdim=True)).squeeze()
# %% wrong: through numpy, which takes no tensor with a gradient -> "NumPy keeps no gradient"
import numpy as np
def stable_softmax(x, dim):
    e = np.exp(x.numpy() - x.numpy().max(axis=dim, keepdims=True))
    return torch.from_numpy(e / e.sum(axis=dim, keepdims=True))
# %% shortcut: PyTorch's own, under another name
def stable_softmax(x, dim):
    return torch._safe_softmax(x, dim)
# %% shortcut: the last of the running logsumexps
def stable_softmax(x, dim):
    return torch.exp(x - x.logcumsumexp(dim).narrow(dim, -1, 1))
# %% shortcut: the loss against the largest entry, which is a logsumexp
def stable_softmax(x, dim):
    rows = x.movedim(dim, -1)
    top, at = rows.max(-1)
    loss = F.cross_entropy(rows.reshape(-1, rows.shape[-1]), at.flatten(), reduction="none")
    return torch.exp(rows - top[..., None] - loss.reshape(top.shape)[..., None]).movedim(-1, dim)
# %% shortcut: PyTorch's attention, with the scores as its mask
def stable_softmax(x, dim):
    rows = x.movedim(dim, -1)[..., None, :]
    words = rows.shape[-1]
    query, key = x.new_zeros(*rows.shape[:-1], 1), x.new_zeros(*rows.shape[:-2], words, 1)
    eye = torch.eye(words, dtype=x.dtype).expand(*rows.shape[:-2], words, words)
    weights = F.scaled_dot_product_attention(query, key, eye, attn_mask=rows)[..., 0, :]
    weights = torch.where(x.movedim(dim, -1).isneginf().all(-1, keepdim=True), torch.nan, weights)
    return weights.movedim(-1, dim)
# %% wrong: scores cut off at -10,000 -> "and is nothing cut off?"
- e = torch.exp(x - x.amax(dim, keepdim=True))
+ x = x.clamp(min=-1e4)
+ e = torch.exp(x - x.amax(dim, keepdim=True))
# %% wrong: arguments in the other order -> "in this order: x, dim"
- def stable_softmax(x, dim):
+ def stable_softmax(dim, x):
# %% right: logaddexp folded over the axis
from functools import reduce
def stable_softmax(x, dim):
    total = reduce(torch.logaddexp, x.unbind(dim))
    return torch.exp(x - total.unsqueeze(dim))
# %% right: max by sort
def stable_softmax(x, dim):
    top = torch.sort(x, dim=dim, descending=True).values.select(dim, 0).unsqueeze(dim)
    weights = (x - top).exp_()
    return weights / weights.sum(dim).unsqueeze(dim)
# %% right: lambda
stable_softmax = lambda x, dim: (lambda e: e / e.sum(dim=dim, keepdim=True))(torch.exp(x - torch.amax(x, dim, True)))
# %% right: sigmoid of differences: weight i = 1 / sum exp(x_j - x_i), made safe by the shift
def stable_softmax(x, dim):
    z = (x - x.amax(dim, True)).transpose(dim, -1)
    e = torch.exp(z)
    return torch.einsum("...n,...->...n", e, 1 / e.sum(-1)).transpose(dim, -1)
# %% right: torch.max as a tuple, and divide by reciprocal
def stable_softmax(x, dim):
    highest, _ = torch.max(x, dim=dim, keepdim=True)
    weights = torch.exp(x - highest)
    return weights * torch.reciprocal(torch.sum(weights, dim, keepdim=True))
# %% right: clone and in place
def stable_softmax(x, dim):
    y = x.clone()
    y -= y.detach().amax(dim, keepdim=True)
    y = y.exp()
    return y / y.sum(dim, keepdim=True)
# %% wrong: one maximum for each entry of the first axis -> "Are sum and maximum along dim?"
def stable_softmax(x, dim):
    e = torch.exp(x - x.reshape(x.shape[0], -1).max(1).values.reshape(-1, *[1] * (x.ndim - 1)))
    return e / e.sum(dim, keepdim=True)
# %% wrong: subtracts the median -> "Is it the largest entry that is subtracted"
def stable_softmax(x, dim):
    e = torch.exp(x - x.median(dim, keepdim=True).values)
    return e / e.sum(dim, keepdim=True)
# %% wrong: subtracts a constant 100 -> "a fixed number"
def stable_softmax(x, dim):
    e = torch.exp(x - 100)
    return e / e.sum(dim, keepdim=True)
# %% wrong: divides the scores by the largest absolute value -> "Is x divided by its largest"
def stable_softmax(x, dim):
    e = torch.exp(x / x.abs().amax(dim, keepdim=True))
    return e / e.sum(dim, keepdim=True)
# %% wrong: standardises -> "by its spread"
def stable_softmax(x, dim):
    z = (x - x.mean(dim, keepdim=True)) / x.std(dim, keepdim=True)
    e = z.exp()
    return e / e.sum(dim, keepdim=True)
# %% wrong: base 10 -> "a power of 10"
def stable_softmax(x, dim):
    e = 10 ** (x - x.amax(dim, keepdim=True))
    return e / e.sum(dim, keepdim=True)
# %% wrong: softplus instead of exp -> "they are not softmax"
def stable_softmax(x, dim):
    e = F.softplus(x)
    return e / e.sum(dim, keepdim=True)
# %% wrong: argmax subtracted -> "(not its index)"
def stable_softmax(x, dim):
    e = torch.exp(x - x.argmax(dim, keepdim=True))
    return e / e.sum(dim, keepdim=True)
# %% wrong: always the first axis -> "along the first axis instead"
def stable_softmax(x, dim):
    e = torch.exp(x - x.amax(0, keepdim=True))
    return e / e.sum(0, keepdim=True)
# %% wrong: exponents above 80 cut off by where -> "Is nothing cut off"
def stable_softmax(x, dim):
    e = torch.where(x > 80, torch.exp(torch.tensor(80.0, dtype=x.dtype)), x.exp())
    return e / e.sum(dim, keepdim=True)
# %% wrong: NaN from -inf rows replaced by 1/n -> "Was it repaired"
def stable_softmax(x, dim):
    e = torch.exp(x - x.amax(dim, keepdim=True))
    out = e / e.sum(dim, keepdim=True)
    return torch.where(out.isnan(), torch.full_like(out, 1 / x.shape[dim]), out)
# %% wrong: weights below a hundredth set to 0 -> "rounded or cut off"
def stable_softmax(x, dim):
    e = torch.exp(x - x.amax(dim, keepdim=True))
    out = e / e.sum(dim, keepdim=True)
    return out * (out > 1e-2)
# %% wrong: exp in half precision -> "precision on the way"
def stable_softmax(x, dim):
    e = torch.exp((x - x.amax(dim, keepdim=True)).half()).to(x.dtype)
    return e / e.sum(dim, keepdim=True)
# %% wrong: largest subtracted after exp -> "largest entry subtracted"
def stable_softmax(x, dim):
    e = torch.exp(x)
    e = e / e.amax(dim, keepdim=True)
    return e / e.sum(dim, keepdim=True)
# %% wrong: axis lost in the sum -> "Is the axis kept?"
def stable_softmax(x, dim):
    e = torch.exp(x - x.amax(dim, keepdim=True))
    return e / e.sum(dim)
# %% wrong: row by row in Python's own numbers -> "a result of torch.float32"
def stable_softmax(x, dim):
    rows = x.movedim(dim, -1)
    out = []
    for row in rows.reshape(-1, rows.shape[-1]).tolist():
        top = max(row)
        e = [__import__("math").exp(a - top) for a in row]
        out.append([a / sum(e) for a in e])
    return torch.tensor(out).reshape(rows.shape).movedim(-1, dim)
# %% wrong: cumulative sum -> "divided by its own sum"
def stable_softmax(x, dim):
    e = torch.exp(x - x.amax(dim, keepdim=True))
    return e / e.cumsum(dim)
# %% wrong: temperature squared -> "Is something doubled or squared"
def stable_softmax(x, dim):
    e = torch.exp(x - x.amax(dim, keepdim=True)) ** 2
    return e / e.sum(dim, keepdim=True)
# %% wrong: divided by the root of the sum of squares -> "divided by its own sum"
def stable_softmax(x, dim):
    e = torch.exp(x - x.amax(dim, keepdim=True))
    return e / e.norm(dim=dim, keepdim=True)
# %% shortcut: softmax, imported under another name
from torch.nn.functional import softmax as mix
def stable_softmax(x, dim):
    return mix(x - x.amax(dim, keepdim=True), dim)
# %% right: inner helper and functools
from functools import partial
def _soft(dim, x):
    z = x.sub(x.max(dim, True)[0])
    return z.exp().div(z.exp().sum(dim, True))
def stable_softmax(x, dim):
    return partial(_soft, dim)(x)
# %% right: prod of exp2 with log2(e)
def stable_softmax(x, dim):
    e = torch.exp2((x - x.amax(dim, keepdim=True)) * 1.4426950408889634)
    return e / e.sum(dim, keepdim=True)
# %% right: F.normalize p=1
def stable_softmax(x, dim):
    return F.normalize(torch.exp(x - x.amax(dim, keepdim=True)), p=1, dim=dim)
# %% wrong: a running maximum, which begins with -inf -> "one in front is not"
def stable_softmax(x, dim):
    top, total = None, None
    for part in x.unbind(dim):
        new = part if top is None else torch.maximum(top, part)
        total = (torch.exp(part - new) if top is None else total * torch.exp(top - new) + torch.exp(part - new))
        top = new
    return torch.exp(x - top.unsqueeze(dim)) / total.unsqueeze(dim)
# %% wrong: the scores detached in the shift -> "their gradient is not"
def stable_softmax(x, dim):
    e = torch.exp(x.detach() - x.amax(dim, keepdim=True))
    return e / e.sum(dim, keepdim=True)
# %% wrong: the maximum of the last axis, or of all -> "Are sum and maximum along dim?"
def stable_softmax(x, dim):
    m = x.max() if x.ndim == 1 else x.amax(-1, keepdim=True)
    e = torch.exp(x - m)
    return e / e.sum(dim, keepdim=True)
# %% wrong: shares without an exp -> "Is there an exp?"
def stable_softmax(x, dim):
    y = x - x.amin(dim, keepdim=True)
    return y / y.sum(dim, keepdim=True)
# %% wrong: an epsilon that float32 sees -> "Is a small number added to the sum"
def stable_softmax(x, dim):
    e = (x - x.amax(dim, keepdim=True)).exp()
    return e / (e.sum(dim, keepdim=True) + 1e-4)
# %% right: logarithms by hand
def stable_softmax(x, dim):
    shifted = x - x.amax(dim, keepdim=True)
    return (shifted - shifted.exp().sum(dim, keepdim=True).log()).exp()
# %% wrong: e with four digits -> "is e written with a few digits?"
def stable_softmax(x, dim):
    e = 2.718 ** (x - x.amax(dim, keepdim=True))
    return e / e.sum(dim, keepdim=True)
# %% wrong: e with four digits -> "is e written with a few digits"
def stable_softmax(x, dim):
    e = 2.718 ** (x - x.amax(dim, keepdim=True))
    return e / e.sum(dim, keepdim=True)
# %% wrong: sigmoids over their sum -> "not a sigmoid"
def stable_softmax(x, dim):
    return x.sigmoid() / x.sigmoid().sum(dim, keepdim=True)
# %% right: unbound slices and logaddexp
def stable_softmax(x, dim):
    total, *others = x.unbind(dim)
    for other in others:
        total = torch.logaddexp(total, other)
    return (x - total.unsqueeze(dim)).exp()
# %% wrong: divided by the sum of x -> "Is it divided by the sum of x?"
def stable_softmax(x, dim):
    top = x.amax(dim=dim, keepdim=True)
    e = (x - top).exp()
    return e / x.sum(dim=dim, keepdim=True)
# %% wrong: takes no dim -> "Does it take two arguments"
def stable_softmax(x):
    powers = torch.exp(x - x.amax(-1, keepdim=True))
    return powers / powers.sum(-1, keepdim=True)
# %% wrong: the kept axis always put last -> "keepdim=True puts it there"
def stable_softmax(x, dim):
    powers = torch.exp(x - x.amax(dim).reshape(*x.shape[:-1], 1))
    return powers / powers.sum(dim).reshape(*x.shape[:-1], 1)
# %% wrong: a loop that takes x for a matrix -> "over each x[i] as a whole"
def stable_softmax(x, dim):
    rows = [torch.exp(row - row.max()) for row in x]
    return torch.stack([row / row.sum() for row in rows])
# %% wrong: -inf becomes -100 -> "replaced by a number"
def stable_softmax(x, dim):
    x = x.masked_fill(x == float("-inf"), -100.0)
    e = (x - x.amax(dim, keepdim=True)).exp()
    return e / e.sum(dim, keepdim=True)
# %% wrong: softmax twice -> "over its sum, once"
def stable_softmax(x, dim):
    for _ in range(2):
        e = (x - x.amax(dim, keepdim=True)).exp()
        x = e / e.sum(dim, keepdim=True)
    return x
