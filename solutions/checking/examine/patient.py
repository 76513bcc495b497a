"""The patient: calls a layer with inputs of our own, follows what it computes, and gives it back as it was."""

from __future__ import annotations

import collections
import contextlib
import functools
import hashlib
import inspect
import itertools
import linecache
import math
import random
import re
import sys
from typing import Any

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

BATCH, SEQ = 2, 5
MASKS = re.compile(r"mask|pad|visible|allowed|attn_bias|attention_bias", re.I)
CONTEXT = re.compile(r"memory|context|(^|_)enc(_|$)|encoder|cross|kv_input|^kv$|^y$", re.I)
POSITIONS = re.compile(r"^(?!\w*bias)\w*(freqs|rotary|position|rope)|(^|_)(pos|cos|sin)(_(?!bias)|$)", re.I)
HEADS = re.compile(r"_?(n_?heads?|num_?heads?|nb_heads|nhead|h|heads|head_num|num_attention_heads|num_attn_heads)$")
PRODUCTS = {"mm": (0, 1), "bmm": (0, 1), "addmm": (1, 2), "baddbmm": (1, 2)}  # which arguments are multiplied
SHAPE_ONLY = re.compile(r"_like$|^new_|^sym_|^is_")
WIDTHS = "d_model embed_dim n_embd hidden_size d_in emb_size embed_size dim emb_dim".split()
CONTAINERS = dict, list, set, collections.deque
LARGE = 2**18  # numbers of a parameter from which on its products are remembered
LAYOUT = re.compile(r"view|reshape|transpose|permute|split|chunk|^t$|unflatten|movedim|swapaxes")


class Unclear(Exception):
    """An examination cannot answer; the message says why, and what would settle it."""


def worst(t):
    """The largest absolute number in t; NaN counts as infinite."""
    if not t.numel():
        return 0.0
    low, high = (t.detach().abs() if t.is_complex() else t.detach()).aminmax()
    most = max(-low.item(), high.item()) + 0.0  # and never −0
    return most if math.isfinite(most) else math.inf


def set_seed(seed):
    """Seed the random numbers of the CPU, and of CUDA where it is in use."""
    torch.default_generator.manual_seed(seed)
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        torch.cuda.manual_seed_all(seed)


def first_tensor(out):
    """What a layer returned, or the first tensor in it."""
    while not torch.is_tensor(out):
        if isinstance(out, dict):
            out = list(out.values())
        if not isinstance(out, (tuple, list)) or not out:
            raise TypeError(f"it returned {type(out).__name__}, not a tensor")
        out = out[0]
    return out


# ------------------------------------------------------------------------------ what it was


def title_of(layer):
    """What a layer is called: its class, or a function's name."""
    kind = type(layer).__name__
    return kind if isinstance(layer, nn.Module) else getattr(layer, "__name__", kind)


def parts_of(layer):
    """The modules that a layer consists of; for a function, those in its closure and among its arguments."""
    roots, seen, waiting = [], set(), [layer]
    while waiting:
        it = waiting.pop()
        if id(it) in seen:
            continue
        seen.add(id(it))
        if isinstance(it, nn.Module):
            roots.append(it)
        elif isinstance(it, functools.partial):
            waiting += [it.func, *it.args, *it.keywords.values()]
        elif inspect.ismethod(it):
            waiting += [it.__self__, it.__func__]
        elif inspect.isfunction(it):
            waiting += [cell.cell_contents for cell in it.__closure__ or ()]
            waiting += [it.__globals__[n] for n in it.__code__.co_names if n in it.__globals__]
            waiting += [*(it.__defaults__ or ()), *(it.__kwdefaults__ or {}).values()]
        elif isinstance(it, (list, tuple)) and len(it) < 100:
            waiting += it
    return list(dict.fromkeys(m for root in roots for m in root.modules()))


def _is_container(value):
    return isinstance(value, CONTAINERS) and type(value).__module__ in ("builtins", "collections")


def _copied(value, depth=4):
    """A copy of the containers in value; what they hold is the same."""
    if not depth or not _is_container(value):
        return value
    copy = value.copy()
    if isinstance(value, dict):
        copy.update({key: _copied(it, depth - 1) for key, it in value.items()})
    elif isinstance(value, list):
        copy[:] = [_copied(it, depth - 1) for it in value]
    return copy


def _put_back(value, copy, depth=4):
    """Give the containers in value what copy holds; they stay the same objects."""
    if not depth or not _is_container(value) or type(value) is not type(copy):
        return copy
    if isinstance(value, dict):
        back = {key: _put_back(value[key], it, depth - 1) if key in value else it for key, it in copy.items()}
        value.clear()
        value.update(back)
    elif isinstance(value, list):
        value[:] = [_put_back(value[i], it, depth - 1) if i < len(value) else it for i, it in enumerate(copy)]
    else:
        value.clear()
        value.update(copy) if isinstance(value, set) else value.extend(copy)
    return value


def _tensors(value, depth=4):
    if torch.is_tensor(value):
        yield value
    elif depth and isinstance(value, (dict, list, tuple)):
        for it in value.values() if isinstance(value, dict) else value:
            yield from _tensors(it, depth - 1)


class Kept:
    """All that may change in the modules while they are called, and in the random state; `restore` puts it back."""

    def __init__(self, modules):
        self.random = torch.get_rng_state(), random.getstate()
        self.numpy = getattr(sys.modules.get("numpy"), "random", None)
        self.numpy_state = self.numpy.get_state() if self.numpy else None
        self.cuda = (
            torch.cuda.get_rng_state_all() if torch.cuda.is_available() and torch.cuda.is_initialized() else None
        )
        self.modules = [(m, m.training, {k: (v, _copied(v)) for k, v in vars(m).items()}) for m in modules]
        found = [t for m in modules for t in _own_tensors(m)]
        self.tensors = [(t, t.data, t.grad, t.requires_grad) for t in dict.fromkeys(found)]

    def restore(self):
        for tensor, data, grad, asks in self.tensors:
            tensor.data, tensor.grad = data, grad
            if tensor.requires_grad != asks and tensor.is_leaf:
                tensor.requires_grad_(asks)
        for module, mode, held in self.modules:
            now = vars(module)
            for name in [n for n in now if n not in held]:
                del now[name]
            for name, (value, copy) in held.items():
                now[name] = _put_back(value, copy)
            if module.training != mode:
                module.training = mode
        torch.set_rng_state(self.random[0])
        random.setstate(self.random[1])
        if self.numpy:
            self.numpy.set_state(self.numpy_state)
        if self.cuda is not None:
            torch.cuda.set_rng_state_all(self.cuda)


def _own_tensors(module):
    yield from (t for t in module.parameters(recurse=False) if t is not None)
    yield from (t for t in module.buffers(recurse=False) if t is not None)
    for name, value in vars(module).items():
        if name not in ("_parameters", "_buffers", "_modules"):
            yield from _tensors(value)


# ------------------------------------------------------------------------------ what it computes


class Op:
    """One operation of a forward pass; of a product also what it multiplies."""

    shape: torch.Size
    roots: tuple[set, set]  # what each side was last made by
    pending: tuple[set, set]  # for each side, the product of two data that it was made of since
    names: set[str]  # the parameters in it
    layouts: tuple  # for each side, the last operation that changed its layout
    wide = False  # a convolution over several words, which no projection is

    def __init__(self, index, kind, line):
        self.index, self.kind, self.line = index, kind, line
        self.sides: tuple | None = None


class Mode(TorchDispatchMode):
    @classmethod
    def _should_skip_dynamo(cls):  # nothing is compiled here, and importing the compiler takes seconds
        return False


@functools.cache
def kind_of(func):
    return func.overloadpacket._qualified_op_name.rpartition("::")[2]


class Follow(Mode):
    """Follows a forward pass: which operations multiply what with what, and where each operand comes from.

    For every storage: `roots`, what it was last made by (an input, a product with parameters, an average of values);
    `pending`, the product of two data that it was made of since; `names`, the parameters in it.
    """

    def __init__(self, inputs, parameters):
        super().__init__()
        self.ops, self.alive, self.tags, self.layout, self.here = [], [], {}, {}, set()
        for name, t in inputs.items():
            self.tags[_key(t)] = ({("input", name)}, set(), set(), set())
        for name, t in parameters.items():
            self.tags.setdefault(_key(t), (set(), set(), set(), set()))[2].add(name)

    def is_given(self, args, at, side):
        """Was one side of a product there before this forward pass? A constant made in it is no layer."""
        return _key(args[(at or (0, 1))[side]]) not in self.here

    def tag(self, t):
        return self.tags.get(_key(t), (set(), set(), set(), set()))

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        kind = kind_of(func)
        if kind == "detach":  # PyTorch's own, where somebody holds a new tensor: the storage is the same
            return out
        op = Op(len(self.ops), kind, line_of())
        self.ops.append(op)
        given = list(_tensors([*args, *kwargs.values()]))
        made = list(_tensors(out)) + ([args[0]] if op.kind.endswith("_") and args and torch.is_tensor(args[0]) else [])
        self.alive += made
        if SHAPE_ONLY.search(op.kind):
            return out
        roots, pending, names, mixes = (set().union(*(self.tag(t)[i] for t in given)) for i in range(4))
        at = PRODUCTS.get(op.kind)
        if at or op.kind == "convolution":
            a, b = (tuple(map(set, self.tag(args[i]))) for i in at or (0, 1))
            op.shape, op.sides = out.shape, (a, b)
            op.wide = op.kind == "convolution" and args[1].shape[2:].numel() > 1
            op.roots, op.names = (a[0], b[0]), b[2] if a[0] else a[2]
            op.pending, op.layouts = (a[1], b[1]), tuple(self.layout.get(_key(args[i])) for i in at or (0, 1))
            if a[0] and b[0]:
                pending = set()
                if not (a[1] or b[1]):
                    pending = {op.index}
                else:
                    mixes = mixes | {op.index}
                roots = {("product", op.index)}
            elif (b[2] or self.is_given(args, at, 1)) if a[0] else b[0] and (a[2] or self.is_given(args, at, 0)):
                roots, names, pending = {("linear", op.index)}, set(), set()
        self.here.update(map(_key, made))
        for t in made:
            held = self.tags.setdefault(_key(t), (set(), set(), set(), set()))
            for i, more in enumerate((roots, pending, names, mixes)):
                held[i].update(more)
            self.layout[_key(t)] = (
                op.index if LAYOUT.search(op.kind) else self.layout.get(_key(given[0])) if given else None
            )
        return out


def _key(t):
    try:
        return t.untyped_storage()._cdata
    except (RuntimeError, NotImplementedError):
        return id(t)


def line_of():
    """(file, line) of the innermost line outside PyTorch that runs now."""
    frame = sys._getframe(2)
    while frame is not None:
        name = frame.f_code.co_filename
        if (
            "/torch/" not in name
            and "\\torch\\" not in name
            and not re.match(r"(checking\.)?examine(\.|$)", frame.f_globals.get("__name__", ""))
            and not name.startswith("<frozen")
        ):
            return name, frame.f_lineno
        frame = frame.f_back
    return None


def spoken_line(where):
    """`the code (file, line n)` of a line, or nothing where its text is not known."""
    text = linecache.getline(*where).strip() if where else ""
    if not text:
        return ""
    file, line = where[0].rpartition("/")[2], where[1]
    in_cell = re.match(r"\d+\.py$|<?ipython-input-", file)  # as Jupyter and Colab call the text of a cell
    return f"`{text}` (line {line} of its cell)" if in_cell else f"`{text}` ({file}, line {line})"


class Enough(BaseException):
    """All that was to be read has been read."""


class Change(Mode):
    """Runs a forward pass with some results exchanged; reads the operands of some products.

    change: index of an operation -> function of (its arguments, its keywords, its result) -> another result.
    read: indices; `seen` has the two operands and the result of each, and the pass ends behind the last.
    """

    def __init__(self, change=(), read=()):
        super().__init__()
        self.change, self.read, self.seen, self.at = dict(change), set(read), {}, -1
        self.out: Any = None  # the layer's result
        self.done = False

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out, kind = func(*args, **(kwargs or {})), kind_of(func)
        if kind == "detach":
            return out
        self.at = at = self.at + 1
        if at in self.change:
            new = self.change[at](args, kwargs or {}, out)
            out = new.to(out.dtype).reshape(out.shape).clone()  # the layer may change it in place
        if at in self.read:
            a, b = PRODUCTS.get(kind, (0, 1))
            self.seen[at] = (args[a], args[b], out)
            if at == max(self.read):
                self.done = True
                raise Enough
            self.seen[at] = tuple(t.clone() for t in self.seen[at])  # the layer may change them in place
        return out

    def __exit__(self, kind, error, trace):
        super().__exit__(kind, error, trace)
        return self.done and kind in (Enough, RuntimeError)  # a scripted layer makes the second of the first


class Memory(Mode):
    """Multiplies each row by a large parameter once: a layer's time goes into that, and most calls repeat rows.

    Between two questions one word of ten is another, or what is exchanged stands behind the product.
    """

    def __init__(self):
        super().__init__()
        self.known, self.rows = {}, {}  # storages of parameters; for each matrix, the product of each row

    def learn(self, parameter):
        """Remember the products with a parameter, which the patient keeps, so that no other takes its address."""
        if parameter.numel() >= LARGE and parameter.device.type == "cpu":
            self.known[_key(parameter)] = parameter

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        at = PRODUCTS.get(kind_of(func))
        if at is None or kwargs or len(args) > at[1] + 1 or _key(args[at[1]]) not in self.known:
            return func(*args, **(kwargs or {}))
        a, b = (args[i] for i in at)
        made = self.product(a, b) if a.ndim == 2 else torch.stack([*map(self.product, a, b)])
        return made if at[0] == 0 else args[0] + made

    def product(self, a, b):
        ends = (b[0, 0].item(), b[-1, -1].item()) if b.numel() else ()  # also a layer may write to .data
        rows = self.rows.setdefault((b.data_ptr(), b._version, b.shape, b.stride(), ends), {})
        keys = [hashlib.blake2b(row, digest_size=16).digest() for row in a.contiguous().view(torch.uint8).numpy()]
        new = {key: i for i, key in enumerate(keys) if key not in rows}
        if new:
            rows.update(zip(new, a[list(new.values())] @ b))
        return torch.stack([rows[key] for key in keys]) if keys else a @ b


# ------------------------------------------------------------------------------ the patient


ROWS = [  # what a mask that is required may be like, for so many words
    lambda s: None,
    lambda s: torch.ones(s, s, dtype=torch.bool),
    lambda s: torch.zeros(s, s, dtype=torch.bool),
    lambda s: torch.zeros(s, s),
    lambda s: torch.ones(1, s, dtype=torch.bool),
    lambda s: torch.zeros(1, s, dtype=torch.bool),
]


class Patient:
    """A layer in evaluation mode, in float64, with random weights of a fair size.

    The layer itself is used, not a copy: a lambda kept in it would go on calling the parts of the original.
    """

    def __init__(self, layer, x=None, n_heads=None, causal=None, mask_true=None, context=None, call=None,
                 batch_first=None, d_model=None):  # fmt: skip
        self.layer, self.own_call, self.mask_true = layer, call, mask_true
        self.modules = parts_of(layer)
        self.kept = Kept(self.modules)
        self.name = title_of(layer)
        self.facts = {"x": x, "context": context}
        self.own_names = dict(layer.named_parameters()) if isinstance(layer, nn.Module) else {}
        self.own_names = self.own_names or {
            f"{i}.{n}": p for i, m in enumerate(self.modules) for n, p in m.named_parameters(recurse=False)
        }
        if any(isinstance(p, nn.UninitializedParameter) for p in self.own_names.values()):
            raise ValueError("its parameters have no sizes yet: call it once, then examine it")
        self.device = next(
            (p.device for p in self.own_names.values()), x.device if x is not None else torch.device("cpu")
        )
        claimed = next(
            (v for m in self.modules for k, v in vars(m).items() if HEADS.match(k) and type(v) is int and v > 0), None
        )
        self.n_heads, self.heads_said = n_heads or claimed, n_heads is not None
        inner = self.modules if type(layer).__module__ == "torch.nn.modules.transformer" else self.modules[:1]
        says = next((vars(m)["batch_first"] for m in inner if "batch_first" in vars(m)), True)
        self.seq_first = (says if batch_first is None else batch_first) is False
        self.causal, self.why = (causal, "you said that it is causal") if causal is not None else self.claims_causal()
        self.mask_names, self.chance, self.has_heads_axis, self.reads_table = [], 0.0, False, None
        self.d_model, self.d_context = 0, 0
        self.alone = False  # whether no sentence depends on the others, once `batch` has measured that
        self.strong: dict[tuple, torch.Tensor] = {}  # (parameter, dtype) -> its random weights
        self.memory = Memory()
        self.kind: Any = None  # the dtype
        self.fair_for = 0  # the width for which the weights have a fair size
        self.widths = self.guess_widths(d_model)
        self.limits = contextlib.ExitStack()

    @property
    def read_by(self):
        """Which word each output reads, (seq, seq), once `reads` has measured it. Raises Unclear before that."""
        if self.reads_table is None:
            raise Unclear("it takes which words the outputs read, and that could not be measured")
        return self.reads_table

    # -- how it is called

    def claims_causal(self):
        """Does a name, or a triangular buffer, promise that later words are hidden?"""
        if re.search(r"causal|masked_?(self|multi)", self.name, re.I):
            return True, f"its name is {self.name}"
        for m in self.modules:
            for name, b in m.named_buffers(recurse=False):
                b = b.squeeze()
                if b.ndim == 2 and b.shape[0] == b.shape[1] > 2 and b.any() and not b.is_complex():
                    on = b != 0
                    low, high = torch.equal(on, on.tril()), torch.equal(on, on.triu())
                    if low != high:
                        return True, f"the buffer {name} is triangular"
        return None, ""

    def guess_widths(self, said):
        """Widths that x may have, the likeliest first."""
        x = self.facts["x"]
        if said or x is not None:
            return [said or x.shape[-1]]
        widths = []
        for m in self.modules[:1]:
            widths += [v for k in WIDTHS if type(v := getattr(m, k, None)) is int and v > 0]
        for m in self.modules:
            if isinstance(m, (nn.LayerNorm, nn.RMSNorm)):
                widths.append(m.normalized_shape[-1])
            elif isinstance(m, nn.Linear):
                widths.append(m.in_features)
            elif isinstance(m, nn.modules.conv._ConvNd):
                widths.append(m.in_channels)
        for n, p in self.own_names.items():
            widths += (
                [p.shape[1], p.shape[0]]
                if p.ndim == 2 and "in_proj" in n
                else [p.shape[0], p.shape[-1], p.shape[1]]
                if p.ndim >= 2
                else []
            )
        return list(dict.fromkeys(widths))[:12] or [16, 24, 64, 512]

    def plan_call(self):
        """Find out how it is called: which arguments are words, which are masks; in float64, or else in float32."""
        target = self.own_call or (self.layer.forward if isinstance(self.layer, nn.Module) else self.layer)
        try:
            named = list(inspect.signature(target).parameters.values())
        except (TypeError, ValueError):
            named = []
        if not named and not isinstance(self.layer, nn.Module):  # a function written in C
            named = [inspect.Parameter(n, inspect.Parameter.POSITIONAL_ONLY) for n in ("query", "key", "value")]
        named = named[1:] if self.own_call else named
        usual = [p for p in named if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
        must = [p for p in usual if p.default is p.empty] or usual[:1]
        self.positional = [p.name for p in usual if p.kind == p.POSITIONAL_ONLY] if usual else ["x"]
        self.rest = {p.name: self.other_role(p) for p in must[1:] if self.other_role(p)}
        self.data = [p.name for p in must if p.name not in self.rest] or ["x"]
        self.takes_qkv = [self.role(n) for n in self.data[:3]] == ["q", "k", "v"]
        more = [] if self.takes_qkv else self.data[1:]
        self.cross = [n for n in more if CONTEXT.search(n) or self.role(n) in ("k", "v") or len(self.data) == 2]
        spare = [p.name for p in usual if p.name not in self.data and not MASKS.search(p.name)]
        spare = self.spare = [n for n in spare if CONTEXT.search(n) or self.role(n) in ("k", "v")][:1]
        shut = f"len(gth)?s?_q|mem|additional|cross|head_mask|layer_mask|encoder{'|src' * bool(self.cross)}|is_causal"
        masks = [p for p in usual if MASKS.search(p.name) and not isinstance(p.default, (bool, str))]
        self.mask_names = [p.name for p in masks if not re.search(shut, p.name) and not (self.own_call and p in must)]
        if spare and not self.cross and (self.facts["context"] is not None or "cross" in self.name.lower()):
            self.cross, self.data, spare = spare, self.data + spare, []
        self.try_plans(spare, [p.name for p in usual if POSITIONS.search(p.name) and p.name not in self.data])
        if self.mask_names and self.why.startswith("its name"):
            self.causal, self.why = None, ""  # the mask that makes it causal may be given
        self.find_heads_axis()
        self.exchange_context()

    def exchange_context(self):
        """Where the output is as long as the second argument, the first one is the context."""
        if self.cross and len(self.data) == 2 and not self.own_call and self(self.words()).shape[1] == SEQ + 1:
            self.cross = [n for n in self.data if n not in self.cross]
            self.d_model, self.d_context = self.d_context, self.d_model

    def try_plans(self, context, positions):
        """Try the required arguments alone, then with optional ones: positions, and a context."""
        turned = [n for n in positions if re.search("embed|rotary|rope|freqs", n)]
        plans = [((), ()), (turned, ()), (positions, ()), ((), context), (positions, context)]
        first, told = (dict(self.rest), list(self.data), list(self.cross)), None
        for at, (more, source) in enumerate(plans):
            if at and (not more and not source or self.own_call or source and first[2]):
                continue
            self.rest = first[0] | dict.fromkeys(more, "positions")
            self.data, self.cross = first[1] + list(source), first[2] + list(source)
            try:
                return self.try_calls()
            except ValueError as error:
                told = told or error
        raise told

    def find_heads_axis(self):
        """A function of query, key and value may want (batch, heads, words, d): ask whether words are mixed."""
        if self.takes_qkv and not self.has_heads_axis and not isinstance(self.layer, nn.Module):
            seen = self.reads()[0].any(0)
            self.has_heads_axis = not (seen & ~torch.eye(SEQ, dtype=torch.bool, device=seen.device)).any()

    @staticmethod
    def other_role(parameter):
        """What a required argument is that is not made of words; "" for one that is."""
        name = parameter.name
        number = re.search(r"block|tile|chunk|size|window|groups?$|n_rep", name) or parameter.annotation in (int, "int")
        kinds = {"mask": MASKS.search(name), "positions": POSITIONS.search(name), "number": number or HEADS.match(name)}
        return next((kind for kind, hit in kinds.items() if hit), "")

    @staticmethod
    def role(name):
        found = re.match(
            r"_?(q|k|v)(uer(y|ies)|eys?|al(ue)?s?|_?in(put)?|s)?(_(input|states?|in|tensor))?$", name, re.I
        )
        return found[1].lower() if found else ""

    def try_calls(self):
        """Try widths, dtypes and masks until a call succeeds. Raises ValueError with the first error if none does."""
        told, rows = "", ROWS if "mask" in self.rest.values() else ROWS[:1]
        given = self.facts["context"]
        context = [given.shape[-1]] if given is not None else self.widths if self.cross else [None]
        ways = itertools.product(
            (torch.float64, torch.float32),
            (False, True) if self.takes_qkv and not isinstance(self.layer, nn.Module) else (False,),
            self.widths,
            context,
            rows,
            range(4 if "positions" in self.rest.values() else 1),
        )
        for way in sorted(ways, key=self.unlikely):
            kind, self.has_heads_axis, self.d_model, self.d_context, self.row, self.form = way
            if kind != self.kind:
                self.fresh(kind)
            try:
                out = self(self.words())
                if self.d_model != self.fair_for:
                    self.strong.clear()
                    self.memory = Memory()
                    self.fresh(kind)
                    out = self(self.words())
                self.levels = 1
                if not out.is_floating_point() or out.ndim != 3:
                    raise TypeError(f"it returned {tuple(out.shape)} of {out.dtype}")
                self.tol = 1e-9 if kind == torch.float64 else 2e-5
                if self.row is not rows[0]:
                    self.row = max(rows[1:], key=self.learning)
                return
            except Exception as error:  # noqa: BLE001 the layer is anybody's
                size = tuple(self.words().shape)
                told = told or f"it stops on x {size} with {type(error).__name__}: {str(error)[:160]}"
        raise ValueError(told)

    def learning(self, row):
        """How many parameters a gradient reaches under this required mask; −1 where it is not taken."""
        self.row = row
        try:
            out = self(self.words(), grad=True)
            own = [q for q in self.own_names.values() if q.requires_grad]
            grads = torch.autograd.grad(out.square().sum(), own, allow_unused=True) if own else ()
            return sum(g is not None and 0 < worst(g) < float("inf") for g in grads)
        except Exception:  # noqa: BLE001 the layer is anybody's
            return -1

    @staticmethod
    def unlikely(way):
        """float64 before float32, three axes before four, a context as wide as x before another."""
        kind, four, width, context, _, _ = way
        return kind != torch.float64, four, context not in (None, width)

    def fresh(self, kind):
        """Put in random weights of a fair size and this dtype, so that no zero and no small start hides anything."""
        self.kind, g = kind, torch.Generator().manual_seed(1)
        self.fair_for = self.fair_for if self.strong else self.d_model
        named = {id(p): n for n, p in self.own_names.items()}
        learns = any(p.requires_grad for p in self.own_names.values())
        for tensor, data, _, asks in self.kept.tensors:
            name = named.get(id(tensor))
            if not data.is_floating_point():
                tensor.data = data.clone()
            elif name is not None and (asks or not learns) and not MASKS.search(name):
                for it in (torch.float64, kind):
                    if (id(tensor), it) not in self.strong:
                        first = self.strong.get((id(tensor), torch.float64))
                        self.strong[id(tensor), it] = self.drawn(data, g) if first is None else first.to(it)
                        self.memory.learn(self.strong[id(tensor), it])
                tensor.data = self.strong[id(tensor), kind]
            else:
                tensor.data = data.to(kind, copy=True)
            tensor.grad = None
        for m in self.modules:
            m.train(False) if m.training else None

    def drawn(self, old, g):
        """Random numbers in float64 for a parameter."""
        noise = torch.randn(old.shape, generator=g).to(old.device, torch.float64)  # drawn as float64 it takes long
        long = [n for n in old.shape if n > 1]
        if len(long) >= 2:
            return noise.mul_(1.5 / self.d_model**0.5)
        old = old.to(torch.float64, copy=True)
        if old.numel() <= max(self.n_heads or 1, 1):  # a temperature, a gate: its own number, unless that is 0
            return old if 1e-3 < worst(old) < 1e3 else 0.5 + 0.1 * noise
        return (old if worst(old) < 1e3 else 0) + 0.2 * noise  # what torch.empty left may be anything

    def words(self, batch=BATCH, seq=SEQ, seed=0, width=None):
        """Random words (batch, seq, width), the same ones for each seed."""
        g = torch.Generator().manual_seed(seed)
        return torch.randn(batch, seq, width or self.d_model, generator=g, dtype=torch.float64).to(
            self.device, self.kind
        )

    def context(self, x, seed=7):
        """What x attends to: sentences one word longer, the same ones for each copy of a batch."""
        many = self.words(BATCH, max(12, x.shape[1] + 1), seed, self.d_context)
        return many[torch.arange(x.shape[0]) % BATCH, : x.shape[1] + 1]

    def positions(self, name, x):
        """What an argument of positions is given; there are three usual forms of some."""
        sizes = [
            v
            for m in self.modules
            for k, v in vars(m).items()
            if re.match(r"_?(rotary_n?dims?|head_dim|d_head|dim_head|head_size|d_k)$", k)
        ]
        size = min((v for v in sizes if type(v) is int and v), default=self.d_model // (self.n_heads or 1))
        seq, half = x.shape[1], max(1, size // 2)
        at = torch.arange(seq, device=x.device)
        angle = torch.outer(at.double(), 10_000.0 ** (-torch.arange(half, device=x.device).double() / half))
        both = torch.cat([angle, angle], -1).to(x.dtype)
        if re.search("start_pos|offset|past", name):
            return 0
        if re.search("embedding|rotary|rope", name):
            half = angle.to(x.dtype)[None]
            return ((both.cos()[None], both.sin()[None]), both[None], (half.cos(), half.sin()), None)[self.form]
        if re.search("freqs", name):
            return (torch.polar(torch.ones_like(angle), angle), angle.to(x.dtype), both, None)[self.form]
        if "cos" in name or "sin" in name:
            turn = (both, angle.to(x.dtype), both[None], both)[self.form]
            return turn.cos() if "cos" in name else turn.sin()
        return (at, at.expand(x.shape[0], seq), None, None)[self.form]

    def arguments(self, x, context=None):
        """The arguments of a call with x."""
        given, context = {}, self.context(x) if context is None and self.cross else context
        for i, name in enumerate(self.data):
            given[name] = context if name in self.cross else x.clone() if i else x
        for name, what in self.rest.items():
            number = (self.n_heads or 2) if HEADS.match(name) else 2
            given[name] = {"mask": self.row(x.shape[1]), "positions": self.positions(name, x)}.get(what, number)
        return given

    def __call__(self, x, grad=False, seed=0, context=None, same=False, mode=None, **masks):
        """Its output for x; chance begins at the same seed each time. same: x itself is given, not a copy."""
        if seed is not None:
            set_seed(seed)
        x = x if same or grad else x.clone()
        with torch.set_grad_enabled(grad):
            if self.own_call:
                held, first, given = {}, (x,), masks
            else:
                given = {**self.arguments(x, context), **masks}
                if self.has_heads_axis:
                    given = {n: t[:, None] if n in self.data else t for n, t in given.items()}
                if self.seq_first:
                    given = {n: t.transpose(0, 1) if n in self.data else t for n, t in given.items()}
                held, first = dict(given), [given.pop(n) for n in self.positional if n in given]
            memory = self.memory if self.memory.known else contextlib.nullcontext()
            with memory, mode(held) if callable(mode) else mode or contextlib.nullcontext():
                out = self.own_call(self.layer, *first, **given) if self.own_call else self.layer(*first, **given)
        if isinstance(mode, Change) and mode.read:
            return None
        raw, out = out, first_tensor(out)
        self.beside = [t for t in _tensors(raw) if t is not out and t.ndim == 3]  # a second stream, for one
        if self.has_heads_axis and out.ndim == 4:
            out = out[:, 0]
        return out.transpose(0, 1) if self.seq_first and out.ndim == 3 and not self.own_call else out

    # -- what it computes

    def follow(self, x):
        """The operations of one forward pass."""
        found = []

        def mode(given):
            inputs = {n: t for n, t in given.items() if n in self.data and torch.is_tensor(t)} or {"x": x}
            found.append(Follow(inputs, self.own_names))
            return found[0]

        self(x, same=True, mode=mode)
        return found[0]

    def __enter__(self):
        """Switch off what would hide the operations: fused attention, PyTorch's fast path, compilation."""
        from torch.nn.attention import SDPBackend, sdpa_kernel

        fast, grads = torch.backends.mha.get_fastpath_enabled(), torch.is_grad_enabled()
        self.limits.callback(torch.set_grad_enabled, grads)
        self.limits.callback(torch.backends.mha.set_fastpath_enabled, fast)
        self.limits.callback(self.kept.restore)
        torch.backends.mha.set_fastpath_enabled(False)
        self.limits.enter_context(sdpa_kernel(SDPBackend.MATH))
        self.limits.enter_context(
            torch.jit.optimized_execution(False)
        )  # or a script's operations change from run to run
        if "torch._dynamo" in sys.modules and hasattr(torch.compiler, "set_stance"):
            self.limits.enter_context(torch.compiler.set_stance("force_eager"))
        return self

    def __exit__(self, *error):
        return self.limits.__exit__(*error)

    # -- what is read

    def reads(self, source=False, times=1.0, masks=lambda copies: {}, mode=None):
        """(batch, i, j): by how much word i changes when word j of its sentence (or of the context) is another one.

        masks: the arguments for so many copies of the batch. Where sentences are independent, all is one batch.
        """
        x = times * self.words()
        context = self.context(x) if source else None
        given = x if context is None else context
        words = [times * self.words(seed=50 + j, width=given.shape[-1])[:, 0] for j in range(given.shape[1])]
        changed = [
            given,
            *(given.index_copy(1, torch.tensor([j]).to(x.device), w[:, None]) for j, w in enumerate(words)),
        ]
        if len(changed) * len(x) == self.n_heads:  # a mask of sentences must not pass for one of heads
            changed.append(given)
        many = len(changed) if self.alone else 1
        groups = [torch.cat(changed)] if self.alone else changed
        outs = [
            self(x.repeat(many, 1, 1), context=it, mode=mode, **masks(many))
            if source
            else self(it, mode=mode, **masks(many))
            for it in groups
        ]
        outs = torch.cat(outs).unflatten(0, (len(changed), len(x)))[: len(words) + 1]
        self.base = outs[0]
        number = (outs[1:] - outs[0]).abs().amax(-1).permute(1, 2, 0)
        return number > (1e-12 if self.kind == torch.float64 else 2e-4) * number.max().clamp(min=1e-30), number
