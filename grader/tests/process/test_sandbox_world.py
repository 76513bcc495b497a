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

# --- network --------------------------------------------------------------------------------------------------------


def test_only_unix_sockets_are_given_out(student: Student) -> None:
    """Of 64 families of sockets, every one but AF_UNIX is refused, in each of four kinds."""
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
    source = f"""
found = [word(libc.syscall, *(ctypes.c_long(part) for part in ({number}, (1 << 32) + family, 1, 0)))
         for family in (2, 10, 16, 17, 38, 40)]
"""
    assert said(student, source) == ["EAFNOSUPPORT"] * 6


@pytest.mark.skipif(os.getuid() != 0, reason="only root may look at the namespaces of a process that is not dumpable")
@pytest.mark.parametrize("kind", ["net", "mnt", "pid", "ipc", "uts", "user"])
def test_every_namespace_is_its_own(student: Student, kind: str) -> None:
    """A student's process shares none of the kernel's namespaces with the host."""
    info = Path(f"/proc/self/fdinfo/{student.line.pidfd}").read_text()
    pid = next(line.split()[1] for line in info.splitlines() if line.startswith("Pid:"))
    assert os.readlink(f"/proc/{pid}/ns/{kind}") != os.readlink(f"/proc/self/ns/{kind}")


def test_sockets_of_the_host_are_out_of_reach(student: Student, tmp_path: Path) -> None:
    """A student cannot connect to a listening socket of the host, be it in the file system or abstract."""
    place = f"/tmp/nbp-{os.getpid()}.sock"  # noqa: S108 the student's world has a /tmp, too
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
    """One student cannot reach an abstract socket of another, whatever version Landlock has."""
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
    """A student finds no notebook, answer or gradebook, and no file of root.

    The folders on the path to the library hold nothing else.
    """
    found = said(
        student,
        f"""
import os
places = ({str(ROOT)!r}, {str(ROOT / "grader")!r}, {str(ROOT / "solutions")!r}, "/root")
found = [attempt(os.listdir, place) for place in places]
""",
    )
    assert set(found[0]) <= {"grader", ".venv", "bin", "lib", "lib64", "pyvenv.cfg", "share"}  # a venv may lie there
    assert found[1] == ["nbproctor"]
    assert found[2] == "ENOENT"
    assert found[3] in ("ENOENT", "EACCES") or set(found[3]) <= {".pyenv"}


def test_only_the_scratch_folders_can_be_written(student: Student) -> None:
    """Of all the folders that a student sees, a file can be made only in /tmp and /dev/shm."""
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
    """A student cannot open a terminal: a machine has only some thousands of them for all its containers."""
    found = said(
        student,
        """
import os
places = ("/dev/ptmx", "/dev/pts/ptmx")
found = [attempt(os.listdir, "/dev/pts"), *(attempt(os.open, place, os.O_RDONLY | os.O_NOCTTY) for place in places)]
""",
    )
    assert found == [[], "ENOENT", "ENOENT"]


def test_files_that_exist_cannot_be_changed(student: Student) -> None:
    """A student cannot write, remove or rename the interpreter's files, the grader's code or a device."""
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
    """A scratch folder takes 64 MB and 4,096 files, and then it is full."""
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
    """A file in the scratch folder can grow to 32 MB, and no further."""
    found = said(
        student,
        """
file = open("/tmp/big", "wb", buffering=0)
found = [file.write(bytes(32 << 20)), attempt(file.write, b"x")]
""",
    )
    assert found == [32 << 20, "EFBIG"]


def test_a_students_files_are_seen_by_no_other(hire: Hire) -> None:
    """What one student writes into /tmp and /dev/shm is not there for the next student."""
    write = 'for folder in ("/tmp", "/dev/shm"):\n    open(f"{folder}/answers", "w").write("mine")\nfound = True'
    assert said(hire(), write) is True
    look = 'import os\nfound = [os.path.exists(f"{folder}/answers") for folder in ("/tmp", "/dev/shm")]'
    assert said(hire(), look) == [False, False]


def test_proc_tells_of_a_machine_without_processes_and_sys_of_nothing(student: Student) -> None:
    """/proc answers what notebooks ask of a machine, the same everywhere, and shows none of the kernel's own tables."""
    looks = (
        "import os\nfound = [sorted(os.listdir('/proc')), attempt(os.listdir, '/sys'),\n"
        "    [open(f'/proc/{name}').read() for name in sorted(os.listdir('/proc')) if name != 'self'],\n"
        "    attempt(open, '/proc/meminfo', 'w'), attempt(open, '/proc/new', 'w'),\n"
        "    os.statvfs('/proc').f_flag & os.ST_RDONLY, os.listdir('/proc/self'),\n"
        "    'libc' in open('/proc/self/maps').read()]"
    )
    texts = machine(Bounds().memory_mb)
    names = sorted(texts)
    assert names == ["cpuinfo", "loadavg", "meminfo", "stat", "uptime", "version", "vmstat"]
    found = said(student, looks)
    assert found[:3] == [sorted([*names, "self"]), "ENOENT", [texts[name] for name in names]]
    assert not {*found[3:5]} - {"EROFS", "EACCES"} and found[5] == os.ST_RDONLY
    assert found[6:] == [["maps"], True]  # its own libraries, which threadpoolctl looks for


def test_what_a_notebook_asks_of_its_machine_is_answered(student: Student) -> None:
    """A cell that asks for memory or processors, as Colab's own cell does, gets an answer."""
    run(student, "from psutil import cpu_percent, virtual_memory\nimport psutil\nram_gb = virtual_memory().total / 1e9")
    assert (
        run(student, "print(0 < ram_gb < 100, virtual_memory().percent, psutil.swap_memory().total)") == "True 0.0 0\n"
    )
    run(student, 'cpu_percent(), psutil.cpu_count(), psutil.boot_time(), open("/proc/version").read()')
