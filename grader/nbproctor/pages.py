"""What all pages share: the template, a unit's title, and the words for what came of an answer.

A page is one file: no scripts, nothing from elsewhere, a Content-Security-Policy that forbids both, everything that a
student wrote escaped.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from nbproctor.result import Status

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


@cache
def template(name: str) -> Template:
    loader = FileSystemLoader(Path(__file__).with_name("templates"))
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["points"] = lambda value: f"{value:.4g}"
    return environment.get_template(name)


def unit_title(name: str) -> str:
    """`03_self_attention` -> `3 · Self attention`."""
    number, _, words = name.partition("_")
    return f"{int(number)} · {words.replace('_', ' ').capitalize()}" if number.isdigit() and words else name
