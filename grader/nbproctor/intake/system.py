"""What a learning system is to the grader: how its downloads are read, and how scores are written for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nbproctor.intake.archive import Item
    from nbproctor.intake.claim import ClaimsAndRest
    from nbproctor.intake.scores import Assignment, ClassList, ScoresFile
    from nbproctor.values.grades import Grades, Student

    Detect = Callable[[Sequence[Item]], int | None]
    Read = Callable[[Sequence[Item], int], ClaimsAndRest]
    WriteScores = Callable[[Grades, Mapping[str, Student], ClassList, Mapping[str, Assignment]], ScoresFile]
    PackPages = Callable[[Mapping[str, tuple[str, Path]], str], tuple[bytes, tuple[str, ...]]]


class NumberOf(Enum):
    """Whom a number in a system's file names identifies."""

    PERSON = "the same person in every assignment"
    PARTICIPANT = "a person in one assignment, who has another number in the next one"
    UNKNOWN = "not known"


@dataclass(frozen=True, eq=False)
class System:
    """A learning system. Each module in `systems` defines one.

    name: for `--to` and file names. title: the name that people read.
    detect: return how many folders lie above the system's names in a download, or None if it is another system's.
    read: given that depth, return who handed in each file.
    number_of, number_columns: whom the numbers in its names identify, and a roster's columns for them (None: any ids).
    number_list: the list that says whose a number is, or "".
    looks_like_others: whether names of other systems can match, too, so that those are preferred at the same depth.
    write_scores: return the file that the system imports, given the grades, the students, the system's own list of the
    class, and the assignment of each unit that has one. import_at: where in the system that file is imported.
    assignments: return the assignments in the columns of the class list, if a unit is matched with one by its title.
    pack_pages: return a zip of feedback pages and the ids of students left out, given for each student the name that
    their notebook had in the download and the path of their page; and the unit.
    """

    name: str
    title: str
    detect: Detect
    read: Read
    number_of: NumberOf = NumberOf.PERSON
    number_columns: tuple[str, ...] | None = None
    number_list: str = ""
    looks_like_others: bool = False
    write_scores: WriteScores | None = None
    import_at: str = ""
    assignments: Callable[[ClassList], list[Assignment]] | None = None
    pack_pages: PackPages | None = None


NO_SYSTEM = System("", "", lambda items: None, lambda items, depth: ([], [*items]), NumberOf.UNKNOWN)
