import itertools


class LayerWords(Check):
    """What the checks know of attention layers and blocks, and of the mistakes in them."""

    def spelled(self, layer, weights):
        """PyTorch's {name: tensor} of a block under your names: q, k, v may be one layer or three,

        and linear1 and linear2 may stand in feed_forward.
        """
        named, own = {}, {name.replace("bias", "weight") for name in self.shapes(layer)}
        for name, value in weights.items():
            names = ["feed_forward." * name.startswith("linear") + name]
            if name.replace("bias", "weight") in own:
                names = [name]
            elif "in_proj_" in name:
                names = [name.replace("in_proj_", f"{letter}_proj.") for letter in "qkv"]
            named.update(zip(names, value.chunk(len(names))))
        return named

    def filled(self, layer, theirs, otherwise):
        """The layer has the parameters of theirs, a module of PyTorch's, and now its numbers."""
        weights = self.spelled(layer, theirs.state_dict())
        self.parameters(layer, {name: tuple(v.shape) for name, v in weights.items()}, otherwise)
        layer.load_state_dict(weights, strict=False)
        return layer

    def agrees(self, yours, expected, told, output, mistakes, otherwise="", atol=1e-5):
        """yours is expected. Where it is not: told, and which known mistake gives exactly yours.

        output(**steps) works the result out with some steps done in another way; mistakes is
        {cause: {step: the other way}}. Each mistake is tried alone, then every two together.
        """
        if not self.same(yours, expected, atol):
            one = [*mistakes.items()]
            for (cause, steps), (more, others) in itertools.combinations(one, 2):
                if not steps.keys() & others.keys():
                    one.append((f"{cause}\n{more}", steps | others))
            tried = (cause for cause, steps in one if self.same(yours, output(**steps), atol))
            told = f"{told}\n{next(tried, otherwise)}"
        compare(yours, expected, told, atol)

    def divisors(self, name, size, others):
        """Mistakes for agrees: root, by which the scores are divided, is not √size.

        name says what has this size, and others, {name: size}, what else there is.
        """
        root, left = size**0.5, f"That is {name} without its root."
        told = f"The scores were divided by {{:.2f}}, expected √{name} = √{size} = {root:.2f}. {{}}"
        ways = [(1, "Is the division missing?"), (size, left), (1 / root, "They were multiplied.")]
        for what, number in others.items():
            root_of = f"({what})" if " " in what else what
            ways += [(number**0.5, f"That is √{root_of}."), (number, f"That is {what}.")]
        for number in (2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 16, 20, 24, 28, 30, 32, 48, 64, 128, 512):
            ways += [(n, "Does it come from outside?") for n in (number**0.5, number)]
        ways.append((root**0.5, "Is one side alone divided?"))
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
        }

    def sentence_mistakes(self, x):
        """Mistakes for agrees: of what x enters the layer as, or what end adds to the output."""
        batch, seq, width = x.shape
        together = x.reshape(1, batch * seq, width)
        return {
            "x is added to the output. Nothing is added in this layer.": {"end": lambda t: t + x},
            "The output is x itself.": {"end": lambda t: x},
            "Words attend across the sentences. Is the batch axis 0 and seq axis 1?":
                {"x": x.transpose(0, 1), "end": lambda t: t.transpose(0, 1)},
            "Words attend to words of other sentences too.":
                {"x": together, "end": lambda t: t.reshape(batch, seq, width)},
        }  # fmt: skip

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
        splits = {
            "All heads share one set of weights. Split query and key first.":
                (lambda t: t[:, None], lambda t: t[:, None], cut),
            "The columns of a head stand apart, and should be neighbours.": (apart, apart, apart),
            "n_heads and d_head changed places.":
                (lambda t: t.unflatten(-1, (-1, n_heads)).transpose(1, 2),) * 3,
            f"The heads are split {alone}": (view, view, view),
            f"Query and key are split {alone}": (view, view, cut),
            f"The query is split {alone}": (view, cut, cut),
            f"The key is split {alone}": (cut, view, cut),
            f"The value is split {alone}": (cut, cut, view),
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
            "The heads are joined in reverse.": lambda t: t.flip(1).transpose(1, 2).flatten(2),
            "The heads are averaged. They should stand side by side.": lambda t:
                t.mean(1, keepdim=True).expand_as(t).transpose(1, 2).flatten(2),
        }  # fmt: skip
        return {cause: {"join": way} for cause, way in joins.items()}

    def dropout(self, layer, rate, n_heads, width, **buffers):
        """In training each attention weight, by itself, becomes 0 or 1 / (1 − rate) times as large.

        Every word is (1, 1, …), and the projections of the layer pass it on. So each of five words
        has the weight 1/5 and the value 1, and a head returns the sum of the weights that it kept,
        to which out_proj adds 10.
        """
        x, plain = torch.ones(20, 5, width), dict(buffers)
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            plain[f"{name}.weight"] = torch.eye(width)
            plain[f"{name}.bias"] = torch.full((width,), 10.0 * (name == "out_proj"))
        layer.load_state_dict(plain, strict=False)
        told = "After .eval(), dropout still drops. Does it ask for the mode?"
        compare(self.call(layer.eval(), x), 10 + x, told, atol=1e-4)
        kept = 5 * (self.call(layer.train(), x) - 10).unflatten(-1, (n_heads, -1))
        told, grown = f"dropout={rate} in training", 1 / (1 - rate)
        where = "Is it used, on the weights, after the softmax, and are the rows left as they are?"
        assert not kept.std() < 1e-3, f"{told} changes nothing. {where}"
        cause = "Does it fall on the weights, and not on values or outputs?"
        alike = self.same(kept, kept[..., :1].expand_as(kept)) or kept.isnan().any()
        assert alike, f"With {told} the columns of one head differ. {cause}"
        count = kept[..., 0]
        step = count.round(decimals=2).unique().diff().min()  # what one weight counts
        rest = (count / step - (count / step).round()).abs().max()
        renewed = "Are the rows made to sum to 1 again?"
        cause = self.first({
            f"There are NaN. {renewed}": kept.isnan().any(),
            "Whole rows are dropped, not single weights.":
                (count * (count - grown * 5)).abs().max() < 1e-2,
            renewed: (count * (count - 5)).abs().max() < 1e-2,
            f"What is kept is not scaled up by 1 / (1 − {rate}).": abs(step - 1) < 0.01,
            f"Is {rate} taken for the share that is kept?": abs(step * rate - 1) < 0.01,
            "Does dropout fall on the scores, or twice?": step < 0.9 or rest > 0.1,
            "Does it fall twice on the weights?": abs(step / grown**2 - 1) < 0.01,
            f"The rate is {1 - 1 / step:.2f}. Is the argument used?": abs(step - grown) > 0.01,
            "All sentences lose the same weights.": count.std(0).max() < 1e-4,
            "All words lose the same weights.": count.std(1).max() < 1e-4,
            "All heads lose the same weights.": count.std(2).max() < 1e-4,
        })  # fmt: skip
        told = f"With {told}, each weight by itself becomes 0, or {grown:.2f} times as large."
        assert not cause, f"{told}\n{cause}"

    def sublayers(self, x, parts, norm_first, **ways):
        """PyTorch's block: each of parts, {name: (function, norm)}, adds to the stream in turn.

        For the mistakes of agrees, way0 is how the first part is applied, way1 the second.
        """
        stream = x
        for number, (run, norm) in enumerate(parts.values()):
            if way := ways.get(f"way{number}"):
                stream = way(stream, run, norm, x)
            else:
                stream = stream + run(norm(stream)) if norm_first else norm(stream + run(stream))
        return stream

    def sublayer_mistakes(self, parts, norm_first):
        """Mistakes for agrees: s is the stream, f the part, n its norm, x the block's input."""
        here, other = ("Pre", "post") if norm_first else ("Post", "pre")
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
            "What {} returns is never added.": lambda s, f, n, x: s if norm_first else n(s),
            "The stream is added twice to what {} returns.":
                lambda s, f, n, x: 2 * s + f(n(s)) if norm_first else n(2 * s + f(s)),
        }  # fmt: skip
        numbered = {name: f"way{number}" for number, name in enumerate(parts)}
        every = {name: [number] for name, number in numbered.items()}
        every["every sub-layer"] = [*numbered.values()]
        return {
            cause.format(name): dict.fromkeys(numbers, way)
            for name, numbers in every.items() for cause, way in ways.items()
        }  # fmt: skip

    def block_dropout(self, block, theirs, inner):
        """In training, dropout=0.5 falls inside each sub-layer, and on what it returns.

        inner is {what it falls on inside: the layer after it}. Where an attended or hidden 1
        becomes 0 or 2, a bias of 10 makes that 10 or 12, and the second dropout 0, 20 or 24.
        """
        state = {name: torch.zeros_like(value) for name, value in theirs.state_dict().items()}
        for name, value in state.items():  # values and hidden numbers are 1
            if name.endswith("in_proj_bias"):
                value[2 * len(value) // 3 :] = 1
        state["linear1.bias"] += 1
        for told, layer in inner.items():
            weights = {f"{layer}.weight": torch.eye(*state[f"{layer}.weight"].shape)}
            weights[f"{layer}.bias"] = torch.full_like(state[f"{layer}.bias"], 10.0)
            block.load_state_dict(self.spelled(block, state | weights), strict=False)
            sentences = torch.zeros(2 if len(inner) > 2 else 1, 64, 1, len(state[f"{layer}.bias"]))
            out = self.call(block.train(), *sentences)
            seen = tuple(sorted({round(value) for value in out.flatten().tolist()}))
            cause = {(11,): "There is none.", (0, 22): f"It is missing on the {told}.",
                     (10, 12): "It is missing on the sub-layer's output.",
                     (0, 40, 48): "It falls twice after the sub-layer."}.get(seen)  # fmt: skip
            told = f"dropout=0.5 on {told} and output: expected 0, 20 and 24, got {seen[:5]}."
            assert seen == (0, 20, 24), f"{told} {cause or 'Is its rate the one that was given?'}"

    def layers(self, kind, d_model, n_heads, n_layers):
        """n_layers of PyTorch's own, pre-norm and relu, four times as wide inside."""
        return nn.ModuleList(
            kind(d_model, n_heads, 4 * d_model, 0.0, batch_first=True, norm_first=True)
            for _ in range(n_layers)
        )

    def noisy(self, **parts):
        """PyTorch's parts as one module, with numbers that are neither small nor symmetric."""
        model = nn.ModuleDict(parts)
        for parameter in model.parameters():
            nn.init.normal_(parameter, std=0.3)
        return model.requires_grad_(False)

    def through(self, layers, x, *memory, heads, norm_first=True, act=F.relu, **masks):
        """x through PyTorch's layers in turn; heads, order and activation can be exchanged."""
        for layer in layers:
            layer.norm_first, layer.activation = norm_first, act
            for part in layer.train().children():
                if isinstance(part, nn.MultiheadAttention):
                    part.num_heads, part.head_dim = heads, part.embed_dim // heads
            x = layer(x, *memory, **masks)
        return x


check.__class__ = LayerWords  # the check of above knows these words, too
