"""Examines single checks of any nbgrader course, apart from the student's code: from there only data comes over.

Run as `python -P -m nbproctor.exam.apart FD …`, with a socket for each worker, in a folder with the files of source/.
It first gets the setup cells of the notebooks, runs them, and answers with the names that each defines, or with what
stopped it. Then each request brings a socket to a student's process, a handle on that process, and a check
(`border.frames`). A fork of this process runs the check and answers with its outputs, as a notebook would have them. So
no check sees what another one has left.
"""

from __future__ import annotations

import ast
import builtins
import io
import math
import os
import resource
import signal
import socket
import sys
import time
import traceback
import warnings
from contextlib import redirect_stderr, redirect_stdout
from types import CodeType
from typing import Any, NoReturn

import torch

from nbproctor.border import frames, sandbox, wire
from nbproctor.exam.failures import ArgumentChanged, StudentGone
from nbproctor.exam.line import Line
from nbproctor.exam.proxies import Student
from nbproctor.values.text import clean

GRACE_S = 5.0  # for a check that computes on after its time is over, before it is ended
MEMORY_MB = 4096  # of address space for one check, beyond what this process starts with
TEXT_MOST = 10_000  # characters of an output
CELL = "<check>"  # the file name of a check, which functions handed to students reveal
CHANGED = "The answer changed an array that it was given, in place. Let it make one of its own."
ENDED = "the check took too long, or too much memory, with what the answer gave it"


class Attached(Student):
    """A student's process that somebody else has started, and will end."""

    def __init__(self, channel: socket.socket, pidfd: int, seconds: float) -> None:
        """seconds: for the whole check."""
        self._meet(Line(channel, pidfd))
        self.line.limit_s, self.line.deadline = round(seconds, 1), time.monotonic() + seconds


def main(ends: list[socket.socket]) -> None:
    """Run the setup cells, and then the checks that come, until all sockets are closed."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")  # nobody reads them here, and they cost no points
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    sys.path.insert(0, "")
    sources = frames.receive(ends[0])[0]["setups"]
    setups: dict[str, dict[str, Any]] = {}
    stopped: dict[str, str] = {}
    for notebook, source in sources.items():
        names = setups[notebook] = {"__name__": "__main__", "__builtins__": builtins}
        try:
            exec(compile(source, "<setup>", "exec", dont_inherit=True), names)  # noqa: S102 the instructor's cell
        except BaseException as error:  # noqa: BLE001 whatever stops the cell is the answer
            stopped[notebook] = f"{type(error).__name__}: {error}"
    frames.send(ends[0], {"names": {name: [*found] for name, found in setups.items()}, "stopped": stopped})
    for end in ends:
        if os.fork() == 0:
            for other in ends:
                if other is not end:
                    other.close()
            _serve(end, setups)
    for end in ends:
        end.close()
    for _ in ends:
        os.wait()


def _serve(end: socket.socket, setups: dict[str, dict[str, Any]]) -> NoReturn:
    """Have a fork answer each request. It is ended where it takes too long."""
    memory_mb = sandbox.memory_mapped_mb() + MEMORY_MB
    while True:
        try:
            _, handles, _, _ = socket.recv_fds(end, 1, 2)
            asked, _ = frames.receive(end)
        except EOFError:
            os._exit(0)
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                signal.alarm(math.ceil(asked["seconds"] + GRACE_S))
                sandbox.limit(resource.RLIMIT_AS, memory_mb << 20)
                sandbox.limit(resource.RLIMIT_FSIZE, 0)  # the next student's check would read what this one has written
                frames.send(end, _examined(asked, handles, setups[asked["notebook"]]))
                code = 0
            finally:
                os._exit(code)
        for handle in handles:
            os.close(handle)
        if os.waitpid(pid, 0)[1]:
            frames.send(end, {"outputs": [error_output("RuntimeError", ENDED)], "gone": True})


def _examined(asked: dict[str, Any], handles: list[int], names: dict[str, Any]) -> dict[str, Any]:
    """The outputs of a check, and whether the student's process has not answered all that it was asked."""
    printed = {"stdout": io.StringIO(), "stderr": io.StringIO()}
    with socket.socket(fileno=handles[0]) as channel:
        student = Attached(channel, handles[1], asked["seconds"])
        try:
            with redirect_stdout(printed["stdout"]), redirect_stderr(printed["stderr"]):
                found = _run(asked, names, student)
        except StudentGone as gone:
            name = "TimeoutError" if gone.status == "timeout" else "DeadKernelError"
            return {"outputs": [error_output(name, str(gone))], "gone": True}
    texts = {name: clean(stream.getvalue(), TEXT_MOST) for name, stream in printed.items()}
    streams = [{"output_type": "stream", "name": name, "text": text} for name, text in texts.items() if text]
    return {"outputs": [*streams, *found], "gone": False}


def _run(asked: dict[str, Any], names: dict[str, Any], student: Student) -> list[dict[str, Any]]:
    """Run a check. Its outputs are an error, or the value of its last line, if it has one: partial credit."""
    try:
        body, last = _in_two(asked["source"])
        student.begin(wide=torch.get_default_dtype() == torch.float64)
        names |= {name: student.lookup(name) for name in asked["names"]}
        exec(body, names)  # noqa: S102 the instructor's cell
        value = eval(last, names) if last else None  # noqa: S307 and its last line
    except ArgumentChanged:
        return [error_output("ValueError", CHANGED)]
    except wire.WireError as error:
        return [error_output("ValueError", f"what the answer gave cannot be read: {error}")]
    except Exception as error:  # noqa: BLE001 whatever stops a check is its finding
        return [_error(error, asked)]
    if value is None:
        return []
    shown = {"text/plain": clean(repr(value), TEXT_MOST)}
    count = asked["count"]
    return [{"output_type": "execute_result", "data": shown, "metadata": {}, "execution_count": count}]


def _in_two(source: str) -> tuple[CodeType, CodeType | None]:
    """The code of a check, and that of its last line where a notebook would show its value."""
    tree = ast.parse(source, CELL)
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.Expr) or source.rstrip().endswith(";"):
        return compile(tree, CELL, "exec", dont_inherit=True), None
    tree.body.pop()
    body = compile(tree, CELL, "exec", dont_inherit=True)
    return body, compile(ast.Expression(last.value), CELL, "eval", dont_inherit=True)


def _error(error: Exception, asked: dict[str, Any]) -> dict[str, Any]:
    """An exception as a notebook shows it, with the check's line that it came through."""
    numbers = [row.lineno for row in traceback.extract_tb(error.__traceback__) if row.filename == CELL and row.lineno]
    number = numbers[0] if numbers else 1
    source = asked["source"].splitlines()[number - 1]
    place = [f"Cell In[{asked['count']}], line {number}", f"----> {number} {source}"]
    return error_output(type(error).__name__, str(error), [*place, *getattr(error, "__notes__", ())])


def error_output(name: str, words: str, above: list[str] | None = None) -> dict[str, Any]:
    """An error output in nbformat's form. above: the lines of its traceback above the message."""
    name, words = clean(name, TEXT_MOST), clean(words, TEXT_MOST)
    lines = [clean(row, TEXT_MOST) for row in (*(above or ()), f"{name}: {words}")]
    return {"output_type": "error", "ename": name, "evalue": words, "traceback": lines}


if __name__ == "__main__":
    main([socket.socket(fileno=int(fd)) for fd in sys.argv[1:]])
