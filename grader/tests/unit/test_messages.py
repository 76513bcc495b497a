"""Every message of any-course mode arrives as it was sent, and an answer that is none is refused."""

import socket
from typing import Any

import pytest

from nbproctor.border import frames, messages
from nbproctor.border.frames import WireError
from nbproctor.border.messages import Begin, Begun, CellRun, End, Ended, Request, Run


@pytest.mark.parametrize("request_", [Begin("autograded/ana/hw", [("a", 0o644)]), Run("x = 1", True), End()])
def test_a_request_arrives_as_it_was_sent(request_: Request) -> None:
    here, there = socket.socketpair()
    with here, there:
        messages.send(here, request_, "nonce", [b"a"])
        assert messages.receive_request(there) == (request_, "nonce", [b"a"])


ANSWERS = (
    Begun({"name": "R"}),
    Begun(failed="no"),
    CellRun([{"output_type": "stream"}], 3, ["os"], True, 1.5),
    CellRun([]),
    Ended([("a/", 0o755)], ["b"], ["c"], 2.0),
)


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_arrives_as_it_was_sent_with_its_nonce(answer: Any) -> None:
    here, there = socket.socketpair()
    with here, there:
        messages.send(here, answer, "nonce")
        header, _ = frames.receive(there)
    reply = messages.reply_of(header)
    assert reply.nonce == "nonce" and messages.answer_of(reply, type(answer)) == answer


@pytest.mark.parametrize(
    ("header", "kind"),
    [
        ({}, CellRun),
        ({"outputs": "none"}, CellRun),
        ({"outputs": [], "count": True}, CellRun),
        ({"outputs": [], "modules": [1]}, CellRun),
        ({"language": []}, Begun),
        ({"files": [["a"]], "gone": [], "left": []}, Ended),
        ({"files": [["a", "644"]], "gone": [], "left": []}, Ended),
        ({"files": [], "gone": [0], "left": []}, Ended),
    ],
)
def test_an_answer_of_another_kind_is_refused(header: dict[str, Any], kind: Any) -> None:
    with pytest.raises(WireError):
        messages.answer_of(messages.reply_of({"answer": header, "nonce": ""}), kind)
