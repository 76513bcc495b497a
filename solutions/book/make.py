"""Makes the book, the course as a website, from the notebooks of `solutions/`; nothing is run and nothing is fetched.

    PYTHONPATH=.book python solutions/book/make.py    # what `make book` does, with what grader/tests/book.lock names

First each notebook becomes a page of Markdown in `_build/pages`: its text, code, pictures and live views. Setup, checks
and whatever is about handing in stay out. Then Sphinx makes the website in `_build/site`.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tomllib
from base64 import b64decode
from collections.abc import Iterator
from functools import cache
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PAGES, SITE = HERE / "_build" / "pages", HERE / "_build" / "site"
FITS_A_PHONE_PX = 570  # shrunk to a phone's 360 from no more than this, the labels of a picture can still be read
STATIC = PAGES / "_static"  # pictures, and the scripts and styles of the live views; conf.py adds our own _static
SETTINGS = tomllib.loads((ROOT / "grader" / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["nbproctor"]
GITHUB = f"https://github.com/{SETTINGS['repository']}"
COLAB = f"https://colab.research.google.com/github/{SETTINGS['repository']}/blob/main/course"

DOCUMENTS = {  # those for instructors, which lie elsewhere: path -> page
    ".github/TEACHING.md": "teaching",
    "grader/README.md": "grader",
    "grader/docs/class.md": "grading_a_class",
    "grader/docs/systems.md": "learning_systems",
    "grader/docs/any_course.md": "any_nbgrader_course",
    "grader/docs/probe.md": "are_your_tests_good",
    "grader/docs/checks.md": "what_a_check_sees",
    "grader/docs/inside.md": "inside_the_grader",
}

NOT_HERE = re.compile(  # what a notebook says about checks, handing in and itself, and a page should not say
    "|".join(
        (
            r"<details><summary>The house rules.*?</details>\n*",
            r" An exercise is a cell to write in and a check to run,[^\n]*",
            r"(?:\*\*)?(?:To hand in|Hand in|Save)[:,](?:\*\*)? [^\n]*? own name(?:, `\w+\.ipynb`)?\. ?",
            r" The answers are compared with [^.\n]*? after you hand in\.",
            r"(?:^| )The check (?:only looks|looks only|looks) at the form(?: only)?[;.]"
            r"(?: (?:[Tt]he|A) (?:next cell|cell (?:after|below) it)[^.\n]*\.)?",
            r" The check notices where one runs\.",
            r"(?<=`): the check notices when they run(?=\.)",
            r" \(\[the house rules\]\([^)]*\)\)",
            r" \(In Jupyter or Colab you can point at a word on the left to read its row\.\)",
            r" \(If the line above says that some parts are ours: [^)]*\)",
            r" \(The last part on the list comes [^)]*\)",
        )
    ),
    re.M | re.S,
)
PARTS = re.compile(r"^check\.parts\(\)[^\n]*\n?|^(?:Ours|Yours|Not there yet): .*", re.M | re.S)
SOLUTION = re.compile(r"^( *)### BEGIN SOLUTION\n(.*?)^ *### END SOLUTION\n?", re.M | re.S)
VIEW_CODE = re.compile(r"<(style|script)>(.*?)</\1>", re.S)
TITLE = re.compile(r"# @title (.*)\n")
NOT_A_TITLE = re.compile("^Picture: |: run this cell.*")  # nobody runs a cell of the book
IN_COLUMNS = re.compile(r"\S {2,}\S|^ *\w*\(?\[", re.M)  # lines that would lose their meaning if they wrapped
MATH_END = re.compile(r"```.*?```|`[^`\n]*`|(?<=[^\s$]\$)(?=[.,;:)’])", re.S)  # code comes first, and stays as it is
NO_BREAK, WORD_JOINER = "\u00a0", "\u2060"


def text_of(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def picture(data: str, alt: str) -> str:
    """An <img> of a picture in base64, stored once however often it is shown. On a phone a wide one scrolls."""
    content = b64decode(data)
    name = f"{hashlib.sha256(content).hexdigest()[:12]}.png"
    (STATIC / name).write_bytes(content)
    width, height = (int.from_bytes(content[at : at + 4], "big") for at in (16, 20))  # of the PNG's header
    image = f'<img src="_static/{name}" alt="{escape(alt)}" width="{width}" height="{height}">'
    return f'<span class="wide" style="--width: {width}px">{image}</span>' if width > FITS_A_PHONE_PX else image


def live(html: str, alt: str) -> str:
    """A view without its code, which is stored once, under a name made of its content."""
    for kind, text in VIEW_CODE.findall(html):
        name = f"view-{hashlib.sha256(text.encode()).hexdigest()[:8]}.{'js' if kind == 'script' else 'css'}"
        (STATIC / name).write_text(text, encoding="utf-8")
    html = re.sub(r"\n\s*\n", "\n", VIEW_CODE.sub("", html))  # an empty line would end it
    return re.sub(r"^<div ", f'<div role="group" aria-label="{escape(alt)}" ', html)


def outputs(cell: dict[str, Any]) -> Iterator[str]:
    """What a cell has shown: live views, pictures, and what it printed, in one block however often it was sent."""
    alt = cell["metadata"].get("alt", "")
    for printed, group in groupby(cell.get("outputs", []), lambda output: "text" in output):
        if printed:
            yield printed_text("".join("".join(output["text"]) for output in group))
            continue
        for data in (output["data"] for output in group):
            if "text/html" in data:
                yield live("".join(data["text/html"]), alt)
            elif "image/png" in data:
                yield picture("".join(data["image/png"]), alt)
            else:
                yield printed_text("".join(data["text/plain"]))


def printed_text(text: str) -> str:
    said = PARTS.sub("", text).rstrip("\n")
    return f'<pre class="output">{escape(said)}</pre>'


def small_curve(points: list[list[float]], most: tuple[float, float, float, float]) -> str:
    """A curve as a picture of 90 by 50. most: the smallest and largest x, then y, of all runs."""
    left, right, low, high = most
    across, up = 86 / ((right - left) or 1), 46 / ((high - low) or 1)
    line = " ".join(f"{2 + across * (x - left):.1f},{48 - up * (y - low):.1f}" for x, y in points)
    return f'<svg viewBox="0 0 90 50" aria-hidden="true"><polyline points="{line}"/></svg>'


def all_runs(unit: str, figure: str) -> str:
    """All runs of a trained figure, small, behind one button; "" where it has no table of runs."""
    path = ROOT / "solutions" / unit / "seeds.json"
    table = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    found = []
    for one in (one for one in table.values() if one["figure"] == figure):
        curves = [run["curve"] for run in one["runs"] if "curve" in run]
        xs, ys = ([point[axis] for points in curves for point in points] for axis in (0, 1))
        most = (min(xs), max(xs), min(ys), max(ys)) if curves else (0, 1, 0, 1)
        for seed, run in enumerate(one["runs"]):
            numbers = {name.replace("_", " "): value for name, value in run.items() if isinstance(value, int | float)}
            said = ", ".join(f"{name}: {number:.3g}" for name, number in numbers.items())
            drawn = small_curve(run["curve"], most) if "curve" in run else ""
            found.append(f"<figure>{drawn}<figcaption><b>seed {seed}</b> {escape(said)}</figcaption></figure>")
    inside = f'<div class="runs">{"".join(found)}</div>'
    return "\n\n" + fold(f"All {len(found)} runs", inside, "seeds") if found else ""


def fold(summary: str, inside: str, kind: str) -> str:
    return f'<details class="{kind}"><summary>{escape(summary)}</summary>\n\n{inside}\n\n</details>'


def fitting(text: str) -> str:
    """A page's text, so that it breaks well on a phone.

    Formulas side by side may stand one below the other, output without columns wraps, no line begins with the comma
    after a formula, and the minutes of an exercise stay with their number.
    """

    def apart(found: re.Match[str]) -> str:
        parts = [f"$${part.strip()}$$" for part in found[1].split(r"\qquad")]
        return "\n\n".join(['<div class="formulas">', *parts, "</div>"]) if len(parts) > 1 else found[0]

    text = re.sub(r"^\$\$(.+?)\$\$$", apart, text, flags=re.M | re.S)
    text = re.sub(
        r'<pre class="output">(.*?)</pre>',
        lambda found: found[0] if IN_COLUMNS.search(found[1]) else found[0].replace("output", "output words", 1),
        text,
        flags=re.S,
    )
    text = MATH_END.sub(lambda found: found[0] or WORD_JOINER, text)
    return re.sub(r"^(#.*?) +· +(\d+) minutes", rf"\1 ·{NO_BREAK}\2{NO_BREAK}minutes", text, flags=re.M)


def python(text: str) -> str:
    text = re.sub(r" +# (?:@param|fmt:) .*", "", text.rstrip("\n"))
    return f"```python\n{text}\n```"


def exercise(text: str) -> str:
    """The stub of an exercise and, where the settings say so, one solution behind a fold."""
    stub, solved = python(SOLUTION.sub(r"\1# YOUR CODE HERE\n", text)), python(SOLUTION.sub(r"\2", text))
    turn = f'<div class="exercise">\n\n{stub}\n\n</div>'
    return f"{turn}\n\n{fold('Stuck? Show one solution', solved, 'solution')}" if SETTINGS["solutions_linked"] else turn


def prose(cell: dict[str, Any]) -> str:
    text = re.sub(
        r"!\[(.*?)\]\(attachment:(.+?)\)",
        lambda found: picture("".join(cell["attachments"][found[2]]["image/png"]), found[1]),
        NOT_HERE.sub("", text_of(cell)),
        flags=re.S,
    )
    links = r"\((?:(?:\.\./)+\w+/(\w+)\.ipynb|book:(\w+))"
    return re.sub(links, lambda found: f"({found[1] or found[2]}.md", text)


def shown(cell: dict[str, Any]) -> str:
    """What stands on the page for a cell; "" for setup, checks and other machinery."""
    if cell["cell_type"] == "markdown":
        return prose(cell)
    meta, text = cell["metadata"], text_of(cell)
    tags, graded = meta.get("tags", []), meta.get("nbgrader", {})
    hidden, only_call = meta.get("jupyter", {}).get("source_hidden"), re.fullmatch(r"check\.\w+\(\).*", text)
    if graded.get("grade") or "setup" in tags or only_call or (hidden and not cell["outputs"]):
        return ""
    if graded.get("solution"):
        return exercise(text)
    titled = TITLE.match(text)
    code, found = python(PARTS.sub("", TITLE.sub("", text, count=1))), "\n\n".join(outputs(cell))
    if "own-part" in tags:
        names = re.findall(r"^(?:def|class) (\w+)", text, re.M)
        return fold(f"From earlier units: {', '.join(names)}", code, "code")
    if hidden:
        name = NOT_A_TITLE.sub("", titled[1]) if titled else "what drew it"
        return f"{found}\n\n{fold(f'Code: {name}', code, 'code')}"
    return f"{code}\n\n{found}"


@cache
def notebook(unit: str) -> list[dict[str, Any]]:
    cells = json.loads((ROOT / "solutions" / unit / f"{unit}.ipynb").read_text(encoding="utf-8"))["cells"]
    return list(cells)


def minutes(unit: str) -> tuple[int, int]:
    """The minutes of reading and of exercises that a unit's first cell names."""
    found = re.search(r"(\d+) minutes of reading and (?:about )?(\d+) of exercises", text_of(notebook(unit)[0]))
    if not found:
        raise ValueError(f"{unit}: expected 'N minutes of reading and N of exercises' in its first cell")
    return int(found[1]), int(found[2])


def notebook_page(path: Path) -> str:
    """A page from a notebook that belongs to no unit."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n\n".join(part for cell in cells if (part := shown(cell).strip("\n"))) + "\n"


def revealed(parts: list[tuple[bool, str]]) -> list[str]:
    """The parts of a page; those that answer a question, if they stand together, in one fold."""
    found = []
    for hidden, group in groupby(parts, lambda part: part[0]):
        texts = [text for _, text in group]
        found += [fold("Decided? Show what happens", "\n\n".join(texts), "reveal")] if hidden else texts
    return found


def unit_page(unit: str) -> str:
    parts = revealed(
        [
            ("reveal" in cell["metadata"].get("tags", []), part + all_runs(unit, cell["id"]))
            for cell in notebook(unit)
            if (part := shown(cell).strip("\n"))
        ]
    )
    buttons = (
        f'<p class="buttons"><a href="{COLAB}/{unit}/{unit}.ipynb">Open in Colab</a>\n'
        f'<a href="{GITHUB}/blob/main/course/{unit}/{unit}.ipynb">The notebook</a></p>\n\n'
        '<p class="aside">Here you read. In the notebook you also solve the exercises, and a check below each of them\n'
        "names the likely cause of a mistake.</p>"
    )
    parts[0] = re.sub(r"^# (.*)", lambda found: f"# {unit[:2]} · {found[1]}\n\n{buttons}", parts[0])
    return "\n\n".join(parts) + "\n"


def variables(cell_id: str, cells: list[dict[str, Any]]) -> dict[str, Any]:
    """The literals that a cell assigns: lists, dictionaries and `"some words".split()`."""
    found: dict[str, Any] = {}
    for node in ast.parse(text_of(next(cell for cell in cells if cell["id"] == cell_id))).body:
        if isinstance(node, ast.AugAssign):
            found[ast.unparse(node.target)] += ast.literal_eval(node.value)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            found[ast.unparse(node.targets[0])] = ast.literal_eval(node.value.func.value).split()  # type: ignore[attr-defined]
        elif isinstance(node, ast.Assign):
            found[ast.unparse(node.targets[0])] = ast.literal_eval(node.value)
    return found


def course_map(units: list[str]) -> str:
    """The map of unit 00, as links: a row of cards for each level, and the arrows between one row and the next."""
    drawn = variables("map-cards", notebook(units[0]))
    cards, arrows = drawn["cards"], drawn["arrows"]
    columns, levels = sorted({card[0] for card in cards}), sorted({card[1] for card in cards}, reverse=True)
    at = [100 * (columns.index(card[0]) + 1) / (len(columns) + 1) for card in cards]
    rows = []
    for level in levels:
        row = [n for n, card in enumerate(cards) if card[1] == level]
        lines = "".join(
            f'<line x1="{at[a]:g}" y1="0" x2="{at[b]:g}" y2="10"/>'
            for a, b in arrows
            if b in row and cards[a][1] != level
        )
        rows += [f'<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">{lines}</svg>'] * bool(lines)
        links = []
        for n in row:
            sideways = ' class="sideways"' if any(a == n and b in row for a, b in arrows) else ""
            reading, solving = minutes(units[n])
            links.append(
                f'<a href="{units[n]}.html"{sideways}><b>{units[n][:2]} {cards[n][2]}</b>'
                f"<span>{' '.join(cards[n][3].split())}</span><small>{reading} + {solving} min</small></a>"
            )
        rows.append(f'<div class="row">{"".join(links)}</div>')
    return '<nav class="map" aria-label="The course as a map">\n' + "\n".join(rows) + "\n</nav>"


def bank(cells: list[dict[str, Any]]) -> str:
    """The two lines of unit 00: what its attention printed, and the numbers from which bank.js makes it live."""
    drawn = variables("bank-vectors", cells)
    held = escape(json.dumps({"table": drawn["table"], "lines": [drawn["by_river"], drawn["for_money"]]}))
    printed = "\n".join(outputs(next(cell for cell in cells if cell["id"] == "bank-attention")))
    return f'<div class="bank" data-bank="{held}">{printed}</div>'


def thanks() -> str:
    """What README.md says under this heading."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.split(r"\n## |\nMIT licence", text.partition("\n## Thanks and further reading\n")[2])[0].strip()


def cited(address: str, units: list[str]) -> str:
    """The units that lead to a paper, as links."""
    found = [unit for unit in units if any(f"({address})" in text_of(cell) for cell in notebook(unit))]
    return f"unit{'s' * (len(found) > 1)} " + ", ".join(f"[{unit[:2]}]({unit}.md)" for unit in found)


def filled(text: str, units: list[str]) -> str:
    """A page's text with what is made from the notebooks in place of its marks, such as `%MAP%`."""
    times = [minutes(unit) for unit in units]
    exercises = sum(bool(c["metadata"].get("nbgrader", {}).get("solution")) for u in units for c in notebook(u))
    trained = next(cell for cell in notebook("03_self_attention") if cell["id"] == "b86e30fa")
    made = {
        "%MAP%": course_map(units),
        "%BANK%": bank(notebook(units[0])),
        "%TRAINED%": "\n\n".join(outputs(trained)),
        "%THANKS%": thanks(),
        "%READING%": str(round(sum(reading for reading, _ in times) / 60)),
        "%SOLVING%": str(round(sum(solving for _, solving in times) / 60)),
        "%EXERCISES%": str(exercises),
        "%UNITS%": "\n".join(units),
        "%GITHUB%": GITHUB,
        "%COLAB%": COLAB,
    }
    for mark, value in made.items():
        text = text.replace(mark, value)
    paper = re.compile(r"^- .*\((https?:\S+)\), \d{4}$", re.M)
    return paper.sub(lambda found: f"{found[0]}: {cited(found[1], units)}", text)


def document(path: str) -> str:
    """A document of the repository as a page: links to other pages stay in the book, all others lead to GitHub."""

    def link(found: re.Match[str]) -> str:
        said = found["said"]
        where, _, anchor = found["to"].partition("#")
        target = ((ROOT / path).parent / where).resolve().relative_to(ROOT)
        anchor = anchor and f"#{anchor}"
        if found["bang"]:
            shutil.copy(ROOT / target, STATIC)
            return f"![{said}](_static/{target.name})"
        if page := DOCUMENTS.get(str(target)):
            return f"[{said}]({page}.md{anchor})"
        return f"[{said}]({GITHUB}/{'tree' if (ROOT / target).is_dir() else 'blob'}/main/{target}{anchor})"

    text = (ROOT / path).read_text(encoding="utf-8")
    return re.sub(r"(?P<bang>!?)\[(?P<said>[^\]]*)\]\((?P<to>(?!https?:|#|mailto:)[^)\s]+)\)", link, text)


def write_pages() -> None:
    """Writes the pages of the book, in Markdown, and all that they show."""
    shutil.rmtree(HERE / "_build", ignore_errors=True)
    STATIC.mkdir(parents=True)
    units = sorted(path.stem for path in (ROOT / "solutions").glob("*/*.ipynb"))
    pages = {unit: unit_page(unit) for unit in units}
    pages |= {path.stem: notebook_page(path) for path in (HERE / "pages").glob("*.ipynb")}
    pages |= {page: document(path) for path, page in DOCUMENTS.items()}
    pages |= {path.stem: filled(path.read_text(encoding="utf-8"), units) for path in HERE.glob("*.md")}
    for name, text in pages.items():
        (PAGES / f"{name}.md").write_text(fitting(text), encoding="utf-8")


if __name__ == "__main__":
    write_pages()
    sphinx = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "-c", str(HERE)]
    done = subprocess.run([*sphinx, "-d", str(HERE / "_build" / "doctrees"), str(PAGES), str(SITE)], check=False)  # noqa: S603 ours
    if done.returncode == 0:
        print(f"book: {SITE.relative_to(ROOT)}/index.html")
    sys.exit(done.returncode)
