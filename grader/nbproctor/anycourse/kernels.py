"""Which kernel a notebook asks for, and how we run it.

The Python that the grader runs in gets a warm process. All other kernels, another Python's too, are started in the
sandbox, one for each notebook, as nbgrader does it.
"""

import functools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any

from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

from nbproctor.anycourse.settings import ASK_S, Course, CourseError, libraries_of_python, may_be_shown, view_for
from nbproctor.border import sandbox
from nbproctor.border.sandbox import View

_OF_IPYTHON = {"ipykernel", "ipykernel_launcher"}
_OF_THE_SYSTEM = ("/", "/usr", "/usr/local")
_SETTINGS = ("/etc/alternatives", "/etc/fonts", "/etc/R")  # programs of Debian are links into the first


class KernelMissing(CourseError):
    """A kernel that is not on this machine, or does not start in the sandbox; the message says what to do."""


@dataclass(frozen=True)
class Kernel:
    """How the notebooks that ask for a kernel are run.

    way: in words. spec: what `inside.kernel` has to know about it, in JSON; "" for a warm process of this Python.
    readable, environment: what it needs beside what every student's process sees.
    """

    name: str
    way: str
    spec: str = ""
    readable: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()


def find(course: Course, notebooks: Mapping[str, Any]) -> dict[str, Kernel]:
    """The kernel of each notebook of an assignment, of which the kernelspecs are given.

    The configuration may name one for all (`Execute.kernel_name`). Raises KernelMissing where one is not here.
    """
    found = {}
    for notebook, kernelspec in notebooks.items():
        name = course.execute.kernel_name or (kernelspec or {}).get("name", "python3")
        try:
            found[notebook] = _kernel(course, "python3" if name == "python" else name)  # as Jupyter takes it
        except KernelMissing as error:
            raise KernelMissing(f"{notebook}.ipynb: {error}") from None
    return found


def view(course: Course, kernel: Kernel) -> View:
    """What the students' processes of this kernel see of the machine."""
    own = (path for path in kernel.readable if may_be_shown(path, course.root))
    return view_for(course.root, (*course.proctor.readable, *own), kernel.environment)


def _kernel(course: Course, name: str) -> Kernel:
    try:
        spec = KernelSpecManager().get_kernel_spec(name)
    except NoSuchKernel:
        raise KernelMissing(
            f"kernel {name} is not installed here; install it, or name one of `jupyter kernelspec list` in source/"
        ) from None
    program = _program(spec.argv[0])
    if not program:
        raise KernelMissing(
            f"kernel {name} starts {spec.argv[0]}, which is not there; install that, or fix {spec.resource_dir}"
        )
    is_python = spec.language.lower() == "python" and _OF_IPYTHON.intersection(spec.argv)
    if is_python and os.path.samefile(os.path.dirname(program), os.path.dirname(sys.executable)):
        own = tuple((key, Template(value).safe_substitute(os.environ)) for key, value in spec.env.items())
        return Kernel(name, "a warm process of this Python", environment=own)
    return _other(course, name, spec, program)


def _program(name: str) -> str:
    """The path of a kernel's program; "" where there is none. Jupyter takes `python` for the Python that it runs in."""
    if name in ("python", "python3", f"python3.{sys.version_info[1]}"):
        return sys.executable
    return shutil.which(name) or ""


def _other(course: Course, name: str, spec: Any, program: str) -> Kernel:
    """A kernel that is started as it is."""
    folders = dict.fromkeys((os.path.dirname(program), "/usr/local/bin", "/usr/bin", "/bin"))
    environment = [("PATH", os.pathsep.join(folders))]
    # The order in which words are sorted is that of the instructor's language, as in nbgrader.
    environment += [(key, value) for key, value in os.environ.items() if key == "LANG" or key.startswith("LC_")]
    readable = [spec.resource_dir, *_parts_of(program), *filter(os.path.isdir, _SETTINGS)]
    if spec.language == "R":
        libraries = _libraries_of_r(program)
        readable += libraries
        environment.append(("R_LIBS", os.pathsep.join(libraries)))
    elif spec.language.lower() == "python":
        roots, libraries = libraries_of_python(program)
        readable += [*(part for root in roots for part in _parts(root)), *libraries]
        spec.env = {"PYTHONPATH": os.pathsep.join(libraries), **spec.env}
    execute = course.execute
    about = {
        "name": name,
        "spec": {**spec.to_dict(), "argv": [program, *spec.argv[1:]], "resource_dir": spec.resource_dir},
        "startup_s": execute.startup_timeout,
        "arguments": execute.extra_arguments,
        "at_once": execute.shutdown_kernel == "immediate",
    }
    way = f"{spec.display_name}, started anew for each notebook, as in nbgrader"
    return Kernel(name, way, json.dumps(about), tuple(readable), tuple(environment))


def _parts_of(program: str) -> Iterator[str]:
    """What a program needs of its own installation, and of the one to which it is a link."""
    while True:
        root = os.path.dirname(os.path.dirname(program))
        yield from (*_parts(root), *([] if root in _OF_THE_SYSTEM else [program]))
        if not os.path.islink(program):
            return
        program = os.path.normpath(os.path.join(os.path.dirname(program), os.readlink(program)))


def _parts(root: str) -> Iterator[str]:
    """The folders and files of an installation that its programs need; those of the system are shown in any case."""
    if root not in _OF_THE_SYSTEM:
        yield from filter(os.path.lexists, (f"{root}/{part}" for part in sandbox.PARTS))


@functools.cache
def _libraries_of_r(program: str) -> list[str]:
    """The folders from which this R loads packages, of which one is in the instructor's home."""
    command = [program, "--slave", "-e", r"cat(.libPaths(), sep = '\n')"]
    said = subprocess.run(command, capture_output=True, text=True, check=False, timeout=ASK_S).stdout  # noqa: S603
    return [one for one in said.splitlines() if os.path.isabs(one) and Path(one).is_dir()]
