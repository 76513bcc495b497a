"""Searches a student's source for shortcuts that the exercise forbids, and for tampering that no answer needs.

A shortcut in a statement that the answer reaches has the answer refused; the same name in a self-test beside it does
not. Tampering does not change the result, since the verdict is computed where it has no effect; only the instructor is
told of it.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from functools import lru_cache
from importlib.util import find_spec
from pathlib import PurePosixPath

from nbproctor.idioms import idioms_in
from nbproctor.plain import is_modules, plain_in, root_of
from nbproctor.reading import NODES_KEPT, dumped, is_call_of, nodes_in, nodes_of
from nbproctor.result import Kind
from nbproctor.submission import File

LIBRARIES = (
    "torch",
    "F",
    "nn",
    "np",
    "numpy",
    "plt",
    "matplotlib",
    "builtins",
    "sys",
    "os",
    "time",
    "random",
    "unittest",
)
TOOLS = ("ctypes", "gc", "socket", "subprocess", "multiprocessing", "signal", "pickle", "marshal", "nbproctor")
NEVER = ("ctypes", "marshal", "nbproctor")  # no answer ever needs these
SETTINGS = ("torch.backends.", "torch._dynamo.config.", "torch._inductor.config.", "plt.rcParams", "plt.show",
            "matplotlib.rcParams", "sys.stdout", "sys.stderr", "sys.path", "sys.argv", "sys.excepthook",
            "sys.tracebacklimit", "sys.dont_write_bytecode", "np.random", "builtins.print")  # fmt: skip
# Old names that notebooks put back: `np.float = float`, which numpy had until 1.24, `time.clock`, in Python until 3.8.
ALIASES = ("np.bool", "np.complex", "np.float", "np.int", "np.object", "np.str", "time.clock")
SHOWN_BY = ("__repr__", "__str__", "__format__", "_repr_html_")  # these only change how a tensor is printed
SELDOM = ("__eq__", "__torch_function__")  # some students define these, in a class of values or a tensor with a name
OF_OS = ("_exit", "abort", "close", "closerange", "dup2", "environ", "fork", "forkpty", "kill", "killpg", "popen",
         "setsid", "system", "write")  # fmt: skip
HOOKS = ("_getframe", "_current_frames", "f_builtins", "f_locals", "getargvalues", "get_objects", "get_referrers",
         "settrace", "setprofile", "ast_transformers", "showtraceback", "tb_frame", "f_back", "f_globals", "__reduce__",
         "__reduce_ex__", "__subclasses__", "__stdout__", "__stderr__")  # fmt: skip


UNSEEN = "where a forbidden function would not be seen"
AWAY = "leaves the thread in which forbidden functions are watched for"
WAYS_OUT = ("threading", "_thread", "concurrent", "multiprocessing", "subprocess", "importlib", "runpy", "asyncio")
# These have PyTorch call a function of the student's from its inside, where calls are not watched.
CALLED_INSIDE = ("apply_", "map_", "map2_", "register_hook", "register_multi_grad_hook",
                 "register_post_accumulate_grad_hook", "register_prehook", "saved_tensors_hooks")  # fmt: skip
BY_NAME = ("attrgetter", "methodcaller", "getmembers", "getmembers_static", "getattr_static", "__getattribute__")
RUNNING = ("__import__", "eval", "exec", "globals", "get_ipython", *BY_NAME)
# Parts of torch that get around the watched functions, or compile source text.
INSIDE_TORCH = ("ops", "_C", "_refs", "_decomp", "overrides", "jit", "fx", "export", "package", "cpp_extension")
WRITING = ("write", "writelines", "write_text", "write_bytes", "extractall", "system", "getoutput", "run_cell_magic")
COMPILED = (".pyc", ".pyd", ".so")  # modules without source
PACKED = (".egg", ".whl", ".zip")  # archives that may hold modules
PICKLED = (".bin", ".ckpt", ".dill", ".joblib", ".npy", ".npz", ".pickle", ".pkl", ".pt", ".pth")
PICKLES = ("cloudpickle", "dill", "joblib", "pickle")  # these can load any function
FUNCTIONAL = tuple(
    ast.dump(ast.parse(text, mode="eval").body) for text in ("F", "nn.functional", "torch.nn.functional")
)
READS = ("copy", "get", "items", "keys", "values")  # methods of a dict that change nothing in it


def shortcut_in(
    statements: Iterable[ast.AST], not_with: tuple[str, ...], modules: Set[str] = frozenset()
) -> str | None:
    """The first forbidden name that the statements use as an attribute, import, or ask `getattr` for; None if none.

    An attribute that the statements themselves define, on `self`, on a class or in a module of the student's, is the
    student's own, whatever its name. modules: the names of the student's modules.
    """
    nodes = nodes_in(statements)
    own = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    set_on_self = {node.attr for node in nodes if _is_of(node, ("self",)) and isinstance(node.ctx, ast.Store)}  # type: ignore[attr-defined]
    theirs = {"cls", *_their_own(nodes, modules)}
    for node in nodes:
        found = _forbidden(node, not_with)
        if not found or (_is_of(node, ("self",)) and found in own | set_on_self):
            continue
        if not (_is_of(node, theirs) and found in own):
            return found
    return None


def _is_of(node: ast.AST, names: Collection[str]) -> bool:
    """Whether a node is an attribute of one of these names, or of what a call of one returns: `Loss().forward`."""
    if not isinstance(node, ast.Attribute):
        return False
    value = node.value.func if isinstance(node.value, ast.Call) else node.value
    return isinstance(value, ast.Name) and value.id in names


def _their_own(nodes: Iterable[ast.AST], modules: Set[str]) -> set[str]:
    """The names that stand only for the student's own classes and modules, or for instances of such classes."""
    nodes = list(nodes)
    classes = {node.name for node in nodes if isinstance(node, ast.ClassDef) and not node.decorator_list}
    made = [target for node in nodes if isinstance(node, ast.Assign) and any(is_call_of(node.value, c) for c in classes)
            for target in node.targets if isinstance(target, ast.Name)]  # fmt: skip
    found, others = {*classes, *(target.id for target in made)}, set[str]()
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                (found if alias.name in modules else others).add((alias.asname or alias.name).split(".")[0])
        elif isinstance(node, ast.ImportFrom) and node.module not in modules:
            others |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node not in made:
            others.add(node.id)
        elif not isinstance(node, (ast.ClassDef, ast.alias)):  # arguments, functions, names in `except` and `case`
            others |= {name for field in ("arg", "name", "rest") if isinstance(name := getattr(node, field, None), str)}
    return found - others


def _forbidden(node: ast.AST, not_with: tuple[str, ...]) -> str | None:
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and node.attr.strip("_") in not_with:
        return node.attr.strip("_")  # `torch._softmax` is the same function
    if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ("torch", "numpy", "scipy"):
        return next((alias.name for alias in node.names if alias.name in not_with), None)
    if isinstance(node, ast.MatchClass):
        return next((name for name in node.kwd_attrs if name in not_with), None)
    if is_call_of(node, "getattr"):
        return next((str(value) for value in _names_asked(node) if value in not_with), None)
    return None


def _names_asked(call: ast.AST) -> list[object]:
    """The names that a `getattr` call may ask for; none where one of them is not written out in the source.

    It understands `getattr(nn, "relu")`, `getattr(nn, {"relu": "ReLU"}[name])` and `getattr(nn, "a" if x else "b")`.
    """
    name = call.args[1] if isinstance(call, ast.Call) and len(call.args) > 1 else None
    parts: list[ast.AST | None] = [name]
    if isinstance(name, ast.IfExp):
        parts = [name.body, name.orelse]
    elif isinstance(name, ast.Subscript) and isinstance(name.value, ast.Dict):
        parts = [*name.value.values]
    found: list[object] = [part.value for part in parts if isinstance(part, ast.Constant)]
    return found if len(found) == len(parts) else []


def library_asked(node: ast.AST) -> str:
    """The library that `getattr(F, name)` or `getattr(F, self.name)` asks, as text; "" for any other node.

    `nn.functional` and `torch.nn.functional` are both told as "F".
    """
    if not (is_call_of(node, "getattr") and isinstance(node, ast.Call) and len(node.args) == 2):
        return ""
    library, name = node.args
    if not isinstance(name, ast.Name) and not (isinstance(name, ast.Attribute) and root_of(name) == "self"):
        return ""
    text = dumped(library)
    return "F" if text in FUNCTIONAL else text


def detours_in(statements: Iterable[ast.AST], known: Set[int] = frozenset()) -> list[str]:
    """One line for each way that the statements take around the search for forbidden names; an instructor reads these.

    known: the ids of nodes that are the course's own.
    """
    nodes = nodes_in(statements)
    imports = [node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))]
    imported = {(alias.asname or alias.name).split(".")[0] for node in imports for alias in node.names}
    libraries = {*LIBRARIES, *imported}
    plain = plain_in(nodes) | known
    found = (_detour(node, libraries) for node in nodes if id(node) not in plain)
    return list(dict.fromkeys(words for words in found if words))


def unseen_words(nodes: Iterable[ast.AST], known: Set[int] = frozenset()) -> list[str]:
    """What the instructor is told about `unseen_nodes`, each sentence once. known: ids of nodes to leave out."""
    return list(dict.fromkeys(_unseen(node) for node in nodes if id(node) not in known))


def unseen_nodes(statements: Iterable[ast.AST]) -> list[ast.AST]:
    """The nodes by which the student's cells could give a name a value that no statement shows."""
    return [node for statement in statements for node in _unseen_in(statement)]


@lru_cache(maxsize=NODES_KEPT)
def _unseen_in(statement: ast.AST) -> tuple[ast.AST, ...]:
    """`unseen_nodes` of one statement. Cached: most statements are the course's, and the same in every notebook."""
    nodes = nodes_of(statement)
    plain = plain_in(nodes)
    return tuple(node for node in nodes if id(node) not in plain and _unseen(node))


def as_before(new: ast.AST, old: Sequence[ast.AST], watched: Set[str]) -> bool:
    """Whether a change in a piece of the course's cell has nothing to do with the names that the piece looks up.

    This is so in an older edition of the cell, and in a demonstration that a student has played with: `globals()`
    stands where it stood, and its value is only read.
    new: the changed piece. old: the course's pieces. watched: names that a change must not bring in.
    """
    if _mentioned([new]) & watched - _mentioned(old):
        return False
    parents, parents_before = _parents([new]), _parents(old)
    nodes, nodes_before = unseen_nodes([new]), unseen_nodes(old)
    if Counter(_use(one, parents) for one in nodes) - Counter(_use(one, parents_before) for one in nodes_before):
        return False
    targets = [target for one in nodes for target in _targets(_chain(one, parents)[-1], parents)]
    if not all(isinstance(target, ast.Name) for target in targets):
        return False
    names = {target.id for target in targets if isinstance(target, ast.Name)}
    known = {_use(one, parents_before) for one in _named(old, names)}
    return all(_only_reads(one, parents) or _use(one, parents) in known for one in _named([new], names))


def _named(statements: Iterable[ast.AST], names: Set[str]) -> list[ast.Name]:
    return [node for node in nodes_in(statements) if isinstance(node, ast.Name) and node.id in names]


def _mentioned(statements: Iterable[ast.AST]) -> set[str]:
    """The names, attributes and strings in these statements."""
    nodes = nodes_in(statements)
    found = {node.id if isinstance(node, ast.Name) else node.attr for node in nodes
             if isinstance(node, (ast.Name, ast.Attribute))}  # fmt: skip
    return found | {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


Parents = dict[int, ast.AST]  # the parent of each node, by the node's id


def _parents(statements: Iterable[ast.AST]) -> Parents:
    nodes = nodes_in(statements)
    return {id(child): node for node in nodes for child in ast.iter_child_nodes(node)}


def _chain(node: ast.AST, parents: Parents) -> list[ast.AST]:
    """A name and the expressions that are built on it, step by step: `a`, `a.b`, `a.b[0]`, `a.b[0]()`."""
    chain = [node]
    while (above := parents.get(id(chain[-1]))) is not None:
        if isinstance(above, (ast.Attribute, ast.Subscript)) and above.value is chain[-1]:
            chain.append(above)
        elif isinstance(above, ast.Call) and above.func is chain[-1]:
            chain.append(above)
        else:
            break
    return chain


def _targets(value: ast.AST, parents: Parents) -> list[ast.expr]:
    """The targets to which an assignment gives this value; none outside of one. `a, b = c, d` counts as two."""
    above = parents.get(id(value))
    if isinstance(above, ast.Assign):
        return above.targets
    if isinstance(above, (ast.NamedExpr, ast.AnnAssign)):
        return [above.target]
    assign = parents.get(id(above))
    if not (isinstance(above, ast.Tuple) and isinstance(assign, ast.Assign)):
        return []
    place = next(n for n, one in enumerate(above.elts) if one is value)
    in_pairs = (isinstance(one, ast.Tuple) and len(one.elts) == len(above.elts) for one in assign.targets)
    return [one.elts[place] if paired else one for one, paired in zip(assign.targets, in_pairs, strict=True)]  # type: ignore[attr-defined]


def _use(node: ast.AST, parents: Parents) -> str:
    """How a name is used, as text: the expression that is built on it, and where that stands."""
    last = _chain(node, parents)[-1]
    above = parents.get(id(last))
    called = dumped(above.func) if isinstance(above, ast.Call) else ""
    return f"{dumped(last)} {'=' if _targets(last, parents) else type(above).__name__} {called}"


def _only_reads(node: ast.Name, parents: Parents) -> bool:
    """Whether a name's value is only read: `names.get(x)` or `x in names`. `names = …` does not touch the old value."""
    chain = _chain(node, parents)
    above = parents.get(id(chain[-1]))
    if isinstance(node.ctx, ast.Store):
        return not isinstance(above, ast.AugAssign)
    if len(chain) == 1:
        return isinstance(above, ast.Compare)
    return len(chain) == 3 and isinstance(chain[1], ast.Attribute) and chain[1].attr in READS


def _unseen(node: ast.AST) -> str:
    if isinstance(node, ast.Name) and node.id in ("exec", "globals", "get_ipython", "runpy"):
        return _uses(node.id)
    if isinstance(node, ast.Attribute) and node.attr in ("__globals__", "__builtins__"):
        return f"uses {node.attr}, {UNSEEN}"
    if is_modules(node):
        return f"reads sys.modules, {UNSEEN}"
    imported = _imported(node)
    return next((f"imports {name}, {UNSEEN}" for name in imported if name in ("__main__", "runpy")), "")


def writes_files(statements: Iterable[ast.AST]) -> bool:
    """Whether something in the statements may write a file."""
    nodes = nodes_in(statements)
    return any(isinstance(node, ast.Attribute) and node.attr in WRITING for node in nodes)


def made_elsewhere(reached: Iterable[ast.AST], modules: Set[str]) -> list[str]:
    """One line for each module that the answer imports and that neither the student handed in nor this machine has.

    Where a cell writes files, such a module was made while the notebook ran. modules: the names of the student's
    modules that were read.
    """
    names = {name.split(".")[0] for node in nodes_in(reached) for name in _imported(node)[:1]}
    unknown = sorted(name for name in names - modules - {"", "__main__", "google"} if find_spec(name) is None)
    return [f"imports {name}, which was not handed in, {UNSEEN}" for name in unknown]


def unsearched(statements: Iterable[ast.AST], files: Iterable[File]) -> list[str]:
    """One line for each file that the student's code imports or loads, and that may hold code which was not searched.

    A table of numbers is no such file, nor are weights that `torch.load` reads as weights only.
    """
    files = list(files)
    nodes = nodes_in(statements) if files else []
    imported = {part for node in nodes for name in _imported(node) for part in name.split(".")}
    texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    unpickles = any(_unpickles(node) for node in nodes)
    found = []
    for path in (PurePosixPath(file.name) for file in files):
        is_named = any(path.name in text for text in texts)
        imports = path.suffix in COMPILED and (path.name.split(".")[0] in imported or is_named)
        if imports or (path.suffix in PACKED and is_named):
            found.append(f"imports {path}, which may hold code that was not searched")
        elif unpickles and (path.suffix in PICKLED or is_named):
            found.append(f"loads {path}, which may hold code that was not searched")
    return found


def _unpickles(node: ast.AST) -> bool:
    """Whether a node may load more than numbers: `import pickle`, `weights_only=False`, `allow_pickle=True`."""
    if isinstance(node, ast.keyword) and node.arg in ("weights_only", "allow_pickle"):
        return not (isinstance(node.value, ast.Constant) and node.value.value is (node.arg == "weights_only"))
    if isinstance(node, ast.Attribute):
        return node.attr == "read_pickle"
    return any(name.split(".")[0] in PICKLES for name in _imported(node)[:1])


def _imported(node: ast.AST) -> list[str]:
    """The full names in an import statement: those of modules, and those of what is imported from them."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [node.module or "", *(f"{node.module or ''}.{alias.name}" for alias in node.names)]
    return []


def _detour(node: ast.AST, libraries: Set[str]) -> str:
    if isinstance(node, ast.Attribute):
        return _detour_by_attribute(node)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _detour_by_call(node, node.func.id, libraries)
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return next((words for name in _imported(node) if (words := _detour_by_import(name.split(".")))), "")
    if isinstance(node, ast.Name) and node.id in (*WAYS_OUT, "ThreadPoolExecutor", "Thread"):
        return AWAY
    if isinstance(node, ast.Name) and node.id in RUNNING:
        return _uses(node.id)
    return ""


def _uses(name: str) -> str:
    """What is told of a name that runs code. A student who wrote a magic has never seen IPython's name for it."""
    told = "IPython, as the magics %run and %store do" if name == "get_ipython" else name
    return f"uses {told}, {UNSEEN}"


def _detour_by_import(parts: list[str]) -> str:
    if parts[-1] in BY_NAME:
        return f"imports {parts[-1]}, {UNSEEN}"
    if parts[-1] in CALLED_INSIDE:
        return f"has {parts[-1]} call a function, {UNSEEN}"
    if parts[0] in WAYS_OUT or (parts[0] == "torch" and "multiprocessing" in parts):
        return AWAY
    inside = [part for part in parts[1:] if part in INSIDE_TORCH or (part.startswith("_") and part[:2] != "__")]
    return f"reaches torch.{inside[0]}, {UNSEEN}" if parts[0] == "torch" and inside else ""


def _detour_by_attribute(node: ast.Attribute) -> str:
    root = root_of(node)
    if node.attr == "__dict__" and root != "self":
        return f"reads the __dict__ of {root or 'something'}, {UNSEEN}"
    if is_modules(node):
        return f"reads sys.modules, {UNSEEN}"
    if node.attr in BY_NAME and root not in ("self", ""):
        return f"uses {node.attr}, {UNSEEN}"
    if root == "torch" and node.attr in INSIDE_TORCH:
        return f"reaches torch.{node.attr}, {UNSEEN}"
    if node.attr in WAYS_OUT and root != "self":
        return AWAY
    if node.attr in CALLED_INSIDE:
        return f"has {node.attr} call a function, {UNSEEN}"
    if node.attr in ("_C", "_refs", "_decomp") and root != "self":  # `import torch as t`
        return f"reaches torch.{node.attr}, {UNSEEN}"
    if root in ("torch", "F", "nn") and node.attr.startswith("_") and not node.attr.startswith(("__", "_assert")):
        return f"uses {node.attr}, which is private to torch"
    return ""


def _detour_by_call(node: ast.Call, name: str, libraries: Set[str]) -> str:
    first = root_of(node.args[0]) if node.args else ""
    if name == "vars" and node.args and first != "self":
        return f"asks for vars({first or '…'}), {UNSEEN}"
    if name == "getattr" and len(node.args) > 1 and first in libraries and not _names_asked(node):
        return f"asks {first} for a name that it computes, {UNSEEN}"
    return ""


@lru_cache(maxsize=NODES_KEPT)
def findings_in(tree: ast.AST | None) -> tuple[tuple[Kind, str], ...]:
    """What in a source goes beyond what an answer needs, each once, in the order of the source.

    The kind is "attack" where no honest answer does it, and "info" where some do.
    """
    nodes = nodes_of(tree) if tree else ()
    put_back = {id(node.value) for node in nodes if isinstance(node, ast.Assign) and _puts_back(node)}
    found = [(id(node), *one) for node in nodes if id(node) not in put_back for one in _findings(node)]
    idioms = idioms_in(nodes) if any(kind == "attack" for _, kind, _ in found) else set()
    return tuple(dict.fromkeys(("info" if node in idioms else kind, text) for node, kind, text in found))


def _puts_back(node: ast.Assign) -> bool:
    """Whether an assignment only switches printing on again: `sys.stdout = sys.__stdout__`."""
    words = [ast.unparse(one) for one in (*node.targets, node.value) if isinstance(one, ast.Attribute)]
    return words in (["sys.stdout", "sys.__stdout__"], ["sys.stderr", "sys.__stderr__"])


def _findings(node: ast.AST) -> Iterator[tuple[Kind, str]]:
    if isinstance(node, ast.Attribute):
        yield from _of_attribute(node)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("setattr", "delattr"):
        if node.args and root_of(node.args[0]) in LIBRARIES:
            yield "attack", f"sets attributes of {_told(node.args[0])}"
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and _is_table_of_module(node.value):
        yield "attack", f"sets {_told(node)}"
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name in (*SELDOM, *HOOKS, "__class__"):
        honest = node.name in SELDOM and not _is_always_true(node)
        yield "info" if honest else "attack", f"defines {node.name}"
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
        for name in modules:
            if name.split(".")[0] in TOOLS:
                yield "attack" if name.split(".")[0] in NEVER else "info", f"imports {name}"
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("/proc"):
        yield "attack", "reads /proc"


def _is_always_true(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    returned = [node.value for node in nodes_of(function) if isinstance(node, ast.Return)]
    return all(isinstance(value, ast.Constant) and value.value is True for value in returned)


def _of_attribute(node: ast.Attribute) -> Iterator[tuple[Kind, str]]:
    root = root_of(node)
    if isinstance(node.ctx, ast.Store) and root in LIBRARIES:
        if not (isinstance(node.value, ast.Name) and node.value.id == "self"):
            told = _told(node)
            alias = told.replace("numpy.", "np.") in ALIASES
            harmless = told.startswith(SETTINGS) or node.attr in SHOWN_BY or alias
            yield "info" if harmless else "attack", f"sets {told}"
    elif node.attr in HOOKS:
        yield "attack", f"uses {node.attr}"
    elif node.attr in OF_OS and root == "os":
        yield "info" if node.attr in ("environ", "system", "popen") else "attack", f"uses os.{node.attr}"


def _is_table_of_module(node: ast.expr) -> bool:
    """Whether it is `vars(torch)` or `torch.__dict__`, through which a module's attributes can be set."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "vars" and node.args:
        return root_of(node.args[0]) in LIBRARIES
    return isinstance(node, ast.Attribute) and node.attr == "__dict__" and root_of(node) in LIBRARIES


def _told(node: ast.expr) -> str:
    """The first 60 characters of an expression's source."""
    try:
        return ast.unparse(node)[:60]
    except RecursionError:
        return "something"
