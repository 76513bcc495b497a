"""What a notebook calls `check`: it runs the checks of a unit, and says in plain words how they end."""

from __future__ import annotations

import contextlib
import difflib
import inspect
import io
import itertools
import linecache
import os
import re
import sys
import textwrap
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType, TracebackType
from typing import Any

import torch

from checking import own
from checking.watch import Watch

LINES_MOST, CHARACTERS_MOST = 50, 10_000  # of what an answer prints while its check runs
AGAIN = "Fix that cell and run it, then run this check again."
BUILD = "calls {}, and this exercise asks you to build that yourself."
DO_WITHOUT = "indexes `{}`, and this exercise asks you to do without."
HOLDS = "makes or keeps a number for each pair of a query and a key (or all of its tiles), more the longer the text.\n"
HOLDS += "Keep the inputs, the output and one lse per query, and make each tile again in `backward`."
DO_IT = "says `{}=True`, and this exercise asks you to build that yourself."
Check = Callable[..., str]


def without(*names: str) -> Callable[[Check], Check]:
    """A check of an answer that does without these functions of torch's: the first is told, the others are its kin.

    `getitem:ARG` stands for indexing the argument ARG, `argument:NAME` for NAME=True in a call of torch's, and
    `holds:BYTES` for an autograd.Function that holds so many bytes at once, which a table of all scores would have.
    """

    def mark(check: Check) -> Check:
        check.without = names  # type: ignore[attr-defined]
        return check

    return mark


class Paper(io.TextIOBase):
    """Standard output while a check runs: it passes on the first lines, and counts the rest."""

    def __init__(self, under: Any) -> None:
        self.under, self.lines, self.room, self.lost = under, LINES_MOST, CHARACTERS_MOST, 0

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        kept = "".join(text.splitlines(keepends=True)[: self.lines])[: self.room]
        self.lost += text.count("\n") - kept.count("\n")
        self.lines, self.room = self.lines - kept.count("\n"), self.room - len(kept)
        self.under.write(kept)
        return len(text)

    def flush(self) -> None:
        self.under.flush()

    def end(self) -> None:
        if self.lost:
            self.under.write(f"… and {self.lost:,} more lines. Is there a print in a loop?\n")


class Exercise:
    """The check of one exercise. `check.NAME()` runs it on the answer as it is now; `check.NAME??` shows its source."""

    def __init__(self, of: Notebook, function: Check) -> None:
        self.of, self.__name__, self.__wrapped__ = of, function.__name__.removeprefix("check_"), function
        self.__doc__ = function.__doc__
        self.without: tuple[str, ...] = getattr(function, "without", ())

    def __call__(self) -> None:
        names = sys._getframe(1).f_globals
        self.of.passed.pop(self.__name__, None)
        with self.of.telling(self.__name__):
            said = self._run(self.__wrapped__, names)
        self.of.passed[self.__name__] = names.get(self.__name__)
        self.of.say(said)

    def hidden(self, function: FunctionType) -> None:
        """Run a hidden check, the function below: it sees what the unit's module sees, and its arguments."""
        names = sys._getframe(1).f_globals
        moved = FunctionType(function.__code__, vars(self.of.module), function.__name__)
        with self.of.telling(self.__name__):
            self._run(moved, names)

    def _run(self, function: Callable[..., Any], names: dict[str, Any]) -> Any:
        answers = [self._answer(name, names) for name in inspect.signature(function).parameters]
        if not self.without:
            return function(*answers)
        watch = self.of.watch([name.rpartition(".")[2] for name in self.without], names, self.of.ours)
        answers = [watch.answer(it) if callable(it) else it for it in answers]
        try:
            with watch:
                said = function(*answers)
        except AssertionError:
            if watch.used:
                raise AssertionError(f"Your answer {self._told(watch.used[0])}") from None
            raise
        assert not watch.used, f"The numbers are right, but your answer {self._told(watch.used[0])}"
        return said

    def _told(self, used: str) -> str:
        if used.startswith("getitem:"):
            return DO_WITHOUT.format(used[8:])
        if used.startswith("holds:"):
            return HOLDS
        if used.startswith("argument:"):
            return DO_IT.format(used[9:])
        return BUILD.format(next((name for name in self.without if name.rpartition(".")[2] == used), used))

    def _answer(self, name: str, names: dict[str, Any]) -> Any:
        told = f"The cell that defines `{name}` stopped with an error. {AGAIN}"
        assert name not in self.of.stopped, told
        if name not in names:
            near = difflib.get_close_matches(name, names, 1, 0.85)
            told = f"There is `{near[0]}`. Is one of them misspelt?" if near else missing(NameError())
            raise NameError(f"name '{name}' is not defined. {told}")
        return names[name]


class Notebook:
    """The checks of a unit by the names of its exercises, and which answers have passed."""

    watch: Any = Watch  # a grader that runs answers in another process watches there, and says things elsewhere
    say = staticmethod(print)

    def __init__(self, module: ModuleType) -> None:
        self.module, self.passed, self.stopped = module, dict[str, Any](), set[str]()
        checks = [it for name, it in vars(module).items() if name.startswith("check_")]
        self.exercises = {one.__name__: one for one in (Exercise(self, function) for function in checks)}

    @property
    def ours(self) -> list[dict[str, Any]]:
        """What the checks see as their globals. A property, since the look through all modules is slow."""
        return [vars(self.module), *(vars(it) for name, it in sys.modules.items() if name.startswith("checking."))]

    def __getattr__(self, name: str) -> Exercise:
        if name in self.__dict__.get("exercises", {}):
            return self.exercises[name]
        raise AttributeError(f"there is no exercise {name}: expected one of {', '.join(self.__dict__['exercises'])}")

    def __dir__(self) -> list[str]:
        return [*self.exercises, "parts", "where_you_stand"]

    def where_you_stand(self) -> None:
        """Print how many of the checks pass for the answers as they are now, and what is open."""
        names, lines = sys._getframe(1).f_globals, []
        right = [name for name in self.exercises if name in self.passed.keys() - self.stopped]
        right = [name for name in right if self.passed[name] is names.get(name)]
        lines.append(f"{len(right)} of {len(self.exercises)} checks pass.")
        if len(right) < len(self.exercises):
            lines.append(f"Still open: {', '.join(name for name in self.exercises if name not in right)}.")
            lines.append("(A check counts once it has run on the answer as its cell was last run.)")
        if guesses := [name for name in right if name.startswith("predicted_")]:
            lines.append(f"Of {', '.join(guesses)} the check has seen the form only, not whether it is right.")
        lines.append("To hand in, save this notebook under its own name. You may hand in what you have.")
        print("\n".join(textwrap.fill(line, 95) for line in lines))

    def parts(self) -> None:
        """Print which of the parts that earlier units built are the reader's own, and which are the course's."""
        names = sys._getframe(1).f_globals
        whose = {name: own.whose(names.get(name), name, text) for name, text in own.OURS.items()}
        for owner in dict.fromkeys(whose.values()):
            print(textwrap.fill(f"{owner}: {', '.join(n for n, it in whose.items() if it == owner)}", 95))
        if {*whose.values()} == {own.YOURS}:
            print("Every number of this model passes through code that you wrote.")

    @contextlib.contextmanager
    def telling(self, exercise: str) -> Iterator[None]:
        """What a check prints is kept short, the random state is given back, and an error is told in a sentence.

        What is written to stderr goes to stdout: nbgrader gives a check with a warning no point.
        """
        random, began, paper = torch.get_rng_state(), time.monotonic(), Paper(sys.stdout)
        try:
            with contextlib.redirect_stdout(paper), contextlib.redirect_stderr(paper), warnings.catch_warnings():
                warnings.filterwarnings("ignore", "The use of `x.T`")  # five lines, which name what is asked for
                yield
        except (AssertionError, NameError) as error:
            if isinstance(error, NameError) and self._theirs(error.__traceback__):
                told = f"The check of `{exercise}` came upon this error. {missing(error)}"
                _show(error, None, _after_us(error.__traceback__), told)
            else:
                _show(error, str(error))
            raise
        except NotImplementedError as error:
            if "not implemented yet" in str(error):
                frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
                beside = beside_stub(frames[-1].f_code.co_filename, frames[-1].f_lineno)
                _show(error, beside or f"`{exercise}` is not implemented yet. Write it, run its cell, then this one.")
            raise
        except KeyboardInterrupt as error:
            where = self._theirs(error.__traceback__)
            place = f"in line {where[-1].lineno} of `{where[-1].name}`: {where[-1].line}" if where else "in the check"
            _show(error, f"you stopped the check of `{exercise}` after {time.monotonic() - began:.0f} s, {place}")
            raise
        except Exception as error:
            theirs = self._theirs(error.__traceback__)
            own = f"The check of `{exercise}` stopped in its own lines, perhaps at a value that it does not expect:"
            told = f"The check of `{exercise}` came upon this error:" if theirs else own
            _show(error, None, _after_us(error.__traceback__), told)
            raise
        finally:
            paper.end()
            torch.set_rng_state(random)

    def _theirs(self, trace: TracebackType | None) -> list[traceback.FrameSummary]:
        """The lines of the student's cells that an error passed through."""
        return [frame for frame in traceback.extract_tb(trace)[1:] if "ipy" in frame.filename]

    def cell_ends(self, result: Any) -> None:
        """Note which names a cell defines, where it stopped with an error: they are out of date."""
        defined = r"^(?:(?:def|class) +(\w+)|(\w+) *=(?!=))"
        names = {a or b for a, b in re.findall(defined, result.info.raw_cell, re.M)}
        self.stopped = self.stopped - names if result.success else self.stopped | names


def beside_stub(file: str, number: int) -> str:
    """What to do about the stub's `raise` in line `number` where an answer stands beside it; "" where none does."""
    lines = linecache.getlines(file)
    stub = lines[number - 1] if number <= len(lines) else ""
    indent = len(stub) - len(stub.lstrip())
    above = reversed(lines[: max(number - 1, 0)])
    written = [*itertools.takewhile(lambda line: "YOUR CODE HERE" not in line, above)]
    is_marked = len(written) < number - 1  # else the comment is gone, and given lines may stand there, too
    block = itertools.takewhile(lambda line: not line[:indent].strip(), lines[number:])
    if any(_is_code(line) for line in block):
        return f"The line `{stub.strip()}` stands above your code, which never runs. Delete that line."
    if is_marked and any(_is_code(line) for line in written):
        return f"The line `{stub.strip()}` still stands below your code. Delete it, and return your result."
    return ""


def _is_code(line: str) -> bool:
    return line.strip() != "" and not line.strip().startswith("#")


def _after_us(trace: TracebackType | None) -> TracebackType | None:
    """The part of a traceback that begins with the student's lines; where there are none, with those of the check."""
    below = []
    while trace is not None:
        below.append(trace)
        trace = trace.tb_next
    last = max(n for n, one in enumerate(below) if one.tb_frame.f_globals is globals())
    theirs = [one for one in below[last + 1 :] if "ipy" in one.tb_frame.f_code.co_filename]
    return next(iter([*theirs, *below[last + 1 :]]), None)


def _show(error: BaseException, told: str | None, trace: TracebackType | None = None, first: str = "") -> None:
    """Have IPython show an error as one sentence, or with the lines of this traceback alone."""

    def rendered() -> list[str]:
        if told is not None:
            lines = f"{type(error).__name__}: {told}".split("\n")
            wide: dict[str, Any] = {"width": 95, "break_long_words": False, "break_on_hyphens": False}
            return ["\n".join(textwrap.fill(line, **wide) for line in lines)]
        from IPython.core.getipython import get_ipython

        shell: Any = get_ipython()
        return [first, *shell.InteractiveTB.structured_traceback(type(error), error, trace, 0)]

    error._render_traceback_ = rendered  # type: ignore[attr-defined]


def show_message(shell: Any, kind: type, error: Any, trace: TracebackType, **_: Any) -> None:
    """Tell in a sentence what a cell still needs: an answer that is not written yet, or a name."""
    frames = [f for f in traceback.walk_tb(trace) if "ipy" in f[0].f_code.co_filename]
    cell = shell.user_ns["In"][-1]
    titled = cell.startswith("# @title")  # a cell that draws
    if hasattr(error, "_render_traceback_"):
        return shell.showtraceback((kind, error, trace))
    if issubclass(kind, NotImplementedError) and "not implemented yet" in str(error):
        code = frames[-1][0].f_code
        name = getattr(code, "co_qualname", code.co_name).partition(".")[0]
        told = f"`{name}` is not implemented yet. Write it, run its cell, then this one."
        if name == "<module>":  # the stub of a prediction
            told = "Not implemented yet: put your answer here, then run this cell again."
        told = beside_stub(code.co_filename, frames[-1][1]) or told
    elif issubclass(kind, NameError) and (len(frames) == 1 or titled):
        line = "" if titled else f" in line {frames[0][1]}"
        if len(frames) > 1:  # a function's line, not the cell's own
            line = f" in line {frames[-1][1]} of the cell of `{frames[-1][0].f_code.co_name}`"
        told, name = f"{error}{line}. {missing(error)}", getattr(error, "name", "")
        if "predicted_" in cell and len(frames) == 1 and not titled:
            told = f'{error}{line}. If it is meant as a word, put it in quotes: "{name}".'
    elif re.match(r"check\.\w+\(", cell) and not isinstance(shell.user_ns.get("check"), Notebook):
        told = "Every check needs `check`, but in your notebook that is something else.\n"
        told += 'Rename yours, run its cell, then "Setup" again.'
    else:
        return shell.showtraceback((kind, error, trace))
    _show(error, told)
    shell.showtraceback((kind, error, trace))


def missing(error: NameError) -> str:
    """What to do about a name that is not defined, as a sentence."""
    name = getattr(error, "name", "")
    if name in ("torch", "plt", "F", "nn", "math", "heatmap"):
        return 'First run "Setup", this notebook\'s first cell of code.'
    if name == "np":
        return "If it is NumPy, begin your cell with `import numpy as np`."
    if name in sys.stdlib_module_names:
        return f"It comes with Python: begin your cell with `import {name}`."
    return "Run its cell; after a restart, all above."


def opened(module: ModuleType) -> Notebook:
    """The unit's `check`; in IPython it also hears how the cells of the notebook end."""
    check = Notebook(module)
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is None:
        return check
    shell.set_custom_exc((NotImplementedError, NameError, TypeError, AttributeError), show_message)
    if "NBGRADER_EXECUTION" not in os.environ:  # nbgrader runs each cell once: what is bound is what counts
        for old in [f for f in shell.events.callbacks["post_run_cell"] if f.__name__ == "cell_ends"]:
            shell.events.unregister("post_run_cell", old)  # of the setup cell's last run
        shell.events.register("post_run_cell", check.cell_ends)
    return check
