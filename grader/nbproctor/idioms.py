"""Recognises idioms of notebooks that only look like tampering: a debugging print, a temporary file, a look at /proc.

Each idiom is recognised by its whole shape, and reported as a habit instead of an attack. The same function in any
other use is no idiom.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence

Parents = dict[int, ast.AST]  # id of a node -> its parent

OF_CODE = ("co_filename", "co_firstlineno", "co_name", "co_qualname")  # attributes that are text or numbers
MACHINE = ("/proc/cpuinfo", "/proc/loadavg", "/proc/meminfo", "/proc/uptime", "/proc/version")
ASKED_OF_A_PATH = ("exists", "isdir", "isfile")
OF_PROCESSES = re.compile(r"/proc/*(?:self|thread-self|\d|.*\.\.)")
ASKED_OF_A_TENSOR = (
    "device",
    "dtype",
    "element_size",
    "is_cuda",
    "nelement",
    "numel",
    "requires_grad",
    "shape",
    "size",
)
TESTS = ("hasattr", "id", "is_tensor", "isinstance", "type")
KINDS = ("Tensor", "nn.Module", "nn.Parameter")
OF_LAYERS = ("bias", "weight")  # set on nn.Module, they would hide a layer's own


def idioms_in(nodes: Sequence[ast.AST]) -> set[int]:
    """Return the ids of the nodes that are part of an idiom."""
    parents = {id(child): node for node in nodes for child in ast.iter_child_nodes(node)}
    handles = _handles(nodes)
    classes = {node.name for node in nodes if isinstance(node, ast.ClassDef)} - set(_bound(nodes))
    functions = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    return {
        id(node)
        for node in nodes
        if _is_name_of_a_function(node, parents)
        or _is_call_on(node, parents, handles)
        or _is_about_the_machine(node, parents)
        or _is_about_a_class_of_theirs(node, parents, classes)
        or _is_new_method(node, parents, functions)
        or _is_count_of_tensors(node, parents, nodes)
    }


def _bound(nodes: Sequence[ast.AST]) -> Counter[str]:
    """Count how often each name is bound; the definition of a class is not counted."""
    found: Counter[str] = Counter()
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found[node.id] += 1
        elif isinstance(node, ast.alias):
            found[(node.asname or node.name).split(".")[0]] += 1
        elif not isinstance(node, ast.ClassDef):  # arguments, functions, names after `except` and in `case`
            found.update(name for part in ("arg", "name", "rest") if isinstance(name := getattr(node, part, None), str))
    return found


def _above(node: ast.AST, parents: Parents) -> Iterator[ast.AST]:
    """Yield the attributes and calls around an expression, from the inside: for `a` in `a.b().c`: `.b`, `()`, `.c`."""
    while isinstance(above := parents.get(id(node)), (ast.Attribute, ast.Call)):
        if node is not (above.value if isinstance(above, ast.Attribute) else above.func):
            return
        yield (node := above)


def _is_name_of_a_function(node: ast.AST, parents: Parents) -> bool:
    """Whether a frame is only asked for text or a number.

    As in `sys._getframe(1).f_code.co_name` and `inspect.currentframe().f_back.f_lineno`.
    """
    if not (isinstance(node, ast.Attribute) and node.attr in ("_getframe", "f_back", "tb_frame")):
        return False
    steps = list(_above(node, parents))
    if node.attr == "_getframe":
        call = steps.pop(0) if steps else None
        if not (isinstance(call, ast.Call) and [_number(one) for one in call.args] in ([], [0], [1])):
            return False
        if steps and _attr(steps[0]) == "f_back":
            steps.pop(0)
    told = [_attr(step) for step in steps[:2]]
    return told[:1] == ["f_lineno"] or (told[:1] == ["f_code"] and told[-1] in OF_CODE)


def _attr(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) else ""


def _number(node: ast.expr) -> object:
    return node.value if isinstance(node, ast.Constant) else None


def _handles(nodes: Sequence[ast.AST]) -> set[str]:
    """Return the names that stand only for file numbers opened in this code, as in `fd, path = tempfile.mkstemp()`."""
    changed = {_stored(node) for node in nodes} & {"mkstemp", "open"}
    bound, opened = _bound(nodes), Counter[str]()
    for node in nodes:
        if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and len(node.targets) == 1):
            continue
        call, target = ast.unparse(node.value.func), node.targets[0]
        if call in ("tempfile.mkstemp", "mkstemp") and isinstance(target, ast.Tuple) and len(target.elts) == 2:
            target = target.elts[0]
        elif call != "os.open":
            continue
        if isinstance(target, ast.Name):
            opened[target.id] += 1
    return {
        name for name, count in opened.items() if count == bound[name] and not changed and not bound["tempfile"] > 1
    }


def _stored(node: ast.AST) -> str:
    """Return the name that an assignment to an attribute, or a definition, redefines; "" for any other node."""
    if isinstance(node, ast.Attribute):
        return "" if isinstance(node.ctx, ast.Load) else node.attr
    return node.name if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else ""


def _is_call_on(node: ast.AST, parents: Parents, handles: set[str]) -> bool:
    """Whether it is `os.close(fd)` or `os.write(fd, text)`, where `fd` is one of `handles`."""
    if not (isinstance(node, ast.Attribute) and node.attr in ("close", "write") and _is_name(node.value, "os")):
        return False
    call = parents.get(id(node))
    first = call.args[0] if isinstance(call, ast.Call) and call.func is node and call.args else None
    return isinstance(first, ast.Name) and first.id in handles


def _is_name(node: ast.AST | None, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_about_the_machine(node: ast.AST, parents: Parents) -> bool:
    """Whether a path in /proc is used harmlessly.

    As in `open("/proc/cpuinfo")` and `os.path.exists("/proc/driver/nvidia")`, which say nothing about a process.
    """
    call = parents.get(id(node))
    if not (isinstance(node, ast.Constant) and isinstance(call, ast.Call) and call.args[:1] == [node]):
        return False
    if _is_of_os_path(call.func):
        return not OF_PROCESSES.match(str(node.value))
    return node.value in MACHINE and _is_name(call.func, "open")


def _is_of_os_path(function: ast.expr) -> bool:
    """Whether it is `os.path.exists`, or another function of ASKED_OF_A_PATH."""
    if not (isinstance(function, ast.Attribute) and function.attr in ASKED_OF_A_PATH):
        return False
    inner = function.value
    return isinstance(inner, ast.Attribute) and inner.attr == "path" and _is_name(inner.value, "os")


def _is_about_a_class_of_theirs(node: ast.AST, parents: Parents, classes: set[str]) -> bool:
    """Whether it is `Shape.__subclasses__()`, for a class that the cell defines."""
    if not (isinstance(node, ast.Attribute) and node.attr == "__subclasses__" and isinstance(node.value, ast.Name)):
        return False
    call = parents.get(id(node))
    return node.value.id in classes and isinstance(call, ast.Call) and call.func is node


def _is_new_method(node: ast.AST, parents: Parents, functions: set[str]) -> bool:
    """Whether it adds a method to PyTorch, as in `torch.Tensor.describe = describe`.

    PyTorch must have nothing of this name, and the method must be a function that the code defines itself.
    """
    if isinstance(node, ast.Call) and _is_name(node.func, "setattr") and len(node.args) == 3:
        kind, name, value = node.args
        return isinstance(name, ast.Constant) and _is_new(kind, str(name.value), value, functions)
    assign = parents.get(id(node))
    if not (isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and isinstance(assign, ast.Assign)):
        return False
    return _is_new(node.value, node.attr, assign.value, functions)


def _is_new(kind: ast.expr, name: str, value: ast.expr, functions: set[str]) -> bool:
    if isinstance(value, ast.Call) and _is_name(value.func, "property") and len(value.args) == 1:
        value = value.args[0]
    is_theirs = isinstance(value, ast.Lambda) or (isinstance(value, ast.Name) and value.id in functions)
    path = ast.unparse(kind)
    if not is_theirs or name.startswith("_") or name in OF_LAYERS:
        return False
    if path not in ("torch.Tensor", "nn.Module", "torch.nn.Module"):
        return False
    import torch  # already imported in the process that calls this

    return not hasattr(torch.Tensor if path == "torch.Tensor" else torch.nn.Module, name)


def _is_count_of_tensors(node: ast.AST, parents: Parents, nodes: Sequence[ast.AST]) -> bool:
    """Whether the code only counts or measures the tensors in memory.

    As in `for one in gc.get_objects(): …` outside a function, where each object is only asked whether it is a tensor,
    and for its size; or in `len([one for one in gc.get_objects() if …])` and `len(gc.get_objects())`. None of these
    keeps an object.
    """
    if not (isinstance(node, ast.Attribute) and node.attr == "get_objects" and _is_name(node.value, "gc")):
        return False
    call = parents.get(id(node))
    loop = parents.get(id(call))
    if _is_call_of_len(loop):
        return "len" not in _bound(nodes)
    if not (isinstance(call, ast.Call) and isinstance(loop, (ast.For, ast.comprehension)) and loop.iter is call):
        return False
    inside: ast.AST | None = loop
    while inside is not None:
        if isinstance(inside, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            return False
        inside = parents.get(id(inside))
    if not isinstance(loop.target, ast.Name):
        return False
    scope = nodes if isinstance(loop, ast.For) else list(ast.walk(parents[id(loop)]))
    names = (one for one in scope if isinstance(one, ast.Name) and one.id == loop.target.id)
    uses = [one for one in names if isinstance(one.ctx, ast.Load)]
    return not {*TESTS, "len"} & {*_bound(nodes)} and all(_only_asks(one, parents) for one in uses)


def _only_asks(node: ast.AST, parents: Parents) -> bool:
    above = parents.get(id(node))
    if isinstance(above, ast.Attribute):
        return _attr(above) in ASKED_OF_A_TENSOR or (_attr(above) == "data" and _is_test(parents.get(id(above))))
    if isinstance(above, ast.ListComp):
        return above.elt is node and _is_call_of_len(parents.get(id(above)))
    return _is_test(above)


def _is_test(node: ast.AST | None) -> bool:
    if not isinstance(node, ast.Call):
        return False
    func = ast.unparse(node.func)
    if func == "isinstance":
        return ast.unparse(node.args[-1]).removeprefix("torch.") in KINDS
    return func in TESTS or func == "torch.is_tensor"


def _is_call_of_len(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Call) and _is_name(node.func, "len")
