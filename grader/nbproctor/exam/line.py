"""The examiner's end of the socket to a student's process: sends frames, receives replies, and keeps conversations."""

import itertools
import secrets
import socket
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from nbproctor.border import frames
from nbproctor.border.protocol import PRINTED_MOST
from nbproctor.exam.conversation import Keeper, KeptFrame, Point, reply_key
from nbproctor.exam.failures import StudentGone
from nbproctor.runner.log import say
from nbproctor.runner.zygote import await_end
from nbproctor.values.result import CheckResult

SENDING_S = 5.0
HEARD_MOST_BYTES = 64 << 20  # replies that `follow` keeps in memory, until the check has run or need not


class StudentChannel:
    """The examiner's end of the socket to one student's process.

    deadline, too_late: until when a reply is waited for, and the sentence that is told if none has come by then; the
    caller sets both before it asks. printed: what the student's code has printed since the caller last emptied this
    list.
    """

    def __init__(self, channel: socket.socket, pidfd: int) -> None:
        self.channel, self.pidfd = channel, pidfd
        self.deadline = 0.0  # `time.monotonic()` seconds
        self.too_late = ""
        self.printed: list[str] = []
        self._nonces: list[str] = []
        self._earlier: set[str] = set()  # the nonces of the checks before this one
        self._turn_to(None)

    def next_number(self) -> int:
        """Return the number of the next question. Each question has its own nonce, which the answer must repeat."""
        return next(self._numbers)

    def exchange(self, header: dict[str, Any], buffers: Sequence[bytes], number: int) -> tuple[Any, list[bytearray]]:
        """Send a message with the nonce of this number and return the reply.

        Raises StudentGone, WireError.
        A frame that the student's code wrote before the question was asked cannot have its nonce, so it is no reply.
        """
        said = KeptFrame.of(header, buffers, number)
        if self._keeper:
            self._keeper.says(said)
        if self._heard and self._heard[0][0] != said:  # the check asks something else than it asked another student
            self._heard.clear()
        heard = self._heard.popleft()[1] if self._heard else self._sent(said)
        nonce = self._nonce(number)
        key = reply_key(heard, nonce)
        try:
            answer, raw = frames.opened(heard)
        except frames.WireError as error:
            raise StudentGone("died", f"the process wrote into the grader's channel: {error}") from None
        if key is None or not isinstance(answer, dict) or answer.get("nonce") != nonce:
            words = "the process wrote into the grader's channel: an answer that was not asked for"
            told = answer.get("nonce") if isinstance(answer, dict) else None
            raise StudentGone("died", words, is_stale=isinstance(told, str) and told in self._earlier)
        if printed := _printed(answer):
            self.printed.append(printed)
        if self._keeper:
            self._keeper.hears(key, printed)
        return answer, raw

    def follow(self, start: Point) -> CheckResult | None:
        """Ask what a check has asked before, as long as this student answers like an earlier one. Raises StudentGone.

        Returns what the check found about the students who gave all the same answers. Returns None where this student
        answers otherwise: then the check has to run, inside `kept_by`, and first gets the replies received here.
        """
        self._turn_to(None)
        point, printed, room_bytes = start, list[str](), HEARD_MOST_BYTES
        try:
            while point.says is not None and room_bytes > 0:
                heard = self._sent(point.says)
                self._heard.append((point.says, heard))
                room_bytes -= len(heard.text) + len(heard.raw)
                known = point.leads.get(reply_key(heard, self._nonce(point.says.number)) or b"")
                if known is None:
                    return None
                point = known
                printed.append(point.printed)
        except StudentGone:
            self.printed += printed
            raise
        if point.finding is not None:
            self.printed += printed
            self._turn_to(None)
        return point.finding

    @contextmanager
    def kept_by(self, keeper: Keeper | None) -> Iterator[None]:
        """Keep all messages sent and received inside the `with` block as one conversation, from the first question on.

        The first replies in it are those that `follow` has received already.
        """
        self._turn_to(keeper, list(self._heard))
        try:
            yield
        finally:
            self._turn_to(None)

    def _sent(self, said: KeptFrame) -> frames.Frame:
        """Send a frame and receive the next one. Raises StudentGone."""
        try:
            self.channel.settimeout(SENDING_S)
            self.channel.sendall(said.frame(self._nonce(said.number)))
            return frames.receive_frame(self.channel, self.deadline)
        except TimeoutError:
            say(self.too_late)
            raise StudentGone("timeout", self.too_late) from None
        except (EOFError, OSError):
            await_end(self.pidfd)
            raise StudentGone("died", "the process died") from None
        except frames.WireError as error:
            raise StudentGone("died", f"the process wrote into the grader's channel: {error}") from None

    def _nonce(self, number: int) -> str:
        """Return the nonce of a question: a word that the student's process cannot guess before it is asked."""
        while len(self._nonces) <= number:
            self._nonces.append(secrets.token_hex(8))
        return self._nonces[number]

    def _turn_to(self, keeper: Keeper | None, heard: Iterable[tuple[KeptFrame, frames.Frame]] = ()) -> None:
        """Begin a conversation. Where some of its replies were received already, its nonces stay the same."""
        self._keeper, self._heard, self._numbers = keeper, deque(heard), itertools.count()
        if not self._heard:
            self._earlier |= {*self._nonces}
            self._nonces = []


def _printed(answer: dict[str, Any]) -> str:
    """Return what the student's code printed before it answered; "" where it asks something first."""
    printed = "" if "question" in answer else answer.get("printed")
    return printed[:PRINTED_MOST] if isinstance(printed, str) else ""
