# @title The words of the checks: run this cell; unfold it to see how a check works
import itertools
import math
import os
import sys
import textwrap
import traceback


def draw_difference(yours, expected):
    """Draw the first matrix of expected and of yours, and their difference; NaN is grey."""
    pictures = []
    for tensor in (expected, yours):
        rows = tensor.shape[-2] if tensor.ndim > 1 else 1
        columns = tensor.shape[-1] if tensor.ndim else 1
        pictures.append(tensor.detach().double().reshape(-1, rows, columns)[0])
    pictures.append(pictures[1] - pictures[0])
    both, apart = torch.cat(pictures[:2]).nan_to_num(), pictures[2].nan_to_num().abs().max()
    shared = {"vmin": both.min(), "vmax": both.max()}
    signed = {"vmin": -apart.clamp(min=1e-5), "vmax": apart.clamp(min=1e-5), "cmap": "RdBu"}
    figure, axes = plt.subplots(1, 3, figsize=(7.4, 2.4), layout="constrained")
    for ax, title, matrix in zip(axes, ("expected", "yours", "yours − expected"), pictures):
        image = heatmap(ax, matrix, title, **(signed if "−" in title else shared))
        figure.colorbar(image, ax=ax)
        ax.set_facecolor("0.8")  # shows through where there is no number
        if matrix.numel() > 48:
            continue  # too many for a number in each cell
        for row, column in torch.ones_like(matrix).nonzero().tolist():
            text = ax.text(column, row, f"{matrix[row, column]:.2f}", ha="center", va="center")
            text.set(fontsize=6, bbox={"facecolor": "white", "alpha": 0.6, "lw": 0, "pad": 0.6})
    plt.show()


def compare(yours, expected, message, atol=1e-5):
    """Where two tensors differ by more than atol, draw them and raise AssertionError(message)."""
    kind = type(yours).__name__
    assert isinstance(yours, torch.Tensor), f"{message}\nExpected a tensor, got {kind}."
    shapes = f"Expected shape {tuple(expected.shape)}, got {tuple(yours.shape)}."
    assert yours.shape == expected.shape, f"{message}\n{shapes}"
    close = torch.isclose(yours.to(expected), expected, rtol=0, atol=atol)
    if not close.all():
        draw_difference(yours, expected)
        place = tuple((~close).nonzero()[0].tolist())
        numbers = f"expected {expected[place]:.4f} and got {yours[place]:.4f}"
        raise AssertionError(f"{message}\nAt {list(place)} we {numbers}.")


class Check:
    """The words of the checks: check.call, check.tensor, … Each makes one kind of claim.

    Where a claim fails, it raises AssertionError with what was expected, what came, and a question
    about the likely cause. The check that uses the word knows which causes are likely.
    `with check:` gives back every name that the lines inside it used, and the random state.
    """

    MISTAKES = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError)
    MISTAKES += (TypeError, ValueError)

    def __init__(self):
        self.exercise = ""  # whose check is running
        self.passed = {}  # exercise: the answer that passed its check
        self.stopped = set()  # names whose cell stopped with an error when it last ran

    def __enter__(self):
        again = "Fix that cell and run it, then run this check again."
        told = f"The cell that defines `{self.exercise}` stopped with an error. {again}"
        assert self.exercise not in self.stopped, told
        self.names = sys._getframe(1).f_globals
        self.before, self.random = dict(self.names), torch.get_rng_state()

    def __exit__(self, kind, *_):
        for name in self.names.keys() - self.before.keys():
            del self.names[name]
        self.names.update(self.before)
        torch.set_rng_state(self.random)
        self.passed.pop(self.exercise, None)
        if self.exercise and kind is None:
            self.passed[self.exercise] = self.names.get(self.exercise)

    def cell_begins(self, info):
        """Note whose check a cell is, by its title. info is IPython's, with the cell's source."""
        import re  # here, since `%reset` forgets what a cell has imported

        title = re.match(r"# @title Check: (\w+)", info.raw_cell)
        self.exercise = title[1] if title else ""

    def cell_ends(self, result):
        """Note which names a cell defines, where it stopped with an error: they are out of date."""
        import re

        defined = r"^(?:(?:def|class) +(\w+)|(\w+) *=(?!=))"
        names = {a or b for a, b in re.findall(defined, result.info.raw_cell, re.M)}
        self.stopped = self.stopped - names if result.success else self.stopped | names

    def stand(self, *exercises):
        """Print how many of the checks pass for the answers as they are now, and what is open."""
        names, lines = globals(), []
        right = [name for name in exercises if name in self.passed.keys() - self.stopped]
        right = [name for name in right if self.passed[name] is names.get(name)]
        lines.append(f"{len(right)} of {len(exercises)} checks pass.")
        if len(right) < len(exercises):
            rest = ", ".join(name for name in exercises if name not in right)
            lines.append(f"Still open: {rest}.")
            lines.append("(A check counts once it has run on the answer as it is now.)")
        hand_in = "To hand in, save this notebook under its own name."
        lines.append(f"{hand_in} You may hand in what you have.")
        print("\n".join(textwrap.fill(line, 95) for line in lines))

    def first(self, causes, otherwise=""):
        """Of {cause: whether it shows}, the first cause that shows."""
        return next((cause for cause, shows in causes.items() if shows), otherwise)

    def same(self, yours, expected, atol=1e-4):
        """Do two tensors have one shape, and the same numbers within atol?"""
        if not isinstance(yours, torch.Tensor) or yours.shape != expected.shape:
            return False
        return torch.allclose(yours.to(expected), expected, rtol=0, atol=atol)

    def like(self, yours, mistakes, otherwise="", atol=1e-4):
        """Of {cause: the tensor that this mistake gives}, the cause whose tensor yours is."""
        seen = {cause: self.same(yours, wrong, atol) for cause, wrong in mistakes.items()}
        return self.first(seen, otherwise)

    def near(self, number, mistakes, otherwise=""):
        """Of {cause: the number that this mistake gives}, the cause whose number it is, to 1 %."""
        seen = {cause: abs(number / value - 1) < 0.01 for cause, value in mistakes.items()}
        return self.first(seen, otherwise)

    def shown(self, function, *args, **kwargs):
        """A call as one line: tensors by their shape, all else as it is."""
        parts = [("", value) for value in args] + [(f"{name}=", v) for name, v in kwargs.items()]
        texts = []
        for name, value in parts:
            short = getattr(value, "__name__", None) or repr(value)[:60]
            if isinstance(value, torch.Tensor):
                short = str(tuple(value.shape))
            elif isinstance(value, nn.Module):
                short = type(value).__name__
            texts.append(name + short)
        return f"{getattr(function, '__name__', type(function).__name__)}({', '.join(texts)})"

    def call(self, function, *args, stuck="", **kwargs):
        """function(*args, **kwargs): an error becomes a message, and no argument may change.

        stuck is the likely cause of an error; or {a word of the error: its cause}, with "" for any
        other error; or a function that finds the cause out.
        """
        tensors = [a for a in (*args, *kwargs.values()) if isinstance(a, torch.Tensor)]
        before, shown = [a.clone() for a in tensors], self.shown(function, *args, **kwargs)
        try:
            result = function(*args, **kwargs)
        except self.MISTAKES as error:
            if "not implemented yet" in str(error):
                raise
            told = str(error).partition("\n")[0][:160]
            cause = stuck() if callable(stuck) else stuck
            if isinstance(cause, dict):
                cause = next((text for word, text in cause.items() if word in told), "")
            where = [f for f in traceback.extract_tb(error.__traceback__) if "ipy" in f.filename]
            line = f"\nIt happened in the line `{where[-1].line}`." if where[1:] else ""
            kind = type(error).__name__
            raise AssertionError(f"{shown} stopped with {kind}: {told}{line}\n{cause}") from None
        changed = [a.shape != b.shape or not torch.equal(a, b) for a, b in zip(tensors, before)]
        cause = "Is there a `+=` or a method ending in `_` on it? Make a tensor of your own."
        assert not any(changed), f"{shown} changed one of its arguments in place. {cause}"
        return result

    def tensor(self, yours, shape, what, mistakes=None, otherwise=""):
        """yours is one finite tensor of this shape; mistakes is {a wrong shape: its cause}."""
        told = f"Expected {what} as one tensor, got {type(yours).__name__}."
        missing = "Is there a `return`?" if yours is None else f"Return {what} alone, as a tensor."
        assert isinstance(yours, torch.Tensor), f"{told} {missing}"
        got, cause = tuple(yours.shape), (mistakes or {}).get(tuple(yours.shape), otherwise)
        assert got == shape, f"Expected {what} in shape {shape}, got {got}. {cause}"
        finite = "Is something divided by 0, or is a number too large for exp?"
        assert yours.isfinite().all(), f"There are NaN or inf in {what}. {finite}"

    def refuses(self, function, *args, names, otherwise, kind=ValueError, **kwargs):
        """The call raises exactly this kind of error, and its message holds each of names."""
        shown, told = self.shown(function, *args, **kwargs), ""
        try:
            function(*args, **kwargs)
            got = "no error"
        except Exception as error:  # noqa: BLE001 whatever came is what the message reports
            if "not implemented yet" in str(error):
                raise
            got, told = type(error).__name__, str(error)
        assert got == kind.__name__, f"{shown}: expected a {kind.__name__}, got {got}. {otherwise}"
        lacking = [str(name) for name in names if str(name) not in told]
        wanted = " and ".join(str(name) for name in names)
        said = f"{shown}: the {kind.__name__} says {told[:100]!r}."
        assert not lacking, f"{said} Its message should also name {wanted}."

    def reaches(self, yours, **inputs):
        """From yours a gradient flows back to each of the inputs."""
        frozen = " and ".join(name for name, tensor in inputs.items() if not tensor.requires_grad)
        assert not frozen, f"{frozen} takes no gradient. Is requires_grad off, or is it a buffer?"
        slopes = [None] * len(inputs)
        if yours.requires_grad:
            slopes = torch.autograd.grad(yours.sum(), [*inputs.values()], allow_unused=True)
        lost = " and ".join(name for name, slope in zip(inputs, slopes) if slope is None)
        cause = "Is it cut off by detach, by no_grad, by numpy, or by torch.tensor(…) of a result?"
        assert not lost, f"No gradient reaches {lost}, so training could not change it. {cause}"

    def trainable(self, function, **inputs):
        """Called by name, in float64: the result is float64, and a gradient reaches every tensor.

        A module keeps its float32. Returns the result.
        """
        wide = torch.float32 if isinstance(function, nn.Module) else torch.float64
        ready = {
            name: v.detach().to(wide).requires_grad_()
            if isinstance(v, torch.Tensor) and v.is_floating_point() else v
            for name, v in inputs.items()
        }  # fmt: skip
        names = f"Later cells call it by name. Are its arguments still called {', '.join(inputs)}?"
        cause = "Are new tensors made with the dtype of the arguments, as in `x.new_zeros(…)`?"
        result = self.call(function, **ready, stuck={"argument": names, "": cause})
        parts = result if isinstance(result, (tuple, list)) else [result]
        floats = {name: v for name, v in ready.items() if torch.is_tensor(v) and v.requires_grad}
        for part in parts:
            assert part.dtype == wide, f"Arguments of {wide} give a result of {part.dtype}. {cause}"
        self.reaches(sum(part.sum() for part in parts), **floats)
        return result

    def shapes(self, layer):
        """{name: shape} of a layer's parameters."""
        return {name: tuple(parameter.shape) for name, parameter in layer.named_parameters()}

    def parameters(self, layer, wanted, otherwise):
        """The layer's parameters are {name: shape}: none is missing, and there is none besides."""
        assert isinstance(layer, nn.Module), f"Expected an nn.Module, got {type(layer).__name__}."
        got = self.shapes(layer)
        for name in wanted | got:
            want, have = wanted.get(name, "none"), got.get(name, "none")
            told = f"Parameter {name}: expected {want}, got {have}."
            kind = name.rpartition(".")[2]  # weight or bias
            spare = [n for n in got if n not in wanted and got[n] == want and n.endswith(kind)]
            if have == "none" and spare:
                told += f" There is {spare[0]} of this shape. Is that it, under another name?"
            assert want == have, f"{told}\n{otherwise}"

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

    def weights(self, weights):
        """Attention weights (…, q, k): all above 0, and each row sums to 1 over the keys."""
        total = f"The first row of weights sums to {weights.sum(-1).flatten()[0]:.2f}, expected 1."
        axes = {"the queries (axis -2)": -2, "all the pairs of a sentence": (-2, -1)}
        if weights.ndim > 2:
            axes["the sentences of the batch (axis 0)"] = 0
        sums = {name: weights.sum(axis) for name, axis in axes.items()}
        over = self.first({name: self.same(s, torch.ones_like(s)) for name, s in sums.items()})
        cause = "Does the softmax run over the last axis, the keys?"
        assert not over, f"{total} The weights sum to 1 over {over} instead. {cause}"
        least = f"The smallest weight is {weights.min():.2f}, expected all weights above 0."
        cause = "Is something masked or dropped, or is only the best key kept?"
        assert weights.min() != 0, f"{least} {cause}"
        assert weights.min() > 0, f"{least} Is there a softmax, which takes exponentials?"
        rows = weights.sum(-1)
        cause = "Is each row divided by its own sum, and by nothing after that?"
        assert self.same(rows, torch.ones_like(rows)), f"{total} {cause}"

    def scale(self, weights, dots):
        """What the dot products were multiplied by before the softmax; None: by no one number.

        The logarithm of a ratio of two weights is the difference of their scores.
        """
        logs, steps = weights.log().diff(dim=-1), dots.diff(dim=-1)
        scale = (logs / steps).median()
        return scale if torch.allclose(logs, scale * steps, atol=1e-3) else None

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
            "The scores are powers of 2, not of e.": lambda s: s.mul(math.log(2)).softmax(-1),
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


check = Check()


def show_message(shell, kind, error, trace, **_):
    """Tell in a sentence what a check found, or what a cell still needs."""
    frames = [f for f in traceback.walk_tb(trace) if "ipy" in f[0].f_code.co_filename]
    titled = shell.user_ns["In"][-1].startswith("# @title")  # a check, or a cell that draws
    if issubclass(kind, NotImplementedError) and "not implemented yet" in str(error):
        code = frames[-1][0].f_code
        name = getattr(code, "co_qualname", code.co_name).partition(".")[0]
        told = f"`{name}` is not implemented yet. Write it, run its cell, then this one."
        if name == "<module>":  # the stub of a prediction
            told = "Not implemented yet: put your answer here, then run this cell again."
    elif issubclass(kind, NameError) and (len(frames) == 1 or titled):
        line = "" if titled else f" in line {frames[0][1]}"
        if len(frames) > 1:  # a function's line, not the cell's own
            line = f" in line {frames[-1][1]} of the cell of `{frames[-1][0].f_code.co_name}`"
        told = f"{error}{line}. Run the cell that defines it first; after a restart, all above."
        if getattr(error, "name", "") in ("torch", "plt", "F", "nn", "heatmap"):
            told = f"{error}. First run \"Setup\", this notebook's first cell of code."
    elif issubclass(kind, AssertionError) and titled:
        told = str(error)
    else:
        return shell.showtraceback((kind, error, trace))
    lines = f"{kind.__name__}: {told}".split("\n")
    wide = {"width": 95, "break_long_words": False, "break_on_hyphens": False}
    shell._showtraceback(kind, error, ["\n".join(textwrap.fill(line, **wide) for line in lines)])


def listen(shell):
    """Have this notebook's errors told by show_message, and its cells noted by the check."""
    shell.set_custom_exc((AssertionError, NotImplementedError, NameError), show_message)
    if "NBGRADER_EXECUTION" in os.environ:
        return  # nbgrader runs each cell once: what is bound is what counts
    for event, note in (("pre_run_cell", check.cell_begins), ("post_run_cell", check.cell_ends)):
        for old in [f for f in shell.events.callbacks[event] if f.__name__ == note.__name__]:
            shell.events.unregister(event, old)  # of this cell's last run
        shell.events.register(event, note)


if "get_ipython" in globals():
    listen(get_ipython())
