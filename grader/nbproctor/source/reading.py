"""Reads the source of cells without running it: the names that they bind and need, and the exercises they answer.

The text comes from students, so all of this runs in a bounded process (`bounded`): a source that is slow or huge to
read costs nobody else a point.
"""

import ast
import builtins
import re
import signal
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Set
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache

from IPython.core.inputtransformer2 import TransformerManager

SOURCE_MOST = 200_000  # characters of one cell; a longer one runs, but is not read
CELL_S = 2.0  # of processor time for reading one cell; a slower one runs, but is not read
CELLS_S = 6.0  # the same for all cells of a notebook
BLOCKS_MOST = 100  # nested blocks that are read in their order; in an `elif` chain, each branch is nested in the last
NODES_KEPT = 1 << 16  # syntax nodes in each cache; more than the course and a notebook have
WRAPPING = ("%%time", "%%timeit", "%%capture", "%%prun")  # cell magics that run the cell as it stands
# Line magics that run the rest of their line, also in an assignment: `spent = %timeit -o`.
_TIMED = re.compile(
    r"^([ \t]*(?:\w+[ \t]*=[ \t]*)?)%(?:timeit|time|memit|prun)[ \t]+(?:-\w+[ \t]+(?:\d+[ \t]+)?)*", re.M
)
BUILTINS = frozenset(dir(builtins))
# DOING: functions whose effects do not show in the names of a cell. SEEDING: calls on a library that change no answer.
DOING = ("__import__", "delattr", "eval", "exec", "get_ipython", "globals", "locals", "open", "setattr", "vars")
SEEDING = ("manual_seed", "seed", "set_printoptions")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_CLOSED = (*_FUNCTIONS, ast.ClassDef, *_COMPREHENSIONS)  # scopes of their own: what they bind is not the cell's


@dataclass(frozen=True)
class Reading:
    """What the source of one cell tells about it.

    tree: None if the cell does not parse; then all other fields are empty. It may run nevertheless.
    binds: the names to which the cell gives a value at its top level, in order.
    needs: the names that it reads and that come from elsewhere.
    later: those of `needs` that a function of the cell reads when it is called.
    touches: the names whose objects it may change (`table[0] = 1`, `x.zero_()`).
    imports: those of `binds` whose value comes from an import alone.
    """

    tree: ast.Module | None
    binds: tuple[str, ...] = ()
    needs: frozenset[str] = frozenset()
    touches: frozenset[str] = frozenset()
    later: frozenset[str] = frozenset()
    imports: frozenset[str] = frozenset()


class _TooLong(BaseException):
    """Reading a cell takes too long. It is a BaseException, so that no library catches it."""


def read_each(sources: Iterable[str]) -> list[Reading]:
    """Read the cells of a notebook. One that takes too long to read costs itself alone: its Reading is empty."""

    def stop(*_: object) -> None:
        raise _TooLong

    found, left_s = list[Reading](), CELLS_S
    previous = signal.signal(signal.SIGPROF, stop)
    try:
        for source in sources:
            limit_s = min(CELL_S, left_s)
            try:
                signal.setitimer(signal.ITIMER_PROF, limit_s)
                found.append(read(source))
                left_s = max(0.001, left_s - limit_s + signal.setitimer(signal.ITIMER_PROF, 0)[0])
            except (_TooLong, MemoryError):
                found.append(Reading(None))
                left_s = max(0.001, left_s - limit_s)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)
    return found


@lru_cache(maxsize=2048)
def read(source: str) -> Reading:
    """Read a cell, magics included. A source that was read before, here or before the fork, is not read again."""
    tree = parse(source)
    if tree is None:
        return Reading(None)
    names = _Names()
    try:
        for statement in tree.body:
            names.read(statement)
    except RecursionError:  # functions nested in functions
        return Reading(None)
    binds = tuple(names.bound)
    needed, touched, late = (frozenset(found) for found in (names.needed(), names.touched, names.late))
    return Reading(tree, binds, needed, touched, late, names.imported(tree))


def parse(source: str) -> ast.Module | None:
    """Return the syntax tree of what a notebook would run; None if the source cannot be parsed."""
    if len(source) > SOURCE_MOST:
        return None
    with warnings.catch_warnings(action="ignore"):  # warnings of Python about the student's source
        for text in spellings(source):
            with suppress(SyntaxError, ValueError, IndexError, RecursionError, MemoryError):
                return ast.parse(text)
    return None


def spellings(source: str) -> Iterator[str]:
    """Yield a cell as Python: without the magic that wraps it, and then as IPython translates it, if it can."""
    text = _unwrapped(source)
    yield text
    written = ""
    with suppress(SyntaxError, ValueError, IndexError, RecursionError, MemoryError):
        written = TransformerManager().transform_cell(_TIMED.sub(r"\1", text))  # a timed statement stays as it is
    yield written


def _unwrapped(source: str) -> str:
    """Return a cell without the cell magics that run it unchanged; the lines keep their numbers."""
    lines = source.split("\n")
    for number, line in enumerate(lines):
        first = line.strip()
        if first.startswith(WRAPPING):
            lines[number] = ""
        elif first:
            break
    return "\n".join(lines)


@dataclass
class _Names:
    """Collects, statement by statement, what a cell does to names."""

    bound: Counter[str] = field(default_factory=Counter)  # in order, with how often each is bound
    early: set[str] = field(default_factory=set)  # needed when the statement runs
    late: set[str] = field(default_factory=set)  # needed when a function of the cell is called
    touched: set[str] = field(default_factory=set)

    def needed(self) -> set[str]:
        return (self.early | (self.late - self.bound.keys())) - BUILTINS

    def imported(self, tree: ast.Module) -> frozenset[str]:
        """The names that only imports bind in the cell."""
        imports = (node for node in _outside_functions(tree) if isinstance(node, (ast.Import, ast.ImportFrom)))
        times = Counter(name for node in imports for name in bound_by(node))
        return frozenset(name for name, count in self.bound.items() if times[name] == count)

    def read(self, statement: ast.stmt, depth: int = 0) -> None:
        self.touched |= set(_touched(statement))
        if isinstance(statement, (*_FUNCTIONS, ast.ClassDef)):
            self._read(statement)
            return
        inner = [child for child in ast.iter_child_nodes(statement) if isinstance(child, (ast.stmt, ast.ExceptHandler))]
        if not inner or depth == BLOCKS_MOST:
            self._read(statement)
            return
        for child in ast.iter_child_nodes(statement):  # of a block: first its head, then its statements in their order
            if isinstance(child, ast.ExceptHandler):
                self.bound.update([child.name] if child.name else [])
                for one in child.body:
                    self.read(one, depth + 1)
            elif isinstance(child, ast.stmt):
                self.read(child, depth + 1)
            else:
                self._read(child)

    def _read(self, node: ast.AST) -> None:
        now, later = _loads(node)
        self.early.update(name for name in now if name not in self.bound)
        self.late |= later
        self.bound.update(bound_by(node))


@lru_cache(maxsize=NODES_KEPT)
def bound_by(statement: ast.AST) -> tuple[str, ...]:
    """Return the names that a top-level statement gives a value, also in its blocks, but not in its functions."""
    found: list[str] = []
    bare: set[str] = set()
    for node in _outside_functions(statement):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.append(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.append(node.id)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found += [(alias.asname or alias.name).split(".")[0] for alias in node.names]
        elif isinstance(node, ast.AnnAssign) and node.value is None and isinstance(node.target, ast.Name):
            bare.add(node.target.id)  # `name: kind` alone gives the name no value
    return tuple(name for name in found if name not in bare)


def _outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    """The node and the nodes in it, without what is inside functions, classes and comprehensions."""
    stack = [node]
    while stack:
        one = stack.pop()
        yield one
        if not isinstance(one, _CLOSED):
            stack += reversed([*ast.iter_child_nodes(one)])


@lru_cache(maxsize=NODES_KEPT)
def _loads(node: ast.AST) -> tuple[frozenset[str], frozenset[str]]:
    """The names that a node reads when it runs, and those that functions in it read when they are called."""
    now: set[str] = set()
    later: set[str] = set()
    inner: set[str] = set()  # names that comprehensions bind for themselves
    stack = [node]
    while stack:
        one = stack.pop()
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            later |= _free(one)
            arguments = one.args
            stack += [d for d in (*arguments.defaults, *arguments.kw_defaults) if d is not None]
            stack += [] if isinstance(one, ast.Lambda) else one.decorator_list
            continue
        if isinstance(one, ast.ClassDef):
            own = {name for statement in one.body for name in bound_by(statement)}
            for statement in one.body:
                soon, afterwards = _loads(statement)
                now |= soon - own
                later |= afterwards
            stack += [*one.bases, *one.decorator_list, *one.keywords]
            continue
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load):
            now.add(one.id)
        elif isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Name):
            now.add(one.target.id)
        elif isinstance(one, ast.comprehension):
            inner |= {leaf.id for leaf in ast.walk(one.target) if isinstance(leaf, ast.Name)}
        stack += ast.iter_child_nodes(one)
    return frozenset(now - inner), frozenset(later)


def _free(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> set[str]:
    """The global names that a function's body reads."""
    arguments = function.args
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
    local = {argument.arg for argument in every if argument is not None}
    body = [function.body] if isinstance(function, ast.Lambda) else function.body
    declared: set[str] = set()
    found: set[str] = set()
    for part in body:
        for node in ast.walk(part):
            if isinstance(node, ast.Global):
                declared |= set(node.names)
        now, later = _loads(part)
        found |= now | later
        local |= set(bound_by(part)) if isinstance(part, ast.stmt) else set()
    return found - (local - declared)


def _touched(statement: ast.stmt) -> Iterator[str]:
    for node in _outside_functions(statement):
        if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, (ast.Store, ast.Del)):
            yield root_of(node)
        elif isinstance(node, ast.AugAssign):
            yield root_of(node.target)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield root_of(node.value.func)


def root_of(node: ast.expr) -> str:
    """The name with which an expression like `a.b[0].c()` begins; "" if it begins with something else."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def completes(tree: ast.Module | None, name: str, callable_: bool) -> bool:
    """Whether a cell gives `name` a value that could be an answer. callable_: whether an answer has to be callable."""
    for statement in tree.body if tree else []:
        for node in _outside_functions(statement):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node.name == name:
                return True
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                if any(isinstance(target, ast.Name) and target.id == name for target in targets):
                    kinds = (ast.Name, ast.Attribute, ast.Call, ast.Lambda)
                    return not callable_ or isinstance(node.value, kinds)
            if isinstance(node, (ast.Import, ast.ImportFrom)) and name in bound_by(statement):
                return True
            if not callable_ and isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == name:
                return name in bound_by(statement)
    return False


def cut_after(source: str, tree: ast.Module | None, names: Iterable[str]) -> str:
    """Return the source up to the last statement that binds one of the names; "" if none does, or it ends the cell."""
    wanted, body = set(names), tree.body if tree else []
    backwards = range(len(body) - 1, -1, -1) if wanted else ()
    last = next((n for n in backwards if wanted & set(bound_by(body[n]))), -1)
    if last < 0 or last == len(body) - 1:
        return ""
    lines = source.splitlines()
    return "\n".join(lines[: body[last].end_lineno])


def acts_beyond(reading: Reading, libraries: Set[str]) -> bool:
    """Whether a cell may change a library or run code made up at run time, as one that does not parse may."""
    if reading.tree is None or "*" in reading.binds:
        return True
    for node in ast.walk(reading.tree):
        if isinstance(node, ast.Global) or (isinstance(node, ast.Name) and node.id in DOING):
            return True
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            return True  # it changes how the cells below are compiled
        if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            changed = root_of(node)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            called = node.value.func
            changed = root_of(called) if isinstance(called, ast.Attribute) and called.attr not in SEEDING else ""
        else:
            continue
        if changed in libraries:
            return True
    return False


def cells_needed(cells: list[tuple[bool, Reading]]) -> set[int]:
    """Return the numbers of the waiting cells that a running cell needs.

    cells: for each cell whether it runs anyway, and its reading.
    A cell needs the last cell before it that binds a name which it reads, or, if there is none, the first one after it,
    if a function of the cell reads the name when it is called. It also needs the cells in between that change the
    object. Imported modules do not count: a notebook that imports torch again does not need our figure because the cell
    that draws it seeds torch.
    """
    binders: dict[str, list[int]] = {}
    touchers: dict[str, list[int]] = {}
    for number, (_, reading) in enumerate(cells):
        for name in reading.binds:
            binders.setdefault(name, []).append(number)
        for name in reading.touches:
            touchers.setdefault(name, []).append(number)
    found: set[int] = set()
    todo = [number for number, (runs, _) in enumerate(cells) if runs]
    while todo:
        number = todo.pop()
        for name in cells[number][1].needs:
            before = [n for n in binders.get(name, []) if n < number]
            after = [n for n in binders.get(name, []) if n > number]
            wanted = before[-1:] or (after[:1] if name in cells[number][1].later else [])
            if wanted and name not in cells[wanted[0]][1].imports:
                wanted += [n for n in touchers.get(name, []) if wanted[0] < n < number]
            new = {n for n in wanted if not cells[n][0]} - found
            found |= new
            todo += new
    return found
