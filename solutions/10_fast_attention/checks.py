"""The visible checks of unit 10: one function for each exercise, named after it.

It takes the answer as the notebook has it, and returns what the reader is told when that passes.
"""

import math

import torch
import torch.nn.functional as F
from checking.doctor import no_known_cause
from checking.layers import check
from checking.notebook import without
from checking.words import compare
from torch import nn

INF = math.inf


def pair(answer, names):
    """The two tensors that an answer returns; names says which they are."""
    several = isinstance(answer, (tuple, list))
    got = f"{len(answer)} things" if several else f"one {type(answer).__name__}"
    cause = "Is there a `return`?" if answer is None else "Does `return` name these two?"
    right = several and len(answer) == 2 and all(map(torch.is_tensor, answer))
    assert right, f"Expected two tensors, {names}, got {got}. {cause}"
    return tuple(answer)


def numbers(tensor, digits=3):
    """The numbers of a small tensor, rounded, as a tuple: what a table of mistakes is asked for."""
    return tuple(round(number, digits) + 0.0 for number in tensor.detach().flatten().tolist())


def asked(table, found, near=2e-3):
    """Of {numbers that a mistake gives: its cause}, the cause whose numbers these are, or ""."""
    same = (
        cause for wrong, cause in table.items()
        if len(wrong) == len(found) and all(abs(a - b) <= near for a, b in zip(wrong, found))
    )  # fmt: skip
    return next(same, "")


@without(
    "torch.cat", "concat", "concatenate", "torch.stack", "hstack", "vstack", "dstack", "row_stack",
    "column_stack", "F.softmax", "log_softmax", "softmin", "gumbel_softmax", "Softmax",
    "LogSoftmax", "Softmin", "Softmax2d", "safe_softmax", "masked_softmax", "torch.logsumexp",
    "logcumsumexp", "cross_entropy", "CrossEntropyLoss",
)  # fmt: skip
def check_online_softmax(online_softmax):
    def run(*blocks, stuck="Is each block reduced over its last axis, before blocks meet?"):
        given, before = list(blocks), [block.clone() for block in blocks]
        answer = check.call(online_softmax, blocks=given, stuck={
            "keyword": "Later cells call it by name. Is its argument called blocks?",
            "match the size": "Blocks have different lengths. Reduce each one before blocks meet.",
            "": stuck,
        })  # fmt: skip
        same = len(given) == len(before) and all(map(torch.equal, given, before))
        cause = "Is there a pop, or a method ending in `_`? Make tensors of your own."
        assert same, f"The list, or a block in it, was changed. {cause}"
        return pair(answer, "(largest, total)")

    # Three blocks of different lengths, with two axes in front: two tensors of shape (2, 3).
    scores = 2 * torch.randn(2, 3, 13)
    blocks = scores.split((4, 7, 2), dim=-1)
    shapes = {
        (2, 3, 1): "Is the last axis kept, by keepdim=True? It goes.",
        (): "Is it one number for everything? Each row has its own.",
        (2,): "Is an axis in front reduced, too? Only the last one is.",
        (3,): "Is an axis in front reduced, too? Only the last one is.",
    }
    both = run(*blocks)
    told = "The first block already gives NaN. Is the old total rescaled the wrong way round?\n"
    told += "It is exp(old − new): 0 while the old largest is −∞. "
    told += "exp(new − old) is ∞, and 0 · ∞ is NaN."
    assert not both[1].isnan().any() or not run(blocks[0])[1].isnan().any(), told
    if both[1].isinf().any() and run(blocks[0])[1].isinf().any():
        told = "The first block already gives a total of ∞. Is a block taken minus the *old* largest, "
        raise AssertionError(f"{told}which is −∞ there? Subtract the new one.")
    for what, tensor in zip(("largest", "total"), both):
        check.tensor(tensor, (2, 3), what, shapes, otherwise="Is the last axis reduced?")

    # One number in each block: 0 then 1, and 1 then 0. Both times (1, e^0 + e^−1) is right.
    def ends(*given):
        largest, total = run(*(torch.tensor([[float(score)]]) for score in given))
        check.tensor(torch.nan_to_num(largest), (1,), "largest", otherwise="One row, one number.")
        check.tensor(torch.nan_to_num(total), (1,), "total", otherwise="One row, one number.")
        return numbers(torch.cat([largest, total]))

    rise, fall, low = ends(0, 1), ends(1, 0), ends(-50, -60)
    cause = asked({
        (0, 1): "That is the first block's largest. Is it compared with later blocks?",
        (1, 0): "That is the last block's. Is it the larger of the two that is kept?",
        (0, 0): "That is the smallest.",
        (1.313, 1.313): "That is the logarithm of the sum of exponentials: largest + log(total).",
        (1.368, 1.368): "That is the total. Are the two returned the other way round?",
        (0.5, 0.5): "That is the mean.",
    }, (rise[0], fall[0]))  # fmt: skip
    cause = cause or "Is it the larger of the running one and the block's own?"
    told = f"Scores 0, then 1: largest {rise[0]}. Scores 1, then 0: largest {fall[0]}. Expected 1."
    assert rise[0] == fall[0] == 1, f"{told}\n{cause}"
    told = f"Scores −50, then −60: expected a largest of −50, got {low[0]}."
    cause = "Does the running largest start at 0, or at another finite number? Start at −∞."
    assert low[0] == -50, f"{told} {cause}"
    cause = asked({
        (2, 1.368): "The old total is not rescaled when a larger score comes.",
        (2, 2): "Each block is taken minus its own largest, and the totals are just added.",
        (1.368, 2): "Is a new block taken minus its own largest? Subtract the running one.",
        (3.718, 1.368): "The old total is rescaled the wrong way round: exp(old − new).",
        (3.718, 3.718): "Is the largest subtracted at all?",
        (1, 0.368): "The old total is dropped when a block comes.",
        (0.368, 1): "The new block is not added to the old total.",
        (0.313, 0.313): "That is the logarithm. Return the total itself.",
        (1.313, 1.313): "That is largest + log(total). Return the total itself.",
        (0.731, 0.731): "That is 1 over it. Return the total itself.",
        (0.736, 1.368): "The new block is rescaled together with the old total. Rescale the old total only.",
        (1, 1): "That is the largest score's own share. Is every score counted?",
        (1, 1.368): "The old total is dropped when a larger score comes. Rescale it.",
        (2.718, 2.718): "That is exp(largest). Subtract it from the scores first.",
    }, (rise[1], fall[1]))  # fmt: skip
    told = f"Scores 0, then 1: total {rise[1]:.3f}. Scores 1, then 0: total {fall[1]:.3f}."
    right = abs(rise[1] - 1.368) < 2e-3 and abs(fall[1] - 1.368) < 2e-3
    rest = "Is the old total times exp(old largest − new largest), each score counted once, and"
    cause = cause or f"{rest} nothing divided?"
    assert right, f"{told} Expected e^0 + e^−1 = 1.368 both times.\n{cause}"

    # Several numbers in a block, several rows: all scores at once are the judge.
    def judged(parts, told, atol=1e-5):
        largest, total = run(*parts)
        whole = torch.cat([*parts], dim=-1)
        best = whole.amax(-1)
        cause = check.like(largest, {
            "Here all rows have one largest. Each row has its own.": best.max().expand(best.shape),
            "Is the last block left out?": torch.cat([*parts[:-1], parts[0]], dim=-1).amax(-1),
            "Is only the last block looked at?": parts[-1].amax(-1),
            "Is only the first block looked at?": parts[0].amax(-1),
        }, otherwise="Is it the running largest that meets each block's own?")  # fmt: skip
        compare(largest, best, f"{told}: a largest score is wrong. {cause}", atol)
        power = (whole.double() - best.double()[..., None]).exp()
        each = power.split([part.shape[-1] for part in parts], -1)
        last = power[..., -parts[-1].shape[-1] :].sum(-1)
        cause = check.like(total, {
            "Is each block averaged? Sum it.": sum(one.mean(-1) for one in each),
            "Only the last block counts.": last,
            "Only the first block counts.": power[..., : parts[0].shape[-1]].sum(-1),
            "Is one block left out?": power.sum(-1) - last,
            "Only one score of each block counts.": sum(one.amax(-1) for one in each),
        }, otherwise="Is a block summed over its last axis, and rescaled each time?")  # fmt: skip
        compare(total, power.sum(-1).to(total.dtype), f"{told}: a total is wrong. {cause}", atol)

    judged(blocks, "Blocks of 4, 7 and 2 scores")
    judged(scores.split(1, -1), "Thirteen blocks of one score")
    judged([scores], "A single block")
    judged([block[0, 0] for block in blocks], "Blocks of one axis, (4,), (7,) and (2,)")

    # Scores of ±10,000: exp of them is inf, or 0.
    for given in ((1e4, 9999), (9999, 1e4), (-1e4, -1e4 - 1), (-1e4, 1e4)):
        largest, total = ends(*given)
        right = 1 if given[0] == -1e4 and given[1] > 0 else 1.368
        told = f"Scores {given[0]:,.0f}, then {given[1]:,.0f}: got ({largest:,.0f}, {total:.3f}),"
        cause = "Is the largest subtracted before exp, also in the first block?"
        fine = largest == max(given) and abs(total - right) < 2e-3
        assert fine, f"{told} expected ({max(given):,.0f}, {right:.3f}). {cause}"

    # A block of nothing but −∞ (hidden keys) changes nothing, and a row of nothing else is empty.
    for given, right in (
        ([0, 1, -INF, -INF], (1, 1.368)), ([0, -INF, -INF, 1], (1, 1.368)),
        ([-INF, -INF, 0, 1], (1, 1.368)), ([-INF] * 4, (-INF, 0)),
    ):  # fmt: skip
        row = torch.tensor([[given, [0.0, 1.0, -5.0, -5.0]]])
        found = run(*row.split(2, dim=-1))
        largest, total = (t[0, 0].item() for t in found)
        shown = ", then ".join(str(given[n : n + 2]).replace("-inf", "−∞") for n in (0, 2))
        got = f"({largest:.3g}, {total:.3f})".replace("-inf", "−∞")
        wanted = f"({right[0]:.3g}, {right[1]})".replace("-inf", "−∞")
        cause = check.first({
            "−∞ − (−∞) is NaN. What may be subtracted while the largest is still −∞?":
                math.isnan(largest) or math.isnan(total),
            "Does the running largest start at a finite number? Start at −∞. Or is the 0 returned that "
            "stood in for −∞?":
                right[0] == -INF and largest != -INF,
            "Hidden scores are counted: exp(0) is 1. Was a NaN turned into 0 before exp?":
                total > right[1] + 2e-3,
        }, otherwise="Is the total kept where a block is hidden?")  # fmt: skip
        fine = largest == right[0] and abs(total - right[1]) < 2e-3
        beside = "one of two rows, beside a row of finite scores"
        assert fine, f"Blocks {shown}, {beside}: got {got}, expected {wanted}.\n{cause}"
        largest, total = (t[0, 1].item() for t in found)  # e^0 + e^−1 + 2 e^−6
        told = f"Blocks {shown}, and a row of the finite scores 0, 1, −5, −5: for that one got ({largest:.3g}, "
        told += f"{total:.3f}), expected (1, 1.373).\nIs a whole block skipped because a part of it is hidden?"
        assert largest == 1 and abs(total - 1.3728) < 2e-3, told

    # In float16, in float64, and a gradient reaches every block.
    for part in run(*(block.half() for block in blocks)):
        cause = "Are new tensors made with the dtype of the blocks, as in `block.new_full(…)`?"
        told = f"Blocks of torch.float16 give {part.dtype}. {cause}"
        assert part.dtype == torch.float16, told
    wide = [block.double().requires_grad_() for block in blocks]
    largest, total = run(*wide)
    cause = "Are new tensors made with the dtype of the blocks, as in `block.new_full(…)`?"
    types = f"{largest.dtype} and {total.dtype}"
    right = largest.dtype == total.dtype == torch.float64
    assert right, f"Blocks of torch.float64 give {types}. {cause}"
    named = dict(zip(("the first block", "the second block", "the third block"), wide))
    check.reaches(total, **named)
    # A score below the largest has the slope exp(score − largest), whether or not the largest is detached.
    scores = torch.cat(wide, -1).detach()
    relative = (scores - scores.amax(-1, keepdim=True)).exp()
    slopes = torch.cat(torch.autograd.grad(run(*wide)[1].sum(), wide), -1)
    told = "The total is right, and its gradient is not. Is the old total detached, or kept as a number?"
    compare(slopes[relative < 1], relative[relative < 1], told, 1e-5)
    return "online_softmax passes: two numbers per row stand for all the scores that went by."


def check_merge_attention(merge_attention):
    def run(out_a, lse_a, out_b, lse_b):
        given = {"out_a": out_a, "lse_a": lse_a, "out_b": out_b, "lse_b": lse_b}
        return pair(check.call(merge_attention, **given, stuck={
            "keyword": "Later cells call it by name. Are its arguments out_a, lse_a, out_b, lse_b?",
            "match the size": "An lse has one number per query, an out a row: (…, q) and "
                              "(…, q, d_v). Does the share get an axis more, by `[..., None]`?",
            "": "Is each row of an out taken times one number, its share?",
        }), "(out, lse)")  # fmt: skip

    def two(lse_a, lse_b, out_a=(1.0, 0.0), out_b=(0.0, 1.0)):
        """One query; part a found (1, 0), part b found (0, 1): the result shows both shares."""
        rows = (torch.tensor([[*out_a]]), torch.tensor([[*out_b]]))
        out, lse = run(rows[0], torch.tensor([float(lse_a)]), rows[1], torch.tensor([float(lse_b)]))
        shapes = {(1,): "Is it (out, lse), in this order?", (2,): "Is there a squeeze?"}
        check.tensor(torch.nan_to_num(out), (1, 2), "out", shapes, otherwise="One query, width 2.")
        check.tensor(torch.nan_to_num(lse), (1,), "lse", {
            (1, 1): "Is the axis that lets it meet an out kept? An lse is (…, q).",
        }, otherwise="One query, one number.")  # fmt: skip
        return numbers(out), lse.item()

    # Part a is one key with the score 0, part b one with the score 1: softmax(0, 1).
    shares, lse = two(0, 1)
    cause = asked({
        (0.5, 0.5): "Each part counts half. Do both lse enter? A part counts exp(lse).",
        (1, 1): "Each part counts 1. Divide by what both count together, query by query.",
        (0.731, 0.269): "The shares are swapped.",
        (0, 1): "The lse themselves are taken for the shares, or only part b counts. A part counts exp(lse).",
        (1, 2.718): "The parts are not divided by what both count together.",
        (0.368, 1): "The parts are not divided by what both count together.",
        (0.269, 0): "Part b is lost.", (0, 0.731): "Part a is lost.",
        (0.333, 0.667): "Powers of 2? An lse is a logarithm to the base e.",
        (0.119, 0.881): "The exponentials are squared. A part counts exp(lse), once.",
        (0.378, 0.622): "Only half of the difference counts. A part counts exp(lse).",
        (0.386, 0.614): "Is there a softmax of a softmax? One will do.",
        (1.313, 1.313): "Is out taken times the merged lse?",
    }, shares) or "A part counts exp(lse). What is its share of both together?"  # fmt: skip
    told = f"Scores 0 and 1 in two parts: the parts count {shares[0]:.3f} and {shares[1]:.3f},"
    right = asked({(0.269, 0.731): "right"}, shares)
    assert right, f"{told} expected softmax(0, 1) = 0.269 and 0.731.\n{cause}"
    cause = check.near(lse, {
        "The two lse are added, or the larger one is returned. Add exp of them, then take log.": 1,
        "The largest is subtracted before exp, and not added back.": 0.3133,
        "That is the sum of the exponentials. Take its logarithm.": 3.7183,
        "That is the sum relative to the largest. Take its logarithm, and add the largest back.":
            1.3679,
        "That is their mean.": 0.5,
        "That is a logarithm to the base 2.": 1.8946,
        "Is the logarithm to the base 2? The largest plus that of the sum to the base e is wanted.": 1.4519,
        "The largest is added twice.": 2.3133,
    }, otherwise="It is log(exp(lse_a) + exp(lse_b)).")  # fmt: skip
    told = f"lse 0 and 1 together: expected log(e^0 + e^1) = 1.313, got {lse:.3f}."
    assert abs(lse - 1.3133) < 2e-3, f"{told}\n{cause}"

    # Two sentences, three heads; twelve keys cut into 5 and 7. All keys at once are the judge.
    query, key, value = (torch.randn(2, 3, *size) for size in ((5, 11), (12, 11), (12, 13)))
    scores = query @ key.mT / 11**0.5

    def part(keys):
        out = F.scaled_dot_product_attention(query, key[..., keys, :], value[..., keys, :])
        return out, scores[..., keys].logsumexp(-1)

    def judged(out, lse, told, keys=slice(None), atol=1e-5):
        wanted, all_of_it = part(keys)
        check.tensor(out, (2, 3, 5, 13), "out", otherwise="It is as large as one part's out.")
        check.tensor(lse, (2, 3, 5), "lse", otherwise="One number per query.")
        cause = "Does each query of each head and sentence have shares of its own?"
        if check.same(out, wanted, 5e-3):
            cause = "It is off by little. Is a small number added to the sum that divides?"
        compare(out, wanted, f"{told}: out is not attention over all keys. {cause}", atol)
        cause = "Is it that of each query by itself?"
        compare(lse, all_of_it, f"{told}: lse is not that of all scores. {cause}", atol)

    first, second = part(slice(0, 5)), part(slice(5, 12))
    judged(*run(*first, *second), "Keys 0–4 and 5–11")
    judged(*run(*second, *first), "Keys 5–11 and 0–4")
    some, rest = run(*part(slice(0, 2)), *part(slice(2, 5))), part(slice(5, 12))
    judged(*run(*some, *rest), "Keys 0–1 and 2–4, then that and 5–11")
    flat = run(*(t[0, 0] for t in (*first, *second)))
    compare(flat[0], part(slice(None))[0][0, 0], "Without leading axes, (5, 13), out is wrong.")

    # An lse of ±10,000, and both kinds in one call.
    for a, b, wanted, both in (
        (1e4, 1e4 - 1, (0.731, 0.269), 1e4 + 0.313), (-1e4, -1e4, (0.5, 0.5), -1e4 + 0.693),
        (1e4, -1e4, (1, 0), 1e4), (-1e4, 1e4, (0, 1), 1e4),
    ):  # fmt: skip
        shares, lse = two(a, b)
        told = f"lse {a:,.0f} and {b:,.0f}: got shares {shares} and an lse of {lse:,.3f}"
        cause = "exp of that is inf, or 0. Is the larger lse subtracted from both first?"
        fine = asked({wanted: "right"}, shares) and abs(lse - both) < 2e-3
        assert fine, f"{told}, expected {wanted} and {both:,.3f}. {cause}"
    far = torch.tensor([1e4, -1e4, 0.0])
    out, lse = run(torch.ones(3, 2), far, 3 * torch.ones(3, 2), far)
    cause = "Is one largest taken for all queries? Each has its own."
    finite = out.isfinite().all() and lse.isfinite().all()
    assert finite, f"Queries with an lse of 10,000, −10,000 and 0 in one call: not finite. {cause}"
    told = "Equal lse: out should be the mean of both parts."
    compare(out, 2 * torch.ones(3, 2), f"{told} {cause}", atol=5e-3)

    # A part in which the query saw nothing counts for nothing; twice nothing is nothing.
    for a, b, outs, wanted in (
        (-INF, 2, ((0, 0), (3, 4)), ((3, 4), 2)), (2, -INF, ((3, 4), (0, 0)), ((3, 4), 2)),
        (-INF, -INF, ((0, 0), (0, 0)), ((0, 0), -INF)),
    ):  # fmt: skip
        out, lse = two(a, b, *(map(float, row) for row in outs))
        told = f"lse {a} and {b}: got out {out} and lse {lse}, expected {wanted[0]} and {wanted[1]}"
        cause = "A part whose lse is −∞ has the share exp(−∞) = 0."
        if any(map(math.isnan, (*out, lse))):
            cause = "−∞ − (−∞) is NaN, and so is 0 divided by 0. What if the query saw nothing?"
        elif wanted[1] == -INF and lse != -INF:
            cause = f"In neither part did the query see anything. Its lse is −∞, not {lse:.3g}."
        fine = out == wanted[0] and (lse == wanted[1] or abs(lse - wanted[1]) < 2e-3)
        assert fine, f"{told}.\n{cause}".replace("-inf", "−∞").replace("inf", "∞")

    # Called by name, in float64; gradients reach all four.
    names = ("out_a", "lse_a", "out_b", "lse_b")
    given = dict(zip(names, (*first, *second)))
    check.trainable(merge_attention, **given)
    wide = {name: t.double().requires_grad_() for name, t in given.items()}
    out, lse = merge_attention(**wide)
    ones = torch.ones(3, 2, dtype=torch.float64)
    told = "Both parts found 1, in float64, and their average is not 1."
    told += " Is a small number added to the sum that divides?"
    compare(run(ones, ones[:, 0], ones, 2 * ones[:, 0])[0], ones, told, 4e-7)
    check.reaches(out.square(), **wide)
    lse = merge_attention(**wide)[1]
    check.reaches(lse, lse_a=wide["lse_a"], lse_b=wide["lse_b"])

    # A query that saw nothing sends no gradient to its rows: 0, not NaN.
    rows, seen = [torch.zeros(2, 3, requires_grad=True) for _ in "ab"], torch.tensor([-INF, 1.0])
    out, _ = run(rows[0], seen, rows[1], 2 * seen)
    slopes = torch.autograd.grad(out.sum(), rows, allow_unused=True)
    spoiled = any(slope is not None and slope.isnan().any() for slope in slopes)
    told = "Of two queries the first saw nothing in either part, and its gradient is NaN.\nA NaN that is "
    cause = "replaced at the end is gone from the result only. What is subtracted, what divides?"
    assert not spoiled, f"{told}{cause}"
    return "merge_attention passes: two parts of the keys, and it is as if nothing had been cut."


SEEN = {  # who sees which key under a wrong mask: cause -> (query i, key j, keys ahead, tile size)
    "Later words are visible. Is `causal` used, also where q < k?": lambda i, j, ahead, size: j >= 0,
    "Inside the tiles on the diagonal nothing is hidden.":
        lambda i, j, ahead, size: j // size <= (i // size * size + size - 1 + ahead) // size,
    "A word sees the word after it. Is the mask one step too high?":
        lambda i, j, ahead, size: j <= i + ahead + 1,
    "A word does not see itself. Is the mask one step too low?":
        lambda i, j, ahead, size: j < i + ahead,
    "The mask begins at the first key. The queries are the *last* words.":
        lambda i, j, ahead, size: j <= i,
    "The mask is the other way round: these are the later words.":
        lambda i, j, ahead, size: j >= i + ahead,
    "Each tile is masked from its own corner. Count from the first key of all, not of the tile.":
        lambda i, j, ahead, size: j % size <= i % size,
    "Each tile on or before the diagonal is masked from its own corner.":
        lambda i, j, ahead, size: j % size <= i % size and j // size <= (i + ahead) // size,
    "The tiles on the diagonal are masked from their own corner. Count from the first key.":
        lambda i, j, ahead, size: j // size <= (i // size * size + size - 1 + ahead) // size
        and (j // size * size + size <= i // size * size + ahead or j % size <= i % size),
    "The tiles on the diagonal are skipped. Only those wholly after the queries are.":
        lambda i, j, ahead, size: j // size < (i + ahead) // size,
    "The positions of the queries begin at 0 in each tile. Add the start of the tile.":
        lambda i, j, ahead, size: j <= i % size + ahead,
    "The positions of the keys begin at 0 in each tile. Add the start of the tile.":
        lambda i, j, ahead, size: j % size <= i + ahead,
    "Queries see only what is before their tile.":
        lambda i, j, ahead, size: j < i // size * size + ahead,
    "The loop stops too early. A tile is read as soon as the *last* query of the tile may see its "
    "first key.": lambda i, j, ahead, size:
        j <= i + ahead and j // size * size <= i // size * size + ahead,
}  # fmt: skip


@without(
    "F.scaled_dot_product_attention", "scaled_dot_product_attention_math",
    "scaled_dot_product_flash_attention_for_cpu", "flex_attention",
    "multi_head_attention_forward", "MultiheadAttention",
)  # fmt: skip
def check_flash_attention(flash_attention):
    def run(query, key, value, size, causal=False, stuck=""):
        given = {"query": query, "key": key, "value": value, "block_size": size, "causal": causal}
        shown = f"{query.shape[-2]} queries, {key.shape[-2]} keys, tiles of {size}"
        wide = "out has one row per query and the width of the *values* (13 here, not 11)."
        return check.call(flash_attention, **given, stuck={
            "keyword": "Later cells call it by name. Are its arguments query, key, value, "
                       "block_size and causal?",
            "Sizes of tensors must match": "Are the results joined along the queries, axis −2?",
            "tensor (11) must match": wide,
            "tensor a (11) must match the size of tensor b (13)": wide,
            "tensor a (13) must match the size of tensor b (11)": wide,
            "must match the size": f"{shown}: {stuck or 'is the last tile shorter, and its mask?'} Do largest, "
                                   "total and output start anew for each tile of queries?",
            "": f"{shown}. {stuck or 'Are axes counted from the end?'}",
        })  # fmt: skip

    query, key, value = torch.randn(2, 3, 5, 11), torch.randn(2, 3, 7, 11), torch.randn(2, 3, 7, 13)
    shown = torch.eye(7).expand(2, 3, 7, 7)  # with these values the output is the weights

    # One tile holds everything.
    out = run(query, key, value, 9, stuck="Here one tile holds everything. Does it end early?")
    shapes = {
        (2, 3, 5, 7): "These are the weights. Are the values averaged?",
        (2, 3, 9, 13): "Are tiles filled up to block_size? The last ones are shorter.",
        (2, 3, 5, 11): "It is as wide as a key. Are the values averaged?",
        (5, 13): "Are sentences or heads lost? Leading axes stay.",
        (2, 3, 5, 1): "Is the tile read at all? It holds 7 keys, fewer than block_size.",
    }
    number = torch.nan_to_num(out) if torch.is_tensor(out) else out
    check.tensor(number, (2, 3, 5, 13), "the output", shapes, otherwise="One row per query.")
    told = "One tile of keys, shorter than block_size, gives NaN.\nIs a short last tile left out? "
    told += "Then nothing was added, and 0 / 0 is NaN.\nOr is the factor exp(new − old)? "
    told += "That is ∞ here; exp(old − new) is 0.\n"
    told += "Only the past is multiplied by the factor, not the new tile."
    assert not out.isnan().any(), told
    weights = run(query, key, shown, 9)
    check.weights(weights)
    scale = check.scale(weights, query @ key.mT)
    told = "One tile: the weights do not follow the dot products of query and key."
    if scale is None:
        cause = no_known_cause(
            "Is it a softmax of them, over the keys?",
            flash_attention,
            d_model=11,
            call=lambda attend, x: attend(x, x, x, 9),
        )
        raise AssertionError(f"{told} {cause()}")
    cause = check.near(scale, {
        "They are not divided.": 1,
        "√7 is the root of the number of keys, or of the values' width.": 7**-0.5,
        "They are divided by d_k, or by its root twice. Divide once.": 1 / 11,
        "They are multiplied by √d_k.": 11**0.5, "√9 is that of the tile.": 1 / 3,
        "√5 is that of the number of queries.": 5**-0.5,
    }, otherwise="Divide by the root of the last size of query.")  # fmt: skip
    told = f"The softmax saw the dot products times {scale:.3f}, expected 1/√11 = 0.302."
    assert abs(scale * 11**0.5 - 1) < 1e-3, f"{told} {cause}"

    # One query, three tiles of one key each: softmax(0, 2, 1), and what each slip would give.
    def three(*scores):
        keys = torch.tensor(scores)[:, None]
        out = run(torch.ones(1, 1), keys, torch.eye(3), 1, stuck="One query, without other axes.")
        check.tensor(torch.nan_to_num(out), (1, 3), "the output", otherwise="One query, width 3.")
        return numbers(out)

    up, down = three(0.0, 2.0, 1.0), three(2.0, 0.0, 1.0)
    cause = asked({
        (1, 1, 1): "A softmax in each tile, and the results added: the row sums to 3.",
        (0.333, 0.333, 0.333): "A softmax in each tile, and the results averaged.",
        (0.665, 0.665, 0.245): "The output so far is not rescaled when a larger score comes.",
        (0.057, 0.422, 0.155): "The total so far is not rescaled when a larger score comes.",
        (0.422, 0.422, 0.155): "Nothing is rescaled when a larger score comes.",
        (0.135, 1, 0.368): "The output is never divided by the total.",
        (0.079, 0.586, 0.245): "The output is divided in every tile. Divide once, after the last.",
        (0.135, 0.881, 0.245): "Each tile is divided by the total so far. Divide once, at the end.",
        (0, 0.269, 0.731): "The new tile is rescaled. It is the old output and total that are.",
        (0.063, 0.468, 0.468): "Each new tile is taken minus its own largest. Subtract the "
                               "running one.",
        (0, 0, 1): "Only the last tile counts. Is what came before kept, and the running largest updated?",
        (1, 0, 0): "Only the first tile counts. Does a tile of queries go through all keys and "
                   "values?",
        (0.119, 0.881, 0): "The last tile of keys is left out.",
        (0, 0.731, 0.269): "The first tile of keys is left out.",
        (0.012, 0.665, 0.245): "The output so far is rescaled twice.",
        (0.087, 0.644, 0.269): "The lse of the last tile is kept, not that of all tiles so far.",
        (0.368, 2.718, 1): "The output is divided by the last tile's total alone.",
        (0.035, 0.259, 0.705): "The running largest is not updated after each tile.",
        (0.665, 0.090, 0.245): "The weights are those of other keys. Do key and value tiles match?",
        (0.245, 0.665, 0.090): "The weights are those of other keys. Do key and value tiles match?",
    }, up)  # fmt: skip
    if any(map(math.isnan, up)):
        cause = "∞ · 0 is NaN. Is it exp(old − new) by which the past is rescaled, not exp(new − "
        cause += "old)? And −∞ − (−∞) is NaN, too."
    cause = cause or "Is the past times exp(old largest − new largest), output and total?"
    told = f"Three tiles of one key each, with the scores 0, 2, 1: the weights are {up},"
    fine = asked({(0.090, 0.665, 0.245): "fine"}, up)
    assert fine, f"{told} expected (0.09, 0.665, 0.245).\n{cause}"
    cause = "With 0, 2, 1 it is right. What happens where no larger score comes?"
    told = f"The scores 2, 0, 1: the weights are {down}, expected (0.665, 0.09, 0.245)."
    assert asked({(0.665, 0.090, 0.245): "fine"}, down), f"{told} {cause}"

    # Eleven queries, thirteen keys; tiles of 4, of which the last are shorter.
    many = [torch.randn(2, 3, n, d) for n, d in ((11, 8), (13, 8), (13, 17))]
    eye = torch.eye(13).expand(2, 3, 13, 13)
    right = F.scaled_dot_product_attention(many[0], many[1], eye)
    weights = run(many[0], many[1], eye, 4)
    shapes = {(2, 3, 8, 13): "Is the last, shorter tile of queries left out?"}
    shapes[2, 3, 12, 13] = "Is the last tile of queries filled up to block_size?"
    check.tensor(weights, (2, 3, 11, 13), "the output", shapes, otherwise="One row per query.")
    ahead, first = "Do largest, total and output start anew for each tile of queries?", slice(0, 4)
    cause = check.first({
        "Only the first tile of keys counts.": not weights[..., 4:].any(),
        "The last, shorter tile of keys is left out.": not weights[..., 12:].any(),
        "A query tile meets only the keys of its own tile. It has to go through all of them.":
            not weights[..., first, 4:].any(),
        f"The first tile of queries is right, the others are not. {ahead}":
            check.same(weights[..., first, :], right[..., first, :]),
        "The queries come out in a different order.":
            check.same(weights.sort(-2)[0], right.sort(-2)[0]),
    }, otherwise="One key per tile is right. Is each row of a tile treated by itself?")  # fmt: skip
    compare(weights, right, f"11 queries, 13 keys, tiles of 4: the weights are wrong.\n{cause}")
    for size in (1, 2, 5, 11, 13, 50):
        right = F.scaled_dot_product_attention(*many)
        told = f"Tiles of 4 are right, tiles of {size} are not (11 queries, 13 keys)."
        compare(run(*many, size), right, f"{told} Is a size read from elsewhere?")

    # Causal: which keys does each query see? Rows are counted from the last word of the keys.
    early = "does the loop stop too early? A tile is read as soon as the *last* query of the tile "
    early += "may see its first key."
    for q, k, size in ((6, 6, 2), (7, 7, 3), (6, 6, 9), (3, 8, 2), (5, 9, 3)):
        parts = torch.randn(q, 11), torch.randn(k, 11), torch.eye(k)
        cause = "Is the mask of a tile as large as the tile?"
        found = run(*parts, size, causal=True, stuck=cause)
        check.tensor(torch.nan_to_num(found), (q, k), "the output", otherwise="One row per query.")
        at, ahead = [(i, j) for i in range(q) for j in range(k)], k - q
        mask = torch.tensor([j <= i + ahead for i, j in at]).reshape(q, k)
        seen = torch.nan_to_num(found) > 0
        cause = next((
            told for told, sees in SEEN.items()
            if torch.equal(seen, torch.tensor([sees(i, j, ahead, size) for i, j in at]).view(q, k))
        ), f"Is key j hidden from query i where j > i + (keys − queries)?\nOr {early}")  # fmt: skip
        told = f"Causal, {q} queries, {k} keys, tiles of {size}: the queries see"
        told += f" {seen.sum(-1).tolist()} keys, expected {mask.sum(-1).tolist()}."
        scores, hidden = parts[0] @ parts[1].mT / 11**0.5, seen & ~mask
        fill = (found.log() + scores[:, :1] - found[:, :1].log())[hidden]  # key 0 is never hidden
        if len(fill) > 2 and fill.max() - fill.min() < 1e-3:
            cause = f"Hidden scores are set to {fill.median() + 0.0:.2g}, and e to that power is not 0. "
            cause += "Set them to −∞."
        if found.isnan().any() and cause not in SEEN:
            cause = "There is NaN: −∞ − (−∞) is taken somewhere. In its last tile a query may see\nnothing. "
            cause += "Is the largest kept from the tiles before, and is a query's own tile read?"
        assert torch.equal(seen, mask) and not found.isnan().any(), f"{told}\n{cause}"
        right = F.scaled_dot_product_attention(*parts, attn_mask=mask)
        compare(found, right, f"Causal, {q} queries, {k} keys: right keys, wrong weights.")

    # What stands in a tile wholly after the queries is never read: NaN there changes nothing.
    for q, k, size, free in ((6, 6, 2, 4), (7, 7, 4, 4), (4, 9, 2, 2)):
        parts = torch.randn(2, q, 11), torch.randn(2, k, 11), torch.randn(2, k, 13)
        clean = run(*parts, size, causal=True)[:, :free]
        last = (free + k - q - 1) // size * size + size  # the first key of the first such tile
        for name, which in (("key", 1), ("value", 2)):
            spoiled = [part.clone() for part in parts]
            spoiled[which][:, last:] = torch.nan
            found = flash_attention(*spoiled, size, causal=True)[:, :free]
            told = f"Causal, {q} queries, {k} keys, tiles of {size}. Tiles from key {last} on hold"
            told += f" NaN in `{name}`, and the first {free} queries, all before them, get"
            cause = "Is that tile masked, but read? 0 · NaN is NaN. Skip it: that is the gain."
            bad = found.isnan().any()
            assert not bad, f"{told} NaN.\n{cause}"
            compare(found, clean, f"{told} something else than without it.\n{cause}")

    # Rows with scores near 60 and near −60 in one tile: each has a largest of its own.
    near = torch.tensor([[60.0], [-60.0], [-60.0], [60.0]])
    uneven = (near, 1 + 0.02 * torch.randn(6, 1), torch.eye(6))
    out, wanted = run(*uneven, 3), F.scaled_dot_product_attention(*uneven)
    told = "A tile holds one query with scores near 60 and two near −60: the output is"
    cause = "Is one largest taken for the whole tile? Each row has its own."
    assert out.isfinite().all(), f"{told} not finite.\n{cause}"
    compare(out, wanted, f"{told} wrong.\n{cause}", atol=1e-3)

    # Scores of some thousands.
    loud = [100 * part for part in many[:2]] + [many[2]]
    out = run(*loud, 4)
    cause = "exp of them is inf. Is the running largest subtracted first?"
    assert out.isfinite().all(), f"Scores of some thousands: the output is not finite. {cause}"
    told = "Scores of some thousands: the output differs from PyTorch's."
    compare(out, F.scaled_dot_product_attention(*loud), told, atol=0.05)

    # In float64, by name, with gradients: they are those of PyTorch's function.
    check.trainable(
        flash_attention, query=query, key=key, value=value, block_size=3, causal=True
    )  # fmt: skip
    leaves = [part.detach().double().requires_grad_() for part in (query, key, value)]
    pull = torch.randn(2, 3, 5, 13, dtype=torch.float64)
    mask = torch.ones(5, 7).tril(2) > 0
    for causal in (False, True):
        mine = flash_attention(*leaves, 3, causal)
        wanted = F.scaled_dot_product_attention(*leaves, attn_mask=mask if causal else None)
        compare(mine, wanted, f"In float64, causal={causal}: not PyTorch's output.")
        ours, theirs = (torch.autograd.grad((t * pull).sum(), leaves) for t in (mine, wanted))
        for name, got, right in zip(("query", "key", "value"), ours, theirs):
            told = f"causal={causal}: the gradient to {name} is not that of PyTorch's attention."
            compare(got, right, f"{told} Is a part detached, or copied by .data?", 2e-5)

    # In float16, but for a hidden score such as −1e30, which has no place there.
    half = [part.half() for part in (query, key, value)]
    told = "Are new tensors made with the dtype of the arguments, as in `query.new_full(…)`?"
    try:
        kind = flash_attention(*half, 3).dtype
        assert kind == torch.float16, f"Arguments of torch.float16 give a result of {kind}. {told}"
    except RuntimeError as error:
        clash = "dtype" in str(error) or "scalar type" in str(error)
        assert not clash, f"Arguments of torch.float16 stop with: {str(error)[:80]}.\n{told}"
    return "flash_attention passes: PyTorch's numbers, and later tiles are never read."


@without("nn.MultiheadAttention", "multi_head_attention_forward", "native_multi_head_attention")
def check_CachedSelfAttention(CachedSelfAttention):
    # The layer: four linear layers with bias, and nothing else that is learned.
    four = check.projections(15, 15)
    names = "Later cells use the names d_model and n_heads. Are yours the same?"
    stuck = {"keyword": names, "": "3 heads divide a width of 15."}
    layer = check.call(CachedSelfAttention, d_model=15, n_heads=3, stuck=stuck)
    told = "Expected four nn.Linear(15, 15) with bias: q_proj, k_proj, v_proj, out_proj."
    check.filled(layer, four, told)
    x, other = torch.randn(2, 7, 15), torch.randn(2, 4, 15)
    causal = torch.ones(7, 7).tril() > 0

    def run(text, cache=None, stuck=""):
        given = {} if cache is None else {"cache": cache}
        answer = check.call(layer, text, **given, stuck={
            "Sizes of tensors must match": "Old and new are joined along the words, axis 2 of "
                                           "(batch, n_heads, words, d_head).",
            "Boolean value": "Is it `cache is None` that should be asked?",
            "be: [6, 7] but got: [6, 2]": "Seven keys meet the values of the two new words alone. Join old and new "
                                          "values, too.",
            "be: [6, 2] but got: [6, 7]": "Two keys meet seven values. Join old and new keys, too.",
            "positional argument": "Does forward take x and a cache, None by default?",
            "keyword argument": "Does forward take x and a cache, None by default?",
            "must match": stuck or "Are heads split and merged along the right axes?",
            "": stuck or "Does forward take x and a cache, None by default?",
        })  # fmt: skip
        out, cache = answer if isinstance(answer, tuple) and len(answer) == 2 else (answer, None)
        got = "a tensor alone" if torch.is_tensor(answer) else f"{type(answer).__name__}"
        told = f"Expected (out, cache) with cache = (keys, values), got {got}."
        assert torch.is_tensor(out) and cache is not None, f"{told} Does `return` name both?"
        keys, values = pair(cache, "the cache (keys, values)")
        return out, keys, values

    # A text at once: PyTorch's causal attention is the judge.
    out, keys, values = run(x)
    told = "The output is NaN: a softmax of nothing but −∞ is 0/0. Does the first word see itself?"
    assert not out.isnan().any(), told
    every = {(2, 1, 15): "Each new word has an output, not the last one alone."}
    check.tensor(out, (2, 7, 15), "the output", every, "Are the heads merged?")

    def output(allowed=causal, rows=None, **steps):
        def masked(scores):
            return (rows or nn.Softmax(-1))(scores.masked_fill(~allowed, -INF)).nan_to_num()

        steps = {"n_heads": 3, "root": 5**0.5, "rows": masked} | steps
        return check.stepwise(four, (x, x, x), **steps)

    mistakes = check.attention_mistakes(3, 5, {"d_model": 15, "seq": 7}) | {
        "Later words are visible. Is the mask causal?": {"allowed": causal | True},
        "A word does not see itself.": {"allowed": causal.tril(-1)},
        "A word sees the word after it.": {"allowed": torch.ones(7, 7).tril(1) > 0},
        "The mask is the other way round.": {"allowed": causal.mT},
        "x is added. The residual belongs around the layer.": {"end": lambda t: t + x},
    }  # fmt: skip

    def measured():
        def once(weights):
            layer.load_state_dict(weights, strict=False)
            return layer(x)[0]

        told = check.measured(once, four.state_dict(), 3, x, None, causal)
        return no_known_cause(told, layer, n_heads=3, causal=True)()

    told = "Seven words at once: the output differs from PyTorch's causal attention."
    right = check.attended(four, 3, x, mask=causal)
    check.agrees(out, right, told, output, mistakes, measured, alone=check.numbers("d_head", 5))

    # What the cache holds: the keys and values of these words, split into heads.
    def split(name, text=x):
        return four[f"{name}_proj"](text).unflatten(-1, (3, 5)).transpose(1, 2)

    shapes = {
        (2, 7, 15): "Is it split into heads? Or are these the words themselves?",
        (2, 7, 3, 5): "The axes are (batch, n_heads, seen, d_head). Transpose before you keep it.",
        (2, 3, 5, 7): "Are they transposed for the scores already? Keep them as they are.",
    }
    for what, tensor, name, swapped in (("keys", keys, "k", "v"), ("values", values, "v", "k")):
        check.tensor(tensor, (2, 3, 7, 5), f"the cache's {what}", shapes,
                     otherwise="The axes are (batch, n_heads, seen, d_head).")  # fmt: skip
        cause = check.like(tensor, {
            "These are the queries. No later word needs them.": split("q"),
            "Keys and values changed places: it is (keys, values).": split(swapped),
            "They are scaled. Scale the scores instead.": split(name) / 5**0.5,
        }, otherwise=f"They are what {name}_proj makes of x, split into heads.")  # fmt: skip
        compare(tensor, split(name), f"After seven words the cache's {what} are wrong. {cause}")

    # Two new words join five old ones.
    def attend(queries, keys_of, allowed):
        heads = F.scaled_dot_product_attention(
            split("q", queries), split("k", keys_of), split("v", keys_of), attn_mask=allowed > 0
        )
        return four["out_proj"](heads.transpose(1, 2).flatten(2))

    old, new = x[:, :5], x[:, 5:]
    first = [tensor.detach() for tensor in run(old)[1:]]
    before = [tensor.clone() for tensor in first]
    stuck = "Two new words meet seven keys. Is the mask (new words, all words), and do keys and "
    stuck += "values both hold old and new words?"
    out, keys, values = run(new, first, stuck=stuck)
    shapes = {
        (2, 3, 2, 5): "That is the new words alone. The cache returned holds old and new ones.",
        (2, 3, 5, 5): "That is the old words alone. The cache returned holds old and new ones.",
        (2, 6, 7, 5): "Old and new are joined along the heads. Join along the words, axis 2.",
        (2, 3, 12, 5): "Are five words in it twice?",
        (2, 3, 14, 5): "There are words of the text before. Is something kept in the module?",
    }
    for what, tensor in (("keys", keys), ("values", values)):
        told = "There are five old words and two new ones."
        check.tensor(tensor, (2, 3, 7, 5), f"the cache's {what}", shapes, otherwise=told)
    check.tensor(out, (2, 2, 15), "the output", {
        (2, 7, 15): "Only the new words have an output.",
        (2, 1, 15): "Two words are new, and both have an output.",
    }, otherwise="One row per new word.")  # fmt: skip
    turned, both = torch.cat([new, old], dim=1), torch.ones(2, 7)
    ways = {
        "The mask begins at the first key, so the new words miss most old ones. The queries are "
        "the last words.": attend(new, x, both.tril()),
        "The first new word sees the second one. Is there a mask where there is a cache?":
            attend(new, x, both),
        "The new words stand before the old ones.": attend(new, turned, both.tril(5)),
        "The new words see each other only. Is the cache used?":
            attend(new, new, both[:, :2].tril()),
        "The new words see the old ones only, not themselves.": attend(new, old, both[:, :5]),
        "A word does not see itself.": attend(new, x, both.tril(4)),
    }  # fmt: skip
    cause = "Are queries of new words asked of all keys? Or are old keys and old values swapped?"
    cause = check.like(out, ways, otherwise=check.some_right(out, right[:, 5:], cause))
    told = "Five words, then two with the cache: it is not what seven words give at once."
    compare(out, right[:, 5:], f"{told}\n{cause}")
    for what, tensor, name in (("keys", keys, "k"), ("values", values, "v")):
        cause = check.like(tensor, {
            "The new words stand before the old ones.": split(name, turned),
        }, otherwise="Old ones first, then the new ones.")  # fmt: skip
        compare(tensor, split(name), f"The cache's {what} after five and two words: {cause}")

    # The cache that was handed in is as it was, and goes on with another text.
    same = all(map(torch.equal, first, before))
    cause = "Is something written into it? torch.cat makes a new tensor."
    assert same, f"The cache that was handed in was changed. {cause}"
    cause = "Is something of an earlier text kept in the module? All of it belongs into the cache."
    fresh, told = run(other)[0], "Another text, without a cache, after the first one:"
    four_words = check.attended(four, 3, other, mask=causal[:4, :4])
    compare(fresh, four_words, f"{told} not what it gives alone. {cause}")
    branch, joined = run(other, first)[0], torch.cat([old, other], dim=1)
    wanted = check.attended(four, 3, joined, mask=torch.ones(9, 9).tril() > 0)[:, 5:]
    compare(branch, wanted, f"The same cache with a different continuation is wrong. {cause}")
    compare(run(new, first)[0], out, f"The same cache and words again: a different output. {cause}")

    # Pieces of any lengths, one sentence alone; a longer text word by word.
    text = torch.randn(1, 24, 15)
    wanted = check.attended(four, 3, text, mask=torch.ones(24, 24).tril() > 0)
    for lengths in ([1, 2, 4, 17], [23, 1], [1] * 24):
        cache, rows, shown = None, [], str(lengths) if len(lengths) < 9 else "single words"
        for piece in text.split(lengths, dim=1):
            stuck = "Is one new word, or one sentence, a special case?"
            out, *cache = run(piece, cache, stuck=stuck)
            rows.append(out)
        told = f"A text of 24 words in pieces of {shown}: not what it gives at once."
        compare(torch.cat(rows, dim=1), wanted, f"{told} Does each piece see all before it?")

    # Gradients reach x and every parameter; they pass through the cache, in and out.
    leaf, named = x.clone().requires_grad_(), dict(layer.named_parameters())
    check.reaches(run(leaf)[0].square(), x=leaf, **named)
    for n, what in ((1, "keys"), (2, "values")):
        check.reaches(run(leaf)[n].square(), **{f"x from the cache's {what}": leaf})
    held = [tensor.requires_grad_() for tensor in before]
    out = run(new, held)[0]
    check.reaches(out.square(), **{"the old keys": held[0], "the old values": held[1]})
    check.refuses(CachedSelfAttention, 14, 4, names=(14, 4), otherwise="The line was given.")
    return "CachedSelfAttention passes: a text in pieces gives what it gives at once."


def check_predicted_bytes(predicted_bytes):
    # Is it a dictionary with the three keys?
    wanted, kind = {"llama_2_7b", "llama_3_8b", "scores"}, type(predicted_bytes).__name__
    told = f"Expected a dictionary with the keys {sorted(wanted)}"
    braces = "Are the answers in braces, each with its name?"
    assert isinstance(predicted_bytes, dict), f"{told}, got {kind}. {braces}"
    missing, further = sorted(wanted - set(predicted_bytes)), set(predicted_bytes) - wanted
    further = sorted(map(str, further))
    spelled = f"missing: {missing}, not asked for: {further}. Are they spelled as above?"
    assert not missing and not further, f"{told}; {spelled}"

    # Is each answer a number of bytes?
    for name, answer in predicted_bytes.items():
        kind, whole = type(answer).__name__, "Is it a product of whole numbers, without a `/`?"
        told = f"{name}: expected a whole number of bytes, an int, got {kind}. {whole}"
        assert isinstance(answer, int) and not isinstance(answer, bool), told
        told = f"{name}: got {answer:,} bytes. Are they bytes, not MiB or GiB?"
        assert answer > 100_000, told
    return "predicted_bytes has three numbers in the right form. The next cell counts."


@without("argument:enable_gqa", "flex_attention")
def check_grouped_query_attention(grouped_query_attention):
    def run(query, key, value):
        given = {"query": query, "key": key, "value": value}
        heads = f"{query.shape[1]} query heads, {key.shape[1]} key-value heads"
        return check.call(grouped_query_attention, **given, stuck={
            "keyword": "Later cells call it by name. Are its arguments query, key and value?",
            "not divisible": f"{heads}. Is the right number divided by the other?",
            "": f"{heads}. Is each key-value head there for several query heads, at axis 1?",
        })  # fmt: skip

    query, key, value = torch.randn(2, 6, 5, 11), torch.randn(2, 2, 7, 11), torch.randn(2, 2, 7, 13)
    out = run(query, key, value)
    check.tensor(out, (2, 6, 5, 13), "the output", {
        (2, 2, 5, 13): "There is one output per *query* head.",
        (2, 2, 3, 5, 13): "Are the groups put back into one axis of heads?",
        (2, 6, 5, 7): "These are the weights. Are the values averaged?",
    }, otherwise="One row per query, for each query head.")  # fmt: skip

    # With the identity as values the output is the weights: is each row a softmax?
    weights = run(query, key, torch.eye(7).expand(2, 2, 7, 7))
    even, sums = run(query, key, torch.ones(2, 2, 7, 7)), weights.sum(-1)
    told = "With values that are all 1 the output is 1, so the weights sum to 1, and other values come out wrong."
    told += "\nAre words, heads or columns of the values mixed? `repeat_interleave` without dim=1 mixes them."
    ones = torch.ones(2, 6, 5)
    assert check.same(sums, ones) or not check.same(even, ones[..., None].expand(2, 6, 5, 7)), told
    met = weights[0, :3].amax(-2) > 0  # the words that the first three heads read
    told = f"The first query heads read the words {[m.nonzero().flatten().tolist() for m in met]} alone. Is it"
    told += " the words, axis 2, that are repeated? Repeat the heads, axis 1."
    assert met.all() or not met.any(0).all() or met.equal(met[:1].expand(3, 7)), told
    check.weights(weights)

    # Values that name their head: head 0 holds (1, 0), head 1 holds (0, 1).
    named = torch.eye(2)[:, None].expand(2, 2, 7, 2)
    share = run(query, key, named)
    mixed = "It mixes both. Is something averaged over the heads?"
    told = "A query head reads the values of one key-value head."
    whole = check.same(share.amax(-1), torch.ones(2, 6, 5)) and check.same(share.amin(-1), torch.zeros(2, 6, 5))
    assert whole, f"{told} Yours takes {numbers(share[0, :, 0, 1])} of head 1. {mixed}"
    reads = share[0, :, 0].argmax(-1).tolist()
    alternate = "Neighbours share a head. `repeat` and `expand` alternate instead, and so do heads that"
    alternate += " are joined again with the groups' axis first."
    causes = {
        (0, 1, 0, 1, 0, 1): alternate,
        (0, 0, 0, 0, 0, 0): "All of them read the first one.",
        (1, 1, 1, 0, 0, 0): "The heads come in reversed order.",
        (0, 0, 1, 1, 1, 1): "Three query heads share each one: 6 / 2.",
        (0, 0, 1, 1, 0, 0): "Three query heads share each one: 6 / 2. Here two do.",
    }
    told = f"Six query heads read the values of the heads {reads}, expected [0, 0, 0, 1, 1, 1]."
    cause = causes.get(tuple(reads), "Does each group of three neighbours share one?")
    assert reads == [0, 0, 0, 1, 1, 1], f"{told}\n{cause}"

    # Which head's keys made the weights?
    dots = torch.einsum("bhqd,bgkd->bhgqk", query, key)  # of each query head with each key head
    scaled = (dots / 11**0.5).softmax(-1)
    heads = [next((g for g in (0, 1) if check.same(weights[:, h], scaled[:, h, g])), None)
             for h in range(6)]  # fmt: skip
    pairs = [(h, g) for h in range(6) for g in (0, 1)]
    found = [check.scale(weights[:, h], dots[:, h, g]) for h, g in pairs]
    scale = next((s for s in found if s is not None), None)
    if None in heads and scale is not None and abs(scale * 11**0.5 - 1) > 1e-3:
        cause = check.near(scale, {
            "They are not divided.": 1, "They are divided by d_k.": 1 / 11,
            "They are multiplied by √d_k.": 11**0.5,
        }, otherwise="d_k is the last size of query and key.")  # fmt: skip
        told = f"The softmax saw the dot products times {scale:.3f}, expected 1/√11 = 0.302."
        raise AssertionError(f"{told} {cause}")
    told = f"The query heads read the keys of the heads {heads}, expected [0, 0, 0, 1, 1, 1]."
    cause = "Is a key head taken as it is, for three neighbours, or are the queries of a group "
    cause = causes.get(tuple(heads), f"{cause}averaged? Or is one axis mixed with another by a reshape?")
    cause += " Its values are right." if heads != [0, 0, 0, 1, 1, 1] else ""
    assert heads == [0, 0, 0, 1, 1, 1], f"{told}\n{cause}"

    # PyTorch's own is the judge, also for one shared head, and for as many as query heads.
    for n_heads, n_kv_heads in ((6, 2), (6, 3), (4, 1), (3, 3)):
        parts = [torch.randn(2, n, m, d) for n, m, d in
                 ((n_heads, 5, 11), (n_kv_heads, 7, 11), (n_kv_heads, 7, 13))]  # fmt: skip
        right = F.scaled_dot_product_attention(*parts, enable_gqa=True)
        told = f"{n_heads} query heads, {n_kv_heads} key-value heads: not PyTorch's output."
        compare(run(*parts), right, f"{told} Is each group as large as n_heads / n_kv_heads?")
    loud = run(100 * query, 100 * key, value)
    cause = "Is the largest score of a row subtracted before exp?"
    assert loud.isfinite().all(), f"Scores of some thousands give inf or NaN. {cause}"

    # Called by name, in float64, with gradients; what does not divide is refused.
    check.trainable(grouped_query_attention, query=query, key=key, value=value)
    odd = torch.randn(2, 5, 4, 8), torch.randn(2, 3, 4, 8), torch.randn(2, 3, 4, 8)
    check.refuses(grouped_query_attention, *odd, names=(5, 3), otherwise="The line was given.")
    return "grouped_query_attention passes: neighbouring query heads share keys and values."


def theirs(query, key, value, pull):
    """The gradients of (out · pull).sum() to query, key and value, by PyTorch's own function."""
    leaves = [t.detach().clone().requires_grad_() for t in (query, key, value)]
    return torch.autograd.grad((F.scaled_dot_product_attention(*leaves) * pull).sum(), leaves)


def by_formula(query, key, value, pull, **steps):
    """The same by the formulas; steps does some of them in another way.

    weights: what stands for P. rule: dS from P, dP and D. after: what dS is multiplied by. sent: what stands for dO.
    seen: the pairs that count.
    """
    scores, root = query @ key.mT, query.shape[-1] ** 0.5
    way = {
        "weights": (scores / root).softmax(-1),
        "after": 1 / root,
        "sent": pull,
        "seen": 1,
    } | steps
    weights, pull, seen = way["weights"], way["sent"], way["seen"]
    slopes = pull @ value.mT
    mean = (weights * slopes).sum(-1, keepdim=True)
    d_scores = way.get("rule", lambda w, s, m: w * (s - m))(weights, slopes, mean) * way["after"] * seen
    return d_scores @ key, d_scores.mT @ query, (weights * seen).mT @ pull


@without(
    "F.scaled_dot_product_attention", "scaled_dot_product_attention_math",
    "scaled_dot_product_flash_attention_for_cpu", "flex_attention",
    "multi_head_attention_forward", "MultiheadAttention",
    "torch.autograd.grad", "backward", "vjp", "jacobian", "jacrev", "jacfwd", "grad_and_value", "linearize",
    "jvp", "holds:30000",  # 90 · 85 numbers of 4 bytes are 30,600
)  # fmt: skip
def check_FlashAttention(FlashAttention):
    is_one = isinstance(FlashAttention, type) and issubclass(FlashAttention, torch.autograd.Function)
    told = "Expected FlashAttention to be a class derived from torch.autograd.Function, and it is not."
    assert is_one, f"{told} Does its class line name torch.autograd.Function?"

    def apply(query, key, value, block_size):
        return FlashAttention.apply(query, key, value, block_size)

    def run(query, key, value, size):
        shown = f"{query.shape[-2]} queries, {key.shape[-2]} keys, tiles of {size}"
        return check.call(apply, query, key, value, size, stuck={
            "positional argument": "forward takes ctx, then query, key, value and block_size, in this order.",
            "save_for_backward can only save": "ctx.save_for_backward takes tensors. A number is kept by "
                                               "`ctx.block_size = block_size`.",
            "must match the size": f"{shown}: is the last tile shorter, and are results joined along axis −2?",
            "You must implement": "Are forward and backward spelled so, and inside the class?",
            "": f"{shown}. Are axes counted from the end?",
        })  # fmt: skip

    def slopes(query, key, value, size, pull=None):
        """The gradients of (out · pull).sum() that backward returns, for query, key, value."""
        leaves = [t.detach().clone().requires_grad_() for t in (query, key, value)]
        out = run(*leaves, size)
        told = "The output has no gradient. Does forward return what it has made, and not detach it?"
        assert out.requires_grad, told

        rows = "Is the last tile shorter, and does each tile of queries meet its own rows of lse, of D and of dO?"
        turned = "One tile holds everything here. Is a product not transposed? The gradient of key is dSᵀ Q, "
        turned += "that of value is Pᵀ dO."

        def backward():
            return torch.autograd.grad(out.sum() if pull is None else (out * pull).sum(), leaves, allow_unused=True)

        found = check.call(backward, stuck={
            "incorrect number of gradients": "backward returns one thing per argument of forward, in the same order: "
                                             "gradients of query, key and value, and None for block_size.",
            "invalid gradient at index": "Gradients come back in the order of forward's arguments, each in the shape "
                                         "of its argument. Are two swapped, or is one transposed?",
            "positional argument": "backward takes ctx and one gradient, that of the output.",
            "'NoneType' object": "ctx.saved_tensors holds what ctx.save_for_backward was given. Is something missing?",
            "not enough values to unpack": "Does ctx.save_for_backward save all that backward unpacks?",
            "too many values to unpack": "Does backward unpack all that ctx.save_for_backward saves?",
            "attribute": "What backward reads off ctx, forward has to put there.",
            "single memory location": "Is the gradient that came in, d_out, written into? Make a tensor of your own.",
            "must match the size": rows, "match the broadcast shape": rows,
            "Expected size for": turned if size > 7 else rows,
            "too many indices": "Are axes counted from the end, as in `d_key[..., keys, :]`? There may be no leading "
                                "axes.",
            "You must implement": "Is there a backward, spelled so, inside the class?",
            "": "Are all tiles made again as in forward?",
        })  # fmt: skip
        for name, slope in zip(("query", "key", "value"), found):
            told = f"backward returns None for {name}. Does it return the gradients of query, key and value, then None?"
            assert slope is not None, told
        return found

    # forward: PyTorch's output, for queries and keys of unlike number, and unlike widths.
    parts = query, key, value = (
        torch.randn(2, 3, 5, 11),
        torch.randn(2, 3, 7, 11),
        torch.randn(2, 3, 7, 13),
    )
    out = run(*parts, 3)
    if isinstance(out, (tuple, list)):
        raise AssertionError(f"forward returns {len(out)} things. It returns the output alone; ctx keeps the lse.")
    check.tensor(out, (2, 3, 5, 13), "the output", {
        (2, 3, 5, 7): "These are the weights. Are the values averaged?",
        (2, 3, 3, 13): "Is the last, shorter tile of queries left out?",
        (2, 3, 6, 13): "Is the last tile of queries filled up to block_size?",
    }, otherwise="One row per query, as wide as the values.")  # fmt: skip
    weights = run(query, key, torch.eye(7).expand(2, 3, 7, 7), 9)
    check.weights(weights)
    scale = check.scale(weights, query @ key.mT)
    told = "One tile: the weights do not follow the dot products of query and key."
    assert scale is not None, f"{told} Is it a softmax of them, over the keys?"
    told = f"forward: the softmax saw the dot products times {scale:.3f}, expected 1/√11 = 0.302."
    assert abs(scale * 11**0.5 - 1) < 1e-3, f"{told} Are they divided by √d, once?"
    right = F.scaled_dot_product_attention(*parts)
    for size in (9, 1, 4):
        told = f"forward, 5 queries, 7 keys, tiles of {size}: the output is not PyTorch's."
        cause = "Are total and output rescaled when a larger score comes, and does the last, shorter tile count?"
        compare(run(*parts, size), right, f"{told}\n{cause}")

    # backward, one tile that holds everything: which formula is it?
    pull, loud = torch.randn(2, 3, 5, 13), [t / t.std() for t in parts]
    scores, root = loud[0] @ loud[1].mT, 11**0.5
    exact, ones = theirs(*loud, pull), torch.ones_like(pull)
    found = slopes(*loud, 9, pull)
    largest = (scores / root).amax(-1, keepdim=True)
    powers = (scores / root - largest).exp()
    once = "The lse is largest + log(total): the weights are exp(score − lse)."
    tables = {
        "Are these the exponentials, not divided by the total? " + once: powers,
        "Are these the exponentials of the scores themselves? " + once: (scores / root).exp(),
        "Is the lse largest + total, without the logarithm? " + once:
            powers * (-powers.sum(-1, keepdim=True)).exp(),
        "Is the lse just log(total), without the largest? " + once: (powers / powers.sum(-1, keepdim=True)) *
            largest.exp(),
        "Are these the scores, without a softmax?": scores / root,
        "Are these the dot products, without a softmax?": scores,
        "Are the scores made again without dividing by √d? Divide them as in forward.":
            (scores - (scores / root).logsumexp(-1, keepdim=True)).exp(),
        "Is the softmax taken without dividing by √d?": scores.softmax(-1),
        "Does the softmax run over the queries?": (scores / root).softmax(-2),
        "Is a softmax taken of the weights once more?": (scores / root).softmax(-1).softmax(-1),
        "Are the weights squared?": (scores / root).softmax(-1).square(),
    }  # fmt: skip
    ways = {f"The weights that multiply the output's gradient are wrong. {cause}": {"weights": table}
            for cause, table in tables.items()}  # fmt: skip
    ways["The output's gradient is not used: it is as if it were 1 everywhere."] = {"sent": ones}
    rules = {
        "D is missing: dS = P · (dP − D), and D = rowsum(dO · O).": lambda w, s, m: w * s,
        "D is added. It is subtracted: dS = P · (dP − D).": lambda w, s, m: w * (s + m),
        "P is missing: dS = P · (dP − D).": lambda w, s, m: s - m,
        "Neither P nor D is used: dS = P · (dP − D).": lambda w, s, m: s,
        "The sign is inverted: dS = P · (dP − D).": lambda w, s, m: w * (m - s),
        "D is the sum of dP over the keys. It is rowsum(dO · O), the mean of dP by the weights.":
            lambda w, s, m: w * (s - s.sum(-1, keepdim=True)),
        "D is the plain mean of dP over the keys. It is rowsum(dO · O), the mean of dP by the weights.":
            lambda w, s, m: w * (s - s.mean(-1, keepdim=True)),
        "D is the mean of dO · O over the width. It is the sum.": lambda w, s, m: w * (s - m / 13),
        "D is one number for the whole tile. Each query has its own: sum over the last axis.":
            lambda w, s, m: w * (s - m.sum((-2, -1), keepdim=True)),
        "D is subtracted twice.": lambda w, s, m: w * (s - 2 * m),
        "P is multiplied in twice: dS = P · (dP − D).": lambda w, s, m: w * w * (s - m),
        "Is it P · (1 − P)? That is the slope of a sigmoid. dS = P · (dP − D).": lambda w, s, m: w * (1 - w) * s,
        "D is made of dO alone. It is rowsum(dO · O).":
            lambda w, s, m: w * (s - pull.sum(-1, keepdim=True)),
        "D is made of O alone. It is rowsum(dO · O).":
            lambda w, s, m: w * (s - (w @ loud[2]).sum(-1, keepdim=True)),
        "D is made of the output before its division by the total. In D = rowsum(dO · O), O is what is returned.":
            lambda w, s, m: w * (s - m * powers.sum(-1, keepdim=True)),
        "D is made of O twice. It is rowsum(dO · O).":
            lambda w, s, m: w * (s - (w @ loud[2]).square().sum(-1, keepdim=True)),
        "D is made of dO twice. It is rowsum(dO · O).":
            lambda w, s, m: w * (s - pull.square().sum(-1, keepdim=True)),
    }  # fmt: skip
    ways |= {cause: {"rule": rule} for cause, rule in rules.items()}
    again = "The scores were divided by √d, so their gradient is, too."
    ways |= {
        f"It is too large by √d = √11. {again}": {"after": 1.0},
        f"It is divided by √d twice. {again} Once.": {"after": 1 / 11},
        f"It is multiplied by √d. {again}": {"after": 11**0.5},
        "It is divided by the root of the values' width, √13. Divide by √d of the queries.": {"after": 13**-0.5},
        "It is divided by the root of the number of keys, √7. Divide by √d of the queries.": {"after": 7**-0.5},
        "Its sign is inverted.": {"after": -1 / root},
    }
    weights = (scores / root).softmax(-1)
    mean = (pull * (weights @ loud[2])).sum(-1, keepdim=True)
    exact_scores = weights * (pull @ loud[2].mT - mean) / root
    for n, name in ((2, "value"), (1, "key"), (0, "query")):
        if check.same(found[n], exact[n], 1e-5):
            continue
        given = {cause: by_formula(*loud, pull, **way)[n] for cause, way in ways.items()}
        cause = check.like(found[n], given | {
            "It is zero everywhere. Is it computed, also for a tile shorter than block_size, and written into the "
            "tensor that is returned?":
                torch.zeros_like(exact[n]),
        } | ({
            "It is made of dS. It is Pᵀ dO.": exact_scores.mT @ pull,
            "It is made of O. It is Pᵀ dO.": weights.mT @ (weights @ loud[2]),
        } if name == "value" else {}), otherwise={
            "value": "It is Pᵀ dO. Are P the weights, exp(score − lse)?",
            "key": "It is dSᵀ Q / √d, with dS = P · (dP − D) and dP = dO Vᵀ. The gradient of value is right, "
                   "so P is.",
            "query": "It is dS K / √d. The gradient of key is right, so dS is.",
        }[name], atol=1e-4 * max(1, found[n].abs().max().item()))  # fmt: skip
        compare(
            found[n],
            exact[n],
            f"One tile that holds everything: the gradient of {name} is wrong.\n{cause}",
        )

    # Tiles that do not divide the lengths, smaller ones, unlike leading axes or none.
    for size in (1, 3, 4):
        found = slopes(*loud, size, pull)
        lasts = {"query": (5, 7), "key": (7, 5), "value": (7, 5)}

        def of_tile(w, s, m, size=size):  # D of each tile of keys by itself
            pairs = zip(w.split(size, -1), s.split(size, -1))
            return torch.cat([p * (dp - (p * dp).sum(-1, keepdim=True)) for p, dp in pairs], -1)

        for n, name in ((2, "value"), (1, "key"), (0, "query")):
            if check.same(found[n], exact[n], 1e-5):
                continue
            length, others = lasts[name]
            rows = slice((length - 1) // size * size, None)  # of the last tile along its own axis
            cut = slice((others - 1) // size * size, None)  # the last tile of those that it meets
            weights = (scores / root).softmax(-1)
            axis = -1 if name == "query" else -2
            last, first = torch.zeros_like(weights), torch.zeros_like(weights)
            last.narrow(axis, cut.start, others - cut.start).fill_(1)
            first.narrow(axis, 0, min(size, others)).fill_(1)
            each = {"query": "tile of keys", "key": "tile of queries", "value": "tile of queries"}[name]
            cause = check.first({
                f"Only the last {each} counts. Is a tile's share added to those before it, by +=?":
                    check.same(found[n], by_formula(*loud, pull, seen=last)[n]),
                f"Only the first {each} counts.": check.same(found[n], by_formula(*loud, pull, seen=first)[n]),
                "The weights are a softmax of each tile by itself. They are exp(score − lse).":
                    name == "value" and check.same(found[n], torch.cat([
                        s.softmax(-1).mT @ pull for s in (scores / root).split(size, -1)], -2)),
                "Is D a sum over the keys of one tile? It is over all keys: rowsum(dO · O).":
                    name != "value" and check.same(found[n], by_formula(*loud, pull, rule=of_tile)[n]),
                "The last, shorter tile is left out.": check.same(found[n][..., : rows.start, :],
                    exact[n][..., : rows.start, :]) and rows.start > 0,
            }, otherwise=f"Is each {each} met, once, with its own rows of lse, D and dO, and does none reach "
                         "into the next?\nAnd is lse that of *all* tiles of keys?")  # fmt: skip
            told = f"5 queries, 7 keys: one tile is right, but with tiles of {size} the gradient of {name} is not."
            compare(found[n], exact[n], f"{told}\n{cause}")
    flat = [t[0, 0] for t in loud]
    for mine, right, name in zip(slopes(*flat, 3, pull[0, 0]), exact, ("query", "key", "value")):
        compare(mine, right[0, 0], f"Without leading axes, (5, 11), the gradient of {name} is wrong.")

    # The gradient of out.sum(): dO is a tensor that repeats one number.
    for mine, right, name in zip(slopes(*loud, 3), theirs(*loud, ones), ("query", "key", "value")):
        told = f"out.sum(): the gradient of {name} is wrong. Is dO, which repeats one number here, used as it is?"
        compare(mine, right, told)

    # Scores of about 20, and two calls before the first one's backward pass.
    far = [loud[0] * 5, loud[1] * 5, loud[2]]
    for mine, right, name in zip(slopes(*far, 2, pull), theirs(*far, pull), ("query", "key", "value")):
        told = f"Scores up to about 20: the gradient of {name} is wrong. Is the largest subtracted before exp, and "
        compare(mine, right, f"{told}is lse = largest + log(total)?", 1e-4)
    leaves = [t.clone().requires_grad_() for t in loud]
    first = run(*leaves, 4)
    run(*(t.flip(-2) for t in leaves), 2)
    mine = torch.autograd.grad((first * pull).sum(), leaves)
    told = "Two calls, then the backward pass of the first: its gradients are wrong. Is something kept in the class, "
    for slope, right in zip(mine, exact):
        compare(slope, right, f"{told}or outside? It belongs on ctx.")

    # In float64; a longer text, in whose course the watch counts what is held.
    wide = [t.double() for t in loud]
    out = run(*wide, 3)
    cause = "Are new tensors made with the dtype of the arguments, as in `q.new_full(…)` and `torch.zeros_like(q)`?"
    assert out.dtype == torch.float64, f"Arguments of torch.float64 give {out.dtype}. {cause}"
    long = [torch.randn(90, 4), torch.randn(85, 4), torch.randn(85, 3)]
    pull = torch.randn(90, 3)
    for mine, right, name in zip(slopes(*long, 8, pull), theirs(*long, pull), ("query", "key", "value")):
        compare(mine, right, f"90 queries, 85 keys, tiles of 8: the gradient of {name} is wrong.")
    return "FlashAttention passes: PyTorch's gradients, and no table of weights is kept for them."
