"""What a student's code needs and the grader's machine has not: a package, a newer Python, a GPU.

Where that stops an answer, nobody knows whether it is right. So it gets no score, not a score of zero, and both sides
are told: the student that it may not be their fault, the instructor what to do. A student can bring this about on
purpose; then the answer waits for the instructor, as any other without a score does.
"""

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from nbproctor.exam.failures import raised_behind
from nbproctor.source.newer import HERE, newer_python
from nbproctor.values.text import Clean, line

_MODULE = re.compile(r"No module named '(\w+)[.\w]*'")
_DEVICE = re.compile(
    r"not compiled with \w+ enabled|not linked with support for \w+ devices|No \w+ GPUs are available|no NVIDIA driver"
    r"|from the '(?:CUDA|MPS|XPU|HIP)' backend|without MPS backend|CUDA generator|object on a CUDA device"
)
UNSCORED = "You have no score for this yet, which is not a score of zero, and your instructor has been told."


@dataclass(frozen=True)
class Lack:
    """Something that is missing here.

    message: what the student reads; where an answer gets no score for it, UNSCORED follows. todo: what the instructor
    reads, that is, what is missing and what to do about it.
    """

    message: Clean
    todo: Clean


def lack(error: BaseException, sources: Sequence[str] = ()) -> Lack | None:
    """Return what this machine lacks, where that raised the exception in the student's process; else None.

    sources: what ran, where the exception may come from its syntax.
    """
    for raised in raised_behind(error):
        if raised.kind == "ModuleNotFoundError" and (named := _MODULE.search(raised.message)):
            module = named[1]  # one that is loaded, such as `__main__`, need not have a spec
            is_here = module in sys.modules or module in sys.builtin_module_names or find_spec(module) is not None
            return None if is_here else _package(module)
        if raised.kind in ("SyntaxError", "IndentationError") and (python := newer_python(sources)):
            return _python(python)
        if _DEVICE.search(raised.message):
            return _device()
    return None


def _package(module: str) -> Lack:
    return _lack(
        f"it imports {module}, which is neither installed where it was graded nor among the files that you handed in. "
        "If it is a file of your own, hand it in as well; if not, this is not your fault",
        f"{module} is imported and is not here. If it is a package that you know, install it (`.venv/bin/pip install "
        f"{module}`), and the same command grades again; if it is a file of the student's own, it was not handed in",
    )


def _python(python: str) -> Lack:
    ours = ".".join(map(str, HERE))
    return _lack(
        f"it is written in the syntax of Python {python}, and was graded with Python {ours}. This is not your fault",
        f"it is written in the syntax of Python {python}, and the grader has {ours} here. Give it a newer one (`make "
        f"clean`, then `make setup PYTHON=python{python}`), and the same command grades again",
    )


def _device() -> Lack:
    return _lack(
        "it asks for a GPU, and there is none where it was graded. This is not your fault",
        "a GPU is asked for, which no unit needs, and answers are graded without one: give points by hand in "
        "formgrader, or ask for a notebook that leaves the device as it is",
    )


def _lack(message: str, todo: str) -> Lack:
    return Lack(line(f"could not be tried here: {message}.", 600), line(todo, 600))
