# %% right: matmul
def weighted_average(weights, values):
    return torch.matmul(weights, values)
# %% right: einsum with an ellipsis
def weighted_average(weights, values):
    return torch.einsum("...qn,...nd->...qd", weights, values)
# %% right: broadcast and sum
def weighted_average(weights, values):
    return (weights.unsqueeze(-1) * values.unsqueeze(-3)).sum(-2)
# %% right: loop over the values
def weighted_average(weights, values):
    out = 0
    for j in range(values.shape[-2]):
        out = out + weights[..., j, None] * values[..., None, j, :]
    return out
# %% right: flattened for bmm and put back
def weighted_average(weights, values):
    out = torch.bmm(weights.reshape(-1, *weights.shape[-2:]), values.reshape(-1, *values.shape[-2:]))
    return out.reshape(*weights.shape[:-1], values.shape[-1])
# %% wrong: softmax first -> "Is there a softmax"
def weighted_average(weights, values):
    return weights.softmax(-1) @ values
# %% wrong: divided by the sum of the weights -> "divided by its sum"
def weighted_average(weights, values):
    return weights @ values / weights.sum(-1, keepdim=True)
# %% wrong: mean over n -> "That is 1/n"
def weighted_average(weights, values):
    return weights @ values / values.shape[-2]
# %% wrong: root of the width -> "That is 1/√n"
def weighted_average(weights, values):
    return weights @ values / values.shape[-1] ** 0.5
# %% wrong: weights transposed -> "one row per query already"
def weighted_average(weights, values):
    return weights.mT @ values
# %% wrong: values first -> "weights come first"
def weighted_average(weights, values):
    return values @ weights
# %% wrong: entry by entry -> "n never summed"
def weighted_average(weights, values):
    return weights * values
# %% wrong: result transposed -> "transposed?"
def weighted_average(weights, values):
    return values.mT @ weights.mT
# %% wrong: summed over the queries -> "run over the queries"
def weighted_average(weights, values):
    return (weights.unsqueeze(-1) * values.unsqueeze(-3)).sum(-3)
# %% wrong: no sum -> "still to be summed"
def weighted_average(weights, values):
    return weights.unsqueeze(-1) * values.unsqueeze(-3)
# %% wrong: sentences added together -> "sentences added together"
def weighted_average(weights, values):
    return torch.einsum("bqn,bnd->qd", weights, values)
# %% wrong: values averaged, weights unused -> "one mixture for each row"
def weighted_average(weights, values):
    return values.mean(-2)
# %% wrong: no return -> "`return`"
def weighted_average(weights, values):
    out = weights @ values
# %% wrong: negative weights set to zero -> "sign lost"
def weighted_average(weights, values):
    return weights.clamp(min=0) @ values
# %% wrong: absolute weights -> "sign lost"
def weighted_average(weights, values):
    return weights.abs() @ values
# %% wrong: first query's weights for all -> "use the same weights"
def weighted_average(weights, values):
    return (weights[..., :1, :] @ values).expand(*weights.shape[:-1], values.shape[-1])
# %% wrong: weights turned round -> "its own row of weights"
def weighted_average(weights, values):
    return weights.flip(-2) @ values
# %% wrong: first sentence's weights for the batch -> "first's weights used for all"
def weighted_average(weights, values):
    return weights[0] @ values
# %% wrong: first sentence's values for the batch -> "its own values"
def weighted_average(weights, values):
    return weights @ values[0] if values.ndim > 2 else weights @ values
# %% wrong: bmm takes three axes only -> "any number of leading axes"
def weighted_average(weights, values):
    return torch.bmm(weights, values)
# %% wrong: einsum with one batch letter -> "any number of leading axes"
def weighted_average(weights, values):
    return torch.einsum("bqn,bnd->bqd", weights, values)
# %% wrong: NaN -> "There are NaN"
def weighted_average(weights, values):
    return weights @ values * float("nan")
# %% wrong: the weights come back -> "Are these the weights themselves"
def weighted_average(weights, values):
    return weights
# %% wrong: always float32 -> "dtype of the arguments"
def weighted_average(weights, values):
    return weights.float() @ values.float()
# %% wrong: through numpy, no gradient -> "reaches weights and values"
def weighted_average(weights, values):
    return torch.from_numpy(weights.detach().numpy() @ values.detach().numpy())
# %% wrong: weights treated as constants -> "reaches weights"
def weighted_average(weights, values):
    return weights.detach() @ values
# %% wrong: torch.mm takes matrices only -> "torch.mm takes two matrices"
def weighted_average(weights, values):
    return torch.mm(weights, values)
# %% wrong: one axis too few before the product -> "Which axis is to be summed"
def weighted_average(weights, values):
    return (weights[..., None] * values).sum(-2)
# %% wrong: n summed twice -> "one row per query"
def weighted_average(weights, values):
    return (weights @ values).sum(-1)
# %% right: both transposed, and back
def weighted_average(weights, values):
    return (values.mT @ weights.mT).mT
# %% right: recursion over the leading axes
def weighted_average(weights, values):
    if weights.ndim == 2:
        return torch.mm(weights, values)
    return torch.stack([weighted_average(w, v) for w, v in zip(weights, values)])
# %% wrong: divided by the sum in place -> "in place"
-     """Mix the values: weights (..., q, n), values (..., n, d) -> (..., q, d)."""
+     weights /= weights.sum(-1, keepdim=True)
# %% wrong: rows of length 1 -> "or its length"
def weighted_average(weights, values):
    return F.normalize(weights, dim=-1) @ values
# %% wrong: softmax over the queries -> "Is there a softmax"
def weighted_average(weights, values):
    return weights.softmax(-2) @ values
# %% wrong: first value skipped -> "numbered [0]"
def weighted_average(weights, values):
    return weights[..., 1:] @ values[..., 1:, :]
# %% wrong: as many values as queries -> "numbered [5, 6]"
def weighted_average(weights, values):
    return sum(weights[..., j, None] * values[..., None, j, :] for j in range(weights.shape[-2]))
# %% wrong: overwritten instead of summed -> "takes a single value"
def weighted_average(weights, values):
    for j in range(weights.shape[-1]):
        out = weights[..., j : j + 1] * values[..., j : j + 1, :]
    return out
# %% wrong: values of length 1 -> "as they came"
def weighted_average(weights, values):
    return weights @ F.normalize(values, dim=-1)
# %% wrong: the weights come back as well -> "one tensor"
def weighted_average(weights, values):
    return weights @ values, weights
# %% wrong: three axes unpacked -> "any number of leading axes"
def weighted_average(weights, values):
    b, q, n = weights.shape
    d = values.shape[-1]
    out = torch.zeros(b, q, d, dtype=values.dtype)
    for i in range(b):
        out[i] = weights[i] @ values[i]
    return out
# %% wrong: always seven values -> "other sizes"
def weighted_average(weights, values):
    return sum(weights[..., j, None] * values[..., None, j, :] for j in range(7))
# %% wrong: arguments renamed -> "still called weights, values"
def weighted_average(w, v):
    return w @ v
# %% wrong: values transposed as well -> "Are the values transposed"
def weighted_average(weights, values):
    return weights @ values.mT
# %% wrong: view, which needs numbers in order -> "other sizes"
def weighted_average(weights, values):
    lead = weights.shape[:-2]
    out = weights.view(-1, *weights.shape[-2:]) @ values.view(-1, *values.shape[-2:])
    return out.view(*lead, *out.shape[-2:])
# %% wrong: values in reverse -> "a different order"
- return weights @ values
+ return weights @ values.flip(-2)
# %% wrong: the mean added -> "Something is added"
- return weights @ values
+ return weights @ values + values.mean(-2, keepdim=True)
# %% wrong: filled into float32 -> "dtype of the arguments"
- return weights @ values
+ out = torch.zeros(*weights.shape[:-1], values.shape[-1])
+ out[:] = weights @ values
+ return out
# %% wrong: axes of size 1 squeezed away -> "also one of size 1"
- return weights @ values
+ return (weights @ values).squeeze()
# %% right: a module without parameters
class Mix(nn.Module):
    def forward(self, weights, values):
        return torch.einsum("...qn,...nd->...qd", weights, values)
weighted_average = Mix()
# %% wrong: through numpy, which takes no tensor with a gradient -> "NumPy keeps no gradient"
def weighted_average(weights, values):
    return torch.tensor(weights.numpy() @ values.numpy())
# %% wrong: always float64 -> "Keep the dtype"
def weighted_average(weights, values):
    return weights.double() @ values.double()
# %% wrong: tensordot mixes all sentences -> "mixed with weights of another"
def weighted_average(weights, values):
    return torch.tensordot(weights, values, dims=([-1], [-2]))
# %% wrong: a gradient twice as large -> "is not that of a sum"
- return weights @ values
+ return weights @ (2 * values - values.detach())
# %% wrong: rounded to two digits -> "They are right to a digit or two"
def weighted_average(weights, values):
    return (weights @ values).round(decimals=2)
# %% wrong: in half precision -> "They are right to a digit or two"
def weighted_average(weights, values):
    return (weights.half() @ values.half()).to(values.dtype)
# %% wrong: only the value of the largest weight -> "or only the best value"
def weighted_average(weights, values):
    best = weights.argmax(-1, keepdim=True).expand(*weights.shape[:-1], values.shape[-1])
    return values.gather(-2, best)
# %% wrong: on a GPU that may not be there -> "GPU"
def weighted_average(weights, values):
    return weights.cuda() @ values.cuda()
# %% wrong: a row for each column of a batch, by .T -> "Which axis is to be summed"
def weighted_average(weights, values):
    return [[sum(w * v for w, v in zip(row, column)) for column in values.T] for row in weights]
# %% right: the last of running sums
def weighted_average(weights, values):
    return (weights[..., None] * values[..., None, :, :]).cumsum(-2)[..., -1, :]
# %% right: F.linear with the values as its weight
def weighted_average(weights, values):
    return F.linear(weights, values.mT) if values.ndim == 2 else weights.matmul(values)
# %% right: outer products, added up
def weighted_average(weights, values):
    pairs = zip(weights.unbind(-1), values.unbind(-2))
    return sum(weight.unsqueeze(-1) * value.unsqueeze(-2) for weight, value in pairs)
# %% right: vmap over what stands in front
def weighted_average(weights, values):
    if weights.ndim > 2:
        return torch.vmap(weighted_average)(weights, values)
    return torch.stack([row @ values for row in weights])
# %% wrong: a loop over two axes, into a tensor of its own -> "a loop over two axes"
def weighted_average(weights, values):
    mixtures = weights.new_zeros(weights.shape[0], values.shape[1])
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            mixtures[i] += weights[i, j] * values[j]
    return mixtures
# %% wrong: the largest product -> "the largest product taken instead of the sum"
def weighted_average(weights, values):
    return (weights[..., None] * values[..., None, :, :]).amax(-2)
# %% wrong: all axes of the values reversed -> "transposed, by `.T`"
def weighted_average(weights, values):
    return weights @ values.T
# %% wrong: the sizes of the loop above, written into it -> "Is a size fixed"
def weighted_average(weights, values):
    mixtures = torch.zeros(2, 2)
    for i in range(2):
        for j in range(3):
            mixtures[i] += weights[i, j] * values[j]
    return mixtures
# %% wrong: torch.bmm -> "torch.bmm takes exactly three axes"
def weighted_average(weights, values):
    """Mix the values."""
    out = torch.bmm(weights, values)
    return out
# %% wrong: summed over the width -> "the width summed instead of n"
def weighted_average(weights, values):
    """Mix the values."""
    out = (weights[..., None] * values[..., None, :, :]).sum(-1)
    return out
# %% wrong: the loop of the text, on a batch -> "take the sentences for queries"
def weighted_average(weights, values):
    out = weights.new_zeros(*weights.shape[:-1], values.shape[-1])
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            out[i] += weights[i, j] * values[j]
    return out
# %% wrong: the sizes of the example written in -> "Is a size fixed"
def weighted_average(weights, values):
    out = torch.zeros(2, 5, 3, dtype=values.dtype)
    for b in range(2):
        for i in range(5):
            for j in range(7):
                out[b, i] += weights[b, i, j] * values[b, j]
    return out
# %% right: float32 on the way
- return weights @ values
+ return (weights.float() @ values.float()).to(values.dtype)
# %% wrong: the values of the text -> "`values` has no effect on the result. Is a variable of the notebook used"
v = torch.tensor([[0.0, 8.0], [4.0, 0.0], [2.0, 1.0]])
def weighted_average(weights, values):
    return weights @ v
# %% wrong: the mixtures of the text -> "`weights` has no effect on the result. Is a variable of the notebook used"
mixtures = torch.zeros(2, 2)
def weighted_average(weights, values):
    return mixtures
# %% wrong: a zip pairs rows of weights and values where no axis stands in front -> "Does a zip pair them"
def weighted_average(weights, values):
    return torch.stack([torch.mv(values.T, w) if w.ndim == 1 else w @ v for w, v in zip(weights, values)])
# %% wrong: weights squared -> "Each is squared"
def weighted_average(weights, values):
    return (weights * weights) @ values
# %% wrong: the arguments change places -> "Expected the arguments weights, values in this order"
def weighted_average(values, weights):
    return values @ weights

# %% wrong: only the value with the largest weight -> "takes a single value"
def weighted_average(weights, values):
    best = torch.nn.functional.one_hot(weights.argmax(-1), weights.shape[-1])
    return (weights * best) @ values
