"""Copies the course to `work/`, where students answer it. Nothing that a student wrote there is ever overwritten.

`work/.given/UNIT.ipynb` is the edition of a unit that was given out last, so that a newer edition is noticed, and so
that a notebook in which nothing has changed since is known: the newer edition takes its place.
"""

from pathlib import Path

from nbproctor.course.units import CourseError, unit_names
from nbproctor.paths import ROOT


def give_out(root: Path = ROOT) -> list[str]:
    """Copy to `work/` each unit that is not there yet, and each newer edition beside a used notebook.

    Returns a line for each unit with a newer edition. Raises CourseError if a file cannot be read or written.
    """
    lines = []
    for unit in unit_names(root):
        source, given = root / "course" / unit / f"{unit}.ipynb", root / "work" / ".given" / f"{unit}.ipynb"
        place = root / "work" / unit / f"{unit}.ipynb"
        try:
            edition = source.read_bytes()
            last = given.read_bytes() if given.exists() else None
            if edition != last or not place.exists():
                if last is not None and place.exists() and place.read_bytes() == last:
                    place.unlink()  # as it was given out
                new = _write_beside(place, edition)
                if new != place:
                    text = f"{unit}: there is a newer edition. Your notebook stays as it is; the new one is"
                    lines.append(f"{text} {new.relative_to(root)}")
                given.parent.mkdir(parents=True, exist_ok=True)
                given.write_bytes(edition)
        except OSError as error:
            where = error.filename or place
            raise CourseError(f"{where}: {error.strerror}; nothing was overwritten. Is the file in the way?") from error
    return lines


def _write_beside(place: Path, edition: bytes) -> Path:
    """Write an edition to `place`, or beside it as `UNIT (edition 2).ipynb`, unless it is there. Returns its path."""
    place.parent.mkdir(parents=True, exist_ok=True)
    path, number = place, 1
    while path.exists():
        if path.read_bytes() == edition:
            return place
        number += 1
        path = place.with_name(f"{place.stem} (edition {number}).ipynb")
    with path.open("xb") as stream:
        stream.write(edition)
    return path
