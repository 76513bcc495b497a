"""Right answers written in other ways: each wrap takes the source of an answer and returns one that does the same.

`FUNCTIONS` are for an exercise that asks for a function, `CLASSES` for one that asks for a class, `CELLS` for any.
"""

import ast
import re
import textwrap
from collections.abc import Callable, Mapping

from honest import Notebook, Shape

from nbproctor.course.units import Exercise, Unit

IMPORTS = (
    "import math, torch, numpy as np\nimport torch.nn.functional as F\nfrom torch import nn\nfrom __main__ import *\n"
)
Wrap = Callable[[str, str], str]  # (source of the answer, its name) -> another source


def renamed(source: str, name: str) -> str:
    """The answer under the name `own_NAME`."""
    return re.sub(rf"(?<![\w.\"']){name}(?![\w\"'])", f"own_{name}", source)


def then(text: str) -> Wrap:
    """The answer under another name, and below it a text that binds NAME by OWN."""
    return lambda source, name: (
        f"{renamed(source, name)}\n\n\n{text.replace('OWN', f'own_{name}').replace('NAME', name)}"
    )


def after(text: str) -> Wrap:
    return lambda source, name: f"{source}\n\n\n{text.replace('NAME', name)}"


def before(text: str) -> Wrap:
    return lambda source, name: f"{text.replace('NAME', name)}\n\n\n{source}"


def within(text: str) -> Wrap:
    """The whole answer indented below a text."""
    return lambda source, name: text.replace("NAME", name).replace("SOURCE", textwrap.indent(source, "    "))


def changed(change: Callable[[ast.FunctionDef], None]) -> Wrap:
    """The answer with a change in its own function, or in each method of its class."""

    def wrap(source: str, name: str) -> str:
        tree = ast.parse(source)
        for one in tree.body:
            if getattr(one, "name", "") == name:
                for function in [one] if isinstance(one, ast.FunctionDef) else getattr(one, "body", []):
                    if isinstance(function, ast.FunctionDef):
                        change(function)
        return ast.unparse(ast.fix_missing_locations(tree))

    return wrap


def _replaced_body(text: str) -> Callable[[ast.FunctionDef], None]:
    """Put the body where BODY stands in the text."""

    def change(function: ast.FunctionDef) -> None:
        tree = ast.parse(text)

        class Put(ast.NodeTransformer):
            def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:  # noqa: N802 ast's name
                return function.body if isinstance(node.value, ast.Name) and node.value.id == "BODY" else node

        function.body = Put().visit(tree).body

    return change


def _walrus(function: ast.FunctionDef) -> None:
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Tuple):
            node.value = ast.NamedExpr(ast.Name("came_out", ast.Store()), node.value)


def _annotated(function: ast.FunctionDef) -> None:
    for one in function.args.args[function.args.args[:1] and function.args.args[0].arg == "self" :]:
        one.annotation = one.annotation or ast.Constant("Matrix | int | None")


def _mutable_default(function: ast.FunctionDef) -> None:
    if not function.name.startswith("__"):
        function.args.kwonlyargs.append(ast.arg("seen"))
        function.args.kw_defaults.append(ast.List([], ast.Load()))
        function.body.insert(0, ast.parse("seen.append(1)").body[0])


def _solved_inside(function: ast.FunctionDef) -> None:
    names = [one.arg for one in function.args.args]
    inner = ast.FunctionDef("solve", ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, []),
                            function.body, [])  # fmt: skip
    if function.name != "__init__" and not function.args.vararg and not function.args.kwonlyargs:
        call = ast.Call(ast.Name("solve", ast.Load()), [ast.Name(name, ast.Load()) for name in names], [])
        function.body = [inner, ast.Return(call)]


FUNCTIONS: dict[str, Wrap] = {
    "lambda": then("NAME = lambda *args, **kwargs: OWN(*args, **kwargs)"),
    "partial": then("import functools\nNAME = functools.partial(OWN)"),
    "callable_object": then(
        "class Caller:\n    def __init__(self, f):\n        self.f = f\n    def __call__(self, *args, **kwargs):\n"
        "        return self.f(*args, **kwargs)\n\nNAME = Caller(OWN)"
    ),
    "bound_method": then(
        "class Tools:\n    def run(self, *args, **kwargs):\n        return OWN(*args, **kwargs)\n\nNAME = Tools().run"
    ),
    "generator": then(
        "def NAME(*args, **kwargs):\n    def steps():\n        yield OWN(*args, **kwargs)\n    return next(steps())"
    ),
    "context_decorator": then(
        "import contextlib\n@contextlib.contextmanager\ndef timing():\n    yield\n\n@timing()\n"
        "def NAME(*args, **kwargs):\n    return OWN(*args, **kwargs)"
    ),
    "module_that_calls": then(
        "class Wrapped(torch.nn.Module):\n    def forward(self, *args, **kwargs):\n"
        "        return OWN(*args, **kwargs)\n\nNAME = Wrapped()"
    ),
    "own_tensor": then(
        "class Mine(torch.Tensor):\n    pass\n\ndef NAME(*args, **kwargs):\n    out = OWN(*args, **kwargs)\n"
        "    return out.as_subclass(Mine) if type(out) is torch.Tensor else out"
    ),
    "named_tuple": then(
        "from collections import namedtuple\ndef NAME(*args, **kwargs):\n    out = OWN(*args, **kwargs)\n"
        "    if type(out) is tuple:\n        out = namedtuple('Out', [f'p{n}' for n in range(len(out))])(*out)\n"
        "    return out"
    ),
    "plots": then(
        "import matplotlib.pyplot as plt\ndef NAME(*args, **kwargs):\n    out = OWN(*args, **kwargs)\n"
        "    plt.plot([1, 2])\n    plt.close('all')\n    return out"
    ),
    "compiled_names": then("globals()['NAME'] = OWN"),
    "overloaded": before(
        "from typing import overload\n@overload\ndef NAME(a: int): ...\n@overload\ndef NAME(a: str): ..."
    ),
    "own_autograd": then(
        "class Same(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return x.clone()\n"
        "    @staticmethod\n    def backward(ctx, grad):\n        return grad\n\ndef NAME(*a, **k):\n"
        "    out = OWN(*a, **k)\n    is_real = torch.is_tensor(out) and out.is_floating_point()\n"
        "    return Same.apply(out) if is_real else out"
    ),
    "in_a_thread": then(
        "from concurrent.futures import ThreadPoolExecutor\ndef NAME(*a, **k):\n"
        "    with ThreadPoolExecutor(1) as pool:\n        return pool.submit(OWN, *a, **k).result()"
    ),
    "checkpointed": then(
        "from torch.utils.checkpoint import checkpoint\ndef NAME(*a, **k):\n"
        "    return checkpoint(lambda *b: OWN(*b, **k), *a, use_reentrant=False)"
    ),
    "gradient_hooks": then(
        "def NAME(*a, **k):\n    out = OWN(*a, **k)\n    if torch.is_tensor(out) and out.requires_grad:\n"
        "        out.register_hook(lambda grad: None)\n        out.retain_grad()\n    return out"
    ),
    "bound_by_its_signature": then(
        "import inspect\nsign = inspect.signature(OWN)\ndef NAME(*a, **k):\n    bound = sign.bind(*a, **k)\n"
        "    bound.apply_defaults()\n    return OWN(*bound.args, **bound.kwargs)"
    ),
    "watches_torch": then(
        "from torch.overrides import TorchFunctionMode\nclass Watches(TorchFunctionMode):\n"
        "    def __torch_function__(self, f, types, args=(), kwargs=None):\n"
        "        return f(*args, **(kwargs or {}))\n\ndef NAME(*a, **k):\n"
        "    with Watches():\n        return OWN(*a, **k)"
    ),
    "class_with_new": then("class NAME:\n    def __new__(cls, *a, **k):\n        return OWN(*a, **k)"),
    "kept_in_a_module": then(
        "import sys, types\nmine = types.ModuleType('mine')\nmine.go = OWN\nsys.modules['mine'] = mine\n"
        "from mine import go as NAME"
    ),
    "raise_left_below": changed(_replaced_body("BODY\nraise NotImplementedError('not implemented yet')")),
    "two_versions": before("def NAME(*args, **kwargs):\n    return None  # my first try"),
}
CLASSES: dict[str, Wrap] = {
    "subclass": then("class NAME(OWN):\n    pass"),
    "decorated": then("def plain(cls):\n    cls.author = 'me'\n    return cls\n\nNAME = plain(OWN)"),
    "made_by_type": then("NAME = type('NAME', (OWN,), {'note': 1})"),
    "mixin": then("class Says:\n    def says(self):\n        return 'hi'\n\nclass NAME(Says, OWN):\n    pass"),
    "forward_elsewhere": then(
        "class NAME(OWN):\n    def forward(self, *a, **k):\n        return self._run(*a, **k)\n"
        "    def _run(self, *a, **k):\n        return super().forward(*a, **k)"
    ),
    "forward_hook": then(
        "class NAME(OWN):\n    def __init__(self, *a, **k):\n        super().__init__(*a, **k)\n"
        "        self.seen = []\n        self.register_forward_hook(lambda m, i, o: self.seen.append(1))"
    ),
    "own_call": then("class NAME(OWN):\n    def __call__(self, *a, **k):\n        return super().__call__(*a, **k)"),
    "keeps_what_it_made": then(
        "class NAME(OWN):\n    def forward(self, *a, **k):\n        out = super().forward(*a, **k)\n"
        "        self.last = out\n        return out"
    ),
    "counter_buffer": then(
        "class NAME(OWN):\n    def __init__(self, *a, **k):\n        super().__init__(*a, **k)\n"
        "        self.register_buffer('steps', torch.zeros(()), persistent=False)\n"
        "    def forward(self, *a, **k):\n        self.steps += 1\n        return super().forward(*a, **k)"
    ),
    "repr_and_property": then(
        "class NAME(OWN):\n    def extra_repr(self):\n        return 'mine'\n    @property\n    def size(self):\n"
        "        return sum(p.numel() for p in self.parameters())"
    ),
    "factory_function": then("def NAME(*a, **k):\n    return OWN(*a, **k)"),
    "children_in_a_dict": then(
        "class NAME(OWN):\n    def __init__(self, *a, **k):\n        super().__init__(*a, **k)\n"
        "        self.by_name = dict(self.named_children())"
    ),
    "lazy_extra": then(
        "class NAME(OWN):\n    def forward(self, *a, **k):\n        if not hasattr(self, 'extra'):\n"
        "            self.extra = torch.nn.Identity()\n        out = super().forward(*a, **k)\n"
        "        return self.extra(out) if torch.is_tensor(out) else out"
    ),
    "own_getattr": then(
        "class NAME(OWN):\n    def __getattr__(self, name):\n        try:\n"
        "            return super().__getattr__(name)\n        except AttributeError:\n"
        "            raise AttributeError(f'no {name} here') from None"
    ),
    "metaclass": then(
        "class Meta(type):\n    def __call__(cls, *a, **k):\n        return super().__call__(*a, **k)\n\n"
        "class NAME(OWN, metaclass=Meta):\n    pass"
    ),
    "generic": then("from typing import Generic, TypeVar\nT = TypeVar('T')\n\nclass NAME(OWN, Generic[T]):\n    pass"),
}
CELLS: dict[str, Wrap] = {
    "walrus": changed(_walrus),
    "match": changed(_replaced_body("match 1:\n    case 1:\n        BODY")),
    "try_finally": changed(_replaced_body("try:\n    BODY\nfinally:\n    done = True")),
    "prints": changed(_replaced_body("print('here', flush=True)\nBODY")),
    "warns": changed(_replaced_body("import warnings\nwarnings.warn('slow')\nBODY")),
    "type_aliases": lambda source, name: f"import torch\nMatrix = torch.Tensor\n\n{changed(_annotated)(source, name)}",
    "future_annotations": before("from __future__ import annotations"),
    "mutable_default": changed(_mutable_default),
    "solved_inside": changed(_solved_inside),
    "exec_of_own_text": lambda source, name: f"exec({source!r})",
    "exec_of_own_names": lambda source, name: f"own_names = dict(globals())\nexec({source!r}, own_names)\n"
    f"{name} = own_names[{name!r}]",
    "below_if": within("if True:\nSOURCE"),
    "in_a_try": within("try:\nSOURCE\nexcept ImportError:\n    raise"),
    "timed_cell": before("%%time"),
    "captured_cell": before("%%capture"),
    "shell_and_magics": before("!ls\n%matplotlib inline\n%pwd"),
    "main_below": after("if __name__ == '__main__':\n    print('ready')"),
    "unittest_below": after(
        "import unittest\nclass TestIt(unittest.TestCase):\n    def test_it(self):\n"
        "        self.assertTrue(callable(NAME))\n"
        "unittest.main(argv=['x'], exit=False)"
    ),
    "doctest_below": after("import doctest\ndoctest.testmod()"),
    "inspected": after("import inspect\nprint(inspect.getsource(NAME)[:10])\nhelp(NAME)"),
    "pickled": after("import copy\nNAME = copy.deepcopy(NAME)"),
    "unparsed": lambda source, name: ast.unparse(ast.parse(source)),
    "tabs": lambda source, name: "\n".join(
        re.sub(r"^( {4})+", lambda found: "\t" * (len(found[0]) // 4), one) for one in source.split("\n")
    ),
    "helper_by_star": before("from math import *\nfrom typing import *"),
    "shadows": after("id = 5\ninput, dir, vars = 'x', 'y', 'z'"),
    "displayed": after("from IPython.display import display, HTML\ndisplay(HTML('<b>done</b>'))\nNAME"),
    "tqdm_below": after("from tqdm import tqdm\nfor _ in tqdm(range(3)):\n    pass"),
    "awaited": after("import asyncio\nawait asyncio.sleep(0)"),
    "own_magic": before(
        "from IPython.core.magic import register_line_magic\n@register_line_magic\ndef hi(line):\n"
        "    print('hi', line)\n\n%hi there"
    ),
    "autoreload": before("%load_ext autoreload\n%autoreload 2"),
    "written_and_imported": lambda source, name: (
        f"from pathlib import Path\nPath('own_{name}.py').write_text({IMPORTS + source!r})\n"
        f"import own_{name}\n{name} = own_{name}.{name}"
    ),
    "prints_to_stderr": changed(_replaced_body("import sys\nsys.stderr.write('x')\nBODY")),
    "greek": after("α, naïve = 1, 'ü'\nprint(f'{α=}')"),
    "docstring": changed(_replaced_body("'''What it does: x @ y, F.softmax(x), eval, exec, nn.LayerNorm.'''\nBODY")),
}  # fmt: skip


def styled(styles: Mapping[str, str]) -> Shape:
    """The shape in which these answers are written in these styles: exercise -> the style's name."""

    def shape(notebook: Notebook) -> None:
        for exercise in notebook.unit.exercises:
            if wrap := wrap_for(styles.get(exercise.name, ""), exercise):
                notebook.of(exercise.name)["source"] = wrap(notebook.source(exercise), exercise.name)

    return shape


def wrap_for(style: str, exercise: Exercise) -> Wrap | None:
    own = CLASSES if is_class(exercise) else FUNCTIONS if exercise.is_called else {}
    return own.get(style) or (CELLS.get(style) if exercise.is_called else None)


def is_class(exercise: Exercise) -> bool:
    return re.search(rf"^class {exercise.name}\b", exercise.solution, re.M) is not None


def in_every_style(unit: Unit) -> dict[str, Shape]:
    """For each style a notebook in which all answers that it is for are written so."""
    names = [exercise.name for exercise in unit.exercises]
    return {style: styled(dict.fromkeys(names, style)) for style in (*FUNCTIONS, *CLASSES, *CELLS)}


def in_each_style_once(unit: Unit) -> dict[str, dict[str, str]]:
    """Fewer notebooks, whose answers differ in style; each style stands in one: name -> exercise -> style."""
    classes = [exercise.name for exercise in unit.exercises if is_class(exercise)]
    functions = [e.name for e in unit.exercises if e.is_called and e.name not in classes]
    found: dict[str, dict[str, str]] = {}
    for names, styles in ((functions, [*FUNCTIONS, *CELLS]), (classes, [*CLASSES])):
        for number, style in enumerate(styles):
            found.setdefault(f"student{number // len(names)}", {})[names[number % len(names)]] = style
    return found
