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


FUNCTIONS: dict[str, Wrap] = {
    "partial": then("import functools\nNAME = functools.partial(OWN)"),
    "callable_object": then(
        "class Caller:\n    def __init__(self, f):\n        self.f = f\n    def __call__(self, *args, **kwargs):\n"
        "        return self.f(*args, **kwargs)\n\nNAME = Caller(OWN)"
    ),
    "generator": then(
        "def NAME(*args, **kwargs):\n    def steps():\n        yield OWN(*args, **kwargs)\n    return next(steps())"
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
    "in_a_thread": then(
        "from concurrent.futures import ThreadPoolExecutor\ndef NAME(*a, **k):\n"
        "    with ThreadPoolExecutor(1) as pool:\n        return pool.submit(OWN, *a, **k).result()"
    ),
    "checkpointed": then(
        "from torch.utils.checkpoint import checkpoint\ndef NAME(*a, **k):\n"
        "    return checkpoint(lambda *b: OWN(*b, **k), *a, use_reentrant=False)"
    ),
    "watches_torch": then(
        "from torch.overrides import TorchFunctionMode\nclass Watches(TorchFunctionMode):\n"
        "    def __torch_function__(self, f, types, args=(), kwargs=None):\n"
        "        return f(*args, **(kwargs or {}))\n\ndef NAME(*a, **k):\n"
        "    with Watches():\n        return OWN(*a, **k)"
    ),
    "two_versions": before("def NAME(*args, **kwargs):\n    return None  # my first try"),
}
CLASSES: dict[str, Wrap] = {
    "subclass": then("class NAME(OWN):\n    pass"),
    "forward_hook": then(
        "class NAME(OWN):\n    def __init__(self, *a, **k):\n        super().__init__(*a, **k)\n"
        "        self.seen = []\n        self.register_forward_hook(lambda m, i, o: self.seen.append(1))"
    ),
    "own_call": then("class NAME(OWN):\n    def __call__(self, *a, **k):\n        return super().__call__(*a, **k)"),
    "counter_buffer": then(
        "class NAME(OWN):\n    def __init__(self, *a, **k):\n        super().__init__(*a, **k)\n"
        "        self.register_buffer('steps', torch.zeros(()), persistent=False)\n"
        "    def forward(self, *a, **k):\n        self.steps += 1\n        return super().forward(*a, **k)"
    ),
    "factory_function": then("def NAME(*a, **k):\n    return OWN(*a, **k)"),
    "lazy_extra": then(
        "class NAME(OWN):\n    def forward(self, *a, **k):\n        if not hasattr(self, 'extra'):\n"
        "            self.extra = torch.nn.Identity()\n        out = super().forward(*a, **k)\n"
        "        return self.extra(out) if torch.is_tensor(out) else out"
    ),
    "metaclass": then(
        "class Meta(type):\n    def __call__(cls, *a, **k):\n        return super().__call__(*a, **k)\n\n"
        "class NAME(OWN, metaclass=Meta):\n    pass"
    ),
}
CELLS: dict[str, Wrap] = {
    "walrus": changed(_walrus),
    "prints": changed(_replaced_body("print('here', flush=True)\nBODY")),
    "exec_of_own_text": lambda source, name: f"exec({source!r})",
    "below_if": within("if True:\nSOURCE"),
    "timed_cell": before("%%time"),
    "shell_and_magics": before("!ls\n%matplotlib inline\n%pwd"),
    "unittest_below": after(
        "import unittest\nclass TestIt(unittest.TestCase):\n    def test_it(self):\n"
        "        self.assertTrue(callable(NAME))\n"
        "unittest.main(argv=['x'], exit=False)"
    ),
    "inspected": after("import inspect\nprint(inspect.getsource(NAME)[:10])\nhelp(NAME)"),
    "shadows": after("id = 5\ninput, dir, vars = 'x', 'y', 'z'"),
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
