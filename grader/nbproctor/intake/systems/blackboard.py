"""Blackboard, "Assignment File Download": one flat zip, `gradebook_….zip`, of the files of all attempts.

Each is called `ASSIGNMENT_USERNAME_attempt_2026-11-20-10-11-12_ORIGINAL`. Each attempt also has a receipt, whose name
has `.txt` directly after the time, and whose first line is `Name: Jane Doe (jdoe)`. ASSIGNMENT and USERNAME may each
contain a `_`, so only the receipt says where ASSIGNMENT ends.
https://github.com/kwurst/bb-file-cleanup, https://github.com/timdrysdale/gradex-cli (README.md, what a receipt says)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from nbproctor.intake.archive import Item
from nbproctor.intake.claim import Read, claim_below, with_rest
from nbproctor.intake.roster import Person
from nbproctor.intake.systems.named import depth_of_names, names_at
from nbproctor.values.text import clean

_match = re.compile(
    r"(?P<stem>.+?_(?P<user>[^_]+))_attempt_(?P<when>\d{4}(?:-\d\d){5})(?:_(?P<rest>.+)|(?P<receipt>\.txt))"
).fullmatch
_RECEIPT = re.compile(r"Name:\s*(?P<name>.*?)\s*\((?P<user>[^()]+)\)\s*")
_NO_RECEIPT = (
    "Blackboard's receipts (…_attempt_….txt) do not say whose file this is, and two people might have its name; "
    "collect the download as it came"
)
_RECEIPT_BYTES = 2000  # from the beginning; the name is among them


def detect(items: Sequence[Item], _: Sequence[str]) -> int | None:
    return depth_of_names(items, _match, of_files=True)


def read(items: Sequence[Item], units: Sequence[str]) -> Read:
    """A receipt is claimed only where its student has handed in nothing else, and is otherwise passed over.

    A file whose name may be two people's is nobody's, and says so.
    """
    depth = detect(items, units)
    attempts = list(names_at(items, depth, _match))
    receipts = {item: found["stem"] for item, found in attempts if found["receipt"] and len(item.parts) - 1 == depth}
    people = _people({found["stem"]: found["user"] for _, found in attempts}, receipts)
    found = [
        claim_below(item, depth or 0, person, it["rest"] or "", int(it["when"].replace("-", "")))
        for item, it in attempts
        if (person := people.get(it["stem"]))
    ]
    writers = {one.person for one in found if one.item not in receipts}
    claimed = [one for one in found if one.item not in receipts or one.person not in writers]
    _, nobodys = with_rest([item for item in items if item not in receipts], claimed)
    unclear = {item for item, _ in attempts}
    return claimed, [replace(item, problem=_NO_RECEIPT) if item in unclear else item for item in nobodys]


def _people(stems: Mapping[str, str], receipts: Mapping[Item, str]) -> dict[str, Person]:
    """Return each stem `ASSIGNMENT_USERNAME` -> the person it means, without the stems that may be two people's.

    That is the person whom its receipt names, or else the one called by what stands after the last `_`.
    stems: stem -> what stands after its last `_`. receipts: receipt -> its stem.
    """
    people: dict[str, Person] = {}
    for item, stem in receipts.items():
        if (told := _receipt(item.path)) and stem.endswith(f"_{told['user']}"):
            people[stem] = Person(told["user"], (told["user"],), clean(told["name"], 300), "blackboard")
    often = Counter(user for stem, user in stems.items() if stem not in people)
    settled = {person.own for person in people.values()}
    alone = {stem: user for stem, user in stems.items() if stem not in people and often[user] == 1}
    return people | {
        stem: Person(user, (user,), "", "blackboard") for stem, user in alone.items() if user not in settled
    }


def _receipt(path: Path | None) -> re.Match[str] | None:
    """Return the match of the first line in a receipt, which says who handed in; None where it does not."""
    if path is None:
        return None
    with path.open("rb") as file:
        start = file.read(_RECEIPT_BYTES).decode("utf-8-sig", "replace")
    return _RECEIPT.fullmatch(start.partition("\n")[0])
