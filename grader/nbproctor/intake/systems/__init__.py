"""The learning systems, one module each. A module in this folder that defines `SYSTEM` is all that a new one takes.

A download is read as one system: the one whose names are outermost. Deeper names may be a student's own, who may pack a
folder that is named after somebody else. If no system is detected, `folders` reads the download.
"""

import pkgutil
from collections.abc import Sequence
from importlib import import_module

from nbproctor.intake import folders
from nbproctor.intake.archive import Item
from nbproctor.intake.claim import ClaimsAndRest
from nbproctor.intake.system import System


def all_systems() -> dict[str, System]:
    """Return the system of each module in this folder, by name."""
    modules = [import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)]
    systems: list[System] = [module.SYSTEM for module in modules]
    return {system.name: system for system in systems}


def claims(items: Sequence[Item], units: Sequence[str]) -> ClaimsAndRest:
    """Return who handed in each file (a group's file once per member), and the files that no person was found for."""
    detected = [(depth, one) for one in all_systems().values() if (depth := one.detect(items)) is not None]
    if not detected:
        return folders.read(items, units)
    depth, system = min(detected, key=lambda found: (found[0], found[1].looks_like_others))
    return system.read(items, depth)
