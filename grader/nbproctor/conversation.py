"""Keeps what checks asked and heard: whoever answers as another student did gets the same finding, and no check runs.

A check is a program that talks with a student's process. What it says next, and what it finds in the end, follow from
what it has heard: its random numbers are the same for everybody. So what is kept is a tree. At a point of it stands
what the check says there; each reply leads to a further point; at the end stands the finding. Two replies are the same
where each of their bytes is, but for the nonce.

Every student's process is asked everything still. What is spared is the examiner's work, which is a third of a sitting.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import secrets
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from nbproctor import wire
from nbproctor.result import CheckResult

KEPT_MOST_BYTES = 16 << 20  # of a unit; a class of seventy leaves two to five megabytes
TALK_MOST_BYTES = 2 << 20  # that one student's answers can add to what is kept of a check
SUBMISSION_MOST_BYTES = 2 << 20  # that one student's answers can add to what is kept of a unit
LOG_MOST_BYTES = 64 << 20  # that the workers of a class tell one another
POINT_BYTES = 500  # of memory, for a point with its reply
_PLACE = secrets.token_hex(8)  # stands in a frame that is kept where each student's nonce goes


class Unrepeatable(BaseException):
    """A check has heard what it once heard, and says something else: it draws numbers that nobody has seeded. No check
    may catch it."""


@dataclass(frozen=True)
class Said:
    """A frame without its nonce: what stands before it and behind it, and the number of its question."""

    before: bytes
    behind: bytes
    number: int

    @classmethod
    def of(cls, header: dict[str, Any], buffers: Sequence[bytes], number: int) -> Said:
        """Raises WireError where the frame is larger than the other side takes."""
        before, _, behind = wire.frame({**header, "nonce": _PLACE}, buffers).partition(_PLACE.encode())
        return cls(before, behind, number)

    def frame(self, nonce: str) -> bytes:
        return b"".join((self.before, nonce.encode(), self.behind))

    @property
    def bytes_kept(self) -> int:
        return len(self.before) + len(self.behind)


def reply_key(heard: wire.Frame, nonce: str) -> bytes | None:
    """What tells a reply from all others; None where it does not bear the nonce, and answers nothing."""
    before, found, behind = heard.text.partition(nonce.encode())
    if not found or heard.has_more:
        return None
    key = hashlib.blake2b(b"%d %d " % (len(before), len(behind)), digest_size=32)
    for part in (before, behind, heard.raw):
        key.update(part)
    return key.digest()


@dataclass
class Point:
    """What a check says next, and where each reply leads; or what it finds. Neither, where that is not known yet.

    printed: what the student's code printed before the reply that leads here.
    """

    printed: str = ""
    says: Said | None = None
    leads: dict[bytes, Point] = field(default_factory=dict)
    finding: CheckResult | None = None


Step = tuple[Said, bytes, str]  # what was said, the key of the reply to it, and what was printed before that


class Log:
    """Conversations as the workers of a class tell them one another: each writes what is new to it, and reads on."""

    def __init__(self, handle: int | None = None) -> None:
        """handle: of an open file that workers share (`shared_log`). Without one it is a file in memory that has no
        name, which nobody can reach but this process and its forks.
        """
        self._file = os.memfd_create("conversations") if handle is None else handle
        fcntl.fcntl(self._file, fcntl.F_SETFL, os.O_APPEND)
        self._seen_bytes = 0
        self._is_readable = True

    def close(self) -> None:
        os.close(self._file)

    def tell(self, grade_id: str, steps: Sequence[Step], finding: CheckResult) -> None:
        """Write down a conversation and its end, for the other workers."""
        buffers = [part for said, key, printed in steps for part in (said.before, said.behind, key, printed.encode())]
        numbers, crc = [said.number for said, _, _ in steps], zlib.crc32(b"".join(buffers))
        header = {"check": grade_id, "numbers": numbers, "finding": finding.to_json(), "crc": crc}
        if os.fstat(self._file).st_size < LOG_MOST_BYTES:
            with suppress(OSError, wire.WireError):  # no memory, or too much to say: the others find out themselves
                os.write(self._file, wire.frame(header, buffers))

    def news(self) -> Iterator[tuple[str, list[Step], CheckResult]]:
        """What was told since this was last asked, our own words included."""
        new_bytes = os.fstat(self._file).st_size - self._seen_bytes
        data = memoryview(os.pread(self._file, new_bytes, self._seen_bytes) if new_bytes and self._is_readable else b"")
        while (frame := wire.first_frame(data)) is not None:  # the last may not be whole yet
            count = wire.HEADER.size + len(frame.text) + len(frame.raw)
            data = data[count:]
            self._seen_bytes += count
            try:
                header, buffers = wire.opened(frame)
                self._is_readable = header["crc"] == zlib.crc32(frame.raw)
            except (wire.WireError, TypeError, KeyError):
                self._is_readable = False
            if not self._is_readable:  # whoever wrote here was killed, and others went on behind it
                return
            parts = iter(map(bytes, buffers))
            steps = [(Said(next(parts), next(parts), n), next(parts), next(parts).decode()) for n in header["numbers"]]
            yield header["check"], steps, CheckResult.from_json(header["finding"])


class Conversations:
    """Those of a unit's checks. Each begins at a point of its own. log: where other workers tell of theirs."""

    def __init__(self, log: Log | None = None) -> None:
        self._starts: dict[str, Point] = {}
        self._unrepeatable: set[str] = set()
        self._log = log
        self.room_bytes = KEPT_MOST_BYTES
        self.begin_submission()

    def begin_submission(self) -> None:
        """Whoever is graded from now on may add so much, in all processes and attempts together."""
        self.submission_bytes = SUBMISSION_MOST_BYTES

    def start(self, grade_id: str) -> Point | None:
        """Where the conversations of a check begin; None where they cannot be kept."""
        for other, steps, finding in self._log.news() if self._log else ():
            self._learn(other, steps, finding)
        return self._start(grade_id)

    def drop(self, grade_id: str) -> None:
        """Keep none of this check any more."""
        self._unrepeatable.add(grade_id)
        self._starts.pop(grade_id, None)

    def tell(self, steps: Sequence[Step], finding: CheckResult) -> None:
        if self._log:
            self._log.tell(finding.grade_id, steps, finding)

    def _start(self, grade_id: str) -> Point | None:
        return None if grade_id in self._unrepeatable else self._starts.setdefault(grade_id, Point())

    def _learn(self, grade_id: str, steps: Sequence[Step], finding: CheckResult) -> None:
        """Keep what another worker has told."""
        if (start := self._start(grade_id)) is None:
            return
        keeper = Keeper(self, start, told=True)
        try:
            for said, key, printed in steps:
                keeper.says(said)
                keeper.hears(key, printed)
            keeper.found(finding)
        except Unrepeatable:
            self.drop(grade_id)


class Keeper:
    """Keeps a conversation while a check runs, beside those that are kept already, as far as there is room."""

    def __init__(self, kept: Conversations, start: Point, told: bool = False) -> None:
        """told: another worker has told it, where it counts for the student whose it is."""
        self._kept, self._told = kept, told
        self._at: Point | None = start
        self._room_bytes = TALK_MOST_BYTES
        self._steps: list[Step] = []

    def says(self, said: Said) -> None:
        """Raises Unrepeatable where the check said something else here before."""
        if self._at is None:
            return
        if self._at.finding is not None:  # here the check ended once
            raise Unrepeatable
        if self._at.says is None:
            if self._takes(said.bytes_kept):
                self._at.says = said
        elif self._at.says != said:
            raise Unrepeatable

    def hears(self, key: bytes, printed: str) -> None:
        if self._at is None or self._at.says is None:
            return
        self._steps.append((self._at.says, key, printed))
        if key in self._at.leads:
            self._at = self._at.leads[key]
        elif self._takes(POINT_BYTES + len(printed)):
            self._at.leads[key] = self._at = Point(printed)

    def finds(self, finding: CheckResult) -> None:
        """The check has ended so. Other workers are told. Raises Unrepeatable as `says` does."""
        if self.found(finding):
            self._kept.tell(self._steps, finding)

    def found(self, finding: CheckResult) -> bool:
        """Whether this is kept now. Raises Unrepeatable as `says` does."""
        if self._at is None:
            return False
        if self._at.says is not None:
            raise Unrepeatable
        if finding.met_limit:  # memory may have run out for another reason than what was heard
            return False
        known, self._at.finding = self._at.finding, finding
        if known is not None and replace(known, seconds=finding.seconds) != finding:
            raise Unrepeatable
        return True

    def _takes(self, count: int) -> bool:
        """Whether there is room for so many bytes; from where there is none, nothing is kept."""
        own_bytes = self._room_bytes if self._told else min(self._room_bytes, self._kept.submission_bytes)
        if count > min(own_bytes, self._kept.room_bytes):
            self._at = None
            return False
        self._room_bytes -= count
        self._kept.room_bytes -= count
        self._kept.submission_bytes -= 0 if self._told else count
        return True
