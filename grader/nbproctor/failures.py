"""What a request to a student's process may end with besides an answer, as exceptions on the examiner's side."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import Any, Literal

from nbproctor import wire
from nbproctor.protocol import REFUSALS, Raised
from nbproctor.text import clean

MESSAGE_MOST = 2_000
NAME_MOST = 80


class StudentGone(BaseException):
    """The student's process is dead or no longer answers; `status` is "timeout" or "died". No check may catch it."""

    def __init__(self, status: Literal["timeout", "died"], message: str) -> None:
        super().__init__(message)
        self.status: Literal["timeout", "died"] = status


class StudentError(Exception):
    """An exception of the student's that is no builtin one."""


class NotDefined(NameError):
    """The student's process has no such name."""


class ArgumentChanged(BaseException):
    """The call changed a tensor that it was given. The check's own copy is as it was; no check may catch it."""


class ShortcutFound(BaseException):
    """The call used what the exercise forbids. No check may catch it."""


_CROSSING = {
    name: kind
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, Exception) and not issubclass(kind, (Warning, OSError, UnicodeError))
    and name not in ("ExceptionGroup", "StopIteration", "StopAsyncIteration")
}  # fmt: skip


def refusal_of(data: Any, not_with: tuple[str, ...]) -> BaseException:
    """The refusal that the student's process told of. It is shown to the student, and may carry no word of theirs."""
    how, name = data if isinstance(data, list) and len(data) == 2 else (None, None)
    if how == "indexed" and any(word.startswith("getitem:") for word in not_with):
        return ShortcutFound(REFUSALS[how])
    if how in ("used", "held") and name in not_with:
        return ShortcutFound(REFUSALS[how].format(name))
    return wire.WireError("a refusal that is none")


def failure_of(data: Any) -> BaseException:
    """The exception that the student's process told of: one of the same type if it is builtin. One of their own has its
    name, and is of the same builtin kind, or else a StudentError.

    What it said besides type and message stays with it, for `met_limit` and `unknown_name`.
    """
    try:
        raised = Raised.from_json(data)
    except ValueError:
        return wire.WireError("an error that is none")
    kind, message = raised.kind[:NAME_MOST], clean(raised.message, MESSAGE_MOST)
    if raised.unsendable:
        return wire.WireError(message)
    error = _made(kind, raised.base, message)
    error.nbproctor_raised = raised  # type: ignore[attr-defined]
    if raised.line is not None:
        error.add_note(f"in line {raised.line} of your cell")
    return error


def _made(kind: str, base: str, message: str) -> Exception:
    """An exception of this name, or else of its builtin kind."""
    if kind in _CROSSING:
        return _CROSSING[kind](message)
    named = "".join(c for c in kind if c.isprintable()) or "Error"
    if base in _CROSSING and base != "Exception":
        own: type[Exception] = type(named, (_CROSSING[base],), {})
        return own(message)
    own = type(named, (StudentError,), {})
    return own(f"{kind}: {message}" if message else kind)


def met_limit(error: BaseException) -> bool:
    """Whether the exception, the student's or one on this side, says that a limit was met."""
    if isinstance(error, (wire.WireError, MemoryError, RecursionError)):
        return True
    if told := list(_raised(error)):
        return any(raised.met_limit for raised in told)
    return isinstance(error, RuntimeError) and "can't allocate memory" in str(error)  # torch has no type for it


def unknown_name(error: BaseException) -> str:
    """The name that the student's code did not find, where that is why the exception came; else ""."""
    return next((raised.unknown_name[:NAME_MOST] for raised in _raised(error) if raised.unknown_name), "")


def met_two_widths(error: BaseException) -> bool:
    """Whether torch refused to take float32 and float64 together, over there or on this side: it calls them Float and
    Double, or float and double. No other kind of exception says so: where a student raises a ValueError, that may be
    what the check asks for.
    """
    words = [str(one).lower() for one in _behind(error) if type(one) is RuntimeError]
    return any("float" in text and "double" in text for text in words)


def _raised(error: BaseException) -> Iterator[Raised]:
    """What was told of it and of what it was raised from."""
    for one in _behind(error):
        if isinstance(raised := getattr(one, "nbproctor_raised", None), Raised):
            yield raised


def _behind(error: BaseException | None) -> Iterator[BaseException]:
    """It, and what it was raised from: a check may have wrapped it in words of its own."""
    for _ in range(10):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__
