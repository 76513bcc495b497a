"""What a unit's setup cell has packed: the program in its long line, and the modules that the program makes."""

from __future__ import annotations

import ast
import base64
import re
import zlib
from functools import lru_cache

from nbproctor.values.notebook import defined_names

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


@lru_cache(maxsize=64)
def names_of_checks(setup: str) -> frozenset[str]:
    """The names at the top of the unit's checks, which its hidden checks see; none where the setup cell packs none."""
    program = program_in(setup)
    if not program:
        return frozenset()
    (source,) = (text for name, (_, text) in sources_of(program).items() if name == UNIT)
    imports = (node for node in ast.parse(source).body if isinstance(node, ast.Import | ast.ImportFrom))
    imported = {(alias.asname or alias.name).split(".")[0] for node in imports for alias in node.names}
    return frozenset({*defined_names(source), *imported})


def sources_of(program: str) -> dict[str, tuple[str, str]]:
    """The modules of a packed program: name -> its file in the repository, its text."""
    call = ast.parse(program).body[-1]
    assert isinstance(call, ast.Expr) and isinstance(call.value, ast.Call)  # noqa: S101 `load(…)`, which pack has written
    found: dict[str, tuple[str, str]] = ast.literal_eval(call.value.args[0])
    return found
