"""An nbgrader course: its folder and its settings, as nbgrader's own application reads them, and ours beside them."""

import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any

from nbgrader import utils
from nbgrader.apps.baseapp import NbGrader
from nbgrader.converters import Autograde
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import Execute
from traitlets import Bool, Integer, List, Unicode
from traitlets.config import Application, Configurable

from nbproctor.border.sandbox import Bounds, View
from nbproctor.errors import UserError
from nbproctor.paths import IMPORTED_FROM

ASK_S = 60  # for a program to say where its libraries are
LEFT_OUT = "{} is a link that leads out of the submission; it was left out"


class CourseError(UserError):
    """A course that cannot be graded as it stands; the message says where, and what to do."""


class Proctor(Configurable):
    """The settings of ours, in nbgrader_config.py: `c.Proctor.memory_mb = 8192`."""

    memory_mb = Integer(4096, help="Memory of one submission's process, in MB.").tag(config=True)
    processes = Integer(64, help="Processes and threads of one submission.").tag(config=True)
    scratch_mb = Integer(1024, help="Size of a submission's scratch folder, in MB.").tag(config=True)
    submission_s = Integer(3600, help="Seconds for one submission.").tag(config=True)
    network = List(Unicode(), help="The assignments whose notebooks may use the network.").tag(config=True)
    readable = List(Unicode(), help="Folders that students' code may read, such as a shared /srv/data.").tag(
        config=True
    )
    preload = Bool(
        True, help="Import libraries once for all submissions. False, where one of them does not survive a fork."
    ).tag(config=True)
    figures = Bool(
        False, help="Draw all figures. By default, where an assignment has cells to grade by hand, or checks figures."
    ).tag(config=True)


class Log(logging.Handler):
    """Keeps what nbgrader's own steps warn of, for the submission whose thread they run in."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._local = threading.local()

    def emit(self, record: logging.LogRecord) -> None:
        if hasattr(self._local, "said"):
            self._local.said.append(record.getMessage())

    @contextmanager
    def kept(self) -> Iterator[list[str]]:
        said: list[str] = []
        self._local.said = said
        try:
            yield said
        finally:
            del self._local.said


class Course:
    """A course folder with its settings. root: the folder. converter: nbgrader's Autograde, with its settings."""

    def __init__(self, folder: Path) -> None:
        self.log = Log()
        logger = logging.getLogger("nbproctor.anycourse")
        logger.handlers, logger.propagate = [self.log], False
        with chdir(folder):  # nbgrader looks for its settings and for the course in the current folder
            self._load(folder, NbGrader(log=logger))
        if not self.source_folder.is_dir():
            raise CourseError(f"{self.source_folder}: expected the course's source notebooks there; create source/")

    def _load(self, folder: Path, app: NbGrader) -> None:
        app.init_syspath()
        app.raise_config_file_errors = True  # else nbgrader goes on without the settings below the mistake
        try:
            app.load_config_file()
            app.coursedir = CourseDirectory(parent=app)
            root = app.coursedir.root
            if Path(root) != folder:  # nbgrader reads a configuration in the course's folder, too
                Application.load_config_file(app, "nbgrader_config.py", path=root)
            self.directory: Any = CourseDirectory(parent=app)
            self.proctor: Any = Proctor(parent=app)
            self.converter: Any = Autograde(coursedir=self.directory, parent=app)
            self.execute: Any = Execute(parent=self.converter)
        except Exception as error:  # noqa: BLE001 a configuration is a program, and may fail in any way
            raise CourseError(f"{folder}/nbgrader_config.py: {type(error).__name__}: {error}") from error
        self.app, self.root = app, Path(self.directory.root)  # asked for here: by default it is the current folder

    @property
    def source_folder(self) -> Path:
        return self.folder(self.directory.source_directory, ".", ".")

    def folder(self, step: str, student: str, assignment: str) -> Path:
        """A folder of the course by its step, such as `submitted`, as the configuration arranges them."""
        return Path(os.path.normpath(self.directory.format_path(step, student, assignment)))

    def submitted(self, student: str, assignment: str) -> Path:
        return self.folder(self.directory.submitted_directory, student, assignment)

    def autograded(self, student: str, assignment: str) -> Path:
        return self.folder(self.directory.autograded_directory, student, assignment)

    def source(self, assignment: str) -> Path:
        return self.folder(self.directory.source_directory, ".", assignment)

    def assignments(self) -> list[str]:
        """The assignments in source/, in order."""
        return sorted(path.name for path in self.source_folder.iterdir() if any(path.glob("*.ipynb")))

    def files(self, folder: Path) -> dict[str, Path]:
        """The files beside the notebooks in a folder, by their names there."""
        found = utils.find_all_files(str(folder), [*self.directory.ignore, "*.ipynb"]) if folder.is_dir() else []
        return {os.path.relpath(path, folder): Path(path) for path in found}

    def bounds(self, assignment: str) -> Bounds:
        mine = self.proctor
        return Bounds(
            mine.memory_mb, mine.processes, mine.scratch_mb, mine.scratch_mb, 1 << 16, assignment in mine.network
        )


def leads_out(path: Path, folder: Path) -> bool:
    """Whether a path in a submission's folder is a link to something outside, such as another student's work."""
    return folder.resolve() not in path.resolve().parents


def refuse_link(notebook: Path, folder: Path) -> None:
    """Raise CourseError for a notebook that is a link out of the submission's folder."""
    if leads_out(notebook, folder):
        raise CourseError(f"{notebook.name} is a link that leads out of the submission")


def view_for(root: Path, readable: tuple[str, ...], more: tuple[tuple[str, str], ...] = ()) -> View:
    """What students' processes see of this machine besides Python and its libraries.

    root: the course's folder. readable: the folders that its configuration names. more: variables, with their values.
    """
    paths = [path for path in libraries_of_python(sys.executable)[1] if may_be_shown(path, root)]
    environment = {
        "PYTHONPATH": os.pathsep.join([*paths, str(IMPORTED_FROM)]),
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "SHELL": "/bin/bash" if os.path.exists("/bin/bash") else "/bin/sh",
    }
    return View((*paths, *readable), root, (*environment.items(), *more))


def may_be_shown(path: str, root: Path) -> bool:
    """Whether a folder of libraries holds neither the course, nor all of somebody's files, nor our answers."""
    real, course = Path(path).resolve(), root.resolve()
    closed = {course, *course.parents, *course.glob("*"), Path.home(), *Path.home().parents, IMPORTED_FROM}
    return real.exists() and real not in closed


def libraries_of_python(program: str) -> tuple[list[str], list[str]]:
    """Where a Python and its environment are installed, and the other folders from which it imports modules.

    Those are of PYTHONPATH, of `pip install --user`, and of .pth files. Two empty lists if it does not start.
    """
    command = [program, "-c", "import json, sys; print(json.dumps([[sys.prefix, sys.base_prefix], sys.path]))"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/", timeout=ASK_S)  # noqa: S603
    if done.returncode:  # its kernel does not start either, and says why
        return [], []
    roots, paths = json.loads(done.stdout.splitlines()[-1])
    own = (*roots, "/usr/lib")
    return roots, [one for one in dict.fromkeys(paths) if os.path.isdir(one) and not one.startswith(own)]
