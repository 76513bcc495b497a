"""Moodle, "Download all submissions": a folder `NAME_NUMBER_assignsubmission_file` with the student's files.

Where "Download submissions in folders" is off, each file has this name, followed by `_ORIGINAL`. Older versions of
Moodle end the folder's name with one more `_`. NUMBER is the participant's number in this assignment, which the grading
worksheet has in its column Identifier. In blind marking NAME is the word for a participant in the teacher's language.
https://github.com/moodle/moodle/blob/main/mod/assign/classes/downloader.php (get_student_prefix)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from nbproctor.intake.archive import Item
from nbproctor.intake.claim import Read, claim_below, with_rest
from nbproctor.intake.roster import Person
from nbproctor.intake.systems.named import depth_of_names, names_at

_match = re.compile(r"(?P<name>.+?)_(?P<user>\d+)_assignsubmission_[a-z]+(?:_(?P<rest>.*))?").fullmatch
detect = partial(depth_of_names, match=_match)


def read(items: Sequence[Item], depth: int) -> Read:
    found = list(names_at(items, depth, _match))
    names, numbers = {name["name"] for _, name in found}, {name["user"] for _, name in found}
    is_blind = names == {"Participant"} or (len(names) == 1 and len(numbers) > 1 and " " not in min(names))
    claimed = []
    for item, match in found:
        name, number, rest = match["name"], match["user"], match["rest"]
        person = Person(f"{name} {number}" if is_blind else name, (number,), "" if is_blind else name, "moodle")
        claimed.append(claim_below(item, depth, person, rest))
    return with_rest(items, claimed)
