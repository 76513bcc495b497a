"""Recognises code that only looks like a detour around the search for forbidden functions, such as `'x' in globals()`.

A detour gives a name a value that no statement shows. Harmless code, such as `%matplotlib inline`, is recognised by its
whole shape, in which nothing can do so. A shape that depends on a name that the student may have bound to something
else, such as `list(globals())`, does not count as harmless.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from nbproctor.reading import is_call_of, magic_of, nodes_in

# Magics and shell lines that bind no name in the notebook, or only names that are no functions.
HARMLESS = (
    "alias", "autoawait", "automagic", "autoreload", "bash", "bookmark", "capture", "cat", "cd", "clear",
    "colors", "conda", "config", "connect_info", "cp", "debug", "dhist", "dirs", "doctest_mode", "dotenv",
    "env", "file", "gui", "hist", "history", "HTML", "html", "javascript", "js", "killbgscripts", "latex",
    "ldir", "less", "lf", "lk", "ll", "load", "load_ext", "loadpy", "logoff", "logon", "logstart", "logstate",
    "logstop", "ls", "lsmagic", "lx", "magic", "mamba", "man", "markdown", "matplotlib", "micromamba",
    "mkdir", "more", "mv", "notebook", "page", "pastebin", "pdb", "pdef", "pdoc", "perl", "pfile", "pinfo",
    "pinfo2", "pip", "popd", "pprint", "precision", "psearch", "psource", "pushd", "pwd", "pycat", "pylab",
    "pypy", "python", "python3", "qtconsole", "quickref", "recall", "rehashx", "reload_ext", "reset",
    "reset_selective", "rm", "rmdir", "ruby", "save", "script", "set_env", "sh", "shell", "subshell", "SVG",
    "svg", "sx", "system", "tb", "tensorboard", "tensorflow_version", "unalias", "unload_ext", "uv",
    "watermark", "who", "who_ls", "whos", "writefile", "xdel", "xmode",
)  # fmt: skip
OF_CLASS = ("__module__", "__name__", "__qualname__")  # attributes that are text
# Functions of `torch.jit` that compile nothing.
UNCOMPILED = ("annotate", "export", "ignore", "is_scripting", "is_tracing", "unused")
SHOWN = (ast.Attribute, ast.Constant, ast.FormattedValue, ast.JoinedStr, ast.Load, ast.Name, ast.keyword)
COMPILERS = ("_dynamo", "_inductor")  # torch's compilers; a student may change their settings


def plain_in(nodes: Sequence[ast.AST]) -> set[int]:
    """Return the ids of the nodes that only look like a detour."""
    found = {id(part) for node in nodes for part in nodes_in(_held(node))}
    found |= {id(part) for node in nodes for part in _alone(node)}
    return found | _of_functions_here(nodes)


def _held(node: ast.AST) -> list[ast.AST]:
    """Return the parts of a node that are harmless with everything inside them."""
    if isinstance(node, ast.Compare):
        return _compared(node)
    if isinstance(node, ast.keyword):  # `timeit.timeit("f(x)", globals=globals())`
        return [node.value] if node.arg == "globals" and _is_bare(node.value, "globals") else []
    if isinstance(node, (ast.For, ast.comprehension)):  # a loop over the names only, without their values
        return [node.iter] if _is_names(node.iter) else []
    if isinstance(node, ast.Delete):
        return [one.value for one in node.targets if isinstance(one, ast.Subscript) and _is_bare(one.value, "globals")]
    if isinstance(node, ast.Attribute):  # `get_ipython().__class__.__name__`
        inner = node.value if node.attr in OF_CLASS else None
        return [inner] if isinstance(inner, ast.Attribute) and inner.attr == "__class__" and _is_shell(inner) else []
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return [one for one in node.decorator_list if _is_of_jit(one, ("script",))]
    if isinstance(node, ast.Call):
        return _called(node)
    return []


def _compared(node: ast.Compare) -> list[ast.AST]:
    """Return the harmless parts of a comparison.

    As in `'x' in globals()`, `get_ipython() is None`, and `'IPKernelApp' in get_ipython().config`.
    """
    found: list[ast.AST] = [one for one in node.comparators if is_modules(one) or _is_bare(one, "globals")]
    found += [one for one in node.comparators if isinstance(one, ast.Attribute) and one.attr == "config"
              and _is_shell(one)]  # fmt: skip
    to_none = all(isinstance(one, ast.Constant) and one.value is None for one in node.comparators)
    return [*found, node.left] if to_none and _is_bare(node.left, "get_ipython") else found


def _called(node: ast.Call) -> list[ast.AST]:
    """Return the harmless parts of a call: `get_ipython()` in `str(get_ipython())`, and the function of a magic."""
    if is_call_of(node, "str"):
        return [*node.args] if len(node.args) == 1 and _is_bare(node.args[0], "get_ipython") else []
    name, *words = magic_of(node) or [""]
    if name == "store":  # with -r it binds names to values from a file
        is_harmless = not any(word.startswith("-r") for word in words)
    elif name == "alias_magic":  # a `%cd` below `%alias_magic cd run` would run a file
        is_harmless = [word for word in words if not word.startswith("-")][1:2] in [[old] for old in HARMLESS]
    else:
        is_harmless = name in HARMLESS
    return [node.func] if is_harmless and _is_shell(node.func) else []


def _alone(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a node that are harmless themselves; what is inside them may not be."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names if not alias.asname]
        if len(names) == len(node.names) and {*names} <= {f"torch.{one}" for one in COMPILERS}:
            yield node
    elif isinstance(node, ast.Attribute) and node.attr in ("config", "reset"):  # `torch._dynamo.config.x = 1`
        inner = node.value
        if isinstance(inner, ast.Attribute) and inner.attr in COMPILERS and root_of(inner.value) == "torch":
            yield inner
    elif isinstance(node, ast.Attribute) and _is_of_jit(node, UNCOMPILED):
        yield node.value


def _of_functions_here(nodes: Sequence[ast.AST]) -> set[int]:
    """Return the ids of two harmless uses of functions: a `torch.jit.script` and a hook that only prints.

    `g = torch.jit.script(f)` is harmless where `f` is defined in these nodes, since its lines are searched, too.
    """
    functions, bound = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}, set[str]()
    scripted: dict[str, list[int]] = {}
    hooks: list[int] = []
    of_scripts: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.Assign) and (name := _script_of(node.value)) in functions:
            scripted.setdefault(name, []).append(id(node.value.func.value))  # type: ignore[attr-defined]
            of_scripts |= {id(one) for one in node.targets}
        elif isinstance(node, ast.Call) and _is_printing_hook(node):
            hooks.append(id(node.func))
        bound |= {name} if (name := _binds(node)) and id(node) not in of_scripts else set()
    found = {one for name, those in scripted.items() if name not in bound for one in those}
    return found | ({*hooks} if "print" not in bound | functions else set())


def _binds(node: ast.AST) -> str:
    """Return the name that a node binds, or "". The definition of a function is not counted."""
    if isinstance(node, ast.Name):
        return node.id if isinstance(node.ctx, ast.Store) else ""
    if isinstance(node, ast.alias):
        return (node.asname or node.name).split(".")[0]
    if isinstance(node, ast.FunctionDef):
        return ""
    found = (getattr(node, part, None) for part in ("arg", "name", "rest"))
    return next((name for name in found if isinstance(name, str)), "")


def _script_of(value: ast.AST) -> str:
    """Return the name of the function that `torch.jit.script(f)` compiles; "" for any other node."""
    is_script = isinstance(value, ast.Call) and _is_of_jit(value.func, ("script",)) and not value.keywords
    args = value.args if is_script else []  # type: ignore[attr-defined]
    return args[0].id if len(args) == 1 and isinstance(args[0], ast.Name) else ""


def _is_printing_hook(node: ast.Call) -> bool:
    """Whether it is like `x.register_hook(lambda g: print(g.shape))`, which leaves the gradient as it is."""
    hook = node.args[0] if len(node.args) == 1 and not node.keywords else None
    if not (isinstance(node.func, ast.Attribute) and node.func.attr == "register_hook"):
        return False
    return isinstance(hook, ast.Lambda) and is_call_of(hook.body, "print") and all(
        isinstance(part, SHOWN) for part in nodes_in([*hook.body.args, *hook.body.keywords])  # type: ignore[attr-defined]
    )  # fmt: skip


def _is_bare(node: ast.AST, name: str) -> bool:
    """Whether it is a call of this name without arguments, since an argument might hold anything."""
    return is_call_of(node, name) and not (node.args or node.keywords)  # type: ignore[attr-defined]


def _is_names(node: ast.AST) -> bool:
    """Whether it is `globals()` or `globals().keys()`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "keys":
        return not (node.args or node.keywords) and _is_bare(node.func.value, "globals")
    return _is_bare(node, "globals")


def _is_shell(node: ast.AST) -> bool:
    """Whether it is an attribute of `get_ipython()`."""
    return isinstance(node, ast.Attribute) and _is_bare(node.value, "get_ipython")


def _is_of_jit(node: ast.AST, names: Sequence[str]) -> bool:
    """Whether it is one of these names in `torch.jit`.

    As a decorator, `torch.jit.script` is harmless: it compiles the lines below it, which are searched.
    """
    inner = node.value if isinstance(node, ast.Attribute) and node.attr in names else None
    return isinstance(inner, ast.Attribute) and inner.attr == "jit" and isinstance(inner.value, ast.Name)


def is_modules(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "modules" and root_of(node) == "sys"


def root_of(node: ast.expr) -> str:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
