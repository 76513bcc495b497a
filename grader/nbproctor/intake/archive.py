"""Lists the files in an archive or a folder from outside, and limits the memory, disk and time that they take.

No name in an archive ever becomes a path on this disk: unpacked files are numbered in a folder of ours, and their names
are kept only as text. Sizes are counted while reading, since a header may lie. An archive is read in a bounded process,
so one that breaks its reader harms nothing else.
"""

import lzma
import os
import re
import shutil
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from nbproctor.border.bounded import OutOfBounds, bounded
from nbproctor.errors import UserError
from nbproctor.values.notebook import NOTEBOOK_MOST_BYTES
from nbproctor.values.submission import DEEPEST as FOLDERS_DEEPEST
from nbproctor.values.submission import TOO_DEEP
from nbproctor.values.text import clean, line, many, name_below, name_of

ARCHIVES = (".zip", ".tar", ".tgz", ".tar.gz")
LEFTOVERS = ("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", ".ipynb_checkpoints", "__pycache__")
DEEPEST = 2  # levels of archives within archives: the download, and one that a student has packed
READING_MB = 1024
LINK = "it is a link; links are not followed"
ODD = "it is not an ordinary file (a device, a pipe or a socket)"
BROKEN = (
    zipfile.BadZipFile, tarfile.TarError, OSError, EOFError, zlib.error, lzma.LZMAError, NotImplementedError
)  # fmt: skip


@dataclass(frozen=True)
class ArchiveLimits:
    """Limits for one archive: how many files it may hold, how many bytes unpacked, and how many seconds to read it."""

    files: int
    bytes: int
    seconds: float


DOWNLOAD = ArchiveLimits(files=50_000, bytes=16 << 30, seconds=1800.0)
STUDENTS = ArchiveLimits(files=1_000, bytes=256 << 20, seconds=60.0)  # an archive within the download


@dataclass(frozen=True)
class Item:
    """One file: `name` is its path in the download, in which an archive counts as a folder; `path` has its bytes.

    problem: why it was not read, or "".
    """

    name: str
    path: Path
    problem: str = ""

    @property
    def parts(self) -> tuple[str, ...]:
        return PurePosixPath(self.name).parts


class Unreadable(UserError):
    """An archive or folder that cannot be read at all; the message says why."""


def items_in(source: Path, scratch: Path) -> list[Item]:
    """Return every file in an archive or folder, and in the archives within it, or a single notebook.

    scratch: a folder to unpack into. Raises Unreadable if the source is none of these, or cannot be read.
    """
    try:
        mode = source.stat().st_mode
    except OSError as error:
        raise Unreadable(f"{source}: it cannot be read ({error.strerror})") from error
    if stat.S_ISDIR(mode):
        found = list(_in_folder(source))
    elif is_archive(source.name) and stat.S_ISREG(mode):
        try:
            found = _unpacked(source, scratch, DOWNLOAD)
        except Unreadable as error:
            raise Unreadable(f"{source}: {error}; download it again, or unpack it and give the folder") from error
    elif source.suffix == ".ipynb" and stat.S_ISREG(mode):
        found = [Item(name_of(source), source)]
    else:
        raise Unreadable(f"{source}: expected a folder, or a file that ends in {', '.join(ARCHIVES)}")
    return [item for one in found for item in _opened(one, scratch, 1)]


def is_archive(name: str) -> bool:
    return name.lower().endswith(ARCHIVES)


def _opened(item: Item, scratch: Path, depth: int) -> Iterator[Item]:
    """Yield the item itself, or the items in it if it is an archive; leftovers of operating systems are skipped."""
    # macOS writes a `._NAME` beside each file on a disk with a foreign file system.
    if any(part in LEFTOVERS or part.startswith("._") for part in item.name.split("/")):
        return
    if item.problem or not is_archive(item.name):
        yield item
    elif depth > DEEPEST:
        problem = f"archives inside archives are opened {DEEPEST} deep, and this one lies deeper"
        yield replace(item, problem=problem)
    else:
        try:
            inner = _unpacked(item.path, scratch, STUDENTS)
        except Unreadable as error:
            yield replace(item, problem=str(error))
            return
        for one in inner:
            yield from _opened(replace(one, name=f"{item.name}/{one.name}"), scratch, depth + 1)


def _in_folder(folder: Path) -> Iterator[Item]:
    """Yield the files of a folder in order; links are not followed. Raises Unreadable if it cannot be opened."""
    closed: list[OSError] = []
    for root, folders, names in os.walk(folder, onerror=closed.append):
        folders.sort()
        place = Path(root)
        if len(place.relative_to(folder).parts) > FOLDERS_DEEPEST:
            yield Item(name_below(folder, place), place, TOO_DEEP)
            folders.clear()
            continue
        for name in sorted([*names, *(one for one in folders if problem_of(place / one) == LINK)]):
            yield Item(name_below(folder, place / name), place / name, problem_of(place / name))
    for error in closed:
        if Path(error.filename) == folder:
            raise Unreadable(f"{folder}: it cannot be read ({error.strerror})")
        place = Path(error.filename)
        yield Item(name_below(folder, place), place, f"this folder cannot be read ({error.strerror})")


def problem_of(path: Path) -> str:
    """Return why a path is neither a folder nor a file that can be read, or ""."""
    try:
        mode = path.lstat().st_mode
    except OSError as error:
        return f"it cannot be read ({error.strerror})"
    return _kind(stat.S_ISLNK(mode), stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _unpacked(archive: Path, scratch: Path, limits: ArchiveLimits) -> list[Item]:
    """Unpack an archive into a new folder below `scratch` and return its files. Raises Unreadable."""
    into = Path(tempfile.mkdtemp(dir=scratch))
    try:
        found = bounded(lambda: _unpack(archive, into, limits), limits.seconds, READING_MB)
    except OutOfBounds as error:
        found = {"items": [], "refused": f"this archive cannot be read ({line(str(error), 120)})"}
    if found["refused"]:
        shutil.rmtree(into)
        raise Unreadable(found["refused"])
    return [Item(name, Path(path), problem) for name, path, problem in found["items"]]


def _unpack(archive: Path, into: Path, limits: ArchiveLimits) -> dict[str, Any]:
    """Unpack an archive and describe its files as plain data. Runs in the bounded process.

    Returns items: (name, path, problem or "") of each file; refused: why the archive was not read, or "".
    """
    items: list[tuple[str, str, str]] = []
    places: set[str] = set()
    bytes_left = limits.bytes
    try:
        for number, (name, problem, stream) in enumerate(_members(archive)):
            if number >= limits.files:
                raise Unreadable(f"more than {many(limits.files, 'file')}")
            known = _inside(name)
            problem = problem or ("" if known else "its name leads outside the archive")
            if known.count("/") > FOLDERS_DEEPEST:
                known, problem = "", problem or TOO_DEEP
            known = known or line(clean(name), 200)
            if not problem and known in places:
                problem = "this is a second file of the same name; the first one counts"
            path = into / str(number)
            if not problem:
                places.add(known)
                problem, spent = _copied(stream, path, min(bytes_left, NOTEBOOK_MOST_BYTES))
                bytes_left -= spent
                if bytes_left <= 0:
                    raise Unreadable(f"more than {limits.bytes >> 20} MB unpacked")
            items.append((known, str(path), problem))
    except Unreadable as error:
        return {"items": [], "refused": f"this archive has {error}, so it was not read"}
    except (*BROKEN, ValueError) as error:
        return {"items": [], "refused": f"this archive cannot be read ({line(str(error), 120)})"}
    return {"items": items, "refused": ""}


def _inside(name: str) -> str:
    """Return a member's name as a relative path within the archive; "" if the name leads outside."""
    name = clean(name.replace("\\", "/")).replace("\n", "\ufffd").replace("\t", "\ufffd")
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if name.startswith("/") or re.match(r"[A-Za-z]:", name) or ".." in parts or not parts:
        return ""
    return "/".join(part[:255] for part in parts)


def _copied(stream: Any, path: Path, most: int) -> tuple[str, int]:
    """Write at most `most` of a member's bytes; return what went wrong or "", and how many bytes were read."""
    count = 0
    try:
        with stream() as source, path.open("wb") as target:
            while chunk := source.read(1 << 20):
                count += len(chunk)
                if count > most:
                    return f"more than {most >> 20} MB", count
                target.write(chunk)
    except (*BROKEN, RuntimeError) as error:  # zipfile raises a RuntimeError if a password is missing
        return f"it cannot be read ({line(str(error), 120)})", count
    return "", count


def _members(archive: Path) -> Iterator[tuple[str, str, Any]]:
    """Yield (name, why it is not read or "", function that opens it) for each file of an archive."""
    with archive.open("rb") as opened:
        start = opened.read(2)
    yield from _zip_members(archive) if start == b"PK" else _tar_members(archive)


def _zip_members(archive: Path) -> Iterator[tuple[str, str, Any]]:
    with zipfile.ZipFile(archive) as opened:
        for info in opened.infolist():
            if info.is_dir() or info.orig_filename.endswith("\\"):  # some programs on Windows write folders this way
                continue
            kind = stat.S_IFMT(info.external_attr >> 16)
            problem = _kind(stat.S_ISLNK(kind), kind in (0, stat.S_IFREG))
            if info.flag_bits & 1:
                problem = "it is encrypted; unpack it with its password"
            yield _zip_name(info), problem, partial(opened.open, info)


def _zip_name(info: zipfile.ZipInfo) -> str:
    """Return the member's name, read as UTF-8 if it is that, even if the archive does not say so."""
    if not info.flag_bits & 0x800:
        try:
            return info.orig_filename.encode("cp437").decode("utf-8")
        except UnicodeError:
            pass
    return info.filename


def _tar_members(archive: Path) -> Iterator[tuple[str, str, Any]]:
    with tarfile.open(archive) as opened:
        for info in opened:
            if info.isdir():
                continue
            yield info.name, _kind(info.issym() or info.islnk(), info.isreg()), partial(opened.extractfile, info)


def _kind(link: bool, plain: bool) -> str:
    if link:
        return LINK
    return "" if plain else ODD
