"""What the checks know of attention layers and blocks, and of the mistakes in them."""

from __future__ import annotations

import itertools
import re

import torch
import torch.nn.functional as F
from torch import nn

from checking.examine.inside import wrong_rate, wrongly_dropped
from checking.watch import unwatched
from checking.words import Words, compare


class LayerWords(Words):
    """What the checks know of attention layers and blocks, and of the mistakes in them."""

    def spelled(self, layer, weights):
        """PyTorch's {name: tensor} of a block under your names: q, k, v may be one layer or three,

        and linear1 and linear2 may stand in feed_forward.
        """
        return self.spelled_as(self.shapes(layer), weights)

    def spelled_as(self, names, weights):
        """The same for a block whose parameters have these names."""
        named, own = {}, {name.replace("bias", "weight") for name in names}
        three = any(name.endswith("q_proj.weight") for name in own)
        for name, value in weights.items():
            names = ["feed_forward." * name.startswith("linear") + name]
            if name.replace("bias", "weight") in own:
                names = [name]
            elif three and "in_proj_" in name:
                names = [name.replace("in_proj_", f"{letter}_proj.") for letter in "qkv"]
            named.update(zip(names, value.chunk(len(names))))
        return named

    def renamed(self, model, weights):
        """PyTorch's {name: tensor} of a whole model under your names: each block as in spelled,

        and `layers` and `norm` may stand in `blocks`, as unit 07's stack makes them. In a stack,
        be it blocks, encoder or decoder, the norm may have any name.
        """
        own = {name for name, _ in model.named_parameters(remove_duplicate=False)}
        top = {name.partition(".")[0] for name in own}
        named, blocks = {}, {}
        for name, value in weights.items():
            part = name.partition(".")[0]
            if part in ("layers", "norm") and part not in top and "blocks" in top:
                name = f"blocks.{name}"
            stack, norm, kind = name.rpartition("norm.")
            if block := re.match(r"(?:.+\.)?layers\.\d+\.", name):
                blocks.setdefault(block[0], {})[name.removeprefix(block[0])] = value
                continue
            if norm and stack and name not in own:
                beside = {n for n in own if n.startswith(stack) and f"{stack}layers." not in n}
                beside = {n.rpartition(".")[0] for n in beside}
                name = f"{beside.pop()}.{kind}" if len(beside) == 1 else name
            named[name] = value
        for start, inner in blocks.items():
            mine = [n.removeprefix(start) for n in own if n.startswith(start)]
            named |= {start + n: v for n, v in self.spelled_as(mine, inner).items()}
        return named

    def filled(self, layer, theirs, otherwise):
        """The layer has the parameters of theirs, a module of PyTorch's, and now its numbers."""
        weights = self.spelled(layer, theirs.state_dict())
        self.parameters(layer, {name: tuple(v.shape) for name, v in weights.items()}, otherwise)
        layer.load_state_dict(weights, strict=False)
        return layer

    def agrees(self, yours, expected, told, output, mistakes, otherwise="", atol=1e-5, alone=None):
        """yours is expected. Where it is not: told, and which known mistake gives exactly yours.

        output(**steps) works the result out with some steps done in another way; mistakes is
        {cause: {step: the other way}}. Each mistake is tried alone, then every two together.
        Those of alone are tried as well, but not together with another.
        """
        if not self.same(yours, expected, atol):
            one = [*mistakes.items(), *(alone or {}).items()]
            for (cause, steps), (more, others) in itertools.combinations(mistakes.items(), 2):
                if not steps.keys() & others.keys():
                    one.append((f"{cause}\n{more}", steps | others))
            tried = (cause for cause, steps in one if self.same(yours, output(**steps), atol))
            with unwatched():  # by the watch over an answer, which would slow each step
                cause = next(tried, "")
            cause = cause or (otherwise() if callable(otherwise) else otherwise)
            told = f"{told}\n{cause}"
        compare(yours, expected, told, atol)

    def divisors(self, name, size, others):
        """Mistakes for agrees: root, by which the scores are divided, is not √size.

        name says what has this size, and others, {name: size}, what else there is.
        """
        root, left = size**0.5, f"You divided by {name} (or twice by its root). Divide by its root once."
        ways = [(1, "Is the division missing?"), (size, left), (1 / root, "They were multiplied.")]
        for what, number in others.items():
            root_of = f"({what})" if " " in what else what
            ways += [(number**0.5, f"That is √{root_of}."), (number, f"That is {what}.")]
            ways.append((number**-0.5, f"They were multiplied by √{root_of}."))
        ways.append((root**0.5, "Was only the query, or only the key, divided by the fourth root?"))
        ways.append((int(root), f"That is √{size} without its decimals. Write ** 0.5."))
        ways.append((2 * size, "Is it `** 1 / 2`? That is (** 1) / 2. Write ** 0.5."))
        return self.divided(name, size, ways)

    def numbers(self, name, size):
        """Mistakes for agrees, alone: the scores are divided by another number than √size."""
        numbers = (2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 16, 20, 24, 28, 30, 32, 48, 64, 128, 512)
        roots = [way for number in numbers for way in (number**0.5, number)]
        outside = "Is this number read from outside the class?"
        return self.divided(name, size, [(n, outside) for n in roots])

    def divided(self, name, size, ways):
        """Mistakes for agrees from (divisor, cause), where the divisor of the scores is √size."""
        root = size**0.5
        told = f"The scores were divided by {{:.2f}}, expected √{name} = √{size} = {root:.2f}. {{}}"
        return {told.format(n, why): {"root": n} for n, why in ways if abs(n / root - 1) > 1e-3}

    def sources(self):
        """Mistakes for agrees: by says which layers make query, key and value, expected qkv."""
        return {
            "Query and key changed places.": {"by": "kqv"},
            "Query, key and value come from one layer.": {"by": "qqq"},
            "The queries are made by k_proj, not by q_proj.": {"by": "kkv"},
            "The keys are made by q_proj, not by k_proj.": {"by": "qqv"},
            "The values are made by k_proj, not by v_proj.": {"by": "qkk"},
            "The keys are made by v_proj, not by k_proj.": {"by": "qvv"},
            "Key and value changed places.": {"by": "qvk"},
            "Query and value changed places: v_proj makes the queries, q_proj the values.": {"by": "vkq"},
            "The queries are made by v_proj, not by q_proj.": {"by": "vkv"},
            "The values are made by q_proj, not by v_proj.": {"by": "qkq"},
            "All three changed places: k_proj makes the queries, v_proj the keys, q_proj the values.":
                {"by": "kvq"},
            "All three changed places: v_proj makes the queries, q_proj the keys, k_proj the values.":
                {"by": "vqk"},
        }  # fmt: skip

    def sentence_mistakes(self, x):
        """Mistakes for agrees: of what x enters the layer as, or what end adds to the output."""
        batch, seq, width = x.shape
        together = x.reshape(1, batch * seq, width)
        return {
            "x is added to the output. Nothing is added in this layer.": {"end": lambda t: t + x},
            "The output is x itself.": {"end": lambda t: x},
            "Words attend across the sentences. Is the batch axis 0 and seq axis 1?":
                {"x": x.transpose(0, 1), "end": lambda t: t.transpose(0, 1)},
            "x is normalised before it is projected. Nothing of the kind happens in this layer.":
                {"x": F.layer_norm(x, (width,))},
            "Words attend to words of other sentences too.":
                {"x": together, "end": lambda t: t.reshape(batch, seq, width)},
        }  # fmt: skip

    def projections(self, d_model, inner, d_context=None):
        """PyTorch's q_proj, k_proj, v_proj, out_proj; their numbers are larger than they begin."""
        wide = {"q": d_model, "k": d_context or d_model, "v": d_context or d_model}
        four = nn.ModuleDict({f"{n}_proj": nn.Linear(wide[n], inner) for n in wide})
        four["out_proj"] = nn.Linear(inner, d_model)
        four.load_state_dict({name: 2 * value for name, value in four.state_dict().items()})
        return four.requires_grad_(False)

    def attended(self, four, n_heads, x, source=None, mask=None):
        """x attends to source, or to itself, by PyTorch's own function, in n_heads heads."""
        source = x if source is None else source
        reads = (("q", x), ("k", source), ("v", source))
        parts = (four[f"{n}_proj"](t).unflatten(2, (n_heads, -1)).transpose(1, 2) for n, t in reads)
        heads = F.scaled_dot_product_attention(*parts, attn_mask=mask)
        return four["out_proj"](heads.transpose(1, 2).flatten(2))

    def stepwise(self, four, of, by="qkv", out=True, end=lambda t: t, **steps):
        """The same step by step, for the mistakes of agrees: by says which layers make query, key

        and value, of what each of them reads, and steps are those of attention.
        """
        made = four.__dict__.setdefault("made", {})  # the numbers of four stay as they are
        for n, t in zip(by, of):
            if (n, t) not in made:
                made[n, t] = four[f"{n}_proj"](t)
        joined = self.attention(*(made[n, t] for n, t in zip(by, of)), **steps)
        return end(four["out_proj"](joined) if out else joined)

    def attention(self, query, key, value, n_heads, root, rows=None, split=None, join=None):
        """Attention in n_heads heads: (batch, words, width) each, in and out.

        For the mistakes of agrees, each step can be done in another way.
        """
        cut = [lambda t: t.unflatten(-1, (n_heads, -1)).transpose(1, 2)] * 3
        q, k, v = (way(t) for way, t in zip(split or cut, (query, key, value)))
        scores = q @ k.mT / root
        heads = (rows(scores) if rows else scores.softmax(-1)) @ v
        return join(heads) if join else heads.transpose(1, 2).flatten(2)

    def row_mistakes(self, root):
        """Mistakes for agrees: what comes of the scores, where they should become weights."""

        def hidden(s):
            return s.exp().tril() / s.exp().tril().sum(-1, keepdim=True)

        ways = {
            "The softmax runs over the queries, not over the keys.": lambda s: s.softmax(-2),
            "The softmax runs over the heads, not over the keys.": lambda s: s.softmax(1),
            "The softmax runs over the sentences, not over the keys.": lambda s: s.softmax(0),
            "The softmax runs over the whole matrix, not over each row.":
                lambda s: s.flatten(2).softmax(-1).view_as(s),
            "There is no softmax.": lambda s: s,
            "The division comes after the softmax.": lambda s: (s * root).softmax(-1) / root,
            "The weights are transposed in the average.": lambda s: s.softmax(-1).mT,
            "All heads share one softmax, of their added scores. Each has its own.":
                lambda s: s.sum(1, keepdim=True).softmax(-1).expand_as(s),
            "The weights are averaged over the heads.":
                lambda s: s.softmax(-1).mean(1, keepdim=True).expand_as(s),
            "The values are added to the averages.":
                lambda s: s.softmax(-1) + torch.eye(s.shape[-1]),
            "Later words are hidden.": hidden,
            "The weights are sigmoids. A softmax makes each row sum to 1.": lambda s: s.sigmoid(),
            "The scores are powers of 2, not of e.":
                lambda s: 2.0**s / (2.0**s).sum(-1, keepdim=True),
        }  # fmt: skip
        return {cause: {"rows": way} for cause, way in ways.items()}

    def split_mistakes(self, n_heads):
        """Mistakes for agrees: the heads are cut out of the width in another way."""

        def cut(t):  # the right way
            return t.unflatten(-1, (n_heads, -1)).transpose(1, 2)

        def view(t):
            return t.reshape(len(t), n_heads, t.shape[1], -1)

        def apart(t):
            return t.unflatten(-1, (-1, n_heads)).permute(0, 3, 1, 2)

        alone = "by a reshape alone. Cut the last axis, then transpose."
        stand = "stand apart, and should be neighbours."
        splits = {
            "All heads share one set of weights. Split query and key first.":
                (lambda t: t[:, None], lambda t: t[:, None], cut),
            f"The columns of a head {stand}": (apart, apart, apart),
            f"In query and key, the columns of a head {stand}": (apart, apart, cut),
            "n_heads and d_head changed places.":
                (lambda t: t.unflatten(-1, (-1, n_heads)).transpose(1, 2),) * 3,
            f"The heads are split {alone}": (view, view, view),
            f"Query and key are split {alone}": (view, view, cut),
            f"The query is split {alone}": (view, cut, cut),
            f"The key is split {alone}": (cut, view, cut),
            f"The value is split {alone}": (cut, cut, view),
            f"Key and value are split {alone}": (cut, view, view),
            f"Query and value are split {alone}": (view, cut, view),
        }  # fmt: skip
        return {cause: {"split": ways} for cause, ways in splits.items()}

    def join_mistakes(self):
        """Mistakes for agrees: the heads are put together in another way."""
        joins = {
            "The heads are joined by a reshape alone. Transpose first, or use torch.cat.":
                lambda t: t.reshape(len(t), t.shape[2], -1),
            "The heads of all sentences are joined by a reshape alone. Use torch.cat.":
                lambda t: t.transpose(0, 1).reshape(len(t), t.shape[2], -1),
            "The joined columns alternate between heads.":
                lambda t: t.permute(0, 2, 3, 1).flatten(2),
            "The heads are joined with words and columns swapped.":
                lambda t: t.mT.reshape(len(t), t.shape[2], -1),
            "The heads went through a relu.": lambda t: t.relu().transpose(1, 2).flatten(2),
            "The last head counts for nothing. Does a loop over the heads end too early?":
                lambda t: F.pad(t[:, :-1], (0, 0, 0, 0, 0, 1)).transpose(1, 2).flatten(2),
            "The heads are joined in reverse.": lambda t: t.flip(1).transpose(1, 2).flatten(2),
            "The heads are averaged. They should stand side by side.": lambda t:
                t.mean(1, keepdim=True).expand_as(t).transpose(1, 2).flatten(2),
            "The heads are added. They should stand side by side.": lambda t:
                t.sum(1, keepdim=True).expand_as(t).transpose(1, 2).flatten(2),
        }  # fmt: skip
        return {cause: {"join": way} for cause, way in joins.items()}

    def times(self, yours, expected, atol=1e-3):
        """How many times expected yours is; None: by no one number."""
        factor = (yours * expected).sum() / expected.square().sum().clamp(min=1e-12)
        if not self.same(yours, factor * expected, atol):
            return None
        return round(factor.item(), 3) + 0.0  # and never −0

    def attention_mistakes(self, n_heads, d_head, others):
        """Mistakes for agrees of any layer of attention; others, {name: size}, as in divisors."""
        return {
            "Query and key are not split: all heads share one set of weights.": {"n_heads": 1},
            **self.row_mistakes(d_head**0.5), **self.split_mistakes(n_heads),
            **self.join_mistakes(), **self.divisors("d_head", d_head, others), **self.sources(),
            "out_proj is missing. It comes last.": {"out": False},
        }  # fmt: skip

    def measured(self, layer, state, n_heads, x, source=None, allowed=None):
        """What is wrong in an attention layer, measured with weights that show one part alone.

        layer may be a function of the weights. state is {name: tensor} with which it goes wrong.
        x (batch, q, width) attends to source (batch, k, width), where batch · k ≤ width.
        """

        def run(weights):
            if not isinstance(layer, nn.Module):
                return layer(weights)
            layer.load_state_dict(weights, strict=False)
            return layer(x) if inside else layer(x, source)

        def heads_of(weights):  # (batch, q, rows of v_proj), where out_proj lets the heads through
            return run(plain | weights)[..., : len(value)]

        def taken(given):
            """What each column of the heads takes of each word: (batch, q, rows, batch, k)."""
            picks = torch.linalg.pinv(source.flatten(0, 1)).T  # each makes one word 1, all others 0
            shown = ({"v_proj.weight": pick.expand(len(value), -1)} for pick in picks)
            columns = torch.stack([heads_of(given | weight) for weight in shown], dim=-1)
            return columns.unflatten(-1, source.shape[:2])

        inside, source = source is None, x if source is None else source
        value, plain = state["v_proj.weight"], {n: torch.zeros_like(t) for n, t in state.items()}
        plain["out_proj.weight"] = torch.eye(*state["out_proj.weight"].shape)
        asked = {n: t / 2 for n, t in state.items() if n[0] in "qk"}  # so that no weight is tiny
        every = torch.ones(1) > 0 if allowed is None else allowed
        every = every.expand(len(x), 1, x.shape[1], source.shape[1])

        def weights():
            return self.measured_weights(taken, asked, n_heads, (x, source), every, mixed)

        def mixed():
            """What else a word of the output depends on."""
            told, sequences = "Is something else read, or is there a norm?", (x,) if inside else (x, source)
            if not isinstance(layer, nn.Module):
                return f"Does each sentence keep to itself? {told}"
            layer.load_state_dict(state, strict=False)
            word = layer(*sequences)[0, 0]
            if not self.same(layer(*(torch.cat([t[:1], -t[1:]]) for t in sequences))[0, 0], word):
                return "Sentence 0 depends on the others. Does each keep to itself?"
            others = torch.cat([x[:, :1], -x[:, 1:]], dim=1)
            if not inside and not self.same(layer(others, source)[0, 0], word):
                return "Word 0 depends on the other words of x. Are these among the keys, or mixed by a reshape?"
            return told

        values = (run, heads_of, state, n_heads, source, every, weights)
        return self.measured_end(run, state) or self.measured_values(*values)

    def measured_end(self, run, state):
        """For measured: what is wrong with the bias of out_proj, and after it; or nothing."""
        zeros = {name: torch.zeros_like(tensor) for name, tensor in state.items()}
        out = run(zeros | {"out_proj.bias": state["out_proj.bias"]})
        count = self.times(out, state["out_proj.bias"].expand_as(out))
        told = "With all else at 0, the output should be the bias of out_proj"
        if count is None:
            return f"{told}. Yours is not. Is something added at the end, or done to the output?"
        if abs(count - 1) > 0.01:
            return f"{told}. Yours is {count:g} times that. Is this bias added once?"
        return ""

    def measured_values(self, run, heads_of, state, n_heads, source, allowed, weights):
        """For measured: what is wrong with the values; in between, what weights() has to say."""
        value, asked = state["v_proj.weight"], {n: t for n, t in state.items() if n[0] in "qk"}
        once, other = (heads_of(asked | {"v_proj.weight": n * value}) for n in (1, -2))
        if not self.same(other, -2 * once, 1e-3):
            told = "With −2 times the values, the heads should find −2 times as much, and do not."
            return f"{told} Do they enter the attention again, or a relu or a norm?"
        even = allowed / allowed.sum(-1, keepdim=True).clamp(min=1)  # where all scores are 0
        found = heads_of({"v_proj.weight": value}).unflatten(-1, (n_heads, -1))
        right = even @ (source @ value.T).unflatten(-1, (n_heads, -1)).transpose(1, 2)
        for n, m in itertools.permutations(range(n_heads), 2):
            if self.same(found[:, :, n], right.sum(1)):
                return f"Head {n}'s columns hold the sum of all heads. Are these added, not put side by side?"
            if self.same(found[:, :, n], right[:, m]):
                return f"Head {m}'s values stand in head {n}'s columns. Do they keep their order?"
        parts = [t.flatten(2).unbind(-1) for t in (found, right.transpose(1, 2))]
        order = [self.first({n: self.same(one, each) for n, each in enumerate(parts[1])}, -1) for one in parts[0]]
        if sorted(order) == [*range(len(value))] and order != sorted(order):
            told = f"The columns of the heads are the values' columns {order}, expected 0, 1, 2 …"
            return f"{told} Cut the last axis into n_heads parts, then transpose."
        if told := weights():
            return told
        if not self.same(found, right.transpose(1, 2)):
            return "The values are not those of v_proj. Is its weight used once, as x @ W.T?"
        if "v_proj.bias" in state:
            out = heads_of({"v_proj.bias": state["v_proj.bias"]})
            seen = even[:, 0].sum(-1, keepdim=True)  # 1 for a word that sees any
            count = self.times(out, seen * state["v_proj.bias"])
            if count is None or abs(count - 1) > 0.01:
                told = "not added" if count is None else f"added {count:g} times"
                return f"The bias of v_proj should be added to each value once. It is {told}."
        told = "With queries and keys half as large each head is right"
        joined = heads_of({name: t for name, t in state.items() if not name.startswith("out_proj")})
        last = state["out_proj.weight"], state["out_proj.bias"]
        if last[0].shape[1] <= last[0].shape[0] and self.same(run(state), F.linear(joined, *last), 1e-3):
            return f"{told}, and with these it is not. Are large scores cut off, or bent?"
        return f"{told}. Is out_proj's weight used once, as joined @ W.T?"

    def measured_weights(self, taken, asked, n_heads, reads, allowed, mixed):
        """For measured: what is wrong in who attends to whom; or nothing.

        taken(asked) measures what each column takes of each word, with these queries and keys.
        mixed() says what else a word depends on.
        """

        def own(given):  # (batch, q, rows, k): of the words of the same sentence
            return torch.stack([one[..., n, :] for n, one in enumerate(taken(given))])

        def heads(given):  # (batch, n_heads, q, k)
            weights = own(given)[:, :, ::wanted].transpose(1, 2)
            return torch.where(weights.abs() < 1e-6, 0, weights)

        def pairs(given):
            """Each head's queries with each head's keys: (batch, n_heads, n_heads, q, k)."""
            q, k = (
                F.linear(t, given[f"{n}_proj.weight"], given.get(f"{n}_proj.bias"))
                .unflatten(-1, (n_heads, -1)).transpose(1, 2) for n, t in zip("qk", reads)
            )  # fmt: skip
            dots = q[:, :, None] @ k[:, None].mT / q.shape[-1] ** 0.5
            return dots.masked_fill(~allowed[:, None], -torch.inf).softmax(-1).nan_to_num()

        mine, everything = own(asked), taken(asked)
        if not self.same(everything.abs().sum(-2), mine.abs()):
            told = "A word should take a share of each word that it reads, as it is, and nothing else."
            return f"{told}\n{mixed()}"
        wanted = mine.shape[2] // n_heads
        alike = [n for n in range(mine.shape[2]) if self.same(mine[:, :, n], mine[:, :, 0])]
        if alike != [*range(wanted)]:
            told = f"The first {wanted} columns are head 0 and share its weights. In yours, columns"
            return f"{told} {alike} do. Are there {n_heads} heads, side by side?"
        yours, others = heads(asked), pairs(asked)
        right = others.diagonal(0, 1, 2).movedim(-1, 1)
        if self.same(yours, right):
            return ""
        for n, a, b in itertools.product(range(n_heads), repeat=3):
            if (a, b) != (n, n) and self.same(yours[:, n], others[:, a, b]):
                return f"In head {n}, queries of head {a} meet keys of head {b}."
        return self.measured_rows(yours, right, allowed) or self.measured_scores(
            heads, pairs, asked, (len(asked["q_proj.weight"]) / n_heads) ** 0.5, allowed
        )

    def measured_rows(self, yours, right, allowed):
        """For measured: what is wrong with the rows of weights, whatever the scores; or nothing."""
        told = self.like(yours, {
            "The softmax is taken twice.": right.softmax(-1),
            "Values and keys stand in reversed order.": right.flip(-1),
            "The weights are applied twice.":
                right @ right if right.shape[-1] == right.shape[-2] else right,
        })  # fmt: skip
        wrong = ((yours > 0) != (right > 0)).nonzero().tolist()
        if wrong and not allowed.all() and not told:
            batch, n, q, k = wrong[0]
            told = f"In head {n} word {q} has a weight of {yours[batch, n, q, k]:.2g} for word {k}"
            return f"{told}, which its mask {'allows' if allowed[batch, 0, q, k] else 'hides'}."
        if self.same(yours[:1], right[:1]):
            told = "Only in the first sentence are the weights right."
            return f"{told} Does each sentence have its own queries and keys?"
        sums = yours.sum(-1)[right.sum(-1) > 0.5]
        if not told and not self.same(sums, torch.ones_like(sums)):
            told = f"The weights of a word sum to {sums.flatten()[0]:.2f}, expected 1."
            return f"{told} Does the softmax run over the keys, with −∞ for what is hidden, and come last?"
        if not told and allowed.all():
            try:
                self.weights(yours)
            except AssertionError as error:
                return str(error)
        return told

    def measured_scores(self, heads, pairs, asked, root, allowed):
        """For measured: what is wrong with the scores, as the logarithms of the weights tell.

        heads(given) measures your weights with these queries and keys, pairs(given) has the right.
        """

        def logs(weights, seen):  # one number per row is not known: it is taken off
            logs = torch.where(seen, weights, 1).log()
            return (logs - logs.sum(-1, keepdim=True) / seen.sum(-1, keepdim=True)) * seen

        def counted(*names):
            """How many times too large your scores are, of those that these parameters make."""
            given = {name: tensor * (name in names) for name, tensor in asked.items()}
            right, yours = pairs(given).diagonal(0, 1, 2).movedim(-1, 1), heads(given)
            seen = (right > 1e-3) & (yours > 1e-3)
            return self.times(logs(yours, seen), logs(right, seen), 1e-2)

        if count := counted(*asked):
            told = f"The scores were divided by {root / count:.3f}, expected {root:.3f}"
            return f"{told}, the root of a head's width."
        even = allowed / allowed.sum(-1, keepdim=True).clamp(min=1)  # where all scores are 0
        rows, width = len(asked["q_proj.weight"]), round(root**2)

        def same(weights, others=even):
            return self.same(weights, others.expand_as(weights), 1e-3)

        def given(n, change):  # change(name, tensor) is what becomes of the weight and bias of n
            return heads({name: change(name, t) if name[0] == n else t for name, t in asked.items()})

        if not same(heads({name: 0 * tensor for name, tensor in asked.items()})):
            told = "With q_proj and k_proj at 0 all scores are 0, and each word should get the same"
            return f"{told} weight. It does not. Is something added to the scores?"
        for n, which in (("k", "keys"), ("q", "queries")):
            if not same(given(n, lambda name, t: 0 * t)):
                told = f"With {n}_proj at 0 all words should get the same weight, and do not."
                return f"{told} Are the {which} made by it?"
            half = given(n, lambda name, t: -t / 2)
            seen = (heads(asked) > 1e-3) & (half > 1e-3)
            count = self.times(logs(half, seen), logs(heads(asked), seen), 1e-2)
            if count is None or abs(count + 0.5) > 0.01:
                told = f"Half the {which} should give half the scores, also with a minus, and do not."
                return f"{told} Is it a softmax, and are queries and keys taken as they are?"
            alone = torch.eye(rows).unbind()  # one column of what the layer returns, and no bias
            moved = (given(n, lambda name, t, row=row: t * row[:, None] if t.ndim > 1 else 0 * t) for row in alone)
            mine = [row for row, weights in enumerate(moved) if not same(weights[:, :1])]
            if mine != [*range(width)] and len(mine) < rows:
                told = f"Head 0's {which} are made of the columns {mine} of what {n}_proj returns,"
                told += f"\nexpected {[*range(width)]}. Cut the last axis into n_heads parts, then"
                return f"{told} transpose."
        bias, weight = (counted(f"q_proj.{n}", "k_proj.weight") for n in ("bias", "weight"))
        if weight and abs(weight - 1) < 0.01:
            return f"The bias of q_proj is added {bias or 0:.2g} times, expected once."
        right = bias and abs(bias - 1) < 0.01
        told = "The queries are not those of q_proj."
        if not right:
            told = "The queries are not those of q_proj, or the keys not those of k_proj."
        return f"{told} Is each weight used once, as x @ W.T?"

    def dropout(self, layer, rate, n_heads, width, **buffers):
        """In training each attention weight, by itself, becomes 0 or 1 / (1 − rate) times as large.

        The projections of the layer pass on what they read, and out_proj adds 10. At first every word is
        (1, 1, …), so that a head returns in each of its columns the sum of the weights that it kept.
        Then each word has a column of a head for itself, where its weight shows.
        """
        x, plain = torch.ones(20, 5, width), dict(buffers)
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            plain[f"{name}.weight"] = torch.eye(width)
            plain[f"{name}.bias"] = torch.full((width,), 10.0 * (name == "out_proj"))
        layer.load_state_dict(plain, strict=False)
        told = "After .eval(), dropout still drops. Does it ask for the mode?"
        other = "Other sizes work. Is one read from another axis, or kept from an earlier call?"
        out = self.call(layer.eval(), x, stuck=other)
        if self.same(layer(x), out):  # nothing is drawn
            told = "After .eval() no word of ones becomes 11, though nothing is dropped."
            less = f"Is what is kept scaled there? Scale it up in training, by 1 / (1 − {rate})."
            apart = "Is one layer used in two places, or a size kept from elsewhere?"
            told += " " + self.near((out - 10).mean(), {less: 1 - rate}, apart)
        compare(out, 10 + x, told, atol=1e-4)
        out = self.call(layer.train(), x)
        kept = 5 * (out - 10).unflatten(-1, (n_heads, -1))
        told, grown = f"dropout={rate} in training", 1 / (1 - rate)
        words = torch.eye(width // n_heads).repeat(20, 1, n_heads)
        outs = (self.call(layer.train(mode), words) - 10 for mode in (False, True))
        calm, wild = (out.unflatten(-1, (n_heads, -1)).transpose(1, 2) for out in outs)
        where = self.first({
            "Dropout is missing: training changes nothing. Is it applied, at the rate given?":
                self.same(wild, calm),
            "Some weights become 0. Are the rows made to sum to 1 again?":
                ((wild == 0) & (calm > 1e-3)).any(),
        }, "Training changes the weights, but none becomes 0. Is dropout on the scores, before softmax?")  # fmt: skip
        assert not kept.std() < 1e-3, f"With {told} every row still sums to 1.\n{where}"
        alike = self.same(kept, kept[..., :1].expand_as(kept)) or kept.isnan().any()
        lost, step = out == 0, kept.round(decimals=2).unique().diff().min()
        cause = self.first({
            "It falls on the output, after out_proj. It belongs on the weights, and nowhere else.":
                lost.any() and out[~lost].std() < 1e-3,
            "It falls twice: on the weights, and on the layer's output as well.": lost.any(),
            "It falls twice: on the weights, and on values or heads as well.":
                abs(step - grown**2) < 0.1,
        }, "Does it fall on the weights, and not on values or outputs?")  # fmt: skip
        assert alike, f"With {told} the columns of one head differ. {cause}"
        if cause := wrongly_dropped(calm, wild, rate) or wrong_rate(calm, wild, rate):
            told = f"With {told}, each weight by itself becomes 0, or {grown:.2f} times as large."
            raise AssertionError(f"{told}\n{cause[0].upper()}{cause[1:]}{'.' * (cause[-1] != '?')}")

        # What is dropped in place may be what the softmax needs for its gradient.
        query = dict(layer.named_parameters())["q_proj.weight"]
        self.reaches(self.call(layer, words), **{"q_proj.weight": query})

    def sublayers(self, x, parts, norm_first, unlike=None, **ways):
        """PyTorch's block: each of parts, {name: (function, norm)}, adds to the stream in turn.

        For the mistakes of agrees, way0 is how the first part is applied, way1 the second, and part
        number `unlike` adds to what the part before it gave, not to the stream.
        """
        stream, given = x, x
        for number, (run, norm) in enumerate(parts.values()):
            if way := ways.get(f"way{number}"):
                stream = way(stream, run, norm, x)
            else:
                start, given = given if number == unlike else stream, run(norm(stream) if norm_first else stream)
                stream = start + given if norm_first else norm(start + given)
        return stream

    def sublayer_mistakes(self, parts, norm_first):
        """Mistakes for agrees: s is the stream, f the part, n its norm, x the block's input."""
        here, other = ("Pre", "post") if norm_first else ("Post", "pre")

        def add(f, n, s):
            return s + f(n(s)) if norm_first else n(s + f(s))

        ways = {
            f"That is {other}-norm, in {{}}. norm_first={norm_first} means {here.lower()}-norm.":
                lambda s, f, n, x: n(s + f(s)) if norm_first else s + f(n(s)),
            "The residual of {} is missing. Add the stream to what it returns.":
                lambda s, f, n, x: f(n(s)) if norm_first else n(f(s)),
            "The norm is only for what {} reads. Add to the stream itself.":
                lambda s, f, n, x: n(s) + f(n(s)) if norm_first else n(n(s) + f(s)),
            "The sum of {} starts from x, not from the sum before it.":
                lambda s, f, n, x: x + f(n(s)) if norm_first else n(x + f(s)),
            "x is read in {}, not the sum before it.":
                lambda s, f, n, x: s + f(n(x)) if norm_first else n(s + f(x)),
            "The sum of {} is missing.": lambda s, f, n, x: s,
            f"{here}-norm, and yet {{}} has a norm before and after.":
                lambda s, f, n, x: n(s + f(n(s))),
            "Only what {} returns is normed.": lambda s, f, n, x: s + n(f(s)),
            "The norm of {} is missing.": lambda s, f, n, x: s + f(s),
            "Both the residual and the norm of {} are missing.": lambda s, f, n, x: f(s),
            "What {} returns is never added.": lambda s, f, n, x: s if norm_first else n(s),
            "The stream is added twice to what {} returns.":
                lambda s, f, n, x: 2 * s + f(n(s)) if norm_first else n(2 * s + f(s)),
            "The step of {} is done twice, one after the other.":
                lambda s, f, n, x: add(f, n, add(f, n, s)),
            "Within {} the same layers are applied twice, the second time to their own output.":
                lambda s, f, n, x: add(lambda t: f(f(t)), n, s),
            "What {} returns is added twice.":
                lambda s, f, n, x: add(lambda t: 2 * f(t), n, s),
            "What {} reads lacks x: it is only what was added before.":
                lambda s, f, n, x: s + f(n(s - x)) if norm_first else n(s + f(s - x)),
        }  # fmt: skip
        numbered = {name: f"way{number}" for number, name in enumerate(parts)}
        every = {name: [number] for name, number in numbered.items()}
        every["every sub-layer"] = [*numbered.values()]
        return {
            cause.format(name): dict.fromkeys(numbers, way)
            for name, numbers in every.items() for cause, way in ways.items()
        }  # fmt: skip

    def blocks(self, make, theirs, names):
        """{norm_first: a block of make, with the numbers of theirs, in eval mode}, both orders."""
        theirs.requires_grad_(False).load_state_dict({
            name: 0.3 * torch.randn(v.shape) + v.eq(1) for name, v in theirs.state_dict().items()
        })  # fmt: skip
        order, made = "The arguments are d_model, n_heads, d_ff, dropout, norm_first, in this order.", {}
        parts = "Is every part of the block made with the arguments that it needs?"
        stuck = {"Block.__init__() takes": order, "": parts}
        for first in (True, False):
            yours = self.call(make, 12, 3, 20, 0.5, first, stuck=stuck)
            made[first] = self.filled(yours, theirs, names).eval()
        return made

    def block(self, theirs, sentences, parts, norm_first, keep=None, see=None, **steps):
        """PyTorch's block theirs as a formula; parts is {letter: name of the sub-layer}, in order.

        The letters are s for self-attention, c for cross-attention, f for feed-forward. keep and
        see (batch, heads, queries, keys) say who may attend to whom in x, and in the context.
        For the mistakes of agrees, each step can be done in another way.
        """
        x, context = sentences[0], sentences[-1]
        state = theirs.state_dict() | steps.get("numbers", {})
        layers = {"s": "self_attn", "c": "multihead_attn"} | steps.get("uses", {})
        words = {"s": lambda q: q, "c": lambda q: context} | steps.get("words", {})

        def linear(name, t):
            return F.linear(t, state[f"{name}.weight"], state[f"{name}.bias"])

        def attend(letter, q):
            name, read = layers[letter], words[letter](q)
            n_heads = steps.get("heads", {}).get(name, 3)
            root = steps.get("root", {}).get(name, (12 / n_heads) ** 0.5)
            packed = [state[f"{name}.in_proj_{kind}"].chunk(3) for kind in ("weight", "bias")]
            made = [F.linear(*part) for part in zip((q, read, read), *packed)]
            allowed = keep if read.shape[1] == x.shape[1] else see
            hidden = torch.tensor(False) if allowed is None else ~allowed[:, :1]
            heads = self.attention(*made, n_heads, root, lambda s: s.masked_fill(hidden, -torch.inf).softmax(-1))
            return linear(f"{name}.out_proj", heads)

        def run(letter, t):
            if letter == "s" and steps.get("across"):  # without batch_first=True
                return theirs.self_attn(*[t.transpose(0, 1)] * 3)[0].transpose(0, 1)
            if letter != "f":
                return attend(letter, t)
            hidden = steps.get("act", F.relu)(linear("linear1", t))
            return steps.get("last", lambda t: t)(linear("linear2", hidden))

        def norm(n, t):
            eps = steps.get("eps", {}).get(n, 1e-5)
            return F.layer_norm(t, (12,), state[f"norm{n}.weight"], state[f"norm{n}.bias"], eps)

        order, norms = steps.get("order", "".join(parts)), steps.get("norms", "123")
        named = {
            name: (lambda t, letter=letter: run(letter, t), lambda t, n=n: norm(n, t))
            for name, letter, n in zip(parts.values(), order, norms)
        }
        ways = {name: way for name, way in steps.items() if name.startswith(("way", "unlike"))}
        return self.sublayers(x, named, norm_first, **ways)

    def block_mistakes(self, x, parts, norm_first):
        """Mistakes for agrees: another order, norm or activation, or a sub-layer done wrongly."""
        known = {
            "The activation is gelu, expected relu.": {"act": F.gelu},
            "The activation is silu, expected relu.": {"act": F.silu},
            "The activation is leaky_relu, expected relu.": {"act": F.leaky_relu},
            "The activation is tanh, expected relu.": {"act": torch.tanh},
            "There is no activation between linear1 and linear2.": {"act": lambda t: t},
            "There is a relu after linear2.": {"last": F.relu},
            "Only the query is normed. Norm key and value too.": {"words": {"s": lambda q: x}},
            "Sentences are mixed: nn.MultiheadAttention needs batch_first=True.": {"across": True},
        }
        norms, order = "123"[: len(parts)], "".join(parts)
        for a, b in itertools.permutations(norms, 2):
            known[f"norm{a} is used where norm{b} belongs."] = {"norms": norms.replace(b, a)}
        for a, b in itertools.combinations(norms, 2):
            turned = norms.translate(str.maketrans(a + b, b + a))
            known[f"norm{a} and norm{b} have changed places."] = {"norms": turned}
        for i in range(len(parts) - 1):  # two neighbours
            one, other = order[i : i + 2]
            told = f"{parts[one].capitalize()} and {parts[other]} have changed places"
            steps = {"order": order.translate(str.maketrans(one + other, other + one))}
            turned = norms.translate(str.maketrans(norms[i : i + 2], norms[i : i + 2][::-1]))
            known[f"{told}, each with its norm."] = steps | {"norms": turned}
            known[f"{told}, and the norms keep their order."] = steps
            told = f"The sum of {parts[other]} takes what {parts[one]} gave, not the stream."
            known[told] = {"unlike": i + 1}
        if len(parts) > 2:
            known["norm1 is used in every sub-layer."] = {"norms": "111"}
        ways = {
            "What {} returns is subtracted. Add it.":
                lambda s, f, n, x: s - f(n(s)) if norm_first else n(s - f(s)),
            "What {} returns is normed before it is added.":
                lambda s, f, n, x: s + n(f(n(s))) if norm_first else n(s + n(f(s))),
            "The sum of {} is halved. Add, and nothing else.":
                lambda s, f, n, x: (s + f(n(s))) / 2 if norm_first else n((s + f(s)) / 2),
        }  # fmt: skip
        for number, part in enumerate(parts.values()):
            known |= {cause.format(part): {f"way{number}": way} for cause, way in ways.items()}
        return known | self.sublayer_mistakes(parts.values(), norm_first)

    def number_mistakes(self, theirs):
        """Mistakes for agrees: a bias, a projection, a number of heads or an ε is wrong."""
        state, known = theirs.state_dict(), {}
        attentions = [n for n in ("self_attn", "multihead_attn") if hasattr(theirs, n)]
        norms = "123"[: len(attentions) + 1]
        for name, bias in state.items():
            if name.endswith(".bias"):
                told = f"The bias of {name[:-5]} is"
                known[f"{told} added twice."] = {"numbers": {name: 2 * bias}}
                known[f"{told} not added."] = {"numbers": {name: 0 * bias}}
        for name in attentions:
            plain = {f"{name}.out_proj.weight": torch.eye(12)}
            plain[f"{name}.out_proj.bias"] = torch.zeros(12)
            known[f"out_proj of {name} is not used."] = {"numbers": plain}
            packed = {n: v.chunk(3) for n, v in state.items() if n.startswith(f"{name}.in_proj")}
            for cause, steps in self.sources().items():
                by = ["qkv".index(letter) for letter in steps["by"]]
                numbers = {n: torch.cat([v[i] for i in by]) for n, v in packed.items()}
                known[f"{name}: {cause}"] = {"numbers": numbers}
        weights = {f"norm{n}.weight": state[f"norm{n}.weight"] for n in norms}
        unused = {n: torch.ones(12) for n in weights}
        unused |= {n.replace("weight", "bias"): torch.zeros(12) for n in weights}
        known["The norms do without their weight and bias."] = {"numbers": unused}
        less = {n: weight * (11 / 12) ** 0.5 for n, weight in weights.items()}
        known["The variance of the norms is divided by d − 1, expected d."] = {"numbers": less}
        together = {"Every attention": attentions} if len(attentions) > 1 else {}
        for told, names in (together | {name: [name] for name in attentions}).items():
            for n in (1, 2, 4, 6, 12):
                many = f"{told} has {n} {'heads' if n > 1 else 'head'}, expected n_heads = 3."
                known[many + " That is d_head." * (n == 4)] = {"heads": dict.fromkeys(names, n)}
            for root, why in ((1, "not divided"), (4, "divided by d_head, not by its root"),
                              (12**0.5, "divided by √d_model, not by √d_head"),
                              (12, "divided by d_model, not by √d_head")):  # fmt: skip
                known[f"{told}: the scores are {why}."] = {"root": dict.fromkeys(names, root)}
        for told, wrong in {"each norm": norms, **{f"norm{n}": n for n in norms}}.items():
            for size in ("1e-1", "1e-2", "1e-3", "1e-4", "1e-6", "1e-7", "1e-9"):
                about = "far below 1e-7" if size == "1e-9" else size
                cause = f"The ε of {told} is {about}, expected 1e-5."
                known[cause] = {"eps": dict.fromkeys(wrong, float(size))}
        return known

    def located(self, block, theirs, sentences, parts):
        """Which sub-layer of a block is wrong where it alone adds to the stream, and in what. parts is as in block."""
        state = {name: value.clone() for name, value in theirs.state_dict().items()}
        ends = {"s": "self_attn.out_proj", "c": "multihead_attn.out_proj", "f": "linear2"}
        read = [sentence.clone().requires_grad_() for sentence in sentences]

        def heard(letters, **other):
            """Your output and PyTorch's, where the layer at the end of every other sub-layer is 0."""
            mute = [ends[letter] for letter in parts if letter not in letters]
            given = {n: 0 * v if n.rpartition(".")[0] in mute else v for n, v in (state | other).items()}
            theirs.load_state_dict(given)
            block.load_state_dict(self.spelled(block, given), strict=False)
            return [each(*read) for each in (block, theirs)]

        def words(out, word):
            """Of each of read, the words that this word of sentence 0 depends on."""
            pull = torch.arange(1.0, 13).cos()
            slopes = torch.autograd.grad(out[0, word] @ pull, read, retain_graph=True, allow_unused=True)
            rows = [[] if t is None else (t.abs().amax(-1) > 1e-6).nonzero().tolist() for t in slopes]
            return [[f"{n} of sentence {b}" if b else n for b, n in each] for each in rows]

        def found():
            yours, right = heard("")
            if not self.same(yours, right):
                told = "With out_proj and linear2 at 0 nothing is added, and only the norms may change the"
                much = self.times(yours, right)
                return f"{told}\nstream. Yours is {f'{much:g} times that' if much else 'not what they give'}."
            wrong = [letter for letter in parts if not self.same(*heard(letter))]
            if not wrong:
                return "Each sub-layer alone is right. Does each of them read and return what it should?"
            told = f"It differs, too, where {parts[wrong[0]]} alone adds to the stream."
            yours, right = heard(wrong[0])
            for word in (0, right.shape[1] - 1):
                for name, mine, wanted in zip(("x", "context"), words(yours, word), words(right, word)):
                    if mine != wanted:
                        told += f"\nWord {word} depends there on the words"
                        return f"{told} {mine} of {name}, expected {wanted}."
            if wrong[0] != "f" or not theirs.norm_first:
                return told
            width, inner = state["linear2.weight"].shape
            into = {"linear1.weight": torch.zeros(inner, width), "linear2.weight": torch.eye(width, inner)}
            into |= {"linear1.bias": torch.tensor([-2.0, 3]).repeat(inner // 2), "linear2.bias": torch.zeros(width)}
            low, high = (heard("f", **into)[0] - read[0])[0, 0, :2].tolist()
            told += f"\nBetween linear1 and linear2, −2 becomes {low:.2f} and 3 becomes {high:.2f},"
            return f"{told} expected 0 and 3."

        told = found()
        heard(parts)  # puts every number back
        return told

    def block_epsilon(self, block, theirs, sentences, parts):
        """Where all that stands on the stream is tiny, the ε of a pre-norm block's norms shows."""
        state, theirs.norm_first = theirs.state_dict(), True
        tiny = {n: 0.003 * v for n, v in state.items() if "out_proj" in n or "linear2" in n}
        theirs.load_state_dict(state | tiny)
        block.load_state_dict(self.spelled(block, state | tiny), strict=False)
        sentences = [0.003 * sentence for sentence in sentences]
        wrong = {c: s for c, s in self.number_mistakes(theirs).items() if "eps" in s}
        told = "norm_first=True, words around 0.003: differs from PyTorch's layer."
        self.agrees(self.call(block, *sentences), theirs(*sentences), told, lambda **steps:
                    self.block(theirs, sentences, parts, True, **steps), wrong,
                    "Is every norm's ε 1e-5, inside the root?")  # fmt: skip

    def block_dropout(self, block, theirs, inner):
        """In training, dropout=0.5 falls inside each sub-layer, and on what it returns.

        Every word is (100, 100, …), and each norm makes it (1, 1, …), so that an attended or
        hidden number is 1. inner is {what dropout falls on inside: the layer after it}: it turns
        such a 1 into 0 or 2, a bias of 10 makes that 10 or 12, and the second dropout 0, 20 or 24.
        """
        state = {name: torch.zeros_like(value) for name, value in theirs.state_dict().items()}
        for name, value in state.items():
            if name.startswith("norm") and name.endswith("bias"):
                value += 1
            if name.endswith(("in_proj_weight", "linear1.weight")):
                value += 1 / value.shape[1]  # the mean of what is read
        for told, layer in inner.items():
            weights = {f"{layer}.weight": torch.eye(*state[f"{layer}.weight"].shape)}
            weights[f"{layer}.bias"] = torch.full_like(state[f"{layer}.bias"], 10.0)
            block.load_state_dict(self.spelled(block, state | weights), strict=False)
            ones = torch.ones(64, 1, len(state[f"{layer}.bias"]))
            sentences = (100 * ones, ones) if len(inner) > 2 else (100 * ones,)
            out = self.call(block.train(), *sentences) - 100
            seen = tuple(sorted({round(value) for value in out.flatten().tolist()}))
            cause = {(11,): "There is none.", (0, 22): f"It is missing on the {told}.",
                     (10, 12): "It is missing on the sub-layer's output.",
                     (0, 40, 48): "It falls twice after the sub-layer."}.get(seen)  # fmt: skip
            cause = cause or self.first({
                "It falls on the sum, so that the stream is lost. Drop before you add.":
                    seen[0] == -100 and not any(-100 < value < -50 for value in seen),
                "It falls on the stream itself, before anything is added, so that it is lost.":
                    seen[0] < -50,
                "It falls on what the sub-layer reads, and not on what it gives.":
                    seen[0] == 10 and len(seen) > 2,
                "Does it also fall on what the sub-layer reads?": len(seen) > 4,
            }, "Is its rate the one that was given?")  # fmt: skip
            told = f"dropout=0.5 on {told} and output: expected 0, 20 and 24, got {seen[:5]}."
            assert seen == (0, 20, 24), f"{told} {cause}"
            lost = (out == 0).flatten(0, 1)
            together = "all numbers of a word" if (lost == lost[:, :1]).all() else "the same numbers of all words"
            each = (lost != lost[:, :1]).any() and (lost != lost[:1]).any()
            assert each, f"dropout=0.5 on the output takes {together} at once. Each number is dropped by itself."

    def block_defaults(self, make, theirs, *sentences):
        """Called by name; without the arguments, dropout is 0 and norm_first is False."""
        x, sizes = sentences[0], {"d_model": 12, "n_heads": 3, "d_ff": 20}
        fresh = self.call(make, **sizes, stuck="Keep the arguments' names.")
        again = self.same(fresh(*sentences), fresh(*sentences))
        assert again, "Two calls differ. Without the argument, dropout is 0."
        silent = {n: 0 * v for n, v in theirs.state_dict().items() if "out_proj" in n or "linear2" in n}
        block = self.call(make, **sizes, dropout=0.5, stuck="Keep the arguments' names.")
        block.load_state_dict(self.spelled(block, silent), strict=False)
        left = block(*sentences)
        cause = "Does dropout fall on what each sub-layer returns, before it is added?"
        if self.same(left, x):
            cause = "That is x, as in pre-norm. Without the argument, norm_first is False."
        told = "With out_proj and linear2 at 0 nothing is added, and post-norm returns norms of x."
        assert self.same(left, F.layer_norm(x, (12,)), 1e-3), f"{told} {cause}"
        for name in (n for n in silent if n.endswith("bias")):  # its sub-layer returns this bias, whatever it reads
            block.load_state_dict(self.spelled(block, silent | {name: silent[name] + 1}), strict=False)
            told = f"In post-norm with dropout=0.5 and nothing but {name} added, two calls in training agree."
            cause = "Does dropout fall on what each sub-layer returns, in post-norm, too?"
            assert not self.same(block(*sentences), block(*sentences)), f"{told} {cause}"

    def layers(self, kind, d_model, n_heads, n_layers):
        """n_layers of PyTorch's own, pre-norm and relu, four times as wide inside."""
        return nn.ModuleList(
            kind(d_model, n_heads, 4 * d_model, 0.0, batch_first=True, norm_first=True) for _ in range(n_layers)
        )

    def noisy(self, **parts):
        """PyTorch's parts as one module, with numbers that are neither small nor symmetric."""
        model = nn.ModuleDict(parts)
        for parameter in model.parameters():
            nn.init.normal_(parameter, std=0.3)
        return model.requires_grad_(False)

    def through(self, layers, x, *memory, heads, norm_first=True, act=F.relu, eps=1e-5, order=None,
                after=None, **masks):  # fmt: skip
        """x through PyTorch's layers in turn; heads, norms, activation and order can be exchanged.

        after(x, read) is what follows a layer that read x. A mask (batch, 1, keys) is for all heads
        and queries of a sentence.
        """
        for name, mask in masks.items():
            if mask.ndim == 3:
                masks[name] = mask.expand(-1, x.shape[1], -1).repeat_interleave(heads, dim=0)
        for layer in [layers[number] for number in order or range(len(layers))]:
            kind = (norm_first, act, heads, eps)
            if not layer.training or layer.__dict__.get("kind") != kind:  # setting takes a while
                layer.norm_first, layer.activation, layer.kind = norm_first, act, kind
                for part in layer.train().children():
                    if isinstance(part, nn.MultiheadAttention):
                        part.num_heads, part.head_dim = heads, part.embed_dim // heads
                    elif isinstance(part, nn.LayerNorm):
                        part.eps = eps
            read = layer(x, *memory, **masks)
            x = after(x, read) if after else read
        return x

    def embedded(self, right, table, ids, at=0, scale=1.0):
        """The ids in a table of right, times scale, plus positions from at on (none if None)."""
        x, rows = scale * right[table](ids), right["position"].weight
        return x if at is None else x + rows[(at + torch.arange(ids.shape[1])) % len(rows)]

    def steady(self, model, *ids, stuck):
        """What a model returns in training mode: nothing drops out of it, and there is no NaN."""
        result = self.call(model.train(), *ids, stuck=stuck)
        if torch.is_tensor(result):
            told = "There is NaN. Is every key of a row hidden? PyTorch's masks are True where they hide."
            told += "\nOr is there a row without words? Padding may stand in front, too."
            assert not result.isnan().any(), told
            told = "Two calls in training mode differ. Is the dropout 0.0? PyTorch begins with 0.1."
            assert self.same(model(*ids), result), told
        return result

    def first_fault(self, model, right, logits, expected, stages):
        """Where a model differs from right, measured with one sub-layer after another; or nothing.

        stages is {place: (prefix, table)}: the sub-layers whose names begin with prefix add to the
        stream, while out_proj and linear2 of all others are 0. table names the embedding whose rows
        show what an attention reads; it may be None.
        """
        state = {name: value.clone() for name, value in right.state_dict().items()}

        def load(heard, **changes):
            ends = [n for n in state if ("out_proj" in n or "linear2" in n) and not n.startswith(heard)]
            given = state | changes | {n: 0 * state[n] for n in ends}
            right.load_state_dict(given)
            model.load_state_dict(self.renamed(model, given), strict=False)

        def rows(out, table):
            """{(sentence, position): the rows of the table that this output depends on}."""
            pull, read = torch.arange(1.0, out.shape[-1] + 1).cos(), {}
            for b, n in itertools.product(*map(range, out.shape[:2])):
                sizes = torch.autograd.grad(out[b, n] @ pull, table, retain_graph=True)[0].abs().amax(-1)
                read[b, n] = (sizes > 0.01 * sizes.max()).nonzero().flatten().tolist()
            return read

        def what(heard, name):
            """What this attention reads, when all keys count alike and drown the stream."""
            packed, last = (state[f"{heard}.{n}"] for n in ("in_proj_weight", "out_proj.weight"))
            values = torch.cat([0 * packed[: 2 * len(last)], packed[2 * len(last) :]])
            load(heard, **{f"{heard}.in_proj_weight": values, f"{heard}.out_proj.weight": 1e4 * last})
            mine, table = dict(model.named_parameters())[f"{name}.weight"], right[name].weight.requires_grad_()
            yours, wanted = rows(logits(), mine), rows(expected(), table)
            table.requires_grad_(False)
            for (b, n), read in wanted.items():
                if yours[b, n] != read:
                    told = f"\nPosition {n} of sentence {b} reads the rows {yours[b, n]} of {name}"
                    return f"{told} there, expected {read}."
            load(heard)
            own = self.renamed(model, {n: t for n, t in state.items() if n.startswith(f"{heard}.in_proj_w")})
            weights = [p for n, p in model.named_parameters() if n in own]
            slopes = torch.autograd.grad(logits().square().sum(), weights)
            idle = not all(t.any() for slope in slopes for t in slope.chunk(3 // len(slopes)))
            return "\nQuery and key do not matter there. Is there one key alone?" * idle

        found = ""
        for place, (heard, table) in stages.items():
            load(heard)
            if not self.same(logits(), expected()):
                found = f"They differ, too, where all sub-layers give 0{place}."
                found += what(heard, table) if table else ""
                break
        load("")
        return found

    def rows_learn(self, model, yours, **read):
        """In each table, {name: ids}, a gradient reaches the row of every id that was read, but of 0."""
        for table, ids in read.items():
            rows = dict(model.named_parameters())[f"{table}.weight"]
            slopes = torch.autograd.grad(yours.square().sum(), rows, retain_graph=True)[0]
            idle = [number for number in ids[ids != 0].unique().tolist() if not slopes[number].any()]
            told = f"{table}: no gradient reaches the rows of the ids {idle}, so they cannot learn."
            assert not idle, f"{told} Is there a padding_idx? Padding is the id 0."

    def stack_mistakes(self, n_heads, *parts):
        """Mistakes of through, {cause: what is exchanged}, in two layers of n_heads heads.

        With parts: {cause: {part: what is exchanged}}, in all of them, and in each alone.
        """
        passes = "Does x pass through every layer, one after the other?"
        ways = {
            "Is it pre-norm, with norm_first=True?": {"norm_first": False},
            "Is the activation relu?": {"act": F.gelu},
            "Is the eps of the norms PyTorch's, 1e-5? Here it is 0.001.": {"eps": 1e-3},
            f"{passes} Only the first is used.": {"order": (0,)},
            f"{passes} Only the last is used.": {"order": (1,)},
            f"{passes} The first is used twice.": {"order": (0, 0)},
            f"{passes} The last comes first.": {"order": (1, 0)},
            "A layer adds to x already. Is x added once more?": {"after": lambda x, read: x + read},
        }
        for heads in (1, 2, 4, 6):
            if heads != n_heads:
                ways[f"Do the blocks have n_heads heads? These have {heads}."] = {"heads": heads}
        alone = {f"{cause} Look at the {part}.": {part: way}
                 for part in parts for cause, way in ways.items()}  # fmt: skip
        together = {cause: dict.fromkeys(parts, way) for cause, way in ways.items()}
        return together | alone if parts else ways

    def model_mistakes(self, ids):
        """Mistakes for agrees of a model: at the padding of its ids, which is 0, and at its end."""
        words = ids != 0
        in_front = torch.arange(ids.shape[1]) < words.sum(1, keepdim=True)
        up_to_last = words.flip(1).cumsum(1).flip(1) > 0
        logits = "Logits are wanted."
        return {
            "Padding may stand anywhere. Are words sought in front only?": {"words": in_front},
            "Padding may stand anywhere. Is it sought behind the last word only?":
                {"words": up_to_last},
            "Is padding the id 0? Here the id 1 is taken for it.": {"words": ids != 1},
            f"{logits} Is there a softmax?": {"end": lambda t: t.softmax(-1)},
            f"{logits} Is there a log_softmax?": {"end": lambda t: t.log_softmax(-1)},
            f"{logits} Is there a sigmoid?": {"end": lambda t: t.sigmoid()},
            f"{logits} Is there a tanh?": {"end": lambda t: t.tanh()},
            f"{logits} Is there a relu?": {"end": lambda t: t.relu()},
        }  # fmt: skip

    def mean_mistakes(self, words):
        """{cause: what comes of x (batch, seq, d) instead of the mean over its words}."""
        n, keep, (batch, seq) = words.sum(1, keepdim=True), words[..., None], words.shape
        rows, at = torch.arange(batch), torch.arange(seq)

        def total(x, keep=keep):
            return (x * keep).sum(1)

        return {
            "Is padding left out? This is the plain mean.": lambda x: x.mean(1),
            "Is the sum divided by the number of words?": total,
            "Is the sum divided by the number of words, not by the length of the row?":
                lambda x: total(x) / seq,
            f"Is each row divided by its own number of words? The batch has {n.sum()}.":
                lambda x: total(x) / n.sum(),
            "Is each row divided by its own number of words, not by a mean?":
                lambda x: total(x) / n.sum() * batch,
            "Is one added to the number of words? clamp(min=1) helps only where there is none.":
                lambda x: total(x) / (n + 1),
            "Is the sum divided by the number of words once, and not twice?":
                lambda x: total(x) / n**2,
            "Is padding left out of the sum, too? Only the number is right.":
                lambda x: x.sum(1) / n,
            "Is the mask the wrong way round? This is the mean over the padding.":
                lambda x: total(x, ~keep) / (seq - n).clamp(min=1),
            "Is the mask the wrong way round in the sum? Only the number is right.":
                lambda x: total(x, ~keep) / n,
            "Is the mask the wrong way round in the number? Divide by the number of words.":
                lambda x: total(x) / (seq - n).clamp(min=1),
            "Are the first words taken, as many as there are? Padding may stand anywhere.":
                lambda x: total(x, (at < n)[..., None]) / n,
            "Is it the mean of all sentences together? Each has its own.":
                lambda x: (total(x).sum(0) / n.sum()).expand(batch, -1),
            "Is each row read with its own mask? This is that of the first row.":
                lambda x: total(x, keep[:1]) / n[0],
            "Is it the mean over all words? This is the first position alone.": lambda x: x[:, 0],
            "Is it the mean over all words? This is the last position alone.": lambda x: x[:, -1],
            "Is it the mean over all words? This is the last word alone.":
                lambda x: x[rows, (at * words).argmax(1)],
            "Is it the mean over all words? This is the one at the number of words, less 1.":
                lambda x: x[rows, n[:, 0] - 1],
            "Is it the largest value of each column instead of the mean?":
                lambda x: x.masked_fill(~keep, -1e9).amax(1),
            "Is it the largest value of each column, with 0 for padding, instead of the mean?":
                lambda x: (x * keep).amax(1),
            "Is it the middle value of each column instead of the mean?":
                lambda x: torch.stack([row[w].median(0).values for row, w in zip(x, words)]),
            "Does the softmax of the mask weigh the words? Padding keeps a share of it.":
                lambda x: (words.float().softmax(1)[..., None] * x).sum(1),
        }  # fmt: skip


check = LayerWords()
