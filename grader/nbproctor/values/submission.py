"""Submissions on disk: whose they are, where they are, their bytes, and remarks about them."""

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nbproctor.values.copies import Copies, Copy, digest_of
from nbproctor.values.notebook import NOTEBOOK_MOST_BYTES, Ungradable
from nbproctor.values.text import EMPTY, Clean, line, name_below, name_of

FILES_MOST = 50  # beside a notebook
FILES_MOST_BYTES = 16 << 20  # all of them together; the scratch folder that they go to has 64 MB
PATHS_MOST = 1_000  # files and folders that are looked at to find them
DEEPEST = 32  # nested folders that are looked through
TOO_DEEP = f"it lies more than {DEEPEST} folders deep, and is left out"
_LINK, _ODD = "is a link; links are not followed", "is not an ordinary file"  # each ends a sentence about a file
_NOTEBOOK = re.compile(r"\.ipynb(?:\.(?:txt|json))?$", re.I)  # browsers add .txt or .json to what they save
NOT_HANDED_IN = ("timestamp.txt", "__pycache__")  # nbgrader writes the first


@dataclass(frozen=True)
class Submission:
    """One notebook that was handed in. There may be no readable notebook at `path`.

    student: their id as text, which differs from the folder's name if that is not valid text.
    submitted: when it was handed in, ISO 8601, or "". refused: why it is not graded, or "".
    has_files: whether the other files in the notebook's folder were handed in with it.
    fits: the unit to which the notebook's cells belong, or "".
    copy: the notebook's bytes, if they were read already.
    """

    student: Clean
    unit: str
    path: Path
    submitted: str = ""
    refused: Clean = EMPTY
    has_files: bool = False
    fits: str = ""
    copy: Copy | None = None


@dataclass(frozen=True)
class Remark:
    """One line about something that was handed in. needs_look: whether no rule has settled the matter."""

    where: Clean
    text: Clean
    needs_look: bool = True

    def __str__(self) -> str:
        return f"{self.where}: {self.text}"

    def of(self, student: str) -> bool:
        """Whether the remark is about something in this student's folder."""
        return self.where.partition("/")[0] == student


@dataclass(frozen=True)
class File:
    """A file handed in beside the notebook. name: its path from there. digest: computed if not given."""

    name: str
    content: bytes
    digest: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "digest", self.digest or digest_of(self.content))


@dataclass(frozen=True)
class HandedIn:
    """The bytes of a submission, as far as the result depends on them.

    left_out: one line for each file beside the notebook that is not among `files`, with the reason. plan_json: the
    notebook's plan, where it was read together with others (`match.read_together`). digest: the SHA-256 of the
    notebook, which is computed where it is not given.
    """

    notebook: bytes
    files: tuple[File, ...] = ()
    left_out: tuple[Clean, ...] = ()
    plan_json: str = ""
    digest: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "digest", self.digest or digest_of(self.notebook))


@dataclass(frozen=True)
class CopiedSubmission:
    """The bytes of a submission, copied to disk. `handed_in` reads them back."""

    notebook: Copy
    files: tuple[tuple[str, Copy], ...]
    left_out: tuple[Clean, ...]

    def handed_in(self) -> HandedIn:
        files = tuple(File(name, copy.content(), copy.digest) for name, copy in self.files)
        return HandedIn(self.notebook.content(), files, self.left_out, digest=self.notebook.digest)


def copied(one: Submission, handed: HandedIn, copies: Copies) -> CopiedSubmission:
    """Copy the bytes of a submission to disk, unless they are there already. Raises UserError if there is no room."""
    files = tuple((file.name, copies.keep(file.content, file.digest)) for file in handed.files)
    return CopiedSubmission(one.copy or copies.keep(handed.notebook, handed.digest), files, handed.left_out)


def handed_in(one: Submission) -> HandedIn:
    """Return the bytes of a submission. Raises Ungradable, with the reason, if the notebook cannot be read."""
    if one.refused:
        raise Ungradable(one.refused)
    notebook, digest = (one.copy.content(), one.copy.digest) if one.copy else (file_bytes(one.path), "")
    if not one.has_files:
        return HandedIn(notebook, digest=digest)
    files: list[File] = []
    left_out: list[Clean] = []
    bytes_left = FILES_MOST_BYTES
    for path, problem in _beside(one.path.parent):
        name = name_below(one.path.parent, path)
        if len(files) == FILES_MOST:
            left_out.append(
                line(f"{name} and what comes after it: there are more than {FILES_MOST} files beside the notebook")
            )
            break
        why = problem or ("its name cannot be read" if "\ufffd" in name else "")
        if not why and any(file.name == name for file in files):
            why = "another file has the same name, written in other bytes"
        if not why:
            try:
                files.append(File(name, _content(path, bytes_left)))
                bytes_left -= len(files[-1].content)
            except _NotTaken as error:
                why = f"it {error}"
        if why:
            left_out.append(line(f"{line(name, 200)}: {why}"))
    return HandedIn(notebook, tuple(files), tuple(left_out), digest=digest)


def _beside(home: Path) -> Iterator[tuple[Path, str]]:
    """Yield (path, "") for the files around a notebook, or the reason why a folder, or all further, is not searched."""
    waiting, seen = [home], -1  # the folder itself does not count
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
            yield path, f"it cannot be read ({error.strerror})"
            continue
        inner = [one for one in inner if not one.name.startswith(".") and one.name not in NOT_HANDED_IN]
        waiting += [one for one in inner if not is_notebook_name(one.name)]


def is_notebook_name(name: str) -> bool:
    """Whether a file is named like a notebook, also if a browser has added `.txt` or `.json`."""
    return _NOTEBOOK.search(name) is not None


def notebook_stem(name: str) -> str:
    """Return a notebook's name without its ending."""
    return _NOTEBOOK.sub("", name)


def is_folder(path: Path) -> bool:
    """Whether the path is a folder, and no link to one. Unlike `Path.is_dir`, False below a closed folder."""
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError:
        return False


def is_file(path: Path) -> bool:
    """Whether the path is a plain file, and no link to one. Unlike `Path.is_file`, False below a closed folder."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def file_bytes(path: Path) -> bytes:
    """Return the bytes of a notebook's file. Raises Ungradable, with the reason, if it cannot be read."""
    try:
        return _content(path, NOTEBOOK_MOST_BYTES)
    except _NotTaken as error:
        raise Ungradable(f"{name_of(path)} {error}") from error


class _NotTaken(Exception):
    """The file is not taken; the message is the end of a sentence about it, such as "is missing"."""


def _content(path: Path, most: int) -> bytes:
    """Return the bytes of a plain file, which is opened only once. Raises _NotTaken."""
    try:
        mode = path.lstat().st_mode
        if not stat.S_ISREG(mode):  # opening a device may already have an effect
            raise _NotTaken(_LINK if stat.S_ISLNK(mode) else _ODD)
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as file:
            now = os.fstat(handle)
            if not stat.S_ISREG(now.st_mode):
                raise _NotTaken(_ODD)
            content = file.read(now.st_size + 1) if now.st_size <= most else b""
    except FileNotFoundError as error:
        raise _NotTaken("is missing") from error
    except OSError as error:
        raise _NotTaken(f"cannot be read ({error.strerror})") from error
    size = max(now.st_size, len(content))  # somebody may still be writing to the file
    if size > most:
        raise _NotTaken(f"has {size >> 20} MB, more than the {most >> 20} MB allowed")
    return content
