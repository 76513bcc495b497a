"""The visible checks of unit 02: one function for each exercise, named after it.

Each takes the answer as the notebook has it, and returns what the reader is told when it passes.
"""

import math
from collections.abc import Mapping

import torch
import torch.nn.functional as F
from checking.notebook import without
from checking.words import check, compare


def check_additive_attention(additive_attention):
    # What is right: the formula, for one key at a time.
    def by_loop(query, keys, W_q, W_k, v):
        scores = torch.stack([v @ torch.tanh(W_q @ query + W_k @ key) for key in keys])
        weights = scores.softmax(0)
        return sum(weight * key for weight, key in zip(weights, keys)), weights

    query, keys = torch.randn(5), torch.randn(7, 11)  # seven keys, all sizes different
    W_q, W_k = torch.randn(3, 5) / 2, torch.randn(3, 11) / 3
    v = torch.tensor([1.5, -2.0, 1.0])
    inputs = {"query": query, "keys": keys, "W_q": W_q, "W_k": W_k, "v": v}
    right_context, right = by_loop(**inputs)

    # Is your result a pair of tensors of these shapes?
    pair, rows = "must match the size of tensor b", "W_q q has 3 numbers, which are added to those "
    rows += "of each key.\nDo W_k's results stand in rows, one per key, (7, 3)?"
    widths = "A query (5,) cannot be added to a key (11,). Does each pass its own matrix first?"
    stuck = {
        "zero-dim": "Join single numbers with torch.stack; torch.cat needs an axis to join along.",
        "only one element": "A function of `math` takes one number. torch.tanh takes a tensor.",
        "Dimension out": "The scores, one per key, have a single axis. Is the softmax over axis 0?",
        '"dim"': "softmax has to be told its axis. The scores have one: 0.",
        "list": "A list of scores is no tensor yet. Join them with torch.stack.",
        "(3x11 and 7x11)": "The keys are rows, (7, 11), and W_k is (3, 11). Is it `keys @ W_k.T`?",
        "(3x11 and 5": "W_k (3, 11) is for a key (11,), W_q (3, 5) for the query (5,). Did they change places?",
        "(1x3 and 7x3)": "v (3,) must meet the last axis of (7, 3). Is it `hidden @ v`?",
        "mat (7x11)": "Is it `weights @ keys`? The 7 weights must meet the 7 keys.",
        f"a (5) {pair} (11)": widths,
        f"a (11) {pair} (5)": widths,
        f"a (7) {pair} (11)": "Is it `weights @ keys`? With `*`, the weights must be a column.",
        f"a (7) {pair} (3)": rows,
        f"a (3) {pair} (7)": rows,
        "": "Each matrix is (out, in): W_q (3, 5) is for the query (5,), W_k (3, 11) for a key.\n"
        "Did they change places, is a .T missing in `rows @ W.T`, or does a size or a tensor\n"
        "come from a variable outside the function?\n"
        "Do the arguments come in this order: query, keys, W_q, W_k, v?",
    }
    yours = check.call(additive_attention, *inputs.values(), stuck=stuck)
    parts = yours if isinstance(yours, tuple | list) else [yours]
    kinds = ", ".join(type(part).__name__ for part in parts)
    pair = f"Expected the pair (context, weights), got {kinds}. Does a `return` give just these?"
    assert len(parts) == 2, pair
    context, weights = parts
    check.tensor(
        weights,
        (7,),
        "the weights",
        {
            (11,): "Did the two results change places?",
            (6,): "Are all seven keys scored, or only as many as zip(words, keys) finds?",
            (7, 3): "Is v multiplied, and summed over d, before the softmax?",
            (1,): "Only one key is weighed. Does the `return` stand inside the loop?",
        },
        otherwise="Is there one weight per key, for all the keys, and no axis too many?",
    )
    check.tensor(
        context,
        (11,),
        "the context",
        {
            (3,): "The projected keys were averaged. They are for scoring only; average the keys.",
            (7, 11): "That is one vector per key. Are the weighted keys summed?",
        },
        otherwise="Is it an average of the keys, as wide as a key, with no axis too many?",
    )
    told = "The same call twice gave two results. Is there dropout in it, or a new nn.Linear?"
    assert check.same(check.call(additive_attention, *inputs.values())[1], weights), told
    told = f"Arguments of torch.float32 give {context.dtype} and {weights.dtype}. Keep their dtype."
    assert context.dtype == weights.dtype == torch.float32, told

    # Are they the right numbers? If not: is there a softmax, and are the keys averaged by it?
    logs = "These are the logarithms of weights: their exponentials sum to 1. Is it log_softmax?"
    assert abs(weights.exp().sum() - 1) > 1e-4, logs
    sums = f"The weights lie between {weights.min():.2f} and {weights.max():.2f} and sum to "
    sums += f"{weights.sum():.2f}. Expected a sum of 1, and all of them above 0.\n"
    sums += "Is there a softmax, after v, over all the keys, and are its weights returned, not the scores?"
    if 0.95 < weights.sum() < 0.9999 and (weights > 0).all():
        sums = f"The weights sum to {weights.sum():.4f}, expected 1. Is a small number added to the sum that divides?"
    assert abs(weights.sum() - 1) < 1e-4 and (weights > 0).all(), sums
    cause = check.like(
        context,
        {
            "It is the plain mean of the keys. Are the weights used?": keys.mean(0),
            "It is the best key alone. Is each key taken, by its weight?": keys[weights.argmax()],
            "The last key is left out. Does a loop end too early?": weights[:-1] @ keys[:-1],
            "The first key is left out. Does a loop begin too late?": weights[1:] @ keys[1:],
            "Only the last key came, times its weight. Does the loop add?": weights[-1] * keys[-1],
            "The weights meet the keys in reverse order.": weights.flip(0) @ keys,
            "Is there a tanh around the context, too?": (weights @ keys).tanh(),
            "It is right for the right weights. Are yours sorted or rounded later?": right_context,
        },
        "Is each key multiplied by its own weight, and is that summed?",
    )
    average = sum(weight * key for weight, key in zip(weights, keys))
    told = "The context is not the average of the keys by your weights."
    compare(context, average, f"{told} {cause}")

    # A weight's logarithm is its score, but for a constant: are all scores too large or too small?
    steps, expected = weights.log().diff(), right.log().diff()
    factor = (steps / expected).median()
    scaled = check.same(steps, factor * expected, 1e-3) and abs(factor - 1) > 0.01
    same = "Every key has the same score. Is each scored by itself, with W_k times that key?"
    cause = (
        same
        if abs(factor) < 1e-4
        else check.near(
            factor,
            {
                "That is 1/√d. Nothing is divided here.": 3**-0.5,
                "That is 1/d. Is it a mean over d instead of the sum?": 1 / 3,
                "Is there a minus too many, or an abs?": -1,
            },
            "Is there a division, a normalised v, or something twice?",
        )
    )
    assert not scaled, f"Your scores are {factor:.2f} times the right ones. {cause}"

    # Keys −1, 0 and 1, and matrices of 1: by how much the three scores differ shows the formula.
    def gaps(query, v):
        three, one = torch.tensor([[-1.0], [0], [1]]), torch.ones(1, 1)
        small = torch.tensor([query]), three, one, one, torch.tensor([v])
        return check.call(additive_attention, *small, stuck=stuck)[1].log().diff()

    quiet, asked, triple = gaps(0.0, 1.0), gaps(0.5, 1.0), gaps(0.5, 3.0)
    level = "At d = 1 all keys score the same. Is something normalised over d, by a softmax or a norm?"
    cause = (
        level
        if max(abs(quiet[1]), abs(asked[1])) < 1e-4
        else check.near(
            quiet[1],
            {
                "Are the weights a sigmoid over its sum? Softmax takes exponentials.": 0.3100,
                "That is tanh(tanh(1)). Is the tanh taken twice?": 0.6420,
                "That is tanh(1)². Is something squared, or v put through a tanh?": 0.5800,
                "Is that a sigmoid?": 0.2311,
                "Is the key subtracted?": -0.7616,
                "That is tanh(2). Is something doubled?": 0.9640,
                "That is tanh(1/2). Is something halved?": 0.4621,
                "Is softmax taken twice?": 0.3164,
            },
            "Is the tanh there, around the sum of both (not the product), before v?",
        )
    )
    told = f"With query 0, the keys 0 and 1 get scores {quiet[1]:.2f} apart, not tanh(1) = 0.76."
    cause = "Is there a softmax? Scores may be below 0." if quiet.isnan().any() else cause
    assert abs(quiet[1] - 0.7616) < 1e-3, f"{told} {cause}"
    cause = check.like(
        asked,
        {
            "The query changes nothing. Is it added to every key, once, inside the tanh?": quiet,
            "Is the query subtracted?": torch.tensor([0.4430, 0.9242]),
            "Is there an abs around the scores?": torch.tensor([0.0, 0.4430]),
        },
        "Is the query added to every key, once, inside the tanh?",
        atol=5e-3,
    )
    compare(
        asked,
        torch.tensor([0.9242, 0.4430]),
        f"With query 0.5 the scores are tanh(−0.5), tanh(0.5), tanh(1.5).\n{cause}",
        5e-3,
    )
    compare(
        triple,
        3 * asked,
        "v was made 3 times as long, the gaps between the scores were not. Is v used as it comes, after the tanh?",
        atol=5e-3,
    )

    # No such mistake: then they have to be the numbers of one key at a time.
    crossed = torch.cat([keys, query.expand(7, 5)], 1) @ torch.cat([W_q, W_k], 1).T
    wrong = (crossed.tanh() @ v).softmax(0)
    short = (torch.tanh(W_q @ query + F.normalize(keys, dim=-1) @ W_k.T) @ v).softmax(0)
    cause = check.like(
        weights,
        {
            "The keys meet W_q and the query W_k. Are they joined in one order?": wrong,
            "Are the keys brought to length 1? Take them as they are.": short,
        },
        "Does row i of keys get weight i, with all signs kept, and with .T rather than a view?",
    )
    nearly = "They are nearly right. Is something rounded, or in half precision on the way?"
    cause = nearly if check.same(weights, right, 2e-3) else cause
    compare(weights, right, f"The weights differ from those of one key at a time.\n{cause}")
    compare(context, right_context, "The context differs from that of one key at a time.")

    # A single key gets all the weight, and no axis is lost.
    alone = check.call(
        additive_attention,
        query,
        keys[:1],
        W_q,
        W_k,
        v,
        stuck="With one key, n is 1. Does a squeeze without its axis drop that one, too?",
    )
    compare(alone[1], torch.ones(1), "A single key should get all the weight. Is an axis squeezed?")
    compare(alone[0], keys[0], "With a single key the context should be that key.")

    # Training needs the gradient, in every argument.
    check.trainable(additive_attention, **inputs)
    exact = [tensor.double() for tensor in inputs.values()]
    told = "In float64 it is a little off. Is a small number added to a sum, which is never 0?"
    for mine, other in zip(additive_attention(*exact), by_loop(*exact)):
        compare(mine, other, told)
    leaves = [tensor.clone().requires_grad_() for tensor in inputs.values()]
    pairs = additive_attention(*leaves), by_loop(*leaves)
    sums = [context.sum() + weights @ torch.arange(7.0) for context, weights in pairs]
    slopes = [torch.autograd.grad(y, leaves, materialize_grads=True) for y in sums]
    for name, slope, expected in zip(inputs, *slopes):
        compare(
            slope,
            expected,
            f"The numbers are right, but the gradient with respect to "
            f"{name} is not. Is a part of the formula detached?",
            atol=1e-4,
        )
    return "additive_attention passes: v · tanh(W_q q + W_k k), and the average by its softmax."


@without(
    "F.softmax",
    "log_softmax",
    "logsumexp",
    "softmin",
    "gumbel_softmax",
    "Softmax",
    "LogSoftmax",
    "Softmin",
    "Softmax2d",
    "safe_softmax",
    "masked_softmax",
    "logcumsumexp",
    "cross_entropy",
    "CrossEntropyLoss",
    "scaled_dot_product_attention",
)
def check_stable_softmax(stable_softmax):
    # Ordinary scores along the last axis: weights that sum to 1.
    x, ones = torch.randn(2, 5, 7), torch.ones(2, 5)
    stuck = {
        "return_types": "`x.max(dim)` gives a pair, values and indices. Did you want its values?",
        "Boolean": "Python's max(x) compares whole tensors. Is it x.amax(dim, keepdim=True)?",
        "size of tensor": "A maximum or a sum along dim must line up with (2, 5, 7), as (2, 5, 1) "
        "does along the last axis. Is the axis kept?",
        "'int' object": "Do the arguments come in this order: x, dim?",
        "is invalid for input": "The axis of size 1 stands where `dim` was. keepdim=True puts it "
        "there, whatever dim is.",
        "positional argument": "Does it take two arguments, x and dim?",
        "only one element": "math.exp takes one number. torch.exp takes a tensor.",
        "": "x may have any number of axes. Does the function use its two arguments alone?",
    }
    yours = check.call(stable_softmax, x, -1, stuck=stuck)
    check.tensor(yours, (2, 5, 7), "the weights", otherwise="Every entry of x is given a weight.")
    assert yours.dtype == x.dtype, f"x is {x.dtype}, your weights {yours.dtype}. Keep the dtype."
    told = f"The smallest weight is {yours.min():.2f}, below 0."
    cause = "Is exp there, or are these the logarithms of the weights?"
    if check.same(yours / yours[..., :1], (x - x[..., :1]).exp(), atol=1e-2):
        cause = "Is it divided by the sum of x? Divide by the sum of the powers of e."
    assert yours.min() >= 0, f"{told} {cause}"
    told = "The smallest score of each row weighs exactly 0, as if it were subtracted from the row."
    zeros = ((yours == 0) == (x == x.amin(-1, keepdim=True))).all()
    assert not zeros, f"{told} Is there an exp? It makes every weight positive."
    little = check.call(stable_softmax, torch.tensor([0.0, -14.0]), 0, stuck=stuck)
    told = "Scores [0, −14]: the second weighs about 0.0000008, and 0 came."
    cause = "Is a small weight rounded or cut off, is only the largest kept, or is a fixed number\n"
    cause += "subtracted, so that exp comes to 0?"
    assert little.isnan().any() or (little != 0).all(), f"{told} {cause}"
    sums = yours.sum(-1)
    over = check.first(
        {
            "along the first axis instead. Is `dim` used?": check.same(yours.sum(0), torch.ones(5, 7)),
            "along the middle one instead. Is `dim` used?": check.same(yours.sum(1), torch.ones(2, 7)),
            "over all of x together. Is the sum taken along dim?": abs(yours.sum() - 1) < 1e-3,
            "over each x[i] as a whole. Does a loop over x take its parts for rows?": check.same(
                yours.sum((1, 2)), torch.ones(2)
            ),
            "along no axis. Is the mean of the exponentials taken where their sum belongs?": (
                check.same(sums, 7 * ones)
            ),
            "along no axis. Is a small number added to the sum, or is something rounded?": (
                check.same(sums, ones, 0.01)
            ),
            "along no axis. Is the maximum subtracted above the fraction, but not in the sum below it?": check.same(
                sums * x.amax(-1).exp(), ones
            ),
        },
        "along no axis. Is each row divided by its own sum?",
    )
    told = f"dim=-1: the rows sum to {sums.min():.4f} … {sums.max():.4f}, expected 1."
    assert check.same(sums, ones), f"{told} The weights sum to 1 {over}"

    # Softmax turns a difference of 1 between two scores into a factor of e between their weights.
    factor = (yours.log().diff() / x.diff()).median()
    told = "The weights sum to 1, but they are not softmax.\n"
    rows = (yours.log().diff() / x.diff()).median(-1, keepdim=True).values
    told += check.first(
        {
            "They are nearly. Is a fixed number subtracted, so that exp(x) comes near 0, or is\n"
            "it half precision on the way?": check.same(yours, F.softmax(x, -1), 5e-3),
            "Each row is right for the scores times some number. Is x divided by its largest\n"
            "entry, or by its spread? Subtract the largest.": check.same(yours.log().diff(), rows * x.diff(), 1e-3),
        },
        "Is it exp(x), not a sigmoid, over its sum, once, with the same number subtracted from a row?",
    )
    if check.same(yours.log().diff(), factor * x.diff(), 1e-3):
        cause = check.near(
            factor.exp(),
            {
                "Is there a minus too many?": 1 / torch.e,
                "Is it a power of 2? It should be one of e, exp(x).": 2,
                "Is it a power of 10? It should be one of e, exp(x).": 10,
                "That is e². Is something doubled or squared?": math.e**2,
            },
            "Is it exp of the score itself, neither divided nor multiplied?",
        )
        told = f"Of two scores 1 apart, one weighs {factor.exp():.2f} times the other, not e.\n"
        told += cause
        if abs(factor - 1) < 1e-3:
            told = f"The weights of a row sum to {sums[0, 0]:.5f}. Is a small number added to the "
            told += "sum,\nwhich is never below 1, or is e written with a few digits?"
    compare(yours, F.softmax(x, -1), told)

    # The other axes.
    for dim in (0, 1, -2):
        yours = check.call(stable_softmax, x, dim, stuck=stuck)
        cause = check.first(
            {
                "Are the axes moved back at the end?": yours.shape != x.shape,
                "It ran along the last axis. Is `dim` used?": check.same(yours, F.softmax(x, -1)),
            },
            "Are sum and maximum along dim?",
        )
        told = f"Right along the last axis, wrong along dim={dim}. {cause}"
        compare(yours, F.softmax(x, dim), told)

    # Large scores and −inf. The last case: no row may be measured by another's maximum.
    inf, largest = float("inf"), "Is it the largest entry that is subtracted"
    for scores, weights, told in (
        (
            [1e4, 1e4, 9_999],
            [0.4223, 0.4223, 0.1554],
            "exp(10000) is inf. Is the row's "
            "largest entry subtracted (not its index)? Is nothing cut off, and no NaN replaced?",
        ),
        ([1e4, 0, -1e4], [1.0, 0, 0], f"{largest}?"),
        ([-1e4, -10_001], [0.7311, 0.2689], f"{largest}, with its sign, and is nothing cut off?"),
        ([0, -inf, 1], [0.2689, 0, 0.7311], "Does −inf stay −inf until exp makes it 0?"),
        (
            [-inf, 0, 1],
            [0, 0.2689, 0.7311],
            "A −inf in the middle is right, one in front is not. Is it −inf minus −inf there?",
        ),
        (
            [[1e4, 9_999], [-1e4, -10_001]],
            [[0.7311, 0.2689]] * 2,
            "A row near −10000 is right alone and wrong beside one near 10000. Is there one maximum for all rows?",
        ),
    ):
        yours = check.call(stable_softmax, torch.tensor(scores), -1, stuck=stuck)
        weights = torch.tensor(weights)
        compare(yours, weights, f"Scores {scores}: {told}", atol=1e-3)
        least = f"Scores {scores}: a weight of {yours[weights == 0].sum():.0e} came for 0."
        cut = "Is −inf replaced by a number?" if -inf in scores else "Are low exponents cut off?"
        assert not yours[weights == 0].any(), f"{least} {cut}"
    nothing = check.call(stable_softmax, torch.full((1, 3), -inf), -1, stuck=stuck)
    kept = "Axes of size 1 stay. Is there a squeeze?"
    assert nothing.shape == (1, 3), f"(1, 3) became {tuple(nothing.shape)}. {kept}"
    nothing = nothing[0, 0]
    told = f"A row of nothing but −inf has no weights: expected NaN, got {nothing:.4f}."
    assert nothing.isnan(), f"{told} Was it repaired, or −inf replaced?"

    # Training needs the gradient: the same as PyTorch's.
    exact = check.trainable(stable_softmax, x=x, dim=0)
    told = "In float64 it is a little off. Is a small number added to the sum, which is never below 1\n"
    told += "once the largest entry is subtracted? Or has e few digits?"
    compare(exact, F.softmax(x.double(), 0), told)
    x.requires_grad_()
    pull = torch.arange(70.0).reshape(2, 5, 7) / 10
    both = (stable_softmax(x, 1) * pull).sum(), (F.softmax(x, 1) * pull).sum()
    slope, right = (torch.autograd.grad(y, x, materialize_grads=True)[0] for y in both)
    compare(
        slope,
        right,
        "The weights are right, but their gradient is not. Is a part of the formula detached?",
        atol=1e-4,
    )
    return "stable_softmax passes: F.softmax along every axis, also for scores of ±10,000."


def check_score_spread(score_spread):
    # Two floats. A wrong width, number of pairs or seed comes later.
    every = "Does every query meet every key, or do products stand alone? It is one sum per pair."
    stuck = {
        "positional argument": "The call is score_spread(16): n and seed have defaults.",
        "alloc": every,
        "sqrt()": "torch.sqrt takes a tensor, and d is a plain number. Write d ** 0.5.",
        "list": "A list of scores is no tensor yet. Join them, by torch.stack or torch.tensor.",
        "cannot be multiplied": "`q @ k` is a product of matrices. A pair's score is (q * k), summed over d.",
    }
    yours = check.call(score_spread, 16, stuck=stuck)
    parts = yours if isinstance(yours, tuple | list) else [yours]
    kinds = " and ".join(type(part).__name__ for part in parts)
    cause = "Are both numbers returned, each as a plain number with .item()?"
    floats = len(parts) == 2 and all(isinstance(part, float) for part in parts)
    assert floats, f"Expected two floats, got {kinds}. {cause}"

    # 30 pairs of wide vectors measure the spread only to 13 %, and 30 · 30 products to 2 %. This comes
    # first, since every query with every key takes seconds for 10,000 pairs.
    measured = [score_spread(1000, 30, seed) for seed in range(16)]
    few = torch.tensor([raw for raw, _ in measured])
    steady = few.std() / few.mean()
    right = abs(few.mean() / 1000**0.5 - 1) < 0.1 and steady > 1e-3  # else it is another mistake
    known = right and tuple(score_spread(1000, 31, 0)) != tuple(measured[0])  # n is used
    assert not known or steady > 0.045, f"30 pairs give too steady a number. {every}"

    # Theory says 4 and 1 at d = 16; measuring 10,000 pairs lands within 5 %.
    (raw, scaled), (narrow, thin) = yours, score_spread(3)
    seeds = torch.tensor([score_spread(1, 100, seed)[0] for seed in range(48)])
    waver = f"Over 48 seeds (d = 1, n = 100) your spread wavers by {seeds.std():.2f}, not by 0.14."
    one = "Is there one query for all keys, not a new one for each pair?"
    assert not 0.4 < seeds.std() / seeds.mean() < 0.9, f"{waver} {one}"

    def about(number, value, within=0.08):
        return abs(number / value - 1) < within

    # Two pairs have a spread, too, unless there are fewer of them.
    two = check.call(score_spread, 16, 2, stuck="Is n = 2 too few? It is a number like any other.")
    told = f"For n = 2 your numbers are {two[0]:.2f} and {two[1]:.2f}; two pairs have a spread."
    fewer = "Are there fewer than n pairs (half of them, √n by √n), or is a vector in several?"
    assert not about(raw, 4) or min(two) > 0, f"{told} {fewer}"
    said = tuple(check.call(score_spread, 16, 10_000, 0, stuck=stuck))
    cause = check.first(
        {
            f"With n = 10,000 and seed = 0 said, it is {said[0]:.2f}. Are these the defaults?": said != tuple(yours)
            and about(said[0], 4, 0.05),
            f"The second number is {scaled:.1f}. Did the two change places?": about(raw, 1) and about(scaled, 4),
            "That is √d times too much. Are d standard deviations summed, or q or k multiplied by √d? Sum the\n"
            "d products of a pair, then take one std over the pairs.": about(raw, 16)
            and about(narrow, 3)
            and about(scaled, 4),
            "Are the entries twice too large? Those of torch.randn are N(0, 1).": about(raw, 16) and about(scaled, 4),
            "Is this the variance, the square of the standard deviation?": about(raw, 16),
            "Is it the sum over the d products of one pair, not over the n pairs? Or does n come first?": raw > 30,
            f"At d = 3 it is {narrow:.2f}, much the same. Are the d products summed? "
            "Are the vectors left as they are?\nIs the first number taken before the division?": (
                about(raw, narrow) and about(raw, 1)
            ),
            f"At d = 3 it is {narrow:.2f}, much the same. Is the width `d` used?": about(raw, narrow),
            "Is the spread taken inside each pair? Sum the d products, then take one std over all pairs.": about(
                raw, 0.95, 0.03
            ),
            "Is it the mean? The first number is a standard deviation, too.": abs(raw) < 0.2 and about(scaled, 4),
            "Is it the spread of a single number? Draw n pairs.": raw != raw,
            "All n pairs are the same. Is the seed set inside a loop? Set it once.": raw < 1e-3,
            "Is it the sum of the d products, not their mean, of vectors left as they are?": about(raw, 0.25),
            "That is √2 times too much. Are q and k the same vectors, or added, or is their mean "
            "not 0? Seed once, then draw twice.": about(raw, 32**0.5),
            "Are the entries N(0, 1)? torch.rand is not.": about(raw, 0.88) or about(raw, 1.33),
            "That fits 4 · √(2/π), the mean distance from 0, and entries of one vector that are -1, "
            "0 or 1.\nIs it std, not the mean of abs, and are all entries from torch.randn?": about(raw, 3.2, 0.04),
            "It is the spread of the sizes alone. Is there an abs too many?": about(raw, 2.41, 0.03),
            "It is the median size. Take the standard deviation.": about(raw, 2.60, 0.03),
        },
        "Are the entries N(0, 1), and is it the standard deviation over n sums of d products?",
    )
    told = f"q·k at d = 16 spreads by {raw:.2f}, expected about 4 = √16."
    assert abs(raw / 4 - 1) < 0.05, f"{told} {cause}"
    divisor = raw / scaled if scaled else float("nan")
    cause = check.first(
        {
            "It is not divided at all. Is the division by √d there?": about(divisor, 1),
            "You divided by d. Divide by its square root.": about(divisor, 16),
            "That is √n. Divide by the root of the width d.": about(divisor, 100),
            "You multiplied by √d. Divide by it.": about(divisor, 0.25),
            "`score / d ** 1/2` divides by d and by 2. Write `d ** 0.5`.": about(divisor, 32),
            "At d = 3 it is 8, too. Is a fixed number written where √d belongs?": (
                about(divisor, 8) and about(narrow / thin, 8)
            ),
            "`(d ** 1/2)` is half of d, not its root. Write `d ** 0.5`.": about(divisor, 8),
        },
        "Is it the spread of q·k / √d?",
    )
    told = f"The second number is the first divided by {divisor:.2f}, expected √16 = 4."
    assert abs(divisor / 4 - 1) < 0.05, f"{told} {cause}"

    whole = raw == round(raw, 1) and scaled == round(scaled, 1)
    theory = "Exactly 4 or 1 is the theory. Are both numbers measured, and not rounded?"
    assert not whole, theory
    told = f"At d = 3 the second number is the first divided by {narrow / thin:.2f}, expected 1.73."
    cause = "Is the root rounded to a whole number, or a number where `d` belongs?"
    assert abs(narrow / thin / 3**0.5 - 1) < 0.08, f"{told} {cause}"

    # Measured, from the seed and from n pairs.
    assert raw != 4.0 and scaled != 1.0 and raw != round(raw, 4), theory
    again = "The same seed gave other numbers. Is it set inside the function, 0 as well,\n"
    again += "before q and k are drawn, and by the library that draws them, as torch.manual_seed for torch.randn?"
    score_spread(1, 10, 7)
    assert tuple(score_spread(16)) == tuple(yours), again
    default = "score_spread(16) and score_spread(16, 10_000, 0) differ. Are these the defaults?"
    assert tuple(score_spread(16, 10_000, 0)) == tuple(yours), default
    names = "It is called by name here. Are its arguments still called d, n and seed?"
    other = tuple(check.call(score_spread, d=16, n=10_000, seed=1, stuck=names))
    assert other != tuple(yours), "Seeds 0 and 1 gave the same numbers. Is `seed` used?"
    fewer = "50 pairs and 10,000 pairs gave the same numbers. Is `n` used?"
    assert tuple(score_spread(16, n=50)) != tuple(yours), fewer

    # A variance is the square of a standard deviation. Near 1 they look alike, so few pairs tell.
    told = "The second number is the variance of q·k / √d, the square of its standard deviation."
    squared = all(abs(b * 1000 / a**2 - 1) < 1e-3 for a, b in measured)
    assert not squared, f"{told} Near 1 they look alike. Is it `std` both times?"

    # Products of two N(0, 1) numbers have long tails, so 100 of them measure the spread only to
    # 0.14. N(0, 1) numbers themselves would measure it to 0.07.
    cause = "Are q and k both from torch.randn, and multiplied, pair by pair?"
    assert seeds.std() > 0.092, f"{waver} {cause}"
    return "score_spread passes: at d = 16 you measure about 4 for q·k, about 1 for q·k / √d."


def check_predicted_effect(predicted_effect):
    # The form alone: a dictionary, four names, one of three words for each.
    names = ("score_variance", "largest_weight", "wider_undivided", "wider_divided")
    answers = ("smaller", "same", "larger")
    told = f"Expected a dictionary, got {type(predicted_effect).__name__}."
    assert isinstance(predicted_effect, Mapping), f"{told} Is it {{name: answer, …}}?"
    got = f"got {tuple(predicted_effect)}. Is one forgotten, misspelt, or one too many?"
    assert set(predicted_effect) == set(names), f"Expected the keys {names},\n{got}"
    for name, answer in predicted_effect.items():
        told = f"{name}: expected 'smaller', 'same' or 'larger', got {answer!r}."
        assert answer in answers, f"{told} Is it one of these three words, in lower case?"
    return "predicted_effect has four answers in the right form. The next cell measures them."


def check_attention_without_parameters(attention_without_parameters):
    # What is right: PyTorch's own attention, with the words as query, key and value.
    def judge(words):
        return F.scaled_dot_product_attention(words, words, words)

    # The first five columns of x are an identity matrix: there the output *is* the weights.
    x = torch.cat([torch.eye(5).expand(2, 5, 5), torch.randn(2, 5, 6) * 0.7], -1)
    right = judge(x)

    # Is your result one vector per word?
    stuck = {
        "only one element": "A function of `math` takes one number, one of torch a tensor.",
        "sqrt()": "torch.sqrt takes a tensor, and a size is a number. Write d ** 0.5.",
        "torch.Size": "x.shape is three sizes. d is the last of them, x.shape[-1].",
        "missing 1 required": "Is the softmax told its axis? Here it is -1, the keys.",
        "a (5) must match the size of tensor b (11)": "Weights meet words by `@`, not by `*`.",
        "": "x (2, 5, 11) must meet a (2, 11, 5). Did only the last two axes swap?\n"
        "If so, is the axis of a sum kept, and is every function one of torch?",
    }
    yours = check.call(attention_without_parameters, x, stuck=stuck)
    check.tensor(
        yours,
        (2, 5, 11),
        "the result",
        {
            (2, 5, 5): "That is one number per pair of words. Are the weights multiplied with x?",
            (2, 11, 11): "That is one number per pair of columns. Is it x xᵀ, not xᵀ x?",
        },
        otherwise="Is it one average per word, for every sentence of the batch?",
    )
    assert yours.dtype == x.dtype, f"x is {x.dtype}, your result {yours.dtype}. Keep the dtype."

    # Is it the right one? Only if not: which mistake is it?
    fixed = "x (2, 5, 11) works, this does not. Is a size fixed, or an axis of 1 squeezed away,\n"
    fixed += "or is there a .view? A transposed x needs .reshape."
    if not check.same(yours, right):
        again = check.call(attention_without_parameters, x)
        told = "The same call twice gave two results. Is there dropout, or a new nn.Linear?"
        assert check.same(again, yours), told

        # Three equal words: whatever the weights, their average is the word itself.
        equal = torch.arange(1.0, 12).expand(2, 3, 11) / 10
        same = check.call(attention_without_parameters, equal, stuck=fixed)
        told = f"{tuple(equal.shape)} became {tuple(same.shape)}. {fixed}"
        assert same.shape == equal.shape, told
        factor = ((same * equal).sum() / (equal * equal).sum()).item()
        cause = check.first(
            {
                "That is nearly 1. Is something rounded, or in half precision on the way?": abs(factor - 1) < 0.02
                and check.same(same, equal, 0.03),
                "Are words averaged (3 × 3 weights), not columns (11 × 11), and nothing normalised?": not check.same(
                    same, factor * equal
                ),
                "Is x subtracted from the average?": abs(factor) < 1e-3,
            }
        ) or check.near(
            factor,
            {
                "Is x added to the average (a later unit does that), or is a sum taken over both sentences?": 2,
                "Is there one softmax per row, and no division by the number of words after it?": 1 / 3,
                "Were the averages of all words summed?": 3,
                "That is 3 times log(1/3). Is there a log_softmax?": -3.2958,
                "There are two sentences. Does the softmax run over the batch?": 1.5,
                "That is √d. It belongs to the scores alone; the values are x itself.": 11**0.5,
                "That is 1/√d. Divide the scores by √d, not the weights and not the values.": 11**-0.5,
                "That is d^(-1/4). Is x divided for the scores, and the divided x averaged, too? Average x itself.": 11
                ** -0.25,
                "Are the values x itself, not vectors of length 1?": 1 / equal[0, 0].norm().item(),
            },
            "Is there a softmax over the keys, the last axis, and is nothing divided after it?",
        )
        told = f"Three equal words were multiplied by {factor:.2f}, not by 1."
        if not check.same(same, factor * equal):
            told = "Three equal words did not come back as they were."
        compare(same, equal, f"{told} {cause}")

        # Five words: each row of weights sums to 1 over the keys, and every word takes from all.
        weights = yours[..., :5]
        alone = "Is it an average of all words, not the best one alone?"
        told = "x came back as it was. Is each word multiplied by its own weights, and not by those"
        assert not check.same(yours, x), f"{told} that others give it? {alone}"
        best = ((weights == 0) | (weights == 1)).all()
        assert not best, f"Each word takes from a single word. {alone}"
        mean = "All weights are 1/5. Is it the plain mean, without the scores?"
        assert not check.same(weights, torch.full((2, 5, 5), 0.2)), mean
        zeros = (weights == 0).nonzero()[:, 1:].tolist()
        masked = "Is the diagonal masked, or the words after it or before? Each takes from all."
        for word in range(5):
            if not weights[..., word].any():
                masked = f"No word takes from word {word}. Does a slice or a loop leave it out?"
        assert not zeros, f"The weight at {zeros[0]} is 0. {masked}"
        check.weights(weights)

        # Each sentence by itself, whatever stands beside it.
        beside = attention_without_parameters(torch.cat([-2 * x[:1], x[1:]]))
        compare(
            beside[1],
            yours[1],
            "A different first sentence changed the result of the second. "
            "Does each attend to itself alone, by weights of its own?",
        )
        compare(
            yours,
            weights @ x,
            "The result is not the average of the words of x by your weights. Are the values x itself?",
        )

        # What stands before the softmax: x xᵀ / √d.
        scale = check.scale(weights, (x[:, :, None] * x[:, None]).sum(-1))
        scores = (x[:, :, None] * x[:, None]).sum(-1) / 11**0.5
        bent, bounded = scores.sigmoid(), scores.tanh().softmax(-1)
        told = "Row j of xᵀ is not column j of x. Is the transpose made by a reshape, which tears the "
        told += "words apart?\nSwap the last two axes instead, by .mT."
        assert check.scale(weights, x @ x.reshape(2, 11, 5)) is None, told
        told = "The weights are not softmax(x xᵀ / √d). "
        told += check.like(
            weights,
            {
                "Is there a tanh around the scores, as additive attention has?": bounded,
                "Is each score made positive by a sigmoid? Softmax takes exponentials.": bent
                / bent.sum(-1, keepdim=True),
                "Is there an abs around the scores?": scores.abs().softmax(-1),
                "Are the weights taken twice, as weights @ weights?": right[..., :5] @ right[..., :5],
                "Are the scores divided by the length of a word? Divide by √d.": (
                    scores * 11**0.5 / x.norm(dim=-1, keepdim=True)
                ).softmax(-1),
            },
            "Is it one round of attention, one softmax of plain dot products,\n"
            "no distances, and x neither normalised nor reshaped for xᵀ?",
        )
        assert scale is not None, told
        cause = check.near(
            scale,
            {
                "They are not divided. Is the division by √d there?": 1,
                "You divided by d. Divide by its square root, once.": 1 / 11,
                "`scores / d ** 1/2` divides by d and by 2. Write `d ** 0.5`.": 1 / 22,
                "`(d ** 1/2)` is half of d, not its root. Write `d ** 0.5`.": 2 / 11,
                "They are multiplied by √d. Divide by it.": 11**0.5,
                "√5 is the root of seq, the number of words. Divide by the root of d, the width of one word.": 5**-0.5,
                "√2 is the root of batch, the number of sentences. Divide by the root of d, the width of one word.": 2
                ** -0.5,
                "4 is √16, of the notebook's own sentence. Is d fixed, or read from outside?": 1 / 4,
                "That is d√d. Is x divided for both factors, and the scores once more? Divide once.": 11**-1.5,
                "Is the root rounded to a whole number?": 1 / 3,
                "Is there a minus too many?": -(11**-0.5),
            },
            "Is d read from x, the size of its last axis?",
        )
        told = f"The scores are divided by {1 / scale:.2f}, expected √11 = 3.32. {cause}"
        compare(yours, right, told, atol=1e-4)

    # Other sizes, and numbers in a different order in memory.
    for words in (torch.randn(2, 3, 4).transpose(0, 1), torch.randn(1, 6, 3), torch.ones(2, 3, 11)):
        yours = check.call(attention_without_parameters, words, stuck=fixed)
        told = f"x {tuple(words.shape)}: PyTorch's attention gives a different result."
        told += "\nIs a size fixed, or lost by squeeze?"
        compare(yours, judge(words), told, atol=1e-4)

    # Large scores: a softmax that exp cannot break.
    yours = check.call(attention_without_parameters, 100 * x, stuck=fixed)
    told = "For words 100 times as long the result should be finite. Is the largest score of each "
    told += "row subtracted\nbefore exp, as in your stable_softmax and in PyTorch's?"
    assert yours.isfinite().all(), told
    compare(yours, judge(100 * x), "Words 100 times as long: PyTorch's attention differs.", 1e-2)

    # Training needs the gradient, by both ways that x takes: the weights and the values.
    check.trainable(attention_without_parameters, x=x)
    wide = torch.randn(2, 5, 16, dtype=torch.float64)
    compare(
        attention_without_parameters(wide),
        judge(wide),
        "In float64 it is a little off. Is a small number added to a sum, which is never 0?",
    )
    x.requires_grad_()
    slope, right = (
        torch.autograd.grad(attend(x).square().sum(), x)[0] for attend in (attention_without_parameters, judge)
    )
    compare(
        slope,
        right,
        "The numbers are right, but their gradient is not. Is a part detached, the weights or the values?",
        atol=1e-4,
    )
    return "attention_without_parameters passes: F.scaled_dot_product_attention(x, x, x) agrees."
