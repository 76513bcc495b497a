# %% right: the identity for W_q, the shift in W_k
def previous_word_head(seq_len):
    W_k = torch.zeros(seq_len, seq_len)
    W_k[0, 0] = 200.0
    for word in range(1, seq_len):
        W_k[word, word - 1] = 200.0
    return torch.eye(seq_len), W_k
# %% right: two rows, positions on half a circle
def previous_word_head(seq_len):
    angles = torch.arange(seq_len) * math.pi / seq_len
    arc = torch.stack([angles.cos(), angles.sin()])
    before = torch.tensor([max(i - 1, 0) for i in range(seq_len)])
    return 2e4 * arc[:, before], arc


import math
# %% right: the scale grows with the root of d_k and the logarithm of the length
def previous_word_head(seq_len):
    needed = (torch.log(torch.tensor(100.0 * seq_len)) * seq_len**0.5) ** 0.5
    W_q = torch.diag(torch.ones(seq_len - 1), 1) if seq_len > 1 else torch.zeros(1, 1)
    W_q[0, 0] = 1
    return needed * W_q, needed * torch.eye(seq_len)
# %% right: a list of one-hot rows, more rows than words
def previous_word_head(seq_len):
    before = [0, *range(seq_len - 1)]
    W_q, W_k = torch.zeros(80, seq_len), torch.zeros(80, seq_len)
    for word in range(seq_len):
        W_q[before[word], word], W_k[word, word] = 300, 1
    return [W_q, W_k]
# %% wrong: no return -> "`return`"
- return 100 * table.T, torch.eye(seq_len)
+ W_q, W_k = 100 * table.T, torch.eye(seq_len)
# %% wrong: the table of scores, not the two matrices -> "not their product"
- return 100 * table.T, torch.eye(seq_len)
+ return 100 * table
# %% wrong: each word attends to itself -> "Shift the table by one"
- before = (torch.arange(seq_len) - 1).clamp(min=0)
+ before = torch.arange(seq_len)
# %% wrong: the table is transposed -> "the word after it"
- return 100 * table.T, torch.eye(seq_len)
+ return 100 * table, torch.eye(seq_len)
# %% wrong: the two matrices change places -> "have W_q and W_k changed places"
- return 100 * table.T, torch.eye(seq_len)
+ return torch.eye(seq_len), 100 * table.T
# %% wrong: the next word -> "the word after it"
- before = (torch.arange(seq_len) - 1).clamp(min=0)
+ before = (torch.arange(seq_len) + 1).clamp(max=seq_len - 1)
# %% wrong: round in a circle -> "round in a circle"
- before = (torch.arange(seq_len) - 1).clamp(min=0)
+ before = (torch.arange(seq_len) - 1) % seq_len
# %% wrong: the first word has nothing to look at -> "word 0 gives 0.250"
- table = torch.eye(seq_len)[before]
+ table = torch.diag(torch.ones(seq_len - 1), -1)
# %% wrong: no factor, so the softmax is nearly even -> "too small"
- return 100 * table.T, torch.eye(seq_len)
+ return table.T, torch.eye(seq_len)
# %% wrong: a factor that is enough for short sentences only -> "too small"
- return 100 * table.T, torch.eye(seq_len)
+ return 20 * table.T, torch.eye(seq_len)
# %% wrong: the division by the root of d_k is forgotten -> "softmax's division"
- return 100 * table.T, torch.eye(seq_len)
+ return 9 * table.T, torch.eye(seq_len)
# %% wrong: infinite scores -> "inf or NaN"
- return 100 * table.T, torch.eye(seq_len)
+ return torch.where(table.T > 0, torch.inf, 0.0), torch.eye(seq_len)
# %% wrong: float64 -> "expected float32"
- return 100 * table.T, torch.eye(seq_len)
+ return 100 * table.T.double(), torch.eye(seq_len).double()
# %% wrong: integers -> "expected float32"
- return 100 * table.T, torch.eye(seq_len)
+ return (100 * table.T).long(), torch.eye(seq_len).long()
# %% wrong: six words, whatever comes -> "one column for each position"
+ seq_len = 6
  before = (torch.arange(seq_len) - 1).clamp(min=0)
# %% wrong: W_q has one row more -> "Both have d_k rows"
- return 100 * table.T, torch.eye(seq_len)
+ return 100 * torch.cat([table.T, torch.zeros(1, seq_len)]), torch.eye(seq_len)
# %% wrong: everyone attends to the first word -> "one and the same"
- before = (torch.arange(seq_len) - 1).clamp(min=0)
+ before = torch.zeros(seq_len, dtype=torch.long)
# %% wrong: two words back -> "Each word attends two words back."
- before = (torch.arange(seq_len) - 1).clamp(min=0)
+ before = (torch.arange(seq_len) - 2).clamp(min=0)
# %% wrong: all earlier words alike -> "Words [0, 1, 2] share it"
- table = torch.eye(seq_len)[before]
+ table = torch.eye(seq_len)[before].flip(-1).cumsum(-1).flip(-1)
# %% wrong: random matrices -> "Which column"
- return 100 * table.T, torch.eye(seq_len)
+ return 10 * torch.randn(24, seq_len), 10 * torch.randn(24, seq_len)
# %% wrong: W_q as nested lists -> "Expected W_q as a tensor"
- return 100 * table.T, torch.eye(seq_len)
+ return (100 * table.T).tolist(), torch.eye(seq_len)
# %% wrong: fails for one word -> "stopped with"
- table = torch.eye(seq_len)[before]
+ table = torch.eye(seq_len)[before] / (seq_len > 1 and 1)
+ table = table if seq_len > 1 else table[[1]]
# %% wrong: the argument has another name -> "still called seq_len"
def previous_word_head(n):
    before = (torch.arange(n) - 1).clamp(min=0)
    return 100 * torch.eye(n)[before].T, torch.eye(n)
# %% wrong: all scores equal -> "Is anything large in the table"
- return 100 * table.T, torch.eye(seq_len)
+ return torch.ones(seq_len, seq_len), torch.ones(seq_len, seq_len)
# %% wrong: a dictionary -> "one after the other, and nothing else"
- return 100 * table.T, torch.eye(seq_len)  # W_qᵀ W_k = 100 M, d_k = seq_len
+ return {"W_q": 100 * table.T, "W_k": torch.eye(seq_len)}
# %% wrong: arrays of NumPy -> "Make it with torch"
import numpy as np
def previous_word_head(seq_len):
    return 100 * np.eye(seq_len), np.eye(seq_len)
# %% right: parameters, and a large minus everywhere else
def previous_word_head(seq_len):
    table = torch.full((seq_len, seq_len), -1e4)
    for i in range(seq_len):
        table[i, max(i - 1, 0)] = 0
    return nn.Parameter(table.T.contiguous()), nn.Parameter(torch.eye(seq_len))
# %% wrong: so large that float32 overflows -> "too large for float32"
- return 100 * table.T, torch.eye(seq_len)  # W_qᵀ W_k = 100 M, d_k = seq_len
+ return 1e30 * table.T, 1e30 * torch.eye(seq_len)
# %% wrong: a minus too many -> "gets the least"
- return 100 * table.T, torch.eye(seq_len)  # W_qᵀ W_k = 100 M, d_k = seq_len
+ return -100 * table.T, torch.eye(seq_len)
# %% wrong: three things returned -> "and nothing else"
- return 100 * table.T, torch.eye(seq_len)  # W_qᵀ W_k = 100 M, d_k = seq_len
+ return 100 * table.T, torch.eye(seq_len), torch.eye(seq_len)
# %% wrong: layers, not matrices -> "no layer is needed"
- return 100 * table.T, torch.eye(seq_len)  # W_qᵀ W_k = 100 M, d_k = seq_len
+ return nn.Linear(seq_len, seq_len), nn.Linear(seq_len, seq_len)
# %% wrong: positions on a whole circle, so that the first word meets the last -> "All are right but the first word"
def previous_word_head(seq_len):
    angles = 2 * torch.pi * torch.arange(seq_len) / seq_len
    W_k = torch.stack([angles.cos(), angles.sin()])
    W_q = torch.stack([(angles - 2 * torch.pi / seq_len).cos(), (angles - 2 * torch.pi / seq_len).sin()])
    return 2e4 * W_q, W_k

# %% wrong: all words before, evenly -> "gives no word most of it"
def previous_word_head(seq_len):
    return torch.eye(seq_len), 200 * torch.ones(seq_len, seq_len).tril(-1)

# %% right: a parabola of the distance, d_k = 2
def previous_word_head(seq_len):
    n = torch.arange(seq_len, dtype=torch.float32)
    p = (n - 1).clamp(min=0)
    W_k = torch.stack([n ** 2, n])          # -(j - p)^2 = -j^2 + 2 j p - p^2
    W_q = 20 * torch.stack([-torch.ones(seq_len), 2 * p])
    return W_q, W_k

# %% wrong: the loop ends one word too early -> "All are right but the last word."
def previous_word_head(seq_len):
    M = torch.zeros(seq_len, seq_len)
    M[0, 0] = 1
    for i in range(1, seq_len - 1):
        M[i, i - 1] = 1
    return torch.eye(seq_len), 200.0 * M
# %% wrong: the word before and the word itself -> "share it, 0.50 each"
def previous_word_head(seq_len):
    M = torch.zeros(seq_len, seq_len)
    M[0, 0] = 1
    for i in range(1, seq_len):
        M[i, i - 1] = 1
        M[i, i] = 1
    W_q = 100 * M.T
    W_k = torch.eye(seq_len)
    return W_q, W_k

# %% wrong: random matrices -> "Nothing here is random"
def previous_word_head(seq_len):
    drawn = torch.randn(2, seq_len, seq_len, generator=torch.Generator().manual_seed(0))
    return 100 * drawn[0], drawn[1]
# %% wrong: the keys lie on a line -> "With d_k = 1"
def previous_word_head(seq_len):
    at = torch.arange(seq_len).float()
    return 100 * (at - 1).clamp(min=0)[None], at[None]
# %% wrong: the last word left out -> "All are right but the last word."
- return 100 * table.T, torch.eye(seq_len)
+ return 100 * table.T * (torch.arange(seq_len) < max(seq_len - 1, 1)), torch.eye(seq_len)
