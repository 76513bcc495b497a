# %% right: by keys, largest change
def columns_of_heads(attend, d, n_heads):
    torch.manual_seed(0)
    query, key, value = (torch.randn(1, 7, d) for _ in range(3))
    base = attend(query, key, value)
    rows = []
    for c in range(d):
        key2 = key.clone()
        key2[:, :, c] = key2[:, :, c].flip(1) * 2 + 1
        rows.append((attend(query, key2, value) - base).abs().amax((0, 1)) > 1e-5)
    moved = torch.stack(rows)  # (key column, output column)
    out, seen = torch.full((d,), -1), []
    for c in range(d):
        if moved[:, c].sum() != d // n_heads:
            continue
        own = moved[:, c].tolist()
        if own not in seen:
            seen.append(own)
        out[c] = seen.index(own)
    return out

# %% right: the Jacobian of the query
def columns_of_heads(attend, d, n_heads):
    query, key, value = torch.randn(3, 1, 4, d, dtype=torch.float64).unbind()
    slopes = torch.autograd.functional.jacobian(lambda q: attend(q, key, value), query)
    moves = slopes.abs().amax((0, 1, 3, 4)) > 1e-9  # (output column, query column)
    heads, names = [], {}
    for row in moves:
        one = tuple(row.nonzero().flatten().tolist())
        if len(one) > d // n_heads:
            heads.append(-1)
        else:
            heads.append(names.setdefault(one, len(names)))
    return torch.tensor(heads)

# %% right: a set of columns for each output
def columns_of_heads(attend, d, n_heads):
    q, k, v = torch.randn(2, 6, d), torch.randn(2, 6, d), torch.randn(2, 6, d)
    before = attend(q, k, v)
    movers = [set() for _ in range(d)]
    for c in range(d):
        for extra in (2.0, -3.0):
            other = q.clone()
            other[:, :, c] += extra
            for o in ((attend(other, k, v) - before).abs() > 1e-5).flatten(0, 1).any(0).nonzero().flatten().tolist():
                movers[o].add(c)
    order, found = [], []
    for own in movers:
        if len(own) != d // n_heads:
            found.append(-1)
            continue
        if own not in order:
            order.append(own)
        found.append(order.index(own))
    return torch.tensor(found, dtype=torch.int64)

# %% wrong: side by side without measuring -> "Is it assumed that a head's columns stand side by side?"
- return torch.tensor(heads)
+ return torch.arange(d) // (d // n_heads)
# %% wrong: the value is changed in place of the query -> "Is value changed, too?"
- other = query.clone()
+ other = value.clone()

- moves[column] = ((attend(other, key, value) - before).abs() > 1e-5).any(0).any(0)
+ moves[column] = ((attend(query, key, other) - before).abs() > 1e-5).any(0).any(0)
# %% wrong: shared columns are not told -> "is of no one head"
- heads.append(known.setdefault(movers, len(known)) if is_own else -1)
+ heads.append(known.setdefault(movers, len(known)))
# %% wrong: columns of several heads use up a number -> "Is a number used up"
- heads.append(known.setdefault(movers, len(known)) if is_own else -1)
+ number = known.setdefault(movers, len(known))
+ heads.append(number if is_own else -1)
# %% wrong: a list -> "a tensor"
- return torch.tensor(heads)
+ return heads
# %% wrong: floats -> "Expected int64"
- return torch.tensor(heads)
+ return torch.tensor(heads).float()
# %% wrong: each column is a head -> "Each column is said to be a head of its own"
- return torch.tensor(heads)
+ return torch.arange(d)
# %% wrong: one head for all -> "All columns are said to be of one head"
- return torch.tensor(heads)
+ return torch.zeros(d, dtype=torch.int64)
# %% wrong: two axes -> "query, key and value are (batch, seq, d)"
- query, key, value = torch.randn(3, 2, 5, d).unbind()
+ query, key, value = torch.randn(3, 5, d).unbind()
# %% wrong: numbered by the query's columns -> "Heads are numbered by their first column"
- heads.append(known.setdefault(movers, len(known)) if is_own else -1)
+ heads.append(movers.index(True) // (d // n_heads) if is_own else -1)
# %% wrong: counted from the last -> "by the first output column that is theirs"
- return torch.tensor(heads)
+ return torch.tensor([n_heads - 1 - h if h >= 0 else h for h in heads])
# %% wrong: all query columns are changed at once -> "Change one alone"
- other[..., column] = 3 * torch.randn(2, 5)
+ other = other + torch.randn(2, 5, d)
# %% wrong: the copy is made once -> "The columns changed before are still changed"
- moves = torch.zeros(d, d, dtype=torch.bool)  # (query column, output column)
+ moves, other = torch.zeros(d, d, dtype=torch.bool), query.clone()

- other = query.clone()
- other[..., column] = 3 * torch.randn(2, 5)
+ other[..., column] = 3 * torch.randn(2, 5)
# %% wrong: query columns are grouped -> "Are query columns grouped?"
- movers = tuple(moves[:, column].tolist())
+ movers = tuple(moves[column].tolist())
# %% wrong: heads in turns without measuring -> "Is it assumed that heads take turns"
- return torch.tensor(heads)
+ return torch.arange(d) % n_heads
# %% wrong: counted from 1 -> "The first head is head 0."
- return torch.tensor(heads)
+ return torch.tensor(heads) + 1
# %% wrong: a single word -> "A single word has weight 1"
- query, key, value = torch.randn(3, 2, 5, d).unbind()
+ query, key, value = torch.randn(3, 2, 1, d).unbind()

- other[..., column] = 3 * torch.randn(2, 5)
+ other[..., column] = 3 * torch.randn(2, 1)
# %% wrong: compared with the number of heads -> "Is it d / n_heads that the number"
- is_own = sum(movers) == d // n_heads
+ is_own = sum(movers) == n_heads

# %% wrong: query, key and value are one tensor -> "Is value changed, too"
- query, key, value = torch.randn(3, 2, 5, d).unbind()
- before = attend(query, key, value)
+ query = torch.randn(2, 5, d)
+ before = attend(query, query, query)

- moves[column] = ((attend(other, key, value) - before).abs() > 1e-5).any(0).any(0)
+ moves[column] = ((attend(other, other, other) - before).abs() > 1e-5).any(0).any(0)

# %% wrong: a tiny change of 1e-6 -> "changes by 1e-06 at most"
- other[..., column] = 3 * torch.randn(2, 5)
+ other[..., column] += 1e-6

# %% wrong: grouped by how many query columns move, not by which -> "not how many"
- movers = tuple(moves[:, column].tolist())
+ movers = (int(moves[:, column].sum()),)

# %% wrong: a head that comes back gets a new number -> "A head that comes back keeps its number"
- heads.append(known.setdefault(movers, len(known)) if is_own else -1)
+ if is_own and (not heads or movers != last):
+     known[len(known)] = movers
+ heads.append(len(known) - 1 if is_own else -1)
+ last = movers

# %% wrong: a number is added to all keys alike -> "leaves the weights as they are"
- other = query.clone()
- other[..., column] = 3 * torch.randn(2, 5)
- moves[column] = ((attend(other, key, value) - before).abs() > 1e-5).any(0).any(0)
+ other = key.clone()
+ other[..., column] += 3
+ moves[column] = ((attend(query, other, value) - before).abs() > 1e-5).any(0).any(0)

# %% wrong: the last column is skipped -> "Never changed: columns [11]"
- for column in range(d):
-     other = query.clone()
+ for column in range(d - 1):
+     other = query.clone()
