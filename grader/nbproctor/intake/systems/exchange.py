"""nbgrader's exchange, `inbound/`: a folder `STUDENT+UNIT+TIME` for each submission, with a `timestamp.txt`.

A `+RANDOM` may follow. https://github.com/jupyter/nbgrader (exchange/default/submit.py)
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from nbproctor.intake.archive import Item, is_archive
from nbproctor.intake.claim import ClaimsAndRest, claim_below, with_rest
from nbproctor.intake.names import depth_of_names, names_at
from nbproctor.intake.roster import Person
from nbproctor.intake.system import System

_match = re.compile(
    r"(?P<name>[^+*]+)\+[^+]+\+\d{4}-\d\d-\d\d [^+]+?(?:\+[^+]+?)?(?:\.zip|\.tar|\.tgz|\.tar\.gz)?"
).fullmatch
_detect = partial(depth_of_names, match=_match)


def _read(items: Sequence[Item], depth: int) -> ClaimsAndRest:
    found = []
    for item, it in names_at(items, depth, _match):
        one = claim_below(item, depth, Person(it["name"], (it["name"],), it["name"]))
        found.append(replace(one, is_arranged=not any(map(is_archive, one.folders))))
    return with_rest(items, found)


SYSTEM = System("exchange", "nbgrader's exchange", _detect, _read)
