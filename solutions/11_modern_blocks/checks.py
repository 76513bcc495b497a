"""The visible checks of unit 11: one function for each exercise, named after it.

It takes the answer as the notebook has it, and returns what the reader is told when it passes.
"""

import math

import torch
import torch.nn.functional as F
from checking.doctor import no_known_cause
from checking.layers import check
from checking.notebook import without
from checking.words import compare
from torch import nn


def numbers(tensor, digits=3):
    """The numbers of a small tensor, rounded, as one tuple."""
    return tuple(round(number, digits) + 0.0 for number in tensor.detach().flatten().tolist())


def asked(table, found, near=2e-3):
    """Of {numbers that a mistake gives: its cause}, the cause whose numbers these are, or ""."""
    same = (
        cause
        for wrong, cause in table.items()
        if len(wrong) == len(found) and all(abs(a - b) <= near for a, b in zip(wrong, found))
    )
    return next(same, "")


def fixed(*shape, k=0):
    """Numbers between -0.5 and 0.5 that look random and are the same everywhere: no generator."""
    n = torch.arange(math.prod(shape))
    return ((n * n * 7919 + n * 31 + k * 1013) % 10007 / 10007 - 0.5).reshape(shape)


def angles(positions, d, base):
    """The angle of each pair of columns at each position, (seq, d/2), in float64."""
    speed = base ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    return positions[:, None] * speed


def in_pairs(x, positions, base=10_000.0):
    """RoPE of neighbouring columns: each pair is a complex number, turned by its angle."""
    pairs = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous())
    angle = angles(positions, x.shape[-1], base)
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angle), angle)).flatten(-2).to(x)


def in_halves(x, positions, base=10_000.0):
    """RoPE of columns i and i + d/2, as in the transformers library."""
    a, b = x.double().chunk(2, dim=-1)
    angle = angles(positions, x.shape[-1], base)
    cos, sin = angle.cos(), angle.sin()
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1).to(x)


@without("F.rms_norm", "nn.RMSNorm")
def check_rms_norm(rms_norm):
    def run(x, weight, **more):
        return check.call(
            rms_norm,
            x=x,
            weight=weight,
            **more,
            stuck={
                "keyword": "Later cells call it by name. Are its arguments called x, weight and eps?",
                "": "Is the mean taken over the last axis, and that axis kept, by keepdim=True?",
            },
        )

    # One word, (2, 3, 6): its squares sum to 49.
    word = torch.tensor([2.0, 3.0, 6.0])
    out = run(word, torch.ones(3))
    check.tensor(out, (3,), "the result", otherwise="It has the shape of x.")
    centred, size = word - word.mean(), (49 / 3) ** 0.5
    cause = check.like(
        out,
        {
            "The mean is subtracted first, as in layer normalisation. Here nothing is.": centred
            / centred.square().mean().sqrt(),
            "The mean is subtracted above, though not in the root. Here nothing is.": centred / size,
            "x is divided by its standard deviation. The squares are of x, not of x less its mean.": word
            / centred.square().mean().sqrt(),
            "x is divided by its standard deviation (d − 1). The squares are of x itself.": word / word.std(),
            "The squares are summed. Take their mean.": word / 7,
            "The sum of the squares is divided by d − 1, expected d.": word / 24.5**0.5,
            "Is the root missing? It is divided by the mean of the squares.": word / size**2,
            "It is divided by the mean of the absolute numbers. Square them, and take the root.": word / (11 / 3),
            "It is divided by the largest number.": word / 6,
            "It is multiplied by the root. Divide by it.": word * size,
            "That is x itself.": word,
            "That is twice as much. Is it 1 + weight, as in Gemma? Here it is the weight.": 2 * word / size,
            "The weight is added. Multiply by it.": 1 + word / size,
            "It is divided by the root of the root.": word / size**0.5,
        },
        otherwise="x over the root of the mean of its squares.",
    )
    told = f"(2, 3, 6) became {numbers(out)}, expected (0.495, 0.742, 1.485)."
    compare(out, word / size, f"{told}\n{cause}", atol=1e-4)

    # Each word has a size of its own: the words of two sentences are of very different sizes.
    x = torch.randn(2, 5, 7) * torch.tensor([1.0, 3.0, 2.0, 10.0, 5.0])[:, None]
    x[1] *= 4
    out = run(x, torch.ones(7))
    check.tensor(out, (2, 5, 7), "the result", otherwise="It has the shape of x.")
    squares = x.square()
    cause = check.like(
        out,
        {
            "All words share one size. Take the mean over the last axis alone.": x / squares.mean().sqrt(),
            "The mean is taken over the words, axis −2. Take it over the last axis.": x
            / squares.mean(-2, keepdim=True).sqrt(),
            "The mean is taken over the sentences. Take it over the last axis.": x
            / squares.mean(0, keepdim=True).sqrt(),
            "The words of a sentence share one size.": x / squares.mean((1, 2), keepdim=True).sqrt(),
        },
        otherwise="Is the size of each word its own?",
    )
    compare(out, F.rms_norm(x, (7,), eps=1e-6), f"Words of sizes from 1 to 40. {cause}", atol=1e-4)

    # The weight, one number for each column.
    weight = torch.tensor([0.5, -2.0, 3.0, 1.5, 0.1, -1.0, 2.0])
    plain = F.rms_norm(x, (7,), eps=1e-6)
    out = run(x, weight)
    cause = check.like(
        out,
        {
            "Is the weight used?": plain,
            "That is divided by the weight.": plain / weight,
            "x is multiplied by the weight before the norm. It comes after.": F.rms_norm(x * weight, (7,), eps=1e-6),
            "The weight is used twice.": plain * weight**2,
            "The weight enters the root.": x / (squares.mean(-1, keepdim=True) * weight.abs()).sqrt(),
        },
        otherwise="Each column is multiplied by its weight, last.",
    )
    compare(out, plain * weight, f"With a weight that is not 1: {cause}", atol=1e-4)

    # ε stands inside the root; by default it is 1e-6.
    word = torch.tensor([1.0, 2.0, 2.0])
    out = run(word, torch.ones(3), eps=6.0)
    cause = check.like(
        out,
        {
            "ε is added outside the root. Add it to the mean of the squares.": word / (3**0.5 + 6),
            "Is the argument eps used?": word / 3**0.5,
            "ε is the least that the mean may be. Add it.": word / 6**0.5,
            "ε is squared.": word / 39**0.5,
            "ε is added three times, once per column. Add it once, to the mean.": word / (3 + 18) ** 0.5,
        },
        otherwise="√(mean of the squares + ε).",
    )
    told = f"(1, 2, 2) with ε = 6 became {numbers(out)}, expected x / √(3 + 6)."
    compare(out, word / 3, f"{told} {cause}", atol=1e-4)
    tiny = 1e-3 * word
    out = run(tiny, torch.ones(3))
    cause = check.like(
        out,
        {
            "It seems to be 1e-5.": tiny / 13e-6**0.5,
            "It seems to be 0, or far below 1e-6.": tiny / 3e-6**0.5,
            "It seems to be 1e-8.": tiny / 3.01e-6**0.5,
            "It is outside the root.": tiny / (3e-6**0.5 + 1e-6),
        },
        otherwise="Is the default in the def line still eps=1e-6, and inside the root?",
    )
    told = "Without the argument eps, ε should be 1e-6. A word of (0.001, 0.002, 0.002) shows another."
    compare(out, tiny / 4e-6**0.5, f"{told} {cause}", atol=1e-3)

    # float16 and bfloat16: 300² is more than float16 can hold.
    for kind in (torch.float16, torch.bfloat16):
        name = str(kind).removeprefix("torch.")
        out = run((300 * word).to(kind), torch.ones(3, dtype=kind))
        told, cause = f"{name} in, {name} out. Got", "Is the result turned back, by .to(x.dtype)?"
        assert getattr(out, "dtype", None) == kind, f"{told} {getattr(out, 'dtype', out)}. {cause}"
        told = f"(300, 600, 600) in {name} became {numbers(out)}."
        cause = "Squares above 65,504 are inf in float16. Work the size out in float32, from x.float()."
        compare(out.float(), word / 3**0.5, f"{told} {cause}", atol=1e-2)

    # PyTorch's own is the judge, also of the gradient.
    for shape in ((7,), (3, 1, 4, 7)):
        y, weight = torch.randn(shape, requires_grad=True), torch.randn(7, requires_grad=True)
        out, right = run(y, weight), F.rms_norm(y, (7,), weight, 1e-6)
        compare(out, right, f"x of shape {shape}: differs from F.rms_norm.")
        check.reaches(run(y, weight), x=y, weight=weight)
        pull = torch.randn(shape)
        ours, theirs = (torch.autograd.grad((t * pull).sum(), (y, weight)) for t in (out, right))
        cause = "Is the size detached, or worked out under no_grad? It depends on x."
        compare(ours[0], theirs[0], f"The gradient of x differs from that of F.rms_norm. {cause}", 1e-4)
        compare(ours[1], theirs[1], "The gradient of the weight differs from F.rms_norm's.", 1e-4)
    check.trainable(rms_norm, x=x, weight=weight, eps=1e-5)
    return "rms_norm passes: each word gets the size 1, and nothing is subtracted."


def check_SwiGLU(SwiGLU):
    # Three linear layers without bias.
    names = "Later cells use the names d_model and d_ff. Are yours the same?"
    parts = "Is each part made with d_model and d_ff?"
    layer = check.call(SwiGLU, d_model=3, d_ff=5, stuck={"keyword": names, "": parts})
    told = "Expected three nn.Linear with bias=False: gate_proj and up_proj (3 → 5), down_proj (5 → 3)."
    shapes = {"gate_proj.weight": (5, 3), "up_proj.weight": (5, 3), "down_proj.weight": (3, 5)}
    check.parameters(layer, shapes, told)

    def run(x, **state):
        layer.eval().load_state_dict({f"{n}_proj.weight": w for n, w in state.items()}, strict=False)
        stuck = "down_proj comes last: gate and up have d_ff columns."
        return check.call(layer, x, stuck=stuck)

    # The gate reads the first number of a word, up the second, and down shows what comes of them.
    def only(rows, columns, column):
        weight = torch.zeros(rows, columns)
        weight[0, column] = 1
        return weight

    x = torch.tensor([[2.0, 3.0, 9.0], [-2.0, 3.0, 9.0], [2.0, -3.0, 9.0]])
    a, b = x[:, 0], x[:, 1]
    out = run(x, gate=only(5, 3, 0), up=only(5, 3, 1), down=only(3, 5, 0))
    check.tensor(out, (3, 3), "the output", otherwise="It has the shape of x.")
    told = f"gate 2, up 3: expected silu(2) · 3 = 5.285, got {out[0, 0]:.3f}."
    named = dict(layer.named_parameters())
    grads = out.requires_grad and torch.autograd.grad(out.sum(), [*named.values()], allow_unused=True)
    idle = [name for name, slope in zip(named, grads or ()) if slope is None]
    idle = f"{idle[0]} plays no part." if idle else "Is another curve on the gate?"
    cause = check.like(
        out[:, 0],
        {
            "silu is on the up branch. It belongs on the gate.": a * F.silu(b),
            "That is a sigmoid on the gate, as in GLU. silu(x) is x · sigmoid(x).": a.sigmoid() * b,
            "That is gelu on the gate (GeGLU), expected silu.": F.gelu(a) * b,
            "That is gelu on the gate (GeGLU), expected silu. ": F.gelu(a, approximate="tanh") * b,
            "That is relu on the gate (ReGLU), expected silu.": a.relu() * b,
            "That is tanh on the gate, expected silu.": a.tanh() * b,
            "That is a softmax on the gate, expected silu.": a.exp() / (a.exp() + 4) * b,
            "The sigmoid of −z is taken. silu(z) is z · sigmoid(z), or z / (1 + e^−z).": a * (-a).sigmoid() * b,
            "There is no activation on the gate.": a * b,
            "Gate and up are added. Multiply them.": F.silu(a) + b,
            "silu comes after the product. It acts on the gate alone.": F.silu(a * b),
            "silu is on both branches. It acts on the gate alone.": F.silu(a) * F.silu(b),
            "silu is on both, after a sum.": F.silu(a + b),
            "up_proj is not used: the gate is multiplied by itself.": F.silu(a) * a,
            "gate_proj is not used: up is multiplied by itself.": F.silu(b) * b,
            "up_proj is not used.": F.silu(a),
            "gate_proj is not used.": b,
            "That is softplus on the gate, expected silu.": F.softplus(a) * b,
            "That is elu on the gate, expected silu.": F.elu(a) * b,
            "There is an activation at the end, after down_proj.": F.silu(F.silu(a) * b),
            "There is a relu at the end, after down_proj.": (F.silu(a) * b).relu(),
            "x is added. The residual belongs around the layer.": F.silu(a) * b + a,
        },
        otherwise=f"It is down(silu(gate) · up): silu(2) = 1.762, times 3. {idle}",
    )
    compare(out[:, 0], F.silu(a) * b, f"{told}\n{cause}")
    told = "Only row 0 of down_proj's weight is not 0, so columns 1 and 2 of the output should be 0."
    compare(out[:, 1:], torch.zeros(3, 2), told)

    # All numbers at random; any leading dimensions; the same in training mode.
    gate, up, down = torch.randn(5, 3), torch.randn(5, 3), torch.randn(3, 5)
    for shape in ((2, 4, 3), (3,), (2, 1, 5, 3)):
        x = torch.randn(shape)
        right = (F.silu(x @ gate.T) * (x @ up.T)) @ down.T
        told = f"x of shape {shape}: not down(silu(gate) · up)."
        cause = "Is each word alone, and each of the three used once?"
        compare(run(x, gate=gate, up=up, down=down), right, f"{told} {cause}")
        layer.train()
        cause = "Is there a dropout? There is none here."
        compare(layer(x), right, f"In training mode the output is another. {cause}")
        layer.eval()

    # Gradients reach x and the three weights.
    x = torch.randn(2, 4, 3, requires_grad=True)
    stuck = {"keyword": "Is forward's argument called x?", "": "Does forward take x alone?"}
    check.reaches(check.call(layer, x=x, stuck=stuck), x=x, **dict(layer.named_parameters()))
    return "SwiGLU passes: the gate decides, number by number, what passes of up."


def check_apply_rope(apply_rope):
    many = "Do the angles have an axis too many? They are (seq, d/2)."

    def run(x, positions, **more):
        out = check.call(
            apply_rope,
            x=x,
            positions=positions,
            **more,
            stuck={
                "keyword": "Later cells call it by name. Are its arguments x, positions and base?",
                "must match": "Angles of shape (seq, d/2) fit a half of x, which is (…, seq, d/2).",
                "": "Are there d/2 angles for each position, and is each pair turned by its own?",
            },
        )
        check.tensor(
            out,
            tuple(x.shape),
            "the result",
            {
                (
                    *x.shape[:-1],
                    x.shape[-1] // 2,
                    2,
                ): "Are the pairs put back into one axis of columns?",
                (*x.shape[:-1], x.shape[-1] // 2): "Are both columns of a pair there?",
                (1, *x.shape): many,
                (1, 1, *x.shape): many,
                (x.shape[-2], *x.shape): many,
            },
            otherwise="It has the shape of x.",
        )
        return out

    # One pair of columns at position 3: (1, 0) and (0, 1) are turned by 3 radians.
    out = run(torch.eye(2), torch.tensor([3, 3]))
    c, s, one = math.cos(3), math.sin(3), (math.cos(1), math.sin(1))
    table = {
        (c, -s, s, c): "They turn the other way. It is (a cos − b sin, a sin + b cos).",
        (c, s, s, c): "A minus is missing: the first of a pair is a cos − b sin.",
        (c, s, s, -c): "A sign is wrong: it is (a cos − b sin, a sin + b cos).",
        (c, -s, -s, c): "Both signs are minus. It is (a cos − b sin, a sin + b cos).",
        (s, c, -c, s): "cos and sin are swapped.",
        (s, -c, c, s): "cos and sin are swapped, and a sign.",
        (s, c, c, s): "cos and sin are swapped.",
        (s, c, c, -s): "The columns of a pair come out swapped, or cos and sin are.",
        (1, 0, -one[1], one[0]): "Words are counted from 0. Is the argument positions used?",
        (*one, -math.sin(2), math.cos(2)): "Words are counted from 1. Is positions used?",
        (1, 0, 0, 1): "Nothing is turned. Is the argument positions used, and every pair turned?",
        (math.cos(4), math.sin(4), -math.sin(4), math.cos(4)): "They are turned by position + 1.",
        (math.cos(9), math.sin(9), -math.sin(9), math.cos(9)): "They are turned by position².",
        (math.cos(2), math.sin(2), -math.sin(2), math.cos(2)): "They are turned by position − 1.",
        (math.cos(1.5), math.sin(1.5), -math.sin(1.5), math.cos(1.5)): "They are turned by half. "
        "In `base ** -i / d` the power comes first. Is it `base ** (-i / d)`?",
        (math.cos(6), math.sin(6), -math.sin(6), math.cos(6)): "They are turned twice as far.",
        (
            *one,
            -one[1],
            one[0],
        ): "They are turned by 1. Is positions used, and is it divided by nothing?",
        (0.9986, 0.0523, -0.0523, 0.9986): "The angle is in degrees. torch's cos takes radians.",
        (1 + s, c, s, 1 + c): "Sines and cosines are added. Turn the pair instead.",
        (1 + c, s, c, 1 + s): "Sines and cosines are added. Turn the pair instead.",
        (c, 0, 0, c): "Each column is only multiplied by a cosine. The other one joins in.",
        (c, 0, 0, s): "Each column is only multiplied. In a turn the two mix.",
        (s, 0, 0, c): "Each column is only multiplied. In a turn the two mix.",
        (
            c,
            c * s,
            -s,
            c - s * s,
        ): "The first column was overwritten before the second was worked out from it.",
        (
            c - s * s,
            s,
            -s * c,
            c,
        ): "The second column was overwritten before the first was worked out from it.",
    }
    cause = asked(table, numbers(out)) or "(a, b) becomes (a cos − b sin, a sin + b cos)."
    length = out[0].norm()
    if not asked(table, numbers(out)) and abs(length - 1) > 1e-3:
        cause += f"\nA turn keeps the length. Here (1, 0) becomes {length:.3g} long. Is all of x turned?"
    if abs(out[0, 1].item() - 3 / 10_000) < 1e-5:
        cause = "It is turned by 3 / 10,000. The first pair turns by the position itself: i begins at 0."
    told = f"At position 3, (1, 0) became {numbers(out[0])} and (0, 1) became {numbers(out[1])}"
    told += f", expected {numbers(torch.tensor([c, s]))} and {numbers(torch.tensor([-s, c]))}."
    compare(out, torch.tensor([[c, s], [-s, c]]), f"{told}\n{cause}", atol=1e-4)

    # Three pairs: with a 1 in one column alone, which columns come out?
    out = run(torch.eye(6), torch.ones(6, dtype=torch.int64), base=50.0)
    mixed = tuple(tuple(row.abs().gt(1e-4).nonzero().flatten().tolist()) for row in out)
    table = {
        ((0, 3), (1, 4), (2, 5)) * 2: "Columns i and i + d/2 are turned, in halves. Here neighbours are pairs: 2i "
        "and 2i + 1.",
        (
            (0, 3),
            (0, 3),
            (1, 4),
            (1, 4),
            (2, 5),
            (2, 5),
        ): "Neighbours are turned, but they come out as halves. Stack them, then flatten.",
        ((0, 1), (2, 3), (4, 5))
        * 2: "Columns i and i + d/2 are turned, and come out as neighbours. Take 0::2 and 1::2.",
        (
            (0, 5),
            (1, 4),
            (2, 3),
            (2, 3),
            (1, 4),
            (0, 5),
        ): "The first column is turned with the last. Neighbours are pairs: 2i and 2i + 1.",
        ((0, 1), (0, 1), (2,), (3,), (4,), (5,)): "Only the first pair is turned.",
        ((0, 1), (0, 1), (2, 3), (2, 3), (4,), (5,)): "The last pair is not turned.",
        ((0,), (1,), (2, 3), (2, 3), (4, 5), (4, 5)): "The first pair is not turned.",
        (
            (0, 5),
            (1, 2),
            (1, 2),
            (3, 4),
            (3, 4),
            (0, 5),
        ): "The pairs are shifted by one column. They are 0 1, 2 3, 4 5.",
    }
    right = ((0, 1), (0, 1), (2, 3), (2, 3), (4, 5), (4, 5))
    told = f"A 1 in column 0 alone comes out in columns {[*mixed[0]]}, in column 1 in {[*mixed[1]]}"
    told += f", in column 2 in {[*mixed[2]]}, in column 5 in {[*mixed[5]]}."
    cause = table.get(mixed, "Neighbours are pairs: 0 1, 2 3, 4 5.")
    if cause == "Only the first pair is turned.":  # or the others by less than one whole radian
        floats = run(torch.eye(6), torch.ones(6), base=50.0)
        far = run(torch.eye(6), torch.full((6,), 40), base=50.0)
        if max(abs(floats[2, 3]), abs(far[2, 3])) > 1e-4:
            cause = "The angles are whole numbers. Is the angle, or the speed, in the dtype of positions?"
    assert mixed == right, f"{told}\n{cause}"

    # How fast does each pair turn? The angle at position 1, base 50.
    apart = (out.norm(dim=-1) - 1).abs().max()
    cause = "Do both columns of a pair use the same angle, that of column 2i?"
    assert apart < 1e-4, f"Turning keeps a vector's length, and here it changes by {apart:.2f}. {cause}"
    speeds = torch.atan2(out[::2][:, 1::2].diagonal(), out[::2][:, ::2].diagonal())
    i = torch.arange(3.0)
    ways = {
        "The exponent is i/d. It is 2i/d.": 50 ** (-i / 6),
        "The exponent's sign is wrong: it is −2i/d.": 50 ** (i / 3),
        "All pairs turn at one speed.": torch.ones(3),
        "Is the argument base used?": 10_000 ** (-i / 3),
        "The exponent is 2(i + 1)/d. i begins at 0.": 50 ** (-(i + 1) / 3),
        "The exponent is 2i/(d − 2). It is 2i/d.": 50 ** (-i / 2),
        "The first pair turns slowest. It is the fastest.": 50 ** (-i.flip(0) / 3),
        "The exponent is 4i/d. It is 2i/d.": 50 ** (-2 * i / 3),
        "Is the logarithm of base the one to base 10? exp undoes the natural one.": torch.exp(-i / 3 * math.log10(50)),
        "The speed falls in equal steps. It is a power.": 1 - i / 3,
        "The speed is 1/(base · 2i/d). It is a power of base.": 1 / (50 * i / 3).clamp(min=1),
    }
    again = {cause: torch.atan2(way.sin(), way.cos()) for cause, way in ways.items()}
    cause = check.like(speeds, again, otherwise="base^(−2i/d), i = 0, 1, 2.")
    told = f"At position 1, with base 50, the three pairs are turned by {numbers(speeds)}"
    compare(speeds, 50 ** (-i / 3), f"{told}, expected (1, 0.271, 0.074).\n{cause}", atol=1e-4)

    # Positions belong to the axis of words, in any order, here with as many heads as words.
    x, positions = torch.randn(2, 5, 5, 6), torch.tensor([0, 3, 1, 40, 7])
    out, count = run(x, positions, base=50.0), torch.arange(5)
    cause = check.like(
        out,
        {
            "The positions go along the heads, axis −3. They belong to the words, axis −2.": in_pairs(
                x.transpose(1, 2), positions, 50.0
            ).transpose(1, 2),
            "The words are counted 0, 1, 2 … Use the positions that are given.": in_pairs(x, count, 50.0),
            "The positions were sorted. They may come in any order.": in_pairs(x, positions.sort()[0], 50.0),
            "Positions beyond the length of x are cut off.": in_pairs(x, positions.clamp(max=4), 50.0),
            "The positions are taken from the first one on. They are absolute.": in_pairs(
                x, count + positions[0], 50.0
            ),
        },
        otherwise="Does each word have its own position, in each head?",
    )
    compare(out, in_pairs(x, positions, 50.0), f"x (2, 5, 5, 6) at {positions.tolist()}: {cause}")

    # A complex multiplication in float64 is the judge.
    for shape, base in (
        ((4, 8), 10_000.0),
        ((3, 2, 5, 64), 10_000.0),
        ((1, 10), 100.0),
        ((2, 3, 2), 7.0),
    ):
        x, positions = torch.randn(shape), torch.randperm(101)[: shape[-2]]
        told = f"x {shape}, base {base:g}: not the pairs turned by position · base^(−2i/d)."
        more = {} if base == 10_000 else {"base": base}
        cause = "Is the default of base 10,000?" if not more else "Do other widths work?"
        compare(run(x, positions, **more), in_pairs(x, positions, base), f"{told} {cause}", atol=2e-5)

    # Called by name, in float64, with gradients; an odd width is refused.
    check.trainable(apply_rope, x=torch.randn(2, 5, 6), positions=torch.arange(5), base=100.0)
    odd, line = (torch.randn(4, 7), torch.arange(4)), "The line was given."
    check.refuses(apply_rope, *odd, names=(7,), otherwise=line)
    return "apply_rope passes: each pair of columns turns with the position, at its own speed."


def check_is_relative(is_relative):
    d = 8
    query, key = 1 + torch.rand(2, d)  # far from 0, also with the signs below
    query = query * torch.tensor([1.0, -1, 1, 1, 1, -1, 1, 1])

    def turn(x, angle):
        """Pairs of columns turned: x (n, d), angle (n, d/2)."""
        a, b, cos, sin = x[..., ::2], x[..., 1::2], angle.cos(), angle.sin()
        return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)

    speed, calls = 100.0 ** (-torch.arange(0, d, 2) / d), []

    def verdict(way, query=query, key=key):
        """What is_relative says of encode(x, positions) = way(x, positions in a column)."""
        calls.clear()

        def encode(x, positions):
            told = f"encode was called on x {tuple(x.shape)} and positions {tuple(positions.shape)}"
            fits = x.ndim == 2 and positions.shape == x.shape[:1]
            assert fits, f"{told}, expected (n, d) and (n,)"
            calls.append((x.detach().clone(), positions.tolist()))
            return way(x, positions[:, None])

        said = check.call(
            is_relative,
            encode=encode,
            query=query,
            key=key,
            stuck={
                "encode was called": "One row per position: query.expand(64, -1) has 64 equal rows.",
                "keyword": "Later cells call it by name. Are its arguments encode, query and key?",
                "": "encode takes rows (n, d) and as many positions (n,).",
            },
        )
        cause = "Is there a `return` on every way out?" if said is None else "Use bool(…)."
        assert isinstance(said, bool), f"Expected True or False, got {said!r:.60}. {cause}"
        return said

    def encoded(said):
        """What is wrong with the vectors and positions that encode met before the last verdict, said, or ""."""
        if not calls:
            return "encode is never called."
        rows, places = torch.cat([x for x, _ in calls]), sum((at for _, at in calls), [])
        of = {name: (rows == v).all(-1) for name, v in (("query", query), ("key", key))}
        met = {name: {m for m, own in zip(places, is_it) if own} for name, is_it in of.items()}
        never = next((name for name in met if not met[name]), "")
        name, missing = next(
            ((n, [m for m in range(64) if m not in at]) for n, at in met.items() if len(at) < 64),
            ("", []),
        )
        more = f" and {len(missing) - 6} more" * (len(missing) > 6)
        return check.first({
            "encode was called with vectors that are neither query nor key. Encode those that are given.":
                not (of["query"] | of["key"]).all(),
            f"encode was never called with the {never}. Both are encoded: the query at m, the key at n.":
                never,
            f"encode was never called with the {name} at the positions {missing[:6]}{more}. Are all from 0 to 63 "
            "tried, or does `return` come too early?": said and missing,
        })  # fmt: skip

    def other_pairs():
        """Which scores were compared, where turned positions are said to change them, or ""."""
        theirs = lambda x: 1 - 2 * (x[:, 1:2] > 0).float()  # 1 for the query, −1 for the key
        whole = torch.arange(1.0, d + 1)
        quarter = lambda x, at: turn(x, at * math.pi / 2).round()
        sums = lambda x, at: turn(x, at * speed * theirs(x))
        of_query = lambda x, at: turn(x, at * speed * (theirs(x) > 0))
        of_key = lambda x, at: turn(x, at * speed * (theirs(x) < 0))
        exact = "Differences below 1e-3 are rounding. Are scores compared exactly, or nearly so?"
        two = "m − n and n − m are two distances, and their scores may differ."
        rows = "Scores of one row or column are compared, which are at different distances. Take diagonals."
        if verdict(quarter, whole.flip(0), whole):  # whole numbers, without any rounding
            return exact
        same_sum, even = verdict(sums), verdict(turned, key, key)
        return check.first({
            f"Is (m, n) compared with (n, m)? {two}": same_sum and even,
            "Pairs with the same sum m + n are compared. The distance is m − n.": same_sum,
            f"{two} Are the two taken together?": even,
            rows: verdict(of_query) or verdict(of_key),
        }, otherwise="Are scores of different distances compared?")  # fmt: skip

    # Turned positions, added ones, and ones that are multiplied in.
    def turned(x, at):
        return turn(x, at * speed)

    def added(x, at):
        return x + torch.cat([(at * speed).sin(), (at * speed).cos()], dim=-1)

    def grown(x, at):
        return x * (1 + at / 10)

    said = tuple(verdict(way) for way in (turned, added, grown))
    causes = {
        (False, True, True): "Is the answer inverted?",
        (True, True, True): "Is it enough that one distance agrees? Does `return True` come before all are tried?",
        (True, False, True): "A score that is only multiplied changes, too. "
        "Is a difference taken without its sign (abs), and of the scores as they are?",
        (True, True, False): "Added positions go unnoticed. Are all pairs of one distance compared?",
    }  # fmt: skip
    told = "Positions turned, added, multiplied in: expected (True, False, False), got"
    if said != (True, False, False):
        rest = "Is each score compared with those of the same distance?" if said[0] else other_pairs
        cause = encoded(said[-1]) or causes.get(said, rest)
        raise AssertionError(f"{told} {said}.\n{cause() if callable(cause) else cause}")

    cause = "Is the size of a difference compared, without its sign (abs)?"
    said = verdict(lambda x, at: x / (1 + at / 10))
    assert not said, f"Vectors that become shorter with each position, and you say True. {cause}"

    # Turned by the square of the position: lengths stay, and so does each word's score with itself.
    way = "Positions are turned by m²/64: lengths stay, and s(0, 0) = s(1, 1)"
    cause = "Is only the distance 0 compared, or only the lengths? Try all distances."
    assert not verdict(lambda x, at: turn(x, at**2 / 64 * speed), key, key), f"{way}, and you say True. {cause}"
    assert not verdict(lambda x, at: turn(x, at**2 / 64 * speed)), f"{way}, and you say True. {cause}"

    # Turned up to some place only, from some place on, or everywhere but at one.
    for told, bend, cause in (
        ("up to 15 only", lambda at: at.clamp(max=15), "Are all positions from 0 to 63 tried?"),
        ("up to 40 only", lambda at: at.clamp(max=40), "Are all positions from 0 to 63 tried?"),
        ("up to 62 only", lambda at: at.clamp(max=62), "Is 63 among them? range(63) ends at 62."),
        ("from 1 on only", lambda at: at.clamp(min=1), "Is position 0 among them?"),
        ("everywhere but at 37", lambda at: at + 5 * (at == 37), "Are all positions tried?"),
    ):
        said = verdict(lambda x, at, bend=bend: turn(x, bend(at) * speed))
        assert not said, f"Positions are turned {told}, and you say True. {cause}"

    # One part of the table alone: 1 is added where two marks meet, near a corner or inside.
    plain, last = torch.ones(d), torch.eye(d)[-1]
    plain[-1], minus = 0, torch.ones(d) - 2 * torch.eye(d)[1]
    for where, early, late in (
        ("where the key comes after the query", (0, 1), (62, 63)),
        ("where the key comes before the query", (62, 63), (0, 1)),
        ("in one pair, a query at 20 and a key at 30", (20,), (30,)),
    ):

        def marked(x, at, early=early, late=late):
            first, second = ((at == torch.tensor(place)).any(-1) for place in (early, late))
            return x + torch.where(x[:, 1] < 0, first, second)[:, None] * last

        said = verdict(marked, plain * minus, plain)
        told = f"The scores differ only {where}, and you say True."
        cause = "Are distances of both signs compared, m − n from −63 to 63, each in all its pairs?"
        assert not said, f"{told} {cause}"

    # Small differences: 1e-5 is rounding, 0.02 is not.
    said = verdict(lambda x, at: turned(x, at) * (1 + 1e-6 * (at * 12.9898).sin()))
    cause = "Differences below 1e-3 are rounding. torch.equal and allclose's own tolerance see them."
    assert said, f"Turned, with numbers off by a millionth, and you say False. {cause}"
    said = verdict(lambda x, at: turned(x, at) * (1 + 1e-3 * (at * 12.9898).sin()))
    cause = "Scores differ by about 0.02. Is the tolerance 1e-3, and absolute?"
    assert not said, f"Turned, with numbers off by a thousandth, and you say True. {cause}"

    # Halves, no positions at all; and a layer in which queries behave and keys do not.
    half = [*range(0, d, 2), *range(1, d, 2)]  # the columns of a vector whose pairs are halves
    said = verdict(lambda x, at: turn(x[:, half], at * speed)[:, half])
    assert said, "Turned in halves, columns i and i + d/2, and you say False. Is it about the scores alone?"
    cause = "It depends on m − n alone, if in no other way than that it is constant."
    assert verdict(lambda x, at: x + 0 * at), f"Nothing is done to x, and you say False. {cause}"
    odd = "The query is turned, the key stays as it is: the score depends on m, and you say True."
    cause = "Is each encoded, the query at m and the key at n? And are they the ones that were given?"
    said = verdict(lambda x, at: turn(x, at * speed * (x[:, 1:2] < 0)))
    assert not said, f"{odd} {encoded(said) or cause}"
    odd = "The key is turned, the query stays as it is: the score depends on n, and you say True."
    said = verdict(lambda x, at: turn(x, at * speed * (x[:, 1:2] > 0)))
    assert not said, f"{odd} {encoded(said) or cause}"

    # A slow drift: neighbours on a diagonal differ by less than 1e-3, its ends by 0.02.
    drifts = verdict(lambda x, at: x * (1 + 2e-5 * at), torch.ones(d), torch.ones(d))
    cause = "Compare all pairs of a distance, not neighbours alone."
    assert not drifts, f"Scores drift by 0.02 along each diagonal, and you say True. {cause}"
    return "is_relative passes: it tells whether scores depend on the distance alone."


def check_halves_to_pairs(halves_to_pairs):
    def run(weight, n_heads):
        return check.call(
            halves_to_pairs,
            weight=weight,
            n_heads=n_heads,
            stuck={
                "keyword": "Later cells call it by name. Are its arguments called weight and n_heads?",
                "not divisible": "Three heads of six rows each fit. Is the line as it was given?",
                "": "Only the rows, axis 0, are cut: into heads of rows / n_heads, and each head into two halves. A "
                "bias has no other axis.",
            },
        )

    # Rows that are numbered: three heads of six rows, in which order do they come?
    count = torch.arange(18.0)
    out = run(count[:, None].expand(18, 5).clone(), 3)
    check.tensor(
        out,
        (18, 5),
        "the result",
        {
            (3, 6, 5): "Are the heads put back into one axis of rows?",
            (9, 2, 5): "Are the pairs put back into one axis of rows?",
            (5, 18): "Is it transposed?",
        },
        otherwise="It has the shape of weight. Is a head rows / n_heads wide? And are heads, pairs and places "
        "joined into one axis again?",
    )
    heads = count.view(3, 6)
    one = [0, 3, 1, 4, 2, 5]
    causes = {
        "That is the way back, from pairs to halves.": heads[:, [0, 2, 4, 1, 3, 5]],
        "All rows are taken as one head. Cut them into heads first.": count.view(2, 9).T.reshape(3, 6),
        "Nothing has moved.": heads,
        "The second half comes first in each pair.": heads[:, [3, 0, 4, 1, 5, 2]],
        "The heads have changed places.": heads.flip(0)[:, one],
        "The rows of each head are reversed.": heads[:, one].flip(1),
        "The halves of each head have changed places.": heads[:, [3, 4, 5, 0, 1, 2]],
        "Heads and rows are mixed: head h owns the rows from h · d_head on.": count.view(6, 3).T[:, one],
        "The rows go round the heads. They stay within their head.": count.view(6, 3).T,
        "The halves of all heads come together: heads and halves have changed places. Swap halves and "
        "places within a head.": count.view(3, 2, 3).transpose(0, 1).reshape(3, 6),
        "That is the way back, with all rows as one head.": count[
            torch.cat([torch.arange(0, 18, 2), torch.arange(1, 18, 2)])
        ].view(3, 6),
    }
    yours = out[:, 0].view(3, 6)
    cause = check.like(yours, causes, "0, d_head/2, 1, d_head/2 + 1, … within each head.")
    if not check.same(out, out[:, :1].expand(18, 5)):
        cause = "Rows are moved as a whole; here the columns of a row differ."
    elif check.same(yours.abs(), heads[:, one]):
        cause = "A sign has changed. Rows only move."
    told = f"The rows of the first head come in the order {[int(r) for r in yours[0].tolist()]}"
    told += f", expected {one}; of the second {[int(r) for r in yours[1].tolist()]}."
    right = heads[:, one].flatten()[:, None].expand(18, 5)
    compare(out, right, f"{told}\n{cause}")

    # Columns stay where they are, whatever their number; a bias has no columns.
    for shape, n_heads in (
        ((18, 18), 3),
        ((18, 7), 3),
        ((20,), 2),
        ((20, 3, 2), 1),
        ((16, 4), 8),
        ((24, 24), 2),
    ):
        weight = torch.randn(shape)
        cut = weight.view(n_heads, 2, -1, *shape[1:])
        right = torch.stack([cut[:, 0], cut[:, 1]], dim=2).reshape(shape)
        cause = "Is each head rows / n_heads wide, and does every column stay where it is?"
        out = run(weight, n_heads)
        check.tensor(out, shape, "the result", otherwise="It has the shape of weight.")
        told = f"weight {shape}, {n_heads} heads of {shape[0] // n_heads} rows: not in this order."
        compare(out, right, f"{told} {cause}")

    # The scores stay the same: turned in halves before, in pairs after.
    x, at = torch.randn(7, 12), torch.arange(7)
    weights = torch.randn(2, 20, 12)
    before = [in_halves((x @ w.T).view(7, 2, 10).transpose(0, 1), at) for w in weights]
    after = [in_pairs((x @ run(w, 2).T).view(7, 2, 10).transpose(0, 1), at) for w in weights]
    told = "Scores of queries and keys are not what they were in halves."
    compare(after[0] @ after[1].mT, before[0] @ before[1].mT, told, atol=1e-3)

    # Called by name, in float64, with gradients; heads that do not fit are refused.
    check.trainable(halves_to_pairs, weight=torch.randn(18, 5), n_heads=3)
    for rows, n_heads in ((18, 4), (15, 3), (14, 14)):
        line = "The line was given: each head needs an even number of rows."
        check.refuses(halves_to_pairs, torch.randn(rows, 5), n_heads, names=(rows, n_heads), otherwise=line)
    return "halves_to_pairs passes: the same rows, in the order in which apply_rope turns them."


NINE = (
    "self_attn.q_proj",
    "self_attn.k_proj",
    "self_attn.v_proj",
    "self_attn.o_proj",
    "mlp.gate_proj",
    "mlp.up_proj",
    "mlp.down_proj",
    "input_layernorm",
    "post_attention_layernorm",
)


def nine(d_model, n_heads, n_kv_heads, d_ff, k=0):
    """The weights of a block, {name: tensor}, filled by a formula; k numbers the first of them."""
    narrow = d_model // n_heads * n_kv_heads
    shapes = (
        (d_model, d_model),
        (narrow, d_model),
        (narrow, d_model),
        (d_model, d_model),
        (d_ff, d_model),
        (d_ff, d_model),
        (d_model, d_ff),
        (d_model,),
        (d_model,),
    )
    return {
        f"{name}.weight": 0.7 * fixed(*shape, k=k + n) + (len(shape) == 1)
        for n, (name, shape) in enumerate(zip(NINE, shapes))
    }


def rms(x, weight, eps):
    return F.rms_norm(x, weight.shape, weight, eps)


def block(state, x, n_heads, n_kv_heads, base=10_000.0, eps=1e-6, **steps):
    """A Llama's block as a formula. For the mistakes of agrees, steps says what is done otherwise.

    turn: {letter: how its heads are turned}; rows: how a weight is sorted first.
    """
    rows = steps.get("rows", lambda name, weight: weight)
    state = {name: rows(name, weight) for name, weight in state.items()}
    turn = {"q": in_pairs, "k": in_pairs} | steps.get("turn", {})
    at = steps.get("at", torch.arange(x.shape[1]))
    norm, names = steps.get("norm", rms), steps.get("norms", NINE[-2:])

    def normed(t, n):
        return norm(t, state[f"{names[n]}.weight"], eps)

    def heads(t, letter, by, n):
        y = t @ state[f"self_attn.{by}_proj.weight"].T
        way = turn.get(letter) or (lambda t, *_: t)
        if steps.get("before"):  # turned before the split
            return way(y, at, base).unflatten(-1, (n, -1)).transpose(1, 2)
        return way(y.unflatten(-1, (n, -1)).transpose(1, 2), at, base)

    def attend(t, of_values=None):
        many, by = (n_heads, n_kv_heads, n_kv_heads), steps.get("by", "qkv")
        of = (t, t, t if of_values is None else of_values)
        q, k, v = (heads(*parts) for parts in zip(of, "qkv", by, many))
        share = steps.get("share", lambda t, g: t.repeat_interleave(g, dim=1))
        k, v = (share(t, n_heads // n_kv_heads) for t in (k, v))
        n = x.shape[1]
        scores = q @ k.mT / steps.get("root", q.shape[-1] ** 0.5)
        allowed = steps.get("allowed", lambda n: torch.ones(n, n).tril() > 0)(n)
        out = scores.masked_fill(~allowed, -torch.inf).softmax(-1).nan_to_num() @ v
        join = steps.get("join", lambda t: t.transpose(1, 2).flatten(2))
        return join(out) @ state["self_attn.o_proj.weight"].T

    def feed(t):
        gate, up = (t @ state[f"mlp.{n}_proj.weight"].T for n in ("gate", "up"))
        act = steps.get("act", lambda gate, up: F.silu(gate) * up)
        return act(gate, up) @ state["mlp.down_proj.weight"].T

    def flow(x):
        h = x + attend(normed(x, 0))
        return h + feed(normed(h, 1))

    if way := steps.get("flow"):
        return way(x, attend, feed, lambda t: normed(t, 0), lambda t: normed(t, 1))
    return flow(x)


def turn_mistakes():
    """Mistakes for agrees: how queries and keys are turned."""

    def back(t, at, base):
        return in_pairs(t, -at, base)

    def twice(t, at, base):
        return in_pairs(t, 2 * at, base)

    def with_base(other):
        return lambda t, at, base: in_pairs(t, at, other)

    def across(t, at, base):  # the heads take the place of the words
        if t.ndim < 4:
            return in_pairs(t, at, base)
        return in_pairs(t.transpose(1, 2), torch.arange(t.shape[1]), base).transpose(1, 2)

    ways = {
        "Columns i and i + d_head/2 are turned, in halves. Here neighbours are pairs, as in apply_rope.": {
            "q": in_halves,
            "k": in_halves,
        },
        "Queries and keys are not turned. Does apply_rope run on both?": {"q": None, "k": None},
        "The keys are not turned, only the queries.": {"k": None},
        "The queries are not turned, only the keys.": {"q": None},
        "The values are turned, too. Only queries and keys are.": {"v": in_pairs},
        "The values are turned, and the queries are not.": {"v": in_pairs, "q": None},
        "The values are turned, and the keys are not.": {"v": in_pairs, "k": None},
        "Queries and keys are turned in opposite directions.": {"k": back},
        "Queries and keys are turned in opposite directions. ": {"q": back},
        "Queries and keys are turned twice.": {"q": twice, "k": twice},
        "The keys are turned twice, the queries once.": {"k": twice},
        "The queries are turned twice, the keys once.": {"q": twice},
        "Is the argument base used?": {"q": with_base(10_000.0), "k": with_base(10_000.0)},
        "Is base used for the keys, too?": {"k": with_base(10_000.0)},
        "Is base used for the queries, too?": {"q": with_base(10_000.0)},
        "The positions go along the heads, not along the words.": {"q": across, "k": across},
    }
    known = {cause: {"turn": way} for cause, way in ways.items()}
    known["Queries and keys are turned before they are split into heads. Split first."] = {"before": 1}
    return known


def attention_mistakes(n_heads, d_head):
    """Mistakes for agrees: in the attention of a block."""
    d_model = n_heads * d_head
    also = "Or by √d_model, which is the same here? " * (d_model == d_head**2)

    def tril(step):
        return lambda n: torch.ones(n, n).tril(step) > 0

    known = {
        "Later words are visible. Is the mask causal?": {"allowed": lambda n: torch.ones(n, n) > 0},
        "A word does not see itself.": {"allowed": tril(-1)},
        "A word sees the word after it. Is the mask one step too far?": {"allowed": tril(1)},
        "The mask is inverted: words see what comes later.": {"allowed": lambda n: torch.ones(n, n).triu() > 0},
        "Key-value heads alternate: `repeat` gives 0 1 0 1 0 1. Neighbours share, 0 0 0 1 1 1.": {
            "share": lambda t, g: t.repeat(1, g, 1, 1)
        },
        "All query heads read the first key-value head.": {
            "share": lambda t, g: t[:, :1].expand(-1, g * t.shape[1], -1, -1)
        },
        "The scores are not divided by √d_head.": {"root": 1},
        f"The scores are divided by d_head, expected its root. {also}Are they divided twice? "
        "(masked_attention divides by itself.)": {"root": d_head},
        "The scores are divided by √d_model, expected √d_head.": {"root": d_model**0.5},
        "Heads are merged by a reshape alone. Transpose first.": {"join": lambda t: t.reshape(len(t), t.shape[2], -1)},
        "The merged columns alternate between heads.": {"join": lambda t: t.permute(0, 2, 3, 1).flatten(2)},
        "The values are made by k_proj. Have k_proj and v_proj changed places?": {"by": "qkk"},
        "k_proj and v_proj have changed places.": {"by": "qvk"},
        "The keys are made by v_proj.": {"by": "qvv"},
    }
    return known


def flow_mistakes():
    """Mistakes for agrees: norms, residuals and the feed-forward layer of a block."""
    flows = {
        "The residual around the attention is missing.": lambda x, a, f, n1, n2: (h := a(n1(x))) + f(n2(h)),
        "The residual around the feed-forward layer is missing.": lambda x, a, f, n1, n2: f(n2(x + a(n1(x)))),
        "Both residuals are missing.": lambda x, a, f, n1, n2: f(n2(a(n1(x)))),
        "The attention is added to the norm of x. Add it to x itself.": lambda x, a, f, n1, n2: (
            (h := n1(x) + a(n1(x))) + f(n2(h))
        ),
        "The feed-forward layer is added to the norm of h. Add it to h itself.": lambda x, a, f, n1, n2: (
            (g := n2(x + a(n1(x)))) + f(g)
        ),
        "Both are added to what was normed. Add them to the stream itself.": lambda x, a, f, n1, n2: (
            (g := n2(n1(x) + a(n1(x)))) + f(g)
        ),
        "That is post-norm: the norms stand after the sums. Here each stands before "
        "its layer.": lambda x, a, f, n1, n2: n2((h := n1(x + a(x))) + f(h)),
        "post_attention_layernorm norms what the attention returns. In spite of its name it stands "
        "before the feed-forward layer.": lambda x, a, f, n1, n2: (h := x + n2(a(n1(x)))) + f(h),
        "What each layer returns is normed. Norm what it reads.": lambda x, a, f, n1, n2: (
            (h := x + n1(a(x))) + n2(f(h))
        ),
        "Both layers read x. The feed-forward layer reads what the attention has left.": lambda x, a, f, n1, n2: (
            x + a(n1(x)) + f(n2(x))
        ),
        "The second sum starts from x, and the attention is lost.": lambda x, a, f, n1, n2: x + f(n2(x + a(n1(x)))),
        "The feed-forward layer comes first.": lambda x, a, f, n1, n2: (h := x + f(n2(x))) + a(n1(h)),
        "The feed-forward layer comes first. ": lambda x, a, f, n1, n2: (h := x + f(n1(x))) + a(n2(h)),
        "The attention reads x as it is. Norm it first.": lambda x, a, f, n1, n2: (h := x + a(x)) + f(n2(h)),
        "The feed-forward layer reads h as it is. Norm it first.": lambda x, a, f, n1, n2: (h := x + a(n1(x))) + f(h),
        "Nothing is normed.": lambda x, a, f, n1, n2: (h := x + a(x)) + f(h),
        "x is added twice.": lambda x, a, f, n1, n2: (h := 2 * x + a(n1(x))) + f(n2(h)),
        "x is added once more at the end.": lambda x, a, f, n1, n2: x + (h := x + a(n1(x))) + f(n2(h)),
        "What comes back from the attention is missing.": lambda x, a, f, n1, n2: x + f(n2(x)),
        "What comes back from the feed-forward layer is missing.": lambda x, a, f, n1, n2: x + a(n1(x)),
    }
    first, second = NINE[-2:]

    def layer_norm(t, weight, eps):
        return F.layer_norm(t, weight.shape, weight, None, eps)

    def outside(t, weight, eps):
        return t / (t.square().mean(-1, keepdim=True).sqrt() + eps) * weight

    return {cause: {"flow": way} for cause, way in flows.items()} | {
        "The norms have changed places.": {"norms": (second, first)},
        "input_layernorm is used in both places.": {"norms": (first, first)},
        "post_attention_layernorm is used in both places.": {"norms": (second, second)},
        "That is layer normalisation, which subtracts the mean. Here it is the RMS norm.": {"norm": layer_norm},
        "That is nn.LayerNorm, which subtracts the mean. Here it is the RMS norm.": {
            "norm": lambda t, w, e: layer_norm(t, w, 1e-5)
        },
        "The norms multiply by 1 + weight. Here it is the weight.": {"norm": lambda t, w, e: rms(t, 1 + w, e)},
        "The norms' weights are not used.": {"norm": lambda t, w, e: rms(t, torch.ones_like(w), e)},
        "ε is outside the root.": {"norm": outside},
        "Is the argument eps used in both norms? It seems to be 1e-6.": {"norm": lambda t, w, e: rms(t, w, 1e-6)},
        "Is the argument eps used in both norms? It seems to be 1e-5.": {"norm": lambda t, w, e: rms(t, w, 1e-5)},
        "Is the argument eps used? It seems to be tiny.": {"norm": lambda t, w, e: rms(t, w, 1.2e-7)},
        "silu is on up. It belongs on the gate.": {"act": lambda g, u: g * F.silu(u)},
        "That is gelu on the gate, expected silu.": {"act": lambda g, u: F.gelu(g) * u},
        "That is a sigmoid on the gate, expected silu.": {"act": lambda g, u: g.sigmoid() * u},
        "That is relu on the gate, expected silu.": {"act": lambda g, u: g.relu() * u},
        "There is no activation on the gate.": {"act": lambda g, u: g * u},
        "silu comes after the product.": {"act": lambda g, u: F.silu(g * u)},
        "gate and up are added.": {"act": lambda g, u: F.silu(g) + u},
    }


def at_places(out, stored):
    """Four numbers of out from each place of stored, {(row, word, column): numbers}, and those."""
    yours = torch.cat([out[row, word, column : column + 4] for row, word, column in stored])
    return yours, torch.tensor([number for row in stored.values() for number in row])


def check_LlamaBlock(LlamaBlock):
    # The nine weights, without a bias, under the published names.
    sizes = {"d_model": 36, "n_heads": 6, "n_kv_heads": 2, "d_ff": 20}
    names = "Later cells use the names d_model, n_heads, n_kv_heads, d_ff, base and eps. Are yours the same?"

    def make(**more):
        return check.call(
            LlamaBlock,
            **more,
            stuck={
                "keyword": names,
                "": "d_head is d_model / n_heads; keys and values are n_kv_heads · d_head wide.",
            },
        )

    layer, state = make(**sizes), nine(36, 6, 2, 20)
    told = "Seven nn.Linear with bias=False in self_attn and mlp, and two weights of norms."
    if any(name.endswith("layernorm.bias") for name in check.shapes(layer)):
        told += "\nThe norm is the RMS norm, which has no bias and subtracts nothing. Is yours nn.LayerNorm?"
    check.parameters(layer, {name: tuple(w.shape) for name, w in state.items()}, told)

    fresh = dict(layer.named_parameters())
    for name in NINE[-2:]:
        weight = fresh[f"{name}.weight"].detach()
        told = f"{name}.weight begins as {numbers(weight[:3])} …, expected ones."
        assert check.same(weight, torch.ones(36)), f"{told} A new norm changes the size alone."

    def run(layer, state, x, positions=None):
        layer.load_state_dict(state, strict=False)
        given = {} if positions is None else {"positions": positions}
        return check.call(
            layer,
            x=x,
            **given,
            stuck={
                "keyword": "Later cells call forward by name. Are its arguments x and positions?",
                "must match": "Are there as many key heads as query heads when they meet? 2 "
                "are shared by 6. Or does apply_rope get (batch, seq, heads, d_head)? It turns (…, seq, d_head).",
                "": "Positions are 0, 1, … without the argument. Is everything split into heads first?",
            },
        )

    x = 2 * fixed(2, 5, 36, k=99)
    out = run(layer, state, x)
    check.tensor(out, (2, 5, 36), "the output", otherwise="It has the shape of x.")

    # With o_proj at 0 and down_proj at 0 nothing is added: the residuals alone.
    quiet = {n: w * (n[:-7] not in ("self_attn.o_proj", "mlp.down_proj")) for n, w in state.items()}
    out = run(layer, quiet, x)
    cause = check.like(
        out,
        {
            "It is 0. Is one of the two residuals missing, or both?": 0 * x,
            "It is twice x. Is x added once more?": 2 * x,
            "It is x after a norm. Nothing on the straight line is normed.": rms(
                x, state["post_attention_layernorm.weight"], 1e-6
            ),
            "It is x after a norm. The straight line from x to the output is not normed.": rms(
                x, state["input_layernorm.weight"], 1e-6
            ),
            "It is x after two norms. That is post-norm.": rms(
                rms(x, state["input_layernorm.weight"], 1e-6),
                state["post_attention_layernorm.weight"],
                1e-6,
            ),
        },
        otherwise="Do the layers end with o_proj and down_proj, and is it h = x + attention(norm(x)), then "
        "h + SwiGLU(norm(h))?",
    )
    compare(out, x, f"With o_proj and down_proj at 0 the block returns x. Yours does not. {cause}")

    def other(base=10_000.0, eps=1e-6, at=None, **steps):
        at = torch.arange(5) if at is None else at
        return block(state, x, 6, 2, base, eps, **{"at": at} | steps)

    mistakes = attention_mistakes(6, 6) | flow_mistakes()
    raw = {"flow": lambda x, a, f, n1, n2: (h := x + a(n1(x), x)) + f(n2(h))}
    if check.same(run(layer, state, x), other(**raw), 2e-5):
        mistakes = {"The values are made of x as it is. Norm it first, as for queries and keys.": raw}
    judge = "of the transformers library's Llama"

    # Order does not matter yet: with q_proj at 0, each word is the plain mean of the values so far.
    plain = state | {"self_attn.q_proj.weight": torch.zeros(36, 36)}

    def even(**steps):
        return block(plain, x, 6, 2, **steps)

    told = "With q_proj at 0 all allowed words count the same. Yours gives another output."
    cause = "Is something else done than norm, attention, sum, norm, SwiGLU, sum?"
    cause = no_known_cause(cause, layer, n_heads=6, causal=True)
    check.agrees(run(layer, plain, x), even(), told, even, mistakes, cause, atol=2e-5, alone=turn_mistakes())

    # Everything, beside numbers that were worked out once by the transformers library.
    out = run(layer, state, x)
    stored = {
        (0, 4, 0): (1.210624, -1.656971, 0.420736, 0.339334),
        (1, 2, 32): (1.456481, 2.224619, 0.730892, -1.779372),
    }
    turns = turn_mistakes()
    told = f"Not the numbers {judge}."
    check.agrees(
        out,
        other(),
        told,
        other,
        turns,
        no_known_cause(
            "Rotation or score: are the heads turned, queries and keys by the same positions, and "
            "are the scores divided by √d_head?",
            layer,
            n_heads=6,
            causal=True,
        ),
        atol=2e-5,
        alone=mistakes,
    )
    compare(*at_places(out, stored), told, atol=2e-5)

    # Positions: only distances count, and they are those that were given.
    far = run(layer, state, x, torch.arange(7, 12))
    cause = "Are queries and keys turned by the same positions?"
    compare(far, out, f"All positions are 7 further, and the output has changed. {cause}", atol=1e-4)
    spread = torch.tensor([0, 2, 4, 6, 8])
    wide = run(layer, state, x, spread)
    stored = {(0, 4, 0): (1.763761, -1.043675, 1.098254, -0.966346)}
    told = f"At the positions 0 2 4 6 8: not the numbers {judge}."
    cause = "Is the argument positions used? This is what 0 1 2 3 4 give." if check.same(wide, out) else ""
    compare(wide, other(at=spread), f"{told} {cause}", atol=2e-5)
    compare(*at_places(wide, stored), told, atol=2e-5)

    # Positions that fall: the mask goes by the order of the rows.
    falling = torch.tensor([8, 6, 4, 2, 0])
    found = run(layer, state, x, falling)
    cause = "Is the mask made from positions? Word i sees the words 0 … i, whatever positions says."
    if check.same(found, other(at=falling.sort()[0]), 2e-5):
        cause = "The positions were sorted. Word i stands at positions[i], in any order."
    told = "With the positions 8 6 4 2 0 the output is off."
    compare(found, other(at=falling), f"{told} {cause}", atol=2e-5)

    # Another base, and an ε that counts.
    layer = make(**sizes, base=100.0, eps=0.05)
    out = run(layer, state, x)
    stored = {
        (0, 4, 0): (1.182683, -1.618743, 0.345851, 0.213679),
        (1, 2, 32): (1.336524, 2.262688, 0.767586, -1.578066),
    }
    known = {
        **turns,
        **mistakes,
        "Is the argument base used? It seems to be 10,000.": {"base": 10_000.0},
        "Is the argument eps used? It seems to be 1e-6.": {"eps": 1e-6},
        "Is the argument eps used? It seems to be 1e-5.": {"eps": 1e-5},
        "Is eps used in post_attention_layernorm, too?": {
            "norm": lambda t, w, e: rms(t, w, e if w is state[f"{NINE[-2]}.weight"] else 1e-6)
        },
        "Is eps used in input_layernorm, too?": {
            "norm": lambda t, w, e: rms(t, w, e if w is state[f"{NINE[-1]}.weight"] else 1e-6)
        },
        "Are the arguments base and eps used? They seem to be 10,000 and 1e-6.": {
            "base": 10_000.0,
            "eps": 1e-6,
        },
        "base and eps have changed places.": {"base": 0.05, "eps": 100.0},
    }

    def output(**steps):
        return other(**{"base": 100.0, "eps": 0.05} | steps)

    told = f"base=100, eps=0.05: not the numbers {judge}."
    check.agrees(out, output(), told, output, {}, "Are both used?", atol=2e-5, alone=known)
    compare(*at_places(out, stored), told, atol=2e-5)

    # Other numbers of heads, longer texts; a word never sees what comes after it.
    for d_model, n_heads, n_kv_heads, seq in (
        (24, 4, 4, 40),
        (24, 4, 1, 1),
        (30, 3, 3, 7),
        (40, 10, 5, 3),
    ):
        layer, weights = (
            make(d_model=d_model, n_heads=n_heads, n_kv_heads=n_kv_heads, d_ff=11),
            nine(d_model, n_heads, n_kv_heads, 11),
        )
        text = torch.randn(3, seq, d_model)
        right = block(weights, text, n_heads, n_kv_heads)
        told = f"{n_heads} heads, {n_kv_heads} key-value heads, {seq} words: another output than expected."
        cause = "Is a size kept from elsewhere, or a longest text set? "
        cause += "5 words with 6 heads and 2 key-value heads were right."
        compare(run(layer, weights, text), right, f"{told} {cause}", atol=5e-5)
    leaf = text.clone().requires_grad_()
    out = run(layer, weights, leaf)
    check.reaches(out.square(), x=leaf, **dict(layer.named_parameters()))
    again = check.call(layer.train(), text, stuck="The same in training.")
    compare(again, right, "In training mode the output is another. There is no dropout here.", 5e-5)

    # What does not divide is refused.
    line = "The line was given."
    check.refuses(LlamaBlock, 30, 4, 2, 20, names=(30, 4), otherwise=line)
    check.refuses(LlamaBlock, 30, 5, 3, 20, names=(5, 3), otherwise=line)
    return "LlamaBlock passes: number for number, it is a block of a Llama."


def whole(state, ids, n_heads, base=10_000.0, eps=1e-6, **steps):
    """A Llama as a formula, from a published state. steps: as in block, and what is done around."""
    names = [name for name in state if name.endswith("q_proj.weight")]
    n_kv_heads = len(state[names[0].replace("q_proj", "k_proj")]) * n_heads // len(state[names[0]])
    table = steps.get("table", state["model.embed_tokens.weight"])
    x = table[ids] * steps.get("scale", 1)
    turn = {"q": in_halves, "k": in_halves} | steps.get("turn", {})
    for i in steps.get("order", range(len(names))):
        start = f"model.layers.{i}."
        own = {n.removeprefix(start): w for n, w in state.items() if n.startswith(start)}
        inner = {n: s for n, s in steps.items() if n not in ("order", "turn", "end", "head", "last")}
        x = block(own, x, n_heads, n_kv_heads, base, eps, **inner | {"turn": turn})
    last = steps.get("last", rms)(x, state["model.norm.weight"], eps)
    head = steps.get("head", state.get("lm_head.weight", state["model.embed_tokens.weight"]))
    return steps.get("end", lambda t: t)(last @ head.T)


def published(vocab, d_model, n_heads, n_kv_heads, d_ff, n_layers, tied=True):
    """A state_dict with the published keys, filled by a formula."""
    state = {"model.embed_tokens.weight": 1.4 * fixed(vocab, d_model)}
    for i in range(n_layers):
        own = nine(d_model, n_heads, n_kv_heads, d_ff, k=1 + 9 * i)
        state |= {f"model.layers.{i}.{name}": weight for name, weight in own.items()}
    state["model.norm.weight"] = 0.7 * fixed(d_model, k=1 + 9 * n_layers) + 1
    if not tied:
        state["lm_head.weight"] = 1.4 * fixed(vocab, d_model, k=2 + 9 * n_layers)
    return state


def row_mistakes(n_heads):
    """Mistakes for agrees: which rows of which projections are sorted, and how they are turned."""

    def sort(weight, n):
        return weight.unflatten(0, (n, 2, -1)).transpose(1, 2).flatten(0, 2)

    def back(weight, n):
        return weight.unflatten(0, (n, -1, 2)).transpose(1, 2).flatten(0, 2)

    def rows(letters, way, heads=None):
        def sorted_(name, weight):
            letter = name.removeprefix("self_attn.")[0] if "self_attn" in name else ""
            if letter not in letters or not letter:
                return weight
            d_head = 10
            return way(weight, heads or len(weight) // d_head)

        return sorted_

    pairs = {"q": in_pairs, "k": in_pairs}
    return {
        "The rows of q_proj and k_proj are as they were published, in halves, and the block "
        "turns pairs. "
        "Sort them by halves_to_pairs.": {"turn": pairs},
        "Only the rows of q_proj are sorted. k_proj needs it, too.": {
            "turn": pairs,
            "rows": rows("q", sort),
        },
        "Only the rows of k_proj are sorted. q_proj needs it, too.": {
            "turn": pairs,
            "rows": rows("k", sort),
        },
        "All rows are sorted as one head. q_proj has n_heads heads, k_proj n_kv_heads.": {
            "turn": pairs,
            "rows": rows("qk", sort, 1),
        },
        "The rows of k_proj are sorted as one head. It has n_kv_heads heads.": {
            "turn": pairs,
            "rows": lambda n, w: rows("q", sort)(n, rows("k", sort, 1)(n, w)),
        },
        "The rows are moved from pairs to halves. It is the other way round.": {
            "turn": pairs,
            "rows": rows("qk", back),
        },
        "The rows of v_proj are sorted, too. Only queries and keys are turned.": {
            "turn": pairs,
            "rows": rows("qkv", sort),
        },
        "The rows of q_proj and k_proj are sorted once too often: twice before pairs are turned, or once "
        "before halves are.": {"rows": rows("qk", sort)},
        "The columns of q_proj and k_proj are sorted. It is the rows.": {
            "turn": pairs,
            "rows": rows("qk", lambda w, n: sort(w.T, n_heads).T),
        },
        "Queries and keys are not turned.": {"turn": {"q": None, "k": None}},
        "The keys are not turned.": {"turn": {"k": None}},
        "The queries are not turned.": {"turn": {"q": None}},
        "The values are turned, too.": {"turn": {"v": in_halves}},
        "Queries and keys are turned in opposite directions.": {
            "turn": {"k": lambda t, at, base: in_halves(t, -at, base)}
        },
        "Queries and keys are turned before the split into heads.": {
            "before": 1,
            "turn": pairs,
            "rows": rows("qk", sort),
        },
        "The positions run backwards.": {"at": -torch.arange(7)},
    }


def model_mistakes(state):
    """Mistakes for agrees: around the blocks of a Llama of three layers."""
    table, d_model = state["model.embed_tokens.weight"], state["model.embed_tokens.weight"].shape[1]
    tied, even = "lm_head.weight" not in state, torch.ones(d_model)
    known = {
        "There is no final norm, model.norm, before the head.": {"last": lambda x, w, e: x},
        "The weight of the final norm is not loaded.": {"last": lambda x, w, e: rms(x, even, e)},
        "The final norm multiplies by 1 + weight.": {"last": lambda x, w, e: rms(x, 1 + w, e)},
        "The final norm is a layer norm. It is the RMS norm, too.": {
            "last": lambda x, w, e: F.layer_norm(x, w.shape, w, None, e)
        },
        "Is the argument eps used, in the final norm, too? It seems to be 1e-6.": {
            "last": lambda x, w, e: rms(x, w, 1e-6)
        },
        "Is the argument eps used, in the final norm, too? It seems to be 1e-5.": {
            "last": lambda x, w, e: rms(x, w, 1e-5)
        },
        "Is the argument eps used in the blocks? It is right in the final norm.": {
            "norm": lambda t, w, e: rms(t, w, 1e-6)
        },
        "The words are multiplied by √d_model. Here they are not.": {"scale": d_model**0.5},
        "Only the first layer is used, again and again.": {"order": (0, 0, 0)},
        "Only the last layer is used, again and again.": {"order": (2, 2, 2)},
        "The last layer is missing.": {"order": (0, 1)},
        "The first layer is missing.": {"order": (1, 2)},
        "There is one layer only.": {"order": (0,)},
        "The layers come in reversed order.": {"order": (2, 1, 0)},
        "Logits are wanted. Is there a softmax?": {"end": lambda t: t.softmax(-1)},
        "Logits are wanted. Is there a log_softmax?": {"end": lambda t: t.log_softmax(-1)},
        "Is the argument base used? It seems to be 10,000.": {"base": 10_000.0},
        "Are the arguments base and eps used? They seem to be 10,000 and 1e-6.": {
            "base": 10_000.0,
            "eps": 1e-6,
        },
        "Is the argument eps used? It seems to be 1e-6.": {"eps": 1e-6},
        "Is the argument eps used? It seems to be 1e-5.": {"eps": 1e-5},
        "gate_proj and up_proj have changed places.": {"act": lambda g, u: F.silu(u) * g},
        "gate_proj is loaded into up_proj, too.": {"act": lambda g, u: F.silu(g) * g},
    }
    if not tied:
        known["There is an lm_head.weight in the state, and the embedding was used as the head."] = {"head": table}
        known["The words were looked up in lm_head.weight. It is the head."] = {"table": state["lm_head.weight"]}
    return known


def check_load_llama(load_llama):
    judge = "of the transformers library's Llama"
    ids = torch.tensor(
        [
            [3, 1, 4, 1, 5, 9, 2],
            [6, 5, 3, 5, 8, 9, 7],
            [9, 3, 2, 3, 8, 4, 6],
            [2, 6, 4, 3, 3, 8, 12],
        ]
    )

    def loaded(*args, **kwargs):
        try:
            return load_llama(*args, **kwargs)
        except RuntimeError as error:  # load_state_dict says what it misses in a second line
            error.args = (" ".join(str(error).split()),)
            raise

    ten = "Keys of layer 10 and beyond are left over. Were the numbers compared as text? As text, "
    ten += "10 comes before 2."

    def load(state, n_heads, **more):
        before, loaded.__name__ = {name: w.clone() for name, w in state.items()}, "load_llama"
        model = check.call(
            loaded,
            state=state,
            n_heads=n_heads,
            **more,
            stuck={
                "keyword": "Later cells call it by name. Are its arguments state, n_heads, base and eps?",
                "even width": "k_proj has fewer heads than q_proj: n_kv_heads = its rows / d_head.",
                "layers.3.": "The state has three layers, and another number was expected. Count "
                "them: the largest i, and one more.",
                "Missing key": "load_state_dict misses these. Where there is no "
                "lm_head.weight, the head is "
                "the embedding.",
                "lm_head": "Where there is no lm_head.weight, the head is the embedding.",
                "inv_freq": "`rotary_emb.inv_freq` is not needed. Leave those keys out before you look for others.",
                "layers.10": ten,
                "layers.11": ten,
                "layers.2.": "Is the last of the three layers left over? They are numbered from 0, so their "
                "number is the largest i, and one more.",
                "by zero": "Did n_kv_heads come out as 0? d_head is d_model / n_heads.",
                "Unexpected key": "load_state_dict met keys that the model does not have. "
                "Are the names "
                "those after `model.`?",
                "size mismatch": "Which key and shape does each size come from? d_ff is the "
                "rows of "
                "up_proj, n_kv_heads the rows of k_proj / d_head.",
                "": "All sizes come from keys and shapes: vocab, d_model, d_ff, n_kv_heads, layers.",
            },
        )
        kind = type(model).__name__
        told = f"Expected an nn.Module, got {kind}."
        assert isinstance(model, nn.Module), f"{told} Is there a `return model.eval()`?"
        same = state.keys() == before.keys() and all(
            state[n].shape == w.shape and torch.equal(state[n], w) for n, w in before.items()
        )
        cause = "Is something popped, added or sorted in place? Make a dictionary of your own."
        assert same, f"The state that was handed in has changed. {cause}"
        return model

    def run(model, ids):
        return check.call(
            model,
            ids,
            stuck={
                "index out of range": "Is a longest text set somewhere? It may be of any length.",
                "must match": "Is a longest text set somewhere? It may be of any length.",
                "": "ids (batch, seq) -> embedding -> blocks -> norm -> head.",
            },
        )

    # A call: logits for each word, float32 and finite.
    state = published(13, 60, 6, 2, 20, 3)
    model = load(state, 6)
    logits = run(model, ids)
    check.tensor(
        logits,
        (4, 7, 13),
        "the logits",
        {
            (4, 7, 60): "These are the vectors. Is the head missing?",
            (4, 13): "Each word has logits, not only the last one.",
            (4, 7): "Is there an argmax? Logits are wanted.",
        },
        otherwise="(batch, seq, vocab).",
    )
    cause = "Is there a .double() or .half()? The state is float32."
    assert logits.dtype == torch.float32, f"Expected logits of torch.float32, got {logits.dtype}. {cause}"

    # Every number comes from the state: two models of one state are the same.
    told = "Two models made of one state give different logits, so some weight is not from the state."
    cause = "Is each one loaded, and where there is no lm_head.weight, is the embedding the head?"
    compare(run(load(state, 6), ids), logits, f"{told} {cause}", atol=1e-5)

    # Without what the layers add: embedding, final norm and head.
    def quiet(state, *names):
        return {n: w * (n.rpartition(".")[0].rpartition(".")[2] not in names) for n, w in state.items()}

    apart = published(13, 60, 6, 2, 20, 3, tied=False)
    for given, more, kind in (
        (state, {}, "tied"),
        (apart, {"base": 100.0, "eps": 0.05}, "lm_head"),
    ):
        silent = quiet(given, "o_proj", "down_proj")

        def output(silent=silent, more=more, **steps):
            return whole(silent, ids, 6, **more | steps)

        told = "The layers add nothing here (o_proj and down_proj are 0), so the logits are the head on the "
        told += f"normed embedding ({'without' if kind == 'tied' else 'with'} an lm_head.weight), and they are not."
        check.agrees(
            run(load(silent, 6, **more), ids),
            output(),
            told,
            output,
            {},
            "Is every weight loaded from the state, once, and are base and eps in their order?",
            atol=1.2e-4,
            alone=model_mistakes(given),
        )

    # With no queries all words so far count the same: masks, groups, residuals, SwiGLU.
    flows = flow_mistakes() | attention_mistakes(6, 10)
    even = quiet(apart, "q_proj")

    def mixed(**steps):
        return whole(even, ids, 6, **{"base": 100.0, "eps": 0.05} | steps)

    told = "With q_proj at 0 all allowed words count the same, and the logits are not what comes of it."
    cause = "Are all nine weights of each layer loaded, each into its place?"
    check.agrees(
        run(load(even, 6, base=100.0, eps=0.05), ids),
        mixed(),
        told,
        mixed,
        {},
        cause,
        atol=1.2e-4,
        alone=model_mistakes(apart) | flows | row_mistakes(6),
    )

    # Everything, beside numbers that were worked out once by the transformers library.
    stored = {
        "tied": {
            (0, 6, 0): (5.926183, 5.572237, -2.073137, 1.415825),
            (3, 2, 9): (-3.916392, -0.721878, 2.361960, 5.808557),
        },
        "lm_head": {
            (0, 6, 0): (-3.100882, -2.048476, -2.200186, -0.041172),
            (3, 2, 9): (-1.522702, 2.001660, 0.501715, 5.862393),
        },
    }
    for given, more, kind in (
        (state, {}, "tied"),
        (apart, {"base": 100.0, "eps": 0.05}, "lm_head"),
    ):

        def output(given=given, more=more, **steps):
            return whole(given, ids, 6, **more | steps)

        logits = run(load(given, 6, **more), ids)
        what = "base and eps at their defaults" if kind == "tied" else "base=100, eps=0.05"
        told = f"{what}: not the logits {judge}."
        check.agrees(
            logits,
            output(),
            told,
            output,
            {},
            "Are rows sorted head by head, in q_proj and k_proj?",
            atol=1.2e-4,
            alone=row_mistakes(6) | model_mistakes(given) | flows,
        )
        compare(*at_places(logits, stored[kind]), told, atol=1.2e-4)

    # Other sizes: 1 to 12 layers, 1 key-value head or one per head, 1 to 70 words.
    for sizes, seq, cause in (
        ((11, 24, 4, 4, 9, 1), 70, "Is a longest text set, or a size kept from elsewhere?"),
        (
            (7, 20, 2, 1, 9, 12),
            3,
            "Are the layers in the order of their numbers? As words, 10 comes before 2.",
        ),
        ((17, 30, 3, 3, 50, 2), 1, "Is d_ff the rows of up_proj, and n_layers counted?"),
    ):
        given, text = published(*sizes), torch.randint(sizes[0], (2, seq))
        turned = dict(sorted(given.items(), reverse=True))  # keys may come in any order
        told = f"vocab, d_model, n_heads, n_kv_heads, d_ff, layers = {sizes}, {seq} words: not the logits expected."
        right = whole(given, text, sizes[2])
        compare(run(load(turned, sizes[2]), text), right, f"{told} {cause}", atol=2e-4)

    # Nothing drops out, and gradients reach every weight.
    assert not model.training, "The model is in training mode. End with `return model.eval()`."
    again = run(model, ids)
    compare(run(model, ids), again, "Two calls differ. Is the model in eval mode?")
    learned = {name: w for name, w in model.named_parameters()}
    assert learned, "The model has no parameters. Are its weights nn.Parameters, in layers?"
    check.reaches(again.square(), **learned)

    # The weights are the model's own: what happens to the state later is no matter.
    mine = {name: weight.clone() for name, weight in state.items()}
    model = load(mine, 6)
    before = run(model, ids).detach().clone()
    for weight in mine.values():
        weight.fill_(7.0)
    cause = "Does it share memory with the state? load_state_dict copies; nn.Parameter(w) does not."
    compare(run(model, ids), before, f"The state was changed later, and the model with it. {cause}")

    # Keys that are not needed: inv_freq may be there, any other key is refused.
    old = {f"model.layers.{i}.self_attn.rotary_emb.inv_freq": torch.rand(5) for i in range(3)}
    told = "With rotary_emb.inv_freq in the state, as old checkpoints have it, the logits are others."
    compare(run(load(state | old, 6), ids), run(load(state, 6), ids), told)
    for key, shape in (
        ("layers.0.self_attn.q_proj.bias", (60,)),
        ("layers.1.self_attn.k_norm.weight", (10,)),
        ("layers.2.mlp.gate_proj.bias", (20,)),
        ("norm.bias", (60,)),
    ):
        more = state | {f"model.{key}": torch.zeros(shape)}
        cause = "A Llama has no such weight: this is another model, and would be wrong without it."
        check.refuses(load_llama, more, 6, names=(key,), otherwise=cause)
    some, line = published(11, 24, 4, 2, 9, 1), "d_model has to be divisible by n_heads."
    check.refuses(load_llama, some, 5, names=(24, 5), otherwise=line)
    return "load_llama passes: from a published state to its logits, number for number."


STORED_HEADS = {  # in thousandths: head 16.0, 9.2 and 17.5, worked out by the reference solutions
    "before": (
        "1000 | 936 64 | 134 861 6 | 156 351 484 9 | 80 0 32 881 6 | 116 0 0 100 779 5 | 188 0 "
        "0 0 63 744 6 | 184 0 0 0 0 45 767 4 | 158 1 0 0 0 0 76 763 2 | 58 1 0 0 0 0 0 379 559 "
        "3"
    ),
    "clue": (
        "1000 | 996 4 | 510 10 480 | 371 1 217 410 | 644 3 342 0 11 | 607 38 295 4 30 26 | 543 "
        "36 191 17 29 2 183 | 620 23 236 96 21 1 1 2 | 280 9 272 17 13 7 5 3 394 | 63 7 37 801 "
        "7 1 0 0 60 25"
    ),
    "again": (
        "1000 | 971 29 | 887 44 70 | 945 12 42 0 | 746 199 39 16 0 | 712 69 6 2 2 209 | 719 "
        "134 43 69 9 20 7 | 906 34 21 0 30 7 1 1 | 780 162 28 2 1 16 11 0 0 | 379 189 409 1 1 "
        "7 0 0 0 13 | 202 56 20 703 6 3 1 5 0 1 3 | 468 36 47 0 432 1 0 0 7 2 6 0 | 271 20 4 2 "
        "0 674 18 1 1 2 5 2 0 | 105 13 2 0 1 54 770 11 7 2 2 2 0 31"
    ),
}
STORED_MARKS = (  # in hundredths: 30 layers of 9 heads
    "14 15 15 31 22 16 16 18 20 | 28 28 66 17 15 28 31 19 13 | 11 59 14 14 5 16 12 13 17 | 8 "
    "10 9 7 9 5 5 11 15 | 5 4 8 9 7 7 13 12 8 | 8 7 4 7 7 6 5 26 7 | 7 8 8 5 16 6 6 12 6 | 8 7 "
    "7 7 6 6 26 6 10 | 6 5 7 14 7 7 7 7 9 | 17 9 3 6 7 20 15 10 9 | 19 33 35 12 35 39 29 19 14 "
    "| 32 68 20 30 14 31 9 39 29 | 11 9 8 23 16 5 20 5 1 | 8 28 22 8 26 9 19 8 15 | 18 1 10 0 "
    "8 1 5 5 7 | 5 2 19 7 6 9 0 3 2 | 74 8 14 7 19 20 11 18 13 | 3 8 3 0 0 1 6 4 35 | 9 24 4 7 "
    "1 28 0 0 0 | 2 5 7 42 13 2 7 23 25 | 3 17 1 0 0 1 0 1 4 | 22 5 2 10 6 3 13 10 0 | 4 31 5 "
    "25 2 8 8 1 15 | 2 0 0 4 1 3 3 0 1 | 0 0 0 8 3 1 0 5 1 | 7 3 15 6 20 3 11 5 7 | 12 1 6 1 "
    "14 0 3 10 6 | 7 22 8 12 21 7 10 3 5 | 0 1 0 5 3 13 6 13 2 | 4 11 8 28 13 2 4 1 2"
)


def stored_heads():
    """Three heads of a published model, (n, n) each, and the tokens of their two texts."""
    maps = []
    for rows in STORED_HEADS.values():
        rows = [[int(share) / 1000 for share in row.split()] for row in rows.split("|")]
        maps.append(torch.tensor([row + [0.0] * (len(rows) - len(row)) for row in rows]))
    river = "Down by the river , we sat on the bank".split()
    life = "Life is short , eat dessert first . Life is short , eat dessert".split()
    return *maps, river, life


def stored_marks():
    """How much weight each head of this model gives to the word before: (30 layers, 9 heads)."""
    rows = STORED_MARKS.split("|")
    return torch.tensor([[int(share) / 100 for share in row.split()] for row in rows])
