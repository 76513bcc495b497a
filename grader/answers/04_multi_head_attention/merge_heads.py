# %% right: transpose and reshape
def merge_heads(x):
    b, n, s, d = x.shape
    return x.transpose(1, 2).reshape(b, s, n * d)
# %% right: concatenation
def merge_heads(x):
    b, n, s, d = x.shape
    return torch.cat([x[:, h] for h in range(n)], dim=-1)
# %% right: contiguous and view
def merge_heads(x):
    b, n, s, d = x.shape
    return x.permute(0, 2, 1, 3).contiguous().view(b, s, -1)
# %% right: filled head by head
def merge_heads(x):
    b, n, s, d = x.shape
    out = x.new_zeros(b, s, n * d)
    for h in range(n):
        out[:, :, h * d : (h + 1) * d] = x[:, h]
    return out
# %% right: einsum with selectors
def merge_heads(x):
    b, n, s, d = x.shape
    place = torch.eye(n * d, dtype=x.dtype, device=x.device).view(n, d, n * d)
    return torch.einsum("bhsd,hdc->bsc", x, place)
# %% wrong: reshape without transpose -> "Row 0 holds other words"
def merge_heads(x):
    b, n, s, d = x.shape
    return x.reshape(b, s, n * d)
# %% wrong: flatten the middle -> "Words and columns were glued"
def merge_heads(x):
    b, n, s, d = x.shape
    return x.flatten(2)
# %% wrong: columns before heads -> "columns put before heads"
def merge_heads(x):
    b, n, s, d = x.shape
    return x.permute(0, 2, 3, 1).reshape(b, s, n * d)
# %% wrong: heads in reverse order -> "in order, first head first"
def merge_heads(x):
    b, n, s, d = x.shape
    return x.flip(1).transpose(1, 2).reshape(b, s, n * d)
# %% wrong: heads added -> "added or averaged"
def merge_heads(x):
    b, n, s, d = x.shape
    return x.sum(dim=1)
# %% wrong: heads averaged -> "added or averaged"
def merge_heads(x):
    b, n, s, d = x.shape
    return x.mean(dim=1)
# %% wrong: transpose only -> "still two axes"
def merge_heads(x):
    b, n, s, d = x.shape
    return x.transpose(1, 2)
# %% wrong: words last -> "The words come last"
def merge_heads(x):
    b, n, s, d = x.shape
    return x.permute(0, 1, 3, 2).reshape(b, n * d, s)
# %% wrong: batch and words merged -> "Batch and words are one axis"
def merge_heads(x):
    b, n, s, d = x.shape
    return x.transpose(1, 2).reshape(b * s, n * d)
# %% wrong: no return -> "`return`"
def merge_heads(x):
    b, n, s, d = x.shape
    out = x.transpose(1, 2).reshape(b, s, n * d)
# %% wrong: batch moved instead of heads -> "Sentences are mixed"
def merge_heads(x):
    b, n, s, d = x.shape
    return x.transpose(0, 1).reshape(b, s, n * d)
# %% wrong: last axes turned before the reshape -> "Row 0 holds other words"
def merge_heads(x):
    b, n, s, d = x.shape
    return x.mT.reshape(b, s, n * d)
# %% wrong: batch and words swapped -> "Sentences are mixed"
def merge_heads(x):
    b, n, s, d = x.shape
    return x.permute(2, 0, 1, 3).reshape(b, s, n * d)
# %% wrong: only the first head, repeated -> "or a head repeated"
def merge_heads(x):
    b, n, s, d = x.shape
    return x[:, 0].repeat(1, 1, n)
# %% wrong: memory order set by as_strided -> "non-contiguous"
def merge_heads(x):
    b, n, s, d = x.shape
    return x.as_strided((b, s, n, d), (n * s * d, d, s * d, 1)).reshape(b, s, n * d)
# %% wrong: returns x -> "Is it (batch, seq, n_heads · d_head)?"
def merge_heads(x):
    b, n, s, d = x.shape
    return x
# %% wrong: returns NaN -> "not those of x"
def merge_heads(x):
    b, n, s, d = x.shape
    return x.transpose(1, 2).reshape(b, s, n * d) * float("nan")
# %% wrong: joined along the words -> "as if they were more words"
def merge_heads(x):
    b, n, s, d = x.shape
    return torch.cat(x.unbind(1), dim=1)
# %% wrong: view after transpose -> "view size is not compatible"
def merge_heads(x):
    b, n, s, d = x.shape
    return x.transpose(1, 2).view(b, s, n * d)
# %% wrong: a list of heads -> "joined into one tensor"
def merge_heads(x):
    b, n, s, d = x.shape
    return list(x.unbind(1))
# %% wrong: divided by the number of heads -> "Was something computed with them"
def merge_heads(x):
    b, n, s, d = x.shape
    return x.transpose(1, 2).reshape(b, s, n * d) / n
# %% wrong: columns of a head turned round -> "out of order"
def merge_heads(x):
    b, n, s, d = x.shape
    return x.flip(-1).transpose(1, 2).reshape(b, s, n * d)
# %% wrong: detached -> hidden: "does not require grad"
def merge_heads(x):
    b, n, s, d = x.shape
    return x.detach().transpose(1, 2).reshape(b, s, n * d)
# %% wrong: seq read from the heads' axis -> "seq read from the wrong axis"
def merge_heads(x):
    b,t=x.shape[:2]
    return x.transpose(1,2).reshape(b,t,-1)
# %% wrong: sentences joined -> "The sentences were joined"
def merge_heads(x):
    return torch.cat(list(x), dim=-1)
# %% wrong: only the first sentence -> "Only one sentence is left"
def merge_heads(x):
    return torch.cat(list(x[0]), dim=-1)
# %% right: mT, flatten, mT
def merge_heads(x):
    return x.mT.flatten(1,2).mT
