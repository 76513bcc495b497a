"""The visible checks of unit 07: one function for each exercise, named after it.

Each takes the answer as the notebook has it, and returns what the reader is told when it passes.
"""

import torch
import torch.nn.functional as F
from checking.doctor import no_known_cause
from checking.layers import check
from checking.notebook import without
from checking.words import compare
from torch import nn

MADE = "forward uses a part that __init__ did not make, or made under another name."
BY_NAME = "Attention takes (x, context, mask). Is the mask given by name, as mask=…?"


def wrong_divisor(before, after):
    """Which power of the variance was divided by? Told by the variances of words before and after.

    Dividing by variance ** p leaves variance ** (1 - 2p): a straight line in logarithms.
    """
    x, y = (t.flatten().clamp(min=1e-30).log() for t in (before, after))
    centred = x - x.mean()
    slope = (centred * y).sum() / centred.square().sum()
    power = (1 - slope.item()) / 2
    straight = check.same(y, y.mean() + slope * centred, 2e-2)
    if not straight or abs(power) < 0.02 or abs(power - 0.5) < 0.02:
        return "Give each word its own variance, along the last axis."
    told = f"You divided by the variance to the power of {power:.3g}; its root is the power of 0.5."
    return told + check.near(power, {
        " Is it `** 2` where `** 0.5` is meant?": 2.0,
        " Was the root taken twice? A standard deviation is a root already.": 0.25,
    })  # fmt: skip


@without(
    "F.layer_norm",
    "native_layer_norm",
    "LayerNorm",
    "group_norm",
    "GroupNorm",
    "instance_norm",
    "batch_norm",
)
def check_LayerNorm(LayerNorm):
    # Two parameters with one number per column, which change nothing at the start.
    stuck = {
        "keyword": "Keep the arguments' names.",
        "": "Does each parameter have d_model numbers?",
    }
    layer = check.call(LayerNorm, d_model=6, eps=1e-5, stuck=stuck)
    kept = "Is each an nn.Parameter with one number per column, kept in self under this name?"
    check.parameters(layer, {"weight": (6,), "bias": (6,)}, kept)
    for name, start in (("weight", torch.ones(6)), ("bias", torch.zeros(6))):
        got = layer.state_dict()[name]
        told = f"{name} starts with a mean of {got.mean():.2f}, expected {start[0]:g} everywhere."
        assert check.same(got, start), f"{told} Use torch.ones or torch.zeros."

    # Ten words, each with a mean and a spread of its own. What is the mean afterwards?
    spreads, means = torch.linspace(0.7, 3, 10), torch.linspace(-2, 3, 10)
    x = F.layer_norm(torch.randn(2, 5, 6), (6,)) * spreads.view(2, 5, 1) + means.view(2, 5, 1)
    axis = "Keep the averaged axis (keepdim=True), and average over -1, whatever stands before it."
    yours = check.call(layer, x, stuck=axis)
    check.tensor(yours, (2, 5, 6), "the normalised words", otherwise=axis)
    none, own = torch.zeros(2, 5), "Each has its own, along the last axis."
    flat = "All numbers of a word come out the same. Have weight and bias changed places?"
    assert yours.std(-1).max() > 1e-4, flat
    over = {"words": 1, "sentences": 0, "words of all sentences, as in batch norm": (0, 1)}
    over = [what for what, axis in over.items() if yours.mean(axis).abs().max() < 1e-4]
    cause = f"It was averaged over the {over[0]}. {own}" if over else own
    both = [F.layer_norm(t, (6,)).flatten(0, 1) for t in (x, yours)]
    if not over and not check.same(*both, 0.02) and not check.same(both[0], -both[1], 0.02):
        cause = "Within a word, not all numbers are moved and scaled alike. Are mean and variance those of"
        cause += "\nthe last axis, and is nothing done besides?"
    if check.same(yours.mean(-1), none + 1):
        cause = "Multiply by weight, which begins with 1, and add bias. Is weight added?"
    taken = x.mean(-1) - yours.mean(-1) * x.std(-1) / yours.std(-1)  # what was subtracted
    cause = check.like(taken, {
        "Nothing was subtracted. Subtract the mean of the word.": none,
        "The median was subtracted. Subtract the mean.": x.median(-1).values,
        "The mean was added. Subtract it.": -x.mean(-1),
        "The mean was subtracted twice. Subtract it once.": 2 * x.mean(-1),
        "The mean was subtracted after the division. Subtract it from x, then divide.":
            x.mean(-1) * x.std(-1, correction=0),
        "The smallest number was subtracted. Subtract the mean.": x.amin(-1),
        f"All words shared one mean. {own}": none + x.mean(),
        f"The words of a sentence shared one mean. {own}": none + x.mean((1, 2))[:, None],
        f"The sentences shared their means. {own}": none + x.mean((0, 2)),
    }, cause, atol=2e-3)  # fmt: skip
    told = f"The first word has a mean of {yours[0, 0].mean():.2f}, expected 0."
    assert check.same(yours.mean(-1), none, 2e-3), f"{told} {cause}"

    # And the variance?
    after, before = yours.var(-1, correction=0), x.var(-1, correction=0)
    apart = x - x.mean(-1, keepdim=True)
    cause = check.like(after, {
        "That is 5/6: `std` and `var` divide by d − 1 = 5 unless you pass correction=0.":
            none + 5 / 6,
        "Take the square root of the variance before you divide by it.": 1 / before,
        "Divide by the root of the variance. Here it is multiplied by it.": before.square(),
        "Is it `** 1 / 2`? That is (** 1) / 2. Write ** 0.5.": 0.25 / before,
        "Is it `(… ** 1 / 2)`? That is (… ** 1) / 2. Write ** 0.5.": 4 / before,
        "Divide by the root of the mean of the squares, not of their sum.": none + 1 / 6,
        "Nothing was divided. Divide by the root of the variance.": before,
        "Square what is left after the mean is subtracted, not x itself.":
            before / x.square().mean(-1),
        "Square what is left after the mean is subtracted, instead of taking its size.":
            before / apart.abs().mean(-1).square(),
        f"All words shared one variance. {own}": before / apart.square().mean(),
        "You divided by the largest number. Divide by the root of the variance.":
            before / apart.abs().amax(-1).square(),
        "You divided by the range, the largest minus the smallest. Divide by the root of the "
        "variance.": before / (x.amax(-1) - x.amin(-1)).square(),
        "The result is multiplied by 1 + weight. Multiply by weight.": none + 4,
    }, wrong_divisor(before, after), atol=2e-3)  # fmt: skip
    spread = f"The first word has a variance of {after[0, 0]:.2f}, expected 1."
    assert check.same(after, none + 1, 2e-3), f"{spread} {cause}"

    # A word of ±1 has variance 1. With ε = 3 it becomes ±1 / √(1 + 3) = ±0.5.
    ones = torch.tensor([1.0, -1, 1, -1, 1, -1])
    got = check.call(LayerNorm(6, eps=3.0), ones, stuck=axis)[0]
    cause = check.near(got, {
        "The ε that was given is not used. Keep it in self.": 1.0,
        "ε was added to the standard deviation. Add it to the variance, then take the root.": 0.25,
        "ε was added to the quotient. It belongs under the root.": 4.0,
        "ε was squared.": 10**-0.5,
    }, "Add ε to the variance, once, and take the root of the sum.")  # fmt: skip
    told = f"ε = 3 turns a word of ±1 into ±{got:.4f}, expected ±0.5."
    assert abs(got - 0.5) < 1e-3, f"{told} {cause}"
    got, cause = (
        LayerNorm(6)(ones / 1000)[0],
        "Is 1e-5 used where no ε is given, and added to the variance?",
    )
    assert abs(got - 0.3015) < 1e-3, f"A word of ±0.001 becomes ±{got:.4f}, not ±0.3015. {cause}"

    # A weight of 2 and a bias of 3: twice as wide, then moved by 3.
    twice = {"weight": torch.full((6,), 2.0), "bias": torch.full((6,), 3.0)}
    layer.load_state_dict(twice, strict=False)
    wide, moved = layer(x).std() / yours.std(), layer(x).mean()
    told = f"With a weight of 2 the spread grows by a factor of {wide:.2f}, expected 2."
    cause = "Multiply the normalised word by weight, once."
    if abs(wide - 5) < 1e-2:
        cause = "That is weight + bias. Multiply by weight first, then add bias to the product."
    assert abs(wide - 2) < 1e-2, f"{told} {cause}"
    cause = "The bias was multiplied by weight too." if abs(moved - 6) < 0.1 else "Add it once."
    told = f"A weight of 2 and a bias of 3 give a mean of {moved:.2f}, expected 3."
    assert abs(moved - 3) < 1e-2, f"{told} Add the bias after the weight. {cause}"

    # Numbers and gradients against PyTorch's own layer; then large numbers.
    state = {"weight": torch.linspace(-1, 2, 6), "bias": torch.linspace(3, -1, 6)}
    layer.load_state_dict(state, strict=False)
    theirs, slopes = nn.LayerNorm(6), torch.randn(2, 5, 6)
    theirs.load_state_dict(state)
    told = "The result differs from PyTorch's layer with the same weight and bias."
    compare(layer(x), theirs(x), f"{told} Does each column use its own number?")
    here = x.clone().requires_grad_()
    check.trainable(layer, x=here)
    check.reaches(layer(here), **dict(layer.named_parameters()))
    got, want = (torch.autograd.grad((f(here) * slopes).sum(), here)[0] for f in (layer, theirs))
    compare(got, want, "The gradient of x is wrong. Were mean or variance detached?", atol=1e-4)
    told = "Words around 1,000 come out wrong. Subtract the mean before you square."
    compare(check.call(layer, x + 1000), theirs(x + 1000), told, atol=5e-3)
    told = "After .eval() it gives other numbers. A word has its own mean and variance there, too."
    compare(check.call(layer.eval(), x), theirs(x), f"{told}\nDoes it ask for self.training?")
    for some in (x[0, 0], x[:, :1], x.view(5, 1, 2, 6)):
        told = f"x {tuple(some.shape)}: wrong. Does every axis stay, also one of size 1?"
        here = some.clone().requires_grad_()
        yours, wanted, pull = (
            check.call(layer, here, stuck=axis),
            theirs(here),
            torch.randn(some.shape),
        )
        compare(yours, wanted, told)
        told = f"x {tuple(some.shape)}: the numbers are right, and the gradient of {{}} is wrong.\n"
        told += "Is it written by hand? Sum over the words that there are, and over no column."
        shape = "The gradient is written by hand, and one of its parts has the wrong shape. Sum over the"
        shape += "\nwords that there are, and over no column."
        mine, right = ({"x": here} | dict(each.named_parameters()) for each in (layer, theirs))
        for name in ("x", "weight", "bias"):
            got = check.call(torch.autograd.grad, (yours * pull).sum(), mine[name],
                             retain_graph=True, stuck=shape)  # fmt: skip
            want = torch.autograd.grad((wanted * pull).sum(), right[name], retain_graph=True)
            compare(got[0], want[0], told.format(name), atol=1e-4)
    return "LayerNorm passes: it agrees with PyTorch's layer, in its numbers and in its gradient."


def check_FeedForward(FeedForward):
    # Four parameters: linear1 widens each word to d_ff = 7, linear2 brings it back to 3.
    order = "The arguments are d_model, d_ff, dropout and activation, in this order."
    stuck = {
        "relu": '"relu" is allowed. Is it `not in ("relu", "gelu")`? Where two `!=` are joined'
        " by `or`, one of them always holds.",
        "FeedForward.__init__() takes": order,
        "": "Is each part made with d_model and d_ff?",
    }
    layer = check.call(FeedForward, 3, 7, stuck=stuck)
    wanted = {"linear1.weight": (7, 3), "linear1.bias": (7,)}
    wanted |= {"linear2.weight": (3, 7), "linear2.bias": (3,)}
    check.parameters(layer, wanted, (
        "Are linear1 and linear2 the only layers, both nn.Linear with bias, first to d_ff and back?"
    ))  # fmt: skip

    # Both layers copy, so the hidden layer is x + 0.25, and the output is its activation − 0.5.
    copies = {"linear1.weight": torch.eye(7, 3), "linear1.bias": torch.full((7,), 0.25)}
    copies |= {"linear2.weight": torch.eye(3, 7), "linear2.bias": torch.full((3,), -0.5)}
    layer.load_state_dict(copies, strict=False)
    layer.eval()
    x, axes = torch.tensor([[-2.0, -0.25, 1.75]]), "Any axes may stand before the last one."
    swapped = "Are words and columns swapped, by transpose(1, 2)? linear1 reads the last axis."
    stuck = {"mat1": f"linear1 comes first, then the activation, then linear2. {axes}"}
    stuck["Dimension out of range"] = f"{swapped} {axes}"
    stuck[""] = f"Is the activation called on a tensor? {axes}"
    yours = check.call(layer, x, stuck=stuck)
    check.tensor(yours, (1, 3), "one word", {(1, 7): "Apply linear2 at the end."})
    low, high = (yours[0, [0, 2]] + 0.5).tolist()
    told = f"linear2's bias of −0.5 is lost: the smallest output is {yours.min():.2f}."
    cause = "Is there an activation after linear2?"
    if yours.max() > 1.75:
        cause = "Is it added? `hidden @ linear2.weight.T` leaves it out, and linear2(hidden) adds it."
    assert yours.min() < 0, f"{told} {cause}"
    cause = check.near(low, {
        "x was added to the result. The residual belongs to the block.": -2.0,
        'That is gelu. The default is "relu".': -0.0701,
        "There is no activation between the layers.": -1.75,
        "The activation was applied before linear1. Apply it to linear1's result.": 0.25,
        "There is an activation after linear2 too.": 0.3457, "That is silu.": -0.2591,
        "The result is doubled. Is something added to itself?": -0.5,
        "That is leaky_relu.": -0.0175, "That is elu.": -0.8262, "That is sigmoid.": 0.1480,
        "That is tanh.": -0.9414, "That is abs: it turns −1.75 into 1.75.": 1.75,
    }, "Apply F.relu to the result of linear1, and nothing else.")  # fmt: skip
    if abs(high - low) < 1e-5:
        cause = "Both come out the same. Is a mean taken off x, over the words for instance?"
    told = f"A hidden −1.75 should become 0 and a hidden 2 stay 2, got {low:.4f} and {high:.4f}."
    assert abs(low) < 1e-5 and abs(high - 2) < 1e-5, f"{told} {cause}"

    # Numbers at random: is linear2's weight transposed, and not reshaped?
    layer, y = check.call(FeedForward, 3, 7).eval(), torch.randn(2, 3)
    state = {name: torch.randn(shape) for name, shape in wanted.items()}
    w1, b1, w2, b2 = state.values()
    layer.load_state_dict(state, strict=False)
    mixed = (y @ w1.T + b1).clamp(min=0) @ w2.reshape(7, 3) + b2
    told = "With numbers at random the result is not linear2(relu(linear1(x))). Is linear2's weight"
    told += " reshaped?\nA reshape reads the numbers in rows and mixes them. Use .T."
    assert not check.same(check.call(layer, y, stuck=axes), mixed, 5e-4), told

    # The other activation: gelu turns a hidden 2 into 1.9545, and −1.75 into −0.0701.
    layer = check.call(FeedForward, 3, 7, activation="gelu").eval()
    layer.load_state_dict(copies, strict=False)
    low, high = (check.call(layer, x, stuck=axes)[0, [0, 2]] + 0.5).tolist()
    cause = check.first({
        'activation="gelu" changed nothing. Is the argument used?': abs(high - 2) < 1e-5,
        "That is gelu's tanh approximation. Use F.gelu as it is.": abs(high - 1.954598) < 1e-5,
        "That is silu or another curve. Use F.gelu as it is.": 1 < high < 1.954,
    }, "Use F.gelu as it is, between the layers.")  # fmt: skip
    told = f"gelu: hidden 2 and −1.75 become {high:.5f} and {low:.5f}, not 1.95450 and −0.07010."
    assert abs(high - 1.954500) < 2e-5 and abs(low + 0.070104) < 2e-5, f"{told} {cause}"

    # Dropout 0.25 on hidden ones: gelu(1) / 0.75 = 1.12 survives or 0, and linear2 adds 10.
    layer = check.call(FeedForward, 3, 7, 0.25, "gelu", stuck=order)
    copies |= {"linear1.bias": torch.zeros(7), "linear2.bias": torch.full((3,), 10.0)}
    layer.load_state_dict(copies, strict=False)
    ones = torch.ones(4, 16, 3)  # 4 sentences of 16 words
    yours = check.call(layer, ones, stuck=axes)
    check.tensor(yours, (4, 16, 3), "4 sentences of 16 words", otherwise="Does every axis stay?")
    seen = sorted({round(value, 2) for value in yours.flatten().tolist()})
    cause = check.first({
        "There is no dropout.": seen == [10.84],
        "Every word loses the same numbers. Each number of each word has a toss of its own.":
            seen in ([11.12], [10.0]),
        "It fell after linear2. Drop from the hidden layer.": seen == [0.0, 14.46],
        "It fell twice, on the hidden layer and after linear2.": 0.0 in seen,
        "It fell twice on the hidden layer. Drop once.": 11.5 in seen,
        "It fell before the activation, on x or on linear1's result. Drop after it.": 11.21 in seen,
        "It also fell before the activation. Drop after it, and only there.": 11.62 in seen,
        "0.25 was taken for the share that is kept. It is what is dropped.": 13.37 in seen,
        "Divide what is kept by 1 − 0.25, as nn.Dropout does.": seen == [10.0, 10.84],
    }, "Drop from the activated hidden layer, with the rate that was given.")  # fmt: skip
    told = f"dropout=0.25 in training: expected the values 10.00 and 11.12, got {seen[:4]}."
    assert seen == [10.0, 11.12], f"{told} {cause}"
    rows = layer(ones).flatten(0, 1) > 11
    told = "dropout=0.25: in every word the same numbers, or whole words, are dropped."
    each = rows.any(0).all() and not rows.all(0).any() and (rows != rows[:, :1]).any()
    assert each, f"{told} Every hidden number has a toss of its own."
    seen = sorted({round(value, 2) for value in layer.eval()(ones).flatten().tolist()})
    cause = "Does the dropout know that the module is not in training?"
    assert seen == [10.84], f"dropout in eval(): expected 10.84 everywhere, got {seen[:4]}. {cause}"

    # Other names are refused. Then the formula itself, one word at a time, and its gradient.
    def a_layer_with(activation):
        return FeedForward(3, 7, activation=activation)(x)

    whole = 'Compare it with "relu" and "gelu" yourself, and raise a ValueError for any other.'
    for other in ("tanh", "silu", "GELU"):
        check.refuses(a_layer_with, other, names=(other,), otherwise=whole)
    part = 'Does `in` look into one text? "elu" is a part of "relu". Write a tuple of two.'
    check.refuses(a_layer_with, "elu", names=("elu",), otherwise=part)
    layer, x = check.call(FeedForward, d_model=3, d_ff=7), 9 * torch.randn(2, 5, 3)
    assert check.same(layer(x), layer(x)), "Two calls differ. Without the argument, dropout is 0."
    state = {name: torch.randn(shape) for name, shape in wanted.items()}
    w1, b1, w2, b2 = state.values()
    layer.load_state_dict(state, strict=False)
    expected = torch.stack([w2 @ (w1 @ word + b1).clamp(min=0) + b2 for word in x.flatten(0, 1)])
    told = "The result differs from the formula, one word at a time. Does every word pass alone?"
    told += "\nAnd does the activation leave large numbers as they are? These are up to about 50."
    yours = check.call(layer, x, stuck=axes)
    tied = [(x @ w.T + b1).clamp(min=0) @ w + b2 for w in (w1, w2.T)]
    if any(check.same(yours, once, 5e-4) for once in tied):
        told = "linear1's weight is used in both steps. linear2 has a weight of its own."
    compare(yours, expected.view(2, 5, 3), told, atol=5e-4)
    check.trainable(layer, x=x)
    for each in (layer, FeedForward(3, 7, 0.25)):  # without dropout and with it
        check.reaches(each(x), **dict(each.named_parameters()))
    return "FeedForward passes: it agrees with the formula, and dropout acts in training alone."


def unknown(block, theirs, sentences, parts):
    """For agrees: a function that tells in which sub-layer the fault is, and what `examine` finds there."""

    def told():
        where = check.located(block, theirs, sentences, parts)
        attends = where.endswith("attention alone adds to the stream.")
        more = {"context": sentences[1]} if len(sentences) > 1 else {}
        where = f"No known mistake gives this. {where}"
        return no_known_cause(where, block, n_heads=3, **more)() if attends else where

    return told


def same_slopes(blocks, theirs, names, *sizes):
    """In both orders, what a loss sends back to each sentence is what PyTorch's layer sends."""
    sentences = [torch.randn(size).requires_grad_() for size in sizes]
    pull = torch.randn(sizes[0])
    for first, block in blocks.items():
        theirs.norm_first, yours = first, check.filled(block.eval(), theirs, names)
        got, want = (torch.autograd.grad((f(*sentences) * pull).sum(), sentences)
                     for f in (yours, theirs))  # fmt: skip
        for name, mine, right in zip(("x", "context"), got, want):
            told = f"norm_first={first}: the numbers are right, and the gradient of {name} is not."
            compare(mine, right, f"{told} Is one way from {name} to the output detached?", 1e-3)


@without(
    "nn.TransformerEncoderLayer",
    "TransformerEncoder",
    "Transformer",
    "TransformerDecoderLayer",
    "TransformerDecoder",
)
def check_TransformerBlock(TransformerBlock):
    # Your block in both orders gets the names, the shapes and the numbers of PyTorch's layer.
    theirs = nn.TransformerEncoderLayer(12, 3, 20, 0.0, batch_first=True)
    names = "Call the parts self_attn, norm1, norm2, and linear1 and linear2, alone or in"
    blocks = check.blocks(TransformerBlock, theirs, f"{names} feed_forward.")

    # Without a mask, with one for all sentences, and with one for each.
    x, i, parts = torch.randn(2, 5, 12), torch.arange(5), {"s": "attention", "f": "feed-forward"}
    x[0, 2] = 0  # a word of zeros is a word like any other
    ring, padding = (i - i[:, None]) % 5 < 2, i < torch.tensor([3, 5]).view(2, 1, 1, 1)
    known = {first: check.block_mistakes(x, parts, first) for first in blocks}
    alone = check.number_mistakes(theirs)
    for mask, otherwise in (
        (None, "No known mistake gives this."),
        (ring, "Does `mask` reach attention? It is for every head and sentence."),
        (padding, "Each sentence has its own mask, for all its heads and queries."),
    ):
        keep = torch.ones(2, 3, 5, 5).bool() if mask is None else mask.expand(2, 3, 5, 5)
        given, shown = ((), "") if mask is None else ((mask,), f", mask {tuple(mask.shape)}")
        besides = {
            "Later words are hidden, though nothing hides them.": {"keep": keep.tril()},
            "A word of zeros is hidden. The mask alone says what is.":
                {"keep": keep & (x != 0).any(-1)[:, None, None]},
            "The mask is not used.": {"keep": keep | True},
            "The mask is inverted: True means that a query may attend.": {"keep": ~keep},
            "The mask's rows and columns are swapped. Rows are queries.": {"keep": keep.mT},
            "Each sentence has its own mask. All got the first one's.": {"keep": keep[[0, 0]]},
            "Feed-forward should read the first sum after its norm.":
                {"way0": lambda s, f, n, x: s + f(s), "way1": lambda s, f, n, x:
                 n(theirs.norm1(s) + f(s))},
            "norm1 is applied once more to what feed-forward reads.":
                {"way1": lambda s, f, n, x: n(s + f(theirs.norm1(s)))},
        }  # fmt: skip

        # Both orders against PyTorch's layer. Which mistake, or which two, give your numbers?
        for first, yours in blocks.items():
            theirs.norm_first = first
            expected = theirs(x, ~keep.flatten(0, 1))
            stuck = {"tuple": "nn.MultiheadAttention returns a pair. Its first part is the output."}
            stuck[""] = otherwise if given else "Does mask=None hide nothing? Do all shapes fit?"
            stuck["Block' object has no attribute"] = MADE
            stuck["same dtype"] = BY_NAME
            out = check.call(yours, x, *given, stuck=stuck)
            check.tensor(out, (2, 5, 12), "the output of the block")
            told = "In eval() two calls differ. Does every dropout know that this is no training?"
            assert given or check.same(out, yours(x)), told
            mixed = theirs(x, ~keep.transpose(0, 1).flatten(0, 1))
            cause = otherwise if given else unknown(yours, theirs, [x], parts)
            if check.same(out, mixed):
                cause = "Are the masks in the order of nn.MultiheadAttention? All heads of the\n"
                cause += "first sentence come first."

            def changed(keep=keep, first=first, **steps):
                return check.block(theirs, [x], parts, first, keep, **steps)

            told = f"norm_first={first}{shown}: differs from PyTorch's layer."
            ways = known[first] | besides
            check.agrees(out, expected, told, changed, ways, cause, 1e-4, alone)

    # A mask may differ from head to head.
    theirs.norm_first, heads = True, torch.arange(3).view(1, 3, 1, 1)
    own = ((i - i[:, None] + heads) % 5 < 2).expand(2, 3, 5, 5)
    out = check.call(blocks[True], x, own, stuck="A mask may be (batch, n_heads, seq, seq).")
    first_head = theirs(x, ~own[:, [0, 0, 0]].flatten(0, 1))
    cause = "Does it broadcast to (batch, n_heads, seq, seq)?"
    cause = "All heads got the first one's." if check.same(out, first_head) else cause
    told = f"Each head has a mask of its own, and the output is wrong. {cause}"
    compare(out, theirs(x, ~own.flatten(0, 1)), told, 2e-3)  # ε has a test of its own
    check.block_epsilon(blocks[True], theirs, [x], parts)

    # Dropout falls on the attention weights, on the hidden layer, and after each sub-layer.
    inner = {"attention weights": "self_attn.out_proj", "hidden layer": "linear2"}
    check.block_dropout(blocks[True], theirs, inner)

    # Called by name, and gradients reach x and every weight.
    pre = check.filled(blocks[True].eval(), theirs, names)
    check.trainable(pre, x=x, mask=ring)
    for block in (pre, TransformerBlock(12, 3, 20, 0.5)):  # without dropout and with it
        weights = {n: p for n, p in block.named_parameters() if n.endswith("weight")}
        check.reaches(block(x), **weights)
    same_slopes(blocks, theirs, names, (2, 5, 12))
    check.block_defaults(TransformerBlock, theirs, x)
    return "TransformerBlock passes: in both orders it agrees with nn.TransformerEncoderLayer."


@without(
    "nn.TransformerDecoderLayer",
    "TransformerDecoder",
    "Transformer",
    "TransformerEncoderLayer",
    "TransformerEncoder",
)
def check_DecoderBlock(DecoderBlock):
    # Your block in both orders gets the names, the shapes and the numbers of PyTorch's layer.
    theirs = nn.TransformerDecoderLayer(12, 3, 20, 0.0, batch_first=True)
    names = "Call the parts self_attn, multihead_attn, norm1, norm2, norm3, linear1 and linear2,"
    blocks = check.blocks(DecoderBlock, theirs, f"{names}\nthe last two alone or in feed_forward.")

    # Without masks, with one for all sentences, and with one for each.
    x, context, i = torch.randn(2, 5, 12), torch.randn(2, 7, 12), torch.arange(7)
    context[0, 2] = 0  # a word of zeros is a word like any other
    parts = {"s": "self-attention", "c": "cross-attention", "f": "feed-forward"}
    ring, padding = (i - i[:5, None]) % 5 < 2, i < torch.tensor([4, 6]).view(2, 1, 1, 1)
    known = {first: check.block_mistakes(x, parts, first) for first in blocks}
    alone = check.number_mistakes(theirs)

    def read_back(stream):  # the context asks, and the stream is read
        return theirs.multihead_attn(context, stream, stream)[0][:, :5]

    for masks, otherwise in (
        ({}, "No known mistake gives this."),
        ({"mask": ring[:, :5]}, "Hand mask to self-attention alone."),
        ({"context_mask": ring}, "Hand context_mask to cross-attention alone."),
        ({"context_mask": padding}, "Each sentence has its own context_mask, for all heads."),
        ({"mask": ring[:, :5], "context_mask": ring}, "Both masks are given, and both count."),
    ):
        keep = masks.get("mask", torch.tensor(True)).expand(2, 3, 5, 5)
        see = masks.get("context_mask", torch.tensor(True)).expand(2, 3, 5, 7)
        shown = "".join(f", {name} {tuple(mask.shape)}" for name, mask in masks.items())
        besides = {
            "self_attn and multihead_attn have changed places.":
                {"uses": {"s": "multihead_attn", "c": "self_attn"}},
            "multihead_attn is used for self-attention too.": {"uses": {"s": "multihead_attn"}},
            "self_attn is used for cross-attention too.": {"uses": {"c": "self_attn"}},
            "Self-attention looks at the context.": {"words": {"s": lambda q: context}},
            "Cross-attention looks at its own sentence.": {"words": {"c": lambda q: q}},
            "Query and context changed places in cross-attention. The queries come from the stream.":
                {"way1": lambda s, f, n, x:
                 s + read_back(n(s)) if theirs.norm_first else n(s + read_back(s))},
            **{f"The context is normed too, by norm{n}. The norms are for the stream.":
               {"words": {"c": lambda q, n=n: getattr(theirs, f"norm{n}")(context)}} for n in (1, 2, 3)},
            "The context is normed too. The norms are for the stream.":
                {"words": {"c": lambda q: F.layer_norm(context, (12,))}},
            "All sentences read the context of the first.":
                {"words": {"c": lambda q: context[[0, 0]]}},
            "Later words are hidden, though nothing hides them.": {"keep": keep.tril()},
            "A word of zeros in the context is hidden. context_mask alone says what is.":
                {"see": see & (context != 0).any(-1)[:, None, None]},
            "Rows and columns of mask are swapped. Rows are queries.": {"keep": keep.mT},
            "mask was given to cross-attention too.": {"see": see & F.pad(keep, (0, 2), value=1)},
        }  # fmt: skip
        for name, step, mask in (("mask", "keep", keep), ("context_mask", "see", see)):
            besides |= {f"{name} is not used.": {step: mask | True},
                        f"{name} is inverted: True means may attend.": {step: ~mask},
                        f"Each sentence has its own {name}.": {step: mask[[0, 0]]}}  # fmt: skip

        # Both orders against PyTorch's layer. Which mistake, or which two, give your numbers?
        for first, yours in blocks.items():
            theirs.norm_first = first
            expected = theirs(x, context, ~keep.flatten(0, 1), ~see.flatten(0, 1))
            stuck = {"tuple": "nn.MultiheadAttention returns a pair. Its first part is the output."}
            stuck["argument"] = "The arguments are x, context, mask and context_mask."
            stuck["invalid for input"] = "Are words taken for sentences? nn.MultiheadAttention"
            stuck["invalid for input"] += " needs batch_first=True."
            stuck[""] = "Queries come from x, keys and values from context. None hides nothing."
            stuck[""] = otherwise if masks else stuck[""]
            stuck["Block' object has no attribute"] = MADE
            stuck["same dtype"] = BY_NAME
            out = check.call(yours, x, context, stuck=stuck, **masks)
            turned = {(2, 7, 12): "Is x the first argument?"}
            check.tensor(out, (2, 5, 12), "the output of the block", turned)
            told = "In eval() two calls differ. Does every dropout know that this is no training?"
            assert masks or check.same(out, yours(x, context)), told

            def changed(keep=keep, see=see, first=first, **steps):
                return check.block(theirs, [x, context], parts, first, keep, see, **steps)

            told = f"norm_first={first}{shown}: differs from PyTorch's layer."
            ways = known[first] | besides
            cause = otherwise if masks else unknown(yours, theirs, [x, context], parts)
            check.agrees(out, expected, told, changed, ways, cause, 1e-4, alone)

    # Another context, of as many words as x: mask would fit it, and is for self-attention alone.
    theirs.norm_first, near, hidden = True, context[:, 2:], ~ring[:, :5]
    out = check.call(blocks[True], x, near, mask=ring[:, :5], stuck="Is the context's size fixed?")
    cause = check.first({
        "Is the context of an earlier call kept?": check.same(out, theirs(x, context, hidden)),
        "Does cross-attention get mask, where there is no context_mask?":
            check.same(out, theirs(x, near, hidden, hidden)),
    }, "Is each call by itself?")  # fmt: skip
    told = f"Another context, of five words as x, and mask (5, 5): the output is wrong. {cause}"
    compare(out, theirs(x, near, hidden), told, 2e-3)
    check.block_epsilon(blocks[True], theirs, [x, context], parts)

    # Dropout falls on both kinds of weights, on the hidden layer, and after each sub-layer.
    inner = {
        "weights of self-attention": "self_attn.out_proj",
        "weights of cross-attention": "multihead_attn.out_proj",
        "hidden layer": "linear2",
    }
    check.block_dropout(blocks[True], theirs, inner)

    # Called by name and by position, and gradients reach both sentences and every weight.
    pre = check.filled(blocks[True].eval(), theirs, names)
    check.trainable(pre, x=x, context=context, mask=ring[:, :5], context_mask=ring)
    check.call(pre, x, context, ring[:, :5], ring, stuck="mask comes before context_mask.")
    for block in (pre, DecoderBlock(12, 3, 20, 0.5)):  # without dropout and with it
        weights = {n: p for n, p in block.named_parameters() if n.endswith("weight")}
        check.reaches(block(x, context), **weights)
    same_slopes(blocks, theirs, names, (2, 5, 12), (2, 7, 12))
    check.block_defaults(DecoderBlock, theirs, x, context)
    return "DecoderBlock passes: in both orders it agrees with nn.TransformerDecoderLayer."


@without("nn.TransformerEncoder", "Transformer", "TransformerDecoder")
def check_stack(stack):
    class Line(nn.Module):
        """weight · x + bias, plus the number of True in mask, and 1 in eval mode."""

        def __init__(self, weight=None, bias=0.0):
            super().__init__()
            first = torch.randn(1) if weight is None else torch.tensor([weight])
            self.weight, self.bias = nn.Parameter(first), nn.Parameter(torch.tensor([bias]))

        def forward(self, x, mask=None):
            more = (0 if mask is None else mask.sum()) + (not self.training)
            return self.weight * x + self.bias + more

    class End(Line):
        """The norm of these tests. A copy of it answers otherwise, and so its output tells."""

        def __deepcopy__(self, memo):
            return Line(20.0, 4.0)

    # Three layers, each with parameters of its own, and nothing besides.
    calls = "make_block takes no arguments: call it as make_block(), once per layer."
    stacked = check.call(stack, Line, 3, stuck=calls)
    cause = "Is there a `return`?" if stacked is None else "Return an object of your class."
    told = f"Expected an nn.Module, got {type(stacked).__name__}. {cause}"
    assert isinstance(stacked, nn.Module), told
    names, state = set(check.shapes(stacked)), stacked.state_dict()
    wanted = {f"layers.{i}.{name}" for i in range(3) for name in ("weight", "bias")}
    cause = check.first({
        "The module has no parameters. Is layers a plain list, where an nn.ModuleList belongs?":
            not state,
        "One block stands in the list several times, so the layers share their numbers.":
            bool(names < state.keys()),
    }, "Keep n_layers blocks in self.layers, an nn.ModuleList.")  # fmt: skip
    told = f"Expected the parameters of layers 0 to 2, got {sorted(names)[:8]}."
    assert wanted <= names, f"{told} {cause}"
    assert names == wanted, f"{told} Is there one block too many, or is one kept elsewhere as well?"
    kind = type(stacked.layers)
    assert issubclass(kind, nn.ModuleList), f"Expected an nn.ModuleList in layers, got {kind}."
    told = "The stack comes in eval mode. Whoever gets it decides on its mode. Is it .eval()?"
    assert stacked.training, told
    weights = [state[f"layers.{i}.weight"].item() for i in range(3)]
    told = "The layers start with the same numbers, though each make_block() gives others."
    assert len(set(weights)) == 3, f"{told} Call it once per layer, and copy nothing."

    # Two layers, and a norm: it is one more part of the module.
    made = "norm is a module already, or None. Is it called as if it were a class?"
    names = check.shapes(check.call(stack, Line, 2, Line(10.0, 4.0), stuck=made))
    inside = sum(name.startswith("layers.") for name in names) // 2
    told = f"stack(make_block, 2, norm) has {inside} layers, expected 2."
    cause = "Is n_layers used, and is norm kept beside the layers?"
    if inside == 5:
        cause = "The three of the stack before are among them. Is the list made in each call?"
    assert inside == 2, f"{told} {cause}"
    told = f"stack(make_block, 2, norm): {len(names) - 4} parameters beside layers, expected 2."
    assert len(names) == 6, f"{told} Keep norm in self."

    # 2x + 1, then 3x − 1, then 4x + 0.5: so 1 becomes 3, then 8, then 32.5.
    numbers = enumerate(((2.0, 1.0), (3.0, -1.0), (4.0, 0.5)))
    lines = {f"layers.{i}.{n}": torch.tensor([v]) for i, pair in numbers
             for n, v in zip(("weight", "bias"), pair)}  # fmt: skip

    def result(*mask, norm=None, training=True):
        module = check.call(stack, Line, 3, norm).train(training)
        module.load_state_dict(lines, strict=False)
        none = "Without a norm there is nothing to call. Is it asked for by `if norm is not None`?"
        stuck = {"NoneType": none, "": "Does forward take (x, mask=None), and call layer(x, mask)?"}
        for given in ((), mask):  # nothing may stay of a call without a mask
            out = check.call(module, torch.ones(1, 3, 1), *given, stuck=stuck)
        alone = "Return what the last layer returns, alone."
        check.tensor(out, (1, 3, 1), "the output of the stack", otherwise=alone)
        return out[0, 0].item()

    got = result()
    cause = check.near(got, {
        "The layers run from last to first.": 26.0, "The last layer is missing.": 8.0,
        "Every layer reads x, or only the last one runs. Each reads what the one before gave.": 4.5,
        "The first layer is missing.": 8.5, "The outputs of the layers are added up.": 9.5,
        "Only the first layer ran. Is `return` inside the loop?": 3.0, "Nothing ran.": 1.0,
        "The first layer runs three times.": 15.0, "x is added once more at the end.": 33.5,
        "x is added to what each layer returns. The residual belongs to the block.": 75.5,
        "The layers ran in eval mode, although the module is in training.": 49.5,
        "The last layer runs twice.": 130.5, "The result is divided by 3.": 10.8333,
        "No mask is given, and a layer gets one. None hides nothing. Is a mask made?": 134.5,
    }, "Apply each layer once, to what the one before returned.")  # fmt: skip
    told = f"1 through 2x + 1, 3x − 1 and 4x + 0.5 should become 32.5, got {got:.2f}."
    if got == 0:
        cause = "Is a norm applied, though none is given?"
    if got != result():
        cause = "And two calls differ. Does forward make new blocks? Use those in self.layers."
    assert abs(got - 32.5) < 1e-2, f"{told} {cause}"
    got = result(norm=End(10.0, 4.0))
    cause = check.near(got, {
        "This is what a copy of norm gives. Keep the norm that came, or else training the stack "
        "never reaches it.": 654.0,
        "norm is not applied.": 32.5, "norm is applied after each layer.": 40569.0,
        "norm is applied before the layers.": 344.5, "norm is applied twice.": 3294.0,
    }, "Apply norm once, after the last layer.")  # fmt: skip
    assert abs(got - 329) < 1e-1, f"Then 10x + 4 as norm: expected 329, got {got:.2f}. {cause}"

    # In eval mode every layer and the norm add 1: so 1 becomes 4, 12, 49.5, and at last 500.
    got = result(norm=Line(10.0, 4.0), training=False)
    cause = check.near(got, {
        "norm is not applied in eval mode.": 49.5, "All of them are still in training.": 329,
    }, "Does forward do the same in both modes?")  # fmt: skip
    told = f"In eval mode, where each adds 1 more, expected 500, got {got:.2f}."
    assert abs(got - 500) < 1e-1, f"{told} {cause}"

    # A mask reaches every layer as it came, and does not reach the norm.
    mask = torch.arange(6).view(2, 3) < 5  # five True: each Line adds 5
    got = result(mask, norm=Line(10.0, 4.0))
    cause = check.near(got, {
        "The mask is not handed on. Or is an earlier call's kept?": 329.0, "Only the first layer got it.": 929.0,
        "Only the last layer got it.": 379.0, "It was inverted on the way.": 499.0,
    }, "Call layer(x, mask), and norm(x) alone.")  # fmt: skip
    told = f"With a mask of which each layer adds its five True: expected 1179, got {got:.2f}."
    assert abs(got - 1179) < 1e-1, f"{told} {cause}"
    got = result(mask, norm=Line(10.0, 4.0), training=False)
    cause = "Does each layer get the mask in both modes?"
    assert abs(got - 1350) < 1e-1, f"The same in eval mode: expected 1350, got {got:.2f}. {cause}"

    # Called by name, and gradients reach x and every layer.
    check.trainable(stacked, x=torch.ones(2, 3, 4), mask=mask)
    for module in (stacked, stack(Line, 2, Line(10.0, 4.0))):  # without a norm and with one
        check.reaches(check.call(module, torch.ones(2, 3, 4)), **dict(module.named_parameters()))
    check.call(stack, make_block=Line, n_layers=2, norm=None, stuck="Keep the arguments' names.")
    return "stack passes: blocks of their own, called in order, with the mask, and norm at the end."


@without(
    "nn.TransformerEncoderLayer",
    "TransformerEncoder",
    "TransformerDecoderLayer",
    "TransformerDecoder",
    "Transformer",
    "MultiheadAttention",
    "Linear",
    "LayerNorm",
    "Module",
)
def check_count_parameters(count_parameters):
    def real(d_model, d_ff, bias):
        layer = nn.TransformerEncoderLayer(d_model, 1, d_ff, bias=bias)
        return sum(p.numel() for p in layer.parameters())

    # An int, in which the number of heads plays no part.
    yours = check.call(count_parameters, 12, 3, 20)
    cause = "Is there a `return`?" if yours is None else "Is there a `/`, a tensor or numpy in it?"
    exact = isinstance(yours, int) and not isinstance(yours, bool)
    assert exact, f"Expected an int, got {type(yours).__name__}. {cause}"
    other = check.call(count_parameters, 12, 4, 20)
    told = f"With 4 heads instead of 3 the count goes from {yours} to {other}."
    assert yours == other, f"{told} The heads share the width d_model, so it should stay the same."

    # Let a size grow by one and see how the count grows: that isolates each product.
    for bias in (False, True):
        sizes = ((12, 20), (13, 20), (14, 20), (12, 21), (13, 21))
        mine = {(d, f): check.call(count_parameters, d, 1, f, bias) for d, f in sizes}
        want = {(d, f): real(d, f, bias) for d, f in sizes}
        squares, should = ((c[14, 20] - 2 * c[13, 20] + c[12, 20]) / 2 for c in (mine, want))
        cause = "Query, key, value and output have one projection each."
        if squares > should:
            cause = "Is something square counted that is not?"
            if mine[12, 20] == mine[12, 21]:
                cause = "Nothing depends on d_ff. Is it taken for 4 · d_model?"
            elif squares == 8:
                cause = "Is cross-attention counted, too? That belongs to the decoder block."
        told = f"bias={bias}: d_model · d_model is counted {squares:g}×, expected {should:g}×."
        assert squares == should, f"{told} {cause}"
        mixed, should = (c[13, 21] - c[13, 20] - c[12, 21] + c[12, 20] for c in (mine, want))
        told = f"bias={bias}: d_model · d_ff is counted {mixed:g}×, expected {should:g}×."
        assert mixed == should, f"{told} linear1 and linear2 both have that many numbers."
        alone, should = (c[12, 21] - c[12, 20] - 12 * mixed for c in (mine, want))
        told = f"bias={bias}: d_ff by itself is counted {alone:g}×, expected {should:g}×."
        cause = "linear1 has a bias, of width d_ff." if bias else "Without bias there is none."
        assert alone == should, f"{told} {cause}"
        off = (mine[12, 20] - want[12, 20]) / 12
        much = "much" if off > 0 else "little"
        told = f"bias={bias}: d_model by itself is counted {abs(off):g}× too {much}."
        if off != int(off):
            told = f"bias={bias}: the count is {abs(12 * off):g} too {much} for d_model 12."
            told += " Is a number added that grows with no size?"
        cause = "Each of the two norms keeps its weight, d_model numbers, and loses its bias."
        if bias:
            cause = "Four biases in attention, linear2's, and two in each norm have that width."
        assert off == 0, f"{told} {cause}"
    told = "count_parameters(12, 3, 20) and count_parameters(12, 1, 20, True) differ."
    assert yours == mine[12, 20], f"{told} Is bias=True the default?"
    named = check.call(count_parameters, d_model=12, n_heads=3, d_ff=20, bias=True,
                       stuck="Keep the arguments' names.")  # fmt: skip
    assert named == yours, "Called by name, it gives another number."
    return "count_parameters passes: it agrees with nn.TransformerEncoderLayer, biases or not."


def check_predicted_depth(predicted_depth):
    # A dictionary with two keys.
    kind = type(predicted_depth).__name__
    form = '{"pre": "learns" or "stalls", "post": "learns" or "stalls"}'
    assert isinstance(predicted_depth, dict), f"Expected a dictionary {form}, got {kind}."
    got = sorted(map(str, predicted_depth))
    told = f'Expected the keys "pre" and "post", got {got}.'
    assert set(predicted_depth) == {"pre", "post"}, told

    # And two words.
    for order, word in predicted_depth.items():
        told = f'{order}: expected "learns" or "stalls", got {word!r}.'
        assert isinstance(word, str) and word in ("learns", "stalls"), f"{told} Is it spelled so?"
    return "predicted_depth has the right form. The next cells measure whether it is right."
