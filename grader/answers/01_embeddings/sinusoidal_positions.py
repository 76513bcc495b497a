# %% right: exp of logarithms, slices assigned
import math


def sinusoidal_positions(seq_len, d_model):
    if d_model % 2 != 0:
        raise ValueError(f"Cannot make pairs of {d_model} columns")
    out = torch.zeros(seq_len, d_model)
    place = torch.arange(0, seq_len, dtype=torch.float).unsqueeze(1)
    speed = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
    out[:, 0::2] = torch.sin(place * speed)
    out[:, 1::2] = torch.cos(place * speed)
    return out
# %% right: two loops
import math


def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError("odd d_model", d_model)
    rows = []
    for pos in range(seq_len):
        row = []
        for i in range(d_model // 2):
            angle = pos / 10000 ** (2 * i / d_model)
            row += [math.sin(angle), math.cos(angle)]
        rows.append(row)
    return torch.tensor(rows)
# %% right: one unit complex number a hand
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model {d_model} is odd")
    speed = torch.logspace(0, -4, d_model // 2 + 1, dtype=torch.float64)[:-1]
    angle = torch.outer(torch.arange(seq_len, dtype=torch.float64), speed)
    hands = torch.polar(torch.ones_like(angle), angle)
    return torch.view_as_real(hands).flip(-1).reshape(seq_len, d_model).float()
# %% right: a cosine is a sine, a quarter turn on
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model = {d_model}")
    column = torch.arange(d_model)
    angle = torch.arange(seq_len)[:, None] / torch.pow(10000.0, (column - column % 2) / d_model)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())
# %% right: a mesh of places and hands
def sinusoidal_positions(seq_len, d_model):
    if d_model & 1:
        raise ValueError(f"d_model={d_model!r} is odd")
    pos, i = torch.meshgrid(torch.arange(float(seq_len)), torch.arange(float(d_model // 2)), indexing="ij")
    angle = pos / torch.pow(torch.tensor(10000.0), 2 * i / d_model)
    out = torch.empty(seq_len, d_model)
    out[:, ::2] = angle.sin()
    out[:, 1::2] = angle.cos()
    return out
# %% right: turned step by step
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2 != 0:
        raise ValueError(f"{d_model}")
    step = torch.polar(torch.ones(d_model // 2, dtype=torch.float64), 10000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model))
    hands, hand = [], torch.ones_like(step)
    for _ in range(seq_len):
        hands.append(torch.stack([hand.imag, hand.real], -1).flatten())
        hand = hand * step
    return torch.stack(hands).float()
# %% right: columns in a loop
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model {d_model}")
    pos, columns = torch.arange(seq_len), []
    for i in range(d_model // 2):
        columns += [torch.sin(pos / 10000 ** (2 * i / d_model)), torch.cos(pos / 10000 ** (2 * i / d_model))]
    return torch.stack(columns, dim=1)
# %% wrong: no return -> "`return`"
- return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
+ out = torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
# %% wrong: sine and cosine change places -> "Are sine and cosine swapped?"
- return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
+ return torch.stack([angle.cos(), angle.sin()], dim=-1).flatten(1)
# %% wrong: sines first, then cosines -> "alternate"
- return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
+ return torch.cat([angle.sin(), angle.cos()], dim=-1)
# %% wrong: stacked on the wrong axis -> "alternate"
- return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
+ return torch.stack([angle.sin(), angle.cos()], dim=1).flatten(1)
# %% wrong: sines only -> "a cosine"
- return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
+ return angle.sin().repeat_interleave(2, dim=1)
# %% wrong: half of the columns -> "Does each hand have a sine column and a cosine column?"
- return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
+ return angle.sin()
# %% wrong: a hand per column -> "d_model / 2 of them"
- speed = 10000 ** (-torch.arange(0, d_model, 2) / d_model)
+ speed = 10000 ** (-torch.arange(d_model) / d_model)
# %% wrong: every column its own exponent -> "the same angle"
- speed = 10000 ** (-torch.arange(0, d_model, 2) / d_model)
+ speed = 10000 ** (-torch.arange(d_model) / d_model)

- return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
+ return torch.stack([angle[:, 0::2].sin(), angle[:, 1::2].cos()], dim=-1).flatten(1)
# %% wrong: the cosine has the next exponent -> "the same angle"
- return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
+ later = angle * 10000 ** (-1 / d_model)
+ return torch.stack([angle.sin(), later.cos()], dim=-1).flatten(1)
# %% wrong: 2i doubled once more -> "there twice"
- speed = 10000 ** (-torch.arange(0, d_model, 2) / d_model)
+ speed = 10000 ** (-2 * torch.arange(0, d_model, 2) / d_model)
# %% wrong: i instead of 2i -> "instead of 2i / d_model"
- speed = 10000 ** (-torch.arange(0, d_model, 2) / d_model)
+ speed = 10000 ** (-torch.arange(d_model // 2) / d_model)
# %% wrong: base 1000 -> "as if the base were 1,000"
- speed = 10000 ** (-torch.arange(0, d_model, 2) / d_model)
+ speed = 1000 ** (-torch.arange(0, d_model, 2) / d_model)
# %% wrong: logarithm to base 10 -> "logarithm to base 10"
- speed = 10000 ** (-torch.arange(0, d_model, 2) / d_model)
+ import math
+ speed = torch.exp(-torch.arange(0, d_model, 2) * math.log10(10000) / d_model)
# %% wrong: multiplied by the power -> "Is the position multiplied by the power, instead of divided?"
- speed = 10000 ** (-torch.arange(0, d_model, 2) / d_model)
+ speed = 10000 ** (torch.arange(0, d_model, 2) / d_model)
# %% wrong: exponent over d_model - 2 -> "Is 2i divided by d_model - 2 instead of d_model?"
- speed = 10000 ** (-torch.arange(0, d_model, 2) / d_model)
+ speed = 10000 ** (-torch.arange(0, d_model, 2) / max(d_model - 2, 1))
# %% wrong: whole-number division in the exponent -> "from hand to hand"
- speed = 10000 ** (-torch.arange(0, d_model, 2) / d_model)
+ speed = 10000 ** -(torch.arange(0, d_model, 2) // d_model).float()
# %% wrong: parentheses forgotten -> "in parentheses"
- speed = 10000 ** (-torch.arange(0, d_model, 2) / d_model)
+ speed = 10000.0 ** -torch.arange(0, d_model, 2) / d_model
# %% wrong: product instead of power -> "Is something divided by 0"
- speed = 10000 ** (-torch.arange(0, d_model, 2) / d_model)
+ speed = 1 / (10000 * torch.arange(0, d_model, 2) / d_model)
# %% wrong: hands counted from 1 -> "10000^0 = 1"
- speed = 10000 ** (-torch.arange(0, d_model, 2) / d_model)
+ speed = 10000 ** (-torch.arange(2, d_model + 2, 2) / d_model)
# %% wrong: speeds fall in a straight line -> "Is the speed 1 / 10000^(2i / d_model)?"
- speed = 10000 ** (-torch.arange(0, d_model, 2) / d_model)
+ speed = 1 - torch.arange(0, d_model, 2) / d_model
# %% wrong: place divided by the length -> "divided by seq_len"
- angle = torch.arange(seq_len)[:, None] * speed
+ angle = torch.arange(seq_len)[:, None] / seq_len * speed
# %% wrong: counted from 1 -> "counting start at 1"
- angle = torch.arange(seq_len)[:, None] * speed
+ angle = torch.arange(1, seq_len + 1)[:, None] * speed
# %% wrong: hands that turn backwards -> "a minus too many"
- angle = torch.arange(seq_len)[:, None] * speed
+ angle = -torch.arange(seq_len)[:, None] * speed
# %% wrong: degrees -> "degrees"
- angle = torch.arange(seq_len)[:, None] * speed
+ angle = (torch.arange(seq_len)[:, None] * speed).deg2rad()
# %% wrong: the place does not reach the angle -> "the angle grow with the position, not by whole turns?"
- angle = torch.arange(seq_len)[:, None] * speed
+ angle = torch.zeros(seq_len, 1) * speed
# %% wrong: every second place repeated -> "same angle at each step"
- angle = torch.arange(seq_len)[:, None] * speed
+ angle = (torch.arange(seq_len) % 10)[:, None] * speed
# %% wrong: one row too few -> "Are the positions 0, 1, …, 19"
- angle = torch.arange(seq_len)[:, None] * speed
+ angle = torch.arange(seq_len - 1)[:, None] * speed
# %% wrong: always twenty positions of width 12 -> "Do all sizes come from seq_len and d_model"
- speed = 10000 ** (-torch.arange(0, d_model, 2) / d_model)
+ seq_len, d_model = 20, 12
+ speed = 10000 ** (-torch.arange(0, d_model, 2) / d_model)
# %% wrong: a batch axis -> "axis too many"
- return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
+ return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1).unsqueeze(0)
# %% wrong: pairs not flattened -> "axis too many"
- return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
+ return torch.stack([angle.sin(), angle.cos()], dim=-1)
# %% wrong: rows and columns change places -> "Are rows and columns swapped?"
- return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
+ return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1).T
# %% wrong: float64 -> "torch.float64"
- angle = torch.arange(seq_len)[:, None] * speed
+ angle = torch.arange(seq_len).double()[:, None] * speed
# %% wrong: a list of lists -> "Return the positions alone, as a tensor"
- return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
+ return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1).tolist()
# %% wrong: NaN -> "Is something divided by 0"
- return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
+ return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1) / 0 * 0
# %% wrong: every second row filled -> "fill every second column"
- return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
+ out = torch.zeros(seq_len, d_model)
+ out[0::2], out[1::2] = angle.sin(), angle.cos()
+ return out
# %% wrong: cosines written over by sines -> "every column filled"
- return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
+ out = torch.zeros(seq_len, d_model)
+ for i in range(d_model // 2):
+     out[:, i], out[:, i + 1] = angle[:, i].sin(), angle[:, i].cos()
+ return out
# %% wrong: an odd width is rounded down -> "d_model tested first, and the error raised, not returned?"
- if d_model % 2:
- raise ValueError(f"d_model must be even, got {d_model}")
- speed = 10000 ** (-torch.arange(0, d_model, 2) / d_model)
+ speed = 10000 ** (-torch.arange(0, d_model - 1, 2) / d_model)
# %% wrong: an odd width fails by itself -> "d_model tested first, and the error raised, not returned?"
- if d_model % 2:
- raise ValueError(f"d_model must be even, got {d_model}")

- return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
+ out = torch.zeros(seq_len, d_model)
+ out[:, 0::2], out[:, 1::2] = angle.sin(), angle.cos()
+ return out
# %% wrong: an assertion instead of a ValueError -> "got AssertionError"
- if d_model % 2:
- raise ValueError(f"d_model must be even, got {d_model}")
+ assert d_model % 2 == 0, f"d_model must be even, got {d_model}"
# %% wrong: the error does not name the width -> "Its message should also name 7"
- raise ValueError(f"d_model must be even, got {d_model}")
+ raise ValueError("d_model must be even")
# %% wrong: the error returned -> "d_model tested first, and the error raised, not returned?"
- raise ValueError(f"d_model must be even, got {d_model}")
+ return ValueError(f"d_model must be even, got {d_model}")
# %% wrong: even widths refused -> "even d_model accepted"
- if d_model % 2:
+ if d_model % 2 == 0:
# %% wrong: arguments in the other order -> "Are rows and columns swapped?"
- def sinusoidal_positions(seq_len, d_model):
+ def sinusoidal_positions(d_model, seq_len):
# %% wrong: arguments under other names -> "called seq_len and d_model"
- def sinusoidal_positions(seq_len, d_model):
+ def sinusoidal_positions(n, d):
+     seq_len, d_model = n, d
# %% wrong: only widths that 4 divides -> "is every even d_model accepted"
- if d_model % 2:
+ if d_model % 4:
# %% wrong: axes of size 1 squeezed away -> "seq_len = 1, d_model = 2"
- return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
+ return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1).squeeze()
# %% right: in NumPy, column by column, as in TensorFlow's tutorial
import numpy as np
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model = {d_model} is odd")
    columns = np.arange(d_model)[np.newaxis, :]
    angles = np.arange(seq_len)[:, np.newaxis] * (1 / np.power(10000, (2 * (columns // 2)) / np.float32(d_model)))
    angles[:, 0::2] = np.sin(angles[:, 0::2])
    angles[:, 1::2] = np.cos(angles[:, 1::2])
    return torch.tensor(angles, dtype=torch.float32)
# %% wrong: the position raised to the power, too -> "and not the position"
- angle = torch.arange(seq_len)[:, None] * speed                     # (seq_len, d_model / 2)
+ angle = (torch.arange(seq_len)[:, None] / 10000) ** (torch.arange(0, d_model, 2) / d_model)
# %% wrong: the sine divided, not the angle -> "Is the angle divided first"
- angle = torch.arange(seq_len)[:, None] * speed                     # (seq_len, d_model / 2)
- return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)  # (seq_len, d_model)
+ pos = torch.arange(seq_len)[:, None]
+ return torch.stack([pos.sin() * speed, pos.cos() * speed], dim=-1).flatten(1)
# %% wrong: the sine of the math module -> "torch.sin takes a tensor"
- return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)  # (seq_len, d_model)
+ import math
+ return torch.stack([math.sin(angle), math.cos(angle)], dim=-1).flatten(1)
# %% wrong: positions from 0 to 1 -> "divided by seq_len - 1"
- angle = torch.arange(seq_len)[:, None] * speed                     # (seq_len, d_model / 2)
+ angle = torch.linspace(0, 1, seq_len)[:, None] * speed
# %% wrong: the slowest hand first -> "Do the hands stand in reverse order?"
- speed = 10000 ** (-torch.arange(0, d_model, 2) / d_model)          # (d_model / 2,)
+ speed = 10000 ** (-torch.arange(0, d_model, 2).flip(0) / d_model)
# %% wrong: in half precision -> "They are right to three digits or so"
- return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)  # (seq_len, d_model)
+ return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1).half().float()
# %% wrong: whole turns -> "not by whole turns"
- angle = torch.arange(seq_len)[:, None] * speed                     # (seq_len, d_model / 2)
+ angle = 2 * torch.pi * torch.arange(seq_len)[:, None] * speed
# %% wrong: the cosine as the root of 1 - sin² -> "turn by the same angle at each step"
- return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)  # (seq_len, d_model)
+ return torch.stack([angle.sin(), (1 - angle.sin() ** 2).sqrt()], dim=-1).flatten(1)
# %% wrong: positions on a GPU that may not be there -> "GPU"
- angle = torch.arange(seq_len)[:, None] * speed                     # (seq_len, d_model / 2)
+ angle = torch.arange(seq_len).cuda()[:, None] * speed.cuda()
# %% right: complex numbers on the unit circle
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    speed = 10000 ** (-torch.arange(0, d_model, 2).double() / d_model)
    angle = torch.outer(torch.arange(seq_len).double(), speed)
    tip = torch.polar(torch.ones_like(angle), angle)
    return torch.stack([tip.imag, tip.real], -1).flatten(1).float()
# %% right: cosines as sines, a quarter of a turn ahead
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    column = torch.arange(d_model)
    angle = torch.arange(seq_len).double()[:, None] / 10000 ** ((column - column % 2) / d_model)
    return torch.sin(angle + column % 2 * torch.pi / 2).float()
# %% right: each row turned on from the one before
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    turn = 10000 ** (-torch.arange(0, d_model, 2).double() / d_model)
    sine, cosine, rows = torch.zeros_like(turn), torch.ones_like(turn), []
    for _ in range(seq_len):
        rows.append(torch.stack([sine, cosine], 1).flatten())
        sine, cosine = sine * turn.cos() + cosine * turn.sin(), cosine * turn.cos() - sine * turn.sin()
    return torch.stack(rows).float()
# %% wrong: no parentheses around the exponent, so a division by 0 -> "whole exponent in parentheses?"
def sinusoidal_positions(seq_len, d_model):
    i = torch.arange(d_model // 2)
    angle = torch.arange(seq_len)[:, None] / (10000 ** 2 * i / d_model)
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)
# %% wrong: cosines written over the sines -> "Are the odd columns, `1::2`, empty?"
def sinusoidal_positions(seq_len, d_model):
    angle = torch.arange(seq_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    table = torch.zeros(seq_len, d_model)
    table[:, 0::2] = angle.sin()
    table[:, 0::2] = angle.cos()
    return table
# %% wrong: 16 where d_model belongs -> "or 16 instead of d_model?"
def sinusoidal_positions(seq_len, d_model):
    angle = torch.arange(seq_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / 16)
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)
# %% wrong: each row brought to length 1 -> "multiplied or divided after sine and cosine"
def sinusoidal_positions(seq_len, d_model):
    angle = torch.arange(seq_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return F.normalize(torch.stack([angle.sin(), angle.cos()], -1).flatten(1), dim=-1)
# %% right: one wave, shifted by a quarter turn in the odd columns
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    column = torch.arange(d_model, dtype=torch.float64)
    odd = column % 2
    angle = torch.arange(seq_len)[:, None] / 10000 ** ((column - odd) / d_model)
    return torch.sin(angle + odd * torch.pi / 2).float()
# %% wrong: exp without the logarithm -> "Is log(10000) left out"
def sinusoidal_positions(seq_len, d_model):
    angle = torch.arange(seq_len)[:, None] * torch.exp(-torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)
# %% wrong: stacked on the first axis, then reshaped -> "Do sines fill whole rows?"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    pos = torch.arange(seq_len).float()[:, None]
    i = torch.arange(d_model // 2).float()
    angle = pos / 10000 ** (2 * i / d_model)
    table = torch.zeros(seq_len, d_model)
    table[:, 0::2] = angle.sin()
    table[:, 1::2] = angle.cos()
    return torch.stack([angle.sin(), angle.cos()]).reshape(seq_len, d_model)
# %% wrong: a table kept for each width, as long as the first call wanted -> "kept from an earlier call"
kept = {}


def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    if d_model not in kept:
        angle = torch.arange(seq_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
        kept[d_model] = torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
    return kept[d_model][:seq_len]
# %% wrong: torch's sine of a plain number -> "takes a tensor. One of `math`"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    out = torch.zeros(seq_len, d_model)
    for pos in range(seq_len):
        for i in range(d_model // 2):
            angle = pos / 10000 ** (2 * i / d_model)
            out[pos, 2 * i], out[pos, 2 * i + 1] = torch.sin(angle), torch.cos(angle)
    return out
# %% wrong: i counts by twos, and is doubled once more -> "Does i count by ones, or by twos?"
import math


def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    out = torch.zeros(seq_len, d_model)
    for pos in range(seq_len):
        for i in range(0, d_model, 2):
            angle = pos / 10000 ** (2 * i / d_model)
            out[pos, 2 * i], out[pos, 2 * i + 1] = math.sin(angle), math.cos(angle)
    return out
# %% wrong: a loop that ends one row too early -> "Position 19, the last row, is all 0"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    table = torch.zeros(seq_len, d_model)
    for pos in range(seq_len - 1):
        for i in range(d_model // 2):
            table[pos, 2 * i] = math.sin(pos / 10000 ** (2 * i / d_model))
            table[pos, 2 * i + 1] = math.cos(pos / 10000 ** (2 * i / d_model))
    return table
# %% wrong: position 0 is kept for padding -> "Only position 0 is wrong"
- return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
+ table = torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
+ table[0] = 0
+ return table
# %% wrong: the cosine of the sine -> "Take the cosine of the angle"
- return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
+ table = angle.repeat_interleave(2, dim=1)
+ table[:, 0::2] = table[:, 0::2].sin()
+ table[:, 1::2] = table[:, 0::2].cos()
+ return table
# %% wrong: the power is a product -> "Is 10000 a factor"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    angle = torch.arange(seq_len)[:, None] / (10000 * torch.arange(2, d_model + 2, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)
# %% wrong: times 10000 to the positive exponent -> "Is the position multiplied by the power"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    angle = torch.arange(seq_len)[:, None] * 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)
