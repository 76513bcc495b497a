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
# %% wrong: no return -> "`return`"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    angle = torch.arange(seq_len)[:, None] * 10000 ** (-torch.arange(0, d_model, 2) / d_model)
    out = torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
# %% wrong: sine and cosine change places -> "sine and cosine change places"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    angle = torch.arange(seq_len)[:, None] * 10000 ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.cos(), angle.sin()], dim=-1).flatten(1)
# %% wrong: sines first, then cosines -> "alternate"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    angle = torch.arange(seq_len)[:, None] * 10000 ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.cat([angle.sin(), angle.cos()], dim=-1)
# %% wrong: stacked on the wrong axis -> "alternate"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    angle = torch.arange(seq_len)[:, None] * 10000 ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=1).flatten(1)
# %% wrong: sines only -> "a cosine"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    column = torch.arange(d_model)
    return (torch.arange(seq_len)[:, None] / 10000 ** ((column - column % 2) / d_model)).sin()
# %% wrong: half of the columns -> "a sine and a cosine column"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    return (torch.arange(seq_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)).sin()
# %% wrong: a hand per column -> "d_model / 2 of them"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    angle = torch.arange(seq_len)[:, None] / 10000 ** (torch.arange(d_model) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
# %% wrong: every column its own exponent -> "the same angle"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    angle = torch.arange(seq_len)[:, None] / 10000 ** (torch.arange(d_model) / d_model)
    angle[:, 0::2], angle[:, 1::2] = angle[:, 0::2].sin(), angle[:, 1::2].cos()
    return angle
# %% wrong: every column twice its own exponent -> "the same angle"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    column = torch.arange(d_model)
    angle = torch.arange(seq_len)[:, None] / 10000 ** (2 * column / d_model)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())
# %% wrong: 2i doubled once more -> "there twice"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    out = torch.zeros(seq_len, d_model)
    for pos in range(seq_len):
        for i in range(0, d_model, 2):
            angle = torch.tensor(pos / 10000 ** (2 * i / d_model))
            out[pos, i], out[pos, i + 1] = angle.sin(), angle.cos()
    return out
# %% wrong: i instead of 2i -> "instead of 2i / d_model"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    angle = torch.arange(seq_len)[:, None] / 10000 ** (torch.arange(d_model // 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
# %% wrong: base 1000 -> "as if the base were 1,000"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    angle = torch.arange(seq_len)[:, None] / 1000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
# %% wrong: logarithm to base 10 -> "logarithm to base 10"
import math


def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    angle = torch.arange(seq_len)[:, None] * torch.exp(-torch.arange(0, d_model, 2) * math.log10(10000) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
# %% wrong: multiplied by the power -> "instead of multiplied"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    angle = torch.arange(seq_len)[:, None] * 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
# %% wrong: exponent over d_model - 2 -> "instead of d_model - 2"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    angle = torch.arange(seq_len)[:, None] / 10000 ** (torch.arange(d_model // 2) / max(d_model // 2 - 1, 1))
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
# %% wrong: whole-number division in the exponent -> "from hand to hand"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    angle = torch.arange(seq_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) // d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
# %% wrong: parentheses forgotten -> "in parentheses"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    angle = torch.arange(seq_len)[:, None] * 10000.0 ** -torch.arange(0, d_model, 2) / d_model
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
# %% wrong: product instead of power -> "divided by i = 0"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    angle = torch.arange(seq_len)[:, None] / (10000 * torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
# %% wrong: place divided by the length -> "divided by seq_len"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    angle = torch.arange(seq_len)[:, None] / seq_len * 10000 ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
# %% wrong: counted from 1 -> "counting start at 1"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    angle = torch.arange(1, seq_len + 1)[:, None] * 10000 ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
# %% wrong: degrees -> "degrees"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    angle = (torch.arange(seq_len)[:, None] * 10000 ** (-torch.arange(0, d_model, 2) / d_model)).deg2rad()
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
# %% wrong: a batch axis -> "axis too many"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    angle = torch.arange(seq_len)[:, None] * 10000 ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1).unsqueeze(0)
# %% wrong: pairs not flattened -> "axis too many"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    angle = torch.arange(seq_len)[:, None] * 10000 ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1)
# %% wrong: rows and columns change places -> "rows and columns change places"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    angle = torch.arange(seq_len)[:, None] * 10000 ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1).T
# %% wrong: float64 -> "torch.float64"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    angle = torch.arange(seq_len).double()[:, None] * 10000 ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
# %% wrong: an odd width is rounded down -> "odd d_model refused"
def sinusoidal_positions(seq_len, d_model):
    angle = torch.arange(seq_len)[:, None] * 10000 ** (-torch.arange(0, d_model - 1, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
# %% wrong: an odd width fails by itself -> "asked about first"
def sinusoidal_positions(seq_len, d_model):
    out = torch.zeros(seq_len, d_model)
    angle = torch.arange(seq_len)[:, None] * 10000 ** (-torch.arange(0, d_model, 2) / d_model)
    out[:, 0::2], out[:, 1::2] = angle.sin(), angle.cos()
    return out
# %% wrong: an assertion instead of a ValueError -> "got AssertionError"
def sinusoidal_positions(seq_len, d_model):
    assert d_model % 2 == 0, f"d_model must be even, got {d_model}"
    angle = torch.arange(seq_len)[:, None] * 10000 ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
# %% wrong: the error does not name the width -> "says which d_model came"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError("d_model must be even")
    angle = torch.arange(seq_len)[:, None] * 10000 ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
# %% wrong: the place does not reach the angle -> "grow with the place"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    out = torch.zeros(seq_len, d_model)
    out[:, 1::2] = 1
    return out
# %% wrong: speeds fall in a straight line -> "Is it 10000^(2i / d_model)?"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    angle = torch.arange(seq_len)[:, None] * (1 - torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
# %% wrong: every second place repeated -> "same angle at each step"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    place = torch.arange(seq_len) % 10
    angle = place[:, None] * 10000 ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
# %% wrong: whole turns -> "whole turns"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    angle = 2 * torch.pi * torch.arange(seq_len)[:, None] * 10000 ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
# %% wrong: a list of lists -> "become a tensor"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    angle = torch.arange(seq_len)[:, None] * 10000 ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1).tolist()
# %% wrong: one row too few -> "Which of the arguments is which"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    angle = torch.arange(seq_len - 1)[:, None] * 10000 ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
# %% wrong: NaN -> "divided by i = 0"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    return torch.full((seq_len, d_model), float("nan"))
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
# %% wrong: parentheses forgotten in a loop -> "in parentheses"
import math


def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model {d_model}")
    return torch.tensor([[f(pos / 10000 ** 2 * i / d_model) for i in range(d_model // 2) for f in (math.sin, math.cos)] for pos in range(seq_len)])
# %% wrong: product instead of power, in a loop -> "divided by i = 0"
import math


def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model {d_model}")
    return torch.tensor([[f(pos / (10000 ** 2 * i / d_model)) for i in range(d_model // 2) for f in (math.sin, math.cos)] for pos in range(seq_len)])
# %% wrong: hands that turn backwards -> "a minus too many"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model {d_model}")
    angle = -torch.arange(seq_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)
# %% wrong: the error returned -> "to be raised"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        return ValueError(f"d_model {d_model}")
    angle = torch.arange(seq_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)
# %% wrong: even widths refused -> "even d_model accepted"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2 == 0:
        raise ValueError(f"d_model {d_model}")
    angle = torch.arange(seq_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)
# %% wrong: arguments in the other order -> "rows and columns change places"
def sinusoidal_positions(d_model, seq_len):
    if d_model % 2:
        raise ValueError(f"d_model {d_model}")
    angle = torch.arange(seq_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)
# %% wrong: every second row filled -> "fill every second column"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model {d_model}")
    angle = torch.arange(seq_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    out = torch.zeros(seq_len, d_model)
    out[0::2], out[1::2] = angle.sin(), angle.cos()
    return out
# %% wrong: cosines written over by sines -> "every column filled"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model {d_model}")
    out = torch.zeros(seq_len, d_model)
    for i in range(d_model // 2):
        angle = torch.arange(seq_len) / 10000 ** (2 * i / d_model)
        out[:, i], out[:, i + 1] = angle.sin(), angle.cos()
    return out
# %% wrong: the cosine has the next exponent -> "the same angle"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model {d_model}")
    out = torch.zeros(seq_len, d_model)
    for i in range(0, d_model, 2):
        out[:, i] = torch.sin(torch.arange(seq_len) / 10000 ** ((2 * i) / d_model))
        out[:, i + 1] = torch.cos(torch.arange(seq_len) / 10000 ** ((2 * (i + 1)) / d_model))
    return out
# %% wrong: hands counted from 1 -> "10000^0 = 1"
def sinusoidal_positions(seq_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model {d_model}")
    angle = torch.arange(seq_len)[:, None] / 10000 ** (torch.arange(2, d_model + 2, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)
