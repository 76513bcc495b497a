"""Attacks on the sandbox from a student's cell: the network and the files within reach, one property in each test."""

import os
import socket
import sys
from pathlib import Path

import pyseccomp
import pytest
from sandboxed import said
from students import Hire, run

from nbproctor.border.sandbox import Bounds
from nbproctor.course.units import Unit
from nbproctor.exam.proxies import Student
from nbproctor.inside.walls import machine
from nbproctor.paths import ROOT


def test_only_unix_sockets_are_given_out(student: Student) -> None:
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
    """The kernel reads 32 bits of the family and the filter 64, so AF_INET + 2³² must not get past the filter."""
    number = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, "socket")
    called = f"word(libc.syscall, *map(ctypes.c_long, ({number}, (1 << 32) + family, 1, 0)))"
    assert said(student, f"found = [{called} for family in (2, 10, 16)]") == ["EAFNOSUPPORT"] * 3


@pytest.mark.skipif(os.getuid() != 0, reason="only root may look at the namespaces of a process that is not dumpable")
def test_every_namespace_is_its_own(student: Student) -> None:
    info = Path(f"/proc/self/fdinfo/{student.line.pidfd}").read_text()
    pid = next(line.split()[1] for line in info.splitlines() if line.startswith("Pid:"))
    for kind in ("net", "mnt", "pid", "ipc", "uts", "user"):
        assert os.readlink(f"/proc/{pid}/ns/{kind}") != os.readlink(f"/proc/self/ns/{kind}")


def test_sockets_of_the_host_are_out_of_reach(student: Student, tmp_path: Path) -> None:
    place = f"/tmp/nbp-{os.getpid()}.sock"  # noqa: S108 the student's world has a /tmp, too
    with socket.socket(socket.AF_UNIX) as path, socket.socket(socket.AF_UNIX) as abstract:
        path.bind(place)
        abstract.bind(f"\0nbp-{os.getpid()}")
        path.listen()
        abstract.listen()
        tries = f"attempt(socket.socket(socket.AF_UNIX).connect, name) for name in ({place!r}, '\\0nbp-{os.getpid()}')"
        found = said(student, f"import socket\nfound = [{tries}]")
        os.unlink(place)
    assert found[0] == "ENOENT"
    assert found[1] in ("EPERM", "ECONNREFUSED")


def test_two_students_cannot_talk(hire: Hire) -> None:
    one, other = hire(), hire()
    bound = 'import socket\nend = socket.socket(socket.AF_UNIX)\nend.bind("\\0copy")\nend.listen()\nfound = True'
    assert said(one, bound) is True
    reached = said(other, 'import socket\nfound = attempt(socket.socket(socket.AF_UNIX).connect, "\\0copy")')
    assert reached in ("ECONNREFUSED", "EPERM")


def test_the_course_and_other_homes_are_not_there(student: Student, attention: Unit) -> None:
    places = [str(ROOT), str(ROOT / "grader"), str(ROOT / "solutions"), "/root"]
    found = said(student, f"import os\nfound = [attempt(os.listdir, place) for place in {places}]")
    assert set(found[0]) <= {"grader", ".venv", "bin", "lib", "lib64", "pyvenv.cfg", "share"}  # a venv may lie there
    assert found[1] == ["nbproctor"]
    assert found[2] == "ENOENT"
    assert found[3] in ("ENOENT", "EACCES") or set(found[3]) <= {".pyenv"}


def test_only_the_scratch_folders_can_be_written(student: Student) -> None:
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


def test_no_terminal_is_to_be_had(student: Student) -> None:
    """A machine has only some thousands of them for all its containers."""
    looks = "attempt(os.listdir, '/dev/pts'), attempt(os.open, '/dev/ptmx', 0), attempt(os.open, '/dev/pts/ptmx', 0)"
    assert said(student, f"import os\nfound = [{looks}]") == [[], "ENOENT", "ENOENT"]


def test_files_that_exist_cannot_be_changed(student: Student) -> None:
    found = said(
        student,
        """
import os, sys, nbproctor.inside.student
found = [attempt(call, path) for path in (os.__file__, nbproctor.inside.student.__file__, "/dev/zero", "/dev/ptmx")
         for call in (os.unlink, lambda path: open(path, "a"), lambda path: os.rename(path, path + "x"))]
""",
    )
    assert set(found) <= {"EROFS", "EACCES", "EPERM", "EXDEV"}


@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm"])  # noqa: S108 their names inside
def test_a_scratch_folder_is_small(student: Student, folder: str) -> None:
    found = said(
        student,
        f"""
import os
os.chdir({folder!r})
def fill(number):
    with open(f"big{{number}}", "wb", buffering=0) as file:
        return [attempt(file.write, bytes(1 << 20)) for _ in range(16)]
told = [one for number in range(10) for one in fill(number)]
for number in range(10):
    os.unlink(f"big{{number}}")
files = [attempt(lambda: open(f"small{{number}}", "x").close()) for number in range(5000)]
found = [told.count(1 << 20), told[-1], files.count(None), files[-1]]
""",
    )
    assert 60 <= found[0] <= 64
    assert found[1] == "ENOSPC"
    assert 4000 <= found[2] <= 4096
    assert found[3] == "ENOSPC"


def test_one_file_is_at_most_32_mb(student: Student) -> None:
    opens = 'file = open("/tmp/big", "wb", buffering=0)'
    assert said(student, f'{opens}\nfound = [file.write(bytes(32 << 20)), attempt(file.write, b"x")]')[1] == "EFBIG"


def test_a_students_files_are_seen_by_no_other(hire: Hire) -> None:
    write = 'for folder in ("/tmp", "/dev/shm"):\n    open(f"{folder}/answers", "w").write("mine")\nfound = True'
    assert said(hire(), write) is True
    look = 'import os\nfound = [os.path.exists(f"{folder}/answers") for folder in ("/tmp", "/dev/shm")]'
    assert said(hire(), look) == [False, False]


def test_proc_tells_of_a_machine_without_processes_and_sys_of_nothing(student: Student) -> None:
    """It answers what notebooks ask of a machine, the same everywhere, and shows none of the kernel's own tables."""
    texts = machine(Bounds().memory_mb)
    names = sorted(texts)
    reads = f"[open(f'/proc/{{name}}').read() for name in {names}]"
    looks = f"sorted(os.listdir('/proc')), {reads}, os.listdir('/proc/self'), 'libc' in open('/proc/self/maps').read()"
    found = said(student, f"import os\nfound = [{looks}]")
    assert found == [sorted([*names, "self"]), [texts[name] for name in names], ["maps"], True]
    tries = "attempt(os.listdir, '/sys'), attempt(open, '/proc/meminfo', 'w'), attempt(open, '/proc/new', 'w')"
    gone, *refused = said(student, f"import os\nfound = [{tries}]")
    assert gone == "ENOENT" and not {*refused} - {"EROFS", "EACCES"}


def test_what_a_notebook_asks_of_its_machine_is_answered(student: Student) -> None:
    run(student, "import psutil\npsutil.cpu_percent(), psutil.cpu_count(), psutil.boot_time(), psutil.swap_memory()")
    assert run(student, "print(0 < psutil.virtual_memory().total / 1e9 < 100)") == "True\n"
