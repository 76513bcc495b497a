"""Shuts the student's process in. Layers that are missing stop the run: see `LayerMissing`.

Covered
    Network: none, not even loopback (own network namespace, every socket family but AF_UNIX refused).
    Files: programs and libraries, read-only (see `shown`), and a scratch folder of 64 MB and 4,096 files of their own
    (mount namespace on a tmpfs, Landlock). No `/sys`, no home, no other submission; of `/proc` a few files that say the
    same on every machine (`walls.MACHINE`). No course: where it lies in a folder that is shown, an empty one is put
    over it.
    Processes: none but their own can be seen or signalled (pid namespace, killed whole at the end, user namespace of
    their own; Landlock's scopes from its version 6 on, before that a network namespace of their own); at most
    `PROCESSES` of them, threads included. No ptrace, no reading of memory.
    Rights: none (no capabilities, no_new_privs, unprivileged uid, namespaces and mounts refused by seccomp).
    What the kernel has so many of for a machine, or for one user of it: no terminals, no asynchronous I/O, no watches
    over files.
    Memory, CPU seconds, file size and open files: rlimits, for each process; no memory outside of them (memfd, System V
    segments). First choice when memory runs out.
    Handles: one channel to the examiner, and /dev/null.
Not covered
    Holes in the kernel itself. Memory of all processes of one student together (`PROCESSES` times the limit: cgroups
    would bound it, and are not writable everywhere). Timing and cache side channels, and what two who sit at the same
    moment and have agreed on it can tell one another by a lock on a library's file, a socket's name that is taken, or
    what is left of their user's handles on their way: a hidden check's numbers, bit by bit. The student's own process:
    they may do there what they like, which is why no verdict is computed in it. A classroom that lies neither in the
    course nor in a folder of its own, but among programs and libraries (in /usr/share, say): nothing covers it there.

This is the outer half: which layers are here, the small root that bubblewrap builds once for the zygote, the filter of
system calls, the limits. The inner half is `inside.walls`: there the zygote gives up root and becomes the owner of a
user namespace, and each child gets namespaces, limits and filters of its own. Works as root and as anybody else.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import errno
import os
import resource
import shutil
import socket
import sys
from pathlib import Path

NOBODY = 65534
PROCESSES = 32
MEMORY_MB = 2048
FILE_MB = 32
OPEN_FILES = 256
SCRATCH = "/tmp"  # noqa: S108 a tmpfs of the child's own, not the host's folder

SHARED = "/dev/shm"  # noqa: S108 likewise
STAGE = "/.scratch"  # where a scratch folder is furnished before it takes its place

NEWUSER = 0x10000000
LANDLOCK_CREATE = 444
LANDLOCK_SCOPES = 6  # the version from which on it keeps signals and abstract sockets in

COURSE = Path(__file__).resolve().parents[2]
# What it takes of a place of programs to run them. A share holds much else; Debian's alone is needed, in /usr.
_PARTS = ("bin", "lib", "lib64", "libexec", "pyvenv.cfg", "share/fonts", "share/zoneinfo")

libc = ctypes.CDLL(None, use_errno=True)


# How bubblewrap begins to say that the kernel gives it no namespace, or one in which it may do nothing.
REFUSED_NAMESPACE = (
    "Creating new namespace failed", "No permissions to creat", "setting up uid map", "setting up gid map",
    "error writing to setgroups", "loopback: ",
)  # fmt: skip


class LayerMissing(Exception):
    """A layer of the sandbox is not to be had here; the message names it and what brings it."""


def no_namespaces(refused: str) -> LayerMissing:
    """What there is to say where the kernel lets nobody make a user namespace; `refused` is what failed, and why."""
    return LayerMissing(
        f"user namespaces are refused ({refused}): on Ubuntu 24.04 and later "
        "`sysctl kernel.apparmor_restrict_unprivileged_userns=0` allows them, elsewhere "
        "kernel.unprivileged_userns_clone=1 and user.max_user_namespaces > 0; in Docker, --security-opt "
        "seccomp=unconfined --security-opt apparmor=unconfined does. Or grade with --unsafe"
    )


def need_linux() -> None:
    """Raises LayerMissing elsewhere: without the sandbox, too, grading rests on what Linux alone has, as pidfds."""
    if sys.platform != "linux":
        raise LayerMissing(
            f"grading needs Linux, this is {sys.platform}: grade in a Linux container, in WSL or elsewhere"
        )


def check_layers() -> list[str]:
    """The names of the layers this machine has. Raises LayerMissing at the first that it lacks.

    Landlock is named with its version. What an older one cannot do, another layer does, and its name says so: TCP is
    refused by seccomp too, and before version 6 each student has a network namespace, where no socket of another is.
    """
    need_linux()
    if shutil.which("bwrap") is None:
        raise LayerMissing(
            "bubblewrap is missing: `apt-get install bubblewrap`, or --unsafe to grade without a sandbox"
        )
    if ctypes.util.find_library("seccomp") is None:
        raise LayerMissing("libseccomp is missing: `apt-get install libseccomp2`, or --unsafe")
    abi = landlock_abi()
    if abi < 1:
        raise LayerMissing("Landlock is missing: it needs Linux 5.13 with `landlock` in the lsm= list, or --unsafe")
    unscoped = "" if abi >= LANDLOCK_SCOPES else ", no scopes: a network namespace for each student"
    return ["bubblewrap", "namespaces", "rlimits", f"landlock (abi {abi}{unscoped})", "seccomp"]


def bwrap_command(inner: list[str], fonts: Path | None) -> list[str]:
    """The command that runs `inner` in a root holding programs and libraries only. Raises LayerMissing as `covers`."""
    seen = shown()
    binds = [*_view(seen, covers(seen)), "--perms", "0755", "--dir", "/etc"]
    for path in ("/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/localtime"):
        if os.path.islink(path) and not path.startswith("/etc"):
            binds += ["--symlink", os.readlink(path), path]
        elif os.path.exists(path):
            binds += ["--ro-bind", path, path]
    if fonts is not None:
        binds += ["--ro-bind", str(fonts), f"{SCRATCH}/mpl/{fonts.name}"]
    # Root drops to NOBODY inside, once all files have been read; for that it keeps two rights until then.
    rights = ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"] if os.geteuid() == 0 else ["--unshare-user"]
    environment = {"PATH": f"{sys.prefix}/bin:/usr/bin:/bin", "HOME": SCRATCH, "USER": "student",
                   "LANG": "C.UTF-8", "TZ": "UTC", "MPLBACKEND": "agg",
                   "MPLCONFIGDIR": f"{SCRATCH}/mpl", "IPYTHONDIR": f"{SCRATCH}/ipython",
                   "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0",
                   "PYTHONPATH": os.path.dirname(libraries()[-1])}  # fmt: skip
    return [
        "bwrap", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
        "--die-with-parent", "--new-session", "--cap-drop", "ALL", *rights, "--clearenv",
        *(word for name, value in environment.items() for word in ("--setenv", name, value)),
        "--proc", "/proc", "--dev", "/dev", "--tmpfs", SCRATCH, "--dir", STAGE, *binds,
        "--remount-ro", "/", "--chdir", "/", "--", *inner,
    ]  # fmt: skip


def libraries() -> list[str]:
    """The interpreter's folder, the environment's, and this package's. Of the first two `shown` takes a part."""
    package = os.path.dirname(os.path.realpath(__file__))
    return list(dict.fromkeys(map(os.path.abspath, (sys.base_prefix, sys.prefix, package))))


def shown() -> list[str]:
    """What a student sees of this machine's files: of each place of programs what running them takes, and this package.

    Whatever else somebody has put there stays out of sight: a clone in /usr/src/app, a course whose own folder is the
    environment, nbgrader's exchange in /usr/local/share.
    """
    *places, package = libraries()
    roots = [root for root in dict.fromkeys(("/usr", "/usr/local", *places)) if root != "/"]
    wanted = ["/usr/share", *(f"{root}/{part}" for root in roots for part in _PARTS)]
    return [*filter(os.path.lexists, wanted), package]


def covers(seen: list[str]) -> list[str]:
    """Where the course would be seen through these paths: there an empty folder hides it, but for those that lie in it.

    Raises LayerMissing where the course's folder is itself one that has to be shown.
    """
    if not (COURSE / "solutions").is_dir():  # a cluster's worker needs no course, only this package
        return []
    found = []
    for path in seen:
        real = os.path.realpath(path)
        if _in(str(COURSE), [real]) and not os.path.islink(path):  # what a link leads to is shown by its own name
            found.append(os.path.normpath(f"{path}/{os.path.relpath(COURSE, real)}"))
    if not set(found).isdisjoint(seen):
        raise LayerMissing(
            f"nothing can hide the solutions: {COURSE} is a folder of libraries, which students' processes have to "
            "read. Move the course to a folder of its own"
        )
    return found


def _view(seen: list[str], covered: list[str]) -> list[str]:
    """bubblewrap's words for a root with these paths in it, and with nothing else of the folders that are covered."""
    words: list[str] = []
    outside = [path for path in sorted(seen) if not _in(path, covered)]
    for number, path in enumerate(outside):
        if not _in(path, outside[:number]):
            words += _bind(path)
    for cover in covered:
        words += ["--perms", "0755", "--tmpfs", cover]
    for path in seen:
        if _in(path, covered):
            words += _bind(path)
    for cover in covered:
        words += ["--remount-ro", cover]
    return words


def _bind(path: str) -> list[str]:
    """A path as it is here: a link as a link, so that it brings along nothing from elsewhere."""
    words: list[str] = []
    for parent in list(Path(path).parents)[-2::-1]:  # bubblewrap would make them for their owner alone
        words += ["--perms", "0755", "--dir", str(parent)]
    return words + (["--symlink", os.readlink(path), path] if os.path.islink(path) else ["--ro-bind", path, path])


def _in(path: str, folders: list[str]) -> bool:
    """Whether a path is one of these folders, or lies in one."""
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def limit(what: int, most: int) -> None:
    """Set an rlimit for good, no higher than it may be."""
    hard = resource.getrlimit(what)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (most, most))


def memory_mapped_mb() -> int:
    """The address space of this process, in MB. Read it while /proc is in sight."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() >> 20


# --- Landlock -------------------------------------------------------------------------------------------------------


def landlock_abi() -> int:
    """The kernel's Landlock version, 0 where it has none."""
    return max(0, int(libc.syscall(LANDLOCK_CREATE, None, 0, 1)))


# --- seccomp --------------------------------------------------------------------------------------------------------

_DENIED = (
    "ptrace process_vm_readv process_vm_writev process_madvise pidfd_getfd pidfd_open kcmp mount umount2 pivot_root "
    "move_mount open_tree fsopen fsmount fsconfig fspick mount_setattr chroot unshare setns bpf perf_event_open "
    "userfaultfd io_uring_setup io_uring_enter io_uring_register keyctl add_key request_key init_module finit_module "
    "delete_module kexec_load kexec_file_load open_by_handle_at name_to_handle_at quotactl swapon swapoff reboot "
    "sethostname setdomainname acct settimeofday clock_settime adjtimex syslog "
    "sched_setaffinity "  # a crowd of processes stays on the core that it was given
    "setpriority ioprio_set sched_setattr sched_setscheduler sched_setparam "  # and nobody makes a neighbour slow
    "shmget msgget semget memfd_create memfd_secret "  # memory that no limit counts
    "io_setup inotify_init inotify_init1 fanotify_init"  # of which a machine, or a user of it, has so many and no more
).split()


def seccomp_program() -> bytes:
    """The filter, compiled by libseccomp. What is denied answers EPERM; `clone3` ENOSYS, so that libc falls back."""
    import pyseccomp as seccomp

    rules = seccomp.SyscallFilter(seccomp.ALLOW)
    for name in _DENIED:
        rules.add_rule(seccomp.ERRNO(errno.EPERM), name)
    rules.add_rule(seccomp.ERRNO(errno.ENOSYS), "clone3")
    rules.add_rule(seccomp.ERRNO(errno.EPERM), "clone", seccomp.Arg(0, seccomp.MASKED_EQ, NEWUSER, NEWUSER))
    for call in ("socket", "socketpair"):
        rules.add_rule(seccomp.ERRNO(errno.EAFNOSUPPORT), call, seccomp.Arg(0, seccomp.NE, socket.AF_UNIX))
    # A pid 1 outlives its own SIGKILL, and would be graded on; this ends it by SIGSYS.
    rules.add_rule(seccomp.KILL_PROCESS, "kill", seccomp.Arg(0, seccomp.EQ, 1), seccomp.Arg(1, seccomp.EQ, 9))
    rules.add_rule(seccomp.KILL_PROCESS, "tgkill", seccomp.Arg(0, seccomp.EQ, 1), seccomp.Arg(2, seccomp.EQ, 9))
    # Whoever gives himself less processor time is killed as from outside, and would be graded once more: another guess.
    cpu = (seccomp.MASKED_EQ, 0xFFFFFFFF, resource.RLIMIT_CPU)
    rules.add_rule(seccomp.ERRNO(errno.EPERM), "setrlimit", seccomp.Arg(0, *cpu))
    rules.add_rule(seccomp.ERRNO(errno.EPERM), "prlimit64", seccomp.Arg(1, *cpu), seccomp.Arg(2, seccomp.NE, 0))
    handle = os.memfd_create("seccomp")
    with os.fdopen(handle, "w+b") as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()
