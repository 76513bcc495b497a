"""The inner half of the sandbox: the zygote gives up root, and each student's process restricts itself.

`sandbox` says what the sandbox covers and what it is made of. All of this runs before the first line of the student's
code.
"""

import ctypes
import os
import resource
import stat
import struct
import sys
from pathlib import Path

from nbproctor.border import sandbox
from nbproctor.border.sandbox import Bounds, LayerMissing, libc

NEWNS, NEWIPC, NEWPID, NEWNET = 0x20000, 0x08000000, 0x20000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 1, 2, 4, 8, 32
MS_BIND, MS_MOVE, MS_REC, MS_PRIVATE = 0x1000, 0x2000, 0x4000, 0x40000
PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP = 4, 22, 24
PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 38, 47
LANDLOCK_ADD, LANDLOCK_RESTRICT = 445, 446
TRY_S = 60  # seconds of processor time to try out the sandbox


def machine(memory_mb: int) -> dict[str, str]:
    """What /proc says to students: the limit of memory, and one processor.

    Notebooks ask for these, for example by `psutil.virtual_memory()`; nothing here tells of the machine itself.
    """
    most = memory_mb << 10
    amounts = (
        ("MemTotal", most), ("MemFree", most), ("MemAvailable", most), ("Buffers", 0), ("Cached", 0), ("Active", 0),
        ("Inactive", 0), ("SwapTotal", 0), ("SwapFree", 0), ("Shmem", 0), ("Slab", 0),
    )  # fmt: skip
    return {
        "cpuinfo": "processor\t: 0\nmodel name\t: processor\ncpu cores\t: 1\n\n",
        "loadavg": "0.00 0.00 0.00 1/1 1\n",
        "meminfo": "".join(f"{name + ':':<16}{amount:>8} kB\n" for name, amount in amounts),
        "stat": "cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\nbtime 0\n",
        "uptime": "0.00 0.00\n",
        "version": "Linux\n",
        "vmstat": "pswpin 0\npswpout 0\n",
    }


def enter(memory_mb: int) -> int:
    """Give up root and become the owner of a user namespace. Returns a handle on the zygote's pid namespace.

    The zygote calls this once, after its imports. Raises LayerMissing where the kernel refuses namespaces to ordinary
    users.
    """
    if os.getuid() == 0:
        os.setgroups([])
        os.setresgid(sandbox.NOBODY, sandbox.NOBODY, sandbox.NOBODY)
        os.setresuid(sandbox.NOBODY, sandbox.NOBODY, sandbox.NOBODY)
    _prctl(PR_SET_DUMPABLE, 1)
    uid, gid = os.getuid(), os.getgid()
    Path("/proc/self/oom_score_adj").write_text("1000")
    try:
        _call("unshare", libc.unshare(sandbox.NEWUSER | NEWNS | NEWPID))
        Path("/proc/self/setgroups").write_text("deny")  # Ubuntu 24.04 grants the namespace, and refuses all use of it
        Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
        Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
    except OSError as error:
        raise sandbox.no_namespaces(f"{error.filename or 'unshare'}: {os.strerror(error.errno or 0)}") from error
    warden = os.fork()  # the child is pid 1 of a pid namespace that it owns and can return to after each fork
    if warden:
        os._exit(os.waitstatus_to_exitcode(os.waitpid(warden, 0)[1]) & 0xFF)
    sandbox.die_with_parent()
    own_pid_namespace = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
    _mount(None, "/", None, MS_REC | MS_PRIVATE)
    closed = MS_NOSUID | MS_NODEV | MS_NOEXEC
    # threadpoolctl, and so scikit-learn, reads from self/maps which libraries are loaded.
    files = {**machine(memory_mb), "self/maps": Path("/proc/self/maps").read_text()}
    _mount("tmpfs", "/proc", "tmpfs", closed)
    Path("/proc/self").mkdir()
    for name, text in files.items():
        Path("/proc", name).write_text(text)
    _mount(None, "/proc", None, MS_REMOUNT | MS_RDONLY | closed)
    # This hides the terminals. All containers of a machine share 3,072 of them, and opening one takes it.
    _mount("tmpfs", "/dev/pts", "tmpfs", MS_RDONLY | closed)
    return own_pid_namespace


def try_out(own_pid_namespace: int, program: bytes, memory_base_mb: int, bounds: Bounds) -> None:
    """Try out the sandbox on a child that does nothing. Raises LayerMissing with what went wrong in it.

    This happens before the first student, because a student's process holds no handle through which it could report a
    failure.
    """
    reading, writing = os.pipe()
    pid = fork_in_namespaces(own_pid_namespace)
    if pid == 0:
        _tell_how_it_went(writing, program, memory_base_mb, bounds)
    os.close(writing)
    with os.fdopen(reading, errors="replace") as end:
        said = end.read()
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if said or status:
        raise LayerMissing(
            said or f"a student's process cannot be shut in (it ended with {status}). Or grade with --unsafe"
        )


def _tell_how_it_went(writing: int, program: bytes, memory_base_mb: int, bounds: Bounds) -> None:
    """In the forked child: shut it in, and write to the pipe what went wrong, if anything. Never returns."""
    said = ""
    try:
        sandbox.die_with_parent()
        shut_in(program, memory_base_mb, TRY_S, bounds)
        closed = _closed_library()
        if closed:
            own = [root for root in sandbox.libraries() if root not in ("/usr", "/usr/local")]
            roots = [root for root in own if closed.startswith(f"{root}/")]
            opened = f"`chmod -R o+rX {max(roots, key=len, default=closed)}` lets it"
            said = f"a student's process, which uid {os.getuid()} runs, may not read {closed}: {opened}"
    except BaseException as error:  # noqa: BLE001 whatever it is: no student could be graded
        said = f"a student's process cannot be shut in ({type(error).__name__}: {error}). Or grade with --unsafe"
    finally:
        os.write(writing, said.encode(errors="replace"))
        os._exit(0)


def _closed_library() -> str:
    """The path of a package or module that this process may not read, else "".

    This happens where root installed packages with a umask of 027. It is enough to look at the outermost files and
    folders, since a umask closes those too. A link whose target is not here is no closed file: nothing can open it, and
    Python passes it over.
    """
    for folder in sys.path[1:]:  # the first entry is the folder where the zygote was started, which holds no library
        try:
            found = [*os.scandir(folder)]
        except PermissionError:
            return folder
        except OSError:  # the archive of the standard library is listed even where there is none
            continue
        for entry in found:
            if _is_closed(entry):
                return os.path.realpath(entry.path) if entry.is_symlink() else str(entry.path)
    return ""


def _is_closed(entry: os.DirEntry[str]) -> bool:
    """Whether this is a package or module that is here, and that this process may not read."""
    try:
        is_folder = stat.S_ISDIR(os.stat(entry.path).st_mode)
    except PermissionError:  # a link through a closed folder
        return True
    except OSError:  # a link that leads nowhere
        return False
    if not is_folder and not entry.name.endswith((".py", ".so")):
        return False
    return not os.access(entry.path, os.R_OK | (os.X_OK if is_folder else 0))


def fork_in_namespaces(own_pid_namespace: int) -> int:
    """Fork like `os.fork`, with the child as pid 1 of a new pid namespace: when it ends, all that it started ends."""
    _call("unshare", libc.unshare(NEWPID))
    pid = os.fork()
    if pid:
        _call("setns", libc.setns(own_pid_namespace, NEWPID))
    return pid


def shut_in(program: bytes, memory_base_mb: int, cpu_s: int, bounds: Bounds) -> None:
    """In a fresh child: take away all that `sandbox` says is covered. Raises OSError where a layer fails."""
    # Processes in one network namespace share abstract sockets, unless Landlock 6 keeps them apart.
    network = NEWNET if sandbox.landlock_abi() < sandbox.LANDLOCK_SCOPES and not bounds.network else 0
    _call("unshare", libc.unshare(NEWNS | NEWIPC | network))
    for folder in (sandbox.SCRATCH, sandbox.SHARED):
        _mount_scratch(folder, bounds)
    _call("unshare", libc.unshare(sandbox.NEWUSER))  # own process count, no rights over the zygote
    os.chdir(sandbox.SCRATCH)
    limit_resources(memory_base_mb, cpu_s, bounds)
    _prctl(PR_CAP_AMBIENT, 4)  # clear all
    for capability in range(64):
        if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            break
    _call("capset", libc.syscall(_CAPSET, struct.pack("=II", 0x20080522, 0), bytes(24)))
    _prctl(PR_SET_NO_NEW_PRIVS, 1)
    _prctl(PR_SET_DUMPABLE, 0)
    _restrict_files(bounds.network)
    buffer = ctypes.create_string_buffer(program, len(program))
    seccomp = struct.pack("=HxxxxxxQ", len(program) // 8, ctypes.addressof(buffer))
    _call("seccomp", libc.prctl(PR_SET_SECCOMP, 2, seccomp, 0, 0))


def _mount_scratch(folder: str, bounds: Bounds) -> None:
    """Mount an empty folder of limited size. Libraries that this machine has below the same path stay visible in it."""
    inside = [path for path in sandbox.libraries() if path.startswith(f"{folder}/")]
    place = sandbox.STAGE if inside else folder
    size = f"size={bounds.scratch_mb}m,nr_inodes={bounds.files},"
    _mount("tmpfs", place, "tmpfs", MS_NOSUID | MS_NODEV, f"{size}mode=0777")
    for path in inside:
        copy = sandbox.STAGE + path.removeprefix(folder)
        os.makedirs(copy, exist_ok=True)
        _mount(path, copy, None, MS_BIND | MS_REC)
    if inside:
        _mount(sandbox.STAGE, folder, None, MS_MOVE)


def limit_resources(memory_base_mb: int, cpu_s: int, bounds: Bounds) -> None:
    """Set the rlimits of this process.

    memory_base_mb: what the zygote has mapped already, which the limit has to leave room for. cpu_s: the processor time
    that this process may use.
    """
    sandbox.limit(resource.RLIMIT_AS, (memory_base_mb + bounds.memory_mb) << 20)
    sandbox.limit(resource.RLIMIT_CPU, cpu_s)
    sandbox.limit(resource.RLIMIT_FSIZE, bounds.file_mb << 20)
    sandbox.limit(resource.RLIMIT_NPROC, bounds.processes)
    sandbox.limit(resource.RLIMIT_NOFILE, sandbox.OPEN_FILES)
    sandbox.limit(resource.RLIMIT_CORE, 0)


_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_FOLDER, _TRUNCATE = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 14
_NET_BIND_AND_CONNECT = 0b11  # from version 4 on
_SCOPE_SOCKETS_AND_SIGNALS = 0b11  # from version 6 on
# For each version: how many rights on files the kernel knows, and the bytes of its `struct landlock_ruleset_attr`.
_KNOWN = {1: (13, 8), 2: (14, 8), 3: (15, 8), 4: (15, 16), 5: (16, 16)}
_KNOWN_BY_NEWER = (16, 24)


def _restrict_files(network: bool) -> None:
    """Allow reading everywhere, and writing only in the scratch folders and to /dev/null.

    Where the kernel's version can do it, also deny TCP, and keep signals and abstract sockets among the student's own
    processes.
    """
    abi = sandbox.landlock_abi()
    rights, size = _KNOWN.get(abi, _KNOWN_BY_NEWER)
    every = (1 << rights) - 1
    net = _NET_BIND_AND_CONNECT if abi >= 4 and not network else 0
    scoped = _SCOPE_SOCKETS_AND_SIGNALS if abi >= sandbox.LANDLOCK_SCOPES else 0
    attributes = struct.pack("=QQQ", every, net, scoped)[:size]
    ruleset = _call("landlock", libc.syscall(sandbox.LANDLOCK_CREATE, attributes, size, 0))
    allowed = {
        "/": _EXECUTE | _READ_FILE | _READ_FOLDER,
        sandbox.SCRATCH: every,
        sandbox.SHARED: every,
        "/dev/null": _READ_FILE | _WRITE_FILE | _TRUNCATE,
    }
    for path, wanted in allowed.items():
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
        rule = struct.pack("=Qi", wanted & every, handle)
        _call("landlock", libc.syscall(LANDLOCK_ADD, ruleset, 1, rule, 0))
        os.close(handle)
    _call("landlock", libc.syscall(LANDLOCK_RESTRICT, ruleset, 0))
    os.close(ruleset)


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
