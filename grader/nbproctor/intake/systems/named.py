"""Where in a download the names of a learning system lie: what the modules for such systems have in common."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from nbproctor.intake.archive import Item
from nbproctor.intake.claim import Folders, holds_bytes, notebooks_of, shared_by

Match = Callable[[str], re.Match[str] | None]


def depth_of_names(items: Sequence[Item], match: Match, of_files: bool = False) -> int | None:
    """Return how many folders lie above the names of a system in a download; None where it is not this system's.

    In the folder around everything, where students put nothing, each folder and archive has to have such a name, and at
    least half of what lies there; a notebook there that has none is nobody's. Further down, as in several downloads in
    one folder, every notebook has to have one, since a student may have packed the others.

    of_files: whether only files and archives have such names, and other files, too, may look like that. Then they also
    have to tell several people apart: in one folder, where they lie further down.
    """
    paths = notebooks_of(items) or [item.parts for item in items]
    shared = len(shared_by(path[:-1] for path in paths))
    for depth in range(max(map(len, paths), default=0)):
        named = {path for path in paths if _has_name(path, depth, match, of_files)}
        nameless = [path for path in paths if path not in named]
        entries = [{path[: depth + 1] for path in some} for some in (named, nameless)]
        if depth <= shared and len(entries[0]) >= len(entries[1]) and all(len(path) == depth + 1 for path in nameless):
            return depth
        if not nameless and (not of_files or _tell_apart(entries[0], match)):
            return depth
    return None


def _has_name(path: Folders, depth: int, match: Match, of_files: bool) -> bool:
    return depth < len(path) and (not of_files or holds_bytes(path, depth)) and match(path[depth]) is not None


def _tell_apart(entries: Iterable[Folders], match: Match) -> bool:
    """Whether in one folder there are the names of several people."""
    people: dict[Folders, set[str]] = defaultdict(set)
    for *folders, name in entries:
        if found := match(name):
            people[tuple(folders)].add(person_in(found))
    return any(len(them) > 1 for them in people.values())


def person_in(found: re.Match[str]) -> str:
    """What tells people apart in a name: the name itself, or else the number."""
    told = found.groupdict()
    return told.get("name") or told.get("user") or ""


def names_at(items: Sequence[Item], depth: int | None, match: Match) -> Iterator[tuple[Item, re.Match[str]]]:
    """Yield each file whose path has a name of the system at this depth, with that name."""
    for item in items:
        if depth is not None and depth < len(item.parts) and (found := match(item.parts[depth])):
            yield item, found
