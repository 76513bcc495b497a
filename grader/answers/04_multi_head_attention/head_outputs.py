# %% right: einsum
def head_outputs(heads, out_weight):
    n, d = heads.shape[1], heads.shape[-1]
    if out_weight.shape[-1] != n * d:
        raise ValueError(f"out_weight is {out_weight.shape[-1]} wide, the heads {n * d}")
    return torch.einsum("bhsd,mhd->bhsm", heads, out_weight.unflatten(-1, (n, d)))
# %% right: a loop over slices of columns
def head_outputs(heads, out_weight):
    n, d, width = heads.shape[1], heads.shape[-1], out_weight.shape[1]
    if width != n * d:
        raise ValueError(f"got width {width}, expected {n * d}")
    parts = []
    for h in range(n):
        parts.append(F.linear(heads[:, h], out_weight[:, h * d : (h + 1) * d]))
    return torch.stack(parts, dim=1)
# %% right: all other heads set to zero
def head_outputs(heads, out_weight):
    batch, n, seq, d = heads.shape
    if out_weight.shape[1] != n * d:
        raise ValueError(f"got width {out_weight.shape[1]}, expected {n * d}")
    alone = torch.eye(n, dtype=heads.dtype)[:, :, None, None] * heads[:, None]
    return alone.transpose(2, 3).flatten(3) @ out_weight.T
# %% right: view, permute and matmul
def head_outputs(heads, out_weight):
    _, n, _, d = heads.shape
    if n * d != out_weight.size(1):
        raise ValueError(f"{out_weight.size(1)} columns for {n} heads of width {d}, {n * d} in all")
    blocks = out_weight.reshape(-1, n, d).permute(1, 2, 0)
    return torch.matmul(heads, blocks)
# %% wrong: cut along the rows by a reshape -> "a reshape cuts the rows first"
- blocks = torch.stack(out_weight.chunk(n_heads, dim=1))
+ blocks = out_weight.reshape(n_heads, -1, d_head)
# %% wrong: every third column -> "each takes every third column"
- blocks = torch.stack(out_weight.chunk(n_heads, dim=1))
+ blocks = out_weight.unflatten(1, (d_head, n_heads)).permute(2, 0, 1)
# %% wrong: blocks in reverse order -> "they are in reverse order"
- blocks = torch.stack(out_weight.chunk(n_heads, dim=1))
+ blocks = torch.stack(out_weight.chunk(n_heads, dim=1)[::-1])
# %% wrong: the first block for every head -> "Every head is multiplied by the block of head 0"
- blocks = torch.stack(out_weight.chunk(n_heads, dim=1))
+ blocks = out_weight[:, :d_head]
# %% wrong: cut along the rows by chunk -> "The rows of out_weight were cut"
- blocks = torch.stack(out_weight.chunk(n_heads, dim=1))
+ blocks = torch.stack(out_weight.chunk(n_heads, dim=0))
# %% wrong: block not transposed -> "Is the block transposed?"
- return heads @ blocks.mT
+ return heads @ blocks
# %% wrong: added up already -> "The heads are added already"
- return heads @ blocks.mT
+ return (heads @ blocks.mT).sum(dim=1)
# %% wrong: the whole output for every head -> "Every head returns the sum of all heads"
- return heads @ blocks.mT
+ parts = heads @ blocks.mT
+ return parts.sum(dim=1, keepdim=True).expand_as(parts)
# %% wrong: averaged -> "divided by the number of heads"
- return heads @ blocks.mT
+ return heads @ blocks.mT / n_heads
# %% wrong: words before heads -> "The words come before the heads"
- return heads @ blocks.mT
+ return (heads @ blocks.mT).transpose(1, 2)
# %% wrong: words last -> "The words come last"
- return heads @ blocks.mT
+ return blocks @ heads.mT
# %% wrong: heads before the batch -> "The heads come before the batch"
- return heads @ blocks.mT
+ return torch.stack([heads[:, h] @ blocks[h].T for h in range(n_heads)])
# %% wrong: a list -> "got list"
- return heads @ blocks.mT
+ return [heads[:, h] @ blocks[h].T for h in range(n_heads)]
# %% wrong: no return -> "`return`"
- return heads @ blocks.mT
+ out = heads @ blocks.mT
# %% wrong: only the first sentence -> "The batch is lost"
- return heads @ blocks.mT
+ return heads[0] @ blocks.mT
# %% wrong: the test turned round -> "Which axis of it is compared?"
- if width != n_heads * d_head:
-     raise ValueError(f"out_weight has width {width}, expected {n_heads * d_head}")
+ if width == n_heads * d_head:
+     raise ValueError(f"out_weight has {width} columns")
# %% wrong: n_heads and d_head swapped -> "The blocks are 3 wide"
- blocks = torch.stack(out_weight.chunk(n_heads, dim=1))
+ blocks = torch.stack(out_weight.chunk(d_head, dim=1))
# %% wrong: joined first, then projected -> "The heads are added already"
- blocks = torch.stack(out_weight.chunk(n_heads, dim=1))
- return heads @ blocks.mT
+ return F.linear(heads.transpose(1, 2).flatten(2), out_weight)
# %% wrong: the heads come back -> "Is the product with out_weight missing?"
- return heads @ blocks.mT
+ return heads
# %% wrong: rows where the weight is square -> "the heads own its columns, not its rows"
- blocks = torch.stack(out_weight.chunk(n_heads, dim=1))
+ square = out_weight.shape[0] == out_weight.shape[1]
+ blocks = torch.stack((out_weight.T if square else out_weight).chunk(n_heads, dim=1))
# %% wrong: nothing refused -> "expected a ValueError"
- if width != n_heads * d_head:
-     raise ValueError(f"out_weight has width {width}, expected {n_heads * d_head}")
- blocks = torch.stack(out_weight.chunk(n_heads, dim=1))
+ blocks = torch.stack([out_weight[:, h * d_head : (h + 1) * d_head] for h in range(n_heads)])
# %% wrong: only a width that heads do not divide is refused -> "expected a ValueError"
- if width != n_heads * d_head:
+ if width % n_heads:
# %% wrong: assert instead of ValueError -> "got AssertionError"
- if width != n_heads * d_head:
-     raise ValueError(f"out_weight has width {width}, expected {n_heads * d_head}")
+ assert width == n_heads * d_head, f"{width} {n_heads * d_head}"
# %% wrong: the message names the width alone -> "should also name"
- raise ValueError(f"out_weight has width {width}, expected {n_heads * d_head}")
+ raise ValueError(f"out_weight has width {width}")
# %% wrong: float32 inside -> "torch.float64"
- return heads @ blocks.mT
+ return heads.float() @ blocks.float().mT
# %% wrong: detached weight -> "No gradient reaches out_weight"
- return heads @ blocks.mT
+ return heads @ blocks.detach().mT
# %% wrong: other names for the arguments -> "it by name"
- def head_outputs(heads, out_weight):
+ def head_outputs(outputs, W):
+     heads, out_weight = outputs, W
# %% wrong: view of a weight that need not be contiguous -> "Use reshape, where view fails."
- blocks = torch.stack(out_weight.chunk(n_heads, dim=1))
+ blocks = out_weight.view(-1).view(-1, n_heads, d_head).transpose(0, 1)
# %% wrong: scaled by the root of d_head -> "0.378 times that"
- return heads @ blocks.mT
+ return heads @ blocks.mT / d_head**0.5
# %% wrong: negative -> "-1 times that"
- return heads @ blocks.mT
+ return -heads @ blocks.mT
# %% wrong: reshaped to the right shape -> "a reshape does not transpose"
- blocks = torch.stack(out_weight.chunk(n_heads, dim=1))
- return heads @ blocks.mT
+ return heads @ out_weight.reshape(n_heads, d_head, -1)
# %% wrong: what is left without the head -> "all the other heads write"
- return heads @ blocks.mT
+ parts = heads @ blocks.mT
+ return parts.sum(dim=1, keepdim=True) - parts
# %% wrong: the block of the next head -> "each head has that of the next one"
- blocks = torch.stack(out_weight.chunk(n_heads, dim=1))
+ blocks = torch.stack(out_weight.chunk(n_heads, dim=1)).roll(-1, 0)
# %% wrong: a loop that ends one head early -> "Head 2 writes 0 only."
- return heads @ blocks.mT
+ parts = heads @ blocks.mT
+ return torch.cat([parts[:, :-1], torch.zeros_like(parts[:, -1:])], dim=1)
# %% wrong: heads moved by a reshape first -> "A reshape mixes words and heads."
- return heads @ blocks.mT
+ batch, n_heads, seq, d_head = heads.shape
+ return heads.reshape(batch, seq, n_heads, d_head).transpose(1, 2) @ blocks.mT
# %% wrong: an equal share of the sum for every head -> "a third of the sum of all heads"
- return heads @ blocks.mT
+ return (heads @ blocks.mT).mean(dim=1, keepdim=True).expand(-1, n_heads, -1, -1)
# %% wrong: the rows of out_weight compared -> "Which axis of it is compared?"
- width = out_weight.shape[1]
+ width = out_weight.shape[0]
# %% wrong: blocks of rows, not of columns -> "Is its block transposed?"
- blocks = torch.stack(out_weight.chunk(n_heads, dim=1))  # (n_heads, d_model, d_head)
- return heads @ blocks.mT
+ rows = [out_weight[h * d_head : (h + 1) * d_head] for h in range(n_heads)]
+ return torch.stack([heads[:, h] @ block for h, block in enumerate(rows)], dim=1)
# %% wrong: a softmax of what the heads write -> "Is a softmax taken of what the heads write?"
- return heads @ blocks.mT
+ return (heads @ blocks.mT).softmax(dim=-1)
# %% wrong: a softmax over the heads -> "Is a softmax taken of what the heads write?"
- return heads @ blocks.mT
+ return (heads @ blocks.mT).softmax(dim=1)
# %% right: a grouped convolution
def head_outputs(heads, out_weight):
    batch, n_heads, seq, d_head = heads.shape
    if out_weight.shape[1] != n_heads * d_head:
        raise ValueError(f"expected {n_heads * d_head} columns, got {out_weight.shape[1]}")
    blocks = torch.cat(out_weight.hsplit(n_heads)).unsqueeze(-1)
    joined = heads.mT.flatten(1, 2)
    return F.conv1d(joined, blocks, groups=n_heads).unflatten(1, (n_heads, -1)).mT

# %% wrong: split takes the number of blocks for their width -> "chunk(3, dim=1) 3 blocks"
- blocks = torch.stack(out_weight.chunk(n_heads, dim=1))
- return heads @ blocks.mT
+ blocks = out_weight.split(n_heads, dim=1)
+ return torch.stack([heads[:, h] @ block.T for h, block in enumerate(blocks)], dim=1)
# %% right: vmap over the heads
def head_outputs(heads, out_weight):
    n_heads, d_head = heads.shape[1], heads.shape[3]
    width = out_weight.shape[1]
    if width != n_heads * d_head:
        raise ValueError(f"out_weight has width {width}, expected {n_heads * d_head}")

    W = out_weight.T.reshape(n_heads, d_head, -1)
    return torch.func.vmap(torch.matmul, in_dims=(1, 0), out_dims=1)(heads, W)
# %% wrong: the first sentence for all -> "Sentence 0 is right, sentence 1 is not."
- return heads @ blocks.mT
+ return (heads[:1] @ blocks.mT).expand(len(heads), -1, -1, -1)
# %% wrong: cut by the number of words -> "Are both read from `heads`"
- blocks = torch.stack(out_weight.chunk(n_heads, dim=1))
+ blocks = out_weight.unflatten(1, (heads.shape[2], -1)).transpose(0, 1)
# %% wrong: a constant added -> "A bias is not asked for."
- return heads @ blocks.mT
+ return heads @ blocks.mT + 1 / n_heads
# %% wrong: lengths instead of vectors -> "One number for each word."
- return heads @ blocks.mT
+ return (heads @ blocks.mT).norm(dim=-1)
# %% wrong: the whole of out_weight for each head -> "That is the whole of out_weight."
- return heads @ blocks.mT
+ return heads @ out_weight.T
# %% wrong: rows cut for columns -> "The rows of out_weight were cut"
- blocks = torch.stack(out_weight.chunk(n_heads, dim=1))  # (n_heads, d_model, d_head)
- return heads @ blocks.mT
+ blocks = out_weight.chunk(n_heads, dim=0)
+ return torch.stack([heads[:, h] @ blocks[h] for h in range(n_heads)], dim=1)
# %% wrong: heads sought along the batch -> "Axis 0 of `heads` is the batch."
- return heads @ blocks.mT
+ return torch.stack([heads[h] @ blocks[h].mT for h in range(n_heads)], dim=1)
# %% right: a view of the last axis
def head_outputs(heads, out_weight):
    n_heads, d_head = heads.shape[1], heads.shape[3]
    width = out_weight.shape[1]
    if width != n_heads * d_head:
        raise ValueError(f"out_weight has width {width}, expected {n_heads * d_head}")
    blocks = out_weight.view(-1, n_heads, d_head).transpose(0, 1)
    return heads @ blocks.mT
# %% wrong: rows cut, of out_weight transposed -> "The rows of out_weight were cut"
- blocks = torch.stack(out_weight.chunk(n_heads, dim=1))
- return heads @ blocks.mT
+ blocks = torch.stack(out_weight.T.chunk(n_heads, dim=1))
+ return heads @ blocks
# %% wrong: the number of heads of the text -> "Are both read from `heads`"
- blocks = torch.stack(out_weight.chunk(n_heads, dim=1))
+ blocks = out_weight.unflatten(1, (2, d_head)).transpose(0, 1)

# %% wrong: the joined heads meet cut rows -> "The rows of out_weight were cut"
- blocks = torch.stack(out_weight.chunk(n_heads, dim=1))  # (n_heads, d_model, d_head)
- return heads @ blocks.mT
+ joined = heads.transpose(1, 2).flatten(2)
+ return torch.stack([joined @ part.T for part in out_weight.chunk(n_heads)], dim=1)

# %% wrong: chunk is given the width -> "The blocks are 3 wide"
- blocks = torch.stack(out_weight.chunk(n_heads, dim=1))  # (n_heads, d_model, d_head)
+ blocks = torch.stack(out_weight.chunk(d_head, dim=1))

# %% wrong: a view of the heads, which may be transposed -> "Both are transposed tensors here"
- return heads @ blocks.mT
+ rows = heads.view(len(heads) * n_heads, -1, d_head)
+ return (rows @ blocks.mT.repeat(len(heads), 1, 1)).unflatten(0, (-1, n_heads))
# %% wrong: heads joined by a reshape, words mixed -> "joined by a reshape alone"
def head_outputs(heads, out_weight):
    batch, n_heads, seq, d_head = heads.shape
    if out_weight.shape[1] != n_heads * d_head:
        raise ValueError(f"got {out_weight.shape[1]} columns, expected {n_heads * d_head}")
    alone = torch.eye(n_heads)[:, :, None, None] * heads[:, None]
    return alone.reshape(batch, n_heads, seq, -1) @ out_weight.T
# %% wrong: the last column of each block left out -> "of out_weight have no effect"
- blocks = torch.stack(out_weight.chunk(n_heads, dim=1))
+ blocks = torch.stack(out_weight.chunk(n_heads, dim=1)) * (torch.arange(d_head) < d_head - 1)
