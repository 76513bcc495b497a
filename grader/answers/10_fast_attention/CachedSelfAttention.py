# %% right: past and present attended apart
class CachedSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} {n_heads}")
        self.n_heads, self.d_head = n_heads, d_model // n_heads
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            setattr(self, name, nn.Linear(d_model, d_model))

    def forward(self, x, cache=None):
        b, n, _ = x.shape
        q, k, v = (p(x).view(b, n, self.n_heads, self.d_head).transpose(1, 2)
                   for p in (self.q_proj, self.k_proj, self.v_proj))
        now = (q @ k.mT / self.d_head**0.5).masked_fill(torch.ones(n, n).triu(1) > 0, -torch.inf)
        if cache is None:
            out, cache = now.softmax(-1) @ v, (k, v)
        else:
            past = q @ cache[0].mT / self.d_head**0.5
            weights = torch.cat([past, now], -1).softmax(-1)
            seen = past.shape[-1]
            out = weights[..., :seen] @ cache[1] + weights[..., seen:] @ v
            cache = (torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2))
        return self.out_proj(out.transpose(1, 2).reshape(b, n, -1)), cache

# %% right: word by word inside the piece
class CachedSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} {n_heads}")
        self.n_heads = n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, x, cache=None):
        rows = []
        for word in x.split(1, dim=1):
            q, k, v = (p(word).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
                       for p in (self.q_proj, self.k_proj, self.v_proj))
            if cache is not None:
                k, v = torch.cat([cache[0], k], dim=2), torch.cat([cache[1], v], dim=2)
            rows.append((q @ k.mT / k.shape[-1] ** 0.5).softmax(-1) @ v)
            cache = [k, v]
        out = torch.cat(rows, dim=2).transpose(1, 2).flatten(2)
        return self.out_proj(out), cache

# %% right: a fresh buffer of full length, PyTorch's function with a mask
class CachedSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} {n_heads}")
        self.n_heads = n_heads
        self.q_proj, self.k_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.v_proj, self.out_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)

    def forward(self, x, cache=None):
        batch, new, width = x.shape
        old = 0 if cache is None else cache[0].size(2)
        heads = []
        for layer, kept in zip((self.k_proj, self.v_proj), cache or (None, None)):
            full = x.new_zeros(batch, self.n_heads, old + new, width // self.n_heads)
            if kept is not None:
                full[:, :, :old] = kept
            full[:, :, old:] = layer(x).reshape(batch, new, self.n_heads, -1).transpose(1, 2)
            heads.append(full)
        q = self.q_proj(x).reshape(batch, new, self.n_heads, -1).transpose(1, 2)
        mask = torch.ones(new, old + new, dtype=torch.bool).tril(old)
        out = F.scaled_dot_product_attention(q, *heads, attn_mask=mask)
        return self.out_proj(out.transpose(1, 2).flatten(2)), tuple(heads)

# %% right: einsum, and a large negative fill
class CachedSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model}, n_heads {n_heads}")
        self.h = n_heads
        self.out_proj, self.v_proj, self.k_proj, self.q_proj = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, x, cache=None):
        q, k, v = (torch.stack(p(x).chunk(self.h, -1), 1) for p in (self.q_proj, self.k_proj, self.v_proj))
        past = 0
        if cache:
            past = cache[0].shape[-2]
            k, v = torch.cat((cache[0], k), -2), torch.cat((cache[1], v), -2)
        s = torch.einsum("bhqd,bhkd->bhqk", q, k) * k.shape[-1] ** -0.5
        i = torch.arange(q.shape[-2]) + past
        s = torch.where(torch.arange(k.shape[-2])[None] > i[:, None], -1e9, s)
        out = torch.einsum("bhqk,bhkd->bhqd", s.softmax(-1), v)
        return self.out_proj(torch.cat(out.unbind(1), -1)), (k, v)

# %% shortcut: PyTorch's layer
class CachedSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} {n_heads}")
        self.n_heads = n_heads
        self.q_proj, self.k_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.v_proj, self.out_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)

    def forward(self, x, cache=None):
        k, v = (p(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2) for p in (self.k_proj, self.v_proj))
        if cache is not None:
            k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
        q, keys, values = (t.transpose(0, 1) for t in (self.q_proj(x), k.transpose(1, 2).flatten(2), v.transpose(1, 2).flatten(2)))
        eye, zero = torch.eye(x.shape[-1]), torch.zeros(3 * x.shape[-1])
        later = torch.ones(len(q), len(keys)).triu(1 + len(keys) - len(q)) > 0
        out = F.multi_head_attention_forward(
            q, keys, values, x.shape[-1], self.n_heads, None, zero, None, None, False, 0.0,
            self.out_proj.weight, self.out_proj.bias, attn_mask=later, use_separate_proj_weight=True,
            q_proj_weight=eye, k_proj_weight=eye, v_proj_weight=eye,
        )[0]
        return out.transpose(0, 1), (k, v)

# %% wrong: the mask begins at the first key -> "The mask begins at the first key"
- later = torch.ones(new, seen, dtype=torch.bool).triu(1 + seen - new)
+ later = torch.ones(new, seen, dtype=torch.bool).triu(1)

# %% wrong: is_causal -> "The mask begins at the first key"
- scores = query @ key.mT / key.shape[-1] ** 0.5
- new, seen = scores.shape[-2:]
- later = torch.ones(new, seen, dtype=torch.bool).triu(1 + seen - new)
- out = scores.masked_fill(later, -torch.inf).softmax(-1) @ value
+ out = F.scaled_dot_product_attention(query, key, value, is_causal=True)

# %% wrong: no mask -> "Later words are visible"
- out = scores.masked_fill(later, -torch.inf).softmax(-1) @ value
+ out = scores.softmax(-1) @ value

# %% wrong: no mask where there is a cache -> "Is there a mask where there is a cache?"
- out = scores.masked_fill(later, -torch.inf).softmax(-1) @ value
+ out = scores.masked_fill(later & (torch.tensor(seen) == new), -torch.inf).softmax(-1) @ value

# %% wrong: new words before old ones -> "The new words stand before the old ones"
- key = torch.cat([cache[0], key], dim=2)
- value = torch.cat([cache[1], value], dim=2)
+ key = torch.cat([key, cache[0]], dim=2)
+ value = torch.cat([value, cache[1]], dim=2)

# %% wrong: only new keys returned -> "That is the new words alone"
- )  # each (batch, n_heads, new, d_head)
+ )
+ kept = key, value

- return self.out_proj(out.transpose(1, 2).flatten(2)), (key, value)
+ return self.out_proj(out.transpose(1, 2).flatten(2)), kept

# %% wrong: the old cache returned -> "That is the old words alone"
- return self.out_proj(out.transpose(1, 2).flatten(2)), (key, value)
+ return self.out_proj(out.transpose(1, 2).flatten(2)), cache or (key, value)

# %% wrong: the cache is ignored -> "That is the new words alone"
- if cache is not None:
-     key = torch.cat([cache[0], key], dim=2)
-     value = torch.cat([cache[1], value], dim=2)

# %% wrong: the cache is kept but not asked -> "The new words see each other only"
- if cache is not None:
-     key = torch.cat([cache[0], key], dim=2)
-     value = torch.cat([cache[1], value], dim=2)
+ old = cache

- return self.out_proj(out.transpose(1, 2).flatten(2)), (key, value)
+ if old is not None:
+     key, value = (torch.cat(two, dim=2) for two in zip(old, (key, value)))
+ return self.out_proj(out.transpose(1, 2).flatten(2)), (key, value)

# %% wrong: only the old words are asked -> "The new words see the old ones only"
- if cache is not None:
-     key = torch.cat([cache[0], key], dim=2)
-     value = torch.cat([cache[1], value], dim=2)
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ both = (key, value) if cache is None else tuple(torch.cat(two, dim=2) for two in zip(cache, (key, value)))
+ if cache is not None:
+     key, value = cache
+ scores = query @ key.mT / key.shape[-1] ** 0.5

- later = torch.ones(new, seen, dtype=torch.bool).triu(1 + seen - new)
+ later = torch.ones(new, seen, dtype=torch.bool).triu(1 + (seen if cache is not None else 0))

- return self.out_proj(out.transpose(1, 2).flatten(2)), (key, value)
+ return self.out_proj(out.transpose(1, 2).flatten(2)), both

# %% wrong: joined along the heads -> "Old and new are joined along the words, axis 2"
- key = torch.cat([cache[0], key], dim=2)
+ key = torch.cat([cache[0], key], dim=1)

# %% wrong: kept in the module -> "Is something of an earlier text kept in the module?"
- self.n_heads = n_heads
+ self.n_heads, self.kept = n_heads, None

- if cache is not None:
-     key = torch.cat([cache[0], key], dim=2)
-     value = torch.cat([cache[1], value], dim=2)
+ if self.kept is not None and self.kept[0].shape[2] > 6:
+     self.kept = None
+ if cache is not None:
+     cache = self.kept
+     key = torch.cat([cache[0], key], dim=2)
+     value = torch.cat([cache[1], value], dim=2)
+ self.kept = key, value

# %% wrong: kept in the module, the argument ignored -> "There are words of the text before"
- self.n_heads = n_heads
+ self.n_heads, self.kept = n_heads, None

- if cache is not None:
-     key = torch.cat([cache[0], key], dim=2)
-     value = torch.cat([cache[1], value], dim=2)
+ if self.kept is not None:
+     key = torch.cat([self.kept[0], key], dim=2)
+     value = torch.cat([self.kept[1], value], dim=2)
+ self.kept = key, value

# %% wrong: the words are cached -> "Or are these the words themselves?"
class CachedSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} {n_heads}")
        self.n_heads = n_heads
        self.q_proj, self.k_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.v_proj, self.out_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)

    def forward(self, x, cache=None):
        text = x if cache is None else torch.cat([cache[0], x], dim=1)
        q, k, v = (p(t).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
                   for p, t in ((self.q_proj, x), (self.k_proj, text), (self.v_proj, text)))
        later = torch.ones(q.shape[2], k.shape[2]).triu(1 + k.shape[2] - q.shape[2]) > 0
        out = (q @ k.mT / k.shape[-1] ** 0.5).masked_fill(later, -torch.inf).softmax(-1) @ v
        return self.out_proj(out.transpose(1, 2).flatten(2)), (text, text)

# %% wrong: queries cached -> "These are the queries"
- return self.out_proj(out.transpose(1, 2).flatten(2)), (key, value)
+ return self.out_proj(out.transpose(1, 2).flatten(2)), (query, value)

# %% wrong: keys and values exchanged in the cache -> "Keys and values changed places"
- return self.out_proj(out.transpose(1, 2).flatten(2)), (key, value)
+ return self.out_proj(out.transpose(1, 2).flatten(2)), (value, key)

# %% wrong: keys scaled before they are kept -> "They are scaled. Scale the scores instead"
- if cache is not None:
+ key = key / key.shape[-1] ** 0.5
+ if cache is not None:

- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT

# %% wrong: kept before they are split -> "Is it split into heads?"
- return self.out_proj(out.transpose(1, 2).flatten(2)), (key, value)
+ return self.out_proj(out.transpose(1, 2).flatten(2)), (key.transpose(1, 2).flatten(2), value.transpose(1, 2).flatten(2))

# %% wrong: kept as (batch, seen, n_heads, d_head) -> "Transpose before you keep it"
- return self.out_proj(out.transpose(1, 2).flatten(2)), (key, value)
+ return self.out_proj(out.transpose(1, 2).flatten(2)), (key.transpose(1, 2), value.transpose(1, 2))

# %% wrong: divided by the root of d_model -> "That is √d_model"
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT / x.shape[-1] ** 0.5

# %% wrong: not scaled -> "Is the division missing?"
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT

# %% wrong: heads merged without transpose -> "The heads are joined by a reshape alone"
- return self.out_proj(out.transpose(1, 2).flatten(2)), (key, value)
+ return self.out_proj(out.reshape(x.shape)), (key, value)

# %% wrong: heads split by a view -> "by a reshape alone"
- layer(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
+ layer(x).reshape(len(x), self.n_heads, x.shape[1], -1)

# %% wrong: k_proj and v_proj exchanged -> "Key and value changed places"
- for layer in (self.q_proj, self.k_proj, self.v_proj)
+ for layer in (self.q_proj, self.v_proj, self.k_proj)

# %% wrong: the keys come from q_proj -> "The keys are made by q_proj"
- for layer in (self.q_proj, self.k_proj, self.v_proj)
+ for layer in (self.q_proj, self.q_proj, self.v_proj)

# %% wrong: out_proj forgotten -> "out_proj is missing"
- return self.out_proj(out.transpose(1, 2).flatten(2)), (key, value)
+ return out.transpose(1, 2).flatten(2), (key, value)

# %% wrong: x added -> "The residual belongs around the layer"
- return self.out_proj(out.transpose(1, 2).flatten(2)), (key, value)
+ return x + self.out_proj(out.transpose(1, 2).flatten(2)), (key, value)

# %% wrong: one new word at a time -> "Two words are new, and both have an output"
- return self.out_proj(out.transpose(1, 2).flatten(2)), (key, value)
+ out = out if cache is None else out[:, :, -1:]
+ return self.out_proj(out.transpose(1, 2).flatten(2)), (key, value)

# %% wrong: more than one new word refused -> "stopped with AssertionError"
- if cache is not None:
+ if cache is not None:
+     assert x.shape[1] == 1, "one word at a time"

# %% wrong: a word does not see itself where there is a cache -> "A word does not see itself"
- later = torch.ones(new, seen, dtype=torch.bool).triu(1 + seen - new)
+ later = torch.ones(new, seen, dtype=torch.bool).triu(1 + seen - new - int(seen > new))

# %% wrong: the output alone -> "got a tensor alone"
- return self.out_proj(out.transpose(1, 2).flatten(2)), (key, value)
+ return self.out_proj(out.transpose(1, 2).flatten(2))

# %% wrong: three things returned -> "got tuple"
- return self.out_proj(out.transpose(1, 2).flatten(2)), (key, value)
+ return self.out_proj(out.transpose(1, 2).flatten(2)), key, value

# %% wrong: a cache of three -> "got 3 things"
- return self.out_proj(out.transpose(1, 2).flatten(2)), (key, value)
+ return self.out_proj(out.transpose(1, 2).flatten(2)), (key, value, seen)

# %% wrong: the caller's cache is overwritten -> "changed"
- key = torch.cat([cache[0], key], dim=2)
+ key = torch.cat([cache[0], key], dim=2)
+ cache[0].zero_()

# %% wrong: the cache is detached -> "No gradient reaches x from the cache's keys"
- return self.out_proj(out.transpose(1, 2).flatten(2)), (key, value)
+ return self.out_proj(out.transpose(1, 2).flatten(2)), (key.detach(), value.detach())

# %% wrong: an old cache read without gradients -> "No gradient reaches the old keys and the old values"
- key = torch.cat([cache[0], key], dim=2)
- value = torch.cat([cache[1], value], dim=2)
+ key = torch.cat([cache[0].data, key], dim=2)
+ value = torch.cat([cache[1].data, value], dim=2)

# %% wrong: values of the new words are not kept -> "the cache's values"
- return self.out_proj(out.transpose(1, 2).flatten(2)), (key, value)
+ return self.out_proj(out.transpose(1, 2).flatten(2)), (key, value if cache is None else cache[1])

# %% wrong: a longest text of sixteen words -> "stopped with RuntimeError"
- self.n_heads = n_heads
+ self.n_heads = n_heads
+ self.register_buffer("mask", torch.ones(16, 16).triu(1) > 0)

- later = torch.ones(new, seen, dtype=torch.bool).triu(1 + seen - new)
+ later = self.mask[seen - new : seen, :seen]

# %% wrong: the cache asked whether it is true -> "Is it `cache is None` that should be asked?"
- if cache is not None:
+ if cache[0] if cache else None:

# %% wrong: without bias -> "four nn.Linear(15, 15) with bias"
- self.k_proj = nn.Linear(d_model, d_model)
+ self.k_proj = nn.Linear(d_model, d_model, bias=False)

# %% wrong: one packed layer -> "four nn.Linear(15, 15) with bias"
- self.q_proj = nn.Linear(d_model, d_model)
- self.k_proj = nn.Linear(d_model, d_model)
- self.v_proj = nn.Linear(d_model, d_model)
+ self.qkv_proj = nn.Linear(d_model, 3 * d_model)

# %% wrong: the guard deleted -> "expected a ValueError"
- if d_model % n_heads:
-     raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")

# %% wrong: super().__init__() deleted -> "Is `super().__init__()` the first line"
- super().__init__()

# %% wrong: a mask of the new words alone -> "Two new words meet seven keys. Is the mask (new words, all words)"
- later = torch.ones(new, seen, dtype=torch.bool).triu(1 + seen - new)
+ later = torch.ones(new, new, dtype=torch.bool).triu(1)

# %% wrong: a square mask of all words -> "Two new words meet seven keys. Is the mask (new words, all words)"
- later = torch.ones(new, seen, dtype=torch.bool).triu(1 + seen - new)
+ later = torch.ones(seen, seen, dtype=torch.bool).triu(1)

# %% wrong: old keys alone are joined -> "Join old and new values, too"
- value = torch.cat([cache[1], value], dim=2)

# %% wrong: no argument for a cache -> "Does forward take x and a cache, None by default?"
- def forward(self, x, cache=None):
+ def forward(self, x):
+     cache = None

# %% wrong: old keys and old values exchanged -> "Or are old keys and old values swapped?"
- key = torch.cat([cache[0], key], dim=2)
- value = torch.cat([cache[1], value], dim=2)
+ key = torch.cat([cache[1], key], dim=2)
+ value = torch.cat([cache[0], value], dim=2)

# %% wrong: a word hides itself -> "Does the first word see itself?"
- later = torch.ones(new, seen, dtype=torch.bool).triu(1 + seen - new)
+ later = torch.ones(new, seen, dtype=torch.bool).triu(seen - new)

# %% wrong: the last word's output alone -> "not the last one alone"
- return self.out_proj(out.transpose(1, 2).flatten(2)), (key, value)
+ return self.out_proj(out.transpose(1, 2).flatten(2))[:, -1:], (key, value)

# %% wrong: the first sentence's cache for all -> "Sentence 0 is right"
- key = torch.cat([cache[0], key], dim=2)
- value = torch.cat([cache[1], value], dim=2)
+ key = torch.cat([cache[0][:1].expand_as(cache[0]), key], dim=2)
+ value = torch.cat([cache[1][:1].expand_as(cache[1]), value], dim=2)

# %% wrong: divided by the root of the number of words in all heads -> "The scores were divided by"
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT / (self.n_heads * x.shape[1]) ** 0.5

# %% wrong: the cached keys are forgotten -> "Join old and new keys, too"
- key = torch.cat([cache[0], key], dim=2)
