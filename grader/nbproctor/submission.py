"""What was handed in: where it lies, whose it is, its bytes, and what there is to say about it."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nbproctor.notebook import NOTEBOOK_MOST_BYTES, Ungradable
from nbproctor.text import EMPTY, Clean, line, name_of

FILES_MOST = 50  # beside a notebook
FILES_MOST_BYTES = 16 << 20  # all of them together; the scratch folder that they go to has 64 MB
PATHS_MOST = 1_000  # that are looked at for them
DEEPEST = 32  # folders in folders that are looked through
TOO_DEEP = f"folders in folders, more than {DEEPEST} deep; they are not looked through"
NO_FILES = ("timestamp.txt",)  # nbgrader's own
NO_FOLDERS = ("__pycache__",)


@dataclass(frozen=True)
class Submission:
    """One notebook handed in; `path` need not hold what it should.

    student: their id as text, which may differ from the folder's name where that is no text.
    submitted: when, ISO 8601, or "". refused: why it is not graded, or "".
    files: whether what else lies in the notebook's folder was handed in with it.
    fits: the unit that the notebook's cells are of, or "".
    """

    student: Clean
    unit: str
    path: Path
    submitted: str = ""
    refused: Clean = EMPTY
    files: bool = False
    fits: str = ""


@dataclass(frozen=True)
class Remark:
    """One line about something that was handed in and was not simply graded.

    where: the file or folder, as an instructor finds it. look: whether somebody should look at it; what a rule has
    settled is only told.
    """

    where: Clean
    text: Clean
    look: bool = True

    def __str__(self) -> str:
        return f"{self.where}: {self.text}"

    def of(self, student: str) -> bool:
        """Whether it is about something in this student's folder."""
        return self.where.partition("/")[0] == student


@dataclass(frozen=True)
class File:
    """A file handed in beside the notebook; `name` is its path from there, with `/` between folders."""

    name: str
    content: bytes


@dataclass(frozen=True)
class HandedIn:
    """All that a result rests on of what a student handed in, as bytes.

    left_out: one line for each file beside the notebook that is not among `files`, with why.
    """

    notebook: bytes
    files: tuple[File, ...] = ()
    left_out: tuple[Clean, ...] = ()


def handed_in(one: Submission) -> HandedIn:
    """The bytes of a submission. Raises Ungradable where the notebook is no file that we may read, with the reason."""
    notebook = notebook_bytes(one)
    if not one.files:
        return HandedIn(notebook)
    files: list[File] = []
    left_out: list[Clean] = []
    room = FILES_MOST_BYTES
    for path, problem in _beside(one.path.parent):
        name = "/".join(name_of(Path(part)) for part in path.relative_to(one.path.parent).parts)
        if len(files) == FILES_MOST:
            left_out.append(line(f"{name} and what comes after it: more than {FILES_MOST} files beside the notebook"))
            break
        try:
            why = problem or _why_not(path, name, room)
            if not why:
                files.append(File(name, path.read_bytes()))
                room -= len(files[-1].content)
        except OSError as error:
            why = _unread(error)
        if why:
            left_out.append(line(f"{line(name, 200)}: {why}"))
    return HandedIn(notebook, tuple(files), tuple(left_out))


def _why_not(path: Path, name: str, room: int) -> str:
    """Why a file is not handed in with the notebook, or "". Raises OSError where it cannot be looked at."""
    if path.is_symlink():
        return "it is a link; links are not followed"
    if "\ufffd" in name or not path.is_file():
        return "it is no plain file with a name that can be read"
    size = path.stat().st_size
    return f"{size >> 20} MB, and all together may have {FILES_MOST_BYTES >> 20}" if size > room else ""


def _unread(error: OSError) -> str:
    return f"it cannot be read ({error.strerror})"


def _beside(home: Path) -> Iterator[tuple[Path, str]]:
    """What lies in the folder and below it, in order, but for notebooks, hidden files, and what Python leaves.

    With each file comes ""; with a folder that is not looked through, why; with the last, where there is too much.
    """
    waiting, seen = [home], -1  # the folder itself is none of them
    while waiting:
        path, seen = waiting.pop(), seen + 1
        if seen > PATHS_MOST:
            yield path, f"it and what comes after it are more than {PATHS_MOST} files and folders beside the notebook"
            return
        if not is_folder(path):
            yield path, ""
            continue
        if len(path.relative_to(home).parts) > DEEPEST:
            yield path, TOO_DEEP
            continue
        try:
            inner = sorted(path.iterdir(), reverse=True)
        except OSError as error:
            yield path, _unread(error)
            continue
        waiting += [one for one in inner if not _is_left(one)]


def _is_left(path: Path) -> bool:
    """Whether a path is none of what is handed in with a notebook."""
    if path.name.startswith(".") or path.suffix == ".ipynb" or path.name in NO_FILES:
        return True
    return path.name in NO_FOLDERS and is_folder(path)


def is_folder(path: Path) -> bool:
    """Whether it is a folder, and no link to one. (`Path.is_dir` raises where the way there is closed.)"""
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError:
        return False


def notebook_bytes(one: Submission) -> bytes:
    """The bytes of the notebook. Raises Ungradable where it is no file that we may read, with the reason."""
    if one.refused:
        raise Ungradable(one.refused)
    return file_bytes(one.path)


def file_bytes(path: Path) -> bytes:
    """The bytes of a notebook's file. Raises Ungradable where we may not read it, with the reason."""
    name = name_of(path)
    try:
        if path.is_symlink():
            raise Ungradable(f"{name} is a link; links are not followed")
        if not path.is_file():
            raise Ungradable(f"{name} is not a file" if path.exists() else f"{name} is missing")
        size = path.stat().st_size
        if size > NOTEBOOK_MOST_BYTES:
            raise Ungradable(f"{name} has {size >> 20} MB, more than {NOTEBOOK_MOST_BYTES >> 20}")
        return path.read_bytes()
    except OSError as error:
        raise Ungradable(f"{name} cannot be read ({error.strerror})") from error
