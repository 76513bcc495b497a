"""Grades nbgrader notebooks honestly: the student's code runs in one process, the verdict is computed in another."""

__version__ = "0.1.0"

import sys

# nbgrader imports jsonschema, which would build a grammar of web addresses: that takes two seconds, for nothing here.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
