"""Brightspace, "Download" of an assignment's submissions: a folder for each submission, or files with its name.

The name is `NUMBER-NUMBER - NAME - Nov 20, 2026 1011 AM`; that of a file is followed by ` - ORIGINAL`. Beside them lies
an `index.html`. D2L has no page about these names; they are taken from programs that read them. Whether the first
number identifies a person is not known, so two submissions with the same name may be two people's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from functools import partial

from nbproctor.intake.archive import Item
from nbproctor.intake.claim import Read, claim_below, with_rest
from nbproctor.intake.roster import Person
from nbproctor.intake.systems.named import depth_of_names, names_at

_match = re.compile(
    r"(?P<user>\d+)-\d+ - (?P<name>.+?) ?- (?P<when>[A-Z][a-z]{2} \d\d?, \d{4} \d{3,4} [AP]M)(?: - (?P<rest>.+))?"
).fullmatch
detect = partial(depth_of_names, match=_match)


def read(items: Sequence[Item], depth: int) -> Read:
    claimed = [
        claim_below(item, depth, Person(it["name"], (it["user"],), it["name"], "brightspace"), it["rest"], _at(it))
        for item, it in names_at(items, depth, _match)
    ]
    return with_rest(items, claimed)


def _at(found: re.Match[str]) -> int:
    """Return the time of a submission as a number that grows with it. Its time zone is not known."""
    try:
        return int(datetime.strptime(found["when"], "%b %d, %Y %I%M %p").strftime("%Y%m%d%H%M"))
    except ValueError:
        return 0
