"""The sandbox where a layer is missing, where none is wanted, for an ordinary user, and in odd places."""

from __future__ import annotations

import ctypes.util
import errno
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import matplotlib
import pytest
from typer.testing import CliRunner

from nbproctor import batch, cli, sandbox
from nbproctor.course import ROOT, Unit
from nbproctor.inside import walls
from nbproctor.limits import Limits

HERE = Path(__file__).parent
ORDINARY = 1000
NBPROCTOR = str(Path(sys.executable).parent / "nbproctor")


@pytest.fixture
def one_submission(attention: Unit, tmp_path: Path) -> Path:
    """A classroom in which one student has handed in the untouched notebook."""
    path = tmp_path / "submitted" / "ana" / attention.name / f"{attention.name}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(attention.notebook))
    return tmp_path


NO_BWRAP = "bubblewrap is missing: `apt-get install bubblewrap`, or --unsafe to grade without a sandbox"
NO_SECCOMP = "libseccomp is missing: `apt-get install libseccomp2`, or --unsafe"
NO_NAMESPACES = (
    "user namespaces are refused ({}): on Ubuntu 24.04 and later `sysctl "
    "kernel.apparmor_restrict_unprivileged_userns=0` allows them, elsewhere kernel.unprivileged_userns_clone=1 and "
    "user.max_user_namespaces > 0; in Docker, --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
    "does. Or grade with --unsafe"
)
NO_LANDLOCK = "Landlock is missing: it needs Linux 5.13 with `landlock` in the lsm= list, or --unsafe"


@pytest.mark.parametrize("message", [NO_BWRAP, NO_SECCOMP, NO_LANDLOCK])
def test_without_a_layer_nothing_is_graded(message: str, one_submission: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line names the layer and what brings it, the exit code is 2, and no result is written."""
    if message == NO_BWRAP:
        monkeypatch.setenv("PATH", str(one_submission))
    elif message == NO_SECCOMP:
        monkeypatch.setattr(ctypes.util, "find_library", lambda name: None)
    else:
        monkeypatch.setattr(sandbox, "landlock_abi", lambda: 0)
    with pytest.raises(sandbox.LayerMissing) as missing:
        sandbox.check_layers()
    assert str(missing.value) == message
    result = CliRunner().invoke(cli.app, ["grade", "--classroom", str(one_submission)])
    assert result.exit_code == 2
    assert result.stderr == f"nbproctor: {message}\n"
    assert not list(one_submission.glob("autograded/*")) + list(one_submission.glob("gradebook.db"))


def test_where_user_namespaces_are_refused_nothing_is_graded(one_submission: Path) -> None:
    """In a world where the kernel gives no user namespace, one line says so, and which setting gives them."""
    world = f"""
import ctypes, os
uid, gid = os.getuid(), os.getgid()
reading, writing = os.pipe()
unshared, told = os.pipe()
child = os.fork()
if child == 0:
    assert ctypes.CDLL(None).unshare(0x10000000) == 0
    os.write(told, b"x")
    os.read(reading, 1)
    open("/proc/sys/user/max_user_namespaces", "w").write("0")
    os.execv({NBPROCTOR!r}, ["nbproctor", "grade", "--classroom", {str(one_submission)!r}])
os.read(unshared, 1)
if uid:
    open(f"/proc/{{child}}/setgroups", "w").write("deny")
open(f"/proc/{{child}}/uid_map", "w").write(f"{{uid}} {{uid}} 1" if uid else "0 0 65536")
open(f"/proc/{{child}}/gid_map", "w").write(f"{{gid}} {{gid}} 1" if uid else "0 0 65536")
os.write(writing, b"x")
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run([sys.executable, "-c", world], capture_output=True, text=True, timeout=300, check=False)  # noqa: S603
    assert done.returncode == 2, done
    if os.getuid() == 0:
        assert done.stderr == "nbproctor: " + NO_NAMESPACES.format("unshare: No space left on device") + "\n"
    else:
        assert done.stderr.startswith("nbproctor: user namespaces are refused (bwrap: ")
        assert done.stderr.count("\n") == 1
    assert not (one_submission / "gradebook.db").exists()


def test_on_ubuntu_24_04_an_ordinary_user_is_told_the_setting(
    one_submission: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There bubblewrap gets a namespace and may do nothing in it: this one says what the real one says there."""
    said = "bwrap: setting up uid map: Permission denied"
    fake = one_submission / "bwrap"
    fake.write_text(f"#!/bin/sh\necho {said!r} >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{one_submission}:{os.environ['PATH']}")
    result = CliRunner().invoke(cli.app, ["grade", "--classroom", str(one_submission)])
    assert (result.exit_code, result.stderr) == (2, f"nbproctor: {NO_NAMESPACES.format(said)}\n")


@pytest.mark.parametrize("file", ["setgroups", "uid_map", "gid_map"])
def test_on_ubuntu_24_04_root_is_told_the_setting(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """There a process that was root may make a namespace, and not say who it is in it: the kernel's answer, faked."""

    def refuse(path: Path, text: str) -> None:
        if path.name == file:
            raise PermissionError(errno.EPERM, "Operation not permitted", str(path))

    monkeypatch.setattr(Path, "write_text", refuse)
    monkeypatch.setattr(os, "getuid", lambda: ORDINARY)  # nothing is given up
    monkeypatch.setattr(walls, "libc", SimpleNamespace(unshare=lambda flags: 0, prctl=lambda *words: 0))
    with pytest.raises(sandbox.LayerMissing) as missing:
        walls.enter()
    assert str(missing.value) == NO_NAMESPACES.format(f"/proc/self/{file}: Operation not permitted")


def test_unsafe_grades_without_any_layer(
    attention: Unit, one_submission: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `--unsafe` the grading goes on where no layer is, and the result says that there was none."""
    monkeypatch.setenv("PATH", str(one_submission))
    monkeypatch.setattr(sandbox, "landlock_abi", lambda: 0)
    cells = {c["metadata"].get("nbgrader", {}).get("grade_id"): c for c in attention.notebook["cells"]}
    notebook = {**attention.notebook, "cells": [{**cells[e.name], "source": e.solution} for e in attention.exercises]}
    path = one_submission / "right.ipynb"
    path.write_text(json.dumps(notebook))
    one = batch.Submission("ana", attention.name, path)
    (result,) = batch.grade({attention.name: attention}, [one], 1, Limits(cell_s=60.0, submission_s=240.0), False, id)
    assert (result.score, result.layers) == (15.0, ())
    told = CliRunner().invoke(cli.app, ["grade", "--unsafe", "--classroom", str(one_submission)])
    assert "Sandbox: none." in told.output
    assert told.exit_code == 3, told  # the notebook is untouched


@pytest.mark.parametrize(("abi", "told"), [(5, ", no scopes: a network namespace for each student"), (6, "")])
def test_an_older_landlock_is_named_with_what_stands_in_for_it(
    abi: int, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it keeps no sockets in, whoever reads the layers knows what does."""
    monkeypatch.setattr(sandbox, "landlock_abi", lambda: abi)
    assert sandbox.check_layers()[3] == f"landlock (abi {abi}{told})"


def test_the_layers_are_named_in_the_result(attention: Unit, one_submission: Path) -> None:
    """A sandboxed result says which layers were active."""
    path = next(one_submission.glob("submitted/*/*/*.ipynb"))
    one = batch.Submission("ana", attention.name, path)
    (result,) = batch.grade({attention.name: attention}, [one], 1, Limits(cell_s=60.0, submission_s=240.0), True, id)
    assert result.layers == tuple(sandbox.check_layers())
    assert [name.split()[0] for name in result.layers] == ["bubblewrap", "namespaces", "rlimits", "landlock", "seccomp"]


def _open_ways(wanted: list[Path], stage: Path) -> str:
    """Shell commands for a private view in which everybody may walk to these folders, wherever they lie."""
    closed = {path: next((p for p in reversed(path.parents) if not p.stat().st_mode & 0o001), None) for path in wanted}
    places = {path: stage / str(i) for i, path in enumerate(wanted) if closed[path]}
    tops = sorted({str(top) for top in closed.values() if top})
    commands = [["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", top] for top in tops]
    for path, place in places.items():
        commands[:0] = [["mkdir", "-p", str(place)], ["mount", "--bind", str(path), str(place)]]
        commands += [["mkdir", "-p", str(path)], ["mount", "--bind", str(place), str(path)]]
    return "".join(shlex.join(command) + " && " for command in commands)


@pytest.mark.skipif(os.getuid() != 0, reason="these tests are running as an ordinary user already")
def test_an_ordinary_user_has_the_same_sandbox() -> None:
    """What is tested of the sandbox holds for uid 1000, too, who owns nothing here and is in no group."""
    with tempfile.TemporaryDirectory() as made:  # not in pytest's folder, which it closes again for all but its owner
        folder = Path(made)
        folder.chmod(0o755)
        _as_an_ordinary_user(folder)


def _as_an_ordinary_user(folder: Path) -> None:
    fonts, home = folder / "mpl", folder / "home"
    shutil.copytree(matplotlib.get_cachedir(), fonts)
    home.mkdir()
    for path in (home, fonts, *fonts.rglob("*")):
        os.chown(path, ORDINARY, ORDINARY)
    view = _open_ways([Path(sys.base_prefix), *(path for path in ROOT.iterdir() if path.is_dir())], folder / "stage")
    who = ["setpriv", f"--reuid={ORDINARY}", f"--regid={ORDINARY}", "--clear-groups"]
    same = "not unsafe and not without_a_layer and not ubuntu"  # whoever runs them
    options = [
        "-q",
        "--durations=10",
        "-k",
        same,
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        f"--basetemp={home}/pytest",
    ]
    modules = sorted(map(str, HERE.glob("test_sandbox_*.py")))
    inner = "exec " + shlex.join([*who, sys.executable, "-m", "pytest", *options, *modules])
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(HERE.parent),
        "HOME": str(home),
        "MPLCONFIGDIR": str(fonts),
        "LANG": "C.UTF-8",
    }
    done = subprocess.run(  # noqa: S603 our own command
        ["/usr/bin/unshare", "--mount", "sh", "-c", view + inner],
        capture_output=True, text=True, timeout=900, check=False, cwd=HERE.parent, env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert "these tests are running as an ordinary user already" in done.stdout


@pytest.mark.skipif(os.getuid() != 0, reason="to bind a folder elsewhere takes root")
def test_a_clone_below_tmp_has_the_same_sandbox() -> None:
    """Each student's own /tmp would hide libraries that lie below it: they are put back, read-only."""
    with tempfile.TemporaryDirectory(dir="/tmp") as made:  # noqa: S108 the folder in question
        clone = Path(made) / "clone"
        clone.mkdir()
        some = "-k 'scratch or changed or handed_over or there'"
        tests = f"tests/test_sandbox_world.py tests/test_proxies_functions.py {some}"
        python = clone / Path(sys.executable).relative_to(ROOT)
        command = f"mount --bind {shlex.quote(str(ROOT))} {clone} && cd {clone}/grader && {python} -m pytest -q {tests}"
        options = {"PYTHONPATH": f"{clone}/grader", "PYTEST_ADDOPTS": f"-p no:cacheprovider --basetemp={made}/pytest"}
        done = subprocess.run(  # noqa: S603 our own command
            ["/usr/bin/unshare", "--mount", "sh", "-c", command], capture_output=True, text=True, timeout=300,
            env={**os.environ, **options},
        )  # fmt: skip
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert re.search(r"^\d\d passed", done.stdout, re.M), done.stdout
