# %% right: a list of slices
def next_token_pairs(ids, block_size):
    count = len(ids) - block_size
    if count < 1:
        raise ValueError(f"got only {len(ids)} ids")
    inputs = torch.stack([ids[i : i + block_size] for i in range(count)])
    targets = torch.stack([ids[i + 1 : i + 1 + block_size] for i in range(count)])
    return inputs, targets
# %% right: a table of indices
def next_token_pairs(ids, block_size):
    if ids.numel() <= block_size:
        raise ValueError(f"{ids.numel()} ids do not fill a window of {block_size}")
    at = torch.arange(ids.numel() - block_size)[:, None] + torch.arange(block_size)
    return ids[at], ids[at + 1]
# %% right: windows of the ids and of the shifted ids, as a list
- windows = ids.unfold(0, block_size + 1, 1)
- return windows[:, :-1], windows[:, 1:]
+ return [part.unfold(0, block_size, 1) for part in (ids[:-1], ids[1:])]
# %% right: through Python lists
- windows = ids.unfold(0, block_size + 1, 1)
- return windows[:, :-1], windows[:, 1:]
+ given = ids.tolist()
+ rows = [given[i : i + block_size + 1] for i in range(len(given) - block_size)]
+ return torch.tensor([row[:-1] for row in rows]), torch.tensor([row[1:] for row in rows])
# %% wrong: targets are the inputs -> "The targets are the inputs themselves"
- return windows[:, :-1], windows[:, 1:]
+ return windows[:, :-1], windows[:, :-1]
# %% wrong: inputs and targets exchanged -> "Have inputs and targets changed places?"
- return windows[:, :-1], windows[:, 1:]
+ return windows[:, 1:], windows[:, :-1]
# %% wrong: only the id after the window -> "Each position of a window has its target"
- return windows[:, :-1], windows[:, 1:]
+ return windows[:, :-1], windows[:, -1]
# %% wrong: the id after the window at every position -> "Is only the id after the whole window"
- return windows[:, :-1], windows[:, 1:]
+ return windows[:, :-1], windows[:, -1:].expand(-1, block_size)
# %% wrong: the targets rolled round inside the window -> "A roll brings the first one back"
- return windows[:, :-1], windows[:, 1:]
+ return windows[:, :-1], windows[:, :-1].roll(-1, dims=1)
# %% wrong: windows side by side -> "Do the windows overlap?"
- windows = ids.unfold(0, block_size + 1, 1)
+ windows = ids.unfold(0, block_size + 1, block_size)
# %% wrong: windows of block_size ids are cut in two -> "one id too short"
- windows = ids.unfold(0, block_size + 1, 1)
- return windows[:, :-1], windows[:, 1:]
+ windows = ids.unfold(0, block_size, 1)[:-1]
+ return windows[:, :-1], windows[:, 1:]
# %% wrong: the last window has no target, padded with zeros -> "one row too many"
- windows = ids.unfold(0, block_size + 1, 1)
- return windows[:, :-1], windows[:, 1:]
+ padded = torch.cat([ids, ids.new_zeros(1)])
+ windows = padded.unfold(0, block_size + 1, 1)
+ return windows[:, :-1], windows[:, 1:]
# %% wrong of "a list of slices": the loop ends one early -> "one row too few"
- inputs = torch.stack([ids[i : i + block_size] for i in range(count)])
- targets = torch.stack([ids[i + 1 : i + 1 + block_size] for i in range(count)])
+ inputs = torch.stack([ids[i : i + block_size] for i in range(count - 1)])
+ targets = torch.stack([ids[i + 1 : i + 1 + block_size] for i in range(count - 1)])
# %% wrong of "a table of indices": two positions later -> "Is the shift made twice?"
- at = torch.arange(ids.numel() - block_size)[:, None] + torch.arange(block_size)
- return ids[at], ids[at + 1]
+ at = torch.arange(ids.numel() - block_size)[:, None] + torch.arange(block_size)
+ return ids[at], ids[(at + 2) % ids.numel()]
# %% wrong: the next number instead of the next id -> "by position, not by the value"
- return windows[:, :-1], windows[:, 1:]
+ return windows[:, :-1], windows[:, :-1] + 1
# %% wrong: no error -> "expected a ValueError, got"
- if len(ids) < block_size + 1:
-     raise ValueError(f"{len(ids)} ids are too few for block_size = {block_size}")
# %% wrong: an error for as many ids as the window has, only -> "expected a ValueError, got"
- if len(ids) < block_size + 1:
+ if len(ids) == block_size:
# %% wrong: block_size ids are let through -> "expected a ValueError, got"
- if len(ids) < block_size + 1:
+ if len(ids) < block_size:
# %% wrong: an assertion instead of the error -> "got AssertionError"
- if len(ids) < block_size + 1:
-     raise ValueError(f"{len(ids)} ids are too few for block_size = {block_size}")
+ assert len(ids) > block_size, f"{len(ids)} ids are too few"
# %% wrong: the error names no number -> "should also name 4"
- raise ValueError(f"{len(ids)} ids are too few for block_size = {block_size}")
+ raise ValueError("too few ids")
# %% wrong: the shortest text is refused -> "block_size + 1 ids are enough"
- if len(ids) < block_size + 1:
+ if len(ids) <= block_size + 1:
# %% wrong: the inputs alone -> "got Tensor. Are both returned"
- return windows[:, :-1], windows[:, 1:]
+ return windows[:, :-1]
# %% wrong: floats -> "as int64"
- return windows[:, :-1], windows[:, 1:]
+ return windows[:, :-1].float(), windows[:, 1:].float()
# %% wrong: columns are windows -> "Is the result transposed?"
- return windows[:, :-1], windows[:, 1:]
+ return windows[:, :-1].T, windows[:, 1:].T
# %% wrong: the longer windows as inputs -> "still to be cut"
- return windows[:, :-1], windows[:, 1:]
+ return windows, windows[:, 1:]
# %% wrong: windows from the end of the text -> "Does row i start at position i"
- return windows[:, :-1], windows[:, 1:]
+ return windows.flip(0)[:, :-1], windows.flip(0)[:, 1:]
# %% wrong: random windows -> "Does row i start at position i"
- return windows[:, :-1], windows[:, 1:]
+ windows = windows[torch.arange(len(windows)).roll(2)]
+ return windows[:, :-1], windows[:, 1:]
# %% wrong: the ids are sorted on the way -> "by position, not by the value"
- windows = ids.unfold(0, block_size + 1, 1)
+ windows = ids.sort().values.unfold(0, block_size + 1, 1)
# %% wrong: another name for the length -> "called ids and block_size"
- def next_token_pairs(ids, block_size):
+ def next_token_pairs(ids, length):

- if len(ids) < block_size + 1:
-     raise ValueError(f"{len(ids)} ids are too few for block_size = {block_size}")
- windows = ids.unfold(0, block_size + 1, 1)
+ if len(ids) < length + 1:
+     raise ValueError(f"{len(ids)} ids are too few")
+ windows = ids.unfold(0, length + 1, 1)
# %% wrong: as_strided, for neighbours in memory only -> hidden: "ids, block_size"
- windows = ids.unfold(0, block_size + 1, 1)
+ windows = ids.as_strided((len(ids) - block_size, block_size + 1), (1, 1), ids.storage_offset())
# %% wrong of "a list of slices": the targets one position before -> "the wrong way"
- inputs = torch.stack([ids[i : i + block_size] for i in range(count)])
- targets = torch.stack([ids[i + 1 : i + 1 + block_size] for i in range(count)])
+ inputs = torch.stack([ids[i : i + block_size] for i in range(count)])
+ targets = inputs - 1
# %% right: from numpy's sliding windows
- windows = ids.unfold(0, block_size + 1, 1)
+ import numpy as np
+ windows = np.lib.stride_tricks.sliding_window_view(ids.numpy(), block_size + 1)
+ windows = torch.from_numpy(windows.copy())
# %% wrong: a text without ids is not refused -> "A text without any id has no window, either."
- if len(ids) < block_size + 1:
+ if len(ids) == 0:
+     return ids.new_zeros(0, block_size), ids.new_zeros(0, block_size)
+ if len(ids) < block_size + 1:
# %% wrong: a list of pairs, window by window -> "got a list of 7"
- return windows[:, :-1], windows[:, 1:]
+ return list(zip(windows[:, :-1], windows[:, 1:]))
# %% right: column by column
- windows = ids.unfold(0, block_size + 1, 1)
- return windows[:, :-1], windows[:, 1:]
+ n = len(ids) - block_size
+ columns = [ids[i : i + n] for i in range(block_size + 1)]
+ return torch.stack(columns[:-1], dim=1), torch.stack(columns[1:], dim=1)
# %% wrong: slices, one too many -> "Does a loop run one step too far?"
- windows = ids.unfold(0, block_size + 1, 1)
- return windows[:, :-1], windows[:, 1:]
+ starts = range(len(ids) - block_size + 1)
+ inputs = [ids[i : i + block_size] for i in starts]
+ targets = [ids[i + 1 : i + 1 + block_size] for i in starts]
+ return torch.stack(inputs), torch.stack(targets)
# %% wrong: the rows rolled, so that the last has the first for its target -> "Row 6"
- return windows[:, :-1], windows[:, 1:]
+ return windows[:, :-1], windows[:, :-1].roll(-1, 0)
# %% wrong: every second window -> "in shape (7, 4), got (4, 4)"
- windows = ids.unfold(0, block_size + 1, 1)
+ windows = ids.unfold(0, block_size + 1, 2)
# %% right: numpy's windows
import numpy as np
def next_token_pairs(ids, block_size):
    if len(ids) < block_size + 1:
        raise ValueError(f"{len(ids)} ids are too few for block_size = {block_size}")
    w = np.lib.stride_tricks.sliding_window_view(ids.numpy(), block_size + 1)
    w = torch.from_numpy(w.copy())
    return w[:, :block_size].contiguous(), w[:, -block_size:].contiguous()
# %% wrong: the windows of the example, two ids long -> "A row is a window of block_size = 4 ids"
def next_token_pairs(ids, block_size):
    if len(ids) < block_size + 1:
        raise ValueError(f"{len(ids)} ids are too few for block_size = {block_size}")
    starts = range(len(ids) - block_size)
    inputs = torch.stack([ids[i : i + 2] for i in starts])
    return inputs, torch.stack([ids[i + 1 : i + 3] for i in starts])
# %% wrong: targets as rows of zeros and a one -> "The ids themselves are wanted"
- return windows[:, :-1], windows[:, 1:]
+ return windows[:, :-1], F.one_hot(windows[:, 1:])
# %% right: an index table
def next_token_pairs(ids, block_size):
    if len(ids) < block_size + 1:
        raise ValueError(f"{len(ids)} ids are too few for block_size = {block_size}")
    at = torch.arange(ids.numel() - block_size)[:, None] + torch.arange(block_size)[None]
    return ids.take(at), ids.take(at + 1)
# %% wrong of "an index table": the index instead of the id -> "Those are the positions."
- return ids.take(at), ids.take(at + 1)
+ return at, at + 1
# %% right: as_strided windows
def next_token_pairs(ids, block_size):
    if len(ids) < block_size + 1:
        raise ValueError(f"{len(ids)} ids are too few for block_size = {block_size}")
    ids = ids.clone().contiguous()
    both = ids.as_strided((len(ids) - block_size, block_size + 1), (1, 1))
    return both.narrow(1, 0, block_size).clone(), both.narrow(1, 1, block_size).clone()
# %% wrong of "as_strided windows": the first window is left out -> "Is there a window at the first id"
- both = ids.as_strided((len(ids) - block_size, block_size + 1), (1, 1))
+ both = ids[1:].as_strided((len(ids) - block_size - 1, block_size + 1), (1, 1))

# %% wrong: the targets are two ids later -> "Or is the shift two ids long?"
- windows = ids.unfold(0, block_size + 1, 1)
- return windows[:, :-1], windows[:, 1:]
+ windows = ids.unfold(0, block_size + 2, 1)
+ return windows[:, :-2], windows[:, 2:]
# %% wrong: windows of block_size ids, cut for both -> "A row is one id too short"
- windows = ids.unfold(0, block_size + 1, 1)
+ windows = ids.unfold(0, block_size, 1)
