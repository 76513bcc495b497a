# %% right: row after row, a list of ids each
def greedy_decode(model, source, bos, eos, max_len):
    model.eval()
    rows = []
    with torch.inference_mode():
        for row in source:
            written = [bos]
            while len(written) <= max_len and eos not in written[1:]:
                logits = model(row[None], torch.tensor([written], device=source.device))
                written.append(int(logits[0, -1].argmax()))
            rows.append(written[1:])
    longest = max(len(row) for row in rows)
    return torch.tensor([row + [eos] * (longest - len(row)) for row in rows])

# %% right: a buffer of eos, filled
@torch.no_grad()
def greedy_decode(model, source, bos, eos, max_len):
    model.eval()
    out = torch.full((len(source), max_len + 1), eos, dtype=torch.long, device=source.device)
    out[:, 0] = bos
    going = torch.ones(len(source), dtype=torch.bool, device=source.device)
    for i in range(max_len):
        best = model(source, out[:, : i + 1])[:, i].max(dim=-1).indices
        out[:, i + 1] = torch.where(going, best, eos)
        going &= best != eos
        if not going.any():
            return out[:, 1 : i + 2]
    return out[:, 1:]

# %% right: only unfinished rows go through the model
def greedy_decode(model, source, bos, eos, max_len):
    model.eval()
    written = torch.full((source.shape[0], 1), bos).to(source)
    active = torch.arange(len(source))
    with torch.no_grad():
        while len(active) and written.shape[1] <= max_len:
            new = torch.full_like(written[:, :1], eos)
            new[active, 0] = model(source[active], written[active])[:, -1].argmax(-1)
            written = torch.cat((written, new), dim=1)
            active = active[new[active, 0] != eos]
    return written[:, 1:]

# %% right: written on to the end, then tidied up; the mode is put back
def greedy_decode(model, source, bos, eos, max_len):
    was, ids = model.training, source.new_full((len(source), 1), bos)
    model.eval()
    with torch.no_grad():
        for _ in range(max_len):
            ids = torch.cat([ids, model(source, ids)[:, -1:].argmax(-1)], 1)
    model.train(was)
    ids = ids[:, 1:]
    ended = (ids == eos).int().cumsum(1) > 0
    ids = ids.masked_fill(ended, eos)
    longest = int((~ended).sum(1).max()) + 1
    return ids[:, : min(longest, max_len)]

# %% right: recursion
def greedy_decode(model, source, bos, eos, max_len, written=None):
    if written is None:
        model.eval()
        written = torch.full_like(source[:, :1], bos)
    body = written[:, 1:]
    if body.shape[1] == max_len or (body == eos).any(dim=1).all():
        return body
    with torch.no_grad():
        new = model(source, written).softmax(-1)[:, -1].argmax(-1)
    new = torch.where((body == eos).any(dim=1), eos, new)
    return greedy_decode(model, source, bos, eos, max_len, torch.cat([written, new[:, None]], 1))

# %% wrong: bos stays in the result -> "bos"
- return written[:, 1:]
+ return written

# %% wrong: bos stays, the last id goes -> "The result begins with bos"
- return written[:, 1:]
+ return written[:, :-1]

# %% wrong: always max_len ids -> "Does writing stop when all rows have ended"
- if ended.all():
-     break

# %% wrong: stops with the first row that ends -> "until the last row has ended"
- if ended.all():
+ if ended.any():

# %% wrong: the first eos of the last row is cut off -> "Does the first eos of a row stay"
- return written[:, 1:]
+ return written[:, 1:-1] if ended.all() else written[:, 1:]

# %% wrong: stops before the last eos is appended -> "Does the first eos of a row stay"
- written = torch.cat([written, new[:, None]], dim=1)
- ended = ended | (new == eos)
- if ended.all():
-     break
+ ended = ended | (new == eos)
+ if ended.all():
+     break
+ written = torch.cat([written, new[:, None]], dim=1)

# %% wrong: what stands behind the end stays -> "after its end replaced"
- new = model(source, written)[:, -1].argmax(dim=-1).masked_fill(ended, eos)
+ new = model(source, written)[:, -1].argmax(dim=-1)

# %% wrong: zeros behind the end -> "Behind the end of a row stands 0"
- new = model(source, written)[:, -1].argmax(dim=-1).masked_fill(ended, eos)
+ new = model(source, written)[:, -1].argmax(dim=-1).masked_fill(ended, 0)

# %% wrong: all rows have to write eos at once -> "A row that has ended stays so"
- ended = ended | (new == eos)
+ ended = new == eos

- new = model(source, written)[:, -1].argmax(dim=-1).masked_fill(ended, eos)
+ new = model(source, written)[:, -1].argmax(dim=-1)

# %% wrong: the guess of the first position -> "Is the guess of the last position taken"
- new = model(source, written)[:, -1].argmax(dim=-1).masked_fill(ended, eos)
+ new = model(source, written)[:, 0].argmax(dim=-1).masked_fill(ended, eos)

# %% wrong: only the last id is given to the model -> "Is the model given everything written so far"
- new = model(source, written)[:, -1].argmax(dim=-1).masked_fill(ended, eos)
+ new = model(source, written[:, -1:])[:, -1].argmax(dim=-1).masked_fill(ended, eos)

# %% wrong: bos is not given to the model -> "with bos in front"
- new = model(source, written)[:, -1].argmax(dim=-1).masked_fill(ended, eos)
+ given = written[:, 1:] if written.shape[1] > 1 else written
+ new = model(source, given)[:, -1].argmax(dim=-1).masked_fill(ended, eos)

# %% wrong: the target is shifted in once more -> "Is bos in front once"
- new = model(source, written)[:, -1].argmax(dim=-1).masked_fill(ended, eos)
+ given = torch.cat([torch.full_like(written[:, :1], bos), written], dim=1)
+ new = model(source, given)[:, -1].argmax(dim=-1).masked_fill(ended, eos)

# %% wrong: the least likely id -> "Is it the largest logit"
- new = model(source, written)[:, -1].argmax(dim=-1).masked_fill(ended, eos)
+ new = model(source, written)[:, -1].argmin(dim=-1).masked_fill(ended, eos)

# %% wrong: the id is drawn -> "Is it the largest logit"
- new = model(source, written)[:, -1].argmax(dim=-1).masked_fill(ended, eos)
+ chances = model(source, written)[:, -1].softmax(dim=-1)
+ new = torch.multinomial(chances, 1)[:, 0].masked_fill(ended, eos)

# %% wrong: every row goes on until the last has ended -> "after its end"
- new = model(source, written)[:, -1].argmax(dim=-1).masked_fill(ended, eos)
- written = torch.cat([written, new[:, None]], dim=1)
- ended = ended | (new == eos)
- if ended.all():
-     break
+ new = model(source, written)[:, -1].argmax(dim=-1)
+ written = torch.cat([written, new[:, None]], dim=1)
+ if (written == eos).any(dim=1).all():
+     break

# %% wrong: one id too many -> "does it stop at max_len"
- for _ in range(max_len):
+ for _ in range(max_len + 1):

# %% wrong: one id too few -> "One id is missing"
- for _ in range(max_len):
+ for _ in range(max_len - 1):

# %% wrong: max_len is forgotten -> "does it stop at max_len"
- for _ in range(max_len):
+ for _ in range(50):

# %% wrong: max_len includes bos -> "One id is missing"
- for _ in range(max_len):
+ while written.shape[1] < max_len:

# %% wrong: the mode is left as it came -> "The model ran in training mode"
- model.eval()

# %% wrong: training mode -> "The model ran in training mode"
- model.eval()
+ model.train()

# %% wrong: with gradients -> "The model ran with gradients"
- with torch.no_grad():
+ if True:

# %% wrong: eos is always 2 -> "The eos that was given is 11"
- ended = torch.zeros_like(written[:, 0], dtype=torch.bool)
+ eos, ended = 2, torch.zeros_like(written[:, 0], dtype=torch.bool)

# %% wrong: bos is always 1 -> "the bos that was given"
- written = torch.full_like(source[:, :1], bos)
+ written = torch.ones_like(source[:, :1])

# %% wrong: the source's first id instead of bos -> "the bos that was given"
- written = torch.full_like(source[:, :1], bos)
+ written = source[:, :1]

# %% wrong: lists of unlike length -> "as one tensor"
- return written[:, 1:]
+ rows = written[:, 1:].tolist()
+ return [row[: row.index(eos) + 1] if eos in row else row for row in rows]

# %% wrong: floats -> "Expected int64"
- return written[:, 1:]
+ return written[:, 1:].float()

# %% wrong: other names of the arguments -> "by name"
- def greedy_decode(model, source, bos, eos, max_len):
+ def greedy_decode(model, ids, start, end, length):
+     source, bos, eos, max_len = ids, start, end, length

# %% wrong: one row alone is decoded -> "Is there a row of ids for each source"
- written = torch.full_like(source[:, :1], bos)
+ source = source[:1]
+ written = torch.full_like(source[:, :1], bos)

# %% wrong: eos is not kept in shorter rows -> "Behind the end of a row stands 0"
- return written[:, 1:]
+ written = written[:, 1:]
+ return written.masked_fill((written == eos).cumsum(dim=1) > 1, 0)

# %% wrong: the logit that is largest in size -> "This is the smallest"
- new = model(source, written)[:, -1].argmax(dim=-1).masked_fill(ended, eos)
+ new = model(source, written)[:, -1].abs().argmax(dim=-1).masked_fill(ended, eos)

# %% wrong: source and target exchanged -> "Does the model get the source first"
- new = model(source, written)[:, -1].argmax(dim=-1).masked_fill(ended, eos)
+ new = model(written, source)[:, -1].argmax(dim=-1).masked_fill(ended, eos)

# %% wrong: eos is looked for in the column of bos, too -> "and not in bos, too"
@torch.no_grad()
def greedy_decode(model, source, bos, eos, max_len):
    model.eval()
    written = torch.full((len(source), 1), bos)
    for _ in range(max_len):
        new = model(source, written)[:, -1].argmax(-1, keepdim=True)
        written = torch.cat([written, new], 1)
        if (written == eos).any(1).all():
            break
    written = written[:, 1:]
    return written.masked_fill((written == eos).cumsum(1) > 0, eos)
# %% wrong: one id for all rows -> "Is there an item() or int() for all of them?"
- new = model(source, written)[:, -1].argmax(dim=-1).masked_fill(ended, eos)
- written = torch.cat([written, new[:, None]], dim=1)
+ new = model(source, written)[:, -1].argmax(dim=-1).item()
+ written = F.pad(written, (0, 1), value=new)

- ended = ended | (new == eos)
- if ended.all():
+ if new == eos:
# %% wrong: an if for all rows -> "Is an `if` missing its .all()?"
- if ended.all():
+ if new == eos:
# %% wrong: the largest logit itself -> "not how large it is"
- new = model(source, written)[:, -1].argmax(dim=-1).masked_fill(ended, eos)
+ new = model(source, written)[:, -1].max(dim=-1).values.long().masked_fill(ended, eos)
# %% wrong: training mode again inside the loop -> "a later one in training mode"
- ended = ended | (new == eos)
+ ended = ended | (new == eos)
+ model.train()
# %% wrong: eos is not allowed at once -> "May the first id be eos"
- new = model(source, written)[:, -1].argmax(dim=-1).masked_fill(ended, eos)
+ logits = model(source, written)[:, -1].clone()
+ if written.shape[1] == 1:
+     logits[:, eos] = -1e9
+ new = logits.argmax(dim=-1).masked_fill(ended, eos)
# %% right: ids written into one tensor of eos, in inference mode
@torch.inference_mode()
def greedy_decode(model, source, bos, eos, max_len):
    model.eval()
    b = len(source)
    out = torch.full((b, max_len + 1), eos)
    out[:, 0] = bos
    done = torch.zeros(b, dtype=torch.bool)
    n = 0
    while n < max_len and not done.all():
        nxt = model(source, out[:, : n + 1])[:, -1].argmax(-1)
        out[:, n + 1] = nxt.masked_fill_(done, eos)
        done |= nxt == eos
        n += 1
    return out[:, 1 : n + 1].clone()
# %% right: a function that calls itself
def greedy_decode(model, source, bos, eos, max_len):
    def go(written, ended):
        if written.shape[1] > max_len or ended.all():
            return written[:, 1:]
        best = model(source, written).select(1, -1).max(-1).indices
        best = torch.where(ended, eos, best)
        return go(torch.column_stack([written, best]), ended.logical_or(best.eq(eos)))

    with torch.no_grad():
        return (
            go(
                source.new_full((source.size(0), 1), bos),
                source.new_zeros(source.size(0), dtype=torch.bool),
            )
            if not model.eval().training
            else None
        )
# %% wrong: the argmax over the positions -> "Is it where the largest logit stands in the last axis"
- new = model(source, written)[:, -1].argmax(dim=-1).masked_fill(ended, eos)
+ new = model(source, written).argmax(dim=1)[:, -1].masked_fill(ended, eos)
# %% wrong: no more ids than the source has -> "or where the source ends?"
- for _ in range(max_len):
+ for _ in range(min(max_len, source.shape[1])):
# %% wrong: written behind the source, in one row -> "Here the source stands in it, too"
def greedy_decode(model, source, bos, eos, max_len):
    model.eval()
    out = torch.cat([source, source.new_full((len(source), 1), bos)], 1)
    with torch.no_grad():
        for _ in range(max_len):
            out = torch.cat([out, model(source, out)[:, -1].argmax(-1, keepdim=True)], 1)
            if (out[:, -1] == eos).all(): break
    return out[:, source.shape[1] + 1:]
# %% wrong: all places guessed in one call -> "all max_len places are guessed at once"
def greedy_decode(model, source, bos, eos, max_len):
    model.eval()
    with torch.no_grad():
        out = source.new_full((len(source), max_len + 1), bos)
        return model(source, out).argmax(-1)[:, :max_len]
# %% right: topk, and rows that have ended written over
def greedy_decode(model, source, bos, eos, max_len):
    model.eval()
    out = torch.full((len(source), 1), bos, dtype=torch.long)
    done = torch.zeros(len(source), dtype=torch.bool)
    with torch.no_grad():
        while out.shape[1] <= max_len and not done.all():
            new = model(source, out)[:, -1].topk(1).indices
            new[done] = eos
            out = torch.cat([out, new], 1)
            done |= new[:, 0] == eos
    return out[:, 1:]
# %% wrong: the last column is cut off, too -> "is bos alone cut off?"
- return written[:, 1:]
+ return written[:, 1:-1]
# %% right: what stands behind the first eos is overwritten at the end
@torch.no_grad()
def greedy_decode(model, source, bos, eos, max_len):
    model.eval()
    ids = torch.full((len(source), 1), bos)
    for _ in range(max_len):
        ids = torch.cat([ids, model(source, ids)[:, -1:].argmax(-1)], 1)
        if (ids[:, 1:] == eos).any(1).all():
            break
    ids = ids[:, 1:]
    after = ((ids == eos).cumsum(1) - (ids == eos).long()) > 0
    return ids.masked_fill(after, eos)
# %% wrong: ends one round late -> "and not one later?"
- ended = ended | (new == eos)
+ ended = ended | (written[:, -2] == eos)
# %% wrong: bos is forbidden -> "Here bos = 3 seems to be forbidden."
- new = model(source, written)[:, -1].argmax(dim=-1).masked_fill(ended, eos)
+ logits = model(source, written)[:, -1].clone()
+ logits[:, bos] = -torch.inf
+ new = logits.argmax(dim=-1).masked_fill(ended, eos)
# %% wrong: padding is forbidden -> "May every id be written, 0 as well?"
- new = model(source, written)[:, -1].argmax(dim=-1).masked_fill(ended, eos)
+ logits = model(source, written)[:, -1].clone()
+ logits[:, 0] = -torch.inf
+ new = logits.argmax(dim=-1).masked_fill(ended, eos)
# %% wrong: eos written at max_len -> "Is eos written only where the model writes it?"
- return written[:, 1:]
+ written[:, -1] = eos
+ return written[:, 1:]
# %% wrong: the rows in the order in which they end -> "Are the rows in the order of their sources?"
- return written[:, 1:]
+ return written[(written[:, 1:] == eos).int().argmax(dim=1).argsort(), 1:]
# %% right: repaired at the end
def greedy_decode(model, source, bos, eos, max_len):
    out = source.new_full((source.size(0), 1), bos)
    with torch.inference_mode():
        model.eval()
        for _ in range(max_len):
            out = torch.cat((out, model(source, out)[:, -1:].argmax(-1)), 1)
            if (out[:, 1:] == eos).any(1).all():
                break
    out = out[:, 1:].clone()
    ended = (out == eos).cumsum(1) > 0
    return out.masked_fill(ended, eos)
# %% wrong of "repaired at the end": all rows go on with the first row's id -> "Does each go on with its own guess"
- out = torch.cat((out, model(source, out)[:, -1:].argmax(-1)), 1)
+ out = torch.cat((out, model(source, out)[:1, -1:].argmax(-1).expand(len(out), 1)), 1)

# %% wrong: a place for the next id behind what is written -> "nothing behind what is written"
- new = model(source, written)[:, -1].argmax(dim=-1).masked_fill(ended, eos)
+ new = model(source, F.pad(written, (0, 1), value=eos))[:, -1].argmax(dim=-1).masked_fill(ended, eos)

# %% wrong: all ids guessed anew in each round -> "leave the others as they are"
- new = model(source, written)[:, -1].argmax(dim=-1).masked_fill(ended, eos)
- written = torch.cat([written, new[:, None]], dim=1)
+ guesses = model(source, written).argmax(dim=-1)
+ new = guesses[:, -1].masked_fill(ended, eos)
+ written = torch.cat([written[:, :1], guesses], dim=1)

# %% wrong: only the rows without an end, where there are any -> "does every row stay?"
- return written[:, 1:]
+ return written[:, 1:] if ended.all() else written[~ended, 1:]

# %% wrong: a row that has ended begins again -> "A row that has ended stays so"
- new = model(source, written)[:, -1].argmax(dim=-1).masked_fill(ended, eos)
+ new = model(source, written)[:, -1].argmax(dim=-1)

- ended = ended | (new == eos)
+ ended = new == eos
