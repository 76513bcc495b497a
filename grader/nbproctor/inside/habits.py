"""Stand-ins for what notebooks take for granted: a shell whose magics work, pip, Colab's modules, torch's compiler.

A student's process has no terminal, network, desktop or compiler. With these in their place, a line that every student
writes does not stop the rest of its cell.
"""

from __future__ import annotations

import builtins
import getpass
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec
from multiprocessing.reduction import ForkingPickler
from types import ModuleType, SimpleNamespace
from typing import Any, NoReturn

import torch

from nbproctor.border.protocol import NO_INPUT

THREADS_MOST = 2
SHELL_S = 5.0  # for a shell command in a cell
INSTALLERS = ("pip", "pip3", "conda", "mamba", "apt", "apt-get", "uv")
_COUNTS = re.compile(r"-[nr]\s*\d+\s+")
# Matches an import of Colab's modules in a `try`, on its line or in the indented lines below it.
_ASKS = re.compile(
    r"^[ \t]*try:(?:.*\n(?:[ \t].*\n|\n)*?[ \t]+|[ \t]*)"
    r"(?:import\b.*\bgoogle\.colab|from +google(?:\.colab| +import +colab))",
    re.M,
)
_OPTIONS = re.compile(r"(?:-[a-z]+(?:\s*\d+)?\s+)*")
_set_num_threads: Callable[[int], None] = torch.set_num_threads


def make_shell() -> Any:
    """An IPython shell whose magics work, without history, output cache or tracebacks."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    config.InteractiveShell.cache_size = 0
    shell = InteractiveShell.instance(config=config)
    shell.showtraceback = lambda *args, **kwargs: None
    shell.showsyntaxerror = lambda *args, **kwargs: None
    shell.ask_exit = lambda: None  # in a notebook `exit()` ends the kernel after the cell; there is no kernel here
    shell.enable_gui = lambda gui=None: None
    shell.enable_matplotlib = lambda gui=None: (gui, "agg")
    shell.system = shell.system_raw = shell.system_piped = lambda command: _system(shell, command)
    for name in ("pip", "conda", "mamba", "uv"):
        shell.register_magic_function(lambda line, name=name: print(_installs(name)), "line", name)
    line_magic = shell.run_line_magic
    shell.run_line_magic = lambda name, line, *args, **kwargs: _line_magic(line_magic, name, line, *args, **kwargs)
    cell_magic = shell.run_cell_magic
    shell.run_cell_magic = lambda name, line, cell: cell_magic(name, _once(line) if name == "timeit" else line, cell)
    return shell


def _once(line: str) -> str:
    """The line of a `%timeit`, changed so that its statement runs only once.

    By itself `%timeit` repeats a statement for 2 to 15 seconds, which a cell here may not take. Nobody reads the time.
    """
    options = _OPTIONS.match(f"{line} ")[0]  # type: ignore[index]  # it matches at least the empty string
    return f"-n 1 -r 1 {_COUNTS.sub('', options)}{line[len(options) :]}"


def _installs(name: str) -> str:
    return f"{name}: nothing is installed while a notebook is graded; the course's packages are here"


def _system(shell: Any, command: str) -> None:
    """Run `!command`: print its output, and ignore a failure, as a notebook does. Installers are answered by a line."""
    command = str(shell.var_expand(command, depth=2))
    words = command.split()
    if words and (words[0] in INSTALLERS or words[1:3] == ["-m", "pip"]):
        print(_installs(words[0]))
        return
    code = 1
    try:
        done = subprocess.run(command, shell=True, capture_output=True, timeout=SHELL_S, check=False)  # noqa: S602
        print((done.stdout + done.stderr).decode(errors="replace"), end="")
        code = done.returncode
    except (OSError, ValueError, subprocess.SubprocessError) as error:  # ValueError: a NUL in the command
        print(f"{command[:80]}: {type(error).__name__}")
    shell.user_ns["_exit_code"] = code


def _line_magic(run: Callable[..., Any], name: str, line: str, *args: Any, **kwargs: Any) -> Any:
    """Run a line magic. Where it is unknown, or needs something that is missing, print that and let the cell go on."""
    from IPython.core.error import UsageError

    if name == "timeit":
        line = _once(line)
    try:
        kwargs["_stack_depth"] = kwargs.get("_stack_depth", 1) + 2
        return run(name, line, *args, **kwargs)
    except (UsageError, OSError, NotImplementedError, ImportError) as error:
        if isinstance(error, NotImplementedError) and name in ("time", "timeit", "run", "prun"):
            raise
        print(f"%{name}: {error}")
        return None


def set_num_threads(nthreads: int) -> None:
    """Like `torch.set_num_threads`, but with at most THREADS_MOST: a library that gets no thread ends the process."""
    _set_num_threads(max(1, min(int(nthreads), THREADS_MOST)))


def _no_input(*_: Any, **__: Any) -> NoReturn:
    raise EOFError(NO_INPUT)


def install() -> None:
    """Put the stand-ins in their places. The zygote calls this once."""
    builtins.input = getpass.getpass = _no_input
    torch.set_num_threads = set_num_threads
    # There is no compiler here; an answer computes the same without it.
    vars(torch)["compile"] = lambda model=None, **_: (lambda function: function) if model is None else model
    # `manual_seed` formats its caller's stack for devices that are not here: 2 ms, since it reads the source files.
    for device in (torch.cuda, torch.mtia, torch.xpu):
        vars(device)["traceback"] = SimpleNamespace(format_stack=list)
    _send_by_value()
    google = sys.modules.setdefault("google", ModuleType("google"))
    vars(google).setdefault("__path__", [])
    sys.meta_path.insert(0, COLAB)


def _send_by_value() -> None:
    """Have a notebook's processes, such as a DataLoader's workers, send tensors to one another by value.

    By default they send handles on shared memory. The kernel limits the handles that one user may have in transit, and
    all students' processes run as the same user: a student who leaves handles in transit would stop the workers of all
    others.
    """
    sends = ForkingPickler._extra_reducers  # type: ignore[attr-defined]
    for kind in [kind for kind in sends if kind.__module__.startswith("torch")]:
        del sends[kind]


class _Colab:
    """Finds a stand-in for each of Google's and Kaggle's modules when a cell imports it. All that it has does nothing.

    A notebook finds out whether it runs on Colab by `'google.colab' in sys.modules`, so they are not there before, or
    by importing them in a `try`. asked: whether the cell that runs does the latter; then they are not found.
    """

    asked = False

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        parts = name.split(".")
        is_theirs = parts[:2] == ["google", "colab"] or parts[0] in ("kaggle_secrets", "kaggle_datasets", "dbutils")
        return ModuleSpec(name, self, is_package=True) if is_theirs and not self.asked else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Idle(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: the module is complete."""


class _Idle(ModuleType):
    """A module, and whatever is taken from it: it can be called, indexed, entered and run through, and does nothing."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return {"upload": lambda *_, **__: {}, "get": lambda *_, **__: ""}.get(name) or _Idle(f"{self.__name__}.{name}")

    def __call__(self, *_: Any, **__: Any) -> _Idle:
        return self

    def __enter__(self) -> _Idle:
        return self

    def __exit__(self, *_: Any) -> None:
        return None

    def __iter__(self) -> Iterator[Any]:
        return iter(())


COLAB = _Colab()


def asks_for_colab(source: str) -> bool:
    """Whether a cell imports one of Google's modules in a `try`, to know where it runs."""
    return "google" in source and _ASKS.search(source) is not None
