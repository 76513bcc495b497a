"""The code on the book's own pages runs, and prints what stands below it."""

import contextlib
import html
import io
import re
from pathlib import Path
from typing import Any

import pytest
import torch

from nbproctor.paths import ROOT

BLOCK = re.compile(r'```python\n(.*?)```(?:\n\n<pre class="output">(.*?)</pre>)?', re.S)
PAGES = [path for path in sorted((ROOT / "solutions" / "book").glob("*.md")) if "```python" in path.read_text("utf-8")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_block_of_code_prints_what_stands_below_it(page: Path) -> None:
    """The blocks of a page run one after the other, as a reader would paste them."""
    names: dict[str, Any] = {}
    with torch.random.fork_rng():
        for code, output in BLOCK.findall(page.read_text(encoding="utf-8")):
            with contextlib.redirect_stdout(io.StringIO()) as said:
                exec(compile(code, page.name, "exec"), names)  # noqa: S102 the page's own code
            assert said.getvalue().rstrip("\n") == html.unescape(output)
