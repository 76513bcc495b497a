"""Plants faults in a copy of the grader, one after the other, and says which of them no test noticed.

`python tests/planted.py [NAME or ROW …]` plants these faults, or by default all of `faults`. That may take hours, since
pytest runs once for each fault, in a fork of this process. `make test` does not run this program; it does check that
the list of faults fits the code (`test_rows`).
"""

from __future__ import annotations

import importlib
import os
import select
import shutil
import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import pytest
from faults import FAULTS, Fault

GRADER = Path(__file__).resolve().parents[1]
PATIENCE_S = 300.0  # a test that never ends has noticed the fault, too
CANNOT_BE_TRIED = 2
SLOW_TO_IMPORT = ("torch", "IPython", "nbgrader.apps", "playwright.sync_api")  # imported once, before the forks


def main(names: Sequence[str]) -> int:
    """Plant the faults of these names and rows, or all.

    Returns 0 where every fault was noticed, 1 where one was not, and CANNOT_BE_TRIED where a name is unknown or the
    tests fail without any fault.
    """
    known = {one.name for one in FAULTS} | {str(row) for one in FAULTS for row in one.rows}
    if unknown := sorted(set(names) - known):
        print(f"planted: no fault is called {', '.join(unknown)}; expected a row, or one of these:")
        print(*(one.name for one in FAULTS), sep="\n")
        return CANNOT_BE_TRIED
    os.environ["NBPROCTOR_WEEKLY"] = "1"  # a fault names one test, which shall have every instance
    for library in SLOW_TO_IMPORT:
        importlib.import_module(library)
    chosen = [one for one in FAULTS if not names or {one.name, *map(str, one.rows)} & set(names)]
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        grader = copied(Path(folder))
        tests = sorted({one.test_path for one in chosen})
        code, told = outcome(grader, tests, PATIENCE_S * len(tests))
        if code != 0:
            print(f"{told}\nplanted: these tests fail before any fault is planted")
            return CANNOT_BE_TRIED
        unnoticed = [one.name for one in chosen if not noticed(one, grader)]
    print(f"{len(chosen)} faults, {len(unnoticed)} not noticed: {', '.join(unnoticed) or 'none'}")
    return 1 if unnoticed else 0


def copied(folder: Path) -> Path:
    """Copy the grader into this folder, beside links to the course. Returns the copy's folder."""
    folder.chmod(0o755)  # the sandbox reads it as nobody
    for path in GRADER.parent.iterdir():
        if path != GRADER:
            (folder / path.name).symlink_to(path.resolve())
    left_out = shutil.ignore_patterns("__pycache__", ".*_cache")
    return Path(shutil.copytree(GRADER, folder / GRADER.name, ignore=left_out))


def noticed(fault: Fault, grader: Path) -> bool:
    """Whether the fault's test fails while the fault is in the code; prints what failed, and why."""
    path = grader / fault.path
    sound = path.read_text(encoding="utf-8")
    path.write_text(sound.replace(fault.guard, fault.instead), encoding="utf-8")
    code, told = outcome(grader, [fault.test_path], PATIENCE_S)
    path.write_text(sound, encoding="utf-8")
    lines = told.splitlines()
    why = [line for line in lines if line.startswith("E ")][:1] + [line for line in lines if line.startswith("FAILED")]
    words = {0: "NOT NOTICED", 1: " ".join(" ".join(why).split()), None: f"no end within {PATIENCE_S:g} s"}
    print(f"{fault.name}: {words.get(code, f'pytest ended with {code}: {told}')}", flush=True)
    return code in (1, None)


def outcome(grader: Path, tests: Sequence[str], patience_s: float) -> tuple[int | None, str]:
    """Run these tests of that copy of the grader. Returns pytest's exit code, and what it printed.

    The code is 1 where a test failed, and None where pytest did not end within `patience_s`.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said:
        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            tested(grader, tests, said.fileno())
        pidfd = os.pidfd_open(pid)
        ended = select.select([pidfd], [], [], patience_s)[0]
        os.close(pidfd)
        os.killpg(pid, signal.SIGKILL)  # together with processes that a fault may have left
        status = os.waitpid(pid, 0)[1]
        said.seek(0)
        return os.waitstatus_to_exitcode(status) if ended else None, said.read()


def tested(grader: Path, tests: Sequence[str], output: int) -> NoReturn:
    """In the forked child: run these tests of that copy of the grader. Never returns.

    Libraries have been imported before the fork; the grader's own modules are imported here, from the copy.
    """
    code = 3  # as pytest's own exit code for an internal error
    try:
        os.setsid()
        for handle in (1, 2):
            os.dup2(output, handle)
        os.chdir(grader)
        sys.path[0] = str(grader)  # instead of this script's own folder
        sys.modules.pop("faults")
        os.environ |= {"PYTHONPATH": str(grader), "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}
        sys.dont_write_bytecode = True
        code = pytest.main(["-qx", "--tb=short", "-p", "no:cacheprovider", *tests])
    finally:
        sys.stdout.flush()
        os._exit(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
