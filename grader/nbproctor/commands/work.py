"""`nbproctor work`: the student's own copy of the course."""

from __future__ import annotations

from nbproctor.commands.terminal import one_line_errors, say


def work() -> None:
    """Copy the course to work/, to answer in. Nothing there is ever overwritten: a newer edition goes beside it."""
    from nbproctor.workcopy import give_out

    with one_line_errors():
        for told in give_out():
            say(told, "yellow")
