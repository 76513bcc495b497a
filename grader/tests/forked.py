"""Runs programs written in Python as a shell would, but faster: in a fork of this process, which has imported them."""

import gc
import multiprocessing
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any, NoReturn, TextIO

LIMIT_S = 1200.0


def call(
    main: Callable[[], Any], arguments: list[str], folder: Path, environment: Mapping[str, str]
) -> CompletedProcess[str]:
    """Run the program `arguments[0]`, whose entry point is `main`, in this folder and environment.

    Returns its exit code and output, as `subprocess.run` would. Raises TimeoutError. From a shell, nbgrader, nbproctor
    and nbconvert would import modules for a second or more at each start, and `make test` starts them 150 times.
    """
    return started(main, arguments, folder, environment)()


def started(
    main: Callable[[], Any], arguments: list[str], folder: Path, environment: Mapping[str, str]
) -> Callable[[], CompletedProcess[str]]:
    """The same, while the caller goes on. Returns what waits for the program's end, to be called once."""
    with ExitStack() as stack:
        out = stack.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8"))
        err = stack.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8"))
        work = (main, arguments, folder, dict(environment), out, err)
        process = multiprocessing.get_context("fork").Process(target=_become, args=work)
        process.start()
        files = stack.pop_all()

    def result() -> CompletedProcess[str]:
        with files:
            process.join(LIMIT_S)
            if process.exitcode is None:
                process.kill()
                process.join()
                raise TimeoutError(f"{' '.join(arguments)}: no end after {LIMIT_S:.0f} s\n{_read(err)[-3000:]}")
            return CompletedProcess(arguments, process.exitcode, _read(out), _read(err))

    return result


def _read(file: TextIO) -> str:
    file.seek(0)
    return file.read()


def _become(  # noqa: PLR0913 what a process is given
    main: Callable[[], Any], arguments: list[str], folder: Path, environment: dict[str, str], out: TextIO, err: TextIO
) -> NoReturn:
    """In the forked child: run the program as if from a shell, without pytest's handling of output and warnings."""
    gc.freeze()  # otherwise each collection would go through all that pytest holds, and copy it
    os.dup2(out.fileno(), 1)
    os.dup2(err.fileno(), 2)
    sys.stdout, sys.stderr = out, err
    warnings.resetwarnings()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = arguments
    sys.exit(main())
