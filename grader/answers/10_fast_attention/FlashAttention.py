# %% right: the lse kept as one number per query, tiles cut by narrow, keys outside
class FlashAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, query, key, value, block_size):
        n, m, d = query.shape[-2], key.shape[-2], query.shape[-1]
        out = query.new_empty(*query.shape[:-1], value.shape[-1])
        lse = query.new_empty(query.shape[:-1])
        for i in range(0, n, block_size):
            rows = min(block_size, n - i)
            q = query.narrow(-2, i, rows) / math.sqrt(d)
            top = q.new_full(q.shape[:-1], -math.inf)
            total, mixed = torch.zeros_like(top), 0
            for j in range(0, m, block_size):
                cols = min(block_size, m - j)
                s = torch.einsum("...qd,...kd->...qk", q, key.narrow(-2, j, cols))
                new = torch.maximum(top, s.max(-1).values)
                p = torch.exp(s - new.unsqueeze(-1))
                shrink = torch.exp(top - new)
                total = total * shrink + p.sum(-1)
                mixed = mixed * shrink.unsqueeze(-1) + p @ value.narrow(-2, j, cols)
                top = new
            out[..., i : i + rows, :] = mixed / total.unsqueeze(-1)
            lse[..., i : i + rows] = top + total.log()
        ctx.save_for_backward(query, key, value, out, lse)
        ctx.size = block_size
        return out

    @staticmethod
    def backward(ctx, grad):
        query, key, value, out, lse = ctx.saved_tensors
        size, root = ctx.size, math.sqrt(query.shape[-1])
        delta = (grad * out).sum(-1)
        dq, keys, values = torch.zeros_like(query), [], []
        for j in range(0, key.shape[-2], size):
            k, v = key[..., j : j + size, :], value[..., j : j + size, :]
            dk, dv = torch.zeros_like(k), torch.zeros_like(v)
            for i in range(0, query.shape[-2], size):
                q, g = query[..., i : i + size, :], grad[..., i : i + size, :]
                p = torch.exp(q @ k.mT / root - lse[..., i : i + size, None])
                ds = p * (g @ v.mT - delta[..., i : i + size, None]) / root
                dv = dv + p.mT @ g
                dk = dk + ds.mT @ q
                dq[..., i : i + size, :] += ds @ k
            keys.append(dk)
            values.append(dv)
        return dq, torch.cat(keys, -2), torch.cat(values, -2), None

# %% right: each tile merged by logaddexp, key tiles as lists, gradients only where they are needed
class FlashAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, query, key, value, block_size):
        root, done = query.shape[-1] ** 0.25, []
        for q in (query / root).split(block_size, -2):
            out = q.new_zeros(*q.shape[:-1], value.shape[-1])
            lse = q.new_full((*q.shape[:-1], 1), -torch.inf)
            for k, v in zip((key / root).split(block_size, -2), value.split(block_size, -2)):
                scores = q @ k.mT
                both = torch.logaddexp(lse, scores.logsumexp(-1, keepdim=True))
                out = out * (lse - both).exp() + (scores - both).exp() @ v
                lse = both
            done.append((out, lse))
        out, lse = (torch.cat(parts, -2) for parts in zip(*done))
        ctx.save_for_backward(query, key, value, out, lse)
        ctx.block_size = block_size
        return out

    @staticmethod
    def backward(ctx, d_out):
        query, key, value, out, lse = ctx.saved_tensors
        n, scale = ctx.block_size, 1 / query.shape[-1] ** 0.5
        D = (d_out * out).sum(-1, keepdim=True)
        rows = [*zip(query.split(n, -2), d_out.split(n, -2), lse.split(n, -2), D.split(n, -2))]
        cols = [*zip(key.split(n, -2), value.split(n, -2))]

        def tile(row, col):
            (q, g, l, d), (k, v) = row, col
            p = (q @ k.mT * scale - l).exp()
            return p, p * (g @ v.mT - d) * scale

        d_query = d_key = d_value = None
        if ctx.needs_input_grad[0]:
            d_query = torch.cat([sum(tile(row, col)[1] @ col[0] for col in cols) for row in rows], -2)
        if ctx.needs_input_grad[1]:
            d_key = torch.cat([sum(tile(row, col)[1].mT @ row[0] for row in rows) for col in cols], -2)
        if ctx.needs_input_grad[2]:
            d_value = torch.cat([sum(tile(row, col)[0].mT @ row[1] for row in rows) for col in cols], -2)
        return d_query, d_key, d_value, None

# %% right: a tile of queries meets all keys at once, largest and total kept instead of their lse
class FlashAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, query, key, value, block_size):
        outs, tops, sums = [], [], []
        for q in query.split(block_size, dim=-2):
            scores = q @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
            top = scores.max(dim=-1, keepdim=True)[0]
            power = torch.exp(scores - top)
            outs.append(power @ value / power.sum(-1, keepdim=True))
            tops.append(top)
            sums.append(power.sum(-1, keepdim=True))
        ctx.query, ctx.key, ctx.value, ctx.block_size = query, key, value, block_size
        ctx.tops, ctx.sums = tops, sums
        ctx.outs = outs
        return torch.cat(outs, dim=-2)

    @staticmethod
    def backward(ctx, d_out):
        d_query, d_key, d_value = [], 0, 0
        root = math.sqrt(ctx.query.size(-1))
        parts = zip(ctx.query.split(ctx.block_size, -2), d_out.split(ctx.block_size, -2), ctx.tops, ctx.sums, ctx.outs)
        for q, g, top, total, out in parts:
            weights = torch.exp(q @ ctx.key.mT / root - top) / total
            d_scores = weights * (g @ ctx.value.mT - (g * out).sum(-1, keepdim=True)) / root
            d_query.append(d_scores @ ctx.key)
            d_key = d_key + d_scores.mT @ q
            d_value = d_value + weights.mT @ g
        return torch.cat(d_query, -2), d_key, d_value, None

# %% right: float32 on the way
class FlashAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, query, key, value, block_size):
        outs, lses = [], []
        for q in query.float().split(block_size, -2):
            out, lse = 0, torch.full((*q.shape[:-1], 1), -torch.inf)
            for k, v in zip(key.float().split(block_size, -2), value.float().split(block_size, -2)):
                scores = q @ k.mT / query.shape[-1] ** 0.5
                new = torch.logaddexp(lse, scores.logsumexp(-1, keepdim=True))
                out = out * (lse - new).exp() + (scores - new).exp() @ v
                lse = new
            outs.append(out)
            lses.append(lse)
        out = torch.cat(outs, -2).type_as(query)
        ctx.save_for_backward(query, key, value, out, torch.cat(lses, -2))
        ctx.size = block_size
        return out

    @staticmethod
    def backward(ctx, d_out):
        query, key, value, out, lse = ctx.saved_tensors
        grads = [torch.zeros_like(t, dtype=torch.float32) for t in (query, key, value)]
        n, scale = ctx.size, query.shape[-1] ** -0.5
        for i in range(0, query.shape[-2], n):
            q, g, o = (t[..., i : i + n, :].float() for t in (query, d_out, out))
            for j in range(0, key.shape[-2], n):
                k, v = (t[..., j : j + n, :].float() for t in (key, value))
                p = (q @ k.mT * scale - lse[..., i : i + n, :]).exp()
                d = p * (g @ v.mT - (g * o).sum(-1, keepdim=True)) * scale
                grads[0][..., i : i + n, :] += d @ k
                grads[1][..., j : j + n, :] += d.mT @ q
                grads[2][..., j : j + n, :] += p.mT @ g
        return *(grad.to(query.dtype) for grad in grads), None

# %% right: gradients in float32, which autograd casts
- d_query, d_key, d_value = (torch.zeros_like(t) for t in (query, key, value))
+ d_query, d_key, d_value = (torch.zeros(t.shape) for t in (query, key, value))


# %% wrong: D is missing -> "D is missing"
- d_scores = weights * (d_o @ v.mT - mean[..., rows, :]) * scale
+ d_scores = weights * (d_o @ v.mT) * scale


# %% wrong: D is added -> "D is added"
- d_scores = weights * (d_o @ v.mT - mean[..., rows, :]) * scale
+ d_scores = weights * (d_o @ v.mT + mean[..., rows, :]) * scale


# %% wrong: P is missing in dS -> "P is missing"
- d_scores = weights * (d_o @ v.mT - mean[..., rows, :]) * scale
+ d_scores = (d_o @ v.mT - mean[..., rows, :]) * scale


# %% wrong: P twice in dS -> "P is multiplied in twice"
- d_scores = weights * (d_o @ v.mT - mean[..., rows, :]) * scale
+ d_scores = weights * weights * (d_o @ v.mT - mean[..., rows, :]) * scale


# %% wrong: a sigmoid's slope -> "the slope of a sigmoid"
- d_scores = weights * (d_o @ v.mT - mean[..., rows, :]) * scale
+ d_scores = weights * (1 - weights) * (d_o @ v.mT) * scale


# %% wrong: its sign inverted -> "The sign is inverted"
- d_scores = weights * (d_o @ v.mT - mean[..., rows, :]) * scale
+ d_scores = weights * (mean[..., rows, :] - d_o @ v.mT) * scale


# %% wrong: neither dq nor dk is scaled -> "too large by √d"
- d_scores = weights * (d_o @ v.mT - mean[..., rows, :]) * scale
+ d_scores = weights * (d_o @ v.mT - mean[..., rows, :])


# %% wrong: dq is not scaled -> "the gradient of query is wrong"
- d_query[..., rows, :] += d_scores @ k
+ d_query[..., rows, :] += d_scores @ k / scale


# %% wrong: dk is not scaled -> "the gradient of key is wrong"
- d_key[..., keys, :] += d_scores.mT @ q
+ d_key[..., keys, :] += d_scores.mT @ q / scale


# %% wrong: scaled twice -> "divided by √d twice"
- d_scores = weights * (d_o @ v.mT - mean[..., rows, :]) * scale
+ d_scores = weights * (d_o @ v.mT - mean[..., rows, :]) * scale * scale


# %% wrong: scaled the other way -> "multiplied by √d"
- d_scores = weights * (d_o @ v.mT - mean[..., rows, :]) * scale
+ d_scores = weights * (d_o @ v.mT - mean[..., rows, :]) / scale


# %% wrong: D from the gradient alone -> "made of dO alone"
- mean = (d_out * out).sum(-1, keepdim=True)
+ mean = d_out.sum(-1, keepdim=True)


# %% wrong: D from the output alone -> "made of O alone"
- mean = (d_out * out).sum(-1, keepdim=True)
+ mean = out.sum(-1, keepdim=True)


# %% wrong: D from the output twice -> "made of O twice"
- mean = (d_out * out).sum(-1, keepdim=True)
+ mean = (out * out).sum(-1, keepdim=True)


# %% wrong: D is a mean over the width -> "over the width"
- mean = (d_out * out).sum(-1, keepdim=True)
+ mean = (d_out * out).mean(-1, keepdim=True)


# %% wrong: D is a sum of dP -> "sum of dP over the keys"
- d_scores = weights * (d_o @ v.mT - mean[..., rows, :]) * scale
+ d_weights = d_o @ v.mT
+ d_scores = weights * (d_weights - d_weights.sum(-1, keepdim=True)) * scale


# %% wrong: D without its own axis -> "the gradient of key is wrong"
- mean = (d_out * out).sum(-1, keepdim=True)
+ mean = (d_out * out).sum((-2, -1), keepdim=True).expand_as(lse)


# %% wrong: the weights are not made again with the scale -> "without dividing by √d"
- weights = (q @ k.mT * scale - lse[..., rows, :]).exp()
+ weights = (q @ k.mT - lse[..., rows, :]).exp()


# %% wrong: the scores themselves are the weights -> "without a softmax"
- weights = (q @ k.mT * scale - lse[..., rows, :]).exp()
+ weights = q @ k.mT * scale


# %% wrong: the lse is not subtracted -> "the exponentials of the scores themselves"
- weights = (q @ k.mT * scale - lse[..., rows, :]).exp()
+ weights = (q @ k.mT * scale).exp()


# %% wrong: a softmax of each tile -> "with tiles of"
- weights = (q @ k.mT * scale - lse[..., rows, :]).exp()
+ weights = (q @ k.mT * scale).softmax(-1)


# %% wrong: the lse is the largest -> "not divided by the total"
- lses.append(largest + total.log())
+ lses.append(largest)


# %% wrong: the lse is the logarithm of the total -> "without the largest"
- lses.append(largest + total.log())
+ lses.append(total.log())


# %% wrong: the lse to the base 2 -> "the gradient of value is wrong"
- lses.append(largest + total.log())
+ lses.append(largest + total.log2())


# %% wrong: the weights squared -> "the weights squared"
- d_value[..., keys, :] += weights.mT @ d_o
+ d_value[..., keys, :] += (weights * weights).mT @ d_o


# %% wrong: the output's gradient is ignored in dv -> "as if it were 1"
- d_value[..., keys, :] += weights.mT @ d_o
+ d_value[..., keys, :] += weights.mT @ torch.ones_like(d_o)


# %% wrong: only the last tile of queries for value -> "Only the last tile of queries"
- d_value[..., keys, :] += weights.mT @ d_o
+ d_value[..., keys, :] = weights.mT @ d_o


# %% wrong: only the last tile of keys for query -> "Only the last tile of keys"
- d_query[..., rows, :] += d_scores @ k
+ d_query[..., rows, :] = d_scores @ k


# %% wrong: only the last tile of queries for key -> "Only the last tile of queries"
- d_key[..., keys, :] += d_scores.mT @ q
+ d_key[..., keys, :] = d_scores.mT @ q


# %% wrong: the value's gradient is never written -> "zero everywhere"
- d_value[..., keys, :] += weights.mT @ d_o
+ d_value[..., keys, :] + weights.mT @ d_o


# %% wrong: three gradients -> "incorrect number of gradients"
- return d_query, d_key, d_value, None
+ return d_query, d_key, d_value


# %% wrong: two are swapped -> "Are two swapped"
- return d_query, d_key, d_value, None
+ return d_key, d_query, d_value, None


# %% wrong: key and value are swapped -> "Are two swapped"
- return d_query, d_key, d_value, None
+ return d_query, d_value, d_key, None


# %% wrong: a gradient is transposed -> "is one transposed"
- return d_query, d_key, d_value, None
+ return d_query, d_key.mT, d_value, None


# %% wrong: no gradient for value -> "None for value"
- return d_query, d_key, d_value, None
+ return d_query, d_key, None, None


# %% wrong: D of the wrong rows -> "of D and of dO"
- d_scores = weights * (d_o @ v.mT - mean[..., rows, :]) * scale
+ d_scores = weights * (d_o @ v.mT - mean[..., keys, :]) * scale


# %% wrong: lse of the wrong rows -> "its own rows of lse"
- weights = (q @ k.mT * scale - lse[..., rows, :]).exp()
+ weights = (q @ k.mT * scale - lse[..., keys, :]).exp()


# %% wrong: the last, shorter tile of queries is left out -> "Is the last, shorter tile of queries left out?"
- for q in query.split(size, dim=-2):
+ for q in [q for q in query.split(size, dim=-2) if q.shape[-2] == size]:


# %% wrong: the last, shorter tile of keys is left out in backward -> "with tiles of"
- for first in range(0, key.shape[-2], size):
+ for first in range(0, max(1, key.shape[-2] - size + 1), size):


# %% wrong: the last, shorter tile of queries is left out in backward -> "with tiles of"
- for start in range(0, query.shape[-2], size):
+ for start in range(0, max(1, query.shape[-2] - size + 1), size):


# %% wrong: forward does not rescale -> "last, shorter tile"
- out = out * past + power @ v
+ out = out + power @ v


# %% wrong: forward forgets the scale -> "the softmax saw the dot products times 1.000"
- scores = q @ k.mT * scale
+ scores = q @ k.mT


# %% wrong: the lse is returned as well -> "forward returns 2 things"
- return out
+ return out, lse


# %% wrong: the table is kept -> "makes or keeps a number for each pair"
- ctx.save_for_backward(query, key, value, out, lse)
+ ctx.save_for_backward(query, key, value, out, lse)
+ ctx.weights = (query @ key.mT * scale).softmax(-1)


# %% wrong: all tiles are kept -> "makes or keeps a number for each pair"
- scores = q @ k.mT * scale
+ scores = q @ k.mT * scale
+ ctx.tiles = [*getattr(ctx, "tiles", []), scores]


# %% wrong: the table is made in backward -> "makes or keeps a number for each pair"
- mean = (d_out * out).sum(-1, keepdim=True)  # D, one number per query
+ whole = (query @ key.mT * scale - lse).exp()
+ mean = (whole * (d_out @ value.mT)).sum(-1, keepdim=True)


# %% wrong: kept in the class -> "Is something kept in the class"
- ctx.save_for_backward(query, key, value, out, lse)
+ FlashAttention.kept = query, key, value, out, lse

- query, key, value, out, lse = ctx.saved_tensors
+ query, key, value, out, lse = FlashAttention.kept


# %% wrong: a buffer of float32 -> "give torch.float32"
- outs.append(out / total)
+ outs.append((out / total).float())


# %% wrong: query is scaled in place -> "changed one of its arguments in place"
- size, scale, outs, lses = block_size, query.shape[-1] ** -0.5, [], []
+ query *= query.shape[-1] ** -0.5
+ size, scale, outs, lses = block_size, 1, [], []


# %% wrong: a module -> "Does its class line name torch.autograd.Function?"
- class FlashAttention(torch.autograd.Function):
+ class FlashAttention(nn.Module):


# %% wrong: the leading axes are two -> "Are axes counted from the end"
- d_value[..., keys, :] += weights.mT @ d_o
+ d_value[:, :, keys] += weights.transpose(2, 3) @ d_o


# %% wrong: the number is saved with the tensors -> "save_for_backward takes tensors"
- ctx.save_for_backward(query, key, value, out, lse)
+ ctx.save_for_backward(query, key, value, out, lse, block_size)


# %% wrong: more is unpacked than was saved -> "Does ctx.save_for_backward save all"
- ctx.save_for_backward(query, key, value, out, lse)
+ ctx.save_for_backward(query, key, value, out)


# %% wrong: block_size is not kept -> "forward has to put there"
- ctx.block_size = size


# %% shortcut: autograd makes the backward pass
class FlashAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, query, key, value, block_size):
        ctx.save_for_backward(query, key, value)
        return (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1) @ value

    @staticmethod
    def backward(ctx, d_out):
        leaves = [t.detach().requires_grad_() for t in ctx.saved_tensors]
        with torch.enable_grad():
            out = plain(*leaves)
        return *torch.autograd.grad(out, leaves, d_out), None


def plain(query, key, value):
    return (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1) @ value

# %% shortcut: .backward in backward
class FlashAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, query, key, value, block_size):
        ctx.save_for_backward(query, key, value)
        return torch.cat([(q @ key.mT / query.shape[-1] ** 0.5).softmax(-1) @ value for q in query.split(block_size, -2)], -2)

    @staticmethod
    def backward(ctx, d_out):
        leaves = [t.detach().requires_grad_() for t in ctx.saved_tensors]
        with torch.enable_grad():
            out = (leaves[0] @ leaves[1].mT / leaves[0].shape[-1] ** 0.5).softmax(-1) @ leaves[2]
        out.backward(d_out)
        return *(leaf.grad for leaf in leaves), None

# %% shortcut: PyTorch's function inside
class FlashAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, query, key, value, block_size):
        ctx.save_for_backward(query, key, value)
        return F.scaled_dot_product_attention(query, key, value)

    @staticmethod
    def backward(ctx, d_out):
        def attend(*parts):
            return F.scaled_dot_product_attention(*parts)

        with torch.enable_grad():
            return *torch.func.vjp(attend, *ctx.saved_tensors)[1](d_out), None
# %% right: einsum and index_add
class FlashAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, query, key, value, block_size):
        scale = query.shape[-1] ** -0.5
        outs, lses = [], []
        for q in query.split(block_size, -2):
            m = q.new_full(q.shape[:-1] + (1,), -torch.inf)
            t, o = torch.zeros_like(m), q.new_zeros(q.shape[:-1] + value.shape[-1:])
            for k, v in zip(key.split(block_size, -2), value.split(block_size, -2)):
                s = torch.einsum("...qd,...kd->...qk", q, k) * scale
                new = torch.maximum(m, s.amax(-1, keepdim=True))
                e, old = (s - new).exp(), (m - new).exp()
                t, o, m = t * old + e.sum(-1, keepdim=True), o * old + e @ v, new
            outs.append(o / t)
            lses.append(m + t.log())
        out, lse = torch.cat(outs, -2), torch.cat(lses, -2)
        ctx.save_for_backward(query, key, value, out, lse)
        ctx.size = block_size
        return out

    @staticmethod
    def backward(ctx, d_out):
        query, key, value, out, lse = ctx.saved_tensors
        scale, n = query.shape[-1] ** -0.5, ctx.size
        mean = (d_out * out).sum(-1, keepdim=True)
        dq, dk, dv = (torch.zeros_like(t) for t in (query, key, value))
        for a in range(0, query.shape[-2], n):
            rows = slice(a, a + n)
            q, g = query[..., rows, :], d_out[..., rows, :]
            for b in range(0, key.shape[-2], n):
                columns = slice(b, b + n)
                k, v = key[..., columns, :], value[..., columns, :]
                p = (q @ k.mT * scale - lse[..., rows, :]).exp()
                ds = p * (g @ v.mT - mean[..., rows, :]) * scale
                dq[..., rows, :] += ds @ k
                dk[..., columns, :] += ds.mT @ q
                dv[..., columns, :] += p.mT @ g
        return dq, dk, dv, None
# %% wrong of "einsum and index_add": values get the scores' gradient -> "It is made of dS."
- dv[..., columns, :] += p.mT @ g
+ dv[..., columns, :] += ds.mT @ g
# %% wrong of "einsum and index_add": values get the output -> "It is made of O."
- dv[..., columns, :] += p.mT @ g
+ dv[..., columns, :] += p.mT @ out[..., rows, :]
# %% wrong of "einsum and index_add": weights without the lse -> "The weights are a softmax of each tile by itself."
- p = (q @ k.mT * scale - lse[..., rows, :]).exp()
+ p = (q @ k.mT * scale).softmax(-1)

# %% wrong: tiles of keys overlap in backward -> "does none reach into the next"
- keys = slice(first, first + size)
+ keys = slice(first, first + size + 1)

# %% wrong: whole tiles of keys only in backward -> "also for a tile shorter than block_size"
- for first in range(0, key.shape[-2], size):
+ for first in range(0, key.shape[-2] - size + 1, size):

# %% wrong: D is a sum over the keys of a tile -> "Is D a sum over the keys of one tile?"
- d_scores = weights * (d_o @ v.mT - mean[..., rows, :]) * scale
+ d_weights = d_o @ v.mT
+ d_scores = weights * (d_weights - (weights * d_weights).sum(-1, keepdim=True)) * scale
# %% wrong: the total without its logarithm -> "Is the lse largest + total, without the logarithm?"
- lses.append(largest + total.log())
+ lses.append(largest + total)
# %% wrong: the output is kept before its division -> "before its division by the total"
- outs.append(out / total)
+ outs.append((out, total))

- out, lse = torch.cat(outs, dim=-2), torch.cat(lses, dim=-2)  # (…, q, d_v), (…, q, 1)
- ctx.save_for_backward(query, key, value, out, lse)
+ out, total = (torch.cat(parts, dim=-2) for parts in zip(*outs))
+ ctx.save_for_backward(query, key, value, out, torch.cat(lses, dim=-2))
+ out = out / total
# %% wrong: the gradient of key without the transpose -> "Is a product not transposed?"
- d_key[..., keys, :] += d_scores.mT @ q
+ d_key[..., keys, :] += d_scores @ q
