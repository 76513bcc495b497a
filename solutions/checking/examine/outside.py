"""What can be asked from outside: the layer is only called, with one thing changed."""

from __future__ import annotations

import re
from dataclasses import dataclass

import torch

from checking.examine.attention import zero
from checking.examine.patient import BATCH, SEQ, Change, Unclear, worst
from checking.examine.report import examination, finding, fine, note, nothing


@examination("lengths", "Does any batch, any length, even one word, come back finite and in its own shape?", "07")
def lengths(p):
    sizes = ((2, 5), (1, 5), (2, 1), (1, 1), (3, 7), (2, 4))
    for batch, seq in sizes:
        try:
            out = p(p.words(batch, seq))
        except Exception as error:  # noqa: BLE001 the layer is anybody's
            return finding(f"x {(batch, seq, p.d_model)} stops with {type(error).__name__}: {str(error)[:90]}")
        if not out.isfinite().all():
            bad = int((~out.isfinite()).sum())
            return finding(
                f"{bad} of {out.numel()} numbers are NaN or infinite for an ordinary x {(batch, seq, p.d_model)}"
            )
        if out.shape[:2] != (batch, seq):
            return finding(f"x {(batch, seq, p.d_model)} gives {tuple(out.shape)}, expected ({batch}, {seq}, …)")
    return fine(f"(batch, seq, {p.d_model}) → (batch, seq, {out.shape[-1]}), for one word and one sentence, too")


@examination("eval mode", "Is the result the same twice in eval mode?", "07")
def eval_mode(p):
    x = p.words()
    one, two, again = (p(x, seed=None) for _ in range(3))
    p.chance = worst(one - two)
    if not p.chance:
        return fine("two calls agree to the last bit")
    if worst(two - again) == 0 or worst(p(x) - p(x)):
        return finding(f"two calls on one x differ by {p.chance:.3g}: something is kept from call to call")
    return finding(f"two calls on one x differ by {p.chance:.3g}: dropout, or another chance, acts in eval mode")


@examination("input", "Does x keep its numbers?", "07")
def input_kept(p):
    x = p.words()
    p(x, same=True)
    gap = worst(x - p.words())
    return fine("x is as it was") if gap == 0 else finding(f"x is changed in place, by up to {gap:.3g}")


def steady(p):
    """No chance in eval mode, or Unclear."""
    if p.chance:
        raise Unclear("two calls on one x differ; once that is settled, ask again")


@examination("batch", "Does a sentence's result depend on the other sentences?", "04")
def batch(p):
    steady(p)
    x, new = p.words(3), p.words(3, seed=9)
    out, gaps = p(x), []
    for changed in (1, 0, 2):
        other = x.clone()
        other[changed] = new[changed]
        gap = worst((p(other) - out)[[s for s in range(3) if s != changed]])
        gaps.append(gap)
        if gap > p.tol * max(1.0, worst(out)):
            one = x.clone()
            one[changed, 2] = other[changed, 2]
            moved = (p(one) - out).abs().amax(-1) > p.tol
            reader = 0 if changed else 2
            if moved[reader, 2] and not moved[reader, 1] and not moved[changed, 1]:
                why = (
                    ": word 2 reads word 2 of the other sentences and no other word of its own: batch and "
                    "seq have changed places"
                )
                why += " (if x is meant to be (seq, batch, d), say batch_first=False)"
            else:
                why = ""
            return finding(f"sentence {changed} is another one, and the others change by {gap:.3g}{why}")
    alone = worst(p(x[:1]) - out[:1])
    if alone > 1e4 * p.tol * max(1.0, worst(out)):
        return finding(f"the result depends on the number of sentences: sentence 0 alone differs by {alone:.3g}")
    p(new[:2])
    again = worst(p(x) - out)
    if again > 1e4 * p.tol:
        return finding(
            f"something is kept from call to call: after another x, the result for the first is {again:.3g} away"
        )
    p.alone = takes(p, 7 * BATCH)
    return fine(f"another sentence changes: {max(gaps):.1g}; a sentence alone: {alone:.1g}")


def takes(p, batch):
    """Does it take so many sentences? A cache may have room for a few."""
    try:
        return p(p.words().repeat(batch // BATCH, 1, 1)).shape[0] == batch
    except Exception:  # noqa: BLE001 the layer is anybody's
        return False


def pairs(matrix, most=3):
    """The True pairs (i, j), in words."""
    found = matrix.nonzero().tolist()
    return ", ".join(f"word {i} reads word {j}" for i, j in found[:most]) + f" and {len(found) - most} more pairs" * (
        len(found) > most
    )


@examination("reads", "Which words does a word read?", "06")
def reads(p):
    steady(p)
    seen, number = p.reads()
    if not seen.all():  # a saturated softmax looks like a mask
        seen = seen | p.reads(times=0.1)[0]
    p.reads_table = seen = seen.any(0)
    number, low = number.amax(0), torch.ones_like(seen).tril()
    eye, future = torch.eye(len(seen), dtype=torch.bool, device=seen.device), seen & ~low
    if p.cross and not (seen & ~eye).any():
        return fine("each word of x reads the context alone, and itself")
    most = f"(change {number[future].max() if future.any() else 0:.3g})"
    if torch.equal(seen, low):
        if p.causal is False:
            return finding("it is causal, and should not be: word 0 reads no other word (change 0)")
        return fine("causal: no word reads a later one (change 0)")
    if torch.equal(seen | eye, low) and not seen[1, 1]:
        return finding("a word does not read itself, only earlier ones: word 1 changes by 0 when word 1 is another one")
    if torch.equal(seen, torch.ones_like(seen).tril(1)):
        return finding(f"the mask is one step too far: {pairs(future)} {most}")
    if torch.equal(seen | eye, torch.ones_like(seen).triu()) and len(seen) > 2:
        return finding(
            f"it reads the future and hides the past: {pairs(future)} {most}. Have True and False of the "
            "mask changed places, or tril and triu?"
        )
    if p.causal and future.any():
        return finding(f"it reads later words, although {p.why}: {pairs(future)} {most}")
    if seen.all():
        return fine(f"every word reads every word (least change {number.min():.2g})")
    if torch.equal(seen, eye):
        told = "no word reads another one: the words are not mixed (change 0)"
        return finding(told) if p.sites else note(f"{told}. Is it a part without attention?")
    i, j = (~seen & low if (~seen & low).any() else ~seen).nonzero()[0].tolist()
    near = not future.any() and any(torch.equal(seen, low & ~low.tril(-w)) for w in range(1, len(seen)))
    far = any(
        torch.equal(seen, low.tril(w) & ~low.tril(-w - 1))
        or torch.equal(seen, (low | low.mT) & ~low.tril(-w - 1) & ~low.tril(-w - 1).mT)
        for w in range(1, 4)
    )
    told = f"word {i} never reads word {j}; {pairs(future) or 'no word reads a later one'}"
    if near or far:
        return note(f"it reads a window: {told}")
    if p.causal is None and not future.any():
        return note(f"it reads some earlier words only: {told}")
    return finding(f"neither causal nor full: {told}")


@examination("order", "Does the order of the words matter?", "03")
def order(p):
    steady(p)
    x, turn = p.words(), torch.tensor([2, 0, 3, 1, 4])
    gap = worst((p(x[:, turn]) - p(x)[:, turn])[:, [4] if not p.read_by.all() else slice(None)])
    if gap <= max(100 * p.tol, 1e-5):
        return fine(f"the earlier words in another order change nothing ({gap:.1g})")
    return fine(f"it does: the earlier words in another order change the last one by {gap:.3g}, so positions enter")


@examination("prefix", "Is the beginning of a sentence treated as in the whole sentence?", "08")
def prefix(p):
    steady(p)
    if (p.read_by & ~torch.ones_like(p.read_by).tril()).any() or p.read_by.shape[0] < SEQ or p.cross:
        return nothing()
    gap = worst(p(p.words(seq=7)[:, :4]) - p(p.words(seq=7))[:, :4])
    if gap < 1e3 * p.tol:
        return fine(f"4 words alone and as the start of 7 agree ({gap:.1g})")
    return finding(f"4 words alone and as the start of 7 differ by {gap:.3g}: the length changes what is read")


def biases_of_keys(name):
    return re.search(r"(^|[._])(k|key|keys|wk|k_proj|to_k|key_proj|k_linear|b_k)([._]|$)", name, re.I) and re.search(
        "bias|^b_|_b$", name
    )


def slopes(p, x, step, aim):
    """(what autograd says of the slope along step, what differences say, how far these are apart among themselves)."""
    sizes = [1e-4, 1e-5, 1e-6]
    near = [x + sign * h * step for h in sizes for sign in (1, -1)]
    outs = p(torch.cat(near)).chunk(6) if p.alone else [p(it) for it in near]
    found = [((outs[2 * i] - outs[2 * i + 1]) * aim).sum().item() / (2 * h) for i, h in enumerate(sizes)]
    leaf = x.clone().requires_grad_()
    out = p(leaf * 1.0, grad=True)
    told = torch.autograd.grad((out * aim).sum(), leaf, allow_unused=True)[0]
    return 0.0 if told is None else (told * step).sum().item(), found[1], max(found) - min(found)


@examination("gradients", "Does every parameter learn, and does x get its true gradient?", "03")
def gradients(p):
    steady(p)
    names = {n: q for n, q in p.own_names.items() if q.requires_grad}
    x = p.words()
    try:
        out = p(x.clone().requires_grad_() * 1.0, grad=True)
        g = torch.Generator().manual_seed(2)
        aim = torch.randn(out.shape, generator=g, dtype=torch.float64).to(out)
        both = (out * aim).sum() + sum(t.sum() for t in p.beside if t.requires_grad)
        grads = torch.autograd.grad(both, list(names.values()), allow_unused=True) if names else ()
    except RuntimeError as error:
        if not names:
            return note(f"nothing in it learns: {str(error)[:90]}")
        return finding(f"no backward pass: {str(error)[:110]}")
    sizes = {n: (names[n].ndim, 0.0 if q is None else worst(q), q is None) for n, q in zip(names, grads)}
    top = max((s for _, s, _ in sizes.values()), default=0)
    dead = [n for n, (ndim, s, _) in sizes.items() if s == 0 or ndim > 1 and s < 1e-13 * top]
    p.dead = dead = [n for n in dead if not biases_of_keys(n)]
    if p.kind == torch.float64:
        for seed in (11, 12, 13):  # a kink of a relu is met at one of three points, a cut at each
            few = 1 if p.alone and not p.cross else BATCH
            auto, true, spread = slopes(p, p.words(few, seed=seed), p.words(few, seed=seed + 20), aim[:few])
            if abs(true - auto) <= 5e-3 * max(abs(true), abs(auto), 1e-2) + 3 * spread:
                break
        else:
            more = f"; no gradient reaches {', '.join(dead[:4])}" * bool(dead)
            return finding(
                "part of the way to x is cut (a detach, .data, or torch.tensor?): autograd says "
                f"{auto:.4f}, the true slope is {true:.4f}{more}"
            )
    if dead:
        unused = all(sizes[n][2] for n in dead)
        why = "it is not used" if unused else "its effect is cut, or divides out"
        many = f" and {len(dead) - 4} more" * (len(dead) > 4)
        told = f"no gradient reaches {', '.join(dead[:4])}{many} (0; others up to {top:.2g}): {why}"
        if unused and p.spare and not p.cross:
            return note(f"{told} as long as {p.spare[0]} is not given. Say context= to examine it with one")
        return finding(told)
    return fine(
        f"all {len(sizes)} parameters learn"
        + (f"; slope along x {auto:.4f}, measured {true:.4f}" if p.kind == torch.float64 else "")
    )


@examination("precision", "Does it withstand large numbers, float16, float32 and float64?", "10")
def precision(p):
    kind = p.kind
    try:
        p.fresh(torch.float32)
        base = worst(p(p.words()))
        for scale in (1, 30, 1e3):
            out = p(p.words() * scale)
            if out.dtype == torch.float64:
                return note("float32 in, float64 out: something in it is made as float64")
            if not out.isfinite().all():
                return note(
                    f"x times {scale:g} gives {int((~out.isfinite()).sum())} NaN or infinite numbers in "
                    "float32: is exp taken without the row's largest score subtracted?"
                )
        if base > 1e4:
            return fine("finite up to x times 1000 in float32")
        p.fresh(torch.float16)
        half = p(p.words())
        if not half.isfinite().all():
            return note(f"float16 overflows: {int((~half.isfinite()).sum())} NaN or infinite numbers at an ordinary x")
    except Exception as error:  # noqa: BLE001 the layer is anybody's
        if "overflow" in str(error):
            return note(
                f"float16 overflows: {str(error)[:90]}. A fill of −1e9 does not fit; take "
                "torch.finfo(scores.dtype).min, or −inf"
            )
        return note(f"it does not run in float16: {type(error).__name__}: {str(error)[:80]}")
    finally:
        p.fresh(kind)
    if kind != torch.float64:
        return note("it refuses float64: a tensor inside is made as float32")
    return fine("finite up to x times 1000 in float32, and in float16")


# ---------------------------------------------------------------------------------- masks

FORMS = {  # from a mask (batch, seq, keys) to that form
    "(seq, seq)": lambda m, h: m[0],
    "(batch, seq, seq)": lambda m, h: m,
    "(batch, 1, seq, seq)": lambda m, h: m[:, None],
    "(batch, heads, seq, seq)": lambda m, h: m[:, None].repeat(1, h, 1, 1),
    "(batch·heads, seq, seq)": lambda m, h: m.repeat_interleave(h, 0),
    "(batch, seq)": lambda m, h: m[:, 0],
    "(batch, 1, seq)": lambda m, h: m[:, :1],
    "(batch, 1, 1, seq)": lambda m, h: m[:, None, :1],
}
BY_WORD = ("(batch, seq)", "(batch, 1, seq)", "(batch, 1, 1, seq)")
KINDS = {
    "bool": lambda m, kind: m,
    "0/1": lambda m, kind: m.long(),
    "added": lambda m, kind: torch.zeros(m.shape, dtype=kind, device=m.device).masked_fill(~m, -torch.inf),
}


def made_mask(p, form, kind, hides, want):
    """The mask for want (batch, seq, keys), True where a word may be read, as this form and kind of argument."""
    return KINDS[kind](FORMS[form](~want if hides else want, p.n_heads or 1), p.kind)


def wanted_mask(p, form, keys):
    """A mask in which every word may read one word at least, (batch, seq, keys)."""
    want = torch.rand(BATCH, SEQ, keys, generator=torch.Generator().manual_seed(4)) > 0.45
    want |= torch.eye(SEQ, keys, dtype=torch.bool)
    if form in BY_WORD:
        want[0], want[1] = torch.arange(keys) < 3, torch.arange(keys) != 1
    return want.to(p.device)


@dataclass
class Trial:
    """A form of a mask that was taken: what is read (batch, i, j), what should be, and by how much."""

    form: str
    kind: str
    hides: bool  # whether True or 1 stands for a hidden word
    seen: torch.Tensor
    should: torch.Tensor
    number: torch.Tensor

    @property
    def heard(self):
        return torch.equal(self.seen, self.should)


def tried_masks(p, name, source):
    """The trial of each form of a mask that is taken, and what is read without a mask."""
    base, tried, plain = p.reads(source)[0], [], p(p.words())
    keys, own = base.shape[2], torch.eye(SEQ, base.shape[2], dtype=torch.bool, device=base.device)
    beside = torch.zeros_like(base) if source else read_beside(p)
    if (beside | own).all():
        raise Unclear("words are mixed beside the attention, too (a convolution?): from outside no mask can be seen")
    ways = [(kind, hides) for kind in KINDS for hides in (False, True)[: 1 + (kind != "added")]]
    for form in FORMS:
        want = wanted_mask(p, form, keys)
        asked = want[:1].expand(BATCH, -1, -1) if form == "(seq, seq)" else want
        # a mask that is given may replace the one that is built in
        goals = [reached(p, read, own) | beside for read in (asked & base, asked)]
        for kind, hides in ways:
            try:
                seen, number = p.reads(source, masks=given_as(p, name, form, kind, hides, want))
            except Exception:  # noqa: BLE001, S112 this form is not taken
                continue
            if p.base.shape != plain.shape or not number.isfinite().all():
                continue
            if worst(p.base - plain) < p.tol:
                seen = base
            elif not source:
                seen = fitting(seen, goals, own, want if form in BY_WORD else None)
            should = next((goal for goal in goals if torch.equal(seen, goal)), goals[0])
            tried.append(Trial(form, kind, hides, seen, should, number))
            if tried[-1].heard:
                ways = [(kind, hides)]  # the other forms are tried in the same way
                break
    return tried, base


def given_as(p, name, form, kind, hides, want):
    """For `reads`: how this mask is given for so many copies of the batch."""
    return lambda copies: {name: made_mask(p, form, kind, hides, want.repeat(copies, 1, 1))}


def fitting(seen, goals, own, by_word):
    """What is read but for what no mask forbids: a word moves itself, by its query; what a hidden one reads is free."""
    fits = [seen & (goal | ~own) for goal in goals]
    if by_word is not None:
        free = ~by_word.diagonal(dim1=-2, dim2=-1)[..., None]
        fits = [torch.where(free, goal, fit) for goal, fit in zip(goals, fits)]
    return next((fit for goal, fit in zip(goals, fits) if torch.equal(goal, fit)), fits[0])


def reached(p, read, own):
    """What the words of a stack read, where each of its attentions reads this."""
    now = read
    for _ in range(p.levels - 1 if read.shape[1] == read.shape[2] else 0):
        now = now.float() @ (now | own).float() > 0
    return now


def read_beside(p):
    """(batch, i, j): which words read which others when all averages are 0, as through a convolution."""
    silent = {s.mix: zero for s in p.sites}
    seen = p.reads(mode=lambda given: Change(silent))[0]
    return seen & ~torch.eye(seen.shape[1], dtype=torch.bool, device=seen.device)


@examination("masks", "What does each mask argument do?", "06")
def masks(p):
    steady(p)
    p.mask_use, said = {}, []
    kind = p.kind
    for name in p.mask_names:
        source = bool(p.cross) and not (p.read_by & ~torch.eye(SEQ, dtype=torch.bool, device=p.read_by.device)).any()
        tried, base = tried_masks(p, name, source)
        if p.cross and not source and all(torch.equal(t.seen, base) for t in tried):
            source = True
            tried, base = tried_masks(p, name, source)
        if not tried and kind == torch.float64:  # a mask that is made as float32 inside
            p.fresh(torch.float32)
            p.tol = 2e-5
            tried, base = tried_masks(p, name, source)
            p.fresh(kind)
            p.tol = 1e-9
        said += [(verdict, f"{name}{text}") for verdict, text in judged_mask(p, name, tried, base)]
    told, bad, aside = ([text for verdict, text in said if verdict == kind] for kind in ("fine", "finding", "unclear"))
    if told and any(re.search("window|sliding", name) for name in p.mask_names):  # one of two is meant for this layer
        bad = [it for it in bad if "is ignored" not in it]
    if bad:
        return finding("; ".join(bad + told))
    if aside and not told:
        raise Unclear("; ".join(aside))
    return fine("; ".join(told + aside)) if told else nothing("no mask argument")


def judged_mask(p, name, tried, base):
    """What one mask argument does: (verdict, text that follows its name), once or twice."""
    heard = [t for t in tried if t.heard]
    moved = [t for t in tried if not t.heard and not torch.equal(t.seen, base)]
    first = [
        t
        for t in moved
        if t.form.startswith("(batch")
        and torch.equal(t.seen[0], t.should[0])
        and torch.equal(t.seen[1] & base[1], t.should[0] & base[1])
    ]
    if heard:
        p.mask_use[name], kind = heard, heard[0].kind
        hides = heard[0].hides or kind == "added"
        word = {"bool": "True", "0/1": "1", "added": "−inf"}[kind]
        forms = ", ".join(dict.fromkeys(h.form for h in heard))
        yield "fine", f": {word} {'hides' if hides else 'means may attend'}; {forms}"
        if p.mask_true and kind != "added" and (p.mask_true == "hidden") != hides:
            told = f": True in the mask means {'hidden' if hides else 'may attend'} here, and you expect the opposite"
            yield "finding", f"{told} ({int(heard[0].should.sum())} pairs are read)"
    if first and not any(h.form.startswith("(batch") for h in heard):
        apart = int((first[0].seen != first[0].should).sum())
        yield "finding", f": all sentences get the first one's mask: {apart} pairs differ"
    elif not heard and not tried:
        told = f": none of {len(FORMS) * 3} forms of a mask was taken without an error"
        yield "unclear", f"{told}; pass call=lambda layer, x, mask: … to say how it is given"
    elif not heard and not moved:
        eye = torch.eye(SEQ, base.shape[2], dtype=torch.bool, device=base.device).expand(BATCH, -1, -1)
        given = [{name: made_mask(p, t.form, t.kind, t.hides, eye)} for t in tried]
        change = max(worst(p(p.words(), **mask) - p(p.words())) for mask in given)
        told = f" {'hides nothing' if change > p.tol else 'is ignored'}: in none of {len(tried)} forms"
        yield "finding", f"{told} is a hidden word unread (the output changes by {change:.3g})"
    elif not heard:
        yield "finding", misread(base, moved)


def misread(base, moved):
    """How what is read differs from the mask, where each form moves something, and none moves what it should."""
    best = min(moved, key=lambda t: int((t.seen != t.should).sum()))
    other = ~torch.eye(SEQ, dtype=torch.bool, device=base.device)
    square = [t for t in moved if t.form not in BY_WORD and t.seen.shape[1] == t.seen.shape[2]]
    turned = [t for t in square if torch.equal(t.seen, t.should.mT & base & (t.seen | other))]
    leak, lost = (best.seen & ~best.should).nonzero().tolist(), (~best.seen & best.should).nonzero().tolist()
    if turned:
        return (
            " is transposed: word i reads word j where the mask allows (j, i) "
            f"({int((turned[0].seen != turned[0].should).sum())} pairs differ)"
        )
    b, i, j = (leak or lost)[0]
    if leak:
        return (
            f" {best.form}: a hidden word is still read: word {i} reads word {j} of sentence {b} "
            f"(change {best.number[b, i, j]:.3g}), {len(leak)} such pairs"
        )
    return f" {best.form}: word {i} does not read word {j}, which the mask allows ({len(lost)} such pairs)"


@examination("empty row", "What becomes of a word that may read nothing?", "06")
def empty_row(p):
    steady(p)
    kind = p.kind
    try:
        p.fresh(torch.float32)  # the fill may be the largest number of its dtype
        return row_verdict(p)
    finally:
        p.fresh(kind)


def row_verdict(p):
    heard = [(name, h) for name, all_heard in getattr(p, "mask_use", {}).items() for h in all_heard]
    name, use = next(((name, h) for name, h in heard if "seq, seq" in h.form), ("", None))
    if use is None:
        return nothing("no mask by rows")
    keys = use.seen.shape[2]
    want = torch.ones(BATCH, SEQ, keys, dtype=torch.bool, device=p.device)
    want[:, 2] = False
    x = p.words().requires_grad_()
    out = p(x, grad=True, **{name: made_mask(p, use.form, use.kind, use.hides, want)})
    if not out.isfinite().all() and use.kind == "added":
        return fine(f"{name}: with −inf for all words a row is NaN; a finite number would do")
    if not out.isfinite().all():
        return note(
            f"{name}: a row with nothing allowed gives {int((~out.isfinite()).sum())} NaN, as "
            "PyTorch's own layer does: let no row be empty, or wipe it"
        )
    slope = torch.autograd.grad(out.sum(), x)[0]
    if not slope.isfinite().all():
        return note(
            f"{name}: the empty row is painted over, and its gradient is NaN ({int((~slope.isfinite()).sum())} numbers)"
        )
    row = p.reads(keys != SEQ, masks=given_as(p, name, use.form, use.kind, use.hides, want))[1].amax(0)[2]
    if any(row[j] > 1e-4 for j in range(len(row)) if j != 2):
        return fine(f"{name}: a word that may read nothing reads all words alike, without NaN: the fill is finite")
    return fine(f"{name}: it reads nothing, and gives no NaN")
