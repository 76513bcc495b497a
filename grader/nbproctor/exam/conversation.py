"""Keeps what checks asked and heard, so that a check need not run for a student who answers as another one did.

A check is a program that talks with a student's process. Its random numbers are the same for everybody, so what it has
heard determines what it says next, and what it finds in the end. The conversations of a check are therefore kept as a
tree: each point holds what the check says there, each reply leads to a further point, and a leaf holds the finding. Two
replies count as the same where all their bytes are equal, apart from the nonce.

Every student's process is still asked every question, since its own answers decide. What this saves is the examiner's
work, which is a third of a sitting.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import secrets
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec.structs import replace

from nbproctor.border import wire
from nbproctor.values.result import CheckResult

KEPT_MOST_BYTES = 16 << 20  # kept for all checks of a unit; a class of seventy leaves two to five megabytes
TALK_MOST_BYTES = 2 << 20  # the most that one student's answers can add to what is kept of one check
SUBMISSION_MOST_BYTES = 2 << 20  # the most that one student's answers can add to what is kept of a unit
LOG_MOST_BYTES = 64 << 20  # from this size on, workers write nothing more to a log
POINT_BYTES = 500  # the memory that a point takes, with the reply that leads to it
_PLACE = secrets.token_hex(8)  # in a kept frame, this stands where each student's nonce goes


class Unrepeatable(BaseException):
    """A check has heard the same replies as once before, but says something else: it draws unseeded random numbers.

    This is a BaseException, so that no check catches it.
    """


@dataclass(frozen=True)
class Said:
    """A frame without its nonce: the bytes before the nonce, those behind it, and the number of the question."""

    before: bytes
    behind: bytes
    number: int

    @classmethod
    def of(cls, header: dict[str, Any], buffers: Sequence[bytes], number: int) -> Said:
        """Pack a message into a frame and cut out its nonce.

        Raises WireError where the frame is larger than the student's process accepts.
        """
        before, _, behind = wire.frame({**header, "nonce": _PLACE}, buffers).partition(_PLACE.encode())
        return cls(before, behind, number)

    def frame(self, nonce: str) -> bytes:
        return b"".join((self.before, nonce.encode(), self.behind))

    @property
    def bytes_kept(self) -> int:
        return len(self.before) + len(self.behind)


def reply_key(heard: wire.Frame, nonce: str) -> bytes | None:
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
    says: Said | None = None
    leads: dict[bytes, Point] = field(default_factory=dict)
    finding: CheckResult | None = None


Step = tuple[Said, bytes, str]  # what the check said, the key of the reply, and what was printed before the reply


class Log:
    """A file in which the workers of a class share their conversations.

    Each worker appends the conversations that are new to it, and reads on from where it last stopped.
    """

    def __init__(self) -> None:
        """Open the log: a nameless file in memory, which only this process and its forks can reach."""
        self._file = os.memfd_create("conversations")
        fcntl.fcntl(self._file, fcntl.F_SETFL, os.O_APPEND)
        self._seen_bytes = 0
        self._is_readable = True

    def close(self) -> None:
        os.close(self._file)

    def tell(self, grade_id: str, steps: Sequence[Step], finding: CheckResult) -> None:
        """Append a conversation and its finding, for the other workers."""
        buffers = [part for said, key, printed in steps for part in (said.before, said.behind, key, printed.encode())]
        numbers, crc = [said.number for said, _, _ in steps], zlib.crc32(b"".join(buffers))
        header = {"check": grade_id, "numbers": numbers, "finding": msgspec.to_builtins(finding), "crc": crc}
        if os.fstat(self._file).st_size < LOG_MOST_BYTES:
            # Where memory runs out, or the frame is too large, the other workers run the check themselves.
            with suppress(OSError, wire.WireError):
                os.write(self._file, wire.frame(header, buffers))

    def news(self) -> Iterator[tuple[str, list[Step], CheckResult]]:
        """Yield the conversations that were appended since the last call, this worker's own included."""
        new_bytes = os.fstat(self._file).st_size - self._seen_bytes
        data = memoryview(os.pread(self._file, new_bytes, self._seen_bytes) if new_bytes and self._is_readable else b"")
        while (frame := wire.first_frame(data)) is not None:  # the last frame may not be complete yet
            count = wire.HEADER.size + len(frame.text) + len(frame.raw)
            data = data[count:]
            self._seen_bytes += count
            try:
                header, buffers = wire.opened(frame)
                self._is_readable = header["crc"] == zlib.crc32(frame.raw)
            except (wire.WireError, TypeError, KeyError):
                self._is_readable = False
            if not self._is_readable:  # a worker was killed while it wrote here, and others appended to its fragment
                return
            parts = iter(map(bytes, buffers))
            steps = [(Said(next(parts), next(parts), n), next(parts), next(parts).decode()) for n in header["numbers"]]
            yield header["check"], steps, msgspec.convert(header["finding"], CheckResult)


class Conversations:
    """The conversations of a unit's checks: for each check the point at which it begins.

    log: where the workers of a class share their conversations; None where there is no such place.
    room_bytes: how much more may be kept of the unit. submission_bytes: how much of that the submission that is being
    graded may still add.
    """

    def __init__(self, log: Log | None = None) -> None:
        self._starts: dict[str, Point] = {}
        self._unrepeatable: set[str] = set()
        self._log = log
        self.room_bytes = KEPT_MOST_BYTES
        self.begin_submission()

    def begin_submission(self) -> None:
        """Let a new submission add up to SUBMISSION_MOST_BYTES, in all its processes and attempts together."""
        self.submission_bytes = SUBMISSION_MOST_BYTES

    def start(self, grade_id: str) -> Point | None:
        """Return the point where the conversations of a check begin; None where they cannot be kept.

        What other workers have shared in the meantime is taken in first.
        """
        for other, steps, finding in self._log.news() if self._log else ():
            self._learn(other, steps, finding)
        return self._start(grade_id)

    def drop(self, grade_id: str) -> None:
        """Forget this check's conversations, and keep none from now on."""
        self._unrepeatable.add(grade_id)
        self._starts.pop(grade_id, None)

    def tell(self, steps: Sequence[Step], finding: CheckResult) -> None:
        if self._log:
            self._log.tell(finding.grade_id, steps, finding)

    def _start(self, grade_id: str) -> Point | None:
        return None if grade_id in self._unrepeatable else self._starts.setdefault(grade_id, Point())

    def _learn(self, grade_id: str, steps: Sequence[Step], finding: CheckResult) -> None:
        """Keep a conversation that another worker has shared."""
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
    """Adds a conversation to those that are kept already, while the check runs and as far as there is room."""

    def __init__(self, kept: Conversations, start: Point, told: bool = False) -> None:
        """told: whether another worker has shared this conversation. That worker has counted its bytes against the
        submission already, so they are not counted against the one that is graded here.
        """
        self._kept, self._told = kept, told
        self._at: Point | None = start
        self._room_bytes = TALK_MOST_BYTES
        self._steps: list[Step] = []

    def says(self, said: Said) -> None:
        """Keep what the check says at this point. Raises Unrepeatable where it said something else here before."""
        if self._at is None:
            return
        if self._at.finding is not None:  # the check has ended here before
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
        """Keep how the check has ended, and share it with the other workers. Raises Unrepeatable as `says` does."""
        if self.found(finding):
            self._kept.tell(self._steps, finding)

    def found(self, finding: CheckResult) -> bool:
        """Keep how the check has ended. Returns whether it is kept now. Raises Unrepeatable as `says` does."""
        if self._at is None:
            return False
        if self._at.says is not None:
            raise Unrepeatable
        if finding.met_limit:  # memory may have run out for reasons other than what the check has heard
            return False
        known, self._at.finding = self._at.finding, finding
        if known is not None and replace(known, seconds=finding.seconds) != finding:
            raise Unrepeatable
        return True

    def _takes(self, count: int) -> bool:
        """Reserve room for `count` bytes. Returns False where there is none; then the rest of the talk is not kept."""
        own_bytes = self._room_bytes if self._told else min(self._room_bytes, self._kept.submission_bytes)
        if count > min(own_bytes, self._kept.room_bytes):
            self._at = None
            return False
        self._room_bytes -= count
        self._kept.room_bytes -= count
        self._kept.submission_bytes -= 0 if self._told else count
        return True
