# %% right: complex numbers
def apply_rope(x, positions, base=10_000.0):
    if x.shape[-1] % 2:
        raise ValueError(f"odd width {x.shape[-1]}")
    speed = base ** (-torch.arange(0, x.shape[-1], 2, dtype=x.dtype) / x.shape[-1])
    angle = positions.to(x.dtype)[:, None] * speed
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angle), angle)).flatten(-2)

# %% right: x cos + quarter-turned x sin
def apply_rope(x, positions, base=10_000.0):
    d = x.shape[-1]
    if d % 2:
        raise ValueError(f"{d} is odd")
    angle = torch.outer(positions.double(), base ** (-2 * torch.arange(d // 2).double() / d))
    angle = angle.repeat_interleave(2, dim=-1)  # (seq, d)
    quarter = torch.stack([-x[..., 1::2], x[..., ::2]], dim=-1).flatten(-2)
    return x * angle.cos().to(x.dtype) + quarter * angle.sin().to(x.dtype)

# %% right: column by column
def apply_rope(x, positions, base=10_000.0):
    d = x.shape[-1]
    if d % 2 == 1:
        raise ValueError(f"a width of {d}")
    columns = []
    for i in range(0, d, 2):
        angle = positions * base ** (-i / d)
        cos, sin = torch.cos(angle).to(x), torch.sin(angle).to(x)
        columns += [x[..., i] * cos - x[..., i + 1] * sin, x[..., i] * sin + x[..., i + 1] * cos]
    return torch.stack(columns, dim=-1)

# %% right: a matrix for each position
def apply_rope(x, positions, base=10_000.0):
    d = x.shape[-1]
    if d % 2:
        raise ValueError(f"width {d}")
    rows = []
    for place, m in enumerate(positions.tolist()):
        turns = []
        for i in range(d // 2):
            angle = m / base ** (2 * i / d)
            c, s = math.cos(angle), math.sin(angle)
            turns.append(torch.tensor([[c, -s], [s, c]], dtype=x.dtype))
        rows.append(x[..., place, :] @ torch.block_diag(*turns).T)
    return torch.stack(rows, dim=-2)

import math

# %% right: swapped columns and signs
def apply_rope(x, positions, base=10_000.0):
    d = x.shape[-1]
    if d % 2:
        raise ValueError(f"{d}")
    i = torch.arange(d)
    angle = positions.unsqueeze(-1) * torch.tensor(base).pow(-(i - i % 2) / d)
    sign = torch.where(i % 2 == 0, -1.0, 1.0)
    return (x * angle.cos() + x[..., i ^ 1] * sign * angle.sin()).to(x.dtype)

# %% right: the exponential of a logarithm, written into an empty tensor
def apply_rope(x, positions, base=10_000.0):
    d = x.shape[-1]
    if d % 2 != 0:
        raise ValueError(f"d = {d}")
    speed = torch.exp(-torch.arange(0, d, 2) * torch.tensor(float(base)).log() / d)
    angle = positions.float().view(-1, 1) @ speed.view(1, -1)
    out = torch.empty_like(x)
    out[..., 0::2] = x[..., 0::2] * angle.cos() - x[..., 1::2] * angle.sin()
    out[..., 1::2] = x[..., 0::2] * angle.sin() + x[..., 1::2] * angle.cos()
    return out

# %% wrong: in halves -> "Columns i and i + d/2 are turned, in halves"
- a, b = x[..., 0::2], x[..., 1::2]  # (…, seq, d/2)
- return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
+ a, b = x.chunk(2, dim=-1)
+ return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)

# %% wrong: come out as halves -> "they come out as halves"
- return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
+ return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)

# %% wrong: halves come out as neighbours -> "and come out as neighbours"
- a, b = x[..., 0::2], x[..., 1::2]  # (…, seq, d/2)
+ a, b = x.chunk(2, dim=-1)

# %% wrong: the first with the last -> "The first column is turned with the last"
- a, b = x[..., 0::2], x[..., 1::2]  # (…, seq, d/2)
- return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
+ a, b = x[..., : d // 2], x.flip(-1)[..., : d // 2]
+ return torch.cat([a * cos - b * sin, (a * sin + b * cos).flip(-1)], dim=-1)

# %% wrong: only half of the columns -> "A 1 in column 0 alone comes out"
- cos, sin = angle.cos().to(x), angle.sin().to(x)
+ still = torch.arange(d // 2) < (d // 2 + 1) // 2
+ cos, sin = (angle * still).cos().to(x), (angle * still).sin().to(x)

# %% wrong: the last pair stays -> "The last pair is not turned"
- cos, sin = angle.cos().to(x), angle.sin().to(x)
+ if d > 2:
+     angle = angle * (torch.arange(d // 2) < d // 2 - 1)
+ cos, sin = angle.cos().to(x), angle.sin().to(x)

# %% wrong: the other direction -> "They turn the other way"
- return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
+ return torch.stack([a * cos + b * sin, b * cos - a * sin], dim=-1).flatten(-2)

# %% wrong: no minus -> "A minus is missing"
- return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
+ return torch.stack([a * cos + b * sin, a * sin + b * cos], dim=-1).flatten(-2)

# %% wrong: two minuses -> "Both signs are minus"
- return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
+ return torch.stack([a * cos - b * sin, b * cos - a * sin], dim=-1).flatten(-2)

# %% wrong: a sign in the second column -> "A sign is wrong"
- return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
+ return torch.stack([a * cos + b * sin, a * sin - b * cos], dim=-1).flatten(-2)

# %% wrong: cos and sin exchanged -> "cos and sin are swapped"
- cos, sin = angle.cos().to(x), angle.sin().to(x)
+ sin, cos = angle.cos().to(x), angle.sin().to(x)

# %% wrong: the columns of a pair exchanged -> "come out swapped"
- return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
+ return torch.stack([a * sin + b * cos, a * cos - b * sin], dim=-1).flatten(-2)

# %% wrong: counted from 0 -> "Words are counted from 0"
- angle = positions[:, None] * speed  # (seq, d/2)
+ angle = torch.arange(x.shape[-2])[:, None] * speed

# %% wrong: counted from 1 -> "Words are counted from 1"
- angle = positions[:, None] * speed  # (seq, d/2)
+ angle = torch.arange(1, x.shape[-2] + 1)[:, None] * speed

# %% wrong: one step too far -> "They are turned by position + 1"
- angle = positions[:, None] * speed  # (seq, d/2)
+ angle = (positions[:, None] + 1) * speed

# %% wrong: not turned -> "Nothing is turned"
- return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
+ return 1 * x

# %% wrong: all at position 1 -> "They are turned by 1. Is positions used"
- angle = positions[:, None] * speed  # (seq, d/2)
+ angle = torch.ones(len(positions), 1) * speed

# %% wrong: squared positions -> "They are turned by position²"
- angle = positions[:, None] * speed  # (seq, d/2)
+ angle = positions[:, None] ** 2 * speed

# %% wrong: half the angle -> "They are turned by half"
- angle = positions[:, None] * speed  # (seq, d/2)
+ angle = positions[:, None] * speed / 2

# %% wrong: degrees -> "The angle is in degrees"
- cos, sin = angle.cos().to(x), angle.sin().to(x)
+ cos, sin = angle.deg2rad().cos().to(x), angle.deg2rad().sin().to(x)

# %% wrong: added -> "Sines and cosines are added"
- return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
+ return torch.stack([a + sin, b + cos], dim=-1).flatten(-2)

# %% wrong: only multiplied -> "Each column is only multiplied"
- return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
+ return torch.stack([a * cos, b * cos], dim=-1).flatten(-2)

# %% wrong: multiplied by a cosine and a sine -> "In a turn the two mix"
- return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
+ return torch.stack([a * cos, b * sin], dim=-1).flatten(-2)

# %% wrong: overwritten before it is used -> "The first column was overwritten"
- return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
+ a = a * cos - b * sin
+ b = a * sin + b * cos
+ return torch.stack([a, b], dim=-1).flatten(-2)

# %% wrong: the second overwritten -> "The second column was overwritten"
- return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
+ b = a * sin + b * cos
+ a = a * cos - b * sin
+ return torch.stack([a, b], dim=-1).flatten(-2)

# %% wrong: the exponent i/d -> "The exponent is i/d"
- speed = base ** (-torch.arange(0, d, 2) / d)  # (d/2,)
+ speed = base ** (-torch.arange(d // 2) / d)

# %% wrong: the exponent's sign -> "The exponent's sign is wrong"
- speed = base ** (-torch.arange(0, d, 2) / d)  # (d/2,)
+ speed = base ** (torch.arange(0, d, 2) / d)

# %% wrong: one speed -> "All pairs turn at one speed"
- speed = base ** (-torch.arange(0, d, 2) / d)  # (d/2,)
+ speed = torch.ones(d // 2)

# %% wrong: base ignored -> "Is the argument base used?"
- speed = base ** (-torch.arange(0, d, 2) / d)  # (d/2,)
+ speed = 10_000.0 ** (-torch.arange(0, d, 2) / d)

# %% wrong: i begins at 1 -> "At position 3, (1, 0) became"
- speed = base ** (-torch.arange(0, d, 2) / d)  # (d/2,)
+ speed = base ** (-torch.arange(2, d + 1, 2) / d)

# %% wrong: up to the last speed -> "The exponent is 2i/(d − 2)"
- speed = base ** (-torch.arange(0, d, 2) / d)  # (d/2,)
+ speed = base ** (-torch.linspace(0, 1, d // 2))

# %% wrong: slow first -> "The first pair turns slowest"
- speed = base ** (-torch.arange(0, d, 2) / d)  # (d/2,)
+ speed = (base ** (-torch.arange(0, d, 2) / d)).flip(0)

# %% wrong: 4i/d -> "The exponent is 4i/d"
- speed = base ** (-torch.arange(0, d, 2) / d)  # (d/2,)
+ speed = base ** (-2 * torch.arange(0, d, 2) / d)

# %% wrong: each column its own angle -> "Do both columns of a pair use the same angle"
- a, b = x[..., 0::2], x[..., 1::2]  # (…, seq, d/2)
- return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
+ angle = positions[:, None] * base ** (-torch.arange(d) / d)
+ quarter = torch.stack([-x[..., 1::2], x[..., ::2]], dim=-1).flatten(-2)
+ return (x * angle.cos() + quarter * angle.sin()).to(x.dtype) if d > 2 else torch.stack([x[..., 0] * angle.cos()[:, 0] - x[..., 1] * angle.sin()[:, 0], x[..., 0] * angle.sin()[:, 0] + x[..., 1] * angle.cos()[:, 0]], dim=-1).to(x.dtype)

# %% wrong: heads instead of words -> "The positions go along the heads"
- angle = positions[:, None] * speed  # (seq, d/2)
+ angle = positions[:, None] * speed
+ angle = angle[:, None] if x.ndim > 3 else angle

# %% wrong: sorted positions -> "The positions were sorted"
- angle = positions[:, None] * speed  # (seq, d/2)
+ angle = positions.sort().values[:, None] * speed

# %% wrong: positions from the first one on -> "At position 3, (1, 0) became"
- angle = positions[:, None] * speed  # (seq, d/2)
+ angle = (positions - positions[0])[:, None] * speed

# %% wrong: cut off at the length -> "At position 3, (1, 0) became"
- angle = positions[:, None] * speed  # (seq, d/2)
+ angle = positions.clamp(max=x.shape[-2] - 1)[:, None] * speed

# %% wrong: a table of 64 positions -> "Are there d/2 angles for each position"
- angle = positions[:, None] * speed  # (seq, d/2)
+ angle = (torch.arange(64)[:, None] * speed)[positions]

# %% wrong: another default base -> "Is the default of base 10,000?"
- def apply_rope(x, positions, base=10_000.0):
+ def apply_rope(x, positions, base=100_000.0):

# %% wrong: the pairs are left apart -> "Are the pairs put back into one axis"
- return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
+ return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1)

# %% wrong: only the first of each pair -> "Are both columns of a pair there?"
- return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
+ return a * cos - b * sin

# %% wrong: an axis of batch demanded -> "stopped with"
- a, b = x[..., 0::2], x[..., 1::2]  # (…, seq, d/2)
+ a, b = x[:, :, 0::2], x[:, :, 1::2]

# %% wrong: x overwritten -> "changed one of its arguments in place"
- return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
+ a, b = a.clone(), b.clone()
+ x[..., 0::2] = a * cos - b * sin
+ x[..., 1::2] = a * sin + b * cos
+ return x

# %% wrong: float32 out -> "give a result of torch.float32"
- return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
+ return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2).float()

# %% wrong: detached -> "No gradient reaches x"
- a, b = x[..., 0::2], x[..., 1::2]  # (…, seq, d/2)
+ a, b = x.detach()[..., 0::2], x.detach()[..., 1::2]

# %% wrong: the guard deleted -> "expected a ValueError"
- if d % 2:
-     raise ValueError(f"columns are turned in pairs, and x has {d} of them")

# %% wrong: another argument name -> "Are its arguments x, positions and base?"
- def apply_rope(x, positions, base=10_000.0):
+ def apply_rope(x, positions, theta=10_000.0):

- speed = base ** (-torch.arange(0, d, 2) / d)  # (d/2,)
+ speed = theta ** (-torch.arange(0, d, 2) / d)

# %% wrong: nothing returned -> "Is there a `return`?"
- return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
+ turned = torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)

# %% wrong: an axis too many in the angles -> "Do the angles have an axis too many?"
- angle = positions[:, None] * speed  # (seq, d/2)
+ angle = positions[:, None, None] * speed

# %% wrong: an axis of batch in the angles -> "Do the angles have an axis too many?"
- angle = positions[:, None] * speed  # (seq, d/2)
+ angle = positions[None, :, None] * speed

# %% wrong: axes of batch and heads in the angles -> "Do the angles have an axis too many?"
- angle = positions[:, None] * speed  # (seq, d/2)
+ angle = positions[None, None, :, None] * speed
# %% wrong: the power before the division -> "Is it `base ** (-i / d)`?"
- speed = base ** (-torch.arange(0, d, 2) / d)  # (d/2,)
+ speed = base ** -torch.arange(0.0, d, 2) / d
# %% right: matrices of two by two
def apply_rope(x, positions, base=10_000.0):
    d = x.shape[-1]
    if d % 2:
        raise ValueError(f"columns are turned in pairs, and x has {d} of them")
    i = torch.arange(d // 2)
    alpha = positions[:, None] * torch.exp(-2 * i / d * math.log(base))
    c, s = alpha.cos(), alpha.sin()
    matrices = torch.stack([c, -s, s, c], -1).view(*alpha.shape, 2, 2).to(x.dtype)
    pairs = x.unflatten(-1, (d // 2, 2))
    return torch.einsum("siab,...sib->...sia", matrices, pairs).flatten(-2)
# %% wrong of "matrices of two by two": counted from one -> "i begins at 0."
- i = torch.arange(d // 2)
+ i = torch.arange(1, d // 2 + 1)
# %% wrong of "matrices of two by two": the log of base 10 -> "Is the logarithm of base the one to base 10?"
- alpha = positions[:, None] * torch.exp(-2 * i / d * math.log(base))
+ alpha = positions[:, None] * torch.exp(-2 * i / d * math.log10(base))

# %% wrong: the result is divided by the root of 2 -> "keeps the length"
- return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
+ return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2) / 2**0.5

# %% wrong: only the first half of the columns is turned (partial rope) -> "keeps the length"
- return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
+ out = torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
+ return torch.cat([out[..., : d // 2], x[..., d // 2 :]], -1)

# %% wrong: positions scaled by the length (position interpolation) -> "divided by nothing"
- angle = positions[:, None] * speed
+ angle = positions[:, None] / positions.max().clamp(min=1) * speed

# %% wrong: whole angles -> "The angles are whole numbers"
- angle = positions[:, None] * speed  # (seq, d/2)
+ angle = (positions[:, None] * speed).to(positions.dtype)
# %% wrong: whole speeds -> "The angles are whole numbers"
- angle = positions[:, None] * speed  # (seq, d/2)
+ angle = positions[:, None] * speed.to(positions.dtype)
