"""The visible checks of unit 05: one function for each exercise, named after it.

It takes the answer as the notebook has it, and returns what the reader is told when the answer
passes.
"""

import torch
import torch.nn.functional as F
from checking.layers import check
from checking.notebook import without
from checking.words import compare
from torch import nn  # noqa: F401 for the hidden checks, which see the names of this module

# Why the output of a cross-attention changes as it does when something is shuffled.
WHY_SHUFFLED = {
    "context": "each value takes its weight along, and a sum has no order",
    "x": "each query makes its own row, and the rows move with the queries",
    "keys_only": "each weight now meets another value",
}


def check_cross_attention(cross_attention):
    # Where all sizes are 4, hardly a mistake crashes, and the numbers give it away.
    (x, context), (W_q, W_k, W_v) = torch.randn(2, 4, 4, 4), 0.7 * torch.randn(3, 4, 4)
    outside = "A variable of the notebook is read here: its `{}`, where the argument has other sizes."
    fix = {
        "6x16": f"{outside.format('x')} Are all five arguments called as in the stub?",
        "8x20": f"{outside.format('context')} Are all five arguments called as in the stub?",
        "16x24": f"{outside.format('W_q')} Are all five arguments called as in the stub?",
        "20x24": f"{outside.format('W_k')} Are all five arguments called as in the stub?",
        "20x28": f"{outside.format('W_v')} Are all five arguments called as in the stub?",
        "": "Is each of the three projections (batch, words, width), as in x @ W.T?",
    }
    answer = check.call(cross_attention, x, context, W_q, W_k, W_v, stuck=fix)
    several = isinstance(answer, (tuple, list))
    got = f"{len(answer)} things" if several else f"one {type(answer).__name__}"
    told = f"Expected two tensors, (out, weights), got {got}. Does `return` name these two?"
    assert several and len(answer) == 2, told
    (out, weights), axes = answer, "Does every axis stay, that of the batch too?"
    both = "Are x and context put together? Keys and values come from the context alone."
    check.tensor(weights, (4, 4, 4), "weights", {(4, 4, 8): both}, otherwise=axes)
    check.tensor(out, (4, 4, 4), "out", otherwise=axes)

    # With the unit vectors as values, PyTorch's own attention returns its weights.
    q, k, v = x @ W_q.T, context @ W_k.T, context @ W_v.T
    attend, eye = F.scaled_dot_product_attention, torch.eye(4).expand(4, 4, 4)
    right, best = attend(q, k, v), attend(q, k, eye)
    first = "The rows of out sum to 1, as weights do. Is it out first, then weights, with no softmax on out?"
    assert not check.same(out.sum(-1), torch.ones(4, 4)), first
    cause = check.like(
        weights,
        {
            "Are rows and columns swapped? The rows are the words of x.": best.mT,
            "Are the last two axes of the keys swapped by .mT?": attend(q, k.mT, eye),
            "Are only the last two axes swapped?": (q @ k.transpose(0, 1) / 2).softmax(-1),
            "Are only the last two axes swapped, not all?": (q @ k.permute(2, 1, 0) / 2).softmax(-1),
            "Every sentence gets the weights of the first. Is only x[0] read?": best[:1].expand_as(eye),
            "Does each sentence attend to its own context?": attend(q, k[[0] * 4], eye),
            "They are averaged over the sentences. Each keeps its own.": best.mean(0).expand_as(eye),
        },
    )
    sums = weights.sum(-1, keepdim=True)
    if not cause and sums.max() < 1 and sums.std() > 1e-3 and check.same(weights / sums, best):
        cause = "Only the sums of the rows are wrong, below 1. Do other keys take a share, as"
        cause += " those of x, or is a small number added to the sum?"
    if not cause:
        check.weights(weights)

    # Where they differ: which queries, keys and divisor give your weights? We try them all.
    made = {"x": x, "context": context}
    for name, W in (("W_q", W_q), ("W_k", W_k), ("W_v", W_v)):
        made |= {f"x @ {name}.T": x @ W.T, f"context @ {name}.T": context @ W.T}
        made |= {f"x @ {name}": x @ W, f"context @ {name}": context @ W}
    pairs = [] if cause or check.same(weights, best, 1e-5) else [(a, b) for a in made for b in made]
    for a, b in pairs:
        if scale := check.scale(weights, made[a] @ made[b].mT):
            cause = f"Your queries are {a}, your keys {b}, your divisor {1 / scale:.2f}. "
            cause += "Expected x @ W_q.T, context @ W_k.T and √d_k = 2."
            slip = "\nIs it `** 1 / 2`? That is (** 1) / 2. Write ** 0.5."
            cause += slip if abs(8 * scale - 1) < 1e-3 else ""
            slip = "\nThat is √24, from the notebook's own d_k. Read it from W_q."
            cause += slip if abs(24**0.5 * scale - 1) < 1e-3 else ""
    cause = cause or "Is it softmax(q kᵀ / √d_k) over the keys, and nothing after the softmax?"
    compare(weights, best, f"These are not the weights of PyTorch's attention. {cause}")

    # The weights are right. What was averaged with them?
    otherwise = "Is it the weights times the values, and nothing after that?"
    values = {f"Your values are {n}. Expected context @ W_v.T.": best @ made[n] for n in made}
    cause = check.like(
        out,
        values
        | {
            "Is x added? That belongs to the block of unit 07.": right + x,
            "Are the scores multiplied with the values, before the softmax?": q @ k.mT / 2 @ v,
            "Are the weights transposed in the average?": best.mT @ v,
            "Does each sentence average the values of its own context?": best @ v[[0] * 4],
            "Are the values added up without the weights?": v.sum(1, True).expand(4, 4, 4),
            "Is it only the value with the largest weight? Average them all.": (
                F.one_hot(best.argmax(-1), 4).float() @ v
            ),
            "Is the output transposed? It has one row per word of x.": right.mT,
            **{
                f"The output is made with other weights: its scores are {what}.": attend(q * much, k, v)
                for what, much in {"not divided": 2, "divided by √d_k twice": 0.5}.items()
            },
        },
        otherwise=check.some_right(out, right, otherwise),
    )
    compare(out, right, f"The weights are right, the output is not. {cause}")

    # All sizes different, then a batch of one, then scores of some hundreds.
    x, context = torch.randn(2, 5, 11), torch.randn(2, 7, 17)
    W_q, W_k, W_v = torch.randn(3, 11) / 3, torch.randn(3, 17) / 3, torch.randn(13, 17)
    for n, loud in ((2, 1), (1, 1), (2, 100)):
        q, k, v = loud * x[:n] @ W_q.T, context[:n] @ W_k.T, context[:n] @ W_v.T
        given = (x[:n], context[:n], loud * W_q, W_k, W_v)
        agree = "Equal sizes work. Must the widths agree, or the lengths? They need not."
        out, weights = check.call(cross_attention, *given, stuck=agree)
        cut = "Is either sequence cut or padded?"
        kept = cut if n > 1 else "A batch of one keeps its axis. Is there a squeeze?"
        check.tensor(weights, (n, 5, 7), "weights", otherwise=kept)
        check.tensor(out, (n, 5, 13), "out", otherwise=kept)
        scale = check.scale(weights, q @ k.mT)
        cause = f"The scores are divided by √{scale**-2:.0f}, not by √d_k = √3." if scale else cut
        told = f"x ({n}, 5, 11), context ({n}, 7, 17), d_k 3, d_v 13: not PyTorch's weights."
        near = 1e-5 if loud == 1 else 0.02  # large scores are rounded, and exp enlarges that
        compare(weights, attend(q, k, torch.eye(7).expand(n, 7, 7)), f"{told} {cause}", near)
        compare(out, attend(q, k, v), f"The weights are right, the output is not. {cut}", 5 * near)

    # Scores of exactly 0: every key gets the same weight.
    even = torch.full((2, 5, 7), 1 / 7)
    told = "With x at 0 all scores are 0, so every key gets 1/7. Is a score of 0 taken for hidden?"
    compare(cross_attention(0 * x, context, W_q, W_k, W_v)[1], even, told)

    # Called by name, in float64: a gradient reaches all five, from the output and the weights.
    given = {"x": x, "context": context, "W_q": W_q, "W_k": W_k, "W_v": W_v}
    check.trainable(cross_attention, **given)
    given = {name: t.requires_grad_() for name, t in given.items()}
    check.reaches(cross_attention(**given)[0].square(), **given)
    weights = cross_attention(**given)[1]
    told = "No gradient reaches the weights that you return. Are they cut off, by detach?"
    assert weights.requires_grad, told
    del given["W_v"]
    check.reaches(weights.square(), **given)

    # Numbers of float64 keep their digits. d_k is 16: its root is exact, however it is taken.
    sizes = ((2, 5, 11), (2, 7, 17), (16, 11), (16, 17), (13, 17))
    exact = [torch.randn(size, dtype=torch.float64) / 2 for size in sizes]
    wanted = attend(exact[0] @ exact[2].T, exact[1] @ exact[3].T, exact[1] @ exact[4].T)
    told = "With d_k 16 it is a little off. Is a small number added to a sum, which is never 0?"
    compare(check.call(cross_attention, *exact)[0], wanted, told)
    return "cross_attention passes: queries from x, keys and values from a context of any size."


def check_predicted_shuffle(predicted_shuffle):
    # Is it a dictionary with the three keys?
    asked, kind = {"context", "x", "keys_only"}, type(predicted_shuffle).__name__
    told = f"Expected a dictionary with the keys {sorted(asked)}"
    braces = "Are the answers in braces, each with its name?"
    assert isinstance(predicted_shuffle, dict), f"{told}, got {kind}. {braces}"
    missing, further = sorted(asked - set(predicted_shuffle)), set(predicted_shuffle) - asked
    further = sorted(map(str, further))
    spelled = f"missing: {missing}, not asked for: {further}. Are they spelled as above?"
    assert not missing and not further, f"{told}; {spelled}"

    # Is each answer one of the three words?
    for name, answer in predicted_shuffle.items():
        told = f'{name}: expected one of "same", "shuffled", "different", got {answer!r:.40}.'
        assert answer in ("same", "shuffled", "different"), f"{told} Is it one of these words, in quotes?"
    return "predicted_shuffle has three answers in the right form. The next cell measures."


@without("nn.MultiheadAttention", "multi_head_attention_forward", "native_multi_head_attention")
def check_CrossAttention(CrossAttention):
    def made(**sizes):
        """Your layer, and four of PyTorch's, by the same names and with the same weights."""
        widths = "Widths may differ, and d_context need not be divisible. Is d_model alone tested?"
        stuck = {"argument": f"Are the arguments called {', '.join(sizes)}?", "": widths}
        layer = check.call(CrossAttention, **sizes, stuck=stuck)
        four = check.projections(sizes["d_model"], sizes["d_model"], sizes["d_context"])
        told = f"CrossAttention{tuple(sizes.values())} has four linear layers with bias."
        check.filled(layer, four, f"{told} Are names and sizes as in the table?")
        return layer, four

    # The layer is made, also where the widths differ. Then 6 words of width 15 read 6 others:
    # with sizes so alike hardly a mistake crashes, and its numbers give it away.
    made(d_model=18, d_context=11, n_heads=3)
    layer, four = made(d_model=15, d_context=15, n_heads=3)
    x, context = torch.randn(2, 6, 15), torch.randn(2, 6, 15)
    yours = check.call(
        layer.eval(),
        x,
        context,
        stuck={
            "36x5": "Heads and words became one axis. Swap them back first, then `flatten(2)`.",
            "Boolean": "Is the question `context is None`?",
            "float": "Is d_head 5.0, from /, and not 5, from //?",
            "invalid for": "Is the width of 15 cut into 3 heads of 5? Is a size fixed, or read from outside the class?",
            "view size": "After a swap of axes only `reshape` can join the heads, not `view`.",
            "multiply up": "Is the width of 15 cut into 3 heads of 5? Is a number of heads fixed?",
            "": "Are the keys transposed, and are all three split into heads?",
        },
    )
    apart = {(2, 3, 6, 5): "Are the heads still to be joined?"}
    check.tensor(
        yours,
        (2, 6, 15),
        "the output",
        apart,
        otherwise="Is there one row for each word of x, as wide as x?",
    )
    told = "Called twice, it differs. Is something dropped after .eval(), or is a layer"
    told += " made in forward? Make it in __init__, or else it never learns."
    assert check.same(layer(x, context), yours), told
    told = "Here dropout was not given, and training still changes the output. Is its default 0.0?"
    told += "\nIs it handed on as it is, neither 1 − dropout nor a number of your own?"
    assert check.same(layer.train()(x, context), yours), told

    # Where yours differs: which layer reads which sequence, and which step is done otherwise?
    def output(of=(x, context, context), **steps):
        return check.stepwise(four, of, **{"n_heads": 3, "root": 5**0.5} | steps)

    sizes = {"d_model or d_context": 15, "n_heads": 3, "seq": 6}
    mistakes = check.attention_mistakes(3, 5, sizes) | {
        "x is added. That belongs to the block of unit 07.": {"end": lambda t: t + x},
        "The output is x itself.": {"end": lambda t: x},
        "Query and key changed places: the words of x have the rows, those of the context columns.":
            {"by": "kqv", "of": (context, x, context)},
        "Heads attend to heads. Their axis and that of the words change places first.":
            {"split": [lambda t: t.unflatten(-1, (3, 5))] * 3, "join": lambda t: t.flatten(2)},
    }  # fmt: skip
    for told, reads in {
        "The queries come from the context. They should come from x.": (context, context, context),
        "The keys come from x. They should come from the context.": (x, x, context),
        "The values come from x. They should come from the context.": (x, context, x),
        "Keys and values come from x. They should come from the context.": (x, x, x),
        "x and the context changed places.": (context, x, x),
        "The queries come from the context, and the keys from x. It is the other way round.": (
            context,
            x,
            context,
        ),
        "Every sentence reads the context of the first.": (x, *[context[[0, 0]]] * 2),
    }.items():
        mistakes[told] = {"of": reads}
    told = "The output differs from PyTorch's attention with the same weights."
    check.agrees(
        yours, check.attended(four, 3, x, context), told, output, mistakes,
        lambda: check.measured(layer, four.state_dict(), 3, x, context),
        alone=check.numbers("d_head", 5),
    )  # fmt: skip
    told = "The first call is right. With a different context of the same shape a later one is not.\n"
    told += "Is something kept in self from call to call?"
    compare(layer(x, context.flip(0)), check.attended(four, 3, x, context.flip(0)), told)

    # With q_proj at 0 all scores are exactly 0, and every word gets the mean of the values.
    level = {name: torch.zeros(s) for name, s in check.shapes(layer).items() if "q_proj" in name}
    layer.load_state_dict(layer.state_dict() | level)
    mean = four["out_proj"](four["v_proj"](context).mean(1, keepdim=True)).expand(2, 6, 15)
    told = "With q_proj at 0 all scores are 0, so each word gets the mean of the values."
    compare(layer(x, context), mean, f"{told} Is a score of 0 taken for hidden?")
    check.filled(layer, four, told)

    # Without a context, x attends to itself, also after a call that had one.
    alone = check.call(layer, x, stuck="No context was given, and the widths agree. Is it x then?")
    told = "Without a context the output is not that of x attending to itself."
    compare(alone, check.attended(four, 3, x), f"{told} Is x the context then, and nothing kept?")

    # A word of zeros is a word like any other, and a context of zeros is a context.
    gap = (torch.arange(6) != 2)[:, None]
    for blank, what in ((0 * context, "a context of zeros"), (gap * context, "a word of zeros")):
        told = f"With {what} the output differs from PyTorch's. Is what holds zeros left out?"
        compare(check.call(layer, x, blank), check.attended(four, 3, x, blank), told)

    # All sizes different; gradients reach both sequences and every weight matrix.
    (layer, four), x = made(d_model=18, d_context=11, n_heads=3), torch.randn(1, 5, 18)
    context = torch.randn(1, 7, 11)
    cause = "Equal sizes work. Must widths or lengths agree? Is d_head always d_model / n_heads?"
    own = "x has 5 words, the context 7. Is each reshaped with its own length?"
    yours = check.call(layer, x, context, stuck={"invalid for": own, "": cause})
    kept = "A batch of one keeps its axis. Is there a squeeze?"
    check.tensor(yours, (1, 5, 18), "the output", otherwise=kept)
    told = f"{check.shown(layer, x, context)} is not PyTorch's, although equal sizes work."
    check.agrees(
        yours, check.attended(four, 3, x, context), told, None, {},
        lambda: check.measured(layer, four.state_dict(), 3, x, context),
    )  # fmt: skip
    check.trainable(layer, x=x, context=context)
    matrices = {name: p for name, p in layer.named_parameters() if name.endswith("weight")}
    check.reaches(layer(x, context).square(), **matrices)
    (alone, four), leaf = made(d_model=12, d_context=12, n_heads=3), torch.randn(2, 5, 12)
    both = (alone(leaf.requires_grad_()), check.attended(four, 3, leaf))
    slopes = [torch.autograd.grad(out.square().sum(), leaf)[0] for out in both]
    told = "Without a context the gradient with respect to x is not right."
    compare(*slopes, f"{told} Is x detached there, or copied by .data?", atol=1e-3)

    # What cannot work is refused, with the numbers, by the lines that are given.
    own = "Is the given line in forward still there? x cannot pass through layers of width 11."
    check.refuses(layer, x, names=(18, 11), otherwise=own)
    order = "The arguments are d_model, d_context, n_heads and dropout, in this order."
    check.call(CrossAttention, 18, 11, 3, 0.0, stuck=order)
    whole = "Is the given line in __init__ still there? 4 does not divide 10."
    check.refuses(CrossAttention, 10, 6, 4, names=(10, 4), otherwise=whole)

    # Dropout falls on the weights, one by one, and in training only.
    check.dropout(CrossAttention(12, 12, 3, dropout=0.75), 0.75, n_heads=3, width=12)
    return "CrossAttention passes: with the same weights, it is nn.MultiheadAttention on a context."


def check_align(align):
    # One position for each query, with any axes in front.
    weights = torch.randn(2, 3, 5, 7).mul(2).softmax(-1)
    count = "Is the axis counted from the end? The keys come last, whatever comes before."
    yours = check.call(
        align,
        weights,
        stuck={"positional": "Is PyTorch's function given what it takes?", "": count},
    )
    alone = "Are the positions returned alone, as a tensor?"
    kind = "None. Is there a `return`?" if yours is None else f"{type(yours).__name__}. {alone}"
    assert isinstance(yours, torch.Tensor), f"Expected one tensor, got {kind}"
    got = check.first(
        {
            "got the largest weights. Return their positions instead.": check.same(yours, weights.amax(-1)),
            f"got {yours.dtype}. Is a position computed with fractions, or converted?": yours.shape == (2, 3, 5)
            and yours.dtype != torch.int64,
        }
    )
    assert not got, f"Expected whole numbers, torch.int64, {got}"
    queries = "Is it the best query for each key, instead of the best key for each query?"
    if check.same(yours, weights.argmax(2)) and check.same(align(weights[0]), weights[0].argmax(2)):
        queries = "With three axes it is right, with four it is not. Is the axis counted from the end?"
    check.tensor(
        yours,
        (2, 3, 5),
        "the positions",
        {
            (2, 3, 7): queries,
            (2, 3, 5, 1): "Is an axis of size 1 left over?",
            (): "Is it one position in the whole tensor, with no axis given?",
            (2, 3, 5, 7): "Is there one number for each query?",
            (2, 5, 7): "Is it the best head? Axis 1 is not that of the keys.",
            (3, 5, 7): "Is it the best sentence? Axis 0 is not that of the keys.",
            (3, 5): "Were sentences mixed? Leading axes stay.",
            (2, 5): "Were heads averaged? Leading axes stay.",
        },
        otherwise="Is there one number per query, with the leading axes as they came?",
    )

    # One key has nearly all the weight, and we know which.
    planted = torch.tensor([4, 0, 6, 2, 2])
    sharp, faint = F.one_hot(planted, 7) * 0.93 + 0.01, 1 / 6 - F.one_hot(planted, 7) / 6
    equals = "Are some weights equal? There is one position per row: that of the first."
    got = check.call(align, sharp, stuck=count)
    cause = check.first(
        {
            "Every position is one too large. Are the keys counted from 0?": torch.equal(got, planted + 1),
            "Is it the key with the smallest weight? The largest is wanted.": torch.equal(
                check.call(align, faint, stuck=equals), planted
            ),
            "Are the keys counted from the end?": torch.equal(got, 6 - planted),
            "Both last queries should choose key 2. Is a key taken once only? Each chooses alone.": (
                torch.equal(got[:3], planted[:3]) and (got[3:] == 2).sum() == 1
            ),
            "Key 0 is never chosen. Does a loop or a slice begin at key 1?": torch.equal(
                got, sharp[:, 1:].argmax(-1) + 1
            ),
        },
        otherwise="Is it the position of the largest weight in each row?",
    )
    told = f"94 % of the weight is at {planted.tolist()}, got {got.tolist()}."
    assert torch.equal(got, planted), f"{told} {cause}"

    # Weights by which shortcuts are found out.
    rows = torch.tensor([[0.5, 0.1, 0.0, 0.0, 0.0, 0.0, 0.4], [0.1, 0.1, 0.1, 0.3, 0.2, 0.1, 0.1]])
    far, low = align(rows).tolist()
    mean = "Is it an average of positions, or a comparison with the neighbour only?"
    assert far == 0, f"Weights 0.5 on key 0 and 0.4 on key 6: expected 0, got {far}. {mean}"
    bound = "Must the largest weight be above some bound, or is a key drawn? Neither is asked for."
    assert low == 3, f"The largest weight is 0.3, on key 3; got {low}. {bound}"
    ties = torch.tensor([[0.4, 0.2, 0.4], [0.1, 0.45, 0.45], [1 / 3, 1 / 3, 1 / 3]])
    got = check.call(align, ties, stuck=equals).tolist()
    first = "Which of equal weights counts? The first."
    assert got == [0, 1, 0], f"Equal weights: expected [0, 1, 0], got {got}. {first}"
    got = check.call(align, torch.full((1, 40), 1 / 40), stuck=count)
    check.tensor(got, (1,), "one position", otherwise="One query keeps its axis. Is it squeezed?")
    told = f"40 equal weights: expected key 0, got {got.item()}. A sort or topk may move equals;"
    assert got.item() == 0, f"{told} max and argmax keep\nthe first."
    close = align(torch.tensor([[0.2, 0.4, 0.4 + 1e-12]], dtype=torch.float64)).item()
    nearly = "float64 weights 0.2, 0.4 and 1e-12 more than 0.4"
    assert close == 2, f"{nearly}: expected 2, got {close}. Are they rounded, or made float32?"

    # Every query of every sentence, against Python's own max, and called by name.
    flat = weights.reshape(-1, 7).tolist()
    best = torch.tensor([max(range(7), key=row.__getitem__) for row in flat]).reshape(2, 3, 5)
    named = "Later cells call it by name. Is its argument still called weights?"
    got = check.call(align, weights=weights, stuck=named)
    wrong = [tuple(place) for place in (got != best).nonzero().tolist()]
    told = [f"At {at}: expected key {best[at]}, got {got[at]}." for at in wrong[:1]]
    assert not wrong, f"{told[0]} Does every query of every sentence get its own?"
    return "align passes: for each query the position of its largest weight, the first of equals."
