"""What can be asked from inside: chosen numbers take the place of the scores, and the weights are read.

No name is needed. In a forward pass one product has data on both sides (queries and keys), and a later one has what was
made of it on one side (the weights) and data on the other (the values). What stands between is a function that we can
question: chosen scores go in, weights come out.
"""

from __future__ import annotations

import itertools
import re

import torch

from checking.examine.patient import LAYOUT, Change, Op, Unclear, spoken_line, worst


class Site:
    """One product of queries and keys, and the product of its weights and the values."""

    def __init__(self, score, mix, side, level):
        self.score, self.mix, self.side, self.level = score, mix, side, level


def zero(args, kwargs, out):
    """For `Change`: nothing takes the place of a result."""
    return torch.zeros_like(out)


def three(t):
    """t with three axes: (slices, rows, columns)."""
    return t if t.ndim == 3 else t.reshape(1, *t.shape) if t.ndim == 2 else t.reshape(-1, *t.shape[-2:])


def sites_of(trace):
    """The sites of a forward pass, in order, and how many attentions stand before each."""
    found, levels = [], {}
    for op in trace.ops:
        if op.sides is None or not (op.roots[0] and op.roots[1]):
            continue
        side = 0 if op.pending[0] else 1 if op.pending[1] else None
        if side is None:
            continue
        score = max(op.pending[side])
        before = [levels[m] for s in trace.ops[score].sides for m in s[3] if m in levels]
        level = max(before, default=-1) + 1
        levels[op.index] = level
        found.append(Site(score, op.index, side, level))
    return found


class Attention:
    """One attention of a layer: the sites of one level. Numbers go in and out by its products alone."""

    def __init__(self, p, x, level):
        self.p, self.x, self.level, self.trace = p, x, level, p.follow(x)
        every = sites_of(self.trace)
        self.sites, self.freeze = [s for s in every if s.level == level], [s.mix for s in every if s.level < level]
        self.levels = max((s.level for s in every), default=-1) + 1
        self.later = [s for s in every if s.level > level]
        if not self.sites:
            raise Unclear(
                "no product of queries and keys was seen whose result weighs values: is it attention, by "
                "PyTorch's matmul, einsum or scaled_dot_product_attention?"
            )
        self.base, self.scales, self.moves, self.trouble, self.divided_later = {}, {}, {}, {}, False
        self.last: Op | None = None  # of a block, the last product of its feed-forward
        self.odd = ""  # q, k or v, whose rows are odd
        self.base = self.run(read=[s.mix for s in every] + [s.score for s in every]).seen

    # -- runs

    def run(self, change=(), read=(), x=None, context=None, seed=0):
        frozen = {m: (lambda a, k, out, m=m: self.base[m][2]) for m in self.freeze} if self.base else {}
        mode = Change({**frozen, **dict(change)}, read)
        mode.out = self.p(self.x if x is None else x, context=context, mode=mode, seed=seed)
        return mode

    def chosen(self, scores):
        """Changes so that the products of queries and keys are these: (slices, q, k) for each site."""

        def put(new, site):
            def result(args, kwargs, out):
                natural = (new if site.direct else new.mT).reshape(out.shape)
                if self.trace.ops[site.score].kind in ("addmm", "baddbmm"):
                    alpha = kwargs.get("alpha", 1)
                    return out + alpha * (natural - args[1] @ args[2])
                return natural

            return result

        return {site.score: put(new, site) for site, new in zip(self.sites, scores)}

    def zeros(self):
        """Scores of 0 for each site: (slices, q, k)."""
        return [
            torch.zeros(s.q.shape[0], s.q.shape[1], s.k.shape[1], dtype=self.p.kind, device=self.p.device)
            for s in self.sites
        ]

    def drawn(self, seed=3):
        """Random scores for each site: (slices, q, k)."""
        g = torch.Generator().manual_seed(seed)
        return [torch.randn(z.shape, generator=g, dtype=torch.float64).to(z) for z in self.zeros()]

    def weights(self, scores, seed=0):
        """(slices, q, k): the weights that come of these scores, all sites one after the other."""
        seen = self.run(self.chosen(scores), [s.mix for s in self.sites], seed=seed).seen
        found = torch.cat([self.oriented(s, seen[s.mix])[0] for s in self.sites])
        return found / found.sum(-1, keepdim=True) if self.divided_later else found

    def sums_later(self, scores):
        """Are the rows made to sum to 1 after the average, so that averages of equal values are these values?"""

        def equal_values(site):
            def result(args, kwargs, out):
                w = (args[-2] if len(args) > 2 else args[0]) if site.side == 0 else args[-1]
                sums = w.sum(-1, keepdim=True) if site.side == 0 else w.sum(-2, keepdim=True)
                return sums.expand_as(out).clone()

            return result

        equal = {s.mix: equal_values(s) for s in self.sites}
        outs = [self.run({**self.chosen(given), **equal}).out for given in (scores, self.zeros())]
        plain = [self.run(self.chosen(given)).out for given in (scores, self.zeros())]
        return worst(outs[0] - outs[1]) <= 1e-6 * max(worst(outs[0]), 1e-30) and worst(
            plain[0] - plain[1]
        ) > 1e-3 * worst(outs[0])

    @staticmethod
    def oriented(site, seen):
        """(weights, values, averages) of a mix, words in rows."""
        a, b, out = map(three, seen)
        return (a, b, out) if site.side == 0 else (b.mT, a.mT, out.mT)

    # -- what is where

    def look(self):
        """Find out which operand of each product holds the queries."""
        for site in self.sites:
            a, b, _ = map(three, self.base[site.score])
            site.q, site.k, site.direct = a, b.mT, True
            site.w, site.v, site.out = self.oriented(site, self.base[site.mix])
        words = self.x.shape[1]
        if any(min(s.q.shape[1], s.k.shape[1]) < 2 <= words for s in self.sites):
            raise Unclear("queries or keys come one by one: only what is asked from outside can be answered")
        ways = [self.is_direct(site) for site in self.sites]
        for site, direct in zip(self.sites, ways):
            site.direct = direct
            if not direct:
                site.q, site.k = site.k, site.q

    def at_length(self, seq):
        """By what the scores are divided behind the product where x has so many words; None where nobody can tell."""
        try:
            other = Attention(self.p, self.p.words(seq=seq), self.level)
            other.look()
            return 1 / other.slope()[0][0].item()
        except Exception:  # noqa: BLE001 one length only
            return None

    def is_direct(self, site):
        """Is score (r, c) the weight that row r of the averages gives to value c, or the other way round?"""
        r, c = site.q.shape[1], site.k.shape[1]
        if r != c:
            return site.w.shape[1:] != (c, r)
        flat = [torch.full_like(z, 0.25) for z in self.zeros()]
        at, votes = self.sites.index(site), 0

        def weights():
            return self.oriented(site, self.run(self.chosen(flat), [site.mix]).seen[site.mix])[0]

        base = weights()
        for i, j in ((r - 1, 0), (r - 1, 1), (0, r - 1), (2 % r, 1 % r)):
            flat[at][0, i, j] += 1.0
            gap = (torch.nan_to_num(weights() - base).abs() > 1e-12).any(0)
            flat[at][0, i, j] -= 1.0
            if i == j or not gap.any() or gap.shape != (r, r):
                continue
            alone = gap.clone()
            alone[i], alone[:, j] = False, False
            turned = gap.clone()
            turned[j], turned[:, i] = False, False
            votes += int(turned.any()) - int(
                alone.any()
            )  # what moves stands in row i or column j, or in row j or column i
        return votes >= 0

    def find_words(self):
        """For each row of queries, keys and values: which words it is made of, as site.of, (slices, rows, words)."""
        p, runs = self.p, []
        reads = [i for s in self.sites for i in (s.score, s.mix)]
        context = p.context(self.x) if p.cross else None
        given = {"x": self.x} | ({"context": context} if p.cross else {})
        for what, t in given.items():
            for b, i in itertools.product(range(t.shape[0]), range(t.shape[1])):
                other = t.clone()
                other[b, i] = p.words(seed=70 + i, width=t.shape[-1])[b, 0]
                runs.append(self.run((), reads, **(given | {what: other})).seen)
        self.n_x = self.x.shape[0] * self.x.shape[1]
        self.labels = [(b, i) for b in range(self.x.shape[0]) for i in range(self.x.shape[1])]
        if context is not None:
            self.labels += [(b, i) for b in range(context.shape[0]) for i in range(context.shape[1])]
        for site in self.sites:
            site.of = {}
            for name in ("q", "k", "v"):
                base, deps = getattr(site, name), []
                for seen in runs:
                    now = self.operand(site, seen, name)
                    deps.append(
                        (now - base).abs().amax(-1) > 1e-9 * max(worst(base), 1e-30)
                        if now.shape == base.shape
                        else torch.ones(base.shape[:2], dtype=torch.bool)
                    )
                site.of[name] = torch.stack(deps, -1)

    def operand(self, site, seen, name):
        if name == "v":
            return self.oriented(site, seen[site.mix])[1]
        a, b, _ = map(three, seen[site.score])
        return a if (name == "q") == site.direct else b.mT

    def words_of(self, name):
        """(slices, rows) -> the word (batch, i) that a row is made of, None where it is not one word; all sites."""
        return [[min(words) if len(words) == 1 else None for words in rows] for rows in self.all_words(name)]

    def all_words(self, name):
        """The same with the set of words of each row."""
        return [
            [{self.labels[int(i)] for i in r.nonzero().flatten()} for r in rows]
            for site in self.sites
            for rows in site.of[name]
        ]

    @property
    def d_head(self):
        return self.sites[0].q.shape[-1]

    def n_heads(self):
        """How often a word stands among the rows of the queries."""
        words = [w for rows in self.words_of("q") for w in rows if w]
        return words.count(words[0]) if words else 0

    def troubles(self, name):
        """What is wrong with the rows of queries, keys or values, in words; "" if nothing is."""
        if name not in self.trouble:
            self.trouble[name] = self.row_trouble(name)
            if (
                name != "q"
                and self.trouble[name] == "order"
                and self.words_of("k") == self.words_of("v")
                and all(len(set(r)) == len(r) for r in self.words_of("k"))
            ):
                self.trouble[name] = ""  # keys and values in another order, the same for both: a set has none
        return self.trouble[name]

    def row_trouble(self, name):
        many = {False: self.x.shape[1], True: (len(self.labels) - self.n_x) // self.x.shape[0]}  # of x, of the context
        for r, sets, seq in self.rows_with(name, many):
            length = len(r)
            if any(w is None for w in r):
                bad = next(i for i, w in enumerate(r) if w is None)
                return "mixed" if sets[bad] else "none"
            sentences, places = [w[0] for w in r], [w[1] for w in r]
            if len(set(sentences)) > 1:
                return "sentences"
            if len(set(places)) == 1 and length > 1:
                return "one word"
            if len(self.sites) > 1 and length < seq and places == [*range(places[0], places[0] + length)]:
                raise Unclear("queries or keys come in tiles: only what is asked from outside can be answered")
            if (
                length % seq
                or places != [i % seq for i in range(length)]
                and places != [i // (length // seq) for i in range(length)]
            ):
                return "order"
        return ""

    def rows_with(self, name, many):
        """(the word of each row, all words of each, how many words the sentence has that they are taken of)."""
        every = [deps for site in self.sites for deps in site.of[name]]
        for r, sets, deps in zip(self.words_of(name), self.all_words(name), every):
            yield r, sets, many[bool(deps[:, self.n_x :].any())]

    def where(self, which):
        """The line of the products (score, mix), of the weights between them (softmax), or of a change of layout:

        the first behind the heads (join), or the last before the rows that are `odd` (rows).
        """
        ops, site = self.trace.ops, self.sites[0]
        at = ops[site.score if which == "score" or which == "rows" and self.odd != "v" else site.mix]
        if which == "softmax":
            between = ops[site.score + 1 : site.mix]
            soft = [o for o in between if re.search("softmax|exp|sigmoid", o.kind)]
            at = (soft or [o for o in between if not LAYOUT.search(o.kind)] or [at])[-1]
        elif which == "join":
            behind = ops[self.sites[-1].mix + 1 :]
            at = next((o for o in behind if re.search("view|reshape|transpose|permute|cat", o.kind)), at)
        elif which == "last":
            at = self.last or at
        elif which == "rows" and self.odd != "v":
            layout = at.layouts[0 if (self.odd == "q") == site.direct else 1]
            at = at if layout is None else ops[layout]
        return spoken_line(at.line)

    # -- scales

    def root_elements(self, name):
        """(root, elements of it that reach queries, keys or values): two of each root."""
        site = self.sites[0]
        op = self.trace.ops[site.mix if name == "v" else site.score]
        side = (1 - site.side) if name == "v" else (0 if (name == "q") == site.direct else 1)
        found = []
        for root in sorted(op.roots[side], key=str):
            size = self.root_size(root)
            if root[0] == "product" or not size:
                continue
            width = self.root_width(root)
            for last in (False, True):
                likely = [
                    size - 1 - i if last else i for i in (0, width // 3, 2 * width // 3)
                ]  # q, k, v in one product
                hit = next((i for i in likely if worst(self.moved(root, name, i, i + 1)) > 0), None)
                low, high = (0, size) if hit is None else (hit, hit + 1)
                while high - low > 1:
                    mid = (low + high) // 2
                    halves = [(low, mid), (mid, high)]
                    halves = halves[::-1] if last else halves
                    first = self.moved(root, name, *halves[0])
                    low, high = halves[0] if worst(first) > 0 else halves[1]
                if worst(self.moved(root, name, low, high)) > 0:
                    found.append((root, low))
        return found

    def root_width(self, root):
        """How many numbers of a word stand in a root."""
        if root[0] == "linear":
            return self.trace.ops[root[1]].shape[-1]
        return (self.p.context(self.x) if root[1] in self.p.cross else self.x).shape[-1]

    def root_size(self, root):
        if root[0] == "linear":
            return self.trace.ops[root[1]].shape.numel()
        return self.x.numel() if root[1] not in self.p.cross else self.p.context(self.x).numel()

    def moved(self, root, name, low, high, much=1.0):
        """By how much queries, keys or values move when elements low to high of a root are larger by `much`."""
        site = self.sites[0]

        def more(args, kwargs, out):
            new = out.contiguous().clone()
            new.view(-1)[low:high] += much
            return new

        if (root, low, high, much) not in self.moves:  # one pass answers for all three
            x, context, change = self.x, None, {}
            if root[0] == "linear":
                change = {root[1]: more}
            elif root[1] in self.p.cross:
                context = more((), {}, self.p.context(self.x))
            else:
                x = more((), {}, self.x)
            self.moves[root, low, high, much] = self.run(change, [site.score, site.mix], x=x, context=context).seen
        return self.operand(site, self.moves[root, low, high, much], name) - getattr(site, name)

    def forget_scales(self):
        """Measure what queries and keys are multiplied by anew: a parameter is another one."""
        self.scales.clear()
        self.moves.clear()

    def scale(self, name):
        """(by what queries or keys are multiplied on their way from their projection, how many numbers one moves).

        None in place of the first where it is no multiplication: a norm stands in between.
        """
        if name not in self.scales:
            self.scales[name] = self.measured_scale(name)
        return self.scales[name]

    def measured_scale(self, name):
        scales, spread = [], 0
        for root, at in self.root_elements(name):
            one, two = (self.moved(root, name, at, at + 1, much) for much in (1.0, 2.0))
            if worst(two - 2 * one) > 1e-6 * worst(two):
                return None, 0
            size = one.norm(dim=-1)
            where = size.flatten().argmax()
            scales.append(size.max().item())
            spread = max(spread, int((one.flatten(0, 1)[where].abs() > 1e-9 * size.max()).sum()))
        if not scales:
            raise Unclear(f"nothing was found that the {dict(q='queries', k='keys', v='values')[name]} are made of")
        if max(scales) / min(scales) > 1.001:
            return None, spread
        return scales[0], spread

    def slope(self):
        """By how much the log-odds grow with a product of query and key, small and larger; one number a slice."""
        zeros = [z + 0.25 for z in self.zeros()]  # a score of 0 may stand for a hidden one
        base = self.weights(zeros)
        row, allowed = self.open_row(base)
        put, other = allowed[0], allowed[1]
        found = []
        for t in (0.5, 1.0):
            for z in zeros:
                z.fill_(0.25)
                z[:, row, put] += t
            w = self.weights(zeros)
            gained = (w[:, row, put] / w[:, row, other]).log() - (base[:, row, put] / base[:, row, other]).log()
            found.append(gained / t)
        return found

    def open_row(self, weights):
        """(a row with two allowed keys, which keys those are): the one with the most."""
        on = (weights.abs() > 1e-30).all(0)
        row = int(on.sum(-1).flip(0).argmax())
        row = on.shape[0] - 1 - row
        allowed = on[row].nonzero().flatten().tolist()
        if len(allowed) < 2:
            raise Unclear("no word may attend to two words")
        return row, allowed

    # -- what comes after

    def arrives(self):
        """[(slice, row, words of the output that move)] when the average in a row is larger; {(slice, row): change}.

        Of the first sentence, the first two heads and the last.
        """
        found, keep = [], {}
        g = torch.Generator()
        rest = {s.mix: zero for s in self.later}
        base = self.run(rest).out
        n0 = 0
        for site in self.sites:
            g.manual_seed(9)  # the same for every site, so that heads in a loop can be compared
            bump = torch.randn(site.out.shape[-1], generator=g, dtype=torch.float64).to(site.out)
            slices = site.out.shape[0]
            of = self.words_of("q")[n0 : n0 + slices]
            mine = [n for n in range(slices) if any(w is None or w[0] == 0 for w in of[n])]  # of sentence 0
            for n in dict.fromkeys([*mine[:2], *mine[-1:]]):
                for r in range(site.out.shape[1]):
                    if of[n][r] is not None and of[n][r][0] != 0:
                        continue
                    out = self.run({**rest, site.mix: self.added(site, n, r, bump)}).out
                    gap = (out - base).abs().amax(-1)
                    moved = {(b, i) for b, i in (gap > 1e-10 * max(worst(base), 1.0)).nonzero().tolist()}
                    found.append((n0 + n, r, moved))
                    keep[n0 + n, r] = out - base
            n0 += slices
        return found, keep

    def added(self, site, n, r, bump):
        def result(args, kwargs, out):
            new = out.clone()
            view = three(new)
            if site.side == 0:
                view[n, r] += bump
            else:
                view[n, :, r] += bump
            return new

        return result

    def all_silent(self):
        """Changes so that the averages of this and of all later attentions are 0."""
        return {s.mix: zero for s in [*self.sites, *self.later]}

    def silent(self):
        """Changes so that all averages of this attention are 0."""
        return {s.mix: zero for s in self.sites}

    # -- names

    def fused(self):
        """For each product that makes queries, keys or values: the matrices in it."""
        ops = self.trace.ops
        roots = {
            r[1]
            for s in self.sites
            for i in (s.score, s.mix)
            for side in ops[i].roots
            for r in side
            if r[0] == "linear"
        }
        names = [ops[i].names for i in roots]
        return [{n for n in some if self.p.own_names[n].ndim > 1} for some in names]

    def sources(self, name):
        """The parameters that queries, keys or values are projected by."""
        found = []
        for site in self.sites:
            op = self.trace.ops[site.mix if name == "v" else site.score]
            side = (1 - site.side) if name == "v" else (0 if (name == "q") == site.direct else 1)
            for root in sorted(op.roots[side], key=str):
                if root[0] == "linear":
                    found += sorted(self.trace.ops[root[1]].names, key=lambda n: n.endswith("bias"))
                else:
                    found.append(str(root[1]))
        return list(dict.fromkeys(found))
