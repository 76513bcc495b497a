"""What all pages share: the template, a unit's title, the words for what came of an answer, and where a page lies.

A page is one file: nothing from elsewhere, no script but one of ours (`Script`), a Content-Security-Policy that forbids
all else. Every text that a template is filled with is `shown` text, and escaped.
"""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup, escape

from nbproctor.result import Status
from nbproctor.text import shown

TEMPLATES = Path(__file__).with_name("templates")

WORDS: dict[Status, str] = {  # of a status, as a student reads it
    "passed": "passed",
    "failed": "not right yet",
    "error": "stopped with an error",
    "not implemented": "not written yet",
    "timeout": "took too long",
    "died": "the process ended",
    "missing": "no answer found",
    "refused": "not accepted",
}


@dataclass(frozen=True)
class Script:
    """A script of ours that a page may run: its text, and what the page's policy calls it by."""

    text: Markup
    digest: str


@cache
def script(name: str) -> Script:
    """A script among the templates; nothing of a page is ever filled into it."""
    text = (TEMPLATES / name).read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return Script(Markup(text), f"sha256-{digest}")  # noqa: S704 a file of ours, whole


def template(name: str) -> Template:
    return _environment().get_template(name)


@cache
def _environment() -> Environment:
    """One for all templates: what they have in common is compiled once."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        finalize=_filled_in,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["points"] = lambda value: f"{value:.4g}"
    environment.filters["percent"] = lambda share: "–" if share is None else f"{100 * share:.0f} %"
    environment.filters["signed"] = lambda value: "–" if value is None else f"{value:.2f}".replace("-", "−")
    environment.filters["breakable"] = breakable
    environment.filters["unit_title"] = unit_title
    environment.filters["unit_sign"] = unit_sign
    environment.globals["student_page"] = student_page
    return environment


def _filled_in(value: object) -> object:
    """What a template fills in: any text of it is `shown`, wherever it came from; markup is ours."""
    return shown(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def breakable(name: str) -> Markup:
    """A name of code that may be broken where it has a joint: after `_`, and before a capital."""
    parts = re.split(r"(?<=_)|(?<=[a-z])(?=[A-Z])", name)
    return Markup("<wbr>").join(escape(part) for part in parts)


def student_page(student: str, unit: str, exercise: str = "") -> str:
    """The way from the class report to a student's page, or to one exercise on it."""
    place = f"../feedback/{quote(student, safe='', errors='replace')}/{quote(unit)}/{quote(unit)}.html"
    return f"{place}#{quote(exercise)}" if exercise else place


def unit_title(name: str) -> str:
    """`03_self_attention` -> `3 · Self attention`."""
    number, _, words = name.partition("_")
    return f"{int(number)} · {words.replace('_', ' ').capitalize()}" if number.isdigit() and words else name


def unit_sign(name: str) -> str:
    """What stands for a unit where there is little room: `03_self_attention` -> `3`."""
    number = name.partition("_")[0]
    return str(int(number)) if number.isdigit() else name[:6]
