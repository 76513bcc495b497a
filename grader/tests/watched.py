"""An audit hook that logs what this process and its forks compile, evaluate, import and unpickle against the rules.

Libraries may do what they need for themselves, and the grader may compile the course's own cells. The forks that read a
student's source (`bounded`) may also parse it; but they may evaluate nothing of it either.
"""

import ast
import importlib.metadata
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from nbproctor.authoring.pack import program_in
from nbproctor.border import bounded
from nbproctor.course.units import Unit
from nbproctor.values.notebook import source_of

LIBRARIES = tuple(map(os.path.realpath, {sys.prefix, sys.base_prefix}))
OURS = {"nbproctor", "checking", *(path.stem for path in Path(__file__).parent.rglob("*.py"))}


class Guard:
    """The hook and its settings.

    log: where it writes, or None while it is not on guard.
    texts: what the grader itself may compile. foreign: lines of students that nothing may compile.
    modules: the packages that may be imported.
    """

    def __init__(self) -> None:
        self.log: Path | None = None
        self.texts: frozenset[str] = frozenset()
        self.foreign: tuple[str, ...] = ()
        self.modules: set[str] = set()

    def tell(self, kind: str, words: str) -> None:
        assert self.log is not None
        log = os.open(self.log, os.O_WRONLY | os.O_APPEND)  # opened anew, since a fork may have closed its handles
        os.write(log, f"{kind} {os.getpid()} {words[:150]!r}\n".encode())
        os.close(log)

    def hook(self, event: str, args: tuple[Any, ...]) -> None:
        if self.log is None or event not in ("compile", "exec", "import", "pickle.find_class", "marshal.loads"):
            return
        frame = sys._getframe(1)
        if event == "compile":
            self._compiled(args[0], frame)
        elif event == "exec":
            code: CodeType = args[0]
            ours = code.co_filename == "<check>" or code.co_filename.startswith("solutions/")
            ours |= frame.f_code.co_filename == "<check>"  # the setup cell, which runs the program that it has packed
            if not ours and not _is_library(frame):
                self.tell("evaluated", f"{code.co_filename} by {frame.f_code.co_filename}")
        elif event == "import":
            name = str(args[0]).split(".")[0]
            if name not in self.modules and not name.startswith("_"):
                self.tell("imported", str(args[0]))
        elif event == "pickle.find_class" or not _is_library(frame):
            self.tell("unpickled", f"{args} by {frame.f_code.co_filename}")

    def _compiled(self, source: Any, frame: FrameType) -> None:
        text = source.decode(errors="replace") if isinstance(source, bytes) else source
        if not isinstance(text, str) or frame.f_code.co_filename.startswith("<frozen importlib"):
            return  # a tree, whose text was judged when it was parsed; or a module, which "import" judges
        if text in self.texts:
            self.tell("seen", "")
        elif _is_reader(frame):
            return
        elif not _is_library(frame) or any(line in text for line in self.foreign):
            self.tell("compiled", f"{text} by {frame.f_code.co_filename}")


GUARD = Guard()
sys.addaudithook(GUARD.hook)  # an audit hook cannot be removed; it does nothing while `log` is None


def _is_reader(frame: FrameType | None) -> bool:
    """Whether this is a fork that `bounded` has made: such a fork parses students' text within limits."""
    while frame is not None and frame.f_code is not bounded._child.__code__:
        frame = frame.f_back
    return frame is not None


def _is_library(frame: FrameType) -> bool:
    name = frame.f_code.co_filename
    return name.startswith("<frozen") or os.path.realpath(name).startswith(LIBRARIES)


@contextmanager
def on_guard(log: Path, texts: Iterable[str], foreign: Iterable[str]) -> Iterator[None]:
    """While this lasts, log each breach of the rules, and each cell of the course that is compiled."""
    GUARD.modules = {*sys.stdlib_module_names, *importlib.metadata.packages_distributions(), *OURS}
    GUARD.texts, GUARD.foreign = frozenset(texts), tuple(foreign)
    log.touch()
    GUARD.log = log
    try:
        yield
    finally:
        GUARD.log = None


def texts_of(unit: Unit) -> set[str]:
    """The cells of the course that the grader may compile."""
    checks = [check.source for e in unit.exercises for check in (e.check, e.hidden)]
    return {unit.setup, *checks, *(e.solution for e in unit.exercises), *_packed_in(unit.setup)}


def _packed_in(setup: str) -> set[str]:
    """The program that a setup cell has packed, and the sources of the modules that it makes."""
    program = program_in(setup)
    call = ast.parse(program).body[-1] if program else None
    if not isinstance(call, ast.Expr) or not isinstance(call.value, ast.Call):
        return set()
    modules = ast.literal_eval(call.value.args[0])  # name -> its file in the repository, its text
    return {program, *(text for _, text in modules.values())}


def foreign_to(unit: Unit, notebooks: Iterable[dict[str, Any]]) -> list[str]:
    """The lines of these notebooks that stand in no cell of the course."""
    known = "\n".join(map(source_of, [*unit.instructor["cells"], *unit.notebook["cells"]]))
    sources = [source_of(cell) for notebook in notebooks for cell in notebook["cells"]]
    lines = {line.strip() for source in sources for line in source.splitlines()}
    return sorted(line for line in lines if len(line) > 20 and line not in known)


def told(log: Path, processes: int = 1) -> list[str]:
    """The breaches in the log. Fails where fewer than this many processes have been watched at their work."""
    lines = log.read_text().splitlines()
    seen = {line.split(" ")[1] for line in lines if line.startswith("seen ")}
    assert len(seen) >= processes, "the hook was not there"
    return [line for line in lines if not line.startswith("seen ")]
