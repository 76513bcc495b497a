# %% right: einsum, a softmax of its own
def scaled_dot_product_attention(query, key, value):
    if query.size(-1) != key.size(-1):
        raise ValueError(f"expected equal widths, got {query.size(-1)} and {key.size(-1)}")
    scores = torch.einsum("...qd,...kd->...qk", query, key) / query.size(-1) ** 0.5
    e = (scores - scores.amax(-1, keepdim=True)).exp()
    return torch.einsum("...qk,...kv->...qv", e, value) / e.sum(-1, keepdim=True)
# %% right: both sides scaled by the fourth root
def scaled_dot_product_attention(query, key, value):
    d_q, d_k = query.shape[-1], key.shape[-1]
    if d_q != d_k:
        raise ValueError("widths {} and {}".format(d_q, d_k))
    root = d_k**0.25
    return F.softmax((query / root) @ (key / root).transpose(-2, -1), dim=-1).matmul(value)
# %% right: one query at a time
def scaled_dot_product_attention(query, key, value):
    if query.shape[-1] != key.shape[-1]:
        shapes = f"query {tuple(query.shape)} and key {tuple(key.shape)}"
        raise ValueError(f"{shapes} differ in width")
    rows = []
    for one in query.unbind(-2):
        weights = torch.softmax((key @ one.unsqueeze(-1)).squeeze(-1) * query.size(-1) ** -0.5, -1)
        rows.append((weights.unsqueeze(-1) * value).sum(-2))
    return torch.stack(rows, dim=-2)
# %% right: one batch axis, bmm, then back; the error of the product translated
def scaled_dot_product_attention(query, key, value):
    lead, wide, narrow = query.shape[:-2], query.shape[-1], key.shape[-1]
    query, key, value = (t.reshape(-1, *t.shape[-2:]) for t in (query, key, value))
    try:
        scores = torch.bmm(query, key.transpose(1, 2)) / wide**0.5
    except RuntimeError as error:
        raise ValueError(f"{wide} is not {narrow}") from error
    out = torch.bmm(torch.nn.Softmax(dim=2)(scores), value)
    return out.reshape(*lead, *out.shape[-2:])
# %% right: one key at a time, a running numerator
def scaled_dot_product_attention(query, key, value):
    if query.size(-1) != key.size(-1):
        raise ValueError(f"query has {query.size(-1)} columns, key {key.size(-1)}")
    s = torch.matmul(query, key.swapaxes(-1, -2)).div(key.size(-1) ** 0.5)
    s = (s - s.max(-1, keepdim=True).values).exp()
    num, den = 0, 0
    for j in range(key.size(-2)):
        num = num + s[..., j, None] * value[..., j, None, :]
        den = den + s[..., j, None]
    return num / den
# %% shortcut: torch's own function
def scaled_dot_product_attention(query, key, value):
    return F.scaled_dot_product_attention(query, key, value)
# %% shortcut: torch's own function under another name
attend = nn.functional.scaled_dot_product_attention


def scaled_dot_product_attention(query, key, value):
    return attend(query, key, value)
# %% wrong: no return -> "`return`"
- return weights @ value
+ out = weights @ value
# %% wrong: output and weights -> "Return the output alone"
- return weights @ value
+ return weights @ value, weights
# %% wrong: only the weights -> "Multiply them with `value`"
- return weights @ value
+ return weights
# %% wrong: keys averaged -> "Is it `value` that is averaged"
- return weights @ value
+ return weights @ key
# %% wrong: averaged, then transposed -> "Is it weights times value"
- return weights @ value
+ return (weights @ value).mT
# %% wrong: query and key change places -> "Have query and key changed places"
- scores = query @ key.mT / d_k**0.5
+ scores = key @ query.mT / d_k**0.5
# %% wrong: query and key swapped, weights turned back -> "over the queries (axis -2)"
- scores = query @ key.mT / d_k**0.5
+ scores = key @ query.mT / d_k**0.5

- return weights @ value
+ return weights.mT @ value
# %% wrong: softmax over the queries -> "over the queries (axis -2)"
- weights = scores.softmax(dim=-1)
+ weights = scores.softmax(dim=-2)
# %% wrong: softmax over axis 1, as in two dimensions -> "over the queries (axis -2)"
- weights = scores.softmax(dim=-1)
+ weights = scores.softmax(dim=1)
# %% wrong: softmax over the batch -> "the sentences of the batch"
- weights = scores.softmax(dim=-1)
+ weights = scores.softmax(dim=0)
# %% wrong: softmax without dim -> "the sentences of the batch"
- weights = scores.softmax(dim=-1)
+ weights = F.softmax(scores)
# %% wrong: one softmax over all pairs -> "all the pairs of a sentence"
- weights = scores.softmax(dim=-1)
+ weights = scores.flatten(-2).softmax(-1).view_as(scores)
# %% wrong: no softmax -> "Is there a softmax"
- weights = scores.softmax(dim=-1)
+ weights = scores
# %% wrong: divided by the sum, no exponential -> "Is there a softmax"
- weights = scores.softmax(dim=-1)
+ weights = scores / scores.sum(-1, keepdim=True)
# %% wrong: log_softmax -> "Is there a softmax"
- weights = scores.softmax(dim=-1)
+ weights = F.log_softmax(scores, dim=-1)
# %% wrong: sigmoid instead of softmax -> "divided by its own sum"
- weights = scores.softmax(dim=-1)
+ weights = scores.sigmoid()
# %% wrong: softmax of the whole, after the values -> "The softmax came after the values"
- weights = scores.softmax(dim=-1)
- return weights @ value
+ return (scores @ value).softmax(dim=-1)
# %% wrong: twice softmax -> "softmax is taken twice"
- weights = scores.softmax(dim=-1)
+ weights = scores.softmax(dim=-1).softmax(dim=-1)
# %% wrong: no scaling -> "Divide the scores before the softmax"
- scores = query @ key.mT / d_k**0.5
+ scores = query @ key.mT
# %% wrong: scaled after the softmax -> "by nothing after that"
- scores = query @ key.mT / d_k**0.5
- weights = scores.softmax(dim=-1)
+ weights = (query @ key.mT).softmax(dim=-1) / d_k**0.5
# %% wrong: divided by d_k -> "You divided by d_k = 11"
- scores = query @ key.mT / d_k**0.5
+ scores = query @ key.mT / d_k
# %% wrong: scaled twice -> "You divided by d_k = 11"
- scores = query @ key.mT / d_k**0.5
+ scores = (query / d_k**0.5) @ (key / d_k**0.5).mT
# %% wrong: multiplied by the root -> "You multiplied by √d_k"
- scores = query @ key.mT / d_k**0.5
+ scores = query @ key.mT * d_k**0.5
# %% wrong: a minus too many -> "Is there a minus too many"
- scores = query @ key.mT / d_k**0.5
+ scores = -query @ key.mT / d_k**0.5
# %% wrong: root of the value's width -> "of a value's width"
- scores = query @ key.mT / d_k**0.5
+ scores = query @ key.mT / value.shape[-1] ** 0.5
# %% wrong: root of the number of keys -> "is the root of the number of keys"
- scores = query @ key.mT / d_k**0.5
+ scores = query @ key.mT / key.shape[-2] ** 0.5
# %% wrong: root of the number of queries -> "number of queries"
- scores = query @ key.mT / d_k**0.5
+ scores = query @ key.mT / query.shape[-2] ** 0.5
# %% wrong: root of the batch -> "√2 is the root of the number of sentences"
- scores = query @ key.mT / d_k**0.5
+ scores = query @ key.mT / query.size(0) ** 0.5
# %% wrong: d_k of another head -> "That divides them by 8.00"
- scores = query @ key.mT / d_k**0.5
+ scores = query @ key.mT / 64**0.5
# %% wrong: d_k of the text -> "read from outside"
- scores = query @ key.mT / d_k**0.5
+ scores = query @ key.mT / 24**0.5
# %% wrong: cosine similarity -> "You take cosines"
- scores = query @ key.mT / d_k**0.5
+ scores = F.normalize(query, dim=-1) @ F.normalize(key, dim=-1).mT / d_k**0.5
# %% wrong: distances instead of dot products -> "You take distances"
- scores = query @ key.mT / d_k**0.5
+ scores = -torch.cdist(query, key) / d_k**0.5
# %% wrong: reshape instead of transpose -> "Is `key` reshaped"
- scores = query @ key.mT / d_k**0.5
+ scores = query @ key.reshape(*key.shape[:-2], d_k, key.shape[-2]) / d_k**0.5
# %% wrong: `.T` turns all axes round -> "must match"
- scores = query @ key.mT / d_k**0.5
+ scores = query @ key.T / d_k**0.5
# %% wrong: values in the wrong order -> "in reverse order"
- return weights @ value
+ return weights @ value.flip(-2)
# %% wrong: values moved by one -> "Is it one softmax of the dot products"
- return weights @ value
+ return weights @ value.roll(1, -2)
# %% wrong: values of the other sentence -> "the values of sentence 1"
- return weights @ value
+ return weights @ (value.flip(0) if value.ndim > 2 else value)
# %% wrong: all sentences in one row -> "kept to itself"
- scores = query @ key.mT / d_k**0.5
- weights = scores.softmax(dim=-1)
- return weights @ value
+ flat = query.reshape(-1, d_k) @ key.reshape(-1, d_k).T / d_k**0.5
+ out = flat.softmax(dim=-1) @ value.reshape(-1, value.shape[-1])
+ return out.reshape(*query.shape[:-1], -1)
# %% wrong: exponential of its own, overflows -> "own largest"
- weights = scores.softmax(dim=-1)
+ weights = scores.exp() / scores.exp().sum(-1, keepdim=True)
# %% wrong: one largest for all rows -> "own largest"
- weights = scores.softmax(dim=-1)
+ e = torch.exp(scores - scores.max())
+ weights = e / e.sum(-1, keepdim=True)
# %% wrong: nan replaced by 0 -> "nothing cut off"
- weights = scores.softmax(dim=-1)
+ weights = (scores.exp() / scores.exp().sum(-1, keepdim=True)).nan_to_num()
# %% wrong: scores cut off at 50 -> "nothing cut off"
- weights = scores.softmax(dim=-1)
+ weights = scores.clamp(-50, 50).softmax(dim=-1)
# %% wrong: bmm, three dimensions only -> "counted from the end"
- scores = query @ key.mT / d_k**0.5
+ scores = query.bmm(key.transpose(1, 2)) / d_k**0.5
# %% wrong: axes named from the left -> "counted from the end"
- scores = query @ key.mT / d_k**0.5
+ scores = query @ key.transpose(1, 2) / d_k**0.5
# %% wrong: softmax axis named from the left -> "counted from the end"
- weights = scores.softmax(dim=-1)
+ weights = scores.softmax(dim=min(2, query.ndim - 1))
# %% wrong: dropout left on -> "Is there dropout"
- weights = scores.softmax(dim=-1)
+ weights = F.dropout(scores.softmax(dim=-1), 0.5)
# %% wrong: causal -> "Is something masked"
- weights = scores.softmax(dim=-1)
+ hidden = torch.ones_like(scores).triu(1).bool()
+ weights = scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)
# %% wrong: best key only -> "only the best key"
- weights = scores.softmax(dim=-1)
+ weights = F.one_hot(scores.argmax(-1), key.shape[-2]).to(value.dtype)
# %% wrong: only NaN -> "There are NaN"
- return weights @ value
+ return weights @ value * float("nan")
# %% wrong: the values as they came -> "one row for each key"
- return weights @ value
+ return value
# %% wrong: a mean where the weighted sum belongs -> "by nothing after that"
- return weights @ value
+ return (weights[..., None] * value[..., None, :, :]).mean(-2)
# %% wrong: a list of sentences -> "`torch.stack`"
- return weights @ value
+ return [w @ v for w, v in zip(weights, value)]
# %% wrong: weights detached -> "No gradient reaches query"
- return weights @ value
+ return weights.detach() @ value
# %% wrong: made anew from numbers -> "torch.tensor(…)"
- return weights @ value
+ return torch.tensor((weights @ value).tolist(), dtype=value.dtype)
# %% wrong: scores in float32 -> "stopped with RuntimeError"
- scores = query @ key.mT / d_k**0.5
+ scores = query.float() @ key.float().mT / d_k**0.5
# %% wrong: all in float32 -> "torch.float64 give a result of torch.float32"
- d_k = query.shape[-1]
+ d_k = query.shape[-1]
+ query, key, value = query.float(), key.float(), value.float()
# %% wrong: query scaled in place -> "in place"
- scores = query @ key.mT / d_k**0.5
+ query /= d_k**0.5
+ scores = query @ key.mT
# %% wrong: key scaled in place -> "in place"
- scores = query @ key.mT / d_k**0.5
+ key /= d_k**0.5
+ scores = query @ key.mT
# %% wrong: value changed in place -> "in place"
- return weights @ value
+ out = weights @ value
+ value *= 1.5
+ return out
# %% wrong: whole shapes compared -> "compare the last sizes"
- if key.shape[-1] != d_k:
+ if key.shape != query.shape:
# %% wrong: width of the values compared -> "compare the last sizes"
- if key.shape[-1] != d_k:
+ if value.shape[-1] != d_k:
# %% wrong: widths not compared -> "got RuntimeError"
- if key.shape[-1] != d_k:
-     raise ValueError(f"query has width {d_k}, key has width {key.shape[-1]}: not equal")
+ d_v = value.shape[-1]
# %% wrong: assert instead of ValueError -> "got AssertionError"
- if key.shape[-1] != d_k:
-     raise ValueError(f"query has width {d_k}, key has width {key.shape[-1]}: not equal")
+ assert key.shape[-1] == d_k, f"{d_k} and {key.shape[-1]}"
# %% wrong: another kind of error -> "got KeyError"
- raise ValueError(f"query has width {d_k}, key has width {key.shape[-1]}: not equal")
+ raise KeyError(f"query has width {d_k}, key has width {key.shape[-1]}: not equal")
# %% wrong: error made, not raised -> "got RuntimeError"
- raise ValueError(f"query has width {d_k}, key has width {key.shape[-1]}: not equal")
+ ValueError(f"query has width {d_k}, key has width {key.shape[-1]}: not equal")
# %% wrong: prints, returns None -> "got no error"
- raise ValueError(f"query has width {d_k}, key has width {key.shape[-1]}: not equal")
+ return print("widths differ", d_k, key.shape[-1])
# %% wrong: the message says nothing -> "should also name"
- raise ValueError(f"query has width {d_k}, key has width {key.shape[-1]}: not equal")
+ raise ValueError("query and key must have the same width")
# %% wrong: compared only where key is the narrower -> "got RuntimeError"
- if key.shape[-1] != d_k:
+ if key.shape[-1] > d_k:
# %% wrong: arguments renamed -> "Are its arguments still called query, key, value"
def scaled_dot_product_attention(q, k, v):
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(f"{q.shape[-1]} and {k.shape[-1]}")
    return (q @ k.mT / q.shape[-1] ** 0.5).softmax(dim=-1) @ v

# %% right: one key after the other, a running sum
def scaled_dot_product_attention(query, key, value):
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"query has width {query.shape[-1]}, key has width {key.shape[-1]}")
    scores = query @ key.mT / query.shape[-1] ** 0.5
    out, total = value[..., :1, :].expand(*query.shape[:-1], -1), scores[..., :1]
    for j in range(1, key.shape[-2]):
        new = torch.logaddexp(total, scores[..., j : j + 1])
        share = (scores[..., j : j + 1] - new).exp()
        out = out * (total - new).exp() + value[..., j : j + 1, :] * share
        total = new
    return out
# %% right: the root of d_k in a tensor, so in float32
- scores = query @ key.mT / d_k**0.5
+ scores = query @ key.mT / torch.sqrt(torch.tensor(d_k, dtype=torch.float32))
# %% wrong: the key is not swapped -> "swapped, with .mT?"
- scores = query @ key.mT / d_k**0.5
+ scores = query @ key / d_k**0.5
# %% wrong: the value is swapped, too -> "Is `value` turned?"
- return weights @ value
+ return weights @ value.mT
# %% wrong: the value on the left -> "Do the weights stand on the left"
- return weights @ value
+ return value @ weights
# %% wrong: the query is swapped -> "is another tensor swapped"
- scores = query @ key.mT / d_k**0.5
+ scores = query.mT @ key / d_k**0.5
# %% wrong: weights times values by a star -> "Weights and values are multiplied by `@`"
- return weights @ value
+ return weights * value
# %% wrong: query times key by a star -> "Query and key are multiplied by `@`"
- scores = query @ key.mT / d_k**0.5
+ scores = query * key / d_k**0.5
# %% wrong: a softmax of its own that loses the axis -> "with keepdim=True"
- weights = scores.softmax(dim=-1)
+ e = (scores - scores.amax(dim=-1)).exp()
+ weights = e / e.sum(dim=-1)
# %% wrong: a power of 1/2 without brackets -> "divides by d_k and by 2"
- scores = query @ key.mT / d_k**0.5
+ scores = query @ key.mT / d_k ** 1/2
# %% wrong: a number added to the sum -> "Is a small number added to the sum"
- weights = scores.softmax(dim=-1)
+ e = (scores - scores.amax(dim=-1, keepdim=True)).exp()
+ weights = e / (e.sum(dim=-1, keepdim=True) + 1e-2)
# %% right: in float32, and back
- return weights @ value
+ return (weights.float() @ value.float()).to(value.dtype)
# %% shortcut: PyTorch's own, under a name for its own use
def scaled_dot_product_attention(query, key, value):
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"{query.shape[-1]} and {key.shape[-1]}")
    return torch._scaled_dot_product_attention_math(query, key, value)[0]
# %% wrong: axes of size 1 squeezed away -> "Is there a squeeze?"
- return weights @ value
+ return (weights @ value).squeeze()
# %% wrong: always float64 -> "Keep the dtype"
- d_k = query.shape[-1]
+ query, key, value = query.double(), key.double(), value.double()
+ d_k = query.shape[-1]
# %% wrong: the sum of a softmax detached -> "its gradient with respect to query is not"
- weights = scores.softmax(dim=-1)
+ weights = (scores - scores.amax(dim=-1, keepdim=True)).exp()
+ weights = weights / weights.sum(dim=-1, keepdim=True).detach()
# %% wrong: the value as the first argument, the query as the last -> "in this order: query, key, value"
def scaled_dot_product_attention(value, key, query):
    return (query @ key.mT / query.shape[-1] ** 0.5).softmax(dim=-1) @ value
# %% right: weights from logsumexp
- weights = scores.softmax(dim=-1)
+ weights = (scores - scores.logsumexp(dim=-1, keepdim=True)).exp()
# %% right: movedim, and math.sqrt
- scores = query @ key.mT / d_k**0.5  # (…, q, k)
+ import math
+ scores = torch.matmul(query / math.sqrt(d_k), key.movedim(-1, -2))
# %% wrong: three letters of einsum, so three axes only -> "counted from the end"
- scores = query @ key.mT / d_k**0.5  # (…, q, k)
+ scores = torch.einsum("bqd,bkd->bqk", query, key) / d_k**0.5
# %% wrong: the softmax in float16 -> "Keep the dtype"
- weights = scores.softmax(dim=-1)
- return weights @ value
+ weights = scores.half().softmax(dim=-1)
+ return weights @ value.half()
# %% wrong: the weights transposed in the average -> "is another tensor swapped"
- return weights @ value
+ return weights.mT @ value
# %% wrong: a softmax of base 2 -> "The softmax saw the scores times"
- weights = scores.softmax(dim=-1)
+ e = 2 ** (scores - scores.amax(dim=-1, keepdim=True))
+ weights = e / e.sum(dim=-1, keepdim=True)
# %% wrong: the square of the scores -> "do not follow the dot products"
- weights = scores.softmax(dim=-1)
+ weights = scores.square().softmax(dim=-1)
# %% wrong: each row divided by its largest weight -> "by its own sum"
- weights = scores.softmax(dim=-1)
+ weights = (scores - scores.amax(dim=-1, keepdim=True)).exp()
# %% wrong: the given line taken out -> "Is the given line that compares the two widths still there?"
- d_k = query.shape[-1]
- if key.shape[-1] != d_k:
-     raise ValueError(f"query has width {d_k}, key has width {key.shape[-1]}: not equal")
- scores = query @ key.mT / d_k**0.5  # (…, q, k)
+ scores = query @ key.mT / query.shape[-1] ** 0.5
# %% wrong: large scores cut off at 20 -> "with nothing cut off"
- weights = scores.softmax(dim=-1)
+ weights = scores.clamp(max=20).softmax(dim=-1)
# %% wrong: a score of exactly 0 taken for hidden -> "Scores of exactly 0"
- weights = scores.softmax(dim=-1)
+ weights = scores.masked_fill(scores == 0, float("-inf")).softmax(dim=-1)

# %% right: one key at a time, as in unit 10
def scaled_dot_product_attention(query, key, value):
    d_k = query.shape[-1]
    if key.shape[-1] != d_k:
        raise ValueError(f"query has width {d_k}, key has width {key.shape[-1]}: not equal")

    q = query * d_k ** -0.5
    top = torch.full_like(q[..., :1], -torch.inf)
    total, out = torch.zeros_like(top), 0.0
    for j in range(key.shape[-2]):
        s = (q * key[..., j:j + 1, :]).sum(-1, keepdim=True)
        new = torch.maximum(top, s)
        shrink, e = (top - new).exp(), (s - new).exp()
        total, out, top = total * shrink + e, out * shrink + e * value[..., j:j + 1, :], new
    return out / total
# %% wrong: torch.bmm -> "torch.bmm takes exactly three axes"
- scores = query @ key.mT / d_k**0.5
+ scores = torch.bmm(query, key.mT) / d_k**0.5

- return weights @ value
+ return torch.bmm(weights, value)
# %% wrong: the weights of the first sentence for all -> "Sentence 0 is right, sentence 1 is not."
- return weights @ value
+ return (weights[:1] if scores.dim() > 2 else weights) @ value
# %% wrong: the plain mean of the values -> "Are the scores used, or is it the plain mean?"
- return weights @ value
+ return value.mean(-2, keepdim=True).expand(*query.shape[:-1], -1)
# %% wrong: the largest of each column subtracted -> "The largest of each column is subtracted."
- weights = scores.softmax(dim=-1)
+ weights = (scores - scores.amax(dim=-2, keepdim=True)).softmax(dim=-1)
# %% right: the softmax in float32
- weights = scores.softmax(dim=-1)
+ weights = scores.softmax(dim=-1, dtype=torch.float32).to(query.dtype)
# %% right: 1e-9 added to a sum that is at least 1
- weights = scores.softmax(dim=-1)
+ e = (scores - scores.amax(dim=-1, keepdim=True)).exp()
+ weights = e / (e.sum(dim=-1, keepdim=True) + 1e-9)
# %% wrong: the values turned -> "`value` stays as it is"
- return weights @ value
+ return weights @ value.transpose(0, 1)
# %% wrong: axes counted from the front -> "Count from the end"
- scores = query @ key.mT / d_k**0.5  # (…, q, k)
+ scores = query @ key.transpose(2, 3) / d_k**0.5
# %% wrong: the fourth root on one side only -> "by the fourth root"
def scaled_dot_product_attention(query, key, value):
    d_k = query.shape[-1]
    if key.shape[-1] != d_k:
        raise ValueError(f"query has width {d_k}, key has width {key.shape[-1]}: not equal")
    return (query @ key.mT / d_k**0.25).softmax(-1) @ value
# %% wrong: an integer root -> "without its decimals"
def scaled_dot_product_attention(query, key, value):
    d_k = query.shape[-1]
    if key.shape[-1] != d_k:
        raise ValueError(f"query has width {d_k}, key has width {key.shape[-1]}: not equal")
    return (query @ key.mT / math.isqrt(d_k)).softmax(-1) @ value
# %% wrong: the query meets the values -> "Does the query meet `key`?"
- scores = query @ key.mT / d_k**0.5
+ scores = query @ value.mT / d_k**0.5
# %% wrong: the scores average the values, not the weights -> "are its weights used, not the scores?"
- return weights @ value
+ return scores @ value
