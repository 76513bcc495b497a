"""The exceptions that a request to a student's process may raise on the examiner's side."""

import builtins
from collections.abc import Iterator
from typing import Literal

from nbproctor.border import wire
from nbproctor.border.messages import Raised
from nbproctor.values.result import Note
from nbproctor.values.text import clean, line

KILLED = Note(
    "trouble", line("one of its processes was killed from outside, as happens where memory runs out; grade it again")
)
MESSAGE_MOST = 2_000
NAME_MOST = 80


class StudentGone(BaseException):
    """The student's process is dead or no longer answers; `status` is "timeout" or "died".

    is_stale: whether it has sent a second answer to what an earlier check had asked.

    This is a BaseException, so that no check catches it.
    """

    def __init__(self, status: Literal["timeout", "died"], message: str, is_stale: bool = False) -> None:
        super().__init__(message)
        self.is_stale = is_stale
        self.status: Literal["timeout", "died"] = status


class StudentError(Exception):
    """An exception of a type that the student's code has defined, and that has no builtin type as its base."""


class NotDefined(NameError):
    """The student's process has no such name."""


class ArgumentChanged(BaseException):
    """The call changed one of its arguments in place.

    The check's own copy of the argument is unchanged. This is a BaseException, so that no check catches it.
    """


_CROSSING = {
    name: kind
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, Exception) and not issubclass(kind, (Warning, OSError, UnicodeError))
    and name not in ("ExceptionGroup", "StopIteration", "StopAsyncIteration")
}  # fmt: skip


def failure_of(raised: Raised) -> BaseException:
    """Return the exception that the student's process has reported.

    A builtin exception keeps its type. A type that the student defined becomes a new type with the same name, which
    derives from the same builtin type, or else from StudentError. Where the student's result could not be sent, a
    WireError is returned.

    The whole report is attached to the exception, for `met_limit` and `unknown_name`.
    """
    kind, message = raised.kind[:NAME_MOST], clean(raised.message, MESSAGE_MOST)
    if raised.unsendable:
        return wire.WireError(message)
    error = _made(kind, raised.base, message)
    error.nbproctor_raised = raised  # type: ignore[attr-defined]
    if raised.line is not None:
        error.add_note(f"in line {raised.line} of your cell")
    return error


def _made(kind: str, base: str, message: str) -> Exception:
    """Return an exception of the builtin type `kind`, or of a new type with that name that derives from `base`."""
    if kind in _CROSSING:
        return _CROSSING[kind](message)
    named = "".join(c for c in kind if c.isprintable()) or "Error"
    if base in _CROSSING and base != "Exception":
        own: type[Exception] = type(named, (_CROSSING[base],), {"__module__": "__main__"})
        return own(message)
    own = type(named, (StudentError,), {"__module__": "__main__"})
    return own(f"{kind}: {message}" if message else kind)


def met_limit(error: BaseException) -> bool:
    """Whether the exception, raised by the student's code or on this side, says that a limit was met."""
    if isinstance(error, (wire.WireError, MemoryError, RecursionError)):
        return True
    if told := list(raised_behind(error)):
        return any(raised.met_limit for raised in told)
    # torch has no exception type of its own for this.
    return isinstance(error, RuntimeError) and "can't allocate memory" in str(error)


def unknown_name(error: BaseException) -> str:
    """Return the name that the student's code did not find, if that caused the exception; else ""."""
    return next((raised.unknown_name[:NAME_MOST] for raised in raised_behind(error) if raised.unknown_name), "")


def met_two_widths(error: BaseException) -> bool:
    """Whether torch refused to combine float32 and float64, in the student's process or on this side.

    Its messages call them Float and Double, or float and double. Only a RuntimeError counts: where the student raises a
    ValueError, that may be what the check asks for.
    """
    words = [str(one).lower() for one in _behind(error) if type(one) is RuntimeError]
    return any("float" in text and "double" in text for text in words)


def raised_behind(error: BaseException) -> Iterator[Raised]:
    """Yield the reports of the student's process on this exception and on those that it was raised from."""
    for one in _behind(error):
        if isinstance(raised := getattr(one, "nbproctor_raised", None), Raised):
            yield raised


def _behind(error: BaseException | None) -> Iterator[BaseException]:
    """Yield the exception and those that it was raised from, since a check may have wrapped it in one of its own."""
    for _ in range(10):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__
