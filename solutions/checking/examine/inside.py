"""What can be asked from inside, of the products of queries and keys and of what is made of them."""

from __future__ import annotations

import math
import re

import torch
import torch.nn.functional as F
from torch import nn

from checking.examine.attention import Attention, sites_of, three, zero
from checking.examine.patient import SEQ, Unclear, spoken_line, worst
from checking.examine.report import examination, finding, fine, note, nothing

NAMES = {"q": "queries", "k": "keys", "v": "values"}
ROLES = {"q": r"qs?|quer(y|ies|ie)s?", "k": r"ks?|keys?", "v": r"vs?|vals?|values?"}


def role_of(name):
    """q, k or v from the name of a projection; "" where it names none, or several."""
    parts = [s for s in name.split(".") if not s.isdigit() and s not in ("weight", "bias", "net", "0")]
    flat = (parts[-1] if parts else "").lower().replace("_", "")
    bare = re.sub(
        r"projection|project|proj|linear|lin|weights?|layer|matrix|dense|transform|vectors?|attention|attn|heads?|map|fc|mat|conv",
        "",
        flat,
    )
    return next(
        (r for r, names in ROLES.items() for b in (bare, re.sub(r"^(w|to|b)", "", bare)) if re.fullmatch(names, b)), ""
    )


def leaf(name):
    """`k_proj` of attn.k_proj.weight, and `mlp.2` of block.mlp.2.weight."""
    parts = [s for s in name.split(".") if s not in ("weight", "bias")]
    return ".".join(parts[-2:] if parts[-1:] and parts[-1].isdigit() else parts[-1:]) or name


def close(a, b, tol=1e-3):
    """Is a the number b, up to this part of it?"""
    return abs(a / b - 1) < tol if b else abs(a) < tol


# ---------------------------------------------------------------------------------- heads


@examination("heads", "How many heads attend, and do words attend to words?", "04", at="score")
def heads(p, att):
    trouble = {name: att.troubles(name) for name in "qkv"}
    if trouble["q"] == trouble["k"] == "one word":
        n = att.sites[0].q.shape[1]
        return finding(
            f"heads attend to heads: each word by itself, with a matrix {n} × {n} in which no other word "
            "stands. Is the axis of heads moved in front of the words?"
        )
    if trouble["q"] == trouble["k"] == "mixed" and all(len(s) >= SEQ for rows in att.all_words("q") for s in rows):
        rows, columns = att.sites[0].q.shape[1:]
        raise Unclear(
            f"each row of the queries holds numbers of all words (rows {rows}, columns {columns}): do "
            "columns attend to columns, or is it linear attention?"
        )
    found, size = att.n_heads(), att.d_head
    att.n = found
    if found == 0:
        raise Unclear("the rows of the queries are not of one word each")
    if p.n_heads and p.n_heads > 1 and found == 1:
        whole = att.sites[0].q.shape[-1]
        return finding(f"1 head of {whole} columns attends, and n_heads is {p.n_heads}: the queries are not split")
    if p.heads_said and found != p.n_heads:
        return finding(f"{found} heads of {size} columns attend, and n_heads is {p.n_heads}")
    keys = distinct_keys(att)
    shared = f", {keys} for keys" if keys and keys != found else ""
    return fine(f"{found} head{'s' * (found > 1)} of {size} columns{shared}")


def distinct_keys(att):
    """How many heads of keys are different ones."""
    word, rows = (0, 0), []
    for site in att.sites:
        for n in range(site.k.shape[0]):
            hit = [
                i
                for i, deps in enumerate(site.of["k"][n])
                if deps.sum() == 1 and att.labels[int(deps.nonzero()[0])] == word
            ]
            rows += [site.k[n, i] for i in hit[:1]]
    if not rows:
        return 0
    return len({tuple(round(v, 6) for v in r.flatten().tolist()) for r in rows})


@examination("split", "Does each row of queries, keys and values hold one word, in order?", "04", at="rows")
def split(p, att):
    trouble = {name: att.troubles(name) for name in "qkv"}
    if not any(trouble.values()):
        return fine("each row of queries, keys and values is one word's, in order")
    bad = [name for name in "qkv" if trouble[name] in ("order", "mixed", "sentences", "one word")]
    if trouble["q"] == trouble["k"] == "one word":
        return nothing()
    if not bad:
        raise Unclear("some rows do not depend on x")
    att.odd = bad[0]
    rows = [sorted({w[1] for w in s}) for s in next(r for r in att.all_words(att.odd) if len(r) > 1)]
    told = ", ".join("/".join(map(str, places)) for places in rows)
    every = " and ".join(NAMES[n] for n in bad) if len(bad) < 3 else "queries, keys and values"
    if all(trouble[n] == "mixed" for n in bad):
        most = max(len(s) for r in att.all_words(att.odd) for s in r)
        if len(bad) == 3:
            raise Unclear(
                f"a row of queries, keys and values holds numbers of up to {most} words: are words mixed "
                "before the attention (a convolution, a shift), or are axes exchanged?"
            )
        return finding(
            f"rows of the {every} hold numbers of several words (row by row: {told}): a view or reshape "
            "where a transpose belongs?"
        )
    if all(trouble[n] == "sentences" for n in bad):
        return finding(
            f"the rows of the {every} are of several sentences: a view or reshape without a transpose "
            "takes batch and words apart wrongly?"
        )
    if sorted(rows) == [[i] for i in range(len(rows))]:
        return finding(f"the {every} stand in another order: the rows of the first head are of the words {told}")
    return finding(
        f"the {every} are split by a view or reshape without a transpose: the rows of the first head are "
        f"of the words {told}, not 0, 1, 2, …"
    )


# ---------------------------------------------------------------------------------- weights


def needs_words(att):
    """Rows of queries and keys are one word each, or Unclear."""
    if att.troubles("q") not in ("", "order") or att.troubles("k") not in ("", "order"):
        raise Unclear("the scores are not of a word for a word")
    if any(s.w.shape[1:] != (s.q.shape[1], s.k.shape[1]) for s in att.sites):
        raise Unclear("the weights have another shape than the scores")


def sentence_of(att):
    """For each slice, the sentence and the running number of its head."""
    found, count = [], {}
    for rows in att.words_of("q"):
        b = next((w[0] for w in rows if w), None)
        found.append((b, count.get(b, 0)))
        count[b] = count.get(b, 0) + 1
    return found


def by_sentence(att, t):
    """(slices, …) as (sentences, heads, …); all in one sentence where the slices are not of one each."""
    of = sentence_of(att)
    many = {b for b, _ in of}
    if None in many or len(of) % len(many):
        return t[None]
    return t[sorted(range(len(of)), key=of.__getitem__)].unflatten(0, (len(many), -1))


@examination("softmax", "Are the weights of each row a softmax over the keys?", "03", at="softmax")
def softmax(p, att):
    att.softmax = ""
    needs_words(att)
    scores = att.drawn()
    a, tol = att.weights(scores), 1e-6 if p.kind == torch.float64 else 2e-4
    if not a.isfinite().all():
        return finding(f"{int((~a.isfinite()).sum())} of {a.numel()} weights are NaN or infinite")
    rows = a.sum(-1)

    def ones(t):
        return t.numel() > 0 and worst(t - 1) <= tol

    shown = " ".join(f"{w:.2f}" for w in a[0, -1].tolist())
    if ones(rows):
        if a.min() < -tol:
            return finding(f"weights below 0: the last row is {shown}")
        mixed = crossing(att)
        if mixed:
            return mixed
        att.softmax = "rows"
        return fine(f"rows sum to 1 (at most {worst(rows - 1):.1g} off); the last row is {shown}")
    told = f"the rows sum to {', '.join(f'{r:.2f}' for r in rows[0].tolist())}"
    if (a >= 0).all() and worst(rows - rows[0, 0]) > tol and att.sums_later(scores):
        att.softmax, att.divided_later = "rows", True
        return fine(f"{told}, and are divided by that after the average")
    doubled = att.weights([2 * s for s in scores])
    zero = att.weights(att.zeros())
    if worst((doubled - zero) - 2 * (a - zero)) <= 10 * tol and worst(a - zero):
        att.softmax = "none"
        return finding(
            f"there is no softmax: twice the score gives twice the weight ({a[0, -1, 0]:.3f}, "
            f"{doubled[0, -1, 0]:.3f}); {told}"
        )
    if ones(a.sum(-2)[..., :1]) and ones_allowed(a.sum(-2), tol):
        return finding(f"the softmax runs over the queries, not over the keys: {told}, the columns to 1")
    each = by_sentence(att, a)
    if each.shape[1] > 1 and ones_allowed(each[0].sum(0), tol):
        return finding(
            f"the softmax runs over the heads, not over the keys: {told}, and the {each.shape[1]} heads "
            "sum to 1 at every pair of words"
        )
    if len(each) > 1 and ones_allowed(each[:, 0].sum(0), tol):
        return finding(
            f"the softmax runs over the sentences of the batch, not over the keys: {told}, and the sentences sum to 1"
        )
    if ones(a.sum((-1, -2))):
        return finding(f"one softmax runs over the whole matrix: {told}, all rows together to 1")
    on = a.abs() > 1e-12
    full = on.all(-1)
    if (~on).any() and full.any() and ones(rows[full]) and (rows[~full] < 1 - tol).all():
        att.softmax = "rows, masked later"
        return finding(f"the mask comes after the softmax: {told}; only a row in which nothing is hidden sums to 1")
    if worst(rows - rows[0, 0]) <= tol:
        s = rows[0, 0].item()
        own = a.diagonal(dim1=-2, dim2=-1).min()
        if abs(s - 2) < tol and own >= 1 - tol:
            return finding(
                f"the value of the word itself is added: {told}, and a word's weight for itself is {own:.2f} at least"
            )
        att.softmax = "scaled"
        return finding(f"the weights are divided after the softmax: every row sums to {s:.4f} = 1/{1 / s:.3f}")
    if sink(att, scores, a, rows):
        att.softmax = "rows"
        return note(f"the rows sum to less than 1 by what one more, constant score takes (an attention sink): {told}")
    if a.min() >= 0 and a.max() <= 1 and independent(att, a, scores):
        return finding(
            f"the rows are not made to sum to 1; each weight depends on its own score alone (a sigmoid?): {told}"
        )
    raise Unclear(f"{told}; along no axis do they sum to 1")


def ones_allowed(sums, tol):
    """The sums are 1 wherever something is not hidden, and something is."""
    on = sums.abs() > 1e-12
    return bool(on.any()) and worst(sums[on] - 1) <= tol


def independent(att, a, scores):
    """Does one score move its own weight alone? a: the weights of these scores."""
    scores = [s.clone() for s in scores]
    scores[0][0, -1, 0] += 1.0
    gap = (att.weights(scores) - a).abs()
    gap[0, -1, 0] = 0
    return worst(gap) < 1e-12


def sink(att, scores, a, rows):
    """Is 1/row − 1 a constant over the sum of exponentials?"""
    if not (rows > 0).all() or not (rows < 1).all():
        return False
    zero, more = att.weights(att.zeros()), att.weights([s + 1 for s in scores])
    odds = (a / a[..., :1]).log()
    return worst(torch.nan_to_num((more / more[..., :1]).log() - odds)) < 1e-6 and bool((zero.sum(-1) < 1).all())


def crossing(att):
    """A finding where a score of one head moves the weights of others, although rows sum to 1."""
    scores = att.drawn()
    base = att.weights(scores)
    row, allowed = att.open_row(base)
    scores[0][0, row, allowed[0]] += 1.0
    gap = (att.weights(scores) - base).abs().amax((-1, -2))
    n = int((gap > 1e-9).sum())
    if n == 1:
        return None
    of = sentence_of(att)
    same = {of[i][0] for i in (gap > 1e-9).nonzero().flatten().tolist()}
    if len(same) == 1 and (gap[gap > 1e-9] - gap.max()).abs().max() < 1e-9:
        return finding(
            f"the weights are averaged over the heads: a score of one head moves the weights of all {n} "
            f"by the same {gap.max():.3f}"
        )
    return note(f"a score of one head moves the weights of {n} heads: are heads mixed on purpose (talking heads)?")


@examination("hidden scores", "Does only the mask decide what is hidden, and not the scores?", "06", at="softmax")
def hidden_scores(p, att):
    if att.softmax != "rows":
        raise Unclear("needs weights that are a softmax over the keys")
    scores = att.drawn()
    a = att.weights(scores)
    row, allowed = att.open_row(a)
    for s in scores:
        s[:, row, allowed[0]] = 0.0
    a = att.weights(scores)
    if worst(a) < float("inf") and (a[:, row, allowed[0]].abs() < 1e-12).any():
        return finding(
            f"a score of exactly 0 is hidden: word {row} gives word {allowed[0]} the weight 0, which a "
            "score of 0.1 does not. Is the mask read off the scores (scores == 0)?"
        )
    own = a.diagonal(dim1=-2, dim2=-1)[..., 1:]
    alike = not p.cross and a.shape[-1] == a.shape[-2] and bool(p.read_by[1, 1])  # what reads says is not said twice
    if alike and worst(own) < 1e-12 < a[..., -1, 0].abs().max():
        return finding("a word gives itself the weight 0, and earlier words more: the mask hides the word itself")
    low = att.weights([s - 20 for s in scores])
    off = a.abs() < 1e-12
    if off.any() and low.isfinite().all():
        leak = low[off].abs().max().item()
        if leak > 1e-6:
            return finding(
                "hidden words get weight when the scores are low: with scores 20 lower the weight is "
                f"{leak:.3g}. What is filled in is not low enough"
            )
        return fine("hidden words get no weight, whatever the scores are")
    return nothing("nothing is hidden")


@examination("divisor", "By what are the scores divided?", "03", at="score")
def divisor(p, att):
    found, after = measured_divisor(p, att)
    seq = SEQ
    d, n = att.d_head, p.n_heads or getattr(att, "n", 1) or 1
    total = att.sites[0].q.shape[-1] * max(getattr(att, "n", 1), 1)
    later = att.at_length(SEQ + 2)
    if later is not None and not close(later, after):
        later *= found / after
        how = "√seq" if close(found, seq**0.5) else "seq" if close(found, seq) else "a number that follows the length"
        return finding(
            f"the scores are divided by {how}: {found:.3f} at {seq} words, {later:.3f} at {seq + 2}; "
            f"expected √d_head = √{d} = {d**0.5:.3f}"
        )
    if (
        p.n_heads
        and p.n_heads > 1
        and getattr(att, "n", 1) == 1
        and d % p.n_heads == 0
        and close(found, (d / p.n_heads) ** 0.5)
    ):
        return fine(f"√{d // p.n_heads}: {found:.4f}, that of the heads that are claimed")
    if close(found, d**0.5):
        return fine(f"√d_head = √{d}: {found:.4f}")
    if learned(att, found):
        return note(f"the scores are multiplied by a number that is learned (now 1/{found:.3g})")
    like = [told for told, value in ways_to_divide(p, att, d, n, total) if value and close(found, value)][:2]
    like = like or [told for told, value in usual_numbers() if close(found, value)][:1]
    kinds = " ".join(type(m).__name__ for m in p.modules)
    if close(found, 1) and (
        re.search("T5|GPT_?Neo(?!X)", kinds) or any("relative_attention" in n for n in p.own_names)
    ):
        return note("the scores are not divided, as is meant in T5 and GPT-Neo, which begin with small weights")
    for c in {id(c): c for m in p.modules for c in configurations(m)}.values():
        for n, v in vars(c).items():
            if (
                re.search("scal|multiplier|pre_attn", n)
                and type(v) in (int, float)
                and v
                and any(close(found, w) for w in (v, 1 / v, abs(v) ** 0.5))
            ):
                return note(
                    f"the scores are divided by {found:.4g}, and not by √{d}: {n} = {v:g} in the configuration says so"
                )
    extra = ". T5 and GPT-Neo leave it out on purpose, with small initial weights" if close(found, 1) else ""
    return finding(
        f"the scores are {' or, the same here, '.join(like) or 'divided by a number of its own'}: {found:.3f}, "
        f"expected √d_head = √{d} = {d**0.5:.3f}{extra}"
    )


def ways_to_divide(p, att, d, n, total):
    """(what was done instead of dividing by √d, the divisor that this makes): d is d_head, n the number of heads."""
    m, v = p.d_model, att.sites[0].v.shape[-1]
    yield "not divided", 1
    yield "divided by d_head, not by its square root (or twice by √d_head)", d
    yield f"divided by √d_model = √{m}, not by √d_head", m**0.5
    yield f"divided by √{total}, the width of all heads", total != m and total**0.5
    yield f"divided by d_model = {m}", m
    yield "divided by √n_heads", n**0.5
    yield "divided by n_heads", n
    yield "multiplied by √d_head", d**-0.5
    yield "multiplied by d_head", 1 / d
    yield f"multiplied by √d_model = √{m}", m**-0.5
    yield f"multiplied by √{total}", total != m and total**-0.5
    yield "divided by the fourth root of d_head: on one side only?", d**0.25
    yield "divided by 2·d_head (is it `** 1 / 2`?)", 2 * d
    yield "divided by half of d_head (is it `** 1 / 2`?)", d / 2
    yield f"divided by √{v}, the width of a value", v**0.5
    yield f"divided by √(d_model / n_heads) = √{m // n}", (m / n) ** 0.5
    yield "divided by √d_head, with powers of 2 in place of e", d**0.5 / math.log(2)
    yield "divided by √d_head, with powers of 10 in place of e", d**0.5 / math.log(10)
    yield f"divided by √{SEQ}, the number of words", SEQ**0.5


def usual_numbers():
    """The same for a number that stands in the code, whatever the layer's own sizes are."""
    for size in (8, 16, 32, 64, 128, 256, 512, 768):
        yield f"divided by √{size}: a number of its own, not this layer's", size**0.5
        yield f"divided by {size}: a number of its own", size


def measured_divisor(p, att):
    """(the divisor of the scores, that part of it which follows the product)."""
    if att.softmax not in ("rows", "scaled", "rows, masked later"):
        raise Unclear("needs weights that are a softmax over the keys")
    once, twice = att.slope()
    if not once.isfinite().all() or worst(once) < 1e-12:
        raise Unclear(
            "the scores have no effect on the weights" if worst(once) < 1e-12 else "the log-odds are not finite"
        )
    if worst(once / twice - 1) > 1e-3:
        raise Unclear(
            "the log-odds are no multiple of the product: from twice the score they grow "
            f"{2 * (twice / once).flatten()[0]:.3f} times (a cap on the scores?)"
        )
    if worst(once / once[0] - 1) > 1e-3:
        raise Unclear(f"each head has its own: {1 / once.max():.3f} to {1 / once.min():.3f}")
    sides = [att.scale(name) for name in "qk"]
    if any(s is None for s, _ in sides):
        raise Unclear(
            "queries or keys are normed or changed on their way, so their size is no measure; after that "
            f"the product is divided by {1 / once[0].item():.4g}"
        )
    return 1 / (once[0].item() * sides[0][0] * sides[1][0]), 1 / once[0].item()


def learned(att, found):
    """Does a small parameter (a temperature) set the divisor?"""
    for q in att.p.own_names.values():
        if q.numel() <= max(att.p.n_heads or 1, getattr(att, "n", 1) or 1) and q.is_floating_point():
            old = q.data
            try:
                q.data = old + 0.3
                att.forget_scales()
                if not close(measured_divisor(att.p, att)[0], found):
                    return True
            except Unclear:
                return True
            finally:
                q.data = old
                att.forget_scales()
    return False


# ---------------------------------------------------------------------------------- names


@examination("roles", "Do the projections do what their names say?", "03", at="score")
def roles(p, att):
    made = {name: att.sources(name) for name in "qkv"}
    if any(len(names) > 1 for names in att.fused()):
        return fine("made by one product with the joined weights of several projections, so their names say nothing")
    claims = {name: [role_of(s) for s in made[name]] for name in "qkv"}
    told = "; ".join(f"{NAMES[name]} from {' and '.join(made[name][:2]) or 'x itself'}" for name in "qkv")
    bad = []
    for name in "qkv":
        named = {c for c in claims[name] if c}
        if named and name not in named:
            others = [s for s, c in zip(made[name], claims[name]) if c and c != name]
            bad.append(f"the {NAMES[name]} are made by {leaf(others[0])}")
    if (
        {n for n in "qk" if any(NAMES[n] in b for b in bad)} == {"q", "k"}
        and len(bad) == 2
        and claims["q"]
        and claims["k"]
    ):
        return finding(f"query and key have changed places: {'; '.join(bad)}")
    if bad:
        return finding("; ".join(bad), att.where("mix" if "values" in bad[0] else "score"))
    crossed = [name for name in "qkv" if len({c for c in claims[name] if c}) > 1]
    if crossed:
        return note(f"the {NAMES[crossed[0]]} are made by several projections: {told}")
    return fine(told)


@examination("positions", "Do positions enter, and by distance alone?", "11", at="score")
def positions(p, att):
    if att.troubles("q") or att.troubles("k"):
        raise Unclear("needs rows that are one word each")
    x = p.words(seq=1).expand(-1, SEQ, -1).clone()
    context = p.context(p.words(seq=1))[:, :1].expand(-1, SEQ + 1, -1).clone() if p.cross else None
    seen = att.run((), [s.score for s in att.sites] + [s.mix for s in att.sites], x=x, context=context).seen
    site = att.sites[0]
    q, k, v = (att.operand(site, seen, name) for name in "qkv")
    s = q @ k.mT
    top, tol = max(worst(s), 1e-30), 1e3 * p.tol
    rows, cols = worst(s - s[..., :1, :]) / top > tol, worst(s - s[..., :1]) / top > tol
    if p.cross:
        return nothing() if not rows and not cols else fine("positions enter the scores")
    turned = spread(att, "q"), spread(att, "k")
    moved = worst(v - v[:, :1]) > tol * max(worst(v), 1e-30)
    if moved and spread(att, "v") > 1 and v.shape[1] == SEQ:
        return finding(
            "the values are turned by their positions, too: rotary positions belong to queries and keys alone",
            att.where("mix"),
        )
    if not rows and not cols:
        if 1 < min(turned[0], turned[1]) <= 2:
            return finding(
                "queries and keys are turned in pairs of columns, but equal words get equal scores at "
                "any distance: do the positions go along the heads?"
            )
        return fine("none in the products of queries and keys")
    if rows != cols:  # equal words: what differs is the position
        one, other = ("queries", "keys") if rows else ("keys", "queries")
        if turned[0 if rows else 1] > 1 or s.shape[1] == SEQ:
            return finding(
                f"positions reach the {one} and not the {other}: the score of two words does not follow "
                "from their distance"
            )
    if s.shape[1] == s.shape[2]:
        far = [s.diagonal(o, -2, -1) for o in range(-SEQ + 1, SEQ)]
        if all(worst(d - d[..., :1]) / top <= tol for d in far):
            return fine("rotary: the product of two words depends on their distance alone")
        turned_s = s.flip(-1)
        if all(
            worst(d - d[..., :1]) / top <= tol for d in [turned_s.diagonal(o, -2, -1) for o in range(-SEQ + 1, SEQ)]
        ):
            return finding(
                "queries and keys are turned in opposite directions: their product depends on the sum of "
                "the positions, not on the distance"
            )
    if turned[0] > 1 or turned[1] > 1:
        return note(
            "positions turn queries and keys, but the product of equal words does not follow from their distance alone"
        )
    return fine("absolute positions enter queries and keys")


def spread(att, name):
    """How many numbers of queries or keys one number of a projection moves; 0 where that cannot be measured."""
    try:
        return att.scale(name)[1]
    except Unclear:
        return 0


# ---------------------------------------------------------------------------------- what follows


@examination("join", "Does each head's average arrive at its own word?", "04", at="join")
def join(p, att):
    if att.troubles("q") == "one word":
        raise Unclear("needs rows that are one word each")
    found, kept = att.arrives()
    words = att.words_of("q")
    if not any(moved for _, _, moved in found):
        return finding("the averages do not reach the output: it is the same whatever the heads find", att.where("mix"))
    bad = [(n, r, moved) for n, r, moved in found if moved != {words[n][r]} and (moved or not p.beside)]
    if att.troubles("q") == "order" or att.troubles("k") == "order":
        raise Unclear("the rows are not the words in order")
    if bad:
        n, r, moved = bad[0]
        if not moved:
            return finding(f"the average of word {words[n][r][1]} in one head does not reach the output")
        got = ", ".join(str(i) for i in sorted({w[1] for w in moved}))
        got += " of other sentences" * ({w[0] for w in moved} != {words[n][r][0]})
        told, many = f"what a head finds for word {words[n][r][1]}", f"({len(bad)} of {len(found)} rows)"
        if all(words[n][r] in moved and len({w[0] for w in moved}) > 1 for n, r, moved in bad):
            return finding(f"{told} stays there, and moves other sentences, too {many}")
        told = f"the heads are joined by a view or reshape without a transpose: {told}"
        return finding(f"{told} arrives at word {got} {many}")
    first = {}
    for n, r, _ in found:
        first.setdefault(words[n][r], []).append(kept[n, r])
    changes = first.get((0, 0), [])
    if len(changes) > 1 and worst(changes[0] - changes[1]) <= 1e-9 * max(worst(changes[0]), 1e-30):
        return finding(
            "the heads are added or averaged, not put side by side: what heads 0 and 1 find has the same "
            f"effect (difference {worst(changes[0] - changes[1]):.1g})"
        )
    return fine(f"each of {len(found)} averages moves its own word alone, and the heads differ")


def linears(att):
    """The products with parameters, by what stands before: output projections, first and last of a feed-forward."""
    ops, mixes = att.trace.ops, {s.mix for s in att.sites}
    made = [o for o in ops if o.sides is not None and bool(o.roots[0]) != bool(o.roots[1])]
    upstream = {
        r[1] for s in att.sites for i in (s.score, s.mix) for side in ops[i].roots for r in side if r[0] == "linear"
    }

    def before(o):
        return o.roots[0] | o.roots[1]

    # what leads to queries, keys and values in several steps
    wanted = set(upstream)
    for o in reversed(made):
        if o.index in wanted:
            wanted |= {r[1] for r in before(o) if r[0] == "linear"}
    made = [o for o in made if not o.wide]
    out = [
        o
        for o in made
        if any(r[0] == "product" and r[1] in mixes for r in before(o)) and not any(r[0] != "product" for r in before(o))
    ]
    outs, each = {o.index for o in out}, {o.index for o in made}
    first, last = [], []
    for o in made:
        if o.index in wanted or o.index in outs:
            continue
        if before(o) and all(r[0] == "linear" and r[1] in each - outs - wanted for r in before(o)):
            last.append(o)
    ends = {r[1] for o in last for r in before(o)}
    first = [o for o in made if o.index in ends]
    return out, first, last


@examination("output", "Is the output what the output projection makes of the heads?", "04", at="mix")
def output(p, att):
    out, first, _ = linears(att)
    unused = [
        n
        for n in getattr(p, "dead", [])
        if re.search(r"(^|\.)(\w*out\w*|o|wo|w_o|proj|c_proj|o_proj|fc_o|concat|unify\w*|combine\w*|dense)\.weight$", n)
    ]
    if not out and unused:
        return finding(f"{unused[0].removesuffix('.weight')} is never used: what the heads found is returned as it is")
    if first:
        return nothing("a block")
    a, b = att.run(att.silent()).out, att.run(att.silent(), x=p.words(seed=21)).out
    gap = worst(a - b)
    if gap <= 100 * p.tol * max(1.0, worst(a)):
        made = sorted(out[0].names) if out else []
        return fine("nothing but the heads reaches it" + (f", through {leaf(made[0])}" if made else ""))
    x, y = p.words(), p.words(seed=21)
    if a.shape == x.shape and worst((a - b) - (x - y)) <= 100 * p.tol * worst(x):
        return note("x is added to the output (a residual inside): do not add it again outside")
    t, u = (att.run(att.silent(), x=n * x).out for n in (1e3, 3e3))
    if worst(t - u) <= 0.05 * worst(t):
        return fine("a residual and a norm stand around the heads")
    return note(
        f"x reaches the output beside the heads, too: with all heads silent it still moves by {gap:.3g} "
        "(is something added to what the heads found?)"
    )


def configurations(module):
    """The plain objects that a module keeps its sizes and rates in."""
    return [v for n, v in vars(module).items() if re.search("conf|cfg|args|params$", n) and hasattr(v, "__dict__")]


def is_rate(module, name, value):
    """Is this attribute of a module a rate of dropout?"""
    kind = type(module).__name__
    named = re.search("drop|rate", name) and not re.search("path", name) or name == "p" and "rop" in kind
    number = type(value) is float or type(value) is int and ("drop" in name or name == "p")
    return number and 0 <= value < 1 and bool(named) and "Path" not in kind


@examination("dropout", "Where does dropout fall?", "07", at="softmax")
def dropout(p, att):
    holders = {id(h): h for m in p.modules for h in (m, *configurations(m))}.values()
    kept = [(h, n, v) for h in holders for n, v in vars(h).items() if is_rate(h, n, v)]
    if not kept:
        return nothing("no dropout")
    if att.softmax not in ("rows", "rows, masked later"):
        raise Unclear("needs weights that are a softmax over the keys")
    scores = att.drawn()
    calm = att.weights(scores)
    try:
        for m, n, _ in kept:
            setattr(m, n, 0.4)
        for m in p.modules:
            m.train(True)
        again = p.follow(p.words())
        kinds = [o.kind for o in att.trace.ops]
        if [o for o in again.ops if o.sides is not None] and len(again.ops) != len(kinds):
            moved = retraced(p, att, again)
        else:
            moved = att
        wild = moved.weights(scores)
        ends = worst(p(p.words(), seed=1) - p(p.words(), seed=2))
        inputs = {name: inside_change(moved, name) for name in "qkv"}
    finally:
        for m in p.modules:
            m.train(False)
        for m, n, v in kept:
            setattr(m, n, v)
    if not any(v for *_, v in kept) and not ends and torch.equal(calm, wild):
        return nothing("a dropout of rate 0, which is not used")
    return where_it_falls(p, att, calm, wild, ends, inputs)


def retraced(p, att, trace):
    """The same attention in the operations of training."""
    new = Attention.__new__(Attention)
    vars(new).update(vars(att))
    new.trace, every = trace, sites_of(trace)
    mine = [s for s in every if s.level == att.level]
    if len(mine) != len(att.sites):
        raise Unclear("in training other operations run than in eval mode")
    for old, now in zip(att.sites, mine):
        for key, value in vars(old).items():
            if key not in ("score", "mix", "side", "level"):
                setattr(now, key, value)
    new.sites, new.freeze = mine, [s.mix for s in every if s.level < att.level]
    old_mixes = [s.mix for s in sites_of(att.trace)]
    new.base = {now.mix: att.base[m] for now, m in zip(every, old_mixes)}
    return new


def inside_change(att, name):
    """By how much queries, keys or values differ between two runs of training."""
    reads = [s.score for s in att.sites] + [s.mix for s in att.sites]
    one, two = (att.run((), reads, seed=seed).seen for seed in (1, 2))
    return worst(att.operand(att.sites[0], one, name) - att.operand(att.sites[0], two, name))


def where_it_falls(p, att, calm, wild, ends, inputs):
    """The verdict on dropout at a rate of 0.4.

    calm, wild: the weights (slices, q, k) in evaluation and in training. ends, inputs: by how much two runs of training
    differ at the output, and in queries, keys and values.
    """
    calm, wild = by_sentence(att, calm), by_sentence(att, wild)
    lost, level = drops(calm, wild)
    if not lost.any() and level.numel() and worst(level - 1) < 1e-6:
        odd = [NAMES[n] for n in "qkv" if inputs[n] > 0]
        if len(odd) == 3:
            return note("dropout falls on what the projections read, not on the weights")
        if odd:
            return finding(
                f"dropout falls on the {' and '.join(odd)}, not on the weights (two runs of training "
                f"differ there by {max(inputs.values()):.2g})"
            )
        if ends:
            return note(f"dropout falls on the output, not on the weights (two runs of training differ by {ends:.2g})")
        return finding("there is dropout, and in training nothing is dropped (two runs differ by 0)")
    share = f"{lost.sum().item() / (lost.sum().item() + level.numel()):.0%}"
    if told := wrongly_dropped(calm, wild, 0.4):
        return finding(f"{told} ({share} of the weights are 0)")
    if told := wrong_rate(calm, wild, 0.4):
        return note(f"{told} ({share} of the weights are 0)")
    more = [NAMES[n] for n in "qkv" if inputs[n] > 0]
    if 0 < len(more) < 3:
        return note(f"dropout falls on the weights and on the {' and '.join(more)}")
    return fine(f"on the weights: {share} of them 0 at a rate of 0.4, the others times {level.median():.3f}")


def drops(calm, wild):
    """(which weights are 0 in training only, how many times as large the others are there than in evaluation)."""
    on = calm > 1e-9
    lost = on & (wild.abs() < 1e-4 * calm)
    return lost, (wild / calm)[on & ~lost]


def wrongly_dropped(calm, wild, rate):
    """What is wrong with the attention weights that dropout sets to 0, or with what it does to the others; or nothing.

    calm and wild, (sentences, heads, queries, keys), are the weights in evaluation and in training.
    """
    lost, level = drops(calm, wild)
    sums, whole = wild.sum(-1), bool((calm > 1e-9).all() and lost.any())
    if wild.isnan().any():
        return "there are NaN. Are the rows made to sum to 1 again?"
    if whole and torch.equal(lost.all(-1), lost.any(-1)):
        return "whole rows are dropped, not single weights"
    if worst(sums[sums.abs() > 1e-9] - 1) < 1e-3:
        return "every row still sums to 1. Does dropout act before the softmax? Are the rows made to sum to 1 again?"
    if level.numel() and worst(level / level.median() - 1) > 1e-3:
        told = f"kept weights are {level.min():.2f} to {level.max():.2f} times as large, not by one number"
        return f"{told}. Does dropout fall on queries or keys, too, or on the scores?"
    if level.numel() and close(level.median().item(), 1):
        return f"what is kept is not scaled up by 1 / (1 − {rate})"
    for axis, what in enumerate(("sentences", "heads", "words")):
        if whole and lost.shape[axis] > 1 and torch.equal(lost, lost.narrow(axis, 0, 1).expand_as(lost)):
            return f"all {what} lose the same weights"
    return ""


def wrong_rate(calm, wild, rate):
    """What is wrong with the rate of dropout on attention weights, which are as in `wrongly_dropped`; or nothing."""
    lost, level = drops(calm, wild)
    kept, count, grown = level.numel(), level.numel() + int(lost.sum()), 1 / (1 - rate)
    found = level.median().item() if kept else grown
    told = f"kept weights are {found:.2f} times as large, expected {grown:.2f}"
    if close(found, grown):
        if abs(kept - (1 - rate) * count) < 5 * (count * rate * (1 - rate)) ** 0.5:
            return ""
        told = f"{kept / count:.0%} of the weights are kept, expected about {1 - rate:.0%}"
    elif close(found, grown**2):
        return f"{told}. Does it fall twice on the weights?"
    elif not close(found * rate, 1):
        return f"{told}. The rate is {1 - 1 / found:.2f}. Is the argument used?"
    return f"{told}. Is {rate} taken for the share that is kept?"


# ---------------------------------------------------------------------------------- the block


def zeroed(ops):
    """Changes so that the results of these operations are 0."""
    return {o.index: zero for o in ops}


def block_of(att):
    """(first, last) products of its feed-forward; Unclear where it has none or several."""
    _, first, last = linears(att)
    if not last:
        return None
    if len(last) > 1 or att.levels > 2:
        raise Unclear("several feed-forward layers: examine one block alone")
    att.last = last[-1]
    return first, last


@examination("residuals", "Does the stream of each word run past attention and feed-forward?", "07", at="last")
def residuals(p, att):
    parts = block_of(att)
    if parts is None:
        return nothing("no feed-forward after the attention")
    first, last = parts
    every = att.all_silent()
    x, y, tol = p.words(), p.words(seed=21), 1e3 * p.tol

    def out(change, t=x):
        return att.run(change, x=t).out

    stop_a, stop_f = every, zeroed(last)
    bad = []

    def moves(change):
        return worst(out(change) - out(change, y)) > tol

    mix = {s.mix: lambda args, kwargs, o: o + 1.0 for s in att.sites}
    reaches_attention = worst(out({**mix, **stop_f}) - out(stop_f)) > tol
    if not moves(stop_a):
        bad.append("no residual around the attention: with its averages 0 the output is the same for every x")
    if not moves(stop_f) or not reaches_attention and not moves({**stop_a, **stop_f}):
        bad.append(
            "no residual around the feed-forward: with its last layer 0 the output is the same whatever comes before it"
        )
    elif not reaches_attention:
        bad.append(
            "what the attention found reaches the output through the feed-forward alone: the second sum "
            "starts from x, not from the first sum"
        )
    if bad:
        return finding("; ".join(bad))
    both = out({**stop_a, **stop_f})
    zero = att.run({**stop_a, **stop_f}, x=torch.zeros_like(x)).out
    three_times = att.run({**stop_a, **stop_f}, x=3 * x).out
    gain = ((both - zero) * x).sum() / x.square().sum()
    att.linear = worst(three_times - zero - 3 * (both - zero)) <= 1e-6 * max(worst(three_times), 1.0) and worst(
        both - zero - gain * x
    ) <= 1e-6 * max(worst(both), 1.0)
    if att.linear:
        if close(gain.item(), 1, 1e-6):
            return fine("both stand: with both parts silent, the output is x")
        if close(gain.item(), 2, 1e-6):
            return finding("x is added twice: with both parts silent, the output is 2·x")
        return note(f"with both parts silent the output is {gain:.3f}·x")
    if unscaled(att, [s.score for s in att.sites], x):
        return note(
            "the attention reads a norm of x, and the sum starts from a norm, too (or a last norm "
            "follows): with both parts silent the output is no multiple of x"
        )
    return fine("both stand: with both parts silent, the output is a norm of x")


@examination("norms", "Where are the norms?", "07", at="score")
def norms(p, att):
    parts = block_of(att)
    if parts is None:
        return nothing("no feed-forward after the attention")
    if not hasattr(att, "linear"):
        raise Unclear("needs the residuals")
    first, last = parts
    x = p.words()
    normed_in = unscaled(att, [s.score for s in att.sites], x)
    normed_feed = unscaled(att, [first[0].index], x)
    left_out = [n for m in p.modules for n, c in m.named_children() if "norm" in n and isinstance(c, nn.Identity)]
    if left_out and att.linear and not (normed_in and normed_feed):
        return note(f"{left_out[0]} is an nn.Identity: one part reads the stream itself, as it seems on purpose")
    if att.linear:
        if not normed_in and not normed_feed and not branch_normed(att, last):
            return finding(
                "there is no norm: attention and feed-forward read the stream itself, and nothing follows them"
            )
        if normed_in and not normed_feed and not branch_normed(att, last):
            return finding(
                "the feed-forward reads the stream itself, without a norm; the attention reads a norm",
                spoken_line(first[0].line),
            )
        if normed_feed and not normed_in and not branch_normed(att, last):
            return finding("the attention reads x itself, without a norm; the feed-forward reads a norm")
        return fine("pre-norm" if normed_in else "a norm follows each part")
    return fine("a norm of x before the attention, and one on the stream" if normed_in else "post-norm")


def unscaled(att, indices, x):
    """Do these products read the same for x and 3·x, up to ε?"""
    i = indices[0]
    one, two = (att.run(att.all_silent(), [i], x=t).seen[i] for t in (1e3 * x, 3e3 * x))
    side = 0 if worst(one[0] - two[0]) > 0 or worst(one[1] - two[1]) == 0 else 1
    return worst(one[side] - two[side]) <= 0.05 * max(worst(one[side]), 1e-30)


def branch_normed(att, last):
    """Is what the attention or the feed-forward adds normed?"""
    x = att.x
    much = {o.index: lambda args, kwargs, out: out * 1000 for o in last}
    more = {o.index: lambda args, kwargs, out: out * 3000 for o in last}
    a, b = (att.run(c, x=x).out for c in (much, more))
    return worst(a - b) <= 0.05 * worst(a)


@examination("activation", "Does the feed-forward bend?", "07", at="last")
def activation(p, att):
    parts = block_of(att)
    if parts is None:
        return nothing("no feed-forward after the attention")
    first, last = parts
    g = torch.Generator().manual_seed(4)
    u = [torch.randn(o.shape, generator=g, dtype=torch.float64).to(p.kind) for o in first]

    def reads(times):
        change = {o.index: lambda args, kwargs, out, t=t: times * t for o, t in zip(first, u)}
        a, b, _ = att.run(change, [last[0].index]).seen[last[0].index]
        return a if last[0].roots[0] else b

    zero, one, two = reads(0.0), reads(1.0), reads(2.0)
    bend = worst(two - 2 * one + zero)
    three_x = reads(-1.0)
    if bend <= 1e-9 * max(worst(two), 1e-30) and worst(one + three_x - 2 * zero) <= 1e-9 * max(worst(one), 1e-30):
        name = leaf(sorted(last[0].names or {"the last layer"})[0])
        told = f"there is no activation before {name}: twice the number in gives twice the number out"
        return finding(f"{told}, so two layers are one", spoken_line(last[0].line))
    if len(first) > 1:
        return fine("it does, by a gate")
    grid = torch.linspace(-3, 3, 7, dtype=p.kind)
    change = {
        first[0].index: lambda args, kwargs, out: (torch.arange(out.shape[-1]) % 7 - 3).to(out).expand_as(out).clone()
    }
    a, b, _ = att.run(change, [last[0].index]).seen[last[0].index]
    read = a if last[0].roots[0] else b
    known = {
        "relu": F.relu(grid),
        "gelu": F.gelu(grid),
        "gelu (tanh)": F.gelu(grid, approximate="tanh"),
        "silu": F.silu(grid),
        "tanh": grid.tanh(),
        "leaky relu": F.leaky_relu(grid),
    }
    row = three(read).flatten(0, -2)[0, :7]
    return fine(
        next(
            (n for n, y in known.items() if row.shape == y.shape and worst(row - y) < 1e-6),
            "it does, by a function of its own",
        )
    )
