"""Attacks on the sandbox from a student's cell: processes, rights, limits and handles, one property in each test."""

import os
import stat

import pyseccomp
import pytest
from sandboxed import TRY, names_running, said
from students import LIFETIME_S, Hire, run

from nbproctor.border import sandbox
from nbproctor.exam.proxies import Student

DANGEROUS = (
    "ptrace process_vm_readv process_vm_writev process_madvise pidfd_getfd pidfd_open kcmp mount umount2 pivot_root "
    "move_mount open_tree fsopen fsmount fsconfig fspick mount_setattr chroot unshare setns bpf perf_event_open "
    "userfaultfd io_uring_setup io_uring_enter io_uring_register keyctl add_key request_key init_module finit_module "
    "delete_module kexec_load kexec_file_load open_by_handle_at name_to_handle_at quotactl swapon swapoff reboot "
    "sethostname setdomainname acct settimeofday clock_settime adjtimex syslog shmget msgget semget memfd_create "
    "memfd_secret sched_setaffinity io_setup inotify_init inotify_init1 fanotify_init"
).split()
NUMBERS = {name: pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name) for name in DANGEROUS}
# The processor time of a student whose threads use all cores for a whole lifetime.
CPU_S = int(LIFETIME_S) * len(os.sched_getaffinity(0))
LIBRARIES_SET = {"PWD", "LC_CTYPE", "KMP_DUPLICATE_LIB_OK", "KMP_INIT_AT_FORK", "TORCHINDUCTOR_CACHE_DIR"}


def test_a_student_is_alone(student: Student) -> None:
    """A student's process is process 1 and has no parent, and its 500 signals reach nobody."""
    found = said(
        student,
        """
import os
found = [os.getpid(), os.getppid(), {attempt(os.kill, pid, 9) for pid in [-1, *range(2, 500)]}]
""",
    )
    assert found == [1, 0, {"ESRCH"}]


def test_the_zygote_forks_on_after_an_attack(hire: Hire) -> None:
    """The next student is served after an attacker has sent every signal to all processes, itself included."""
    run(
        hire(),
        f"{TRY}\nimport os\nfor number in range(1, 65):\n    attempt(os.kill, -1, number)",
    )
    assert said(hire(), "found = 1 + 1") == 2


def test_dangerous_system_calls_are_refused(student: Student) -> None:
    """Each call of this list answers EPERM, whatever its arguments. Those of newer kernels may have no number here."""
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
    """A student has no capability in any set, cannot gain new privileges, and cannot become root."""
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
    """Soft and hard limits are those that the sandbox documents, and a student cannot raise them."""
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
    wanted = [CPU_S, sandbox.Bounds().file_mb << 20, sandbox.Bounds().processes, sandbox.OPEN_FILES, 0]
    assert found[:5] == [(most, most) for most in wanted]
    assert found[5][0] == found[5][1] <= 8 << 30
    assert len(found) == 6


def test_nobody_shortens_his_own_processor_time(student: Student) -> None:
    """A student can read the limit of processor time, and cannot lower it.

    A process that the kernel ends at a lower limit would look as if it had been killed from outside, and such a
    submission is graded once more.
    """
    set_it, both = (pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name) for name in ("setrlimit", "prlimit64"))
    found = said(
        student,
        f"""
import resource
two, high = (ctypes.c_ulong * 2)(1, 1), ctypes.c_ulong(1 << 32)
found = [word(libc.syscall, ctypes.c_long({set_it}), high, two), word(libc.setrlimit, 0, two),
         word(libc.syscall, ctypes.c_long({both}), 0, high, two, None), attempt(resource.prlimit, 0, 0, (1, 1)),
         resource.getrlimit(resource.RLIMIT_CPU)[0], attempt(resource.setrlimit, resource.RLIMIT_NOFILE, (200, 200))]
""",
    )
    assert found == ["EPERM", "EPERM", "EPERM", "EPERM", CPU_S, None]


def test_memory_ends(student: Student) -> None:
    """A student gets 2 GB more memory than the zygote has, and no more; the process survives the refusal."""
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
    """Memory files and System V segments are refused: they would outlive their process, and no limit counts them."""
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
    assert found == [sandbox.Bounds().processes - 1, "can't start new thread", "EAGAIN"]


def test_a_student_holds_one_channel_and_the_null_device(student: Student) -> None:
    """Of a student's first 4,096 handles four are open: three on /dev/null, and the channel to the examiner."""
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
    """No variable of the host reaches a student: the grader or one of its libraries has set each that is there."""
    found = said(student, "import os\nfound = sorted(os.environ)")
    ours = sandbox.bwrap_command([], None, sandbox.Bounds(), sandbox.View())
    assert set(found) - {ours[i + 1] for i, word in enumerate(ours) if word == "--setenv"} <= LIBRARIES_SET
    assert "HOME" in found
    assert len(found) > 8


def test_all_processes_of_a_student_end_with_it(hire: Hire) -> None:
    """Even a daemon in a session of its own, whose parent has ended, is killed when the examiner is done."""
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
    assert name in names_running()
    one.close()
    assert name not in names_running()


def test_a_process_that_kills_itself_dies(hire: Hire) -> None:
    """A student's process that kills itself ends, although process 1 of a namespace would survive its own SIGKILL."""
    one = hire()
    with pytest.raises(BaseException, match="^the process died$"):
        run(one, "import os\nos.kill(os.getpid(), 9)")
    assert one.close() == -31


def test_it_has_a_session_of_its_own_and_no_say_in_priorities(student: Student) -> None:
    """A student's process is alone in its session and process group, and cannot change any process's priority."""
    own, *refused = said(
        student,
        "import os\nfound = [os.getsid(0) == os.getpid() == os.getpgid(0), "
        "attempt(os.setpriority, os.PRIO_PGRP, 0, 19), attempt(os.nice, 5), "
        "attempt(os.sched_setscheduler, 0, os.SCHED_IDLE, os.sched_param(0))]",
    )
    assert own is True
    assert refused == ["EPERM"] * 3
