# %% right: slices in a loop
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError(f"{width} is no multiple of {n_heads}")
    d = width // n_heads
    return torch.stack([x[..., h * d : (h + 1) * d] for h in range(n_heads)], dim=1)
# %% right: chunk and stack
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError(f"{width} is no multiple of {n_heads}")
    d = width // n_heads
    return torch.stack(x.chunk(n_heads, dim=-1), dim=1)
# %% right: unflatten and permute
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError(f"{width} is no multiple of {n_heads}")
    d = width // n_heads
    return x.unflatten(-1, (n_heads, -1)).permute(0, 2, 1, 3)
# %% right: contiguous view, then a copy
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError(f"{width} is no multiple of {n_heads}")
    d = width // n_heads
    return x.contiguous().view(batch, seq, n_heads, d).transpose(1, 2).contiguous()
# %% right: unfold
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError(f"{width} is no multiple of {n_heads}")
    d = width // n_heads
    return x.unfold(2, d, d).transpose(1, 2)
# %% wrong: view without transpose -> "`view` without `transpose`"
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError(f"{width} is no multiple of {n_heads}")
    d = width // n_heads
    return x.reshape(batch, n_heads, seq, d)
# %% wrong: transpose missing -> "Is a transpose missing?"
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError(f"{width} is no multiple of {n_heads}")
    d = width // n_heads
    return x.reshape(batch, seq, n_heads, d)
# %% wrong: words and columns swapped -> "Words and columns changed places"
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError(f"{width} is no multiple of {n_heads}")
    d = width // n_heads
    return x.reshape(batch, seq, n_heads, d).permute(0, 2, 3, 1)
# %% wrong: heads before the batch -> "Heads come before the batch"
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError(f"{width} is no multiple of {n_heads}")
    d = width // n_heads
    return x.reshape(batch, seq, n_heads, d).permute(2, 0, 1, 3)
# %% wrong: batch and heads merged -> "merged"
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError(f"{width} is no multiple of {n_heads}")
    d = width // n_heads
    return x.reshape(batch, seq, n_heads, d).transpose(1, 2).flatten(0, 1)
# %% wrong: n_heads taken for d_head -> "n_heads and d_head change places"
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError(f"{width} is no multiple of {n_heads}")
    d = width // n_heads
    return x.reshape(batch, seq, d, n_heads).transpose(1, 2)
# %% wrong: columns interleaved -> "3 columns apart"
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError(f"{width} is no multiple of {n_heads}")
    d = width // n_heads
    return x.reshape(batch, seq, d, n_heads).permute(0, 3, 1, 2)
# %% wrong: heads in reverse order -> "in another order"
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError(f"{width} is no multiple of {n_heads}")
    d = width // n_heads
    return torch.stack(x.chunk(n_heads, dim=-1)[::-1], dim=1)
# %% wrong: reshape across the batch -> "another sentence"
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError(f"{width} is no multiple of {n_heads}")
    d = width // n_heads
    return x.reshape(n_heads, batch, seq, d).transpose(0, 1)
# %% wrong: turned before the cut -> "columns of words"
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError(f"{width} is no multiple of {n_heads}")
    d = width // n_heads
    return x.transpose(1, 2).reshape(batch, n_heads, seq, d)
# %% wrong: turned, cut by columns, turned wrong -> "columns of words"
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError(f"{width} is no multiple of {n_heads}")
    d = width // n_heads
    return x.transpose(1, 2).reshape(batch, n_heads, d, seq).reshape(batch, n_heads, seq, d)
# %% wrong: no return -> "`return`"
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError(f"{width} is no multiple of {n_heads}")
    d = width // n_heads
    heads = x.reshape(batch, seq, n_heads, d).transpose(1, 2)
# %% wrong: returns x -> "Where is the axis for the heads?"
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError(f"{width} is no multiple of {n_heads}")
    d = width // n_heads
    return x
# %% wrong: rest of the width cut off -> "expected a ValueError"
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    d = width // n_heads
    return x[..., : n_heads * d].reshape(batch, seq, n_heads, d).transpose(1, 2)
# %% wrong: assert instead of ValueError -> "raised AssertionError, expected ValueError"
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    assert width % n_heads == 0, f"{width} {n_heads}"
    d = width // n_heads
    return x.reshape(batch, seq, n_heads, d).transpose(1, 2)
# %% wrong: reshape left to fail -> "raised RuntimeError, expected ValueError"
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    return x.reshape(batch, seq, n_heads, width // n_heads).transpose(1, 2)
# %% wrong: message without numbers -> "Are both numbers in the message"
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError("not divisible")
    d = width // n_heads
    return x.reshape(batch, seq, n_heads, d).transpose(1, 2)
# %% wrong: the same head for all -> "each once"
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError(f"{width} is no multiple of {n_heads}")
    d = width // n_heads
    return x[:, None, :, :d].repeat(1, n_heads, 1, 1)
# %% wrong: scaled on the way -> "Was something computed with them"
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError(f"{width} is no multiple of {n_heads}")
    d = width // n_heads
    return x.reshape(batch, seq, n_heads, d).transpose(1, 2) / d**0.5
# %% wrong: returns NaN -> "not those of x"
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError(f"{width} is no multiple of {n_heads}")
    d = width // n_heads
    return x.reshape(batch, seq, n_heads, d).transpose(1, 2) * float("nan")
# %% wrong: a list of heads -> "an axis of one tensor"
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError(f"{width} is no multiple of {n_heads}")
    d = width // n_heads
    return [x[..., h * d : (h + 1) * d] for h in range(n_heads)]
# %% wrong: split into pieces of width n_heads -> "n_heads and d_head change places"
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError(f"{width} is no multiple of {n_heads}")
    d = width // n_heads
    return torch.stack(x.split(n_heads, dim=-1), dim=1)
# %% wrong: float32 result -> hidden: "torch.float64"
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError(f"{width} is no multiple of {n_heads}")
    d = width // n_heads
    return x.float().reshape(batch, seq, n_heads, d).transpose(1, 2)
# %% right: view of the last axis, right for any strides
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError(f"{width} is no multiple of {n_heads}")
    d = width // n_heads
    return x.view(batch, seq, n_heads, d).transpose(1, 2)
# %% wrong: columns of a head turned round -> "in another order"
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError(f"{width} is no multiple of {n_heads}")
    d = width // n_heads
    return x.reshape(batch, seq, n_heads, d).flip(-1).transpose(1, 2)
# %% wrong: words turned round -> "columns of words"
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError(f"{width} is no multiple of {n_heads}")
    d = width // n_heads
    return x.reshape(batch, seq, n_heads, d).flip(1).transpose(1, 2)
# %% wrong: divisibility turned round -> "3 divides 21"
def split_heads(x, n_heads):
    b,t,w=x.shape
    if not w % n_heads: raise ValueError(f"{w} is not divisible by {n_heads}")
    return x.view(b,t,n_heads,w//n_heads).transpose(1,2)
# %% wrong: length tested instead of width -> "3 divides 21"
def split_heads(x, n_heads):
    b,t,w=x.shape
    if t % n_heads: raise ValueError(f"{w} is not divisible by {n_heads}")
    return x.view(b,t,n_heads,w//n_heads).transpose(1,2)
# %% wrong: d_head from a true division -> "from / instead of //"
def split_heads(x, n_heads):
    if x.shape[-1] % n_heads: raise ValueError(f"{x.shape[-1]} {n_heads}")
    b,t,w=x.shape
    return x.view(b,t,n_heads,w/n_heads).transpose(1,2)
# %% wrong: transpose before the cut -> "or `transpose` first"
def split_heads(x, n_heads):
    if x.shape[-1] % n_heads: raise ValueError(f"{x.shape[-1]} {n_heads}")
    b,t,w=x.shape
    return x.transpose(1,2).reshape(b,n_heads,t,w//n_heads)
# %% right: einsum
def split_heads(x, n_heads):
    if x.shape[-1] % n_heads: raise ValueError(f"{x.shape[-1]} {n_heads}")
    return torch.einsum("bshd->bhsd", x.unflatten(-1,(n_heads,-1)))
# %% right: mT, unflatten, mT
def split_heads(x, n_heads):
    if x.shape[-1] % n_heads: raise ValueError(f"{x.shape[-1]} {n_heads}")
    return x.mT.unflatten(1,(n_heads,-1)).mT
