"""A doctor for attention layers: `examine(layer)` asks any PyTorch layer some questions, each answered by a number.

    from examine import examine
    report = examine(layer)        # str(report) is the text; a notebook shows it in colour
    report.findings                # what is wrong, causes first

The layer is a module or function from (batch, seq, d) to the same, or to a tuple that begins with it; `layer(x,
context)` and functions of query, key and value work, too. What you know can be said: `n_heads=`, `causal=`,
`mask_true="attend"` or `"hidden"`, `context=` (an example), `batch_first=`, and `call=lambda layer, x, **masks: …` for
a signature of its own. The layer comes back as it was.

Made by `make release` from solutions/checking/examine. It needs torch alone.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import hashlib
import html
import inspect
import itertools
import linecache
import math
import random
import re
import sys
import textwrap
from dataclasses import dataclass
from dataclasses import dataclass, field
from typing import Any
import torch
import torch.nn.functional as F
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


UNITS = {
    "03": "03 Self-attention", "04": "04 Multi-head attention", "05": "05 Cross-attention", "06": "06 Masking",
    "07": "07 The transformer block", "08": "08 Decoder-only models", "09": "09 Encoders and translation",
    "10": "10 Fast attention", "11": "11 Modern blocks",
}  # fmt: skip
FOLLOWS = {  # a finding of the first explains findings and notes of the others
    "lengths": {"join", "masks", "batch"},
    "input": {"batch", "eval mode", "reads", "prefix", "masks", "gradients", "residuals", "norms", "order"},
    "eval mode": {"batch", "reads", "prefix", "masks", "empty row", "order"},
    "heads": {"split", "join", "reads", "prefix", "softmax", "divisor", "masks", "batch", "roles", "order"},
    "split": {"join", "reads", "prefix", "softmax", "hidden scores", "masks", "batch", "roles", "order", "empty row",
              "positions"},
    "join": {"reads", "prefix", "masks", "batch", "order", "output", "empty row"},
    "softmax": {"reads", "prefix", "divisor", "masks", "batch", "dropout", "hidden scores", "empty row", "gradients",
                "order", "precision"},
    "hidden scores": {"reads", "prefix", "softmax", "masks"},
    "batch": {"reads", "prefix", "masks", "lengths", "split", "heads", "join", "order"},
    "reads": {"prefix", "hidden scores", "masks"},
    "masks": {"empty row"},
    "roles": {"gradients"},
    "output": {"gradients", "residuals"},
    "residuals": {"norms", "gradients"},
    "norms": {"residuals", "precision", "gradients"},
    "divisor": {"precision", "reads", "prefix"},
    "activation": {"gradients"},
}  # fmt: skip


@dataclass
class Result:
    """One answer: the question, the verdict, and the number that shows it."""

    name: str
    question: str
    verdict: str  # fine, finding, note, unclear, does not apply
    evidence: str = ""
    line: str = ""  # of the source, where to look
    unit: str = ""  # of the course, which explains it
    follows_from: str = ""


@dataclass
class Report:
    """All answers. `str` gives the text; a notebook shows it in colour."""

    title: str
    results: list[Result] = field(default_factory=list)

    def some(self, *verdicts):
        return [r for r in self.results if r.verdict in verdicts]

    @property
    def findings(self):
        """The findings, causes before consequences."""
        return sorted(self.some("finding"), key=lambda r: bool(r.follows_from))

    def __getitem__(self, name):
        return next(r for r in self.results if r.name == name)

    def settle(self):
        """Tell each finding or note under its cause, where another finding explains it."""
        odd = {r.name: r for r in self.some("finding", "note", "unclear")}
        order = list(FOLLOWS.items())
        if "batch" in odd and "changed places" in odd["batch"].evidence:
            order.sort(key=lambda it: it[0] != "batch")
        for cause, others in order:
            if cause in odd and odd[cause].verdict == "finding" and not odd[cause].follows_from:
                for name in others & odd.keys():
                    odd[name].follows_from = odd[name].follows_from or cause

    def _causes(self):
        return [r for r in self.findings if not r.follows_from] + [r for r in self.some("note") if not r.follows_from]

    def lines(self):
        """(kind, text) of each line of the report."""
        if self.findings:
            n = len([r for r in self.findings if not r.follows_from])
            yield "title", f"{self.title}: {n} finding{'s' * (n != 1)}"
        else:
            yield "title", f"{self.title}: nothing wrong was found"
        for r in self._causes():
            yield r.verdict, f"{'Finding' if r.verdict == 'finding' else 'Note'}, {r.name}: {r.evidence}"
            if r.line:
                yield "look", f"  Look at {r.line}."
            if r.unit in UNITS and r.verdict == "finding":
                yield "look", f"  Unit {UNITS[r.unit]} explains it."
            for other in self.results:
                if other.follows_from == r.name:
                    yield "follows", f"  It explains this as well ({other.name}): {other.evidence}"
        for r in self.some("fine"):
            yield "fine", f"Fine, {r.name}: {r.evidence}"
        why = {}
        for r in self.some("unclear"):
            if not r.follows_from:
                why.setdefault(r.evidence, []).append(r.name)
        for evidence, names in why.items():
            yield "unclear", f"Unclear, {', '.join(names)}: {evidence}"
        rest = [r.name for r in self.some("does not apply")]
        if rest:
            yield "rest", f"Does not apply: {', '.join(rest)}."

    def __str__(self):
        return "\n".join(
            textwrap.fill(
                text,
                95,
                subsequent_indent=" " * (len(text) - len(text.lstrip()) + 2),
                break_long_words=False,
                break_on_hyphens=False,
            )
            for _, text in self.lines()
        )

    __repr__ = __str__

    def _repr_html_(self):
        style = {
            "title": "font-weight:bold",
            "finding": "color:#b00020",
            "note": "color:#7a5c00",
            "fine": "color:#1b6e2c",
            "unclear": "color:#555",
            "look": "margin-left:2em",
            "follows": "margin-left:2em;color:#555",
            "rest": "color:#555",
        }
        rows = [f"<div style='{style[kind]}'>{html.escape(text.strip())}</div>" for kind, text in self.lines()]
        return f"<div style='text-align:left;line-height:1.5'>{''.join(rows)}</div>"


def _verdict(name):
    """A function that makes an answer of this kind: (verdict, evidence, line of the source)."""
    return lambda text="", line="": (name, text, line)


fine, finding, note, nothing = map(_verdict, ("fine", "finding", "note", "does not apply"))

OUTSIDE, INSIDE = [], []


def examination(name, question, unit, at=""):
    """Register an examination: a function of the patient that returns a verdict.

    at: for one of the patient and its attention, the place in the attention that a finding is about.
    """

    def register(function):
        (INSIDE if at else OUTSIDE).append((name, question, unit, at, function))
        return function

    return register


def answered(name, question, unit, at, function, p, att=None):
    """The result of one examination. One that breaks says so, and the others go on."""
    try:
        verdict, evidence, line = function(p, att) if at else function(p)
        if att and verdict == "finding":
            line = line or att.where(at)
    except Unclear as unclear:
        verdict, evidence, line = "unclear", str(unclear), ""
    except Exception as error:  # noqa: BLE001 the layer is anybody's
        verdict, evidence, line = "unclear", f"it stops with {type(error).__name__}: {str(error)[:120]}", ""
    return Result(name, question, verdict, evidence, line, unit)


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


__all__ = ["Report", "Result", "Unclear", "examine", "inside", "outside", "strongest_finding"]


def examine(layer, x=None, **facts):
    """Examine an attention layer; the report says what was found, with numbers."""
    report = Report(title_of(layer))
    try:
        patient = Patient(layer, x, **facts)
        with patient as p:
            p.plan_call()
            report.results += look_at(p)
    except TypeError:
        raise
    except Exception as error:  # noqa: BLE001 the layer is anybody's
        told = str(error) if isinstance(error, (ValueError, Unclear)) else f"{type(error).__name__}: {str(error)[:160]}"
        report.results.append(
            Result(
                "call",
                "Can it be called?",
                "unclear",
                f"{told}. Say how with x=, an example, or call=lambda layer, x: …",
            )
        )
    report.settle()
    return report


def look_at(p):
    """The results of all examinations, outside first."""
    results = []
    try:
        p.sites = sites_of(p.follow(p.words()))
        p.levels = max(1, len({s.level for s in p.sites}) - bool(p.cross))
    except Exception:  # noqa: BLE001 the layer is anybody's
        p.sites, p.levels = [], 1
    for it in OUTSIDE:
        results.append(answered(*it, p))
        if it[0] == "lengths" and "NaN" in results[-1].evidence:
            return results
    att, why = None, ""
    try:
        att = open_up(p)
    except Unclear as unclear:
        why = str(unclear)
    except Exception as error:  # noqa: BLE001 the layer is anybody's
        why = f"its operations cannot be followed: {type(error).__name__}: {str(error)[:120]}"
    for it in INSIDE:
        results.append(answered(*it, p, att) if att else Result(it[0], it[1], "unclear", why, unit=it[2]))
    return results


def open_up(p):
    """The first attention of the layer whose products are of words by words."""
    p(p.words())  # what a layer keeps may have another dtype from before, and is converted once
    att = Attention(p, p.words(), 0)
    att.look()
    att.find_words()
    return att


def strongest_finding(layer, x=None, **facts):
    """The first cause that `examine` finds in a layer, as a sentence; "" where it finds nothing."""
    found = examine(layer, x, **facts).findings
    return f"{found[0].evidence}." if found else ""
