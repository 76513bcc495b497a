"""Makes what stands beside unit 12: `examine.py`, which needs torch alone, and a notebook of five cells.

The notebook's cells are in `solutions/checking/examine/alone.ipynb`, with words in capitals for what is filled in here.
"""

import ast
from pathlib import Path

import nbformat

from nbproctor.authoring.pack import filled, packed
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


def notebook(repository: str, book: str, root: Path = ROOT) -> str:
    """The text of `examine.ipynb`, five cells that stand alone. book: the address of the page on the questions."""
    home = f"github.com/{repository}/blob/main/course/12_bring_your_own"
    places = {
        "COLAB": f"https://colab.research.google.com/{home.replace('.com', '', 1)}/examine.ipynb",
        "UNIT": f"https://{home}/12_bring_your_own.ipynb",
        "PAGE": book,
        "WHERE": home,
        "PACKED": packed(joined(root)),
    }
    made = nbformat.read(root / "solutions" / "checking" / "examine" / "alone.ipynb", as_version=4)
    for cell in made.cells:
        cell.source = filled(cell.source, places)
    return str(nbformat.writes(made, ensure_ascii=False)) + "\n"
