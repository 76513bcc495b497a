"""The sandbox where a layer is missing, where none is wanted, for an ordinary user, and in unusual places."""

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
from weekly import weekly_but

from nbproctor.border import sandbox
from nbproctor.cli import app as cli
from nbproctor.course.units import Unit
from nbproctor.inside import walls
from nbproctor.paths import ROOT
from nbproctor.runner import zygote as zygote_process
from nbproctor.values.result import Result

HERE = Path(__file__).parent
ORDINARY = 1000
BARE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # a pytest within a test needs no plugins, which take a second
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
    assert not [*one_submission.glob("results/*/*"), *one_submission.glob("autograded/*")]


REFUSED = (
    "No permissions to create new namespace, likely because the kernel does not allow non-privileged user namespaces.",
    "setting up uid map: Permission denied",
    "loopback: Failed RTM_NEWADDR: Operation not permitted",  # on Ubuntu: a namespace in which nothing is allowed
)
OTHERS = (
    "Can't find source path /srv/namespace/fonts.json: No such file or directory",
    "Can't mount proc on /newroot/proc: Operation not permitted",
)


@pytest.mark.parametrize("said", [*REFUSED, *OTHERS])
def test_only_where_a_namespace_is_refused_does_it_say_so(said: str) -> None:
    """Nobody should weaken the settings of their machine because a file was not found."""
    told = zygote_process._start_failure(f"bwrap: {said}")
    wanted = NO_NAMESPACES if said in REFUSED else "bubblewrap cannot build the sandbox ({})"
    assert (type(told), str(told)) == (sandbox.LayerMissing, wanted.format(f"bwrap: {said}"))


def test_a_failure_of_the_zygotes_own_is_told_as_such() -> None:
    told = zygote_process._start_failure("ImportError: libgomp.so.1")
    assert isinstance(told, zygote_process.GraderError) and not isinstance(told, sandbox.LayerMissing)
    assert str(told) == "the zygote did not start: ImportError: libgomp.so.1"


def test_the_list_of_fonts_is_looked_for_where_matplotlib_keeps_it() -> None:
    """Without it, every zygote would spend seconds on making a new one."""
    found = zygote_process.font_list()
    assert found and found.parent == Path(matplotlib.get_cachedir())


def test_another_system_is_told_that_grading_needs_linux(monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not advise `--unsafe`, because grading without the sandbox needs Linux as well."""
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(sandbox.LayerMissing) as missing:
        with zygote_process.zygote_started(1, False):
            pass
    assert str(missing.value) == "grading needs Linux, this is darwin: grade in a Linux container, in WSL or elsewhere"


def test_a_wall_that_does_not_go_up_is_named_before_the_first_student(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "seccomp_program", lambda network: bytes(8))
    with pytest.raises(sandbox.LayerMissing) as missing:
        with zygote_process.zygote_started(1, True) as zygote:
            zygote.wait_until_ready()
    refused = "a student's process cannot be shut in (OSError: [Errno 22] seccomp: Invalid argument). Or grade with"
    assert str(missing.value) == f"{refused} --unsafe"


@pytest.mark.skipif(os.getuid() != 0, reason="who grades as an ordinary user can read what students' processes can")
@pytest.mark.weekly
def test_libraries_that_students_may_not_read_are_named(one_submission: Path) -> None:
    """Where root has installed libraries for itself alone, one line names the folder and what opens it."""
    package = Path(sys.prefix, "lib", f"python{sys.version_info[0]}.{sys.version_info[1]}", "site-packages", "nbval")
    assert package.is_dir()
    closed = ["mount", "-t", "tmpfs", "-o", "mode=750", "tmpfs", str(package)]
    command = f"{shlex.join(closed)} && {shlex.join([NBPROCTOR, 'grade', '--classroom', str(one_submission)])}"
    done = subprocess.run(  # noqa: S603 our own command
        ["/usr/bin/unshare", "--mount", "sh", "-c", command], capture_output=True, text=True, timeout=300, check=False
    )
    told = f"nbproctor: a student's process, which uid {sandbox.NOBODY} runs, may not read {package}: "
    assert (done.returncode, done.stderr) == (2, f"{told}`chmod -R o+rX {sys.prefix}` lets it\n")
    assert not [*one_submission.glob("results/*/*"), *one_submission.glob("autograded/*")]


def test_on_ubuntu_24_04_root_is_told_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    """There a process that was root may make a namespace, but not map its ids in it. The kernel's answer is faked."""

    def refuse(path: Path, text: str) -> None:
        if path.name == "uid_map":
            raise PermissionError(errno.EPERM, "Operation not permitted", str(path))

    monkeypatch.setattr(Path, "write_text", refuse)
    monkeypatch.setattr(os, "getuid", lambda: ORDINARY)  # so that the process gives up no rights
    monkeypatch.setattr(walls, "libc", SimpleNamespace(unshare=lambda flags: 0, prctl=lambda *words: 0))
    with pytest.raises(sandbox.LayerMissing) as missing:
        walls.enter(sandbox.Bounds().memory_mb)
    assert str(missing.value) == NO_NAMESPACES.format("/proc/self/uid_map: Operation not permitted")


@pytest.mark.weekly
def test_unsafe_grades_without_any_layer(
    attention: Unit, one_submission: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(one_submission))
    monkeypatch.setattr(sandbox, "landlock_abi", lambda: 0)
    cells = {c["metadata"].get("nbgrader", {}).get("grade_id"): c for c in attention.notebook["cells"]}
    notebook = {**attention.notebook, "cells": [{**cells[e.name], "source": e.solution} for e in attention.exercises]}
    (path,) = one_submission.glob("submitted/*/*/*.ipynb")
    path.write_text(json.dumps(notebook))
    told = CliRunner().invoke(cli.app, ["grade", "--unsafe", "--classroom", str(one_submission)])
    assert "Sandbox: none." in told.output
    assert told.exit_code == 0, told
    result = json.loads((one_submission / "results" / attention.name / "ana.json").read_text())
    assert (Result.from_json(result).score, result["layers"]) == (15.0, [])


def open_ways(wanted: list[Path], stage: Path) -> str:
    """Shell commands that make these folders reachable for everybody, in a private view of the file system."""
    closed = {path: next((p for p in reversed(path.parents) if not p.stat().st_mode & 0o001), None) for path in wanted}
    places = {path: stage / str(i) for i, path in enumerate(wanted) if closed[path]}
    tops = sorted({str(top) for top in closed.values() if top})
    commands = [["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", top] for top in tops]
    for path, place in places.items():
        commands[:0] = [["mkdir", "-p", str(place)], ["mount", "--bind", str(path), str(place)]]
        commands += [["mkdir", "-p", str(path)], ["mount", "--bind", str(place), str(path)]]
    return "".join(shlex.join(command) + " && " for command in commands)


@pytest.mark.weekly  # CI runs all tests as an ordinary user
@pytest.mark.skipif(os.getuid() != 0, reason="these tests are running as an ordinary user already")
def test_an_ordinary_user_has_the_same_sandbox() -> None:
    with tempfile.TemporaryDirectory() as made:  # pytest's own folder is open to its owner alone
        folder = Path(made)
        folder.chmod(0o755)
        _as_an_ordinary_user(folder)


def _as_an_ordinary_user(folder: Path) -> None:
    fonts, home = folder / "mpl", folder / "home"
    shutil.copytree(matplotlib.get_cachedir(), fonts)
    home.mkdir()
    for path in (home, fonts, *fonts.rglob("*")):
        os.chown(path, ORDINARY, ORDINARY)
    view = open_ways([Path(sys.base_prefix), *(path for path in ROOT.iterdir() if path.is_dir())], folder / "stage")
    who = ["setpriv", f"--reuid={ORDINARY}", f"--regid={ORDINARY}", "--clear-groups"]
    left_out = ("unsafe", "without_a_layer", "ubuntu", "fonts", "wall_that")  # the same for every user
    options = ["-q", "--durations=10", "-k", " and ".join(f"not {word}" for word in left_out)]
    options += ["-p", "no:cacheprovider", f"--basetemp={home}/pytest"]
    modules = sorted(map(str, HERE.glob("test_sandbox_*.py")))
    inner = "exec " + shlex.join([*who, sys.executable, "-m", "pytest", *options, *modules])
    places = {"PYTHONPATH": str(HERE.parents[1]), "HOME": str(home), "MPLCONFIGDIR": str(fonts)}
    environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", **places, **BARE}
    done = subprocess.run(  # noqa: S603 our own command
        ["/usr/bin/unshare", "--mount", "sh", "-c", view + inner],
        capture_output=True, text=True, timeout=900, check=False, cwd=HERE.parents[1], env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert "these tests are running as an ordinary user already" in done.stdout


def _in_a_clone(clone: Path, binds: list[tuple[Path, Path]], tests: str, python: Path) -> None:
    """Run tests of the sandbox with the course in `clone`, in a private view where each (folder, place) is bound."""
    mounts = "".join(shlex.join(["mount", "--bind", str(here), str(there)]) + " && " for here, there in binds)
    run = shlex.join([str(python), "-m", "pytest", "-q", *shlex.split(tests)])
    with tempfile.TemporaryDirectory() as made:
        options = {"PYTHONPATH": f"{clone}/grader", "PYTEST_ADDOPTS": f"-p no:cacheprovider --basetemp={made}/pytest"}
        options |= BARE
        done = subprocess.run(  # noqa: S603 our own command
            ["/usr/bin/unshare", "--mount", "sh", "-c", f"{mounts}cd {clone}/grader && {run}"],
            capture_output=True, text=True, timeout=300, env={**os.environ, **options},
        )  # fmt: skip
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert re.search(r"^\d+ passed", done.stdout, re.M), done.stdout


ROOTS_ALONE = pytest.mark.skipif(os.getuid() != 0, reason="to bind a folder elsewhere takes root")


@pytest.mark.weekly
@ROOTS_ALONE
def test_a_clone_below_tmp_has_the_same_sandbox() -> None:
    """A course below /tmp has the same sandbox."""
    with tempfile.TemporaryDirectory(dir="/tmp") as made:  # noqa: S108 the folder in question
        clone = Path(made) / "clone"
        clone.mkdir()
        some = "-k 'scratch or changed or handed_over or there'"
        tests = f"tests/process/test_sandbox_world.py tests/process/test_proxies_functions.py {some}"
        _in_a_clone(clone, [(ROOT, clone)], tests, clone / Path(sys.executable).relative_to(ROOT))


SEEN = "tests/process/test_sandbox_world.py -k 'other_homes or changed'"


@ROOTS_ALONE
@pytest.mark.parametrize("place", ["/usr/src/app", *weekly_but(["/usr/share/fonts/app"])])
def test_a_course_among_programs_is_not_seen(place: str, tmp_path: Path) -> None:
    """A course among programs or fonts, which students' processes can read, stays out of their sight."""
    clone = Path(place)
    (tmp_path / clone.name).mkdir()
    tmp_path.chmod(0o755)  # the rights that a folder of programs has
    _in_a_clone(clone, [(tmp_path, clone.parent), (ROOT, clone)], SEEN, clone / Path(sys.executable).relative_to(ROOT))


@pytest.mark.weekly
@ROOTS_ALONE
def test_a_course_that_is_its_own_environment_is_not_seen(tmp_path: Path) -> None:
    """Where the course's folder is itself a venv, a student sees its programs and libraries, but not the course."""
    clone = tmp_path / "clone"
    clone.mkdir()
    binds = []
    for path in [*ROOT.iterdir(), *Path(sys.prefix).iterdir()]:
        there = clone / path.name
        if path.is_dir() and not path.is_symlink():
            there.mkdir()
            binds.append((path, there))
    shutil.copy(Path(sys.prefix, "pyvenv.cfg"), clone)
    _in_a_clone(clone, binds, SEEN, clone / "bin" / Path(sys.executable).name)


@pytest.fixture
def course_in_lib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course that lies among the libraries of a place of programs such as /opt."""
    course = tmp_path / "opt" / "lib" / "course"
    (course / "solutions").mkdir(parents=True)
    monkeypatch.setattr(sandbox, "ROOT", course)
    return course


def test_a_course_is_covered_wherever_it_would_be_seen(course_in_lib: Path, tmp_path: Path) -> None:
    """The course is covered under each path by which students would see it, and not where they would not see it."""
    opt, other = tmp_path / "opt", tmp_path / "other"
    other.symlink_to(opt)
    (opt / "lib64").symlink_to("lib")
    needed = [f"{course_in_lib}/.venv/lib", f"{course_in_lib}/grader/nbproctor"]
    seen = [f"{opt}/bin", f"{opt}/lib", f"{opt}/lib64", f"{other}/lib", *needed]
    assert sandbox.covers(seen) == [str(course_in_lib), f"{other}/lib/course"]
    assert sandbox.covers([f"{opt}/bin", *needed]) == []


def test_where_there_is_no_course_nothing_is_covered(course_in_lib: Path) -> None:
    """A cluster's worker has only the package, which may lie among its libraries, and no solutions to cover."""
    (course_in_lib / "solutions").rmdir()
    assert sandbox.covers([str(course_in_lib.parent)]) == []


def test_a_course_that_cannot_be_covered_is_not_graded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the course's folder is also a folder of libraries, one line names it and says what to do."""
    (tmp_path / "lib" / "solutions").mkdir(parents=True)
    monkeypatch.setattr(sandbox, "ROOT", tmp_path / "lib")
    with pytest.raises(
        sandbox.LayerMissing, match=f"nothing can hide the solutions: {tmp_path}/lib is a folder of lib"
    ):
        sandbox.covers([f"{tmp_path}/lib"])


def test_of_a_place_of_programs_what_runs_them_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not a clone of the course, nor the exchange in which nbgrader keeps submissions."""
    for path in ("bin", "lib", "src/app/solutions", "share/nbgrader/exchange", "share/fonts", "solutions", "classroom"):
        (tmp_path / path).mkdir(parents=True)
    monkeypatch.setattr(sys, "base_prefix", "/")
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    seen = sandbox.shown()
    assert [path for path in seen if path.startswith(f"{tmp_path}/")] == [
        f"{tmp_path}/{part}" for part in ("bin", "lib", "share/fonts")
    ]
    assert not {"/", "/usr", "/usr/src", "/usr/local", "/usr/local/share", "/home", "/bin"} & set(seen)


def test_links_of_the_interpreter_and_its_library_are_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Debian and Ubuntu lay their Python out: each link on the way is seen, and nothing else there."""
    library, etc = tmp_path / "opt" / "lib" / "python3.11", tmp_path / "etc"
    for folder in (library, etc, tmp_path / "opt" / "bin", tmp_path / "home", tmp_path / "env" / "bin"):
        folder.mkdir(parents=True)
    for file in (library / "os.py", etc / "site.py", tmp_path / "opt" / "bin" / "python3.11"):
        file.touch()
    (etc / "second.py").symlink_to("site.py")
    (library / "site.py").symlink_to("../../../etc/second.py")
    (library / "dangling.py").symlink_to(etc / "gone.py")
    (tmp_path / "home" / "python").symlink_to("../opt/bin/python3.11")
    (tmp_path / "env" / "bin" / "python").symlink_to(tmp_path / "home" / "python")
    for where, name, path in (
        (sys, "executable", "env/bin/python"), (sys, "prefix", "env"), (sys, "base_prefix", "opt"),
        (os, "__file__", "opt/lib/python3.11/os.py"),
    ):  # fmt: skip
        monkeypatch.setattr(where, name, str(tmp_path / path))
    seen = {path.removeprefix(f"{tmp_path}/") for path in sandbox.shown() if path.startswith(f"{tmp_path}/")}
    assert seen == {"opt/bin", "opt/lib", "env/bin", "home/python", "etc/site.py", "etc/second.py"}
