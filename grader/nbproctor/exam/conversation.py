"""Keeps what checks asked and heard, so that a check need not run for a student who answers as another one did.

A check is a program that talks with a student's process. Its random numbers are the same for everybody, so what it has
heard determines what it says next, and what it finds in the end. The conversations of a check are therefore kept as a
tree: each point holds what the check says there, each reply leads to a further point, and a leaf holds the finding. Two
replies count as the same where all their bytes are equal, apart from the nonce.

Every student's process is still asked every question, since its own answers decide. What this saves is the examiner's
work, which is a third of a sitting. Each worker keeps what it has heard itself.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from nbproctor.border import frames
from nbproctor.values.result import CheckResult

KEPT_MOST_BYTES = 4 << 20  # of one check; a class of seventy leaves two to five megabytes for all checks of a unit
POINT_BYTES = 500  # the memory that a point takes, with the reply that leads to it
_PLACE = secrets.token_hex(8)  # in a kept frame, this stands where each student's nonce goes


@dataclass(frozen=True)
class KeptFrame:
    """A frame without its nonce: the bytes before the nonce, those behind it, and the number of the question."""

    before: bytes
    behind: bytes
    number: int

    @classmethod
    def of(cls, header: dict[str, Any], buffers: Sequence[bytes], number: int) -> KeptFrame:
        """Pack a message into a frame and cut out its nonce.

        Raises WireError where the frame is larger than the student's process accepts.
        """
        before, _, behind = frames.frame({**header, "nonce": _PLACE}, buffers).partition(_PLACE.encode())
        return cls(before, behind, number)

    def frame(self, nonce: str) -> bytes:
        return b"".join((self.before, nonce.encode(), self.behind))


def reply_key(heard: frames.Frame, nonce: str) -> bytes | None:
    """Return a digest that tells this reply from all others; None where it lacks the nonce, and so answers nothing."""
    before, found, behind = heard.text.partition(nonce.encode())
    if not found or heard.has_more:
        return None
    key = hashlib.blake2b(b"%d %d " % (len(before), len(behind)), digest_size=32)
    for part in (before, behind, heard.raw):
        key.update(part)
    return key.digest()


@dataclass
class Point:
    """A point in a check's conversations: what the check says next, or what it finds.

    says: what the check says here. leads: the point that each reply leads to, by the key of the reply. finding: what
    the check found where it ended here. Both `says` and `finding` are None where neither is known yet.
    printed: what the student's code printed before the reply that leads here.
    """

    printed: str = ""
    says: KeptFrame | None = None
    leads: dict[bytes, Point] = field(default_factory=dict)
    finding: CheckResult | None = None


class Conversations:
    """The conversations of one check. start: the point at which it begins. room_bytes: how much more may be kept."""

    def __init__(self) -> None:
        self.start = Point()
        self.room_bytes = KEPT_MOST_BYTES


Kept = dict[str, Conversations]
"""What is kept of a unit: grade id -> the conversations of that check."""


class Keeper:
    """Adds a conversation to those that are kept already, while the check runs and as far as there is room.

    A check that draws random numbers of its own may say or find something else after the same replies. Then the rest is
    not kept.
    """

    def __init__(self, kept: Conversations) -> None:
        self._kept = kept
        self._at: Point | None = kept.start

    def says(self, said: KeptFrame) -> None:
        point = self._at
        if point and point.says is None and point.finding is None and self._takes(len(said.before) + len(said.behind)):
            point.says = said
        if self._at and self._at.says != said:
            self._at = None

    def hears(self, key: bytes, printed: str) -> None:
        if self._at is None:
            return
        if key in self._at.leads:
            self._at = self._at.leads[key]
        elif self._takes(POINT_BYTES + len(printed)):
            self._at.leads[key] = self._at = Point(printed)

    def finds(self, finding: CheckResult) -> None:
        """Keep how the check has ended, unless memory ran out, perhaps for reasons other than what it has heard."""
        if self._at and self._at.says is None and not finding.met_limit:
            self._at.finding = self._at.finding or finding

    def _takes(self, count: int) -> bool:
        """Reserve room for `count` bytes. Returns False where there is none; then the rest of the talk is not kept."""
        if count > self._kept.room_bytes:
            self._at = None
            return False
        self._kept.room_bytes -= count
        return True
