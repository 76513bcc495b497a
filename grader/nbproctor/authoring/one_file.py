"""Makes what stands beside unit 12: `examine.py`, which needs torch alone, and a notebook of five cells."""

import ast
import base64
import zlib
from pathlib import Path

import nbformat

from nbproctor.paths import ROOT

PACKAGE = "checking.examine"


def joined(root: Path = ROOT) -> str:
    """The text of `examine.py`: the package's docstring, all imports, and the modules' code, each once, in order."""
    folder = root / "solutions" / "checking" / "examine"
    order = list[str]()
    _visit(folder, "__init__", order)
    head = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    imports, parts = set[str](), list[str]()
    for name in order:
        text = (folder / f"{name}.py").read_text(encoding="utf-8")
        lines = text.splitlines()
        for node in reversed(ast.parse(text).body):
            outside = isinstance(node, ast.Import | ast.ImportFrom)
            if outside or isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                if outside and not _inner(node):
                    imports.add(ast.unparse(node))
                del lines[node.lineno - 1 : node.end_lineno]
        parts.append("\n".join(lines).strip("\n"))
    first = "from __future__ import annotations"
    rest = sorted(imports - {first}, key=lambda line: ("torch" in line, line.startswith("from"), line))
    made_by = "Made by `make release` from solutions/checking/examine. It needs torch alone."
    use = head.replace(f"from {PACKAGE} import examine", "from examine import examine")
    return "\n\n\n".join([f'"""{use}\n\n{made_by}\n"""\n\n{first}\n\n' + "\n".join(rest), *parts]) + "\n"


def _inner(node: ast.stmt) -> str:
    """The module of the package that a line imports from; "" for an import from elsewhere."""
    return node.module or "" if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE) else ""


def _visit(folder: Path, name: str, order: list[str]) -> None:
    """Put a module behind those that it imports."""
    for node in ast.walk(ast.parse((folder / f"{name}.py").read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (inner := _inner(node)):
            names = [alias.name for alias in node.names] if inner == PACKAGE else [inner.rpartition(".")[2]]
            for other in names:
                if other not in order and other != name:
                    _visit(folder, other, order)
    if name not in order:
        order.append(name)


SETUP = """# @title Setup: run this cell first
# The long line holds examine.py, packed, which lies beside this notebook in
# {where}
packed = "{packed}"
import base64
import sys
import types
import zlib

import torch
import torch.nn.functional as F
from torch import nn

module = sys.modules["examine"] = types.ModuleType("examine")
exec(zlib.decompress(base64.b85decode(packed)), vars(module))
from examine import examine"""
YOURS = '''class YourAttention(nn.Module):
    """Paste your layer instead of this one: (batch, seq, d) -> the same."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads, self.scale = n_heads, d_model**0.5
        self.to_qkv = nn.Linear(d_model, 3 * d_model)
        self.out = nn.Linear(d_model, d_model)

    def forward(self, x):
        batch, seq, d = x.shape
        split = self.to_qkv(x).view(batch, seq, 3, self.n_heads, d // self.n_heads)
        query, key, value = split.permute(2, 0, 3, 1, 4)
        weights = (query @ key.mT / self.scale).softmax(-1)
        return self.out((weights @ value).transpose(1, 2).reshape(batch, seq, d))


yours = YourAttention(24, 4)'''
BEGIN = """# Examine your own attention

[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]({colab})

Your layer runs, the shapes fit, the loss falls. Is it right? Paste it into the cell below and run the notebook.
`examine` asks it 24 questions in a second or two, and answers each with the number that shows it. It takes
any PyTorch module or function from `(batch, seq, d)` to the same, or to a tuple that begins with it, and gives it back
as it was.

The layer that stands there now has a mistake, a common one. [Unit 12]({unit}) shows how such an examination works;
[a page of the book]({page}) explains each question."""
END = """If the layer needs more than x, say how it is called. What you know, you can say, too:

```python
examine(yours, call=lambda layer, x: layer(x, x, x))        # query, key, value
examine(yours, context=torch.randn(2, 7, 24))               # layer(x, context)
examine(yours, n_heads=4, causal=True, mask_true="attend")  # or "hidden"
```

A finding is told with its number, the likely cause and the line to look at. *Unclear* says what would settle it.
*Fine* means that this question found nothing: not that there is nothing to find."""


def notebook(repository: str, book: str, root: Path = ROOT) -> str:
    """The text of `examine.ipynb`, five cells that stand alone. book: the address of the page on the questions."""
    home = f"github.com/{repository}/blob/main/course/12_bring_your_own"
    text = zlib.compress(joined(root).encode(), 9)
    begin = BEGIN.format(
        colab=f"https://colab.research.google.com/{home.replace('.com', '', 1)}/examine.ipynb",
        unit=f"https://{home}/12_bring_your_own.ipynb",
        page=book,
    )
    setup = SETUP.format(where=home, packed=base64.b85encode(text).decode())
    cells = [
        nbformat.v4.new_markdown_cell(begin, id="begin"),
        nbformat.v4.new_code_cell(setup, id="setup", metadata={"cellView": "form", "jupyter": {"source_hidden": True}}),
        nbformat.v4.new_code_cell(YOURS, id="yours"),
        nbformat.v4.new_code_cell("examine(yours)", id="examine"),
        nbformat.v4.new_markdown_cell(END, id="end"),
    ]
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    made = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    return str(nbformat.writes(made, ensure_ascii=False)) + "\n"
