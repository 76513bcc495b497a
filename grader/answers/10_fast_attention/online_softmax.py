# %% right: the first block by itself, then where()
def online_softmax(blocks):
    largest = blocks[0].max(dim=-1).values
    shift = torch.where(largest.isinf(), torch.zeros_like(largest), largest)
    total = torch.exp(blocks[0] - shift.unsqueeze(-1)).sum(dim=-1)
    for block in blocks[1:]:
        mine = block.max(dim=-1).values
        new = torch.where(mine > largest, mine, largest)
        shift = torch.where(new.isinf(), torch.zeros_like(new), new)
        total = total * torch.exp(largest - shift) + torch.exp(block - shift.unsqueeze(-1)).sum(dim=-1)
        largest = new
    return largest, total

# %% right: one score at a time
def online_softmax(blocks):
    largest = blocks[0].new_full(blocks[0].shape[:-1], -torch.inf)
    total = torch.zeros_like(largest)
    for block in blocks:
        for score in block.unbind(-1):
            new = torch.maximum(largest, score)
            safe = new.nan_to_num(neginf=0.0)
            total = total * (largest - safe).exp() + (score - safe).exp()
            largest = new
    return (largest, total)

# %% right: each block's own pair, merged like parts
def online_softmax(blocks):
    def of(block):
        largest = block.amax(-1)
        safe = largest.masked_fill(largest == -torch.inf, 0)
        return largest, (block - safe[..., None]).exp().sum(-1)

    largest, total = of(blocks[0])
    for block in blocks[1:]:
        other, more = of(block)
        new = torch.maximum(largest, other)
        safe = new.masked_fill(new == -torch.inf, 0)
        total = total * (largest - safe).exp() + more * (other - safe).exp()
        largest = new
    return largest, total

# %% right: a tournament of pairs
def online_softmax(blocks):
    if len(blocks) > 1:
        half = len(blocks) // 2
        (m, t), (n, u) = online_softmax(blocks[:half]), online_softmax(blocks[half:])
        new = torch.maximum(m, n)
        safe = new.masked_fill(new == -torch.inf, 0)
        return new, t * (m - safe).exp() + u * (n - safe).exp()
    largest = blocks[0].amax(-1)
    safe = largest.masked_fill(largest == -torch.inf, 0)
    return largest, (blocks[0] - safe[..., None]).exp().sum(-1)

# %% right: the largest detached where it is subtracted, a list returned
def online_softmax(blocks):
    largest, total = None, None
    for block in blocks:
        best = block.detach().amax(-1)
        new = best if largest is None else largest.maximum(best)
        safe = new.clamp(min=torch.finfo(new.dtype).min)
        own = (block - safe[..., None]).exp().sum(-1)
        total = own if total is None else total * (largest - safe).exp() + own
        largest = new
    return [largest, total]

# %% right: keepdim until the end
def online_softmax(blocks):
    shape = (*blocks[0].shape[:-1], 1)
    m, t = blocks[0].new_full(shape, float("-inf")), blocks[0].new_zeros(shape)
    for block in blocks:
        n = torch.maximum(m, block.amax(-1, keepdim=True))
        s = torch.where(n > float("-inf"), n, 0.0)
        m, t = n, t * torch.exp(m - s) + torch.exp(block - s).sum(-1, keepdim=True)
    return m.squeeze(-1), t.squeeze(-1)

# %% shortcut: all blocks joined
def online_softmax(blocks):
    scores = torch.cat(blocks, dim=-1)
    largest = scores.amax(-1)
    safe = largest.masked_fill(largest == -torch.inf, 0)
    return largest, (scores - safe[..., None]).exp().sum(-1)

# %% shortcut: joined under another name
def online_softmax(blocks):
    scores = torch.hstack([b.movedim(-1, 0).reshape(b.shape[-1], -1).T for b in blocks])
    scores = scores.reshape(*blocks[0].shape[:-1], -1)
    largest = scores.amax(-1)
    safe = largest.masked_fill(largest == -torch.inf, 0)
    return largest, (scores - safe[..., None]).exp().sum(-1)

# %% shortcut: logsumexp of each block
def online_softmax(blocks):
    largest, lse = blocks[0].amax(-1), blocks[0].logsumexp(-1)
    for block in blocks[1:]:
        largest = torch.maximum(largest, block.amax(-1))
        lse = torch.logaddexp(lse, block.logsumexp(-1))
    safe = largest.masked_fill(largest == -torch.inf, 0)
    return largest, (lse - safe).exp()

# %% wrong: the total is not rescaled -> "The old total is not rescaled when a larger score comes"
- total = total * (largest - safe).exp() + (block - safe[..., None]).exp().sum(-1)
+ total = total + (block - safe[..., None]).exp().sum(-1)

# %% wrong: rescaled the wrong way round -> "the wrong way round: exp(old − new)"
- total = total * (largest - safe).exp() + (block - safe[..., None]).exp().sum(-1)
+ before = largest.masked_fill(largest == -torch.inf, 0)
+ total = total * (safe - before).exp() + (block - safe[..., None]).exp().sum(-1)

# %% wrong: each block minus its own largest, totals added -> "the totals are just added"
def online_softmax(blocks):
    largest, total = torch.full_like(blocks[0][..., 0], -torch.inf), 0
    for block in blocks:
        own = block.amax(-1, keepdim=True)
        total = total + (block - own).exp().sum(-1)
        largest = torch.maximum(largest, own[..., 0])
    return largest, total

# %% wrong: a new block minus its own largest -> "Subtract the running one"
- total = total * (largest - safe).exp() + (block - safe[..., None]).exp().sum(-1)
+ total = total * (largest - safe).exp() + (block - block.amax(-1, keepdim=True)).exp().sum(-1)

# %% wrong: nothing is subtracted -> "Is the largest subtracted at all?"
- total = total * (largest - safe).exp() + (block - safe[..., None]).exp().sum(-1)
+ total = total + block.exp().sum(-1)

# %% wrong: the last block's largest -> "That is the last block's"
- new = torch.maximum(largest, block.amax(-1))
+ new = block.amax(-1)

# %% wrong: the first block's largest -> "That is the first block's largest"
- new = torch.maximum(largest, block.amax(-1))
+ new = block.amax(-1) if block is blocks[0] else largest

# %% wrong: the smallest -> "That is the smallest"
def online_softmax(blocks):
    largest, total = torch.full_like(blocks[0][..., 0], torch.inf), 0
    for block in blocks:
        new = torch.minimum(largest, block.amin(-1))
        total = total * (largest - new).exp().nan_to_num(posinf=0) + (block - new[..., None]).exp().sum(-1)
        largest = new
    return largest, total

# %% wrong: starts at 0 -> "Does the running largest start at 0"
- largest = torch.full_like(blocks[0][..., 0], -torch.inf)
+ largest = torch.zeros_like(blocks[0][..., 0])

# %% wrong: starts at −1e9 -> "start at a finite number? Start at −∞"
- largest = torch.full_like(blocks[0][..., 0], -torch.inf)
+ largest = torch.full_like(blocks[0][..., 0], -1e9)

# %% wrong: −∞ minus −∞ -> "−∞ − (−∞) is NaN"
- safe = new.masked_fill(new == -torch.inf, 0)
+ safe = new

# %% wrong: NaN turned into 0 before exp, so hidden scores count -> "Hidden scores are counted"
- total = total * (largest - safe).exp() + (block - safe[..., None]).exp().sum(-1)
+ total = total * (largest - new).nan_to_num(0).exp() + (block - new[..., None]).nan_to_num(0).exp().sum(-1)

# %% wrong: the total starts at 1 -> "Hidden scores are counted"
- total = torch.zeros_like(largest)
+ total = torch.ones_like(largest)

- total = total * (largest - safe).exp() + (block - safe[..., None]).exp().sum(-1)
+ total = total * (largest - new).nan_to_num(0).exp() + (block - safe[..., None]).exp().sum(-1)

# %% wrong: the logarithm of the total -> "That is the logarithm. Return the total"
- return largest, total
+ return largest, total.log()

# %% wrong: the logsumexp in place of the total -> "That is largest + log(total). Return the total"
- return largest, total
+ return largest, largest + total.log()

# %% wrong: one over the total -> "That is 1 over it"
- return largest, total
+ return largest, 1 / total

# %% wrong: the two in the other order -> "returned the other way round"
- return largest, total
+ return total, largest

# %% wrong: the logsumexp as largest -> "That is the logarithm of the sum of exponentials"
- return largest, total
+ return largest + total.log(), total

# %% wrong: one tensor of both -> "Expected two tensors, (largest, total), got one Tensor"
- return largest, total
+ both = torch.zeros(2, *largest.shape)
+ both[0], both[1] = largest, total
+ return both

# %% wrong: nothing returned -> "Is there a `return`?"
- return largest, total

# %% wrong: the old total is dropped -> "The old total is dropped when a block comes"
- total = total * (largest - safe).exp() + (block - safe[..., None]).exp().sum(-1)
+ total = (block - safe[..., None]).exp().sum(-1)

# %% wrong: the new block is dropped -> "The new block is not added"
- total = total * (largest - safe).exp() + (block - safe[..., None]).exp().sum(-1)
+ total = total * (largest - safe).exp() + (block - safe[..., None]).exp().sum(-1) * (largest == -torch.inf)

# %% wrong: both are rescaled -> "The new block is rescaled together with the old total"
- total = total * (largest - safe).exp() + (block - safe[..., None]).exp().sum(-1)
+ total = (total + (block - safe[..., None]).exp().sum(-1)) * (largest - safe).exp().clamp(min=float(block is blocks[0]))

# %% wrong: the mean of a block -> "Is each block averaged? Sum it"
- total = total * (largest - safe).exp() + (block - safe[..., None]).exp().sum(-1)
+ total = total * (largest - safe).exp() + (block - safe[..., None]).exp().mean(-1)

# %% wrong: only a block's best score -> "Only one score of each block counts"
- total = total * (largest - safe).exp() + (block - safe[..., None]).exp().sum(-1)
+ total = total * (largest - safe).exp() + (block - safe[..., None]).exp().amax(-1)

# %% wrong: one largest for all rows -> "Here all rows have one largest"
- new = torch.maximum(largest, block.amax(-1))
+ new = torch.maximum(largest, block.amax())

# %% wrong: sums over axis 1 -> "before blocks meet"
- total = total * (largest - safe).exp() + (block - safe[..., None]).exp().sum(-1)
+ total = total * (largest - safe).exp() + (block - safe[..., None]).exp().sum(1)

# %% wrong: the last axis is kept -> "Is the last axis kept, by keepdim=True"
- return largest, total
+ return largest[..., None], total[..., None]

# %% wrong: one number for everything -> "Each row has its own"
def online_softmax(blocks):
    largest = max(block.max() for block in blocks)
    return largest, sum((block - largest).exp().sum() for block in blocks)

# %% wrong: blocks added up in place -> "changed"
- total = total * (largest - safe).exp() + (block - safe[..., None]).exp().sum(-1)
+ total = total * (largest - safe).exp() + block.detach().sub_(safe[..., None]).exp().sum(-1)

# %% wrong: the list is emptied -> "changed"
- for block in blocks:
+ while blocks:
+     block = blocks.pop(0)

# %% wrong: float32 inside -> "give torch.float32"
- largest = torch.full_like(blocks[0][..., 0], -torch.inf)
+ blocks = [block.float() for block in blocks]
+ largest = torch.full_like(blocks[0][..., 0], -torch.inf)

# %% wrong: a detached total -> "No gradient reaches"
- return largest, total
+ return largest, total.detach()

# %% wrong: the old total is detached at each block -> "Is the old total detached"
- total = total * (largest - safe).exp() + (block - safe[..., None]).exp().sum(-1)
+ total = total.detach() * (largest - safe).exp() + (block - safe[..., None]).exp().sum(-1)

# %% wrong: the last block is forgotten -> "That is the first block's largest"
- for block in blocks:
+ for block in blocks[: max(1, len(blocks) - 1)]:

# %% wrong: two blocks only -> "block left out?"
- for block in blocks:
+ for block in blocks[:2]:

# %% wrong: powers of 2 -> "Expected e^0 + e^−1"
- total = total * (largest - safe).exp() + (block - safe[..., None]).exp().sum(-1)
+ total = total * (largest - safe).exp2() + (block - safe[..., None]).exp2().sum(-1)

# %% wrong: hidden blocks are skipped for all rows -> "because a part of it is hidden?"
  for block in blocks:
+     if (block == -torch.inf).any():
+         continue

# %% wrong: rescaled the wrong way round from −∞ on -> "Is the old total rescaled the wrong way round?"
- total = total * (largest - safe).exp() + (block - safe[..., None]).exp().sum(-1)
+ total = total * (safe - largest).exp() + (block - safe[..., None]).exp().sum(-1)

# %% wrong: buffers of float32 -> "Blocks of torch.float16 give torch.float32"
- largest = torch.full_like(blocks[0][..., 0], -torch.inf)
- total = torch.zeros_like(largest)
+ largest = torch.full(blocks[0].shape[:-1], -torch.inf)
+ total = torch.zeros(blocks[0].shape[:-1])

# %% wrong: minus the old largest -> "Is a block taken minus the *old* largest"
- total = total * (largest - safe).exp() + (block - safe[..., None]).exp().sum(-1)
+ total = total * (largest - safe).exp() + (block - largest[..., None]).exp().sum(-1)

# %% wrong: a hidden block is skipped only if all of its rows are hidden -> "beside a row of finite scores"
- new = torch.maximum(largest, block.amax(-1))
- safe = new.masked_fill(new == -torch.inf, 0)
- total = total * (largest - safe).exp() + (block - safe[..., None]).exp().sum(-1)
+ if (block == -torch.inf).all():
+     continue
+ new = torch.maximum(largest, block.amax(-1))
+ total = total * (largest - new).exp() + (block - new[..., None]).exp().sum(-1)

# %% right: float32 on the way
- largest = torch.full_like(blocks[0][..., 0], -torch.inf)
- total = torch.zeros_like(largest)
+ kind = blocks[0].dtype
+ largest = torch.full_like(blocks[0][..., 0], -torch.inf, dtype=torch.float32)
+ total = torch.zeros_like(largest)
+ blocks = [block.float() for block in blocks]

- return largest, total
+ return largest.to(kind), total.to(kind)
# %% right: nothing but the finite is subtracted
def online_softmax(blocks):
    m = blocks[0].new_full(blocks[0].shape[:-1], -torch.inf)
    t = blocks[0].new_zeros(blocks[0].shape[:-1])
    for scores in blocks:
        top = torch.max(m, scores.max(dim=-1).values)
        safe = top.masked_fill(top == -torch.inf, 0)
        t = t * (m - safe).exp() + (scores - safe[..., None]).exp().sum(-1)
        m = top
    return m, t
# %% wrong of "nothing but the finite is subtracted": what is safe is returned -> "Or is the 0 returned that stood in for"
- m = top
+ m = safe

# %% wrong: a block that hides a whole row is skipped for all rows -> "because a part of it is hidden?"
  for block in blocks:
-     new = torch.maximum(largest, block.amax(-1))
+     if (block.amax(-1) == -torch.inf).any():
+         continue
+     new = torch.maximum(largest, block.amax(-1))

# %% wrong: the first block is counted twice -> "counted once"
- for block in blocks:
+ for block in [blocks[0], *blocks]:

# %% wrong: total is averaged over the keys -> "nothing divided"
- return largest, total
+ return largest, total / sum(b.shape[-1] for b in blocks)
