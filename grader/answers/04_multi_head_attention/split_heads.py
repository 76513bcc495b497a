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
# %% right: view of the last axis, right for any strides
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError(f"{width} is no multiple of {n_heads}")
    d = width // n_heads
    return x.view(batch, seq, n_heads, d).transpose(1, 2)
# %% right: einsum
def split_heads(x, n_heads):
    if x.shape[-1] % n_heads: raise ValueError(f"{x.shape[-1]} {n_heads}")
    return torch.einsum("bshd->bhsd", x.unflatten(-1,(n_heads,-1)))
# %% right: mT, unflatten, mT
def split_heads(x, n_heads):
    if x.shape[-1] % n_heads: raise ValueError(f"{x.shape[-1]} {n_heads}")
    return x.mT.unflatten(1,(n_heads,-1)).mT
# %% wrong: a reshape alone -> "A reshape alone fills head 0 with the first words."
- heads = x.reshape(batch, seq, n_heads, width // n_heads)
- return heads.transpose(1, 2)
+ return x.reshape(batch, n_heads, seq, width // n_heads)
# %% wrong: transpose missing -> "Is a transpose missing?"
- return heads.transpose(1, 2)
+ return heads
# %% wrong: words and columns swapped -> "Words and columns changed places."
- return heads.transpose(1, 2)
+ return heads.permute(0, 2, 3, 1)
# %% wrong: the last two axes swapped -> "behind the words"
- return heads.transpose(1, 2)
+ return heads.transpose(2, 3)
# %% wrong: heads before the batch -> "Heads come before the batch."
- return heads.transpose(1, 2)
+ return heads.permute(2, 0, 1, 3)
# %% wrong: batch and heads swapped -> "The batch moved, where the words should."
- return heads.transpose(1, 2)
+ return heads.transpose(0, 2)
# %% wrong: batch and heads merged -> "Batch and heads are one axis."
- return heads.transpose(1, 2)
+ return heads.transpose(1, 2).flatten(0, 1)
# %% wrong: words and columns merged -> "Each head is one long row."
- return heads.transpose(1, 2)
+ return heads.transpose(1, 2).flatten(2)
# %% wrong: n_heads taken for d_head -> "Did n_heads and d_head change places?"
- heads = x.reshape(batch, seq, n_heads, width // n_heads)
+ heads = x.reshape(batch, seq, width // n_heads, n_heads)
# %% wrong: split into pieces of width n_heads -> "Did n_heads and d_head change places?"
- heads = x.reshape(batch, seq, n_heads, width // n_heads)
- return heads.transpose(1, 2)
+ return torch.stack(x.split(n_heads, dim=-1), dim=1)
# %% wrong: columns interleaved -> "They stand 3 columns apart."
- heads = x.reshape(batch, seq, n_heads, width // n_heads)
- return heads.transpose(1, 2)
+ return x.reshape(batch, seq, width // n_heads, n_heads).permute(0, 3, 1, 2)
# %% wrong: heads in reverse order -> "Are the heads in reverse order?"
- return heads.transpose(1, 2)
+ return heads.transpose(1, 2).flip(1)
# %% wrong: columns of a head turned round -> "Are the columns of a head reversed?"
- return heads.transpose(1, 2)
+ return heads.transpose(1, 2).flip(-1)
# %% wrong: words turned round -> "Is the order of the words reversed?"
- return heads.transpose(1, 2)
+ return heads.transpose(1, 2).flip(2)
# %% wrong: a reshape across the batch -> "Does a reshape cross the batch?"
- heads = x.reshape(batch, seq, n_heads, width // n_heads)
- return heads.transpose(1, 2)
+ return x.reshape(n_heads, batch, seq, width // n_heads).transpose(0, 1)
# %% wrong: transposed before the cut -> "Was x transposed before the cut?"
- heads = x.reshape(batch, seq, n_heads, width // n_heads)
- return heads.transpose(1, 2)
+ return x.transpose(1, 2).reshape(batch, n_heads, seq, width // n_heads)
# %% wrong: no return -> "`return`"
- return heads.transpose(1, 2)
+ heads = heads.transpose(1, 2)
# %% wrong: returns x -> "Where is the axis of the heads?"
- return heads.transpose(1, 2)
+ return x
# %% wrong: one head only -> "Where are the others?"
- return heads.transpose(1, 2)
+ return heads[:, :, 0]
# %% wrong: only the first sentence -> "The batch is lost."
- return heads.transpose(1, 2)
+ return heads.transpose(1, 2)[0]
# %% wrong: a list of heads -> "got list"
- return heads.transpose(1, 2)
+ return list(heads.unbind(2))
# %% wrong: the same head for all -> "Has each head columns of its own?"
- return heads.transpose(1, 2)
+ return heads[:, :, :1].transpose(1, 2).repeat(1, n_heads, 1, 1)
# %% wrong: divided by the root of d_head -> "They were multiplied by 0.38."
- return heads.transpose(1, 2)
+ return heads.transpose(1, 2) / 7**0.5
# %% wrong: returns NaN -> "There are NaN or inf in the heads."
- return heads.transpose(1, 2)
+ return heads.transpose(1, 2) * float("nan")
# %% wrong: float32 result -> "give a result of torch.float32"
- return heads.transpose(1, 2)
+ return heads.transpose(1, 2).float()
# %% wrong: detached -> "No gradient reaches x"
- return heads.transpose(1, 2)
+ return heads.transpose(1, 2).detach()
# %% wrong: d_head from a true division -> "A size is 7.0."
- heads = x.reshape(batch, seq, n_heads, width // n_heads)
+ heads = x.reshape(batch, seq, n_heads, width / n_heads)
# %% wrong: width of a head fixed -> "Do all sizes come from x and n_heads?"
- heads = x.reshape(batch, seq, n_heads, width // n_heads)
+ heads = x.reshape(batch, seq, n_heads, 7)
# %% wrong: three heads, whatever n_heads is -> "Do all sizes come from"
- heads = x.reshape(batch, seq, n_heads, width // n_heads)
+ heads = x.reshape(batch, seq, 3, -1)
# %% wrong: view of x that crosses axes -> "This x is a transposed tensor."
- heads = x.reshape(batch, seq, n_heads, width // n_heads)
+ heads = x.view(-1, width).view(batch, seq, n_heads, width // n_heads)
# %% wrong: the rest of the width cut off -> "expected a ValueError, got no error"
- if width % n_heads:
-     raise ValueError(f"a width of {width} cannot be split into {n_heads} equal heads")
- heads = x.reshape(batch, seq, n_heads, width // n_heads)
+ d_head = width // n_heads
+ heads = x[..., : n_heads * d_head].reshape(batch, seq, n_heads, d_head)
# %% wrong: assert instead of ValueError -> "got AssertionError"
- if width % n_heads:
-     raise ValueError(f"a width of {width} cannot be split into {n_heads} equal heads")
+ assert width % n_heads == 0, f"{width} {n_heads}"
# %% wrong: reshape left to fail -> "got RuntimeError"
- if width % n_heads:
-     raise ValueError(f"a width of {width} cannot be split into {n_heads} equal heads")
# %% wrong: message without numbers -> "should also name 20 and 3"
- raise ValueError(f"a width of {width} cannot be split into {n_heads} equal heads")
+ raise ValueError("not divisible")
# %% wrong: divisibility turned round -> "3 divides 21."
- if width % n_heads:
+ if not width % n_heads:
# %% wrong: length tested instead of width -> "3 divides 21."
- if width % n_heads:
+ if seq % n_heads:
# %% wrong: another name for the argument -> "Are its arguments still called x, n_heads?"
- def split_heads(x, n_heads):
+ def split_heads(x, heads):
+     n_heads = heads
# %% wrong: the words cut instead of the columns -> "The words were cut, not the columns."
- heads = x.reshape(batch, seq, n_heads, width // n_heads)
- return heads.transpose(1, 2)
+ return torch.stack(x.split(width // n_heads, dim=1), dim=1)
# %% wrong: pieces joined like words -> "The heads follow one another like words."
- heads = x.reshape(batch, seq, n_heads, width // n_heads)
- return heads.transpose(1, 2)
+ return torch.cat(x.chunk(n_heads, dim=-1), dim=1)
# %% right: PyTorch's own error, told as a ValueError
def split_heads(x, n_heads):
    try:
        cut = x.unflatten(-1, (n_heads, -1))
    except RuntimeError as error:
        raise ValueError(f"{n_heads} heads cannot share {x.shape[-1]} columns") from error
    return cut.movedim(-2, 1)
# %% right: columns taken by an index
def split_heads(x, n_heads):
    if (width := x.shape[2]) % n_heads:
        raise ValueError(f"{width=}, {n_heads=}")
    columns = torch.arange(width).view(n_heads, 1, -1)
    return x[:, torch.arange(x.shape[1])[:, None], columns]

# %% wrong: the error returned, not raised -> "expected a ValueError, got no error"
- raise ValueError(f"a width of {width} cannot be split into {n_heads} equal heads")
+ return ValueError(f"a width of {width} cannot be split into {n_heads} equal heads")

# %% wrong: printed, not raised -> "got RuntimeError"
- raise ValueError(f"a width of {width} cannot be split into {n_heads} equal heads")
+ print(f"a width of {width} cannot be split into {n_heads} equal heads")

# %% wrong: the f in front of the message forgotten -> "should also name 20 and 3"
- raise ValueError(f"a width of {width} cannot be split into {n_heads} equal heads")
+ raise ValueError("a width of {width} cannot be split into {n_heads} equal heads")

# %% right: divmod, and movedim
def split_heads(x, n_heads):
    d_head, rest = divmod(x.shape[-1], n_heads)
    if rest != 0:
        raise ValueError(f"{n_heads} heads do not divide {x.shape[-1]} columns")
    return x.unflatten(-1, (n_heads, d_head)).movedim(2, 1)

# %% right: in one line, as later units have it
- heads = x.reshape(batch, seq, n_heads, width // n_heads)
- return heads.transpose(1, 2)
+ return x.reshape(batch, seq, n_heads, width // n_heads).transpose(1, 2)

# %% wrong: more heads than words are refused -> "5 divides the width, 5"
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    if width % n_heads != 0 or n_heads > seq:
        raise ValueError(f"width {width} cannot be divided into {n_heads} heads")
    return x.reshape(batch, seq, n_heads, width // n_heads).transpose(1, 2)

# %% right: einops, which has this as one line
from einops import rearrange


def split_heads(x, n_heads):
    if x.shape[-1] % n_heads:
        raise ValueError(f"{x.shape[-1]} % {n_heads} != 0")
    return rearrange(x, "b s (h d) -> b h s d", h=n_heads)
# %% wrong: the first sentence for all -> "Sentence 0 is right, sentence 1 is not."
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError(f"width {width} is not divisible by n_heads {n_heads}")
    x = x.reshape(batch, seq, n_heads, width // n_heads)
    return x.transpose(1, 2)[:1].expand(batch, -1, -1, -1)
# %% wrong: the transpose swaps words and columns -> "Swap the words with the heads"
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError(f"width {width} is not divisible by n_heads {n_heads}")
    return x.reshape(batch, seq, n_heads, -1).transpose(1, 3)
# %% right: a view of the last axis, which never crosses another
def split_heads(x, n_heads):
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError(f"width {width} is not divisible by n_heads {n_heads}")
    return x.view(batch, seq, n_heads, width // n_heads).transpose(1, 2)
