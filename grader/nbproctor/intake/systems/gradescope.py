"""Gradescope's export: a folder for each submission, and `submission_metadata.yml`, which says whose each is.

For each folder it has `:submitters:`, with `:name:`, `:sid:` and `:email:`, and the time, `:created_at:`. Gradescope
has no page about this file; the keys are taken from programs that read it. The same facts are documented for
autograders: https://gradescope-autograders.readthedocs.io/en/latest/submission_metadata/
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from nbproctor.border.bounded import OutOfBounds, bounded
from nbproctor.intake.archive import Item, Unreadable
from nbproctor.intake.claim import Claim, Folders, Read, claim_below, notebooks_of, with_rest
from nbproctor.intake.roster import Person
from nbproctor.values.text import clean, line

METADATA = "submission_metadata.yml"
_METADATA_S = 300.0

_Handings = Mapping[str, tuple[list[Person], str]]  # folder -> who handed it in, and when


def detect(items: Sequence[Item]) -> int | None:
    """Gradescope's own file lies above everything that was handed in; elsewhere a student may have written it.

    A file that lies below another is a student's. With one of their own a student could hand in for others.
    """
    roots, notebooks = _roots(items), notebooks_of(items)
    if not roots or not all(any(path[: len(root)] == root for root in roots) for path in notebooks):
        return None
    return min(map(len, roots))


def read(items: Sequence[Item], _: int) -> Read:
    roots = _roots(items)
    handings = {root: _handings(path) for root, path in roots.items()}
    files = [item for item in items if item.path not in roots.values()]
    return with_rest(files, [one for item in files for one in _claims(item, handings)])


def _roots(items: Sequence[Item]) -> dict[Folders, Path]:
    """Return each outermost folder with a metadata file, and that file."""
    found = {item.parts[:-1]: item.path for item in items if item.parts[-1] == METADATA and item.path is not None}
    return {
        root: path
        for root, path in found.items()
        if not any(root != other and root[: len(other)] == other for other in found)
    }


def _claims(item: Item, handings: Mapping[Folders, _Handings]) -> list[Claim]:
    """Return the claims of a file: one for each who submitted the folder that it lies in."""
    for root, folders in handings.items():
        depth = len(root)
        if item.parts[:depth] == root and len(item.parts) > depth + 1 and item.parts[depth] in folders:
            people, when = folders[item.parts[depth]]
            return [replace(claim_below(item, depth, one), submitted=when) for one in people]
    return []


def _handings(path: Path) -> _Handings:
    """Read the metadata. Raises Unreadable where that is not possible."""
    try:
        told = bounded(lambda: _metadata(path), _METADATA_S)
    except OutOfBounds as error:
        raise Unreadable(
            f"{METADATA} cannot be read ({line(str(error), 200)}); export the submissions again"
        ) from error
    return {
        folder: ([Person(sid or mail or name, (sid, mail), name, "gradescope") for name, sid, mail in people], when)
        for folder, people, when in told
    }


class _Tolerant(yaml.SafeLoader):  # type: ignore[misc]  # a class without types
    """A YAML loader that reads Ruby's objects as the mappings, lists and texts they are written as, and builds none."""


def _plain(loader: yaml.SafeLoader, _: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return loader.construct_scalar(node)


_Tolerant.add_multi_constructor("!", _plain)


def _metadata(path: Path) -> list[tuple[str, list[tuple[str, str, str]], str]]:
    """In the bounded process: return (folder, (name, sid, email) of each submitter, time) for each submission."""
    whole = yaml.load(path.read_bytes().decode("utf-8", "replace"), Loader=_Tolerant)  # noqa: S506 a safe loader
    if not isinstance(whole, dict):
        raise TypeError("expected one entry for each submission")
    found = []
    for folder, entry in whole.items():
        entry = entry if isinstance(entry, dict) else {}
        people = entry.get(":submitters")
        told = [
            (_text(one, ":name"), _text(one, ":sid"), _text(one, ":email"))
            for one in (people if isinstance(people, list) else [])
            if isinstance(one, dict)
        ]
        found.append((str(folder), [one for one in told if any(one)], _moment(entry.get(":created_at"))))
    return found


def _text(entry: dict[Any, Any], key: str) -> str:
    value = entry.get(key)
    return clean(str(value), 300) if isinstance(value, (str, int)) else ""


def _moment(value: Any) -> str:
    """Return a time as ISO 8601, also where Ruby wrote it with its time zone; "" where it is no time."""
    if isinstance(value, dict):
        value = value.get("utc")
    if not isinstance(value, datetime):
        return ""
    return (value if value.tzinfo else value.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
