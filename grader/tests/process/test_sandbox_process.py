"""Attacks on the sandbox from a student's cell: processes, rights, limits and handles, one property in each test."""

import os
import stat

import pyseccomp
from sandboxed import TRY, said
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


def test_a_student_is_alone(student: Student) -> None:
    signalled = "{attempt(os.kill, pid, 9) for pid in [-1, *range(2, 500)]}"
    assert said(student, f"import os\nfound = [os.getpid(), os.getppid(), {signalled}]") == [1, 0, {"ESRCH"}]


def test_the_zygote_forks_on_after_an_attack(hire: Hire) -> None:
    run(hire(), f"{TRY}\nimport os\nfor number in range(1, 65):\n    attempt(os.kill, -1, number)")
    assert said(hire(), "found = 1 + 1") == 2


def test_dangerous_system_calls_are_refused(student: Student) -> None:
    numbers = {name: number for name, number in NUMBERS.items() if number >= 0}
    called = "word(libc.syscall, ctypes.c_long(number), 0, 0, 0, 0, 0, 0)"
    found = said(student, f"found = {{name: {called} for name, number in {numbers}.items()}}")
    assert found == dict.fromkeys(numbers, "EPERM")
    assert len(found) > 45


def test_no_namespace_can_be_made(student: Student) -> None:
    """`clone` with a new user namespace answers EPERM; `clone3`, whose flags no filter sees, does not exist."""
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
    found = said(
        student,
        """
import resource
names = [getattr(resource, "RLIMIT_" + name) for name in ("CPU", "FSIZE", "NPROC", "NOFILE", "CORE", "AS")]
found = [resource.getrlimit(name) for name in names]
for name, (soft, hard) in zip(names, found):
    try:
        resource.setrlimit(name, (hard + 1, hard + 1))
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
    """A process that the kernel ends at a lower limit would look as if it had been killed from outside."""
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


def test_a_student_holds_one_channel_and_the_null_device(student: Student) -> None:
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


def test_it_has_a_session_of_its_own_and_no_say_in_priorities(student: Student) -> None:
    own = "os.getsid(0) == os.getpid() == os.getpgid(0)"
    tries = "attempt(os.setpriority, os.PRIO_PGRP, 0, 19), attempt(os.sched_setscheduler, 0, 5, os.sched_param(0))"
    assert said(student, f"import os\nfound = [{own}, {tries}]") == [True, "EPERM", "EPERM"]
