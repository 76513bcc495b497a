"""Finds where in a download a learning system's names are, for the modules in `systems`."""

import re
from collections.abc import Callable, Iterator, Sequence

from nbproctor.intake.archive import Item, is_archive
from nbproctor.intake.claim import Folders, common_folders, notebooks_of

Match = Callable[[str], re.Match[str] | None]


def depth_of_names(items: Sequence[Item], match: Match, of_files: bool = False) -> int | None:
    """Return how many folders lie above a system's names in a download; None if it is another system's.

    In the folder around everything, where students put nothing, each folder and archive must have such a name, and at
    least half of all that lies there; a notebook without one is nobody's. Further down, as with several downloads in
    one folder, every notebook must have one, since a student may have packed the others.

    of_files: whether only files and archives have such names, and other files may look the same. Further down, one
    folder must then have several people's names.
    """
    paths = notebooks_of(items) or [item.parts for item in items]
    shared = len(common_folders(path[:-1] for path in paths))
    for depth in range(max(map(len, paths), default=0)):
        names = {path: found for path in paths if (found := _name_at(path, depth, match, of_files))}
        nameless = [path for path in paths if path not in names]
        named, others = ({path[: depth + 1] for path in some} for some in (names, nameless))
        if depth <= shared and len(named) >= len(others) and all(len(path) == depth + 1 for path in nameless):
            return depth
        people = {(path[:depth], found.groupdict().get("name") or found["user"]) for path, found in names.items()}
        if not nameless and (not of_files or len(people) > len({folder for folder, _ in people})):
            return depth
    return None


def _name_at(path: Folders, depth: int, match: Match, of_files: bool) -> re.Match[str] | None:
    """Return the match of the part at this depth. of_files: folders do not count, but archives do."""
    if depth >= len(path) or (of_files and depth < len(path) - 1 and not is_archive(path[depth])):
        return None
    return match(path[depth])


def names_at(items: Sequence[Item], depth: int, match: Match) -> Iterator[tuple[Item, re.Match[str]]]:
    """Yield each file whose path has a name of the system at this depth, with that name."""
    for item in items:
        if depth < len(item.parts) and (found := match(item.parts[depth])):
            yield item, found
