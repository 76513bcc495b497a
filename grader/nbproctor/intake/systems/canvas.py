"""Canvas, "Download Submissions": one flat zip of files `NAME_USER_FILE_ORIGINAL`; a late one has `_LATE` after NAME.

NAME is the sortable name in lower case, reduced to its letters; USER and FILE are numbers. The names of anonymous
submissions begin with `anon_`, text entries end in `_text.html`, links in `_link.html`. A file that is handed in again
under the same name has `-1`, `-2` … at the end of ORIGINAL.
https://github.com/instructure/canvas-lms/blob/master/lib/content_zipper.rb (get_filename, add_upload_submission)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from nbproctor.intake.archive import Item
from nbproctor.intake.claim import Claim, Read, claim_below, is_notebook, with_rest
from nbproctor.intake.roster import Person
from nbproctor.intake.systems.named import depth_of_names, names_at

_NAME = re.compile(  # attention_2026_11_15.ipynb has a date, and not Canvas's numbers, which never begin with 0
    r"(?P<name>\w*?)(?<!_(?:19|20)\d\d)_(?:(?P<late>LATE)_)?(?!(?:19|20)\d\d_\d\d?_\d\d?(?!\d))"
    r"(?P<user>[1-9]\d*)_(?:(?P<file>[1-9]\d*)_(?P<rest>.+)|(?P<page>(?:text|link)\.html))"
)
_ANONYMOUS = re.compile(
    r"(?:(?P<late>LATE)_)?anon_(?P<user>[^\W_]+)_(?:(?P<file>\d+)_(?P<rest>.+)|(?P<page>(?:text|link)\.html))"
)
_AGAIN = re.compile(r"-\d+(?=\.\w+$)")  # helper-1.py


def read(items: Sequence[Item], depth: int) -> Read:
    found = [_claim(item, depth, name) for item, name in names_at(items, depth, _match)]
    return with_rest(items, _first_names(found, depth))


def _match(part: str) -> re.Match[str] | None:
    return _ANONYMOUS.fullmatch(part) or _NAME.fullmatch(part)


detect = partial(depth_of_names, match=_match, of_files=True)


def _claim(item: Item, depth: int, found: re.Match[str]) -> Claim:
    told = found.groupdict()
    name, user = told.get("name", "anon"), told["user"]
    person = Person(f"{name}_{user}".strip("_"), (user,), told.get("name", ""), "canvas")
    number = int((told["file"] or "0")[:18])  # a text entry has no FILE
    one = claim_below(item, depth, person, told["rest"] or told["page"], number)
    return replace(one, late="marked late by Canvas" if told["late"] else "")


def _first_names(found: Sequence[Claim], depth: int) -> list[Claim]:
    """Give resubmitted files the names under which they were first handed in, without Canvas's `-1`.

    A student may call a file of their own `data-1.csv`. So the `-1` is taken for Canvas's only where a notebook of that
    student has such a number, too, and where the name without it is free. Notebooks keep their names: the number says
    which is later, and each gets its final name from its place. A file in an archive has the name that the student gave
    it, too.
    """
    bare = {one.item for one in found if len(one.item.parts) - 1 == depth}
    again = {one.person for one in found if one.item in bare and is_notebook(one.item) and _AGAIN.search(one.name)}
    first = [_AGAIN.sub("", one.name) if one.item in bare and one.person in again else one.name for one in found]
    often = Counter((one.person, one.folders, name) for one, name in zip(found, first, strict=True))
    return [
        replace(one, name=name) if often[one.person, one.folders, name] == 1 and not is_notebook(one.item) else one
        for one, name in zip(found, first, strict=True)
    ]
