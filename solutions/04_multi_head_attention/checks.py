"""The visible checks of unit 04: one function for each exercise, named after it.

Each takes the answer as the notebook has it, and returns what the reader is told when it passes.
Before them stands what the notebook shows and does not work out.
"""

import zlib
from base64 import b85decode

import torch
import torch.nn.functional as F
from checking.layers import check
from checking.notebook import without
from checking.words import compare
from torch import nn

# Why some numbers of heads have not learned the game after 250 steps.
WHY_STUCK = {1: "one average blurs two cards", 12: "its heads are too narrow"}

# Weights of a model of unit 08 after 900 steps, of each character and all before it, in parts of
# 31: heads 0 and 2 of its first block, and head 2 of its second.
LINE = "Life is short, eat dessert first"
MAPS = (
    "c-nnbi;}`149q6Hw6<Q=yPn#U|NqMaL`P`p&QKtskZcw_dAez$(B;oeLJ5!fIS`$nQwg4I!HHg&<6@*C_)Z`2xkqYqp7FE"
    "$qY}QFr;s+6*wChGNw+83(F**+f>(kIxM|Ib#`2KQq^SkJ`ok&%?}N-TuNRCixG$kYh>UOA0?(Un!ov@v?K{?I(~}cJ0Dm"
    "3Q*%y@qPt^u+%?8L7d4&G(LB<0gCzmXtAQOKmrs`VG!Rn`s6Y6a0`tZfo=>T_L<Out{GzN2B$ER>@*R4_|S6)>K;a4@-RX"
    "^(<5t6|*DiY|ORI^?recvvp=8M`81NLsep#?yX)&~uTI{vbT<K8Bo=O|*iAqJ-mk7=`xj+~;kGDu<qdv+#2CR3uu<e*I~7"
    "6vfl9^~R-9}E(|xdq4Oc&K8Ndqp9ak_orLSf}cYdhSs(*wILpQNk;74E)qLSJR1@7du2Vm@7Sicfk|V*9%>7c)dc#va<^j"
    "B6`VykIj<fChe*T?pqh!Z(aW8o0NARM5%vS>I;h"
)


def trained_maps():
    """The weights of three heads of a trained language model, (3, 32, 32), and what they read."""
    numbers = torch.tensor([*zlib.decompress(b85decode(MAPS))]) / 31
    rows, columns = torch.tril_indices(32, 32)
    maps = torch.zeros(3, 32, 32)
    maps[:, rows, columns] = numbers.view(3, -1)
    return maps, LINE


def check_MultiHeadLoop(MultiHeadLoop):
    # Parameters: the contract's names and shapes, where all sizes are different.
    order = "It is called with d_model, n_heads, d_k and d_v. Does __init__ take these four?"
    layer = check.call(MultiHeadLoop, 23, 3, 11, 7, stuck={
        "positional argument": order, "": "Does __init__ use its four arguments?",
    })  # fmt: skip
    wanted = {f"heads.{h}.{n}_proj.weight": (11, 23) for h in range(3) for n in "qk"}
    wanted |= {f"heads.{h}.v_proj.weight": (7, 23) for h in range(3)}
    wanted |= {"out_proj.weight": (23, 21), "out_proj.bias": (23,)}
    got, saved = check.shapes(layer), layer.state_dict()
    names, out = " ".join(got), got.get("out_proj.weight", (0, 0))
    reads, query = out[-1], got.get("heads.0.q_proj.weight", (0, 0))
    value, later = got.get("heads.0.v_proj.weight"), got.get("heads.1.q_proj.weight", (0, 0))
    cause = check.first({
        "No name begins with `heads`. Is it an nn.ModuleList called heads, not a plain list?":
            "heads." not in names,
        "The heads share one set of weights. Was one head made, and then repeated?":
            "heads.1.q_proj.weight" in saved.keys() - got.keys(),
        "Each member of `heads` is one head, with its three layers.": "heads.q_proj" in names,
        "There is one head too many or too few.": "heads.3." in names or "heads.2." not in names,
        "The layers of a head have no bias; give bias=False.": "q_proj.bias" in names,
        "out_proj reads one head only. Are the heads added? They should be joined.": reads == 7,
        "out_proj has a bias, unlike the layers of a head.":
            "out_proj.weight" in names and "out_proj.bias" not in names,
        "nn.Linear(d_in, d_out): the width that the layer reads comes first.":
            out == (21, 23) or query == (23, 11),
        "A value is d_v wide. Is v_proj given d_k?": value == query == (11, 23),
        "The widths d_k and d_v changed places.": value == (11, 23) and reads in (0, 21),
        f"out_proj reads the joined values, n_heads · d_v = 21 numbers, not {reads}.":
            reads not in (0, 21),
        "Each head has all of d_k, and of d_v. Are they divided among the heads?":
            query == (3, 23) or value == (2, 23),
        "A head has three layers, and all heads share one out_proj. Is anything else learned?":
            bool(got.keys() - wanted.keys()) and not wanted.keys() - got.keys(),
        f"Each head reads the whole of x, d_model = 23 numbers, not {query[-1]}.":
            query[-1] == 7,
        "Queries and keys are d_k = 11 wide. Is it d_v, or d_model // n_heads, that they are given?":
            query == (7, 23),
        f"heads.0 reads d_model = 23 numbers, heads.1 {later[-1]}. Does each head read x itself, not "
        "the output of the head before?": query == (11, 23) and later[-1] not in (0, 23),
        "Is a number from outside the class read?": not wanted.keys() - got.keys(),
    }, "Are the names heads, q_proj, k_proj, v_proj and out_proj?")  # fmt: skip
    check.parameters(layer, wanted, cause)

    # The output, with weights of ours, against PyTorch's attention head by head.
    state = {name: torch.randn(shape) / shape[-1] ** 0.5 for name, shape in wanted.items()}
    layer.load_state_dict({**layer.state_dict(), **state})  # a buffer of yours may stay
    x = torch.randn(2, 5, 23)
    qkv = [[x @ state[f"heads.{h}.{n}_proj.weight"].T for h in range(3)] for n in "qkv"]
    joined = torch.cat([F.scaled_dot_product_attention(*head) for head in zip(*qkv)], dim=-1)
    expected = F.linear(joined, state["out_proj.weight"], state["out_proj.bias"])
    yours = check.call(layer, x, stuck={
        "21x23": "out_proj reads 21 numbers. Are three heads joined along the last axis before it?",
        "list": "The heads are still a list. Join them into one tensor.",
        "[2, 7] but got": "A query is d_v = 7 wide: it comes from v_proj. Which layer makes it?",
        "[2, 11] but got: [2, 7]": "A key is d_v = 7 wide: it comes from v_proj.",
        "(23) must match": "x is 23 wide, a head returns 7. Heads are joined, never added to x.",
        "b (23)": "x is 23 wide, a head returns 7. Heads are joined, never added to x.",
        "": "Do q_proj and k_proj make query and key, v_proj the value, and is the key transposed?",
    })  # fmt: skip
    cause = "Is the batch kept, is there one row for each word, and does out_proj come last?"
    check.tensor(yours, (2, 5, 23), "the output", otherwise=cause)
    kept = "The first call with this x went well. Is something kept in self from call to call?"
    same = check.same(yours, check.call(layer, x, stuck=kept), atol=1e-6)
    assert same, "Two calls with the same x differ. Is something random in it, such as dropout?"

    # Where yours differs: the same steps, with one or two of them done in a different way.
    def output(by="qkv", of=("012", "012", "012"), x=x, bias=1, end=lambda t: t, **steps):
        """Heads side by side: by says which layers make query, key, value, of says whose."""
        rows = ([state[f"heads.{h}.{n}_proj.weight"] for h in own] for n, own in zip(by, of))
        query, key, value = (x @ torch.cat(weights).T for weights in rows)
        joined = check.attention(query, key, value, 3, **{"root": 11**0.5} | steps)
        return end(F.linear(joined, state["out_proj.weight"], bias * state["out_proj.bias"]))

    mistakes = check.row_mistakes(11**0.5) | check.join_mistakes()
    for told, steps in check.sources().items():
        if steps["by"].find("v") == 2:  # v_proj alone is 7 wide
            mistakes[told] = steps
    sizes = {"d_model": 23, "d_v or d_model // n_heads": 7, "n_heads · d_k": 33}
    sizes |= {"n_heads": 3, "seq": 5}
    mistakes |= check.divisors("d_k", 11, sizes) | check.sentence_mistakes(x)
    for told, of in {
        "Every head is head 0. Does the loop use each head's own layers?": ("000", "000", "000"),
        "Every head is the last one. Is something overwritten?": ("222", "222", "222"),
    }.items():
        mistakes[told] = {"of": of}
    for i, what in enumerate(("query", "key", "value")):
        for whose, own in (("head 0", "000"), ("the last head", "222")):
            of = ["012", "012", "012"]
            of[i] = own
            mistakes[f"Every head uses the {what} of {whose}."] = {"of": of}
    mistakes["The bias of out_proj is missing."] = {"bias": 0}
    mistakes["The bias of out_proj is added once for each head, and should be added once."] = {"bias": 3}
    mistakes["There is a relu at the end. Nothing comes after out_proj."] = {"end": torch.relu}
    told = "The output is not attention, head by head, joined and projected."
    cause = "Does each head use its own three layers, all on the same x, and no more? Are the joined\n"
    cause += "heads projected as they are?"
    if (factor := check.times(yours, expected)) is not None:
        cause = f"Yours is {factor:g} times that. Is it divided, or multiplied, at the end?"
    cause = check.some_right(yours, expected, cause)

    def measured():
        """A layer without effect; or what the scores were divided by, if it is one number."""
        for name, tensor in state.items():
            layer.load_state_dict({**layer.state_dict(), **state, name: 2 * tensor})
            if check.same(layer(x), yours, 1e-6):
                return f"{name} has no effect on the output. Does each head use its own three layers?"
        seen = {f"heads.{h}.v_proj.weight": torch.eye(7, 23) for h in range(3)}
        seen |= {"out_proj.weight": torch.eye(23, 21), "out_proj.bias": torch.zeros(23)}
        layer.load_state_dict({**layer.state_dict(), **seen})
        weights = layer(torch.eye(5, 23)[None])[0, :, :21].unflatten(1, (3, 7))[..., :5]
        layer.load_state_dict({**layer.state_dict(), **state})
        if not check.same(weights.sum(-1), torch.ones(5, 3)):
            return cause
        q, k = state["heads.0.q_proj.weight"], state["heads.0.k_proj.weight"]
        scale = check.scale(weights[:, 0].clamp(min=1e-30), (q.T @ k)[:5, :5])
        if scale is None or abs(scale * 11**0.5 - 1) < 0.01:
            return cause
        told = f"The scores were divided by {1 / scale:.2f}, expected √d_k = √11 = 3.32. "
        return told + "Is this number read from outside the class?"

    check.agrees(yours, expected, told, output, mistakes, measured)
    told = "The first call is right. With its sentences in a different order a later one is not.\n"
    told += "Is something kept in self from call to call?"
    compare(layer(x.flip(0)), yours.flip(0), told)

    # Where seq and all widths are 4, nothing is added, and no axis is known by its size.
    square = check.call(MultiHeadLoop, 4, 3, 4, 4, stuck="Here all widths are 4.")
    names = [f"heads.{h}.{n}_proj.weight" for h in range(3) for n in "qkv"]
    own = {name: torch.randn(4, 4) / 2 for name in names}
    own |= {"out_proj.weight": torch.randn(4, 12) / 2, "out_proj.bias": torch.randn(4)}
    square.load_state_dict({**square.state_dict(), **own})
    words = torch.randn(2, 4, 4)
    parts = [words @ own[name].T for name in names]
    heads = [F.scaled_dot_product_attention(*parts[3 * h : 3 * h + 3]) for h in range(3)]
    right = F.linear(torch.cat(heads, dim=-1), own["out_proj.weight"], own["out_proj.bias"])
    told = "Three heads, d_model 4, d_k 4, d_v 4, four words: the output is wrong, and right in\n"
    told += "other sizes. Is x added where the widths agree, or is an axis told by its size?"
    stuck = "Here are three heads and four words, and all widths are 4."
    compare(check.call(square, words, stuck=stuck), right, told)

    # Other sizes; then gradients, which must reach the input and every weight.
    stuck = "Are the arguments of __init__ called d_model, n_heads, d_k and d_v, and is each used?"
    small = check.call(MultiHeadLoop, d_model=6, n_heads=2, d_k=4, d_v=3, stuck=stuck)
    words, numbers = torch.randn(3, 1, 6), small.state_dict()
    yours = check.call(small, words, stuck="Here are two heads, and one word to a sentence. Is a "
        "number of heads or a width fixed?")  # fmt: skip
    check.tensor(yours, (3, 1, 6), "the output for sentences of one word")
    joined = torch.cat([words @ numbers[f"heads.{h}.v_proj.weight"].T for h in (0, 1)], dim=-1)
    right = F.linear(joined, numbers["out_proj.weight"], numbers["out_proj.bias"])
    told = "Two heads with d_v 3, joined, are as wide as the words, 6: the output is wrong, and right\n"
    told += "in other sizes. Is out_proj left out, or applied twice, where its two widths agree?"
    compare(yours, right, told)
    check.trainable(layer, x=x)
    check.reaches(layer(x), **dict(layer.named_parameters()))
    x.requires_grad_()
    slopes = [torch.autograd.grad(out.square().sum(), x)[0] for out in (layer(x), output(x=x))]
    told = "The output is right, but its gradient with respect to x is not."
    compare(*slopes, f"{told} Is a part detached?", atol=1e-3)
    return "MultiHeadLoop passes: each head attends with its own weights, out_proj mixes them."


def check_split_heads(split_heads):
    # Each number tells where it stood: 1000 · sentence + 100 · word + column.
    x = 1000.0 * torch.arange(2).view(2, 1, 1) + 100 * torch.arange(5).view(5, 1) + torch.arange(21)
    yours = check.call(split_heads, x, 3, stuck={
        "float": "A size is 7.0. Divide with //, which gives a whole number.",
        "invalid for": "The sizes do not fit. Is d_head the width divided by n_heads?",
        "values to unpack": "x has three axes: batch, seq and width.",
        "equal size": "The pieces differ in size. Is the last axis cut, that of the columns?",
        "": "3 divides 21. Do you test the width, x.shape[-1], and its remainder by n_heads?",
    })  # fmt: skip
    check.tensor(yours, (2, 3, 5, 7), "the heads", {
        (2, 5, 3, 7): "Words still come before heads. Is a transpose missing?",
        (2, 3, 7, 5): "Words and columns changed places. Which two axes does the transpose swap?",
        (3, 2, 5, 7): "Heads come before the batch. Which two axes are swapped?",
        (3, 5, 2, 7): "The batch moved, where the words should. Which two axes are swapped?",
        (6, 5, 7): "Batch and heads are one axis. Keep them as two.",
        (2, 7, 5, 3): "These are 7 heads of width 3. Did n_heads and d_head change places?",
        (2, 5, 7, 3): "These are 7 heads of width 3, behind the words. Which axis is which?",
        (2, 5, 21): "That is the shape of x. Where is the axis of the heads?",
        (2, 3, 35): "Each head is one long row. Keep words and columns as two axes.",
        (2, 5, 7): "That is one head. Where are the others?",
        (3, 5, 7): "The batch is lost. Is x[0] read?",
        (2, 1, 5, 21): "The words were cut, not the columns. Which axis is the last?",
        (2, 15, 7): "The heads follow one another like words. Give them an axis of their own.",
        (2, 7, 3, 5): "Words and columns changed places. Swap the words with the heads, axes 1 and 2.",
    }, otherwise="Is it (batch, n_heads, seq, d_head)?")  # fmt: skip
    right = torch.stack(x.chunk(3, dim=-1), dim=1)
    once = torch.equal(yours.flatten().sort().values, x.flatten().sort().values)
    factor = yours.sum() / x.sum()
    cause = check.first({
        f"They were multiplied by {factor:.2f}. Splitting only moves numbers.":
            check.same(yours.flatten().sort().values / factor, x.flatten().sort().values, 0.1),
    }, otherwise=check.some_right(yours, right,
        "Some came twice, some are lost. Has each head columns of its own?"))  # fmt: skip
    assert once, f"The heads should hold each number of x exactly once, and they do not. {cause}"

    # Read the numbers: is each one in the right sentence, head, row and column?
    sentence, word, column = yours // 1000, yours % 1000 // 100, yours % 100
    told = "A head of sentence 0 holds numbers of sentence 1. Does a reshape cross the batch?"
    compare(sentence, torch.arange(2.0).view(2, 1, 1, 1).expand(2, 3, 5, 7), told)
    row, rows = word[0, 0, 0].int().tolist(), word[0, 0, :, 0].int().tolist()
    told = f"Row 0 of head 0 holds numbers of several words, {row}."
    assert len(set(row)) == 1, f"{told} Was x transposed before the cut?"
    cause = check.first({
        "A reshape alone fills head 0 with the first words. Cut the last axis, then transpose.":
            rows == [0, 0, 0, 1, 1],
        "Is the order of the words reversed?": rows == [4, 3, 2, 1, 0],
    }, otherwise="Does the cut leave the axis of the words alone?")  # fmt: skip
    told = f"The rows of head 0 should be words 0 to 4; they begin with words {rows}. {cause}"
    compare(word, torch.arange(5.0).view(5, 1).expand(2, 3, 5, 7), told)
    first = column[0, :, 0, 0].int().tolist()
    apart = int(column[0, 0, 0, 1] - column[0, 0, 0, 0])
    cause = check.first({
        f"They stand {apart} columns apart. In the cut axis the head comes before the column.":
            apart > 1,
        "Are the columns of a head reversed?": apart == -1,
        "Are the heads in reverse order?": first == [14, 7, 0],
    }, otherwise="Is every head made of neighbouring columns, in order?")  # fmt: skip
    told = f"The heads should begin with columns 0, 7 and 14; yours begin with {first}. {cause}"
    owned = (7 * torch.arange(3.0).view(3, 1, 1) + torch.arange(7)).expand(2, 3, 5, 7)
    compare(column, owned, told)

    # Other sizes, a gradient, float64, and a width that cannot be divided.
    for batch, seq, n_heads, d_head in ((1, 4, 2, 2), (3, 1, 5, 1), (2, 6, 1, 3)):
        x = torch.randn(batch, n_heads * d_head, seq).mT  # not contiguous
        again = check.call(split_heads, x, n_heads, stuck={
            "view size": "This x is a transposed tensor. Use reshape, which copies where it must.",
            "": "Do all sizes come from x and n_heads?\nIf the error is your own: "
                f"{n_heads} divides the width, {n_heads * d_head}. Nothing else has to fit.",
        })  # fmt: skip
        kept = "Do all sizes come from x and n_heads? Axes of size 1 stay. Is there a squeeze?"
        check.tensor(again, (batch, n_heads, seq, d_head), "the heads", otherwise=kept)
        told = f"{check.shown(split_heads, x, n_heads)} is wrong. This x is a transposed tensor."
        told += " Do shape and order come from its axes, not from its memory?"
        compare(again, torch.stack(x.chunk(n_heads, dim=-1), dim=1), told)
    check.trainable(split_heads, x=torch.randn(2, 5, 21), n_heads=3)
    cause = "Test the width first, and raise the error yourself."
    check.refuses(split_heads, torch.randn(2, 5, 20), 3, names=(20, 3), otherwise=cause)
    return "split_heads passes: each of 210 numbers is in its sentence, its head, its word's row."


def check_merge_heads(merge_heads):
    # Each number tells where it stood: 1000 · sentence + 100 · word + 10 · head + column.
    x = 1000.0 * torch.arange(2).view(2, 1, 1, 1) + 10 * torch.arange(3).view(3, 1, 1)
    x = x + 100 * torch.arange(5).view(5, 1) + torch.arange(7)  # (2, 3, 5, 7)
    yours = check.call(merge_heads, x, stuck={
        "view size": "Use reshape, which copies where it must, or .contiguous() before view.",
        "invalid for": "The sizes do not fit. The axes of x are batch, n_heads, seq and d_head.",
        "": "x has four axes: batch, n_heads, seq and d_head.",
    })  # fmt: skip
    check.tensor(yours, (2, 5, 21), "the joined heads", {
        (2, 5, 3, 7): "Heads and columns are still two axes. Make one of them.",
        (2, 3, 35): "Words and columns became one axis. Swap heads and words first.",
        (2, 5, 7): "Only one head's width is left. Were the heads added, averaged, or left out?",
        (3, 5, 14): "The sentences were joined, not the heads. Which axis is which?",
        (5, 21): "Only one sentence is left. Is x[0] read?",
        (2, 21, 5): "The words come last. Which two axes does the transpose swap?",
        (2, 15, 7): "The heads follow one another like words. Join them along the width.",
        (10, 21): "Batch and words are one axis. Keep them as two.",
        (10, 3, 7): "Batch and words became one axis. Join the last two axes only.",
        (2, 7, 15): "Words and heads became one axis. Which two axes are swapped?",
        (6, 5, 7): "Batch and heads became one axis. Join heads and columns.",
        (5, 2, 21): "The words come before the batch. Which two axes are swapped?",
        (2, 105): "Everything became one axis. Join the last two axes only.",
        (2, 5, 14): "One head is missing. Does a slice or a loop leave it out?",
        (5, 3, 14): "Words and batch changed places. Swap words and heads, axes 1 and 2.",
        (2, 3, 5, 7): "That is the shape of x. Nothing is joined yet.",
    }, otherwise="Is it (batch, seq, n_heads · d_head)?")  # fmt: skip
    once = torch.equal(yours.flatten().sort().values, x.flatten().sort().values)
    factor = yours.sum() / x.sum()
    cause = check.first({
        f"They were multiplied by {factor:.2f}. Joining only moves numbers.":
            check.same(yours.flatten().sort().values / factor, x.flatten().sort().values, 0.1),
        "Some of yours stand in no head. Are they added up, or averaged over the heads?":
            not torch.isin(yours.to(x), x).all(),
        "Many of yours are 0. Does a loop over heads end too early, or do its slices overlap?":
            (yours == 0).sum() > 3,
    }, otherwise=check.some_right(yours, torch.cat(x.unbind(1), dim=-1),
        "Some came twice and others are lost. Is one head, or their average, repeated?"))  # fmt: skip
    assert once, f"The result should hold each number of x exactly once, and it does not. {cause}"

    # Read the numbers: is each one in the row of its sentence and word, heads in order?
    sentence, word = yours // 1000, yours % 1000 // 100
    head, column = yours % 100 // 10, yours % 10
    told = "A row of sentence 0 holds numbers of sentence 1. Does a reshape cross the batch?"
    compare(sentence, torch.arange(2.0).view(2, 1, 1).expand(2, 5, 21), told)
    row, rows = sorted(set(word[0, 0].int().tolist())), word[0, :, 0].int().tolist()
    told = f"Row 0 holds numbers of several words, {row}, expected word 0 alone."
    cause = check.first({
        "The words alternate. Were words and columns swapped, not heads and words?":
            word[0, 0, 1] != word[0, 0, 0],
        "A reshape alone keeps the order. Swap heads and words before it.": row == [0, 1, 2],
    }, otherwise="Which two axes are swapped? It should be heads and words.")  # fmt: skip
    assert len(row) == 1, f"{told} {cause}"
    told = f"The rows should be words 0 to 4; they begin with words {rows}. Is their order changed?"
    compare(word, torch.arange(5.0).view(5, 1).expand(2, 5, 21), told)
    order = head[0, 0].int().tolist()
    cause = check.first({
        "The heads alternate. In the joined axis, the head comes before the column.":
            order[:3] == [0, 1, 2],
        "Are the heads in reverse order?": order[::7] == [2, 1, 0],
    }, otherwise="Are the heads joined in order?")  # fmt: skip
    told = f"A row should hold seven numbers of head 0, then of 1, then of 2, got {order[:8]} …."
    compare(head, torch.arange(21.0).div(7).floor().expand(2, 5, 21), f"{told} {cause}")
    told = "Within a head the columns are out of order. Is something reversed?"
    compare(column, torch.arange(21.0).remainder(7).expand(2, 5, 21), told)

    # Inputs that are not contiguous, other sizes, a gradient, float64.
    for batch, n_heads, seq, d_head in ((2, 3, 5, 7), (1, 4, 2, 2), (3, 1, 4, 2), (2, 5, 1, 1)):
        x = torch.randn(batch, seq, n_heads, d_head).transpose(1, 2)  # not contiguous
        cause = "This x is not contiguous. Do shape and order come from its axes, not its memory?"
        fixed = "Is a size fixed? Here are other numbers of sentences, heads, words and columns."
        again = check.call(merge_heads, x, stuck={"invalid for": fixed, "": cause})
        kept = f"{fixed}\nAxes of size 1 stay. Is there a squeeze?"
        check.tensor(again, (batch, seq, n_heads * d_head), "the joined heads", otherwise=kept)
        told = f"{check.shown(merge_heads, x)} is wrong. {cause}"
        compare(again, torch.cat(x.unbind(1), dim=-1), told)
    check.trainable(merge_heads, x=torch.randn(2, 3, 5, 7))
    return "merge_heads passes: the columns of all heads stand side by side again, word by word."


@without("nn.MultiheadAttention", "multi_head_attention_forward", "native_multi_head_attention")
def check_MultiHeadAttention(MultiHeadAttention):
    # Parameters: eight names and shapes, with d_head given and with d_head=None.
    stuck = {"float": "A size is a fraction. Divide with //, which gives a whole number."}
    stuck["positional argument"] = "It is called with d_model, n_heads, d_head and, perhaps, dropout."
    stuck[""] = "d_head, the third argument, is 7, so 4 need not divide 34. Is only None tested?"
    layer = check.call(MultiHeadAttention, 34, 4, 7, stuck=stuck)
    theirs = check.projections(34, 28)
    cause = "Here d_head is 7, and four heads make 28. All four layers have a bias; nothing else"
    cause += " is learned. Do all sizes come from the arguments?"
    check.filled(layer, theirs, cause)
    stuck[""] = "3 divides 12. Is it d_model % n_heads that you test, and the right way round?"
    usual = check.shapes(check.call(MultiHeadAttention, 12, 3, stuck=stuck))["q_proj.weight"]
    told = f"MultiHeadAttention(12, 3) has a q_proj.weight of shape {usual}, expected (12, 12)."
    assert usual == (12, 12), f"{told} Does d_head=None mean d_model / n_heads?"
    stuck[""] = "d_head is 5. Is only None tested?"
    wide = check.shapes(check.call(MultiHeadAttention, 12, 3, d_head=5, stuck=stuck))
    told = "MultiHeadAttention(12, 3, d_head=5) has a q_proj.weight of shape"
    told += f" {wide['q_proj.weight']}, expected (15, 12)."
    assert wide["q_proj.weight"] == (15, 12), f"{told} Is d_head used wherever it is given?"

    # The output, with weights of ours, against PyTorch's attention head by head.
    check.filled(layer, theirs, cause)
    x = torch.randn(2, 5, 34)
    yours = check.call(layer.eval(), x, stuck={
        "view size": "Use reshape, which copies where it must, or .contiguous() before view.",
        "10x20": "20 = 4 · 5: are the weights joined? Average the values first, weights @ value.",
        "28x34": "out_proj reads n_heads · d_head = 28 numbers. Are the heads joined before it?",
        "invalid for": "Four heads of width 7 make 28 columns. Does a reshape use d_model = 34?",
        "multiply up": "Four heads of width 7 make 28 columns. Is a number of heads, or a width, fixed?",
        "": "Are all three split into heads, and is the key transposed, so that 7 meets 7?",
    })  # fmt: skip
    cause = "Are the heads joined word by word, and does out_proj come last?"
    lost = "A sentence is lost. Is only the first of the batch read?"
    check.tensor(yours, (2, 5, 34), "the output", {(1, 5, 34): lost}, otherwise=cause)
    told = "In eval() two calls with the same x differ. Is dropout off there?"
    assert check.same(yours, layer(x), atol=1e-6), told
    told = "Here dropout was not given, and training still changes the output. Is its default 0.0?"
    told += "\nIs it handed on as it is, neither 1 − dropout nor a number of your own?"
    assert check.same(yours, layer.train()(x), atol=1e-6), told

    # Where yours differs: the same steps, with one or two of them done in a different way.
    def output(x=x, **steps):
        return check.stepwise(theirs, (x, x, x), **{"n_heads": 4, "root": 7**0.5} | steps)

    sizes = {"d_model": 34, "n_heads · d_head": 28, "n_heads": 4, "seq": 5}
    sizes |= {"d_model / n_heads": 8.5, "d_model // n_heads": 8}
    mistakes = check.attention_mistakes(4, 7, sizes) | check.sentence_mistakes(x) | {
        "Heads attend to heads. Their axis and that of the words change places first.":
            {"split": [lambda t: t.unflatten(-1, (4, 7))] * 3, "join": lambda t: t.flatten(2)},
    }  # fmt: skip
    mistakes.pop("out_proj is missing. It comes last.")  # the output has a different width then
    told = "The output is not that of attention in each head."
    check.agrees(
        yours, check.attended(theirs, 4, x), told, output, mistakes,
        lambda: check.some_right(yours, check.attended(theirs, 4, x))
        or check.measured(layer, theirs.state_dict(), 4, x),
        alone=check.numbers("d_head", 7),
    )  # fmt: skip
    told = "The first call is right. With its sentences in a different order a later one is not.\n"
    told += "Is something kept in self from call to call?"
    compare(layer(x.flip(0)), yours.flip(0), told)

    # The same where the joined heads are as wide as x.
    own, words = check.projections(12, 12), torch.randn(2, 5, 12)
    layer = check.filled(MultiHeadAttention(12, 3), own, "Here d_head=None means 12 / 3 = 4.")
    stuck = "With MultiHeadAttention(34, 4, d_head=7) it works. Is a size fixed?"
    told = "MultiHeadAttention(12, 3) returns something else than attention in each head, and\n"
    told += "MultiHeadAttention(34, 4, d_head=7) does not. Is out_proj left out, or something else "
    told += "done,\nwhere n_heads · d_head = d_model?"
    compare(check.call(layer, words, stuck=stuck), check.attended(own, 3, words), told)

    # Dropout falls on the weights, one by one, and in training only.
    stuck = "Are the arguments of __init__ called d_model, n_heads, d_head and dropout?"
    layer = check.call(MultiHeadAttention, d_model=12, n_heads=3, dropout=0.75, stuck=stuck)
    check.dropout(layer, 0.75, n_heads=3, width=12)

    # One word; gradients to the input and every weight; and what does not divide is refused.
    layer = MultiHeadAttention(34, 4, d_head=7)
    stuck = "Here is one sentence of one word. Is there a squeeze? Axes of size 1 stay."
    check.call(layer, torch.randn(1, 1, 34), stuck=stuck)
    word = check.trainable(layer, x=torch.randn(1, 1, 34))
    check.tensor(word, (1, 1, 34), "the output for one word", otherwise="Is a squeeze to blame?")
    needed = {n: p for n, p in layer.named_parameters() if n != "k_proj.bias"}  # it has no effect
    check.reaches(layer(torch.randn(2, 5, 34)), **needed)
    check.filled(layer, theirs, cause)
    x.requires_grad_()
    slopes = [torch.autograd.grad(out.square().sum(), x)[0] for out in (layer(x), check.attended(theirs, 4, x))]
    told = "The output is right, but its gradient with respect to x is not."
    compare(*slopes, f"{told} Is a part detached?", atol=1e-3)
    cause = "With d_head=None, test whether n_heads divides d_model."
    check.refuses(MultiHeadAttention, 10, 4, names=(10, 4), otherwise=cause)
    return "MultiHeadAttention passes: attention in each head, dropout on the weights, d_head free."


def check_from_torch(from_torch):
    # A layer with bias, then one without: the eight names, and PyTorch's block under each.
    parts = ("weight", "bias")
    names = [f"{name}_proj.{part}" for name in ("q", "k", "v", "out") for part in parts]
    for bias, d in ((True, 12), (False, 15)):
        state = nn.MultiheadAttention(d, 3, bias=bias).state_dict()
        state = {name: torch.randn_like(tensor) for name, tensor in state.items()}
        given = {name: tensor.clone() for name, tensor in state.items()}

        def from_torch_of_layer(bias, given=given):
            return from_torch(given)

        ours = check.call(from_torch_of_layer, bias=bias, stuck={
            "'dict' object": "`state` is a dict. Read it with [ ] or with .get().",
            "Boolean": "Is a tensor asked whether it is true, as by `or`? Ask whether it is there.",
            "to unpack": f"Here d_model is {d}. Do all sizes come from in_proj_weight?",
            "_proj": f"This layer has bias={bias}. Is a name read that it lacks, or misspelled?",
            "": f"This layer has bias={bias} and d_model = {d}. Is all there before it is cut?",
        })  # fmt: skip
        told = "`state` has other names than before. Was one taken out by pop, or added?"
        assert given.keys() == state.keys(), told
        told = "A tensor of `state` was changed in place. Make a tensor of your own."
        assert all(torch.equal(given[name], state[name]) for name in state), told
        cause = "Is there a `return`?" if ours is None else "Return the eight tensors by name."
        told = f"Expected a dict, got {type(ours).__name__}. {cause}"
        assert isinstance(ours, dict), told

        # Names: all eight, and none besides.
        missing = [name for name in names if name not in ours]
        extra = [name for name in ours if name not in names]
        absent = f"This layer has bias={bias}. Are there zeros where it has no bias?"
        cause = check.first({
            "Pass out_proj on, weight and bias.":
                bias and all(name.startswith("out") for name in missing),
            f"There is {extra[:1]} instead. Are the names spelled as in the contract?": extra,
            "Is it forgotten?": bias,
        }, otherwise=absent)  # fmt: skip
        told = f"The name {(missing or names)[0]} is missing ({len(missing)} of 8)."
        assert not missing, f"{told} {cause}"
        told = f"There is a name too many, {(extra or names)[0]!r}. Only our eight are wanted."
        assert not extra, told

        # Numbers, one tensor at a time: its shape first, then which of PyTorch's rows it holds.
        blocks = {name: state.get(name, torch.zeros(d)) for name in names}  # what is expected
        for part in parts if bias else ["weight"]:
            for i, name in enumerate("qkv"):
                blocks[f"{name}_proj.{part}"] = state[f"in_proj_{part}"][d * i : d * (i + 1)]
        for name, block in blocks.items():
            yours, whole = ours[name], state.get("in_proj_" + name.split(".")[1])
            told = f"{name}: expected a tensor, got {type(yours).__name__}."
            cause = absent if yours is None else "Pass on the tensors themselves."
            assert isinstance(yours, torch.Tensor), f"{told} {cause}"
            got, shape = tuple(yours.shape), tuple(block.shape)
            told = f"{name}: expected shape {shape}, got {got}."
            cause = check.first({
                "There is an axis too many or too few.": len(got) != len(shape),
                "split(3) makes blocks of 3 rows each, and chunk(3) three blocks.": got[:1] == (3,),
                "Is the 12 of the layer above fixed? Read d_model from in_proj_weight.":
                    got[:1] == (12,) != shape[:1],
                f"{3 * d} is the number of rows of in_proj_weight, and d_model is its width. Cut in_proj into "
                "three along its rows.": got[:1] == (3 * d,),
                "Cut in_proj into three along its rows, the first axis.": whole is not None,
            }, otherwise=absent)  # fmt: skip
            assert got == shape, f"{told} {cause}"
            twin = check.like(yours, {o: b for o, b in blocks.items() if o != name and b.any()})
            cause = "Did two blocks change places?"
            if check.same(ours.get(twin), blocks.get(twin, block)):
                cause = f"{twin} holds it as well. Does each have rows of its own?"
            assert not twin, f"{name} holds PyTorch's block for {twin}. {cause}"
            factor = check.times(yours, block)
            start, third = None, False  # the row of in_proj that yours begins with
            if whole is not None and name[0] in "qkv":
                equal = [i for i, row in enumerate(whole) if torch.equal(row, yours[0])]
                start = (equal or [None])[0]
                third = torch.equal(yours, whole["qkv".index(name[0]) :: 3])
            cause = check.first({
                absent: name not in state and whole is None,
                "It is zero, although the layer has one. Is PyTorch's name for it spelled right?":
                    not yours.any(),
                "It is transposed. PyTorch stores (d_out, d_in), as nn.Linear does.":
                    yours.ndim == 2 and check.same(yours, block.mT),
                "These are every third row. Queries, keys and values are three blocks of rows.":
                    third,
                "Its first rows are right, later ones are not. Each third of in_proj is one block, "
                "heads and all.": start is not None and torch.equal(yours[0], block[0]),
                f"It begins with row {start} of in_proj. Cut at rows 0, d_model and 2 · d_model.":
                    start is not None and not torch.equal(yours[0], block[0]),
                f"Its numbers are PyTorch's times {factor}. Copy them as they are.": factor,
            }, otherwise="Its numbers are not PyTorch's. Copy them as they are.")  # fmt: skip
            compare(yours, block, f"{name} is not what PyTorch's layer has (bias={bias}).\n{cause}")

    # In float64, by name: the zeros have the dtype of the weights.
    wide = nn.MultiheadAttention(6, 2, bias=False, dtype=torch.float64).state_dict()

    def from_torch_by_name(bias):
        return from_torch(state=wide)

    ours = check.call(from_torch_by_name, bias=False, stuck="The argument is called state.")
    odd = {str(tensor.dtype) for tensor in ours.values()} - {"torch.float64"}
    told = f"Weights of torch.float64 give {' '.join(odd)} as well. Does weight.new_zeros(…) help?"
    assert not odd, told
    return "from_torch passes: your eight tensors are PyTorch's, block by block, bias or not."


def check_head_outputs(head_outputs):
    # Only one head speaks, the others are zero: then its part is the layer's whole output.
    heads, W = torch.randn(2, 3, 5, 7), torch.randn(23, 21)

    def spoken(heads, W):
        """What out_proj returns when all heads but one are zero, for each head in turn."""
        parts = []
        for h in range(heads.shape[1]):
            alone = torch.zeros_like(heads)
            alone[:, h] = heads[:, h]
            parts.append(F.linear(torch.cat(alone.unbind(1), dim=-1), W))
        return torch.stack(parts, dim=1)

    stuck = {"invalid for": "The sizes do not fit. Cut the 21 columns of out_weight into 3 blocks."}
    turned = "Each head is (5, 7), its block of out_weight (23, 7). Is the block transposed?"
    parts = "The blocks are 3 wide, not 7. split(3, dim=1) makes blocks of 3, chunk(3, dim=1) 3 blocks."
    rows = "The rows of out_weight were cut, 8 of 23 to a block. Heads own columns: dim=1."
    stuck |= {
        "30x7 and 21x23": "That is the whole of out_weight. Each head meets its own d_head = 7 columns.",
        **dict.fromkeys(("but got: [2, 8]", "8x21", "[21, 8]", "5, 8]", "[8, 21]"), rows),
        "with size 2": "Axis 0 of `heads` is the batch. Head h is `heads[:, h]`.",
    }  # fmt: skip
    stuck |= {"multiply up": "Here are 3 heads of width 7. Are both read from `heads`, which is (batch, n_heads, "
                             "seq, d_head)?"}  # fmt: skip
    stuck |= dict.fromkeys(("[2, 3]", "tensor a (3) must match the size of tensor b (7)"), parts) | dict.fromkeys(
        ("mat1", "size", "subscript"), turned
    )
    stuck[""] = "Three heads of width 7 fit an out_weight (23, 21). Which axis of it is compared?"
    yours = check.call(head_outputs, heads, W, stuck=stuck)
    check.tensor(yours, (2, 3, 5, 23), "what the heads write", {
        (2, 5, 23): "The heads are added already. Keep what each of them writes apart.",
        (2, 5, 3, 23): "The words come before the heads. Swap the two axes.",
        (2, 3, 23, 5): "The words come last. Is the product the wrong way round?",
        (3, 2, 5, 23): "The heads come before the batch. Swap the two axes.",
        (2, 3, 5, 7): "That is the shape of the heads. Is the product with out_weight missing?",
        (2, 15, 23): "Heads and words became one axis. Keep them as two.",
        (3, 5, 23): "The batch is lost. Is heads[0] read?",
        (2, 3, 5, 21): "Each head has width n_heads · d_head. Is its block transposed?",
        (2, 3, 5): "One number for each word. Is a length, or a sum over the width, returned?",
        (2, 5, 69): "The heads stand side by side. Keep them as an axis of their own.",
    }, otherwise="Is it (batch, n_heads, seq, d_model)?")  # fmt: skip
    expected = spoken(heads, W)
    turned = torch.stack([heads[:, h] @ W[:, 7 * (2 - h) : 21 - 7 * h].T for h in range(3)], dim=1)
    every_third = torch.stack([heads[:, h] @ W[:, h::3].T for h in range(3)], dim=1)
    factor = check.times(yours, expected)
    silent = [h for h in range(3) if not yours[:, h].any()] + [3]
    written = expected.index_fill(1, torch.tensor(silent[:-1], dtype=torch.int64), 0)
    by_rows, other_rows = heads @ W.reshape(3, 23, 7).mT, heads @ W.reshape(3, 7, 23)
    cause = "Does each head meet its own columns of out_weight, and no others?"
    without = ((column, W.index_fill(1, torch.tensor([column]), 0)) for column in range(21))
    if idle := [column for column, less in without if check.same(head_outputs(heads, less), yours)]:
        cause = f"The columns {idle} of out_weight have no effect. Does a slice end too early?"
    cause = check.some_right(yours, expected, cause)
    added = (yours - expected).detach()
    if added.std() < 1e-3 < added.mean().abs():
        cause = f"To each number {added.mean():.3f} is added. A bias is not asked for."
    if factor is not None:
        cause = f"Yours is {factor:g} times that. The product itself is wanted."
    sums = [yours.sum(axis) for axis in (1, 2, 3)]
    if any(check.same(total, torch.ones_like(total)) for total in sums):
        cause = "Along an axis yours sums to 1. Is a softmax taken of what the heads write?"
    cause = check.like(yours, {
        "Every head is multiplied by the block of head 0. Each has a block of its own.":
            heads @ W[:, :7].T,
        "Every head is multiplied by the block of the last. Each has a block of its own.":
            heads @ W[:, -7:].T,
        "The blocks belong to another head: they are in reverse order.": turned,
        "The blocks belong to another head: each takes every third column, not neighbours.":
            every_third,
        "The blocks belong to another head: a reshape cuts the rows first. Cut the columns.":
            by_rows,
        "The blocks belong to another head: a reshape does not transpose. Cut the columns first.":
            other_rows,
        "That is what all the other heads write.": expected.sum(1, keepdim=True) - expected,
        "Each head holds what the heads before it write, too.": expected.cumsum(1),
        "Every head returns the sum of all heads.": expected.sum(1, keepdim=True).expand_as(yours),
        "It is divided by the number of heads. The heads are added, not averaged.": expected / 3,
        "Every head returns a third of the sum of all heads.":
            expected.sum(1, keepdim=True).expand_as(yours) / 3,
        "A reshape mixes words and heads. The axes of heads are in their right order already.":
            spoken(heads.reshape(2, 5, 3, 7).transpose(1, 2), W),
        "The blocks belong to another head: each head has that of the next one.":
            spoken(heads, W.roll(-7, 1)),
        "Words are mixed: the heads are joined by a reshape alone. Transpose first, or use torch.cat.":
            torch.stack([(heads * alone[:, None, None]).reshape(2, 5, 21) @ W.T for alone in torch.eye(3)], 1),
        f"Head {silent[0]} writes 0 only. Does a loop end too early?": written,
    }, otherwise=cause)  # fmt: skip
    told = "With all other heads at zero, out_proj returns something else than yours for this head."
    compare(yours, expected, f"{told}\n{cause}")

    # Where everything is square nothing crashes: is out_weight used as it is stored?
    for sizes in ((2, 3, 5, 2, 6), (1, 2, 4, 4, 8), (3, 1, 2, 5, 5), (2, 4, 1, 1, 3)):
        *shape, d_model = sizes
        heads = torch.randn(shape).transpose(1, 2).contiguous().transpose(1, 2)
        W = torch.randn(shape[1] * shape[3], d_model).T
        again = check.call(head_outputs, heads, W, stuck={
            "view size": "Both are transposed tensors here. Use reshape, where view fails.",
            "": "Do all sizes come from the arguments?",
        })  # fmt: skip
        flipped = spoken(heads, W.T) if W.shape[0] == W.shape[1] else torch.tensor(0.0)
        cause = check.like(again, {
            "out_weight is (d_model, n_heads · d_head): the heads own its columns, not its rows.":
                flipped,
        }, otherwise="Do all sizes come from the arguments?")  # fmt: skip
        told = f"{check.shown(head_outputs, heads, W)} is wrong."
        compare(again, spoken(heads, W), f"{told} {cause}")

    # A gradient, float64, calls by name; then a width that does not fit.
    check.trainable(head_outputs, heads=torch.randn(2, 3, 5, 7), out_weight=torch.randn(23, 21))
    for width in (20, 24, 14):
        cause = "Compare the width of out_weight with n_heads · d_head, and raise the error first."
        W = torch.randn(23, width)
        check.refuses(head_outputs, torch.randn(2, 3, 5, 7), W, names=(width, 21), otherwise=cause)
    return "head_outputs passes: what each head writes, and together they are the layer's output."


def check_predicted_heads(predicted_heads):
    # Only the form: a set (or a list, or a tuple) of numbers from the six that were asked about.
    kind = type(predicted_heads).__name__
    told = f"Expected a set of numbers such as {{2, 4}}, got {kind}. Put the numbers in braces."
    assert isinstance(predicted_heads, (set, frozenset, list, tuple)), told
    for number in predicted_heads:
        told = f"Expected a set of whole numbers, and it holds {number!r:.40}."
        told += " Leave quotes out." if isinstance(number, str) else " Write them as 2 or 12."
        assert type(number) is int, told
        told = f"{number} is none of the six that we train. Choose from 1, 2, 3, 4, 6 and 12."
        assert number in (1, 2, 3, 4, 6, 12), told
    return "predicted_heads has the right form. Whether it is right, the next cell measures."
