# %% right: a comparison and einsum
def embed_one_hot(ids, table):
    one_hot = ids[..., None] == torch.arange(table.shape[0])
    return torch.einsum("...v,vd->...d", one_hot.to(table.dtype), table)
# %% right: rows of the identity, flattened
def embed_one_hot(ids, table):
    flat = torch.eye(len(table), dtype=table.dtype)[ids.flatten()] @ table
    return flat.reshape(*ids.shape, table.size(1))
# %% right: loop over the words
def embed_one_hot(ids, table):
    rows = []
    for number in ids.flatten().tolist():
        one_hot = table.new_zeros(table.shape[0])
        one_hot[number] = 1
        rows.append(one_hot @ table)
    return torch.stack(rows).view(*ids.shape, -1) if rows else table.new_zeros(*ids.shape, table.shape[1])
# %% right: scattered ones
def embed_one_hot(ids, table):
    one_hot = torch.zeros(*ids.shape, table.shape[0], dtype=table.dtype).scatter(-1, ids.unsqueeze(-1), 1.0)
    return torch.matmul(one_hot, table)
# %% right: broadcast product and a sum
def embed_one_hot(ids, table):
    one_hot = F.one_hot(ids, num_classes=table.shape[0]).type_as(table)
    return (one_hot.unsqueeze(-1) * table).sum(-2)
# %% right: as a linear layer
def embed_one_hot(ids, table):
    return F.linear(F.one_hot(ids, table.shape[0]).to(table), table.mT)
# %% shortcut: the table indexed
def embed_one_hot(ids, table):
    return table[ids]
# %% shortcut: F.embedding
def embed_one_hot(ids, table):
    return F.embedding(ids, table)
# %% shortcut: nn.Embedding
def embed_one_hot(ids, table):
    return torch.func.functional_call(nn.Embedding(*table.shape), {"weight": table}, ids)
# %% shortcut: index_select
def embed_one_hot(ids, table):
    return table.index_select(0, ids.flatten()).reshape(*ids.shape, table.shape[1])
# %% shortcut: gather
def embed_one_hot(ids, table):
    flat = ids.flatten()[:, None].expand(-1, table.shape[1])
    return table.gather(0, flat).reshape(*ids.shape, table.shape[1])
# %% right: a sparse matrix
def embed_one_hot(ids, table):
    flat = ids.reshape(-1)
    n = flat.numel()
    hot = torch.sparse_coo_tensor(torch.stack([torch.arange(n), flat]), torch.ones(n, dtype=table.dtype), (n, table.shape[0]))
    return torch.sparse.mm(hot, table).reshape(*ids.shape, -1)
# %% right: in float64 and back
def embed_one_hot(ids, table):
    hot = F.one_hot(ids, num_classes=len(table)).double()
    return torch.tensordot(hot, table.double(), dims=1).type_as(table)
# %% right: a mask for each row
def embed_one_hot(ids, table):
    return sum((ids == i).unsqueeze(-1) * row for i, row in enumerate(table))
# %% wrong: no return -> "`return`"
- return one_hot.to(table.dtype) @ table
+ out = one_hot.to(table.dtype) @ table
# %% wrong: as wide as the largest id -> "one entry per row of the table, 7, whichever ids occur?"
- one_hot = F.one_hot(ids, table.shape[0])
+ one_hot = F.one_hot(ids)
# %% wrong: as wide as the largest id, by hand -> "one entry per row of the table, 7, whichever ids occur?"
- one_hot = F.one_hot(ids, table.shape[0])
+ one_hot = torch.eye(int(ids.max()) + 1)[ids]
# %% wrong: as many classes as columns -> "one entry per row of the table, 7, whichever ids occur?"
- one_hot = F.one_hot(ids, table.shape[0])
+ one_hot = F.one_hot(ids, table.shape[1])
# %% wrong: as many classes as different ids -> "one entry per row of the table, 7, whichever ids occur?"
- one_hot = F.one_hot(ids, table.shape[0])
+ one_hot = F.one_hot(ids, len(ids.unique()))
# %% wrong: always seven words -> "Do the sizes come from the table, whatever they are?"
- one_hot = F.one_hot(ids, table.shape[0])
+ one_hot = F.one_hot(ids, 7)
# %% wrong: int64 times float -> "have the table's dtype"
- return one_hot.to(table.dtype) @ table
+ return one_hot @ table
# %% wrong: a boolean matrix times float -> "have the table's dtype"
- one_hot = F.one_hot(ids, table.shape[0])
- return one_hot.to(table.dtype) @ table
+ return (ids[..., None] == torch.arange(table.shape[0])) @ table
# %% wrong: float32 whatever the table -> "Does the one-hot matrix have the table's dtype?"
- return one_hot.to(table.dtype) @ table
+ return one_hot.float() @ table
# %% wrong: result brought back to float32 -> "with the dtype of the arguments, as in `x.new_zeros(…)`?"
- return one_hot.to(table.dtype) @ table
+ return one_hot.float() @ table.float()
# %% wrong: the table made whole numbers -> "Is the table converted, instead of the one-hot matrix?"
- return one_hot.to(table.dtype) @ table
+ return one_hot @ table.long()
# %% wrong: the one-hot vectors only -> "multiplied by the table"
- return one_hot.to(table.dtype) @ table
+ return one_hot.to(table.dtype)
# %% wrong: the one-hot vectors come back as well -> "one tensor"
- return one_hot.to(table.dtype) @ table
+ return one_hot, one_hot.to(table.dtype) @ table
# %% wrong: the ids come back -> "Is it one_hot @ table that is returned?"
- return one_hot.to(table.dtype) @ table
+ return ids
# %% wrong: words of a sentence summed -> "summed"
- return one_hot.to(table.dtype) @ table
+ return (one_hot.to(table.dtype) @ table).sum(dim=1)
# %% wrong: counts of the words -> "summed"
- return one_hot.to(table.dtype) @ table
+ return one_hot.sum(1).to(table.dtype) @ table
# %% wrong: flattened -> "Is the shape of `ids` restored after flattening?"
- one_hot = F.one_hot(ids, table.shape[0])
+ one_hot = F.one_hot(ids.flatten(), table.shape[0])
# %% wrong: einsum with fixed letters -> "it work for ids of shape (5,), with any number of axes?"
- return one_hot.to(table.dtype) @ table
+ return torch.einsum("bsv,vd->bsd", one_hot.to(table.dtype), table)
# %% wrong: two loops -> "it work for ids of shape (5,), with any number of axes?"
- one_hot = F.one_hot(ids, table.shape[0])
+ batch, seq = ids.shape
+ one_hot = torch.zeros(batch, seq, table.shape[0])
+ for b in range(batch):
+     for s in range(seq):
+         one_hot[b, s, ids[b, s]] = 1
# %% wrong: ids numbered from 1 -> "the row before its own"
- one_hot = F.one_hot(ids, table.shape[0])
+ one_hot = ids[..., None] == torch.arange(1, table.shape[0] + 1)
# %% wrong: one row too far -> "Is 1 added to the ids?"
- one_hot = F.one_hot(ids, table.shape[0])
+ one_hot = F.one_hot(ids + 1, table.shape[0])
# %% wrong: first sentence for all -> "its own ids"
- one_hot = F.one_hot(ids, table.shape[0])
+ one_hot = F.one_hot(ids[0], table.shape[0]).expand(*ids.shape, -1)
# %% wrong: the id itself at its place -> "1 at its id"
- one_hot = F.one_hot(ids, table.shape[0])
+ one_hot = F.one_hot(ids, table.shape[0]) * ids[..., None]
# %% wrong: softmax over the one-hot -> "1 at its id"
- return one_hot.to(table.dtype) @ table
+ return one_hot.to(table.dtype).softmax(-1) @ table
# %% wrong: everything but the word -> "Is `!=` where `==` belongs?"
- one_hot = F.one_hot(ids, table.shape[0])
+ one_hot = ids[..., None] != torch.arange(table.shape[0])
# %% wrong: batch and sentence change places -> "Are batch and sentence swapped?"
- one_hot = F.one_hot(ids, table.shape[0])
+ one_hot = F.one_hot(ids.T, table.shape[0])
# %% wrong: table detached -> "by no_grad, by numpy, or by torch.tensor(…) of a result?"
- return one_hot.to(table.dtype) @ table
+ return one_hot.to(table.dtype) @ table.detach()
# %% wrong: under no_grad -> "by no_grad, by numpy, or by torch.tensor(…) of a result?"
- def embed_one_hot(ids, table):
+ @torch.no_grad()
+ def embed_one_hot(ids, table):
# %% wrong: a parameter made of the table -> "by no_grad, by numpy, or by torch.tensor(…) of a result?"
- return one_hot.to(table.dtype) @ table
+ return one_hot.to(table.dtype) @ nn.Parameter(table)
# %% wrong: unit length -> "Are the rows normalised, though nobody asked for it?"
- return one_hot.to(table.dtype) @ table
+ return F.normalize(one_hot.to(table.dtype) @ table, dim=-1)
# %% wrong: scaled by the root of the width -> "times as long as they came. √d belongs to a later exercise"
- return one_hot.to(table.dtype) @ table
+ return one_hot.to(table.dtype) @ table * table.shape[1] ** 0.5
# %% wrong: NaN -> "Is something divided by 0, or is a number too large for exp?"
- return one_hot.to(table.dtype) @ table
+ return one_hot.to(table.dtype) @ table * float("nan")
# %% wrong: table first -> "Is it one_hot @ table"
- return one_hot.to(table.dtype) @ table
+ return table @ one_hot.to(table.dtype)
# %% wrong: one-hot transposed -> "Is it one_hot @ table"
- return one_hot.to(table.dtype) @ table
+ return one_hot.to(table.dtype).mT @ table
# %% wrong: ids times table -> "Is it one_hot @ table"
- one_hot = F.one_hot(ids, table.shape[0])
- return one_hot.to(table.dtype) @ table
+ return ids @ table
# %% wrong: ones set along the wrong axis -> "Is it one_hot @ table"
- one_hot = F.one_hot(ids, table.shape[0])
+ one_hot = torch.zeros(*ids.shape, table.shape[0])
+ one_hot[ids] = 1
# %% wrong: the largest entries only -> "entries below 0"
- return one_hot.to(table.dtype) @ table
+ return one_hot.to(table.dtype) @ table.clamp(min=0)
# %% wrong: the batch averaged -> "Which axis is summed?"
- return one_hot.to(table.dtype) @ table
+ return (one_hot.to(table.dtype) @ table).mean(0)
# %% wrong: arguments in the other order -> "Do the ids come first"
- def embed_one_hot(ids, table):
+ def embed_one_hot(table, ids):
# %% wrong: arguments under other names -> "called ids and table"
- def embed_one_hot(ids, table):
+ def embed_one_hot(x, weight):
+     ids, table = x, weight
# %% wrong: a view of the ids -> "any number of axes"
- one_hot = F.one_hot(ids, table.shape[0])
+ one_hot = F.one_hot(ids.view(-1), table.shape[0]).view(*ids.shape, -1)
# %% wrong: the table in whole numbers, for the product's sake -> "Is the table rounded"
def embed_one_hot(ids, table):
    return (F.one_hot(ids, len(table)) @ table.long()).to(table.dtype)
# %% wrong: axes of size 1 squeezed away -> "Is there a squeeze?"
def embed_one_hot(ids, table):
    return (F.one_hot(ids, len(table)).to(table.dtype) @ table).squeeze()
# %% wrong: the last row never used -> "Rows 1 and 8 of a table of 9"
def embed_one_hot(ids, table):
    return F.one_hot(ids.clamp(max=len(table) - 2), len(table)).to(table.dtype) @ table
# %% wrong: id 0 taken for padding -> "Id 0 should give row 0"
def embed_one_hot(ids, table):
    one_hot = F.one_hot(ids, len(table)).to(table.dtype)
    one_hot[..., 0] = 0
    return one_hot @ table
# %% wrong: through numpy, which takes no tensor with a gradient -> "NumPy keeps no gradient"
import numpy as np
def embed_one_hot(ids, table):
    return torch.tensor(np.eye(len(table))[ids.numpy()] @ table.numpy(), dtype=table.dtype)
# %% wrong: a new linear layer in the place of the table -> "and no new layer"
- return one_hot.to(table.dtype) @ table    # (…, d)
+ return nn.Linear(*table.shape, bias=False)(one_hot.to(table.dtype))
# %% shortcut: the transposed table indexed
def embed_one_hot(ids, table):
    return table.T[:, ids].movedim(0, -1)
# %% shortcut: another view of the table indexed
def embed_one_hot(ids, table):
    return table.view_as(table)[ids]
# %% wrong: a softmax that is nearly one-hot -> "Is each one-hot vector 1 at its id and 0 elsewhere?"
def embed_one_hot(ids, table):
    return (10 * F.one_hot(ids, len(table)).to(table.dtype)).softmax(-1) @ table
# %% wrong: loops over two axes of ids -> "with any number of axes?"
def embed_one_hot(ids, table):
    one_hot = torch.zeros(*ids.shape, len(table)).to(table)
    for b in range(ids.shape[0]):
        for s in range(ids.shape[1]):
            one_hot[b, s, ids[b, s]] = 1
    return one_hot @ table
# %% wrong: on a GPU that may not be there -> "GPU"
def embed_one_hot(ids, table):
    return F.one_hot(ids, len(table)).to(table.dtype).cuda() @ table
# %% right: 1 minus the distance of the numbers, cut off at 0
def embed_one_hot(ids, table):
    apart = (ids[..., None] - torch.arange(len(table))).abs().clamp(max=1)
    return torch.einsum("...n,nd->...d", (1 - apart).to(table.dtype), table)
# %% right: ones written into their places
def embed_one_hot(ids, table):
    one_hot = table.new_zeros(ids.numel(), len(table))
    one_hot[torch.arange(ids.numel()), ids.flatten()] = 1
    return (one_hot @ table).reshape(*ids.shape, table.shape[1])
# %% right: row by row of the table, each where its id is
def embed_one_hot(ids, table):
    return sum((ids == number).to(table.dtype)[..., None] * row for number, row in enumerate(table))
# %% wrong: ones scattered for one axis of ids -> "Is one axis expected?"
- one_hot = F.one_hot(ids, table.shape[0])
+ one_hot = torch.zeros(len(ids), table.shape[0]).scatter(1, ids[:, None], 1.0)
# %% wrong: ones written row by row, for one axis of ids -> "Is one axis expected?"
- one_hot = F.one_hot(ids, table.shape[0])
+ one_hot = torch.zeros(len(ids), table.shape[0])
+ one_hot[torch.arange(len(ids)), ids] = 1
# %% wrong: compared along a second axis, whatever there is -> "Is one axis expected?"
- one_hot = F.one_hot(ids, table.shape[0])
+ one_hot = ids[:, None] == torch.arange(table.shape[0])
# %% wrong: each id made a plain number, for one axis of ids -> "Is one axis expected?"
def embed_one_hot(ids, table):
    rows = []
    for one in ids:
        one_hot = torch.zeros(len(table), dtype=table.dtype)
        one_hot[one.item()] = 1
        rows.append(one_hot @ table)
    return torch.stack(rows)
