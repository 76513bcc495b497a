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
# %% right: mT, flatten, mT
def merge_heads(x):
    return x.mT.flatten(1,2).mT
# %% wrong: a reshape alone -> "A reshape alone keeps the order."
- words_first = x.transpose(1, 2)
- return words_first.flatten(2)
+ return x.reshape(x.shape[0], x.shape[2], -1)
# %% wrong: flattened without a transpose -> "Words and columns became one axis."
- return words_first.flatten(2)
+ return x.flatten(2)
# %% wrong: seq read from the heads' axis -> "Words and columns became one axis."
- return words_first.flatten(2)
+ return words_first.reshape(*x.shape[:2], -1)
# %% wrong: last axes swapped before the reshape -> "The words alternate."
- words_first = x.transpose(1, 2)
- return words_first.flatten(2)
+ return x.mT.reshape(x.shape[0], x.shape[2], -1)
# %% wrong: words and columns swapped, then flattened -> "Words and heads became one axis."
- words_first = x.transpose(1, 2)
- return words_first.flatten(2)
+ return x.permute(0, 3, 1, 2).flatten(2)
# %% wrong: columns before heads -> "The heads alternate."
- return words_first.flatten(2)
+ return words_first.mT.flatten(2)
# %% wrong: heads in reverse order -> "Are the heads in reverse order?"
- return words_first.flatten(2)
+ return words_first.flip(2).flatten(2)
# %% wrong: columns of a head turned round -> "Within a head the columns are out of order."
- return words_first.flatten(2)
+ return words_first.flip(3).flatten(2)
# %% wrong: words turned round -> "Is their order changed?"
- return words_first.flatten(2)
+ return words_first.flip(1).flatten(2)
# %% wrong: heads added -> "Were the heads added, averaged, or left out?"
- return words_first.flatten(2)
+ return x.sum(dim=1)
# %% wrong: one head only -> "Were the heads added, averaged, or left out?"
- return words_first.flatten(2)
+ return x[:, 0]
# %% wrong: transpose only -> "Heads and columns are still two axes."
- return words_first.flatten(2)
+ return words_first
# %% wrong: words last -> "The words come last."
- return words_first.flatten(2)
+ return x.mT.flatten(1, 2)
# %% wrong: batch and words merged -> "Batch and words are one axis."
- return words_first.flatten(2)
+ return words_first.flatten(2).flatten(0, 1)
# %% wrong: all flattened -> "Everything became one axis."
- return words_first.flatten(2)
+ return words_first.flatten(1)
# %% wrong: batch moved instead of words -> "Does a reshape cross the batch?"
- return words_first.flatten(2)
+ return x.transpose(0, 1).reshape(x.shape[0], x.shape[2], -1)
# %% wrong: joined along the words -> "The heads follow one another like words."
- return words_first.flatten(2)
+ return x.flatten(1, 2)
# %% wrong: sentences joined -> "The sentences were joined, not the heads."
- return words_first.flatten(2)
+ return torch.cat(list(x), dim=-1)
# %% wrong: only the first sentence -> "Only one sentence is left."
- return words_first.flatten(2)
+ return words_first.flatten(2)[0]
# %% wrong: only the first head, repeated -> "Is one head, or their average, repeated?"
- return words_first.flatten(2)
+ return x[:, 0].repeat(1, 1, x.shape[1])
# %% wrong: divided by the number of heads -> "They were multiplied by 0.33."
- return words_first.flatten(2)
+ return words_first.flatten(2) / x.shape[1]
# %% wrong: returns x -> "Nothing is joined yet."
- return words_first.flatten(2)
+ return x
# %% wrong: a list of heads -> "got list"
- return words_first.flatten(2)
+ return list(x.unbind(1))
# %% wrong: no return -> "`return`"
- return words_first.flatten(2)
+ joined = words_first.flatten(2)
# %% wrong: view after transpose -> "Use reshape, which copies where it must"
- return words_first.flatten(2)
+ return words_first.view(*words_first.shape[:2], -1)
# %% wrong: memory read in its stored order -> "This x is not contiguous."
- return words_first.flatten(2)
+ b, n, s, d = x.shape
+ return x.as_strided((b, s, n, d), (n * s * d, d, s * d, 1)).reshape(b, s, n * d)
# %% wrong: a view that needs a contiguous x -> "This x is not contiguous."
- words_first = x.transpose(1, 2)
+ words_first = x.view(-1).view(x.shape).transpose(1, 2)
# %% wrong: sizes fixed -> "Is a size fixed?"
- return words_first.flatten(2)
+ return words_first.reshape(-1, 5, 21)
# %% wrong: returns NaN -> "There are NaN or inf in the joined heads."
- return words_first.flatten(2)
+ return words_first.flatten(2) * float("nan")
# %% wrong: detached -> "No gradient reaches x"
- return words_first.flatten(2)
+ return words_first.flatten(2).detach()
# %% wrong: float32 result -> "give a result of torch.float32"
- return words_first.flatten(2)
+ return words_first.flatten(2).float()
# %% wrong: another name for the argument -> "Are its arguments still called x?"
- def merge_heads(x):
+ def merge_heads(heads):
+     x = heads
# %% wrong: heads and columns swapped, then reshaped -> "Which two axes are swapped?"
def merge_heads(x):
    batch, n_heads, seq, d_head = x.shape
    return x.transpose(1, 3).reshape(batch, seq, n_heads * d_head)
# %% wrong: a loop that ends one head early -> "Does a loop over heads end too early"
- words_first = x.transpose(1, 2)  # (batch, seq, n_heads, d_head)
- return words_first.flatten(2)
+ out = x.new_zeros(x.shape[0], x.shape[2], x.shape[1] * x.shape[3])
+ for h in range(x.shape[1] - 1):
+     out[..., h * x.shape[3] : (h + 1) * x.shape[3]] = x[:, h]
+ return out

# %% right: in one line, as later units have it
- words_first = x.transpose(1, 2)
- return words_first.flatten(2)
+ return x.transpose(1, 2).flatten(2)
# %% wrong: batch and heads joined -> "Batch and heads became one axis."
def merge_heads(x):
    batch, n_heads, seq, d_head = x.shape
    return x.flatten(0, 1)
# %% wrong: the first sentence for all -> "Sentence 0 is right, sentence 1 is not."
def merge_heads(x):
    batch, n_heads, seq, d_head = x.shape
    x = x[:1].expand_as(x).transpose(1, 2)
    return x.reshape(batch, seq, n_heads * d_head)
# %% wrong: words before the batch -> "The words come before the batch."
def merge_heads(x):
    batch, n_heads, seq, d_head = x.shape
    x = x.transpose(1, 2)
    return x.reshape(batch, seq, n_heads * d_head).transpose(0, 1)
# %% wrong: slices that overlap -> "do its slices overlap?"
def merge_heads(x):
    batch, n_heads, seq, d_head = x.shape
    out = x.new_zeros(batch, seq, n_heads * d_head)
    for h in range(n_heads):
        out[..., h : h + d_head] = x[:, h]
    return out
# %% wrong: the heads added, and repeated -> "averaged over the heads"
def merge_heads(x):
    batch, n_heads, seq, d_head = x.shape
    return x.sum(1).repeat(1, 1, n_heads)
# %% wrong: no more than three heads -> "Is a size fixed?"
def merge_heads(x):
    return torch.cat([x[:, h] for h in range(min(3, x.shape[1]))], dim=-1)
# %% wrong: the first two axes flattened -> "Batch and words became one axis"
def merge_heads(x):
    return x.transpose(1, 2).flatten(0, 1)

# %% wrong: batch and words swapped -> "Words and batch changed places"
def merge_heads(x):
    return x.transpose(0, 2).flatten(2)

# %% wrong: the last head is left out -> "One head is missing"
def merge_heads(x):
    return x[:, :-1].transpose(1, 2).flatten(2)
