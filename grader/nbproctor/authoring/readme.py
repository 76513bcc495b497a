"""Makes what in README.md follows from the notebooks: the number of exercises, the table of units, the badges."""

import re
from pathlib import Path

from nbproctor.course.units import Unit, load_unit, unit_names
from nbproctor.values.notebook import source_of


def book_page(repository: str, unit: str) -> str:
    """The address of a unit's page in the book, where GitHub Pages has it."""
    owner, name = repository.split("/")
    return f"https://{owner}.github.io/{name}/{unit}.html"


def table_of_units(root: Path, repository: str) -> str:
    """A Markdown table with a row per unit: its title, which leads to the book, its minutes, exercises, and Colab."""
    rows = ["| unit | minutes to read | to solve | exercises | |", "|---|---|---|---|---|"]
    for name in unit_names(root):
        unit = load_unit(name, root)
        colab = f"https://colab.research.google.com/github/{repository}/blob/main/course/{name}/{name}.ipynb"
        badge = f"[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]({colab})"
        title, reading, solving = _opening(unit)
        text = f"{name[:2]} [{title}]({book_page(repository, name)})"
        rows.append(f"| {text} | {reading} | {solving} | {len(unit.exercises)} | {badge} |")
    return "\n".join(rows)


def _opening(unit: Unit) -> tuple[str, str, str]:
    """The title, and the minutes of reading and of exercises that a unit's first cell gives; "" if it gives none."""
    text = source_of(unit.instructor["cells"][0])
    title = re.search(r"^# (.+)", text, re.M)
    minutes = re.search(r"(\d+) minutes of reading and (?:about )?(\d+) of exercises", text)
    reading, solving = minutes.groups() if minutes else ("", "")
    return title[1].strip() if title else unit.name, reading, solving


def status(repository: str) -> str:
    """The badge of the tests, where the book begins, and where anybody's own attention is examined."""
    where = f"https://github.com/{repository}/actions/workflows/test.yml"
    colab = f"https://colab.research.google.com/github/{repository}/blob/main/course/12_bring_your_own/examine.ipynb"
    book = f"**[Read the book]({book_page(repository, 'index')})**"
    return f"[![test]({where}/badge.svg)]({where}) {book} · **[Examine your own attention in Colab]({colab})**"


def with_parts(text: str, root: Path, repository: str) -> str:
    """README.md's text, with its number of exercises and the parts between `begin` and `end` comments made anew."""
    exercises = sum(len(load_unit(name, root).exercises) for name in unit_names(root))
    text = re.sub(r"\d+ exercises, each", f"{exercises} exercises, each", text)
    text = _between(text, "status", status(repository))
    return _between(text, "units", table_of_units(root, repository))


def _between(text: str, name: str, part: str) -> str:
    parts = rf"(<!-- begin {name}: [^\n]*-->\n).*?(<!-- end {name} -->)"
    return re.sub(parts, lambda found: f"{found[1]}{part}\n{found[2]}", text, flags=re.S)
