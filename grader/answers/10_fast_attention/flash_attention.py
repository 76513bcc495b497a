# %% right: tiles of keys outside, tiles of queries inside
def flash_attention(query, key, value, block_size, causal=False):
    q_len, k_len = query.shape[-2], key.shape[-2]
    starts = range(0, q_len, block_size)
    q = [query[..., s : s + block_size, :] * query.shape[-1] ** -0.5 for s in starts]
    m = [one.new_full((*one.shape[:-1], 1), float("-inf")) for one in q]
    t, o = [0] * len(q), [0] * len(q)
    for first in range(0, k_len, block_size):
        k, v = key[..., first : first + block_size, :], value[..., first : first + block_size, :]
        for n, s in enumerate(starts):
            at = torch.arange(s, s + q[n].shape[-2]) + k_len - q_len
            if causal and first > at[-1]:
                continue
            scores = q[n] @ k.transpose(-1, -2)
            if causal:
                hidden = torch.arange(first, first + k.shape[-2])[None] > at[:, None]
                scores = scores.masked_fill(hidden, float("-inf"))
            new = torch.maximum(m[n], scores.max(-1, keepdim=True).values)
            p, f = torch.exp(scores - new), torch.exp(m[n] - new)
            t[n], o[n], m[n] = t[n] * f + p.sum(-1, keepdim=True), o[n] * f + p @ v, new
    return torch.cat([out / total for out, total in zip(o, t)], -2)

# %% right: the last tile of keys first
def flash_attention(query, key, value, block_size, causal=False):
    ahead, rows = key.shape[-2] - query.shape[-2], []
    for start in range(0, query.shape[-2], block_size):
        q = query[..., start : start + block_size, :] / query.shape[-1] ** 0.5
        words = torch.arange(start, start + q.shape[-2])[:, None] + ahead
        m = torch.full_like(q[..., :1], -1e30)
        t, out = torch.zeros_like(m), 0
        for first in reversed(range(0, key.shape[-2], block_size)):
            if causal and first > int(words.max()):
                continue
            k, v = (x[..., first : first + block_size, :] for x in (key, value))
            s = q @ k.mT
            seen = torch.arange(first, first + k.shape[-2]) <= words if causal else torch.ones(1) > 0
            new = torch.maximum(m, s.masked_fill(~seen, -1e30).amax(-1, keepdim=True))
            p = (s.masked_fill(~seen, -1e30) - new).exp().masked_fill(~seen, 0)
            t, out, m = t * (m - new).exp() + p.sum(-1, keepdim=True), out * (m - new).exp() + p @ v, new
        rows.append(out / t)
    return torch.cat(rows, dim=-2)

# %% right: keys cut off at the last query of the tile
def flash_attention(query, key, value, block_size, causal=False):
    n, ahead, rows = key.shape[-2], key.shape[-2] - query.shape[-2], []
    for start in range(0, query.shape[-2], block_size):
        q = query[..., start : start + block_size, :]
        end = start + q.shape[-2] + ahead if causal else n
        m, t, out = float("-inf"), 0.0, 0.0
        for first in range(0, end, block_size):
            stop = min(first + block_size, end)
            s = q @ key[..., first:stop, :].mT / q.shape[-1] ** 0.5
            if causal:
                later = torch.arange(first, stop) > torch.arange(start, start + q.shape[-2])[:, None] + ahead
                s = s.masked_fill(later, float("-inf"))
            best = s.amax(-1, keepdim=True)
            new = best if first == 0 else torch.maximum(m, best)
            past = torch.exp(m - new)
            p = torch.exp(s - new)
            t = t * past + p.sum(-1, keepdim=True)
            out = out * past + p @ value[..., first:stop, :]
            m = new
        rows.append(out / t)
    return torch.cat(rows, dim=-2)

# %% right: a softmax in each tile, merged by logsumexp
def flash_attention(query, key, value, block_size, causal=False):
    q_len, k_len, rows = query.shape[-2], key.shape[-2], []
    for start in range(0, q_len, block_size):
        q = query[..., start : start + block_size, :] / query.shape[-1] ** 0.5
        at = torch.arange(start, start + q.shape[-2])[:, None] + k_len - q_len
        outs, lses = [], []
        for first in range(0, k_len, block_size):
            if causal and first > at.max():
                break
            s = q @ key[..., first : first + block_size, :].mT
            if causal:
                s = s.masked_fill(torch.arange(first, first + s.shape[-1]) > at, -1e30)
            outs.append(s.softmax(-1) @ value[..., first : first + block_size, :])
            lses.append(s.logsumexp(-1))
        share = torch.stack(lses).softmax(0)[..., None]
        rows.append((share * torch.stack(outs)).sum(0))
    return torch.cat(rows, -2)

# %% right: a column of ones on the values counts the total
def flash_attention(query, key, value, block_size, causal=False):
    ones = value.new_ones(*value.shape[:-1], 1)
    wide, ahead = torch.cat([value, ones], dim=-1), key.shape[-2] - query.shape[-2]
    out = []
    for i, q in enumerate((query / query.shape[-1] ** 0.5).split(block_size, dim=-2)):
        last = i * block_size + q.shape[-2] - 1 + ahead
        m = q.new_full((*q.shape[:-1], 1), -torch.inf)
        acc = q.new_zeros(*q.shape[:-1], wide.shape[-1])
        for j, (k, v) in enumerate(zip(key.split(block_size, -2), wide.split(block_size, -2))):
            if causal and j * block_size > last:
                break
            s = torch.einsum("...qd,...kd->...qk", q, k)
            if causal:
                words = i * block_size + torch.arange(q.shape[-2]) + ahead
                s = torch.where(words[:, None] >= j * block_size + torch.arange(k.shape[-2]), s, -torch.inf)
            new = m.maximum(s.amax(-1, keepdim=True))
            acc = acc.mul(torch.exp(m - new)).add(torch.exp(s - new) @ v)
            m = new
        out.append(acc[..., :-1] / acc[..., -1:])
    return torch.cat(out, dim=-2)

# %% right: own accumulators, updated in place
- total = total * past + power.sum(-1, keepdim=True)
- out = out * past + power @ v
+ if first == 0:
+     total, out = power.sum(-1, keepdim=True), power @ v
+ else:
+     total.mul_(past).add_(power.sum(-1, keepdim=True))
+     out.mul_(past).add_(power @ v)

# %% right: the largest detached
- new = torch.maximum(largest, scores.amax(-1, keepdim=True))
+ new = torch.maximum(largest, scores.amax(-1, keepdim=True)).detach()

# %% right: results written into a tensor of zeros
def flash_attention(query, key, value, block_size, causal=False):
    result = torch.zeros(*query.shape[:-1], value.shape[-1], dtype=query.dtype)
    shift = key.shape[-2] - query.shape[-2]
    for a in range(0, query.shape[-2], block_size):
        b = min(a + block_size, query.shape[-2])
        mx = torch.full((*query.shape[:-2], b - a), -torch.inf, dtype=query.dtype)
        sm, acc = torch.zeros_like(mx), torch.zeros(*mx.shape, value.shape[-1], dtype=query.dtype)
        for c in range(0, key.shape[-2], block_size):
            d = min(c + block_size, key.shape[-2])
            if causal and c >= b + shift:
                continue
            s = query[..., a:b, :] @ key[..., c:d, :].mT / query.shape[-1] ** 0.5
            if causal:
                ok = torch.ones(b - a, d - c, dtype=torch.bool).tril(a + shift - c)
                s = s.masked_fill(~ok, -torch.inf)
            new = torch.maximum(mx, s.amax(-1))
            p = torch.exp(s - new[..., None])
            f = torch.exp(mx - new)
            sm, acc, mx = sm * f + p.sum(-1), acc * f[..., None] + p @ value[..., c:d, :], new
        result[..., a:b, :] = acc / sm[..., None]
    return result

# %% right: one query after the other inside a tile
def flash_attention(query, key, value, block_size, causal=False):
    ahead, rows = key.shape[-2] - query.shape[-2], []
    for i in range(query.shape[-2]):
        q = query[..., i : i + 1, :] / query.shape[-1] ** 0.5
        m, t, out = None, 0, 0
        for first in range(0, key.shape[-2], block_size):
            stop = min(first + block_size, i + ahead + 1) if causal else first + block_size
            if stop <= first:
                break
            s = q @ key[..., first:stop, :].mT
            best = s.amax(-1, keepdim=True)
            new = best if m is None else torch.maximum(m, best)
            past = 0 if m is None else (m - new).exp()
            p = (s - new).exp()
            t, out, m = t * past + p.sum(-1, keepdim=True), out * past + p @ value[..., first:stop, :], new
        rows.append(out / t)
    return torch.cat(rows, -2)

# %% shortcut: PyTorch's own, one tile of queries at a time
def flash_attention(query, key, value, block_size, causal=False):
    rows, ahead = [], key.shape[-2] - query.shape[-2]
    for start in range(0, query.shape[-2], block_size):
        q = query[..., start : start + block_size, :]
        n = start + q.shape[-2] + ahead if causal else key.shape[-2]
        mask = torch.ones(q.shape[-2], n, dtype=torch.bool)
        mask = mask.tril(start + ahead) if causal else mask
        rows.append(F.scaled_dot_product_attention(q, key[..., :n, :], value[..., :n, :], attn_mask=mask))
    return torch.cat(rows, dim=-2)

# %% shortcut: PyTorch's own by its full name
def flash_attention(query, key, value, block_size, causal=False):
    mask = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool)
    mask = mask.tril(key.shape[-2] - query.shape[-2]) if causal else mask
    return torch.nn.functional.scaled_dot_product_attention(query, key, value, mask)

# %% wrong: a softmax in each tile, added -> "the results added: the row sums to 3"
- new = torch.maximum(largest, scores.amax(-1, keepdim=True))
- past, power = (largest - new).exp(), (scores - new).exp()
- total = total * past + power.sum(-1, keepdim=True)
- out = out * past + power @ v
- largest = new
+ total, out = 1, out + scores.softmax(-1) @ v

# %% wrong: a softmax in each tile, averaged -> "and the results averaged"
- new = torch.maximum(largest, scores.amax(-1, keepdim=True))
- past, power = (largest - new).exp(), (scores - new).exp()
- total = total * past + power.sum(-1, keepdim=True)
- out = out * past + power @ v
- largest = new
+ total, out = total + 1, out + scores.softmax(-1) @ v

# %% wrong: the output is not rescaled -> "The output so far is not rescaled"
- out = out * past + power @ v
+ out = out + power @ v

# %% wrong: the total is not rescaled -> "The total so far is not rescaled"
- total = total * past + power.sum(-1, keepdim=True)
+ total = total + power.sum(-1, keepdim=True)

# %% wrong: nothing is rescaled -> "Nothing is rescaled when a larger score comes"
- total = total * past + power.sum(-1, keepdim=True)
- out = out * past + power @ v
+ total = total + power.sum(-1, keepdim=True)
+ out = out + power @ v

# %% wrong: rescaled the wrong way round -> "Or is the factor exp(new − old)? That is ∞ here"
- past, power = (largest - new).exp(), (scores - new).exp()
+ past, power = (new - largest).exp(), (scores - new).exp()

# %% wrong: rescaled the wrong way round, from the second tile on -> "Is the past times exp(old largest − new largest)"
- past, power = (largest - new).exp(), (scores - new).exp()
+ past, power = ((new - largest) if first else (largest - new)).exp(), (scores - new).exp()

# %% wrong: the new tile is rescaled -> "Only the past is multiplied by the factor, not the new tile"
- total = total * past + power.sum(-1, keepdim=True)
- out = out * past + power @ v
+ total = total + past * power.sum(-1, keepdim=True)
+ out = out + past * (power @ v)

# %% wrong: divided in every tile -> "The output is divided in every tile. Divide once"
- out = out * past + power @ v
+ out = (out * past + power @ v) / total

- done.append(out / total)
+ done.append(out)

# %% wrong: divided in every tile and at the end -> "and by nothing after that"
- out = out * past + power @ v
+ out = (out * past + power @ v) / total

# %% wrong: each tile divided by the total so far -> "Each tile is divided by the total so far"
- out = out * past + power @ v
+ out = out * past + power @ v / total

- done.append(out / total)
+ done.append(out)

# %% wrong: never divided -> "divided by"
- done.append(out / total)
+ done.append(out)

# %% wrong: each tile minus its own largest -> "taken minus its own largest"
- past, power = (largest - new).exp(), (scores - new).exp()
+ past, power = (largest - new).exp(), (scores - scores.amax(-1, keepdim=True)).exp()

# %% wrong: only the last tile counts -> "Only the last tile counts"
- total = total * past + power.sum(-1, keepdim=True)
- out = out * past + power @ v
+ total, out = power.sum(-1, keepdim=True), power @ v

# %% wrong: only its own tile of keys -> "Only the first tile counts"
- for first in range(0, key.shape[-2], size):
+ for first in [start]:

# %% wrong: the first tile alone -> "Only the first tile counts"
- largest = new
+ largest = new
+ break

# %% wrong: the last tile of keys is lost -> "The last tile of keys is left out"
- for first in range(0, key.shape[-2], size):
+ for first in range(0, max(1, key.shape[-2] - size), size):

# %% wrong: the last ragged tile of keys is lost -> "The last, shorter tile of keys is left out"
- for first in range(0, key.shape[-2], size):
+ for first in range(0, max(1, key.shape[-2] // size) * size, size):

# %% wrong: the last ragged tile of queries is lost -> "Is the last, shorter tile of queries left out"
- for start in range(0, query.shape[-2], size):
+ for start in range(0, max(1, query.shape[-2] // size) * size, size):

# %% wrong: the largest is never updated after the first tile -> "The running largest is not updated"
- largest = new
+ largest = new if first == 0 else largest

# %% wrong: the largest is never kept -> "Only the last tile counts"
- largest = new

# %% wrong: state carried into the next tile of queries -> "Do largest, total and output start anew"
- largest, total, out = q.new_full((*q.shape[:-1], 1), -torch.inf), 0, 0
+ if start == 0:
+     kept = q.new_full((*q.shape[:-1], 1), -torch.inf), 0, 0
+ n = q.shape[-2]
+ largest, total, out = (t[..., :n, :] if torch.is_tensor(t) else t for t in kept)

- done.append(out / total)
+ done.append(out / total)
+ kept = largest, total, out

# %% wrong: no largest at all -> "Is the running largest subtracted first?"
- new = torch.maximum(largest, scores.amax(-1, keepdim=True))
+ new = torch.zeros_like(largest)
+ largest = new

# %% wrong: one largest for the whole tile -> "Is one largest taken for the whole tile? Each row has its own"
- new = torch.maximum(largest, scores.amax(-1, keepdim=True))
+ new = torch.maximum(largest, scores.amax(-1, keepdim=True)).amax(-2, keepdim=True).expand(largest.shape)

# %% wrong: not scaled -> "They are not divided"
- q = query[..., start : start + size, :] / query.shape[-1] ** 0.5
+ q = query[..., start : start + size, :]

# %% wrong: divided by d_k -> "They are divided by d_k"
- q = query[..., start : start + size, :] / query.shape[-1] ** 0.5
+ q = query[..., start : start + size, :] / query.shape[-1]

# %% wrong: the root of the values' width -> "or of the values' width"
- q = query[..., start : start + size, :] / query.shape[-1] ** 0.5
+ q = query[..., start : start + size, :] / value.shape[-1] ** 0.5

# %% wrong: the root of the tile -> "that of the tile"
- q = query[..., start : start + size, :] / query.shape[-1] ** 0.5
+ q = query[..., start : start + size, :] / size**0.5

# %% wrong: causal ignored -> "Later words are visible. Is `causal` used"
- if causal and first > at.max():
-     break

- if causal and first + size > at.min():
+ if False:

# %% wrong: nothing hidden in the tiles on the diagonal -> "Inside the tiles on the diagonal nothing is hidden"
- if causal and first + size > at.min():
+ if False:

# %% wrong: one step too high -> "A word sees the word after it"
- later = first + torch.arange(k.shape[-2]) > at
+ later = first + torch.arange(k.shape[-2]) > at + 1

- if causal and first > at.max():
+ if causal and first > at.max() + 1:

# %% wrong: one step too low -> "A word does not see itself"
- later = first + torch.arange(k.shape[-2]) > at
+ later = first + torch.arange(k.shape[-2]) >= at

# %% wrong: masked from the tile's own corner -> "masked from their own corner"
- later = first + torch.arange(k.shape[-2]) > at
+ later = torch.arange(k.shape[-2]) > torch.arange(q.shape[-2])[:, None]

# %% wrong: every tile masked from its own corner -> "Each tile on or before the diagonal is masked from its own corner"
- if causal and first + size > at.min():
-     later = first + torch.arange(k.shape[-2]) > at
+ if causal:
+     later = torch.arange(k.shape[-2]) > torch.arange(q.shape[-2])[:, None]

# %% wrong: the mask begins at the first key -> "The queries are the *last* words"
- at = start + ahead + torch.arange(q.shape[-2])[:, None]
+ at = start + torch.arange(q.shape[-2])[:, None]

# %% wrong: aligned too far to the right -> "Causal, 3 queries, 8 keys"
- at = start + ahead + torch.arange(q.shape[-2])[:, None]
+ at = start + ahead + ahead + torch.arange(q.shape[-2])[:, None]

# %% wrong: masked, but later tiles are read -> "Is that tile masked, but read? 0 · NaN is NaN"
- if causal and first > at.max():
-     break

# %% wrong: the whole matrix at once -> "Is that tile masked, but read? 0 · NaN is NaN"
def flash_attention(query, key, value, block_size, causal=False):
    scores = query @ key.mT / query.shape[-1] ** 0.5
    if causal:
        later = torch.ones(scores.shape[-2:]).triu(1 + key.shape[-2] - query.shape[-2]) > 0
        scores = scores.masked_fill(later, -torch.inf)
    return scores.softmax(-1) @ value

# %% wrong: tiles of queries only, all keys at once -> "Is that tile masked, but read? 0 · NaN is NaN"
def flash_attention(query, key, value, block_size, causal=False):
    rows, n = [], key.shape[-2]
    for start in range(0, query.shape[-2], block_size):
        q = query[..., start : start + block_size, :]
        scores = q @ key.mT / q.shape[-1] ** 0.5
        if causal:
            at = start + torch.arange(q.shape[-2])[:, None] + n - query.shape[-2]
            scores = scores.masked_fill(torch.arange(n) > at, -torch.inf)
        rows.append(scores.softmax(-1) @ value)
    return torch.cat(rows, dim=-2)

# %% wrong: one tile too many is read -> "Is that tile masked, but read? 0 · NaN is NaN"
- if causal and first > at.max():
+ if causal and first > at.max() + size:

# %% wrong: tiles on the diagonal are skipped -> "the queries see"
- if causal and first > at.max():
+ if causal and first + size > at.max() and first > 0:

# %% wrong: the query scaled in place -> "changed one of its arguments in place"
- q = query[..., start : start + size, :] / query.shape[-1] ** 0.5
+ q = query[..., start : start + size, :].div_(query.shape[-1] ** 0.5)

# %% wrong: scores overwritten, so that nothing can be trained -> "it needs numbers that were written over later"
- past, power = (largest - new).exp(), (scores - new).exp()
+ past, power = (largest - new).exp(), scores.sub_(new).exp_()

# %% wrong: shape of one tile only -> "Is the mask of a tile as large as the tile?"
- later = first + torch.arange(k.shape[-2]) > at
+ later = first + torch.arange(size) > at

# %% wrong: padded queries -> "Are tiles filled up to block_size?"
- return torch.cat(done, dim=-2)
+ whole = torch.cat(done, dim=-2)
+ return F.pad(whole, (0, 0, 0, -whole.shape[-2] % size))

# %% wrong: joined along the batch -> "Are the results joined along the queries"
- return torch.cat(done, dim=-2)
+ return torch.cat(done, dim=0)

# %% wrong: the weights in place of the average -> "Are the values averaged?"
- out = out * past + power @ v
+ out = out * past + power

# %% wrong: the value tile is always the first one -> "go through all keys and values?"
- k, v = key[..., first : first + size, :], value[..., first : first + size, :]
+ k, v = key[..., first : first + size, :], value[..., start : start + size, :][..., : key[..., first : first + size, :].shape[-2], :]

# %% wrong: float32 inside -> "give a result of torch.float32"
- q = query[..., start : start + size, :] / query.shape[-1] ** 0.5
+ query, key, value = query.float(), key.float(), value.float()
+ q = query[..., start : start + size, :] / query.shape[-1] ** 0.5

# %% wrong: a detached tile -> "No gradient reaches"
- k, v = key[..., first : first + size, :], value[..., first : first + size, :]
+ k, v = key[..., first : first + size, :].detach(), value[..., first : first + size, :]

# %% wrong: rescaled by a detached factor -> "is not that of PyTorch's attention"
- past, power = (largest - new).exp(), (scores - new).exp()
+ past, power = (largest - new).exp().detach(), (scores - new).exp()

# %% wrong: four axes demanded -> "One query, without other axes"
- size, ahead = block_size, key.shape[-2] - query.shape[-2]
+ batch, n_heads, q_len, d_k = query.shape
+ size, ahead = block_size, key.shape[-2] - query.shape[-2]

# %% wrong: only whole tiles allowed -> "stopped with AssertionError"
- size, ahead = block_size, key.shape[-2] - query.shape[-2]
+ size, ahead = block_size, key.shape[-2] - query.shape[-2]
+ assert query.shape[-2] % size == 0, "cut the text into whole tiles"

# %% wrong: nothing returned -> "Is there a `return`?"
- return torch.cat(done, dim=-2)

# %% wrong: a list of tiles -> "torch.stack joins its tensors"
- return torch.cat(done, dim=-2)
+ return done

# %% wrong: whole tiles of keys only -> "Is a short last tile left out?"
- largest, total, out = q.new_full((*q.shape[:-1], 1), -torch.inf), 0, 0
- for first in range(0, key.shape[-2], size):
+ largest = q.new_full((*q.shape[:-1], 1), -torch.inf)
+ total, out = torch.zeros_like(largest), q.new_zeros(*q.shape[:-1], value.shape[-1])
+ for first in range(0, key.shape[-2] // size * size, size):

# %% wrong: an output as wide as the query -> "the width of the *values* (13 here, not 11)"
- largest, total, out = q.new_full((*q.shape[:-1], 1), -torch.inf), 0, 0
+ largest, total, out = q.new_full((*q.shape[:-1], 1), -torch.inf), 0, torch.zeros_like(q)

# %% wrong: a result as large as the query -> "the width of the *values* (13 here, not 11)"
- done = []
+ result = torch.zeros_like(query)

- done.append(out / total)
+ result[..., start : start + size, :] = out / total

- return torch.cat(done, dim=-2)
+ return result

# %% wrong: stops at the tile's first query -> "The loop stops too early. A tile is read as soon as the *last* query"
- if causal and first > at.max():
+ if causal and first > at.min():

# %% wrong: stops one key too early -> "Or does the loop stop too early?"
- if causal and first > at.max():
+ if causal and first >= at.max() > 0:

# %% wrong: buffers of float32 -> "Arguments of torch.float16"
- largest, total, out = q.new_full((*q.shape[:-1], 1), -torch.inf), 0, 0
+ largest, total, out = torch.full((*q.shape[:-1], 1), -torch.inf), 0, torch.zeros(1)

- out = out * past + power @ v
+ out = (out * past).to(torch.promote_types(v.dtype, torch.float32)) + power @ v.to(power.dtype)

# %% wrong: the largest of this tile alone -> "Is the largest kept from the tiles before"
- new = torch.maximum(largest, scores.amax(-1, keepdim=True))
+ new = scores.amax(-1, keepdim=True)

# %% right: float32 on the way
- scores = q @ k.mT
+ scores = q.float() @ k.float().mT

- largest, total, out = q.new_full((*q.shape[:-1], 1), -torch.inf), 0, 0
+ largest, total, out = q.new_full((*q.shape[:-1], 1), -torch.inf, dtype=torch.float32), 0, 0

- out = out * past + power @ v
+ out = out * past + power @ v.float()

- done.append(out / total)
+ done.append((out / total).type_as(query))
# %% right: three running tensors
def flash_attention(query, key, value, block_size, causal=False):
    scale, shift = query.size(-1) ** -0.5, key.size(-2) - query.size(-2)
    done = []
    for i, q in enumerate(query.split(block_size, dim=-2)):
        m = q.new_full((*q.shape[:-1], 1), -torch.inf)
        t, o = torch.zeros_like(m), 0
        for j, (k, v) in enumerate(zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2))):
            row = torch.arange(q.size(-2))[:, None] + i * block_size + shift
            column = torch.arange(k.size(-2)) + j * block_size
            if causal and column[0] > row[-1, 0]:
                continue
            s = q @ k.transpose(-1, -2) * scale
            if causal:
                s = s.where(column <= row, -torch.inf)
            new = torch.maximum(m, s.amax(-1, keepdim=True))
            safe = new.nan_to_num(neginf=0.0)
            e, shrink = torch.exp(s - safe), torch.exp(m - safe)
            t, o, m = t * shrink + e.sum(-1, keepdim=True), o * shrink + e @ v, new
        done.append(o / t)
    return torch.cat(done, -2)
# %% wrong of "three running tensors": the queries begin at 0 in each tile -> "The positions of the queries begin at 0 in each tile."
- row = torch.arange(q.size(-2))[:, None] + i * block_size + shift
+ row = torch.arange(q.size(-2))[:, None] + shift
# %% wrong of "three running tensors": the keys begin at 0 in each tile -> "The positions of the keys begin at 0 in each tile."
- column = torch.arange(k.size(-2)) + j * block_size
+ column = torch.arange(k.size(-2))
# %% right: merged from parts
def flash_attention(query, key, value, block_size, causal=False):
    q_len, k_len = query.shape[-2], key.shape[-2]
    rows = []
    for start in range(0, q_len, block_size):
        mine = query[..., start : start + block_size, :]
        here = torch.arange(start, start + mine.shape[-2], device=query.device) + k_len - q_len
        out = lse = None
        for first in range(0, k_len, block_size):
            if causal and first > here[-1]:
                break
            k, v = (t[..., first : first + block_size, :] for t in (key, value))
            scores = mine @ k.mT / math.sqrt(query.shape[-1])
            if causal:
                there = torch.arange(first, first + k.shape[-2], device=query.device)
                scores = scores.masked_fill(there > here[:, None], -torch.inf)
            part_lse = scores.logsumexp(-1)
            weights = (scores - part_lse[..., None].masked_fill(part_lse[..., None] == -torch.inf, 0)).exp()
            part = weights @ v
            out, lse = (part, part_lse) if out is None else merge_attention(out, lse, part, part_lse)
        rows.append(out)
    return torch.cat(rows, dim=-2)
# %% wrong of "merged from parts": the lse of the last tile alone is kept -> "The lse of the last tile is kept"
- out, lse = (part, part_lse) if out is None else merge_attention(out, lse, part, part_lse)
+ out, lse = (part, part_lse) if out is None else (merge_attention(out, lse, part, part_lse)[0], part_lse)
# %% wrong of "three running tensors": the largest is never updated -> "and the running largest updated?"
- t, o, m = t * shrink + e.sum(-1, keepdim=True), o * shrink + e @ v, new
+ t, o = t * shrink + e.sum(-1, keepdim=True), o * shrink + e @ v
# %% wrong of "three running tensors": short tiles of keys are left out -> "Is the tile read at all?"
- if causal and column[0] > row[-1, 0]:
+ if len(column) < block_size or causal and column[0] > row[-1, 0]:

# %% wrong: the last tile of keys comes first -> "−∞ − (−∞) is taken somewhere"
- for first in range(0, key.shape[-2], size):
-     if causal and first > at.max():
-         break
+ for first in reversed(range(0, key.shape[-2], size)):
+     if causal and first > at.max():
+         continue

# %% wrong: the keys in reversed order, the values not -> "Is it a softmax of them, over the keys?"
- k, v = key[..., first : first + size, :], value[..., first : first + size, :]
+ k, v = key.flip(-2)[..., first : first + size, :], value[..., first : first + size, :]

# %% wrong: hidden scores are 0 -> "Hidden scores are set to 0, and e to that power is not 0"
- scores = scores.masked_fill(later, -torch.inf)
+ scores = scores.masked_fill(later, 0.0)
