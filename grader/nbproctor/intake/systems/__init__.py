"""Whose is each file of a download? One module for each learning system whose file names say more than folders do.

Each has `detect`, which says how deep in the download its names lie, or None, and `read`, which is told this depth. The
system whose names lie outermost reads the whole download, since what lies deeper may be a student's own: a student may
pack a folder that is named after somebody else. Where no system is detected, `folders` reads it, by the places of the
files.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType

from nbproctor.intake.archive import Item
from nbproctor.intake.claim import Read
from nbproctor.intake.systems import blackboard, brightspace, canvas, exchange, folders, gradescope, moodle

SYSTEMS: tuple[ModuleType, ...] = (gradescope, moodle, brightspace, blackboard, exchange, canvas)


def claims(items: Sequence[Item], units: Sequence[str]) -> Read:
    """Return who handed in each file, and the files of which this cannot be told.

    A file that a group handed in is claimed once for each member. Raises Unreadable for a `submission_metadata.yml`
    that cannot be read.
    """
    depths = [(depth, n) for n, system in enumerate(SYSTEMS) if (depth := system.detect(items)) is not None]
    if not depths:
        return folders.read(items, units)
    depth, n = min(depths)
    found: Read = SYSTEMS[n].read(items, depth)
    return found
