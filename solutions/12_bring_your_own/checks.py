"""The visible checks of unit 12: one function for each exercise, named after it.

Each takes the answer as the notebook has it, and returns what the reader is told when it passes.
"""

from types import SimpleNamespace

import torch
import torch.nn.functional as F
from checking.words import check, compare

DIAGNOSES = (
    "sound",
    "not divided",
    "divided by d_head",
    "divided by √d_model",
    "multiplied by √d_head",
    "softmax over the queries",
    "sees the next word",
    "does not see itself",
    "True hides",
    "mask thrown away",
    "mask after the softmax",
    "heads joined by reshape",
    "heads averaged",
    "one mask for all sentences",
)
NAMES = ("Ada", "Ben", "Cleo", "Dov", "Eva", "Finn", "Gus", "Hana")
D_MODEL, N_HEADS = 12, 3


def yes_or_no(said, what):
    """said is a real bool."""
    cause = "Is there a `return` on every way out?" if said is None else "Use bool(…)."
    kind = type(said).__name__
    assert isinstance(said, bool), (
        f"{what}: expected True or False, got {said!r:.60}, a {kind}. {cause}"
    )
    return said


# --- reads ---------------------------------------------------------------------------------------


def table_of(reads, layer, x):
    """What reads(layer, x) returns: a bool table (seq, seq)."""
    words = x.shape[1]

    def watched(y):
        told = f"layer was called on shape {tuple(y.shape)}, expected {tuple(x.shape)}"
        assert y.shape == x.shape, told
        return layer(y)

    found = check.call(
        reads,
        layer=watched,
        x=x,
        stuck={
            "was called": "Replace a word where it stands, in a copy of x. Cut nothing off.",
            "keyword": "Later cells call it by name. Are its arguments called layer and x?",
            "must match the size": "Are the new numbers of the shape of x[:, j], (batch, d)?",
            "": "Does it take any number of sentences, words and numbers per word?",
        },
    )
    wrong = {
        (words,): "Is there one row for each output word?",
        (2, words, words): "One table for all sentences: any of them counts.",
    }
    check.tensor(
        found,
        (words, words),
        "the table",
        wrong,
        otherwise="Rows are output words, columns are words replaced.",
    )
    told = f"Expected a table of torch.bool, got {found.dtype}."
    assert found.dtype == torch.bool, f"{told} Is the largest change compared with 1e-5?"
    return found


def mixing(mix):
    """A layer whose output word i is the sum of the words j, times mix[i, j]; it keeps 4 numbers."""
    return lambda y: (mix @ y)[..., :4]


def check_reads(reads):
    x, zeros = torch.randn(2, 5, 6), torch.zeros(2, 5, 6)
    past, none = torch.ones(5, 5).tril() / 5, torch.zeros(5, 5).bool()
    back = torch.diag(torch.ones(4), -1) + torch.diag(torch.ones(3), -2)

    def expect(told, layer, right, cause, causes=None, x=x):
        """The table is right; where it is not: told, and the cause that gives this table."""
        found = table_of(reads, layer, x)
        cause = check.like(found, causes or {}, otherwise=cause)
        compare(found.float(), right.float(), f"{told}\n{cause}")

    # A layer whose outputs read the word before and the word two before, but not themselves.
    right = back > 0
    expect(
        "In this layer output i reads words i − 1 and i − 2, and not itself.",
        mixing(back),
        right,
        "Is one word replaced at a time, and each output word looked at by itself?",
        {
            "Rows and columns are swapped: row i is the output, column j the word replaced.": (
                right.mT
            ),
            "It is inverted: True means that the output changes.": ~right,
            "Every word is said to be read. Are all words replaced at once, is a new word NaN,"
            " or is the output compared with x? Compare it with layer(x).": ~none,
            "No word is said to be read. Is x really changed, by more than rounding, and not to NaN?": (
                none
            ),
            "Only word 0 is said to be read. Does `return` stand inside the loop?": (
                right & (torch.arange(5) == 0)
            ),
            "Word 0 is said to be read by nobody. Is it ever replaced?": (
                right & (torch.arange(5) > 0)
            ),
            "Only whether a word reads itself is looked at.": torch.eye(5).bool(),
            "A word is said to read itself. Is the output compared with x? Compare it with layer(x).": (
                right | torch.eye(5).bool()
            ),
            "All words from j on are replaced. Replace one word at a time, in a fresh copy.": (
                torch.ones(5, 5).tril(-1).bool()
            ),
            "The words replaced before are still replaced. Make a fresh copy of x for each word.": (
                back.cumsum(1) > 0
            ),
            "Each output is said to read what any output reads. Look at each output by itself.": (
                right.any(0).expand(5, 5)
            ),
        },
    )

    # Layers that read the past, and the future; one sentence that reads more; a single number.
    seen, itself = past > 0, "A word reads itself here. Is the diagonal left out?"
    cause = "Is there a limit to how far an output is looked at?"
    missed = {itself: past.tril(-1) > 0}
    expect("In this layer output i reads the words 0 … i.", mixing(past), seen, cause, missed)
    missed = {itself: past.tril(-1).mT > 0, "Are later words left out?": torch.eye(5).bool()}
    expect("In this layer output i reads the words i … 4.", mixing(past.mT), seen.mT, cause, missed)

    def second(y):
        out = 0 * y
        out[1, 1] = y[1, 3]
        return out

    def one_number(y):
        out = 0 * y
        out[..., 0, 2] = y[..., 4, 5]
        return out

    only = none.clone()
    only[1, 3] = True
    expect(
        "In sentence 1 of this layer, and only there, output 1 reads word 3.",
        second,
        only,
        "Is only the first sentence looked at, or a mean over all? Any sentence counts.",
    )
    only = none.clone()
    only[0, 4] = True
    expect(
        "In this layer number 2 of output 0 is number 5 of word 4, and nothing else is read.",
        one_number,
        only,
        "Is every number of a word replaced, and every number of an output compared?",
    )

    # Words of zeros; a layer whose outputs only sink, and one that takes the mean off each word.
    expect(
        "All words of x are zeros here.",
        mixing(past),
        seen,
        "Is a word replaced by zeros, by a multiple of itself, or by a word that is the same? Use"
        " random numbers.",
        x=zeros,
    )
    expect(
        "The outputs of this layer only sink when a word changes.",
        lambda y: -(past @ (y - x).abs()),
        seen,
        "Is the size of a change compared, without its sign (abs)? A gradient at x is 0 here:"
        " replace the words.",
    )
    apart = lambda y: past @ (y - y.mean(-1, keepdim=True))
    uneven = table_of(reads, lambda y: apart(y) * torch.arange(6), zeros)
    expect(
        "All words of x are zeros here, and the mean of each new word is subtracted.",
        apart,
        seen,
        "The numbers of each output sum to 0. Are they summed before they are compared?"
        if uneven.equal(seen)
        else "Is a word moved by one number everywhere? Replace it by random numbers.",
        x=zeros,
    )

    # Rounding is no reading, and a small change is.
    expect(
        "The outputs of this layer change by less than 2e-6: rounding.",
        lambda y: 1e-6 * (past @ y.tanh()),
        none,
        "Is the limit lower than 1e-5, as in allclose or equal?",
    )
    expect(
        "The outputs of this layer change by about 6e-5 where a word is read.",
        lambda y: past @ torch.sin(1e5 * y) * 3e-4,
        seen,
        "Is the limit higher than 1e-5, or a change relative?",
    )

    # A layer that notices a word only on one side of a plane: its negative is on the other side.
    side = torch.randn(24, 6)
    every = torch.ones(24, 24).tril()
    expect(
        "This layer has a relu in front: half of all words are 0 to it, as all of x are.",
        lambda y: every @ (y * side).sum(-1, keepdim=True).relu(),
        every,
        "Is each word replaced by random numbers, and then by their negative? Either one counts.",
        x=(-side / side.norm(dim=-1, keepdim=True) * 3)[None],
    )
    return "reads passes: it finds which word each output depends on, in any layer."


# --- crosses_sentences ---------------------------------------------------------------------------


def check_crosses_sentences(crosses_sentences):
    x = torch.randn(3, 4, 5)

    def verdict(layer, what, x=x):
        def watched(y):
            told = f"layer was called on shape {tuple(y.shape)}"
            assert y.ndim == 3 and y.shape[1:] == x.shape[1:] and len(y), told
            return layer(y)

        said = check.call(
            crosses_sentences,
            layer=watched,
            x=x,
            stuck={
                "was called": "A sentence alone keeps its axis: x[b : b + 1], not x[b].",
                "keyword": "Later cells call it by name. Are its arguments called layer and x?",
                "": "Does it take any number of sentences, words and numbers per word?",
            },
        )
        return yes_or_no(said, what)

    # Attention within sentences, attention with a softmax over the batch, and a small batch.
    inside = lambda y: (y @ y.mT / 5**0.5).softmax(-1) @ y
    over_batch = lambda y: (y @ y.mT / 5**0.5).softmax(0) @ y
    counted = lambda y: y * (1 + len(y) % 2) if len(y) < 3 else y
    said = tuple(verdict(layer, "The answer") for layer in (inside, over_batch))
    causes = {
        (True, False): "Is the answer inverted?",
        (
            False,
            False,
        ): "Is another sentence really replaced, and the outputs of this one compared?",
        (
            True,
            True,
        ): (
            "Is the sentence itself replaced, too, or its output compared with another sentence's? "
            "Keep sentence b, replace the others, and compare its own output."
        ),
    }
    told = (
        "Attention within sentences, and with a softmax over the batch: expected (False, True), got"
    )
    assert said == (False, True), f"{told} {said}.\n{causes.get(said, '')}"
    told = "This layer only does something else where the batch is smaller"
    assert verdict(counted, told), (
        f"{told}: expected True, got False.\nIs each sentence tried alone, as x[b : b + 1]?"
    )

    # One number of one sentence leaks into one number of another.
    def leak(b, other, bend=lambda change: change):
        def layer(y):
            out = y.clone()
            if len(y) == 3:
                out[b, 1, 2] += bend(y[other, 3, 4] - x[other, 3, 4])
            return out

        return layer

    missed = [
        (b, other)
        for b in range(3)
        for other in range(3)
        if b != other and not verdict(leak(b, other), "A leak")
    ]
    others = {other for _, other in missed}
    up, down = (
        all(verdict(leak(*pair, lambda c, size=size: size * c.abs()), "A leak") for pair in missed)
        for size in (1e5, -1e5)
    )

    def shifted(y):
        return y + (y - x).sum() if len(y) == 3 else y

    cause = check.first(
        {
            "Is the limit far above 1e-5, or a mean compared? Larger changes are found.": up
            and down,
            "Is the size of a change compared, without its sign (abs)?": up or down,
            "Is every number of every word replaced, and every number of the output compared?": (
                len(missed) == 6 and verdict(shifted, "A leak")
            ),
            "Is only the sentence alone tried? Replace other sentences, too.": len(missed) == 6,
            "Is only sentence 0 looked at?": {b for b, _ in missed} == {1, 2},
            "Is sentence 0 never looked at?": {b for b, _ in missed} == {0},
            "Is only sentence 0 replaced?": others == {1, 2},
            f"Is sentence {min(others, default=0)} never replaced?": len(others) == 1,
        },
        otherwise="Is every number of each sentence's output compared, by its size (abs)?",
    )
    if missed:
        told = "In this layer one number of sentence {}'s output depends on sentence {}".format(
            *missed[0]
        )
        raise AssertionError(f"{told}: expected True, got False.\n{cause}")
    small = lambda y: y + 1e-6 * y.mean(0).tanh()
    told = "Another sentence changes this layer's output by less than 1e-5, which is rounding"
    assert not verdict(small, told), (
        f"{told}: expected False, got True.\nIs the limit lower than 1e-5?"
    )
    larger = lambda y: y + 3e-4 * torch.sin(1e5 * y).mean(0)
    told = "Another sentence changes this layer's output by about 1e-4"
    assert verdict(larger, told), (
        f"{told}: expected True, got False.\nIs the limit higher than 1e-5?"
    )
    faint = lambda y: (
        y
        + 1e-4 * (y[:, 3:, 4:] != x[: len(y), 3:, 4:]).any() * F.pad(torch.ones(1, 1), (0, 4, 0, 3))
    )
    told = "Another sentence changes one number of this layer's output by 1e-4"
    assert verdict(faint, told), (
        f"{told}: expected True, got False.\nIs a mean compared with 1e-5? Compare the largest change."
    )
    mean = lambda y: y + y.mean(0)
    told = "All sentences are zeros here, and the mean of the batch is added"
    assert verdict(mean, told, torch.zeros(3, 4, 5)), (
        f"{told}: expected True, got False.\nAre others replaced by zeros? Use random numbers."
    )
    first_mask = lambda y: y * (y[:1, :, :1] > 0)
    two = x[:2].clone()
    two[0, :, 0] = 1.0
    told = "This layer takes the mask of sentence 0 for all sentences"
    assert verdict(first_mask, told, two), (
        f"{told}: expected True, got False.\nIs each sentence tried alone, too?"
    )
    return (
        "crosses_sentences passes: it tells whether one sentence can change the output of another."
    )


# --- pattern -------------------------------------------------------------------------------------


def check_pattern(pattern):
    def run(weigh, query, key):
        """pattern of the attention whose weights are weigh(query, key)."""

        def attend(query, key, value):
            told = f"attend was called with value {tuple(value.shape)} and key {tuple(key.shape)}"
            assert value.shape[:-1] == key.shape[:-1], told
            return weigh(query, key) @ value

        return check.call(
            pattern,
            attend=attend,
            query=query,
            key=key,
            stuck={
                "was called": (
                    "There is one value for each key, in the same sentence and head: (…, k, width)."
                    " Do query and key come in this order?"
                ),
                "keyword": (
                    "Later cells call it by name. Are its arguments called attend, query and key?"
                ),
                "same dtype": "Is value of the dtype of query and key?",
                "": "Does it take any leading axes, and other widths than numbers of keys?",
            },
        )

    # Plain attention, with heads.
    soft = lambda q, k: (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)
    query, key = torch.randn(2, 3, 5, 4), torch.randn(2, 3, 7, 4)
    right = soft(query, key)
    yours = run(soft, query, key)
    shapes = {
        (
            2,
            3,
            5,
            4,
        ): "That is as wide as the keys. The values are yours to choose: one column for each key.",
        (
            2,
            3,
            5,
            1,
        ): (
            "With one number per value you get one number per query. Take as many as there are"
            " keys."
        ),
        (2, 3, 7, 5): "Are rows and columns swapped? Rows are queries.",
        (2, 3, 5, 5): "Is there one column for each query? Each key needs one.",
        (5, 7): "Are the leading axes lost?",
        (2, 5, 7): "Are the weights of several heads averaged? Return each head's.",
    }
    check.tensor(
        yours,
        (2, 3, 5, 7),
        "the weights",
        shapes,
        otherwise="Expected a row per query and a column per key.",
    )
    alike = "Each row is the same number. Are all values alike? Value j should be 1 in column j,"
    alike += " and 0 elsewhere."
    cause = check.like(
        yours,
        {
            alike: torch.ones(2, 3, 5, 7),
            "The columns come in the reverse order.": right.flip(-1),
            "That is a softmax of the weights. They are weights already.": right.softmax(-1),
            "Those are the scores. Read the weights off the output.": query @ key.mT / 2,
        },
        otherwise=(
            "Is value j 1 in column j and 0 elsewhere, so that column j of the output is the weight"
            " of key j?"
        ),
    )
    times = (yours / right).median()
    if check.same(yours, times * right):
        cause = f"They are the weights, times {times:.3g}. Return what attend gives."
    compare(yours, right, f"The weights are off. {cause}", atol=1e-5)

    # Attention whose rows do not sum to 1, whose weights are negative, and that is no softmax at all.
    half = lambda q, k: soft(q, k) / 2
    told = "In this attention each row of weights sums to one half."
    cause = "Are the weights divided by their sum, or computed anew? Return what attend gives."
    compare(run(half, query, key), right / 2, f"{told} {cause}")
    signed = lambda q, k: q @ k.mT / 7
    compare(
        run(signed, query, key),
        query @ key.mT / 7,
        "This attention has no softmax, and its weights may be negative. Return what attend gives.",
    )
    wide, narrow = torch.randn(6, 3).double(), torch.randn(2, 3).double()
    yours = run(soft, wide, narrow)
    told = "Two axes, six queries, two keys, in float64."
    compare(
        yours,
        soft(wide, narrow),
        f"{told} Are sizes or dtypes fixed, or is there an axis too many?",
    )
    assert yours.dtype == torch.float64, f"{told} The weights came in {yours.dtype}."
    return "pattern passes: it reads the weights off the outputs alone."


# --- divisor -------------------------------------------------------------------------------------


def check_divisor(divisor):
    def run(by, d):
        def attend(query, key, value):
            told = (
                f"attend was called with query {tuple(query.shape)}, key {tuple(key.shape)}, value"
                f" {tuple(value.shape)}"
            )
            fits = (
                query.ndim == key.ndim == value.ndim == 2
                and query.shape[1] == key.shape[1] == d
                and len(value) == len(key)
            )
            assert fits, told
            return (query @ key.mT / by).softmax(-1) @ value

        told = (
            f"It was called with d = {d}. query is (q, {d}), key (k, {d}), and there are as many"
            " values as keys."
        )
        yours = check.call(
            divisor,
            attend=attend,
            d=d,
            stuck={
                "was called": told,
                "keyword": "Later cells call it by name. Are its arguments called attend and d?",
                "same dtype": "Are query, key and value of one dtype?",
                "": "Does it take any d, 1 too?",
            },
        )
        kind = type(yours).__name__
        assert isinstance(yours, float), (
            f"Expected a float, got {kind}. `.item()` makes one of a tensor with one element."
        )
        return yours

    # Divisors of the size that layers have, none of which is √d.
    for by, d in ((5.0, 16), (3.0, 7), (2.0, 3)):
        yours, told = (
            run(by, d),
            f"This attention divides its dot products by {by:g} (d = {d}); you say",
        )
        cause = check.near(
            yours,
            {
                "That is the inverse. Log-odds are the score divided by it.": 1 / by,
                "Is it √d? Measure it: it need not be right.": d**0.5,
                "That is d itself. Measure it.": d,
                "Is it squared?": by**2,
                "Is it its root?": by**0.5,
                "The sign is inverted. Which of the two weights is divided by the other?": -by,
                "Is it the logarithm to the base 2, or to the base 10?": by * 0.6931,
                "Is that the logarithm to the base 10?": by * 2.302585,
                "That is d times too much. Is the dot product of your query and key what you take it for?": (
                    by * d
                ),
                "That is d times too little. Is the dot product of your query and key what you take it for?": (
                    by / d
                ),
            },
            otherwise=(
                "The difference of two scores, (q · k₁ − q · k₂) / divisor, is the logarithm of a"
                " ratio of weights. Are your dot products what you take them for?"
            ),
        )
        assert abs(yours / by - 1) < 0.01, f"{told} {yours:.4g}.\n{cause}"
    # From a factor of ten to a thousandth.
    for by, d in ((0.1, 4), (1 / 8, 64), (30.0, 5), (1000.0, 8)):
        yours = run(by, d)
        told = f"This attention divides its dot products by {by:g} (d = {d}); you say {yours:.4g}."
        cause = "Are the scores so large that the smaller weight is 0? Take a smaller dot product."
        cause += " Or is something rounded?"
        if by > 1:
            cause = "Is a small ratio lost in rounding? float64 helps, or a larger dot product."
        assert abs(yours / by - 1) < 0.01, f"{told}\n{cause}"
    return "divisor passes: it measures what the scores were divided by."


# --- mask_meaning --------------------------------------------------------------------------------


def masked(meaning, fill=-torch.inf, takes=(torch.bool,), after=False):
    """Attention that makes this of a mask; it raises TypeError on other dtypes than those in takes."""

    def attend(query, key, value, mask):
        if mask.dtype not in takes and not (mask.is_floating_point() and torch.float32 in takes):
            raise TypeError(f"a mask of {mask.dtype} is not supported")
        scores = query @ key.mT / query.shape[-1] ** 0.5
        if meaning == "additive":
            return (scores + mask).softmax(-1) @ value
        if meaning == "times":
            return (scores * mask).softmax(-1) @ value
        if meaning == "none":
            scores.masked_fill(~mask.bool(), fill)  # the result is thrown away
            return scores.softmax(-1) @ value
        keep = mask.bool() if meaning == "keep" else ~mask.bool()
        weights = (
            scores.softmax(-1) * keep if after else scores.masked_fill(~keep, fill).softmax(-1)
        )
        return weights @ value

    return attend


def check_mask_meaning(mask_meaning):
    query, key, value = torch.randn(5, 4), torch.randn(7, 4), torch.randn(7, 3)
    both, asked = (torch.bool, torch.float32), []

    def verdict(attend, query=query, key=key, value=value):
        def watched(query, key, value, mask):
            want, told = (
                (len(query), len(key)),
                f"attend was called with a mask {tuple(mask.shape)}",
            )
            assert tuple(mask.shape) == want, f"{told}, expected (q, k) = {want}"
            asked.append((value, mask))
            return attend(query, key, value, mask)

        asked.clear()
        said = check.call(
            mask_meaning,
            attend=watched,
            query=query,
            key=key,
            value=value,
            stuck={
                "was called": "A mask has a row per query and a column per key.",
                "not supported": (
                    "attend may raise on a mask that it does not take. That is an answer, too:"
                    " catch it, and try the next kind."
                ),
                "keyword": (
                    "Later cells call it by name. Are its arguments called attend, query, key and"
                    " value?"
                ),
                "": "Does it take any sizes?",
            },
        )
        kinds = ("keep", "drop", "additive", "none")
        missing = "Is there a `return` for each of the four?" if said is None else ""
        assert said in kinds, (
            f'Expected "keep", "drop", "additive" or "none", got {said!r:.60}. {missing}'
        )
        return said

    # What layers in the wild make of a mask.
    still_read = "The outputs change, but the key is read all the same."
    still_read += " Change its value, and see whether the output moves."
    inverted = (
        "Is the answer inverted? Or is the value of a key changed that the mask does not hide?"
    )
    whose = "Is a bool mask tried both ways round, and does the value of the hidden key change, by"
    whose += " more than rounding?"
    raised = "A bool mask raises an error here. That does not mean that something is hidden."
    added = "A bool mask changes the weights here, but hides nothing."
    added += " Does the hidden key's value still count?"
    for right, attend, told, causes in (
        ("keep", masked("keep"), "True means may attend here", {"drop": inverted}),
        (
            "drop",
            masked("drop"),
            "True hides here",
            {"keep": whose, "none": "Is a bool mask tried both ways round?"},
        ),
        (
            "additive",
            masked("additive", takes=(torch.float32,)),
            "The mask is added to the scores here, and a bool raises",
            {
                "none": "Is a float mask tried, with −10,000 at a key and 0 elsewhere?",
                "keep": raised,
                "drop": raised,
            },
        ),
        (
            "additive",
            masked("additive", takes=both),
            "The mask is added to the scores here, and a bool is added as 1 or 0",
            {
                "keep": added,
                "drop": added,
                "none": "Is a float mask tried when the bool ones hide nothing?",
            },
        ),
        (
            "none",
            masked("none", takes=both),
            "The result of masked_fill is thrown away here, so that nothing is hidden",
            dict.fromkeys(("keep", "drop", "additive"), "Is something hidden at all?"),
        ),
        (
            "none",
            masked("times"),
            "The scores are multiplied by the mask here, and a score of 0 hides nothing",
            dict.fromkeys(("keep", "drop", "additive"), still_read),
        ),
        (
            "keep",
            masked("keep", after=True),
            "Weights are set to 0 after the softmax here, and True means may attend",
            {"none": "The key is hidden: its value makes no difference. What do you compare?"},
        ),
        (
            "keep",
            masked("keep", fill=-1e9, takes=both),
            "Scores are set to −1e9 here where the mask is False, and floats count as bools",
            {"additive": "Bool masks come first.", "drop": inverted},
        ),
        (
            "drop",
            masked("drop", fill=-1e4, takes=both),
            "Scores are set to −10,000 here where the mask is True, and floats count as bools",
            {"additive": "Bool masks come first.", "keep": inverted},
        ),
    ):
        said = verdict(attend)
        cause = causes.get(said, "Change a hidden key's value, and see whether the output moves.")
        masks = [mask for _, mask in asked if mask.dtype == torch.bool]
        fault = check.first({
            "No bool mask came. Numbers may mean something else.": not masks,
            "Each call had the same values. Change a hidden key's, and see whether the output moves.":
                all(values.equal(value) for values, _ in asked),
            "A value is NaN or inf, and 0 times that is NaN. Take another number.":
                not all(values.isfinite().all() for values, _ in asked),
            "Each mask has rows that are all True or all False. Hide one key, in every row.":
                not any((mask.any(-1) & ~mask.all(-1)).all() for mask in masks),
        }, cause)  # fmt: skip
        cause = fault if right in ("keep", "drop") and said != "additive" else cause
        assert said == right, f'{told}: expected "{right}", got "{said}".\n{cause}'
    one = (torch.randn(1, 2), torch.randn(2, 2), torch.randn(2, 5))
    told = "One query, two keys: are sizes fixed?"
    said = verdict(masked("drop"), *one)
    assert said == "drop", f'{told} Expected "drop", got "{said}".'
    many = (torch.randn(6, 2), torch.randn(4, 2), torch.randn(4, 5))
    told = "Six queries, four keys: is one key hidden in every row of the mask?"
    said = verdict(masked("drop"), *many)
    assert said == "drop", f'{told} Expected "drop", got "{said}".'
    sharp = torch.tensor([[40.0, 0.0], [-40.0, 0.0]]), torch.tensor([[0.0, 1], [0, -1], [1, 0]])
    said = verdict(masked("none", takes=both), *sharp, torch.randn(3, 2))
    told = "No mask hides anything here, but each key is read by one of the two queries only"
    assert said == "none", (
        f'{told}: expected "none", got "{said}".\nIs every number of the output compared?'
    )
    equal = (torch.randn(4, 3), torch.randn(6, 3), torch.ones(6, 2))
    said = verdict(masked("keep"), *equal)
    told = (
        'All values are alike here, so that hiding one of them shows nowhere: expected "keep", got'
    )
    assert said == "keep", f'{told} "{said}".\nIs a value changed, and not only a mask?'
    return "mask_meaning passes: it finds out what a mask does, whatever its type."


# --- columns_of_heads ----------------------------------------------------------------------------


def heads_at(columns, mix=None):
    """Multi-head attention in which head h owns columns[h]; mix: output columns (d, heads · width)."""

    def attend(query, key, value):
        outs = []
        for own in columns:
            q, k, v = (t[..., own] for t in (query, key, value))
            outs.append((q @ k.mT / len(own) ** 0.5).softmax(-1) @ v)
        out = torch.empty_like(value)
        out[..., [c for own in columns for c in own]] = torch.cat(outs, dim=-1)
        return out if mix is None else mix(out, outs)

    return attend


def check_columns_of_heads(columns_of_heads):
    def run(attend, d, n_heads):
        def watched(query, key, value):
            told = (
                f"attend was called with {tuple(query.shape)}, {tuple(key.shape)} and"
                f" {tuple(value.shape)}"
            )
            fits = all(t.ndim == 3 and t.shape[-1] == d for t in (query, key, value))
            assert fits and key.shape == value.shape and len(query) == len(key), told
            return attend(query, key, value)

        found = check.call(
            columns_of_heads,
            attend=watched,
            d=d,
            n_heads=n_heads,
            stuck={
                "was called": f"query, key and value are (batch, seq, d), and d is {d} here.",
                "keyword": (
                    "Later cells call it by name. Are its arguments called attend, d and n_heads?"
                ),
                "": "Does it take any d and n_heads, one head too?",
            },
        )
        wrong = {
            (n_heads,): "There is one number for each column, not for each head.",
            (d, d): "Which head is it? One number per column.",
        }
        check.tensor(
            found, (d,), "the heads", wrong, otherwise="Expected one number for each output column."
        )
        assert found.dtype == torch.int64, f"Expected int64, got {found.dtype}."
        return found.tolist()

    # Heads side by side, in turns, and computed from the last.
    side = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    turns = [[0, 3, 6, 9], [1, 4, 7, 10], [2, 5, 8, 11]]
    right = [0] * 4 + [1] * 4 + [2] * 4
    found = run(heads_at(side), 12, 3)
    causes = {
        tuple([-1] * 12): (
            "No column has a head of its own here. A column of one head moves with d / n_heads = 4"
            " query columns: is it this number that is compared? Change one column of query or key"
            " (value moves its own column alone) by far more than 1e-5, and take several words: a"
            " single one has weight 1."
        ),
        tuple([0] * 12): (
            "All columns are said to be of one head. Change one query column at a time, and see"
            " which output columns move, not how many."
        ),
        tuple(
            range(12)
        ): "Each column is said to be a head of its own. Which columns move together?",
        tuple(
            right[::-1]
        ): "Heads are numbered by the first column that is theirs: column 0 is of head 0.",
        tuple(h + 1 for h in right): "The first head is head 0.",
        (0, 1, 2) * 4: "Is it assumed that heads take turns, column by column? Measure it.",
        tuple([-1] * 8 + [0] * 4): (
            "Are the query columns changed before still changed? Make a fresh copy for each column."
        ),
    }
    told = f"Three heads of four columns, side by side: expected {right}, got {found}."
    numbered = "Output columns that move with the same query columns are of one head, and heads are"
    numbered += " numbered 0, 1, 2, … in the order in which they appear."
    cause = causes.get(tuple(found), numbered)
    assert found == right, f"{told}\n{cause}"
    first = "Heads are numbered by their first column in the output."
    whole = (
        "Only the columns of query, or of key, say whose weights they are. Is value changed, too?"
    )

    def shifted(query, key, value):
        """Side by side, and each head averages the values of the next one."""
        return heads_at(side)(query, key, value.roll(4, -1))

    for what, attend, wanted, cause in (
        ("Three heads that take turns, column by column", heads_at(turns), [0, 1, 2] * 4, first),
        ("The heads are computed from the last one to the first here", heads_at(side[::-1]),
         sorted(right), first),
        ("Each head averages another head's values here", shifted, sorted(right), whole),
    ):  # fmt: skip
        found = run(attend, 12, 3)
        if found == sorted(wanted) != wanted:
            cause = "Is it assumed that a head's columns stand side by side? Measure it."
        assert found == wanted, f"{what}: expected {wanted}, got {found}.\n{cause}"

    # Columns that several heads set: an average of all, and one column that sums two heads.
    average = heads_at(side, lambda out, outs: torch.stack(outs).mean(0).repeat(1, 1, 3))
    found = run(average, 12, 3)
    told = (
        "The heads are averaged here, so that each column is set by all three: expected −1"
        f" everywhere, got {found}."
    )
    cause = "A column that moves with more than d / n_heads query columns is of no one head."
    assert found == [-1] * 12, f"{told}\n{cause}"

    def summed(out, outs):
        out = out.clone()
        out[..., 0] = outs[0][..., 0] + outs[1][..., 0]
        return out

    right = [-1, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]
    found = run(heads_at(side, summed), 12, 3)
    told = f"Column 0 is a sum of two heads here: expected {right}, got {found}."
    cause = check.first(
        {
            "Is a number used up by the column that is of no one head?": (
                found == [-1] + [n + 1 for n in right[1:]]
            ),
            "Are query columns grouped? Group output columns by the query columns that move them.": (
                found == [0] * 4 + [-1] * 4 + [1] * 4
            ),
        },
        otherwise="A column that several heads set is −1, and the others keep their heads.",
    )
    assert found == right, f"{told}\n{cause}"
    for d, n_heads in ((5, 1), (6, 6), (8, 2)):
        own = [list(range(h * d // n_heads, (h + 1) * d // n_heads)) for h in range(n_heads)]
        right = [h for h in range(n_heads) for _ in range(d // n_heads)]
        found = run(heads_at(own), d, n_heads)
        told = f"d = {d} and {n_heads} heads: expected {right}, got {found}."
        alone = (
            "With one number per head, a query column moves one output column."
            if d == n_heads
            else "Are sizes fixed?"
        )
        assert found == right, f"{told}\n{alone}"
    return (
        "columns_of_heads passes: it finds the head of each column, and the columns of no one head."
    )


# --- the patients --------------------------------------------------------------------------------


def patient(seed, fault="sound"):
    """Attention as a stranger might have written it: three black boxes with the same fault.

    layer: (batch, seq, 12) -> the same, causal self-attention of three heads; words whose first
    number is above 9 are padding. attend: one head, query (…, q, d), key (…, k, d), value
    (…, k, d_v), mask (q, k). heads: all three, without projections.
    """
    generator = torch.Generator().manual_seed(seed)
    W_q, W_k, W_v, W_o = torch.randn(4, D_MODEL, D_MODEL, generator=generator) / D_MODEL**0.5

    def attend(query, key, value, mask=None):
        by = {
            "not divided": 1.0,
            "divided by d_head": query.shape[-1],
            "divided by √d_model": (N_HEADS * query.shape[-1]) ** 0.5,
            "multiplied by √d_head": query.shape[-1] ** -0.5,
        }.get(fault, query.shape[-1] ** 0.5)
        scores = query @ key.mT / by
        axis = -2 if fault == "softmax over the queries" else -1
        if mask is None or fault == "mask thrown away":
            return scores.softmax(axis) @ value
        keep = ~mask if fault == "True hides" else mask
        if fault == "mask after the softmax":
            return (scores.softmax(axis) * keep) @ value
        return scores.masked_fill(~keep, -1e9).softmax(axis) @ value

    def heads(query, key, value, mask=None):
        batch, seq, d = query.shape
        q, k, v = (t.unflatten(-1, (N_HEADS, -1)).transpose(1, 2) for t in (query, key, value))
        out = attend(q, k, v, mask)
        if fault == "heads joined by reshape":
            return out.reshape(batch, seq, d)
        if fault == "heads averaged":
            return out.mean(1).repeat(1, 1, N_HEADS)
        return out.transpose(1, 2).reshape(batch, seq, d)

    def layer(x):
        shift = {"sees the next word": 1, "does not see itself": -1}.get(fault, 0)
        causal = torch.ones(x.shape[1], x.shape[1]).tril(shift).bool()
        padding = (x[:1] if fault == "one mask for all sentences" else x)[..., 0] > 9
        mask = causal & ~padding[:, None, None]
        if fault == "True hides":
            mask = ~mask
        return heads(x @ W_q.T, x @ W_k.T, x @ W_v.T, mask) @ W_o.T

    return SimpleNamespace(layer=layer, attend=attend, heads=heads)


def patients():
    """The eight patients by name."""
    faults = (
        "divided by √d_model",
        "softmax over the queries",
        "heads joined by reshape",
        "mask after the softmax",
        "sound",
        "heads averaged",
        "sees the next word",
        "divided by √d_model",
    )
    return {name: patient(seed, fault) for seed, (name, fault) in enumerate(zip(NAMES, faults))}


def check_predicted_patients(predicted_patients):
    # its form: eight names, each with a diagnosis of the list
    kind = type(predicted_patients).__name__
    assert isinstance(predicted_patients, dict), f"Expected a dict, name to diagnosis, got {kind}."
    missing = [name for name in NAMES if name not in predicted_patients]
    assert not missing, f"Without a diagnosis: {', '.join(missing)}."
    other = [str(name) for name in predicted_patients if name not in NAMES]
    assert not other, f"There is no patient {', '.join(other)}: expected {', '.join(NAMES)}."
    for name, said in predicted_patients.items():
        assert said in DIAGNOSES, (
            f"{name}: {said!r:.60} is not on the list. Expected one of {', '.join(DIAGNOSES)}."
        )
    return "predicted_patients is complete. (Whether it is right, the next cells show.)"


WHAT_SHOWS = {  # name -> the right diagnosis, and what shows it
    "Ada": ("divided by √d_model", "3.46 = √12, the width of all three heads."),
    "Ben": ("softmax over the queries", "His rows do not sum to 1."),
    "Cleo": ("heads joined by reshape", "Words and heads are mixed: she reads too many words."),
    "Dov": ("mask after the softmax", "His rows lose weight where something is hidden."),
    "Eva": ("sound", "21 pairs, 2.00, keep, rows of 1, three heads."),
    "Finn": ("heads averaged", "No column has one head, and he reads the words that he should."),
    "Gus": ("sees the next word", "26 pairs where 21 are allowed."),
    "Hana": ("divided by √d_model", "As Ada: the same mistake is made twice."),
}
