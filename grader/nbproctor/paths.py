"""Where the house stands: the one module that computes a path from its own file."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
IMPORTED_FROM = PACKAGE.parent  # the folder that has to be on Python's path
ROOT = PACKAGE.parents[1]  # the repository: course/, solutions/, grader/
