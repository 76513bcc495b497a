"""Finds the files in `course/` that hold somebody's work, which neither the last release wrote nor git has."""

import subprocess
from pathlib import Path

from nbproctor.values.text import digest_of


def notebooks_with_work(root: Path, paths: list[Path]) -> list[Path]:
    """Return those of these files of `course/` whose changes exist nowhere else; [] outside a git work tree."""
    status = _git(root, "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--", "course")
    changed = {entry[3:] for entry in status.split("\0") if entry and "U" not in entry[:2]}
    record = _record(root)
    ours = set(record.read_text().split()) if record is not None and record.exists() else set()
    mine = [path for path in paths if path.exists() and path.relative_to(root).as_posix() in changed]
    return [path for path in mine if digest_of(path.read_bytes()) not in ours]


def remember(root: Path, paths: list[Path]) -> None:
    """Record the content of these files as written by a release, in git's own folder of this work tree."""
    record = _record(root)
    if record is not None:
        record.write_text("\n".join(digest_of(path.read_bytes()) for path in paths))


def _record(root: Path) -> Path | None:
    place = _git(root, "rev-parse", "--git-path", "nbproctor-release").strip()
    return root / place if place else None


def _git(root: Path, *words: str) -> str:
    """What git prints; "" if there is no git, or no work tree."""
    try:
        command = ["git", *words]  # the one on the path, with our own arguments
        return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        return ""
