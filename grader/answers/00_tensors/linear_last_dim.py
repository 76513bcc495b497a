# %% shortcut: F.linear
def linear_last_dim(x, weight, bias=None):
    return F.linear(x, weight, bias)
# %% shortcut: nn.Linear with the weights put in
def linear_last_dim(x, weight, bias=None):
    layer = nn.Linear(weight.shape[1], weight.shape[0], bias=bias is not None, dtype=x.dtype)
    parameters = {"weight": weight} if bias is None else {"weight": weight, "bias": bias}
    return torch.func.functional_call(layer, parameters, (x,))
# %% right: einsum
def linear_last_dim(x, weight, bias=None):
    out = torch.einsum("...i,oi->...o", x, weight)
    if bias is not None:
        out = out + bias
    return out
# %% right: flattened and put back
def linear_last_dim(x, weight, bias=None):
    out = x.reshape(-1, x.shape[-1]).mm(weight.t()).reshape(*x.shape[:-1], weight.shape[0])
    return out if bias is None else out + bias
# %% right: broadcast and sum
def linear_last_dim(x, weight, bias=None):
    out = (x.unsqueeze(-2) * weight).sum(-1)
    return out if bias is None else bias + out
# %% wrong of "flattened and put back": weight not transposed -> "Is the weight transposed"
-     out = x.reshape(-1, x.shape[-1]).mm(weight.t()).reshape(*x.shape[:-1], weight.shape[0])
+     out = x @ weight
# %% wrong of "flattened and put back": weight first, as for one vector -> "Does x come first"
-     out = x.reshape(-1, x.shape[-1]).mm(weight.t()).reshape(*x.shape[:-1], weight.shape[0])
+     out = weight @ x
# %% wrong: bias ignored -> "Is the bias added"
def linear_last_dim(x, weight, bias=None):
    return x @ weight.T
# %% wrong: if bias -> "truth value"
def linear_last_dim(x, weight, bias=None):
    out = x @ weight.T
    if bias:
        out = out + bias
    return out
# %% wrong: bias never left out -> "bias"
def linear_last_dim(x, weight, bias=None):
    return x @ weight.T + bias
# %% wrong: bias without a default -> "bias"
def linear_last_dim(x, weight, bias):
    return x @ weight.T + bias
# %% wrong: bias added twice -> "It is 2.00 times the bias"
-     return out if bias is None else out + bias
+     return out if bias is None else out + bias + bias
# %% wrong: bias subtracted -> "It is -1.00 times the bias"
-     return out if bias is None else out + bias
+     return out if bias is None else out - bias
# %% wrong: bias as a column -> "along its last axis"
-     return out if bias is None else out + bias
+     return out if bias is None else out + bias[:, None]
# %% wrong of "flattened and put back": flattened, not put back -> "flattened and not put back"
-     out = x.reshape(-1, x.shape[-1]).mm(weight.t()).reshape(*x.shape[:-1], weight.shape[0])
+     out = x.reshape(-1, x.shape[-1]) @ weight.T
# %% wrong: words as columns -> "columns"
def linear_last_dim(x, weight, bias=None):
    out = (x @ weight.T).mT
    return out if bias is None else out + bias[:, None]
# %% wrong: a single vector gains an axis -> "leading axes"
-     """A linear layer: x (..., d_in), weight (d_out, d_in), bias (d_out,) -> (..., d_out)."""
+     if x.ndim == 1:
+         x = x.unsqueeze(0)
# %% wrong of "flattened and put back": scaled -> "What divides it"
-     out = x.reshape(-1, x.shape[-1]).mm(weight.t()).reshape(*x.shape[:-1], weight.shape[0])
+     out = x @ weight.T / weight.shape[1] ** 0.5
# %% wrong: relu at the end -> "too many: relu"
-     return out if bias is None else out + bias
+     return (out if bias is None else out + bias).relu()
# %% wrong: no return -> "`return`"
def linear_last_dim(x, weight, bias=None):
    out = x @ weight.T
    if bias is not None:
        out = out + bias
# %% wrong of "flattened and put back": first sentence only -> "Is only one of the sentences used"
-     out = x.reshape(-1, x.shape[-1]).mm(weight.t()).reshape(*x.shape[:-1], weight.shape[0])
+     out = (x[0] if x.ndim == 3 else x) @ weight.T
# %% wrong: the input comes back -> "Is x returned as it came"
def linear_last_dim(x, weight, bias=None):
    return x
# %% wrong: always float32 -> "dtype of the arguments"
def linear_last_dim(x, weight, bias=None):
    out = x.float() @ weight.float().T
    return out if bias is None else out + bias.float()
# %% wrong: a bias of zeros counts as none -> "No gradient reaches a bias of zeros"
-     return out if bias is None else out + bias
+     return out + bias if bias is not None and bias.any() else out + (0 if bias is None else bias.detach())
# %% wrong of "flattened and put back": weight detached -> "reaches weight"
-     out = x.reshape(-1, x.shape[-1]).mm(weight.t()).reshape(*x.shape[:-1], weight.shape[0])
+     out = x @ weight.detach().T
# %% wrong of "flattened and put back": torch.mm takes matrices only -> "torch.mm takes two matrices"
-     out = x.reshape(-1, x.shape[-1]).mm(weight.t()).reshape(*x.shape[:-1], weight.shape[0])
+     out = torch.mm(x, weight.T)
# %% right: inner
def linear_last_dim(x, weight, bias=None):
    out = torch.inner(x, weight)
    return out + bias if bias is not None else out
# %% right: vector by vector
def linear_last_dim(x, weight, bias=None):
    rows = [weight @ vector if bias is None else weight @ vector + bias for vector in x.reshape(-1, x.shape[-1])]
    return torch.stack(rows).reshape(x.shape[:-1] + weight.shape[:1])
# %% right: recursion over the leading axes
def linear_last_dim(x, weight, bias=None):
    if x.ndim > 1:
        return torch.stack([linear_last_dim(part, weight, bias) for part in x])
    return weight.mv(x) if bias is None else torch.addmv(bias, weight, x)
# %% wrong of "flattened and put back": einsum with fixed letters -> "leading axes"
-     out = x.reshape(-1, x.shape[-1]).mm(weight.t()).reshape(*x.shape[:-1], weight.shape[0])
+     out = torch.einsum("bsi,oi->bso", x, weight)
# %% wrong: three axes unpacked -> "leading axes"
def linear_last_dim(x, weight, bias=None):
    b, s, d = x.shape
    out = (x.reshape(b * s, d) @ weight.T).reshape(b, s, -1)
    return out if bias is None else out + bias
# %% wrong: 0 as the default -> "May the bias be None"
def linear_last_dim(x, weight, bias=0):
    return x @ weight.T + bias
# %% wrong: condition turned round -> "bias"
def linear_last_dim(x, weight, bias=None):
    out = x @ weight.T
    if bias is None:
        out = out + bias
    return out
# %% wrong: no return with a bias -> "Is there a `return`"
def linear_last_dim(x, weight, bias=None):
    out = x @ weight.T
    if bias is None:
        return out
    out = out + bias
# %% wrong: the bias alone -> "bias alone"
def linear_last_dim(x, weight, bias=None):
    if bias is not None:
        return bias
    return x @ weight.T
# %% wrong: the bias comes back as well -> "one tensor"
def linear_last_dim(x, weight, bias=None):
    return x @ weight.T, bias
# %% wrong: a square weight taken for transposed -> "Is the weight transposed"
-     """A linear layer: x (..., d_in), weight (d_out, d_in), bias (d_out,) -> (..., d_out)."""
+     if weight.shape[0] == x.shape[-1]:
+         weight = weight.T
# %% wrong: x scaled in place -> "in place"
-     """A linear layer: x (..., d_in), weight (d_out, d_in), bias (d_out,) -> (..., d_out)."""
+     x *= 2
# %% wrong: arguments renamed -> "still called x, weight, bias"
def linear_last_dim(inputs, W, b=None):
    out = inputs @ W.T
    return out if b is None else out + b
# %% wrong of "flattened and put back": x transposed, too -> "Is x transposed, too"
-     out = x.reshape(-1, x.shape[-1]).mm(weight.t()).reshape(*x.shape[:-1], weight.shape[0])
+     out = x.mT @ weight.T
# %% wrong: view, which needs numbers in order -> "any number of leading axes"
def linear_last_dim(x, weight, bias=None):
    out = x.view(-1, x.shape[-1]) @ weight.T
    out = out.view(*x.shape[:-1], -1)
    return out if bias is None else out + bias
# %% wrong: softmax at the end -> "too many: softmax"
- out = x @ weight.T
+ out = (x @ weight.T).softmax(-1)
# %% wrong: multiplied by the bias -> "multiplied by it"
- return out if bias is None else out + bias
+ return out if bias is None else out * bias
# %% wrong: zeros of float32 for no bias -> "dtype of the arguments"
- out = x @ weight.T
- return out if bias is None else out + bias
+ bias = torch.zeros(len(weight)) if bias is None else bias
+ return torch.addmm(bias, x.reshape(-1, x.shape[-1]), weight.T).reshape(*x.shape[:-1], -1)
# %% wrong: the sum of the bias -> "the mean or the sum of the bias"
- return out if bias is None else out + bias
+ return out if bias is None else out + bias.sum()
# %% right: float32 on the way
- out = x @ weight.T
+ out = (x.float() @ weight.float().T).to(x.dtype)
# %% wrong: always float64 -> "Keep the dtype"
def linear_last_dim(x, weight, bias=None):
    out = x.double() @ weight.double().T
    return out if bias is None else out + bias.double()
# %% wrong: axes of size 1 squeezed away -> "Is there a squeeze?"
- return out if bias is None else out + bias
+ out = out.squeeze()
+ return out if bias is None else out + bias
# %% wrong: arguments in another order -> "in this order: x, weight, bias"
- def linear_last_dim(x, weight, bias=None):
+ def linear_last_dim(weight, x, bias=None):
# %% wrong: True as the default, as in nn.Linear -> "Is True the default of the bias?"
- def linear_last_dim(x, weight, bias=None):
+ def linear_last_dim(x, weight, bias=True):
# %% wrong: the last sentence of a loop for all -> "Does the last sentence stand for all?"
def linear_last_dim(x, weight, bias=None):
    for sentence in x:
        out = sentence @ weight.T
    out = out.expand(*x.shape[:-1], -1)
    return out if bias is None else out + bias
# %% shortcut: linear by another import
from torch.nn.functional import linear


def linear_last_dim(x, weight, bias=None):
    return linear(x, weight, bias)
# %% wrong: a gradient to x that is too large -> "is not that of a linear layer"
def linear_last_dim(x, weight, bias=None):
    out = (2 * x - x.detach()) @ weight.T
    return out if bias is None else out + bias
# %% wrong: the bias added to x -> "and not to x"
def linear_last_dim(x, weight, bias=None):
    return (x if bias is None else x + bias) @ weight.T
# %% wrong: a bias of zeros left out -> "No gradient reaches a bias of zeros"
def linear_last_dim(x, weight, bias=None):
    out = x @ weight.T
    return out + bias if bias is not None and bias.any() else out
# %% wrong: .data of the weight -> "No gradient reaches weight"
def linear_last_dim(x, weight, bias=None):
    out = x @ weight.data.T
    return out if bias is None else out + bias
# %% right: the bias as the weight of a column of ones
def linear_last_dim(x, weight, bias=None):
    bias = weight.new_zeros(len(weight)) if bias is None else bias
    ones = x.new_ones(*x.shape[:-1], 1)
    return torch.cat([x, ones], -1) @ torch.cat([weight, bias[:, None]], -1).T
# %% right: one number of the result after the other
def linear_last_dim(x, weight, bias=None):
    out = torch.stack([(x * row).sum(-1) for row in weight], dim=-1)
    return out if bias is None else out + bias
# %% right: the name of the layer in an annotation, which does not run
def linear_last_dim(x: torch.Tensor, weight: "nn.Linear.weight", bias: torch.Tensor | None = None):
    flat = x.reshape(-1, x.shape[-1])
    out = flat.mm(weight.t()) if bias is None else torch.addmm(bias, flat, weight.t())
    return out.reshape(*x.shape[:-1], -1)
# %% wrong: a random bias where none came -> "no bias came. What is added?"
def linear_last_dim(x, weight, bias=None):
    if bias is None:
        bias = torch.randn(len(weight), dtype=x.dtype)
    return x @ weight.T + bias
# %% wrong: zeros of a fixed size as the default -> "Is None the default of the bias?"
def linear_last_dim(x, weight, bias=torch.zeros(3)):
    return x @ weight.T + bias
# %% wrong: one number per word, squeezed -> "An axis of size 1 stays"
def linear_last_dim(x, weight, bias=None):
    y = (x @ weight.T).squeeze(-1)
    return y if bias is None else y + bias
# %% wrong: asks whether all of the bias is true -> "A bias with a 0 in it is not added."
def linear_last_dim(x, weight, bias=None):
    y = x @ weight.T
    if bias is not None and bias.all():
        y = y + bias
    return y
# %% wrong: entries multiplied one by one -> "Are entries multiplied one by one?"
def linear_last_dim(x, weight, bias=None):
    y = weight * x
    if bias is not None:
        y = y + bias
    return y
# %% wrong: the weight of the text's layer -> "`weight` has no effect on the result. Is a variable of the notebook used"
layer = nn.Linear(10, 30)
def linear_last_dim(x, weight, bias=None):
    out = x @ layer.weight.T
    return out if bias is None else out + bias
# %% wrong: bias only where there is none -> "added where it is None"
def linear_last_dim(x, weight, bias=None):
    out = x @ weight.T
    if bias is None:
        bias = torch.ones(weight.shape[0])
    return out + bias
# %% wrong: the gradient of an argument switched off -> "a method ending in `_`"
def linear_last_dim(x, weight, bias=None):
    x.requires_grad_(False)
    out = x @ weight.T
    return out if bias is None else out + bias
