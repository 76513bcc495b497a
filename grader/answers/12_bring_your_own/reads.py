# %% right: both words in one batch of calls
def reads(layer, x):
    base = layer(x)
    columns = []
    for j in range(x.shape[1]):
        new = torch.rand(x.shape[0], x.shape[2]) * 4 - 2
        hit = torch.zeros(x.shape[1], dtype=torch.bool)
        for sign in (1, -1):
            y = torch.cat([x[:, :j], (sign * new)[:, None], x[:, j + 1 :]], dim=1)
            hit = hit | ((layer(y) - base).abs().amax((0, 2)) > 1e-5)
        columns.append(hit)
    return torch.stack(columns, dim=1)

# %% right: one sentence at a time
def reads(layer, x):
    before, n = layer(x), x.shape[1]
    found = torch.zeros(n, n).bool()
    for b in range(len(x)):
        for j in range(n):
            word = torch.randn(x.shape[-1])
            for new in (word, -word):
                y = x.clone()
                y[b, j] = new
                found[:, j] |= (layer(y)[b] - before[b]).abs().max(-1).values > 1e-5
    return found

# %% right: four draws, a mask of where
def reads(layer, x):
    seq = x.size(1)
    before = layer(x).detach()
    most = torch.zeros(seq, seq)
    for _ in range(2):
        noise = torch.randn_like(x)
        for j in range(seq):
            at = (torch.arange(seq) == j)[None, :, None]
            for new in (noise, -noise):
                change = (layer(torch.where(at, new, x)) - before).abs().flatten(2).amax((0, 2))
                most[:, j] = torch.maximum(most[:, j], change.detach())
    return most > 1e-5

# %% wrong: rows and columns swapped -> "Rows and columns are swapped"
- found[:, j] |= moved.any(-1).any(0)
+ found[j] |= moved.any(-1).any(0)
# %% wrong: the copy is made once -> "still replaced"
- before, seq = layer(x), x.shape[1]
+ before, seq = layer(x), x.shape[1]
+ other = x.clone()

- other = x.clone()
- other[:, j] = word
+ other[:, j] = word
# %% wrong: all words from j on are replaced -> "Are all words from j on replaced"
- other[:, j] = word
+ other[:, j:] = word[:, None]
# %% wrong: replaced by zeros -> "Use random numbers"
- new = torch.randn_like(x[:, j])  # (batch, d)
+ new = torch.zeros_like(x[:, j])
# %% wrong: the negative is not tried -> "and then by their negative"
- for word in (new, -new):
+ for word in (new, new):
# %% wrong: only the first sentence is looked at -> "Any sentence counts"
- found[:, j] |= moved.any(-1).any(0)
+ found[:, j] |= moved.any(-1)[0]
# %% wrong: compared with x -> "Compare it with layer(x)"
- before, seq = layer(x), x.shape[1]
+ before, seq = F.pad(x, (0, 0))[..., : layer(x).shape[-1]], x.shape[1]
# %% wrong: without the sign -> "without its sign (abs)"
- moved = (layer(other) - before).abs() > 1e-5  # (batch, seq, d_out)
+ moved = (layer(other) - before) > 1e-5
# %% wrong: numbers are summed first -> "summed before they are compared"
- moved = (layer(other) - before).abs() > 1e-5  # (batch, seq, d_out)
+ moved = (layer(other) - before).sum(-1, keepdim=True).abs() > 1e-5
# %% wrong: any difference counts -> "Is the limit lower than 1e-5"
- moved = (layer(other) - before).abs() > 1e-5  # (batch, seq, d_out)
+ moved = (layer(other) - before).abs() > 0
# %% wrong: the limit is 1e-2 -> "Is the limit higher than 1e-5"
- moved = (layer(other) - before).abs() > 1e-5  # (batch, seq, d_out)
+ moved = (layer(other) - before).abs() > 1e-2
# %% wrong: inverted -> "It is inverted"
- return found
+ return ~found
# %% wrong: only the last number of a word is compared -> "Is only the last number compared"
- found[:, j] |= moved.any(-1).any(0)
+ found[:, j] |= moved[..., -1].any(0)
# %% wrong: numbers in place of a bool table -> "torch.bool"
- return found
+ return found.float()
# %% wrong: x itself is changed -> "in place"
- other = x.clone()
+ other = x
# %% wrong: a word is cut off -> "Replace a word where it stands"
- other[:, j] = word
+ other = torch.cat([x[:, :j], x[:, j + 1 :]], dim=1)
# %% wrong: the whole output is one -> "Each output is said to read what any output reads"
- found[:, j] |= moved.any(-1).any(0)
+ found[:, j] |= moved.any()
# %% wrong: a word is shifted by one number -> "moved by one number everywhere"
- new = torch.randn_like(x[:, j])  # (batch, d)
+ new = x[:, j] + 1
# %% wrong: the slope at x in place of a change -> "A slope at x is not enough"
def reads(layer, x):
    x = x.clone().requires_grad_()
    rows = [torch.autograd.grad(layer(x)[:, i].sum(), x)[0] for i in range(x.shape[1])]
    return torch.stack([row.abs().amax((0, 2)) > 1e-5 for row in rows])
# %% wrong: returned within the loop -> "Never replaced: words [1, 2, 3, 4]"
-     return found
+         return found
# %% wrong: the first word is skipped -> "Never replaced: words [0]"
- for j in range(seq):
+ for j in range(1, seq):
# %% wrong: the new word is NaN -> "NaN or inf"
- new = torch.randn_like(x[:, j])  # (batch, d)
+ new = torch.full_like(x[:, j], torch.nan)
# %% wrong: all sentences have to change -> "Any sentence counts"
- found[:, j] |= moved.any(-1).any(0)
+ found[:, j] |= moved.any(-1).all(0)

# %% wrong: words get a constant added -> "moved by one number everywhere"
- for word in (new, -new):
+ for word in (x[:, j] + 1, x[:, j] - 1):

# %% wrong: overwritten: only the negative counts -> "overwrite what the first one found"
- found[:, j] |= moved.any(-1).any(0)
+ found[:, j] = moved.any(-1).any(0)

# %% wrong: the diagonal is left out -> "diagonal left out"
- return found
+ return found & ~torch.eye(seq, dtype=torch.bool)

# %% wrong: the future is left out -> "later words left out"
- return found
+ return found.tril()

# %% wrong: only the last sentence is looked at -> "Is only the last sentence looked at"
- found[:, j] |= moved.any(-1).any(0)
+ found[:, j] |= moved.any(-1)[-1]

# %% wrong: the second word undoes what the first one found -> "undo what the first one found"
- found[:, j] |= moved.any(-1).any(0)
+ found[:, j] ^= moved.any(-1).any(0)

# %% wrong: the layer is asked about x again -> "Only x itself came"
- moved = (layer(other) - before).abs() > 1e-5  # (batch, seq, d_out)
+ moved = (layer(x) - before).abs() > 1e-5
