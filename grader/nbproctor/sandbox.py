"""Shuts the student's process in. Layers that are missing stop the run: see `LayerMissing`.

Covered
    Network: none, not even loopback (own network namespace, every socket family but AF_UNIX refused).
    Files: only the interpreter and the libraries, read-only, and a scratch folder of 64 MB and 4,096 files of their own
    (mount namespace on a tmpfs, Landlock). No `/proc`, no `/sys`, no home, no course, no other submission.
    Processes: none but their own can be seen or signalled (pid namespace, killed whole at the end, user namespace of
    their own, Landlock scopes); at most `PROCESSES` of them, threads included. No ptrace, no reading of memory.
    Rights: none (no capabilities, no_new_privs, unprivileged uid, namespaces and mounts refused by seccomp).
    Memory, CPU seconds, file size and open files: rlimits, for each process; no memory outside of them (memfd, System V
    segments). First choice when memory runs out.
    Handles: one channel to the examiner, and /dev/null.
Not covered
    Holes in the kernel itself. Memory of all processes of one student together (`PROCESSES` times the limit: cgroups
    would bound it, and are not writable everywhere). Timing and cache side channels. The student's own process: they
    may do there what they like, which is why no verdict is computed in it.

bubblewrap builds the zygote's small root once; the zygote (`enter`) gives up root and becomes the owner of a user
namespace; each child (`shut_in`) gets namespaces, limits and filters of its own. Works as root and as anybody else.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import errno
import os
import resource
import shutil
import socket
import struct
import sys
from pathlib import Path

NOBODY = 65534
PROCESSES = 32
MEMORY_MB = 2048
CPU_S = 120
FILE_MB = 32
OPEN_FILES = 256
SCRATCH = "/tmp"  # noqa: S108 a tmpfs of the child's own, not the host's folder

SHARED = "/dev/shm"  # noqa: S108 likewise
STAGE = "/.scratch"  # where a scratch folder is furnished before it takes its place

NEWNS, NEWIPC, NEWUSER, NEWPID, NEWNET = 0x20000, 0x08000000, 0x10000000, 0x20000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_BIND, MS_MOVE, MS_REC, MS_PRIVATE = 0x1000, 0x2000, 0x4000, 0x40000
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP = 1, 4, 22, 24
PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 38, 47
LANDLOCK_CREATE, LANDLOCK_ADD, LANDLOCK_RESTRICT = 444, 445, 446

libc = ctypes.CDLL(None, use_errno=True)


class LayerMissing(Exception):
    """A layer of the sandbox is not to be had here; the message names it and what brings it."""


def check_layers() -> list[str]:
    """The names of the layers this machine has. Raises LayerMissing at the first that it lacks."""
    if sys.platform != "linux":
        raise LayerMissing(f"the sandbox needs Linux, this is {sys.platform}; grade in a Linux container, or --unsafe")
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


def bwrap_command(inner: list[str], fonts: Path | None) -> list[str]:
    """The command that runs `inner` in a root holding nothing but the interpreter and the libraries."""
    binds: list[str] = []
    for path in _libraries():
        if not path.startswith("/usr/"):
            for parent in list(Path(path).parents)[-2::-1]:  # bubblewrap would make them for their owner alone
                binds += ["--perms", "0755", "--dir", str(parent)]
            binds += ["--ro-bind", path, path]
    binds += ["--perms", "0755", "--dir", "/etc"]
    for path in ("/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/localtime"):
        if os.path.islink(path) and not path.startswith("/etc"):
            binds += ["--symlink", os.readlink(path), path]
        elif os.path.exists(path):
            binds += ["--ro-bind", path, path]
    if fonts is not None:
        binds += ["--ro-bind", str(fonts), f"{SCRATCH}/mpl/{fonts.name}"]
    # Root drops to NOBODY inside, once all files have been read; for that it keeps two rights until then.
    rights = ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"] if os.geteuid() == 0 else ["--unshare-user"]
    environment = {"PATH": "/usr/bin:/bin", "HOME": SCRATCH, "LANG": "C.UTF-8", "MPLBACKEND": "agg", "TZ": "UTC",
                   "MPLCONFIGDIR": f"{SCRATCH}/mpl", "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1",
                   "PYTHONHASHSEED": "0", "IPYTHONDIR": f"{SCRATCH}/ipython",
                   "PYTHONPATH": os.path.dirname(_libraries()[-1])}  # fmt: skip
    return [
        "bwrap", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
        "--die-with-parent", "--new-session", "--cap-drop", "ALL", *rights, "--clearenv",
        *(word for name, value in environment.items() for word in ("--setenv", name, value)),
        "--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev", "--tmpfs", SCRATCH, "--dir", STAGE, *binds,
        "--remount-ro", "/", "--chdir", "/", "--", *inner,
    ]  # fmt: skip


def _libraries() -> list[str]:
    """The interpreter's folder, the environment's, and this package's: all that is there besides /usr."""
    package = os.path.dirname(os.path.realpath(__file__))
    return list(dict.fromkeys(map(os.path.abspath, (sys.base_prefix, sys.prefix, package))))


def enter() -> int:
    """In the zygote, once, after its imports: own a user namespace without root. Returns a handle on its pid namespace.

    Raises LayerMissing where the kernel refuses namespaces to ordinary users.
    """
    if os.getuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    _prctl(PR_SET_DUMPABLE, 1)
    uid, gid = os.getuid(), os.getgid()
    Path("/proc/self/oom_score_adj").write_text("1000")
    try:
        _call("unshare", libc.unshare(NEWUSER | NEWNS | NEWPID))
    except OSError as error:
        raise LayerMissing(
            f"user namespaces are refused ({error.strerror}): set kernel.unprivileged_userns_clone=1 and "
            "user.max_user_namespaces > 0 (in Docker: --security-opt seccomp=unconfined), or --unsafe"
        ) from error
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
    Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
    warden = os.fork()  # the child is pid 1 of a pid namespace that we own, and can come back to after each fork
    if warden:
        os._exit(os.waitstatus_to_exitcode(os.waitpid(warden, 0)[1]) & 0xFF)
    _prctl(PR_SET_PDEATHSIG, 9)
    own_pid_namespace = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
    _mount(None, "/", None, MS_REC | MS_PRIVATE)
    _mount("tmpfs", "/proc", "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC)
    return own_pid_namespace


def fork_in_namespaces(own_pid_namespace: int) -> int:
    """`os.fork`, with the child as pid 1 of a pid namespace of its own: when it dies, all its processes do."""
    _call("unshare", libc.unshare(NEWPID))
    pid = os.fork()
    if pid:
        _call("setns", libc.setns(own_pid_namespace, NEWPID))
    return pid


def shut_in(program: bytes, memory_base_mb: int) -> None:
    """In a fresh child: take everything away that the docstring above says. Raises OSError where a layer fails."""
    _prctl(PR_SET_PDEATHSIG, 9)
    network = NEWNET if landlock_abi() < 6 else 0  # until Landlock 6 scoped them, abstract sockets are shared in one
    _call("unshare", libc.unshare(NEWNS | NEWIPC | network))
    for folder in (SCRATCH, SHARED):
        _mount_scratch(folder)
    _call("unshare", libc.unshare(NEWUSER))  # its own count of processes, and no rights over the zygote's namespaces
    os.chdir(SCRATCH)
    limit_resources(memory_base_mb)
    _prctl(PR_CAP_AMBIENT, 4)  # clear all
    for capability in range(64):
        if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            break
    _call("capset", libc.syscall(_CAPSET, struct.pack("=II", 0x20080522, 0), bytes(24)))
    _prctl(PR_SET_NO_NEW_PRIVS, 1)
    _prctl(PR_SET_DUMPABLE, 0)
    _restrict_files()
    _load_seccomp(program)


def _mount_scratch(folder: str) -> None:
    """An empty folder of 64 MB, but for libraries that lie below its name on this machine."""
    inside = [path for path in _libraries() if path.startswith(f"{folder}/")]
    place = STAGE if inside else folder
    _mount("tmpfs", place, "tmpfs", MS_NOSUID | MS_NODEV, "size=64m,nr_inodes=4096,mode=0777")
    for path in inside:
        copy = STAGE + path.removeprefix(folder)
        os.makedirs(copy, exist_ok=True)
        _mount(path, copy, None, MS_BIND | MS_REC)
    if inside:
        _mount(STAGE, folder, None, MS_MOVE)


def limit_resources(memory_base_mb: int) -> None:
    """rlimits: `memory_base_mb` is what the zygote has mapped already, which the limit has to leave room for."""
    for what, most in (
        (resource.RLIMIT_AS, (memory_base_mb + MEMORY_MB) << 20),
        (resource.RLIMIT_CPU, CPU_S),
        (resource.RLIMIT_FSIZE, FILE_MB << 20),
        (resource.RLIMIT_NPROC, PROCESSES),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
    ):
        limit(what, most)


def limit(what: int, most: int) -> None:
    """Set an rlimit for good, no higher than it may be."""
    hard = resource.getrlimit(what)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (most, most))


def memory_mapped_mb() -> int:
    """The address space of this process, in MB. Read it while /proc is in sight."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() >> 20


# --- Landlock -------------------------------------------------------------------------------------------------------

_READ = 1 << 0 | 1 << 2 | 1 << 3  # execute, read a file, read a folder
_WRITE_FILE = 1 << 1 | 1 << 2 | 1 << 14


def landlock_abi() -> int:
    """The kernel's Landlock version, 0 where it has none."""
    return max(0, int(libc.syscall(LANDLOCK_CREATE, None, 0, 1)))


def _restrict_files() -> None:
    """Read everywhere, write in the scratch folders and /dev/null only; no TCP; signals and sockets scoped."""
    abi = landlock_abi()
    handled = (1 << {1: 13, 2: 14, 3: 15, 4: 15}.get(abi, 16)) - 1
    net, scoped = (3 if abi >= 4 else 0), (3 if abi >= 6 else 0)
    attributes = struct.pack("=QQQ", handled, net, scoped)[: 8 if abi < 4 else 16 if abi < 6 else 24]
    ruleset = _call("landlock", libc.syscall(LANDLOCK_CREATE, attributes, len(attributes), 0))
    for path, rights in (("/", _READ), (SCRATCH, handled), (SHARED, handled), ("/dev/null", _WRITE_FILE)):
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
        rule = struct.pack("=Qi", rights & handled, handle)
        _call("landlock", libc.syscall(LANDLOCK_ADD, ruleset, 1, rule, 0))
        os.close(handle)
    _call("landlock", libc.syscall(LANDLOCK_RESTRICT, ruleset, 0))
    os.close(ruleset)


# --- seccomp --------------------------------------------------------------------------------------------------------

_DENIED = (
    "ptrace process_vm_readv process_vm_writev process_madvise pidfd_getfd pidfd_open kcmp mount umount2 pivot_root "
    "move_mount open_tree fsopen fsmount fsconfig fspick mount_setattr chroot unshare setns bpf perf_event_open "
    "userfaultfd io_uring_setup io_uring_enter io_uring_register keyctl add_key request_key init_module finit_module "
    "delete_module kexec_load kexec_file_load open_by_handle_at name_to_handle_at quotactl swapon swapoff reboot "
    "sethostname setdomainname acct settimeofday clock_settime adjtimex syslog "
    "sched_setaffinity "  # a crowd of processes stays on the core that it was given
    "setpriority ioprio_set sched_setattr sched_setscheduler sched_setparam "  # and nobody makes a neighbour slow
    "shmget msgget semget memfd_create memfd_secret"  # memory that no limit counts
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
    handle = os.memfd_create("seccomp")
    with os.fdopen(handle, "w+b") as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


def _load_seccomp(program: bytes) -> None:
    buffer = ctypes.create_string_buffer(program, len(program))
    filter_ = struct.pack("=HxxxxxxQ", len(program) // 8, ctypes.addressof(buffer))
    _call("seccomp", libc.prctl(PR_SET_SECCOMP, 2, filter_, 0, 0))


# --- system calls ---------------------------------------------------------------------------------------------------

_CAPSET = {"x86_64": 126, "aarch64": 91}.get(os.uname().machine, -1)


def _call(name: str, result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def _prctl(option: int, value: int) -> None:
    _call(f"prctl {option}", libc.prctl(option, value, 0, 0, 0))


def _mount(source: str | None, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    words = [None if word is None else word.encode() for word in (source, target, kind)]
    _call(f"mount {target}", libc.mount(*words, flags, None if data is None else data.encode()))
