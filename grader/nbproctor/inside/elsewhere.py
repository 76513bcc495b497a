"""Runs a module of this package in another Python, which is to see this package, and not what is installed beside it.

Run as `PYTHON …/inside/elsewhere.py MODULE WORDS…`. With `about` in place of a module it finds out whether that Python
can run `inside.notebook`, and prints as JSON where its programs and libraries lie.
"""

from __future__ import annotations

import importlib.util
import json
import runpy
import sys
from pathlib import Path

package = Path(__file__).resolve().parents[1]
sys.path.pop(0)  # the folder of this file
spec = importlib.util.spec_from_file_location(
    "nbproctor", package / "__init__.py", submodule_search_locations=[str(package)]
)
assert spec is not None, "our own package is there"  # noqa: S101
sys.modules["nbproctor"] = importlib.util.module_from_spec(spec)

if sys.argv[1] == "about":
    importlib.import_module("nbproctor.inside.notebook")
    print(json.dumps([[sys.prefix, sys.base_prefix], sys.path]))
else:
    runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)
