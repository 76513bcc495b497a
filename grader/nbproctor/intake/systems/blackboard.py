"""Blackboard, "Assignment File Download": one flat zip, `gradebook_….zip`, of the files of all attempts.

Each is called `ASSIGNMENT_USERNAME_attempt_2026-11-20-10-11-12_ORIGINAL`. Each attempt also has a receipt, whose name
has `.txt` directly after the time, and whose first line is `Name: Jane Doe (jdoe)`. ASSIGNMENT and USERNAME may each
contain a `_`, so only the receipt says where ASSIGNMENT ends.
https://github.com/kwurst/bb-file-cleanup, https://github.com/timdrysdale/gradex-cli (README.md, what a receipt says)
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from nbproctor.intake.archive import Item
from nbproctor.intake.claim import ClaimsAndRest, claim_below, with_rest
from nbproctor.intake.names import depth_of_names, names_at
from nbproctor.intake.roster import Person
from nbproctor.intake.system import System
from nbproctor.values.text import clean

_match = re.compile(
    r"(?P<stem>.+?_(?P<user>[^_]+))_attempt_(?P<when>\d{4}(?:-\d\d){5})(?:_(?P<rest>.+)|(?P<receipt>\.txt))"
).fullmatch
_detect = partial(depth_of_names, match=_match, of_files=True)
_RECEIPT = re.compile(r"Name:\s*(?P<name>.*?)\s*\((?P<user>[^()]+)\)\s*")
_RECEIPT_BYTES = 2000  # from the beginning; the name is among them


def _read(items: Sequence[Item], depth: int) -> ClaimsAndRest:
    """A receipt is claimed only if its student has handed in nothing else, and is otherwise passed over.

    Without a receipt a file is the user's that stands after the last `_`, and nobody's if that may be two people.
    """
    attempts = list(names_at(items, depth, _match))
    receipts = {item: it["stem"] for item, it in attempts if it["receipt"] and len(item.parts) - 1 == depth}
    people = {stem: person for item, stem in receipts.items() if (person := _person(item.path, stem))}
    tails = {it["stem"]: it["user"] for _, it in attempts if it["stem"] not in people}
    often = Counter((*tails.values(), *{one.own for one in people.values()}))
    people |= {stem: Person(user, (user,), "", SYSTEM) for stem, user in tails.items() if often[user] == 1}
    found = [
        claim_below(item, depth, people[it["stem"]], it["rest"] or "", int(it["when"].replace("-", "")))
        for item, it in attempts
        if it["stem"] in people
    ]
    writers = {one.person for one in found if one.item not in receipts}
    claimed = [one for one in found if one.item not in receipts or one.person not in writers]
    return with_rest([item for item in items if receipts.get(item) not in people], claimed)


def _person(receipt: Path, stem: str) -> Person | None:
    """Return the person in a receipt's first line; None if `stem` (ASSIGNMENT_USERNAME) does not end in that user."""
    with receipt.open("rb") as file:
        start = file.read(_RECEIPT_BYTES).decode("utf-8-sig", "replace")
    receipt_name = _RECEIPT.fullmatch(start.partition("\n")[0])
    if receipt_name is None or not stem.endswith(f"_{receipt_name['user']}"):
        return None
    return Person(receipt_name["user"], (receipt_name["user"],), clean(receipt_name["name"], 300), SYSTEM)


SYSTEM = System("blackboard", "Blackboard", _detect, _read)
