"""The sandbox around a student's process. Where one of its layers is missing, grading does not start (`LayerMissing`).

Covered
    Network: none, not even loopback (own network namespace, every socket family but AF_UNIX refused).
    Files: the process can read programs and libraries (see `shown`), and write in scratch folders of its own, each of
    64 MB and 4,096 files (`Bounds`; mount namespace on a tmpfs, Landlock). It sees no `/sys`, no home, no other
    submission, and of `/proc` only a few files that say the same on every machine (`walls.machine`), and which
    libraries are loaded. It does not see the course: where that lies in a folder that is shown, an empty folder is
    mounted over it.
    Processes: it can see and signal only its own (a pid namespace, killed whole at the end; a user namespace;
    Landlock's scopes from version 6 on, and before that a network namespace for each student). It can have at most
    32, threads included. No ptrace, no reading of another's memory.
    Rights: none (no capabilities, no_new_privs, unprivileged uid, namespaces and mounts refused by seccomp).
    Resources of which the kernel has a fixed number for the machine or for one user: no terminals, no asynchronous I/O,
    no watches over files.
    Memory, CPU seconds, file size and open files: rlimits for each process, and no memory that these do not count
    (memfd, System V segments). When the machine's memory runs out, the kernel kills these processes first.
    Handles: one channel to the examiner, and /dev/null.
Not covered
    Holes in the kernel itself.
    The memory of all processes of one student together: it may reach 32 times the limit. Cgroups would bound
    it, but are not writable everywhere.
    Side channels by timing and caches. Two students who are graded at the same moment, and have agreed on it, can also
    signal to one another by a lock on a library's file, by taking a socket's name, or by using up the handles that
    their user may have in transit. They could pass on a hidden check's numbers in this way, bit by bit.
    The student's own process: its code may do there what it likes, which is why no verdict is computed in it.
    A classroom that lies neither in the course nor in a folder of its own, but among programs and libraries (in
    /usr/share, say): nothing hides it there.

This module is the outer half: it finds out which layers are here, has bubblewrap build a small root for the zygote, and
holds the limits and the filter of system calls. The inner half is `inside.walls`: there the zygote gives up root and
becomes the owner of a user namespace, and each child gets namespaces, limits and filters of its own. Both work for root
and for any other user.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import errno
import os
import resource
import shutil
import signal
import socket
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from nbproctor.errors import UserError
from nbproctor.paths import PACKAGE, ROOT

NOBODY = 65534
OPEN_FILES = 256
SCRATCH = "/tmp"  # noqa: S108 a tmpfs of the child's own, not the host's folder

SHARED = "/dev/shm"  # noqa: S108 likewise
STAGE = "/.scratch"  # where a scratch folder is prepared before it is moved to its place

NEWUSER = 0x10000000
PR_SET_PDEATHSIG = 1
LANDLOCK_CREATE = 444
LANDLOCK_SCOPES = 6  # from this version on, Landlock can keep signals and abstract sockets inside its domain


@dataclass(frozen=True)
class Bounds:
    """What a student's process may use: the limits of our course, unless another course's settings say otherwise.

    scratch_mb and files bound each of its two scratch folders, and file_mb one file in them. network: whether it may
    reach other machines, as some assignments ask for; the sandbox then covers no network.
    """

    memory_mb: int = 2048
    processes: int = 32
    scratch_mb: int = 64
    file_mb: int = 32
    files: int = 4096
    network: bool = False


# The parts of an installation that its programs need when they run. A `share` folder holds much else; only Debian's,
# /usr/share, is needed as a whole.
PARTS = ("bin", "lib", "lib64", "libexec", "pyvenv.cfg", "share/fonts", "share/zoneinfo")

# On Debian and Ubuntu some programs and libraries are links into this folder, which holds links back to such.
ALTERNATIVES = "/etc/alternatives"
ROOT_LINKS = ("/lib", "/lib64", "/bin")  # links into /usr, or folders

libc = ctypes.CDLL(None, use_errno=True)


# How bubblewrap's messages begin where the kernel gives it no namespace, or one in which it may do nothing.
REFUSED_NAMESPACE = (
    "Creating new namespace failed", "No permissions to creat", "setting up uid map", "setting up gid map",
    "error writing to setgroups", "loopback: ",
)  # fmt: skip


class LayerMissing(UserError):
    """A layer of the sandbox is missing on this machine; the message names it and says how to get it."""


def no_namespaces(refused: str) -> LayerMissing:
    """The error for a kernel that lets ordinary users make no user namespace. refused: what failed, and why."""
    return LayerMissing(
        f"user namespaces are refused ({refused}): on Ubuntu 24.04 and later "
        "`sysctl kernel.apparmor_restrict_unprivileged_userns=0` allows them, elsewhere "
        "kernel.unprivileged_userns_clone=1 and user.max_user_namespaces > 0; in Docker, --security-opt "
        "seccomp=unconfined --security-opt apparmor=unconfined does. Or grade with --unsafe"
    )


def need_linux() -> None:
    """Raises LayerMissing on other systems. Even without the sandbox, grading needs pidfds, which only Linux has."""
    if sys.platform != "linux":
        raise LayerMissing(
            f"grading needs Linux, this is {sys.platform}: grade in a Linux container, in WSL or elsewhere"
        )


def check_layers() -> list[str]:
    """The names of the sandbox's layers on this machine. Raises LayerMissing at the first that is missing.

    Landlock is named with its version. What an older version cannot do, another layer does: seccomp refuses TCP too,
    and before version 6 each student's process has a network namespace, which keeps abstract sockets apart.
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
    return ["bubblewrap", "namespaces", "rlimits", f"landlock (abi {abi})", "seccomp"]


def bwrap_command(inner: list[str], fonts: Path | None, bounds: Bounds, view: View) -> list[str]:
    """The command that runs `inner` in a root of programs and libraries only. Raises LayerMissing as `covers` does."""
    seen = list(dict.fromkeys([*shown(), *view.readable]))
    binds = [*_view(seen, covers(seen, view.hidden)), "--perms", "0755", "--dir", "/etc"]
    of_network = ("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl") if bounds.network else ()
    for path in (*ROOT_LINKS, "/etc/ld.so.cache", "/etc/localtime", *of_network):
        if os.path.islink(path) and not path.startswith("/etc"):
            binds += ["--symlink", os.readlink(path), path]
        elif os.path.exists(path):
            binds += ["--ro-bind", path, path]
    if fonts is not None:
        binds += ["--ro-bind", str(fonts), f"{SCRATCH}/mpl/{fonts.name}"]
    # Root becomes NOBODY inside, once all files have been read; it keeps the two rights that this takes until then.
    rights = ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"] if os.geteuid() == 0 else ["--unshare-user"]
    environment = {"PATH": f"{sys.prefix}/bin:/usr/bin:/bin", "HOME": SCRATCH, "USER": "student",
                   "LANG": "C.UTF-8", "TZ": "UTC", "MPLBACKEND": "agg",
                   "MPLCONFIGDIR": f"{SCRATCH}/mpl", "IPYTHONDIR": f"{SCRATCH}/ipython",
                   "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0",
                   "PYTHONPATH": os.path.dirname(libraries()[-1]), **dict(view.environment)}  # fmt: skip
    return [
        "bwrap", "--unshare-pid", *(() if bounds.network else ("--unshare-net",)), "--unshare-ipc", "--unshare-uts",
        "--unshare-cgroup-try",
        "--die-with-parent", "--new-session", "--cap-drop", "ALL", *rights, "--clearenv",
        *(word for name, value in environment.items() for word in ("--setenv", name, value)),
        "--proc", "/proc", "--dev", "/dev", "--tmpfs", SCRATCH, "--dir", STAGE, *binds,
        "--remount-ro", "/", "--chdir", "/", "--", *inner,
    ]  # fmt: skip


@dataclass(frozen=True)
class View:
    """What a course's students' processes see besides programs and libraries, and what not.

    readable: paths of this machine. hidden: the folder of the course, where it lies among programs and libraries.
    environment: variables, with their values.
    """

    readable: tuple[str, ...] = ()
    hidden: Path | None = None
    environment: tuple[tuple[str, str], ...] = ()


def libraries() -> list[str]:
    """The folders of the interpreter, the environment and this package. Of the first two, `shown` takes only parts."""
    package = str(PACKAGE)
    return list(dict.fromkeys(map(os.path.abspath, (sys.base_prefix, sys.prefix, package))))


def shown() -> list[str]:
    """The paths of this machine that a student's process sees: what programs and libraries need, and this package.

    Everything else in the same folders stays hidden: a clone in /usr/src/app, a course whose own folder is the
    environment, nbgrader's exchange in /usr/local/share. Of the links that lead out of these folders, those of the
    interpreter and of its standard library are followed. Any other leads nowhere, as a link into somebody's home does.
    """
    *places, package = libraries()
    roots = [root for root in dict.fromkeys(("/usr", "/usr/local", *places)) if root != "/"]
    wanted = ["/usr/share", *(f"{root}/{part}" for root in roots for part in PARTS), ALTERNATIVES]
    known = [*filter(os.path.lexists, wanted), package]
    links = (path for path in _ways_of_python() if path not in ROOT_LINKS and not _in(path, known))
    return [*known, *(path for path in dict.fromkeys(links) if not any(_in(one, [path]) for one in known))]


def _ways_of_python() -> Iterable[str]:
    """The links through which the interpreter and the files of its standard library are reached, and those files.

    Debian's interpreter runs /etc/python3.11/sitecustomize.py in this way, and that of a version manager may be started
    through a link in somebody's ~/.local/bin.
    """
    library = os.path.dirname(os.__file__)
    links = sorted(entry.path for entry in os.scandir(library) if entry.is_symlink())
    for path in (os.path.abspath(sys.executable), *links):
        yield from _way(path)


def _way(path: str) -> list[str]:
    """Each link on the way to a file, and the file itself; nothing if the links lead nowhere."""
    if not os.path.exists(path):
        return []
    found, here, parts = [], "/", path.split("/")[::-1]
    while parts:
        step = os.path.normpath(os.path.join(here, parts.pop()))
        if os.path.islink(step):
            found.append(step)
            target = os.readlink(step)
            here = "/" if target.startswith("/") else here
            parts += target.split("/")[::-1]
        else:
            here = step
    return [*found, here]


def covers(seen: list[str], hidden: Path | None = None) -> list[str]:
    """The paths under which the course would be visible through the shown ones, and has to be hidden.

    hidden: the folder of another course, if one is graded. An empty folder hides each of these paths; shown paths that
    lie in the course are put into it. Raises LayerMissing where the course's folder is itself one that has to be shown.
    """
    found = []
    for course in filter(None, (ROOT if (ROOT / "solutions").is_dir() else None, hidden)):
        inside = list(_seen_as(course, seen))
        if not set(inside).isdisjoint(seen):
            raise LayerMissing(
                f"nothing can hide the solutions: {course} is a folder of libraries, which students' processes have to "
                "read. Move the course to a folder of its own"
            )
        found += inside
    return list(dict.fromkeys(found))


def _seen_as(course: Path, seen: list[str]) -> Iterable[str]:
    """The paths under which a course's folder would be visible."""
    for path in seen:
        real = os.path.realpath(path)
        if _in(str(course), [real]) and not os.path.islink(path):  # the target of a link is shown under its own name
            yield os.path.normpath(f"{path}/{os.path.relpath(course, real)}")


def _view(seen: list[str], covered: list[str]) -> list[str]:
    """bubblewrap's arguments for a root with these paths, in which the covered folders hold nothing else."""
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
    """bubblewrap's arguments that show one path. A link stays a link, so that it shows nothing from elsewhere."""
    words: list[str] = []
    for parent in list(Path(path).parents)[-2::-1]:  # bubblewrap would make them readable for their owner alone
        words += ["--perms", "0755", "--dir", str(parent)]
    return words + (["--symlink", os.readlink(path), path] if os.path.islink(path) else ["--ro-bind", path, path])


def _in(path: str, folders: list[str]) -> bool:
    """Whether a path is one of these folders, or lies in one."""
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def limit(what: int, most: int) -> None:
    """Set an rlimit, soft and hard, to `most` or to the present hard limit, whichever is lower."""
    hard = resource.getrlimit(what)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (most, most))


def die_with_parent() -> None:
    """Have the kernel kill this process when the one that forked it ends, in whatever way."""
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def memory_mapped_mb() -> int:
    """The address space of this process, in MB. Call it while the machine's /proc is still visible."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() >> 20


def landlock_abi() -> int:
    """The kernel's Landlock version, 0 where it has none."""
    return max(0, int(libc.syscall(LANDLOCK_CREATE, None, 0, 1)))


_DENIED = (
    "ptrace process_vm_readv process_vm_writev process_madvise pidfd_getfd pidfd_open kcmp mount umount2 pivot_root "
    "move_mount open_tree fsopen fsmount fsconfig fspick mount_setattr chroot unshare setns bpf perf_event_open "
    "userfaultfd io_uring_setup io_uring_enter io_uring_register keyctl add_key request_key init_module finit_module "
    "delete_module kexec_load kexec_file_load open_by_handle_at name_to_handle_at quotactl swapon swapoff reboot "
    "sethostname setdomainname acct settimeofday clock_settime adjtimex syslog "
    "sched_setaffinity "  # all processes stay on the cores that they were given
    "setpriority ioprio_set sched_setattr sched_setparam "  # and none slows its neighbours down
    "shmget msgget semget memfd_create memfd_secret "  # memory that no limit counts
    "io_setup inotify_init inotify_init1 fanotify_init"  # the machine or a user has a fixed number of these
).split()


def seccomp_program(network: bool) -> bytes:
    """The filter, compiled by libseccomp. Denied calls fail by EPERM, `clone3` by ENOSYS, so that libc falls back.

    network: whether to leave the sockets that reach other machines.
    """
    import pyseccomp as seccomp

    rules = seccomp.SyscallFilter(seccomp.ALLOW)
    for name in _DENIED:
        rules.add_rule(seccomp.ERRNO(errno.EPERM), name)
    rules.add_rule(seccomp.ERRNO(errno.ENOSYS), "clone3")
    rules.add_rule(seccomp.ERRNO(errno.EPERM), "clone", seccomp.Arg(0, seccomp.MASKED_EQ, NEWUSER, NEWUSER))
    # The policy that every process has may be asked for: ZeroMQ, in which Jupyter's kernels speak, aborts without it.
    rules.add_rule(seccomp.ERRNO(errno.EPERM), "sched_setscheduler", seccomp.Arg(1, seccomp.NE, os.SCHED_OTHER))
    if network:
        for family in range(48):
            if family not in (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK):
                rules.add_rule(seccomp.ERRNO(errno.EAFNOSUPPORT), "socket", seccomp.Arg(0, seccomp.EQ, family))
    else:
        for call in ("socket", "socketpair"):
            for family in {*range(socket.AF_NETLINK)} - {socket.AF_UNIX}:
                rules.add_rule(seccomp.ERRNO(errno.EAFNOSUPPORT), call, seccomp.Arg(0, seccomp.EQ, family))
            # ZeroMQ asks it for the machine's addresses, and takes no other error than this for "there are none".
            rules.add_rule(seccomp.ERRNO(errno.EOPNOTSUPP), call, seccomp.Arg(0, seccomp.EQ, socket.AF_NETLINK))
            rules.add_rule(seccomp.ERRNO(errno.EAFNOSUPPORT), call, seccomp.Arg(0, seccomp.GT, socket.AF_NETLINK))
    # A pid 1 survives a SIGKILL from its own namespace, and would be graded on. This ends it with SIGSYS instead.
    rules.add_rule(seccomp.KILL_PROCESS, "kill", seccomp.Arg(0, seccomp.EQ, 1), seccomp.Arg(1, seccomp.EQ, 9))
    rules.add_rule(seccomp.KILL_PROCESS, "tgkill", seccomp.Arg(0, seccomp.EQ, 1), seccomp.Arg(2, seccomp.EQ, 9))
    # A process that lowers its own limit of processor time is killed by the kernel. That would look like a kill from
    # outside, after which a submission is graded once more: the student would get another guess.
    cpu = (seccomp.MASKED_EQ, 0xFFFFFFFF, resource.RLIMIT_CPU)
    rules.add_rule(seccomp.ERRNO(errno.EPERM), "setrlimit", seccomp.Arg(0, *cpu))
    rules.add_rule(seccomp.ERRNO(errno.EPERM), "prlimit64", seccomp.Arg(1, *cpu), seccomp.Arg(2, seccomp.NE, 0))
    handle = os.memfd_create("seccomp")
    with os.fdopen(handle, "w+b") as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()
