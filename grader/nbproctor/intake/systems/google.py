"""Google Classroom keeps a folder for each assignment in Drive, which can be downloaded as a zip.

A copy that was made for a student is called `NAME - ORIGINAL`. https://support.google.com/edu/assignments/answer/9433485
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from nbproctor.intake.archive import Item
from nbproctor.intake.claim import Read, claim_below, unit_named, with_rest
from nbproctor.intake.roster import Person
from nbproctor.intake.systems.named import Match, depth_of_names, names_at

_NAME = re.compile(r"(?P<name>[^-].*?) - (?P<rest>.+)")


def detect(items: Sequence[Item], units: Sequence[str]) -> int | None:
    """A file in a student's own folder may be called so, too: below the top the names have to be several people's."""
    match = _match(units)
    depth = depth_of_names(items, match, of_files=True)
    people = {found["name"] for _, found in names_at(items, depth, match)}
    return depth if depth == 0 or len(people) > 1 else None


def read(items: Sequence[Item], units: Sequence[str]) -> Read:
    match = _match(units)
    depth = depth_of_names(items, match, of_files=True)
    claimed = [
        claim_below(item, depth or 0, Person(found["name"], (), found["name"], "google"), found["rest"])
        for item, found in names_at(items, depth, match)
    ]
    return with_rest(items, claimed)


def _match(units: Sequence[str]) -> Match:
    def match(part: str) -> re.Match[str] | None:
        found = _NAME.fullmatch(part)  # `UNIT - Copy.ipynb` names nobody
        return found if found and not unit_named(found["name"], units) else None

    return match
