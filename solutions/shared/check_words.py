# @title The words of the checks: run this cell; unfold it to see how a check works
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
    if both.min() < 0:  # signed numbers: white is 0
        shared = {"vmin": -both.abs().max(), "vmax": both.abs().max(), "cmap": "RdBu"}
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
    if check.same(yours, expected, atol):
        return
    close = torch.isclose(yours.to(expected), expected, rtol=0, atol=atol)
    if not close.all():
        draw_difference(yours, expected)
        place = tuple((~close).nonzero()[0].tolist())
        right, got = expected[place].item(), yours[place].item()
        apart = (n for n in range(4, 13) if f"{right:.{n}f}" != f"{got:.{n}f}")
        digits = next(apart, 4)  # as many as show that they differ
        numbers = f"expected {right:.{digits}f} and got {got:.{digits}f}"
        raise AssertionError(f"{message}\nAt {list(place)} we {numbers}.")


class Check:
    """The words of the checks: check.call, check.tensor, … Each makes one kind of claim.

    Where a claim fails, it raises AssertionError with what was expected, what came, and a question
    about the likely cause. The check that uses the word knows which causes are likely.
    `with check:` gives back every name that the lines inside it used, and the random state. What
    is written to stderr there goes to stdout: nbgrader gives a check with a warning no point.
    """

    MISTAKES = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError)
    MISTAKES += (TypeError, ValueError)
    PLAIN = {  # a word of an error that has the same cause in every exercise: the cause
        "Module.__init__()": "Is `super().__init__()` the first line of `__init__`?",
        "'Linear'": "A layer is no tensor. Is it called on one, as in `layer(x)`? Its numbers "
                    "are in `layer.weight`.",
        "Boolean value of Tensor": "`if`, `and`, `or` and `not` ask for a single yes or no, and a "
                                   "tensor has many. Is it `is None` that should be asked, or are "
                                   "`&`, `|`, `~`, .any() or .all() meant?",
        "bool tensor is not supported": "A bool mask is turned round by `~`, not by a minus.",
        "operator.invert": "`~` turns a bool mask round, and this one holds fractions. Is it a "
                           "product or a sum? Two masks are joined by `&`.",
        "modified inplace": "Is there a `+=`, a `/=` or a method ending in `_` on a part that "
                            "chunk, split or unbind cut off? Write `q = q / …` there.",
        "match the broadcast shape": "Is there a `&=`, a `+=` or another step in place? What it "
                                     "writes into cannot grow. Write `a = a & b` there.",
        "call numpy()": "NumPy keeps no gradient, so nothing before it could learn. Is every step "
                        "a function of torch?",
        "leaf Variable": "Is something written into a tensor made with requires_grad? A tensor "
                         "that you make yourself does not need it.",
        "uninitialized": "Is there a lazy layer? It has no numbers until it is first called. Say "
                         "its sizes: nn.Linear(d_in, d_out).",
    }  # fmt: skip

    def __init__(self, **needed):
        self.exercise = ""  # whose check is running
        self.passed = {}  # exercise: the answer that passed its check
        self.stopped = set()  # names whose cell stopped with an error when it last ran
        self.needed = needed  # name: what the checks mean by it

    def __enter__(self):
        again = "Fix that cell and run it, then run this check again."
        told = f"The cell that defines `{self.exercise}` stopped with an error. {again}"
        assert self.exercise not in self.stopped, told
        self.names = sys._getframe(1).f_globals
        self.before, self.random = dict(self.names), torch.get_rng_state()
        self.stderr, sys.stderr = sys.stderr, sys.stdout

    def __exit__(self, kind, *_):
        sys.stderr = self.stderr
        for name in self.names.keys() - self.before.keys():
            if not name.startswith("__"):  # what torch.compile adds, the function needs later on
                del self.names[name]
        self.names.update(self.before)
        torch.set_rng_state(self.random)
        self.passed.pop(self.exercise, None)
        if self.exercise and kind is None:
            self.passed[self.exercise] = self.names.get(self.exercise)
        taken = [name for name, it in self.needed.items() if self.names.get(name, it) is not it]
        if taken and kind in (TypeError, AttributeError):
            told = f"The check needs `{taken[0]}`, but in your notebook that is something else."
            again = "Rename yours, then run \"Setup\" and \"The words of the checks\" again."
            raise AssertionError(f"{told}\n{again}") from None

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
            elif isinstance(value, (list, tuple)) and "tensor(" in repr(value):
                short = f"a {type(value).__name__} of {len(value)}"
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
        before, shown = [a.clone() for a in tensors], self.shown(function, *args, **kwargs)
        try:
            result = function(*args, **kwargs)
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
        result = self.call(function, **ready, stuck={"argument": names, "": cause})
        parts = result if isinstance(result, (tuple, list)) else [result]
        floats = {name: v for name, v in ready.items() if torch.is_tensor(v) and v.requires_grad}
        for part in parts:
            assert part.dtype == wide, f"Arguments of {wide} give a result of {part.dtype}. {cause}"
        self.reaches(sum(part.sum() for part in parts), **floats)
        return result

    def shapes(self, layer):
        """{name: shape} of a layer's parameters."""
        lazy = any(map(nn.parameter.is_lazy, layer.parameters()))
        assert not lazy, self.PLAIN["uninitialized"]
        return {name: tuple(parameter.shape) for name, parameter in layer.named_parameters()}

    def parameters(self, layer, wanted, otherwise):
        """The layer's parameters are {name: shape}: none is missing, and there is none besides."""
        assert isinstance(layer, nn.Module), f"Expected an nn.Module, got {type(layer).__name__}."
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


check = Check(torch=torch, nn=nn, F=F, compare=compare)


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
        name = getattr(error, "name", "")
        if name in ("torch", "plt", "F", "nn", "heatmap"):
            told = f"{error}. First run \"Setup\", this notebook's first cell of code."
        elif name in sys.stdlib_module_names:
            told = f"{error}{line}. It comes with Python: begin your cell with `import {name}`."
        elif "predicted_" in shell.user_ns["In"][-1] and len(frames) == 1 and not titled:
            told = f"{error}{line}. If it is meant as a word, put it in quotes: \"{name}\"."
    elif issubclass(kind, AssertionError) and titled:
        told = str(error)
    elif titled and not hasattr(shell.user_ns.get("check"), "cell_ends"):
        told = "Every check needs `check`, but in your notebook that is something else.\n"
        told += "Rename yours, run its cell, then \"The words of the checks\" again."
    else:
        return shell.showtraceback((kind, error, trace))
    lines = f"{kind.__name__}: {told}".split("\n")
    wide = {"width": 95, "break_long_words": False, "break_on_hyphens": False}
    shell._showtraceback(kind, error, ["\n".join(textwrap.fill(line, **wide) for line in lines)])


def listen(shell):
    """Have this notebook's errors told by show_message, and its cells noted by the check."""
    told = (AssertionError, NotImplementedError, NameError, TypeError, AttributeError)
    shell.set_custom_exc(told, show_message)
    if "NBGRADER_EXECUTION" in os.environ:
        return  # nbgrader runs each cell once: what is bound is what counts
    for event, note in (("pre_run_cell", check.cell_begins), ("post_run_cell", check.cell_ends)):
        for old in [f for f in shell.events.callbacks[event] if f.__name__ == note.__name__]:
            shell.events.unregister(event, old)  # of this cell's last run
        shell.events.register(event, note)


if "get_ipython" in globals():
    listen(get_ipython())
