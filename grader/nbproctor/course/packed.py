"""What a unit's setup cell has packed: the program in its long line, and the modules that the program makes."""

from __future__ import annotations

import ast
import base64
import re
import zlib

_LINE = re.compile(r'^packed = "(.*)"$', re.M)
UNIT = "checking.unit"  # the module of the unit's own checks


def packed(program: str) -> str:
    """A program as one line of text."""
    return base64.b85encode(zlib.compress(program.encode(), 9)).decode()


def line_in(setup: str) -> str:
    """The packed line of a setup cell; "" where it has none."""
    found = _LINE.search(setup)
    return found[1] if found else ""


def program_in(setup: str) -> str:
    """The program that a setup cell has packed; "" where it has packed none, or none that can be read."""
    try:
        return zlib.decompress(base64.b85decode(line_in(setup))).decode()
    except (ValueError, zlib.error):
        return ""


def sources_of(program: str) -> dict[str, tuple[str, str]]:
    """The modules of a packed program: name -> its file in the repository, its text."""
    call = ast.parse(program).body[-1]
    assert isinstance(call, ast.Expr) and isinstance(call.value, ast.Call)  # noqa: S101 `load(…)`, which pack has written
    found: dict[str, tuple[str, str]] = ast.literal_eval(call.value.args[0])
    return found
