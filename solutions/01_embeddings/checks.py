"""The visible checks of unit 01: one function for each exercise, named after it.

It takes the answer as the notebook has it, and returns what the reader is told when it passes.
"""

import math

import torch
import torch.nn.functional as F
from checking.notebook import without
from checking.words import check, compare


def check_sinusoidal_positions(sinusoidal_positions):
    # What is right: the formula, number by number.
    def formula(seq_len, d_model):
        """Column 2i is the sine, column 2i + 1 the cosine of pos / 10000^(2i / d_model)."""
        waves = [math.sin, math.cos] * (d_model // 2)
        bases = [10000 ** ((column - column % 2) / d_model) for column in range(d_model)]
        return torch.tensor([[f(p / b) for f, b in zip(waves, bases)] for p in range(seq_len)])

    # One row per position, one sine and one cosine per hand.
    yours = check.call(sinusoidal_positions, 20, 12, stuck={
        "expanded": "Do the sines fill every second column, `[:, 0::2]`, of seq_len = 20 rows?",
        "must match": "Do positions (20, 1) meet speeds (6,), to give angles (20, 6)?",
        "zero": "Is something divided by i = 0?",
        "only one element": "math.sin takes one number. torch.sin takes a tensor.",
        "must be Tensor": "A function of torch takes a tensor. One of `math` takes a number.",
        "out of bounds": "Hand i has columns 2i and 2i + 1. Does i count by ones, or by twos?",
        "even": "d_model = 12 is even. Is an even d_model accepted?",
        "": "Is it the sine and the cosine of pos / 10000 ** (2i / d_model)?",
    })  # fmt: skip
    told = "There are NaN or inf in the positions. Is something divided by 0, as by\n"
    told += "`10000 ** 2 * i / d_model` for i = 0? Is the whole exponent in parentheses?"
    assert not (isinstance(yours, torch.Tensor) and not yours.isfinite().all()), told
    check.tensor(yours, (20, 12), "the positions", {
        (12, 20): "Are rows and columns swapped?",
        (20, 6): "Does each hand have a sine column and a cosine column?",
        (20, 24): "Is there one hand for each pair of columns, d_model / 2 of them?",
        (1, 20, 12): "There is an axis too many.",
        (20, 6, 2): "There is an axis too many. Are sine and cosine flattened into columns?",
    }, otherwise="Are the positions 0, 1, …, 19, and which argument is which?")  # fmt: skip
    assert yours.dtype == torch.float32, f"Expected float32, got {yours.dtype}. Is it converted?"

    # Only one row is wrong, or each cosine is one of the sine beside it.
    right = formula(20, 12)
    told = "Position 19, the last row, is all 0. Does a loop end at seq_len - 1? `range(seq_len)` ends there by itself."
    assert yours[19].any() or not check.same(yours[:19], right[:19]), told
    told = "Only position 0 is wrong: it is all 0. Is its row set to 0, as for padding? Its cosines are 1."
    assert yours[0].any() or not check.same(yours[1:], right[1:]), told
    told = "An odd column holds the cosine of the sine beside it. Take the cosine of the angle."
    turns = yours[:, 0::2].abs().max() > 0.5  # the cosine of a small angle is that of its sine, nearly
    assert not turns or not check.same(yours[:, 1::2], yours[:, 0::2].cos()), told

    # At position 0 every angle is 0, so the row is 0, 1, 0, 1, …
    first = [round(number, 2) for number in yours[0].tolist()]
    cause = check.first({
        "Every cosine stands in an even column. Are the odd columns, `1::2`, empty?":
            first == [1, 0] * 6 and not yours[:, 1::2].any(),
        "Are sine and cosine swapped?": first == [1, 0] * 6,
        "0 in one half, 1 in the other. Do sines and cosines alternate?":
            first in ([0] * 6 + [1] * 6, [1] * 6 + [0] * 6),
        "Is every second column a cosine?": first == [0] * 12,
        "Is every column a cosine? The even ones are sines.": first == [1] * 12,
        "That is √d_model. Nothing is multiplied by it yet.": first[1] == 3.46,
        "0.84 is sin(1), in the first column alone, as 0 to the power of 0 is 1. Is only 10000 "
        "raised to a power, and not the position?": first[:4] == [0.84, 0.54, 0, 1],
        "0.84 is sin(1). Does the counting start at 1?": first[0] == 0.84,
        "Sine and cosine are divided. Is the angle divided first, and the sine taken of that?":
            first[:4] == [0, 1, 0, 0.22],
        "The angle grows along the row. Are pos and i swapped?": first[2] == 0.84,
        "Is there a minus before the cosine?": first == [0, -1] * 6,
        "Do sines fill whole rows? Stack sines and cosines on a new last axis before a reshape.":
            first[:7] == [0] * 6 + [0.84],
        "Is something multiplied or divided after sine and cosine are taken?":
            first == [0, first[1]] * 6 and first[1] != 0,
    }, "Is every angle 0 there, and is every column filled?")  # fmt: skip
    assert first == [0, 1] * 6, f"Position 0 is {first}, expected 0 and 1 in turn. {cause}"

    # Sine and cosine of one angle: their squares add up to 1.
    rough = "They are right to three digits or so. Is something rounded, or in half precision?"
    assert (yours - formula(20, 12)).abs().max() > 1e-3 or check.same(yours, formula(20, 12)), rough
    squares = yours.unflatten(1, (6, 2)).pow(2).sum(2)
    pos, i = divmod((squares - 1).abs().argmax().item(), 6)
    told = f"Expected the squares of columns {2 * i} and {2 * i + 1} to add up to 1, at position"
    cause = "Do both columns have the same angle, with exponent 2i / d_model?"
    assert abs(squares[pos, i] - 1) < 1e-4, f"{told} {pos} they give {squares[pos, i]:.3f}. {cause}"

    # From position 0 to position 1, hand 0 turns by 1 radian.
    turn = torch.atan2(yours[1, 0::2], yours[1, 1::2]).tolist()
    cause = check.first({
        "Hand i is i + 1 times as slow as hand 0. Is 10000 a factor? It is raised to the power 2i / d_model.":
            turn[0] and all(abs(t * (i + 1) / turn[0] - 1) < 0.01 for i, t in enumerate(turn)),
        "Is 2i / d_model in parentheses, so that all of it is the exponent?":
            0 < max(map(abs, turn)) < 1e-4 or abs(turn[0] - 1 / 12) < 1e-4,
        "Does the angle grow with the position, not by whole turns?": abs(turn[0]) < 1e-4,
        "Is the position divided by seq_len?": abs(turn[0] - 1 / 20) < 1e-4,
        "Is the position divided by seq_len - 1?": abs(turn[0] - 1 / 19) < 1e-4,
        "Is the angle in degrees?": abs(turn[0] - math.pi / 180) < 1e-4,
        "Is there a minus too many in the angle?": abs(turn[0] + 1) < 1e-4,
        "That is the slowest hand. Do the hands stand in reverse order?":
            abs(turn[-1] - 1) < 1e-4,
    }, "10000^0 = 1 divides the position there. Does i start at 0?")  # fmt: skip
    told = f"Hand 0 turns by {turn[0]:.4f} radians per word, expected 1. {cause}"
    assert abs(turn[0] - 1) < 1e-4, told

    # Hand 1 turns by 10000^(-1/6); a different angle says which base was used.
    base = abs(turn[1]) ** -6 if turn[1] else math.inf
    cause = check.near(base, {
        "Is i / d_model the exponent, instead of 2i / d_model?": 10000**0.5,
        "Is the 2 of 2i / d_model there twice?": 10000**2,
        "Does the exponent change from hand to hand?": 1,
        "Is 2i divided by d_model - 2 instead of d_model?": 10000**1.2,
        "Is 2i divided by seq_len instead of d_model?": 10000**0.6,
        "Is `exp` used with a logarithm to base 10?": math.exp(4),
        "Is it 1000 instead of 10000, or 16 instead of d_model?": 1000,
        "Is log(10000) left out of the `exp`?": math.e,
    }, otherwise="Is the speed 1 / 10000^(2i / d_model)?")  # fmt: skip
    cause = check.first({
        "Is the position multiplied by the power, instead of divided?": turn[1] < 0,
        "It stands still. Is it `/` and not `//`, and 2i / d_model the whole exponent?":
            not turn[1],
    }, cause)  # fmt: skip
    shown = f"{base:,.0f}" if base > 0.5 else f"{base:.2g}"
    told = f"Hand 1 turns by {turn[1]:.4f} radians per word, expected {10000 ** (-1 / 6):.4f}"
    assert abs(base / 10000 - 1) < 0.01, f"{told},\nas if the base were {shown}. {cause}"

    # The whole table, in several sizes; two of them share a width, which shows a table that is kept.
    compare(yours, formula(20, 12), "Does every hand turn by the same angle at each step?")
    size = "Do all sizes come from seq_len and d_model, and is every even d_model accepted?\n"
    size += "Is each table made anew, and none kept from an earlier call?"
    names = "Later cells call it by name. Are its arguments called seq_len and d_model?"
    stuck = {"keyword": names, "": size}
    for seq_len, d_model in ((7, 6), (9, 6), (1, 2)):
        other = check.call(sinusoidal_positions, seq_len=seq_len, d_model=d_model, stuck=stuck)
        told = f"seq_len = {seq_len}, d_model = {d_model}. {size}"
        compare(other, formula(seq_len, d_model), told)

    check.refuses(
        sinusoidal_positions,
        20,
        7,
        names=[7],
        otherwise="Is an odd d_model tested first, and the error raised, not returned?",
    )
    return "sinusoidal_positions passes: it agrees with the formula; an odd d_model is refused."


def check_encode(encode):
    known = {"Life": 7, "is": 2, "short": 11, "eat": 5, "tea": 0}

    # A sentence that uses two words twice, and its ids, looked up by hand.
    yours = check.call(encode, "eat short, Life, is short eat", known, stuck={
        "short,": "The comma is still part of the word. Are commas removed before splitting?",
        "Life,": "One comma is still there. Is every comma removed, not only the first?",
        "life": "The vocabulary has 'Life' as it is written. Are capital letters changed?",
        "Eat": "The vocabulary has 'eat' as it is written. Are capital letters made?",
        "'e'": "A single letter was looked up. Is the sentence cut into words with `split`?",
        "eat short'": "Two words were looked up as one. Is it cut at white space, not at commas?",
        "eat short": "The whole sentence was looked up. Is it cut into words with `split`?",
        "'dict' object has": "Do the arguments come in this order: sentence, vocab?",
        "'dessert'": "This sentence has no such word. Does the function use its own argument, and "
        "not a variable of the notebook?",
        "not callable": "Square brackets look up a word, as in `vocab[word]`.",
        "dimensions 'str'": "The tensor was made of words. Is each word replaced by its id first?",
        "": "Does each step work on a list of words, and is each word looked up as `vocab[word]`?",
    })  # fmt: skip
    told = f"Expected the ids as one tensor, got {yours!r:.60}."
    spelled = isinstance(yours, list) and all(isinstance(one, str) for one in yours)
    assert not spelled, f"{told} These are the words. Is each looked up, as `vocab[word]`?"
    check.tensor(yours, (6,), "the ids", {
        (4,): "'short' occurs twice and should give two ids. Are repetitions dropped?",
        (5,): "One is missing. Does the loop run over the whole sentence, and not over `vocab`?",
        (): "Only one id came back. Are all the words collected before the `return`?",
        (1,): "Only one id came back. Does the `return` stand inside the loop?",
        (1, 6): "There is an axis too many. One sentence gives a flat row of ids.",
        (6, 1): "There is an axis too many. One sentence gives a flat row of ids.",
    }, otherwise="Is there exactly one id per word, and not a one-hot vector?")  # fmt: skip
    cause = "Which dtype was asked for?"
    assert yours.dtype == torch.int64, f"Expected ids of torch.int64, got {yours.dtype}. {cause}"
    expected, got = [5, 11, 7, 2, 11, 5], yours.tolist()
    cause = check.first({
        "These are ids of a vocabulary made from this sentence. Is the argument `vocab` used?":
            got in ([1, 3, 0, 2, 3, 1], [0, 1, 2, 3, 1, 0]),
        "These count the words of `vocab`. Is the id read from it, as `vocab[word]`?":
            got == [3, 2, 0, 1, 2, 3],
        "These count the words of the sentence. Is each word looked up?": got == [*range(6)],
        "These are ids of the notebook's vocabulary. Is it the argument that is used?":
            got == [2, 5, 0, 4, 5, 2],
        "The ids are right but their order is not. Are words or ids sorted or reversed?":
            sorted(got) == sorted(expected),
    }, "Is the id of each word exactly `vocab[word]`?")  # fmt: skip
    assert got == expected, f"Expected the ids {expected}, got {got}. {cause}"

    # The corners: id 0, two spaces, a line break, commas and dots inside a word, no word at all.
    for text, given, expected, cause in (
        ("tea eat", known, [0, 5], "Is the id 0 mistaken for a missing word, or are zeros added?"),
        ("eat", known, [5], "One word gives a row of one id. Is there a squeeze?"),
        ("short  eat", known, [11, 5], "Does the sentence split at any run of white space?"),
        ("short\neat", known, [11, 5], "Does a line break separate words, like a space?"),
        ("10,000", {"10000": 3}, [3], "Is each comma removed, and nothing put in its place?"),
        ("tea , eat", known, [0, 5], "A comma by itself is no word. Is it gone before the split?"),
        ("u.s.-made", {"u.s.-made": 4}, [4], "Is anything removed besides commas?"),
        ("eat", {"eat": 3_000_000_001}, [3_000_000_001], "Is it int32 or a float on the way?"),
        ("", known, [], "Does every step of yours also work when there are no words?"),
    ):
        yours = check.call(encode, text, given, stuck=cause)
        got = yours.tolist() if isinstance(yours, torch.Tensor) else yours
        assert got == expected, f"{text!r}: expected the ids {expected}, got {got}. {cause}"
        cause = "What dtype does PyTorch give a tensor made from an empty list?"
        kind = getattr(yours, "dtype", f"a {type(yours).__name__}")
        assert kind == torch.int64, f"{text!r}: expected torch.int64 here too, got {kind}. {cause}"

    # An unknown word is an error, with a name.
    cause = "Is the error raised, not returned? Is the word skipped, or given some id? "
    cause += "`vocab.get` gives None; `vocab[word]` raises."
    check.refuses(encode, "eat dinner first", {**known}, kind=KeyError, names=["dinner"],
                  otherwise=cause)  # fmt: skip
    cause = "TEA is not the word tea. Are capital letters made small, in `vocab` as well?"
    check.refuses(encode, "eat TEA", {**known}, kind=KeyError, names=["TEA"], otherwise=cause)
    check.call(encode, sentence="eat", vocab=known, stuck={
        "keyword": "Later cells call it by name. Are its arguments called sentence and vocab?",
    })  # fmt: skip
    return "encode passes: one int64 id per word, in order; an unknown word is named in a KeyError."


@without(
    "F.embedding",
    "Embedding",
    "embedding_bag",
    "EmbeddingBag",
    "index_select",
    "gather",
    "take",
    "take_along_dim",
    "getitem:table",
)
def check_embed_one_hot(embed_one_hot):
    # A table whose rows say which they are: row 3 is 3.00, 3.01, 3.02, …; the last row is unused.
    ids = torch.tensor([[3, 1, 4, 1, 5], [0, 2, 5, 3, 1]])
    table = torch.arange(7.0)[:, None] + torch.arange(11) / 100  # (7, 11)

    axes = "The ids are (2, 5) here, and may have any number of axes. Is one axis expected?"
    yours = check.call(embed_one_hot, ids, table, stuck={
        "same number of dimensions": axes,
        "broadcast together": axes,
        "converted to Scalar": axes,
        "must match": axes,
        "dtype": "Does the one-hot matrix have the table's dtype?",
        "11x7)": "Is the table transposed? Its rows are the vectors already.",
        "non-negative": "Is something subtracted from the ids? They count from 0.",
        "index tensor": "Do the ids come first, and the table after them?",
        "(10x": "Has each one-hot vector one entry per row of the table, 7, whichever ids occur?",
        "Class values": "There are 7 classes: one entry per row of the table, not per column.",
        "": "Is it one_hot @ table, (2, 5, 7) @ (7, 11), with one entry per row of the table?",
    })  # fmt: skip
    check.tensor(
        yours,
        (2, 5, 11),
        "the vectors",
        {
            (2, 5, 7): "These are the one-hot vectors. Are they multiplied by the table?",
            (
                2,
                11,
            ): "There is one vector per sentence. Are words summed, or most of them left out?",
            (10, 11): "Is the shape of `ids` restored after flattening?",
            (5, 2, 11): "Are batch and sentence swapped?",
            (2, 5): "The ids came back. Is it one_hot @ table that is returned?",
        },
        otherwise="It is the shape of `ids`, then the table's width. Which axis is summed?",
    )
    cause = "Is the table converted, instead of the one-hot matrix?"
    assert yours.dtype == table.dtype, f"A float32 table gives {yours.dtype}. {cause}"

    # Which rows came? The first column of each vector is the number of its row.
    rows = yours[..., 0]
    every, first = rows - ids, rows[0] - ids[0]
    cause = check.first({
        "A second call gives other numbers. Is it `table` that is multiplied, and no new layer?":
            not check.same(embed_one_hot(ids, table), yours),
        "Every id gets the row after its own. Is 1 added to the ids?": every.eq(1).all(),
        "Every id gets the row before its own. Are ids compared with 0, 1, 2, …, from 0 on?":
            check.same(rows, (ids - 1.0).clamp(min=0)),
        "All numbers came out whole. Is the table rounded? Convert the one-hot matrix instead.":
            not every.any() and check.same(yours, yours.round()),
        "Sentence 0 is right, sentence 1 is not. Does every sentence use its own ids?":
            first.abs().max() < 1e-4 and every.any(),
        "The rows are multiplied by their ids. Is each one-hot vector 1 at its id?":
            check.same(rows, (ids * ids).float()),
        "These are all the rows except the right one. Is `!=` where `==` belongs?":
            check.same(rows, 21.0 - ids),
        "The rows are √11 times as long as they came. √d belongs to a later exercise.":
            check.same(rows, ids * 11**0.5),
        "The ids of each sentence were sorted. Their order is the sentence's.":
            check.same(rows, ids.sort().values.float()),
        "Each vector has length 1. Are the rows normalised, though nobody asked for it?":
            check.same(yours.norm(dim=-1), torch.ones(2, 5)),
    }, "Is each one-hot vector 1 at its id and 0 elsewhere?")  # fmt: skip
    wanted = torch.stack([torch.stack([table[i] for i in one]) for one in ids])  # a slow look-up
    differs = (yours - wanted).abs().amax(-1).ge(1e-5).nonzero().tolist() + [[0, 0]]
    word, odd = ids[tuple(differs[0])], yours[tuple(differs[0])]  # the first that is wrong
    told = ", ".join(f"{number:.2f}" for number in odd[:3])
    compare(yours, wanted, f"Id {word} should give row {word}, got {told}, …. {cause}")

    # Ids of any shape, a table of any dtype, a gradient for the table.
    for some in (ids, ids[0], ids[0, 0], ids.expand(4, 2, 5), ids[:1, :1]):
        axes = f"Does it work for ids of shape {tuple(some.shape)}, with any number of axes?"
        names = "Later cells call it by name. Are its arguments called ids and table?"
        told = {" argument": names, "": axes}
        yours = check.call(embed_one_hot, ids=some, table=table, stuck=told)
        kept = "Axes of size 1 stay. Is there a squeeze?" if some.numel() == 1 else ""
        compare(yours, F.embedding(some, table), f"These are not the table's rows. {axes} {kept}")
    table = torch.randn(7, 11)
    wide = "Does the one-hot matrix have the table's dtype?"
    check.call(embed_one_hot, ids, table.double(), stuck=wide)
    yours = check.trainable(embed_one_hot, ids=ids, table=table)
    compare(yours, F.embedding(ids, table).double(), "Are entries below 0 kept as they are?")
    ids, table = torch.tensor([1, 8]), torch.randn(9, 4)
    cause = "Do the sizes come from the table, whatever they are?"
    yours = check.call(embed_one_hot, ids, table, stuck=cause)
    compare(yours, F.embedding(ids, table), f"Rows 1 and 8 of a table of 9 are wanted. {cause}")
    return "embed_one_hot passes: each id picks its row, and gradients reach the table."


def check_TransformerEmbedding(TransformerEmbedding):
    # One parameter, the table of words; the sizes are given by name and by position.
    root = "torch.sqrt takes a tensor, and d_model is a plain number. Write d_model ** 0.5."
    layer = check.call(TransformerEmbedding, vocab_size=17, d_model=12, max_len=11, stuck={
        "keyword": "Are the arguments of `__init__` called vocab_size, d_model and max_len?",
        "before Module": "Is `super().__init__()` the first line of `__init__`?",
        "must be even": "Does `sinusoidal_positions` get max_len first, and then d_model?",
        "sqrt()": root,
        "": "Are `token` and the buffer of positions made in `__init__`?",
    })  # fmt: skip
    only = "The table is an `nn.Embedding` called `token`, with one row per word."
    told = f"{only} Nothing is normalised, and positions are not learned: Is it a buffer?"
    check.parameters(layer, {"token.weight": (17, 12)}, told)
    other = check.shapes(check.call(TransformerEmbedding, 17, 12, 11))
    told = "TransformerEmbedding(17, 12, 11) is vocab_size, d_model, max_len. Is that your order?"
    assert other == check.shapes(layer), told

    def with_table(weight):
        """What your layer returns for ids, if this is its table of words."""
        layer.load_state_dict({**layer.state_dict(), "token.weight": weight})
        out = check.call(layer, ids=ids, stuck={
            "keyword": "The argument of `forward` is called ids, and later cells say so.",
            "(512)": "The width is 12. Is 512 the notebook's `d_model`? Keep the layer's own.",
            "must match": "Are as many positions taken as there are words, 5? Or are they taken "
            "along the batch axis?",
            "sqrt()": root,
            "'TransformerEmbedding' object has no": "Does `__init__` keep it, as in "
            "`self.d_model = d_model`?",
            "NoneType": "Is something taken from `register_buffer`? It returns nothing, and makes "
            "`self.NAME` by itself.",
            "'Embedding' object is not": "A layer is called, as in `token(ids)`.",
            "'Tensor' object is not callable": "A tensor takes square brackets: positions[:seq].",
            "": "Is it token(ids) times a number, plus the first 5 rows of positions?",
        })  # fmt: skip
        kept = torch.equal(layer.state_dict()["token.weight"], weight)
        told = "`forward` changed token.weight. Is it multiplied in place, by `*=` or `mul_`?"
        assert kept, f"{told} Or is there a `max_norm`?"
        return out

    def clock(first=0):
        """Sine and cosine of the six hands at five positions from first on: (5, 6, 2)."""
        angle = torch.tensor([[(first + p) / 1e4 ** (i / 6) for i in range(6)] for p in range(5)])
        return torch.stack([angle.sin(), angle.cos()], dim=-1)

    # With a table of zeros, only the positions are left.
    ids = torch.tensor([[3, 8, 3, 0, 5], [16, 2, 9, 8, 1]])
    zero, row = with_table(torch.zeros(17, 12)), clock().flatten(1)
    cause = "Is there one vector of width d_model for each id? Is the position added, not joined?"
    swapped = {(5, 2, 12): "Did the batch and the words change places?"}
    check.tensor(zero, (2, 5, 12), "the vectors", swapped, otherwise=cause)
    told = f"A float32 table gives {zero.dtype}. Are the positions float32, too?"
    assert zero.dtype == torch.float32, told
    told = "Called once more, in eval(), it differs.\nIs there a dropout, or a question about "
    told += "`self.training`? Or is a layer made in `forward`, or a count kept from call to call?"
    assert torch.equal(layer.eval()(ids), zero), told
    cause = check.like(zero, {cause: rows.expand(2, 5, 12) for cause, rows in {
        "There are none. Are the positions added, and is the sum kept?": 0 * row,
        "Is √d_model multiplied to the token vectors only?": 12**0.5 * row,
        "Are they added twice?": 2 * row,
        "Are they subtracted, instead of added?": -row,
        "0.84 is sin(1). Does the counting start at 0?": clock(1).flatten(1),
        "Are sine and cosine swapped?": clock().flip(-1).flatten(1),
        "Do sines and cosines alternate?": clock().mT.flatten(1),
        "Do they run backwards, from the last word to the first?": row.flip(0),
    }.items()}) or check.first({
        "All words of a sentence get the same one. Are they taken along the batch axis, or by "
        "`positions[seq]`, which is one row?":
            zero[0].eq(zero[0, 0]).all(),
        "Are they looked up by the id, not counted?": check.same(zero[0, 0], zero[0, 2]),
        "Does each sentence start at position 0?": not check.same(zero[0], zero[1]),
        "Does your `sinusoidal_positions` pass its check?": check.same(zero[0, 0], row[0]),
    }, "Are the first rows added, as they are, and is nothing normalised?")  # fmt: skip
    told = "With a table of zeros only the positions are left, and these are not the right ones."
    compare(zero, row.expand(2, 5, 12), f"{told}\n{cause}")

    # With a table of ones, each entry grows by the factor on the token vectors.
    ones = with_table(torch.ones(17, 12)) - zero
    told = "Twice the table should give twice the token vectors. Is something normalised?"
    same = check.same(with_table(2 * torch.ones(17, 12)) - zero, ones)
    assert not (same and ones.any()), told
    factor = ones.median().item()
    cause = check.near(factor, {
        "Is √d_model left out? Or is the table multiplied once, in `__init__`? Its numbers may "
        "change later: multiply in `forward`.": 1,
        "Is it d_model, without the root?": 12,
        "Are the token vectors added twice, or is a buffer changed in place, too?": 2 * 12**0.5,
        "Is it divided, instead of multiplied?": 12**-0.5,
        "Is it `** 1 / 2`? That is (** 1) / 2. Write ** 0.5.": 6,
        "Is it the root of vocab_size?": 17**0.5,
        "Is it the root of max_len?": 11**0.5,
        "Is it the root of seq?": 5**0.5,
        "Is the root rounded to a whole number?": 3,
        "That is √512. Is it the notebook's `d_model`? Keep the layer's own, as "
        "`self.d_model`.": 512**0.5,
    }, otherwise="Are the token vectors added at all, times √d_model?")  # fmt: skip
    told = f"The token vectors are multiplied by {factor:.2f}, expected √12 = 3.46. {cause}"
    assert abs(factor - 12**0.5) < 1e-3, told

    # Any table: each id its own row, with a gradient; the table stays as it is.
    weight = torch.randn(17, 12)
    out, token = with_table(weight), dict(layer.named_parameters())["token.weight"]
    wanted = F.embedding(ids, weight) * 12**0.5 + row
    compare(out, wanted, "Not token vector · √d_model + position. Has each id its own row?")
    check.reaches(out, **{"token.weight": token})
    (slope,) = torch.autograd.grad(with_table(weight).sum(), token)
    wanted = 12**0.5 * ids.flatten().bincount(minlength=17)
    cause = "Is the factor part of what is differentiated, and is there no `padding_idx`?"
    compare(slope[:, 0], wanted, f"The gradient of token.weight is wrong. {cause}")

    # Up to max_len = 11 words fit, and no more.
    for batch, seq in ((1, 1), (4, 3), (2, 11)):
        cause = "Are exactly max_len = 11 words still allowed?" if seq == 11 else "Is 2 or 5 fixed?"
        yours = check.call(layer, torch.zeros(batch, seq).long(), stuck=cause)
        check.tensor(yours, (batch, seq, 12), "the vectors", otherwise=cause)
    cause = "Is the length compared with max_len, and the error raised, not returned?"
    for seq in (13, 12):
        check.refuses(layer, torch.zeros(2, seq).long(), names=[seq, 11], otherwise=cause)
    said = "TransformerEmbedding passes: √d_model times the token vector, plus the position."
    if [*layer.state_dict()] == ["token.weight"]:
        said += "\n(The positions are not in its state_dict. If they are a plain tensor and no buffer,"
        said += "\nthey stay behind when the layer moves to a GPU.)"
    return said


def check_learn_merges(learn_merges):
    stuck = {
        "empty": "No pair is left in any word. Does the loop stop there?",
        "must be str": "Is a pair, a tuple, put where one joined string belongs?",
        "'int' object is not iterable": "Do the arguments come in this order: words, n_merges?",
        "unpack": "Does each pair consist of exactly two symbols?",
        "index": "Is a symbol read beyond the end of its word, or in an empty list?",
        "": "Is each word a list of symbols from beginning to end? If the error is your own:\n"
        "where no pair is left, the merges up to there are returned.",
    }

    def expect(words, n, expected, mistakes, otherwise):
        """Your merges are the ones worked out by hand; if not, which known mistake is it?"""
        given = [*words]
        yours = check.call(learn_merges, given, n, stuck=stuck)
        wrong = {cause: [tuple(pair) for pair in pairs] for cause, pairs in mistakes.items()}
        told = f"Expected a list of pairs of str, got {yours!r:.80}."
        cause = "Are these the pairs that were joined, each a tuple of its two symbols?"
        assert all(isinstance(pair, tuple) for pair in yours), f"{told} {cause}"
        letters = all(isinstance(part, str) for pair in yours for part in pair)
        assert letters, f"{told} Is each symbol a piece of text, not a number or a byte?"
        odd = [part for pair in yours for part in pair if part not in "|".join(words) or not part]
        if odd:
            otherwise = f"No word has the symbol {odd[0]!r}. Is each word cut as it is written?"
        cause = check.first({text: yours == pairs for text, pairs in wrong.items()}, otherwise)
        call = f"learn_merges({words}, {n})"
        assert yours == expected, f"{call}: expected {expected}, got {yours!r:.200}. {cause}"
        assert given == words, f"{call} changed the list `words`. Is a copy of it split?"

    # One round: the result is a list with one pair, (s, o), which occurs three times.
    so, at, ca = ("s", "o"), ("a", "t"), ("c", "a")
    yours = check.call(learn_merges, ["at", "cat", "so", "so", "so"], 1, stuck=stuck)
    told = f"Expected a list of pairs, got {yours!r:.80}."
    cause = "Is there a `return`, of the merges alone, and as a list?"
    cause = "Is it `return`, not `yield`?" if "generator" in str(type(yours)) else cause
    assert isinstance(yours, list), f"{told} {cause}"
    assert yours != ["so"], f"{told} Is the pair noted, ('s', 'o'), instead of what it joins to?"
    assert yours != [["s", "o"]], f"{told} A pair is a tuple, as `zip` makes it."
    assert yours != [(so, 3)], f"{told} Is the pair noted alone, without its count?"
    assert yours != [(*so, "so")], f"{told} Is the pair noted alone, without what it joins to?"
    expect(["at", "cat", "so", "so", "so"], 1, [so], {
        "Two words should not beat three. Are repeated words counted each time, and each from its first symbol on?":
            [at],
        "Is the last pair of each word counted, and the most frequent one taken, not the rarest?":
            [ca],
        "Is there one pair for n_merges = 1, and no more?": [so, at],
        "The pair of the call before is still there. Is the list of merges made inside the "
        "function, not as a default argument?": [so, so],
        "Is there one pair for n_merges = 1? Does the loop run one time too few?": [],
        "Between two words stands no symbol. Is each word split by itself?": [(" ", "s")],
        "A pair keeps its order: the symbol on the left comes first.": ["os"],
    }, "Which pair occurs most often?")  # fmt: skip
    expect(["xyxyxy", "at", "at"], 1, [("x", "y")], {
        "(x, y) occurs three times in one word. Is a pair counted wherever it stands?": [at],
    }, "Which pair occurs most often?")  # fmt: skip
    expect([*"bcbcbc", "ab", "ab"], 1, [("a", "b")], {
        "Those are the end of one word and the start of the next. Are pairs counted inside words?":
            ["bc"],
        "Does it stop where one word has no pair? It goes on as long as any word has one.": [],
    }, "Are pairs counted inside each word?")  # fmt: skip
    for first, second in (("ta", "at"), ("at", "ta")):
        expect([first, first, second, second], 1, [tuple(first)], {
            "Two and two are a tie. Is it the pair that was met first?": [second],
            "Two and two are a tie. Is only one pair joined in each round?": [first, second],
        }, "Are t a and a t counted as different pairs?")  # fmt: skip

    # Several rounds: each one counts what the rounds before have joined.
    hat = ["hat", "hot", "hot", "that"]
    ha, ho = ("h", "a"), ("h", "o")
    round_2 = "In round 2, (ha, t) and (h, o) tie, two each, and (ha, t) is met first when the words are read again.\n"
    round_2 += "Are all pairs counted anew after every single join, and is none of an earlier round preferred?"
    if check.call(learn_merges, ["ab", "ab", "cd"], 2, stuck=stuck) == [("a", "b")] * 2:
        round_2 = "In round 2, (ha, t) and (h, o) tie, two each. Is (h, a) joined in 'that' as well?"
    expect(hat, 3, [ha, ("ha", "t"), ho], {
        "The same pair again: is the pair joined in the words before the next count?": [ha] * 3,
        "(h, at) is no pair of these words. Are the two symbols of a pair kept apart, not joined "
        "and cut again?": [ha, ("h", "at"), ho],
        "Four pairs occur twice at first, and of these (h, a) is met first. Are the words read in the "
        "order in which they came?": [ho, ("ho", "t"), ha],
        "These are pairs of letters only. Is there a new count after each join?": [ha, at, ho],
        "Is the last symbol of each word kept?": [ha, ho],
        "When h and a are joined, is the a used up?": [ha, ("ha", "a"), ("haa", "a")],
        "Do the counts begin at 0 in each round?": [ha, ho, ho],
        round_2: [ha, ho, ("ha", "t")],
    }, "Where do yours leave the path of the text above the exercise?")  # fmt: skip
    expect(["ab", "ab", "ba", "ba"], 2, [("a", "b"), ("b", "a")], {
        "(b, a) is a different pair from (a, b). Is a pair joined only in its own order?": [("a", "b")],
    }, "Does a pair keep its order?")  # fmt: skip
    expect(["abab", "abab"], 2, [("a", "b"), ("ab", "ab")], {
        "(a, b) stands twice in each word. Is it joined at both?": [("a", "b"), ("ab", "a")],
    }, "Is the pair joined wherever it stands?")  # fmt: skip
    expect(["ca"] * 3 + ["cab"] * 2 + ["ab"] * 3, 3, [ca, ("a", "b"), ("ca", "b")], {
        "Symbols may be longer than one character: in ca·b there is no (a, b).": [ca, ("a", "b")],
        "(a, b) occurs three times, and (ca, b) twice. Does only the number of times count?":
            [ca, ("ca", "b"), ("a", "b")],
    }, "Is each comparison one of whole symbols?")  # fmt: skip
    expect(
        ["a.b", "a.b", "axb", "axb"],
        3,
        [("a", "."), ("a.", "b"), ("a", "x")],
        {},
        "Does a full stop stand for itself? In a regular expression it fits any character.",
    )
    expect(["\\nx", "\\nx"], 2, [("\\", "n"), ("\\n", "x")], {
        "Here a backslash is a letter like any other. In the new text that re.sub is given it is "
        "not: give it a function, as in `lambda _: a + b`.": [("\\", "n")],
    }, "Is a backslash a letter like any other?")  # fmt: skip
    expect(["aaab", "aaab"], 2, [("a", "a"), ("aa", "a")], {
        "In aaab the first two are joined. Does it go from left to right?":
            [("a", "a"), ("a", "aa")],
        "In aaab, an a that has been joined is used up.": [("a", "a"), ("aa", "aa")],
    }, "In aaab, are the first two joined, and the third one left for itself?")  # fmt: skip

    # The end: at most n_merges, and no more when each word is one symbol.
    expect(["Tea"], 9, [("T", "e"), ("Te", "a")], {
        "A pair that occurs once is joined as well, as long as there is one.": [],
    }, "Does it go on until no word has two symbols, and stop there?")  # fmt: skip
    for words, n in ((["tea"], 0), (["a", "", "b"], 3), ([], 2)):
        expect(words, n, [], {}, "Here nothing is to be joined.")
    check.call(learn_merges, words=["tea"], n_merges=1, stuck={
        "keyword": "Later cells call it by name. Are its arguments called words and n_merges?",
    })  # fmt: skip
    return "learn_merges passes: the most frequent pair, joined everywhere, round after round."
