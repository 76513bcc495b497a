"""The visible checks of unit 09: one function for each exercise, named after it.

It takes the answer as the notebook has it, and returns what the reader is told when it passes.
"""

import itertools
from typing import Any

import torch
import torch.nn.functional as F
from checking.doctor import first_blocks, no_known_cause
from checking.layers import check
from checking.words import compare
from torch import nn


def filled(model, theirs, otherwise):
    """The model has the parameters of theirs, a model of PyTorch's parts, and now their numbers."""
    told = f"Expected an nn.Module, got {type(model).__name__}."
    assert isinstance(model, nn.Module), told
    own, weights = check.shapes(model), {}
    firsts = [name for name in own if ".norm1." in name]  # one or two of each block
    for stack in ("encoder", "decoder") if "encoder" in dict(theirs.named_children()) else ("",):
        if all(name.startswith(("encoder.", "decoder.")) for name in firsts):
            if not any(name.startswith(stack) for name in firsts):
                otherwise = f"No parameter of a block is seen{' in the ' * bool(stack)}{stack}. Do"
                otherwise += " they stand in a plain list?\n`stack` and nn.ModuleList show them."
    packed = any("in_proj_" in name for name in own)
    for name, value in check.renamed(model, theirs.state_dict()).items():
        three = "in_proj_" in name and not packed
        names = [name.replace("in_proj_", f"{q}_proj.") for q in "qkv"] if three else [name]
        weights.update(zip(names, value.chunk(len(names))))
    ordered = sorted(weights, key=lambda name: "layers." not in name)  # blocks first
    check.parameters(model, {name: tuple(weights[name].shape) for name in ordered}, otherwise)
    model.load_state_dict(weights, strict=False)


def reads_padding(model, right, table, *ids):
    """If it matters to the model what its table holds in row 0, the vector of padding: why."""

    def matters(*ids):
        before, other = model(*ids), right[table].weight.clone()
        other[0] *= 2
        model.load_state_dict({f"{table}.weight": other}, strict=False)
        after = model(*ids)
        model.load_state_dict({f"{table}.weight": right[table].weight}, strict=False)
        return not check.same(after, before)

    told = f"What stands in {table}'s row 0 changes the logits"
    if matters(*(numbers.clamp(min=1) for numbers in ids)):
        return f"{told} where no id is 0, too. Is each id looked up as it is, and not id − 1?"
    shape = "To hide keys, a mask of your blocks has the shape (batch, 1, 1, keys)."
    return f"{told}: padding is read. {shape}" if matters(*ids) else ""


def check_predicted_families(predicted_families):
    # The form alone: six keys, three whole numbers, three names.
    kind = type(predicted_families).__name__
    assert isinstance(predicted_families, dict), f"Expected a dict with six entries, got {kind}."
    numbers = ["encoder_pairs", "decoder_pairs", "cross_pairs"]
    names = ["spam", "story", "translation"]
    wanted, given = sorted(numbers + names), sorted(map(str, predicted_families))
    assert given == wanted, f"Expected the keys {', '.join(wanted)}, got {', '.join(given)}."
    for key in numbers:
        value = predicted_families[key]
        told = f"{key}: expected a whole number of pairs, got {value!r}."
        try:  # 15.0, or a number of numpy's or torch's, is a whole number as well
            whole = not isinstance(value, (bool, str)) and value == int(value)
        except (TypeError, ValueError, OverflowError, RuntimeError):
            whole = False
        assert whole, told
    families = ["encoder-only", "decoder-only", "encoder-decoder"]
    for key in names:
        value = predicted_families[key]
        told = f"{key}: expected one of {', '.join(families)}, got {value!r}."
        assert isinstance(value, str) and value in families, told
    return "predicted_families passes the check of its form. The cells below count the pairs."


def check_masked_mean(masked_mean):
    # A loop over the rows is the judge: padding in front, in the middle and at the end.
    x = torch.randn(3, 5, 7)
    x[:, 1, 2] = 0  # a number like any other: the word it stands in counts
    x[2, 3] = 0  # and so does a word that holds nothing else
    mask = torch.tensor([[1, 1, 1, 0, 0], [0, 1, 0, 1, 1], [1, 1, 1, 1, 1]]).bool()
    right = torch.stack([row[words].mean(dim=0) for row, words in zip(x, mask)])
    yours = check.call(
        masked_mean,
        x,
        mask,
        stuck={
            "dimension 0": "Is the sum over the words, axis 1, and not over the batch?",
            "dimension 1": "Has the number of words an axis for d? `keepdim=True` keeps one.",
            "invalid for": "x[mask] is one list of the words of all rows, 3 + 3 + 5 of them. Sum in each row instead.",
            "": "Has the mask an axis for d when it meets x? `mask[..., None]` gives it one.",
        },
    )
    told = "The means are infinite. Is padding filled with −∞? In a sum, 0 is what does not count."
    assert not (torch.is_tensor(yours) and yours.isinf().any()), told
    check.tensor(
        yours,
        (3, 7),
        "the means",
        {
            (3, 5): "Is the mean over the words, axis 1, and not over d?",
            (5, 7): "Is the mean over the words of each sentence, not over the batch?",
            (7,): "Is there a mean for each sentence?",
            (3, 1, 7): "Is the axis of the words gone?",
        },
    )
    told = f"Expected {x.dtype} like x, got {yours.dtype}. Is a number made double on the way?"
    assert yours.dtype == x.dtype, told

    # Where it differs: which known mistake is it, or what were the sums divided by?
    by = (x * mask[..., None]).sum(1) / yours
    cause = "Are only the words summed, and divided by their number?"
    if check.same(by, by[:, :1].expand(3, 7), 1e-3):
        numbers = ", ".join(f"{number:.4g}" for number in by[:, 0])
        cause = f"The rows have 3, 3 and 5 words, and their sums were divided by {numbers}."
    mistakes = {cause: way(x) for cause, way in check.mean_mistakes(mask).items()}
    words = x * mask[..., None]
    mistakes["Is it `/`? `//` rounds down."] = words.sum(1) // mask.sum(1, keepdim=True)
    told = "A word in which a 0 stands counts as well. Is each True of the mask counted?"
    mistakes[told] = words.sum(1) / (words != 0).sum(1)
    told = "A word whose numbers are all 0 counts as well. Does the mask alone say what is a word?"
    mistakes[told] = words.sum(1) / (words != 0).any(-1).sum(1, keepdim=True)
    told = "Is padding left out as the mask says? Here a word is what is not all zeros in x."
    mistakes[told] = x.sum(1) / (x != 0).any(-1).sum(1, keepdim=True)
    cause = check.like(yours, mistakes, cause)
    compare(yours, right, f"The means differ from those of a loop over the words. {cause}")

    # What stands at a padded position never counts, however large it is.
    odd = x.masked_fill(~mask[..., None], 1e6)
    told = "A padded position held 1,000,000, and the mean moved. Is padding left out of the sum?"
    compare(check.call(masked_mean, odd, mask), right, told, atol=1e-4)

    # A row without words: zeros, and a gradient without NaN. A row of one word is that word.
    none = torch.zeros(2, 4).bool()
    none[1, 2] = True
    leaf = torch.randn(2, 4, 3)
    leaf[1, 2] = torch.tensor([3.0, -5, 4])
    leaf.requires_grad_()
    means = check.call(masked_mean, leaf, none)
    cause = "Has a row without words a mean, too?"
    check.tensor(means.nan_to_num(), (2, 3), "the means of rows of 0 and 1 words", {}, cause)
    numbers = ", ".join(f"{number:.2f}" for number in means[0])
    told = f"A row without any word gives {numbers}, expected zeros."
    cause = "Its sum is zero already. Is something else put in its place?"
    if check.same(means[0], leaf[0].mean(0)):
        cause = "That is the mean of its padding, which should count nowhere."
    if not means[0].isfinite().all():
        cause = "Is the number of words kept above 0 before dividing? (A softmax over −∞ alone is"
        cause += " NaN, too.)"
    assert (means[0] == 0).all(), f"{told} {cause}"
    told = "The mean of a row with one word is that word, also beside a row without any."
    if check.same(2 * means[1], leaf[1, 2]):
        told = f"{told} Is the number of words at least 1, not 2?"
    elif check.same(means[1], leaf[1, 2], 0.1):
        told = "The mean of a row with one word is nearly that word. Is something added to the"
        told = f"{told} number of words? `clamp(min=1)` leaves a 1 as it is."
    compare(means[1], leaf[1, 2], told)
    told = "Here no row holds a word: expected zeros everywhere. Is it a case of its own?"
    assert (check.call(masked_mean, leaf, none & False) == 0).all(), told
    check.reaches(check.call(masked_mean, leaf, none), x=leaf)
    slope = torch.autograd.grad(means.sum(), leaf)[0]
    told = "The row without words has NaN in its gradient, though its value is zero."
    assert slope.isfinite().all(), f"{told} Is 0/0 computed first, and then replaced?"
    assert (slope[0] == 0).all(), "A row without any word has a gradient other than zero."
    alone = check.call(masked_mean, x[:1, :, :1], mask[:1])
    told = "the mean of one sentence of width 1"
    check.tensor(alone, (1, 1), told, otherwise="Is there a squeeze? It drops each axis of size 1.")
    check.trainable(masked_mean, x=x, mask=mask)
    return "masked_mean passes: only words count, wherever they stand, and no words give zeros."


def check_Classifier(Classifier):
    # The parts have the names and shapes of the exercise; then both get the same numbers.
    model = check.call(
        Classifier,
        11,
        12,
        3,
        2,
        5,
        9,
        stuck={
            "Classifier.__init__()": "It is called as Classifier(vocab_size, d_model, n_heads, "
            "n_layers, n_classes, max_len), with numbers.",
            "__init__": "Is each part made with the arguments that it needs?",
            "": "Is `blocks` a stack of 2 blocks, and does `stack` get a function that makes one?",
        },
    )
    right = check.noisy(
        token=nn.Embedding(11, 12), position=nn.Embedding(9, 12),
        layers=check.layers(nn.TransformerEncoderLayer, 12, 3, 2),
        norm=nn.LayerNorm(12), head=nn.Linear(12, 5),
    )  # fmt: skip
    filled(model, right, "Are the parts called and sized as in the exercise?")

    # Called with padding at the end, in front and in the middle: one row of logits per sentence.
    ids = torch.tensor([[9, 10, 2, 0, 0, 0], [3, 4, 5, 6, 7, 8], [0, 1, 0, 6, 7, 0]])
    ids = torch.cat([ids, torch.tensor([[5, 0, 0, 4, 0, 9]])])
    shape = "In your blocks it is (batch, 1, 1, seq): `words[:, None, None]`."
    yours = check.steady(
        model,
        ids,
        stuck={
            "attn_mask": "In PyTorch's layers src_mask says which pairs are hidden. Padding is "
            "given as src_key_padding_mask, (batch, seq).",
            "key_padded_mask": "Is the padding mask (batch, seq), and is it batch_first=True?",
            "(9)": "Are the positions cut to the 6 columns of ids? The table has 9 rows.",
            "size of tensor": f"Has the mask an axis for heads and for queries? {shape}",
            "out of range": "Are the positions 0, 1, 2, … of the columns, and not the ids?",
            "": "Does ids go through token + position, blocks with a mask, masked mean, head?",
        },
    )
    check.tensor(
        yours,
        (4, 5),
        "the logits",
        {
            (4, 6, 5): "Is the mean over the words taken before the head?",
            (6, 5): "Is the mean over the words, axis 1, and not over the batch?",
            (4, 12): "Is the head missing?",
            (4, 11): "Has the head n_classes outputs?",
            (4,): "Is there an argmax? Return the logits of all classes.",
        },
    )

    # The oracle: embeddings, PyTorch's blocks, norm, mean, head. Each step can be done otherwise.
    norm, same = right["norm"], nn.Identity()

    def logits_of(words=ids != 0, hide=None, at=0, scale=1.0, before=same, last=norm, mean=None,
                  pooled=same, end=same, **ways):  # fmt: skip
        x = before(check.embedded(right, "token", ids, at, scale))
        hidden = ~words[:, None] if hide is None else hide
        x = last(check.through(right["layers"], x, src_mask=hidden, **{"heads": 3} | ways))
        each = mean(x) if mean else torch.stack([row[kept].mean(0) for row, kept in zip(x, words)])
        return end(right["head"](pooled(each)))

    words = ids != 0
    counted = (words.cumsum(1) - 1).clamp(min=0) - torch.arange(6)
    mistakes = {
        "Is padding hidden from the queries? Here every word attends to it.":
            {"hide": words[:, None] & False},
        "Is the mask upside down? In your blocks True may attend; in PyTorch's masks it is hidden.":
            {"hide": words[:, None]},
        "Is the mask bool? Numbers are added to the scores, and 1.0 hides nothing.":
            {"hide": (ids == 0).float()[:, None]},
        "An encoder is not causal: every word may attend to later ones.":
            {"hide": ~words[:, None] | torch.ones(6, 6).triu(1).bool()},
        "Is only padding hidden, wherever it stands? Here later words are, and padding is not.":
            {"hide": words[:, None] & False | torch.ones(6, 6).triu(1).bool()},
        "Are the positions added?": {"at": None}, "Do the positions begin at 0?": {"at": 1},
        "Are positions counted from the row's start? Padding has one, too.": {"at": counted},
        "Is the last norm applied, after all blocks?": {"last": same},
        "Is the norm applied to each word, before the mean?": {"last": same, "pooled": norm},
        "Is the norm applied after the blocks, not before them?": {"last": same, "before": norm},
        "Is the norm applied once? Here it comes before the blocks, too.": {"before": norm},
        "Is the last norm applied once? `stack` ends with it already.":
            {"last": lambda x: norm(norm(x))},
        "Is the embedding scaled by √d_model? Here nothing is.": {"scale": 12**0.5},
        "Is padding left out of the mean? This is the plain mean.": {"mean": lambda x: x.mean(1)},
    }  # fmt: skip
    means = {cause: {"mean": way} for cause, way in check.mean_mistakes(words).items()}
    alone = check.stack_mistakes(3) | check.model_mistakes(ids) | means | {
        "Is the last norm applied once, after all blocks? Here it follows each of them.":
            {"after": lambda x, read: norm(read), "last": same},
        "Is the last norm applied once? Here it follows each block, and the last one twice.":
            {"after": lambda x, read: norm(read)},
        "Is the eps of the last norm PyTorch's, 1e-5? Here it is 0.001.":
            {"last": lambda x: F.layer_norm(x, (12,), norm.weight, norm.bias, 1e-3)},
        "Is padding hidden? A vector of zeros still takes its share of the attention.":
            {"before": lambda x: x * words[..., None], "hide": words[:, None] & False},
        "Is the id 0 alone padding? Here the id 1 is hidden as well.": {"words": ids > 1},
        "Has each sentence a mask of its own? Here the blocks get that of the first one.":
            {"hide": ~words[:1, None].expand(4, -1, -1)},
        "Has each sentence a mask of its own? Here that of the first one serves all.":
            {"words": words[:1].expand(4, -1)},
        "Does each word get a position, not each sentence?":
            {"at": torch.arange(4)[:, None] - torch.arange(6)},
        "Is the last norm applied once? Here it follows the mean, too.": {"pooled": norm},
        "Is padding hidden as a key? Here it is hidden as a query: it attends to nothing, and the\n"
        "words attend to it. In your blocks the mask of the keys is (batch, 1, 1, seq).":
            {"hide": ~words[:, :, None].expand(-1, -1, 6)},
        "Are positions counted from the row's start, and from 0? Here words alone are counted.":
            {"at": words.cumsum(1) - torch.arange(6)},
        "Is there a tanh before the head?": {"pooled": torch.tanh},
        "Does the mean come after the blocks? Here they get the mean, in place of the words.":
            {"before": lambda x: (x * words[..., None]).sum(1, True) / words.sum(1)[:, None, None],
             "hide": words[:, None, :1] & False, "mean": lambda x: x[:, 0]},
        "Padding may stand anywhere. In the attention it is sought at the end alone.":
            {"hide": (torch.arange(6) >= words.sum(1, keepdim=True))[:, None]},
    }  # fmt: skip

    def otherwise():
        if cause := reads_padding(model, right, "token", ids):
            return cause
        told = "Is it token + position, blocks, norm, mean, head, each of them once?"
        stages = {
            ", and each block passes on what it reads. Look at embedding, norms, mean and head": (
                (),
                None,
            )
        }
        stages |= {f" but {part} of block {n}": (f"layers.{n}.{part}", None)
                   for n in (0, 1) for part in ("self_attn", "linear2")}  # fmt: skip
        if fault := check.first_fault(model, right, lambda: model(ids), logits_of, stages):
            told = f"{told}\n{fault}"
        return no_known_cause(told, *first_blocks(model), n_heads=3)()

    told, wanted = "The logits differ from PyTorch's.", logits_of()
    every: dict[str, Any] = {"words": words | True}  # no place is padding in all four
    unhidden, plain = {"hide": words[:, None] & False}, {"mean": lambda x: x.mean(1)}
    if any(check.same(yours, logits_of(**way)) for way in (every, unhidden, plain)):
        alone_right = all(check.same(model(ids[[n]]), wanted[[n]]) for n in range(4))
        own = "Has each row a mask of its own?\nOne for all rows hides only what is padding in all."
        assert not alone_right, f"{told} Each sentence alone gets the right ones. {own}"
    check.agrees(yours, wanted, told, logits_of, mistakes, otherwise, alone=alone)

    # Padding more or less at the end, .eval(), or the company in a batch change nothing.
    longer, named = F.pad(ids, (0, 3)), "Are the arguments called as in the exercise?"
    told = "Three more ids of padding at the end, in eval mode, and the result changes."
    compare(check.call(model.eval(), ids=longer, stuck=named), yours, told, atol=1e-4)
    told = "Sentences in another order get other logits. Is a mask kept from the call before?"
    compare(check.call(model, longer.flip(0)), yours.flip(0), told, atol=1e-4)
    told = "A sentence alone gives something else than in a batch with padding."
    compare(check.call(model, ids[:1, :3]), yours[:1], told, atol=1e-4)

    # Gradients reach every parameter, and the arguments have the names of the exercise.
    check.reaches(model.train()(ids), **dict(model.named_parameters()))
    check.rows_learn(model, model(ids), token=ids)
    sizes = {"vocab_size": 5, "d_model": 4, "n_heads": 2, "n_layers": 1, "n_classes": 1}
    small, told = check.call(Classifier, **sizes, max_len=6, stuck=named), "Is there a squeeze?"
    out = check.call(small, torch.tensor([[3, 1, 0], [2, 0, 0]]))
    check.tensor(out, (2, 1), "the logits of one class", otherwise=told)
    return "Classifier passes: PyTorch's logits with the same numbers; padding changes nothing."


def check_shift_right(shift_right):
    # Three rows of different ids: each mistake can be read off.
    ids = torch.tensor([[7, 8, 9, 5], [3, 2, 6, 4], [11, 12, 0, 0]])
    told = "Is there one bos for every row? torch.full_like(ids[:, :1], bos) has that shape."
    yours = check.call(shift_right, ids, 1, stuck=told)
    check.tensor(
        yours,
        (3, 4),
        "the shifted ids",
        {
            (3, 5): "Is the last id of each row dropped?",
            (3, 3): "Is bos put in front of each row?",
            (4, 4): "Is bos put in front of each row? It stands in a row of its own.",
        },
        "Is bos put in front of each row, and the last id of each row dropped?",
    )
    told = f"Expected int64, got {yours.dtype}."
    assert yours.dtype == torch.int64, f"{told} Are both parts made of the dtype of ids?"
    right = torch.tensor([[1, 7, 8, 9], [1, 3, 2, 6], [1, 11, 12, 0]])
    bos, front, back = right[:, :1], ids[:, :1], ids.flip(1)
    mistakes = {
        "The last id comes round again. Is it overwritten with bos?": ids.roll(1, 1),
        "They are shifted to the left: bos belongs in front.": torch.cat([ids[:, 1:], bos], 1),
        "They are rolled to the left. Is the shift 1, and not −1?":
            torch.cat([bos, ids[:, 2:], front], 1),
        "The first id is overwritten; the others have to move.": torch.cat([bos, ids[:, 1:]], 1),
        "The last id is overwritten; bos belongs in front.": torch.cat([ids[:, :-1], bos], 1),
        "Are the rows shifted, instead of the ids in each row?":
            torch.cat([torch.ones(1, 4), ids[:-1]]),
        "Are the rows rolled, instead of the ids in each row?":
            torch.cat([bos, ids.roll(1, 0)[:, 1:]], 1),
        "Is bos in each row? Here stands the last id of a row.":
            torch.cat([torch.ones(1), ids.flatten()[:-1]]).view(3, 4),
        "Is bos in each row? Only the first row has it.":
            torch.cat([right[:1], ids[1:].roll(1, 1)]),
        "Is bos in each row? Only the first row has it, the others keep their first id.":
            torch.cat([right[:1], torch.cat([front, ids[:, :-1]], 1)[1:]]),
        "Nothing has moved.": ids, "Is the bos that was given in front? Here stands a 0.":
            torch.cat([0 * bos, ids[:, :-1]], 1),
        "Is bos written in front, and not added to what stands there?":
            torch.cat([back[:, :1] + 1, ids[:, :-1]], 1),
        "Are the ids in their own order? They are reversed.": torch.cat([bos, back[:, :-1]], 1),
        "Are the ids in their own order? They are reversed, too.": torch.cat([bos, back[:, 1:]], 1),
        "Is it one step, and not two?": torch.cat([bos, bos, ids[:, :-2]], 1),
        "Is the first id copied along? Take ids[:, :-1], and not what you have just written.":
            torch.cat([bos, front, front, front], 1),
        "Is bos copied along? Read from ids, not from what you have written.": bos.expand(3, 4),
        "Do all ids move? The id 0 is like any other.": right.masked_fill(ids == 0, 0),
    }  # fmt: skip
    otherwise = "Is it bos, then all ids but the last?"
    cause = check.like(yours, mistakes, check.some_right(yours, right, otherwise, "row"))
    told = f"{ids.tolist()} with bos = 1 became {yours.tolist()}, expected {right.tolist()}."
    assert check.same(yours, right), f"{told} {cause}"

    # One id per row, another bos, and the arguments' names.
    more = (([[4]], 9, [[9]]), ([[5, 6], [7, 7], [8, 2]], 3, [[3, 5], [3, 7], [3, 8]]))
    more += (([[3, 8], [3, 3]], 3, [[3, 3], [3, 3]]),)
    for row, bos, right in more:
        named = "Later cells call it by name. Are its arguments called ids and bos?"
        stuck = {"argument": named, "": "Is there one bos for each row, however many there are?"}
        yours = check.call(shift_right, ids=torch.tensor(row), bos=bos, stuck=stuck).tolist()
        told = f"{row} with bos = {bos} became {yours}, expected {right}."
        cause = "Does the bos that was given stand in front, once?"
        if row[0][0] == bos:
            cause = "It is put in front, also of a row that begins with the same id."
        assert yours == right, f"{told} {cause}"
    return "shift_right passes: bos in front, everything one step later, the last id dropped."


def check_Seq2Seq(Seq2Seq):
    # The parts have the names and shapes of the exercise; then both get the same numbers.
    model = check.call(
        Seq2Seq,
        13,
        11,
        12,
        3,
        2,
        9,
        stuck={
            "Seq2Seq.__init__()": "It is called as Seq2Seq(source_vocab, target_vocab, d_model, "
            "n_heads, n_layers, max_len), with numbers.",
            "__init__": "Is each part made with the arguments that it needs?",
            "": "Are `encoder` and `decoder` stacks of 2 blocks here, each made by a function?",
        },
    )
    reads = check.layers(nn.TransformerEncoderLayer, 12, 3, 2)
    writes = check.layers(nn.TransformerDecoderLayer, 12, 3, 2)
    first, final = nn.LayerNorm(12), nn.LayerNorm(12)
    right = check.noisy(
        source_token=nn.Embedding(13, 12), target_token=nn.Embedding(11, 12),
        position=nn.Embedding(9, 12), head=nn.Linear(12, 11),
        encoder=nn.ModuleDict({"layers": reads, "norm": first}),
        decoder=nn.ModuleDict({"layers": writes, "norm": final}),
    )  # fmt: skip
    filled(model, right, "Are the parts called and sized as in the exercise?")

    # Called with padding at the end, in front and in the middle: logits for every target id.
    rows = [[9, 10, 2, 0, 0, 0], [3, 4, 5, 6, 7, 8], [0, 1, 0, 6, 7, 2], [5, 0, 0, 4, 0, 9]]
    source = torch.tensor(rows)
    rows = [[1, 4, 9, 2, 6], [1, 10, 3, 1, 8], [1, 5, 7, 4, 2], [1, 7, 6, 3, 9]]
    target = torch.tensor(rows)
    shape = "Here s = 6 and t = 5. In your blocks the target's mask is (t, t), and the source's "
    shape += "(batch, 1, 1, s); the decoder takes that as context_mask."
    alone = "A decoder block reads the context, too, and `stack` hands on one mask alone. Go through "
    alone += "the decoder's `layers` yourself."
    yours = check.steady(
        model,
        source,
        target,
        stuck={
            "is_causal": "is_causal is a hint alone. Is the mask itself given, as tgt_mask?",
            "2D attn_mask": "Do padding masks go in as …_key_padding_mask, is batch_first=True, "
            "and does y come before the context in the decoder?",
            "key_padded_mask.shape[1]": "Source and target have 6 and 5 ids. The source's padding "
            "belongs to src_key_padding_mask in the encoder, and to memory_key_padding_mask in the "
            "decoder.",
            "key_padded_mask": "Have padding masks the shape (batch, s), and is batch_first=True everywhere?",
            "(9)": "Are the positions cut to the lengths of both? The table has 9 rows.",
            "Bool and Float": alone,
            "size of tensor": shape,
            "1 required positional": alone,
            "positional arguments but": alone,
            "out of range": "Are the positions 0, 1, 2, … in both? Has each its own embeddings?",
            "": "Does each decoder block get y, what the encoder returns, and both masks?",
        },
    )
    check.tensor(
        yours,
        (4, 5, 11),
        "the logits",
        {
            (4, 6, 11): "Are the logits those of the target's positions, not the source's?",
            (4, 5, 12): "Is the head missing?",
            (4, 5): "Is there an argmax? Return the logits.",
            (4, 11): "Is there a row of logits for every position of the target?",
            (4, 1, 11): "Is there a row of logits for every position of the target?",
            (4, 4, 11): "Is the last id of the target dropped? It is not shifted in here.",
        },
    )

    # The oracle: PyTorch's encoder and decoder. Each step can be done otherwise.
    words, later = (source != 0)[:, None], torch.ones(6, 6).triu(1)
    added, ahead = (~words).float(), later[:5, :5].bool()

    def logits_of(words=source != 0, hide=None, later=ahead, at=(0, 0), y=None,
                  scale=(1, 1), memory=None, last=None, end=None, encoder=None, decoder=None,
                  head=right["head"]):  # fmt: skip
        hide, heads = hide or (~words[:, None], ~words[:, None]), {"heads": 3}
        x = check.embedded(right, "source_token", source, at[0], scale[0])
        out = check.through(reads, x, src_mask=hide[0], **heads | (encoder or {}))
        out = memory(x, out) if memory else first(out)
        y = check.embedded(right, "target_token", target, at[1], scale[1]) if y is None else y
        masks = {"tgt_mask": later, "memory_mask": hide[1]}
        y = check.through(writes, y, out, **masks, **heads | (decoder or {}))
        logits = head(last(y) if last else final(y))
        return end(logits) if end else logits

    hides = {"padding": ~words, "the words": words, "nothing": words & False}
    hides["padding and later words"] = ~words | later.bool()
    hides["the queries of padding, not its keys"] = ~words.mT.expand(-1, -1, 6)
    futures = {
        "nothing is": 0 * later,
        "each word itself is, too": 1 - later.mT,
        "the next word is not": later.triu(2),
        "what came before is": 1 - later,
    }
    futures["earlier ones are, and later ones are not"] = later.mT
    starts = {0: "start from 0", None: "are missing", 1: "start from 1"}
    single = check.stack_mistakes(3, "encoder", "decoder") | check.model_mistakes(source) | {
        "Has each source a mask of its own? Here that of the first one serves all.":
            {"words": (source != 0)[:1].expand(4, -1)},
        **{"Padding in the source should be hidden in both, and nothing else. The encoder hides "
           f"{a}, and the cross-attention hides {b}.": {"hide": (hides[a], hides[b])}
           for a in hides for b in [*hides][:3] if (a, b) != ("padding", "padding")},
        **{f"Later ids of the target should be hidden. Here {what}.": {"later": mask[:5, :5].bool()}
           for what, mask in futures.items()},
        "The encoder is right, and in the cross-attention later words of the source are hidden.":
            {"hide": (~words, ~words | later[:5].bool())},
        "Is padding hidden in the cross-attention? A vector of zeros still takes its share.":
            {"memory": lambda x, out: first(out) * words.mT, "hide": (~words, hides["nothing"])},
        "Is head used? Here target_token's table stands in its place.":
            {"head": lambda y: y @ right["target_token"].weight.T},
        "Is tgt_mask bool? Numbers are added to the scores, and 1.0 hides nothing.":
            {"later": later[:5, :5]},
        "Are the padding masks bool? Numbers are added to the scores, and 1.0 hides nothing.":
            {"hide": (added, added)},
        **{f"Positions should start from 0. Those of the source {starts[a]}, those of the target "
           f"{starts[b]}.": {"at": (a, b)} for a in starts for b in starts if (a, b) != (0, 0)},
    }  # fmt: skip
    mistakes = {
        **{f"Nothing should be scaled. The source is by {a:.4g}, and the target by {b:.4g}.":
           {"scale": (a, b)} for a, b in ((12**0.5, 12**0.5), (12**0.5, 1), (1, 12**0.5))},
        "Has the target a table of its own? This is the source's.":
            {"y": check.embedded(right, "source_token", target)},
        "The target is shifted in here. Leave that to shift_right.":
            {"y": check.embedded(right, "target_token", F.pad(target, (1, -1), value=1))},
        "Does the encoder end with its norm?": {"memory": lambda x, out: out},
        "Does the decoder end with its norm?": {"last": lambda y: y},
        "The encoder's norm is applied twice.": {"memory": lambda x, out: first(first(out))},
        "The decoder's norm is applied twice.": {"last": lambda y: final(final(y))},
        "The decoder ends with the encoder's norm. Each has its own.": {"last": lambda y: first(y)},
        "Does the decoder read what the encoder returns, not the bare words?":
            {"memory": lambda x, out: x},
    }  # fmt: skip
    each = {part: {"after": lambda x, read, norm=norm: norm(read)}
            for part, norm in (("encoder", first), ("decoder", final))}  # fmt: skip
    ends: dict[str, dict[str, Any]] = {
        "encoder": {"memory": lambda x, out: out},
        "decoder": {"last": lambda y: y},
    }
    for part in each:
        told = f"Is the {part}'s norm applied once, behind its last block? Here it follows each of"
        single[f"{told} them."] = {part: each[part]} | ends[part]
        single[f"{told}\nthem, and the last one twice."] = {part: each[part]}

    def otherwise():
        x = check.embedded(right, "source_token", source)
        y = check.embedded(right, "target_token", target)
        for n in (0, 1):  # layer by layer
            x = check.through(reads, x, src_mask=~words, heads=3, order=(n,))
            masks = {"tgt_mask": ahead, "memory_mask": ~words}
            y = check.through(writes, y, x, heads=3, order=(n,), **masks)
        if check.same(right["head"](final(y)), yours):
            told = "Each decoder block reads the encoder block of its own number. All should read"
            return f"{told}\nwhat the whole encoder returns, its norm included."
        if check.same(model(source.roll(1, 0), target), yours):
            return "Another source gives the same logits. Does the decoder read the encoder's output?"
        changed = torch.cat([target[:, :-1], target[:, :1]], dim=1)  # with another last id
        if not check.same(model(source, changed)[:, :-1], yours[:, :-1]):
            told = "The last id of the target changes the logits before it: the future is seen."
            return f"{told} Is your mask `tril()`, where True may attend?"
        seen = "decoder.layers.0.multihead_attn"
        stages: dict[str, tuple[str | tuple[str, ...], str | None]] = {
            ", and each block passes on what it reads. Look at the target's embedding, norms, head": (
                (),
                None,
            )
        }
        tables = {"self_attn": "target_token", "multihead_attn": "source_token", "linear2": None}
        for n, (part, table) in itertools.product((0, 1), tables.items()):
            stages[f" but {part} of decoder block {n}"] = (f"decoder.layers.{n}.{part}", table)
        for n, part in itertools.product((0, 1), ("self_attn", "linear2")):
            both = (f"encoder.layers.{n}.{part}", seen)
            stages[f" but {part} of encoder block {n}, and a cross-attention"] = (both, None)
        fault = check.first_fault(model, right, lambda: model(source, target), logits_of, stages)
        if "\n" in fault:
            return fault + " Row 0 is padding." * ("rows [0" in fault)
        if cause := reads_padding(model, right, "source_token", source, target):
            return cause
        rows = dict(model.named_parameters())["position.weight"]
        slopes = torch.autograd.grad(model(source, target).square().sum(), rows)[0]
        if slopes[6:].any():
            read = slopes.any(-1).nonzero().flatten().tolist()
            told = f"The rows {read} of position are read. Source and target, of 6 and 5 ids, both"
            return f"{told}\nstart from row 0. Does the target go on where the source ends?"
        told = f"Compare your masks, norms and positions with the bullets. {fault}"
        return no_known_cause(told, *first_blocks(model), n_heads=3)()

    told = "The logits differ from PyTorch's."
    check.agrees(yours, logits_of(), told, logits_of, mistakes, otherwise, alone=single)

    # Neither eval mode nor more padding changes a logit, nor do ids of the target that come later.
    named = "Are the arguments called as in the exercise?"
    more = check.call(model.eval(), source=F.pad(source, (0, 3)), target=target, stuck=named)
    compare(more, yours, "In eval mode, more padding in the source changes the logits.", atol=1e-4)
    told = "The first two ids of the target alone give other logits than they do with the others."
    compare(check.call(model, source, target[:, :2]), yours[:, :2], told, atol=1e-4)

    # The same sentences in another order: each target reads its own source, and nothing is kept.
    turned = check.call(model, source.flip(0), target.flip(0))
    told = "Sentences in another order get other logits. Is the context kept from the call before, or a mask?"
    compare(turned, yours.flip(0), told, atol=1e-4)

    # Gradients reach every parameter, and the arguments have the names of the exercise.
    check.reaches(model.train()(source, target), **dict(model.named_parameters()))
    check.rows_learn(model, model(source, target), source_token=source, target_token=target)
    sizes = {"source_vocab": 5, "target_vocab": 6, "d_model": 4, "n_heads": 2, "n_layers": 1}
    check.call(Seq2Seq, **sizes, max_len=7, stuck=named)
    return "Seq2Seq passes: PyTorch's logits; padding and the future stay hidden."


def check_greedy_decode(greedy_decode):
    class Speller(nn.Module):
        """Its likeliest next id is known: rule(model, source, target) -> (batch, t)."""

        def __init__(self, rule):
            super().__init__()
            self.rule, self.weight = rule, nn.Parameter(torch.ones(()))

        def forward(self, source, target):
            best = F.one_hot(self.rule(self, source, target).expand(target.shape).long(), 12)
            return self.weight * (0.4 * best - best.roll(5, -1))  # the best and the worst

    # Is it the likeliest id each time, and what is the model given? That of this one is how many
    # ids it sees.
    length = Speller(lambda model, source, target: torch.tensor(target.shape[1]))
    told = "Is the argmax over the last axis, and are source and what is written (batch, …)?"
    given = torch.tensor([[5, 6]]), 3, 11, 5  # source, bos, eos, max_len
    ids, *more = (check.call(greedy_decode, length, *given, stuck=told) for _ in range(5))
    drawn = torch.is_tensor(ids) and not all(check.same(again, ids) for again in more)
    told = "Five calls with one source gave different ids."
    assert not drawn, f"{told} Is it the largest logit each time, or is an id drawn?"
    check.tensor(
        ids,
        (1, 5),
        "the ids of a row without end, with max_len = 5,",
        {
            (1, 6): "Is bos left out of the result, and does it stop at max_len?",
            (1, 4): "One id is missing. Are there max_len rounds, of which bos is none, and is bos alone cut off?",
            (1, 3): "Does it stop at 3? That is bos, and eos is 11.",
            (1, 2): "Does it stop at 2, or where the source ends? The eos that was given is 11.",
            (1, 1): "Does writing go on until all rows have written eos?",
        },
        "Does each round write one id, and does it stop at max_len?",
    )
    assert ids.dtype == torch.int64, f"Expected int64, got {ids.dtype}. Is it made like source?"
    ids = ids[0].tolist()
    causes = {
        "Is the target what is written, and nothing else? Here the source stands in it, too.": (ids == [3, 4, 5, 6, 7]),
        "Is the model asked again after each id? Here all max_len places are guessed at once.": (ids == [6] * 5),
        "The result begins with bos = 3. Leave it out.": ids[0] == 3,
        "Is the model given everything written so far, not the last id alone?": ids == [1] * 5,
        "Does the model get the source first, then what is written?": ids == [2] * 5,
        "Is it given what was written with bos in front?": ids == [1, 1, 2, 3, 4],
        "Is bos in front once, and nothing behind what is written?": ids == [2, 3, 4, 5, 6],
        "Is it the largest logit? This is the smallest.": ids == [6, 7, 8, 9, 10],
        "Is it where the largest logit stands in the last axis, not how large it is?": ids == [0] * 5,
        "Is eos written only where the model writes it? At max_len a row may stop without.": ids == [1, 2, 3, 4, 11],
        "May every id be written? Here bos = 3 seems to be forbidden.": ids[:2] + ids[3:] == [1, 2, 4, 5],
    }
    told = f"A model that writes how many ids it sees should write 1, 2, 3, 4, 5. We got {ids}."
    rest = "Does each round add one id, the largest logit of the last position, and leave the others as they are?"
    cause = check.first(causes, rest)
    assert ids == [1, 2, 3, 4, 5], f"{told} {cause}"

    # Is what was written read, and does it end? Here each id is the last one plus 1.
    count = Speller(lambda model, source, target: (target + 1) % 12)
    ids = check.call(greedy_decode, count, torch.tensor([[5]]), 3, 8, 20)[0].tolist()
    causes = {
        "Does the first eos of a row stay in it?": ids == [4, 5, 6, 7],
        "Is eos itself written, and not something else?": ids[:-1] == [4, 5, 6, 7],
        "Does writing stop when all rows have ended?": ids == [4, 5, 6, 7] + [8] * 16,
        "Is it noticed that eos was written? Here writing goes on to max_len = 20.": len(ids) == 20
        and ids[:5] == [4, 5, 6, 7, 8],
        "Is the guess of the last position taken?": ids[:2] == [4, 4],
        "Does it end in the round that writes eos, and not one later?": ids[:5] == [4, 5, 6, 7, 8],
        "Does it begin with the bos that was given?": ids[0] != 4,
    }
    told = f"From bos = 3 on, each id should be one more, until eos = 8. We got {ids}."
    cause = check.first(causes, "Does it read what it has written, and end at this eos?")
    assert ids == [4, 5, 6, 7, 8], f"{told} {cause}"

    # Each row copies its source and ends at a 2. Behind the end the model would write 9.
    def copy(model, source, target):
        longer = torch.cat([source, torch.full((len(source), 20), 9)], dim=1)
        return longer[:, : target.shape[1]]

    source = torch.tensor([[5, 6, 2, 9, 9], [4, 8, 3, 2, 9], [7, 2, 9, 9, 9]])
    right = [[5, 6, 2, 2], [4, 8, 3, 2], [7, 2, 2, 2]]
    yours = check.call(
        greedy_decode,
        Speller(copy),
        source,
        1,
        2,
        10,
        stuck={
            "Scalar": "Each row has an id of its own. Is there an item() or int() for all of them?",
            "scalar": "Each row has an id of its own. Is there an item() or int() for all of them?",
            "ambiguous": "Some rows have ended and some have not. Is an `if` missing its .all()?",
            "": "Has each row a bos?",
        },
    )
    alike = torch.is_tensor(yours) and bool((yours == yours[:1]).all())
    stop = "Does writing stop when all rows have ended, each with an eos of its own?"
    if torch.is_tensor(yours) and (yours[:, 3:] == 9).any():
        stop = "Here 9 is written behind an eos = 2. A row that has ended stays so: is that kept from\nround to round?"
    last = "Does writing go on until the last row has ended, and does its eos stay?"
    alone = "All rows write the same. Does each go on with its own guess, and read its own source?"
    told = "Three rows end after 3, 4 and 2 ids."
    check.tensor(
        yours,
        (3, 4),
        "the ids",
        {
            (3, 10): stop,
            (3, 3): alone if alike else last,
            (3, 2): last,
            (1, 3): "Is there a row of ids for each source?",
        },
        told,
    )
    written = yours.tolist()
    causes = {
        "Is what a row writes after its end replaced by eos?": 9 in sum(written, []),
        "Are the rows in the order of their sources?": sorted(written) == sorted(right),
        f"Behind the end of a row stands {written[2][2]}. Is eos = 2 written there?": written[2][2] != 2,
    }
    cause = check.first(causes, "Does each row go on until its own eos?")
    assert written == right, f"{told} Expected {right}, got {written}. {cause}"

    # One id may be both: it begins the row, and ends it.
    ids = check.call(greedy_decode, count, torch.tensor([[5]]), 8, 8, 20)[0].tolist()
    told = "With bos = eos = 8, each id should be one more, until 8 comes again."
    cause = "Is eos looked for in what was written, and not in bos, too?"
    if ids[:3] == [9, 10, 11]:
        cause = "May every id be written, 0 as well?"
    assert ids == [9, 10, 11, *range(9)], f"{told} We got {ids}. {cause}"

    # In eval mode and without gradients; and the arguments' names.
    def mode(model, source, target):
        return torch.tensor(4 if model.training else 5 if torch.is_grad_enabled() else 6)

    ids = check.call(greedy_decode, Speller(mode).train(), source, 1, 2, 3)[0].tolist()
    told = {4: "The model ran in training mode. Is model.eval() called first?"}
    told[5] = "The model ran with gradients. Is torch.no_grad() around the loop?"
    if ids[0] == 6 and 4 in ids:
        told[4] = "Its first id was written in eval mode, a later one in training mode. Is there a"
        told[4] += " model.train()\nin the loop?"
    other = next((number for number in ids if number != 6), 6)
    assert other == 6, told.get(other, f"The likeliest id was 6 each time, and yours is {other}.")
    assert len(ids) == 3, f"No row wrote eos = 2, max_len = 3: expected 3 ids, got {len(ids)}."
    ids = check.call(greedy_decode, Speller(lambda *_: torch.tensor(2)), source, 1, 2, 3).tolist()
    told = f"A model that writes eos = 2 at once: expected {[[2]] * 3}, got {ids}."
    assert ids == [[2]] * 3, f"{told} May the first id be eos, and does writing stop then?"
    named = {"model": Speller(copy), "source": source, "bos": 1, "eos": 2, "max_len": 2}
    told = "Later cells call it by name. Are its arguments called as in the exercise?"
    ids = check.call(greedy_decode, **named, stuck=told).tolist()
    told = f"max_len = 2: expected {[[5, 6], [4, 8], [7, 2]]}, got {ids}."
    assert ids == [[5, 6], [4, 8], [7, 2]], f"{told} Does it stop there, and does every row stay?"
    return "greedy_decode passes: it reads what it has written, and every row ends with its eos."
