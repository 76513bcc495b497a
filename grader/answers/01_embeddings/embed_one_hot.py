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
# %% wrong: no return -> "`return`"
def embed_one_hot(ids, table):
    out = F.one_hot(ids, table.shape[0]).to(table.dtype) @ table
# %% wrong: as wide as the largest id -> "one place per row of the table"
def embed_one_hot(ids, table):
    return F.one_hot(ids).to(table.dtype) @ table
# %% wrong: as wide as the largest id, by hand -> "one place per row of the table"
def embed_one_hot(ids, table):
    return torch.eye(int(ids.max()) + 1, dtype=table.dtype)[ids] @ table
# %% wrong: as many classes as columns -> "one place per row of the table"
def embed_one_hot(ids, table):
    return F.one_hot(ids, table.shape[1]).to(table.dtype) @ table
# %% wrong: int64 times float -> "have the table's dtype"
def embed_one_hot(ids, table):
    return F.one_hot(ids, table.shape[0]) @ table
# %% wrong: a boolean matrix times float -> "have the table's dtype"
def embed_one_hot(ids, table):
    return (ids[..., None] == torch.arange(table.shape[0])) @ table
# %% wrong: float32 whatever the table -> "whichever it is"
def embed_one_hot(ids, table):
    return F.one_hot(ids, table.shape[0]).float() @ table
# %% wrong: result brought back to float32 -> "Is the dtype written down"
def embed_one_hot(ids, table):
    return F.one_hot(ids, table.shape[0]).float() @ table.float()
# %% wrong: the table made whole numbers -> "Was the table converted"
def embed_one_hot(ids, table):
    return F.one_hot(ids, table.shape[0]) @ table.long()
# %% wrong: the one-hot vectors only -> "multiplied by the table"
def embed_one_hot(ids, table):
    return F.one_hot(ids, table.shape[0]).to(table.dtype)
# %% wrong: words of a sentence summed -> "summed"
def embed_one_hot(ids, table):
    return (F.one_hot(ids, table.shape[0]).to(table.dtype) @ table).sum(dim=1)
# %% wrong: counts of the words -> "summed"
def embed_one_hot(ids, table):
    return F.one_hot(ids, table.shape[0]).sum(1).to(table.dtype) @ table
# %% wrong: flattened -> "put back"
def embed_one_hot(ids, table):
    return F.one_hot(ids.flatten(), table.shape[0]).to(table.dtype) @ table
# %% wrong: einsum with fixed letters -> "count on two axes"
def embed_one_hot(ids, table):
    return torch.einsum("bsv,vd->bsd", F.one_hot(ids, table.shape[0]).to(table.dtype), table)
# %% wrong: two loops -> "count on two axes"
def embed_one_hot(ids, table):
    batch, seq = ids.shape
    one_hot = torch.zeros(batch, seq, table.shape[0], dtype=table.dtype)
    for b in range(batch):
        for s in range(seq):
            one_hot[b, s, ids[b, s]] = 1
    return one_hot @ table
# %% wrong: ids numbered from 1 -> "off by"
def embed_one_hot(ids, table):
    return (ids[..., None] == torch.arange(1, table.shape[0] + 1)).to(table.dtype) @ table
# %% wrong: one row too far -> "off by 1"
def embed_one_hot(ids, table):
    return F.one_hot(ids + 1, table.shape[0]).to(table.dtype) @ table
# %% wrong: first sentence for all -> "its own ids"
def embed_one_hot(ids, table):
    return (F.one_hot(ids[0], table.shape[0]).to(table.dtype) @ table).expand(*ids.shape, -1)
# %% wrong: the id itself at its place -> "1 at its id"
def embed_one_hot(ids, table):
    return (F.one_hot(ids, table.shape[0]) * ids[..., None]).to(table.dtype) @ table
# %% wrong: softmax over the one-hot -> "1 at its id"
def embed_one_hot(ids, table):
    return F.one_hot(ids, table.shape[0]).to(table.dtype).softmax(-1) @ table
# %% wrong: everything but the word -> "1 at its id"
def embed_one_hot(ids, table):
    return (ids[..., None] != torch.arange(table.shape[0])).to(table.dtype) @ table
# %% wrong: batch and sentence change places -> "change places"
def embed_one_hot(ids, table):
    return F.one_hot(ids.T, table.shape[0]).to(table.dtype) @ table
# %% wrong: table detached -> "No gradient reaches the table"
def embed_one_hot(ids, table):
    return F.one_hot(ids, table.shape[0]).to(table.dtype) @ table.detach()
# %% wrong: under no_grad -> "No gradient reaches the table"
@torch.no_grad()
def embed_one_hot(ids, table):
    return F.one_hot(ids, table.shape[0]).to(table.dtype) @ table
# %% wrong: unit length -> "1 at its id"
def embed_one_hot(ids, table):
    return F.normalize(F.one_hot(ids, table.shape[0]).to(table.dtype) @ table, dim=-1)
# %% wrong: the ids come back -> "Which axis is summed?"
def embed_one_hot(ids, table):
    return ids
# %% wrong: NaN -> "1 at its id"
def embed_one_hot(ids, table):
    return F.one_hot(ids, table.shape[0]).to(table.dtype) @ table * float("nan")
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
# %% wrong: always seven words -> hidden: "num_classes"
def embed_one_hot(ids, table):
    return F.one_hot(ids, 7).to(table.dtype) @ table
# %% wrong: table first -> "Is it one_hot @ table"
def embed_one_hot(ids, table):
    return table @ F.one_hot(ids, table.shape[0]).to(table.dtype)
# %% wrong: one-hot transposed -> "Is it one_hot @ table"
def embed_one_hot(ids, table):
    return F.one_hot(ids, table.shape[0]).to(table.dtype).mT @ table
# %% wrong: ids times table -> "Is it one_hot @ table"
def embed_one_hot(ids, table):
    return ids @ table
# %% wrong: as many classes as different ids -> "one place per row of the table"
def embed_one_hot(ids, table):
    return F.one_hot(ids, len(ids.unique())).to(table.dtype) @ table
# %% wrong: ones set along the wrong axis -> "Is it one_hot @ table"
def embed_one_hot(ids, table):
    hot = torch.zeros(*ids.shape, table.shape[0])
    hot[ids] = 1
    return hot @ table
# %% wrong: a parameter made of the table -> "No gradient reaches the table"
def embed_one_hot(ids, table):
    return F.one_hot(ids, table.shape[0]).to(table.dtype) @ nn.Parameter(table)
# %% wrong: the one-hot vectors come back as well -> "one tensor"
def embed_one_hot(ids, table):
    hot = F.one_hot(ids, table.shape[0]).to(table.dtype)
    return hot, hot @ table
# %% wrong: scaled by the root of the width -> "1 at its id"
def embed_one_hot(ids, table):
    return F.one_hot(ids, table.shape[0]).to(table.dtype) @ table * table.shape[1] ** 0.5
