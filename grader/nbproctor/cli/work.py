"""`nbproctor work`: the student's own copy of the course."""

from nbproctor.cli.terminal import one_line_errors, say


def work() -> None:
    """Copy the course to work/, where students write their answers.

    Nothing there is ever overwritten: a newer edition of a notebook is put
    beside the old one.
    """
    from nbproctor.authoring.workcopy import give_out

    with one_line_errors():
        for text in give_out():
            say(text, "yellow")
