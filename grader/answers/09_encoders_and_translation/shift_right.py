# %% right: rolled, and the first column overwritten
def shift_right(ids, bos):
    shifted = ids.roll(1, dims=1)
    shifted[:, 0] = bos
    return shifted

# %% right: padded by one column
def shift_right(ids, bos):
    return F.pad(ids[:, :-1], (1, 0), value=bos)

# %% right: an empty copy, filled
def shift_right(ids, bos):
    shifted = torch.empty_like(ids)
    shifted[:, 0], shifted[:, 1:] = bos, ids[:, :-1]
    return shifted

# %% right: lists
def shift_right(ids, bos):
    return torch.tensor([[bos] + row[:-1] for row in ids.tolist()], dtype=torch.long)

# %% right: one column too many, then cut
def shift_right(ids, bos):
    first = torch.full((len(ids), 1), bos, dtype=ids.dtype, device=ids.device)
    return torch.hstack([first, ids])[:, : ids.shape[1]]

# %% wrong: nothing is dropped -> "Is the last id of each row dropped"
- return torch.cat([torch.full_like(ids[:, :1], bos), ids[:, :-1]], dim=1)
+ return torch.cat([torch.full_like(ids[:, :1], bos), ids], dim=1)

# %% wrong: bos is forgotten -> "Is bos put in front"
- return torch.cat([torch.full_like(ids[:, :1], bos), ids[:, :-1]], dim=1)
+ return ids[:, :-1]

# %% wrong: rolled alone -> "comes round again"
- return torch.cat([torch.full_like(ids[:, :1], bos), ids[:, :-1]], dim=1)
+ return ids.roll(1, dims=1)

# %% wrong: to the left -> "shifted to the left"
- return torch.cat([torch.full_like(ids[:, :1], bos), ids[:, :-1]], dim=1)
+ return torch.cat([ids[:, 1:], torch.full_like(ids[:, :1], bos)], dim=1)

# %% wrong: the first id is dropped -> "the others have to move"
- return torch.cat([torch.full_like(ids[:, :1], bos), ids[:, :-1]], dim=1)
+ return torch.cat([torch.full_like(ids[:, :1], bos), ids[:, 1:]], dim=1)

# %% wrong: the first id of a copy overwritten -> "the others have to move"
- return torch.cat([torch.full_like(ids[:, :1], bos), ids[:, :-1]], dim=1)
+ shifted = ids.clone()
+ shifted[:, 0] = bos
+ return shifted

# %% wrong: the rows are shifted -> "Are the rows shifted"
- return torch.cat([torch.full_like(ids[:, :1], bos), ids[:, :-1]], dim=1)
+ return torch.cat([torch.full_like(ids[:1], bos), ids[:-1]], dim=0)

# %% wrong: rolled over the rows -> "Are the rows rolled"
- return torch.cat([torch.full_like(ids[:, :1], bos), ids[:, :-1]], dim=1)
+ shifted = ids.roll(1, dims=0)
+ shifted[:, 0] = bos
+ return shifted

# %% wrong: rolled over all rows at once -> "the last id of a row"
- return torch.cat([torch.full_like(ids[:, :1], bos), ids[:, :-1]], dim=1)
+ shifted = ids.roll(1)
+ shifted[0, 0] = bos
+ return shifted

# %% wrong: nothing moves -> "Nothing has moved"
- return torch.cat([torch.full_like(ids[:, :1], bos), ids[:, :-1]], dim=1)
+ return ids.clone()

# %% wrong: always 0 in front -> "Here stands a 0"
- return torch.cat([torch.full_like(ids[:, :1], bos), ids[:, :-1]], dim=1)
+ return F.pad(ids[:, :-1], (1, 0))

# %% wrong: always 1 in front -> "with bos = 9"
- return torch.cat([torch.full_like(ids[:, :1], bos), ids[:, :-1]], dim=1)
+ return torch.cat([torch.ones_like(ids[:, :1]), ids[:, :-1]], dim=1)

# %% wrong: a column of floats -> "Expected int64"
- return torch.cat([torch.full_like(ids[:, :1], bos), ids[:, :-1]], dim=1)
+ return torch.cat([torch.full((len(ids), 1), float(bos)), ids[:, :-1]], dim=1)

# %% wrong: in place -> "changed one of its arguments in place"
- return torch.cat([torch.full_like(ids[:, :1], bos), ids[:, :-1]], dim=1)
+ ids[:, 1:] = ids[:, :-1].clone()
+ ids[:, 0] = bos
+ return ids

# %% wrong: the ids are reversed -> "They are reversed"
- return torch.cat([torch.full_like(ids[:, :1], bos), ids[:, :-1]], dim=1)
+ return torch.cat([torch.full_like(ids[:, :1], bos), ids.flip(1)[:, :-1]], dim=1)

# %% wrong: one row for the whole batch -> "for every row"
- return torch.cat([torch.full_like(ids[:, :1], bos), ids[:, :-1]], dim=1)
+ return torch.cat([torch.full_like(ids[:1, :1], bos), ids[:, :-1]], dim=1)

# %% wrong: a list -> "as one tensor"
- return torch.cat([torch.full_like(ids[:, :1], bos), ids[:, :-1]], dim=1)
+ return [[bos, *row[:-1]] for row in ids.tolist()]

# %% wrong: other names of the arguments -> "by name"
- def shift_right(ids, bos):
+ def shift_right(target, first):
+     ids, bos = target, first

# %% wrong: two steps -> "one step, and not two"
- return torch.cat([torch.full_like(ids[:, :1], bos), ids[:, :-1]], dim=1)
+ return torch.cat([torch.full_like(ids[:, :2], bos), ids[:, :-2]], dim=1)

# %% wrong: a view that dies on a transposed batch -> hidden: "view"
- return torch.cat([torch.full_like(ids[:, :1], bos), ids[:, :-1]], dim=1)
+ flat = ids.view(-1).roll(1).view(ids.shape)
+ flat[:, 0] = bos
+ return flat

# %% wrong: padding stays where it is -> "The id 0 is like any other"
- return torch.cat([torch.full_like(ids[:, :1], bos), ids[:, :-1]], dim=1)
+ moved = torch.cat([torch.full_like(ids[:, :1], bos), ids[:, :-1]], dim=1)
+ return moved.masked_fill(ids == 0, 0)
# %% wrong: three rows, whatever comes -> "Is there one bos for each row, however many"
- return torch.cat([torch.full_like(ids[:, :1], bos), ids[:, :-1]], dim=1)
+ return torch.cat([torch.tensor([[bos]] * 3), ids[:, :-1]], dim=1)
# %% wrong: left alone where bos stands in front already -> "also of a row that begins with the same id"
- return torch.cat([torch.full_like(ids[:, :1], bos), ids[:, :-1]], dim=1)
+ if (ids[:, 0] == bos).all():
+     return ids
+ return torch.cat([torch.full_like(ids[:, :1], bos), ids[:, :-1]], dim=1)
# %% right: rolled as one long row, and the first column written over
def shift_right(ids, bos):
    out = ids.roll(1)
    out[:, 0] = bos
    return out
# %% wrong: bos in the first row alone -> "the others keep their first id"
def shift_right(ids, bos):
    out = ids.clone(); out[:, 1:] = ids[:, :-1]; out[0, 0] = bos
    return out
# %% wrong: bos runs through the row -> "Is bos copied along?"
def shift_right(ids, bos):
    out = ids.clone()
    out[:, 0] = bos
    for t in range(1, ids.shape[1]):
        out[:, t] = out[:, t - 1]
    return out
# %% right: one pad, negative at the end
def shift_right(ids, bos):
    return F.pad(ids, (1, -1), value=bos)
# %% wrong: the first row alone -> "Row 0 is right, rows 1 and 2 are not."
def shift_right(ids, bos):
    out = ids.clone()
    out[0, 1:], out[0, 0] = ids[0, :-1], bos
    return out
