"""The visible checks of unit 03: one function for each exercise, named after it.

It takes the answer as the notebook has it, and returns what the reader is told when the answer
passes. Before them stands what the notebook shows and does not work out: the weights of two heads
of a published model, and three heads with a mistake each.
"""

import torch
import torch.nn.functional as F
from checking.notebook import without
from checking.words import check, compare
from torch import nn

# What word 1 of Raschka's sentence gives, with the seeds of the text (his ω and α).
SCORES = (83.1533, 95.5014, -100.8583, 63.5880, -98.1709, 9.3997)
WEIGHTS = (7.4329e-02, 9.2430e-01, 3.6185e-18, 1.3699e-03, 6.2628e-18, 2.1523e-08)
# What the three words for pencil and paper give (Starmer).
PAPER = ((1.0100, 1.0641), (0.2040, 0.7057), (3.4989, 2.2427))

# Weights of SmolLM2-135M-Instruct (Hugging Face, Apache 2.0; its 4-bit file, Q4_1) for two lines:
# heads 9.2 and 9.4 (of 30 layers of 9), each row up to its diagonal, in thousandths that are
# rounded so that they sum to 1,000.
BANK_LINES = {
    "river": (
        "Down by the river , we sat on the bank",
        "1000 | 996 4 | 510 10 480 | 372 1 217 410 | 644 3 342 0 11 | 607 38 295 4 30 26 | 542 36 "
        "191 17 29 2 183 | 620 23 236 96 21 1 1 2 | 280 9 272 17 13 7 5 3 394 | 63 7 37 801 7 1 0 "
        "0 59 25",
        "1000 | 990 10 | 530 42 428 | 480 192 207 121 | 495 105 340 33 27 | 431 112 236 144 58 19 "
        "| 358 56 213 144 86 7 136 | 392 24 284 64 71 18 135 12 | 283 17 256 24 38 12 12 12 346 | "
        "164 20 102 107 39 51 245 85 139 48",
    ),
    "money": (
        "With all of my money , I went to the bank",
        "1000 | 985 15 | 947 26 27 | 912 5 0 83 | 894 1 0 2 103 | 930 14 2 8 1 45 | 613 40 2 274 "
        "2 47 22 | 633 95 20 79 23 109 3 38 | 688 29 16 64 63 116 4 7 13 | 334 19 9 17 25 33 8 7 "
        "5 543 | 359 15 5 8 204 85 1 0 0 266 57",
        "1000 | 986 14 | 921 64 15 | 905 42 5 48 | 783 37 13 8 159 | 742 76 40 32 31 79 | 276 27 "
        "14 416 103 125 39 | 381 31 15 76 198 220 12 67 | 678 11 5 14 107 148 9 21 7 | 376 15 16 "
        "11 14 64 11 12 14 467 | 255 8 6 15 307 96 21 12 20 233 27",
    ),
}


def bank_line(clue):
    """A published model's weights for the line with this clue, (2 heads, n, n), and its tokens."""
    words, *heads = BANK_LINES[clue]
    weights = torch.zeros(len(heads), len(words.split()), len(words.split()))
    for head, rows in zip(weights, heads):
        for i, row in enumerate(rows.split("|")):
            least = [max(int(share), 0.1) / 1000 for share in row.split()]  # rounded to 0, not 0
            head[i, : i + 1] = torch.tensor(least)
    return weights, words.split()


def broken_heads(queries, keys):
    """The weights of three heads (3, n, n), with a mistake each: which, the text asks."""
    alike = queries, queries
    faint = queries / queries.shape[-1] ** 0.5, keys
    last = queries[-1:].expand_as(queries), keys
    eye = torch.eye(len(keys))
    return torch.stack([F.scaled_dot_product_attention(*it, eye) for it in (alike, faint, last)])


def check_attend_one(attend_one):
    inputs, i = torch.randn(5, 7), 3  # five words of width 7; word 3 attends
    Wq, Wk, Wv = (torch.randn(rows, 7) / 7**0.5 for rows in (11, 11, 13))

    # Three tensors come back, in the right order and shapes.
    sizes = "Does a size or a tensor come from outside the function, or is a `.T` missing?"
    places = "Do the arguments come in this order: x, i, W_q, W_k, W_v?"
    stuck = {
        "subscript": places,
        "used as indices": places,
        "(5x1 and": "An axis of size 1 remains. Is the query one vector, made of `x[i]`?",
        "mat (5x11), vec (7)": "The keys are made, and the query is not: word `i` has to pass through "
        "W_q, as in `W_q @ x[i]`.",
        "mat (5x7), vec (11)": "The query is made, and the keys are not: the words have to pass through "
        "W_k, as in `x @ W_k.T`.",
        "mat (11x7), vec (5)": "`x[:, i]` is a column, one number of every word. Word `i` is `x[i]`.",
        "mat (5x13), vec (5)": "The weights stand on the left of the values: `weights @ values`.",
        "(5x13)": f"Are the keys made with W_k, and not with W_v? {places}",
        "zero-dim": "Join single numbers with torch.stack; torch.cat needs an axis to join along.",
        "only one element": "math.exp takes one number. torch.exp takes a tensor.",
        "Dimension out": "The scores of one word have a single axis. Is the softmax over axis 0?",
        "a (5) must match the size of tensor b (13)": "Is it `weights @ values`, not `*`?",
        "": sizes,
    }
    answer = check.call(attend_one, inputs, i, Wq, Wk, Wv, stuck=stuck)
    assert answer is not None, "Expected three tensors, got None. Is there a `return`?"
    parts = answer if isinstance(answer, (tuple, list)) else [answer]
    kinds = ", ".join(type(part).__name__ for part in parts)
    told = f"Expected three tensors, scores, weights, output; got {kinds}."
    assert len(parts) == 3, f"{told} Are all three returned, one after the other?"
    loop = "`torch.stack` joins the tensors that a loop made; float(…) would cut off the gradient."
    assert all(torch.is_tensor(part) for part in parts), f"{told} {loop}"
    scores, weights, output = parts
    for part in parts:
        told = f"The arguments are {inputs.dtype}, a result is {part.dtype}. Keep the dtype."
        assert part.dtype == inputs.dtype, told
    hidden = "A score is −inf. Each word attends to all words, itself too."
    assert not (scores == -torch.inf).any(), hidden
    order = "Is the order scores, weights, output?"
    one = f"Is it the row of word `i` alone, here word {i}?"
    left = f"Are the words after word {i} left out? It attends to all words."
    if (4,) in (scores.shape, weights.shape):
        first = attend_one(inputs, 0, Wq, Wk, Wv)
        if (4,) in (first[0].shape, first[1].shape):  # word 0 lacks no more than one word, either
            left = f"Is word {i} itself left out, or the last one? It attends to all words."
    check.tensor(
        scores,
        (5,),
        "the scores",
        {
            (1, 5): "An axis of size 1 remains. Is the query one vector, `x[i]`?",
            (13,): order,
            (5, 5): one,
            (4,): left,
            (3,): "Are the word itself and those after it left out? It attends to all words.",
        },
        otherwise=one,
    )
    wrong = {(13,): order, (5, 5): one, (4,): left}
    check.tensor(weights, (5,), "the weights", wrong, otherwise=one)
    averaged = "Is it the values, W_v @ word, that are averaged?"
    check.tensor(
        output,
        (13,),
        "the output",
        {
            (5,): f"{order} Or is the sum taken over the width of the values, not over the words?",
            (5, 13): "Are the weighted values added up? The output is one vector.",
            (1, 13): "An axis of size 1 remains. Is the query one vector, `x[i]`?",
        },
        otherwise=averaged,
    )

    # The scores: every pair of words, one dot product at a time. Row a belongs to word a.
    table = torch.stack([torch.stack([(Wq @ a) @ (Wk @ b) for b in inputs]) for a in inputs])
    factor = scores @ table[i] / table[i].square().sum()
    other = attend_one(inputs, 1, Wq, Wk, Wv)[0]
    assert not check.same(scores, other), (
        f"Word {i} and word 1 get the same scores, {scores[0]:.2f}, {scores[1]:.2f}, … Each has a\n"
        "query of its own. Is `i` used?"
    )
    cause = check.like(
        scores,
        {
            "They sum to 1, so these are weights. Is the order scores, weights, output?": (table[i] / 11**0.5).softmax(
                0
            ),
            "These are the scores of word 0. Is `i` used?": table[0],
            f"These are the scores of word {i - 1}. Is `i` counted from 0?": table[i - 1],
            f"These are the scores of word {i + 1}. Is `i` counted from 0?": table[i + 1],
            "These are query j · key i. Is it a column, or have W_q and W_k changed places?": table[:, i],
            "Their largest is subtracted. Return them raw; a softmax may do that by itself.": (
                table[i] - table[i].max()
            ),
            "Query and key are both made with W_q. Make the keys with W_k.": (inputs @ Wq.T @ Wq @ inputs[i]),
            "Query and key are both made with W_k. Make the query with W_q.": (inputs @ Wk.T @ Wk @ inputs[i]),
            "These are dot products of the words themselves. Are W_q and W_k used?": inputs @ inputs[i],
            "These are cosines, divided by both lengths. Take plain dot products.": (
                F.cosine_similarity(inputs @ Wk.T, Wq @ inputs[i], dim=-1)
            ),
            f"They came {factor:.4f} times as large as q · k. Return them raw; divide only for the softmax.": factor
            * table[i],
        },
        otherwise="Is it W_q @ word i, dot W_k @ word j?",
    )
    compare(scores, table[i], f"The scores are not the dot products q_i · k_j. {cause}")

    # The weights: what was done to the scores? All five words attend here, one after the other.
    rows = torch.stack([attend_one(inputs, a, Wq, Wk, Wv)[1] for a in range(5)])
    check.weights(rows)
    others = {
        "a word's width": 7,
        "a value's width": 13,
        "the number of words": 5,
        "d_k in the cells above": 2,
    }
    check.rooted(rows, table, 11, others, "Is it one softmax of the scores?")

    # The output: the values, each times its own word's weight, added up.
    values = torch.stack([Wv @ word for word in inputs])  # (5, 13)
    expected = sum(w * value for w, value in zip((table[i] / 11**0.5).softmax(0), values))
    cause = check.like(
        output,
        {
            f"This is the value of word {i} alone. Average the values of all words.": values[i],
            "This is the plain mean of the values. Use the weights.": values.mean(0),
            "The values are weighed with the raw scores. Use the weights.": table[i] @ values,
            "The word's own value is added on top. Return the weighted sum, no more.": (expected + values[i]),
            "The word itself is added on top. Return the weighted sum, no more.": (expected + F.pad(inputs[i], (0, 6))),
            "The sum is divided by the number of words once more.": expected / 5,
            "This is the word's own value, times its own weight. Add up those of all words.": (weights[i] * values[i]),
            "Word j's value goes with another word's weight.": weights @ values.flip(0),
        },
        otherwise="Is each value weighed with its own word's weight?",
    )
    compare(output, expected, f"The output is not the weighted sum of the values. {cause}")

    # Where seq, d, d_k and d_v are all 5, nothing is added, and no axis is known by its size.
    even = [torch.randn(5, 5) / 2 for _ in range(4)]
    told = "Five words of width 5, d_k 5, d_v 5: the {} is wrong, and other sizes are right.\n"
    told += "Is x added where the widths agree, or is an axis told by its size?"
    yours = check.call(attend_one, even[0], i, *even[1:], stuck=sizes)
    q, k, v = (even[0] @ matrix.T for matrix in even[1:])
    for what, got, wanted in zip(
        ("row of scores", "row of weights", "output"),
        yours,
        (k @ q[i], (k @ q[i] / 5**0.5).softmax(0), F.scaled_dot_product_attention(q, k, v)[i]),
    ):
        compare(got, wanted, told.format(what))

    # Called by name, in float64. Then a different length and different widths, and the gradient.
    check.trainable(attend_one, x=inputs, i=i, W_q=Wq, W_k=Wk, W_v=Wv)
    exact = [torch.randn(n, 4, dtype=torch.float64) / 2 for n in (5, 16, 16, 3)]
    q, k, v = (exact[0] @ matrix.T for matrix in exact[1:])
    told = "With d_k 16 it is a little off. Is a small number added to a sum, which is never 0?"
    output = attend_one(exact[0], i, *exact[1:])[2]
    compare(output, F.scaled_dot_product_attention(q, k, v)[i], told)
    shapes = {"x": (9, 4), "W_q": (3, 4), "W_k": (3, 4), "W_v": (2, 4)}
    ready = {name: (torch.randn(*s) / 2).requires_grad_() for name, s in shapes.items()}
    yours = check.call(attend_one, i=8, **ready, stuck=sizes)
    q, k, v = (ready["x"] @ ready[name].T for name in ("W_q", "W_k", "W_v"))
    dots = k @ q[8]
    expected = dots, (dots / 3**0.5).softmax(0), F.scaled_dot_product_attention(q, k, v)[8]
    compare(yours[2], expected[2], f"Nine words of width 4, d_k 3, d_v 2: wrong output. {sizes}")
    leaves, unused = [*ready.values()], sum(0 * tensor.sum() for tensor in ready.values())
    for what, *pair in zip(("scores", "weights", "output"), yours, expected):
        sums = [out.square().sum() + unused for out in pair]
        slopes = [torch.autograd.grad(total, leaves, retain_graph=True) for total in sums]
        for name, slope, right in zip(ready, *slopes):
            told = f"The {what} of word 8: right numbers, but the gradient in {name} is wrong."
            compare(slope, right, f"{told} Is a part of the formula detached?", atol=1e-3)

    # The wide sentence of the text, whose numbers are known: scores of 95 are no reason to cut.
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(123)
        sentence = nn.Embedding(6, 16).weight.detach()[[0, 4, 5, 2, 1, 3]]
        torch.manual_seed(123)
        wide = [torch.randn(rows, 16) for rows in (24, 24, 28)]
    scores, weights, _ = check.call(attend_one, sentence, 1, *wide, stuck=sizes)
    told = "The wide sentence of the text, word 1:"
    compare(scores, torch.tensor(SCORES), f"{told} wrong scores. {sizes}", atol=1e-3)
    far = "Are large scores cut off, or made smaller than by √24?"
    compare(weights, torch.tensor(WEIGHTS), f"{told} wrong weights. {far}", atol=1e-4)

    # A sentence of one word, whose three axes all stay.
    alone = check.call(
        attend_one,
        inputs[:1],
        0,
        Wq,
        Wk,
        Wv,
        stuck=("The sentence has a single word here. Does a squeeze drop its axis, too?"),
    )
    got = [tuple(part.shape) for part in alone]
    told = f"One word, d_v 13: expected shapes (1,), (1,), (13,), got {', '.join(map(str, got))}."
    assert got == [(1,), (1,), (13,)], f"{told} Is there a squeeze? Axes of size 1 stay."
    return "attend_one passes: raw scores, weights that sum to 1, and their average of the values."


@without(
    "F.scaled_dot_product_attention",
    "scaled_dot_product_attention_math",
    "scaled_dot_product_flash_attention_for_cpu",
    "flex_attention",
)
def check_scaled_dot_product_attention(scaled_dot_product_attention):
    query, key, value = torch.randn(2, 5, 11), torch.randn(2, 7, 11), torch.randn(2, 7, 13)

    # One output: a row for each query, as wide as a value.
    pair = "must match the size of tensor b"
    yours = check.call(
        scaled_dot_product_attention,
        query,
        key,
        value,
        stuck={
            f"a (7) {pair} (5)": "Is the axis of a maximum or a sum kept, with keepdim=True?",
            f"a (7) {pair} (13)": "Weights and values are multiplied by `@`, not by `*`.",
            f"a (5) {pair} (7)": "Query and key are multiplied by `@`, not by `*`.",
            "b (7) at non-singleton dimension 0": "Did axes 0 and 1 change places? In `key` the last "
            "two are swapped, by .mT, and `value` stays as it is.",
            "must match": "Are the last two axes of `key` swapped, and no others? `.T` turns all.",
            "[2, 11] but got: [2, 13]": "That is `value`, 13 wide. Does the query meet `key`?",
            "[2, 11] but got": "Are the last two axes of `key` swapped, with .mT?",
            "[2, 7] but got": "Is `value` turned? It stays as it is; only `key` has two axes swapped.",
            "Dimension out": "There are three axes here. Count from the end, as in `key.transpose(-2, -1)`.",
            "[2, 13] but got": "Do the weights stand on the left, `weights @ value`?\n"
            "Do the arguments come in this order: query, key, value?",
            "Expected size": "Have query and key changed places, or is another tensor swapped?\n"
            "Each query has a row of weights.",
            "": "Is it query times key with its last two axes swapped, then weights times value?\n"
            "If the error is your own: do you compare the last sizes of query and key alone,\n"
            "and do the arguments come in this order: query, key, value?",
        },
    )
    several = "Expected the output as one tensor, got a list. `torch.stack` joins what a loop made."
    assert not isinstance(yours, list), several
    check.tensor(
        yours,
        (2, 5, 13),
        "the output",
        {
            (2, 5, 7): "Those are the weights. Multiply them with `value`.",
            (2, 5, 11): "That is the width of a key. Is it `value` that is averaged?",
            (
                2,
                7,
                13,
            ): "That is one row for each key. Does `query` stand on the left of the product?",
            (10, 13): "Are the leading axes kept, here the two sentences?",
        },
        otherwise="Is it weights times value, in this order?",
    )
    told = f"The arguments are {query.dtype}, your output is {yours.dtype}. Keep the dtype."
    assert yours.dtype == query.dtype, told
    again = scaled_dot_product_attention(query, key, value)
    assert torch.equal(again, yours), "The same call twice gave two outputs. Is there dropout?"

    # With the identity for values, the output is the weights: value j is 1 in column j, else 0.
    eye = torch.eye(7).expand(2, 7, 7)
    weights = scaled_dot_product_attention(query, key, eye)
    expected = F.scaled_dot_product_attention(query, key, eye)
    check.weights(weights)
    alone = scaled_dot_product_attention(query[:1], key[:1], eye[:1])
    # Before the softmax stands query · key / √d_k, one key at a time.
    dots = torch.stack([(query * one[:, None]).sum(-1) for one in key.unbind(1)], dim=-1)
    scaled, lengths = dots / 11**0.5, query.norm(dim=-1)[..., None] * key.norm(dim=-1)[:, None]
    cause = check.first(
        {
            "Sentence 0 alone gets other weights than in a batch. Is each kept to itself?": (
                not check.same(alone, weights[:1])
            ),
            "They are the right weights in reverse order. Does value 0 go with key 0?": (
                check.same(weights, expected.flip(-1))
            ),
            "You take cosines; leave the vectors as they are.": (check.scale(weights, dots / lengths) is not None),
            "You take distances; take dot products.": (check.scale(weights, torch.cdist(query, key)) is not None),
            "The softmax is taken twice.": check.same(weights, expected.softmax(-1)),
            "The largest of each column is subtracted. Subtract that of each row, over the keys.": (
                check.same(weights, (scaled - scaled.amax(-2, keepdim=True)).softmax(-1))
            ),
            "Is `key` reshaped? Swap its last two axes with .mT.": check.scale(weights, query @ key.reshape(2, 11, 7))
            is not None,
        },
        otherwise=check.some_right(weights, expected, "Is it one softmax of the dot products?"),
    )
    others = {"the number of keys, or of a value's width": 7, "the number of queries": 5}
    check.rooted(weights, dots, 11, others | {"the number of sentences": 2}, cause)

    # These weights average the values. PyTorch's own attention is the judge.
    judge = F.scaled_dot_product_attention
    expected = judge(query, key, value)
    cause = check.like(
        yours,
        {
            "The softmax came after the values. First the weights, then the average.": (dots / 11**0.5 @ value).softmax(
                -1
            ),
            "Value 0 goes with a key other than key 0.": expected.flip(0),
            "The values come in reverse order.": weights @ value.flip(1),
            "Sentence 0 gets the values of sentence 1.": weights @ value.flip(0),
            "All sentences get the values of sentence 0.": weights @ value[:1],
            "Is it a mean where the weighted sum belongs?": expected / 7,
        },
        otherwise=check.some_right(yours, expected, "Is it weights times value, and nothing after it?"),
    )
    compare(yours, expected, f"The weights are right, the average of the values is not. {cause}")

    # Scores of ±10,000.
    far = query + torch.tensor([1e4, -1e4, 1.0, 0.0, -1.0])[:, None] * torch.eye(11)[0]
    near = key + torch.eye(11)[0]
    compare(
        scaled_dot_product_attention(far, near, value),
        judge(far, near, value),
        (
            "Scores of ±10,000 give a wrong output: float32 cannot hold exp(89).\n"
            "Does each row subtract its own largest score, with nothing cut off?"
        ),
    )

    # Scores of exactly 0, as a query of zeros gives them: every key gets the same weight.
    told = "Scores of exactly 0 should give all keys one weight. Is a score of 0 taken for hidden?"
    even = value.mean(1, keepdim=True).expand(2, 5, 13)
    compare(scaled_dot_product_attention(0 * query, key, value), even, told)

    # One sentence, batches of batches, other sizes.
    tried = ((), 5, 7, 11, 13), ((3, 2), 5, 7, 11, 13), ((4,), 6, 2, 3, 3), ((1,), 1, 2, 3, 4)
    tried += (((), 6, 2, 3, 5),)
    for lead, q, k, d, v in tried:
        three = torch.randn(*lead, q, d), torch.randn(*lead, k, d), torch.randn(*lead, k, v)
        axes = "Are the axes counted from the end, −1 and −2?"
        axes = "Axes of size 1 stay. Is there a squeeze?" if q == 1 else axes
        lead = "Is a shape taken apart into a fixed number of axes? Count from the end: shape[-1]."
        output = check.call(scaled_dot_product_attention, *three, stuck={"to unpack": lead, "": axes})
        told = check.shown(scaled_dot_product_attention, *three)
        compare(output, judge(*three), f"{told} gives a wrong output. {axes}")

    # The three words for pencil and paper, whose output is known.
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(42)
        three = [nn.Linear(2, 2, bias=False).weight.detach() for _ in range(3)]
    tokens = torch.tensor([[1.16, 0.23], [0.57, 1.36], [4.41, -2.16]])
    output = scaled_dot_product_attention(*(tokens @ matrix.T for matrix in three))
    compare(output, torch.tensor(PAPER), "Three words of width 2: not the known output.", atol=1e-4)

    # Called by name, in float64, and open to gradients; the given line refuses two widths.
    check.trainable(scaled_dot_product_attention, query=query, key=key, value=value)
    exact = [torch.randn(2, *size, dtype=torch.float64) for size in ((5, 16), (7, 16), (7, 13))]
    told = "With d_k 16 it is a little off. Is a small number added to a sum, which is never 0?"
    compare(scaled_dot_product_attention(*exact), judge(*exact), told)
    ready = query.clone().requires_grad_(), key.clone().requires_grad_()
    check.reaches(scaled_dot_product_attention(*ready, value)[..., 0], query=ready[0], key=ready[1])
    pair = scaled_dot_product_attention(*ready, value), judge(*ready, value)
    slopes = [torch.autograd.grad(out.square().sum(), ready) for out in pair]
    for name, slope, right in zip(("query", "key"), *slopes):
        told = f"The output is right, but its gradient with respect to {name} is not."
        compare(slope, right, f"{told} Is a part detached?", atol=1e-4)
    for narrow in (query, key[..., :6], value), (query[..., :1], key, value):
        check.refuses(
            scaled_dot_product_attention,
            *narrow,
            names=(narrow[0].shape[-1], narrow[1].shape[-1]),
            otherwise="Is the given line that compares the two widths still there?",
        )
    return "scaled_dot_product_attention passes: it agrees with PyTorch's, whatever the sizes."


def check_is_permutation_equivariant(is_permutation_equivariant):
    def attention(x):
        return F.scaled_dot_product_attention(x, x, x)

    inputs = torch.linspace(-1.3, 1.7, 30)[torch.randperm(30)].view(2, 5, 3)  # (batch, seq, d)
    heights = torch.linspace(-1, 1, 5)[:, None]  # one number for each position
    swap, cycle = torch.tensor([0, 3, 2, 1, 4]), torch.tensor([2, 0, 3, 4, 1])
    circle = torch.tensor([3, 4, 0, 1, 2])

    def numbered(x):
        return x + heights

    def expects(wanted, layer, perm, told, cause, x=inputs):
        said = check.call(
            is_permutation_equivariant,
            layer,
            x,
            perm,
            stuck={
                "index 5 is out": "There are 5 words, and word 5 would be the sixth. Is `perm` used, "
                "and not an order of another sentence?",
                "out of bounds": "The words are axis 1. `x[perm]` picks sentences, `x[:, perm]` words.",
                "was called": "Are sentences cut off, or put together? Give it the whole of x.",
                "size of tensor": "Are both sides of the comparison of one shape?",
                "invalid for": "The output may differ in width from x. Is x.shape used for it?",
                "not subscriptable": "Do the arguments come in this order: attend, x, perm?",
                "attribute": "`attend` may be a function or a module. Is it only called?",
                "keyword": "`attend` may call its argument otherwise. Write attend(…) without x=.",
                "not close": "Where the two differ, return False. assert_close raises an error.",
                "": "Is `attend` called on x and on the shuffled x, and are both outputs compared?",
            },
        )
        missing = "Is there a `return`?" if said is None else "`bool(…)` turns it into one."
        missing = "True and False stand without quotes." if isinstance(said, str) else missing
        if many := tuple(getattr(said, "shape", ())):
            missing = f"Its shape is {many}: one answer for each number? .all() joins them."
        kind = type(said).__name__ if "numpy" not in type(said).__module__ else "one of numpy's own"
        assert type(said) is bool, f"Expected True or False, a bool, got {kind}. {missing}"
        if said is not wanted and wanted and is_permutation_equivariant(numbered, inputs, cycle):
            cause = "Have True and False changed places? True: shuffling only shuffles the output."
        assert said is wanted, f"{told}\nExpected {wanted}, got {said}. {cause}"

    # A layer that returns its input: first with a swap, then with all five words moved.
    told = "This layer returns its input, so shuffled words come out shuffled."
    expects(
        True,
        nn.Identity(),
        swap,
        told,
        "Is the other output shuffled, too, by the same `perm`, before the two are compared? And\n"
        "is x shuffled before one call of `attend`, once and not twice?",
    )
    expects(
        True,
        nn.Identity(),
        cycle,
        "A swap of two words passed; with all five moved it failed.",
        "Are both sides shuffled the same way? `perm` twice, or its inverse, undoes only a swap.",
    )

    expects(
        True,
        lambda x: 2 * x,
        cycle,
        "This layer doubles each number.",
        "Are two outputs of `attend` compared, not an output with x?",
    )

    # Differences up to 8e-6 are rounding, whatever the numbers that differ.
    tiny = "The outputs differ by at most 8e-6 in every number, which is rounding."
    far = (
        "Is the tolerance 1e-5, for the largest single difference? `equal` has none, that of "
        "`allclose`\nis 1e-8 unless you give atol. A sum or a length adds up, and two neighbours "
        "can be rounded to different numbers."
    )
    expects(True, lambda x: x + 4e-6 * heights, cycle, tiny, far)
    expects(True, lambda x: 0 * x + 0.12345 + 4e-6 * heights, cycle, tiny, far)

    # Attention without positions, with positions, and an output of a different width. That with
    # positions has the sign that makes the differences sum to more than 0, as their signs come
    # later.
    expects(
        True,
        attention,
        cycle,
        "Attention without positions does not notice the order.",
        "Are the two outputs compared word by word?",
    )
    gap = attention(numbered(inputs[:, cycle])) - attention(numbered(inputs))[:, cycle]
    sign = gap.sum().sign()
    expects(
        False,
        lambda x: sign * attention(x + heights),
        cycle,
        "This attention adds positions.",
        "Is `attend` called on the shuffled x, too, and are the numbers compared, not the shapes?",
    )
    expects(
        True,
        lambda x: x[..., :1] * 2,
        circle,
        "The output may have a different width.",
        "Is anything taken for granted but axis 1?",
    )

    # It is `perm` that shuffles, and each position is compared with its own.
    neighbour = "Each word gets the word before it, in a circle. "
    expects(
        True,
        lambda x: x + x.roll(1, 1),
        circle,
        neighbour + "`perm` turns that circle.",
        "Is it `perm` that shuffles, and not a shuffle of your own?",
    )

    # All differences have one sign; then the layer adds 6e-5 to one number, wherever it stands.
    told = "All differences have one sign here. Is their absolute value taken?"
    rising = torch.arange(5.0)[None, :, None].expand(2, 5, 3).clone()
    for turn in (rising, -rising):

        def led(y):
            shape = tuple(y.shape)
            assert shape == (2, 5, 3), f"attend was called on shape {shape}, not on that of x"
            return y + y[:, :1]

        expects(False, led, cycle, told, "A negative difference counts.", x=turn)
    for sentence, word, column in ((0, 0, 0), (0, 4, 2), (1, 1, 1), (1, 4, 0)):
        bump = torch.zeros(2, 5, 3)
        bump[sentence, word, column] = 6e-5
        told = f"This layer adds 6e-5 to one number: sentence {sentence}, word {word}, column {column}."

        def bumped(y, bump=bump):
            shape = tuple(y.shape)
            assert shape == (2, 5, 3), f"attend was called on shape {shape}, not on that of x"
            return y + bump

        expects(
            False,
            bumped,
            cycle,
            told,
            "Is the largest difference of all compared with 1e-5, not a mean or sum, not a part?",
        )
    bump[1, 4, 1] = -6e-5
    expects(
        False,
        lambda x: x + bump,
        cycle,
        "This layer adds 6e-5 to one number of a word, and −6e-5 to another.",
        "Are the differences added up before their absolute value is taken?",
    )

    # The same circle, where `perm` breaks it; then a layer that turns the words round.
    expects(
        False,
        lambda x: x + x.roll(1, 1),
        swap,
        neighbour + "`perm` swaps two words.",
        "Is it `perm` that shuffles, and are all positions compared?",
    )
    expects(
        False,
        lambda x: x.flip(1),
        cycle,
        "This layer turns the sentence round.",
        "Is it `perm` that shuffles, and is position i compared with word perm[i], not just the\n"
        "two sets of words, or their means?",
    )

    # Where the numbers are near 0, a share of them is nothing, and the limit is 1e-5.
    expects(
        False,
        lambda x: 0 * x + bump / 3,
        cycle,
        "This layer gives 0, but 2e-5 for one number of a word, and −2e-5 for another.",
        "Is the limit 1e-5 itself, and not one that is a little larger?",
    )

    # Called by name, and a module will do.
    module = nn.Linear(3, 4)
    stuck = "Later cells call it by name. Are its arguments still called attend, x, perm?"
    said = check.call(is_permutation_equivariant, attend=module, x=inputs, perm=cycle, stuck=stuck)
    assert said is True, f"nn.Linear treats each word alone. Expected True, got {said}."
    return "is_permutation_equivariant passes: it answered right twenty times."


def check_previous_word_head(previous_word_head):
    for seq_len in (4, 7, 2, 1, 29, 64):
        # A pair of float32 matrices, one column for each position.
        pair = check.call(previous_word_head, seq_len, stuck="Does it work from 1 word to 64?")
        two = isinstance(pair, (tuple, list)) and len(pair) == 2
        missing = "Return W_q and W_k, one after the other, and nothing else."
        if torch.is_tensor(pair) and pair.ndim == 2:
            missing = "Return W_q and W_k, not their product."
        missing = "Is there a `return`?" if pair is None else missing
        assert two, f"Expected the pair (W_q, W_k), got {type(pair).__name__}. {missing}"
        for name, matrix in zip(("W_q", "W_k"), pair):
            kind = type(matrix).__name__
            told = f"Expected {name} as a tensor, got {kind}. "
            told += "Make it with torch, as torch.eye(seq_len) does; no layer is needed."
            assert isinstance(matrix, torch.Tensor), told
            told = f"seq_len {seq_len}: {name} has shape {tuple(matrix.shape)}"
            fits = matrix.ndim == 2 and matrix.shape[1] == seq_len
            assert fits, f"{told}, expected (d_k, {seq_len}): one column for each position."
            assert matrix.dtype == torch.float32, f"{told} and {matrix.dtype}, expected float32."
            assert matrix.isfinite().all(), f"{told} and holds inf or NaN. Use large, but finite numbers."
        W_q, W_k = pair
        told = f"seq_len {seq_len}: W_q has {len(W_q)} rows and W_k has {len(W_k)}."
        assert W_q.shape == W_k.shape, f"{told} Both have d_k rows; they meet in a dot product."

        # The weights of words that are nothing but their position.
        x = torch.eye(seq_len)
        weights = F.scaled_dot_product_attention(x @ W_q.T, x @ W_k.T, x)
        before = [max(i - 1, 0) for i in range(seq_len)]
        after = [min(i + 1, seq_len - 1) for i in range(seq_len)]
        best = weights.argmax(dim=-1).tolist()
        right = [weights[i, j].item() for i, j in enumerate(before)]
        cause = check.first(
            {
                "Each word attends to itself. Shift the table by one.": best == [*range(seq_len)],
                "Each word attends to the word after it. The query of word i is column i of W_q: "
                "is something transposed, or have W_q and W_k changed places?": best[1:-1] == after[1:-1],
                "All are right but the first word, which should attend to itself. Does the shift "
                "go round in a circle?": best[1:] == before[1:],
                "All weights in a row are equal. Is anything large in the table?": (
                    weights.std(dim=-1, correction=0).max() < 1e-4
                ),
                "All words attend to one and the same.": weights[:, best[0]].min() > 0.9,
                "There are NaN. Are the scores too large for float32?": weights.isnan().any(),
                "Each word attends two words back. Is the shift by 2, or in both matrices?": (
                    seq_len > 3 and best[2:] == before[1:-1]
                ),
                "All are right but the last word. Does a loop reach it?": (seq_len > 2 and best[:-1] == before[:-1]),
                "With d_k = 1 only the largest and the smallest key can win. More rows help.": (
                    len(W_q) == 1 and seq_len > 3
                ),
            }
        )
        worst = min(range(seq_len), key=right.__getitem__)
        row, own = weights[worst], right[worst]
        level = [j for j in range(seq_len) if abs(row[j].item() - row.max().item()) < 1e-4]
        column = "Which column of W_qᵀ W_k should be the largest in this row? Nothing here is random."
        most = f"Most of it goes to word {best[worst]}."
        if weights[worst].max() < 0.9:
            most = f"Word {worst} gives no word most of it."
        if own < 1e-3 and own == row.min().item() and 1 < len(level) < seq_len:
            most, column = (
                "The word that should get most gets the least.",
                "Is there a minus too many?",
            )
        cause = cause or f"{most} {column}"
        if best == before and right[0] < 0.99 and min(right[1:], default=1) >= 0.99:
            cause = "All are right but the first word. Is its row of the table large enough?"
        elif worst and 1 < len(level) < seq_len and before[worst] in level:
            cause = f"Words {level} share it, {own:.2f} each. Only one column of W_qᵀ W_k may be the "
            cause += "largest in this row."
        elif best == before:
            cause = f"The scores are too small. Remember the softmax's division by √{len(W_q)}."
        assert right[worst] >= 0.99, (
            f"seq_len {seq_len}: word {worst} gives {right[worst]:.3f} of its weight to word "
            f"{before[worst]}, expected at least 0.99.\n{cause}"
        )

    # Called by name.
    stuck = "Later cells call it by name. Is its argument still called seq_len?"
    check.call(previous_word_head, seq_len=5, stuck=stuck)
    return "previous_word_head passes: from 1 to 64 words, each attends to the one before it."


def check_SelfAttentionHead(SelfAttentionHead):
    def fill(layer, state):
        layer.load_state_dict({**layer.state_dict(), **state})
        return layer

    # Three linear layers with these names and widths, with and without bias.
    widths = {"q_proj": 5, "k_proj": 5, "v_proj": 13}
    for bias in (False, True):
        layer = check.call(
            SelfAttentionHead,
            d_model=11,
            d_k=5,
            d_v=13,
            bias=bias,
            stuck={
                "before Module": "Call super().__init__() before the first layer.",
                "": "Are its arguments called d_model, d_k, d_v, bias, and may d_k and d_v differ?",
            },
        )
        wanted = {f"{name}.weight": (width, 11) for name, width in widths.items()}
        wanted |= {f"{name}.bias": (width,) for name, width in widths.items()} if bias else {}
        got = check.shapes(layer)
        cause = check.first(
            {
                "Are they layers of their own, set on self under these names? A list or a dict hides them.": any(
                    f"{name}.weight" not in got for name in widths
                ),
                "nn.Linear(d_in, d_out): the width that the layer reads comes first.": (
                    got.get("q_proj.weight") == (11, 5) or got.get("v_proj.weight") == (11, 13)
                ),
                "Queries and keys are d_k wide, values d_v, and all three read d_model numbers.": (
                    any(got.get(name) != shape for name, shape in wanted.items() if "w" in name)
                ),
                "Are these three layers all that is learned?": any(
                    name.partition(".")[0] not in widths for name in got
                ),
            },
            otherwise="Is `bias` handed on to each of the three, as bias=bias?",
        )
        check.parameters(layer, wanted, f"(d_model 11, d_k 5, d_v 13, bias={bias}.) {cause}")
    wanted = {f"{name}.weight": (width, 11) for name, width in widths.items()}
    check.parameters(
        check.call(SelfAttentionHead, 11, 5, 13),
        wanted,
        (
            "SelfAttentionHead(11, 5, 13) is d_model, d_k, d_v. Is that your order?\n"
            "Is `bias` False when it is not given?"
        ),
    )

    # No two layers begin with the same numbers; with zeros, say, training would find no way out.
    fresh = [dict(SelfAttentionHead(11, 5, 13).named_parameters()) for _ in range(2)]
    told = "Two new layers begin with the same numbers, and `nn.Linear` makes random ones."
    for name in wanted:
        alike = torch.equal(fresh[0][name], fresh[1][name])
        assert not alike, f"{name}: {told} Is a seed set, or are they filled?"
    alike = torch.equal(fresh[0]["q_proj.weight"], fresh[0]["k_proj.weight"])
    told = "q_proj and k_proj begin with the same numbers."
    assert not alike, f"{told} Is one filled with the numbers of the other?"
    # They lie evenly between −1/√d_model and 1/√d_model. Of 300 such numbers the largest is below
    # 4/5 of that once in 10²⁹ layers.
    for name, values in SelfAttentionHead(256, 300, 400, bias=True).named_parameters():
        most = values.abs().max()
        told = f"SelfAttentionHead(256, 300, 400): {name} begins with numbers up to {most:.3f}.\n"
        told += "Those of `nn.Linear` are random, up to 1/√256 = 0.062. Is there an initialization "
        told += "of your own? Leave PyTorch's."
        assert 0.8 / 16 < most < 1 / 16 + 1e-6, told

    # Words are one-hot and W_v is the identity, so columns 0 to 5 of the output are the weights.
    state = {"q_proj.weight": torch.randn(5, 11), "k_proj.weight": torch.randn(5, 11)}
    state["v_proj.weight"] = torch.eye(13, 11)
    layer = fill(SelfAttentionHead(11, 5, 13), state)
    onehot = torch.stack([torch.eye(6, 11), torch.eye(6, 11).flip(-1)])  # (batch, seq, d_model)
    axes = "Are the axes counted from the end, −1 and −2, and `key` turned by .mT?"
    adds = "Is x, of width 11, added to the output, of width 13? Nothing is added here."
    out = check.call(
        layer,
        onehot,
        stuck={
            "a (11) must": adds,
            "b (11) at": adds,
            "b (13) at": "Weights and values are multiplied by `@`, not by `*`.",
            "[2, 13] but got": "The query is d_v = 13 wide: it comes from v_proj. Which layer makes it?",
            "[2, 5] but got: [2, 13]": "The key is d_v = 13 wide: it comes from v_proj.",
            "required": "Does forward stand in the class, under this name, and take x alone?",
            "": axes,
        },
    )
    check.tensor(
        out,
        (2, 6, 13),
        "the output",
        {
            (2, 6, 6): "Those are the weights. Are they multiplied with the values?",
            (2, 6, 11): "That is the width of a word. Average the values v_proj(x), not the words.",
            (2, 6, 5): "That is the width of a key. Average the values v_proj(x), not the keys.",
        },
        otherwise="Does each word get one average of the values?",
    )
    assert torch.equal(layer(onehot), out), (
        "Two calls on the same x gave two outputs. Are layers made anew in forward, or is there dropout?"
    )
    told = "After .eval() the same x gave a different output. Is there dropout, or a question about\n"
    assert check.same(layer.eval()(onehot), out), f"{told}`self.training`?"
    for name in state:
        changed = fill(layer, {**state, name: state[name].flip(0, 1)})(onehot)
        assert not check.same(changed, out), (
            f"{name} was changed and the output stayed. Does forward use {name[:6]}, anew in each call?"
        )
    fill(layer, state)

    # The weights of the first sentence, word by word: what stands before the softmax?
    weights = out[:, :, :6]
    assert check.same(layer(onehot[:1]), out[:1]), (
        "Sentence 0 alone gives a different output than in a batch of two. Is each sentence kept to\n"
        "itself? Does a softmax run over axis 0, the batch, or is an axis of size 1 squeezed away?"
    )
    shares = weights[0, 0].sum()
    assert abs(shares - 2) > 1e-4, (
        f"The shares of the values add up to {shares:.2f}, expected 1. Is something added to the "
        "average, such as x or the values?"
    )
    normed = F.layer_norm(onehot, (11,))
    q, k, v = (F.linear(normed, state[f"{name}.weight"]) for name in widths)
    assert not check.same(out, F.scaled_dot_product_attention(q, k, v)), (
        "x is normalised before it is projected. Nothing of the kind happens in this layer."
    )
    check.weights(torch.stack([weights[0], out[1, :, 5:11].flip(-1)]))
    dots = (state["q_proj.weight"].T @ state["k_proj.weight"])[:6, :6]  # query i · key j
    assert check.scale(weights[0], dots.T) is None, (
        "In row i, key i meets the queries of all words. Have query and key changed places?"
    )
    others = {"d_model": 11, "d_v": 13, "the number of words": 6}
    check.rooted(
        weights[0],
        dots,
        5,
        others,
        (
            "Is it one softmax of q_proj(x) · k_proj(x)?\n"
            "Are both taken as they are, and the keys swapped by .mT, not reshaped?"
        ),
    )

    # With q_proj at 0 all scores are exactly 0, and every word gets the mean of the values.
    level = fill(layer, {**state, "q_proj.weight": torch.zeros(5, 11)})(onehot)
    told = "With q_proj at 0 all scores are 0, so each output is the mean of the values."
    mean = F.pad(onehot.mean(1, keepdim=True), (0, 2)).expand(2, 6, 13)
    compare(level, mean, f"{told} Is a score of 0 taken for hidden?")
    fill(layer, state)

    # The whole layer against PyTorch's attention, with bias too, and with other leading axes.
    for bias, lead, cause in (
        (False, (2,), "Are the values v_proj(x) as they are, and only averaged?"),
        (True, (2,), "Is each bias used, by calling the layer, and added once?"),
        (False, (), axes),
        (False, (3, 2), axes),
    ):
        layer, x = SelfAttentionHead(11, 5, 13, bias=bias), torch.randn(*lead, 6, 11)
        own = {name: torch.randn_like(p) / 11**0.5 for name, p in layer.named_parameters()}
        q, k, v = (F.linear(x, own[f"{n}.weight"], own.get(f"{n}.bias")) for n in widths)
        fixed = "Is x.shape taken apart into three? x may have more leading axes, or none."
        out = check.call(fill(layer, own), x, stuck={"to unpack": fixed, "": cause})
        told = f"x {tuple(x.shape)}, bias={bias}: the output is not the attention of q, k, v"
        right = F.scaled_dot_product_attention(q, k, v)
        told = f"{told}. {check.some_right(out, right, cause) if x.ndim == 3 else cause}"
        compare(out, right, told)

    # A value as wide as a word: nothing is added to the average where the widths allow it, either.
    layer, x = SelfAttentionHead(11, 5, 11), torch.randn(2, 6, 11)
    own = dict(layer.named_parameters())
    q, k, v = (F.linear(x, own[f"{name}.weight"]) for name in widths)
    told = "With d_v = d_model the output is not the average of the values. Is x added to it?"
    compare(layer(x), F.scaled_dot_product_attention(q, k, v), told)

    # Called by name; the gradient reaches x and the three matrices, and that to x is right.
    out = check.trainable(fill(SelfAttentionHead(11, 5, 13), state), x=onehot)
    layer = fill(SelfAttentionHead(11, 5, 13), state)
    out = layer(torch.randn(2, 6, 11))[..., 0]
    check.reaches(out, **dict(layer.named_parameters()))
    x = onehot.clone().requires_grad_()
    q, k, v = (F.linear(x, state[f"{name}.weight"]) for name in widths)
    pair = layer(x), F.scaled_dot_product_attention(q, k, v)
    slopes = [torch.autograd.grad(y.square().sum(), x)[0] for y in pair]
    told = "The output is right, but its gradient with respect to x is not."
    compare(*slopes, f"{told} Is a part detached?", atol=1e-3)
    return "SelfAttentionHead passes: with the same weights it returns what PyTorch returns."
