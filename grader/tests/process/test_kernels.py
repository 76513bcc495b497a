"""Notebooks of other kernels: how they run, and what is said of one that is not there or does not start.

A class in R is graded in `world/test_kernels.py`. The other Python here is an environment of its own, which has
ipykernel, and nothing else of what the grader has.
"""

import copy
import importlib.metadata
import json
import sys
import sysconfig
import tempfile
import venv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import kernels as needed
import pytest
import small_course as small
from nbformat import read
from small_course import answer, cell, check, grade, hand_in, notebook, say, scores, write_course

from nbproctor.anycourse import doctor, kernels
from nbproctor.anycourse.settings import Course

CHECKS = (
    cell("import os, sys", "setup", locked=True),
    answer("square", "def square(x):\n    return x * x"),
    check("right", "assert square(3) == 9"),
    check("in_part", "1 if square(2) == 4 else 0", 2),
    check("where", "assert sys.prefix == PREFIX and os.environ['MARK'] == 'a b', sys.prefix"),
    check("alone", "try:\n    import nbgrader\nexcept ImportError:\n    pass\nelse:\n    assert False, nbgrader"),
)
ALL = {"right": 1.0, "in_part": 1.0, "where": 1.0, "alone": 1.0}

Define = Callable[..., None]  # name and argv of a kernel


@pytest.fixture
def other() -> Iterator[Path]:
    """Another Python's environment. (Not in /tmp, where a kernel that is started anew finds its scratch folder.)"""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:  # noqa: S108
        venv.create(folder, symlinks=True, with_pip=False)
        site, packages = next(Path(folder).glob("lib/*/site-packages")), Path(sysconfig.get_path("purelib"))
        for name in needed.needed_by("ipykernel"):
            for top in {file.parts[0] for file in importlib.metadata.files(name) or []} - {"..", "__pycache__"}:
                (site / top).symlink_to(packages / top)
        yield Path(folder)


@pytest.fixture
def define(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Define:
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))

    def defined(name: str, *argv: str, language: str = "python") -> None:
        folder = tmp_path / "jupyter" / "kernels" / name
        folder.mkdir(parents=True)
        spec = {"argv": argv, "display_name": name.title(), "language": language, "env": {"MARK": "a b"}}
        (folder / "kernel.json").write_text(json.dumps(spec))

    return defined


def asks_for(kernel: str) -> Any:
    nb = notebook(*copy.deepcopy(CHECKS))
    nb.metadata["kernelspec"] = {**nb.metadata["kernelspec"], "name": kernel}
    return nb


def course(root: Path, kernel: str, prefix: str = "", setup: str = "") -> Path:
    nb = asks_for(kernel)
    nb.cells[0].source += f"\n{setup}"
    for one in nb.cells:
        one.source = one.source.replace("PREFIX", repr(prefix))
    write_course(root, {"one": nb})
    hand_in(root, "right")
    hand_in(root, "wrong", say("square", "def square(x):\n    return 1"))
    return root


LAUNCH = ("-m", "ipykernel_launcher", "-f", "{connection_file}")


@pytest.mark.weekly
def test_another_python_runs_its_notebooks(tmp_path: Path, other: Path, define: Define) -> None:
    """Its own kernel runs, with its own packages alone, those of a folder that a .pth file names among them."""
    site, more = next(other.glob("lib/*/site-packages")), other / "more"
    more.mkdir()
    (more / "named_by_pth.py").write_text("HERE = True\n")
    (site / "more.pth").write_text(f"{more}\n")
    define("other", str(other / "bin" / "python"), *LAUNCH)
    root = course(tmp_path / "course", "other", str(other), "import named_by_pth")
    graded = grade(root)
    assert graded.refused == {} and graded.references[0].short == (
        "one, in_part: 1 of 2, its last line has that value",
    )
    assert scores(root) == {"right": ALL, "wrong": ALL | {"right": 0.0, "in_part": 0.0}}
    about = read(root / "autograded" / "right" / "hw" / "one.ipynb", as_version=4).metadata.language_info
    assert about["name"] == "python" and about["version"] == sys.version.split()[0]


def test_a_link_to_the_same_program_is_another_python(tmp_path: Path, other: Path, define: Define) -> None:
    define("other", str(other / "bin" / "python"), *LAUNCH)
    define("same", sys.executable, *LAUNCH)
    define("plain", "python", *LAUNCH)
    asked = {name: {"name": name} for name in ("other", "same", "plain")}
    found = kernels.find(Course(course(tmp_path / "course", "plain")), asked)
    assert [found[name].spec == "" for name in asked] == [False, True, True]


def test_a_kernel_that_does_not_start_is_told_with_its_last_words(tmp_path: Path, define: Define) -> None:
    define("broken", "/bin/sh", "-c", "echo 'no library for this' >&2; exit 3", language="odd")
    root = course(tmp_path / "course", "broken")
    (why,) = grade(root).refused.values()
    assert why.startswith("the kernel does not start in the sandbox: Kernel died before replying to kernel_info")
    assert "no library for this" in why and "c.Proctor.readable" in why
    assert set(scores(root)) == set(), "nobody is graded"


def test_a_kernel_or_program_that_is_missing_is_named(tmp_path: Path, define: Define) -> None:
    """`nbproctor doctor` says it for each assignment, and which way the others go."""
    define("gone", "/nowhere/bin/R", "{connection_file}", language="R")
    define("shell", "/bin/sh", "{connection_file}", language="sh")
    root = course(tmp_path / "course", "python3")
    for name in ("nokernel", "gone", "shell"):
        small.save(asks_for(name), root / "source" / name / "one.ipynb")
    told = [text for text, _ in doctor.look(Course(root)) if ": kernel " in text]
    assert told == [
        f"gone: one.ipynb: kernel gone starts /nowhere/bin/R, which is not there; install that, or fix {tmp_path}/"
        "jupyter/kernels/gone",
        "hw: kernel python3: a warm process of this Python",
        "nokernel: one.ipynb: kernel nokernel is not installed here; install it, or name one of `jupyter kernelspec "
        "list` in source/",
        "shell: kernel shell: Shell, started anew for each notebook, as in nbgrader",
    ]
