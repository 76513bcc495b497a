"""A pytest plugin for nbval: pictures must look the same, and the numbers of a live picture agree within a tolerance.

nbval skips PNGs and compares everything else letter by letter. A live picture, such as an attention view, is HTML with
a few hundred weights in it, whose last digits may differ from one processor to the next.
"""

import base64
import io
import re
from collections.abc import Generator, Sequence
from typing import Any

import numpy as np
import pytest
from PIL import Image

import nbproctor  # noqa: F401 before nbval imports nbformat, which is quicker then

MEAN_DIFFERENCE_MOST = 1.0  # of 255; another version of a font or of matplotlib moves edges a little
WEIGHT_DIFFERENCE_MOST = 0.011  # one step in the second decimal, the last that a view shows
NUMBER = re.compile(r"\d+\.\d+")


def parts(outputs: Sequence[Any], kind: str) -> list[str]:
    """The contents of one MIME type in a cell's outputs."""
    found = [output["data"][kind] for output in outputs if kind in output.get("data", {})]
    return [text if isinstance(text, str) else "".join(text) for text in found]


def pictures(outputs: Sequence[Any]) -> list[np.ndarray]:
    """The PNGs among a cell's outputs, as (height, width, 3) arrays."""
    stored = parts(outputs, "image/png")
    return [np.asarray(Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB"), dtype=float) for png in stored]


def difference(stored: Sequence[Any], fresh: Sequence[Any]) -> str:
    """How the figures in two lists of outputs differ, in one line, or "" where they look the same."""
    before, after = pictures(stored), pictures(fresh)
    if len(before) != len(after):
        return f"expected {len(before)} figures, got {len(after)}"
    for number, (one, other) in enumerate(zip(before, after, strict=True)):
        if one.shape != other.shape:
            return f"figure {number}: expected {one.shape[1]} × {one.shape[0]}, got {other.shape[1]} × {other.shape[0]}"
        mean = float(np.abs(one - other).mean())
        if not mean <= MEAN_DIFFERENCE_MOST:
            return f"figure {number}: the pixels differ by {mean:.2f} of 255 on average"
    return difference_of_views(parts(stored, "text/html"), parts(fresh, "text/html"))


def difference_of_views(stored: list[str], fresh: list[str]) -> str:
    """How two lists of live pictures differ, in one line, or "" where they agree.

    They agree where their text without numbers is the same, and each number is within the tolerance.
    """
    if [NUMBER.sub("#", html) for html in stored] != [NUMBER.sub("#", html) for html in fresh]:
        return "the live picture has another text than the stored one"
    for html, other in zip(stored, fresh, strict=True):
        for one, two in zip(NUMBER.findall(html), NUMBER.findall(other), strict=True):
            if abs(float(one) - float(two)) > WEIGHT_DIFFERENCE_MOST:
                return f"the live picture holds {two}, expected {one}"
    return ""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: Any) -> Generator[None, None, None]:
    """Once nbval has run a cell and compared its text, compare its figures."""
    if "text/html" not in item.parent.skip_compare:
        item.parent.skip_compare += ("text/html",)
    yield
    if item.options["check"]:
        told = difference(item.cell.outputs, item.test_outputs)
        if told:
            item.raise_cell_error(f"Figures differ: {told}")
