# %% right: max with places
def align(weights):
    return weights.max(dim=-1).indices
# %% right: stable sort
def align(weights):
    return weights.sort(dim=-1, descending=True, stable=True).indices[..., 0]
# %% right: smallest place among the largest
def align(weights):
    n = weights.shape[-1]
    places = torch.arange(n).expand(weights.shape)
    return places.masked_fill(weights < weights.amax(-1, keepdim=True), n).amin(-1)
# %% right: loop
def align(weights):
    rows = weights.reshape(-1, weights.shape[-1]).tolist()
    return torch.tensor([row.index(max(row)) for row in rows]).reshape(weights.shape[:-1])
# %% wrong: over the queries -> "best query for each key"
def align(weights):
    return weights.argmax(dim=-2)
# %% wrong: axis 1 by number -> "Is it the best head"
def align(weights):
    return weights.argmax(dim=1)
# %% wrong: over the batch -> "Leading axes stay"
def align(weights):
    return weights.mean(0).argmax(-1)
# %% wrong: no axis -> "no axis given"
def align(weights):
    return weights.argmax()
# %% wrong: keepdim -> "left over"
def align(weights):
    return weights.argmax(dim=-1, keepdim=True)
# %% wrong: the weights, not the places -> "got the largest weights"
def align(weights):
    return weights.amax(-1)
# %% wrong: max returns two things -> "returned alone"
def align(weights):
    return tuple(weights.max(dim=-1))
# %% wrong: a list -> "as a tensor"
def align(weights):
    return weights.argmax(-1).tolist()
# %% wrong: one-hot -> "one number for each query"
def align(weights):
    return F.one_hot(weights.argmax(-1), weights.shape[-1])
# %% wrong: floats -> "torch.int64"
def align(weights):
    return weights.argmax(-1).float()
# %% wrong: int32 -> "torch.int64"
def align(weights):
    return weights.argmax(-1).int()
# %% wrong: the mean place, rounded -> "average of positions"
def align(weights):
    return (weights * torch.arange(weights.shape[-1])).sum(-1).round().long()
# %% wrong: ties to the last -> "Which of equal weights"
def align(weights):
    return weights.shape[-1] - 1 - weights.flip(-1).argmax(-1)
# %% wrong: argmin -> "smallest weight"
def align(weights):
    return weights.argmin(-1)
# %% wrong: counted from 1 -> "counted from 0"
def align(weights):
    return weights.argmax(-1) + 1
# %% wrong: only above one half -> "bound"
def align(weights):
    return (weights > 0.5).long().argmax(-1)
# %% wrong: no return -> "`return`"
def align(weights):
    places = weights.argmax(-1)
# %% wrong: the input comes back -> "one number for each query"
def align(weights):
    return weights
# %% wrong: all NaN -> "torch.int64"
def align(weights):
    return weights.amax(-1) * float("nan")
# %% wrong: rounded to six digits first -> "rounded"
def align(weights):
    return weights.mul(1e6).round().argmax(-1)
# %% wrong: through float32 -> "made float32"
def align(weights):
    return weights.float().argmax(-1)
# %% wrong: axis 3 by number -> "counted from the end"
def align(weights):
    return weights.argmax(3)
# %% wrong: three axes expected -> "counted from the end"
def align(weights):
    b,q,k=weights.shape
    return weights.argmax(-1)
# %% wrong: axes of size 1 squeezed away -> "Is it squeezed?"
def align(weights):
    return weights.squeeze().argmax(-1)
# %% wrong: nearly equal counts as equal -> "rounded"
def align(weights):
    return torch.isclose(weights, weights.amax(-1, keepdim=True)).int().argmax(-1)
# %% wrong: compared with the neighbour only -> "comparison with the neighbour"
def align(weights):
    best = torch.zeros(weights.shape[:-1], dtype=torch.int64)
    for j in range(1, weights.shape[-1]):
        best[weights[..., j] > weights[..., j-1]] = j
    return best
# %% wrong: heads averaged first -> "Were heads averaged"
def align(weights):
    return weights.mean(1).argmax(-1)
# %% right: a running maximum
def align(weights):
    best = torch.zeros(weights.shape[:-1], dtype=torch.int64)
    top = weights[..., 0].clone()
    for j in range(1, weights.shape[-1]):
        better = weights[..., j] > top
        best[better] = j
        top[better] = weights[..., j][better]
    return best
# %% right: through numpy
def align(weights):
    return torch.from_numpy(weights.numpy().argmax(-1))
# %% wrong: counted from the end -> "keys counted from the end"
def align(weights):
    return weights.shape[-1] - 1 - weights.argmax(-1)
# %% wrong: argument renamed -> "still called weights"
def align(w):
    return w.argmax(-1)
# %% wrong: a softmax of float32 first -> "made float32"
def align(weights):
    return weights.to(torch.float32).softmax(-1).argmax(-1)
# %% wrong: a sort, which may exchange equals -> "A sort or topk may move equals"
- return weights.argmax(dim=-1)
+ return weights.argsort(dim=-1, descending=True)[..., 0]
# %% wrong: nonzero where it equals the largest -> "There is one position per row"
- return weights.argmax(dim=-1)
+ return (weights == weights.amax(-1, keepdim=True)).nonzero()[:, -1].view(weights.shape[:-1])
# %% wrong: PyTorch's argmax with its axis filled in, whose argument is called input -> "still called weights?"
import functools

align = functools.partial(torch.argmax, dim=-1)
# %% wrong: topk, which may exchange equals, too -> "A sort or topk may move equals"
- return weights.argmax(dim=-1)
+ return weights.topk(1, dim=-1).indices.squeeze(-1)
# %% right: torch.max, its second result
- return weights.argmax(dim=-1)
+ _, positions = torch.max(weights, -1)
+ return positions
# %% wrong: the axis counted from the front -> "With three axes it is right, with four it is not"
def align(weights):
    return weights.argmax(dim=2)
# %% wrong: a sort that does not run -> "Is PyTorch's function given what it takes?"
def align(weights):
    return weights.sort(-1, descending=True, stable=True).indices[..., 0]
# %% wrong: begins at key 1 -> "Key 0 is never chosen."
- return weights.argmax(dim=-1)
+ return weights[..., 1:].argmax(dim=-1) + 1
# %% wrong: a key drawn by its weight -> "or is a key drawn?"
def align(weights):
    drawn = torch.multinomial(weights.flatten(0, -2), 1)
    return drawn.view(weights.shape[:-1])
# %% wrong: no key is taken twice -> "Is a key taken once only?"
def align(weights):
    left, taken = weights.clone(), []
    for query in range(weights.shape[-2]):
        taken.append(left[..., query, :].argmax(-1))
        left.scatter_(-1, taken[-1][..., None, None].expand(*left.shape[:-1], 1), -1)
    return torch.stack(taken, -1)
