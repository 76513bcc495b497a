"""The one kind of error that whoever runs a command can do something about."""


class UserError(Exception):
    """The message is one line: expected, got, where, and what to do. A command prints it and ends with exit code 2."""
