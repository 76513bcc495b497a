"""Notes what the functions of one cell return to other cells, and which of their lines ran.

Two runs are compared by the digests of the values, in which numbers count to five digits.
"""

import hashlib
import math
import re
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

CALLS_MOST = 500
PARTS_MOST = 20_000  # numbers and the like of one value
DEPTH_MOST = 6
WORDS = 80
NOTHING = 1e-9


class Watch:
    """Traces the functions that a file defines, as far as others call them."""

    def __init__(self, filename: str) -> None:
        self._filename = filename
        self._raised: dict[int, str] = {}
        self.values: list[tuple[str, str, str]] = []
        self.lines: set[int] = set()

    def begin(self) -> None:
        sys.settrace(self._call)

    def end(self) -> None:
        sys.settrace(None)

    def note(self, name: str, value: Any) -> None:
        """Note a value under a name."""
        if len(self.values) < CALLS_MOST:
            self.values.append((name, digest(value), words(value)))

    def _call(self, frame: FrameType, event: str, arg: Any) -> Any:
        return self._inside if frame.f_code.co_filename == self._filename else None

    def _inside(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event == "line":
            self.lines.add(frame.f_lineno)
            self._raised.pop(id(frame), None)
        elif event == "exception":
            self._raised[id(frame)] = arg[0].__name__
        elif event == "return":
            raised = self._raised.pop(id(frame), None)
            caller = frame.f_back
            if caller is None or caller.f_code.co_filename != self._filename:
                self._returned(frame, raised, arg)
        return self._inside

    def _returned(self, frame: FrameType, raised: str | None, value: Any) -> None:
        name = frame.f_code.co_qualname
        name = name.rpartition("<locals>.")[2]
        if len(self.values) >= CALLS_MOST:
            return
        given = frame.f_code.co_varnames[: frame.f_code.co_argcount]
        local = frame.f_locals
        if raised is not None:
            self.values.append((name, raised, f"raised {raised}"))
        elif value is None:  # it may have changed what it was given
            changed = [local[one] for one in given if one in local]
            self.values.append((name, digest(changed), "None"))
        elif given[:1] == ("self",):
            self.values.append((name, digest([value, local.get("self")]), words(value)))
        else:
            self.note(name, value)


def digest(value: Any) -> str:
    """A digest of a value, which two runs have in common where the value is the same but for rounding."""
    parts: list[str] = []
    for part in _parts(value, 0):
        parts.append(part)
        if len(parts) > PARTS_MOST:
            break
    return hashlib.sha256("\0".join(parts).encode(errors="replace")).hexdigest()[:16]


def words(value: Any) -> str:
    """A value in short, on one line."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # noqa: BLE001 the student's own __repr__ may raise anything
        text = f"a {type(value).__name__}"
    return text if len(text) <= WORDS else f"{text[: WORDS - 1]}…"


def _parts(value: Any, depth: int) -> Iterator[str]:
    try:
        if depth > DEPTH_MOST:
            yield type(value).__name__
        elif isinstance(value, float):
            yield _number(value)
        elif isinstance(value, (bool, int, str, bytes, type(None))):
            yield repr(value) if isinstance(value, (bool, str, bytes)) else str(value)
        elif isinstance(value, complex):
            yield f"{_number(value.real)} {_number(value.imag)}"
        else:
            yield from _inner(value, depth + 1)
    except Exception:  # noqa: BLE001 a student's class may raise anything wherever it is asked
        yield type(value).__name__


def _number(value: float) -> str:
    """Five digits; what rounding may have left in the place of 0 is 0."""
    if not math.isfinite(value):
        return str(value)
    return "0" if abs(value) < NOTHING else f"{value:.5g}"


def _inner(value: Any, depth: int) -> Iterator[str]:
    kind = type(value)
    yield kind.__name__
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _parts(key, depth)
            yield from _parts(one, depth)
    elif isinstance(value, (set, frozenset)):
        yield from sorted(part for one in value for part in _parts(one, depth))
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _parts(one, depth)
    elif hasattr(value, "to_numpy"):  # a table, or a column
        yield from _parts([list(getattr(value, "columns", ())), list(getattr(value, "index", ()))], depth)
        yield from _parts(value.to_numpy().tolist(), depth)
    elif hasattr(value, "tolist"):  # an array
        yield str(getattr(value, "shape", ""))
        yield from _parts((value.detach() if hasattr(value, "detach") else value).tolist(), depth)
    elif isinstance(value, type) or callable(value):
        yield str(getattr(value, "__name__", ""))
    elif hasattr(value, "__dict__"):
        yield from _parts(vars(value), depth)
    else:
        yield re.sub(r"0x[0-9a-f]+", "", repr(value))
