"""Every message of any-course mode arrives as it was sent, and an answer that is none is refused."""

from typing import Any

import pytest

from nbproctor.border import messages
from nbproctor.border.frames import WireError
from nbproctor.border.messages import Begun, CellRun, Ended


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
