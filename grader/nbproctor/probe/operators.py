"""The operators: each finds the places of one kind in a source, and says how a student might get them wrong.

`ALL` has them in order. What is known to mean the same is left out: what commutes, an axis counted from the other end,
a tolerance close by, how a figure looks, what a message says.
"""

import ast
from collections.abc import Callable, Iterator

from nbproctor.probe.edits import Edit, Source, name_of, short

Operator = Callable[[Source, ast.AST], Iterator[Edit]]

_COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {  # what stands there, and what a student writes
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"), ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="), ast.In: ("in", "not in"), ast.NotIn: ("not in", "in"), ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
}  # fmt: skip
_SIGNS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.BitAnd: "&", ast.BitOr: "|", ast.MatMult: "@",
}  # fmt: skip
_OTHER_SIGN = {
    "+": "-", "-": "+", "*": "/", "/": "*", "//": "/", "%": "//", "**": "*", "&": "|", "|": "&",
}  # fmt: skip
_PAIRS = (
    "mean sum", "max min", "amax amin", "maximum minimum", "argmax argmin", "idxmax idxmin", "nanmax nanmin", "all any",
    "sin cos", "floor ceil", "zeros ones", "zeros_like ones_like", "cumsum cumprod", "std var", "triu tril",
    "head tail", "upper lower", "startswith endswith", "union intersection", "keys values", "nlargest nsmallest",
    "append extend", "vstack hstack", "lstrip rstrip", "first last",
)  # fmt: skip
_OTHER_NAME = {
    **{one: other for pair in _PAIRS for one, other in (pair.split(), pair.split()[::-1])},
    "median": "mean", "exp": "exp2", "log": "log10", "softmax": "log_softmax", "prod": "sum", "rsqrt": "sqrt",
}  # fmt: skip
# What a call by these names adds to the value that it is called with, and a student may forget.
_ADDED = set(
    "copy clone detach abs sqrt square log round sorted reversed set strip lower upper sort_values sort_index dropna "
    "drop_duplicates reset_index fillna unique squeeze unsqueeze flatten ravel transpose contiguous clamp clip int "
    "deepcopy cumsum normalize masked_fill permute".split()
)
_COMMUTING = set(
    "max min maximum minimum gcd lcm add multiply hypot logical_and logical_or logical_xor equal not_equal isclose "
    "allclose array_equal union intersection symmetric_difference union1d intersect1d transpose swapaxes zip "
    "set_index print vdot inner assert_allclose cov corrcoef mul eq ne".split()
)
SAID = set(  # calls whose arguments nobody's tests read
    "print display plot scatter bar hist show legend title xlabel ylabel set_title set_xlabel set_ylabel grid figure "
    "subplots suptitle tight_layout savefig warn text annotate imshow colorbar axhline axvline fill_between errorbar "
    "xlim ylim set_xlim set_ylim xticks yticks debug info".split()
)
_TOLERANCES = ("tol", "atol", "rtol", "eps", "epsilon", "xtol", "ftol", "tolerance", "places", "dtype", "device")
_DEFAULTS = ("inplace=False", "reverse=False", "keepdims=False", "keepdim=False", "ascending=True")
_LEAST = 1e-3  # a number up to this is a tolerance


def comparisons(source: Source, node: ast.AST) -> Iterator[Edit]:
    """`<` for `<=`, `==` for `!=`, and so on; in `a < b < c`, one of them."""
    if not isinstance(node, ast.Compare) or _is_larger_of_two(source, node):
        return
    terms = [source.operand(one) for one in (node.left, *node.comparators)]
    signs = [_COMPARISONS[type(one)] for one in node.ops]
    for at, (sign, new) in enumerate(signs):
        text = terms[0]
        for number, term in enumerate(terms[1:]):
            text += f" {new if number == at else signs[number][0]} {term}"
        if terms[0] != "__name__":
            yield Edit(node, text, f"`{short(f'{terms[at]} {sign} {terms[at + 1]}')}` compares with `{new}`")


def _is_larger_of_two(source: Source, node: ast.Compare) -> bool:
    """Whether `>=` means the same: `a if a > b else b`, `if a > b: b = a`, `b[b > a] = a`."""
    parent = source.parents[node]
    pair: tuple[ast.expr | None, ast.expr | None] = (None, None)
    if isinstance(parent, ast.IfExp):
        pair = parent.body, parent.orelse
    elif isinstance(parent, ast.If) and not parent.orelse and len(parent.body) == 1:
        pair = _assigned(parent.body[0])
    elif isinstance(parent, ast.Subscript) and (assigned := _assigned(source.statement(node)))[0] is parent:
        pair = parent.value, assigned[1]
    sides = {source.of(one) for one in pair if one}
    return len(node.ops) == 1 and sides == {source.of(node.left), source.of(node.comparators[0])}


def _assigned(node: ast.stmt) -> tuple[ast.expr | None, ast.expr | None]:
    """The only target of an assignment, and the value that it gets."""
    is_plain = isinstance(node, ast.Assign) and len(node.targets) == 1
    return (node.targets[0], node.value) if is_plain else (None, None)  # type: ignore[attr-defined]


def arithmetic(source: Source, node: ast.AST) -> Iterator[Edit]:
    """Another sign; a term, a factor or a divisor that is forgotten; a matrix product the other way round."""
    if not isinstance(node, (ast.BinOp, ast.AugAssign)) or not (sign := _SIGNS.get(type(node.op))):
        return
    if isinstance(node, ast.BinOp) and not _is_text(node):
        left, right = source.operand(node.left), source.operand(node.right)
        if sign == "@":
            words = f"the factors of {source.code(node)} are exchanged"
            yield Edit(node, source.whole(node, f"{right} @ {left}"), words)
        elif sign not in "*/" or _number(node.right) != 1:
            new = _OTHER_SIGN[sign]
            words = f"`{sign}` becomes `{new}` in {source.code(node)}"
            yield Edit(node, source.whole(node, f"{left} {new} {right}"), words)
        if sign not in "&|":
            yield Edit(node, left, f"`{sign} {short(source.of(node.right), 30)}` is left out")
        if sign in "+*@":
            yield Edit(node, right, f"`{short(source.of(node.left), 30)} {sign}` is left out")
    if isinstance(node, ast.AugAssign) and sign in _OTHER_SIGN:
        target, value, new = source.of(node.target), source.of(node.value), _OTHER_SIGN[sign]
        yield Edit(node, f"{target} {new}= {value}", f"{source.code(node)} becomes `{new}=`")
        yield Edit(node, f"{target} = {value}", f"`{target}` is overwritten, not added to")


def _is_text(node: ast.BinOp) -> bool:
    """Whether this puts a text together, or fills one in."""
    parts = [node.left, node.right]
    return any(isinstance(one, ast.JoinedStr) or isinstance(getattr(one, "value", None), str) for one in parts)


def _number(node: ast.AST | None) -> float | None:
    """The number that an expression is, its sign included; None for anything else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand)
        return None if inner is None else -inner
    is_number = isinstance(node, ast.Constant) and type(node.value) in (int, float)
    return node.value if is_number else None  # type: ignore[union-attr]


def numbers(source: Source, node: ast.AST) -> Iterator[Edit]:
    """A number that is one too large or too small; another truth value."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, (bool, int, float)):
        return
    parent = source.parents[node]
    if isinstance(parent, ast.keyword) and parent.arg in (*_TOLERANCES, *_AXES):
        return  # `axes` and nobody else
    if isinstance(node.value, bool):
        yield Edit(node, str(not node.value), f"`{node.value}` becomes `{not node.value}`")
        return
    if isinstance(parent, ast.UnaryOp) and isinstance(node.value, int):
        if isinstance(parent.op, ast.USub):
            yield Edit(parent, f"-{node.value + 1}", f"`-{node.value}` becomes `-{node.value + 1}`")
        return
    if isinstance(node.value, int):
        for new in (node.value + 1, node.value - 1):
            if new >= 0:
                yield Edit(node, str(new), f"`{node.value}` becomes `{new}`")
    elif abs(node.value) > _LEAST or node.value == 0:
        new_number = node.value + 1 if node.value in (0.0, 1.0) else node.value * 2
        yield Edit(node, repr(new_number), f"`{source.of(node)}` becomes `{new_number!r}`")


def signs(source: Source, node: ast.AST) -> Iterator[Edit]:
    """A minus or a `not` is forgotten."""
    if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.UAdd):
        sign = {ast.USub: "-", ast.Not: "not", ast.Invert: "~"}[type(node.op)]
        if sign == "-" and _is_axis(source, node):
            return
        yield Edit(node, source.of(node.operand), f"`{sign}` is left out before {source.code(node.operand)}")


def conditions(source: Source, node: ast.AST) -> Iterator[Edit]:
    """`and` for `or`, one of their sides forgotten, a negated condition, a filter left out."""
    if isinstance(node, ast.BoolOp):
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        sides = [source.operand(one) for one in node.values]
        yield Edit(node, source.whole(node, f" {new} ".join(sides)), f"`{old}` becomes `{new}` in {source.code(node)}")
        for number, one in enumerate(node.values):
            rest = f" {old} ".join(side for at, side in enumerate(sides) if at != number)
            yield Edit(node, source.whole(node, rest), f"the condition {source.code(one)} is left out")
    if isinstance(node, (ast.If, ast.IfExp)) and not isinstance(node.test, (ast.Compare, ast.UnaryOp, ast.BoolOp)):
        yield Edit(node.test, f"not ({source.of(node.test)})", f"`if {short(source.of(node.test))}` is negated")
    if isinstance(node, ast.comprehension):
        for one in node.ifs:
            yield Edit(one, "True", f"the filter `if {short(source.of(one))}` is left out")


def statements(source: Source, node: ast.AST) -> Iterator[Edit]:
    """A step is left out, or nothing is returned."""
    if isinstance(node, ast.Return) and node.value is not None and _number(node.value) is None:
        if not (isinstance(node.value, ast.Constant) and node.value.value is None):
            yield Edit(node, "return None", "nothing is returned")
    is_step = isinstance(node, ast.AugAssign) or (isinstance(node, ast.Assign) and _changes_what_is_there(source, node))
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        is_step = name_of(node.value) not in SAID
    if is_step or isinstance(node, (ast.Raise, ast.Delete, ast.Assert)):
        yield Edit(node, "pass", f"the line {source.code(node)} is left out")
    if isinstance(node, ast.If) and not node.orelse:
        yield Edit(node, "pass", f"`if {short(source.of(node.test))}` is left out, with what is in it")


def _changes_what_is_there(source: Source, node: ast.Assign) -> bool:
    """Whether an assignment is to a part of something, or to a name that had a value before."""
    if not all(isinstance(one, ast.Name) for one in node.targets):
        return not any(isinstance(one, ast.Tuple) for one in node.targets)
    names = {one.id for one in node.targets if isinstance(one, ast.Name)}
    return any(
        isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store) and one.id in names and one.lineno < node.lineno
        for one in ast.walk(source.tree)
    )


def loops(source: Source, node: ast.AST) -> Iterator[Edit]:
    """`break` for `continue`; a loop that ends after its first iteration."""
    if isinstance(node, ast.Break):
        yield Edit(node, "pass", "`break` is left out")
    if isinstance(node, ast.Continue):
        yield Edit(node, "break", "`continue` becomes `break`")
    if isinstance(node, (ast.For, ast.While)):
        last = node.body[-1]
        if not isinstance(last, (ast.Return, ast.Break, ast.Continue, ast.Raise)):
            room = " " * last.col_offset
            yield Edit(last, f"{source.of(last)}\n{room}break", f"{_loop(source, node)} ends after its first iteration")


def _loop(source: Source, node: ast.For | ast.While) -> str:
    if isinstance(node, ast.While):
        return f"the loop `while {short(source.of(node.test), 30)}`"
    return f"the loop over {source.code(node.iter, 30)}"


def ranges(source: Source, node: ast.AST) -> Iterator[Edit]:
    """A range that ends one too early or too late, or begins one too late."""
    if not (isinstance(node, ast.Call) and name_of(node) in ("range", "arange") and 1 <= len(node.args) <= 2):
        return
    *first, last = (source.of(one) for one in node.args)
    if _number(node.args[-1]) is None:  # `numbers` changes that
        end = source.operand(node.args[-1])
        yield Edit(node, source.call(node, *first, f"{end} - 1"), f"{source.code(node)} ends one too early")
        yield Edit(node, source.call(node, *first, f"{end} + 1"), f"{source.code(node)} ends one too late")
        if not first:
            yield Edit(node, source.call(node, "1", last), f"{source.code(node)} begins at 1")


def slices(source: Source, node: ast.AST) -> Iterator[Edit]:
    """A bound of a slice is forgotten, or one off; an index is one off."""
    if not isinstance(node, ast.Subscript):
        return
    if isinstance(node.slice, (ast.Name, ast.BinOp)) and isinstance(node.ctx, ast.Load) and _counts(source, node.slice):
        at = source.operand(node.slice)
        yield Edit(node.slice, f"{at} - 1", f"the element before {source.code(node)} is taken")
    parts: list[ast.expr] = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    for part in parts:
        if isinstance(part, ast.Slice):
            yield from _bounds(source, node, part)


def _counts(source: Source, index: ast.AST) -> bool:
    """Whether an index is a loop's number: `i` in `for i in range(n)` or in `for i, x in enumerate(xs)`."""
    used = {one.id for one in ast.walk(index) if isinstance(one, ast.Name)}
    for one in ast.walk(source.tree):
        if isinstance(one, (ast.For, ast.comprehension)) and isinstance(one.iter, ast.Call):
            if name_of(one.iter) in ("range", "enumerate"):
                target = one.target.elts[0] if isinstance(one.target, ast.Tuple) else one.target
                if isinstance(target, ast.Name) and target.id in used:
                    return True
    return False


def _bounds(source: Source, node: ast.Subscript, part: ast.Slice) -> Iterator[Edit]:
    texts = [source.of(one) if one else "" for one in (part.lower, part.upper, part.step)]
    what = short(source.of(node))

    def with_bound(at: int, text: str) -> str:
        made = [text if number == at else one for number, one in enumerate(texts)]
        return ":".join(made if made[2] else made[:2])

    bounds = {"start": part.lower, "end": part.upper, "step": part.step}
    for at, (name, bound) in enumerate(bounds.items()):
        if bound is not None and _number(bound) != 0:
            yield Edit(part, with_bound(at, ""), f"the slice `{what}` has no {name}")
    if part.step is None and part.upper is not None and _number(part.upper) is None:
        upper = source.operand(part.upper)
        yield Edit(part, with_bound(1, f"{upper} - 1"), f"the last element of `{what}` is left out")
    if part.step is None and part.lower is not None and _number(part.lower) is None:
        lower = source.operand(part.lower)
        yield Edit(part, with_bound(0, f"{lower} + 1"), f"the first element of `{what}` is left out")


def arguments(source: Source, node: ast.AST) -> Iterator[Edit]:
    """The first two arguments are exchanged; one that has a name is forgotten."""
    if not isinstance(node, ast.Call) or (name := name_of(node)) in SAID:
        return
    words, named = [source.of(one) for one in node.args], [source.of(one) for one in node.keywords]
    is_pair = len(words) == 2 and words[0] != words[1] and not any(isinstance(one, ast.Starred) for one in node.args)
    if is_pair and name not in {*_COMMUTING, "isinstance", "range"}:
        text = source.call(node, words[1], words[0], *named)
        yield Edit(node, text, f"the arguments of {source.code(node)} are exchanged")
    for at, one in enumerate(node.keywords):
        is_default = source.of(one.value) == "None" or source.of(one).replace(" ", "") in _DEFAULTS
        is_look = one.arg in (*_TOLERANCES, "label", "color", "end", "sep", "file")
        is_join = one.arg == "how" and name in ("merge", "join")  # `tables` has it
        if one.arg and not (is_default or is_look or is_join):
            text = source.call(node, *words, *named[:at], *named[at + 1 :])
            yield Edit(node, text, f"{source.code(one)} is left out of `{short(source.of(node.func), 30)}(…)`")


_ALONG_AN_AXIS = set(
    "sum mean softmax log_softmax logsumexp max min argmax argmin cumsum std var prod any all norm size squeeze "
    "unsqueeze sort argsort topk flip roll select narrow chunk split unflatten amax amin".split()
)
_AXES = ("axis", "dim", "axes", "dims", "keepdim", "keepdims")


def _is_axis(source: Source, node: ast.AST) -> bool:
    """Whether a number says along which axis: its sign is only a way to count."""
    parent = source.parents[node]
    if isinstance(parent, ast.Call):
        return name_of(parent) in _ALONG_AN_AXIS
    return isinstance(parent, ast.keyword) and parent.arg in _AXES


def axes(source: Source, node: ast.AST) -> Iterator[Edit]:
    """Another axis; never the same one counted from the other end."""
    if isinstance(node, ast.keyword) and node.arg in ("axis", "dim"):
        number = _number(node.value)
        new = {0: "1", 1: "0", 2: "1", -1: "-2", -2: "-1"}.get(int(number)) if number is not None else None
        if new is not None:
            yield Edit(node.value, new, f"`{source.of(node)}` becomes `{node.arg}={new}`")


def transposed(source: Source, node: ast.AST) -> Iterator[Edit]:
    """A matrix that is not transposed."""
    if isinstance(node, ast.Attribute) and node.attr in ("T", "mT", "H") and isinstance(node.ctx, ast.Load):
        yield Edit(node, source.of(node.value), f"{source.code(node)} is not transposed")


def names(source: Source, node: ast.AST) -> Iterator[Edit]:
    """A function with a similar name: the sum for the mean, the largest for the smallest."""
    if isinstance(node, ast.Call) and (new := _OTHER_NAME.get(name := name_of(node))):
        func, called = node.func, source.of(node.func)
        if isinstance(func, ast.Name) and new not in ("sum", "all", "any", "max", "min"):
            return  # not a function that is there
        yield Edit(func, called[: len(called) - len(name)] + new, f"`{name}` becomes `{new}`")


def additions(source: Source, node: ast.AST) -> Iterator[Edit]:
    """A step around a value is forgotten: a copy, a square root, rounding, sorting."""
    if not isinstance(node, ast.Call) or name_of(node) not in _ADDED:
        return
    if isinstance(node.func, ast.Attribute) and not _is_module(node.func.value):
        yield Edit(node, source.of(node.func.value), f"`.{node.func.attr}(…)` is left out")
    elif node.args:
        yield Edit(node, source.whole(node, source.of(node.args[0])), f"`{source.of(node.func)}(…)` is left out")


def copies(source: Source, node: ast.AST) -> Iterator[Edit]:
    """A list that was to be copied, `x[:]` or `list(x)`, and is the same one."""
    if not isinstance(node, ast.Assign):
        return
    value = node.value
    if isinstance(value, ast.Subscript) and ast.unparse(value.slice) == ":":
        yield Edit(value, source.of(value.value), f"{source.code(value)} is no copy")
    if isinstance(value, ast.Call) and name_of(value) in ("list", "dict") and len(value.args) == 1:
        if isinstance(value.args[0], ast.Name):
            yield Edit(value, source.of(value.args[0]), f"`{source.of(value)}` is no copy")


def _is_module(node: ast.AST) -> bool:
    known = ("np", "numpy", "math", "torch", "F", "pd", "copy", "random", "scipy", "linalg", "jnp", "tf", "nn")
    return isinstance(node, ast.Name) and node.id in known


def tables(source: Source, node: ast.AST) -> Iterator[Edit]:
    """A join that keeps other rows, a group by fewer keys, an order the other way round, n for n - 1."""
    if not isinstance(node, ast.Call):
        return
    name, named = name_of(node), {one.arg: one.value for one in node.keywords}
    called, inside = source.of(node.func), [source.of(one) for one in (*node.args, *node.keywords)]
    how = named.get("how")
    if name in ("merge", "join") and isinstance(how, ast.Constant):
        new = {"left": "inner", "right": "left", "outer": "inner", "inner": "left"}.get(str(how.value))
        if new:
            yield Edit(how, f'"{new}"', f'the join keeps other rows: `how="{new}"`')
    keys = node.args[0] if node.args else named.get("by")
    if name == "groupby" and isinstance(keys, ast.List) and len(keys.elts) > 1:
        for number, key in enumerate(keys.elts):
            rest = ", ".join(source.of(one) for at, one in enumerate(keys.elts) if at != number)
            yield Edit(keys, f"[{rest}]", f"grouped without the key `{source.of(key)}`")
    more = ""
    if name in ("sorted", "sort") and "reverse" not in named and not _is_module(getattr(node.func, "value", node)):
        more, words = "reverse=True", "sorted in the opposite order"
    elif name in ("sort_values", "sort_index", "rank") and "ascending" not in named:
        more, words = "ascending=False", "sorted in the opposite order"
    elif name in ("std", "var") and "ddof" not in named and called.startswith(("np.", "numpy.")):
        more, words = "ddof=1", f"`{name}` divides by n - 1"
    if more:
        yield Edit(node, source.call(node, *inside, more), words)


def order(source: Source, node: ast.AST) -> Iterator[Edit]:
    """Two results swapped."""
    if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple) and len(node.value.elts) == 2:
        one, other = (source.of(part) for part in node.value.elts)
        if one != other:
            yield Edit(node, f"return {other}, {one}", "the two results are returned swapped")


def texts(source: Source, node: ast.AST) -> Iterator[Edit]:
    """A text that is the answer becomes another."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
        parent = source.parents[node]
        is_answer = isinstance(parent, ast.Return) or (isinstance(parent, ast.Assign) and parent.value is node)
        if is_answer:
            yield Edit(node, repr(f"{node.value}?"), f"the text {source.code(node, 20)} is changed")


ALL: tuple[Operator, ...] = (
    comparisons, arithmetic, numbers, signs, conditions, statements, loops, ranges, slices, arguments, axes,
    transposed, names, additions, copies, tables, order, texts,
)  # fmt: skip
