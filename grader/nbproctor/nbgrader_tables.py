"""What we take of nbgrader where a class is graded: its gradebook's tables and a few functions, not its applications.

nbgrader's `__init__.py` is for Jupyter's servers. It imports what `nbgrader` does on a command line and in a browser,
and all of nbconvert with it: a third of a second, which each `nbproctor grade` would wait. The gradebook needs none of
that. So the package stands there without its `__init__.py` having run, unless it has already: with its version, and
with every module that somebody imports from it, the applications too.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec, module_from_spec

if "nbgrader" not in sys.modules and (_spec := find_spec("nbgrader")):
    sys.modules["nbgrader"] = module_from_spec(_spec)

import nbgrader  # noqa: E402 the package has to be there first
from nbgrader import utils  # noqa: E402
from nbgrader._version import __version__  # noqa: E402
from nbgrader.api import (  # noqa: E402
    Assignment,
    Base,
    BaseCell,
    Comment,
    Grade,
    Gradebook,
    GradeCell,
    MissingEntry,
    SourceCell,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
    TaskCell,
    new_uuid,
)
from nbgrader.dbutil import ALEMBIC_DIR  # noqa: E402

nbgrader.__version__ = __version__

__all__ = [
    "ALEMBIC_DIR",
    "Assignment",
    "Base",
    "BaseCell",
    "Comment",
    "Grade",
    "GradeCell",
    "Gradebook",
    "MissingEntry",
    "SourceCell",
    "Student",
    "SubmittedAssignment",
    "SubmittedNotebook",
    "TaskCell",
    "new_uuid",
    "utils",
]
