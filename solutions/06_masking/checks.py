"""The visible checks of unit 06: one function for each exercise, named after it.

Each takes the answer as the notebook has it, and returns what the reader is told when it passes.
"""

import torch
import torch.nn.functional as F
from checking.layers import check
from checking.notebook import without
from checking.words import compare
from torch import nn


def yes_or_no(mask):
    """The mask is of torch.bool. What is no tensor at all, check.tensor tells."""
    dtype = mask.dtype if torch.is_tensor(mask) else torch.bool
    cause = "A mask is a table of yes and no, not of numbers to add or to multiply by."
    assert dtype == torch.bool, f"Expected a mask of torch.bool, got {dtype}. {cause}"


def check_causal_mask(causal_mask):
    # Five words: which keys may the middle one, query 2, attend to?
    yours = check.call(
        causal_mask,
        5,
        stuck="Five queries, five keys. Is None read as q_len, and may both be equal?",
    )
    yes_or_no(yours)
    fixed = torch.is_tensor(yours) and yours.ndim == 2
    cause = "Is a size fixed?" if fixed else "Are there axes for the batch or the heads?"
    check.tensor(yours, (5, 5), "the mask", otherwise=cause)
    seen = yours[2].nonzero().flatten().tolist()
    causes = {
        (3, 4): "These are the hidden ones. Does True mean that a query may attend?",
        (2, 3, 4): "These come later. Is it the other triangle, or are rows and columns swapped?"
        if yours[0].all()
        else "Is the mask turned round, from left to right?",
        (0, 1): "A word may attend to itself. Does the diagonal belong to the mask?",
        (0, 1, 2, 3): "One comes later. Is the diagonal off by one, or the mask too long?",
        (0, 1, 2, 3, 4): "That is every word. Is anything hidden?",
        (): "That is no word at all, not even itself. Is the table ever filled in?",
        (2,): "That is the diagonal alone. May a word attend to the words before it, too?",
    }
    told = f"Of five words, query 2 may attend to the keys {seen}, expected [0, 1, 2]."
    assert seen == [0, 1, 2], f"{told}\n{causes.get(tuple(seen), 'Is key j allowed where j <= i?')}"
    stairs = torch.tensor([[float(j <= i) for j in range(5)] for i in range(5)])
    told = "Query 2 is right and another query is not."
    cause = "Is one row special?"
    if yours[4, 4] and not yours[4, 0]:
        cause = "Query 4 does not see key 0. Is there a limit to how far back a query may attend?"
    compare(yours.float(), stairs, f"{told} {cause}")
    cause = "As many keys as queries are allowed. Is it < and not <= that is refused?"
    yours = check.call(causal_mask, 5, 5, stuck=cause)
    compare(yours.float(), stairs, "With k_len=5 the mask differs from the one without k_len.")

    # Three new words join four old ones: the queries are words 4, 5 and 6 of seven.
    names = "Later cells call it by name. Are its arguments called q_len and k_len?"
    yours = check.call(
        causal_mask,
        q_len=3,
        k_len=7,
        stuck={"keyword": names, "": "More keys than queries are allowed. Are they refused?"},
    )
    swapped = "Did q_len and k_len change places?"
    shapes = {(7, 3): swapped, (3, 3): "Is k_len used?", (7, 7): "Is there one row per query?"}
    check.tensor(yours, (3, 7), "the mask", shapes, otherwise="Are rows queries, columns keys?")
    counts = yours.sum(-1).tolist()
    causes = {
        (1, 2, 3): "The staircase starts at the first key. Are the queries the last words?",
        (1, 2, 7): "Only the last query sees the four old words. May the others see them, too?",
        (4, 5, 6): "The staircase is one step too low. May each query attend to itself?",
        (6, 7, 7): "The staircase is one step too high. Does a query see the word after it?",
        (7, 7, 7): "All queries see the last word, which is in the future of the first two.",
        (4, 4, 4): "They see the old words only. May they attend to themselves, too?",
        (3, 2, 1): "True and False are swapped, or rows run the wrong way.",
        (7, 6, 5): "The rows run the wrong way. Is the mask turned round?",
        (
            0,
            0,
            0,
        ): "They see none. Is the staircase moved by k_len − q_len to the right, not to the left?",
        (3, 3, 3): "Each sees as many keys as there are queries. Is it a window that slides along?",
    }
    told = f"With 7 keys, the 3 queries may attend to {counts} of them, expected [5, 6, 7]."
    cause = causes.get(tuple(counts), "At which position among the keys is the first query?")
    if yours[:, 4:].any() and not yours[:, :4].any():
        cause = "They see each other alone. May they attend to the four old words, too?"
    assert counts == [5, 6, 7], f"{told}\n{cause}"
    stairs = torch.tensor([[float(j <= i + 4) for j in range(7)] for i in range(3)])
    cause = "They are the first in the row, without a gap."
    if yours[:, 3:].all():
        cause = "The four old words come first, then the three new ones. Is it the other way round?"
    told = "Each row allows the right number of keys, but not the right ones."
    compare(yours.float(), stairs, f"{told} {cause}")

    # Five queries again, with forty keys: the mask has no greatest size.
    cause = "Is a table of a fixed size cut, or one that was made for another k_len used again?"
    yours = check.call(causal_mask, 5, 40, stuck=cause)
    check.tensor(yours, (5, 40), "the mask", otherwise=cause)
    stairs = torch.tensor([[float(j <= i + 35) for j in range(40)] for i in range(5)])
    cause = "Is there a limit to how far back a query may attend?"
    if yours[:, 0].all():
        counts = yours.sum(-1).tolist()
        cause = f"The queries may attend to {counts} keys, expected [36, 37, 38, 39, 40]. Is the\n"
        cause += "number of the old words, 35 here and 4 above, worked out or fixed?"
    compare(yours.float(), stairs, f"The mask for 5 queries and 40 keys is wrong. {cause}")

    # Fewer keys than queries make no sense.
    cause = "Is k_len < q_len refused?"
    check.refuses(causal_mask, 17, 13, names=(17, 13), otherwise=cause)
    cause = f"{cause} `k_len or q_len` takes a k_len of 0 for None."
    check.refuses(causal_mask, 3, 0, names=(3, 0), otherwise=cause)
    return "causal_mask passes: no word sees a later one, and the last query sees every key."


def check_padding_mask(padding_mask):
    # Sentences of 4, 0 and 7 words in 11 positions.
    def likely():
        for numbers, told in (
            ([4, 7, 4], "Without the length of 0 it works. An empty sentence is allowed."),
            ([4, 7], "Two lengths work and three do not. Is the size of the batch fixed?"),
        ):
            try:
                padding_mask(torch.tensor(numbers), max_len=11)
                return told
            except (TypeError, ValueError, RuntimeError, IndexError):
                continue
        return "Do the lengths stand in a column when they meet the row of positions?"

    lengths = torch.tensor([4, 0, 7])
    yours = check.call(padding_mask, lengths=lengths, max_len=11, stuck=likely)
    yes_or_no(yours)
    shapes = {
        (3, 11): "Against (batch, n_heads, q, k) it is read as queries by keys. Add two axes of 1.",
        (3, 1, 11): "Counted from the right, 3 lines up with the heads. Is an axis missing?",
        (3, 1, 11, 1): "This hides queries. Are the keys the last axis?",
        (1, 1, 3, 11): "This gives each query a length. Is the batch the first axis?",
        (3, 1, 1, 7): "7 is the longest length. Is it max_len that the mask is made for?",
        (3, 1, 11, 11): "One row for all queries will do. Is the third axis of size 1?",
        (3,): "These are as many numbers as sentences. Is there one for each position?",
    }
    cause = "Is it (batch, 1, 1, max_len)?"
    check.tensor(yours, (3, 1, 1, 11), "the mask", shapes, otherwise=cause)
    seen = yours[0, 0, 0].nonzero().flatten().tolist()
    causes = {
        (4, 5, 6, 7, 8, 9, 10): "That is the padding. Does True mean that a query may attend?",
        (0, 1, 2, 3, 4): "Positions count from 0. Is it < and not <= ?",
        (0, 1, 2): "That is a word too few. Do positions count from 0?",
        (7, 8, 9, 10): "Words come first and padding last. Is it the other way round here?",
        (0, 1, 2, 3, 4, 5, 6): "Those are 7: the number of pads, or another sentence's length.",
        (4,): "That is one position only. Is it a comparison by < ?",
        (3,): "That is the last word only. Is it a comparison by < ?",
    }
    told = f"In a sentence of 4 words one may attend to the keys {seen}, expected [0, 1, 2, 3]."
    cause = causes.get(tuple(seen), "Is a position a word where it is smaller than the length?")
    assert seen == [0, 1, 2, 3], f"{told}\n{cause}"
    counts = yours.sum(-1).flatten().tolist()
    told = f"The sentences have 4, 0 and 7 words, and your mask allows {counts} keys."
    cause = check.first({
        "The empty sentence has no word at all. Does it get its first position?": counts[1] == 1,
        "The empty sentence has no word at all. Is its row filled, against NaN? masked_softmax "
        "sees to empty rows.": counts[1] == 11,
        "Is the length of the first sentence used for all of them?": counts == [4, 4, 4],
    }, otherwise="Does each sentence use its own length?")  # fmt: skip
    assert counts == [4, 0, 7], f"{told} {cause}"
    right = torch.tensor([[[[float(j < n) for j in range(11)]]] for n in (4, 0, 7)])
    compare(
        yours.float(),
        right,
        ("Each row allows the right number of keys, but not the right ones: the first in the row."),
    )

    # One sentence alone; a sentence that fills its row.
    alone = check.call(padding_mask, torch.tensor([4]), 11, stuck="Does one sentence work?")
    cause = "A batch of one keeps its axis. Is there a squeeze?"
    check.tensor(alone, (1, 1, 1, 11), "the mask", otherwise=cause)
    cause = "A sentence as long as max_len has no padding. Is it refused?"
    full = check.call(padding_mask, torch.tensor([4, 7]), 7, stuck=cause)
    told = "With max_len=7 the mask differs from the one for 11."
    check.tensor(full, (2, 1, 1, 7), "the mask", otherwise="Is max_len used?")
    if not full[1].any():
        told += " A sentence of 7 words has no padding there. Is it `[-0:]`, which is everything?"
    compare(full.float(), right[[0, 2], ..., :7], told)

    # Lengths that cannot be.
    for numbers, names, cause in (
        ([23], (23, 17), "Is a length above max_len refused?"),
        ([4, 23, 5], (23, 17), "Alone it is refused. Are all lengths looked at, not one alone?"),
        ([4, -2, 5], (-2,), "Are lengths below 0 refused, too?"),
    ):
        told = f"A length is {names[0]}. {cause}"
        check.refuses(padding_mask, torch.tensor(numbers), 17, names=names, otherwise=told)
    return "padding_mask passes: words and no padding, in a shape that reaches heads and queries."


def check_packed_mask(packed_mask):
    # Two rows of seven words; document 5 is interrupted by document 0 and comes back.
    document = torch.tensor([[5, 5, 0, 0, 0, 5, 2], [-1, -1, -1, 0, 0, 1, 1]])
    yours = check.call(packed_mask, document=document, stuck={
        "keyword": "Later cells call it by name. Is its argument called document?",
        "(6)": "Is the length of our sentence, six, written into it? Here a row has seven words.",
        "size of": "Do the numbers meet as a column (batch, seq, 1) and a row (batch, 1, seq)?",
        "negative": "The number of a document may be any whole number, −1 too. Compare them by ==.",
        "": "Does it take every row of the batch, and rows of any length?",
    })  # fmt: skip
    yes_or_no(yours)
    shapes = {
        (2, 7, 7): "Counted from the right, 2 lines up with the heads. Is an axis missing?",
        (1, 2, 7, 7): "The batch is the first axis, then comes one axis of size 1 for the heads.",
        (7, 7): "Each sentence has documents of its own. Is the batch gone?",
        (2, 1, 1, 7): "Here each query sees something else. Is there a row for each query?",
        (1, 1, 14, 14): "Are the rows of the batch joined into one? Each has its own documents.",
    }
    check.tensor(yours, (2, 1, 7, 7), "the mask", shapes, otherwise="Is it (batch, 1, seq, seq)?")

    # Word 3 is the second of three words of document 0.
    seen = yours[0, 0, 3].nonzero().flatten().tolist()
    causes = {
        (2, 3, 4): "Word 4 is of the same document, but it comes later. Is it hidden?",
        (0, 1, 2, 3): "Words 0 and 1 are of another document. Are the documents compared?",
        (2,): "A word may attend to itself, too.",
        (3,): "Word 2 is an earlier word of its own document. Is it allowed?",
        (3, 4): "These come later. Is it the other triangle?",
        (0, 1, 4, 5, 6): "These are the hidden ones. Does True mean that a query may attend?",
        (): "Document 0 is a document like any other. Is it taken for padding?",
        (0, 1): "These are the earlier words of another document. Is it == that compares?",
        (0, 1, 2, 3, 4): "Other documents, and a later word. Is it | where & belongs?",
    }
    told = f"In {document[0].tolist()} word 3 may attend to the words {seen}, expected [2, 3]."
    cause = causes.get(tuple(seen), "Does it see earlier words with the same number, and itself?")
    assert seen == [2, 3], f"{told}\n{cause}"

    # Word 5 belongs to document 5, which began the row.
    seen = yours[0, 0, 5].nonzero().flatten().tolist()
    causes = {
        (5,): "Document 5 comes back: words 0 and 1 belong to it. Are borders counted instead, "
        "or only neighbours compared?",
        (0, 1, 2, 3, 4, 5): "Is everything before it allowed? Compare the documents by ==.",
    }
    told = f"In {document[0].tolist()} word 5 may attend to the words {seen}, expected [0, 1, 5]."
    cause = causes.get(tuple(seen), "Is a word allowed where both numbers are equal?")
    assert seen == [0, 1, 5], f"{told}\n{cause}"

    # All words of both rows, one pair at a time.
    right = torch.zeros(2, 1, 7, 7)
    for row, numbers in enumerate(document.tolist()):
        for i in range(7):
            for j in range(i + 1):
                right[row, 0, i, j] = numbers[i] == numbers[j]
    cause = check.first({
        "Is the first row's mask used for the whole batch?": torch.equal(yours[0], yours[1]),
        "Is −1 taken for padding? It is the number of a document like any other.":
            not yours[1, 0, :3].any() and bool(yours[1, 0, 3:].any()),
        "Word 0 may attend to itself.": not yours[:, 0, 0, 0].all(),
        "Documents −1, 0 and 1 are three. Are they compared by ==?":
            bool(yours[1, 0, 3:, :3].any()),
    }, otherwise="Is each pair of words compared in its own row?")  # fmt: skip
    compare(yours.float(), right, f"The mask differs from one that was made pair by pair. {cause}")
    cause = "Is the size of the batch or of a row fixed, or is an axis of size 1 squeezed away?"
    for picked in ([0, 1, 0], [1]):
        few = check.call(packed_mask, document[picked, 4:], stuck=cause)
        told = f"The mask is wrong for a batch of {len(picked)}, with three words per row."
        compare(few.float(), right[picked, :, 4:, 4:], f"{told} {cause}")
    return "packed_mask passes: each word sees itself and the earlier words of its own document."


def check_masked_softmax(masked_softmax):
    # Two sentences, three heads, five queries, seven keys; the second sentence has five words.
    scores = 1.5 * torch.randn(2, 3, 5, 7)
    words_only = torch.arange(7) < torch.tensor([7, 5])[:, None, None, None]
    mask = words_only & (torch.arange(7) <= torch.arange(5)[:, None] + 1)  # (2, 1, 5, 7)
    full, all_seen = mask.expand(2, 3, 5, 7), torch.ones(2, 3, 5, 7, dtype=torch.bool)
    turned = "True means: may attend. Is True read as hidden?"

    def row_by_row(scores, allowed):
        """The softmax of the allowed scores, one row at a time."""
        out = torch.zeros(scores.shape)
        for row, numbers, seen in zip(*(t.reshape(-1, 7) for t in (out, scores, allowed))):
            row[seen] = numbers[seen].float().softmax(0)
        return out

    # With nothing hidden it is an ordinary softmax over the keys.
    minus = {"`-`": "Invert a bool mask with `~`, not with `1 − mask`."}
    plain = check.call(masked_softmax, scores, all_seen, stuck=minus)
    number = torch.nan_to_num(plain) if isinstance(plain, torch.Tensor) else plain
    check.tensor(number, (2, 3, 5, 7), "the weights", otherwise="They have the scores' shape.")
    told = f"float32 scores gave weights of {plain.dtype}, expected torch.float32."
    assert plain.dtype == scores.dtype, f"{told} Does something of another dtype join in?"
    told = f"Nothing is hidden, and every key gets the weight {plain.flatten()[0]:.2f}."
    assert number.std(-1).max() > 1e-3, f"{told} {turned} Is −∞ multiplied by 0?"
    low = plain.sum(-1).min()
    small = plain.min() > 0 and plain.sum(-1).max() < 1 and 0.9 < low < 0.9999
    told = f"Nothing is hidden, and a row sums to {low:.4f}, expected 1."
    cause = "Is a small number added to what it is divided by? That makes every row too small."
    assert not small, f"{told} {cause}"
    told = "The weights of all rows together sum to 1, and those of each row should."
    joined = abs(plain.sum() - 1) < 1e-3
    assert not joined, f"{told} Is it `scores[mask]`? That makes one row of all: use masked_fill."
    check.weights(plain)
    scale, cause = check.scale(plain, scores), "Is a second softmax, or a power, taken of them?"
    if scale is not None:
        cause = f"It saw them times {scale:.2f}. They come scaled already. Are they scaled again?"
    told = f"Nothing is hidden, and the weights differ from a softmax of the scores. {cause}"
    compare(plain, row_by_row(scores, all_seen), told)

    # What is hidden gets exactly 0, and its score is never read.
    yours = check.call(masked_softmax, scores, full, stuck="Does the mask fit the scores?")
    plus = "Is the fill for hidden scores +∞? −float('-inf') is +∞; it is −∞ that hides."
    assert not yours.isnan().any(), f"Where something is hidden, the weights are NaN. {plus}"
    even = ~full / (~full).sum(-1, keepdim=True)  # the hidden keys share all weight equally
    loud = check.call(masked_softmax, scores.masked_fill(~full, 30_000.0), full)
    share = yours[~full].sum() / yours.sum()
    cause = check.first({
        "Is the fill for hidden scores above the others? It should be far below, −∞.":
            check.same(yours, even),
        turned: share > 0.99,
        "You get the same without a mask. Is the result of `masked_fill` used?":
            check.same(yours, plain),
        "They are all in sentence 1. Is the first sentence's mask used for the whole batch?":
            not yours[0][~full[0]].any(),
        "Is a score set to 0, or not far below, to hide it? exp(0) is 1.": check.same(loud, yours),
        "Is the mask added as a number? True is 1 more, and hides nothing.":
            check.same(yours, (scores + full).softmax(-1)),
    }, otherwise="Is the score of each hidden key filled, before the softmax?")  # fmt: skip
    told = f"Hidden keys get {share:.1%} of the weight, expected exactly 0."
    assert (yours[~full] == 0).all(), f"{told}\n{cause}"
    low = yours.sum(-1).min()
    cause = "Is the mask applied after the softmax, so that the hidden share is lost?"
    if not check.same(yours, plain * full):
        cause = "What is hidden keeps a share. Is the fill a score like the others? Take −∞."
    if check.same(loud, yours):
        cause = "What is hidden keeps a share. Is its score set to 0? exp(0) is 1."
    if check.same(yours, (scores + full).softmax(-1) * full):
        cause = "Is the mask added as a number? True is 1 more, and hides nothing."
    if yours.abs().max() == 0:
        cause = f"Nothing is left for them. {plus}"
    assert low > 0.999, f"A row sums to {low:.2f} over its allowed keys, expected 1.\n{cause}"
    told = "Hidden scores of 30,000 change the weights of the others. Does a softmax, an exp or a"
    cause = "largest score read them before they are hidden, or is a number only added to them?"
    assert check.same(loud, yours), f"{told} {cause}"

    # An empty row: query 2 of the first sentence may attend to nothing.
    empty, inputs = full.clone(), scores.clone().requires_grad_()
    empty[0, :, 2] = False
    blank = check.call(masked_softmax, inputs, empty, stuck="Is an empty row refused?")
    cause = (
        "With a finite fill all keys of an empty row score the same and share the weight.\n"
        "Set hidden weights to 0 after the softmax."
    )
    if blank[0, :, 2].std() > 1e-3:
        cause = "Is something allowed in it after all? Set hidden weights to 0 after the softmax."
    if blank.isnan().any():
        cause = "A softmax of nothing but −∞ is 0/0. Are hidden weights set to 0 after it?"
    told = f"An empty row has weights of {blank[0, 0, 2, 0]:.4f}, expected 0."
    assert (blank[0, :, 2] == 0).all(), f"{told}\n{cause}"
    compare(blank[empty], yours[empty], "It changes other rows. Is only the empty row set to 0?")
    told = "A mask that hides everything should give weights of 0. Is it taken for no mask at all?"
    assert (check.call(masked_softmax, scores, full & False) == 0).all(), told
    try:
        slopes = torch.autograd.grad((blank * scores).sum(), inputs)[0]
    except RuntimeError as error:
        cause = "Is the softmax's result written into (`weights[…] = 0`), or detached?"
        raise AssertionError(f"No gradient comes back: {str(error)[:80]} …\n{cause}") from None
    cause = (
        "Is −∞ added to the scores, or 0 divided by 0? masked_fill stops the gradient\n"
        "before the NaN; a sum lets it through."
    )
    slope = slopes[0, 0, 2, 0]
    assert slope == 0, f"The gradient of an empty row is {slope:.4f}, expected 0.\n{cause}"
    right = blank * (scores - (blank * scores).sum(-1, keepdim=True))
    told = "The weights are right, and their gradient is not. Is a part of the softmax detached?"
    compare(slopes, right, told)

    # Very low scores, float16, fewer axes, masks that broadcast; and the gradient.
    far = "Is a fill, or an exp, beyond ±65504, where float16 ends?"
    far += " Is 1e-9 added, which is 0 there?"
    wide = "Masks broadcast. `scores[mask]` does not: use masked_fill or where."
    one = "Is one largest score subtracted from all rows? Each row has its own."
    for what, numbers, given, cause in (
        ("Allowed scores near −9,000", torch.where(full, scores.round() - 9e3, scores), full,
         "exp(−9,000) is 0. Is the largest allowed score of each row subtracted first?"),
        ("Rows near −9,000 between rows near 0", scores - 9e3 * (torch.arange(5) % 2)[:, None],
         full, one),
        ("Allowed scores near −100,000", torch.where(full, scores.round() - 1e5, scores), full,
         "Is the fill for hidden scores higher than they are? Or does a clamp cut scores off?"),
        ("Scores with a 0 among them", scores.masked_fill(torch.eye(5, 7) > 0, 0), full,
         "Is a score of 0 taken for a hidden one? The mask alone says what is hidden."),
        ("float16 scores of ±30", (10 * scores).clamp(-30, 30).half(), empty, far),
        ("float16 scores, allowed near −40,000 and hidden of 30,000",
         torch.where(full, 32 * scores.round() - 4e4, 3e4).half(), full,
         "Is a number only added to the hidden scores? 30,000 − 65,504 is more than −40,000.\n"
         "Fill them: masked_fill and where forget what stood there."),
        ("Scores of shape (5, 7)", scores[0, 0], full[0, 0], "Are four axes expected?"),
        *((f"A mask of shape {tuple(smaller.shape)}", scores, smaller, wide)
          for smaller in (mask, words_only, words_only[1, 0, 0])),
    ):  # fmt: skip
        out = check.call(masked_softmax, numbers, given, stuck=cause)
        told = f"{what} gave weights of {out.dtype}, expected {numbers.dtype}."
        assert out.dtype == numbers.dtype, f"{told} Does something of another dtype join in?"
        seen = numbers.masked_fill(~given, -torch.inf)
        even = (given / given.sum(-1, keepdim=True)).nan_to_num().expand(out.shape)
        if check.same(out, even):
            cause = "The allowed keys of a row all weigh the same. Does a clamp cut scores off?"
        if check.same(out, (seen - seen.logsumexp(-1, keepdim=True)).exp(), 1e-6):
            cause = "Is it exp(scores − logsumexp)? A large logsumexp has lost its last digits."
            cause += "\nTake `softmax`, or subtract the largest score, and divide by the sum."
        told = f"{what}: the weights differ from a softmax row by row.\n{cause}"
        compare(out.float(), row_by_row(numbers, given.expand(numbers.shape)), told, atol=1e-3)
    check.trainable(masked_softmax, scores=scores, mask=mask)
    two = check.call(masked_softmax, torch.zeros(1, 7), torch.arange(7) < 2)
    told = f"Two of seven keys are allowed, their scores are equal, and one weighs {two[0, 0]:.6f}."
    told += "\nExpected 0.5. Is the fill not far enough below the scores, or is a small number added?"
    assert check.same(two[:, :2], torch.full((1, 2), 0.5), 1e-6), told
    return "masked_softmax passes: hidden keys get exactly 0, an empty row is 0 with gradient 0."


@without(
    "F.scaled_dot_product_attention",
    "scaled_dot_product_attention_math",
    "scaled_dot_product_flash_attention_for_cpu",
    "flex_attention",
)
def check_masked_attention(masked_attention):
    # Two sentences, three heads, five queries, seven keys of width 11.
    query, key, value = torch.randn(2, 3, 5, 11), torch.randn(2, 3, 7, 11), torch.randn(2, 3, 7, 13)
    key[0, :, 1] = 0  # a key of zeros is a key: its score is 0, and not hidden
    words_only = torch.arange(7) < torch.tensor([7, 5])[:, None, None, None]
    mask = words_only & (torch.arange(7) <= torch.arange(5)[:, None] + 1)  # (2, 1, 5, 7)
    full, identity = mask.expand(2, 3, 5, 7), torch.eye(7).expand(2, 3, 7, 7)

    # Without a mask, first of one sentence alone, then with leading axes.
    axes = "Does a transpose name axes 0 and 1? Count axes from the end."
    shapes = {
        (5, 7): "These are the weights. Are the values averaged?",
        (5, 11): "The width is that of the keys. Are the values averaged?",
        (7, 13): "Did query and key change places?",
    }
    cause = "Are the arguments in this order, axes counted from the end, and None left alone?"
    out = check.call(masked_attention, query[0, 0], key[0, 0], value[0, 0], stuck=cause)
    check.tensor(out, (5, 13), "the output", shapes, otherwise="Is it one row per query?")

    # With the identity as values, the output shows the weights.
    plain = check.call(masked_attention, query, key, identity, stuck=axes)
    check.tensor(plain, (2, 3, 5, 7), "the output", otherwise=axes)
    for step in (0, 2):
        causal = torch.equal(plain != 0, (torch.ones(5, 7).tril(step) > 0).expand(2, 3, 5, 7))
        told = "Without a mask, later keys get a weight of 0. Is a causal mask built in?"
        assert not causal, f"{told} Only the argument says what is hidden."
    check.weights(plain)
    dots = torch.einsum("bhqd,bhkd->bhqk", query, key)
    scale = check.scale(plain, dots)
    cause = "Is key transposed, not reshaped, each head on its own, and mask=None left alone?"
    if check.same(plain, (dots * 11**-0.5).softmax(-1).softmax(-1)):
        cause = "Is the softmax taken twice?"
    assert scale is not None, f"The weights do not follow the dot products with the keys.\n{cause}"
    cause = check.near(scale, {
        "They are not scaled.": 1,
        "They are divided by d_k, or by its root twice. Divide once, by the square root.": 1 / 11,
        "They are multiplied by √d_k. Divide by it.": 11**0.5,
        "Is it `** 1 / 2`? That is (** 1) / 2. Write ** 0.5.": 1 / 22,
        "√7 is the root of the number of keys, or of the values' width.": 7**-0.5,
        "√5 is the root of the number of queries.": 5**-0.5,
        "That is the fourth root. If query and key share the scale, divide both by it.": 11**-0.25,
        "Is there a minus too many?": -(11**-0.5),
        "Is the root rounded to a whole number, as int(…) does?": 1 / 3,
    }, otherwise="Divide by the root of the last size of key, once.")  # fmt: skip
    told = f"The softmax saw the dot products times {scale:.3f}, expected 1/√11 = 0.302."
    if abs(scale * 11**0.5 - 1) >= 1e-3:
        told = f"{told}\n{cause}"
        seen = check.call(masked_attention, query, key, identity, mask | True, stuck=told)
        if check.same(seen, (dots * 11**-0.5).softmax(-1)):
            told += "\nThat is without a mask; with one, the scale is right. Is it under an `if`?"
        raise AssertionError(told)

    # With a mask, hidden keys get exactly 0 and are never read.
    wide = "Masks broadcast. Is it masked_fill, and `mask is not None`?"
    axes = "The mask is (2, 1, 5, 7): its rows are queries, its columns keys. Is it transposed?"
    small = "Is something in place, such as masked_fill_, done to a table (q, k)? A mask of more axes\n"
    small += "does not fit in there. Write `bias = bias.masked_fill(…)`, without `_`."
    stuck = {"must match the size": axes, "match the broadcast shape": small, "": wide}
    yours = check.call(masked_attention, query, key, identity, mask, stuck=stuck)
    number = torch.nan_to_num(yours) if isinstance(yours, torch.Tensor) else yours
    check.tensor(number, (2, 3, 5, 7), "the output", otherwise="Is an axis added?")
    seen = check.call(masked_attention, query, key, identity, mask | True, stuck=wide)
    cause = "Is the fill for hidden scores +∞? −float('-inf') is +∞; it is −∞ that hides."
    if torch.is_tensor(seen) and seen.isnan().any():
        cause = "It is so, too, where nothing is hidden. Is −∞ multiplied by 0? That is NaN."
    assert not yours.isnan().any(), f"With a mask, the output is NaN. {cause}"
    even = ~full / (~full).sum(-1, keepdim=True)  # the hidden keys share all weight equally
    long = torch.where(words_only.mT, key, 40 * key)  # padding: no query may see these keys
    loud = check.call(masked_attention, query, long, identity, mask)
    share = yours[~full].sum() / yours.sum()
    cause = check.first({
        "You get the same without a mask. Is the result of `masked_fill` used?":
            check.same(yours, plain),
        "Is the fill for hidden scores above the others? It should be far below, −∞.":
            check.same(yours, even),
        "True means: may attend. Is True read as hidden?": share > 0.99,
        "They are all in sentence 1. Is the first sentence's mask used for the whole batch?":
            not yours[0][~full[0]].any(),
        "All queries may attend to the same keys here. Each has a row of its own in the mask.":
            torch.equal(yours == 0, (yours[..., :1, :] == 0).expand_as(yours)) and not yours.all()
            and check.same(yours.sum(-1), torch.ones(2, 3, 5)),
        "Is a score set to 0, or not far below, to hide it? exp(0) is 1.": check.same(loud, yours),
        "Is the mask added as a number? True is 1 more, and hides nothing.":
            check.same(yours, (dots * 11**-0.5 + full).softmax(-1)),
    }, otherwise="Is the score of each hidden key filled, before the softmax?")  # fmt: skip
    told = f"Hidden keys get {share:.1%} of the weight, expected exactly 0."
    assert (yours[~full] == 0).all(), f"{told}\n{cause}"
    low = yours.sum(-1).min()
    scores, shared = dots * 11**-0.5, plain * full / (plain * full).sum(-1, keepdim=True)
    cause = check.like(yours, {
        "Is the mask applied after the softmax, or only to the values?": plain * full,
        "Is a hidden score set to 0? exp(0) is 1. Take −∞.": (scores * full).softmax(-1) * full,
        "Is the mask added as a number? True is 1 more, and hides nothing.":
            (scores + full).softmax(-1) * full,
        "The weights are squared, or multiplied by themselves.": shared.square(),
        "Nothing is left for them. Is the fill +∞? −float('-inf') is +∞; −∞ hides.": 0 * plain,
    }, "Is the fill a score like the others, not −∞? Or is something dropped?")  # fmt: skip
    assert low > 0.999, f"The allowed weights sum to {low:.2f}, expected 1.\n{cause}"
    cause = "Is it the mask itself that is used, and nothing causal besides?"
    if (yours[0, :, :, 1] == 0).all():
        cause = "Their scores are exactly 0. Is a score of 0 taken for a hidden one?"
    assert (yours[full] > 0).all(), f"Some allowed keys get a weight of 0. {cause}"
    cause = "Does a softmax or a sum read their scores before they are hidden?"
    compare(loud, yours, f"Forty times larger hidden keys change the output. {cause}", atol=1e-4)
    square = torch.ones(5, 5).tril() > 0
    seen = check.call(masked_attention, query, key[..., :5, :], identity[..., :5, :5], square)
    cause = "Are rows and columns of the mask swapped? Its rows are queries."
    told = "Five queries and five keys, under a causal mask: hidden keys get weight."
    assert not torch.is_tensor(seen) or (seen[..., ~square] == 0).all(), f"{told} {cause}"
    pads = (torch.arange(5) < 3)[None]
    seen = check.call(masked_attention, query, key[..., :5, :], identity[..., :5, :5], pads)
    told = "Five words attend to themselves, and the mask hides words 3 and 4 as keys. As queries,"
    told += " these two attend like the others. Does the mask hide them as queries, too?"
    assert (seen.sum(-1) > 0.5).all(), told
    told = "A mask of shape (1, 5) hides words 3 and 4 from every query, and they get weight."
    assert (seen[..., 3:] == 0).all(), f"{told} Masks broadcast. Is this one left out?"
    told = "With a mask, the allowed keys share the weight in another way than without it."
    compare(yours, shared, f"{told} Is √d_k missing there?")

    # PyTorch's own function is the judge. Query 2 of the first sentence has an empty row.
    empty, inputs = mask.clone(), [t.clone().requires_grad_() for t in (query, key, value)]
    empty[0, :, 2] = False
    right = F.scaled_dot_product_attention(query, key, value, attn_mask=empty)
    blank = check.call(masked_attention, *inputs, empty, stuck="Is d_v free?")
    cause = (
        "With a finite fill all keys of an empty row score the same and share the weight.\n"
        "Set hidden weights to 0 after the softmax."
    )
    if blank.isnan().any():
        cause = "A softmax of nothing but −∞ is 0/0. Are hidden weights set to 0 after it?"
    told = f"A query with an empty row gets {blank[0, 0, 2, 0]:.4f} …, expected zeros."
    assert (blank[0, :, 2] == 0).all(), f"{told}\n{cause}"
    check.tensor(
        blank,
        (2, 3, 5, 13),
        "the output",
        {(2, 3, 5, 7): "With a mask, these are the weights. Are the values averaged?"},
    )
    out = check.call(masked_attention, query, key, value, empty & False)
    told = "A mask that hides everything should give zeros for every query."
    assert (out == 0).all(), f"{told} Is it taken for no mask at all?"
    told = "The output differs from PyTorch's attention. Is only the empty row 0?"
    compare(blank, right, told)
    check.trainable(masked_attention, query=query, key=key, value=value, mask=mask)
    slopes = zip(("query", "key", "value"), torch.autograd.grad(blank.sum(), inputs))
    lost = ", ".join(name for name, slope in slopes if slope.isnan().any())
    cause = (
        "Is −∞ added to the scores, or 0 divided by 0? masked_fill stops the gradient\n"
        "before the NaN; a sum lets it through."
    )
    assert not lost, f"Because of an empty row, NaN comes back as the gradient of {lost}. {cause}"

    # Numbers of float64, and another width: d_k is 16.
    exact = [torch.randn(2, *size, dtype=torch.float64) for size in ((5, 16), (7, 16), (7, 13))]
    right = F.scaled_dot_product_attention(*exact, attn_mask=full[:, 0])
    told = "In float64 the output differs from PyTorch's. Is a small number added to a sum?"
    out = check.call(masked_attention, *exact, full[:, 0])
    check.tensor(out, (2, 5, 13), "the output", otherwise="Is an axis added to a mask (2, 5, 7)?")
    fixed = F.scaled_dot_product_attention(*exact, attn_mask=full[:, 0], scale=11**-0.5)
    if check.same(out, fixed, 1e-6):
        told = "Here d_k is 16, and the scores are divided by √11. Is d_k read from the arguments?"
    compare(out, right, told)
    loud = check.call(masked_attention, 100 * query, 100 * key, value, mask)
    cause = "Is the largest score of a row subtracted before exp?"
    assert loud.isfinite().all(), f"Scores of some thousands give inf or NaN. {cause}"
    low = (-300 * query.abs(), 300 * key[:, :, 2:].abs(), value[:, :, 2:])  # no score near 0
    right = F.scaled_dot_product_attention(*low, attn_mask=mask[..., 1:6])
    told = "Allowed scores far below 0, −100,000 and less: the output differs from PyTorch's."
    cause = "Is the fill for hidden scores higher than they are? −∞ is below every score."
    compare(check.call(masked_attention, *low, mask[..., 1:6]), right, f"{told} {cause}", 0.05)
    return "masked_attention passes: PyTorch's attention with this mask, and zeros for empty rows."


def check_to_keep_mask(to_keep_mask):
    # One mask, three queries by five keys, written in each convention.
    keep = torch.tensor([[j <= i + 1 for j in range(5)] for i in range(3)])
    zeros = torch.zeros(3, 5)
    cases = [("keep", keep, "keep", "Here True already means that a query may attend.")]
    cases += [("drop", ~keep, "drop", "Here True means hidden. Is it taken as it is?")]
    for low in (-torch.inf, -1e9, -23_456, -1e4):
        name = f"additive, 0 and {low:,.0f}".replace("-inf", "−∞").replace("-", "−")
        cause = "Adding 0 changes nothing, so 0 is allowed. Is it read as False?"
        cases.append(("additive", zeros.masked_fill(~keep, low), name, cause))
    for convention, mask, name, cause in cases:
        names = "Later cells call it by name. Are its arguments called mask and convention?"
        told = f'Is "{convention}" spelled so in yours? And `a == "x" or "y"` is always true.'
        if convention == "additive":
            told = f"This mask is of floats, and `~` is for bool. Has it a case of its own? {told}"
        one = "`not` and `if` ask for a single yes or no, and a mask has many. Use `~`, or compare."
        minus = "Invert a bool mask with `~`, not with a minus."
        yours = check.call(
            to_keep_mask,
            mask=mask,
            convention=convention,
            stuck={"keyword": names, "`-`": minus, "Boolean value": one, "invert": told, "": told},
        )
        told = f'"{name}": expected one tensor, got {type(yours).__name__}.'
        assert isinstance(yours, torch.Tensor), f"{told} Is there a `return` for each convention?"
        told = f'"{name}": expected a mask of torch.bool, got {yours.dtype}.'
        told += " A mask is a table of yes and no. Is it compared?"
        if yours.dtype == mask.dtype:
            told += '\nOr did it come back as it was? `a == "x" or "y"` is always true.'
        assert yours.dtype == torch.bool, told
        told = f'"{name}": expected a mask of shape (3, 5), got {tuple(yours.shape)}.'
        cause_of_shape = "Each number is judged by itself. Is there an .all() or .any()?"
        assert yours.shape == keep.shape, f"{told} {cause_of_shape}"
        turned = check.same(yours.float(), (~keep).float())
        assert not turned, f'"{name}": allowed and hidden are swapped.\n{cause}'
        number = name.rpartition(" ")[2]
        everything = f"{number} hides, too. Does only −∞, or a lower number, count?"
        if number == "−∞" and yours.all():
            hides = {low: check.same(to_keep_mask(zeros.masked_fill(~keep, low), convention), keep)
                     for low in (-1e4, -23_456)}  # fmt: skip
            everything = "−∞ should hide, and nothing is hidden. " + check.first({
                "Finite numbers hide. Is the threshold\nworked out of the mask, where −∞ counts? "
                "It should be a number of your own.": hides[-23_456],
                "−10,000 hides. Is it compared by == or !=?\n"
                "Ask on which side of a threshold it is.": hides[-1e4],
            }, "Is the comparison the wrong way round?")  # fmt: skip
        cause = check.first({
            everything: yours.all() and convention == "additive",
            "Nothing is hidden any more.": yours.all(),
            "Everything is hidden. Is 0 taken for hidden, too?":
                not yours.any() and convention == "additive",
            "Everything is hidden.": not yours.any(),
        }, otherwise="Is each number judged by itself?")  # fmt: skip
        compare(yours.float(), keep.float(), f'"{name}": the wrong pairs are allowed. {cause}')

    # A number near 0 that is added, a bias, hides nothing.
    for bias in (-0.5, 2.0):
        given = torch.full((3, 5), bias).masked_fill(~keep, -1e4)
        yours = check.call(to_keep_mask, given, "additive", stuck="Any numbers may be added.")
        cause = check.first({
            "It hides now. Is it compared with 0? Ask on which side of a threshold it is.":
                torch.is_tensor(yours) and not yours[keep].any(),
        }, otherwise="Does a threshold lie between it and −10,000?")  # fmt: skip
        told = f"A bias of {bias:g} in place of 0 is added to a score, and hides nothing."
        compare(yours.float(), keep.float(), f"{told.replace('-', '−')} {cause}")

    # Masks of any shape, such as the one of the example.
    for shape, dtype in (((2,), torch.float32), ((2, 1, 1), torch.float16)):
        cause, one = "Is the number of axes fixed?", torch.tensor([0.0, -1e4]).view(shape).to(dtype)
        half = {"overflow": "This mask is of float16, which ends at ±65504.", "": cause}
        yours = check.call(to_keep_mask, one, "additive", stuck=half)
        told = f"0 and −10,000 in shape {shape}: expected True, False."
        compare(yours.float(), (one == 0).float(), f"{told} {cause}")

    # Any other convention is an error, also one that only begins like one of ours.
    try:
        said = to_keep_mask(keep, "upside_down")
    except Exception as error:  # noqa: BLE001 below it is looked at
        said = error
    cause = check.first({
        "Does a last `else` take whatever comes?": torch.is_tensor(said),
        "The function ends without a word. Is there a `raise` after the last case?": said is None,
    }, otherwise="Is it raised, and not returned? A dictionary raises a KeyError.")  # fmt: skip
    check.refuses(to_keep_mask, keep, "upside_down", names=("upside_down",), otherwise=cause)
    for other, cause in (
        ("dropped", "Is only the beginning of the name compared?"),
        ("additive_mask", "Is only the beginning of the name compared?"),
        ("Keep", "Is the name turned into small letters? With a capital it is another one."),
        (" drop", "Are blanks cut off before the name is compared?"),
    ):
        check.refuses(to_keep_mask, keep, other, names=(other,), otherwise=cause)
    return "to_keep_mask passes: three conventions, one meaning. True = may attend."


@without("nn.MultiheadAttention", "multi_head_attention_forward", "native_multi_head_attention")
def check_CausalSelfAttention(CausalSelfAttention):
    # Four layers with bias, and the causal mask as a buffer.
    four = check.projections(15, 15)
    names = "Later cells use the names d_model, n_heads, max_len, dropout. Are yours the same?"
    order = "It is called with d_model, n_heads, max_len and dropout."
    stuck = {"keyword": names, "positional": order, "": "3 heads divide a width of 15."}
    sizes = {"d_model": 15, "n_heads": 3, "max_len": 9}
    layer = check.call(CausalSelfAttention, **sizes, dropout=0.25, stuck=stuck).eval()
    told = "Expected four nn.Linear(15, 15) with bias. `mask` is a buffer, not a parameter."
    check.filled(layer, four, told)
    saved, causal = layer.state_dict(), torch.ones(9, 9).tril() > 0
    kind = saved["mask"].dtype if "mask" in saved else "none in the state_dict"
    cause = "Is it a plain attribute, or persistent=False?"
    for name in [name for name, table in saved.items() if table.dtype == torch.bool]:
        cause = f"There is a buffer `{name}`. Is that it, under another name?"
    if "mask" in saved:
        cause = "A mask is a table of yes and no. Is it made with dtype=torch.bool?"
    assert kind == torch.bool, f"Expected a buffer `mask` of torch.bool, got {kind}. {cause}"
    told = "Row i of the buffer `mask` should be True in the columns 0 … i, and False after them."
    cause = "Is the diagonal True, nothing above it, and is it made for max_len = 9 words?"
    compare(saved["mask"].float(), causal.float(), f"{told} {cause}")

    def output(allowed=None, fill=-torch.inf, late=False, rows=None, **steps):
        """The same step by step, some of them done in another way."""

        def masked(scores):
            keep = right if allowed is None else allowed
            hidden = (rows or nn.Softmax(-1))(scores.masked_fill(~keep, fill))
            return (scores.softmax(-1) * keep if late else hidden).nan_to_num()

        steps = {"n_heads": 3, "root": 5**0.5, "rows": masked} | steps
        return check.stepwise(four, (x, x, x), **steps)

    # PyTorch's attention is the judge: under the buffer, another buffer, and a further mask.
    x, other = torch.randn(2, 6, 15), torch.arange(9)[:, None] * torch.arange(9) % 4 != 3
    apart = x.clone()  # words that can be told from one another, for what is measured
    x[0, 2] = 0  # a word of zeros is a word like any other
    nonzero = (x != 0).any(-1)[:, None, None]  # (2, 1, 1, 6)
    pads = (torch.arange(6) < torch.tensor([5, 4])[:, None])[:, None, None]  # (2, 1, 1, 6)
    mistakes = check.attention_mistakes(3, 5, sizes | {"seq": 6}) | {
        "The scores are multiplied by the mask. Only −∞ gets a weight of 0.": {"fill": 0},
        "The mask is applied after the softmax. It belongs before.": {"late": True},
        "x is added. The residual belongs around the layer.": {"end": lambda t: t + x},
        "A query that sees nothing averages all words. Is a hidden score finite?": {"fill": -1e9},
        "Is the fill for hidden scores +∞? −float('-inf') is +∞; it is −∞ that hides.":
            {"fill": torch.inf},
        "Is the fill for hidden scores above the others? It should be −∞.": {"fill": 1e9},
    }  # fmt: skip
    stuck = {
        "Boolean value": "`and` and `if mask` ask for a single yes or no, and a mask has many."
        " Join two masks by `&`, and ask `mask is not None`."
    }
    stuck[""] = "Is seq x.shape[1]? Is self.mask cut to the words? Has forward an argument"
    stuck[""] += " mask=None, used as it is?"
    last = causal
    for buffer, mask, told in (
        (causal, (), ""), (other, (), ""), (causal, (pads,), "The argument hides padding. "),
        (causal, (pads & other[:6, :6],), "The argument is (2, 1, 6, 6). Does it broadcast? "),
        (causal, (pads.flip(-1),), "Three words see nothing. Are zeros put in after out_proj? "),
    ):  # fmt: skip
        here, more = buffer[:6, :6], mask[0] if mask else pads | True
        kept = layer.state_dict()["mask"]
        cause = "Is self.mask itself cut, or joined with the argument? Leave it as it is."
        size = f"is {tuple(kept.shape)}, expected (9, 9)" if kept.shape != last.shape else "differs"
        assert torch.equal(kept, last), f"After a call the buffer `mask` {size}. {cause}"
        last = buffer
        layer.load_state_dict({**layer.state_dict(), **four.state_dict(), "mask": buffer})
        out = check.call(layer, x, *mask, stuck=stuck)
        cause = "A softmax of nothing but −∞ is 0/0. Are hidden weights set to 0 after it?"
        if (here & more).any(-1).all():
            cause = "Every word may attend to some word here. Is True read as hidden?"
        broken = out.isnan() if torch.is_tensor(out) else torch.zeros(1)
        hiding = ~(here & more).all(-1)[:, 0]  # (2, 6): words from which something is hidden
        if broken.shape == x.shape and torch.equal(broken.any(-1), hiding):
            cause = "It does wherever something is hidden. Is the fill +∞, as −float('-inf') is?"
        elif broken.any(-1).all():
            cause = "It does everywhere. Is −∞ multiplied by 0? That is NaN. Use masked_fill."
        assert not broken.any(), f"The output holds NaN. {cause}"
        check.tensor(out, (2, 6, 15), "the output", otherwise="Are the heads merged?")
        cause = "Two calls in eval mode differ. Is it nn.Dropout, which asks for the mode?"
        assert check.same(layer(x, *mask), out), cause
        ways = {
            "Is the mask used, and does a hidden score get −∞?": here | True,
            "Another mask was loaded, and forward used the old one.": causal[:6, :6] & more,
            "Another mask was loaded, and the future is hidden all the same. Only masks count.":
                causal[:6, :6] & here & more,
            "self.mask is cut at the wrong end. Take [:seq, :seq].": buffer[-6:, -6:] & more,
            "The rows of self.mask are cut at the wrong end.": buffer[-6:, :6] & more,
            "Rows and columns of the mask are swapped.": here.mT & more,
            "The argument mask is ignored.": here,
            "All sentences got the first one's mask.": here & more[[0, 0]],
            "Only the argument counts, so the future is visible.": (here | True) & more,
            "Either mask alone lets a pair through. Should it be &, not | ?": here | more,
            "In the argument, True means: may attend. Is it read as hidden?": here & ~more,
            "In the buffer, True means: may attend. Is it read as hidden?": ~here & more,
            "A word of zeros is hidden. Only the masks say what is hidden.": here & more & nonzero,
            "The argument hides queries. It should hide keys alone, its last axis.":
                here & more & more.mT,
            "Rows and columns of the argument are swapped. Its last axis is the keys.":
                here & more.mT,
            "The argument reaches the wrong sentences. Its first axis is the batch.":
                here & more.flip(0),
        }  # fmt: skip
        known = {cause: {"allowed": allowed} for cause, allowed in ways.items()} | mistakes
        right, wrong = here & more, "The output differs from PyTorch's attention."

        def measured(mask=mask, told=told, seen=right):
            def run(weights):
                layer.load_state_dict(weights, strict=False)
                return layer(apart, *mask)

            return told + check.measured(run, four.state_dict(), 3, apart, None, seen)

        check.agrees(
            out, check.attended(four, 3, x, mask=right), wrong, output, known,
            measured, alone=check.numbers("d_head", 5),
        )  # fmt: skip

    # A further mask may differ from head to head.
    i, heads = torch.arange(6), torch.arange(3)[:, None, None]
    own = (i[:, None] + i + heads) % 3 > 0  # (3, 6, 6), as one of the batch
    own = (own | torch.eye(6, dtype=torch.bool)).expand(2, 3, 6, 6)
    out = check.call(layer, x, own, stuck="A further mask may be (batch, n_heads, seq, seq).")
    wanted, first = (check.attended(four, 3, x, mask=mask & causal[:6, :6]) for mask in (own, own[:, :1]))
    cause = "Does it broadcast to (batch, n_heads, seq, seq)?"
    cause = "All heads got the first one's." if check.same(out, first) else cause
    compare(out, wanted, f"Each head has a further mask of its own. {cause}")

    # A score of 0 is a score: without queries, each word averages all that it may see.
    mute = {name: 0 * value for name, value in four.state_dict().items() if name[0] == "q"}
    layer.load_state_dict({**four.state_dict(), **mute, "mask": causal}, strict=False)
    even = four["v_proj"](x).cumsum(1) / torch.arange(1, 7)[:, None]  # the mean of 1, 2, … words
    told = "With q_proj at 0 all scores are 0, and each word averages the words that it may see."
    told += " Yours do not. Is a score of 0 taken for a hidden one?"
    compare(check.call(layer, x), four["out_proj"](even), told)
    layer.load_state_dict(four.state_dict(), strict=False)

    # What is hidden is never read, however large its scores are.
    loud = torch.cat([x[:, :4], 100 * x[:, 4:]], dim=1)
    told = "Later words, a hundred times as long, change what the words before them find."
    told += " Does a softmax read their scores before they are hidden?"
    compare(layer(loud)[:, :4], layer(x)[:, :4], told, atol=1e-4)

    # By name; gradients reach x and every parameter, in spite of the empty rows.
    check.trainable(layer, x=x, mask=pads.flip(-1))
    (layer(x, pads.flip(-1)) * torch.randn(2, 6, 15)).sum().backward()
    slopes = {name: p.grad for name, p in layer.named_parameters() if name != "k_proj.bias"}
    lost = [name for name, slope in slopes.items() if slope is None or not slope.isfinite().all()]
    cause = "Is it cut off by detach, or is a NaN made first and then painted over?"
    assert not lost, f"The gradient of {', '.join(lost)} is missing or NaN. {cause}"

    # Dropout on the weights, under a mask that hides nothing; none unless it is given.
    check.dropout(layer, 0.25, n_heads=3, width=15, mask=causal | True)
    order = "The arguments are d_model, n_heads, max_len and dropout, in this order."
    plain, full = check.call(CausalSelfAttention, 15, 3, 9, stuck=order), torch.randn(2, 9, 15)
    out = check.call(plain, full, stuck="9 words are max_len, and not too many.")
    assert check.same(plain(full), out), "Without dropout two calls differ. Is its default 0.0?"

    # What does not fit is refused, with both numbers.
    cause = "Is it tested that n_heads divides d_model, and seq is at most max_len?"
    check.refuses(CausalSelfAttention, 17, 5, 9, names=(17, 5), otherwise=cause)
    check.refuses(layer.eval(), torch.randn(2, 11, 15), names=(11, 9), otherwise=cause)
    return "CausalSelfAttention passes: PyTorch's attention, under your mask or any that is loaded."


def check_looks_ahead(looks_ahead):
    x = torch.randn(2, 6, 8)
    past, everything = torch.ones(6, 6).tril() / 6, torch.ones(6, 6) / 6

    def layer(mix, bend=lambda x: x):
        """A layer that adds to each word a weighted sum of bent words: mix (q, k)."""
        return lambda x: x + mix @ bend(x)

    def leak(i, j, weight=0.5, bend=lambda x: x):
        """A layer in which output i depends on word j, and on no other word but i."""
        return layer(weight * torch.eye(6)[:, [i]] @ torch.eye(6)[[j]], bend)

    got: list[torch.Tensor] = []  # what attend was called on, for the last verdict

    def changed(x):
        """What attend was called on, other than x itself."""
        return [y for y in got if (y != x).any()]

    def verdict(layer, x=x):
        """What looks_ahead says of a layer."""
        got.clear()

        def attend(y):
            told = f"attend was called on shape {tuple(y.shape)}, expected {tuple(x.shape)} alone"
            assert y.shape == x.shape, told
            got.append(y.detach().clone())
            return layer(y)

        said = check.call(looks_ahead, attend=attend, x=x, stuck={
            "was called": "Are words cut off, or sentences? Replace them.",
            "keyword": "Later cells call it by name. Are its arguments called attend and x?",
            "has no attribute": "attend may be a plain function. Only call it: attend(…).",
            "": "Does it take any number of sentences, words and features?",
        })  # fmt: skip
        cause = "Is there a `return` on every way out?" if said is None else "Use bool(…)."
        assert isinstance(said, bool), f"Expected True or False, got {said!r:.60}. {cause}"
        return said

    # Three layers: the first sees the past, the second all words, the third the future.
    short, mixes = torch.randn(3, 4, 5), (past, everything, past.mT)
    said = tuple(verdict(layer(mix[:4, :4]), short) for mix in mixes)
    causes = {
        (True, False, False): "Is the answer inverted?",
        (True, True, False): "Did earlier and later words change places?",
        (True, True, True): "Are only words from t on changed, and only outputs before t compared?",
    }
    if said == (True, True, True) and not verdict(lambda x: x.cumsum(1)):
        causes[said] = "Are the new words NaN or inf? 0 · NaN is NaN, and nobody has looked at it."
    elif said == (True, True, True) and not verdict(lambda x: x):
        causes[said] = "Are the outputs compared with x? Compare them with attend(x)."
    if said == (False, False, False):
        verdict(layer(mixes[2][:4, :4]), short)
        others = changed(short)
        moved = [(y != short).any(-1) for y in others]  # (sentence, word)
        causes[said] = check.first({
            "attend is called on x alone. Is a later word ever changed?": not others,
            "What attend gets differs from x by rounding alone, less than 1e-5. Take other words.":
                all(check.same(y, short, 1e-5) for y in others),
            "Whole sentences (axis 0) are changed, not later words, along axis 1.":
                all((m.all(1) == m.any(1)).all() for m in moved),
            "The words are only shuffled. Shuffled words keep their sum, which these layers read.":
                all(check.same(y.sum(1), short.sum(1)) for y in others),
        }, "Later words are changed. Does one number that moves, up or down, suffice?")  # fmt: skip
    told = "Layers that see the past, all words, the future: expected (False, True, True), got"
    cause = "Is each later word changed, each earlier output compared, without a sign (abs)?"
    assert said == (False, True, True), f"{told} {said}.\n{causes.get(said, cause)}"

    # Layers in which one output depends on one later word; and one whose outputs only sink.
    sinking = verdict(lambda y: torch.minimum(y - x, (x - y) / 2).flip(1).cumsum(1).flip(1))
    pairs = [(i, j) for j in range(6) for i in range(j)]
    few = x[:1, :, :5]  # one sentence, with fewer features than words
    blind = [pair for pair in pairs if not verdict(leak(*pair), few)]
    outputs, words, first = {i for i, _ in blind}, {j for _, j in blind}, ""
    if outputs == {1, 2, 3, 4}:
        half = torch.arange(5) < 2  # the numbers of output 0 that word 5 moves
        found = verdict(lambda y: torch.where(half, leak(0, 5)(y), y), few)
        verdict(leak(*blind[0]), few)
        first = check.first({
            "attend got one other input alone, so one cut is tried. Does a `return` end the loop in its\n"
            "first round, or is there none?": len(changed(few)) == 1,
            "Is only the first output compared, or must all outputs move? One is enough.": found,
        }, "Must all numbers move? One is enough.")  # fmt: skip
    cause = check.first({
        "Is the size of a change compared, without its sign (abs)?": not sinking,
        "Is the limit far above 1e-5, or a mean compared? Larger changes are found.":
            bool(blind) and all(verdict(leak(*pair, 1e4), few) for pair in blind),
        "Is a word replaced by a word of another sentence? Here there is one sentence alone.":
            len(blind) == len(pairs),
        "Is only the last word changed?": words == {1, 2, 3, 4},
        "Is the last word never changed by itself? There are x.shape[1] words.": words == {5},
        "Is the output right before the changed word left out?":
            len(blind) > 1 and all(j == i + 1 for i, j in blind),
        first: bool(first),
        "Is word 1 never changed, because the loop starts too late?": blind == [(0, 1)],
        "Is the first output never compared?": outputs == {0},
        "Are only neighbours compared?": all(j > i + 1 for i, j in blind),
    }, otherwise="Is only one cut tried? Change each later word, and compare each output. Or must all "
        "of them move? One is enough.")  # fmt: skip
    told = "In this layer outputs only sink when a later word changes"
    if blind:
        told = f"In this layer output {blind[0][0]} depends on word {blind[0][1]}"
    assert sinking and not blind, f"{told}, and you say False.\n{cause}"

    # Changes that are small, and layers that notice only some changes. Sines of a large multiple
    # of a word differ for any two words, so it is no matter which later words an answer thinks of.
    waves = 1e5 * torch.arange(2.0, 50).view(6, 8).sqrt()  # no two keep time with one another
    place = torch.zeros(2, 6, 8)  # of sentence 1: words 3 and 4, their last three numbers
    place[1, 3:5, 5:] = 1

    def one_number(y):
        """Of sentence 1, number 5 of the last word is seen by the two words before it."""
        return 3e-5 * place * torch.sin(y[1, 5, 5] * waves)

    for attend, right, told in (
        (lambda y: leak(0, 3, 1e-6, torch.tanh)(y) - y, False,
         "Output 0 changes by less than 2e-6: rounding. "
         "Is the limit far lower than 1e-5, as in allclose or equal?"),
        (layer(everything, lambda y: F.layer_norm(y, (8,)).abs()), True,
         "This layer sees normalised words without signs. "
         "Is the new word the old one plus or times a number, say −1? Nothing changes then."),
        (lambda y: F.layer_norm(everything @ y, (8,)), True, "Each output is normalised, so its "
         "numbers always sum to 0. Are they summed before they are compared?"),
        (lambda y: leak(0, 3, 3e-5, lambda y: torch.sin(1e5 * y))(y) - y, True,
         "Output 0 changes by about 3e-5. "
         "Is the limit higher than 1e-5, or is the new word too much like the old one?"),
        (one_number, True, "Number 5 of the last word of sentence 1 changes numbers of two words, "
         "by 3e-5 or so. Is every number of every sentence changed, and compared by itself, "
         "not in a mean?"),
        (lambda y: 0.01 * (y.sum(1, keepdim=True) - (y.flip(1).cumsum(1).flip(1) - y)), False,
         "All words less the later ones are the past. Are the new words of about x's size?"),
        (leak(0, 3, 1e-3), True, "Output 0 takes a thousandth of word 3. "
         "Is the new word only a little different from the old one? Take one of its own."),
    ):  # fmt: skip
        said = verdict(attend)
        if "normalised" in told and not said and not changed(x):
            told = "Each output is normalised, so its numbers always sum to 0, and so does the gradient of\n"
            told += "their sum. A layer may have no gradient at all: only call attend, and compare outputs."
        assert said is right, f"{told}\nExpected {right}, got {not right}."

    # An x that holds a word of zeros.
    silent = x.clone()
    silent[:, 5] = 0
    told = "Output 0 depends on word 5, which is all zeros in this x, and you say False.\n"
    told += "Are later words set to 0, or to the old ones times a number? Put random words there."
    assert verdict(leak(0, 5), silent), told
    return "looks_ahead passes: it finds a leak of one word into one output, and allows rounding."
