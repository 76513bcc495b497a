"""The sandbox, attacked from a student's cell: one property of its docstring each; and what is where it is missing.

As root this whole module runs once more as an ordinary user (`test_an_ordinary_user_has_the_same_sandbox`).
"""

from __future__ import annotations

import ctypes.util
import json
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import matplotlib
import pyseccomp
import pytest
from conftest import Hire, run
from typer.testing import CliRunner

from nbproctor import batch, cli, sandbox
from nbproctor.course import ROOT, Unit
from nbproctor.limits import Limits
from nbproctor.proxies import Student

ORDINARY = 1000
DANGEROUS = (
    "ptrace process_vm_readv process_vm_writev process_madvise pidfd_getfd pidfd_open kcmp mount umount2 pivot_root "
    "move_mount open_tree fsopen fsmount fsconfig fspick mount_setattr chroot unshare setns bpf perf_event_open "
    "userfaultfd io_uring_setup io_uring_enter io_uring_register keyctl add_key request_key init_module finit_module "
    "delete_module kexec_load kexec_file_load open_by_handle_at name_to_handle_at quotactl swapon swapoff reboot "
    "sethostname setdomainname acct settimeofday clock_settime adjtimex syslog shmget msgget semget memfd_create "
    "memfd_secret sched_setaffinity"
).split()
NUMBERS = {name: pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name) for name in DANGEROUS}
LIBRARIES_SET = {"PWD", "LC_CTYPE", "KMP_DUPLICATE_LIB_OK", "KMP_INIT_AT_FORK", "TORCHINDUCTOR_CACHE_DIR"}
NBPROCTOR = str(Path(sys.executable).parent / "nbproctor")
TRY = """
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)

def word(call, *arguments):
    ctypes.set_errno(0)
    result = call(*arguments)
    return errno.errorcode.get(ctypes.get_errno(), "?") if result == -1 else result

def attempt(call, *arguments, **more):
    try:
        return call(*arguments, **more)
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error))
"""


def said(student: Student, source: str) -> Any:
    """What the cell's last expression, `found`, is over there, as plain data."""
    run(student, TRY + source)
    return student.lookup("found")


# --- network --------------------------------------------------------------------------------------------------------


def test_only_unix_sockets_are_given_out(student: Student) -> None:
    """Of 64 families, in each of three kinds, one is not refused, and that one reaches nobody."""
    found = said(
        student,
        """
import socket
found = sorted({family for family in range(64) for kind in (1, 2, 3, 5)
                if not isinstance(attempt(socket.socket, family, kind), str)})
""",
    )
    assert found == [socket.AF_UNIX]


def test_a_family_hidden_in_the_upper_half_of_a_register_is_refused(student: Student) -> None:
    """The kernel reads 32 bits of the family, the filter 64: AF_INET + 2³² is no way round."""
    number = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, "socket")
    source = f"""
found = [word(libc.syscall, *(ctypes.c_long(part) for part in ({number}, (1 << 32) + family, 1, 0)))
         for family in (2, 10, 16, 17, 38, 40)]
"""
    assert said(student, source) == ["EAFNOSUPPORT"] * 6


@pytest.mark.skipif(os.getuid() != 0, reason="only root may look at the namespaces of a process that is not dumpable")
@pytest.mark.parametrize("kind", ["net", "mnt", "pid", "ipc", "uts", "user"])
def test_every_namespace_is_its_own(student: Student, kind: str) -> None:
    """None of the kernel's views is shared with the host."""
    info = Path(f"/proc/self/fdinfo/{student.pidfd}").read_text()
    pid = next(line.split()[1] for line in info.splitlines() if line.startswith("Pid:"))
    assert os.readlink(f"/proc/{pid}/ns/{kind}") != os.readlink(f"/proc/self/ns/{kind}")


def test_sockets_of_the_host_are_out_of_reach(student: Student, tmp_path: Path) -> None:
    """A listening socket in the file system and one with an abstract name refuse, or are not there."""
    place = f"/tmp/nbp-{os.getpid()}.sock"  # noqa: S108 a path of the host's that exists in the student's world, too
    with socket.socket(socket.AF_UNIX) as path, socket.socket(socket.AF_UNIX) as abstract:
        path.bind(place)
        abstract.bind(f"\0nbp-{os.getpid()}")
        path.listen()
        abstract.listen()
        try:
            found = said(
                student,
                f"""
import socket
found = [attempt(socket.socket(socket.AF_UNIX).connect, name) for name in ({place!r}, "\\0nbp-{os.getpid()}")]
""",
            )
        finally:
            os.unlink(place)
    assert found[0] == "ENOENT"
    assert found[1] in ("EPERM", "ECONNREFUSED")


def test_two_students_cannot_talk(hire: Hire) -> None:
    """An abstract socket of one student is not there for another, whatever version Landlock has."""
    one, other = hire(), hire()
    bound = 'import socket\nend = socket.socket(socket.AF_UNIX)\nend.bind("\\0copy")\nend.listen()\nfound = True'
    assert said(one, bound) is True
    reached = said(other, 'import socket\nfound = attempt(socket.socket(socket.AF_UNIX).connect, "\\0copy")')
    assert reached in ("ECONNREFUSED", "EPERM")


# --- files ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "/etc/shadow", "/etc/hostname", str(Path(__file__)), "/var", "/run", "/sys", "/home"]
)
def test_files_of_the_host_are_not_there(student: Student, path: str) -> None:
    """Neither accounts nor tests nor system folders exist in a student's world."""
    assert said(student, f"import os\nfound = attempt(os.stat, {path!r})") == "ENOENT"


def test_the_course_and_other_homes_are_not_there(student: Student, attention: Unit) -> None:
    """No notebook, no answer, no gradebook, no file of root's: the folders on the way to the library hold only that."""
    root = Path(cli.ROOT)
    found = said(
        student,
        f"""
import os
places = ({str(root)!r}, {str(root / "grader")!r}, {str(root / "solutions")!r}, "/root")
found = [attempt(os.listdir, place) for place in places]
""",
    )
    assert set(found[0]) <= {"grader", ".venv"}
    assert found[1] == ["nbproctor"]
    assert found[2] == "ENOENT"
    assert found[3] in ("ENOENT", "EACCES") or set(found[3]) <= {".pyenv"}


def test_only_the_scratch_folders_can_be_written(student: Student) -> None:
    """A file is made in every folder of the world that a student sees; two take it."""
    found = said(
        student,
        """
import os
found = []
for folder, folders, _ in os.walk("/"):
    folders[:] = [name for name in folders if name not in ("torch", "share", "include", "locale", "doc")]
    if not isinstance(attempt(open, os.path.join(folder, "canary"), "w"), str):
        found.append(folder)
""",
    )
    outermost = {place for place in found if not any(place.startswith(f"{other}/") for other in found)}
    assert outermost == {"/tmp", "/dev/shm"}  # noqa: S108 their names inside
    assert not any(place.startswith((sys.prefix, sys.base_prefix)) for place in found)


def test_files_that_exist_cannot_be_changed(student: Student) -> None:
    """The interpreter, the grader's code in their world and devices refuse to be written, removed or renamed."""
    found = said(
        student,
        """
import os, sys, nbproctor.student
found = [attempt(call, path) for path in (os.__file__, nbproctor.student.__file__, "/dev/zero", "/dev/ptmx")
         for call in (os.unlink, lambda path: open(path, "a"), lambda path: os.rename(path, path + "x"))]
""",
    )
    assert set(found) <= {"EROFS", "EACCES", "EPERM", "EXDEV"}


@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm"])  # noqa: S108 their names inside
def test_a_scratch_folder_is_small(student: Student, folder: str) -> None:
    """64 MB and 4,096 files go into it, and then it is full."""
    found = said(
        student,
        f"""
import os
os.chdir({folder!r})
written, files, ends = 0, 0, []
for number in range(10):
    with open(f"big{{number}}", "wb", buffering=0) as file:
        while (told := attempt(file.write, bytes(1 << 20))) == 1 << 20:
            written += told
            if file.tell() == 16 << 20:
                break
        ends.append(told)
for number in range(10):
    os.unlink(f"big{{number}}")
while not isinstance(told := attempt(open, f"small{{files}}", "x"), str):
    told.close()
    files += 1
    if files > 10_000:
        break
found = [written >> 20, ends[-1], files, told]
""",
    )
    assert 60 <= found[0] <= 64
    assert found[1] == "ENOSPC"
    assert 4000 <= found[2] <= 4096
    assert found[3] == "ENOSPC"


def test_one_file_is_at_most_32_mb(student: Student) -> None:
    """The limit on a file's size holds in the scratch folder."""
    found = said(
        student,
        """
file = open("/tmp/big", "wb", buffering=0)
found = [file.write(bytes(32 << 20)), attempt(file.write, b"x")]
""",
    )
    assert found == [32 << 20, "EFBIG"]


def test_a_students_files_are_seen_by_no_other(hire: Hire) -> None:
    """What one writes into /tmp and /dev/shm is not there for the next."""
    write = 'for folder in ("/tmp", "/dev/shm"):\n    open(f"{folder}/answers", "w").write("mine")\nfound = True'
    assert said(hire(), write) is True
    look = 'import os\nfound = [os.path.exists(f"{folder}/answers") for folder in ("/tmp", "/dev/shm")]'
    assert said(hire(), look) == [False, False]


def test_proc_and_sys_are_empty(student: Student) -> None:
    """Nothing of the kernel's tables can be read."""
    assert said(student, 'import os\nfound = [attempt(os.listdir, "/proc"), attempt(os.listdir, "/sys")]') == [
        [],
        "ENOENT",
    ]


# --- processes ------------------------------------------------------------------------------------------------------


def test_a_student_is_alone(student: Student) -> None:
    """It is process 1, its parent is none, and 500 signals reach nobody: the zygote forks on."""
    found = said(
        student,
        """
import os
found = [os.getpid(), os.getppid(), {attempt(os.kill, pid, 9) for pid in [-1, *range(2, 500)]}]
""",
    )
    assert found == [1, 0, {"ESRCH"}]


def test_the_zygote_forks_on_after_an_attack(hire: Hire) -> None:
    """After signals to all, and the death of the attacker, the next student is served."""
    run(
        hire(),
        f"{TRY}\nimport os\nfor number in range(1, 65):\n    attempt(os.kill, -1, number)",
    )
    assert said(hire(), "found = 1 + 1") == 2


def test_dangerous_system_calls_are_refused(student: Student) -> None:
    """Each name of the filter's list answers EPERM, whatever its arguments; newer kernels' names may have no number."""
    numbers = {name: number for name, number in NUMBERS.items() if number >= 0}
    found = said(
        student,
        f"""
numbers = {numbers}
found = {{name: word(libc.syscall, ctypes.c_long(number), 0, 0, 0, 0, 0, 0) for name, number in numbers.items()}}
""",
    )
    assert found == dict.fromkeys(numbers, "EPERM")
    assert len(found) > 45


def test_no_namespace_can_be_made(student: Student) -> None:
    """`clone` with a new user namespace answers EPERM; `clone3`, whose flags no filter sees, does not exist.

    CLONE_FS is among the flags: with it the kernel, were it asked, would answer EINVAL.
    """
    clone, clone3 = (pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name) for name in ("clone", "clone3"))
    source = f"""
import os
def forked(*arguments):
    result = libc.syscall(*(ctypes.c_long(one) for one in arguments))
    if result == 0:
        os._exit(0)
    return result
found = [word(forked, {clone}, {sandbox.NEWUSER} | 0x200 | 17, 0, 0, 0, 0), word(forked, {clone3}, 0, 0)]
"""
    assert said(student, source) == ["EPERM", "ENOSYS"]


def test_a_student_has_no_rights(student: Student) -> None:
    """No capability in any set, none to be had, no new privileges, no way to be root."""
    found = said(
        student,
        f"""
import os
held = ctypes.create_string_buffer(24)
libc.syscall({ {"x86_64": 125, "aarch64": 90}[os.uname().machine] }, (ctypes.c_uint32 * 2)(0x20080522, 0), held)
bounding = [number for number in range(64) if libc.prctl(23, number, 0, 0, 0) == 1]
ambient = [number for number in range(64) if libc.prctl(47, 1, number, 0, 0) == 1]
found = [held.raw.hex(), bounding, ambient, libc.prctl(39, 0, 0, 0, 0), libc.prctl(3, 0, 0, 0, 0), os.getuid() == 0]
found.append(attempt(os.setuid, 0))
""",
    )
    assert found == ["00" * 24, [], [], 1, 0, False, found[6]]
    assert found[6] in ("EPERM", "EINVAL")


def test_the_limits_are_set_and_cannot_be_raised(student: Student) -> None:
    """Soft and hard limits are the ones of the docstring."""
    found = said(
        student,
        """
import resource
names = ("CPU", "FSIZE", "NPROC", "NOFILE", "CORE", "AS")
found = [resource.getrlimit(getattr(resource, "RLIMIT_" + name)) for name in names]
for name, (soft, hard) in zip(names, found):
    try:
        resource.setrlimit(getattr(resource, "RLIMIT_" + name), (hard + 1, hard + 1))
        found.append(name)
    except (OSError, ValueError):
        pass
""",
    )
    wanted = [sandbox.CPU_S, sandbox.FILE_MB << 20, sandbox.PROCESSES, sandbox.OPEN_FILES, 0]
    assert found[:5] == [(most, most) for most in wanted]
    assert found[5][0] == found[5][1] <= 8 << 30
    assert len(found) == 6


def test_memory_ends(student: Student) -> None:
    """2 GB more than the zygote has can be had, and no more; the process lives on."""
    run(student, "import numpy")
    with pytest.raises(MemoryError):
        run(student, "big = numpy.ones(3 << 30, dtype=numpy.uint8)")
    with pytest.raises(MemoryError):
        run(student, "pieces = [numpy.empty(64 << 20, dtype=numpy.uint8) for _ in range(64)]")
    with pytest.raises(RuntimeError, match="can't allocate memory"):
        run(student, "torch.empty(1 << 30)")
    assert said(student, "found = float(numpy.ones(100 << 20, dtype=numpy.uint8)[-1])") == 1.0


@pytest.mark.parametrize(
    "making",
    [
        "ctypes.c_int(libc.memfd_create(b'x', 0)).value",
        "libc.shmget(0, 1 << 30, 0o1600)",
        "libc.msgget(0, 0o1600)",
        "libc.semget(0, 1, 0o1600)",
    ],
)
def test_there_is_no_memory_that_no_limit_counts(student: Student, making: str) -> None:
    """Memory files and System V segments, which survive their process and count for none, are refused."""
    assert said(student, f"found = word(lambda: {making})") == "EPERM"


def test_threads_and_processes_end(student: Student) -> None:
    """The 32nd thread or process is refused."""
    found = said(
        student,
        """
import os, threading, time
started = 0
try:
    for _ in range(100):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        started += 1
except RuntimeError as error:
    told = str(error)
found = [started, told, attempt(os.fork)]
""",
    )
    assert found == [sandbox.PROCESSES - 1, "can't start new thread", "EAGAIN"]


def test_a_student_holds_one_channel_and_the_null_device(student: Student) -> None:
    """Of 4,096 handles four are open: three on /dev/null, and the channel."""
    found = said(
        student,
        """
import os
told = {number: attempt(os.fstat, number) for number in range(4096)}
found = {number: (one.st_mode, one.st_rdev) for number, one in told.items() if one != "EBADF"}
""",
    )
    assert sorted(found) == [0, 1, 2, 3]
    assert {found[number][1] for number in range(3)} == {os.makedev(1, 3)}
    assert stat.S_ISSOCK(found[3][0])


def test_the_environment_is_the_graders_own(student: Student) -> None:
    """No variable of the host's reaches a student: what is there, the grader or a library of ours has set."""
    found = said(student, "import os\nfound = sorted(os.environ)")
    ours = sandbox.bwrap_command([], None)
    assert set(found) - {ours[i + 1] for i, word in enumerate(ours) if word == "--setenv"} <= LIBRARIES_SET
    assert "HOME" in found
    assert len(found) > 8


def test_all_processes_of_a_student_end_with_it(hire: Hire) -> None:
    """A daemon in a session of its own, whose parent is gone, is killed when the examiner is done."""
    one = hire()
    name = f"nbp-{os.getpid()}"
    source = f"""
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        libc.prctl(15, {name!r}.encode(), 0, 0, 0)
        open("/tmp/ready", "w").close()
        time.sleep(1000)
    os._exit(0)
for _ in range(6000):
    if os.path.exists("/tmp/ready"):
        break
    time.sleep(0.01)
found = os.path.exists("/tmp/ready")
"""
    assert said(one, source) is True
    assert name in running()
    one.close()
    assert name not in running()


def running() -> list[str]:
    """The short names of all processes on this machine."""
    found = []
    for path in Path("/proc").glob("[0-9]*/comm"):
        try:
            found.append(path.read_text().strip())
        except OSError:
            continue  # it has ended in between
    return found


def test_a_process_that_kills_itself_dies(hire: Hire) -> None:
    """Process 1 of a namespace outlives its own SIGKILL; here it does not."""
    one = hire()
    with pytest.raises(BaseException, match="^the process died$"):
        run(one, "import os\nos.kill(os.getpid(), 9)")
    assert one.close() == -31


# --- where a layer is missing -----------------------------------------------------------------------------------------


@pytest.fixture
def one_submission(attention: Unit, tmp_path: Path) -> Path:
    """A classroom in which one student has handed in the untouched notebook."""
    path = tmp_path / "submitted" / "ana" / attention.name / f"{attention.name}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(attention.notebook))
    return tmp_path


NO_BWRAP = "bubblewrap is missing: `apt-get install bubblewrap`, or --unsafe to grade without a sandbox"
NO_SECCOMP = "libseccomp is missing: `apt-get install libseccomp2`, or --unsafe"
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
        assert done.stderr == (
            "nbproctor: user namespaces are refused (unshare: No space left on device): set "
            "kernel.unprivileged_userns_clone=1 and user.max_user_namespaces > 0 "
            "(in Docker: --security-opt seccomp=unconfined), or --unsafe\n"
        )
    else:
        assert done.stderr.startswith("nbproctor: bubblewrap cannot build the sandbox here (bwrap: ")
        assert done.stderr.count("\n") == 1
    assert not (one_submission / "gradebook.db").exists()


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
    assert (result["score"], result["layers"]) == (15.0, [])
    told = CliRunner().invoke(cli.app, ["grade", "--unsafe", "--classroom", str(one_submission)])
    assert "Sandbox: none." in told.output
    assert told.exit_code == 0, told


def test_the_layers_are_named_in_the_result(attention: Unit, one_submission: Path) -> None:
    """A sandboxed result says which layers were active."""
    path = next(one_submission.glob("submitted/*/*/*.ipynb"))
    one = batch.Submission("ana", attention.name, path)
    (result,) = batch.grade({attention.name: attention}, [one], 1, Limits(cell_s=60.0, submission_s=240.0), True, id)
    abi = f"landlock (abi {sandbox.landlock_abi()})"
    assert result["layers"] == ["bubblewrap", "namespaces", "rlimits", abi, "seccomp"]


# --- as somebody else -------------------------------------------------------------------------------------------------


def _open_ways(wanted: list[Path], stage: Path) -> str:
    """Shell commands for a private view in which everybody may walk to these folders, wherever they lie."""
    closed = {path: next((p for p in reversed(path.parents) if not p.stat().st_mode & 0o001), None) for path in wanted}
    places = {path: stage / str(i) for i, path in enumerate(wanted) if closed[path]}
    tops = sorted({str(top) for top in closed.values() if top})
    return "".join(
        [f"mkdir -p {place} && mount --bind {path} {place} && " for path, place in places.items()]
        + [f"mount -t tmpfs -o mode=755 tmpfs {top} && " for top in tops]
        + [f"mkdir -p {path} && mount --bind {place} {path} && " for path, place in places.items()]
    )


@pytest.mark.skipif(os.getuid() != 0, reason="these tests are running as an ordinary user already")
def test_an_ordinary_user_has_the_same_sandbox() -> None:
    """Every test of this module passes for uid 1000, who owns nothing here and is in no group."""
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
    inner = (
        f"exec setpriv --reuid={ORDINARY} --regid={ORDINARY} --clear-groups {sys.executable} -m pytest -q "
        f"-p no:cacheprovider -p no:xdist --basetemp={home}/pytest {__file__}"
    )
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "MPLCONFIGDIR": str(fonts), "LANG": "C.UTF-8"}
    done = subprocess.run(  # noqa: S603 our own command
        ["/usr/bin/unshare", "--mount", "sh", "-c", view + inner],
        capture_output=True, text=True, timeout=900, check=False, cwd=Path(__file__).parents[1], env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert "these tests are running as an ordinary user already" in done.stdout


@pytest.mark.skipif(os.getuid() != 0, reason="to bind a folder elsewhere takes root")
def test_a_clone_below_tmp_has_the_same_sandbox() -> None:
    """Each student's own /tmp would hide libraries that lie below it: they are put back, read-only."""
    with tempfile.TemporaryDirectory(dir="/tmp") as made:  # noqa: S108 the folder in question
        clone = Path(made) / "clone"
        clone.mkdir()
        tests = f"tests/{Path(__file__).name} tests/test_proxies.py -k 'scratch or changed or handed_over or not_there'"
        python = clone / Path(sys.executable).relative_to(ROOT)
        command = f"mount --bind {ROOT} {clone} && cd {clone}/grader && {python} -m pytest -q {tests}"
        options = {"PYTHONPATH": f"{clone}/grader", "PYTEST_ADDOPTS": f"-p no:cacheprovider --basetemp={made}/pytest"}
        done = subprocess.run(  # noqa: S603 our own command
            ["/usr/bin/unshare", "--mount", "sh", "-c", command], capture_output=True, text=True, timeout=300,
            env={**os.environ, **options},
        )  # fmt: skip
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert re.search(r"^1\d passed", done.stdout, re.M), done.stdout
