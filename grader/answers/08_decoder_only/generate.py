# %% right: a buffer that is filled
def generate(model, ids, n, max_len, choose):
    model.eval()
    batch, seq = ids.shape
    text = torch.cat([ids, ids.new_zeros(batch, n)], dim=1)
    with torch.no_grad():
        for end in range(seq, seq + n):
            logits = model(text[:, max(0, end - max_len) : end])
            text[:, end] = choose(logits[:, -1, :])
    return text
# %% right: recursion
@torch.no_grad()
def generate(model, ids, n, max_len, choose):
    if n == 0:
        return ids
    model.eval()
    new = choose(model(ids[:, -max_len:])[:, -1])
    return generate(model, torch.cat([ids, new.unsqueeze(1)], dim=1), n - 1, max_len, choose)
# %% right: the mode put back afterwards
- model.eval()
- with torch.no_grad():
+ before = model.training
+ model.eval()
+ with torch.no_grad():

- return ids
+ model.train(before)
+ return ids
# %% right: columns in a list, inference mode
- with torch.no_grad():
-     for _ in range(n):
-         logits = model(ids[:, -max_len:])[:, -1]
-         ids = torch.cat([ids, choose(logits)[:, None]], dim=1)
- return ids
+ columns = list(ids.unbind(1))
+ with torch.inference_mode():
+     for _ in range(n):
+         logits = model(torch.stack(columns[-max_len:], dim=1))
+         columns.append(choose(logits.select(1, -1)))
+ return torch.stack(columns, dim=1).clone()
# %% wrong: no eval mode -> "The model ran in training mode"
- model.eval()
# %% wrong: training mode -> "The model ran in training mode"
- model.eval()
+ model.train()
# %% wrong: with gradients -> "The model ran with gradients"
- with torch.no_grad():
-     for _ in range(n):
-         logits = model(ids[:, -max_len:])[:, -1]
-         ids = torch.cat([ids, choose(logits)[:, None]], dim=1)
+ for _ in range(n):
+     logits = model(ids[:, -max_len:])[:, -1]
+     ids = torch.cat([ids, choose(logits)[:, None]], dim=1)
# %% wrong: detached, but with gradients -> "The model ran with gradients"
- with torch.no_grad():
-     for _ in range(n):
-         logits = model(ids[:, -max_len:])[:, -1]
-         ids = torch.cat([ids, choose(logits)[:, None]], dim=1)
+ for _ in range(n):
+     logits = model(ids[:, -max_len:])[:, -1].detach()
+     ids = torch.cat([ids, choose(logits)[:, None]], dim=1)
# %% wrong: all ids go in -> "Are the ids cut to the last max_len?"
- logits = model(ids[:, -max_len:])[:, -1]
+ logits = model(ids)[:, -1]
# %% wrong: the first max_len ids go in -> "Are they the last max_len ids"
- logits = model(ids[:, -max_len:])[:, -1]
+ logits = model(ids[:, :max_len])[:, -1]
# %% wrong: the last id alone goes in -> "not the last id alone"
- logits = model(ids[:, -max_len:])[:, -1]
+ logits = model(ids[:, -1:])[:, -1]
# %% wrong: one id too few goes in -> "max_len ids are still allowed"
- logits = model(ids[:, -max_len:])[:, -1]
+ logits = model(ids[:, -(max_len - 1) :] if max_len > 1 else ids[:, -1:])[:, -1]
# %% wrong: one id too many goes in -> "Are the ids cut to the last max_len?"
- logits = model(ids[:, -max_len:])[:, -1]
+ logits = model(ids[:, -max_len - 1 :])[:, -1]
# %% wrong: the text is cut as well -> "the text keeps all its ids"
- logits = model(ids[:, -max_len:])[:, -1]
+ ids = ids[:, -max_len:]
+ logits = model(ids)[:, -1]
# %% wrong: the guess of the first position -> "Is the guess of the last position taken?"
- logits = model(ids[:, -max_len:])[:, -1]
+ logits = model(ids[:, -max_len:])[:, 0]
# %% wrong: the guess of the last position but one -> "Is the guess of the last position taken?"
- logits = model(ids[:, -max_len:])[:, -1]
+ logits = model(ids[:, -max_len:])[:, -2:][:, 0]
# %% wrong: the model runs once -> "Is the new id given to the model in the next round?"
- for _ in range(n):
-     logits = model(ids[:, -max_len:])[:, -1]
-     ids = torch.cat([ids, choose(logits)[:, None]], dim=1)
+ logits = model(ids[:, -max_len:])[:, -1]
+ for _ in range(n):
+     ids = torch.cat([ids, choose(logits)[:, None]], dim=1)
# %% wrong: the given ids go in each time -> "Is the new id given to the model in the next round?"
- for _ in range(n):
-     logits = model(ids[:, -max_len:])[:, -1]
+ given = ids
+ for _ in range(n):
+     logits = model(given[:, -max_len:])[:, -1]
# %% wrong: all positions are handed to choose -> "choose"
- logits = model(ids[:, -max_len:])[:, -1]
- ids = torch.cat([ids, choose(logits)[:, None]], dim=1)
+ logits = model(ids[:, -max_len:])
+ ids = torch.cat([ids, choose(logits)[:, -1:]], dim=1)
# %% wrong: the axis of positions is kept -> "choose"
- logits = model(ids[:, -max_len:])[:, -1]
- ids = torch.cat([ids, choose(logits)[:, None]], dim=1)
+ logits = model(ids[:, -max_len:])[:, -1:]
+ ids = torch.cat([ids, choose(logits)], dim=1)
# %% wrong: argmax whatever choose says -> "choose was never called"
- ids = torch.cat([ids, choose(logits)[:, None]], dim=1)
+ ids = torch.cat([ids, logits.argmax(-1)[:, None]], dim=1)
# %% wrong: probabilities for choose -> "Is there a softmax or a log_softmax before choose?"
- ids = torch.cat([ids, choose(logits)[:, None]], dim=1)
+ ids = torch.cat([ids, choose(logits.softmax(-1))[:, None]], dim=1)
# %% wrong: logarithms of probabilities for choose -> "Is there a softmax or a log_softmax before choose?"
- ids = torch.cat([ids, choose(logits)[:, None]], dim=1)
+ ids = torch.cat([ids, choose(logits.log_softmax(-1))[:, None]], dim=1)
# %% wrong: the new ids alone -> "Do the ids that were given come first"
- return ids
+ return ids[:, -n:]
# %% wrong: new ids in front -> "New ids go behind them"
- ids = torch.cat([ids, choose(logits)[:, None]], dim=1)
+ ids = torch.cat([choose(logits)[:, None], ids], dim=1)
# %% wrong: the ids that came are returned -> "not the ids that came"
- for _ in range(n):
-     logits = model(ids[:, -max_len:])[:, -1]
-     ids = torch.cat([ids, choose(logits)[:, None]], dim=1)
+ text = ids
+ for _ in range(n):
+     logits = model(text[:, -max_len:])[:, -1]
+     text = torch.cat([text, choose(logits)[:, None]], dim=1)
# %% wrong: one id too many -> "one id too many"
- for _ in range(n):
+ for _ in range(n + 1):
# %% wrong: one id too few -> "one id too few"
- for _ in range(n):
+ for _ in range(1, n):
# %% wrong: as long as n altogether -> "besides those that were given"
- for _ in range(n):
+ while ids.shape[1] < n:
# %% wrong: the first row's choice for all -> "Does each row of the batch go on by itself?"
- ids = torch.cat([ids, choose(logits)[:, None]], dim=1)
+ ids = torch.cat([ids, choose(logits)[:1].expand(len(ids))[:, None]], dim=1)
# %% wrong: floats -> "Expected int64"
- return ids
+ return ids.float()
# %% wrong: a list -> "got list"
- return ids
+ return ids.tolist()
# %% wrong: nothing for n = 0 -> "n=0: expected the ids that came, got NoneType"
- model.eval()
+ if n == 0:
+     return None
+ model.eval()
# %% wrong: nothing returned -> "Is there a `return`?"
- return ids
# %% wrong: written over the given ids -> "changed one of its arguments in place"
-         ids = torch.cat([ids, choose(logits)[:, None]], dim=1)
- return ids
+         new = choose(logits)[:, None]
+         longer = torch.cat([ids, new], dim=1)
+         ids.copy_(longer[:, 1:])
+         ids = longer
+ return ids
# %% wrong: another name for the function -> "called model, ids, n, max_len and choose"
- def generate(model, ids, n, max_len, choose):
+ def generate(model, ids, n, max_len, pick):

- ids = torch.cat([ids, choose(logits)[:, None]], dim=1)
+ ids = torch.cat([ids, pick(logits)[:, None]], dim=1)
# %% wrong: all axes of size 1 dropped -> "A squeeze drops its axis"
- ids = torch.cat([ids, choose(logits)[:, None]], dim=1)
+ ids = torch.cat([ids, choose(logits.squeeze())[:, None]], dim=1)
# %% wrong: the choice along the wrong axis -> "join along dim=1"
- ids = torch.cat([ids, choose(logits)[:, None]], dim=1)
+ ids = torch.cat([ids, choose(logits)[None]], dim=0)
# %% wrong: drawn, whatever choose says -> "choose was never called"
- ids = torch.cat([ids, choose(logits)[:, None]], dim=1)
+ ids = torch.cat([ids, torch.multinomial(logits.softmax(-1), 1)], dim=1)
# %% right: eval mode from a context manager of one's own
from contextlib import contextmanager


@contextmanager
def evaluating(model):
    before = model.training
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        model.train(before)


def generate(model, ids, n, max_len, choose):
    with evaluating(model):
        for _ in range(n):
            logits = model(ids[:, max(0, ids.shape[1] - max_len) :])
            ids = torch.hstack([ids, choose(logits[..., -1, :]).reshape(-1, 1)])
    return ids
# %% wrong: choose asked for one row at a time -> "Is choose called once per round"
- ids = torch.cat([ids, choose(logits)[:, None]], dim=1)
+ new = torch.stack([choose(row[None])[0] for row in logits])
+ ids = torch.cat([ids, new[:, None]], dim=1)
# %% wrong: training mode again inside the loop -> "Is model.train() called inside the loop?"
- ids = torch.cat([ids, choose(logits)[:, None]], dim=1)
+ ids = torch.cat([ids, choose(logits)[:, None]], dim=1)
+ model.train()
# %% wrong: it ends when all rows have written a 0 -> "Does writing stop at an id?"
- ids = torch.cat([ids, choose(logits)[:, None]], dim=1)
+ new = choose(logits)
+ if (new == 0).all():
+     break
+ ids = torch.cat([ids, new[:, None]], dim=1)
# %% wrong: the ids that came are cut once -> "the text keeps all its ids"
- with torch.no_grad():
+ ids = ids[:, -max_len:]
+ with torch.no_grad():
# %% wrong: the place of the last id in the whole text -> "Is its last guess at [:, -1]?"
- logits = model(ids[:, -max_len:])[:, -1]  # (batch, vocab)
+ logits = model(ids[:, -max_len:])[:, ids.shape[1] - 1]
# %% right: a function inside that knows no gradients
- model.eval()
- with torch.no_grad():
-     for _ in range(n):
-         logits = model(ids[:, -max_len:])[:, -1]  # (batch, vocab)
-         ids = torch.cat([ids, choose(logits)[:, None]], dim=1)
- return ids
+ @torch.no_grad()
+ def longer(text):
+     return torch.hstack((text, choose(model(text[:, -max_len:]).select(1, -1)).view(-1, 1)))
+
+ model.train(False)
+ for _ in range(n):
+     ids = longer(ids)
+ return ids
# %% wrong: the window is taken before the loop -> "Is the new id given to the model in the next round?"
- with torch.no_grad():
+ window = ids[:, -max_len:]
+ with torch.no_grad():

- logits = model(ids[:, -max_len:])[:, -1]  # (batch, vocab)
+ logits = model(window)[:, -1]
# %% right: a list of columns
def generate(model, ids, n, max_len, choose):
    model.eval()
    columns = list(ids.unbind(1))
    for _ in range(n):
        with torch.no_grad():
            out = model(torch.stack(columns[-max_len:], dim=1))
            columns.append(choose(out[:, -1]))
    return torch.stack(columns, dim=1)
# %% wrong: max_len new ids -> "These are max_len."
- for _ in range(n):
+ for _ in range(max_len):
# %% wrong: return in the loop -> "does `return` stand behind it?"
- ids = torch.cat([ids, choose(logits)[:, None]], dim=1)
- return ids
+ ids = torch.cat([ids, choose(logits)[:, None]], dim=1)
+ return ids
# %% wrong: the rows cut, not the columns -> "They are the columns, axis 1."
- logits = model(ids[:, -max_len:])[:, -1]
+ logits = model(ids[-max_len:])[:, -1]
# %% wrong: new ids as rows -> "does each round add a column, by dim=1?"
- ids = torch.cat([ids, choose(logits)[:, None]], dim=1)
+ ids = torch.cat([ids, choose(logits)[:, None].expand_as(ids)], dim=0)
# %% wrong: choose is asked twice in a round -> "choose was called 10 times"
- ids = torch.cat([ids, choose(logits)[:, None]], dim=1)
+ if choose(logits).ndim == 1:
+     ids = torch.cat([ids, choose(logits)[:, None]], dim=1)
# %% right: a buffer that is filled (2)
@torch.inference_mode()
def generate(model, ids, n, max_len, choose):
    model.eval()
    batch, seq = ids.shape
    out = ids.new_zeros(batch, seq + n)
    out[:, :seq] = ids
    for end in range(seq, seq + n):
        logits = model(out[:, max(0, end - max_len) : end])
        out[:, end] = choose(logits[:, -1, :])
    return out
# %% wrong of "a buffer that is filled (2)": the zeros behind go in, too -> "Is what has still to be written given, too?"
- logits = model(out[:, max(0, end - max_len) : end])
+ logits = model(out[:, -max_len:])

# %% wrong: ends at max_len -> "and grows on"
- for _ in range(n):
+ for _ in range(min(n, max(0, max_len - ids.shape[1]))):
