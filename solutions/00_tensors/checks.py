"""The visible checks of unit 00: one function for each exercise, named after it.

It takes the answer as the notebook has it, and returns what the reader is told when it passes.
"""

import torch
import torch.nn.functional as F
from checking.notebook import without
from checking.words import check, compare
from torch import nn  # noqa: F401 the hidden checks use it


def check_weighted_average(weighted_average):
    # What is right: a loop over n, which adds up each value times its weight in every row.
    def by_loop(weights, values):
        return sum(weights[..., [j]] * values[..., [j], :] for j in range(values.shape[-2]))

    weights, values = torch.randn(2, 5, 7), torch.randn(2, 7, 3)
    weights[:, 1] = weights[:, 1].copysign(-weights[:, 0])  # each value has weights of both signs
    right = by_loop(weights, values)  # two sentences: 5 queries mix 7 values of width 3

    # Is your result one mixture per query?
    def which_product():
        """Where all sizes are 4, hardly a mistake crashes: what does yours return there?"""
        w, v = torch.randn(2, 4, 4, 4)
        axes = "Does it take leading axes? `@` does; torch.mm, torch.dot and a loop over two axes "
        axes += "do not."
        fixed = "Is a size fixed, such as the 2 or the 3 of the loop above? Read it from the shapes."
        return check.like(
            check.call(
                weighted_average,
                w,
                v,
                stuck={
                    "broadcast shape": axes,
                    "must match": fixed,
                    "out of bounds": fixed,
                    "": axes,
                },
            ),
            {
                "Do the weights come first?": v @ w,
                "Are entries multiplied one by one, and n never summed?": w * v,
                "Are the weights transposed, though they have one row per query already?": w.mT @ v,
                "Are the values transposed? Each value is a row already.": w @ v.mT,
                "Are the values transposed, by `.T`? Each value is a row.": w @ v.permute(2, 1, 0),
                "Does a loop over i and j take the sentences for queries? A batch stands in front.": (
                    torch.einsum("ijk,jlk->ilk", w, v)
                ),
            },
            otherwise="Which axis is to be summed?",
        )

    check.used(weighted_average, (2, 2), weights=torch.randn(2, 3), values=torch.randn(3, 2))
    yours = check.call(weighted_average, weights, values, stuck=which_product)
    check.tensor(
        yours,
        (2, 5, 3),
        "the mixtures",
        {
            (2, 7, 3): "Did the sum run over the queries instead of over n?",
            (5, 3): "Were the sentences added together, or only one of them used?",
            (2, 3): "Is there one mixture for each row of weights?",
            (2, 3, 5): "Is the result transposed?",
            (2, 5, 7, 3): "Is n still to be summed?",
            (
                2,
                5,
                7,
            ): "n is still there, and the width is gone. Are these the weights themselves, or is "
            "the width summed instead of n?",
            (2, 2, 5, 3): "Are words of one sentence mixed with weights of another?",
            (2, 5, 2, 3): "Are words of one sentence mixed with weights of another?",
        },
        otherwise="Is there one row per query, as wide as a value?",
    )
    told = f"The arguments are {values.dtype}, your mixtures {yours.dtype}. Keep the dtype."
    assert yours.dtype == values.dtype, told

    # Are they the right numbers? If not: value j is now 1 in column j, else 0, so that the output
    # shows the weights that were used. Which of these mistakes gives such weights?
    fixed = "Is a size fixed? These values are 7 wide, those before were 3."
    columns = torch.eye(7).expand(2, 7, 7).clone()
    used = check.call(weighted_average, weights, columns, stuck=fixed)
    ratio = used / weights
    shares = any((used.sum(axis) - 1).abs().max() < 1e-4 for axis in (-1, -2, 0))
    unused = [n for n in range(7) if not used[..., n].any()]
    mean = "That is 1/n. Is it a mean of the weighted values, not their sum?"
    root = "That is 1/√n. Nothing is divided here."
    what = "Are they multiplied or divided by something?"
    what = check.near(ratio.mean(), {mean: 1 / 7, root: 7**-0.5}, what)
    cause = check.first(
        {
            "They sum to 1, which those that came do not. Is there a softmax, or only the best value?": shares
            and used.min() >= 0,
            "They are right to a digit or two. Is something rounded, or in half precision, on the way?": check.same(
                used, weights, atol=0.01
            ),
            f"Each came {ratio.mean():.3f} times as large. {what}": ratio.std() < 1e-3,
            "Each row is multiplied by a number of its own. Is it divided by its sum, or its length?": ratio.std(
                -1
            ).max()
            < 1e-3,
            "Each query takes a single value. Is it the sum over all n, not the best or the last alone?": (
                (used != 0).sum(-1).max() == 1
            ),
            f"The values numbered {unused}, of 0 to 6, count for nothing. Does the sum reach all n?": bool(unused),
            "Each is squared.": check.same(used, weights.square()),
            "None of them is negative, though some weights are. Is the sign lost, or the largest "
            "product taken instead of the sum?": used.min() >= 0,
            "The first sentence is right, the second is not. Are the first's weights used for all?": check.same(
                used[0], weights[0]
            ),
            "All queries of a sentence use the same weights. Has each query its own row?": check.same(
                used, used[:, :1].expand(2, 5, 7)
            ),
            "They are the right ones in a different order, so each meets the wrong value.": check.same(
                used.sort().values, weights.sort().values
            ),
            "Something is added to each of them. Is it the weighted sum alone?": (used - weights).std() < 1e-3,
        },
        otherwise="Does every query of every sentence use its own row of weights, as it came?",
    )
    compare(used, weights, f"The weights that were used are not those that came. {cause}")
    own = "Does each sentence mix its own values, as they came, whatever the leading axes?"
    compare(yours, right, f"The mixtures differ from those of a loop over n. {own}")

    # Other sizes, any number of leading axes, and numbers in a different order in memory.
    tried = (((2,), 5, 7), ((), 5, 7), ((), 7, 4), ((2,), 5, 6), ((1,), 1, 2), ((2, 4), 5, 3))
    for lead, q, n in tried:
        swapped = (torch.randn(*lead[::-1], *sizes) for sizes in ((n, q), (3, n)))
        weights, values = (t.mT.transpose(0, 1) if len(lead) > 1 else t.mT for t in swapped)
        sizes = "Does it work for other sizes, and for any number of leading axes?"
        yours = check.call(weighted_average, weights, values, stuck=sizes)
        told = f"{check.shown(weighted_average, weights, values)} differs from a loop over n."
        cause = own if q > 1 else "Does every axis stay, also one of size 1? `squeeze` drops it."
        if not lead and q > n:
            cause = "No axis stands in front, and there are more queries than values. Does a zip pair them?"
        compare(yours, by_loop(weights, values), f"{told} {cause}")

    # Called by name, in float64, with a gradient for both arguments.
    yours = check.trainable(weighted_average, weights=weights, values=values)
    wide = [t.double().requires_grad_() for t in (weights, values)]
    compare(yours, by_loop(*wide), "In float64 the numbers differ.", atol=5e-5)
    both = weighted_average, by_loop
    slopes = (torch.autograd.grad(f(*wide).square().sum(), wide) for f in both)
    for name, slope, wanted in zip(("weights", "values"), *slopes):
        cause = "Is a part of it detached, or rounded?"
        told = f"The gradient to the {name} is not that of a sum. {cause}"
        compare(slope, wanted, told, atol=1e-5 * wanted.abs().max())
    return "weighted_average passes: the weights are used as they came, whatever the leading axes."


def check_pairwise_dots(pairwise_dots):
    # What is right: in each sentence s, word i times word j, one pair after the other.
    def by_loop(x, other):
        dots = x.new_empty(len(x), x.shape[1], x.shape[1])
        for s, i, j in torch.ones_like(dots).nonzero().tolist():
            dots[s, i, j] = (x[s, i] * other[s, j]).sum()
        return dots

    x = torch.randn(2, 5, 7)  # two sentences of 5 words, each of width 7
    right = by_loop(x, x)

    # Is your result one number per pair of words?
    def which_product():
        """Of sentences with 4 words of width 4 every product is allowed: which one is yours?"""
        cube = torch.randn(4, 4, 4)
        fixed = "Is a size fixed, such as the 6 of the loop above? Read it from the shape of x."
        takes = "Does it take a batch, x of three axes? `@` does; torch.mm and torch.dot do not."
        return check.like(
            check.call(pairwise_dots, cube, stuck={"out of bounds": fixed, "": takes}),
            {
                "Is the second factor transposed?": cube @ cube,
                "`.T` reverses all three axes. Are only the last two axes swapped?": cube @ cube.permute(2, 1, 0),
                "Does a loop or a new tensor take its length from the wrong axis?": by_loop(cube, cube),
            },
            otherwise="Are only the last two axes swapped, and the sentences left alone?",
        )

    check.used(pairwise_dots, (3, 6, 6), x=torch.randn(3, 6, 2))
    yours = check.call(pairwise_dots, x, stuck=which_product)
    summed = "Are the products of each pair summed over the width, and over nothing else?"
    apart = "Are words of one sentence combined with words of another?"
    check.tensor(
        yours,
        (2, 5, 5),
        "the dot products",
        {
            (2, 5, 7): summed,
            (2, 5, 5, 7): summed,
            (10, 10): apart,
            (2, 5, 2, 5): apart,
            (2, 2, 5, 5): apart,
            (5, 5): "Were the sentences added together, or only one of them used?",
            (2, 7, 7): "Are these products of columns? Which factor is transposed?",
            (2, 5): "Is every word multiplied with itself only?",
            (6, 6): "These are six words. Does it read `vectors` from the text, and not its own x?",
            (2, 6, 6): "Is the 6 of the loop above written into it? Here are 5 words.",
        },
        otherwise="Is there one row and one column per word?",
    )
    told = f"x is {x.dtype}, your dot products are {yours.dtype}. Keep the dtype."
    assert yours.dtype == x.dtype, told

    # Are they the right numbers? If not: which of these mistakes gives such numbers?
    own = yours.diagonal(dim1=-2, dim2=-1)
    factor = (yours / right).median()
    what = check.near(
        factor,
        {
            "That is 1/√d. Leave this division out here.": 7**-0.5,
            "That is 1/√seq. Leave this division out: nothing is scaled here.": 5**-0.5,
            "That is 1/d. Is it the mean of the products, not their sum?": 1 / 7,
            "Is there a minus too many?": -1,
        },
        otherwise="What multiplies or divides them?",
    )
    stretched = check.call(pairwise_dots, 3 * x)
    cause = check.first(
        {
            "They sum to 1, which dot products do not. Is there a softmax too many?": any(
                check.same(yours.sum(axis), torch.ones(2, 5)) for axis in (1, 2)
            ),
            "Each number is squared.": check.same(yours, right.square(), atol=1e-3),
            "It is right, and then a function too many is applied: exp, sigmoid or tanh.": any(
                check.same(yours / f(right), torch.ones_like(right), 1e-3)
                for f in (torch.exp, torch.sigmoid, torch.tanh)
            ),
            "It is right to a digit or two. Is something rounded, or in half precision, on the way?": check.same(
                yours, right, atol=0.07
            ),
            "The diagonal is twice what it should be, the rest is right. Is one half mirrored onto "
            "the other, and the diagonal added to itself?": check.same(
                yours - right, torch.diag_embed(right.diagonal(dim1=-2, dim2=-1))
            ),
            "Only the diagonal is there. Are all pairs multiplied?": check.same(yours, torch.diag_embed(own)),
            "A word with itself gives 0. Is it a distance, or is the diagonal left out?": check.same(
                own, torch.zeros(2, 5)
            ),
            "No number is negative. Is the sign lost? Vectors that point apart have a negative dot.": yours.min() >= 0,
            "A whole row or column is 0. Does a loop stop too early?": not (
                yours.any(-1).all() and yours.any(-2).all()
            ),
            "One side of the diagonal is 0. Does the inner loop begin at 0, so each pair comes twice?": check.same(
                yours.tril(-1), 0 * yours
            )
            or check.same(yours.triu(1), 0 * yours),
            f"All numbers are {factor:.3f} times the right ones. {what}": check.same(yours, factor * right),
            "Longer vectors should give larger numbers. Are they divided by their length?": check.same(
                stretched, yours
            ),
            "Of vectors 3 times as long it is 3 times as large, not 9. Is one divided by its length?": check.same(
                stretched, 3 * yours
            ),
            "Of vectors 3 times as long it is not 9 times as large. Is it a sum of products of two?": not check.same(
                stretched, 9 * yours, atol=1e-2
            ),
            "Every sentence gets the same numbers, those of all added up. Is the batch summed?": check.same(
                yours, right.sum(0, keepdim=True).expand_as(right)
            ),
            "The first sentence is right, the second is not. Is each multiplied with itself?": check.same(
                yours[0], right[0]
            ),
            "The last sentence is right, the first is not. Does a loop keep the last one for all?": check.same(
                yours[-1], right[-1]
            ),
            "Words are multiplied with words of another sentence. Does each stay with its own?": check.same(
                yours, by_loop(x, x.flip(0))
            ),
            "Each word is multiplied with the words of all sentences. Does each stay with its own?": check.same(
                yours, by_loop(x, x.sum(0, keepdim=True).expand_as(x))
            ),
            "Entries (i, j) and (j, i) differ. Is x reshaped where two axes should be swapped?": not check.same(
                yours, yours.mT
            ),
            "A number added to all of x changes nothing in yours. Is a mean subtracted first?": any(
                check.same(check.call(pairwise_dots, x + shift), yours, atol=1e-3)
                for shift in (torch.tensor(2.0), torch.randn(7))
            ),
        },
        otherwise="Is it the sum of all 7 products, of x just as it came?",
    )
    compare(yours, right, f"These are not the dot products that a loop finds. {cause}")

    # Other sizes, and numbers that do not lie in order in memory.
    for sizes in ((1, 4, 3), (3, 2, 6), (4, 3, 3)):
        x = torch.randn(sizes).mT.contiguous().mT
        told = f"{check.shown(pairwise_dots, x)}: is any size fixed, or taken from the wrong axis?"
        if sizes[0] == 1:
            told = f"{check.shown(pairwise_dots, x)}: axes of size 1 stay. Is there a squeeze?"
        yours = check.call(pairwise_dots, x, stuck="Is a size fixed, or is `view` used?")
        compare(yours, by_loop(x, x), told)

    # Called by name, in float64, and with a gradient that is right.
    yours, wide = check.trainable(pairwise_dots, x=x), x.double()
    compare(yours, by_loop(wide, wide), "In float64 the numbers differ.", atol=5e-5)
    slope = torch.autograd.grad(pairwise_dots(x.requires_grad_()).sum(), x)[0]
    expected = 2 * x.detach().sum(1, keepdim=True).expand(4, 3, 3)
    compare(slope, expected, "The gradient is not that of x · x. Is one of the factors detached?")
    return "pairwise_dots passes: each word with each word of its sentence, as a loop finds them."


def check_nearest_other(nearest_other):
    # Five words in the plane, with the answer worked out by hand; each mistake gives a different list.
    x = torch.tensor([[-3.0, -2.0], [3.0, -2.0], [-2.0, 3.0], [-1.0, 2.0], [-1.0, 3.0]])
    right = [2, 0, 4, 2, 2]
    yours = check.call(
        nearest_other,
        x,
        stuck={
            "unpack": "Does it take one matrix of words, x of two axes, without a batch?",
            "out of bounds": "Is a size fixed? Here x has 5 rows, and the next one may have 40.",
            "imension": "Is one matrix of words taken, x of two axes, without a batch?",
            "in-place": "Is the diagonal changed in a tensor of your own, which needs no gradient?",
            "NoneType": "Does a row find nothing? All its dot products may be below your first guess.",
            "": "Is it x times x transposed, then the position of the largest number in each row?",
        },
    )
    check.tensor(
        yours,
        (5,),
        "one index per word",
        {
            (
                5,
                5,
            ): "Is the largest of each row still to be found, or its place written as one-hot?",
            (5, 1): "Is an axis of size 1 left over?",
            (): "Is it one index for the whole matrix? Say along which axis `argmax` searches. "
            "Or does the `return` stand inside a loop?",
            (2,): "Are these products of columns? Words are rows.",
            (5, 2): "Is it the other row itself that is returned, not its index?",
            (4,): "Is one word missing?",
        },
        otherwise="Is there one index per row of x?",
    )
    told = f"Expected indices, torch.int64, got {yours.dtype}."
    cause = "Where does the other dtype come from? `argmax` gives int64."
    got = yours.tolist()
    if yours.is_floating_point() and got != right:
        cause = "Is it the index of the largest, not its value?"
    assert yours.dtype == torch.int64, f"{told} {cause}"
    chose_itself = [n for n in range(5) if got[n] == n]
    cause = check.first(
        {
            "It is the word it agrees with *least*. Is it argmin, or a minus too many?": got == [1, 2, 1, 1, 1],
            "It is the nearest by distance. The largest dot product is asked for, and length counts.": got
            == [3, 3, 4, 4, 2],
            "It is the best by angle alone. Are the vectors divided by their length?": got == [2, 0, 3, 2, 3],
            "It looks at the size of the dot products without their sign. Is there an `abs`?": got == [1, 2, 1, 2, 2],
            "Each index after the own one is 1 too small. Was the own column cut out, not covered?": got
            == [1, 0, 3, 2, 2],
            "It is always the second largest. A word need not be its own largest: see row 3.": got == [2, 0, 4, 4, 4],
            "No row finds the first word. Does a loop over the words begin at 1?": got == [2, 3, 4, 2, 2],
            "No row finds the last word. Does a loop over the words end one too early?": got == [2, 0, 3, 2, 2],
            "Each word is compared with later words only. Does the inner loop begin at 0?": got[:3] == [2, 3, 4],
            "Each word is compared with earlier words only. Does the inner loop end too soon?": got[1:] == [0, 0, 2, 2],
            "Every index is 1 too large. Are the rows counted from 0?": got == [3, 1, 5, 3, 3],
            "Each word takes the first other word. Is there a NaN, such as 0 times infinity?": got == [1, 0, 0, 0, 0],
            "All rows give the same index. Is it the best of the whole matrix?": len({*got}) == 1,
            "Every word chose itself. Is it argmin, or does something too large stand on the diagonal, as "
            "inf or NaN?": len(chose_itself) == 5,
            f"Word {(chose_itself or [0])[0]} chose itself. Is the diagonal smaller than every other number? "
            "In a loop: is the first guess too high, such as 0?": bool(chose_itself),
        },
        otherwise="For each row: all dot products with other rows, then the index of the largest?",
    )
    assert got == right, f"Expected {right}, got {got} for x = {x.int().tolist()}.\n{cause}"

    # Two words that point apart: the other one is the nearest, however far.
    for size in (1, 100, 1e5, 1e12):
        pair = size * torch.tensor([[3.0, 1.0, 0.0], [-3.0, 1.0, 0.0]])
        got = check.call(nearest_other, pair, stuck="Does it work for any n, even 2?").tolist()
        told = f"Two words with dot product {-8 * size**2:g}: expected [1, 0], got {got}. A word chose"
        cause = "itself. Smaller than every number is float('-inf')."
        if got != [1, 0] and check.call(nearest_other, pair.double()).tolist() == [1, 0]:
            cause = "itself, which in\nfloat64 it does not. Is its own entry the smallest number less 1? Of "
            cause += "so large numbers float32\nkeeps no ones. Smaller than every number is float('-inf')."
        assert got == [1, 0], f"{told} {cause}"

    pair = torch.tensor([[1.0, 0.0], [-80.0, 0.0]])
    got = check.call(nearest_other, pair).tolist()
    told = f"Two words of lengths 1 and 80, dot product -80: expected [1, 0], got {got}. A word"
    told += " chose itself.\nIs its own entry made of its own length? float('-inf') is smaller."
    assert got == [1, 0], told

    # Three words that all agree well: what is smaller than each of these numbers?
    close = torch.tensor([[10.0, 1.0], [10.0, 2.0], [10.0, 3.0]])
    got = check.call(nearest_other, close).tolist()
    told = f"All dot products lie between 101 and 109: expected [2, 2, 1], got {got}. A word chose"
    assert got == [2, 2, 1], f"{told} itself. Is its own entry smaller than any other may be?"

    # A word that occurs twice counts as two words; all other sizes agree with a loop.
    twin = torch.tensor([[2.0, 1.0], [1.0, 1.0], [2.0, 1.0]])
    got = check.call(nearest_other, twin).tolist()
    same = "Rows 0 and 2 are the same word, twice. Expected each to find the other"
    assert got[::2] == [2, 0], f"{same}, got {got[::2]}. Is something covered besides the diagonal?"
    for n, d in ((3, 8), (8, 3), (6, 6), (40, 5)):
        x = torch.randn(d, n).T
        yours = check.call(nearest_other, x, stuck="Does it work for other sizes, as (8, 3)?")
        for i, chosen in enumerate(yours.tolist()):
            rivals = (x @ x[i]).index_fill(0, torch.tensor(i), -1e9)
            told = f"x ({n}, {d}), row {i}: got {chosen}, expected {int(rivals.argmax())}."
            fair = 0 <= chosen < n and rivals[chosen] > rivals.max() - 1e-4
            assert fair, f"{told} Is a size fixed, or does something else go wrong for larger n?"

    # By name, in float64, with x left as it was.
    x = torch.randn(6, 4, dtype=torch.float64, requires_grad=True)
    names = {"keyword": "Is its argument still called x?", "": "Does it take x with a gradient?"}
    names["numpy()"] = "Here x takes a gradient. NumPy needs x.detach(); torch.argmax does not."
    check.call(nearest_other, x=x, stuck=names)
    return "nearest_other passes: the best other word for each word, even where all agree badly."


def check_predicted_shapes(predicted_shapes):
    # Is it a dictionary with the four keys?
    asked, kind = ("linear", "matmul", "broadcast", "heads"), type(predicted_shapes).__name__
    told = f"Expected a dictionary with the keys {', '.join(asked)}"
    braces = "Are the shapes in braces, each with its name?"
    assert isinstance(predicted_shapes, dict), f"{told}, got {kind}. {braces}"
    got = f"got {', '.join(map(str, predicted_shapes))}"
    spelled = "Is one forgotten, misspelt, or one too many?"
    assert set(predicted_shapes) == set(asked), f"{told}; {got}. {spelled}"

    # Is each of them a tuple or a list of whole numbers?
    for name, shape in predicted_shapes.items():
        kind = type(shape).__name__
        told = f"{name}: expected a tuple of whole numbers such as (2, 3), got {kind}."
        brackets = "Is it in round brackets, without quotes?"
        assert isinstance(shape, (tuple, list)), f"{told} {brackets}"
        whole = all(type(size) is int and size > 0 for size in shape)
        told = f"{name}: expected whole numbers above 0, got {str(shape)[:60]}."
        cause = "Is each size a number of its own?"
        if any(isinstance(size, float) for size in shape):
            cause = "A number with a point is none. `12 / 3` gives 4.0, `12 // 3` gives 4."
        elif "np." in str(shape):
            cause = "Numpy has numbers of its own. Write the sizes out, as in (2, 3)."
        assert whole, f"{told} {cause}"
    return "predicted_shapes has four shapes in the right form. PyTorch's own come next."


@without("F.linear", "Linear")
def check_linear_last_dim(linear_last_dim):
    # What is right: PyTorch's own layer. Where all sizes are 4, hardly a mistake crashes, and its
    # numbers give it away.
    x, weight = torch.randn(4, 4, 4), torch.randn(4, 4)
    right = F.linear(x, weight)
    trouble = {
        "missing": "May the bias be left out? Give it a default.",
        "NoneType": "May the bias be None? Ask `bias is None` before you add it.",
        "tensor b (3)": "No bias came, and 3 numbers are added. Is None the default of the bias?",
        "": "Does it take leading axes? `@` does; torch.mm and torch.mv do not.",
    }
    check.used(linear_last_dim, (5, 30), x=torch.randn(5, 10), weight=torch.randn(30, 10))
    yours = check.call(linear_last_dim, x, weight, stuck=trouble)
    check.call(linear_last_dim, x, weight, None, stuck=trouble)
    check.tensor(
        yours,
        (4, 4, 4),
        "the result",
        {
            (16, 4): "Were the leading axes flattened and not put back?",
            (4, 4): "Is only one of the sentences used, or is something averaged?",
        },
        otherwise="Does only the last axis change?",
    )
    told = f"The arguments are {x.dtype}, your result is {yours.dtype}. Keep the dtype."
    assert yours.dtype == x.dtype, told
    factor = (yours / right).median()
    extra = {"relu": right.relu(), "gelu": F.gelu(right), "tanh": right.tanh()}
    extra |= {"sigmoid": right.sigmoid(), "softmax": right.softmax(-1)}
    cause = check.like(
        yours,
        {
            "Is the weight transposed, by `.T` and not by a reshape?": x @ weight,
            "Does x come first, so that its words stay rows?": weight @ x,
            "Does x come first? The weight is transposed, but it stands in front.": weight.T @ x,
            "Is x transposed, too? Its words are rows already.": x.mT @ weight.T,
            "Do the arguments come in this order: x, weight, bias?": weight @ x.permute(2, 1, 0),
            "Are words columns in the result? They stay rows.": right.mT,
            **{f"There is a function too many: {name}.": y for name, y in extra.items()},
            "Is x returned as it came?": x,
            "Are entries multiplied one by one? A matrix product sums over d_in.": x * weight,
            f"All is {factor:.3f} times as large as it should be. What divides it?": factor * right,
            "Does the first sentence stand for all?": right[:1].expand(4, 4, 4),
            "Does the last sentence stand for all?": right[-1:].expand(4, 4, 4),
            "1 is added to each, and no bias came. Is True the default of the bias? Or is something "
            "added where it is None?": right + 1,
            "Every word has gained the same numbers, and no bias came. What is added?": right + (yours - right)[:1, :1],
        },
        otherwise="Is it this weight, with no other function before or after it?",
    )
    compare(yours, right, f"Not what PyTorch's own layer returns without a bias. {cause}")

    # Sizes that differ: x (2, 5, 7) through a weight (3, 7).
    x, weight, bias = torch.randn(2, 5, 7), torch.randn(3, 7), torch.randn(3)
    sizes = "Equal sizes work. Are two sizes mixed up, or is one fixed?"
    yours = check.call(linear_last_dim, x, weight, stuck=sizes)
    check.tensor(
        yours,
        (2, 5, 3),
        "the result",
        {
            (10, 3): "Were the leading axes flattened and not put back?",
            (2, 3, 5): "Are words columns here? They stay rows.",
        },
        otherwise="Does only the last axis change?",
    )
    compare(yours, F.linear(x, weight), f"x (2, 5, 7), weight (3, 7): not as nn.Linear. {sizes}")

    one = check.call(linear_last_dim, x, weight[:1], stuck=sizes)
    told = f"weight (1, 7): expected (2, 5, 1), got {tuple(one.shape)}. An axis of size 1 stays."
    assert one.shape == (2, 5, 1), f"{told} Is there a squeeze?"

    # The bias: with it minus without it, each word has gained exactly the bias.
    full = check.call(
        linear_last_dim,
        x,
        weight,
        bias,
        stuck={
            "oolean": "Is a tensor asked for its truth value (`if bias`)? Ask `bias is None`.",
            "": "Is the bias added to the result, along its last axis, and not to x?",
        },
    )
    alone = {(3,): "It is the bias alone. Does it replace the product?"}
    check.tensor(full, (2, 5, 3), "the result with a bias", alone, otherwise="Is it added?")
    added, wanted = full - yours, bias.expand(2, 5, 3)
    times = (added / wanted).median()
    cause = check.like(
        added,
        {
            "With a bias and without, the result is the same. Is the bias added at all?": 0 * added,
            f"It is {times:.2f} times the bias. Is it added once, as it came?": times * wanted,
            "It is the bias alone. Does it replace the product?": wanted - yours,
            "Each number gets the same. Is it the mean or the sum of the bias, not its own entry?": added[
                :1, :1, :1
            ].expand(2, 5, 3),
            "The result is multiplied by it.": yours * bias - yours,
        },
        otherwise="Is it added to every word, entry by entry along the last axis, and last of all?",
    )
    compare(added, wanted, f"The result with a bias minus that without is not the bias. {cause}")
    holed = torch.tensor([1.0, 0.0, 2.0])
    told = "A bias with a 0 in it is not added. Is it asked whether it is 0? Ask `bias is None`."
    compare(linear_last_dim(x, weight, holed), F.linear(x, weight, holed), told)

    # Any number of leading axes, none included, in any order in memory.
    for lead in ((), (4,), (5, 1, 2, 3, 4)):
        x = torch.randn(7, *lead[::-1]).permute(*range(len(lead), -1, -1))
        axes = "Does it work for any number of leading axes, none included?"
        yours = check.call(linear_last_dim, x, weight, bias, stuck=axes)
        kept = "Axes of size 1 stay. Is there a squeeze?" if 1 in lead else ""
        told = f"x {tuple(x.shape)}: not as nn.Linear. {axes} {kept}"
        compare(yours, F.linear(x, weight, bias), told)

    # Called by name, in float64, with a gradient for all three, even for a bias of zeros.
    check.trainable(linear_last_dim, x=x, weight=weight, bias=bias)
    level = torch.zeros(3, requires_grad=True)
    told = "No gradient reaches a bias of zeros, which is a bias, too. Is it asked `bias is None`?"
    assert linear_last_dim(x, weight, level).requires_grad, told
    yours = check.trainable(linear_last_dim, x=x, weight=weight)
    wide = [t.double().requires_grad_() for t in (x, weight, bias)]
    exact = F.linear(*wide[:2])
    compare(yours, exact, "In float64 the numbers differ.", atol=5e-5)
    both = linear_last_dim, F.linear
    slopes = (torch.autograd.grad(f(*wide).square().sum(), wide) for f in both)
    for name, slope, wanted in zip(("x", "weight", "bias"), *slopes):
        told = f"The gradient to {name} is not that of a linear layer. Is a part of it detached?"
        compare(slope, wanted, told, atol=1e-5 * wanted.abs().max())
    return "linear_last_dim passes: it agrees with nn.Linear, with a bias and without, on any axes."
