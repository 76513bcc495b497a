"""Helpers that all pages share: templates and scripts, a unit's title, the words for a status, links between pages.

A page is one file. It loads nothing from elsewhere, runs no script but one of ours (`script`), and has a
Content-Security-Policy that forbids everything else. Every text filled into a template passes through `displayable`
and is escaped.
"""

import base64
import hashlib
import re
import statistics
from collections.abc import Iterable
from functools import cache
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup, escape

from nbproctor.paths import PACKAGE
from nbproctor.values.text import displayable, many

_CODE = re.compile(r"`([^`\n]+)`")
TEMPLATES = PACKAGE / "classroom" / "pages" / "templates"


@cache
def script(name: str) -> tuple[Markup, str]:
    """Return a script of ours, and the digest by which a page's policy allows it. No text is ever filled into it."""
    text = (TEMPLATES / name).read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return Markup(text), f"sha256-{digest}"  # noqa: S704 a file of ours, whole


def template(name: str) -> Template:
    return _environment().get_template(name)


@cache
def _environment() -> Environment:
    """Return the environment of all templates, so that the parts they share are compiled once."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        finalize=_filled_in,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "points": lambda value: f"{value:.4g}",
        "percent": lambda share: "–" if share is None else f"{100 * share:.0f} %",
        "signed": lambda value: "–" if value is None else f"{value:.2f}".replace("-", "−"),
        "median": lambda shares: statistics.median(shares) if shares else None,
        "mean": lambda shares: statistics.fmean(shares) if shares else None,
        "code": with_code,
        **{own.__name__: own for own in (breakable, many, sentence, tenths, unit_sign, unit_title)},
    }
    environment.globals["student_page"] = student_page
    return environment


def _filled_in(value: object) -> object:
    """Pass every text that a template fills in through `displayable`; markup, which is always ours, stays as it is."""
    return displayable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def tenths(shares: Iterable[float]) -> list[int]:
    """Return how many of the shares of all points lie in each tenth; more than all points count as all."""
    found = [0] * 10
    for share in shares:
        found[max(0, min(int(share * 10 + 1e-9), 9))] += 1
    return found


def breakable(name: str) -> Markup:
    """Return a name of code as HTML that lines may break after `_` and before a capital."""
    parts = re.split(r"(?<=_)|(?<=[a-z])(?=[A-Z])", name)
    return Markup("<wbr>").join(escape(part) for part in parts)


def with_code(text: str) -> Markup:
    """Return a text as HTML, with what stands in backticks set as code."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(displayable(text)))))  # noqa: S704 escaped, but for our own tags


def sentence(text: str) -> str:
    """Return a text with a capital at its beginning, unless that is a name of code, of a file, or of an exercise."""
    first = text.split(" ", 1)[0]
    return text[:1].upper() + text[1:] if first.isalpha() and first.isascii() else text


def student_page(student: str, unit: str, exercise: str = "") -> str:
    """Return the link from the class report to a student's page, or to one exercise on it."""
    place = f"../feedback/{quote(student, safe='', errors='replace')}/{quote(unit)}/{quote(unit)}.html"
    return f"{place}#{quote(exercise)}" if exercise else place


def unit_title(name: str) -> str:
    """Return the title of a unit: `03_self_attention` -> `3 · Self attention`."""
    number, _, words = name.partition("_")
    return f"{int(number)} · {words.replace('_', ' ').capitalize()}" if number.isdigit() and words else name


def unit_sign(name: str) -> str:
    """Return a short sign for a unit, where there is little room: `03_self_attention` -> `3`."""
    number = name.partition("_")[0]
    return str(int(number)) if number.isdigit() else name[:6]
