# %% right: loops
def packed_mask(document):
    batch, seq = document.shape
    mask = torch.zeros(batch, 1, seq, seq, dtype=torch.bool)
    for b in range(batch):
        for i in range(seq):
            for j in range(i + 1):
                mask[b, 0, i, j] = document[b, i] == document[b, j]
    return mask

# %% right: the lower triangle of equality
def packed_mask(document):
    return (document.unsqueeze(1).unsqueeze(-1) == document.unsqueeze(1).unsqueeze(2)).tril()

# %% right: one-hot documents
def packed_mask(document):
    _, number = document.unique(return_inverse=True)
    hot = F.one_hot(number).float()
    return ((hot @ hot.mT) > 0.5).tril()[:, None]

# %% right: by differences and positions
def packed_mask(document):
    position = torch.arange(document.size(1))
    apart = document[:, None, :, None] - document[:, None, None, :]
    return (apart == 0) & (position <= position[:, None])

# %% wrong: not causal -> "but it comes later"
- mask = same.tril()
+ mask = same

# %% wrong: causal only -> "Are the documents compared"
- mask = same.tril()
+ mask = (same | True).tril()

# %% wrong: or instead of and -> "| where & belongs"
- mask = same.tril()
+ mask = same | torch.ones_like(same).tril()

# %% wrong: the other triangle -> "the other triangle"
- mask = same.tril()
+ mask = same.triu()

# %% wrong: a word does not see itself -> "A word may attend to itself, too"
- mask = same.tril()
+ mask = same.tril(-1)

# %% wrong: itself alone -> "Word 2 is an earlier word"
- mask = same.tril()
+ mask = same & torch.eye(document.shape[1], dtype=torch.bool)

# %% wrong: True means hidden -> "Does True mean that a query may attend"
- return mask[:, None]
+ return ~mask[:, None]

# %% wrong: True means hidden, causal -> "of another document. Is it == that compares"
- same = document[:, :, None] == document[:, None, :]
+ same = document[:, :, None] != document[:, None, :]

# %% wrong: document 0 taken for padding -> "Is it taken for padding"
- mask = same.tril()
+ mask = same.tril() & (document > 0)[:, None]

# %% wrong: borders counted -> "Document 5 comes back"
- same = document[:, :, None] == document[:, None, :]
+ starts = F.pad(document.diff(dim=1) != 0, (1, 0)).cumsum(1)
+ same = starts[:, :, None] == starts[:, None, :]

# %% wrong: neighbours only -> "Document 5 comes back"
- same = document[:, :, None] == document[:, None, :]
+ near = torch.arange(document.shape[1])
+ near = (near - near[:, None]).abs() < 3
+ same = (document[:, :, None] == document[:, None, :]) & near

# %% wrong: numbers that must rise -> "of another document"
- same = document[:, :, None] == document[:, None, :]
+ same = document[:, :, None] <= document[:, None, :]

# %% wrong: smaller numbers too -> "Compare the documents by =="
- same = document[:, :, None] == document[:, None, :]
+ same = document[:, :, None] >= document[:, None, :]

# %% wrong: the first row for all -> "first row's mask"
- return mask[:, None]
+ return mask[:1, None].expand(len(document), 1, -1, -1)

# %% wrong: no axis for the heads -> "2 lines up with the heads"
- return mask[:, None]
+ return mask

# %% wrong: the axis in front of the batch -> "The batch is the first axis"
- return mask[:, None]
+ return mask[None]

# %% wrong: the batch is lost -> "Is the batch gone"
- return mask[:, None]
+ return mask[0]

# %% wrong: a row for all queries -> "Is there a row for each query"
- return mask[:, None]
+ return mask[:, None, -1:]

# %% wrong: floats -> "A mask is a table of yes and no"
- return mask[:, None]
+ return mask[:, None].float()

# %% wrong: the batch mixed with the row -> "Do the numbers meet as a column"
- same = document[:, :, None] == document[:, None, :]
+ same = document == document.T

# %% wrong: no return -> "Is there a `return`?"
- return mask[:, None]
+ mask = mask[:, None]

# %% wrong: document changed in place -> "changed one of its arguments in place"
- same = document[:, :, None] == document[:, None, :]
+ document += 1
+ same = document[:, :, None] == document[:, None, :]

# %% wrong: a batch of two -> "Is the size of the batch or of a row fixed"
- same = document[:, :, None] == document[:, None, :]
+ same = document.view(2, -1, 1) == document.view(2, 1, -1)

# %% wrong: a batch of two, repeated -> "Is the size of the batch or of a row fixed"
- same = document[:, :, None] == document[:, None, :]
+ rows = [document[n][:, None] == document[n] for n in range(2)]
+ same = torch.stack(rows)

# %% wrong: another name -> "Is its argument called document"
def packed_mask(ids):
    return (ids[:, None, :, None] == ids[:, None, None, :]).tril()

# %% wrong: a batch of one is squeezed away -> "an axis of size 1 squeezed away"
- mask = same.tril()
+ mask = same.tril().squeeze()
# %% wrong: documents below 0 taken for padding -> "Is −1 taken for padding?"
- mask = same.tril()
+ mask = same.tril() & (document >= 0)[:, None]
# %% wrong: one-hot documents, which must be 0 or more -> "may be any whole number, −1 too"
- same = document[:, :, None] == document[:, None, :]
+ hot = F.one_hot(document).float()
+ same = hot @ hot.mT > 0
# %% wrong: the sign of the number is lost -> "Are they compared by ==?"
- same = document[:, :, None] == document[:, None, :]
+ same = document[:, :, None] ** 2 == document[:, None, :] ** 2
# %% wrong: numbers that are neighbours count as equal -> "Are they compared by ==?"
- same = document[:, :, None] == document[:, None, :]
+ same = (document[:, :, None] - document[:, None, :]).abs() < 2
# %% wrong: two masks joined by `and` -> "ask for a single yes or no"
- mask = same.tril()  # itself and earlier words
+ mask = same and torch.ones_like(same).tril()
# %% wrong: the causal mask of our six words -> "Is the length of our sentence, six, written into it?"
- mask = same.tril()
+ mask = same & torch.ones(6, 6, dtype=torch.bool).tril()
# %% wrong: the batch as one row -> "Are the rows of the batch joined into one?"
def packed_mask(document):
    together = document.flatten()
    return (together[:, None] == together).tril()[None, None]
