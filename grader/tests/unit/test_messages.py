"""Every message of any-course mode arrives as it was sent, and an answer that is none is refused."""

from typing import Any, get_args

import pytest
from msgspec import Struct

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


def test_every_message_has_a_row_and_every_request_is_in_its_union() -> None:
    """A request outside the union would end the student's process, and the student would be blamed."""
    kinds = [kind for kind in vars(messages).values() if isinstance(kind, type) and issubclass(kind, Struct)]
    of_their_own = [kind for kind in kinds if kind.__module__ == messages.__name__ and kind.__struct_config__.tag]
    assert [kind for kind in of_their_own if f"`{kind.__name__}`" not in messages.__doc__] == []
    requests = {kind for kind in of_their_own if kind.__struct_config__.tag_field == "request"}
    assert requests == {*get_args(messages.Request), *get_args(messages.ZygoteRequest)}
