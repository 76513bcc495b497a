"""Gradescope's export: a folder for each submission, and `submission_metadata.yml`, which says whose each is.

For each folder it has `:submitters:`, with `:name:`, `:sid:` and `:email:`, and the time, `:created_at:`. Gradescope
has no page about this file; the keys are taken from programs that read it. The same facts are documented for
autograders: https://gradescope-autograders.readthedocs.io/en/latest/submission_metadata/
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from nbproctor.border.bounded import OutOfBounds, bounded
from nbproctor.intake.archive import Item, Unreadable
from nbproctor.intake.claim import Claim, ClaimsAndRest, Folders, claim_below, notebooks_of, with_rest
from nbproctor.intake.roster import Person
from nbproctor.intake.system import System
from nbproctor.values.text import clean, line

METADATA = "submission_metadata.yml"
_METADATA_S = 300.0

_Handings = Mapping[str, tuple[list[Person], str]]  # folder -> who handed it in, and when


def _detect(items: Sequence[Item]) -> int | None:
    """Gradescope's own file lies above everything that was handed in; one further down may be a student's forgery."""
    roots, notebooks = _roots(items), notebooks_of(items)
    if not roots or not all(any(path[: len(root)] == root for root in roots) for path in notebooks):
        return None
    return min(map(len, roots))


def _read(items: Sequence[Item], _: int) -> ClaimsAndRest:
    roots = _roots(items)
    handings = {root: _handings(path) for root, path in roots.items()}
    files = [item for item in items if item.path not in roots.values()]
    return with_rest(files, [one for item in files for one in _claims(item, handings)])


def _roots(items: Sequence[Item]) -> dict[Folders, Path]:
    """Return each folder with a metadata file that lies as far out as any of them, and that file."""
    found = {item.parts[:-1]: item.path for item in items if item.parts[-1] == METADATA}
    outermost = min(map(len, found), default=0)
    return {root: path for root, path in found.items() if len(root) == outermost}


def _claims(item: Item, handings: Mapping[Folders, _Handings]) -> list[Claim]:
    """Return the claims of a file: one for each who submitted the folder that it lies in."""
    for root, folders in handings.items():
        depth = len(root)
        if item.parts[:depth] == root and len(item.parts) > depth + 1 and item.parts[depth] in folders:
            people, when = folders[item.parts[depth]]
            return [replace(claim_below(item, depth, one), submitted=when) for one in people]
    return []


def _handings(path: Path) -> _Handings:
    """Read the metadata. Raises Unreadable if that is not possible."""
    try:
        metadata = bounded(lambda: _mapping(path), _METADATA_S)
    except OutOfBounds as error:
        raise Unreadable(
            f"{METADATA} cannot be read ({line(str(error), 200)}); export the submissions again"
        ) from error
    entries = {folder: entry for folder, entry in metadata.items() if isinstance(entry, dict)}
    return {folder: (_people(entry), _moment(entry.get(":created_at"))) for folder, entry in entries.items()}


def _mapping(path: Path) -> dict[str, Any]:
    """In the bounded process: parse the metadata. Ruby's objects are read as the plain values they are written as."""
    whole = yaml.load(path.read_bytes().decode("utf-8", "replace"), Loader=yaml.BaseLoader)  # noqa: S506 makes none
    if not isinstance(whole, dict):
        raise TypeError("expected one entry for each submission")
    return whole


def _people(entry: Mapping[str, Any]) -> list[Person]:
    submitters = entry.get(":submitters")
    found = []
    for one in submitters if isinstance(submitters, list) else ():
        name, sid, mail = (_text(one, key) for key in (":name", ":sid", ":email"))
        if own := sid or mail or name:
            found.append(Person(own, (sid, mail), name, SYSTEM))
    return found


def _text(entry: Any, key: str) -> str:
    value = entry.get(key) if isinstance(entry, dict) else None
    return clean(value, 300) if isinstance(value, str) and value not in ("~", "null") else ""


def _moment(value: Any) -> str:
    """Return a time as ISO 8601, also where Ruby wrote it with its time zone; "" if it is no time."""
    date, _, time = str(value.get("utc") if isinstance(value, dict) else value).partition(" ")
    try:
        when = datetime.fromisoformat(f"{date}T{time.replace('UTC', 'Z').replace(' ', '')}")
    except ValueError:
        return ""
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).astimezone(UTC).isoformat()


SYSTEM = System("gradescope", "Gradescope", _detect, _read)
