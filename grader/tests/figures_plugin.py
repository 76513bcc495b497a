"""A pytest plugin for nbval, which skips pictures: the stored and the fresh PNG of a cell must look the same."""

from __future__ import annotations

import base64
import io
from collections.abc import Generator, Sequence
from typing import Any

import numpy as np
import pytest
from PIL import Image

MEAN_DIFFERENCE_MOST = 1.0  # of 255: other versions of a font or of matplotlib move edges, not content


def pictures(outputs: Sequence[Any]) -> list[np.ndarray]:
    """The PNGs among a cell's outputs, as (height, width, 3) arrays."""
    stored = [output["data"]["image/png"] for output in outputs if "image/png" in output.get("data", {})]
    return [np.asarray(Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB"), dtype=float) for png in stored]


def difference(stored: Sequence[Any], fresh: Sequence[Any]) -> str:
    """What tells the figures of two lists of outputs apart, in one line; nothing where they look the same."""
    before, after = pictures(stored), pictures(fresh)
    if len(before) != len(after):
        return f"expected {len(before)} figures, got {len(after)}"
    for number, (one, other) in enumerate(zip(before, after, strict=True)):
        if one.shape != other.shape:
            return f"figure {number}: expected {one.shape[1]} × {one.shape[0]}, got {other.shape[1]} × {other.shape[0]}"
        mean = float(np.abs(one - other).mean())
        if not mean <= MEAN_DIFFERENCE_MOST:
            return f"figure {number}: the pixels differ by {mean:.2f} of 255 on average"
    return ""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: Any) -> Generator[None, None, None]:
    """After nbval has run a cell and compared its text, compare its figures."""
    yield
    if item.options["check"]:
        told = difference(item.cell.outputs, item.test_outputs)
        if told:
            item.raise_cell_error(f"Figures differ: {told}")
