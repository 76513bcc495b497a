"""How Sphinx makes the website from the pages that make.py has written."""

from __future__ import annotations

import re
import shutil
from html import unescape
from importlib.util import find_spec
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
MADE = HERE / "_build" / "pages" / "_static"

project = html_title = "Attention from Scratch"
author = "the authors of Attention from Scratch"
language = "en"
extensions = ["myst_parser", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 4
highlight_language = "none"  # code says its language; what does not is a listing or pseudocode
html_theme = "furo"
html_static_path = ["_static", str(MADE)]
html_css_files = [*sorted(path.name for path in MADE.glob("view-*.css")), "book.css"]
html_js_files = [
    (script, {"defer": "defer"})
    for script in (*sorted(path.name for path in MADE.glob("view-*.js")), "bank.js", "book.js")
]
html_favicon = "_static/favicon.svg"
html_use_index = html_copy_source = html_show_sourcelink = html_show_sphinx = html_show_copyright = False
pygments_style, pygments_dark_style = "a11y-high-contrast-light", "a11y-high-contrast-dark"
html_theme_options = {
    "navigation_with_keys": False,  # the arrow keys belong to the live views
    "top_of_page_buttons": [],
    "light_css_variables": {
        "color-brand-primary": "#1a5fb4",
        "color-brand-content": "#1a5fb4",
        "button": "#1a5fb4",
        "turn": "#d55e00",
        "off": "#b04a00",
        "lit": "rgb(30, 110, 200)",
        "on-lit": "#fff",
        "code": "#f4f5f7",
        "edge": "rgb(0 0 0 / 18%)",
        "strength": "1",
        "river": "#1e6ec8",
        "money": "#d98200",
    },
    "dark_css_variables": {
        "color-brand-primary": "#7fb2ff",
        "color-brand-content": "#7fb2ff",
        "button": "#1a5fb4",
        "turn": "#ff9a4d",
        "off": "#ff9a4d",
        "lit": "rgb(86, 160, 255)",
        "on-lit": "#000",
        "code": "#222327",
        "edge": "rgb(255 255 255 / 24%)",
        "strength": "0.65",
        "river": "#56a0ff",
        "money": "#ffb04d",
    },
}
mathjax_path = "mathjax/tex-chtml.js"
mathjax3_config = {"options": {"enableMenu": False}}  # the menu would load more files
MATHJAX = "sphinx-mathjax-offline"  # the package whose copy of MathJax the book takes


def add_mathjax(app: Any, _error: object) -> None:
    """Puts MathJax and its fonts beside the pages: the 1.6 MB of the package's 24 that are used."""
    spec = find_spec(MATHJAX)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(MATHJAX)
    source, target = Path(spec.origin).parent / "static" / "mathjax", Path(app.outdir) / "_static" / "mathjax"
    shutil.copytree(source / "output/chtml/fonts", target / "output/chtml/fonts", dirs_exist_ok=True)
    shutil.copy(source / "tex-chtml.js", target)


NAMED = {  # what the theme leaves unsaid to a screen reader
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="The book">',
    '<aside class="toc-drawer': '<aside aria-label="This page" class="toc-drawer',
    'class="caption" role="heading"': 'class="caption" role="heading" aria-level="2"',
    '<th class="head"><p></p></th>': "<td></td>",  # the corner of a table whose rows have names
    '<div id="search-results">': '<h1>Search</h1><div id="search-results">',
}


CODE_IN_TABLE = re.compile(r'(?<=<span class="pre">)[^<]+(?=</span>(?:(?!<td>|</table>).)*</td>)', re.S)


INLINE_CODE = re.compile(r'<code class="docutils literal notranslate">.*?</code>', re.S)


def whole(code: re.Match[str]) -> str:
    """Short code stays on one line, and so does an option such as `--roster`."""
    short = len(unescape(re.sub("<[^>]+>", "", code[0]))) <= 14
    text = re.sub('class="pre">(?=--)', 'class="pre whole">', code[0])
    return text.replace("literal", "literal whole", 1) if short else text


def breaking(code: re.Match[str]) -> str:
    """A name that is wide for a phone may go on in the next line after `_`, `.` and `(`."""
    return re.sub(r"(?<=\w)[_.(](?=\w)", r"\g<0><wbr>", code[0]) if len(code[0]) > 16 else code[0]


def finish_pages(app: Any, _error: object) -> None:
    """Names what a screen reader would not know, lets code break where it may, and removes the theme's source maps."""
    for page in Path(app.outdir).glob("*.html"):
        text = page.read_text(encoding="utf-8")
        for before, after in NAMED.items():
            text = text.replace(before, after)
        text = CODE_IN_TABLE.sub(breaking, INLINE_CODE.sub(whole, text))
        page.write_text(text, encoding="utf-8")
    for unused in Path(app.outdir).rglob("*.map"):
        unused.unlink()


def setup(app: Any) -> None:
    app.connect("build-finished", add_mathjax)
    app.connect("build-finished", finish_pages)
