"""Which kernel a notebook asks for, and whether it is the Python that the grader runs in."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel


def refused(notebooks: Mapping[str, Any], wanted: str = "") -> str:
    """Why the notebooks of an assignment cannot be graded here; "" where they can.

    notebooks: each one's kernelspec. wanted: the kernel that the configuration names for all (`Execute.kernel_name`).
    """
    for notebook, kernel in notebooks.items():
        if why := _refused(wanted or (kernel or {}).get("name", "python3")):
            return f"{notebook}.ipynb: {why}"
    return ""


def _refused(name: str) -> str:
    if name == "python":  # Jupyter takes it for python3
        name = "python3"
    try:
        spec = KernelSpecManager().get_kernel_spec(name)
    except NoSuchKernel:
        return f"kernel {name} is not installed here; install it, or name one of `jupyter kernelspec list` in source/"
    if spec.language.lower() != "python":
        return f"kernel {name}: graded by stock nbgrader only; nbproctor runs Python notebooks"
    python = spec.argv[0]
    if os.path.isabs(python) and not os.path.samefile(python, sys.executable):
        return f"kernel {name} is another Python, {python}: install nbproctor there, and grade from there"
    return ""
