"""The words that checks are written in: compare, check.call, check.tensor, …"""

from __future__ import annotations

import traceback

import torch
from torch import nn

from checking import pictures


def compare(yours, expected, message, atol=1e-5):
    """Where two tensors differ by more than atol, draw them and raise AssertionError(message)."""
    kind = type(yours).__name__
    assert isinstance(yours, torch.Tensor), f"{message}\nExpected a tensor, got {kind}."
    shapes = f"Expected shape {tuple(expected.shape)}, got {tuple(yours.shape)}."
    assert yours.shape == expected.shape, f"{message}\n{shapes}"
    if check.same(yours, expected, atol):
        return
    close = torch.isclose(yours.to(expected), expected, rtol=0, atol=atol)
    if not close.all():
        pictures.draw_difference(yours, expected)
        place = tuple((~close).nonzero()[0].tolist())
        right, got = expected[place].item(), yours[place].item()
        apart = (n for n in range(4, 13) if f"{right:.{n}f}" != f"{got:.{n}f}")
        digits = next(apart, 4)  # as many as show that they differ
        numbers = f"expected {right:.{digits}f} and got {got:.{digits}f}"
        message += "\nThese are the right numbers, rounded. Is there a `round`?" * rounded(yours, expected)
        raise AssertionError(f"{message}\nAt {list(place)} we {numbers}.")


def rounded(yours, expected):
    """Whether yours is expected with one to four decimals (and not merely a table of 0 and 1)."""
    if not expected.is_floating_point():
        return False
    shorter = (expected.detach().round(decimals=n) for n in range(1, 5))
    return any(len(short.unique()) > 4 and check.same(yours, short, 1e-6) for short in shorter)


class Words:
    """The words of the checks: check.call, check.tensor, … Each makes one kind of claim.

    Where a claim fails, it raises AssertionError with what was expected, what came, and a question
    about the likely cause. The check that uses the word knows which causes are likely.
    """

    MISTAKES = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError)
    MISTAKES += (TypeError, UnboundLocalError, ValueError)
    NUMBER = "torch's functions take tensors. For the root of a plain number write `number ** 0.5`; "
    NUMBER += "its other functions are in math."
    PLAIN = {  # a word of an error that has the same cause in every exercise: the cause
        "Module.__init__()": "Is `super().__init__()` the first line of `__init__`?",
        "'Linear'": "A layer is no tensor. Is it called on one, as in `layer(x)`? Its numbers "
                    "are in `layer.weight`.",
        "Boolean value of Tensor": "`if`, `and`, `or` and `not` ask for a single yes or no, and a "
                                   "tensor has many. Is it `is None` that should be asked, or are "
                                   "`&`, `|`, `~`, .any() or .all() meant?",
        "bool tensor is not supported": "Invert a bool mask with `~`, not with a minus.",
        "operator.invert": "`~` turns a bool mask round, and this one holds fractions. Is it a "
                           "product or a sum? Two masks are joined by `&`.",
        "modified inplace": "Is there a `+=`, a `/=` or a method ending in `_` on a part that "
                            "chunk, split or unbind cut off? Write `q = q / …` there.",
        "match the broadcast shape": "Is there a `&=`, a `+=` or another step in place? What it "
                                     "writes into cannot grow. Write `a = a & b` there.",
        "call numpy()": "NumPy keeps no gradient, so nothing before it could learn. Is every step "
                        "a function of torch?",
        "leaf Variable": "Is something written into an argument, or into a tensor made with "
                         "requires_grad? Make a tensor of your own, which does not need it.",
        "compiled with CUDA": "There is no GPU here. Leave out `.cuda()` and `.to(…)`: whatever is made from "
                              "the arguments is where they are.",
        "dict is not a Module subclass": "nn.ModuleList and nn.ModuleDict hold layers alone. Is a plain dict in "
                                         "it? An nn.ModuleDict, or a small class of your own, is a layer.",
        "must be a 3D tensor": "torch.bmm takes exactly three axes, and `@` any number of leading axes.",
        "self must be a matrix": "torch.mm takes two matrices, and `@` any number of leading axes.",
        "1D tensors expected": "torch.dot takes two vectors, and `@` any number of leading axes.",
        'missing 1 required positional arguments: "dim"': "Along which axis? `dim=` says it.",
        "must be tuple of Tensors": "torch.cat and torch.stack take one list: `torch.cat([a, b])`.",
        "must be Tensor, not list": "A list is no tensor. torch.stack or torch.cat joins its tensors.",
        "must be Tensor, not int": NUMBER,
        "must be Tensor, not float": NUMBER,
        "size' failed to unpack": "A size is a whole number, and `/` makes a fraction. Is it `//`?",
        "'torch.Size' object is not callable": "Its sizes are picked by square brackets: "
                                               "`x.shape[0]`, or by `x.size(0)`.",
        "uninitialized": "Is there a lazy layer? It has no numbers until it is first called. Say "
                         "its sizes: nn.Linear(d_in, d_out).",
    }  # fmt: skip

    def first(self, causes, otherwise=""):
        """Of {cause: whether it shows}, the first cause that shows."""
        return next((cause for cause, shows in causes.items() if shows), otherwise)

    def same(self, yours, expected, atol=1e-4):
        """Do two tensors have one shape, and the same numbers within atol?"""
        if not isinstance(yours, torch.Tensor) or yours.shape != expected.shape:
            return False
        yours, expected = yours.detach().to(expected), expected.detach()
        if expected.is_floating_point() and expected.numel():
            gap = torch.dist(yours, expected, torch.inf).item()  # quicker than allclose
            if gap == gap:  # it is NaN where one of the numbers is, or where inf meets inf
                return gap <= atol
        return torch.allclose(yours, expected, rtol=0, atol=atol)

    def like(self, yours, mistakes, otherwise="", atol=1e-4):
        """Of {cause: the tensor that this mistake gives}, the cause whose tensor yours is."""
        seen = {cause: self.same(yours, wrong, atol) for cause, wrong in mistakes.items()}
        return self.first(seen, otherwise)

    def some_right(self, yours, expected, otherwise="", part="sentence"):
        """Where some parts along axis 0 are right and others are not, which they are.

        part: what one of them is called.
        """
        if not isinstance(yours, torch.Tensor) or yours.shape != expected.shape:
            return otherwise
        right = [self.same(one, wanted) for one, wanted in zip(yours, expected)]
        if all(right) or not any(right):
            return otherwise

        def parts(are_right):
            numbers = [str(n) for n, is_right in enumerate(right) if is_right == are_right]
            several = len(numbers) > 1
            return f"{part}s {' and '.join(numbers)} are" if several else f"{part} {numbers[0]} is"

        told = f"{parts(True).capitalize()} right, {parts(False)} not."
        return f"{told} Is every {part} worked on, with its own numbers?"

    def near(self, number, mistakes, otherwise=""):
        """Of {cause: the number that this mistake gives}, the cause whose number it is, to 1 %."""
        seen = {cause: abs(number / value - 1) < 0.01 for cause, value in mistakes.items()}
        return self.first(seen, otherwise)

    def shown(self, function, *args, **kwargs):
        """A call as one line: tensors by their shape, all else as it is."""
        parts = [("", value) for value in args] + [(f"{name}=", v) for name, v in kwargs.items()]
        texts = []
        for name, value in parts:
            if isinstance(value, torch.Tensor):
                short = str(tuple(value.shape))
            elif isinstance(value, nn.Module):
                short = type(value).__name__
            elif isinstance(value, dict) and any(map(torch.is_tensor, value.values())):
                short = f"a dict of {len(value)} tensors"
            elif isinstance(value, (list, tuple)) and "tensor(" in repr(value):
                short = f"a {type(value).__name__} of {len(value)}"
            elif hasattr(value, "__next__"):
                short = "an iterator"
            else:
                short = getattr(value, "__name__", None) or repr(value)[:60]
            texts.append(name + short)
        return f"{getattr(function, '__name__', type(function).__name__)}({', '.join(texts)})"

    def call(self, function, *args, stuck="", **kwargs):
        """function(*args, **kwargs): an error becomes a message, and no argument may change.

        stuck is the likely cause of an error; or {a word of the error: its cause}, with "" for any
        other error; or a function that finds the cause out. What PLAIN knows goes before "".
        """
        tensors = [a for a in (*args, *kwargs.values()) if isinstance(a, torch.Tensor)]
        before, shown = [(a.clone(), a.requires_grad) for a in tensors], self.shown(function, *args, **kwargs)
        learns = torch.is_grad_enabled()
        try:
            with torch.set_grad_enabled(learns):  # gives the switch back, however the call ends
                result = function(*args, **kwargs)
                switched_off = learns and not torch.is_grad_enabled()
        except self.MISTAKES as error:
            if "not implemented yet" in str(error):
                raise
            told = str(error).partition("\n")[0][:160]
            own = dict(stuck) if isinstance(stuck, dict) else {"": stuck}
            other = own.pop("", "")
            known = [*own.items(), *self.PLAIN.items(), ("", other)]
            cause = next(text for word, text in known if word in told)
            cause = cause() if callable(cause) else cause
            where = [f for f in traceback.extract_tb(error.__traceback__) if "ipy" in f.filename]
            line = f"\nIt happened in the line `{where[-1].line}`." if where else ""
            kind = type(error).__name__
            raise AssertionError(f"{shown} stopped with {kind}: {told}{line}\n{cause}") from None
        cause = "Nothing below it could learn. Write `with torch.no_grad():`, which puts it back."
        assert not switched_off, f"{shown} left PyTorch's gradients switched off. {cause}"
        changed = [
            a.requires_grad != took or a.shape != b.shape or not torch.equal(a, b)
            for a, (b, took) in zip(tensors, before)
        ]
        cause = "Is there a `+=` or a method ending in `_` on it? Make a tensor of your own."
        assert not any(changed), f"{shown} changed one of its arguments in place. {cause}"
        return result

    def used(self, function, shape, **inputs):
        """Each of these tensors has an effect on the result: other numbers in it give another result.

        Give them the sizes of the notebook's example, at which a variable of the notebook fits in an argument's place.
        """
        for name, tensor in inputs.items():
            others = tensor, -3 * tensor, -3 * tensor.flip(-1), torch.full_like(tensor, torch.nan)
            try:
                result, *rest = (function(**inputs | {name: other}) for other in others)
            except self.MISTAKES:
                return  # the check's own call says more
            fits = isinstance(result, torch.Tensor) and result.shape == shape
            told = f"`{name}` has no effect on the result. Is a variable of the notebook used instead of it?"
            assert not (fits and all(self.same(other, result) for other in rest)), told

    def tensor(self, yours, shape, what, mistakes=None, otherwise=""):
        """yours is one finite tensor of this shape; mistakes is {a wrong shape: its cause}."""
        told = f"Expected {what} as one tensor, got {type(yours).__name__}."
        missing = "Is there a `return`?" if yours is None else f"Return {what} alone, as a tensor."
        if isinstance(yours, list) and any(map(torch.is_tensor, yours)):
            missing += " Does a loop make a list? torch.stack joins its tensors."
        assert isinstance(yours, torch.Tensor), f"{told} {missing}"
        got, cause = tuple(yours.shape), (mistakes or {}).get(tuple(yours.shape), otherwise)
        assert got == shape, f"Expected {what} in shape {shape}, got {got}. {cause}"
        finite = "Is something divided by 0, or is a number too large for exp?"
        assert yours.isfinite().all(), f"There are NaN or inf in {what}. {finite}"

    def refuses(self, function, *args, names, otherwise, kind=ValueError, **kwargs):
        """The call raises this kind of error, and its message holds each of names."""
        shown, told = self.shown(function, *args, **kwargs), ""
        try:
            function(*args, **kwargs)
            got = "no error"
        except Exception as error:  # noqa: BLE001 whatever came is what the message reports
            if "not implemented yet" in str(error):
                raise
            got = kind.__name__ if isinstance(error, kind) else type(error).__name__
            told = str(error)
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
            try:
                slopes = torch.autograd.grad(yours.sum(), [*inputs.values()], allow_unused=True)
            except RuntimeError as error:
                if "inplace" not in str(error):
                    raise
                told = "No gradient can be computed: it needs numbers that were written over later."
                cause = "Is there a `+=`, a `/=`, a method ending in `_`, or an inplace=True?"
                raise AssertionError(f"{told} {cause} Write `h = h + …` there.") from None
        lost = [name for name, slope in zip(inputs, slopes) if slope is None]
        lost = lost if len(lost) < 6 else [*lost[:4], f"{len(lost) - 4} more"]
        lost = " and ".join(lost)
        cause = "Is it cut off by detach, by no_grad, by numpy, or by torch.tensor(…) of a result?"
        them = "them" if " and " in lost else "it"
        assert not lost, f"No gradient reaches {lost}, so training could not change {them}. {cause}"

    def trainable(self, function, **inputs):
        """Called by name, in float64: the result is float64, and a gradient reaches every tensor.

        A module keeps the float32 of its parameters, if it has any. Returns the result.
        """
        narrow = isinstance(function, nn.Module) and self.shapes(function)
        wide = torch.float32 if narrow else torch.float64
        ready = {
            name: v.detach().to(wide).requires_grad_()
            if isinstance(v, torch.Tensor) and v.is_floating_point() else v
            for name, v in inputs.items()
        }  # fmt: skip
        names = f"Later cells call it by name. Are its arguments still called {', '.join(inputs)}?"
        cause = "Are new tensors made with the dtype of the arguments, as in `x.new_zeros(…)`?"
        code = getattr(function, "__code__", None)  # a module has none, nor has a function of PyTorch's
        order = [name for name in code.co_varnames[: code.co_argcount] if name in inputs] if code else []
        wanted = [name for name in inputs if name in order]
        told = f"Expected the arguments {', '.join(wanted)} in this order, got {', '.join(order)}."
        assert order == wanted, f"{told} Are the names swapped?"
        result = self.call(function, **ready, stuck={"argument": names, "": cause})
        parts = result if isinstance(result, (tuple, list)) else [result]
        floats = {name: v for name, v in ready.items() if torch.is_tensor(v) and v.requires_grad}
        for part in parts:
            assert part.dtype == wide, f"Arguments of {wide} give a result of {part.dtype}. {cause}"
        self.reaches(sum(part.sum() for part in parts), **floats)
        return result

    def shapes(self, layer):
        """{name: shape} of a layer's parameters."""
        kind = type(layer).__name__
        told = f"Expected an nn.Module, got {kind}. Does its class line say (nn.Module)?"
        assert isinstance(layer, nn.Module), told
        lazy = any(map(nn.parameter.is_lazy, layer.parameters()))
        assert not lazy, self.PLAIN["uninitialized"]
        return {name: tuple(parameter.shape) for name, parameter in layer.named_parameters()}

    def parameters(self, layer, wanted, otherwise):
        """The layer's parameters are {name: shape}: none is missing, and there is none besides."""
        got = self.shapes(layer)
        everywhere = dict(layer.named_parameters(remove_duplicate=False))
        for name in wanted | got:
            want, have = wanted.get(name, "none"), got.get(name, "none")
            told = f"Parameter {name}: expected {want}, got {have}."
            kind = name.rpartition(".")[2]  # weight or bias
            spare = [n for n in got if n not in wanted and n.endswith(kind) and have == "none"]
            other = [n for n in spare if got[n] == want]
            packed = [n for n in spare if "_proj" in name and got[n][1:] == want[1:]]
            packed = [n for n in packed if got[n][0] >= 2 * want[0]]
            if name in everywhere and have == "none":
                same = [n for n in got if everywhere[n] is everywhere[name]]
                told += f" It is {same[0]} once more. Is one layer used in two places? Make two."
            elif other:
                told += f" There is {other[0]} of this shape. Is that it, under another name?"
            elif packed:
                told += f" There is {packed[0]} of shape {got[packed[0]]}. Is it several layers in"
                told += " one? Each needs a layer of its own."
            elif have == "none" and (owner := name.rpartition(".")[0]) in got:
                told += f" There is {owner}, a parameter by itself. Is it a layer, with a {kind}?"
            elif have == "none" and owner and not any(n.startswith(f"{owner}.") for n in everywhere):
                told += f" There is no {owner}. Is this layer made in __init__, and kept in self?"
            elif want == "none":
                told += " It is one too many: nothing is asked of it. Is its layer needed?"
            if not got:
                told += " There is no parameter at all. Is each kept in self, and not in a list?"
            assert want == have, f"{told}\n{otherwise}"

    def weights(self, weights):
        """Attention weights (…, q, k): all above 0, and each row sums to 1 over the keys."""
        total = f"The first row of weights sums to {weights.sum(-1).flatten()[0]:.2f}, expected 1."
        axes = {"the queries (axis -2)": -2, "all the pairs of a sentence": (-2, -1)}
        if weights.ndim > 2:
            axes["the sentences of the batch (axis 0)"] = 0
        if weights.ndim > 3:
            axes["the heads (axis 1)"] = 1
        sums = {name: weights.sum(axis) for name, axis in axes.items()}
        over = self.first({name: self.same(s, torch.ones_like(s)) for name, s in sums.items()})
        cause = "Does the softmax run over the last axis, the keys?"
        cause += " Or are the weights transposed after it?" * over.startswith("the queries")
        assert not over, f"{total} The weights sum to 1 over {over} instead. {cause}"
        least = f"The smallest weight is {weights.min():.2f}, expected all weights above 0."
        cause = "Is something masked or dropped, or is only the best key kept?"
        assert weights.min() != 0, f"{least} {cause}"
        assert weights.min() > 0, f"{least} Is there a softmax, and are its weights used, not the scores?"
        rows = weights.sum(-1)
        cause = "Is each row divided by its own sum, and by nothing after that? Are the values left as they are?"
        furthest = rows.flatten()[(rows - 1).abs().argmax()]
        if 1e-4 < (furthest - 1).abs() < 0.01:
            total = f"A row of weights sums to {furthest:.4f}, expected 1."
            cause = "Is a small number added to the sum, which is never 0, or is something rounded?"
        assert self.same(rows, torch.ones_like(rows)), f"{total} {cause}"

    def scale(self, weights, dots):
        """What the dot products were multiplied by before the softmax; None: by no one number.

        The logarithm of a ratio of two weights is the difference of their scores.
        """
        logs, steps = weights.log().diff(dim=-1), dots.diff(dim=-1)
        scale = (logs / steps).median()
        return scale if torch.allclose(logs, scale * steps, atol=1e-3) else None

    def rooted(self, weights, dots, d_k, others, otherwise):
        """The weights are softmax(dots / √d_k); others is {what else has a size: that size}."""
        scale, wanted = self.scale(weights, dots), d_k**-0.5
        told = "The logarithms of the weights do not follow the dot products of query and key."
        assert scale is not None, f"{told} {otherwise}"
        once, whole = "Divide once, by its square root.", int(d_k**0.5)
        cause = self.near(scale, {
            "Divide the scores before the softmax.": 1,
            f"You divided by d_k = {d_k} (or twice by its root). {once}": 1 / d_k,
            "`scores / d_k ** 1/2` divides by d_k and by 2. Write `d_k ** 0.5`.": 1 / (2 * d_k),
            "`(d_k ** 1/2)` is half of d_k, not its root. Write `d_k ** 0.5`.": 2 / d_k,
            "You multiplied by √d_k; divide by it.": d_k**0.5,
            "Is there a minus too many?": -wanted,
            "Was only the query, or only the key, divided by the fourth root?": d_k**-0.25,
            "√24 belongs to the example above. Is d_k read from outside the function?": 24**-0.5,
        } | {f"√{n} is the root of {what}; divide by √d_k.": n**-0.5 for what, n in others.items()}
          | {f"{whole} is √{d_k} without its decimals. Write `d_k ** 0.5`.": 1 / whole},
            f"That divides them by {1 / scale:.2f}. Is d_k the width of a query?")  # fmt: skip
        if abs(scale) < 1e-6:
            cause = "All weights of a row are alike. Are the scores used, or is it the plain mean?"
        told = f"The softmax saw the scores times {scale:.4f}, expected {wanted:.4f} = 1/√{d_k}"
        assert abs(scale / wanted - 1) < 1e-3, f"{told}, as d_k is {d_k}. {cause}"


check = Words()
