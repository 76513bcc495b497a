"""The visible checks of unit 12: one function for each exercise, named after it.

Each takes the answer as the notebook has it, and returns what the reader is told when it passes.
"""

import math
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
    assert isinstance(said, bool), f"{what}: expected True or False, got {said!r:.60}, a {kind}. {cause}"
    return said


# --- what an instrument asked, and how it read the answers ----------------------------------------


def changes():
    """(cause, how each number of a change is told from rounding) for the mistakes in doing so."""
    signed = "Is the size of a change compared, without its sign (abs)?"
    lower = "Is the limit lower than 1e-5, as in allclose or equal?"
    higher = "Is the limit higher than 1e-5, or is a square compared with it?"
    for limit in (1e-5, 1e-2, 0.5):
        yield signed, lambda c, limit=limit: c > limit
        yield signed, lambda c, limit=limit: c < -limit
    for limit in (0, 1e-8, 1e-7, 1e-6, 1e-4, 1e-3, 1e-2, 0.1, 0.5):
        yield (lower, higher)[limit > 1e-5], lambda c, limit=limit: c.abs() > limit


def big(change):
    """Which numbers of a change are more than rounding."""
    return change.abs() > 1e-5


def recorded(layer, x, calls, fits):
    """layer, which notes in calls what it is given and what it returns."""

    def watched(y):
        assert fits(y), f"layer was called on shape {tuple(y.shape)}, x is {tuple(x.shape)}"
        out = layer(y)
        calls.append((y.clone(), out.clone()))
        return out

    return watched


# --- reads ---------------------------------------------------------------------------------------


def table_of(reads, layer, x, calls=None):
    """What reads(layer, x) returns: a bool table (seq, seq)."""
    words = x.shape[1]
    found = check.call(
        reads,
        layer=recorded(layer, x, [] if calls is None else calls, lambda y: y.shape == x.shape),
        x=x,
        stuck={
            "was called": "Replace a word where it stands, in a copy of x. Cut nothing off.",
            "keyword": "Later cells call it by name. Are its arguments called layer and x?",
            "require grad": "A slope at x is not enough: replace the words, and compare the outputs.",
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


def replaced(x, calls):
    """What is wrong with the words that were put in, or ""."""
    new = [y for y, _ in calls if not y.equal(x)]
    if not new and x.any():
        return "Only x itself came. Is the layer called on the copy that has the new word?"
    if not new:
        return "The new words are zeros, too. Are they zeros, a multiple, or another word of x? Use random numbers."
    new = torch.stack(new)
    at, by = new != x, new - x  # (call, batch, word, number)
    several = at.any((1, 3)).sum(1) > 1
    if several.any():
        words = at.any((1, 3))[several][0].nonzero().flatten().tolist()
        told = f"One call has other words at {words}. "
        if several[0]:
            return told + "Are all words from j on replaced, or all at once? Replace one: x[:, j]."
        return told + "The words replaced before are still replaced. Make a fresh copy for each word."
    idle = {"words": (0, 1, 3), "sentences": (0, 2, 3), "of each word the numbers": (0, 1, 2)}
    idle = {what: (~at.any(axes)).nonzero().flatten().tolist() for what, axes in idle.items()}
    same = (new[:, None] + new).abs().amax(-1) < 1e-6
    both = (same & at.any(-1) & at.any(-1)[:, None]).any((0, 1))  # a word and its negative came
    return check.first({
        "A new word is NaN or inf. Use random numbers.": not new.isfinite().all(),
        **{f"Never replaced: {what} {which}.": which for what, which in idle.items()},
        f"A word changes by {by.abs().max():.2g} at most. Use random numbers.": by.abs().max() < 0.1,
        "Is a word moved by one number everywhere? Replace it by random numbers.":
            x.shape[-1] > 1 and ((by - by[..., :1]).abs() < 1e-4).all(),
        "Is each word replaced by random numbers, and then by their negative? Either one counts.":
            not both.all(),
    })  # fmt: skip


def compared(runs):
    """The mistake in comparing outputs that gives each table of runs [(layer, x, found, calls)]."""
    axes = (0, 1, 3)  # all but the output words of a change (call, batch, word, number)
    ways = [(cause, lambda c, way=way: way(c).any(axes)) for cause, way in changes()]
    numbers, sentences = "Any number of an output counts.", "Any sentence counts."
    summed = "Are the numbers of an output summed before they are compared?"
    ways += [
        (summed, lambda c: big(c.sum(-1)).any((0, 1))),
        (summed, lambda c: big(c.mean(-1)).any((0, 1))),
        (f"Do all numbers of an output have to change? {numbers}", lambda c: big(c).all(-1).any((0, 1))),
        (f"Is only the first number compared? {numbers}", lambda c: big(c)[..., 0].any((0, 1))),
        (f"Is only the last number compared? {numbers}", lambda c: big(c)[..., -1].any((0, 1))),
        ("Is a mean compared? Any number of any sentence counts.",
         lambda c: big(c.abs().mean(-1)).any((0, 1))),
        (f"Is only the first sentence looked at? {sentences}", lambda c: big(c)[:, 0].any((0, 2))),
        (f"Is only the last sentence looked at? {sentences}", lambda c: big(c)[:, -1].any((0, 2))),
        (f"Do all sentences have to change? {sentences}", lambda c: big(c).any(-1).all(1).any(0)),
        (f"Are the sentences summed before they are compared? {sentences}",
         lambda c: big(c.sum(1)).any((0, 2))),
        ("Do both new words have to change an output? Either one counts.",
         lambda c: big(c).any((1, 3)).all(0)),
        ("Does the second new word overwrite what the first one found? Either one counts.",
         lambda c: big(c)[-1].any((0, 2))),
        ("Does the second new word undo what the first one found? Either one counts.",
         lambda c: big(c).any((1, 3)).sum(0) % 2 > 0),
        ("Each output is said to read what any output reads. Look at each output by itself.",
         lambda c: big(c).any().expand(c.shape[2])),
    ]  # fmt: skip
    itself = lambda t: torch.eye(len(t)).bool()
    x_itself = "Is the output compared with x? Compare it with layer(x)."
    after = [
        (
            "Rows and columns are swapped: row i is the output, column j the word replaced.",
            lambda t: t.mT,
        ),
        ("It is inverted: True means that the output changes.", lambda t: ~t),
        (f"Every word is said to be read. {x_itself}", torch.ones_like),
        (f"A word is said to read itself. {x_itself}", lambda t: t | itself(t)),
        ("No word is said to be read. Is an output compared with layer(x)?", torch.zeros_like),
        ("A word reads itself here. Is the diagonal left out?", lambda t: t & ~itself(t)),
        ("Only whether a word reads itself is looked at.", lambda t: t & itself(t)),
        (
            "Is only the last output looked at?",
            lambda t: t & (torch.arange(len(t)) == len(t) - 1)[:, None],
        ),
        ("Are later words left out?", lambda t: t.tril()),
        ("Are earlier words left out?", lambda t: t.triu()),
    ]
    ways = [(cause, count, lambda t: t) for cause, count in ways]
    ways += [(cause, lambda c: big(c).any(axes), turn) for cause, turn in after]
    seen = {}
    for cause, count, turn in ways:
        tables = []
        for layer, x, _, calls in runs:
            changed = [[out for y, out in calls if (y != x)[:, j].any()] for j in range(x.shape[1])]
            before = layer(x)
            columns = [count(torch.stack(outs or [before]) - before) for outs in changed]
            tables.append(turn(torch.stack(columns, -1)))
        seen[cause] = seen.get(cause) or all(table.equal(run[2]) for table, run in zip(tables, runs))
    return check.first(
        seen,
        "The words are replaced as they should be. Is each output compared with that of layer(x), in"
        " any number and any sentence, and noted in row i, column j?",
    )


MANNERS = (  # how an output can read a word, as a factor (2, 4) for two sentences and four numbers
    ("", torch.ones(2, 4)),
    ("in sentence 0 only", torch.tensor([[1.0], [0]]).expand(2, 4)),
    ("in sentence 1 only", torch.tensor([[0.0], [1]]).expand(2, 4)),
    ("in its first number only", torch.tensor([1.0, 0, 0, 0]).expand(2, 4)),
    ("in its last number only", torch.tensor([0.0, 0, 0, 1]).expand(2, 4)),
    ("so that it sinks", -torch.ones(2, 4)),
    ("so that its numbers still sum to the same", torch.tensor([1.0, -1, 2, -2]).expand(2, 4)),
    ("so that one sentence rises and one sinks", torch.tensor([[1.0], [-1]]).expand(2, 4)),
    ("by a change of 3e-5", torch.full((2, 4), 3e-5)),
    ("by a change of 1.5e-5 in one number", F.pad(torch.full((1, 1), 1.5e-5), (0, 3, 0, 1))),
    ("by a change of 3e-6, which is rounding", torch.full((2, 4), 3e-6)),
)


def in_all_manners(x):
    """A layer whose output i reads word 3i mod 11, and each in one of MANNERS."""
    factors = torch.stack([factor for _, factor in MANNERS], 1)  # (2, 11, 4)
    return lambda y: factors * (y != x).any(-1)[:, torch.arange(11) * 3 % 11, None]


def check_reads(reads):
    x, runs = torch.randn(2, 5, 6), []

    def expect(told, layer, right, x=x):
        """The table is right; where it is not: told, and what was put in or compared wrongly."""
        calls = []
        found = table_of(reads, layer, x, calls)
        runs.append((layer, x, found, calls))
        if found.equal(right):
            return
        if callable(told):
            told = told(found)
        compare(found.float(), right.float(), f"{told}\n{replaced(x, calls) or compared(runs)}")

    # A layer whose outputs read the word before and the word two before, but not themselves.
    back = torch.diag(torch.ones(4), -1) + torch.diag(torch.ones(3), -2)
    told = "In this layer output i reads words i − 1 and i − 2, and not itself."
    expect(told, lambda y: (back @ y)[..., :4], back > 0)

    # A layer that reads in every manner, and one in which a single number is read.
    words = torch.randn(2, 11, 6)
    right = torch.arange(11) == (torch.arange(11) * 3 % 11)[:, None]
    right[-1] = False

    def manner(found):
        i, j = (found != right).nonzero()[0].tolist()
        how = f"reads word {j} {MANNERS[i][0]}" if j == 3 * i % 11 else f"does not read word {j}"
        return f"In this layer output {i} {how}.".replace(" .", ".")

    expect(manner, in_all_manners(words), right, x=words)
    only = torch.zeros(5, 5).bool()
    only[0, 4] = True
    expect(
        "In this layer number 2 of output 0 is number 5 of word 4, and nothing else is read.",
        lambda y: F.pad(y[:, 4:, 5:], (2, 1, 0, 4)),
        only,
    )

    # Words of zeros; a layer that takes the mean off each word, and one behind a relu.
    past, zeros = torch.ones(5, 5).tril() / 5, torch.zeros(2, 5, 6)
    expect("All words of x are zeros here.", lambda y: past @ y, past > 0, x=zeros)
    told = "All words of x are zeros here, and the mean of each new word is subtracted."
    expect(told, lambda y: past @ (y - y.mean(-1, keepdim=True)), past > 0, x=zeros)
    side = torch.randn(24, 6)
    every = torch.ones(24, 24).tril()
    expect(
        "This layer has a relu in front: half of all words are 0 to it, as all of x are.",
        lambda y: every @ (y * side).sum(-1, keepdim=True).relu(),
        every > 0,
        x=(-side / side.norm(dim=-1, keepdim=True) * 3)[None],
    )
    return "reads passes: it finds which word each output depends on, in any layer."


# --- crosses_sentences ---------------------------------------------------------------------------


def other_sentences(x, calls):
    """What is wrong with the batches that were tried, or ""."""
    here, each = list(range(len(x))), x[:, None]
    alone = [b for b in here if any(len(y) == 1 and y[0].equal(x[b]) for y, _ in calls)]
    new = [y for y, _ in calls if y.shape == x.shape and not y.equal(x)]
    new = torch.stack(new, 1) if new else each[:, :0]  # (sentence, call, word, number)
    at, by = new != each, (new - each).abs()
    kept = ~at.any((2, 3))  # (sentence, call)
    missed = [b for b in here if b not in alone and not kept[b].any()]
    pairs = [(b, o) for b in here for o in here if b != o and not (kept[b] & ~kept[o]).any()]
    same = "The new sentences are zeros, too. Are they zeros, a multiple, or another sentence of x?"
    moved = all(any(one.equal(other) for other in x) for y in new.unbind(1) for one in y)
    return check.first({
        f"{same} Use random numbers.": not at.any() and not x.any(),
        "The sentences only change places. Replace the others of each sentence by random ones.":
            missed and moved and at.any(),
        f"Sentences {missed} never stand in their place beside other ones, or alone. Are they left out,"
        " or does `return` come too early?": missed and len(missed) < len(x),
        "Is each sentence tried alone, as x[b : b + 1]?": len(alone) < len(x),
        "Is only the sentence alone tried? Replace other sentences, too.": not at.any(),
        "Sentence {1} is never replaced while sentence {0} is kept.".format(*pairs[0] if pairs else "  "):
            pairs,
        "Is every number of every word replaced?": not at.any(1).all(),
        f"A sentence changes by {by.max() if by.numel() else 0:.2g} at most. Use random numbers.":
            by.numel() and by.max() < 0.1,
        "Is a sentence moved by one number everywhere? Replace it by random numbers.":
            by.numel() and by.amax((2, 3)).equal(by.amin((2, 3))),
    })  # fmt: skip


def told_apart(runs):
    """The mistake in comparing outputs that gives each verdict of runs [(layer, x, said, calls)]."""
    every, words = "Compare every number of every word.", lambda c: big(c).any(-1)
    ways = [(cause, lambda c, way=way: way(c).any()) for cause, way in changes()]
    ways += [
        ("Are the changes summed before they are compared?", lambda c: big(c.sum()).any()),
        ("Are the changes summed before they are compared?", lambda c: big(c.mean()).any()),
        ("Is a mean compared? Compare the largest change.", lambda c: big(c.abs().mean()).any()),
        ("Does an output that stays count? One that changes does.", lambda c: not big(c).any()),
        (f"Do all numbers have to change? {every}", lambda c: big(c).all()),
        (f"Is only the first word compared? {every}", lambda c: words(c)[0]),
        (f"Is only the last word compared? {every}", lambda c: words(c)[-1]),
        (f"Is only the first number compared? {every}", lambda c: big(c)[..., 0].any()),
        (f"Is only the last number compared? {every}", lambda c: big(c)[..., -1].any()),
    ]
    ways = [(cause, way, any, any) for cause, way in ways]
    some = lambda c: big(c).any()
    ways.append(("Do all sentences have to change? Any counts.", some, any, all))
    ways.append(("Do both have to change, alone and beside others? One is enough.", some, all, any))
    seen = {}
    for cause, way, each, over in ways:
        verdicts = []
        for layer, x, _, calls in runs:
            before, moved = layer(x), []
            calls = [(y, out) for y, out in calls if not y.equal(x)]
            for b, one in enumerate(x):
                outs = [out[0] for y, out in calls if len(y) == 1 and y[0].equal(one)]
                outs += [out[b] for y, out in calls if len(y) == len(x) and y[b].equal(one)]
                moved.append(each(way(out - before[b]) for out in outs))
            verdicts.append(over(moved))
        seen[cause] = seen.get(cause) or verdicts == [said for *_, said, _ in runs]
    return check.first(seen)


def check_crosses_sentences(crosses_sentences):
    x, runs, wrong = torch.randn(3, 4, 5), [], []

    def expect(expected, told, layer, x=x):
        """Whether the verdict is the expected one; told says what the layer does."""
        calls = []
        fits = lambda y: y.ndim == 3 and y.shape[1:] == x.shape[1:] and len(y)
        said = check.call(
            crosses_sentences,
            layer=recorded(layer, x, calls, fits),
            x=x,
            stuck={
                "was called": "A sentence alone keeps its axis: x[b : b + 1], not x[b].",
                "keyword": "Later cells call it by name. Are its arguments called layer and x?",
                "": "Does it take any number of sentences, words and numbers per word?",
            },
        )
        runs.append((layer, x, yes_or_no(said, told), calls))
        if said != expected:
            wrong.append((f"{told}: expected {expected}, got {said}.", expected, len(runs)))

    # Attention within sentences, attention with a softmax over the batch, and a small batch.
    inside = lambda y: (y @ y.mT / 5**0.5).softmax(-1) @ y
    over_batch = lambda y: (y @ y.mT / 5**0.5).softmax(0) @ y
    expect(False, "In this layer words attend within their sentence", inside)
    expect(True, "In this layer the softmax runs over the batch", over_batch)
    counted = lambda y: y * (1 + len(y) % 2) if len(y) < 3 else y
    expect(True, "This layer only does something else where the batch is smaller", counted)

    # One sentence leaks into another: into one number, and in ways that are easily missed.
    def leak(b, other, into, of=..., least=0.0):
        def layer(y):
            out = y.clone()
            if len(y) == 3:
                out[b] += into * ((y[other] - x[other])[of].abs().max() > least)
            return out

        return layer

    one = F.pad(torch.ones(1, 1), (2, 2, 1, 2))
    for b, other in [(b, other) for b in range(3) for other in range(3) if b != other]:
        told = f"In this layer one number of sentence {b}'s output depends on sentence {other}"
        expect(True, told, leak(b, other, one, (3, 4)))
    for expected, how, into in (
        (True, "makes all of sentence 1's output sink", -torch.ones(4, 5)),
        (True, "changes sentence 1's output, but not its sum", one - one.flip(0, 1).roll(1, 1)),
        (
            True,
            "changes the first number of sentence 1's output",
            F.pad(torch.ones(1, 1), (0, 4, 0, 3)),
        ),
        (
            True,
            "changes the last number of sentence 1's output",
            F.pad(torch.ones(1, 1), (4, 0, 3, 0)),
        ),
        (True, "changes all of sentence 1's output by 3e-5", torch.full((4, 5), 3e-5)),
        (True, "changes one number of sentence 1's output by 5e-5", 5e-5 * one),
        (False, "changes sentence 1's output by 1e-6, which is rounding", torch.full((4, 5), 1e-6)),
    ):
        expect(expected, f"In this layer sentence 0 {how}", leak(1, 0, into, least=0.5))

    # All of sentence 1's numbers change places, so that neither their size nor their sum changes.
    same_size = len(runs) + 1

    def reverse(y):
        out = y.clone()
        if len(y) == 3 and (y[0] - x[0]).abs().max() > 0.5:
            out[1] = y[1].flip(-1)
        return out

    expect(True, "In this layer sentence 0 reverses each word of sentence 1's output", reverse)

    # Sentences of zeros, whose words lose their mean; and a mask of sentence 0 for all.
    centred = lambda y: y + (y - y.mean(-1, keepdim=True)).mean(0)
    told = "All sentences are zeros here; the mean of the batch is added, less that of each word"
    expect(True, told, centred, torch.zeros(3, 4, 5))
    first_mask = lambda y: y * (y[:1, :, :1] > 0)
    two = x[:2].clone()
    two[0, :, 0], two[1, :, 0] = 1.0, -1.0
    expect(True, "This layer takes the mask of sentence 0 for all sentences", first_mask, two)

    if wrong:
        told, expected, number = wrong[0]
        _, x, _, calls = runs[number - 1]
        kept = len(calls[-1][0]) < len(x) or (calls[-1][0] == x).all((1, 2)).any()
        other = "Is the output compared with another sentence's, or with x? Compare it with layer(x)[b]."
        rest = "Each sentence is kept while each other one is replaced. Is it then compared with"
        rest += " layer(x)[b], and is any change enough?"
        cause = check.first({
            "Is the answer inverted?": len(wrong) == len(runs),
            "Is the sentence itself replaced, too? Keep sentence b, and replace the others.":
                not expected and not kept,
        }) or (expected and other_sentences(x, calls)) or told_apart(runs)  # fmt: skip
        if same_size in [n for *_, n in wrong]:
            rest = "Are sizes or sums of outputs compared? Compare the outputs number by number."
        raise AssertionError(f"{told}\n{cause or (rest if expected else other)}")
    return "crosses_sentences passes: it tells whether one sentence can change the output of another."


# --- pattern -------------------------------------------------------------------------------------


def check_pattern(pattern):
    asked = []

    def run(weigh, query, key):
        """pattern of the attention whose weights are weigh(query, key)."""

        def attend(query, key, value):
            told = f"attend was called with value {tuple(value.shape)} and key {tuple(key.shape)}"
            assert value.shape[:-1] == key.shape[:-1], told
            out = weigh(query, key) @ value
            asked.append([t.clone() for t in (query, key, value, out)])
            return out

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
                "keyword": ("Later cells call it by name. Are its arguments called attend, query and key?"),
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
        ): ("With one number per value you get one number per query. Take as many as there are keys."),
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
            "That is a softmax of the weights, over the queries.": right.softmax(-2),
            "The columns are moved on by one. Value j should be 1 in column j.": right.roll(1, -1),
        },
    )
    *given, value, out = asked[-1] if asked else (query, key, right, right)
    one_each = torch.eye(7).expand(2, 3, 7, 7)
    cause = cause or check.first(
        {
            "Is query or key changed before attend is called?": not (given[0].equal(query) and given[1].equal(key)),
            "attend gave the weights, and something else is returned. Return what it gives.": (check.same(out, right)),
            "Value j should be 1 in column j and 0 elsewhere, so that column j of the output is the"
            f" weight of key j. Here the last value is {[round(n, 2) for n in value[0, 0, -1].tolist()]}.": (
                not check.same(value, one_each)
            ),
        }
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


def odds(asked, by, yours):
    """What yours takes for the odds of two keys, or for the difference of their dot products, or ""."""
    query, key = asked[-1]
    if len(key) != 2:
        return ""
    dots = (query @ key.mT).double()[0]
    (one, two), gap = (dots / by).softmax(-1), dots[0] - dots[1]
    if gap == 0:
        return "Both keys have the same dot product with the query, so there are no odds. Take two."
    alone = "Is it the logarithm of one weight? It is that of one weight divided by the other."
    cause = check.near(yours, {
        "Is it the difference of the weights? It is the logarithm of their ratio.": 1 / (one - two),
        "Is the logarithm left out?": 1 / (one / two),
        "Is exp taken, not the logarithm?": 1 / (one / two).exp(),
        alone: 1 / one.log(), f"{alone} ": 1 / two.log(), f"{alone}  ": -1 / two.log(),
        f"{alone}   ": -1 / one.log(), f"{alone}    ": 1 / (one.log() + math.log(2)),
    })  # fmt: skip
    as_if = gap * yours / by
    told = f"The two dot products of the last call differ by {gap:.4g}. You take that for {as_if:.4g}."
    return cause.strip() or told


def check_divisor(divisor):
    asked = []

    def run(by, d):
        def attend(query, key, value):
            told = (
                f"attend was called with query {tuple(query.shape)}, key {tuple(key.shape)}, value {tuple(value.shape)}"
            )
            fits = (
                query.ndim == key.ndim == value.ndim == 2
                and query.shape[1] == key.shape[1] == d
                and len(value) == len(key)
            )
            assert fits, told
            asked.append((query.clone(), key.clone()))
            return (query @ key.mT / by).softmax(-1) @ value

        told = f"It was called with d = {d}. query is (q, {d}), key (k, {d}), and there are as many values as keys."
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
    said = [(by, d, run(by, d), asked[-1:]) for by, d in ((5.0, 16), (3.0, 7), (2.0, 3))]
    stray = {
        cause: all(abs(yours / by - d**power) < 0.01 for by, d, yours, _ in said)
        for cause, power in (
            ("It is too large by √d: what is measured is the divisor already.", 0.5),
            ("It is too small by √d: what is measured is the divisor already.", -0.5),
        )
    }
    for by, d, yours, last in said:
        told = f"This attention divides its dot products by {by:g} (d = {d}); you say"
        cause = check.first(stray) or check.near(
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
            },
            otherwise=(
                "The difference of two scores, (q · k₁ − q · k₂) / divisor, is the logarithm of a ratio of weights. "
            )
            + (odds(last, by, yours) if last else "attend is never called."),
        )
        assert abs(yours / by - 1) < 0.01, f"{told} {yours:.4g}.\n{cause}"
    # From a factor of ten to a thousandth.
    for by, d in ((0.1, 4), (1 / 8, 64), (30.0, 5), (1000.0, 8)):
        yours = run(by, d)
        told = f"This attention divides its dot products by {by:g} (d = {d}); you say {yours:.4g}."
        cause = "Are the scores so large that the smaller weight is 0? Take a smaller dot product."
        cause += " Or is something rounded?"
        if yours == 1:
            cause = f"Is it cut off at 1? A factor of {1 / by:g} shows as a divisor of {by:g}."
        if by > 1:
            cause = "Is a small ratio lost in rounding? float64 helps, or a larger dot product."
        assert abs(yours / by - 1) < 0.01, f"{told}\n{cause}"
    return "divisor passes: it measures what the scores were divided by."


# --- mask_meaning --------------------------------------------------------------------------------


def masked(meaning, fill=-torch.inf, takes=(torch.bool,), after=False, refusal=TypeError):
    """Attention that makes this of a mask; on other dtypes than those in takes it raises refusal."""

    def attend(query, key, value, mask):
        if mask.dtype not in takes and not (mask.is_floating_point() and torch.float32 in takes):
            raise refusal(f"a mask of {mask.dtype} is not supported")
        scores = query @ key.mT / query.shape[-1] ** 0.5
        if meaning == "additive":
            return (scores + mask).softmax(-1) @ value
        if meaning == "times":
            return (scores * mask).softmax(-1) @ value
        if meaning == "none":
            scores.masked_fill(~mask.bool(), fill)  # the result is thrown away
            return scores.softmax(-1) @ value
        keep = mask.bool() if meaning == "keep" else ~mask.bool()
        weights = scores.softmax(-1) * keep if after else scores.masked_fill(~keep, fill).softmax(-1)
        return weights @ value

    return attend


def hidden_key(right, said, value, calls):
    """What is wrong with the masks and values that were tried, or ""."""
    same = all(a.equal(b) for given, _ in calls for a, b in zip(given[:2], calls[0][0]))
    values, masks = zip(*[given[2:] for given, _ in calls])
    bools = [mask for mask in masks if mask.dtype == torch.bool]
    floats = [mask for mask in masks if mask.dtype != torch.bool]
    one = [m for m in bools if (m.any(-1) & ~m.all(-1)).all()]
    changed = [(v != value).any(-1).nonzero().flatten().tolist() for v in values]
    changed = next((rows for rows in changed if rows), [])
    odd = [m[0] if m[0].sum() == 1 else ~m[0] for m in one]
    odd = next((row.nonzero().flatten().tolist() for row in odd), changed)
    by = max((v - value).abs().max() for v in values)
    return check.first({
        "Is query or key changed? Change the value of the hidden key alone.": not same,
        "Each call had the same values. Change a hidden key's, and see whether the output moves.":
            not changed,
        "A value is NaN or inf, and 0 times that is NaN. Take another number.":
            not all(v.isfinite().all() for v in values),
        "Each mask has rows that are all True or all False. Hide one key, in every row.":
            right != "additive" and not one,
        f"The mask singles out the keys {odd}, and the values of {changed} change. Is the hidden key"
        " not the one whose value changes, or are there several?": odd != changed or len(odd) > 1,
        f"The value changes by {by:.2g}. Change it by far more than rounding.": by < 0.1,
        "Is a float mask tried, with −10,000 at a key and 0 elsewhere?":
            right == "additive" and said == "none" and not any(
                (m <= -1e3).all(0).tolist() == [j in changed for j in range(len(value))]
                and not m.isnan().any() and m.max() <= 0 for m in floats),
    })  # fmt: skip


def moved_outputs(runs):
    """The mistake in comparing outputs that gives each verdict of runs [(said, value, calls)]."""
    every = "No number of the output may move."
    signed = "Is the size of a change compared, without its sign (abs)?"
    ways = [
        ("", lambda c: c.abs() < 1e-5),  # the comparison is right
        ("Is the comparison turned round, or are the two masks swapped? What is hidden does not move the"
         " output.", big),
        (signed, lambda c: c < 1e-5),
        (signed, lambda c: c > -1e-5),
        (f"Is one number that stays enough? {every}", lambda c: ~big(c).all()),
        (f"Is a mean compared? {every}", lambda c: ~big(c.mean())),
        (f"Is only the first query looked at? {every}", lambda c: ~big(c)[0]),
        (f"Is only the last query looked at? {every}", lambda c: ~big(c)[-1]),
        (f"Is only the first number of each output looked at? {every}", lambda c: ~big(c)[:, 0]),
        (f"Is only the last number of each output looked at? {every}", lambda c: ~big(c)[:, -1]),
    ]  # fmt: skip
    for limit in (1e-3, 1e-2, 0.1, 1.0, 2.0, 5.0):
        ways.append(("Is the limit higher than 1e-5?", lambda c, limit=limit: c.abs() < limit))
    for cause, stays in ways:
        verdicts = []
        for _, value, calls in runs:
            hides = {"none": True}
            pairs = [(one, other) for one in calls for other in calls if one[0][2].equal(value)]
            for ((*_, mask), out), ((*_, v, same), moved) in pairs:
                j = (v != value).any(-1).nonzero().flatten().tolist()
                if mask.dtype == same.dtype and mask.equal(same) and len(j) == 1:
                    row = mask[0]
                    kind = "additive" if row.is_floating_point() else ("keep", "drop")[int(row[j])]
                    hides[kind] = bool(stays(moved - out).all())
            verdicts.append(next(k for k in ("keep", "drop", "additive", "none") if hides.get(k)))
        if verdicts == [said for said, *_ in runs]:
            return cause
    return ""


def check_mask_meaning(mask_meaning):
    usual = torch.randn(5, 4), torch.randn(7, 4), torch.randn(7, 3)
    both, runs = (torch.bool, torch.float32), []

    def expect(right, told, attend, causes, query=usual[0], key=usual[1], value=usual[2]):
        """The verdict on attend; where it is another: told, and what was tried or compared wrongly."""
        calls, dtypes, shape = [], set(), (len(query), len(key))

        def watched(query, key, value, mask):
            told = f"attend was called with a mask {tuple(mask.shape)}"
            assert tuple(mask.shape) == shape, f"{told}, expected (q, k) = {shape}"
            given = [t.clone() for t in (query, key, value, mask)]
            dtypes.add(mask.dtype)
            out = attend(query, key, value, mask)
            calls.append((given, out.clone()))
            return out

        said = check.call(
            mask_meaning,
            attend=watched,
            query=query,
            key=key,
            value=value,
            stuck={
                "was called": "A mask has a row per query and a column per key.",
                "NoneType": "Was attend called with the mask None? A mask is (q, k).",
                "not supported": (
                    "attend may raise on a mask that it does not take. That is an answer, too:"
                    " catch it, and try the next kind."
                ),
                "keyword": ("Later cells call it by name. Are its arguments called attend, query, key and value?"),
                "": "Does it take any sizes?",
            },
        )
        kinds = ("keep", "drop", "additive", "none")
        missing = "Is there a `return` for each of the four?" if said is None else ""
        assert said in kinds, f'Expected "keep", "drop", "additive" or "none", got {said!r:.60}. {missing}'
        runs.append((said, value, calls))
        if said != right:
            tried = hidden_key(right, said, value, calls) if calls and said != "additive" else ""
            if torch.bool not in dtypes and said != "additive":
                tried = "No bool mask came. Numbers may mean something else."
            cause = tried or (calls and moved_outputs(runs)) or causes.get(said, causes.get(""))
            raise AssertionError(f'{told}: expected "{right}", got "{said}".\n{cause}')

    # What layers in the wild make of a mask.
    other = "Is the answer inverted, is a bool mask tried one way round only, or are outputs under"
    other += " two different masks compared?"
    raised = "A bool mask raises an error here. That does not mean that something is hidden."
    added = "A bool mask changes the weights here, but hides nothing: the key's value still counts."
    floats = "Is a float mask tried, with −10,000 at a key and 0 elsewhere, when the bool ones hide"
    first = {"additive": "Bool masks come first.", "": other}
    adds, times = masked("additive", takes=both), masked("times")
    nothing = masked("none", takes=both)
    still = "The outputs change, but the key is read all the same. Change its value, and see whether the"
    still += " output moves."
    at_all = 'Is something hidden at all? "none" is left where no mask hides anything.'
    signs = torch.tensor([1.0, -1, 1, -1])
    wide = (*usual[:2], torch.randn(7, 4))

    def without_number(n):
        def attend(*them):
            out = nothing(*them)
            return out * (torch.arange(4) != n) if out.shape[-1] == 4 else out

        return attend

    sharp = torch.tensor([[40.0, 0.0], [-40.0, 0.0]])
    keys = torch.tensor([[0.0, 1], [0, -1], [1, 0]])
    told = "No mask hides anything here, but each key is read by one of the two queries only"
    for right, what, attend, causes, *given in (
        ("keep", "True means may attend here", masked("keep"), first),
        ("drop", "True hides here", masked("drop"), first),
        ("additive", "The mask is added to the scores here, and a bool raises",
         masked("additive", takes=(torch.float32,), refusal=RuntimeError),
         {"none": f"{floats} nothing or raise?", "": raised}),
        ("additive", "The mask is added to the scores here, and a bool is added as 1 or 0", adds,
         {"none": f"{floats} nothing?", "": added}),
        ("none", "The result of masked_fill is thrown away here, so that nothing is hidden", nothing,
         {"": at_all}),
        ("none", "The scores are multiplied by the mask here, and a score of 0 hides nothing", times,
         {"": still}),
        ("keep", "Weights are set to 0 after the softmax here, and True means may attend",
         masked("keep", after=True), first),
        ("keep", "Scores are set to −1e9 here where the mask is False, and floats count as bools",
         masked("keep", fill=-1e9, takes=both), first),
        ("drop", "Scores are set to −10,000 here where the mask is True, and floats count as bools",
         masked("drop", fill=-1e4, takes=both), first),
        ("none", "Nothing is hidden here, and the outputs are those of attention, times −1",
         lambda *them: -nothing(*them), {"": at_all}),
        ("none", "Nothing is hidden here, and every other number of the output has the other sign",
         lambda *them: nothing(*them) * signs, {"": at_all}, *wide),
        ("none", "Nothing is hidden here, and the first number of each output is always 0",
         without_number(0), {"": at_all}, *wide),
        ("none", "Nothing is hidden here, and the last number of each output is always 0",
         without_number(3), {"": at_all}, *wide),
        ("drop", "One query, two keys: are sizes fixed? True hides here", masked("drop"), first,
         torch.randn(1, 2), torch.randn(2, 2), torch.randn(2, 5)),
        ("drop", "Six queries, four keys: is one key hidden in every row of the mask? True hides here",
         masked("drop"), first, torch.randn(6, 2), torch.randn(4, 2), torch.randn(4, 5)),
        ("none", told, nothing, {"": at_all}, sharp, keys, torch.randn(3, 2)),
        ("none", told, nothing, {"": at_all}, sharp.flip(0), keys, torch.randn(3, 2)),
        ("keep", "All values are alike here, so that hiding one of them shows nowhere",
         masked("keep"), {"": "Is a value changed, and not only a mask?"},
         torch.randn(4, 3), torch.randn(6, 3), torch.ones(6, 2)),
    ):  # fmt: skip
        expect(right, what, attend, causes, *given)
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


def tried(calls, d):
    """What is wrong with the queries, keys and values that were tried, or ""."""
    first, *rest = [given for *given, _ in calls]
    query, key, value = first
    rest = [given for given in rest if all(a.shape == b.shape for a, b in zip(given, first))]
    moved = [[(a != b).any((0, 1)) for a, b in zip(given, first)] for given in rest]  # columns
    sets = [(q | k).nonzero().flatten().tolist() for q, k, _ in moved]
    sets = [columns for columns in sets if columns]
    several = next((columns for columns in sets if len(columns) > 1), [])
    still = sets and len(sets[0]) == 1
    idle = [c for c in range(d) if not any(c in columns for columns in sets)]
    by = [b - a for given in rest for a, b in zip(first[:2], given[:2]) if not a.equal(b)]
    alike = lambda t: torch.allclose(t, t[:, :1].expand_as(t), atol=1e-6)
    return check.first({
        "A single word has weight 1, whatever its query. Take several.": key.shape[1] == 1,
        "All values are alike, and so is any average of them. Take random ones.": alike(value),
        "All keys are alike, and so are their weights. Take random ones.": alike(key),
        "Only the columns of query, or of key, say whose weights they are. Is value changed, too?":
            any(v.any() for *_, v in moved),
        "Is every call the same? Change a column of query, and call attend on the copy.": not sets,
        f"One call differs from the first one in the columns {several}. "
        + ("The columns changed before are still changed. Make a fresh copy for each column."
           if still else "Change one alone: query[..., c]."): several,
        f"Never changed: columns {idle}. There are d of them.": idle,
        f"A column changes by {max((t.abs().max() for t in by), default=0):.2g} at most. Change it by"
        " more.": all(t.abs().max() < 0.1 for t in by),
        "A number that is added to a column of every key leaves the weights as they are. Take random"
        " numbers.": all(alike(t) for t in by) and all(q.equal(query) for q, *_ in rest),
    })  # fmt: skip


def grouped(runs):
    """The mistake after the calls that gives each answer of runs [(d, n_heads, found, calls)]."""
    some = lambda c: big(c).any((0, 1, 2))
    moves = [(cause, lambda c, way=way: way(c).any((0, 1, 2))) for cause, way in changes()]
    more = "One change anywhere in an output column is enough."
    moves += [
        (
            f"Do all numbers of a column have to change? {more}",
            lambda c: big(c).flatten(0, 2).all(0),
        ),
        (f"Is a mean taken before its size (abs)? {more}", lambda c: big(c.mean((0, 1, 2)))),
        (f"Is a mean taken before its size (abs)? {more}", lambda c: c.mean((0, 1, 2)) > 1e-5),
        (f"Is only the first sentence looked at? {more}", lambda c: big(c)[:, 0].any((0, 1))),
    ]
    number = "Is it d / n_heads that the number of query columns which move a column is compared with?"
    several = "A column that moves with more than d / n_heads query columns is of no one head: −1."
    first = "Heads are numbered by their first column in the output."
    own = lambda row, d, h: sum(row) == d // h
    heads = lambda row, known, d, h: known.setdefault(row, len(known)) if own(row, d, h) else -1

    def neighbours(row, known, d, h):
        if own(row, d, h) and known.get("last") != row:
            known |= {"last": row, "number": known.get("number", -1) + 1}
        return known["number"] if own(row, d, h) else -1

    names = [
        (several, lambda row, known, d, h: known.setdefault(row, len(known))),
        (several, lambda row, known, d, h: max(0, heads(row, known, d, h))),
        (several, lambda row, known, d, h: known.setdefault(row, len(known)) if sum(row) < d else -1),
        ("Is a number used up by the column that is of no one head?",
         lambda row, known, d, h: (known.setdefault(row, len(known)), -1)[not own(row, d, h)]),
        ("A head that comes back keeps its number. Is a column compared with the one before only?",
         neighbours),
        (first, lambda row, known, d, h: row.index(True) // (d // h) if own(row, d, h) else -1),
        (first, lambda row, known, d, h: row.index(True) if own(row, d, h) else -1),
        ("All columns are said to be of one head. Which query columns move them counts, not how many.",
         lambda row, known, d, h: heads((sum(row),), known, d, h) if own(row, d, h) else -1),
    ]  # fmt: skip
    for size in (lambda d, h: h, lambda d, h: 1, lambda d, h: 4):
        names.append((number, lambda row, known, d, h, size=size: (
            known.setdefault(row, len(known)) if sum(row) == size(d, h) else -1)))  # fmt: skip
    swapped = "Are query columns grouped? Group output columns by the query columns that move them."
    ways = [(cause, some, name, lambda t: t.T) for cause, name in names]
    ways += [(cause, move, heads, lambda t: t.T) for cause, move in moves]
    ways += [(swapped, some, heads, lambda t: t)]
    seen = {}
    for cause, move, name, rows in ways:
        answers = []
        for d, n_heads, _, calls in runs:
            query, key, _, before = calls[0]
            table = torch.zeros(d, d).bool()  # (query column, output column)
            for other, another, _, out in calls[1:]:
                at = (other != query).any((0, 1)) | (another != key).any((0, 1))
                table[at] |= move((out - before)[None])
            known = {}
            answers.append([name(tuple(row), known, d, n_heads) for row in rows(table).tolist()])
        seen[cause] = seen.get(cause) or answers == [found for *_, found, _ in runs]
    return check.first(seen)


def check_columns_of_heads(columns_of_heads):
    runs = []

    def expect(what, attend, right, n_heads):
        """The heads are these; where they are not: what attend does, what was tried, and how grouped."""
        d, calls = len(right), []

        def watched(query, key, value):
            told = f"attend was called with {tuple(query.shape)}, {tuple(key.shape)} and {tuple(value.shape)}"
            fits = all(t.ndim == 3 and t.shape[-1] == d for t in (query, key, value))
            assert fits and key.shape == value.shape and len(query) == len(key), told
            out = attend(query, key, value)
            calls.append([t.detach().clone() for t in (query, key, value, out)])
            return out

        found = check.call(
            columns_of_heads,
            attend=watched,
            d=d,
            n_heads=n_heads,
            stuck={
                "was called": f"query, key and value are (batch, seq, d), and d is {d} here.",
                "keyword": ("Later cells call it by name. Are its arguments called attend, d and n_heads?"),
                "": "Does it take any d and n_heads, one head too?",
            },
        )
        wrong = {
            (n_heads,): "There is one number for each column, not for each head.",
            (d, d): "Which head is it? One number per column.",
        }
        check.tensor(found, (d,), "the heads", wrong, otherwise="Expected one number for each output column.")
        assert found.dtype == torch.int64, f"Expected int64, got {found.dtype}."
        found = found.tolist()
        runs.append((d, n_heads, found, calls))
        if found == right:
            return
        rest = "The calls are as they should be. Output columns that move with the same d / n_heads query"
        rest += " columns are of one head, and those that move with more are −1."
        pairs = set(zip(found, right))
        cause = (tried(calls, d) or grouped(runs) if calls else "") or check.first({
            "Each column is said to be a head of its own. Which columns move together?":
                found == list(range(d)),
            "Is it assumed that heads take turns, column by column? Measure it.":
                found == [c % n_heads for c in range(d)],
            "Is it assumed that a head's columns stand side by side? Measure it.":
                found == [c * n_heads // d for c in range(d)],
            "The first head is head 0.": found in ([h + 1 for h in right], [h - 1 for h in right]),
            "Heads are numbered 0, 1, 2, … by the first output column that is theirs.":
                len(pairs) == len(set(found)) == len(set(right)),
        }, rest if calls else "attend is never called. Measure it.")  # fmt: skip
        raise AssertionError(f"{what}: expected {right}, got {found}.\n{cause}")

    # Heads side by side, in turns, and computed from the last; values that another head averages.
    side = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    turns = [[0, 3, 6, 9], [1, 4, 7, 10], [2, 5, 8, 11]]
    right = [0] * 4 + [1] * 4 + [2] * 4
    expect("Three heads of four columns, side by side", heads_at(side), right, 3)
    expect("Three heads that take turns, column by column", heads_at(turns), [0, 1, 2] * 4, 3)
    expect("The heads are computed from the last one to the first", heads_at(side[::-1]), right, 3)
    shifted = lambda query, key, value: heads_at(side)(query, key, value.roll(4, -1))
    expect("Each head averages another head's values here", shifted, right, 3)

    # Columns that several heads set: an average of all, and one column that sums two heads.
    average = heads_at(side, lambda out, outs: torch.stack(outs).mean(0).repeat(1, 1, 3))
    expect(
        "The heads are averaged here, so that each column is set by all three",
        average,
        [-1] * 12,
        3,
    )

    def summed(out, outs):
        out = out.clone()
        out[..., 0] = outs[0][..., 0] + outs[1][..., 0]
        return out

    expect("Column 0 is a sum of two heads here", heads_at(side, summed), [-1, *right[1:]], 3)
    for d, n_heads in ((5, 1), (6, 6), (8, 2)):
        own = [list(range(h * d // n_heads, (h + 1) * d // n_heads)) for h in range(n_heads)]
        wanted = [h for h in range(n_heads) for _ in range(d // n_heads)]
        expect(f"d = {d} and {n_heads} heads", heads_at(own), wanted, n_heads)
    return "columns_of_heads passes: it finds the head of each column, and the columns of no one head."


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
        assert said in DIAGNOSES, f"{name}: {said!r:.60} is not on the list. Expected one of {', '.join(DIAGNOSES)}."
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
