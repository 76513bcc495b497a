"""The Python of the system, as Debian and Ubuntu lay it out: links lead out of its folders, into /etc among others."""

import json
import os
import shlex
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_sandbox_layers import ORDINARY, ROOTS_ALONE, open_ways

from nbproctor.border import sandbox
from nbproctor.course.units import Unit
from nbproctor.inside import walls
from nbproctor.paths import ROOT
from nbproctor.values.result import Result

SYSTEM = Path("/usr/bin/python3")


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that every user may read; pytest's own is open to its owner alone."""
    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o755)
        yield Path(made)


@pytest.fixture
def library(place: Path) -> Path:
    """A standard library with links to a file elsewhere, through a second link, to its own folder, and to nothing."""
    library = place / "opt" / "lib" / "python3.11"
    library.mkdir(parents=True)
    (place / "etc" / "python3.11").mkdir(parents=True)
    (place / "etc" / "python3.11" / "sitecustomize.py").touch()
    (place / "etc" / "second.py").symlink_to("python3.11/sitecustomize.py")
    (library / "os.py").touch()
    (library / "sitecustomize.py").symlink_to(place / "etc" / "python3.11" / "sitecustomize.py")
    (library / "chained.py").symlink_to("../../../etc/second.py")
    (library / "same.py").symlink_to("os.py")
    (library / "dangling.py").symlink_to(place / "etc" / "gone.py")
    (library / "dangling").symlink_to(place / "gone")
    (library / "loop.py").symlink_to("loop.py")
    return library


def test_links_of_the_interpreter_and_its_library_are_followed(
    place: Path, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A student's process sees each link on the way to the interpreter, and the files that the library links to.

    It sees nothing else there. A link that leads nowhere is left out.
    """
    real = place / "opt" / "bin" / "python3.11"
    (place / "home" / "bin").mkdir(parents=True)
    (place / "env" / "bin").mkdir(parents=True)
    real.parent.mkdir()
    real.touch()
    (place / "home" / "python").symlink_to("../opt/bin/python3.11")
    (place / "home" / "bin" / "python3").symlink_to("../python")
    (place / "env" / "bin" / "python").symlink_to(place / "home" / "bin" / "python3")
    monkeypatch.setattr(sys, "executable", str(place / "env" / "bin" / "python"))
    monkeypatch.setattr(sys, "prefix", str(place / "env"))
    monkeypatch.setattr(sys, "base_prefix", str(place / "opt"))
    monkeypatch.setattr(os, "__file__", str(library / "os.py"))
    assert {path.removeprefix(f"{place}/") for path in sandbox.shown() if path.startswith(f"{place}/")} == {
        "opt/bin", "opt/lib", "env/bin",
        "home/bin/python3", "home/python",
        "etc/python3.11/sitecustomize.py", "etc/second.py",
    }  # fmt: skip


def test_a_folder_that_is_shown_is_no_link(place: Path, library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the interpreter's own folder is reached through a link, it is shown under the link's name, as a folder."""
    (place / "opt" / "bin").mkdir()
    (place / "opt" / "bin" / "python3").touch()
    (place / "python").symlink_to("opt")
    monkeypatch.setattr(sys, "executable", str(place / "python" / "bin" / "python3"))
    monkeypatch.setattr(sys, "prefix", str(place / "python"))
    monkeypatch.setattr(sys, "base_prefix", str(place / "python"))
    monkeypatch.setattr(os, "__file__", str(place / "python" / "lib" / "python3.11" / "os.py"))
    seen = sandbox.shown()
    assert {f"{place}/python/bin", f"{place}/python/lib"} <= set(seen) and f"{place}/python" not in seen


def closed_library(folder: Path) -> str:
    """What a student's process would name as closed in this folder."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            if os.getuid() == 0:
                os.setgroups([])
                os.setresuid(sandbox.NOBODY, sandbox.NOBODY, sandbox.NOBODY)
            sys.path[:] = ["", str(folder)]
            os.write(writing, walls._closed_library().encode())
        finally:
            os._exit(0)
    os.close(writing)
    os.waitpid(pid, 0)
    with os.fdopen(reading) as end:
        return end.read()


def test_a_link_that_leads_nowhere_is_no_closed_library(place: Path, library: Path) -> None:
    """Links to nothing are passed over, as Python does; a closed file is found, also behind a link."""
    assert closed_library(library) == ""
    hidden = place / "etc" / "closed.py"
    hidden.touch(mode=0o600)
    hidden.chmod(0)
    (library / "linked.py").symlink_to(hidden)
    assert closed_library(library) == str(hidden)
    (library / "linked.py").unlink()
    (place / "etc" / "closed").mkdir(mode=0)
    (library / "linked").symlink_to(place / "etc" / "closed" / "package")
    assert closed_library(library) == str(place / "etc" / "closed" / "package")
    (place / "etc" / "closed").rmdir()
    (library / "package").mkdir(mode=0o700)
    (library / "package").chmod(0)
    assert closed_library(library) == str(library / "package")


def test_the_alternatives_of_debian_are_shown() -> None:
    """Debian's libblas.so.3 is a link into that folder, without which its numpy cannot be imported."""
    assert ("/etc/alternatives" in sandbox.shown()) == Path("/etc/alternatives").is_dir()


def version_of(python: Path | str) -> str:
    command = [str(python), "-c", "import sys; print(sys.version_info[:2], sys.base_prefix)"]
    return subprocess.check_output(command, text=True).strip()  # noqa: S603


def system_python() -> str:
    """Why the system's Python cannot be tried here, else "".

    It has no packages, and can use those of the Python that runs the tests only if it has the same minor version. In
    CI it has packages of its own, in a container: see `.github/workflows/test.yml`.
    """
    if not SYSTEM.exists():
        return "the system has no Python"
    system, own = version_of(SYSTEM).split(") "), version_of(sys.executable).split(") ")
    if system[1] == own[1]:
        return "the tests run in the system's Python already"
    return "" if system[0] == own[0] else "the system's Python is another minor version"


@ROOTS_ALONE
@pytest.mark.skipif(bool(system_python()), reason=system_python())
@pytest.mark.parametrize("user", [0, pytest.param(ORDINARY, marks=pytest.mark.weekly)])
def test_the_systems_python_grades(attention: Unit, place: Path, user: int) -> None:
    """An environment of the system's Python grades right answers in the sandbox, for root and for an ordinary user.

    The environment is made by a link in somebody's home, and its packages are those of these tests.
    """
    (place / "python").symlink_to(SYSTEM)
    make = [str(place / "python"), "-m", "venv", "--without-pip", str(place / "env")]
    subprocess.run(make, check=True)  # noqa: S603
    packages = Path(sysconfig.get_path("purelib"))
    (there,) = (place / "env").glob("lib/*/site-packages")
    cells = {c["metadata"].get("nbgrader", {}).get("grade_id"): c for c in attention.notebook["cells"]}
    answers = [{**cells[exercise.name], "source": exercise.solution} for exercise in attention.exercises]
    path = place / "class" / "submitted" / "ana" / attention.name / f"{attention.name}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({**attention.notebook, "cells": answers}))
    for made in (place / "class", *(place / "class").rglob("*")):
        os.chown(made, user, user)
    code = "import sys; from nbproctor.cli.app import app; print(sys.version, file=sys.stderr); app()"
    grade = [str(place / "env" / "bin" / "python"), "-c", code, "grade", "--classroom", str(place / "class"), "--json"]
    who = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
    view = open_ways([path for path in ROOT.iterdir() if path.is_dir()], place / "stage") if user else ""
    view += shlex.join(["mount", "--bind", str(packages), str(there)])
    done = subprocess.run(  # noqa: S603 our own command
        ["/usr/bin/unshare", "--mount", "sh", "-c", f"{view} && exec {shlex.join([*who, *grade])}"],
        capture_output=True, text=True, timeout=300, cwd=place / "class", check=False,
        env={**os.environ, "HOME": str(place / "class"), "PYTHONPATH": str(ROOT / "grader")},
    )  # fmt: skip
    version = subprocess.check_output([str(SYSTEM), "-c", "import sys; print(sys.version)"], text=True)  # noqa: S603
    assert (done.returncode, done.stderr) == (0, version)
    result = json.loads((place / "class" / "results" / attention.name / "ana.json").read_text())
    assert Result.from_json(result).score == result["max_score"] == 15.0 and "bubblewrap" in result["layers"]
