"""What was handed in: where it lies, whose it is, its bytes, and what there is to say about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nbproctor.notebook import NOTEBOOK_MOST_BYTES, Ungradable
from nbproctor.text import EMPTY, Clean, line, name_of

FILES_MOST = 50  # beside a notebook
FILES_MOST_BYTES = 16 << 20  # all of them together; the scratch folder that they go to has 64 MB
PATHS_MOST = 1_000  # that are looked at for them
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
    for number, path in enumerate(_beside(one.path.parent)):
        name = "/".join(name_of(Path(part)) for part in path.relative_to(one.path.parent).parts)
        if len(files) == FILES_MOST or number == PATHS_MOST:
            left_out.append(line(f"{name} and what comes after it: more than {FILES_MOST} files beside the notebook"))
            break
        if path.is_symlink():
            left_out.append(line(f"{name}: it is a link; links are not followed"))
        elif "\ufffd" in name or not path.is_file():
            left_out.append(line(f"{name}: it is no plain file with a name that can be read"))
        elif (size := path.stat().st_size) > room:
            left_out.append(line(f"{name}: {size >> 20} MB, and all together may have {FILES_MOST_BYTES >> 20}"))
        else:
            try:
                files.append(File(name, path.read_bytes()))
                room -= len(files[-1].content)
            except OSError as error:
                left_out.append(line(f"{name}: it cannot be read ({error.strerror})"))
    return HandedIn(notebook, tuple(files), tuple(left_out))


def _beside(folder: Path) -> Iterator[Path]:
    """What lies in the folder and below it, in order, but for notebooks, hidden files, and what Python leaves."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.suffix == ".ipynb" or path.name in NO_FILES:
            continue
        if path.is_dir() and not path.is_symlink():
            yield from _beside(path) if path.name not in NO_FOLDERS else ()
        else:
            yield path


def notebook_bytes(one: Submission) -> bytes:
    """The bytes of the notebook. Raises Ungradable where it is no file that we may read, with the reason."""
    if one.refused:
        raise Ungradable(one.refused)
    return file_bytes(one.path)


def file_bytes(path: Path) -> bytes:
    """The bytes of a notebook's file. Raises Ungradable where we may not read it, with the reason."""
    name = name_of(path)
    if path.is_symlink():
        raise Ungradable(f"{name} is a link; links are not followed")
    if not path.is_file():
        raise Ungradable(f"{name} is not a file" if path.exists() else f"{name} is missing")
    size = path.stat().st_size
    if size > NOTEBOOK_MOST_BYTES:
        raise Ungradable(f"{name} has {size >> 20} MB, more than {NOTEBOOK_MOST_BYTES >> 20}")
    try:
        return path.read_bytes()
    except OSError as error:
        raise Ungradable(f"{name} cannot be read ({error.strerror})") from error
